"""Two random views of every image: cropped, flipped, recoloured and blurred a little, its class staying what it was."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import pi
from typing import TYPE_CHECKING, Any, Literal

from deep.base.lazy import torch
from deep.base.names import pick, read_call
from deep.data.catalogue import DATASETS
from deep.data.samples import Dataset, TokenDataset
from theory.base.streams import stream
from theory.rules.text import parse_value

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Views", "make_views", "mirrored_is_another", "view", "views", "views_for"]

_CHARACTERS = frozenset(
    {"digits", "mnist", "emnist-balanced", "mnist-m", "svhn", "synth-digits", "usps", "digits-five"}
)
_DRAWS = 8  # uniform numbers a sample and view: flip, jitter, blur or not, four factors of the jitter, blur's width
_CROP_DRAWS = 4  # beside them: crop or not, its area, its place


@dataclass(frozen=True)
class Views:
    """How strongly the transformations T¹ and T² change an image; both are drawn from this one law.

    Source: fedssa, Section 4.2, names "flipping, Gaussian Blurring, applying color jitters" and "slight blurring";
    kinds and strengths are open (SSA-O5). Taken here, in this order as in Chen et al. 2020 (SimCLR, Appendix A), both
    cited there: `flip`, probability of a mirrored image; `jitter`, of other colours, 0.8 in SimCLR and in Grill et
    al. 2020 (BYOL, Table 6), with BYOL's strengths `brightness` and `contrast` 0.4, `saturation` 0.2 and `hue` 0.1
    (SimCLR: 0.8, 0.8, 0.8, 0.2); `blur`, of a Gaussian blur, 0.5 in SimCLR, with the standard deviation uniform over
    `sigma` pixels, and cut off to a kernel of `kernel` of the image's shorter side (0.1 in SimCLR and BYOL), the
    nearest odd number of pixels: 3 for 28 and for 32, 23 for 224. SimCLR leaves the blur out on CIFAR-10, the paper
    names it. For 20 pixels and fewer the kernel is one pixel, and there is no blur: 3 × 3 of the 8 × 8 digits are not
    "slight" (of such views, nearest neighbours take 13 in 100 for another digit, without blur 6). `crop`, probability
    of a part of the image stretched to its size, bilinear, first of all: the part keeps the image's proportions, has
    an area uniform in [`least_area`, 1] of it and any place. 0 by default: the paper names no crop (SimCLR: always, 8
    in 100 at least; BYOL likewise).

    A jittered image is multiplied by 1 ± brightness, moved from or to its mean gray by 1 ± contrast and from or to
    its own gray by 1 ± saturation, and its hues are turned by ± `hue` of the colour circle (HSV); all factors uniform,
    cut to [0, 1] after each. *Differs:* SimCLR and BYOL shuffle these four. Images without three channels have no
    colours: brightness and contrast only. The pixels' arithmetic is kornia's; what is drawn comes from our streams, as
    kornia's own random transformations draw from one generator for all.

    Raises `ValueError` for probabilities, `brightness`, `contrast`, `saturation` or `kernel` outside [0, 1], a `hue`
    outside [0, 0.5], a `least_area` outside (0, 1], and a `sigma` that is no range of numbers > 0.
    """

    flip: float = 0.5
    jitter: float = 0.8
    brightness: float = 0.4
    contrast: float = 0.4
    saturation: float = 0.2
    hue: float = 0.1
    blur: float = 0.5
    sigma: tuple[float, float] = (0.1, 2.0)
    kernel: float = 0.1
    crop: float = 0.0
    least_area: float = 0.5

    def __post_init__(self) -> None:
        for name in ("flip", "jitter", "brightness", "contrast", "saturation", "hue", "blur", "kernel", "crop"):
            value, high = getattr(self, name), 0.5 if name == "hue" else 1.0
            if not (_is_number(value) and 0 <= value <= high):
                raise ValueError(f"Views({name}={value!r}): must be a number in [0, {high:g}]")
        if not (_is_number(self.least_area) and 0 < self.least_area <= 1):
            raise ValueError(f"Views(least_area={self.least_area!r}): must be a number in (0, 1]")
        fits = isinstance(self.sigma, tuple) and len(self.sigma) == 2 and all(_is_number(s) for s in self.sigma)
        if not (fits and 0 < self.sigma[0] <= self.sigma[1] < float("inf")):
            raise ValueError(f"Views(sigma={self.sigma!r}): must be (low, high) with 0 < low <= high, in pixels")


def views_for(dataset: str) -> Views:
    """The views of the data set called `dataset`: the defaults, but no flip where a mirrored image is another class.

    Those are the handwritten and printed characters: digits, mnist, emnist-balanced, mnist-m, svhn, synth-digits, usps
    and digits-five. Raises `ValueError` for an unknown name, and for data that are no images.
    """
    kind = pick(DATASETS, dataset, "dataset").kind
    if kind is not Dataset:
        what = "token sequences" if kind is TokenDataset else "real features"
        raise ValueError(f"views_for({dataset!r}): holds {what}; the paper defines views of images only (SSA-O5)")
    return Views(flip=0.0) if mirrored_is_another(dataset) else Views()


def make_views(text: str, dataset: str) -> Views:
    """`views_for(dataset)` with what `text` changes: "views(crop=0.5, blur=0)", or "" for nothing.

    >>> make_views("views(blur=0)", "digits")
    Views(flip=0.0, jitter=0.8, brightness=0.4, contrast=0.4, saturation=0.2, hue=0.1, blur=0, sigma=(0.1, 2.0), \
kernel=0.1, crop=0.0, least_area=0.5)

    Raises `ValueError` for text that cannot be read, unknown settings, and as `Views` and `views_for`.
    """
    usual = views_for(dataset)
    if not text:
        return usual
    name, settings = read_call("views", text)
    known = [field.name for field in fields(Views)]
    unknown = sorted(set(settings) - set(known))
    if name != "views" or unknown:
        raise ValueError(f"views {text!r}: expected views(setting=value, …) with settings among {', '.join(known)}")
    values: dict[str, Any] = {key: parse_value(value) for key, value in settings.items()}
    return replace(usual, **values)


def mirrored_is_another(dataset: str) -> bool:
    """Whether a mirrored image of the data set called `dataset` is another class: written and printed characters."""
    return dataset in _CHARACTERS


def views(images: Tensor, settings: Views, seed: int, round_index: int) -> tuple[Tensor, Tensor]:
    """(T¹(x), T²(x)) of every image x, independent draws; see `view`."""
    return view(images, settings, seed, round_index, 1), view(images, settings, seed, round_index, 2)


def view(images: Tensor, settings: Views, seed: int, round_index: int, which: Literal[1, 2]) -> Tensor:
    """Tⁱ(x), i = `which`, of every image x: (n, channels, height, width) in [0, 1], as `images`, which are not changed.

    Sample i of round t takes row i of the streams (seed, "view", t, which) and (seed, "view crop", t, which): more
    samples, or another strength, shift nobody else's draws. Raises `ValueError` for another `which`, for anything but
    float images in [0, 1], and for tokens, whose views no paper defines.
    """
    if which not in (1, 2):
        raise ValueError(f"view(which={which!r}): must be 1 or 2")
    _check(images)
    drawn = stream(seed, "view", round_index, which).random((len(images), _DRAWS))
    taken = torch.from_numpy(drawn[:, :3] < (settings.flip, settings.jitter, settings.blur)).to(images.device)
    flip, jitter, blur = taken[:, :, None, None, None].unbind(1)
    u = torch.from_numpy(drawn[:, 3:]).to(images)
    seen = _cropped(images, settings, seed, round_index, which)
    seen = torch.where(flip, seen.flip(-1), seen)
    seen = torch.where(jitter, _jittered(seen, settings, u[:, :4]), seen)
    low, high = settings.sigma
    return torch.where(blur, _blurred(seen, low + (high - low) * u[:, 4], settings.kernel), seen)


def _cropped(images: Tensor, settings: Views, seed: int, round_index: int, which: int) -> Tensor:
    """A part of some images, stretched to the size of all."""
    from kornia.geometry.transform import crop_and_resize

    if settings.crop == 0:
        return images
    drawn = stream(seed, "view crop", round_index, which).random((len(images), _CROP_DRAWS))
    taken = torch.from_numpy(drawn[:, 0] < settings.crop).to(images.device)
    area, x, y = torch.from_numpy(drawn[:, 1:]).to(images).unbind(1)
    height, width = images.shape[-2:]
    side = (settings.least_area + (1 - settings.least_area) * area).sqrt()
    size = torch.stack([side * (width - 1), side * (height - 1)], dim=1)  # from the first pixel to the last
    room = images.new_tensor([width - 1, height - 1]) - size
    first = torch.stack([x, y], dim=1) * room
    corners = images.new_tensor([[0, 0], [1, 0], [1, 1], [0, 1]])
    boxes = first[:, None] + corners * size[:, None]
    if min(height, width) == 1:
        return images  # one row of pixels has no part
    part: Tensor = crop_and_resize(images, boxes, (height, width), padding_mode="border").clamp(0, 1)
    return torch.where(taken[:, None, None, None], part, images)


def _jittered(images: Tensor, settings: Views, u: Tensor) -> Tensor:
    """Other brightness, contrast and, with three channels, saturation and hue; `u` (n, 4) in [0, 1)."""
    from kornia.enhance import (
        adjust_contrast_with_mean_subtraction,
        adjust_hue,
        adjust_saturation_with_gray_subtraction,
    )

    brightness, contrast, saturation, turn = (2 * u - 1).unbind(1)
    images = (images * (1 + settings.brightness * brightness)[:, None, None, None]).clamp(0, 1)
    images = adjust_contrast_with_mean_subtraction(images, 1 + settings.contrast * contrast)
    if images.shape[1] != 3:
        return images
    images = adjust_saturation_with_gray_subtraction(images, 1 + settings.saturation * saturation)
    if settings.hue == 0:  # a round trip to HSV is not the identity to the last digit
        return images
    turned: Tensor = adjust_hue(images, 2 * pi * settings.hue * turn).clamp(0, 1)
    return turned


def _blurred(images: Tensor, sigma: Tensor, kernel: float) -> Tensor:
    """Each image under its own Gaussian, `sigma` (n,); edge pixels repeated."""
    from kornia.filters import gaussian_blur2d

    reach = max(0, round((kernel * min(images.shape[-2:]) - 1) / 2))
    size = 2 * reach + 1
    return gaussian_blur2d(images, (size, size), sigma[:, None].expand(-1, 2), border_type="replicate").clamp(0, 1)


def _check(images: Tensor) -> None:
    found = f"view(images): {images.dtype} of shape {tuple(images.shape)}"
    if not images.is_floating_point() and images.ndim == 2:
        raise ValueError(f"{found}, which look like tokens; the paper defines views of images only (SSA-O5)")
    if not images.is_floating_point() or images.ndim != 4 or images.numel() == 0:
        raise ValueError(f"{found}; expected floats of shape (n, channels, height, width), no axis empty")
    low, high = float(images.min()), float(images.max())
    if not (low >= 0 and high <= 1):  # NaN fails both comparisons
        raise ValueError(f"view(images): pixels from {low:g} to {high:g}; expected finite values in [0, 1]")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

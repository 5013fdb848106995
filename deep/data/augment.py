"""Two random views of every image: flipped, recoloured and blurred a little, so that its class stays what it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import conv2d, pad

from deep.data.catalogue import DATASETS
from deep.data.samples import Dataset, TokenDataset
from deep.registry import pick
from theory.streams import stream

__all__ = ["Views", "mirrored_is_another", "view", "views", "views_for"]

_CHARACTERS = frozenset(
    {"digits", "mnist", "emnist-balanced", "mnist-m", "svhn", "synth-digits", "usps", "digits-five"}
)
_LUMA = (0.299, 0.587, 0.114)  # ITU-R BT.601, the gray of torchvision and of TensorFlow
_DRAWS = 8  # uniform numbers a sample and view: flip, jitter, blur or not, four factors of the jitter, blur's width


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
    "slight" (of such views, nearest neighbours take 13 in 100 for another digit, without blur 6). No crop: the paper
    names none.

    A jittered image is multiplied by 1 ± brightness, moved from or to its mean gray by 1 ± contrast and from or to
    its own gray by 1 ± saturation, and its hues are turned by ± `hue` of the colour circle (HSV); all factors uniform,
    cut to [0, 1] after each. *Differs:* SimCLR and BYOL shuffle these four. Images without three channels have no
    colours: brightness and contrast only.

    Raises `ValueError` for probabilities, `brightness`, `contrast`, `saturation` or `kernel` outside [0, 1], a `hue`
    outside [0, 0.5], and a `sigma` that is no range of numbers > 0.
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

    def __post_init__(self) -> None:
        for name in ("flip", "jitter", "brightness", "contrast", "saturation", "hue", "blur", "kernel"):
            value, high = getattr(self, name), 0.5 if name == "hue" else 1.0
            if not (_is_number(value) and 0 <= value <= high):
                raise ValueError(f"Views({name}={value!r}): must be a number in [0, {high:g}]")
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


def mirrored_is_another(dataset: str) -> bool:
    """Whether a mirrored image of the data set called `dataset` is another class: written and printed characters."""
    return dataset in _CHARACTERS


def views(images: Tensor, settings: Views, seed: int, round_index: int) -> tuple[Tensor, Tensor]:
    """(T¹(x), T²(x)) of every image x, independent draws; see `view`."""
    return view(images, settings, seed, round_index, 1), view(images, settings, seed, round_index, 2)


def view(images: Tensor, settings: Views, seed: int, round_index: int, which: Literal[1, 2]) -> Tensor:
    """Tⁱ(x), i = `which`, of every image x: (n, channels, height, width) in [0, 1], as `images`, which are not changed.

    Sample i of round t takes row i of the stream (seed, "view", t, which): more samples, or another strength, shift
    nobody else's draws. Raises `ValueError` for another `which`, for anything but float images in [0, 1], and for
    tokens, whose views no paper defines.
    """
    if which not in (1, 2):
        raise ValueError(f"view(which={which!r}): must be 1 or 2")
    _check(images)
    drawn = stream(seed, "view", round_index, which).random((len(images), _DRAWS))
    taken = torch.from_numpy(drawn[:, :3] < (settings.flip, settings.jitter, settings.blur)).to(images.device)
    flip, jitter, blur = taken[:, :, None, None, None].unbind(1)
    u = torch.from_numpy(drawn[:, 3:]).to(images)[:, :, None, None, None]
    seen = torch.where(flip, images.flip(-1), images)
    seen = torch.where(jitter, _jittered(seen, settings, u[:, :4]), seen)
    low, high = settings.sigma
    return torch.where(blur, _blurred(seen, low + (high - low) * u[:, 4], settings.kernel), seen)


def _jittered(images: Tensor, settings: Views, u: Tensor) -> Tensor:
    """Other brightness, contrast and, with three channels, saturation and hue; `u` (n, 4, 1, 1, 1) in [0, 1)."""
    brightness, contrast, saturation, turn = (2 * u - 1).unbind(1)
    images = (images * (1 + settings.brightness * brightness)).clamp(0, 1)
    mean = _gray(images).mean((2, 3), keepdim=True)
    images = (mean + (images - mean) * (1 + settings.contrast * contrast)).clamp(0, 1)
    if images.shape[1] != 3:
        return images
    gray = _gray(images)
    images = (gray + (images - gray) * (1 + settings.saturation * saturation)).clamp(0, 1)
    return _turned(images, settings.hue * turn[:, 0]).clamp(0, 1)


def _gray(images: Tensor) -> Tensor:
    """(n, 1, height, width): what an eye sees of three channels, the mean of any others."""
    if images.shape[1] != 3:
        return images.mean(1, keepdim=True)
    return (images * images.new_tensor(_LUMA)[:, None, None]).sum(1, keepdim=True)


def _turned(images: Tensor, turn: Tensor) -> Tensor:
    """Hues moved by `turn`, (n, 1, 1), of the circle: to HSV and back."""
    red, green, blue = images.unbind(1)
    value = images.amax(1)
    chroma = value - images.amin(1)
    unit = torch.where(chroma > 0, chroma, 1.0)
    green_most = torch.where(value == green, (blue - red) / unit + 2, (red - green) / unit + 4)
    hue = torch.where(value == red, (green - blue) / unit, green_most) + 6 * turn

    def channel(offset: int) -> Tensor:
        place = (offset + hue) % 6
        return value - chroma * torch.minimum(place, 4 - place).clamp(0, 1)

    return torch.stack([channel(5), channel(3), channel(1)], dim=1)


def _blurred(images: Tensor, sigma: Tensor, kernel: float) -> Tensor:
    """Rows, then columns, convolved with each sample's own Gaussian, `sigma` (n, 1, 1, 1); edge pixels repeated."""
    n, channels, height, width = images.shape
    reach = max(0, round((kernel * min(height, width) - 1) / 2))
    steps = torch.arange(-reach, reach + 1, dtype=images.dtype, device=images.device)
    weights = torch.exp(-0.5 * (steps / sigma[:, 0, 0]) ** 2)
    weights = (weights / weights.sum(1, keepdim=True)).repeat_interleave(channels, 0)
    planes = images.reshape(1, n * channels, height, width)
    for shape, edge in (((-1, 1, 1, len(steps)), (reach, reach, 0, 0)), ((-1, 1, len(steps), 1), (0, 0, reach, reach))):
        planes = conv2d(pad(planes, edge, mode="replicate"), weights.view(shape), groups=n * channels)
    return planes.view_as(images).clamp(0, 1)


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

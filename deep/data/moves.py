"""Training images mirrored and shifted a little: crops of the padded image and flips, drawn for every batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deep.base.lazy import torch
from deep.data.augment import mirrored_is_another
from deep.data.catalogue import DATASETS
from deep.data.samples import Dataset
from theory.base.streams import stream

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["AUGMENTATIONS", "PAD", "check_augmentation", "draw_moves", "moved_images"]

AUGMENTATIONS = ("none", "flip", "crop", "crop-flip")
PAD = 4  # pixels on each side before a crop


def check_augmentation(name: str, dataset: str) -> None:
    """`ValueError` for another name, data that are no images, and flips where a mirrored image is another class."""
    if name not in AUGMENTATIONS:
        raise ValueError(f"augment={name!r}: must be one of {', '.join(AUGMENTATIONS)}")
    if name == "none":
        return
    if dataset not in DATASETS or DATASETS[dataset].kind is not Dataset:
        raise ValueError(f"augment={name!r}, dataset={dataset!r}: no images; expected 'none'")
    if "flip" in name and mirrored_is_another(dataset):
        raise ValueError(f"augment={name!r}, dataset={dataset!r}: a mirrored character is another; expected 'crop'")


def draw_moves(
    name: str, seed: int, round_index: int, client: int, n_steps: int, size: int
) -> NDArray[np.int64] | None:
    """(mirrored or not, rows down, columns right) of each sample of a client's batches, (n_steps, size, 3).

    Source: He et al. 2016 (ResNet), Section 4.2: "4 pixels are padded on each side, and a 32×32 crop is randomly
    sampled from the padded image or its horizontal flip". Stream (seed, "augment", round, client); None for "none".
    """
    if name == "none":
        return None
    rng = stream(seed, "augment", round_index, client)
    drawn = rng.integers(0, [2, 2 * PAD + 1, 2 * PAD + 1], size=(n_steps, size, 3))
    if name == "flip":
        drawn[..., 1:] = PAD
    if name == "crop":
        drawn[..., 0] = 0
    return np.asarray(drawn, dtype=np.int64)


def moved_images(images: Tensor, moves: Tensor, fill: Tensor) -> Tensor:
    """Windows of the padded `images`, mirrored where asked; both as many, (n, channels, height, width) as they were.

    `moves` int64 (n, 3) as `draw_moves`; `fill` (channels,): what black is after scaling, which the border holds.
    """
    n, _, height, width = images.shape
    border = fill.to(images)[:, None, None]
    wide = torch.nn.functional.pad(images - border, (PAD, PAD, PAD, PAD)) + border
    flip, down, right = moves.unbind(1)
    rows = down[:, None] + torch.arange(height, device=images.device)
    columns = torch.arange(width, device=images.device).expand(n, width)
    columns = right[:, None] + torch.where(flip[:, None] > 0, width - 1 - columns, columns)
    place = torch.arange(n, device=images.device)[:, None, None]
    return wide.permute(0, 2, 3, 1)[place, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)

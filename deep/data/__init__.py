"""Data sets as validated tensors: readers of published files, official parts, and seeded splits.

`make_dataset(name, data_root)` reads one of `DATASETS`; nothing is ever downloaded. `official_split` keeps training
and test part apart; `split`, or a recipe of `SPLITS`, cuts the rest.
Image files (CINIC-10, Office-Caltech10, DomainNet, MNIST-M) need Pillow, which is no dependency of the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from deep.data.augment import Views, make_views, view, views, views_for
    from deep.data.catalogue import DATASETS, AnyParts, Reader, check_dataset, make_dataset, official_split, read_parts
    from deep.data.moves import AUGMENTATIONS, check_augmentation, draw_moves, moved_images
    from deep.data.parts import Parts
    from deep.data.samples import Dataset, Groups, RegressionDataset, Samples, TokenDataset
    from deep.data.scaling import SCALINGS, Scaling, make_scaling
    from deep.data.selection import moved, pooled, subset
    from deep.data.sets.bundled import digits, synthetic_regression
    from deep.data.splits import (
        SPLITS,
        Recipe,
        Split,
        cut,
        digits_split,
        domain_split,
        efl_split,
        hold_out,
        in_text_order,
        keep_whole,
        make_split,
        overlapping,
        per_group,
        split,
        split_in_order,
    )

__all__ = [
    "AUGMENTATIONS",
    "DATASETS",
    "SCALINGS",
    "SPLITS",
    "AnyParts",
    "Dataset",
    "Groups",
    "Parts",
    "Reader",
    "Recipe",
    "RegressionDataset",
    "Samples",
    "Scaling",
    "Split",
    "TokenDataset",
    "Views",
    "check_augmentation",
    "check_dataset",
    "cut",
    "digits",
    "digits_split",
    "domain_split",
    "draw_moves",
    "efl_split",
    "hold_out",
    "in_text_order",
    "keep_whole",
    "make_dataset",
    "make_scaling",
    "make_split",
    "make_views",
    "moved",
    "moved_images",
    "official_split",
    "overlapping",
    "per_group",
    "pooled",
    "read_parts",
    "split",
    "split_in_order",
    "subset",
    "synthetic_regression",
    "view",
    "views",
    "views_for",
]

__getattr__ = lazily(__name__, __file__)

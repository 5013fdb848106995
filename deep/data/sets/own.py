"""A data set of one's own: arrays, or anything with inputs and outputs, as the data sets that runs know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from deep.base.lazy import torch
from deep.data.parts import Parts
from deep.data.samples import Dataset, FeatureDataset, RegressionDataset, Samples, TokenDataset
from theory.base.parts import Own, built

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["own_parts"]

_PIXELS = 4  # axes of images


def own_parts(own: Own, settings: dict[str, object]) -> Parts[Samples]:
    """The data set that `own` is, or makes of `settings`.

    What it may be: (inputs, targets) as arrays or tensors, all of which are then cut by the run's split; (inputs,
    targets, test inputs, test targets); an object with `inputs` and `outputs`, or with such a `train`, `test` and
    `validation`, as `Dataset` and `Parts` are. Whole-number targets are classes, real ones are regressed on.
    Whole-number inputs are tokens; real ones of (n, channels, height, width) in [0, 1] are images, others features.

    Raises `ValueError`, one line, for anything else, and as the data sets do.
    """
    called = f"dataset {own.name!r}"
    value = built(own, settings)
    if isinstance(value, Parts):
        return value
    if isinstance(value, tuple | list) and len(value) in {2, 4}:
        arrays = [_tensor(called, array) for array in value]
        n_classes = _classes(arrays[1::2])
        both = [_samples(own.name, x, y, n_classes) for x, y in zip(arrays[::2], arrays[1::2], strict=True)]
        return Parts(*both)
    parts = {name: getattr(value, name, None) for name in ("train", "test", "validation")}
    if parts["train"] is None:
        parts = {"train": value}
    known = {name: part for name, part in parts.items() if part is not None}
    for name, part in known.items():
        if not (hasattr(part, "inputs") and hasattr(part, "outputs")):
            raise ValueError(
                f"{called}: {name} is a {type(part).__name__}; expected (inputs, targets) as arrays, with test inputs"
                " and targets behind them where there are any, or an object with inputs and outputs"
            )
    n_classes = _classes([_tensor(called, part.outputs) for part in known.values()])
    made = {
        name: part
        if isinstance(part, Samples)
        else _samples(own.name, _tensor(called, part.inputs), _tensor(called, part.outputs), n_classes)
        for name, part in known.items()
    }
    return Parts(**cast("dict[str, Any]", made))


def _classes(targets: list[Tensor]) -> int:
    """Classes that whole-number targets name, 0 of real ones."""
    return max(int(y.max()) + 1 if len(y) and not y.is_floating_point() else 0 for y in targets)


def _samples(name: str, inputs: Tensor, targets: Tensor, n_classes: int) -> Samples:
    if len(inputs) != len(targets) or not len(inputs):
        raise ValueError(f"dataset {name!r}: {len(inputs)} inputs and {len(targets)} targets; expected as many, >= 1")
    if targets.is_floating_point():
        return RegressionDataset(inputs.float().flatten(1), targets.float(), name)
    if not inputs.is_floating_point():
        words = tuple(map(str, range(int(inputs.max()) + 1)))
        return TokenDataset(inputs, targets, n_classes, words, name)
    if inputs.ndim == _PIXELS and float(inputs.min()) >= 0 and float(inputs.max()) <= 1:
        return Dataset(inputs.float(), targets, n_classes, name)
    return FeatureDataset(inputs.float(), targets, n_classes, name)


def _tensor(called: str, values: Any) -> Tensor:
    """Integers as int64, real numbers as they are."""
    try:
        found = values if isinstance(values, torch.Tensor) else torch.from_numpy(np.array(values))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{called}: holds something that is no array of numbers: {error}") from None
    return found.detach() if found.is_floating_point() else found.long()

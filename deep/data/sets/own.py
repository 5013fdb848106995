"""A data set of one's own: arrays, or anything with inputs and outputs, as the data sets that runs know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from deep.base.lazy import torch
from deep.data.parts import Parts
from deep.data.samples import Dataset, FeatureDataset, Groups, RegressionDataset, Samples, TokenDataset
from theory.base.parts import Own, built

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["own_parts"]

_PIXELS = 4  # axes of images


def own_parts(own: Own, settings: dict[str, object]) -> Parts[Samples]:
    """The data set that `own` is, or makes of `settings`.

    What it may be: (inputs, targets) as arrays or tensors, all of which are then cut by the run's split; (inputs,
    targets, clients), where the third says whose each sample is; (inputs, targets, test inputs, test targets); a
    `torch.utils.data.Dataset` of pairs (input, target) with a length; an object with `inputs` and `outputs`, or any of
    the last two as its `train`, `test` and `validation`, as `Dataset` and `Parts` are. Whole-number targets are
    classes, real ones are regressed on. Whole-number inputs are tokens; real ones of (n, channels, height, width) in
    [0, 1] are images, others features.

    Raises `ValueError`, one line, for anything else, and as the data sets do.
    """
    called = f"dataset {own.name!r}"
    value = built(own, settings)
    if isinstance(value, Parts):
        return value
    if isinstance(value, tuple | list) and len(value) in {2, 3, 4}:
        whose = value[2] if len(value) == 3 else None
        arrays = [_tensor(called, array) for array in (value[:2] if len(value) == 3 else value)]
        n_classes = _classes(arrays[1::2])
        both = [_samples(own.name, x, y, n_classes, whose) for x, y in zip(arrays[::2], arrays[1::2], strict=True)]
        return Parts(*both)
    parts = {name: getattr(value, name, None) for name in ("train", "test", "validation")}
    if parts["train"] is None:
        parts = {"train": value}
    known = {name: _stacked(called, part) for name, part in parts.items() if part is not None}
    for name, part in known.items():
        if not (hasattr(part, "inputs") and hasattr(part, "outputs")):
            raise ValueError(
                f"{called}: {name} is a {type(part).__name__}; expected (inputs, targets) as arrays, with clients, or"
                " test inputs and targets, behind them where there are any, a torch.utils.data.Dataset of pairs, or an"
                " object with inputs and outputs"
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


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The samples of a data set of pairs, stacked."""

    inputs: Tensor
    outputs: Tensor


def _stacked(called: str, part: Any) -> Any:
    """A `torch.utils.data.Dataset` of pairs as `_Pairs`; anything else as it is."""
    from torch.utils.data import Dataset as Indexed

    if not isinstance(part, Indexed) or isinstance(part, Samples):
        return part
    try:
        pairs = [part[i] for i in range(len(part))]  # type: ignore[arg-type]
    except Exception as error:  # whatever somebody's own code raises
        raise ValueError(f"{called}: reading its samples raised {type(error).__name__}: {error}") from error
    if not pairs or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"{called}: expected a torch.utils.data.Dataset of at least one pair (input, target)")
    try:
        inputs, targets = (torch.stack([torch.as_tensor(value) for value in side]) for side in zip(*pairs, strict=True))
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{called}: its samples are no arrays of one shape: {error}") from error
    return _Pairs(inputs, targets)


def _whose(name: str, clients: Any, n: int) -> Groups | None:
    """The client of each sample, any names or numbers, (n,)."""
    if clients is None:
        return None
    names, index = np.unique(np.asarray(clients), return_inverse=True)
    if index.shape != (n,):
        raise ValueError(f"dataset {name!r}: clients of shape {index.shape}; expected ({n},), one for each sample")
    return Groups("client", torch.from_numpy(index.astype(np.int64)), tuple(map(str, names)))


def _samples(name: str, inputs: Tensor, targets: Tensor, n_classes: int, clients: Any = None) -> Samples:
    if len(inputs) != len(targets) or not len(inputs):
        raise ValueError(f"dataset {name!r}: {len(inputs)} inputs and {len(targets)} targets; expected as many, >= 1")
    groups = _whose(name, clients, len(targets))
    if targets.is_floating_point():
        return RegressionDataset(inputs.float().flatten(1), targets.float(), name, groups=groups)
    if not inputs.is_floating_point():
        words = tuple(map(str, range(int(inputs.max()) + 1)))
        return TokenDataset(inputs, targets, n_classes, words, name, groups=groups)
    if inputs.ndim == _PIXELS and float(inputs.min()) >= 0 and float(inputs.max()) <= 1:
        return Dataset(inputs.float(), targets, n_classes, name, groups=groups)
    return FeatureDataset(inputs.float(), targets, n_classes, name, groups=groups)


def _tensor(called: str, values: Any) -> Tensor:
    """Integers as int64, real numbers as they are."""
    try:
        found = values if isinstance(values, torch.Tensor) else torch.from_numpy(np.array(values))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{called}: holds something that is no array of numbers: {error}") from None
    return found.detach() if found.is_floating_point() else found.long()

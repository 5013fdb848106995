"""Some of the samples, all of several data sets, or the same ones elsewhere: for every kind of data set alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, cast

from deep.base.lazy import torch
from deep.data.samples import AnySamples, Samples

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["moved", "pooled", "subset"]


def subset(dataset: AnySamples, indices: Tensor) -> AnySamples:
    """The samples at `indices`, int64 (n,), in that order; `ValueError` when there are none."""
    return _changed(dataset, lambda tensor: tensor[indices])


def moved(dataset: AnySamples, device: torch.device) -> AnySamples:
    """The same samples on `device`."""
    return _changed(dataset, lambda tensor: tensor.to(device))


def pooled(parts: Sequence[AnySamples]) -> AnySamples:
    """All samples of `parts`, one after the other; name and note are the first one's.

    Raises `ValueError` when there is no part, or parts differ in shape, classes, vocabulary or group names.
    """
    if not parts:
        raise ValueError("pooled(parts=()): expected at least one part")
    first = parts[0]
    for part in parts[1:]:
        theirs = _form(part)
        for what, ours in _form(first).items():
            if ours != theirs[what]:
                shown = f"{ours} and {theirs[what]}"
                raise ValueError(f"pooled: {first.name!r} and {part.name!r} differ in {what}: {shown[:200]}")
    together = {
        f.name: torch.cat([getattr(part, f.name) for part in parts])
        for f in fields(first)
        if isinstance(getattr(first, f.name), torch.Tensor)
    }
    indices = [part.groups.index for part in parts if part.groups is not None]
    groups = first.groups and replace(first.groups, index=torch.cat(indices))
    return _replaced(first, groups=groups, **together)


def _form(dataset: Samples) -> dict[str, object]:
    """What has to agree before samples may stand in one data set."""
    groups = dataset.groups
    return {
        "kind": type(dataset).__name__,
        "sample shape": tuple(dataset.inputs.shape[1:]),
        "n_classes": getattr(dataset, "n_classes", None),
        "vocabulary": getattr(dataset, "vocabulary", None),
        "kind of group": groups and groups.kind,
        "names of groups": groups and groups.names,
    }


def _changed(dataset: AnySamples, change: Callable[[Tensor], Tensor]) -> AnySamples:
    """`dataset` with every tensor, that of its groups too, after `change`."""
    values = {f.name: getattr(dataset, f.name) for f in fields(dataset)}
    tensors = {name: change(value) for name, value in values.items() if isinstance(value, torch.Tensor)}
    groups = dataset.groups and replace(dataset.groups, index=change(dataset.groups.index))
    return _replaced(dataset, groups=groups, **tensors)


def _replaced(dataset: AnySamples, **changes: Any) -> AnySamples:
    """`dataclasses.replace`, for a kind that is not known before."""
    new: AnySamples = replace(cast("Any", dataset), **changes)
    return new

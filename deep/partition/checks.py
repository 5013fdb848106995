"""Checks at the door, shared by partitions, cohorts and targets: each message names call, setting, value and range."""

from __future__ import annotations

from collections.abc import Sequence
from sys import float_info

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Groups",
    "Index",
    "check_choice",
    "check_count",
    "check_flag",
    "check_labels",
    "check_parts",
    "check_range",
    "check_ratios",
]

Index = NDArray[np.int64]
Groups = NDArray[np.generic]


def check_count(call: object, name: str, lowest: int = 1, highest: int | None = None) -> None:
    """`ValueError` unless the field `name` of the dataclass `call` is an integer >= `lowest`, and <= `highest`."""
    value = getattr(call, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
        raise ValueError(f"{type(call).__name__}({name}={value!r}): must be an integer >= {lowest}")
    if highest is not None and value > highest:
        raise ValueError(f"{type(call).__name__}({name}={value!r}): must be <= {highest:,}")


def check_range(call: object, name: str, low: float, high: float, *, open_low: bool = False) -> None:
    """`ValueError` unless the field is a finite number in [low, high], or in (low, high] with `open_low`."""
    value = getattr(call, name)
    if not _in_range(value, low, high, open_low):
        bracket = "(" if open_low else "["
        raise ValueError(f"{type(call).__name__}({name}={value!r}): must be a number in {bracket}{low:g}, {high:g}]")


def check_ratios(call: object, name: str) -> None:
    """`ValueError` unless the field is a non-empty tuple of numbers in (0, 1]."""
    value = getattr(call, name)
    if not isinstance(value, tuple) or not value or not all(_in_range(r, 0.0, 1.0, True) for r in value):
        raise ValueError(f"{type(call).__name__}({name}={value!r}): must be a list of numbers in (0, 1], at least one")


def check_choice(call: object, name: str, choices: Sequence[str]) -> None:
    """`ValueError` unless the field is one of `choices`."""
    value = getattr(call, name)
    if value not in choices:
        raise ValueError(f"{type(call).__name__}({name}={value!r}): must be one of {', '.join(choices)}")


def check_flag(call: object, name: str) -> None:
    """`ValueError` unless the field is true or false."""
    value = getattr(call, name)
    if not isinstance(value, bool):
        raise ValueError(f"{type(call).__name__}({name}={value!r}): must be true or false")


def check_labels(call: str, labels: Index, n_clients: int, min_size: int = 1) -> Index:
    """`labels` as int64 (n,); `ValueError` naming `call` when they are none, or too few for the clients."""
    labels = np.asarray(labels)
    if labels.ndim != 1 or labels.size == 0 or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(f"{call}(labels=…): {labels.dtype} of shape {labels.shape}; expected integers (n,), n >= 1")
    if n_clients < 1:
        raise ValueError(f"{call}(n_clients={n_clients}): must be >= 1")
    if min_size < 1:
        raise ValueError(f"{call}(min_size={min_size}): must be >= 1; an empty client has no loss")
    if n_clients * min_size > labels.size:
        raise ValueError(
            f"{call}(n_clients={n_clients}, min_size={min_size}): needs {n_clients * min_size} samples,"
            f" has {labels.size}; lower one of the two"
        )
    return labels.astype(np.int64, copy=False)


def check_parts(call: str, parts: Sequence[Index], n: int, n_clients: int) -> None:
    """`ValueError` unless `parts` are `n_clients` non-empty index arrays into 0 … n − 1 with no sample twice."""
    if len(parts) != n_clients:
        raise ValueError(f"{call}: {len(parts)} parts for n_clients={n_clients}")
    for client, part in enumerate(parts):
        part = np.asarray(part)
        if part.ndim != 1 or part.size == 0 or not np.issubdtype(part.dtype, np.integer):
            raise ValueError(f"{call}: client {client} holds {part.dtype} of shape {part.shape}; expected indices (m,)")
        if part.min() < 0 or part.max() >= n:
            raise ValueError(f"{call}: client {client} holds {part.min()} to {part.max()}; expected 0 to {n - 1}")
    held = np.bincount(np.concatenate(parts), minlength=n)
    if held.max() > 1:
        raise ValueError(f"{call}: sample {int(held.argmax())} is held {held.max()} times; parts must not overlap")


def _in_range(value: object, low: float, high: float, open_low: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= float_info.max:
        return False
    return (value > low if open_low else value >= low) and value <= high

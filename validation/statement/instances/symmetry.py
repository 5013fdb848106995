"""Changes of an instance that must not change the verdict: units, the clients' names, a client split in two, rotations.

A mix-up of units or an index error in a measurement shows here, before it can show as a false counterexample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.statement.bound import Bound
from validation.statement.instances.draw import Instance, Space

__all__ = ["Symmetry", "largest_change", "permuted_clients", "rotated_space", "split_client", "units"]

Float = NDArray[np.float64]
Change = Callable[[Instance, np.random.Generator], tuple[Instance, tuple[float, float]]]


@dataclass(frozen=True)
class Symmetry:
    """A change of instances and the units (loss a, length b) in which both sides must come out multiplied.

    `apply(instances, rng)` returns the changed instances and (a, b); (1, 1) where nothing is rescaled.
    """

    name: str
    apply: Change


def units(degrees: Mapping[str, tuple[int, int]]) -> Symmetry:
    """F → aF and x → bx: every coordinate named in `degrees` is multiplied by a^loss·b^length; a, b powers of two."""

    def apply(x: Instance, rng: np.random.Generator) -> tuple[Instance, tuple[float, float]]:
        a, b = (float(2.0 ** rng.integers(-20, 21)) for _ in range(2))
        changed = {k: v * a ** degrees[k][0] * b ** degrees[k][1] if k in degrees else v for k, v in x.items()}
        return changed, (a, b)

    return Symmetry("units", apply)


def permuted_clients(axes: Mapping[str, int]) -> Symmetry:
    """The clients in another order; `axes` names each coordinate's client axis, counted without the instances' axis."""

    def apply(x: Instance, rng: np.random.Generator) -> tuple[Instance, tuple[float, float]]:
        name, axis = next(iter(axes.items()))
        order = rng.permutation(x[name].shape[axis + 1])
        return {k: np.take(v, order, axis=axes[k] + 1) if k in axes else v for k, v in x.items()}, (1.0, 1.0)

    return Symmetry("clients permuted", apply)


def split_client(axes: Mapping[str, int], shares: tuple[str, ...]) -> Symmetry:
    """The first client becomes two identical ones with half its weight each; `shares` are the coordinates to halve."""

    def apply(x: Instance, _rng: np.random.Generator) -> tuple[Instance, tuple[float, float]]:
        changed = dict(x)
        for name, axis in axes.items():
            first = np.take(x[name], [0], axis=axis + 1)
            rest = np.take(x[name], range(1, x[name].shape[axis + 1]), axis=axis + 1)
            first = first / 2 if name in shares else first
            changed[name] = np.concatenate([first, first, rest], axis=axis + 1)
        return changed, (1.0, 1.0)

    return Symmetry("a client split in two", apply)


def rotated_space(vectors: tuple[str, ...], matrices: tuple[str, ...] = ()) -> Symmetry:
    """Vectors (last axis) and symmetric matrices (last two axes) in a rotated basis, one for each instance."""

    def apply(x: Instance, rng: np.random.Generator) -> tuple[Instance, tuple[float, float]]:
        example = x[(vectors + matrices)[0]]
        n, d = example.shape[0], example.shape[-1]
        Q, _ = np.linalg.qr(rng.normal(size=(n, d, d)))
        changed = dict(x)
        for name in vectors:
            basis = Q.reshape(n, *([1] * (x[name].ndim - 2)), d, d)
            changed[name] = (basis @ x[name][..., None])[..., 0]
        for name in matrices:
            basis = Q.reshape(n, *([1] * (x[name].ndim - 3)), d, d)
            changed[name] = basis @ x[name] @ np.swapaxes(basis, -1, -2)
        return changed, (1.0, 1.0)

    return Symmetry("space rotated", apply)


def largest_change(
    symmetry: Symmetry,
    bound: Bound,
    degrees: tuple[int, int] | None,
    space: Space,
    measure: Callable[[Instance], Mapping[str, Any]],
    rng: np.random.Generator,
    n: int = 200,
) -> float:
    """The largest relative change of either side over `n` random instances, after undoing the units.

    Raises `ValueError` when units change but the scaling degrees of a side are not declared.
    """
    instances = space.decode(space.random(rng, n))
    changed, (a, b) = symmetry.apply(instances, rng)
    left, right = 1.0, 1.0
    if (a, b) != (1.0, 1.0):
        if degrees is None or bound.degrees is None:
            raise ValueError(f"symmetry {symmetry.name!r} changes units; declare the degrees of both sides")
        loss, length = degrees
        left = right = a**loss * b**length
    with np.errstate(all="ignore"):
        before, after = measure(instances), measure(changed)
        (rhs, scale), (rhs_after, _) = bound(before), bound(after)
    lhs, lhs_after = (np.asarray(c["lhs"], dtype=np.float64) for c in (before, after))
    magnitude = np.asarray(before.get("magnitude", 0.0), dtype=np.float64)
    known = np.isfinite(lhs) & np.isfinite(rhs) & np.asarray(before.get("admissible", True), dtype=bool)
    known = known & np.isfinite(lhs_after) & np.isfinite(rhs_after)
    if not np.any(known):
        return 0.0
    size = np.maximum(np.abs(lhs) + scale + magnitude, 1e-300)
    change = np.maximum(np.abs(lhs_after / left - lhs), np.abs(rhs_after / right - rhs)) / size
    return float(np.max(np.where(known, change, 0.0)))

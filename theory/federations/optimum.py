"""Infima of regularised losses over finite data, with a certificate, and when none is attained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from theory.base.minimise import minimise

__all__ = ["GAP", "Optimum", "Separation", "certified_minimum", "separation"]

GAP = 1e-10  # what a solved infimum is known to, in units of loss
_LARGEST = 5_000_000  # entries of the linear programme that looks for a separating direction
Floats = NDArray[np.float64]
Separation = Literal["none", "some", "all"]


@dataclass(frozen=True, eq=False)
class Optimum:
    """inf F of a convex loss: `value` <= inf F + `gap`.

    `model`: where `value` is taken, (dim,), None where the infimum is not attained. `gradient_norm` ‖∇F‖ there.
    `gap` in units of loss: ‖∇F‖²/(2·l2), as F is l2-strongly convex; 0 where the infimum is known exactly; None
    without a certificate. `note` says so in words, "" for a certified minimum.
    """

    model: Floats | None
    value: float
    gradient_norm: float
    gap: float | None
    note: str = ""


def certified_minimum(
    objective: Callable[[Floats], tuple[Floats, Floats]], dim: int, *, l2: float, name: str, gap: float = GAP
) -> Optimum:
    """The minimiser of an l2-strongly convex loss, certified: ‖∇F(w)‖²/(2·l2) <= `gap`.

    `objective` maps models (1, dim) to values (1,) and gradients (1, dim). L-BFGS, then Newton steps (`minimise`).
    Raises `ValueError` for l2 or gap not > 0, `RuntimeError` with the gap reached where that is larger.
    """
    if not l2 > 0 or not gap > 0:
        raise ValueError(f"{name}: l2={l2}, gap={gap}; both must be > 0, as strong convexity is what certifies")
    nothing = np.zeros((1, dim))
    first = float(np.linalg.norm(objective(nothing)[1]))
    # A hundredth of the gap asked for, so that what is stored is not at its edge.
    aim = 0.1 * float(np.sqrt(2 * l2 * gap))
    model = minimise(objective, nothing, tolerance=min(1.0, aim / max(first, aim)), name=name, stop=aim)
    value, gradient = objective(model)
    norm = float(np.linalg.norm(gradient))
    found = norm**2 / (2 * l2)
    if not found <= gap:
        raise RuntimeError(f"{name}: certified to {found:.1e} in units of loss; wanted {gap:.0e}")
    return Optimum(model[0], float(value[0]), norm, found)


def separation(features: Floats, labels: NDArray[np.int64], n_classes: int) -> Separation:
    """Whether linear scores fit the labels: "all" strictly, "some" while none is wrong and some strictly, or "none".

    Without l2, cross-entropy over these samples attains its infimum exactly when the answer is "none"; it is 0 and not
    attained for "all". Source: Albert and Anderson 1984 (complete and quasi-complete separation), as one linear
    programme: the greatest Σ min(margin, 1) over scores whose margins are all >= 0. `features` (n, d), `labels` (n,).
    Raises `ValueError` where the programme has more than 5 million entries.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    n, d = features.shape
    if n * (n_classes - 1) * 2 * d > _LARGEST:
        raise ValueError(
            f"separation: {n} samples, {n_classes} classes and {d} features make a linear programme of more than"
            f" {_LARGEST:,} entries; expected less, or l2 > 0, under which every optimum exists"
        )
    sample, other = np.nonzero(labels[:, None] != np.arange(n_classes))
    rows = np.arange(len(sample))
    wide = np.repeat(rows, d)
    columns = np.arange(d)

    def scores(of: NDArray[np.int64]) -> csr_array:
        where = (of[:, None] * d + columns).ravel()
        return csr_array((features[sample].ravel(), (wide, where)), shape=(len(rows), n_classes * d))

    margins = scores(labels[sample]) - scores(other)
    # Variables: scores W, then t <= min(margin, 1) for each pair of sample and wrong class.
    minus = csr_array((-np.ones(len(rows)), (rows, rows)), shape=(len(rows), len(rows)))
    nothing = csr_array(minus.shape)
    constraints = vstack([hstack([-margins, -minus]), hstack([-margins, nothing])])
    found = linprog(
        np.concatenate([np.zeros(n_classes * d), -np.ones(len(rows))]),
        A_ub=constraints,
        b_ub=np.zeros(2 * len(rows)),
        bounds=[(None, None)] * (n_classes * d) + [(0, 1)] * len(rows),
        method="highs",
    )
    if found.status != 0:
        raise RuntimeError(f"separation: the linear programme ended with «{found.message}»")
    reached = -float(found.fun)
    if reached < 1e-6:
        return "none"
    return "all" if reached > len(rows) * (1 - 1e-9) else "some"

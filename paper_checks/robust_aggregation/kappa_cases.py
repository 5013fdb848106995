"""Positive weights of a few rounds at any excess losses: every left side of the general bounds, one number a line."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.exact import dot
from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
)

__all__ = ["at_kappa", "at_most", "never"]

_NAMES = ("Pi", "pi", "N", "least", "largest", "smallest", "lambda2")
_NONE = dict.fromkeys(_NAMES, (0, 0))


def _view(x: Instance) -> Mapping[str, Any]:
    a, excess = x["weights"], np.abs(x["excess"])
    n = a.shape[-1]
    p = np.full_like(x["share"], 1.0 / n) if x["equal"][0] > 0 else x["share"]
    kappa = a / p[:, None]
    low, high = kappa.min(axis=(1, 2)), kappa.max(axis=(1, 2))
    below = (p[:, None] * excess).sum(axis=-1)
    defined = below.min(axis=1) > 0
    skews = (a * excess).sum(axis=-1) / np.where(below > 0, below, 1.0)
    defined &= skews.min(axis=1) > 0
    # Row 0 is w*, which each round's weights are held against; the others are the rounds' models.
    at_best = (a * excess[:, :1]).sum(axis=-1) / np.where(below[:, :1] > 0, below[:, :1], 1.0)
    rho, rho_best = np.where(defined, skews.min(axis=1), 1.0), at_best.max(axis=1)
    least = p.min(axis=1)
    peak, floor = a.max(axis=-1), a.min(axis=-1)
    error = rho_best / rho - 1
    left = {
        1: rho_best / rho,
        2: 1 / rho,
        3: np.maximum(1 - high / low, 1 / np.where(rho_best > 0, rho_best, 1.0) - 1 / low),
        4: (kappa.max(axis=-1) / n + (n - 1) * kappa.min(axis=-1) / n - 1).max(axis=1),
        5: high,
        6: error,
        7: np.maximum(
            np.maximum(high * least - peak.max(axis=1), peak.max(axis=1) - 1 + (n - 1) * floor.min(axis=1)),
            (n - 1) * (low * least - floor.min(axis=1)),
        ),
        8: (high * least)[:] - peak.min(axis=1),
        9: x["lambda2"] * error,
    }[int(x["line"][0])]
    names = {"Pi": high, "pi": low, "N": np.full_like(low, n), "least": least, "largest": p.max(axis=1)}
    return {
        **names,
        "lhs": left,
        "smallest": floor.min(axis=1),
        "lambda2": x["lambda2"],
        "magnitude": 1 + high / low,
        "admissible": defined,
    }


def kappa_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """All quantities of the general bounds at given weights and excess losses, row 0 of which is w*; one left side."""
    a, n = x["weights"], len(x["share"])
    p = [Fraction(1, n)] * n if x["equal"] > 0 else x["share"]
    excess = [[abs(e) for e in row] for row in x["excess"]]
    kappas = [[w / q for w, q in zip(row, p, strict=True)] for row in a]
    low, high, line = min(min(k) for k in kappas), max(max(k) for k in kappas), int(x["line"])
    rho = min(dot(row, e) / dot(p, e) for row, e in zip(a, excess, strict=True))
    rho_best = max(dot(row, excess[0]) / dot(p, excess[0]) for row in a)
    top, bottom, least = max(max(row) for row in a), min(min(row) for row in a), min(p)
    left = {
        1: rho_best / rho,
        2: 1 / rho,
        3: max(1 - high / low, 1 / rho_best - 1 / low),
        4: max((max(k) + (n - 1) * min(k)) / n - 1 for k in kappas),
        5: high,
        6: rho_best / rho - 1,
        7: max(high * least - top, top - 1 + (n - 1) * bottom, (n - 1) * (low * least - bottom)),
        8: high * least - min(max(row) for row in a),
        9: x["lambda2"] * (rho_best / rho - 1),
    }
    met = {"p and the weights are positive and sum to 1": all(sum(r) == 1 and min(r) > 0 for r in [p, *a])}
    found = {"Pi": high, "pi": low, "N": Fraction(n), "least": least, "largest": max(p), "smallest": bottom}
    return met, {**found, "lambda2": x["lambda2"], "lhs": left[line]}


def at_kappa(line: int, *, equal: bool = False) -> Family:
    """Positive weights of a few rounds, any excess losses; `line` is the left side, `equal` takes pᵢ = 1/N."""

    def at(N: float, R: float) -> Case:
        n, rounds = int(N), int(R)
        space = Space(
            (
                Simplex("share", n, interior=True),
                Simplex("weights", n, (rounds,), interior=True),
                Signed("excess", 1e-4, 1e4, (rounds, n)),
                LogScale("lambda2", 1e-3, 1e3, at=(1.0,)),
                Choice("equal", (float(equal),)),
                Choice("line", (float(line),)),
            )
        )
        axes = {"share": 0, "weights": 1, "excess": 1}
        same = (
            permuted_clients(axes),
            *((split_client(axes, ("share", "weights")),) if line in {1, 2} and not equal else ()),
        )
        return Case(
            f"N = {n}, {rounds} rounds",
            space,
            _view,
            ExactCheck(kappa_exact, (dot,)),
            cost=max(1.0, n / 40),
            symmetries=same,
        )

    return Family("weights of a few rounds", (Size("N", 2, 300, 3), Size("R", 1, 8, 2)), at)


def at_most(bound: Any, line: int, again: Any = None, *, equal: bool = False) -> Inequality:
    """The left side `line` is at most `bound`."""
    return Inequality(Bound(bound, again=again, degrees=_NONE), (at_kappa(line, equal=equal),), degrees=(0, 0))


def never(line: int, *, equal: bool = False) -> Property:
    """The left side `line` is never positive."""
    return Property((at_kappa(line, equal=equal),), degrees=(0, 0))

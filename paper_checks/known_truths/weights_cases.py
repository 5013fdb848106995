"""The instances of K13, K15 and K17: weights against losses, shares and scores of N clients."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.averages_cases import DIM, clients, sized
from paper_checks.known_truths.exact import is_simplex
from theory.exact import dot, matvec, quadratic_loss
from validation import Case, Choice, ExactCheck, Family, Instance, LogScale, Signed, Simplex
from validation.statement.draw import Coordinate

__all__ = ["excess_losses", "opposite_orders", "softmax_weights"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def _ordered(x: Instance) -> Mapping[str, Any]:
    order = x["order"][:, None]
    rising = np.sort(x["weights"], axis=-1)
    r = np.where(order < 0, rising[:, ::-1], np.where(order > 0, rising, x["weights"]))
    values = np.where(order == 0, x["values"], np.sort(x["values"], axis=-1))
    lhs, size = (r * values).sum(axis=-1), np.abs(values).max(axis=-1)
    return {
        "lhs": lhs,
        "total": values.sum(axis=-1),
        "n": np.full(len(values), float(values.shape[1])),
        "smallest": values.min(axis=-1),
        "but_last": values[:, :-1].sum(axis=-1),
        "magnitude": size,
        # Where both sides are negative or nearly 0, and equal to rounding, their quotient says nothing.
        "admissible": (lhs > 1e-9 * size) | (np.abs(lhs - values.mean(axis=-1)) > 1e-12 * size),
    }


def ordered_exact(x: Mapping[str, Any]) -> Checked:
    """Clients in order of x: r falling for order −1, rising for 1; for 0 no order is asked for."""
    r, values = list(x["weights"]), list(x["values"])
    hypotheses = {"weights on the simplex": is_simplex(r)}
    if x["order"] != 0:
        r.sort(reverse=x["order"] < 0)
        values.sort()
    if x["order"] < 0:
        hypotheses["r falls where x rises"] = all(
            (r[i + 1] - r[i]) * (values[i + 1] - values[i]) <= 0 for i in range(len(r) - 1)
        )
    return hypotheses, {
        "lhs": dot(r, values),
        "total": sum(values),
        "n": Fraction(len(values)),
        "smallest": min(values),
        "but_last": sum(values[:-1], Fraction(0)),
    }


def _excess(x: Instance) -> Mapping[str, Any]:
    alpha, p = x["weights"], x["shares"]
    excess = 0.5 * (x["curvature"] * (x["model"][:, None, :] - x["optima"]) ** 2).sum(axis=-1)
    return {
        "lhs": (alpha * excess).sum(axis=-1),
        "tilt": (alpha / p).max(axis=-1),
        "mean_excess": (p * excess).sum(axis=-1),
        "least": (alpha / p).min(axis=-1),
        "chi": (alpha**2 / p).sum(axis=-1),
        "apart": alpha.max(axis=-1) / p.max(axis=-1),
    }


def excess_exact(x: Mapping[str, Any]) -> Checked:
    """F_i(w) − F_i* of quadratic clients with diagonal curvature."""
    alpha, p, dim = x["weights"], x["shares"], range(len(x["model"]))
    A = [[[row[j] if i == j else Fraction(0) for j in dim] for i in dim] for row in x["curvature"]]
    excess = [quadratic_loss(a, m, Fraction(0), x["model"]) for a, m in zip(A, x["optima"], strict=True)]
    ratios = [a / b for a, b in zip(alpha, p, strict=True)]
    hypotheses = {
        "alpha on the simplex": is_simplex(alpha),
        "p on the simplex, all positive": is_simplex(p) and min(p) > 0,
        "every client convex": min(min(row) for row in x["curvature"]) > 0,
    }
    return hypotheses, {
        "lhs": dot(alpha, excess),
        "tilt": max(ratios),
        "mean_excess": dot(p, excess),
        "least": min(ratios),
        "chi": dot(alpha, ratios),
        "apart": max(alpha) / max(p),
    }


def _softmax(x: Instance) -> Mapping[str, Any]:
    p, root = x["shares"], x["root"]
    raw = p * root**2
    a = raw / raw.sum(axis=-1, keepdims=True)
    tilt = a / p
    return {
        "lhs": tilt[:, 0] / tilt[:, 1],
        "top": (root**2).max(axis=-1),
        "low": (root**2).min(axis=-1),
        "half": root.max(axis=-1) / root.min(axis=-1),
        "p_i": p[:, 0],
        "p_j": p[:, 1],
    }


def softmax_exact(x: Mapping[str, Any]) -> Checked:
    """root_i = exp(s_i/(2T)), so a_i is p_i root_i^2 over the sum; i and j are the first two clients."""
    p, root = x["shares"], x["root"]
    raw = [b * v * v for b, v in zip(p, root, strict=True)]
    a = [r / sum(raw) for r in raw]
    hypotheses = {"p on the simplex, all positive": is_simplex(p) and min(p) > 0, "exp > 0": min(root) > 0}
    return hypotheses, {
        "lhs": (a[0] / p[0]) / (a[1] / p[1]),
        "top": max(root) ** 2,
        "low": min(root) ** 2,
        "half": max(root) / min(root),
        "p_i": p[0],
        "p_j": p[1],
    }


def opposite_orders(order: float = -1.0) -> tuple[Family, ...]:
    """K13: weights in the opposite order of x (−1), in the same order (1), or in any (0)."""

    def at(*, N: float) -> Case:
        coordinates: tuple[Coordinate, ...] = (
            Simplex("weights", int(N)),
            Signed("values", 1e-3, 1e3, (int(N),)),
            Choice("order", (order,)),
        )
        return sized("ordered weights", N, 0, coordinates, _ordered, ExactCheck(ordered_exact, (dot, is_simplex)))

    return (Family("ordered weights", (clients(),), at),)


def excess_losses() -> tuple[Family, ...]:
    """K15: quadratic clients, their shares p > 0, and any weights α on the simplex."""

    def at(*, N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        coordinates: tuple[Coordinate, ...] = (
            Simplex("weights", n),
            Simplex("shares", n, interior=True),
            LogScale("curvature", 1e-3, 1e3, (n, dim), at=(1e-3, 1.0, 1e3)),
            Signed("model", 1e-3, 1e3, (dim,)),
            Signed("optima", 1e-3, 1e3, (n, dim)),
        )
        check = ExactCheck(excess_exact, (dot, matvec, quadratic_loss, is_simplex))
        return sized("quadratic clients", N, d, coordinates, _excess, check)

    return (Family("quadratic clients", (clients(), DIM), at),)


def softmax_weights() -> tuple[Family, ...]:
    """K17: shares p > 0 and scores s, given as exp(s/(2T))."""

    def at(*, N: float) -> Case:
        coordinates: tuple[Coordinate, ...] = (
            Simplex("shares", int(N), interior=True),
            LogScale("root", 1e-3, 1e3, (int(N),), at=(1e-3, 1.0, 1e3)),
        )
        return sized("softmax weights", N, 0, coordinates, _softmax, ExactCheck(softmax_exact, (is_simplex,)))

    return (Family("softmax weights", (clients(2),), at),)

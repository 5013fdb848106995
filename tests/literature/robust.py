"""Medians, trimmed means and other robust aggregates."""

from __future__ import annotations

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import bound, fails, holds, sized

d, spread, right, largest = fv.symbols("d spread right largest")
N_CLIENTS = fv.Size("N", 1, 41, 5)


def median(x):
    return np.median(x, axis=1)


def off_mean(*, N):
    """How far the median is from the mean, and the standard deviation."""

    def sides(x):
        return {"lhs": np.abs(median(x["x"]) - x["x"].mean(axis=1)), "spread": x["x"].std(axis=1)}

    return (fv.Signed("x", 1e-1, 1e1, (N,)),), sides


def attacked(rule, n_honest, n_attackers):
    """How far a rule over honest and arbitrary values is outside the range of the honest ones."""

    def sides(x):
        everyone = np.concatenate([x["x"], x["attack"]], axis=1)
        found = rule(everyone)
        low, high = x["x"].min(axis=1), x["x"].max(axis=1)
        return {"lhs": np.abs(2 * found - low - high), "right": high - low}

    return (fv.Signed("x", 1e-1, 1e1, (n_honest,)), fv.Signed("attack", 1e-1, 1e3, (n_attackers,))), sides


def norms(*, d):
    """The norm of the coordinatewise median of three vectors, and the largest norm of the three."""

    def sides(x):
        return {
            "lhs": (median(x["x"]) ** 2).sum(axis=1),
            "largest": (x["x"] ** 2).sum(axis=2).max(axis=1),
            "d": 0 * x["x"][:, 0, 0] + d,
        }

    return (fv.Signed("x", 1e-1, 1e1, (3, d)),), sides


def between(first, second):
    """The median of the means of three groups of two, and the mean of two order statistics of the six values."""

    def sides(x):
        ordered = np.sort(x["x"], axis=1)
        grouped = (x["x"][:, 0::2] + x["x"][:, 1::2]) / 2
        return {"lhs": median(grouped), "right": (ordered[:, first - 1] + ordered[:, second - 1]) / 2}

    return sides


SIX = (fv.Signed("x", 1e-1, 1e1, (6,)),)
DIM = fv.Size("d", 1, 12, 2)

STATEMENTS = (
    holds("median within a deviation of the mean", "Jensen, twice", sized(spread, (N_CLIENTS,), off_mean)),
    fails(
        "median within 0.9 deviations of the mean",
        "m + 1 zeros and m ones have √(m/(m + 1)); false from N = 11 on",
        sized(sp.Rational(9, 10) * spread, (N_CLIENTS,), off_mean),
        slow=True,
    ),
    holds(
        "median of five with two attackers",
        "the middle one is between honest ones",
        bound(right, *attacked(median, 3, 2)),
    ),
    fails("median of four with two attackers", "half of them suffice", bound(right, *attacked(median, 2, 2))),
    holds(
        "norm of the coordinatewise median with 3/2",
        "Σⱼ med(xⱼ)² <= Σⱼ Σₖ xₖⱼ² / 2",
        sized(sp.Rational(3, 2) * largest, (DIM,), norms),
    ),
    fails("norm of the coordinatewise median", "pairs of three ones; true up to d = 2", sized(largest, (DIM,), norms)),
    holds("median of means from above", "one of two groups lacks the largest value", bound(right, SIX, between(4, 5))),
)

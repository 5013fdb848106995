"""Medians, trimmed means and other robust aggregates."""

from __future__ import annotations

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import ZERO, bound, equal, fails, holds, sized

d, spread, right, largest = fv.symbols("d spread right largest")
N_CLIENTS = fv.Size("N", 1, 41, 5)


def median(x):
    return np.median(x, axis=1)


def trimmed(x, b):
    return np.sort(x, axis=1)[:, b : x.shape[1] - b].mean(axis=1)


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


def most_trimmed(x):
    """Five values, two trimmed on either side, against the median."""
    return equal(trimmed(x["x"], 2), median(x["x"]))


def affine(shift):
    def sides(x):
        a = x["a"][:, None]
        return equal(
            median(a * x["x"] + (x["y"] if shift else x["b"][:, None])),
            x["a"] * median(x["x"]) + (median(x["y"]) if shift else x["b"]),
        )

    return sides


def absolute(x):
    """The sum of distances of five values to their median, and to any number."""
    return {
        "lhs": np.abs(x["x"] - median(x["x"])[:, None]).sum(axis=1),
        "right": np.abs(x["x"] - x["a"][:, None]).sum(axis=1),
    }


def farthest(x):
    return {
        "lhs": np.abs(x["x"] - median(x["x"])[:, None]).max(axis=1),
        "right": np.abs(x["x"] - x["x"].mean(axis=1)[:, None]).max(axis=1),
    }


def of_means(x):
    """Six values in three groups of two: the median of the means, and the median."""
    grouped = x["x"].reshape(-1, 3, 2).mean(axis=2)
    return equal(median(grouped), median(x["x"]))


def between(first, second):
    """The median of the means of three groups of two, and the mean of two order statistics of the six values."""

    def sides(x):
        ordered = np.sort(x["x"], axis=1)
        grouped = (x["x"][:, 0::2] + x["x"][:, 1::2]) / 2
        return {"lhs": median(grouped), "right": (ordered[:, first - 1] + ordered[:, second - 1]) / 2}

    return sides


def moved(rule):
    """How far a rule of five values moves when each moves a little, and the largest of these moves."""

    def sides(x):
        return {
            "lhs": np.abs(rule(x["x"] + x["y"]) - rule(x["x"])),
            "right": np.abs(x["y"]).max(axis=1),
            "spread": np.abs(x["y"]).mean(axis=1),
        }

    return sides


def noise_of(x):
    """Variances over all pairs of equally likely outcomes: median and mean of three independent values 0 or their size."""
    found = [0, 0]
    for i in range(8):
        value = x["x"] * np.array([i & 1, i >> 1 & 1, i >> 2 & 1])
        for k, rule in enumerate((median, lambda v: v.mean(axis=1))):
            found[k] = found[k] + (rule(value) - rule(x["x"]) / 2) ** 2 / 8
    return {"lhs": found[0], "right": found[1]}


FIVE = (fv.Signed("x", 1e-1, 1e1, (5,)),)
SIX = (fv.Signed("x", 1e-1, 1e1, (6,)),)
MOVED = (*FIVE, fv.Signed("y", 1e-2, 1e1, (5,)))
LINE = (*MOVED, fv.Signed("a", 1e-1, 1e1), fv.Signed("b", 1e-1, 1e1))
DIM = fv.Size("d", 1, 12, 2)

STATEMENTS = (
    holds("median within a deviation of the mean", "Jensen, twice", sized(spread, (N_CLIENTS,), off_mean)),
    fails(
        "median within 0.9 deviations of the mean",
        "m + 1 zeros and m ones have √(m/(m + 1)); false from N = 11 on",
        sized(sp.Rational(9, 10) * spread, (N_CLIENTS,), off_mean),
    ),
    holds(
        "median of five with two attackers",
        "the middle one is between honest ones",
        bound(right, *attacked(median, 3, 2)),
    ),
    fails("median of four with two attackers", "half of them suffice", bound(right, *attacked(median, 2, 2))),
    holds("one trimmed on either side", "one attacker", bound(right, *attacked(lambda x: trimmed(x, 1), 4, 1))),
    fails(
        "one trimmed on either side, two attackers",
        "the second is left",
        bound(right, *attacked(lambda x: trimmed(x, 1), 4, 2)),
    ),
    holds(
        "norm of the coordinatewise median with 3/2",
        "Σⱼ med(xⱼ)² <= Σⱼ Σₖ xₖⱼ² / 2",
        sized(sp.Rational(3, 2) * largest, (DIM,), norms),
    ),
    fails("norm of the coordinatewise median", "pairs of three ones; true up to d = 2", sized(largest, (DIM,), norms)),
    holds("all but one trimmed", "what is left is the median", bound(ZERO, FIVE, most_trimmed)),
    fails("median of means is the median", "groups matter", bound(ZERO, SIX, of_means)),
    holds("median of means from above", "one of two groups lacks the largest value", bound(right, SIX, between(4, 5))),
    fails("median of means from above, index slip", "groups (6, 3) and (5, 4)", bound(right, SIX, between(3, 5))),
    holds("median of an affine image", "of either sign", bound(ZERO, LINE, affine(False))),
    fails("median of a sum", "the order may differ", bound(ZERO, LINE, affine(True))),
    holds("the median is nearest", "sum of distances", bound(right, (*FIVE, fv.Signed("a", 1e-1, 1e1)), absolute)),
    fails(
        "the median is nearer to the farthest than the mean", "no: it ignores outliers", bound(right, FIVE, farthest)
    ),
    holds("the median moves little", "order statistics are nonexpansive", bound(right, MOVED, moved(median))),
    fails("the median moves by the mean move", "one value may decide", bound(spread, MOVED, moved(median))),
    fails(
        "the median has less noise than the mean",
        "equal sizes: 1/4 against 1/12",
        bound(right, (fv.LogScale("x", 1e-1, 1e1, (3,)),), noise_of),
    ),
)

"""Statements that fail, or are attained, only just: rounded constants, large sizes, narrow regions, ties."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import bound, fails, holds, sized

N, T, n, k, right, square, largest, p, t = fv.symbols("N T n k right square largest p t")
LETTERS = fv.Notation(tuple(fv.Quantity(name, name, "any number") for name in ("a", "b", "c", "before", "after")))
a, b, c, before, after = LETTERS.symbols("a b c before after")


def harmonic(*, T):
    """The sum of steps 1/t times gradients in one dimension, squared."""

    def sides(x):
        return {"lhs": (x["g"] / np.arange(1, T + 1)).sum(axis=1) ** 2, "square": (x["g"] ** 2).sum(axis=1)}

    return (fv.Signed("g", 1e-3, 1e1, (T,)),), sides


def running(*, T):
    """The sum of the squares of the running means of T gradients."""

    def sides(x):
        means = np.cumsum(x["g"], axis=1) / np.arange(1, T + 1)
        return {"lhs": (means**2).sum(axis=1), "square": (x["g"] ** 2).sum(axis=1)}

    return (fv.Signed("g", 1e-3, 1e1, (T,)),), sides


def ring(*, N):
    """The variance over N clients in a ring after each averages with its two neighbours."""

    def sides(x):
        after = (np.roll(x["x"], 1, axis=1) + x["x"] + np.roll(x["x"], -1, axis=1)) / 3
        return {"lhs": after.var(axis=1), "right": x["x"].var(axis=1), "N": 0 * x["x"][:, 0] + N}

    return (fv.Signed("x", 1e-2, 1e1, (N,)),), sides


def flat(x):
    """Gradient descent in a direction of curvature h = y/T, y in (0, 1], for up to 10,000 steps."""
    h = x["y"] / x["T"]
    return {"lhs": h * (1 - h) ** (2 * x["T"]), "T": x["T"]}


def roots(x):
    return {"lhs": np.log(x["n"]), "n": x["n"]}


def memory(*, T):
    """Error feedback with the larger of two entries sent: the memory after T gradients, and the largest ‖g‖²."""

    def sides(x):
        kept = 0 * x["g"][:, 0]
        for s in range(T):
            whole = kept + x["g"][:, s]
            first = np.abs(whole[:, 0]) >= np.abs(whole[:, 1])
            kept = whole * np.stack([np.where(first, 0, 1), np.where(first, 1, 0)], axis=1)
        return {"lhs": (kept**2).sum(axis=1), "largest": (x["g"] ** 2).sum(axis=2).max(axis=1)}

    return (fv.Signed("g", 1e-3, 1, (T, 2)),), sides


def adam(terms):
    """Adam's first moment squared against its second moment after T gradients, in units of the bound's series."""

    def at(*, T):
        def sides(x):
            first = second = 0 * x["b1"]
            for s in range(T):
                first = x["b1"] * first + (1 - x["b1"]) * x["g"][:, s]
                second = x["b2"] * second + (1 - x["b2"]) * x["g"][:, s] ** 2
            series = sum((x["b1"] ** 2 / x["b2"]) ** i for i in range(T - terms))
            factor = (1 - x["b1"]) ** 2 / (1 - x["b2"]) * series
            return {"lhs": first**2, "right": factor * second}

        return (fv.Uniform("b1", 0.1, 0.9), fv.Uniform("b2", 0.5, 0.99), fv.Signed("g", 1e-3, 1, (T,))), sides

    return at


def off_mean(*, N):
    def sides(x):
        off = np.median(x["x"], axis=1) - x["x"].mean(axis=1)
        return {"lhs": off**2, "right": x["x"].var(axis=1)}

    return (fv.Signed("x", 1e-1, 1e1, (N,)),), sides


def kept(ties):
    """How many of five entries a threshold at the second largest keeps."""

    def sides(x):
        size = np.abs(x["x"])
        threshold = np.sort(size, axis=1)[:, [3]]
        found = np.where(size >= threshold if ties else size > threshold, 1, 0).sum(axis=1)
        return {"lhs": found + 0 * size[:, 0], "k": 0 * size[:, 0] + 2}

    return sides


def ordered(x):
    """Chebyshev's sum inequality for weights and losses of five clients in the same order."""
    met = (np.diff(x["x"], axis=1) >= 0).all(axis=1) & (np.diff(x["y"], axis=1) >= 0).all(axis=1)
    product = x["x"].mean(axis=1) * x["y"].mean(axis=1)
    return {"lhs": product, "right": (x["x"] * x["y"]).mean(axis=1), "admissible": met}


def soft(factor):
    """log Σ exp(xₖ) of four losses up to 2,000, written plainly."""

    def sides(x):
        return {"lhs": np.log(np.exp(x["x"]).sum(axis=1)), "right": x["x"].max(axis=1) + np.log(factor)}

    return sides


def hidden(factor):
    """A small variance beside a large mean: no float sees it."""

    def sides(x):
        m, s = x["m"], x["s"]
        return {"lhs": m**2 + factor * s**2, "right": ((m - s) ** 2 + (m + s) ** 2) / 2}

    return sides


def kearns(x):
    """The logarithm of a centred coin's moment generating function."""
    p, t = x["p"], x["t"]
    return {"lhs": np.log(p * np.exp(t * (1 - p)) + (1 - p) * np.exp(-t * p)), "p": p, "t": t}


def circle(x):
    """The squared sum of the coordinates of a point of the unit circle."""
    t = x["t"]
    return {"lhs": ((1 - t**2) / (1 + t**2) + 2 * t / (1 + t**2)) ** 2, "right": 0 * t + 1}


def observed(x):
    w, h, step = x["w"] - x["c"], x["h"], x["eta"][:, None]
    return {"before": (h * w**2).sum(axis=1), "after": (h * (w - step * h * w) ** 2).sum(axis=1)}


def plain(x):
    w = [u - v for u, v in zip(x["w"], x["c"], strict=True)]
    then = [(1 - x["eta"] * h) * v for h, v in zip(x["h"], w, strict=True)]
    losses = [sum(h * v * v for h, v in zip(x["h"], at, strict=True)) for at in (w, then)]
    return {}, {"before": losses[0], "after": losses[1]}


STEP = fv.World(
    LETTERS,
    (
        fv.case(
            "a step",
            fv.Space(
                (
                    fv.LogScale("h", 1e-1, 1, (2,)),
                    fv.Signed("w", 1e-2, 1e1, (2,)),
                    fv.Signed("c", 1e-2, 1e1, (2,)),
                    fv.LogScale("eta", 1e-2, 1),
                )
            ),
            observed,
            plain,
        ),
    ),
)
ANGLE = (fv.Signed("t", 1e-2, 1e2),)
PAIR = (fv.Signed("a", 1e-2, 1e1), fv.Signed("b", 1e-2, 1e1))
HYPERBOLA = fv.numbers(LETTERS, "points of a hyperbola", *PAIR, fv.Signed("c", 1e-4, 1e4), where=(fv.eq(a * b * c, 1),))
LONG = fv.Size("T", 1, 60, 5)
MANY = fv.Size("N", 3, 40, 5)
FLAT = fv.Uniform("y", 0.01, 1), fv.Integer("T", 1, 10_000)
COUNT = (fv.Integer("n", 2, 10**6),)
FIVE = (fv.Signed("x", 1e-1, 1e1, (5,)),)
TWO = fv.LogScale("x", 1e-1, 1e1, (5,)), fv.LogScale("y", 1e-1, 1e1, (5,))
SCORES = (fv.Signed("x", 1, 2e3, (4,)),)
NEXT = fv.LogScale("m", 1e6, 1e8), fv.LogScale("s", 1e-6, 1e-3)
SKEWED = fv.Uniform("p", 0.01, 0.49), fv.LogScale("t", 1e-1, 2e1)
proxy = (1 - 2 * p) / (4 * sp.log((1 - p) / p)) * t**2

STATEMENTS = (
    fails(
        "steps 1/t with 8/5",
        "gradients proportional to 1/t; false from T = 22 on",
        sized(sp.Rational(8, 5) * square, (LONG,), harmonic),
        slow=True,
    ),
    fails(
        "Hardy's inequality with 12/5",
        "false from about T = 36 on",
        sized(sp.Rational(12, 5) * square, (LONG,), running),
        slow=True,
    ),
    fails(
        "gossip on a ring by (1 − 1/N)²",
        "1 − 13/N² for a long wave; false from N = 13 on",
        sized((1 - 1 / N) ** 2 * right, (MANY,), ring),
        slow=True,
    ),
    holds(
        "flat directions, constant rounded up",
        "1/(2e) = 0.18394",
        bound(sp.Rational(184, 1000) / T, FLAT, flat),
    ),
    fails(
        "flat directions, constant rounded down",
        "false from about T = 1,200 on",
        bound(sp.Rational(1839, 10_000) / T, FLAT, flat),
        slow=True,
    ),
    fails(
        "logarithm below a fourth root, nearly",
        "false for n = 54 and 55 alone",
        bound(sp.Rational(14_715, 10_000) * n ** sp.Rational(1, 4), COUNT, roots),
    ),
    holds(
        "error feedback of two entries",
        "the smaller entry stays below every ‖g‖",
        sized(largest, (fv.Size("T", 1, 12, 3),), memory),
    ),
    fails(
        "error feedback of two entries with 0.95",
        "0.5, 0.93, 0.998, …; false from T = 3 on",
        sized(sp.Rational(95, 100) * largest, (fv.Size("T", 1, 12, 3),), memory),
        slow=True,
    ),
    holds("Adam's moments", "Cauchy–Schwarz, attained", sized(right, (fv.Size("T", 2, 20, 3),), adam(0))),
    fails(
        "Adam's moments, index slip", "the last term of the series", sized(right, (fv.Size("T", 6, 20, 6),), adam(1))
    ),
    fails(
        "median within 0.97 deviations",
        "m + 1 zeros and m ones; false from N = 33 on",
        sized(sp.Rational(97, 100) ** 2 * right, (fv.Size("N", 1, 41, 5),), off_mean),
        slow=True,
    ),
    fails("a threshold keeps two entries", "ties", bound(k, FIVE, kept(True))),
    holds("Chebyshev's sum inequality", "both in the same order", bound(right, TWO, ordered)),
    holds("soft maximum of large losses", "four terms of at most the largest", bound(right, SCORES, soft(4))),
    holds("small variance beside a large mean", "equal", bound(right, NEXT, hidden(1))),
    fails(
        "small variance beside a large mean, 1 % more",
        "1.01 is above 1",
        bound(right, NEXT, hidden(Fraction(101, 100))),
    ),
    holds("Kearns and Saul", "attained at t = 2 log((1 − p)/p)", bound(proxy, SKEWED, kearns)),
    fails("variance as a proxy", "skewed coins", bound(p * (1 - p) * t**2 / 2, SKEWED, kearns)),
    fails("a step lowers the loss", "not at the minimiser", STEP.test(fv.lt(after, before))),
    fails("sum on the unit circle with 199/100", "a = b", bound(sp.Rational(199, 100) * right, ANGLE, circle)),
    holds("numbers of product 1", "means", HYPERBOLA.test(fv.le(3, a**2 + b**2 + c**2))),
)

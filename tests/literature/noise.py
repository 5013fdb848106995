"""Expectations over finitely many outcomes: variance, compression, error feedback, reshuffling, concentration."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import ZERO, bound, equal, fails, holds, sized

d, k, right, square = fv.symbols("d k right square")
OUTCOMES = fv.Simplex("p", 3), fv.Signed("x", 1e-2, 1e2, (3,))


def chances(x, met):
    return (x["p"] * np.where(met, 1, 0)).sum(axis=1)


def moments(x):
    mean = (x["p"] * x["x"]).sum(axis=1)
    return mean, (x["p"] * (x["x"] - mean[:, None]) ** 2).sum(axis=1)


def tail(two_sided, cantelli):
    """The chance to be t above the mean, or t away, against σ²/(σ² + t²) or σ²/t²."""

    def sides(x):
        mean, variance = moments(x)
        off = x["x"] - mean[:, None]
        off = np.abs(off) if two_sided else off
        below = variance + x["t"] ** 2 if cantelli else x["t"] ** 2
        return {"lhs": chances(x, off >= x["t"][:, None]), "right": variance / below}

    return sides


def sparse(factor):
    """Two of four entries, kept at random and doubled: the mean squared error, a factor times ‖x‖²."""

    def sides(x):
        found = 0
        for kept in combinations(range(4), 2):
            mask = np.array([2 * (i in kept) for i in range(4)])
            found = found + ((x["x"] * mask - x["x"]) ** 2).sum(axis=1) / 6
        return equal(found, factor * (x["x"] ** 2).sum(axis=1))

    return sides


def largest_kept(*, k, d):
    """The error of the k largest of d entries."""

    def sides(x):
        squares = np.sort(x["x"] ** 2, axis=1)
        lost = squares[:, : max(d - k, 0)].sum(axis=1)
        return {"lhs": lost, "square": squares.sum(axis=1), "k": 0 * lost + min(k, d), "d": 0 * lost + d}

    return (fv.Signed("x", 1e-2, 1e2, (d,)),), sides


def signs(*, d):
    """The error of ‖x‖₁/d · sign(x)."""

    def sides(x):
        length = np.abs(x["x"]).sum(axis=1) / d
        lost = ((x["x"] - length[:, None] * np.sign(x["x"])) ** 2).sum(axis=1)
        return {"lhs": lost, "square": (x["x"] ** 2).sum(axis=1), "d": 0 * lost + d}

    return (fv.Signed("x", 1e-2, 1e2, (d,)),), sides


def one_level(*, d):
    """QSGD with one level, ‖x‖·sign(xᵢ) with chance |xᵢ|/‖x‖: the mean squared error over each entry's outcomes."""

    def sides(x):
        length = np.linalg.norm(x["x"], axis=1)[:, None]
        size = np.abs(x["x"])
        chance = size / length
        lost = (chance * (length - size) ** 2 + (1 - chance) * size**2).sum(axis=1)
        return {"lhs": lost, "square": (x["x"] ** 2).sum(axis=1), "d": 0 * lost + d}

    return (fv.Signed("x", 1e-2, 1e2, (d,)),), sides


def reshuffled(limit):
    """An epoch over three samples with centres c: mean squared distance, reshuffled against with replacement."""

    def sides(x):
        c = x["c"] - x["c"].mean(axis=1)[:, None]
        keep = 1 - x["eta"]

        def after(orders):
            found = 0
            for order in orders:
                w = x["w"]
                for i in order:
                    w = keep * w + x["eta"] * c[:, i]
                found = found + w**2 / len(orders)
            return found

        return {"lhs": after(list(permutations(range(3)))), "right": after(list(product(range(3), repeat=3)))}

    return (fv.Signed("c", 1e-2, 1e2, (3,)), fv.Signed("w", 1e-2, 1e2), fv.Uniform("eta", 0.01, limit)), sides


def hoeffding(x):
    """The moment generating function of a centred coin with values 0 and 1, as its logarithm."""
    p, t = x["p"], x["t"]
    return {"lhs": np.log(p * np.exp(t * (1 - p)) + (1 - p) * np.exp(-t * p)), "square": t**2}


def adaptive(own):
    """Three steps of noise ±; its size depends on the sign before it, or on its own sign: E(Σ nₜ)² and Σ E nₜ²."""

    def sides(x):
        total, squares = 0, 0
        for signs_ in product((0, 1), repeat=3):
            sizes = [x["s"][:, t, signs_[t] if own else signs_[t - 1] if t else 0] for t in range(3)]
            steps = [size * (2 * sign - 1) for size, sign in zip(sizes, signs_, strict=True)]
            total = total + sum(steps) ** 2 / 8
            squares = squares + sum(step**2 for step in steps) / 8
        return equal(total, squares)

    return sides


ENTRIES = (fv.Signed("x", 1e-2, 1e2, (4,)),)
LIMIT = fv.LogScale("t", 1e-1, 1e2)
COIN = fv.Uniform("p", 0.01, 0.99), fv.LogScale("t", 1e-1, 1e1)
SIZES = (fv.LogScale("s", 1e-2, 1e2, (3, 2)),)
DIM = fv.Size("d", 1, 40, 3)
KEPT = fv.Size("k", 1, 20, 2)

STATEMENTS = (
    holds("Cantelli", "one-sided", bound(right, (*OUTCOMES, LIMIT), tail(False, True))),
    fails("Cantelli on both sides", "±1 with t = 1: 1 against 1/2", bound(right, (*OUTCOMES, LIMIT), tail(True, True))),
    holds("random sparsification", "d/k − 1", bound(ZERO, ENTRIES, sparse(1))),
    holds(
        "largest entries",
        "the smallest d − k have at most their share",
        sized((1 - k / d) * square, (KEPT, DIM), largest_kept),
    ),
    fails(
        "scaled signs with √d", "one entry alone; true for d = 1", sized((1 - 1 / sp.sqrt(d)) * square, (DIM,), signs)
    ),
    holds("quantisation with one level", "‖x‖₁ <= √d‖x‖", sized((sp.sqrt(d) - 1) * square, (DIM,), one_level)),
    fails(
        "quantisation with one level, √d/2",
        "true up to d = 4, equal entries above",
        sized(sp.sqrt(d) / 2 * square, (DIM,), one_level),
    ),
    holds("random reshuffling", "negative correlations, ηh <= 1", bound(right, *reshuffled(1))),
    fails("random reshuffling with long steps", "for ηh above 1 the signs alternate", bound(right, *reshuffled(2))),
    holds("Hoeffding's lemma", "Hoeffding 1963", bound(square / 8, COIN, hoeffding)),
    fails("Hoeffding's lemma with 1/9", "a fair coin and a small argument", bound(square / 9, COIN, hoeffding)),
    holds("adaptive noise", "martingale differences", bound(ZERO, SIZES, adaptive(False))),
    fails("adaptive noise that sees its own sign", "it has a mean", bound(ZERO, SIZES, adaptive(True))),
)

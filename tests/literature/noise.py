"""Expectations over finitely many outcomes: variance, compression, error feedback, reshuffling, concentration."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import ZERO, bound, equal, fails, holds, sized

d, k, right, square, largest = fv.symbols("d k right square largest")
OUTCOMES = fv.Simplex("p", 3), fv.Signed("x", 1e-2, 1e2, (3,))


def chances(x, met):
    return (x["p"] * np.where(met, 1, 0)).sum(axis=1)


def moments(x):
    mean = (x["p"] * x["x"]).sum(axis=1)
    return mean, (x["p"] * (x["x"] - mean[:, None]) ** 2).sum(axis=1)


def about(x):
    """E(X − a)² against variance and squared bias."""
    mean, variance = moments(x)
    return equal((x["p"] * (x["x"] - x["a"][:, None]) ** 2).sum(axis=1), variance + (x["a"] - mean) ** 2)


def about_median(x):
    """The mean square about the median of five equally likely values, against the variance."""
    off = x["x"] - np.median(x["x"], axis=1)[:, None]
    return {"lhs": (off**2).mean(axis=1), "right": x["x"].var(axis=1)}


def tail(two_sided, cantelli):
    """The chance to be t above the mean, or t away, against σ²/(σ² + t²) or σ²/t²."""

    def sides(x):
        mean, variance = moments(x)
        off = x["x"] - mean[:, None]
        off = np.abs(off) if two_sided else off
        below = variance + x["t"] ** 2 if cantelli else x["t"] ** 2
        return {"lhs": chances(x, off >= x["t"][:, None]), "right": variance / below}

    return sides


def markov(x):
    """The chance to be at least t against mean/t; the values may have either sign."""
    return {"lhs": chances(x, x["x"] >= x["t"][:, None]), "right": moments(x)[0] / x["t"]}


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


def memory(*, T):
    """Error feedback with the larger of two entries sent: the memory after T gradients, and the largest ‖g‖²."""

    def sides(x):
        kept = 0 * x["g"][:, 0]
        for t in range(T):
            whole = kept + x["g"][:, t]
            first = np.abs(whole[:, 0]) >= np.abs(whole[:, 1])
            kept = whole * np.stack([np.where(first, 0, 1), np.where(first, 1, 0)], axis=1)
        return {"lhs": (kept**2).sum(axis=1), "largest": (x["g"] ** 2).sum(axis=2).max(axis=1)}

    return (fv.Signed("g", 1e-2, 1e1, (T, 2)),), sides


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


def estimated(below):
    """Two draws from three equally likely values: the expected sample variance."""

    def sides(x):
        found = 0
        for i, j in product(range(3), repeat=2):
            mean = (x["x"][:, i] + x["x"][:, j]) / 2
            found = found + ((x["x"][:, i] - mean) ** 2 + (x["x"][:, j] - mean) ** 2) / (9 * below)
        return equal(found, x["x"].var(axis=1))

    return sides


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


def importance(*, N):
    """The second moment of x/q sampled by q, and its bounds."""

    def sides(x):
        found = (x["x"] ** 2 / x["q"]).sum(axis=1)
        uniform = N * (x["x"] ** 2).sum(axis=1)
        return {"lhs": np.abs(x["x"]).sum(axis=1) ** 2, "right": found, "square": uniform}

    return (fv.Signed("x", 1e-2, 1e2, (N,)), fv.Simplex("q", N, interior=True)), sides


def importance_found(*, N):
    drawn, sides = importance(N=N)
    return drawn, lambda x: {"lhs": sides(x)["right"], "right": sides(x)["square"]}


def variates(factor):
    """SVRG: gᵢ(w) − gᵢ(v) + ḡ(v) against ḡ(w), in mean square over three samples."""

    def sides(x):
        off = x["g"] - x["v"]
        error = (off - off.mean(axis=1)[:, None]) ** 2
        return {"lhs": error.mean(axis=1), "right": factor * (off**2).mean(axis=1)}

    return sides


ENTRIES = (fv.Signed("x", 1e-2, 1e2, (4,)),)
THREE = (fv.Signed("x", 1e-2, 1e2, (3,)),)
FIVE = (fv.Signed("x", 1e-2, 1e2, (5,)),)
LIMIT = fv.LogScale("t", 1e-1, 1e2)
COIN = fv.Uniform("p", 0.01, 0.99), fv.LogScale("t", 1e-1, 1e1)
SIZES = (fv.LogScale("s", 1e-2, 1e2, (3, 2)),)
DIM = fv.Size("d", 1, 40, 3)
KEPT = fv.Size("k", 1, 20, 2)
HORIZON = fv.Size("T", 1, 30, 3)
SVRG = fv.Signed("g", 1e-2, 1e2, (3,)), fv.Signed("v", 1e-2, 1e2, (3,))

STATEMENTS = (
    holds("bias and variance", "expand the square", bound(ZERO, (*OUTCOMES, fv.Signed("a", 1e-2, 1e2)), about)),
    fails(
        "mean square about the median is at most the variance",
        "the mean minimises it",
        bound(right, FIVE, about_median),
    ),
    holds("Cantelli", "one-sided", bound(right, (*OUTCOMES, LIMIT), tail(False, True))),
    fails("Cantelli on both sides", "±1 with t = 1: 1 against 1/2", bound(right, (*OUTCOMES, LIMIT), tail(True, True))),
    holds("Chebyshev", "Markov for the square", bound(right, (*OUTCOMES, LIMIT), tail(True, False))),
    fails("Markov without a sign", "negative values lower the mean", bound(right, (*OUTCOMES, LIMIT), markov)),
    holds("random sparsification", "d/k − 1", bound(ZERO, ENTRIES, sparse(1))),
    fails(
        "random sparsification, biased factor",
        "1 − k/d is for entries that are not scaled up",
        bound(ZERO, ENTRIES, sparse(Fraction(1, 2))),
    ),
    holds(
        "largest entries",
        "the smallest d − k have at most their share",
        sized((1 - k / d) * square, (KEPT, DIM), largest_kept),
    ),
    fails(
        "largest entries, squared factor", "equal entries", sized((1 - k / d) ** 2 * square, (KEPT, DIM), largest_kept)
    ),
    holds("scaled signs", "‖x‖₁ >= ‖x‖", sized((1 - 1 / d) * square, (DIM,), signs)),
    fails(
        "scaled signs with √d", "one entry alone; true for d = 1", sized((1 - 1 / sp.sqrt(d)) * square, (DIM,), signs)
    ),
    holds("quantisation with one level", "‖x‖₁ <= √d‖x‖", sized((sp.sqrt(d) - 1) * square, (DIM,), one_level)),
    fails(
        "quantisation with one level, √d/2",
        "true up to d = 4, equal entries above",
        sized(sp.sqrt(d) / 2 * square, (DIM,), one_level),
    ),
    holds("error feedback", "4(1 − δ)/δ² with δ = 1/2", sized(8 * largest, (HORIZON,), memory)),
    fails(
        "error feedback without accumulation",
        "(1 − δ)G² for one gradient; false from two on",
        sized(largest / 2, (HORIZON,), memory),
    ),
    holds("random reshuffling", "negative correlations, ηh <= 1", bound(right, *reshuffled(1))),
    fails("random reshuffling with long steps", "for ηh above 1 the signs alternate", bound(right, *reshuffled(2))),
    holds("Hoeffding's lemma", "Hoeffding 1963", bound(square / 8, COIN, hoeffding)),
    fails("Hoeffding's lemma with 1/9", "a fair coin and a small argument", bound(square / 9, COIN, hoeffding)),
    holds("sample variance", "Bessel's correction", bound(ZERO, THREE, estimated(1))),
    fails("sample variance over n", "half of it for two draws", bound(ZERO, THREE, estimated(2))),
    holds("adaptive noise", "martingale differences", bound(ZERO, SIZES, adaptive(False))),
    fails("adaptive noise that sees its own sign", "it has a mean", bound(ZERO, SIZES, adaptive(True))),
    holds("importance sampling", "Cauchy–Schwarz", sized(right, (fv.Size("N", 1, 30, 4),), importance)),
    fails(
        "importance sampling is never worse than uniform",
        "rare large entries",
        sized(right, (fv.Size("N", 1, 30, 4),), importance_found),
    ),
    holds("control variates", "a variance is at most the second moment", bound(right, SVRG, variates(1))),
    fails("control variates, halved", "differences that sum to 0", bound(right / 2, SVRG, variates(1))),
)

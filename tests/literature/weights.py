"""Weights on the simplex, client sampling, and vectors of least norm."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import ZERO, bound, fails, holds, sized

N, right, chi2, most, spread, gap = fv.symbols("N right chi2 most spread gap")
N_CLIENTS = fv.Size("N", 1, 60, 4)
PAIR = fv.Simplex("a", 4), fv.Simplex("p", 4, interior=True)
KEPT = fv.Simplex("a", 4, interior=True), fv.Simplex("p", 4, interior=True)


def squares(*, N):
    def sides(x):
        return {"lhs": (x["a"] ** 2).sum(axis=1), "N": 0 * x["a"][:, 0] + N, "most": x["a"].max(axis=1)}

    return (fv.Simplex("a", N),), sides


def effective(*, N):
    """The inverse of the sum of squares, «the effective number of clients»."""

    def sides(x):
        return {"lhs": 1 / (x["a"] ** 2).sum(axis=1), "N": 0 * x["a"][:, 0] + N}

    return (fv.Simplex("a", N),), sides


def apart(*, N):
    """L1 distance of two weight vectors against their distance."""

    def sides(x):
        off = x["a"] - x["p"]
        one = np.abs(off).sum(axis=1)
        return {"lhs": one, "spread": np.linalg.norm(off, axis=1), "N": 0 * one + N}

    return (fv.Simplex("a", N), fv.Simplex("p", N)), sides


def divergence(x):
    off = x["a"] - x["p"]
    return {"lhs": np.abs(off).sum(axis=1) ** 2, "chi2": (off**2 / x["p"]).sum(axis=1)}


def expanded(sign, below):
    """Both forms of the chi-squared divergence, as the size of their difference."""

    def sides(x):
        off = ((x["a"] - x["p"]) ** 2 / x[below]).sum(axis=1)
        return {"lhs": np.abs(off - ((x["a"] ** 2 / x["p"]).sum(axis=1) + sign))}

    return sides


def relative_entropy(x):
    off = np.abs(x["a"] - x["p"]).sum(axis=1) ** 2
    return {"lhs": off, "right": (x["a"] * np.log(x["a"] / x["p"])).sum(axis=1)}


def loudest(*, N):
    """Weights proportional to the loss: their weighted loss, its mean and standard deviation over clients."""

    def sides(x):
        loss = x["loss"]
        weighted = (loss**2).sum(axis=1) / loss.sum(axis=1)
        return {"lhs": loss.mean(axis=1), "right": weighted, "spread": loss.std(axis=1), "gap": weighted}

    return (fv.LogScale("loss", 1e-3, 1e3, (N,)),), sides


def louder(*, N):
    drawn, sides = loudest(N=N)
    return drawn, lambda x: {"lhs": sides(x)["right"], "right": sides(x)["lhs"], "spread": sides(x)["spread"]}


def soft_maximum(mean):
    """The soft maximum T log Σ exp(x/T), of the mean of the exponentials where `mean`, at T = 1."""

    def sides(x):
        top = np.exp(x["x"])
        soft = np.log(top.mean(axis=1) if mean else top.sum(axis=1))
        return {"lhs": x["x"].max(axis=1), "right": soft}

    return sides


def cohorts(n_of, N):
    return np.array([[k in chosen for k in range(N)] for chosen in combinations(range(N), n_of)])


def sampled(below):
    """Variance of the mean of 2 of 5 clients drawn without replacement, in one coordinate."""
    masks = cohorts(2, 5)

    def sides(x):
        mean = x["x"].mean(axis=1)
        means = (x["x"][:, None, :] * masks).sum(axis=2) / 2
        error = ((means - mean[:, None]) ** 2).mean(axis=1)
        return {"lhs": np.abs(error - 3 * x["x"].var(axis=1) / (2 * below))}

    return sides


def redrawn(power):
    """Variance of the mean of 3 clients drawn with replacement by their shares."""
    outcomes = list(product(range(3), repeat=3))

    def sides(x):
        mean = (x["p"] * x["x"]).sum(axis=1)
        variance = (x["p"] * (x["x"] - mean[:, None]) ** 2).sum(axis=1)
        found = 0
        for chosen in outcomes:
            chance = np.prod(x["p"][:, list(chosen)], axis=1)
            found = found + chance * (x["x"][:, list(chosen)].mean(axis=1) - mean) ** 2
        return {"lhs": np.abs(found - variance / 3**power)}

    return sides


def present(factor):
    """Independent presence with chance q, updates divided by it: the variance of the aggregate of 3 vectors in 2 dimensions."""

    def sides(x):
        expected = (x["a"][:, :, None] * x["x"]).sum(axis=1)
        found = 0
        for mask in product((0, 1), repeat=3):
            here = np.array(mask)
            chance = np.prod(here * x["q"] + (1 - here) * (1 - x["q"]), axis=1)
            total = ((x["a"] * here / x["q"])[:, :, None] * x["x"]).sum(axis=1)
            found = found + chance * ((total - expected) ** 2).sum(axis=1)
        size = (x["x"] ** 2).sum(axis=2)
        return {"lhs": found, "right": (x["a"] ** 2 * factor(x["q"]) * size).sum(axis=1)}

    return sides


def normalised(shares):
    """Cohorts of 2 of 3, weights renormalised: the first coordinate of the expected aggregate against Σ pₖxₖ."""
    masks = cohorts(2, 3)

    def sides(x):
        p = shares(x)
        within = (p[:, None, :] * masks * x["x"][:, None, :]).sum(axis=2) / (p[:, None, :] * masks).sum(axis=2)
        return {"lhs": np.abs(within.mean(axis=1) - (p * x["x"]).sum(axis=1))}

    return sides


def shortest(x):
    """The shortest vector of a segment of two gradients in 3 dimensions, and its products with both."""
    g, h = x["g"], x["h"]
    t = np.clip((h * (h - g)).sum(axis=1) / ((g - h) ** 2).sum(axis=1), 0, 1)[:, None]
    d = t * g + (1 - t) * h
    least = np.minimum((d * g).sum(axis=1), (d * h).sum(axis=1))
    near = np.minimum((g**2).sum(axis=1), (h**2).sum(axis=1))
    return {"lhs": (d**2).sum(axis=1), "right": least, "gap": near}


def share(x):
    """How far the share of the shortest vector of the line is from 1/2, which is 1/2 at the ends of the segment."""
    t = (x["h"] * (x["h"] - x["g"])).sum(axis=1) / ((x["g"] - x["h"]) ** 2).sum(axis=1)
    return {"lhs": np.abs(2 * t - 1), "right": 0 * t + 1}


def mean_direction(x):
    mean = (x["g"] + x["h"]) / 2
    return {"lhs": -(mean * x["g"]).sum(axis=1), "right": 0 * mean[:, 0]}


def area(inside):
    """‖d‖² of the line through two vectors is their squared area over their squared distance."""

    def sides(x):
        g, h = x["g"], x["h"]
        gg, hh, gh = (g**2).sum(axis=1), (h**2).sum(axis=1), (g * h).sum(axis=1)
        apart = gg + hh - 2 * gh
        share = np.clip((hh - gh) / apart, 0, 1)
        size = ((share[:, None] * g + (1 - share)[:, None] * h) ** 2).sum(axis=1)
        met = (gh <= gg) & (gh <= hh) if inside else apart > 0
        return {"lhs": size, "right": (gg * hh - gh**2) / apart, "admissible": met & (apart > 0)}

    return sides


GH = fv.Signed("g", 1e-2, 1e2, (3,)), fv.Signed("h", 1e-2, 1e2, (3,))
FIVE = (fv.Signed("x", 1e-2, 1e2, (5,)),)
THREE = fv.Signed("x", 1e-2, 1e2, (3,)), fv.Simplex("p", 3, interior=True)
SOME = fv.Simplex("a", 3), fv.Uniform("q", 0.05, 1, (3,)), fv.Signed("x", 1e-2, 1e2, (3, 2))
SCORES = (fv.Uniform("x", -6, 6, (5,)),)

STATEMENTS = (
    holds("effective number of clients", "Cauchy–Schwarz; equal weights attain it", sized(N, (N_CLIENTS,), effective)),
    holds("squares of weights below the largest", "Σ a² <= max a · Σ a", sized(most, (N_CLIENTS,), squares)),
    fails(
        "squares of weights below the square of the largest",
        "two weights of 1/2: 1/2 against 1/4; true for one client",
        sized(most**2, (N_CLIENTS,), squares),
    ),
    holds(
        "L1 against L2 on the simplex", "Cauchy–Schwarz", sized(sp.sqrt(N) * spread, (fv.Size("N", 2, 40, 4),), apart)
    ),
    fails(
        "L1 against L2 with √2",
        "equal for two clients; for three (1, 0, 0) and (0, 1/2, 1/2) exceed it",
        sized(sp.sqrt(2) * spread, (fv.Size("N", 2, 40, 4),), apart),
    ),
    holds("L1 squared below chi-squared", "Cauchy–Schwarz with weights p; attained", bound(chi2, PAIR, divergence)),
    fails(
        "L1 squared below half of chi-squared",
        "(1, 0) against (1/2, 1/2): 1 and 1/2",
        bound(chi2 / 2, PAIR, divergence),
    ),
    holds("chi-squared expanded", "Σ p = Σ a = 1", bound(ZERO, PAIR, expanded(-1, "p"))),
    fails(
        "chi-squared expanded, index slip",
        "divided by a, it is another divergence",
        bound(ZERO, KEPT, expanded(-1, "a")),
    ),
    holds("Pinsker on the simplex", "Pinsker 1960", bound(2 * right, KEPT, relative_entropy)),
    fails(
        "Pinsker without the factor 2", "near p: ‖a − p‖₁² against half of a χ²", bound(right, KEPT, relative_entropy)
    ),
    holds("weights by loss raise the loss", "Chebyshev's sum inequality", sized(right, (N_CLIENTS,), loudest)),
    fails(
        "weights by loss raise the loss by a standard deviation at most",
        "the rise is variance/mean; the deviation exceeds the mean from three clients on",
        sized(right + spread, (N_CLIENTS,), louder),
    ),
    holds("soft maximum above the maximum", "one term of the sum", bound(right, SCORES, soft_maximum(False))),
    fails(
        "soft maximum of the mean above the maximum",
        "the mean is below the maximum",
        bound(right, SCORES, soft_maximum(True)),
    ),
    holds("two of five clients", "(N − n)/(n(N − 1)) of the variance", bound(ZERO, FIVE, sampled(4))),
    fails(
        "two of five clients, N in place of N − 1", "that is for the variance with N − 1", bound(ZERO, FIVE, sampled(5))
    ),
    holds("three draws with replacement", "independent draws", bound(ZERO, THREE, redrawn(1))),
    fails(
        "three draws with replacement, squared",
        "1/n² belongs to the sum of n variances",
        bound(ZERO, THREE, redrawn(2)),
    ),
    holds(
        "independent presence", "variance of a coin over its chance", bound(right, SOME, present(lambda q: (1 - q) / q))
    ),
    fails("independent presence, chance forgotten", "1/q is missing", bound(right, SOME, present(lambda q: 1 - q))),
    holds(
        "renormalised cohorts with equal shares",
        "every client is in as many cohorts",
        bound(ZERO, THREE, normalised(lambda x: 0 * x["p"] + x["p"].mean(axis=1)[:, None])),
    ),
    fails(
        "renormalised cohorts are unbiased",
        "a ratio of means: clients with small shares are seen too often",
        bound(ZERO, THREE, normalised(lambda x: x["p"])),
    ),
    holds("the shortest vector descends for both", "optimality on the segment", bound(right, GH, shortest)),
    fails("the shortest vector of the line is in the segment", "the shares need clipping", bound(right, GH, share)),
    holds("the shortest vector is shorter than both", "both ends are candidates", bound(gap, GH, shortest)),
    fails(
        "the mean gradient descends for both",
        "one gradient may be long and the other opposite",
        bound(right, GH, mean_direction),
    ),
    holds("area over base", "height of a triangle", bound(right, GH, area(True))),
    fails("area over base, outside the segment", "two parallel vectors have no area", bound(right, GH, area(False))),
)

"""Weights on the simplex, client sampling, and vectors of least norm."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import ZERO, bound, fails, holds, sized

N, right, chi2, spread = fv.symbols("N right chi2 spread")
N_CLIENTS = fv.Size("N", 1, 60, 4)
PAIR = fv.Simplex("a", 4), fv.Simplex("p", 4, interior=True)
KEPT = fv.Simplex("a", 4, interior=True), fv.Simplex("p", 4, interior=True)


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


def present(factor):
    """Presence with chance q, updates divided by q: the variance of the aggregate of three vectors in the plane."""

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


def mean_direction(x):
    mean = (x["g"] + x["h"]) / 2
    return {"lhs": -(mean * x["g"]).sum(axis=1), "right": 0 * mean[:, 0]}


GH = fv.Signed("g", 1e-2, 1e2, (3,)), fv.Signed("h", 1e-2, 1e2, (3,))
FIVE = (fv.Signed("x", 1e-2, 1e2, (5,)),)
THREE = fv.Signed("x", 1e-2, 1e2, (3,)), fv.Simplex("p", 3, interior=True)
SOME = fv.Simplex("a", 3), fv.Uniform("q", 0.05, 1, (3,)), fv.Signed("x", 1e-2, 1e2, (3, 2))

STATEMENTS = (
    fails(
        "L1 against L2 with √2",
        "equal for two clients; for three (1, 0, 0) and (0, 1/2, 1/2) exceed it",
        sized(sp.sqrt(2) * spread, (fv.Size("N", 2, 40, 4),), apart),
    ),
    holds("L1 squared below chi-squared", "Cauchy–Schwarz with weights p; attained", bound(chi2, PAIR, divergence)),
    holds("chi-squared expanded", "Σ p = Σ a = 1", bound(ZERO, PAIR, expanded(-1, "p"))),
    fails(
        "chi-squared expanded, index slip",
        "divided by a, it is another divergence",
        bound(ZERO, KEPT, expanded(-1, "a")),
    ),
    holds("Pinsker on the simplex", "Pinsker 1960", bound(2 * right, KEPT, relative_entropy)),
    fails(
        "weights by loss raise the loss by a standard deviation at most",
        "the rise is variance/mean; the deviation exceeds the mean from three clients on",
        sized(right + spread, (N_CLIENTS,), louder),
    ),
    holds("two of five clients", "(N − n)/(n(N − 1)) of the variance", bound(ZERO, FIVE, sampled(4))),
    fails(
        "two of five clients, N in place of N − 1", "that is for the variance with N − 1", bound(ZERO, FIVE, sampled(5))
    ),
    holds(
        "independent presence", "variance of a coin over its chance", bound(right, SOME, present(lambda q: (1 - q) / q))
    ),
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
    fails(
        "the mean gradient descends for both",
        "one gradient may be long and the other opposite",
        bound(right, GH, mean_direction),
    ),
)

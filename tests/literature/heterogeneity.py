"""Constants of heterogeneity on federations of quadratics: Γ, gradient dissimilarity, weights that are not the shares."""

from __future__ import annotations

import numpy as np


import fedverdict as fv
from tests.literature.statement import ZERO, bound, fails, holds, sized

N, L, mu, gap, right, other, square = fv.symbols("N L mu gap right other square")
CLIENTS = (
    fv.Simplex("p", 4, interior=True),
    fv.LogScale("h", 1e-2, 1, (4,)),
    fv.Signed("c", 1e-2, 1e2, (4,)),
    fv.Signed("w", 1e-2, 1e2),
)


def federation(x):
    """Losses Fₖ(w) = hₖ/2·(w − cₖ)² + fₖ of four clients: F − F*, Γ, and mean squared gradients at w and at w*."""
    p, h, c = x["p"], x["h"], x["c"]
    curvature = (p * h).sum(axis=1)
    best = (p * h * c).sum(axis=1) / curvature
    at_best = h * (best[:, None] - c)
    at_w = h * (x["w"][:, None] - c)
    return {
        "best": best,
        "gap": curvature * (x["w"] - best) ** 2 / 2,
        "gamma": (p * h * (best[:, None] - c) ** 2).sum(axis=1) / 2,
        "other": (p * at_best**2).sum(axis=1),
        "second": (p * at_w**2).sum(axis=1),
        "whole": (p * at_w).sum(axis=1) ** 2,
        "spread": (p * (at_w - (p * at_w).sum(axis=1)[:, None]) ** 2).sum(axis=1),
        "mu": h.min(axis=1),
        "L": h.max(axis=1),
    }


KEEP = ("gap", "other", "mu", "L")


def left(name, **more):
    """`name` on the left side, and on the right what the bounds are made of."""

    def sides(x):
        found = federation(x)
        return {"lhs": found[name], **{key: found[key] for key in KEEP}, **{k: found[v] for k, v in more.items()}}

    return sides


def decomposed(sign):
    def sides(x):
        found = federation(x)
        return {"lhs": np.abs(found["second"] - found["whole"] - sign * found["spread"])}

    return sides


def centres(weighted):
    """The gradient at the mean of the minimisers, weighted by curvature or not."""

    def sides(x):
        weight = x["p"] * (x["h"] if weighted else 1)
        w = (weight * x["c"]).sum(axis=1) / weight.sum(axis=1)
        return {"lhs": np.abs((x["p"] * x["h"] * (w[:, None] - x["c"])).sum(axis=1))}

    return sides


def summed(*, N):
    """The squared sum of N gradients in two dimensions, against the sum of squares."""

    def sides(x):
        total = x["g"].sum(axis=1)
        return {
            "lhs": (total**2).sum(axis=1),
            "square": (x["g"] ** 2).sum(axis=2).sum(axis=1),
            "N": 0 * total[:, 0] + N,
        }

    return (fv.Signed("g", 1e-2, 1e2, (N, 2)),), sides


def shifted(measure):
    """The loss under weights a less that under shares p, against a distance of a and p times the losses' deviation."""

    def sides(x):
        mean = (x["p"] * x["c"]).sum(axis=1)
        spread = np.sqrt((x["p"] * (x["c"] - mean[:, None]) ** 2).sum(axis=1))
        off = x["a"] - x["p"]
        apart = np.sqrt((off**2 / x["p"]).sum(axis=1)) if measure == "chi" else np.abs(off).sum(axis=1)
        return {"lhs": np.abs((off * x["c"]).sum(axis=1)), "right": apart * spread}

    return sides


def similar(share):
    """How far client curvatures are from the mean, as a share of their range."""

    def sides(x):
        mean = (x["p"] * x["h"]).sum(axis=1)
        spread = x["h"].max(axis=1) - x["h"].min(axis=1)
        return {"lhs": np.abs(x["h"] - mean[:, None]).max(axis=1), "right": spread / share}

    return sides


def worst(x):
    """The loss of the best model for the worst client at most the worst loss of the best model for the mean."""
    found = federation(x)
    return {"lhs": found["gamma"], "right": (x["h"] * (found["best"][:, None] - x["c"]) ** 2).max(axis=1) / 2}


def fair(x):
    """Every client loses at most its share of Γ."""
    found = federation(x)
    return {"lhs": worst(x)["right"], "right": found["gamma"]}


SHIFTED = (fv.Simplex("a", 4), *CLIENTS[:1], CLIENTS[2])

STATEMENTS = (
    holds("Γ from above", "PL of every client", bound(other / (2 * mu), CLIENTS, left("gamma"))),
    fails("Γ from above with L", "that bounds it from below", bound(other / (2 * L), CLIENTS, left("gamma"))),
    holds("Γ from below", "smoothness of every client", bound(2 * L * gap, CLIENTS, left("other", gap="gamma"))),
    holds("gradients decomposed", "variance over clients", bound(ZERO, CLIENTS, decomposed(1))),
    fails("gradients decomposed, sign slip", "the second moment is the larger", bound(ZERO, CLIENTS, decomposed(-1))),
    holds(
        "gradients by gap and optimum",
        "Young, then smoothness",
        bound(4 * L * gap + 2 * other, CLIENTS, left("second")),
    ),
    fails(
        "gradients by gap and optimum, halved",
        "clients of unequal curvature",
        bound(2 * L * gap + other, CLIENTS, left("second")),
    ),
    fails(
        "bounded dissimilarity without an offset",
        "at w* the mean gradient is 0",
        bound(4 * L * gap, CLIENTS, left("second")),
    ),
    holds("optimum of quadratics", "weights pₖhₖ", bound(ZERO, CLIENTS[:3], centres(True))),
    fails("optimum of quadratics by shares", "true for equal curvature", bound(ZERO, CLIENTS[:3], centres(False))),
    holds("sum of gradients", "Cauchy–Schwarz", sized(N * square, (fv.Size("N", 1, 30, 3),), summed)),
    fails("sum of gradients without N", "true for one client", sized(square, (fv.Size("N", 1, 30, 3),), summed)),
    holds("loss under other weights", "Cauchy–Schwarz; attained", bound(right, SHIFTED, shifted("chi"))),
    fails("loss under other weights by L1", "a rare client", bound(right / 2, SHIFTED, shifted("L1"))),
    holds("similar curvatures", "a mean is in the range", bound(right, CLIENTS[:2], similar(1))),
    fails("similar curvatures by half of the range", "unequal shares", bound(right, CLIENTS[:2], similar(2))),
    holds("Γ below the worst client", "a mean is at most the maximum", bound(right, CLIENTS, worst)),
    fails("no client is above Γ", "Γ is a mean", bound(right, CLIENTS, fair)),
)

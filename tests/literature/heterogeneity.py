"""Constants of heterogeneity on federations of quadratics, and weights that are not the shares."""

from __future__ import annotations

import numpy as np

import fedverdict as fv
from tests.literature.statement import ZERO, bound, fails, holds

L, mu, gap, right, other = fv.symbols("L mu gap right other")
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


def centres(weighted):
    """The gradient at the mean of the minimisers, weighted by curvature or not."""

    def sides(x):
        weight = x["p"] * (x["h"] if weighted else 1)
        w = (weight * x["c"]).sum(axis=1) / weight.sum(axis=1)
        return {"lhs": np.abs((x["p"] * x["h"] * (w[:, None] - x["c"])).sum(axis=1))}

    return sides


def shifted(measure):
    """The loss under weights a less that under shares p, against a distance of a and p times the losses' deviation."""

    def sides(x):
        mean = (x["p"] * x["c"]).sum(axis=1)
        spread = np.sqrt((x["p"] * (x["c"] - mean[:, None]) ** 2).sum(axis=1))
        off = x["a"] - x["p"]
        apart = np.sqrt((off**2 / x["p"]).sum(axis=1)) if measure == "chi" else np.abs(off).sum(axis=1)
        return {"lhs": np.abs((off * x["c"]).sum(axis=1)), "right": apart * spread}

    return sides


SHIFTED = (fv.Simplex("a", 4), *CLIENTS[:1], CLIENTS[2])

STATEMENTS = (
    holds("Γ from above", "PL of every client", bound(other / (2 * mu), CLIENTS, left("gamma"))),
    fails("Γ from above with L", "that bounds it from below", bound(other / (2 * L), CLIENTS, left("gamma"))),
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
    holds("optimum of quadratics", "weights pₖhₖ", bound(ZERO, CLIENTS[:3], centres(True))),
    fails("optimum of quadratics by shares", "true for equal curvature", bound(ZERO, CLIENTS[:3], centres(False))),
    holds("loss under other weights", "Cauchy–Schwarz; attained", bound(right, SHIFTED, shifted("chi"))),
    fails("loss under other weights by L1", "a rare client", bound(right / 2, SHIFTED, shifted("L1"))),
)

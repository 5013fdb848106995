"""FA-S13.3 and FA-ST1.2: Assumption A.1 used for the applied weights in place of the objective's."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.runs_old import smallest_square
from theory.exact import dot, weighted_sum
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    rotated_space,
    symbols,
)

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]

chi, gamma, applied, mean, W, q, beta = symbols("chi gamma applied mean W q beta")


def _swap(x: Instance) -> Mapping[str, Any]:
    """Two clients' updates; γ over the whole simplex; a = (η_lLK)², everything in units of 1/(η_lK)²."""
    g, lam, tilde = x["updates"], x["weights"], x["applied"]
    own = (g**2).sum(axis=2)
    cross = (g[:, 0] * g[:, 1]).sum(axis=1)
    apart = own.sum(axis=1) - 2 * cross
    b = np.clip((own[:, 1] - cross) / np.where(apart > 0, apart, 1.0), 0.0, 1.0)
    lowest = ((b[:, None] * g[:, 0] + (1 - b[:, None]) * g[:, 1]) ** 2).sum(axis=1)
    found = {
        "q": x["first"] ** 2,
        "beta": x["beta"],
        "chi": ((lam - tilde) ** 2 / lam).sum(axis=1),
        "W": (tilde**2 / lam).sum(axis=1),
        "plain": ((lam[..., None] * g).sum(axis=1) ** 2).sum(axis=1),
        "applied": ((tilde[..., None] * g).sum(axis=1) ** 2).sum(axis=1),
        "mean": (lam * own).sum(axis=1),
        "gamma": own.max(axis=1) / np.where(lowest > 0, lowest, 1.0),
        "magnitude": own.max(axis=1),
        "admissible": lowest > 1e-9 * own.max(axis=1),
    }
    first = found["mean"] if x["early"][0] > 0 else found["gamma"] * found["plain"]
    return {
        **found,
        "lhs": 4 * found["q"] * first + (4 * found["chi"] + 8 * found["beta"] * found["W"]) * found["mean"],
    }


def swap_exact(x: Mapping[str, Any]) -> Exact:
    """Two clients, any updates: the first line of T_1 on the left, times (eta_l K)^2."""
    g, lam, tilde, q = x["updates"], x["weights"], x["applied"], x["first"] ** 2
    own = [dot(v, v) for v in g]
    lowest = smallest_square(own[0], dot(g[0], g[1]), own[1])
    G, G_tilde = weighted_sum(lam, g), weighted_sum(tilde, g)
    chi, W = (
        sum(y / a for y, a in zip(ys, lam, strict=True))
        for ys in ([(a - b) ** 2 for a, b in zip(lam, tilde, strict=True)], [b * b for b in tilde])
    )
    mean = dot(lam, own)
    gamma = max(own) / lowest if lowest > 0 else Fraction(0)
    first = mean if x["early"] > 0 else gamma * dot(G, G)
    met = {
        "gamma is finite": lowest > 0,
        "weights on the simplex, lambda positive": sum(lam) == 1 == sum(tilde) and min(lam) > 0 and min(tilde) >= 0,
        "eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
    }
    return met, {
        "q": q,
        "beta": x["beta"],
        "chi": chi,
        "W": W,
        "plain": dot(G, G),
        "applied": dot(G_tilde, G_tilde),
        "mean": mean,
        "gamma": gamma,
        "lhs": 4 * q * first + (4 * chi + 8 * x["beta"] * W) * mean,
    }


def _swap_case(d: int, *, early: bool) -> Case:
    space = Space(
        (
            Signed("updates", 1e-1, 1e1, (2, d)),
            Simplex("weights", 2, interior=True),
            Simplex("applied", 2),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            LogScale("beta", 1e-6, 1.0),
            Uniform("early", 1.0, 2.0) if early else Uniform("early", -2.0, -1.0),
        )
    )
    exact = ExactCheck(swap_exact, (dot, weighted_sum, smallest_square))
    return Case(f"two clients, dimension {d}", space, _swap, exact, symmetries=(rotated_space(("updates",)),))


_SWAP = Bound(
    4 * (q + chi + 2 * beta * W) * gamma * applied,
    again=lambda q, chi, beta, W, gamma, applied: applied * gamma * (8 * beta * W + 4 * chi + 4 * q),
)

_EARLY = tuple(_swap_case(d, early=True) for d in (1, 2))

ST12 = Claim(
    id="FA-ST1.2",
    kind=Kind.INEQUALITY,
    source="Bounding T₁, second line, A.4",
    title="E‖G‖² exchanged for E‖G̃‖²",
    statement=(
        r"4L^2\gamma\mathbb E\|G\|^2+4\frac{\chi^2}{\eta_l^2K^2}\sum_i\lambda_i\|g_i\|^2+8\frac\beta{\eta_l^2K^2}\sum_i"
        r"\frac{\tilde\lambda_i^2}{\lambda_i}\sum_i\lambda_i\mathbb E\|g_i\|^2=4\big(L^2+\frac{\chi^2}{\eta_l^2K^2}"
        r"+\frac{2\beta}{\eta_l^2K^2}\sum_i\frac{\tilde\lambda_i^2}{\lambda_i}\big)\gamma\mathbb E\|\tilde G\|^2"
    ),
    says="Assumption A.1 turns all terms into the applied pseudo-gradient.",
    assumes=("γ of A.1 over the whole simplex", "«=» read as «<=»; all terms times (η_lK)², q = (η_lLK)²"),
    readings=(
        Reading(
            "as printed",
            "γ‖G‖² replaced by γ‖G̃‖² in the first term.",
            Inequality(_SWAP, tuple(_swap_case(d, early=False) for d in (1, 2))),
        ),
        Reading(
            "from the line before A.1 in (7)",
            "4L²Σλᵢ‖gᵢ‖² in place of 4L²γ‖G‖².",
            Inequality(_SWAP, _EARLY),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "γ dropped in the repaired form",
            Inequality(Bound(4 * (q + chi + 2 * beta * W) * applied), _EARLY),
            "updates of different sizes with the applied weights on the smaller one",
        ),
    ),
    depends_on=("FA-ST1.1", "FA-AA.1"),
    verdict_words=(
        "Assumption A.1 bounds local updates by a pseudo-gradient, not one pseudo-gradient by another: ‖G‖² may exceed ‖G̃‖², "
        "and where λ̃ gives the shortest point of the hull of these updates it is never less. The other terms need not make up for it. "
        "If (7) is entered in the line before A.1 is used, with Σλᵢ‖gᵢ‖², the line holds."
    ),
)


def _plain(x: Instance) -> Mapping[str, Any]:
    g, lam, tilde = x["updates"], x["weights"], x["applied"]
    own = (g**2).sum(axis=2)
    seen = ((tilde[..., None] * g).sum(axis=1) ** 2).sum(axis=1)
    return {
        "lhs": (lam * own).sum(axis=1),
        "gamma": own.max(axis=1) / np.where(seen > 0, seen, 1.0),
        "applied": seen,
        "magnitude": own.max(axis=1),
        "admissible": seen > 1e-9 * own.max(axis=1),
    }


def plain_exact(x: Mapping[str, Any]) -> Exact:
    """Any updates, gamma the smallest that the applied weights allow."""
    own, G = [dot(v, v) for v in x["updates"]], weighted_sum(x["applied"], x["updates"])
    seen = dot(G, G)
    met = {
        "the applied pseudo-gradient is not 0": seen > 0,
        "lambda on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) > 0,
    }
    return met, {"lhs": dot(x["weights"], own), "gamma": max(own) / seen if seen > 0 else Fraction(0), "applied": seen}


def _plain_case(N: float) -> Case:
    n = int(N)
    space = Space((Signed("updates", 1e-2, 1e2, (n, 2)), Simplex("weights", n, interior=True), Simplex("applied", n)))
    return Case(f"{n} clients", space, _plain, ExactCheck(plain_exact, (dot, weighted_sum)), cost=max(1.0, n / 75))


_PLAIN = (Family("updates in the plane", (Size("N", 1, 300, 3),), _plain_case),)

S133 = Claim(
    id="FA-S13.3",
    kind=Kind.INEQUALITY,
    source="after (12), A.3",
    title="Assumption A.1 for the applied weights",
    statement=r"\sum_i\lambda_i\mathbb E\|g_i^t\|^2\le\gamma\,\mathbb E\|\tilde G^t\|^2",
    says="Assumption A.1 replaces the local updates by the applied pseudo-gradient.",
    assumes=("A.1 holds for the applied weights, γ the smallest such number",),
    readings=(
        Reading(
            "A.1 for the applied weights",
            "Any updates and weights; a random λ̃ has to be among the weights A.1 speaks of.",
            Inequality(Bound(gamma * applied, again=lambda gamma, applied: applied * gamma), _PLAIN),
        ),
    ),
    canaries=(
        Canary("γ dropped", Inequality(Bound(applied), _PLAIN), "updates that point apart are larger than their mean"),
    ),
    depends_on=("FA-AA.1",),
    verdict_words=(
        "A weighted mean is at most the largest entry, and γ bounds that. For weights of smallest norm γ is the largest that "
        "any weights give, and it is infinite where the updates' hull contains 0, which is where FedAWARE stops."
    ),
)

CLAIMS: tuple[Claim, ...] = (S133, ST12)

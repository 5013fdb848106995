"""EFL-A1 and EFL-A2: smoothness and strong convexity of the elastic objectives and of their weighted mean.

Models on the line: F̃ₖ(w) = hₖ(w − mₖ)²/2 + (λ/2) Σᵢ Iᵢ (w − aᵢ)², I the Fisher diagonals, a the anchors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from validation import (
    Canary,
    Claim,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Simplex,
    Uniform,
    permuted_clients,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _coordinates(N: int) -> Sequence[Coordinate]:
    return (
        LogScale("curvature", 1e-2, 1e2, (N,), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (N,)),
        Simplex("share", N),
        Uniform("fisher", 0.0, 1.0, (N,), at=(0.0, 1.0)),
        Signed("anchor", 1e-1, 1e1, (N,)),
        LogScale("elastic", 1e-2, 1e1, at=(1.0,)),
        Signed("point", 1e-1, 1e1),
        Signed("other", 1e-1, 1e1),
    )


def _measure(x: Instance) -> Mapping[str, Any]:
    """By how much F̃ₖ and F leave the quadratics of μ (below) or L (above) at a pair of points."""
    h = x["curvature"] * (-1.0 if "bent" in x else 1.0)
    lam, w, v = x["elastic"][:, None], x["point"][:, None], x["other"][:, None]
    m, fisher, anchor = x["optimum"], x["fisher"], x["anchor"]
    extra = lam[:, 0] * fisher.sum(axis=1)

    def value(z: Any) -> Any:
        return 0.5 * h * (z - m) ** 2 + 0.5 * lam * (fisher * (z - anchor) ** 2).sum(axis=1, keepdims=True)

    slope = h * (w - m) + lam * (fisher * (w - anchor)).sum(axis=1, keepdims=True)
    bend = value(v) - value(w) - slope * (v - w)
    bend = np.concatenate([bend, (x["share"] * bend).sum(axis=1, keepdims=True)], axis=1)
    square = 0.5 * (v - w)[:, 0] ** 2
    if "below" in x:
        lhs = np.max((np.abs(h) if "bent" in x else h).min(axis=1)[:, None] * square[:, None] - bend, axis=1)
    else:
        top = h.max(axis=1) + (0.0 if "risk" in x else extra)
        lhs = np.max(bend - top[:, None] * square[:, None], axis=1)
    reach = sum(np.abs(x[k]).reshape(len(h), -1).max(axis=1) for k in ("optimum", "anchor", "point", "other"))
    return {"lhs": lhs, "magnitude": 10 * (np.abs(h).max(axis=1) + extra) * reach**2}


def bend_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F~_k(v) - F~_k(w) - F~_k'(w)(v - w) for all clients and for F, against mu/2 |v - w|^2 or L/2 |v - w|^2."""
    clients, lam, w, v = range(len(x["curvature"])), x["elastic"], x["point"], x["other"]
    h = [-c if "bent" in x else c for c in x["curvature"]]
    bends = []
    for k in clients:
        pull = [(lam * i, a) for i, a in zip(x["fisher"], x["anchor"], strict=True)]
        parts = [(h[k], x["optimum"][k]), *pull]
        bends.append(sum(c * ((v - b) ** 2 - (w - b) ** 2) / 2 - c * (w - b) * (v - w) for c, b in parts))
    bends.append(sum(x["share"][k] * bends[k] for k in clients))
    square = (v - w) ** 2 / 2
    mu, L = min(abs(c) for c in h), max(h)
    if "risk" not in x:
        L = L + lam * sum(x["fisher"])
    lhs = max(mu * square - b for b in bends) if "below" in x else max(b - L * square for b in bends)
    met = {"Fisher diagonals and lambda >= 0": min(x["fisher"]) >= 0 and lam >= 0, "shares": sum(x["share"]) == 1}
    return met, {"lhs": lhs}


_SAME = (
    units(
        {
            "curvature": (1, -2),
            "elastic": (1, -2),
            **dict.fromkeys(("optimum", "anchor", "point", "other"), (0, 1)),
        }
    ),
    permuted_clients(dict.fromkeys(("curvature", "optimum", "share", "fisher", "anchor"), 0)),
)


def _test(*flags: str) -> Property:
    name = "elastic clients" + "".join(f", {f}" for f in flags)
    chosen = dict.fromkeys(flags, 1.0)
    return drawn(name, _coordinates, _measure, bend_exact, flags=chosen, same=_SAME, degrees=(1, 0))


A1 = Claim(
    id="EFL-A1",
    kind=Kind.PROPERTY,
    source="Assumption 1, Sec. 3.2",
    title="L-smoothness",
    statement=r"\widetilde F_1,\dots,\widetilde F_N\text{ are }L\text{-smooth, and }F\text{ is also }L\text{-smooth}",
    says="The elastic local objectives and their weighted mean share the smoothness constant L.",
    assumes=("smooth risks, here quadratics", "λ >= 0, Fisher diagonals >= 0, shares on the simplex"),
    readings=(
        Reading(
            "L of the risks plus λ times the summed Fisher diagonals",
            "Serves every F̃ₖ and F, at any anchors and so in every round with such diagonals.",
            _test(),
        ),
    ),
    canaries=(Canary("L of the risks alone", _test("risk"), "λΣᵢIᵢ > 0 adds curvature to every client"),),
    tight="the client of the largest curvature",
    depends_on=("EFL-E1", "EFL-E2"),
    verdict_words=(
        "Satisfiable, and F inherits L, so its second half follows from the first. L is not that of the risks: the elastic "
        "term adds λΣᵢIᵢ, a sum over all clients, so L is a constant of the run only while the Fisher diagonals, which are "
        "recomputed in every round, stay bounded, and it grows with the number of clients (EFL-E2)."
    ),
)

A2 = Claim(
    id="EFL-A2",
    kind=Kind.PROPERTY,
    source="Assumption 2, Sec. 3.2",
    title="μ-strong convexity",
    statement=r"\widetilde F_1,\dots,\widetilde F_N\text{ are }\mu\text{-strongly convex, and }F\text{ is also }\mu\text{-strongly convex}",
    says="The elastic local objectives and their weighted mean share the constant μ of the risks.",
    assumes=("μ-strongly convex risks, here quadratics", "λ >= 0, Fisher diagonals >= 0, shares on the simplex"),
    readings=(
        Reading("μ of the risks", "Serves every F̃ₖ and F, at any anchors and Fisher diagonals.", _test("below")),
    ),
    canaries=(
        Canary(
            "concave risks",
            _test("below", "bent"),
            "−h + λΣᵢIᵢ < h when the Fisher diagonals are 0, which nothing excludes",
        ),
    ),
    tight="Fisher diagonals 0",
    depends_on=("EFL-E1", "EFL-E2"),
    verdict_words=(
        "If the risks are μ-strongly convex so are the elastic objectives and F; a positive Fisher diagonal only helps. The "
        "elastic term does not make up for a risk that is not convex unless every coordinate has positive Fisher information. "
        "The deep networks of the experiments meet neither."
    ),
)

CLAIMS: tuple[Claim, ...] = (A1, A2)

"""RA-D3, Q2: the optimal values Fᵢ*, and what Γ = 0 says about the data."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.clients import among, stated
from validation import (
    Canary,
    Choice,
    Claim,
    Family,
    Instance,
    Kind,
    LogScale,
    Property,
    Signed,
    Simplex,
    Uniform,
)

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def _floors(x: Instance) -> Mapping[str, Any]:
    p, h, m, w = x["share"], x["curvature"], x["optimum"], x["model"]

    def total(at: Any) -> Any:
        return (p[:, None] * 0.5 * h[:, None] * (at[..., None] - m[:, None]) ** 2).sum(axis=-1)

    best = ((p * h * m).sum(axis=1) / (p * h).sum(axis=1))[:, None]
    how = int(x["as_printed"][0])
    floor = total(m) if how == 1 else 0.5 * h * (best - m) ** 2 if how == 2 else 0 * m
    excess = 0.5 * h * (w[:, None] - m) ** 2 - floor
    return {"lhs": -excess.min(axis=1), "magnitude": np.abs(excess).max(axis=1)}


def floors_exact(x: Mapping[str, Any]) -> Exact:
    """-min_i (F_i(w) - F_i*), F_i*: 1 F(w_i*) as printed, 2 F_i(w*), 0 F_i(w_i*) = 0."""
    p, h, m, w = x["share"], x["curvature"], x["optimum"], x["model"]
    terms = list(zip(p, h, m, strict=True))
    best = sum(q * k * c for q, k, c in terms) / sum(q * k for q, k, _ in terms)
    floors = [Fraction(0) for _ in m]
    if x["as_printed"] == 1:
        floors = [sum(q * k * (at - c) ** 2 / 2 for q, k, c in terms) for at in m]
    elif x["as_printed"] == 2:
        floors = [k * (best - c) ** 2 / 2 for _, k, c in terms]
    return {"shares on the simplex": sum(p) == 1}, {
        "lhs": -min(k * (w - c) ** 2 / 2 - f for k, c, f in zip(h, m, floors, strict=True))
    }


def _excess(how: int) -> Family:
    def coordinates(n: int, _dim: int) -> tuple[Any, ...]:
        return (
            Simplex("share", n, interior=True),
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n,)),
            Signed("model", 1e-2, 1e2),
            Choice("as_printed", (float(how),)),
        )

    axes = dict.fromkeys(("share", "curvature", "optimum"), 0)
    return among("clients on a line", coordinates, _floors, floors_exact, by_client=axes, clients=(1, 2, 100))


_D3 = Claim(
    id="RA-D3",
    kind=Kind.PROPERTY,
    source="Sec. 2.3, before (3)",
    title="Optimal values of the clients",
    statement=(
        r"F^\star:=F(w^\star),\qquad\text{«}F_i^\star\text{ as }F(w_i^\star)\text{»};\qquad\text{used in A.2: "
        r"}F_i(w)-F_i^\star\ge0"
    ),
    says="Fᵢ* is the value at the optimum of client i, below which its loss does not fall.",
    assumes=("Fᵢ μ-strongly convex and L-smooth, wᵢ* its minimiser",),
    readings=(
        stated("as printed, Fᵢ* = F(wᵢ*)", "The average loss at the client's own minimiser.", _excess(1)),
        stated("Fᵢ* = Fᵢ(wᵢ*)", "An index lost in print or in transcription.", _excess(0)),
    ),
    canaries=(
        Canary(
            "Fᵢ* = Fᵢ(w*), the client's loss at the global optimum",
            Property((_excess(2),)),
            "at w = wᵢ* the excess of client i is then Fᵢ(wᵢ*) − Fᵢ(w*) < 0 for unlike clients",
        ),
    ),
    verdict_words=(
        "An index is missing: F(wᵢ*) has to be Fᵢ(wᵢ*), and then no client has a negative excess. The "
        "same sentence forces it, «wᵢ* the global optimum of Fᵢ», and so does A.2, which applies Lemma 1 "
        "to Fᵢ «from the fact that ∇Fᵢ(wᵢ*) = 0». With F(wᵢ*) the excess of a client is negative at its "
        "own minimiser, and Γ = F* − ΣpᵢF(wᵢ*) is never positive. The index may have been lost in the "
        "copy used here; a typeset copy would tell. All other checks take Fᵢ(wᵢ*)."
    ),
)


def _alike(x: Instance) -> Mapping[str, Any]:
    p, how, w = x["share"], int(x["how"][0]), x["model"]
    if how == 2:
        return {"lhs": np.ptp(0.5 * x["curvature"] * w[:, None] ** 2, axis=1)}
    coins = np.where(x["sample"] >= 0, 1.0, -1.0) if how == 1 else x["sample"]
    m = coins.mean(axis=2) if how in (1, 3) else 0 * p + w[:, None]
    h = np.ones_like(p) if how in (1, 3) else x["curvature"][:, :1] + 0 * p
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    found = (p * 0.5 * h * (best[:, None] - m) ** 2).sum(axis=1)
    return {"lhs": found, "magnitude": np.abs(h * m**2).max(axis=1)}


def alike_exact(x: Mapping[str, Any]) -> Exact:
    """0: Gamma of equal clients; 1: Gamma of clients with four samples each of one fair coin; 2: spread of the losses, Gamma = 0; 3: any samples."""
    p, how, w = x["share"], int(x["how"]), x["model"]
    if how == 2:
        losses = [h * w**2 / 2 for h in x["curvature"]]
        return {"one minimiser, so Gamma = 0": True}, {"lhs": max(losses) - min(losses)}
    coins = [[Fraction(1 if v >= 0 else -1) for v in row] for row in x["sample"]]
    samples = {1: coins, 3: x["sample"]}.get(how, [[w] for _ in p])
    h = Fraction(1) if how in (1, 3) else x["curvature"][0]
    best = sum(q * sum(row) / len(row) for q, row in zip(p, samples, strict=True))

    def loss(row: Any, at: Any) -> Any:
        return h * sum((at - v) ** 2 for v in row) / (2 * len(row))

    floors = [loss(row, sum(row) / len(row)) for row in samples]
    Gamma = sum(q * (loss(row, best) - f) for q, row, f in zip(p, samples, floors, strict=True))
    return {"shares on the simplex": sum(p) == 1}, {"lhs": Gamma}


def _data(how: int) -> Family:
    def coordinates(n: int, _dim: int) -> tuple[Any, ...]:
        return (
            Simplex("share", n, interior=True),
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("model", 1e-2, 1e2),
            Uniform("sample", -1.0, 1.0, (n, 4), at=(-1.0, 1.0)),
            Choice("how", (float(how),)),
        )

    axes = {"share": 0, "sample": 0} | ({"curvature": 0} if how else {})
    return among("clients on a line", coordinates, _alike, alike_exact, by_client=axes, clients=(1, 2, 50))


_Q2 = Claim(
    id="RA-Q2",
    kind=Kind.PROPERTY,
    source="Sec. 2.5.1",
    title="Γ = 0 and IID data",
    statement=r"\Gamma=0\quad\text{«corresponds to an IID-dataset»}",
    says="IID data make Γ zero.",
    assumes=("Γ as in (3) with Fᵢ* = Fᵢ(wᵢ*)",),
    readings=(
        stated("equal losses give Γ = 0", "The infinite-sample sense of IID.", _data(0)),
        stated(
            "finite samples of one law give Γ = 0", "Four samples a client of a fair ±1 coin, squared loss.", _data(1)
        ),
        stated("Γ = 0 gives equal losses", "Clients with one minimiser: the converse, which is ours.", _data(2)),
    ),
    canaries=(
        Canary(
            "any clients of one curvature have Γ = 0",
            Property((_data(3),)),
            "unlike means give Γ > 0",
        ),
    ),
    depends_on=("RA-D4",),
    verdict_words=(
        "It holds if Fᵢ is the loss over the law of the client's data, and fails if it is the loss over "
        "its finite data set; which of the two is not said. Section 2.1 has «the loss function of the "
        "i-th client», which fits both, and what IID means stands in Section 4.1 only, «an identical "
        "label distribution over the clients». One law gives equal loss functions and Γ = 0; finite data "
        "sets drawn from it have different minimisers and Γ > 0, of the order of the variance over the "
        "number of samples. The converse is ours, not the paper's, and false: Γ = 0 holds whenever the "
        "clients share a minimiser, as in over-parametrised training, however different their losses are "
        "otherwise."
    ),
)


CLAIMS: tuple[Claim, ...] = (
    _D3,
    _Q2,
)

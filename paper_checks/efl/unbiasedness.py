"""EFL-S6: whether EFL's mean update vanishes at ω*, for several laws of participation and numbers of local steps.

Quadratic clients on the line without elastic term; `law`: 0 all clients, 1 K of N uniformly, 2 K draws by pᵏ, 3 those K clients
with the largest loss at the model, 4 K of N uniformly with coefficients renormalised to sum 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from paper_checks.efl.ternary_sparse import UNBIASED
from validation import (
    Canary,
    Choice,
    Claim,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Simplex,
    Size,
    permuted_clients,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _clients(N: int, K: int, E: int) -> Sequence[Coordinate]:
    n = max(N, K)
    return (
        LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (n,)),
        Simplex("share", n, interior=True),
        LogScale("length", 1e-2, 1.0, at=(1.0,)),
        Choice("taking", (float(K),)),
        Choice("local_steps", (float(E),)),
    )


def _measure(x: Instance) -> Mapping[str, Any]:
    """|mean update at ω*| of a round."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    n, K, law = h.shape[1], int(x["taking"][0]), int(x["law"][0])
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    steps = x["local_steps"][0] if "one" not in x else 1.0
    moved = (1 - (1 - (x["length"] / h.max(axis=1))[:, None] * h) ** steps) * (m - best[:, None])
    if law == 0:
        weight = p
    elif law == 1:
        weight = p * K / n
    elif law == 2:
        weight = p / 1.0 if "plain" in x else p * p * K
    elif law == 3:
        rank = np.argsort(np.argsort(-h * (best[:, None] - m) ** 2, axis=1), axis=1)
        weight = p * (rank < K)
    else:
        weight = np.zeros_like(p)
        subsets = list(combinations(range(n), K))
        for s in subsets:
            weight[:, s] += p[:, s] / p[:, s].sum(axis=1, keepdims=True) / len(subsets)
    return {"lhs": np.abs((weight * moved).sum(axis=1)), "magnitude": 10 * np.abs(m).max(axis=1)}


def update_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The mean over all outcomes of a round's update at w* = argmin sum p_k h_k (w - m_k)^2/2, E local steps, no noise."""
    h, m, p, n, K, law = x["curvature"], x["optimum"], x["share"], len(x["share"]), int(x["taking"]), int(x["law"])
    best = sum(p[k] * h[k] * m[k] for k in range(n)) / sum(p[k] * h[k] for k in range(n))
    eta, moved = x["length"] / max(h), []
    for k in range(n):
        w = best
        for _ in range(1 if "one" in x else int(x["local_steps"])):
            w = w - eta * h[k] * (w - m[k])
        moved.append(w - best)
    outcomes: list[tuple[Any, list[int]]] = [(Fraction(1), list(range(n)))]
    if law in (1, 4):
        chosen = [[k for k in range(n) if mask >> k & 1] for mask in range(2**n)]
        chosen = [s for s in chosen if len(s) == K]
        outcomes = [(Fraction(1, len(chosen)), s) for s in chosen]
    if law == 2:
        outcomes = []
        for code in range(n**K):
            s = [code // n**i % n for i in range(K)]
            chance = Fraction(1)
            for k in s:
                chance = chance * p[k]
            outcomes.append((chance, s))
    if law == 3:
        worst = sorted(range(n), key=lambda k: (-h[k] * (best - m[k]) ** 2, k))
        outcomes = [(Fraction(1), worst[:K])]
    mean = Fraction(0)
    for chance, s in outcomes:
        total = sum(p[k] for k in s)
        for k in s:
            weight = p[k] / total if law == 4 else Fraction(1, K) if "plain" in x else p[k]
            mean = mean + chance * weight * moved[k]
    met = {"p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0, "0 < eta L <= 1": 0 < x["length"] <= 1}
    return met, {"lhs": abs(mean)}


_NAMES = ("all clients", "K of N uniformly", "K draws by share", "the K worst off", "K of N renormalised")


def _law(law: int, *flags: str) -> Property:
    each = dict.fromkeys(("curvature", "optimum", "share"), 0)
    most = 5 if law else 100
    same = (units({"curvature": (1, -2), "optimum": (0, 1)}), *(() if law == 3 else (permuted_clients(each),)))
    return drawn(
        _NAMES[law] + "".join(f", {f}" for f in flags),
        _clients,
        _measure,
        update_exact,
        sizes=(Size("N", 2, most, 3), Size("K", 1, 3 if law else 1, 1), Size("E", 1, 30, 3)),
        flags={"law": float(law), **dict.fromkeys(flags, 1.0)},
        same=same,
        degrees=(0, 1),
    )


S6 = Claim(
    id="EFL-S6",
    kind=Kind.PROPERTY,
    source="Abstract; Sec. 1, 3 and 6",
    title="EFL as an unbiased method",
    statement=(
        r"\mathbb E\Big[\sum_kp_\tau^k\sum_{j<s}\eta g_{\tau E+j}^k\Big]=0\ \text{at }\omega^*;\quad"
        r"\text{``the low participation rate will not impact the convergence''}"
    ),
    says="At the minimiser of Σpᵏfₖ the mean update of a round is 0, whoever takes part.",
    assumes=(
        "quadratic clients on the line, full gradients, ηL <= 1",
        "λ = 0: the elastic term vanishes where all anchors agree",
    ),
    readings=(
        Reading("K of N uniformly, one step", "Coefficients pᵏ for those present, E = 1.", _law(1, "one")),
        Reading("all clients, several steps", "E up to 30, full participation.", _law(0)),
        Reading(
            "selected by pᵏ, coefficients pᵏ",
            "pᵏ is called the selection probability and weights the sum as well; E = 1.",
            _law(2, "one"),
        ),
        Reading(
            "state-dependent: the K worst-off clients", "Those of largest loss at the model; E = 1.", _law(3, "one")
        ),
        Reading(
            "K of N uniformly, coefficients made to sum to 1",
            "pᵏ over the sum of those present; E = 1.",
            _law(4, "one"),
        ),
        Reading("what ST sends", "ST(T) = T, no two entries tied.", UNBIASED),
        Reading(
            "selected by pᵏ, plain mean of the K",
            "Coefficients 1/K, E = 1: E[p s] = pᵏ.",
            _law(2, "one", "plain"),
            repair="condition",
        ),
        Reading("all clients, one step", "E = 1.", _law(0, "one"), repair="condition"),
    ),
    canaries=(
        Canary(
            "unbiased with several steps under partial participation",
            _law(1),
            "a client of larger curvature moves less than E times its first step",
        ),
    ),
    tight="equal clients: all laws agree",
    depends_on=("EFL-DEF3", "EFL-ALG2", "EFL-ALG3", "EFL-T1"),
    verdict_words=(
        "«Unbiased» is nowhere defined. As a vanishing mean update at the minimiser it is true for participation drawn without regard "
        "to client or state, one local step and no compression. It is false for several local steps, by the well-known client drift, even "
        "with all clients; for clients both selected and weighted by pᵏ, as the two uses of pᵏ in Algorithm 1 suggest; for "
        "participation that depends on the state; for coefficients renormalised over those present; and ST, being deterministic, is biased as well, which "
        "error feedback makes up for only over time. With decaying steps the drift fades; the other biases do not."
    ),
)

CLAIMS: tuple[Claim, ...] = (S6,)

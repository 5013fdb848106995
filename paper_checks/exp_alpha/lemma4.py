"""EA-L4: sampling clients by their weights leaves the mean of the aggregate unchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from theory.exact import dot, weighted_sum
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Kind,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    rotated_space,
    units,
)

__all__ = ["CLAIMS", "UNBIASED"]


def _outcome(kind: str, x: Instance) -> Any:
    """Σ over every outcome of chance times the aggregate; kinds: by weight, uniform, uniform subsets renormalised."""
    V, a, K = x["local"], x["weights"], int(x["drawn"][0])
    N = a.shape[1]
    mean = np.zeros_like(V[:, 0])
    if kind == "subsets":
        chosen = list(combinations(range(N), min(K, N)))
        for members in chosen:
            part = a[:, members]
            total = part.sum(axis=1, keepdims=True)
            part = np.where(total > 0, part / np.where(total > 0, total, 1), 1 / len(members))
            mean = mean + (part[..., None] * V[:, members]).sum(axis=1) / len(chosen)
        return mean
    for drawn in product(range(N), repeat=K):
        chance = np.full(len(a), float(N) ** -K) if kind == "uniform" else a[:, drawn].prod(axis=1)
        mean = mean + chance[:, None] * V[:, drawn].mean(axis=1)
    return mean


def _measure(kind: str) -> Callable[[Instance], Mapping[str, Any]]:
    def measure(x: Instance) -> Mapping[str, Any]:
        gap = _outcome(kind, x) - (x["weights"][..., None] * x["local"]).sum(axis=1)
        return {
            "lhs": (gap**2).sum(axis=-1),
            "nothing": np.zeros(len(gap)),
            "magnitude": (x["local"] ** 2).max(axis=(1, 2)),
        }

    return measure


def by_weight_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|E_s W_tilde - W_bar|^2: K i.i.d. draws from rho, plain mean of the drawn V; draw by draw."""
    V, a, K = x["local"], x["weights"], int(x["drawn"])
    law = [(Fraction(1), [Fraction(0)] * len(V[0]))]
    for _ in range(K):
        law = [
            (p * a[i], [s + u / K for s, u in zip(total, V[i], strict=True)]) for p, total in law for i in range(len(a))
        ]
    mean = weighted_sum([p for p, _ in law], [total for _, total in law])
    gap = [u - v for u, v in zip(mean, weighted_sum(a, V), strict=True)]
    met = {"A5: probabilities on the simplex, K >= 1": sum(a) == 1 and min(a) >= 0 and K >= 1}
    return met, {"lhs": dot(gap, gap), "nothing": Fraction(0)}


def uniform_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with uniform draws."""
    n = len(x["weights"])
    met, _ = by_weight_exact({**x, "weights": [Fraction(1, n)] * n})
    gap = weighted_sum([Fraction(1, n) - b for b in x["weights"]], x["local"])
    return met, {"lhs": dot(gap, gap), "nothing": Fraction(0)}


def subsets_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Uniform subsets of K clients, their weights divided by their sum (equal weights where it is 0)."""
    V, a, K, n = x["local"], x["weights"], int(x["drawn"]), len(x["weights"])
    rows = [[i for i in range(n) if (code >> i) & 1] for code in range(2**n)]
    rows = [row for row in rows if len(row) == min(K, n)]
    mean = [Fraction(0)] * len(V[0])
    for row in rows:
        total = sum(a[i] for i in row)
        part = [a[i] / total if total else Fraction(1, len(row)) for i in row]
        mean = [s + u / len(rows) for s, u in zip(mean, weighted_sum(part, [V[i] for i in row]), strict=True)]
    gap = [u - v for u, v in zip(mean, weighted_sum(a, V), strict=True)]
    met = {"weights on the simplex": sum(a) == 1 and min(a) >= 0}
    return met, {"lhs": dot(gap, gap), "nothing": Fraction(0)}


def _case(N: float, K: float, d: float) -> Case:
    n, k, dim = int(N), int(K), int(d)
    k = max(1, min(k, int(np.log(4096) / np.log(max(n, 2)))))  # at most 4096 index tuples
    drawn = Space((Simplex("weights", n), Signed("local", 1e-2, 1e3, (n, dim)), Choice("drawn", (float(k),))))
    same = (permuted_clients({"weights": 0, "local": 0}), units({"local": (0, 1)}), rotated_space(("local",)))
    name = f"{n} clients, {k} drawn by weight, d = {dim}"
    exact = ExactCheck(by_weight_exact, (dot, weighted_sum))
    return Case(name, drawn, _measure("weights"), exact, cost=max(1.0, n**k * dim / 60), symmetries=same)


_DRAWN = Family("K i.i.d. draws", (Size("N", 1, 300, 3), Size("K", 1, 6, 2), Size("d", 1, 8, 1)), _case)
_SMALL = tuple(_case(n, 2, 1) for n in (2, 3, 4))
_UNIFORM = tuple(
    replace(c, measure=_measure("uniform"), exact=ExactCheck(uniform_exact, (dot, weighted_sum, by_weight_exact)))
    for c in _SMALL
)
_SUBSETS = tuple(
    replace(c, measure=_measure("subsets"), exact=ExactCheck(subsets_exact, (dot, weighted_sum))) for c in _SMALL[1:]
)

UNBIASED = never_missed((_DRAWN,), degrees=(0, 2))

L4 = Claim(
    id="EA-L4",
    kind=Kind.PROPERTY,
    source="Lemma 4 (A.12)",
    title="Sampling by weight is unbiased",
    statement=r"t+1\in\mathcal I_E:\qquad\mathbb E_s[\tilde{\mathbf W}^{t+1}]=\bar{\mathbf W}^{t+1}",
    says="The mean of K clients drawn by their weights is, on average over the draw, the weighted mean of all.",
    assumes=(
        "A5: K independent draws with probabilities ρᵢᵗ⁺¹, plain mean of the drawn Vᵢᵗ⁺¹",
        "both aggregates from the same local models V",
    ),
    readings=(
        Reading(
            "given the local models",
            "Any V and any weights, those that see the samples too; every tuple of indices enumerated; the squared "
            "distance of the two sides must be 0.",
            UNBIASED,
        ),
    ),
    canaries=(
        Canary(
            "uniform draws",
            never_missed(_UNIFORM),
            "the mean is then the plain mean of all V, which is the weighted one only for equal weights",
        ),
        Canary(
            "uniform subsets with their weights renormalised",
            never_missed(_SUBSETS),
            "as in Algorithm 1: for K = 2 of 3 clients with one-hot weights absent half the time the mean is shifted",
        ),
    ),
    tight="always: an identity",
    verdict_words=(
        "An identity: each draw has mean ΣρᵢVᵢ, and so has the average of K of them; it does not even need the draws to be "
        "independent. It speaks of one synchronisation, given the local models, and of the sampling of Assumption 5. "
        "Algorithm 1 of the same paper samples uniformly and renormalises the weights over the sampled clients; for that "
        "scheme the mean is another, as the second planted error shows."
    ),
)

CLAIMS: tuple[Claim, ...] = (L4,)

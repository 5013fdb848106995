"""EA-A5: whether the sampling it describes, the formula it prints and Algorithm 1 give the same aggregate on average."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Kind,
    Property,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    Switch,
    permuted_clients,
    units,
)

__all__ = ["CLAIMS"]

_FIRST, _DRAWN, _SUBSETS, _SUM = 0.0, 1.0, 2.0, 3.0


def scheme_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(E_s W_tilde - sum rho_i V_i)^2 on an axis; scheme 0 the clients 1..K, 1 K draws by weight, 2 uniform K-subsets.

    Scheme 3 leaves out the division by K. Subsets weigh their members by rho renormalised, equally where it is 0.
    """
    V, a, K, scheme = x["local"], x["weights"], int(x["drawn"]), int(x["scheme"])
    N = len(V)
    if scheme == 0:
        mean = sum(V[i] for i in range(K)) / K
    elif scheme == 2:
        mean, rows = Fraction(0), [[i for i in range(N) if (code >> i) & 1] for code in range(2**N)]
        rows = [row for row in rows if len(row) == K]
        for row in rows:
            total = sum(a[i] for i in row)
            mean += sum((a[i] / total if total else Fraction(1, K)) * V[i] for i in row) / len(rows)
    else:
        law = [(Fraction(1), Fraction(0))]
        for _ in range(K):
            law = [(p * a[i], s + V[i]) for p, s in law for i in range(N)]
        mean = sum(p * s for p, s in law) / (K if scheme == 1 else 1)
    met = {"probabilities on the simplex": sum(a) == 1 and min(a) >= 0, "1 <= K <= N": 1 <= K <= N}
    return met, {"lhs": (mean - sum(r * v for r, v in zip(a, V, strict=True))) ** 2}


def _scheme(x: Instance) -> Mapping[str, Any]:
    V, a, K, scheme = x["local"], x["weights"], int(x["drawn"][0]), float(x["scheme"][0])
    N = V.shape[1]
    mean = np.zeros(len(V))
    if scheme == _FIRST:
        mean = V[:, :K].mean(axis=1)
    elif scheme == _SUBSETS:
        for row in combinations(range(N), K):
            part, total = a[:, row], a[:, row].sum(axis=1, keepdims=True)
            part = np.where(total > 0, part / np.where(total > 0, total, 1.0), 1 / K)
            mean = mean + (part * V[:, row]).sum(axis=1) / comb(N, K)
    else:
        for row in product(range(N), repeat=K):
            mean = mean + a[:, row].prod(axis=1) * V[:, row].sum(axis=1)
        mean = mean / (K if scheme == _DRAWN else 1)
    gap = mean - (a * V).sum(axis=1)
    return {"lhs": gap**2, "magnitude": (K * np.abs(V).max(axis=1)) ** 2}


def _property(scheme: float, *, switches: tuple[Switch, ...] = ()) -> Property:
    def at(N: float, K: float) -> Case:
        n = int(N)
        k = max(1, min(int(K), n, int(np.log(2048) / np.log(max(n, 2)))))  # at most 2048 tuples
        drawn = Space(
            (
                Simplex("weights", n),
                Signed("local", 1e-2, 1e2, (n,)),
                Choice("drawn", (float(k),)),
                Choice("scheme", (scheme,)),
            )
        )
        names = () if scheme == _FIRST else (permuted_clients({"weights": 0, "local": 0}),)
        words = f"{n} clients, K = {k}"
        same = (units({"local": (0, 1)}), *names)
        return Case(words, drawn, _scheme, ExactCheck(scheme_exact), cost=max(1.0, n**k / 80), symmetries=same)

    top = 12 if scheme == _SUBSETS else 300
    return Property(
        (Family("K of N clients", (Size("N", 1, top, 3), Size("K", 1, 6, 2)), at),), switches, degrees=(0, 2)
    )


_EQUAL = Switch(
    "equal weights", "ρᵢ = 1/N", lambda x: {**x, "weights": np.full_like(x["weights"], 1 / x["weights"].shape[1])}
)

A5 = Claim(
    id="EA-A5",
    kind=Kind.PROPERTY,
    source="Assumption 5 (A.12), eq. (25); Algorithm 1 (A.2)",
    title="Sampling K clients by their weights",
    statement=(
        r"\mathcal S^{t+1}\text{: }K\text{ draws from }\{\rho_i^{t+1}\}\text{ with replacement},\quad"
        r"\mathbf W_i^{t+1}=\frac1K\sum_{i=1}^K\mathbf V_i^{t+1}\ (t+1\in\mathcal I_E),\qquad"
        r"\mathbb E_s[\tilde{\mathbf W}^{t+1}]=\sum_{i=1}^N\rho_i^{t+1}\mathbf V_i^{t+1}"
    ),
    says="The sampled aggregate is on average the weighted mean of all clients, which is what the assumption is for.",
    assumes=("probabilities ρᵢᵗ⁺¹ on the simplex", "1 <= K"),
    readings=(
        Reading(
            "i in (25) a client, from 1 to K",
            "To the letter: V_i is client i's model everywhere else in the paper.",
            _property(_FIRST),
        ),
        Reading("i in (25) the number of a draw", "As the sentence before it describes.", _property(_DRAWN)),
        Reading(
            "the clients that Algorithm 1 selects",
            "K different clients chosen uniformly, their weights divided by their sum.",
            _property(_SUBSETS, switches=(_EQUAL,)),
        ),
    ),
    canaries=(
        Canary(
            "1/K dropped",
            _property(_SUM),
            "the sum of K draws has K times the mean of one",
        ),
    ),
    depends_on=("EA-D3", "EA-ALG1"),
    verdict_words=(
        "With i the number of a draw, as the sentence before it says, the aggregate is unbiased, for whatever "
        "weights; the formula reuses the letter that numbers clients. Another matter is that Algorithm 1, which "
        "the experiments run, selects K different clients, weighs them by Exp-α and divides by the sum of the "
        "chosen weights; with uniform selection that is another aggregate on average, unless the weights are "
        "equal or K = N. So Theorem 2 is about another sampling than the one run. With ρᵢ as probabilities the "
        "weights enter once, through the draw; drawn clients are then averaged plainly."
    ),
)

CLAIMS: tuple[Claim, ...] = (A5,)

"""EA-ALG1, EA-ALG2: Exp-α's pseudocode against Eq. 3, and the weight family of Corollary 1.1."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.exponential import EXPONENTIAL, exp_near, exp_weights, slack
from paper_checks.exp_alpha.missed import never_missed
from theory import RoundStats
from theory.rules import ExpAlpha
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)

__all__ = ["CLAIMS"]


def _missing(lhs: Any, magnitude: Any) -> Mapping[str, Any]:
    return {"lhs": lhs, "nothing": np.zeros_like(lhs), "magnitude": magnitude}


def _server(x: Instance) -> Mapping[str, Any]:
    """(W − ∇F(W) − ΣρᵢWᵢ)²: the pseudo-gradient of Algorithm 1 against Eq. 3's weights over the clients selected.

    `cut` the upper limit of the normaliser; K without it. Clients beyond the first K are not selected.
    """
    h, m, w, local = x["curvature"], x["optimum"], x["start"], x["local"]
    K, n = int(x["K"][0]), h.shape[1]
    before, after = 0.5 * h * (w[:, None] - m) ** 2, 0.5 * h * (local - m) ** 2
    scores = (after - before) / x["alpha"][:, None]
    top = scores[:, :K].max(axis=1, keepdims=True)
    raw = np.exp(np.maximum(scores[:, :K] - top, -700.0))
    last = np.minimum(int(x["cut"][0]), K) if "cut" in x else K
    steps = w[:, None] - local[:, :K]
    pseudo = (raw * steps).sum(axis=1) / np.maximum(raw[:, :last].sum(axis=1), 1e-100)
    present = np.broadcast_to(np.arange(n) < K, scores.shape)
    share = np.full_like(scores, 1 / n)
    stats = RoundStats(share=share, present=present, loss_before=np.zeros_like(scores), loss_after=scores)
    target = (np.asarray(ExpAlpha(alpha=1.0)(stats)) * local).sum(axis=1)
    size = (np.abs(local).max(axis=1) + np.abs(w)) * np.maximum(
        1.0, raw.sum(axis=1) / np.maximum(raw[:, :last].sum(axis=1), 1e-100)
    )
    defined = raw[:, :last].sum(axis=1) > 1e-100  # the float twin of a positive exponential
    lhs = np.where(defined, (w - pseudo - target) ** 2, 0.0)
    return {**_missing(lhs, np.where(defined, size**2 * 10, 1.0)), "admissible": defined}


def server_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """W - (pseudo-gradient of Algorithm 1) less the mean of the local models by Eq. 3, squared; server rate 1."""
    h, m, w, local, K = x["curvature"], x["optimum"], x["start"], x["local"], int(x["K"])
    change = [h[i] * ((local[i] - m[i]) ** 2 - (w - m[i]) ** 2) / 2 for i in range(K)]
    raw = [exp_near((c - max(change)) / x["alpha"]) for c in change]
    last = min(int(x["cut"]), K) if "cut" in x else K
    pseudo = sum(raw[i] * (w - local[i]) for i in range(K)) / sum(raw[:last])
    gap = w - pseudo - sum(a * v for a, v in zip(exp_weights(change, x["alpha"]), local[:K], strict=True))
    size = max(abs(v) for v in [w, *local])
    met = {"A1, A2": min(h) > 0, "alpha > 0": x["alpha"] > 0, "1 <= K <= N": 1 <= K <= len(h)}
    return met, {"lhs": gap * gap - slack() * size * size, "nothing": Fraction(0)}


def _selected(*more: Choice, low: int = 1) -> Family:
    def at(N: float, K: float) -> Case:
        n = int(max(N, K))
        drawn = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n,)),
                Signed("local", 1e-1, 1e1, (n,)),
                Signed("start", 1e-1, 1e1),
                LogScale("alpha", 1e-1, 1e3, at=(0.2, 1.0)),
                Choice("K", (float(K),)),
                *more,
            )
        )
        same = (units({"curvature": (1, -2), "alpha": (1, 0), **dict.fromkeys(("optimum", "local", "start"), (0, 1))}),)
        exact = ExactCheck(server_exact, EXPONENTIAL)
        return Case(f"{int(K)} of {n} clients", drawn, _server, exact, cost=max(1.0, n / 30), symmetries=same)

    return Family("one round", (Size("N", low, 60, 4), Size("K", low, 30, 3)), at)


_CUT = tuple(_selected(Choice("cut", (float(k - 1),))).at(N=k + 1, K=k) for k in (2, 3, 5))

ALG1 = Claim(
    id="EA-ALG1",
    kind=Kind.IDENTITY,
    source="Algorithm 1, A.2",
    title="Exp-α's pseudocode and Eq. 3",
    statement=(
        r"\nabla F(\mathbf W^T)=\frac1{\sum_j\rho_j^{T+E}}\sum_{i=1}^K\rho_i^{T+E}(\mathbf W^T-\mathbf W_i^{T+E}),\quad"
        r"\rho_i^{T+E}=\exp\Big(\tfrac{F_i(\mathbf W_i^{T+E})-F_i(\mathbf W^T)}\alpha\Big)"
    ),
    says="A server step of rate 1 with Algorithm 1's pseudo-gradient gives the mean of the local models by Eq. 3's weights.",
    assumes=("ServerUpdate(W, ∇F) = W − ∇F", "K selected clients; weights and normaliser run over these", "α > 0"),
    readings=(
        Reading(
            "normaliser over j = 1 … K",
            "As the display stands a second time; compared with the rule of `theory.rules`, clients not selected absent.",
            never_missed((_selected(),), degrees=(0, 2)),
        ),
        Reading(
            "normaliser over j = 1 … T",
            "As the display stands first in the text we have: T is a step, here any from 1 on.",
            never_missed((_selected(Choice("cut", (1.0, 2.0, 3.0)), low=2),), degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "last client left out of the normaliser",
            never_missed((_selected().at(N=3, K=3), *_CUT), degrees=(0, 2)),
            "the weights then sum to more than 1",
        ),
    ),
    depends_on=("EA-D7",),
    verdict_words=(
        "With the normaliser over the K selected clients the pseudocode is Eq. 3, T + E in place of T, under partial participation "
        "too, and equals the rule of this package. The first print of the display sums to T, which counts steps: at T = 0, the first round, "
        "the sum is empty, and for 0 < T < K the weights sum to more than 1. It is plainly a slip for K, or damage of the text we have. "
        "The weights it calls ρ are unnormalised, unlike ρ elsewhere (EA-R7)."
    ),
)


def _steps_of_u(x: Instance) -> Any:
    factor = x["size"] * x["size"].shape[1] / x["size"].sum(axis=1, keepdims=True)
    passed = -(factor * x["excess"])[:, :, None] >= -x["drop"][:, None, :]
    base = x["height"][:, :1]
    return factor * (base + (passed * x["height"][:, None, 1:]).sum(axis=2))


def _defined(x: Instance) -> Mapping[str, Any]:
    """1 where the weights of Corollary 1.1 are 0/0, else |sum − 1|; 𝒰 a step function."""
    raw = _steps_of_u(x)
    total = raw.sum(axis=1)
    lhs = np.where(total > 0, np.abs((raw / np.where(total > 0, total, 1.0)[:, None]).sum(axis=1) - 1), 1.0)
    return {**_missing(lhs, np.ones_like(lhs)), "admissible": (x["height"][:, 0] > 0) | ("any" in x)}


def defined_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 where every weight is 0, else |sum of the weights - 1|; U(y) = height_0 + the heights_k with y >= -drop_k."""
    n = range(len(x["size"]))
    factor = [len(x["size"]) * s / sum(x["size"]) for s in x["size"]]
    raw = []
    for i in n:
        y = -factor[i] * x["excess"][i]
        raw.append(
            factor[i] * (x["height"][0] + sum(b for b, d in zip(x["height"][1:], x["drop"], strict=True) if y >= -d))
        )
    met = {
        "sizes positive, excess losses >= 0": min(x["size"]) > 0 and min(x["excess"]) >= 0,
        "U non-negative": min(x["height"]) >= 0,
        "U positive everywhere, where asked": "any" in x or x["height"][0] > 0,
    }
    lhs = abs(sum(r / sum(raw) for r in raw) - 1) if sum(raw) > 0 else Fraction(1)
    return met, {"lhs": lhs, "nothing": Fraction(0)}


def _family_weights(*flags: str) -> Family:
    def at(N: float) -> Case:
        n = int(N)
        drawn = Space(
            (
                LogScale("size", 1e-2, 1e2, (n,), at=(1.0,)),
                LogScale("excess", 1e-2, 1e2, (n,), at=(1.0,)),
                LogScale("drop", 1e-2, 1e2, (2,)),
                Simplex("height", 3),
                *(Choice(f, (1.0,)) for f in flags),
            )
        )
        same = (units({"excess": (1, 0), "drop": (1, 0)}), permuted_clients({"size": 0, "excess": 0}))
        cost = max(1.0, n / 40)
        return Case(f"{n} clients", drawn, _defined, ExactCheck(defined_exact), cost=cost, symmetries=same)

    return Family("weights of the family", (Size("N", 1, 300, 3),), at)


ALG2 = Claim(
    id="EA-ALG2",
    kind=Kind.PROPERTY,
    source="Corollary 1.1 (Sec. 3.3)",
    title="The weight family of Corollary 1.1",
    statement=(
        r"\rho_i^{t+1}\propto\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}\,\mathcal U\Big(\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}"
        r"(F_i(\mathbf W_i^*)-F_i(\bar{\mathbf W}^t))\Big),\quad\mathcal U\ge0\text{ non-decreasing}"
    ),
    says="Every non-negative, non-decreasing 𝒰 gives weights on the simplex.",
    assumes=("positive data sizes", "step functions stand for all 𝒰: only finitely many arguments occur"),
    readings=(
        Reading("any 𝒰 >= 0", "The weights exist and sum to 1.", never_missed((_family_weights("any"),))),
        Reading(
            "𝒰 > 0",
            "A 𝒰 that is positive everywhere, as exponentials are.",
            never_missed((_family_weights(),)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "𝒰 > 0 removed",
            never_missed((_family_weights("any"),)),
            "a step at 0: 𝒰 is 0 at every client with W̄ᵗ ≠ Wᵢ*",
        ),
    ),
    depends_on=("EA-D5",),
    verdict_words=(
        "All arguments Fᵢ* − Fᵢ(W̄ᵗ) are at most 0, so a 𝒰 such as max(x, 0) or a step at 0 is 0 at every client and the "
        "weights are 0/0, though 𝒰 is admissible as printed. With 𝒰 positive, as the exponentials used later are, the weights lie on "
        "the simplex. The rule needs Wᵢ* and the model of the last step, so it is an oracle."
    ),
)


CLAIMS: tuple[Claim, ...] = (ALG1, ALG2)

"""RA-ALG2, Q13: aggregation with absent clients, and FedWorse(k) against Power-of-Choice."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.clients import among, stated
from paper_checks.robust_aggregation.strategy_rounds import strategy_weights
from theory import FedSoftWorse, FedWorse, Proportional, RoundStats
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


_RULES: dict[int, Any] = {0: Proportional(), 1: FedWorse(), 3: FedSoftWorse(1.0)}


def _present(x: Instance) -> Any:
    here = x["cohort"] > 0.5
    return here | (x["cohort"] == x["cohort"].max(axis=1, keepdims=True))


def _partial(x: Instance) -> Mapping[str, Any]:
    level, kind = np.round(x["level"]), int(x["strategy"][0])
    here = _present(x)
    counted = here if x["renormalised"][0] == 1 else np.ones_like(here)
    loss = level * (np.log(x["odds"])[:, None] if kind == 3 else 1.0)
    stats = RoundStats(share=x["share"], present=counted, loss_before=loss, loss_best=0 * loss)
    a = np.where(here | (x["renormalised"][0] > 1), _RULES[kind](stats), 0.0)
    local = x["local"]
    new = (a * local).sum(axis=1)
    low, high = np.where(here, local, np.inf).min(axis=1), np.where(here, local, -np.inf).max(axis=1)
    return {"lhs": np.maximum(low - new, new - high), "magnitude": np.abs(local).max(axis=1)}


def partial_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much the new model lies outside the local models of the clients that took part."""
    p, local, cohort = x["share"], x["local"], x["cohort"]
    here = [i for i in range(len(p)) if 2 * cohort[i] > 1 or cohort[i] == max(cohort)]
    level, who = [round(v) for v in x["level"]], here if x["renormalised"] == 1 else list(range(len(p)))
    total = sum(p[i] for i in who)
    a = strategy_weights(int(x["strategy"]), [p[i] / total for i in who], [level[i] for i in who], [], x["odds"], 1)
    new = sum(v * local[i] for v, i in zip(a, who, strict=True) if i in here or x["renormalised"] > 1)
    inside = [local[i] for i in here]
    return {"shares positive": min(p) > 0}, {"lhs": max(min(inside) - new, new - max(inside))}


def _cohorts(strategy: int, *, renormalised: int) -> Family:
    def coordinates(n: int, _dim: int) -> tuple[Any, ...]:
        return (
            Simplex("share", n, interior=True),
            Uniform("cohort", 0.0, 1.0, (n,), at=(0.0, 1.0)),
            Uniform("level", 0.0, 8.0, (n,), at=(0.0, 1.0, 8.0)),
            Signed("local", 1e-3, 1e3, (n,)),
            LogScale("odds", 1.001, 1e2, at=(2.0,)),
            Choice("strategy", (float(strategy),)),
            Choice("renormalised", (float(renormalised),)),
        )

    axes = dict.fromkeys(("share", "cohort", "level", "local"), 0)
    return among(
        "one round with absent clients", coordinates, _partial, partial_exact, (strategy_weights,), by_client=axes
    )


_ALG2 = Claim(
    id="RA-ALG2",
    kind=Kind.PROPERTY,
    source="Algorithm 1, line 8, with the strategies of Sec. 3",
    title="Aggregation over the clients that took part",
    statement=r"w_{t+E}=\sum_i\alpha_t^iw_{t+E}^i\ \text{with }\alpha_t\text{ from }\ell_i=F_i(w_t)-F_i^\star;\qquad"
    r"\min_{i\in I_t}w_{t+E}^i\le w_{t+E}\le\max_{i\in I_t}w_{t+E}^i",
    says="The new model is an average of the local models of the clients that took part.",
    assumes=("any cohort I_t of one client or more", "models in one dimension, or one coordinate of them"),
    readings=(
        stated(
            "weights of the cohort alone",
            "J_t, m and the normalisation over I_t: FedAvg, FedWorse, FedSoftWorse.",
            *(_cohorts(kind, renormalised=1) for kind in (0, 1, 3)),
        ),
        stated(
            "weights of all clients, those absent left out",
            "α over I as in Section 3, Σ over I_t: ours, since these weights no longer sum to 1.",
            *(_cohorts(kind, renormalised=0) for kind in (0, 1, 3)),
        ),
    ),
    canaries=(
        Canary(
            "the models of absent clients counted",
            Property((_cohorts(0, renormalised=2),)),
            "an absent client may have any model, far outside those of the cohort",
        ),
    ),
    depends_on=("RA-ALG1", "RA-S-AVG", "RA-S-W", "RA-S-SW"),
    verdict_words=(
        "Formed over the clients that took part, the weights of Section 3 sum to 1, and the new model is "
        "an average of these clients' models. Section 3 writes α for I, under the full participation of "
        "Section 2.1, where there is nothing to choose; no check of the theory uses a smaller cohort. "
        "How α is formed over I_t is an extension, for the implementation to record. Weights formed over "
        "I with the absent left out are ours and printed nowhere: they no longer sum to 1, FedAvg then "
        "shrinks the model towards 0, and FedWorse gives no weight at all when the worst client is "
        "absent."
    ),
)


def _choice(x: Instance) -> Mapping[str, Any]:
    p, floor, excess = x["share"], np.round(x["floor"]), np.round(x["level"])
    floor = floor if x["floors"][0] > 0 else 0 * floor
    how, n = int(x["how"][0]), p.shape[1]
    m = np.minimum(x["kept"], n)[:, None]
    worst, loss = excess + x["untie"], floor + excess + x["untie"]
    worst = -worst if how == 2 else worst

    def top(score: Any) -> Any:
        return (np.argsort(np.argsort(-score, axis=1), axis=1) < m) / m

    if how != 1:
        chosen = top(loss)
    else:
        pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
        chosen = np.zeros_like(p)
        for i, j in pairs:  # candidates of d = 2, drawn by share without replacement
            chance = p[:, i] * p[:, j] / (1 - p[:, i])
            first = loss[:, i] > loss[:, j]
            chosen[:, i] += np.where(first, chance, 0.0)
            chosen[:, j] += np.where(first, 0.0, chance)
    return {"lhs": np.abs(top(worst) - chosen).max(axis=1), "magnitude": np.ones(len(p))}


def choice_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Largest difference of weights, FedWorse(k) with 1/m against Power-of-Choice; `how` 1: d = 2, m = 1, in mean; 2: FedBetter(k)."""
    p, n, how = x["share"], len(x["share"]), int(x["how"])
    floor = [round(v) if x["floors"] > 0 else 0 for v in x["floor"]]
    excess = [round(v) + u for v, u in zip(x["level"], x["untie"], strict=True)]
    loss = [f + e for f, e in zip(floor, excess, strict=True)]
    m = min(int(x["kept"]), n)
    sign = 1 if how == 2 else -1
    kept = sorted(range(n), key=lambda i: sign * excess[i])[:m]
    worst = [Fraction(int(i in kept), m) for i in range(n)]
    if how != 1:
        best = sorted(range(n), key=lambda i: -loss[i])[:m]
        chosen = [Fraction(int(i in best), m) for i in range(n)]
    else:
        chosen = [Fraction(0)] * n
        for i in range(n):
            for j in range(n):
                if i != j:
                    chosen[i if loss[i] > loss[j] else j] += p[i] * p[j] / (1 - p[i])
    met = {"no ties": len(set(excess)) == n and len(set(loss)) == n, "m = 1 for d = 2": how != 1 or m == 1}
    return met, {"lhs": max(abs(u - v) for u, v in zip(worst, chosen, strict=True))}


def _choices(how: int, *, floors: bool, sizes: tuple[int, int, int] = (2, 3, 300)) -> Family:
    def coordinates(n: int, _dim: int) -> tuple[Any, ...]:
        return (
            Simplex("share", n, interior=True),
            Uniform("level", 0.0, 50.0, (n,)),
            Uniform("untie", 0.0, 0.5, (n,)),
            Uniform("floor", 0.0, 50.0, (n,)),
            Choice("kept", (1.0,) if how == 1 else (1.0, 2.0, 5.0)),
            Choice("how", (float(how),)),
            Choice("floors", (float(floors),)),
        )

    axes = dict.fromkeys(("share", "level", "untie", "floor"), 0)
    return among("losses of one round", coordinates, _choice, choice_exact, by_client=axes, clients=sizes)


_Q13 = Claim(
    id="RA-Q13",
    kind=Kind.PROPERTY,
    source="Sec. 3.1, FedWorse(k)",
    title="FedWorse(k) is Power-of-Choice",
    statement=r"\text{FedWorse}(k)\ \text{«actually boils down to the client selection strategy Power-of-Choice by Cho et al. [2020]»}",
    says="FedWorse(k) and Power-of-Choice select and weigh the same clients.",
    assumes=("weights 1/m on the clients kept", "no two clients of one loss or one excess"),
    readings=(
        stated("all clients are candidates, d = N", "By excess against by loss, any Fᵢ*.", _choices(0, floors=True)),
        stated(
            "d = 2 candidates drawn by share",
            "Fᵢ* equal, m = 1: the weights against the mean of those of Power-of-Choice.",
            _choices(1, floors=False, sizes=(3, 3, 6)),
        ),
        stated(
            "d = N and all Fᵢ* equal", "Then excess and loss rank alike.", _choices(0, floors=False), repair="condition"
        ),
    ),
    canaries=(
        Canary(
            "FedBetter(k) in place of FedWorse(k)",
            Property((_choices(2, floors=False),)),
            "Power-of-Choice keeps the largest losses, FedBetter(k) the smallest",
        ),
    ),
    depends_on=("RA-S-WK",),
    verdict_words=(
        "Only in a special case. Power-of-Choice ranks a random candidate set, drawn by share, by the loss Fᵢ(w); FedWorse(k) ranks all clients "
        "by the excess Fᵢ(w) − Fᵢ*, and does not use the shares. With d = N candidates, equal Fᵢ* (say all taken as 0) and equal "
        "weights the two coincide; with different Fᵢ* they select different clients, and with d < N a different law."
    ),
)


CLAIMS: tuple[Claim, ...] = (
    _ALG2,
    _Q13,
)

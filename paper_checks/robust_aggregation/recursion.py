"""RA-ALG1, D1, D2: the algorithm box, and the recursions (1) and (2) against it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.clients import among, one, stated
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    Family,
    Instance,
    Integer,
    Kind,
    LogScale,
    Property,
    Signed,
    Simplex,
    Uniform,
)

__all__ = ["CLAIMS"]


def _count(x: Instance) -> Mapping[str, Any]:
    m = x["ratio"] * x["clients"]
    how = int(x["how"][0])
    m = np.maximum(m, 1.0) if how < 3 else m
    m = np.floor(m) if how in (1, 3) else np.ceil(m) if how == 2 else m
    return {"lhs": np.maximum(np.maximum(1 - m, m - x["clients"]), (m != np.round(m)).astype(float))}


def count_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much m is not a number of clients; `how`: 0 as printed, 1 down, 2 up, 3 down without the maximum."""
    C, N, how = x["ratio"], x["clients"], int(x["how"])
    m = C * N if how == 3 else max(C * N, Fraction(1))
    if how in (1, 3):
        m = Fraction(m.numerator // m.denominator)
    elif how == 2:
        m = Fraction(-(-m.numerator // m.denominator))
    return {"0 < C <= 1, N >= 1": 0 < C <= 1 and N >= 1}, {"lhs": max(1 - m, m - N, Fraction(int(m.denominator != 1)))}


def _counts(how: int) -> Case:
    drawn = (
        Uniform("ratio", 0.001, 1.0, at=(0.1, 0.25, 0.5, 1.0)),
        Integer("clients", 1, 1000, at=(10, 100)),
        Choice("how", (float(how),)),
    )
    return one("C and N", drawn, _count, count_exact)


_ALG1 = Claim(
    id="RA-ALG1",
    kind=Kind.PROPERTY,
    source="Algorithm 1, line 3",
    title="Number of clients drawn",
    statement=r"m\leftarrow\max(C\cdot N,1),\qquad I_t\leftarrow(\text{random set of }m\text{ clients})",
    says="m, rounded, is a number of clients: at least 1 and at most N.",
    assumes=("0 < C <= 1, N >= 1",),
    readings=(
        stated("as printed", "Not rounded, m = max(CN, 1), and asked to be whole: a demand of ours.", _counts(0)),
        stated("rounded down", "m = max(⌊CN⌋, 1).", _counts(1)),
        stated("rounded up", "m = max(⌈CN⌉, 1).", _counts(2)),
    ),
    canaries=(Canary("the maximum with 1 dropped", Property((_counts(3),)), "CN < 1 rounds down to no client at all"),),
    verdict_words=(
        "Rounded down or up, m is a number of clients, at least 1 and at most N. C·N need not be whole, "
        "and no rounding is given: a choice for the implementation to record, not an error. The line is "
        "that of McMahan et al. [2017]; that m be whole without rounding is asked by us, not by the "
        "print. The same box aggregates «w¹, …, wᴺ» although only the clients of I_t computed a model "
        "(RA-ALG2), and none of it matters under the full participation of Section 2.1."
    ),
)


def _walk(x: Instance, mode: int, by: str) -> tuple[Any, Any]:
    """(final model, largest (virtual − average)²): mode 0 aggregates as (1), 1 when t + 1 = 0 mod E, 2 at every step."""
    h, m, p, n_local = x["curvature"], x["optimum"], x["share"], int(x["local_steps"][0])
    eta = (x["step"] / h.max(axis=1))[:, None]
    rounds = x["weights"].shape[1]
    local = np.broadcast_to(x["start"][:, None], m.shape)
    virtual, worst = x["start"], np.zeros(len(m))
    for t in range(rounds * n_local):
        a = x["weights"][:, t // n_local]
        ends = local - eta * h * (local - m)
        last = (t if mode == 0 else t + 1) % n_local == 0 or mode == 2
        virtual = (a * ends).sum(axis=1) if last else virtual - (p * eta * h * (local - m)).sum(axis=1)
        local = np.broadcast_to(virtual[:, None], m.shape) if last else ends
        mean = (local * (p if by == "p" else a)).sum(axis=1)
        worst = np.maximum(worst, (virtual - mean) ** 2)
    return virtual, worst


def _recursed(x: Instance) -> Mapping[str, Any]:
    reach = (x["optimum"] ** 2).max(axis=1) + x["start"] ** 2
    mode = int(x["mode"][0])
    if mode >= 3:
        return {"lhs": _walk(x, 1, "p" if mode == 3 else "a")[1], "magnitude": reach}
    n_local, w = x["local_steps"][:, None], x["start"]
    kept = (1 - (x["step"] / x["curvature"].max(axis=1))[:, None] * x["curvature"]) ** n_local
    for r in range(x["weights"].shape[1]):
        w = (x["weights"][:, r] * (x["optimum"] + kept * (w[:, None] - x["optimum"]))).sum(axis=1)
    return {"lhs": (_walk(x, mode, "p")[0] - w) ** 2, "magnitude": reach}


def recursed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """`mode` 0 to 2: (w_TE of the recursion - w_TE of Algorithm 1)^2; 3, 4: largest (w_t - average of the w_t^i)^2."""
    h, m, p, E, mode = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), int(x["mode"])
    clients, eta = range(len(h)), x["step"] / max(x["curvature"])
    boxed = x["start"]
    for a in x["weights"]:
        models = [boxed for _ in clients]
        for _ in range(E):
            models = [v - eta * h[i] * (v - m[i]) for i, v in enumerate(models)]
        boxed = sum(u * v for u, v in zip(a, models, strict=True))
    w, local, apart = x["start"], [x["start"] for _ in clients], [Fraction(0)]
    for t in range(len(x["weights"]) * E):
        a, g = x["weights"][t // E], [h[i] * (local[i] - m[i]) for i in clients]
        ends = [local[i] - eta * g[i] for i in clients]
        if mode == 2 or (mode == 0 and t % E == 0) or (mode in (1, 3, 4) and (t + 1) % E == 0):
            w = sum(a[i] * ends[i] for i in clients)
            local = [w for _ in clients]
        else:
            w, local = w - eta * sum(p[i] * g[i] for i in clients), ends
        over = a if mode == 4 else p
        apart.append((w - sum(over[i] * local[i] for i in clients)) ** 2)
    met = {"shares and weights on the simplex": all(sum(v) == 1 and min(v) >= 0 for v in [p, *x["weights"]])}
    return met, {"lhs": max(apart) if mode >= 3 else (w - boxed) ** 2}


def _recursions(mode: int, n_local: int) -> Family:
    def coordinates(n: int, _dim: int) -> tuple[Any, ...]:
        return (
            Simplex("share", n),
            Simplex("weights", n, (2,)),
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("optimum", 1e-3, 1e2, (n,)),
            Signed("start", 1e-3, 1e2),
            LogScale("step", 1e-3, 1.0, at=(0.25, 1.0)),
            Choice("local_steps", (float(n_local),)),
            Choice("mode", (float(mode),)),
        )

    axes = {"share": 0, "weights": 1, "curvature": 0, "optimum": 0}
    name = f"two rounds of {n_local} full-batch steps"
    return among(name, coordinates, _recursed, recursed_exact, by_client=axes, clients=(1, 2, 20))


_MANY = (2, 5, 30)
_D1 = Claim(
    id="RA-D1",
    kind=Kind.PROPERTY,
    source="Eq. (1), Sec. 2.1, against Algorithm 1",
    title="The recursion is the algorithm",
    statement=(
        r"w_{t+1}^{i}:=\begin{cases}w_t^i-\eta_tg_i(w_t^i)&t\ne0\bmod E\\ \sum_{j\in I}\alpha_t^j\left(w_t^j-\eta_tg_j(w_t^j)"
        r"\right):=w_{t+1}&t=0\bmod E\end{cases}"
    ),
    says="The recursion (1), with (2) between aggregations, returns the w_TE of Algorithm 1.",
    assumes=("full participation, full-batch gradients, one step size, αₜ fixed in a round",),
    readings=(
        stated(
            "as printed, E >= 2",
            "Aggregation in the update t → t + 1 with t = 0 mod E.",
            *(_recursions(0, n) for n in _MANY),
        ),
        stated("one local step a round", "The same with E = 1.", _recursions(0, 1), repair="condition"),
        stated(
            "aggregation when t + 1 = 0 mod E",
            "After E local steps, as Algorithm 1 writes w_{t+E}.",
            *(_recursions(1, n) for n in (1, *_MANY)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "aggregation at every step",
            Property((_recursions(2, 2),)),
            "the clients then never drift apart, and drift shows in w_TE",
        ),
    ),
    depends_on=("RA-ALG1",),
    verdict_words=(
        "An index slip: «t = 0 mod E» in (1) has to be «t + 1 = 0 mod E», with its negation in the first "
        "case, and then (1) returns the w_TE of Algorithm 1 for every E. Line 8 of Algorithm 1 forces "
        "it: the model at t + E is aggregated from the local models at t + E, for t = 0, E, …. So do the "
        "proofs, which use t₀ = ⌊t/E⌋E as the last common model. As printed the first of the E steps is "
        "the aggregated one: the very first update is averaged, the last E − 1 steps of the run never "
        "are, and w_TE is another model. With E = 1 there is no difference."
    ),
)
_D2 = Claim(
    id="RA-D2",
    kind=Kind.PROPERTY,
    source="Eq. (2), Sec. 2.3",
    title="Virtual model between aggregations",
    statement=r"w_{t+1}:=w_t-\eta_t\sum_{i\in I}\alpha_t^ig_i(w_t^i),\ \alpha_t^i=p_i\ (t\ne0\bmod E)\quad\Rightarrow\quad w_t=\sum_ip_iw_t^i",
    says="Inside a round the virtual model is the average of the local models, weighted by p.",
    assumes=("the round starts from one model", "full-batch gradients; aggregation after E steps"),
    readings=(stated("averaged with p", "wₜ = Σpᵢwₜⁱ at every t.", *(_recursions(3, n) for n in (1, *_MANY))),),
    canaries=(
        Canary(
            "averaged with the round's weights αₜ",
            Property((_recursions(4, 2),)),
            "inside the round the p-average differs from the α-average as soon as two local models differ",
        ),
    ),
    depends_on=("RA-D1",),
    verdict_words=(
        "Consistent as a definition: both sides start the round equal and take the same steps. But the proof of Lemma 2 begins with "
        "wₜ = Σαₜʲwₜʲ «by the definition of wₜ», and Theorem 1 with wₜ₊₁ = wₜ − ηₜΣαₜgₜ at every t. With αₜ other than p inside a "
        "round or at its end these are not this definition (RA-P-L2.1, RA-P-T1.0); the canary shows it."
    ),
)


CLAIMS: tuple[Claim, ...] = (
    _ALG1,
    _D1,
    _D2,
)

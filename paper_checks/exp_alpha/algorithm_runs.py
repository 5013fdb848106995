"""EA-ALG3, EA-ALG4: FedAvg with time-varying weights, and with clients sampled by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from theory import Scheduled, from_spectra, simulate
from theory.laws import multinomial_law, subsets_law
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


def _rounds(x: Instance) -> Mapping[str, Any]:
    """(model of the array simulator − closed form)² after all rounds; `as_one`: E steps as one SGD run on ΣρᵢFᵢ."""
    h, m, n_local = x["curvature"], x["optimum"], int(x["local_steps"][0])
    n_rounds = x["weights"].shape[1]
    mu_, L_ = h.min(axis=1), h.max(axis=1)
    offset = np.maximum(8 * L_ / mu_, n_local) - 1
    steps = 2 / (mu_ * (offset + np.arange(n_rounds * n_local)[:, None]))
    share = np.full_like(h, 1 / h.shape[1])
    federation = from_spectra(h[:, :, None], None, m[:, :, None], np.zeros_like(h), share)
    start = x["start"][:, None]
    run = simulate(
        federation,
        Scheduled(x["weights"].swapaxes(0, 1)),
        start=start,
        step_sizes=steps,
        n_local_steps=n_local,
        record=(),
    )
    w = x["start"]
    for r in range(n_rounds):
        a, etas = x["weights"][:, r], steps[r * n_local : (r + 1) * n_local]
        if "as_one" in x:
            for eta in etas:
                w = w - eta * (a * h * (w[:, None] - m)).sum(axis=1)
        else:
            keep = np.prod(1 - etas[:, :, None] * h, axis=0)
            w = (a * (m + keep * (w[:, None] - m))).sum(axis=1)
    size = (np.abs(m).max(axis=1) + np.abs(x["start"])) ** 2
    return _missing((run.final[:, 0] - w) ** 2, size)


def rounds_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """D3 and D4 step by step against the closed form of a round, or against SGD steps on sum rho_i F_i; A.9's steps."""
    h, m, n, n_local = x["curvature"], x["optimum"], range(len(x["optimum"])), int(x["local_steps"])
    gamma, t = max(8 * max(h) / min(h), Fraction(n_local)) - 1, 0
    by_step = closed = x["start"]
    for a in x["weights"]:
        local, keep = [by_step for _ in n], [Fraction(1) for _ in n]
        for _ in range(n_local):
            eta = 2 / (min(h) * (gamma + t))
            local = [local[i] - eta * h[i] * (local[i] - m[i]) for i in n]
            keep = [keep[i] * (1 - eta * h[i]) for i in n]
            if "as_one" in x:
                closed = closed - eta * sum(a[i] * h[i] * (closed - m[i]) for i in n)
            t = t + 1
        by_step = sum(a[i] * local[i] for i in n)
        if "as_one" not in x:
            closed = sum(a[i] * (m[i] + keep[i] * (closed - m[i])) for i in n)
    met = {"A1, A2": min(h) > 0, "weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"])}
    return met, {"lhs": (by_step - closed) ** 2, "nothing": Fraction(0)}


def _run_family(*flags: str, most: int = 20) -> Family:
    def at(N: float, E: float, R: float) -> Case:
        n = int(N)
        drawn = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n,)),
                Simplex("weights", n, (int(R),)),
                Signed("start", 1e-1, 1e1),
                Choice("local_steps", (E,)),
                *(Choice(f, (1.0,)) for f in flags),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "weights": 1}),
        )
        cost = min(4.0, max(1.0, n * E * R / 50))
        name = f"{n} clients, {int(R)} rounds of {int(E)} steps"
        return Case(name, drawn, _rounds, ExactCheck(rounds_exact), cost=cost, symmetries=same)

    return Family("runs", (Size("N", 1, 30, 3), Size("E", 1, most, 1 if most == 1 else 3), Size("R", 1, 10, 2)), at)


ALG3 = Claim(
    id="EA-ALG3",
    kind=Kind.IDENTITY,
    source="Theorem 1 (Sec. 3.2); (2), (4)–(6)",
    title="FedAvg with time-varying weights",
    statement=(
        r"\mathbf W^{T+E}=\sum_i\rho_i^{T+E}\mathbf W_i^{T+E},\quad\mathbf W_i^{t+1}=\mathbf W_i^t-\eta_t\nabla"
        r" f_i(\mathbf W_i^t;\xi_i^t),\quad\mathbf W_i^T=\mathbf W^T"
    ),
    says="The algorithm of Theorem 1 is E local steps of every client and one weighted mean, as the simulator here runs it.",
    assumes=("full participation, A.9's steps, no noise", "weights of each synchronisation on the simplex"),
    readings=(
        Reading(
            "simulator and closed form",
            "Array simulator against the closed form of a round of quadratic clients; exactly, step by step.",
            never_missed((_run_family(),), degrees=(0, 2)),
        ),
        Reading(
            "E = 1",
            "Then it is gradient descent on Σρᵢᵗ⁺¹Fᵢ with this step's weights.",
            never_missed((_run_family("as_one", most=1),), degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "E > 1 as descent on the weighted objective",
            never_missed((_run_family("as_one"),), degrees=(0, 2)),
            "local models of different curvatures drift apart inside a round",
        ),
    ),
    depends_on=("EA-D3", "EA-D4"),
    verdict_words=(
        "Pseudocode, equations and the simulator of this package agree on every run tried. For E = 1 the algorithm is gradient "
        "descent on an objective that changes with the weights; for E > 1 it is not."
    ),
)


def _sampling(kind: str) -> Callable[[Instance], Mapping[str, Any]]:
    def measure(x: Instance) -> Mapping[str, Any]:
        a, v, K = x["weights"], x["local"], int(x["K"][0])
        if kind == "first K":
            mean = v[:, :K].mean(axis=1)
        else:
            law = multinomial_law(a, K) if kind == "draws" else subsets_law(a, K, renormalise=True)
            mean = (law.probability * (law.weights * v[:, None]).sum(axis=2)).sum(axis=1)
        return _missing((mean - (a * v).sum(axis=1)) ** 2, np.abs(v).max(axis=1) ** 2)

    return measure


def draws_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The mean over all K draws with replacement of the mean of the drawn V_i, less sum rho_i V_i, squared."""
    a, v, K = x["weights"], x["local"], int(x["K"])
    mean = Fraction(0)
    for code in range(len(a) ** K):
        drawn = [code // len(a) ** k % len(a) for k in range(K)]
        chance = Fraction(1)
        for i in drawn:
            chance = chance * a[i]
        mean += chance * sum(v[i] for i in drawn) / K
    gap = mean - sum(w * u for w, u in zip(a, v, strict=True))
    return {"weights on the simplex": sum(a) == 1 and min(a) >= 0}, {"lhs": gap * gap, "nothing": Fraction(0)}


def first_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(1/K) sum_(i=1)^K V_i over the clients numbered 1 to K, less sum rho_i V_i, squared."""
    a, v, K = x["weights"], x["local"], int(x["K"])
    gap = sum(v[:K]) / K - sum(w * u for w, u in zip(a, v, strict=True))
    return {"weights on the simplex": sum(a) == 1 and min(a) >= 0}, {"lhs": gap * gap, "nothing": Fraction(0)}


def subsets_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The mean over uniform K-subsets of sum rho_i V_i/sum rho_i over the subset, less sum rho_i V_i, squared."""
    a, v, K = x["weights"], x["local"], int(x["K"])
    masks = [[i for i in range(len(a)) if mask >> i & 1] for mask in range(2 ** len(a))]
    subsets = [s for s in masks if len(s) == K]
    means = [sum(a[i] * v[i] for i in s) / sum(a[i] for i in s) for s in subsets]
    gap = sum(means) / len(subsets) - sum(w * u for w, u in zip(a, v, strict=True))
    return {"weights positive": sum(a) == 1 and min(a) > 0}, {"lhs": gap * gap, "nothing": Fraction(0)}


_SAMPLING = {"draws": draws_exact, "first K": first_exact, "subsets": subsets_exact}


def _sampled(kind: str) -> tuple[Case, ...]:
    def at(n: int, K: int) -> Case:
        drawn = Space(
            (Simplex("weights", n, interior=True), Signed("local", 1e-1, 1e1, (n,)), Choice("K", (float(K),)))
        )
        same = (units({"local": (0, 1)}),)
        exact = ExactCheck(_SAMPLING[kind])
        return Case(f"{K} of {n} clients, {kind}", drawn, _sampling(kind), exact, cost=2.0, symmetries=same)

    return tuple(at(n, K) for n, K in ((2, 1), (3, 2), (4, 3), (5, 2)))


ALG4 = Claim(
    id="EA-ALG4",
    kind=Kind.PROPERTY,
    source="Assumption 5 and (25), A.12",
    title="FedAvg with sampled clients",
    statement=(
        r"\tilde{\mathbf W}^{t+1}=\sum_i\rho_i^{t+1}\mathbf W_i^{t+1},\quad\mathbf W_i^{t+1}=\tfrac1K\sum_{i=1}^K"
        r"\mathbf V_i^{t+1}\ \text{ at }t+1\in\mathcal I_E,\ K\text{ clients drawn by }\rho^{t+1}"
    ),
    says="At a synchronisation every client becomes the plain mean of K draws, which on average is the weighted mean.",
    assumes=("K draws with replacement, by probabilities ρᵗ⁺¹ that do not see the draw", "models on the line"),
    readings=(
        Reading(
            "i runs over the draws",
            "Mean over the sampling law of `theory.laws` against Σρᵢ Vᵢ; all index tuples in exact numbers.",
            never_missed(_sampled("draws"), degrees=(0, 2)),
        ),
        Reading(
            "i runs over clients 1 … K",
            "(25) as indexed: the sum takes the first K clients, whoever was drawn.",
            never_missed(_sampled("first K"), degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "Algorithm 1's selection",
            never_missed(_sampled("subsets"), degrees=(0, 2)),
            "uniform subsets with weights normalised inside: for K = 1 the mean is the plain one, whatever ρ",
        ),
    ),
    depends_on=("EA-A5", "EA-D3"),
    verdict_words=(
        "Read with i over the K draws, as the words of Assumption 5 say, the scheme is well defined and right on average. "
        "Read as indexed, (25) takes clients 1 to K and the sampling plays no part. Neither is what Algorithm 1 does, which selects K clients "
        "uniformly and weights them afterwards: its mean is another one, so Theorem 2 is not about Exp-α as run."
    ),
)


CLAIMS: tuple[Claim, ...] = (ALG3, ALG4)

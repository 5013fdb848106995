"""EA-VS: the virtual sequence as one SGD step, and the mean of its stochastic gradient."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from paper_checks.exp_alpha.one_step import (
    EXACT_STEP,
    SAME_WEIGHTS,
    clients_of,
    curvature_of,
    one_step_exact,
    same_as,
    space,
)
from theory.exact import dot, quadratic_gradient, weighted_sum
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Information,
    Instance,
    Instant,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    Switch,
    units,
)

__all__ = ["BEFORE_SAMPLES", "CLAIMS"]


def _residual(x: Instance) -> Mapping[str, Any]:
    """‖W̄ᵗ⁺¹ − W̄ᵗ + ηₜgₜ‖² at t = 1, from the local models; `first_step`: at t = 0, where all stand at `start`."""
    clients, L = clients_of(x), x["spectrum"].max(axis=(1, 2))
    eta = (x["step"] / L)[:, None, None]
    first = (x["first_step"] > 0)[:, None, None]
    local = np.where(first, x["start"][:, None, :], x["local"])
    noisy = clients.gradients(local) + L[:, None, None] * x["noise"]
    before, now = x["weights"][:, 0, :, None], x["weights"][:, 1, :, None]
    after = (now * (local - eta * noisy)).sum(axis=1)
    moved = (before * local).sum(axis=1) - eta[:, 0] * ((now if "wrong_gradient" not in x else before) * noisy).sum(
        axis=1
    )
    size = np.abs(local).max(axis=(1, 2)) + (eta[:, 0, 0] * np.abs(noisy).max(axis=(1, 2)))
    return {"lhs": ((after - moved) ** 2).sum(axis=-1), "nothing": np.zeros(len(size)), "magnitude": size**2}


def residual_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The squared distance of W_bar^(t+1) from W_bar^t - eta_t g_t; at t = 0 all clients stand at `start`."""
    at = {**x, "local": [x["start"] for _ in x["share"]]} if x["first_step"] > 0 else x
    hypotheses, found = one_step_exact(at)
    return hypotheses, {"lhs": found["residual"], "nothing": Fraction(0)}


def _case(first: tuple[float, ...], *, same: bool) -> Callable[..., Case]:
    def at(N: float, d: float) -> Case:
        drawn = space(int(N), int(d), Choice("first_step", first))
        name = f"{int(N)} clients, d = {int(d)}, {'first step of a round' if first == (1.0,) else 'inside a round'}"
        measure = (lambda x: _residual(SAME_WEIGHTS.project(x))) if same else _residual
        exact = ExactCheck(same_weights_exact if same else residual_exact, (*EXACT_STEP, residual_exact))
        return Case(name, drawn, measure, exact, cost=max(2.5, N * d / 4), symmetries=same_as())

    return at


def same_weights_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with the weights of the round's start kept for its second step."""
    return residual_exact({**x, "weights": [x["weights"][0], x["weights"][0]]})


_SIZES = (Size("N", 2, 30, 2), Size("d", 1, 8, 1))
_ANY = Family("weights of any step", _SIZES, _case((0.0,), same=False))
_FIRST = Family("first step of a round", _SIZES, _case((1.0,), same=False))
_ROUND = Family("one weight vector a round", _SIZES, _case((0.0, 1.0), same=True))


def _chosen(x: Instance) -> Any:
    """Row r of the table of weights for outcome r, or row 0 for all where the samples are not seen."""
    return np.where((x["sees"] > 2)[:, None, None], x["table"], x["table"][:, :1])


def _mean_gradient(x: Instance) -> Mapping[str, Any]:
    """|E gₜ − E Σρᵢᵗ⁺¹∇Fᵢ|², over all signs of the noise of clients h/2(w − mᵢ)²."""
    h, n_clients = x["curvature"], x["optimum"].shape[1]
    rows, weights = np.asarray(list(product((-1, 1), repeat=n_clients)), dtype=float), _chosen(x)
    exact = h[:, None] * (x["point"] - x["optimum"])
    noisy = exact[:, None, :] + h[:, None, None] * rows * x["sigma"][:, None, :]
    gap = (weights * noisy).sum(axis=2).mean(axis=1) - (weights * exact[:, None, :]).sum(axis=2).mean(axis=1)
    size = np.abs(exact).max(axis=1) + h * x["sigma"].max(axis=1)
    return {"lhs": gap**2, "nothing": np.zeros(len(size)), "magnitude": size**2}


def mean_gradient_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(E g_t - E sum rho_i grad F_i)^2, client i's noise h sigma_i or -h sigma_i with chance 1/2, independently."""
    h, n = x["curvature"], len(x["optimum"])
    gap = Fraction(0)
    for row in range(2**n):
        signs = [1 if (row >> (n - 1 - i)) & 1 else -1 for i in range(n)]
        weights = x["table"][row if x["sees"] > 2 else 0]
        drawn = [h * (x["point"][i] - x["optimum"][i]) + h * signs[i] * x["sigma"][i] for i in range(n)]
        mean = [h * (x["point"][i] - x["optimum"][i]) for i in range(n)]
        gap += sum(weights[i] * (drawn[i] - mean[i]) for i in range(n)) / 2**n
    hypotheses = {
        "strongly convex, smooth: h > 0": h > 0,
        "noise of mean 0, independent over clients": min(x["sigma"]) >= 0,
        "weights on the simplex for every outcome": all(sum(r) == 1 and min(r) >= 0 for r in x["table"]),
    }
    return hypotheses, {"lhs": gap * gap, "nothing": Fraction(0)}


_SEES = Information("sees")
BEFORE_SAMPLES = Switch(
    "weights fixed before the samples",
    "ρᵗ⁺¹ does not depend on the samples of step t",
    lambda x: {**x, "sees": np.minimum(x["sees"], Instant.BEFORE_STEP)} if "sees" in x else x,
)


def _noisy_case(n_clients: int, sees: Information | Choice) -> Case:
    drawn = Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n_clients,)),
            Signed("point", 1e-2, 1e2, (n_clients,)),
            LogScale("sigma", 1e-2, 1e2, (n_clients,), at=(1.0,)),
            Simplex("table", n_clients, (2**n_clients,)),
            sees,
        )
    )
    exact = ExactCheck(mean_gradient_exact)
    same = (units({"curvature": (1, -2), "optimum": (0, 1), "point": (0, 1), "sigma": (0, 1)}),)
    return Case(
        f"{n_clients} noisy clients, {len(sees.values)} kinds of weights", drawn, _mean_gradient, exact, symmetries=same
    )


_SEEING = tuple(_noisy_case(n, _SEES) for n in (1, 2, 3))
_PAST = tuple(_noisy_case(n, replace(_SEES, values=Instant.upto(Instant.BEFORE_STEP))) for n in (1, 2, 3))


def _wrong(case: Case) -> Case:
    return replace(
        case,
        measure=lambda x: _residual({**x, "wrong_gradient": x["step"]}),
        exact=ExactCheck(wrong_exact, (*EXACT_STEP, residual_exact)),
    )


def wrong_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """At t = 0, with the gradients weighted by rho^t in place of rho^(t+1)."""
    clients = range(len(x["share"]))
    L = max(max(s) for s in x["spectrum"])
    A = [curvature_of(s, v) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
    drawn = [quadratic_gradient(A[i], x["optimum"][i], x["start"]) for i in clients]
    noisy = [[g + L * n for g, n in zip(drawn[i], x["noise"][i], strict=True)] for i in clients]
    gap = weighted_sum([a - b for a, b in zip(x["weights"][0], x["weights"][1], strict=True)], noisy)
    hypotheses, _ = residual_exact(x)
    return hypotheses, {"lhs": (x["step"] / L) ** 2 * dot(gap, gap), "nothing": Fraction(0)}


VS = Claim(
    id="EA-VS",
    kind=Kind.PROPERTY,
    source="A.8, after (6)",
    title="The virtual sequence makes SGD steps",
    statement=(
        r"\bar{\mathbf W}^{t+1}=\bar{\mathbf W}^t-\eta_tg_t,\quad g_t=\sum_i\rho_i^{t+1}\nabla f_i(\mathbf W_i^t;\xi_i^t),"
        r"\qquad\bar g_t=\mathbb E[g_t]=\sum_i\rho_i^{t+1}\nabla F_i(\mathbf W_i^t)"
    ),
    says="The weighted mean of the local models moves by one SGD step, whose mean is the weighted mean of full gradients.",
    assumes=("W̄ᵗ = Σρᵢᵗ Wᵢᵗ, Wᵢᵗ the local models of (2), (4)–(6)", "weights ρᵗ on the simplex at every t"),
    readings=(
        Reading(
            "weights free at every step",
            "«Generic, time-varying» at its word: ρᵗ⁺¹ and ρᵗ differ inside a round.",
            never_missed((_ANY,), (SAME_WEIGHTS,), degrees=(0, 2)),
        ),
        Reading(
            "first step of a round, weights free",
            "All local models are equal then, so ρᵗ does not matter.",
            never_missed((_FIRST,), degrees=(0, 2)),
        ),
        Reading(
            "one weight vector a round",
            "The weights of the round's end stand for all its steps.",
            never_missed((_ROUND,), degrees=(0, 2)),
        ),
        Reading(
            "mean of gₜ, weights that may see the samples",
            "Exp-α's weights are functions of the round's own local models.",
            never_missed(_SEEING, (BEFORE_SAMPLES,), degrees=(2, -2)),
        ),
        Reading(
            "mean of gₜ, weights fixed before the samples",
            "Weights that depend on the past at most.",
            never_missed(_PAST, degrees=(2, -2)),
            "condition",
        ),
    ),
    canaries=(
        Canary(
            "gradients weighted by ρᵗ at the first step of a round",
            never_missed(tuple(_wrong(_FIRST.at(N=n, d=2)) for n in (2, 3))),
            "W̄ᵗ⁺¹ = start − ηΣρᵗ⁺¹∇fᵢ, and Σ(ρᵗ⁺¹ − ρᵗ)∇fᵢ is not 0 for gradients that differ",
        ),
        Canary(
            "weights that see the samples",
            never_missed((_noisy_case(2, replace(_SEES, values=(float(Instant.AFTER_STEP),))),)),
            "the client whose noise is positive gets the weight: the mean of its gradient is too large by σ/2",
        ),
    ),
    verdict_words=(
        "True with one weight vector a round that does not see the round's samples, as for proportional FedAvg; "
        "«time-varying» weights are not restricted to that. W̄ᵗ⁺¹ = Σρᵢᵗ⁺¹(Wᵢᵗ − ηₜ∇fᵢ), so the step starts from "
        "the mean with the new weights: the identity needs Σ(ρᵢᵗ⁺¹ − ρᵢᵗ)Wᵢᵗ = 0. That is so at the first step of "
        "a round and whenever one weight vector serves the whole round, and fails inside a round whose weights "
        "change. The mean of gₜ is Σρᵢᵗ⁺¹∇Fᵢ only if the weights do not see the samples of the step, which "
        "Exp-α's own weights do."
    ),
)

CLAIMS: tuple[Claim, ...] = (VS,)

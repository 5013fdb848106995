"""First violated after a horizon between 10³ and 10⁵: a floor that the printed bound has lost, or has capped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from scipy.special import gammaln

from tests.traps.model import Checked, Trap, contraction, log_uniform, power, rng_of, short, trap_claim
from theory.exact import dot, weighted_sum
from validation import Case, Choice, Family, Instance, Integer, LogScale, Signed, Simplex, Size, Space, Uniform, symbols
from validation.statement.claim import ExactCheck

T, reach2, delta0, noise, chi2, mean2 = symbols("T reach2 delta0 noise chi2 mean2")

_HORIZON = Size("n_rounds", 1, 10**6, 10, ladder=True)


def _drift(x: Instance) -> Mapping[str, Any]:
    a, m, n_rounds = x["weights"], x["optimum"], x["n_rounds"]
    carried = contraction(x) ** x["local_steps"][:, None]
    middle = (a * x["curvature"] * m).sum(axis=-1) / (a * x["curvature"]).sum(axis=-1)
    fixed = (a * (1 - carried) * m).sum(axis=-1) / (a * (1 - carried)).sum(axis=-1)
    ends = np.concatenate([m, x["start"][:, None]], axis=-1)
    final = fixed + (a * carried).sum(axis=-1) ** n_rounds * (x["start"] - fixed)
    return {
        "lhs": (final - middle) ** 2,
        "T": n_rounds,
        "reach2": (ends.max(axis=-1) - ends.min(axis=-1)) ** 2,
        "magnitude": 1e-3 * (ends**2).max(axis=-1),
    }


def drift_exact(x: Mapping[str, Any]) -> Checked:
    """FedAvg on h_i/2 (w - m_i)^2 at step size 1 = 1/L, the same weights a each round: w_T in closed form.

    After 8 rounds the left side is lowered by far more than the rounding of the power.
    """
    a, h, m, n = x["weights"], x["curvature"], x["optimum"], int(x["n_rounds"])
    clients = range(len(h))
    carried = [(1 - h[i]) ** int(x["local_steps"]) for i in clients]
    middle = sum(a[i] * h[i] * m[i] for i in clients) / sum(a[i] * h[i] for i in clients)
    gone = sum(a[i] * (1 - carried[i]) for i in clients)
    fixed = sum(a[i] * (1 - carried[i]) * m[i] for i in clients) / gone
    final = fixed + power(1 - gone, n) * (x["start"] - fixed)
    reach = max([*m, x["start"]]) - min([*m, x["start"]])
    hypotheses = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "0 < h_i <= L = 1": min(h) > 0 and max(h) <= 1,
        "at least one local step": x["local_steps"] >= 1,
    }
    lowered = reach**2 / 2**300 if n > 8 else 0
    return hypotheses, {"lhs": (final - middle) ** 2 - lowered, "T": x["n_rounds"], "reach2": reach**2}


def _drift_case(*, n_rounds: float) -> Case:
    space = Space(
        (
            Simplex("weights", 3),
            LogScale("curvature", 1e-2, 1.0, (3,)),
            Signed("optimum", 1e-2, 1e2, (3,)),
            Signed("start", 1e-2, 1e2),
            Integer("local_steps", 1, 50),
            Choice("n_rounds", (float(n_rounds),)),
        )
    )
    return Case(f"3 clients, {n_rounds:g} rounds", space, _drift, ExactCheck(drift_exact, (power,)))


def _accumulating(x: Instance) -> Mapping[str, Any]:
    keep = 1 - (x["weights"] * x["curvature"]).sum(axis=-1)
    n_rounds = x["n_rounds"]
    noise = (x["weights"] ** 2 * x["sigma"] ** 2).sum(axis=-1)
    # (1 − r^(2T))/(1 − r²), also where r is nearly 1.
    lost = -np.expm1(2 * n_rounds * np.log1p(-np.minimum(1 - keep, 1 - 1e-16)))
    return {
        "lhs": keep ** (2 * n_rounds) * x["start"] ** 2 + noise * lost / ((1 - keep) * (1 + keep)),
        "delta0": x["start"] ** 2,
        "noise": noise,
    }


def accumulating_exact(x: Mapping[str, Any]) -> Checked:
    """FedAvg, one local step at step size 1 = 1/L, clients h_i/2 w^2, independent noise +-sigma_i: E w_T^2.

    After 8 rounds the left side is lowered by far more than the rounding of the power.
    """
    a, h, n = x["weights"], x["curvature"], int(x["n_rounds"])
    clients = range(len(h))
    keep = 1 - sum(a[i] * h[i] for i in clients)
    noise = sum(a[i] ** 2 * x["sigma"][i] ** 2 for i in clients)
    left = power(keep**2, n)
    lhs = left * x["start"] ** 2 + noise * (1 - left) / (1 - keep**2)
    hypotheses = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "0 < h_i <= L = 1": min(h) > 0 and max(h) <= 1,
    }
    return hypotheses, {"lhs": lhs * (1 - Fraction(1, 2**300) * (n > 8)), "delta0": x["start"] ** 2, "noise": noise}


def _accumulating_case(*, n_rounds: float) -> Case:
    space = Space(
        (
            Simplex("weights", 4),
            LogScale("curvature", 1e-7, 1.0, (4,)),
            LogScale("sigma", 1e-2, 1e2, (4,)),
            Signed("start", 1e-2, 1e2),
            Choice("n_rounds", (float(n_rounds),)),
        )
    )
    return Case(f"4 clients, {n_rounds:g} rounds", space, _accumulating, ExactCheck(accumulating_exact, (power,)))


def _departed(x: Instance) -> Mapping[str, Any]:
    lam = x["samples"] / x["samples"].sum(axis=-1, keepdims=True)
    tilde = x["applied"] / x["applied"].sum(axis=-1, keepdims=True)
    # Π_(t<T) (1 − h/(t + 2)) by the Gamma function.
    h, n_rounds = x["curvature"], x["n_rounds"]
    left = np.exp(gammaln(n_rounds + 2 - h) - gammaln(n_rounds + 2) - gammaln(2 - h))
    moved = (1 - left)[:, None] * ((lam - tilde)[..., None] * x["optima"]).sum(axis=1)
    return {
        "lhs": (moved**2).sum(axis=-1),
        "chi2": ((lam - tilde) ** 2 / lam).sum(axis=-1),
        "mean2": (lam * (x["optima"] ** 2).sum(axis=-1)).sum(axis=-1),
    }


def not_gone(h: Fraction, n_rounds: int) -> Fraction:
    """Π_(t<T) (1 − h/(t + 2)), at most (T + 1)·2⁻³⁰⁰ too large."""
    p, q, left = h.numerator, h.denominator, 1 << 300
    for t in range(2, n_rounds + 2):
        left = left * (t * q - p) // (t * q) + 1
    return Fraction(left, 1 << 300)


def departed_exact(x: Mapping[str, Any]) -> Checked:
    """Two servers with weights lambda and tilde from the same start; clients h/2 |w - m_i|^2, steps 1/(t + 2)."""
    lam = [n / sum(x["samples"]) for n in x["samples"]]
    tilde = [n / sum(x["applied"]) for n in x["applied"]]
    gone = 1 - not_gone(x["curvature"], int(x["n_rounds"]))
    moved = [gone * m for m in weighted_sum([p - q for p, q in zip(lam, tilde, strict=True)], x["optima"])]
    hypotheses = {
        "sample counts positive": min(*x["samples"], *x["applied"]) > 0,
        "0 < h <= 1": 0 < x["curvature"] <= 1,
    }
    return hypotheses, {
        "lhs": dot(moved, moved),
        "chi2": sum((p - q) ** 2 / p for p, q in zip(lam, tilde, strict=True)),
        "mean2": sum(p * dot(m, m) for p, m in zip(lam, x["optima"], strict=True)),
    }


def _departed_case(n_clients: int, steepest: Fraction, *, n_rounds: float) -> Case:
    space = Space(
        (
            LogScale("samples", 1.0, 10.0, (n_clients,)),
            LogScale("applied", 1.0, 10.0, (n_clients,)),
            Uniform("optima", -1.0, 1.0, (n_clients, 2)),
            LogScale("curvature", float(steepest) / 2, float(steepest)),
            Choice("n_rounds", (float(n_rounds),)),
        )
    )
    check = ExactCheck(departed_exact, (dot, weighted_sum, not_gone))
    # Long runs are dear: few instances of them fit into a budget, so the good ones must come from short runs.
    return Case(f"{n_clients} clients, {n_rounds:g} rounds", space, _departed, check, cost=max(1.0, n_rounds / 500))


def late_horizon(seed: int) -> Trap:
    """A floor that is lost, noise that adds up, or a departure that grows: true up to T₀, between 10³ and 10⁵.

    Seeds 0, 3, 6, …: |w_T − w*|² <= (T₀ + 1)/(T + 1)·D², D the reach of optima and start, in FedAvg with E local steps.
    True up to T₀, since every iterate stays between the optima and the start; false later, since FedAvg with E > 1 and
    different curvatures converges to another point than w*.
    Seeds 1, 4, 7, …: E|w_T|² <= |w_0|² + T₀ Σaᵢ²σᵢ² for noisy FedAvg with E = 1. True up to T₀, since no step adds more
    than Σaᵢ²σᵢ²; false later for small curvatures, since the noise adds up to Σaᵢ²σᵢ²(1 − r^(2T))/(1 − r²).
    Seeds 2, 5, 8, …: ‖w_T − w̃_T‖² <= C χ² Σλᵢ‖mᵢ‖² for the models under weights λ and λ̃ with decreasing steps and one
    curvature h <= h₀. Exactly, w_T − w̃_T = (1 − Π(1 − ηₜh))Σ(λᵢ − λ̃ᵢ)mᵢ; C is the largest value of the first factor
    squared at T₀, so Cauchy–Schwarz gives it up to T₀; later it fails for optima nearly ∝ (λᵢ − λ̃ᵢ)/λᵢ.
    """
    rng = rng_of("horizon", seed)
    first = round(log_uniform(rng, 1e3, 1e5))
    if seed % 3 == 0:
        cases = (Family("drift", (_HORIZON,), _drift_case),)
        mutant = ("no horizon", reach2 / (T + 1), "one round from the far end, with little curvature, gains little")
        says = f"FedAvg is at rate 1/T: |w_T − w*|² <= {first + 1}/(T + 1) times the squared reach."
        claim = trap_claim("horizon", seed, says, (first + 1) * reach2 / (T + 1), cases, mutant)
    elif seed % 3 == 1:
        cases = (Family("noise", (_HORIZON,), _accumulating_case),)
        mutant = ("noise dropped", delta0, "from the optimum any noise moves the model away")
        says = f"The noise adds at most {first} steps' worth: E|w_T|² <= |w_0|² + {first} Σaᵢ²σᵢ²."
        claim = trap_claim("horizon", seed, says, delta0 + first * noise, cases, mutant)
    else:
        n_clients, steepest = int(rng.integers(4, 6)), short(rng.uniform(0.1, 0.3))
        most = Fraction(math.ceil(10**5 * (1 - not_gone(steepest, first)) ** 2), 10**5)
        cases = (Family("departure", (_HORIZON,), partial(_departed_case, n_clients, steepest)),)
        mutant = (
            "a hundredth of it",
            most * chi2 * mean2 / 100,
            "attained by optima ∝ (λᵢ − λ̃ᵢ)/λᵢ once a tenth of the way is gone",
        )
        says = f"Other weights move the model by at most {float(most):.4g} χ² Σλᵢ‖mᵢ‖²."
        claim = trap_claim("horizon", seed, says, most * chi2 * mean2, cases, mutant)
    return Trap(claim, holds_up_to=first)

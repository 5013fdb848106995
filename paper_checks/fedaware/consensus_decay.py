"""FA-PR4.1: whether the mean squared norm of the expected pseudo-gradient decays, under either meaning of E."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.runs_old import run, run_case, run_exact
from validation import Bound, Canary, Case, Claim, Family, Inequality, Instance, Kind, Reading, Size, symbols
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]

T, first, rate = symbols("T first rate")


def consensus_given(T: Any, eta_g: Any) -> tuple[Any, Any]:
    """One client x^2/2 at its optimum, K = 1, noise of variance 1: (mean of E(E[G|x])^2 over T rounds, 0)."""
    eta_l = Fraction(1, 8)
    r = (1 - eta_g * eta_l) ** 2
    level = (eta_g * eta_l) ** 2 / (1 - r)
    return eta_l**2 * level * (1 - (1 - r ** int(T)) / (T * (1 - r))), Fraction(0)


def consensus_mean(T: Any, eta_g: Any, K: Any) -> tuple[Any, Any]:
    """The same client started at 1, K local steps, any noise: (mean of (E G)^2 over T rounds, 1/T)."""
    part = 1 - (1 - 1 / (8 * K)) ** int(K)
    r = (1 - eta_g * part) ** 2
    return part**2 * (1 - r ** int(T)) / (T * (1 - r)), 1 / T


def consensus_unstable(T: Any) -> tuple[Any, Any]:
    """The same with eta L = 2, where the mean changes sign and nothing else: (mean of (E G)^2, 0)."""
    x, total = Fraction(1), Fraction(0)
    for _ in range(int(T)):
        total += (x / 8) ** 2
        x = x - 16 * x / 8
    return total / T, Fraction(0)


_AT_FOUR = {g: consensus_given(Fraction(4), g)[0] for g in (Fraction(1), Fraction(8))}

GIVEN = tuple(
    OrderFamily(
        f"one noisy client, server step {g}",
        consensus_given,
        {"T": "n"},
        {"eta_g": (g,)},
        form=floor,
        because="the variance of x^t grows with t, so its mean over T rounds grows with T; the grid starts at T = 4",
    )
    for g, floor in _AT_FOUR.items()
)


def _decay(x: Instance) -> Mapping[str, Any]:
    """A run with ηKL <= 1; the mean model contracts in every coordinate, by a factor whose square is at most 1 − rate."""
    eta_g, K = np.minimum(x["server"], 1 / x["first"]), int(x["local_steps"][0])
    h = x["curvature"]
    bend = (x["first"] / (h.max(axis=(1, 2)) * K))[:, None, None] * h
    least = (x["share"][..., None] * -np.expm1(K * np.log1p(-bend))).sum(axis=1).min(axis=1)
    short = {**x, "server": eta_g}
    whole, start = run(short), run({**short, "n_rounds": x["n_rounds"] * 0 + 1})
    return {**whole, "lhs": whole["rho_full"], "first": start["rho_full"], "rate": eta_g * least * (2 - eta_g * least)}


def decay_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Mean of |E G^t|^2 over the rounds; first is |E G^0|^2, rate is 1 - q^2 with q the slowest contraction."""
    h, lam, K, eta_g = x["curvature"], x["share"], int(x["local_steps"]), min(x["server"], 1 / x["first"])
    eta_l = x["first"] / (max(y for row in h for y in row) * K)
    pulls = [sum(p * (1 - (1 - eta_l * row[j]) ** K) for p, row in zip(lam, h, strict=True)) for j in range(len(h[0]))]
    met, whole = run_exact({**x, "server": eta_g})
    _, start = run_exact({**x, "server": eta_g, "n_rounds": Fraction(1)})
    met = {**met, "eta K L <= 1": whole["eta"] * whole["K"] * whole["L"] <= 1}
    keep = (1 - eta_g * min(pulls)) ** 2
    return met, {**whole, "lhs": whole["rho_full"], "first": start["rho_full"], "rate": 1 - keep}


def _decays(N: float, d: float, K: float, T: float) -> Case:
    return run_case(N, d, K, T, measure=_decay, exact=decay_exact, uses=(run_exact,))


_DECAYS = Family(
    "strongly convex clients, noise",
    (Size("N", 1, 300, 3), Size("d", 1, 8, 1), Size("K", 1, 300, 2), Size("T", 1, 200, 2, ladder=True)),
    _decays,
)

_OVER_T = Bound(
    first / (rate * T),
    again=lambda first, rate, T: first / rate / T,
    degrees={"first": (0, 2), "rate": (0, 0), "T": (0, 0)},
)


PR41 = Claim(
    id="FA-PR4.1",
    kind=Kind.ORDER,
    source="Property 4.1, Sec. 4.2",
    title="Client consensus dynamics decay",
    statement=(
        r"\rho^t(\lambda)\triangleq\|\mathbb E[G^t]\|^2=\Big\|\mathbb E\Big[\sum_i\lambda_ig_i^t\Big]\Big\|^2,"
        r"\qquad\frac1T\sum_{t=1}^T\rho^t(\lambda)\le\mathcal O(T^{-c})\ \text{ and } c>0"
    ),
    says="The mean squared norm of the expected pseudo-gradient decays like a negative power of the number of rounds.",
    assumes=("static rates, full participation", "E either over the whole run or given xᵗ; the paper does not say"),
    readings=(
        Reading(
            "over the whole run, one client, any server step short of 2/L",
            "E over everything random: the mean of the model contracts; claimed with c = 1.",
            Order(
                "upper",
                (
                    OrderFamily(
                        "one client, any noise",
                        consensus_mean,
                        {"T": "n"},
                        {"eta_g": (Fraction(1, 4), 1, 10), "K": (1, 2, 5)},
                    ),
                ),
                may_depend_on=("eta_g", "K"),
            ),
        ),
        Reading(
            "over the whole run, any strongly convex clients",
            "Quadratics with noise, ηKL <= 1: the mean is at most ρ⁰/((1 − q²)T), q the slowest contraction of a round.",
            Inequality(_OVER_T, (_DECAYS,), degrees=(0, 2)),
        ),
        Reading(
            "given the model of the round",
            "E over the round's noise given xᵗ, then averaged over runs: does it tend to 0 at all?",
            Order("limit", GIVEN, may_depend_on=("eta_g",)),
        ),
    ),
    canaries=(
        Canary(
            "a server step of 2/L",
            Order(
                "limit",
                (OrderFamily("one client, ηL = 2", consensus_unstable, {"T": "n"}, degree=1),),
            ),
            "the model jumps between x and −x, and ρ keeps its value",
        ),
        Canary(
            "no more than the first round's share",
            Inequality(Bound(first / T), (_DECAYS,)),
            "the second round adds to the first",
        ),
    ),
    depends_on=("FA-VAR",),
    verdict_words=(
        "With E over the whole run, which the displayed definition suggests, the property holds for strongly convex "
        "clients and rates that do not diverge: the mean of the model contracts and the average is O(1/T). With E given xᵗ, "
        "which the proof of Theorem 4.2 needs for its variance bound, noise keeps the model away from rest and the average "
        "tends to a positive level, so it decays like no power of T. The two steps of the proof use different readings."
    ),
)

CLAIMS: tuple[Claim, ...] = (PR41,)

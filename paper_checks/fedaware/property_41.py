"""Sec. 4.2: Property 4.1, whether client consensus decays, and what it asks beside consensus at the optimum."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedaware.notation import NOTATION, Checked
from paper_checks.fedaware.open_points import EXPECTATION
from paper_checks.fedaware.runs import fedavg, runs
from validation import Case, Choice, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, units
from validation.statement.forms.quotients import n
from validation.world import Order, OrderFamily, World, case, definition, le, mutant, reading, remark

__all__ = ["CLAIMS"]

T, rho_full, first, rate, sum_rho, rho_best = NOTATION.symbols("T rho_full first rate sum_rho rho_best")


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


_GROWS = tuple(
    OrderFamily(
        f"one noisy client, server step {g}",
        consensus_given,
        {"T": "n"},
        {"eta_g": (g,)},
        form=consensus_given(Fraction(4), g)[0],
        because="the variance of x^t grows with t, so its mean over T rounds grows with T; the grid starts at T = 4",
    )
    for g in (Fraction(1), Fraction(8))
)
_ONE = OrderFamily(
    "one client, any noise", consensus_mean, {"T": "n"}, {"eta_g": (Fraction(1, 4), 1, 10), "K": (1, 2, 5)}
)
_DECAYS = fedavg(runs("strongly convex clients, noise", longest=Fraction(1)))

PR41 = definition(
    "FA-PR4.1",
    "Property 4.1, Sec. 4.2",
    "Client consensus dynamics decay",
    printed=r"""\rho^t(\lambda)\triangleq\|\mathbb E[G^t]\|^2=\Big\|\mathbb E\Big[\sum_i\lambda_ig_i^t\Big]\Big\|^2,
        \qquad\frac1T\sum_{t=1}^T\rho^t(\lambda)\le\mathcal O(T^{-c})\ \text{ and } c>0""",
    plainly="""The mean squared norm of the expected pseudo-gradient decays like a negative power of the number of
        rounds.""",
    assumes=["static rates, full participation", "E either over the whole run or given xᵗ; the paper does not say"],
    says=Order("upper", (_ONE,), may_depend_on=("eta_g", "K")),
    open={"E": EXPECTATION},
    readings=[
        reading(
            "over the whole run, one client, any server step short of 2/L",
            "E over everything random: the mean of the model contracts; claimed with c = 1.",
            options={"E": "over the whole run"},
            cuts={"server_step": "up to 2/L", "clients": "one"},
        ),
        reading(
            "over the whole run, any strongly convex clients",
            """Quadratics with noise, ηKL <= 1: the mean is at most ρ⁰/((1 − q²)T), q the slowest contraction of a
                round.""",
            le(rho_full, first / (rate * T), again=lambda first, rate, T: first / rate / T),
            world=_DECAYS,
            options={"E": "over the whole run"},
        ),
        reading(
            "given the model of the round",
            "E over the round's noise given xᵗ, then averaged over runs: does it tend to 0 at all?",
            Order("limit", _GROWS, may_depend_on=("eta_g",)),
            options={"E": "given the model of the round"},
            because="averaged over runs, which can only help: a bound of every run would hold on average too",
        ),
    ],
    mutants=[
        mutant(
            "a server step of 2/L",
            Order("limit", (OrderFamily("one client, ηL = 2", consensus_unstable, {"T": "n"}, degree=1),)),
            "the model jumps between x and −x, and ρ keeps its value",
        ),
        mutant(
            "no more than the first round's share",
            le(rho_full, first / T),
            "the second round adds to the first",
            world=_DECAYS,
        ),
    ],
    rests_on=["FA-VAR"],
    verdict="""With E over the whole run, which the displayed definition suggests, the property holds for strongly
        convex clients and rates that do not diverge: the mean of the model contracts and the average is O(1/T). With E
        given xᵗ, which the proof of Theorem 4.2 needs for its variance bound, noise keeps the model away from rest and
        the average tends to a positive level, so it decays like no power of T. The two steps of the proof use different
        readings.""",
)


def decay(x: Instance, *, rounds: int) -> Mapping[str, Any]:
    """Σρᵗ of FedAvg on the line in closed form, ρ⁰, 1 − q², and ρ/η_l² at the minimum of f."""
    h, m, lam = x["curvature"], x["optimum"], x["weights"]
    K = x["local_steps"]
    eta = x["step"] / (8 * h.max(axis=1) * K)
    pull = 1 - (1 - eta[:, None] * h) ** K[:, None]
    total = (lam * pull).sum(axis=1)
    size = (np.abs(x["start"]) + np.abs(m).max(axis=1)) ** 2
    best = (lam * h * m).sum(axis=1) / (lam * h).sum(axis=1)
    keep = (1 - x["server"] / 3 * total) ** 2
    first = (lam * pull * (x["start"][:, None] - m)).sum(axis=1) ** 2
    return {
        "sum_rho": first * (1 - keep**rounds) / (1 - keep),
        "first": first,
        "rate": 1 - keep,
        "rho_best": (lam * pull * (best[:, None] - m)).sum(axis=1) ** 2 / eta**2,
        "sizes": {"sum_rho": size * total**2, "first": size * total**2, "rho_best": size / eta**2},
    }


def decay_exact(x: Mapping[str, Any], *, rounds: int) -> Checked:
    """The rounds one by one, K local steps each; the model contracts by a factor whose square is 1 - rate."""
    h, m, lam, K = x["curvature"], x["optimum"], x["weights"], int(x["local_steps"])
    clients = range(len(h))
    eta, server = x["step"] / (8 * max(h) * K), x["server"] / 3
    pull = [1 - (1 - eta * a) ** K for a in h]
    best = sum(lam[i] * h[i] * m[i] for i in clients) / sum(lam[i] * h[i] for i in clients)
    at, rhos = x["start"], []
    for _ in range(rounds):
        G = sum(lam[i] * pull[i] * (at - m[i]) for i in clients)
        rhos.append(G * G)
        at = at - server * G
    keep = (1 - server * sum(a * b for a, b in zip(lam, pull, strict=True))) ** 2
    met = {
        "mu > 0": min(h) > 0,
        "weights on the simplex": sum(lam) == 1 and min(lam) >= 0,
        "eta_l <= 1/(8 L K), eta <= 1/(24 L K)": 0 < 8 * eta * max(h) * K <= 1 and 0 < 3 * server <= 1,
    }
    rho_best = sum(lam[i] * pull[i] * (best - m[i]) for i in clients) ** 2 / eta**2
    return met, {"sum_rho": sum(rhos), "first": rhos[0], "rate": 1 - keep, "rho_best": rho_best}


def _decay(N: float, T: float) -> Case:
    size = int(N)
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (size,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (size,)),
            Simplex("weights", size),
            Signed("start", 1e-2, 1e3),
            LogScale("step", 1e-2, 1.0, at=(1.0,)),
            LogScale("server", 1e-2, 1.0, at=(1.0,)),
            Choice("local_steps", (1.0, 2.0, 5.0, 20.0)),
        )
    )
    same, cost = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),), max(1.0, size / 75)
    name = f"{size} clients on the line, T = {int(T)}"
    return case(name, space, decay, decay_exact, cost=cost, symmetries=same, rounds=int(T))


def noisy(T: Fraction) -> tuple[Fraction, Fraction]:
    """Mean over t < T of E|E[G^t | x^t]|^2, one client x^2/2, eta_l = 1/8, eta_g = 1/3, noise and x^0 +-1; and 1."""
    keep = Fraction(23, 24) ** 2
    limit = Fraction(1, 24) ** 2 / (1 - keep)  # of E (x^t)^2 = limit + keep^t (1 - limit)
    falling = sum(keep**t for t in range(min(int(T), 60)))
    return (limit + (1 - limit) * falling / T) / 64, Fraction(1)


_FLOOR = OrderFamily(
    "one noisy client",
    noisy,
    {"T": n},
    form=sp.Rational(1, 64 * 47),
    because="E x² stays at or above its limit 1/47, and 𝔼[G | x] = x/8",
)

R5 = remark(
    "FA-R5",
    "§4.2, after Property 4.1",
    "Decaying consensus is weaker than consensus at the optimum",
    printed=r"\rho(x^*)=0\ \Rightarrow\ \frac1T\sum_{t<T}\rho^t(\lambda)\le\mathcal O(T^{-c}),\ c>0",
    plainly="Property 4.1 asks less than the client consensus hypothesis, which it follows from.",
    assumes=[
        "the hypothesis: 𝔼G = 0 at the minimum x* of f",
        "strongly convex quadratic clients, η_l <= 1/(8LK), η <= 1/(24LK)",
    ],
    says=le(sum_rho, first / rate, again=lambda first, rate: first * (1 / rate)),
    world=World(NOTATION, (Family("clients on the line", (Size("N", 1, 300, 3), Size("T", 1, 60, 5)), _decay),)),
    open={"E": EXPECTATION},
    readings=[
        reading(
            "without noise, E over the whole run",
            """Clients on the line with any minima, ρ(x*) = 0 or not, any K: Σρᵗ <= ρ⁰/(1 − q²), so the mean falls like
                1/T.""",
            options={"E": "over the whole run"},
        ),
        reading(
            "with noise, ρ conditional on the model",
            "One client with gradient noise: 𝔼‖𝔼[Gᵗ|xᵗ]‖², its mean over rounds tends to 0.",
            Order("faster", (_FLOOR,)),
            options={"E": "given the model of the round"},
        ),
    ],
    mutants=[
        mutant(
            "the other way round",
            le(rho_best, 0),
            """FedAvg with K > 1 has vanishing ρ at its own fixed point and, for unequal curvatures, not at the minimum
                of f""",
        ),
        mutant("Σρᵗ <= ρ⁰", le(sum_rho, first), "the second round adds to the first"),
    ],
    tight="T → ∞",
    rests_on=["FA-PR4.1"],
    repeats="FA-PR4.1",
    written="the implication, for «a weaker assumption than the client consensus hypothesis»",
    verdict="""Without noise, or with 𝔼 over whole runs, the dynamics ask less than the hypothesis; with noise and 𝔼
        given the model they do not follow from it. Without noise the mean decays like 1/T whether ρ(x*) = 0 or not. The
        converse fails: for K > 1 and unequal curvatures ρ vanishes at FedAvg's own fixed point and not at x*. With
        noise, ρ given the current model settles at the noise floor and does not decay at any power of T, although 𝔼G
        vanishes at x*. Over whole runs ‖𝔼G‖² of a quadratic decays. Which 𝔼 is meant is not printed (FA-PR4.1).""",
)

CLAIMS: tuple[Claim, ...] = (PR41, R5)

"""Runs of E >= 2 local steps whose weights may have seen the earlier samples of the round, for any horizon.

Two groups of clients μ/2·(w ∓ δ)², equal shares: w* = 0, Γ = μδ²/2. Each group has half of the weight, so ρ(t, w) = 1 at
every w and t, whatever happens: ρ̄ = ρ̃ = 1 over any window of (7), and the error term is 0. Noise (see `theory.seen_noise`)
comes in the first local step after an aggregation; the weights of the next aggregation may lean towards it. With
ηₜ = 1/(μ(t + γ)) the product (t + γ − 1)wₜ is a sum over the steps: what the server gains in each round stays for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.exact.seen_noise import leaning, outcomes_of_noise, weighted_noise
from theory.seen_noise import independent_signs, one_winner
from validation import (
    Case,
    Choice,
    ExactCheck,
    Information,
    Instance,
    Instant,
    Integer,
    LogScale,
    Signed,
    Space,
    Uniform,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["SEEN", "seen_exact", "seen_rounds"]


def _moments(lean: Any, n: int, spread: int, *, seen: bool) -> tuple[Any, Any]:
    return one_winner(lean, spread, seen=seen) if spread else independent_signs(lean, n, seen=seen)


def _ends(x: Instance) -> Mapping[str, Any]:
    """E F(w_T) − F* as `lhs`, T = E·`rounds`, and the constants of the run."""
    mu, sigma, delta, start = x["mu"], x["sigma"], x["apart"], x["start"]
    n, spread, lean = int(x["group"][0]), int(x["spread"][0]), x["lean"]
    gamma, T, eq1 = 4 * x["loose"], x["local_steps"] * x["rounds"], x["eq1"] > 0
    seen = x["sees"] > Instant.BEFORE_ROUND
    pairs = zip(_moments(lean, n, spread, seen=True), _moments(lean, n, spread, seen=False), strict=True)
    mean, second = (np.where(seen, late, early) for late, early in pairs)
    # Under (1) the last round's noise is averaged with p, not yet aggregated.
    n_weighted = x["rounds"] - eq1
    last = np.where(eq1, _moments(0 * lean + 1 / n, n, spread, seen=False)[1] / 2, 0.0)
    unit = sigma / mu
    total = (gamma - 1) * start + n_weighted * mean * unit
    spread_out = (n_weighted * (second - mean**2) / 2 + last) * unit**2
    reach = np.maximum(np.abs(start), delta + max(spread, 1) * unit)
    one = np.ones_like(mu)
    return {
        "lhs": (gap := mu / 2 * (total**2 + spread_out) / (T + gamma - 1) ** 2),
        "gap": gap,
        "L": x["loose"] * mu,
        "mu": mu,
        "tau": x["local_steps"],
        "T": T,
        "G2": (mu * (reach + delta)) ** 2 + sigma**2,
        "sigma2": sigma**2,
        "Gamma": mu * delta**2 / 2,
        "D0": start**2,
        "rho": one,
        "rho_best": one,
        "pi": n * np.minimum(lean, (1 - lean) / (n - 1)),
        "Pi": n * np.maximum(lean, (1 - lean) / (n - 1)),
        "N": 2 * n * one,
        "least": one / (2 * n),
        "magnitude": mu * reach**2,
    }


def seen_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E F(w_T) - F* by the mean and the variance of w_t from round to round; noise and weights outcome by outcome.

    Clients mu/2 (w - m)^2, m = apart for one half of them, -apart for the other, equal shares, so w* = 0. The weights of a
    half sum to 1/2: `lean` on one of its clients, the rest equally. sees > 1: on the one whose noise came out highest.
    """
    mu, sigma, delta, loose, n = x["mu"], x["sigma"], x["apart"], x["loose"], int(x["group"])
    E, rounds, spread, lean, start = int(x["local_steps"]), int(x["rounds"]), int(x["spread"]), x["lean"], x["start"]
    seen, eq1, noises = x["sees"] > 1, x["eq1"] > 0, outcomes_of_noise(n, spread)
    by_weights, by_shares = weighted_noise(n, spread, lean, seen), weighted_noise(n, spread, Fraction(1, n), False)
    rows = [leaning(noise, lean, seen) for _, noise in noises]
    first, variance = start, Fraction(0)
    top, unit = 4 * loose.numerator, loose.denominator  # gamma = 4 loose as whole numbers: products need no gcd
    t = 1 if eq1 else 0  # (1) aggregates in the update of t = 0, E, ...; noise comes in the step after it
    if eq1:
        first = (1 - 1 / (4 * loose)) * first
    for r in range(rounds):
        over = eq1 and r == rounds - 1  # the last model under (1) is the mean with p, before the next aggregation
        mean, square = by_shares if over else by_weights
        # eta_t mu = 1/(t + gamma) = unit/(unit t + top) of the first step; what the others leave, prod (1 - eta mu)
        step, left, whole = Fraction(unit, unit * t + top), 1, 1
        for e in range(1, E - 1 if over else E):
            left, whole = left * (unit * (t + e - 1) + top), whole * (unit * (t + e) + top)
        rest = Fraction(left, whole)
        t = t + (E - 1 if over else E)
        # w after the round = keep w + gain * noise, the mean of two independent halves; the optima cancel. Noise in
        # units of sigma/mu until the end.
        keep, gain = (1 - step) * rest, step * rest
        first = keep * first + gain * (mean * sigma / mu)
        variance = keep**2 * variance + gain**2 * ((square - mean**2) / 2)
    variance = variance * (sigma / mu) ** 2
    highest = max(max(abs(v) for v in noise) for _, noise in noises)
    reach = max(abs(start), delta + highest * sigma / mu)
    own = [[sum(q * noise[i] ** k for q, noise in noises) for i in range(n)] for k in (1, 2)]
    hypotheses = {
        "mu-strong convexity and L-smoothness, L = loose mu": mu > 0 and loose >= 1,
        "more than one local step, so that the aggregation comes after the noise": E >= 2,
        "T of (7): a whole number of rounds": t == E * rounds,
        "unbiased: every client's noise has mean 0 and second moment sigma^2": own == [[0] * n, [1] * n],
        "weights on the simplex in every outcome": all(sum(a) == 1 and min(a) >= 0 for a in rows),
        "a step is a convex combination, so all models stay within reach of w*": 4 * loose >= 1 and reach >= abs(start),
    }
    kappas = [n * a for row in rows for a in row]
    found = {"L": loose * mu, "mu": mu, "tau": Fraction(E), "T": Fraction(t), "sigma2": sigma**2, "D0": start**2}
    found |= {"G2": (mu * (reach + delta)) ** 2 + sigma**2, "Gamma": mu * delta**2 / 2}
    # Half of the weight on each optimum: sum alpha_i (F_i - F_i*) = mu (w^2 + delta^2)/2 = F - sum p_i F_i*.
    found |= {"rho": Fraction(1), "rho_best": Fraction(1), "pi": min(kappas), "Pi": max(kappas)}
    return hypotheses, {
        **found,
        "N": Fraction(2 * n),
        "least": Fraction(1, 2 * n),
        "lhs": (gap := mu * (first**2 + variance) / 2),
        "gap": gap,
    }


SEEN = (outcomes_of_noise, leaning, weighted_noise)
_UNITS = {"mu": (1, -2), "apart": (0, 1), "start": (0, 1), "sigma": (1, -1)}


def _case(latest: Instant, eq1: bool, spread: int, n: int, common: bool, positive: bool) -> Case:
    ends: tuple[Coordinate, ...] = (
        (Choice("apart", (0.0,)), LogScale("start", 1e-6, 1e2, at=(1e-6, 1.0)))
        if common
        else (LogScale("apart", 1e-6, 1e2, at=(1e-6, 1e-3, 1.0)), Signed("start", 1e-3, 1e2))
    )
    space = Space(
        (
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            LogScale("loose", 1.0, 1e2, at=(1.0,)),
            LogScale("sigma", 1e-2, 1e2, at=(1.0,)),
            *ends,
            Uniform("lean", 1 / n, 0.99 if positive else 1.0, at=(0.75,)),
            Integer("local_steps", 2, 10, at=(2,)),
            Integer("rounds", 1, 10_000, at=(100, 2000, 5000)),
            Information("sees", Instant.upto(latest)),
            *(Choice(name, (float(v),)) for name, v in (("eq1", eq1), ("spread", spread), ("group", n))),
        )
    )
    kind = "one winner" if spread else "independent signs"
    where = "aggregation as in (1)" if eq1 else "aggregation as in Algorithm 1"
    what = "one minimiser" if common else "two optima"
    same = (units(_UNITS),)
    name = f"{2 * n} clients, {what}, {kind}, {where}, weights known {latest.words}"
    return Case(name, space, _ends, ExactCheck(seen_exact, SEEN), cost=8.0, symmetries=same)


def seen_rounds(
    latest: Instant, *, conventions: tuple[bool, ...] = (False, True), common: bool = False, positive: bool = False
) -> tuple[Case, ...]:
    """Weights known at `latest` or earlier; `conventions`: True aggregates as in (1), False as in Algorithm 1.

    `common`: one minimiser, Γ = 0, started elsewhere; `positive`: no weight is 0. Mirrored pairs, one winner of five or of
    fifty (100 clients in all), and two or three independent signs a group.
    """
    kinds = ((1, 2), (2, 5), (7, 50), (0, 2), (0, 3))
    return tuple(_case(latest, eq1, *kind, common, positive) for eq1 in conventions for kind in kinds)

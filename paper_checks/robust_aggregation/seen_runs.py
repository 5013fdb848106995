"""Runs of E >= 2 local steps whose weights may have seen the earlier samples of the round, and one that (7) does not see.

Two groups of clients μ/2·(w ∓ δ)², equal shares: w* = 0, Γ = μδ²/2. Each group has half of the weight, so ρ(t, w) = 1 at
every w and t, whatever happens: ρ̄ = ρ̃ = 1 over any window of (7), and the error term is 0. Noise (see `theory.noise.seen_noise`)
comes in the first local step after an aggregation; the weights of the next aggregation may lean towards it. With
ηₜ = 1/(μ(t + γ)) the product (t + γ − 1)wₜ is a sum over the steps: what the server gains in each round stays for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import Pair
from theory.exact.reference.seen_noise import leaning, outcomes_of_noise, weighted_noise
from theory.noise.seen_noise import independent_signs, one_winner
from validation import Case, Instance, Instant, case, units
from validation.statement.instances.draw import (
    Choice,
    Coordinate,
    Information,
    Integer,
    LogScale,
    Signed,
    Space,
    Uniform,
)

__all__ = ["inside_a_round", "seen_rounds", "worst_local_model"]

_UNITS = units({"mu": (1, -2), "apart": (0, 1), "start": (0, 1), "sigma": (1, -1)})


def seen(x: Instance, *, n: int, spread: int, eq1: bool) -> Mapping[str, Any]:
    """`rounds` rounds of n clients a group; under (1) the last round's noise is averaged with p, not yet aggregated."""
    mu, sigma, lean, start, one = x["mu"], x["sigma"], x["lean"], x["start"], np.ones_like(x["mu"])
    delta, gamma, T, unit = x.get("apart", 0 * one), 4 * x["loose"], x["local_steps"] * x["rounds"], sigma / mu

    def moments(towards: Any, late: bool) -> tuple[Any, Any]:
        return one_winner(towards, spread, seen=late) if spread else independent_signs(towards, n, seen=late)

    known = x["sees"] > Instant.BEFORE_ROUND
    mean, second = (np.where(known, a, b) for a, b in zip(moments(lean, True), moments(lean, False), strict=True))
    weighted, last = x["rounds"] - eq1, moments(one / n, False)[1] / 2 if eq1 else 0 * one
    total = (gamma - 1) * start + weighted * mean * unit
    variance = (weighted * (second - mean**2) / 2 + last) * unit**2
    reach = np.maximum(np.abs(start), delta + max(spread, 1) * unit)
    found: dict[str, Any] = {
        "gap": mu / 2 * (total**2 + variance) / (T + gamma - 1) ** 2,
        "L": x["loose"] * mu,
        "mu": mu,
        "T": T,
    }
    found |= {"tau": x["local_steps"], "G2": (mu * (reach + delta)) ** 2 + sigma**2, "sigma2": sigma**2}
    found |= {"Gamma": mu * delta**2 / 2, "D0": start**2, "rho": one, "rho_best": one}
    found |= {"pi": n * np.minimum(lean, (1 - lean) / (n - 1)), "Pi": n * np.maximum(lean, (1 - lean) / (n - 1))}
    return {**found, "N": 2 * n * one, "least": one / (2 * n), "sizes": {"gap": mu * reach**2}}


def seen_exact(x: Mapping[str, Any], *, n: int, spread: int, eq1: bool) -> Pair:
    """Mean and variance of w_t, round by round; equal weight on both groups, so the skew is 1 at every w."""
    mu, sigma, loose, lean, start = x["mu"], x["sigma"], x["loose"], x["lean"], x["start"]
    E, rounds, delta, seen = int(x["local_steps"]), int(x["rounds"]), x.get("apart", 0 * mu), x["sees"] > 1
    noises, by_weights = outcomes_of_noise(n, spread), weighted_noise(n, spread, lean, seen)
    by_shares = weighted_noise(n, spread, Fraction(1, n), False)
    rows = [leaning(noise, lean, seen) for _, noise in noises]
    # With k = t + gamma - 1 a step is k/(k + 1) w plus 1/(k + 1) of its noise: k w_t grows by the noise alone.
    gamma, t, unit = 4 * loose, 1 if eq1 else 0, sigma / mu
    total, scatter = (gamma - 1) * start, Fraction(0)  # of k w_t the mean, and the variance in units of unit^2
    each, last = [(mean * unit, (square - mean**2) / 2) for mean, square in (by_weights, by_shares)]
    for r in range(rounds):
        over = eq1 and r == rounds - 1
        push, more = last if over else each
        total, scatter, t = total + push, scatter + more, t + (E - 1 if over else E)
    k = t + gamma - 1
    first, variance = total / k, scatter * unit**2 / k**2
    highest = max(max(abs(v) for v in noise) for _, noise in noises)
    reach = max(abs(start), delta + highest * sigma / mu)
    own = [[sum(q * noise[i] ** k for q, noise in noises) for i in range(n)] for k in (1, 2)]
    met = {
        "mu-strong convexity and L-smoothness, L = loose mu": mu > 0 and loose >= 1,
        "more than one local step, so that the aggregation comes after the noise": E >= 2,
        "T of (7): a whole number of rounds": t == E * rounds,
        "unbiased: every client's noise has mean 0 and second moment sigma^2": own == [[0] * n, [1] * n],
        "weights on the simplex in every outcome": all(sum(a) == 1 and min(a) >= 0 for a in rows),
        "a step is a convex combination, so all models stay within reach of w*": 4 * loose >= 1 and reach >= abs(start),
    }
    one, least, most = Fraction(1), min(min(row) for row in rows), max(max(row) for row in rows)
    found: dict[str, Any] = {
        "gap": mu * (first**2 + variance) / 2,
        "L": loose * mu,
        "mu": mu,
        "tau": Fraction(E),
        "T": Fraction(t),
    }
    found |= {"G2": (mu * (reach + delta)) ** 2 + sigma**2, "sigma2": sigma**2, "Gamma": mu * delta**2 / 2}
    # Half of the weight on each optimum: sum alpha_i (F_i - F_i*) = mu (w^2 + delta^2)/2 = F - sum p_i F_i*.
    found |= {"D0": start**2, "rho": one, "rho_best": one, "pi": n * least, "Pi": n * most}
    return met, {**found, "N": 2 * n * one, "least": one / (2 * n)}


def _seen(latest: Instant, eq1: bool, spread: int, n: int, common: bool, highest: float) -> Case:
    apart = LogScale("apart", 1e-6, 1e2, at=(1e-6, 1e-3, 1.0))
    two: tuple[Coordinate, ...] = (apart, Signed("start", 1e-3, 1e2))
    space = Space(
        (
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            LogScale("loose", 1.0, 1e2, at=(1.0,)),
            LogScale("sigma", 1e-2, 1e2, at=(1.0,)),
            *((LogScale("start", 1e-6, 1e2, at=(1e-6, 1.0)),) if common else two),
            Uniform("lean", 1 / n, highest, at=(0.75,)),
            Integer("local_steps", 2, 10, at=(2,)),
            Integer("rounds", 1, 10_000, at=(100, 2_000, 5_000)),
            Information("sees", Instant.upto(latest)),
        )
    )
    words = ("one minimiser" if common else "two optima", "one winner" if spread else "independent signs")
    where = "aggregation as in (1)" if eq1 else "aggregation as in Algorithm 1"
    name = f"{2 * n} clients, {', '.join(words)}, {where}, weights known {latest.words}"
    uses = (outcomes_of_noise, leaning, weighted_noise)
    same = units({"mu": (1, -2), "start": (0, 1), "sigma": (1, -1)}) if common else _UNITS
    return case(name, space, seen, seen_exact, uses=uses, cost=8.0, symmetries=(same,), n=n, spread=spread, eq1=eq1)


def seen_rounds(
    latest: Instant, *, conventions: tuple[bool, ...] = (False, True), common: bool = False, positive: bool = False
) -> tuple[Case, ...]:
    """Weights known at `latest`; `conventions`: whether as in (1); `common`: one minimiser; `positive`: no weight of 0."""
    kinds = ((1, 2), (2, 5), (7, 50), (0, 2), (0, 3))
    highest = 0.99 if positive else 1.0
    return tuple(_seen(latest, eq1, *kind, common, highest) for eq1 in conventions for kind in kinds)


def judged(x: Instance) -> Mapping[str, Any]:
    """FedWorse judged by the local models: the noisy client of the group at −δ is always the worst, alone."""
    mu, spread, E, one, unit = x["mu"], x["spread"], x["local_steps"], np.ones_like(x["mu"]), x["sigma"] / x["mu"]
    delta, start, gamma, T = x.get("apart", 0 * one), x.get("start", 0 * one), 4 * x["loose"], E * x["rounds"]
    end = ((gamma - 1) * start + x["rounds"] * spread * unit - T * delta) / (T + gamma - 1)
    reach = np.maximum(start, delta + spread * unit)
    found: dict[str, Any] = {
        "gap": mu / 2 * end**2,
        "L": x["loose"] * mu,
        "mu": mu,
        "tau": E,
        "T": T,
        "sigma2": x["sigma"] ** 2,
    }
    found |= {"G2": (mu * (reach + delta)) ** 2 + x["sigma"] ** 2, "Gamma": mu * delta**2 / 2, "D0": start**2}
    found |= {"rho": one, "rho_best": one, "admissible": spread * unit >= E * delta}
    return {**found, "sizes": {"gap": mu * reach**2}}


def judged_exact(x: Mapping[str, Any]) -> Pair:
    """In each round the local models of the four kinds of clients, their losses, and the worst one taken.

    mu/2 (w - m)^2 with m = apart or -apart, equal shares, w* = 0; in each half one of r^2 + 1 clients has noise r sigma, the
    others -sigma/r, in the first step. The weights are known before the last step of the round (E >= 2); until then all
    models come nearer to their optima by one factor, so the order of their losses is that after the first step.
    """
    mu, sigma, r, zero, E, t = x["mu"], x["sigma"], x["spread"], Fraction(0), int(x["local_steps"]), 0
    delta, start, gamma = x.get("apart", zero), x.get("start", zero), 4 * x["loose"]
    w, reach, skews, alone, rare = start, max(start, delta + r * sigma / mu), [], True, 1 / (r**2 + 1)
    kinds, unit = [(m, n) for m in (-delta, delta) for n in (r, -1 / r)], sigma / mu
    pushes = [m + n * unit for m, n in kinds]
    for _ in range(int(x["rounds"]) + 1):
        # The weight is on a client at -delta, as is checked below: rho(t, w) of (6), where it is defined.
        skews.append((w + delta) ** 2 / (w**2 + delta**2))
        if t == E * x["rounds"]:
            break
        ahead = t + gamma  # eta_t mu = 1/(t + gamma)
        models = [w + (push - w) / ahead for push in pushes]
        losses = [abs(v - m) for v, (m, _) in zip(models, kinds, strict=True)]  # in their order
        alone = alone and (losses[0] > max(losses[1:]) if delta > 0 else losses[0] > max(losses[1], losses[3]))
        t = t + E
        w = (models[0] + delta) * ahead / (t + gamma - 1) - delta  # the product of 1 - 1/(s + gamma) telescopes
    noise = rare * r - (1 - rare) / r, rare * r**2 + (1 - rare) / r**2
    met = {
        "mu-strong convexity and L-smoothness, L = loose mu": mu > 0 and x["loose"] >= 1,
        "more than one local step": E >= 2,
        "noise of mean 0 and second moment sigma^2": noise == (0, 1),
        "the worst local model is the noisy one at -apart, in every round": alone,
        "the start is not beyond the optima's middle": start >= 0,
        "rho is least at the start and 1 at w*, or 1 throughout": min(skews) == skews[0] == 1,
    }
    found: dict[str, Any] = {"gap": mu * w**2 / 2, "L": x["loose"] * mu, "mu": mu, "tau": Fraction(E), "T": Fraction(t)}
    found |= {"G2": (mu * (reach + delta)) ** 2 + sigma**2, "sigma2": sigma**2, "Gamma": mu * delta**2 / 2}
    return met, {**found, "D0": start**2, "rho": Fraction(1), "rho_best": Fraction(1)}


def worst_local_model(*, common: bool = False) -> Case:
    """Sec. 3.1: «the client's local model with the worst performance at the end of the previous communication round».

    Two groups, one client of each with noise r in the first step after an aggregation, the others with −1/r; every draw
    gives the same run. `common`: one minimiser, Γ = 0, and a start elsewhere; else the start is w*.
    """
    from_elsewhere = (LogScale("start", 1e-6, 1e2, at=(1e-6, 1.0)), Choice("spread", (1.0, 2.0, 7.0)))
    from_best = (LogScale("apart", 1e-6, 1.0, at=(1e-6, 1e-3)), Choice("spread", (2.0, 7.0)))
    space = Space(
        (
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            LogScale("loose", 1.0, 1e2, at=(1.0,)),
            LogScale("sigma", 1e-2, 1e2, at=(1.0,)),
            *(from_elsewhere if common else from_best),
            Integer("local_steps", 2, 10, at=(2,)),
            Integer("rounds", 1, 3000, at=(100, 2000)),
        )
    )
    names = {c.name for c in space.coordinates}
    scales = {"mu": (1, -2), "apart": (0, 1), "start": (0, 1), "sigma": (1, -1)}
    same = (units({k: v for k, v in scales.items() if k in names}),)
    name = "FedWorse judged by the local models" + (", one minimiser" if common else ", from w*")
    return case(name, space, judged, judged_exact, cost=8.0, symmetries=same)


def inside(x: Instance) -> Mapping[str, Any]:
    """Three clients of which two pull against each other: at w* whenever (7) looks, and elsewhere in between."""
    a, b, eps, E = x["curvature"], x["distance"], x["share"], x["local_steps"]
    up = down = up_at = down_at = np.zeros_like(a)
    for k in range(int(E.max())):
        eta = 1 / (k + 8.0)
        up, down = np.where(k < E, up + eta * (1 - up), up), np.where(k < E, down - 2 * eta * (1 + down), down)
        up_at, down_at = np.where(k < x["inside"], up, up_at), np.where(k < x["inside"], down, down_at)
    v = -down / (up - down)
    end, scale = v * up_at + (1 - v) * down_at, a * b**2 * (v * np.abs(up_at) + (1 - v) * np.abs(down_at)) ** 2
    found: dict[str, Any] = {
        "gap": a * b**2 * (1 + eps / 2) * end**2 / 2,
        "L": 2 * a,
        "mu": a,
        "tau": E,
        "T": x["inside"],
        "D0": 0 * a,
    }
    found |= {"G2": 16 * (a * b) ** 2, "sigma2": 0 * a, "Gamma": eps * a * b**2, "rho": 0.5 / eps, "rho_best": 1 / eps}
    return {**found, "admissible": x["inside"] < E, "sizes": {"gap": scale}}


def inside_exact(x: Mapping[str, Any]) -> Pair:
    """F(w_T) - F* for T inside the first round; rho bounded from below and rho_best from above for the run without end.

    Every later round begins at 0, too, and ends there: its models are v w_1 + (1 - v) w_2 with w_1 > 0 > w_2 for some v in (0, 1).
    """
    a, b, eps, E, T = x["curvature"], x["distance"], x["share"], int(x["local_steps"]), int(x["inside"])
    h, c, p, local = (a, 2 * a, a), (b, -b, 0 * b), (eps, eps / 2, 1 - 3 * eps / 2), [Fraction(0)] * 3
    paths = [local]
    for t in range(E):
        eta = 1 / (a * t + 4 * 2 * a)  # 1/(mu (t + gamma)), gamma = 4 L/mu
        local = [w - eta * h[i] * (w - c[i]) for i, w in enumerate(local)]
        paths.append(local)
    v = -local[1] / (local[0] - local[1])
    weights = (v, 1 - v, Fraction(0))

    def mixed(row: Any, values: Any) -> Any:
        return sum(q * u for q, u in zip(row, values, strict=True))

    own = [h[i] * c[i] ** 2 / 2 for i in range(3)]  # F_i(0) - F_i*
    skew, gap = mixed(weights, own) / mixed(p, own), mixed(p, h) * mixed(weights, paths[min(T, E)]) ** 2 / 2
    met = {
        "mu = a, L = 2 a, shares positive": a > 0 and b > 0 and min(p) > 0,
        "w* = 0": mixed(p, [s * m for s, m in zip(h, c, strict=True)]) == 0,
        "weights on the simplex": 0 < v < 1,
        "the round ends where it began": mixed(weights, paths[E]) == 0,
        "1/(2 eps) <= rho(kE, 0) <= 1/eps": 1 / (2 * eps) <= skew <= 1 / eps,
        "models between -b and b, where |F_i'| <= 4 a b": max(abs(w) for path in paths for w in path) <= b,
        "0 < T < E": 0 < T < E,
    }
    found: dict[str, Any] = {"gap": gap, "L": 2 * a, "mu": a, "tau": Fraction(E), "T": Fraction(T), "D0": Fraction(0)}
    found |= {"G2": (4 * a * b) ** 2, "sigma2": Fraction(0), "Gamma": mixed(p, own)}
    return met, {**found, "rho": 1 / (2 * eps), "rho_best": 1 / eps}


def inside_a_round() -> Case:
    """h/2·(w − c)², h = (1, 2, 1)·a and c = (1, −1, 0)·b, shares (ε, ε/2, 1 − 3ε/2): w* = 0; T within the first round.

    From w₀ = 0 each round has weights (v, 1 − v, 0) that end it at 0 again, for ever. ρ(kE, 0) = (2 − v)/(2ε), so that
    1/(2ε) <= ρ̄ <= ρ̃ <= 1/ε for the whole endless run; these ends make the right side of (9) larger than ρ̄ and ρ̃ do.
    """
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            LogScale("distance", 1e-2, 1e2, at=(1.0,)),
            LogScale("share", 1e-12, 0.5, at=(1e-12, 1e-9)),
            Integer("local_steps", 2, 6, at=(2,)),
            Integer("inside", 1, 5, at=(1,)),
        )
    )
    same = (units({"curvature": (1, -2), "distance": (0, 1)}),)
    return case("at w* whenever (7) looks", space, inside, inside_exact, symmetries=same)

"""Quadratic clients with diagonal curvature: skews at a model, at w* and at the limit of fixed weights, and short runs.

Fixed weights a with step sizes that fall to 0 end at the minimiser of ΣaᵢFᵢ, whatever the number of local steps.
`common`: 1 puts all minimisers at 0, so that Γ = 0; `equal`: 1 makes all shares 1/N. `line` says what is measured; see `_LINES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.clients import among
from paper_checks.robust_aggregation.runs import optima_differ
from validation import Choice, Family, Instance, LogScale, Signed, Simplex
from validation.statement.draw import Coordinate

__all__ = ["DEGREES", "federations"]

_LINES = {
    "rho": 1,  # ρ(t, w)
    "below": 2,  # π, the least κ
    "floor": 3,  # Γ + μ/2 ‖w − w*‖²
    "undefined": 4,  # whether ρ(t, w) is undefined
    "undefined_best": 5,  # whether ρ(t, w*) is undefined
    "kappa_range": 6,  # by how much π <= 1 <= Π is missed
    "limit": 7,  # F − F* where fixed weights end
    "error": 8,  # by how much ρ(w*)/ρ(limit) stays below 1
    "window": 9,  # by how much ρ̃/ρ̄ over the rounds of a run stays below 1
    "order": 10,  # by how much two weightings are ordered otherwise by E than by their limits
    "own_path": 11,  # ρ̄ of given weights over ρ̄ of FedWorse, each on its own run
    "own_loss": 12,  # F(w_T) of FedWorse over that of given weights
    "ratio": 13,  # ρ̃/ρ̄ of FedWorse
    "first": 14,  # the wanted skew over what the best weights reach at the first model
    "loss": 16,  # the excess of F at the limit of FedAvg over that at the limit of other weights
    "average": 17,  # F(w_T) of FedAvg over that of FedWorse
    "better": 18,  # F(w_T) of FedBetter over that of FedAvg
    "ends": 19,  # the excess at the limit, losses alike within any factor
}
DEGREES = {
    **dict.fromkeys(("rho", "Pi", "pi", "N", "rho_best", "rho_limit", "least_share", "alike"), (0, 0)),
    **dict.fromkeys(("below", "Gamma"), (1, 0)),
    **dict.fromkeys(("mu", "L"), (1, -2)),
}


def _losses(x: Instance, at: Any) -> Any:
    return 0.5 * (x["spectrum"] * (at[:, None] - x["optimum"]) ** 2).sum(axis=-1)


def _minimiser(x: Instance, weights: Any) -> Any:
    pull = weights[..., None] * x["spectrum"]
    return (pull * x["optimum"]).sum(axis=1) / pull.sum(axis=1)


def _skew(x: Instance, weights: Any, at: Any) -> Any:
    losses = _losses(x, at)
    with np.errstate(all="ignore"):
        return (weights * losses).sum(axis=1) / (x["share"] * losses).sum(axis=1)


def _run(x: Instance, rule: int) -> tuple[Any, Any, Any]:
    """(ρ̄, ρ̃, F(w_T) − ΣpᵢFᵢ*) of a run; rule 0 the given weights of each round, 1 FedWorse, 2 FedBetter, 3 FedAvg."""
    w, L, best = x["model"], x["spectrum"].max(axis=(1, 2)), _minimiser(x, x["share"])
    low, high = np.full(len(w), np.inf), np.full(len(w), -np.inf)
    for r in range(x["weights"].shape[1]):
        losses = _losses(x, w) * (-1 if rule == 2 else 1)
        top = losses == losses.max(axis=1, keepdims=True)
        a = top / top.sum(axis=1, keepdims=True) if rule in (1, 2) else x["weights"][:, r] if rule == 0 else x["share"]
        low, high = np.fmin(low, _skew(x, a, w)), np.fmax(high, _skew(x, a, best))
        step = (x["step"] / L / (1 + x["fade"] * r))[:, None, None]
        kept = (1 - step * x["spectrum"]) ** x["local_steps"][:, None, None]
        w = (a[..., None] * (x["optimum"] + kept * (w[:, None] - x["optimum"]))).sum(axis=1)
    return low, high, (x["share"] * _losses(x, w)).sum(axis=1)


def _measured(x: Instance) -> Mapping[str, Any]:
    line, common = int(x["line"][0]), x["common"][0] > 0
    x = {**x, "optimum": 0 * x["optimum"]} if common else x
    x = {**x, "share": np.full(x["share"].shape, 1.0 / x["share"].shape[1])} if x["equal"][0] > 0 else x
    p, w, a = x["share"], x["model"], x["weights"][:, 0]
    best, end = _minimiser(x, p), _minimiser(x, a)
    below, gamma = ((p * _losses(x, v)).sum(axis=1) for v in (w, best))
    at_end = (p * _losses(x, end)).sum(axis=1)
    kappa = x["weights"] / p[:, None]
    pi, Pi = kappa.min(axis=(1, 2)), kappa.max(axis=(1, 2))
    mu, L = x["spectrum"].min(axis=(1, 2)), x["spectrum"].max(axis=(1, 2))
    reach = (w**2).sum(axis=-1) + (x["optimum"] ** 2).sum(axis=-1).max(axis=1)
    away = ((w - best) ** 2).sum(axis=-1)
    rho, rho_best, rho_end = _skew(x, a, w), _skew(x, a, best), _skew(x, a, end)
    resolved = ok = np.ones(len(w), dtype=bool)
    differ = optima_differ(p, x["optimum"])
    sharp = gamma > 1e-13 * (p[..., None] * x["spectrum"] * x["optimum"] ** 2).sum(axis=(1, 2))
    spread = [_losses(x, v) for v in (best, end)]
    with np.errstate(all="ignore"):
        alike = np.max([v.max(axis=1) / v.min(axis=1) for v in spread], axis=0)
    big, found = L * reach, 0 * gamma
    with np.errstate(all="ignore"):
        if line == 1:
            found, big, ok, resolved = rho, 1 + Pi, below > 0, below > 1e-9 * L * reach
        elif line == 2:
            found, big, ok, resolved = pi, 1 + Pi, below > 0, below > 1e-9 * L * reach
        elif line == 3:
            found = gamma + mu / 2 * away
        elif line in (4, 5):
            found = ((below if line == 4 else gamma) <= 0).astype(float)
            big = 0 * found
            apart = (x["optimum"] != x["optimum"][:, :1]).any(axis=(1, 2))
            ok = away > 1e-18 * reach if x["as_stated"][0] == 1 else apart if x["as_stated"][0] == 2 else ok
        elif line == 6:
            found, big = np.maximum(pi - 1, 1 - Pi), Pi
        elif line in (7, 19):
            # Half a sum of squares, so that nothing cancels; nearer to w* than this the right side is mostly rounding.
            found = ((p[..., None] * x["spectrum"]).sum(axis=1) * (end - best) ** 2).sum(axis=-1) / 2
            ok, resolved = differ & (found > 0), sharp & (found > 1e-13 * gamma)
        elif line == 8:
            found, big, ok = 1 - rho_best / rho_end, 1 + rho_best / rho_end, differ
            resolved = sharp
        elif line in (9, 11, 12, 13, 17, 18):
            low, high, last = _run(x, {13: 1, 17: 3, 18: 2}.get(line, 0))
            ok = (below > 0) & (differ | common)
            resolved = (below > 1e-9 * L * reach) & (np.isfinite(high) & sharp | common)
            big = 1 + high
            if line == 9:
                found = 1 - high / low
            elif line == 13:
                found, big = high / low, high / low
            else:
                low_other, _, last_other = _run(x, 3 if line == 18 else 1)
                found = low - low_other if line == 11 else last_other - last if line == 12 else last - last_other
                big = low + low_other if line == 11 else 1e-3 * (last + last_other)
        elif line == 14:
            found, big = x["wanted"] - _losses(x, w).max(axis=1) / below, x["wanted"]
        elif line == 10:
            b = x["weights"][:, 1]
            other = _minimiser(x, b)
            ranks = rho_best / rho_end - _skew(x, b, best) / _skew(x, b, other)
            found = -ranks * (at_end - (p * _losses(x, other)).sum(axis=1))
            ok, resolved = differ, sharp
        elif line == 16:
            found = gamma - at_end
    return {
        "lhs": np.where(np.isfinite(found), found, np.nan),
        "rho": rho,
        "rho_best": rho_best,
        "rho_limit": rho_end,
        "pi": pi,
        "Pi": Pi,
        "N": np.full(len(w), float(p.shape[1])),
        "least_share": p.min(axis=1),
        "alike": alike,
        "below": below,
        "Gamma": gamma,
        "mu": mu,
        "L": L,
        "magnitude": np.nan_to_num(big),
        "admissible": ok & (np.isfinite(alike) | (line != 19)),
        "resolved": resolved,
    }


def losses_at(spectrum: Any, optimum: Any, w: Any) -> list[Any]:
    """F_i(w) - F_i* of every client."""
    return [
        sum(h * (u - v) ** 2 for h, u, v in zip(s, w, m, strict=True)) / 2
        for s, m in zip(spectrum, optimum, strict=True)
    ]


def mixed(weights: Any, values: Any) -> Any:
    """sum_i a_i v_i."""
    return sum((a * v for a, v in zip(weights, values, strict=True)), Fraction(0))


def minimiser(weights: Any, spectrum: Any, optimum: Any) -> list[Any]:
    """Where the weighted mean of the clients is least."""
    total = [mixed(weights, [s[j] for s in spectrum]) for j in range(len(spectrum[0]))]
    pulls = [mixed(weights, [s[j] * m[j] for s, m in zip(spectrum, optimum, strict=True)]) for j in range(len(total))]
    return [u / v for u, v in zip(pulls, total, strict=True)]


def short_run(x: Mapping[str, Any], h: Any, m: Any, rule: int) -> tuple[list[Any], list[Any], Any]:
    """(rho(t, w_t) of every round, rho(t, w*) of every round, sum p_i (F_i - F_i*) after the last)."""
    p, w, L = x["share"], list(x["model"]), max(max(s) for s in h)
    at_best, n = losses_at(h, m, minimiser(p, h, m)), len(p)
    skews, skews_best = [], []
    for r, given in enumerate(x["weights"]):
        here = losses_at(h, m, w)
        extreme = min(here) if rule == 2 else max(here)
        top = [i for i in range(n) if here[i] == extreme]
        hard = [Fraction(int(i in top), len(top)) for i in range(n)]
        a = given if rule == 0 else p if rule == 3 else hard
        skews.append(mixed(a, here) / mixed(p, here))
        if mixed(p, at_best) > 0:
            skews_best.append(mixed(a, at_best) / mixed(p, at_best))
        eta, E = x["step"] / L / (1 + x["fade"] * r), int(x["local_steps"])
        ends = [
            [c + (1 - eta * k) ** E * (v - c) for k, c, v in zip(s, o, w, strict=True)]
            for s, o in zip(h, m, strict=True)
        ]
        w = [mixed(a, [e[j] for e in ends]) for j in range(len(w))]
    return skews, skews_best, mixed(p, losses_at(h, m, w))


def measured_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The line `line` and the constants of one federation."""
    n = len(x["share"])
    x = {**x, "share": [Fraction(1, n)] * n} if x["equal"] > 0 else x
    line, p, w, h = int(x["line"]), x["share"], x["model"], x["spectrum"]
    m = [[0 * v for v in row] for row in x["optimum"]] if x["common"] > 0 else x["optimum"]
    a = x["weights"][0]
    best, end = minimiser(p, h, m), minimiser(a, h, m)
    here, at_best, at_end = losses_at(h, m, w), losses_at(h, m, best), losses_at(h, m, end)
    below, Gamma, last = mixed(p, here), mixed(p, at_best), mixed(p, at_end)
    kappa = [u / q for row in x["weights"] for u, q in zip(row, p, strict=True)]
    away = sum((u - v) ** 2 for u, v in zip(w, best, strict=True))
    mu, L, zero = min(min(s) for s in h), max(max(s) for s in h), Fraction(0)
    rho = mixed(a, here) / below if below > 0 else zero
    rho_best = mixed(a, at_best) / Gamma if Gamma > 0 else zero
    rho_end = mixed(a, at_end) / last if last > 0 else zero
    alike = max(max(v) / min(v) for v in (at_best, at_end)) if min(at_best + at_end) > 0 else zero
    stated, lhs = True, zero
    if line in (1, 2):
        lhs, stated = rho if line == 1 else min(kappa), below > 0
    elif line == 3:
        lhs = Gamma + mu * away / 2
    elif line in (4, 5):
        lhs = Fraction(int((below if line == 4 else Gamma) <= 0))
        stated = {0: True, 1: list(w) != best, 2: any(row != m[0] for row in m)}[int(x["as_stated"])]
    elif line == 6:
        lhs = max(min(kappa) - 1, 1 - max(kappa))
    elif line in (7, 19):
        lhs, stated = last - Gamma, Gamma > 0 and (line == 7 or alike > 0)
    elif line == 8:
        stated = Gamma > 0
        lhs = 1 - rho_best / rho_end
    elif line == 14:
        stated = below > 0
        lhs = x["wanted"] - max(here) / below
    elif line == 10:
        other, stated = minimiser(x["weights"][1], h, m), Gamma > 0
        there = losses_at(h, m, other)
        ratio = mixed(x["weights"][1], at_best) / Gamma / (mixed(x["weights"][1], there) / mixed(p, there))
        lhs = -(rho_best / rho_end - ratio) * (last - mixed(p, there))
    elif line == 16:
        lhs = Gamma - last
    else:
        stated = below > 0 and (Gamma > 0 or x["common"] > 0)
        skews, skews_best, final = short_run(x, h, m, {13: 1, 17: 3, 18: 2}.get(line, 0))
        if line in (9, 13):
            ratio = max(skews_best) / min(skews)
            lhs = ratio if line == 13 else 1 - ratio
        else:
            skews_other, _, final_other = short_run(x, h, m, 3 if line == 18 else 1)
            lhs = (
                min(skews) - min(skews_other)
                if line == 11
                else final_other - final
                if line == 12
                else final - final_other
            )
    hypotheses = {
        "mu-strong convexity and L-smoothness (eigenvalues given)": mu > 0,
        "shares positive, weights on the simplex": min(p) > 0
        and all(sum(v) == 1 and min(v) >= 0 for v in [p, *x["weights"]]),
        "what the statement supposes": stated,
    }
    constants = {"lhs": lhs, "rho": rho, "rho_best": rho_best, "rho_limit": rho_end, "pi": min(kappa), "Pi": max(kappa)}
    constants |= {"N": Fraction(n), "least_share": min(p), "alike": alike, "below": below, "Gamma": Gamma}
    return hypotheses, constants | {"mu": mu, "L": L}


def federations(
    line: str,
    *,
    rounds: int = 1,
    common: bool = False,
    stated: int = 0,
    interior: bool = False,
    equal: bool = False,
    sizes: tuple[tuple[int, int, int], tuple[int, int, int]] = ((1, 2, 300), (1, 1, 8)),
    narrow: float = 1e2,
) -> Family:
    """One line, for all N and d in `sizes`; `rounds`: rounds of a run (or weightings), weights drawn for each."""
    flags = {"line": _LINES[line], "common": common, "as_stated": stated, "equal": equal}

    def coordinates(n: int, dim: int) -> tuple[Coordinate, ...]:
        share: Coordinate = Simplex("share", n, interior=True)
        return (
            share,
            Simplex("weights", n, (rounds,), interior=interior),
            LogScale("spectrum", 1 / narrow, narrow, (n, dim), at=(1 / narrow, 1.0, narrow)),
            Signed("optimum", 1e-3, 1e2, (n, dim)),
            Signed("model", 1e-3, 1e2, (dim,)),
            LogScale("step", 1e-3, 0.25, at=(0.25,)),
            LogScale("fade", 1e-3, 1e2, at=(1.0,)),
            Choice("local_steps", (1.0, 2.0, 5.0)),
            LogScale("wanted", 1.0, 1e6),
            *(Choice(name, (float(value),)) for name, value in flags.items()),
        )

    axes = {"share": 0, "spectrum": 0, "optimum": 0, "weights": 1}
    name, n_sizes, n_dims = "diagonal quadratics", *sizes
    return among(name, coordinates, _measured, measured_exact, _USES, by_client=axes, clients=n_sizes, dims=n_dims)


_USES = (losses_at, mixed, minimiser, short_run)

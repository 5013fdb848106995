"""Runs in closed form that come as near to the bounds of Corollary 1 and Sec. 2.5.2 as runs can: all curvatures 1, any T.

One step a round, fixed weights, ηₜ = 1/(t + 4L): (t + 4L − 1)(wₜ − Σαᵢmᵢ) never changes, mᵢ the optima.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import Pair
from validation import Case, Instance, case
from validation.statement.instances.draw import Coordinate, Integer, LogScale, Signed, Space

__all__ = ["led_from_afar", "one_against_many"]

_LOOSE, _LONG = LogScale("loose", 1.0, 1e3, at=(1.0, 3.0)), Integer("T", 1, 10**8, at=(1, 1_000, 10**6, 10**8))


def against_many(x: Instance) -> Mapping[str, Any]:
    """One client of optimum `apart` against N − 1 of optimum 0, whose κ is `kept`; `odd`: their shares over its own."""
    n, L, T, far, pi, one = x["N"], x["loose"], x["T"], x["apart"], x["kept"], np.ones_like(x["loose"])
    p = 1 / (1 + (n - 1) * x.get("odd", one))
    a = 1 - pi * (1 - p)
    best, goal = p * far, a * far
    start = best + x["aim"]
    last, end = (goal + (start - goal) * (4 * L - 1) / (t + 4 * L - 1) for t in (T - 1, T))
    reach = np.maximum(far, np.abs(start))
    G2 = np.max([w**2 for v in (start, last) for w in (v, v - far)], axis=0)
    found = {"gap": (end - best) ** 2 / 2, "D0": x["aim"] ** 2, "Gamma": p * (1 - p) * far**2 / 2, "G2": G2, "L": L}
    found |= {"mu": one, "tau": one, "T": T, "sigma2": 0 * one, "pi": pi, "Pi": a / p, "N": n}
    return {**found, "least": np.minimum(p, (1 - p) / (n - 1)), "sizes": {"gap": reach**2}}


def against_many_exact(x: Mapping[str, Any]) -> Pair:
    """Client 1 of optimum `apart`, the others of optimum 0; weights kept * p_i for all but client 1."""
    n, L, T, far, pi, one = x["N"], x["loose"], x["T"], x["apart"], x["kept"], Fraction(1)
    p = 1 / (1 + (n - 1) * x.get("odd", one))
    other = (1 - p) / (n - 1)
    a, lower = 1 - (n - 1) * pi * other, pi * other
    best, goal = p * far, a * far
    start = best + x["aim"]
    # k(w_t - goal) is the same at every t, for k = t + 4 L - 1: eta_t = 1/(t + 4 L) and all curvatures are 1.
    last, end = (goal + (start - goal) * (4 * L - 1) / (t + 4 * L - 1) for t in (T - 1, T))
    met = {
        "L >= mu = 1": L >= 1,
        "N >= 2 and T >= 1 are whole": n >= 2 and T >= 1 and int(n) == n and int(T) == T,
        "shares positive, on the simplex": min(p, other) > 0 and p + (n - 1) * other == 1,
        "weights positive, on the simplex": min(a, lower) > 0 and a + (n - 1) * lower == 1,
        "optima differ (Remark 2)": far > 0,
    }
    # A squared slope is convex, and the models lie between the first and the last of them.
    slopes = [w - c for w in (start, last) for c in (Fraction(0), far)]
    found: dict[str, Any] = {"gap": (end - best) ** 2 / 2, "D0": x["aim"] ** 2, "G2": max(s**2 for s in slopes)}
    found |= {"Gamma": (p * (best - far) ** 2 + (1 - p) * best**2) / 2, "L": L, "mu": one, "tau": one, "T": T}
    kappas = (a / p, lower / other)
    found |= {"sigma2": Fraction(0), "pi": min(kappas), "Pi": max(kappas), "N": n}
    return met, {**found, "least": min(p, other)}


def one_against_many(*, equal: bool) -> Case:
    """2 to a million clients, all weight that π leaves on one of them, whose share is that of the others if `equal`."""
    odd: tuple[Coordinate, ...] = () if equal else (LogScale("odd", 1e-3, 1e3, at=(1.0,)),)
    space = Space(
        (
            Integer("N", 2, 10**6, at=(2, 100, 10**6)),
            *odd,
            LogScale("kept", 1e-3, 1.0, at=(0.5, 1.0)),
            LogScale("apart", 1e-2, 1e2, at=(1.0,)),
            Signed("aim", 1e-3, 1e2),
            _LOOSE,
            _LONG,
        )
    )
    return case("one client against many, any T", space, against_many, against_many_exact, cost=2.0)


def led(x: Instance, *, endless: bool = True) -> Mapping[str, Any]:
    """Two clients at ±near·apart hold nearly all data, two at ±apart all weight, (1 ± lean)/2; the start is behind w* = 0."""
    b, far, tiny, lean, L, T = x["near"], x["apart"], x["tiny"], x["lean"], x["loose"], x["T"]
    one, goal, start = np.ones_like(L), lean * far, -x["behind"] * far
    last, end = (goal + (start - goal) * (4 * L - 1) / (t + 4 * L - 1) for t in (T - 1, T))
    apart2 = far**2 * (b**2 * (1 - 2 * tiny) + 2 * tiny)

    def skew(w: Any) -> Any:
        return ((w - goal) ** 2 + far**2 * (1 - lean**2)) / (w**2 + apart2)

    low = np.minimum(skew(start), skew(end))
    G2 = (np.maximum(-start, np.abs(last)) + far) ** 2
    found = {"gap": end**2 / 2, "D0": start**2, "Gamma": apart2 / 2, "G2": G2, "L": L, "mu": one, "tau": one, "T": T}
    found |= {"sigma2": 0 * one, "rho": low, "rho_best": np.maximum(skew(0 * one), low if endless else 0)}
    return {**found, "sizes": {"gap": goal**2 + start**2}}


def led_exact(x: Mapping[str, Any], *, endless: bool = True) -> Pair:
    """Optima +-near and +-1, in units of apart; shares 1/2 - tiny twice and tiny twice, all weight on the last two."""
    far, L, T, half, one = x["apart"], x["loose"], x["T"], Fraction(1, 2), Fraction(1)
    m = [-x["near"] * far, x["near"] * far, far, -far]
    p = [half - x["tiny"], half - x["tiny"], x["tiny"], x["tiny"]]
    a = [0 * half, 0 * half, (1 + x["lean"]) / 2, (1 - x["lean"]) / 2]
    best, goal = (sum(q * c for q, c in zip(row, m, strict=True)) for row in (p, a))
    start = best - x["behind"] * far
    last, end = (goal + (start - goal) * (4 * L - 1) / (t + 4 * L - 1) for t in (T - 1, T))

    def excess(row: Any, w: Any) -> Any:
        return sum(q * (w - c) ** 2 for q, c in zip(row, m, strict=True)) / 2

    # From behind w* the model comes nearer to the goal, never beyond it. There the skew, a quotient of two parabolas, has no
    # least value but at an end: its derivative has the sign of goal w^2 + (v - goal^2 - s) w - goal v, negative at the goal
    # and positive far behind, v and s being the spreads of the optima under p and under the weights.
    skews = [excess(a, w) / excess(p, w) for w in (start, end)]
    met = {
        "L >= mu = 1, T >= 1 whole": L >= 1 and T >= 1 and int(T) == T,
        "p and the weights on the simplex": all(sum(row) == 1 and min(row) >= 0 for row in (p, a)),
        "the skew is defined (Remark 2), rho > 0": excess(p, best) > 0 and min(skews) > 0,
        "w_0 behind w*, no model beyond the goal": start <= best <= goal and end <= goal,
    }
    found: dict[str, Any] = {"gap": (end - best) ** 2 / 2, "D0": (start - best) ** 2, "Gamma": excess(p, best)}
    found |= {"G2": max((w - c) ** 2 for w in (start, last) for c in m), "L": L, "mu": one, "tau": one, "T": T}
    rho_best = excess(a, best) / excess(p, best)
    found |= {"sigma2": 0 * one, "rho": min(skews), "rho_best": max(rho_best, min(skews)) if endless else rho_best}
    return met, found


def led_from_afar(*, endless: bool) -> Case:
    """All weight on two clients far apart on both sides, which hold hardly any data: ρ̃/ρ̄ is then just what the gap needs.

    ρ̄ and ρ̃ over the rounds up to T, or of a run that goes on with ρ̃ >= ρ̄ (`endless`).
    """
    space = Space(
        (
            LogScale("near", 1e-6, 1.0, at=(1e-6, 1e-3)),
            LogScale("apart", 1e-2, 1e2, at=(1.0,)),
            LogScale("tiny", 1e-12, 0.1, at=(1e-12, 1e-6)),
            LogScale("lean", 1e-4, 0.9, at=(1e-2, 0.1)),
            LogScale("behind", 1e-6, 10.0, at=(1e-6, 1.0)),
            _LOOSE,
            _LONG,
        )
    )
    return case("led from afar, any T", space, led, led_exact, cost=2.0, endless=endless)

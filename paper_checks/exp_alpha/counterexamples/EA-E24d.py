"""Counterexample to EA-E24d.

Reading: the step sizes alone, ηₜ non-decreasing.
Instance: one client, E = 10, steps that rise.
Claimed: The step sizes of a round may be replaced by its first, which is at most twice any later one.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def steps_exact(x: Mapping[str, Any]) -> list[Any]:
    """eta_t0, ..., eta_(t0 + E - 1)."""
    gone, etas = Fraction(0), []
    for part in x["parts"]:
        gone += part
        etas.append(x["step"] / x["curvature"] * (1 + (x["late"] - 1) * gone))
    return etas


def path_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], dict[str, Any]]:
    """Raw second moments: u = w - m, S = sum eta_j g_j, G = sum g_j over the terms of the sum."""
    h, etas, E = x["curvature"], steps_exact(x), len(x["parts"])
    terms = E if x["whole"] > 0 else E - 1
    first = x["start"] - x["optimum"]
    u, uu, uG, GG = first, first * first, Fraction(0), Fraction(0)
    seconds, scaled, var = [], Fraction(0), (h * x["sigma"]) ** 2
    for eta in etas[:terms]:
        second, keep = h * h * uu + var, 1 - eta * h
        seconds.append(second)
        scaled += eta * eta * second
        GG += 2 * h * uG + second
        uG = keep * (uG + h * uu) - eta * var
        u, uu = keep * u, keep * keep * uu + eta * eta * var
    met = {
        "strongly convex, smooth": h > 0,
        "parts of the fall on the simplex": sum(x["parts"]) == 1 and min(x["parts"]) >= 0,
        "eta_t <= 2 eta_(t+E) for all t >= 0": x["step"] > 0 and x["step"] <= 2 * x["step"] * x["late"],
    }
    if x["rising"] > 0:
        met["eta_t non-decreasing"] = x["late"] >= 1
    else:
        met["eta_t non-increasing"] = x["late"] <= 1
    return met, {
        "moved2": first * first - 2 * first * u + uu,
        "summed2": GG,
        "scaled2": scaled,
        "total": sum(seconds, Fraction(0)),
        "G2": max([*seconds, h * h * uu + var]),
        "eta_first": etas[0],
        "eta": etas[-1],
        "eta_top": max(etas[: max(terms, 1)]),
        "terms": Fraction(terms),
        "E": Fraction(E),
    }


def ordered_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: by how much eta_j <= eta_t0 or eta_t0 <= 2 eta_t is missed, t_0 <= j < t."""
    met, c = path_exact(x)
    return met, {**c, "lhs": max(c["eta_top"] - c["eta_first"], c["eta_first"] - 2 * c["eta"])}


INSTANCE = {
    'curvature': Fraction(1),
    'optimum': Fraction(0),
    'start': Fraction(0),
    'sigma': Fraction(0),
    'step': Fraction(1),
    'late': Fraction(2),
    'parts': [Fraction(0), Fraction(0), Fraction(1), Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0)],
    'whole': Fraction(0),
    'rising': Fraction(1),
}
hypotheses, constants = ordered_exact(INSTANCE)
lhs = constants["lhs"]
rhs = Fraction(0)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    try:
        about = f"{float(value):.6g}"
    except OverflowError:
        about = "beyond the range of floats"
    print(f"{side} = {value} = {about}" if short else f"{side} = about {about}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)

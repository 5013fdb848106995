"""One client's local SGD steps in a round, on the line: exact second moments of its gradients and of their sums.

F(w) = h/2·(w − m)², noise of mean 0 and variance (hσ)², independent over steps. In units of 1/h the round's step sizes
start at `step` and go to step·late, in E portions drawn on the simplex; they stay there afterwards. The sums run over the first E − 1
gradients (Lemma 3, which looks at t = t₀ + E − 1) or over all E (Lemma 5, t = t₀ + E − 1 is the last of them).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    units,
)

__all__ = ["DEGREES", "EXACT_PATH", "path_exact", "path_inequality"]

DEGREES = {
    **dict.fromkeys(("moved2", "scaled2"), (0, 2)),
    **dict.fromkeys(("summed2", "total", "G2", "each"), (2, -2)),
    **dict.fromkeys(("eta_first", "eta"), (-1, 2)),
    **dict.fromkeys(("terms", "E"), (0, 0)),
}


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


EXACT_PATH = (steps_exact, path_exact)


def _path(x: Instance) -> dict[str, Any]:
    """The same from means and covariances of (w − start, G)."""
    h, m = x["curvature"], x["optimum"] - x["start"]
    var = (h * x["sigma"]) ** 2
    etas = (x["step"] / h)[:, None] * (1 + (x["late"][:, None] - 1) * np.cumsum(x["parts"], axis=1))
    E = etas.shape[1]
    terms = E if x["whole"][0] > 0 else E - 1
    w, G, ww, wG, GG = (np.zeros_like(h) for _ in range(5))
    seconds, scaled = [], np.zeros_like(h)
    for j in range(terms):
        eta, mean = etas[:, j], h * (w - m)
        seconds.append(mean**2 + h**2 * ww + var)
        scaled = scaled + eta**2 * seconds[-1]
        keep, G = 1 - eta * h, G + mean
        GG = GG + 2 * h * wG + h**2 * ww + var
        wG = keep * (wG + h * ww) - eta * var
        w, ww = w - eta * mean, keep**2 * ww + eta**2 * var
    last = h**2 * ((w - m) ** 2 + ww) + var
    each = np.stack([*seconds, last], axis=0)
    return {
        "moved2": w**2 + ww,
        "summed2": G**2 + GG,
        "scaled2": scaled,
        "total": each[:-1].sum(axis=0),
        "G2": each.max(axis=0),
        "eta_first": etas[:, 0],
        "eta": etas[:, -1],
        "eta_top": etas[:, : max(terms, 1)].max(axis=1),
        "terms": np.full_like(h, terms),
        "E": np.full_like(h, E),
    }


def path_inequality(
    bound: Bound,
    left: Callable[[Mapping[str, Any]], Any],
    exact: Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]],
    degrees: tuple[int, int],
    *,
    whole: bool,
    rising: bool = False,
    longest: float = 2.0,
    most: int = 300,
) -> Inequality:
    """`left` of the moments <= bound, for E up to `most`; `whole`: all E gradients, `longest`: the first step's largest ηh."""

    def at(E: float) -> Case:
        late = LogScale("late", 1.0, 2.0, at=(1.0, 2.0)) if rising else LogScale("late", 0.5, 1.0, at=(0.5, 1.0))
        drawn = Space(
            (
                LogScale("curvature", 1e-4, 1e2, at=(1e-4, 1.0)),
                Signed("optimum", 1e-2, 1e4),
                Signed("start", 1e-2, 1e2),
                Signed("sigma", 1e-2, 1e2),
                LogScale("step", 1e-6, longest, at=(1e-6, 0.25, longest)),
                late,
                Simplex("parts", int(E)),
                Choice("whole", (float(whole),)),
                Choice("rising", (float(rising),)),
            )
        )

        def measure(x: Instance) -> Mapping[str, Any]:
            c = _path(x)
            size = c["eta_top"] * np.ones_like(c["G2"])
            if degrees != (-1, 2):
                size = c["G2"] * (size if degrees == (0, 2) else 1.0) ** 2 * max(E, 1.0) ** 2
            return {**c, "lhs": left(c), "magnitude": size}

        same = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (0, 1)}),)
        uses = tuple(f for f in EXACT_PATH if f is not exact)
        words = f"one client, E = {int(E)}, steps that {'rise' if rising else 'fall'}"
        return Case(words, drawn, measure, ExactCheck(exact, uses), cost=max(1.0, E / 75), symmetries=same)

    return Inequality(bound, (Family("one client's round", (Size("E", 1, most, 5),), at),), degrees=degrees)

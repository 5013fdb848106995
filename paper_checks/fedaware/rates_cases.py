"""Runs and families of runs for the O(·) statements: rates chosen for them, and paths along which they fail."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.runs_old import run, run_case, run_exact
from validation import Case, Family, Instance, Size
from validation.statement.forms import n
from validation.statement.orders import OrderFamily

__all__ = [
    "BIASED",
    "CONST",
    "MOVED",
    "STUCK",
    "chosen",
    "chosen_exact",
    "classical",
    "classical_exact",
    "family",
    "small_steps",
    "small_steps_exact",
    "tiny",
    "tiny_exact",
]


def classical(x: Instance) -> Mapping[str, Any]:
    """The best round of a run with η <= 1/(24LK)."""
    x = {**x, "server": np.minimum(x["server"], 1 / (24 * x["first"]))}
    found = run(x)
    return {**found, "lhs": found["low"], "admissible": found["admissible"] & (found["F_star"] > 0)}


def classical_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The best round of a run with eta <= 1/(24 L K)."""
    met, found = run_exact({**x, "server": min(x["server"], 1 / (24 * x["first"]))})
    return {**met, "f has a minimiser": found["F_star"] > 0}, {**found, "lhs": found["low"]}


def chosen(x: Instance) -> Mapping[str, Any]:
    """Rates for this instance and this horizon: ηKL = 1/24 and a local step as small as the heterogeneity asks."""
    h, m, lam = x["curvature"], x["optimum"], x["share"]
    H, pull = (lam[..., None] * h).sum(axis=1), (lam[..., None] * h * m).sum(axis=1)
    best, top = pull / H, h.max(axis=(1, 2))
    gap = (H * (x["start"] - best) ** 2).sum(axis=1) / 2
    ends = [(lam * ((h * (at[:, None] - m)) ** 2).sum(axis=2)).sum(axis=1) for at in (x["start"], best)]
    first = np.minimum(0.125, gap * top / (4 * x["n_rounds"] * (ends[0] + ends[1])))
    with np.errstate(all="ignore"):
        found = run({**x, "first": first, "server": 1 / (24 * first)})
    return {**found, "lhs": found["low"], "admissible": found["admissible"] & (first > 1e-9)}


def chosen_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same choice of rates: eta K L = 1/24, eta_l L K = min(1/8, F* L/(4 T (spread at start and optimum)))."""
    h, m, lam, clients, axes = x["curvature"], x["optimum"], x["share"], range(len(x["share"])), range(len(x["start"]))
    H = [sum(lam[i] * h[i][j] for i in clients) for j in axes]
    best = [sum(lam[i] * h[i][j] * m[i][j] for i in clients) / H[j] for j in axes]
    gap = sum(H[j] * (x["start"][j] - best[j]) ** 2 for j in axes) / 2
    both = sum(lam[i] * (h[i][j] * (at[j] - m[i][j])) ** 2 for i in clients for j in axes for at in (x["start"], best))
    first = (
        min(Fraction(1, 8), gap * max(max(row) for row in h) / (4 * x["n_rounds"] * both)) if both else Fraction(1, 8)
    )
    if first == 0:
        return {"the start is not the optimum": False}, {}
    met, found = run_exact({**x, "first": first, "server": 1 / (24 * first)})
    return met, {**found, "lhs": found["low"]}


def tiny(x: Instance) -> Mapping[str, Any]:
    """Rates so small for this horizon that the model hardly moves in all T rounds: ηKL·T <= 1/2."""
    found = run({**x, "server": np.minimum(x["server"], 0.5 / (x["first"] * x["n_rounds"]))})
    short = found["eta"] * found["K"] * found["L"] * found["T"]
    met = found["admissible"] & (found["F_star"] > 0)
    return {**found, "lhs": found["low"], "short": short, "admissible": met}


def tiny_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The best round of a run with eta K L T <= 1/2."""
    met, found = run_exact({**x, "server": min(x["server"], 1 / (2 * x["first"] * x["n_rounds"]))})
    short = found["eta"] * found["K"] * found["L"] * found["T"]
    return {**met, "eta K L T <= 1/2": 2 * short <= 1, "f has a minimiser": found["F_star"] > 0}, {
        **found,
        "lhs": found["low"],
        "short": short,
    }


def small_steps(x: Instance) -> Mapping[str, Any]:
    """A run whose rates are small against γ: 4γ(η_lLK)² + ηKL <= 1."""
    found = run({**x, "server": np.minimum(x["server"], 0.5 / x["first"])})
    budget = 4 * found["gamma"] * x["first"] ** 2 + found["eta"] * found["K"] * found["L"]
    return {**found, "admissible": found["admissible"] & (budget <= 1)}


def small_steps_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A run under A.1 with steps small against gamma."""
    met, found = run_exact({**x, "server": min(x["server"], Fraction(1, 2) / x["first"])})
    budget = 4 * found["gamma"] * x["first"] ** 2 + found["eta"] * found["K"] * found["L"]
    return {**met, "4 gamma (eta_l L K)^2 + eta K L <= 1": budget <= 1}, found


def family(words: str, measure: Any, exact: Any, *, convex: bool = True, noisy: bool = True, rows: int = 0) -> Family:
    """Runs of 1 to 300 clients, local steps, and 1 to 200 rounds."""
    sizes = (Size("N", 1, 300, 3), Size("d", 1, 8, 1), Size("K", 1, 300, 2), Size("T", 1, 200, 2, ladder=True))

    def at(N: float, d: float, K: float, T: float) -> Case:
        uses = (run_exact,)
        return run_case(N, d, K, T, convex=convex, noisy=noisy, rows=rows, measure=measure, exact=exact, uses=uses)

    return Family(words, sizes, at)


def fixed_point(T: Any, eta_g: Any, K: Any) -> tuple[Any, Any]:
    """Two clients of curvature 1 and 1/2, FedAvg from its own fixed point: (best squared gradient, F*/(eta K T))."""
    h, m, half = (Fraction(1), Fraction(1, 2)), (Fraction(0), Fraction(1)), Fraction(1, 2)
    eta_l = 1 / (8 * K)
    part = [1 - (1 - eta_l * y) ** int(K) for y in h]
    x = sum(p * y for p, y in zip(part, m, strict=True)) / sum(part)
    for _ in range(3):
        G = sum(half * p * (x - y) for p, y in zip(part, m, strict=True))
        x = x - eta_g * G
    slope = sum(half * a * (x - y) for a, y in zip(h, m, strict=True))
    best = sum(a * y for a, y in zip(h, m, strict=True)) / sum(h)
    gap = sum(half * a * (x - best) ** 2 / 2 for a in h)
    return slope * slope, gap / (eta_l * eta_g * K * T)


def other_weights(T: Any, eta_g: Any, K: Any) -> tuple[Any, Any]:
    """Two clients (x - m)^2/2, weights 1/4 and 3/4 against equal shares, from the point where the updates cancel."""
    eta_l = 1 / (8 * K)
    part = 1 - (1 - eta_l) ** int(K)
    x = Fraction(3, 4)
    for _ in range(3):
        x = x - eta_g * (Fraction(1, 4) * part * x + Fraction(3, 4) * part * (x - 1))
    slope = Fraction(1, 2) * x + Fraction(1, 2) * (x - 1)
    return slope * slope, slope * slope / 2 / (eta_l * eta_g * K * T)


def biased(T: Any, K: Any) -> tuple[Any, Any]:
    """The first pair of clients at FedAvg's fixed point, eta_g = 1/3: the gradient, and (4) with K for K^2 at sigma_g^2."""
    h, m, half = (Fraction(1), Fraction(1, 2)), (Fraction(0), Fraction(1)), Fraction(1, 2)
    eta_l = 1 / (8 * K)
    part = [1 - (1 - eta_l * y) ** int(K) for y in h]
    x = sum(p * y for p, y in zip(part, m, strict=True)) / sum(part)
    slopes = [a * (x - y) for a, y in zip(h, m, strict=True)]
    slope = half * sum(slopes)
    best = sum(a * y for a, y in zip(h, m, strict=True)) / sum(h)
    gap = sum(half * a * (x - best) ** 2 / 2 for a in h)
    spread = sum(half * (y - slope) ** 2 for y in slopes)
    return slope * slope, gap / (eta_l / 3 * K * T) + eta_l**2 * K * spread


BIASED = OrderFamily(
    "FedAvg from its fixed point, ever more local steps",
    biased,
    {"K": n, "T": n**2},
    form=n / 128,
    because="∇f there grows with K from its value at K = 4; the claimed side is 16‖∇f‖²/n² + σ_g²/(64n), σ_g² < 9/80",
)

_FIXED = {"eta_g": (1, Fraction(1, 3), 10), "K": (2, 5)}

STUCK = OrderFamily("FedAvg from its fixed point", fixed_point, {"T": "n"}, _FIXED, degree=1)

MOVED = OrderFamily(
    "constant other weights, from where they cancel", other_weights, {"T": "n"}, {**_FIXED, "K": (1, 5)}, degree=1
)

CONST = ("eta_g", "K")

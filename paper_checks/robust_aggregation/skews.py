"""Sec. 2.3 and 2.5: heterogeneity, the weighting skew, its extremes over a run, and what follows for strategies.

Quadratic clients of diagonal curvature: skews at a model, at w* and at the limit of fixed weights, and short runs. Fixed
weights a with step sizes that fall to 0 end at the minimiser of ΣaᵢFᵢ, whatever the number of local steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Rational

from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.runs import optima_differ, world
from validation import Case, Choice, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients
from validation.world import World, all_of, case, definition, le, mutant, reading, remark

__all__ = [
    "CLAIMS",
    "OF_EQUAL_SHARES",
    "among_similar",
    "ends_at",
    "federations",
    "one_round_of",
    "own_runs",
    "windows",
]

rho, rho_best, rho_limit, pi, Pi, least = NOTATION.symbols("rho rho_best rho_limit pi Pi least")
mu, Gamma, below, gap2, undefined, undefined_best = NOTATION.symbols("mu Gamma below gap2 undefined undefined_best")


def _losses(x: Instance, at: Any) -> Any:
    return 0.5 * (x["spectrum"] * (at[:, None] - x["optimum"]) ** 2).sum(axis=-1)


def _minimiser(x: Instance, weights: Any) -> Any:
    pull = weights[..., None] * x["spectrum"]
    return (pull * x["optimum"]).sum(axis=1) / pull.sum(axis=1)


def _skew(x: Instance, weights: Any, at: Any) -> Any:
    losses = _losses(x, at)
    with np.errstate(all="ignore"):
        return (weights * losses).sum(axis=1) / (x["share"] * losses).sum(axis=1)


def _given(x: Instance, common: bool, equal: bool) -> dict[str, Any]:
    n = x["spectrum"].shape[1]
    share = np.full(x["spectrum"].shape[:2], 1.0 / n) if equal else x["share"]
    return {**x, "share": share, "optimum": 0 * x["spectrum"] if common else x["optimum"]}


def federation(
    x: Instance,
    *,
    common: bool = False,
    equal: bool = False,
    above: bool = False,
    differ: bool = False,
    apart: str = "",
) -> Mapping[str, Any]:
    """Skews of the first weights at the model, at w* and at their limit, those of the last weights, ratios of all to the shares.

    `common`: one minimiser, 0; `equal` shares. Asked for: F(w) `above` ΣpᵢFᵢ*; `differ`ent optima, Γ > 0; `apart`: the
    model from w*, some optima from others, the limit from w*, or also every loss from 0 at both.
    """
    x = _given(x, common, equal)
    p, w, a, b = x["share"], x["model"], x["weights"][:, 0], x["weights"][:, -1]
    best, end, other = _minimiser(x, p), _minimiser(x, a), _minimiser(x, b)
    at_w, Gamma = ((p * _losses(x, v)).sum(axis=1) for v in (w, best))
    kappa, L = x["weights"] / p[:, None], x["spectrum"].max(axis=(1, 2))
    reach = (w**2).sum(axis=-1) + (x["optimum"] ** 2).sum(axis=-1).max(axis=1)
    away, pull, one = ((w - best) ** 2).sum(axis=-1), (p[..., None] * x["spectrum"]).sum(axis=1), np.ones(len(w))
    # Half a sum of squares, so that nothing cancels.
    limits = [(pull * (v - best) ** 2).sum(axis=-1) / 2 for v in (end, other)]
    with np.errstate(all="ignore"):
        alike = np.max([v.max(axis=1) / v.min(axis=1) for v in (_losses(x, best), _losses(x, end))], axis=0)
    met, sharp = one > 0, Gamma > 1e-13 * (p[..., None] * x["spectrum"] * x["optimum"] ** 2).sum(axis=(1, 2))
    resolved = one > 0
    if above:
        met, resolved = met & (at_w > 0), resolved & (at_w > 1e-9 * L * reach)
    if differ:
        met, resolved = met & optima_differ(p, x["optimum"]), resolved & sharp
    if apart in ("limit", "losses"):  # nearer to w* than this the limit is mostly rounding
        met, resolved = met & (limits[0] > 0), resolved & (limits[0] > 1e-13 * Gamma)
    if apart == "model":
        met = met & (away > 1e-18 * reach)
    elif apart == "optima":
        met = met & (x["optimum"] != x["optimum"][:, :1]).any(axis=(1, 2))
    elif apart == "losses":
        met = met & np.isfinite(alike)
    skews = {
        "rho": (a, w),
        "rho_best": (a, best),
        "rho_limit": (a, end),
        "rho_best_other": (b, best),
        "rho_limit_other": (b, other),
    }
    with np.errstate(all="ignore"):
        largest = _losses(x, w).max(axis=1) / at_w
    return {
        **{name: _skew(x, *where) for name, where in skews.items()},
        "rho_largest": largest,
        "pi": kappa.min(axis=(1, 2)),
        "Pi": kappa.max(axis=(1, 2)),
        "N": p.shape[1] * one,
        "least": p.min(axis=1),
        "alike": alike,
        "below": at_w,
        "Gamma": Gamma,
        "gap2": away,
        "limit_gap": limits[0],
        "limit_gap_other": limits[1],
        "undefined": (at_w <= 0).astype(float),
        "undefined_best": (Gamma <= 0).astype(float),
        "wanted": x.get("wanted", one),
        "mu": x["spectrum"].min(axis=(1, 2)),
        "L": L,
        "admissible": met,
        "resolved": resolved,
        "sizes": dict.fromkeys(("below", "Gamma", "limit_gap", "limit_gap_other"), L * reach)
        | {"rho": 1 + kappa.max(axis=(1, 2))},
    }


def losses_at(h: Any, m: Any, w: Any) -> list[Any]:
    """F_i(w) - F_i* of every client."""
    return [sum(k * (u - v) ** 2 for k, u, v in zip(s, w, o, strict=True)) / 2 for s, o in zip(h, m, strict=True)]


def mixed(weights: Any, values: Any) -> Any:
    """sum_i a_i v_i."""
    return sum((a * v for a, v in zip(weights, values, strict=True)), Fraction(0))


def minimiser(weights: Any, h: Any, m: Any) -> list[Any]:
    """Where the weighted mean of the clients is least."""
    dims, clients = range(len(h[0])), range(len(h))
    return [
        mixed(weights, [h[i][j] * m[i][j] for i in clients]) / mixed(weights, [h[i][j] for i in clients]) for j in dims
    ]


def federation_exact(
    x: Mapping[str, Any],
    *,
    common: bool = False,
    equal: bool = False,
    above: bool = False,
    differ: bool = False,
    apart: str = "",
) -> Pair:
    """Skews and excess losses at the model, at w* and at the limits of the first and the last weights."""
    h, w, a, b = x["spectrum"], x["model"], x["weights"][0], x["weights"][-1]
    n, zero = len(h), Fraction(0)
    p, m = [Fraction(1, n)] * n if equal else x["share"], [[zero for v in row] for row in h] if common else x["optimum"]
    best = minimiser(p, h, m)
    here, at_best = losses_at(h, m, w), losses_at(h, m, best)
    at_end, at_other = losses_at(h, m, minimiser(a, h, m)), losses_at(h, m, minimiser(b, h, m))
    kappa = [u / q for row in x["weights"] for u, q in zip(row, p, strict=True)]
    met = {
        "mu-strong convexity and L-smoothness (eigenvalues given)": min(min(s) for s in h) > 0,
        "shares positive, weights on the simplex": min(p) > 0
        and all(sum(v) == 1 and min(v) >= 0 for v in [p, *x["weights"]]),
        "what the statement supposes": (not above or mixed(p, here) > 0)
        and (not differ or mixed(p, at_best) > 0)
        and (apart != "model" or list(w) != best)
        and (apart != "optima" or any(row != m[0] for row in m))
        and (apart != "losses" or min(at_best + at_end) > 0),
    }
    found = {"pi": min(kappa), "Pi": max(kappa), "N": Fraction(n), "least": min(p), "wanted": x.get("wanted", zero)}
    skews = {"rho": (a, here), "rho_best": (a, at_best), "rho_limit": (a, at_end)}
    skews |= {"rho_best_other": (b, at_best), "rho_limit_other": (b, at_other)}
    for name, (weights, losses) in skews.items():
        found[name] = mixed(weights, losses) / mixed(p, losses) if mixed(p, losses) > 0 else zero
    found["rho_largest"] = max(here) / mixed(p, here) if mixed(p, here) > 0 else zero
    whole = min(at_best + at_end) > 0
    found["alike"] = max(max(v) / min(v) for v in (at_best, at_end)) if whole else zero
    found |= {
        "below": mixed(p, here),
        "Gamma": mixed(p, at_best),
        "gap2": sum((u - v) ** 2 for u, v in zip(w, best, strict=True)),
    }
    found |= {"limit_gap": mixed(p, at_end) - found["Gamma"], "limit_gap_other": mixed(p, at_other) - found["Gamma"]}
    found |= {"undefined": Fraction(int(found["below"] <= 0)), "undefined_best": Fraction(int(found["Gamma"] <= 0))}
    return met, {**found, "mu": min(min(s) for s in h), "L": max(max(s) for s in h)}


_USES = (losses_at, mixed, minimiser)
Sizes = tuple[tuple[int, int, int], tuple[int, int, int]]
_WIDE: Sizes = ((1, 2, 300), (1, 1, 8))


def _space(n: int, dim: int, rounds: int, chosen: Mapping[str, Any], *more: Any, interior: bool = False) -> Space:
    return Space(
        (
            *(() if chosen.get("equal") else (Simplex("share", n, interior=True),)),
            Simplex("weights", n, (rounds,), interior=interior),
            LogScale("spectrum", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
            *(() if chosen.get("common") else (Signed("optimum", 1e-3, 1e2, (n, dim)),)),
            Signed("model", 1e-3, 1e2, (dim,)),
            *more,
        )
    )


def _family(sizes: Sizes, space: Any, observe: Any, plain: Any, uses: Any, **chosen: Any) -> World:
    """Diagonal quadratics of all N and d in `sizes`, (least, usual, most) of each."""
    N, d = (Size(name, low, high, usual) for name, (low, usual, high) in zip(("N", "d"), sizes, strict=True))

    def at(N: float, d: float) -> Case:
        drawn: Space = space(int(N), int(d))
        axes = {"share": 0, "spectrum": 0, "optimum": 0, "weights": 1}
        same = (permuted_clients({c.name: axes[c.name] for c in drawn.coordinates if c.name in axes}),)
        name = f"diagonal quadratics, N = {int(N)}, d = {int(d)}"
        return case(name, drawn, observe, plain, uses=uses, symmetries=same, **chosen)

    return world(Family("diagonal quadratics", (N, d), at))


def federations(
    rounds: int = 1, sizes: Sizes = _WIDE, *, interior: bool = False, wanted: bool = False, **chosen: Any
) -> World:
    """`rounds` rows of weights, `interior` where all are positive; `chosen` as `federation` takes them."""
    more = (LogScale("wanted", 1.0, 1e6),) if wanted else ()

    def space(n: int, dim: int) -> Space:
        return _space(n, dim, rounds, chosen, *more, interior=interior)

    return _family(sizes, space, federation, federation_exact, _USES, **chosen)


def _run(x: Instance, E_of: Any, rule: str) -> tuple[Any, Any, Any]:
    """(ρ̄, ρ̃, F(w_T) − ΣpᵢFᵢ*) of a run: the weights given for each round, FedWorse, FedBetter or FedAvg."""
    w, L, best = x["model"], x["spectrum"].max(axis=(1, 2)), _minimiser(x, x["share"])
    low, high = np.full(len(w), np.inf), np.full(len(w), -np.inf)
    for r in range(x["weights"].shape[1]):
        losses = _losses(x, w) * (-1 if rule == "FedBetter" else 1)
        top = losses == losses.max(axis=1, keepdims=True)
        hard = top / top.sum(axis=1, keepdims=True)
        a = {"given": x["weights"][:, r], "FedAvg": x["share"]}.get(rule, hard)
        low, high = np.fmin(low, _skew(x, a, w)), np.fmax(high, _skew(x, a, best))
        step = (x["step"] / L / (1 + x["fade"] * r))[:, None, None]
        kept = (1 - step * x["spectrum"]) ** E_of[:, None, None]
        w = (a[..., None] * (x["optimum"] + kept * (w[:, None] - x["optimum"]))).sum(axis=1)
    return low, high, (x["share"] * _losses(x, w)).sum(axis=1)


_RULES = {"": "given", "_hard": "FedWorse"}
_ENDS = {"end": "given", "end_worse": "FedWorse", "end_better": "FedBetter", "end_average": "FedAvg"}


def own_run(x: Instance, *, common: bool = False) -> Mapping[str, Any]:
    """ρ̄ and ρ̃ of given weights and of FedWorse, each on its own run, and where four rules end."""
    x = _given(x, common, False)
    p, w, best = x["share"], x["model"], _minimiser(x, x["share"])
    found, reach = {rule: _run(x, x["local_steps"], rule) for rule in _ENDS.values()}, (w**2).sum(axis=-1)
    at_w, Gamma = ((p * _losses(x, v)).sum(axis=1) for v in (w, best))
    reach = x["spectrum"].max(axis=(1, 2)) * (reach + (x["optimum"] ** 2).sum(axis=-1).max(axis=1))
    sharp = Gamma > 1e-13 * (p[..., None] * x["spectrum"] * x["optimum"] ** 2).sum(axis=(1, 2))
    ends = {name: found[rule][2] for name, rule in _ENDS.items()}
    met = (at_w > 0) & (optima_differ(p, x["optimum"]) | common)
    # Where nothing is claimed, at a start in w* or with all optima alike, a skew may have no value: it is 1 there.
    skews = {
        "rho": ("given", 0),
        "rho_best": ("given", 1),
        "rho_hard": ("FedWorse", 0),
        "rho_best_hard": ("FedWorse", 1),
    }
    return {
        **{name: np.where(met, found[rule][place], 1.0) for name, (rule, place) in skews.items()},
        **ends,
        "least": p.min(axis=1),
        "admissible": met,
        "resolved": (at_w > 1e-9 * reach) & (np.isfinite(found["given"][1]) & sharp | common),
        "sizes": dict.fromkeys(_ENDS, 0.001 * (ends["end"] + ends["end_worse"] + ends["end_average"])),
    }


def short_run(x: Mapping[str, Any], h: Any, m: Any, rule: str) -> tuple[list[Any], list[Any], Any]:
    """(rho(t, w_t) of every round, rho(t, w*) of every round, sum p_i (F_i - F_i*) after the last)."""
    p, w, L, n = x["share"], list(x["model"]), max(max(s) for s in h), len(h)
    at_best, skews, skews_best, E = losses_at(h, m, minimiser(p, h, m)), [], [], int(x["local_steps"])
    for r, given in enumerate(x["weights"]):
        here = losses_at(h, m, w)
        extreme = min(here) if rule == "FedBetter" else max(here)
        top = [i for i in range(n) if here[i] == extreme]
        a = (
            given
            if rule == "given"
            else p
            if rule == "FedAvg"
            else [Fraction(int(i in top), len(top)) for i in range(n)]
        )
        skews.append(mixed(a, here) / mixed(p, here))
        if mixed(p, at_best) > 0:
            skews_best.append(mixed(a, at_best) / mixed(p, at_best))
        eta = x["step"] / L / (1 + x["fade"] * r)
        ends = [
            [c + (1 - eta * k) ** E * (v - c) for k, c, v in zip(s, o, w, strict=True)]
            for s, o in zip(h, m, strict=True)
        ]
        w = [mixed(a, [e[j] for e in ends]) for j in range(len(w))]
    return skews, skews_best, mixed(p, losses_at(h, m, w))


def own_run_exact(x: Mapping[str, Any], *, common: bool = False) -> Pair:
    """Four runs from one model, with the weights given, of FedWorse, of FedBetter and of FedAvg."""
    h, p, zero = x["spectrum"], x["share"], Fraction(0)
    m = [[zero for v in row] for row in h] if common else x["optimum"]
    here, at_best = losses_at(h, m, x["model"]), losses_at(h, m, minimiser(p, h, m))
    met = {
        "mu-strong convexity and L-smoothness (eigenvalues given)": min(min(s) for s in h) > 0,
        "shares positive, weights on the simplex": min(p) > 0
        and all(sum(v) == 1 and min(v) >= 0 for v in [p, *x["weights"]]),
        "what the statement supposes": mixed(p, here) > 0 and (common or mixed(p, at_best) > 0),
    }
    given, worse, better, average = (short_run(x, h, m, r) for r in ("given", "FedWorse", "FedBetter", "FedAvg"))
    found = {"rho": min(given[0]), "rho_best": max([*given[1], zero]), "rho_hard": min(worse[0]), "least": min(p)}
    found |= {"rho_best_hard": max([*worse[1], zero]), "end": given[2], "end_worse": worse[2]}
    return met, {**found, "end_better": better[2], "end_average": average[2]}


def own_runs(rounds: int, sizes: Sizes, *, common: bool = False, interior: bool = False) -> World:
    """A few rounds of one, two or five local steps."""
    more = (
        LogScale("step", 1e-3, 0.25, at=(0.25,)),
        LogScale("fade", 1e-3, 1e2, at=(1.0,)),
        Choice("local_steps", (1.0, 2.0, 5.0)),
    )

    def space(n: int, dim: int) -> Space:
        return _space(n, dim, rounds, {"common": common}, *more, interior=interior)

    return _family(sizes, space, own_run, own_run_exact, (*_USES, short_run), common=common)


def ends_at(**chosen: Any) -> World:
    """Weights all positive, Γ > 0, and where they end."""
    return federations(1, ((2, 2, 100), (1, 1, 8)), interior=True, differ=True, **chosen)


def among_similar() -> World:
    """Losses alike within any factor at w* and at the end."""
    return federations(1, ((2, 2, 20), (1, 2, 4)), interior=True, differ=True, apart="losses")


def one_round_of(rule: str) -> World:
    """One round from anywhere, one minimiser."""
    return own_runs(1, ((2, 2, 5), (1, 1, 2)) if rule == "FedBetter" else ((2, 2, 20), (1, 1, 4)), common=True)


def windows() -> World:
    """The rounds of runs of one and of three rounds."""
    several = own_runs(1, ((2, 2, 20), (1, 1, 4)), interior=True), own_runs(3, ((2, 2, 5), (1, 1, 2)), interior=True)
    return world(*(case for one in several for case in one.cases))


OF_EQUAL_SHARES = federations(1, ((2, 2, 50), (1, 1, 4)), interior=True, equal=True, differ=True, apart="limit")

_TWO: Sizes = ((2, 2, 300), (1, 1, 8))
_APART, _SHARED = federations(1, _TWO, apart="optima"), federations(common=True)
_ROOM = le(Gamma + mu / 2 * gap2, below)
_SOME = federations(above=True)

D4 = definition(
    "RA-D4",
    "Eq. (3), Sec. 2.3",
    "Heterogeneity",
    printed=r"\Gamma:=F^\star-\sum_{i\in I}p_iF_i^\star\ \ge0",
    plainly="Γ is never negative, and bounds the excess from below.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=_ROOM,
    world=federations(),
    readings=[
        reading(
            "Fᵢ* = Fᵢ(wᵢ*)",
            "0 <= Γ, with room: Γ + μ/2 ‖w − w*‖² <= F(w) − ΣpᵢFᵢ* for every w.",
            part="Γ is not negative",
            because="the correction of RA-D3 is taken over; the print of (3) itself is a definition",
        ),
        reading(
            "positive for different minimisers",
            "Γ > 0 unless all clients share their minimiser.",
            le(undefined_best, 0),
            world=_APART,
            part="Γ is 0 for a common minimiser only",
        ),
    ],
    mutants=[
        mutant(
            "positive for all clients", le(undefined_best, 0), "clients with one minimiser have Γ = 0", world=_SHARED
        )
    ],
    rests_on=["RA-D3"],
    written="«>= 0»",
    verdict="""With Fᵢ* = Fᵢ(wᵢ*) it is Σpᵢ(Fᵢ(w*) − Fᵢ*), a sum of non-negative terms, and 0 exactly when w* minimises
        every client's loss. (With Fᵢ* = F(wᵢ*), as the line before is printed, it is never positive: RA-D3.)""",
)

D5 = definition(
    "RA-D5",
    "Eq. (6), Sec. 2.3",
    "Weighting skew",
    printed=r"""\rho(t,w):=\frac{\sum_{i\in I}\alpha_t^i(F_i(w)-F_i^\star)}{F(w)-\sum_{i\in I}p_iF_i^\star},
        \qquad\min_i\frac{\alpha_t^i}{p_i}\le\rho(t,w)\le\max_i\frac{\alpha_t^i}{p_i}""",
    plainly="Where it is defined, the skew is a mean of the ratios αᵢ/pᵢ.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=le(rho, Pi),
    world=_SOME,
    readings=[
        reading("at most the largest ratio", "ρ <= maxᵢ αᵢ/pᵢ.", part="at most the largest ratio"),
        reading("at least the least ratio", "minᵢ αᵢ/pᵢ <= ρ.", le(pi, rho), part="at least the least ratio"),
    ],
    mutants=[mutant("at most 1", le(rho, 1), "all weight on the client with the largest excess makes ρ larger than 1")],
    tight="all excess loss with one client",
    rests_on=["RA-D3"],
    written="the two bounds on ρ",
    verdict="""The denominator is Σpᵢ(Fᵢ(w) − Fᵢ*) by the definition of F, so ρ is a mean of αᵢ/pᵢ with weights pᵢ(Fᵢ(w)
        − Fᵢ*); it has no unit and is 1 for αᵢ = pᵢ. Both ends are attained.""",
)

_DEFINED = all_of(le(undefined, 0), le(undefined_best, 0))

D6 = definition(
    "RA-D6",
    "Eq. (7), Sec. 2.3",
    "The extreme skews of a run",
    printed=r"""\overline\rho:=\min_{t=0\bmod E}\rho(t,w_t)\quad\text{and}\quad\tilde\rho:=\max_{t=0\bmod E}\rho(t,
        w^\star)""",
    plainly="Both extremes are defined, in all cases but those that Remark 2 excludes.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=_DEFINED,
    world=_APART,
    readings=[
        reading(
            "heterogeneous clients",
            "Whenever two minimisers differ, both denominators are positive, at every model.",
            because="Remark 2, right after (7): from now on no denominator is 0",
        ),
        reading(
            "the error-free case of Section 2.5.1 included",
            "ρ̃ defined when all clients share their minimiser: a case that Remark 2 excludes.",
            le(undefined_best, 0),
            world=_SHARED,
            cuts={"Gamma": "0"},
            ours="""Remark 2 excludes it, and Sec. 2.5.1 uses ρ̄ alone (Remark 6: «ρ̄ is well defined as long as F(wₜ) ≠
                F(w*)»; no ρ̃ in (11) and (12))""",
        ),
    ],
    mutants=[
        mutant(
            "ρ(t, wₜ) defined at every model for Γ = 0",
            le(undefined, 0),
            "at w = w* = 0 all losses are at their minimum, and the denominator is 0",
            world=_SHARED,
        )
    ],
    rests_on=["RA-D5", "RA-R2"],
    verdict="""For heterogeneous clients, Γ > 0, both numbers exist; Remark 2, right after (7), excludes the rest. For Γ
        = 0 the denominator of every ρ(t, w*) is 0 and there is no ρ̃. Section 2.5.1, where Γ = 0, uses ρ̄ alone (Remark
        6); Theorem 1 at Γ = 0, on which (11) rests, has to be read with Γ(ρ̃ − ρ̄) as 0 (RA-E11). Two things are left
        open: over which rounds the extremes are taken, on which their values and the sign of E depend (RA-C1, RA-D7,
        RA-E19, RA-Q6), and that in a noisy run they are random.""",
)

D9 = definition(
    "RA-D9",
    "Sec. 2.5.2",
    "Ratios of weights to shares",
    printed=r"""\alpha_t^i=\kappa_t^ip_i,\quad\pi_t=\min_i\kappa_t^i,\ \Pi_t=\max_i\kappa_t^i,\ \pi=\min_t\pi_t,\ \Pi=
        \max_t\Pi^t;\qquad\pi\le1\le\Pi""",
    plainly="The ratios exist for positive shares, and their extremes enclose 1.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=all_of(le(pi, 1), le(1, Pi)),
    world=federations(3),
    readings=[reading("three rounds", "Weights and shares on the simplex; Πᵗ is read as Π_t.")],
    mutants=[mutant("π < 1 − 1/1000 for all weights", le(pi, Rational(999, 1000)), "αᵢ = pᵢ has π = 1", world=_SOME)],
    written="π <= 1 <= Π",
    verdict="""Σκᵢpᵢ = Σpᵢ = 1, so the least ratio is at most 1 and the largest at least 1. The notation needs pᵢ > 0
        wherever αᵢ > 0, and Πᵗ is a misprint of Π_t.""",
)

R2 = remark(
    "RA-R2",
    "Remark 2, Sec. 2.3",
    "Where the skew is not defined",
    printed=r"""\rho(t,w)\text{ «is not defined when }F(w)=
        \sum_ip_iF_i^\star\text{. From now on, it will be implicit that we are not in this case»}""",
    plainly="The skew is not defined where its denominator is 0, a case that is excluded.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=_ROOM,
    world=federations(),
    readings=[
        reading("denominator bounded below", "What is excluded, worked out by us: Γ + μ/2 ‖w − w*‖² <= F(w) − Σpᵢ Fᵢ*.")
    ],
    mutants=[mutant("3/2 Γ in place of Γ", le(Gamma + mu / 2 * gap2, below - Gamma / 2), "at w = w* both sides are Γ")],
    tight="all curvatures equal to μ",
    rests_on=["RA-D5", "RA-D4"],
    verdict="""The denominator is 0 only for Γ = 0 and at w = w*, so the remark excludes just this. The print does not
        say where that is; that F(w) − ΣpᵢFᵢ* is at least Γ + μ/2 ‖w − w*‖² is ours, from strong convexity of F, with
        equality for equal curvatures. For Γ > 0 nothing is excluded. For Γ = 0, the error-free case of Section 2.5.1,
        ρ(t, w*) is never defined, hence ρ̃ is not (RA-D6).""",
)

R6 = remark(
    "RA-R6",
    "Remark 6, Sec. 2.5.1",
    "ρ̄ is well defined away from w*",
    printed=r"\overline\rho\ \text{is well defined as long as}\ F(w_t)\ne F(w^\star)\ \text{for all }t",
    plainly="As long as no round starts exactly at w*, every ρ(t, wₜ) is defined.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=le(undefined, 0),
    world=federations(common=True, apart="model"),
    readings=[
        reading(
            "common minimiser",
            "Γ = 0, where the remark stands.",
            because="the remark stands in Sec. 2.5.1, where Γ = 0",
        ),
        reading("any clients", "Any Γ.", world=federations(apart="model"), ours="without the Γ = 0 of its section"),
    ],
    mutants=[mutant("the condition removed", None, "for Γ = 0 and w = w* the denominator is 0", world=_SHARED)],
    rests_on=["RA-D6", "RA-R2"],
    verdict="""True, since F(w) − ΣpᵢFᵢ* is at least F(w) − F*. For Γ > 0 the condition is not needed. The remark says
        nothing of ρ̃, which for Γ = 0 is never defined (RA-D6).""",
)

CLAIMS: tuple[Claim, ...] = (D4, D5, D6, D9, R2, R6)

"""Sec. 3.2: the assumptions A1 to A6, on elastic objectives on the line, runs of SGD and patterns of participation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.efl.notation import NOTATION
from validation import Case, Claim, Family, Instance, Size, permuted_clients, units
from validation.statement.forms.quotients import n
from validation.statement.instances.draw import Coordinate, LogScale, Signed, Simplex, Space, Uniform
from validation.world import Order, OrderFamily, World, all_of, case, definition, le, lt, mutant, reading

__all__ = ["CLAIMS"]

mu, L, L_risks, bend_most, bend_least, half2 = NOTATION.symbols("mu L L_risks bend_most bend_least half2")
variance_most, second_most, reach2 = NOTATION.symbols("variance_most second_most reach2")
theta, E, ratio_most, work_most, work_mean, some = NOTATION.symbols("theta E ratio_most work_most work_mean some")
over_p, over_ps, over_p2s, fourth, factor = NOTATION.symbols("over_p over_ps over_p2s fourth factor")


def bends(x: Instance, *, concave: bool) -> Mapping[str, Any]:
    """F̃ₖ(v) − F̃ₖ(w) − F̃ₖ′(w)(v − w) for F̃ₖ(w) = hₖ(w − mₖ)²/2 + (λ/2)Σᵢ Iᵢ(w − aᵢ)² and for F: largest and least."""
    h = -x["curvature"] if concave else x["curvature"]
    lam, w, v = x["elastic"][:, None], x["point"][:, None], x["other"][:, None]
    m, fisher, anchor = x["optimum"], x["fisher"], x["anchor"]

    def value(z: Any) -> Any:
        return 0.5 * h * (z - m) ** 2 + 0.5 * lam * (fisher * (z - anchor) ** 2).sum(axis=1, keepdims=True)

    slope = h * (w - m) + lam * (fisher * (w - anchor)).sum(axis=1, keepdims=True)
    bend = value(v) - value(w) - slope * (v - w)
    bend = np.concatenate([bend, (x["share"] * bend).sum(axis=1, keepdims=True)], axis=1)
    reach = sum(np.abs(x[k]).reshape(len(h), -1).max(axis=1) for k in ("optimum", "anchor", "point", "other"))
    L = h.max(axis=1) + x["elastic"] * fisher.sum(axis=1)
    size = 10 * (np.abs(h).max(axis=1) + x["elastic"] * fisher.sum(axis=1)) * reach**2
    return {
        "bend_most": bend.max(axis=1),
        "bend_least": bend.min(axis=1),
        "half2": 0.5 * (v - w)[:, 0] ** 2,
        "mu": np.abs(h).min(axis=1),
        "L": L,
        "L_risks": h.max(axis=1),
        "sizes": {"bend_most": size, "bend_least": size},
    }


def bends_exact(x: Mapping[str, Any], *, concave: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F~_k(v) - F~_k(w) - F~_k'(w)(v - w) for all clients and for F."""
    clients, lam, w, v = range(len(x["curvature"])), x["elastic"], x["point"], x["other"]
    h = [-c if concave else c for c in x["curvature"]]
    found = []
    for k in clients:
        parts = [(h[k], x["optimum"][k]), *((lam * i, a) for i, a in zip(x["fisher"], x["anchor"], strict=True))]
        found.append(sum(c * ((v - b) ** 2 - (w - b) ** 2) / 2 - c * (w - b) * (v - w) for c, b in parts))
    found.append(sum(x["share"][k] * found[k] for k in clients))
    met = {"Fisher diagonals and lambda >= 0": min(x["fisher"]) >= 0 and lam >= 0, "shares": sum(x["share"]) == 1}
    return met, {
        "bend_most": max(found),
        "bend_least": min(found),
        "half2": (v - w) ** 2 / 2,
        "mu": min(abs(c) for c in h),
        "L": max(h) + lam * sum(x["fisher"]),
        "L_risks": max(h),
    }


def _elastic(*, concave: bool = False) -> World:
    def at(N: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n,)),
                Simplex("share", n),
                Uniform("fisher", 0.0, 1.0, (n,), at=(0.0, 1.0)),
                Signed("anchor", 1e-1, 1e1, (n,)),
                LogScale("elastic", 1e-2, 1e1, at=(1.0,)),
                Signed("point", 1e-1, 1e1),
                Signed("other", 1e-1, 1e1),
            )
        )
        lengths = dict.fromkeys(("optimum", "anchor", "point", "other"), (0, 1))
        same = (
            units({"curvature": (1, -2), "elastic": (1, -2), **lengths}),
            permuted_clients(dict.fromkeys(("curvature", "optimum", "share", "fisher", "anchor"), 0)),
        )
        cost, name = min(4.0, max(1.0, n / 40)), f"elastic clients, N = {n}"
        return case(name, space, bends, bends_exact, cost=cost, symmetries=same, concave=concave)

    return World(NOTATION, (Family("elastic clients", (Size("N", 1, 100, 3),), at),))


A1 = definition(
    "EFL-A1",
    "Assumption 1, Sec. 3.2",
    "L-smoothness",
    printed=r"\widetilde F_1,\dots,\widetilde F_N\text{ are }L\text{-smooth, and }F\text{ is also }L\text{-smooth}",
    plainly="The elastic local objectives and their weighted mean share the smoothness constant L.",
    assumes=["smooth risks, here quadratics", "λ >= 0, Fisher diagonals >= 0, shares on the simplex"],
    says=le(bend_most, L * half2),
    world=_elastic(),
    readings=[
        reading(
            "L of the risks plus λ times the summed Fisher diagonals",
            "Serves every F̃ₖ and F, at any anchors and so in every round with such diagonals.",
        )
    ],
    mutants=[
        mutant("L of the risks alone", le(bend_most, L_risks * half2), "λΣᵢIᵢ > 0 adds curvature to every client")
    ],
    tight="the client of the largest curvature",
    rests_on=["EFL-E1", "EFL-E2"],
    verdict="""Satisfiable, and F inherits L, so its second half follows from the first. L is not that of the risks: the
        elastic term adds λΣᵢIᵢ, a sum over all clients, so L is a constant of the run only while the Fisher diagonals,
        which are recomputed in every round, stay bounded, and it grows with the number of clients (EFL-E2).""",
)

A2 = definition(
    "EFL-A2",
    "Assumption 2, Sec. 3.2",
    "μ-strong convexity",
    printed=r"""\widetilde F_1,\dots,\widetilde F_N\text{ are }\mu\text{-strongly convex, and }F
        \text{ is also }\mu\text{-strongly convex}""",
    plainly="The elastic local objectives and their weighted mean share the constant μ of the risks.",
    assumes=["μ-strongly convex risks, here quadratics", "λ >= 0, Fisher diagonals >= 0, shares on the simplex"],
    says=le(mu * half2, bend_least),
    world=_elastic(),
    readings=[reading("μ of the risks", "Serves every F̃ₖ and F, at any anchors and Fisher diagonals.")],
    mutants=[
        mutant(
            "concave risks",
            None,
            "−h + λΣᵢIᵢ < h when the Fisher diagonals are 0, which nothing excludes",
            world=_elastic(concave=True),
        )
    ],
    tight="Fisher diagonals 0",
    rests_on=["EFL-E1", "EFL-E2"],
    verdict="""If the risks are μ-strongly convex so are the elastic objectives and F; a positive Fisher diagonal only
        helps. The elastic term does not make up for a risk that is not convex unless every coordinate has positive
        Fisher information. The deep networks of the experiments meet neither.""",
)


def visited(x: Instance, *, long: bool) -> Mapping[str, Any]:
    """Three rounds along the drawn batches of two samples aₖᵢ(w − bₖᵢ)²/2 a client: largest moments at a model visited.

    `reach2` = (aD)², D the width of the start and the samples' optima, a the largest curvature; `long`: ηa up to 4.
    """
    a, b = x["curvature"], x["position"]
    top = a.max(axis=(1, 2))
    eta = (x["length"] * (4.0 if long else 1.0) / top)[:, None]
    ends = np.concatenate([b.reshape(len(a), -1), x["start"][:, None]], axis=1)
    server, variance, second, n_local = x["start"], np.zeros(len(a)), np.zeros(len(a)), x["batch"].shape[2]
    for r in range(3):
        w = np.repeat(server[:, None], a.shape[1], axis=1)
        for j in range(n_local):
            g = a * (w[..., None] - b)
            variance = np.maximum(variance, (((g[..., 0] - g[..., 1]) / 2) ** 2).max(axis=1))
            second = np.maximum(second, (g**2).mean(axis=2).max(axis=1))
            drawn = np.where(x["batch"][:, r, j] < 0.5, g[..., 0], g[..., 1])
            w = w - eta * drawn * (x["done"][:, r] * (n_local + 1) >= j + 1)
        server = server + (x["coefficient"][:, r] * (w - server[:, None])).sum(axis=1)
    return {
        "variance_most": variance,
        "second_most": second,
        "reach2": (top * (ends.max(axis=1) - ends.min(axis=1))) ** 2,
    }


def visited_exact(x: Mapping[str, Any], *, long: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Three rounds along the drawn batches; moments of the two-sample gradient at every local model visited."""
    a, b, clients = x["curvature"], x["position"], range(len(x["curvature"]))
    top = max(max(row) for row in a)
    eta = x["length"] * (4 if long else 1) / top
    ends = [x["start"]] + [v for row in b for v in row]
    server, variance, largest = x["start"], Fraction(0), Fraction(0)
    for batch, done, p in zip(x["batch"], x["done"], x["coefficient"], strict=True):
        after = []
        for k in clients:
            w = server
            for j in range(len(batch)):
                g = [a[k][i] * (w - b[k][i]) for i in range(2)]
                variance = max(variance, ((g[0] - g[1]) / 2) ** 2)
                largest = max(largest, sum(v * v for v in g) / 2)
                if done[k] * (len(batch) + 1) >= j + 1:
                    w = w - eta * (g[0] if batch[j][k] < Fraction(1, 2) else g[1])
            after.append(w)
        server = server + sum(p[k] * (after[k] - server) for k in clients)
    met = {
        "0 < eta a <= 1": long or 0 < x["length"] <= 1,
        "coefficients on the simplex": all(min(p) >= 0 and sum(p) == 1 for p in x["coefficient"]),
    }
    return met, {"variance_most": variance, "second_most": largest, "reach2": (top * (max(ends) - min(ends))) ** 2}


def _runs(*, long: bool = False) -> World:
    def at(N: float, E: float) -> Case:
        n, n_local = int(N), int(E)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n, 2), at=(1.0,)),
                Signed("position", 1e-1, 1e1, (n, 2)),
                Signed("start", 1e-1, 1e1),
                Simplex("coefficient", n, (3,)),
                Uniform("batch", 0.0, 1.0, (3, n_local, n)),
                Uniform("done", 0.0, 1.0, (3, n)),
                LogScale("length", 1e-2, 1.0, at=(1.0,)),
            )
        )
        same = (
            units({"curvature": (1, -2), "position": (0, 1), "start": (0, 1)}),
            permuted_clients({"curvature": 0, "position": 0, "coefficient": 1, "batch": 2, "done": 1}),
        )
        cost, name = min(4.0, max(1.0, n * n_local / 40)), f"three rounds of SGD, N = {n}, E = {n_local}"
        return case(name, space, visited, visited_exact, cost=cost, symmetries=same, long=long)

    return World(NOTATION, (Family("three rounds of SGD", (Size("N", 1, 50, 2), Size("E", 1, 50, 3)), at),))


def moment_away(distance: Any, mu: Any) -> tuple[Fraction, Fraction]:
    """(|grad F_k(w)|^2 at w = w_k* + distance for curvature mu, 1)."""
    return Fraction(mu * distance) ** 2, Fraction(1)


def variance_away(distance: Any, mu: Any) -> tuple[Fraction, Fraction]:
    """(variance of the gradient of two samples mu (w - 0)^2/2 and 3 mu (w - 0)^2/2 at w = distance, 1)."""
    one, other = mu * distance, 3 * mu * distance
    return Fraction(one**2 + other**2) / 2 - Fraction(one + other) ** 2 / 4, Fraction(1)


def _everywhere(at: Any) -> Order:
    family = OrderFamily("away from the optimum", at, {"distance": n}, {"mu": (1, 10)}, degree=2)
    return Order("upper", (family,), variable="distance", may_depend_on=("mu",))


_LONG_STEPS = mutant(
    "steps four times as long",
    None,
    "a client whose step is too long for its curvature leaves the interval of the samples",
    world=_runs(long=True),
)

_TWO_SAMPLES = [
    "clients of two quadratic samples, batches of one, any batches; s of E steps done",
    "0 < ηa <= 1 for every sample; coefficients of a round on the simplex",
]

A3 = definition(
    "EFL-A3",
    "Assumption 3, Sec. 3.2",
    "Bounded variance",
    printed=r"\mathbb E_\xi\|g_t^k-\overline g_t^k\|^2\le\sigma_k^2",
    plainly="""At every model a run visits the variance of the stochastic gradient is at most a constant free of the
        round.""",
    assumes=_TWO_SAMPLES,
    says=le(variance_most, reach2),
    world=_runs(),
    readings=[
        reading(
            "at the local models of a run",
            "σₖ² = (aD)², D the width of the start and of the samples' optima, a the largest curvature.",
        )
    ],
    mutants=[
        mutant(
            "on all of space, samples of different curvature",
            _everywhere(variance_away),
            "the variance is (μ·distance)²",
        ),
        _LONG_STEPS,
    ],
    rests_on=["EFL-A1"],
    verdict="""The assumption is on the gradients at the iterates, and there it can be met: with ηa <= 1 each batch step
        moves between the model and a sample's optimum, so a run whose coefficients sum to 1 never leaves their
        interval. On all of space it fails as soon as two samples differ in curvature. With coefficients such as E pᵏ/s,
        whose sum exceeds 1, the interval is no longer kept and σₖ depends on the step sizes as well.""",
)

A4 = definition(
    "EFL-A4",
    "Assumption 4, Sec. 3.2",
    "Bounded gradient",
    printed=r"\mathbb E_\xi\|g_t^k\|^2\le G^2",
    plainly="The second moments of the stochastic gradients of each client are at most G² at every step t.",
    assumes=_TWO_SAMPLES,
    says=le(second_most, reach2),
    world=_runs(),
    readings=[
        reading("at the local models of a run", "G² = (aD)², as for the variance."),
        reading(
            "at every model",
            "Stronger than the print, as a condition on the objectives beside A2: ‖∇F̃ₖ(w)‖ on all of space.",
            _everywhere(moment_away),
            ours="""A4 prints g with the step t and the client k, the gradient at ωₜᵏ; on all of space it would
                contradict A2""",
        ),
    ],
    mutants=[_LONG_STEPS],
    tight="one client, start and optimum at the ends of the interval",
    rests_on=["EFL-A1", "EFL-A2"],
    verdict="""The assumption can be met where the index t places it, at the local models of a run: for short steps and
        coefficients that sum to 1 there is a G that does not depend on the number of rounds. It then depends on the
        start. A stronger statement fails: with strong convexity no G bounds the gradients on all of space, so as a
        condition on the objectives A4 would contradict A2. That reading is ours; the print has the step t and the
        client k. All checks of Theorem 1 here take G² over the models visited.""",
)


def patterns(x: Instance, *, rule: bool, E: int) -> Mapping[str, Any]:
    """Three patterns of finished steps s and coefficients p, and their moments; `rule`: p = E pᵏ/s, else anything below θpᵏ."""
    share, theta = x["share"], (1 + x["slack"]) * E
    s = np.minimum(np.floor(x["done"] * (E + 1) + 1e-9), E)
    if rule:
        p = share[:, None] * np.where(s > 0, E / np.maximum(s, 1), 0.0)
    else:
        p = share[:, None] * (x["part"] * theta[:, None, None] * 0.999)
    q = x["chance"][..., None]
    work, cap = p * s, theta[:, None] * share
    excess = p.sum(axis=2) - 2
    return {
        "theta": theta,
        "E": E + 0 * theta,
        "ratio_most": (p / share[:, None]).max(axis=(1, 2)),
        "work_most": work.sum(axis=2).max(axis=1),
        "work_mean": (q * work).sum(axis=(1, 2)),
        "some": (q * work).max(axis=(1, 2)),
        "over_p": ((q * p).sum(axis=1) - cap).max(axis=1),
        "over_ps": ((q * work).sum(axis=1) - cap * E).max(axis=1),
        "over_p2s": ((q * p * work).sum(axis=1) - cap**2 * E).max(axis=1),
        "fourth": (q[..., 0] * (excess + work.sum(axis=2))).sum(axis=1),
        "factor": (q[..., 0] * np.maximum(excess, 0) * work.sum(axis=2)).sum(axis=1),
        "sizes": {"over_p": theta, "over_ps": theta * E, "over_p2s": theta**2 * E, "fourth": theta * (1 + E) + 2},
    }


def patterns_exact(x: Mapping[str, Any], *, rule: bool, E: int) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Finished steps and coefficients of three patterns, and E p, E p s, E p^2 s, E[sum p - 2 + sum p s] and the like."""
    share, clients, theta = x["share"], range(len(x["share"])), (1 + x["slack"]) * E
    s = [[min(int(u * (E + 1)), E) for u in row] for row in x["done"]]
    if rule:
        p = [[q * E / v if v else Fraction(0) for q, v in zip(share, row, strict=True)] for row in s]
    else:
        p = [[q * u * theta * Fraction(999, 1000) for q, u in zip(share, row, strict=True)] for row in x["part"]]
    work = [sum(v * t for v, t in zip(a, b, strict=True)) for a, b in zip(p, s, strict=True)]
    law = list(zip(x["chance"], p, s, work, strict=True))
    met = {"p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0, "chances": sum(x["chance"]) == 1}
    return met, {
        "theta": theta,
        "E": Fraction(E),
        "ratio_most": max(v / q for row in p for v, q in zip(row, share, strict=True)),
        "work_most": max(work),
        "work_mean": sum(q * w for q, _, _, w in law),
        "some": max(q * a[k] * t[k] for q, a, t, _ in law for k in clients),
        "over_p": max(sum(q * a[k] for q, a, _, _ in law) - theta * share[k] for k in clients),
        "over_ps": max(sum(q * a[k] * t[k] for q, a, t, _ in law) - theta * share[k] * E for k in clients),
        "over_p2s": max(sum(q * a[k] ** 2 * t[k] for q, a, t, _ in law) - (theta * share[k]) ** 2 * E for k in clients),
        "fourth": sum(q * (sum(a) - 2 + w) for q, a, _, w in law),
        "factor": sum(q * max(sum(a) - 2, Fraction(0)) * w for q, a, _, w in law),
    }


def _patterns(*, rule: bool = False) -> World:
    def at(N: float, E: float) -> Case:
        n, n_local = int(N), int(E)
        part: Sequence[Coordinate] = () if rule else (Uniform("part", 0.0, 1.0, (3, n), at=(0.0, 1.0)),)
        space = Space(
            (
                Simplex("share", n, interior=True),
                Simplex("chance", 3),
                Uniform("done", 0.0, 1.0, (3, n), at=(0.0, 1.0)),
                *part,
                LogScale("slack", 1e-3, 1e1),
            )
        )
        same = (permuted_clients({"share": 0, "done": 1, **({} if rule else {"part": 1})}),)
        cost, name = min(4.0, max(1.0, n * n_local / 400)), f"coefficients, N = {n}, E = {n_local}"
        return case(name, space, patterns, patterns_exact, cost=cost, symmetries=same, rule=rule, E=n_local)

    return World(NOTATION, (Family("coefficients", (Size("N", 1, 100, 3), Size("E", 1, 300, 5)), at),))


def largest_ratio(E: Any) -> tuple[Fraction, Fraction]:
    """(p_tau^k/p^k = E/s for a client that finishes one step, 1)."""
    return Fraction(E) / 1, Fraction(1)


_ANY = _patterns()
_ONE_STEP = OrderFamily("a client that finishes one step", largest_ratio, {"E": n}, degree=1)

A5 = definition(
    "EFL-A5",
    "Assumption 5, Sec. 3.2; used in (59), (63)",
    "Bounded aggregation coefficient",
    printed=r"p_\tau^k<\theta p^k",
    plainly="A θ above E serves the rule pₖ = E pᵏ/s, and A5 gives the Σps <= θE that (63) uses.",
    assumes=["p^k on the simplex, all positive", "three patterns of finished steps and coefficients"],
    says=le(ratio_most, theta),
    world=_patterns(rule=True),
    readings=[
        reading(
            "the rule E pᵏ/s",
            "Any θ > E, clients with s = 0 at coefficient 0.",
            part="a θ above E serves the rule of Sec. 4.2",
        ),
        reading(
            "as (63) uses it",
            "Σps <= θE for any coefficients below θpᵏ.",
            le(work_most, theta * E),
            world=_ANY,
            part="Σps <= θE, as (63) uses it",
        ),
    ],
    mutants=[mutant("one θ for every E", Order("upper", (_ONE_STEP,), variable="E"), "p/pᵏ = E for s = 1")],
    rests_on=["EFL-ALG3"],
    verdict="""Always satisfiable, and it gives what the proof takes from it. For the paper's own rule θ has to exceed E
        when a client may finish a single step; every θ in the bound is then an E, and with γ >= 4E²θ/m also γ grows
        like E².""",
)

A6 = definition(
    "EFL-A6",
    "Before Theorem 1, Sec. 3.2",
    "Moments of coefficients and steps exist",
    printed=r"""\mathbb E[p_\tau^k],\ \mathbb E[p_\tau^ks_\tau^k],\ \mathbb E[(p_\tau^k)^2s_\tau^k],\ \mathbb E
        \Big[\sum_kp_\tau^k-2+\sum_kp_\tau^ks_\tau^k\Big]\text{ exist},\quad\mathbb E\Big[\sum_kp_\tau^ks_\tau^k
        \Big]\ne0""",
    plainly="""Under A5 all four moments are finite, and the last is nonzero once some client finishes a step with a
        positive coefficient.""",
    assumes=["A5", "three patterns of finished steps and coefficients, any chances"],
    says=all_of(
        le(over_p, 0),
        le(over_ps, 0),
        le(over_p2s, 0),
        le(fourth, theta * (1 + E) - 2),
        le(-2, fourth),
        le(factor, sp.Max(theta - 2, 0) * theta * E),
    ),
    world=_ANY,
    readings=[
        reading(
            "the moments",
            "Within what θ and E allow; the fourth as printed and as E[(Σp − 2)₊Σps].",
            part="the four moments exist",
        ),
        reading(
            "E Σps ≠ 0",
            "Some client finishes a step with positive chance and coefficient.",
            lt(0, work_mean),
            world=_ANY.where(lt(0, some)),
            part="the mean work is not 0",
        ),
    ],
    mutants=[mutant("E Σps ≠ 0 without that", lt(0, work_mean), "nobody finishes a step: the sum is 0")],
    rests_on=["EFL-A5"],
    verdict="""Given A5 and s <= E all expectations exist, so this assumption adds only that some round's work is done.
        The fourth, with its second «+» as the subscript of a positive part, as EFL-L3 needs it, is E[(Σp − 2)₊Σps]: the
        random factor in (59) so read, and one more sign that this is meant. Under the rule E pᵏ/s the coefficient of an
        inactive client is not defined, and E[p] exists only by setting it (EFL-ALG3).""",
)

CLAIMS: tuple[Claim, ...] = (A1, A2, A3, A4, A5, A6)

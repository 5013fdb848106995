"""Statements of the papers decided over whole classes: every client's function of its class, in every dimension.

Beside the search, which draws functions, stands here what is so for all of them: at two clients, fixed weights and the
constants below, or for a single function. `proved` and `refuted` are exact (`validation.decide_class`). A statement that
is refuted here is refuted as printed, each line alone; no verdict of the ledgers is derived from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from theory.classes import Condition, Family, Form, Function, Problem, Real, Statement, Sum, Vector, families, number

__all__ = ["OVER_CLASSES", "OverClass"]

L, MU, STEP = number(1), number("1/10"), number("1/4")
ONE = number(1)
WEIGHTS = (number("1/3"), number("2/3"))  # ρ, α or p_τ of the round
SHARES = (number("1/2"), number("1/2"))  # p of the objective
THETA = number("4/3")  # p_τ <= θp
AT = "two clients with weights 1/3 and 2/3, shares 1/2, L = 1, μ = 1/10, η = 1/4"


@dataclass(frozen=True, eq=False)
class OverClass:
    """Claim `claim` at `at`, posed as `left` <= `right` for all instances; `word` is what exact arithmetic shows."""

    claim: str
    says: str
    at: str
    pose: Callable[[], Statement]
    word: Literal["proved", "refuted"]


@dataclass(frozen=True, eq=False)
class _Round:
    """Two clients inside a round: local models wₖ, gradients gₖ there, the mean w, gradients at it, all optima."""

    problem: Problem
    clients: tuple[Function, ...]
    optimum: Vector
    own: tuple[Vector, ...]
    local: tuple[Vector, ...]
    mean: Vector

    def weighted(self, term: Callable[[int], Form]) -> Form:
        """Σ ρₖ·term(k)."""
        return sum((a * term(k) for k, a in enumerate(WEIGHTS)), Form())

    def gap(self, k: int, x: Vector) -> Form:
        """Fₖ(x) − Fₖ*."""
        return self.clients[k](x) - self.clients[k](self.own[k])

    def excess(self, k: int, x: Vector) -> Form:
        """Fₖ(x) − Fₖ(w*)."""
        return self.clients[k](x) - self.clients[k](self.optimum)

    def apart(self, k: int) -> Form:
        """‖w − wₖ‖²."""
        return (self.mean - self.local[k]) ** 2

    def direction(self) -> Vector:
        """Σ ρₖ∇Fₖ(wₖ)."""
        first, second = (F.gradient(w) * a for a, F, w in zip(WEIGHTS, self.clients, self.local, strict=True))
        total: Vector = first + second
        return total


Says = Callable[[_Round], tuple[Form, Form]]


def _round(says: Says) -> Statement:
    p = Problem()
    clients = tuple(p.function(families.smooth_convex(L, MU), f"F{k + 1}") for k in range(2))
    optimum = Sum(tuple(zip(SHARES, clients, strict=True))).minimiser("w*")
    own = tuple(F.minimiser(f"w{k + 1}*") for k, F in enumerate(clients))
    local = tuple(p.point(f"w{k + 1}") for k in range(2))
    mean = WEIGHTS[0] * local[0] + WEIGHTS[1] * local[1]
    left, right = says(_Round(p, clients, optimum, own, local, mean))
    return p.statement(left - right, 0)


def _single(
    says: Callable[[Function, Vector, Vector], tuple[Form, Form, Sequence[Condition]]], family: Family
) -> Statement:
    p = Problem()
    F = p.function(family, "f")
    optimum, x = F.minimiser("w*"), p.point("w")
    left, right, given = says(F, optimum, x)
    return p.statement(left - right, 0, given=given)


def _lemma1(F: Function, optimum: Vector, x: Vector) -> tuple[Form, Form, Sequence[Condition]]:
    g = F.gradient(x)
    lowest = F(optimum) - F(x - g / L) <= 0  # w* is a global minimum
    return g**2, 2 * L * (F(x) - F(optimum)), [lowest]


def _lemma1_line(F: Function, _: Vector, x: Vector) -> tuple[Form, Form, Sequence[Condition]]:
    y = F.problem.point("v")
    change = F.gradient(x) - F.gradient(y)
    return change**2 / (2 * L), F(x) - F(y) - F.gradient(y) * (x - y), ()


def _quadratic_above(F: Function, optimum: Vector, x: Vector) -> tuple[Form, Form, Sequence[Condition]]:
    return F(x) - F(optimum), L / 2 * (x - optimum) ** 2, ()


def _quadratic_below(F: Function, optimum: Vector, x: Vector) -> tuple[Form, Form, Sequence[Condition]]:
    return MU / 2 * (x - optimum) ** 2, F(x) - F(optimum), ()


def _squared_direction(r: _Round, factor: Real = ONE) -> tuple[Form, Form]:
    return STEP**2 * r.direction() ** 2, factor * 2 * L * STEP**2 * r.weighted(lambda k: r.gap(k, r.local[k]))


def _strong(r: _Round, *, own_floor: bool) -> tuple[Form, Form]:
    """⟨w* − w₁, ∇F₁(w₁)⟩ <= F₁(w*) − F₁(w₁) − μ/2‖w* − w₁‖², with F₁* for F₁(w*) as EFL prints it."""
    F, x = r.clients[0], r.local[0]
    floor = F(r.own[0]) if own_floor else F(r.optimum)
    return (r.optimum - x) * F.gradient(x), floor - F(x) - MU / 2 * (r.optimum - x) ** 2


def _tangent(r: _Round) -> tuple[Form, Form]:
    F, x = r.clients[0], r.local[0]
    return (x - r.mean) * F.gradient(r.mean), F(x) - F(r.mean)


def _young_printed(r: _Round) -> tuple[Form, Form]:
    lower = r.weighted(lambda k: STEP * r.clients[k].gradient(r.mean) ** 2 + r.apart(k) / STEP) / 2
    return lower, r.weighted(lambda k: (r.local[k] - r.mean) * r.clients[k].gradient(r.mean))


def _smooth_printed(r: _Round) -> tuple[Form, Form]:
    return r.weighted(lambda k: 2 * L * STEP * r.excess(k, r.mean)), r.weighted(
        lambda k: STEP * r.clients[k].gradient(r.mean) ** 2
    )


def _drop_to_mean(r: _Round) -> tuple[Form, Form]:
    """γΣρ(Fₖ(w) − Fₖ(wₖ)) <= γΣρ[ηL(Fₖ(w) − Fₖ*) + ‖wₖ − w‖²/(2η)]."""
    left = r.weighted(lambda k: r.clients[k](r.mean) - r.clients[k](r.local[k]))
    return left, r.weighted(lambda k: STEP * L * r.gap(k, r.mean) + r.apart(k) / (2 * STEP))


def _one_step(r: _Round) -> tuple[Form, Form]:
    left = (r.mean - STEP * r.direction() - r.optimum) ** 2
    omega = r.weighted(lambda k: r.gap(k, r.mean))
    gamma = r.weighted(lambda k: r.gap(k, r.optimum))
    right = (1 - STEP * MU) * (r.mean - r.optimum) ** 2 + 2 * r.weighted(r.apart)
    return left, right + 6 * L * STEP**2 * omega + 2 * STEP * (gamma - omega)


def _inner_product(r: _Round) -> tuple[Form, Form]:
    left = -2 * STEP * ((r.mean - r.optimum) * r.direction())
    right = r.weighted(r.apart) - STEP * MU * r.weighted(lambda k: (r.local[k] - r.optimum) ** 2)
    right = right + 2 * L * STEP**2 * r.weighted(lambda k: r.gap(k, r.local[k]))
    return left, right - 2 * STEP * r.weighted(lambda k: r.excess(k, r.local[k]))


def _convexity_printed(r: _Round, sign: int) -> tuple[Form, Form]:
    """−Σα(Fₖ(wₖ) − Fₖ(w)) <= Σα[±⟨∇Fₖ(w), wₖ − w⟩ ± μ/2‖wₖ − w‖²]; the print has +."""
    left = r.weighted(lambda k: r.clients[k](r.mean) - r.clients[k](r.local[k]))
    slope = r.weighted(lambda k: r.clients[k].gradient(r.mean) * (r.local[k] - r.mean))
    return left, sign * (slope + MU / 2 * r.weighted(r.apart))


def _smoothness_printed(r: _Round) -> tuple[Form, Form]:
    left = r.weighted(lambda k: r.clients[k].gradient(r.mean) * (r.local[k] - r.mean) + MU / 2 * r.apart(k))
    return left, r.weighted(lambda k: STEP * L * r.gap(k, r.mean) + (1 / (2 * STEP) - MU / 2) * r.apart(k))


def _lower_bound(r: _Round) -> tuple[Form, Form]:
    left = r.weighted(lambda k: r.excess(k, r.mean) - STEP * L * r.gap(k, r.mean) - r.apart(k) / (2 * STEP))
    return left, r.weighted(lambda k: r.excess(k, r.local[k]))


def _efl_c1(r: _Round) -> tuple[Form, Form]:
    step = 1 / (2 * (1 + THETA) * L)
    gamma = 2 * step * (1 - (1 + THETA) * L * step)
    depart = r.weighted(lambda k: r.gap(k, r.optimum))
    left = 2 * step * depart - gamma * r.weighted(lambda k: r.gap(k, r.local[k]))
    right = gamma * (step * L - 1) * r.weighted(lambda k: r.excess(k, r.mean)) + r.weighted(r.apart)
    return left, right + 2 * (2 + THETA) * L * step**2 * depart


def _efl_step(r: _Round) -> tuple[Form, Form]:
    step = 1 / (2 * (1 + THETA) * L)
    gamma = 2 * step * (1 - (1 + THETA) * L * step)
    left = (r.mean - step * r.direction() - r.optimum) ** 2
    right = (1 - MU * step / 2) * (r.mean - r.optimum) ** 2 + (2 + MU * step) * r.weighted(r.apart)
    right = right + 2 * (2 + THETA) * L * step**2 * r.weighted(lambda k: r.gap(k, r.optimum))
    return left, right - gamma * (1 - step * L) * r.weighted(lambda k: r.excess(k, r.mean))


def _of_round(claim: str, says: str, pose: Says, word: Literal["proved", "refuted"], at: str = AT) -> OverClass:
    return OverClass(claim, says, at, partial(_round, pose), word)


def _every(name: str) -> str:
    return f"every {name}, L = 1"


_CONVEX, _ANY, _STRONG = families.smooth_convex(L), families.smooth(L), families.smooth_convex(L, MU)

OVER_CLASSES: Sequence[OverClass] = (
    OverClass("RA-L1", "‖∇f(w)‖² <= 2L(f(w) − f*)", _every("smooth f"), partial(_single, _lemma1, _ANY), "proved"),
    OverClass(
        "RA-P-L1.1",
        "f(w) − f(v) − ⟨∇f(v), w − v⟩ >= ‖∇f(w) − ∇f(v)‖²/(2L)",
        _every("smooth convex f"),
        partial(_single, _lemma1_line, _CONVEX),
        "proved",
    ),
    OverClass(
        "RA-P-L1.1",
        "the same at any two points of functions that need not be convex",
        _every("smooth f"),
        partial(_single, _lemma1_line, _ANY),
        "refuted",
    ),
    OverClass(
        "EA-E9", "F(w) − F* <= L/2‖w − w*‖²", _every("smooth f"), partial(_single, _quadratic_above, _ANY), "proved"
    ),
    OverClass(
        "RA-P-T1.A7c",
        "F(w) − F* >= μ/2‖w − w*‖²",
        _every("smooth f, μ = 1/10"),
        partial(_single, _quadratic_below, _STRONG),
        "proved",
    ),
    _of_round("EA-E15", "B₂ <= 2Lη²Σρ(Fₖ(wₖ) − Fₖ*)", _squared_direction, "proved"),
    _of_round("EFL-E34", "B₂ <= 2Lθη²Σp_τ(Fₖ(wₖ) − Fₖ*)", partial(_squared_direction, factor=THETA), "proved"),
    _of_round("EA-E18", "B₁₂ <= F₁(w*) − F₁(w₁) − μ/2‖w* − w₁‖²", partial(_strong, own_floor=False), "proved"),
    _of_round("EFL-E37", "the same with F₁* for F₁(w*), as printed", partial(_strong, own_floor=True), "refuted"),
    _of_round("EA-E20a", "F₁(w₁) − F₁(w) >= ⟨w₁ − w, ∇F₁(w)⟩", _tangent, "proved"),
    _of_round("EA-E20b", "Σρ⟨wₖ − w, ∇Fₖ(w)⟩ >= ½Σρ[η‖∇Fₖ(w)‖² + ‖wₖ − w‖²/η]", _young_printed, "refuted"),
    _of_round("EA-E20c", "Σρη‖∇Fₖ(w)‖² >= Σρ2Lη(Fₖ(w) − Fₖ(w*))", _smooth_printed, "refuted"),
    _of_round(
        "EA-E21a", "C <= γΣρ[Lη(Fₖ(w) − Fₖ*) + ‖wₖ − w‖²/(2η)] − γΣρ(Fₖ(w) − Fₖ(w*)) + …", _drop_to_mean, "proved"
    ),
    _of_round("EA-L1", "one step without noise, Ω and Γ at the step itself", _one_step, "proved"),
    _of_round("RA-P-T1.A1e", "A₁ before Lemma 2 is applied", _inner_product, "proved"),
    _of_round("RA-P-T1.A6b", "strong convexity as printed, with +", partial(_convexity_printed, sign=1), "refuted"),
    _of_round("RA-P-T1.A6b", "the same with −, as meant", partial(_convexity_printed, sign=-1), "proved"),
    _of_round("RA-P-T1.A6c", "smoothness as printed", _smoothness_printed, "refuted"),
    _of_round("EFL-E43", "the last line of the lower bound of C₂", _lower_bound, "proved"),
    _of_round("EFL-E44", "the last line of the bound of C₁, θ = 4/3, η = 3/14", _efl_c1, "proved"),
    _of_round("EFL-E46", "one step without noise, θ = 4/3, η = 3/14", _efl_step, "proved"),
)

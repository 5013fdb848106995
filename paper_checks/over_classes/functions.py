"""Lines about one function, about means of functions and about optima that move, over whole classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from paper_checks.over_classes.instances import MU, L, OverClass, of_lone
from theory.classes import Condition, Form, Function, Number, Problem, Statement, Sum, Vector, families, number

__all__ = ["FUNCTIONS"]


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


def _smooth_line(F: Function, _: Vector, x: Vector) -> tuple[Form, Form, Sequence[Condition]]:
    return _rise(F, x, L / 2)


def _smooth_line_printed(F: Function, _: Vector, x: Vector) -> tuple[Form, Form, Sequence[Condition]]:
    return _rise(F, x, -L / 2)


def _rise(F: Function, x: Vector, curvature: Number) -> tuple[Form, Form, Sequence[Condition]]:
    y = F.problem.point("v")
    return F(y) - F(x), F.gradient(x) * (y - x) + curvature * (y - x) ** 2, ()


def _along_the_path(F: Function, _: Vector, x: Vector) -> tuple[Form, Form, Sequence[Condition]]:
    """(1/τ)Σ‖∇F(θ) − ∇F(θ_r)‖² <= (L²/τ)Σ‖θ − θ_r‖² at τ = 2."""
    steps = [F.problem.point(f"v{r}") for r in (1, 2)]
    left = sum(((F.gradient(x) - F.gradient(y)) ** 2 / 2 for y in steps), Form())
    return left, sum((L**2 / 2 * (x - y) ** 2 for y in steps), Form()), ()


def _smooth_mean() -> Statement:
    """‖∇f(x) − ∇f(y)‖ <= L‖x − y‖ of f = f₁/3 + 2f₂/3."""
    p = Problem()
    f = number("1/3") * p.function(families.smooth(L), "f1") + number("2/3") * p.function(families.smooth(L), "f2")
    x, y = p.point("x"), p.point("y")
    return p.statement((f.gradient(x) - f.gradient(y)) ** 2 - L**2 * (x - y) ** 2, 0)


def _moved_optimum(share: Number, *, arrives: bool, at_old: bool) -> Statement:
    """‖ω* − ω̂*‖² <= 8Lp_a²(F_a(·) − F_a*)/μ²: client a has this share of the larger federation.

    `arrives`: ω* is the optimum without it, else with it; F_a is taken at ω* with `at_old`, else at ω̂*.
    """
    p = Problem()
    a = number(share)
    rest = p.function(families.smooth_convex(L, MU), "F")
    one = p.function(families.smooth_convex(L, MU), "Fa")
    alone, together = rest.minimiser("without"), Sum(((1 - a, rest), (a, one))).minimiser("with")
    own = one.minimiser("wa*")
    old, new = (alone, together) if arrives else (together, alone)
    gap = one(old if at_old else new) - one(own)
    return p.statement((old - new) ** 2 - 8 * L * a**2 / MU**2 * gap, 0)


def _every(name: str) -> str:
    return f"every {name}, L = 1"


_CONVEX, _ANY, _STRONG = families.smooth_convex(L), families.smooth(L), families.smooth_convex(L, MU)
_LEMMA1 = "‖∇f(w)‖² <= 2L(f(w) − f*)"
_MOVED = "‖ω* − ω̂*‖² <= 8L(share of a)²(F_a(ω̂*) − F_a*)/μ²"

FUNCTIONS: Sequence[OverClass] = (
    of_lone("RA-L1", _LEMMA1, _every("smooth f"), _lemma1, _ANY, "proved"),
    of_lone("EA-E14", _LEMMA1, _every("smooth f"), _lemma1, _ANY, "proved"),
    of_lone("EFL-E33", _LEMMA1, _every("smooth f"), _lemma1, _ANY, "proved"),
    of_lone(
        "RA-P-L1.1",
        "f(w) − f(v) − ⟨∇f(v), w − v⟩ >= ‖∇f(w) − ∇f(v)‖²/(2L)",
        _every("smooth convex f"),
        _lemma1_line,
        _CONVEX,
        "proved",
    ),
    of_lone(
        "RA-P-L1.1",
        "the same at any two points, v no minimum, of functions that need not be convex",
        _every("smooth f"),
        _lemma1_line,
        _ANY,
        "refuted",
        "wider",
    ),
    of_lone(
        "EA-E9",
        "F(w) − F* <= L/2‖w − w*‖², w the same on both sides",
        _every("smooth f"),
        _quadratic_above,
        _ANY,
        "proved",
        "corrected",
    ),
    of_lone(
        "RA-P-T1.A7c",
        "F(w) − F* >= μ/2‖w − w*‖²",
        _every("smooth f, μ = 1/10"),
        _quadratic_below,
        _STRONG,
        "proved",
    ),
    of_lone("FA-S6.1", "f(y) <= f(x) + ⟨∇f(x), y − x⟩ + L/2‖y − x‖²", _every("smooth f"), _smooth_line, _ANY, "proved"),
    of_lone("SSA-E14", "the same with −L/2, as printed", _every("smooth f"), _smooth_line_printed, _ANY, "refuted"),
    of_lone("SSA-E14", "the same with +L/2", _every("smooth f"), _smooth_line, _ANY, "proved", "corrected"),
    of_lone(
        "SSA-E35",
        "gradients along the path against distances",
        _every("smooth f") + ", τ = 2",
        _along_the_path,
        _ANY,
        "proved",
    ),
    OverClass(
        "FA-A4.2",
        "the mean of L-smooth functions is L-smooth",
        "two smooth clients with shares 1/3 and 2/3, L = 1",
        _smooth_mean,
        "proved",
    ),
    OverClass(
        "EFL-T2a",
        _MOVED,
        "a client of share 1/3 leaves, L = 1, μ = 1/10",
        partial(_moved_optimum, "1/3", arrives=False, at_old=False),
        "proved",
    ),
    OverClass(
        "EFL-T2b",
        _MOVED,
        "a client of share 9/10 arrives, L = 1, μ = 1/10",
        partial(_moved_optimum, "9/10", arrives=True, at_old=False),
        "refuted",
    ),
    OverClass(
        "EFL-T2b",
        _MOVED,
        "a client of share 1/2 arrives, L = 1, μ = 1/10",
        partial(_moved_optimum, "1/2", arrives=True, at_old=False),
        "proved",
        "corrected",
    ),
    OverClass(
        "EFL-T2b",
        "the same with F_a(ω*)",
        "a client of share 9/10 arrives, L = 1, μ = 1/10",
        partial(_moved_optimum, "9/10", arrives=True, at_old=True),
        "proved",
        "corrected",
    ),
)

"""Fixed points and monotone inclusions: PEPit's examples in our form."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.benchmarks.classes.example import Posed, example
from theory.classes import Problem, number, sqrt
from theory.classes.families import (
    cocoercive,
    indicator,
    lipschitz_operator,
    lipschitz_strongly_monotone,
    monotone,
    nonexpansive,
    smooth_convex,
    strongly_monotone,
)
from theory.classes.steps import proximal

FIXED, MONOTONE = "fixed_point_problems.", "monotone_inclusions_variational_inequalities."
LOW = "low_dimensional_worst_cases_scenarios."


@example(FIXED + "halpern_iteration", n=25)
@example(LOW + "halpern_iteration", n=10)
def halpern_iteration(n: int) -> Posed:
    p = Problem()
    A = p.function(nonexpansive(), "A")
    xs, x0 = A.fixed_point("x*"), p.point("x0")
    x = x0
    for i in range(n):
        x = x0 + Fraction(i + 1, i + 2) * (A.gradient(x) - x0)
    return Posed(p, (x - A.gradient(x)) ** 2, [(x0 - xs) ** 2 <= 1], number(Fraction(4, (n + 1) ** 2)))


@example(FIXED + "optimal_contractive_halpern_iteration", n=10, gamma="11/10")
def optimal_contractive_halpern_iteration(n: int, gamma: Any) -> Posed:
    p = Problem()
    A = p.function(lipschitz_operator(1 / gamma), "A")
    xs, x0 = A.fixed_point("x*"), p.point("x0")
    x = x0
    for i in range(n):
        phi = (gamma ** (2 * i + 4) - 1) / (gamma**2 - 1)
        x = x0 / phi + (1 - 1 / phi) * A.gradient(x)
    rate = (1 + 1 / gamma) ** 2 * ((gamma - 1) / (gamma ** (n + 1) - 1)) ** 2
    return Posed(p, (x - A.gradient(x)) ** 2, [(x0 - xs) ** 2 <= 1], rate)


@example(FIXED + "inconsistent_halpern_iteration", n=25)
def inconsistent_halpern_iteration(n: int) -> Posed:
    p = Problem()
    A = p.function(nonexpansive(), "A")
    xs, image, x0 = p.point("x*"), p.point("Ax*"), p.point("x0")
    A.add(xs, image)
    x, v = x0, xs - image
    for i in range(n):
        x = x0 + Fraction(i + 1, i + 2) * (A.gradient(x) - x0)
    measure = (x - A.gradient(x) - v) ** 2
    # v is the least displacement: ‖v‖² <= ⟨v, x − Ax⟩ wherever the operator was asked.
    for s in A.samples[1:]:
        p.require(v**2 <= v * (s.x - s.g), "least displacement")
    harmonic = sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))
    return Posed(p, measure, [(x0 - xs) ** 2 <= 1], ((sqrt(harmonic + 12) + 1) / (n + 1)) ** 2, tight=False)


@example(FIXED + "krasnoselskii_mann_constant_step_sizes", n=3, gamma="3/4")
def krasnoselskii_mann_constant_step_sizes(n: int, gamma: Any) -> Posed:
    p = Problem()
    A = p.function(nonexpansive(), "A")
    xs, x0 = A.fixed_point("x*"), p.point("x0")
    x = x0
    for _ in range(n):
        x = x + gamma * (A.gradient(x) - x)
    rate = number(Fraction(n, n + 1) ** n) / ((n + 1) * 4 * gamma * (1 - gamma))
    return Posed(p, (x - A.gradient(x)) ** 2 / 4, [(x0 - xs) ** 2 <= 1], rate)


@example(FIXED + "krasnoselskii_mann_increasing_step_sizes", n=3)
def krasnoselskii_mann_increasing_step_sizes(n: int) -> Posed:
    p = Problem()
    A = p.function(nonexpansive(), "A")
    xs, x0 = A.fixed_point("x*"), p.point("x0")
    x = x0
    for i in range(n):
        x = x + Fraction(i + 1, i + 2) * (A.gradient(x) - x)
    return Posed(p, (x - A.gradient(x)) ** 2 / 4, [(x0 - xs) ** 2 <= 1], None)


@example(MONOTONE + "proximal_point", alpha="2", n=10)
@example(LOW + "proximal_point", alpha="11/5", n=11)
def proximal_point(alpha: Any, n: int) -> Posed:
    p = Problem()
    A = p.function(monotone(), "A")
    xs, x0 = A.minimiser("x*"), p.point("x0")
    old = x = x0
    for _ in range(n):
        old, (x, _) = x, proximal(x, A, alpha)
    return Posed(p, (x - old) ** 2, [(x0 - xs) ** 2 <= 1], number(Fraction(n - 1, n) ** (n - 1) / n))


@example(MONOTONE + "accelerated_proximal_point", alpha="2", n=10)
def accelerated_proximal_point(alpha: Any, n: int) -> Posed:
    p = Problem()
    A = p.function(monotone(), "A")
    xs, x0 = A.minimiser("x*"), p.point("x0")
    old = y_old = x = y = x0
    for i in range(n):
        old, (x, _) = x, proximal(y, A, alpha)
        y_old, y = y, x + Fraction(i, i + 2) * (x - old - (old - y_old))
    return Posed(p, (x - y_old) ** 2, [(x0 - xs) ** 2 <= 1], number(Fraction(1, n**2)))


@example(MONOTONE + "optimal_strongly_monotone_proximal_point", n=10, mu="1/20")
def optimal_strongly_monotone_proximal_point(n: int, mu: Any) -> Posed:
    p = Problem()
    A = p.function(strongly_monotone(mu), "A")
    xs, x0 = A.minimiser("x*"), p.point("x0")

    def phi(i: int) -> Any:
        return ((1 + 2 * mu) ** (2 * i + 2) - 1) / ((1 + 2 * mu) ** 2 - 1)

    x = y = y_old = x0
    for i in range(n):
        new, _ = proximal(y, A, 1)
        lean = (phi(i) - 1) * (new - x) - 2 * mu * phi(i) * (y - new) + (1 + 2 * mu) * phi(i - 1) * (y_old - x)
        x, y_old, y = new, y, new + lean / phi(i + 1)
    return Posed(p, (y_old - x) ** 2, [(x0 - xs) ** 2 <= 1], (2 * mu / ((1 + 2 * mu) ** n - 1)) ** 2)


@example(MONOTONE + "douglas_rachford_splitting", L="1", mu="1/10", alpha="13/10", theta="9/10")
def douglas_rachford_splitting(L: Any, mu: Any, alpha: Any, theta: Any) -> Posed:
    p = Problem()
    A, B = p.function(lipschitz_strongly_monotone(L), "A"), p.function(strongly_monotone(mu), "B")
    m, t = alpha * mu, alpha * L
    c = sqrt(((2 * (theta - 1) * m + theta - 2) ** 2 + t**2 * (theta - 2 * (m + 1)) ** 2) / (t**2 + 1))
    return _contraction(p, A, B, alpha, theta, ((theta + c) / 2 / (m + 1)) ** 2)


@example(MONOTONE + "douglas_rachford_splitting_2", beta="6/5", mu="1/10", alpha="3/10", theta="3/2")
def douglas_rachford_splitting_2(beta: Any, mu: Any, alpha: Any, theta: Any) -> Posed:
    p = Problem()
    A, B = p.function(cocoercive(beta), "A"), p.function(strongly_monotone(mu), "B")
    m, b = alpha * mu, alpha * beta
    # The case of the theorem that these numbers are in: μβ + μ − β < 0 and θ below its threshold, else the last one.
    threshold = 2 * (m + 1) * (b - m - m * b) / (b + m * b - m - m**2 - 2 * m**2 * b)
    rate = (1 - theta * m / (m + 1)) ** 2
    if theta > threshold:
        top = (2 - theta) / 4 / m * ((2 - theta) * m * (b + 1) + theta * b * (1 - m))
        rate = top * ((2 - theta) * b * (m + 1) + theta * m * (1 - b)) / m / b
        rate = rate / (2 * m * b * (1 - theta) + (2 - theta) * (m + b + 1))
    return _contraction(p, A, B, alpha, theta, rate)


def _contraction(p: Problem, A: Any, B: Any, alpha: Any, theta: Any, rate: Any, C: Any = None) -> Posed:
    """‖one step from w − one step from w'‖² where ‖w − w'‖ <= 1."""
    starts, ends = [p.point("w"), p.point("w'")], []
    for w in starts:
        x, _ = proximal(w, B, alpha)
        y, _ = proximal(2 * x - w - (alpha * C.gradient(x) if C else 0 * w), A, alpha)
        ends.append(w - theta * (x - y))
    return Posed(p, (ends[0] - ends[1]) ** 2, [(starts[0] - starts[1]) ** 2 <= 1], rate)


@example(MONOTONE + "three_operator_splitting", L="1", mu="1/10", beta="1", alpha="9/10", theta="13/10")
def three_operator_splitting(L: Any, mu: Any, beta: Any, alpha: Any, theta: Any) -> Posed:
    p = Problem()
    A, B, C = p.function(monotone(), "A"), p.function(cocoercive(beta), "B"), p.function(smooth_convex(L, mu), "C")
    return _contraction(p, A, B, alpha, theta, None, C)


@example(MONOTONE + "past_extragradient", n=5, gamma="1/4", L="1")
def past_extragradient(n: int, gamma: Any, L: Any) -> Posed:
    return optimistic_gradient(n, gamma, L, past=True)


@example(MONOTONE + "optimistic_gradient", n=5, gamma="1/4", L="1")
def optimistic_gradient(n: int, gamma: Any, L: Any, past: bool = False) -> Posed:
    p = Problem()
    C, F = p.function(indicator(), "C"), p.function(lipschitz_strongly_monotone(L), "F")
    xs, x0 = (F + C).minimiser(), p.point("x0")
    x, _ = proximal(x0, C, gamma)
    look = old = x
    V = F.gradient(look)
    for _ in range(n):
        old = x if past else look
        look, _ = proximal(x - gamma * V, C, gamma)
        before, V = V, F.gradient(look)
        x = proximal(x - gamma * V, C, gamma)[0] if past else look + gamma * (before - V)
    return Posed(p, ((x if past else look) - old) ** 2, [(x0 - xs) ** 2 <= 1], None)


def _projections(n: int, method: str) -> Posed:
    p = Problem()
    C, D = p.function(indicator(), "C"), p.function(indicator(), "D")
    xs, x0 = (C + D).minimiser(), p.point("x0")
    x, a, b = x0, p.origin(), p.origin()
    for _ in range(n):
        if method == "averaged":
            x = (proximal(x, C, 1)[0] + proximal(x, D, 1)[0]) / 2
            continue
        y, _ = proximal(x + a, C, 1)
        a = x + a - y if method == "dykstra" else a
        x, _ = proximal(y + b, D, 1)
        b = y + b - x if method == "dykstra" else b
    other = proximal(x, D, 1)[0] if method == "averaged" else x
    return Posed(p, (other - proximal(x, C, 1)[0]) ** 2, [(x0 - xs) ** 2 <= 1], None)


@example(LOW + "alternate_projections", n=10)
def alternate_projections(n: int) -> Posed:
    return _projections(n, "alternate")


@example(LOW + "averaged_projections", n=10)
def averaged_projections(n: int) -> Posed:
    return _projections(n, "averaged")


@example(LOW + "dykstra", n=10)
def dykstra(n: int) -> Posed:
    return _projections(n, "dykstra")

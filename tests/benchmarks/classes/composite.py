"""Sums of functions, proximal and mirror steps: PEPit's `composite_convex_minimization` and neighbours in our form."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from tests.benchmarks.classes.example import Posed, example
from theory.classes import Problem, least, number, sqrt
from theory.classes.families import convex, indicator, lipschitz_convex, smooth_convex, strongly_convex
from theory.classes.steps import inexact_proximal, linear_minimiser, proximal

PATH = "composite_convex_minimization."
ONLINE = "online_learning."


@example(PATH + "proximal_gradient", L="1", mu="1/10", gamma="1", n=2)
def proximal_gradient(L: Any, mu: Any, gamma: Any, n: int) -> Posed:
    p = Problem()
    f, h = p.function(smooth_convex(L, mu), "f"), p.function(convex(), "h")
    xs, x0 = (f + h).minimiser(), p.point("x0")
    x = x0
    for _ in range(n):
        x, _ = proximal(x - gamma * f.gradient(x), h, gamma)
    rate = max((1 - mu * gamma) ** 2, (1 - L * gamma) ** 2) ** n
    return Posed(p, (x - xs) ** 2, [(x0 - xs) ** 2 <= 1], rate)


@example(PATH + "accelerated_proximal_gradient", mu="0", L="1", n=4)
def accelerated_proximal_gradient(mu: Any, L: Any, n: int) -> Posed:
    p = Problem()
    f, h = p.function(smooth_convex(L, mu), "f"), p.function(convex(), "h")
    xs, x0 = (f + h).minimiser(), p.point("x0")
    x, y, t = x0, x0, [number(1)]
    for _ in range(n):
        t.append((1 + sqrt(4 * t[-1] ** 2 + 1)) / 2)
        old, (x, _) = x, proximal(y - f.gradient(y) / L, h, 1 / L)
        y = x + (t[-2] - 1) / t[-1] * (x - old)
    return Posed(p, (f + h)(x) - (f + h)(xs), [(x0 - xs) ** 2 <= 1], L / (2 * t[-2] ** 2), tight=False)


@example(PATH + "accelerated_proximal_gradient_simplified", mu="0", L="1", n=4)
def accelerated_proximal_gradient_simplified(mu: Any, L: Any, n: int) -> Posed:
    p = Problem()
    f, h = p.function(smooth_convex(L, mu), "f"), p.function(convex(), "h")
    xs, x0 = (f + h).minimiser(), p.point("x0")
    x = y = x0
    for i in range(n):
        old, (x, _) = x, proximal(y - f.gradient(y) / L, h, 1 / L)
        y = x + Fraction(i, i + 3) * (x - old)
    return Posed(p, (f + h)(x) - (f + h)(xs), [(x0 - xs) ** 2 <= 1], 2 * L / (n**2 + 5 * n + 2))


@example(PATH + "bregman_proximal_point", gamma="3", n=5)
def bregman_proximal_point(gamma: Any, n: int) -> Posed:
    p = Problem()
    f, h = p.function(convex(), "f"), p.function(convex(), "h")
    xs, x0 = f.minimiser("x*"), p.point("x0")
    h(xs)
    slope = first = h.gradient(x0)
    x = x0
    for _ in range(n):
        x, g = p.point(), p.point()
        f.add(x, g)
        slope = slope - gamma * g
        h.add(x, slope)
    return Posed(p, f(x) - f(xs), [h(xs) - h(x0) - first * (xs - x0) <= 1], 1 / (gamma * n))


@example(PATH + "douglas_rachford_splitting", L="1", alpha="1", theta="1", n=9)
def douglas_rachford_splitting(L: Any, alpha: Any, theta: Any, n: int) -> Posed:
    p = Problem()
    f, h = p.function(convex(), "f"), p.function(smooth_convex(L), "h")
    xs, x0 = (f + h).minimiser(), p.point("x0")
    w, first = x0, None
    for _ in range(n):
        x, _ = proximal(w, h, alpha)
        y, _ = proximal(2 * x - w, f, alpha)
        w, first = w + theta * (y - x), first or x
    assert first is not None
    return Posed(p, (f + h)(y) - (f + h)(xs), [(first - xs) ** 2 <= 1], None)  # stated to four places only


@example(PATH + "accelerated_douglas_rachford_splitting", mu="1/10", L="1", alpha="9/10", n=2)
def accelerated_douglas_rachford_splitting(mu: Any, L: Any, alpha: Any, n: int) -> Posed:
    p = Problem()
    f, h = p.function(convex(), "f"), p.function(smooth_convex(L, mu), "h")
    F = f + h
    xs, x0 = F.minimiser(), p.point("x0")
    theta = (1 - alpha * L) / (1 + alpha * L)
    w = u = x0
    for i in range(n):
        x, _ = proximal(u, h, alpha)
        y, _ = proximal(2 * x - u, f, alpha)
        old, w = w, u + theta * (y - x)
        u = w + (Fraction(i - 1, i + 2) * (w - old) if i >= 1 else 0 * w)
    given = [(xs + alpha * h.gradient(xs) - x0) ** 2 <= 1]
    return Posed(p, F(y) - F(xs), given, 2 / (alpha * theta * (n + 3) ** 2), tight=False)


@example(PATH + "douglas_rachford_splitting_contraction", mu="1/10", L="1", alpha="3", theta="1", n=2)
def douglas_rachford_splitting_contraction(mu: Any, L: Any, alpha: Any, theta: Any, n: int) -> Posed:
    p = Problem()
    f, h = p.function(smooth_convex(L, mu), "f"), p.function(convex(), "h")
    starts = [p.point("w"), p.point("w'")]
    ends = []
    for w in starts:
        for _ in range(n):
            x, _ = proximal(w, h, alpha)
            y, _ = proximal(2 * x - w, f, alpha)
            w = w + theta * (y - x)
        ends.append(w)
    rate = max(1 / (1 + mu * alpha), alpha * L / (1 + alpha * L)) ** (2 * n)
    return Posed(p, (ends[0] - ends[1]) ** 2, [(starts[0] - starts[1]) ** 2 <= 1], rate)


@example(PATH + "three_operator_splitting", mu1="1/10", L1="10", L3="1", alpha="1", theta="1", n=4)
def three_operator_splitting(mu1: Any, L1: Any, L3: Any, alpha: Any, theta: Any, n: int) -> Posed:
    p = Problem()
    f, h, s = p.function(smooth_convex(L1, mu1)), p.function(convex()), p.function(smooth_convex(L3))
    starts = [p.point("w"), p.point("w'")]
    ends = []
    for w in starts:
        for _ in range(n):
            x, _ = proximal(w, h, alpha)
            y, _ = proximal(2 * x - w - alpha * s.gradient(x), f, alpha)
            w = w + theta * (y - x)
        ends.append(w)
    return Posed(p, (ends[0] - ends[1]) ** 2, [(starts[0] - starts[1]) ** 2 <= 1], None)


@example(PATH + "frank_wolfe", L="1", D="1", R=float("inf"), center=None, n=10)
@example("low_dimensional_worst_cases_scenarios.frank_wolfe", L="1", D="1", n=10)
def frank_wolfe(L: Any, D: Any, n: int, R: Any = None, center: Any = None) -> Posed:
    p = Problem()
    f, h = p.function(smooth_convex(L), "f"), p.function(indicator(D), "C")
    xs, x0 = (f + h).minimiser(), p.point("x0")
    f(x0), h.gradient(x0)
    x = x0
    for i in range(n):
        y = linear_minimiser(f.gradient(x), h)
        x = x + Fraction(2, i + 2) * (y - x)
    h.gradient(x)
    return Posed(p, f(x) - f(xs), [], 2 * L * D**2 / (n + 2), tight=False)


@example(PATH + "improved_interior_algorithm", L="1", mu="1", c="1", lam="1", n=5)
def improved_interior_algorithm(L: Any, mu: Any, c: Any, lam: Any, n: int) -> Posed:
    p = Problem()
    f, h, C = p.function(smooth_convex(L), "f"), p.function(strongly_convex(mu), "h"), p.function(indicator(), "C")
    xs = (f + C).minimiser()
    x0 = p.point("x0")
    slope0 = slope = h.gradient(x0)
    x, z, g, now = x0, x0, f.gradient(x0), number(c)
    for i in range(n):
        alpha = (sqrt((now * lam) ** 2 + 4 * now * lam) - lam * now) / 2
        now = (1 - alpha) * now
        y = x + alpha * (z - x)
        g = f.gradient(y) if i >= 1 else g
        z = p.point()
        slope, normal = p.point(), slope - alpha / now * g
        h.add(z, slope)
        C.add(z, normal - slope)
        x = x + alpha * (z - x)
    C.gradient(x)
    given = [c * (h(xs) - h(x0) - slope0 * (xs - x0)) + f(x0) - f(xs) <= 1]
    return Posed(p, f(x) - f(xs), given, 4 * L / (c * (n + 1) ** 2), tight=False)


@example(PATH + "no_lips_in_function_value", L="1", gamma="1/2", n=3)
def no_lips_in_function_value(L: Any, gamma: Any, n: int) -> Posed:
    return _no_lips(L, gamma, n, divergence=False)


@example(PATH + "no_lips_in_bregman_divergence", L="1", gamma="1", n=10)
def no_lips_in_bregman_divergence(L: Any, gamma: Any, n: int) -> Posed:
    return _no_lips(L, gamma, n, divergence=True)


def _no_lips(L: Any, gamma: Any, n: int, *, divergence: bool) -> Posed:
    """Mirror descent where L·h − f is convex: f, d = L·h − f and the constraint are what is free."""
    p = Problem()
    f, d, C = p.function(_smooth_at_points(), "f"), p.function(_smooth_at_points(), "d"), p.function(indicator(), "C")
    h = (1 / number(L)) * (f + d)
    xs, x0 = (f + C).minimiser(), p.point("x0")
    d.gradient(xs)
    slope0 = h.gradient(x0)
    x, slope, measures = x0, slope0, []
    for _ in range(n):
        target = slope - gamma * f.gradient(x)
        new = p.point()
        slope = h.gradient(new)
        C.add(new, target - slope)
        measures.append(h(x) - h(new) - slope * (x - new))
        x = new
    given = [h(xs) - h(x0) - slope0 * (xs - x0) <= 1]
    if divergence:
        return Posed(p, least(*measures), given, number(Fraction(2, n * (n - 1))))
    return Posed(p, f(x) - f(xs), given, 1 / (gamma * n))


def _smooth_at_points() -> Any:
    """Convex functions with one gradient at each point asked."""
    from dataclasses import replace

    return replace(convex(), single_valued=True)


@example("nonconvex_optimization.no_lips_1", L="1", gamma="1/2", n=5)
@example("nonconvex_optimization.no_lips_2", L="1", gamma="1", n=3)
def no_lips_nonconvex(L: Any, gamma: Any, n: int) -> Posed:
    p = Problem()
    d1, d2, C = p.function(_smooth_at_points()), p.function(_smooth_at_points()), p.function(indicator())
    f = Fraction(1, 2) * (d2 + Fraction(-1) * d1)
    h = (1 / (2 * number(L))) * (d1 + d2)
    x0 = p.point("x0")
    C.gradient(x0)
    x, slope, measures = x0, h.gradient(x0), []
    for _ in range(n):
        target = slope - gamma * f.gradient(x)
        new = p.point()
        after = h.gradient(new)
        C.add(new, target - after)
        first = gamma * L == number("1/2")
        measures.append(h(new) - h(x) - slope * (new - x) if first else h(x) - h(new) - after * (x - new))
        x, slope = new, after
    rate = gamma / (n * (1 - L * gamma)) if gamma * L == number("1/2") else gamma / n
    return Posed(p, least(*measures), [f(x0) - f(x) <= 1], rate)


@example("inexact_proximal_methods.relatively_inexact_proximal_point_algorithm", n=8, gamma="10", sigma="13/20")
def relatively_inexact_proximal_point_algorithm(n: int, gamma: Any, sigma: Any) -> Posed:
    p = Problem()
    f = p.function(convex(), "f")
    xs, x0 = f.minimiser(), p.point("x0")
    x = x0
    for _ in range(n):
        new, _, error = inexact_proximal(x, f, gamma)
        p.require(error <= sigma**2 / 2 * (new - x) ** 2)
        x = new
    return Posed(p, f(x) - f(xs), [(x0 - xs) ** 2 <= 1], None)  # n^√(1 − σ²) is no root


@example(
    "inexact_proximal_methods.partially_inexact_douglas_rachford_splitting",
    mu="1/10",
    L="5",
    n=5,
    gamma="7/5",
    sigma="1/5",
)
def partially_inexact_douglas_rachford_splitting(mu: Any, L: Any, n: int, gamma: Any, sigma: Any) -> Posed:
    p = Problem()
    f, g = p.function(smooth_convex(L, mu), "f"), p.function(convex(), "g")
    xs, z0 = (f + g).minimiser(), p.point("z0")
    zs, z = xs + gamma * f.gradient(xs), z0
    for _ in range(n):
        x, slope, error = inexact_proximal(z, f, gamma)
        y, _ = proximal(x - gamma * slope, g, gamma)
        p.require(error <= sigma**2 / 2 * (y - z + gamma * slope) ** 2)
        z = z + y - x
    one = (1 - sigma + gamma * mu * sigma) / (1 - sigma + gamma * mu)
    two = (sigma + (1 - sigma) * gamma * L) / (1 + (1 - sigma) * gamma * L)
    return Posed(p, (z - zs) ** 2, [(z0 - zs) ** 2 <= 1], max(one**2, two**2) ** n)


def _online(M: Any, D: Any, n: int, method: str) -> Posed:
    p = Problem()
    fs = [p.function(lipschitz_convex(M), f"f{i}") for i in range(n)]
    C = p.function(indicator(D), "C")
    reference, _ = proximal(p.point("r"), C, 1)
    x1, _ = proximal(p.point("x1"), C, 1)
    eta, x, regret, total, played = D / (M * sqrt(n)), x1, 0 * x1**2, 0 * x1, C * 1
    for i, f in enumerate(fs):
        g = f.gradient(x)
        total = total + g
        regret = regret + f(x) - f(reference)
        played = played + f
        if method == "online_gradient_descent":
            x, _ = proximal(x - eta * g, C, eta)
        elif method == "online_frank_wolfe":
            rate = D / (2 * M) * sqrt(sqrt(number(Fraction(3, n)) ** 3))
            x = linear_minimiser(x - x1 + rate * total, C)  # n = 2 < 3: σ = 1
        elif i < n - 1 and method == "online_follow_leader":
            x = played.minimiser(f"x{i}")
        elif i < n - 1:
            new = p.point()
            played.set_gradient(new, (x1 - new) / eta)
            x = new
    stated = {
        "online_gradient_descent": M * D * sqrt(n),
        "online_follow_regularized_leader": M * D * sqrt(n),
        "online_frank_wolfe": 4 * M * D * sqrt(sqrt(number(Fraction(n, 3)) ** 3)),
    }
    return Posed(p, regret, [], stated.get(method), tight=False)


for _method in ("gradient_descent", "follow_regularized_leader", "follow_leader", "frank_wolfe"):
    example(f"{ONLINE}online_{_method}", M="1", D="1/2", n=2)(partial(_online, method=f"online_{_method}"))

"""Adaptive and non-convex methods, potentials, flows and finite sums: the rest of PEPit's examples in our form."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.classes.example import Posed, example
from tests.benchmarks.classes.unconstrained import begin
from theory.classes import Form, Function, Problem, Sum, Vector, least, number, sqrt
from theory.classes.families import convex, pl, smooth, smooth_convex, strongly_convex
from theory.classes.steps import proximal

FLOW, POTENTIAL = "continuous_time_models.", "potential_functions."
STOCHASTIC = "stochastic_and_randomized_convex_minimization."


@example("adaptive_methods.polyak_steps_in_distance_to_optimum", L="1", mu="1/10", gamma="20/11")
def polyak_steps_in_distance_to_optimum(L: Any, mu: Any, gamma: Any) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    g, f = F.oracle(x0)
    x = x0 - gamma * g
    F(x)
    rule = (gamma * g**2).equals(2 * (f - F(xs)))
    rate = (gamma * L - 1) * (1 - gamma * mu) / (gamma * (L + mu) - 1)
    return Posed(p, (x - xs) ** 2, [(x0 - xs) ** 2 <= 1, rule], rate)


@example("adaptive_methods.polyak_steps_in_function_value", L="1", mu="1/10", gamma="20/11")
def polyak_steps_in_function_value(L: Any, mu: Any, gamma: Any) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    g, f = F.oracle(x0)
    rule = (g**2).equals(2 * L * (2 - L * gamma) * (f - F(xs)))
    x = x0 - gamma * g
    rate = (gamma * L - 1) * (L * gamma * (3 - gamma * (L + mu)) - 1)
    return Posed(p, F(x) - F(xs), [f - F(xs) <= 1, rule], rate)


@example("nonconvex_optimization.gradient_descent", L="1", gamma="1", n=5)
@example("low_dimensional_worst_cases_scenarios.gradient_descent", L="1", gamma="1", n=5)
def nonconvex_gradient_descent(L: Any, gamma: Any, n: int) -> Posed:
    p = Problem()
    F, x0 = p.function(smooth(L), "F"), p.point("x0")
    x, squares = x0, [F.gradient(x0) ** 2]
    for _ in range(n):
        x = x - gamma * F.gradient(x)
        squares.append(F.gradient(x) ** 2)
    return Posed(p, least(*squares), [F(x0) - F(x) <= 1], 4 * L / (3 * n))


@example("nonconvex_optimization.gradient_descent_quadratic_lojasiewicz_naive", L="1", mu="1/5", gamma="1", n=1)
def lojasiewicz_naive(L: Any, mu: Any, gamma: Any, n: int, alpha: Any = None) -> Posed:
    p, F, xs, x0 = begin(pl(mu, L, alpha))
    x = x0
    for _ in range(n):
        x = x - gamma * F.gradient(x)
    return Posed(p, F(x) - F(xs), [F(x0) - F(xs) <= 1], None)


@example(
    "nonconvex_optimization.gradient_descent_quadratic_lojasiewicz_intermediate",
    L="1",
    mu="1/5",
    gamma="1",
    n=1,
    alpha="2/11",
)
def lojasiewicz_intermediate(L: Any, mu: Any, gamma: Any, n: int, alpha: Any) -> Posed:
    return lojasiewicz_naive(L, mu, gamma, n, alpha)


@example("nonconvex_optimization.difference_of_convex_algorithm", mu1="3/20", mu2="1/10", L1="2", L2="5", n=5)
def difference_of_convex_algorithm(mu1: Any, mu2: Any, L1: Any, L2: Any, n: int) -> Posed:
    p = Problem()
    f, h = p.function(smooth_convex(L1, mu1), "f"), p.function(smooth_convex(L2, mu2), "h")
    F = Sum(((number(1), f), (number(-1), h)))
    xs, x0 = F.stationary_point(), p.point("x0")
    x, squares, given = x0, [], [F(x0) - F(xs) <= 1]
    for i in range(n + 1):
        g = F.gradient(x)
        squares.append(g**2)
        given.append(F(xs) <= F(x) - g**2 / (2 * (L1 - mu2)))
        if i < n:
            new = p.point()
            f.add(new, h.gradient(x))
            x = new
    top = 2 * (L1 * L2 - mu2 * L1)
    rate = top / ((L1 + L2 + mu2 * (L2 / L1 - 3)) * n + (L1 * L2 - mu2 * L1) / (L1 - mu2))
    return Posed(p, least(*squares), given, rate)


@example(FLOW + "gradient_flow_convex", t="5/2")
def gradient_flow_convex(t: Any) -> Posed:
    p, F, xs, x = begin(convex())
    g, f = F.oracle(x)
    return Posed(p, f - F(xs) - t * g**2 - (x - xs) * g, [], 0)


@example(FLOW + "gradient_flow_strongly_convex", mu="1/10")
def gradient_flow_strongly_convex(mu: Any) -> Posed:
    p, F, xs, x = begin(strongly_convex(mu))
    g, f = F.oracle(x)
    return Posed(p, -(g**2), [(f - F(xs)).equals(1)], -2 * mu)


@example(FLOW + "accelerated_gradient_flow_convex", t="17/5")
def accelerated_gradient_flow_convex(t: Any) -> Posed:
    p, F, xs, x = begin(convex())
    (g, f), v = F.oracle(x), p.point("v")
    lean = (x - xs) + t / 2 * v
    change = 2 * t * (f - F(xs)) + t**2 * (v * g) + 4 * (lean * (number("3/2") * v + t / 2 * (-3 / t * v - g)))
    return Posed(p, change, [], 0)


@example(FLOW + "accelerated_gradient_flow_strongly_convex", mu="1/10")
def accelerated_gradient_flow_strongly_convex(mu: Any) -> Posed:
    p, F, xs, x = begin(strongly_convex(mu))
    (g, f), v, root = F.oracle(x), p.point("v"), sqrt(mu)
    lean = root * (x - xs) + v
    change = g * v + lean * (root * v - 2 * root * v - g)
    return Posed(p, change, [(f - F(xs) + lean**2 / 2).equals(1)], -root)


@example(POTENTIAL + "gradient_descent_lyapunov_1", L="1", gamma="1", n=10)
def gradient_descent_lyapunov_1(L: Any, gamma: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L))
    x = x0 - gamma * F.gradient(x0)
    F(x)
    before = n * (F(x0) - F(xs)) + L / 2 * (x0 - xs) ** 2
    return Posed(p, (n + 1) * (F(x) - F(xs)) + L / 2 * (x - xs) ** 2 - before, [], 0)


@example(POTENTIAL + "gradient_descent_lyapunov_2", L="1", gamma="1", n=10)
def gradient_descent_lyapunov_2(L: Any, gamma: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L))
    x = x0 - gamma * F.gradient(x0)

    def potential(y: Vector, k: int) -> Form:
        size = (2 * k + 1) * L * (F(y) - F(xs)) + k * (k + 2) * F.gradient(y) ** 2
        return size + L**2 * (y - xs) ** 2

    return Posed(p, potential(x, n + 1) - potential(x0, n), [], 0)


@example(POTENTIAL + "accelerated_gradient_method", L="1", gamma="1", lam="10")
def accelerated_gradient_method(L: Any, gamma: Any, lam: Any) -> Posed:
    p, F, xs, x = begin(smooth_convex(L))
    z, f = p.point("z"), F(x)
    after = (1 + sqrt(4 * lam**2 + 1)) / 2
    y = x + 1 / after * (z - x)
    g = F.gradient(y)
    z_new, x_new = z - (after**2 - lam**2) / L * g, y - gamma * g
    before = lam**2 * (f - F(xs)) + L / 2 * (z - xs) ** 2
    return Posed(p, after**2 * (F(x_new) - F(xs)) + L / 2 * (z_new - xs) ** 2 - before, [], 0)


def _mean(functions: list[Function]) -> Sum:
    return Sum(tuple((number(1) / len(functions), f) for f in functions))


@example(STOCHASTIC + "sgd", L="1", mu="1/10", gamma="7/10", v="1", R="2", n=5)
def sgd(L: Any, mu: Any, gamma: Any, v: Any, R: Any, n: int) -> Posed:
    p = Problem()
    fs = [p.function(smooth_convex(L, mu), f"f{i}") for i in range(n)]
    xs, x0 = _mean(fs).minimiser(), p.point("x0")
    noise = sum((f.gradient(xs) ** 2 / n for f in fs), Form())
    measure = sum(((x0 - gamma * f.gradient(x0) - xs) ** 2 / n for f in fs), Form())
    root = sqrt(R**2 * (L + mu) ** 2 / 4 * (gamma - 2 / (L + mu)) ** 2 + v**2 * gamma**2)
    return Posed(p, measure, [(x0 - xs) ** 2 <= R**2, noise <= v**2], (gamma * R * (L - mu) / 2 + root) ** 2)


@example(STOCHASTIC + "sgd_overparametrized", L="1", mu="1/10", gamma="23/10", n=5)
def sgd_overparametrized(L: Any, mu: Any, gamma: Any, n: int) -> Posed:
    p = Problem()
    xs, x0 = p.point("x*"), p.point("x0")
    fs = [p.function(smooth_convex(L, mu), f"f{i}") for i in range(n)]
    for f in fs:
        f.add(xs, p.origin(), least=True)
    measure = sum(((x0 - gamma * f.gradient(x0) - xs) ** 2 / n for f in fs), Form())
    return Posed(p, measure, [(x0 - xs) ** 2 <= 1], max(1 - gamma * mu, L * gamma - 1) ** 2)


@example(STOCHASTIC + "saga", L="1", mu="1/10", n=5)
def saga(L: Any, mu: Any, n: int) -> Posed:
    p = Problem()
    h, fs = p.function(convex(), "h"), [p.function(smooth_convex(L, mu), f"f{i}") for i in range(n)]
    xs = (_mean(fs) + h).minimiser()
    phi, x0 = [p.point(f"phi{i}") for i in range(n)], p.point("x0")
    gamma = 1 / (2 * (mu * n + L))
    c = 1 / (2 * gamma * (1 - mu * gamma) * n)

    def potential(x: Vector, at: list[Vector]) -> Form:
        terms = (f(y) - f(xs) - f.gradient(xs) * (y - xs) for f, y in zip(fs, at, strict=True))
        return c * (x - xs) ** 2 + sum(terms, Form()) / n

    before, after = potential(x0, phi), Form()
    table = sum((f.gradient(y) / n for f, y in zip(fs, phi, strict=True)), 0 * x0)
    for i, f in enumerate(fs):
        x, _ = proximal(x0 - gamma * (f.gradient(x0) - f.gradient(phi[i]) + table), h, gamma)
        after = after + potential(x, [*phi[:i], x0, *phi[i + 1 :]]) / n
    return Posed(p, after, [before <= 1], 1 - gamma * mu, tight=False)


@example(STOCHASTIC + "point_saga", L="1", mu="1/100", n=10)
def point_saga(L: Any, mu: Any, n: int) -> Posed:
    p = Problem()
    fs = [p.function(smooth_convex(L, mu), f"f{i}") for i in range(n)]
    xs, phi, x0 = _mean(fs).minimiser(), [p.point(f"phi{i}") for i in range(n)], p.point("x0")
    gamma = sqrt((n - 1) ** 2 + 4 * n * L / mu) / (2 * L * n) - (1 - number(1) / n) / (2 * L)
    c = 1 / (mu * L)
    away = [c / n * (f.gradient(xs) - v) ** 2 for f, v in zip(fs, phi, strict=True)]
    before, after = (xs - x0) ** 2 + sum(away, Form()), Form()
    table = sum((v / n for v in phi), 0 * x0)
    for i, f in enumerate(fs):
        x, g = proximal(x0 + gamma * (phi[i] - table), f, gamma)
        moved = sum(away, Form()) - away[i] + c / n * (f.gradient(xs) - g) ** 2
        after = after + ((xs - x) ** 2 + moved) / n
    return Posed(p, after, [before <= 1], 1 / (1 + mu * gamma), tight=False)

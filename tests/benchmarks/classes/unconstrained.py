"""First-order methods for one function: PEPit's `unconstrained_convex_minimization` in our form."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.benchmarks.classes.example import Posed, example
from theory.classes import Function, Problem, Vector, least, number, sqrt
from theory.classes.families import (
    Family,
    convex,
    lipschitz_convex,
    quadratic_growth,
    rsi,
    smooth_convex,
)
from theory.classes.steps import (
    epsilon_subgradient,
    exact_line_search,
    inexact_gradient,
    proximal,
)

PATH = "unconstrained_convex_minimization."


def begin(family: Family) -> tuple[Problem, Function, Vector, Vector]:
    """(problem, F, x*, x₀)."""
    p = Problem()
    F = p.function(family, "F")
    return p, F, F.minimiser("x*"), p.point("x0")


def gap_after(p: Problem, F: Function, xs: Vector, x0: Vector, x: Vector, rate: Any, *, tight: bool = True) -> Posed:
    """F(x) − F* where ‖x₀ − x*‖ <= 1."""
    return Posed(p, F(x) - F(xs), [(x0 - xs) ** 2 <= 1], rate, tight)


def thetas(n: int) -> list[Any]:
    """1 = θ₀, θᵢ₊₁ = (1 + √(4θᵢ² + 1))/2, and the last one with 8 for 4."""
    out: list[Any] = [number(1)]
    for i in range(n):
        out.append((1 + sqrt((4 if i < n - 1 else 8) * out[-1] ** 2 + 1)) / 2)
    return out


@example(PATH + "gradient_descent", L="3", gamma="1/3", n=4)
def gradient_descent(L: Any, gamma: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L))
    x = x0
    for _ in range(n):
        x = x - gamma * F.gradient(x)
    return gap_after(p, F, xs, x0, x, L / (2 * (2 * n * L * gamma + 1)))


@example(PATH + "proximal_point", gamma="3", n=4)
def proximal_point(gamma: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(convex())
    x = x0
    for _ in range(n):
        x, _ = proximal(x, F, gamma)
    return gap_after(p, F, xs, x0, x, 1 / (4 * gamma * n))


@example(PATH + "subgradient_method", M="2", n=6, gamma=1 / (2 * sqrt(7)))
def subgradient_method(M: Any, n: int, gamma: Any) -> Posed:
    p, F, xs, x0 = begin(lipschitz_convex(M))
    x, gaps = x0, []
    for _ in range(n + 1):
        g, f = F.oracle(x)
        gaps.append(f - F(xs))
        x = x - gamma * g
    return Posed(p, least(*gaps), [(x0 - xs) ** 2 <= 1], M / sqrt(n + 1))


@example(PATH + "subgradient_method_rsi_eb", mu="1/10", L="1", gamma="1/10", n=4)
def subgradient_method_rsi_eb(mu: Any, L: Any, gamma: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(rsi(mu, L))
    x = x0
    for _ in range(n):
        x = x - gamma * F.gradient(x)
    return Posed(p, (x - xs) ** 2, [(x0 - xs) ** 2 <= 1], (1 - 2 * gamma * mu + gamma**2 * L**2) ** n)


@example(PATH + "epsilon_subgradient_method", M="2", n=6, gamma=1 / sqrt(7), eps="1/10", R="1")
def epsilon_subgradient_method(M: Any, n: int, gamma: Any, eps: Any, R: Any) -> Posed:
    p, F, xs, x0 = begin(convex())
    given, gaps, x = [(x0 - xs) ** 2 <= R**2], [], x0
    for _ in range(n):
        gaps.append(F(x) - F(xs))
        g, error = epsilon_subgradient(x, F)
        given += [error <= eps, g**2 <= M**2]
        x = x - gamma * g
    g, f = F.oracle(x)
    rate = (R**2 + 2 * (n + 1) * gamma * eps + (n + 1) * gamma**2 * M**2) / (2 * (n + 1) * gamma)
    return Posed(p, least(*gaps, f - F(xs)), [*given, g**2 <= M**2], rate, tight=False)


@example(PATH + "gradient_descent_qg_convex", L="1", gamma="1/5", n=4)
def gradient_descent_qg_convex(L: Any, gamma: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(quadratic_growth(L))
    x = x0
    for _ in range(n):
        x = x - gamma * F.gradient(x)
    return gap_after(p, F, xs, x0, x, L / 2 * max(1 / (2 * n * L * gamma + 1), L * gamma))


@example(PATH + "gradient_descent_qg_convex_decreasing", L="1", n=6)
def gradient_descent_qg_convex_decreasing(L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(quadratic_growth(L))
    x, u = x0, number(1)
    for _ in range(n):
        g = F.gradient(x)
        u = u / 2 + sqrt((u / 2) ** 2 + 2)
        x = x - g / (L * u)
    return gap_after(p, F, xs, x0, x, L / (2 * u))


@example(PATH + "heavy_ball_momentum_qg_convex", L="1", n=5)
def heavy_ball_momentum_qg_convex(L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(quadratic_growth(L))
    old = x = x0
    for t in range(n):
        old, x = x, x - F.gradient(x) / (L * (t + 2)) + Fraction(t, t + 2) * (x - old)
    return gap_after(p, F, xs, x0, x, L / (2 * (n + 1)))


@example(PATH + "accelerated_gradient_convex", mu="0", L="1", n=1)
def accelerated_gradient_convex(mu: Any, L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    x, y, t = x0, x0, [number(1)]
    for _ in range(n):
        t.append((1 + sqrt(4 * t[-1] ** 2 + 1)) / 2)
        old, x = x, y - F.gradient(y) / L
        y = x + (t[-2] - 1) / t[-1] * (x - old)
    return gap_after(p, F, xs, x0, x, L / (2 * t[-2] ** 2), tight=False)


@example(PATH + "accelerated_gradient_convex_simplified", mu="0", L="1", n=1)
def accelerated_gradient_convex_simplified(mu: Any, L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    x = y = x0
    for i in range(n):
        old, x = x, y - F.gradient(y) / L
        y = x + Fraction(i, i + 3) * (x - old)
    return gap_after(p, F, xs, x0, x, 2 * L / (n**2 + 5 * n + 6))


@example(PATH + "accelerated_gradient_strongly_convex", mu="1/10", L="1", n=2)
def accelerated_gradient_strongly_convex(mu: Any, L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    x, y, q = x0, x0, sqrt(mu / L)
    for _ in range(n):
        old, x = x, y - F.gradient(y) / L
        y = x + (1 - q) / (1 + q) * (x - old)
    given = [F(x0) - F(xs) + mu / 2 * (x0 - xs) ** 2 <= 1]
    return Posed(p, F(x) - F(xs), given, (1 - q) ** n, tight=False)


@example(PATH + "accelerated_proximal_point", A0="5", gammas=["10/11", "20/11", "30/11"], n=3)
def accelerated_proximal_point(A0: Any, gammas: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(convex())
    x, v, A = x0, x0, number(A0)
    for step in gammas:
        alpha = (sqrt((A * step) ** 2 + 4 * A * step) - A * step) / 2
        y = x + alpha * (v - x)
        x, _ = proximal(y, F, step)
        v = v + (x - y) / alpha
        A = (1 - alpha) * A
    rate = 4 / number(A0) / sum((sqrt(s) for s in gammas), number(0)) ** 2
    given = [F(x0) - F(xs) + number(A0) / 2 * (x0 - xs) ** 2 <= 1]
    return Posed(p, F(x) - F(xs), given, rate, tight=False)


@example(PATH + "conjugate_gradient", L="1", n=2)
@example(PATH + "conjugate_gradient_qg_convex", L="1", n=12)
def conjugate_gradient(L: Any, n: int) -> Posed:
    growing = n == 12
    p, F, xs, x0 = begin(quadratic_growth(L) if growing else smooth_convex(L))
    x, span = x0, [F.gradient(x0)]
    for _ in range(n):
        old, x = x, exact_line_search(x, F, span)
        span += [F.samples[-1].g, old - x]
    rate = L / (2 * (n + 1)) if growing else L / (2 * thetas(n)[-1] ** 2)
    return gap_after(p, F, xs, x0, x, rate)


@example(PATH + "gradient_exact_line_search", L="1", mu="1/10", n=2)
def gradient_exact_line_search(L: Any, mu: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    x = x0
    for _ in range(n):
        x = exact_line_search(x, F, [F.gradient(x)])
    return Posed(p, F(x) - F(xs), [F(x0) - F(xs) <= 1], ((L - mu) / (L + mu)) ** (2 * n))


@example(PATH + "inexact_gradient_exact_line_search", L="1", mu="1/10", epsilon="1/10", n=2)
def inexact_gradient_exact_line_search(L: Any, mu: Any, epsilon: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    x = x0
    for _ in range(n):
        x = exact_line_search(x, F, [inexact_gradient(x, F, epsilon)])
    high, low = (1 + epsilon) * L, (1 - epsilon) * mu
    return Posed(p, F(x) - F(xs), [F(x0) - F(xs) <= 1], ((high - low) / (high + low)) ** (2 * n))


@example(PATH + "inexact_gradient_descent", L="1", mu="1/10", epsilon="1/10", n=2)
@example("low_dimensional_worst_cases_scenarios.inexact_gradient", L="1", mu="1/10", epsilon="1/10", n=6)
def inexact_gradient_descent(L: Any, mu: Any, epsilon: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    high, low = (1 + epsilon) * L, (1 - epsilon) * mu
    x = x0
    for _ in range(n):
        x = x - 2 / (high + low) * inexact_gradient(x, F, epsilon)
    return Posed(p, F(x) - F(xs), [F(x0) - F(xs) <= 1], ((high - low) / (high + low)) ** (2 * n))


@example(PATH + "inexact_accelerated_gradient", L="1", epsilon="1/10", n=5)
def inexact_accelerated_gradient(L: Any, epsilon: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L))
    x = y = x0
    for i in range(n):
        old, x = x, y - inexact_gradient(y, F, epsilon) / L
        y = x + Fraction(i, i + 3) * (x - old)
    return gap_after(p, F, xs, x0, x, None)  # the stated bound is that of exact gradients


@example(PATH + "heavy_ball_momentum", mu="1/10", L="1", alpha="1/2", beta=sqrt("0.475"), n=2)
def heavy_ball_momentum(mu: Any, L: Any, alpha: Any, beta: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    old = x = x0
    for _ in range(n):
        old, x = x, x - alpha * F.gradient(x) + beta * (x - old)
    return Posed(p, F(x) - F(xs), [F(x0) - F(xs) <= 1], (1 - alpha * mu) ** n, tight=False)


@example(PATH + "information_theoretic_exact_method", mu="1/1000", L="1", n=15)
def information_theoretic_exact_method(mu: Any, L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    A, q = number(0), number(mu / L)
    x = z = x0
    for _ in range(n):
        old, A = A, ((1 + q) * A + 2 * (1 + sqrt((1 + A) * (1 + q * A)))) / (1 - q) ** 2
        beta = old / (1 - q) / A
        delta = ((1 - q) ** 2 * A - (1 + q) * old) / (1 + q + q * old) / 2
        y = z + beta * (x - z)
        g = F.gradient(y)
        x, z = y - g / L, z + q * delta * (y - z) - delta / L * g
    return Posed(p, (z - xs) ** 2, [(x0 - xs) ** 2 <= 1], 1 / (1 + q * A))


@example(PATH + "optimized_gradient", "low_dimensional_worst_cases_scenarios.optimized_gradient", L="3", n=4)
def optimized_gradient(L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L))
    x = y = x0
    for now, after in pairwise(thetas(n)):
        old, x = x, y - F.gradient(y) / L
        y = x + (now - 1) / after * (x - old) + now / after * (x - y)
    return gap_after(p, F, xs, x0, y, L / (2 * thetas(n)[-1] ** 2))


@example(PATH + "optimized_gradient_for_gradient", L="3", n=4)
def optimized_gradient_for_gradient(L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L))
    t = thetas(n)[::-1]
    x = y = x0
    for now, after in pairwise(t):
        old, y = y, x - F.gradient(x) / L
        lean = (2 * after - 1) / (2 * now - 1)
        x = y + (now - 1) / now * lean * (y - old) + lean * (y - x)
    return Posed(p, F.gradient(x) ** 2, [F(x0) - F(xs) <= 1], 2 * L / t[0] ** 2)


@example(PATH + "robust_momentum", mu="1/10", L="1", lam="1/5")
def robust_momentum(mu: Any, L: Any, lam: Any) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    x1, k = p.point("x1"), L / mu
    rho = lam * (1 - 1 / k) + (1 - lam) * (1 - 1 / sqrt(k))
    alpha, beta = k * (1 - rho) ** 2 * (1 + rho) / L, k * rho**3 / (k - 1)
    gamma = rho**3 / ((k - 1) * (1 - rho) ** 2 * (1 + rho))
    weight = mu**2 * (k - k * rho**2 - 1) / (2 * rho * (1 - rho))
    x, terms = [x0, x1], []
    for _ in range(2):
        y = x[-1] + gamma * (x[-1] - x[-2])
        g = F.gradient(y)
        x.append(x[-1] + beta * (x[-1] - x[-2]) - alpha * g)
        z = (x[-1] - rho**2 * x[-2]) / (1 - rho**2)
        size = (L - mu) * (F(y) - F(xs) - mu / 2 * (y - xs) ** 2) - (g - mu * (y - xs)) ** 2 / 2
        terms.append((weight, z, size))
    before = weight * ((x[2] - rho**2 * x[1]) / (1 - rho**2) - xs) ** 2 + terms[0][2]
    after = weight * ((x[3] - rho**2 * x[2]) / (1 - rho**2) - xs) ** 2 + terms[1][2]
    return Posed(p, after, [before <= 1], rho**2, tight=False)


@example(PATH + "triple_momentum", mu="1/10", L="1", n=4)
def triple_momentum(mu: Any, L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    rho = 1 - sqrt(mu / L)
    alpha, beta, gamma = (1 + rho) / L, rho**2 / (2 - rho), rho**2 / (1 + rho) / (2 - rho)
    delta = rho**2 / (1 - rho**2)
    old = now = y = x = x0
    for _ in range(n):
        new = now + beta * (now - old) - alpha * F.gradient(y)
        y, x = new + gamma * (new - now), new + delta * (new - now)
        old, now = now, new
    return gap_after(p, F, xs, x0, x, rho ** (2 * n) * L / 2 * (L / mu), tight=False)


@example(PATH + "gradient_descent_silver_stepsize_convex", L="10", n=7)
def gradient_descent_silver_stepsize_convex(L: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L))
    silver, x, k = 1 + sqrt(2), x0, (n + 1).bit_length() - 1
    for i in range(1, n + 1):
        x = x - (1 + silver ** ((i & -i).bit_length() - 2)) / L * F.gradient(x)
    return gap_after(p, F, xs, x0, x, L / (1 + sqrt(4 * silver ** (2 * k) - 3)), tight=False)


@example(PATH + "gradient_descent_silver_stepsize_strongly_convex", L="16/5", mu="1/10", n=8)
def gradient_descent_silver_stepsize_strongly_convex(L: Any, mu: Any, n: int) -> Posed:
    p, F, xs, x0 = begin(smooth_convex(L, mu))
    k, z = L / mu, number(mu / L)

    def psi(t: Any) -> Any:
        return (1 + k * t) / (1 + t)

    steps = [psi(z)]
    for _ in range(n.bit_length() - 1):
        root = sqrt(1 + (1 - z) ** 2)
        low, z = z / (1 - z + root), z * (1 - z + root)
        steps = [*steps[:-1], psi(low), *steps[:-1], psi(z)]
    x = x0
    for h in steps:
        x = x - h / L * F.gradient(x)
    return Posed(p, (x - xs) ** 2, [(x0 - xs) ** 2 <= 1], ((1 - z) / (1 + z)) ** 2, tight=False)


@example("tutorials.gradient_descent_contraction", L="1", mu="1/10", gamma="1", n=1)
def gradient_descent_contraction(L: Any, mu: Any, gamma: Any, n: int) -> Posed:
    p = Problem()
    F = p.function(smooth_convex(L, mu))
    x0, y0 = p.point("x0"), p.point("y0")
    x, y = x0, y0
    for _ in range(n):
        x, y = x - gamma * F.gradient(x), y - gamma * F.gradient(y)
    rate = max((1 - gamma * L) ** 2, (1 - gamma * mu) ** 2) ** n
    return Posed(p, (x - y) ** 2, [(x0 - y0) ** 2 <= 1], rate)

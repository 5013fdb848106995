"""Classes of functions and operators, each by the inequalities that its points, gradients and values satisfy.

A class is `exact` where a theorem says that whatever satisfies the inequalities is interpolated by a member of the
class (in some dimension): then they prove and refute. `necessary` ones may prove, never refute. Where a number is left
out (`L`, `D`) there is no such bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from theory.classes.numbers import Number, Real, is_zero, number, sign
from theory.classes.vectors import Condition, Form, Vector

__all__ = [
    "Family",
    "Sample",
    "cocoercive",
    "cocoercive_strongly_monotone",
    "convex",
    "indicator",
    "lipschitz_convex",
    "lipschitz_operator",
    "lipschitz_strongly_monotone",
    "monotone",
    "negatively_comonotone",
    "nonexpansive",
    "pl",
    "quadratic_growth",
    "rsi",
    "smooth",
    "smooth_convex",
    "smooth_convex_lipschitz",
    "strongly_convex",
    "strongly_monotone",
    "support",
]

TAYLOR_2017 = "A. Taylor, J. Hendrickx, F. Glineur, Smooth strongly convex interpolation, 2017"
COMPOSITE_2017 = "A. Taylor, J. Hendrickx, F. Glineur, Exact worst-case performance for composite optimization, 2017"
RYU_2020 = "E. Ryu, A. Taylor, C. Bergeling, P. Giselsson, Operator splitting performance estimation, 2020"


@dataclass(frozen=True, eq=False)
class Sample:
    """One point of a function or operator: where, a (sub)gradient or image there, the value; `name` for people.

    `stationary`: the gradient is 0 there. `least`: it is a minimiser, which of functions that need not be convex says
    more.
    """

    x: Vector
    g: Vector
    f: Form
    name: str
    stationary: bool = False
    least: bool = False


Rule = Callable[[Sequence[Sample]], Iterator[tuple[str, Condition]]]


@dataclass(frozen=True, eq=False)
class Family:
    """A class: its name with its numbers, its inequalities, `source` of the interpolation theorem or of necessity.

    `single_valued`: gradients and images depend on the point alone. `has_values`: False for operators and indicators.
    `curvatures`: (μ, L) of a class that is all functions with f″ between them along every line; None of others.
    `zero`: its value is 0 where it is asked (indicators). `has_minimiser`: the class is defined by its minimisers, so
    one is among the points even if nobody asks for it. `convex`: False for functions that need not be.
    """

    name: str
    exact: bool
    source: str
    rule: Rule
    single_valued: bool = False
    has_values: bool = True
    curvatures: tuple[Real, Real] | None = None
    has_minimiser: bool = False
    zero: bool = False
    convex: bool = True


def _pairs(
    samples: Sequence[Sample], form: Callable[[Sample, Sample], Form], twice: bool = True
) -> Iterator[tuple[str, Condition]]:
    """form(a, b) <= 0 for all ordered pairs of different samples; with `twice` false for unordered ones."""
    for i, a in enumerate(samples):
        for j, b in enumerate(samples):
            if i != j and (twice or i < j):
                yield f"{a.name}, {b.name}", Condition(form(a, b))


def _each(samples: Sequence[Sample], form: Callable[[Sample], Form]) -> Iterator[tuple[str, Condition]]:
    for a in samples:
        yield a.name, Condition(form(a))


def _positive(call: str, **values: Real) -> None:
    for name, x in values.items():
        if sign(x) <= 0:
            raise ValueError(f"{call}: {name} must be > 0")


def _nonnegative(call: str, **values: Real) -> None:
    for name, x in values.items():
        if not x >= 0:
            raise ValueError(f"{call}: {name} must be >= 0")


def convex() -> Family:
    """Closed proper convex functions: F(x) >= F(y) + ⟨g_y, x − y⟩."""
    return Family("convex", True, f"{TAYLOR_2017}, Theorem 1", lambda s: _pairs(s, _convexity))


def _convexity(a: Sample, b: Sample) -> Form:
    return b.f - a.f + b.g * (a.x - b.x)


def strongly_convex(mu: Number) -> Family:
    """μ-strongly convex functions, differentiable or not: F(x) >= F(y) + ⟨g_y, x − y⟩ + μ/2·‖x − y‖²."""
    m = number(mu)
    _positive(f"strongly_convex(mu={mu})", mu=m)
    return Family(
        f"strongly convex (μ = {mu})",
        True,
        f"{TAYLOR_2017}, Theorem 4 with L = ∞",
        lambda s: _pairs(s, lambda a, b: _convexity(a, b) + m / 2 * (a.x - b.x) ** 2),
    )


def smooth_convex(L: Number, mu: Number = 0) -> Family:
    """L-smooth, μ-strongly convex functions, 0 <= μ < L."""
    top, m = number(L), number(mu)
    _positive(f"smooth_convex(L={L}, mu={mu})", L=top)
    if sign(m) < 0 or sign(top - m) <= 0:
        raise ValueError(f"smooth_convex(L={L}, mu={mu}): expected 0 <= mu < L")
    return Family(
        f"smooth convex (L = {L}, μ = {mu})",
        True,
        f"{TAYLOR_2017}, Theorem 4",
        lambda s: _pairs(s, _curved(top, m)),
        single_valued=True,
        curvatures=(m, top),
    )


def smooth(L: Number) -> Family:
    """L-smooth functions, convex or not: the gradient is L-Lipschitz; F* <= F(x) − ‖∇F(x)‖²/(2L) of a minimiser.

    Source of the second condition: Y. Drori, O. Shamir, "The complexity of finding stationary points with stochastic
    gradient descent", 2020, Theorem 7.
    """
    top = number(L)
    _positive(f"smooth(L={L})", L=top)
    source = f"{COMPOSITE_2017}, Theorem 3.10"

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        yield from _pairs(s, _curved(top, -top))
        for a in (a for a in s if a.least):
            for b in (b for b in s if b is not a):
                yield f"least {a.name}, {b.name}", Condition(a.f - b.f + b.g**2 / (2 * top))

    return Family(
        f"smooth (L = {L})",
        True,
        source,
        rule,
        single_valued=True,
        curvatures=(-top, top),
        convex=False,
    )


def _curved(L: Real, mu: Real) -> Callable[[Sample, Sample], Form]:
    def form(a: Sample, b: Sample) -> Form:
        dx, dg = a.x - b.x, a.g - b.g
        bend: Form = (dg**2 + mu * L * dx**2 - 2 * mu * (dg * dx)) / (2 * (L - mu))
        return b.f - a.f + b.g * dx + bend

    return form


def lipschitz_convex(M: Number) -> Family:
    """Convex functions with ‖g‖ <= M everywhere."""
    m = number(M)
    _positive(f"lipschitz_convex(M={M})", M=m)

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        yield from _pairs(s, _convexity)
        yield from _each(s, lambda a: a.g**2 - m * m)

    return Family(f"convex, {M}-Lipschitz", True, f"{COMPOSITE_2017}, Theorem 3.5", rule)


def smooth_convex_lipschitz(L: Number, M: Number) -> Family:
    """L-smooth convex functions with ‖∇F‖ <= M: the two conditions together, not shown to suffice."""
    top, m = number(L), number(M)
    _positive(f"smooth_convex_lipschitz(L={L}, M={M})", L=top, M=m)

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        yield from _pairs(s, _curved(top, top * 0))
        yield from _each(s, lambda a: a.g**2 - m * m)

    return Family(f"smooth convex (L = {L}), {M}-Lipschitz", False, "an intersection", rule, single_valued=True)


def indicator(D: Number | None = None) -> Family:
    """Indicators of closed convex sets, of diameter at most D where it is given; gradients are normals."""
    d = None if D is None else number(D)
    if d is not None:
        _positive(f"indicator(D={D})", D=d)

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        yield from _pairs(s, lambda a, b: b.g * (a.x - b.x))
        if d is not None:
            yield from _pairs(s, lambda a, b: (a.x - b.x) ** 2 - d * d, twice=False)

    size = "" if D is None else f" (diameter {D})"
    return Family(
        f"indicator of a convex set{size}", True, f"{COMPOSITE_2017}, Theorem 3.6", rule, has_values=False, zero=True
    )


def support(M: Number | None = None) -> Family:
    """Support functions of closed convex sets within the ball of radius M: F(x) = ⟨g, x⟩, ⟨x, g_y − g_x⟩ <= 0."""
    m = None if M is None else number(M)
    if m is not None:
        _positive(f"support(M={M})", M=m)

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        for a in s:
            yield a.name, Condition(a.f - a.g * a.x, equality=True)
        yield from _pairs(s, lambda a, b: b.x * (a.g - b.g))
        if m is not None:
            yield from _each(s, lambda a: a.g**2 - m * m)

    size = "" if M is None else f" ({M}-Lipschitz)"
    return Family(f"support function{size}", True, f"{COMPOSITE_2017}, Corollary 3.7", rule)


def quadratic_growth(L: Number) -> Family:
    """Convex functions with F(x) − F* <= L/2·‖x − x*‖²."""
    top = number(L)
    _positive(f"quadratic_growth(L={L})", L=top)

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        yield from _pairs(s, _convexity)
        for a in (a for a in s if a.stationary):
            for b in (b for b in s if b is not a):
                yield f"growth {a.name}, {b.name}", Condition(_convexity(a, b) + b.g**2 / (2 * top))

    source = "B. Goujaud, A. Taylor, A. Dieuleveut, Optimal first-order methods … with a quadratic upper bound, 2022"
    return Family(f"convex, growing at most quadratically (L = {L})", True, source, rule, has_minimiser=True)


def rsi(mu: Number, L: Number) -> Family:
    """Restricted secant inequality and error bound: ⟨g, x − x*⟩ >= μ‖x − x*‖², ‖g‖ <= L‖x − x*‖. Necessary."""
    m, top = number(mu), number(L)
    _positive(f"rsi(mu={mu}, L={L})", mu=m, L=top)
    if not top >= m:
        raise ValueError(f"rsi(mu={mu}, L={L}): expected mu <= L")

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        for a in (a for a in s if a.stationary):
            for b in (b for b in s if b is not a):
                dx, dg = b.x - a.x, b.g - a.g
                yield f"secant {b.name}", Condition(m * dx**2 - dg * dx)
                yield f"error bound {b.name}", Condition(dg**2 - top * top * dx**2)

    return Family(
        f"restricted secant (μ = {mu}, L = {L})",
        False,
        "by definition",
        rule,
        has_values=False,
        has_minimiser=True,
        convex=False,
    )


def pl(mu: Number, L: Number, alpha: Number | None = None) -> Family:
    """L-smooth functions with ‖∇F‖² >= 2μ(F − F*), by necessary conditions; `alpha` adds a combination of the two.

    It is at most 2μ/(2L + μ). Source of the combination: A. Rubbens, J. Hendrickx, A. Taylor, "A constructive approach
    to strengthen algebraic descriptions of function and operator classes", 2025, Proposition 3.2.
    """
    m, top = number(mu), number(L)
    call = f"pl(mu={mu}, L={L}, alpha={alpha})"
    _positive(call, mu=m, L=top)
    if not top >= m:
        raise ValueError(f"{call}: expected mu <= L")
    if alpha is not None:
        _nonnegative(call, alpha=number(alpha))
        if not (2 * top + m) * number(alpha) <= 2 * m:
            raise ValueError(f"{call}: expected alpha <= 2·mu/(2·L + mu)")

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        yield from _pairs(s, _curved(top, -top))
        for a in (a for a in s if a.stationary):
            for b in (b for b in s if b is not a):
                yield f"Łojasiewicz {b.name}", Condition(b.f - a.f - b.g**2 / (2 * m))
                yield f"upper {b.name}", Condition(a.f - b.f + b.g**2 / (2 * top))
            if alpha is not None:
                t = number(alpha)
                factor = t / (1 - t) / (2 * m - (top + m) * t)

                def mixed(p: Sample, q: Sample, a: Sample = a, t: Real = t, factor: Real = factor) -> Form:
                    first: Form = (1 - t) ** 2 * (top + m) * (p.f - a.f - p.g**2 / (2 * top))
                    second: Form = (top - m) * (q.f - a.f + q.g**2 / (2 * top))
                    dx, dg = p.x - q.x, p.g - q.g
                    smoothness: Form = (p.g + q.g) * dx / 2 + dg**2 / (4 * top) - top / 4 * dx**2
                    strengthened: Form = (first - second) * factor
                    return q.f - p.f + smoothness + strengthened

                yield from _pairs(s, mixed)

    return Family(
        f"smooth (L = {L}), Łojasiewicz (μ = {mu})", False, "necessary", rule, True, has_minimiser=True, convex=False
    )


def monotone() -> Family:
    """Maximally monotone operators: ⟨u − v, x − y⟩ >= 0."""
    return _operator("monotone", lambda dx, du: -(du * dx), True, f"{RYU_2020}, Fact 1", single_valued=False)


def strongly_monotone(mu: Number) -> Family:
    """Maximally μ-strongly monotone operators: ⟨u − v, x − y⟩ >= μ‖x − y‖²."""
    m = number(mu)
    _nonnegative(f"strongly_monotone(mu={mu})", mu=m)
    return _operator(
        f"strongly monotone (μ = {mu})",
        lambda dx, du: m * dx**2 - du * dx,
        True,
        f"{RYU_2020}, Proposition 1",
        single_valued=False,
    )


def cocoercive(beta: Number) -> Family:
    """β-cocoercive operators: ⟨u − v, x − y⟩ >= β‖u − v‖²."""
    b = number(beta)
    _positive(f"cocoercive(beta={beta})", beta=b)
    name = f"cocoercive (β = {beta})"
    return _operator(name, lambda dx, du: b * du**2 - du * dx, True, f"{RYU_2020}, Proposition 2")


def lipschitz_operator(L: Number) -> Family:
    """L-Lipschitz operators: ‖u − v‖ <= L‖x − y‖ (Kirszbraun)."""
    top = number(L)
    _positive(f"lipschitz_operator(L={L})", L=top)
    name = f"Lipschitz operator (L = {L})"
    return _operator(name, lambda dx, du: du**2 - top * top * dx**2, True, f"{RYU_2020}, Fact 2")


def nonexpansive() -> Family:
    """Nonexpansive operators: ‖u − v‖ <= ‖x − y‖."""
    return lipschitz_operator(1)


def lipschitz_strongly_monotone(L: Number, mu: Number = 0) -> Family:
    """L-Lipschitz and μ-strongly monotone operators: the two conditions, which do not suffice together."""
    top, m = number(L), number(mu)
    call = f"lipschitz_strongly_monotone(L={L}, mu={mu})"
    _positive(call, L=top)
    _nonnegative(call, mu=m)
    if not top >= m:
        raise ValueError(f"{call}: expected mu <= L")

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        yield from _pairs(s, lambda a, b: m * (a.x - b.x) ** 2 - (a.g - b.g) * (a.x - b.x), twice=False)
        yield from _pairs(s, lambda a, b: (a.g - b.g) ** 2 - top * top * (a.x - b.x) ** 2, twice=False)

    name = f"Lipschitz (L = {L}), strongly monotone (μ = {mu})"
    return Family(name, False, f"{RYU_2020}, Proposition 3: not sufficient", rule, True, False)


def cocoercive_strongly_monotone(beta: Number, mu: Number = 0) -> Family:
    """β-cocoercive and μ-strongly monotone operators: the two conditions, which do not suffice together."""
    b, m = number(beta), number(mu)
    call = f"cocoercive_strongly_monotone(beta={beta}, mu={mu})"
    _positive(call, beta=b)
    _nonnegative(call, mu=m)
    if not b * m <= 1:
        raise ValueError(f"{call}: expected beta·mu <= 1")

    def rule(s: Sequence[Sample]) -> Iterator[tuple[str, Condition]]:
        yield from _pairs(s, lambda p, q: m * (p.x - q.x) ** 2 - (p.g - q.g) * (p.x - q.x), twice=False)
        yield from _pairs(s, lambda p, q: b * (p.g - q.g) ** 2 - (p.g - q.g) * (p.x - q.x), twice=False)

    name = f"cocoercive (β = {beta}), strongly monotone (μ = {mu})"
    return Family(name, False, f"{RYU_2020}, Proposition 4: not sufficient", rule, True, False)


def negatively_comonotone(rho: Number) -> Family:
    """Maximally ρ-negatively comonotone operators: ⟨u − v, x − y⟩ >= −ρ‖u − v‖²."""
    r = number(rho)
    _nonnegative(f"negatively_comonotone(rho={rho})", rho=r)
    name = f"negatively comonotone (ρ = {rho})"
    source = "H. Bauschke, W. Moursi, X. Wang, Generalized monotone operators and their averaged resolvents, 2021"
    return _operator(name, lambda dx, du: -(du * dx) - r * du**2, True, source, single_valued=False)


def _operator(
    name: str, form: Callable[[Vector, Vector], Form], exact: bool, source: str, *, single_valued: bool = True
) -> Family:
    return Family(
        name,
        exact,
        source,
        lambda s: _pairs(s, lambda a, b: form(a.x - b.x, a.g - b.g), twice=False),
        single_valued=single_valued,
        has_values=False,
    )


def nontrivial(condition: Condition) -> bool:
    """Whether the condition says anything: 0 <= 0, between equal samples, does not."""
    form = condition.form
    return not form.is_constant or (sign(form.constant) > 0 if not condition.equality else not is_zero(form.constant))

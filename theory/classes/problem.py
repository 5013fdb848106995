"""A method written once over a class: free vectors and values, functions with what is asked of them, a statement.

    p = Problem()
    F = p.function(smooth_convex(L=1))
    xs, x0 = F.minimiser(), p.point("x0")
    x = x0 - F.gradient(x0)
    p.statement(F(x) - F(xs), "1/6", given=[(x0 - xs) ** 2 <= 1])

says F(x₁) − F* <= 1/6 for every 1-smooth convex F, in every dimension, wherever ‖x₀ − x*‖ <= 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from flint import fmpq

from theory.classes.families import Family, Sample, nontrivial
from theory.classes.numbers import Number, Real, number, sign
from theory.classes.vectors import Condition, Form, Least, Vector

__all__ = ["Function", "Problem", "Statement", "Sum"]


@dataclass(frozen=True, eq=False)
class Statement:
    """min(`measures`) <= `bound` for all members of `families` where the `conditions` hold.

    `conditions` holds the classes' inequalities at the points asked and the hypotheses; `vectors` and `values` name
    the free ones. `asked`: (name, class, samples) of each function, for whoever shows an instance. `spans`: (move,
    directions) where a move has to lie in the span of directions, which the conditions do not say whole.
    """

    measures: tuple[Form, ...] = field(repr=False)
    bound: Real
    conditions: tuple[Condition, ...] = field(repr=False)
    vectors: tuple[str, ...]
    values: tuple[str, ...]
    asked: tuple[tuple[str, Family, tuple[Sample, ...]], ...] = field(repr=False)
    spans: tuple[tuple[Vector, tuple[Vector, ...]], ...] = field(default=(), repr=False)

    @property
    def exact(self) -> bool:
        """Whether points that satisfy the conditions are an instance: every class has an interpolation theorem."""
        return all(family.exact for _, family, _ in self.asked)

    def with_bound(self, bound: Number) -> Statement:
        """The same statement with another right side."""
        return replace(self, bound=number(bound))


@dataclass(eq=False)
class Problem:
    """Where free vectors and values are declared; it grows while a method is written and knows of no other."""

    vectors: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    spans: list[tuple[Vector, tuple[Vector, ...]]] = field(default_factory=list)

    def point(self, name: str = "") -> Vector:
        """A free vector."""
        self.vectors.append(_unused(name or f"v{len(self.vectors)}", self.vectors))
        return Vector({len(self.vectors) - 1: fmpq(1)}, self.vectors)

    def origin(self) -> Vector:
        """The zero vector."""
        return Vector({})

    def number(self, name: str = "") -> Form:
        """A free real number, such as an error whose size a hypothesis bounds."""
        self.values.append(_unused(name or f"e{len(self.values)}", self.values))
        return Form(values={len(self.values) - 1: fmpq(1)}, of=self.vectors)

    def function(self, family: Family, name: str = "") -> Function:
        """A function or operator of the class, any one."""
        made = Function(self, family, _unused(name or f"F{len(self.functions) + 1}", ()))
        self.functions.append(made)
        return made

    def require(self, condition: Condition, label: str = "step") -> None:
        """A condition that belongs to the method, such as ⟨∇F(x₁), ∇F(x₀)⟩ = 0 of an exact line search."""
        self.conditions.append(Condition(condition.form, condition.equality, label))

    def _are_mine(self, *written: Vector | Form) -> None:
        for one in written:
            if one.of is not None and one.of is not self.vectors:
                raise ValueError("vectors or values of another Problem: everything in a statement is of one")

    def statement(self, measure: Form | Least, bound: Number, *, given: Sequence[Condition] = ()) -> Statement:
        """`measure` <= `bound` wherever `given` holds; a measure `least(…)` needs only one of its forms to."""
        for condition in given:
            if not isinstance(condition, Condition):
                raise TypeError(f"given: {condition!r} is no condition; write form <= form, or form.equals(form)")
        self._are_mine(*(measure.forms if isinstance(measure, Least) else (measure,)), *(c.form for c in given))
        found: list[Condition] = list(given)
        found += self.conditions
        for function in self.functions:
            if function.family.has_minimiser and not any(s.stationary for s in function.samples):
                function.minimiser()
            for label, condition in function.family.rule(function.samples):
                if nontrivial(condition):
                    text = f"{function.name}: {label}"
                    found.append(Condition(condition.form, condition.equality, text))
        measures = measure.forms if isinstance(measure, Least) else (measure,)
        asked = tuple((f.name, f.family, tuple(f.samples)) for f in self.functions)
        names = tuple(self.vectors), tuple(self.values)
        return Statement(tuple(measures), number(bound), tuple(found), *names, asked, tuple(self.spans))


@dataclass(eq=False)
class Function:
    """A member of a class, known by what was asked of it."""

    problem: Problem
    family: Family
    name: str
    samples: list[Sample] = field(default_factory=list)

    def __call__(self, x: Vector) -> Form:
        """F(x). Raises `ValueError` for a class without values, such as operators."""
        if not (self.family.has_values or self.family.zero):
            raise ValueError(f"{self.name}(x): nothing is known of values in the class {self.family.name}")
        known = self._at(x)
        return known.f if known else self.add(x, self._fresh(x)).f

    def gradient(self, x: Vector) -> Vector:
        """∇F(x), a subgradient at x, or the operator's image of x; where several exist, each call gives any one."""
        known = self._at(x)
        if known and self.family.single_valued:
            return known.g
        return self.add(x, self._fresh(x)).g

    def oracle(self, x: Vector) -> tuple[Vector, Form]:
        """(gradient, value) at x."""
        return self.gradient(x), self(x)

    def minimiser(self, name: str = "") -> Vector:
        """A minimiser, of an operator a zero."""
        x = self.problem.point(name or f"{self.name}*")
        self.add(x, self.problem.origin(), least=True)
        return x

    def stationary_point(self, name: str = "") -> Vector:
        """A point with gradient 0; where the class is convex it is a minimiser."""
        x = self.problem.point(name or f"{self.name}'")
        self.add(x, self.problem.origin())
        return x

    def fixed_point(self, name: str = "") -> Vector:
        """A point x with A(x) = x, of an operator."""
        x = self.problem.point(name or f"{self.name}*")
        self.add(x, x)
        return x

    def add(self, x: Vector, g: Vector, *, least: bool = False, value: Form | None = None) -> Sample:
        """Says that g is a (sub)gradient at x, with `least` that x is a minimiser, whose g is 0."""
        if least and g.parts:
            raise ValueError(f"{self.name}: a minimiser with another gradient than 0: add(x, origin, least=True) first")
        self.problem._are_mine(x, g, *([] if value is None else [value]))
        known = self._at(x)
        f = value if value is not None else known.f if known else self._value(len(self.samples))
        sample = Sample(x, g, f, f"{self.name}[{len(self.samples)}]", not g.parts, least)
        self.samples.append(sample)
        return sample

    def __add__(self, other: Function | Sum) -> Sum:
        return Sum(((fmpq(1), self),)) + other

    def __sub__(self, other: Function) -> Sum:
        return Sum(((fmpq(1), self), (fmpq(-1), other)))

    def __mul__(self, factor: Number) -> Sum:
        return Sum(((number(factor), self),))

    __rmul__ = __mul__

    def _at(self, x: Vector) -> Sample | None:
        key = x.key()
        return next((s for s in self.samples if s.x.key() == key), None)

    def _fresh(self, x: Vector) -> Vector:
        return self.problem.point(f"g{len(self.samples)}({self.name})")

    def _value(self, place: int) -> Form:
        return self.problem.number(f"{self.name}({place})") if self.family.has_values else Form()


@dataclass(frozen=True, eq=False)
class Sum:
    """Σ aᵢFᵢ of functions or operators."""

    terms: tuple[tuple[Real, Function], ...]

    def __add__(self, other: Function | Sum) -> Sum:
        return Sum(self.terms + (other.terms if isinstance(other, Sum) else ((fmpq(1), other),)))

    def __mul__(self, factor: Number) -> Sum:
        return Sum(tuple((number(factor) * a, f) for a, f in self.terms))

    __rmul__ = __mul__

    def __call__(self, x: Vector) -> Form:
        return sum((a * f(x) for a, f in self.terms), Form())

    def gradient(self, x: Vector) -> Vector:
        return _total(a * f.gradient(x) for a, f in self.terms)

    def minimiser(self, name: str = "x*") -> Vector:
        """A point where the gradients add to 0, a minimiser where all are convex; the last one's is what makes them.

        Raises `ValueError` where a term need not be convex: see `stationary_point`.
        """
        for a, f in self.terms:
            if not f.family.convex or sign(a) < 0:
                raise ValueError(
                    f"minimiser of a sum with {a}·{f.name}, which need not be convex: take stationary_point"
                )
        return self.stationary_point(name)

    def stationary_point(self, name: str = "x*") -> Vector:
        """A point where the gradients add to 0; the last function's is what makes them."""
        x = self.terms[0][1].problem.point(name)
        self.set_gradient(x, Vector({}))
        return x

    def set_gradient(self, x: Vector, total: Vector) -> None:
        """Says that Σ aᵢgᵢ = `total` at x, with gᵢ a (sub)gradient of Fᵢ there."""
        *others, (last, function) = sorted(self.terms, key=lambda term: term[1]._at(x) is None)
        for a, f in others:
            total = total - a * f.gradient(x)
        function.add(x, total / last)


def _unused(name: str, taken: Sequence[str]) -> str:
    """The name, or the name with the first number that makes it new: scripts tell vectors apart by it."""
    if not name.isprintable():
        raise ValueError(f"the name {name!r}: expected one line of printable characters")
    if name not in taken:
        return name
    return next(f"{name}.{i}" for i in range(2, len(taken) + 3) if f"{name}.{i}" not in taken)


def _total(parts: Iterable[Vector]) -> Vector:
    total = Vector({})
    for part in parts:
        total = total + part
    return total

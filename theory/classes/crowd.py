"""Clients that a statement treats alike, folded by hand: the size of one client, whatever their number.

A client's vector is u = ū + d, the mean of all and its own deviation. Averaged over the clients, ⟨u, v⟩ is ⟨ū, v̄⟩ +
⟨d, d'⟩, and ⟨shared, d⟩ is 0: the number N of clients stands nowhere but where the method writes it, as in the
variance of a sampled mean. So N may be a letter.

An instance of the folded statement is one of N clients for every N >= 2: d is multiplied by the corners of a regular
simplex around 0, one for each client.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from theory.classes.families import Family, Sample
from theory.classes.numbers import Number
from theory.classes.problem import Function, Problem, Statement
from theory.classes.vectors import Condition, Form, Least, Vector

__all__ = ["Crowd", "CrowdStatement"]


class CrowdStatement(Statement):
    """A statement about clients alike, two of them or more: of a single one it says nothing."""

    @property
    def exact(self) -> bool:
        """Whether points that satisfy the conditions are an instance: moves within spans are not known of clients."""
        return super().exact and not self.spans


@dataclass(eq=False)
class _Shared(Problem):
    """What the clients share: a function of it is the same for all, and is asked at shared vectors alone."""

    own: set[int] = field(default_factory=set)

    def function(self, family: Family, name: str = "") -> Function:
        made = _OfAll(self, family, name or f"F{len(self.functions) + 1}", own=self.own)
        self.functions.append(made)
        return made


@dataclass(eq=False)
class Crowd:
    """Two or more clients alike. `client(family)` is any one of them; `problem` has what they share.

    What a step or a minimiser makes of a client's function is each client's own; a function of `problem` is one for
    all. Raises `ValueError` where one of these is asked at a vector of single clients, and where a client's function
    is given a gradient that has no part of its own.
    """

    problem: Problem = field(default_factory=_Shared, init=False)
    own: set[int] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        if isinstance(self.problem, _Shared):
            self.problem.own = self.own

    def client(self, family: Family, name: str = "F") -> Function:
        """The loss of a client, a member of the class; each client has one of its own.

        Raises `ValueError` for a class whose counterexamples are checked at points of single clients.
        """
        if family.exact and family.has_minimiser:
            raise ValueError(f"Crowd.client: the class {family.name} is not known of clients alike")
        made = _OfClient(_OwnPoints(self), family, name, crowd=self)
        self.problem.functions.append(made)
        return made

    def vector(self, name: str) -> Vector:
        """A vector that every client has its own of."""
        mean, own = self.problem.point(f"mean {name}"), self.problem.point(f"own {name}")
        self.own.update(own.parts)
        return mean + own

    def mean(self, of: Vector) -> Vector:
        """The mean over the clients, which the server knows."""
        return Vector({v: a for v, a in of.parts.items() if v not in self.own}, of.of)

    def deviation(self, of: Vector) -> Vector:
        """What a client's vector has beyond the mean; its square is the mean square over the clients."""
        return Vector({v: a for v, a in of.parts.items() if v in self.own}, of.of)

    def minimiser(self, of: Function, name: str = "w*") -> Vector:
        """A point where the clients' gradients add to 0."""
        if not isinstance(of, _OfClient):
            raise ValueError("Crowd.minimiser: expected a client's function, as `client` gives it")
        if not of.family.convex:
            raise ValueError(f"Crowd.minimiser: the class {of.family.name} need not be convex")
        x, own = self.problem.point(name), self.problem.point(f"own gradient at {name}")
        self.own.update(own.parts)
        of.add(x, own)
        return x

    def statement(self, measure: Form | Least, bound: Number, *, given: Sequence[Condition] = ()) -> CrowdStatement:
        """`measure` <= `bound` for two clients and for any more; forms of single clients are means over all."""
        said = self.problem.statement(measure, bound, given=given)
        return CrowdStatement(
            tuple(self._averaged(form) for form in said.measures),
            said.bound,
            tuple(Condition(self._averaged(c.form), c.equality, c.label) for c in said.conditions),
            said.vectors,
            said.values,
            tuple((name, family, ()) for name, family, _ in said.asked),
            said.spans,
        )

    def _averaged(self, form: Form) -> Form:
        """The mean over the clients: products of a deviation with what is no deviation vanish."""
        kept = {(i, j): a for (i, j), a in form.quad.items() if (i in self.own) == (j in self.own)}
        return Form(kept, form.values, form.constant, form.of)


@dataclass(eq=False)
class _OfClient(Function):
    """A client's function: what it answers differs from client to client."""

    crowd: Crowd = field(kw_only=True)

    def _fresh(self, x: Vector) -> Vector:
        return self.crowd.vector(f"g{len(self.samples)}({self.name})")

    def add(self, x: Vector, g: Vector, *, least: bool = False, value: Form | None = None) -> Sample:
        if not self.crowd.own & (set(x.parts) | set(g.parts)):
            raise ValueError(f"{self.name}: a gradient that is the same for all clients; each has one of its own")
        return super().add(x, g, least=least, value=value)


class _OwnPoints(Problem):
    """The problem as a client's function sees it: the vectors that steps and minimisers make are each client's own."""

    def __init__(self, crowd: Crowd) -> None:
        shared = crowd.problem
        super().__init__(shared.vectors, shared.values, shared.functions, shared.conditions, shared.spans)
        self.crowd = crowd

    def point(self, name: str = "") -> Vector:
        return self.crowd.vector(name or f"v{len(self.vectors)}")


@dataclass(eq=False)
class _OfAll(Function):
    """A function that is the same for all clients."""

    own: set[int] = field(kw_only=True)

    def add(self, x: Vector, g: Vector, *, least: bool = False, value: Form | None = None) -> Sample:
        if self.own & (set(x.parts) | set(g.parts)):
            raise ValueError(f"{self.name} is one function for all clients: expected a vector that they share")
        return super().add(x, g, least=least, value=value)

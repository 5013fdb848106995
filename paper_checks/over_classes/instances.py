"""What a statement over a class is posed of: two clients inside a round, a lone function, optima before and after.

Two clients with weights 1/3 and 2/3, shares 1/2, L = 1, μ = 1/10, η = 1/4 where nothing else is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from theory.classes import Condition, Family, Form, Function, Problem, Statement, Sum, Vector, families, number

__all__ = ["AT", "MU", "ONE", "STEP", "THETA", "WEIGHTS", "L", "OverClass", "Posed", "Round", "of_lone", "of_round"]

L, MU, STEP = number(1), number("1/10"), number("1/4")
ONE = number(1)
WEIGHTS = (number("1/3"), number("2/3"))  # ρ, α or p_τ of the round
SHARES = (number("1/2"), number("1/2"))  # p of the objective
THETA = number("4/3")  # p_τ <= θp
AT = "N = 2, weights 1/3 and 2/3, shares 1/2, L = 1, μ = 1/10, η = 1/4"

Posed = Literal["as printed", "corrected", "wider"]


@dataclass(frozen=True, eq=False)
class OverClass:
    """Claim `claim` at `at`, posed as left side <= right side for all instances; `word` is what exact arithmetic shows.

    `posed`: "as printed" with the print's hypotheses, "corrected" by the ledger's edit or condition, or "wider", about
    more than the print speaks of. Only a refutation of what is "as printed" can contradict a verdict `holds`.
    """

    claim: str
    says: str
    at: str
    pose: Callable[[], Statement]
    word: Literal["proved", "refuted"]
    posed: Posed = "as printed"


@dataclass(frozen=True, eq=False)
class Round:
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

    def shared(self, term: Callable[[int], Form]) -> Form:
        """Σ pₖ·term(k)."""
        return sum((a * term(k) for k, a in enumerate(SHARES)), Form())

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


Says = Callable[[Round], tuple[Form, Form] | tuple[Form, Form, Sequence[Condition]]]
LoneSays = Callable[[Function, Vector, Vector], tuple[Form, Form, Sequence[Condition]]]


def posed_round(says: Says, *, start: bool = False, common: bool = False) -> Statement:
    """The statement in a round; with `start` all local models are the mean; with `common` all optima are one."""
    p = Problem()
    clients = tuple(p.function(families.smooth_convex(L, MU), f"F{k + 1}") for k in range(2))
    if common:
        optimum = p.point("w*")
        for F in clients:
            F.add(optimum, p.origin(), least=True)
        own: tuple[Vector, ...] = (optimum, optimum)
    else:
        optimum = Sum(tuple(zip(SHARES, clients, strict=True))).minimiser("w*")
        own = tuple(F.minimiser(f"w{k + 1}*") for k, F in enumerate(clients))
    local = (p.point("w"),) * 2 if start else tuple(p.point(f"w{k + 1}") for k in range(2))
    mean = local[0] if start else WEIGHTS[0] * local[0] + WEIGHTS[1] * local[1]
    left, right, *given = says(Round(p, clients, optimum, own, local, mean))
    return p.statement(left - right, 0, given=given[0] if given else ())


def posed_lone(says: LoneSays, family: Family) -> Statement:
    """The statement about one function of the class, its minimiser and a point."""
    p = Problem()
    F = p.function(family, "f")
    optimum, x = F.minimiser("w*"), p.point("w")
    left, right, given = says(F, optimum, x)
    return p.statement(left - right, 0, given=given)


def of_round(
    claim: str,
    says: str,
    pose: Says,
    word: Literal["proved", "refuted"],
    posed: Posed = "as printed",
    *,
    at: str = AT,
    start: bool = False,
    common: bool = False,
) -> OverClass:
    """A statement inside a round."""
    return OverClass(claim, says, at, partial(posed_round, pose, start=start, common=common), word, posed)


def of_lone(
    claim: str,
    says: str,
    at: str,
    pose: LoneSays,
    family: Family,
    word: Literal["proved", "refuted"],
    posed: Posed = "as printed",
) -> OverClass:
    """A statement about one function."""
    return OverClass(claim, says, at, partial(posed_lone, pose, family), word, posed)

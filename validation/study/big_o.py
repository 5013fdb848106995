"""«left = O(right)» along a declared path: refuted by an exact ratio that grows without bound, else not decided.

On the path every number is a rational function of n, which goes to infinity. Both sides are computed once with n = 1/ε,
exactly: their ratio is a rational function of n, and its leading term says whether any constant can serve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.exact.germ import EPSILON, Germ, deciding
from validation.statement.claim import Case, Inequality
from validation.statement.forms.for_small import refuse_signs, refuse_small, sides_in_epsilon
from validation.statement.instances.draw import Choice, Coordinate, Integer, LogScale, Simplex, Uniform, _as_written
from validation.study.courses import case_named

__all__ = ["BigO", "big_o"]

__judges__ = "no"


@dataclass(frozen=True)
class BigO:
    """What a path says of «left = O(right)».

    `word`: "refuted" where left/right grows without bound on it, else "inconclusive": another path may do it. `power`
    and `coefficient`: left/right ~ coefficient·n^power; `beyond`: for all n > `beyond` every hypothesis holds and the
    sides stand as computed; `ratios`: left/right at some n beyond it.
    """

    word: str
    power: int
    coefficient: Fraction
    beyond: Fraction
    ratios: Mapping[int, Fraction]

    def __str__(self) -> str:
        ratio = f"left/right ~ {self.coefficient}·n^{self.power} for n > {float(self.beyond):.6g}"
        end = (
            "so no constant is large enough"
            if self.word == "refuted"
            else "which is bounded: other paths are not decided"
        )
        return f"{self.word}: {ratio}, {end}"


def big_o(test: Inequality, path: Callable[[Any], Mapping[str, Any]], *, case: str = "") -> BigO:
    """Whether the left side of an inequality can be O(bound) in one of its cases, along a path.

    `path(n)`: the numbers that the case draws, whole numbers, fractions, and what arithmetic makes of n; `case`: its
    name, where the inequality has several. Both sides must do arithmetic, comparisons, max, min and abs alone. Raises
    `ValueError` for a case that is not there, numbers that are not those it draws, a hypothesis that fails for large n,
    and a right side that is not positive then.

    >>> import fedverdict as fv
    >>> a, b = fv.symbols("a b", positive=True)
    >>> space = fv.Space((fv.LogScale("a", 1e-3, 1e3), fv.LogScale("b", 1e-3, 1e3)))
    >>> def sides(x):
    ...     return {"lhs": x["a"] * x["a"] + x["b"], "a": x["a"], "b": x["b"]}
    >>> bound = fv.Inequality(fv.Bound(a + b), (fv.Case("two numbers", space, sides, fv.recomputed(sides)),))
    >>> print(big_o(bound, lambda n: {"a": n, "b": 1}))
    refuted: left/right ~ 1·n^1 for n > 2, so no constant is large enough
    """
    refuse_small("big_o", test)
    refuse_signs("big_o", test, "which has no order")
    chosen = _case(test, case)
    given = path(1 / EPSILON)
    if not isinstance(given, Mapping):
        raise ValueError(
            f"big_o: the path gives {given!r}; expected the numbers by name, as «{chosen.name}» draws them"
        )
    numbers = dict(given)
    drawn = {c.name for c in chosen.space.coordinates}
    if set(numbers) != drawn:
        raise ValueError(f"big_o: the path gives {sorted(numbers)}; expected {sorted(drawn)}, as «{chosen.name}» draws")
    with deciding() as reach:
        for drawn_by in chosen.space.coordinates:
            if not _drawn(drawn_by, numbers[drawn_by.name]):
                raise ValueError(f"big_o: {drawn_by.name} on the path is no number that {drawn_by!r} draws for large n")
        met, left, right = sides_in_epsilon(chosen, test.bound, numbers)
        failing = [words for words, holds in met.items() if not holds]
        if failing:
            raise ValueError(f"big_o: not met on the path for large n: {', '.join(failing)}")
        if right.sign <= 0:
            raise ValueError("big_o: the right side is not positive on the path for large n; expected one that is")
        _ = left.sign
    ratio: Germ = left / right
    coefficient, order = ratio.leading
    beyond = 1 / reach.until
    far = [int(beyond) + 1, *(10**k for k in range(1, 10) if 10**k > beyond + 1)][:4]
    grows = coefficient > 0 and order < 0
    return BigO(
        "refuted" if grows else "inconclusive", -order, coefficient, beyond, {n: ratio.at(Fraction(1, n)) for n in far}
    )


def _drawn(c: Coordinate, value: Any) -> bool:
    """Whether numbers on a path are, for all large n, such as a coordinate has: of its shape, above 0 for a scale,
    between the ends of a range, on the simplex, whole for a count, n being whole. Numerical ends of scales and the
    largest count do not bind.
    """
    shape = (*getattr(c, "shape", ()), *((c.size,) if isinstance(c, Simplex) else ()))
    entries = _entries(value, shape)
    if entries is None:
        return False
    signs = [Germ.of(e).sign for e in entries]
    if isinstance(c, Simplex):
        rows = [entries[i : i + c.size] for i in range(0, len(entries), c.size)]
        return min(signs) >= 0 and all(Germ.of(sum(row[1:], row[0]) - 1).sign == 0 for row in rows)
    if isinstance(c, LogScale):
        return min(signs) > 0
    if isinstance(c, Uniform):
        ends = _as_written(c.low), _as_written(c.high)
        return all(Germ.of(e - ends[0]).sign >= 0 and Germ.of(ends[1] - e).sign >= 0 for e in entries)
    if isinstance(c, Integer):
        return all(_whole(Germ.of(e)) and Germ.of(e - min(c.low, 1)).sign >= 0 for e in entries)
    values = [_as_written(v) for v in c.values] if isinstance(c, Choice) else []
    return not isinstance(c, Choice) or all(any(Germ.of(e - v).sign == 0 for v in values) for e in entries)


def _whole(value: Germ) -> bool:
    """Whether a function of n is whole at every whole n: a polynomial of degree d is, where it is at d + 1 of them."""
    order = value.bottom.degree()  # of a polynomial in n = 1/ε the bottom is a power of ε alone
    if any(value.bottom.coeffs()[:order]) or value.top.degree() > order:
        return False
    return all(value.at(Fraction(1, n)).denominator == 1 for n in range(1, order + 2))


def _entries(value: Any, shape: Sequence[int]) -> list[Any] | None:
    """The numbers of nested lists of a shape, as fractions or germs; None for another shape."""
    if not shape:
        return None if isinstance(value, list | tuple) else [value if isinstance(value, Germ) else Fraction(value)]
    if not isinstance(value, list | tuple) or len(value) != shape[0]:
        return None
    parts = [_entries(one, shape[1:]) for one in value]
    return None if any(part is None for part in parts) else [e for part in parts for e in part or ()]


def _case(test: Inequality, name: str) -> Case:
    cases = [item for item in test.cases if isinstance(item, Case)]
    if not name and len(test.cases) == 1 and cases:
        return cases[0]
    found = case_named(test, name) if name else None
    if found is None:
        names = "; ".join(item.name for item in test.cases)
        raise ValueError(f"big_o(case={name!r}): expected one of: {names}; of a family with its numbers filled in")
    return found

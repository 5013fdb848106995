"""How plain the numbers of an instance are, and plainer ones: a reader trusts no degenerate counterexample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import Any

from validation.search.shrink import at_path, inside, paths, replaced
from validation.statement.instances.draw import Choice, Coordinate, Integer, Signed, Simplex, Space

__all__ = ["LARGEST", "SMALLEST", "oddity", "plainer"]

Instance = Mapping[str, Any]
SMALLEST, LARGEST = Fraction(1, 1000), Fraction(1000)
"""Between these sizes a number is plain; counts may be any."""

_INSTEAD = [Fraction(1), *(Fraction(1, 10**e) for e in (1, 2, 3)), *(Fraction(10) ** e for e in (1, 2, 3))]


def oddity(space: Space, instance: Instance) -> int:
    """How many numbers of an instance are not plain; 0 of one that has none.

    Such are sizes below 1/1000 or above 1000, of counts none, and shares of data that are 0. An instance whose every
    position is 0 has one, as all its clients are alike. The instance is in Fractions, as `rationalise` gives it.
    """
    return sum(len(_odd(c, instance[c.name])) for c in space.coordinates) + _nowhere(space, instance)


def plainer(
    space: Space, instance: Instance, violates: Callable[[Instance], bool], *, attempts: int = 60
) -> dict[str, Any]:
    """The instance with numbers that are not plain replaced by plain ones while `violates` holds; `attempts` tries.

    All odd numbers of a coordinate at once, then one by one, the simplest first.
    """
    current, left = dict(instance), attempts
    while oddity(space, current) and left > 0:
        for trial in _trials(space, current):
            if oddity(space, trial) >= oddity(space, current):
                continue
            if left <= 0:
                return current
            left -= 1
            if violates(trial):
                current = trial
                break
        else:
            return current
    return current


def _odd(coordinate: Coordinate, value: Any) -> list[tuple[int, ...]]:
    """Where the numbers stand that are not plain."""
    if isinstance(coordinate, Integer | Choice):  # counted
        return []
    zero = isinstance(coordinate, Simplex) and coordinate.name.startswith("share")
    found = []
    for path in paths(value):
        size = abs(Fraction(at_path(value, path)))
        if (size == 0 and zero) or (size != 0 and not SMALLEST <= size <= LARGEST):
            found.append(path)
    return found


def _positions(space: Space) -> list[Coordinate]:
    return [c for c in space.coordinates if isinstance(c, Signed)]


def _nowhere(space: Space, instance: Instance) -> bool:
    """Whether all positions are 0, and there are some of several clients."""
    several = [c for c in _positions(space) if isinstance(instance[c.name], list) and len(instance[c.name]) > 1]
    return bool(several) and all(
        Fraction(at_path(instance[c.name], path)) == 0 for c in _positions(space) for path in paths(instance[c.name])
    )


def _trials(space: Space, instance: Instance) -> Iterator[dict[str, Any]]:
    for c in space.coordinates:
        value = instance[c.name]
        odd = _odd(c, value)
        if not odd:
            continue
        if isinstance(c, Simplex):
            for least in (Fraction(1, 10), Fraction(1, 100), SMALLEST):
                yield {**instance, c.name: _lifted(value, least)}
            continue
        for chosen in (odd, *([path] for path in odd)) if len(odd) > 1 else (odd,):
            for new in _INSTEAD:
                yield {**instance, c.name: _set(c, value, chosen, new)}
    if _nowhere(space, instance):
        for c in _positions(space):
            if isinstance(instance[c.name], list):
                yield {**instance, c.name: _apart(c, instance[c.name])}


def _set(coordinate: Coordinate, value: Any, where: Sequence[tuple[int, ...]], new: Fraction) -> Any:
    """The value with the numbers at those places of that size, where it is in the coordinate's range."""
    for path in where:
        number = new if at_path(value, path) >= 0 else -new
        if inside(coordinate, number):
            value = replaced(value, path, number)
    return value


def _lifted(value: Any, least: Fraction) -> Any:
    """Rows of shares with no entry below `least`; the largest entry pays."""
    if value and isinstance(value[0], list):
        return [_lifted(row, least) for row in value]
    row = [max(Fraction(x), least) for x in value]
    largest = max(range(len(row)), key=lambda i: value[i])
    row[largest] = 1 - sum((x for i, x in enumerate(row) if i != largest), Fraction(0))
    return row if row[largest] >= least else value


def _apart(coordinate: Coordinate, value: Any) -> Any:
    """Numbers 1, −1, 2, −2, … in place of zeros."""
    numbers = (Fraction(n if sign else -n) for n in count(1) for sign in (True, False))
    for path in list(paths(value)):
        number = next(numbers)
        if inside(coordinate, number):
            value = replaced(value, path, number)
    return value

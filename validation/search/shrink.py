"""From a violating instance to one a person can read: every number made as simple as the violation allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from validation.statement.instances.draw import Choice, Coordinate, Integer, Signed, Simplex, Space

__all__ = ["at_path", "inside", "paths", "replaced", "shrink", "weight_of"]

__judges__ = "search"

Instance = Mapping[str, Any]
Path = tuple[int, ...]


def weight_of(value: Any) -> int:
    """How long a value is to write down: digits of numerators and denominators, 0 and ±1 lightest."""
    if isinstance(value, Mapping):
        return sum(weight_of(v) for v in value.values())
    if isinstance(value, list):
        return sum(weight_of(v) for v in value)
    number = Fraction(value)
    if number == 0:
        return 0
    extra = 0 if number.denominator == 1 else 1 + number.denominator.bit_length()
    return 1 + abs(number.numerator).bit_length() + extra


def shrink(
    space: Space, instance: Instance, violates: Callable[[Instance], bool], *, attempts: int = 300
) -> dict[str, Any]:
    """The instance with each number replaced by a simpler one while `violates` holds, at most `attempts` tries.

    As Hypothesis does for integers: number by number, the simplest candidate first, again and again until nothing
    changes. Numbers stay in their coordinate's range; rows of a simplex stay on it.
    """
    current = dict(instance)
    left = attempts
    changed = True
    while changed and left > 0:
        changed = False
        for coordinate in space.coordinates:
            for path in paths(current[coordinate.name]):
                for candidate in _simpler(coordinate, current[coordinate.name], path):
                    if left <= 0:
                        return current
                    left -= 1
                    trial = {**current, coordinate.name: candidate}
                    if violates(trial):
                        current, changed = trial, True
                        break
    return current


def paths(value: Any) -> Iterator[Path]:
    """Indices of every number in nested lists, () for a bare number."""
    if isinstance(value, list):
        for i, entry in enumerate(value):
            yield from ((i, *rest) for rest in paths(entry))
    else:
        yield ()


def at_path(value: Any, path: Path) -> Any:
    """The entry of nested lists at a path."""
    for i in path:
        value = value[i]
    return value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """Nested lists with another entry at a path."""
    if not path:
        return new
    return [replaced(v, path[1:], new) if i == path[0] else v for i, v in enumerate(value)]


def _simpler(coordinate: Coordinate, value: Any, path: Path) -> Iterator[Any]:
    """Lighter replacements of one number (or of its simplex row), simplest first."""
    if isinstance(coordinate, Choice):
        return
    if isinstance(coordinate, Simplex):
        if path[-1] != 0:
            return
        row = at_path(value, path[:-1])
        for simpler in _simpler_rows(row, coordinate.interior):
            if weight_of(simpler) < weight_of(row):
                yield replaced(value, path[:-1], simpler)
        return
    old = Fraction(at_path(value, path))
    sign = -1 if old < 0 else 1
    candidates = [Fraction(0), Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 2)]
    candidates += [sign * Fraction(10) ** e for e in (1, 2, 3, -1, -2, -3)]
    candidates += [old.limit_denominator(q) for q in (1, 2, 4, 10, 100)]
    if isinstance(coordinate, Integer):
        candidates = [Fraction(n) for n in (0, 1, 2, 3, int(old) // 2, int(old) - 1)]
    for new in sorted(set(candidates), key=lambda c: (weight_of(c), c)):
        if inside(coordinate, new) and weight_of(new) < weight_of(old):
            yield replaced(value, path, new)


def inside(coordinate: Coordinate, value: Fraction) -> bool:
    """Whether a number is in the range of a coordinate; of one that has none, no number is."""
    low: float | None = getattr(coordinate, "low", None)
    high: float | None = getattr(coordinate, "high", None)
    if low is None or high is None:
        return False
    if isinstance(coordinate, Signed):
        return value == 0 or low <= abs(value) <= high
    return low <= value <= high


def _simpler_rows(row: list[Any], interior: bool) -> Iterator[list[Fraction]]:
    n = len(row)
    largest = max(range(n), key=lambda i: row[i])
    if not interior:
        yield [Fraction(int(i == largest)) for i in range(n)]
    yield [Fraction(1, n)] * n
    for q in (2, 3, 4, 5, 10):
        new = [Fraction(x).limit_denominator(q) for x in row]
        new[largest] = 1 - sum((x for i, x in enumerate(new) if i != largest), Fraction(0))
        if min(new) > 0 or (not interior and min(new) >= 0):
            yield new

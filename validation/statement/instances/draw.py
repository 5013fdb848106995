"""How an instance is drawn: named coordinates over the unit cube, so that every search stage speaks one language.

A `Space` maps points of a cube to instances (dictionaries of arrays, instances on the first axis). Random draws, the
corner battery, hill climbing and the rounding of a witness to small rationals all act on the same coordinates.
The Hypothesis strategies for people's own test suites are here too: `draw.federations()`, `draw.clients()`, ….
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from theory.base.arrays import namespace
from validation.statement.instances.information import Instant
from validation.statement.instances.rounded import nearest_fraction
from validation.statement.instances.strategies import clients, federations, instances, points, simplex_weights

__all__ = [
    "Block",
    "Choice",
    "Coordinate",
    "Information",
    "Instance",
    "Integer",
    "LogScale",
    "Signed",
    "Simplex",
    "Space",
    "Uniform",
    "clients",
    "federations",
    "instances",
    "points",
    "simplex_weights",
]

Float = NDArray[np.float64]
Instance = Mapping[str, Float]


class Coordinate(Protocol):
    """One named coordinate of an instance: `n_cube` numbers in [0, 1] become an array of its `shape`."""

    @property
    def name(self) -> str: ...
    @property
    def n_cube(self) -> int: ...
    def decode(self, cube: Float) -> Float: ...
    def special(self) -> tuple[float, ...]: ...
    def rationalise(self, value: Float, limit: int) -> Any: ...


def _nested(value: Float, limit: int) -> Any:
    """Nested lists of Fractions with denominators up to `limit`; a positive number never rounds to 0."""
    if value.ndim:
        return [_nested(entry, limit) for entry in value]
    exact = nearest_fraction(float(value), limit)
    if exact == 0 and value != 0:
        size = abs(Fraction(float(value)))
        exact = Fraction(1, round(1 / size)) * (1 if value > 0 else -1)
    return exact


def _between(found: Any, low: float, high: float) -> Any:
    """Nested fractions moved to the ends of [low, high], as these are written: a rounding is an instance of it, too."""
    return _into(found, _as_written(low), _as_written(high))


def _into(found: Any, low: Fraction, high: Fraction) -> Any:
    """Nested fractions moved to the ends of [low, high]."""
    if isinstance(found, list):
        return [_into(entry, low, high) for entry in found]
    above, below = found.numerator, found.denominator  # whole numbers: to compare fractions takes several times as long
    if above * low.denominator < low.numerator * below:
        return low
    return high if above * high.denominator > high.numerator * below else found


def _sized(found: Any, low: float, high: float) -> Any:
    """Nested fractions whose sizes are moved to the ends of [low, high]; 0, which is drawn besides, stays 0."""
    return _signed(found, _as_written(low), _as_written(high))


def _signed(found: Any, low: Fraction, high: Fraction) -> Any:
    """`_sized`, with the ends as they are written."""
    if isinstance(found, list):
        return [_signed(entry, low, high) for entry in found]
    if not found.numerator:
        return found
    return -_into(-found, low, high) if found.numerator < 0 else _into(found, low, high)


@lru_cache(maxsize=4096)
def _as_written(value: float) -> Fraction:
    """The decimal that a float was written as: 1/10 for 0.1, which the float itself is a little above."""
    return Fraction(repr(float(value)))


def _log_uniform(low: float, high: float, part: Float) -> Float:
    """low (high/low)^part, also where high/low is beyond floats."""
    ratio = high / low
    if ratio < float("inf"):
        return low * ratio**part
    found: Float = low ** (1.0 - part) * high**part
    return found


def _place(value: float, low: float, high: float) -> float:
    """The part at which `_log_uniform` gives `value`, also where high/low is beyond floats."""
    if high / low < float("inf"):
        return float(np.log(value / low) / np.log(high / low))
    return float((np.log(value) - np.log(low)) / (np.log(high) - np.log(low)))


def _clipped(x: Float, low: float, high: float) -> Float:
    """x within [low, high]; of NumPy's arrays by what takes a fraction of the time that its `clip` does."""
    if isinstance(x, np.ndarray):
        return np.minimum(np.maximum(x, low), high)
    return cast("Float", namespace(x).clip(x, low, high))


_LARGEST = float(np.finfo(np.float64).max)


def _finite(drawn: Any) -> None:
    if not -_LARGEST <= drawn.low <= drawn.high <= _LARGEST:
        what = f"{type(drawn).__name__}({drawn.name!r})"
        raise ValueError(f"{what}: low={drawn.low}, high={drawn.high}; expected finite ends")


@dataclass(frozen=True)
class Uniform:
    """Entries uniform on [low, high]; `at` lists the special values the corner battery visits."""

    name: str
    low: float
    high: float
    shape: tuple[int, ...] = ()
    at: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"{type(self).__name__}({self.name!r}): low={self.low} must be below high={self.high}")
        _finite(self)

    @property
    def n_cube(self) -> int:
        """Cube numbers used."""
        return prod(self.shape)

    def decode(self, cube: Float) -> Float:
        """(n, n_cube) in [0, 1] -> (n, *shape)."""
        return (self.low + (self.high - self.low) * cube).reshape(-1, *self.shape)

    def special(self) -> tuple[float, ...]:
        """Cube values of the special values."""
        return tuple((a - self.low) / (self.high - self.low) for a in (self.at or (self.low, self.high)))

    def rationalise(self, value: Float, limit: int) -> Any:
        """Nested Fractions near `value` within [low, high], denominators up to `limit`, or an end of it."""
        return _between(_nested(value, limit), self.low, self.high)


@dataclass(frozen=True)
class LogScale(Uniform):
    """Entries log-uniform on [low, high], low > 0: scales, curvatures, distances."""

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high:
            raise ValueError(f"LogScale({self.name!r}): needs 0 < low < high, got low={self.low}, high={self.high}")
        _finite(self)

    def decode(self, cube: Float) -> Float:
        """(n, n_cube) in [0, 1] -> (n, *shape)."""
        found: Float = _log_uniform(self.low, self.high, cube).reshape(-1, *self.shape)
        return found

    def special(self) -> tuple[float, ...]:
        """Cube values of the special values."""
        return tuple(_place(a, self.low, self.high) for a in (self.at or (self.low, self.high)))


@dataclass(frozen=True)
class Signed:
    """Entries ±(log-uniform on [low, high]) or exactly 0: positions, offsets; half the cube is negative, 4% is 0."""

    name: str
    low: float
    high: float
    shape: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high:
            what = "the sizes of both signs, 0 is drawn besides"
            raise ValueError(f"Signed({self.name!r}): low={self.low}, high={self.high}: needs 0 < low < high, {what}")
        _finite(self)

    @property
    def n_cube(self) -> int:
        """Cube numbers used."""
        return prod(self.shape)

    def decode(self, cube: Float) -> Float:
        """(n, n_cube) in [0, 1] -> (n, *shape)."""
        xp = namespace(cube)
        signed = 2.0 * cube - 1.0
        far = xp.abs(signed)
        size = _log_uniform(self.low, self.high, _clipped(far - 0.04, 0.0, 1.0) / 0.96)
        found = xp.where(far < 0.04, 0.0 * size, xp.sign(signed) * size)
        return cast("Float", found.reshape(-1, *self.shape))

    def special(self) -> tuple[float, ...]:
        """Cube values of 0, ±1 where in range, and the ends."""
        one = 0.04 + 0.96 * _place(min(max(1.0, self.low), self.high), self.low, self.high)
        return (0.5, 0.5 + one / 2, 0.5 - one / 2, 1.0, 0.0)

    def rationalise(self, value: Float, limit: int) -> Any:
        """Nested Fractions near `value`, denominators up to `limit`: 0, or of a size in [low, high]."""
        return _sized(_nested(value, limit), self.low, self.high)


@dataclass(frozen=True)
class Simplex:
    """Rows of `shape` on the simplex of `size` entries: interior, near faces, and exactly on faces and vertices.

    One cube number a row sets how peaked it is; entries below 1e-3 of the largest become exactly 0, or if `interior`
    those below 1e-6 of it that much: no smaller positive weight is drawn.
    """

    name: str
    size: int
    shape: tuple[int, ...] = ()
    interior: bool = False

    @property
    def n_cube(self) -> int:
        """Cube numbers used."""
        return prod(self.shape) * (self.size + 1)

    def decode(self, cube: Float) -> Float:
        """(n, n_cube) in [0, 1] -> (n, *shape, size)."""
        xp = namespace(cube)
        rows = cube.reshape(len(cube), -1, self.size + 1)
        exponent = xp.exp(4.0 * rows[..., :1] - 2.0) - math.exp(-2.0)
        raw = (rows[..., 1:] + 1e-9) ** exponent
        raw = raw / xp.max(raw, axis=-1, keepdims=True)
        raw = _clipped(raw, 1e-6, 1.0) if self.interior else xp.where(raw < 1e-3, 0.0 * raw, raw)
        rows = raw / xp.sum(raw, axis=-1, keepdims=True)
        return cast("Float", rows.reshape(len(cube), *self.shape, self.size))

    def special(self) -> tuple[float, ...]:
        """0 and 1: equal weights (flat) and vertices (peaked)."""
        return (0.0, 1.0)

    def rationalise(self, value: Float, limit: int) -> Any:
        """Fractions that sum to exactly 1: the largest entry takes up the rounding, finer where it cannot."""
        if value.ndim > 1:
            return [self.rationalise(row, limit) for row in value]
        row = [nearest_fraction(float(x), max(limit, self.size)) if x > 0 else Fraction(0) for x in value]
        if self.interior:
            row = [x if x > 0 else _nested(np.asarray(value[i]), limit) for i, x in enumerate(row)]
        largest = int(np.argmax(value))
        row[largest] = Fraction(1) - sum((x for i, x in enumerate(row) if i != largest), Fraction(0))
        if row[largest] < 0 or (self.interior and row[largest] == 0):
            return self.rationalise(value, 2 * max(limit, self.size))
        return row


@dataclass(frozen=True)
class Integer:
    """A whole number in [low, high], log-uniform: counts such as E, N or t."""

    name: str
    low: int
    high: int
    at: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high:
            raise ValueError(f"Integer({self.name!r}): needs 0 <= low <= high, got low={self.low}, high={self.high}")
        _finite(self)

    @property
    def n_cube(self) -> int:
        """Cube numbers used."""
        return 1

    def decode(self, cube: Float) -> Float:
        """(n, 1) in [0, 1] -> (n,), whole numbers as float64."""
        scaled = (self.low + 1) * ((self.high + 1) / (self.low + 1)) ** cube[:, 0] - 1
        return np.asarray(np.round(scaled), dtype=np.float64)

    def special(self) -> tuple[float, ...]:
        """Cube values of the ends and of `at`."""
        if self.low == self.high:
            return (0.0,)
        span = np.log((self.high + 1) / (self.low + 1))
        return tuple(float(np.log((a + 1) / (self.low + 1)) / span) for a in (self.low, *self.at, self.high))

    def rationalise(self, value: Float, limit: int) -> Any:
        """The same whole number."""
        return Fraction(round(float(value)))


@dataclass(frozen=True)
class Choice:
    """One of a few given numbers."""

    name: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"{type(self).__name__}({self.name!r}, ()): expected at least one value")

    @property
    def n_cube(self) -> int:
        """Cube numbers used."""
        return 1

    def decode(self, cube: Float) -> Float:
        """(n, 1) in [0, 1] -> (n,)."""
        index = np.minimum((cube[:, 0] * len(self.values)).astype(int), len(self.values) - 1)
        chosen: Float = np.asarray(self.values, dtype=np.float64)[index]
        return chosen

    def special(self) -> tuple[float, ...]:
        """The middle of each value's interval."""
        return tuple((i + 0.5) / len(self.values) for i in range(len(self.values)))

    def rationalise(self, value: Float, limit: int) -> Any:
        """The value itself, as it is written."""
        return _as_written(float(value))


@dataclass(frozen=True)
class Information(Choice):
    """What a free object (weights, participation, noise, a schedule) has seen when it is chosen: an `Instant`.

    Where a statement does not say, all four are drawn; a `Switch` of `at_most` keeps the later ones out.
    """

    values: tuple[float, ...] = Instant.upto(Instant.AFTER_STEP)

    def at_most(self, level: float) -> Callable[[Instance], Instance]:
        """The projection of a switch: instances whose object depends on no more than `level`."""
        return lambda x: {**x, self.name: np.minimum(x[self.name], level)}


@dataclass(frozen=True)
class Block:
    """A coordinate and where its `size` numbers are in a point of the cube: from `start` on."""

    coordinate: Coordinate
    start: int
    size: int

    @property
    def own(self) -> slice:
        """The places of its numbers."""
        return slice(self.start, self.start + self.size)

    @cached_property
    def levels(self) -> Float:
        """Its special values in the cube, (levels,)."""
        return np.asarray(self.coordinate.special(), dtype=np.float64)

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """The lengths of the axes of its numbers, those of length 1 left out."""
        shape = getattr(self.coordinate, "shape", ())
        if isinstance(self.coordinate, Simplex):
            shape = (*shape, self.coordinate.size + 1)
        shape = tuple(n for n in shape if n > 1)
        return shape if prod(shape) == self.size else (self.size,)


@dataclass(frozen=True)
class Space:
    """The coordinates of one family of instances, all of one array shape."""

    coordinates: tuple[Coordinate, ...]

    def __post_init__(self) -> None:
        given: object = self.coordinates
        if not isinstance(given, tuple | list):
            kind = type(given).__name__
            raise TypeError(f"Space({kind}): expected a tuple of coordinates; one alone is ({kind}(…),) with a comma")
        for c in given:
            if not hasattr(c, "decode"):
                raise TypeError(f"Space: {c!r} is a {type(c).__name__}; expected coordinates such as LogScale(…)")
            if not isinstance(getattr(c, "shape", ()), tuple | list):
                raise TypeError(f"{type(c).__name__}({c.name!r}): shape={c.shape!r}; expected a tuple, ({c.shape!r},)")
        names = [c.name for c in self.coordinates]
        if len(set(names)) != len(names):
            raise ValueError(f"Space: coordinate names repeat: {names}")

    @cached_property
    def n_cube(self) -> int:
        """Dimension of the cube."""
        return sum(c.n_cube for c in self.coordinates)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The coordinates, each with the places of its numbers."""
        sizes = [c.n_cube for c in self.coordinates]
        return tuple(Block(c, sum(sizes[:i]), sizes[i]) for i, c in enumerate(self.coordinates))

    def decode(self, cube: Float) -> dict[str, Float]:
        """Points of the cube (n, n_cube) -> instances, n of them on the first axis."""
        return {b.coordinate.name: b.coordinate.decode(cube[:, b.start : b.start + b.size]) for b in self.blocks}

    def random(self, rng: np.random.Generator, n: int) -> Float:
        """`n` uniform points of the cube."""
        return rng.random((n, self.n_cube))

    def corners(self, rng: np.random.Generator, n: int) -> Float:
        """`n` points of the corner battery: special values only, alike within a coordinate, mixed, or part random."""
        out = np.empty((n, self.n_cube))
        alike, mixed, part = (len(range(way, n, 3)) for way in range(3))
        for b in self.blocks:
            block, size = out[:, b.own], b.size
            chosen = b.levels[rng.integers(0, len(b.levels), alike + (mixed + part) * size)]
            block[0::3] = chosen[:alike, None]
            block[1::3] = chosen[alike : alike + mixed * size].reshape(mixed, size)
            special = chosen[alike + mixed * size :].reshape(part, size)
            anywhere = rng.random((part, size + 1))
            block[2::3] = np.where(anywhere[:, :1] < 0.5, special, anywhere[:, 1:])
        return np.minimum(np.maximum(out, 0.0), 1.0)

    def rationalise(self, instance: Mapping[str, Float], limit: int) -> dict[str, Any]:
        """One instance (no first axis) with every number a Fraction of denominator up to about `limit`."""
        return {c.name: c.rationalise(np.asarray(instance[c.name]), limit) for c in self.coordinates}

    def keeps(self, instance: Mapping[str, Any]) -> bool:
        """Whether an instance in exact numbers is one of the space; every one here, of one with extras those alone."""
        return True


def take(instances: Instance, index: int) -> dict[str, Float]:
    """One instance out of many."""
    return {name: np.asarray(value[index]) for name, value in instances.items()}


def stack(instances: Sequence[Mapping[str, Any]]) -> dict[str, Float]:
    """Many instances out of single ones (nested lists of Fractions or floats)."""

    def floats(value: Any) -> Any:
        return [floats(v) for v in value] if isinstance(value, list) else float(value)

    return {name: np.asarray([floats(one[name]) for one in instances], dtype=np.float64) for name in instances[0]}

"""The attack on a statement about runs: which sizes are tried together, which corners, how each case is drawn.

Sizes are named together: one that grows alone with the others at their usual value never meets a long run of one local
step, or one long round. Every case of a family is evaluated at least `LEAST` times, however dear it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from validation.statement.claim import Case, Family, Size
from validation.world.federated.described import Described
from validation.world.federated.drawn import at_a_corner, drawn, stopped

__all__ = ["LEAST", "Attempts", "families"]

LEAST = 24  # corners, and random draws, of every case of a family
_LARGE = 10**9  # stands for the largest that a description allows
_SIZES = (
    *((1, 1, 1), (2, 1, 1), (3, 1, 2), (3, 1, 3), (2, 1, 8), (2, 1, 40), (2, 2, 2), (3, 5, 2), (2, 20, 1), (2, 10, 6)),
    *((_LARGE, 2, 2), (2, _LARGE, 1), (2, 1, _LARGE), (20, 5, 2), (5, 1, 1), (3, 3, _LARGE)),
    *((8, 1, 60), (20, 1, 20), (5, 4, 20), (_LARGE, 1, 20)),  # many clients for long: averaged noise, and its floor
)
_STOPPED = (
    *((N, E, E * R) for N, E, R in _SIZES),
    *((2, 2, 1), (2, 3, 4), (3, 5, 8), (2, 20, 4), (2, _LARGE, 7), (_LARGE, 3, 2), (2, 8, _LARGE)),
)  # of N, E and the number of steps


@dataclass(frozen=True)
class Attempts(Family):
    """A family whose sizes are tried together as they are named, every case at least `least` times."""

    tried: tuple[tuple[int, ...], ...] = ()
    least: int = LEAST

    def choices(self) -> tuple[dict[str, float], ...]:
        """The named sizes, in their ranges."""
        out: list[dict[str, float]] = [self.usual()]
        for values in self.tried:
            pairs = zip(self.sizes, values, strict=True)
            out.append({size.name: float(min(max(value, size.low), size.high)) for size, value in pairs})
        return tuple({tuple(sorted(c.items())): c for c in out}.values())


@dataclass(frozen=True)
class _Whole:
    """A case at whole numbers."""

    at: Callable[..., Case]

    def __call__(self, **sizes: float) -> Case:
        return self.at(**{name: int(value) for name, value in sizes.items()})


def _size(name: str, within: tuple[int, int], usual: int, *, ladder: bool = False) -> Size:
    low, high = within[0], max(within)
    return Size(name, low, high, min(max(usual, low), high), ladder=ladder)


def families(of: Described) -> tuple[Case | Family, ...]:
    """The family of all runs, some with several axes, and those of the named corners that the options have."""
    sizes = (_size("N", of.N, 2), _size("E", of.E, 2), _size("R", of.R, 2))
    runs = Attempts("runs", sizes, _Whole(partial(drawn, of, d=1)), _SIZES)
    if of.T is not None:
        sizes = (_size("N", of.N, 2), _size("E", of.E, 3), _size("T", of.T, 5))
        runs = Attempts("runs", sizes, _Whole(partial(stopped, of)), _STOPPED)
    return (runs, *_with_axes(of), *_corners(of))


def _with_axes(of: Described) -> Iterator[Case]:
    """A few small runs with several axes, and one with the most."""
    if of.d[1] > 1:
        for N, E, R, d in ((2, 1, 3, 2), (3, 2, 2, 2), (2, 4, 3, 3), (2, 2, 2, of.d[1])):
            N, E, R = (min(max(n, low), high) for n, (low, high) in zip((N, E, R), (of.N, of.E, of.R), strict=True))
            yield drawn(of, N, E, R, min(max(d, of.d[0]), of.d[1]))


def _corners(of: Described) -> Iterator[Family]:
    """Each is a family of one size, the others fixed where that corner bites."""
    two, E = of.N[0] <= 2 <= of.N[1], of.E[0]

    def family(where: str, size: Size, values: tuple[int, ...], **fixed: int) -> Family:
        at = _Whole(partial(at_a_corner, of, where, **fixed))
        words = ", ".join(f"{name} = {value}" for name, value in fixed.items())
        return Attempts(f"{where}, {words}", (size,), at, tuple((value,) for value in values))

    long = _size("R", (of.R[0], max(of.far, of.R[0])), 4, ladder=True)
    if "alone" in of.corners and of.has_rows and two and not of.same:
        yield family("alone", long, (1, 4, 40, 200, _LARGE), N=2, E=E)
        yield family("alone", long, (2, 13), N=2, E=min(3, of.E[1]))
    if "alike" in of.corners and of.noise != "none":
        yield family("alike", long, (1, 4, 40, 200), N=max(1, of.N[0]), E=E)
        many = 20 if of.weights == "seen" else 10  # the more clients, the likelier is noise that favours one
        yield family("alike", long, (4, 40, 200), N=min(max(of.N[0], many), of.N[1]), E=E)
        yield family("alike", _size("N", (of.N[0], min(20, of.N[1])), 5), (2, 20), E=E, R=of.R[0])
        yield family(
            "alike", _size("E", (of.E[0], min(20, of.E[1])), 2), (20,), N=max(of.N[0], min(2, of.N[1])), R=of.R[0]
        )
    if "hardly counted" in of.corners and two and not of.equal and not of.same:
        yield family("hardly counted", long, (1, 4, 40, 200, _LARGE), N=2, E=E)
        yield family("hardly counted", long, (2,), N=2, E=min(5, of.E[1]))
    if "drifting" in of.corners and two and of.E[1] > 1 and not of.same:
        length = _size("E", (max(2, E), of.E[1]), 20)
        yield family("drifting", length, (2, 5, 100, _LARGE), N=2, R=of.R[0])
        yield family("drifting", long, (3, 20), N=2, E=min(20, of.E[1]))

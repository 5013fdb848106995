"""Which mechanisms of a setting a statement was attacked with: noise, absent clients, several local steps, and such.

A statement may hold because what would break it was never on. A paper names its mechanisms once, by the coordinates
that switch them on; of each is then counted how many draws had it on, how near the bound the nearest of them came, and
whether a mutant was killed with it on. Where one of these is missing, `holds` is worded without the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.statement.claim import Case, Claim, ExactCheck, Family, Inequality, Mechanism
from validation.statement.instances.draw import Instance, stack

__all__ = [
    "above",
    "active",
    "always",
    "below",
    "changing",
    "declared",
    "exercised",
    "lacking",
    "names",
    "nonzero",
    "only",
    "watched",
]

Row = dict[str, Any]
Flags = NDArray[np.bool_]


def nonzero(*coordinates: str) -> Callable[[Instance], Flags]:
    """On where each of the coordinates has an entry that is not 0."""

    def on(x: Instance) -> Flags:
        flags = [_any(x[name] != 0) for name in coordinates]
        return flags[0] if len(flags) == 1 else np.asarray(np.logical_and.reduce(flags), dtype=np.bool_)

    return on


def above(coordinate: str, value: float) -> Callable[[Instance], Flags]:
    """On where an entry of the coordinate is larger than `value`."""
    return lambda x: _any(x[coordinate] > value)


def below(coordinate: str, value: float) -> Callable[[Instance], Flags]:
    """On where an entry of the coordinate is smaller than `value`."""
    return lambda x: _any(x[coordinate] < value)


def always(x: Instance) -> Flags:
    """On in every instance: what a case's sizes or choices switch on."""
    return np.ones(len(next(iter(x.values()))), dtype=np.bool_)


def changing(coordinate: str) -> Callable[[Instance], Flags]:
    """On where the rows of the coordinate (rounds, say) are not all alike; never where it has one row."""

    def on(x: Instance) -> Flags:
        rows = x[coordinate]
        return _any(rows != rows[:, :1]) if rows.ndim == 3 else np.zeros(len(rows), dtype=np.bool_)

    return on


def _any(flags: NDArray[Any]) -> Flags:
    """Whether any entry of each instance is true."""
    each = np.asarray(flags, dtype=np.bool_)
    return each if each.ndim == 1 else np.asarray(each.reshape(len(each), -1).any(axis=1), dtype=np.bool_)


def declared(claims: Sequence[Claim], mechanisms: Sequence[Mechanism]) -> tuple[Claim, ...]:
    """The claims of a paper, each with the paper's mechanisms, unless it names its own."""
    return tuple(c if c.mechanisms else replace(c, mechanisms=tuple(mechanisms)) for c in claims)


def watched(test: Inequality, mechanisms: Sequence[Mechanism]) -> Inequality:
    """The same statement, each of whose cases knows the mechanisms that its coordinates can switch on, and its own."""

    def watching(case: Case) -> Case:
        drawn = {c.name for c in case.space.coordinates}
        found: dict[str, Mechanism] = {m.name: m for m in case.mechanisms}
        for m in mechanisms:
            if drawn >= set(m.needs):
                found.setdefault(m.name, m)
        return replace(case, mechanisms=tuple(found.values())) if found else case

    return _each(test, watching) if mechanisms else test


def only(test: Inequality, name: str) -> Inequality | None:
    """The statement on instances with a mechanism on, in exact numbers too; None where no case can switch it on."""
    usual = [item.at(**item.usual()) if isinstance(item, Family) else item for item in test.cases]
    kept = [item for item, case in zip(test.cases, usual, strict=True) if any(m.name == name for m in case.mechanisms)]

    def having(case: Case) -> Case:
        mechanism = next((m for m in case.mechanisms if m.name == name), None)
        if mechanism is None:
            return case
        exact = case.exact
        if exact is not None:
            exact = ExactCheck(_Having(exact, mechanism), exact.uses, standalone=False, measured=exact.measured)
        return replace(case, measure=_Measured(case.measure, mechanism), exact=exact)

    return _each(replace(test, cases=tuple(kept)), having) if kept else None


def _each(test: Inequality, change: Callable[[Case], Case]) -> Inequality:
    def item(entry: Case | Family) -> Case | Family:
        if isinstance(entry, Case):
            return change(entry)
        return replace(entry, at=lambda **sizes: change(entry.at(**sizes)))

    return replace(test, cases=tuple(item(c) for c in test.cases))


@dataclass(frozen=True)
class _Measured:
    """A measure that only draws with a mechanism on are admissible to."""

    measure: Callable[[Instance], Mapping[str, NDArray[np.float64]]]
    mechanism: Mechanism

    def __call__(self, x: Instance) -> Mapping[str, Any]:
        constants = self.measure(x)
        return {**constants, "admissible": np.asarray(constants.get("admissible", True)) & self.mechanism.on(x)}


@dataclass(frozen=True)
class _Having:
    """An exact check with the mechanism among its hypotheses, so that shrinking cannot switch it off."""

    check: ExactCheck
    mechanism: Mechanism

    def __call__(self, x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        hypotheses, constants = self.check.function(x)
        return {**hypotheses, self.mechanism.name: bool(self.mechanism.on(stack([x]))[0])}, constants


def active(case: Case, instance: Mapping[str, Any]) -> frozenset[str]:
    """The mechanisms that one instance, in numbers of any kind, has on."""
    one = stack([instance])
    return frozenset(m.name for m in case.mechanisms if bool(m.on(one)[0]))


def names(test: Inequality) -> tuple[str, ...]:
    """The mechanisms that any case of a watched statement can switch on."""
    usual = [item.at(**item.usual()) if isinstance(item, Family) else item for item in test.cases]
    return tuple(dict.fromkeys(m.name for case in usual for m in case.mechanisms))


def exercised(name: str, draws: int, ratio: float | None) -> Row:
    """What a reading's search saw of one mechanism; plain JSON. `ratio`: the largest lhs/rhs with it on."""
    return {"name": name, "draws": draws, "ratio": ratio}


def lacking(seen: Sequence[Row], killed: frozenset[str], *, ratios: bool) -> tuple[str, ...]:
    """The mechanisms that a true statement was not attacked with, each with the reason.

    `killed`: those that a mutant was killed with on. `ratios`: whether the statement has a ratio of its two sides.
    """
    found = []
    for row in seen:
        if row["draws"] == 0:
            found.append(f"{row['name']} (never on)")
        elif ratios and row["ratio"] == 0:  # None: no draw that led with it on has a ratio, as of equal sides
            found.append(f"{row['name']} (no draw with it on has a ratio of both sides above 0)")
        elif row["name"] not in killed:
            found.append(f"{row['name']} (no mutant was killed with it on)")
    return tuple(found)

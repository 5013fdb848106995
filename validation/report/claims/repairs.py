"""What a reading's entry says beyond its verdict: what may repair it, its mechanisms, and what must not change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from validation.report import fields

__all__ = [
    "Exercised",
    "Invariance",
    "Mechanism",
    "Repair",
    "WholeClass",
    "read_exercised",
    "read_invariances",
    "read_mechanisms",
    "read_repairs",
    "read_worst_cases",
]


@dataclass(frozen=True)
class Repair:
    """A change under which the search saw no violation: extra conditions, or one edit of the formula."""

    kind: str
    words: str
    detail: str
    worst_ratio: float | None
    instances: int | None


@dataclass(frozen=True)
class Mechanism:
    """One way the statement breaks: the condition that would stop it, what was seen, and the script that shows it."""

    without: str
    why: str
    counterexample: str
    counterexample_source: str


@dataclass(frozen=True)
class Invariance:
    """Something that must not change a side (units, names of clients, rotation): how far it did."""

    name: str
    change: float | None
    holds: bool


@dataclass(frozen=True)
class WholeClass:
    """The worst case over a whole class of functions at some sizes, beside the bound."""

    at: str
    value: float | None
    bound: float | None
    ratio: float | None
    status: str
    solver: str
    residual: float | None


def read_worst_cases(row: Mapping[str, object], place: str) -> tuple[WholeClass, ...]:
    """The semidefinite programs that were solved for a claim."""
    return tuple(
        WholeClass(
            fields.text(r, "at", place),
            fields.number(r, "value", place),
            fields.number(r, "bound", place),
            fields.number(r, "ratio", place),
            fields.text(r, "status", place),
            fields.text(r, "solver", place),
            fields.number(r, "residual", place),
        )
        for r in fields.objects(row, "worst_cases", place)
    )


def read_repairs(row: Mapping[str, object], place: str) -> tuple[Repair, ...]:
    """The extras and the edits under which a refuted reading was not refuted again."""
    found = []
    for r in fields.objects(row, "restored_by", place):
        words = " and ".join(fields.strings(r, "switches", place))
        detail = "; ".join(fields.strings(r, "says", place))
        found.append(_repair("extra condition", words, detail, r, place))
    for r in fields.objects(row, "edits", place):
        words, detail = (fields.text(r, key, place) for key in ("says", "formula"))
        found.append(_repair("changed formula", words, detail, r, place))
    return tuple(found)


def _repair(kind: str, words: str, detail: str, row: Mapping[str, object], place: str) -> Repair:
    ratio, instances = fields.number(row, "worst_ratio", place), fields.whole(row, "instances", place)
    return Repair(kind, words, detail, ratio, instances)


@dataclass(frozen=True)
class Exercised:
    """A mechanism of the setting: how many draws had it on, and the largest lhs/rhs with it on, None where none is."""

    name: str
    draws: int
    ratio: float | None

    @property
    def words(self) -> str:
        """«noise on 3,058 draws, the closest at 0.93»; «noise never on»."""
        if not self.draws:
            return f"{self.name} never on"
        nearest = "" if self.ratio is None else f", the closest at {self.ratio:.3g}"
        return f"{self.name} on {self.draws:,} draws{nearest}"


def read_exercised(row: Mapping[str, object], place: str) -> tuple[Exercised, ...]:
    """The mechanisms that a reading was attacked with; raises `ValueError` for a field of the wrong kind."""
    return tuple(
        Exercised(
            fields.text(r, "name", place, required=True),
            fields.whole(r, "draws", place) or 0,
            fields.number(r, "ratio", place),
        )
        for r in fields.objects(row, "exercised", place)
    )


def read_mechanisms(row: Mapping[str, object], place: str) -> tuple[Mechanism, ...]:
    """The independent ways a reading fails."""
    keys = ("without", "why", "counterexample", "counterexample_source")
    return tuple(Mechanism(*(fields.text(r, k, place) for k in keys)) for r in fields.objects(row, "mechanisms", place))


def read_invariances(row: Mapping[str, object], place: str) -> tuple[Invariance, ...]:
    """The symmetries that were checked, and the dimensions of the two sides."""
    found = [
        Invariance(
            f"{fields.text(r, 'name', place)} ({fields.text(r, 'case', place)})",
            fields.number(r, "change", place),
            bool(fields.flag(r, "holds", place)),
        )
        for r in fields.objects(row, "symmetries", place)
    ]
    dimensions = fields.mapping(row, "dimensions", place)
    if dimensions:
        same = bool(fields.flag(dimensions, "consistent", place))
        found.append(Invariance("units of both sides, symbolically", None, same))
    return tuple(found)

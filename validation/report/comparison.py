"""The comparison as the report reads it: the same rules convex and deep, checked once, typed afterwards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from validation.report import fields

__all__ = ["Comparison", "Limit", "Quantity", "Run", "Side", "read_comparison"]

SIDES = ("convex", "deep")


@dataclass(frozen=True)
class Quantity:
    """One row of the side-by-side page; `estimate` says on which sides the values are estimates, `why` for both."""

    key: str
    title: str
    unit: str
    says: str
    log: bool
    estimate: Mapping[str, bool]
    why_estimate: str


@dataclass(frozen=True)
class Run:
    """One rule on one side: `series[key][r]` and `weights[r][k]` of round r and client k; NaN where unknown."""

    rule: str
    title: str
    rounds: tuple[float, ...]
    series: Mapping[str, tuple[float, ...]]
    weights: tuple[tuple[float, ...], ...]
    present: tuple[tuple[bool, ...], ...]
    share: tuple[float, ...]
    diverged: bool


@dataclass(frozen=True)
class Side:
    """The convex or the deep half."""

    key: str
    title: str
    says: str
    runs: tuple[Run, ...]

    def has(self, key: str) -> bool:
        return any(math.isfinite(v) for run in self.runs for v in run.series.get(key, ()))


@dataclass(frozen=True)
class Limit:
    """Where one client algorithm went: distances to the optima of Σ pₖFₖ and Σ Fₖ/N."""

    client: str
    variates: str
    rule: str
    to_share: float
    to_uniform: float


@dataclass(frozen=True)
class Comparison:
    """Both halves, the quantities they share, where the numbers come from, and limits in words if there are any."""

    quantities: tuple[Quantity, ...]
    sides: tuple[Side, ...]
    seed: int | None
    provenance: tuple[tuple[str, str], ...]
    limits: tuple[Limit, ...] = ()
    limits_say: str = ""

    @property
    def rules(self) -> tuple[tuple[str, str], ...]:
        """(rule, title) in order of first appearance: a rule keeps its colour on both sides."""
        found: dict[str, str] = {}
        for side in self.sides:
            for run in side.runs:
                found.setdefault(run.rule, run.title)
        return tuple(found.items())


def _numbers(row: Mapping[str, object], key: str, place: str) -> tuple[float, ...]:
    values = (fields.as_number(v, key, place) for v in fields.sequence(row, key, place))
    return tuple(math.nan if v is None else v for v in values)


def _run(row: Mapping[str, object], place: str) -> Run:
    rule = fields.text(row, "rule", place, required=True)
    place = f"{place}, rule {rule}"
    rounds = _numbers(row, "rounds", place)
    raw = fields.mapping(row, "series", place)
    series = {key: _numbers(raw, key, f"{place}, series") for key in raw}
    share = _numbers(row, "share", place)
    weights = tuple(_numbers({"weights": w}, "weights", place) for w in fields.sequence(row, "weights", place))
    rows = (fields.sequence({"present": p}, "present", place) for p in fields.sequence(row, "present", place))
    present = tuple(tuple(bool(v) for v in p) for p in rows)
    for key, values in series.items():
        if len(values) != len(rounds):
            raise ValueError(f"{place}: series '{key}' has {len(values)} values for {len(rounds)} rounds")
    if any(len(w) != len(share) for w in weights) or (
        present and [len(p) for p in present] != [len(w) for w in weights]
    ):
        raise ValueError(f"{place}: 'weights', 'present' and 'share' differ in their number of clients or rounds")
    return Run(
        rule=rule,
        title=fields.text(row, "title", place) or rule,
        rounds=rounds,
        series=series,
        weights=weights,
        present=present,
        share=share,
        diverged=fields.text(row, "status", place) == "diverged",
    )


def _quantity(row: Mapping[str, object], place: str) -> Quantity:
    key = fields.text(row, "key", place, required=True)
    place = f"{place}, quantity {key}"
    return Quantity(
        key=key,
        title=fields.text(row, "title", place) or key,
        unit=fields.text(row, "unit", place),
        says=fields.text(row, "says", place),
        log=bool(fields.flag(row, "log", place)),
        estimate={side: bool(fields.flag(fields.mapping(row, "estimate", place), side, place)) for side in SIDES},
        why_estimate=fields.text(row, "why_estimate", place),
    )


def _limit(row: Mapping[str, object], place: str) -> Limit:
    client, variates, rule = (fields.text(row, k, place, required=True) for k in ("client", "variates", "rule"))
    found = (fields.number(row, key, place) for key in ("to_share", "to_uniform"))
    to_share, to_uniform = (math.nan if value is None else value for value in found)
    return Limit(client, variates, rule, to_share, to_uniform)


def read_comparison(document: Mapping[str, object]) -> Comparison:
    """The two sides; raises `ValueError` where lengths disagree, a side is missing or a field has the wrong type."""
    place = "render(comparison=…)"
    sides = fields.mapping(document, "sides", place)
    for key in SIDES:
        if key not in sides:
            raise ValueError(f"{place}: 'sides' has {sorted(sides)}; expected 'convex' and 'deep'")
    limits = fields.mapping(document, "limits", place)
    halves = {key: fields.mapping(sides, key, place) for key in SIDES}
    provenance = fields.mapping(document, "provenance", place)
    return Comparison(
        quantities=tuple(_quantity(q, place) for q in fields.objects(document, "quantities", place)),
        sides=tuple(
            Side(
                key=key,
                title=fields.text(half, "title", place) or key,
                says=fields.text(half, "says", place),
                runs=tuple(_run(r, f"{place}, {key}") for r in fields.objects(half, "rules", place)),
            )
            for key, half in halves.items()
        ),
        seed=fields.whole(document, "seed", place),
        provenance=tuple((str(k), str(v)) for k, v in provenance.items() if v is not None),
        limits=tuple(_limit(row, f"{place}, limits") for row in fields.objects(limits, "rows", place))
        if limits
        else (),
        limits_say=fields.text(limits, "says", place),
    )

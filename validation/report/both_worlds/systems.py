"""A paper's whole system in both worlds: curves side by side, intervals over seeds, tables; measured before."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from validation.report import fields
from validation.report.both_worlds.side_by_side import Panel, Row
from validation.report.comparison import Run
from validation.report.pictures.curves import curves_plot
from validation.report.pictures.scales import Scale, spanning
from validation.report.pictures.svg import drawing, el, fit, text, text_width, ticks_below
from validation.report.text.readable import num

__all__ = ["System", "Table", "committed_systems", "read_system"]

_RESULTS = Path("results") / "both_worlds.json"
_WIDTH, _ROW, _TOP = 480.0, 24.0, 8.0
_SIDES = ("convex", "deep")


@dataclass(frozen=True)
class Table:
    """A table of words and numbers as they are to be read."""

    title: str
    says: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class System:
    """What a paper's page shows of its system: `rows` have a panel for each of the two `sides`, (name, words)."""

    title: str
    says: str
    command: str
    sides: tuple[str, str]
    rows: tuple[Row, ...]
    tables: tuple[Table, ...]


def committed_systems(folders: Mapping[str, Path]) -> dict[str, object]:
    """The JSON in `results/both_worlds.json` of each paper's folder that has one, by key."""
    found = {key: folder / _RESULTS for key, folder in folders.items()}
    return {key: json.loads(file.read_text(encoding="utf-8")) for key, file in found.items() if file.is_file()}


def read_system(data: object, place: str) -> System:
    """A `System` of such JSON: "title", "says", "command", "sides" {side: words}, and three lists.

    "curves": {title, says, log, sides: {side: [{name, values}]}}; "intervals": {title, side, unit, rows: [{name, mean,
    low, high, n}]}; "tables": {title, says, columns, rows}.

    Raises `ValueError` naming the place and the field that is missing or of another kind.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{place}: {type(data).__name__}; expected an object")
    sides = fields.mapping(data, "sides", place)
    if set(sides) != set(_SIDES):
        raise ValueError(f"{place}: 'sides' has {sorted(map(str, sides))}; expected {' and '.join(_SIDES)}")
    curves = [_curves(row, f"{place}, curves {i + 1}") for i, row in enumerate(fields.objects(data, "curves", place))]
    return System(
        title=fields.text(data, "title", place, required=True),
        says=fields.text(data, "says", place),
        command=fields.text(data, "command", place, required=True),
        sides=(str(sides["convex"]), str(sides["deep"])),
        rows=(*curves, *_intervals(fields.objects(data, "intervals", place), place)),
        tables=tuple(
            _table(row, f"{place}, table {i + 1}") for i, row in enumerate(fields.objects(data, "tables", place))
        ),
    )


def _curves(row: Mapping[str, object], place: str) -> Row:
    title, log = fields.text(row, "title", place, required=True), bool(fields.flag(row, "log", place))
    by_side = fields.mapping(row, "sides", place)
    panels = []
    for side in _SIDES:
        runs = [_run(one, f"{place}, {side}") for one in fields.objects(by_side, side, place)]
        colours = {run.rule: i for i, run in enumerate(runs)}
        found = curves_plot(runs, "value", colours, log=log, label=f"{title}, {side}")
        if found is None:
            panels.append(Panel(title, None, "", "Not measured in this setting."))
            continue
        note = f"{found.hidden} values at or below zero cannot be shown on the log axis." if found.hidden else ""
        panels.append(Panel(title, found.svg, "", note))
    return Row("curves", title, fields.text(row, "says", place), tuple(panels))


def _run(row: Mapping[str, object], place: str) -> Run:
    name = fields.text(row, "name", place, required=True)
    given = (fields.as_number(v, "values", place) for v in fields.sequence(row, "values", place))
    values = tuple(math.nan if v is None else v for v in given)
    rounds = tuple(float(r) for r in range(len(values)))
    return Run(name, name, rounds, {"value": values}, (), (), (), False)


@dataclass(frozen=True)
class _Interval:
    name: str
    mean: float
    low: float
    high: float
    n: int


def _intervals(rows: Sequence[Mapping[str, object]], place: str) -> list[Row]:
    """One row for each title, in order, its panels by side."""
    titles = list(dict.fromkeys(fields.text(row, "title", place, required=True) for row in rows))
    found = []
    for title in titles:
        panels = []
        for side in _SIDES:
            here = [row for row in rows if row["title"] == title and fields.text(row, "side", place) == side]
            shown = [_interval(one, place) for row in here for one in fields.objects(row, "rows", place)]
            unit = fields.text(here[0], "unit", place) if here else ""
            svg = _forest(shown, f"{title}, {side}", unit) if shown else None
            panels.append(Panel(title, svg, "", "" if shown else "Not measured in this setting."))
        count = max(
            int(fields.whole(one, "n", place) or 0) for row in rows for one in fields.objects(row, "rows", place)
        )
        says = f"Means and 95 % intervals of Student's t over {count} seeds."
        found.append(Row("intervals", title, says, tuple(panels)))
    return found


def _interval(row: Mapping[str, object], place: str) -> _Interval:
    name = fields.text(row, "name", place, required=True)
    numbers = [fields.number(row, key, f"{place}, {name}") for key in ("mean", "low", "high")]
    mean, low, high = (math.nan if v is None else v for v in numbers)
    if not (math.isfinite(low) and low <= mean <= high < math.inf):
        raise ValueError(
            f"{place}, {name}: mean {mean}, interval {low} to {high}; expected low <= mean <= high, finite"
        )
    return _Interval(name, mean, low, high, fields.whole(row, "n", place) or 0)


def _forest(rows: Sequence[_Interval], label: str, unit: str) -> Markup:
    """One line a row: a dot at the mean, a bar over the interval, the numbers beside; a rule at zero where it is in."""
    room = min(max(text_width(row.name) for row in rows), 0.45 * _WIDTH)
    left, right = room + 12, _WIDTH - 70
    across = spanning([v for row in rows for v in (row.low, row.high)], left, right)
    bottom = _TOP + _ROW * len(rows)
    marks = [*_zero(across, bottom), el("line", {"x1": left, "x2": right, "y1": bottom, "y2": bottom, "class": "axis"})]
    for i, row in enumerate(rows):
        y = _TOP + _ROW * (i + 0.5)
        words = f"{row.name}: {num(row.mean)} ({num(row.low)} to {num(row.high)}), {row.n} seeds"
        bar = el("path", {"d": f"M{across(row.low):.1f} {y:.1f}H{across(row.high):.1f}", "class": "line"})
        dot = el("circle", {"cx": across(row.mean), "cy": y, "r": 3.5, "class": "dot"})
        marks.append(el("g", {"class": f"series s{i % 7}"}, el("title", {}, words), bar, dot))
        marks.append(text(left - 8, y + 4, fit(row.name, room), "tick", "end"))
        marks.append(text(right + 8, y + 4, num(row.mean, 3), "tick"))
    marks += ticks_below(across, bottom + 16, 4)
    marks.append(text((left + right) / 2, bottom + 32, unit, "name", "middle"))
    said = "; ".join(f"{row.name} {num(row.mean)} ({num(row.low)} to {num(row.high)})" for row in rows)
    return drawing(_WIDTH, bottom + 38, f"{label}. {said}", marks, "curves")


def _zero(across: Scale, bottom: float) -> list[str]:
    if not across.lo <= 0 <= across.hi:
        return []
    return [el("line", {"x1": across(0.0), "x2": across(0.0), "y1": _TOP, "y2": bottom, "class": "grid"})]


def _table(row: Mapping[str, object], place: str) -> Table:
    columns = fields.strings(row, "columns", place)
    body = tuple(fields.strings({"row": one}, "row", place) for one in fields.sequence(row, "rows", place))
    if any(len(one) != len(columns) for one in body):
        raise ValueError(f"{place}: rows of another length than the {len(columns)} columns")
    return Table(fields.text(row, "title", place, required=True), fields.text(row, "says", place), columns, body)

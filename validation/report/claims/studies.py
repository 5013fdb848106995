"""A claim's studies as the report shows them: the waterfall of its proof, its assumptions, constants and phases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from validation.report import fields
from validation.report.pictures.phases import phase_plots
from validation.report.pictures.waterfall import waterfall_plot

__all__ = ["Study", "read_studies"]


@dataclass(frozen=True)
class Study:
    """One study: pictures with their captions, rows of a table (header first), and what it comes to in words."""

    title: str
    words: str
    pictures: tuple[tuple[str, Markup], ...]
    table: tuple[tuple[str, ...], ...]


def read_studies(row: Mapping[str, object], place: str) -> tuple[Study, ...]:
    """The studies of a ledger entry, ready to show."""
    return tuple(_study(r, place) for r in fields.objects(row, "studies", place))


def _study(row: Mapping[str, object], place: str) -> Study:
    title, kind = fields.text(row, "title", place), fields.text(row, "kind", place)
    data: Any = row.get("data")
    if data is None:
        return Study(title, fields.text(row, "why", place) or "nothing could be seen", (), ())
    if kind == "waterfall":
        return _waterfall(title, data)
    if kind == "ablation":
        return _ablation(title, data)
    if kind == "constants":
        return _constants(title, data)
    if kind == "phases":
        across, down = (fields.text(row, key, place, required=True) for key in ("across", "down"))
        return Study(title, str(data["why"]), tuple(phase_plots(data, across, down, title)), ())
    raise ValueError(f"{place}: study of kind {kind!r}; expected waterfall, ablation, constants or phases")


def _waterfall(title: str, data: Mapping[str, Any]) -> Study:
    picture = waterfall_plot(data)
    false = data["first_false"]
    words = f"First false step: {false}." if false else "Every step holds on all instances tried."
    rows = [("Step", "Because", "Factor lost on the worst instance")]
    rows += [(str(d["after"]), str(d["because"]), _short(d["factor"])) for d in data["drops"]]
    return Study(title, words, (("", picture),) if picture is not None else (), tuple(rows))


def _ablation(title: str, data: list[Mapping[str, Any]]) -> Study:
    rows = [("Assumption dropped", "Then", "What was seen")]
    said = {
        True: "false: it is used",
        False: "no violation found: not known to be needed",
        None: "undecided",
    }
    rows += [(f"{d['hypothesis']}: {d['says']}", said[d["used"]], str(d["why"])) for d in data]
    used = sum(bool(d["used"]) for d in data)
    return Study(title, f"{used} of {len(data)} assumptions are used.", (), tuple(rows))


def _constants(title: str, data: Mapping[str, Any]) -> Study:
    rows = [("Term", "Printed constant", "Smallest value, others unchanged")]
    rows += [(str(t["term"]), _short(t["constant"]), _least(t, data)) for t in data["terms"]]
    sure = "found no violation" if data["survived"] else "found one, if only by rounding"
    words = f"On everything seen the left side is at most {_short(data['factor'])} of the right side."
    return Study(title, f"{words} A search of its own for violations of the lowered bound {sure}.", (), tuple(rows))


def _least(term: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """The smallest constant of a term: of a bound of one term what its factor says, else what survived alone."""
    if len(data["terms"]) == 1 and isinstance(data["factor"], int | float):
        return _short(float(term["constant"]) * float(data["factor"]))
    return _short(term["could_be"]) if term["alone"] else "no smaller one survived its search"


def _short(value: Any) -> str:
    return "—" if value is None else value if isinstance(value, str) else f"{float(value):.4g}"

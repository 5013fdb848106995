"""A trade-off in pictures: speed against limit, limit against the bound's remaining error, and the runs behind both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from validation.report.pictures.curves import spread
from validation.report.pictures.scales import Scale, spanning
from validation.report.pictures.svg import axes, drawing, el, points, text
from validation.report.text.readable import num
from validation.statement.section import Panel

__all__ = ["frontier_panels"]

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 520.0, 300.0, 56.0, 14.0, 252.0
_MOST = 160  # points of a trajectory
Point = Mapping[str, Any]


def frontier_panels(rows: Sequence[Point]) -> tuple[Panel, ...]:
    """The pictures of `validation.study.frontiers.frontier`; fewer where numbers are missing."""
    names = list(dict.fromkeys(r["name"] for r in rows))
    colours = {name: i for i, name in enumerate(names)}
    panels = (_pareto(rows, colours), _against_bound(rows, colours), _trajectories(rows, colours))
    return tuple(p for p in panels if p is not None)


def _style(name: str, colours: Mapping[str, int]) -> str:
    return f"series s{colours[name] % 7}" + (" dashed" if colours[name] >= 7 else "")


def _groups(rows: Sequence[Point]) -> dict[str, list[Point]]:
    groups: dict[str, list[Point]] = {}
    for r in rows:
        groups.setdefault(r["name"], []).append(r)
    return groups


def _label(row: Point) -> str:
    return row["name"] if row["parameter"] is None else f"{row['name']} {num(row['parameter'], 2)}"


def _pareto(rows: Sequence[Point], colours: Mapping[str, int]) -> Panel | None:
    kept = [r for r in rows if r["rounds_to_level"] is not None and (r["limit"] or 0) > 0]
    if len(kept) < 2:
        return None
    right = _WIDTH - 150
    across = spanning([r["rounds_to_level"] for r in kept], _LEFT, right, log=True, room=0.08)
    down = spanning([r["limit"] for r in kept], _BOTTOM, _TOP, log=True)
    marks = _frame(across, down, right, "rounds to the level", "F − F* at the end")
    for name, group in _groups(kept).items():
        inner = [_dot(r, across(r["rounds_to_level"]), down(r["limit"])) for r in group]
        xy = [(across(r["rounds_to_level"]), down(r["limit"])) for r in group]
        if len(group) > 1:
            inner.insert(0, el("path", {"d": points(xy), "class": "line thin"}))
        marks.append(el("g", {"class": _style(name, colours)}, el("title", {}, name), *inner))
    marks += _names([(r["name"], down(r["limit"])) for r in _last(kept)], right, colours)
    words = "; ".join(f"{_label(r)}: {num(r['rounds_to_level'])} rounds, limit {num(r['limit'], 2)}" for r in kept)
    says = "Each dot is a run; left is faster, low is closer to the optimum. A line joins the runs of one strategy."
    return Panel(
        "Speed against error", says, drawing(_WIDTH, _HEIGHT, f"Speed against error. {words}", marks, "curves")
    )


def _against_bound(rows: Sequence[Point], colours: Mapping[str, int]) -> Panel | None:
    kept = [r for r in rows if r["parameter"] is not None and r["parameter"] > 0]
    values = [r[k] for r in kept for k in ("limit", "bound_error") if r[k] is not None and r[k] > 0]
    if len(kept) < 2 or not values or not any(r["bound_error"] for r in kept):
        return None
    right = _WIDTH - 150
    across = spanning([r["parameter"] for r in kept], _LEFT, right, log=True)
    down = spanning(values, _BOTTOM, _TOP, log=True)
    marks = _frame(across, down, right, "parameter", "F − F*")
    for name, group in _groups(kept).items():
        inner: list[str] = []
        for key, style in (("limit", "line"), ("bound_error", "line dots")):
            xy = [(across(r["parameter"]), down.clamped(r[key])) for r in group if r[key] is not None and r[key] > 0]
            if len(xy) > 1:
                inner.append(el("path", {"d": points(xy), "class": style}))
        inner += [_dot(r, across(r["parameter"]), down.clamped(r["limit"])) for r in group if (r["limit"] or 0) > 0]
        inner += [
            _ring(r, across(r["parameter"]), down.clamped(r["bound_error"]))
            for r in group
            if (r["bound_error"] or 0) > 0
        ]
        marks.append(el("g", {"class": _style(name, colours)}, el("title", {}, name), *inner))
    marks += _names(
        [(r["name"], down.clamped(r["limit"])) for r in _last(kept) if (r["limit"] or 0) > 0], right, colours
    )
    words = "; ".join(
        f"{_label(r)}: limit {num(r['limit'], 2)}, bound's remaining error {num(r['bound_error'], 2)}" for r in kept
    )
    says = "Dots: the remaining gap. Rings, dotted: the remaining error according to the bound, where it is positive."
    svg = drawing(_WIDTH, _HEIGHT, f"Remaining error, measured and by the bound. {words}", marks, "curves")
    return Panel("Remaining error, measured and by the bound", says, svg)


def _trajectories(rows: Sequence[Point], colours: Mapping[str, int]) -> Panel | None:
    kept = [r for r in rows if sum(v is not None and v > 0 for v in r["trajectory"]) > 1]
    if not kept:
        return None
    right = _WIDTH - 150
    longest = max(len(r["trajectory"]) for r in kept)
    across = Scale(1.0, float(max(longest, 2)), _LEFT, right, log=True)
    down = spanning([v for r in kept for v in r["trajectory"] if v], _BOTTOM, _TOP, log=True)
    marks = _frame(across, down, right, "round (first one is 1)", "F − F*")
    for r in kept:
        values = r["trajectory"]
        chosen = sorted({round(longest ** (i / _MOST)) for i in range(_MOST + 1)} & set(range(1, len(values) + 1)))
        xy = [(across(t), down(values[t - 1])) for t in chosen if values[t - 1] is not None and values[t - 1] > 0]
        line = el("path", {"d": points(xy), "class": "line thin"})
        marks.append(el("g", {"class": _style(r["name"], colours)}, el("title", {}, _label(r)), line))
    ends = [(r["name"], down(next(v for v in reversed(r["trajectory"]) if v))) for r in _last(kept)]
    marks += _names(ends, right, colours)
    says = "The runs of these dots; point at a line to see its strategy and parameter."
    words = f"F − F* by round for {len(kept)} runs on one federation"
    return Panel("The runs", says, drawing(_WIDTH, _HEIGHT, words, marks, "curves"))


def _last(rows: Sequence[Point]) -> list[Point]:
    return [group[-1] for group in _groups(rows).values()]


def _dot(row: Point, x: float, y: float) -> Markup:
    return el("circle", {"cx": x, "cy": y, "r": 4, "class": "dot"}, el("title", {}, _label(row)))


def _ring(row: Point, x: float, y: float) -> Markup:
    title = el("title", {}, f"{_label(row)}: the bound leaves {num(row['bound_error'], 3)}")
    return el("circle", {"cx": x, "cy": y, "r": 4, "class": "ring"}, title)


def _names(ends: Sequence[tuple[str, float]], right: float, colours: Mapping[str, int]) -> list[str]:
    heights = spread([y for _, y in ends], 14.5, _TOP + 4, _BOTTOM - 4)
    return [
        el(
            "g",
            {"class": _style(name, colours)},
            el("circle", {"cx": right + 12, "cy": y, "r": 4, "class": "dot"}),
            text(right + 21, y + 4, name, "end-name"),
        )
        for (name, _), y in zip(ends, heights, strict=True)
    ]


def _frame(across: Scale, down: Scale, right: float, x_name: str, y_name: str) -> list[str]:
    marks = axes(across, down, (_LEFT, right, _BOTTOM))
    marks.append(text((_LEFT + right) / 2, _HEIGHT - 8, x_name, "name", "middle"))
    marks.append(text(_LEFT, 8, y_name, "name"))
    return marks

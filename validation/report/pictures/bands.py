"""Pictures of means with intervals over seeds: over rounds, over doses, in a row, and orders of rules side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from validation.report.pictures.curves import frame, spread
from validation.report.pictures.scales import Scale, spanning
from validation.report.pictures.svg import drawing, el, fit, points, text, text_width, ticks_below
from validation.report.text.readable import num, tick

__all__ = ["Band", "bands_plot", "dose_plot", "intervals_plot", "orders_plot"]

Interval = tuple[float, float, float]  # mean, low, high
_WIDTH, _LEFT, _TOP, _BOTTOM, _ROOM = 480.0, 46.0, 10.0, 214.0, 112.0
_ROW = 26.0


@dataclass(frozen=True)
class Band:
    """A rule's mean and interval at each place, None where unknown; `name` at its end, `style` its class."""

    name: str
    style: str
    values: tuple[Interval | None, ...]
    bound: tuple[float, ...] = ()


def _stretches(values: Sequence[Interval | None], log: bool) -> list[list[tuple[int, Interval]]]:
    found: list[list[tuple[int, Interval]]] = [[]]
    for place, value in enumerate(values):
        if value is not None and (value[0] > 0 or not log):
            found[-1].append((place, value))
        elif found[-1]:
            found.append([])
    return [stretch for stretch in found if stretch]


def _marks(band: Band, across: Scale, down: Scale, log: bool) -> list[Markup]:
    marks = []
    for stretch in _stretches(band.values, log):
        upper = [(across(i), down.clamped(v[2])) for i, v in stretch]
        lower = [(across(i), down.clamped(v[1] if v[1] > 0 or not log else down.lo)) for i, v in stretch]
        marks.append(el("path", {"d": points([*upper, *reversed(lower)]) + "Z", "class": "band"}))
        marks.append(el("path", {"d": points([(across(i), down.clamped(v[0])) for i, v in stretch]), "class": "line"}))
    if band.bound:
        line = points([(across(i), down.clamped(v)) for i, v in enumerate(band.bound)])
        marks.append(el("path", {"d": line, "class": "line bound-line"}))
    return marks


def bands_plot(bands: Sequence[Band], *, log: bool, label: str, below: str = "round") -> Markup | None:
    """Each band over rounds 0, 1, …, named at its end; bounds dashed in its colour; None where nothing is known."""
    kept = [band for band in bands if _stretches(band.values, log)]
    if not kept:
        return None
    right = _WIDTH - _ROOM
    inside = [v for band in kept for stretch in _stretches(band.values, log) for _, v in stretch]
    ends = [v for mean, low, high in inside for v in (mean, low, high) if v > 0 or not log]
    down = spanning([*ends, *(v for band in kept for v in band.bound)], _BOTTOM, _TOP, log=log)
    across = Scale(0, max(len(band.values) for band in kept) - 1, _LEFT, right)
    last = [_stretches(band.values, log)[-1][-1] for band in kept]
    heights = spread([down.clamped(v[0]) for _, v in last], 14.0, _TOP + 4, _BOTTOM - 4)
    groups = []
    for band, (place, value), y in zip(kept, last, heights, strict=True):
        leader = points([(across(place) + 2, down.clamped(value[0])), (right + 12, y)])
        title = el("title", {}, f"{band.name}: {num(value[0])}, 95 % [{num(value[1])}, {num(value[2])}]")
        name = text(right + 15, y + 4, fit(band.name, _ROOM - 15), "end-name")
        groups.append(
            el("g", {"class": f"series {band.style}"}, title, *_marks(band, across, down, log),
               el("path", {"d": leader, "class": "leader"}), name)
        )  # fmt: skip
    finals = "; ".join(f"{band.name} {num(v[0])}" for band, (_, v) in zip(kept, last, strict=True))
    marks = frame(across, down, right, below)
    return drawing(_WIDTH, 250.0, f"{label}. Last means: {finals}", [*marks, *groups], "curves")


def dose_plot(bands: Sequence[Band], doses: Sequence[str], *, label: str) -> Markup:
    """Differences over doses, evenly spaced and named below; zero is drawn, and each end is led to its name."""
    right = _WIDTH - _ROOM - 14
    values = [v for band in bands for interval in band.values if interval is not None for v in interval]
    down = spanning([0.0, *values], _BOTTOM, _TOP)
    across = Scale(0, len(doses) - 1, _LEFT + 12, right - 6)
    marks: list[str] = []
    for t in down.ticks(5):
        marks.append(el("line", {"x1": _LEFT, "x2": right, "y1": down(t), "y2": down(t), "class": "grid"}))
        marks.append(text(_LEFT - 6, down(t) + 4, tick(t), "tick", "end"))
    marks.append(el("line", {"x1": _LEFT, "x2": right, "y1": down(0), "y2": down(0), "class": "axis"}))
    marks += [text(across(i), _BOTTOM + 17, dose, "tick", "middle") for i, dose in enumerate(doses)]
    marks.append(text((_LEFT + right) / 2, 246.0, "β of the partition: skewed … even", "name", "middle"))
    heights = spread([down(b.values[-1][0]) if b.values[-1] else 0 for b in bands], 14.0, _TOP + 4, _BOTTOM - 4)
    for band, y in zip(bands, heights, strict=True):
        inside = _marks(band, across, down, False)
        dots = [
            el("circle", {"cx": across(i), "cy": down(v[0]), "r": 2.6, "class": "dot"})
            for i, v in enumerate(band.values)
            if v is not None
        ]
        end = band.values[-1]
        words = "" if end is None else f"{band.name}: {num(end[0])}, 95 % [{num(end[1])}, {num(end[2])}] at the last"
        name = text(right + 23, y + 4, fit(band.name, _ROOM - 9), "end-name")
        if end is not None:
            leader = points([(across(len(doses) - 1) + 4, down(end[0])), (right + 20, y)])
            inside.append(el("path", {"d": leader, "class": "leader"}))
        marks.append(el("g", {"class": f"series {band.style}"}, el("title", {}, words), *inside, *dots, name))
    return drawing(_WIDTH, 250.0, label, marks, "curves")


def intervals_plot(rows: Sequence[tuple[str, str, Interval]], *, label: str, below: str) -> Markup:
    """A row for each (name, style, interval): a dot with its interval against zero."""
    room = min(max(text_width(name) for name, _, _ in rows) + 12, 210.0)
    across = spanning([0.0, *(v for _, _, interval in rows for v in interval)], room, _WIDTH - 8)
    bottom = _TOP + _ROW * len(rows)
    zero = across(0.0)
    marks: list[str] = [el("line", {"x1": zero, "x2": zero, "y1": _TOP, "y2": bottom, "class": "axis"})]
    for place, (name, style, (mean, low, high)) in enumerate(rows):
        y = _TOP + _ROW * (place + 0.5)
        title = el("title", {}, f"{name}: {num(mean)}, 95 % [{num(low)}, {num(high)}]")
        bar = el("path", {"d": points([(across(low), y), (across(high), y)]), "class": "line"})
        dot = el("circle", {"cx": across(mean), "cy": y, "r": 4, "class": "dot"})
        named = text(room - 10, y + 4, fit(name, room - 12), "", "end")
        marks.append(el("g", {"class": f"series {style}"}, title, bar, dot, named))
    marks += ticks_below(across, bottom + 16, 5)
    marks.append(text((room + _WIDTH) / 2, bottom + 36, below, "name", "middle"))
    words = "; ".join(f"{name} {num(i[0])} [{num(i[1])}, {num(i[2])}]" for name, _, i in rows)
    return drawing(_WIDTH, bottom + 42, f"{label}: {words}", marks, "intervals")


def orders_plot(
    columns: Sequence[tuple[str, Sequence[str]]], names: Mapping[str, tuple[str, str]], label: str
) -> Markup:
    """Ranks in each column, best on top, and a line for each rule: lines that cross are pairs whose order flips.

    `columns`: (title, rules best first); `names[rule]`: (name, style).
    """
    width, room, top = 600.0, 150.0, 60.0
    across = Scale(0, len(columns) - 1, room, width - room)
    n = len(columns[0][1])
    marks: list[str] = []
    for i, (title, _) in enumerate(columns):
        lines = title.split(", ")  # one beneath the other: side by side they would touch where letters are large
        for row, words in enumerate(reversed(lines)):
            marks.append(text(across(i), 34 - 20 * row, words, "head", "middle"))
        marks.append(
            el("line", {"x1": across(i), "x2": across(i), "y1": top - 14, "y2": top + 30 * n, "class": "grid"})
        )
    for rule, (name, style) in names.items():
        at = [(across(i), top + 30 * list(order).index(rule) + 6) for i, (_, order) in enumerate(columns)]
        dots = [el("circle", {"cx": x, "cy": y, "r": 5, "class": "dot"}) for x, y in at]
        ends = text(at[0][0] - 14, at[0][1] + 4, name, "", "end"), text(at[-1][0] + 14, at[-1][1] + 4, name)
        line = el("path", {"d": points(at), "class": "line"})
        words = el("title", {}, f"{name}: place " + ", ".join(str(list(o).index(rule) + 1) for _, o in columns))
        marks.append(el("g", {"class": f"series {style}"}, words, line, *dots, *ends))
    return drawing(width, top + 30 * n, label, marks, "orders")

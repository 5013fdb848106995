"""One quantity over the rounds, one line per rule, each named at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from validation.report.comparison import Run
from validation.report.pictures.scales import Scale, spanning
from validation.report.pictures.svg import axes, drawing, el, fit, points, text, text_width
from validation.report.text.readable import num

__all__ = ["Curves", "curves_plot", "frame", "spread"]

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 480.0, 250.0, 46.0, 10.0, 214.0
_LABEL_GAP, _LABEL_ROOM = 14.5, 150.0
_MOST_POINTS = 400  # a panel is hardly wider in pixels
_LEADER = 22.0


@dataclass(frozen=True)
class Curves:
    """The picture, and how many values it could not show (at or below zero on a log axis)."""

    svg: Markup
    hidden: int


def spread(wanted: Sequence[float], gap: float, lo: float, hi: float) -> list[float]:
    """Positions as near to `wanted` as a distance of `gap` within [lo, hi] allows, in the same order.

    Neighbours that would overlap form a block, set around the mean of what its members wanted; blocks that meet merge.
    Where they cannot all fit, the gap shrinks.
    """
    if not wanted:
        return []
    gap = min(gap, (hi - lo) / max(len(wanted) - 1, 1))
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    blocks: list[tuple[float, int]] = []  # sum of (wanted − offset within block), size
    for i in order:
        total, size = wanted[i], 1
        while blocks and _first(blocks[-1], gap, lo, hi) + blocks[-1][1] * gap > _first((total, size), gap, lo, hi):
            before, members = blocks.pop()
            total, size = before + total - size * members * gap, members + size
        blocks.append((total, size))
    placed = [_first(block, gap, lo, hi) + k * gap for block in blocks for k in range(block[1])]
    out = [0.0] * len(wanted)
    for i, y in zip(order, placed, strict=True):
        out[i] = y
    return out


def _first(block: tuple[float, int], gap: float, lo: float, hi: float) -> float:
    total, size = block
    return min(max(total / size, lo), hi - (size - 1) * gap)


def _thinned(xy: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most about `_MOST_POINTS` points; of every stretch left out the lowest and the highest stay."""
    if len(xy) <= _MOST_POINTS:
        return xy
    size = math.ceil(2 * len(xy) / _MOST_POINTS)
    out = [xy[0]]
    for at in range(1, len(xy) - 1, size):
        stretch = sorted(xy[at : min(at + size, len(xy) - 1)], key=lambda p: p[1])
        out += sorted({stretch[0], stretch[-1]})
    return [*out, xy[-1]]


def _drawn(run: Run, key: str, log: bool) -> list[list[tuple[float, float]]]:
    """Stretches of (round, value) without holes."""
    stretches: list[list[tuple[float, float]]] = [[]]
    for r, v in zip(run.rounds, run.series.get(key, ()), strict=False):
        if math.isfinite(v) and (v > 0 or not log):
            stretches[-1].append((r, v))
        elif stretches[-1]:
            stretches.append([])
    return [s for s in stretches if s]


def _line(run: Run, key: str, log: bool, across: Scale, down: Scale) -> list[str]:
    marks: list[str] = []
    for stretch in _drawn(run, key, log):
        # Far outside only ever means a diverged run: cut a little beyond the frame, which hides the rest.
        xy = [(across(r), min(max(down(v), _TOP - 40), _BOTTOM + 40)) for r, v in stretch]
        if len(xy) == 1:
            marks.append(el("circle", {"cx": xy[0][0], "cy": xy[0][1], "r": 2.5, "class": "dot"}))
        else:
            marks.append(el("path", {"d": points(_thinned(xy)), "class": "line"}))
    return marks


def _end(run: Run, key: str, log: bool, down: Scale) -> tuple[float, float]:
    """Where the label attaches: the last point, of a diverged run the last one before it left the frame for good."""
    drawn = [point for stretch in _drawn(run, key, log) for point in stretch]
    inside = [i for i, (_, v) in enumerate(drawn) if down.lo <= v <= down.hi]
    if not inside:
        return drawn[0]
    return drawn[min(inside[-1] + 1, len(drawn) - 1)]


def frame(across: Scale, down: Scale, right: float, below: str = "round") -> list[str]:
    """Grid, ticks and the axis of a picture of this module's height, named `below`."""
    named = text((_LEFT + right) / 2, _HEIGHT - 4, below, "name", "middle")
    return [*axes(across, down, (_LEFT, right, _BOTTOM)), named]


def curves_plot(runs: Sequence[Run], key: str, colours: Mapping[str, int], *, log: bool, label: str) -> Curves | None:
    """The series `key` of every run that has it; None where none has.

    `colours[rule]` numbers the colour, the same on every panel. The axis is set by the runs that finished, so that one
    that diverged does not flatten the others.
    """
    kept = [run for run in runs if _drawn(run, key, log)]
    if not kept:
        return None
    names = [run.title + (" (diverged)" if run.diverged else "") for run in kept]
    room = min(max(text_width(name) for name in names), _LABEL_ROOM)
    right = _WIDTH - room - _LEADER - 6
    sane = [run for run in kept if not run.diverged] or kept
    values = [v for run in sane for stretch in _drawn(run, key, log) for _, v in stretch]
    rounds = [r for run in kept for r in run.rounds]
    down = spanning(values, _BOTTOM, _TOP, log=log)
    across = Scale(min(rounds), max(*rounds, min(rounds) + 1), _LEFT, right)
    ends = [_end(run, key, log, down) for run in kept]
    heights = spread([down.clamped(v) for _, v in ends], _LABEL_GAP, _TOP + 4, _BOTTOM - 4)
    groups: list[str] = []
    for run, name, (r, v), y in zip(kept, names, ends, heights, strict=True):
        window: dict[str, str | float | None] = {"x": 0, "y": 0, "width": right + 3, "height": _BOTTOM + 1}
        inside = el(
            "svg", {**window, "viewBox": f"0 0 {right + 3:g} {_BOTTOM + 1:g}"}, *_line(run, key, log, across, down)
        )
        x_end, y_end = across(r), down.clamped(v)
        leader = points([(x_end + 2, y_end), (right + 6, y_end), (right + _LEADER - 6, y), (right + _LEADER - 2, y)])
        title = el("title", {}, f"{name}: {num(v)} at round {num(r)}")
        shown = text(right + _LEADER + 2, y + 4, fit(name, _LABEL_ROOM), "end-name")
        style = f"series s{colours[run.rule] % 7}" + (" dashed" if colours[run.rule] >= 7 else "")
        groups.append(el("g", {"class": style}, title, inside, el("path", {"d": leader, "class": "leader"}), shown))
    finals = "; ".join(f"{name} {num(v)}" for name, (_, v) in zip(names, ends, strict=True))
    svg = drawing(_WIDTH, _HEIGHT, f"{label}. Last values: {finals}", [*frame(across, down, right), *groups], "curves")
    hidden = sum(math.isfinite(v) and v <= 0 for run in kept for v in run.series[key]) if log else 0
    return Curves(svg, hidden)

"""Who got the weight: a strip of cells, one row per client and one column per round."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from validation.report.comparison import Run
from validation.report.pictures.scales import Scale
from validation.report.pictures.svg import drawing, el, text
from validation.report.text.readable import num, tick

__all__ = ["LEVELS", "legend", "strip_plot", "top_weight"]

LEVELS = 8
_WIDTH, _LEFT, _RIGHT, _TOP = 480.0, 46.0, 474.0, 4.0
_SHARE_WIDTH, _SHARE_GAP = 12.0, 6.0
_MOST_COLUMNS = 204  # two pixels a column at least


def top_weight(runs: Iterable[Run]) -> float:
    """The largest weight of all runs: one colour scale for every strip of a side."""
    return max((w for run in runs for row in (*run.weights, run.share) for w in row if math.isfinite(w)), default=1.0)


def _level(weight: float, top: float) -> int:
    # Square root: with one client at weight 1 the difference between 0.05 and 0.15 still shows.
    return min(LEVELS - 1, round((LEVELS - 1) * math.sqrt(max(weight, 0.0) / top))) if top > 0 else 0


def _columns(run: Run) -> list[tuple[int, list[float | None]]]:
    """(round position, weight of each client, None where absent); of very many rounds every m-th is shown."""
    every = max(1, math.ceil(len(run.weights) / _MOST_COLUMNS))
    columns: list[tuple[int, list[float | None]]] = []
    for r in range(0, len(run.weights), every):
        here = run.present[r] if r < len(run.present) else (True,) * len(run.share)
        row = zip(run.weights[r], here, strict=True)
        # A rule with memory weights absent clients too: absent is blank only where the weight is zero.
        columns.append((r, [None if math.isnan(w) or (not there and w == 0) else w for w, there in row]))
    return columns


def _cells(columns: Sequence[list[float | None]], x0: float, cell: float, row: float, top: float) -> list[str]:
    """One path per level: neighbours of equal level in a row are one rectangle, which keeps the page small."""
    paths: dict[str, list[str]] = {}
    for k in range(len(columns[0])):
        styles = [_style(column[k], top) for column in columns]
        start = 0
        for c in range(1, len(styles) + 1):
            if c < len(styles) and styles[c] == styles[start]:
                continue
            x, y, w = x0 + start * cell, _TOP + k * row, (c - start) * cell
            if styles[start] == "absent":
                shape = f"M{x:.1f} {y + row / 2:.1f}h{w:.1f}"
            else:
                shape = f"M{x:.1f} {y:.1f}h{w:.1f}v{row - 0.6:.1f}h{-w:.1f}z"
            paths.setdefault(styles[start], []).append(shape)
            start = c
    return [el("path", {"class": style, "d": "".join(paths[style])}) for style in sorted(paths)]


def _style(weight: float | None, top: float) -> str:
    if weight is None:
        return "absent"
    return "negative" if weight < 0 else f"h{_level(weight, top)}"


def strip_plot(run: Run, top: float, label: str) -> Markup | None:
    """Weights of every client (rows) in every round (columns), the data shares beside them; None without weights."""
    if not run.weights or not run.share:
        return None
    clients = len(run.share)
    row = min(max(110.0 / clients, 2.0), 14.0)
    bottom = _TOP + row * clients
    columns = _columns(run)
    start = _LEFT + _SHARE_WIDTH + _SHARE_GAP
    cell = (_RIGHT - start) / len(columns)
    marks = _cells([list(run.share)], _LEFT, _SHARE_WIDTH, row, top)
    marks += _cells([weights for _, weights in columns], start, cell, row, top)
    marks.append(text(_LEFT - 6, _TOP + 9, "1", "tick", "end"))
    if clients > 1 and bottom - _TOP > 24:
        marks.append(text(_LEFT - 6, bottom - 1, str(clients), "tick", "end"))
    marks.append(text(_LEFT + _SHARE_WIDTH / 2, bottom + 14, "share", "tick", "middle"))
    rounds = [run.rounds[r] if r < len(run.rounds) else float(r) for r, _ in columns]
    across = Scale(rounds[0], max(rounds[-1], rounds[0] + 1), start + cell / 2, _RIGHT - cell / 2)
    for t in across.ticks(5):
        x = across(t)
        if start + 16 < x:
            end = x > _RIGHT - 10
            marks.append(text(min(x, _RIGHT), bottom + 14, tick(t), "tick", "end" if end else "middle"))
    return drawing(_WIDTH, bottom + 18, label, marks, "strip")


def legend(top: float) -> list[tuple[int, str]]:
    """(level, weight in its middle) from nothing to the largest weight, for the key beside the strips."""
    return [(k, num(top * (k / (LEVELS - 1)) ** 2, 2)) for k in range(LEVELS)]

"""Where a bound is violated, says nothing or is useful: a heat map over two sizes for each value of the others.

Colour is never alone: violated cells carry «×» and by how much, vacuous ones «–», undecided ones «?», useful ones
their worst ratio.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from validation.report.pictures.svg import drawing, el, text
from validation.report.text.readable import num, tick

__all__ = ["phase_plots"]

_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP, _LEAST_WIDTH = 58.0, 30.0, 64.0, 24.0, 620.0
_LIGHTEST, _DARKEST = 2, 7  # classes h2 … h7: the lightest still differs from an empty cell
_MARKS = {"violated": "×", "undecided": "?", "vacuous": "–", "empty": ""}
# Blue, orange and hatching by outline: apart for every common colour vision, and in grey.
_FILLS = {
    "violated": "fill: var(--over)",
    "undecided": "fill: var(--soft); stroke: var(--over); stroke-width: 1.5",
    "vacuous": "fill: var(--soft); stroke: var(--line)",
    "empty": "fill: none; stroke: var(--line); stroke-dasharray: 3 3",
    "useful": "fill: var(--heat)",
}


def phase_plots(diagram: Mapping[str, Any], across: str, down: str, name: str = "") -> list[tuple[str, Markup]]:
    """(title, picture) for each choice of the sizes other than `across` and `down`, from `PhaseDiagram.json()`."""
    axes: Mapping[str, Sequence[float]] = diagram["axes"]
    if across not in axes or down not in axes or across == down:
        raise ValueError(f"phase_plots(across={across!r}, down={down!r}): expected two of the axes {sorted(axes)}")
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for cell in diagram["cells"]:
        rest = {k: v for k, v in cell["sizes"].items() if k not in {across, down}}
        groups.setdefault(", ".join(f"{k} = {tick(v)}" for k, v in rest.items()), []).append(cell)
    return [(title, _plot(cells, axes, across, down, title, name)) for title, cells in groups.items()]


def _plot(
    cells: Sequence[Mapping[str, Any]],
    axes: Mapping[str, Sequence[float]],
    across: str,
    down: str,
    title: str,
    name: str,
) -> Markup:
    columns, rows = list(axes[across]), list(axes[down])
    right, bottom = _LEFT + _CELL_WIDTH * len(columns), _TOP + _CELL_HEIGHT * len(rows)
    marks: list[str] = []
    for cell in cells:
        x = _LEFT + _CELL_WIDTH * columns.index(cell["sizes"][across])
        y = bottom - _CELL_HEIGHT * (1 + rows.index(cell["sizes"][down]))  # small values at the bottom
        marks.append(
            _cell(cell, x, y, f"{across} = {tick(cell['sizes'][across])}, {down} = {tick(cell['sizes'][down])}")
        )
    marks += [
        text(_LEFT + _CELL_WIDTH * (i + 0.5), bottom + 16, tick(v), "tick", "middle") for i, v in enumerate(columns)
    ]
    marks += [
        text(_LEFT - 8, bottom - _CELL_HEIGHT * (i + 0.5) + 4, tick(v), "tick", "end") for i, v in enumerate(rows)
    ]
    marks.append(text((_LEFT + right) / 2, bottom + 34, across, "name", "middle"))
    marks.append(text(_LEFT - 8, 14, down, "name", "end"))
    return drawing(max(right + 8, _LEAST_WIDTH), bottom + 42, _words(cells, across, down, title, name), marks, "phases")


def _cell(cell: Mapping[str, Any], x: float, y: float, where: str) -> Markup:
    phase, ratio = cell["phase"], _number(cell["worst_ratio"])
    level = round(_LIGHTEST + (_DARKEST - _LIGHTEST) * min(max(ratio or 0.0, 0.0), 1.0))
    shown = _MARKS.get(phase)
    if shown is None or (phase == "violated" and ratio is not None):
        shown = f"{_MARKS.get(phase, '')} {_short(ratio)}".strip()
    box: dict[str, str | float | None] = {"x": x + 1, "y": y + 1, "width": _CELL_WIDTH - 2, "height": _CELL_HEIGHT - 2}
    box |= {"style": _FILLS[phase], "class": f"phase {phase}" + (f" h{level}" if phase == "useful" else "")}
    title = el("title", {}, f"{where}: {phase}, worst ratio {num(ratio)}")
    dark = phase == "violated" or (phase == "useful" and level > 4)
    label: dict[str, str | float | None] = {"x": x + _CELL_WIDTH / 2, "y": y + _CELL_HEIGHT / 2 + 4}
    label |= {"text-anchor": "middle", "style": "fill: var(--bg)" if dark else None, "class": "phase-label"}
    return el("g", {}, title, el("rect", box), el("text", label, shown))


def _short(ratio: float | None) -> str:
    """Two digits, and no exponents that would not fit a cell."""
    if ratio is not None and 0 < ratio < 1e-3:
        return "< 0.001"
    return "> 10⁶" if ratio is not None and 1e6 <= ratio < math.inf else num(ratio, 2)


def _number(value: Any) -> float | None:
    return None if value is None else math.inf if value == "inf" else float(value)


def _words(cells: Sequence[Mapping[str, Any]], across: str, down: str, title: str, name: str) -> str:
    """What the picture shows, in a sentence for those who cannot see it."""
    count = {p: sum(c["phase"] == p for c in cells) for p in ("violated", "undecided", "vacuous", "useful", "empty")}
    shown = ", ".join(f"{n} {p}" for p, n in count.items() if n)
    heading = f"{name + ': ' if name else ''}{down} (up) against {across} (right){' at ' + title if title else ''}"
    ratios = [r for c in cells if (r := _number(c["worst_ratio"])) is not None]
    worst = f"; worst ratio {num(max(ratios))}" if ratios else ""
    return f"{heading}: {shown} of {len(cells)} cells{worst}"

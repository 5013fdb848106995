"""The side-by-side page: convex left, deep right, one row per quantity, then the weights and where each rule ended."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from validation.report.comparison import Comparison, Quantity, Side
from validation.report.pictures.curves import curves_plot
from validation.report.pictures.strips import LEVELS, legend, strip_plot, top_weight
from validation.report.text.readable import count, num

__all__ = ["Panel", "Row", "SideBySide", "side_by_side"]

_OWN = {
    "gap": ("Gap to the optimum F(w) − F*", "Exact: the minimiser of a convex federation is known."),
    "loss": ("Loss F(w)", ""),
    "accuracy": ("Accuracy", ""),
}


@dataclass(frozen=True)
class Panel:
    """One picture, or in its place the reason why there is none; `tag` is 'exact', 'estimate' or ''."""

    title: str
    svg: Markup | None
    tag: str
    note: str


@dataclass(frozen=True)
class Row:
    """A quantity on both sides."""

    key: str
    title: str
    says: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class SideBySide:
    """All pictures of the page; `ends[side]` is a table (columns, rows) of last values, `limits` rows of words."""

    comparison: Comparison
    rows: tuple[Row, ...]
    strips: tuple[Row, ...]
    legends: tuple[list[tuple[int, str]], ...]
    ends: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]], ...]
    levels: int
    limits: tuple[tuple[str, ...], ...] = ()


def _panel(side: Side, key: str, title: str, log: bool, tag: str, why: str, colours: Mapping[str, int]) -> Panel:
    curves = curves_plot(side.runs, key, colours, log=log, label=f"{title}, {side.title}")
    if curves is None:
        return Panel(title, None, "", "Not measured in this setting.")
    notes = [why] if why else []
    if curves.hidden:
        plural = "s" if curves.hidden > 1 else ""
        notes.append(f"{count(curves.hidden)} value{plural} at or below zero cannot be shown on the log axis.")
    return Panel(title, curves.svg, tag, " ".join(notes))


def _progress(comparison: Comparison, colours: Mapping[str, int]) -> Iterator[Row]:
    """How far each rule got: the gap where the optimum is known, else the loss; accuracy where there is any."""
    if any(side.has(key) for side in comparison.sides for key in ("gap", "loss")):
        panels = []
        for side in comparison.sides:
            key = "gap" if side.has("gap") else "loss"
            title, why = _OWN[key]
            panels.append(_panel(side, key, title, key == "gap", "", why if side.key == "convex" else "", colours))
        yield Row("progress", "Progress", "Training loss under each rule.", tuple(panels))
    if any(side.has("accuracy") for side in comparison.sides):
        panels = [_panel(side, "accuracy", "Accuracy", False, "", "", colours) for side in comparison.sides]
        yield Row("accuracy", "Accuracy", "Share of test samples that the model classifies correctly.", tuple(panels))


def _row(quantity: Quantity, comparison: Comparison, colours: Mapping[str, int]) -> Row:
    unit = f" ({quantity.unit})" if quantity.unit not in {"", "none"} else ""
    panels = []
    for side in comparison.sides:
        estimated = quantity.estimate[side.key]
        why = quantity.why_estimate if estimated else ""
        tag = "estimate" if estimated else "exact"
        panels.append(_panel(side, quantity.key, quantity.title + unit, quantity.log, tag, why, colours))
    return Row(quantity.key, quantity.title, quantity.says, tuple(panels))


def _strips(comparison: Comparison) -> Iterator[Row]:
    tops = {side.key: top_weight(side.runs) for side in comparison.sides}
    for rule, title in comparison.rules:
        panels = []
        for side in comparison.sides:
            run = next((r for r in side.runs if r.rule == rule), None)
            label = f"Weights of {title} per client and round, {side.title}"
            svg = strip_plot(run, tops[side.key], label) if run is not None else None
            panels.append(Panel(title, svg, "", "" if svg else "Not run in this setting."))
        if any(panel.svg for panel in panels):
            yield Row(f"weights-{rule}", title, "", tuple(panels))


def _ends(comparison: Comparison, side: Side) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    titles = {key: title for key, (title, _) in _OWN.items()} | {q.key: q.title for q in comparison.quantities}
    keys = [key for key in titles if side.has(key)]
    rows = []
    for run in side.runs:
        finite = {key: [v for v in run.series.get(key, ()) if math.isfinite(v)] for key in keys}
        last = [num(finite[key][-1], 3) if finite[key] else "—" for key in keys]
        rows.append((run.title, "diverged" if run.diverged else "finished", *last))
    return side.title, ("rule", "run", *(titles[key] for key in keys)), tuple(rows)


def side_by_side(comparison: Comparison) -> SideBySide:
    """Every picture of the page, from the comparison alone."""
    colours = {rule: i for i, (rule, _) in enumerate(comparison.rules)}
    rows = (*_progress(comparison, colours), *(_row(q, comparison, colours) for q in comparison.quantities))
    return SideBySide(
        comparison=comparison,
        rows=rows,
        strips=tuple(_strips(comparison)),
        legends=tuple(legend(top_weight(side.runs)) for side in comparison.sides),
        ends=tuple(_ends(comparison, side) for side in comparison.sides),
        levels=LEVELS,
        limits=tuple(
            (row.client, row.variates, row.rule, num(row.to_share, 2), num(row.to_uniform, 2))
            for row in comparison.limits
        ),
    )

"""How tight a bound is: where lhs/rhs lay over all instances, and how the worst one grew with effort."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from validation.report.claims.claims import Histogram, Reading
from validation.report.pictures.scales import Scale, spanning
from validation.report.pictures.svg import axes, drawing, el, points, text, text_width, ticks_below
from validation.report.text.readable import count, ratio, share, tick

__all__ = ["growth_plot", "growth_words", "histogram_plot", "ratio_domain"]

_SMALLEST = 1e-6  # ratios below are «far from the bound» whatever their exponent
_BEYOND, _GAP = 26.0, 7.0  # width of the bar for what lies beyond the axis, and its distance
_LEFT, _RIGHT = 48.0, 560.0  # to the right of it there is room for the label of the worst ratio


def ratio_domain(readings: Sequence[Reading]) -> tuple[float, float]:
    """One axis for all readings of a claim, around the bound at 1, so that their pictures can be compared."""
    values = [1.0]
    for reading in readings:
        if reading.histogram is not None:
            edges, counts = reading.histogram.edges, reading.histogram.counts
            values += [e for lo, hi, n in zip(edges, edges[1:], counts, strict=False) if n for e in (lo, hi)]
            # A worst ratio among those beyond the last edge is shown there, not on the axis.
            if reading.worst_ratio is not None and math.isfinite(edges[-1]):
                values.append(reading.worst_ratio)
    kept = [v for v in values if math.isfinite(v) and v > 0]
    lo, hi = max(min(kept), _SMALLEST), max(kept)
    pad = max((hi / lo) ** 0.02, 1.02)
    return lo, hi * pad


@dataclass(frozen=True)
class _Bar:
    x: float
    width: float
    height: int
    beyond_bound: bool


def _bars(histogram: Histogram, axis: Scale, violated: bool) -> tuple[list[_Bar], int, int]:
    """Bars on the axis, then the counts below and above it."""
    bars: list[_Bar] = []
    below = above = 0
    for lo, hi, n in zip(histogram.edges, histogram.edges[1:], histogram.counts, strict=False):
        if n == 0:
            continue
        if hi <= axis.lo * (1 + 1e-12):
            below += n
        elif math.isinf(hi):
            above += n
        else:
            x0, x1 = axis.clamped(max(lo, axis.lo)), axis.clamped(hi)
            bars.append(_Bar(x0, max(x1 - x0, 1.0), n, violated and lo >= 1))
    return bars, below, above


def _counts_axis(highest: int, bottom: float, top: float) -> Scale:
    # Log counts, from below one: a single violation among 40 000 instances must be seen.
    return Scale(0.6, max(highest, 10) * 1.3, bottom, top, log=True)


def _vertical(x: float, top: float, bottom: float, style: str) -> Markup:
    return el("line", {"x1": x, "x2": x, "y1": top, "y2": bottom, "class": style})


def histogram_plot(
    histogram: Histogram, worst: float | None, domain: tuple[float, float], *, violated: bool, name: str = ""
) -> Markup:
    """Histogram of lhs/rhs: log axes, the bound as a line at 1, the worst ratio named where it stands.

    `violated`: whether ratios above 1 count against the bound (or are rounding in a reading that holds).
    """
    width, height, top, bottom = 620.0, 232.0, 52.0, 188.0
    axis = Scale(*domain, _LEFT + _BEYOND + _GAP, _RIGHT - _BEYOND - _GAP, log=True)
    bars, below, above = _bars(histogram, axis, violated)
    heights = _counts_axis(max([b.height for b in bars] + [below, above, 1]), bottom, top)
    if below:
        bars.append(_Bar(axis.start - _GAP - _BEYOND, _BEYOND, below, beyond_bound=False))
    if above:
        bars.append(_Bar(axis.end + _GAP, _BEYOND, above, beyond_bound=violated))
    marks: list[str] = []
    for t in heights.ticks(4):
        y = heights(t)
        marks.append(el("line", {"x1": _LEFT, "x2": _RIGHT, "y1": y, "y2": y, "class": "grid"}))
        marks.append(text(42, y + 4, tick(t), "tick", "end"))
    for bar in bars:
        y = heights(bar.height)
        gap = 1.0 if bar.width > 4 else 0.0
        box: dict[str, str | float | None] = {"x": bar.x, "y": y, "width": bar.width - gap, "height": bottom - y}
        box["class"] = "bar over" if bar.beyond_bound else "bar"
        marks.append(el("rect", box, el("title", {}, f"{count(bar.height)} instances")))
    marks.append(el("line", {"x1": _LEFT, "x2": _RIGHT, "y1": bottom, "y2": bottom, "class": "axis"}))
    # Beside the words «less» and «more» there is no room for a number.
    first, last = axis.start + (28 if below else 0), axis.end - (28 if above else 0)
    marks += ticks_below(axis, bottom + 17, 6, first, last)
    if below:
        marks.append(text(axis.start - _GAP - _BEYOND / 2, bottom + 17, "less", "tick", "middle"))
    if above:
        marks.append(text(axis.end + _GAP + _BEYOND / 2, bottom + 17, "more", "tick", "middle"))
    marks.append(text((axis.start + axis.end) / 2, height - 6, "left side ÷ right side", "name", "middle"))
    marks.append(text(4, 13, "instances", "name"))
    marks += _named_lines(axis, worst, bottom, above > 0, violated)
    words = f"Histogram of left side over right side{' for ' + name if name else ''}; bound at 1, worst {ratio(worst)}"
    return drawing(width, height, words, marks, "histogram")


def _named_lines(axis: Scale, worst: float | None, bottom: float, over: bool, violated: bool) -> list[str]:
    """The bound and the worst ratio: their labels on rows of their own, each pointing away from the other line."""
    at_bound = axis(1.0)
    violated = violated and worst is not None and worst > 1
    left = violated and at_bound > 130  # further left stands the name of the other axis
    marks: list[str] = [_vertical(at_bound, 16, bottom, "bound")]
    marks.append(text(at_bound + (-5 if left else 5), 22, "bound", "bound-name", "end" if left else None))
    if worst is None or math.isnan(worst):
        return marks
    beyond = math.isinf(worst) or worst > axis.hi
    x = axis.end + _GAP + _BEYOND / 2 if beyond and over else axis.clamped(max(worst, axis.lo))
    style = "worst over" if violated else "worst"
    label = f"worst {ratio(worst)}"
    right = violated or x - 9 - text_width(label, 13) < 0
    marks.append(_vertical(x, 34, bottom, style))
    marks.append(el("path", {"d": points([(x - 4.5, 32), (x + 4.5, 32), (x, 39)]) + "Z", "class": f"{style} tip"}))
    marks.append(text(x + (9 if right else -9), 40, label, f"{style} name-of", None if right else "end"))
    return marks


def growth_plot(
    growth: Sequence[tuple[float, float]], total: float | None = None, *, violated: bool, name: str = ""
) -> Markup:
    """The worst ratio so far against the evaluations spent (`total` in all), with the bound at 1.

    `violated` as in `histogram_plot`; a ratio of ∞ is drawn at the top.
    """
    width, height, left, right, top, bottom = 400.0, 232.0, 48.0, 300.0, 22.0, 188.0
    kept = [(max(n, 1.0), r) for n, r in growth if not math.isnan(r) and math.isfinite(n)]
    if kept and total is not None and total > kept[-1][0]:
        kept.append((total, kept[-1][1]))
    ratios = [r for _, r in kept]
    finite = [r for r in [*ratios, 1.0] if math.isfinite(r)]
    if max(finite) - min(finite) < 0.1:
        finite += [0.9, 1.05]  # a climb of 10⁻⁷ is no mountain
    log = min(finite) > 0 and max(finite) / min(finite) > 30
    down = spanning(finite, bottom, top + (24 if math.inf in ratios else 0), log=log, room=0.06)
    across = spanning([n for n, _ in kept], left, right, log=True, room=0.0)
    marks = axes(across, down, (left, right, bottom), high=4, wide=4)
    marks.append(el("line", {"x1": left, "x2": right, "y1": down(1.0), "y2": down(1.0), "class": "bound"}))
    steps: list[tuple[float, float]] = []
    for n, r in kept:
        if steps:
            steps.append((across(n), steps[-1][1]))
        steps.append((across(n), down(r) if math.isfinite(r) else top))
    if steps:
        over = " over" if violated and ratios[-1] > 1 else ""
        x, y = steps[-1]
        marks.append(el("path", {"d": points(steps), "class": f"climb{over}"}))
        marks.append(el("circle", {"cx": x, "cy": y, "r": 3.5, "class": f"climb dot{over}"}))
        # Never closer to the word «bound» than a line of text.
        label_y = min(y, down(1.0) - 16) if ratios[-1] >= 1 else max(y, down(1.0) + 16)
        marks.append(text(x + 8, label_y + 4, ratio(ratios[-1]), f"worst name-of{over}"))
    marks.append(text(right + 8, down(1.0) + 4, "bound", "bound-name"))
    marks.append(text((left + right) / 2, height - 6, "evaluations", "name", "middle"))
    marks.append(text(4, 13, "worst ratio so far", "name"))
    last = ratio(ratios[-1]) if ratios else "unknown"
    return drawing(
        width, height, f"Worst ratio by effort{' for ' + name if name else ''}; ends at {last}", marks, "growth"
    )


def growth_words(growth: Sequence[tuple[float, float]], total: float | None = None) -> str:
    """When the search last found anything worse, in words."""
    spent = max([n for n, _ in growth] + [total or 0.0])
    if len(growth) < 2 or spent <= 0:
        return ""
    final = growth[-1][1]
    since = next(n for n, r in growth if r == final or 0 <= final - r <= 1e-6 * min(abs(final), 1e300))
    if since >= 0.95 * spent:
        return "It still grew at the end of the search; more effort may find a larger ratio."
    return f"Nothing worse was found after {share(since / spent)} of the effort."

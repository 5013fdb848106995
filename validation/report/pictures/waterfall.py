"""Where a proof loses, as a picture: one row a step, its bar from sᵢ to sᵢ₊₁ on one log axis, the factor beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from validation.report.pictures.scales import spanning
from validation.report.pictures.svg import drawing, el, fit, text, ticks_below
from validation.report.text.readable import num

__all__ = ["waterfall_plot"]

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW = 620.0, 190.0, 520.0, 24.0, 26.0


def waterfall_plot(waterfall: Mapping[str, Any]) -> Markup | None:
    """The picture of `Waterfall.json()`; None where no two values are positive. False steps stand out and say so."""
    drops: Sequence[Mapping[str, Any]] = waterfall["drops"]
    ends = [v for d in drops for v in (d["left"], d["right"])]
    known = [v for v in ends if isinstance(v, float | int) and math.isfinite(v) and v > 0]
    if len(known) < 2:
        return None
    axis = spanning(known, _LEFT, _RIGHT, log=True)
    bottom = _TOP + _ROW * len(drops)
    marks: list[str] = [text(_LEFT - 10, 14, "step", "name", "end"), text(_RIGHT + 10, 14, "factor lost", "name")]
    for i, d in enumerate(drops):
        y = _TOP + _ROW * i
        places = [_place(v, axis.lo, axis.hi) for v in (d["left"], d["right"])]
        x0, x1 = sorted(axis.clamped(p) for p in places)
        false = d["false"] is not None
        title = el("title", {}, _words(d))
        box: dict[str, str | float | None] = {"x": x0, "y": y + 6, "width": max(x1 - x0, 2.0), "height": _ROW - 12}
        marks.append(el("rect", {**box, "class": "bar over" if false else "bar"}, title))
        if i + 1 < len(drops):
            x = axis.clamped(places[1])
            marks.append(el("line", {"x1": x, "x2": x, "y1": y + 6, "y2": y + _ROW + 6, "class": "grid"}))
        marks.append(text(_LEFT - 10, y + _ROW / 2 + 4, fit(d["after"], _LEFT - 16), "", "end"))
        label = ("false: " if false else "") + _factor(d["factor"])
        marks.append(text(_RIGHT + 10, y + _ROW / 2 + 4, label, "worst over" if false else ""))
    marks.append(el("line", {"x1": _LEFT, "x2": _RIGHT, "y1": bottom, "y2": bottom, "class": "axis"}))
    marks += ticks_below(axis, bottom + 17, 6)
    steps = "; ".join(_words(d) for d in drops)
    return drawing(_WIDTH, bottom + 24, f"What each step of the proof loses. {steps}", marks, "waterfall")


def _place(value: Any, lo: float, hi: float) -> float:
    """A value on the axis: what is not positive stands at its left end, ∞ at its right end."""
    if value == "inf":
        return hi
    return min(max(float(value), lo), hi) if value is not None and float(value) > 0 else lo


def _factor(value: Any) -> str:
    return "—" if value is None else f"× {num(math.inf if value == 'inf' else float(value), 3)}"


def _words(drop: Mapping[str, Any]) -> str:
    left, right = (num(math.inf if v == "inf" else float(v), 3) for v in (drop["left"], drop["right"]))
    false = {"exact": ", false (exact counterexample)", "float": ", false in floats"}.get(drop["false"] or "", "")
    return f"{drop['before']} to {drop['after']}: {left} to {right}, factor {_factor(drop['factor'])[2:]}{false}"

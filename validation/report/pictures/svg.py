"""SVG elements as escaped strings, and the few marks all plots share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup, escape

from validation.report.pictures.scales import Scale
from validation.report.text.readable import tick

__all__ = ["Attributes", "axes", "drawing", "el", "fit", "points", "text", "text_width", "ticks_below"]

Attributes = Mapping[str, str | float | None]


def _shown(v: str | float) -> str:
    if isinstance(v, str):
        return v
    return f"{v:.1f}".rstrip("0").rstrip(".").replace("-0", "0", 1) if abs(v) < 0.05 else f"{v:.1f}".removesuffix(".0")


def el(name: str, attributes: Attributes, *children: str) -> Markup:
    """`<name …>children</name>`; attributes of None are left out, strings escaped, numbers to a tenth of a pixel."""
    shown = "".join(f' {k}="{escape(_shown(v))}"' for k, v in attributes.items() if v is not None)
    if not children:
        return Markup(f"<{name}{shown}/>")
    return Markup(f"<{name}{shown}>") + Markup("").join(children) + Markup(f"</{name}>")


def text(x: float, y: float, label: str, style: str = "", anchor: str | None = None) -> Markup:
    """A label at (x, y); `style` is a class, `anchor` middle or end."""
    return el("text", {"x": x, "y": y, "class": style or None, "text-anchor": anchor}, label)


def points(xy: Iterable[tuple[float, float]]) -> str:
    """The `d` of a polyline through `xy`."""
    return "M" + "L".join(f"{_shown(x)} {_shown(y)}" for x, y in xy)


def text_width(label: str, size: float = 12.5) -> float:
    """An upper estimate of the width of `label` in a system font of `size` pixels."""
    narrow = sum(char in "iljtfr.,:;|!()[]' ·" for char in label)
    wide = sum(char in "mwMWΓΩ—%" for char in label)
    return size * (0.6 * (len(label) - narrow - wide) + 0.34 * narrow + 0.9 * wide)


def fit(label: str, width: float, size: float = 12.5) -> str:
    """`label`, shortened with an ellipsis until it is at most `width` wide."""
    if text_width(label, size) <= width:
        return label
    while label and text_width(label + "…", size) > width:
        label = label[:-1].rstrip()
    return label + "…"


def ticks_below(axis: Scale, y: float, about: int, lo: float = -math.inf, hi: float = math.inf) -> list[str]:
    """Tick labels of a horizontal axis between `lo` and `hi` pixels; one that would touch its neighbour is left out."""
    marks: list[str] = []
    free = -math.inf
    for t in axis.ticks(about):
        x, half = axis(t), text_width(tick(t), 12) / 2
        if lo <= x <= hi and x - half >= free:
            marks.append(text(x, y, tick(t), "tick", "middle"))
            free = x + half + 6
    return marks


def axes(across: Scale, down: Scale, box: tuple[float, float, float], *, high: int = 5, wide: int = 5) -> list[str]:
    """Grid lines with ticks at their left, ticks below, and the axis; `box`: (left, right, bottom) in pixels.

    `high`, `wide`: about how many ticks there are up and across.
    """
    left, right, bottom = box
    marks: list[str] = []
    for t in down.ticks(high):
        y = down(t)
        marks.append(el("line", {"x1": left, "x2": right, "y1": y, "y2": y, "class": "grid"}))
        marks.append(text(left - 6, y + 4, tick(t), "tick", "end"))
    marks += ticks_below(across, bottom + 17, wide)
    marks.append(el("line", {"x1": left, "x2": right, "y1": bottom, "y2": bottom, "class": "axis"}))
    return marks


def drawing(
    width: float, height: float, label: str, children: Sequence[str], style: str = "", role: str = "img"
) -> Markup:
    """A picture that scales with its column; `label` says in words what it shows; `role` "group" if it holds links."""
    attributes: dict[str, str | float | None] = {
        "class": f"plot {style}".strip(),
        "viewBox": f"0 0 {_shown(width)} {_shown(height)}",
        "role": role,
        "aria-label": label,
    }
    return el("svg", attributes, *children)

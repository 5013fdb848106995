"""One-dimensional counterexamples over a class, drawn: each function with its points and the slopes asked there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from validation.proof.classes.shown import ShownFunction
from validation.report.pictures.scales import spanning
from validation.report.pictures.svg import drawing, el, points, text, ticks_below

__all__ = ["drawings", "drawn"]

_WIDTH, _HEIGHT, _EDGE = 320.0, 220.0, 34.0


def drawn(name: str, shown: ShownFunction) -> str:
    """An SVG of f on the stretch that its points span, a dot and a piece of the tangent at each point."""
    xs = [float(x) for x, _, _ in shown.asked]
    spread = max(max(xs) - min(xs), 1e-9)
    grid = np.linspace(min(xs) - spread / 5, max(xs) + spread / 5, 201)
    values = shown.function(grid)
    across = spanning(grid.tolist(), _EDGE, _WIDTH - 10)
    up = spanning([*values.tolist()], _HEIGHT - _EDGE, 10)
    line = zip(map(across, grid.tolist()), map(up, values.tolist()), strict=True)
    marks: list[str] = [el("path", {"d": points(line), "class": "curve", "fill": "none", "stroke": "currentColor"})]
    for x, slope, value in ((float(a), float(b), float(c)) for a, b, c in shown.asked):
        reach = spread / 12
        ends = [(across(x + d), up(value + slope * d)) for d in (-reach, reach)]
        marks.append(el("path", {"d": points(ends), "class": "tangent", "fill": "none", "stroke": "currentColor"}))
        marks.append(el("circle", {"cx": across(x), "cy": up(value), "r": 3.0}))
    marks += ticks_below(across, _HEIGHT - 12, 5)
    marks.append(text(_EDGE, 16, name))
    words = f"{name}: a piecewise quadratic function through {len(shown.asked)} points of the counterexample"
    return str(drawing(_WIDTH, _HEIGHT, words, marks))


def drawings(functions: Mapping[str, ShownFunction]) -> dict[str, str]:
    """An SVG of each function."""
    return {name: drawn(name, shown) for name, shown in functions.items()}

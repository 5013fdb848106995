"""Two constants of a bound: the pairs that exact instances forbid, as a filled polygon, and the printed pair."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from markupsafe import Markup

from validation.report.pictures.scales import Scale
from validation.report.pictures.svg import axes, drawing, el, points, text, text_width
from validation.report.text.readable import num

__all__ = ["edge", "forbidden_plot"]

Cut = tuple[Fraction, Fraction]
Pair = tuple[Fraction, Fraction]

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 460.0, 300.0, 56.0, 440.0, 26.0, 250.0
_FAR = 4  # times the smaller of what is printed and what cuts reach: what lies beyond is not drawn


def forbidden_plot(cuts: Sequence[Cut], printed: Pair, *, name: str = "") -> Markup:
    """The region below the cuts a₁c₁ + a₂c₂ >= 1, and the printed pair of constants where it is near.

    Raises `ValueError` without a cut that forbids anything.
    """
    if not any(a > 0 or b > 0 for a, b in cuts):
        raise ValueError("forbidden_plot: no cut forbids any pair; expected one with a number above 0")
    reach = tuple(max([1 / c[k] for c in cuts if c[k] > 0] or [Fraction(1)]) for k in (0, 1))
    ends = tuple(float(_shown(r, p) * Fraction(6, 5)) for r, p in zip(reach, printed, strict=True))
    across, down = Scale(0.0, ends[0], _LEFT, _RIGHT), Scale(0.0, ends[1], _BOTTOM, _TOP)
    line = edge(cuts, Fraction(ends[0]), Fraction(ends[1]))
    area = [(0.0, 0.0), *((float(x), float(y)) for x, y in line), (float(line[-1][0]), 0.0)]
    marks = axes(across, down, (_LEFT, _RIGHT, _BOTTOM))
    marks.append(el("path", {"d": points((across(x), down(y)) for x, y in area) + "Z", "class": "forbidden"}))
    first, second = (float(p) for p in printed)
    inside = first <= ends[0] and second <= ends[1]
    label = f"printed {num(first)}, {num(second)}" + ("" if inside else ", beyond")
    if inside:
        right = across(first) + 9 + text_width(label) > _RIGHT
        marks.append(el("circle", {"cx": across(first), "cy": down(second), "r": 4, "class": "climb dot"}))
        marks.append(text(across(first) + (-9 if right else 9), down(second) + 4, label, "", "end" if right else None))
    else:
        marks.append(text(_RIGHT, _TOP - 8, label, "", "end"))
    marks.append(text((_LEFT + _RIGHT) / 2, _HEIGHT - 8, "first constant", "name", "middle"))
    marks.append(text(4, 13, "second constant", "name"))
    corners = "; ".join(f"{num(float(x))}, {num(float(y))}" for x, y in line)
    of = f" for {name}" if name else ""
    words = f"Pairs of constants that exact instances forbid{of}: below the line through {corners}"
    return drawing(_WIDTH, _HEIGHT, f"{words}; {label}", marks, "forbidden-pairs")


def _shown(reach: Fraction, printed: Fraction) -> Fraction:
    """How far an axis goes: to what cuts reach and what is printed, or near the smaller where they are far apart."""
    return min(max(reach, printed), _FAR * min(reach, printed)) if printed > 0 else reach


def edge(cuts: Sequence[Cut], right: Fraction, top: Fraction) -> tuple[Pair, ...]:
    """The corners of the upper edge of what is forbidden in [0, right] × [0, top], from left to right, exactly."""
    first = max([1 / a for a, b in cuts if a > 0 and b == 0] or [Fraction(0)])  # all pairs left of it are forbidden

    def least(x: Fraction) -> Fraction:
        return max([Fraction(0), *((1 - a * x) / b for a, b in cuts if b > 0)])

    slanted = [(a, b) for a, b in cuts if b > 0]
    at = {first, right}
    for i, (a, b) in enumerate(slanted):
        at |= {1 / a} if a > 0 else set()
        at |= {(1 - top * b) / a} if a > 0 else set()
        for c, d in slanted[i + 1 :]:
            if a * d != b * c:
                at.add((d - b) / (a * d - b * c))
    kept = [(x, min(least(x), top)) for x in sorted(at) if first <= x <= right]
    corners = [(Fraction(0), top), (first, top), *kept] if first > 0 else kept
    return tuple(_without_flat(corners))


def _without_flat(corners: Sequence[Pair]) -> list[Pair]:
    """Corners alone: those on the straight line between their neighbours are left out."""
    found: list[Pair] = []
    for point in dict.fromkeys(corners):
        while len(found) > 1:
            (x0, y0), (x1, y1) = found[-2:]
            if (x1 - x0) * (point[1] - y0) != (point[0] - x0) * (y1 - y0):
                break
            found.pop()
        found.append(point)
    return found

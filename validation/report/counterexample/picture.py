"""A picture of an exact counterexample: its sides and terms as bars, its clients' losses, its weights, its growth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup, escape

from validation.report.counterexample.constants import Side
from validation.report.counterexample.instance import Instance, Number, exact_text
from validation.report.counterexample.over_time import over_time
from validation.report.pictures.curves import spread
from validation.report.pictures.scales import Scale, spanning
from validation.report.pictures.svg import axes, drawing, el, points, text
from validation.report.text.formula import latex_of
from validation.report.text.letters import Letters
from validation.report.text.mathml import mathml
from validation.report.text.readable import num
from validation.study.courses import Course

__all__ = ["Bar", "Drawing", "bars_of", "course_of", "drawings_of"]

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 480.0, 250.0, 46.0, 12.0, 212.0
_MOST_CLIENTS, _POINTS = 8, 60
_TERMS = (1, 3, 4, 5, 6)  # colours of terms; 0 and 2 are the sides'
_DWARFED = 5.0  # times both sides: a term that is larger is not drawn beside them
_LONG_NAME = 150  # characters of a term that is shown as a formula


@dataclass(frozen=True)
class Bar:
    """A number as a bar between `start` and `start + length`, in percent of the track.

    `kind`: left, right or term; `spoken`: its name without a formula.
    """

    kind: str
    name: Markup
    spoken: str
    start: float
    length: float
    value: str


@dataclass(frozen=True)
class Drawing:
    """A picture with what it shows in words."""

    title: str
    says: str
    svg: Markup


def bars_of(found: Instance, letters: Letters | None = None, printed: Sequence[Side] = ()) -> tuple[Bar, ...]:
    """The left side, the right side and its terms on one axis with 0 on it; none where there are no two numbers.

    `letters`: LaTeX of the quantities' names, as the paper prints them. `printed`: the terms, where the right side is
    shown as the paper prints it and not as the script has it.
    """
    if found.left is None or found.right is None:
        return ()
    terms = [(term.source, term.value) for term in printed] or found.terms
    drawn = {term.source: mathml(term.latex, block=False) for term in printed}
    numbers = [_near(x) for x in (found.left, found.right, *(v for _, v in terms))]
    if not all(map(math.isfinite, numbers)):
        return ()
    lo, hi = min(0.0, *numbers), max(0.0, *numbers)
    span = (hi - lo) or 1.0
    equal = found.relation in {"=", "≈"}
    names = [
        ("left", "one side" if equal else "left side"),
        ("right", "the other" if equal else "right side"),
        *(("term", name) for name, _ in terms),
    ]
    exact: list[Number] = [found.left, found.right, *(v for _, v in terms)]
    return tuple(
        Bar(
            kind,
            (drawn.get(name) or _term(name, letters or Letters())) if kind == "term" else escape(name),
            name,
            100 * (min(x, 0.0) - lo) / span,
            100 * abs(x) / span,
            exact_text(e),
        )
        for (kind, name), x, e in zip(names, numbers, exact, strict=True)
    )


def _near(x: Number) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf


def _term(name: str, letters: Letters) -> Markup:
    if name.startswith("term ") or len(name) > _LONG_NAME:
        return Markup("<span>") + (name if len(name) <= _LONG_NAME else name[:40] + " …") + Markup("</span>")
    return mathml(latex_of(name, letters.of_quantity), block=False)


def drawings_of(found: Instance, source: str = "", course: Course | None = None) -> tuple[Drawing, ...]:
    """Whatever of an instance can be drawn: both sides over time, clients on a line, weights by round, an order that
    grows past its form. `source`: its script, which is run again for the first; `course`: what is drawn where that
    counts no rounds.
    """
    made = (course_of(found, source, course), _clients(found.values), _weights(found.values), _growth(found))
    return tuple(picture for picture in made if picture is not None)


def course_of(found: Instance, source: str, course: Course | None = None) -> Drawing | None:
    """The left side against the right one and each of its terms, at growing numbers of rounds of the same instance.

    `course` is not drawn where it does not end with the sides of `found`.
    """
    made = over_time(source) if source else None
    if made is None and course is not None and _ends_with(course, found):
        made = course
    if made is None:
        return None
    moments = made.moments
    lines = [
        ("left side", "series s2", [m.left for m in moments]),
        ("right side", "series s0", [m.right for m in moments]),
    ]
    n_terms = len(moments[0].terms)
    terms = [
        (f"term {k + 1}", f"series s{_TERMS[k % len(_TERMS)]} dashed", [m.terms[k] for m in moments])
        for k in range(n_terms if n_terms > 1 else 0)
    ]
    values = [v for _, _, own in [*lines, *terms] for v in own]
    above = [v for v in values if v > 0]
    log = min(values) >= 0 and bool(above) and max(above) > 20 * min(above)
    reach = _DWARFED * max(abs(v) for _, _, own in lines for v in own)
    dwarfing = [] if log else [name for name, _, own in terms if max(map(abs, own)) > reach]
    lines += [one for one in terms if one[0] not in dwarfing]
    values = [v for _, _, own in lines for v in own]
    rounds = [float(m.rounds) for m in moments]
    across = Scale(
        rounds[0], rounds[-1], _LEFT, _WIDTH - 76, log=rounds[-1] > 9 * rounds[0] and len(rounds) < rounds[-1]
    )
    down = spanning(values, _BOTTOM, _TOP, log=log)
    heights = spread([down.clamped(own[-1]) for _, _, own in lines], 14.0, _TOP + 4, _BOTTOM - 4)
    marks = _axes(across, down, made.unit)
    for (name, style, own), y in zip(lines, heights, strict=True):
        xy = [(across(r), down.clamped(v)) for r, v in zip(rounds, own, strict=True) if v > 0 or not log]
        if not xy:
            continue
        marks.append(
            el(
                "g",
                {"class": style},
                el("path", {"d": points(xy), "class": "line"}),
                text(_WIDTH - 70, y + 4, name, "end-name"),
            )
        )
    said = _course_words(found, made)
    if dwarfing:
        said += f" {_listed(dwarfing)} would dwarf both sides and {'is' if len(dwarfing) == 1 else 'are'} left out."
    return Drawing("Over time", said, drawing(_WIDTH, _HEIGHT, said, marks, "curves"))


def _ends_with(course: Course, found: Instance) -> bool:
    """Whether both sides at the last horizon are those of the script, to the rounding of floats."""
    if found.left is None or found.right is None:
        return False
    last = course.moments[-1]
    pairs = ((last.left, _near(found.left)), (last.right, _near(found.right)))
    return all(math.isclose(a, b, rel_tol=1e-12, abs_tol=0.0) for a, b in pairs)


def _course_words(found: Instance, course: Course) -> str:
    start, last = (course.moments[i].rounds for i in (0, -1))
    said = _passing(course) if found.relation == "≤" else ""
    return f"Both sides after {start} to {last} {course.unit} of this instance, computed exactly{said}."


def _listed(names: list[str]) -> str:
    shown = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return shown[:1].upper() + shown[1:]


def _passing(course: Course) -> str:
    """Where the left side passes the right one: after which round, or between which of those that were computed."""
    moments = course.moments
    first = next((i for i, m in enumerate(moments) if m.left > m.right), None)
    if first is None:
        return ""
    at = moments[first].rounds
    if first == 0:
        return "; the left side exceeds the right one from the first of these on"
    before = moments[first - 1].rounds
    if at - before == 1:
        return f"; the left side first exceeds the right one after {at}"
    return f"; the left side passes the right one between {before} and {at}"


def _row(values: Mapping[str, object], *names: str) -> list[float] | None:
    """The first of these entries that is a list of numbers."""
    for name in names:
        row = values.get(name)
        if isinstance(row, list) and row:
            numbers = [_scalar(v) for v in row]
            if None not in numbers:
                return [v for v in numbers if v is not None]
    return None


def _scalar(x: object) -> float | None:
    if isinstance(x, list) and len(x) == 1:
        return _scalar(x[0])
    if isinstance(x, bool) or not isinstance(x, str | int | float):
        return None
    try:
        return float(Fraction(x))
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _clients(values: Mapping[str, object]) -> Drawing | None:
    """Quadratic clients on a line: Fₖ(w) = hₖ/2 (w − cₖ)², their mean by shares, and the start."""
    curvature, optimum = _row(values, "curvature"), _row(values, "optimum", "optima", "centers", "center")
    if curvature is None or optimum is None or len(curvature) != len(optimum) or len(curvature) > _MOST_CLIENTS:
        return None
    if min(curvature) < 0:
        return None
    start = _scalar(values.get("start"))
    share = _row(values, "share") or []
    if len(share) != len(curvature) or min(share) < 0 or sum(share) == 0:
        share = [1 / len(curvature)] * len(curvature)
    marked = [*optimum, *([] if start is None else [start])]
    width = (max(marked) - min(marked)) or 2.0
    across = Scale(min(marked) - 0.3 * width, max(marked) + 0.3 * width, _LEFT, _WIDTH - 12)
    grid = [across.lo + (across.hi - across.lo) * i / _POINTS for i in range(_POINTS + 1)]

    def loss(k: int, w: float) -> float:
        return curvature[k] / 2 * (w - optimum[k]) ** 2

    def mean(w: float) -> float:
        return sum(s * loss(k, w) for k, s in enumerate(share)) / sum(share)

    top = max(mean(across.lo), mean(across.hi), 1e-300)
    down = Scale(0.0, top * 1.1, _BOTTOM, _TOP)
    marks = _axes(across, down, "w")
    frame: dict[str, str | float | None] = {"x": 0, "y": _TOP, "width": _WIDTH, "height": _BOTTOM - _TOP + 1}
    frame["viewBox"] = f"0 {_TOP:g} {_WIDTH:g} {_BOTTOM - _TOP + 1:g}"
    lines = []
    for k in range(len(curvature)):
        xy = [(across(w), max(down(loss(k, w)), _TOP - 30)) for w in grid]
        lines.append(el("g", {"class": f"series s{1 + k % 6}"}, el("path", {"d": points(xy), "class": "line"})))
    if len(curvature) > 1:
        xy = [(across(w), max(down(mean(w)), _TOP - 30)) for w in grid]
        lines.append(el("g", {"class": "series s0"}, el("path", {"d": points(xy), "class": "line mean"})))
    marks.append(el("svg", frame, *lines))
    for k, c in enumerate(optimum):
        marks.append(
            el(
                "g",
                {"class": f"series s{1 + k % 6}"},
                el("circle", {"cx": across(c), "cy": _BOTTOM, "r": 4, "class": "dot"}),
            )
        )
    if start is not None:
        marks.append(
            el("line", {"x1": across(start), "x2": across(start), "y1": _TOP + 14, "y2": _BOTTOM, "class": "start"})
        )
        marks.append(text(across(start), _TOP + 10, "start", "name", "middle"))
    n = len(curvature)
    said = f"{n} client{'s' if n > 1 else ''} on a line: each loss with a dot at its minimiser"
    said += ", the mean by shares in black" if n > 1 else ""
    said += f"; the run starts at {num(start)}" if start is not None else ""
    return Drawing("The clients", said + ".", drawing(_WIDTH, _HEIGHT, said, marks, "clients"))


def _axes(across: Scale, down: Scale, name: str) -> list[str]:
    marks = axes(across, down, (_LEFT, _WIDTH - 12, _BOTTOM), high=4)
    marks.append(text((_LEFT + _WIDTH - 12) / 2, _HEIGHT - 3, name, "name", "middle"))
    return marks


def _weights(values: Mapping[str, object]) -> Drawing | None:
    """Rounds by clients, the darker the more weight; only where there are at least two of each."""
    rows = values.get("weights")
    if not isinstance(rows, list) or not 2 <= len(rows) <= 40:
        return None
    numbers = [_row({"weights": row}, "weights") for row in rows]
    kept = [row for row in numbers if row is not None]
    if len(kept) != len(rows) or len({len(row) for row in kept}) != 1 or not 2 <= len(kept[0]) <= 20:
        return None
    if min(map(min, kept)) < 0 or max(map(max, kept)) > 1:
        return None
    cell = min(26.0, (_WIDTH - _LEFT - 12) / len(kept))
    marks: list[str] = []
    for t, row in enumerate(kept):
        for k, a in enumerate(row):
            box: dict[str, str | float | None] = {
                "x": _LEFT + t * cell,
                "y": 4 + k * 22,
                "width": cell - 1.5,
                "height": 20.0,
            }
            shade = f"cell h{round(7 * math.sqrt(a))}"
            marks.append(
                el("rect", {**box, "class": shade}, el("title", {}, f"round {t + 1}, client {k + 1}: {num(a)}"))
            )
    marks += [text(_LEFT - 6, 18 + k * 22, str(k + 1), "tick", "end") for k in range(len(kept[0]))]
    high = 4 + 22.0 * len(kept[0])
    marks.append(text(_LEFT, high + 16, f"round 1 to {len(kept)}", "name"))
    said = f"The weights of {len(kept[0])} clients (rows) over {len(kept)} rounds (columns); darker is more."
    return Drawing("The weights", said, drawing(_WIDTH, high + 22, said, marks, "strip"))


def _growth(found: Instance) -> Drawing | None:
    """Quotient and form against the size, both axes logarithmic."""
    rows = [(n, q, f) for n, q, f in found.growth if n > 0 and q > 0 and f > 0 and max(q, f) < 1e300]
    if len(rows) < 3:
        return None
    across = spanning([n for n, *_ in rows], _LEFT, _WIDTH - 90, log=True)
    down = spanning([v for _, q, f in rows for v in (q, f)], _BOTTOM, _TOP, log=True)
    marks = _axes(across, down, found.along)
    same = max(abs(math.log(q / f)) for _, q, f in rows) < 0.02
    lines = [(1, "quotient", "series s2"), (2, "form below", "series s0 dashed")][: 1 if same else 2]
    for i, name, style in lines:
        xy = [(across(row[0]), down(row[i])) for row in rows]
        y = xy[-1][1]
        marks.append(
            el(
                "g",
                {"class": style},
                el("path", {"d": points(xy), "class": "line"}),
                text(xy[-1][0] + 5, y + 4, name, "end-name"),
            )
        )
    first, last = (num(rows[i][0]) for i in (0, -1))
    said = f"The quotient that should stay bounded or vanish, exactly, for {found.along} from {first} to {last}"
    said += "; its closed form is the same line." if same else ", and the form that bounds it from below."
    return Drawing("The quotient", said, drawing(_WIDTH, _HEIGHT, said, marks, "curves"))

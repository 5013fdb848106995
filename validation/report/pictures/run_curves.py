"""Kept runs as figures: a quantity over the rounds, a mean and its 95 % band over seeds for each arm, to a file.

Source: the tables of rounds that `fedverdict run` and `simulate` leave. Figures are matplotlib's (extra `plots`), to be
written as SVG or PDF and shown in a notebook; the thousand pictures of a report are drawn by hand, as matplotlib
takes some 50 ms and 15 kB for each.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from html import escape
from importlib.util import find_spec
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.base.files import replace_file
from validation.recipe.statistics.intervals import Mean, mean_of
from validation.report.pictures.curves import spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "FORMATS",
    "Arm",
    "Point",
    "chosen",
    "curve",
    "figure",
    "foreseen",
    "possible",
    "quantities_of",
    "read_arms",
    "save",
    "seeds_told",
    "within",
]

FORMATS = (".svg", ".pdf", ".png", ".html")
_FIRST = ("test_accuracy", "train_loss", "gap", "quantity.gamma_minus_omega")
_NAMES = {"test_accuracy": "test accuracy", "train_loss": "training loss", "gap": "gap to the optimum"}
# Okabe and Ito's colours, told apart by colour-blind readers.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0579a", "#d99a00", "#4fa8dc", "#3a3d44")
_NAME_HEIGHT = 0.065  # of a panel's height that the name of a line takes
_MISSING = "figures need matplotlib: pip install 'fedverdict[plots]'"
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>TITLE</title>
<style>body { margin: 1.5rem auto; max-width: 60rem; background: #fff } svg { width: 100%; height: auto }</style></head>
<body>
PICTURE</body>
</html>
"""
_MOST_MARKED = 30  # points that are marked one by one


@dataclass(frozen=True)
class Arm:
    """Runs of one configuration that differ in their seed: `tables[s]` has a column of values by round.

    `seeds` of the tables, None where a folder does not say; `settings` of the first run, but for its seed.
    """

    name: str
    tables: tuple[dict[str, tuple[float, ...]], ...]
    seeds: tuple[int | None, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Point:
    """A round with the mean over the seeds that have a number there."""

    round: float
    mean: Mean


def read_arms(folders: Sequence[Path]) -> tuple[Arm, ...]:
    """The runs at and beneath these folders, those in `seed-…` folders of one place as seeds of one arm.

    Raises `ValueError` naming a folder without a table of rounds.
    """
    found: dict[Path, list[Path]] = {}
    for folder in folders:
        tables = sorted(p for p in folder.rglob("rounds.*") if p.suffix in {".parquet", ".json"})
        if not tables:
            raise ValueError(f"{folder}: no finished run in it; expected a folder that `fedverdict run --out` filled")
        for table in tables:
            place = table.parent
            found.setdefault(place.parent if place.name.startswith("seed-") else place, []).append(table)
    names = _told_apart(list(found))
    return tuple(_arm(names[place], tables) for place, tables in found.items())


def _arm(name: str, tables: Sequence[Path]) -> Arm:
    runs = [_identity(table.parent) for table in tables]
    seeds = tuple(_seed(table.parent, run) for table, run in zip(tables, runs, strict=True))
    settings = {key: value for key, value in runs[0].items() if key != "seed"}
    return Arm(name, tuple(map(_columns, tables)), seeds, settings)


def _identity(place: Path) -> dict[str, object]:
    """Configuration and rule of a run's folder, flat; empty where its run.json is missing or is none."""
    try:
        kept = json.loads((place / "run.json").read_text(encoding="utf-8"))
        return {**kept["config"], "rule": kept["rule"]}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def _seed(place: Path, run: Mapping[str, object]) -> int | None:
    told = re.fullmatch(r"seed-(\d+)", place.name)
    seed = run.get("seed", int(told[1]) if told else None)
    return seed if isinstance(seed, int) else None


def _told_apart(places: Sequence[Path]) -> dict[Path, str]:
    """Each folder by as few of its last names as tell it from the others."""
    for depth in range(1, 1 + max(len(p.parts) for p in places)):
        names = {place: "/".join(place.parts[-depth:]) for place in places}
        if len(set(names.values())) == len(places):
            return names
    return {place: str(place) for place in places}


def _columns(path: Path) -> dict[str, tuple[float, ...]]:
    from deep.metrics.files import read_rounds

    table = read_rounds(path)
    kinds = {name for name, kind in table.kinds.items() if kind in {"integer", "number"}}
    return {
        name: tuple(math.nan if v is None else float(v) for v in values)
        for name, values in table.columns.items()
        if name in kinds
    }


def quantities_of(arms: Sequence[Arm]) -> tuple[str, ...]:
    """The columns in which some arm has a number, short names first."""
    names = dict.fromkeys(name for arm in arms for table in arm.tables for name in table if name != "round")
    return tuple(n for n in names if any(curve(arm, n) for arm in arms))


def curve(arm: Arm, quantity: str) -> tuple[Point, ...]:
    """The mean by round; rounds in which no seed has a number are left out."""
    values: dict[float, list[float]] = {}
    for table in arm.tables:
        for r, v in zip(table.get("round", ()), table.get(quantity, ()), strict=False):
            if math.isfinite(v):
                values.setdefault(r, []).append(v)
    return tuple(Point(r, mean_of(values[r])) for r in sorted(values))


def seeds_told(arm: Arm, points: Sequence[Point]) -> str:
    """How many seeds a curve is the mean of: `3 seeds`, or where some of them have no value in some rounds.

    That they end early is told by round: `3 seeds, 2 from round 5`, or `3 seeds, fewer from round 5, 1 at the end`.
    """
    total, counts = len(arm.tables), [p.mean.n for p in points]
    if min(counts) == total:
        return f"{total} seed{'s' if total > 1 else ''}"
    if max(counts) == min(counts):
        return f"{counts[0]} of {total} seeds"
    drops = [p.round for p, q in zip(points[1:], points, strict=False) if p.mean.n < q.mean.n]
    if counts[0] < total or sorted(counts, reverse=True) != counts:
        return f"{total} seeds, {min(counts)} in some rounds"
    if len(drops) == 1:
        return f"{total} seeds, {counts[-1]} from round {drops[0]:g}"
    return f"{total} seeds, fewer from round {drops[0]:g}, {counts[-1]} at the end"


def chosen(arms: Sequence[Arm], wanted: Sequence[str]) -> tuple[str, ...]:
    """The quantities asked for, by their column or its last part; the usual ones when none is.

    Raises `ValueError` naming what there is.
    """
    known = quantities_of(arms)
    if not wanted:
        return tuple(q for q in _FIRST if q in known) or known[:1]
    found = []
    for name in wanted:
        hits = [q for q in known if name in {q, q.rpartition(".")[2]}]
        if not hits:
            raise ValueError(f"--quantity {name}: expected one of {', '.join(q.rpartition('.')[2] for q in known)}")
        found.append(hits[0])
    return tuple(found)


def foreseen(wanted: Sequence[str], out: Path) -> None:
    """Whether runs that are yet to be played can have these quantities, and a picture of them be written into `out`.

    What a run may have beside the columns of all is named in full: reported.aware_angle. Raises `ValueError`.
    """
    from deep.metrics.tables import round_columns

    every, groups = round_columns()
    for name in wanted:
        known = any(name in {q, q.rpartition(".")[2]} for q in every)
        if not known and not (name.partition(".")[0] in groups and name.partition(".")[2]):
            short = [q.rpartition(".")[2] for q in every]
            near = get_close_matches(name, short, n=1)
            meant = f"did you mean {near[0]}? " if near else ""
            more = ", ".join(f"{group}.NAME" for group in groups)
            raise ValueError(f"--quantity {name}: {meant}expected one of {', '.join(short)}, or in full {more}")
    _check_format(out)
    if find_spec("matplotlib") is None:
        raise ValueError(_MISSING)


def _check_format(out: Path) -> None:
    if out.suffix not in FORMATS:
        raise ValueError(f"--out {out}: expected a name that ends in {', '.join(FORMATS)}")


def figure(arms: Sequence[Arm], quantities: Sequence[str], *, log: bool = False) -> Figure:
    """A panel a quantity; every line is named at its end, with its number of seeds; a band is the mean's 95 % interval.

    A line is dashed where some of its seeds have no value: it is the mean of the others, and may jump where one drops
    out. A single seed has no band, nor have seeds that are all equal: they say nothing of their spread. Raises
    `ValueError` where matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure as Drawn
    except ImportError as error:
        raise ValueError(_MISSING) from error
    drawn = Drawn(figsize=(7.2, 3.4 * len(quantities)), layout="constrained")
    rows = drawn.subplots(len(quantities), 1, squeeze=False)
    for axes, quantity in zip(rows[:, 0], quantities, strict=True):
        _panel(axes, arms, quantity, log or quantity == "gap")
    return drawn


def _panel(axes: Any, arms: Sequence[Arm], quantity: str, log: bool) -> None:
    ends: list[tuple[str, str, float, float]] = []  # name, colour, last round, last value
    incomplete = False
    for i, arm in enumerate(arms):
        points = curve(arm, quantity)
        if not points:
            continue
        colour = _COLOURS[i % len(_COLOURS)]
        rounds = [p.round for p in points]
        marker = "o" if len(points) <= _MOST_MARKED else ""
        for part, whole in _stretches(points, len(arm.tables)):
            style, incomplete = ("-" if whole else (0, (3, 2))), incomplete or not whole
            x, y = [p.round for p in part], [p.mean.value for p in part]
            axes.plot(x, y, color=colour, lw=1.7, ls=style, marker=marker, ms=3)
        bands = [within(quantity, p.mean) for p in points]
        low, high = ([math.nan if band is None else band[side] for band in bands] for side in (0, 1))
        axes.fill_between(rounds, low, high, color=colour, alpha=0.16, lw=0)
        ends.append((f"{arm.name} ({seeds_told(arm, points)})", colour, rounds[-1], points[-1].mean.value))
    if log:
        axes.set_yscale("log")
    least, most = possible(quantity)
    below, above = axes.get_ylim()
    axes.set_ylim(max(below, least) if not log else below, min(above, most))
    _name_ends(axes, ends)
    axes.set_xlabel("round; dashed: not all seeds have a value" if incomplete else "round")
    axes.set_ylabel(_NAMES.get(quantity, quantity.rpartition(".")[2].replace("_", " ")))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e3e3dc", lw=0.8)
    axes.set_axisbelow(True)


def possible(quantity: str) -> tuple[float, float]:
    """The least and the greatest value that a quantity can have: accuracies 0 to 1, losses and norms from 0 on."""
    name = quantity.rpartition(".")[2]
    if name.endswith("accuracy"):
        return 0.0, 1.0
    return (0.0, math.inf) if name.endswith(("loss", "norm", "seconds")) or name == "gap" else (-math.inf, math.inf)


def within(quantity: str, mean: Mean) -> tuple[float, float] | None:
    """The interval of a mean without what the quantity cannot be; None where there is none."""
    if mean.low is None or mean.high is None:
        return None
    least, most = possible(quantity)
    return max(mean.low, least), min(mean.high, most)


def _stretches(points: Sequence[Point], total: int) -> list[tuple[list[Point], bool]]:
    """The curve cut where seeds drop out or come back, each part with whether all `total` seeds are in it.

    A step to or from a round without all seeds belongs to a part without.
    """
    whole = [p.mean.n == total for p in points]
    parts = [([points[0]], whole[0])]
    for before, after in pairwise(range(len(points))):
        both = whole[before] and whole[after]
        if len(parts[-1][0]) > 1 and parts[-1][1] is not both:
            parts.append(([points[before]], both))
        parts[-1] = ([*parts[-1][0], points[after]], both)
    return parts


def _name_ends(axes: Any, ends: Sequence[tuple[str, str, float, float]]) -> None:
    """Each line's name beside its end, moved up or down where names would lie on each other."""
    axes.set_ylim(*axes.get_ylim())  # the places below are parts of the height as it is now
    to_height = axes.transScale + axes.transLimits
    wanted = [float(to_height.transform((x, y))[1]) for _, _, x, y in ends]
    for (name, colour, x, _), height in zip(ends, spread(wanted, _NAME_HEIGHT, 0.0, 1.0), strict=True):
        axes.annotate(
            name, (x, height), xycoords=axes.get_xaxis_transform(), xytext=(6, 0), textcoords="offset points",
            color=colour, va="center", fontsize=8.5, annotation_clip=False,
        )  # fmt: skip


def save(drawn: Figure, out: Path) -> Path:
    """The figure in the format of the ending, .html a page of its own for a browser; `ValueError` for another one.

    An existing file is replaced in one step; raises `OSError` naming it, and it is then as it was.
    """
    _check_format(out)
    import matplotlib

    out.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "fedverdict", "svg.fonttype": "none"}):
        # Without a date, the same runs give the same bytes.
        dateless = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        if out.suffix == ".html":
            picture = StringIO()
            drawn.savefig(picture, format="svg", metadata=dateless[".svg"])
            svg = picture.getvalue()
            page = _PAGE.replace("TITLE", escape(out.stem)).replace("PICTURE", svg[svg.index("<svg") :])
            content = page.encode("utf-8")
        else:
            written = BytesIO()
            drawn.savefig(written, format=out.suffix[1:], metadata=dateless.get(out.suffix, {}), dpi=160)
            content = written.getvalue()
    replace_file(out, content)
    return out

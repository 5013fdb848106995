"""Trade-offs that papers measure: speed, limit and the bound's terms per strategy and parameter, with trajectories."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from validation.statement.claim import Paper

__all__ = ["NUMBERS", "frontier", "frontiers"]

NUMBERS = ("parameter", "rounds_to_level", "limit", "bound_speed", "bound_error")
Point = dict[str, Any]


def frontiers(papers: Sequence[Paper]) -> dict[str, list[Point]]:
    """The points of every paper whose package has a module `tradeoffs` with a function of that name, by key."""
    found = {}
    for paper in papers:
        package = _package(paper)
        if package is not None and find_spec(f"{package}.tradeoffs") is not None:
            found[paper.key] = frontier(import_module(f"{package}.tradeoffs").tradeoffs(), paper.key)
    return found


def frontier(points: Sequence[Mapping[str, Any]], place: str) -> list[Point]:
    """`points` as plain JSON: a name, the `NUMBERS` (None where there is none), the trajectory of F(w) − F* by round.

    Raises `ValueError` naming the paper, the point and the field that is missing or no number.
    """
    out = []
    for i, point in enumerate(points):
        where = f"tradeoffs of {place}, point {i + 1}"
        missing = {"name", "trajectory", *NUMBERS} - set(point)
        if missing:
            raise ValueError(f"{where}: lacks {', '.join(sorted(missing))}")
        row: Point = {"name": str(point["name"])}
        for name in NUMBERS:
            value = point[name]
            if value is not None and not isinstance(value, int | float):
                raise ValueError(f"{where}: {name} is {value!r}; expected a number or None")
            row[name] = None if value is None or not math.isfinite(value) else float(value)
        gaps = [float(v) for v in point["trajectory"]]
        row["trajectory"] = [None if not math.isfinite(v) else v for v in gaps]
        out.append(row)
    return out


def _package(paper: Paper) -> str | None:
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is not None and Path(file) == paper.folder / "__init__.py":
            return name
    return None

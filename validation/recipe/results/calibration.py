"""Which options of open choices come to the printed cells that open choices are settled by.

Of runs on calibration seeds, which are used for nothing else. Every option whose interval meets the print is kept, and
it is said where none does; a single seed, or seeds that are all equal, have no interval and leave an option open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from theory.base.files import replace_file
from validation.recipe.recipe import Cells, Recipe
from validation.recipe.results.by_seed import runs_by_seed
from validation.recipe.results.comparison import printed_interval
from validation.recipe.results.tables import Printed, printed_cells
from validation.recipe.shelf import Shelf
from validation.recipe.statistics.intervals import Mean, mean_of
from validation.recipe.unit import said

__all__ = ["CALIBRATED", "Setting", "anchored", "settings_tried", "write_settings"]

CALIBRATED = "results/calibration.json"


@dataclass(frozen=True)
class Setting:
    """A printed cell of calibration, `theirs` as an interval, and ours under one choice over calibration seeds.

    `ours` is None where no run has the measure, such as a round at which an accuracy is reached that none reaches;
    `without` counts the runs that have not. `covers`: whether the intervals meet, None where ours has none and
    where runs are without.
    """

    recipe: str
    arm: str
    measure: str
    published: float
    theirs: tuple[float, float]
    choice: str
    ours: Mean | None
    covers: bool | None
    without: int = 0


def anchored(recipe: Recipe) -> tuple[str, ...]:
    """The methods whose printed cells open choices are settled by."""
    rows = [cells for cells in recipe.cells if cells.calibration]
    return tuple(arm.name for arm in recipe.arms if any(cells.of(arm.name) is not None for cells in rows))


def settings_tried(shelf: Shelf) -> list[Setting]:
    """Of each cell of calibration every choice that calibration seeds were run of, defaults first."""
    results, printed = shelf.read(), list(printed_cells(shelf.folder / "published"))
    found = []
    for recipe, cells, arm, cell in _anchors(shelf, printed):
        for choice in (c for c in recipe.choices() if all(o.concerns(arm) for o in recipe.open if o.name in c)):
            runs = runs_by_seed(recipe, arm, choice, results, calibration=True)
            asked = recipe.measure_of(arm, cells.measure)
            values = [value * cells.times for run in runs.values() if (value := run.value(asked)) is not None]
            if runs:
                ours = mean_of(values) if values else None
                theirs, without, covers = printed_interval(cell), len(runs) - len(values), None
                if ours is not None and not without and ours.low is not None and ours.high is not None:
                    covers = _meet((ours.low, ours.high), theirs)
                row = Setting(recipe.id, arm, cells.measure, cell.value, theirs, said(choice), ours, covers, without)
                found.append(row)
    return found


def _anchors(shelf: Shelf, printed: list[Printed]) -> list[tuple[Recipe, Cells, str, Printed]]:
    return [
        (recipe, cells, arm.name, cell)
        for recipe in shelf.recipes()
        for cells in recipe.cells
        if cells.calibration
        for arm in recipe.arms
        if (row := cells.of(arm.name)) is not None
        for cell in printed
        if cell.table == cells.table and cell.matches(row)
    ]


def _meet(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def write_settings(shelf: Shelf) -> Path | None:
    """Keep `settings_tried` beside the results; None where there are none and no file."""
    path, rows = shelf.folder / CALIBRATED, settings_tried(shelf)
    if not rows and not path.exists():
        return None
    lines = ",\n".join(" " + json.dumps(_six(asdict(row)), ensure_ascii=False, allow_nan=False) for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"[\n{lines}\n]\n".encode())
    return path


def _six(value: Any) -> Any:
    """The same with every number to six digits."""
    if isinstance(value, Mapping):
        return {name: _six(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_six(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value

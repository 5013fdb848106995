"""Published numbers beside ours, cell by cell.

A cell *agrees* where the interval of our mean meets the printed number with its own interval, else it *differs*; a
single seed, or seeds that all come to one number, have no interval and leave it *undecided*, and so does a printed
number that lies within our means over options that the print leaves open. Only runs of the whole configuration count:
with fewer rounds they are a *demonstration*, whatever they show. Beside the interval over seeds stands the spread over
open choices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from validation.recipe.recipe import Cells, Open, Recipe
from validation.recipe.result import Result
from validation.recipe.results.by_seed import Status, demonstrated, seeds_without, values_by_seed
from validation.recipe.results.intervals import Mean, mean_of, quantile
from validation.recipe.results.tables import Apart, Printed, apart, printed_cells
from validation.recipe.shelf import Shelf
from validation.recipe.unit import Unit, settings_of
from validation.recipe.unit import said as in_words

__all__ = ["CellRow", "Ranked", "cell_rows", "printed_interval", "ranked"]

_TUNED_ON = "late_mean(validation_accuracy)"


@dataclass(frozen=True)
class CellRow:
    """A printed number beside ours, in the table's unit.

    `interval` of our mean over `n` seeds, of theirs `published_interval` where it is printed. `spread`: least and
    greatest mean over the options of open choices that were run. `hours`: what is missing of its whole recipe
    would take, not of this cell alone; None where nothing is or nobody knows. `calibration`: it settled an open choice,
    so it is no evidence. Options that are excluded are in no spread.
    """

    paper: str
    table: str
    row: str
    column: str
    published: float
    published_interval: tuple[float, float] | None
    ours: float | None
    interval: tuple[float, float] | None
    n: int
    spread: tuple[float, float] | None
    status: Status
    hours: float | None
    recipe: str | None
    calibration: bool
    note: str


def cell_rows(shelf: Shelf, hours: Mapping[str, float] | None = None) -> list[CellRow]:
    """Every printed number of a paper's tables with its status; `hours` by recipe, for what is not run."""
    recipes, results = shelf.recipes(), shelf.read()
    aside = apart(shelf.folder / "recipes" / "tables.toml")
    beside = _Beside.of(recipes)
    return [
        _cell(shelf.paper, printed, beside, results, aside, hours or {})
        for printed in printed_cells(shelf.folder / "published")
    ]


@dataclass(frozen=True)
class _Beside:
    """The recipe, its cells and the arm that stand beside a printed number."""

    entries: tuple[tuple[Recipe, Cells, str], ...]

    @classmethod
    def of(cls, recipes: Iterable[Recipe]) -> _Beside:
        return cls(tuple((r, cells, arm.name) for r in recipes for cells in r.cells for arm in r.arms))

    def find(self, printed: Printed) -> tuple[Recipe, Cells, str] | None:
        for recipe, cells, arm in self.entries:
            row = cells.of(arm)
            if row is not None and cells.table == printed.table and printed.matches(row):
                return recipe, cells, arm
        return None


def _cell(
    paper: str,
    printed: Printed,
    beside: _Beside,
    results: Mapping[str, Result],
    aside: Sequence[Apart],
    hours: Mapping[str, float],
) -> CellRow:
    theirs = _their_interval(printed)
    found = beside.find(printed)
    if found is None:
        why = next((a for a in aside if a.table == printed.table and printed.matches(a.where)), None)
        status: Status = why.status if why else "not run"
        note = why.why if why else "no recipe runs it"
        return CellRow(
            paper,
            printed.table,
            printed.row,
            printed.column,
            printed.value,
            theirs,
            None,
            None,
            0,
            None,
            status,
            None,
            None,
            False,
            note,
        )
    recipe, cells, arm = found
    values = [v * cells.times for v in _over_seeds(recipe, arm, {}, cells.measure, results)]
    ours = mean_of(values) if values else None
    status, note = _status(ours, printed, theirs), recipe.incomplete
    lost = seeds_without(recipe, arm, {}, cells.measure, results)
    if lost and ours is not None:  # a mean of those that have a value is none of the method
        told = f"{len(lost)} of {len(lost) + len(values)} runs ended without a value"
        status, note = "undecided", f"{note}; {told}" if note else told
    shown = ours
    if ours is None:
        asked = recipe.measure_of(arm, cells.measure)
        runs = demonstrated(recipe, arm, results).values()
        small = [v * cells.times for run in runs if (v := run.value(asked)) is not None]
        status = "data not owned" if recipe.owned else "demonstration" if small else "not run"
        shown = mean_of(small) if small else None
        note = recipe.owned or "; ".join(part for part in (_rounds(recipe, arm, runs), note) if part)
    varied = [c for c in recipe.choices() if all(_is_theirs(o, c, arm) for o in recipe.open if o.name in c)]
    choices = [_over_seeds(recipe, arm, choice, cells.measure, results) for choice in varied]
    means = [mean_of(found).value * cells.times for found in choices if found]
    spread = (min(means), max(means)) if len(means) > 1 else None
    low, high = theirs or printed_interval(printed)
    if status == "differs" and spread is not None and spread[0] <= high and low <= spread[1]:
        status, told = "undecided", "within the spread over choices that the print leaves open"
        note = f"{note}; {told}" if note else told
    return CellRow(
        paper=paper,
        table=printed.table,
        row=printed.row,
        column=printed.column,
        published=printed.value,
        published_interval=theirs,
        ours=None if shown is None else shown.value,
        interval=None if shown is None or shown.low is None or shown.high is None else (shown.low, shown.high),
        n=0 if shown is None else shown.n,
        spread=spread,
        status=status,
        hours=_three(hours.get(recipe.id)) if status in {"not run", "demonstration"} else None,
        recipe=recipe.id,
        calibration=cells.calibration,
        note=note,
    )


def _is_theirs(one: Open, choice: Mapping[str, str], arm: str) -> bool:
    """Whether the option that is chosen concerns the arm and may be the paper's."""
    return one.concerns(arm) and choice[one.name] not in one.excluded


def _rounds(recipe: Recipe, arm: str, runs: Iterable[Result]) -> str:
    """How many rounds demonstrations took, of how many; empty without any."""
    played = sorted({run.n_rounds for run in runs})
    return f"{played[0]} of {settings_of(Unit(recipe, arm, 0)).config.n_rounds} rounds" if played else ""


def _three(hours: float | None) -> float | None:
    """To three digits, which is more than anybody knows."""
    return None if hours is None else float(f"{hours:.3g}")


def _their_interval(printed: Printed) -> tuple[float, float] | None:
    """What is printed behind ±: a 95 % half width as it is, a deviation over n runs as the mean's interval."""
    if half := printed.entries.get("ci95"):
        width = float(half)
    elif (deviation := printed.entries.get("std")) and (runs := printed.entries.get("n_runs")) and int(runs) > 1:
        width = quantile(int(runs)) * float(deviation) / sqrt(int(runs))
    else:
        return None
    return printed.value - width, printed.value + width


def printed_interval(printed: Printed) -> tuple[float, float]:
    """What is printed with its own interval, or with half a unit of its last digit where it has none."""
    half = printed.half_unit
    return _their_interval(printed) or (printed.value - half, printed.value + half)


def _status(ours: Mean | None, printed: Printed, theirs: tuple[float, float] | None) -> Status:
    if ours is None:
        return "not run"
    if ours.low is None or ours.high is None:
        return "undecided"
    low, high = theirs or printed_interval(printed)
    return "agrees" if ours.low <= high and low <= ours.high else "differs"


def _over_seeds(
    recipe: Recipe, arm: str, choice: Mapping[str, str], measure: str, results: Mapping[str, Result]
) -> list[float]:
    return list(values_by_seed(recipe, arm, choice, measure, results).values())


@dataclass(frozen=True)
class Ranked:
    """Mean validation accuracy over the last tenth of the rounds, over `n` calibration seeds."""

    arm: str
    choice: str
    mean: float
    n: int


def ranked(recipe: Recipe, results: Mapping[str, Result], names: Sequence[str]) -> list[Ranked]:
    """The defaults and each option of the open choices `names`, arm by arm, best first."""
    rows = []
    for arm in recipe.arms:
        mine = []
        for choice in recipe.choices():
            if set(choice) <= set(names):
                values = list(values_by_seed(recipe, arm.name, choice, _TUNED_ON, results, calibration=True).values())
                if values:
                    mine.append(Ranked(arm.name, in_words(choice), mean_of(values).value, len(values)))
        rows += sorted(mine, key=lambda row: -row.mean)
    return rows

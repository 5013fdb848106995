"""Published numbers beside ours, cell by cell: is ours within ±δ of the printed number, under every open choice?

δ is half the smallest gap that the paper claims in the table; where it claims none nothing says how near is near, and
the cell is *unresolved*. Only runs of the whole configuration count: with fewer rounds they are a *demonstration*,
whatever they show. A cell that open choices were settled by is no evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from validation.recipe.recipe import Cells, Recipe
from validation.recipe.result import Result
from validation.recipe.results.by_seed import Status, demonstrated, runs_by_seed, searched, values_by_seed
from validation.recipe.results.compared import Asked, Compared, compare_all
from validation.recipe.results.paired import Paired, one_of
from validation.recipe.results.sized import known_of, what_is_printed
from validation.recipe.results.tables import Apart, Printed, Rows, apart, printed_cells
from validation.recipe.runs.collapse import collapse_of
from validation.recipe.runs.work import chance_of
from validation.recipe.shelf import Shelf
from validation.recipe.statistics.calculus import State
from validation.recipe.statistics.intervals import mean_of, quantile
from validation.recipe.unit import Unit, settings_of
from validation.recipe.unit import said as in_words

__all__ = ["CellRow", "Ranked", "cell_rows", "printed_interval", "ranked", "selected"]

_TUNED_ON = "late_mean(validation_accuracy)"


@dataclass(frozen=True)
class CellRow:
    """A printed number beside ours, in the table's unit.

    `interval` of our mean over `n` seeds, 95 %; of theirs `published_interval` where it is printed, `printed_is` what
    the printed ± is. `gap`: ours − print with its 95 % interval, to be within ±`delta`. `p` counts looks and family.
    `options`: the state of each option that is left open; `why`, `change`: what the word lacks, what would change it.
    `hours`: what is missing of its whole recipe would take, not of this cell alone; None where nothing is or nobody
    knows. `calibration`: it settled an open choice, so it is no evidence; `selected`: choices settled by such cells.
    """

    paper: str
    table: str
    row: str
    column: str
    published: float
    published_interval: tuple[float, float] | None
    status: Status
    note: str
    ours: float | None = None
    interval: tuple[float, float] | None = None
    n: int = 0
    hours: float | None = None
    recipe: str | None = None
    calibration: bool = False
    estimand: str = ""
    printed_is: str = ""
    delta: float | None = None
    gap: tuple[float, float, float] | None = None
    p: float | None = None
    look: int = 0
    options: Mapping[str, State] | None = None
    selected: tuple[str, ...] = ()
    why: str = ""
    change: str = ""


def cell_rows(shelf: Shelf, hours: Mapping[str, float] | None = None) -> list[CellRow]:
    """Every printed number of a paper's tables with its status; `hours` by recipe, for what is not run."""
    recipes, results = shelf.recipes(), shelf.read()
    table = Rows(printed_cells(shelf.folder / "published"))
    aside = apart(shelf.folder / "recipes" / "tables.toml")
    beside = _Beside.of(recipes)
    placed = [beside.find(printed) for printed in table]
    told: dict[int, Compared] = {}
    for recipe in recipes:
        mine = [(i, found) for i, found in enumerate(placed) if found is not None and found[0] is recipe]
        for family in (True, False):  # cells of calibration are in no family but their own
            of = [(i, found) for i, found in mine if found[1].calibration is family]
            asked = [_asked(recipe, cells, arm, table, results) for _, (_, cells, arm) in of]
            told |= dict(zip((i for i, _ in of), compare_all(recipe, asked), strict=True))
    return [
        _apart(shelf.paper, printed, aside) if found is None else _cell(printed, found, told[i], results, hours or {})
        for i, (printed, found) in enumerate(zip(table, placed, strict=True))
    ]


@dataclass(frozen=True)
class _Beside:
    """The recipe, its cells and the arm that stand beside a printed number, by table with the entries of the row."""

    entries: Mapping[str, Sequence[tuple[Mapping[str, str], tuple[Recipe, Cells, str]]]]

    @classmethod
    def of(cls, recipes: Iterable[Recipe]) -> _Beside:
        found: dict[str, list[tuple[Mapping[str, str], tuple[Recipe, Cells, str]]]] = {}
        for recipe, cells, arm in ((r, cells, arm.name) for r in recipes for cells in r.cells for arm in r.arms):
            row = cells.of(arm)
            if row is not None:
                found.setdefault(cells.table, []).append((row, (recipe, cells, arm)))
        return cls(found)

    def find(self, printed: Printed) -> tuple[Recipe, Cells, str] | None:
        """The first whose row it is."""
        return next((beside for row, beside in self.entries.get(printed.table, ()) if printed.matches(row)), None)


def _asked(
    recipe: Recipe,
    cells: Cells,
    arm: str,
    table: Rows,
    results: Mapping[str, Result],
) -> Asked:
    def ours(choice: Mapping[str, str]) -> Paired:
        found, lost = one_of(recipe, arm, choice, cells.measure, results)
        return Paired.at_look(recipe, {seed: value * cells.times for seed, value in found.items()}, lost)

    def grid(choice: Mapping[str, str]) -> bool:
        return searched(recipe, (arm,), choice, results)

    (known,), delta = known_of(recipe, cells, (arm,), table)
    return Asked(cells.measure, ours, known, delta, False, (arm,), grid)


def _apart(paper: str, printed: Printed, aside: Sequence[Apart]) -> CellRow:
    why = next((a for a in aside if a.table == printed.table and printed.matches(a.where)), None)
    status: Status = why.status if why else "not run"
    note = why.why if why else "no recipe runs it"
    theirs = _their_interval(printed)
    return CellRow(paper, printed.table, printed.row, printed.column, printed.value, theirs, status, note)


def _cell(
    printed: Printed,
    found: tuple[Recipe, Cells, str],
    told: Compared,
    results: Mapping[str, Result],
    hours: Mapping[str, float],
) -> CellRow:
    recipe, cells, arm = found
    status: Status = told.told.word
    shown, notes = told.ours, [recipe.incomplete]
    runs = runs_by_seed(recipe, arm, {}, results) or demonstrated(recipe, arm, results)
    if told.without:
        notes.append(f"{told.without} of {told.without + (shown.n if shown else 0)} runs ended without a value")
    if shown is None:
        asked = recipe.measure_of(arm, cells.measure)
        small = [v * cells.times for run in runs.values() if (v := run.value(asked)) is not None]
        status = "data not owned" if recipe.owned else "demonstration" if small else "not run"
        shown = mean_of(small) if small else None
        notes = [recipe.owned] if recipe.owned else [_rounds(recipe, arm, runs.values()), *notes]
    elif told.delta is None:
        notes.append("the paper claims no gap in this table, so nothing says how near is near")
    notes += _collapsed(runs.values(), chance_of(Unit(recipe, arm, 0)))
    return CellRow(
        paper=recipe.paper,
        table=printed.table,
        row=printed.row,
        column=printed.column,
        published=printed.value,
        published_interval=_their_interval(printed),
        status=status,
        note="; ".join(note for note in notes if note),
        ours=None if shown is None else shown.value,
        interval=None if shown is None or shown.low is None or shown.high is None else (shown.low, shown.high),
        n=0 if shown is None else shown.n,
        hours=_three(hours.get(recipe.id)) if status in {"not run", "demonstration"} else None,
        recipe=recipe.id,
        calibration=cells.calibration,
        estimand=f"{cells.measure} of {arm}, mean over seeds",
        printed_is=what_is_printed(printed),
        delta=told.delta,
        gap=None if told.gap is None else (told.gap.gap, told.gap.low, told.gap.high),
        p=told.p_size,
        look=told.look,
        options=told.options,
        selected=selected(recipe),
        why=told.told.why,
        change=told.change if told.ours is not None else "",
    )


def _collapsed(runs: Collection[Result], chance: float) -> list[str]:
    """How many runs collapsed, and the first with its cause."""
    found = [why for run in runs if (why := collapse_of(run, chance))]
    return [f"{len(found)} of {len(runs)} runs collapsed: {found[0]}"] if found else []


def selected(recipe: Recipe) -> tuple[str, ...]:
    """Choices whose default was inferred from printed numbers: what agrees with these is no surprise."""
    return tuple(one.name for one in recipe.open if one.source == "inferred")


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

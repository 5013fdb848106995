"""Published numbers beside ours, cell by cell, and what the prose says of them, difference by difference.

A cell *agrees* where the interval of our mean meets the printed number with its own interval, else it *differs*; a
single seed has no interval and leaves it *undecided*. Only runs of the whole configuration count: with fewer rounds
they are a *demonstration*, whatever they show. Beside the interval over seeds stands the spread over open choices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal, TypeAlias

from validation.recipe.intervals import Mean, holm, mean_of, p_value, quantile
from validation.recipe.recipe import Cells, Recipe, Statement
from validation.recipe.result import Result
from validation.recipe.shelf import Shelf
from validation.recipe.tables import Apart, Printed, apart, claims_apart, printed_cells
from validation.recipe.unit import CALIBRATION_SEED, Unit, identity
from validation.recipe.unit import said as in_words
from validation.statement.played import BEYOND_CHANCE

__all__ = [
    "CellRow",
    "Difference",
    "Ranked",
    "StatementRow",
    "Status",
    "cell_rows",
    "printed_interval",
    "ranked",
    "runs_by_seed",
    "statement_rows",
    "statement_status",
    "statements_of",
    "values_by_seed",
]

Status: TypeAlias = Literal["agrees", "differs", "undecided", "demonstration", "not run", "data not owned", "static"]
_TUNED_ON = "late_mean(validation_accuracy)"
_MOST_SEEDS = 64  # looked for, from 0 on


@dataclass(frozen=True)
class CellRow:
    """A printed number beside ours, in the table's unit.

    `interval` of our mean over `n` seeds, of theirs `published_interval` where it is printed. `spread`: least and
    greatest mean over the options of open choices that were run. `hours`: what is missing of its whole recipe
    would take, not of this cell alone; None where nothing is or nobody knows. `calibration`: it settled an open choice,
    so it is no evidence.
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


@dataclass(frozen=True)
class Difference:
    """`arm` minus `than` (or minus a number) in a measure, over `n` paired seeds.

    `p`: Holm's, within its recipe, of p times its `looks`.
    """

    than: str
    mean: Mean | None
    n: int
    p: float | None


@dataclass(frozen=True)
class StatementRow:
    """What the prose says, and the differences it comes to; `scale` of the runs they are taken from."""

    claim: str
    recipe: str
    says: str
    status: Status
    differences: tuple[Difference, ...]
    spread: tuple[str, ...]
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
        note = why.why if why else "no recipe stands beside it"
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
    shown = ours
    if ours is None:
        small = [v * cells.times for v in _demonstrated(recipe, arm, cells.measure, results)]
        status = "data not owned" if recipe.owned else "demonstration" if small else "not run"
        shown = mean_of(small) if small else None
        note = recipe.owned or note
    varied = [c for c in recipe.choices() if all(o.concerns(arm) for o in recipe.open if o.name in c)]
    choices = [_over_seeds(recipe, arm, choice, cells.measure, results) for choice in varied]
    means = [mean_of(found).value * cells.times for found in choices if found]
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
        spread=(min(means), max(means)) if len(means) > 1 else None,
        status=status,
        hours=_three(hours.get(recipe.id)) if status in {"not run", "demonstration"} else None,
        recipe=recipe.id,
        calibration=cells.calibration,
        note=note,
    )


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


def values_by_seed(
    recipe: Recipe,
    arm: str,
    choice: Mapping[str, str],
    measure: str,
    results: Mapping[str, Result],
    *,
    calibration: bool = False,
) -> dict[int, float]:
    """The measure by seed, of runs (`runs_by_seed`) that have one: accuracy that is never reached has no round."""
    runs = runs_by_seed(recipe, arm, choice, results, calibration=calibration)
    return {seed: value for seed, run in runs.items() if (value := run.value(measure)) is not None}


def runs_by_seed(
    recipe: Recipe, arm: str, choice: Mapping[str, str], results: Mapping[str, Result], *, calibration: bool = False
) -> dict[int, Result]:
    """By seed, completed results whose configuration is the whole one of today's recipe; of which seeds."""
    of_paper = (r.seed for r in results.values())  # another recipe may have made the same run
    held = {seed for seed in of_paper if (seed >= CALIBRATION_SEED) == calibration}
    found: dict[int, Result] = {}
    for seed in sorted(held)[:_MOST_SEEDS]:
        result = results.get(identity(Unit(recipe, arm, seed, choice)))
        if result is not None and result.status == "completed":
            found[seed] = result
    return found


def _demonstrated(recipe: Recipe, arm: str, measure: str, results: Mapping[str, Result]) -> list[float]:
    """Values of runs that are not the whole configuration: the largest scale there is, default choices."""
    mine = [r for r in results.values() if r.recipe == recipe.id and r.arm == arm and not r.choice and r.scale < 1]
    largest = max((r.scale for r in mine), default=0.0)
    values = [r.value(measure) for r in mine if r.scale == largest and r.seed < CALIBRATION_SEED]
    return [v for v in values if v is not None]


def statement_rows(shelf: Shelf) -> list[StatementRow]:
    """What the prose says, recipe by recipe, with paired differences over seeds and Holm's correction."""
    results = shelf.read()
    said = [row for recipe in shelf.recipes() for row in statements_of(recipe, results)]
    others = claims_apart(shelf.folder / "recipes" / "tables.toml")
    return [*said, *(StatementRow(o.claim, "", o.why, o.status, (), (), o.why) for o in others)]


def statements_of(recipe: Recipe, results: Mapping[str, Result]) -> list[StatementRow]:
    """As `statement_rows`, of one recipe and results by configuration."""
    pairs = [(said, _differences(recipe, said, {}, results)) for said in recipe.statements]
    tested = {
        (i, name): min(1.0, recipe.looks * p)
        for i, (_, found) in enumerate(pairs)
        for name, d in found.items()
        if (p := p_value(list(d.values()))) is not None
    }
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    rows = []
    for i, (said, found) in enumerate(pairs):
        differences = tuple(
            Difference(name, mean_of(list(d.values())) if d else None, len(d), adjusted.get((i, name)))
            for name, d in found.items()
        )
        signs = _signs(recipe, said, results)
        status, spread = _unless_another_way(_said_status(said, differences), signs), tuple(s.said for s in signs)
        if recipe.unsettled and status in {"agrees", "differs"}:
            status, spread = "undecided", (*spread, recipe.unsettled)
        shown = {r.arm for r in results.values() if r.recipe == recipe.id and r.scale < 1}
        small = {said.arm, *said.than} <= shown
        if status == "not run":
            status = "data not owned" if recipe.owned else "demonstration" if small else "not run"
        rows.append(
            StatementRow(
                said.claim,
                recipe.id,
                _in_words(said),
                status,
                differences,
                spread,
                recipe.owned or recipe.unsettled or recipe.incomplete,
            )
        )
    return rows


def _differences(
    recipe: Recipe, said: Statement, choice: Mapping[str, str], results: Mapping[str, Result]
) -> dict[str, dict[int, float]]:
    """By rival (or bound): by seed, the arm's measure minus the rival's, seeds that both have."""

    def of(name: str) -> dict[int, float]:
        found = values_by_seed(recipe, name, choice, said.measure, results)
        if name not in said.gain_over:
            return found
        base = values_by_seed(recipe, said.gain_over[name], choice, said.measure, results)
        return {seed: value - base[seed] for seed, value in found.items() if seed in base}

    arm = of(said.arm)
    if said.against:
        other = values_by_seed(recipe, said.arm, choice, said.against, results)
        return {said.against: {seed: arm[seed] - other[seed] for seed in arm if seed in other}}
    if not said.than:
        return {f"{said.bound:g}": {seed: value - said.bound for seed, value in arm.items()}}
    found = {}
    for rival in said.than:
        theirs = of(rival)
        allowed = said.margin if said.is_ == "above" else -said.margin
        found[rival] = {seed: arm[seed] - theirs[seed] + allowed for seed in arm if seed in theirs}
    return found


def _said_status(said: Statement, differences: Sequence[Difference]) -> Status:
    """Agrees when every difference points as said beyond chance, differs when one points the other way or is none.

    Said of most: agrees when more than half do, differs when at least half point the other way or are none.
    """
    if any(d.mean is None for d in differences):
        return "not run"
    sign = 1 if said.is_ == "above" else -1
    verdicts = []
    for d in differences:
        mean = d.mean
        if mean is None or d.p is None or (d.p >= BEYOND_CHANCE and not mean.low == mean.high == 0):
            verdicts.append("undecided")
        else:
            verdicts.append("agrees" if sign * mean.value > 0 else "differs")
    against, enough = verdicts.count("differs"), _enough(said, verdicts.count("agrees"), len(verdicts))
    if 2 * against >= len(verdicts) if said.most else against:
        return "differs"
    return "agrees" if enough else "undecided"


def _enough(said: Statement, as_said: int, n: int) -> bool:
    """Whether so many of `n` differences are all, or most where the prose says most."""
    return 2 * as_said > n if said.most else as_said == n


@dataclass(frozen=True)
class _Sign:
    """Under another option, one `of_grid` or not: how many of `n` mean differences point `as_said`, and if `enough`."""

    option: str
    as_said: int
    n: int
    enough: bool
    of_grid: bool

    @property
    def said(self) -> str:
        return f"{self.option}: {self.as_said} of {self.n} as said"


def _unless_another_way(status: Status, signs: Sequence[_Sign]) -> Status:
    """Undecided where the print leaves open an option that was run and points the other way; a grid is no such option.

    A single seed of it is enough: what hangs on a choice that is not printed is no verdict on the print.
    """
    open_ones = [sign for sign in signs if not sign.of_grid]
    if status == "agrees" and not all(sign.enough for sign in open_ones):
        return "undecided"
    return "undecided" if status == "differs" and any(sign.enough for sign in open_ones) else status


def _signs(recipe: Recipe, said: Statement, results: Mapping[str, Result]) -> tuple[_Sign, ...]:
    """Under which options that were run, and that change one of its runs, each difference points as said."""
    sign, shown = (1 if said.is_ == "above" else -1), []
    runs = (said.arm, *said.than, *said.gain_over.values())
    matter = {o.name for o in recipe.open if any(o.concerns(arm) for arm in runs)}
    for choice in recipe.choices():
        if not matter.issuperset(choice):
            continue
        found = _differences(recipe, said, choice, results)
        if not choice or not all(found.values()):
            continue
        as_said = sum(sign * mean_of(list(d.values())).value > 0 for d in found.values())
        ((name, option),) = choice.items()
        of_grid = next(o.grid for o in recipe.open if o.name == name)
        enough = _enough(said, as_said, len(found))
        shown.append(_Sign(f"{name} = {option}", as_said, len(found), enough, of_grid))
    return tuple(shown)


def _in_words(said: Statement) -> str:
    other = ", ".join(said.than) or said.against or f"{said.bound:g}"
    margin = f", or at most {said.margin:g} on the other side" if said.margin else ""
    most = "most of " if said.most else ""
    return f"{said.measure}: {said.arm} {said.is_} {most}{other}{margin}"


def statement_status(rows: Iterable[StatementRow]) -> dict[str, Status]:
    """By claim: of all that is said for it, the status that is farthest from settled in its favour."""
    order: tuple[Status, ...] = (
        "differs",
        "static",
        "data not owned",
        "not run",
        "demonstration",
        "undecided",
        "agrees",
    )
    found: dict[str, Status] = {}
    for row in rows:
        kept = found.get(row.claim, row.status)
        found[row.claim] = min(kept, row.status, key=order.index)
    return found


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

"""Published differences beside ours: method A less method B, paired by seed, where the paper claims an order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from validation.recipe.recipe import Cells, Recipe
from validation.recipe.result import Result
from validation.recipe.results.by_seed import Status, searched
from validation.recipe.results.compared import Asked, Compared, compare_all
from validation.recipe.results.comparison import selected
from validation.recipe.results.paired import Paired, one_of
from validation.recipe.results.sized import known_of, row_of
from validation.recipe.results.tables import Printed, Rows, printed_cells
from validation.recipe.shelf import Shelf
from validation.recipe.statistics.calculus import Direction, Size, State

__all__ = ["ContrastRow", "contrast_rows"]

_DIGITS = 9  # of a difference of printed decimals


@dataclass(frozen=True)
class ContrastRow:
    """`first` less `second` in a measure, as printed and as ours, in the table's unit.

    `ours` with its 95 % `interval` over `n` paired seeds; `gap`: ours − print with its 95 % interval, to be within
    ±`delta`; p's count looks and family. `status`: the word over open choices, `options` the state of each; `why` and
    `change`: what the word lacks, and what would change it. `calibration`: one of its cells settled an open choice, so
    it is no evidence; `selected`: choices settled by such cells. `sentence`: the paper's words.
    """

    paper: str
    recipe: str
    table: str
    where: str
    first: str
    second: str
    estimand: str
    sentence: str
    published: float
    ours: float | None
    interval: tuple[float, float] | None
    n: int
    delta: float | None
    gap: tuple[float, float, float] | None
    p_direction: float | None
    p_size: float | None
    direction: Direction
    size: Size
    status: Status
    look: int
    options: Mapping[str, State]
    aside: Mapping[str, State]
    calibration: bool
    selected: tuple[str, ...]
    why: str
    change: str


@dataclass(frozen=True)
class _Pair:
    cells: Cells
    first: str
    second: str
    one: Printed
    other: Printed
    calibration: bool


def contrast_rows(shelf: Shelf) -> list[ContrastRow]:
    """Every pair of which a paper claims an order, recipe by recipe; pairs that settled a choice are a family apart."""
    results, table = shelf.read(), Rows(printed_cells(shelf.folder / "published"))
    found: list[ContrastRow] = []
    for recipe in shelf.recipes():
        for family in (False, True):
            pairs = [pair for pair in _pairs(recipe, table) if pair.calibration is family]
            told = compare_all(recipe, [_asked(recipe, pair, table, results) for pair in pairs])
            found += [_row(recipe, pair, one) for pair, one in zip(pairs, told, strict=True)]
    return found


def _pairs(recipe: Recipe, table: Rows) -> list[_Pair]:
    found = []
    for cells in recipe.cells:
        for first, second in cells.claimed:
            one, other = (row_of(cells, arm, table) for arm in (first, second))
            if one is not None and other is not None:
                settled = any(_settles(recipe, arm, p, table) for arm, p in ((first, one), (second, other)))
                found.append(_Pair(cells, first, second, one, other, settled))
    return found


def _settles(recipe: Recipe, arm: str, printed: Printed, table: Rows) -> bool:
    """Whether open choices were settled by this printed number."""
    return any(cells.calibration and row_of(cells, arm, table) is printed for cells in recipe.cells)


def _asked(recipe: Recipe, pair: _Pair, table: Rows, results: Mapping[str, Result]) -> Asked:
    def ours(choice: Mapping[str, str]) -> Paired:
        measure, times = pair.cells.measure, pair.cells.times
        one, lost = one_of(recipe, pair.first, choice, measure, results)
        other, lost_too = one_of(recipe, pair.second, choice, measure, results)
        paired = {seed: (value - other[seed]) * times for seed, value in one.items() if seed in other}
        return Paired.at_look(recipe, paired, lost | lost_too)

    arms = (pair.first, pair.second)

    def grid(choice: Mapping[str, str]) -> bool:
        return searched(recipe, arms, choice, results)

    (one, other), delta = known_of(recipe, pair.cells, arms, table)
    return Asked(pair.cells.measure, ours, one.less(other), delta, True, arms, grid)


def _row(recipe: Recipe, pair: _Pair, told: Compared) -> ContrastRow:
    ours = told.ours
    status: Status = told.told.word
    if ours is None:
        status = "data not owned" if recipe.owned else "not run"
    return ContrastRow(
        paper=recipe.paper,
        recipe=recipe.id,
        table=pair.cells.table,
        where=", ".join(pair.cells.where.values()),
        first=pair.first,
        second=pair.second,
        estimand=f"{pair.cells.measure}: {pair.first} less {pair.second}, mean over paired seeds",
        sentence=pair.cells.sentence,
        published=round(pair.one.value - pair.other.value, _DIGITS),
        ours=None if ours is None else ours.value,
        interval=None if ours is None or ours.low is None or ours.high is None else (ours.low, ours.high),
        n=0 if ours is None else ours.n,
        delta=told.delta,
        gap=None if told.gap is None else (told.gap.gap, told.gap.low, told.gap.high),
        p_direction=told.p_direction,
        p_size=told.p_size,
        direction=told.direction,
        size=told.size,
        status=status,
        look=told.look,
        options=told.options,
        aside=told.aside,
        calibration=pair.calibration,
        selected=selected(recipe),
        why=told.told.why,
        change=told.change if ours is not None else "",
    )

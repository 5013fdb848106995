"""Printed numbers of a table with what is known of their error, and δ: how near is near in that table."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from validation.recipe.recipe import Cells, Recipe
from validation.recipe.results.tables import Printed, Rows
from validation.recipe.statistics.contrast import Beside

__all__ = ["claimed_gaps", "delta_of", "known_of", "printed_error", "printed_mean", "row_of", "what_is_printed"]


_DIGITS = 9  # of a difference of printed decimals


def printed_error(printed: Printed, n: int) -> float | None:
    """The error of the printed number as a mean over n runs; None where no spread is printed that is known to be one.

    `ci95` is the half width of a 95 % interval, by Student where n is known and 1.96 errors where it is not; `std` is a
    deviation over the `n_runs` of its row. A spread without a number of runs is no error of a mean.
    """
    from scipy.stats import t

    if half := printed.entries.get("ci95"):
        return float(half) / float(t.ppf(0.975, n - 1) if n > 1 else 1.96)
    runs = int(printed.entries.get("n_runs") or 0)
    if (deviation := printed.entries.get("std")) and runs > 1:
        return float(deviation) / sqrt(runs)
    return None


def what_is_printed(printed: Printed) -> str:
    """What the printed ± is, in words; empty where nothing is printed."""
    if printed.entries.get("ci95"):
        return "95 % interval"
    if printed.entries.get("std"):
        runs = printed.entries.get("n_runs")
        return f"deviation over {runs} runs" if runs else "a deviation, of how many runs is open"
    return ""


def printed_mean(printed: Printed, recipe: Recipe) -> Beside:
    """The printed number as a noisy mean: over the runs that its row names, else the paper, else one."""
    n = int(printed.entries.get("n_runs") or 0) or recipe.seeds or 1
    return Beside(printed.value, printed.half_unit, printed_error(printed, n), n)


def claimed_gaps(cells: Cells, table: Rows) -> list[float]:
    """The printed gaps of the pairs of which the paper claims an order, without those that are printed equal."""
    found = []
    for first, second in cells.claimed:
        one, other = (row_of(cells, arm, table) for arm in (first, second))
        if one is not None and other is not None and one.value != other.value:
            found.append(round(abs(one.value - other.value), _DIGITS))
    return found


def delta_of(cells: Cells, table: Rows) -> float | None:
    """δ: half the smallest gap that the paper claims in the table; None where it claims none."""
    return min(claimed_gaps(cells, table), default=0.0) / 2 or None


def row_of(cells: Cells, arm: str, table: Rows) -> Printed | None:
    """The printed number that an arm's runs are compared with."""
    row = cells.of(arm)
    if row is None:
        return None
    return table.first(cells.table, row)


def known_of(recipe: Recipe, cells: Cells, arms: Sequence[str], table: Rows) -> tuple[tuple[Beside, ...], float | None]:
    """The printed numbers of the arms and δ, from every table that prints the same numbers.

    A number that two tables print is one number: its error is known where either prints one, and δ is the least of
    theirs. Raises `ValueError` where the cells have no row of an arm.
    """
    mine = _rows(cells, arms, table)
    if mine is None:
        raise ValueError(f"{cells.table}: no one row of {', '.join(arms)}")
    same = [(cells, mine)]
    for other in recipe.cells:
        if (other.measure, other.calibration) == (cells.measure, cells.calibration) and other is not cells:
            rows = _rows(other, arms, table)
            if rows is not None and [r.value for r in rows] == [r.value for r in mine]:
                same.append((other, rows))
    numbers = [[printed_mean(row, recipe) for row in rows] for _, rows in same]
    best = max(numbers, key=lambda of: sum(one.error is not None for one in of))  # the first where none is known
    deltas = [delta for place, _ in same if (delta := delta_of(place, table)) is not None]
    return tuple(best), min(deltas, default=None)


def _rows(cells: Cells, arms: Sequence[str], table: Rows) -> list[Printed] | None:
    """The row of each arm, None where one has none."""
    found = [row_of(cells, arm, table) for arm in arms]
    return [row for row in found if row is not None] if None not in found else None

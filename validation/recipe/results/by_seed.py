"""What a recipe's runs measured, seed by seed, under one choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from validation.recipe.recipe import Recipe
from validation.recipe.result import Result
from validation.recipe.unit import CALIBRATION_SEED, Unit, identity

__all__ = ["TOLD", "Status", "demonstrated", "runs_by_seed", "searched", "seeds_without", "values_by_seed"]

Status: TypeAlias = Literal[
    "reproduced",
    "contradicted",
    "opposite",
    "depends",
    "unresolved",
    "demonstration",
    "not run",
    "data not owned",
    "static",
]
TOLD = frozenset({"reproduced", "contradicted", "opposite", "depends", "unresolved"})
"""The words that runs at published scale come to; every other status says why there is none."""
_MOST_SEEDS = 64  # looked for, from 0 on


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
    runs, asked = runs_by_seed(recipe, arm, choice, results, calibration=calibration), recipe.measure_of(arm, measure)
    return {seed: value for seed, run in runs.items() if (value := run.value(asked)) is not None}


def seeds_without(
    recipe: Recipe, arm: str, choice: Mapping[str, str], measure: str, results: Mapping[str, Result]
) -> frozenset[int]:
    """Seeds of which a run came to its end without the measure: it diverged, or never reached what is counted."""
    runs, asked = _ended(recipe, arm, choice, results, calibration=False), recipe.measure_of(arm, measure)
    return frozenset(
        seed
        for seed, run in runs.items()
        if run.status == "diverged" or (asked in run.measures and run.measures[asked] is None)
    )


def runs_by_seed(
    recipe: Recipe, arm: str, choice: Mapping[str, str], results: Mapping[str, Result], *, calibration: bool = False
) -> dict[int, Result]:
    """By seed, completed results whose configuration is the whole one of today's recipe; of which seeds."""
    runs = _ended(recipe, arm, choice, results, calibration=calibration)
    return {seed: run for seed, run in runs.items() if run.status == "completed"}


def searched(recipe: Recipe, arms: Iterable[str], choice: Mapping[str, str], results: Mapping[str, Result]) -> bool:
    """Whether an option of a printed grid was run of every method that it concerns, on calibration seeds or others."""
    open_ones = [one for one in recipe.open if one.name in choice]
    concerned = [arm for arm in arms if all(one.concerns(arm) for one in open_ones)]
    return all(
        any(_ended(recipe, arm, choice, results, calibration=aside) for aside in (True, False)) for arm in concerned
    )


def demonstrated(recipe: Recipe, arm: str, results: Mapping[str, Result]) -> dict[int, Result]:
    """By seed, results of today's recipe under the default choices but for fewer rounds, at the largest scale there is.

    Empty where there are none: those of another configuration, as before a default was changed, are none of them.
    """
    tried = sorted({(r.scale, r.seed) for r in results.values() if r.scale < 1 and r.seed < CALIBRATION_SEED})
    found: dict[float, dict[int, Result]] = {}
    for scale, seed in tried:
        result = results.get(identity(Unit(recipe, arm, seed, {}, scale)))
        if result is not None:
            found.setdefault(scale, {})[seed] = result
    return found[max(found)] if found else {}


def _ended(
    recipe: Recipe, arm: str, choice: Mapping[str, str], results: Mapping[str, Result], *, calibration: bool
) -> dict[int, Result]:
    """The same and those that diverged."""
    of_paper = (r.seed for r in results.values())  # another recipe may have made the same run
    held = {seed for seed in of_paper if (seed >= CALIBRATION_SEED) == calibration}
    found: dict[int, Result] = {}
    for seed in sorted(held)[:_MOST_SEEDS]:
        result = results.get(identity(Unit(recipe, arm, seed, choice)))
        if result is not None and result.status in {"completed", "diverged"}:
            found[seed] = result
    return found

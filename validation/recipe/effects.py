"""What an option of an open choice changes, seed by seed: a plan that is written before its first seed, and its table.

A plan is a TOML file: the `recipe`, the `arms` that are run under each of its `options`, its `seeds`, the `scale` (1,
or the fraction of the rounds that are run), and `of`: arms, and pairs of arms of which the difference is asked. What is
run are units of the recipe, so that a result at scale 1 is one of its results, and one below it a demonstration. The
default's values are read off its runs at full scale, at the same rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from theory.base.toml import parsed
from validation.recipe.measure import check_measure
from validation.recipe.recipe import Recipe
from validation.recipe.result import Result
from validation.recipe.statistics.intervals import Mean, holm, mean_of, p_value
from validation.recipe.unit import Unit, identity, said

__all__ = ["Effect", "Plan", "effects_of", "hours_taken", "read_plan", "units_of"]

Choice = Mapping[str, str]


@dataclass(frozen=True)
class Plan:
    """`name` of the file; its keys as the module says them. `hours_said`: what it was expected to take, in hours;
    `says`: what it can say.
    """

    name: str
    shows: str
    recipe: str
    seeds: tuple[int, ...]
    scale: float
    arms: tuple[str, ...]
    options: tuple[Choice, ...]
    of: tuple[tuple[str, ...], ...]
    measures: tuple[str, ...]
    hours_said: float
    says: str


@dataclass(frozen=True)
class Effect:
    """`option` less default, of one arm's `measure` or of the difference of two, paired by seed.

    `default` and `under`: the means of those n seeds; `p`: Holm's over the options of the plan.
    """

    of: str
    measure: str
    option: str
    default: float
    under: float
    effect: Mean
    p: float


def read_plan(path: Path) -> Plan:
    """A plan; `ValueError` naming the file for one that lacks a key, has another, or asks for no measure."""
    found = parsed(path.read_text(encoding="utf-8"))
    try:
        for measure in found["measures"]:
            check_measure(measure)
        lists = {key: tuple(found[key]) for key in ("seeds", "arms", "options", "measures")}
        return Plan(**{**found, **lists, "name": path.stem, "of": tuple(map(tuple, found["of"]))})
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: no plan of effects: {error}") from error


def units_of(plan: Plan, recipe: Recipe) -> Iterator[Unit]:
    """What is run: option by option every seed of every arm, the default first where all rounds are played.

    `ValueError` for what the recipe has not.
    """
    for choice in ({}, *plan.options) if plan.scale == 1 else plan.options:
        for seed in plan.seeds:
            for arm in plan.arms:
                yield Unit(recipe, arm, seed, choice, plan.scale)


def effects_of(plan: Plan, recipe: Recipe, results: Mapping[str, Result]) -> list[Effect]:
    """Every effect of which at least two seeds have both sides; the p of a measure is Holm's over the options."""
    found = []
    for of in plan.of:
        for measure in plan.measures:
            pairs = {said(o): _pairs(plan, recipe, results, of, measure, o) for o in plan.options}
            known = {option: values for option, values in pairs.items() if len(values) > 1}
            apart = {option: [under - default for default, under in values] for option, values in known.items()}
            ps = holm([1.0 if (p := p_value(values)) is None else p for values in apart.values()])
            for (option, values), p in zip(known.items(), ps, strict=True):
                default, under = (fmean(column) for column in zip(*values, strict=True))
                found.append(Effect(" − ".join(of), measure, option, default, under, mean_of(apart[option]), p))
    return found


def hours_taken(plan: Plan, recipe: Recipe, results: Mapping[str, Result]) -> float:
    """Hours by the clock of the plan's runs that are there, but for the default's, which may be older."""
    there = (results.get(identity(unit)) for unit in units_of(plan, recipe) if unit.choice)
    return sum(one.seconds for one in there if one is not None) / 3600


def _pairs(
    plan: Plan, recipe: Recipe, results: Mapping[str, Result], of: tuple[str, ...], measure: str, choice: Choice
) -> list[tuple[float, float]]:
    """(Default, under the option) of every seed that has both."""
    found = []
    for seed in plan.seeds:
        sides = [[_value(plan, recipe, results, arm, seed, measure, c) for arm in of] for c in ({}, choice)]
        default, under = (None if None in side else side[0] - sum(side[1:]) for side in sides)  # type: ignore[operator, arg-type]
        if default is not None and under is not None:
            found.append((default, under))
    return found


def _value(
    plan: Plan, recipe: Recipe, results: Mapping[str, Result], arm: str, seed: int, measure: str, choice: Choice
) -> float | None:
    """Of the run at full scale, else at the plan's; a choice that does not concern an arm leaves its run what it is."""
    for scale in (1.0, plan.scale):
        result = results.get(identity(Unit(recipe, arm, seed, choice, scale)))
        if result is not None and (value := result.value(measure)) is not None:
            return value
    return None

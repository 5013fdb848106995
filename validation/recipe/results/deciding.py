"""What a sentence still needs before runs can decide it: the least number of runs, and how long they take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from validation.recipe.recipe import LEAST_SEEDS, Recipe, Statement
from validation.recipe.result import Result, answered
from validation.recipe.results.by_seed import searched
from validation.recipe.results.options import alternatives
from validation.recipe.runs.cost import Costs, shared_once
from validation.recipe.unit import Unit, identity

__all__ = ["Needed", "missing_runs", "needed"]


@dataclass(frozen=True)
class Needed:
    """`runs` that are missing before all parts of a claim in a recipe can have a word, and their `seconds`.

    First rounds that runs share are counted once. `seconds` is None where the cost of one is not known here.
    """

    claim: str
    recipe: str
    runs: int
    seconds: float | None


def missing_runs(recipe: Recipe, said: Statement, done: Mapping[str, Result]) -> Iterator[Unit]:
    """The least runs that a word needs: each method of the sentence on the first seeds, under the defaults and under
    each option that counts; of an option of a printed grid one run, where nothing was run of it.

    A lower bound: differences that five seeds do not show need more, and so do choices that matter together.
    """
    arms = (said.arm, *said.than, *said.gain_over.values())
    seeds = range(recipe.plan[0] if recipe.plan else LEAST_SEEDS)
    asked = [({}, seeds), *((one.choice, seeds) for one in alternatives(recipe, arms, {}) if one.counted)]
    for one in recipe.open:
        if one.grid and any(one.concerns(arm) for arm in arms):
            tried = [{one.name: option} for option in list(one.options)[1:] if option not in one.excluded]
            asked += [(choice, range(1)) for choice in tried if not searched(recipe, arms, choice, done)]
    known: set[str] = set()
    for choice, wanted in asked:
        concerned = [o for o in recipe.open if o.name in choice]
        for arm in dict.fromkeys(arms):
            own = choice if all(o.concerns(arm) for o in concerned) else {}
            for seed in wanted:
                unit = Unit(recipe, arm, seed, own)
                if identity(unit) not in known and not answered(unit, done):
                    known.add(identity(unit))
                    yield unit


def needed(recipes: Iterable[Recipe], done: Mapping[str, Result], costs: Costs) -> list[Needed]:
    """Of each claim that a recipe's sentences speak of, those of data that are not owned left out."""
    found = []
    for recipe in recipes:
        if recipe.owned:
            continue
        units: dict[str, dict[str, Unit]] = {}
        for said in recipe.statements:
            mine = {identity(unit): unit for unit in missing_runs(recipe, said, done)}
            units.setdefault(said.claim, {}).update(mine)
        for claim, runs in units.items():
            each = shared_once(costs, [(unit, costs.without_timing(unit)) for unit in runs.values()])
            known = [cost.seconds for cost in each if cost is not None]
            seconds = sum(known) if len(known) == len(each) else None
            found.append(Needed(claim, recipe.id, len(runs), seconds))
    return found

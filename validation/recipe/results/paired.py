"""Differences of a recipe's runs, paired by seed, under one choice, and how often they were looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from validation.recipe.recipe import Recipe, Statement
from validation.recipe.result import Result
from validation.recipe.results.by_seed import seeds_without, values_by_seed

__all__ = ["Paired", "differences_of", "looks_of", "one_of"]


@dataclass(frozen=True)
class Paired:
    """Values `of` seeds that count, and the seeds of which a run ended `without` a value.

    Of a recipe with a plan only the seeds of the last look that is complete count; `waiting` are the others.
    """

    of: Mapping[int, float]
    without: frozenset[int] = frozenset()
    waiting: int = 0

    @classmethod
    def at_look(cls, recipe: Recipe, of: Mapping[int, float], without: frozenset[int]) -> Paired:
        """The seeds from 0 on of the last planned look of which none is missing; all where there is no plan.

        Before the first look all seeds are shown, and are too few for a word.
        """
        complete = [n for n in recipe.plan if all(seed in of or seed in without for seed in range(n))]
        if not recipe.plan:
            return cls(of, without)
        n = max(complete, default=min(recipe.plan) - 1)
        kept = {seed: value for seed, value in of.items() if seed < n}
        return cls(kept, frozenset(seed for seed in without if seed < n), len(of) - len(kept))

    @property
    def values(self) -> list[float]:
        return list(self.of.values())


def one_of(
    recipe: Recipe, arm: str, choice: Mapping[str, str], measure: str, results: Mapping[str, Result]
) -> tuple[dict[int, float], frozenset[int]]:
    """A measure of one arm by seed, and the seeds without one."""
    return values_by_seed(recipe, arm, choice, measure, results), seeds_without(recipe, arm, choice, measure, results)


def differences_of(
    recipe: Recipe, said: Statement, choice: Mapping[str, str], results: Mapping[str, Result]
) -> dict[str, Paired]:
    """By rival (or bound): the arm's measure minus the rival's, seed by seed."""

    def of(name: str, measure: str) -> tuple[dict[int, float], frozenset[int]]:
        found, without = one_of(recipe, name, choice, measure, results)
        if name not in said.gain_over:
            return found, without
        base, lost = one_of(recipe, said.gain_over[name], choice, measure, results)
        return {seed: value - base[seed] for seed, value in found.items() if seed in base}, without | lost

    arm, lost = of(said.arm, said.measure)
    if not said.than and not said.against:
        bounded = {seed: value - said.bound for seed, value in arm.items()}
        return {f"{said.bound:g}": Paired.at_look(recipe, bounded, lost)}
    found = {}
    for rival in said.than or (said.against,):
        theirs, lost_too = of(rival, said.measure) if said.than else of(said.arm, said.against)
        allowed = said.margin if said.is_ == "above" else -said.margin
        paired = {seed: arm[seed] - theirs[seed] + allowed for seed in arm if seed in theirs}
        found[rival] = Paired.at_look(recipe, paired, lost | lost_too)
    return found


def looks_of(recipe: Recipe, choice: Mapping[str, str], said: int = 0) -> int:
    """How often runs of a choice were looked at: as its options say, else as a sentence does, else the recipe."""
    own = [one.looks.get(choice.get(one.name, one.default)) for one in recipe.open]
    return max((looks for looks in own if looks is not None), default=said or recipe.looks)

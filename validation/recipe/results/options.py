"""Open choices of a comparison: one option at a time from the default, then extremes of those that matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from validation.recipe.recipe import Recipe
from validation.recipe.statistics.calculus import State
from validation.recipe.unit import said

__all__ = ["Alternative", "Found", "alternatives", "combined", "states_of"]


@dataclass(frozen=True)
class Alternative:
    """An option that is not the default, of a choice that concerns one of the arms; `counted` unless it is excluded."""

    name: str
    choice: Mapping[str, str]
    counted: bool


@dataclass(frozen=True)
class Found:
    """What runs under an option come to, and by how much they move what is compared (None where there are none)."""

    state: State
    effect: float | None


def alternatives(recipe: Recipe, arms: Iterable[str], under: Mapping[str, str]) -> Iterator[Alternative]:
    """One option at a time from the default, or from an option that is taken `under`.

    Options of a printed grid are searched, not left open; those that the print itself excludes are not counted.
    """
    left = [one for one in recipe.open if not one.grid and one.name not in under]
    names = tuple(arms)
    for one in left:
        if any(one.concerns(arm) for arm in names):
            for option in list(one.options)[1:]:
                name, counted = f"{one.name} = {option}", option not in one.excluded
                yield Alternative(name, {**under, one.name: option}, counted)


def _unsearched(
    recipe: Recipe, arms: tuple[str, ...], under: Mapping[str, str], searched: Callable[[Mapping[str, str]], bool]
) -> Iterator[str]:
    """Options of printed grids that were run of no seed."""
    for one in recipe.open:
        if one.grid and one.name not in under and any(one.concerns(arm) for arm in arms):
            for option in list(one.options)[1:]:
                if option not in one.excluded and not searched({**under, one.name: option}):
                    yield f"{one.name} = {option}"


def combined(effects: Mapping[str, Mapping[str, float]]) -> list[dict[str, str]]:
    """The options of at least two choices that move a comparison farthest, all down and all up; `effects` by choice.

    An option that moves nothing its way leaves the default.

    >>> combined({"rate": {"0.1": -2.0, "1": 1.0}, "model": {"deep": -0.5}})
    [{'rate': '0.1', 'model': 'deep'}]
    """
    found = []
    for way in (-1, 1):
        best = {name: max(mine, key=lambda option: way * mine[option]) for name, mine in effects.items() if mine}
        chosen = {name: option for name, option in best.items() if way * effects[name][option] > 0}
        if len(chosen) > 1 and chosen not in found:
            found.append(chosen)
    return found


def states_of(
    recipe: Recipe,
    arms: Iterable[str],
    under: Mapping[str, str],
    find: Callable[[Mapping[str, str]], Found],
    searched: Callable[[Mapping[str, str]], bool],
) -> tuple[dict[str, State], dict[str, State]]:
    """The state of every option that counts, and of those that the print itself excludes.

    An option of a printed grid is `searched`, and is no other setting of the paper's; where it was not, the default is
    not known to be the grid's best, and the option is not exercised. Where each is exercised, options that are not
    screened matter; of two such choices or more the extremes are asked together, too.
    """
    names = tuple(arms)
    counted: dict[str, State] = dict.fromkeys(_unsearched(recipe, names, under, searched), "not exercised")
    aside: dict[str, State] = {}
    effects: dict[str, dict[str, float]] = {}
    for other in alternatives(recipe, names, under):
        found = find(other.choice)
        (counted if other.counted else aside)[other.name] = found.state
        if other.counted and found.effect is not None and found.state != "screened":
            (name,) = other.choice.keys() - under.keys()
            effects.setdefault(name, {})[other.choice[name]] = found.effect
    if "not exercised" not in counted.values():
        for choice in combined(effects):
            counted[said(choice).replace("+", " with ").replace("=", " = ")] = find({**under, **choice}).state
    return counted, aside

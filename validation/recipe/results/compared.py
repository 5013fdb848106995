"""One number of ours beside a printed one, under the defaults and over open choices: figures first, words afterwards.

Words come after Holm's step-down over all that a recipe is compared in: a reproduction enters by the larger p of its
parts, a reversed sign and a size beyond ±δ by their own, and what was not run with p = 1. A number that several tables
print is one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from validation.recipe.looks import PLAN, look_of, next_look, two_sided
from validation.recipe.recipe import LEAST_SEEDS, Recipe
from validation.recipe.results.options import Found, states_of
from validation.recipe.results.paired import Paired, looks_of
from validation.recipe.statistics.calculus import WORD_OF, Direction, Overall, Size, State, overall
from validation.recipe.statistics.contrast import Beside, Sized, beside, direction_of, direction_p, size_of, stated
from validation.recipe.statistics.intervals import Mean, Step, mean_of, step_down

__all__ = ["Asked", "Compared", "compare_all"]

_NO_ERROR = Beside(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Asked:
    """What is compared: ours under a choice, in the table's unit, beside a printed number; `delta` None: no size.

    `measure`: what is measured of `arms`, the methods whose runs it comes from. `direction`: whether the sign is
    asked, too, as of a difference. `searched`: whether an option of a printed grid was run of them.
    """

    measure: str
    ours: Callable[[Mapping[str, str]], Paired]
    printed: Beside
    delta: float | None
    direction: bool
    arms: tuple[str, ...]
    searched: Callable[[Mapping[str, str]], bool]

    @property
    def number(self) -> Hashable:
        """Which printed number it is, wherever it is printed."""
        return self.measure, self.arms, self.direction, self.printed, self.delta


@dataclass(frozen=True)
class Compared:
    """What a comparison comes to.

    `delta` as asked; `gap`: ours − print with its 95 % interval; p's count looks and family. `look`: which planned look
    it is, 0 without a plan or before the first. `told`: the word over open choices; `options` and `aside`: the states
    they have. `change`: what could change the word.
    """

    ours: Mean | None
    without: int
    delta: float | None
    gap: Sized | None
    p_direction: float | None
    p_size: float | None
    direction: Direction
    size: Size
    told: Overall
    options: Mapping[str, State]
    aside: Mapping[str, State]
    look: int
    change: str


@dataclass(frozen=True)
class _Figures:
    """p's of one comparison under one choice: of the direction, of equivalence and of difference, looks counted."""

    paired: Paired
    towards: float
    gap: Sized | None
    direction: float | None
    equivalent: float | None
    different: float | None

    @property
    def least(self) -> float:
        """By which it enters the family: the least p of a word that its numbers point to."""
        if not stated(self.paired.values) or self.paired.without:
            return 1.0
        size = 1.0 if self.different is None else self.different
        if self.direction is None:
            return min(size, 1.0 if self.equivalent is None else self.equivalent)
        as_printed = mean_of(self.paired.values).value * self.towards > 0
        both = max(self.direction, self.direction if self.equivalent is None else self.equivalent)
        return min(size, both if as_printed else self.direction)


def compare_all(recipe: Recipe, asked: Sequence[Asked]) -> list[Compared]:
    """Each comparison of one family, with words at the defaults by Holm's step-down and over all open choices.

    What several tables print is compared once, counts once in the family, and has one word.
    """
    once = {one.number: one for one in asked}
    figures = [_figures(recipe, one, {}) for one in once.values()]
    steps = step_down([one.least for one in figures])
    each = [_compared(recipe, *one) for one in zip(once.values(), figures, steps, strict=True)]
    told = dict(zip(once, each, strict=True))
    return [told[one.number] for one in asked]


def _figures(recipe: Recipe, asked: Asked, choice: Mapping[str, str]) -> _Figures:
    paired, looks = asked.ours(choice), looks_of(recipe, choice)
    gap = None if asked.delta is None else beside(paired.values, asked.printed, asked.delta)
    direction = direction_p(paired.values) if asked.direction else None
    counted = None if direction is None else two_sided(direction, recipe.plan, looks)
    equivalent = different = None
    if gap is not None:
        equivalent, different = (two_sided(p, recipe.plan, looks) for p in (gap.equivalent, gap.different))
    return _Figures(paired, asked.printed.value, gap, counted, equivalent, different)


def _answers(asked: Asked, found: _Figures, step: Step) -> tuple[Direction, Size, float | None, float | None]:
    """Direction and size with the p's that decide them, None where there is none."""

    def adjusted(p: float | None) -> float | None:
        return None if p is None or found.paired.without else min(1.0, max(step.least, step.factor * p))

    direction, equivalent, different = map(adjusted, (found.direction, found.equivalent, found.different))
    values = found.paired.values
    size = "not asked" if asked.delta is None else size_of(values, equivalent, different)
    of_size = equivalent if size == "equivalent" else different if size == "different" else _less(equivalent, different)
    sign: Direction = direction_of(values, found.towards, direction) if asked.direction else "not asked"
    return sign, size, direction, of_size


def _less(one: float | None, other: float | None) -> float | None:
    return min((p for p in (one, other) if p is not None), default=None)


def _compared(recipe: Recipe, asked: Asked, found: _Figures, step: Step) -> Compared:
    direction, size, p_direction, p_size = _answers(asked, found, step)
    word = WORD_OF[direction, size]

    def under(choice: Mapping[str, str]) -> Found:
        return _under(recipe, asked, found, choice)

    options, aside = states_of(recipe, asked.arms, {}, under, asked.searched) if found.paired.of else ({}, {})
    told = overall(word, options)
    n = len(found.paired.of)
    look = look_of(n - 1, recipe.plan) if n in recipe.plan else 0
    ours = mean_of(found.paired.values) if n else None
    change = _change(recipe, told, word, n)
    lost, delta, gap = len(found.paired.without), asked.delta, found.gap
    return Compared(ours, lost, delta, gap, p_direction, p_size, direction, size, told, options, aside, look, change)


def _under(recipe: Recipe, asked: Asked, default: _Figures, choice: Mapping[str, str]) -> Found:
    """The state of an option: its own word, else screened where its effect on what is compared lies within ±δ."""
    found = _figures(recipe, asked, choice)
    if not found.paired.of:
        return Found("not exercised", None)
    effect = {s: v - default.paired.of[s] for s, v in found.paired.of.items() if s in default.paired.of}
    moved = mean_of(list(effect.values())).value if effect else None
    word = WORD_OF[_answers(asked, found, Step(1, 0.0))[:2]]
    if word != "unresolved" or asked.delta is None:
        return Found(word, moved)  # type: ignore[arg-type]
    if len(effect) >= LEAST_SEEDS and not any(effect.values()):
        return Found("screened", moved)
    if not stated(list(effect.values())):
        return Found("unresolved", moved)
    gap = beside(list(effect.values()), _NO_ERROR, asked.delta)
    inside = gap is not None and -asked.delta < gap.low and gap.high < asked.delta
    return Found("screened" if inside else "unresolved", moved)


def _change(recipe: Recipe, told: Overall, default: str, n: int) -> str:
    """What could change the word, in one line."""
    if told.depends:
        return f"a printed value of {', '.join(sorted({name.partition(' = ')[0] for name in told.depends}))}"
    parts = []
    more = next_look(n, recipe.plan or PLAN)
    if default == "unresolved" and more:
        parts.append(f"{more} seeds at the defaults")
    if told.unresolved:
        parts.append("more seeds under the options that are unresolved")
    if told.unexercised:
        parts.append("runs under the options not exercised")
    return "; ".join(parts)

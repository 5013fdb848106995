"""A unit of work: one arm of a recipe under one choice and one seed, and the configuration that this comes to.

Its identity is the configuration: what a recipe changes in a run makes an earlier result one of another run.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from validation.recipe.recipe import Recipe

if TYPE_CHECKING:
    from deep.config.settings import Settings

__all__ = ["CALIBRATION_SEED", "LAST_RULE", "Unit", "digest_of", "identity", "said", "seedless", "settings_of", "units"]

LAST_RULE = "last_rule"
"""A word of a recipe beside those of a run: the rule that is in charge in the last round alone, however many rounds a
unit has. Its model is what the rule makes of models that were trained under another one."""
_NO_NUMBER = {"trainer", "checkpoint_every"}
_MOST = 8192  # configurations that are kept: all recipes under all their choices are a few thousand
CALIBRATION_SEED = 1000  # seeds from here on settle open choices and are never reported


@dataclass(frozen=True)
class Unit:
    """`choice`: options by open choice, defaults left out. `scale` in (0, 1]: below 1 fewer rounds, a demonstration."""

    recipe: Recipe
    arm: str
    seed: int
    choice: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1.0

    def __post_init__(self) -> None:
        _ = self.words
        if not 0 < self.scale <= 1:
            raise ValueError(f"{self.recipe.id}: scale = {self.scale!r}: expected a number in (0, 1]")
        if self.seed < 0:
            raise ValueError(f"{self.recipe.id}: seed = {self.seed!r}: expected a whole number >= 0")

    @cached_property
    def words(self) -> Mapping[str, object]:
        """What the recipe says of the run, but for its seed; `ValueError` as `Recipe.words`."""
        words: dict[str, object] = dict(self.recipe.words(self.arm, self.choice))
        if self.seed >= CALIBRATION_SEED:
            words |= self.recipe.tuning
        words.pop("seed", None)
        if (last := words.pop(LAST_RULE, None)) is not None:
            before = words.get("rule", "proportional")
            words["rule"] = f"switch(first={before}, then={last}, at_round={_scaled(_planned(words), self.scale) - 1})"
        return words

    @property
    def name(self) -> str:
        """A name for people and files, such as "FedAvg--default--seed-0", in ASCII whatever the arm is called."""
        shown = "--".join((self.arm, said(self.choice), f"seed-{self.seed}"))
        spelled = _spelled(shown if self.scale == 1 else f"{shown}--scale-{self.scale:g}")
        return re.sub(r"[^\w.=+-]+", "_", spelled, flags=re.ASCII)


def _spelled(text: str) -> str:
    """The text with each letter beyond ASCII spelled out: λ as "lambda", Λ as "Lambda", any other by its code point.

    So names that differ in such a letter alone stay different; signs that are no letters are left as they are.
    """
    return re.sub(r"[^\W\x00-\x7f]", lambda found: _letter(found[0]), text)


def _letter(letter: str) -> str:
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(letter, ""))
    if greek is None:
        return f"u{ord(letter):04x}"
    name = greek[2].lower().replace("lamda", "lambda")  # as Unicode spells it
    return name if greek[1] == "SMALL" else name.capitalize()


def said(choice: Mapping[str, str]) -> str:
    """A choice in words: "default", or "epochs=5"."""
    return "+".join(f"{name}={option}" for name, option in sorted(choice.items())) or "default"


def settings_of(unit: Unit) -> Settings:
    """Configuration and rule of the unit's run; `ValueError` naming recipe and arm, then as `RunConfig`.

    What the rule draws follows the unit's seed, unless the recipe's words name a seed for it.
    """
    settings = seedless(unit)
    if settings.config.seed == unit.seed:
        return settings
    try:
        return settings.at_seed(unit.seed)
    except ValueError as error:
        raise _named(unit, error) from error


def seedless(unit: Unit) -> Settings:
    """`settings_of` the unit, but for its seed, which stays at its default; raises as there."""
    settings = _whole(unit)
    if unit.scale == 1:
        return settings
    return replace(settings, config=replace(settings.config, n_rounds=_n_rounds(unit, settings)))


def _whole(unit: Unit) -> Settings:
    """All rounds, without the seed."""
    try:
        judged = tuple(unit.recipe.arm(name).judged_on for name in unit.recipe.of_one_run(unit.arm))
        return _judged(judged, tuple(unit.words), *unit.words.values())
    except (ValueError, TypeError) as error:
        raise _named(unit, error) from error


def _check_judged(target: str, settings: Settings) -> None:
    """`ValueError` for a target that the run has not, and for another than the one whose samples a method looks at."""
    from deep.task.setup import Setup
    from deep.task.wanted import OUTPUTS

    targets = settings.config.targets
    if target and target not in targets:
        known = "; ".join(targets) or "of which it has none"
        raise ValueError(f"judged on {target!r}; expected one of its targets, {known}")
    if target and target != targets[0] and OUTPUTS & Setup.of(settings.config, settings.rule).asked:
        raise ValueError(
            f"it reads samples of {targets[0]!r} and is evaluated on {target!r}; expected a run of its own for that"
            " target"
        )


def _named(unit: Unit, error: Exception) -> ValueError:
    return ValueError(f"{unit.recipe.id}, arm {unit.arm!r}, {said(unit.choice)}: {error}")


def _n_rounds(unit: Unit, settings: Settings) -> int:
    """Rounds of the unit, `settings` being those of all rounds."""
    return _scaled(settings.config.n_rounds, unit.scale)


def _scaled(n_rounds: int, scale: float) -> int:
    return n_rounds if scale == 1 else max(2, round(n_rounds * scale))


def _planned(words: Mapping[str, object]) -> int:
    """The rounds that words of a run ask for."""
    from deep.config.config import RunConfig

    given = words.get("n_rounds", RunConfig.n_rounds)
    return given if isinstance(given, int) else RunConfig.n_rounds  # what is no number a run refuses


@lru_cache(maxsize=_MOST, typed=True)
def _checked(names: tuple[str, ...], *values: object) -> Settings:
    """What a run of these words comes to, once for all seeds; raises as its parts do."""
    from deep.config.settings import Layer, resolve
    from deep.task.setup import Setup

    words = dict(zip(names, values, strict=True))
    rule = str(words.pop("rule", "proportional"))
    settings = resolve(Layer(run=words, rule=rule))
    if settings.config.products == "bf16":
        raise ValueError(
            "products='bf16' rounds the factors of training to eight bits, which no paper says it did; a printed"
            " number is compared with products='full'"
        )
    Setup.of(settings.config, settings.rule)
    return settings


@lru_cache(maxsize=_MOST, typed=True)
def _judged(targets: tuple[str, ...], names: tuple[str, ...], *values: object) -> Settings:
    """What a run of these words comes to, of which arms are judged on these targets; raises as `_check_judged`, too."""
    settings = _checked(names, *values)
    for target in targets:
        _check_judged(target, settings)
    return settings


def identity(unit: Unit) -> str:
    """A digest of what decides the numbers of the unit's run: the rule, and every field that is not at its default.

    How clients are trained and how often a checkpoint is written change no number and do not count.
    """
    settings = _whole(unit)
    rule, kept = _described(tuple(unit.words), *unit.words.values())
    return _digest(rule, kept, unit.seed, _n_rounds(unit, settings))


def digest_of(settings: Settings) -> str:
    """`identity` of a run that is no unit of a recipe."""
    from deep.config.settings import rule_text

    config = settings.config
    return _digest(rule_text(settings.rule), _kept(settings), config.seed, config.n_rounds)


def _digest(rule: str, kept: dict[str, object], seed: int, n_rounds: int) -> str:
    from deep.config.config import RunConfig

    own = {"seed": seed, "n_rounds": n_rounds}
    kept = {name: value for name, value in kept.items() if name not in own}
    kept |= {name: value for name, value in own.items() if value != getattr(RunConfig, name)}
    return sha256(json.dumps([rule, kept], sort_keys=True).encode()).hexdigest()[:16]


@lru_cache(maxsize=_MOST, typed=True)
def _described(names: tuple[str, ...], *values: object) -> tuple[str, dict[str, object]]:
    """The rule as text, and what `_kept` tells of the configuration."""
    from deep.config.settings import rule_text

    settings = _checked(names, *values)
    return rule_text(settings.rule), _kept(settings)


def _kept(settings: Settings) -> dict[str, object]:
    """The fields of the configuration that decide numbers and are not at their defaults."""
    from deep.config.config import RunConfig

    found = {f.name: getattr(settings.config, f.name) for f in fields(RunConfig) if f.name not in _NO_NUMBER}
    return {name: value for name, value in found.items() if value != getattr(RunConfig, name)}


def units(
    recipe: Recipe,
    seeds: Sequence[int],
    *,
    scale: float = 1.0,
    vary: Sequence[str] | None = None,
    arms: Sequence[str] = (),
) -> Iterator[Unit]:
    """All units: every seed at the default choices first, arm by arm; then the other options of the choices in `vary`.

    `vary` None: of all open choices; empty: of none. Of arms that are one run the first stands for all. Raises
    `ValueError` for an unknown arm.
    """
    named = [recipe.arm(name).name for name in arms] or [arm.name for arm in recipe.arms]
    first: dict[tuple[str, ...], str] = {}
    for name in named:
        first.setdefault(recipe.of_one_run(name), name)
    chosen = list(first.values())
    for choice in recipe.choices():
        if vary is None or set(choice) <= set(vary):
            concerned = [arm for arm in chosen if all(o.concerns(arm) for o in recipe.open if o.name in choice)]
            for seed in seeds:
                for arm in concerned:
                    yield Unit(recipe, arm, seed, choice, scale)

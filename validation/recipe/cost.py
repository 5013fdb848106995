"""What a unit takes, in seconds: measured in results of the same recipe, else estimated beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Literal

from validation.recipe.recipe import Recipe
from validation.recipe.result import Result
from validation.recipe.unit import Unit, identity, settings_of, units

if TYPE_CHECKING:
    from deep.data.catalogue import AnyParts

__all__ = ["Cost", "Costs", "hours_of"]

_Choice = tuple[str, str, frozenset[tuple[str, str]]]  # recipe, arm, choice
_NO_TIME = {"seed", "data_seed", "n_rounds", "local_lr", "lr_decay", "server_lr", "l2", "scaling", "floor"}


@dataclass(frozen=True)
class Cost:
    """`seconds`, and whether they follow from measured rounds or from one step timed now."""

    seconds: float
    known: Literal["measured", "estimated"]


class Costs:
    """Costs of units. `results` of before, `data_root` for estimates; None for a unit whose data are not at hand.

    Measured rounds count for the same arm wherever the same work is done (`_work`: another learning rate takes no
    longer); where only other work was measured, they are scaled by the two estimates, since an option may be five
    times the local work. An estimate is made once for each arm and work, the data set that was read last is kept.
    """

    def __init__(self, results: Mapping[str, Result], data_root: Path | None, device: str = "cpu") -> None:
        self._rounds: dict[_Choice, list[float]] = {}
        self._estimated: dict[tuple[str, str, tuple[object, ...]], float | None] = {}
        self._last: tuple[str, AnyParts] | None = None
        self._data_root, self._device = data_root, device
        for result in results.values():
            self.learn(result)

    def learn(self, result: Result) -> None:
        """One more result."""
        if result.n_rounds:
            key = result.recipe, result.arm, frozenset(result.choice.items())
            self._rounds.setdefault(key, []).append(result.seconds / result.n_rounds)

    def of(self, unit: Unit) -> Cost | None:
        """The cost of all of the unit's rounds; `ValueError` for a configuration that cannot be made."""
        n_rounds = settings_of(unit).config.n_rounds
        measured = [(other, self._rounds[key]) for other, key in self._measured(unit)]
        same = [seconds for other, rounds in measured if _work(other) == _work(unit) for seconds in rounds]
        if same:
            return Cost(median(same) * n_rounds, "measured")
        per_round = self._estimate(unit)
        if per_round is None:
            return None
        found = [(rounds, self._estimate(other)) for other, rounds in measured]
        ratios = [median(rounds) / estimated for rounds, estimated in found if estimated]
        return Cost(per_round * (median(ratios) if ratios else 1.0) * n_rounds, "estimated")

    def _measured(self, unit: Unit) -> list[tuple[Unit, _Choice]]:
        """The units of this arm that were run, under any choice that the recipe still has."""
        found = []
        for key in self._rounds:
            recipe, arm, choice = key
            if (recipe, arm) == (unit.recipe.id, unit.arm):
                with suppress(ValueError):
                    found.append((Unit(unit.recipe, arm, unit.seed, dict(choice), unit.scale), key))
        return found

    def _estimate(self, unit: Unit) -> float | None:
        """Seconds of a round by one step timed now."""
        key = unit.recipe.id, unit.arm, _work(unit)
        if key not in self._estimated:
            self._estimated[key] = self._timed(unit)
        return self._estimated[key]

    def _timed(self, unit: Unit) -> float | None:
        from deep import estimate
        from deep.data.catalogue import read_parts

        settings = settings_of(unit)
        name = settings.config.dataset
        try:
            if self._last is None or self._last[0] != name:
                self._last = name, read_parts(name, self._data_root)
            parts = self._last[1]
            found = estimate(
                settings.config, settings.rule, device=self._device, data_root=self._data_root, parts=parts
            )
        except ValueError:  # its data are not at hand
            return None
        return found.total_seconds / settings.config.n_rounds


def _work(unit: Unit) -> tuple[object, ...]:
    """What decides how long a round takes: settings that only change numbers are left out."""
    settings = settings_of(unit)
    told = (getattr(settings.config, f.name) for f in fields(settings.config) if f.name not in _NO_TIME)
    return type(settings.rule), *told


def hours_of(recipe: Recipe, costs: Costs, done: Mapping[str, Result]) -> float | None:
    """Hours of the missing units at default choices, with the paper's seeds or three; None if unknown."""
    missing = [u for u in units(recipe, range(recipe.seeds or 3), vary=()) if identity(u) not in done]
    found = [cost.seconds for unit in missing if (cost := costs.of(unit)) is not None]
    return sum(found) / 3600 if len(found) == len(missing) else None

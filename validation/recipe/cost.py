"""What a unit takes, in seconds: measured in results of the same recipe, else estimated beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from validation.recipe.recipe import Recipe
from validation.recipe.result import Result
from validation.recipe.unit import Unit, identity, settings_of, units

__all__ = ["Cost", "Costs", "hours_of"]


@dataclass(frozen=True)
class Cost:
    """`seconds`, and whether they follow from measured rounds or from one step timed now."""

    seconds: float
    known: Literal["measured", "estimated"]


class Costs:
    """Costs of units; an estimate is made once for each recipe and arm, since it takes a second itself.

    `results` of before, `data_root` for estimates. A unit whose data are missing costs nothing anybody knows: None.
    """

    def __init__(self, results: Mapping[str, Result], data_root: Path | None, device: str = "cpu") -> None:
        self._rounds: dict[tuple[str, str], list[float]] = {}
        self._estimated: dict[tuple[str, str], float | None] = {}
        self._data_root, self._device = data_root, device
        for result in results.values():
            self.learn(result)

    def learn(self, result: Result) -> None:
        """One more result."""
        if result.n_rounds:
            self._rounds.setdefault((result.recipe, result.arm), []).append(result.seconds / result.n_rounds)

    def of(self, unit: Unit) -> Cost | None:
        """The cost of all of the unit's rounds; `ValueError` for a configuration that cannot be made."""
        n_rounds = settings_of(unit).config.n_rounds
        key = unit.recipe.id, unit.arm
        if key in self._rounds:
            return Cost(median(self._rounds[key]) * n_rounds, "measured")
        if key not in self._estimated:
            self._estimated[key] = self._estimate(unit)
        per_round = self._estimated[key]
        return None if per_round is None else Cost(per_round * n_rounds, "estimated")

    def _estimate(self, unit: Unit) -> float | None:
        from deep import estimate

        settings = settings_of(unit)
        try:
            found = estimate(settings.config, settings.rule, device=self._device, data_root=self._data_root)
        except ValueError:  # its data are not at hand
            return None
        return found.total_seconds / settings.config.n_rounds


def hours_of(recipe: Recipe, costs: Costs, done: Mapping[str, Result]) -> float | None:
    """Hours of the missing units at default choices, with the paper's seeds or three; None if unknown."""
    missing = [u for u in units(recipe, range(recipe.seeds or 3), vary=()) if identity(u) not in done]
    found = [cost.seconds for unit in missing if (cost := costs.of(unit)) is not None]
    return sum(found) / 3600 if len(found) == len(missing) else None

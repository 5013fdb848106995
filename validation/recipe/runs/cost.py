"""What a unit takes, in seconds: from rounds that were played before, scaled to its own work; else from one step timed.

Rounds of before are those of results, and of `costs.json` files: two rounds of an arm, measured once and kept with the
recipes, or what a queue saw of a run it stopped. Nothing is played or read to say what something takes, unless no round
of its model was ever seen on the device.

Rounds of before were played on another machine, or on this one when it was busier or less so: seconds by the clock of
the same work differ up to a hundredfold. A busy machine only adds to them, so the least counts. Who is about to run
looks: one step is timed here and now, and all that was seen of its recipe is taken at the pace that shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from math import inf
from pathlib import Path
from statistics import median
from typing import Literal

from theory.base.files import replace_file
from validation.recipe.recipe import Recipe
from validation.recipe.result import PROCESSOR, Result, answered
from validation.recipe.runs.prefix import prefix_of
from validation.recipe.runs.run_unit import enough
from validation.recipe.runs.work import at_hand, method_of, round_flops, same_work
from validation.recipe.unit import CALIBRATION_SEED, Unit, identity, seedless, settings_of, units

__all__ = ["COSTS", "Cost", "Costs", "Played", "hours_of", "read_costs", "rounds_of", "shared_once", "write_costs"]

COSTS = "costs.json"
_FASTEST = 0.25  # of the seconds before
_DOUBTED = 3.0  # times what other work of the arm took: then the machine was busy whenever this was played
_Kin = tuple[object, ...]


@dataclass(frozen=True)
class Cost:
    """`seconds`, and whether they follow from rounds of the same work, from rounds of other work, or a step timed."""

    seconds: float
    known: Literal["measured", "scaled", "timed"]


@dataclass(frozen=True)
class Played:
    """Rounds that were played: of which unit (`scale` as in `Unit`), seconds of a round, how many, on which device.

    `rounds` 0: none was, `seconds` follow from one step that was timed.
    """

    recipe: str
    arm: str
    seconds: float
    rounds: int
    choice: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1.0
    device: str = "cpu"


def read_costs(path: Path) -> tuple[Played, ...]:
    """The rounds kept in a file, none where there is no file; `ValueError` naming it for anything else."""
    if not path.is_file():
        return ()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, list):
            raise ValueError("expected an array of rows")
        rows = tuple(Played(**row) for row in content)
        for row in rows:
            if not (isinstance(row.seconds, int | float) and 0 < row.seconds < float("inf") and row.rounds >= 0):
                raise ValueError(f"{row}: expected seconds > 0 and rounds >= 0")
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{path}: no costs of rounds: {error}") from error
    return rows


def write_costs(path: Path, rows: Iterable[Played]) -> None:
    """Keep these rounds, one row a line, the later of two of one unit."""
    kept = {
        (row.recipe, row.arm, *sorted(row.choice.items()), row.device): replace(
            row, seconds=float(f"{row.seconds:.4g}")
        )
        for row in rows
    }
    text = ",\n".join(" " + json.dumps(asdict(row), ensure_ascii=False, allow_nan=False) for row in kept.values())
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"[\n{text}\n]\n".encode())


def rounds_of(result: Result) -> Played | None:
    """The rounds of a result; None of a run that did not come to its end.

    Seconds by the clock, or of the processor where these are fewer: one thread waited for others' work.
    """
    if not result.n_rounds or result.status != "completed" or result.seconds <= 0:
        return None
    device = str(result.provenance.get("device", "cpu"))
    n, worked = result.n_rounds, float(result.provenance.get(PROCESSOR, inf))
    per_round = result.seconds / n if device != "cpu" else min(result.seconds / n, worked)
    return Played(result.recipe, result.arm, per_round, n, result.choice, result.scale, device)


@dataclass(frozen=True)
class _Seen:
    """Seconds of a round, and its operations, of what was played in the same circumstances."""

    seconds: float
    flops: float | None


class Costs:
    """Costs of units. `recipes`: all there are; `results` and `played` of before; `data_root` of data sets.

    A unit's round takes the least that a round of the same arm and work took (`same_work`: another learning rate takes
    no longer), unless other work of the arm took less than a third of that for as many operations. Where only other
    work was seen it is scaled by operations (`round_flops`), the median of what each such work took at least, from the
    nearest kin that has any, on the same network, since networks differ in operations a second: the same arm · the same
    rule, client and server on the same data · the same recipe · the same data · any; at last the network with other
    settings. Where none has, one step is timed, once for each model, and kept in the file `keep`; `tell` hears of it
    first. A unit that ends when an accuracy is reached has as many rounds as its method took before (`rounds`). `of` is
    None for a unit whose data are not at hand, and where no step can be timed here.
    """

    def __init__(
        self,
        recipes: Iterable[Recipe],
        results: Mapping[str, Result],
        data_root: Path | None,
        device: str = "cpu",
        *,
        played: Sequence[Played] = (),
        keep: Path | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._recipes = {recipe.id: recipe for recipe in recipes}
        self._same: dict[_Kin, list[_Seen]] = {}
        self._steps: dict[_Kin, list[_Seen]] = {}  # by the same work, too
        self._kin: dict[_Kin, dict[_Kin, list[_Seen]]] = {}  # by the same work, again
        self._reached: dict[_Kin, list[int]] = {}  # rounds to the accuracy that ends a run, by choice, by arm as well
        self._shared: dict[tuple[object, ...], tuple[Recipe, tuple[str, int]]] = {}
        self._known: dict[tuple[object, ...], tuple[Recipe, Cost | None]] = {}  # all seeds of a unit cost the same
        self._pace: dict[_Kin, float] = {}  # by recipe and model
        self._today: dict[_Kin, float] = {}  # seconds of a round that was just played, by the same work
        self._fresh: set[_Kin] = set()  # recipes and models at no other pace: a step was timed for want of rounds
        self._away = False  # whether there is no such device here, once somebody was told
        self._data_root, self._device, self._keep, self._tell = data_root, device, keep, tell
        for row in played:
            self.heard(row)
        for result in results.values():
            self.learn(result)

    def learn(self, result: Result) -> None:
        """One more result."""
        row = rounds_of(result)
        if row is None:
            return
        self.heard(row)
        with suppress(ValueError, KeyError):  # a recipe or an arm that is no more
            unit = Unit(self._recipes[row.recipe], row.arm, result.seed, row.choice, row.scale)
            if (highest := enough(unit)) is not None:
                took = result.value(f"reached(test_accuracy, {highest:g})")
                for whose in _paths(unit):
                    self._reached.setdefault(whose, []).append(int(took or result.n_rounds))

    def heard(self, row: Played) -> None:
        """Rounds that were played somewhere; those on another device, or of no recipe of today, say nothing."""
        recipe = self._recipes.get(row.recipe)
        if recipe is None or row.device.partition(":")[0] != self._device.partition(":")[0]:
            return
        self._known.clear()
        with suppress(ValueError):  # an arm or option that the recipe no longer has
            unit = Unit(recipe, row.arm, 0, row.choice, row.scale)
            seen = _Seen(row.seconds, round_flops(unit))
            whole = self._same if row.rounds else self._steps
            whole.setdefault(_work_of(unit), []).append(seen)
            for kin in _kin(unit):
                self._kin.setdefault(kin, {}).setdefault(_work_of(unit), []).append(seen)

    def played(self, row: Played) -> None:
        """Rounds of a recipe of today that were just played: the same work takes as long, all else of its recipe and
        model as many times what was seen before as they did.
        """
        unit = Unit(self._recipes[row.recipe], row.arm, 0, row.choice, row.scale)
        before = self._before(unit)
        if before is not None:
            self._pace[_pace_of(unit)] = row.seconds / before.seconds
        self._today[_work_of(unit)] = row.seconds
        self._known.clear()

    def look(self, unit: Unit) -> bool:
        """Time a step of the unit, once for a recipe and model, so that costs are those of this machine as it is.

        Whether that was done: not for what was played or timed already, nor without its data or device. A step says
        nothing of what a server does between rounds, so that nothing is believed to go faster than `_FASTEST` allows.
        """
        whose = _pace_of(unit)
        cost = self.of(unit)  # which may itself have timed a step for want of rounds
        if cost is None or whose in self._pace or whose in self._fresh:
            return False
        before = self._before(unit)
        now = self._timed(unit) if before is not None and self._told_at_hand(unit) else None
        if before is None or now is None:
            self._fresh.add(whose)  # nor will it do the next time
            return False
        self._pace[whose] = max(_FASTEST, now / before.seconds)
        self._known.clear()
        self._tell(f"{unit.recipe.id}: rounds take {self._pace[whose]:.2g} times as long here and now as before")
        return True

    def seen(self, unit: Unit) -> bool:
        """Whether a round of the same rule, client and server on the same model and data was seen."""
        return any(kin in self._kin for kin in _kin(unit) if kin[0] == "method")

    def of(self, unit: Unit) -> Cost | None:
        """The cost of all of the unit's rounds; `ValueError` for a configuration that cannot be made."""
        config = seedless(unit).config
        if not at_hand(config.dataset, self._data_root):
            return None
        whose = _seedless(unit)
        known = self._known.get(whose)
        if known is None or known[0] is not unit.recipe:
            found = self._of(unit, self.rounds(unit))
            self._known[whose] = known = unit.recipe, found
        return known[1]

    def without_timing(self, unit: Unit) -> Cost | None:
        """The same as `of` from what was seen before alone; None where a step would have to be timed."""
        config = seedless(unit).config
        if not at_hand(config.dataset, self._data_root):
            return None
        return self._of(unit, self.rounds(unit), timed=False)

    def rounds(self, unit: Unit) -> int:
        """How many rounds the unit is expected to take: all of them, unless an accuracy ends it that was reached before
        by its method, or by others of its recipe under the same choice.
        """
        most = seedless(unit).config.n_rounds
        took = None if enough(unit) is None else next(filter(None, map(self._reached.get, _paths(unit))), None)
        return most if took is None else min(most, round(median(took)))

    def shared(self, unit: Unit) -> tuple[str, int]:
        """What the unit's first rounds are called, by which others have the same, and how many these are."""
        known = self._shared.get(whose := _seedless(unit))
        if known is None or known[0] is not unit.recipe:
            found = prefix_of(first := replace(unit, seed=CALIBRATION_SEED if unit.seed >= CALIBRATION_SEED else 0))
            rounds = seedless(unit).config.n_rounds if found is None else found[0].config.n_rounds
            self._shared[whose] = known = unit.recipe, (identity(first) if found is None else found[1], rounds)
        name, rounds = known[1]
        return f"{name}, seed {unit.seed}", rounds

    def _of(self, unit: Unit, n: int, *, timed: bool = True) -> Cost | None:
        """The cost of `n` rounds of the unit, whatever its seed; `timed`: by a step where nothing like it was seen."""
        if (today := self._today.get(_work_of(unit))) is not None:
            return Cost(today * n, "measured")
        before = self._before(unit, timed=timed)
        if before is None:
            return None
        fresh = _pace_of(unit) in self._fresh
        usual = 1.0 if fresh or not self._pace else median(self._pace.values())
        return replace(before, seconds=before.seconds * self._pace.get(_pace_of(unit), usual) * n)

    def _before(self, unit: Unit, *, timed: bool = True) -> Cost | None:
        """The cost of a round, as what was seen before tells it."""
        flops, work = round_flops(unit), _work_of(unit)
        near = (self._near(kin, flops, work) for kin in _kin(unit))
        if same := self._same.get(work):
            own, of_arm = min(_scaled(seen, flops) for seen in same), next(near)
            doubted = of_arm is not None and own > _DOUBTED * of_arm
            return Cost(of_arm, "scaled") if doubted and of_arm is not None else Cost(own, "measured")
        if (found := next((seconds for seconds in near if seconds is not None), None)) is not None:
            return Cost(found, "scaled")
        if work not in self._steps and timed:
            self._time_one(unit)
        steps = self._steps.get(work)
        return Cost(steps[0].seconds, "timed") if steps else None

    def _near(self, kin: _Kin, flops: float | None, work: _Kin) -> float | None:
        """The median of what each other work of a kin took at least, scaled to these operations; None without any."""
        several = (of_one for other, of_one in self._kin.get(kin, {}).items() if other != work)
        least = [
            min(_scaled(seen, flops) for seen in of_one if seen.flops)
            for of_one in several
            if flops and any(seen.flops for seen in of_one)
        ]
        return median(least) if least else None

    def _time_one(self, unit: Unit) -> None:
        per_round = self._timed(unit) if self._told_at_hand(unit) else None
        if per_round is None:
            return
        row = Played(unit.recipe.id, unit.arm, per_round, 0, unit.choice, unit.scale, self._device)
        self.heard(row)
        self._fresh.add(_pace_of(unit))
        if self._keep is not None:
            write_costs(self._keep, [*read_costs(self._keep), row])

    def _told_at_hand(self, unit: Unit) -> bool:
        """Whether the device is here; `tell` hears that a step will be timed."""
        if self._away or not self._at_hand():
            return False
        config = settings_of(unit).config
        self._tell(f"{config.model} on {config.dataset}: one step is timed")
        return True

    def _at_hand(self) -> bool:
        """Whether the device is here; `tell` hears of it where it is not."""
        from deep.base.device import usable_device

        try:
            usable_device(self._device)
        except ValueError as error:
            self._away = True
            self._tell(f"{error}; what no round was seen of there is not known")
        return not self._away

    def _timed(self, unit: Unit) -> float | None:
        from deep import estimate

        settings = settings_of(unit)
        try:
            found = estimate(settings.config, settings.rule, device=self._device, data_root=self._data_root)
        except ValueError:  # its data are not at hand
            return None
        return found.total_seconds / settings.config.n_rounds


def shared_once(costs: Costs, units: Sequence[tuple[Unit, Cost | None]]) -> list[Cost | None]:
    """What each takes in this order where first rounds that several share are run by the first of them alone."""
    known: set[str] = set()
    found: list[Cost | None] = []
    for unit, cost in units:
        name, shared = costs.shared(unit)
        if cost is not None and name in known:
            rounds = costs.rounds(unit)
            cost = replace(cost, seconds=cost.seconds * max(0, rounds - shared) / rounds)
        known.add(name)
        found.append(cost)
    return found


def _seedless(unit: Unit) -> tuple[object, ...]:
    return unit.recipe.id, unit.arm, *sorted(unit.choice.items()), unit.scale, unit.seed >= CALIBRATION_SEED


def _paths(unit: Unit) -> tuple[_Kin, _Kin]:
    """Whose curves tell how long a unit runs: its method's, then those of its recipe, under the same choice."""
    of_all = unit.recipe.id, unit.scale, *sorted(unit.choice.items())
    return ("arm", unit.arm, *of_all), ("recipe", *of_all)


def _work_of(unit: Unit) -> _Kin:
    return unit.recipe.id, unit.arm, same_work(unit)


def _pace_of(unit: Unit) -> _Kin:
    """Whose rounds go at one pace."""
    return unit.recipe.id, seedless(unit).config.model


def _kin(unit: Unit) -> Iterator[_Kin]:
    """What a unit shares with others, the nearest first."""
    config = seedless(unit).config
    yield "arm", unit.recipe.id, unit.arm, config.model
    yield "method", config.dataset, config.model, *method_of(unit)
    yield "recipe", unit.recipe.id, config.model
    yield "model", config.dataset, config.model
    yield "network", config.model
    yield "family", config.model.partition("(")[0]


def _scaled(seen: _Seen, flops: float | None) -> float:
    return seen.seconds * flops / seen.flops if seen.flops and flops else seen.seconds


def hours_of(recipe: Recipe, costs: Costs, done: Mapping[str, Result]) -> float | None:
    """Hours of the missing units at default choices, with the paper's seeds or three; None if unknown."""
    missing = [u for u in units(recipe, range(recipe.seeds or 3), vary=()) if not answered(u, done)]
    found = [cost.seconds for unit in missing if (cost := costs.of(unit)) is not None]
    return sum(found) / 3600 if len(found) == len(missing) else None

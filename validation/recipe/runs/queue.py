"""What is run next: units ordered by open statements decided per hour, within a budget, here or by workers.

A unit starts only if its cost fits what is left of the budget. Played here, one whose first two rounds tell otherwise
is stopped, what they took is kept, and another starts; it goes on from its checkpoint when there is time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from validation.recipe.recipe import Recipe
from validation.recipe.result import Result, answered, read_results, write_result
from validation.recipe.runs.collapse import CollapsedError, Watch, collapse_of
from validation.recipe.runs.cost import COSTS, Cost, Costs, Played, read_costs, rounds_of, shared_once, write_costs
from validation.recipe.runs.pause import rest
from validation.recipe.runs.prefix import prefix_of
from validation.recipe.runs.run_unit import play
from validation.recipe.runs.sweep import Place, context_of, held_back, sweep
from validation.recipe.runs.work import chance_of
from validation.recipe.runs.workers import Workers
from validation.recipe.shelf import Shelf, shelves
from validation.recipe.unit import Unit, identity, units

if TYPE_CHECKING:
    from deep.storage.record import RoundRecord

__all__ = ["LONGEST", "Planned", "costs_of", "looked_at", "own_seeds", "plan", "work_off"]

LONGEST = 25 * 60.0  # seconds of a unit, unless the budget of one call has room for the whole of a longer one
_WORTH_A_LOOK = 60.0  # seconds of a unit
_LOOKED_AT = 2  # rounds after which a unit's cost is known
_ALLOWED = 1.5  # times what is left of the budget: the first rounds are slower than the others


@dataclass(frozen=True)
class Planned:
    """A unit that is not done, its folder of results, and its cost; None where that is not known here."""

    unit: Unit
    results: Path
    cost: Cost | None


def own_seeds(recipe: Recipe) -> range:
    """The seeds of its first planned look, else as many as the paper took, or three where it does not say."""
    return range(recipe.plan[0] if recipe.plan else recipe.seeds or 3)


def plan(
    chosen: Sequence[tuple[Shelf, Recipe]],
    costs: Costs,
    seeds: Sequence[int] | None = None,
    *,
    scale: float = 1.0,
    vary: Sequence[str] | None = None,
    arms: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> list[Planned]:
    """Units without a result, those of the recipe that decides most open statements per hour first.

    `seeds` None: of each recipe its own (`own_seeds`). Within a recipe: methods that a sentence speaks of before
    others, default choices before others, seed by seed, arm by arm, so that every seed is a paired comparison.
    First rounds that several share count once, for the first of them.
    Recipes whose data are not owned, or not at hand, come last and have no cost. `tell` hears of each recipe as soon as
    it is counted.
    """
    found: list[tuple[float, list[Planned]]] = []
    read: dict[Shelf, Mapping[str, Result]] = {}
    for shelf, recipe in chosen:
        if shelf not in read:
            read[shelf] = shelf.read()
        done = read[shelf]
        mine = own_seeds(recipe) if seeds is None else seeds
        missing = [u for u in units(recipe, mine, scale=scale, vary=vary, arms=arms) if not answered(u, done)]
        missing.sort(key=lambda unit: (not _in_a_sentence(unit), bool(unit.choice)))
        each = [(unit, None if recipe.owned else costs.of(unit)) for unit in missing]
        taken = [cost for _, cost in each] if recipe.owned else shared_once(costs, each)
        planned = [Planned(unit, shelf.results, cost) for unit, cost in zip(missing, taken, strict=True)]
        if planned:
            found.append((_worth(recipe, planned), planned))
            tell(f"{recipe.id}: {len(planned)} runs are missing, {_hours(planned)}")
    found.sort(key=lambda pair: -pair[0])
    return [one for _, several in found for one in several]


def _in_a_sentence(unit: Unit) -> bool:
    """Whether a statement speaks of the unit's method, or of one that is the same run."""
    said = {name for s in unit.recipe.statements for name in (s.arm, *s.than, *s.gain_over.values())}
    return not said.isdisjoint(unit.recipe.of_one_run(unit.arm))


def _hours(planned: Sequence[Planned]) -> str:
    costs = [p.cost.seconds for p in planned if p.cost is not None]
    return f"{sum(costs) / 3600:.1f} h" if len(costs) == len(planned) else "hours unknown"


def _worth(recipe: Recipe, planned: Sequence[Planned]) -> float:
    """Statements and cells decided per hour of the first seed at default choices; below 0 where nobody knows.

    Of methods that statements speak of these alone count.
    """
    first = [
        p
        for p in planned
        if (p.unit.seed, p.unit.choice, _in_a_sentence(p.unit))
        == (planned[0].unit.seed, planned[0].unit.choice, _in_a_sentence(planned[0].unit))
    ]
    seconds = [p.cost.seconds for p in first if p.cost is not None]
    if len(seconds) < len(first):
        return -1.0
    statements = len({said.claim for said in recipe.statements}) if _in_a_sentence(planned[0].unit) else 0
    return (statements + 0.1 * len(recipe.cells) * len(first)) / max(sum(seconds) / 3600, 1e-6)


def looked_at(costs: Costs, planned: Planned) -> bool:
    """Whether a step of the unit was timed now, before it is begun; not of one that takes no longer than that does."""
    return planned.cost is not None and planned.cost.seconds > _WORTH_A_LOOK and costs.look(planned.unit)


def work_off(
    chosen: Sequence[tuple[Shelf, Recipe]],
    costs: Costs,
    seeds: Sequence[int] | None,
    work: Path,
    *,
    budget: float,
    scale: float = 1.0,
    vary: Sequence[str] | None = None,
    arms: Sequence[str] = (),
    data_root: Path | None = None,
    device: str = "cpu",
    tell: Callable[[str], None] = lambda _: None,
    workers: Workers | None = None,
    hold_collapsed: bool = False,
) -> Iterator[Path]:
    """Play units until `budget` seconds are spent, each result written as soon as it is there; its path is yielded.

    Before the first unit of over a minute one step is timed, once for a recipe and model, unless others than this
    machine play; after every unit the order is made anew with what it cost. With `workers` these play as many at a time
    as they have room for, and finish what they began (`validation.recipe.runs.sweep`); results are written here alone,
    and are the same.
    A unit that collapses (`validation.recipe.runs.collapse`) is told of at once, and stopped with `hold_collapsed`.
    A unit that fails is played once more. Raises `ValueError` when another queue works in the folder `work`, or a run
    cannot be made, with workers after all others are done.
    """
    work.mkdir(parents=True, exist_ok=True)
    lock = FileLock(work / "queue.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ValueError(f"{work}: another queue works there; wait for it to end, or use another --work") from None
    started, passed, ended = monotonic(), set[str](), list[str]()

    def following(busy: Collection[str] = ()) -> Planned | None:
        """The first unit that fits what is left of the budget; None after saying why there is none.

        One whose first rounds somebody is at, in a folder named in `busy`, is left for later where there is another.
        """
        found, here = fitting(busy), workers is None or workers.here
        while here and found is not None and looked_at(costs, found):
            found = fitting(busy)
        if found is not None:
            tell(f"{found.unit.recipe.id}: {found.unit.name}, {_time(found.cost)}")
            passed.add(identity(found.unit))
        return found

    def left() -> float:
        return budget - (monotonic() - started)

    def fitting(busy: Collection[str]) -> Planned | None:
        remains = left()
        todo = [
            p
            for p in plan(chosen, costs, seeds, scale=scale, vary=vary, arms=arms)
            if p.cost is not None and identity(p.unit) not in passed
        ]
        most = min(max(0.0, remains), max(LONGEST, budget))
        fit = (p for p in todo if p.cost is not None and p.cost.seconds <= most)
        if (found := next(fit, None)) is not None:
            free = (p for p in chain([found], fit) if not busy or _folders(p.unit).isdisjoint(busy))
            return next(free, found)
        if not ended:
            ended.append(_ended(todo, remains))
            tell(ended[0])
        return None

    def learnt(path: Path, unit: Unit) -> Path:
        for result in read_results(path.parent.parent):
            if result.config == identity(unit) and (row := rounds_of(result)) is not None:
                costs.played(row)
        return path

    try:
        if workers is None:
            place = Place(work, data_root, device, 0, hold_collapsed)
            yield from _here(following, learnt, left, costs, place, scale, tell)
        else:
            root = None if data_root is None else data_root.resolve()
            place = Place(work.resolve(), root, device, _threads(), hold_collapsed)
            yield from _by_workers(workers, following, learnt, place, tell)
    finally:
        lock.release()


def _here(
    following: Callable[[], Planned | None],
    learnt: Callable[[Path, Unit], Path],
    left: Callable[[], float],
    costs: Costs,
    place: Place,
    scale: float,
    tell: Callable[[str], None],
) -> Iterator[Path]:
    """The units that this process plays, one after the other; of one that is stopped, what its rounds took is kept."""
    while (fits := following()) is not None:
        go = partial(play, fits.unit, fits.results, place.work, data_root=place.data_root, device=place.device)
        wait, n_rounds = partial(rest, place.work, tell), costs.rounds(fits.unit)
        look = partial(_Look, fits.unit, n_rounds, left, wait, tell, stops=place.hold_collapsed)
        try:
            try:
                path = go(on_round=look())
            except (ValueError, RuntimeError) as error:
                tell(f"{context_of(fits.unit, error, place)}; running it again")
                path = go(on_round=look())
        except _TooLongError as stopped:
            tell(f"{fits.unit.recipe.id}: {fits.unit.name} is stopped: {stopped}")
            row = Played(fits.unit.recipe.id, fits.unit.arm, stopped.seconds, _LOOKED_AT, fits.unit.choice, scale)
            costs.played(row)
            write_costs(place.work / COSTS, [*read_costs(place.work / COSTS), row])
            continue
        except CollapsedError as stopped:
            tell(held_back(fits.unit, stopped))
            continue
        yield learnt(path, fits.unit)


def _by_workers(
    workers: Workers,
    following: Callable[[Collection[str]], Planned | None],
    learnt: Callable[[Path, Unit], Path],
    place: Place,
    tell: Callable[[str], None],
) -> Iterator[Path]:
    """The units that workers have played, each written here."""
    folders: dict[str, Path] = {}
    at: dict[str, set[str]] = {}  # folders of work that are in use, by unit

    def next_unit() -> Unit | None:
        rest(place.work, tell)
        fits = following({folder for several in at.values() for folder in several})
        if fits is None:
            return None
        folders[identity(fits.unit)] = fits.results
        at[identity(fits.unit)] = _folders(fits.unit)
        return fits.unit

    for unit, result, full in sweep(workers, next_unit, place, tell):
        at.pop(identity(unit))
        if why := collapse_of(result, chance_of(unit)):
            tell(f"{unit.recipe.id}: {unit.name} collapsed: {why}")
        yield learnt(write_result(folders[identity(unit)], unit, result, full), unit)


def _folders(unit: Unit) -> set[str]:
    """The names of the folders in which the unit's rounds are played: its own, and that of rounds which it shares."""
    shared = prefix_of(unit)
    return {identity(unit)} if shared is None else {identity(unit), shared[1]}


class _TooLongError(Exception):
    """A unit's rounds take longer than what is left has room for; `seconds` of a round."""

    def __init__(self, seconds: float, left: float) -> None:
        super().__init__(f"a round takes {seconds:.3g} s, and {max(left, 0) / 60:.1f} min are left")
        self.seconds = seconds


class _Look:
    """After every round of a unit: wait if asked to; after the second, `_TooLongError` where the others do not fit."""

    def __init__(
        self,
        unit: Unit,
        n_rounds: int,
        left: Callable[[], float],
        wait: Callable[[], None],
        tell: Callable[[str], None],
        *,
        stops: bool,
    ) -> None:
        self._n_rounds, self._left, self._wait = n_rounds, left, wait
        self._watch = Watch(f"{unit.recipe.id}: {unit.name}", tell, chance_of(unit), stops=stops)
        self._seconds: list[float] = []

    def __call__(self, record: RoundRecord) -> None:
        self._wait()
        self._watch(record)
        self._seconds.append(record.seconds)
        if len(self._seconds) == _LOOKED_AT:
            per_round = sum(self._seconds) / _LOOKED_AT
            if per_round * (self._n_rounds - record.round - 1) > _ALLOWED * max(0.0, self._left()):
                raise _TooLongError(per_round, self._left())


def _threads() -> int:
    import torch

    return torch.get_num_threads()


def _ended(todo: Sequence[Planned], left: float) -> str:
    if not todo:
        return "nothing is left to run"
    least = min(p.cost.seconds for p in todo if p.cost is not None)
    return (
        f"{len(todo)} units are left; the shortest takes {least / 60:.1f} min, and {max(left, 0) / 60:.1f} min are left"
    )


def _time(cost: Cost | None) -> str:
    return "cost unknown" if cost is None else f"{cost.seconds / 60:.1f} min ({cost.known})"


def costs_of(
    data_root: Path | None,
    device: str = "cpu",
    *,
    work: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Costs:
    """Costs by all that any paper's results and kept rounds tell, and what was stopped in the folder `work`."""
    every = shelves()
    played = [row for shelf in every for row in read_costs(shelf.folder / "recipes" / COSTS)]
    if work is not None:
        played += read_costs(work / COSTS)
    results = {config: result for shelf in every for config, result in shelf.read().items()}
    recipes = [recipe for shelf in every for recipe in shelf.recipes()]
    keep = None if work is None else work / COSTS
    return Costs(recipes, results, data_root, device, played=played, keep=keep, tell=tell)

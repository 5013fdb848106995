"""Two rounds of what nobody has seen a round of, so that a plan can say what everything takes without playing it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING

from validation.recipe.recipe import Recipe
from validation.recipe.result import PROCESSOR
from validation.recipe.runs.cost import COSTS, Costs, Played, read_costs, write_costs
from validation.recipe.runs.run_unit import result_of
from validation.recipe.runs.work import method_of
from validation.recipe.shelf import Shelf
from validation.recipe.unit import Unit, settings_of

if TYPE_CHECKING:
    from deep.storage.record import RoundRecord

__all__ = ["rehearse"]

_ROUNDS = 2


def rehearse(
    chosen: Sequence[tuple[Shelf, Recipe]],
    costs: Costs,
    work: Path,
    *,
    budget: float,
    data_root: Path | None = None,
    device: str = "cpu",
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Played]:
    """Play two rounds of each method (rule, client and server on a model and data) that no round was seen of.

    The shortest first, as long as they fit `budget` seconds. What they took is kept in `costs.json` beside the recipe
    as soon as it is known, and yielded; their other numbers are thrown away.
    Raises `ValueError` as `deep.run`.
    """
    started = monotonic()
    for seconds, shelf, unit in _unseen(chosen, costs):
        if seconds > budget - (monotonic() - started):
            tell(f"{unit.recipe.id}: two rounds of {unit.arm} would take {seconds:.0f} s, more than is left")
            return
        tell(f"{unit.recipe.id}: two rounds of {unit.arm}, about {seconds:.0f} s")
        work.mkdir(parents=True, exist_ok=True)
        took: list[RoundRecord] = []
        with TemporaryDirectory(dir=work) as folder:
            result, _ = result_of(unit, Path(folder), data_root=data_root, device=device, on_round=took.append)
        per_round = sum(record.seconds for record in took) / len(took)
        if device == "cpu":
            per_round = min(per_round, float(result.provenance.get(PROCESSOR, inf)))
        row = Played(unit.recipe.id, unit.arm, per_round, len(took), scale=unit.scale, device=device)
        costs.heard(row)
        file = shelf.folder / "recipes" / COSTS
        write_costs(file, [*read_costs(file), row])
        yield row


def _unseen(chosen: Sequence[tuple[Shelf, Recipe]], costs: Costs) -> list[tuple[float, Shelf, Unit]]:
    """What two rounds are expected to take, shelf and unit, one for each method, the shortest first."""
    found: dict[tuple[str, ...], tuple[float, Shelf, Unit]] = {}
    for shelf, recipe in chosen:
        for arm in () if recipe.owned else recipe.arms:
            whole = Unit(recipe, arm.name, 0)
            config = settings_of(whole).config
            unit = Unit(recipe, arm.name, 0, scale=min(1.0, _ROUNDS / config.n_rounds))
            if costs.seen(whole) or (cost := costs.of(unit)) is None:
                continue
            kin = (config.dataset, config.model, *method_of(whole))
            if kin not in found or cost.seconds < found[kin][0]:
                found[kin] = cost.seconds, shelf, unit
    return sorted(found.values(), key=lambda row: row[0])

"""Units of recipes by several workers at a time: each plays one, its result is written by the one who asked.

A worker keeps rounds and checkpoints below the folder of work, which it shares with the others or has to itself: a unit
whose worker dies goes on, or begins anew, at another one, to the same numbers. One that fails is played once more, then
told with all that led to it, and the others go on; one that collapses may be stopped, and is told. While
`validation.recipe.runs.pause` asks for it no round begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from validation.cost.ending import heed
from validation.recipe.measure import Curves
from validation.recipe.result import Result
from validation.recipe.runs.collapse import CollapsedError, Watch
from validation.recipe.runs.pause import rest
from validation.recipe.runs.run_unit import result_of
from validation.recipe.runs.work import chance_of
from validation.recipe.runs.workers import Workers
from validation.recipe.unit import Unit, identity

if TYPE_CHECKING:
    from deep.storage.record import RoundRecord

__all__ = ["Place", "context_of", "held_back", "played", "sweep"]


@dataclass(frozen=True)
class Place:
    """Where a unit is played: folder of work, of data, device, and threads of a sum, which change its last digits.

    `hold_collapsed`: a run that collapses is stopped.
    """

    work: Path
    data_root: Path | None
    device: str
    threads: int
    hold_collapsed: bool = False


def played(unit: Unit, config: str, place: Place) -> tuple[Result, Curves]:
    """What a unit comes to where this runs; `ValueError` as `deep.run`, and where `config` is not its identity here."""
    import torch

    here = identity(unit)
    if here != config:
        raise ValueError(f"the worker's installation makes another run of it ({here}, not {config}); install the same")
    before = torch.get_num_threads()
    torch.set_num_threads(place.threads)
    watch = Watch(unit.name, lambda _: None, chance_of(unit), stops=place.hold_collapsed)

    def look(record: RoundRecord) -> None:
        rest(place.work)
        watch(record)

    try:
        return result_of(unit, place.work, data_root=place.data_root, device=place.device, on_round=look)
    finally:
        torch.set_num_threads(before)


def context_of(unit: Unit, error: BaseException, place: Place) -> str:
    """What failed, with what led to it, and where its rounds lie, in a line."""
    name = f"{unit.recipe.id}, {unit.name}"
    return f"{name}: {type(error).__name__}: {error} (rounds in {place.work / identity(unit)})"


def held_back(unit: Unit, why: CollapsedError) -> str:
    """That a unit is stopped, why, and how to run it all the same."""
    again = f'fedverdict reproduce {unit.recipe.id} --arm "{unit.arm}"'
    return f"{unit.recipe.id}: {unit.name} is held back, it {why}; {again} runs it all the same"


def sweep(
    workers: Workers, next_unit: Callable[[], Unit | None], place: Place, tell: Callable[[str], None]
) -> Iterator[tuple[Unit, Result, Curves]]:
    """(unit, result, curves) as they are done, of what `next_unit` gives whenever a worker is free, until it is None.

    Raises `ValueError` at the end, naming each unit that failed twice.
    """
    running: dict[Future[tuple[Result, Curves]], tuple[Unit, int]] = {}
    failed: list[str] = []

    def send(unit: Unit, attempt: int) -> None:
        running[workers.submit(played, unit, identity(unit), place)] = unit, attempt

    def fill() -> None:
        while len(running) < workers.room():
            unit = next_unit()
            if unit is None:
                return
            send(unit, 1)

    fill()
    while running:
        heed()
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            unit, attempt = running.pop(future)
            error = future.exception()
            if error is None:
                yield unit, *future.result()
                continue
            if isinstance(error, CollapsedError):
                tell(held_back(unit, error))
                continue
            words = context_of(unit, error, place)
            tell(f"{words}; {'running it again' if attempt == 1 else 'given up'}")
            if attempt == 1:
                send(unit, 2)
            else:
                failed.append(words)
        fill()
    if failed:
        raise ValueError(f"{len(failed)} units failed twice: " + "; ".join(failed))

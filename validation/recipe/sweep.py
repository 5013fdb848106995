"""Units of recipes on a Dask cluster: each is played by a worker, its result is written by the one who asked.

A worker keeps rounds and checkpoints below the folder of work, which it shares with the others or has to itself: a unit
whose worker dies goes on, or begins anew, at another one, to the same numbers. One that fails is played once more, then
told with all that led to it, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validation.recipe.measure import Curves
from validation.recipe.play import result_of
from validation.recipe.result import Result
from validation.recipe.unit import Unit, identity

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Place", "context_of", "played", "sweep"]


@dataclass(frozen=True)
class Place:
    """Where a unit is played: folder of work, of data, device, and threads of a sum, which change its last digits."""

    work: Path
    data_root: Path | None
    device: str
    threads: int


def played(unit: Unit, config: str, place: Place) -> tuple[Result, Curves]:
    """What a unit comes to where this runs; `ValueError` as `deep.run`, and where `config` is not its identity here."""
    import torch

    here = identity(unit)
    if here != config:
        raise ValueError(f"the worker's installation makes another run of it ({here}, not {config}); install the same")
    before = torch.get_num_threads()
    torch.set_num_threads(place.threads)
    try:
        return result_of(unit, place.work, data_root=place.data_root, device=place.device)
    finally:
        torch.set_num_threads(before)


def context_of(unit: Unit, error: BaseException, place: Place) -> str:
    """What failed, with what led to it, and where its rounds lie, in a line."""
    name = f"{unit.recipe.id}, {unit.name}"
    return f"{name}: {type(error).__name__}: {error} (rounds in {place.work / identity(unit)})"


def sweep(
    client: Client, next_unit: Callable[[], Unit | None], place: Place, tell: Callable[[str], None]
) -> Iterator[tuple[Unit, Result, Curves]]:
    """(unit, result, curves) as they are done, of what `next_unit` gives whenever a worker is free, until it is None.

    Raises `ValueError` at the end, naming each unit that failed twice.
    """
    from distributed import wait

    running: dict[Any, tuple[Unit, int]] = {}
    failed: list[str] = []

    def send(unit: Unit, attempt: int) -> None:
        future = client.submit(played, unit, identity(unit), place, pure=False)
        running[future] = unit, attempt

    def fill() -> None:
        while len(running) < max(1, len(client.ncores())):
            unit = next_unit()
            if unit is None:
                return
            send(unit, 1)

    fill()
    while running:
        wait(list(running), return_when="FIRST_COMPLETED")
        for future in [one for one in running if one.done()]:
            unit, attempt = running.pop(future)
            if future.status == "finished":
                result, curves = future.result()
                yield unit, result, curves
                continue
            words = context_of(unit, future.exception(), place)
            tell(f"{words}; {'played once more' if attempt == 1 else 'given up'}")
            if attempt == 1:
                send(unit, 2)
            else:
                failed.append(words)
        fill()
    if failed:
        raise ValueError(f"{len(failed)} units failed twice: " + "; ".join(failed))

"""A unit is played: the deep run in a folder of its own, resumed where it was stopped, then its result in one file."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from validation.recipe.looks import look_of
from validation.recipe.measure import Curves, curves, measured, on_target
from validation.recipe.result import ENDED, PROCESSOR, Result, write_result
from validation.recipe.runs.prefix import prefix_of
from validation.recipe.unit import Unit, identity, settings_of

if TYPE_CHECKING:
    from deep.storage.record import DeepRun, RoundRecord

__all__ = ["ALWAYS", "play", "result_of"]

ALWAYS = ("final(test_accuracy)", "late_mean(test_accuracy)", "late_mean(validation_accuracy)")
"""Measures of every result, whatever its recipe asks for; of a run with several targets on each of them, too."""


def play(
    unit: Unit,
    results: Path,
    work: Path,
    *,
    data_root: Path | None = None,
    device: str = "cpu",
    on_round: Callable[[RoundRecord], None] | None = None,
) -> Path:
    """Play the unit and write its result below `results`; rounds and checkpoints lie below `work` until then.

    It ends as soon as all that is asked of it is known (`reached`), and first rounds that several methods share are
    played once (`validation.recipe.runs.prefix`). The run's own folder is named by what decides its numbers: stopped at
    any moment it goes on, and nothing is played twice. Raises `ValueError` as `deep.run`, `OSError` for folders that
    cannot be used.
    """
    return write_result(results, unit, *result_of(unit, work, data_root=data_root, device=device, on_round=on_round))


def result_of(
    unit: Unit,
    work: Path,
    *,
    data_root: Path | None = None,
    device: str = "cpu",
    on_round: Callable[[RoundRecord], None] | None = None,
) -> tuple[Result, Curves]:
    """What a unit comes to, with its curves in full; nothing is written but rounds and checkpoints below `work`.

    First rounds that other units share are played in a folder of theirs; by the unit itself while another process is at
    them.
    """
    from deep import run
    from deep.base.lock import InUseError
    from deep.runs.prefix import Prefix
    from deep.storage.folder import CHECKPOINT

    settings, place = settings_of(unit), work / identity(unit)
    place.mkdir(parents=True, exist_ok=True)
    worked: list[float] = []

    def look(record: RoundRecord) -> None:
        worked.append(process_time())
        if on_round is not None:
            on_round(record)

    go = partial(run, device=device, data_root=data_root, references=work / "references", on_round=look)
    until = _enough(unit)
    under_way = (place / CHECKPOINT).exists()
    shared = None if under_way else prefix_of(unit)
    after: Prefix | None = None
    if shared is not None and shared[1] != place.name:
        first, begins = shared[0], work / shared[1]
        begins.mkdir(parents=True, exist_ok=True)
        with suppress(InUseError):
            begun = go(first.config, first.rule, out=begins, until=until)
            after = Prefix(begins, begun.history) if begun.status == "completed" else None
    made = go(settings.config, settings.rule, out=place, until=until, after=after)
    return _found(unit, made, None if len(worked) < 2 else (worked[-1] - worked[0]) / (len(worked) - 1))


def enough(unit: Unit) -> float | None:
    """The test accuracy that settles all that is asked of the unit once it is reached; None for other measures."""
    found = [re.fullmatch(r"reached\(test_accuracy, ([\d.]+)\)", text) for text in unit.recipe.measures_of(unit.arm)]
    if not found or None in found:
        return None
    return max(float(one[1]) for one in found if one is not None)


def _enough(unit: Unit) -> Callable[[RoundRecord], bool] | None:
    """Whether a round settles all that is asked of the unit."""
    highest = enough(unit)
    if highest is None:
        return None
    return lambda record: record.test_accuracy is not None and record.test_accuracy >= highest


def _found(unit: Unit, made: DeepRun, worked: float | None) -> tuple[Result, Curves]:
    targets = made.config.targets if len(made.config.targets) > 1 else ()
    always = (*ALWAYS, *(on_target(measure, target) for target in targets for measure in ALWAYS))
    early = made.status == "completed" and len(made.history) < made.config.n_rounds
    asked = tuple(dict.fromkeys((*unit.recipe.measures_of(unit.arm), *(() if early else always))))
    full = curves(made, (*unit.recipe.series, *asked))
    shown = {name: series for name, series in full.series.items() if name in unit.recipe.series}
    result = Result(
        recipe=unit.recipe.id,
        arm=unit.arm,
        choice=dict(unit.choice),
        seed=unit.seed,
        scale=unit.scale,
        config=identity(unit),
        status=made.status,
        n_rounds=len(made.history),
        measures={text: measured(text, full) for text in asked},
        curves={},
        weights=full.weights,
        seconds=float(f"{sum(record.seconds for record in made.history):.4g}"),
        note=unit.recipe.incomplete,
        provenance={
            **{name: value for name, value in made.provenance.items() if name != "config"},
            **_look(unit),
            **({ENDED: True} if early else {}),
            **({} if worked is None else {PROCESSOR: float(f"{worked:.4g}")}),
        },
    )
    return result, replace(full, series=shown)


def _look(unit: Unit) -> dict[str, int]:
    """Which planned look of its recipe the unit's seed serves first, counted from 1; nothing without a plan."""
    look = look_of(unit.seed, unit.recipe.plan)
    return {"look": look} if look else {}

"""A round of a method at its defaults: does it learn, and who has the weight? What takes hours is diagnosed in minutes.

The rows are kept in one small file beside the results; they are no evidence of a printed number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.base.files import replace_file
from validation.recipe.recipe import Recipe
from validation.recipe.runs.collapse import weights_in_words
from validation.recipe.runs.work import chance_of
from validation.recipe.shelf import Shelf
from validation.recipe.unit import Unit, identity, settings_of, units

if TYPE_CHECKING:
    from deep.storage.record import DeepRun

__all__ = ["DIAGNOSES", "Diagnosis", "diagnose", "known_collapse", "read_diagnoses", "undiagnosed", "write_diagnoses"]

DIAGNOSES = "results/diagnosis.json"


@dataclass(frozen=True)
class Diagnosis:
    """What `n_rounds` rounds of a unit came to. `config`: the whole run's digest (`identity`), of all its rounds.

    `collapses`: a number is not finite, or no more than half of what guessing gets (`chance`, 0 where nobody knows) is
    right. `why`: who has the weight, and which part of the judged classes it holds.
    """

    recipe: str
    arm: str
    choice: Mapping[str, str]
    seed: int
    config: str
    n_rounds: int
    accuracy: float | None
    chance: float
    collapses: bool
    why: str
    seconds: float
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The finding in a line."""
        seen = "a number is not finite" if self.accuracy is None else f"test accuracy {self.accuracy:.3f}"
        guessing = f" (guessing has {self.chance:.2f})" if self.chance else ""
        rounds = f"{self.n_rounds} round{'s' if self.n_rounds > 1 else ''}"
        return f"{'collapses' if self.collapses else 'learns'}: {seen} after {rounds}{guessing}; {self.why}"


def diagnose(unit: Unit, n_rounds: int = 1, *, data_root: Path | None = None, device: str = "cpu") -> Diagnosis:
    """The first rounds of the unit, judged after the last of them; nothing of them is written.

    Raises `ValueError` as `deep.run`.
    """
    from deep import run

    settings = settings_of(unit)
    config = replace(settings.config, n_rounds=n_rounds)
    made = run(config, settings.rule, device=device, data_root=data_root)
    chance, last = chance_of(unit), made.history[-1] if made.history else None
    accuracy = None if last is None or made.status == "diverged" else last.test_accuracy
    kept = {name: value for name, value in made.provenance.items() if name != "config"}
    return Diagnosis(
        recipe=unit.recipe.id,
        arm=unit.arm,
        choice=dict(unit.choice),
        seed=unit.seed,
        config=identity(unit),
        n_rounds=n_rounds,
        accuracy=accuracy,
        chance=chance,
        collapses=accuracy is None or not isfinite(accuracy) or accuracy <= chance / 2,
        why="" if last is None else weights_in_words(last, _overlap(made)),
        seconds=float(f"{sum(record.seconds for record in made.history):.3g}"),
        provenance=kept,
    )


def _overlap(made: DeepRun) -> dict[int, float] | None:
    """By client Σ min(share of a class there, share where the model is judged); None where clients are made anew."""
    from deep.partition.targets import make_target

    if made.config.cohort or not made.config.targets:
        return None
    counts = np.asarray(made.partition_counts)
    judged = make_target(made.config.targets[0]).shares(counts)
    own = counts / counts.sum(axis=1, keepdims=True)
    return {client: float(part) for client, part in enumerate(np.minimum(own, judged).sum(axis=1))}


def undiagnosed(recipe: Recipe, known: Iterable[Diagnosis], arms: Sequence[str] = ()) -> Iterator[Unit]:
    """The first seed of each method at its defaults, without those that are known; none of data that are not owned."""
    done = {one.config for one in known}
    for unit in () if recipe.owned else units(recipe, [0], vary=(), arms=arms):
        if identity(unit) not in done:
            yield unit


def known_collapse(unit: Unit, known: Iterable[Diagnosis]) -> Diagnosis | None:
    """The diagnosis of the unit's method, whatever its seed, where it collapses."""
    first = identity(Unit(unit.recipe, unit.arm, 0, unit.choice))
    return next((one for one in known if one.config == first and one.collapses), None)


def read_diagnoses(shelf: Shelf) -> tuple[Diagnosis, ...]:
    """The rows that are kept, none where there is no file; `ValueError` naming it for anything else."""
    path = shelf.folder / DIAGNOSES
    if not path.is_file():
        return ()
    try:
        return tuple(Diagnosis(**row) for row in json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{path}: no diagnoses: {error}") from error


def write_diagnoses(shelf: Shelf, rows: Iterable[Diagnosis]) -> Path:
    """Keep these rows, a line each, the later of two of one configuration, in order of recipes and arms."""
    kept = sorted({row.config: row for row in rows}.values(), key=lambda row: (row.recipe, row.arm, row.config))
    text = ",\n".join(" " + json.dumps(asdict(row), ensure_ascii=False, allow_nan=False) for row in kept)
    path = shelf.folder / DIAGNOSES
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"[\n{text}\n]\n".encode())
    return path

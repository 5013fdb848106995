"""The result of a unit: one small JSON file that says what was run, where, and what came of it.

At most 20 kB each, so that they can be committed: curves are thinned until they fit. What is read is believed only
where it is a result of the very configuration that is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from theory.base.files import replace_file
from validation.recipe.measure import Curves, Series, read_off
from validation.recipe.unit import Unit, identity

__all__ = [
    "ENDED",
    "LARGEST",
    "PROCESSOR",
    "Result",
    "answered",
    "read_results",
    "result_path",
    "together",
    "write_result",
]

LARGEST = 20_000  # bytes of a file
ENDED = "ended_when_known"
"""In the provenance of a run that ended before its last round, since all that was asked of it was known."""
PROCESSOR = "processor_seconds_a_round"
"""In the provenance: of the rounds that the process which ended the run played, from its second on."""
_POINTS = (64, 48, 32, 24, 16, 8, 4, 2)  # points of a curve, the first number that fits


@dataclass(frozen=True)
class Result:
    """What a unit's run came to.

    `config`: digest of the configuration (`identity`). `measures`: the numbers the recipe asked for, None where the run
    has none. `curves`: thinned series, pairs of round and value. `weights`: by client number (or kind), its mean weight
    over the rounds it took part in. `seconds` by the clock, over all rounds. `status`: as the run ended.
    """

    recipe: str
    arm: str
    choice: Mapping[str, str]
    seed: int
    scale: float
    config: str
    status: str
    n_rounds: int
    measures: Mapping[str, float | None]
    curves: Mapping[str, list[tuple[int, float]]]
    weights: Mapping[str, float]
    seconds: float
    note: str
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def value(self, measure: str) -> float | None:
        """What was measured over all rounds; what was not asked then is read off the kept curve, where it can be."""
        if measure in self.measures or self.provenance.get(ENDED):
            return self.measures.get(measure)
        return read_off(measure, {name: dict(curve) for name, curve in self.curves.items()}, self.n_rounds)

    def answers(self, measure: str) -> bool:
        """Whether the run need not be played for this measure."""
        return measure in self.measures or self.value(measure) is not None


def result_path(folder: Path, unit: Unit) -> Path:
    """Where a unit's result lies below a folder of results."""
    return folder / unit.recipe.id.partition(".")[2] / f"{unit.name}.json"


def thinned(series: Series, points: int) -> list[tuple[int, float]]:
    """At most `points` of a series, evenly spread, first and last kept, values to six digits."""
    rounds = [t for t, value in series.items() if isfinite(value)]
    if len(rounds) > points:
        step = (len(rounds) - 1) / (points - 1)
        rounds = [rounds[round(i * step)] for i in range(points)]
    return [(t, float(f"{series[t]:.6g}")) for t in rounds]


def together(one: Result, other: Result) -> Result:
    """Two results of one configuration: the measures and curves of both, or the completed one; else the later."""
    if one.status != other.status:
        return one if one.status == "completed" else other
    return replace(other, measures={**one.measures, **other.measures}, curves={**one.curves, **other.curves})


def answered(unit: Unit, results: Mapping[str, Result]) -> bool:
    """Whether the unit's run is among results, by configuration, with all that its recipe asks."""
    found = results.get(identity(unit))
    return found is not None and all(found.answers(measure) for measure in unit.recipe.measures_of(unit.arm))


def write_result(folder: Path, unit: Unit, result: Result, full: Curves) -> Path:
    """Write it in one step, curves as fine as `LARGEST` allows; `ValueError` where even two points are too many."""
    path = result_path(folder, unit)
    path.parent.mkdir(parents=True, exist_ok=True)
    for points in _POINTS:
        kept = {name: thinned(series, points) for name, series in full.series.items()}
        text = _compact({**asdict(result), "curves": kept})
        if len(text.encode()) <= LARGEST:
            replace_file(path, text.encode())
            return path
    raise ValueError(f"{path}: more than {LARGEST:,} bytes however thin its curves")


def _compact(value: Mapping[str, Any]) -> str:
    """One key a line, so that a change can be read."""
    rows = (
        f" {json.dumps(key)}: {json.dumps(item, ensure_ascii=False, allow_nan=False)}" for key, item in value.items()
    )
    return "{\n" + ",\n".join(rows) + "\n}\n"


def read_results(folder: Path) -> Iterator[Result]:
    """Every result below a folder, in order of their names.

    Raises `ValueError` naming the file for one that is damaged or too large.
    """
    for path in sorted(folder.glob("*/*.json")):
        try:
            if path.stat().st_size > LARGEST:
                raise ValueError(f"more than {LARGEST:,} bytes")
            yield Result(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"{path}: no result of a unit: {error}") from error

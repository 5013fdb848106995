"""Runs side by side: differences paired by seed in the last round that both have, and the settings that differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from validation.recipe.statistics.contrast import direction_p
from validation.recipe.statistics.intervals import Mean, holm, mean_of
from validation.report.pictures.run_curves import Arm

__all__ = ["PairedRuns", "differing", "paired_runs"]


@dataclass(frozen=True)
class PairedRuns:
    """`arm` less `than` in a quantity after round `round`, over `seeds` that both have.

    `mean` with its 95 % interval, None where no seed is in both; `p` counts all differences of the quantity, by Holm,
    None where there is none.
    """

    arm: str
    than: str
    round: float | None
    mean: Mean | None
    seeds: tuple[int, ...]
    p: float | None


def paired_runs(arms: Sequence[Arm], quantity: str) -> list[PairedRuns]:
    """Every arm less the first one: common data, cohorts and batches of a seed are no part of the difference."""
    first, *others = arms
    found = [_paired(arm, first, quantity) for arm in others]
    tested = holm([1.0 if one.p is None else one.p for one in found])
    return [
        PairedRuns(one.arm, one.than, one.round, one.mean, one.seeds, None if one.p is None else p)
        for one, p in zip(found, tested, strict=True)
    ]


def _paired(arm: Arm, than: Arm, quantity: str) -> PairedRuns:
    mine, theirs = (_by_seed(one, quantity) for one in (arm, than))
    common = sorted(mine.keys() & theirs.keys())
    rounds = [set(values[seed]) for values in (mine, theirs) for seed in common]
    shared = set.intersection(*rounds) if rounds else set()
    if not shared:
        return PairedRuns(arm.name, than.name, None, None, (), None)
    last = max(shared)
    values = [mine[seed][last] - theirs[seed][last] for seed in common]
    return PairedRuns(arm.name, than.name, last, mean_of(values), tuple(common), direction_p(values))


def _by_seed(arm: Arm, quantity: str) -> dict[int, dict[float, float]]:
    """Finite values by seed and round."""
    return {
        seed: {r: v for r, v in zip(table.get("round", ()), table.get(quantity, ()), strict=False) if math.isfinite(v)}
        for seed, table in zip(arm.seeds, arm.tables, strict=True)
        if seed is not None
    }


def differing(arms: Sequence[Arm]) -> list[Mapping[str, object]]:
    """Of every arm the settings in which the arms differ; None for one that an arm does not name."""
    names = dict.fromkeys(name for arm in arms for name in arm.settings)
    apart = [name for name in names if any(arm.settings.get(name) != arms[0].settings.get(name) for arm in arms)]
    return [{name: arm.settings.get(name) for name in apart} for arm in arms]

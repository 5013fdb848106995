"""Studies of a claim beside its verdict: where its proof loses, its assumptions, its constants, its phases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from validation.kinds import Inequality

if TYPE_CHECKING:
    from validation.ablation import Hypothesis
    from validation.phases import PhaseMap
    from validation.waterfall import Chain

__all__ = ["AblationStudy", "ConstantStudy", "PhaseStudy", "Study", "WaterfallStudy", "studied"]


@dataclass(frozen=True)
class WaterfallStudy:
    """The factor lost at each step of a proof, on the worst instance of its final bound."""

    title: str
    chain: Chain


@dataclass(frozen=True)
class AblationStudy:
    """Which assumptions a statement that holds uses; `test` is the statement before any switch of `hypotheses`."""

    title: str
    test: Inequality
    hypotheses: Sequence[Hypothesis]


@dataclass(frozen=True)
class ConstantStudy:
    """How far the constants of a bound that holds can be lowered; `terms` name its summands."""

    title: str
    test: Inequality
    terms: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class PhaseStudy:
    """Where a bound is violated, says nothing, or is useful; pictures of `down` against `across`."""

    title: str
    phases: PhaseMap
    across: str
    down: str


Study: TypeAlias = WaterfallStudy | AblationStudy | ConstantStudy | PhaseStudy


def studied(study: Study, *, budget: int, seed: int, label: str) -> dict[str, Any]:
    """A study's row of the ledger entry: kind, title and plain JSON; `data` None and the reason when it cannot be had.

    Everything random derives from (seed, label, title).
    """
    name = f"{label}/{study.title}"
    try:
        return {"title": study.title, **_plain(_data(study, budget, seed, name))}
    except ValueError as error:  # the statement does not hold here, or nothing was admissible
        return {"title": study.title, "kind": "none", "data": None, "why": str(error)}


def _plain(value: Any) -> Any:
    """JSON has neither infinities nor fractions nor NumPy numbers."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _data(study: Study, budget: int, seed: int, name: str) -> dict[str, Any]:
    if isinstance(study, WaterfallStudy):
        from validation.waterfall import waterfall

        return {"kind": "waterfall", "data": waterfall(study.chain, budget=max(400, budget // 4), seed=seed).json()}
    if isinstance(study, AblationStudy):
        from validation.ablation import ablate

        rows = ablate(study.test, study.hypotheses, budget=max(400, budget // 4), seed=seed, label=name)
        return {"kind": "ablation", "data": [row.json() for row in rows]}
    if isinstance(study, ConstantStudy):
        from validation.constants import best_constants

        found = best_constants(study.test, terms=study.terms, budget=max(400, budget // 4), seed=seed, label=name)
        return {"kind": "constants", "data": found.json()}
    from validation.phases import phase_diagram

    cells = 1
    for axis in study.phases.axes:
        cells *= len(axis.values)
    diagram = phase_diagram(study.phases, budget=max(60, budget // cells), seed=seed, label=name)
    return {"kind": "phases", "across": study.across, "down": study.down, "data": diagram.json()}

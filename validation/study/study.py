"""Studies of a claim beside its verdict: where its proof loses, its assumptions, its constants, its phases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from validation.statement.forms.studies import AblationStudy, ConstantStudy, Study, WaterfallStudy
from validation.study.ablation import ablate
from validation.study.constants import best_constants
from validation.study.phases import phase_diagram
from validation.study.waterfall import waterfall

__all__ = ["studied"]

__judges__ = "studies"


def studied(study: Study, *, budget: int, seed: int, label: str) -> dict[str, Any]:
    """A study's row of the ledger entry: kind, title and plain JSON; `data` None and the reason when it cannot be had.

    Everything random derives from (seed, label).
    """
    try:
        return {"title": study.title, **_plain(_data(study, budget, seed, label))}
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
    quarter = max(400, budget // 4)
    if isinstance(study, WaterfallStudy):
        return {"kind": "waterfall", "data": waterfall(study.chain, budget=quarter, seed=seed, label=name).json()}
    if isinstance(study, AblationStudy):
        rows = ablate(study.test, study.hypotheses, budget=quarter, seed=seed, label=name)
        return {"kind": "ablation", "data": [row.json() for row in rows]}
    if isinstance(study, ConstantStudy):
        found = best_constants(study.test, terms=study.terms, budget=quarter, seed=seed, label=name)
        return {"kind": "constants", "data": found.json()}
    cells = 1
    for axis in study.phases.axes:
        cells *= len(axis.values)
    diagram = phase_diagram(study.phases, budget=max(60, budget // cells), seed=seed, label=name)
    return {"kind": "phases", "across": study.across, "down": study.down, "data": diagram.json()}

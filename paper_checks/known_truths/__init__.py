"""Statements known to be true, most of them tight: they measure how strong the search is, and that it is never wrong."""

from __future__ import annotations

from pathlib import Path

from paper_checks.known_truths import (
    averaged_descent,
    averaged_noise,
    averages,
    class_worst_case,
    class_worst_case_fedavg,
    curvature,
    descent,
    geometry,
    local_descent,
    local_drift,
    noise,
    participation,
    round_variance,
    sampling,
    schedule,
)
from paper_checks.known_truths.mechanisms import MECHANISMS
from validation import Paper
from validation.world.mechanisms import declared

__all__ = ["PAPER"]

_MODULES = (
    curvature,
    averages,
    geometry,
    averaged_noise,
    descent,
    noise,
    averaged_descent,
    local_descent,
    round_variance,
    local_drift,
    sampling,
    participation,
    schedule,
    class_worst_case,
    class_worst_case_fedavg,
)

PAPER = Paper(
    key="known_truths",
    title="Known truths: the calibration of the engine",
    folder=Path(__file__).parent,
    claims=declared(tuple(sorted((c for m in _MODULES for c in m.CLAIMS), key=lambda c: int(c.id[1:]))), MECHANISMS),
    calibration=True,
)

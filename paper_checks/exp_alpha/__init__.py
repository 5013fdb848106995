"""Exp-α: Beyond Proportional Aggregation in Federated Learning."""

from __future__ import annotations

from pathlib import Path

from paper_checks.exp_alpha.mechanisms import MECHANISMS
from paper_checks.exp_alpha.relations import EA_P6, RELATIONS
from paper_checks.exp_alpha.steps import EA_E21D, EA_S2
from paper_checks.exp_alpha.theorem1 import EA_T1
from validation import Paper
from validation.job.papers import arranged, gathered
from validation.world.mechanisms import declared

__all__ = ["PAPER"]

PAPER = Paper(
    key="exp_alpha",
    title="Exp-α: Beyond Proportional Aggregation in Federated Learning",
    folder=Path(__file__).parent,
    claims=declared(arranged(EA_T1, EA_S2, EA_E21D, EA_P6, *gathered(__name__), *RELATIONS), MECHANISMS),
)

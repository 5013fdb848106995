"""Federated Learning Aggregation: New Robust Algorithms with Guarantees (FedWorse, FedBetter)."""

from __future__ import annotations

from pathlib import Path

from paper_checks.robust_aggregation.lemma1 import RA_L1
from paper_checks.robust_aggregation.mechanisms import MECHANISMS
from paper_checks.robust_aggregation.relations import RA_X4C, RELATIONS
from paper_checks.robust_aggregation.steps import RA_E18
from validation import Paper
from validation.job.papers import arranged, gathered
from validation.world.mechanisms import declared

__all__ = ["PAPER"]

PAPER = Paper(
    key="robust_aggregation",
    title="Federated Learning Aggregation: New Robust Algorithms with Guarantees",
    folder=Path(__file__).parent,
    claims=declared(arranged(RA_L1, RA_E18, RA_X4C, *gathered(__name__), *RELATIONS), MECHANISMS),
)

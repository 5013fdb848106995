"""Federated Learning Aggregation: New Robust Algorithms with Guarantees (FedWorse, FedBetter)."""

from __future__ import annotations

from pathlib import Path

from paper_checks.robust_aggregation import (
    lemma1_steps,
    lemma2,
    lemma2_runs,
    lemma2_sums,
    theorem1,
    theorem1_a1_a3,
    theorem1_a1_final,
    theorem1_a5,
    theorem1_a5_ends,
    theorem1_a6,
    theorem1_a7,
    theorem1_noise,
    theorem1_start,
)
from paper_checks.robust_aggregation.lemma1 import RA_L1
from paper_checks.robust_aggregation.relations import RA_X4C, RELATIONS
from paper_checks.robust_aggregation.steps import RA_E18
from validation import Paper

__all__ = ["PAPER"]

_MODULES = (
    theorem1,
    theorem1_start,
    theorem1_a1_a3,
    theorem1_a1_final,
    theorem1_noise,
    theorem1_a5,
    theorem1_a5_ends,
    theorem1_a6,
    theorem1_a7,
    lemma2,
    lemma2_runs,
    lemma2_sums,
    lemma1_steps,
)

PAPER = Paper(
    key="robust_aggregation",
    title="Federated Learning Aggregation: New Robust Algorithms with Guarantees",
    folder=Path(__file__).parent,
    claims=(RA_L1, RA_E18, RA_X4C, *(c for m in _MODULES for c in m.CLAIMS), *RELATIONS),
)

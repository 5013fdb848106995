"""Exp-α: Beyond Proportional Aggregation in Federated Learning."""

from __future__ import annotations

from pathlib import Path

from paper_checks.exp_alpha import (
    constant_b,
    lemma1,
    lemma2,
    lemma3,
    lemma4,
    lemma5,
    proof_signs,
    proportional,
    reduced_bound,
    step_sizes,
    theorem2,
    virtual_sequence,
)
from paper_checks.exp_alpha.relations import EA_P6, RELATIONS
from paper_checks.exp_alpha.steps import EA_E21D, EA_S2
from paper_checks.exp_alpha.theorem1 import EA_T1
from validation import Paper

__all__ = ["PAPER"]

_MODULES = (
    lemma1,
    lemma2,
    lemma3,
    virtual_sequence,
    lemma4,
    lemma5,
    theorem2,
    proportional,
    reduced_bound,
    step_sizes,
    proof_signs,
    constant_b,
)

PAPER = Paper(
    key="exp_alpha",
    title="Exp-α: Beyond Proportional Aggregation in Federated Learning",
    folder=Path(__file__).parent,
    claims=(EA_T1, EA_S2, EA_E21D, EA_P6, *(c for m in _MODULES for c in m.CLAIMS), *RELATIONS),
)

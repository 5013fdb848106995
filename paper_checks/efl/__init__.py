"""EFL: Elastic Federated Learning on non-IID data."""

from __future__ import annotations

from pathlib import Path

from paper_checks.efl.objective_shift import EFL_T2A, EFL_T2B
from paper_checks.efl.relations import EFL_P6
from validation import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    key="efl",
    title="Elastic Federated Learning on non-IID data",
    folder=Path(__file__).parent,
    claims=(EFL_T2A, EFL_T2B, EFL_P6),
)

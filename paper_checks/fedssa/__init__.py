"""FedSSA: Customizing Global Model for Arbitrary Target Distributions in Federated Learning."""

from __future__ import annotations

from pathlib import Path

from paper_checks.fedssa.mechanisms import MECHANISMS
from paper_checks.fedssa.relations import RELATIONS, SSA_P11
from paper_checks.fedssa.theorem import SSA_TA5
from validation import Paper
from validation.job.papers import arranged, gathered
from validation.world.mechanisms import declared

__all__ = ["PAPER"]

PAPER = Paper(
    key="fedssa",
    title="Customizing Global Model for Arbitrary Target Distributions in Federated Learning",
    folder=Path(__file__).parent,
    claims=declared(arranged(SSA_TA5, SSA_P11, *gathered(__name__), *RELATIONS), MECHANISMS),
    name="FedSSA",
)

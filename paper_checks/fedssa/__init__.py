"""FedSSA: Customizing Global Model for Arbitrary Target Distributions in Federated Learning."""

from __future__ import annotations

from pathlib import Path

from paper_checks.fedssa.mechanisms import MECHANISMS
from validation import Paper
from validation.job.papers import arranged, gathered
from validation.world.mechanisms import declared

__all__ = ["PAPER"]

PAPER = Paper(
    key="fedssa",
    title="Customizing Global Model for Arbitrary Target Distributions in Federated Learning",
    folder=Path(__file__).parent,
    claims=declared(arranged(*gathered(__name__)), MECHANISMS),
    name="FedSSA",
)

"""Federated Learning Aggregation: New Robust Algorithms with Guarantees (FedWorse, FedBetter)."""

from __future__ import annotations

from pathlib import Path

from paper_checks.robust_aggregation.notation import DRAWN, NOTATION
from validation import Instant, Mechanism, Paper
from validation.papers.papers import arranged, gathered
from validation.world.mechanisms import above, changing, declared, nonzero

__all__ = ["PAPER"]

_MECHANISMS = (
    Mechanism("noise", ("sigma",), nonzero("sigma")),
    Mechanism("several local steps", ("local_steps",), above("local_steps", 1)),
    Mechanism("changing weights", ("weights",), changing("weights")),
    Mechanism("weights that follow the losses", ("rule", "weights"), nonzero("rule")),
    Mechanism("weights that have seen samples", ("sees",), above("sees", Instant.BEFORE_RUN)),
)

PAPER = Paper(
    key="robust_aggregation",
    title="Federated Learning Aggregation: New Robust Algorithms with Guarantees",
    folder=Path(__file__).parent,
    claims=declared(arranged(*gathered(__name__)), _MECHANISMS),
    name="Robust aggregation",
    notation=NOTATION,
    drawn=DRAWN,
    authors=("Adnan Ben Mansour", "Alexandre Duplessis", "Gaia Carenini", "David Naccache"),
)

"""FedAWARE: On the Power of Adaptive Weighted Aggregation in Heterogeneous Federated Learning and Beyond."""

from __future__ import annotations

from pathlib import Path

from paper_checks.fedaware.mechanisms import MECHANISMS
from paper_checks.fedaware.notation import DRAWN, NOTATION
from validation import Paper
from validation.papers.papers import arranged, gathered
from validation.world.mechanisms import declared

__all__ = ["PAPER"]

PAPER = Paper(
    key="fedaware",
    title="On the Power of Adaptive Weighted Aggregation in Heterogeneous Federated Learning and Beyond",
    folder=Path(__file__).parent,
    claims=declared(arranged(*gathered(__name__)), MECHANISMS),
    name="FedAWARE",
    notation=NOTATION,
    drawn=DRAWN,
    authors=("Dun Zeng", "Zenglin Xu", "Shiyu Liu", "Yu Pan", "Qifan Wang", "Xiaoying Tang"),
)

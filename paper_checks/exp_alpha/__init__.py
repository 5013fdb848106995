"""Exp-α: Beyond Proportional Aggregation in Federated Learning."""

from __future__ import annotations

from pathlib import Path

from paper_checks.exp_alpha.notation import DRAWN, NOTATION
from validation import Instant, Mechanism, Paper
from validation.papers.papers import arranged, gathered
from validation.world.mechanisms import above, changing, declared, nonzero

__all__ = ["PAPER"]

# What a setting of this paper may have on: the mechanisms that its statements are attacked with, by coordinates.
_MECHANISMS = (
    Mechanism("noise", ("sigma", "noisy"), nonzero("sigma", "noisy")),
    Mechanism("noise", ("sigma",), nonzero("sigma")),
    Mechanism("several local steps", ("local_steps",), above("local_steps", 1)),
    Mechanism("clients drawn by weight", ("drawn",), nonzero("drawn")),
    Mechanism("changing weights", ("weights",), changing("weights")),
    Mechanism("weights that have seen samples", ("sees",), above("sees", Instant.BEFORE_RUN)),
)

PAPER = Paper(
    key="exp_alpha",
    title="Exp-α: Beyond Proportional Aggregation in Federated Learning",
    folder=Path(__file__).parent,
    claims=declared(arranged(*gathered(__name__)), _MECHANISMS),
    notation=NOTATION,
    drawn=DRAWN,
    venue="Paper under double-blind review",
)

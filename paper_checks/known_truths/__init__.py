"""Statements known to be true, most of them tight: they measure how strong the search is, and that it is never wrong."""

from __future__ import annotations

from pathlib import Path

from paper_checks.known_truths.notation import NOTATION
from validation import Mechanism, Paper
from validation.papers.papers import gathered
from validation.world.mechanisms import declared, nonzero

__all__ = ["PAPER"]

# What a setting may have on: the mechanism that statements are attacked with by a coordinate; cases name others.
_MECHANISMS = (Mechanism("noise", ("sigma",), nonzero("sigma")),)

PAPER = Paper(
    key="known_truths",
    title="Known truths: the calibration of the engine",
    folder=Path(__file__).parent,
    claims=declared(tuple(sorted(gathered(__name__), key=lambda c: int(c.id[1:]))), _MECHANISMS),
    calibration=True,
    notation=NOTATION,
)

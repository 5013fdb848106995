"""Statements of the literature on federated runs, as we state them: formulas over the world of runs, and false twins."""

from __future__ import annotations

from pathlib import Path

from paper_checks.literature.aggregation.letters import NEW
from paper_checks.literature.notation import NOTATION
from validation import Notation, Paper
from validation.papers.papers import gathered

__all__ = ["PAPER"]

PAPER = Paper(
    key="literature",
    title="Statements of the literature on federated runs, as we state them",
    folder=Path(__file__).parent,
    claims=tuple(sorted(gathered(__name__), key=lambda c: int(c.id.partition("-")[2]))),
    notation=Notation((*NOTATION.quantities, *NEW.quantities)),
)

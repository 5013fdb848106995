"""FedSSA: Customizing Global Model for Arbitrary Target Distributions in Federated Learning."""

from __future__ import annotations

from pathlib import Path

from paper_checks.fedssa.mechanisms import MECHANISMS
from paper_checks.fedssa.notation import DRAWN, NOTATION
from validation import Paper
from validation.papers.papers import arranged, gathered
from validation.statement.section import Section
from validation.world.mechanisms import declared

__all__ = ["PAPER"]


def _sections() -> tuple[Section, ...]:
    from paper_checks.fedssa.runs.sections import sections

    return sections(Path(__file__).parent / "results")


PAPER = Paper(
    key="fedssa",
    title="Customizing Global Model for Arbitrary Target Distributions in Federated Learning",
    folder=Path(__file__).parent,
    claims=declared(arranged(*gathered(__name__)), MECHANISMS),
    name="FedSSA",
    notation=NOTATION,
    drawn=DRAWN,
    venue="Paper under double-blind review",
    sections=_sections,
)

"""EFL: Elastic Federated Learning on non-IID data.

A misprint of one symbol that the lines before and after it show (an index, a hat, a lost factor) is read both ways, as two
readings of the print. An expression that its neighbours repeat is judged as it stands; what would mend it is an edit.
"""

from __future__ import annotations

from pathlib import Path

from paper_checks.efl.mechanisms import MECHANISMS
from paper_checks.efl.notation import DRAWN, NOTATION
from validation import Paper
from validation.papers.papers import arranged, gathered
from validation.world.mechanisms import declared

__all__ = ["PAPER"]

PAPER = Paper(
    key="efl",
    title="Elastic Federated Learning on non-IID data",
    folder=Path(__file__).parent,
    claims=declared(arranged(*gathered(__name__)), MECHANISMS),
    name="EFL",
    notation=NOTATION,
    drawn=DRAWN,
    authors=("Zichen Ma", "Wenye Li", "Yu Lu", "Shuguang Cui"),
)

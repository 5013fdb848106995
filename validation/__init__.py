"""Claims, verdicts and the machinery between them: everything a paper's folder needs, and what a user imports.

deep/ is imported lazily: checking claims never loads torch's world.
"""

from __future__ import annotations

from validation.bound import Bound, symbols
from validation.claim import (
    Canary,
    Case,
    Cell,
    Claim,
    Comparison,
    ExactCheck,
    Identity,
    Inequality,
    Kind,
    Paper,
    Reading,
    Relation,
)
from validation.draw import Choice, Instance, Integer, LogScale, Signed, Simplex, Space, Uniform
from validation.engine import DEFAULT_BUDGET, check
from validation.published import Table, load_table
from validation.verdict import Verdict, combine

__all__ = [
    "DEFAULT_BUDGET",
    "Bound",
    "Canary",
    "Case",
    "Cell",
    "Choice",
    "Claim",
    "Comparison",
    "ExactCheck",
    "Identity",
    "Inequality",
    "Instance",
    "Integer",
    "Kind",
    "LogScale",
    "Paper",
    "Reading",
    "Relation",
    "Signed",
    "Simplex",
    "Space",
    "Table",
    "Uniform",
    "Verdict",
    "check",
    "combine",
    "load_table",
    "symbols",
]

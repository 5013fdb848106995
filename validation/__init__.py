"""Claims, verdicts and the machinery between them: everything a paper's folder needs, and what a user imports.

deep/ is imported lazily: checking claims never loads torch's world.
"""

from __future__ import annotations

from validation import draw
from validation.bound import Bound, symbols
from validation.claim import (
    Canary,
    Case,
    Cell,
    Claim,
    ClassWorstCase,
    Comparison,
    ExactCheck,
    Family,
    Identity,
    Inequality,
    Kind,
    Number,
    Paper,
    Property,
    Reading,
    Relation,
    Size,
    Switch,
)
from validation.draw import Choice, Information, Instance, Integer, LogScale, Signed, Simplex, Space, Uniform
from validation.engine import DEFAULT_BUDGET, check
from validation.expectation import Expectation, SampledCase
from validation.published import Table, load_table
from validation.symmetry import Symmetry, permuted_clients, rotated_space, split_client, units
from validation.testing import Counterexample, assert_holds, find_counterexample, recomputed
from validation.verdict import Verdict, combine

__all__ = [
    "DEFAULT_BUDGET",
    "Bound",
    "Canary",
    "Case",
    "Cell",
    "Choice",
    "Claim",
    "ClassWorstCase",
    "Comparison",
    "Counterexample",
    "ExactCheck",
    "Expectation",
    "Family",
    "Identity",
    "Inequality",
    "Information",
    "Instance",
    "Integer",
    "Kind",
    "LogScale",
    "Number",
    "Paper",
    "Property",
    "Reading",
    "Relation",
    "SampledCase",
    "Signed",
    "Simplex",
    "Size",
    "Space",
    "Switch",
    "Symmetry",
    "Table",
    "Uniform",
    "Verdict",
    "assert_holds",
    "check",
    "combine",
    "draw",
    "find_counterexample",
    "load_table",
    "permuted_clients",
    "recomputed",
    "rotated_space",
    "split_client",
    "symbols",
    "units",
]

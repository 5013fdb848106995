"""Statements over whole classes, decided exactly: `decide_class(statement)` proves, refutes, or gives the interval."""

from __future__ import annotations

from validation.proof.classes.certificate import Proof, check
from validation.proof.classes.decide import ClassDecision, decide_class
from validation.proof.classes.instance import FunctionAt, PointOf, instance_of
from validation.proof.classes.over_range import RangeDecision, RangeProof, check_range, decide_range
from validation.proof.classes.over_vectors import decide_vectors, minimiser_along, nearest, vector_statement
from validation.proof.classes.script import class_script
from validation.proof.classes.witness import Witness, violates

__all__ = [
    "ClassDecision",
    "FunctionAt",
    "PointOf",
    "Proof",
    "RangeDecision",
    "RangeProof",
    "Witness",
    "check",
    "check_range",
    "class_script",
    "decide_class",
    "decide_range",
    "decide_vectors",
    "instance_of",
    "minimiser_along",
    "nearest",
    "vector_statement",
    "violates",
]

"""Statements over whole classes of functions and operators: written once, exact in every coefficient, solved in floats.

What decides them exactly is `validation.proof.classes`; here is the language, the interpolation conditions and the
semidefinite program. Source of the method: Y. Drori, M. Teboulle, 2014; A. Taylor, J. Hendrickx, F. Glineur, 2017.
"""

from __future__ import annotations

from theory.classes import families, steps
from theory.classes.crowd import Crowd
from theory.classes.families import Family, Sample
from theory.classes.numbers import Number, Real, Surd, number, sqrt
from theory.classes.problem import Function, Problem, Statement, Sum
from theory.classes.program import Program, assemble
from theory.classes.solver import Solution, solve
from theory.classes.vectors import Condition, Form, Least, Vector, least

__all__ = [
    "Condition",
    "Crowd",
    "Family",
    "Form",
    "Function",
    "Least",
    "Number",
    "Problem",
    "Program",
    "Real",
    "Sample",
    "Solution",
    "Statement",
    "Sum",
    "Surd",
    "Vector",
    "assemble",
    "families",
    "least",
    "number",
    "solve",
    "sqrt",
    "steps",
]

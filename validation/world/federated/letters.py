"""The letters of statements about runs: the catalogue of theory, and letters that a description defines or draws."""

from __future__ import annotations

from typing import Any

from theory.worlds.federated.catalogue import CATALOGUE
from validation.statement.notation import Notation, Quantity, letters

__all__ = ["OWN", "RUNS", "run_letters"]

_DEFINED = letters(r"""
t | t | the local step, counted from 0 | 0 0
gamma | \gamma | offset of the step sizes | 0 0 positive
length | \ell | step size in a unit of the statement | 0 0 positive
server | \eta_g | rate of the server | 0 0 positive
beta | \beta | momentum of the server | 0 0 nonnegative
prox | \lambda | weight of the proximal term | 1 -2 positive
stretch | s | factor of the statement | 0 0 positive
""")

OWN = tuple(_DEFINED.by_name)
"""The letters that no run gives: a description defines or draws them."""

RUNS = Notation(
    (
        *(
            Quantity(
                letter.name,
                letter.latex,
                letter.says,
                letter.units,
                positive=letter.sign == "positive",
                nonnegative=letter.sign == "nonnegative",
            )
            for letter in CATALOGUE.values()
        ),
        *_DEFINED.quantities,
    )
)
"""All letters of the catalogue, and those that the formulas of a description may define (`let`) or draw (`draws`)."""


def run_letters(names: str) -> Any:
    """The symbols of letters of runs: a tuple, or the one symbol. Raises `ValueError` for a name that is not there."""
    return RUNS.symbols(names)

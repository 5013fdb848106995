"""A claim is an object: what is printed, its readings, how to test each, and a mutant that must be refuted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from validation.bound import Bound
from validation.draw import Instance, Space

__all__ = [
    "Canary",
    "Case",
    "Cell",
    "Claim",
    "Comparison",
    "ExactCheck",
    "Identity",
    "Inequality",
    "Kind",
    "Paper",
    "Reading",
    "Relation",
    "Test",
]

Float = NDArray[np.float64]
Hypotheses = Mapping[str, bool]


class Kind(StrEnum):
    """What sort of statement a claim is."""

    INEQUALITY = "inequality"
    IDENTITY = "identity"
    ORDER = "order"
    RELATION = "relation"
    NUMBER = "number"
    PROPERTY = "property"


@dataclass(frozen=True)
class ExactCheck:
    """The exact second opinion on one instance: a plain function over Fractions and the functions it calls.

    `function(instance) -> (hypotheses, constants)`: each hypothesis a bool, the constants all those of the bound and
    `lhs`, as Fractions. Its source, with that of `uses`, becomes the counterexample's script, so it may use nothing
    but builtins, `Fraction` and `uses`.
    """

    function: Callable[[Mapping[str, Any]], tuple[Hypotheses, Mapping[str, Fraction]]]
    uses: tuple[Callable[..., Any], ...] = ()


@dataclass(frozen=True)
class Case:
    """One family of instances of exactly the stated hypotheses.

    `measure(instances)` returns arrays of one value an instance: `lhs`, every constant the bound names, and
    optionally the booleans `admissible` (False: the draw misses a hypothesis and does not count).
    Without `exact` a violation seen here stays `inconclusive`: floats alone refute nothing.
    """

    name: str
    space: Space
    measure: Callable[[Instance], Mapping[str, Float]]
    exact: ExactCheck | None = None


@dataclass(frozen=True)
class Inequality:
    """lhs <= bound on every instance of every case."""

    bound: Bound
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class Identity:
    """left == right for all values of the symbols in `positive`, all real and > 0; `sample` gives the rational grid."""

    left: Any
    right: Any
    sample: tuple[Fraction, ...] = (Fraction(1), Fraction(2), Fraction(1, 3), Fraction(5))


@dataclass(frozen=True)
class Cell:
    """One printed number: the exact decimal text and where it stands."""

    value: str
    where: str


@dataclass(frozen=True)
class Comparison:
    """left (<, <=, ==) right over printed cells, exactly; names in the expressions are keys of `cells`."""

    says: str
    left: Any
    relation: Literal["<", "<=", "=="]
    right: Any
    cells: Mapping[str, Cell]


@dataclass(frozen=True)
class Relation:
    """A relation on published tables: true when every comparison is; `needs_run` when the paper prints no number."""

    comparisons: Callable[[], tuple[Comparison, ...]]
    needs_run: str | None = None


Test = Inequality | Identity | Relation


@dataclass(frozen=True)
class Reading:
    """One formal reading of the printed text.

    `repair`: None for a reading of the print itself; "condition" for the print under one more hypothesis; "edit" for
    a changed formula. Only a condition turns `refuted` into `unstated-condition`; an edit is reported beside it.
    """

    name: str
    says: str
    test: Test
    repair: Literal["condition", "edit"] | None = None


@dataclass(frozen=True)
class Canary:
    """A structural mutant, false by the argument in `false_since`: the machinery must refute it."""

    name: str
    test: Test
    false_since: str


@dataclass(frozen=True)
class Claim:
    """A statement of a paper; fields always in this order.

    `id` as in the catalogue; `source` where it stands; `statement` the catalogue's LaTeX; `says` one plain sentence;
    `assumes` the printed hypotheses; `readings` from the most
    literal to the most charitable; `verdict_words` one paragraph for people once the verdict is known.
    """

    id: str
    kind: Kind
    source: str
    title: str
    statement: str
    says: str
    assumes: tuple[str, ...]
    readings: tuple[Reading, ...]
    canaries: tuple[Canary, ...]
    tight: str | None = None
    depends_on: tuple[str, ...] = ()
    verdict_words: str = ""

    def __post_init__(self) -> None:
        if not any(r.repair is None for r in self.readings):
            raise ValueError(f"Claim({self.id!r}): no reading of the print itself")
        names = [r.name for r in self.readings]
        if len(set(names)) != len(names):
            raise ValueError(f"Claim({self.id!r}): reading names repeat: {names}")
        if not self.canaries:
            raise ValueError(f"Claim({self.id!r}): no canary; a check that cannot fail is no check")


@dataclass(frozen=True)
class Paper:
    """Everything of one paper: its key, title, folder (published tables, ledger, scripts) and claims."""

    key: str
    title: str
    folder: Path
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        ids = [c.id for c in self.claims]
        if len(set(ids)) != len(ids):
            raise ValueError(f"Paper({self.key!r}): claim ids repeat: {ids}")

"""A claim is an object: what is printed, its readings, how to test each, and a mutant that must be refuted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeAlias

from validation.statement.forms.expectation import Expectation
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.kinds import (
    Case,
    Cell,
    Comparison,
    ExactCheck,
    Family,
    Identity,
    Inequality,
    Mechanism,
    Number,
    Property,
    Relation,
    Size,
    Switch,
)
from validation.statement.forms.orders import Order
from validation.statement.forms.studies import Study
from validation.statement.forms.whole_class import ClassWorstCase
from validation.statement.instances.at import At
from validation.statement.notation import Notation
from validation.statement.roles import ClaimRoles
from validation.statement.section import Section

__all__ = [
    "Case",
    "Cell",
    "Claim",
    "ClassWorstCase",
    "Comparison",
    "ExactCheck",
    "Family",
    "Identity",
    "Inequality",
    "Kind",
    "Mechanism",
    "Mutant",
    "Number",
    "Paper",
    "Property",
    "Reading",
    "Relation",
    "Size",
    "Switch",
    "Test",
    "no_mutant",
]


Test: TypeAlias = Inequality | Identity | Relation | Property | Number | Expectation | Order | VectorInequality
Repair: TypeAlias = Literal["condition", "edit"] | None
Part: TypeAlias = Literal["alternative", "part"]
_NO_LETTERS = Notation(())


class Kind(StrEnum):
    """What sort of statement a claim is."""

    INEQUALITY = "inequality"
    IDENTITY = "identity"
    ORDER = "order"
    RELATION = "relation"
    NUMBER = "number"
    PROPERTY = "property"


@dataclass(frozen=True)
class Reading:
    """One formal reading of the printed text.

    `repair`: None for a reading of the print itself; "condition" for the print under one more hypothesis; "edit" for
    a changed formula. Only a condition turns `refuted` into `unstated-condition`; an edit is reported beside it.
    `role`: an "alternative" is one way to read the print; a "part" is one conjunct of it, which has to hold whichever
    way the rest is read. `whole_range`: whether a proof of the test proves the reading for all it speaks of.
    """

    name: str
    says: str
    test: Test
    repair: Repair = None
    role: Part = "alternative"
    whole_range: bool = True


@dataclass(frozen=True)
class Mutant:
    """A structural mutant, false by the argument in `false_since`: the machinery must refute it.

    `falls_at`: instances at which it falls, where the author names some.
    """

    name: str
    test: Test
    false_since: str
    falls_at: tuple[At, ...] = field(default_factory=tuple)


def no_mutant(name: str) -> str:
    """What is wrong with a mutant that says what every reading says; that one reading is another's mutant is fine."""
    return f"the mutant {name!r} is the statement itself; expected one that differs from it and is false"


@dataclass(frozen=True)
class Claim:
    """A statement of a paper; fields always in this order.

    `id` as in the catalogue; `at` where it stands; `printed` the catalogue's LaTeX; `plainly` one plain sentence;
    `assumes` the printed hypotheses; `readings` from the most
    literal to the most charitable; `verdict` one paragraph for people once the verdict is known; `supremum` of
    left over right side where it is known, which calibrates the search; `worst_cases` over whole classes of functions;
    `studies` of its proof, assumptions, constants and phases; `mechanisms` that the setting may have on; `roles`: what
    its readings are, where no table of the paper says so; `tight_at`: instances at which both sides are equal.
    """

    id: str
    kind: Kind
    at: str
    title: str
    printed: str
    plainly: str
    assumes: tuple[str, ...]
    readings: tuple[Reading, ...]
    mutants: tuple[Mutant, ...]
    tight: str | None = None
    rests_on: tuple[str, ...] = ()
    verdict: str = ""
    supremum: float | None = None
    worst_cases: tuple[ClassWorstCase, ...] = ()
    studies: tuple[Study, ...] = ()
    mechanisms: tuple[Mechanism, ...] = ()
    roles: ClaimRoles | None = None
    tight_at: tuple[At, ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        if not any(r.repair is None for r in self.readings):
            raise ValueError(f"Claim({self.id!r}): no reading of the print itself")
        names = [r.name for r in self.readings]
        if len(set(names)) != len(names):
            raise ValueError(f"Claim({self.id!r}): reading names repeat: {names}")
        if not self.mutants:
            raise ValueError(f"Claim({self.id!r}): no mutant; a check that cannot fail is no check")
        itself = [m.name for m in self.mutants if all(m.test == r.test for r in self.readings)]
        if itself:
            raise ValueError(f"Claim({self.id!r}): {no_mutant(itself[0])}")


@dataclass(frozen=True)
class Paper:
    r"""Everything of one paper: its key, title, folder (published tables, ledger, scripts) and claims.

    `calibration`: statements known to be true (and tight), which measure the engine instead of a paper. `name`: what
    the paper calls its method, where its title does not begin with that. `notation`: the letters of its statements.
    `drawn`: LaTeX of the numbers that its worlds draw, by name, such as {"weights": r"\rho^t"}; words for the others
    are in the folder's drawn.toml. `sections`: makes further parts of its page; it raises `ValueError` for results that
    it cannot use. Only the report calls it: imports inside it cost a check nothing.
    `authors`, `year`, `venue`, `version`: as its text prints them, '' or none where it does not.
    """

    key: str
    title: str
    folder: Path
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = field(default=())
    calibration: bool = False
    name: str = ""
    notation: Notation = _NO_LETTERS
    drawn: Mapping[str, str] = field(default_factory=dict)
    sections: Callable[[], tuple[Section, ...]] = tuple
    authors: tuple[str, ...] = ()
    year: str = ""
    venue: str = ""
    version: str = ""

    def __post_init__(self) -> None:
        ids = [c.id for c in self.claims]
        if len(set(ids)) != len(ids):
            raise ValueError(f"Paper({self.key!r}): claim ids repeat: {ids}")
        for claim in self.claims:
            for word, named in _named_by(claim):
                if named not in ids or named == claim.id:
                    near = get_close_matches(named, set(ids) - {claim.id}, 1)
                    raise ValueError(
                        f"Paper({self.key!r}): {claim.id}: {word} {named!r}, which is no other claim of this paper"
                        + (f"; did you mean {near[0]!r}?" if near else "")
                    )


def _named_by(claim: Claim) -> list[tuple[str, str]]:
    """(by which argument, id) of every claim that a claim names."""
    found = [("rests_on", one) for one in claim.rests_on]
    if claim.roles is not None:
        found += [("repeats", claim.roles.repeats)] if claim.roles.repeats else []
        found += [("meets", one) for one in claim.roles.meets]
        found += [("wrong_form_in", one) for r in claim.roles.readings for one in r.wrong_form_in]
    return found

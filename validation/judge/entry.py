"""The record of a verdict: what a ledger keeps of a claim, its readings, its mutants and their exact sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from validation.judge.record import PLAIN, SPARSE, Json, read, written
from validation.statement.verdict import Verdict

__all__ = [
    "Cell",
    "Draws",
    "Edit",
    "Entry",
    "Exercised",
    "Histogram",
    "Lead",
    "MechanismRecord",
    "MutantRecord",
    "OpenPoint",
    "Program",
    "ReadingRecord",
    "Restored",
    "Sides",
    "Slope",
    "StudyRecord",
    "SymmetryRecord",
    "Terms",
]

__judges__ = "no"


@dataclass(frozen=True)
class Sides:
    """Both sides of a counterexample as text: a fraction, or leading digits after «≈»."""

    left: str
    right: str


@dataclass(frozen=True)
class Lead:
    """The point of a case's unit cube that a search ended with, and a later one may begin with.

    `case`: its place in the statement, as in `Case.place`; of a case outside of one its name.
    """

    case: str
    cube: tuple[float, ...]


@dataclass(frozen=True)
class Terms:
    """What makes a reading what it is; only what its claim says of it is written."""

    part: str = field(default="", metadata=SPARSE)
    options: Mapping[str, str] = field(default_factory=dict, metadata=SPARSE)
    cuts: Mapping[str, str] = field(default_factory=dict, metadata=SPARSE)
    conditions: tuple[str, ...] = field(default=(), metadata=SPARSE)
    edits: tuple[str, ...] = field(default=(), metadata=SPARSE)
    used_by: str = field(default="", metadata=SPARSE)
    met_by: str = field(default="", metadata=SPARSE)
    forced_by: str = field(default="", metadata=SPARSE)
    ours: str = field(default="", metadata=SPARSE)
    because: str = field(default="", metadata=SPARSE)
    sees: str = field(default="", metadata=SPARSE)
    token: bool = field(default=False, metadata=SPARSE)
    carries: bool = field(default=False, metadata=SPARSE)
    shown: bool = field(default=False, metadata=SPARSE)
    wrong_form_in: tuple[str, ...] = field(default=(), metadata=SPARSE)


@dataclass(frozen=True)
class Restored:
    """Extra hypotheses that the search found to restore a statement."""

    switches: tuple[str, ...]
    says: tuple[str, ...]
    worst_ratio: float | None
    instances: int


@dataclass(frozen=True)
class Edit:
    """A changed formula that the search did not refute."""

    says: str
    formula: str
    worst_ratio: float | None
    instances: int


@dataclass(frozen=True)
class MechanismRecord:
    """A counterexample that has all mechanisms on but one."""

    without: str
    why: str
    counterexample_source: str
    stage: str | None
    counterexample: str


@dataclass(frozen=True)
class SymmetryRecord:
    """By how much a symmetry changed a side, over how many cases; `case`: where it changed most."""

    name: str
    holds: bool
    change: float
    case: str
    cases: int


@dataclass(frozen=True)
class Histogram:
    """How many draws had a ratio of left over right side between `edges`, one edge more than counts."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Slope:
    """How a family of instances grows: the slope on log axes and its interval."""

    family: str
    slope: float
    low: float
    high: float


@dataclass(frozen=True)
class Cell:
    """A printed number and where it is printed."""

    cell: str
    value: str | None


@dataclass(frozen=True)
class Draws:
    """What became of the draws of a search; `exactly`: of those that exact arithmetic computed again, by kind."""

    outside: int
    decided: int
    tie: int
    beyond: int = field(metadata={"key": "beyond floats"})
    exactly: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Exercised:
    """A mechanism that draws had on: how many, and the largest ratio among them where it was computed."""

    name: str
    draws: int
    ratio: float | None


@dataclass(frozen=True, kw_only=True)
class ReadingRecord:
    """The outcome of one reading, and what the reading is."""

    name: str
    verdict: Verdict
    says: str = ""
    why: str = ""
    worst_ratio: float | None = None
    attained: bool = False
    instances: int = 0
    admissible: int | None = None
    stage: str | None = None
    robustness: float | None = None
    counterexample_source: str | None = None
    exact: Sides | None = None
    histogram: Histogram | None = None
    growth: tuple[tuple[int, float], ...] | None = None
    worst_instance: Mapping[str, Json] | None = field(default=None, metadata=PLAIN)
    place: str | None = field(default=None, metadata=SPARSE)
    cells: tuple[Cell, ...] | None = None
    stages: Mapping[str, int] | None = None
    expectation: Json = field(default=None, metadata=PLAIN)
    certificate: str | None = None
    constants: Mapping[str, float] | None = None
    points: Mapping[str, tuple[tuple[float, float], ...]] | None = None
    slopes: tuple[Slope, ...] | None = None
    draws: Draws | None = None
    float_ratio: float | None = None
    largest_quotient: float | None = None
    exercised: tuple[Exercised, ...] | None = None
    lead: Lead | None = None
    restored_by: tuple[Restored, ...] = ()
    mechanisms: tuple[MechanismRecord, ...] = ()
    edits: tuple[Edit, ...] = ()
    symmetries: tuple[SymmetryRecord, ...] = ()
    dimensions: Json = field(default=None, metadata=PLAIN)
    evaluations: int = 0
    lacking: tuple[str, ...] = ()
    role: str = ""
    as_printed: bool = True
    repair: str | None = None
    terms: Terms = Terms()
    counterexample: str | None = None


@dataclass(frozen=True, kw_only=True)
class MutantRecord:
    """What became of a mutant; `why`: the reason where it gave no answer."""

    name: str
    killed: bool
    false_since: str = ""
    killed_with: tuple[str, ...] = ()
    survives_in: tuple[str, ...] | None = field(default=None, metadata=SPARSE)
    stage: str | None = None
    evaluations: int = 0
    why: str | None = field(default=None, metadata=SPARSE)


@dataclass(frozen=True, kw_only=True)
class Program:
    """A semidefinite program over a whole class: its value against the bound."""

    at: str
    bound: float
    value: float | None
    ratio: float | None
    status: str
    solver: str | None = field(default=None, metadata=SPARSE)
    residual: float | None = field(default=None, metadata=PLAIN)


@dataclass(frozen=True, kw_only=True)
class StudyRecord:
    """The answer of a study of a proof, an assumption, a constant or phases; `data` as its kind has it."""

    title: str
    kind: str
    data: Json = field(default=None, metadata=PLAIN)
    across: str | None = field(default=None, metadata=SPARSE)
    down: str | None = field(default=None, metadata=SPARSE)
    why: str | None = field(default=None, metadata=SPARSE)


@dataclass(frozen=True)
class OpenPoint:
    """What the print leaves open: printed twice or nowhere, and why it matters."""

    printed: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The verdict of a claim with all that it rests on.

    `seconds`: of a processor; `effort`: the seconds that a thorough check wanted; `begun`: by reading where its search
    began, where that was not from nothing; `fingerprint`: None for code that has none, whose entry is never reused.
    """

    id: str
    kind: str = ""
    at: str = ""
    title: str = ""
    printed: str = ""
    plainly: str = ""
    assumes: tuple[str, ...] = ()
    words: str = ""
    readings: tuple[ReadingRecord, ...] = ()
    supremum: float | None = None
    instances: int = 0
    evaluations: int = 0
    seconds: float = 0.0
    seed: int = 0
    budget: int = 0
    rests_on: tuple[str, ...] = ()
    mutants: tuple[MutantRecord, ...] = ()
    tight: str | None = None
    worst_cases: tuple[Program, ...] = ()
    studies: tuple[StudyRecord, ...] = ()
    verdict: Verdict
    level: str = ""
    ours: str | None = None
    written: str | None = None
    condition: str | None = None
    edit: str | None = None
    open: Mapping[str, OpenPoint] = field(default_factory=dict)
    why: str = ""
    worst_ratio: float | None = None
    counterexample: str | None = None
    counterexample_source: str | None = None
    robustness: float | None = None
    exact: Sides | None = None
    weight: str | None = None
    effort: float | None = field(default=None, metadata=SPARSE)
    paper: str = ""
    fingerprint: str | None = None
    searched_by: str | None = None
    search_version: int | None = field(default=None, metadata=SPARSE)  # none was kept of the first
    provenance: Mapping[str, str | int | None] = field(default_factory=dict, metadata=PLAIN)
    begun: Mapping[str, Lead] | None = field(default=None, metadata=SPARSE)

    @classmethod
    def of(cls, row: object, place: str = "entry") -> Entry:
        """The entry of a JSON object. Raises `ValueError` naming place and field for what is none."""
        named = f"{place} {row['id']}" if isinstance(row, Mapping) and isinstance(row.get("id"), str) else place
        return read(cls, row, named)

    def json(self) -> dict[str, Any]:
        """The entry as a ledger keeps it."""
        return written(self)

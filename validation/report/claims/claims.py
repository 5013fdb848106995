"""A ledger entry as the report reads it: checked once here, typed and trusted afterwards."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from validation.judge.entry import Terms
from validation.judge.record import read
from validation.published.runs import OURS
from validation.report import fields
from validation.report.claims.mended import Mended, read_mended
from validation.report.claims.over_classes import OverClass, contradicted, read_over_classes
from validation.report.claims.repairs import (
    Exercised,
    Invariance,
    Mechanism,
    Repair,
    WholeClass,
    read_exercised,
    read_invariances,
    read_mechanisms,
    read_repairs,
    read_worst_cases,
)
from validation.report.claims.smallest import Smallest, read_smallest
from validation.report.claims.studies import Study, read_studies
from validation.report.claims.wording import role_words
from validation.report.text.ranges import ranges
from validation.report.verdicts import Verdict, verdict

__all__ = ["Claim", "Histogram", "Mutant", "Reading", "anchor", "read_claims"]

_BOTH_SIDES = re.compile(r"left side ([-\d.e+]+?), right side ([-\d.e+]+?)(?=[;,.]?(?:\s|$))")
PAGES = ("main", "index", "overview", "constants", "engine", "side-by-side", "two-worlds", "composition")


@dataclass(frozen=True)
class Histogram:
    """Counts of lhs/rhs between increasing `edges`, one edge more than counts; edges may be ±inf."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Reading:
    """One formal reading of a printed text; `what` says what it is: an alternative, a cut, a special case, a repair.

    `part`: the conjunct that it reads, '' for the whole statement; `options`: (issue, choice) where the print is open;
    `conditions`, `edits`: what it adds to the print. `role` as the ledger has it; `used_by`: the algorithm of the paper
    that uses what it attacks with.
    """

    name: str
    says: str
    verdict: Verdict
    why: str
    as_printed: bool
    what: str
    part: str
    options: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...]
    edits: tuple[str, ...]
    worst_ratio: float | None
    instances: int | None
    admissible: int | None
    histogram: Histogram | None
    growth: tuple[tuple[float, float], ...]
    worst_instance: Mapping[str, object]
    cells: tuple[tuple[str, str], ...]
    stages: tuple[tuple[str, int], ...]
    counterexample: str
    counterexample_source: str
    repairs: tuple[Repair, ...]
    mechanisms: tuple[Mechanism, ...]
    invariances: tuple[Invariance, ...]
    exercised: tuple[Exercised, ...]
    place: str = ""
    role: str = ""
    used_by: str = ""

    @property
    def of_runs(self) -> bool:
        """Whether it compares means of our runs, and no printed number."""
        return bool(self.cells) and all(where.startswith(OURS) for where, _ in self.cells)

    @property
    def violated(self) -> bool:
        """Whether a ratio above 1 is a violation; in a reading that holds it is rounding within its tolerance."""
        return self.verdict.word not in {"holds", "proved"}


@dataclass(frozen=True)
class Mutant:
    """A planted error, why it is false, the stage that killed it, and the mechanisms it was killed with on."""

    name: str
    false_since: str
    killed: bool | None
    stage: str
    killed_with: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """Everything the page of one claim shows; `words` (optional) explains the verdict where `why` is mechanical.

    `ours`: why the statement is asked by us and not printed; '' for one of the paper. `written`: what of it is ours.
    `mended`: what holds in place of a print that does not, each a statement of its own.
    """

    id: str
    anchor: str
    paper: str
    kind: str
    at: str
    title: str
    printed: str
    plainly: str
    assumes: tuple[str, ...]
    verdict: Verdict
    level: str
    ours: str
    written: str
    weight: str
    condition: str
    edit: str
    mended: tuple[Mended, ...]
    open: tuple[tuple[str, str, str], ...]
    why: str
    words: str
    readings: tuple[Reading, ...]
    worst_ratio: float | None
    instances: int | None
    evaluations: int | None
    seconds: float | None
    seed: int | None
    budget: int | None
    rests_on: tuple[str, ...]
    counterexample: str
    counterexample_source: str
    robustness: float | None
    mutants: tuple[Mutant, ...]
    tight: str
    supremum: float | None
    worst_cases: tuple[WholeClass, ...]
    over_classes: tuple[OverClass, ...]
    smallest: tuple[Smallest, ...]
    studies: tuple[Study, ...]
    fingerprint: str
    provenance: tuple[tuple[str, str], ...]
    begun_at: tuple[str, ...]

    @property
    def strength(self) -> float | None:
        """How near the search came to the known supremum of left over right side; None where it is not known."""
        if not self.supremum or self.worst_ratio is None:
            return None
        return self.worst_ratio / self.supremum

    @property
    def tried(self) -> int:
        """Admissible instances of the readings that it is true by: printed ones, each refutation of another apart."""
        by = [r for r in self.readings if r.as_printed and not r.violated]
        return sum((r.instances if r.admissible is None else r.admissible) or 0 for r in by)

    @property
    def begun(self) -> bool:
        """Whether a kept search began where an earlier one had ended, which a fresh one does not."""
        return any(stage == "start" for r in self.readings for stage, _ in r.stages)

    @property
    def repeatable(self) -> bool:
        """Whether `command` gives the very entry, counts and all: it began from nothing, or says where it began."""
        return bool(self.begun_at) or not self.begun

    @property
    def killed(self) -> tuple[int, int]:
        """(caught, planted) errors."""
        return sum(bool(c.killed) for c in self.mutants), len(self.mutants)

    @property
    def contradictions(self) -> tuple[OverClass, ...]:
        """Exact refutations over a class of the line as printed, where the verdict says that it is true."""
        return contradicted(self.verdict.word, self.over_classes)

    @property
    def command(self) -> str:
        """What makes this entry again: the same claim, effort and seed."""
        budget = "" if self.budget is None else f" --budget {self.budget}"
        begun = " --as-committed" if self.begun_at else ""
        return f"fedverdict check {self.id}{budget} --seed {0 if self.seed is None else self.seed}{begun}"

    @property
    def heading(self) -> str:
        """What stands above its formula."""
        return "Our question" if self.ours else "As we write it out" if self.written else "As printed"

    @property
    def stands(self) -> bool:
        """Whether it holds as printed."""
        return self.verdict.word in {"proved", "holds"} and not self.weight


def anchor(claim_id: str) -> str:
    """The fragment of a claim's page: its id, with what a URL would escape replaced by '-'."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", claim_id)


def _histogram(row: Mapping[str, object], place: str) -> Histogram | None:
    found = fields.mapping(row, "histogram", place)
    if not found:
        return None
    edges = [fields.as_number(e, "edges", f"{place}, histogram") for e in fields.sequence(found, "edges", place)]
    counts = [fields.as_number(c, "counts", f"{place}, histogram") for c in fields.sequence(found, "counts", place)]
    if not counts or len(edges) != len(counts) + 1:
        raise ValueError(
            f"{place}: histogram has {len(edges)} edges and {len(counts)} counts; expected one edge more than counts"
        )
    known = tuple(math.nan if e is None else e for e in edges)
    if not all(a < b for a, b in pairwise(known)):
        raise ValueError(f"{place}: histogram edges must increase; got {known[:6]}…")
    return Histogram(known, tuple(int(c or 0) for c in counts))


def _growth(row: Mapping[str, object], place: str) -> tuple[tuple[float, float], ...]:
    points: list[tuple[float, float]] = []
    for point in fields.sequence(row, "growth", place):
        pair = {"growth": point}
        values = [fields.as_number(v, "growth", place) for v in fields.sequence(pair, "growth", place)]
        if len(values) != 2:
            raise ValueError(f"{place}: growth holds {point!r}; expected pairs [evaluations, best ratio so far]")
        if values[0] is not None and values[1] is not None:
            points.append((values[0], values[1]))
    return tuple(points)


def _plain(value: object) -> str:
    return "—" if value is None else str(value)


def _reading(row: Mapping[str, object], place: str, whys: Mapping[str, str], plain: str) -> Reading:
    name = fields.text(row, "name", place) or "as printed"
    place = f"{place}, reading '{name}'"
    printed = fields.flag(row, "as_printed", place)
    cells = tuple((_plain(c.get("cell")), _plain(c.get("value"))) for c in fields.objects(row, "cells", place))
    stages, terms = fields.mapping(row, "stages", place), fields.mapping(row, "terms", place)
    found = Reading(
        name=name,
        says=fields.text(row, "says", place),
        verdict=verdict(fields.text(row, "verdict", place, required=True), place),
        why=_apart(ranges(fields.text(row, "why", place)), fields.mapping(row, "exact", place)),
        as_printed=True if printed is None else printed,
        what=_what(row, place, whys, plain),
        part=fields.text(terms, "part", place),
        options=tuple((k, str(v)) for k, v in fields.mapping(terms, "options", place).items()),
        conditions=fields.strings(terms, "conditions", place),
        edits=fields.strings(terms, "edits", place),
        worst_ratio=fields.number(row, "worst_ratio", place),
        instances=fields.whole(row, "instances", place),
        admissible=fields.whole(row, "admissible", place),
        histogram=_histogram(row, place),
        growth=_growth(row, place),
        worst_instance=fields.mapping(row, "worst_instance", place),
        cells=cells,
        stages=tuple((stage, fields.whole(stages, stage, place) or 0) for stage in stages),
        counterexample=fields.text(row, "counterexample", place),
        counterexample_source=fields.text(row, "counterexample_source", place),
        repairs=read_repairs(row, place),
        mechanisms=read_mechanisms(row, place),
        invariances=read_invariances(row, place),
        exercised=read_exercised(row, place),
        place=fields.text(row, "place", place),
        role=fields.text(row, "role", place),
        used_by=fields.text(terms, "used_by", place),
    )
    return found


def _apart(why: str, exact: Mapping[str, object]) -> str:
    """A reason whose two sides look the same and are not, with more digits of them; `exact`: both, as fractions."""
    said = _BOTH_SIDES.search(why)
    if said is None or said[1] != said[2]:
        return why
    try:
        left, right = (float(Fraction(str(exact.get(side)))) for side in ("left", "right"))
    except (ValueError, ZeroDivisionError, OverflowError):
        return why
    texts = next(
        ((f"{left:.{n}g}", f"{right:.{n}g}") for n in range(7, 18) if f"{left:.{n}g}" != f"{right:.{n}g}"), None
    )
    return why if texts is None else why.replace(said[0], f"left side {texts[0]}, right side {texts[1]}")


def _what(row: Mapping[str, object], place: str, whys: Mapping[str, str], plain: str) -> str:
    """What a reading is, in words; of a ledger that does not say so, whether it is as printed.

    `whys`: by what is left open the reason. `plain`: what the statement as it stands is called.
    """
    if not fields.text(row, "role", place):
        return "as printed" if fields.flag(row, "as_printed", place) in {None, True} else "not as printed"
    terms = fields.mapping(row, "terms", place)
    return role_words(fields.text(row, "role", place), read(Terms, terms, f"{place}: terms"), whys, plain)


def _open(row: Mapping[str, object], place: str) -> tuple[tuple[str, str, str], ...]:
    """(issue, printed twice or nowhere, why) for what the print leaves open."""
    held = fields.mapping(row, "open", place)
    found = []
    for issue in held:
        said = fields.mapping(held, issue, place)
        found.append((issue, fields.text(said, "printed", place), fields.text(said, "why", place)))
    return tuple(found)


def _mutant(row: Mapping[str, object], place: str) -> Mutant:
    return Mutant(
        name=fields.text(row, "name", place, required=True),
        false_since=fields.text(row, "false_since", place),
        killed=fields.flag(row, "killed", place),
        stage=fields.text(row, "stage", place),
        killed_with=fields.strings(row, "killed_with", place),
    )


def _claim(row: Mapping[str, object], place: str) -> Claim:
    claim_id = fields.text(row, "id", place, required=True)
    place = f"render(entries=…): {claim_id}"
    provenance, left_open = fields.mapping(row, "provenance", place), _open(row, place)
    whys = {issue: why for issue, _, why in left_open}
    ours, written = (fields.text(row, key, place) for key in ("ours", "written"))
    plain = "as asked" if ours else "as we write it out" if written else "as printed"
    return Claim(
        id=claim_id,
        anchor=anchor(claim_id),
        paper=fields.text(row, "paper", place, required=True),
        kind=fields.text(row, "kind", place) or "statement",
        at=fields.text(row, "at", place),
        title=fields.text(row, "title", place) or claim_id,
        printed=fields.text(row, "printed", place),
        plainly=fields.text(row, "plainly", place),
        assumes=fields.strings(row, "assumes", place),
        verdict=verdict(fields.text(row, "verdict", place, required=True), place),
        level=fields.text(row, "level", place),
        ours=ours,
        written=written,
        weight=fields.text(row, "weight", place),
        condition=fields.text(row, "condition", place),
        edit=fields.text(row, "edit", place),
        mended=read_mended(row, whys, place),
        open=left_open,
        why=fields.text(row, "why", place),
        words=fields.text(row, "words", place),
        readings=tuple(_reading(r, place, whys, plain) for r in fields.objects(row, "readings", place)),
        worst_ratio=fields.number(row, "worst_ratio", place),
        instances=fields.whole(row, "instances", place),
        evaluations=fields.whole(row, "evaluations", place),
        seconds=fields.number(row, "seconds", place),
        seed=fields.whole(row, "seed", place),
        budget=fields.whole(row, "budget", place),
        rests_on=fields.strings(row, "rests_on", place),
        counterexample=fields.text(row, "counterexample", place),
        counterexample_source=fields.text(row, "counterexample_source", place),
        robustness=fields.number(row, "robustness", place),
        mutants=tuple(_mutant(c, place) for c in fields.objects(row, "mutants", place)),
        tight=fields.text(row, "tight", place),
        supremum=fields.number(row, "supremum", place),
        worst_cases=read_worst_cases(row, place),
        over_classes=read_over_classes(row, place),
        smallest=read_smallest(row, place),
        studies=read_studies(row, place),
        fingerprint=fields.text(row, "fingerprint", place),
        provenance=tuple((str(k), str(v)) for k, v in provenance.items() if v is not None),
        begun_at=tuple(map(str, fields.mapping(row, "begun", place))),
    )


def read_claims(entries: Sequence[Mapping[str, object]]) -> tuple[Claim, ...]:
    """All claims, in the order given; raises `ValueError` on a wrong field, a repeated id or a clash of anchors."""
    claims = tuple(_claim(entry, f"render(entries=…): entry {i}") for i, entry in enumerate(entries))
    taken = {page: f"the page '{page}'" for page in PAGES}
    for claim in claims:
        if claim.anchor in taken:
            raise ValueError(
                f"render(entries=…): id {claim.id!r} has the same page as {taken[claim.anchor]}; rename one"
            )
        taken[claim.anchor] = f"the claim {claim.id!r}"
    return claims

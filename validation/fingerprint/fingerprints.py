"""When a committed verdict is still current: digests of what a claim says and of how it is judged, not of files.

`fingerprint` covers the claim with all the code and values it reaches, both its sides, and what of the judge judges
statements of its forms; it alone decides whether an entry is stale. `engine_digest` covers the search, which finds
candidates, decides nothing and is recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Set
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from validation.fingerprint.meaning import Walk
from validation.published import tables as published
from validation.statement.claim import (
    Claim,
    Identity,
    Inequality,
    Mutant,
    Number,
    Paper,
    Property,
    Reading,
    Relation,
    Switch,
)
from validation.statement.forms.expectation import Expectation
from validation.statement.forms.formula_check import FormulaCheck
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.orders import Order
from validation.statement.letters import Letter
from validation.statement.notation import Notation, Quantity

__all__ = ["engine_digest", "fingerprint", "forms", "judge_digest", "letters_left_out", "tables_digest"]

SCHEME = 3  # of what a digest is made; entries carry it
# Words for people; random numbers hang on the ids of claims and the places of readings and mutants in them.
_WORDS = {
    Claim: {"at", "title", "printed", "plainly", "assumes", "tight", "rests_on", "verdict", "roles", "tight_at"},
    Reading: {"name", "says", "role"},
    Mutant: {"name", "false_since", "falls_at"},
    Switch: {"says"},
    Quantity: {"says"},
    FormulaCheck: {"letters"},
}


# What has its meaning letter by letter: of a notation those letters alone count that a claim, or its code, can name.
_NAMED: Mapping[type, Callable[[Any], Mapping[str, object]]] = {
    Notation: lambda held: {q.name: (q.units, q.randomness, q.positive, q.nonnegative) for q in held.quantities},
    Letter: lambda held: {held.name: held.declared},
}
# Fields that hold a bound, or in words why there is none.
_REASONS: Mapping[type, Set[str]] = {Inequality: {"trivial"}}

_STUDY, _WORST_CASE = "study", "worst case"
# What is tested in ways of its own, by class or word, with the mark that its modules carry.
_MARKS: Mapping[type | str, str] = {
    Identity: "identities",
    Number: "identities",
    Relation: "relations",
    Inequality: "inequalities",
    Order: "orders",
    VectorInequality: "vectors",
    Expectation: "expectations",
    _STUDY: "studies",
    _WORST_CASE: "worst cases",
}
_OF_INEQUALITIES = {Expectation, _STUDY}  # judged, among other things, as inequalities are


def _compared(test: Relation) -> Any:
    """What a relation says of which cells: of a published table only the cells that are read count."""
    return test.needs_run if test.needs_run is not None else test.comparisons()


def mark_of(module: str) -> str:
    """What a module says in `__judges__`: "no" where it bounds costs, words, stores or shows; "search" where it looks

    for instances, which are judged elsewhere; the form whose statements alone it judges; "" where all share it.
    """
    return str(getattr(sys.modules.get(module), "__judges__", ""))


def _elsewhere(module: str) -> bool:
    return mark_of(module) in {"no", "search"}


def _judges(form: type | str) -> tuple[Any, ...]:
    """The functions by which a form is judged; each is followed wherever it leads, other forms apart."""
    from validation.judge import expectation, gram, identities, inequalities, orders, relations
    from validation.judge.repairs import followup
    from validation.search import sample, scores
    from validation.study import study, worst_cases

    known: Mapping[type | str, tuple[Any, ...]] = {
        Identity: (identities.judge_identity,),
        Number: (identities.judge_number,),
        Relation: (relations.judge_relation,),
        # The search books what it draws by the last two: into which class, and which draws are kept to be decided.
        Inequality: (
            inequalities.judge_inequality,
            *(followup.repairs, followup.symmetries, followup.dimensions),
            *(scores, sample),
        ),
        Order: (orders.judge_order,),
        VectorInequality: (gram.judge_vectors,),
        Expectation: (expectation.judge_expectation, scores, sample),
        _STUDY: (study.studied,),
        _WORST_CASE: (worst_cases.solved,),
    }
    return known[form]


def forms(claim: Claim) -> frozenset[type | str]:
    """The forms of what a claim tests: classes of its statements and mutants, "study" and "worst case" beside them."""
    tests = [*(reading.test for reading in claim.readings), *(mutant.test for mutant in claim.mutants)]
    found: set[type | str] = {Inequality if isinstance(test, Property) else type(test) for test in tests}
    found |= {_STUDY} if claim.studies else set()
    found |= {_WORST_CASE} if claim.worst_cases else set()
    return frozenset(found)


def judge_digest(used: Iterable[type | str] = tuple(_MARKS)) -> str:
    """SHA-256 of the code that turns what was found into verdicts: what all share, and what judges these forms."""
    own = sorted(_form_digest(form) for form in set(used))
    return sha256("\0".join((_shared_digest(), *own)).encode()).hexdigest()


@cache
def _shared_digest() -> str:
    from validation.verdict.engine import assemble, run_unit

    return Walk(_WORDS, lambda module: bool(mark_of(module))).digest(run_unit, assemble)


@cache
def _form_digest(form: type | str) -> str:
    own = {"", _MARKS[form], *([_MARKS[Inequality]] if form in _OF_INEQUALITIES else [])}
    return Walk(_WORDS, lambda module: mark_of(module) not in own).digest(*_judges(form))


@cache
def engine_digest() -> str:
    """SHA-256 of the code that looks for counterexamples."""
    from validation.search.search import search

    return Walk(_WORDS, lambda module: mark_of(module) == "no").digest(search)


@cache
def tables_digest(folder: Path) -> str:
    """SHA-256 of all published tables of a paper, line ends apart."""
    digest = sha256()
    for file in sorted(folder.rglob("*.csv")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def fingerprint(paper: Paper, claim: Claim) -> str:
    """What the verdict of a claim depends on, as the number of the scheme and a SHA-256: what is tested, both sides,

    the exact check, who judges it. Moving or renaming modules, functions, classes and variables, comments, docstrings,
    texts of errors, names of readings, other claims and letters that this one does not use leave it as it is. Raises
    `UnreadableError` where something that a verdict depends on cannot be read: such a verdict is never used again. Code
    that reads published tables while a claim is checked depends on all of the paper's; a relation on its cells alone.
    """
    return _fingerprint(paper.folder, _Held(claim))


class _Held:
    """A claim by identity, so that digests can be kept."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim

    def __hash__(self) -> int:
        return id(self.claim)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.claim is self.claim


def letters_left_out(claim: Claim) -> set[str]:
    """The letters within a claim's reach that its code cannot name, and that its fingerprint leaves out.

    Raises as `fingerprint`.
    """
    walk, _ = _walked(claim)
    return {name for held in walk.by_name for name in held} - walk.used


def _walked(claim: Claim) -> tuple[Walk, str]:
    walk = Walk(_WORDS, _elsewhere, {Relation: _compared}, _REASONS, _NAMED)
    return walk, walk.digest(claim)


@cache
def _fingerprint(folder: Path, held: _Held) -> str:
    walk, said = _walked(held.claim)
    tables = tables_digest(folder) if walk.met(published.load_table) else ""
    whole = sha256(f"{said}\0{judge_digest(forms(held.claim))}\0{tables}".encode()).hexdigest()
    return f"{SCHEME}:{whole}"

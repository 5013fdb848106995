"""When a committed verdict is still current: digests of what a claim says and of how it is judged, not of files.

`fingerprint` covers the claim with all the code and values it reaches, both its sides, and the judge; it alone decides
whether an entry is stale. `engine_digest` covers the search, which finds candidates, decides nothing and is recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from validation.job.meaning import Walk
from validation.statement import published
from validation.statement.claim import Canary, Claim, Paper, Reading, Relation, Switch

__all__ = ["engine_digest", "fingerprint", "judge_digest", "tables_digest"]

# Code that looks for instances: what it finds is judged elsewhere.
_SEARCH = {
    "validation.search.arms",
    "validation.search.ascent",
    "validation.search.gradient",
    "validation.search.points",
    "validation.search.search",
    "validation.search.seen",
    "validation.search.shrink",
}
# Code that bounds what a check may cost, and words, stores or shows what was judged.
_SHOWN = {
    "validation.cost.allowed",
    "validation.cost.child",
    "validation.report.compare",
    "validation.job.effort",
    "validation.job.fingerprints",
    "validation.job.gate",
    "validation.job.job",
    "validation.job.kept",
    "validation.job.ledger",
    "validation.cost.limits",
    "validation.cost.memory",
    "validation.job.meaning",
    "validation.job.normal_form",
    "validation.job.papers",
    "validation.job.pool",
    "validation.job.provenance",
    "validation.statement.roles",
    "validation.judge.compared",
    "validation.judge.scripts",
    "validation.judge.wording",
    "validation.judge.words",
}
# Words for people; random numbers hang on the ids of claims and the places of readings and mutants in them.
_WORDS = {
    Claim: {"source", "title", "statement", "says", "assumes", "tight", "depends_on", "verdict_words", "roles"},
    Reading: {"says", "role"},
    Canary: {"false_since"},
    Switch: {"says"},
}


def _compared(test: Relation) -> Any:
    """What a relation says of which cells: of a published table only the cells that are read count."""
    return test.needs_run if test.needs_run is not None else test.comparisons()


def _elsewhere(module: str) -> bool:
    return module in _SEARCH or module in _SHOWN


@cache
def judge_digest() -> str:
    """SHA-256 of the code that turns what was found into verdicts."""
    from validation.job.engine import assemble, run_unit
    from validation.search import sample, scores

    # The search books what it draws by these two: into which class, and which draws are kept to be decided.
    return Walk(_WORDS, _elsewhere).digest(run_unit, assemble, scores, sample)


@cache
def engine_digest() -> str:
    """SHA-256 of the code that looks for counterexamples."""
    from validation.search.search import search

    return Walk(_WORDS, lambda module: module in _SHOWN).digest(search)


@cache
def tables_digest(folder: Path) -> str:
    """SHA-256 of all published tables of a paper, line ends apart."""
    digest = sha256()
    for file in sorted(folder.rglob("*.csv")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def fingerprint(paper: Paper, claim: Claim) -> str:
    """SHA-256 of what the verdict of a claim depends on: what is tested, both sides, the exact check, the judge.

    Moving or renaming modules, comments, docstrings and other claims leave it as it is. Code that reads published
    tables while a claim is checked depends on all of the paper's; a relation on its cells alone.
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


@cache
def _fingerprint(folder: Path, held: _Held) -> str:
    reads: Mapping[type, Any] = {Relation: _compared}
    walk = Walk(_WORDS, _elsewhere, reads)
    said = walk.digest(held.claim)
    tables = tables_digest(folder) if walk.met(published.load_table) else ""
    return sha256(f"{said}\0{judge_digest()}\0{tables}".encode()).hexdigest()

"""Papers, found through the entry points of group `fedverdict.papers`: ours and anybody's own plug in alike.

A paper is a folder: `gathered` collects what its modules list as `CLAIMS`, `arranged` puts claims into reading order.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from itertools import pairwise
from pkgutil import iter_modules
from typing import Any

from validation.cost.limits import NoAnswerError, contained, reason
from validation.papers.index import GROUP, RESULT, chosen_of, index_of, is_ours, listed, points
from validation.statement.claim import Claim, Paper, Relation

__all__ = ["GROUP", "arranged", "gathered", "is_result", "left_out", "load_papers", "select"]

__judges__ = "no"


def gathered(package: str) -> tuple[Claim, ...]:
    """The claims of all modules of a package that list some as `CLAIMS`: a new module needs no entry anywhere.

    Raises `ValueError` naming the module when its `CLAIMS` is no tuple of claims.
    """
    found: list[Claim] = []
    for info in sorted(iter_modules(import_module(package).__path__), key=lambda i: i.name):
        claims = getattr(import_module(f"{package}.{info.name}"), "CLAIMS", ())
        if not isinstance(claims, tuple) or not all(isinstance(c, Claim) for c in claims):
            raise ValueError(f"{package}.{info.name}.CLAIMS: expected a tuple of Claim, got {type(claims).__name__}")
        found += claims
    return tuple(found)


def is_result(claim: Claim) -> bool:
    """Whether the claim is a theorem, lemma, corollary or proposition: by its source, and its id (EA-T1, SSA-CA8)."""
    named = re.match(r"(Theorem|Lemma|Corollary|Proposition|Property) ", claim.at)
    return named is not None and RESULT.search(claim.id) is not None


def arranged(*claims: Claim) -> tuple[Claim, ...]:
    """Results first, then definitions, steps and remarks, relations of printed numbers last; ids in natural order."""

    def place(claim: Claim) -> tuple[Any, ...]:
        part = 2 if isinstance(claim.readings[0].test, Relation) else 0 if is_result(claim) else 1
        return (part, [(not t.isdigit(), int(t) if t.isdigit() else 0, t) for t in re.findall(r"\d+|\D+", claim.id)])

    return tuple(sorted(claims, key=place))


@cache
def load_papers() -> tuple[Paper, ...]:
    """Every installed paper that can be used, sorted by key; `left_out` says which cannot, and why.

    Raises `ValueError` when there is none at all.
    """
    papers = _loaded()[0]
    if not papers:
        reasons = "".join(f"; {line}" for line in left_out())
        raise ValueError(f"no entry point in group {GROUP}; is the package installed (pip install .)?{reasons}")
    return papers


def left_out(names: Iterable[str] = ()) -> tuple[str, ...]:
    """One line for each installed paper that cannot be used: import failed, no `Paper`, or names taken already.

    None where all of `names` are of papers of ours that `select` imports alone.
    """
    return () if _holding(list(names)) else _loaded()[1]


@cache
def _loaded() -> tuple[tuple[Paper, ...], tuple[str, ...]]:
    """(papers by key, reasons for those left out). Names taken twice go to this distribution's own papers first."""
    papers: list[Paper] = []
    reasons: list[str] = []
    taken: dict[str, str] = {}
    for point in points():
        paper = _imported(point)
        if isinstance(paper, str):
            reasons.append(f"paper {point.name!r} is left out: {paper}")
            continue
        names = [paper.key, *(c.id for c in paper.claims)]
        clash = next((n for n in names if n.casefold() in taken), None)
        if clash is not None:
            reasons.append(f"paper {point.name!r} is left out: {taken[clash.casefold()]} has {clash!r} already")
            continue
        ordered = sorted(names, key=str.casefold)
        twice = next((n for n, m in pairwise(ordered) if n.casefold() == m.casefold()), None)
        if twice is not None:
            reasons.append(f"paper {point.name!r} is left out: it has {twice!r} twice but for capitals")
            continue
        taken |= {n.casefold(): f"paper {paper.key!r}" for n in names}
        papers.append(paper)
    return tuple(sorted(papers, key=lambda p: p.key)), tuple(reasons)


def _import(point: EntryPoint) -> None:
    point.load()


def _imported(point: EntryPoint) -> Paper | str:
    """The paper of an entry point, or in one line why there is none.

    Papers are trusted code: this contains faults, not malice. One of another distribution is imported in a child
    first, since what exits, crashes or hangs there would do so here.
    """
    try:
        if not is_ours(point):
            with contained(_import) as tried:
                tried(point)
        with redirect_stdout(sys.stderr):  # stdout is for results
            paper = point.load()
    except NoAnswerError as error:
        return str(error).replace("the check", "its import").replace("recheck beyond", "its import takes more than")
    except Exception as error:
        return reason(error).replace("the check", "its import")
    if not isinstance(paper, Paper):
        return f"{point.value} is a {type(paper).__name__}; expected a Paper"
    return paper


def select(names: Iterable[str]) -> list[tuple[Paper, Claim]]:
    """The claims called by id or by paper key, in the order of the papers; all of them when `names` is empty.

    Where committed ledgers say that one paper of ours has all that is named, no other paper of ours is imported.
    Raises `ValueError` naming the nearest ids for an unknown one.
    """
    wanted = list(names)
    papers = _holding(wanted) or load_papers()
    everything = [(paper, claim) for paper in papers for claim in paper.claims]
    chosen = chosen_of(wanted, [(p.key, c.id) for p, c in everything], left_out, lambda: listed(everything))
    return [(p, c) for p, c in everything if not wanted or c.id in chosen or p.key in chosen]


def _holding(wanted: list[str]) -> tuple[Paper, ...]:
    """The papers that hold all that is named, by committed ledgers; none where an installed paper is not ours.

    A claim that is not in the ledger of its paper yet, or no longer in its paper, takes the import of all papers.
    """
    installed = points()
    if not wanted or not all(is_ours(p) for p in installed):
        return ()
    rows = [(point, row) for point in installed for row in index_of(point) or ()]
    try:
        chosen = chosen_of(wanted, [(r.paper, r.id) for _, r in rows], rows=lambda: (r for _, r in rows))
    except ValueError:
        return ()
    found = {point.name: point for point, row in rows if chosen & {row.id, row.paper}}
    papers = [_imported(found[name]) for name in sorted(found)]
    usable = [paper for paper in papers if isinstance(paper, Paper)]
    held = {name.casefold() for paper in usable for name in (paper.key, *(claim.id for claim in paper.claims))}
    return tuple(sorted(usable, key=lambda p: p.key)) if all(n.casefold() in held for n in wanted) else ()

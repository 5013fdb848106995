"""Papers, found through the entry points of group `fedverdict.papers`: ours and anybody's own plug in alike."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from validation.claim import Claim, Paper

__all__ = ["GROUP", "fingerprint", "load_papers", "select"]

GROUP = "fedverdict.papers"


@cache
def load_papers() -> tuple[Paper, ...]:
    """Every installed paper, sorted by key.

    Raises `ValueError` when an entry point is no `Paper`, or two papers share a key or a claim id.
    """
    papers: list[Paper] = []
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        paper = point.load()
        if not isinstance(paper, Paper):
            raise ValueError(f"entry point {point.name!r} of {GROUP} is a {type(paper).__name__}; expected a Paper")
        papers.append(paper)
    if not papers:
        raise ValueError(f"no entry point in group {GROUP}; is the package installed (pip install .)?")
    seen: dict[str, str] = {}
    for paper in papers:
        for name in (paper.key, *(c.id for c in paper.claims)):
            if name in seen:
                raise ValueError(f"{name!r} is claimed by both {seen[name]} and {paper.key}")
            seen[name] = paper.key
    return tuple(papers)


def select(names: Iterable[str]) -> list[tuple[Paper, Claim]]:
    """The claims called by id or by paper key, in the order of the papers; all of them when `names` is empty.

    Raises `ValueError` naming the nearest ids for an unknown one.
    """
    papers = load_papers()
    everything = [(paper, claim) for paper in papers for claim in paper.claims]
    wanted = list(names)
    known = {claim.id.casefold(): claim.id for _, claim in everything} | {p.key.casefold(): p.key for p in papers}
    chosen: set[str] = set()
    for name in wanted:
        hit = known.get(name.casefold())
        if hit is None:
            near = get_close_matches(name.casefold(), known, n=3, cutoff=0.4) or sorted(known)[:5]
            raise ValueError(f"unknown claim or paper {name!r}; nearest: {', '.join(known[n] for n in near)}")
        chosen.add(hit)
    return [(p, c) for p, c in everything if not wanted or c.id in chosen or p.key in chosen]


def fingerprint(paper: Paper) -> str:
    """SHA-256 of everything a verdict of this paper depends on: the paper's folder, theory/ and the checking code."""
    return _digest(paper.folder)


@cache
def _digest(folder: Path) -> str:
    here = Path(__file__).parent
    files = sorted(here.glob("*.py")) + sorted((here.parent / "theory").rglob("*.py"))
    # What only shows, stores or compares results cannot change a verdict.
    shown = {"cli.py", "ledger.py", "compare.py", "papers.py", "job.py", "provenance.py", "testing.py"}
    files = [f for f in files if f.name not in shown or f.parent != here]
    files += sorted(folder.rglob("*.csv")) + sorted(folder.glob("*.py"))
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()

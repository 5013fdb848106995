"""Papers, found through the entry points of group `fedverdict.papers`: ours and anybody's own plug in alike.

A paper is a folder: `gathered` collects what its modules list as `CLAIMS`, `arranged` puts claims into reading order.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from validation.claim import Claim, Paper, Relation

__all__ = ["GROUP", "arranged", "fingerprint", "gathered", "is_result", "load_papers", "select", "sources"]

GROUP = "fedverdict.papers"


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
    named = re.match(r"(Theorem|Lemma|Corollary|Proposition|Property) ", claim.source)
    return named is not None and re.search(r"(^|-)(T|L|C|TA|LA|CA|PR|PROP)\d[\w.]*$", claim.id) is not None


def arranged(*claims: Claim) -> tuple[Claim, ...]:
    """Results first, then definitions, steps and remarks, relations of printed numbers last; ids in natural order."""

    def place(claim: Claim) -> tuple[Any, ...]:
        part = 2 if isinstance(claim.readings[0].test, Relation) else 0 if is_result(claim) else 1
        return (part, [(not t.isdigit(), int(t) if t.isdigit() else 0, t) for t in re.findall(r"\d+|\D+", claim.id)])

    return tuple(sorted(claims, key=place))


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


def fingerprint(paper: Paper, claim: Claim) -> str:
    """SHA-256 of everything the verdict of a claim depends on.

    That is theory/, the checking code, the paper's published tables, and the module that makes the claim with all that
    it imports of the paper: writing another claim makes no verdict stale.
    """
    digest = hashlib.sha256(_shared(paper.folder).encode())
    for file in sources(paper, claim):
        digest.update(_content(file))
    return digest.hexdigest()


def sources(paper: Paper, claim: Claim) -> tuple[Path, ...]:
    """The files of the paper's own package that make the claim; all of its folder when that cannot be told."""
    makers = [_closure(name) for name in _modules(paper.folder) if _makes(sys.modules[name], claim)]
    return min(makers, key=len) if makers else tuple(sorted(paper.folder.glob("*.py")))


@cache
def _modules(folder: Path) -> tuple[str, ...]:
    """The modules in a folder that are loaded, but not the package itself."""
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    return tuple(n for n, f in files.items() if f and Path(f).parent == folder and Path(f).stem != "__init__")


def _makes(module: ModuleType, claim: Claim) -> bool:
    return any(
        value is claim or (isinstance(value, tuple) and any(c is claim for c in value))
        for value in vars(module).values()
    )


@cache
def _closure(name: str) -> tuple[Path, ...]:
    """The files of a module and of all it imports, directly or not, of its own top-level package."""
    top, files, todo = name.partition(".")[0], set(), [name]
    while todo:
        module = sys.modules.get(todo.pop())
        file = getattr(module, "__file__", None)
        if file is None or file in files or Path(file).stem == "__init__":
            continue
        files.add(file)
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == top:
                todo += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                todo += [alias.name for alias in node.names if alias.name.partition(".")[0] == top]
    return tuple(sorted(Path(f) for f in files))


@cache
def _shared(folder: Path) -> str:
    here = Path(__file__).parent
    files = sorted(here.glob("*.py")) + sorted((here.parent / "theory").rglob("*.py"))
    # What only shows, stores or compares results cannot change a verdict.
    shown = {
        "cli.py",
        "ledger.py",
        "compare.py",
        "papers.py",
        "job.py",
        "effort.py",
        "frontiers.py",
        "provenance.py",
        "testing.py",
        "wording.py",
    }
    files = [f for f in files if f.name not in shown or f.parent != here]
    digest = hashlib.sha256()
    for file in files + sorted(folder.rglob("*.csv")):
        digest.update(_content(file))
    return digest.hexdigest()


@cache
def _content(file: Path) -> bytes:
    return file.name.encode() + b"\0" + file.read_bytes().replace(b"\r\n", b"\n") + b"\0"

"""What papers list without being imported: ids, kinds, sources and titles of their claims, from committed ledgers.

A paper of ours is a hundred modules; to say what it holds, or which paper a claim is of, nothing of that is needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, distributions, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from validation.ledger.evidence import rows_of

if TYPE_CHECKING:
    from validation.statement.claim import Claim, Paper

__all__ = [
    "GROUP",
    "RESULT",
    "Listed",
    "chosen_of",
    "folder_of",
    "index_of",
    "is_installed_copy",
    "is_ours",
    "listed",
    "placed_at",
    "points",
]

GROUP = "fedverdict.papers"
_SHOWN = 6
RESULT = re.compile(r"(^|-)(T|L|C|TA|LA|CA|PR|PROP)\d[\w.]*$")  # ids of theorems, lemmas, corollaries, propositions


@dataclass(frozen=True)
class Listed:
    """A claim as a list shows it."""

    id: str
    paper: str
    kind: str
    title: str
    at: str


_FIELDS = tuple(field.name for field in fields(Listed))


def points() -> list[EntryPoint]:
    """The entry points of all installed papers, this distribution's own first."""
    return sorted(entry_points(group=GROUP), key=lambda p: (not is_ours(p), p.name))


def is_ours(point: EntryPoint) -> bool:
    """Whether a paper comes with this distribution."""
    return point.dist is not None and point.dist.name == "fedverdict"


def chosen_of(
    wanted: list[str],
    pairs: list[tuple[str, str]],
    left_out: Callable[[], Iterable[str]] = tuple,
    rows: Callable[[], Iterable[Listed]] = tuple,
) -> set[str]:
    """The ids and keys that are named, in the case they are written in, out of (paper key, claim id).

    A paper may be called by its method as papers print it: Exp-α is exp_alpha. A claim may be called by its place:
    «Theorem 4.2», or «Exp-α Theorem 1» where several papers have one.
    Raises `ValueError` naming the nearest ones for an unknown name, and the line that `left_out` has about it; for a
    place where several claims of `rows` are, naming them.
    """
    known = {claim.casefold(): claim for _, claim in pairs} | {paper.casefold(): paper for paper, _ in pairs}
    chosen: set[str] = set()
    for name in wanted:
        hit = known.get(name.casefold()) or known.get(_as_key(name))
        if hit is None:
            also = "".join(f"; {line}" for line in left_out() if repr(name) in line)
            there = placed_at(name, rows()) if not also else []
            if len(there) > 1:
                shown = _places(there)
                raise ValueError(f"{name!r} matches {len(there)} claims: {shown}; name one by its id or with its paper")
            if not there:
                near = get_close_matches(name.casefold(), known, n=3, cutoff=0.4) or sorted(known)[:5]
                raise ValueError(f"unknown claim or paper {name!r}; nearest: {', '.join(known[n] for n in near)}{also}")
            hit = there[0].id
        chosen.add(hit)
    return chosen


def _as_key(name: str) -> str:
    """A paper's name as a key is written: Exp-α as exp_alpha, robust aggregation as robust_aggregation."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold().replace("α", "alpha")).strip("_")


def placed_at(name: str, claims: Iterable[Listed]) -> list[Listed]:
    """The claims whose place in the print, or else title, is this; those of one paper where the name begins with it.

    «Theorem 1» means the theorem rather than a definition printed there, where the theorem is a claim.
    """
    rows = sorted(claims, key=lambda row: row.paper)
    words = name.split()
    for n in range(1, len(words)):  # «robust aggregation Lemma 1»: the paper's name may have several words
        key = _as_key(" ".join(words[:n]))
        if any(row.paper.casefold() == key for row in rows):
            rows, words = [row for row in rows if row.paper.casefold() == key], words[n:]
            break
    if not words:
        return []
    place = re.compile(rf"{re.escape(' '.join(words))}(?!\w|\.\d)", re.IGNORECASE)
    there = [row for row in rows if place.match(row.at)] or [row for row in rows if place.search(row.title)]
    return [row for row in there if RESULT.search(row.id)] or there


def _places(rows: list[Listed]) -> str:
    """«EA-T1 (Theorem 1 of exp_alpha), …», the first few."""
    shown = [f"{row.id} ({re.split('[,;(]', row.at)[0].strip()} of {row.paper})" for row in rows[:_SHOWN]]
    return ", ".join(shown) + (f", and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else "")


def listed(pairs: Iterable[tuple[Paper, Claim]]) -> list[Listed]:
    """The claims of imported papers as a list shows them."""
    return [Listed(c.id, p.key, str(c.kind), c.title, c.at) for p, c in pairs]


def index_of(point: EntryPoint) -> list[Listed] | None:
    """The claims of a paper by its committed ledger, without importing it; None where it has none that can be read.

    A claim that was never committed is not among them; a title is that of the last `check --update-committed`.
    """
    return _index(point.module)


@cache
def _index(module: str) -> list[Listed] | None:
    folder = _folder(module)
    if folder is None:
        return None
    try:
        rows = rows_of(json.loads((folder / "ledger.json").read_text(encoding="utf-8")))
        return [Listed(**{name: str(row[name]) for name in _FIELDS}) for row in rows]
    except (OSError, ValueError, LookupError, RecursionError):
        return None


def is_installed_copy(folder: Path) -> bool:
    """Whether an installer copied a package's folder, rather than linked it as `pip install --editable` does."""
    place = folder.resolve()
    if {"site-packages", "dist-packages"} & {*place.parts}:
        return True
    for distribution in distributions():  # one installed by --target lies in any folder: its record lists its files
        base = Path(str(distribution.locate_file(""))).resolve()
        if base in place.parents:
            inside = f"{place.relative_to(base).as_posix()}/"
            lines = (distribution.read_text("RECORD") or "").splitlines()
            if any(line.startswith(inside) for line in lines):
                return True
    return False


def folder_of(point: EntryPoint) -> Path | None:
    """Where a paper lies, found without running any of it but its parents."""
    return _folder(point.module)


def _folder(module: str) -> Path | None:
    """Where a package lies, found without running any of it but its parents."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return None
    places = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(places))) if places else None

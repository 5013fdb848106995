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
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from validation.job.evidence import rows_of

if TYPE_CHECKING:
    from validation.statement.claim import Claim, Paper

__all__ = [
    "GROUP",
    "RESULT",
    "Listed",
    "chosen_of",
    "folder_of",
    "index_of",
    "is_ours",
    "listed",
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
    source: str


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

    A paper may be called by its method as papers print it: Exp-α is exp_alpha.
    Raises `ValueError` naming the nearest ones for an unknown name, and the line that `left_out` has about it; for a
    place such as «Theorem 1» those of `rows` that stand there.
    """
    known = {claim.casefold(): claim for _, claim in pairs} | {paper.casefold(): paper for paper, _ in pairs}
    chosen: set[str] = set()
    for name in wanted:
        hit = known.get(name.casefold()) or known.get(_as_key(name))
        if hit is None:
            also = "".join(f"; {line}" for line in left_out() if repr(name) in line)
            there = _standing_at(name, rows())
            if there and not also:
                raise ValueError(f"{name!r} is no id; expected one such as {there}")
            near = get_close_matches(name.casefold(), known, n=3, cutoff=0.4) or sorted(known)[:5]
            raise ValueError(f"unknown claim or paper {name!r}; nearest: {', '.join(known[n] for n in near)}{also}")
        chosen.add(hit)
    return chosen


def _as_key(name: str) -> str:
    """A paper's name as a key is written: Exp-α as exp_alpha, robust aggregation as robust_aggregation."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold().replace("α", "alpha"))


def _standing_at(name: str, claims: Iterable[Listed]) -> str:
    """The claims whose place or title is this: «EA-T1 of exp_alpha (Theorem 1), …»; '' for none."""
    asked = re.compile(rf"{re.escape(name.strip())}(?!\w)", re.IGNORECASE)
    rows = sorted(claims, key=lambda row: row.paper)
    placed = [row for row in rows if asked.match(row.source)] or [row for row in rows if asked.search(row.title)]
    # «Theorem 1» means the theorem rather than what else stands there, where it is a claim.
    placed = [row for row in placed if RESULT.search(row.id)] or placed if name.strip() else []
    shown = ", ".join(
        f"{row.id} ({re.split('[,;(]', row.source)[0].strip()} of {row.paper})" for row in placed[:_SHOWN]
    )
    return shown + (f", and {len(placed) - _SHOWN} more" if len(placed) > _SHOWN else "")


def listed(pairs: Iterable[tuple[Paper, Claim]]) -> list[Listed]:
    """The claims of imported papers as a list shows them."""
    return [Listed(c.id, p.key, str(c.kind), c.title, c.source) for p, c in pairs]


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

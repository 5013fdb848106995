"""Checking many claims: reuse what is still valid, work in parallel, keep every finished result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

from validation.claim import Claim, Paper
from validation.engine import check
from validation.ledger import Ledger, load_entries
from validation.papers import fingerprint, select
from validation.provenance import provenance

__all__ = ["check_claims", "committed", "is_current"]

Entry = dict[str, Any]
Pair = tuple[Paper, Claim]


def _entry(paper: Paper, claim: Claim, budget: int, seed: int, tick: Callable[[int], None] | None = None) -> Entry:
    entry = check(claim, budget=budget, seed=seed, tick=tick)
    return {**entry, "paper": paper.key, "fingerprint": fingerprint(paper), "provenance": provenance()}


def _worker(claim_id: str, budget: int, seed: int) -> Entry:
    ((paper, claim),) = select([claim_id])
    return _entry(paper, claim, budget, seed)


def is_current(entry: Entry, paper: Paper, *, budget: int | None = None, seed: int | None = None) -> bool:
    """Whether an entry was made by this very code and data (and with this budget and seed, where given)."""
    same = entry.get("fingerprint") == fingerprint(paper)
    return same and (budget is None or entry.get("budget") == budget) and (seed is None or entry.get("seed") == seed)


def committed(pairs: Sequence[Pair]) -> dict[str, Entry]:
    """The entries of the papers' own ledgers that are still current, by claim id."""
    found = {}
    for paper in {p.key: p for p, _ in pairs}.values():
        for entry in load_entries(paper.folder / "ledger.json"):
            if is_current(entry, paper):
                found[entry["id"]] = entry
    return found


def check_claims(
    pairs: Sequence[Pair],
    *,
    budget: int,
    seed: int,
    jobs: int = 1,
    ledger: Ledger | None = None,
    known: dict[str, Entry] | None = None,
    tick: Callable[[int], None] | None = None,
) -> Iterator[Entry]:
    """Yield the entry of each claim as it is ready; each is appended to `ledger` first. Entries in `known` are reused.

    Verdicts, ratios and witnesses do not depend on `jobs`: everything random derives from seed, claim and reading.
    """
    known = known or {}
    todo = []
    for paper, claim in pairs:
        if claim.id in known:
            yield known[claim.id]
        else:
            todo.append((paper, claim))
    if jobs <= 1 or len(todo) <= 1:
        for paper, claim in todo:
            entry = _entry(paper, claim, budget, seed, tick)
            if ledger is not None:
                ledger.append(entry)
            yield entry
        return
    with ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(_worker, claim.id, budget, seed) for _, claim in todo]
        for future in as_completed(futures):
            entry = future.result()
            if ledger is not None:
                ledger.append(entry)
            yield entry

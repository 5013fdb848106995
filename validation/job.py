"""Checking many claims: reuse what is still valid, work in parallel, keep every finished unit of work."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from typing import Any

from validation.claim import Claim, Paper
from validation.engine import Unit, assemble, run_unit, units
from validation.ledger import Ledger, load_entries
from validation.papers import fingerprint, select
from validation.provenance import provenance

__all__ = ["check_claims", "committed", "follow_parent", "input_hash", "is_current"]

Entry = dict[str, Any]
Pair = tuple[Paper, Claim]
Tick = Callable[[int], None] | None


def input_hash(paper: Paper, claim: Claim, unit: Unit, budget: int, seed: int) -> str:
    """SHA-256 of everything the result of a unit depends on: code and data, claim, unit, budget and seed."""
    text = "\n".join((fingerprint(paper, claim), claim.id, unit.key, str(budget), str(seed)))
    return hashlib.sha256(text.encode()).hexdigest()


def _worker(claim_id: str, unit: Unit, budget: int, seed: int) -> Entry:
    ((_, claim),) = select([claim_id])
    return run_unit(claim, unit, budget=budget, seed=seed)


def follow_parent(parent: int, over: Any) -> None:
    """A worker does not outlive its check: it ends when the parent is gone, or says that all is over."""

    def watch() -> None:
        while not over.wait(0.25) and os.getppid() == parent:
            pass
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    threading.Thread(target=watch, daemon=True).start()


def is_current(entry: Entry, paper: Paper, claim: Claim, *, budget: int | None = None, seed: int | None = None) -> bool:
    """Whether an entry was made by this very code and data (and with this budget and seed, where given)."""
    same = entry.get("fingerprint") == fingerprint(paper, claim)
    return same and (budget is None or entry.get("budget") == budget) and (seed is None or entry.get("seed") == seed)


def committed(pairs: Sequence[Pair]) -> dict[str, Entry]:
    """The entries of the papers' own ledgers that are still current, by claim id."""
    found = {}
    claims = {c.id: (p, c) for p, c in pairs}
    for paper in {p.key: p for p, _ in pairs}.values():
        for entry in load_entries(paper.folder / "ledger.json"):
            if entry["id"] in claims and is_current(entry, *claims[entry["id"]]):
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
    resume: bool = False,
    tick: Tick = None,
) -> Iterator[Entry]:
    """Yield the entry of each claim as it is ready; entries in `known` are reused as they are.

    Every finished unit is appended to `ledger` before anything else happens, so an interruption loses at most the
    units in flight; with `resume` the units it already holds for the same inputs are not done again. Verdicts, ratios
    and witnesses do not depend on `jobs`: everything random derives from seed, claim and unit.
    """
    known = known or {}
    held = ledger.parts() if resume and ledger is not None else {}
    done: dict[str, dict[Unit, Entry]] = {}
    todo: list[tuple[Paper, Claim, Unit, str]] = []
    owners = {}
    for paper, claim in pairs:
        if claim.id in known:
            yield known[claim.id]
            continue
        owners[claim.id] = (paper, claim)
        done[claim.id] = {}
        for unit in units(claim):
            key = input_hash(paper, claim, unit, budget, seed)
            if key in held:
                done[claim.id][unit] = held[key]
            else:
                todo.append((paper, claim, unit, key))

    def finished(claim_id: str) -> Entry | None:
        paper, claim = owners[claim_id]
        if len(done[claim_id]) < len(units(claim)):
            return None
        entry = assemble(claim, done.pop(claim_id), budget=budget, seed=seed)
        entry |= {"paper": paper.key, "fingerprint": fingerprint(paper, claim), "provenance": provenance()}
        if ledger is not None:
            ledger.append(entry)
        return entry

    for claim_id in list(done):  # complete already
        entry = finished(claim_id)
        if entry is not None:
            yield entry
    for (_, claim, unit, key), part in _run(todo, budget, seed, jobs, tick):
        if ledger is not None:
            ledger.append_part(claim.id, unit.key, key, part)
        done[claim.id][unit] = part
        entry = finished(claim.id)
        if entry is not None:
            yield entry


def _run(
    todo: list[tuple[Paper, Claim, Unit, str]], budget: int, seed: int, jobs: int, tick: Tick
) -> Iterator[tuple[tuple[Paper, Claim, Unit, str], Entry]]:
    if jobs <= 1 or len(todo) <= 1:
        for item in todo:
            yield item, run_unit(item[1], item[2], budget=budget, seed=seed, tick=tick)
        return
    spawn = get_context("spawn")
    over = spawn.Event()
    with ProcessPoolExecutor(jobs, spawn, follow_parent, (os.getpid(), over)) as pool:
        waiting: dict[Future[Entry], tuple[Paper, Claim, Unit, str]] = {
            pool.submit(_worker, item[1].id, item[2], budget, seed): item for item in todo
        }
        try:
            while waiting:
                ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in sorted(ready, key=lambda f: waiting[f][3]):
                    yield waiting.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            over.set()  # what is in flight is given up
            raise

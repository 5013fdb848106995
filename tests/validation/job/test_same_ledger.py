"""The same claims and seed give the same ledger, whatever the number of processes, BLAS threads, or the hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.turns import one_run_in
from validation.papers.papers import select

# Order, Property, VectorInequality, Identity, Number, Relation, Inequality, a worst case over a class; each paper.
CLAIMS = ("EFL-E2", "EA-E8d", "SSA-S24", "EA-R8", "FA-P23", "RA-L1", "K1")
QUICK = ("EFL-E2", "EA-E8d", "FA-P23", "K1")  # what the others cover more is left to the nightly tests
WAYS = {  # jobs, threads, hash seed
    "one of each": (1, 1, 0),
    "two of each": (2, 2, 1),
    "two processes": (2, 1, 0),
    "two threads": (1, 2, 0),
    "another hash seed": (1, 1, 12345),
}


def timeless(value: Any) -> Any:
    """Without what differs from one run to the next: seconds, and the provenance's date and commit."""
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in {"seconds", "date", "commit"}}
    return [timeless(v) for v in value] if isinstance(value, list) else value


def ledger(folder: Path, way: str, claims: Sequence[str], budget: int) -> dict[str, Any]:
    """Entries by claim, finished units by claim and unit, and scripts by name."""
    jobs, threads, hash_seed = WAYS[way]
    command = [sys.executable, "-m", "validation.cli", "check", *claims, "--jobs", str(jobs), "--ledger", str(folder)]
    chosen = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    subprocess.run(
        [*command, "--budget", str(budget)],
        env={**os.environ, **chosen, "PYTHONHASHSEED": str(hash_seed)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    rows = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    parts = {f"{r['claim']}, {r['unit']}": {"part": r["part"], "of": r["inputs"]} for r in rows if "inputs" in r}
    entries = {e["id"]: e for e in json.loads((folder / "ledger.json").read_text())["entries"]}
    scripts = {p.name: p.read_text() for p in (folder / "counterexamples").glob("*")}
    assert entries.keys() == set(claims)
    found: dict[str, Any] = timeless({**entries, **parts, **scripts})
    return found


@one_run_in(3)
@pytest.mark.parametrize("claims", [QUICK, pytest.param(CLAIMS, marks=pytest.mark.nightly)], ids=["quick", "all forms"])
def test_two_processes_two_threads_and_another_hash_seed_give_the_same_ledger(
    claims: tuple[str, ...], tmp_path: Path
) -> None:
    one, two = (ledger(tmp_path / way, way, claims, budget=200) for way in ("one of each", "two of each"))
    assert any(name.endswith(".py") for name in one)
    assert {name: (one.get(name), two.get(name)) for name in one | two if one.get(name) != two.get(name)} == {}


@pytest.mark.exhaustive
def test_many_claims_give_the_same_ledger_in_every_way(tmp_path: Path) -> None:
    claims = [claim.id for _, claim in select(())[::12]] + ["EFL-T2b", "EA-T1"]
    whole = ledger(tmp_path / "whole", "one of each", claims, budget=1000)
    for way in list(WAYS)[1:]:
        other = ledger(tmp_path / way, way, claims, budget=1000)
        assert {name: (v, other.get(name)) for name, v in whole.items() if v != other.get(name)} == {}, way

"""Checks on a Dask cluster: the entries of forks of one process, also when a worker dies, and no other code's."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from click.testing import CliRunner

from tests.turns import one_run_in
from validation.cli import main
from validation.cost.limits import Limits, NoAnswerError
from validation.fingerprint.fingerprints import fingerprint
from validation.job.cluster import Address, answer, cluster, spread_over
from validation.job.job import check_claims
from validation.judge.entry import Entry
from validation.ledger.ledger import Ledger
from validation.papers.papers import select
from validation.verdict.engine import units

distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),  # of Dask's own closing
]
IDS = ("EA-S2", "EA-E21d", "K1", "EA-P6")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster(None, 2) as workers:
        yield workers


def plain(entry: Entry) -> Entry:
    """Without what no two checks share."""
    return replace(entry, seconds=0.0, provenance={})


def checks(workers: Any = None, **more: Any) -> Iterator[Entry]:
    return check_claims(select(IDS), budget=600, seed=3, workers=workers, **more)


@pytest.fixture(scope="module")
def local() -> dict[str, Entry]:
    """The entries of one process."""
    return {e.id: plain(e) for e in checks()}


def test_two_workers_of_a_cluster_give_the_ledger_of_one_process(
    client: Any, local: dict[str, Entry], tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path)
    there = {e.id: plain(e) for e in checks(client, ledger=ledger)}
    assert there == local
    assert set(local) == set(IDS)
    kept = sum(len(units(claim)) for _, claim in select(IDS))
    assert len(ledger.parts()) == kept
    again = {e.id: plain(e) for e in checks(client, ledger=ledger, resume=True)}
    assert again == local


@one_run_in(3)
def test_a_worker_killed_in_the_middle_costs_nothing_but_its_unit(client: Any, local: dict[str, Entry]) -> None:
    found, pids = {}, list(client.run(os.getpid).values())
    for entry in checks(client):
        found[entry.id] = plain(entry)
        if pids:
            with suppress(ProcessLookupError):
                os.kill(pids.pop(), signal.SIGKILL)
    assert found == local


def test_a_worker_with_other_code_refuses(client: Any) -> None:
    ((_, claim),) = select(["EA-S2"])
    other = Address("EA-S2", units(claim)[0], "0" * 64, 600, 0, None, Limits())
    ((place, found),) = spread_over(client, [other])
    assert place == 0
    assert isinstance(found, NoAnswerError)
    assert "install the same one" in str(found)


def test_a_unit_beyond_its_limits_is_ended_on_the_worker_too() -> None:
    ((paper, claim),) = select(["EA-T1"])
    began = time.monotonic()
    given = answer(Address("EA-T1", units(claim)[0], fingerprint(paper, claim), 10**7, 0, None, Limits(seconds=1.0)))
    assert "took more than 1 seconds" in str(given)
    assert time.monotonic() - began < 60


def test_mistakes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run, connect = CliRunner(), distributed.Client
    asked: list[str] = []

    def soon(address: str, timeout: str) -> Any:
        asked.append(timeout)
        return connect(address, timeout="0.5s")

    monkeypatch.setattr(distributed, "Client", soon)
    nobody = run.invoke(main, ["check", "EA-S2", "--backend", "dask", "--scheduler", "tcp://127.0.0.1:9"])
    assert nobody.exit_code == 2
    assert "no scheduler answers" in nobody.stderr
    assert asked == ["10s"]
    assert run.invoke(main, ["check", "EA-S2", "--scheduler", "tcp://127.0.0.1:9"]).exit_code == 2
    assert run.invoke(main, ["check", "EA-S2", "--backend", "dask", "--thorough"]).exit_code == 2


@one_run_in(3)
def test_a_scheduler_that_ends_is_named() -> None:
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen([*program, "--no-dashboard"], stderr=subprocess.PIPE, text=True) as scheduler:
        assert scheduler.stderr is not None
        told = (re.search(r"Scheduler at: *(tcp://\S+)", line) for line in scheduler.stderr)
        at = next(found[1] for found in told if found)
        with cluster(at, 1) as client:
            ((_, claim),) = select(["EA-S2"])
            made = spread_over(client, [Address("EA-S2", units(claim)[0], "0" * 64, 600, 0, None, Limits())])
            Timer(1.0, scheduler.kill).start()
            with pytest.raises(ConnectionError, match="the Dask scheduler has ended") as said:
                next(made)
        assert said.value.filename == at

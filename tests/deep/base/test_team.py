"""Two processes at one run, as torchrun starts them: the files of one process, one writer, one line for a mistake."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch.distributed

from deep.round.share_out import even_parts
from tests.processes import Command
from tests.turns import one_run_in

pytestmark = pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without torch.distributed")

CNN = "--model small-cnn --clients 5 --sampled 4 --local-steps 2 --batch-size 8 --checkpoint-every 1"
KEPT = f"--rule with-memory(rule=min-norm) --client scaffold --server fed-adam(lr=0.01) {CNN} --rounds 12"
STEPWISE = f"--rule exp-alpha(alpha=0.5) --client fed-prox(mu=0.1) {CNN} --client-test 0.2 --rounds 2"
DENSE = "--rule fed-soft-worse --l2 0.01 --clients 6 --sampled 3 --rounds 3 --local-epochs 1 --dtype float64"


def words(of: str, out: Path, *more: str) -> list[str]:
    return ["run", *of.split(), "--out", str(out), "--references", str(out.parent / "references"), *more]


def by_torchrun(processes: int, of: str, out: Path) -> subprocess.Popen[str]:
    line = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone"]
    line += ["--nproc-per-node", str(processes), "-m", "validation.cli", *words(of, out)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def told(processes: int, of: str, out: Path, *more: str) -> tuple[list[int], str, str]:
    """Exit codes of a run in so many processes with the settings that torchrun gives them, and what all of them say.

    As with torchrun, they find each other at a store that this process keeps.
    """
    store = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    around = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.port), "TORCHELASTIC_USE_AGENT_STORE": "True"}
    each = [{"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(processes)} for rank in range(processes)]
    team = [Command(*words(of, out, *more), settings={**around, **mine}) for mine in each]
    codes, outs, errs = zip(*(process.told() for process in team), strict=True)
    return list(codes), "".join(outs), "".join(errs)


def content(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "metrics.jsonl").read_bytes(), (folder / "checkpoint.safetensors").read_bytes()


def numbers(value: object) -> list[float]:
    """All numbers of a JSON value, in order."""
    if isinstance(value, dict):
        return [n for item in value.values() for n in numbers(item)]
    if isinstance(value, list):
        return [n for item in value for n in numbers(item)]
    return [float(value)] if isinstance(value, int | float) else []


@one_run_in(3)
@pytest.mark.slow
def test_a_leader_killed_in_the_middle_costs_nothing_and_two_processes_leave_the_files_of_one(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    first = by_torchrun(2, KEPT, two)
    rounds, deadline = two / "metrics.jsonl", time.monotonic() + 100
    while not (rounds.exists() and len(rounds.read_bytes().splitlines()) >= 2):
        assert first.poll() is None, first.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(json.loads((two / "owner.json").read_text())["process"], signal.SIGKILL)
    first.communicate(timeout=120)
    assert first.returncode != 0
    assert not (two / "result.json").exists(), "the run was over before it was killed"
    codes, out, err = told(2, KEPT, two)
    assert codes == [0, 0], err
    assert out.count("completed after 12 rounds") == 1  # one of them speaks
    assert json.loads((two / "run.json").read_text())["provenance"]["processes"] == 2
    assert told(1, KEPT, one)[0] == [0]
    assert content(one) == content(two)


@pytest.mark.slow
def test_local_steps_that_are_not_affine_are_shared_out_to_the_same_bits(tmp_path: Path) -> None:
    for processes in (1, 2):
        codes, _, err = told(processes, STEPWISE, tmp_path / str(processes))
        assert codes == [0] * processes, err
    assert content(tmp_path / "1") == content(tmp_path / "2")


@pytest.mark.slow
def test_batched_products_of_fewer_clients_agree_to_rounding_and_a_mistake_is_told_once(tmp_path: Path) -> None:
    for processes in (1, 2):
        codes, _, err = told(processes, DENSE, tmp_path / str(processes))
        assert codes == [0] * processes, err
    both = [(tmp_path / name / "metrics.jsonl").read_text().splitlines() for name in ("1", "2")]
    for one, two in zip(*both, strict=True):
        # Sums of some hundred numbers in another order, over three rounds.
        assert numbers(json.loads(one)) == pytest.approx(numbers(json.loads(two)), rel=1e-11, abs=1e-13)
    codes, _, err = told(2, DENSE, tmp_path / "2", "--local-lr", "0.02")
    assert 0 not in codes
    (line,) = [line for line in err.splitlines() if line.startswith("fedverdict: ")]
    assert "the folder belongs to another run; local_lr is" in line


@pytest.mark.parametrize("costs", [[], [3.0], [1.0] * 7, [9.0, 1.0, 1.0, 1.0], [1.0, 1.0, 9.0]])
def test_parts_are_in_order_and_all_of_it(costs: list[float]) -> None:
    for n in range(1, 6):
        parts = even_parts(costs, n)
        assert len(parts) == n
        assert [place for part in parts for place in part] == list(range(len(costs)))


def test_the_parts_of_equal_clients_differ_by_one_at_most() -> None:
    for n in range(1, 6):
        sizes = [len(part) for part in even_parts([2.0] * 17, n)]
        assert max(sizes) - min(sizes) <= 1

"""Two processes at one run, started by torchrun: the same files as one process, one writer, one line for a mistake."""

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

from deep.share_out import even_parts

pytestmark = pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without torch.distributed")

CNN = "--model small-cnn --clients 5 --sampled 4 --local-steps 2 --batch-size 8 --checkpoint-every 1"
KEPT = f"--rule with-memory(rule=min-norm) --client scaffold --server fed-adam(lr=0.01) {CNN} --rounds 12"
STEPWISE = f"--rule exp-alpha(alpha=0.5) --client fed-prox(mu=0.1) {CNN} --client-test 0.2 --rounds 2"
DENSE = "--rule fed-soft-worse --l2 0.01 --clients 6 --sampled 3 --rounds 3 --local-epochs 1 --dtype float64"


def begun(processes: int, words: str, out: Path, *more: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "validation.cli"]
    if processes > 1:
        start = ["--standalone", "--nproc-per-node", str(processes), "-m", "validation.cli"]
        line = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", *start]
    arguments = ["run", *words.split(), "--out", str(out), "--references", str(out.parent / "references"), *more]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [*line, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def told(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def content(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "metrics.jsonl").read_bytes(), (folder / "checkpoint.safetensors").read_bytes()


def numbers(value: object) -> list[float]:
    """All numbers of a JSON value, in order."""
    if isinstance(value, dict):
        return [n for item in value.values() for n in numbers(item)]
    if isinstance(value, list):
        return [n for item in value for n in numbers(item)]
    return [float(value)] if isinstance(value, int | float) else []


@pytest.mark.slow
def test_a_leader_killed_in_the_middle_costs_nothing_and_two_processes_leave_the_files_of_one(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    first = begun(2, KEPT, two)
    rounds, deadline = two / "metrics.jsonl", time.monotonic() + 100
    while not (rounds.exists() and len(rounds.read_bytes().splitlines()) >= 2):
        assert first.poll() is None, first.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(json.loads((two / "owner.json").read_text())["process"], signal.SIGKILL)
    assert told(first)[0] != 0
    assert not (two / "result.json").exists(), "the run was over before it was killed"
    code, out, err = told(begun(2, KEPT, two))
    assert code == 0, err
    assert out.count("completed after 12 rounds") == 1  # one of them speaks
    assert json.loads((two / "run.json").read_text())["provenance"]["processes"] == 2
    assert told(begun(1, KEPT, one))[0] == 0
    assert content(one) == content(two)


@pytest.mark.slow
def test_local_steps_that_are_not_affine_are_shared_out_to_the_same_bits(tmp_path: Path) -> None:
    for processes in (1, 2):
        code, _, err = told(begun(processes, STEPWISE, tmp_path / str(processes)))
        assert code == 0, err
    assert content(tmp_path / "1") == content(tmp_path / "2")


@pytest.mark.slow
def test_batched_products_of_fewer_clients_agree_to_rounding_and_a_mistake_is_told_once(tmp_path: Path) -> None:
    for processes in (1, 2):
        code, _, err = told(begun(processes, DENSE, tmp_path / str(processes)))
        assert code == 0, err
    both = [(tmp_path / name / "metrics.jsonl").read_text().splitlines() for name in ("1", "2")]
    for one, two in zip(*both, strict=True):
        # Sums of some hundred numbers in another order, over three rounds.
        assert numbers(json.loads(one)) == pytest.approx(numbers(json.loads(two)), rel=1e-11, abs=1e-13)
    code, _, err = told(begun(2, DENSE, tmp_path / "2", "--local-lr", "0.02"))
    assert code != 0
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

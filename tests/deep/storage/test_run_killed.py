"""Killed at any moment and called again, a run ends with the files of an undisturbed one."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deep import RunConfig, run
from tests.processes import CONTEXT
from theory import FedSoftWorse

CONFIG = RunConfig(model="small-cnn", n_clients=6, n_sampled=3, n_local_steps=2, checkpoint_every=1)


STATEFUL = {"client": "scaffold", "server": "fed-adam(lr=0.01)"}


def go(folder: str, method: dict[str, str], rounds: int) -> None:
    run(replace(CONFIG, n_rounds=rounds, **method), FedSoftWorse(0.2), out=folder)


def lines(folder: Path) -> int:
    path = folder / "metrics.jsonl"
    return len(path.read_text().splitlines()) if path.exists() else 0


def content(folder: Path) -> tuple[bytes, bytes]:
    """Metrics and result, byte by byte."""
    return (folder / "metrics.jsonl").read_bytes(), (folder / "result.json").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("times", [3, pytest.param(10, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("method", [{}, STATEFUL], ids=["plain", "stateful"])
def test_a_run_killed_again_and_again_ends_as_if_undisturbed(
    method: dict[str, str], times: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    undisturbed = CONTEXT.Process(target=go, args=(str(whole), method, 4 * times))
    undisturbed.start()
    kills = 0
    while kills < times:
        process = CONTEXT.Process(target=go, args=(str(killed), method, 4 * times))
        process.start()
        seen = lines(killed)
        while process.is_alive() and lines(killed) <= seen + kills % 2:
            time.sleep(0.001)
        time.sleep(float(rng.uniform(0, 0.03)))  # anywhere in a round, or in the writing of a file
        assert not (killed / "result.json").exists(), "the run was over before it had been killed often enough"
        process.kill()
        process.join()
        kills += 1
    undisturbed.join()
    go(str(killed), method, 4 * times)
    assert undisturbed.exitcode == 0
    assert content(killed) == content(whole)
    assert not list(killed.glob("*.draft"))

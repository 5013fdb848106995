"""A run folder that was damaged, mixed up or is in use: refused by name, or the numbers of the undisturbed run."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.base.lock import locked
from deep.round.play_round import first_state
from deep.runs.identity import run_identity
from deep.storage.folder import open_folder
from deep.task.setup import Setup
from deep.task.task import make_task
from theory import ExpAlpha, Proportional
from theory.rules.protocol import Rule

CPU = torch.device("cpu")
CONFIG = RunConfig(n_rounds=6, n_local_steps=2, checkpoint_every=2, seed=2)
RULE = ExpAlpha(0.2)


class Interruption(Exception):  # noqa: N818  (it is no error)
    """Stands for whatever ends a process in the middle of a run."""


def begun(folder: Path, config: RunConfig = CONFIG, rule: Rule = RULE) -> Path:
    """The folder of a run that was interrupted with a checkpoint of four rounds, and five in its metrics."""

    def stop(record: Any) -> None:
        if record.round == 4:
            raise Interruption

    with pytest.raises(Interruption):
        run(config, rule, out=folder, on_round=stop)
    return folder


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begun(tmp_path_factory.mktemp("run") / "stopped")


@pytest.fixture(scope="module")
def resume() -> Callable[[Path], object]:
    """What `run` does with a folder before it plays a round; gives the state and records it would go on from."""
    first = first_state(Setup.of(CONFIG), make_task(Setup.of(CONFIG), CPU))

    def resumed(path: Path) -> object:
        with open_folder(path, run_identity(Setup.of(CONFIG, RULE), CPU), {}, {}) as folder:
            folder, state = folder.resume(first)
            return state.round, state.model.tolist(), [r.to_dict() for r in folder.history()]

    return resumed


@pytest.fixture
def folder(stopped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stopped, tmp_path / "run"))


def flip(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def test_60_of_60_bit_flips_of_a_checkpoint_are_refused(folder: Path, resume: Callable[[Path], object]) -> None:
    path = folder / "checkpoint.safetensors"
    content = path.read_bytes()
    for bit in np.random.default_rng(0).integers(0, 8 * len(content), 60):
        flip(path, int(bit))
        with pytest.raises(ValueError, match=r"checkpoint.safetensors: not a checkpoint of this run: it is"):
            resume(folder)
        path.write_bytes(content)
    resume(folder)


@pytest.mark.parametrize("name", ["metrics.jsonl", "timings.jsonl", "run.json"])
def test_bit_flips_of_the_other_files_are_refused_or_change_nothing(
    folder: Path, resume: Callable[[Path], object], name: str
) -> None:
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    undisturbed = resume(folder)
    refused = 0
    for bit in np.random.default_rng(1).integers(0, 8 * len(files[name]), 60):
        for other, content in files.items():
            (folder / other).write_bytes(content)
        flip(folder / name, int(bit))
        message = ""
        try:
            assert resume(folder) == undisturbed
        except ValueError as error:
            message = str(error)
        assert not message or str(folder) in message
        refused += bool(message)
    assert refused >= 20  # the others are in lines that are dropped, or in what only people read


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [lines[0], *lines], "line 2: not the line"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "line 1: not the line"),
        (lambda lines: [*lines[:2], *lines[3:]], "line 3: not the line"),
        (lambda lines: lines[1:], "line 1: not the line"),
        (lambda lines: lines[:3], "3 rounds, but the checkpoint counts 4"),
        (lambda lines: [*lines[:3], b"5\n", *lines[4:]], "line 4: not the line"),
        (lambda lines: [*lines[:3], b"\xff\n", *lines[4:]], "line 4: not the line"),
    ],
    ids=["twice", "swapped", "missing", "first missing", "last missing", "5", "no text"],
)
@pytest.mark.parametrize("name", ["metrics.jsonl", "timings.jsonl"])
def test_lines_twice_swapped_or_missing_are_noticed(
    folder: Path, change: Callable[[list[bytes]], list[bytes]], words: str, name: str
) -> None:
    lines = (folder / name).read_bytes().splitlines(keepends=True)
    (folder / name).write_bytes(b"".join(change(lines)))
    with pytest.raises(ValueError, match=f"{name}.*{words}"):
        run(CONFIG, RULE, out=folder)


@pytest.mark.parametrize(
    ("config", "rule", "words"),
    [
        (replace(CONFIG, seed=3), RULE, "seed is 3 there and 2 here"),
        (CONFIG, Proportional(), "rule is 'Proportional' there and 'ExpAlpha' here"),
        (replace(CONFIG, model="mlp(hidden=[4])"), RULE, r"model is 'mlp\(hidden=\[4\]\)' there"),
    ],
    ids=["seed", "rule", "shape"],
)
def test_a_checkpoint_moved_here_from_another_run_is_refused_by_name(
    folder: Path, tmp_path: Path, config: RunConfig, rule: Rule, words: str
) -> None:
    other = begun(tmp_path / "other", config, rule)
    shutil.copy(other / "checkpoint.safetensors", folder)
    with pytest.raises(ValueError, match=rf"checkpoint.safetensors: .* belongs to another run; .*{words}"):
        run(CONFIG, RULE, out=folder)


def test_metrics_moved_here_from_another_run_are_refused(folder: Path, tmp_path: Path) -> None:
    other = begun(tmp_path / "other", replace(CONFIG, seed=3))
    shutil.copy(other / "metrics.jsonl", folder)
    with pytest.raises(ValueError, match=r"metrics.jsonl, line 1: not the line"):
        run(CONFIG, RULE, out=folder)


@dataclass(frozen=True)
class Sometimes:
    """Weights that are another rule's in a second program of the same name."""

    def __call__(self, stats: Any) -> Any:
        return Proportional()(stats)


def test_metrics_of_the_same_run_computed_otherwise_are_not_those_of_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = begun(tmp_path / "a", CONFIG, Sometimes())
    monkeypatch.setattr(Sometimes, "__call__", lambda self, stats: RULE(stats))
    other = begun(tmp_path / "b", CONFIG, Sometimes())
    shutil.copy(other / "metrics.jsonl", folder)
    with pytest.raises(ValueError, match=r"metrics.jsonl: not the rounds that the checkpoint counts on"):
        run(CONFIG, Sometimes(), out=folder)


def test_a_folder_with_a_checkpoint_of_the_earlier_format_is_left_as_it_is(folder: Path) -> None:
    (folder / "checkpoint.safetensors").rename(folder / "checkpoint.pt")
    before = (folder / "metrics.jsonl").read_bytes()
    with pytest.raises(ValueError, match=r"checkpoint.pt: of an earlier version"):
        run(CONFIG, RULE, out=folder)
    assert (folder / "metrics.jsonl").read_bytes() == before


def hold(folder: str, held: Any) -> None:
    with locked(Path(folder)):
        held.set()
        time.sleep(60)


def test_a_folder_in_use_is_refused_and_its_owner_named_and_a_killed_owner_keeps_nobody_out(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    context = multiprocessing.get_context("forkserver")
    held = context.Event()
    process = context.Process(target=hold, args=(str(folder), held))
    process.start()
    assert held.wait(60)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ValueError, match=rf"in use by process {process.pid} of .* on {socket.gethostname()}; wait"):
        run(CONFIG, RULE, out=folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    process.kill()
    process.join()
    with caplog.at_level(logging.WARNING, "deep.base.lock"):
        assert run(CONFIG, RULE, out=folder).status == "completed"
    assert f"process {process.pid} of" in caplog.text
    assert "ended without giving it back; taken over" in caplog.text
    assert not (folder / "owner.json").exists()


def test_a_folder_left_by_another_machine_waits_for_a_person(folder: Path) -> None:
    owner = {"user": "ada", "process": 7, "began": "2026-01-01T00:00:00+00:00", "host": "elsewhere"}
    (folder / "owner.json").write_text(json.dumps(owner))
    with pytest.raises(
        ValueError, match=r"left by process 7 of ada, begun 2026.*, on elsewhere, .* delete .*owner.json"
    ):
        run(CONFIG, RULE, out=folder)
    (folder / "owner.json").write_text("{")  # says nothing, but the lock is free
    assert run(CONFIG, RULE, out=folder).status == "completed"


def test_two_runs_in_one_process_do_not_share_a_folder_either(folder: Path) -> None:
    with locked(folder), pytest.raises(ValueError, match=f"in use by process {os.getpid()}"):
        run(CONFIG, RULE, out=folder)


def go(folder: str, refused: Any) -> None:
    try:
        run(CONFIG, RULE, out=folder)
    except ValueError as error:
        if "in use by" not in str(error):
            raise
        refused.value += 1


@pytest.mark.slow
def test_runs_that_race_for_a_folder_leave_what_one_alone_leaves(tmp_path: Path) -> None:
    run(CONFIG, RULE, out=tmp_path / "alone")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["deep"])
    refused = context.Value("i", 0)
    racers = [context.Process(target=go, args=(str(tmp_path / "raced"), refused)) for _ in range(3)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert [racer.exitcode for racer in racers] == [0] * 3
    for name in ("metrics.jsonl", "result.json", "checkpoint.safetensors"):
        assert (tmp_path / "raced" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()

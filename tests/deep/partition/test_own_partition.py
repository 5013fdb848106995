"""A partition of one's own: functions and classes, checked as ours are, and part of what a folder belongs to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deep import RunConfig, run
from deep.partition import divide, make_partition
from theory.rules import make_rule

SOURCE = """
import numpy as np
from dataclasses import dataclass

def modulo(labels, n_clients, shift=0):
    return (np.arange(len(labels)) + shift) % n_clients

def halves(labels, seed):
    order = np.random.default_rng(seed).permutation(len(labels))
    return np.split(order, 2)

@dataclass(frozen=True)
class Ends:
    size: int = 3
    def parts(self, labels, n_clients, seed, groups=None):
        return [np.arange(self.size), np.arange(len(labels) - self.size, len(labels))]

def twice(labels):
    return [np.arange(4), np.arange(4)]

def text(labels):
    return "ab"

def outside(labels):
    return np.full(len(labels), 7)

def broken(labels):
    raise RuntimeError("not today")

nothing = 3
"""
LABELS = np.arange(20) % 3


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module in the working directory, one that no other test has imported."""
    name = f"cut_{tmp_path.name}".replace("-", "_").replace("[", "_").replace("]", "_")
    (tmp_path / f"{name}.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return name


def test_a_function_may_name_the_client_of_each_sample_or_the_samples_of_each_client(mine: str) -> None:
    held = divide(make_partition(f"{mine}:modulo(shift=1)"), LABELS, 2, 0)
    assert [part.tolist() for part in held.parts] == [list(range(1, 20, 2)), list(range(0, 20, 2))]
    first, again, other = (divide(make_partition(f"{mine}:halves"), LABELS, 2, seed) for seed in (0, 0, 1))
    assert sorted(np.concatenate(first.parts).tolist()) == list(range(20))
    assert all(np.array_equal(a, b) for a, b in zip(first.parts, again.parts, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first.parts, other.parts, strict=True))


def test_a_class_has_parts(mine: str) -> None:
    held = divide(make_partition(f"{mine}:Ends(size=2)"), LABELS, 2, 0)
    assert [part.tolist() for part in held.parts] == [[0, 1], [18, 19]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("twice", "sample 0 is held 2 times"),
        ("text", "gave a str: .*; expected an array of indices for each client"),
        ("outside", "clients from 7 to 7; expected -1 to 1"),
        ("modulo(force=1)", r"has no setting \['force'\]; its settings are \['shift'\]"),
        ("nothing", "is a int; expected a function of labels, n_clients, seed, groups, or a class with parts"),
        ("missing", "its import raised AttributeError"),
    ],
)
def test_what_is_no_partition_is_refused(mine: str, words: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        divide(make_partition(f"{mine}:{words}"), LABELS, 2, 0)


def test_a_run_takes_it_and_its_folder_knows_its_code_and_can_be_overwritten(mine: str, tmp_path: Path) -> None:
    config = RunConfig(partition=f"{mine}:modulo", n_clients=3, n_sampled=2, n_rounds=2, n_local_steps=1)
    found = run(config, make_rule("uniform"), out=tmp_path / "r")
    sizes = [sum(row) for row in found.partition_counts]
    assert max(sizes) - min(sizes) <= 1
    (tmp_path / "r" / "notes.txt").write_text("mine")
    (tmp_path / f"{mine}.py").write_text(SOURCE + "# changed\n")
    with pytest.raises(ValueError, match=f"belongs to another run; partition is '{mine}:modulo sha256:"):
        run(replace(config, n_rounds=3), make_rule("uniform"), out=tmp_path / "r")
    again = run(replace(config, local_lr=0.2), make_rule("uniform"), out=tmp_path / "r", overwrite=True)
    assert len(again.history) == 2
    fresh = run(replace(config, local_lr=0.2), make_rule("uniform"))
    assert [record.test_loss for record in again.history] == [record.test_loss for record in fresh.history]
    assert (tmp_path / "r" / "notes.txt").read_text() == "mine"


def test_a_run_that_cannot_begin_overwrites_nothing(mine: str, tmp_path: Path) -> None:
    config = RunConfig(n_clients=3, n_sampled=2, n_rounds=2, n_local_steps=1, partition="iid")
    run(config, make_rule("uniform"), out=tmp_path / "r")
    before = {path.name: path.read_bytes() for path in (tmp_path / "r").iterdir()}
    with pytest.raises(RuntimeError, match="not today"):
        run(replace(config, partition=f"{mine}:broken"), make_rule("uniform"), out=tmp_path / "r", overwrite=True)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "r").iterdir()}

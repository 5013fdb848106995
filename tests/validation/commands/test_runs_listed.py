"""`fedverdict runs DIR`: every run that has ended, in the order of a quantity, and clear errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deep import RunConfig, run
from theory.rules import make_rule
from validation.cli import main


def listed(*words: str) -> Result:
    return CliRunner().invoke(main, ["runs", *words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs that differ in rate and rule."""
    place = tmp_path_factory.mktemp("runs")
    for name, rate, rule in (("b/one", 0.1, "uniform"), ("a", 0.3, "fed-worse(k=1)"), ("c", 0.01, "uniform")):
        config = RunConfig(n_clients=4, n_sampled=2, partition="iid", n_rounds=2, n_local_steps=3, local_lr=rate)
        run(config, make_rule(rule), out=place / name)
    (place / "empty").mkdir()
    return place


def test_runs_are_in_the_order_of_a_quantity(folder: Path) -> None:
    for words, key, descending in (
        ((), "test_accuracy", True),
        (("--sort", "test_loss", "--ascending"), "test_loss", False),
        (("--sort", "local_lr"), "local_lr", True),
        (("--sort", "coefficient_bound"), "coefficient_bound", True),
    ):
        rows = json.loads(listed(str(folder), "--json", *words).stdout)
        assert {row["run"] for row in rows} == {"a", "b/one", "c"}
        values = [row[key] for row in rows]
        assert values == sorted(values, reverse=descending)
    summaries = {name: json.loads((folder / name / "summary.json").read_text()) for name in ("a", "b/one", "c")}
    assert {row["run"]: row["test_loss"] for row in rows} == {
        name: found["summary"]["test_loss"]["final"] for name, found in summaries.items()
    }
    assert {row["run"]: row["test_accuracy.best"] for row in rows} == {
        name: found["summary"]["test_accuracy"]["best"] for name, found in summaries.items()
    }


def test_the_table_names_rule_seed_and_what_is_shown(folder: Path) -> None:
    text = listed(str(folder), "--sort", "local_lr", "--show", "n_rounds").stdout
    head, first, *_ = text.splitlines()
    assert head.split() == [
        "run",
        "rule",
        "seed",
        "rounds",
        "test_accuracy",
        "test_loss",
        "train_loss",
        "n_rounds",
        "local_lr",
    ]
    assert first.split()[0] == "a"
    assert "FedWorse(k=1" in first
    assert first.split()[-1] == "0.3"


def test_errors_name_the_cure(folder: Path, tmp_path: Path) -> None:
    unknown = listed(str(folder), "--sort", "accuracy")
    assert (unknown.exit_code, "no run has 'accuracy'; there are " in unknown.stderr) == (2, True)
    nothing = listed(str(tmp_path))
    assert (nothing.exit_code, "no run that has ended" in nothing.stderr) == (2, True)
    (tmp_path / "summary.json").write_text("{}")
    damaged = listed(str(tmp_path))
    assert damaged.exit_code != 0
    assert "is no summary of a run" in damaged.output

"""The committed demonstrations: files that are read, and the one that needs no data file is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deep.config.config import RunConfig
from deep.config.settings import read_layer, resolve
from tests.benchmarks.accuracy import FOLDER, NAMES, demonstrate

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "accuracy.json"
LEAST = {"digits": 0.95, "fashion-mnist": 0.85, "cifar-10": 0.4}


def test_there_is_one_for_each_data_set() -> None:
    assert set(NAMES) == set(LEAST)


@pytest.mark.slow
def test_fedavg_learns_the_digits(tmp_path: Path) -> None:
    row = demonstrate("digits", tmp_path, None)
    assert row["status"] == "completed"
    assert row["test_accuracy"][-1] > LEAST["digits"]


@pytest.mark.parametrize("name", NAMES)
def test_what_was_measured_is_of_the_committed_configuration(name: str) -> None:
    rows = {row["name"]: row for row in json.loads(RESULTS.read_text())}
    config = resolve(read_layer(FOLDER / f"{name}.toml")).config
    measured = RunConfig(**rows[name]["provenance"]["config"])  # fields that came later have what was done before
    assert json.dumps(vars(measured)) == json.dumps(vars(config))
    assert rows[name]["rounds"] == config.n_rounds
    assert [a for a in rows[name]["test_accuracy"] if a is not None][-1] > LEAST[name]

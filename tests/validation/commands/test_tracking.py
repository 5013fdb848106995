"""`fedverdict run --mlflow` and the like: every run is shown under its folder's name, alone and in a fleet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from validation.cli import main

SHORT = ("--rounds", "2", "--partition", "iid", "--local-steps", "1")


class Kept:
    """A tracker that keeps what it is called with."""

    runs: dict[tuple[Any, ...], list[int]]

    def __init__(self, *arguments: Any) -> None:
        self.rounds = self.runs.setdefault(tuple(map(str, arguments[:3])), [])
        self.parameters = arguments[3] if len(arguments) > 3 else None

    def __enter__(self) -> Any:
        return lambda record: self.rounds.append(record.round)

    def __exit__(self, *_: object) -> None:
        self.rounds.append(-1)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[Any, ...], list[int]]:
    """What was shown by uri, experiment and folder of a run; -1 where it was closed."""
    Kept.runs = {}
    monkeypatch.setattr("deep.metrics.trackers.mlflow_runs.MLflowWriter", Kept)
    monkeypatch.setattr("deep.metrics.MLflowWriter", Kept, raising=False)
    return Kept.runs


def test_one_run_and_a_fleet_are_shown(kept: dict[tuple[Any, ...], list[int]], tmp_path: Path) -> None:
    words = ["run", *SHORT, "--mlflow", "sqlite:///x.db"]
    one = CliRunner().invoke(main, [*words, "--rule", "uniform", "--out", str(tmp_path / "one")])
    assert one.exit_code == 0, one.output
    assert kept == {("sqlite:///x.db", "fedverdict", str(tmp_path / "one")): [0, 1, -1]}
    kept.clear()
    several = [*words, "--rules", "uniform; fed-worse", "--seeds", "2", "--out", str(tmp_path / "all")]
    fleet = CliRunner().invoke(main, [*several, "--experiment", "mine"])
    assert fleet.exit_code == 0, fleet.output
    names = [f"{rule}/seed-{seed}" for rule in ("uniform", "fed-worse") for seed in (0, 1)]
    assert kept == {("sqlite:///x.db", "mine", str(tmp_path / "all" / name)): [0, 1, -1] for name in names}

"""`fedverdict reference` and `fedverdict run --seeds`: what is kept, what is shown, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from validation.cli import main

TASK = ("--clients", "3", "--sampled", "2", "--l2", "0.05", "--local-steps", "2", "--rounds", "2")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_a_reference_is_solved_once_and_serves_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = ("--references", str(tmp_path / "refs"))
    first = call("reference", *TASK, *kept)
    assert first.exit_code == 0, first.output
    assert "F* " in first.output
    assert "certified to" in first.output
    (path,) = (tmp_path / "refs").iterdir()
    monkeypatch.setattr("deep.task.reference.certified_minimum", lambda *_, **__: pytest.fail("solved again"))
    again = call("reference", *TASK, *kept, "--json")
    found = json.loads(again.stdout)
    assert found["kind"] == "solved"
    assert path.name == f"{found['task']}-solved.npz"
    assert max(*found["client_gaps"], found["gap"]) <= 1e-10
    result = call("run", "--rule", "fed-soft-worse", *TASK, *kept, "--out", str(tmp_path / "run"))
    assert result.exit_code == 0, result.output
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["floor"]["losses"] == found["client_losses"]
    assert summary["floor"]["at_optimum"] == found["at_optimum"]


def test_what_descent_reached_is_kept_under_its_name(tmp_path: Path) -> None:
    kept = ("--references", str(tmp_path))
    network = ("--model", "mlp(hidden=[4])", *TASK, *kept)
    refused = call("reference", *network)
    assert refused.exit_code == 2
    assert "for others give steps and a rate" in refused.output
    assert call("reference", *network, "--steps", "3").output.startswith(
        "fedverdict: --steps and --rate: gradient descent needs both"
    )
    found = call("reference", *network, "--steps", "3", "--rate", "0.2")
    assert found.exit_code == 0, found.output
    assert "reached by 3 steps of gradient descent at rate 0.2" in found.output
    assert "not solved" in found.output
    ran = call("run", "--rule", "fed-soft-worse", *network, "--floor", "reached", "--out", str(tmp_path / "run"))
    assert ran.exit_code == 0, ran.output


def test_seeds_are_runs_of_their_own(tmp_path: Path) -> None:
    out = tmp_path / "runs"
    result = call("run", "--rule", "uniform", *TASK, "--l2", "0", "--seed", "7", "--seeds", "3", "--out", str(out))
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in out.iterdir()) == ["seed-7", "seed-8", "seed-9"]
    assert result.stdout.count("completed after 2 rounds") == 3
    assert "3 of 3 seeds completed: test accuracy 0." in result.stdout
    alone = call("run", "--rule", "uniform", *TASK, "--l2", "0", "--seed", "8", "--out", str(tmp_path / "one"))
    assert alone.exit_code == 0, alone.output
    assert (tmp_path / "one" / "metrics.jsonl").read_bytes() == (out / "seed-8" / "metrics.jsonl").read_bytes()
    again = call("run", "--rule", "uniform", *TASK, "--l2", "0", "--seed", "7", "--seeds", "2", "--out", str(out))
    assert again.exit_code == 0, again.output
    assert "no --out" in call("run", "--rule", "uniform", *TASK, "--seeds", "2").output

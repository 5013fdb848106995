"""`fedverdict simulate`, as a person would type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from validation.cli import main

FAMILY = ("--family", "quadratics(dim=3)", "--rounds", "3", "--local-steps", "2")


def simulate(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["simulate", *arguments])


def test_it_takes_the_words_of_a_run_and_writes_its_tables(tmp_path: Path) -> None:
    words = ("--rule", "exp-alpha", "--set", "alpha=0.5", "--rounds", "2", "--local-steps", "2", "--l2", "0.1")
    kept = ("--references", str(tmp_path / "references"))
    made = [CliRunner().invoke(main, [c, *words, *kept, "--out", str(tmp_path / c)]) for c in ("run", "simulate")]
    assert [result.exit_code for result in made] == [0, 0], made[1].output
    assert made[1].stdout.startswith("ExpAlpha: completed after 2 rounds, test accuracy 0.")
    about = json.loads((tmp_path / "simulate" / "summary.json").read_text())
    last = json.loads((tmp_path / "simulate" / "metrics.jsonl").read_text().splitlines()[-1])
    least = sum(p * loss for p, loss in zip(last["share"], about["floor"]["at_optimum"], strict=True))
    gap = f"excess_loss F(w) − F* = {last['train_loss'] - least:.3g} before the last round"
    assert all(gap in result.stdout for result in made)  # w* is solved for the deep run, too
    files = [{path.name for path in (tmp_path / c).iterdir()} for c in ("run", "simulate")]
    assert files[0] - files[1] == {"checkpoint.safetensors"}
    assert not files[1] - files[0]
    assert (tmp_path / "run" / "config.toml").read_text() == (tmp_path / "simulate" / "config.toml").read_text()
    again = simulate("--config", str(tmp_path / "run" / "config.toml"), *kept, "--out", str(tmp_path / "again"))
    assert again.exit_code == 0, again.output
    lines = [(tmp_path / name / "metrics.jsonl").read_text() for name in ("simulate", "again")]
    assert json.loads(lines[0].splitlines()[1])["weights"] == json.loads(lines[1].splitlines()[1])["weights"]


def test_seeds_are_runs_of_their_own_and_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    dry = simulate("--rule", "uniform", *FAMILY, "--out", str(tmp_path / "x"), "--dry-run")
    assert (dry.exit_code, dry.stdout) == (0, "Uniform: can be simulated, 3 rounds\n")
    assert not list(tmp_path.iterdir())
    result = simulate("--rule", "uniform", *FAMILY, "--out", str(tmp_path / "x"), "--seeds", "2")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "x").iterdir()) == ["seed-0", "seed-1"]
    assert "2 of 2 seeds completed: train loss " in result.stdout


def test_a_rule_is_reported_by_the_name_it_was_given(tmp_path: Path) -> None:
    result = simulate("--rule", "fedavg", *FAMILY, "--out", str(tmp_path / "x"))
    assert result.stdout.startswith("Proportional (fedavg): completed after 3 rounds")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--rule", "uniform", *FAMILY), 2, "no --out: name a folder for the simulation"),
        (("--rule", "unifrom", *FAMILY, "--out", "x"), 2, "unknown rule 'unifrom'; nearest: uniform"),
        (("--rule", "uniform", "--family", "cubics", "--out", "x"), 2, "unknown family 'cubics'"),
        (("--rule", "uniform", "--model", "mlp", "--out", "x"), 2, "expected softmax-regression"),
        (("--rule", "uniform", *FAMILY, "--lr", "1"), 2, "No such option"),
        (
            ("--rule", "uniform", *FAMILY, "--local-steps", "9", "--local-lr", "1e30", "--out", "x"),
            2,
            "diverged in its first round",
        ),
        (("--rule", "uniform", *FAMILY, "--rounds", "400", "--local-lr", "50", "--out", "x"), 1, "diverged after "),
    ],
)
def test_mistakes_and_divergence_have_the_exit_codes_of_a_run(
    words: tuple[str, ...], code: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = simulate(*words)
    assert result.exit_code == code, result.output
    assert says in result.output

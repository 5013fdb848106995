"""The README is a promise: its Python runs, its commands exist, its table of claims is the list of claims."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
from click.testing import CliRunner

from validation.cli import main
from validation.job.papers import select
from validation.statement.claim import Kind
from validation.statement.roles import roles_of

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_screen_of_python_runs(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)[0]
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "[0.731 0.269]" in result.stdout
    assert "unstated-condition" in result.stdout


def test_parts_of_ones_own_make_a_run(tmp_path: Path) -> None:
    """An own module, data set, rule and client, from a TOML file, in under 30 lines of code."""
    code = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)[1]
    toml = re.findall(r"```toml\n(.*?)```", README, flags=re.DOTALL)[1]
    assert len([line for line in (code + toml).splitlines() if line.strip()]) < 30
    (tmp_path / "mine.py").write_text(code)
    (tmp_path / "mine.toml").write_text(toml)
    command = [sys.executable, "-m", "validation.cli", "run", "--config", "mine.toml"]
    place = os.pathsep.join(filter(None, (str(Path.cwd()), os.environ.get("PYTHONPATH"))))
    for rounds, message in ((3, "completed after 3 rounds"), (4, "completed after 4 rounds"), (5, "another run")):
        result = subprocess.run(
            [*command, "--rounds", str(rounds)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": place},
            capture_output=True,
            text=True,
            check=False,
        )
        assert message in result.stdout + result.stderr, result.stderr
        if rounds == 4:
            (tmp_path / "mine.py").write_text(code.replace("pull=0.1", "pull=0.2"))
    assert "mine:Damped sha256:" in result.stderr


def test_the_worked_example_holds_and_its_false_twin_does_not(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)[2]
    assert len([line for line in code.splitlines() if line.strip()]) <= 9  # one import, eight lines
    for source, returns, words in (
        (code, 0, "no violation on"),
        (code.replace("Bound(2 * L * gap)", "Bound(L * gap)"), 1, "c = 1\n  w = 1\n  left side 1 = 1, right side 1/2"),
    ):
        result = subprocess.run(
            [sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert result.returncode == returns, result.stderr
        assert words in result.stdout + result.stderr.replace("w = -1", "w = 1")


def test_the_claim_of_ones_own_falls_and_is_restored(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)[3]
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "unstated-condition unless eta <= 2/L" in result.stdout


def test_every_command_in_the_tour_is_known_with_its_options() -> None:
    lines = re.findall(r"^    fedverdict ([\w-]+)([^#\n]*)", README, flags=re.MULTILINE)
    assert len(lines) >= 6
    for name, rest in lines:
        command = main.get_command(click.Context(main), name)
        assert command is not None, name
        known = {option for parameter in command.get_params(click.Context(command)) for option in parameter.opts}
        assert set(re.findall(r"--[\w-]+", rest)) <= known, name
    assert CliRunner().invoke(main, ["--help"]).exit_code == 0


def test_the_table_counts_every_claim() -> None:
    row = next(line for line in README.splitlines() if line.startswith("| `paper_checks/`"))
    everything = select(())
    printed = [c for p, c in everything if not p.calibration and not roles_of(c).ours]
    counted = {
        "statements": sum(c.kind is not Kind.RELATION for c in printed),
        "relations": sum(c.kind is Kind.RELATION for c in printed),
        "questions asked by us": sum(not p.calibration and bool(roles_of(c).ours) for p, c in everything),
        "known truths": sum(p.calibration for p, _ in everything),
    }
    names = "|".join(counted)
    assert {name: int(n) for n, name in re.findall(rf"(\d+) ({names})", row)} == counted


def test_make_targets_exist() -> None:
    makefile = (Path(__file__).parent.parent / "Makefile").read_text()
    for target in [*re.findall(r"`make ([\w-]+)`", README), "report", "test"]:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target

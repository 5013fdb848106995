"""An error in a user's own part is named as theirs, with file, line and call; the folder can be used again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from validation.cli import main

SOURCE = """
from dataclasses import dataclass
import torch
from torch import nn

class Narrow(nn.Module):
    def __init__(self, n_features, n_classes):
        super().__init__()
        self.last = nn.Linear(n_features, n_classes)
    def forward(self, x):
        x = x.flatten(1)
        return self.last(x[:, :60] if len(x) == 32 else x)

class Cut(nn.Module):
    def forward(self, x):
        return x.flatten(1)[:, :(60 if len(x) == 32 else 64)]

def layers(n_features, n_classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(7, n_classes))

@dataclass(frozen=True)
class Halves:
    needs = ("share", "loss_before")
    def __call__(self, stats):
        return stats.share[:2] @ stats.loss_before
"""
SHORT = ("--rounds", "1", "--partition", "iid", "--local-steps", "1")


def ended(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module in the working directory, one that no other test has imported."""
    name = f"part_{tmp_path.name}".replace("-", "_").replace("[", "_").replace("]", "_")
    (tmp_path / f"{name}.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return name


def test_a_shape_error_in_a_model_names_file_line_and_call_and_the_folder_is_free(mine: str, tmp_path: Path) -> None:
    out = tmp_path / "r"
    said = ended("run", "--rule", "uniform", "--model", f"{mine}:Narrow", *SHORT, "--out", str(out))
    assert (said.exit_code, said.stdout) == (2, "")
    (line,) = said.stderr.splitlines()
    number = SOURCE.splitlines().index("        return self.last(x[:, :60] if len(x) == 32 else x)") + 1
    assert line.startswith(
        f"fedverdict: error in your model {mine}:Narrow, {tmp_path / mine}.py, line {number}, in forward:"
    )
    assert "'return self.last(x[:, :60] if len(x) == 32 else x)' raised RuntimeError: mat1 and mat2 shapes" in line
    assert line.endswith("the model was called with inputs of shape (32, 1, 8, 8)")
    again = ended("run", "--rule", "uniform", *SHORT, "--out", str(out))
    assert again.exit_code == 0, again.stderr
    other = ended("run", "--rule", "proportional", *SHORT, "--out", str(out))  # what has rounds belongs to them
    assert (other.exit_code, "belongs to another run" in other.stderr) == (2, True)


def test_a_model_of_torchs_layers_alone_is_named_too(mine: str, tmp_path: Path) -> None:
    words = ("run", "--rule", "uniform", "--model", f"{mine}:layers", *SHORT)
    for more in (("--out", str(tmp_path / "r")), ("--dry-run",)):
        said = ended(*words, *more)
        assert said.exit_code == 2
        assert said.stderr.startswith(f"fedverdict: error in your model {mine}:layers, {tmp_path / mine}.py: it raised")
        assert said.stderr.rstrip().endswith("the model was called with inputs of shape (2, 1, 8, 8)")


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--rule", "MINE:Halves", *SHORT),
        ("run", "--rules", "MINE:Halves", *SHORT),
        ("simulate", "--rule", "MINE:Halves", "--rounds", "1", "--family", "quadratics(dim=2)"),
    ],
)
def test_an_error_in_a_rule_is_named_by_every_command(words: tuple[str, ...], mine: str, tmp_path: Path) -> None:
    said = ended(*(word.replace("MINE", mine) for word in words), "--out", str(tmp_path / "r"))
    assert said.exit_code == 2
    assert said.stderr.startswith(f"fedverdict: error in your rule {mine}:Halves, {tmp_path / mine}.py, line ")
    assert "in __call__: 'return stats.share[:2] @ stats.loss_before' raised" in said.stderr


def test_the_traceback_is_shown_on_demand_and_a_folder_is_overwritten(mine: str, tmp_path: Path) -> None:
    words = ("run", "--rule", "uniform", "--model", f"{mine}:layers", *SHORT, "--out", str(tmp_path / "r"))
    assert "Traceback" not in ended(*words).stderr
    shown = ended(*words, "--traceback").stderr
    assert "Traceback (most recent call last)" in shown
    assert shown.splitlines()[-1].startswith("fedverdict: error in your model")
    first = ("run", "--rule", "uniform", *SHORT, "--out", str(tmp_path / "r"))
    assert ended(*first).exit_code == 0
    other = ("run", "--rule", "proportional", *SHORT, "--out", str(tmp_path / "r"))
    assert ended(*other).exit_code == 2
    assert ended(*other, "--overwrite").exit_code == 0


def test_an_error_of_ours_stays_ours(mine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr("deep.runs.engine.check_memory", broken)
    said = ended("run", "--rule", "uniform", "--model", f"{mine}:Narrow", *SHORT, "--out", str(tmp_path / "r"))
    assert said.exit_code == 3
    assert "internal error (RuntimeError: planted)" in said.stderr


def test_a_failed_run_prints_its_error_alone(tmp_path: Path) -> None:
    for command in ("run", "simulate"):
        cut = ("--partition", "dirichlet(beta=1, min_size=900)", "--rounds", "1")
        said = ended(command, "--rule", "uniform", *cut, "--out", str(tmp_path / "r"))
        assert (said.exit_code, said.stdout, len(said.stderr.splitlines())) == (2, "", 1), said.stderr
        assert said.stderr.startswith("fedverdict: ")
        assert "min_size=900" in said.stderr

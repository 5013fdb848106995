"""Without the extra `deep`: commands of the core run, and the others say in one line what to install."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.loaded import BLOCKED, fedverdict, python

FAMILY = ("--family", "quadratics(dim=3, noise=0.1)", "--rounds", "3")


def ended(folder: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, check=False)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command where every import of torch, kornia and scikit-learn fails, as if they were not installed."""
    return ended(folder, fedverdict(torch=False), *words)


def code(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    """Python there."""
    return ended(folder, python(torch=False), "-c", source)


@pytest.mark.parametrize("name", ["torch", "kornia", "sklearn.datasets"])
def test_what_is_not_installed_is_blocked_here(name: str, tmp_path: Path) -> None:
    missing = name.partition(".")[0]
    assert f"ModuleNotFoundError: No module named {missing!r}" in code(tmp_path, f"import {name}").stderr


def test_a_command_starts_without_torch(tmp_path: Path) -> None:
    """From the first line on: the other tests begin with everything of the core loaded."""
    source = f"{BLOCKED}\nfrom validation.cli import main; main(['check', 'EA-P6', '--again', '--budget', '200'])"
    assert "EA-P6" in ended(tmp_path, sys.executable, "-c", source).stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("rules",), "exp-alpha"),
        (("algorithms",), "moon"),
        (("simulate", "--help"), "--local-steps"),
        (("run", "--help"), "--local-steps"),
        (("report", "--help"), "--single-file"),
        (("check", "EA-T1", "--explain"), "unstated-condition"),
        (("check", "EA-P6", "--again", "--budget", "500"), "EA-P6"),
        (("simulate", "--rule", "fed-nova", "--print-config"), 'name = "fed-nova"'),
        (("simulate", "--rule", "FedNova", *FAMILY, "--client", "FedProx", "--out", "a"), "completed after 3 rounds"),
        (("simulate", "--rule", "min-norm", *FAMILY, "--momentum", "0.5", "--out", "b"), "completed after 3 rounds"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else "",
)
def test_a_command_of_the_core_runs(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    result = run(tmp_path, *words)
    assert result.returncode == 0, result.stderr
    assert says in result.stdout


def test_a_simulated_family_is_the_same_as_with_torch(tmp_path: Path) -> None:
    words = ("simulate", "--rule", "exp-alpha", *FAMILY, "--client", "scaffold", "--out")
    for place, program in (("without", fedverdict(torch=False)), ("with", fedverdict())):
        result = ended(tmp_path, program, *words, place)
        assert result.returncode == 0, result.stderr
    without, there = (json.loads((tmp_path / place / "result.json").read_text()) for place in ("without", "with"))
    assert without["history"] == there["history"]
    assert without["provenance"]["torch"] is None
    assert there["provenance"]["torch"]


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--rule", "proportional", "--out", "r"),
        ("simulate", "--rule", "proportional", "--l2", "0.01", "--out", "s"),
        ("reference", "--l2", "0.01"),
        ("compare", "--rules", "uniform; proportional", "--seeds", "1"),
    ],
    ids=lambda words: words[0],
)
def test_a_command_that_needs_torch_says_what_to_install(words: tuple[str, ...], tmp_path: Path) -> None:
    result = run(tmp_path, *words)
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == (
        "fedverdict: this needs torch, which is not installed: pip install 'fedverdict[deep]'"
    )
    assert "Traceback" not in result.stderr


def test_a_name_that_needs_torch_says_what_to_install(tmp_path: Path) -> None:
    result = code(tmp_path, "import fedverdict as fv; fv.RunConfig(); fv.run_convex; fv.run")
    assert result.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: fedverdict.run needs torch, which is not installed: pip install 'fedverdict[deep]'"
    )


@pytest.mark.slow
def test_the_report_is_written_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    one = "import validation.papers.index as i; i.points = lambda all=i.points: [p for p in all() if p.name == 'efl'];"
    main = "from validation.cli import main; main(['report', 'site', '--jobs', '1'], prog_name='fedverdict')"
    result = ended(tmp_path, sys.executable, "-c", f"{BLOCKED}\n{one} {main}")  # where nothing is loaded but this paper
    assert result.returncode == 0, result.stderr
    left_out = "the page of the rules in convex and deep runs: there is no PyTorch (pip install 'fedverdict[deep]')"
    assert f"left out: {left_out}" in result.stderr
    pages = "".join(page.read_text(encoding="utf-8") for page in (tmp_path / "site").glob("*.html"))
    assert "the page of the rules in convex and deep runs" in pages
    assert not (tmp_path / "site" / "two_worlds.html").exists()

"""What a new user meets first: a skeleton that checks at once, names that a shell completes, budgets in seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner, Result

from tests.loaded import fedverdict
from tests.turns import one_run_in
from validation.cli import main
from validation.commands.claims.new_paper import skeleton
from validation.commands.complete import names_of


def ended(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def completed(words: str, incomplete: str) -> list[str]:
    """What a shell would offer after `words`."""
    asked = BashComplete(main, {}, "fedverdict", "_FEDVERDICT_COMPLETE")
    return [item.value for item in asked.get_completions(words.split(), incomplete)]


@pytest.mark.parametrize(
    ("words", "incomplete", "wanted"),
    [
        ("check", "ea-t", {"EA-T1", "EA-T2"}),
        ("check", "robust", {"robust_aggregation"}),
        ("run --rule", "fed-soft", {"fed-soft-worse", "fed-soft-better"}),
        ("run --model", "resnet", {"resnet-18", "resnet-20", "resnet-50"}),
        ("run --client", "scaff", {"scaffold"}),
        ("reproduce", "fedaware.t", {"fedaware.table2"}),
    ],
)
def test_a_shell_completes_names(words: str, incomplete: str, wanted: set[str]) -> None:
    found = completed(words, incomplete)
    assert wanted <= set(found)
    assert all(name.casefold().startswith(incomplete) for name in found)


def test_what_cannot_be_listed_completes_to_nothing() -> None:
    def broken() -> list[tuple[str, str]]:
        raise OSError("unreadable")

    command = main.get_command(main.make_context("fedverdict", ["rules"]), "check")
    assert command is not None
    (names,) = [p for p in command.params if p.name == "names"]
    assert names_of(broken)(main.make_context("fedverdict", ["rules"]), names, "") == []


def test_a_new_paper_installs_and_every_command_runs_on_it(tmp_path: Path) -> None:
    made = ended("new-paper", "drift_notes", "--title", "Drift, bounded", "--in", str(tmp_path))
    assert made.exit_code == 0, made.output
    assert f"pip install --editable {tmp_path}/drift_notes" in made.stdout
    site = tmp_path / "site"
    install = ["install", "--quiet", "--no-deps", "--target", str(site), str(tmp_path / "drift_notes")]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)
    path = os.pathsep.join(filter(None, (str(Path.cwd()), str(site), os.environ.get("PYTHONPATH"))))

    def said(*words: str) -> str:
        run = subprocess.run(
            [fedverdict(), *words],
            env={**os.environ, "PYTHONPATH": path}, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        return run.stdout

    entries = json.loads(said("check", "drift_notes", "--json", "--budget", "500"))
    assert [(e["id"], e["verdict"], e["condition"]) for e in entries] == [
        ("DN-L1", "unstated-condition", "eta <= 2/L"),
        ("DN-L2", "holds", None),
    ]
    assert all(c["killed"] for e in entries for c in e["mutants"])
    counted = said("compare", "--published", "drift_notes").splitlines()
    assert [line.partition(";")[0] for line in counted[:2]] == ["differences: none", "cells: none"]
    said("report", "pages", "--single-file", "drift_notes", "--budget", "500")
    page = (tmp_path / "pages" / "drift_notes.html").read_text(encoding="utf-8")
    for part in ("Drift, bounded", "DN-L1", "DN-L2", "η"):
        assert part in page, part


def test_a_skeleton_never_lands_on_something(tmp_path: Path) -> None:
    for name, words in {
        "efl": "there is a package or paper of that name",
        "json": "there is a package or paper of that name",
        "My-Paper": "expected a name for a Python package",
        "class": "expected a name for a Python package",
    }.items():
        said = ended("new-paper", name, "--in", str(tmp_path))
        assert said.exit_code == 2
        assert words in said.stderr
    (tmp_path / "taken").mkdir()
    said = ended("new-paper", "taken", "--in", str(tmp_path))
    assert (said.exit_code, "exists already; nothing was written" in said.stderr) == (2, True)
    assert list(tmp_path.rglob("*")) == [tmp_path / "taken"]
    assert ended("new-paper", "mine_1", "--title", 'a "b"', "--in", str(tmp_path)).exit_code == 2
    assert "NAME" not in "".join(skeleton("drift", "Drift").values()) + "".join(skeleton("drift", "Drift"))


@one_run_in(3)
def test_a_budget_may_be_processor_time(tmp_path: Path) -> None:
    said = ended("check", "EA-S2", "EA-E21d", "--budget", "3s", "--json", "--ledger", str(tmp_path))
    assert said.exit_code == 0, said.output
    proved, searched = json.loads(said.stdout)
    assert (searched["effort"], proved["effort"]) == (3.0, 0.0)  # nothing is searched for an identity
    assert searched["budget"] > 40_000  # of which one second affords no more on a slow processor
    again = ended("check", "EA-S2", "EA-E21d", "--budget", "3s", "--json", "--ledger", str(tmp_path))
    assert json.loads(again.stdout) == [proved, searched]
    for words in (("--budget", "0s"), ("--budget", "30h"), ("--budget", "5 minutes"), ("--budget", "2s", "--thorough")):
        assert ended("check", "EA-S2", *words, "--ledger", str(tmp_path)).exit_code == 2
    assert ended("report", str(tmp_path), "--budget", "2s").exit_code == 2

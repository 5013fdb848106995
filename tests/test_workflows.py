"""What runs on a push, each day and before a commit calls targets of the Makefile, and leaves no test out."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML comes with the extra docs")

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([\w-]+):", MAKEFILE, flags=re.MULTILINE))
HOOKS = ".pre-commit-config.yaml"
CALLERS = sorted(str(p.relative_to(ROOT)) for p in [*(ROOT / ".github/workflows").glob("*.yml"), ROOT / HOOKS])


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def steps(name: str) -> list[str]:
    """Every command of a workflow, or of the hooks."""
    if name == HOOKS:
        return [hook["entry"] for repo in read(name)["repos"] for hook in repo["hooks"]]
    return [step["run"] for job in read(name)["jobs"].values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("name", [*CALLERS, ".ci/run", "CONTRIBUTING.md"])
def test_every_target_that_is_called_exists(name: str) -> None:
    text = "\n".join(steps(name)) if name in CALLERS else (ROOT / name).read_text(encoding="utf-8")
    calls = re.findall(r"(?:^|`)make((?: [a-z][a-z-]*(?![\w=-]))+)", text, flags=re.MULTILINE)
    called = {target for call in calls for target in call.split()}
    assert called, name
    assert called <= TARGETS


@pytest.mark.parametrize("name", ["ci.yml", "nightly.yml"])
def test_a_workflow_does_nothing_but_call_targets(name: str) -> None:
    assert {command.partition(" ")[0] for command in steps(f".github/workflows/{name}")} == {"make"}


def test_push_pull_request_and_schedule_start_workflows() -> None:
    started = {name: set(read(f".github/workflows/{name}")[True]) for name in ("ci.yml", "nightly.yml")}  # "on" is true
    assert started == {"ci.yml": {"push", "pull_request"}, "nightly.yml": {"schedule", "workflow_dispatch"}}


def test_shards_hold_every_test_file_once() -> None:
    matrix = read(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]
    sharded: list[Path] = []
    for word in (word for words in matrix["tests"] for word in words.split()):
        found = [path for start in ROOT.glob(word) for path in (start, *start.rglob("*"))]
        assert found, word
        sharded += [path for path in found if path.match("test_*.py")]
    assert sorted(sharded) == sorted((ROOT / "tests").rglob("test_*.py"))


def test_every_python_that_is_promised_is_tried() -> None:
    matrix = read(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert matrix["python"] == ["3.11", "3.12", "3.13"]
    assert project["requires-python"] == f">={matrix['python'][0]}"


def test_hooks_and_the_workflow_run_all_of_lint() -> None:
    (parts,) = re.findall(r"^lint: (.*)$", MAKEFILE, flags=re.MULTILINE)
    expected = [f"make {part}" for part in parts.split()]
    assert steps(HOOKS) == expected
    assert [
        step["run"] for step in read(".github/workflows/ci.yml")["jobs"]["lint"]["steps"] if "run" in step
    ] == expected

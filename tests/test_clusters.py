"""The commands of the page on clusters: a job array by a stand-in for sbatch, and Ray where it is installed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deep import run
from deep.config.config import RunConfig
from tests.pages import DOCS, blocks, surroundings
from theory.rules import make_rule

PAGE = DOCS / "clusters.md"

# What Slurm does with a job array, one index after the other: the directives are read, the script runs in a copy of its
# own, away from the folder of submission, with the variables that a job has. An index given to --array comes first.
SBATCH = r"""#!/bin/bash
set -euo pipefail
array=$(sed -n 's/^#SBATCH --array=//p' "${@: -1}")
for word in "$@"; do case $word in --array=*) array=${word#--array=};; esac; done
cp "${@: -1}" "$(dirname "$0")/slurm_script"
for index in $(seq "${array%%-*}" "${array##*-}"); do
    SLURM_ARRAY_TASK_ID=$index SLURM_CPUS_PER_TASK=1 bash "$(dirname "$0")/slurm_script"
done
"""


def submitted(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The page's script through the stand-in, in a folder that has the page's files."""
    found = blocks(PAGE.read_text(encoding="utf-8"))
    around = surroundings(folder)
    tool = folder / "tools" / "sbatch"
    tool.write_text(SBATCH, encoding="utf-8")
    tool.chmod(0o755)
    (file,) = (content for language, content, _ in found if language == "toml")
    (folder / "study.toml").write_text(file, encoding="utf-8")
    (write,) = (content for language, content, _ in found if language == "sh")
    line = " ".join(["sbatch", *words, "study.sbatch"])
    return subprocess.run(
        ["bash", "-ec", f"{write}\n{line}"], check=False, capture_output=True, text=True, cwd=folder, env=around
    )


@pytest.mark.slow
def test_every_index_of_the_array_is_one_run_and_together_they_are_the_study(tmp_path: Path) -> None:
    done = submitted(tmp_path)
    assert done.returncode == 0, done.stderr
    folders = sorted(str(path.parent.relative_to(tmp_path)) for path in tmp_path.glob("runs/*/*/result.json"))
    rules = {"fed-soft-worse": "fed-soft-worse(temperature=0.5)", "proportional": "proportional"}
    assert folders == [f"runs/{rule}/seed-{seed}" for rule in rules for seed in range(3)]
    config = RunConfig(n_clients=8, n_sampled=4, n_rounds=2, seed=2)
    alone = run(config, make_rule(rules["fed-soft-worse"])).history[-1].test_accuracy
    kept = json.loads((tmp_path / "runs" / "fed-soft-worse" / "seed-2" / "result.json").read_text(encoding="utf-8"))
    assert kept["history"][-1]["test_accuracy"] == alone
    before = {path: path.read_bytes() for path in tmp_path.glob("runs/*/*/timings.jsonl")}
    assert len(before) == 6
    again = submitted(tmp_path, "--array=4")
    assert again.returncode == 0, again.stderr
    assert {path: path.read_bytes() for path in before} == before  # a run that has ended is not run again


def test_the_page_s_array_has_an_index_for_every_pair() -> None:
    (script,) = (content for language, content, _ in blocks(PAGE.read_text(encoding="utf-8")) if language == "sh")
    (last,) = re.findall(r"--array=0-(\d+)", script)
    (rules,) = re.findall(r"^rules=\((.*)\)$", script, flags=re.MULTILINE)
    (seeds,) = re.findall(r"^seeds=(\d+)$", script, flags=re.MULTILINE)
    assert int(last) + 1 == len(re.findall(r'"[^"]+"', rules)) * int(seeds)


@pytest.mark.slow
def test_the_script_for_ray_runs_on_one_machine(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    (script,) = (content for _, content, _ in blocks(PAGE.read_text(encoding="utf-8")) if "import ray" in content)
    (tmp_path / "with_ray.py").write_text(script, encoding="utf-8")
    around = {**surroundings(tmp_path), "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, "with_ray.py"], check=False, capture_output=True, text=True, cwd=tmp_path, env=around
    )
    assert done.returncode == 0, done.stderr
    said = dict(re.findall(r"^(.*): (0\.\d+)$", done.stdout, flags=re.MULTILINE))
    assert list(said) == [f"{rule}, seed {seed}" for rule in ("proportional", "uniform") for seed in range(2)]
    alone = run(RunConfig(n_clients=8, n_sampled=4, n_rounds=2, seed=1), make_rule("uniform")).history[-1].test_accuracy
    assert said["uniform, seed 1"] == f"{alone:.3f}"

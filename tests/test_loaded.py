"""Processes that begin with everything loaded have their caller's folder, words, environment and files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.loaded import fedverdict, python

CODE = """
import os, sys
sys.path.insert(0, os.environ["MINE"])
import beside
print(os.getcwd(), sys.argv[1:], beside.VALUE, sys.stdin.read(), sys.stdout.encoding)
print("said", file=sys.stderr)
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize("how", ["-c", "a script"])
def test_a_process_does_what_one_of_python_does(how: str, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("VALUE = 'é'\n", encoding="utf-8")
    (tmp_path / "script.py").write_text(CODE, encoding="utf-8")
    words = ["-c", CODE] if how == "-c" else [str(tmp_path / "script.py")]
    around = {**os.environ, "MINE": str(tmp_path), "PYTHONIOENCODING": "iso8859-1"}
    cold, loaded = (
        subprocess.run([p, *words, "3", "x y"], input=b"in", env=around, capture_output=True, check=False)
        for p in (sys.executable, python())
    )
    assert (
        (loaded.returncode, loaded.stdout, loaded.stderr)
        == (3, cold.stdout, cold.stderr)
        == (3, cold.stdout, b"said\n")
    )
    assert "é".encode("latin-1") in cold.stdout


def test_what_is_on_the_path_comes_first_and_a_fault_is_a_traceback(tmp_path: Path) -> None:
    for place, value in (("first", 1), ("second", 2)):
        (tmp_path / place).mkdir()
        (tmp_path / place / "twice.py").write_text(f"VALUE = {value}\n", encoding="utf-8")
    around = {**os.environ, "PYTHONPATH": os.pathsep.join(str(tmp_path / p) for p in ("first", "second"))}
    code = "import twice\nprint(twice.VALUE, 'torch' in __import__('sys').modules)\nraise ValueError('so')"
    for program in (sys.executable, python()):
        run = subprocess.run(
            [program, "-c", code], env=around, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert run.returncode == 1
        assert run.stdout == f"1 {program == python()}\n"
        assert run.stderr.splitlines()[0] == "Traceback (most recent call last):"
        assert run.stderr.splitlines()[1].strip() == 'File "<string>", line 3, in <module>'
        assert run.stderr.splitlines()[-1] == "ValueError: so"
    two = {**around, "PYTHONPATH": str(tmp_path / "second")}
    assert subprocess.run([python(), "-c", code], env=two, capture_output=True, text=True, check=False).stdout[0] == "2"


def test_a_command_is_the_command_and_without_torch_there_is_none() -> None:
    said = [
        subprocess.run([*line, "rules"], capture_output=True, text=True, check=True).stdout
        for line in ([python(), "-m", "validation.cli"], [fedverdict()], [fedverdict(torch=False)])
    ]
    assert "exp-alpha" in said[0]
    assert said[0] == said[1] == said[2]
    run = subprocess.run([python(torch=False), "-c", "import torch"], capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'torch'"


def test_any_other_words_start_python_itself() -> None:
    run = subprocess.run(
        [python(), "-I", "-c", "import sys; print(sys.flags.isolated)"], capture_output=True, check=True
    )
    assert run.stdout == b"1\n"
    run = subprocess.run([python(), "-"], input=b"import sys; print(sys.argv)", capture_output=True, check=True)
    assert run.stdout == b"['-']\n"


def test_a_process_that_is_killed_is_told() -> None:
    code = "import os; os.kill(os.getpid(), 9)"
    run = subprocess.run([python(), "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (1, "the process was killed\n")

"""The pages on claims: their Python runs as it stands, one block after the other; commands and words exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from validation.cli import main
from validation.judge.words import Weight
from validation.statement.roles import Role
from validation.statement.verdict import Verdict

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))
READ = (DOCS / "how_to_read_a_claim.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_blocks_of_a_page_run_one_after_the_other(page: Path, tmp_path: Path) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL))
    script = tmp_path / "page.py"
    script.write_text(code, encoding="utf-8")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_commands_of_a_page_are_known_with_their_options(page: Path) -> None:
    for name, rest in re.findall(r"fedverdict (\w+)([^`\n]*)", page.read_text(encoding="utf-8")):
        command = main.get_command(click.Context(main), name)
        assert command is not None, name
        known = {option for parameter in command.get_params(click.Context(command)) for option in parameter.opts}
        assert set(re.findall(r"--[\w-]+", rest)) <= known, name


def test_every_word_role_and_weight_is_explained() -> None:
    assert {str(v) for v in Verdict} - {"not-checked"} <= set(re.findall(r"`([a-z-]+)`", READ))
    roles = {str(r) for r in Role} - {"beside"}
    assert roles <= set(re.findall(r"^\| ([a-z ]+) \|", READ, flags=re.MULTILINE)), roles
    assert all(f"*{w}*" in READ.replace("\n", " ") for w in Weight)

"""Every test that docs/promises.md names is there, and README leads to that page."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "promises.md"
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE.read_text(encoding="utf-8"))


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_promise_names_tests_that_exist(file: str, name: str) -> None:
    found = functions_of(ROOT / file)
    assert found
    assert not name or name in found


def test_every_promise_names_a_test_and_readme_leads_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    assert len(rows) > 10
    assert all("`tests/" in row for row in rows)
    assert "docs/promises.md" in (ROOT / "README.md").read_text(encoding="utf-8")

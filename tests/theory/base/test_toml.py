"""Every reader of TOML refuses what would take it quadratic time, and names the file."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from theory.base.toml import parsed
from validation.print.agreement import load_grammars
from validation.recipe.reading import read_recipe
from validation.recipe.results import tables
from validation.report.glosses import FILE, read_glosses

ROOT = Path(__file__).parents[3]
DEEP = "rows = 1\n" + ".".join(["a"] * 30_000) + " = 1\n"


def glosses(folder: Path, text: str) -> object:
    (folder / FILE).write_text(text, encoding="utf-8")
    return read_glosses(folder)


def grammars(folder: Path, text: str) -> object:
    (folder / "spellings.toml").write_text(text, encoding="utf-8")
    return load_grammars(folder)


def recipe(folder: Path, text: str) -> object:
    (folder / "a.toml").write_text(text, encoding="utf-8")
    return read_recipe(folder / "a.toml", "paper")


def apart(folder: Path, text: str) -> object:
    (folder / "apart.toml").write_text(text, encoding="utf-8")
    return tables._entries(folder / "apart.toml", "rows", tables.Apart)


@pytest.mark.parametrize("read", [glosses, grammars, recipe, apart])
@pytest.mark.parametrize(
    ("text", "why"), [(DEEP, "a key of more than 32 parts"), (f"a = {'[' * 20_000}", "nested too deeply|recursion")]
)
def test_a_hostile_text_is_refused_at_once(
    read: Callable[[Path, str], object], text: str, why: str, tmp_path: Path
) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=rf"(?s)\.toml.*({why})"):
        read(tmp_path, text)
    assert time.process_time() - began < 2


def test_what_is_too_long_is_refused_and_dots_in_words_are_not() -> None:
    with pytest.raises(ValueError, match="more than 262,144 characters"):
        parsed("a = 1\n" * 50_000)
    assert parsed('a = "' + "b c. " * 100 + '"') == {"a": "b c. " * 100}


def test_no_other_code_reads_toml_unguarded() -> None:
    rooms = [path for room in ("theory", "deep", "validation", "paper_checks") for path in (ROOT / room).rglob("*.py")]
    found = [str(p.relative_to(ROOT)) for p in rooms if re.search(r"\btomllib\b", p.read_text(encoding="utf-8"))]
    assert found == ["theory/base/toml.py"]

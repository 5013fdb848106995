"""The page of the literature lists every statement with its title and sentence, and the sources of every file."""

from __future__ import annotations

import re
from pathlib import Path

from tests.benchmarks.literature import rows, table
from validation.papers.papers import select
from validation.statement.claim import Claim, Paper

PAGE = Path(__file__).parents[2] / "docs" / "literature.md"
TEXT = PAGE.read_text(encoding="utf-8").replace("\\*", "*")


def test_the_page_has_a_row_for_every_statement_of_the_literature() -> None:
    rows = re.findall(r"^\| (LIT-\d+) \| (.*?) \| (.*) \|$", TEXT, flags=re.MULTILINE)
    assert rows == [(c.id, c.title, c.plainly) for _, c in sorted(select(["literature"]), key=_place)]


def test_the_table_of_costs_is_that_of_the_committed_search() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")
    assert sum(len(row.lines) for row in rows()) == len(select(["literature"]))
    assert all(row.sources for row in rows())


def _place(pair: tuple[Paper, Claim]) -> int:
    return int(pair[1].id.partition("-")[2])


def test_the_page_names_the_sources_of_every_file() -> None:
    text = " ".join(TEXT.split())
    folder = Path(select(["literature"])[0][0].folder)
    found = [re.search(r"Source: (.*?)\"\"\"", f.read_text(encoding="utf-8"), re.DOTALL) for f in folder.rglob("*.py")]
    sources = [" ".join(one[1].split()) for one in found if one]
    assert len(sources) == 23
    assert [one for one in sources if one not in text] == []

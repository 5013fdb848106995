"""`python -m tests.benchmarks.literature`: by file of the literature its statements, words, lines and minutes.

Words and minutes (of processor time) are those of the committed search; lines are those of the statements themselves,
and of a whole file.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from validation.ledger.ledger import load_entries

__all__ = ["Row", "rows", "table"]

_FOLDER = Path(__file__).parents[2] / "paper_checks" / "literature"
_ID = re.compile(r"LIT-\d+")


@dataclass(frozen=True)
class Row:
    """One file of statements.

    `lines`: of each statement, in their order; `file_lines`: of the file, worlds and imports included; `seconds`: of
    processor time for readings and false twins together.
    """

    about: str
    sources: str
    words: Counter[str]
    lines: tuple[int, ...]
    file_lines: int
    seconds: float


def rows() -> list[Row]:
    """Each file that has statements, in the order of their numbers."""
    entries = {entry.id: entry for entry in load_entries(_FOLDER / "ledger.json")}
    found = []
    for file in sorted(_FOLDER.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        lengths = dict(_statements(tree))
        if not lengths:
            continue
        doc = " ".join((ast.get_docstring(tree) or "").split())
        about, _, sources = doc.partition(" Source: ")
        own = [entries[claim_id] for claim_id in lengths]
        words = Counter(str(entry.verdict) for entry in own)
        first = min(int(claim_id.partition("-")[2]) for claim_id in lengths)
        row = Row(about, sources, words, tuple(lengths.values()), len(text.splitlines()), sum(e.seconds for e in own))
        found.append((first, row))
    return [row for _, row in sorted(found, key=lambda item: item[0])]


def _statements(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """(id, lines) of each call that states a claim."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
            continue
        name = node.args[0].value
        if isinstance(name, str) and _ID.fullmatch(name):
            yield name, (node.end_lineno or node.lineno) - node.lineno + 1


def table() -> str:
    """The rows and their sum as Markdown."""
    found = rows()
    lines = [
        "| statements on | number | words | lines each, median | lines of the file | minutes |",
        "|---|---|---|---|---|---|",
    ]
    for row in found:
        words = ", ".join(f"{n} {word}" for word, n in sorted(row.words.items()))
        each = f"{median(row.lines):g}"
        about = row.about.partition(":")[0].rstrip(".")
        lines.append(f"| {about} | {len(row.lines)} | {words} | {each} | {row.file_lines} | {row.seconds / 60:.2f} |")
    every = [n for row in found for n in row.lines]
    words = ", ".join(f"{n} {word}" for word, n in sorted(sum((row.words for row in found), Counter()).items()))
    minutes = sum(row.seconds for row in found) / 60
    whole = sum(row.file_lines for row in found)
    lines.append(f"| **all** | {len(every)} | {words} | {median(every):g} | {whole} | {minutes:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())

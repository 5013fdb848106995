"""Published tables: typed rows, exact cells, and clear words for damaged files."""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy as sp

from validation import Comparison, load_table, symbols
from validation.claim import Relation
from validation.engine import run_test
from validation.published import decide
from validation.verdict import Verdict

TABLE = "method,dataset,value,delta\nA,d,1.10,+0.30\nB,d,0.80,\nA,e,2.5e3,-1\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    return file


def test_cells_keep_every_printed_digit(path: Path) -> None:
    table = load_table(path)
    assert table.cell(method="A", dataset="d").value == "1.10"
    assert table.cell("delta", method="A", dataset="d").value == "0.30"
    assert table.cell(method="A", dataset="e").value == "2.5e3"
    assert table.values("method") == ("A", "B")


def test_cells_that_are_missing_ambiguous_or_empty_are_errors(path: Path) -> None:
    table = load_table(path)
    with pytest.raises(LookupError, match="2 rows match"):
        table.cell(method="A")
    with pytest.raises(LookupError, match="0 rows match"):
        table.cell(method="C")
    with pytest.raises(ValueError, match="expected a decimal"):
        table.cell("delta", method="B")


def test_damaged_files_name_themselves(path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.csv"):
        load_table(path.with_name("missing.csv"))
    path.write_text(TABLE[:-6])
    with pytest.raises(ValueError, match=r"table.csv, line 4.*truncated"):
        load_table(path)
    path.write_text("method,value\n")
    with pytest.raises(ValueError, match="no rows"):
        load_table(path)


def test_comparisons_are_exact(path: Path) -> None:
    a, b = symbols("a b")
    table = load_table(path)
    cells = {"a": table.cell(method="A", dataset="d"), "b": table.cell(method="B", dataset="d")}
    exact = Comparison("1.10 − 0.80 = 0.30", a - b, "==", sp.Rational(3, 10), cells)
    assert decide(exact)  # in floats it is false
    assert not decide(Comparison("", a - b, "<", sp.Rational(3, 10), cells))
    assert decide(Comparison("", a - b, "<=", sp.Rational(3, 10), cells))


def test_relations_without_numbers_need_a_run() -> None:
    relation = Relation(tuple, needs_run="Figure 2 carries no numbers")
    outcome = run_test(relation, claim_id="X", name="x", budget=100, seed=0)
    assert outcome.verdict is Verdict.NEEDS_RUN

"""Published tables: typed rows, exact cells, and clear words for damaged files."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from validation import Comparison, load_table, symbols
from validation.judge.run import run_test
from validation.published.relations import (
    Quantity,
    agree,
    below,
    constant,
    count,
    difference_is,
    equal,
    mean,
    number,
    quoted,
    ranked,
    reverse,
    rival,
    sign,
    significant,
    spread,
)
from validation.published.tables import Printed, Schema, Table, decide, evaluate
from validation.statement.bound import exact_value
from validation.statement.claim import Cell, Relation
from validation.statement.verdict import Verdict

TABLE = "method,dataset,value,delta\nA,d,1.10,+0.30\nB,d,0.80,\nA,e,2.5e3,-1\n"
TYPED = "method,E,value,std,unit,bold\nA,20,55.10,0.30,percent,1\nB,20,43.33,,rounds,0\n"
SCHEMA = Schema.of("method E:count value:value std:interval unit bold:flag", key="method E", interval="std")


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


def test_typed_cells_know_interval_digits_and_place(path: Path) -> None:
    path.write_text(TYPED)
    table = load_table(path, SCHEMA)
    cell = table.printed(method="A")
    assert (cell.text, cell.interval, cell.decimals, cell.half_unit) == ("55.10", "0.30", 2, Fraction(1, 200))
    assert (cell.table, cell.row, cell.column) == ("table", "A, 20", "value")
    assert cell.where == "table: A, 20"
    assert table.printed("std", method="A").where == "table: A, 20 [std]"
    assert table.printed(method="B").interval is None
    assert cell.cell == Cell("55.10", "table: A, 20")


@pytest.mark.parametrize(
    ("text", "half_unit"),
    [("41", "1/2"), ("4.526e3", "1/2"), ("3.26e8", "500000"), ("0.4", "1/20"), ("-1.50", "1/200")],
)
def test_half_a_unit_in_the_last_printed_digit(text: str, half_unit: str) -> None:
    assert Printed(text, "t", "r").half_unit == Fraction(half_unit)


@pytest.mark.parametrize(
    ("changed", "to", "words"),
    [
        ("55.10", "55,10", "the header; truncated file"),
        ("55.10", "n/a", r"line 2: column 'value' is 'n/a'; expected a decimal number"),
        ("55.10", "", r"line 2: column 'value' is ''; expected a decimal number"),
        ("55.10", "155.10", r"line 2: column 'value' is '155.10'; .* within 0 and 100, since its unit is percent"),
        ("0.30", "-0.30", r"line 2: column 'std' is '-0.30'; expected a half width"),
        ("43.33", "43.3333333", r"line 3: column 'value' .* at most 6 decimals"),
        ("A,20", "A,2.5", r"line 2: column 'E' is '2.5'; expected a whole number"),
        ("percent,1", "percent,yes", r"line 2: column 'bold' is 'yes'; expected 0 or 1"),
        ("B,20", "A,20", r"line 3: repeats the key \('A', '20'\) of line 2"),
        ("unit,bold", "unit,fat", r"table.csv: unknown column 'fat'; expected method, E"),
        ("std,unit", "unit,unit", r"table.csv: no column std"),
    ],
)
def test_every_entry_is_checked_at_the_door(path: Path, changed: str, to: str, words: str) -> None:
    path.write_text(TYPED.replace(changed, to))
    with pytest.raises(ValueError, match=words):
        load_table(path, SCHEMA)


def test_a_schema_without_its_key_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Schema.of\(key='model'\): no column model"):
        Schema.of("method value:value", key="model")


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


DECIMALS = st.decimals(min_value="0.01", max_value="99.99", places=2).map(str)


def cells(*texts: str) -> list[Quantity]:
    return [number(Printed(text, "t", f"row {i}")) for i, text in enumerate(texts)]


@given(st.lists(DECIMALS, min_size=2, max_size=8))
def test_arithmetic_agrees_with_fractions(texts: list[str]) -> None:
    values, printed = [Fraction(t) for t in texts], cells(*texts)
    assert mean(printed).value == sum(values, Fraction(0)) / len(values)
    assert (printed[0] / printed[1] - 1).value == values[0] / values[1] - 1
    assert abs(printed[0] - printed[1]).value == abs(values[0] - values[1])
    assert spread(printed).value == max(values) - min(values)
    assert rival(printed, largest=False).value == min(values)
    assert ranked(printed, 2).value == sorted(values)[1]
    assert count(q - printed[0] for q in printed).value == sum(v > values[0] for v in values)
    assert sign(printed[0] - printed[1]).value == (values[0] > values[1]) - (values[0] < values[1])


@given(st.lists(DECIMALS, min_size=2, max_size=8), st.data())
def test_what_is_ranked_keeps_all_that_was_put_in_order(texts: list[str], data: st.DataObject) -> None:
    printed = cells(*texts)
    place = data.draw(st.integers(1, len(texts)))
    found = ranked(printed, place)
    (ranking,) = found.rankings
    assert [row.source for row in ranking.rows] == [q.source for q in printed]
    chosen = ranking.rows[ranking.chosen]
    assert (ranking.place, chosen.source) == (place, found.source)
    (cell,) = chosen.cells.values()
    assert sum(Fraction(t) < Fraction(cell.value) for t in texts) < place
    assert place <= sum(Fraction(t) <= Fraction(cell.value) for t in texts)
    # Whatever is made of it keeps why it was this one, each once.
    for made in (abs(found - 1) * 2, mean([found, found]), sign(found), found.named("x")):
        assert made.rankings == (ranking,)
    assert below(found, constant(1)).rankings == significant(found, constant(1), constant(1)).rankings == (ranking,)
    assert reverse((below(found, constant(1)),))[0].rankings == (ranking,)


def test_an_order_of_orders_keeps_the_inner_ones_first() -> None:
    a, b, c, d = cells("1", "2", "3", "4")
    outer = rival([rival([a, b]), rival([c, d], largest=False)])
    assert [(r.place, len(r.rows)) for r in outer.rankings] == [(2, 2), (1, 2), (2, 2)]
    assert outer.rankings[-1].rows[1].source == c.source
    assert [len(r.rows) for r in spread([a, b, c]).rankings] == [3, 3]


@settings(max_examples=25)  # sympy takes a tenth of a second each
@given(DECIMALS, DECIMALS, DECIMALS)
def test_fast_evaluation_is_that_of_sympy(a: str, b: str, c: str) -> None:
    x, y, z = cells(a, b, c)
    expression = abs(x - y) * z / (x + 1)
    values = {n: Fraction(cell.value) for n, cell in expression.cells.items()}
    for source in (expression.source, expression.low, expression.high):
        assert evaluate(source, values) == exact_value(source, values)


@given(DECIMALS, DECIMALS, st.integers(-3, 3))
def test_differences_hold_up_to_rounding(a: str, b: str, units: int) -> None:
    """|a − b − d| is at most three half units, one for each printed number."""
    x, y = cells(a, b)
    printed = number(Printed(str(Decimal(a) - Decimal(b) + units * Decimal("0.01")), "t", "difference"))
    assert all(map(decide, difference_is(x - y, printed))) == (abs(units) <= 1)
    assert decide(equal(x - y, printed)) == (units == 0)


@given(DECIMALS, DECIMALS)
def test_low_and_high_enclose_what_may_have_been_rounded(a: str, b: str) -> None:
    x, y = cells(a, b)
    half = Fraction(1, 200)
    for q, f in ((x - y, lambda s, t: s - t), (x * y, lambda s, t: s * t), (abs(x - y), lambda s, t: abs(s - t))):
        values = {n: Fraction(cell.value) for n, cell in q.cells.items()}
        corners = [f(Fraction(a) + s * half, Fraction(b) + t * half) for s in (-1, 0, 1) for t in (-1, 0, 1)]
        assert evaluate(q.low, values) <= min(corners)
        assert max(corners) <= evaluate(q.high, values)


def test_stated_numbers_agree_within_half_a_unit() -> None:
    stated = number(Printed("12", "text", "12%"))
    assert all(map(decide, agree(constant("12.02"), stated)))
    assert all(map(decide, agree(constant("11.5"), stated)))
    assert not all(map(decide, agree(constant("12.51"), stated)))


@pytest.mark.parametrize(("gap", "holds"), [("2.01", True), ("2", False), ("-3", False)])
def test_significance_is_beyond_the_standard_errors(gap: str, holds: bool) -> None:
    assert decide(significant(constant(1), constant(1) + constant(gap), constant(1))) is holds


def test_a_reversed_order_fails_where_the_order_holds() -> None:
    a, b = cells("1", "2")
    assert decide(below(a, b))
    assert not any(map(decide, reverse((below(a, b),))))
    assert not decide(below(a, a))
    assert decide(below(a, a, strict=False))


def test_two_cells_of_one_name_are_an_error() -> None:
    with pytest.raises(ValueError, match="names both"):
        number(Printed("1", "t", "q=1")) + number(Printed("1", "t", "q 1"))


def test_quotations_are_latex() -> None:
    assert quoted("12% of {a_b}") == r"\text{«12}\%\text{ of }\{\text{a}\_\text{b}\}\text{»}"


_ENTRIES = st.sampled_from(["a", "b", ""])


@given(
    rows=st.lists(st.fixed_dictionaries({"x": _ENTRIES, "y": _ENTRIES, "n": st.sampled_from("0123")}), max_size=12),
    wanted=st.lists(st.dictionaries(st.sampled_from(["x", "y", "z"]), _ENTRIES), min_size=1, max_size=4),
)
def test_rows_are_found_as_by_looking_at_each(rows: list[dict[str, str]], wanted: list[dict[str, str]]) -> None:
    table = Table("drawn", tuple(rows))
    for where in wanted:
        there = [row for row in rows if all(row.get(key) == value for key, value in where.items())]
        assert table.values("n", **where) == tuple(dict.fromkeys(row["n"] for row in there))
        if len(there) == 1:
            assert table.row(**where) is there[0]
        else:
            with pytest.raises(LookupError, match=f"drawn: {len(there)} rows match"):
                table.row(**where)

"""Words, formulas and names that are odd: shown, run or refused by name, never in more than linear time."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from validation import Bound, Case, Claim, Inequality, LogScale, Mutant, Paper, Space, find_counterexample, recomputed
from validation.commands.claims.explain import explain
from validation.commands.tables import print_verdicts
from validation.cost.limits import Limits, within
from validation.job.job import check_claims
from validation.ledger.ledger import Ledger, load_entries
from validation.report import Report, render
from validation.report.text.mathml import mathml, prose
from validation.script.printed_relation import comparison_script
from validation.script.script import file_name, identity_script, inequality_script, literal
from validation.statement.bound import identifier, python_source
from validation.statement.claim import Cell, Comparison, ExactCheck, Identity, Kind, Reading
from validation.statement.outcome import Witness
from validation.verdict.gate import fault

PIECES = (
    *(
        "x",
        "a_{i}",
        r"\frac",
        r"\frac{a}{b}",
        "{",
        "}",
        "\\",
        "\\\\",
        "&",
        "^",
        "_",
        "'",
        "$",
        "%",
        "#",
        "<",
        '"',
        "\0",
    ),
    *(r"\text{", r"\mathrm{ab}", r"\left(", r"\right)", r"\begin{aligned}", r"\end{aligned}", r"\operatorname{arg"),
    *(r"\sqrt", r"\limits", r"\eqref{", r"\label{", r"\xi", r"\Nabla", "κ", "√", "\ud800", "😀", " ", "\n", "1", "."),
)


@pytest.mark.parametrize("piece", PIECES)
def test_a_hundred_thousand_characters_take_linear_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    begun = time.process_time()
    mathml(text)
    prose(text)
    assert time.process_time() - begun < 10  # tens of seconds where it was quadratic, as that of unclosed braces


LATEX = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join)


def drawn(text: str) -> None:
    """What is drawn is well formed and runs nothing, whatever the text."""
    for found in (mathml(text), mathml(text, block=False), prose(text)):
        plain = "".join(c if c.isprintable() or c in "\n\t" else "?" for c in found)
        names = {node.tag for node in ElementTree.fromstring(f"<p>{plain}</p>").iter()}
        assert not names & {"script", "img", "a", "iframe", "style"}


@given(LATEX)
@settings(max_examples=150)
def test_any_latex_is_drawn_or_shown(text: str) -> None:
    drawn(text)


@pytest.mark.exhaustive
@given(LATEX)
@settings(max_examples=20_000, derandomize=False)
def test_any_latex_is_drawn_or_shown_at_length(text: str) -> None:
    drawn(text)


def fraction_of(x: Any) -> Any:
    return {"c > 0": x["c"] > 0}, {"lhs": x["c"], "c": x["c"]}


C = sp.Symbol("c", positive=True)
CASE = Case("one", Space((LogScale("c", 1e-2, 1e2),)), lambda x: {"lhs": x["c"], "c": x["c"]}, ExactCheck(fraction_of))
WORDS = (
    *('a """ b', '"""', '""""', "'''", '"', 'ends with "', "back\\slash", "\\xi \\Nabla \\N{x} \\u12", "ends \\"),
    *("{title} {0}", "x\0y", "a\r\nb\x0cc", "\ud800", "# no comment", '"""\nimport os; os._exit(7)\n"""', "−√κ"),
)


@pytest.mark.parametrize("words", WORDS)
def test_scripts_survive_any_words(words: str) -> None:
    witness = Witness(CASE, {"c": Fraction(1)}, Fraction(1), Fraction(1, 2), "corners", 1.0)
    symbol = sp.Symbol("x")
    cell = Cell("2", words)
    scripts = (
        inequality_script(words, words, words, Bound(C / 2), witness),
        identity_script(words, words, Identity(symbol, 2 * symbol), {"x": Fraction(1)}),
        comparison_script(words, words, Comparison(words, "x", "<", "1", {"x": cell})),
    )
    with within(Limits(recheck_seconds=20)):
        assert [fault(source) for source in scripts] == [None] * 3


NAMES = (
    "lambda",
    "L_{1}",
    "max",
    "Fraction",
    "constants",
    "hypotheses",
    "lhs_",
    "float",
    "µ",
    "κ",
    "1x",
    "a b",
    "'",
    "",
)


@pytest.mark.parametrize("name", NAMES[:-1])
def test_symbols_of_any_name_are_rechecked_and_scripted(name: str) -> None:
    symbol = sp.Symbol(name, positive=True)

    def sides(x: Any) -> Any:
        return {"lhs": x["c"], name: x["c"]}

    space = Space((LogScale("c", 1e-2, 1e2),))
    found = find_counterexample(
        Inequality(Bound(symbol / 2), (Case("one", space, sides, recomputed(sides)),)), budget=200
    )
    assert found is not None
    assert found.lhs == 2 * found.rhs
    script = identity_script("A", "r", Identity(symbol, 2 * symbol), {name: Fraction(1)})
    assert fault(script) is None


def test_no_two_symbols_share_a_python_name() -> None:
    names = [*NAMES, "lambda_", "lambda__", "max_", "L_1", "L{1}", "L1", "μ", "x1"]
    assert len({identifier(n) for n in names}) == len(names)
    assert all(identifier(n).isidentifier() for n in names)
    assert python_source(sp.Symbol("lambda") * sp.Symbol("L_{1}")).isascii()


def test_numbers_of_any_length_are_written_and_sides_beyond_floats_are_printed() -> None:
    huge = Fraction(10**5000 + 1, 3)
    assert eval(literal([huge]), {"Fraction": Fraction}) == [huge]
    assert literal(Fraction(1, 3)) == "Fraction(1, 3)"
    witness = Witness(CASE, {"c": huge}, huge, huge / 2, "corners", 1.0)
    assert fault(inequality_script("A", "r", "", Bound(C / 2), witness)) is None


@pytest.mark.parametrize("power", [400, 5000, -5000])
def test_a_violation_between_sides_that_no_float_holds_is_refuted_explained_and_on_the_page(
    power: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def exactly(x: Any) -> Any:
        return {}, {"lhs": x["c"] * Fraction(10) ** power, "c": x["c"] * Fraction(10) ** power}

    def beyond(x: Any) -> Any:
        side = x["c"] * (np.inf if power > 0 else 0.0)
        return {"lhs": side, "c": side}

    case = Case("one", CASE.space, beyond, ExactCheck(exactly, standalone=False))
    half, quarter = (Inequality(Bound(C / n), (case,)) for n in (2, 4))
    reading, mutant = Reading("as stated", "", half), Mutant("quarter", quarter, "c > c/4")
    claim = Claim("A", Kind.INEQUALITY, "", "A", "", "", (), (reading,), (mutant,))
    paper, ledger = Paper("ours", "", tmp_path, (claim,)), Ledger(tmp_path)
    list(check_claims([(paper, claim)], budget=200, seed=0, ledger=ledger))
    ledger.derive(["A"])
    (entry,) = load_entries(tmp_path / "ledger.json")
    explain(entry, "", tmp_path)
    print_verdicts([entry], tmp_path)
    assert "verdict: refuted" in capsys.readouterr().out
    render(Report([entry.json()], meta={"papers": {"ours": "Ours"}}), tmp_path / "report")
    assert "refuted" in (tmp_path / "report" / "claims" / "A.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("words", ["../../x", "A/B", "A\\B", "\0", "", ".", "a" * 300, "Ä", "-"])
def test_file_names_are_plain_short_and_told_apart(words: str) -> None:
    name = file_name(words)
    assert name.replace("-", "").replace(".", "").replace("_", "").isalnum()
    assert len(name) < 90
    assert name != words
    assert not name.startswith(".")


def test_a_formula_too_long_to_draw_is_shown_and_runs_nothing() -> None:
    drawn("<script>alert(1)</script>" * 2000)
    assert mathml("x" * 20_000) == f'<code class="latex">{"x" * 20_000}</code>'

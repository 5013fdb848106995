"""Numbers in texts: which count as values, which are checked, and where the page shows an instance instead."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.validation.report.test_report import claim as entry_of
from tests.validation.report.test_report import of_claim
from validation import Uniform
from validation.papers.witnesses import TIGHT, Stored, in_words, written
from validation.report.claims.checked_numbers import known_numbers, texts
from validation.report.text.arithmetic import worked_out
from validation.report.text.numerals import numerals
from validation.statement.claim import Claim, Paper
from validation.statement.instances.at import at
from validation.statement.notation import Notation, Quantity
from validation.statement.says import le
from validation.world import lemma, mutant
from validation.world.world import numbers

N = Notation((Quantity("x", "x", "a length", positive=True), Quantity("y", "y", "another")))
x, y = N.symbols("x y")
SQUARE = numbers(N, "x and y", Uniform("x", 1, 3), Uniform("y", -2, 2), where=(le(y, x),))


def made(why: str, **more: Any) -> Claim:
    given: dict[str, Any] = {"printed": "", "plainly": "p", "says": le(y, x), "world": SQUARE, "verdict": "", **more}
    return lemma("X-1", "1", "t", mutants=[mutant("half", le(y, x / 2), why)], **given)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("at x = 1/2 falls, 3 against 2.5", ["1/2", "3", "2.5"]),
        ("17 of 18 cases, 4% and −0.81, 12,345 draws", ["17", "18", "4", "−0.81", "12,345"]),
        ("the gap is 2.5×10⁻³", ["2.5×10⁻³"]),
        ("«Figure 1: 3 of 4» and 2Lη² with 1/(4L), (1 − 3ημ)² <= 7, 8L/μ − 1", []),
        ("E >= 8 makes θ < 3, as in (23), [4], Lemmas 2 and 3, Table 12, §3, EA-S1, A.9 and K29 (2019)", []),
        ("two clients, 0 against 1", []),
        ("γ = 8L/μ, but γ = 4", ["4"]),
        ("0/0 has no value", []),
        ("59.03/57.47 − 1", ["59.03", "57.47"]),
        ("falls by 1 − 19.67/22.33 = 11.9%", ["−19.67", "22.33", "11.9"]),
        ("(100 − 64.60)/10 = 3.54 and 2 × 87/(3 × 1024) = 6%", ["−64.60", "3.54", "87", "1024", "6"]),
    ],
)
def test_values_count_and_formulas_references_and_quotations_do_not(text: str, found: list[str]) -> None:
    assert [one.text for one in numerals(text)] == found


def test_a_number_says_what_would_be_written_so() -> None:
    (rounded, exact) = numerals("0.56 or 5/9")
    assert rounded.says(Fraction(5, 9))
    assert not rounded.says(Fraction(57, 100))
    assert exact.says(Fraction(-5, 9))
    assert not exact.says(Fraction(56, 100))


def test_arithmetic_that_a_text_prints_is_worked_out() -> None:
    (share, per_cent) = worked_out("they fall by 12.3%, 1 − 19.67/22.33 = 11.9% and more")
    assert float(share) == pytest.approx(1 - 19.67 / 22.33)
    (said,) = [one for one in numerals("by 1 − 19.67/22.33 = 11.9%") if one.text == "11.9"]
    (wrong,) = [one for one in numerals("by 1 − 19.67/22.33 = 12.3%") if one.text == "12.3"]
    assert said.says(per_cent)
    assert not wrong.says(per_cent)
    root, _ = worked_out("below √(0.32² + 0.35²) = 0.47")
    assert float(root) == pytest.approx(0.4743, abs=1e-4)
    assert [*worked_out("E = 3, γ = 8L/μ − 1 = 7 and 1/0 − 1 = 2")] == []


def test_a_number_is_known_by_the_instance_and_no_longer_once_that_is_another() -> None:
    one = made("so, 3 against 3/2")
    (why,) = (text for where, text in texts(one) if where == "mutant")
    known = known_numbers(one, None, {"half": Stored(at(x=3, y=3), ("3", "3/2"))})
    assert all(any(map(n.says, known)) for n in numerals(why))
    other = known_numbers(one, None, {"half": Stored(at(x=2, y=2), ("2", "1"))})
    assert not any(any(map(n.says, other)) for n in numerals(why))


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_page_names_the_instance_of_a_mutant_and_of_tightness(tmp_path: Path) -> None:
    held = {"X-1": {"half": Stored(at(x=3, y=3), ("3", "3/2")), TIGHT: Stored(at(x=1, y=1), ("1", "1"))}}
    (tmp_path / "witnesses.toml").write_text(written(held), encoding="utf-8")
    paper = Paper("p", "P", tmp_path, (made("so", tight="y = x"),))
    shown = in_words(paper)
    assert shown["X-1"]["half"] == "x = 3, y = 3; left side 3, right side 3/2"
    row = {"name": "half", "false_since": "so", "killed": True, "stage": "corners"}
    fields = entry_of("X-1", "p", "inequality", "holds", mutants=[row], tight="y = x")
    page = of_claim(fields, tmp_path / "out", instances=shown)
    text = plain(page.html)
    assert "at this instance x = 3, y = 3; left side 3, right side 3/2" in text
    assert "An instance at which both sides agree: x = 1, y = 1; both sides are 1" in text
    assert "at this instance" not in plain(of_claim(fields, tmp_path / "without").html)

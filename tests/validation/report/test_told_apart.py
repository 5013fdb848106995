"""Pictures and tables keep apart what differs: terms and sides, rounding and ratios, families and their sizes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from validation.report.claims.answer import along_words
from validation.report.claims.claims import Claim, read_claims
from validation.report.counterexample.along import along, letter_of_size
from validation.report.counterexample.instance import exact_text, run_script
from validation.report.counterexample.picture import course_of, drawings_of
from validation.report.pages import claim_pages, papers
from validation.report.text.letters import Letters
from validation.report.text.mathml import prose
from validation.study.courses import Course, Moment

SOURCE = "lhs, rhs = 3, 2\nraise SystemExit(0)"
FAMILY = '''
from fractions import Fraction


def family(T, K):
    """Two clients that stay."""
    return Fraction(T, 8), Fraction(1)


confirmed = True
for n in map(Fraction, [4, 8, 16, 32]):
    *sides, claimed = map(Fraction, family(T=n, K=Fraction(2)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = %s
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
'''


def _claim(**more: Any) -> Claim:
    return read_claims([{"id": "X-1", "paper": "x", "verdict": "refuted", **more}])[0]


def _drawn(*terms: float) -> str:
    found = run_script(SOURCE)
    assert found is not None
    moments = tuple(Moment(t, 3.0, 2.0, (2.0 - sum(terms), *terms)) for t in range(1, 6))
    made = course_of(found, SOURCE, Course("rounds", moments))
    assert made is not None
    return f"{made.says} {made.svg}"


def test_a_term_that_would_dwarf_both_sides_is_not_drawn() -> None:
    plain, dwarfing = _drawn(1.0), _drawn(-1000.0)
    assert ">term 2</text>" in plain
    assert "left out" not in plain
    assert ">term 2</text>" not in dwarfing
    assert "Term 1 and term 2 would dwarf both sides and are left out." in dwarfing


def test_a_family_is_shown_at_the_first_size_that_tells() -> None:
    found = along(FAMILY % "Fraction(n, 8)", Letters())
    assert found is not None
    assert (found.n, found.size, found.exact, found.says) == (16, "T = n = 16", True, "Two clients that stay.")
    assert found.rows[-1] == ("its closed form", "2")
    assert found.letter == "T = n"
    assert found.table == ((16, 2, 1, 2), (32, 4, 1, 4))
    below = along(FAMILY % "Fraction(n, 16)", Letters())
    assert below is not None
    assert (below.exact, below.rows[-1]) == (False, ("closed form below it", "1"))
    small = along((FAMILY % "Fraction(n, 8)").replace("Fraction(T, 8)", "Fraction(T, 800)"), Letters())
    assert small is not None
    assert small.n == 4  # no size tells
    assert [row[0] for row in small.table] == [4, 8, 16, 32]


@pytest.mark.parametrize(
    ("form", "why", "said"),
    [
        ("Fraction(n, 8)", "interpolated, exact at all 4 points", "is exactly T/8"),
        ("Fraction(n, 8)", "", "is at least T/8"),
        ("Fraction(n, 16)", "interpolated, exact at all 4 points", "is at least T/8"),
    ],
)
def test_a_form_is_the_quotient_where_it_was_interpolated_and_agrees(form: str, why: str, said: str) -> None:
    source = FAMILY % form
    reading = {"name": "r", "verdict": "refuted", "counterexample_source": source}
    reading["why"] = f"along a family, lhs/claimed is at least n/8, which grows; confirmed ({why})"
    claim = _claim(counterexample_source=source, readings=[reading])
    assert letter_of_size(source) == "T"
    assert said in along_words(claim)


def test_a_quotient_that_is_its_form_is_one_line() -> None:
    equal, below = (run_script(FAMILY % form) for form in ("Fraction(n, 8)", "Fraction(n, 16)"))
    assert equal is not None
    assert below is not None
    assert "form below" not in drawings_of(equal)[-1].svg
    assert "form below" in drawings_of(below)[-1].svg


def test_rounding_above_the_largest_exact_ratio_is_not_drawn() -> None:
    growth = [[1, 0.5], [10, 1.0000018]]
    row = {"name": "r", "worst_ratio": 1.0, "growth": growth}
    (page,) = claim_pages(papers([_claim(verdict="holds", readings=[{**row, "verdict": "holds"}])], {}))
    assert "1.8×10" not in f"{page.pictures[0].growth}{page.pictures[0].words}"
    (page,) = claim_pages(papers([_claim(readings=[{**row, "verdict": "refuted"}])], {}))
    assert "1.8×10" in f"{page.pictures[0].growth}{page.pictures[0].words}"


def test_every_script_has_a_file_to_download() -> None:
    read = {
        "name": "r",
        "verdict": "refuted",
        "counterexample_source": SOURCE,
        "counterexample": "counterexamples/X-1.py",
    }
    beside = {"name": "b", "verdict": "refuted", "counterexample_source": SOURCE + "\n# another", "as_printed": False}
    more = {"counterexample_source": SOURCE, "counterexample": "counterexamples/X-1.py"}
    (page,) = claim_pages(papers([_claim(readings=[read, beside], **more)], {}))
    assert [script.path for script in page.scripts] == ["counterexamples/X-1.py", "counterexamples/X-1-reading2.py"]


def test_numbers_have_one_format_and_letters_their_indices() -> None:
    assert exact_text(Fraction(-290400)) == "−290\u202f400"
    assert exact_text(Fraction(2000)) == "2000"
    assert (
        prose("on 27,306 instances, d of 1,2,3 and (1,000)") == "on 27\u202f306 instances, d of 1,2,3 and (1\u202f000)"
    )
    assert prose("Kσ_l² and p_τᵏ, W_D(1 − C), noise +-sigma") == (
        "Kσ<sub>l</sub>² and p<sub>τ</sub>ᵏ, W<sub>D</sub>(1 − C), noise ±σ"
    )

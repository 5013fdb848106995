"""How the instance shown stands to what holds in place of the print: what it breaks, or its sides there, computed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.committed import committed
from tests.validation.report.test_at_instance import PAPERS, every, shown_of
from validation.judge.entry import Entry
from validation.papers.repaired import Look, OfShown, of_shown
from validation.report.claims.apart import apart
from validation.report.counterexample.conditions import condition_of, signs_of, value_of_formula
from validation.report.counterexample.constants import Constant

VALUES = {"A": Fraction(32), "C": Fraction(0), "W_D": Fraction(1, 2), "η": Fraction(1, 4), "ρ̄": Fraction(3)}


def looks(key: str, claim_id: str) -> dict[str, OfShown]:
    entry = next(e for e in committed(PAPERS[key]) if e.id == claim_id)
    return of_shown(entry, next(c for c in PAPERS[key].claims if c.id == claim_id))


@every
def test_every_claim_that_falls_and_has_a_repair_says_how_its_instance_stands_to_it(key: str) -> None:
    entries = {entry.id: entry for entry in committed(PAPERS[key])}
    claims = {claim.id: claim for claim in PAPERS[key].claims}
    for claim, made, _ in shown_of(key):
        if (
            not claim.mended
            or made.form == "printed numbers"
            or claim.verdict.word not in {"refuted", "unstated-condition"}
        ):
            continue
        told = apart(claim, made, of_shown(entries[claim.id], claims[claim.id]))
        assert told.keys() == {found.kind for found in claim.mended}, claim.id
        assert all(said.endswith(".") and "instance shown" in said for said in told.values()), claim.id


def test_the_corrected_bound_of_fedssa_says_nothing_of_the_instance_shown() -> None:
    claim, made, _ = next(one for one in shown_of("fedssa") if one[0].id == "SSA-TA5")
    told = apart(claim, made, looks("fedssa", "SSA-TA5"))
    assert told == {
        "edit": "The instance shown is not covered: 1 − C − 2AC − A·W_D(1 − C) is −15 there, which is not more than 0."
    }
    smaller = tuple(Constant(c.name, c.latex, c.says, "", Fraction(1)) if c.name == "A" else c for c in made.constants)
    condition = "1 − C − 2AC − A·W_D(1 − C) > 0"
    found = condition_of(condition, signs_of(smaller))
    assert found is not None
    assert found.met
    assert found.values == (Fraction(1, 2), 0)


def test_a_choice_is_told_by_both_numbers_and_an_edit_by_both_sides() -> None:
    claim, made, _ = next(one for one in shown_of("exp_alpha") if one[0].id == "EA-T1")
    told = apart(claim, made, looks("exp_alpha", "EA-T1"))
    said = "the instance has γ = 1, and max{8L/μ, E} − 1 is 7."
    assert told == {"condition": f"The instance shown is not covered: {said}"}
    claim, made, _ = next(one for one in shown_of("robust_aggregation") if one[0].id == "RA-C1")
    found = looks("robust_aggregation", "RA-C1")
    assert found["condition"].look is Look.OTHER_CHOICE
    assert found["condition"].sides is None
    left, right = found["edit"].sides or (None, None)
    assert made.left is not None
    assert left == made.left.value
    assert right is not None
    assert left <= right
    told = apart(claim, made, found)
    assert told["edit"].startswith("At the instance shown it holds: its left side is 3996001/128000000")
    assert "the window" in told["condition"]


def test_a_reading_that_holds_as_it_is_does_not_have_the_case_that_is_shown() -> None:
    claim, made, _ = next(one for one in shown_of("efl") if one[0].id == "EFL-T1")
    assert not claim.mended
    (said,) = apart(claim, made, looks("efl", "EFL-T1")).values()
    assert said.endswith("participation (correlated over rounds: one client, drawn once).")


def test_most_of_them_are_computed() -> None:
    told = []
    for key in ("exp_alpha", "fedaware", "efl", "fedssa", "robust_aggregation"):
        claims = {claim.id: claim for claim in PAPERS[key].claims}
        entries = {entry.id: entry for entry in committed(PAPERS[key])}
        for claim, made, _ in shown_of(key):
            told += apart(claim, made, of_shown(entries[claim.id], claims[claim.id])).values()
    open_ones = [said for said in told if "was not computed" in said]
    assert len(told) > 200
    assert len(open_ones) / len(told) < 1 / 3


def test_an_entry_of_other_readings_is_not_held_against_todays() -> None:
    entry = next(e for e in committed(PAPERS["fedssa"]) if e.id == "SSA-TA5")
    claim = next(c for c in PAPERS["fedssa"].claims if c.id == "SSA-TA5")
    assert of_shown(Entry.of({**entry.json(), "readings": entry.json()["readings"][:1]}), claim) == {}


@pytest.mark.parametrize(
    ("text", "met", "values"),
    [
        ("1 − C − 2AC − A·W_D(1 − C) > 0", False, (-15, 0)),
        ("eta <= 1/(2(1 + C)²A): a short step", False, (Fraction(1, 4), Fraction(1, 64))),
        ("ρ̄ >= max{A, 2} − 30", True, (3, 2)),
        ("W_D = 0.5", True, (Fraction(1, 2), Fraction(1, 2))),
    ],
)
def test_a_condition_in_numbers_is_worked_out(text: str, met: bool, values: tuple[Fraction, Fraction]) -> None:
    found = condition_of(text, VALUES)
    assert found is not None
    assert (found.met, found.values) == (met, values)


@pytest.mark.parametrize(
    "text", ["weights chosen before the round", "A > x", "A_k > 0", "Aᵏ > 0", "A > 0 > C", "1/C > 0", "(A > 0", ""]
)
def test_a_condition_in_words_or_other_letters_is_left(text: str) -> None:
    assert condition_of(text, VALUES) is None


def test_a_formula_of_a_sentence_is_a_number() -> None:
    assert value_of_formula("8A/W_D − 2(C + 1)³", VALUES) == 510
    assert value_of_formula("min(A, 2)ρ̄", VALUES) == 6
    assert value_of_formula("A.9", VALUES) is None

"""The numbers that a script compares for its hypotheses are recorded without changing what it finds."""

from __future__ import annotations

from fractions import Fraction

from validation.report.counterexample.hypotheses import hypotheses_of
from validation.report.counterexample.instance import run_script
from validation.report.counterexample.recorded import Comparison, recorded

SCRIPT = """
from fractions import Fraction

def met(x):
    found = {"0 < eta <= 1/4": 0 < x["eta"] <= Fraction(1, 4), "sum 1": sum(x["p"]) == 1 and min(x["p"]) >= 0}
    return found | {"all h > 0": all(h > 0 for h in x["h"]), "odd": x["odd"], "n >= 0": x["n"] >= 0}

x = {"eta": Fraction(1, 8), "p": [Fraction(1, 2), Fraction(1, 2)], "h": [1, 2, 3, 4, 5], "odd": True, "n": 3}
lhs = Fraction(2)
rhs = Fraction(1)
for words, holds in met(x).items():
    print(f"hypothesis {words}: {holds}")
raise SystemExit(0)
"""


def test_comparisons_are_recorded_in_order_and_chains_are_pairs() -> None:
    found = recorded(SCRIPT, ("0 < eta <= 1/4", "sum 1", "odd"))
    eighth, quarter = Fraction(1, 8), Fraction(1, 4)
    assert found["0 < eta <= 1/4"] == (Comparison(0, "<", eighth), Comparison(eighth, "<=", quarter))
    assert found["sum 1"] == (Comparison(1, "==", 1), Comparison(Fraction(1, 2), ">=", 0))
    assert "odd" not in found
    assert "all h > 0" not in found  # not asked for


def test_hypotheses_have_their_numbers_and_few_of_a_kind() -> None:
    ran = run_script(SCRIPT)
    assert ran is not None
    said = {h.words: (h.result, h.how) for h in hypotheses_of(ran, SCRIPT)}
    assert said["0 < eta <= 1/4"] == ("0 < 1/8; 1/8 ≤ 1/4", "checked")
    assert said["all h > 0"][0] == "1 > 0; 2 > 0; 3 > 0; and 2 more of the kind"
    assert said["odd"] == ("met, computed by the script", "computed")
    assert said["sum 1"][0] == "1 = 1"


def test_a_comparison_that_stops_a_chain_is_the_last() -> None:
    wrong = SCRIPT.replace('"eta": Fraction(1, 8)', '"eta": Fraction(0)')
    assert recorded(wrong, ("0 < eta <= 1/4",))["0 < eta <= 1/4"] == (Comparison(0, "<", Fraction(0)),)
    assert not dict(h for r in [run_script(wrong)] if r for h in r.hypotheses)["0 < eta <= 1/4"]


def test_what_is_more_than_arithmetic_records_nothing() -> None:
    assert recorded("import os\n" + SCRIPT, ("sum 1",)) == {}

"""A script's own words for numbers of a run are not a paper's letters of the same name."""

from __future__ import annotations

from fractions import Fraction

from validation.report.counterexample.compared import Compared, compared, run_words
from validation.report.counterexample.constants import constants_of
from validation.report.text.letters import Letters

LETTERS = Letters(
    {"Omega": r"\Omega", "bar": r"\bar B", "noise": r"\sum_i\sigma_i^2", "total": r"\sum_i\rho_i", "mu": r"\mu"},
    says={
        "Omega": "least excess",
        "bar": "a sum",
        "noise": "variance",
        "total": "sum of the weights",
        "mu": "curvature",
    },
)
SCRIPT = """
# What is observed on it.
mu = Fraction(2)
total = mu / 4
Omega = total / 2  # Ω: least excess
# noise: variance
noise = Fraction(1, 3)
bar = noise + 6 * Omega  # a sum
lhs = Omega
rhs = bar
"""
VALUES = {"mu": 2, "total": Fraction(1, 2), "Omega": Fraction(1, 4), "noise": Fraction(1, 3), "bar": Fraction(11, 6)}


def found() -> Compared:
    made = compared(SCRIPT)
    assert made is not None
    return made


def test_a_word_of_the_run_is_one_that_the_script_explains_nowhere() -> None:
    assert run_words(found(), LETTERS.quantities) == {"total"}  # noise is explained above its line, μ is no word


def test_the_table_of_constants_takes_no_number_of_the_run_for_a_letter_of_the_paper() -> None:
    own = LETTERS.without(run_words(found(), LETTERS.quantities))
    table = {c.name: c for c in constants_of(found(), VALUES, own, {})}
    assert list(table) == ["Omega", "bar", "noise"]
    assert table["Omega"].formula == ""  # that of the script is in a number of the run
    assert (table["bar"].formula, table["noise"].says) == (r"\sum_i\sigma_i^2+6\,\Omega", "variance")
    assert own.of_quantity("total") == r"\mathrm{total}"


def test_a_letter_of_a_side_stays_one_whatever_the_script_says_of_it() -> None:
    made = compared(SCRIPT.replace("lhs = Omega", "lhs = total"))
    assert made is not None
    assert run_words(made, LETTERS.quantities) == frozenset()

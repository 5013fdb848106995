"""The box of a counterexample shows no equation that is false: letters, formulas, sizes and both sides."""

from __future__ import annotations

import re
from fractions import Fraction

from tests.validation.report.test_at_instance import PAPERS, every, shown_of
from validation.report.claims.answer import answer
from validation.report.counterexample.compared import compared, names_in
from validation.report.counterexample.constants import constants_of, evaluated, latex_names, observed
from validation.report.counterexample.instance import told_apart
from validation.report.glosses import read_glosses
from validation.report.text.letters import Letters


@every
def test_every_formula_of_a_letter_gives_its_value_at_the_letters_beside_it(key: str) -> None:
    for claim, made, _ in shown_of(key):
        both, table = compared(claim.counterexample_source), {c.name: c.value for c in made.constants}
        told = read_glosses(PAPERS[key].folder).told.get(claim.id) if made.as_printed else None
        own = {} if told is None else {name: formula for name, _, _, formula in told.own_letters()}
        for constant in made.constants:
            if constant.formula and both is not None:
                formula = own.get(constant.name) or both.defined[constant.name]
                assert set(names_in(formula)) <= table.keys(), (claim.id, constant.name)
                assert evaluated(formula, table) == constant.value, (claim.id, constant.name)


@every
def test_every_letter_and_every_number_of_the_box_has_words(key: str) -> None:
    missing = {}
    for claim, made, _ in shown_of(key):
        letters = [c.name for c in made.constants if not c.says and made.form != "printed numbers"]
        numbers = [name for name in made.numbers if not made.words.get(name)]
        if letters or numbers:
            missing[claim.id] = [*letters, *numbers]
    assert missing == {}


@every
def test_the_number_of_clients_is_that_of_the_run(key: str) -> None:
    for claim, made, _ in shown_of(key):
        sizes = dict(made.sizes)
        shown = sizes.get("clients N", sizes.get("N", ""))
        counted = [c.value for c in made.constants if c.says == "clients"]
        for count in counted if shown else ():
            assert shown == str(count), claim.id
        if "copies" in made.numbers:  # two clients, and so many of a third
            assert shown == str(2 + int(str(made.numbers["copies"]))), claim.id


@every
def test_two_sides_that_differ_are_shown_by_different_numbers(key: str) -> None:
    for claim, made, ran in shown_of(key):
        if made.left is not None and made.right is not None and made.left.value != made.right.value:
            decimals = {re.split(r"[≈=] ", side.text)[-1] for side in (made.left, made.right)}
            assert len(decimals) == 2, (claim.id, made.left.text, made.right.text)
            said = answer(claim, ran)
            assert not re.search(r"side is (\S+), the right side \1[.;,]? ", f"{said} "), claim.id
        for reading in claim.readings:
            assert not re.search(r"left side ([-\d.e+]+), right side \1[;. ]", f"{reading.why} "), (
                claim.id,
                reading.name,
            )


def test_sides_that_agree_in_many_digits_are_told_apart() -> None:
    near = Fraction(1, 4) + Fraction(1, 4 * 10**12)
    assert told_apart(near, Fraction(1, 4)) == ("1000000000001/4000000000000 ≈ 0.2500000000003", "1/4 = 0.25")
    nearer = Fraction(1, 4) + Fraction(1, 10**40)
    assert told_apart(Fraction(1, 4), nearer) == ("1/4 = 0.25", "1/4 = 0.25 and 10⁻⁴⁰ more")
    assert told_apart(nearer, Fraction(1, 4)) == ("1/4 = 0.25 and 10⁻⁴⁰ more", "1/4 = 0.25")


_COLLIDING = """
# The instance; a number behind a letter says which client.
spread = Fraction(7); mu = Fraction(2); length = Fraction(1)

# What is observed on it.
eta = Fraction(1) / (mu * length)
eta = eta / 2
N = 2 * spread  # clients
L = 3 * mu  # smoothness
step = eta * 4  # step
lhs = N + L + step
rhs = mu
"""


def test_a_number_of_the_instance_is_no_letter_of_the_same_name() -> None:
    latex = {"N": "N", "spread": r"\sum\|g\|^2", "mu": r"\mu", "L": "L", "eta": r"\eta", "step": "s", "length": "l"}
    letters = Letters(latex, says=latex)
    both = compared(_COLLIDING)
    assert both is not None
    values = {"N": 14, "spread": 7, "mu": 2, "L": 6, "eta": Fraction(1, 4), "step": 1, "length": 1}
    assert observed(both, letters) == {"N", "mu", "L", "step"}
    table = {c.name: c.formula for c in constants_of(both, values, letters, {})}
    assert table == {"N": "", "L": r"3\,\mu", "step": "", "mu": ""}
    stale = constants_of(both, {**values, "L": 7}, letters, {})
    assert [c.formula for c in stale if c.name == "L"] == [""]


def test_the_second_of_two_names_is_no_square() -> None:
    assert latex_names(("n1", "n2", "G2"), Letters()) == {"n1": "n_{1}", "n2": "n_{2}", "G2": "G^{2}"}


def test_the_other_letters_of_a_claim_are_those_that_its_box_shows() -> None:
    for paper in PAPERS.values():
        shown = read_glosses(paper.folder).shown
        boxes = {claim.id: made for claim, made, _ in shown_of(paper.key)} if shown else {}
        for claim, rows in shown.items():
            box = boxes[claim]
            names = {c.name for c in box.constants} | box.numbers.keys()
            assert rows.keys() - {"clients"} <= names | {line.script for line in box.arithmetic.lines}, claim
            told = {c.says for c in box.constants} | {words for _, words in box.arithmetic.letters}
            for name, said in rows.items():
                assert name == "clients" or said.partition(" | ")[2] in told, name

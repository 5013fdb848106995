"""Each letter of a claim's page has words on that page, and its arithmetic is in these letters."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.validation.report.test_at_instance import FALSE, PAPERS, every, shown_of
from validation.report.claims.printed_letters import legend, letters_used, printed_letters, undefined
from validation.report.counterexample.constants import Constant
from validation.report.counterexample.written_out import written_out
from validation.report.glosses import read_glosses
from validation.report.own_method import own_methods
from validation.report.text.letters import Letters
from validation.report.text.mathml import mathml, prose
from validation.report.text.symbols import symbols
from validation.report.text.tex import in_tex


@every
def test_every_letter_of_the_print_of_both_sides_of_the_constants_and_of_the_arithmetic_is_said(key: str) -> None:
    glosses, seen = read_glosses(PAPERS[key].folder), 0
    for claim, made, _ in shown_of(key):
        if claim.verdict.word in FALSE:
            assert undefined(claim, glosses, made) == (), claim.id
            seen += bool(letters_used(claim, made))
        for latex, words in printed_letters(claim, glosses, made):
            assert words, (claim.id, latex)
            assert str(mathml(latex, block=False)).startswith("<math"), (claim.id, latex)
    assert seen > 10 or not list(shown_of(key))


def test_a_letter_that_nobody_explains_is_named() -> None:
    claim, made, _ = next(one for one in shown_of("efl") if one[0].id == "EFL-T1")
    glosses = read_glosses(PAPERS["efl"].folder)
    strange = Constant("s", r"\sum_k\varpi_k\Xi", "a sum of letters", "", made.constants[0].value)
    changed = replace(made, constants=(*made.constants, strange))
    assert undefined(claim, glosses, changed) == ("Xi",)
    bare = replace(glosses, letters={}, own_letters={})
    assert {"m", "tau", "omega"} <= set(undefined(claim, bare, made))


def test_what_the_bound_of_efl_leans_on_is_on_its_page() -> None:
    """The letters that readers had to look for on another page."""
    claim, made, _ = next(one for one in shown_of("efl") if one[0].id == "EFL-T1")
    glosses = read_glosses(PAPERS["efl"].folder)
    said = {symbols(latex)[0] for latex, _ in printed_letters(claim, glosses, made) if symbols(latex)}
    said |= {symbols(c.latex)[0] for c in made.constants if c.says}
    assert {"r", "H", "J", "m"} <= said


@every
def test_the_letters_of_a_method_s_own_formula_are_said_too(key: str) -> None:
    folder = PAPERS[key].folder
    glosses, own = read_glosses(folder), own_methods(folder)
    for claim, made, _ in shown_of(key):
        more = own[claim.id].formulas if claim.id in own else ()
        assert undefined(claim, glosses, made, more) == (), claim.id
        said = {latex for latex, _ in printed_letters(claim, glosses, made, more)}
        assert claim.id != "EA-T1" or r"\alpha" in said


@every
def test_a_formula_says_its_letters_to_a_pointer(key: str) -> None:
    glosses = read_glosses(PAPERS[key].folder)
    for claim, made, _ in shown_of(key):
        if claim.verdict.word in FALSE and made.form == "inequality":
            told = legend(claim, glosses, made)
            for side in (made.left, made.right):
                assert side is not None, claim.id
                assert not symbols(side.latex) or told.of(side.latex), (claim.id, side.latex)


@every
def test_the_arithmetic_has_no_word_of_a_script_and_defines_its_own_letters(key: str) -> None:
    for claim, made, _ in shown_of(key):
        lines, numbered = made.arithmetic.lines, made.arithmetic.numbered
        said = {latex for latex, _ in made.arithmetic.letters}
        table = [c.latex for c in made.constants if c.says]
        for latex, words in made.arithmetic.letters:
            assert words, (claim.id, latex)
        for line in lines:
            bare = line.formula
            for latex in sorted(table, key=len, reverse=True):
                bare = bare.replace(latex, "")
            assert r"\mathrm" not in bare, (claim.id, line.script)
            for one in re.findall(rf"(?<![A-Za-z\\]){numbered}_\{{\d+\}}", line.formula) if numbered else ():
                assert one in said, (claim.id, line.script, one)
            said.add(line.name)


SOURCE = """
# The instance; numbers.
share_1 = Fraction(1, 4); loose = Fraction(2)

# What is observed on it.
pull = share_1 * loose
for k in range(2):
    pull = pull + k
lhs = pull
rhs = share_1
"""


def test_results_on_the_way_are_numbered_and_a_loop_counts_in_numbers() -> None:
    made = written_out(
        SOURCE, Letters(drawn={"share": "p"}), says={"loose": "how loose", "share_1": "share"}.__getitem__
    )
    assert [line.name for line in made.lines[:3]] == ["z_{2}", "z_{3}", "z_{4}"]
    assert [line.formula for line in made.lines[:3]] == [r"p_{1}\,z_{1}", "z_{2}+0", "z_{3}+1"]
    assert made.letters == (("p", "share"), ("z_{1}", "how loose, here 2"))
    assert made.lines[0].script == "pull"
    taken = written_out(SOURCE, Letters(drawn={"share": "p"}), says=str, taken={"z"})
    assert taken.numbered == "u"
    own = written_out(SOURCE, Letters(), own={"pull": (r"\pi", "the pull")}, says=str)
    assert own.lines[0].name == r"\pi"
    assert (r"\pi", "the pull") in own.letters


def test_a_mean_is_told_from_a_number_of_local_steps() -> None:
    assert str(prose("E[F(w)] <= 16E(1 + θ) and E‖g‖²")) == "𝔼[F(w)] ≤ 16E(1 + θ) and 𝔼‖g‖²"
    assert "𝔼" in mathml(r"E[F(w_T)-F^*]=O(1/T)", block=False)
    assert "𝔼" not in mathml(r"E(E-1)G^2", block=False)
    assert in_tex("E[F(w)] and 8(E − 1)") == r"$\mathbb{E}$[F(w)] and 8(E $-$ 1)"


@every
def test_no_text_of_a_page_has_a_mean_with_a_plain_letter(key: str) -> None:
    glosses = read_glosses(PAPERS[key].folder)
    for claim, made, _ in shown_of(key):
        told = [
            claim.words,
            claim.plainly,
            *claim.assumes,
            made.says,
            *(f"{h.words} {h.result}" for h in made.hypotheses),
        ]
        told += [words for _, words in printed_letters(claim, glosses, made)]
        for text in told:
            assert not re.search(r"(?<!\w)E(?=\[|‖|\(noise)", prose(text)), (claim.id, text)

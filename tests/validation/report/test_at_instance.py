"""A counterexample in the letters of the statement: complete, exact, and the same wherever it is shown."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.committed import committed
from validation.papers.papers import load_papers
from validation.report.claims.answer import answer
from validation.report.claims.claims import Claim, read_claims
from validation.report.claims.latex import PREAMBLE, referee
from validation.report.claims.shown import AtInstance, at_instance, shown_reading
from validation.report.counterexample.compared import Check, checks_of, compared
from validation.report.counterexample.constants import evaluated
from validation.report.counterexample.hypotheses import trivial
from validation.report.counterexample.instance import Instance, run_script
from validation.report.counterexample.picture import course_of
from validation.report.glosses import read_glosses
from validation.report.text.letters import Letters
from validation.statement.claim import Case, Inequality, Paper, Property
from validation.study.courses import Course, Moment

PAPERS = {paper.key: paper for paper in load_papers()}
FALSE = {"refuted", "misprint", "unstated-condition", "underspecified", "needs-run"}


@cache
def shown_of(key: str) -> tuple[tuple[Claim, AtInstance, Instance], ...]:
    """Every claim of a paper with a counterexample: what is shown of it, and its script as it ran."""
    paper = PAPERS[key]
    claims = read_claims([entry.json() for entry in committed(paper)])
    letters, glosses = Letters.of(paper), read_glosses(paper.folder)
    found = []
    for claim in claims:
        if claim.counterexample_source:
            made, ran = at_instance(claim, letters, glosses), run_script(claim.counterexample_source)
            assert made is not None, claim.id
            assert ran is not None, claim.id
            found.append((claim, made, ran))
    return tuple(found)


every = pytest.mark.parametrize("key", [key for key, paper in PAPERS.items() if not paper.calibration])


@every
def test_every_letter_of_both_sides_has_its_value_and_gives_the_sides_again(key: str) -> None:
    for claim, made, ran in shown_of(key):
        if made.form == "order":
            assert made.family is not None, claim.id
            assert made.constants, claim.id
            continue
        both = compared(claim.counterexample_source)
        assert both is not None, claim.id
        assert made.left is not None, claim.id
        assert made.right is not None, claim.id
        table = {c.name: c.value for c in made.constants}
        assert set(both.letters) <= set(table), claim.id
        left, right = evaluated(both.left, table), evaluated(both.right, table)
        if both.strict:
            assert ran.left == (0 if left < right else 1), claim.id
        else:
            assert (left, right) == (ran.left, ran.right) == (made.left.value, made.right.value), claim.id
        if made.terms:
            assert sum(term.value for term in made.terms) == made.right.value, claim.id


def _exact(value: Any) -> Any:
    return [_exact(v) for v in value] if isinstance(value, list) else Fraction(value)


def _case(test: Any, place: str, name: str) -> Case | None:
    """The case of a statement that an instance was drawn in; None where several bear its name."""
    inequality = test.inequality if isinstance(test, Property) else test
    if not isinstance(inequality, Inequality):
        return None
    sizes = {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", place)}
    fits = []
    for item in inequality.cases:
        try:
            case = item if isinstance(item, Case) else item.at(**sizes)
        except TypeError:  # a family of other sizes
            continue
        fits += [case] if case.name == name else []
    return fits[0] if len(fits) == 1 else None


def _recomputed(paper: Paper, claim: Claim) -> Mapping[str, Any] | None:
    """What the exact check of the claim itself observes on the instance that its reading keeps."""
    reading = shown_reading(claim)
    own = next(c for c in paper.claims if c.id == claim.id)
    tested = next((r.test for r in own.readings if reading is not None and r.name == reading.name), None)
    if reading is None or "case" not in reading.worst_instance:
        return None
    case = _case(tested, reading.place, str(reading.worst_instance["case"]))
    if case is None or case.exact is None:
        return None
    instance = {name: _exact(value) for name, value in reading.worst_instance.items() if name != "case"}
    seen = case.exact.function(instance)[1]
    return {name: value for name, value in seen.items() if isinstance(value, Fraction)}


@every
def test_the_exact_check_of_the_claim_gives_the_values_of_the_table(key: str) -> None:
    looked = 0
    for claim, made, _ in shown_of(key):
        seen = (_recomputed(PAPERS[key], claim) if made.form == "inequality" else None) or {}
        told = read_glosses(PAPERS[key].folder).told.get(claim.id)
        of_print = {name for name, *_ in told.own_letters()} if told is not None and made.as_printed else set()
        for constant in made.constants:
            if constant.name in of_print:
                continue
            name = Letters.of(PAPERS[key]).by_identifier.get(constant.name, constant.name)
            if name in seen:
                # exp and log are rounded on both sides, at about 10⁻⁴⁰; everything else is equal
                assert abs(constant.value - seen[name]) <= abs(seen[name]) / 10**30, (claim.id, name)
                looked += 1
    assert looked > 20 or not list(shown_of(key))


@every
def test_headline_reason_script_and_shown_instance_are_of_one_instance(key: str) -> None:
    for claim, made, ran in shown_of(key):
        reading = shown_reading(claim)
        assert reading is not None, claim.id
        assert made.reading == reading.name, claim.id
        if made.left is not None and made.right is not None and made.relation != "<":
            said = answer(claim, ran)
            if not said.startswith(("No: the printed", "Open: ")):
                assert made.left.text in said, claim.id
                assert made.right.text in said, claim.id
            told = re.search(r"left side ([-\d.e+]+), right side ([-\d.e+]+)", reading.why)
            for text, side in zip(told.groups() if told else (), (made.left, made.right), strict=False):
                assert float(text.rstrip(".")) == pytest.approx(float(side.value), rel=1e-4), claim.id
        kept = reading.worst_instance
        for (
            name,
            value,
        ) in ran.values.items():  # of the script; the reading keeps every number, the script what it needs
            if name in kept and not isinstance(value, list) and not isinstance(kept[name], list):
                assert Fraction(str(value)) == Fraction(str(kept[name])), (claim.id, name)


@every
def test_no_hypothesis_is_shown_by_a_comparison_that_tells_nothing(key: str) -> None:
    for claim, made, _ in shown_of(key):
        for hypothesis in made.hypotheses:
            assert hypothesis.met, claim.id
            assert "True" not in hypothesis.result, claim.id
            assert (hypothesis.how == "checked") == bool(hypothesis.numbers), claim.id
        by_words = {h.words: h for h in made.hypotheses}
        for check in checks_of(claim.counterexample_source):
            if all(trivial(c) for c in checks_of(claim.counterexample_source) if c.words == check.words):
                assert by_words[check.words].result == "by construction", claim.id


def test_a_comparison_with_zero_is_shown_where_the_words_state_a_sign() -> None:
    assert not trivial(Check("0 < mu <= L", "mu", ">", "0"))
    assert trivial(Check("noise independent over clients", "sigma", ">=", "0"))
    assert trivial(Check("unbiased", "True", "==", "True"))


@every
def test_no_headline_has_a_key_in_it(key: str) -> None:
    for claim, _, ran in shown_of(key):
        said = answer(claim, ran)
        keys = {issue for r in claim.readings for issue, _ in r.options}
        for issue in keys:
            assert f"({issue}: " not in said, (claim.id, said)
            assert f"; {issue}: " not in said, (claim.id, said)
        assert not re.search(r"except (with|for) \w+ = (?![\d.]+)", said), (claim.id, said)
        assert "**" not in said, (claim.id, said)
        assert "<=" not in said, (claim.id, said)


def test_a_condition_and_an_edit_that_does_without_it_are_alternatives() -> None:
    told = {c.id for key in PAPERS for c, _, _ in shown_of(key) if {m.kind for m in c.mended} >= {"condition", "edit"}}
    assert {"RA-C1", "EFL-T2b"} <= told


@every
def test_the_latex_has_no_sign_that_pdflatex_lacks_and_no_verbatim(key: str) -> None:
    for claim, made, _ in shown_of(key):
        text = referee(claim, made, Letters.of(PAPERS[key]))
        assert text.isascii(), claim.id
        assert "?" not in text, claim.id  # what a sign without a LaTeX form would become
        assert "verbatim" not in text, claim.id
        if text and made.form in {"inequality", "identity"}:
            assert all(f"${c.latex}$" in text for c in made.constants), claim.id


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_every_latex_example_compiles(tmp_path: Path) -> None:
    texts = [referee(c, m, Letters.of(PAPERS[key])) for key in PAPERS for c, m, _ in shown_of(key)]
    body = "\n\n".join(filter(None, texts))
    (tmp_path / "all.tex").write_text(f"{PREAMBLE}\\begin{{document}}\n{body}\n\\end{{document}}\n")
    ran = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-2000:].decode(errors="replace")


@every
def test_written_out_arithmetic_ends_with_the_left_side(key: str) -> None:
    for claim, made, _ in shown_of(key):
        if made.arithmetic.lines:
            assert made.left is not None, claim.id
            assert made.arithmetic.lines[-1].name == r"\text{left side}", claim.id


def test_a_caption_says_between_which_rounds_the_left_side_passes() -> None:
    source = "lhs, rhs = 3, 2\nraise SystemExit(0)"
    found = run_script(source)
    assert found is not None
    moments = (Moment(1, 1.0, 2.0, ()), Moment(2, 1.5, 2.0, ()), Moment(9, 3.0, 2.0, ()))
    drawn = course_of(found, source, Course("rounds", moments))
    assert drawn is not None
    assert drawn.says.endswith("the left side passes the right one between 2 and 9.")
    near = course_of(found, source, Course("rounds", (Moment(1, 1.0, 2.0, ()), Moment(2, 3.0, 2.0, ()))))
    assert near is not None
    assert near.says.endswith("the left side first exceeds the right one after 2.")

"""The words of an instance are shown of that instance alone, and ours are of those that pages show today."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from validation.ledger.ledger import load_rows
from validation.papers.papers import load_papers
from validation.report.claims.claims import Claim, read_claims
from validation.report.claims.latex import referee
from validation.report.claims.shown import AtInstance, at_instance
from validation.report.counterexample.compared import names_in
from validation.report.counterexample.hypotheses import hypotheses_of
from validation.report.counterexample.instance import run_script
from validation.report.counterexample.picture import bars_of
from validation.report.glosses import Glosses, read_glosses
from validation.report.text.letters import Letters
from validation.report.text.symbols import bare, symbols
from validation.report.told import FILE, Told, told_of
from validation.statement.roles import RESULTS

SCRIPT = 'lhs, rhs = 2, 1\nprint("hypothesis small: True")\nraise SystemExit(0)'
PAPERS = {paper.key: paper for paper in load_papers() if (paper.folder / FILE).is_file()}


def _claim() -> Claim:
    reading = {"name": "r", "verdict": "refuted", "counterexample_source": SCRIPT, "worst_instance": {"case": "one"}}
    row = {"id": "X-1", "paper": "x", "verdict": "refuted", "counterexample_source": SCRIPT, "readings": [reading]}
    return read_claims([row])[0]


TOLD = Told("one", "A client at 0.", "2", "1", ("A3: 1 = σ²", "small: 1 ≤ 2"), ("small",))


def test_the_words_stand_with_the_instance_and_say_more_of_its_hypotheses() -> None:
    found = at_instance(_claim(), glosses=Glosses(told={"X-1": TOLD}))
    assert found is not None
    assert found.says == found.json()["says"] == "A client at 0."
    assert [(h.words, h.result) for h in found.hypotheses] == [("A3", "1 = σ²"), ("small", "1 ≤ 2")]
    assert "A client at 0." in referee(_claim(), found)


PRINTED = (
    "\n# The instance; numbers.\nL = 2; noise = 3\n\n# What is observed on it.\nOmega = 1\nlhs = 10\n"
    "rhs = L*(2*noise + 12*L*Omega)\nprint(lhs > rhs)\nraise SystemExit(0)\n"
)


def _of(script: str, told: Told) -> AtInstance:
    reading = {"name": "r", "verdict": "refuted", "counterexample_source": script, "worst_instance": {"case": "one"}}
    row = {"id": "X-1", "paper": "x", "verdict": "refuted", "counterexample_source": script, "readings": [reading]}
    (claim,) = read_claims([row])
    found = at_instance(claim, Letters({"L": "L", "noise": "n", "Omega": r"\Omega"}), Glosses(told={"X-1": told}))
    assert found is not None
    return found


def test_the_right_side_is_shown_as_the_paper_prints_it() -> None:
    letters = (r"B = \bar B | the noise | noise + 6*L*Omega",)
    found = _of(PRINTED, Told("one", "A client.", "10", "60", printed_right="2*L*B", letters=letters))
    assert found.right is not None
    assert (found.right.source, found.right.value, found.right.text) == ("2*L*B", 60, "60")
    assert found.right.latex == r"2\,L\,\bar B"
    assert found.as_printed
    last = found.constants[-1]
    assert (last.name, last.latex, last.says, last.value) == ("B", r"\bar B", "the noise", 15)
    with pytest.raises(ValueError, match="is 30; the script has 60"):
        _of(PRINTED, Told("one", "A client.", "10", "60", printed_right="L*B", letters=letters))
    summed = _of(PRINTED, Told("one", "A client.", "10", "60", printed_right="L*B + L*B", letters=letters))
    assert [(term.latex, term.value) for term in summed.terms] == [(r"L\,\bar B", 30)] * 2
    ran = run_script(PRINTED)
    assert ran is not None
    assert [bar.spoken for bar in bars_of(ran, Letters(), summed.terms)][2:] == ["L * B", "L * B"]
    other = _of(PRINTED, Told("one", "A client.", "10", "61", printed_right="2*L*B", letters=letters))
    assert other.right is not None
    assert other.right.source == "L * (2 * noise + 12 * L * Omega)"


@pytest.mark.parametrize("other", [replace(TOLD, case="two"), replace(TOLD, left="3"), replace(TOLD, right="0")])
def test_the_words_of_another_instance_are_not_shown(other: Told) -> None:
    found = at_instance(_claim(), glosses=Glosses(told={"X-1": other}))
    assert found is not None
    assert (found.says, found.json()["says"], len(found.hypotheses)) == ("", None, 1)


def test_what_was_drawn_and_is_computed_in_its_place_is_not_shown() -> None:
    claim = _claim()
    drawn = {"case": "one", "optimum": ["0", "0"], "curvature": ["1", "2"]}
    claim = replace(claim, readings=(replace(claim.readings[0], worst_instance=drawn),))
    words = {"optimum": "one entry a client", "curvature": "one entry a client"}
    for unused, names in (((), {"optimum", "curvature"}), (("optimum",), {"curvature"})):
        told = replace(TOLD, unused=unused)
        found = at_instance(claim, glosses=Glosses(words=words, told={"X-1": told}))
        assert found is not None
        assert found.clients is not None
        assert found.clients.names == names
        assert found.numbers.keys() == names


@pytest.mark.parametrize("key", PAPERS)
def test_ours_are_of_the_instances_that_pages_show(key: str) -> None:
    known, folder = read_glosses(PAPERS[key].folder), PAPERS[key].folder
    claims = {claim.id: claim for claim in read_claims(load_rows(folder / "ledger.json"))}
    assert known.told
    for claim_id, told in known.told.items():
        found = at_instance(claims[claim_id], glosses=known)
        assert found is not None, claim_id
        assert found.says == told.says, claim_id
        assert found.as_printed == bool(told.printed_right), claim_id
        said = {line.partition(": ")[0] for line in told.met}
        assert {h.words for h in found.hypotheses} & set(told.instead_of) <= said, claim_id
        source = claims[claim_id].counterexample_source
        ran = run_script(source)
        assert ran is not None, claim_id
        assert set(told.instead_of) <= {h.words for h in hypotheses_of(ran, source)}, claim_id


def test_the_right_side_is_shown_without_words_for_the_instance() -> None:
    found = _of(PRINTED, Told("one", "", "10", "60", printed_right="L*(2*noise + 12*L*Omega)"))
    assert found.as_printed
    assert found.says == ""
    assert found.json()["says"] is None
    assert "Setting: one." in referee(_claim(), found)


def test_spaces_of_any_kind_are_one_space() -> None:
    assert Told("one", "", "27 059", "1").fits("one", "27\u202f059", "1")


@pytest.mark.parametrize("key", PAPERS)
def test_a_right_side_that_is_a_formula_is_shown_with_its_numbers(key: str) -> None:
    known, shown = read_glosses(PAPERS[key].folder), 0
    letters = Letters.of(PAPERS[key])
    for claim in read_claims(load_rows(PAPERS[key].folder / "ledger.json")):
        found = at_instance(claim, letters, known) if claim.counterexample_source else None
        if found is None or found.right is None or found.form not in {"inequality", "identity"}:
            continue
        table = {c.name for c in found.constants}
        alone = found.right.source in table or not names_in(found.right.source or "0")
        assert alone or found.right.numbers, claim.id
        shown += bool(found.right.numbers)
        if claim.level in RESULTS and not alone:  # of a result in the letters that it prints
            extra = {*map(bare, symbols(found.right.latex))} - {*map(bare, symbols(claim.printed))}
            assert extra <= EXTRA.get(claim.id, set()), claim.id
    assert shown > 3


EXTRA = {"EA-L1": {"Delta", "F"}}
"""Letters of a right side for what its print writes out: the squared distance, and the excess loss of one step."""


def test_a_file_that_is_not_as_it_should_be_is_named(tmp_path: Path) -> None:
    assert told_of(tmp_path) == {}
    for text in ('["X-1"]\ncase = "a"\n', '["X-1"]\ncase = "a"\nsays = "b"\nmet = "c"\n', 'odd = "a"\n', "["):
        (tmp_path / FILE).write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=FILE):
            told_of(tmp_path)
    (tmp_path / FILE).write_text('["X-1"]\ncase = "a"\nsays = "b"\nletters = ["B = b"]\n', encoding="utf-8")
    with pytest.raises(ValueError, match="name = LaTeX"):
        told_of(tmp_path)
    (tmp_path / FILE).write_text('["X-1"]\ncase = "a"\nsays = """b\nc"""\nmet = ["d: e"]\n', encoding="utf-8")
    assert told_of(tmp_path) == {"X-1": Told("a", "b c", met=("d: e",))}

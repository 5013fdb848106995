"""The one sentence on a claim promises nothing that its readings do not bear out."""

from __future__ import annotations

from typing import Any

import pytest

from validation.judge.words.verdict import Judged, combine
from validation.ledger.ledger import load_rows
from validation.papers.papers import load_papers
from validation.report.claims.answer import answer, holds_instead
from validation.report.claims.claims import Claim, read_claims
from validation.report.claims.latex import referee
from validation.report.claims.shown import at_instance
from validation.report.counterexample.instance import run_script
from validation.statement.roles import ReadingRole
from validation.statement.verdict import Verdict

_MEND = "a factor 2"


def row(name: str, verdict: str, role: str = "alternative", **terms: Any) -> dict[str, Any]:
    return {
        "name": name,
        "verdict": verdict,
        "why": "",
        "as_printed": role == "alternative",
        "role": role,
        "terms": terms,
    }


def claim(verdict: str, *readings: dict[str, Any], **fields: Any) -> Claim:
    """A claim as a ledger has it: condition and edit follow from its readings."""
    roles = [ReadingRole(r["name"], **{k: _frozen(v) for k, v in r["terms"].items()}) for r in readings]
    word = combine([Judged(Verdict(r["verdict"]), role) for r, role in zip(readings, roles, strict=True)])
    fields = {"condition": word.condition, "edit": word.edit} | fields
    (made,) = read_claims([{"id": "X-1", "paper": "x", "verdict": verdict, "readings": list(readings), **fields}])
    return made


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def test_an_edit_that_needs_a_condition_is_told_with_it() -> None:
    alone, with_it = row("alone", "refuted", "repair", edits=[_MEND]), row("both", "holds", "repair", edits=[_MEND])
    with_it["terms"]["conditions"] = ["no noise"]
    found = claim("refuted", row("as printed", "refuted"), alone, with_it)
    assert found.edit == "a factor 2; if also: no noise"
    assert answer(found, None) == "No. No violation was found with a factor 2, if also: no noise."
    assert [kind for kind, _ in holds_instead(found)] == ["with the change", "if also"]
    plain = row("mended", "holds", "repair", edits=[_MEND])
    free = claim("refuted", row("as printed", "refuted"), with_it, plain)
    assert answer(free, None) == "No. No violation was found with a factor 2."


@pytest.mark.parametrize(
    ("where", "numbers"),
    [("our runs of x.t: a minus b, mean of 5", "our runs"), ("table2, line 4, value", "the printed numbers")],
)
def test_a_relation_names_the_numbers_that_decide_it(where: str, numbers: str) -> None:
    why = "all 1 comparisons of printed cells hold, exactly"
    known = row("as printed", "holds") | {"cells": [{"cell": where, "value": "1"}], "why": why}
    found = claim("holds", known, kind="relation")
    assert answer(found, None) == f"Yes: {numbers} confirm it."
    false = claim("refuted", known | {"verdict": "refuted"}, kind="relation")
    assert answer(false, None) == f"No: {numbers} contradict it."


def test_an_edit_of_one_part_does_not_mend_another() -> None:
    first, second = row("first", "refuted", part="one"), row("second", "refuted", part="other")
    mended = row("mended", "holds", "repair", part="one", edits=[_MEND])
    found = claim("refuted", first, second, mended)
    assert answer(found, None) == "No. No violation of its part “one” was found with a factor 2."
    assert found.edit == "of «one»: a factor 2"
    assert holds_instead(found)[0] == ("of the part", "one")
    too = row("too", "holds", "repair", part="other", edits=[_MEND])
    both = claim("refuted", first, second, mended, too)
    assert answer(both, None) == "No. No violation was found with a factor 2."


def test_only_what_a_verdict_stands_on_counts_as_tried() -> None:
    one = row("one", "holds", part="first") | {"instances": 900, "admissible": 600}
    other = row("other", "holds", part="second") | {"instances": 30}
    stronger = row("stronger", "refuted", "ours") | {"instances": 5000, "admissible": 5000}
    found = claim("holds", one, other, stronger, instances=5930)
    assert answer(found, None) == "Yes, as far as the search found: no violation on 630 instances."
    assert answer(claim("holds", row("played", "holds"), stronger, instances=5000), None).endswith("no violation.")


def test_the_reading_named_false_is_the_one_whose_numbers_are_shown() -> None:
    script = {"counterexample_source": "lhs, rhs = 2, 1\nraise SystemExit(0)"}
    readings = [row("a", "holds", part="one"), row("b", "refuted", part="one"), row("c", "holds", part="other")]
    other = row("d", "refuted", part="other") | script
    found = claim("underspecified", *readings, other, **script)
    said = answer(found, run_script(found.counterexample_source))
    assert (
        "no violation was found when read as “c”, false when read as “d”: the left side is 2, the right side 1." in said
    )
    alone = claim("underspecified", *readings[:2], other, **script)
    assert answer(alone, None) == "It depends on what the text leaves open: false when read as “d”."


def test_where_the_print_says_at_least_its_sides_are_not_called_left_and_right() -> None:
    script = {"counterexample_source": "lhs, rhs = 2, 1\nraise SystemExit(0)"}
    found = claim("refuted", row("as printed", "refuted") | script, printed=r"a\ge b", **script)
    instance = run_script(found.counterexample_source)
    assert answer(found, instance) == "No: what has to be smaller is 2, what has to be larger 1."
    assert "What has to be smaller is\n\\[ 2 \\]\nand what has to be larger is\n\\[ 1 \\]" in referee(
        found, at_instance(found)
    )
    under = claim("refuted", row("as printed", "refuted") | script, printed=r"x\ge0:\ a\le b", **script)
    assert answer(under, instance) == "No: the left side is 2, the right side 1."


def _met(*conditions: str, **terms: Any) -> dict[str, Any]:
    return row("met", "holds", "special case", conditions=list(conditions), met_by="Table 1", **terms)


_FALLS = row("as printed", "refuted")
_PLAIN = row("plain", "holds")
_CUT = row("zero", "refuted", "cut", cuts={"shares": "zero"}, met_by="Table 1") | {"as_printed": True}


def test_a_condition_is_never_said_without_the_choice_it_belongs_to() -> None:
    """With the theorem's step the named condition restores nothing."""
    printed = row("theorem", "refuted", options={"gamma": "L/μ"}), row("proof", "refuted", options={"gamma": "A.9"})
    found = claim(
        "unstated-condition",
        *printed,
        _met("no noise", options={"gamma": "A.9"}),
        open={"gamma": {"printed": "twice", "why": "γ"}},
        counterexample_source="raise SystemExit(0)",
    )
    assert found.condition == "gamma read as «A.9»; no noise"
    sentence = "No violation was found, reading γ as in A.9, with one more condition: no noise."
    assert answer(found, None) == f"Not as printed. {sentence}"
    assert [kind for kind, _ in holds_instead(found)] == ["reading", "under the condition"]
    assert [made.json()["text"] for made in found.mended] == [sentence]
    assert r"reading $\gamma$ as in A.9, with one more condition: no noise." in referee(found, at_instance(found))


def test_two_ways_to_mend_a_statement_are_said_as_two() -> None:
    found = claim("unstated-condition", _FALLS, _met("no noise"), row("mended", "holds", "repair", edits=[_MEND]))
    assert [kind for kind, _ in holds_instead(found)] == ["under the condition", "or, instead, with the change"]


def test_an_edit_of_what_is_ours_mends_no_part_of_the_print() -> None:
    """It holds in a part that falls only as our own question."""
    ours = row("ours", "refuted", "ours", part="size", ours="no line says so") | {"as_printed": False}
    found = claim(
        "unstated-condition", _FALLS, _met("no noise"), ours, row("m", "holds", "repair", part="size", edits=["x"])
    )
    assert (found.condition, found.edit) == ("no noise", "")


def test_of_what_is_open_the_choice_that_holds_is_named() -> None:
    readings = [row(name, verdict, options={"gamma": name}) for name, verdict in (("a", "holds"), ("b", "refuted"))]
    found = claim("underspecified", *readings, open={"gamma": {"printed": "twice", "why": "γ"}})
    assert [made.json()["text"] for made in found.mended] == ["No violation was found, reading γ as “a”."]


@pytest.mark.parametrize(
    ("readings", "said"),
    [
        ([_FALLS, _met("no noise")], "with one more condition: no noise"),
        ([_FALLS, _met("no noise", "L >= 1")], "with 2 more conditions: no noise; L ≥ 1"),
        ([_CUT, _PLAIN], "except for shares (zero)"),
        (
            [
                _CUT | {"terms": _CUT["terms"] | {"part": "a"}},
                _PLAIN | {"terms": {"part": "a"}},
                _FALLS,
                _met("no noise"),
            ],
            "except for shares (zero), and with one more condition: no noise",
        ),
    ],
)
def test_what_is_left_out_is_no_condition(readings: list[dict[str, Any]], said: str) -> None:
    found = claim("unstated-condition", *readings)
    assert answer(found, None) == f"Not as printed. No violation was found {said}."
    assert all("not with" not in str(part) for shown in holds_instead(found) for part in shown)


def test_a_referee_is_told_the_same() -> None:
    alone, with_it = row("alone", "refuted", "repair", edits=[_MEND]), row("both", "holds", "repair", edits=[_MEND])
    with_it["terms"]["conditions"] = ["no noise"]
    script = {"counterexample_source": "raise SystemExit(0)"}
    found = claim("refuted", row("as printed", "refuted"), alone, with_it, **script)
    assert "No violation was found with a factor 2, if also: no noise." in referee(found, at_instance(found))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("Kηₜ₀² <= η_l(T)", r"K$\eta_{t0}^{2}$ $\le$ $\eta_{l}$(T)"),
        ("5η_l²(σ_g² + ‖x‖²)", r"5$\eta_{l}^{2}$($\sigma_{g}^{2}$ + $\Vert$x$\Vert^{2}$)"),
        ("W̄^{t₀} of file_name", r"$\bar{W}^{t0}$ of file\_name"),
    ],
)
def test_an_index_in_plain_text_is_one_in_latex(text: str, latex: str) -> None:
    script = {"counterexample_source": "lhs, rhs = 2, 1\nraise SystemExit(0)"}
    found = claim("refuted", row("as printed", "refuted") | script, at=text, **script)
    assert referee(found, at_instance(found)).startswith(rf"\begin{{example}}[{latex} does not")


def test_of_an_order_a_referee_is_told_the_form_that_grows() -> None:
    script = {"counterexample_source": "raise SystemExit(0)"}
    false = row("as printed", "refuted") | script
    false["why"] = "along long runs lhs/claimed is at least n/100, which is not bounded; confirmed exactly at n = 4"
    found = claim("refuted", false, **script)
    said = referee(found, at_instance(found))
    assert "Along long runs the left side over the claimed order is at least n/100, which is not bounded.\n" in said
    told = answer(found, run_script(found.counterexample_source))
    assert told == "No: along long runs the left side over the claimed order is at least n/100, which is not bounded."


@pytest.mark.parametrize("paper", load_papers(), ids=lambda p: p.key)
def test_committed_answers_name_what_their_edit_needs(paper: Any) -> None:
    for shown in read_claims(load_rows(paper.folder / "ledger.json")):
        said = answer(shown, None)
        for found in shown.mended if shown.verdict.word == "refuted" else ():
            assert (", if also: " in said) == bool(found.conditions), shown.id
        assert "not with" not in said, shown.id


def test_what_is_proved_holds_and_what_was_searched_does_not() -> None:
    def mended(word: str) -> Claim:
        return claim("refuted", row("as printed", "refuted"), row("mended", word, "repair", edits=[_MEND]))

    assert answer(mended("proved"), None) == "No. It holds with a factor 2."
    assert answer(mended("holds"), None) == "No. No violation was found with a factor 2."


def test_a_refuted_print_that_nothing_restores_says_where_it_was_not_broken() -> None:
    fallen = row("drawn once", "refuted", "cut", cuts={"participation": "drawn once"}) | {"as_printed": True}
    found = claim("refuted", fallen, row("drawn afresh", "holds") | {"says": "every round anew"})
    assert not found.mended
    assert answer(found, None) == "No. No violation was found when read as “drawn afresh”."
    assert [(kind, str(said)) for kind, said in holds_instead(found)] == [
        ("when read as", "<ins>drawn afresh</ins>"),
        ("set up as", "every round anew"),
    ]
    proved = claim("refuted", fallen, row("size", "proved", part="size"))
    assert answer(proved, None) == "No. It holds of the part “size”."
    assert holds_instead(claim("refuted", fallen)) == ()


@pytest.mark.parametrize(
    ("said", "called"),
    [({}, "as printed"), ({"ours": "our question"}, "as asked"), ({"written": "the «⇒»"}, "as we write it out")],
)
def test_only_what_is_printed_is_called_printed(said: dict[str, str], called: str) -> None:
    (reading,) = claim("holds", row("plain", "holds"), **said).readings
    assert reading.what == called

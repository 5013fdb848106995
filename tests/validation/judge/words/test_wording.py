"""The line that says why: a repair somebody states has a verdict, one that a search came upon has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.committed import committed
from validation.judge.entry import Entry, Sides
from validation.judge.words.entry import _tells, headline, reworded, why
from validation.papers.papers import load_papers, select
from validation.script.straight_line import LONGEST
from validation.statement.roles import roles_of
from validation.statement.verdict import Verdict


def reading(name: str, verdict: str, repair: str | None = None, **found: Any) -> dict[str, Any]:
    plain = {"why": "because", "as_printed": repair is None, "restored_by": [], "edits": []}
    return {"name": name, "verdict": verdict, "repair": repair, **plain, **found}


def test_printed_readings_come_first_and_only_true_repairs_are_named() -> None:
    readings = [
        reading("with twice the bound", "holds", "edit"),
        reading("as printed", "refuted"),
        reading("on the line", "refuted", "condition"),
        reading("in the plane", "proved", "condition"),
    ]
    assert why(readings) == "as printed: refuted (because); with twice the bound: holds; with in the plane: proved"


def test_what_the_search_came_upon_does_not_hold_but_was_not_refuted() -> None:
    extra = {"switches": ["equal shares", "no noise"], "instances": 12345}
    edits = [{"says": "a factor 2", "instances": 10}, {"says": "a factor 3", "instances": 10}]
    assert why([reading("r", "refuted", restored_by=[extra], edits=edits)]) == (
        "r: refuted (because); r with equal shares and no noise: not refuted on 12,345 instances; "
        "r with a factor 2: not refuted on 10 instances"
    )
    assert why([reading("r", "holds")], [{"at": "large"}]).endswith("; beyond the bound over the class at large")


def test_a_choice_that_no_reading_is_of_is_named_where_it_leaves_the_word_open() -> None:
    ((paper, claim),) = select(["EA-D8"])
    (entry,) = [e for e in committed(paper) if e.id == claim.id]
    (gone,) = [i for i, r in enumerate(claim.readings) if r.name == "γ = L/μ, the condition from t = 0"]

    def without(rows: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(row for i, row in enumerate(rows) if i != gone)

    fewer = replace(claim, readings=without(claim.readings))
    roles = roles_of(claim)
    told = reworded(
        replace(entry, readings=without(entry.readings)), fewer, replace(roles, readings=without(roles.readings))
    )
    assert told.verdict == "inconclusive"
    assert told.why.endswith("; no reading is of gamma: L/μ with first_step: t = 0")
    assert "no reading is of" not in reworded(entry, claim, roles).why


def test_the_counterexample_shown_is_the_last_whose_sides_a_reader_tells_apart() -> None:
    sides = [("3", "2"), ("≈ 5.25", "3/4"), ("1000001/1000000", "1"), None]
    assert [_tells(None if s is None else {"left": s[0], "right": s[1]}) for s in sides] == [True, True, False, True]

    def tells(sides: Sides | None) -> bool:
        return _tells(None if sides is None else {"left": sides.left, "right": sides.right})

    entries = [e for p in load_papers() for e in committed(p) if e.counterexample]
    for entry in entries:
        refuted = [r for r in entry.readings if r.counterexample]
        (main,) = [r for r in refuted if r.counterexample == entry.counterexample]
        assert tells(main.exact) or not any(tells(r.exact) for r in refuted), entry.id


def test_of_counterexamples_that_are_as_good_one_on_a_page_is_shown() -> None:
    ((paper, claim),) = select(["EFL-T1"])
    (entry,) = [e for e in committed(paper) if e.id == claim.id]
    named = roles_of(claim)
    roles = replace(named, readings=tuple(replace(r, shown=False) for r in named.readings))
    shown = reworded(entry, claim, roles)
    sources = [r.counterexample_source for r in shown.readings if r.counterexample]
    pages = [source for source in sources if source.count("\n") <= LONGEST]
    assert 0 < len(pages) < len(sources)
    assert shown.counterexample_source in pages
    (main,) = [r for r in shown.readings if r.counterexample == shown.counterexample]
    assert main.counterexample_source == shown.counterexample_source
    # Of one that takes more than a page the last is shown, as of those that are pages.
    longer = replace(entry, readings=tuple(
        replace(r, counterexample_source=None) if r.counterexample_source in pages else r for r in entry.readings
    ))  # fmt: skip
    assert reworded(longer, claim, roles).counterexample_source.count("\n") > LONGEST
    # One that the claim names goes before.
    (asked,) = [i for i, r in enumerate(named.readings) if r.shown]
    own = reworded(entry, claim, named)
    assert own.counterexample_source == entry.readings[asked].counterexample_source != shown.counterexample_source


def test_what_is_asked_by_us_counts_for_neither_side_of_the_headline() -> None:
    def entry(verdict: str, weight: str | None = None, level: str = "lemma", ours: str | None = None) -> Entry:
        return Entry(id="X", level=level, verdict=Verdict(verdict), weight=weight, ours=ours)

    printed = [entry("holds"), entry("refuted", "result false"), entry("underspecified", "wording", "remark")]
    said = "1 of 2 theorems and lemmas stand as printed; 1 × result false; 1 × wording"
    assert headline(printed) == said
    asked = [entry("holds", ours="nowhere printed"), entry("underspecified", "wording", "remark", "nowhere printed")]
    assert headline([*printed, *asked]) == f"{said}; apart: 2 asked by us"


@pytest.mark.parametrize("paper", load_papers(), ids=lambda p: p.key)
def test_committed_entries_say_what_their_readings_say(paper: Any) -> None:
    for entry in committed(paper):
        assert entry.why.startswith(why(entry.json()["readings"])), entry.id

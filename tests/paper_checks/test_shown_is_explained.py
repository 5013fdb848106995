"""The instance that a page shows is the one that its explanation speaks of, where that can be told by numbers.

An explanation that quotes both sides of a reading's counterexample speaks of that instance. Where the page shows
another, the explanation has to say which part of it is on the instance shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from validation.judge.entry import Entry
from validation.judge.words.entry import reworded
from validation.ledger.ledger import load_entries
from validation.papers.papers import select
from validation.report.claims.claims import Claim, read_claims
from validation.report.claims.shown import shown_reading
from validation.report.text.numerals import numerals
from validation.statement.roles import roles_of

KEYS = ("exp_alpha", "fedaware", "efl", "fedssa", "robust_aggregation")
SHOWN = "the instance shown"
FALSE = {"refuted", "unstated-condition", "misprint", "underspecified"}


def _today(key: str) -> Iterator[tuple[Entry, Claim]]:
    pairs = select([key])
    held = {entry.id: entry for entry in load_entries(pairs[0][0].folder / "ledger.json")}
    for _, claim in pairs:
        entry = reworded(held[claim.id], claim, roles_of(claim))
        yield entry, read_claims([entry.json()])[0]


def _quoted(entry: Entry) -> list[str]:
    """The refuted readings whose two sides the explanation quotes."""
    said = numerals(entry.words or "")
    found = []
    for reading in entry.readings:
        if reading.exact is None or reading.counterexample_source is None:
            continue
        sides = [Fraction(side.removeprefix("≈ ")) for side in (reading.exact.left, reading.exact.right)]
        if sides[0] != sides[1] and all(any(n.says(side) for n in said) for side in sides):
            found.append(reading.name)
    return found


@pytest.mark.parametrize("key", KEYS)
def test_the_shown_instance_is_the_one_that_is_explained(key: str) -> None:
    wrong, told = [], 0
    for entry, claim in _today(key):
        shown = shown_reading(claim)
        quoted = _quoted(entry) if entry.verdict in FALSE and shown is not None else []
        told += bool(quoted)
        if quoted and shown is not None and shown.name not in quoted and SHOWN not in (entry.words or ""):
            wrong.append((claim.id, shown.name, quoted))
    assert wrong == []


def test_a_claim_shows_the_reading_that_it_declares() -> None:
    for entry, claim in _today("efl"):
        if claim.id == "EFL-T1":
            declared = [r.name for r in entry.readings if r.terms.shown]
            shown = shown_reading(claim)
            assert shown is not None
            assert declared == [shown.name] == ["positive part, participation depends on the past"]


@pytest.mark.parametrize("key", KEYS)
def test_a_repair_holds_all_that_its_judged_readings_say(key: str) -> None:
    for entry, claim in _today(key):
        rows = {reading.name: reading.terms for reading in entry.readings}
        for found in claim.mended:
            whole = found.whole
            for name in found.readings:
                terms = rows[name]
                said = [*terms.conditions, *terms.edits, *map(str, terms.options.values())]
                said = [one.replace("«", "“").replace("»", "”").strip().rstrip(".") for one in said]
                plain = whole.replace("«", "“").replace("»", "”")
                assert [one for one in said if one not in plain] == [], (claim.id, name)
            assert all(one.rstrip(".") in whole for one in found.says), claim.id


@pytest.mark.parametrize("key", KEYS)
def test_a_repair_with_fixed_weights_or_independent_noise_says_so_in_its_sentence(key: str) -> None:
    """What the print's hypotheses do not have is a condition of the sentence, not of its setting alone."""
    for _, claim in _today(key):
        for found in claim.mended:
            setting, given = " ".join(found.says), " ".join([found.sentence(), *claim.assumes, claim.printed])
            if "w fixed" in setting:
                assert "weights fixed" in given or "weights chosen" in given, claim.id
            if "noises independent" in setting:
                assert "independent" in found.sentence(), claim.id

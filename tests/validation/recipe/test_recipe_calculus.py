"""The words of a comparison: every combination of direction and size, options and verdicts."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.recipe.results.options import combined
from validation.recipe.statistics.calculus import (
    LEDGER_OF,
    WORD_OF,
    Direction,
    Ledger,
    Size,
    State,
    Word,
    conjunction,
    overall,
)

AGAINST = {"contradicted", "opposite"}
STATES = st.dictionaries(st.sampled_from(["a = 1", "a = 2", "b = 1"]), st.sampled_from(get_args(State)))
DEFAULTS = st.sampled_from(["reproduced", "contradicted", "opposite", "unresolved"])
VERDICTS = st.lists(st.sampled_from(get_args(Ledger)), min_size=1, max_size=4)


def test_every_combination_of_direction_and_size_has_a_word() -> None:
    assert set(WORD_OF) == set(product(get_args(Direction), get_args(Size)))
    assert set(WORD_OF.values()) == set(get_args(Word)) - {"depends"}


def test_a_word_says_what_direction_and_size_say() -> None:
    for (direction, size), word in WORD_OF.items():
        if direction == "opposite":
            assert word == "opposite"
        elif word == "reproduced":
            assert direction in {"same", "not asked"}
            assert size in {"equivalent", "not asked"}
            assert (direction, size) != ("not asked", "not asked")
        else:
            assert (word == "contradicted") == (size == "different")


def test_every_word_has_a_verdict_and_what_may_still_change_holds_and_refutes_nothing() -> None:
    assert set(LEDGER_OF) == set(product(get_args(Word), (False, True)))
    assert {LEDGER_OF[word, True] for word in get_args(Word)} == {"needs-run", "inconclusive"}
    assert {word for word in get_args(Word) if LEDGER_OF[word, False] == "holds"} == {"reproduced"}
    assert {word for word in get_args(Word) if LEDGER_OF[word, False] == "refuted"} == AGAINST


@given(DEFAULTS, STATES)
def test_a_word_stands_only_where_every_option_has_it_or_is_without_effect(
    default: Word, options: dict[str, State]
) -> None:
    told = overall(default, options)
    decided = {default, *options.values()} - {"screened", "unresolved", "not exercised"}
    if "reproduced" in decided and decided & AGAINST:
        assert told.word == "depends"
        assert told.depends
    elif "not exercised" in options.values() or "unresolved" in {default, *options.values()}:
        assert told.word == "unresolved"
    else:
        assert told.word == ("contradicted" if "contradicted" in decided else default)
        assert not told.why
    assert told.unexercised == tuple(name for name, state in options.items() if state == "not exercised")
    assert told.unresolved == tuple(name for name, state in options.items() if state == "unresolved")
    if told.word == "reproduced":
        assert set(options.values()) <= {"reproduced", "screened"}


def test_the_reasons_name_options_by_choice() -> None:
    told = overall("reproduced", {"rate = 1": "opposite", "rate = 2": "not exercised", "model = deep": "unresolved"})
    assert told.why == "depends on rate = 1; unresolved under model = deep; not exercised: rate = 2"
    assert overall("opposite", {"rate = 1": "reproduced"}).depends == ("rate = 1",)
    assert overall("unresolved", {"a = 1": "reproduced", "b = 1": "opposite"}).depends == ("a = 1", "b = 1")


@pytest.mark.parametrize("word", ["depends", "agrees"])
def test_the_word_at_the_defaults_is_one_of_four(word: Word) -> None:
    with pytest.raises(ValueError, match="expected reproduced"):
        overall(word, {})


@given(VERDICTS)
def test_a_claim_of_parts_is_kleenes_conjunction(verdicts: list[Ledger]) -> None:
    found = conjunction(verdicts)
    assert (found == "refuted") == ("refuted" in verdicts)
    assert (found == "holds") == (set(verdicts) == {"holds"})
    assert found in verdicts
    assert conjunction([*verdicts, "holds"]) == found
    assert conjunction(reversed(verdicts)) == found


def test_no_part_is_no_claim() -> None:
    with pytest.raises(ValueError, match="at least one"):
        conjunction([])


@pytest.mark.parametrize(
    ("effects", "found"),
    [
        ({"a": {"1": -1.0, "2": 2.0}, "b": {"1": -3.0, "2": 1.0}}, [{"a": "1", "b": "1"}, {"a": "2", "b": "2"}]),
        ({"a": {"1": -1.0}, "b": {"1": 1.0}}, []),  # each way one of them stays at its default
        ({"a": {"1": -1.0}}, []),
        ({}, []),
    ],
)
def test_extremes_are_of_two_choices_at_least(
    effects: dict[str, dict[str, float]], found: list[dict[str, str]]
) -> None:
    assert combined(effects) == found

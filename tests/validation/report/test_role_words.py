"""What a reading is, in one line: a setting meets a condition, and is free of what a cut attacks."""

from __future__ import annotations

from validation.judge.entry import Terms
from validation.judge.words.entry import in_words
from validation.report.claims.wording import role_words


def test_a_setting_is_not_said_to_meet_what_a_cut_attacks() -> None:
    cut = Terms(cuts={"weights": "change inside a round"}, met_by="FedAvg")
    assert role_words("cut", cut, {}) == "a case of it: weights (change inside a round); not so in FedAvg"
    assert in_words("cut", cut) == "cut: weights = change inside a round; not so in FedAvg"


def test_a_setting_meets_the_condition_of_a_special_case() -> None:
    restored = Terms(conditions=("weights fixed",), met_by="FedAvg")
    assert role_words("special case", restored, {}) == "with a condition: weights fixed; met by FedAvg"
    assert in_words("special case", restored) == "special case: weights fixed; met by FedAvg"

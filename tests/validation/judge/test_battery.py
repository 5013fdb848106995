"""False by overflow, underflow, rounding, rarity or only late, with true twins: no false word."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.battery import STATEMENTS, Statement
from validation.judge.run import run_test
from validation.statement.verdict import Verdict

BLIND = {"overflow", "underflow", "rounding"}  # where floating point does not look, exact arithmetic has to

each_statement = pytest.mark.parametrize("statement", STATEMENTS, ids=[f"{s.kind}: {s.name}" for s in STATEMENTS])


def verdict(statement: Statement, *, true: bool, budget: int, seed: int) -> Verdict:
    test = statement.true if true else statement.false
    return run_test(test, claim_id="battery", name=statement.name, budget=budget, seed=seed).verdict


def test_there_are_forty_of_five_kinds() -> None:
    assert Counter(s.kind for s in STATEMENTS) == dict.fromkeys([*BLIND, "rarity", "late horizon"], 8)


@each_statement
def test_false_statements_are_refuted_and_true_ones_hold(statement: Statement) -> None:
    found = verdict(statement, true=False, budget=1000, seed=0)
    if statement.kind != "rarity":  # a window of 4e-4 needs more than a thousand draws
        assert found is Verdict.REFUTED
    assert verdict(statement, true=True, budget=1000, seed=0) is Verdict.HOLDS


@pytest.mark.exhaustive
@pytest.mark.parametrize("budget", [1_000, 40_000])
def test_no_false_word_at_any_budget_and_seed(budget: int) -> None:
    table: Counter[tuple[str, str, str]] = Counter()
    for seed in (0, 1, 2):
        for statement in STATEMENTS:
            for true in (False, True):
                found = verdict(statement, true=true, budget=budget, seed=seed)
                table[statement.kind, "true" if true else "false", str(found)] += 1
    print(f"\nbudget {budget:,}, three seeds:", *(f"{k}: {n}" for k, n in sorted(table.items())), sep="\n  ")
    assert not any(n for (_, twin, word), n in table.items() if twin == "true" and word == "refuted")
    assert not any(
        n for (kind, twin, word), n in table.items() if kind in BLIND and twin == "false" and word == "holds"
    )
    if budget == 40_000:
        for kind in ("rarity", "late horizon"):
            assert table[kind, "false", "refuted"] >= 0.9 * 24

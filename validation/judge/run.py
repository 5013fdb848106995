"""One formal statement tested: searched, decided exactly, judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from validation.cost.allowed import DEFAULT_BUDGET
from validation.cost.limits import rechecking
from validation.judge.certify import UndefinedError, certify
from validation.judge.expectation import judge_expectation
from validation.judge.gram import judge_vectors
from validation.judge.orders import judge_order
from validation.judge.outcome import Outcome, judge, judge_identity, judge_number, judge_relation
from validation.search.search import Search, search
from validation.statement.claim import (
    Identity,
    Number,
    Property,
    Relation,
    Test,
)
from validation.statement.expectation import Expectation
from validation.statement.gram import VectorInequality
from validation.statement.orders import Order

__all__ = ["Tick", "run_test"]

Tick: TypeAlias = Callable[[int], None] | None
"""Told how many evaluations were just made."""


def run_test(
    test: Test,
    *,
    claim_id: str,
    name: str,
    budget: int,
    seed: int,
    stop_at_witness: bool = False,
    statement: str = "",
    warm: Mapping[str, Any] | None = None,
    tick: Tick = None,
    shown: bool = True,
) -> Outcome:
    """Test one formal statement. Everything random derives from (seed, claim_id, name); `warm` as in `search`.

    `shown` False: nobody will read a witness, so none is made simple, and the exact look at a statement that is not
    refuted is short.

    Raises `ValueError` for a budget below 1: what was never tried holds of nothing.
    """
    if budget < 1:
        raise ValueError(f"run_test(budget={budget}): expected at least 1 evaluation, {DEFAULT_BUDGET:,} by default")
    if isinstance(test, Identity):
        return judge_identity(test, claim_id, name)
    if isinstance(test, Relation):
        return judge_relation(test, claim_id, name)
    if isinstance(test, Number):
        return judge_number(test, claim_id, name)
    if isinstance(test, Order):
        return judge_order(test, claim_id, name)
    if isinstance(test, VectorInequality):
        return judge_vectors(test, claim_id, name, budget=max(200, budget // 10), seed=seed)
    if isinstance(test, Expectation):
        return judge_expectation(
            test,
            claim_id=claim_id,
            name=name,
            budget=budget,
            seed=seed,
            statement=statement,
            stop_at_witness=stop_at_witness,
            tick=tick,
        )
    if isinstance(test, Property):
        test = test.inequality
    label = f"{claim_id}/{name}"
    asked = 0

    def enough(found: Search) -> bool:
        nonlocal asked
        fresh = Search(witnesses=found.witnesses[asked:][:4])
        asked = len(found.witnesses)
        return certify(test.bound, fresh, seed, label, shrinking=False).witness is not None

    stop = enough if stop_at_witness else None
    with rechecking(UndefinedError, ArithmeticError, ValueError, IndexError, TypeError):
        found = search(test, budget=budget, seed=seed, label=label, warm=warm, stop=stop, tick=tick)
        return judge(test, found, claim_id, name, statement, seed, label, shown=shown)

"""One formal statement tested: searched, decided exactly, judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from validation.cost.allowed import DEFAULT_BUDGET
from validation.judge.expectation import judge_expectation
from validation.judge.gram import judge_vectors
from validation.judge.identities import judge_identity, judge_number
from validation.judge.inequalities import judge_inequality
from validation.judge.orders import judge_order
from validation.judge.relations import judge_relation
from validation.statement.claim import Identity, Number, Property, Relation, Test
from validation.statement.forms.expectation import Expectation
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.orders import Order
from validation.statement.outcome import Outcome

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
    glance: bool = False,
    key: str | None = None,
    rounds: Sequence[float] = (1.0,),
) -> Outcome:
    """Test one formal statement; `warm` as in `search`.

    Everything random derives from (seed, claim_id, key), where `key` says which test of the claim this is without any
    of its words («reading 2/edit 1»); without one, from its name. `shown` False: nobody will read a witness, so none is
    made simple and none is written down. `glance`: the exact look at a statement that is not refuted is short.
    `rounds`: shares of the budget, searched one after the other, each from the leaders of the one before; a certified
    violation ends them where `stop_at_witness` says so, else the last is judged.

    Raises `ValueError` for a budget below 1: what was never tried holds of nothing.
    """
    if isinstance(budget, bool) or not isinstance(budget, int | float):
        raise TypeError(f"run_test(budget={budget!r}): expected a number of evaluations, {DEFAULT_BUDGET:,} by default")
    if budget < 1:
        raise ValueError(f"run_test(budget={budget}): expected at least 1 evaluation, {DEFAULT_BUDGET:,} by default")
    label = f"{claim_id}/{name if key is None else key}"
    if isinstance(test, Identity):
        return judge_identity(test, claim_id, name)
    if isinstance(test, Relation):
        return judge_relation(test, claim_id, name)
    if isinstance(test, Number):
        return judge_number(test, claim_id, name)
    if isinstance(test, Order):
        return judge_order(test, claim_id, name)
    if isinstance(test, VectorInequality):
        return judge_vectors(test, claim_id, name, budget=max(200, budget // 10), seed=seed, label=label)
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
            shown=shown,
            label=label,
        )
    return judge_inequality(
        test.inequality if isinstance(test, Property) else test,
        claim_id=claim_id,
        name=name,
        budget=budget,
        seed=seed,
        label=label,
        stop_at_witness=stop_at_witness,
        statement=statement,
        warm=warm,
        tick=tick,
        shown=shown,
        glance=glance,
        rounds=rounds,
    )

"""Worlds: what a case observes fast is what it observes plainly, and it admits just what meets its hypotheses.

    python -m tests.paper_checks.test_worlds 1000     # so many draws a world

Every case of every claim written over a world, families at their usual and at their lowest sizes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.turns import in_turn
from theory.base.streams import stream
from theory.exact.budget import at_most_digits, at_most_operations
from theory.exact.errors import DigitsError, InexactError, OperationsError
from validation.papers.papers import select
from validation.statement.claim import Case, Claim, Inequality
from validation.statement.forms.formula_check import FormulaCheck
from validation.statement.instances.draw import stack, take
from validation.world.federated.drawn import Observe

CLAIMS = [claim for _, claim in select(["exp_alpha"])]


def cases(claim: Claim) -> Iterator[Case]:
    """Each world's case once, whatever is said over it."""
    seen = set()
    for item in (*claim.readings, *claim.mutants):
        for drawn in item.test.cases if isinstance(item.test, Inequality) else ():
            sizes = () if isinstance(drawn, Case) else (drawn.usual(), {s.name: s.low for s in drawn.sizes})
            for case in (drawn,) if isinstance(drawn, Case) else (drawn.at(**s) for s in sizes):
                told = observed(case)
                if told is not None and (key := (case.name, *told)) not in seen:
                    seen.add(key)
                    yield case


def observed(case: Case) -> tuple[Any, ...] | None:
    """What tells one case from another: who observes, and what was chosen. None: it is of no world."""
    observe = getattr(case.measure, "observe", None)
    if observe is None or not isinstance(case.exact, FormulaCheck):
        return None
    who = observer(case)
    if isinstance(who, Observe):
        return "described runs", who.options, who.corner, who.letters
    chosen = observe.keywords if isinstance(observe, partial) else {}
    return who.__name__, *sorted((k, str(v)) for k, v in chosen.items())


def observer(case: Case) -> Any:
    """The function that observes a world's case, whatever it stands in."""
    observe = case.measure.observe  # type: ignore[attr-defined]
    while hasattr(observe, "observe") or isinstance(observe, partial):
        observe = observe.func if isinstance(observe, partial) else observe.observe
    return observe


def differing(case: Case, n: int) -> tuple[list[str], int]:
    """What differs between the fast and the plain side of a case, and at how many instances both were computed."""
    assert case.exact is not None
    rng = stream(0, f"worlds/{case.name}")
    drawn = case.space.decode(case.space.random(rng, n))
    instances, plains = [], []
    for i in range(n):
        instance = case.space.rationalise(take(drawn, i), 12)
        try:
            with at_most_operations(20_000), at_most_digits(2_000):
                plains.append(case.exact.function(instance))
        except (ZeroDivisionError, DigitsError, OperationsError, InexactError):
            continue
        instances.append(instance)
    if not instances:
        return [], 0
    x = stack(instances)
    with np.errstate(all="ignore"):
        fast, scales = dict(case.measure(x)), case.measure.observe(x).get("sizes", {})
    rows = {name: np.broadcast_to(value, len(instances)) for name, value in fast.items() if name != "sizes"}
    sizes = {name: np.broadcast_to(value, len(instances)) for name, value in scales.items()}
    wrong: list[str] = []
    compared = 0
    for i, (instance, (met, plain)) in enumerate(zip(instances, plains, strict=True)):
        admitted = all(bool(rows[flag][i]) for flag in ("admissible", "resolved") if flag in rows)
        unmet = [name for name, holds in met.items() if not holds]
        if any("simplex" in name or "sum to one" in name for name in unmet):
            continue  # shares in short fractions may leave it
        if unmet and admitted:
            wrong.append(f"admitted, but {unmet}: {instance}")
        compared += admitted and not unmet
        largest = float(min(max((abs(Fraction(v)) for v in plain.values()), default=0), 10**300))
        for name in plain.keys() & rows.keys() if admitted and not unmet else ():
            exact, value = Fraction(plain[name]), float(rows[name][i])
            if abs(exact) > 10**300 and not np.isfinite(value):
                continue  # beyond the range of floats
            size = abs(float(exact)) + float(sizes[name][i] if name in sizes else 0.0) + 1e-12 * largest
            size += float(rows["magnitude"][i]) if name == "lhs" or not sizes else 0.0
            if not abs(value - float(exact)) <= 1e-9 * size:
                wrong.append(f"{name}: {value} for {float(exact)} (size {size}): {instance}")
    return wrong, compared


@pytest.mark.parametrize("claim", in_turn({c.id: c for c in CLAIMS if next(cases(c), None)}, of=3))
def test_fast_is_plain(claim: Claim) -> None:
    for case in cases(claim):
        wrong, _ = differing(case, 16)
        assert not wrong, f"{case.name}: {wrong[0]}"


def main(n: int) -> None:
    """The same at `n` draws a world, shared out over its cases; a world is who observes, whatever is chosen."""
    worlds: dict[str, list[tuple[str, Case]]] = {}
    for claim in CLAIMS:
        for case in cases(claim):
            who = observer(case)
            name = type(who).__name__ if isinstance(who, Observe) else who.__name__
            worlds.setdefault(f"{who.__module__}.{name}", []).append((claim.id, case))
    total = 0
    for name, held in worlds.items():
        seen = 0
        for claim_id, case in held:
            wrong, compared = differing(case, -(-n // len(held)))
            seen += compared
            if wrong:
                print(f"{claim_id}, {case.name}: {len(wrong)} differ, first {wrong[0][:400]}", flush=True)
        print(f"{name}: {seen} instances of {len(held)} cases compared", flush=True)
        total += seen
    print(f"{len(worlds)} worlds, {total} instances compared")


if __name__ == "__main__":
    main(int(sys.argv[1]))

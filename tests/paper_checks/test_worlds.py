"""Worlds: what a case observes fast is what it observes plainly, and it admits just what meets its hypotheses.

    python -m tests.paper_checks.test_worlds 1000     # so many draws a case

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

from theory.exact.budget import at_most_digits, at_most_operations
from theory.exact.errors import DigitsError, InexactError, OperationsError
from theory.streams import stream
from validation.job.papers import select
from validation.statement.claim import Case, Claim, Inequality
from validation.statement.draw import take
from validation.statement.formula_check import FormulaCheck

CLAIMS = [claim for _, claim in select(["exp_alpha"])]


def cases(claim: Claim) -> Iterator[Case]:
    """Each world's case once, whatever is said over it."""
    seen = set()
    for item in (*claim.readings, *claim.canaries):
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
    if isinstance(observe, partial):
        return observe.func.__name__, *sorted((k, str(v)) for k, v in observe.keywords.items())
    return (observe.__name__,)


def floats(value: Any) -> Any:
    return [floats(v) for v in value] if isinstance(value, list) else float(value)


def differing(case: Case, n: int) -> tuple[list[str], int]:
    """What differs between the fast and the plain side of a case, and at how many instances both were computed."""
    assert case.exact is not None
    rng = stream(0, f"worlds/{case.name}")
    drawn = case.space.decode(case.space.random(rng, n))
    wrong: list[str] = []
    compared = 0
    for i in range(n):
        instance = case.space.rationalise(take(drawn, i), 12)
        try:
            with at_most_operations(20_000), at_most_digits(2_000):
                met, plain = case.exact.function(instance)
        except (ZeroDivisionError, DigitsError, OperationsError, InexactError):
            continue
        with np.errstate(all="ignore"):
            fast = dict(case.measure({k: np.asarray([floats(v)]) for k, v in instance.items()}))
            sizes = case.measure.observe({k: np.asarray([floats(v)]) for k, v in instance.items()}).get("sizes", {})
        admitted = bool(np.all(fast.get("admissible", True)))
        unmet = [name for name, holds in met.items() if not holds]
        if any("simplex" in name or "sum to one" in name for name in unmet):
            continue  # shares in short fractions may leave it
        if unmet and admitted:
            wrong.append(f"admitted, but {unmet}: {instance}")
        compared += admitted and not unmet
        largest = max((abs(float(Fraction(v))) for v in plain.values()), default=0.0)
        for name in plain.keys() & fast.keys() if admitted and not unmet else ():
            exact, value = Fraction(plain[name]), float(np.ravel(fast[name])[0])
            size = abs(float(exact)) + float(np.ravel(sizes.get(name, 0.0))[0]) + 1e-12 * largest
            size += float(np.ravel(fast["magnitude"])[0]) if name == "lhs" or not sizes else 0.0
            if not abs(value - float(exact)) <= 1e-9 * size:
                wrong.append(f"{name}: {value} for {float(exact)} (size {size}): {instance}")
    return wrong, compared


@pytest.mark.parametrize("claim", [c for c in CLAIMS if next(cases(c), None)], ids=lambda c: c.id)
def test_fast_is_plain(claim: Claim) -> None:
    for case in cases(claim):
        wrong, _ = differing(case, 6)
        assert not wrong, f"{case.name}: {wrong[0]}"


def main(n: int) -> None:
    """The same at `n` draws a case, case by case."""
    total = 0
    for claim in CLAIMS:
        for case in cases(claim):
            wrong, compared = differing(case, n)
            total += compared
            if wrong:
                print(f"{claim.id}, {case.name}: {len(wrong)} of {n} differ, first {wrong[0][:400]}", flush=True)
    print(f"{total} instances compared")


if __name__ == "__main__":
    main(int(sys.argv[1]))

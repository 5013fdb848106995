"""No letter of a paper is observed with a sign that is not declared of it."""

from __future__ import annotations

import pytest

from tests.paper_checks.test_claims import EVERYTHING, some_cases
from validation import Inequality
from validation.verdict.declared import first_broken

_LONG = 30  # cost from which a case is left to the nightly run


def broken_declarations(*, every_case: bool) -> list[str]:
    """What corners and random draws of each claim's first case break, or of every case."""
    found, seen = [], set()
    for _, claim in EVERYTHING:
        for item in (*claim.readings, *claim.mutants):
            if not isinstance(item.test, Inequality):
                continue
            cases = some_cases(item.test)
            for case in cases if every_case else cases[:1]:
                key = (claim.id, item.test.bound.letters, case.name)
                if key not in seen and (every_case or case.cost < _LONG):
                    seen.add(key)
                    words = first_broken(item.test.bound, case)
                    found += [f"{claim.id} ({item.name}), {case.name}: {words}"] if words else []
    assert len(seen) > 500
    return found


def test_first_cases_of_all_claims_keep_what_is_declared() -> None:
    assert broken_declarations(every_case=False) == []


@pytest.mark.nightly
def test_all_cases_of_all_claims_keep_what_is_declared() -> None:
    assert broken_declarations(every_case=True) == []

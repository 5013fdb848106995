"""A pytest plugin: claims written in a test module become tests, and a budget can be set from the command line.

pytest finds it by its entry point where fedverdict is installed, and `-p no:validation.pytest_plugin` leaves it out. It
loads nothing but pytest itself.
A module-level `Claim` whose name starts with `claim` is collected: each printed reading must hold, and each mutant must
be refuted; instances `at(…)` that it names are evaluated exactly. The fixture `fedverdict_budget` gives the budget to
one's own calls of `assert_holds`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

__all__ = ["ClaimItem"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the command line."""
    group = parser.getgroup("fedverdict")
    group.addoption("--fedverdict-budget", type=int, default=40_000, help="Evaluations for each reading of a claim.")
    group.addoption("--fedverdict-seed", type=int, default=0, help="Seed that the search of a claim derives from.")


@pytest.fixture
def fedverdict_budget(request: pytest.FixtureRequest) -> int:
    """Evaluations for each reading, from --fedverdict-budget."""
    return int(request.config.getoption("--fedverdict-budget"))


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> list[pytest.Item] | None:
    """Items for a claim called claim…, in the module where it stands."""
    kind = type(obj)
    if not name.startswith("claim") or kind.__name__ != "Claim" or kind.__module__ != "validation.statement.claim":
        return None
    return list(_items(collector, obj))


def _items(collector: Any, claim: Any) -> Iterator[pytest.Item]:
    yield ClaimItem.from_parent(collector, name=f"{claim.id} holds", claim=claim, mutant=None)
    for mutant in claim.mutants:
        yield ClaimItem.from_parent(collector, name=f"{claim.id} mutant: {mutant.name}", claim=claim, mutant=mutant)


class ClaimItem(pytest.Item):
    """One claim to hold, or one of its mutants to be refuted."""

    def __init__(self, *, claim: Any, mutant: Any, **given: Any) -> None:
        super().__init__(**given)
        self.claim, self.mutant = claim, mutant

    def runtest(self) -> None:
        """Attack the claim, or its mutant."""
        from validation.papers.named import named_instances
        from validation.verdict.testing import assert_holds, find_counterexample

        name = None if self.mutant is None else self.mutant.name
        for named in named_instances(self.claim):
            if named.mutant == name and not named.shown:
                raise AssertionError(f"{named}; it does not")
        budget = int(self.config.getoption("--fedverdict-budget"))
        seed = int(self.config.getoption("--fedverdict-seed"))
        if self.mutant is None:
            assert_holds(self.claim, budget=budget, seed=seed)
        elif find_counterexample(self.mutant.test, budget=budget, seed=seed, name=self.claim.id) is None:
            raise AssertionError(f"mutant {self.mutant.name!r} survives, though {self.mutant.false_since}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The message alone: the frames are ours, not the user's."""
        if isinstance(excinfo.value, AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where pytest says the item stands."""
        return self.path, None, self.name

"""The statements of the benchmark of nearly tight bounds and late sizes are what they are said to be; one is found."""

from __future__ import annotations

import numpy as np
import pytest

from tests.benchmarks import nearly_tight
from tests.traps.late import Late, late_statements
from tests.traps.nearly_tight import NEARLY_TIGHT, NearlyTight
from validation import Case, Family
from validation.papers.papers import select
from validation.search.arms import concrete
from validation.search.scores import TOLERANCE, evaluate
from validation.search.search import search
from validation.statement.claim import Inequality, Property

OWN = [statement for statement in late_statements() if not statement.name.startswith("TRAP")]


def printed(trap: NearlyTight) -> Inequality:
    ((_, claim),) = select([trap.claim])
    (test,) = [r.test for r in claim.readings if r.name == trap.reading]
    test = test.inequality if isinstance(test, Property) else test
    assert isinstance(test, Inequality)
    return test


@pytest.mark.parametrize("trap", NEARLY_TIGHT, ids=lambda t: t.claim)
def test_a_nearly_tight_bound_is_below_the_one_that_holds(trap: NearlyTight) -> None:
    rng, full, smaller = np.random.default_rng(0), printed(trap).bound, False
    for case in concrete(trap.test)[:8]:
        constants = case.measure(case.space.decode(case.space.random(rng, 50)))
        (less, scale), more = trap.test.bound(constants), full.value(constants)
        known = np.isfinite(scale) & np.isfinite(more)  # rates that no draw can have give NaN on both
        assert known.any()
        assert (less <= more + 1e-12 * scale)[known].all()
        smaller |= bool((less < more)[known].any())
    assert smaller


def test_a_bound_that_is_false_beside_equality_alone_is_found() -> None:
    """Lemma 1 with 6/25 of the drift: false by 1e-4 of the right side, and both are equal for clients all alike."""
    (trap,) = [t for t in NEARLY_TIGHT if t.claim == "EA-L1"]
    found = [
        search(trap.test, budget=100_000, seed=seed, label="l1", stop=lambda seen: bool(seen.witnesses))
        for seed in range(5)
    ]
    assert sum(bool(one.witnesses) for one in found) >= 4
    assert all(one.instances < 40_000 for one in found)


def sized(statement: Late, size: int) -> Case | None:
    """The case of a family whose sizes multiply to `size`, the first ones 1; None where the instance draws the size."""
    (item,) = statement.test.cases
    if not isinstance(item, Family):
        return None
    *others, last = [s.name for s in item.sizes]
    return item.at(**dict.fromkeys(others, 1), **{last: size})


def violated(statement: Late, case: Case, n: int = 2000) -> bool:
    rng = np.random.default_rng(0)
    cubes = (case.space.corners(rng, n), case.space.random(rng, n))
    return any(bool((evaluate(statement.test.bound, case, cube).excess > TOLERANCE).any()) for cube in cubes)


@pytest.mark.parametrize("statement", OWN, ids=lambda s: s.name)
def test_a_late_statement_is_true_up_to_its_size(statement: Late) -> None:
    for size in (1, 2, statement.first // 2, statement.first):
        case = sized(statement, size)
        if case is not None:
            assert not violated(statement, case)


def test_there_are_twenty_late_statements_of_different_names() -> None:
    assert len({s.name for s in late_statements()}) == 20
    assert len({t.claim for t in NEARLY_TIGHT}) == 10


def test_the_benchmark_prints_a_row_for_each_statement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nearly_tight, "late_statements", lambda: OWN[:1])
    nearly_tight.main(["--only", "late", "--seeds", "1", "--budget", "10000"])
    rows = capsys.readouterr().out.splitlines()
    assert "refuted 1 of 1" in rows[0]
    assert "met: 90 %" in rows[1]

"""Each bound of the second set of nearly tight ones is false, by a little and in a small corner, and shown to be so."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.benchmarks import nearly_tight
from tests.traps.nearly_tight import NEARLY_TIGHT
from tests.traps.sealed import SEALED, Sealed
from tests.validation.search.test_hard_statements import printed
from theory.exact.decide import near
from validation.judge.exact.certify import recheck
from validation.search.scores import TOLERANCE, evaluate
from validation.statement.instances.draw import stack

each = pytest.mark.parametrize("sealed", SEALED, ids=lambda s: s.trap.claim)


@each
def test_a_sealed_bound_is_false_exactly_at_its_instance_where_the_printed_one_holds(sealed: Sealed) -> None:
    case = sealed.case
    assert case.exact is not None
    assert case.space.keeps(sealed.instance)
    violated, left, right = recheck(sealed.trap.test.bound, case.exact, sealed.instance)
    assert violated
    by = (near(left) - near(right)) / abs(near(right))
    assert Fraction(1, 10_000) <= by <= Fraction(1, 2)
    assert not recheck(printed(sealed.trap).bound, case.exact, sealed.instance)[0]


@each
def test_floats_see_that_a_sealed_bound_is_false_at_its_instance(sealed: Sealed) -> None:
    constants = sealed.case.measure(stack([sealed.instance]))
    (right,), _ = sealed.trap.test.bound(constants)
    assert float(np.asarray(constants["lhs"])[0]) > float(right) + TOLERANCE * abs(float(right))


@each
def test_a_sealed_bound_is_false_on_few_random_draws_of_its_case(sealed: Sealed) -> None:
    case, n = sealed.case, 4000
    scores = evaluate(sealed.trap.test.bound, case, case.space.random(np.random.default_rng(0), n))
    assert int((scores.excess > TOLERANCE).sum()) < n // 50


def test_sealed_bounds_are_ten_of_other_claims() -> None:
    claims = {s.trap.claim for s in SEALED}
    assert len(claims) == 10
    assert not claims & {t.claim for t in NEARLY_TIGHT}


def test_the_benchmark_prints_a_row_for_each_sealed_bound_and_its_target(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = [s for s in SEALED if s.trap.claim == "K27"]
    monkeypatch.setattr(nearly_tight, "SEALED", quick)
    nearly_tight.main(["--only", "sealed", "--seeds", "1", "--budget", "100"])
    (row,) = capsys.readouterr().out.splitlines()
    assert row.startswith("K27: of the half with +")
    assert "of 1" in row
    assert "4 of 5 seeds" in row

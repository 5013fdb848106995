"""Exact means of a statement in expectation: a case that is too dear is left after two, and half is not most."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.validation.judge.test_audit_groups import BOUND, half, kept, long
from validation.judge.exact.certify import Said
from validation.judge.exact.means import Means, exact_means


def test_a_case_beyond_the_limits_is_asked_twice_and_others_still() -> None:
    dear, cheap = kept(long, name="dear").case, kept(half, name="cheap").case
    point = np.asarray([0.5])
    found = exact_means(BOUND, [*[(dear, point)] * 5, (cheap, point)])
    assert found.said == {Said.UNDECIDED: 2, Said.MET: 1}
    assert found.ratio == Fraction(1, 2)


@pytest.mark.parametrize(("met", "undecided", "still_open"), [(2, 2, False), (2, 3, True), (0, 0, False)])
def test_means_are_open_where_most_stay_undecided(met: int, undecided: int, still_open: bool) -> None:
    assert Means(said={Said.MET: met, Said.UNDECIDED: undecided}).open is still_open

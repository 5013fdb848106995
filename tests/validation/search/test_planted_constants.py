"""Constants of the machinery that a slip of a digit would change: each has a test that would see it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp

from validation import Bound, Case, Inequality, LogScale, Space
from validation.search.search import search
from validation.study.constants import _Pool

C = sp.Symbol("c", positive=True)
CASE = Case("one", Space((LogScale("c", 1e-2, 1e2),)), lambda x: {"lhs": x["c"], "c": x["c"]})


def test_a_violation_by_one_in_ten_million_is_a_candidate_already_in_floats() -> None:
    less = Bound(C * sp.Rational(10**7 - 1, 10**7))
    assert search(Inequality(less, (CASE,)), budget=200, seed=0, label="small").witnesses
    assert not search(Inequality(Bound(C), (CASE,)), budget=200, seed=0, label="small").witnesses


def test_shares_that_a_bound_can_lose_are_rounded_down() -> None:
    """With 0.6 thousandths to spare not a thousandth can go; with 1.6 exactly one can."""
    for slack, share in ((0.0006, 0), (0.0016, Fraction(1, 1000)), (0.9999, Fraction(999, 1000))):
        pool = _Pool({"c": C}, np.array([[1.0]]), np.array([slack]))
        (found,) = pool.shares(np.ones(1))
        assert found == float(share)
        assert found <= slack

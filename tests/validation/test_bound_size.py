"""The scale that cancellation is measured against, where sums stand inside Max, Min and Abs."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from validation.statement.bound import Bound

a, b, c = sp.symbols("a b c")
AT = {"a": np.asarray([3.0]), "b": np.asarray([3.0]), "c": np.asarray([6.0])}


@pytest.mark.parametrize(
    ("formula", "value", "size"),
    [
        (a - b, 0, 6),
        (sp.Max(a - b, c - 2 * b), 0, 12),
        (2 * sp.Min(a - b, b - a) + c, 6, 18),
        (sp.Abs(a - b), 0, 6),
        (sp.Max(a, b), 3, 3),  # nothing cancels
        (c / sp.Max(a, b - 2), 2, 2),
    ],
)
def test_what_cancels_inside_counts(formula: object, value: float, size: float) -> None:
    found = Bound(formula)(AT)
    assert [float(side[0]) for side in found] == [value, size]

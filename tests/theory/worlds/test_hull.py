"""More than five vectors: the fast shortest point of a hull is the exact one, and the exact one is optimal."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from theory.exact import dot, weighted_sum
from theory.worlds.hull import first_optimal, nearest, shortest, squares, stationary_points


def whole(n: int, d: int, seed: int, shift: int) -> Any:
    """(10, n, d) whole numbers; a larger shift keeps 0 out of the hull."""
    return np.random.default_rng(seed).integers(-9 + shift, 10 + shift, size=(10, n, d))


def exactly(m: Any) -> list[list[Fraction]]:
    return [[Fraction(int(c)) for c in v] for v in m]


@pytest.mark.parametrize(("n", "d"), [(6, 2), (6, 8), (8, 3), (8, 5), (9, 2)])
@pytest.mark.parametrize("shift", [0, 4, 12])
def test_many_vectors_fast_and_exactly(n: int, d: int, shift: int) -> None:
    drawn = whole(n, d, n * d, shift)
    drawn[0, 1] = drawn[0, 0]  # twice the same
    drawn[1, 2:] = drawn[1, :2].sum(axis=0)  # all but two the same
    drawn[2] = drawn[2, :1] * np.arange(1, n + 1)[:, None]  # on a ray
    drawn[3, [1, 4]] = 0
    weights, point = nearest(drawn.astype(float))
    assert np.all(weights >= 0)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-13)
    assert weights[3].tolist() == [0.5 if i in (1, 4) else 0.0 for i in range(n)]
    for row, m in enumerate(map(exactly, drawn)):
        found, d_exact = shortest(m)
        assert sum(found) == 1
        assert min(found) >= 0
        assert weighted_sum(found, m) == d_exact
        assert min(dot(v, d_exact) for v in m) >= dot(d_exact, d_exact)
        apart = squares(point[row] - np.asarray([float(c) for c in d_exact]))
        assert apart <= 1e-20 * squares(drawn[row]).max()


@pytest.mark.parametrize("shift", [0, 6])
def test_the_smallest_optimal_face_has_the_point_that_all_faces_have(shift: int) -> None:
    for m in map(exactly, whole(5, 3, 7, shift)):
        least = min((point for _, point in stationary_points(m)), key=lambda p: dot(p, p))
        assert first_optimal(m)[1] == least


def test_what_is_not_finite_has_no_weights_and_leaves_the_others_alone() -> None:
    drawn = whole(7, 3, 1, 5).astype(float)
    alone = nearest(drawn[1:])[0]
    drawn[0, 2, 1] = np.nan
    weights, _ = nearest(drawn)
    assert np.isnan(weights[0]).all()
    np.testing.assert_array_equal(weights[1:], alone)

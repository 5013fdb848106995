"""The minimum-norm point, judged by its certificate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.strategies import decimals
from theory.exact import rational
from theory.exact.weights import min_norm
from theory.minnorm import certificate, min_norm_point


@given(rows=st.lists(st.lists(decimals(-4, 4), min_size=3, max_size=3), min_size=1, max_size=5))
def test_against_exact_enumeration(rows: list[list[float]]) -> None:
    vectors = np.asarray(rows)
    point = min_norm_point(vectors @ vectors.T)
    exact = min_norm(rational(rows), [True] * len(rows))
    direction = np.asarray([float(w.p) / float(w.q) for w in exact]) @ vectors
    scale = max(1.0, float((vectors**2).sum(axis=1).max()))
    assert point.squared_norm == pytest.approx(float(direction @ direction), abs=1e-9 * scale)
    assert point.gap >= point.squared_norm - float(direction @ direction) - 1e-12 * scale


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("n", [2, 10, 50])
def test_kkt_residual_is_small_at_every_scale(n: int, scale: float) -> None:
    vectors = np.random.default_rng(n).normal(size=(n, 200)) * scale
    point = min_norm_point(vectors @ vectors.T)
    assert point.status == "optimal"
    assert point.kkt_residual <= 1e-10
    assert point.weights.sum() == pytest.approx(1)


def test_duplicates_leave_the_direction_alone() -> None:
    vectors = np.random.default_rng(0).normal(size=(4, 6))
    doubled = np.concatenate([vectors, vectors[:2]])
    one, two = min_norm_point(vectors @ vectors.T), min_norm_point(doubled @ doubled.T)
    np.testing.assert_allclose(one.weights @ vectors, two.weights @ doubled, atol=1e-7)


def test_orthogonal_updates_get_inverse_square_weights() -> None:
    sizes = np.asarray([1.0, 2.0, 4.0])
    point = min_norm_point(np.diag(sizes**2))
    np.testing.assert_allclose(point.weights, sizes**-2 / (sizes**-2).sum(), rtol=1e-9)
    assert 1 / point.squared_norm == pytest.approx((sizes**-2).sum())


def test_zero_in_the_hull_and_zero_updates() -> None:
    vectors = np.asarray([[1.0, 0.0], [-1.0, 0.0]])
    assert min_norm_point(vectors @ vectors.T).squared_norm == pytest.approx(0.0, abs=1e-12)
    assert min_norm_point(np.zeros((3, 3))).weights.tolist() == [1 / 3] * 3


def test_the_certificate_sees_a_wrong_answer() -> None:
    gram = np.diag([1.0, 4.0])
    _, gap, kkt = certificate(gram, np.asarray([0.5, 0.5]))
    assert gap > 0.1
    assert kkt > 0.1

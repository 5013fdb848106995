"""The compiled active set at every processor level: against the certificate, other solvers, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.theory.minnorm_problems import FAMILIES, problem
from tests.theory.simulate.test_compiled import fresh, kernels
from theory.compiled.library import Library
from theory.minnorm import certify, min_norm_point
from theory.minnorm.active_set import ONE_BY_ONE, TARGET, active_set
from theory.minnorm.compiled import judged, shortest

__all__ = ["fresh", "kernels"]  # fixtures

# Eight orders of magnitude beside each other with 0 in the hull, and updates equal to twelve digits.
HARD = {"wild scales, near stationary": 1e-10, "nearly equal": 1e-12}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 2, 7, 33, 80])
def test_the_kernel_is_at_rounding_level_and_says_so(
    monkeypatch: pytest.MonkeyPatch, kernels: Library, n: int, family: str
) -> None:
    updates = [problem(family, n, seed) for seed in range(5)]
    grams = np.stack([vectors @ vectors.T for vectors in updates])
    monkeypatch.setattr("theory.minnorm.compiled.library", lambda: kernels)
    found = shortest(grams)
    assert found is not None
    monkeypatch.setattr("theory.minnorm.compiled.library", lambda: None)
    for gram, vectors, weights, residual in zip(grams, updates, *found, strict=True):
        judged, other = certify(gram, weights), min_norm_point(gram)
        assert judged.kkt_residual <= HARD.get(family, TARGET)
        # Inner products are summed in another order than BLAS has it.
        assert judged.kkt_residual == pytest.approx(residual, rel=1e-3, abs=4e-15)
        assert (weights >= 0).all()
        assert abs(weights.sum() - 1) <= 4 * n * np.finfo(float).eps
        assert other.solver_status != "one by one"
        assert judged.squared_norm <= other.squared_norm + 1e-12 * max(judged.scale, other.gap)
        if family == "full support":  # unique weights
            np.testing.assert_allclose(weights, other.weights, rtol=0, atol=1e-12)
            assert vectors.shape[1] > n


def test_what_the_kernel_refuses_others_solve(monkeypatch: pytest.MonkeyPatch, kernels: Library) -> None:
    monkeypatch.setattr("theory.minnorm.compiled.library", lambda: kernels)
    gram = np.eye(4)
    gram[2, 2] = 0.0
    nan = np.eye(3)
    nan[0, 1] = nan[1, 0] = np.nan
    for bad in (gram, nan, np.full((2, 2), np.inf)):
        found = shortest(bad)
        assert found is not None
        assert found[1] == np.inf
        assert not found[0].any()
    assert shortest(np.eye(3, dtype=np.float32)) is None
    many = problem("full support", 2 * ONE_BY_ONE, 0)
    square = many @ many.T
    given_up = shortest(square, most=10)
    assert given_up is not None
    assert given_up[1] == np.inf
    assert active_set(square)[2] == "block pivoting"
    few = problem("heterogeneous", 2 * ONE_BY_ONE, 0)
    assert active_set(few @ few.T)[2] == "one by one"
    assert active_set(few @ few.T, max_iterations=100)[2] == "block pivoting"


def test_a_transposed_or_absent_part_is_read_as_it_is_meant(monkeypatch: pytest.MonkeyPatch, kernels: Library) -> None:
    monkeypatch.setattr("theory.minnorm.compiled.library", lambda: kernels)
    vectors = problem("full support", 9, 3)
    gram, present = vectors @ vectors.T, np.arange(9) % 3 > 0
    found, inside = shortest(gram, present), shortest(gram[np.ix_(present, present)])
    assert found is not None
    assert inside is not None
    np.testing.assert_allclose(found[0][present], inside[0], rtol=0, atol=1e-15)
    assert not found[0][~present].any()
    stacked = np.stack([gram, np.eye(9)], axis=-1)  # problems innermost
    moved = shortest(stacked.transpose(2, 0, 1), np.stack([present, present]))
    assert moved is not None
    np.testing.assert_array_equal(moved[0][0], found[0])
    np.testing.assert_allclose(moved[0][1], present / 6, atol=1e-15)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [2, 7, 33, 130])
def test_the_kernel_judges_as_the_certificate_does(
    monkeypatch: pytest.MonkeyPatch, kernels: Library, n: int, family: str
) -> None:
    monkeypatch.setattr("theory.minnorm.compiled.library", lambda: kernels)
    for seed in range(3):
        vectors = problem(family, n, seed)
        gram = vectors @ vectors.T
        found = judged(gram, n)
        if found is None:  # an update is 0
            assert not gram.diagonal().all()
            continue
        weights, figures = found
        said = certify(gram, weights)
        close = {"rel": 1e-12, "abs": 4e-14 * said.scale}  # sums in another order
        assert figures[0] == pytest.approx(said.squared_norm, **close)
        assert figures[1] == pytest.approx(said.gap, **close | {"abs": 4e-14 * gram.diagonal().max()})
        assert figures[2:4] == pytest.approx([said.violation, said.kkt_residual], rel=1e-3, abs=4e-14)
        assert figures[4] == pytest.approx(said.scale, rel=1e-12)
        point = min_norm_point(gram)
        if point.solver_status == "one by one":
            assert (point.weights == weights).all()
            assert [point.squared_norm, point.gap, point.violation, point.kkt_residual] == figures[:4]
            assert point.relative_gap == (figures[1] / figures[0] if figures[0] else 0.0 if not figures[1] else np.inf)


def test_what_is_no_gram_matrix_is_left_to_who_says_why(monkeypatch: pytest.MonkeyPatch, kernels: Library) -> None:
    monkeypatch.setattr("theory.minnorm.compiled.library", lambda: kernels)
    good = np.eye(40) + 0.5
    assert judged(good, 40) is not None
    assert judged(good, 3) is None  # everybody counts
    for place, value in (((3, 38), 0.6), ((38, 3), np.nan), ((3, 3), np.inf), ((5, 5), -1.0), ((5, 5), 0.0)):
        bad = good.copy()
        bad[place] = value
        assert judged(bad, 40) is None
    other: tuple[object, ...] = (good.tolist(), good.astype(np.float32), good[:, :3], good[None], good[::2, ::2])
    assert all(judged(matrix, 40) is None for matrix in other)


@pytest.mark.parametrize("apart", [0.0, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("drift", [0.0, 1.0])
@pytest.mark.parametrize(("n", "groups"), [(100, 1), (100, 25), (300, 100), (500, 10)])
def test_equal_and_nearly_equal_clients_count_as_one(n: int, groups: int, drift: float, apart: float) -> None:
    """One of each group has weight, and the point is that of the groups alone."""
    rng = np.random.default_rng(n + groups)
    rows = rng.normal(size=(groups, 1000)) + drift * rng.normal(size=1000)
    updates = rows[np.arange(n) % groups] + apart * rng.normal(size=(n, 1000))
    point = min_norm_point(updates @ updates.T)
    assert point.solver_status == "one by one"
    assert point.kkt_residual <= TARGET
    alone = min_norm_point(rows @ rows.T)
    assert point.squared_norm == pytest.approx(alone.squared_norm, rel=1e-12 + 40 * apart)
    assert np.count_nonzero(point.weights) <= groups
    if apart == 0.0:
        together = np.bincount(np.arange(n) % groups, weights=point.weights)
        np.testing.assert_allclose(together @ rows, alone.weights @ rows, rtol=0, atol=1e-10)

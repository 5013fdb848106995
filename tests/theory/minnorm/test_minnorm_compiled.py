"""The compiled active set at every processor level: against the certificate, other solvers, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.theory.minnorm_problems import FAMILIES, problem
from tests.theory.simulate.test_compiled import fresh, kernels
from theory.compiled.library import Library
from theory.minnorm import certify, min_norm_point
from theory.minnorm.active_set import ONE_BY_ONE, TARGET, active_set
from theory.minnorm.compiled import shortest

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

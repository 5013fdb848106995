"""The two ways from all clients inwards, by themselves: many clients, of whom most count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import lapack

from tests.theory.minnorm_problems import problem
from theory.minnorm import certify, min_norm_point
from theory.minnorm.active_set import _descent, _problem
from theory.minnorm.inwards import leaving_one_factor, spread_out


def some_leave(n: int, seed: int) -> Any:
    """Updates (n, 4n) that share a drift, some of them so long that they do not count."""
    rng = np.random.default_rng([seed, n])
    lengths = np.where(rng.random(n) < 0.08, 6.0, 1.0)
    return (rng.normal(size=(n, 4 * n)) + 0.8 / np.sqrt(n)) * lengths[:, None]


@pytest.mark.parametrize("n", [20, 60, 250])
def test_leaving_one_factor_is_the_exact_active_set(n: int) -> None:
    left, given_up = 0, 0
    for seed in range(8):
        vectors = some_leave(n, seed)
        gram = vectors @ vectors.T
        built = _problem(gram)
        lower = lapack.dpotrf(built.matrix, lower=1, clean=0)[0]
        found = leaving_one_factor(lower, built.matrix, built.target, 100)
        if found is None:
            given_up += 1
            continue
        x = found[0]
        assert np.all(x >= 0)
        left += int(np.count_nonzero(x == 0))
        weights = built.weights(x)
        assert certify(gram, weights).kkt_residual <= 1e-14
        np.testing.assert_allclose(weights, _one_by_one(gram), rtol=0, atol=1e-12)
        assert leaving_one_factor(lower, built.matrix, built.target, found[1] - 1) is None
    assert left > 0
    assert given_up <= 1  # in one of them too many leave; in several somebody comes back


def _one_by_one(gram: Any) -> Any:
    """The weights by the descent alone, which changes one client at a time."""
    built = _problem(gram)
    return built.weights(_descent(built, gram, built.target.copy(), 20 * len(gram))[0])


@pytest.mark.parametrize(("n", "dim"), [(30, 3), (120, 15), (300, 60)])
def test_spread_out_ends_where_0_is_well_inside(n: int, dim: int) -> None:
    for seed in range(5):
        vectors = np.random.default_rng([seed, n]).normal(size=(n, dim))
        gram = vectors @ vectors.T
        built = _problem(gram)
        found = spread_out(built.matrix, built.target, 100)
        assert found is not None
        weights = built.weights(found[0])
        judged = certify(gram, weights)
        assert judged.kkt_residual <= 1e-13
        assert judged.squared_norm <= 1e-13 * judged.scale
        assert np.linalg.norm(weights @ vectors) <= 1e-12 * np.sqrt(judged.scale)
        if found[1] > 1:
            assert spread_out(built.matrix, built.target, found[1] - 1) is None


def test_spread_out_gives_up_where_0_is_outside_or_updates_are_independent() -> None:
    for family in ("heterogeneous", "full support"):
        vectors = problem(family, 40, 0)
        built = _problem(vectors @ vectors.T)
        assert spread_out(built.matrix, built.target, 100) is None
    outside = np.random.default_rng(0).normal(size=(200, 20)) + 1.0
    built = _problem(outside @ outside.T)
    assert spread_out(built.matrix, built.target, 100) is None


def test_the_solver_takes_both_ways() -> None:
    said = {}
    for name, vectors in {
        "inside": np.random.default_rng(0).normal(size=(400, 50)),
        "independent": some_leave(400, 0),
        "outside": np.random.default_rng(0).normal(size=(400, 50)) + 1.0,
    }.items():
        point = min_norm_point(vectors @ vectors.T)
        assert point.status == "optimal"
        assert point.kkt_residual <= 1e-12
        said[name] = (point.solver_status, np.count_nonzero(point.weights))
    assert said["inside"][0] == "spread out"
    assert said["inside"][1] > 300
    assert said["independent"][0] == "block pivoting"
    assert said["outside"][1] <= 51


@pytest.mark.parametrize("n", [256, 257, 600])
def test_an_entry_without_its_mirror_image_is_found_wherever_it_stands(n: int) -> None:
    vectors = np.random.default_rng(n).normal(size=(n, 7))
    gram = vectors @ vectors.T
    for row, column, value, said in (
        (n - 1, 0, 1.0, "not symmetric"),
        (3, n - 2, 1.0, "not symmetric"),
        (n - 1, n - 2, 1.0, "not symmetric"),
        (n - 1, 5, np.nan, "NaN or infinity"),
        (n - 1, n - 1, np.inf, "NaN or infinity"),
    ):
        wrong = gram.copy()
        wrong[row, column] += value
        with pytest.raises(ValueError, match=said):
            min_norm_point(wrong)

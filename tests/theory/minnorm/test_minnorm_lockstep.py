"""Many minimum-norm problems in lock step, against the solver of one, exact enumeration and cvxpy; and in the rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.minnorm_problems import FAMILIES, exact_direction, problem
from tests.theory.strategies import decimals
from theory import RoundStats
from theory.compiled.library import library
from theory.minnorm import certify, convex, lockstep, min_norm_point
from theory.minnorm.lockstep import AT_ONCE, _Batch, _move, _moves
from theory.rules.by_update import min_norm
from theory.rules.by_update.min_norm import MinNorm

several_alike = st.tuples(st.integers(1, 6), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.lists(decimals(-4, 4), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]),
        min_size=1,
        max_size=4,
    )
)


@pytest.fixture(params=["kernels", "NumPy"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test here is of the compiled kernel and of the array code."""
    if request.param == "NumPy":
        monkeypatch.setattr("theory.minnorm.compiled.library", lambda: None)
    elif library() is None:
        pytest.skip("the kernels are not built")


def stats_of(updates: Any, present: Any = None) -> RoundStats:
    shape = updates.shape[:-1]
    here = np.ones(shape, dtype=bool) if present is None else present
    return RoundStats(share=np.full(shape, 1 / shape[-1]), present=here, updates=updates)


@given(problems=several_alike)
def test_against_exact_enumeration(problems: list[list[list[float]]]) -> None:
    updates = np.asarray(problems)
    found, residual = lockstep(updates @ updates.swapaxes(-1, -2))
    for vectors, weights, left in zip(updates, found, residual, strict=True):
        if (vectors**2).sum(axis=1).min() == 0.0:
            assert left == np.inf
            continue
        direction, _ = exact_direction(vectors)
        scale = max(1.0, float(np.abs(vectors).max()))
        assert left <= 1e-12
        assert abs(weights.sum() - 1) <= 4 * len(vectors) * np.finfo(float).eps
        np.testing.assert_allclose(weights @ vectors, direction, rtol=0, atol=1e-7 * scale)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 2, 6, 10, 17, 32])
def test_the_residual_is_at_rounding_level_and_the_certificate_agrees(n: int, family: str) -> None:
    updates = [problem(family, n, seed) for seed in range(40)]
    grams = np.stack([vectors @ vectors.T for vectors in updates])
    found, residual = lockstep(grams)
    assert np.all(found >= 0)
    assert np.mean(residual > 1e-14) <= (0.4 if family == "wild scales, near stationary" else 0.0)
    for gram, weights, left in zip(grams, found, residual, strict=True):
        judged, point = certify(gram, weights), min_norm_point(gram)
        assert judged.kkt_residual == pytest.approx(left, rel=1e-3, abs=2e-15)
        if left > 1e-14:  # for the solver of one
            continue
        assert abs(judged.squared_norm - point.squared_norm) <= 1e-12 * max(judged.scale, point.gap)


@pytest.mark.parametrize("family", ["random", "heterogeneous", "full support", "duplicated", "nearly equal"])
def test_cvxpy_agrees_to_its_tolerance(family: str) -> None:
    updates = np.stack([problem(family, 8, seed) for seed in range(6)])
    grams = updates @ updates.swapaxes(-1, -2)
    for gram, weights, vectors in zip(grams, lockstep(grams)[0], updates, strict=True):
        largest = gram.diagonal().max()
        theirs = convex(gram, "gram", "CLARABEL")[0]
        assert certify(gram, weights).squared_norm <= certify(gram, theirs).squared_norm + 1e-13 * largest
        np.testing.assert_allclose(weights @ vectors, theirs @ vectors, rtol=0, atol=1e-3 * np.sqrt(largest))


@given(problems=several_alike, data=st.data())
def test_absent_clients_might_as_well_not_be_there(problems: list[list[list[float]]], data: st.DataObject) -> None:
    updates = np.asarray(problems)
    n = updates.shape[1]
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    present = np.asarray([data.draw(flags) for _ in problems])
    found, residual = lockstep(updates @ updates.swapaxes(-1, -2), present)
    assert np.all(found[~present] == 0)
    for vectors, here, weights, left in zip(updates, present, found, residual, strict=True):
        there = vectors[here]
        if not here.any() or (there**2).sum(axis=1).min() == 0.0:
            assert left == np.inf
            assert not weights.any()
            continue
        assert left <= 1e-12
        point = min_norm_point(there @ there.T)
        atol = 1e-7 * max(1.0, float(np.abs(there).max()))
        np.testing.assert_allclose(weights[here] @ there, point.weights @ there, rtol=0, atol=atol)


def test_a_problem_does_not_hang_on_the_others() -> None:
    n = 20
    count = 2 * (AT_ONCE // n**2 // 2 + 20)  # more than are worked on at once
    mixed = [problem(FAMILIES[seed % len(FAMILIES)], n, seed) for seed in range(count)]
    grams = np.stack([vectors @ vectors.T for vectors in mixed]).reshape(2, -1, n, n)
    together, residual = lockstep(grams)
    assert together.shape == grams.shape[:-1]
    assert residual.shape == grams.shape[:-2]
    assert np.median(residual) <= 1e-15
    flat = grams.reshape(-1, n, n)
    for place in (0, 1, 16, AT_ONCE // n**2 - 1, AT_ONCE // n**2, count - 1):
        direction = mixed[place].T @ lockstep(flat[place])[0]
        size = np.sqrt(flat[place].diagonal().max())
        np.testing.assert_allclose(mixed[place].T @ together.reshape(-1, n)[place], direction, rtol=0, atol=1e-7 * size)
    assert lockstep(grams[:, :0])[0].shape == (2, 0, n)


@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), dim=st.integers(1, 9))
@settings(max_examples=60)
def test_every_move_keeps_its_table_and_goes_down(seed: int, n: int, dim: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, dim)) + 0.3
    matrix = vectors @ vectors.T + 1.0
    target = 1.0 / np.sqrt(matrix.diagonal())
    matrix *= target * target[:, None]
    batch = _Batch(
        matrix[:, :, None].copy(), -target[:, None], np.zeros((n, 1)), np.full(1, -1), np.zeros(1), np.zeros(1, int)
    )
    height = 0.0
    for _ in range(100):
        with np.errstate(divide="ignore"):  # as `lockstep` has it: with a curvature of 0 the step has no end
            over = _move(batch).all()
        if over:
            break
        inside = batch.inside[:, 0] > 0
        x = np.where(inside, batch.value[:, 0], 0.0)
        if batch.entering[0] >= 0:
            x[batch.entering[0]] = batch.level[0]
        slope = matrix @ x - target
        np.testing.assert_allclose(np.where(inside, 0.0, batch.value[:, 0]), np.where(inside, 0.0, slope), atol=1e-8)
        np.testing.assert_allclose(slope[inside], 0.0, atol=1e-8)
        assert x.min() >= -1e-9
        now = 0.5 * x @ matrix @ x - target @ x
        assert now <= height + 1e-9
        height = now
    else:
        raise AssertionError("no end")
    with np.errstate(divide="ignore"):
        moved = _moves(matrix[:, :, None], target[:, None])
    np.testing.assert_array_equal(moved[:, 0], batch.inside[:, 0] > 0)


@pytest.mark.parametrize("family", ["random", "full support", "duplicated", "zero inside", "small integers"])
def test_the_rule_in_lock_step_is_the_rule_one_by_one(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    updates = np.stack([problem(family, 9, seed) for seed in range(40)]).reshape(2, 20, 9, -1)
    present = np.random.default_rng(1).random((2, 20, 9)) < 0.8
    present[..., 4] = True
    together = MinNorm()(stats_of(updates, present))
    monkeypatch.setattr(min_norm, "SEVERAL", 10**9)
    alone = MinNorm()(stats_of(updates, present))
    assert np.all(together[~present] == 0)
    size = np.sqrt((updates**2).sum(axis=-1).max())
    d = (together[..., None, :] @ updates)[..., 0, :]
    np.testing.assert_allclose(d, (alone[..., None, :] @ updates)[..., 0, :], rtol=0, atol=1e-8 * size)
    if family == "full support":  # unique weights
        np.testing.assert_allclose(together, alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [6, 17, 32])
def test_the_rule_certifies_every_problem_of_a_batch(n: int, family: str) -> None:
    problems = [problem(family, n, seed) for seed in range(20)]
    updates = np.zeros((20, n, max(vectors.shape[1] for vectors in problems)))
    for row, vectors in zip(updates, problems, strict=True):
        row[:, : vectors.shape[1]] = vectors
    for vectors, weights in zip(updates, MinNorm()(stats_of(updates)), strict=True):
        assert certify(vectors @ vectors.T, weights).kkt_residual <= 1e-12


def test_what_lock_step_leaves_is_solved_alone() -> None:
    rng = np.random.default_rng(1)
    updates = rng.normal(size=(26, 7, 30))
    updates[3, 2] = 0.0  # an update that is exactly 0
    near = rng.normal(size=(7, 3)) @ rng.normal(size=(3, 30)) + 1e-3 * rng.normal(size=(7, 30))
    updates[5] = near + 1e-8 * rng.normal(size=30) - rng.dirichlet(np.ones(7)) @ near
    stats = stats_of(updates)
    weights = MinNorm()(stats)
    assert weights[3].tolist() == [0, 0, 1, 0, 0, 0, 0]
    np.testing.assert_array_equal(weights[5], min_norm_point(stats.gram()[5], updates[5]).weights)
    with pytest.raises(RuntimeError, match=r"batch element \(0,\): inaccurate"):
        MinNorm(tolerance=1e-30)(stats_of(updates[6:]))
    with pytest.raises(RuntimeError, match=r"inaccurate|iteration limit"):
        MinNorm(max_iterations=1)(stats_of(np.stack([problem("random", 30, seed) for seed in range(20)])))

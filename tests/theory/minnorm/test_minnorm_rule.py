"""MinNorm as a rule, with each of its solvers: presence, batches, NumPy and torch; and Frank–Wolfe by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.minnorm_problems import FAMILIES, problem
from tests.theory.strategies import rounds
from theory import RoundStats, make_rule
from theory.base.streams import stream
from theory.minnorm import certify, enumerate_faces, frank_wolfe, min_norm_point
from theory.rules.by_update.min_norm import MinNorm

# What each solver promises for ‖d‖² − ‖d*‖², in units of the largest squared norm.
SOLVERS = {"active-set": 1e-12, "cvxpy": 1e-5, "frank-wolfe": 1e-6}


def stats_of(updates: Any, present: Any = None) -> RoundStats:
    """A round that carries these updates, everyone present unless said."""
    xp = torch if isinstance(updates, torch.Tensor) else np
    shape = tuple(updates.shape[:-1])
    here = xp.ones(shape, dtype=xp.bool) if present is None else present
    return RoundStats(share=xp.full(shape, 1 / shape[-1], dtype=xp.float64), present=here, updates=updates)


def in_torch(stats: RoundStats) -> RoundStats:
    assert stats.updates is not None
    moved = (torch.from_numpy(np.ascontiguousarray(x)) for x in (stats.updates, stats.present))
    return stats_of(*moved)


@pytest.mark.parametrize("solver", SOLVERS)
@given(stats=rounds(max_clients=7))
@settings(max_examples=40)
def test_every_solver_finds_the_least_norm_of_those_present(solver: str, stats: RoundStats) -> None:
    rule = make_rule("min-norm", solver=solver, tolerance=None if solver != "frank-wolfe" else 1e-6)
    weights = rule(stats)
    assert np.all(weights >= 0)
    assert abs(weights.sum() - 1) <= 4 * weights.size * np.finfo(float).eps
    assert np.all(weights[~stats.present] == 0)
    there = stats.updates[stats.present]
    best = min_norm_point(there @ there.T).squared_norm
    largest = max(1e-9, float((there**2).sum(axis=1).max()))
    reached = float(((weights @ stats.updates) ** 2).sum())
    # Frank-Wolfe may run out of its 1000 steps: 4D²/(k + 2) with D² <= 4 largest (FA-MN14, here for line search).
    slack = SOLVERS[solver] if solver != "frank-wolfe" else 16 / 1002
    assert best - 1e-12 * largest <= reached <= best + slack * largest


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 9])
def test_a_batch_is_a_loop_and_torch_is_numpy(solver: str, n: int) -> None:
    rng = np.random.default_rng(n)
    updates = rng.integers(-4, 5, size=(2, 3, n, 4)) / 4.0  # short decimals: both Gram matrices are exact
    present = rng.random((2, 3, n)) < 0.7
    present[..., 0] = True
    rule = MinNorm(solver=solver, tolerance=1e-4 if solver == "cvxpy" else None)
    both = rule(stats_of(updates, present))
    assert both.shape == (2, 3, n)
    for index in np.ndindex(2, 3):
        alone = rule(stats_of(updates[index], present[index]))
        np.testing.assert_allclose(both[index], alone, rtol=0, atol=1e-14)
        # Absent clients might as well not be there: for d, since weights need not be unique.
        here = present[index]
        fewer = rule(stats_of(updates[index][here])) @ updates[index][here]
        close = {"active-set": 1e-7, "cvxpy": 1e-2, "frank-wolfe": 1e-12}[solver]
        np.testing.assert_allclose(both[index] @ updates[index], fewer, rtol=0, atol=close)
    moved = rule(in_torch(stats_of(updates, present)))
    assert isinstance(moved, torch.Tensor)
    np.testing.assert_allclose(moved.numpy(), both, rtol=0, atol=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_faces_in_batch_are_exact_with_and_without_absent_clients(n: int, family: str) -> None:
    grams = np.stack([(v := problem(family, n, seed)[:n]) @ v.T for seed in range(60)])
    weights, residual = enumerate_faces(grams)
    assert weights.shape == (60, n)
    assert residual.max() <= 1e-12
    for gram, found in zip(grams, weights, strict=True):
        point, judged = min_norm_point(gram), certify(gram, found)
        assert judged.kkt_residual <= 1e-12
        assert judged.squared_norm == pytest.approx(point.squared_norm, rel=1e-9, abs=1e-12 * judged.scale)
    present = np.arange(60)[:, None] % n != np.arange(n)
    without, residual = enumerate_faces(grams, present)
    assert residual.max() <= 1e-12
    assert np.all(without[~present] == 0)
    for gram, here, found in zip(grams, present, without, strict=True):
        inner = gram[np.ix_(here, here)]
        assert certify(inner, found[here]).kkt_residual <= 1e-12


def test_more_problems_than_are_worked_on_at_once() -> None:
    updates = np.random.default_rng(0).normal(size=(3, 700, 4, 3))
    grams = updates @ updates.swapaxes(-1, -2)
    weights, residual = enumerate_faces(grams)
    assert weights.shape == (3, 700, 4)
    assert residual.shape == (3, 700)
    for index in ((0, 0), (1, 323), (1, 324), (2, 699)):  # 1024 problems at once end at (1, 323)
        np.testing.assert_array_equal(weights[index], enumerate_faces(grams[index])[0])
    empty, _ = enumerate_faces(grams[:, :0])
    assert empty.shape == (3, 0, 4)


def test_many_clients_few_present_and_float32_updates() -> None:
    updates = problem("heterogeneous", 40, 0).astype(np.float32)
    present = np.arange(40) % 7 == 0
    weights = MinNorm()(stats_of(updates, present))
    assert weights.dtype == np.float64  # of the shares
    there = updates[present].astype(np.float64)
    assert certify(there @ there.T, weights[present], there).kkt_residual <= 1e-12
    assert np.all(weights[~present] == 0)


def test_near_stationarity_the_rule_goes_back_to_the_updates() -> None:
    """What the updates know better than their Gram matrix makes the gap or the norm smaller, the gap nearly always."""
    smaller = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        updates = rng.normal(size=(7, 3)) @ rng.normal(size=(3, 8)) + 1e-3 * rng.normal(size=(7, 8))
        updates += 1e-8 * rng.normal(size=8) - rng.dirichlet(np.ones(7)) @ updates
        gram = updates @ updates.T
        expected = min_norm_point(gram, updates)
        np.testing.assert_array_equal(MinNorm()(stats_of(updates)), expected.weights)
        without = certify(gram, min_norm_point(gram).weights, updates)
        assert expected.gap <= without.gap or expected.squared_norm <= without.squared_norm
        smaller += expected.gap < without.gap
    assert smaller >= 32


@pytest.mark.parametrize("n", [3, 8])
@pytest.mark.parametrize("exponent", [-560, -520, 505, 560])
@pytest.mark.parametrize("into", ["numpy", "torch"])
def test_weights_do_not_hang_on_the_unit_of_the_updates_where_squares_leave_the_range(
    n: int, exponent: int, into: str
) -> None:
    """In a batch beside an element of size one, which stays as it is; what an absent client holds does not count."""
    rows = stream(4, "test").normal(loc=(3.0, 0.0, 0.0), size=(n, 3))
    rows[0] = 0
    rows[1] *= 1e-6
    here = np.ones((2, n), dtype=bool)
    here[:, 0] = False
    far = rows * 2.0**exponent
    far[0] = np.nan
    expected = MinNorm()(stats_of(rows, here[0]))
    stats = stats_of(np.stack([rows, far]), here)
    found = np.asarray(MinNorm()(in_torch(stats) if into == "torch" else stats))
    np.testing.assert_allclose(found, [expected, expected], rtol=0, atol=1e-12)
    assert expected.max() > 0.9  # the short one


@given(stats=rounds(max_clients=6), steps=st.integers(1, 30))
def test_frank_wolfe_never_goes_up_and_its_gap_bounds_the_error(stats: RoundStats, steps: int) -> None:
    gram, present = stats.gram(), stats.present
    fewer, _ = frank_wolfe(gram, present, tolerance=1e-9, max_iterations=steps)
    more, taken = frank_wolfe(gram, present, tolerance=1e-9, max_iterations=steps + 1)
    scale = max(1.0, gram.max())
    assert more @ gram @ more <= fewer @ gram @ fewer + 1e-14 * scale
    inside = gram[np.ix_(present, present)]
    best = min_norm_point(inside).squared_norm
    found = certify(inside, more[present])
    assert found.squared_norm - best <= found.gap + 1e-13 * scale
    squares = np.diag(inside)
    spread = (squares[:, None] + squares - 2 * inside).max()
    assert found.squared_norm - best <= 4 * spread / (steps + 3) + 1e-13 * scale  # FA-MN14; line search is no worse
    assert taken <= steps + 1
    if taken < steps + 1:
        assert found.gap <= 1e-9 * squares.max() * (1 + 1e-6) + 1e-15 * scale


def test_frank_wolfe_stops_each_problem_by_itself() -> None:
    easy, hard = problem("heterogeneous", 8, 0), problem("near stationary", 8, 0)
    grams = np.stack([easy @ easy.T, hard @ hard.T])
    weights, taken = frank_wolfe(grams, tolerance=1e-5, max_iterations=400)
    for gram, together, count in zip(grams, weights, taken, strict=True):
        alone, alone_count = frank_wolfe(gram, tolerance=1e-5, max_iterations=400)
        np.testing.assert_allclose(together, alone, rtol=0, atol=1e-15)
        assert count == alone_count
    assert taken[0] < taken[1]
    # Two orthogonal updates: one exact line search is the answer.
    answer, taken = frank_wolfe(np.diag([1.0, 4.0]))
    np.testing.assert_allclose(answer, [0.8, 0.2], rtol=0, atol=1e-15)
    assert taken == 1


def test_settings_are_checked_and_a_failed_certificate_raises() -> None:
    with pytest.raises(ValueError, match=r"MinNorm\(solver='simplex'\)"):
        MinNorm(solver="simplex")
    with pytest.raises(ValueError, match=r"MinNorm\(tolerance=2.0\)"):
        make_rule("min-norm", tolerance=2.0)
    with pytest.raises(ValueError, match=r"MinNorm\(max_iterations=0\)"):
        MinNorm(max_iterations=0)
    for n in (4, 12):
        stats = stats_of(problem("full support", n, 1))
        with pytest.raises(RuntimeError, match=r"inaccurate, relative KKT residual .* larger tolerance"):
            MinNorm(tolerance=1e-30)(stats)
        assert MinNorm(solver="frank-wolfe", max_iterations=1)(stats).sum() == pytest.approx(1)
    with pytest.raises(RuntimeError, match="iteration limit"):
        MinNorm(max_iterations=1)(stats_of(problem("random", 60, 0)))
    diverged = RoundStats.unchecked(share=np.full(2, 0.5), present=np.ones(2, bool), updates=np.full((2, 3), np.nan))
    with pytest.raises(ValueError, match="did a client diverge"):
        MinNorm()(diverged)

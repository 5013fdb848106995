"""The minimum-norm point, judged by its certificate and by exact enumeration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.minnorm_problems import FAMILIES, exact_direction, problem, vectors_of_up_to_six
from tests.theory.strategies import decimals
from theory.minnorm import certify, convex, enumerate_faces, min_norm_point
from theory.minnorm.active_set import TARGET, _attempts, _descent, _nonnegative_least_squares, _pivoting, _problem
from theory.minnorm.refine import refine


@given(rows=vectors_of_up_to_six)
def test_against_exact_enumeration(rows: list[list[float]]) -> None:
    vectors = np.asarray(rows)
    direction, squared = exact_direction(vectors)
    scale = max(1.0, float((vectors**2).sum(axis=1).max()))
    for point in (min_norm_point(vectors @ vectors.T), min_norm_point(vectors @ vectors.T, vectors)):
        assert point.status == "optimal"
        assert point.kkt_residual <= 1e-12
        assert point.squared_norm == pytest.approx(squared, abs=1e-13 * scale)
        # ‖v − d‖² is at most the gap (FA-MN15), which a residual of 1e-16 leaves near 1e-15.
        np.testing.assert_allclose(point.weights @ vectors, direction, rtol=0, atol=1e-7 * np.sqrt(scale))
        assert point.gap >= point.squared_norm - squared - 1e-13 * scale
    if len(rows) <= 5:
        weights, residual = enumerate_faces(vectors @ vectors.T)
        assert residual <= 1e-12
        np.testing.assert_allclose(weights @ vectors, direction, rtol=0, atol=1e-7 * np.sqrt(scale))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 10, 30, 50, 100, 250, 500])
def test_kkt_residual_is_at_rounding_level(n: int, family: str) -> None:
    for seed in range(10 if n <= 100 else 1):
        vectors = problem(family, n, seed)
        gram = vectors @ vectors.T
        for point in (min_norm_point(gram), min_norm_point(gram, vectors)):
            assert point.status == "optimal", (seed, point.solver_status)
            assert point.kkt_residual <= 1e-12
            assert point.gap <= 4e-12 * np.diag(gram).max()
            assert np.all(point.weights >= 0)
            assert abs(point.weights.sum() - 1) <= 4 * len(vectors) * np.finfo(float).eps
        if n <= 5:
            weights, residual = enumerate_faces(gram[:n, :n])
            assert residual <= 1e-12
            # The array version reports the residual the certificate finds, up to the rounding of both.
            assert certify(gram[:n, :n], weights).kkt_residual == pytest.approx(float(residual), abs=2e-15)


@pytest.mark.parametrize("family", ["random", "full support", "near stationary", "heterogeneous", "wild scales"])
@pytest.mark.parametrize("n", [3, 10, 60])
def test_each_method_alone_is_exact(n: int, family: str) -> None:
    """The methods back each other up, so a broken one would not show in the answer."""
    vectors = problem(family, n, 1)
    gram = vectors @ vectors.T
    built, everyone = _problem(gram), np.arange(n)
    reference = min_norm_point(gram).weights @ vectors
    scale = np.sqrt(gram.diagonal().min())
    nothing = np.zeros(n)
    nothing[built.start] = built.target[built.start]
    answers = {
        "least squares": next(_nonnegative_least_squares(built))[0],
        "descent from one": built.weights(_descent(built, gram, nothing, 20 * n)[0]),
        "descent from all": built.weights(_descent(built, gram, built.target.copy(), 20 * n)[0]),
    }
    for name, support in {"pivoting outwards": np.asarray([built.start]), "pivoting inwards": everyone}.items():
        x, _, end = _pivoting(built, support, 100)
        if end == "block pivoting":
            answers[name] = built.weights(x)
        else:  # dependent updates: pivoting may give up there
            assert n > vectors.shape[1], name
    for name, weights in answers.items():
        assert certify(gram, weights).kkt_residual <= 1e-12, name
        np.testing.assert_allclose(weights @ vectors, reference, rtol=0, atol=1e-6 * scale, err_msg=name)


def test_pivoting_says_when_it_gives_up_and_the_others_take_over() -> None:
    ends: set[str] = set()
    for seed in range(40):
        vectors = problem("duplicated", 40, seed)
        gram = vectors @ vectors.T
        built = _problem(gram)
        ends.add(_pivoting(built, np.arange(len(gram)), 100)[2])
        x, _, end = _pivoting(built, np.asarray([built.start]), 100)
        ends.add(end)
        assert np.all(x >= 0)
        if end == "block pivoting":
            assert certify(gram, built.weights(x)).kkt_residual <= 1e-12
        last = list(_attempts(gram, None))[-1]
        assert last[2] == "descent"
        assert certify(gram, last[0]).kkt_residual <= 1e-12
    assert ends >= {"rank deficient", "block pivoting", "block pivoting, unfinished"}
    assert TARGET < 1e-12


@given(rows=vectors_of_up_to_six, data=st.data())
def test_the_direction_is_unique_and_equivariant(rows: list[list[float]], data: st.DataObject) -> None:
    vectors = np.asarray(rows)
    tolerance = 1e-6 * max(1.0, float(np.abs(vectors).max()))

    def direction(given: np.ndarray) -> Any:
        return min_norm_point(given @ given.T).weights @ given

    d = direction(vectors)
    order = data.draw(st.permutations(range(len(rows))))  # FA-MN6
    np.testing.assert_allclose(direction(vectors[list(order)]), d, rtol=0, atol=tolerance)
    scale = data.draw(st.sampled_from([-1e12, -1.0, 1e-12, 3.0, 1e12]))  # FA-MN7
    np.testing.assert_allclose(direction(scale * vectors) / scale, d, rtol=0, atol=tolerance)
    turn = np.linalg.qr(np.random.default_rng(len(rows)).normal(size=(vectors.shape[1],) * 2))[0]  # FA-MN8
    np.testing.assert_allclose(direction(vectors @ turn), d @ turn, rtol=0, atol=tolerance)
    copies = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=4))  # FA-MN9
    np.testing.assert_allclose(direction(np.concatenate([vectors, vectors[copies]])), d, rtol=0, atol=tolerance)
    further = np.concatenate([vectors, (2.0 * d)[None]])  # <m, d> >= ‖d‖²: changes nothing, FA-MN9
    np.testing.assert_allclose(direction(further), d, rtol=0, atol=tolerance)


@pytest.mark.parametrize("n", [2, 6, 40, 120])
def test_duplicates_leave_the_direction_alone(n: int) -> None:
    vectors = np.random.default_rng(n).normal(size=(n, 2 * n))
    doubled = np.concatenate([vectors, vectors, vectors[:2]])
    one, two = min_norm_point(vectors @ vectors.T), min_norm_point(doubled @ doubled.T)
    np.testing.assert_allclose(one.weights @ vectors, two.weights @ doubled, rtol=0, atol=1e-13)
    assert two.squared_norm == pytest.approx(one.squared_norm, rel=1e-13)


@pytest.mark.parametrize("solver", ["active-set", "cvxpy", "frank-wolfe"])
def test_one_client_has_all_the_weight(solver: str) -> None:
    point = min_norm_point(np.asarray([[7.0]]), solver=solver)
    assert point.weights.tolist() == [1.0]
    assert (point.squared_norm, point.gap, point.kkt_residual, point.status) == (7.0, 0.0, 0.0, "optimal")


@given(m=st.lists(decimals(-4, 4), min_size=4, max_size=4))
def test_two_clients_have_a_closed_form(m: list[float]) -> None:
    vectors = np.asarray(m).reshape(2, 2)
    edge = vectors[1] - vectors[0]
    if edge @ edge == 0 or min(np.abs(vectors).max(axis=1)) == 0:
        return
    first = np.clip(edge @ vectors[1] / (edge @ edge), 0, 1)  # FA-MN11
    assert min_norm_point(vectors @ vectors.T).weights[0] == pytest.approx(first, abs=1e-12)


@pytest.mark.parametrize("n", [3, 5, 8, 30])
def test_orthogonal_updates_get_inverse_square_weights(n: int) -> None:
    sizes = 2.0 ** np.arange(-n // 2, n - n // 2)
    point = min_norm_point(np.diag(sizes**2))  # FA-MN10
    np.testing.assert_allclose(point.weights, sizes**-2 / (sizes**-2).sum(), rtol=1e-12)
    assert 1 / point.squared_norm == pytest.approx((sizes**-2).sum(), rel=1e-12)


def test_zero_in_the_hull_and_zero_updates() -> None:
    vectors = np.asarray([[1.0, 0.0], [-1.0, 0.0]])
    assert min_norm_point(vectors @ vectors.T).squared_norm == pytest.approx(0.0, abs=1e-15)
    assert min_norm_point(np.zeros((3, 3))).weights.tolist() == [1 / 3] * 3
    assert min_norm_point(np.diag([0.0, 2.0, 0.0])).weights.tolist() == [0.5, 0.0, 0.5]
    assert enumerate_faces(np.diag([0.0, 2.0, 0.0]))[0].tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize(("gap", "flat"), [(1e-4, 1e-3), (1e-6, 1e-3), (1e-8, 1e-3), (1e-8, 1e-5)])
def test_near_stationarity_the_updates_know_what_the_gram_matrix_does_not(gap: float, flat: float) -> None:
    """Six clients, their hull nearly flat and nearly at 0, against rationals."""
    worst = {"gram": 0.0, "updates": 0.0}
    for seed in range(8):
        rng = np.random.default_rng(seed)
        vectors = rng.normal(size=(6, 3)) @ rng.normal(size=(3, 8)) + flat * rng.normal(size=(6, 8))
        vectors += gap * rng.normal(size=8) - rng.dirichlet(np.ones(6)) @ vectors
        _, squared = exact_direction(vectors)
        gram = vectors @ vectors.T
        for name, point in (("gram", min_norm_point(gram)), ("updates", min_norm_point(gram, vectors))):
            worst[name] = max(worst[name], abs(point.squared_norm / squared - 1))
            assert point.kkt_residual <= 1e-12
    # d is known to some 1e-16·s. In the flattest case the weights from the Gram matrix alone would miss by 2e-4.
    assert worst["updates"] <= 1e-14 / gap
    assert worst["gram"] >= 100 * worst["updates"]


def test_refinement_repairs_weights_that_are_slightly_off() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(20, 60))
    gram = vectors @ vectors.T
    best = min_norm_point(gram).weights
    for bump in (1e-6, 1e-3):
        off = np.abs(best + bump * rng.normal(size=20))
        repaired = refine(gram, vectors, off / off.sum())
        assert certify(gram, repaired, vectors).gap <= 1e-13 * gram.diagonal().max()
        np.testing.assert_allclose(repaired, best, rtol=0, atol=1e-12)
    # A client that left must come back, one that should not be there must go.
    heterogeneous = problem("heterogeneous", 12, 4)
    gram = heterogeneous @ heterogeneous.T
    best = min_norm_point(gram).weights
    wrong = np.where(np.arange(12) == best.argmax(), 0.0, 1.0)
    repaired = refine(gram, heterogeneous, wrong / wrong.sum(), steps=60)
    np.testing.assert_allclose(repaired, best, rtol=0, atol=1e-10)


@pytest.mark.parametrize("form", ["gram", "factor"])
@pytest.mark.parametrize("family", ["random", "heterogeneous", "full support", "duplicated"])
@pytest.mark.parametrize("n", [2, 6, 30])
def test_cvxpy_agrees_to_its_tolerance(n: int, family: str, form: str) -> None:
    vectors = problem(family, n, 2)
    gram = vectors @ vectors.T
    weights, _, _ = convex(gram, form, "CLARABEL")
    point, found = min_norm_point(gram), certify(gram, weights)
    largest = gram.diagonal().max()
    assert abs(weights.sum() - 1) <= 4 * len(vectors) * np.finfo(float).eps
    assert found.squared_norm >= point.squared_norm - 1e-13 * largest
    assert found.squared_norm - point.squared_norm <= 1e-6 * largest  # Clarabel asks 1e-8 of a scaled problem
    np.testing.assert_allclose(weights @ vectors, point.weights @ vectors, rtol=0, atol=1e-3 * np.sqrt(largest))


def test_the_status_is_ours_and_the_limit_a_status() -> None:
    vectors = problem("random", 60, 0)
    gram = vectors @ vectors.T
    for solver in ("active-set", "frank-wolfe"):
        short = min_norm_point(gram, solver=solver, max_iterations=1)
        assert short.status == "iteration limit", solver
        assert short.gap > 0
        enough = min_norm_point(gram, solver=solver, tolerance=1e-3, max_iterations=5000)
        assert enough.status == "optimal", solver
    assert min_norm_point(gram, tolerance=1e-30).status == "inaccurate"
    point = min_norm_point(gram, vectors)
    assert point.relative_gap == pytest.approx(point.gap / point.squared_norm)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: min_norm_point(np.zeros((0, 0))), r"shape \(0, 0\)"),
        (lambda: min_norm_point(np.ones(3)), r"shape \(3,\)"),
        (lambda: min_norm_point(np.ones((2, 3))), r"shape \(2, 3\)"),
        (lambda: min_norm_point(np.full((2, 2), np.inf)), "NaN or infinity"),
        (lambda: min_norm_point(np.diag([1.0, np.inf])), "NaN or infinity"),
        (lambda: min_norm_point(np.asarray([[1.0, -np.inf], [0.0, 1.0]])), "NaN or infinity"),
        (lambda: min_norm_point(np.asarray([[1.0, 0.5], [0.0, 1.0]])), "not symmetric"),
        (lambda: min_norm_point(np.diag([1.0, -1.0])), "negative on its diagonal"),
        (lambda: min_norm_point(np.eye(2), np.ones((3, 4))), r"updates\): shape \(3, 4\); expected \(2, dim\)"),
        (lambda: min_norm_point(np.eye(2), np.full((2, 4), np.nan)), "updates.*NaN"),
        (lambda: min_norm_point(np.eye(2), solver="newton"), "solver='newton'.*active-set, cvxpy, frank-wolfe"),
        (lambda: min_norm_point(np.eye(2), tolerance=0.0), "tolerance=0.0"),
        (lambda: min_norm_point(np.eye(2), max_iterations=0), "max_iterations=0"),
        (lambda: min_norm_point(np.eye(2), solver="cvxpy", max_iterations=9), "cvxpy's solvers count their own"),
        (lambda: convex(np.eye(2), "cone"), "form='cone'"),
        (lambda: enumerate_faces(np.eye(6)), "6 clients; at most 5"),
    ],
)
def test_bad_input_is_refused_at_the_door(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

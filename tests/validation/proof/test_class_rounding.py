"""What spares exact work: floats before exact numbers, balls before elimination, answers and centres that are kept."""

from collections import OrderedDict
from typing import Any

import clarabel
import numpy as np
import pytest
from flint import fmpq

from theory.classes import Problem, Statement, assemble, families, number, solve, solver, sqrt
from theory.classes.numbers import Surd
from validation.proof.classes import certificate, with_room
from validation.proof.classes.with_room import WithRoom
from validation.proof.rounding.linear import _surely_negative, floats_near, is_positive_semidefinite, solve_near


def _descent(bound: str) -> Statement:
    p = Problem()
    F = p.function(families.smooth_convex(L=1), "F")
    optimum, start = F.minimiser(), p.point("x0")
    x = start - F.gradient(start)
    return p.statement(F(x) - F(optimum), number(bound), given=[(start - optimum) ** 2 <= 1])


def test_floats_meet_equations_as_exact_numbers_do() -> None:
    draws = np.random.default_rng(0)
    for _ in range(50):
        m, n = int(draws.integers(1, 4)), int(draws.integers(4, 8))
        rows = draws.integers(-3, 4, (m, n))
        near, right = draws.integers(-5, 6, n), draws.integers(-3, 4, m)
        exact = solve_near(
            [({i: fmpq(int(a)) for i, a in enumerate(row)}, fmpq(int(b))) for row, b in zip(rows, right, strict=True)],
            [fmpq(int(x)) for x in near],
        )
        floats = floats_near(rows.astype(float), right.astype(float), near.astype(float))
        assert (exact is None) == (floats is None)
        if exact is not None and floats is not None:
            assert floats == pytest.approx([int(x.p) / int(x.q) for x in exact], abs=1e-9)


def test_balls_reject_only_what_is_not_positive_semidefinite() -> None:
    draws = np.random.default_rng(1)
    for _ in range(60):
        n, rank = int(draws.integers(1, 6)), int(draws.integers(1, 6))
        factor = draws.integers(-2, 3, (rank, n))
        whole = factor.T @ factor
        semidefinite = [[fmpq(int(x)) for x in row] for row in whole]
        assert not _surely_negative(semidefinite)  # singular ones among them
        assert is_positive_semidefinite(semidefinite)
        less = [
            [x - (fmpq(1, 10**40) if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(semidefinite)
        ]
        assert is_positive_semidefinite(less) == (np.linalg.matrix_rank(whole) == n)
    root = sqrt(2)
    assert _surely_negative([[root, fmpq(2)], [fmpq(2), 2 * root - fmpq(1, 10**30)]])
    assert not _surely_negative([[root, fmpq(2)], [fmpq(2), 2 * root]])


def test_sums_and_squares_of_roots_are_those_of_their_terms() -> None:
    a, b = 1 + sqrt(2), sqrt(2) - sqrt(3)
    assert isinstance(a - b, Surd)
    assert a - a == 0
    assert (a + b - 2 * sqrt(2) + sqrt(3)) == 1
    assert not isinstance(a - sqrt(2), Surd)
    p = Problem()
    x, y, z = (p.point(name) for name in "xyz")
    vector = a * x + b * y - sqrt(6) * z
    by_parts = vector * (a * x) + vector * (b * y) - vector * (sqrt(6) * z)
    square = vector**2
    assert set(square.quad) == set(by_parts.quad)
    for pair, found in square.quad.items():
        assert found - by_parts.quad[pair] == 0


def test_a_program_is_solved_once_for_several_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = []
    real = clarabel.DefaultSolver

    def counted(*problem: Any) -> Any:
        solved.append(problem)
        return real(*problem)

    monkeypatch.setattr(solver, "_ANSWERS", OrderedDict())
    monkeypatch.setattr(clarabel, "DefaultSolver", counted)
    first = solve(assemble(_descent("1/4")))
    again = solve(assemble(_descent("1/5")))
    assert len(solved) == 1
    assert again.value == first.value
    other = Problem()
    F = other.function(families.smooth_convex(L=2), "F")
    optimum, x = F.minimiser(), other.point("x")
    assert solve(assemble(other.statement(F.gradient(x) ** 2, 4, given=[(x - optimum) ** 2 <= 1]))).value > 3.9
    assert len(solved) == 2


def test_centres_are_found_once_for_several_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    program = assemble(_descent("1/4"))
    prover = WithRoom(program, solve(program))
    heights = []
    real = solver.interior_proof

    def counted(program: Any, height: float, *rest: Any) -> Any:
        heights.append(height)
        return real(program, height, *rest)

    monkeypatch.setattr(with_room, "interior_proof", counted)
    for bound in ("0.168", "0.17", "0.175"):
        proof = prover.prove(number(bound))
        assert proof is not None
        assert certificate.check(proof)
    assert len(heights) == 1
    assert prover.prove(number("0.16")) is None  # the worst case is 1/6

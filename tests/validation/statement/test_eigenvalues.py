"""Largest eigenvalues and singular values against bounds: exact signs, statements true and false, and refusals."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedverdict as fv
from theory.exact.definite import largest_sign
from validation.statement.forms.eigenvalues import largest_eigenvalue, spectral_norm

top, rows_sum, trace, square, largest_entry = fv.symbols("top rows_sum trace square largest_entry", nonnegative=True)


def outer(x: Mapping[str, Any]) -> Any:
    """Σ wᵢ vᵢvᵢᵀ of three vectors of two numbers."""
    v, w = x["v"], x["w"]
    return (w[:, :, None, None] * v[:, :, :, None] * v[:, :, None, :]).sum(axis=1)


def letters(x: Mapping[str, Any]) -> dict[str, Any]:
    a = outer(x)
    size = np.abs(a)
    return {
        "lhs": a[:, 0, 0],
        "trace": a[:, 0, 0] + a[:, 1, 1],
        "top": np.maximum(a[:, 0, 0], a[:, 1, 1]),
        "rows_sum": np.max(np.sum(size, axis=2), axis=1),
        "square": (a * a).sum(axis=(1, 2)),
        "largest_entry": np.max(np.max(size, axis=2), axis=1),
    }


CASES = (
    fv.Case(
        "three vectors",
        fv.Space((fv.Signed("v", 1e-1, 10, (3, 2)), fv.Simplex("w", 3))),
        letters,
        fv.recomputed(letters),
    ),
)


@pytest.mark.parametrize(
    ("form", "bound", "holds"),
    [
        (largest_eigenvalue, trace, True),  # of a positive semidefinite matrix
        (largest_eigenvalue, rows_sum, True),  # Gershgorin
        (spectral_norm, rows_sum, True),  # ‖A‖² <= ‖A‖₁‖A‖∞
        (largest_eigenvalue, top, False),  # the largest entry of the diagonal is below it
        (largest_eigenvalue, 9 * trace / 10, False),
        (spectral_norm, largest_entry, False),
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_statements_on_eigenvalues_get_the_right_word(form: Any, bound: Any, holds: bool, seed: int) -> None:
    test = form(fv.Bound(bound), CASES, outer)
    if holds:
        assert str(fv.assert_holds(test, budget=500, seed=seed).verdict) == "holds"
    else:
        with pytest.raises(AssertionError, match="exact counterexample"):
            fv.assert_holds(test, budget=500, seed=seed)


def test_a_bound_that_is_attained_is_met_exactly_and_a_hair_less_is_not() -> None:
    one = [[Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]]  # eigenvalues 1 and 3

    def at(c: Fraction) -> int:
        return largest_sign([[v - c * (i == j) for j, v in enumerate(row)] for i, row in enumerate(one)])

    assert [at(Fraction(3)), at(3 - Fraction(1, 10**40)), at(3 + Fraction(1, 10**40))] == [0, 1, -1]


@given(st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=4, max_size=4), st.integers(-6, 6))
def test_signs_are_those_of_the_eigenvalues(entries: list[list[int]], shift: int) -> None:
    a = np.array(entries)
    a = a + a.T - shift * np.eye(4, dtype=int)
    largest = np.linalg.eigvalsh(a)[-1]
    sign = largest_sign([[Fraction(int(v)) for v in row] for row in a])
    assert sign == (0 if abs(largest) < 1e-9 else np.sign(largest))


def test_what_is_no_symmetric_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="2 rows of 2, 1; expected a square"):
        largest_sign([[1, 2], [3]])
    with pytest.raises(ValueError, match="not symmetric"):
        largest_sign([[1, 2], [3, 4]])
    bare = fv.Case("bare", CASES[0].space, letters)
    with pytest.raises(ValueError, match="«bare» has no exact side"):
        largest_eigenvalue(fv.Bound(trace), (bare,), outer)


def test_an_exact_matrix_of_ones_own_is_asked_and_a_float_in_it_decides_nothing() -> None:
    def entries(x: Mapping[str, Any]) -> list[list[Any]]:
        return [[sum(w * v[i] * v[j] for v, w in zip(x["v"], x["w"], strict=True)) for j in (0, 1)] for i in (0, 1)]

    test = largest_eigenvalue(fv.Bound(trace), CASES, outer, exact=entries)
    assert str(fv.assert_holds(test, budget=300).verdict) == "holds"
    false = largest_eigenvalue(fv.Bound(top), CASES, outer, exact=lambda x: [[float(v) for v in r] for r in entries(x)])
    with pytest.raises(AssertionError, match="inconclusive"):
        fv.assert_holds(false, budget=300)

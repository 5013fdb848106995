"""Proof steps: PSD or not, exactly; certificates that check; witnesses on a line."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from theory.exact import is_positive_semidefinite
from validation import Verdict, symbols
from validation.judge.gram import judge_vectors
from validation.proof.signs import coefficient_signs
from validation.proof.sos import SumOfSquares, prove_nonnegative, prove_psd
from validation.proof.sturm import negative_point
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.vectors import inner, negative_direction, square, vectors
from validation.statement.instances.domain import Domain, Parameter

a, b, c = vectors("a b c")
eta, p, q, r, L = symbols("eta p q r L")
STEP = Domain((Parameter("eta"),))
THREE = Domain((), (("p", "q", "r"),))
JENSEN = VectorInequality(square(p * a + q * b + r * c), p * square(a) + q * square(b) + r * square(c), THREE)
YOUNG = VectorInequality(2 * inner(a, b), square(a) / eta + eta * square(b), STEP)


@pytest.mark.parametrize(
    "test",
    [
        VectorInequality(square(a + b), 2 * square(a) + 2 * square(b)),
        VectorInequality(square(a + b + c), 3 * (square(a) + square(b) + square(c))),
        JENSEN,
        YOUNG,
        VectorInequality(square(a + b), (1 + eta) * square(a) + (1 + 1 / eta) * square(b), STEP),
        # Variance is at most the second moment.
        VectorInequality(
            p * square(a - (p * a + q * b + r * c))
            + q * square(b - (p * a + q * b + r * c))
            + r * square(c - (p * a + q * b + r * c)),
            p * square(a) + q * square(b) + r * square(c),
            THREE,
        ),
    ],
)
def test_true_steps_are_proved(test: VectorInequality) -> None:
    outcome = judge_vectors(test, "X", "r", budget=300)
    assert outcome.verdict is Verdict.PROVED
    assert outcome.worst_ratio == pytest.approx(1.0)
    json.dumps(outcome.detail)


@pytest.mark.parametrize(
    "planted",
    [
        VectorInequality(square(a + b), sp.Rational(199, 100) * (square(a) + square(b))),
        replace(JENSEN, rhs=JENSEN.rhs - sp.Rational(1, 100) * p * q * square(a)),
        replace(YOUNG, rhs=square(a) / eta + sp.Rational(999, 1000) * eta * square(b)),
        VectorInequality(square(a + b), (1 + eta) * square(a) + (1 + eta) * square(b), STEP),
        VectorInequality(inner(a, b), sp.Integer(0) * square(a)),
        # Only the middle of the interval fails: no corner of the domain shows it.
        VectorInequality(eta * (1 - eta) * square(a), square(a) / 5, Domain((Parameter("eta", 0, 1),))),
    ],
)
def test_planted_faults_are_refuted_by_a_script(planted: VectorInequality, tmp_path: Path) -> None:
    outcome = judge_vectors(planted, "X", "r", budget=2000)
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.script is not None
    path = tmp_path / "script.py"
    path.write_text(outcome.script)
    ran = subprocess.run([sys.executable, str(path)], check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    path.write_text(outcome.script.replace("left > right", "left > 2 * abs(right) + 10**9"))
    assert subprocess.run([sys.executable, str(path)], check=False, capture_output=True).returncode == 1


def test_a_condition_on_parameters_decides() -> None:
    descent = VectorInequality(
        square(a - eta * b), square(a) + square(b), Domain((Parameter("eta"),), where=(1 - eta,))
    )
    assert judge_vectors(descent, "X", "r", budget=500).verdict is Verdict.REFUTED  # (1 + η²) ‖·‖² on a line
    weak = VectorInequality(square(a - eta * b), 2 * square(a) + 2 * square(b), Domain((Parameter("eta", 0, 1),)))
    assert judge_vectors(weak, "X", "r", budget=500).verdict is Verdict.PROVED
    searched = judge_vectors(weak, "X", "r", budget=500, method="none")
    assert searched.verdict is Verdict.HOLDS


@given(
    rows=st.integers(1, 4).flatmap(
        lambda k: st.lists(
            st.lists(st.fractions(-3, 3, max_denominator=4), min_size=k, max_size=k), min_size=k, max_size=k
        )
    )
)
def test_a_matrix_is_psd_or_has_a_negative_direction(rows: list[list[Fraction]]) -> None:
    size = len(rows)
    M = [[rows[i][j] + rows[j][i] for j in range(size)] for i in range(size)]
    v = negative_direction(M)
    assert (v is None) == is_positive_semidefinite(M)
    if v is not None:
        assert sum(v[i] * M[i][j] * v[j] for i in range(size) for j in range(size)) < 0
    gram = [[sum(x * y for x, y in zip(rows[i], rows[j], strict=True)) for j in range(size)] for i in range(size)]
    assert negative_direction(gram) is None


def test_the_smallest_violations_are_found_exactly() -> None:
    tiny = Fraction(1, 10**30)
    assert negative_direction([[Fraction(1), Fraction(1)], [Fraction(1), 1 - tiny]]) is not None
    assert negative_direction([[Fraction(0), tiny], [tiny, Fraction(1)]]) is not None


@given(weights=st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), seed=st.integers(0, 99))
def test_the_coefficient_matrix_reproduces_both_sides(weights: list[int], seed: int) -> None:
    total = sum(weights)
    point = {k: Fraction(w, total) for k, w in zip("pqr", weights, strict=True)}
    x = np.random.default_rng(seed).normal(size=(3, 5))
    M = np.asarray([[float(e) for e in row] for row in JENSEN.at(point)])
    w = np.asarray([float(v) for v in point.values()])
    gap = (w[:, None] * x**2).sum() - ((w @ x) ** 2).sum()
    assert np.sum(M * (x @ x.T)) == pytest.approx(gap, abs=1e-12)


eta_plain = sp.Symbol("eta")
SQUARE_MATRIX = sp.Matrix([[1 + eta_plain, -eta_plain], [-eta_plain, 2 - eta_plain]])
UNIT = Domain((Parameter("eta", 0, 1),))


def test_a_sum_of_squares_is_verified_and_a_tampered_one_is_not() -> None:
    found = prove_psd(SQUARE_MATRIX, UNIT, method="squares")
    assert isinstance(found, SumOfSquares)
    assert found.verify(SQUARE_MATRIX, UNIT)
    g, monomials, Q = found.terms[0]
    bent = tuple(tuple(x + Fraction(i == j == 0, 10**12) for j, x in enumerate(row)) for i, row in enumerate(Q))
    assert not replace(found, terms=((g, monomials, bent), *found.terms[1:])).verify(SQUARE_MATRIX, UNIT)
    assert not found.verify(SQUARE_MATRIX - sp.eye(2) / 10**9, UNIT)
    # A multiplier that is negative on the domain proves nothing.
    assert not replace(found, terms=((-g, monomials, Q), *found.terms[1:])).verify(SQUARE_MATRIX, UNIT)


def test_identities_with_a_negative_part_are_no_certificates() -> None:
    minus_one, one = sp.Matrix([[-1]]), sp.Integer(1)
    negative_square = SumOfSquares(one, sp.eye(1), ((one, (one,), ((Fraction(-1),),)),))
    negative_multiplier = SumOfSquares(one, sp.eye(1), ((-one, (one,), ((Fraction(1),),)),))
    negative_factor = SumOfSquares(-one, sp.eye(1), ((one, (one,), ((Fraction(1),),)),))
    blind = SumOfSquares(one, sp.eye(2)[:, 0], ((one, (one,), ((Fraction(1),),)),))
    for planted in (negative_square, negative_multiplier, negative_factor):
        assert not planted.verify(minus_one, UNIT)
    assert not blind.verify(sp.diag(1, -1), UNIT)
    assert replace(blind, basis=sp.eye(1)).verify(sp.eye(1), UNIT)


@given(x=st.fractions(0, 20), y=st.fractions(0, 20), seed=st.integers(0, 10**6))
def test_what_is_proved_nonnegative_is_so_at_every_point(x: Fraction, y: Fraction, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, v = sp.symbols("u v")
    above, below = (
        sum(int(k) * u**i * v**j for (i, j), k in np.ndenumerate(rng.integers(-2, 4, (3, 2)))) for _ in "ab"
    )
    expression = above / (below if below != 0 else 1)
    if prove_nonnegative(expression, Domain((Parameter("u"), Parameter("v")))) is not None:
        value = expression.subs({u: sp.Rational(x), v: sp.Rational(y)})
        assert not value.is_finite or value >= 0


def test_no_certificate_for_what_is_false() -> None:
    for method in ("minors", "squares"):
        assert prove_psd(SQUARE_MATRIX - sp.eye(2), UNIT, method=method) is None
        assert prove_psd(sp.Matrix([[0, 1], [1, 0]]) * eta_plain, UNIT, method=method) is None


@given(
    coefficients=st.lists(st.integers(-4, 4), min_size=1, max_size=5), low=st.integers(-2, 2), width=st.integers(0, 3)
)
def test_nonnegativity_of_one_variable_is_decided(coefficients: list[int], low: int, width: int) -> None:
    x = sp.Symbol("x")
    polynomial = sum(k * x**i for i, k in enumerate(coefficients))
    domain = Domain((Parameter("x", low, low + width if width else None),))
    proved = prove_nonnegative(polynomial, domain) is not None
    grid = [low + Fraction(k, 50) * (width or 20) for k in range(51)]
    values = [sum(k * v**i for i, k in enumerate(coefficients)) for v in grid]
    if min(values) < 0:
        assert not proved
    elif width and min(values[:-1]) > Fraction(1, 2):
        assert proved


def test_every_coefficient_with_its_sign() -> None:
    gamma, Omega, dist = symbols("gamma Omega dist")
    expression = 2 * eta * (1 - 2 * L * eta) * (eta * L - 1) * Omega + (1 - eta * L) * dist
    signs = coefficient_signs(
        expression, (Omega, dist), {Omega: "<=0"}, Domain((Parameter("eta"), Parameter("L")), where=(1 - 4 * L * eta,))
    )
    found = {s.term: s for s in signs}
    assert found["Omega"].verdict is Verdict.HOLDS  # true only by ηL <= 1/4, which the certificate does not use
    scaled = {eta: gamma / (4 * L)}  # ηL = γ/4 with γ in [0, 1]
    domain = Domain((Parameter("gamma", 0, 1), Parameter("L")))
    proved = coefficient_signs(expression.subs(scaled), (Omega, dist), {Omega: "<=0"}, domain)
    assert [s.verdict for s in proved] == [Verdict.PROVED, Verdict.PROVED]
    wrong = coefficient_signs(expression.subs(scaled), (Omega, dist), {}, domain)
    omega = next(s for s in wrong if s.term == "Omega")
    assert omega.verdict is Verdict.REFUTED
    assert omega.witness is not None
    assert set(omega.witness) == {"L", "gamma"}


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="not linear"):
        _ = VectorInequality(square(a) ** 2, square(b)).matrix
    with pytest.raises(ValueError, match="not linear"):
        _ = VectorInequality(square(a) + 1, square(b)).matrix
    with pytest.raises(ValueError, match="not a rational function"):
        _ = VectorInequality(sp.sqrt(eta) * square(a), square(b), STEP).matrix
    with pytest.raises(ValueError, match="no parameter named"):
        _ = VectorInequality(eta * square(a), square(b)).matrix
    with pytest.raises(ValueError, match="parameters too"):
        VectorInequality(square(vectors("eta")), square(b), STEP)
    with pytest.raises(ValueError, match=r"\['>0'\]"):
        coefficient_signs(eta * p, (p,), {p: ">0"}, STEP)


def test_the_same_seed_gives_the_same_outcome() -> None:
    def run() -> Any:
        return judge_vectors(replace(YOUNG, rhs=YOUNG.rhs * sp.Rational(99, 100)), "X", "r", seed=3)

    first, second = run(), run()
    assert (first.why, first.script) == (second.why, second.script)


def windowed(width: Fraction) -> VectorInequality:
    """0 <= ((x − 1/3)² − width²/4)·‖a‖², false only in a window of that width around x = 1/3."""
    x = symbols("x")
    middle = (x - sp.Rational(1, 3)) ** 2 - sp.Rational(width) ** 2 / 4
    return VectorInequality(0 * square(a), middle * square(a), Domain((Parameter("x", 0, 1),)))


@pytest.mark.parametrize("width", [Fraction(1, 10**4), Fraction(1, 10**12)])
def test_a_narrow_window_of_one_parameter_is_found(width: Fraction) -> None:
    outcome = judge_vectors(windowed(width), "X", "r", budget=200)
    assert outcome.verdict is Verdict.REFUTED
    found = Fraction(outcome.detail["worst_instance"]["x"])
    assert abs(found - Fraction(1, 3)) < width / 2


def test_a_window_of_width_zero_is_none() -> None:
    outcome = judge_vectors(windowed(Fraction(0)), "X", "r", budget=200)
    assert outcome.verdict is Verdict.PROVED
    assert "Sturm" in outcome.why


x0 = sp.Symbol("x")


@given(
    roots=st.lists(st.fractions(min_value=-3, max_value=3, max_denominator=12), min_size=1, max_size=5),
    low=st.fractions(min_value=-3, max_value=2, max_denominator=6),
    width=st.one_of(st.none(), st.fractions(min_value=Fraction(1, 100), max_value=3, max_denominator=100)),
    sign=st.sampled_from([-1, 1]),
    bend=st.booleans(),
)
def test_one_polynomial_is_decided_exactly(
    roots: list[Fraction], low: Fraction, width: Fraction | None, sign: int, bend: bool
) -> None:
    """Against a grid of all places between roots; `bend` adds a pair of irrational ones."""
    high = None if width is None else low + width
    p = sign * sp.prod([x0 - sp.Rational(r) for r in roots]) * (x0**2 - 2 if bend else 1)
    found = negative_point(sp.Matrix([[p]]), Domain((Parameter("x", low, high),)))
    # Near every root and end: sqrt(2) is bracketed by rationals that no root of a small denominator separates from it.
    marks = sorted({*roots, low, *([] if high is None else [high]), Fraction(99999, 70710), Fraction(-99999, 70710)})
    near = [m + d for m in marks for d in (Fraction(-1, 10**7), Fraction(0), Fraction(1, 10**7))] + [Fraction(9)]
    inside = [m for m in near if m >= low and (high is None or m <= high)]
    expected = any(p.subs(x0, sp.Rational(m)) < 0 for m in inside)
    assert (found is not None) == expected
    if found is not None:
        assert p.subs(x0, sp.Rational(found["x"])) < 0


def _far(limit: int) -> VectorInequality:
    """‖a + b‖² <= 2‖a‖² + 2‖b‖² + (limit + q² − p)‖a − b‖², false only where p > limit + q²."""
    room = limit + q**2 - p
    rhs = 2 * square(a) + 2 * square(b) + (room + sp.Rational(-1)) * square(a - b)
    return VectorInequality(square(a + b), rhs, Domain((Parameter("p"), Parameter("q"))))


def _between(width: Fraction) -> VectorInequality:
    """0 <= ((p − 0.3)² + (q − 0.7)² − width²)·‖a‖², false only within `width` of one point of the square."""
    away = (p - sp.Rational(3, 10)) ** 2 + (q - sp.Rational(7, 10)) ** 2 - sp.Rational(width) ** 2
    return VectorInequality(0 * square(a), away * square(a), Domain((Parameter("p", 0, 1), Parameter("q", 0, 1))))


@pytest.mark.parametrize("test", [_far(10**9), _between(Fraction(1, 10**4))], ids=["far", "between"])
def test_what_no_draw_comes_near_is_climbed_to(test: VectorInequality) -> None:
    outcome = judge_vectors(test, "X", "r", budget=200)
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.script is not None
    exec(compile(outcome.script.replace("raise SystemExit", "found ="), "<script>", "exec"), scope := {})
    assert scope["violated"]


def test_what_no_certificate_was_asked_for_is_climbed_and_holds() -> None:
    found = judge_vectors(JENSEN, "X", "r", budget=300, method="none")
    assert found.verdict is Verdict.HOLDS
    assert found.instances > 300


def test_a_climb_stays_where_the_conditions_of_the_domain_are_met() -> None:
    """False only for p > 4, which the condition p <= 3 leaves out."""
    below = VectorInequality(
        p * square(a), 4 * square(a) + q * square(b), Domain((Parameter("p"), Parameter("q")), where=(3 - p,))
    )
    assert judge_vectors(below, "X", "r", budget=200, method="none").verdict is Verdict.HOLDS

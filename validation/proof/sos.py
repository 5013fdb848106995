"""Certificates over all parameters: polynomials and symmetric matrices that are nonnegative on a domain, exactly.

Polynomials: intervals and simplices are substituted by t >= 0 (p = (low + high·t)/(1 + t), pᵢ = tᵢ/Σt); a polynomial
whose coefficients are then all >= 0, perhaps after multiplication by (1 + Σt)ᵏ, is nonnegative. One variable is
decided by Sturm's theorem. Matrices: all principal minors, or a sum of squares M = Σ gₖ ZᵀQₖZ with Qₖ ⪰ 0 found by a
solver, rounded to rationals, projected onto the identity and checked: residual exactly 0, Qₖ by LDLᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import sympy as sp

from theory.exact import is_positive_semidefinite
from validation.statement.instances.domain import Domain

__all__ = ["Minors", "SumOfSquares", "prove_nonnegative", "prove_psd"]

_POLYA = 4  # powers of (1 + Σt) tried
_MOST_MINORS = 6  # matrices up to this size have at most 63 principal minors
_MOST_UNKNOWNS = 600  # entries of all Qₖ together


def prove_nonnegative(expression: Any, domain: Domain) -> str | None:
    """How a rational function is known to be >= 0 wherever it is defined on the domain; None when it is not known."""
    above, below = sp.fraction(sp.cancel(sp.together(domain.over_orthant(expression))))
    if above == 0:
        return "identically 0"
    sign, ways = 1, []
    for part in (above, below):
        constant, factors = sp.factor_list(part)
        sign *= 1 if constant > 0 else -1
        # Factors come with a positive leading coefficient, so they can only be >= 0 throughout, never <= 0.
        for factor in (f for f, power in factors if power % 2):
            how = _nonnegative_polynomial(sp.Poly(factor, *sorted(factor.free_symbols, key=str)))
            if how is None:
                return None
            ways.append(how)
    return (", ".join(dict.fromkeys(ways)) or "squares only") if sign > 0 else None


def _nonnegative_polynomial(p: Any) -> str | None:
    """How a polynomial is known to be >= 0 for all its variables >= 0."""
    if all(c >= 0 for c in p.coeffs()):
        return "all coefficients >= 0"
    if p.LC() < 0 and len(p.gens) == 1:
        return None
    if len(p.gens) == 1:
        # The factor is irreducible, so it changes sign at every root; 0 itself may be one.
        x = p.gens[0]
        q = sp.Poly(sp.cancel(p.as_expr() / x), x) if p.eval(0) == 0 else p
        return "no positive root (Sturm)" if q.count_roots(0, None) == 0 else None
    spread = sp.Poly(1 + sum(p.gens), *p.gens)
    for k in range(1, _POLYA + 1):
        p = p * spread
        if all(c >= 0 for c in p.coeffs()):
            return f"all coefficients >= 0 after multiplication by (1 + Σt)^{k}"
    return None


@dataclass(frozen=True)
class Minors:
    """All principal minors of the matrix are nonnegative on the domain: (rows, minor, how)."""

    minors: tuple[tuple[tuple[int, ...], str, str], ...]

    @property
    def says(self) -> str:
        return f"all {len(self.minors)} principal minors are nonnegative on the whole domain"


@dataclass(frozen=True)
class SumOfSquares:
    """M·factor = Σ gₖ (Zₖ ⊗ I)ᵀ Qₖ (Zₖ ⊗ I), every Qₖ ⪰ 0 and rational, on the space spanned by the columns of `basis`.

    `terms`: (gₖ, the monomials Zₖ, Qₖ). `factor` > 0 clears denominators; M vanishes outside `basis`.
    """

    factor: Any
    basis: Any
    terms: tuple[tuple[Any, tuple[Any, ...], tuple[tuple[Fraction, ...], ...]], ...]

    @property
    def says(self) -> str:
        return f"an exact sum-of-squares identity with {len(self.terms)} multipliers, residual 0"

    def verify(self, matrix: Any, domain: Domain) -> bool:
        """Whether the identity holds exactly, every Qₖ is positive semidefinite and every gₖ belongs to the domain."""
        known = [sp.expand(g) for g in _multipliers(domain)]
        if any(sp.expand(g) not in known for g, _, _ in self.terms):
            return False
        if not all(is_positive_semidefinite(Q) for _, _, Q in self.terms):
            return False
        if prove_nonnegative(self.factor, domain) is None or self.factor == 0:
            return False
        whole = (self.factor * matrix).applyfunc(sp.cancel).applyfunc(domain.eliminated)
        null = self.basis.T.nullspace()
        if any((whole * u).expand() != sp.zeros(whole.rows, 1) for u in null):
            return False
        small = (self.basis.T * whole * self.basis).expand()
        total = sp.zeros(small.rows, small.rows)
        for g, monomials, Q in self.terms:
            lifted = _lifted(monomials, small.rows)
            total += g * (lifted.T * sp.Matrix([[sp.Rational(x) for x in row] for row in Q]) * lifted)
        return bool((total - small).expand() == sp.zeros(small.rows, small.rows))


def prove_psd(matrix: Any, domain: Domain, *, method: str = "any") -> Minors | SumOfSquares | None:
    """A certificate, verified exactly, that a symmetric matrix of rational functions is PSD on the domain, or None.

    `method`: "minors", "squares" or "any" of both. With denominators, PSD is claimed where M is defined.
    """
    if method in {"any", "minors"} and matrix.rows <= _MOST_MINORS:
        found = _by_minors(matrix, domain)
        if found is not None:
            return found
    if method in {"any", "squares"}:
        squares = _by_squares(matrix, domain)
        if squares is not None and squares.verify(matrix, domain):
            return squares
    return None


def _by_minors(matrix: Any, domain: Domain) -> Minors | None:
    found = []
    for size in range(1, matrix.rows + 1):
        for rows in combinations(range(matrix.rows), size):
            minor = matrix.extract(list(rows), list(rows)).det(method="berkowitz")
            how = prove_nonnegative(minor, domain)
            if how is None:
                return None
            found.append((rows, str(sp.factor(minor)), how))
    return Minors(tuple(found))


def _multipliers(domain: Domain) -> list[Any]:
    constraints = domain.constraints()
    return [sp.Integer(1), *constraints, *(a * b for a, b in combinations(constraints, 2))]


def _lifted(monomials: Sequence[Any], size: int) -> Any:
    return sp.Matrix.vstack(*(m * sp.eye(size) for m in monomials))


def _degree(expression: Any, variables: Sequence[Any]) -> int:
    return int(sp.Poly(expression, *variables).total_degree()) if variables and expression != 0 else 0


def _by_squares(matrix: Any, domain: Domain) -> SumOfSquares | None:
    dropped = {group[-1] for group in domain.simplices}
    variables = [sp.Symbol(name) for name in domain.names if name not in dropped]
    if not variables:
        return None
    factor = sp.Integer(1)
    for entry in matrix:
        factor = sp.lcm(factor, sp.fraction(sp.cancel(entry))[1])
    if prove_nonnegative(factor, domain) is None:
        factor = -factor
    whole = (factor * matrix).applyfunc(sp.cancel).applyfunc(domain.eliminated)
    # Directions in which M vanishes for all parameters leave no room for rounding: they are taken out first.
    layers = [sp.Poly(e, *variables) for e in whole]
    powers = sorted({m for layer in layers for m in layer.monoms()})
    if not powers:
        return None
    stacked = sp.Matrix.vstack(
        *(whole.applyfunc(lambda e, m=m: sp.Poly(e, *variables).coeff_monomial(m)) for m in powers)
    )
    spanning = stacked.rowspace()
    if not spanning:
        return None
    basis = sp.Matrix.hstack(*(row.T for row in spanning))
    small = (basis.T * whole * basis).expand()
    degree = max(_degree(e, variables) for e in small)
    half = (degree + 1) // 2
    terms = []
    for g in _multipliers(domain):
        room = (2 * half - _degree(g, variables)) // 2
        if room >= 0:
            monomials = [sp.Mul(*c) for d in range(room + 1) for c in combinations_with_replacement(variables, d)]
            terms.append((g, tuple(monomials)))
    solved = _solved(small, terms, variables)
    if solved is None:
        return None
    return SumOfSquares(factor, basis, tuple((g, m, Q) for (g, m), Q in zip(terms, solved, strict=True)))


def _solved(small: Any, terms: Sequence[Any], variables: Sequence[Any]) -> list[Any] | None:
    """Rational Qₖ that satisfy the identity exactly, near the solver's most interior ones, or None."""
    r = small.rows
    sizes = [len(m) * r for _, m in terms]
    index: list[tuple[int, int, int]] = [(k, i, j) for k, s in enumerate(sizes) for i in range(s) for j in range(i, s)]
    if len(index) > _MOST_UNKNOWNS:
        return None
    columns: list[dict[tuple[Any, ...], Any]] = []
    for k, i, j in index:
        g, monomials = terms[k]
        column: dict[tuple[Any, ...], Any] = {}
        for (ma, a), (mb, b) in {((i // r, i % r), (j // r, j % r)), ((j // r, j % r), (i // r, i % r))}:
            if a <= b:
                for power, c in sp.Poly(g * monomials[ma] * monomials[mb], *variables).terms():
                    column[a, b, power] = column.get((a, b, power), 0) + c
        columns.append(column)
    wanted = {
        (a, b, power): c
        for a, b in product(range(r), repeat=2)
        if a <= b
        for power, c in sp.Poly(small[a, b], *variables).terms()
        if c != 0
    }
    rows = sorted({key for column in columns for key in column} | set(wanted), key=str)
    A = [[Fraction(str(column.get(key, 0))) for column in columns] for key in rows]
    b = [Fraction(str(wanted.get(key, 0))) for key in rows]
    guess = _interior(sizes, index, A, b)
    if guess is None:
        return None
    for digits in (8, 16, 28):
        rounded = [Fraction(round(x * 2**digits), 2**digits) for x in guess]
        exact = _projected(A, b, rounded)
        if exact is None:
            return None
        out = []
        for k, size in enumerate(sizes):
            Q = [[Fraction(0)] * size for _ in range(size)]
            for (which, i, j), value in zip(index, exact, strict=True):
                if which == k:
                    Q[i][j] = Q[j][i] = value
            out.append(tuple(tuple(row) for row in Q))
        if all(is_positive_semidefinite(Q) for Q in out):
            return out
    return None


def _interior(sizes: Sequence[int], index: Sequence[Any], A: Any, b: Any) -> list[float] | None:
    """The solver's Qₖ with the largest smallest eigenvalue, as the vector of their upper triangles."""
    import cvxpy as cp

    Qs = [cp.Variable((s, s), symmetric=True) for s in sizes]
    level = cp.Variable()
    entries = cp.hstack([Qs[k][i, j] for k, i, j in index])
    exact = np.asarray([[float(x) for x in row] for row in A]) @ entries == np.asarray([float(x) for x in b])
    inside = [Q - level * np.eye(s) >> 0 for Q, s in zip(Qs, sizes, strict=True)]
    problem = cp.Problem(cp.Maximize(level), [exact, *inside, level <= 1])
    try:
        problem.solve(solver="CLARABEL")
    except cp.SolverError:
        return None
    if level.value is None or float(level.value) < 1e-9:
        return None
    return [float(Qs[k].value[i, j]) for k, i, j in index]


def _projected(A: Any, b: Any, x: Sequence[Fraction]) -> list[Fraction] | None:
    """The point of {Ax = b} nearest to x, exactly; None when the system has no solution."""
    from flint import fmpq, fmpq_mat

    def matrix(rows: Sequence[Sequence[Fraction]]) -> Any:
        return fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in rows])

    whole, rank = matrix([[*row, value] for row, value in zip(A, b, strict=True)]).rref()
    kept = [[whole[i, j] for j in range(len(x) + 1)] for i in range(rank)]
    if any(all(v == 0 for v in row[:-1]) for row in kept):
        return None
    left = fmpq_mat([row[:-1] for row in kept])
    point = matrix([[v] for v in x])
    gap = left * point - fmpq_mat([[row[-1]] for row in kept])
    moved = point - left.transpose() * (left * left.transpose()).solve(gap)
    return [Fraction(int(moved[i, 0].p), int(moved[i, 0].q)) for i in range(len(x))]

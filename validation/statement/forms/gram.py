"""Proof steps between norms and inner products of a few vectors: true for all vectors iff one small matrix is PSD.

An inequality that is linear in the Gram matrix holds for all vectors in all dimensions, at given parameters, iff the
coefficient matrix M of rhs − lhs is positive semidefinite. So each parameter point is decided exactly by LDLᵀ; all of
them at once only by a certificate (`validation.proof.sos`), and only that earns `proved`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from validation.statement.bound import python_source
from validation.statement.forms.vectors import product_of
from validation.statement.instances.domain import Domain, Point

__all__ = ["VectorInequality"]

__judges__ = "vectors"


Float = NDArray[np.float64]


@dataclass(frozen=True)
class VectorInequality:
    """lhs <= rhs for all vectors of all dimensions and all parameters of the domain.

    Both sides are built from `inner` and `square`; their coefficients are rational functions of the parameters.
    Raises `ValueError` when a vector is called like a parameter; `matrix`, and so the check, where a side is not linear
    in the inner products, or a coefficient is no rational function.
    """

    lhs: Any
    rhs: Any
    domain: Domain = field(default_factory=Domain)

    def __post_init__(self) -> None:
        clash = set(self.names) & set(self.domain.names)
        if clash or not self.names:
            raise ValueError(f"VectorInequality: vectors {list(self.names)}, of which parameters too: {sorted(clash)}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the vectors, sorted."""
        found = {s.name for side in (self.lhs, self.rhs) for s in sp.sympify(side).free_symbols if s.name[0] == "<"}
        return tuple(sorted({part for name in found for part in name[1:-1].split(",")}))

    @cached_property
    def matrix(self) -> Any:
        """M with rhs − lhs = Σ Mᵢⱼ⟨vᵢ, vⱼ⟩, symmetric; made when it is first asked for, since it takes long."""
        found = self._coefficients(self.rhs) - self._coefficients(self.lhs)
        odd = [e for e in found if not e.is_rational_function()]
        if odd:
            raise ValueError(f"VectorInequality: {odd[0]} is not a rational function of the parameters")
        return found

    def _coefficients(self, side: Any) -> Any:
        side = sp.expand(side)
        rows = [[product_of(i, j) for j in self.names] for i in self.names]
        grams = sorted({g for row in rows for g in row}, key=str)
        if side != 0 and any(sum(m) != 1 for m in sp.Poly(side, *grams).monoms()):
            raise ValueError(f"VectorInequality: {side} is not linear in the inner products")
        half = sp.Matrix(len(rows), len(rows), lambda i, j: side.coeff(rows[i][j]) / (1 if i == j else 2))
        return half.applyfunc(self.domain.plain)

    @cached_property
    def _compiled(self) -> Any:
        rows = self.matrix.tolist()
        upper = (python_source(rows[i][j]) for i in range(len(rows)) for j in range(i, len(rows)))
        return compile(f"({', '.join(upper)},)", "<matrix>", "eval")

    def at(self, point: Point) -> list[list[Fraction]]:
        """M at rational parameters; `ZeroDivisionError` where it is undefined."""
        entries = iter(eval(self._compiled, {"__builtins__": {}, "Fraction": Fraction, **point}))
        size = len(self.names)
        found = [[Fraction(0)] * size for _ in range(size)]
        for i in range(size):
            for j in range(i, size):  # it is symmetric
                found[i][j] = found[j][i] = Fraction(next(entries))
        return found

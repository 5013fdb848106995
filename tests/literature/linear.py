"""Vectors and matrices: norms, quadratic forms, projections, mixing."""

from __future__ import annotations

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import ZERO, bound, fails, holds

right, square, mu, L = fv.symbols("right square mu L")
VECTORS = fv.Signed("a", 1e-2, 1e2, (3,)), fv.Signed("b", 1e-2, 1e2, (3,))
MATRICES = fv.Signed("A", 1e-1, 1e1, (2, 2)), fv.Signed("B", 1e-1, 1e1, (2, 2))
FORMS = fv.Signed("A", 1e-1, 1e1, (3, 3)), *VECTORS


def dot(a, b):
    return (a * b).sum(axis=1)


def times(matrix, vector):
    return (matrix @ vector[:, :, None])[:, :, 0]


def entries(matrix):
    return (matrix**2).sum(axis=2).sum(axis=1)


def swapped(x):
    return {"lhs": entries(x["A"] @ x["B"] - x["B"] @ x["A"]), "right": entries(x["A"]) * entries(x["B"])}


def cauchy(positive):
    """⟨a, Mb⟩² against ⟨a, Ma⟩⟨b, Mb⟩ with M = AᵀA, or M = A + Aᵀ."""

    def sides(x):
        M = x["A"].mT @ x["A"] if positive else x["A"] + x["A"].mT
        forms = [dot(u, times(M, v)) for u, v in ((x["a"], x["b"]), (x["a"], x["a"]), (x["b"], x["b"]))]
        return {"lhs": forms[0] ** 2, "right": forms[1] * forms[2], "admissible": (forms[1] >= 0) & (forms[2] >= 0)}

    return sides


def sherman(sign):
    """(D + uuᵀ)⁻¹v by the formula of Sherman and Morrison."""

    def sides(x):
        D, u, v = x["d"], x["a"], x["b"]
        full = np.linalg.solve(D[:, :, None] * np.eye(3, dtype=int) + u[:, :, None] * u[:, None, :], v[:, :, None])[
            :, :, 0
        ]
        short = v / D + sign * u / D * (dot(u / D, v) / (1 + dot(u / D, u)))[:, None]
        return {"lhs": np.abs(full - short).sum(axis=1)}

    return sides


def kantorovich(x):
    h, a = x["d"], x["a"]
    return {
        "lhs": dot(h * a, a) * dot(a / h, a),
        "square": dot(a, a) ** 2,
        "mu": h.min(axis=1),
        "L": h.max(axis=1),
    }


def monotone(power):
    """A <= B = A + bbᵀ as forms: the same of their powers?"""

    def sides(x):
        A = x["A"].mT @ x["A"]
        B = A + x["b"][:, :, None] * x["b"][:, None, :]
        left, more = (A, B) if power == 1 else (A @ A, B @ B)
        return {"lhs": dot(x["a"], times(left, x["a"])), "right": dot(x["a"], times(more, x["a"]))}

    return sides


def projected(x):
    """Two points and their projections onto the nonnegative vectors."""
    p, q = np.maximum(x["a"], 0), np.maximum(x["b"], 0)
    moved = dot(p - q, p - q)
    return {"lhs": moved, "right": dot(p - q, x["a"] - x["b"]), "square": dot(x["a"] - x["b"], x["a"] - x["b"])}


CURVED = (fv.LogScale("d", 1e-2, 1e2, (3,)), *VECTORS)

STATEMENTS = (
    holds("commutator", "Böttcher and Wenzel 2005: 2 is best possible", bound(2 * right, MATRICES, swapped)),
    fails(
        "commutator with 3/2", "two nilpotent matrices attain 2", bound(sp.Rational(3, 2) * right, MATRICES, swapped)
    ),
    fails("Cauchy–Schwarz of an indefinite form", "needs M semidefinite", bound(right, FORMS, cauchy(False))),
    holds("Sherman–Morrison", "multiply out", bound(ZERO, CURVED, sherman(-1))),
    holds(
        "Kantorovich", "Kantorovich 1948; attained", bound((mu + L) ** 2 / (4 * mu * L) * square, CURVED, kantorovich)
    ),
    fails(
        "Kantorovich without the square",
        "arithmetic over geometric mean",
        bound((mu + L) / (2 * sp.sqrt(mu * L)) * square, CURVED, kantorovich),
    ),
    fails("order of squares of forms", "the square is not operator monotone", bound(right, FORMS, monotone(2))),
    holds("projections are firmly nonexpansive", "obtuse angles", bound(right, VECTORS, projected)),
)

"""Vectors and matrices: norms, quadratic forms, projections, mixing."""

from __future__ import annotations

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import ZERO, bound, equal, fails, holds

right, square, mu, L, other = fv.symbols("right square mu L other")
VECTORS = fv.Signed("a", 1e-2, 1e2, (3,)), fv.Signed("b", 1e-2, 1e2, (3,))
MATRICES = fv.Signed("A", 1e-1, 1e1, (2, 2)), fv.Signed("B", 1e-1, 1e1, (2, 2))
FORMS = fv.Signed("A", 1e-1, 1e1, (3, 3)), *VECTORS


def dot(a, b):
    return (a * b).sum(axis=1)


def times(matrix, vector):
    return (matrix @ vector[:, :, None])[:, :, 0]


def entries(matrix):
    return (matrix**2).sum(axis=2).sum(axis=1)


def product_of_sums(x):
    return {"lhs": dot(x["a"], x["b"]), "square": dot(x["a"] + x["b"], x["a"] + x["b"])}


def polarised(x):
    plus, minus = x["a"] + x["b"], x["a"] - x["b"]
    return {"lhs": np.abs(4 * dot(x["a"], x["b"]) - dot(plus, plus) + dot(minus, minus))}


def three_points(sign):
    def sides(x):
        a, b, c = x["a"], x["b"], x["c"]
        apart = [dot(u - v, u - v) for u, v in ((a, b), (c, b), (a, c))]
        return equal(2 * dot(a - b, c - b), apart[0] + apart[1] + sign * apart[2])

    return sides


def frobenius(x):
    return {"lhs": entries(x["A"] @ x["B"]), "right": entries(x["A"]) * entries(x["B"])}


def swapped(x):
    return {"lhs": entries(x["A"] @ x["B"] - x["B"] @ x["A"]), "right": entries(x["A"]) * entries(x["B"])}


def cauchy(positive):
    """⟨a, Mb⟩² against ⟨a, Ma⟩⟨b, Mb⟩ with M = AᵀA, or M = A + Aᵀ."""

    def sides(x):
        M = x["A"].mT @ x["A"] if positive else x["A"] + x["A"].mT
        forms = [dot(u, times(M, v)) for u, v in ((x["a"], x["b"]), (x["a"], x["a"]), (x["b"], x["b"]))]
        return {"lhs": forms[0] ** 2, "right": forms[1] * forms[2], "admissible": (forms[1] >= 0) & (forms[2] >= 0)}

    return sides


def determinant(x):
    M = x["A"].mT @ x["A"]
    return {"lhs": np.linalg.det(M), "right": M[:, 0, 0] * M[:, 1, 1] * M[:, 2, 2]}


def gershgorin(rows):
    """⟨a, Ma⟩ for symmetric M against the least row bound; `rows`: the sum of all, or the largest, off the diagonal."""

    def sides(x):
        M = x["A"] + x["A"].mT
        off = np.abs(M) * (1 - np.eye(3, dtype=int))
        below = off.sum(axis=2) if rows == "sum" else off.max(axis=2)
        diagonal = np.stack([M[:, i, i] for i in range(3)], axis=1)
        return {"lhs": (diagonal - below).min(axis=1) * dot(x["a"], x["a"]), "right": dot(x["a"], times(M, x["a"]))}

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


def grows(x):
    """A triangular matrix with both eigenvalues below 1: one application."""
    a = x["a"]
    after = np.stack([x["s"][:, 0] * a[:, 0] + x["t"] * a[:, 1], x["s"][:, 1] * a[:, 1]], axis=1)
    return {"lhs": dot(after, after), "right": dot(a, a), "square": x["t"] ** 2 * dot(a, a)}


def projected(x):
    """Two points and their projections onto the nonnegative vectors."""
    p, q = np.maximum(x["a"], 0), np.maximum(x["b"], 0)
    moved = dot(p - q, p - q)
    return {"lhs": moved, "right": dot(p - q, x["a"] - x["b"]), "square": dot(x["a"] - x["b"], x["a"] - x["b"])}


def symmetric_part(x):
    """⟨a, Aa⟩ sees the symmetric part of A only."""
    return equal(dot(x["a"], times(x["A"], x["a"])), dot(x["a"], times(x["A"] + x["A"].mT, x["a"])) / 2)


def traces(swap):
    def sides(x):
        A, B, C = x["A"], x["B"], x["C"]
        return equal(
            np.trace(A @ B @ C, axis1=1, axis2=2), np.trace(A @ C @ B if swap else C @ A @ B, axis1=1, axis2=2)
        )

    return sides


THREE = (*VECTORS, fv.Signed("c", 1e-2, 1e2, (3,)))
CURVED = (fv.LogScale("d", 1e-2, 1e2, (3,)), *VECTORS)
TRIANGULAR = fv.Uniform("s", 0, 0.75, (2,)), fv.Signed("t", 1e-2, 1e1), fv.Signed("a", 1e-2, 1e2, (2,))
CYCLE = (*MATRICES, fv.Signed("C", 1e-1, 1e1, (2, 2)))

STATEMENTS = (
    holds(
        "product below a quarter of the square of the sum",
        "equal at a = b",
        bound(square / 4, VECTORS, product_of_sums),
    ),
    fails("product below a fifth of the square of the sum", "a = b", bound(square / 5, VECTORS, product_of_sums)),
    holds("polarisation", "expand both squares", bound(ZERO, VECTORS, polarised)),
    holds("three points", "law of cosines", bound(ZERO, THREE, three_points(-1))),
    fails("three points, sign slip", "the distance opposite is subtracted", bound(ZERO, THREE, three_points(1))),
    holds("commutator", "Böttcher and Wenzel 2005: 2 is best possible", bound(2 * right, MATRICES, swapped)),
    fails(
        "commutator with 3/2", "two nilpotent matrices attain 2", bound(sp.Rational(3, 2) * right, MATRICES, swapped)
    ),
    fails("Frobenius norm of a product, halved", "rank one matrices attain 1", bound(right / 2, MATRICES, frobenius)),
    holds("Cauchy–Schwarz of a form", "a semidefinite matrix", bound(right, FORMS, cauchy(True))),
    fails("Cauchy–Schwarz of an indefinite form", "needs M semidefinite", bound(right, FORMS, cauchy(False))),
    holds("Hadamard", "determinant below the diagonal", bound(right, (FORMS[0],), determinant)),
    holds("Gershgorin", "diagonal dominance", bound(right, FORMS[:2], gershgorin("sum"))),
    fails(
        "Gershgorin with the largest entry",
        "two entries of a row add up",
        bound(right, FORMS[:2], gershgorin("largest")),
    ),
    holds("Sherman–Morrison", "multiply out", bound(ZERO, CURVED, sherman(-1))),
    fails("Sherman–Morrison, sign slip", "the correction is subtracted", bound(ZERO, CURVED, sherman(1))),
    holds(
        "Kantorovich", "Kantorovich 1948; attained", bound((mu + L) ** 2 / (4 * mu * L) * square, CURVED, kantorovich)
    ),
    fails(
        "Kantorovich without the square",
        "arithmetic over geometric mean",
        bound((mu + L) / (2 * sp.sqrt(mu * L)) * square, CURVED, kantorovich),
    ),
    holds("order of forms", "bbᵀ is semidefinite", bound(right, FORMS, monotone(1))),
    fails("order of squares of forms", "the square is not operator monotone", bound(right, FORMS, monotone(2))),
    fails("spectral radius below 1 contracts", "a triangular matrix may first grow", bound(right, TRIANGULAR, grows)),
    holds("projections are firmly nonexpansive", "obtuse angles", bound(right, VECTORS, projected)),
    fails(
        "projections contract", "inside they are the identity", bound(sp.Rational(9, 10) * square, VECTORS, projected)
    ),
    holds("symmetric part", "⟨a, Aa⟩ = ⟨Aᵀa, a⟩", bound(ZERO, FORMS[:2], symmetric_part)),
    holds("trace of a cycle", "tr AB = tr BA", bound(ZERO, CYCLE, traces(False))),
    fails("trace of a swap", "true of two factors", bound(ZERO, CYCLE, traces(True))),
)

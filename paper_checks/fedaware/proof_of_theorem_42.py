"""A.2: the proof of Theorem 4.2, descent of one round up to (6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedaware.bent_round import bent_rounds
from paper_checks.fedaware.notation import NOTATION, Checked
from paper_checks.fedaware.rounds import both_noises
from theory.exact import dot
from validation import Case, Claim, Family, Instance, LogScale, Signed, Size, Space
from validation.statement.forms.vectors import inner, square
from validation.statement.forms.vectors import vectors as free_vectors
from validation.world import Domain, Parameter, VectorInequality, World, case, le, mutant, reading, step

__all__ = ["CLAIMS", "ROUND_ASSUMED"]

K, eta_l, L, eta, grad, gap, square_, fall = NOTATION.symbols("K eta_l L step grad gap square fall")
rise2, size = NOTATION.symbols("rise2 size")
_HALF, _THIRD = sp.Rational(1, 2), sp.Rational(1, 3)
_e = sp.Symbol("e", positive=True)
_grad, _G = free_vectors("grad G")
_STEP, _NONE = Domain((Parameter("e"),)), Domain()


def descent(x: Instance) -> Mapping[str, Any]:
    """f(x − ev) − f(x) + e⟨∇f(x), v⟩ of f = Σhⱼxⱼ²/2, in `rise2`."""
    h, v, step = x["curvature"], x["move"], x["step"]
    found = {"rise2": (h * (step[:, None] * v) ** 2).sum(axis=1) / 2, "L": np.abs(h).max(axis=1), "step": step}
    return {**found, "size": (v**2).sum(axis=1), "magnitude": (np.abs(h) * (step[:, None] * v) ** 2).sum(axis=1)}


def descent_exact(x: Mapping[str, Any]) -> Checked:
    """f = sum h_j x_j^2/2: f(x - e v) - f(x) + e <grad f(x), v>."""
    h, at, v, e = x["curvature"], x["at"], x["move"], x["step"]

    def f(y: Any) -> Any:
        return sum(a * z * z for a, z in zip(h, y, strict=True)) / 2

    moved = [a - e * b for a, b in zip(at, v, strict=True)]
    rise2 = f(moved) - f(at) + e * sum(a * y * z for a, y, z in zip(h, at, v, strict=True))
    return {"step > 0": e > 0}, {"rise2": rise2, "L": max(abs(a) for a in h), "step": e, "size": dot(v, v)}


def _descent(d: float) -> Case:
    n = int(d)
    names = ("curvature", "at", "move")
    space = Space((*(Signed(name, 1e-3, 1e3, (n,)) for name in names), LogScale("step", 1e-3, 1e3)))
    return case(f"dimension {n}", space, descent, descent_exact, uses=(dot,))


S61 = step(
    "FA-S6.1",
    "before (6), A.2",
    "Descent lemma",
    printed=r"""f(x^t-\tilde\eta\hat G)\le f(x^t)-\tilde\eta\langle\nabla f(x^t),\hat G\rangle+
        \frac L2\tilde\eta^2\|\hat G\|^2""",
    plainly="An L-smooth function lies below its tangent plus half of L times the squared step.",
    assumes=["f is L-smooth, being a weighted mean of L-smooth fᵢ"],
    says=le(rise2, L / 2 * eta**2 * size, again=lambda step, L, size: step * L * step * size / 2),
    world=World(NOTATION, (Family("quadratics of either curvature", (Size("d", 1, 8, 2),), _descent),)),
    readings=[
        reading(
            "quadratic f",
            "Any point, any direction, curvatures of either sign; the linear term is taken to the left side.",
        )
    ],
    mutants=[
        mutant(
            "a quarter of L",
            le(rise2, L / 4 * eta**2 * size),
            "along the direction of curvature L the quadratic term is exactly L/2",
        )
    ],
    tight="the direction of curvature L",
    rests_on=["FA-A4.2"],
    verdict="The descent lemma, attained by quadratics.",
)
_DOWN = -_e * inner(_grad, _G)

S62 = step(
    "FA-S6.2",
    "before (6), A.2",
    "Adding and subtracting the gradient",
    printed=r"-\tilde\eta\langle\nabla f,\hat G\rangle\le-\tilde\eta\langle\nabla f,\hat G-\nabla f+\nabla f\rangle",
    plainly="The gradient is subtracted and added inside the inner product.",
    assumes=["any vectors; expectations of both sides follow"],
    says=VectorInequality(_DOWN, -_e * inner(_grad, _G - _grad + _grad), _STEP),
    readings=[reading("for all vectors", "Path by path, in every dimension.")],
    mutants=[
        mutant(
            "added twice",
            VectorInequality(_DOWN, -_e * inner(_grad, _G + _grad), _STEP),
            "the right side is smaller by η̃‖∇f‖²",
        )
    ],
    verdict="An identity.",
)

_SPLIT = -_e * inner(_grad, (_G - _grad) + _grad)

S63 = step(
    "FA-S6.3",
    "before (6), A.2",
    "The inner product expanded",
    printed=r"""-\tilde\eta\langle\nabla f,\hat G-\nabla f+\nabla f\rangle\le-\tilde\eta\|\nabla f\|^2+
        \tilde\eta\langle\nabla f,\nabla f-\hat G\rangle""",
    plainly="The inner product splits into the squared gradient and the error term.",
    assumes=["any vectors; expectations of both sides follow"],
    says=VectorInequality(_SPLIT, -_e * square(_grad) + _e * inner(_grad, _grad - _G), _STEP),
    readings=[reading("for all vectors", "Path by path, in every dimension.")],
    mutants=[
        mutant(
            "sign of the error",
            VectorInequality(_SPLIT, -_e * square(_grad) + _e * inner(_grad, _G - _grad), _STEP),
            "the sides differ by 2η̃⟨∇f, ∇f − Ĝ⟩, which takes either sign",
        )
    ],
    verdict="An identity.",
)

_ERROR = inner(_grad, _grad - _G)

S64 = step(
    "FA-S6.4",
    "before (6), A.2",
    "Inner product bounded by squares",
    printed=r"\langle\nabla f,\nabla f-\hat G\rangle\le\tfrac12\|\nabla f\|^2+\tfrac12\|\nabla f-\hat G\|^2",
    plainly="An inner product is at most half the sum of the squares.",
    assumes=["any vectors; expectations of both sides follow"],
    says=VectorInequality(_ERROR, _HALF * square(_grad) + _HALF * square(_grad - _G), _NONE),
    readings=[reading("for all vectors", "Path by path, in every dimension.")],
    mutants=[
        mutant(
            "a third of the squares",
            VectorInequality(_ERROR, _THIRD * square(_grad) + _THIRD * square(_grad - _G), _NONE),
            "at Ĝ = 0 the left side is ‖∇f‖², the right side two thirds of it",
        )
    ],
    verdict="Young's inequality; the unused part −‖Ĝ‖²/2 is what a sharper proof would keep.",
)

ROUND_ASSUMED = [
    "every fᵢ is L-smooth (A4.2)",
    "unbiased gradients of variance at most σ_l² (A4.3)",
    "η_l <= 1/(8LK); for (7) also 1/(√cKL) <= η_l",
]

E6 = step(
    "FA-E6",
    "Eq. (6), A.2",
    "Descent of one round",
    printed=r"""\mathbb E[f(x^{t+1})]-f(x^t)\le-\frac{\tilde\eta}2\mathbb E\|\nabla f(x^t)\|^2+\frac{\tilde\eta}2
        \mathbb E\|\nabla f(x^t)-\hat G^t\|^2+\frac L2\tilde\eta^2\mathbb E\|\hat G^t\|^2""",
    plainly="""One server step lowers f by half the squared gradient, up to the error and the size of the
        pseudo-gradient.""",
    assumes=ROUND_ASSUMED,
    says=le(-fall, -eta / 2 * grad + eta / 2 * gap + L / 2 * eta**2 * square_ / (eta_l**2 * K**2)),
    world=World(NOTATION, (*both_noises().cases, *bent_rounds())),
    readings=[
        reading(
            "smooth clients",
            """Given xᵗ; clients on the line, quadratic, curvatures of either sign, or of a curvature that changes;
                noise alike everywhere, or at the broadcast model only.""",
        )
    ],
    mutants=[
        mutant(
            "quadratic term dropped",
            le(-fall, -eta / 2 * grad + eta / 2 * gap),
            "a long enough server step on a convex f raises it, while the error of Ĝ for K = 1 is only noise",
        )
    ],
    rests_on=["FA-S6.1", "FA-S6.2", "FA-S6.3", "FA-S6.4"],
    verdict="""The descent lemma with ⟨a, b⟩ written through squares, so it holds for every smooth f and all noise; it
        was searched on the line, with quadratic clients and with clients whose curvature changes on the way.""",
)

CLAIMS: tuple[Claim, ...] = (S61, S62, S63, S64, E6)

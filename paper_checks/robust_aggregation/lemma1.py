"""RA-L1: the squared gradient of an L-smooth function is at most 2L times its excess over a unique global minimum."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.exact import dot, is_positive_semidefinite, matvec, quadratic_gradient, quadratic_loss, rotated
from theory.families import plane_rotation
from theory.worst_case import WorstCase, gradient_over_gap
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ClassWorstCase,
    ExactCheck,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Space,
    symbols,
    units,
)

__all__ = ["RA_L1"]

L, excess = symbols("L excess")
BOUND = Bound(
    2 * L * excess,
    again=lambda L, excess: L * (excess + excess),
    degrees={"L": (1, -2), "excess": (1, 0)},
)


def _quadratic(x: Instance) -> Mapping[str, Any]:
    along, across = np.einsum("nij,ni->jn", plane_rotation(x["tilt"]), x["offset"])
    a, b = x["spectrum"][:, 0], x["spectrum"][:, 1]
    return {
        "lhs": (a * along) ** 2 + (b * across) ** 2,
        "L": np.maximum(a, b),
        "excess": 0.5 * (a * along**2 + b * across**2),
    }


def quadratic_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """f(w) = 1/2 w^T A w in the plane, L the larger eigenvalue of A, certified by an exact LDL^T."""
    A, origin = rotated(x["spectrum"], x["tilt"]), [Fraction(0), Fraction(0)]
    L = max(x["spectrum"])
    gradient = quadratic_gradient(A, origin, x["offset"])
    above = [[(L if r == c else 0) - A[r][c] for c in (0, 1)] for r in (0, 1)]
    hypotheses = {
        "L-smoothness, by exact LDL^T": is_positive_semidefinite(above),
        "unique global minimum: A positive definite": min(x["spectrum"]) > 0,
    }
    constants = {"lhs": dot(gradient, gradient), "L": L, "excess": quadratic_loss(A, origin, Fraction(0), x["offset"])}
    return hypotheses, constants


def _rippled(x: Instance) -> Mapping[str, Any]:
    """f(w) = w² + a sin²w, a >= 0: unique global minimum 0 at w = 0, not convex for a > 1, exact L = 2 + 2a."""
    w, a = x["point"], x["ripple"]
    return {
        "lhs": (2 * w + a * np.sin(2 * w)) ** 2,
        "L": 2 + 2 * a,
        "excess": w**2 + a * np.sin(w) ** 2,
    }


_QUADRATIC = Case(
    "quadratic in the plane",
    Space(
        (
            LogScale("spectrum", 1e-3, 1e3, (2,), at=(1e-3, 1.0, 1e3)),
            Signed("tilt", 1e-2, 1.0),
            Signed("offset", 1e-6, 1e3, (2,)),
        )
    ),
    _quadratic,
    ExactCheck(quadratic_exact, (dot, matvec, is_positive_semidefinite, rotated, quadratic_loss, quadratic_gradient)),
    symmetries=(units({"spectrum": (1, -2), "offset": (0, 1)}),),
)
_RIPPLED = Case(
    "w² + a sin²w, not convex for a > 1",
    Space((Signed("point", 1e-6, 1e2), LogScale("ripple", 1e-3, 1e3, at=(1.0,)))),
    _rippled,
)


def _program() -> WorstCase:
    """sup ‖∇f‖²/(f − f*) over all convex 3-smooth functions."""
    return gradient_over_gap(mu=0.0, L=3.0)


RA_L1 = Claim(
    id="RA-L1",
    kind=Kind.INEQUALITY,
    source="Lemma 1, eq. (4), Sec. 2.3",
    title="Gradient against excess loss",
    statement=r"\forall w,\qquad\|\nabla f(w)\|^2\le2L\,(f(w)-f(w^\star))",
    says="The squared gradient of an L-smooth f is at most 2L times its excess loss.",
    assumes=("f is L-smooth", "f has a unique global minimum at w*"),
    readings=(
        Reading(
            "as printed",
            "Convex and non-convex f with exact L.",
            Inequality(BOUND, (_QUADRATIC, _RIPPLED), degrees=(2, -2)),
        ),
    ),
    canaries=(
        Canary(
            "factor 2 dropped",
            Inequality(Bound(L * excess), (_QUADRATIC,)),
            "the bound is attained along an eigenvector of the largest curvature, so half of it is not enough",
        ),
        Canary(
            "global minimum replaced by zero",
            Inequality(Bound(2 * L * (excess - 1)), (_QUADRATIC,)),
            "at the minimiser the right side is then −2L < 0",
        ),
    ),
    tight="w − w* an eigenvector of the largest curvature",
    verdict_words=(
        "No violation was found, and the bound is attained by quadratics. It needs no convexity: a gradient step of "
        "length 1/L from w stays above the global minimum, and smoothness bounds what that step gains."
    ),
    worst_cases=(ClassWorstCase("every convex f of smoothness L = 3, any dimension", _program, 6.0),),
)

CLAIMS: tuple[Claim, ...] = (RA_L1,)

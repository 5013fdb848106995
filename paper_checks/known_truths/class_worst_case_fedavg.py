"""K30: no pair of smooth strongly convex clients passes the worst case of FedAvg over the whole class.

The worst case is that of a semidefinite program, here 10⁻⁶ above its six digits. L and the distance R of the start are
free scales: the step is 1/(2L), μ = L/10, gradients at w* count in units of L R, and the value in units of L R².
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.exact_rounds import symmetric
from paper_checks.known_truths.pieces import gradients, slope_at, value_at, values
from theory.exact import dot, matvec, quadratic_loss
from theory.worst_case import WorstCase, worst_case_fedavg
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
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
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

value, L, R = symbols("value L R")
_VALUE = 0.105939
_SHARES = np.array([0.7, 0.3])
# The gradients at w* are 3 and −7 times the pull, which 0.7·3 = 0.3·7 balances; their mean square is 21 pull².
_FARTHEST_PULL = 0.2182  # 21·0.2182² = 0.99982
_BALANCE = np.array([3.0, -7.0])


def worst_again(value: Any, L: Any, R: Any) -> Any:
    """The value in units of L R² once more."""
    return L * (R * R) * value


WORST = Bound(value * L * R**2, again=worst_again, degrees={"value": (0, 0), "L": (1, -2), "R": (0, 1)})


def _constants(x: Instance) -> dict[str, Any]:
    return {"value": np.full_like(x["radius"], _VALUE), "L": x["smoothness"], "R": x["radius"]}


def _weights(x: Instance) -> Any:
    """The server's weights: the shares, or (where that is dropped) the shares of the other client."""
    return np.where(x["swapped"][:, None] > 0, _SHARES[::-1], _SHARES)


def _bent(x: Instance) -> Mapping[str, Any]:
    """Two rounds of two local steps in one dimension, in units of L and R."""
    slopes, knots = x["slopes"], x["knots"]
    pull, w = _BALANCE * x["pull"][:, None], x["start"]
    for _ in range(2):
        local = np.repeat(w[:, None], 2, axis=1)
        for _ in range(2):
            local = local - 0.5 * gradients(slopes, knots, pull, local)
        w = (_weights(x) * local).sum(axis=1)
    loss = (_SHARES * values(slopes, knots, pull, np.repeat(w[:, None], 2, axis=1))).sum(axis=1)
    constants = _constants(x)
    return {**constants, "lhs": loss * constants["L"] * constants["R"] ** 2}


def bent_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg with E = T = 2 and step 1/(2L); slopes in units of L, knots and start of R, gradients at w* of L R."""
    L, R, shares = x["smoothness"], x["radius"], [Fraction(7, 10), Fraction(3, 10)]
    weights = shares[::-1] if x["swapped"] > 0 else shares
    slopes, knots = [[L * s for s in row] for row in x["slopes"]], [[R * k for k in row] for row in x["knots"]]
    pulls, w = [3 * L * R * x["pull"], -7 * L * R * x["pull"]], R * x["start"]
    for _ in range(2):
        models = []
        for client in (0, 1):
            y = w
            for _ in range(2):
                y = y - slope_at(slopes[client], knots[client], pulls[client], y) / (2 * L)
            models.append(y)
        w = weights[0] * models[0] + weights[1] * models[1]
    spread = sum(p * g * g for p, g in zip(shares, pulls, strict=True))
    hypotheses = {
        "every slope between L/10 and L (or the dropped limit)": all(
            L <= 10 * s <= 10 * x["steepest"] * L for row in slopes for s in row
        ),
        "knots and scales positive": min(min(row) for row in knots) > 0 and L > 0 and R > 0,
        "the gradients at w* cancel": sum(p * g for p, g in zip(shares, pulls, strict=True)) == 0,
        "their mean square at most (L R)^2 (or the dropped limit)": spread <= (x["apart"] * L * R) ** 2,
        "start within R of the minimiser (or the dropped limit)": abs(x["start"]) <= x["reach"],
    }
    lhs = sum(p * value_at(s, k, g, w) for p, s, k, g in zip(shares, slopes, knots, pulls, strict=True))
    return hypotheses, {"lhs": lhs, "value": Fraction(105939, 10**6), "L": L, "R": R}


def _quadratic(x: Instance) -> Mapping[str, Any]:
    """The same in the plane for quadratics, in units of L and R."""
    v = x["mirror"]
    size = (v**2).sum(axis=-1)[..., None, None]
    H = np.eye(2) - 2 * v[..., :, None] * v[..., None, :] / np.where(size > 0, size, 1.0)
    A = np.einsum("nkij,nkj,nklj->nkil", H, x["spectrum"], H)
    pull, w = _BALANCE[:, None] * x["pull"][:, None, :], x["start"]
    for _ in range(2):
        local = np.repeat(w[:, None], 2, axis=1)
        for _ in range(2):
            local = local - 0.5 * (np.einsum("nkij,nkj->nki", A, local) + pull)
        w = (_weights(x)[:, :, None] * local).sum(axis=1)
    loss = 0.5 * np.einsum("k,ni,nkij,nj->n", _SHARES, w, A, w)
    constants = _constants(x)
    return {
        **constants,
        "lhs": loss * constants["L"] * constants["R"] ** 2,
        "admissible": ((x["start"] ** 2).sum(axis=1) <= x["reach"] ** 2)
        & (21 * (x["pull"] ** 2).sum(axis=1) <= x["apart"] ** 2),
    }


def quadratic_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg with E = T = 2 and step 1/(2L) on two quadratics F_i = ½wᵀA_iw + ⟨b_i, w⟩, Σ p_ib_i = 0."""
    L, R, shares = x["smoothness"], x["radius"], [Fraction(7, 10), Fraction(3, 10)]
    weights = shares[::-1] if x["swapped"] > 0 else shares
    A = [symmetric([L * s for s in spectrum], v) for spectrum, v in zip(x["spectrum"], x["mirror"], strict=True)]
    pulls = [[k * L * R * y for y in x["pull"]] for k in (3, -7)]
    w = [R * y for y in x["start"]]
    for _ in range(2):
        models = []
        for curvature, b in zip(A, pulls, strict=True):
            y = w
            for _ in range(2):
                y = [u - (g + c) / (2 * L) for u, g, c in zip(y, matvec(curvature, y), b, strict=True)]
            models.append(y)
        w = [dot(weights, pair) for pair in zip(*models, strict=True)]
    spread = sum(p * dot(b, b) for p, b in zip(shares, pulls, strict=True))
    hypotheses = {
        "curvature between L/10 and L (or the dropped limit)": all(
            1 <= 10 * s <= 10 * x["steepest"] for row in x["spectrum"] for s in row
        ),
        "scales positive": L > 0 and R > 0,
        "the gradients at w* cancel": all(dot(shares, pair) == 0 for pair in zip(*pulls, strict=True)),
        "their mean square at most (L R)^2 (or the dropped limit)": spread <= (x["apart"] * L * R) ** 2,
        "start within R of the minimiser (or the dropped limit)": dot(x["start"], x["start"]) <= x["reach"] ** 2,
    }
    origin = [Fraction(0), Fraction(0)]
    # The linear parts cancel in Σ p_iF_i, so only the quadratic ones count.
    lhs = sum(p * quadratic_loss(curvature, origin, Fraction(0), w) for p, curvature in zip(shares, A, strict=True))
    return hypotheses, {"lhs": lhs, "value": Fraction(105939, 10**6), "L": L, "R": R}


_BENT = ExactCheck(bent_exact, (slope_at, value_at))
_QUADRATIC = ExactCheck(quadratic_exact, (dot, matvec, symmetric, quadratic_loss))


def _cases(*, reach: float = 1.0, steepest: float = 1.0, apart: float = 1.0, swapped: float = 0.0) -> tuple[Case, ...]:
    """Both cases; each argument away from its default drops one hypothesis."""
    farthest = _FARTHEST_PULL * apart
    shared = (
        LogScale("smoothness", 1e-2, 1e2, at=(1.0,)),
        LogScale("radius", 1e-3, 1e3, at=(1.0,)),
        Choice("reach", (reach,)),
        Choice("steepest", (steepest,)),
        Choice("apart", (apart,)),
        Choice("swapped", (swapped,)),
    )
    bent = (
        Uniform("slopes", 0.1, steepest, (2, 4), at=(0.1, steepest)),
        Uniform("knots", 1e-3, 2.0, (2, 2), at=(0.25, 0.5, 1.0, 2.0)),
        Uniform("start", -reach, reach, at=(-reach, reach)),
        Uniform("pull", -farthest, farthest, at=(-farthest, 0.0, farthest)),
    )
    plane = (
        Uniform("spectrum", 0.1, steepest, (2, 2), at=(0.1, steepest)),
        Signed("mirror", 1e-2, 1.0, (2, 2)),
        Uniform("start", -reach, reach, (2,), at=(-reach, 0.0, reach)),
        Uniform("pull", -farthest, farthest, (2,), at=(-farthest, 0.0, farthest)),
    )
    return (
        Case("two clients of piecewise linear gradient in one dimension", Space((*bent, *shared)), _bent, _BENT),
        Case("two quadratic clients in the plane", Space((*plane, *shared)), _quadratic, _QUADRATIC),
    )


def _program() -> WorstCase:
    """The semidefinite program at L = R = 1."""
    return worst_case_fedavg(
        [0.7, 0.3],
        mu=0.1,
        L=1.0,
        local_lr=0.5,
        n_local_steps=2,
        n_rounds=2,
        heterogeneity=("gradients at w*", 1.0),
    )


K30 = Claim(
    id="K30",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="FedAvg over a whole class",
    statement=(
        r"F(w_T)-F^*\le0.105938\,LR^2\qquad(N=2,\;p=(0.7,0.3),\;E=T=2,\;\mu=L/10,\;\eta=1/(2L),"
        r"\;\textstyle\sum_ip_i\|\nabla F_i(w^*)\|^2\le L^2R^2,\;\|w_0-w^*\|\le R)"
    ),
    says="After two rounds of two local steps the excess loss is at most the class's worst case (10⁻⁶ above its digits).",
    assumes=(
        "two clients, L-smooth and L/10-strongly convex, with weights and shares 0.7 and 0.3",
        "two rounds of two local steps 1/(2L)",
        "Σ p_i‖∇F_i(w*)‖² <= (L R)², ‖w_0 − w*‖ <= R",
    ),
    readings=(
        Reading(
            "as stated",
            "Functions of one variable with piecewise linear gradient, and quadratics in the plane.",
            Inequality(WORST, _cases(), degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary(
            "any gradients at w*",
            Inequality(WORST, _cases(apart=5.0)),
            "curvatures L and L/10, gradients 3 L R and −7 L R at w*: from w* itself the average drifts to 0.170 L R²",
        ),
        Canary(
            "any start",
            Inequality(WORST, _cases(reach=3.0)),
            "two alike clients of curvature L/10, started 3R away, are left with 0.45·0.95⁸ L R² = 0.298 L R²",
        ),
        Canary(
            "slopes up to 5L",
            Inequality(WORST, _cases(steepest=5.0)),
            "for two alike clients of curvature 5L a step multiplies w − w* by 1 − 5/2 = −3/2, four times over",
        ),
        Canary(
            "the server swaps the weights",
            Inequality(WORST, _cases(swapped=1.0)),
            "curvatures L, gradients 3/5 and −7/5 L R at w*: from w* the average drifts to 9/32 L R², towards the "
            "minimiser of another mixture",
        ),
    ),
    tight="not known to be: the program's function may need more dimensions and pieces",
    verdict_words=(
        "It holds: the semidefinite program bounds every pair of clients of the class in every dimension. The largest "
        "ratio found is by functions of one variable and quadratics in the plane, which need not come up to it."
    ),
    worst_cases=(ClassWorstCase("E = 2, T = 2, L = R = 1", _program, 0.105939),),
)

CLAIMS: tuple[Claim, ...] = (K30,)

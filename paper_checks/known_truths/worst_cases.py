"""K29 and K30: no smooth strongly convex function, and no pair of clients, passes the worst case of its whole class.

The worst cases are those of a semidefinite program, here 10⁻⁶ above their six digits. L and the distance R of the start
are free scales: the step is 1/(2L), μ = L/10, gradients at w* count in units of L R, and the value in units of L R².
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from sympy import Rational

from paper_checks.known_truths.drawing import mirrored, over, ranging
from paper_checks.known_truths.notation import NOTATION, Coordinates, Plain, Seen
from paper_checks.known_truths.pieces import gradients, slope_at, value_at, values
from theory.exact import dot, matvec, quadratic_loss
from theory.worlds.hull import reflected, turned
from theory.worst_case import WorstCase, worst_case_fedavg
from validation import Case, ClassWorstCase, Instance, LogScale, Signed, Space, Uniform
from validation.world import World, at, case, le, mutant, reading, remark

__all__ = ["CLAIMS"]

excess, value, later, L, R, T = NOTATION.symbols("excess value later L R T")
_VALUES = tuple(Fraction(v, 10**6) for v in (240347, 152562, 108608, 0))  # T = 1, 2, 3
_TWO, _SWAPPED = (Fraction(7, 10), Fraction(3, 10)), (Fraction(3, 10), Fraction(7, 10))
_FARTHEST_PULL = 0.2182  # 21·0.2182² = 0.99982


@dataclass(frozen=True)
class Limits:
    """What is admitted, in units of R, L and L R; each one away from its default drops a hypothesis."""

    reach: float = 1.0
    steepest: float = 1.0
    apart: float = 1.0

    @property
    def exactly(self) -> dict[str, Any]:
        """The same in fractions."""
        return {k: Fraction(v) for k, v in vars(self).items()}


def pulls(x: Instance, n_clients: int) -> Any:
    """The gradients at w*, (n, clients, …): 3 and −7 times the pull, which 0.7·3 = 0.3·7 balances; of one client 0."""
    pull = x["pull"] if "pull" in x else 0.0 * x["start"]
    return np.stack([k * pull for k in (3.0, -7.0)[:n_clients]], axis=1)


def scaled(x: Instance, loss: Any, T: int, value: Fraction, later: Fraction) -> dict[str, Any]:
    """What is observed of a loss in units of L R²."""
    L, R = x["smoothness"], x["radius"]
    known = {k: np.full_like(R, float(v)) for k, v in (("value", value), ("later", later), ("T", T))}
    return {"excess": loss * L * R**2, "L": L, "R": R, **known}


def bent(
    x: Instance, *, E: int, T: int, shares: tuple[Any, ...], weights: tuple[Any, ...], value: Fraction, later: Fraction
) -> Seen:
    """T rounds of E local steps in one dimension, in units of L and R; the server's weights may be others than shares."""
    n, k = len(x["start"]), len(shares)
    slopes, knots, pull, w = x["slopes"].reshape(n, k, 4), x["knots"].reshape(n, k, 2), pulls(x, k), x["start"]
    for _ in range(T):
        local = np.repeat(w[:, None], k, axis=1)
        for _ in range(E):
            local = local - 0.5 * gradients(slopes, knots, pull, local)
        w = (np.array(weights, float) * local).sum(axis=1)
    losses = values(slopes, knots, pull, np.repeat(w[:, None], k, axis=1))
    return scaled(x, (np.array(shares, float) * losses).sum(axis=1), T, value, later)


def bent_exact(
    x: Seen,
    *,
    E: int,
    T: int,
    shares: tuple[Any, ...],
    weights: tuple[Any, ...],
    value: Fraction,
    later: Fraction,
    reach: Fraction,
    steepest: Fraction,
    apart: Fraction,
) -> Plain:
    """FedAvg with step 1/(2L); slopes in units of L, knots and start of R, gradients at w* of L R."""
    L, R, one, w = x["smoothness"], x["radius"], len(shares) == 1, x["radius"] * x["start"]
    slopes = [[L * s for s in row] for row in ([x["slopes"]] if one else x["slopes"])]
    knots = [[R * k for k in row] for row in ([x["knots"]] if one else x["knots"])]
    pulls = [k * L * R * x.get("pull", Fraction(0)) for k in (3, -7)[: len(shares)]]
    for _ in range(T):
        models = []
        for client in range(len(shares)):
            y = w
            for _ in range(E):
                y = y - slope_at(slopes[client], knots[client], pulls[client], y) / (2 * L)
            models.append(y)
        w = sum(a * y for a, y in zip(weights, models, strict=True))
    spread = sum(p * g * g for p, g in zip(shares, pulls, strict=True))
    met = {
        "every slope between L/10 and L (or the dropped limit)": all(
            L <= 10 * s <= 10 * steepest * L for row in slopes for s in row
        ),
        "knots and scales positive": min(min(row) for row in knots) > 0 and L > 0 and R > 0,
        "the gradients at w* cancel": sum(p * g for p, g in zip(shares, pulls, strict=True)) == 0,
        "their mean square at most (L R)^2 (or the dropped limit)": spread <= (apart * L * R) ** 2,
        "start within R of the minimiser (or the dropped limit)": abs(x["start"]) <= reach,
    }
    loss = sum(p * value_at(s, k, g, w) for p, s, k, g in zip(shares, slopes, knots, pulls, strict=True))
    return met, {"excess": loss, "L": L, "R": R, "value": value, "later": later, "T": Fraction(T)}


def plane(
    x: Instance,
    *,
    E: int,
    T: int,
    shares: tuple[Any, ...],
    weights: tuple[Any, ...],
    value: Fraction,
    later: Fraction,
    limits: Limits,
) -> Seen:
    """The same in the plane for quadratics, in units of L and R."""
    n, k = len(x["start"]), len(shares)
    spectrum, pull, w = x["spectrum"].reshape(n, k, 2), pulls(x, k), x["start"]
    H = mirrored(x["mirror"].reshape(n, k, 1, 2), np.eye(2))
    A = np.einsum("nkij,nkj,nklj->nkil", H, spectrum, H)
    for _ in range(T):
        local = np.repeat(w[:, None], k, axis=1)
        for _ in range(E):
            local = local - 0.5 * (np.einsum("nkij,nkj->nki", A, local) + pull)
        w = (np.array(weights, float)[:, None] * local).sum(axis=1)
    found = scaled(x, 0.5 * np.einsum("k,ni,nkij,nj->n", np.array(shares, float), w, A, w), T, value, later)
    near = (x["start"] ** 2).sum(axis=1) <= limits.reach**2
    return {**found, "admissible": near & (7 / 3 * (pull[:, 0] ** 2).sum(axis=1) <= limits.apart**2)}


def plane_exact(
    x: Seen,
    *,
    E: int,
    T: int,
    shares: tuple[Any, ...],
    weights: tuple[Any, ...],
    value: Fraction,
    later: Fraction,
    reach: Fraction,
    steepest: Fraction,
    apart: Fraction,
) -> Plain:
    """FedAvg with step 1/(2L) on quadratics F_i = ½wᵀA_iw + ⟨b_i, w⟩, Σ p_ib_i = 0."""
    L, R, one, origin = x["smoothness"], x["radius"], len(shares) == 1, [Fraction(0), Fraction(0)]
    spectra, mirrors = ([x["spectrum"]], [x["mirror"]]) if one else (x["spectrum"], x["mirror"])
    A = [turned([L * s for s in spectrum], [v]) for spectrum, v in zip(spectra, mirrors, strict=True)]
    pulls = [[k * L * R * y for y in x.get("pull", origin)] for k in (3, -7)[: len(shares)]]
    w = [R * y for y in x["start"]]
    for _ in range(T):
        models = []
        for curvature, b in zip(A, pulls, strict=True):
            y = w
            for _ in range(E):
                y = [u - (g + c) / (2 * L) for u, g, c in zip(y, matvec(curvature, y), b, strict=True)]
            models.append(y)
        w = [dot(weights, pair) for pair in zip(*models, strict=True)]
    spread = sum(p * dot(b, b) for p, b in zip(shares, pulls, strict=True))
    met = {
        "curvature between L/10 and L (or the dropped limit)": all(
            1 <= 10 * s <= 10 * steepest for row in spectra for s in row
        ),
        "scales positive": L > 0 and R > 0,
        "the gradients at w* cancel": all(dot(shares, pair) == 0 for pair in zip(*pulls, strict=True)),
        "their mean square at most (L R)^2 (or the dropped limit)": spread <= (apart * L * R) ** 2,
        "start within R of the minimiser (or the dropped limit)": dot(x["start"], x["start"]) <= reach**2,
    }
    # The linear parts cancel in Σ p_iF_i, so only the quadratic ones count.
    loss = sum(p * quadratic_loss(curvature, origin, Fraction(0), w) for p, curvature in zip(shares, A, strict=True))
    return met, {"excess": loss, "L": L, "R": R, "value": value, "later": later, "T": Fraction(T)}


_SCALES = (LogScale("smoothness", 1e-2, 1e2, at=(1.0,)), LogScale("radius", 1e-3, 1e3, at=(1.0,)))


def cases(names: tuple[str, str], of: tuple[Coordinates, Coordinates], limits: Limits, **run: Any) -> tuple[Case, Case]:
    """The case in one dimension and that in the plane."""
    lines = partial(bent, **run), partial(bent_exact, **run, **limits.exactly)
    planes = partial(plane, **run, limits=limits), partial(plane_exact, **run, **limits.exactly)
    uses = (dot, matvec, reflected, turned, quadratic_loss)
    return (
        case(names[0], Space((*of[0], *_SCALES)), *lines, uses=(slope_at, value_at)),
        case(names[1], Space((*of[1], *_SCALES)), *planes, uses=uses),
    )


def descents(low: int = 1, high: int = 3, *, reach: float = 1.0, steepest: float = 1.0) -> World:
    """Gradient descent of `low` to `high` steps."""
    line: Coordinates = (Uniform("slopes", 0.1, steepest, (4,), at=(0.1, steepest)),)
    line += (
        Uniform("knots", 1e-3, 1.0, (2,), at=(0.25, 0.5, 1.0)),
        Uniform("start", -reach, reach, at=(-reach, reach)),
    )
    plane: Coordinates = (Uniform("spectrum", 0.1, steepest, (2,), at=(0.1, 2 / 3, steepest)),)
    plane += (Signed("mirror", 1e-2, 1.0, (2,)), Uniform("start", -reach, reach, (2,), at=(-reach, 0.0, reach)))

    def at(which: int) -> Callable[[int], Case]:
        def of(T: int) -> Case:
            names = (f"piecewise linear gradient in one dimension, T = {T}", f"quadratic in the plane, T = {T}")
            run = {"E": 1, "T": T, "shares": (Fraction(1),), "weights": (Fraction(1),)}
            known = {"value": _VALUES[T - 1], "later": _VALUES[T]}
            return cases(names, (line, plane), Limits(reach, steepest), **run, **known)[which]

        return of

    names = ("piecewise linear gradients", "quadratics")
    return over(*(ranging(name, at(i), T=(low, high, low)) for i, name in enumerate(names)))


def pairs(limits: Limits, weights: tuple[Fraction, ...] = _TWO) -> World:
    """Two clients, two rounds of two local steps."""
    reach, steepest, farthest = limits.reach, limits.steepest, _FARTHEST_PULL * limits.apart
    line: Coordinates = (Uniform("slopes", 0.1, steepest, (2, 4), at=(0.1, steepest)),)
    line += (Uniform("knots", 1e-3, 2.0, (2, 2), at=(0.25, 0.5, 1.0, 2.0)),)
    line += (Uniform("start", -reach, reach, at=(-reach, reach)),)
    line += (Uniform("pull", -farthest, farthest, at=(-farthest, 0.0, farthest)),)
    plane: Coordinates = (Uniform("spectrum", 0.1, steepest, (2, 2), at=(0.1, steepest)),)
    plane += (Signed("mirror", 1e-2, 1.0, (2, 2)), Uniform("start", -reach, reach, (2,), at=(-reach, 0.0, reach)))
    plane += (Uniform("pull", -farthest, farthest, (2,), at=(-farthest, 0.0, farthest)),)
    names = ("two clients of piecewise linear gradient in one dimension", "two quadratic clients in the plane")
    run = {"E": 2, "T": 2, "shares": _TWO, "weights": weights, "value": Fraction(105939, 10**6), "later": Fraction(0)}
    return World(NOTATION, cases(names, (line, plane), limits, **run))


def program(name: str, expected: float, shares: list[float], **told: Any) -> ClassWorstCase:
    """A semidefinite program at L = R = 1, its value beside the six digits printed."""

    def solve() -> WorstCase:
        return worst_case_fedavg(shares, mu=0.1, L=1.0, local_lr=0.5, **told)

    return ClassWorstCase(name, solve, expected)


_WORST = le(excess, value * L * R**2)

DESCENTS = tuple(
    program(f"T = {n}, L = R = 1", float(_VALUES[n - 1]), [1.0], n_local_steps=1, n_rounds=n) for n in (1, 2, 3)
)

K29 = remark(
    "K29",
    "known truth",
    "Gradient descent over a whole class",
    printed=r"""F(w_T)-F^*\le v_T\,LR^2,\qquad v_1=0.240346,\;v_2=0.152561,\;v_3=0.108607\qquad(\mu=L/10,\;\eta=1/(2L),
        \;\|w_0-w^*\|\le R)""",
    plainly="After T gradient steps the excess loss is at most the class's worst case (10⁻⁶ above its six digits).",
    assumes=["F L-smooth and L/10-strongly convex, not only quadratic", "step 1/(2L)", "‖w_0 − w*‖ <= R"],
    says=_WORST,
    world=descents(),
    readings=[
        reading(
            "as stated",
            "Functions of one variable with piecewise linear gradient, and quadratics in the plane; T = 1, 2, 3.",
        )
    ],
    mutants=[
        mutant(
            "the value of T + 1",
            le(excess, later * L * R**2),
            "the value of T is attained, and the values fall with T",
            world=descents(1, 2),
        ),
        mutant(
            "any start",
            None,
            "a flat quadratic started beyond R keeps most of its loss",
            at(spectrum=[1, 1], mirror=[0, 0], start=[0, -3], smoothness=1, radius=1),
            world=descents(reach=3.0),
        ),
        mutant(
            "slopes up to 3L",
            None,
            "a quadratic of curvature 3L overshoots and keeps more than the printed constant",
            at(spectrum=[1, 3], mirror=[0, 0], start=[0, 1], smoothness=1, radius=1),
            world=descents(steepest=3.0),
        ),
        mutant(
            "the worst quadratic in place of the worst function",
            le(excess, Rational(4, 27) * L * R**2),
            "a bent gradient attains more than max λ/2·(1 − λ/2)²",
            world=descents(1, 1),
        ),
        mutant(
            "μ replaced by L",
            le(excess, Rational(1, 4) ** T * L * R**2 / 2),
            "for μ = L only F = L/2·w² is left, which has less than a bent gradient attains",
            at(spectrum=[1, "1/2"], mirror=[0, 0], start=[0, -1], smoothness=1, radius=1),
        ),
    ],
    tight=[
        "in the limit of all digits of v_T: slope L up to a knot, slope L/10 beyond it, the start at distance R",
        at(
            "piecewise linear gradient in one dimension, T = 1",
            slopes=["1/10", 1, 1, "1/10"],
            knots=["481/1000", "481/1000"],
            start=1,
            smoothness=1,
            radius=1,
        ),
    ],
    supremum=1.0,
    worst_cases=DESCENTS,
    verdict="""It holds: the semidefinite program bounds every function of the class in every dimension, and functions
        of one variable that bend once from slope L to slope μ come up to it.""",
)

ROUNDS = program(
    "E = 2, T = 2, L = R = 1",
    0.105939,
    [0.7, 0.3],
    n_local_steps=2,
    n_rounds=2,
    heterogeneity=("gradients at w*", 1.0),
)

K30 = remark(
    "K30",
    "known truth",
    "FedAvg over a whole class",
    printed=r"""F(w_T)-F^*\le0.105938\,LR^2\qquad(N=2,\;p=(0.7,0.3),\;E=T=2,\;\mu=L/10,\;\eta=1/(2L),\;
        \textstyle\sum_ip_i\|\nabla F_i(w^*)\|^2\le L^2R^2,\;\|w_0-w^*\|\le R)""",
    plainly="""After two rounds of two local steps the excess loss is at most the class's worst case (10⁻⁶ above its
        digits).""",
    assumes=[
        "two clients, L-smooth and L/10-strongly convex, with weights and shares 0.7 and 0.3",
        "two rounds of two local steps 1/(2L)",
        "Σ p_i‖∇F_i(w*)‖² <= (L R)², ‖w_0 − w*‖ <= R",
    ],
    says=_WORST,
    world=pairs(Limits()),
    readings=[
        reading("as stated", "Functions of one variable with piecewise linear gradient, and quadratics in the plane.")
    ],
    mutants=[
        mutant(
            "any gradients at w*",
            None,
            "gradients at w* may be of any size, and from w* itself the average drifts with them",
            world=pairs(Limits(apart=5.0)),
        ),
        mutant(
            "any start",
            None,
            "two alike flat clients started beyond R keep most of their loss",
            world=pairs(Limits(reach=3.0)),
        ),
        mutant(
            "slopes up to 5L",
            None,
            "for two alike clients of curvature 5L every step overshoots",
            world=pairs(Limits(steepest=5.0)),
        ),
        mutant(
            "the server swaps the weights",
            None,
            "with the weights swapped the average drifts from w* towards the minimiser of another mixture",
            world=pairs(Limits(), _SWAPPED),
        ),
    ],
    tight="not known to be: the program's function may need more dimensions and pieces",
    worst_cases=[ROUNDS],
    verdict="""It holds: the semidefinite program bounds every pair of clients of the class in every dimension. The
        largest ratio found is by functions of one variable and quadratics in the plane, which need not come up to
        it.""",
)

CLAIMS = (K29, K30)

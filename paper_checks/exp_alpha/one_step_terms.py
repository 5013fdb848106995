"""EA-E14, E15, E18: the bounds on B₂ and B₁,₂ in the proof of Lemma 1, on clients that are no quadratics."""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.bent_space import bent
from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, symbols
from validation.statement.domain import Domain
from validation.statement.gram import VectorInequality
from validation.statement.says import le
from validation.statement.vectors import square, vectors
from validation.world.front import claim, mutant, reading
from validation.world.world import World

__all__ = ["CLAIMS"]

eta, mu, L, local, about, slopes2, slope2, towards, away = NOTATION.symbols(
    "eta mu L local about slopes2 slope2 towards away"
)
p, q, r = symbols("p q r")
u, v, w = vectors("u v w")
_WHERE = "A.10, proof of Lemma 1"
_CONVEX = "every Fᵢ μ-strongly convex and L-smooth"
_WEIGHTS = Domain((), (("p", "q", "r"),))
_ONE, _MANY = World(NOTATION, (bent(most=1),)), World(NOTATION, (bent(),))

E14 = claim(
    "EA-E14",
    level="step",
    at=_WHERE + ", (14)",
    title="A gradient below the excess loss",
    printed=r"\|\nabla F_i(\mathbf W_i^t)\|^2\le2L(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))",
    plainly="The squared gradient of an L-smooth Fᵢ is at most 2L times its excess loss.",
    assumes=(_CONVEX, "Wᵢ* its minimiser"),
    says=le(slopes2, 2 * L * local),
    world=_ONE,
    readings=(reading("as printed", "Any point."),),
    mutants=(
        mutant(
            "2μ in place of 2L",
            le(slopes2, 2 * mu * local),
            "along a direction of curvature L the two sides of the print are equal",
        ),
        mutant(
            "L in place of 2L",
            le(slopes2, L * local),
            "with curvature L throughout the squared gradient is 2L times the excess",
        ),
    ),
    tight="curvature L along the way to the minimiser",
    rests_on=("EA-A2",),
    verdict="""
        True of every L-smooth function with a minimiser; the proof calls the assumption number 1, it is number
        2.""",
    supremum=1.0,
)

_JENSEN = p * square(u) + q * square(v) + r * square(w)

E15 = claim(
    "EA-E15",
    level="step",
    at=_WHERE + ", (15)",
    title="The bound on B₂",
    printed=(
        r"B_2=\eta_t^2\Big\|\sum_i\rho_i^{t+1}\nabla F_i(\mathbf W_i^t)\Big\|^2\le\eta_t^2\sum_i\rho_i^{t+1}\|\nabla F_i(\mathbf "
        r"W_i^t)\|^2\le2L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))"
    ),
    plainly="The squared mean gradient is at most the mean of the squares, and that at most 2L times the mean excess.",
    assumes=(_CONVEX, "weights on the simplex"),
    says=VectorInequality(square(p * u + q * v + r * w), _JENSEN, _WEIGHTS),
    readings=(
        reading("first inequality", "Jensen; three clients, any weights, any vectors.", part="first inequality"),
        reading(
            "both",
            "On clients.",
            says=le(eta**2 * slope2, 2 * L * eta**2 * local),
            world=_MANY,
            part="both inequalities",
        ),
    ),
    mutants=(
        mutant(
            "weights squared in the mean of squares",
            VectorInequality(
                square(p * u + q * v + r * w),
                p**2 * square(u) + q**2 * square(v) + r**2 * square(w),
                _WEIGHTS,
            ),
            "for two equal vectors ‖u‖² is not at most ‖u‖²/2",
        ),
        mutant(
            "L in place of 2L",
            le(eta**2 * slope2, L * eta**2 * local),
            "one client of curvature L has equality in the print",
            world=_MANY,
        ),
    ),
    tight="equal gradients, curvature L",
    rests_on=("EA-E14",),
    verdict="""
        Jensen's inequality for the square, proved for three clients, then (14) for each client; both together
        were searched on up to 100 clients.""",
    supremum=1.0,
)


def to_best_again(about: Any, towards: Any) -> Any:
    """Fᵢ(W*) − Fᵢ* and what the step towards W* gains, once more."""
    return -(towards - about)


E18 = claim(
    "EA-E18",
    level="step",
    at=_WHERE + ", (18)",
    title="The bound on B₁,₂",
    printed=(
        r"B_{1,2}=\langle\mathbf W^*-\mathbf W_i^t,\nabla F_i(\mathbf W_i^t)\rangle\le F_i(\mathbf W^*)-F_i(\mathbf W_i^t)-\frac\mu2"
        r"\|\mathbf W^*-\mathbf W_i^t\|^2"
    ),
    plainly="The step towards W* is bounded by strong convexity.",
    assumes=(
        _CONVEX,
        "checked with F_i(Wᵢᵗ) and the square on the left, the inner product on the right, both losses above the minimum",
    ),
    says=le(local + mu / 2 * away, about - towards, again=to_best_again),
    world=_ONE,
    readings=(reading("as printed", "Any two points."),),
    mutants=(
        mutant(
            "L/2 in place of μ/2",
            le(local + L / 2 * away, about - towards),
            "with two curvatures the loss along the smaller one grows more slowly than L/2 times the square",
        ),
        mutant(
            "half of F(W*)",
            le(local + mu / 2 * away, about / 2 - towards),
            "for curvature μ throughout the print has equality",
        ),
    ),
    tight="curvature μ between the two points",
    rests_on=("EA-A1",),
    verdict="""
        The definition of strong convexity at Wᵢᵗ; the proof calls the assumption number 2, it is number 1.""",
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (E14, E15, E18)

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
from validation.world.stated import but, stated
from validation.world.world import World

__all__ = ["CLAIMS"]

eta, mu, L, local, about, slopes2, slope2, towards, away = NOTATION.symbols(
    "eta mu L local about slopes2 slope2 towards away"
)
p, q, r = symbols("p q r")
u, v, w = vectors("u v w")
_WEIGHTS = Domain((), (("p", "q", "r"),))
_ONE, _MANY = World(NOTATION, (bent(most=1),)), World(NOTATION, (bent(),))

E14 = stated(
    r"""EA-E14 (step; A.10, proof of Lemma 1, (14)): A gradient below the excess loss
    Print: \|\nabla F_i(\mathbf W_i^t)\|^2\le2L(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))
    Plainly: The squared gradient of an L-smooth Fᵢ is at most 2L times its excess loss.
    Assumes: every Fᵢ μ-strongly convex and L-smooth | Wᵢ* its minimiser
    Reading: as printed | Any point.
    Mutant: 2μ in place of 2L | along a direction of curvature L the two sides of the print are equal
    Mutant: L in place of 2L | with curvature L throughout the squared gradient is 2L times the excess
    Tight: curvature L along the way to the minimiser
    Rests on: EA-A2
    Verdict: True of every L-smooth function with a minimiser; the proof calls the assumption number 1, it is number
        2.""",
    says=le(slopes2, 2 * L * local),
    world=_ONE,
    mutants={"2μ in place of 2L": le(slopes2, 2 * mu * local), "L in place of 2L": le(slopes2, L * local)},
    supremum=1.0,
)

_JENSEN = p * square(u) + q * square(v) + r * square(w)

E15 = stated(
    r"""EA-E15 (step; A.10, proof of Lemma 1, (15)): The bound on B₂
    Print: B_2=\eta_t^2\Big\|\sum_i\rho_i^{t+1}\nabla F_i(\mathbf W_i^t)\Big\|^2
        \le\eta_t^2\sum_i\rho_i^{t+1}\|\nabla F_i(\mathbf W_i^t)\|^2
        \le2L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))
    Plainly: The squared mean gradient is at most the mean of the squares, and that at most 2L times the mean
        excess.
    Assumes: every Fᵢ μ-strongly convex and L-smooth | weights on the simplex
    Reading: first inequality | Jensen; three clients, any weights, any vectors. | part: first inequality
    Reading: both | On clients. | part: both inequalities
    Mutant: weights squared in the mean of squares | for two equal vectors ‖u‖² is not at most ‖u‖²/2
    Mutant: L in place of 2L | one client of curvature L has equality in the print
    Tight: equal gradients, curvature L
    Rests on: EA-E14
    Verdict: Jensen's inequality for the square, proved for three clients, then (14) for each client; both together
        were searched on up to 100 clients.""",
    says=VectorInequality(square(p * u + q * v + r * w), _JENSEN, _WEIGHTS),
    readings={"both": but(le(eta**2 * slope2, 2 * L * eta**2 * local), world=_MANY)},
    mutants={
        "weights squared in the mean of squares": VectorInequality(
            square(p * u + q * v + r * w), p**2 * square(u) + q**2 * square(v) + r**2 * square(w), _WEIGHTS
        ),
        "L in place of 2L": but(le(eta**2 * slope2, L * eta**2 * local), world=_MANY),
    },
    supremum=1.0,
)


def to_best_again(about: Any, towards: Any) -> Any:
    """Fᵢ(W*) − Fᵢ* and what the step towards W* gains, once more."""
    return -(towards - about)


E18 = stated(
    r"""EA-E18 (step; A.10, proof of Lemma 1, (18)): The bound on B₁,₂
    Print: B_{1,2}
        =\langle\mathbf W^*-\mathbf W_i^t,\nabla F_i(\mathbf W_i^t)\rangle\le F_i(\mathbf W^*)-F_i(\mathbf W_i^t)-
        \frac\mu2\|\mathbf W^*-\mathbf W_i^t\|^2
    Plainly: The step towards W* is bounded by strong convexity.
    Assumes: every Fᵢ μ-strongly convex and L-smooth | checked with F_i(Wᵢᵗ) and the square on the left, the inner
        product on the right, both losses above the minimum
    Reading: as printed | Any two points.
    Mutant: L/2 in place of μ/2 | with two curvatures the loss along the smaller one grows more slowly than L/2
        times the square
    Mutant: half of F(W*) | for curvature μ throughout the print has equality
    Tight: curvature μ between the two points
    Rests on: EA-A1
    Verdict: The definition of strong convexity at Wᵢᵗ; the proof calls the assumption number 2, it is number 1.""",
    says=le(local + mu / 2 * away, about - towards, again=to_best_again),
    world=_ONE,
    mutants={
        "L/2 in place of μ/2": le(local + L / 2 * away, about - towards),
        "half of F(W*)": le(local + mu / 2 * away, about / 2 - towards),
    },
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (E14, E15, E18)

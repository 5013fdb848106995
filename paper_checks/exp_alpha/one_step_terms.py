"""EA-E14, E15, E18: the bounds on B₂ and B₁,₂ in the proof of Lemma 1, on clients that are no quadratics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from paper_checks.exp_alpha.bent_space import DEGREES, bent_family, bent_values, bent_values_exact
from validation import (
    Bound,
    Canary,
    Claim,
    Inequality,
    Instance,
    Kind,
    Reading,
    symbols,
)
from validation.domain import Domain
from validation.gram import VectorInequality
from validation.vectors import square, vectors

__all__ = ["CLAIMS"]

eta, mu, L, at_local, at_best, back, p, q, r = symbols("eta mu L at_local at_best back p q r")
u, v, w = vectors("u v w")
_WHERE = "A.10, proof of Lemma 1"
_CONVEX = "every Fᵢ μ-strongly convex and L-smooth"
_BACK = {**DEGREES, "back": (1, 0)}
_WEIGHTS = Domain((), (("p", "q", "r"),))


def _measure(left: Callable[[Mapping[str, Any]], Any], magnitude: str) -> Callable[[Instance], Mapping[str, Any]]:
    def measure(x: Instance) -> Mapping[str, Any]:
        found = bent_values(x)
        scale = {
            "gradient": found["L"] ** 2,
            "step": (found["eta"] * found["L"]) ** 2,
            "loss": found["L"],
            "length": 1.0,
        }
        return {**found, "back": -found["towards"], "lhs": left(found), "magnitude": scale[magnitude] * found["reach"]}

    return measure


def squares_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i |grad F_i(W_i)|^2."""
    met, found = bent_values_exact(x)
    return met, {**found, "lhs": found["squares"]}


def square_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """eta^2 |sum rho_i grad F_i(W_i)|^2."""
    met, found = bent_values_exact(x)
    return met, {**found, "lhs": found["eta"] ** 2 * found["square"]}


def towards_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F_i(W_i) - F_i* + mu/2 |W* - W_i|^2, and back = <W_i - W*, grad F_i(W_i)>."""
    met, found = bent_values_exact(x)
    return met, {**found, "back": -found["towards"], "lhs": found["at_local"] + found["mu"] / 2 * found["away"]}


def smooth_for_convex_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with L for mu."""
    met, found = bent_values_exact(x)
    return met, {**found, "back": -found["towards"], "lhs": found["at_local"] + found["L"] / 2 * found["away"]}


_SQUARES = bent_family(_measure(lambda f: f["squares"], "gradient"), squares_exact, most=1)
_SQUARE = bent_family(_measure(lambda f: f["eta"] ** 2 * f["square"], "step"), square_exact)
_TOWARDS = bent_family(_measure(lambda f: f["at_local"] + f["mu"] / 2 * f["away"], "loss"), towards_exact, most=1)

_SMOOTH_FOR_CONVEX = bent_family(
    _measure(lambda f: f["at_local"] + f["L"] / 2 * f["away"], "loss"), smooth_for_convex_exact, most=1
)


_EXCESS = Bound(2 * L * at_local, again=lambda L, at_local: at_local * L + L * at_local, degrees=DEGREES)

E14 = Claim(
    id="EA-E14",
    kind=Kind.INEQUALITY,
    source=_WHERE + ", (14)",
    title="A gradient below the excess loss",
    statement=r"\|\nabla F_i(\mathbf W_i^t)\|^2\le2L(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))",
    says="The squared gradient of an L-smooth Fᵢ is at most 2L times its excess loss.",
    assumes=(_CONVEX, "Wᵢ* its minimiser"),
    readings=(Reading("as printed", "Any point.", Inequality(_EXCESS, (_SQUARES,), degrees=(2, -2))),),
    canaries=(
        Canary(
            "2μ in place of 2L",
            Inequality(Bound(2 * mu * at_local, degrees=DEGREES), (_SQUARES,)),
            "along a direction of curvature L the two sides of the print are equal",
        ),
        Canary(
            "L in place of 2L",
            Inequality(Bound(L * at_local, degrees=DEGREES), (_SQUARES,)),
            "with curvature L throughout the squared gradient is 2L times the excess",
        ),
    ),
    tight="curvature L along the way to the minimiser",
    depends_on=("EA-A2",),
    verdict_words="True of every L-smooth function with a minimiser; the proof calls the assumption number 1, it is number 2.",
    supremum=1.0,
)

_B2 = Bound(
    2 * L * eta**2 * at_local,
    again=lambda L, eta, at_local: eta * eta * at_local * (L + L),
    degrees=DEGREES,
)

E15 = Claim(
    id="EA-E15",
    kind=Kind.INEQUALITY,
    source=_WHERE + ", (15)",
    title="The bound on B₂",
    statement=(
        r"B_2=\eta_t^2\Big\|\sum_i\rho_i^{t+1}\nabla F_i(\mathbf W_i^t)\Big\|^2\le\eta_t^2\sum_i\rho_i^{t+1}\|\nabla F_i(\mathbf "
        r"W_i^t)\|^2\le2L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))"
    ),
    says="The squared mean gradient is at most the mean of the squares, and that at most 2L times the mean excess.",
    assumes=(_CONVEX, "weights on the simplex"),
    readings=(
        Reading(
            "first inequality",
            "Jensen; three clients, any weights, any vectors.",
            VectorInequality(square(p * u + q * v + r * w), p * square(u) + q * square(v) + r * square(w), _WEIGHTS),
        ),
        Reading("both", "On clients.", Inequality(_B2, (_SQUARE,), degrees=(0, 2))),
    ),
    canaries=(
        Canary(
            "weights squared in the mean of squares",
            VectorInequality(
                square(p * u + q * v + r * w),
                p**2 * square(u) + q**2 * square(v) + r**2 * square(w),
                _WEIGHTS,
            ),
            "for two equal vectors ‖u‖² is not at most ‖u‖²/2",
        ),
        Canary(
            "L in place of 2L",
            Inequality(Bound(L * eta**2 * at_local, degrees=DEGREES), (_SQUARE,)),
            "one client of curvature L has equality in the print",
        ),
    ),
    tight="equal gradients, curvature L",
    depends_on=("EA-E14",),
    verdict_words=(
        "Jensen's inequality for the square, proved for three clients, then (14) for each client; both together were "
        "searched on up to 100 clients."
    ),
    supremum=1.0,
)

_TO_BEST = Bound(at_best + back, again=lambda at_best, back: back - (0 - at_best), degrees=_BACK)

E18 = Claim(
    id="EA-E18",
    kind=Kind.INEQUALITY,
    source=_WHERE + ", (18)",
    title="The bound on B₁,₂",
    statement=(
        r"B_{1,2}=\langle\mathbf W^*-\mathbf W_i^t,\nabla F_i(\mathbf W_i^t)\rangle\le F_i(\mathbf W^*)-F_i(\mathbf W_i^t)-\frac\mu2"
        r"\|\mathbf W^*-\mathbf W_i^t\|^2"
    ),
    says="The step towards W* is bounded by strong convexity.",
    assumes=(
        _CONVEX,
        "checked with F_i(Wᵢᵗ) and the square on the left, the inner product on the right, both losses above the minimum",
    ),
    readings=(Reading("as printed", "Any two points.", Inequality(_TO_BEST, (_TOWARDS,), degrees=(1, 0))),),
    canaries=(
        Canary(
            "L/2 in place of μ/2",
            Inequality(_TO_BEST, (_SMOOTH_FOR_CONVEX,)),
            "with two curvatures the loss along the smaller one grows more slowly than L/2 times the square",
        ),
        Canary(
            "half of F(W*)",
            Inequality(Bound(at_best / 2 + back, degrees=_BACK), (_TOWARDS,)),
            "for curvature μ throughout the print has equality",
        ),
    ),
    tight="curvature μ between the two points",
    depends_on=("EA-A1",),
    verdict_words="The definition of strong convexity at Wᵢᵗ; the proof calls the assumption number 2, it is number 1.",
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (E14, E15, E18)

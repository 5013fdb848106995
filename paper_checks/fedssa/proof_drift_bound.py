"""SSA-E42 to SSA-E49: the local moves bounded through themselves, and the bound on N₄ that follows."""

from __future__ import annotations

import sympy as sp

from paper_checks.fedssa.equation import ANY_VECTORS, ROUND, asked, equation, proved, same, split
from paper_checks.fedssa.round_cases import measured, round_cases
from validation import Canary, Claim, Identity, symbols
from validation.statement.gram import VectorInequality
from validation.statement.vectors import square, vectors

__all__ = ["CLAIMS"]

eta, L, tau, r, sigma2, C = symbols("eta L tau r sigma2 C")
G0, X, Xbar, LX, N5, N6 = symbols("G0 X Xbar LX N5 N6")
theta, f, f0, f1, f2, g0, g1, x, y, z = symbols("theta f f0 f1 f2 g0 g1 x y z")
a, b, c = vectors("a b c")
n0, n1, m0, m1 = vectors("n0 n1 m0 m1")
_THIRD = sp.Rational(1, 3)
_FREE = "one client, one round; ηL up to 4/τ, which is more than the proof asks"
_DRIFT = r"\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]"
_ONE = ("one coordinate, τ = 3",)

_D0 = round_cases("D0", reach=8.0)


def _chained(number: int, source: str, title: str, words: str, needs: tuple[str, ...]) -> Claim:
    return equation(
        number,
        source,
        title,
        _DRIFT + r"\le\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2]",
        "The drift of the averaged gradient is at most L² times the mean squared move.",
        (asked("as printed", "Ends of (32) to (35).", measured(L**2 * X, lambda L, X: L * X * L, _D0, (2, -2))),),
        (
            Canary(
                "1/τ² in place of 1/τ",
                measured(L**2 * X / tau, None, _D0, (2, -2)),
                "in a long round the squared mean drift is about three quarters of the mean squared drift",
            ),
        ),
        words,
        needs,
        (_FREE,),
    )


E42 = _chained(42, "Eq. (42), E.2.5", "Drift through the local moves", "(32) to (35) in one line; holds.", ("E35",))

_LX = round_cases("LX", reach=8.0)
E43 = equation(
    43,
    "Eq. (43), E.2.5",
    "Local moves through the gradients on the way",
    r"\le(\tau-1)L^2\eta^2\sigma^2+(\tau-1)L^2\eta^2\sum_{s=0}^{\tau-1}\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})\|^2]",
    "L² times the mean squared move is at most (τ − 1)L²η²(σ² + N₆).",
    (
        asked(
            "as printed",
            "The left side of (46), the larger one of (42).",
            measured(
                (tau - 1) * L**2 * eta**2 * sigma2 + (tau - 1) * L**2 * eta**2 * N6,
                lambda tau, L, eta, sigma2, N6: (L * eta) ** 2 * (tau * (sigma2 + N6) - sigma2 - N6),
                _LX,
                (2, -2),
            ),
        ),
        asked("the sum over r", "Σ_{r<τ}r = τ(τ − 1)/2, at τ = 5.", Identity(x * (0 + 1 + 2 + 3 + 4), x * 5 * 4 / 2)),
    ),
    (
        Canary(
            "noise dropped",
            measured((tau - 1) * L**2 * eta**2 * N6, None, _LX, (2, -2)),
            "started at a minimiser with a short step the client moves by noise alone",
        ),
        Canary(
            "N₆ dropped",
            measured((tau - 1) * L**2 * eta**2 * sigma2, None, _LX, (2, -2)),
            "without noise the client still moves",
        ),
    ),
    "Holds: (41) averaged over r.",
    ("E41", "E42"),
    (_FREE,),
)

E44 = equation(
    44,
    "Eq. (44), E.2.6",
    "Gradients on the way through the gradient at the start",
    r"\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})\|^2]\le2\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})-\nabla F_k(\theta^{(t,0)})\|^2]"
    r"+2\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]",
    "A squared gradient is at most twice its squared change plus twice the squared gradient at the start.",
    split(square(a), 2 * square(a - b) + 2 * square(b)),
    (
        Canary(
            "without the factor 2",
            VectorInequality(square(a), square(a - b) + square(b)),
            "at b = a/2 the right side is ‖a‖²/2",
        ),
    ),
    "‖a + b‖² <= 2‖a‖² + 2‖b‖².",
    (),
    (ANY_VECTORS,),
    tight="the gradient at s twice that at the start",
)

_GR = round_cases("Gr", reach=8.0)
E45 = equation(
    45,
    "Eq. (45), E.2.6",
    "Gradients on the way through the move",
    r"\le2L^2\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,s)}\|^2]+2\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]",
    "The squared gradient after s steps is at most 2L² times the squared move plus twice the squared gradient at the start.",
    (
        asked(
            "as printed",
            "Every s < τ.",
            measured(2 * L**2 * N5 + 2 * G0, lambda L, N5, G0: 2 * (G0 + L * L * N5), _GR, (2, -2)),
        ),
    ),
    (
        Canary(
            "gradient at the start dropped",
            measured(2 * L**2 * N5, None, _GR, (2, -2)),
            "at s = 0 there is no move",
        ),
    ),
    "Holds: (44) and smoothness.",
    ("A1", "E44"),
    (_FREE,),
)

_START = (tau - 1) * L**2 * eta**2 * sigma2 + 2 * (tau - 1) * eta**2 * L**2 * tau * G0
_PRINTED = round_cases("LX")


def virtual_again(tau: float, L: float, eta: float, sigma2: float, G0: float, Xbar: float) -> float:
    """The right side of (46) once more, its second sum over the mean model."""
    return (tau - 1) * (eta * L) ** 2 * (sigma2 + 2 * tau * (L**2 * Xbar + G0))


def own_again(tau: float, L: float, eta: float, sigma2: float, G0: float, X: float) -> float:
    """The right side of (46) once more, its second sum over the client's own models."""
    return (tau - 1) * (eta * L) ** 2 * (sigma2 + 2 * tau * (L**2 * X + G0))


E46 = equation(
    46,
    "Eq. (46), E.2.6",
    "Inequality for the local moves",
    r"\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2]\le(\tau-1)L^2\eta^2\sigma^2+2(\tau-1)\eta^2L^4"
    r"\sum_s\mathbb E[\|\theta_k^{(t,0)}-\theta^{(t,s)}\|^2]+2(\tau-1)\eta^2L^2\sum_s\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]",
    "The mean squared move is bounded by noise, itself times a small factor, and the gradient at the start.",
    (
        asked(
            "θ^(t,s) the weighted mean of the local models",
            "As the superscripts stand; ηL <= 1/(2τ).",
            measured(_START + 2 * (tau - 1) * eta**2 * L**4 * tau * Xbar, virtual_again, _PRINTED, (2, -2)),
        ),
        asked(
            "θ_k^(t,s), the client's own model",
            "With the index k where (45) has it; any step.",
            measured(_START + 2 * (tau - 1) * eta**2 * L**4 * tau * X, own_again, _LX, (2, -2)),
        ),
    ),
    (
        Canary(
            "gradient at the start dropped",
            measured(
                (tau - 1) * L**2 * eta**2 * sigma2 + 2 * (tau - 1) * eta**2 * L**4 * tau * X, None, _PRINTED, (2, -2)
            ),
            "without noise the rest is C times the left side, and C < 1",
        ),
    ),
    "The index k stands at the wrong model in the second sum: θ^(t,s) is defined nowhere. With the client's own model it is "
    "(45) put in (43), and holds for every step. Read as the mean of the local models it holds as well for ηL <= 1/(2τ), "
    "where the other terms are large enough alone.",
    ("E43", "E45"),
    (ROUND,),
)

E47 = _chained(
    47, "Eq. (47), E.2.6", "Drift through the local moves, repeated", "(42) again, and true as there.", ("E42",)
)

_SETTLED = round_cases("LX", reach=1.4, settled=True)
_DRIFT_C = 2 * tau * (tau - 1) * eta**2 * L**2
_BELOW = (tau - 1) * eta**2 * sigma2 * L**2 / (1 - _DRIFT_C) + _DRIFT_C / (1 - _DRIFT_C) * G0


def rearranged_again(tau: float, eta: float, sigma2: float, L: float, G0: float) -> float:
    """The right side of (48) once more."""
    small = (eta * L) ** 2 * (tau - 1)
    return small * (sigma2 + 2 * tau * G0) / (1 - 2 * small * tau)


E48 = equation(
    48,
    "Eq. (48), E.2.6",
    "Bound on N₄",
    r"\le\frac{(\tau-1)\eta^2\sigma^2L^2}{1-2\tau(\tau-1)\eta^2L^2}+\frac{2\tau(\tau-1)\eta^2L^2}{1-2\tau(\tau-1)\eta^2L^2}"
    r"\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]",
    "Rearranged, the mean squared move is bounded by noise and the gradient at the start.",
    (
        asked(
            "as printed, C < 1",
            "ηL up to 0.7/τ, where C < 1 for every τ; the larger left side, of (42).",
            measured(_BELOW, rearranged_again, _SETTLED, (2, -2)),
        ),
    ),
    (
        Canary(
            "noise dropped",
            measured(_DRIFT_C / (1 - _DRIFT_C) * G0, None, _SETTLED, (2, -2)),
            "started at the client's minimiser only noise moves it",
        ),
        Canary(
            "gradient at the start dropped",
            measured((tau - 1) * eta**2 * sigma2 * L**2 / (1 - _DRIFT_C), None, _SETTLED, (2, -2)),
            "without noise the client still moves",
        ),
    ),
    "Holds where C = 2τ(τ − 1)η²L² < 1, the sign the division by 1 − C needs. ηL <= 1/(2τ) gives C <= (τ − 1)/(2τ) < 1/2.",
    ("E46", "E47"),
    ("one client, one round; C < 1",),
)

E49 = equation(
    49,
    "Eq. (49), E.2.6",
    "Bound on N₄ through C",
    r"=\frac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+\frac C{1-C}\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2],\quad C=2\tau(\tau-1)\eta^2L^2<1",
    "The same with the constant C.",
    same(_BELOW, ((tau - 1) * eta**2 * sigma2 * L**2 / (1 - C) + C / (1 - C) * G0).subs(C, _DRIFT_C), "C put in."),
    (
        proved(
            "C = 2τ²η²L²",
            "for τ = 1 that C is not 0",
            _BELOW,
            ((tau - 1) * eta**2 * sigma2 * L**2 / (1 - C) + C / (1 - C) * G0).subs(C, 2 * tau**2 * eta**2 * L**2),
        ),
    ),
    "The definition of C; the same as in Theorem A.5.",
    ("E48", "D3"),
    ("C < 1",),
)

CLAIMS: tuple[Claim, ...] = (E42, E43, E44, E45, E46, E47, E48, E49)

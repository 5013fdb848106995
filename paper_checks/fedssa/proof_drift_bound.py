"""SSA-E42 to SSA-E49: the local moves bounded through themselves, and the bound on N₄ that follows."""

from __future__ import annotations

import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.rounds import of_round
from validation import Claim, symbols
from validation.statement.gram import VectorInequality
from validation.statement.says import identity, le, lt
from validation.statement.vectors import square, vectors
from validation.world.stated import stated

__all__ = ["CLAIMS"]

D0, Gr = NOTATION.symbols("D0 Gr")

eta, L, tau, r, sigma2, C = symbols("eta L tau r sigma2 C")
G0, X, Xbar, LX, N5, N6 = symbols("G0 X Xbar LX N5 N6")
theta, f, f0, f1, f2, g0, g1, x, y, z = symbols("theta f f0 f1 f2 g0 g1 x y z")
a, b, c = vectors("a b c")
n0, n1, m0, m1 = vectors("n0 n1 m0 m1")
_THIRD = sp.Rational(1, 3)
_FREE = "one client, one round; ηL up to 4/τ, which is more than the proof asks"
_DRIFT = r"\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]"
_ONE = ("one coordinate, τ = 3",)


E42 = stated(
    r"""SSA-E42 (step; Eq. (42), E.2.5): Drift through the local moves
    Print: \mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]\le\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-
      \theta_k^{(t,r)}\|^2]
    Plainly: The drift of the averaged gradient is at most L² times the mean squared move.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: as printed | Ends of (32) to (35).
    Mutant: 1/τ² in place of 1/τ | in a long round the squared mean drift is about three quarters of the mean squared
      drift
    Rests on: SSA-E35
    Verdict: (32) to (35) in one line; holds.""",
    of_round(le(D0, L**2 * X, again=lambda L, X: L * X * L), reach=8.0),
    mutants={
        "1/τ² in place of 1/τ": of_round(le(D0, L**2 * X / tau), reach=8.0),
    },
)


E43 = stated(
    r"""SSA-E43 (step; Eq. (43), E.2.5): Local moves through the gradients on the way
    Print: \le(\tau-1)L^2\eta^2\sigma^2+(\tau-1)L^2\eta^2\sum_{s=0}^{\tau-1}\mathbb E[\|\nabla F_k(
      \theta_k^{(t,s)})\|^2]
    Plainly: L² times the mean squared move is at most (τ − 1)L²η²(σ² + N₆).
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: as printed | The left side of (46), the larger one of (42). | part: as printed
    Reading: the sum over r | Σ_{r<τ}r = τ(τ − 1)/2, at τ = 5. | part: the sum over r
    Mutant: noise dropped | started at a minimiser with a short step the client moves by noise alone
    Mutant: N₆ dropped | without noise the client still moves
    Rests on: SSA-E41, SSA-E42
    Verdict: Holds: (41) averaged over r.""",
    of_round(
        le(
            LX,
            (tau - 1) * L**2 * eta**2 * sigma2 + (tau - 1) * L**2 * eta**2 * N6,
            again=lambda tau, L, eta, sigma2, N6: (L * eta) ** 2 * (tau * (sigma2 + N6) - sigma2 - N6),
        ),
        reach=8.0,
    ),
    readings={
        "the sum over r": identity(x * (0 + 1 + 2 + 3 + 4), x * 5 * 4 / 2),
    },
    mutants={
        "noise dropped": of_round(le(LX, (tau - 1) * L**2 * eta**2 * N6), reach=8.0),
        "N₆ dropped": of_round(le(LX, (tau - 1) * L**2 * eta**2 * sigma2), reach=8.0),
    },
)

E44 = stated(
    r"""SSA-E44 (step; Eq. (44), E.2.6): Gradients on the way through the gradient at the start
    Print: \mathbb E[\|\nabla F_k(\theta_k^{(t,s)})\|^2]\le2\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})-\nabla F_k(
      \theta^{(t,0)})\|^2]+2\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]
    Plainly: A squared gradient is at most twice its squared change plus twice the squared gradient at the start.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | Path by path.
    Mutant: without the factor 2 | at b = a/2 the right side is ‖a‖²/2
    Tight: the gradient at s twice that at the start
    Verdict: ‖a + b‖² <= 2‖a‖² + 2‖b‖².""",
    VectorInequality(square(a), 2 * square(a - b) + 2 * square(b)),
    mutants={
        "without the factor 2": VectorInequality(square(a), square(a - b) + square(b)),
    },
)


E45 = stated(
    r"""SSA-E45 (step; Eq. (45), E.2.6): Gradients on the way through the move
    Print: \le2L^2\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,s)}\|^2]+2\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]
    Plainly: The squared gradient after s steps is at most 2L² times the squared move plus twice the squared gradient
      at the start.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: as printed | Every s < τ.
    Mutant: gradient at the start dropped | at s = 0 there is no move
    Rests on: SSA-A1, SSA-E44
    Verdict: Holds: (44) and smoothness.""",
    of_round(le(Gr, 2 * L**2 * N5 + 2 * G0, again=lambda L, N5, G0: 2 * (G0 + L * L * N5)), reach=8.0),
    mutants={
        "gradient at the start dropped": of_round(le(Gr, 2 * L**2 * N5), reach=8.0),
    },
)

_START = (tau - 1) * L**2 * eta**2 * sigma2 + 2 * (tau - 1) * eta**2 * L**2 * tau * G0


def virtual_again(tau: float, L: float, eta: float, sigma2: float, G0: float, Xbar: float) -> float:
    """The right side of (46) once more, its second sum over the mean model."""
    return (tau - 1) * (eta * L) ** 2 * (sigma2 + 2 * tau * (L**2 * Xbar + G0))


def own_again(tau: float, L: float, eta: float, sigma2: float, G0: float, X: float) -> float:
    """The right side of (46) once more, its second sum over the client's own models."""
    return (tau - 1) * (eta * L) ** 2 * (sigma2 + 2 * tau * (L**2 * X + G0))


E46 = stated(
    r"""SSA-E46 (step; Eq. (46), E.2.6): Inequality for the local moves
    Print: \frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2]\le(\tau-1)L^2\eta^2\sigma^2+2(\tau-1)
      \eta^2L^4\sum_s\mathbb E[\|\theta_k^{(t,0)}-\theta^{(t,s)}\|^2]+2(\tau-1)\eta^2L^2\sum_s\mathbb E[\|\nabla F_k(
      \theta^{(t,0)})\|^2]
    Plainly: The mean squared move is bounded by noise, itself times a small factor, and the gradient at the start.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: θ^(t,s) the weighted mean of the local models | As the superscripts stand; ηL <= 1/(2τ). | because: the
      superscripts as they stand, by analogy with θ^(t,0), (3)
    Reading: θ_k^(t,s), the client's own model | With the index k where (45) has it; any step. | edit: θ^(t,0) −
      θ_k^(t,s) in place of θ_k^(t,0) − θ^(t,s) | token | forced by: (45), which is put into (43) here, has the index
      k at θ_k^(t,s); θ^(t,s) is defined nowhere | carries: yes
    Mutant: gradient at the start dropped | without noise the rest is C times the left side, and C < 1
    Rests on: SSA-E43, SSA-E45
    Verdict: The index k stands at the wrong model in the second sum: θ^(t,s) is defined nowhere. With the client's
      own model it is (45) put in (43), and holds for every step. Read as the mean of the local models it holds as
      well for ηL <= 1/(2τ), where the other terms are large enough alone.""",
    of_round(le(LX, _START + 2 * (tau - 1) * eta**2 * L**4 * tau * Xbar, again=virtual_again)),
    readings={
        "θ_k^(t,s), the client's own model": of_round(
            le(LX, _START + 2 * (tau - 1) * eta**2 * L**4 * tau * X, again=own_again), reach=8.0
        ),
    },
    mutants={
        "gradient at the start dropped": of_round(
            le(LX, (tau - 1) * L**2 * eta**2 * sigma2 + 2 * (tau - 1) * eta**2 * L**4 * tau * X)
        ),
    },
)

E47 = stated(
    r"""SSA-E47 (step; Eq. (47), E.2.6): Drift through the local moves, repeated
    Print: \mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]\le\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-
      \theta_k^{(t,r)}\|^2]
    Plainly: The drift of the averaged gradient is at most L² times the mean squared move.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: as printed | Ends of (32) to (35).
    Mutant: 1/τ² in place of 1/τ | in a long round the squared mean drift is about three quarters of the mean squared
      drift
    Rests on: SSA-E42
    Verdict: (42) again, and true as there.""",
    of_round(le(D0, L**2 * X, again=lambda L, X: L * X * L), reach=8.0),
    mutants={
        "1/τ² in place of 1/τ": of_round(le(D0, L**2 * X / tau), reach=8.0),
    },
)


_DRIFT_C = 2 * tau * (tau - 1) * eta**2 * L**2
_BELOW = (tau - 1) * eta**2 * sigma2 * L**2 / (1 - _DRIFT_C) + _DRIFT_C / (1 - _DRIFT_C) * G0


def rearranged_again(tau: float, eta: float, sigma2: float, L: float, G0: float) -> float:
    """The right side of (48) once more."""
    small = (eta * L) ** 2 * (tau - 1)
    return small * (sigma2 + 2 * tau * G0) / (1 - 2 * small * tau)


E48 = stated(
    r"""SSA-E48 (step; Eq. (48), E.2.6): Bound on N₄
    Print: \le\frac{(\tau-1)\eta^2\sigma^2L^2}{1-2\tau(\tau-1)\eta^2L^2}+\frac{2\tau(\tau-1)\eta^2L^2}{1-2\tau(
      \tau-1)\eta^2L^2}\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]
    Plainly: Rearranged, the mean squared move is bounded by noise and the gradient at the start.
    Assumes: one client, one round; C < 1
    Reading: as printed, C < 1 | ηL up to 0.7/τ, where C < 1 for every τ; the larger left side, of (42).
    Mutant: noise dropped | started at the client's minimiser only noise moves it
    Mutant: gradient at the start dropped | without noise the client still moves
    Rests on: SSA-E46, SSA-E47
    Verdict: Holds where C = 2τ(τ − 1)η²L² < 1, the sign the division by 1 − C needs. ηL <= 1/(2τ) gives C <= (τ −
      1)/(2τ) < 1/2.""",
    of_round(le(LX, _BELOW, again=rearranged_again), lt(C, 1), reach=1.4),
    mutants={
        "noise dropped": of_round(le(LX, _DRIFT_C / (1 - _DRIFT_C) * G0), lt(C, 1), reach=1.4),
        "gradient at the start dropped": of_round(
            le(LX, (tau - 1) * eta**2 * sigma2 * L**2 / (1 - _DRIFT_C)), lt(C, 1), reach=1.4
        ),
    },
)

E49 = stated(
    r"""SSA-E49 (step; Eq. (49), E.2.6): Bound on N₄ through C
    Print: =\frac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+\frac C{1-C}\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2],\quad C=2
      \tau(\tau-1)\eta^2L^2<1
    Plainly: The same with the constant C.
    Assumes: C < 1
    Reading: as printed | C put in.
    Mutant: C = 2τ²η²L² | for τ = 1 that C is not 0
    Rests on: SSA-E48, SSA-D3
    Verdict: The definition of C; the same as in Theorem A.5.""",
    identity(_BELOW, ((tau - 1) * eta**2 * sigma2 * L**2 / (1 - C) + C / (1 - C) * G0).subs(C, _DRIFT_C)),
    mutants={
        "C = 2τ²η²L²": identity(
            _BELOW,
            ((tau - 1) * eta**2 * sigma2 * L**2 / (1 - C) + C / (1 - C) * G0).subs(C, 2 * tau**2 * eta**2 * L**2),
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (E42, E43, E44, E45, E46, E47, E48, E49)

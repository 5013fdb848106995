"""SSA-E50 to SSA-E53: drift and mismatch put together, the descent of one round."""

from __future__ import annotations

from paper_checks.fedssa.equation import ROUND, asked, equation, proved, same
from paper_checks.fedssa.kinked_rounds import kinked_rounds
from paper_checks.fedssa.round_cases import measured, round_cases
from validation import (
    Canary,
    Claim,
    symbols,
)

__all__ = ["CLAIMS"]

tau, eta, L, sigma2, C, A, B, G, W_D, S = symbols("tau eta L sigma2 C A B G W_D S")
NG, W1, N4, T, drop, noise, square_weights, D = symbols("NG W1 N4 T drop noise square_weights D")
_OWN_NOISE = (tau - 1) * eta**2 * sigma2 * L**2 / (1 - C)
_FIFTY = W1 * _OWN_NOISE + C / (1 - C) * NG


def fifty_again(W1: float, tau: float, eta: float, sigma2: float, L: float, C: float, NG: float) -> float:
    """The right side of (50) once more, without τη."""
    return (C * NG + (tau - 1) * W1 * sigma2 * (L * eta) ** 2) / (1 - C)


def fifty_one_again(tau: float, eta: float, sigma2: float, L: float, C: float, A: float, G: float, B: float) -> float:
    """The right side of (51) once more, without τη."""
    return (C * (A * G + B) + (tau - 1) * sigma2 * (L * eta) ** 2) / (1 - C)


_SIGNED = round_cases("N4", weights="sum one", reach=1.4, settled=True, large=False)
_ON_SIMPLEX = round_cases("N4", reach=1.4, settled=True)
_HEAVY = round_cases("N4", weights="positive", reach=1.4, settled=True, large=False)
E50 = equation(
    50,
    "Eq. (50), E.2.6",
    "Weighted drift through each client's own bound",
    r"\tau\eta\sum_kw_k\mathbb E[\|\nabla F_k-\mathbf h_k\|^2]\le\tau\eta\sum_kw_k\Big[\frac{(\tau-1)\eta^2\sigma^2L^2}{1-C}"
    r"+\frac C{1-C}\mathbb E[\|\nabla F_k\|^2]\Big]",
    "The bound (49) of each client is weighted and summed.",
    (
        asked(
            "weights of sum one, any sign",
            "No sign is stated; the common factor τη left out.",
            measured(_FIFTY, fifty_again, _SIGNED, (2, -2)),
        ),
        asked("weights on the simplex", "The same.", measured(_FIFTY, fifty_again, _ON_SIMPLEX, (2, -2)), "condition"),
    ),
    (
        Canary(
            "noise dropped",
            measured(C / (1 - C) * NG, None, _ON_SIMPLEX, (2, -2)),
            "clients at their own minimisers drift by noise alone",
        ),
        Canary(
            "gradients dropped",
            measured(W1 * _OWN_NOISE, None, _ON_SIMPLEX, (2, -2)),
            "without noise the clients still drift",
        ),
    ),
    "Inequalities may be weighted by non-negative numbers only. With a negative weight on a client that hardly drifts, while "
    "its bound is large, the step fails; no sign of w_k is stated. With w_k >= 0, as everyone would assume, it holds.",
    ("E31", "E49"),
    (ROUND, "C < 1"),
)

_FIFTY_ONE = _OWN_NOISE + A * C / (1 - C) * G + B * C / (1 - C)
E51 = equation(
    51,
    "Eq. (51), E.2.6",
    "Bounded dissimilarity in the drift",
    r"\le\frac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\frac{\tau\eta AC}{1-C}\mathbb E[\|\nabla F\|^2]+\frac{\tau\eta BC}{1-C}",
    "With Assumption 4 the weighted drift is bounded by noise, the gradient of F and B.",
    (
        asked(
            "non-negative weights of any sum",
            "The left side of (50), τη left out; the sum of the weights is not stated.",
            measured(_FIFTY_ONE, fifty_one_again, _HEAVY, (2, -2)),
        ),
        asked(
            "weights on the simplex",
            "The same.",
            measured(_FIFTY_ONE, fifty_one_again, _ON_SIMPLEX, (2, -2)),
            "condition",
        ),
    ),
    (
        Canary(
            "B dropped",
            measured(_FIFTY_ONE.subs(B, 0), None, _ON_SIMPLEX, (2, -2)),
            "at a stationary point of F without noise the clients still drift apart",
        ),
        Canary(
            "A‖∇F‖² dropped",
            measured(_FIFTY_ONE.subs(A, 0), None, _ON_SIMPLEX, (2, -2)),
            "one client: A‖∇F‖² may cover the whole gradient, with B as small as wished",
        ),
    ),
    "Here Σw_k <= 1 is used: the noise and B stand on the right with weight one. The sum is stated nowhere, though (13) needs "
    "it to be one. On the simplex it holds, with Assumption 4 for every client that has a weight.",
    ("A4", "E50"),
    (ROUND, "C < 1", "‖∇F_k‖² <= A‖∇F‖² + B at θ^(t,0) for every k, A, B > 0"),
)

_REST = L * tau * eta**2 * sigma2 * S + tau * eta * B * W_D / 2 + tau * (tau - 1) * sigma2 * L**2 * eta**3 / (1 - C)
_REST = _REST + tau * eta * A * C / (1 - C) * G + tau * eta * B * C / (1 - C)
_SECOND = -tau * eta * (1 - W_D) / 2 * G + _REST
_REPAIRED = -tau * eta * (1 - A * W_D) / 2 * G + _REST


def second_again(
    tau: float, eta: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, C: float, A: float
) -> float:
    """The right side of (52) once more."""
    drift = ((tau - 1) * sigma2 * (L * eta) ** 2 + C * (A * G + B)) / (1 - C)
    return tau * eta * (drift + L * eta * sigma2 * S + (B * W_D - (1 - W_D) * G) / 2)


def repaired_again(
    tau: float, eta: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, C: float, A: float
) -> float:
    """The same with A·W_D before the squared gradient."""
    drift = ((tau - 1) * sigma2 * (L * eta) ** 2 + C * (A * G + B)) / (1 - C)
    return tau * eta * (drift + L * eta * sigma2 * S + (W_D * (A * G + B) - G) / 2)


_EVERYWHERE = round_cases("fall", everywhere=True)
_KINKED = (kinked_rounds(),)
_SMALL_A = (*round_cases("fall", small_A=True), *_KINKED)
_SEEN = round_cases("fall", sees=True, small_A=True, large=False)
_FALL = (*round_cases("fall"), *_KINKED)
E52 = equation(
    52,
    "Eq. (52), E.2.6",
    "Descent of one round, all terms bounded",
    r"\mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le-\frac{\tau\eta(1-W_D)}2\|\nabla F\|^2+L\tau\eta^2\sigma^2\sum_kw_k^2"
    r"+\frac{\tau\eta BW_D}2+\frac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\frac{\tau\eta AC}{1-C}\mathbb E[\|\nabla F\|^2]"
    r"+\frac{\tau\eta BC}{1-C}",
    "The first line has 1 − A·W_D, the second 1 − W_D: a round lowers F by what the second line says.",
    (
        asked(
            "as printed, 1 − W_D",
            "Quadratic clients on the line, A.4 everywhere.",
            measured(_SECOND, second_again, _EVERYWHERE, (1, 0)),
        ),
        asked(
            "weights learned from the local models",
            "Ours: W_D and Σw_k² at their largest over the noise; A <= 1, so that nothing else is in the way.",
            measured(_SECOND, second_again, _SEEN, (1, 0)),
        ),
        asked(
            "A <= 1, weights fixed before the round",
            "Then 1 − W_D is the smaller factor.",
            measured(_SECOND, second_again, _SMALL_A, (1, 0)),
            "condition",
        ),
        asked(
            "with 1 − A·W_D",
            "As in the first line; weights fixed before the round.",
            measured(_REPAIRED, repaired_again, _FALL, (1, 0)),
            "edit",
        ),
    ),
    (
        Canary(
            "BW_D dropped from the repaired line",
            measured(_REPAIRED - tau * eta * B * W_D / 2, None, _FALL, (1, 0)),
            "at a stationary point of F, with τ = 1 and no noise, other weights than p still move the model",
        ),
        Canary(
            "noise dropped from the repaired line",
            measured(_REPAIRED.subs(sigma2, 0), None, _FALL, (1, 0)),
            "one client at its minimiser is moved by noise, which raises F",
        ),
        Canary(
            "the drift's noise, of T₄, dropped from the repaired line",
            measured(_REPAIRED - tau * (tau - 1) * sigma2 * L**2 * eta**3 / (1 - C), None, _KINKED, (1, 0)),
            "many equal clients, F' = L(|θ| − ηs/2) at θ = 0, s the noise: their mean stays where F' is −Lηs/2",
        ),
    ),
    "Refuted as printed: between its two lines the A before W_D is lost; with 1 − A·W_D on the second line, too, "
    "it holds for weights fixed before the round. (30), (31) and the first line of (52) print 1 − A·W_D. The "
    "second line is an upper bound only for A <= 1, and whenever the gradient of F is not bounded Assumption 4 "
    "forces A >= 1 (some ∇F_k grows at least as fast as the mean ∇F); two convex quadratic clients with w ≠ p "
    "break it. The theorem carries the loss on and counts it (SSA-TA5). At W_D = 0 nothing is lost. Weights that "
    "see the noise, a reading of ours, break it as well (SSA-E17). The term that becomes T₄ is needed: noise "
    "moves the mean path of clients whose gradient has kinks (not of quadratic ones).",
    ("E31", "E51"),
    (ROUND, "‖∇F_k‖² <= A‖∇F‖² + B for every k, A, B > 0", "C < 1, which ηL <= 1/(2τ) gives"),
)

rest = symbols("rest")
_APART = -tau * eta * (1 - W_D) / 2 * G + rest + tau * eta * A * C / (1 - C) * G
_COLLECTED = -tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)) * G + rest
E53 = equation(
    53,
    "Eq. (53), E.2.6",
    "Terms in ‖∇F‖² collected",
    r"=-\frac{\tau\eta}2\Big(1-W_D-\frac{2AC}{1-C}\Big)\|\nabla F\|^2+L\tau\eta^2\sigma^2\sum_kw_k^2+\frac{\tau\eta BW_D}2"
    r"+\frac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\frac{\tau\eta BC}{1-C}",
    "The two terms in ‖∇F‖² of (52) are put together.",
    same(_APART, _COLLECTED, "Equal to the second line of (52); the terms without ‖∇F‖² are the same on both sides."),
    (
        proved(
            "AC/(1 − C) in place of 2AC/(1 − C)",
            "the bracket is halved by the factor −τη/2 before it",
            _APART,
            -tau * eta / 2 * (1 - W_D - A * C / (1 - C)) * G + rest,
        ),
    ),
    "An identity, ‖∇F(θ^(t,0))‖² being its own expectation given θ^(t,0). It carries the lost factor of (52) along.",
    ("E52",),
    ("any constants, C ≠ 1",),
)


CLAIMS: tuple[Claim, ...] = (E50, E51, E52, E53)

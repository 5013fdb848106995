"""Equations (6) and (8), FA-E6 and FA-E8, in exact moments of one round."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.fedaware.proof_sides import FLOOR, both_noises, round_bound, round_claim
from paper_checks.fedaware.round_moments import round_exact
from validation import Bound, Canary, Claim, Inequality, Reading, symbols

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]

L, K, c, gamma, eta_l, step, sigma2, grad, gap, square, fall = symbols(
    "L K c gamma eta_l step sigma2 grad gap square fall"
)


def fall_exact(x: Mapping[str, Any]) -> Exact:
    """E f(x^{t+1}) - f(x^t) on the left."""
    met, k = round_exact(x)
    return met, {**k, "lhs": -k["fall"]}


def grad_exact(x: Mapping[str, Any]) -> Exact:
    """|grad f(x^t)|^2 on the left."""
    met, k = round_exact(x)
    return met, {**k, "lhs": k["grad"]}


_FALL = both_noises(lambda k: -k["fall"], fall_exact)

_E6 = -step / 2 * grad + step / 2 * gap + L / 2 * step**2 * square / (eta_l**2 * K**2)

E6 = round_claim(
    "FA-E6",
    "Eq. (6), A.2",
    "Descent of one round",
    r"\mathbb E[f(x^{t+1})]-f(x^t)\le-\frac{\tilde\eta}2\mathbb E\|\nabla f(x^t)\|^2+\frac{\tilde\eta}2"
    r"\mathbb E\|\nabla f(x^t)-\hat G^t\|^2+\frac L2\tilde\eta^2\mathbb E\|\hat G^t\|^2",
    "One server step lowers f by half the squared gradient, up to the error and the size of the pseudo-gradient.",
    (
        Reading(
            "smooth clients",
            "Given xᵗ; curvatures of either sign; any noise of the round.",
            Inequality(
                round_bound(
                    _E6,
                    lambda step, grad, gap, L, square, eta_l, K: (
                        step * (gap - grad) / 2 + L * square * (step / (eta_l * K)) ** 2 / 2
                    ),
                ),
                _FALL,
                degrees=(1, 0),
            ),
        ),
    ),
    (
        Canary(
            "quadratic term dropped",
            Inequality(Bound(-step / 2 * grad + step / 2 * gap), _FALL),
            "a long enough server step on a convex f raises it, while the error of Ĝ for K = 1 is only noise",
        ),
    ),
    "The descent lemma with ⟨a, b⟩ written through squares; it holds for every smooth client and all noise.",
    ("FA-S6.1", "FA-S6.2", "FA-S6.3", "FA-S6.4"),
)

_GRAD = both_noises(lambda k: k["grad"], grad_exact)

_E8 = 2 * fall / step + FLOOR + (2 * L**2 * gamma + L * step / (eta_l**2 * K**2)) * square

E8 = round_claim(
    "FA-E8",
    "Eq. (8), A.2",
    "Squared gradient of one round",
    r"\mathbb E\|\nabla f(x^t)\|^2\le\frac{2(f(x^t)-\mathbb E[f(x^{t+1})])}{\tilde\eta}+2c\eta_l^2L^2K\sigma_l^2"
    r"+\Big(2L^2\gamma+\frac{L\tilde\eta}{\eta_l^2K^2}\Big)\mathbb E\|G^t\|^2",
    "The squared gradient is at most the fall of f, noise, and a multiple of the squared pseudo-gradient.",
    (
        Reading(
            "one round, smooth clients",
            "Given xᵗ; quadratic clients of either curvature, both kinds of noise.",
            Inequality(
                round_bound(
                    _E8,
                    lambda fall, step, c, eta_l, L, K, sigma2, gamma, square: (
                        2 * fall / step
                        + 2 * L**2 * (c * K * sigma2 * eta_l**2 + gamma * square)
                        + L * step * square / (eta_l * K) ** 2
                    ),
                ),
                _GRAD,
                degrees=(2, -2),
            ),
        ),
    ),
    (
        Canary(
            "square of the pseudo-gradient only with γ",
            Inequality(Bound(2 * fall / step + FLOOR + 2 * L**2 * gamma * square), _GRAD),
            "one client and a long server step: f rises by about Lη̃²‖Ĝ‖²/2, which nothing then pays for",
        ),
    ),
    "(6) and (7) put together and divided by η̃/2; no violation for quadratic clients of either curvature.",
    ("FA-E6", "FA-E7"),
)

CLAIMS: tuple[Claim, ...] = (E6, E8)

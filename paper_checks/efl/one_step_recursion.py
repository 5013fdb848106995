"""The error term B of EFL's proof, the one-step inequality with it, and the bound of the objective gap: (47), (48), (61)."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from paper_checks.efl.step_quantities import COLLECTED, GAIN, NEXT, judged
from validation import Canary, Claim, Identity, Kind, Reading, symbols

__all__ = ["CLAIMS"]

eta, mu, L, theta, taken, before, apart = symbols("eta mu L theta taken before apart")
noise, gap, ahead = symbols("noise gap ahead")
w1, w2, a1, a2, s1, s2, m1, m2 = symbols("w1 w2 a1 a2 s1 s2 m1 m2")

_LIMIT = "η <= 1/(2(1+θ)L)"
_COEFFICIENT = 2 + mu / (2 * (1 + theta) * L)
_B = eta**2 * (noise + 2 * (2 + theta) * L * gap)
_PRINTED = _B + eta**2 * _COEFFICIENT * apart
_SOUND = _B + _COEFFICIENT * apart


def printed_again(eta: Any, mu: Any, L: Any, theta: Any, apart: Any, noise: Any, gap: Any) -> Any:
    """η² times (47)."""
    b = 2 * apart + mu * apart / (2 * L + 2 * L * theta) + noise + (4 + 2 * theta) * L * gap
    return eta * eta * b


def sound_again(eta: Any, mu: Any, L: Any, theta: Any, apart: Any, noise: Any, gap: Any) -> Any:
    """η² times (47) with 1/η² before its first sum."""
    b = (2 * apart + mu * apart / (2 * L + 2 * L * theta)) / eta**2 + noise + (4 + 2 * theta) * L * gap
    return eta * eta * b


E47 = Claim(
    id="EFL-E47",
    kind=Kind.INEQUALITY,
    source="Eq. (47), A.2.1",
    title="Definition of B",
    statement=(
        r"B_{\tau E+j}=\Big(2+\frac{\mu}{2(1+\theta)L}\Big)\sum_kp_\tau^k\alpha\|\overline\omega-\omega^k\|^2+\Big\|\sum_kp_\tau^k"
        r"\alpha(\overline g^k-g^k)\Big\|^2+2(2+\theta)L\sum_kp_\tau^k\alpha D_k"
    ),
    says="η²B stands for the drift, noise and heterogeneity terms of (46).",
    assumes=("A5", _LIMIT, "what is asked of a definition: η²B is at least the three terms that (48) replaces by it"),
    readings=(
        Reading(
            "as printed", "No power of η before the drift.", judged(COLLECTED, _PRINTED, printed_again, sound=False)
        ),
        Reading(
            "1/η² before the drift",
            "The first sum divided by η², as (46), from which it is collected, has it and (49) bounds it.",
            judged(COLLECTED, _SOUND, sound_again),
        ),
    ),
    canaries=(
        Canary(
            "heterogeneity dropped, 1/η² before the drift",
            judged(COLLECTED, _SOUND - 2 * (2 + theta) * L * eta**2 * gap),
            "with ω̄ at the local models and no noise the left side is the heterogeneity, the right side 0",
        ),
    ),
    depends_on=("EFL-E46",),
    verdict_words=(
        "A misprint, or a loss of the transcription: 1/η² is missing before the first sum of B. The lines on both "
        "sides force it: in (46) the drift has the coefficient 2 + μη without η², and (48) collects it as η²B; Lemma "
        "3, whose bound has a factor η², gives (49), where that factor is gone. As printed the three terms of B do "
        "not even have the same unit, and η²B is too small whenever η < 1 and the drift counts."
    ),
)


def next_again(**k: Any) -> Any:
    """The right side of (48), 1/η² in B."""
    b = sound_again(**{n: k[n] for n in ("eta", "mu", "L", "theta", "apart", "noise", "gap")})
    return k["before"] - k["eta"] * k["mu"] * k["taken"] * k["before"] / 2 + b - 2 * k["eta"] * k["ahead"]


def positive_again(**k: Any) -> Any:
    """The right side of (48) with 1/η² in B and the positive part of its last sum."""
    return next_again(**k) + 2 * k["eta"] * np.where(k["ahead"] > 0, k["ahead"], 0.0)


def next_printed_again(**k: Any) -> Any:
    """The right side of (48), B as printed."""
    b = printed_again(**{n: k[n] for n in ("eta", "mu", "L", "theta", "apart", "noise", "gap")})
    return k["before"] - k["eta"] * k["mu"] * k["taken"] * k["before"] / 2 + b - 2 * k["eta"] * k["ahead"]


_KEPT = (1 - mu * eta * taken / 2) * before
_SIGNED = sp.Symbol("ahead", real=True)  # a difference, of either sign
_POSITIVE = _KEPT + _SOUND + 2 * eta * sp.Max(-_SIGNED, 0)
_STEP, _STEP_PRINTED = _KEPT + _SOUND - 2 * eta * ahead, _KEPT + _PRINTED - 2 * eta * ahead

E48 = Claim(
    id="EFL-E48",
    kind=Kind.INEQUALITY,
    source="Eq. (48), A.2.1",
    title="One step with B",
    statement=(
        r"\|\overline\omega_{\tau E+j+1}-\omega^*\|^2\le\Big(1-\frac12\mu\eta_\tau\sum_kp_\tau^k\alpha\Big)\|\overline\omega_{\tau E+j}"
        r"-\omega^*\|^2+\eta_\tau^2B_{\tau E+j}+2\eta_\tau\sum_kp_\tau^k\alpha(\widetilde F_k(\omega^*)-\widetilde F_k("
        r"\overline\omega_{\tau E+j}))"
    ),
    says="One stochastic step contracts up to η²B and 2η times the objective gap.",
    assumes=("A1, A2, A5", _LIMIT, "E_ξ g = ḡ, activity fixed before the batches"),
    readings=(
        Reading(
            "B as printed, averaged over the batches",
            "E_ξ on both sides.",
            judged(NEXT, _STEP_PRINTED, next_printed_again, noisy=True, sound=False),
        ),
        Reading(
            "1/η² in B, for every outcome of the batches",
            "No expectation is printed.",
            judged(NEXT, _STEP, next_again, noisy=True, pathwise=True),
        ),
        Reading(
            "1/η² in B, averaged over the batches", "E_ξ on both sides.", judged(NEXT, _STEP, next_again, noisy=True)
        ),
        Reading(
            "1/η² in B, averaged, shorter steps",
            "η <= 1/(2(1+θ)²L).",
            judged(NEXT, _STEP, next_again, noisy=True, short=True),
            repair="condition",
        ),
        Reading(
            "1/η² in B, averaged, positive part of the gap",
            "2η times the positive part of the last sum.",
            judged(NEXT, _POSITIVE, positive_again, noisy=True),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "noise dropped, positive part of the gap",
            judged(NEXT, _POSITIVE - eta**2 * noise, noisy=True),
            "one client, all models at ω*: the left side is η² times the variance, the right side 0",
        ),
    ),
    depends_on=("EFL-E46", "EFL-E47"),
    verdict_words=(
        "Besides the lost 1/η² in B the step from (46) replaces γτ(1 − ηL) by the larger 2η before a sum that may be negative, and "
        "usually is: that makes the right side smaller. It is false even for full gradients and no drift: with p = 10 pᵏ, the "
        "longest allowed step and a client whose optimum is not ω*, ω̄ a little beyond ω*. It holds with steps shorter by the factor "
        "1 + θ, and can be proved for them: take a quarter of co-coercivity and three quarters of strong convexity for ⟨ḡₖ, ωᵏ − "
        "ω*⟩, ‖ωᵏ − ω*‖² >= ⅔‖ω̄ − ω*‖² − 2‖ωᵏ − ω̄‖², and ‖ḡₖ‖² <= (1 + θ/2)‖ḡₖ − ∇F̃ₖ(ω*)‖² + (1 + 2/θ)·2LDₖ. It also holds with the positive part of the sum, for which (61) "
        "still is the bound, but not the r = 0 case of (62). The theorem's own steps are far shorter for large γ."
    ),
)


def gain_again(gap: Any) -> Any:
    """ΣpsD."""
    return gap * 1


_GAP = w1 * (s1 - m1) + w2 * (s2 - m2)
E61 = Claim(
    id="EFL-E61",
    kind=Kind.INEQUALITY,
    source="Eq. (61), A.2.1",
    title="Bound of the objective gap",
    statement=(
        r"\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E+j}))=\sum_kp_\tau^ks_\tau^k("
        r"\widetilde F_k(\omega^*)-\widetilde F_k^*+\widetilde F_k^*-\widetilde F_k(\overline\omega_{\tau E+j}))\le\sum_kp_\tau^k"
        r"s_\tau^kD_k"
    ),
    says="The objective gap at any model is at most the weighted heterogeneity.",
    assumes=("F̃ₖ* the minimum of F̃ₖ", "any products ps >= 0, any model for ω̄"),
    readings=(
        Reading("first to last member", "Quadratic clients, any ω̄.", judged(GAIN, gap, gain_again)),
        Reading(
            "the equality",
            "Two clients; w = ps, s = F̃ₖ(ω*), m = F̃ₖ*, a = F̃ₖ(ω̄).",
            Identity(w1 * (s1 - a1) + w2 * (s2 - a2), _GAP + w1 * (m1 - a1) + w2 * (m2 - a2)),
        ),
    ),
    canaries=(
        Canary(
            "Dₖ taken to be 0",
            judged(GAIN, 0 * gap + symbols("nothing")),
            "one client's optimum is better for it than ω*, and ω̄ may stand there",
        ),
    ),
    tight="ω̄ the optimum of the only client with ps > 0",
    depends_on=("EFL-DEF1",),
    verdict_words="True because no model is better for a client than its own minimiser; attained there.",
)

CLAIMS: tuple[Claim, ...] = (E47, E48, E61)

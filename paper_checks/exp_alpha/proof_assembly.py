"""EA-E21a, c, e: how the proof of Lemma 1 bounds C = 4Lηₜ²Σρᵢ(Fᵢ(Wᵢ) − Fᵢ*) + 2ηₜΣρᵢ(Fᵢ(W*) − Fᵢ(Wᵢ))."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.one_step import one_step_sums
from validation import Claim, Instance, LogScale, Signed, Space, units
from validation.statement.draw import Coordinate
from validation.statement.says import identity, le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

eta, L, bend, local, now, about, drift, Omega, Gamma = NOTATION.symbols("eta L bend local now about drift Omega Gamma")
_GAMMA_T = 2 * eta * (1 - 2 * L * eta)
_FREE = one_step_sums().defining({bend: _GAMMA_T})
_LONG = one_step_sums(longest=1.0).defining({bend: _GAMMA_T})


def inserted_again(bend: Any, eta: Any, L: Any, now: Any, drift: Any, about: Any) -> Any:
    """The right side of the first line of (21), once more."""
    return bend * (now * eta * L + drift / eta / 2 - now + about) + about * L * (2 * eta) ** 2


_C = 4 * L * eta**2 * local + 2 * eta * (about - local)
_INSERTED = bend * (L * eta * now + drift / (2 * eta)) - bend * (now - about) + 4 * L * eta**2 * about

E21A = stated(
    r"""EA-E21a (step; A.10, display (21), first inequality): (20) inserted into (19)
    Print: C\le\gamma_t\sum_i\rho_i^{t+1}\Big[L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))
        +\tfrac1{2\eta_t}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2\Big]-\gamma_t\sum_i\rho_i^{t
        +1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))+4L\eta_t^2\Gamma_t
    Plainly: C is bounded by the excess at the mean model, the drift and Γₜ.
    Assumes: A1, A2 | 0 < ηₜ <= 1/(4L), the hypothesis of Lemma 1 | γₜ = 2ηₜ(1 − 2Lηₜ) | weights on the simplex
    Reading: weights free at every step | The mean under ρᵗ, the sums under ρᵗ⁺¹; quadratic clients in up to 8
        dimensions, and bent ones.
    Mutant: the sign of (20) as printed | with Wᵢ = W̄ it would say C <= −γₜ(1 + Lηₜ)Σρᵢ(Fᵢ(W̄) − Fᵢ(W*)) + …, and C
        has 1 in place of 1 + Lηₜ
    Mutant: drift dropped | flat losses and Wᵢ below W̄ along the slope: C is larger by γₜ‖Wᵢ − W̄‖‖∇Fᵢ‖, and
        Lη(Fᵢ(W̄) − Fᵢ*) is small
    Mutant: steps up to 1/L | beyond 1/(2L) γₜ is negative, and (20) multiplied by −γₜ turns round
    Tight: every Wᵢ at W̄ = Wᵢ*
    Rests on: EA-E19, EA-E20a, EA-E20b, EA-E20c, EA-S4
    Verdict: It does not follow from (20) as printed, whose last two lines have the wrong sign and W* for Wᵢ*, but
        it does from (20) with the sign of AM–GM and Wᵢ*, and (21) is written so. No violation was found, at any
        weights: W̄ may be any point here. It needs γₜ >= 0, which ηₜ <= 1/(4L) gives.""",
    says=le(_C, _INSERTED, again=inserted_again),
    world=_FREE,
    mutants={
        "the sign of (20) as printed": le(
            _C, -bend * (L * eta + 1) * (now - about) - bend * drift / (2 * eta) + 4 * L * eta**2 * about
        ),
        "drift dropped": le(_C, _INSERTED - bend * drift / (2 * eta)),
        "steps up to 1/L": but(le(_C, _INSERTED), world=_LONG),
    },
)


def least_again(bend: Any, eta: Any, L: Any, now: Any, Gamma: Any) -> Any:
    """2ηₜΓ + γₜ(1 − ηₜL)Σρᵢ(Fᵢ(W̄) − Fᵢ*), once more."""
    return bend * now - bend * now * L * eta + Gamma * eta * 2


_WITH_THE_LEAST = (4 * L * eta**2 + bend) * about + bend * (1 - eta * L) * Omega
_WITH_NOW = bend * (1 - eta * L) * now + 2 * eta * Gamma

E21C = stated(
    r"""EA-E21c (step; A.10, display (21), second inequality): Minimum and maximum over the steps
    Print: 4L\eta_t^2+\gamma_t=2\eta_t,
        \qquad\gamma_t(\eta_tL-1)\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))+2\eta_t\Gamma_t
        \le\gamma_t(\eta_tL-1)\Omega+2\eta_t\Gamma
    Plainly: The excess at step t may be replaced by its minimum, since its factor is negative, and Γₜ by its
        maximum.
    Assumes: A1, A2 | 0 < ηₜ <= 1/(4L), the hypothesis of Lemma 1 | γₜ = 2ηₜ(1 − 2Lηₜ) | weights on the simplex
    Reading: 4Lηₜ² + γₜ = 2ηₜ | The coefficient of Γₜ. | part: 4Lη_t² + γ_t = 2η_t
    Reading: minimum and maximum | Over the first two steps of a round, weights free at every step; the terms of
        negative sign stand on the other side, and the drift, which both sides have, is left out. | part: minimum
        and maximum
    Mutant: twice the minimum | the factor of Ω is negative: where the excess is at its minimum, twice the minimum
        is too much to take off
    Mutant: steps up to 1/L | for 1/(2L) < ηₜ < 1/L the factor γₜ(ηₜL − 1) is positive, and the minimum is then too
        small
    Tight: the excess at its minimum and Γₜ at its maximum at the same t
    Rests on: EA-E21b, EA-S4
    Verdict: The factor γₜ(ηₜL − 1) is negative for ηₜL < 1/2, so that a smaller excess gives a larger right side,
        and 2ηₜ > 0. The identity 4Lηₜ² + γₜ = 2ηₜ is proved; the step holds under ηₜ <= 1/(4L) and fails between
        1/(2L) and 1/L, where the early steps of Theorem 1's schedule can lie.""",
    says=le(_WITH_THE_LEAST, _WITH_NOW, again=least_again),
    world=_FREE,
    readings={"4Lηₜ² + γₜ = 2ηₜ": identity(4 * L * eta**2 + _GAMMA_T, 2 * eta)},
    mutants={
        "twice the minimum": le(_WITH_THE_LEAST, _WITH_NOW - bend * (1 - eta * L) * Omega),
        "steps up to 1/L": but(le(_WITH_THE_LEAST, _WITH_NOW), world=_LONG),
    },
)


def last_again(eta: Any, L: Any, Omega: Any, Gamma: Any, drift: Any) -> Any:
    """The last line of (21), once more."""
    return drift + Gamma * eta * 2 - Omega * eta * 2 + L * Omega * eta * eta * 6


def constants(x: Instance) -> Mapping[str, Any]:
    """Any Ω, Γ and drift at ηL = `step`."""
    return {**{k: x[k] for k in ("L", "Omega", "Gamma")}, "eta": x["step"] / x["L"], "drift": x["spread"]}


def constants_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Any Omega, Gamma and drift at eta L = `step`."""
    met = {"0 < eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4), "drift >= 0": x["spread"] >= 0}
    return met, {**{k: x[k] for k in ("L", "Omega", "Gamma")}, "eta": x["step"] / x["L"], "drift": x["spread"]}


def _any(omega: Coordinate) -> World:
    space = Space(
        (
            LogScale("L", 1e-2, 1e2, at=(1.0,)),
            LogScale("step", 1e-4, 0.25, at=(0.25, 0.25)),
            omega,
            Signed("Gamma", 1e-3, 1e3),
            LogScale("spread", 1e-6, 1e3, at=(1.0,)),
        )
    )
    same = (units({"L": (1, -2), "Omega": (1, 0), "Gamma": (1, 0), "spread": (0, 2)}),)
    name = "ηL up to 1/4, any Ω, Γ and drift"
    return World(NOTATION, (case(name, space, constants, constants_exact, symmetries=same),))


_POSITIVE, _SIGNED = _any(LogScale("Omega", 1e-3, 1e3, at=(1.0,))), _any(Signed("Omega", 1e-3, 1e3))
_BEFORE_DROPPING = (
    (6 * eta**2 * L - 2 * eta - 4 * eta**3 * L**2) * Omega + 2 * eta * Gamma + _GAMMA_T / (2 * eta) * drift
)
_LAST = 6 * L * eta**2 * Omega + 2 * eta * (Gamma - Omega) + drift

E21E = stated(
    r"""EA-E21e (step; A.10, display (21), last inequality): The cubic term dropped
    Print: (6\eta_t^2L-2\eta_t-4\eta_t^3L^2)\Omega+2\eta_t\Gamma+\frac{\gamma_t}{2\eta_t}\sum_i\rho_i^{t
        +1}\|\cdot\|^2
        \le6\eta_t^2L\Omega+2\eta_t(\Gamma-\Omega)+\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2
    Plainly: Dropping −4ηₜ³L²Ω and replacing γₜ/(2ηₜ) by 1 can only raise the bound.
    Assumes: 0 < ηₜ <= 1/(4L) | Ω >= 0, as a weighted mean of excess losses | γₜ = 2ηₜ(1 − 2Lηₜ)
    Reading: as printed | Any Ω >= 0, Γ and drift.
    Mutant: sign of the cubic term changed | taking off 8η³L²Ω in place of the 4η³L²Ω that are there is too much
        where the drift is small
    Mutant: half of the drift | γₜ/(2ηₜ) = 1 − 2Lηₜ is more than a half for ηₜ < 1/(4L)
    Mutant: Ω of any sign | for Ω < 0 the dropped term is positive, and larger than what the drift gains
    Tight: ηₜL → 0, or Ω = 0 and no drift
    Rests on: EA-E21c, EA-E21d, EA-S4
    Verdict: The two sides differ by 4ηₜ³L²Ω + 2Lηₜ Σρᵢ‖Wᵢ − W̄‖², and both terms are non-negative: Ω is a weighted
        mean of excess losses. It does not even need the bound on the step.""",
    says=le(_BEFORE_DROPPING, _LAST, again=last_again),
    world=_POSITIVE,
    mutants={
        "sign of the cubic term changed": le(_BEFORE_DROPPING, _LAST - 8 * eta**3 * L**2 * Omega),
        "half of the drift": le(_BEFORE_DROPPING, _LAST - drift / 2),
        "Ω of any sign": but(le(_BEFORE_DROPPING, _LAST), world=_SIGNED),
    },
)

CLAIMS: tuple[Claim, ...] = (E21A, E21C, E21E)

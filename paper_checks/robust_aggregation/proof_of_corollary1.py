"""A.3: the recursion renamed, the constant ψ of the induction, the induction, and (19)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Max, Rational

from paper_checks.robust_aggregation.corollary1 import BOUND, ENDLESS, KNOWN_BEFORE_ROUND, SEEN_BEFORE_STEP, substituted
from paper_checks.robust_aggregation.long_runs import hardly_counted, long_runs, quiet_at_best
from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.one_curvature import led_from_afar
from paper_checks.robust_aggregation.points import AT_BEST
from paper_checks.robust_aggregation.runs import world
from paper_checks.robust_aggregation.seen_runs import inside_a_round, worst_local_model
from paper_checks.robust_aggregation.settings import GENERALIZED
from paper_checks.robust_aggregation.theorem1 import CONTRACTED, ERROR, SQUARES
from validation import Case, Choice, Claim, Family, Instance, Integer, LogScale, Size, Space, Uniform, units
from validation.world import World, case, identity, le, mutant, nowhere, reading, step

__all__ = ["CLAIMS"]

eta, mu, L, E, G2, sigma2, rho, rho_best = NOTATION.symbols("eta mu L E G2 sigma2 rho rho_best")
Gamma, D, D0, T, tau, gap = NOTATION.symbols("Gamma D D0 T tau gap")
beta, gamma, B, C, D_, Delta, at_other, gap2 = NOTATION.symbols("beta gamma B C D_ Delta at_other gap2")
psi, psi_first, psi_second = NOTATION.symbols("psi psi_first psi_second")

_B = 1 + Rational(3, 8) * rho
_C = 32 * E**2 * G2 + 6 * rho * L * Gamma + sigma2
_D = 2 * Gamma * (rho_best - rho)


def _renamed(b: Any = _B, d: Any = _D) -> Any:
    return identity(CONTRACTED + SQUARES + ERROR, (1 - eta * mu * b) * D + eta**2 * _C + eta * d, sample=(1, 2))


C11 = step(
    "RA-P-C1.1",
    "Proof of Corollary 1 (A.3), first display",
    "The recursion with B, C and D",
    printed=r"""\Delta_{t+1}\le(1-\eta_t\mu B)\Delta_t+\eta_t^2C+\eta_tD,\quad B=1+\tfrac38\overline\rho,\ C=32E^2G^2+6
        \overline\rho L\Gamma+\sigma^2,\ D=2\Gamma(\tilde\rho-\overline\rho)""",
    plainly="With these B, C and D the recursion is Theorem 1.",
    assumes=["Theorem 1, Δₜ = E‖wₜ − w*‖²"],
    says=_renamed(),
    readings=[reading("as printed", "The right side of (8) and this one are the same expression.")],
    mutants=[
        mutant("3/4 in B", _renamed(b=1 + 3 * rho / 4), "the sides then differ by (3/8)ημρ̄Δ"),
        mutant("D without its 2", _renamed(d=_D / 2), "the sides then differ by ηΓ(ρ̃ − ρ̄)"),
    ],
    rests_on=["RA-T1"],
    verdict="""Only names are given. The recursion itself is Theorem 1's and is no truer than that; the C of the proof
        has E, where the corollary prints τ.""",
)

_SCALARS = (
    LogScale("B", 1.0, 1e3, at=(1.0, 2.0)),
    LogScale("mu", 1e-2, 1e2, at=(1.0,)),
    *(LogScale(name, 1e-3, 1e3, at=(1e-3, 1.0, 1e3)) for name in ("excess", "C", "size", "D0")),
)
_OFFSET = LogScale("gamma", 1e-2, 1e4, at=(1.0, 4.0))
_SIGNS = (-1.0, 0.0, 1.0)


def psis(x: Instance) -> Mapping[str, Any]:
    """ψ at t and at 0, and its second number at t; βμB − 1 = `excess`, D = `sign`·`size`."""
    b = (1 + x["excess"]) / (x["mu"] * x["B"])

    def second(t: Any) -> Any:
        return (b**2 * x["C"] + x.get("sign", 0 * b) * x["size"] * b * (t + x["gamma"])) / x["excess"]

    start, now, first = x["gamma"] * x["D0"], second(x["t"]), second(0.0)
    found = {"psi": np.maximum(start, now), "psi_first": np.maximum(start, first), "psi_second": now}
    return {**found, "sizes": dict.fromkeys(found, np.abs(now) + np.abs(first) + start)}


def psis_exact(x: Mapping[str, Any]) -> Pair:
    """The two numbers of which psi is the larger, at t and at 0."""
    b, start = (1 + x["excess"]) / (x["mu"] * x["B"]), x["gamma"] * x["D0"]
    now, first = [
        (b**2 * x["C"] + x.get("sign", 0) * x["size"] * b * (t + x["gamma"])) / (b * x["mu"] * x["B"] - 1)
        for t in (x["t"], 0)
    ]
    met = {"beta > 1/(mu B), gamma > 0": x["excess"] > 0 and min(x["mu"], x["B"], x["gamma"]) > 0}
    return met, {"psi": max(start, now), "psi_first": max(start, first), "psi_second": now}


def _psis(*sign: Choice) -> World:
    space = Space((*_SCALARS, _OFFSET, Integer("t", 0, 10_000), *sign))
    return world(case("all constants", space, psis, psis_exact))


_ANY = _psis(Choice("sign", _SIGNS))
_CONSTANT = le(abs(psi - psi_first), 0)

C12 = step(
    "RA-P-C1.2",
    "Proof of Corollary 1 (A.3), the number ψ",
    "The number ψ",
    printed=r"""\psi=\max\Big\{\gamma\|w_0-w^\star\|^2,\frac1{\beta\mu B-1}\left(\beta^2C+D\beta(t+\gamma)\right)
        \Big\},\quad\beta>\frac1{\mu B},\ \gamma>0""",
    plainly="ψ is a well-defined, non-negative number at each t.",
    assumes=["B >= 1, C >= 0, D of any sign, β > 1/(μB), γ > 0"],
    says=le(-psi, 0),
    world=_ANY,
    readings=[
        reading(
            "defined and not negative, at each t",
            "ψ may change with t.",
            because="the formula has t in it, and the corollary takes ψ at t = T: E comes from Dβ(T + γ)",
        ),
        reading(
            "one number for all t",
            "Stronger than the print, whose formula for ψ has t in it, though ψ has no index.",
            _CONSTANT,
            ours="no line says that ψ is the same for all t; its formula contains t",
        ),
        reading(
            "one number for all t, D = 0",
            "Stronger than the print, too; ρ̃ = ρ̄ or Γ = 0.",
            _CONSTANT,
            world=_psis(),
            conditions=["D = 0"],
            ours="no line says that ψ is the same for all t",
        ),
    ],
    mutants=[
        mutant("the second number without the maximum", le(-psi_second, 0), "it is negative for D < 0 and t large")
    ],
    rests_on=["RA-P-C1.1"],
    verdict="""At each t ψ is defined and not negative: β > 1/(μB) makes the denominator positive, and the first number
        keeps the maximum from being negative. The formula has t in it, and the corollary takes ψ at t = T. That it be
        one number for all t is stronger than the print, and true for D = 0, as with αᵢ = pᵢ or Γ = 0. For D > 0 it
        grows with t in the end, and ψ/(t + γ) does not fall as 1/t: its part Dβ/(βμB − 1) stays, which is where the
        error term E of the corollary comes from (RA-C1, RA-R3). The corollary takes β = 1/μ, which the condition admits
        only if ρ̄ > 0.""",
)


def sequence(x: Instance) -> Mapping[str, Any]:
    """Δ_T (`D`) of a sequence that takes a part of what the recursion allows at each step.

    `room`: γ/(βμB) >= 1; `loose`: L/μ where β = 1/μ and γ = 4L/μ, D is then 0.
    """
    T, factor = x["part"].shape[1], 1 + x["excess"] if "excess" in x else x["B"]
    g = factor * x["room"] if "room" in x else 4 * x["loose"] if "loose" in x else x["gamma"]
    b, d = factor / (x["mu"] * x["B"]), x["sign"] * x["size"] if "sign" in x else 0 * g
    value, possible = x["D0"], np.ones(len(g), dtype=bool)
    for t in range(T):
        most = (1 - factor / (t + g)) * value + b**2 * x["C"] / (t + g) ** 2 + b * d / (t + g)
        possible, value = possible & (most >= 0), x["part"][:, t] * most
    found = {"D": value, "beta": b, "gamma": g, "D_": d, "T": np.full_like(g, float(T)), "admissible": possible}
    found |= {name: x[name] for name in ("mu", "B", "C", "D0")}
    return {**found, "sizes": {"D": x["D0"] + b**2 * x["C"] / g**2 + b * np.abs(d) / g}}


def sequence_exact(x: Mapping[str, Any]) -> Pair:
    """Delta_(t+1) = part_t ((1 - eta_t mu B) Delta_t + eta_t^2 C + eta_t D), eta_t = beta/(t + gamma)."""
    factor = 1 + x["excess"] if "excess" in x else x["B"]
    g = factor * x["room"] if "room" in x else 4 * x["loose"] if "loose" in x else x["gamma"]
    b, d = factor / (x["mu"] * x["B"]), x["sign"] * x["size"] if "sign" in x else Fraction(0)
    value, possible = x["D0"], True
    for t, part in enumerate(x["part"]):
        eta = b / (t + g)
        most = (1 - eta * x["mu"] * x["B"]) * value + eta**2 * x["C"] + eta * d
        possible, value = possible and most >= 0 and 0 <= part <= 1, part * most
    met = {
        "beta > 1/(mu B), gamma > 0, C >= 0, B >= 1": b * x["mu"] * x["B"] > 1 and min(g, x["C"], x["B"] - 1) >= 0,
        "0 <= Delta_(t+1) <= the recursion": possible,
        "beta mu B <= gamma, where it is asked": "room" not in x or b * x["mu"] * x["B"] <= g,
    }
    found = {"D": value, "beta": b, "gamma": g, "D_": d, "T": Fraction(len(x["part"]))}
    return met, {**found, **{name: x[name] for name in ("mu", "B", "C", "D0")}}


def _of_corollary() -> Case:
    """One step, β = 1/μ, γ = 4L/μ, D = 0: the corollary's step sizes where ρ̃ = ρ̄ or Γ = 0; B may be any number above 1."""
    space = Space(
        (
            LogScale("B", 1.001, 1e3, at=(2.0, 10.0)),
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            LogScale("loose", 1.0, 1e3, at=(1.0,)),
            LogScale("C", 1e-3, 1e3, at=(1.0,)),
            Uniform("D0", 0.0, 10.0, at=(0.0, 1.0)),
            Uniform("part", 0.0, 1.0, (1,), at=(0.0, 1.0, 1.0, 1.0)),
        )
    )
    same = (units({"mu": (1, -2), "C": (2, -2), "D0": (0, 2)}),)
    return case("one step of Corollary 1", space, sequence, sequence_exact, symmetries=same)


def _sequences(signs: tuple[float, ...], *, room: bool = False) -> World:
    def at(T: float) -> Case:
        offset = LogScale("room", 1.0, 1e4, at=(1.0,)) if room else _OFFSET
        parts = Uniform("part", 0.0, 1.0, (int(T),), at=(0.0, 1.0, 1.0, 1.0))
        same = (units({"mu": (1, -2), "C": (2, -2), "size": (1, 0), "D0": (0, 2)}),)
        space, cost = Space((*_SCALARS, offset, Choice("sign", signs), parts)), max(1.0, T / 20)
        return case(f"{int(T)} steps", space, sequence, sequence_exact, cost=cost, symmetries=same)

    return world(Family("sequences that obey the recursion", (Size("T", 1, 300, 2),), at))


_SECOND = (beta**2 * C + D_ * beta * (T + gamma)) / (beta * mu * B - 1)
_PSI = Max(gamma * D0, _SECOND)
_BELOW = le(
    (T + gamma) * D,
    _PSI,
    again=lambda beta, gamma, mu, B, C, D_, D0, T: np.maximum(
        D0 * gamma, beta * (C * beta + T * D_ + gamma * D_) / (mu * beta * B - 1)
    ),
)
_RISING, _ROOM = _sequences((0.0, 1.0)), _sequences((0.0, 1.0), room=True)
_OF_COROLLARY = world(_of_corollary())
_LINEAR = (beta * C + D_ * beta * (T + gamma)) / (beta * mu * B - 1)

C13 = step(
    "RA-P-C1.3",
    "Proof of Corollary 1 (A.3), «By induction we get»",
    "The induction",
    printed=r"\forall t,\ \Delta_t\le\frac\psi{t+\gamma}",
    plainly="A sequence that obeys the recursion with ηₜ = β/(t + γ) stays below ψ/(t + γ).",
    assumes=["0 <= Δₜ₊₁ <= (1 − ηₜμB)Δₜ + ηₜ²C + ηₜD for all t", "ηₜ = β/(t + γ), β > 1/(μB), γ > 0", "B >= 1, C >= 0"],
    says=_BELOW,
    world=_sequences(_SIGNS),
    readings=[
        reading(
            "ψ at t, D of any sign", "D = 2Γ(ρ̃ − ρ̄) may be negative.", because="D = 2Γ(ρ̃ − ρ̄), and (7) gives it no sign"
        ),
        reading("ψ at t, D >= 0", "As on a run that goes on for ever.", world=_RISING, conditions=["D >= 0"]),
        reading(
            "Corollary 1's step sizes, D = 0",
            "One step with β = 1/μ and γ = 4L/μ, for any B > 1.",
            world=_OF_COROLLARY,
            conditions=["D = 0", "β = 1/μ and γ = 4L/μ"],
            shown=True,
        ),
        reading(
            "ψ one number, D >= 0",
            "ψ with t = 0 in it.",
            le((T + gamma) * D, _PSI.subs(T, 0)),
            world=_RISING,
            conditions=["D >= 0"],
            ours="ψ with t = 0 in it; the print has t, and no line says that ψ is one number",
        ),
        reading(
            "ψ at t, D >= 0, ηₜμB <= 1",
            "βμB <= γ: no step overshoots.",
            world=_ROOM,
            conditions=["D >= 0", "ηₜμB <= 1"],
            met_by=GENERALIZED,
        ),
    ],
    mutants=[
        mutant(
            "the start dropped from ψ",
            le((T + gamma) * D, _SECOND),
            "with C and D small and γ large Δ₁ is nearly Δ₀",
            world=_ROOM,
        ),
        mutant(
            "β in place of β²",
            le((T + gamma) * D, Max(gamma * D0, _LINEAR)),
            "for β > 1 and D, Δ₀ small the true limit of tΔₜ is β²C/(βμB − 1)",
            world=_ROOM,
        ),
    ],
    tight="D = 0 and t → ∞, where tΔₜ → β²C/(βμB − 1)",
    rests_on=["RA-P-C1.1", "RA-P-C1.2"],
    verdict="""The step of the induction takes ψ at t, as printed, and lets it grow with t. It uses two things that are
        not said. D must not be negative, or ψ shrinks faster than the sequence; and 1 − ηₜμB must not be negative,
        since otherwise Δₜ <= ψ/(t + γ) cannot be put into the recursion: after one overshooting step Δ₁ may be β²C/γ² +
        βD/γ, however large B is, and ψ falls as 1/B. The second is not far-fetched, since B grows with ρ̄, which Remark
        5 calls arbitrarily big; with β = 1/μ, γ = 4L/μ it asks for 3ρ̄/8 <= 4L/μ − 1. For β = μ = L = 1, γ = 4, B = 10,
        C = 1 and D = Δ₀ = 0 the first step leads to a Δ₁ above ψ/5. With the two conditions the induction is right.""",
)

C14 = step(
    "RA-P-C1.4",
    "Proof of Corollary 1 (A.3), first part of eq. (19)",
    "From distance to gap",
    printed=r"\mathbb E\left[F(w_t)\right]-F^\star\le\frac L2\Delta_t",
    plainly="An L-smooth F exceeds its minimum by at most L/2 times the squared distance to w*.",
    assumes=["every Fᵢ is L-smooth, hence F is", "w* minimises F"],
    says=le(Delta - at_other, L / 2 * gap2),
    world=AT_BEST,
    readings=[reading("path by path", "Quadratic clients with any shares at any point, which covers expectations.")],
    mutants=[
        mutant(
            "L/4 in place of L/2",
            le(Delta - at_other, L / 4 * gap2),
            "with all curvatures L both printed sides are equal",
        ),
        mutant("μ in place of L", le(Delta - at_other, mu / 2 * gap2), "this is the lower bound of strong convexity"),
    ],
    tight="all curvatures L",
    rests_on=["RA-A1"],
    supremum=1.0,
    verdict="Smoothness of F at w*, where ∇F vanishes, and then the expectation. Nothing else is used.",
)

# ψ with the corollary's β = 1/μ and γ = 4L/μ, and what (19) makes of it.
_OF = {beta: 1 / mu, gamma: 4 * L / mu, B: _B, C: _C, D_: _D}
_AT_T = (L / 2 * _PSI / (T + gamma)).subs(_OF)
_AS_SUM = (L / 2 * (gamma * D0 + _SECOND) / (T + gamma)).subs(_OF)
_SAME_LEFT = "both sides bound the same left side"

C15 = step(
    "RA-P-C1.5",
    "Corollary 1 from A.3",
    "From ψ to V and E",
    printed=r"""\beta=\tfrac1\mu,\ \gamma=\tfrac{4L}\mu:\quad\frac L2\frac\psi{T+\gamma}\le\frac1{T+
        \gamma}V(\overline\rho,\tilde\rho)+E(\overline\rho,\tilde\rho)""",
    plainly="With β = 1/μ and γ = 4L/μ the bound by ψ is at most V/(T + γ) + E.",
    assumes=["ψ as in A.3 at t = T, B, C, D as there", "ρ̄ > 0, so that β = 1/μ > 1/(μB)"],
    says=le(_AT_T, BOUND, trivial=_SAME_LEFT),
    world=substituted(1e-3),
    readings=[
        reading(
            "any ρ̃",
            "τ = E, ρ̃ below, at and above ρ̄.",
            because="(7) does not make ρ̃ >= ρ̄, and neither A.3 nor the corollary asks for it",
        ),
        reading(
            "ρ̃ >= ρ̄",
            "τ = E; the maximum is then at most the sum.",
            world=substituted(1.0),
            conditions=["ρ̃ >= ρ̄"],
            met_by=GENERALIZED,
        ),
        reading(
            "the sum in place of the maximum",
            "γ‖w₀ − w*‖² + (β²C + Dβ(T + γ))/(βμB − 1) gives exactly V and E, τ = E.",
            identity(_AS_SUM.subs(E, tau), BOUND, sample=(1, 2)),
            edits=["the sum of the two numbers in place of their maximum in ψ"],
            carries=False,
            because="""A.3 prints the maximum in ψ and in (19); for ρ̃ < ρ̄ the sum is below it, so (19) does not give
                it""",
        ),
    ],
    mutants=[
        mutant(
            "τ = 1, ρ̃ >= ρ̄",
            le(_AT_T, BOUND.subs(tau, 1)),
            "for long rounds the C of the proof has E² times the gradient term",
            world=substituted(1.0),
        ),
        mutant(
            "4 in place of 8 in E",
            le(_AT_T, BOUND - 4 * L * Gamma / (3 * mu) * (rho_best / rho - 1)),
            "for T large and D > 0 both sides are their constant parts, 8LΓ/(3μ)(ρ̃/ρ̄ − 1) on the left",
            world=substituted(1.0),
        ),
    ],
    tight="‖w₀ − w*‖ → 0 and ρ̃ >= ρ̄, where the maximum is its second number",
    rests_on=["RA-P-C1.2", "RA-D7"],
    supremum=1.0,
    verdict="""V and E are what comes out if the maximum in ψ is replaced by the sum of its two numbers, with τ = E.
        That is an upper bound as long as both numbers are positive, hence for ρ̃ >= ρ̄. For ρ̃ < ρ̄ the second number
        can be negative, the sum is then below the maximum, and the bound with V and E claims more than (19).""",
)

_NINETEEN = _AT_T.subs(E, tau)


def nineteen_again(
    L: Any, mu: Any, tau: Any, T: Any, G2: Any, sigma2: Any, Gamma: Any, D0: Any, rho: Any, rho_best: Any
) -> Any:
    """The right side of (19) once more."""
    s = T + 4 * L / mu
    moving = 8 / 3 * (32 * tau**2 * G2 + sigma2) / (rho * mu**2) + 16 * L * Gamma / mu**2
    moving = moving + 16 * Gamma * s / (3 * mu) * (rho_best / rho - 1)
    return np.maximum(2 * L**2 * D0 / (mu * s), L * moving / (2 * s))


_UP_TO = (quiet_at_best("up to", 1), quiet_at_best("up to", 1000), hardly_counted("up to"), long_runs("up to"))
_AFAR = led_from_afar(endless=True)
_GOES_ON = world(long_runs("endless"), hardly_counted("endless"), *ENDLESS, *KNOWN_BEFORE_ROUND, _AFAR)

E19 = step(
    "RA-E19",
    "Eq. (19), proof of Corollary 1 (A.3)",
    "The gap by ψ",
    printed=r"\mathbb E\left[F(w_t)\right]-F^\star\le\frac L2\Delta_t\le\frac L2\frac\psi{\gamma+t}",
    plainly="The expected gap at t is at most L/2 times ψ/(γ + t).",
    assumes=[
        "those of Corollary 1, with its β = 1/μ and γ = 4L/μ",
        "ψ with the t of the left side, B, C and D as in A.3",
        "the first inequality alone is RA-P-C1.4",
    ],
    says=le(gap, _NINETEEN, again=nineteen_again),
    world=world(hardly_counted("before", 8.0), long_runs("before", ball=True, most=100, least=8.0)),
    open={
        "window": nowhere("""(7) takes minimum and maximum over «t = 0 mod E» and names no last t: the rounds before t,
            or also those from t on""")
    },
    readings=[
        reading(
            "ρ̄ and ρ̃ over the rounds before t",
            "One step a round; G on a ball around w* that holds all models and optima.",
            options={"window": "the rounds before t"},
            shown=True,
        ),
        reading(
            "ρ̄ and ρ̃ over the rounds up to t, or over a run that goes on",
            """The model wₜ and its weights count too, and perhaps all later ones; t one of those of (7), E >= 2.
                Weights chosen before the step of the aggregation, the earlier samples of the round seen; ρ̄ = ρ̃ = 1
                over either window.""",
            world=world(*SEEN_BEFORE_STEP, worst_local_model()),
            options={"window": "the rounds up to t, or a run without end"},
            cuts={"weights": "see the round's earlier samples"},
            sees="before the step",
            used_by="""FedWorse (Sec. 3.1): Jₜ from Fᵢ(wₜ), and by (1) and (2) the wₜ of an aggregation contains the
                round's earlier steps; by its interpretation the local models themselves""",
        ),
        reading(
            "ρ̄ and ρ̃ over a run that goes on, t inside a round",
            "The same for any t, with the round's weights; G on the interval of all models and optima.",
            world=world(inside_a_round()),
            options={"window": "the rounds up to t, or a run without end"},
            cuts={"t": "inside a round, where (7) does not look; virtual model with the round's weights"},
        ),
        reading(
            "the rounds up to t, weights known before the round",
            "One step a round, where this is before the step's samples; any horizon.",
            world=world(*_UP_TO, led_from_afar(endless=False)),
            options={"window": "the rounds up to t, or a run without end"},
            conditions=["E = 1", "weights known before the round"],
            because="no setting of the paper states its E",
        ),
        reading(
            "a run that goes on, weights known before the round",
            """Any such weights, so that ρ̃ >= ρ̄ (RA-D7); t one of those of (7); any number of local steps, every
                convention on aggregation.""",
            world=_GOES_ON,
            options={"window": "the rounds up to t, or a run without end"},
            conditions=["weights known before the round", "t one of the t of (7)"],
            met_by=GENERALIZED,
        ),
        reading(
            "3/8 of the right side, a run that goes on, weights known before the round",
            "How far the print is from being attained, on the same runs.",
            le(8 * gap, 3 * _NINETEEN),
            world=_GOES_ON,
            ours="the paper does not claim it",
        ),
    ],
    mutants=[
        mutant(
            "the weights have seen the earlier samples of the round",
            None,
            "the gap stays at a constant for ever, ρ̄ = ρ̃ = 1 makes D = 0, and ψ/(γ + t) falls as 1/t",
            world=world(*SEEN_BEFORE_STEP[:2]),
        ),
        mutant(
            "37/100 of the right side",
            le(100 * gap, 37 * _NINETEEN),
            """the weights lie on two clients far apart that hold hardly any data, and the left side comes to more
                of the right one than that""",
            world=world(_AFAR),
        ),
        mutant(
            "ψ without its D",
            le(gap, _NINETEEN.subs(rho_best, rho)),
            "with more weight on one of two clients the gap does not vanish, and this right side, with ρ̄ for ρ̃, does",
            world=world(_AFAR, long_runs("endless")),
        ),
        mutant(
            "ψ without its C",
            le(gap, _NINETEEN.subs({G2: 0, sigma2: 0})),
            "FedAvg started at w* with Γ small: the first noisy step leaves w*",
            world=world(long_runs("endless", noisy=True, most=100), *ENDLESS),
        ),
    ],
    tight="""not tight: over a run that goes on with fixed weights the limit error is at most 3μ/(8L) of the right
        side's limit""",
    rests_on=["RA-P-C1.3", "RA-P-C1.4", "RA-D7"],
    verdict="""The first inequality is right (RA-P-C1.4); the second fails as printed, and no violation was found with
        weights known before the round, t one of the t of (7), and the model wₜ counted in ρ̄ and ρ̃. Over the rounds
        before t it fails in the first step: start at w*, all weight on a client that F hardly counts; then ρ̃ = ρ̄ is
        as large as one likes, and the step leaves w*. If wₜ counts too, or the run goes on, it fails for weights that
        have seen the round's earlier samples, as FedWorse's may: the gap stays while ψ/(γ + t) falls. Inside a round it
        fails as well, since (7) does not see those models. FedAvg-generalized, and any strategy with its losses at the
        model sent out, meet the condition. The maximum in ψ never falls below γ‖w₀ − w*‖², so (19) survives ρ̃ < ρ̄
        where the corollary does not. With weights known before the round it is loose by nature: over a run that goes
        on, or up to t, the limit error of fixed weights is at most Γ(ρ̃/ρ̄ − 1) (RA-Q1), and the right side tends to
        8L/(3μ) times that. Two clients far apart on both sides, with all weight and hardly any data, bring the left
        side as near to 3/8 of the right one as one likes; nothing came nearer.""",
)

CLAIMS: tuple[Claim, ...] = (C11, C12, C13, C14, C15, E19)

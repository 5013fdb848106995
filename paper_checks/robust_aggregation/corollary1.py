"""RA-C1, the gap after T steps for any aggregation weights: a speed term over T + γ and an error term."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.robust_aggregation.corollary1_inside import inside_a_round
from paper_checks.robust_aggregation.corollary1_leader import QUIET_FOR_LONG, hardly_counted, quiet_at_best
from paper_checks.robust_aggregation.corollary1_long import long_runs
from paper_checks.robust_aggregation.corollary1_special import ALIKE, ONE_ROUND
from paper_checks.robust_aggregation.notation import NOTATION
from paper_checks.robust_aggregation.rounds import excess, watched
from paper_checks.robust_aggregation.rounds_cases import BY_P, EQ1, ROUND, Convention, noisy_runs, plain_runs
from paper_checks.robust_aggregation.rounds_exact import between, expected, run
from paper_checks.robust_aggregation.rounds_long import drifting_rounds
from paper_checks.robust_aggregation.seen_rounds import seen_rounds
from paper_checks.robust_aggregation.worst_local_model import worst_local_model
from theory.exact import quadratic_loss
from validation import Bound, Case, Claim, Family, Instance, Instant, symbols
from validation.statement.says import le
from validation.world.front import claim, mutant, reading
from validation.world.world import World

__all__ = ["BOUND", "CLAIMS", "DEGREES", "ENDLESS", "KNOWN_BEFORE_ROUND", "SEEN_BEFORE_STEP", "ends"]

L, mu, tau, T, G2, sigma2, Gamma, D0, rho, rho_best = symbols("L mu tau T G2 sigma2 Gamma D0 rho rho_best")
pi, Pi = symbols("pi Pi")
gap = NOTATION.symbols("gap")
_GAMMA = 4 * L / mu
_NOISE = 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2 * rho)
_SPEED = _NOISE + 8 * L**2 * Gamma / mu**2 + L * _GAMMA * D0 / 2
_ERROR = 8 * L * Gamma / (3 * mu) * (rho_best / rho - 1)


def corollary_again(
    L: Any, mu: Any, tau: Any, T: Any, G2: Any, sigma2: Any, Gamma: Any, D0: Any, rho: Any, rho_best: Any
) -> Any:
    """The right side of (9) once more, from the print."""
    speed = L * 128 * tau * tau * G2 / (3 * mu * mu * rho) + 4 * L * sigma2 / (3 * rho * mu * mu)
    speed = speed + 8 * Gamma * (L / mu) ** 2 + 2 * L * L * D0 / mu
    return speed / (T + 4 * L / mu) + 8 * L * Gamma * (rho_best - rho) / (3 * mu * rho)


def shortened_again(
    L: Any, mu: Any, tau: Any, T: Any, G2: Any, sigma2: Any, Gamma: Any, D0: Any, rho: Any, rho_best: Any
) -> Any:
    """The same with the smallest of rho, rho_best and 8(gamma - 1)/3 in place of rho."""
    least = np.minimum(np.minimum(rho, rho_best), 32 * L / (3 * mu) - 8 / 3)
    return corollary_again(L, mu, tau, T, G2, sigma2, Gamma, D0, least, rho_best)


DEGREES = {
    **dict.fromkeys(("L", "mu"), (1, -2)),
    **dict.fromkeys(("tau", "T", "rho", "rho_best"), (0, 0)),
    **dict.fromkeys(("G2", "sigma2"), (2, -2)),
    "Gamma": (1, 0),
    "D0": (0, 2),
}
_PRINTED = _SPEED / (T + _GAMMA) + _ERROR
BOUND = Bound(_PRINTED, again=corollary_again, degrees=DEGREES)
# E‖w − w*‖² <= 4G²/μ² along any such run (Rakhlin, Shamir and Sridharan 2012, Lemma 1), and F − F* <= L/2·‖w − w*‖².
KNOWN = 2 * L * G2 / mu**2
_SHORTENED = _PRINTED.subs(rho, sp.Min(rho, rho_best, sp.Rational(8, 3) * (_GAMMA - 1)))


def _end(x: Instance, endless: bool) -> Mapping[str, Any]:
    view = watched(x)
    c, to_best = view.constants, {**x, "optimum": np.broadcast_to(view.best[:, None], x["optimum"].shape)}
    gap = view.mean((x["share"][:, None] * excess(to_best, view.new)).sum(axis=2))
    low, high = c["rho"], np.fmax(c["rho_best"], c["rho"]) if endless else c["rho_best"]
    defined = c["admissible"] & (low > 0)
    if endless:  # T is one of the t of (7)
        defined &= (x["t"] + 1) % x["local_steps"] == 0
    return {
        **{name: c[name] for name in ("L", "mu", "G2", "sigma2", "Gamma")},
        "lhs": gap,
        "gap": gap,
        "tau": c["E"],
        "T": x["t"] + 1,
        "D0": ((x["start"] - view.best) ** 2).sum(axis=1),
        "rho": np.where(defined, low, 1.0),
        "rho_best": np.where(defined, high, 1.0),
        "magnitude": c["L"] * c["reach"],
        "admissible": defined,
        "resolved": c["resolved"],
    }


def run_end_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E F(w_T) - F* over all paths of the noise, T = t + 1, and the constants of the run."""
    hypotheses, c, paths = run(x)
    p, A, best, zero = x["share"], c["A"], c["best"], Fraction(0)

    def above(w: Any) -> Any:
        return sum(p[i] * quadratic_loss(A[i], best, zero, list(w)) for i in range(len(p)))

    found = {name: c[name] for name in ("L", "mu", "G2", "sigma2", "Gamma", "rho", "rho_best")}
    found |= {"tau": c["E"], "T": x["t"] + 1, "D0": between(x["start"], best)}
    met = {**hypotheses, "rho > 0, so that V is defined": c["rho"] > 0}
    gap = expected(paths, lambda q: above(q["new"]))
    return met, {**found, "lhs": gap, "gap": gap}


def endless_end_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same run, which goes on for ever, so that rho_best >= rho; later rounds only raise the right side."""
    met, c = run_end_exact(x)
    met = {**met, "T is one of the t of (7)": (int(x["t"]) + 1) % int(x["local_steps"]) == 0}
    return met, {**c, "rho_best": max(c["rho_best"], c["rho"])}


def ends(of: Convention, endless: bool, most: int = 300) -> tuple[Case | Family, ...]:
    """Runs of a few rounds with E >= 1 and the corollary's step sizes: fixed weights, FedWorse, FedBetter, with noise too."""
    harmonic = replace(of, harmonic=True)
    exact = endless_end_exact if endless else run_end_exact
    uses = (run_end_exact,) if endless else ()

    def measure(x: Instance) -> Mapping[str, Any]:
        return _end(x, endless)

    return (
        plain_runs(measure, exact, harmonic, most=most, uses=uses),
        *noisy_runs(measure, exact, harmonic, sizes=((2, 1, 2), (2, 2, 1)), uses=uses),
    )


ENDLESS = tuple(case for of in (EQ1, BY_P, ROUND) for case in ends(of, endless=True))


SEEN_BEFORE_STEP = seen_rounds(Instant.BEFORE_STEP)
_BIASED, _NOISY = (long_runs(2.0, False, noisy, 100) for noisy in (False, True))
_QUIET = (quiet_at_best(1.0, 1), quiet_at_best(1.0, 1000), QUIET_FOR_LONG)
_SHORT = (*ends(EQ1, False, 20), *ends(ROUND, False, 20))
_ENDLESS = (
    long_runs(2.0, False, least=1.5),
    hardly_counted(2.0),
    quiet_at_best(2.0, 1000),
    long_runs(2.0, False, True, 1000, least=1.5),
    *ENDLESS,
)
KNOWN_BEFORE_ROUND: tuple[Case | Family, ...] = (*seen_rounds(Instant.BEFORE_ROUND), drifting_rounds())

_NINE = le(gap, NOTATION.spelled(_PRINTED), again=corollary_again, trivial=NOTATION.spelled(KNOWN))
_SHORTER = le(gap, NOTATION.spelled(_SHORTENED), again=shortened_again, trivial=NOTATION.spelled(KNOWN))
_EXCHANGED = _SPEED / (T + _GAMMA) + 8 * L * Gamma / (3 * mu) * (rho / rho_best - 1)
_TIMED = ((_SPEED + _ERROR) / (T + _GAMMA)).subs({rho: pi, rho_best: Pi})


def world(*cases: Case | Family) -> World:
    """These cases as one world."""
    return World(NOTATION, cases)


_BEFORE, _UP_TO, _ALL = (
    {"window": words} for words in ("the rounds before T", "the rounds up to T", "every t of a run without end")
)

RA_C1 = claim(
    "RA-C1",
    level="theorem",
    at="Corollary 1, eq. (9), Sec. 2.4; proof in A.3",
    title="Gap after T steps: speed and error",
    printed=(
        r"\mathbb E[F(w_T)]-F^\star\le\frac1{T+\gamma}V(\overline\rho,\tilde\rho)+E(\overline\rho,\tilde\rho),\quad V(\overline"
        r"\rho,\tilde\rho)=\frac{4L(32\tau^2G^2+\sigma^2)}{3\mu^2\overline\rho}+\frac{8L^2\Gamma}{\mu^2}+\frac{L\gamma\|w^0-w^\star"
        r"\|^2}2,\quad E(\overline\rho,\tilde\rho)=\frac{8L\Gamma}{3\mu}\left(\frac{\tilde\rho}{\overline\rho}-1\right)"
    ),
    plainly="After T steps the expected gap is at most V/(T + γ) + E, with V falling in ρ̄ and E growing in ρ̃/ρ̄.",
    assumes=(
        "every Fᵢ is μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*)",
        "E‖gᵢ − ∇Fᵢ‖² <= σ² and E‖gᵢ‖² <= G², gᵢ unbiased given the past",
        "full participation, weights αₜ on the simplex; what they may have seen is not said",
        "ηₜ = 1/(μ(t + γ)), γ = 4L/μ",
        "F(w) ≠ Σ pᵢFᵢ* at w* and at every wₜ (Remark 2); ρ̄ > 0",
        "τ, which the paper introduces nowhere, read as E: the C of A.3 has E², and with it V comes out "
        "as printed (RA-P-C1.5)",
    ),
    undecided={
        "window": (
            "nowhere",
            "(7) takes minimum and maximum over «t = 0 mod E» and names no last t: the rounds before T, those up to T, or all t "
            "of a run without end",
        )
    },
    says=_NINE,
    world=world(hardly_counted(0.0, 4.0), long_runs(0.0, True, least=4.0)),
    readings=(
        reading(
            "ρ̄ and ρ̃ over the rounds before T",
            "t runs over 0, E, … below T in (7); G on a ball around w* that holds all models and optima. One step a round, "
            "where all conventions on aggregation agree.",
            options=_BEFORE,
            because="one step a round, no noise, weights fixed before each round: nothing in the print excludes it",
        ),
        reading(
            "ρ̄ and ρ̃ over the rounds up to T",
            "As before, and the model w_T and its weights count too.",
            world=world(*_QUIET, hardly_counted(1.0, 4.0), long_runs(1.0, True, least=4.0)),
            options=_UP_TO,
            because="one step a round, no noise, weights fixed before each round",
        ),
        reading(
            "ρ̄ and ρ̃ over a run that goes on",
            "Eq. (7) names no last t: the run goes on. Weights as (1) and (2) let FedWorse choose them, before the step of the aggregation, the earlier "
            "samples of the round seen: in wₜ, or in the local models. T one of the t of (7), E >= 2; G on a ball that holds all models and optima.",
            world=world(*SEEN_BEFORE_STEP, worst_local_model()),
            options=_ALL,
            cuts={"weights": "see the round's earlier samples"},
            sees="before the step",
            used_by=(
                "FedWorse (Sec. 3.1): Jₜ from Fᵢ(wₜ), and by (1) and (2) the wₜ of an aggregation, t = 0 mod E, contains the "
                "round's earlier steps; by its interpretation («the client's local model with the worst performance») the local "
                "models themselves"
            ),
        ),
        reading(
            "ρ̄ and ρ̃ over a run that goes on, T inside a round",
            "The same for any T, with the round's weights: (7) does not see the models between. G on the interval of all models and optima.",
            world=world(inside_a_round()),
            options=_ALL,
            cuts={"T": "inside a round, where (7) does not look; virtual model with the round's weights"},
            because="«E[F(w_T)]» with T unrestricted, and (2) defines wₜ inside rounds, too",
        ),
        reading(
            "a run that goes on, weights known before the round",
            "Any such weights: fixed, or computed from the losses of the model sent out. Then ρ̃ >= ρ̄ (RA-D7), and the right side is least with ρ̄ of "
            "the rounds so far and ρ̃ that of these rounds, or ρ̄ if it is larger. T one of the t of (7); aggregation and virtual model as in (1) "
            "and (2), as in Algorithm 1, or with the round's weights; G only at the points visited, with E >= 2 beyond five rounds on a ball.",
            world=world(*_ENDLESS, *KNOWN_BEFORE_ROUND),
            options=_ALL,
            conditions=("weights known before the round", "T one of the t of (7)"),
            met_by=(
                "FedAvg-generalized (Sec. 3.1), αᵢ = pᵢ, and the w_TE that Algorithm 1 returns; any strategy of Sec. 3 with its "
                "losses at the model sent out, t the start of a round as in Algorithm 1"
            ),
        ),
        reading(
            "the smallest of ρ̄, ρ̃ and 8(γ − 1)/3 in place of ρ̄",
            "ρ̄ and ρ̃ over the rounds before T, for E > 1 those of the run; weights known before the round; G only at the points visited.",
            says=_SHORTER,
            world=world(long_runs(0.0, False), hardly_counted(0.0), *_SHORT),
            options=_BEFORE,
            conditions=("weights known before the round",),
            edits=("min(ρ̄, ρ̃, 8(γ − 1)/3) in place of ρ̄",),
        ),
    ),
    mutants=(
        mutant(
            "error term dropped",
            le(gap, NOTATION.spelled((_SPEED / (T + _GAMMA)).subs(rho, pi))),
            "with more weight on one of two clients w_T does not tend to w*; π <= ρ̄ stands for ρ̄",
            world=world(ALIKE),
        ),
        mutant(
            "ρ̃ and ρ̄ exchanged in the error term",
            le(gap, NOTATION.spelled(_EXCHANGED)),
            "over a run that goes on ρ̃ >= ρ̄, so the term would be negative and the right side, too, for large T",
            world=world(_BIASED),
        ),
        mutant(
            "τ = 1 although E > 1",
            _NINE,
            "in one long round of FedAvg, where ρ̄ = ρ̃ = 1, each client walks to its own optimum; the gap stays and V/(T + γ) falls as 1/T",
            world=world(ONE_ROUND),
        ),
        mutant(
            "the weights have seen the earlier samples of the round",
            _NINE,
            "the model of the client whose noise came out high is taken in every round: a mean of σ/(Eμ) that no horizon takes away, with E = 0 and V/(T + γ) → 0",
            world=world(*SEEN_BEFORE_STEP[:2]),
        ),
        mutant(
            "noise and gradient term dropped from V",
            le(gap, NOTATION.spelled((_SPEED - _NOISE) / (T + _GAMMA) + _ERROR)),
            "FedAvg started at w* with Γ small and noise: the first step leaves w* by the noise, and ρ̄ = ρ̃ = 1",
            world=world(_NOISY),
        ),
        mutant(
            "the whole bound over T + γ",
            le(gap, NOTATION.spelled(_TIMED)),
            "as for the dropped error term: the gap does not vanish as T grows, and this right side does",
            world=world(ALIKE),
        ),
    ),
    tight="not known to be tight; the largest ratio seen is reported",
    rests_on=("RA-T1", "RA-P-C1.5", "RA-E19", "RA-D7", "RA-A0"),
    verdict="""
        Over every window that (7) can mean it fails; with weights known before the round no violation was found over a
        run that goes on, at a T of (7), nor over the rounds before T with the smallest of ρ̄, ρ̃ and 8(γ − 1)/3 in
        place of ρ̄. The plain case depends on the window: one step a round, no noise. Over the rounds of a run of T
        steps ρ̃ < ρ̄ is possible, by a client of small weight in F whose loss is large along the run and small at w*;
        then E is negative, and soon the right side. Over a run that goes on ρ̃ >= ρ̄ for weights known before the
        round, such as FedAvg's, or those from losses at the model sent out. Weights that have seen the round's earlier
        samples, as FedWorse's by (1) and (2), give the noise a mean: the gap stays while V/(T + γ) falls. With T inside
        a round it fails, too.""",
)

CLAIMS: tuple[Claim, ...] = (RA_C1,)

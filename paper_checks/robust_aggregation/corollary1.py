"""Sec. 2.4, Corollary 1: the gap after T steps, its terms V and E, and what Remarks 3 and 5 make of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Integer as Whole
from sympy import Min, Rational, Symbol

from paper_checks.robust_aggregation.closed_runs import ALIKE, ONE_ROUND, QUIET_FOR_LONG
from paper_checks.robust_aggregation.long_runs import (
    drifting_rounds,
    ended,
    ended_exact,
    hardly_counted,
    long_runs,
    quiet_at_best,
    with_share,
)
from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.runs import BY_P, EQ1, ROUND, Convention, noisy, plain, run_exact, world
from paper_checks.robust_aggregation.seen_runs import inside_a_round, seen_rounds, worst_local_model
from paper_checks.robust_aggregation.settings import ERROR_FREE, GENERALIZED
from validation import Case, Choice, Claim, Family, Instance, Instant, Integer, LogScale, Space, World, case, units
from validation.world import Order, OrderFamily, definition, identity, le, mutant, nowhere, reading, remark, theorem

__all__ = [
    "BEFORE",
    "BOUND",
    "CLAIMS",
    "ENDLESS",
    "KNOWN_BEFORE_ROUND",
    "LATE",
    "LATE_TEST",
    "SEEN_BEFORE_STEP",
    "V_MIN",
    "constants",
    "ends",
    "substituted",
]

L, mu, tau, T, G2, sigma2, Gamma, D0 = NOTATION.symbols("L mu tau T G2 sigma2 Gamma D0")
rho, rho_best, pi, Pi, gap = NOTATION.symbols("rho rho_best pi Pi gap")
steps, steps2, is_zero = NOTATION.symbols("steps steps2 is_zero")

_GAMMA = 4 * L / mu
_NOISE = 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2 * rho)
V_MIN = 8 * L**2 * Gamma / mu**2 + L * _GAMMA * D0 / 2
_SPEED = _NOISE + V_MIN
_ERROR = 8 * L * Gamma / (3 * mu) * (rho_best / rho - 1)
BOUND = _SPEED / (T + _GAMMA) + _ERROR


def ends(of: Convention, *, endless: bool = False, most: int = 300) -> tuple[Case | Family, ...]:
    """Runs with the step sizes of the corollary, looked at after any step."""
    sizes = ((2, 1, 2), (2, 2, 1))
    how: dict[str, Any] = {"uses": (run_exact,), **({"endless": True} if endless else {})}
    at_end = of.but(harmonic=True)
    quiet = plain(at_end, ended, ended_exact, most=most, **how)
    return quiet, *noisy(at_end, ended, ended_exact, sizes=sizes, **how)


ENDLESS = tuple(item for of in (EQ1, BY_P, ROUND) for item in ends(of, endless=True))
SEEN_BEFORE_STEP = seen_rounds(Instant.BEFORE_STEP)
KNOWN_BEFORE_ROUND: tuple[Case | Family, ...] = (*seen_rounds(Instant.BEFORE_ROUND), drifting_rounds())
_LONG = (long_runs("endless", least=1.5), hardly_counted("endless"), quiet_at_best("endless", 1000))
_NOISY = long_runs("endless", noisy=True, most=1000, least=1.5)
_QUIET = (quiet_at_best("up to", 1), quiet_at_best("up to", 1000), QUIET_FOR_LONG, hardly_counted("up to", 4.0))
_SHORT = (*ends(EQ1, most=20), *ends(ROUND, most=20))


def _said(bound: Any) -> Any:
    return le(gap, bound, trivial=2 * L * G2 / mu**2)


_RATIO = {rho: pi, rho_best: Pi}

C1 = theorem(
    "RA-C1",
    "Corollary 1, eq. (9), Sec. 2.4; proof in A.3",
    "Gap after T steps: speed and error",
    printed=r"""\mathbb E[F(w_T)]-F^\star\le\frac1{T+\gamma}V(\overline\rho,\tilde\rho)+E(\overline\rho,\tilde\rho),
        \quad V(\overline\rho,\tilde\rho)=\frac{4L(32\tau^2G^2+\sigma^2)}{3\mu^2\overline\rho}+
        \frac{8L^2\Gamma}{\mu^2}+\frac{L\gamma\|w^0-w^\star\|^2}2,\quad E(\overline\rho,\tilde\rho)=
        \frac{8L\Gamma}{3\mu}\left(\frac{\tilde\rho}{\overline\rho}-1\right)""",
    plainly="After T steps the expected gap is at most V/(T + γ) + E, with V falling in ρ̄ and E growing in ρ̃/ρ̄.",
    assumes=[
        "every Fᵢ is μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*)",
        "E‖gᵢ − ∇Fᵢ‖² <= σ² and E‖gᵢ‖² <= G², gᵢ unbiased given the past",
        "full participation, weights αₜ on the simplex; what they may have seen is not said",
        "ηₜ = 1/(μ(t + γ)), γ = 4L/μ",
        "F(w) ≠ Σ pᵢFᵢ* at w* and at every wₜ (Remark 2); ρ̄ > 0",
        """τ, which the paper introduces nowhere, read as E: the C of A.3 has E², and with it V comes out as printed
            (RA-P-C1.5)""",
    ],
    says=_said(BOUND),
    world=world(with_share(hardly_counted("before", 4.0), 1 / 2000), long_runs("before", ball=True, least=4.0)),
    open={
        "window": nowhere("""(7) takes minimum and maximum over «t = 0 mod E» and names no last t: the rounds before T,
            those up to T, or all t of a run without end""")
    },
    readings=[
        reading(
            "ρ̄ and ρ̃ over the rounds before T",
            """t runs over 0, E, … below T in (7); G on a ball around w* that holds all models and optima. One step a
                round, where all conventions on aggregation agree.""",
            options={"window": "the rounds before T"},
            because="one step a round, no noise, weights fixed before each round: nothing in the print excludes it",
            shown=True,
        ),
        reading(
            "ρ̄ and ρ̃ over the rounds up to T",
            "As before, and the model w_T and its weights count too.",
            world=world(*_QUIET, long_runs("up to", ball=True, least=4.0)),
            options={"window": "the rounds up to T"},
            because="one step a round, no noise, weights fixed before each round",
        ),
        reading(
            "ρ̄ and ρ̃ over a run that goes on",
            """Eq. (7) names no last t: ρ̄ and ρ̃ over all rounds of an endless run. The weights have seen the round's
                earlier samples, as those of FedWorse have by (1) and (2). T is a multiple of E, E >= 2; G on a ball that
                holds all models and optima.""",
            world=world(*SEEN_BEFORE_STEP, worst_local_model()),
            options={"window": "every t of a run without end"},
            cuts={"weights": "see the round's earlier samples"},
            sees="before the step",
            used_by="""FedWorse (Sec. 3.1) where it is judged by the local models, as its Interpretation says («the
                client's local model with the worst performance at the end of the previous communication round»), or by
                the wₜ that (1) and (2) form from them. Judged by the losses of the model sent out its weights are known before the round, as FedAvg-generalized's are""",
        ),
        reading(
            "ρ̄ and ρ̃ over a run that goes on, T inside a round",
            """The same for a T that is no multiple of E: (7) does not see the models inside a round. G on the interval
                of all models and optima.""",
            world=world(inside_a_round()),
            options={"window": "every t of a run without end"},
            cuts={"T": "inside a round, where (7) does not look; virtual model with the round's weights"},
            because="«E[F(w_T)]» with T unrestricted, and (2) defines wₜ inside rounds, too",
        ),
        reading(
            "a run that goes on, weights known before the round",
            """ρ̄ and ρ̃ over all rounds of an endless run, T a multiple of E. The weights are fixed, or computed from the
                losses of the model sent out. An endless run has ρ̃ >= ρ̄ (RA-D7), so the search takes the smallest right
                side that the rounds up to T allow. Aggregation as in (1) and (2), as in Algorithm 1, or with the round's
                weights. G is taken at the points visited, for E >= 2 and more than five rounds on a ball.""",
            world=world(*_LONG, _NOISY, *ENDLESS, *KNOWN_BEFORE_ROUND),
            options={"window": "every t of a run without end"},
            conditions=["weights known before the round", "T one of the t of (7)"],
            met_by=GENERALIZED,
        ),
        reading(
            "the smallest of ρ̄, ρ̃ and 8(γ − 1)/3 in place of ρ̄",
            """ρ̄ and ρ̃ over the rounds before T; weights known before the round; G at the points visited. Where the
                minimum is 0 the right side is infinite, and the bound says nothing.""",
            _said(BOUND.subs(rho, Min(rho, rho_best, Rational(8, 3) * (_GAMMA - 1)))),
            world=world(long_runs("before"), hardly_counted("before"), *_SHORT),
            options={"window": "the rounds before T"},
            conditions=["weights known before the round"],
            edits=["min(ρ̄, ρ̃, 8(γ − 1)/3) in place of ρ̄"],
        ),
    ],
    mutants=[
        mutant(
            "error term dropped",
            le(gap, (_SPEED / (T + _GAMMA)).subs(_RATIO)),
            "with more weight on one of two clients w_T does not tend to w*; π <= ρ̄ stands for ρ̄",
            world=world(ALIKE),
        ),
        mutant(
            "ρ̃ and ρ̄ exchanged in the error term",
            le(gap, _SPEED / (T + _GAMMA) + 8 * L * Gamma / (3 * mu) * (rho / rho_best - 1)),
            "over a run that goes on ρ̃ >= ρ̄, so the term would be negative and the right side, too, for large T",
            world=world(long_runs("endless", most=100)),
        ),
        mutant(
            "τ = 1 although E > 1",
            None,
            """in one long round of FedAvg, where ρ̄ = ρ̃ = 1, each client walks to its own optimum; the gap stays and
                V/(T + γ) falls as 1/T""",
            world=world(ONE_ROUND),
        ),
        mutant(
            "the weights have seen the earlier samples of the round",
            None,
            """the model of the client whose noise came out high is taken in every round: a mean of σ/(Eμ) that no
                horizon takes away, with E = 0 and V/(T + γ) → 0""",
            world=world(*SEEN_BEFORE_STEP[:2]),
        ),
        mutant(
            "noise and gradient term dropped from V",
            le(gap, V_MIN / (T + _GAMMA) + _ERROR),
            "FedAvg started at w* with Γ small and noise: the first step leaves w* by the noise, and ρ̄ = ρ̃ = 1",
            world=world(long_runs("endless", noisy=True, most=100)),
        ),
        mutant(
            "the whole bound over T + γ",
            le(gap, ((_SPEED + _ERROR) / (T + _GAMMA)).subs(_RATIO)),
            "as for the dropped error term: the gap does not vanish as T grows, and this right side does",
            world=world(ALIKE),
        ),
    ],
    tight="not tight: over a run that goes on with fixed weights the limit error is at most 3μ/(8L) of E",
    rests_on=["RA-T1", "RA-P-C1.5", "RA-E19", "RA-D7", "RA-A0"],
    verdict="""For each window that (7) can mean there are weights with which it fails. If ρ̄ and ρ̃ stop at T, it fails
        even with one step a round and no noise: all weight on a client that F hardly counts makes Γ small and ρ̄ large,
        and both make the right side small, while the first step goes a quarter of the way to that client's optimum. (That
        client has the largest excess loss at the start, so these are FedWorse's weights.) If they stop at T, ρ̃ < ρ̄ is possible as well, by
        a client whose loss is large along the run and small at w*; then E is negative, and soon the right side. Over an
        endless run only weights that have seen the round's samples, or a T inside a round, were found to break it.
        Weights that have seen the round's earlier samples, as FedWorse's by (1) and (2), give the noise a mean: the gap
        stays while V/(T + γ) falls. No violation was found over an endless run if the weights are known before the
        round and T is a multiple of E, nor over the rounds before T with the smallest of ρ̄, ρ̃ and 8(γ − 1)/3 in place
        of ρ̄. An endless run has ρ̃ >= ρ̄ for weights known before the round, such as FedAvg's, or those from losses at
        the model sent out. Where it holds it is loose by nature: with fixed weights the limit error of an endless run
        is at most 3μ/(8L) of E (RA-Q1), and the runs that come nearest to (19) do the same here (RA-E19).""",
)


def constants(x: Instance) -> Mapping[str, Any]:
    """The constants of the corollary by themselves; τ = E."""
    given = {name: x[name] for name in ("L", "G2", "sigma2", "Gamma", "D0", "rho")}
    E, one = x["E"] if "E" in x else x["tau"], np.ones_like(x["L"])
    found = {"mu": x["L"] * x["part"], "rho_best": x["rho"] * x.get("times", one), "T": x.get("T", one)}
    return {**given, **found, "E": E, "tau": E}


def constants_exact(x: Mapping[str, Any]) -> Pair:
    """The constants of the corollary by themselves; tau = E."""
    given = {name: Fraction(x[name]) for name in ("L", "G2", "sigma2", "Gamma", "D0", "rho")}
    E, mu = Fraction(x["E"] if "E" in x else x["tau"]), x["L"] * x["part"]
    found = {"mu": mu, "rho_best": x["rho"] * x.get("times", 1), "T": Fraction(x.get("T", 1)), "E": E, "tau": E}
    return {"0 < mu <= L": 0 < mu <= x["L"], "rho > 0": x["rho"] > 0}, {**given, **found}


def _all_constants(*more: Any, part: tuple[float, ...], rho: LogScale) -> World:
    others = (LogScale(name, 1e-6, 1e3, at=(1e-6, 1.0)) for name in ("G2", "sigma2", "Gamma", "D0"))
    space = Space((LogScale("L", 1e-2, 1e2, at=(1.0,)), LogScale("part", 1e-4, 1.0, at=part), rho, *others, *more))
    same = units({"L": (1, -2), "G2": (2, -2), "sigma2": (2, -2), "Gamma": (1, 0), "D0": (0, 2)})
    return world(case("all constants", space, constants, constants_exact, symmetries=(same,)))


def substituted(least: float) -> World:
    """All constants with ρ̃ from `least` times ρ̄ on."""
    times, E = LogScale("times", least, 1e3, at=(least, 1.0)), Integer("E", 1, 300, at=(2,))
    of = LogScale("rho", 1e-3, 1e3, at=(1.0,))
    return _all_constants(times, E, Integer("T", 0, 1_000_000, at=(1, 100)), part=(1e-4, 0.1, 1.0), rho=of)


_CONSTANTS = _all_constants(
    LogScale("tau", 1.0, 300.0, at=(1.0,)), part=(1e-4, 1.0), rho=LogScale("rho", 1e-4, 1e4, at=(1.0,))
)
BEFORE = world(quiet_at_best("before", 1), quiet_at_best("before", 1000), long_runs("before", most=1000))
_NEARER = (D0 + G2 * steps2) / (2 * Gamma * steps)
LATE = le(
    rho - rho_best,
    _NEARER,
    again=lambda D0, G2, Gamma, steps, steps2: D0 / steps / Gamma / 2 + G2 / Gamma * steps2 / steps / 2,
)
LATE_TEST = BEFORE.test(LATE)
"""How far ρ̃ can be below ρ̄ over T rounds: were it, every step would bring the model nearer to w*."""


def at_optimum(x: Instance) -> Mapping[str, Any]:
    """Two clients of optima ±1 and equal shares: whether the skew of weights (a, 1 − a) is 0 at w."""
    a, w = x["a"], x["w"]
    return {"is_zero": np.where(a * (w - 1) ** 2 + (1 - a) * (w + 1) ** 2 == 0, 1.0, 0.0)}


def at_optimum_exact(x: Mapping[str, Any]) -> Pair:
    """Optima 1 and -1, equal shares."""
    a, w = x["a"], x["w"]
    skew = (a * (w - 1) ** 2 + (1 - a) * (w + 1) ** 2) / (((w - 1) ** 2 + (w + 1) ** 2) / 2)
    return {"0 <= a <= 1": 0 <= a <= 1, "rho is defined": True}, {"is_zero": Fraction(int(skew == 0))}


_AT_OPTIMUM = case(
    "two clients, all weight on one of them",
    Space((Choice("a", (0.0, 0.5, 1.0)), Choice("w", (-1.0, 0.0, 0.5, 1.0)))),
    at_optimum,
    at_optimum_exact,
)

D7 = definition(
    "RA-D7",
    "Corollary 1, Sec. 2.4",
    "The speed term V and the error term E",
    printed=r"""V(\overline\rho,\tilde\rho)=\frac{4L(32\tau^2G^2+\sigma^2)}{3\mu^2\overline\rho}+
        \frac{8L^2\Gamma}{\mu^2}+\frac{L\gamma\|w^0-w^\star\|^2}2,\quad E(\overline\rho,\tilde\rho)=
        \frac{8L\Gamma}{3\mu}\left(\frac{\tilde\rho}{\overline\rho}-1\right)""",
    plainly="V is at least V_min; that E, the «error estimation» of Section 2.5, is not negative is taken for granted.",
    assumes=["the constants of Corollary 1", "ρ defined at w* and at every wₜ (Remark 2)"],
    says=le(V_MIN, _SPEED),
    world=_CONSTANTS,
    open={
        "window": nowhere("""(7) takes minimum and maximum over «t = 0 mod E» and names no last t: the rounds up to T,
            or all t of a run without end""")
    },
    readings=[
        reading("V is at least V_min", "For every ρ̄ > 0; V does not depend on ρ̃.", part="V is at least V_min"),
        reading(
            "E is not negative, window up to T",
            "ρ̄ and ρ̃ over the rounds of the run; one step.",
            le(-_ERROR, 0),
            world=world(quiet_at_best("up to", 1)),
            options={"window": "the rounds up to T"},
            ours="that E is not negative is printed nowhere in Corollary 1",
        ),
        reading(
            "E is not negative, the run goes on, weights known before the round",
            """For any such weights, a hypothesis that the print lacks, ρ̄ − ρ̃ is at most (‖w₀ − w*‖² +
                G²Σηₜ²)/(2ΓΣηₜ), sums over t < T, and this tends to 0: searched for one step a round; more local steps
                add to Σηₜ² only.""",
            LATE,
            world=BEFORE,
            options={"window": "every t of a run without end"},
            ours="as the reading before, and stronger: by how much; weights that have seen samples were not tried",
        ),
        reading(
            "defined for every weights on the simplex",
            "ρ̄ is in two denominators; that V and E serve ρ̄ = 0 is ours, A.3 excludes it.",
            le(is_zero, 0),
            world=world(_AT_OPTIMUM),
            part="defined",
            cuts={"weights": "all on a client whose optimum the model has reached, ρ̄ = 0"},
            ours="""A.3 asks for β > 1/(μB), which at the corollary's β = 1/μ is ρ̄ > 0; that V and E serve ρ̄ = 0 is
                said nowhere""",
        ),
    ],
    mutants=[
        mutant("the first term of V with a minus sign", le(V_MIN, V_MIN - _NOISE), "V is then below V_min"),
        mutant(
            "‖w₀ − w*‖² left out of the bound on ρ̄ − ρ̃",
            le(rho - rho_best, G2 * steps2 / (2 * Gamma * steps)),
            "as the steps become small Σηₜ²/Σηₜ vanishes, while one step with ρ̃ < ρ̄ remains possible",
            world=BEFORE,
        ),
    ],
    rests_on=["RA-D4", "RA-D6", "RA-D8"],
    verdict="""V is never below V_min, as Remark 5 has it. Whether E is never negative is printed nowhere in Corollary
        1; «error estimation» (Sec. 2.5) and the minimum E = 0 (Sec. 2.5.2, RA-Q6) take it for granted. It depends on
        the rounds over which (7) takes its extremes, which are not named: ρ̃ >= ρ̄ holds over a run that goes on for
        weights known before the round, and need not over the rounds up to T. Neither V nor E has a value at ρ̄ = 0, all
        weight on a client whose optimum the model has reached; A.3 leaves that out, since its β > 1/(μB) is ρ̄ > 0 at β
        = 1/μ. All terms have the unit of a loss, V of a loss times a count. τ is introduced nowhere; it stands where
        the proof has E (RA-C1).""",
)


def speed_at(rho: Any) -> tuple[Any, Any]:
    """V and V_min with L = 2, mu = G2 = sigma2 = Gamma = tau = D0 = 1."""
    floor = 8 * Fraction(4) + 2 * Fraction(8) / 2
    return Fraction(8, 3) * 33 / rho + floor, floor


def speed_without_start_at(rho: Any) -> tuple[Any, Any]:
    """V and V_min without the term of the start."""
    return speed_at(rho)[0], 8 * Fraction(4)


_N = Symbol("n", positive=True)


def _limit(at: Any, *uses: Any) -> Order:
    return Order("limit", (OrderFamily("one set of constants", at, {"rho": _N}, degree=1, uses=uses),), variable="rho")


D8 = definition(
    "RA-D8",
    "Remark 5, Sec. 2.5",
    "The limit speed V_min",
    printed=r"V_{\min}:=\frac{8L^2\Gamma}{\mu^2}+\frac{L\gamma\|w^0-w^\star\|^2}2",
    plainly="V_min is what is left of V as ρ̄ grows without limit.",
    assumes=["V as in Corollary 1", "whether ρ̄ can grow without limit is another question (Remark 5)"],
    says=identity(_SPEED - V_MIN, _NOISE),
    readings=[
        reading("V without its term in ρ̄", "V − V_min is the term in 1/ρ̄.", part="V without its term in ρ̄"),
        reading(
            "the limit of V for ρ̄ → ∞",
            "At one set of constants, exactly.",
            _limit(speed_at),
            part="the limit of V for ρ̄ → ∞",
        ),
    ],
    mutants=[
        mutant(
            "the start term left out",
            _limit(speed_without_start_at, speed_at),
            "V then stays above it by Lγ‖w⁰ − w*‖²/2 > 0",
        ),
        mutant("the term in ρ̄ kept", identity(_SPEED - V_MIN, Whole(0)), "V − V_min is positive for every finite ρ̄"),
    ],
    rests_on=["RA-D7"],
    verdict="""Both definitions agree, and V tends to V_min. V_min is a constant of clients and start, as said, with γ =
        4L/μ; V reaches it for no finite ρ̄.""",
)


def left_out(T: Any) -> Any:
    """The product of 1 - 1/(t + 4) over t < T."""
    return 3 / (T + 3)


def one_client_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """Two equal shares, curvature 1, optima -1 and 1, all weight on the second, eta_t = 1/(t + 4): F(w_T) - F*."""
    return (1 + (w0 - 1) * left_out(T)) ** 2 / 2, 1 / T


def average_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """The same with equal weights; or all weight on one client and both optima at 0."""
    return (w0 * left_out(T)) ** 2 / 2, 1 / T


def seen_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """Identical clients w^2/2, T/2 rounds of two steps 1/(t + 4), the client of noise +1 in the first one taken each time."""
    return ((3 * w0 + T / 2) / (T + 3)) ** 2 / 2, 1 / T


def noisy_average_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """Equal weights, noise of variance 1 in the average: E w_T^2 = (9 w0^2 + T)/(T + 3)^2."""
    return (9 * w0**2 + T) / (T + 3) ** 2 / 2, 1 / T


def noisy_faster_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """The gap with noise against 1/T^2."""
    return noisy_average_gap(T, w0)[0], 1 / T**2


def bound_at(T: Any, ratio: Any) -> tuple[Any, Any]:
    """V/(T + gamma) + E with all constants 1 and rho_best = ratio * rho, rho = 1."""
    return (44 + 8 + 2) / (T + 4) + Fraction(8, 3) * (ratio - 1), 1 / T


_STARTS = (Fraction(0), Fraction(3), Fraction(100))


def _order(name: str, at: Any, *uses: Any, T: Any = _N, **fixed: Any) -> OrderFamily:
    return OrderFamily(name, at, {"T": T}, fixed or {"w0": _STARTS}, degree=3, uses=uses)


def _of_order(*families: OrderFamily) -> Order:
    return Order("upper", families, may_depend_on=(next(iter(families[0].fixed)),))


_NOISY_GAP = _order("αᵢ = pᵢ, noise", noisy_average_gap)

R3 = remark(
    "RA-R3",
    "Remark 3, eq. (10), Sec. 2.4",
    "The gap is O(1/T)",
    printed="E[F(w_T)-F^*]=O(1/T)",
    plainly="The expected gap falls as 1/T, for every aggregation weights.",
    assumes=["those of Corollary 1", "the constant may depend on all but T"],
    says=_of_order(_order("all weight on one client", one_client_gap, left_out, w0=_STARTS[:2])),
    readings=[
        reading("the gap itself", "All weight on one of two clients."),
        reading(
            "the bound of Corollary 1",
            "«From the previous result»: V/(T + γ) + E with ρ̃ = 2ρ̄.",
            _of_order(_order("ρ̃ = 2ρ̄", bound_at, ratio=(Fraction(2),))),
            ours="""(10) is of the gap; that the bound (9) is O(1/T) would be another statement («from the previous
                result» names the way)""",
        ),
        reading(
            "αᵢ = pᵢ",
            "Then ρ̄ = ρ̃ = 1 and E = 0; one step a round, with and without noise.",
            _of_order(_order("αᵢ = pᵢ", average_gap, left_out), _NOISY_GAP),
            conditions=["αₜⁱ = pᵢ"],
            met_by=GENERALIZED,
        ),
        reading(
            "Γ = 0, weights known before the round",
            "All clients share their minimiser; such weights give the noise no mean.",
            _of_order(_order("Γ = 0", average_gap, left_out)),
            conditions=["Γ = 0", "weights known before the round"],
            met_by=ERROR_FREE,
        ),
        reading(
            "the bound with ρ̃ = ρ̄",
            "E = 0.",
            _of_order(_order("ρ̃ = ρ̄", bound_at, ratio=(Fraction(1),))),
            conditions=["ρ̃ = ρ̄"],
            ours="of the bound (9), not of the gap",
        ),
    ],
    mutants=[
        mutant(
            "Γ = 0, weights that have seen the round's earlier samples",
            _of_order(_order("mirrored noise, seen", seen_gap, T=2 * _N)),
            """two mirrored clients, rounds of two steps: weights that follow the noise drive the model off, and the
                gap does not vanish""",
        ),
        mutant(
            "O(1/T²) with αᵢ = pᵢ and noise",
            _of_order(_order("αᵢ = pᵢ, noise", noisy_faster_gap, noisy_average_gap)),
            "E‖w_T − w*‖² = (9w₀² + T)/(T + 3)² is of order 1/T",
        ),
    ],
    rests_on=["RA-C1"],
    verdict="""Only V/(T + γ) is O(1/T); the error term E does not depend on T. With all weight on one of two clients,
        for example F₁ = (w + 1)²/2 and F₂ = (w − 1)²/2 with equal shares, α = (0, 1) and w₀ = 0, w_T tends to that
        client's optimum, and T(F(w_T) − F*) grows in proportion to T: a straight line, exactly. The order is right for
        αᵢ = pᵢ and for Γ = 0 with weights known before the round (those that have seen its earlier samples keep the gap
        at a constant), and that of the bound whenever ρ̃ = ρ̄.""",
)

CLAIMS: tuple[Claim, ...] = (C1, D7, D8, R3)

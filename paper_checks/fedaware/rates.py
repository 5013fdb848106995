"""FA-T4.1, FA-T4.2 and FA-C4.1: the O(·) statements about gradients, by explicit constants and along families of runs."""

from __future__ import annotations

from typing import Any

from paper_checks.fedaware.notation import NOTATION
from paper_checks.fedaware.proof_of_theorem_42 import EXPLICIT, SHORT
from paper_checks.fedaware.rates_cases import (
    BIASED,
    CONST,
    MOVED,
    STUCK,
    chosen,
    chosen_exact,
    classical,
    classical_exact,
    family,
    small_steps,
    small_steps_exact,
    tiny,
    tiny_exact,
)
from paper_checks.fedaware.runs_old import run, run_case, run_exact
from validation import Claim, LogScale, Space
from validation.statement.orders import Order
from validation.statement.says import le
from validation.world.front import claim, mutant, reading
from validation.world.world import World

__all__ = ["CLAIMS"]

F, F_star, T, K, eta, eta_l, L, c, gamma, sigma2, sg2, chi, chi_rho, short, low, mean_square = NOTATION.symbols(
    "F F_star T K eta eta_l L c gamma sigma2 sg2 chi chi_rho short low mean_square"
)
_START = 7 * F_star / (eta * K * T)
_NOISE_41 = 7 * L * eta * sigma2 + 21 * L**2 * eta_l**2 * K * sigma2
_SPREAD = 123 * L**2 * eta_l**2 * K**2 * sg2


def classical_again(F_star: Any, T: Any, K: Any, eta: Any, eta_l: Any, L: Any, sigma2: Any, sg2: Any) -> Any:
    """The right side of (4) with the constants 7, 7L, 21L², 123L² once more."""
    a = eta_l * L
    return 7 * (F_star / (T * K * eta) + L * eta * sigma2 + 3 * K * a**2 * sigma2) + 123 * sg2 * (a * K) ** 2


def chosen_again(F_star: Any, T: Any, K: Any, eta: Any, eta_l: Any, L: Any, sigma2: Any) -> Any:
    """14 F*/(ηKT) and the two noise terms of (4)."""
    return 14 * F_star / (T * K * eta) + 7 * L * sigma2 * (eta + 3 * K * L * eta_l**2)


def small_steps_again(
    F: Any, T: Any, K: Any, eta: Any, eta_l: Any, L: Any, c: Any, gamma: Any, sigma2: Any, chi: Any, chi_rho: Any
) -> Any:
    """The right side under 4γ(η_l LK)² + ηKL <= 1 once more."""
    noise = sigma2 / K * (4 * c * (eta_l * L * K) ** 2 + 2 * gamma * chi)
    return 2 * F / (eta * K * T) + noise + chi_rho * 2 * gamma / (eta_l * K) ** 2


# The smallest squared gradient is at most the first, and that at most 2L times the first gap.
_FIRST = 2 * L * F_star
_MEAN = "the mean squared gradient of a run that diverges is as large as one likes, whatever its first gap"
_SHORT_RUNS = Space((LogScale("short", 1e-9, 0.5), LogScale("L", 1e-3, 1e3), LogScale("F_star", 1e-6, 1e6)))

_ALL = World(
    NOTATION,
    (
        family("convex, noise", classical, classical_exact),
        family("either sign, no noise", classical, classical_exact, convex=False, noisy=False),
        family("either sign, noise", classical, classical_exact, convex=False),
    ),
)
_CHOSEN_RATES = World(NOTATION, (family("convex, noise", chosen, chosen_exact),))
_CONVEX = World(
    NOTATION, (family("convex, noise", run, run_exact), family("convex, no noise", run, run_exact, noisy=False))
)
_NOISY = tuple(
    run_case(2, 1, 1, t, server=(1.0, 1e2), measure=classical, exact=classical_exact, uses=(run_exact,))
    for t in (50, 200)
)

T41 = claim(
    "FA-T4.1",
    level="theorem",
    at="Theorem 4.1, eq. (4), Sec. 4.1 (quoted from Jhunjhunwala et al. 2022)",
    title="Classical convergence of FedAvg",
    printed=(
        r"\min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O\big(\eta\sigma_l^2"
        r"+\eta_l^2K\sigma_l^2\big)+\mathcal O\big(\eta_l^2K^2\sigma_g^2\big)"
    ),
    plainly="FedAvg's best squared gradient falls like 1/(ηKT) down to a floor set by noise and by dissimilarity.",
    assumes=(
        "A4.1 along the run, A4.2, A4.3; full participation",
        "η_l <= 1/(8LK), η = η_lη_g <= 1/(24LK)",
        "hidden constants may depend on L, which the units require",
    ),
    says=le(low, _START + _NOISE_41 + _SPREAD, again=classical_again, trivial=_FIRST),
    world=_ALL,
    readings=(
        reading(
            "hidden constants 7, 7L, 21L², 123L²",
            "One choice of the hidden constants; σ_g² the largest mean dissimilarity in any round of the run.",
        ),
    ),
    mutants=(
        mutant("starting term dropped", le(low, _NOISE_41 + _SPREAD), "one client without noise: the right side is 0"),
        mutant(
            "noise and dissimilarity dropped",
            le(low, _START),
            "with noise the gradient does not tend to 0 under a constant step",
            world=World(NOTATION, _NOISY),
        ),
        mutant(
            "K in place of K² at the dissimilarity, whatever the constants",
            Order("upper", (BIASED,), uniform_in=("K",)),
            "at η_l = 1/(8LK) the bias of unlike clients at FedAvg's fixed point does not fall with K",
        ),
    ),
    tight="not with these constants",
    rests_on=("FA-LA1", "FA-A4.1", "FA-A4.2", "FA-A4.3"),
    verdict="""
        The classical proof (smoothness, the drift of Lemma A.1 averaged over clients, ηKL <= 1/24) gives the statement
        with the constants 7, 7L, 21L² and 123L². The search over quadratic clients of either curvature, with and without
        noise, up to 300 clients, 300 local steps and 200 rounds, found no violation.""",
)

_EXPLICIT = le(mean_square, EXPLICIT.right, trivial=_MEAN)
_EXISTS, _WINDOW = (
    {"rates": words}
    for words in ("there exist, chosen for instance and horizon", "those of the proof's window, for all T")
)

T42 = claim(
    "FA-T4.2",
    level="theorem",
    at="Theorem 4.2, Sec. 4.2",
    title="FedAvg under client consensus dynamics",
    printed=(
        r"\min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O\big(\eta\sigma_l^2"
        r"+\eta_l^2K\sigma_l^2\big)+\mathcal O(\eta\Psi),\quad\Psi=\frac1T\sum_{t=0}^{T-1}\frac{\rho^t(\lambda)}{\eta_l^2K}"
    ),
    plainly="For some static rates FedAvg's best squared gradient is bounded by start, noise and client consensus only.",
    assumes=("A4.2, A4.3 and Property 4.1", "no dissimilarity bound and no Assumption A.1 in the statement"),
    undecided={
        "rates": (
            "twice",
            "the theorem: «there exists static FedAvg learning rates»; its proof: any rates with 1/(√cKL) <= η_l («Letting») "
            "and η_l <= 1/(8LK), static for all T",
        )
    },
    says=le(low, 2 * _START + _NOISE_41, again=chosen_again, trivial=_FIRST),
    world=_CHOSEN_RATES,
    readings=(
        reading(
            "rates chosen for the instance and the horizon",
            "«There exists»: η = 1/(24LK) and η_l as small as the instance and T ask; hidden constants 14, 7L, 21L².",
            options=_EXISTS,
        ),
        reading(
            "any rates of the proof's window",
            "Static rates with η_l = 1/(8LK), hence c = 64; constants depend on L, K, η_g only; ρ = 0 in every round.",
            says=Order("upper", (STUCK,), may_depend_on=CONST),
            options=_WINDOW,
        ),
        reading(
            "any rates with ηKL <= 2, with Assumption A.1, smooth clients",
            "The explicit form (10), whose constants depend on γ and c; ρ given xᵗ; no convexity.",
            says=_EXPLICIT,
            world=SHORT,
            options=_WINDOW,
            conditions=("Assumption A.1", "ηKL <= 2"),
        ),
        reading(
            "any rates, with Assumption A.1, convex clients",
            "The explicit form (10), whose constants depend on γ and c; ρ given xᵗ.",
            says=_EXPLICIT,
            world=_CONVEX,
            options=_WINDOW,
            conditions=("Assumption A.1", "convex clients"),
        ),
    ),
    mutants=(
        mutant(
            "starting term dropped as well",
            le(low, _NOISE_41),
            "at small noise and few rounds the gradient is still about where it started",
        ),
        mutant(
            "other weights in the aggregation than in the objective",
            Order("upper", (MOVED,), may_depend_on=CONST),
            "with other aggregation weights the model stops where ∇f is not 0, and F*/(ηKT) tends to 0",
        ),
    ),
    rests_on=("FA-E10", "FA-PR4.1", "FA-T4.1", "FA-AA.1", "FA-A4.2", "FA-A4.3"),
    verdict="""
        It depends on «there exists»: with rates chosen for the instance and the horizon the theorem holds, but for
        the rates of its own proof, kept for all T, it is false without Assumption A.1. The chosen rates say
        little: η_l can be made so small that dissimilarity does not matter, which the classical theorem gives as
        well (or trivially, with ηKLT <= 1/2, as in FA-C4.1). For the proof's rates start at the fixed point of
        FedAvg with two unlike clients and K >= 2: every ρᵗ is 0, so Property 4.1 holds, F*/(ηKT) tends to 0, and
        ∇f never changes. Assumption A.1, which only the proof prints («a mild assumption»), excludes that point,
        where γ is infinite. With it the explicit form (10) holds for smooth clients at ηKL <= 2, and held for
        convex ones at any server step tried.""",
)

# Of (4) with ηKLT <= 1/2 the starting term alone is left, F*/(ηKT) = LF*/short: it is at least 2LF*.
_TINY = World(NOTATION, (family("convex, noise, ηKLT <= 1/2", tiny, tiny_exact, rows=2),), grid=_SHORT_RUNS)
_ONE_ROUND = World(NOTATION, (run_case(1, 1, 1, 1, measure=tiny, exact=tiny_exact, uses=(run_exact,)),))
_SMALL = World(NOTATION, (family("convex, noise", small_steps, small_steps_exact, rows=2),))
_SMALL_QUIET = World(
    NOTATION,
    tuple(
        run_case(2, 1, 1, t, rows=1, noisy=False, measure=small_steps, exact=small_steps_exact, uses=(run_exact,))
        for t in (1, 5)
    ),
)
_ANY = {"rates": "any, as none are named"}
_GAIN = 2 * F / (eta * K * T) + 4 * c * eta_l**2 * L**2 * K * sigma2

C41 = claim(
    "FA-C4.1",
    level="theorem",
    at="Corollary 4.1, Sec. 4.2",
    title="FedAvg with other aggregation weights",
    printed=(
        r"\min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O\big(\eta\sigma_l^2"
        r"+\eta_l^2K\sigma_l^2\big)+\mathcal O(\eta\tilde\Psi),\quad"
        r"\tilde\Psi=\frac1T\sum_{t=0}^{T-1}\chi^2_{\lambda\|\tilde\lambda}\cdot\frac{\rho^t(\tilde\lambda)}{\eta_l^2K}"
    ),
    plainly="With other aggregation weights the bound has χ² times the applied client consensus as its last term.",
    assumes=("λ static, λ̃ any weights on the simplex", "neither assumptions nor rates are named in the statement"),
    undecided={
        "rates": (
            "nowhere",
            "the corollary names no rates («can be upper bounded by»); Theorem 4.2, to which it is compared, has «there exists "
            "static FedAvg learning rates»",
        )
    },
    says=Order("upper", (MOVED,), may_depend_on=CONST),
    readings=(
        reading(
            "constant other weights",
            "η_l = 1/(8LK); the run starts where the applied updates cancel, so ρ(λ̃) = 0 in every round.",
            options=_ANY,
            because=(
                "the very case of the corollary: the weights of the objective and the applied ones «are not identical»"
            ),
        ),
        reading(
            "the objective's own weights",
            "λ̃ = λ, so χ² = 0: FedAvg itself from its fixed point, K >= 2.",
            says=Order("upper", (STUCK,), may_depend_on=CONST),
            options=_ANY,
            cuts={"weights": "λ̃ = λ"},
        ),
        reading(
            "rates chosen for the horizon",
            "«There exist», carried over from Theorem 4.2: ηKLT <= 1/2, hidden constant 1, any weights, changing as they may.",
            says=le(low, L * F_star / short, again=lambda F_star, L, short: F_star / (short / L), trivial=_FIRST),
            world=_TINY,
            options={"rates": "chosen for the horizon"},
            because="ηKLT <= 1/2: above the trivial bound on the whole grid, whatever the weights",
        ),
        reading(
            "with Assumption A.1 and steps small against γ",
            "4γ(η_lLK)² + ηKL <= 1, λ̃ fixed in advance (it may change every round), convex clients; the hidden constants "
            "are then 2, 4cL² + 2γχ̃/(ηKL)·L and 2γ/(ηK), with f(x⁰) − E f(x^T) for F*; so they depend on η, K and χ̃.",
            says=le(
                mean_square,
                _GAIN + 2 * gamma * chi * sigma2 / K + 2 * gamma * chi_rho / (eta_l**2 * K**2),
                again=small_steps_again,
                trivial=_MEAN,
            ),
            world=_SMALL,
            conditions=(
                "Assumption A.1",
                "4γ(η_lLK)² + ηKL <= 1",
                "convex clients",
                "weights fixed before the round's samples",
            ),
            because=(
                "the paper is about non-convex networks (Sec. 4.1, 4.2), and its own weights see the round: no named setting "
                "has all four"
            ),
        ),
    ),
    mutants=(
        mutant(
            "rates chosen for the horizon, half of the first term",
            le(low, F_star / (2 * eta * K * T)),
            "one client, T = 1 and ηKL = 1/2: the first term is 2LF*, which is ‖∇f(x⁰)‖²",
            world=_ONE_ROUND,
        ),
        mutant(
            "last term dropped under the repaired reading",
            le(mean_square, _GAIN),
            "a model that moves away from the optimum of f, towards that of the other weights, makes the right side negative",
            world=_SMALL_QUIET,
        ),
    ),
    rests_on=("FA-E13", "FA-T4.2", "FA-PR4.1", "FA-AA.1", "FA-A4.2", "FA-A4.3"),
    verdict="""
        For given rates it is false: constant other weights lead FedAvg to the minimiser of another objective, and
        there the right side tends to 0 while ∇f stays what it is. In that witness K = 1, the curvatures are equal,
        there is no noise, and every ρᵗ(λ̃) is 0. With λ̃ = λ it is false too, as χ² = 0 removes the consensus term
        that Theorem 4.2 has. The corollary names no rates. Read with Theorem 4.2's «there exist», for the horizon,
        it is true but says nothing: at ηKLT <= 1/2 the first term alone is at least 2LF* >= ‖∇f(x⁰)‖², whatever
        the weights. The proof uses Assumption A.1, which the corollary does not name; its γ is infinite at such
        points. With it, steps small against γ, convex clients and weights fixed in advance the bound holds, with
        constants that depend on γ, c, χ̃ and 1/(ηKL).""",
)

CLAIMS: tuple[Claim, ...] = (T41, T42, C41)

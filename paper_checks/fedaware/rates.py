"""FA-T4.1, FA-T4.2 and FA-C4.1: the O(·) statements about gradients, by explicit constants and along families of runs."""

from __future__ import annotations

from typing import Any

from paper_checks.fedaware.explicit_static import EXPLICIT, SHORT
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
from paper_checks.fedaware.runs import DEGREES, run, run_case, run_exact
from validation import Bound, Canary, Claim, Inequality, Kind, LogScale, Reading, Space, symbols
from validation.orders import Order

__all__ = ["CLAIMS"]

F, F_star, T, K, eta, eta_l, L, c, gamma, sigma2, sg2, chi, chi_rho, short = symbols(
    "F F_star T K eta eta_l L c gamma sigma2 sg2 chi chi_rho short"
)

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


_CLASSICAL = Bound(7 * F_star / (eta * K * T) + _NOISE_41 + _SPREAD, again=classical_again, degrees=DEGREES)

_CHOSEN = Bound(14 * F_star / (eta * K * T) + _NOISE_41, again=chosen_again, degrees=DEGREES)

_SMALL_STEPS = Bound(
    2 * F / (eta * K * T)
    + 4 * c * eta_l**2 * L**2 * K * sigma2
    + 2 * gamma * chi * sigma2 / K
    + 2 * gamma * chi_rho / (eta_l**2 * K**2),
    again=small_steps_again,
    degrees=DEGREES,
)

# The smallest squared gradient is at most the first, and that at most 2L times the first gap.
_FIRST = Bound(2 * L * F_star)
_MEAN = "the mean squared gradient of a run that diverges is as large as one likes, whatever its first gap"
# Of (4) with ηKLT <= 1/2 the starting term alone is left, F*/(ηKT) = LF*/short: it is at least 2LF*.
_TINY = Bound(
    L * F_star / short, again=lambda F_star, L, short: F_star / (short / L), degrees={**DEGREES, "short": (0, 0)}
)
_SHORT_RUNS = Space((LogScale("short", 1e-9, 0.5), LogScale("L", 1e-3, 1e3), LogScale("F_star", 1e-6, 1e6)))

_ALL = (
    family("convex, noise", classical, classical_exact),
    family("either sign, no noise", classical, classical_exact, convex=False, noisy=False),
    family("either sign, noise", classical, classical_exact, convex=False),
)

T41 = Claim(
    id="FA-T4.1",
    kind=Kind.ORDER,
    source="Theorem 4.1, eq. (4), Sec. 4.1 (quoted from Jhunjhunwala et al. 2022)",
    title="Classical convergence of FedAvg",
    statement=(
        r"\min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O\big(\eta\sigma_l^2"
        r"+\eta_l^2K\sigma_l^2\big)+\mathcal O\big(\eta_l^2K^2\sigma_g^2\big)"
    ),
    says="FedAvg's best squared gradient falls like 1/(ηKT) down to a floor set by noise and by dissimilarity.",
    assumes=(
        "A4.1 along the run, A4.2, A4.3; full participation",
        "η_l <= 1/(8LK), η = η_lη_g <= 1/(24LK)",
        "hidden constants may depend on L, which the units require",
    ),
    readings=(
        Reading(
            "hidden constants 7, 7L, 21L², 123L²",
            "One choice of the hidden constants; σ_g² the largest mean dissimilarity in any round of the run.",
            Inequality(_CLASSICAL, _ALL, degrees=(2, -2), trivial=_FIRST),
        ),
    ),
    canaries=(
        Canary(
            "starting term dropped",
            Inequality(Bound(_NOISE_41 + _SPREAD), _ALL),
            "one client without noise: the right side is 0",
        ),
        Canary(
            "noise and dissimilarity dropped",
            Inequality(
                Bound(7 * F_star / (eta * K * T)),
                tuple(
                    run_case(2, 1, 1, t, server=(1.0, 1e2), measure=classical, exact=classical_exact, uses=(run_exact,))
                    for t in (50, 200)
                ),
            ),
            "with noise the gradient does not tend to 0 under a constant step",
        ),
        Canary(
            "K in place of K² at the dissimilarity, whatever the constants",
            Order("upper", (BIASED,), uniform_in=("K",)),
            "at η_l = 1/(8LK) the bias of unlike clients at FedAvg's fixed point does not fall with K",
        ),
    ),
    tight="not with these constants",
    depends_on=("FA-LA1", "FA-A4.1", "FA-A4.2", "FA-A4.3"),
    verdict_words=(
        "The classical proof (smoothness, the drift of Lemma A.1 averaged over clients, ηKL <= 1/24) gives the statement "
        "with the constants 7, 7L, 21L² and 123L². The search over quadratic clients of either curvature, with and without "
        "noise, up to 300 clients, 300 local steps and 200 rounds, found no violation."
    ),
)

T42 = Claim(
    id="FA-T4.2",
    kind=Kind.ORDER,
    source="Theorem 4.2, Sec. 4.2",
    title="FedAvg under client consensus dynamics",
    statement=(
        r"\min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O\big(\eta\sigma_l^2"
        r"+\eta_l^2K\sigma_l^2\big)+\mathcal O(\eta\Psi),\quad\Psi=\frac1T\sum_{t=0}^{T-1}\frac{\rho^t(\lambda)}{\eta_l^2K}"
    ),
    says="For some static rates FedAvg's best squared gradient is bounded by start, noise and client consensus only.",
    assumes=("A4.2, A4.3 and Property 4.1", "no dissimilarity bound and no Assumption A.1 in the statement"),
    readings=(
        Reading(
            "rates chosen for the instance and the horizon",
            "«There exists»: η = 1/(24LK) and η_l as small as the instance and T ask; hidden constants 14, 7L, 21L².",
            Inequality(_CHOSEN, (family("convex, noise", chosen, chosen_exact),), degrees=(2, -2), trivial=_FIRST),
        ),
        Reading(
            "any rates of the proof's window",
            "Static rates with η_l = 1/(8LK), hence c = 64; constants depend on L, K, η_g only; ρ = 0 in every round.",
            Order("upper", (STUCK,), may_depend_on=CONST),
        ),
        Reading(
            "any rates with ηKL <= 2, with Assumption A.1, smooth clients",
            "The explicit form (10), whose constants depend on γ and c; ρ given xᵗ; no convexity.",
            Inequality(EXPLICIT, SHORT, degrees=(2, -2), trivial=_MEAN),
            repair="condition",
        ),
        Reading(
            "any rates, with Assumption A.1, convex clients",
            "The explicit form (10), whose constants depend on γ and c; ρ given xᵗ.",
            Inequality(
                EXPLICIT,
                (family("convex, noise", run, run_exact), family("convex, no noise", run, run_exact, noisy=False)),
                degrees=(2, -2),
                trivial=_MEAN,
            ),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "starting term dropped as well",
            Inequality(Bound(_NOISE_41), (family("convex, noise", chosen, chosen_exact),)),
            "at small noise and few rounds the gradient is still about where it started",
        ),
        Canary(
            "other weights in the aggregation than in the objective",
            Order("upper", (MOVED,), may_depend_on=CONST),
            "with other aggregation weights the model stops where ∇f is not 0, and F*/(ηKT) tends to 0",
        ),
    ),
    depends_on=("FA-E10", "FA-PR4.1", "FA-T4.1", "FA-AA.1", "FA-A4.2", "FA-A4.3"),
    verdict_words=(
        "It depends on «there exists»: with rates chosen for the instance and the horizon the theorem holds, but for "
        "the rates of its own proof, kept for all T, it is false without Assumption A.1. The chosen rates say "
        "little: η_l can be made so small that dissimilarity does not matter, which the classical theorem gives as "
        "well (or trivially, with ηKLT <= 1/2, as in FA-C4.1). For the proof's rates start at the fixed point of "
        "FedAvg with two unlike clients and K >= 2: every ρᵗ is 0, so Property 4.1 holds, F*/(ηKT) tends to 0, and "
        "∇f never changes. Assumption A.1, which only the proof prints («a mild assumption»), excludes that point, "
        "where γ is infinite. With it the explicit form (10) holds for smooth clients at ηKL <= 2, and held for "
        "convex ones at any server step tried."
    ),
)

C41 = Claim(
    id="FA-C4.1",
    kind=Kind.ORDER,
    source="Corollary 4.1, Sec. 4.2",
    title="FedAvg with other aggregation weights",
    statement=(
        r"\min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O\big(\eta\sigma_l^2"
        r"+\eta_l^2K\sigma_l^2\big)+\mathcal O(\eta\tilde\Psi),\quad"
        r"\tilde\Psi=\frac1T\sum_{t=0}^{T-1}\chi^2_{\lambda\|\tilde\lambda}\cdot\frac{\rho^t(\tilde\lambda)}{\eta_l^2K}"
    ),
    says="With other aggregation weights the bound has χ² times the applied client consensus as its last term.",
    assumes=("λ static, λ̃ any weights on the simplex", "neither assumptions nor rates are named in the statement"),
    readings=(
        Reading(
            "constant other weights",
            "η_l = 1/(8LK); the run starts where the applied updates cancel, so ρ(λ̃) = 0 in every round.",
            Order("upper", (MOVED,), may_depend_on=CONST),
        ),
        Reading(
            "the objective's own weights",
            "λ̃ = λ, so χ² = 0: FedAvg itself from its fixed point, K >= 2.",
            Order("upper", (STUCK,), may_depend_on=CONST),
        ),
        Reading(
            "rates chosen for the horizon",
            "«There exist», carried over from Theorem 4.2: ηKLT <= 1/2, hidden constant 1, any weights, changing as they may.",
            Inequality(
                _TINY,
                (family("convex, noise, ηKLT <= 1/2", tiny, tiny_exact, rows=2),),
                degrees=(2, -2),
                trivial=_FIRST,
                grid=_SHORT_RUNS,
            ),
        ),
        Reading(
            "with Assumption A.1 and steps small against γ",
            "4γ(η_lLK)² + ηKL <= 1, λ̃ fixed in advance (it may change every round), convex clients; the hidden constants "
            "are then 2, 4cL² + 2γχ̃/(ηKL)·L and 2γ/(ηK), with f(x⁰) − E f(x^T) for F*; so they depend on η, K and χ̃.",
            Inequality(
                _SMALL_STEPS,
                (family("convex, noise", small_steps, small_steps_exact, rows=2),),
                degrees=(2, -2),
                trivial=_MEAN,
            ),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "rates chosen for the horizon, half of the first term",
            Inequality(
                Bound(F_star / (2 * eta * K * T)),
                (run_case(1, 1, 1, 1, measure=tiny, exact=tiny_exact, uses=(run_exact,)),),
            ),
            "one client, T = 1 and ηKL = 1/2: the first term is 2LF*, which is ‖∇f(x⁰)‖²",
        ),
        Canary(
            "last term dropped under the repaired reading",
            Inequality(
                Bound(2 * F / (eta * K * T) + 4 * c * eta_l**2 * L**2 * K * sigma2),
                tuple(
                    run_case(
                        2,
                        1,
                        1,
                        t,
                        rows=1,
                        noisy=False,
                        measure=small_steps,
                        exact=small_steps_exact,
                        uses=(run_exact,),
                    )
                    for t in (1, 5)
                ),
            ),
            "a model that moves away from the optimum of f, towards that of the other weights, makes the right side negative",
        ),
    ),
    depends_on=("FA-E13", "FA-T4.2", "FA-PR4.1", "FA-AA.1", "FA-A4.2", "FA-A4.3"),
    verdict_words=(
        "For given rates it is false: constant other weights lead FedAvg to the minimiser of another objective, and "
        "there the right side tends to 0 while ∇f stays what it is. In that witness K = 1, the curvatures are equal, "
        "there is no noise, and every ρᵗ(λ̃) is 0. With λ̃ = λ it is false too, as χ² = 0 removes the consensus term "
        "that Theorem 4.2 has. The corollary names no rates. Read with Theorem 4.2's «there exist», for the horizon, "
        "it is true but says nothing: at ηKLT <= 1/2 the first term alone is at least 2LF* >= ‖∇f(x⁰)‖², whatever "
        "the weights. The proof uses Assumption A.1, which the corollary does not name; its γ is infinite at such "
        "points. With it, steps small against γ, convex clients and weights fixed in advance the bound holds, with "
        "constants that depend on γ, c, χ̃ and 1/(ηKL)."
    ),
)

CLAIMS: tuple[Claim, ...] = (T41, T42, C41)

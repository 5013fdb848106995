"""Sec. 4.2: Theorems 4.1 and 4.2, Corollary 4.1, the property they rest on, and what is read off them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedaware.line_runs import line_runs
from paper_checks.fedaware.notation import NOTATION
from paper_checks.fedaware.proof_of_theorem_42 import EXPLICIT, SHORT
from paper_checks.fedaware.runs import fedavg, one_run, runs
from paper_checks.fedaware.slope_runs import chosen_slopes, slope_runs
from theory.exact import dot, matvec, quadratic_optimum
from theory.quantities import chi_square, pseudo_gradient
from theory.worlds.hull import SHORTEST, nearest, reflected, shortest, squares, turned
from validation import (
    Case,
    Choice,
    Claim,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    split_client,
    units,
)
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily
from validation.statement.says import all_of, le, lt
from validation.world.stated import but, stated
from validation.world.world import World, case, numbers

__all__ = ["CLAIMS"]

F, F_star, T, K, eta, eta_l, L, c, gamma, sigma2, sg2 = NOTATION.symbols("F F_star T K eta eta_l L c gamma sigma2 sg2")
chi, chi_rho, low, mean_square, rho_full, first, rate = NOTATION.symbols(
    "chi chi_rho low mean_square rho_full first rate"
)
least_avg, least_fast, least_aware, least_w, end_avg, end_aware = NOTATION.symbols(
    "least_avg least_fast least_aware least_w end_avg end_aware"
)
rest, Psi, share, alpha, less, sum_rho, rho_best, outside2 = NOTATION.symbols(
    "rest Psi share alpha less sum_rho rho_best outside2"
)
own2, applied2, chi_other, chi_middle, apart_lam2, W, infinite = NOTATION.symbols(
    "own2 applied2 chi_other chi_middle apart_lam2 W infinite"
)
newest, slope2, sigma_g2, sigma_l2 = NOTATION.symbols("newest slope2 sigma_g2 sigma_l2")
Checked = tuple[Mapping[str, bool], Mapping[str, Any]]


def fixed_point(T: Any, eta_g: Any, K: Any) -> tuple[Any, Any]:
    """Two clients of curvature 1 and 1/2, FedAvg from its own fixed point: (best squared gradient, F*/(eta K T))."""
    h, m, half = (Fraction(1), Fraction(1, 2)), (Fraction(0), Fraction(1)), Fraction(1, 2)
    eta_l = 1 / (8 * K)
    part = [1 - (1 - eta_l * y) ** int(K) for y in h]
    x = sum(p * y for p, y in zip(part, m, strict=True)) / sum(part)
    for _ in range(3):
        G = sum(half * p * (x - y) for p, y in zip(part, m, strict=True))
        x = x - eta_g * G
    slope = sum(half * a * (x - y) for a, y in zip(h, m, strict=True))
    best = sum(a * y for a, y in zip(h, m, strict=True)) / sum(h)
    gap = sum(half * a * (x - best) ** 2 / 2 for a in h)
    return slope * slope, gap / (eta_l * eta_g * K * T)


def other_weights(T: Any, eta_g: Any, K: Any) -> tuple[Any, Any]:
    """Two clients (x - m)^2/2, weights 1/4 and 3/4 against equal shares, from the point where the updates cancel."""
    eta_l = 1 / (8 * K)
    part = 1 - (1 - eta_l) ** int(K)
    x = Fraction(3, 4)
    for _ in range(3):
        x = x - eta_g * (Fraction(1, 4) * part * x + Fraction(3, 4) * part * (x - 1))
    slope = Fraction(1, 2) * x + Fraction(1, 2) * (x - 1)
    return slope * slope, slope * slope / 2 / (eta_l * eta_g * K * T)


def biased(T: Any, K: Any) -> tuple[Any, Any]:
    """The first pair of clients at FedAvg's fixed point, eta_g = 1/3: the gradient, and (4) with K for K^2 at sigma_g^2."""
    h, m, half = (Fraction(1), Fraction(1, 2)), (Fraction(0), Fraction(1)), Fraction(1, 2)
    eta_l = 1 / (8 * K)
    part = [1 - (1 - eta_l * y) ** int(K) for y in h]
    x = sum(p * y for p, y in zip(part, m, strict=True)) / sum(part)
    slopes = [a * (x - y) for a, y in zip(h, m, strict=True)]
    slope = half * sum(slopes)
    best = sum(a * y for a, y in zip(h, m, strict=True)) / sum(h)
    gap = sum(half * a * (x - best) ** 2 / 2 for a in h)
    spread = sum(half * (y - slope) ** 2 for y in slopes)
    return slope * slope, gap / (eta_l / 3 * K * T) + eta_l**2 * K * spread


_BIASED = OrderFamily(
    "FedAvg from its fixed point, ever more local steps",
    biased,
    {"K": n, "T": n**2},
    form=n / 128,
    because="∇f there grows with K from its value at K = 4; the claimed side is 16‖∇f‖²/n² + σ_g²/(64n), σ_g² < 9/80",
)
_FIXED = {"eta_g": (1, Fraction(1, 3), 10), "K": (2, 5)}
_STUCK = Order(
    "upper",
    (OrderFamily("FedAvg from its fixed point", fixed_point, {"T": "n"}, _FIXED, degree=1),),
    may_depend_on=("eta_g", "K"),
)
_CANCEL = OrderFamily(
    "constant other weights, from where they cancel", other_weights, {"T": "n"}, {**_FIXED, "K": (1, 5)}, degree=1
)
_MOVED = Order("upper", (_CANCEL,), may_depend_on=("eta_g", "K"))

_FROM_START = F_star / (eta * K * T)
_START = sp.Rational(21, 10) * _FROM_START
_DRIFT = sp.Rational(5, 3) * L**2 * eta_l**2 * K
_NOISE = sp.Rational(11, 10) * L * eta * sigma2 + _DRIFT * sigma2
_SPREAD = _DRIFT * K * sg2
_START_42, _NOISE_42 = sp.Rational(9, 8) * _FROM_START, sp.Rational(9, 16) * L * eta * sigma2
# The smallest squared gradient is at most the first, and that at most 2L times the first gap.
_FIRST = 2 * L * F_star
_MEAN = "the mean squared gradient of a run that diverges is as large as one likes, whatever its first gap"
_24 = Fraction(1, 24)
_MINIMISED = lt(0, F_star)

T41 = stated(
    r"""FA-T4.1 (theorem; Theorem 4.1, eq. (4), Sec. 4.1 (quoted from Jhunjhunwala et al. 2022)): Classical convergence of FedAvg
    Print: \min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O\big(\eta\sigma_l^2+
      \eta_l^2K\sigma_l^2\big)+\mathcal O\big(\eta_l^2K^2\sigma_g^2\big)
    Plainly: FedAvg's best squared gradient falls like 1/(ηKT) down to a floor set by noise and by dissimilarity.
    Assumes: A4.1 along the run, A4.2, A4.3; full participation | η_l <= 1/(8LK), η = η_lη_g <= 1/(24LK) | hidden
      constants may depend on L, which the units require
    Reading: hidden constants 21/10, 11L/10, 5L²/3, 5L²/3 | Small ones that a proof gives; σ_g² the largest mean
      dissimilarity in any round of the run.
    Mutant: starting term dropped | one client without noise: the right side is 0
    Mutant: noise and dissimilarity dropped | with noise the gradient does not tend to 0 under a constant step
    Mutant: dissimilarity dropped | FedAvg's fixed point is not where ∇f = 0, and without noise nothing else stays
    Mutant: K in place of K² at the dissimilarity, whatever the constants | at η_l = 1/(8LK) the bias of unlike clients
      at FedAvg's fixed point does not fall with K
    Tight: not with these constants
    Rests on: FA-A4.1, FA-A4.2, FA-A4.3
    Verdict: Quoted, and without a proof here. The classical one (smoothness, the drift of Lemma A.1 averaged over
      clients, ηKL <= 1/24) gives the statement; with the drift summed step by step, its constants are no more than
      21/10, 11L/10, 5L²/3 and 5L²/3. The search over quadratic clients of either curvature, with
      and without noise, up to 300 clients, 300 local steps and 200 rounds, and down a loss that is straight far from
      its minimum, found no violation. A run down a straight slope and one among noise come to more than 2/5 of the right
      side; of the dissimilarity no run of quadratic clients needs more than a small part.""",
    says=le(
        low,
        _START + _NOISE + _SPREAD,
        again=lambda F_star, T, K, eta, eta_l, L, sigma2, sg2: (
            (21 * F_star / (T * K * eta) + 11 * L * eta * sigma2) / 10
            + 5 * K * (eta_l * L) ** 2 * (sigma2 + sg2 * K) / 3
        ),
        trivial=_FIRST,
    ),
    world=fedavg(
        runs("convex, noise", longest=_24),
        runs("either sign, no noise", convex=False, noisy=False, longest=_24),
        runs("either sign, noise", convex=False, longest=_24),
        one_run(1, 1, 1, 200, longest=_24),
        one_run(3, 1, 5, 200, longest=_24),
        slope_runs(_24),
    ).where(_MINIMISED),
    mutants={
        "starting term dropped": le(low, _NOISE + _SPREAD),
        "noise and dissimilarity dropped": but(
            le(low, _START),
            world=fedavg(*(one_run(2, 1, 1, t, server=(1.0, 1e2), longest=_24) for t in (50, 200))).where(_MINIMISED),
        ),
        "dissimilarity dropped": but(
            le(low, _START + _NOISE),
            world=fedavg(*(one_run(2, 1, k, 200, noisy=False, longest=_24) for k in (2, 5))).where(_MINIMISED),
        ),
        "K in place of K² at the dissimilarity, whatever the constants": Order("upper", (_BIASED,), uniform_in=("K",)),
    },
)

_GIVEN = le(mean_square, EXPLICIT.right, trivial=_MEAN)

T42 = stated(
    r"""FA-T4.2 (theorem; Theorem 4.2, Sec. 4.2): FedAvg under client consensus dynamics
    Print: \min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O\big(\eta\sigma_l^2+
      \eta_l^2K\sigma_l^2\big)+\mathcal O(\eta\Psi),\quad\Psi=\frac1T\sum_{t=0}^{T-1}\frac{\rho^t(\lambda)}{\eta_l^2K}
    Plainly: For some static rates FedAvg's best squared gradient is bounded by start, noise and client consensus only.
    Assumes: A4.2, A4.3 and Property 4.1 | no dissimilarity bound and no Assumption A.1 in the statement
    Open (twice) rates: on what the rates may depend. The theorem: «there exists static FedAvg learning rates», of the
      instance and T perhaps; its proof: any rates with 1/(√cKL) <= η_l («Letting») and η_l <= 1/(8LK), of L and K
      alone, static for all T
    Reading: rates chosen for the instance and the horizon | «There exists»: η = 1/(24LK) and η_l as small as the
      instance and T ask; hidden constants 9/8 and 9L/16, with neither η_l²Kσ_l² nor Ψ. | option rates = there exist,
      chosen for instance and horizon
    Reading: any rates of the proof's window | Static rates with η_l = 1/(8LK), hence c = 64; constants depend on L, K,
      η_g only; ρ = 0 in every round. | option rates = those of the proof's window, for all T
    Reading: any rates with ηKL <= 2, with Assumption A.1, smooth clients | The explicit form (10), whose constants
      depend on γ and c; ρ given xᵗ; no convexity. | option rates = those of the proof's window, for all T | condition:
      Assumption A.1 | condition: ηKL <= 2
    Reading: any rates, with Assumption A.1, convex clients | The explicit form (10), whose constants depend on γ and c;
      ρ given xᵗ. | option rates = those of the proof's window, for all T | condition: Assumption A.1 | condition:
      convex clients
    Mutant: starting term dropped as well | at small noise and few rounds the gradient is still about where it started
    Mutant: half of the starting term | down a straight slope the gradient stays while f falls by ηK‖∇f‖² a round
    Mutant: half of the noise term | among noise a client of curvature L settles at 24Lησ_l²/47
    Mutant: other weights in the aggregation than in the objective | with other aggregation weights the model stops
      where ∇f is not 0, and F*/(ηKT) tends to 0
    Rests on: FA-E10, FA-PR4.1, FA-T4.1, FA-AA.1, FA-A4.2, FA-A4.3
    Verdict: It depends on «there exists»: with rates chosen for the instance and the horizon the theorem holds, but for
      the rates of its own proof, kept for all T, it is false without Assumption A.1. The chosen rates say little: η_l
      can be made so small that dissimilarity does not matter, which the classical theorem gives as well (or trivially,
      with ηKLT <= 1/2, as in FA-C4.1). Judged with constants that leave little room: 9/8 and 9L/16 will do for convex
      quadratic clients, and as η_l goes to 0, where FedAvg becomes gradient descent with noise, the descent lemma gives
      48/47 and 24L/47 for any smooth ones. Down a straight slope the left side comes to F*/(ηKT) as T grows, among
      noise to 24Lησ_l²/47; in 200 rounds, to 0.85 of the right side. For any rates of L and K alone, the proof's among
      them, start at the fixed point of FedAvg with two unlike clients and K >= 2: every ρᵗ is 0, so Property 4.1 holds,
      F*/(ηKT) tends to 0, and ∇f never changes. Assumption A.1, which only the proof prints («a mild assumption»),
      excludes that point, where γ is infinite. With it the explicit form (10) holds for smooth clients at ηKL <= 2, and
      held for convex ones at any server step tried.""",
    says=le(
        low,
        _START_42 + _NOISE_42,
        again=lambda F_star, T, K, eta, L, sigma2: 9 * (2 * F_star / (T * K * eta) + eta * L * sigma2) / 16,
        trivial=_FIRST,
    ),
    world=fedavg(
        runs("convex, noise", by="horizon"),
        one_run(1, 1, 1, 200, by="horizon"),
        one_run(3, 1, 5, 200, by="horizon"),
        chosen_slopes(),
    ),
    readings={
        "any rates of the proof's window": _STUCK,
        "any rates with ηKL <= 2, with Assumption A.1, smooth clients": but(_GIVEN, world=SHORT),
        "any rates, with Assumption A.1, convex clients": but(
            _GIVEN, world=fedavg(runs("convex, noise"), runs("convex, no noise", noisy=False))
        ),
    },
    mutants={
        "starting term dropped as well": le(low, _NOISE_42),
        "half of the starting term": le(low, _START_42 / 2 + _NOISE_42),
        "half of the noise term": le(low, _START_42 + _NOISE_42 / 2),
        "other weights in the aggregation than in the objective": _MOVED,
    },
)

# Of (4) with ηKLT <= 1/2 the starting term alone is left, F*/(ηKT) = LF*/(ηKLT): it is at least 2LF*.
_SHORT = eta * K * L * T
_HORIZON = Space((LogScale("short", 1e-9, 0.5), LogScale("L", 1e-3, 1e3), LogScale("F_star", 1e-6, 1e6)))
short = NOTATION.symbols("short")
_TINY = (
    World(NOTATION, (runs("convex, noise, ηKLT <= 1/2", rows=2, horizon=Fraction(1, 2)),), grid=_HORIZON)
    .where(_MINIMISED)
    .defining({short: _SHORT})
)
_GAIN = 2 * F / (eta * K * T) + 4 * c * eta_l**2 * L**2 * K * sigma2
_BUDGET = le(4 * gamma * (eta_l * L * K) ** 2 + eta * K * L, 1)
_HALF = Fraction(1, 2)

C41 = stated(
    r"""FA-C4.1 (theorem; Corollary 4.1, Sec. 4.2): FedAvg with other aggregation weights
    Print: \min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O\big(\eta\sigma_l^2+
      \eta_l^2K\sigma_l^2\big)+\mathcal O(\eta\tilde\Psi),\quad\tilde\Psi=\frac1T\sum_{t=0}^{T-1}\chi^2_{\lambda\|
      \tilde\lambda}\cdot\frac{\rho^t(\tilde\lambda)}{\eta_l^2K}
    Plainly: With other aggregation weights the bound has χ² times the applied client consensus as its last term.
    Assumes: λ static, λ̃ any weights on the simplex | neither assumptions nor rates are named in the statement
    Open (nowhere) rates: the corollary names no rates («can be upper bounded by»); Theorem 4.2, to which it is
      compared, has «there exists static FedAvg learning rates»
    Reading: constant other weights | η_l = 1/(8LK); the run starts where the applied updates cancel, so ρ(λ̃) = 0 in
      every round. | option rates = any, as none are named | because: the very case of the corollary: the weights of the
      objective and the applied ones «are not identical»
    Reading: the objective's own weights | λ̃ = λ, so χ² = 0: FedAvg itself from its fixed point, K >= 2. | option rates
      = any, as none are named | cut weights = λ̃ = λ
    Reading: rates chosen for the horizon | «There exist», carried over from Theorem 4.2: ηKLT <= 1/2, hidden constant
      1, any weights, changing as they may. | option rates = chosen for the horizon | because: ηKLT <= 1/2: above the
      trivial bound on the whole grid, whatever the weights
    Reading: with Assumption A.1 and steps small against γ | 4γ(η_lLK)² + ηKL <= 1, λ̃ fixed in advance (it may change
      every round), convex clients; the hidden constants are then 2, 4cL² + 2γχ̃/(ηKL)·L and 2γ/(ηK), with f(x⁰) − E
      f(x^T) for F*; so they depend on η, K and χ̃. | condition: Assumption A.1 | condition: 4γ(η_lLK)² + ηKL <= 1 |
      condition: convex clients | condition: weights fixed before the round's samples | because: the paper is about
      non-convex networks (Sec. 4.1, 4.2), and its own weights see the round: no named setting has all four
    Mutant: rates chosen for the horizon, half of the first term | one client, T = 1 and ηKL = 1/2: the first term is
      2LF*, which is ‖∇f(x⁰)‖²
    Mutant: last term dropped under the repaired reading | a model that moves away from the optimum of f, towards that
      of the other weights, makes the right side negative
    Rests on: FA-E13, FA-T4.2, FA-PR4.1, FA-AA.1, FA-A4.2, FA-A4.3
    Verdict: For given rates it is false: constant other weights lead FedAvg to the minimiser of another objective, and
      there the right side tends to 0 while ∇f stays what it is. In that witness K = 1, the curvatures are equal, there
      is no noise, and every ρᵗ(λ̃) is 0. With λ̃ = λ it is false too, as χ² = 0 removes the consensus term that Theorem
      4.2 has. The corollary names no rates. Read with Theorem 4.2's «there exist», for the horizon, it is true but says
      nothing: at ηKLT <= 1/2 the first term alone is at least 2LF* >= ‖∇f(x⁰)‖², whatever the weights. The proof uses
      Assumption A.1, which the corollary does not name; its γ is infinite at such points. With it, steps small against
      γ, convex clients and weights fixed in advance the bound holds, with constants that depend on γ, c, χ̃ and
      1/(ηKL).""",
    says=_MOVED,
    readings={
        "the objective's own weights": _STUCK,
        "rates chosen for the horizon": but(
            le(low, L * F_star / short, again=lambda F_star, L, short: F_star / (short / L), trivial=_FIRST),
            world=_TINY,
        ),
        "with Assumption A.1 and steps small against γ": but(
            le(
                mean_square,
                _GAIN + 2 * gamma * chi * sigma2 / K + 2 * gamma * chi_rho / (eta_l**2 * K**2),
                again=lambda F, T, K, eta, eta_l, L, c, gamma, sigma2, chi, chi_rho: (
                    2 * F / (eta * K * T)
                    + sigma2 / K * (4 * c * (eta_l * L * K) ** 2 + 2 * gamma * chi)
                    + chi_rho * 2 * gamma / (eta_l * K) ** 2
                ),
                trivial=_MEAN,
            ),
            world=fedavg(runs("convex, noise", rows=2, longest=_HALF)).where(_BUDGET),
        ),
    },
    mutants={
        "rates chosen for the horizon, half of the first term": but(
            le(low, F_star / (2 * eta * K * T)), world=fedavg(one_run(1, 1, 1, 1, longest=_HALF)).where(_MINIMISED)
        ),
        "last term dropped under the repaired reading": but(
            le(mean_square, _GAIN),
            world=fedavg(*(one_run(2, 1, 1, t, rows=1, noisy=False, longest=_HALF) for t in (1, 5))).where(_BUDGET),
        ),
    },
)


def consensus_given(T: Any, eta_g: Any) -> tuple[Any, Any]:
    """One client x^2/2 at its optimum, K = 1, noise of variance 1: (mean of E(E[G|x])^2 over T rounds, 0)."""
    eta_l = Fraction(1, 8)
    r = (1 - eta_g * eta_l) ** 2
    level = (eta_g * eta_l) ** 2 / (1 - r)
    return eta_l**2 * level * (1 - (1 - r ** int(T)) / (T * (1 - r))), Fraction(0)


def consensus_mean(T: Any, eta_g: Any, K: Any) -> tuple[Any, Any]:
    """The same client started at 1, K local steps, any noise: (mean of (E G)^2 over T rounds, 1/T)."""
    part = 1 - (1 - 1 / (8 * K)) ** int(K)
    r = (1 - eta_g * part) ** 2
    return part**2 * (1 - r ** int(T)) / (T * (1 - r)), 1 / T


def consensus_unstable(T: Any) -> tuple[Any, Any]:
    """The same with eta L = 2, where the mean changes sign and nothing else: (mean of (E G)^2, 0)."""
    x, total = Fraction(1), Fraction(0)
    for _ in range(int(T)):
        total += (x / 8) ** 2
        x = x - 16 * x / 8
    return total / T, Fraction(0)


_GROWS = tuple(
    OrderFamily(
        f"one noisy client, server step {g}",
        consensus_given,
        {"T": "n"},
        {"eta_g": (g,)},
        form=consensus_given(Fraction(4), g)[0],
        because="the variance of x^t grows with t, so its mean over T rounds grows with T; the grid starts at T = 4",
    )
    for g in (Fraction(1), Fraction(8))
)
_ONE = OrderFamily(
    "one client, any noise", consensus_mean, {"T": "n"}, {"eta_g": (Fraction(1, 4), 1, 10), "K": (1, 2, 5)}
)
_DECAYS = fedavg(runs("strongly convex clients, noise", longest=Fraction(1)))

PR41 = stated(
    r"""FA-PR4.1 (definition; Property 4.1, Sec. 4.2): Client consensus dynamics decay
    Print: \rho^t(\lambda)\triangleq\|\mathbb E[G^t]\|^2=\Big\|\mathbb E\Big[\sum_i\lambda_ig_i^t\Big]\Big\|^2,
      \qquad\frac1T\sum_{t=1}^T\rho^t(\lambda)\le\mathcal O(T^{-c})\ \text{ and } c>0
    Plainly: The mean squared norm of the expected pseudo-gradient decays like a negative power of the number of rounds.
    Assumes: static rates, full participation | E either over the whole run or given xᵗ; the paper does not say
    Open (nowhere) E: E in ρᵗ(λ) = ‖E[Gᵗ]‖² is printed without what it averages: over the whole run, or, as A.2 takes it
      («full expectation over randomness at time step t», «variance … with respect to random noise in stochastic local
      updates»), over the round's noise given xᵗ
    Reading: over the whole run, one client, any server step short of 2/L | E over everything random: the mean of the
      model contracts; claimed with c = 1. | option E = over the whole run | cut server_step = up to 2/L | cut clients =
      one
    Reading: over the whole run, any strongly convex clients | Quadratics with noise, ηKL <= 1: the mean is at most
      ρ⁰/((1 − q²)T), q the slowest contraction of a round. | option E = over the whole run
    Reading: given the model of the round | E over the round's noise given xᵗ, then averaged over runs: does it tend to
      0 at all? | option E = given the model of the round | because: averaged over runs, which can only help: a bound of
      every run would hold on average too
    Mutant: a server step of 2/L | the model jumps between x and −x, and ρ keeps its value
    Mutant: no more than the first round's share | the second round adds to the first
    Rests on: FA-VAR
    Verdict: With E over the whole run, which the displayed definition suggests, the property holds for strongly convex
      clients and rates that do not diverge: the mean of the model contracts and the average is O(1/T). With E given xᵗ,
      which the proof of Theorem 4.2 needs for its variance bound, noise keeps the model away from rest and the average
      tends to a positive level, so it decays like no power of T. The two steps of the proof use different readings.""",
    says=Order("upper", (_ONE,), may_depend_on=("eta_g", "K")),
    readings={
        "over the whole run, any strongly convex clients": but(
            le(rho_full, first / (rate * T), again=lambda first, rate, T: first / rate / T), world=_DECAYS
        ),
        "given the model of the round": Order("limit", _GROWS, may_depend_on=("eta_g",)),
    },
    mutants={
        "a server step of 2/L": Order(
            "limit", (OrderFamily("one client, ηL = 2", consensus_unstable, {"T": "n"}, degree=1),)
        ),
        "no more than the first round's share": but(le(rho_full, first / T), world=_DECAYS),
    },
)


def divergence(x: Instance, *, empty: bool = False) -> Mapping[str, Any]:
    """χ² of two pairs of weights and of their mean; `empty`: λ may be 0, and `infinite` is 1 where χ² then has no value."""
    lam, tilde = x["weights"], x["applied"]
    if empty:
        return {"infinite": np.any((lam == 0) & (tilde > 0), axis=1).astype(float)}
    chi, other = chi_square(tilde, lam), chi_square(x["other_applied"], x["other"])
    found = {"chi": chi, "chi_other": other, "apart_lam2": squares(lam - tilde), "W": (tilde**2 / lam).sum(axis=1)}
    found["chi_middle"] = chi_square((tilde + x["other_applied"]) / 2, (lam + x["other"]) / 2)
    return {**found, "magnitude": 1 + chi + other}


def divergence_exact(x: Mapping[str, Any], *, empty: bool = False) -> Checked:
    """chi^2 of two pairs of weights and of their mean; a weight lambda_i = 0 with lambda~_i > 0 leaves it without a value."""
    lam, tilde = x["weights"], x["applied"]
    pairs = ((lam, tilde),) if empty else ((lam, tilde), (x["other"], x["other_applied"]))
    met = {"on the simplex": all(sum(w) == 1 and min(w) >= 0 for pair in pairs for w in pair)}
    if empty:
        return met, {"infinite": Fraction(int(any(a == 0 < b for a, b in zip(lam, tilde, strict=True))))}
    met["lambda > 0"] = min(min(w) for w, _ in pairs) > 0
    mean = tuple([(a + b) / 2 for a, b in zip(u, v, strict=True)] for u, v in zip(*pairs, strict=True))
    one, two, middle = (sum((a - b) ** 2 / a for a, b in zip(u, v, strict=True)) for u, v in (*pairs, mean))
    found = {"chi": one, "chi_other": two, "chi_middle": middle}
    found["apart_lam2"] = sum((a - b) ** 2 for a, b in zip(lam, tilde, strict=True))
    return met, {**found, "W": sum(b * b / a for a, b in zip(lam, tilde, strict=True))}


def _divergence(*, empty: bool = False) -> World:
    def at(N: float) -> Case:
        size = int(N)
        pair = () if empty else (Simplex("other", size, interior=True), Simplex("other_applied", size))
        space = Space((Simplex("weights", size, interior=not empty), Simplex("applied", size), *pair))
        every = {c.name: 0 for c in space.coordinates}
        same, cost = (permuted_clients(every), split_client(every, tuple(every))), max(1.0, size / 75)
        return case(f"{size} clients", space, divergence, divergence_exact, cost=cost, symmetries=same, empty=empty)

    return World(NOTATION, (Family("weights", (Size("N", 1, 300, 3),), at),))


_CONVEX = chi_middle - (chi + chi_other) / 2

CHI = stated(
    r"""FA-CHI (definition; Corollary 4.1, §4.2): χ² divergence of the weights
    Print: \chi^2_{\lambda\|\tilde\lambda}=\sum_i\frac{(\lambda_i-\tilde\lambda_i)^2}{\lambda_i}
    Plainly: The χ² divergence measures how far the applied weights are from those of the objective.
    Assumes: λ and λ̃ on the simplex | λᵢ >= 0, as §2 prints
    Reading: finite on the whole simplex | A client may have λᵢ = 0, as §2 allows. | cut shares = zero, which «λᵢ >= 0»
      of Sec. 2 allows | met by: equal shares: Ĝ of A.2 has 1/N, and Sec. 4.2 speaks of «uniform weights»
    Reading: λᵢ > 0 | Non-negative, 0 for λ̃ = λ only, jointly convex, equal to Σλ̃ᵢ²/λᵢ − 1.
    Mutant: linear along the mean | χ² is strictly convex in λ̃
    Tight: λ̃ = λ
    Verdict: For λᵢ > 0 it is what it should be. The problem of §2 allows λᵢ = 0; there the display divides by 0, or is
      infinite by the usual convention as soon as λ̃ᵢ > 0, and Corollary 4.1 is then empty. Min-norm weights are
      computed over all clients and may well give such a client weight.""",
    says=le(infinite, 0),
    world=_divergence(empty=True),
    readings={
        "λᵢ > 0": but(
            all_of(le(-chi, 0), le(apart_lam2, chi), le(abs(W - 1 - chi), 0), le(_CONVEX, 0)), world=_divergence()
        )
    },
    mutants={"linear along the mean": but(le(abs(_CONVEX), 0), world=_divergence())},
)


def inserted(eta_l: Fraction, eta_g: Fraction, T: Fraction, K: Fraction, local: Fraction) -> tuple[Fraction, Fraction]:
    """eta Psi with rho <= K eta_l^2 (local + 6 K) put in, and the right side of (4), with F* = sigma_g^2 = L = 1."""
    eta = eta_l * eta_g
    return eta * (local + 6 * K), 1 / (eta * K * T) + eta * local + eta_l**2 * K * local + (eta_l * K) ** 2


def slow_server(eta_l: Fraction, T: Fraction, K: Fraction, local: Fraction) -> tuple[Fraction, Fraction]:
    """The same with eta_g = eta_l K."""
    return inserted(eta_l, eta_l * K, T, K, local)


def _term_by_term(*families: OrderFamily, free: tuple[str, ...]) -> Order:
    return Order("upper", families, variable="eta_l", may_depend_on=free, uniform_in=("T",))


_SIZES = {"K": (Fraction(1), Fraction(10)), "local": (Fraction(0), Fraction(1))}
_PATH = {"eta_l": 1 / (240 * n), "T": 10**6 * n**4}
_INSERTED = OrderFamily(
    "η_g = 1, η_l → 0",
    inserted,
    _PATH,
    {**_SIZES, "eta_g": (Fraction(1),), "local": (Fraction(0),)},
    form=n,
    because="left is K/(40n), right 0.00024/(Kn³) + K²/(57600n²): at least 60n for K of 1 and 10",
)
_SLOW = OrderFamily("η_g = η_lK, η_l → 0", slow_server, _PATH, _SIZES, uses=(inserted,))


def identical(x: Instance) -> Mapping[str, Any]:
    """‖g‖² of K exact steps on hx²/2 from x, for identical clients without noise: both variances are 0."""
    h, at, K = x["curvature"], x["point"], x["local_steps"]
    eta = x["step"] / (8 * h * K)
    zero = np.zeros_like(at)
    found = {"newest": ((1 - (1 - eta * h) ** K) * at) ** 2, "K": K, "eta_l": eta, "slope2": (h * at) ** 2}
    return {**found, "sigma_l2": zero, "sigma_g2": zero}


def identical_exact(x: Mapping[str, Any]) -> Checked:
    """Identical clients h x^2/2, no noise: both variances are 0."""
    h, at, K, zero = x["curvature"], x["point"], int(x["local_steps"]), Fraction(0)
    eta = x["step"] / (8 * h * K)
    here = at
    for _ in range(K):
        here = here - eta * h * here
    found = {"newest": (at - here) ** 2, "K": Fraction(K), "eta_l": eta, "slope2": (h * at) ** 2}
    return {"eta_l <= 1/(8 L K)": eta > 0 and 8 * eta * h * K <= 1}, {**found, "sigma_l2": zero, "sigma_g2": zero}


_ALIKE = Space(
    (
        LogScale("curvature", 1e-2, 1e2),
        LogScale("point", 1e-2, 1e2),
        LogScale("step", 1e-3, 1.0, at=(1.0,)),
        Choice("local_steps", (1.0, 2.0, 5.0, 50.0)),
    )
)
_IDENTICAL = World(NOTATION, (case("identical clients on the line", _ALIKE, identical, identical_exact),))
_QUOTED = K * eta_l**2 * (sigma_l2 + 6 * K * sigma_g2)

R1 = stated(
    r"""FA-R1 (remark; §4.2, «Revisiting FedAvg convergence»): Theorem 4.1 back from Ψ
    Print: g_i^t\le K\eta_l^2(\sigma_l^2+6K\sigma_g^2)\ \Rightarrow\ \eta\Psi=\mathcal O\Big(\frac{F^*}{\eta KT}+
      \eta\sigma_l^2+\eta_l^2K\sigma_l^2+\eta_l^2K^2\sigma_g^2\Big)
    Plainly: With the usual bound on local updates put into Ψ, Theorem 4.2 gives the same bound as Theorem 4.1.
    Assumes: the bound read for 𝔼‖gᵢ‖² | η = η_lη_g, η_l <= 1/(8LK), η <= 1/(24LK) | F*, L and σ_g² are set to 1
    Reading: the result, term by term | η·(σ_l² + 6Kσ_g²) against the right side of (4), any η_g. | part: «the same
      results as Theorem 4.1»
    Reading: the bound on the updates, as quoted | Identical clients without noise. | part: the quoted bound on the
      updates
    Reading: the result for η_g <= η_lK | The server's step as short as η_g = η_lK·L. | part: «the same results as
      Theorem 4.1» | condition: η_g <= η_lK
    Reading: the bound on the updates as in Lemma A.1 | With 6K‖∇f‖² and the factor 5. | part: the quoted bound on the
      updates | edit: 5Kη_l²(σ_l² + 6Kσ_g² + 6K‖∇f‖²) in place of Kη_l²(σ_l² + 6Kσ_g²) | forced by: Lemma A.1 of this
      paper, quoted from the same source | because: two things differ, the factor 5 and the term in ∇f
    Mutant: the gradient's term taken out of Lemma A.1 | identical clients move all the same
    Rests on: FA-T4.1, FA-T4.2, FA-LA1
    Verdict: Neither the quoted bound on the updates nor «the same results» holds. The quoted bound leaves out
      6K‖∇f(xᵗ)‖² and a factor 5, which Lemma A.1 of the same paper has: identical clients without noise move, and the
      quoted bound is 0. Put into Ψ it gives Ψ <= σ_l² + 6Kσ_g², so ηΨ contains 6ηKσ_g² where (4) has η_l²K²σ_g². That
      is larger by η_g/(η_lK), which is not bounded for small local steps: the bound so derived is weaker than Theorem
      4.1 in the very term of heterogeneity. The orders agree for η_g <= η_lK (with L = 1). The experiments have η_g = 1
      and, on CIFAR, η_lK of about 0.24.""",
    says=_term_by_term(_INSERTED, free=("K", "local", "eta_g")),
    world=_IDENTICAL,
    readings={
        "the bound on the updates, as quoted": le(newest, _QUOTED),
        "the result for η_g <= η_lK": _term_by_term(_SLOW, free=("K", "local")),
        "the bound on the updates as in Lemma A.1": le(
            newest, 5 * K * eta_l**2 * (sigma_l2 + 6 * K * sigma_g2 + 6 * K * slope2)
        ),
    },
    mutants={"the gradient's term taken out of Lemma A.1": le(newest, 5 * _QUOTED)},
)


def least_bound(Psi: Fraction, T: Fraction) -> tuple[Fraction, Fraction]:
    """min over eta of 1/(eta T) + eta Psi is 2 sqrt(Psi/T), here a lower bound from squares, and Psi/sqrt(T)."""
    low, high = Fraction(0), Fraction(4)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle <= 4 * Psi / T else (low, middle)
    root, top = Fraction(0), T
    for _ in range(200):
        middle = (root + top) / 2
        root, top = (middle, top) if middle * middle <= T else (root, middle)
    return low, Psi / root


def least_bound_over_T(T: Fraction) -> tuple[Fraction, Fraction]:
    """The same for Psi = 1 against 1/T."""
    return least_bound(Fraction(1), T)[0], 1 / T


def one_term(Psi: Fraction, T: Fraction) -> tuple[Fraction, Fraction]:
    """eta Psi at eta = 1/sqrt(T), rounded down, and Psi/sqrt(T) from its own root."""
    eta = least_bound(Fraction(1), T)[0] / 2
    return eta * Psi, least_bound(Psi, T)[1]


_FALLING, _KEPT = {"Psi": 1 / n**2, "T": n**2}, {"Psi": (Fraction(1), Fraction(4), Fraction(100))}
_ROOT = "2√(Ψ/T) over Ψ/√T is 2/√Ψ = 2n, up to the rounding of two roots"
_OVER_T = OrderFamily(
    "Ψ = 1",
    least_bound_over_T,
    {"T": n**2},
    uses=(least_bound,),
    form=n,
    because="2/√T over 1/T is 2√T = 2n, up to rounding",
)

R2 = stated(
    r"""FA-R2 (remark; §4.2, «Revisiting FedAvg convergence»): The rate Ψ/√T
    Print: \min_\eta\Big\{\frac{F^*}{\eta KT}+\eta\sigma_l^2+\eta\Psi\Big\}=\mathcal O\Big(\frac\Psi{\sqrt T}\Big)
    Plainly: With the best learning rate the bound of Theorem 4.2 is of order Ψ/√T.
    Assumes: F* = K = L = 1 and σ_l = 0, the case most favourable to the claim | Ψ depends on T, as Property 4.1 says
    Reading: Ψ falling with T, as Property 4.1 has it | Ψ = 1/T: the best η gives 2√(Ψ/T). | because: Property 4.1 is a
      hypothesis of the theorem spoken of, and «if … Ψ is small» is the case that the passage is about
    Reading: only the term in Ψ | η = 1/√T, and the term ηΨ alone: «dominated» by it. | ours: one term of the bound, at
      a rate that is not optimised: the print speaks of the bound, at an optimised rate
    Reading: Ψ bounded away from 0 | Fixed Ψ >= 1. | condition: Ψ >= 1 | because: Property 4.1 excludes it for long runs
    Mutant: Ψ/T | for Ψ = 1 the best η gives 2/√T
    Rests on: FA-T4.2, FA-LA2, FA-PR4.1
    Verdict: The rate is the root of Ψ, not Ψ: at its best η the bound is 2√(F*LΨ/(KT)), so Ψ/√T is too small by 1/√Ψ
      when Ψ falls. Ψ → 0 is what Property 4.1 promises, and a small Ψ is the case that the passage is about. Noise
      makes it worse: no Ψ covers its term √(σ_l²/T). For Ψ above a constant Ψ/√T is merely weaker than the true rate.
      The single term ηΨ is Ψ/√T at η = 1/√T. But that is one term of the bound at a rate which is not optimised, a
      statement of ours; beside it F*/√T remains and does not fall with Ψ.""",
    says=Order("upper", (OrderFamily("Ψ = 1/T", least_bound, _FALLING, form=n, because=_ROOT),), uniform_in=("Psi",)),
    readings={
        "only the term in Ψ": Order(
            "upper", (OrderFamily("Ψ = 1/T", one_term, _FALLING, uses=(least_bound,)),), uniform_in=("Psi",)
        ),
        "Ψ bounded away from 0": Order(
            "upper", (OrderFamily("fixed Ψ", least_bound, {"T": n**2}, _KEPT),), uniform_in=("Psi",)
        ),
    },
    mutants={"Ψ/T": Order("upper", (_OVER_T,))},
)

_BOUNDS = numbers(
    NOTATION,
    "Ψ̃ in units of Ψ",
    *(LogScale(name, 1e-3, 1e3) for name in ("rest", "eta", "Psi")),
    Uniform("share", 0.0, 1.0),
)
_TO_F = le(least_w, least_avg)

R3 = stated(
    r"""FA-R3 (remark; §4.2, after Corollary 4.1): Lower consensus dynamics, faster convergence
    Print: \tilde\Psi<\Psi\ \Rightarrow\ \min_{t\le T}\|\nabla f(x^t(\tilde\lambda))\|^2\le\min_{t\le T}\|\nabla f(x^t(
      \lambda))\|^2
    Plainly: Weights that induce lower client consensus dynamics accelerate the convergence.
    Assumes: strongly convex quadratic clients, no noise, η_l <= 1/(8LK), η <= 1/(24LK) | fixed weights λ̃ against the
      objective's λ, same start and steps
    Open (nowhere) convergence: «the above corollary indicates that … accelerates the FL convergence»: of the runs, or
      of the bounds that are compared, is not said
    Open (twice) dynamics: «lower client consensus dynamics Ψ̃», with χ² as in the corollary; next sentence: «i.e.,
      minimize the norm of the applied pseudo-gradient», without χ²
    Reading: the run, by Ψ̃ of Corollary 4.1 | Ψ̃(λ̃) < Ψ(λ), with the factor χ². | option convergence = of the runs |
      option dynamics = Ψ̃ with χ²
    Reading: the run, by the norm applied | The mean of ρᵗ(λ̃) is below that of ρᵗ(λ). | option convergence = of the
      runs | option dynamics = the norm applied
    Reading: the bound | The right side of Corollary 4.1 is smaller than that of Theorem 4.2. | option convergence = of
      the bounds | option dynamics = Ψ̃ with χ²
    Mutant: the bound, whatever Ψ̃ | a larger Ψ̃ makes the right side larger
    Rests on: FA-T4.2, FA-C4.1
    Verdict: For the bounds it is true, for runs it is not; which of the two «accelerates the FL convergence» speaks of
      is not printed. The right side of Corollary 4.1 increases in Ψ̃, which is all that the comparison of bounds says.
      For runs both measures of the passage fail, Ψ̃ and the norm applied. ρ is the square of the step taken, so a small
      ρ means small steps. Weights that sit on one client let the model settle at that client's minimum, where ρ
      vanishes and ∇f does not. Close to λ the factor χ² makes Ψ̃ as small as one likes without any change of speed; at
      λ̃ = λ it is 0 whatever the run does.""",
    says=_TO_F,
    world=line_runs("Ψ"),
    readings={
        "the run, by the norm applied": line_runs("norm"),
        "the bound": but(le(rest + eta * share * Psi, rest + eta * Psi), world=_BOUNDS),
    },
    mutants={"the bound, whatever Ψ̃": but(le(rest + eta * 2 * share * Psi, rest + eta * Psi), world=_BOUNDS)},
)


def first_bounds(x: Instance) -> Mapping[str, Any]:
    """χ², ρ(λ̃) and ρ(λ) of updates of one sign on a line, so all weight is on the shortest, alone so; equal shares λ."""
    g = x["m"]
    lam, low = np.full(g.shape, 1.0 / g.shape[1]), np.sort(g, axis=1)
    found = {"applied2": low[:, 0] ** 2, "own2": pseudo_gradient(g[..., None], lam)[:, 0] ** 2}
    found["chi"] = chi_square((g == low[:, :1]).astype(float), lam)
    sizes = dict.fromkeys(("applied2", "own2"), low[:, -1] ** 2)
    return {**found, "sizes": sizes, "admissible": low[:, 1] > low[:, 0] * (1 + 1e-9)}


def first_bounds_exact(x: Mapping[str, Any]) -> Checked:
    """Positive updates of which one alone is the shortest: the weights of smallest norm are unique."""
    g = x["m"]
    lam, short = [Fraction(1, len(g)) for _ in g], min(g)
    applied = [Fraction(int(v == short)) for v in g]
    found = {"own2": sum(a * v for a, v in zip(lam, g, strict=True)) ** 2, "applied2": short * short}
    found["chi"] = sum((a - b) ** 2 / a for a, b in zip(lam, applied, strict=True))
    return {"one update alone is the shortest": sum(applied) == 1 and short > 0}, found


def _one_sign(N: float) -> Case:
    size = int(N)
    space = Space((LogScale("m", 1e-2, 1e2, (size,), at=(1.0,)),))
    same = (units({"m": (0, 1)}), permuted_clients({"m": 0}))
    name, cost = f"{size} updates on a line", max(1.0, size / 75)
    return case(name, space, first_bounds, first_bounds_exact, cost=cost, symmetries=same)


_ONE_SIGN = World(NOTATION, (Family("updates of one sign", (Size("N", 3, 300, 3),), _one_sign),))
_FASTER = le(least_aware, least_avg)

R4 = stated(
    r"""FA-R4 (remark; §4.2, «Convergence of FedAWARE»): FedAWARE converges faster than FedAvg
    Print: \alpha=1,\ S^t=[N]:\quad\min_{t\le T}\|\nabla f(x^t_{\text{FedAWARE}})\|^2\le\min_{t\le T}\|\nabla f(x^t_{
      \text{FedAvg}})\|^2
    Plainly: With fresh updates of all clients FedAWARE converges faster than FedAvg on heterogeneous clients.
    Assumes: strongly convex quadratic clients, no noise, η_l <= 1/(8LK), η <= 1/(24LK) | α = 1, everyone takes part |
      same start, same η_l and η_g
    Open (nowhere) convergence: «converges faster»: in the gradient of the theorems, in the loss, or in the bound («the
      above Corollary matches …, ensuring»)
    Reading: in the gradient of f | The quantity of the theorems, after any T. | option convergence = in the gradient
    Reading: in the loss f | f(x^T) − f*, after any T. | option convergence = in the loss
    Reading: in the gradient, one common minimum | Clients that differ in curvature only. | option convergence = in the
      gradient | condition: one common minimum
    Reading: the bound, in the first round | The right side of Corollary 4.1 is no larger than that of Theorem 4.2:
      χ²ρ⁰(λ̃) <= ρ⁰(λ) at weights of smallest norm, equal shares λ. | option convergence = in the bound
    Mutant: faster than FedAvg with twice the server step | for identical clients FedAWARE is FedAvg, which short steps
      make faster with each doubling
    Mutant: the shorter step never shorter | the mean of updates of one sign is longer than the shortest of them
    Tight: identical clients, where the two are the same
    Rests on: FA-C4.1, FA-MN12
    Verdict: It need not be faster, and in general ends elsewhere. The shortest point of the hull is never longer than
      the mean, so at the same model FedAWARE takes the shorter step. On the line with a common minimum it follows the
      flattest client and is never faster. In the plane it may be: with Hessians diag(1, 1/100) and diag(1/100, 1), λ =
      (99/100, 1/100) and η = 1/24 it is behind after 100 rounds and far ahead after 300, where FedAvg still waits for
      the client of small share. With minima of their own, the model stops at the first point of the hull of the local
      minima (more generally: as soon as it is Pareto stationary), while FedAvg with K = 1 goes on to the minimum of f.
      Nor does Corollary 4.1 say it: at updates 1, 1.1 and 1.1 with equal shares χ² is 2, and χ²ρ(λ̃) = 2 against ρ(λ) =
      1.14. What FedAWARE does have is FA-MN17: no client gets worse.""",
    says=_FASTER,
    world=line_runs("aware"),
    readings={
        "in the loss f": le(end_aware, end_avg),
        "in the gradient, one common minimum": line_runs("aware", common=True),
        "the bound, in the first round": but(le(chi * applied2, own2), world=_ONE_SIGN),
    },
    mutants={
        "faster than FedAvg with twice the server step": le(least_aware, least_fast),
        "the shorter step never shorter": but(le(own2, applied2), world=_ONE_SIGN),
    },
)


def decay(x: Instance, *, rounds: int) -> Mapping[str, Any]:
    """Σρᵗ of FedAvg on the line in closed form, ρ⁰, 1 − q², and ρ/η_l² at the minimum of f."""
    h, m, lam = x["curvature"], x["optimum"], x["weights"]
    K = x["local_steps"]
    eta = x["step"] / (8 * h.max(axis=1) * K)
    pull = 1 - (1 - eta[:, None] * h) ** K[:, None]
    total = (lam * pull).sum(axis=1)
    size = (np.abs(x["start"]) + np.abs(m).max(axis=1)) ** 2
    best = (lam * h * m).sum(axis=1) / (lam * h).sum(axis=1)
    keep = (1 - x["server"] / 3 * total) ** 2
    first = (lam * pull * (x["start"][:, None] - m)).sum(axis=1) ** 2
    return {
        "sum_rho": first * (1 - keep**rounds) / (1 - keep),
        "first": first,
        "rate": 1 - keep,
        "rho_best": (lam * pull * (best[:, None] - m)).sum(axis=1) ** 2 / eta**2,
        "sizes": {"sum_rho": size * total**2, "first": size * total**2, "rho_best": size / eta**2},
    }


def decay_exact(x: Mapping[str, Any], *, rounds: int) -> Checked:
    """The rounds one by one, K local steps each; the model contracts by a factor whose square is 1 - rate."""
    h, m, lam, K = x["curvature"], x["optimum"], x["weights"], int(x["local_steps"])
    clients = range(len(h))
    eta, server = x["step"] / (8 * max(h) * K), x["server"] / 3
    pull = [1 - (1 - eta * a) ** K for a in h]
    best = sum(lam[i] * h[i] * m[i] for i in clients) / sum(lam[i] * h[i] for i in clients)
    at, rhos = x["start"], []
    for _ in range(rounds):
        G = sum(lam[i] * pull[i] * (at - m[i]) for i in clients)
        rhos.append(G * G)
        at = at - server * G
    keep = (1 - server * sum(a * b for a, b in zip(lam, pull, strict=True))) ** 2
    met = {
        "mu > 0": min(h) > 0,
        "weights on the simplex": sum(lam) == 1 and min(lam) >= 0,
        "eta_l <= 1/(8 L K), eta <= 1/(24 L K)": 0 < 8 * eta * max(h) * K <= 1 and 0 < 3 * server <= 1,
    }
    rho_best = sum(lam[i] * pull[i] * (best - m[i]) for i in clients) ** 2 / eta**2
    return met, {"sum_rho": sum(rhos), "first": rhos[0], "rate": 1 - keep, "rho_best": rho_best}


def _decay(N: float, T: float) -> Case:
    size = int(N)
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (size,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (size,)),
            Simplex("weights", size),
            Signed("start", 1e-2, 1e3),
            LogScale("step", 1e-2, 1.0, at=(1.0,)),
            LogScale("server", 1e-2, 1.0, at=(1.0,)),
            Choice("local_steps", (1.0, 2.0, 5.0, 20.0)),
        )
    )
    same, cost = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),), max(1.0, size / 75)
    name = f"{size} clients on the line, T = {int(T)}"
    return case(name, space, decay, decay_exact, cost=cost, symmetries=same, rounds=int(T))


def noisy(T: Fraction) -> tuple[Fraction, Fraction]:
    """Mean over t < T of E|E[G^t | x^t]|^2, one client x^2/2, eta_l = 1/8, eta_g = 1/3, noise and x^0 +-1; and 1."""
    keep = Fraction(23, 24) ** 2
    limit = Fraction(1, 24) ** 2 / (1 - keep)  # of E (x^t)^2 = limit + keep^t (1 - limit)
    falling = sum(keep**t for t in range(min(int(T), 60)))
    return (limit + (1 - limit) * falling / T) / 64, Fraction(1)


_FLOOR = OrderFamily(
    "one noisy client",
    noisy,
    {"T": n},
    form=sp.Rational(1, 64 * 47),
    because="E x² stays at or above its limit 1/47, and 𝔼[G | x] = x/8",
)

R5 = stated(
    r"""FA-R5 (remark; §4.2, after Property 4.1): Decaying consensus is weaker than consensus at the optimum
    Print: \rho(x^*)=0\ \Rightarrow\ \frac1T\sum_{t<T}\rho^t(\lambda)\le\mathcal O(T^{-c}),\ c>0
    Plainly: Property 4.1 asks less than the client consensus hypothesis, which it follows from.
    Assumes: the hypothesis: 𝔼G = 0 at the minimum x* of f | strongly convex quadratic clients, η_l <= 1/(8LK), η <=
      1/(24LK)
    Open (nowhere) E: as in Property 4.1: what E in ρᵗ = ‖E[Gᵗ]‖² averages is not printed
    Reading: without noise | Clients on the line with any minima, ρ(x*) = 0 or not, any K: Σρᵗ <= ρ⁰/(1 − q²), so the
      mean falls like 1/T. | option E = over the whole run
    Reading: with noise, ρ conditional on the model | One client with gradient noise: 𝔼‖𝔼[Gᵗ|xᵗ]‖², its mean over rounds
      tends to 0. | option E = given the model of the round
    Mutant: the other way round | FedAvg with K > 1 has vanishing ρ at its own fixed point and, for unequal curvatures,
      not at the minimum of f
    Mutant: Σρᵗ <= ρ⁰ | the second round adds to the first
    Tight: T → ∞
    Rests on: FA-PR4.1
    Repeats: FA-PR4.1
    Verdict: Without noise, or with 𝔼 over whole runs, the dynamics ask less than the hypothesis; with noise and 𝔼 given
      the model they do not follow from it. Without noise the mean decays like 1/T whether ρ(x*) = 0 or not. The
      converse fails: for K > 1 and unequal curvatures ρ vanishes at FedAvg's own fixed point and not at x*. With noise,
      ρ given the current model settles at the noise floor and does not decay at any power of T, although 𝔼G vanishes at
      x*. Over whole runs ‖𝔼G‖² of a quadratic decays. Which 𝔼 is meant is not printed (FA-PR4.1).""",
    says=le(sum_rho, first / rate, again=lambda first, rate: first * (1 / rate)),
    world=World(NOTATION, (Family("clients on the line", (Size("N", 1, 300, 3), Size("T", 1, 60, 5)), _decay),)),
    readings={"with noise, ρ conditional on the model": Order("faster", (_FLOOR,))},
    mutants={"the other way round": le(rho_best, 0), "Σρᵗ <= ρ⁰": le(sum_rho, first)},
)


def limit_of(x: Instance, *, without: bool = False) -> Mapping[str, Any]:
    """The squared distance from the hull of the minima to the minimum of f; Hessians along `mirror`, else the first × 1."""
    h, m, lam = x["spectrum"], x["optimum"], x["weights"]
    dim = m.shape[2]
    if "mirror" in x:
        r = x["mirror"]
        size = np.where(squares(r) > 0, squares(r), 1.0)[..., None, None]
        H = np.eye(dim) - 2 * r[..., :, None] * r[..., None, :] / size
        A = np.einsum("nijk,nik,nilk->nijl", H, h, H)
    else:
        A = h[:, :, :1, None] * np.eye(dim)
    mixed, pulled = np.einsum("ni,nijk->njk", lam, A), np.einsum("ni,nijk,nik->nj", lam, A, m)
    best = np.linalg.solve(mixed, pulled[..., None])[..., 0]
    largest = squares(m).max(axis=1)
    m = m[:, 1:] if without else m
    return {"outside2": squares(nearest(m - best[:, None])[1]), "magnitude": largest * 1e3}


def limit_of_exact(x: Mapping[str, Any], *, without: bool = False) -> Checked:
    """The minimum of f, and the shortest point of the hull of the m_i seen from there."""
    m, dim = x["optimum"], range(len(x["optimum"][0]))
    if "mirror" in x:
        A = [turned(s, [r]) for s, r in zip(x["spectrum"], x["mirror"], strict=True)]
    else:
        A = [[[s[0] if i == j else Fraction(0) for j in dim] for i in dim] for s in x["spectrum"]]
    best = quadratic_optimum(x["weights"], A, m)
    away = shortest([[a - b for a, b in zip(v, best, strict=True)] for v in (m[1:] if without else m)])[1]
    met = {
        "mu > 0": min(min(s) for s in x["spectrum"]) > 0,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
    }
    return met, {"outside2": dot(away, away)}


def _limits(*, isotropic: bool, without: bool = False) -> World:
    def at(N: float, d: float) -> Case:
        size, dim = int(N), int(d)
        mirror = () if isotropic else (Signed("mirror", 1e-2, 1.0, (size, dim)),)
        space = Space(
            (
                LogScale("spectrum", 1e-1, 1e1, (size, dim), at=(1.0,)),
                *mirror,
                Signed("optimum", 1e-2, 1e2, (size, dim)),
                Simplex("weights", size, interior=True),
            )
        )
        every = {"spectrum": 0, "optimum": 0, "weights": 0, **({} if isotropic else {"mirror": 0})}
        same = (units({"spectrum": (1, -2), "optimum": (0, 1)}), permuted_clients(every))[: 1 if without else 2]
        uses = (*SHORTEST, reflected, turned, matvec, quadratic_optimum)
        name = f"{size} clients, d = {dim}"
        return case(name, space, limit_of, limit_of_exact, uses=uses, symmetries=same, without=without)

    return World(NOTATION, (Family("clients", (Size("N", 1 + without, 4, 3), Size("d", 1, 6, 2)), at),))


R6 = stated(
    r"""FA-R6 (remark; §4.2, after Property 4.1): Runs end in the hull of the local minima
    Print: \lim_tx^t\in\mathrm{conv}\{x_1^*,\dots,x_N^*\}
    Plainly: FedAvg typically converges to a point of the convex hull of the local solutions.
    Assumes: strongly convex quadratic clients, no noise | K = 1 and short steps, where FedAvg ends at the minimum of f
    Reading: any Hessians | «Typically»: any strongly convex quadratics. | because: also as «typically» false: with d >
      N the limit is off the hull for almost all unequal Hessians
    Reading: Hessians that are multiples of the identity | Or any clients on the line. | condition: every Hessian a
      multiple of the identity
    Mutant: the first client's minimum left out | with all weight on the first client the limit is its minimum
    Rests on: FA-E1
    Verdict: With Hessians that differ it is false, also as «typically»: for more dimensions than clients (d ≫ N, Sec.
      3) the limit lies off the hull except by accident. Two clients in the plane, each steep in its own direction, end
      at a point off the segment between their minima, as the weights of the limit are matrices. Any small change of
      that witness does the same: where the hull has no interior, one exception stands for nearly all unequal Hessians.
      With Hessians that are multiples of the identity, and on the line, the limit is a weighted mean of the local
      minima. Judged for K = 1 and short steps, where FedAvg ends at the minimum of f.""",
    says=le(outside2, 0),
    world=_limits(isotropic=False),
    readings={"Hessians that are multiples of the identity": _limits(isotropic=True)},
    mutants={"the first client's minimum left out": _limits(isotropic=True, without=True)},
)

# α(1 − α)ʲ are the weights of a long moving average: their squares sum to α/(2 − α), at α = 1 to 1.
_DRAWN = (
    Uniform("alpha", 1e-3, 0.999, at=(0.1, 0.5, 0.9)),
    Uniform("share", 1e-3, 1.0, at=(0.1, 1.0)),
    LogScale("chi", 1e-2, 1e2),
)
_TWO_ALPHAS = numbers(NOTATION, "two α and p", *_DRAWN, Uniform("less", 1e-3, 0.999, at=(0.5,)))
_MOVED_BY = 16 * chi * (1 - alpha * share) ** 2

R12 = stated(
    r"""FA-R12 (remark; §4.2, «Convergence of FedAWARE»): α against gradient noise
    Print: \text{``a proper selection of }\alpha\text{ can further mitigate the impacts of local gradient variances''}
    Plainly: A suitable α lowers the influence of the gradient noise.
    Assumes: 0 < α < 1 against α = 1 or a smaller α, participation p in (0, 1]
    Open (nowhere) than: «can further mitigate»: further than α = 1, of which the sentences before speak, or than
      another α, is not said
    Reading: in the bound (16), some averaging against none | The σ_l² terms, which depend on α through β = (1 − αp)²,
      are lower at α than at 1. | option than = than with α = 1
    Reading: in the bound (16), a larger α against a smaller one | The same terms at α are no higher than at any smaller
      α; «proper» is then as large as possible. | option than = than with another α
    Reading: in the memory itself | At a frozen model the variance α/(2 − α) of the moving average is lower than that of
      one update. | ours: «The results indicate»: the print speaks of the bound; the memory at a frozen model is another
      statement, and true
    Mutant: twice the variance | 2α/(2 − α) exceeds 1 for α > 2/3
    Tight: α → 1
    Rests on: FA-E16, FA-REC
    Verdict: The moving average does average noise: at a frozen model its variance is α/(2 − α) of an update's. The
      bound does not show it. In (16) α occurs only in β = (1 − αp)², which multiplies positive terms and falls as α
      grows. So the proper α of the bound is 1, with no averaging at all; that averaging helps is true of the algorithm
      and does not follow from the bound.""",
    says=le(_MOVED_BY, 16 * chi * (1 - share) ** 2),
    world=numbers(NOTATION, "any α and p", *_DRAWN),
    readings={
        "in the bound (16), a larger α against a smaller one": but(
            le(_MOVED_BY, 16 * chi * (1 - alpha * less * share) ** 2), world=_TWO_ALPHAS
        ),
        "in the memory itself": le(alpha / (2 - alpha), 1),
    },
    mutants={"twice the variance": le(2 * alpha / (2 - alpha), 1)},
)

CLAIMS: tuple[Claim, ...] = (T41, T42, C41, PR41, CHI, R1, R2, R3, R4, R5, R6, R12)

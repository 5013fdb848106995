"""Sec. 4.1 and 4.2: Theorems 4.1 and 4.2, how far FedAvg's best squared gradient falls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from paper_checks.fedaware.notation import NOTATION
from paper_checks.fedaware.proof_of_theorem_42_end import EXPLICIT, SHORT
from paper_checks.fedaware.runs import fedavg, one_run, runs
from paper_checks.fedaware.slope_runs import chosen_slopes, slope_runs
from validation import Claim
from validation.statement.forms.quotients import n
from validation.world import Order, OrderFamily, le, lt, mutant, reading, theorem, twice

__all__ = ["CLAIMS", "FIRST", "MEAN", "MINIMISED", "MOVED", "STUCK", "TO_AND_FRO"]

F_star, T, K, eta, eta_l, L, sigma2, sg2 = NOTATION.symbols("F_star T K eta eta_l L sigma2 sg2")
low, mean_square = NOTATION.symbols("low mean_square")


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


def to_and_fro(T: Any, K: Any) -> tuple[Any, Any]:
    """One client x^2/2 from 1, eta_l = 1/(8K), eta_g such that x turns to -x: (best squared gradient, F*/(eta K T))."""
    eta_l = 1 / (8 * K)
    eta_g = 2 / (1 - (1 - eta_l) ** int(K))
    return Fraction(1), Fraction(1, 2) / (eta_l * eta_g * K * T)


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
STUCK = Order(
    "upper",
    (OrderFamily("FedAvg from its fixed point", fixed_point, {"T": "n"}, _FIXED, degree=1),),
    may_depend_on=("eta_g", "K"),
)
_CANCEL = OrderFamily(
    "constant other weights, from where they cancel", other_weights, {"T": "n"}, {**_FIXED, "K": (1, 5)}, degree=1
)
MOVED = Order("upper", (_CANCEL,), may_depend_on=("eta_g", "K"))

_TURNING = OrderFamily("one client, to and fro", to_and_fro, {"T": "n"}, {"K": (1, 5)}, degree=1)
TO_AND_FRO = Order("upper", (_TURNING,), may_depend_on=("K",))

_FROM_START = F_star / (eta * K * T)
_START = sp.Rational(21, 10) * _FROM_START
_DRIFT = sp.Rational(5, 3) * L**2 * eta_l**2 * K
_NOISE = sp.Rational(11, 10) * L * eta * sigma2 + _DRIFT * sigma2
_SPREAD = _DRIFT * K * sg2
_START_42, _NOISE_42 = sp.Rational(9, 8) * _FROM_START, sp.Rational(9, 16) * L * eta * sigma2
# The smallest squared gradient is at most the first, and that at most 2L times the first gap.
FIRST = 2 * L * F_star
MEAN = "the mean squared gradient of a run that diverges is as large as one likes, whatever its first gap"
_24 = Fraction(1, 24)
MINIMISED = lt(0, F_star)

T41 = theorem(
    "FA-T4.1",
    "Theorem 4.1, eq. (4), Sec. 4.1 (quoted from Jhunjhunwala et al. 2022)",
    "Classical convergence of FedAvg",
    printed=r"""\min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O
        \big(\eta\sigma_l^2+\eta_l^2K\sigma_l^2\big)+\mathcal O\big(\eta_l^2K^2\sigma_g^2\big)""",
    plainly="FedAvg's best squared gradient falls like 1/(ηKT) down to a floor set by noise and by dissimilarity.",
    assumes=[
        "A4.1 along the run, A4.2, A4.3; full participation",
        "η_l <= 1/(8LK), η = η_lη_g <= 1/(24LK)",
        "hidden constants may depend on L, which the units require",
    ],
    says=le(
        low,
        _START + _NOISE + _SPREAD,
        again=lambda F_star, T, K, eta, eta_l, L, sigma2, sg2: (
            (21 * F_star / (T * K * eta) + 11 * L * eta * sigma2) / 10
            + 5 * K * (eta_l * L) ** 2 * (sigma2 + sg2 * K) / 3
        ),
        trivial=FIRST,
    ),
    world=fedavg(
        runs("convex, noise", longest=_24),
        runs("either sign, no noise", convex=False, noisy=False, longest=_24),
        runs("either sign, noise", convex=False, longest=_24),
        one_run(1, 1, 1, 200, longest=_24),
        one_run(3, 1, 5, 200, longest=_24),
        slope_runs(_24),
    ).where(MINIMISED),
    readings=[
        reading(
            "hidden constants 21/10, 11L/10, 5L²/3, 5L²/3",
            "Small ones that a proof gives; σ_g² the largest mean dissimilarity in any round of the run.",
        )
    ],
    mutants=[
        mutant("starting term dropped", le(low, _NOISE + _SPREAD), "one client without noise: the right side is 0"),
        mutant(
            "noise and dissimilarity dropped",
            le(low, _START),
            "with noise the gradient does not tend to 0 under a constant step",
            world=fedavg(*(one_run(2, 1, 1, t, server=(1.0, 1e2), longest=_24) for t in (50, 200))).where(MINIMISED),
        ),
        mutant(
            "dissimilarity dropped",
            le(low, _START + _NOISE),
            "FedAvg's fixed point is not where ∇f = 0, and without noise nothing else stays",
            world=fedavg(*(one_run(2, 1, k, 200, noisy=False, longest=_24) for k in (2, 5))).where(MINIMISED),
        ),
        mutant(
            "K in place of K² at the dissimilarity, whatever the constants",
            Order("upper", (_BIASED,), uniform_in=("K",)),
            "at η_l = 1/(8LK) the bias of unlike clients at FedAvg's fixed point does not fall with K",
        ),
    ],
    tight="not with these constants",
    rests_on=["FA-A4.1", "FA-A4.2", "FA-A4.3"],
    verdict="""Quoted, and without a proof here. The classical one (smoothness, the drift of Lemma A.1 averaged over
        clients, ηKL <= 1/24) gives the statement; with the drift summed step by step, its constants are no more than
        21/10, 11L/10, 5L²/3 and 5L²/3. The search over quadratic clients of either curvature, with and without noise,
        up to 300 clients, 300 local steps and 200 rounds, and down a loss that is straight far from its minimum, found
        no violation. A run down a straight slope and one among noise come to a fair part of the right side; of the
        dissimilarity no run of quadratic clients needs more than a small part.""",
)

_GIVEN = le(mean_square, EXPLICIT.right, trivial=MEAN)

T42 = theorem(
    "FA-T4.2",
    "Theorem 4.2, Sec. 4.2",
    "FedAvg under client consensus dynamics",
    printed=r"""\min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O
        \big(\eta\sigma_l^2+\eta_l^2K\sigma_l^2\big)+\mathcal O(\eta\Psi),\quad\Psi=\frac1T\sum_{t=0}^{T-1}
        \frac{\rho^t(\lambda)}{\eta_l^2K}""",
    plainly="""For some static rates FedAvg's best squared gradient is bounded by start, noise and client consensus
        only.""",
    assumes=[
        "as printed: A4.2, A4.3 and Property 4.1, which is stated without a bound on the dissimilarity",
        "printed only in the proof and not among them: Assumption A.1 («a mild assumption»)",
    ],
    says=le(
        low,
        _START_42 + _NOISE_42,
        again=lambda F_star, T, K, eta, L, sigma2: 9 * (2 * F_star / (T * K * eta) + eta * L * sigma2) / 16,
        trivial=FIRST,
    ),
    world=fedavg(
        runs("convex, noise", by="horizon"),
        one_run(1, 1, 1, 200, by="horizon"),
        one_run(3, 1, 5, 200, by="horizon"),
        chosen_slopes(),
    ),
    open={
        "rates": twice("""on what the rates may depend. The theorem: «there exists static FedAvg learning rates»,
            which we read as of the instance and T, too; its proof: any rates with 1/(√cKL) <= η_l («Letting») and η_l <= 1/(8LK), of L
            and K alone, static for all T""")
    },
    readings=[
        reading(
            "rates chosen for the instance and the horizon",
            """«There exists»: η = 1/(24LK) and η_l as small as the instance and T ask. Searched was the stronger bound
                (9/8)F*/(ηKT) + (9L/16)ησ_l², without the two other terms.""",
            options={"rates": "there exist, chosen for instance and horizon"},
        ),
        reading(
            "the proof's rates for all T, without Assumption A.1",
            "Static rates with η_l = 1/(8LK), hence c = 64; constants depend on L, K, η_g only; ρ = 0 in every round.",
            STUCK,
            options={"rates": "those of the proof's window, for all T"},
        ),
        reading(
            "any rates with ηKL <= 2, with Assumption A.1, smooth clients",
            "The explicit form (10), whose constants depend on γ and c; ρ given xᵗ; no convexity.",
            _GIVEN,
            world=SHORT,
            options={"rates": "those of the proof's window, for all T"},
            conditions=["Assumption A.1", "ηKL <= 2"],
        ),
        reading(
            "any rates, with Assumption A.1, convex clients",
            "The explicit form (10), whose constants depend on γ and c; ρ given xᵗ.",
            _GIVEN,
            world=fedavg(runs("convex, noise"), runs("convex, no noise", noisy=False)),
            options={"rates": "those of the proof's window, for all T"},
            conditions=["Assumption A.1", "convex clients"],
        ),
    ],
    mutants=[
        mutant(
            "starting term dropped as well",
            le(low, _NOISE_42),
            "at small noise and few rounds the gradient is still about where it started",
        ),
        mutant(
            "half of the starting term",
            le(low, _START_42 / 2 + _NOISE_42),
            "down a straight slope the gradient stays while f falls by ηK‖∇f‖² a round",
        ),
        mutant(
            "half of the noise term",
            le(low, _START_42 + _NOISE_42 / 2),
            "among noise a client of curvature L settles at 24Lησ_l²/47",
        ),
        mutant(
            "other weights in the aggregation than in the objective",
            MOVED,
            "with other aggregation weights the model stops where ∇f is not 0, and F*/(ηKT) tends to 0",
        ),
    ],
    rests_on=["FA-E10", "FA-PR4.1", "FA-T4.1", "FA-AA.1", "FA-A4.2", "FA-A4.3"],
    verdict="""It depends on «there exists». With rates chosen for the instance and the horizon no violation was found.
        For the rates of its own proof, kept for all T, it is false, unless Assumption A.1 is added, which only the
        proof prints; with it no violation was found. With η_l free, the terms in η_l² can be made as small as one
        likes, and the theorem says no more than Theorem 4.1 (or it is trivial, with ηKLT <= 1/2, as in FA-C4.1). The
        constants 9/8 and 9L/16 of the search are nearly the least: on one client whose loss falls along a straight line
        the left side comes to F*/(ηKT) as T grows. They were searched for convex quadratic clients of common axes; as
        η_l goes to 0, where FedAvg becomes gradient descent with noise, the descent lemma gives smaller ones for any
        smooth clients. For any rates of L and K alone, the proof's among them, start at the fixed point of FedAvg with two unlike clients and K >= 2:
        every ρᵗ is 0, so Property 4.1 holds, F*/(ηKT) tends to 0, and ∇f never changes. Assumption A.1, which only the
        proof prints («a mild assumption»), excludes that point, where γ is infinite. With it no violation of the
        explicit form (10) was found, for smooth clients at ηKL <= 2 and for convex ones at any server step tried. (10), which FA-E10 shows
        in full, has the start, two noise terms and ηL(1 + γ/(4η_g))Ψ on its right side; its c is that of (7), whose
        sixth line needs 1/(√cKL) <= η_l (FA-S7.6).""",
)

CLAIMS: tuple[Claim, ...] = (T41, T42)

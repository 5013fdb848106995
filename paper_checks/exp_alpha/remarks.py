"""Sec. 3.2 after Theorem 1: what Ω does to the rate (EA-R1), and whether (L/μ)(Γ − Ω) is an error that stays (EA-R3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.exp_alpha.described_runs import FEW, runs_in_advance
from paper_checks.exp_alpha.drawing import drawn, over, positive, quadratics, ranging, signed
from paper_checks.exp_alpha.notation import NOTATION, Plain, Seen
from paper_checks.exp_alpha.open_points import RANGE_OF_T
from paper_checks.exp_alpha.theorems import B_BAR, NON_VANISHING, vanishing
from validation import Case, Instance, LogScale, Simplex
from validation.world import Order, OrderFamily, World, at, identity, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS", "NEVER_BELOW"]

L, mu, gamma, T, Omega, missed_loss, Gamma = NOTATION.symbols("L mu gamma T Omega missed_loss Gamma")
limit, Omega_less, Gamma_less = NOTATION.symbols("limit Omega_less Gamma_less")

_RATE = vanishing(B_BAR)
n = sp.Symbol("n", positive=True)


def right_side(T: Fraction, Omega: Fraction, Gamma: Fraction) -> tuple[Fraction, Fraction]:
    """The right side of Theorem 1 at L = 4, mu = 1, gamma = 31, noise = G^2 = Delta_0 = 1, E = 2, and Omega/T + Gamma - Omega."""
    rate = 4 / (31 + T) * (2 * (1 + 8 + 24 * Omega) + Fraction(31, 2))
    return rate + 4 * (Gamma - Omega), Omega / T + Gamma - Omega


def noisy_run(T: Fraction, Omega: Fraction) -> tuple[Fraction, Fraction]:
    """Two clients 1/2 (w -+ a)^2, a^2/2 = Omega, equal weights, E = 1, from W* with noise +-1, A.9's steps: E F - F*.

    With eta_t = 2/(7 + t): (t+6)(t+7) w_(t+1) = (t+5)(t+6) w_t - 2 (t+6) noise_t, the mean noise of variance 1/2. The
    proportional weights have Omega = Gamma = a^2/2 over all t >= 0.
    """
    steps = int(T)
    squares = (steps + 5) * (steps + 6) * (2 * steps + 11) // 6 - 55  # the sum of (t + 6)^2 over 0 <= t < T
    variance = Fraction(2 * squares, ((steps + 5) * (steps + 6)) ** 2)
    return variance / 2, Omega / T


_GRID = tuple(2**k for k in range(2, 15))


def _order(*families: OrderFamily, **told: Any) -> Order:
    return Order("upper", families, grid=_GRID, **told)


def _with_constant(T: Fraction, Omega: Fraction) -> tuple[Fraction, Fraction]:
    return noisy_run(T, Omega)[0], (1 + Omega) / T


_SHRINKING, _SIZES = {"T": n, "Omega": 1 / n}, (Fraction(1, 100), 1, 10)
_SINCE = "Σ(t + 6)² >= n³/3, and (n + 5)(n + 6) < 5.7n² for n >= 4, so the quotient is at least n²·n³/(98n⁴)"
_RIGHT = OrderFamily("right side of Theorem 1", right_side, path={"T": n}, fixed={"Omega": _SIZES, "Gamma": (10, 20)})
_FALLING = OrderFamily("heterogeneity falling as 1/T", noisy_run, path=_SHRINKING, form=n / 100, because=_SINCE)
_STATED = _order(
    OrderFamily("heterogeneity falling as 1/T, with a constant beside Ω", _with_constant, path=_SHRINKING),
    OrderFamily("heterogeneity fixed", _with_constant, path={"T": n}, fixed={"Omega": _SIZES}),
    uniform_in=("Omega",),
)
_TOO_FAST = OrderFamily(
    "noise, heterogeneity fixed",
    lambda T, Omega: (noisy_run(T, Omega)[0], Omega / T**2),
    path={"T": n},
    fixed={"Omega": (1,)},
    form=n / 100,
    because="as above: the left side is at least 1/(100n)",
)


def two_strategies(x: Instance, *, steps: int) -> Seen:
    """> 0 where the weights with the smaller Ω over all t >= 0 end farther from W* = 0, to which both lead.

    Clients in pairs hᵢ/2(w ∓ mᵢ)²: the weighted excess at w is Σaᵢhᵢ(w² + mᵢ²)/2, and w tends to 0.
    """
    h, mu_ = x["curvature"], x["curvature"].min(axis=1)
    kappa, gaps, omegas = h.max(axis=1) / mu_, [], []
    for name in ("first", "second"):
        w, curved = x["start"], (x[name] * h).sum(axis=1)
        for t in range(steps):
            w = w - 2 / (mu_ * (8 * kappa - 1 + t)) * curved * w
        gaps.append(0.5 * (x["share"] * h).sum(axis=1) * w**2)
        omegas.append(0.5 * (x[name] * h * x["optimum"] ** 2).sum(axis=1))
    return {"missed_loss": np.minimum(omegas[1] - omegas[0], gaps[0] - gaps[1])}


def two_strategies_exact(x: Seen, *, steps: int) -> Plain:
    """Pairs h_i/2 (w -+ m_i)^2, two weightings, E = 1, A.9's steps, W* = 0: min(Omega_2 - Omega_1, gap_1 - gap_2).

    Both runs tend to 0, so Omega over all t >= 0 is the sum of a_i h_i m_i^2/2, and so is Gamma.
    """
    h, p, m, found = x["curvature"], x["share"], x["optimum"], []
    mu, gamma = min(h), 8 * max(h) / min(h) - 1
    for a in (x["first"], x["second"]):
        w = x["start"]
        for t in range(steps):
            w = w - 2 / (mu * (gamma + t)) * sum(a[i] * h[i] * w for i in range(len(h)))
        over_all = sum(a[i] * h[i] * m[i] ** 2 / 2 for i in range(len(h)))
        found.append((over_all, sum(p[i] * h[i] * w * w / 2 for i in range(len(h)))))
    met = {
        "strongly convex, smooth": mu > 0,
        "weights and shares on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in (p, x["first"], x["second"])),
    }
    (omega_1, gap_1), (omega_2, gap_2) = found
    return met, {"missed_loss": min(omega_2 - omega_1, gap_1 - gap_2)}


def _strategies(N: int, T: int) -> Case:
    shares = (Simplex("share", N), Simplex("first", N), Simplex("second", N))
    of = (positive("curvature", N, decades=1), signed("optimum", N, decades=1), *shares, signed("start", decades=1))
    cost = max(1.0, N * T / 100)
    return drawn(f"{N} pairs of clients, {T} steps", of, two_strategies, two_strategies_exact, cost=cost, steps=T)


_WEIGHTINGS = ranging("two weightings", _strategies, N=(2, 30, 3), T=(1, 100, 5))
_IN_THE_RATE = 12 * L**2 / (mu**2 * (gamma + T))

R1 = remark(
    "EA-R1",
    "Sec. 3.3",
    "Rate O(Ω/T) + O(Γ − Ω)",
    printed=r"""\mathbb E[F(\mathbf W^T)]-F(\mathbf W^*)=\mathcal O\Big(\frac\Omega T\Big)+\mathcal O(\Gamma-\Omega);
        \quad\text{a small }\Omega\text{ improves the convergence rate}""",
    plainly="FedAvg with time-varying weights converges as Ω/T up to Γ − Ω, and faster with a smaller Ω.",
    assumes=["the right side of Theorem 1, with A.9's steps", "Γ and Ω over all t >= 0 in the order statements"],
    says=_order(_RIGHT, may_depend_on=("Omega", "Gamma")),
    open={
        "constants": nowhere("""Sec. 3.3 prints O(Ω/T) + O(Γ − Ω) and does not say whether the hidden constants may
            depend on Ω, which is itself shown"""),
        "faster": nowhere("«improve the convergence rate»: of the bound's vanishing term, or of the run"),
    },
    readings=[
        reading(
            "constants may depend on Ω and Γ",
            "The right side of Theorem 1 as T grows, everything else fixed and Ω > 0.",
            part="the rate",
            options={"constants": "may depend on Ω and Γ"},
        ),
        reading(
            "constants free of Ω",
            "What is shown inside O(·) is not hidden in it: federations whose Ω = Γ shrinks as T grows.",
            _order(_FALLING, uniform_in=("Omega",)),
            part="the rate",
            options={"constants": "free of Ω"},
        ),
        reading(
            "Ω in the vanishing term",
            "Its derivative by Ω is 12L²/(μ²(γ + T)), positive at every T.",
            identity(sp.diff(_RATE, Omega), _IN_THE_RATE),
            part="a small Ω improves the rate",
            options={"faster": "the bound"},
        ),
        reading(
            "smaller Ω, faster run",
            """Two constant weightings, E = 1, no noise, Ω over all t >= 0. Each client is a pair hᵢ/2(w ∓ mᵢ)², so
                that both runs lead to W* = 0 and Γ = Ω for each: no error is traded. Missed is the smaller one of
                Ω₂ − Ω₁ and F(W₁ᵀ) − F(W₂ᵀ), which should not both be positive.""",
            le(missed_loss, 0),
            world=_WEIGHTINGS,
            part="a small Ω improves the rate",
            options={"faster": "the run"},
        ),
        reading(
            "(1 + Ω)/T",
            "A constant for noise and start beside Ω.",
            _STATED,
            part="the rate",
            edits=["(1 + Ω)/T in place of Ω/T"],
            because="noise, drift and start stand beside 6LΩ in the vanishing term",
        ),
    ],
    mutants=[
        mutant(
            "Ω/T² in place of Ω/T",
            _order(_TOO_FAST, may_depend_on=("Omega",)),
            "noise ±1 leaves a variance of order 1/T",
        ),
        mutant(
            "Ω in the whole right side as in its vanishing term",
            identity(sp.diff(_RATE + NON_VANISHING, Omega), _IN_THE_RATE),
            "the error term falls with Ω at the rate L/μ",
        ),
    ],
    rests_on=["EA-T1", "EA-D5"],
    verdict="""With Ω and everything else fixed, the right side of Theorem 1 is of order 1/T plus Γ − Ω, and any factor
        may be hidden. As a statement about Ω it is not true: noise, drift and the initial distance stand beside 6LΩ in
        the vanishing term, so that for nearly equal clients, whose Ω = Γ is nearly 0, the error still falls no faster
        than 1/T. (1 + Ω)/T is right. A smaller Ω does lower the bound's vanishing term, but not always the run's error:
        of two constant weightings that both lead to W*, each with Γ = Ω, the one with the smaller Ω may favour flat
        clients, and these learn slowly. For example take pairs of clients w²/2 and (w ∓ 1)²: all weight on the first
        pair has Ω = 0, on the second Ω = 1, and W nears 0 twice as slowly with the first. The whole right side grows
        with Ω only while T < 12L/μ − γ; after that a smaller Ω makes it larger.""",
)


def rate_again(L: Any, mu: Any, gamma: Any, T: Any, E: Any, noise: Any, G2: Any, Omega: Any, first: Any) -> Any:
    """μ/L times the vanishing term of Theorem 1, once more."""
    inside = 2 * noise + 16 * (E - 1) * G2 + 12 * L * Omega
    return (inside / mu + mu * gamma * first / 2) / (gamma + T)


_GROWING = runs_in_advance.but(R=(2, 10), corners=())


def resting(x: Instance) -> Seen:
    """Γ and Ω of a run that stays at W* for ever: two pairs of mirrored clients, `tilt`, then `later` on the first."""
    excess = 0.5 * x["curvature"] * x["apart"] ** 2
    sums = [s * excess[:, 0] + (1 - s) * excess[:, 1] for s in (x["tilt"], x["later"])]
    return {"Gamma": np.maximum(*sums), "Omega": np.minimum(*sums)}


def resting_exact(x: Seen) -> Plain:
    """Clients at W* -+ apart_1 (one curvature) and W* -+ apart_2 (another), equal shares, from W*, no noise.

    Weight tilt on the first pair in the first round, `later` afterwards, halved within a pair: the two of a pair mirror
    each other at every local step, so W_bar stays at W* and F(W^T) = F* for all T. Gamma and Omega are max and min over
    t of one and the same sum.
    """
    excess = [h * a * a / 2 for h, a in zip(x["curvature"], x["apart"], strict=True)]
    sums = [s * excess[0] + (1 - s) * excess[1] for s in (x["tilt"], x["later"])]
    met = {
        "strongly convex, smooth": min(x["curvature"]) > 0,
        "weights on the simplex": all(0 <= s <= 1 for s in (x["tilt"], x["later"])),
    }
    return met, {"Gamma": max(sums), "Omega": min(sums)}


_PAIRS = (positive("curvature", 2, decades=1), positive("apart", 2, decades=1))
_TILTS = (LogScale("tilt", 1e-3, 1.0, at=(0.5, 1.0)), LogScale("later", 1e-3, 1.0, at=(0.5, 1.0)))
_REST = drawn("a run that stays at W*, all t >= 0", (*_PAIRS, *_TILTS), resting, resting_exact, permuted=False)


def weight_on_one(x: Instance) -> Seen:
    """All weight on client 1 for ever: Γ, Ω over all t, and the limit of F(W^T) − F*."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    away = (p * h * m).sum(axis=1) / (p * h).sum(axis=1) - m[:, 0]
    gamma, left = 0.5 * h[:, 0] * away**2, 0.5 * (p * h).sum(axis=1) * away**2
    return {"Gamma": gamma, "Omega": np.zeros_like(gamma), "limit": left, "mu": h.min(axis=1), "L": h.max(axis=1)}


def weight_on_one_exact(x: Seen) -> Plain:
    """All weight on client 1: W^T tends to its optimum, Omega (all t) = 0, Gamma = F_1(W*) - F_1*."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    clients = range(len(h))
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    left = sum(p[i] * h[i] * ((m[0] - m[i]) ** 2 - (best - m[i]) ** 2) for i in clients) / 2
    met = {"strongly convex, smooth": min(h) > 0, "shares on the simplex": sum(p) == 1 and min(p) >= 0}
    found = {"Gamma": h[0] * (best - m[0]) ** 2 / 2, "Omega": Fraction(0), "limit": left, "mu": min(h), "L": max(h)}
    return met, found


def _weighted(k: int) -> Case:
    of, name = (*quadratics(k), Simplex("share", k)), f"{k} clients, weight on the first"
    return drawn(name, of, weight_on_one, weight_on_one_exact, permuted=False)


def _weighted_world(*sizes: int) -> World:
    return over(*(_weighted(k) for k in sizes))


NEVER_BELOW = le(Omega - Gamma, mu / L * vanishing(B_BAR), again=rate_again)
"""Over all t >= 0 the error term of Theorem 1 is not negative: that of T steps is below what vanishes."""

R3 = remark(
    "EA-R3",
    "Sec. 3.2, after Theorem 1",
    "A non-vanishing error",
    printed=r"""\frac L\mu(\Gamma-\Omega)\ \text{does not decrease over time and results in a non
        -zero error after convergence}""",
    plainly="""The term (L/μ)(Γ − Ω) is an error: not negative, never decreasing with T, and left over after
        convergence.""",
    assumes=["A1–A4, the steps of A.9", "any weights fixed in advance", "Γ, Ω over 0 <= t < T unless said otherwise"],
    says=le(Omega, Gamma),
    world=runs_in_advance.but(**FEW),
    open={
        "range_of_t": RANGE_OF_T,
        "error": nowhere("""«results in a non-zero error after convergence»: for every weighting with Γ > Ω, or for
            some"""),
    },
    readings=[
        reading(
            "not negative, 0 <= t < T", "Finite runs.", part="an error", options={"range_of_t": "the steps of the run"}
        ),
        reading(
            "not negative, all t >= 0",
            "Ω − Γ over 0 <= t < T lies below μ/L times the vanishing term, so that over all t it is at most 0.",
            NEVER_BELOW,
            world=runs_in_advance,
            part="an error",
            options={"range_of_t": "all t >= 0"},
        ),
        reading(
            "does not decrease over time",
            "Γ − Ω, a round later.",
            le(Gamma_less - Omega_less, Gamma - Omega),
            world=_GROWING,
            part="does not decrease over time",
        ),
        reading(
            "non-zero error whenever Γ > Ω",
            "A run with F(W^T) = F* for all T has Γ = Ω over all t >= 0.",
            le(Gamma, Omega),
            world=over(_REST),
            part="non-zero after convergence",
            options={"error": "whenever Γ > Ω"},
        ),
        reading(
            "non-zero error for some weights",
            "All weight on one client for ever: the limit of F(W^T) − F* is at least (μ/L)(Γ − Ω).",
            le(mu / L * (Gamma - Omega), limit),
            world=_weighted_world(1, 2, 3, 10),
            part="non-zero after convergence",
            options={"error": "for some weights"},
        ),
    ],
    mutants=[
        mutant(
            "Γ − Ω never grows either",
            le(Gamma - Omega, Gamma_less - Omega_less),
            "proportional weights: Γ stays and Ω falls as the run nears W*",
            world=_GROWING,
        ),
        mutant(
            "μ/L dropped",
            le(Gamma - Omega, limit),
            "weight on a steep client: Γ counts its curvature, the limit the average one",
            at("2 clients, weight on the first", curvature=[1, "1/2"], optimum=[0, -1], share=[0, 1]),
            world=_weighted_world(2, 3),
        ),
    ],
    rests_on=["EA-T1", "EA-T1b", "EA-D5"],
    verdict="""Γ − Ω, a maximum less a minimum over a growing range, indeed never decreases, and all weight on one
        client for ever does leave an error of at least (μ/L)(Γ − Ω). But over a finite run it may be negative:
        proportional weights have Γ < Ω until they reach W*, and then the term lowers the bound; only over all t >= 0 is
        it never negative. And it is an upper bound, not an error: a run that rests at W* from the start has Γ > Ω as
        soon as its weights change between rounds, though F(W^T) = F* for every T.""",
)

CLAIMS = (R1, R3)

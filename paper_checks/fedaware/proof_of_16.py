"""A.4: FedAWARE with moving averages and partial participation, up to its explicit bound (16), and what is read off it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedaware.aware_runs import attending
from paper_checks.fedaware.notation import NOTATION
from paper_checks.fedaware.proof_of_corollary_41 import turning, unturned
from paper_checks.fedaware.remembered import second_round
from paper_checks.fedaware.rounds import seen
from paper_checks.fedaware.runs import fedavg, one_run, runs, smallest_square
from paper_checks.fedaware.weights import constants, updates_of, weights_alone
from theory.exact import dot, weighted_sum
from theory.quantities import chi_square, pseudo_gradient
from theory.worlds.hull import squares
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
    rotated_space,
)
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.says import identity, le
from validation.statement.vectors import inner, square
from validation.statement.vectors import vectors as free_vectors
from validation.world.stated import but, stated
from validation.world.world import World, case, numbers

__all__ = ["CLAIMS"]

F, T, K, eta, eta_l, eta_g, L, c, gamma, sigma2 = NOTATION.symbols("F T K eta eta_l eta_g L c gamma sigma2")
mean_square, rho, chi, chi_rho, fall, variance, together = NOTATION.symbols(
    "mean_square rho chi chi_rho fall variance together"
)
S, M, W, beta, q, plain, reweighted = NOTATION.symbols("S M W beta q plain reweighted")
lag2, newest, before, ceiling, top, T2, partial, full = NOTATION.symbols(
    "lag2 newest before ceiling top T2 partial full"
)
alpha, p, D = sp.symbols("alpha p D", positive=True)
Checked = tuple[Mapping[str, bool], Mapping[str, Any]]

_e, _L, _b = sp.symbols("e L b", positive=True)
_grad, _G, _H, _D, _u, _v, _w = free_vectors("grad G H D u v w")
_SHARE, _STEP_L, _NONE = Domain((Parameter("b", 0, 1),)), Domain((Parameter("e"), Parameter("L"))), Domain()
_DOWN = -_e * inner(_grad, _D) + _L / 2 * _e**2 * square(_D)
_HALVES = -_e / 2 * square(_grad) + _e / 2 * square(_grad - _D)

E14 = stated(
    r"""FA-E14 (step; Eq. (14), A.4): Descent of one round of FedAWARE
    Print: \mathbb E f(x^{t+1})-f(x^t)\le-\frac{\tilde\eta}2\mathbb E\|\nabla f\|^2+\frac{\tilde\eta}2\mathbb E\|
      \nabla f-\hat d^t\|^2+\frac L2\tilde\eta^2\mathbb E\|\hat d^t\|^2
    Plainly: The descent step along the moving-averaged direction.
    Assumes: any vectors; expectations of both sides follow | f(xᵗ⁺¹) − f(xᵗ) at most −η̃⟨∇f, d̂⟩ + Lη̃²‖d̂‖²/2, the
      descent lemma (FA-S6.1)
    Reading: for all vectors | Path by path, in every dimension.
    Mutant: quadratic term dropped | for a long step the term Lη̃²‖d̂‖²/2 exceeds η̃‖d̂‖²/2
    Rests on: FA-S6.1, FA-S6.4
    Verdict: Proved given the descent lemma (FA-S6.1), whose bound on f(xᵗ⁺¹) − f(xᵗ) for smooth f stands on the left;
      the rest is (6) with d̂ for Ĝ.""",
    says=VectorInequality(_DOWN, _HALVES + _L / 2 * _e**2 * square(_D), _STEP_L),
    mutants={"quadratic term dropped": VectorInequality(_DOWN, _HALVES, _STEP_L)},
)

_TWO = square(_grad - _G + _G - _D)

S141 = stated(
    r"""FA-S14.1 (step; Bounding T₁, second line, A.4): Error of the AWARE direction split
    Print: \|\nabla f\pm\hat G-\hat d\|^2\le2\|\nabla f-\hat G\|^2+2\|\hat G-\hat d\|^2
    Plainly: The error of the direction splits into that of FedAvg's and the rest.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | Path by path, in every dimension.
    Mutant: without the factor 2 | equal summands give 4 on the left and 2 on the right
    Verdict: ‖a + b‖² <= 2‖a‖² + 2‖b‖².""",
    says=VectorInequality(_TWO, 2 * square(_grad - _G) + 2 * square(_G - _D), _NONE),
    mutants={"without the factor 2": VectorInequality(_TWO, square(_grad - _G) + square(_G - _D), _NONE)},
)

S142 = stated(
    r"""FA-S14.2 (step; Bounding T₁, third and fourth line, A.4): The applied pseudo-gradient added and subtracted
    Print: \|\sum_i\lambda_ig_i-\sum_i\tilde\lambda_im_i\|^2=\|\sum_i\lambda_ig_i\pm\sum_i\tilde\lambda_ig_i-\sum_i
      \tilde\lambda_im_i\|^2
    Plainly: The applied pseudo-gradient is added and subtracted inside the norm.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | Path by path, in every dimension.
    Mutant: added only | with v = w − u the right side is 0
    Verdict: An identity.""",
    says=identity(square(_u - _w), square(_u - _v + _v - _w)),
    mutants={"added only": VectorInequality(square(_u - _w), square(_u + _v - _w), _NONE)},
)


def _three(first: int, others: int) -> VectorInequality:
    errors = first * square(_grad - _G) + others * square(_G - _H) + others * square(_H - _D)
    return VectorInequality(square(_grad - _D), errors, _NONE)


S143 = stated(
    r"""FA-S14.3 (step; Bounding T₁, last line, A.4): Three errors
    Print: T_1\le2\|\nabla f-\hat G\|^2+4\|\hat G-\bar G\|^2+\frac4{\eta_l^2K^2}\|\sum_i\tilde\lambda_ig_i-\sum_i
      \tilde\lambda_im_i\|^2
    Plainly: The error of the direction is at most twice FedAvg's, four times reweighting and four times averaging.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | Path by path, in every dimension.
    Mutant: 2 in place of 4 | three equal summands give 9 on the left and 6 on the right
    Rests on: FA-S14.1, FA-S14.2
    Verdict: The bound for two summands, used twice.""",
    says=_three(2, 4),
    mutants={"2 in place of 4": _three(2, 2)},
)

E15 = stated(
    r"""FA-E15 (step; Eq. (15), A.4): Error of the averaged direction
    Print: \mathbb E\|\sum_i\tilde\lambda_ig_i-\sum_i\tilde\lambda_im_i\|^2\le\sum_i\frac{\tilde\lambda_i^2}{\lambda_i}
      \cdot\sum_i\lambda_i\mathbb E\|g_i-m_i\|^2
    Plainly: The error of the combined moving averages is at most Σλ̃²/λ times the mean squared error of one.
    Assumes: λ and λ̃ on the simplex, λᵢ > 0 | λ̃ the weights of smallest norm over the averages mᵢ, which have seen the
      round; of the random Σλ̃²/λ the mean is taken, as it stands outside 𝔼‖gᵢ − mᵢ‖²
    Reading: weights of smallest norm, which see the round | FedAWARE's second round, m⁰ = g⁰, everybody present, one
      local step; two quadratic clients on the line, every outcome of the noise; the averages have one sign, so the
      weights are unique and no direction vanishes. | because: A.4's own weights
    Reading: weights fixed before the round | Path by path, for any vectors and weights. | condition: weights fixed
      before the round's samples
    Reading: Σλ̃²/λ inside the expectation | E[Σλ̃²/λ·Σλᵢ‖gᵢ − mᵢ‖²], two and three clients as in the first reading. |
      edit: E[Σλ̃²/λ·Σλᵢ‖gᵢ − mᵢ‖²] in place of Σλ̃²/λ·ΣλᵢE‖gᵢ − mᵢ‖² | carries: no | because: all later lines have the
      sum of squared weights, or χ², outside
    Mutant: χ² in place of Σλ̃²/λ | for λ̃ = λ χ² is 0, but the error need not be
    Mutant: half of Σλ̃²/λ | Cauchy–Schwarz is attained by gᵢ − mᵢ ∝ λ̃ᵢ/λᵢ
    Tight: gᵢ − mᵢ proportional to λ̃ᵢ/λᵢ
    Verdict: False for FedAWARE's own weights, which A.4 fixes as those of smallest norm over the averages, and which
      see the round. When a rare sample shortens one client's average, the weights go to that client in the very outcome
      in which its error is large; then E[Σλ̃²/λ·Σλᵢ‖gᵢ − mᵢ‖²] does not split, as with χ² at FA-S13.2. Two clients do it
      in the second round, with everybody present. Path by path the line is the Cauchy–Schwarz inequality, so it holds
      for weights fixed before the round, and is attained; with the sum inside the expectation it holds for all.""",
    says=le(S, W * M),
    world=second_round(2, one_sign=True),
    readings={
        "weights fixed before the round": updates_of("apart"),
        "Σλ̃²/λ inside the expectation": but(le(S, together), world=second_round(2, 3)),
    },
    mutants={
        "χ² in place of Σλ̃²/λ": but(le(S, chi * M), world=updates_of("apart")),
        "half of Σλ̃²/λ": but(le(S, W * M / 2), world=updates_of("apart")),
    },
)


def lagging(x: Instance) -> Mapping[str, Any]:
    """E‖mᵗ − gᵗ‖² from the mean and the mean square of m, participation independent over rounds, m⁰ = g⁰."""
    g, a, q = x["updates"], x["alpha"], x["p"]
    mean = g[:, 0]
    size = squares(mean)
    for t in range(1, g.shape[1]):
        now = g[:, t]
        cross = (mean * now).sum(axis=1)
        size = (1 - q) * size + q * ((1 - a) ** 2 * size + 2 * a * (1 - a) * cross + a**2 * squares(now))
        mean = (1 - a * q)[:, None] * mean + (a * q)[:, None] * now
    now = g[:, -1]
    found = {"lag2": size - 2 * (mean * now).sum(axis=1) + squares(now), "beta": (1 - a * q) ** 2}
    return {**found, "newest": squares(now), "magnitude": squares(g).max(axis=1)}


def lagging_exact(x: Mapping[str, Any]) -> Checked:
    """E|m - g|^2 over every pattern of participation, m^0 = g^0."""
    g, a, q, T = x["updates"], x["alpha"], x["p"], len(x["updates"]) - 1
    total = Fraction(0)
    for number in range(2**T):
        m, chance, bits = list(g[0]), Fraction(1), number
        for t in range(1, T + 1):
            there, bits = bits % 2, bits // 2
            chance *= q if there else 1 - q
            m = [(1 - a) * y + a * z for y, z in zip(m, g[t], strict=True)] if there else m
        total += chance * sum((y - z) ** 2 for y, z in zip(m, g[T], strict=True))
    met = {"0 < alpha <= 1, 0 < p <= 1": 0 < a <= 1 and 0 < q <= 1}
    return met, {"lag2": total, "beta": (1 - a * q) ** 2, "newest": sum(z * z for z in g[T])}


def own_memory(x: Instance, *, rounds: int) -> Mapping[str, Any]:
    """One client that follows its own moving average: updates in units of the first, s = η_g(1 − (1 − η_lh)^K)."""
    a, s = x["alpha"], x["step"]
    g, m = np.ones_like(a), np.ones_like(a)
    for _ in range(rounds):
        g = g - s * m
        m = (1 - a) * m + a * g
    return {"lag2": (m - g) ** 2, "beta": (1 - a) ** 2, "newest": g**2, "magnitude": m**2 + g**2}


def own_memory_exact(x: Mapping[str, Any], *, rounds: int) -> Checked:
    """x^2 h/2, full participation, m^0 = g^0: g falls by s m in every round."""
    a, s, g, m = x["alpha"], x["step"], Fraction(1), Fraction(1)
    for _ in range(rounds):
        g, m = g - s * m, (1 - a) * m + a * (g - s * m)
    met = {"0 < alpha <= 1, step > 0": 0 < a <= 1 and s > 0}
    return met, {"lag2": (m - g) ** 2, "beta": (1 - a) ** 2, "newest": g * g}


def _lagging(T: int, d: int) -> Case:
    mixed, chance = Uniform("alpha", 0.01, 1.0, at=(0.5, 1.0)), Uniform("p", 0.01, 1.0, at=(0.1, 1.0))
    space = Space((Signed("updates", 1e-2, 1e2, (T + 1, d)), mixed, chance))
    return case(f"{T} rounds, dimension {d}", space, lagging, lagging_exact)


def _own_memory(T: int) -> Case:
    space = Space((Uniform("alpha", 0.01, 1.0, at=(0.5, 1.0)), LogScale("step", 1e-3, 2.0)))
    return case(f"one client's own run, {T} rounds", space, own_memory, own_memory_exact, rounds=T)


_AVERAGES = World(NOTATION, tuple(_lagging(t, d) for t, d in ((1, 1), (2, 2), (5, 2), (8, 1))))

REC = stated(
    r"""FA-REC (step; after (15), A.4): Error of the moving average
    Print: \mathbb E\|m_i^t-g_i^t\|^2\le2\beta\,\mathbb E\|g_i^t\|^2,\qquad\beta=(1-\alpha p_i)^2
    Plainly: A moving average is within 2β times the newest squared update of that update.
    Assumes: mᵢ⁰ = gᵢ⁰, participation with probability p in every later round, independent of the updates
    Reading: any updates | Given sequences of updates; expectation over participation. | cut updates = any sequence
    Reading: the updates of a real run | One quadratic client, everybody takes part, FedAWARE along its own moving
      average. | because: false for every β > 0: the newest update may be as small as one likes
    Mutant: β² in place of β | with p = 1 and g¹ = −g⁰ the left side is 4β‖g‖²
    Rests on: FA-SREC.1, FA-SREC.2, FA-SREC.3, FA-SREC.4, FA-SREC.5, FA-SREC.6
    Verdict: Two rounds with full participation refute it: when the update shrinks to less than 0.41 of the one before,
      or turns round, the average remembers more than 2β times the newest square allows. A single client that follows
      its own moving average does that by itself when it comes near its optimum. At α = 0.5, p = 0.1, the paper's
      setting, β = 0.9025 is not small either.""",
    says=le(lag2, 2 * beta * newest),
    world=_AVERAGES,
    readings={"the updates of a real run": World(NOTATION, tuple(_own_memory(t) for t in (1, 2, 5, 20)))},
    mutants={"β² in place of β": le(lag2, 2 * beta**2 * newest)},
)

_CHANCES = (Fraction(1, 10), Fraction(1, 2), Fraction(1, 3), Fraction(9, 10))
_RANDOM, _MEAN = p * (1 - alpha) ** 2 + (1 - p), (1 - alpha * p) ** 2

SREC1 = stated(
    r"""FA-SREC.1 (step; recursion for m − g, first line, A.4): Random participation replaced by its mean
    Print: \mathbb E\|m_i^t-g_i^t\|^2=\mathbb E\|(1-p_i)m_i^{t-1}+p_i((1-\alpha)m_i^{t-1}+\alpha g_i^t)-g_i^t\|^2
    Plainly: The expected squared error under random participation is the squared error of the mean over participation.
    Assumes: i takes part with probability pᵢ, independently of the past | factors of ‖m' − g‖² are compared
    Reading: participation random, 0 < p < 1 | m is m' with chance 1 − p and (1 − α)m' + αg with chance p. | because:
      the section is about partial participation; B.1 has p = 0.1
    Reading: everybody always takes part | p = 1. | condition: p = 1 | because: the paper's full participation goes with
      α = 1 (Sec. 4.2), where m = g and the line is 0 = 0
    Reading: with the variance of participation | α²p(1 − p)‖m' − g‖² added on the right. | edit: α²p(1 − p)‖m' − g‖²
      added on the right | carries: no | because: the factor of the recursion is then no longer (1 − αp)²
    Mutant: variance with p² in place of p(1 − p) | the variance of a Bernoulli variable is p(1 − p)
    Verdict: For 0 < p < 1 it is false: the square of a mean is not the mean of the square, and the right side is too
      small by α²p(1 − p)‖m' − g‖². At α = 0.5 and p = 0.1 of the experiments the true factor is 0.925 against 0.9025.
      It is an equality only for full participation (or none), and the section is about partial participation. With the
      missing term added it is an equality too, but the factor of the recursion is then no longer (1 − αp)².""",
    says=identity(_RANDOM, _MEAN, sample=_CHANCES),
    readings={
        "everybody always takes part": identity(_RANDOM.subs(p, 1), _MEAN.subs(p, 1), sample=_CHANCES),
        "with the variance of participation": identity(_RANDOM, _MEAN + alpha**2 * p * (1 - p), sample=_CHANCES),
    },
    mutants={"variance with p² in place of p(1 − p)": identity(_RANDOM, _MEAN + alpha**2 * p**2, sample=_CHANCES)},
)

_FACTOR, _OLD, _CHANGE = (1 - _b) ** 2, square(_u - _w), square(_w - _v)

SREC2 = stated(
    r"""FA-SREC.2 (step; before (15) is used, A.4): The moving average's error rewritten
    Print: (1-p)m'+p((1-\alpha)m'+\alpha g)-g=(1-\alpha p)(m'-g')+(1-\alpha p)(g'-g)
    Plainly: The error is (1 − αp) times the old error plus (1 − αp) times the change of the update; b = αp.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | Path by path, in every dimension.
    Mutant: power of 1 − αp lost | for 0 < αp < 1 the factor is smaller
    Verdict: An identity in m' = u, g = v, g' = w.""",
    says=identity(square((1 - _b) * _u + _b * _v - _v), _FACTOR * square((_u - _w) + (_w - _v))),
    mutants={
        "power of 1 − αp lost": VectorInequality(
            _FACTOR * square((_u - _w) + (_w - _v)), (1 - _b) ** 3 * square((_u - _w) + (_w - _v)), _SHARE
        )
    },
)

# What is added on the left under the condition is at least 0 there, so the printed left side is at most the one judged.
_SUM = _FACTOR * square(_u - _v)

SREC3 = stated(
    r"""FA-SREC.3 (step; recursion for m − g, A.4): Error and change separated
    Print: (1-\alpha p_i)^2\|m'-g'+g'-g\|^2\le(1-\alpha p_i)^2\|m'-g'\|^2+(1-\alpha p_i)^2\|g'-g\|^2
    Plainly: The squared sum of the old error and the change is at most the sum of the squares.
    Assumes: any vectors; b = αp in [0, 1]
    Reading: for all vectors | As printed.
    Reading: ⟨m' − g', g' − g⟩ <= 0 | The update turns towards the average; −2(1 − αp)²⟨m' − g', g' − g⟩ >= 0 is added
      to the left side. | condition: ⟨m' − g', g' − g⟩ <= 0
    Reading: factor 2 | With the factors that two summands need. | edit: a factor 2 on the right | carries: no |
      because: the recursion then contracts only if 2(1 − αp)² < 1
    Mutant: change dropped | with m' = g' the old error is 0, the new one is not
    Rests on: FA-SREC.2
    Verdict: It is false unless ⟨m' − g', g' − g⟩ <= 0, which the paper does not assume: ‖a + b‖² <= ‖a‖² + ‖b‖² needs
      ⟨a, b⟩ <= 0. Here a = m' − g' and b = g' − g point the same way whenever an average lags behind updates that keep
      moving in one direction. With a factor 2 the step holds, but then the recursion contracts only if 2(1 − αp)² < 1.""",
    says=VectorInequality(_SUM, _FACTOR * (_OLD + _CHANGE), _SHARE),
    readings={
        "⟨m' − g', g' − g⟩ <= 0": VectorInequality(
            _SUM - 2 * _FACTOR * inner(_u - _w, _w - _v), _FACTOR * (_OLD + _CHANGE), _SHARE
        ),
        "factor 2": VectorInequality(_SUM, 2 * _FACTOR * (_OLD + _CHANGE), _SHARE),
    },
    mutants={"change dropped": VectorInequality(_SUM, _FACTOR * 2 * _OLD, _SHARE)},
)

_SQUARES = square(_w) + square(_v)

SREC4 = stated(
    r"""FA-SREC.4 (step; recursion for m − g, A.4): The change bounded by the updates
    Print: (1-\alpha p_i)^2\|g'-g\|^2\le(1-\alpha p_i)^2\|g'\|^2+(1-\alpha p_i)^2\|g\|^2
    Plainly: The squared change of the update is at most the sum of the two squared updates.
    Assumes: any vectors; b = αp in [0, 1]
    Reading: for all vectors | As printed.
    Reading: ⟨g', g⟩ >= 0 | Consecutive updates do not point apart; 2(1 − αp)²⟨g', g⟩ >= 0 is added to the left side. |
      condition: ⟨g', g⟩ >= 0
    Reading: factor 2 | With the factors that two summands need. | edit: a factor 2 on the right | carries: no
    Mutant: new update dropped | with g' = 0 the change is g itself
    Rests on: FA-SREC.2
    Verdict: It is false when the update turns round: g = −g' gives 4‖g‖² against 2‖g‖². It holds when consecutive
      updates do not point apart, ⟨g', g⟩ >= 0, which the paper does not assume. It holds always with a factor 2, which
      is then missing in the recursion.""",
    says=VectorInequality(_FACTOR * _CHANGE, _FACTOR * _SQUARES, _SHARE),
    readings={
        "⟨g', g⟩ >= 0": VectorInequality(_FACTOR * _CHANGE + 2 * _FACTOR * inner(_w, _v), _FACTOR * _SQUARES, _SHARE),
        "factor 2": VectorInequality(_FACTOR * _CHANGE, 2 * _FACTOR * _SQUARES, _SHARE),
    },
    mutants={"new update dropped": VectorInequality(_FACTOR * _CHANGE, 2 * _FACTOR * square(_w), _SHARE)},
)


def unrolled(x: Instance) -> Mapping[str, Any]:
    """The recursion for given squared norms a₀ … a_T, unrolled; `kept` is how much of each step's bound is used."""
    a, b = x["norms"], x["beta"]
    T = a.shape[1] - 1
    error = np.zeros_like(b)
    for t in range(1, T + 1):
        error = x["kept"][:, t - 1] * b * (error + a[:, t - 1] + a[:, t])
    total = sum(b ** (T - k) * (a[:, k] + a[:, k + 1]) for k in range(T))
    found = {"lag2": error, "beta": b, "newest": a[:, -1], "before": a[:, -2], "ceiling": total}
    return {**found, "top": a.max(axis=1), "magnitude": a.max(axis=1)}


def unrolled_exact(x: Mapping[str, Any]) -> Checked:
    """Squared norms of a sequence of updates, and the recursion for the error with each step's bound partly used."""
    a, b, error, T = x["norms"], x["beta"], Fraction(0), len(x["norms"]) - 1
    for t in range(1, T + 1):
        error = x["kept"][t - 1] * b * (error + a[t - 1] + a[t])
    total = sum(b ** (T - k) * (a[k] + a[k + 1]) for k in range(T))
    met = {"0 < beta < 1, steps at most as bounded": 0 < b < 1 and min(x["kept"]) >= 0 and max(x["kept"]) <= 1}
    return met, {"lag2": error, "beta": b, "newest": a[-1], "before": a[-2], "ceiling": total, "top": max(a)}


def _unrolled(T: float) -> Case:
    n = int(T)
    norms, kept = LogScale("norms", 1e-3, 1e3, (n + 1,), at=(1.0,)), Uniform("kept", 0.0, 1.0, (n,), at=(1.0,))
    space = Space((norms, Uniform("beta", 0.001, 0.999, at=(0.25, 0.9025, 0.5)), kept))
    return case(f"T = {n}", space, unrolled, unrolled_exact, cost=max(1.0, n / 50))


_NORMS = World(NOTATION, (Family("norms of updates", (Size("T", 1, 200, 5),), _unrolled),))

SREC5 = stated(
    r"""FA-SREC.5 (step; recursion for m − g, unrolled, A.4): The recursion unrolled
    Print: \mathbb E\|m_i^t-g_i^t\|^2\le\sum_{\tau=0}^{t-1}\beta_i^{t-\tau}(\mathbb E\|g_i^\tau\|^2+\mathbb E\|g_i^{
      \tau+1}\|^2)
    Plainly: Unrolled from m⁰ = g⁰, the recursion bounds the error by a sum of past squared updates with powers of β.
    Assumes: the recursion of the line before: eₜ <= β(eₜ₋₁ + ‖gᵗ⁻¹‖² + ‖gᵗ‖²) | e₀ = 0
    Reading: given the recursion | The step from the printed recursion; whether that recursion holds is FA-SREC.1, .3
      and .4.
    Mutant: last power lost | with every step at its bound the two sides of the unrolled recursion are equal
    Tight: every step at its bound
    Rests on: FA-SREC.4
    Verdict: As algebra the unrolling is right. Its premise is the refuted recursion, and «β ≪ 1» is not what the
      experiments use: α = 0.5 with 10% participation gives β = 0.9025, and β + β² + … = 9.26.""",
    says=le(lag2, ceiling),
    world=_NORMS,
    mutants={"last power lost": le(lag2, beta * ceiling)},
)

SREC6 = stated(
    r"""FA-SREC.6 (step; recursion for m − g, simplified, A.4): The accumulation neglected
    Print: \sum_{\tau=0}^{t-1}\beta^{t-\tau}(\|g^\tau\|^2+\|g^{\tau+1}\|^2)\le2\beta(\|g^{t-1}\|^2+\|g^t\|^2)\le2
      \beta\max(\|g^{t-1}\|^2,\|g^t\|^2)\le2\beta\|g^t\|^2
    Plainly: The sum over the past is replaced by twice the last term, then by the larger, then by the newest update.
    Assumes: 0 < β < 1, any squared norms of updates
    Reading: first: the last terms only | The sum against 2β(‖gᵗ⁻¹‖² + ‖gᵗ‖²). | part: first inequality
    Reading: all three: the newest update only | The sum against 2β‖gᵗ‖². | part: all three
    Reading: the largest update ever, with β/(1 − β) | 2β/(1 − β) times the largest squared norm. | part: all three |
      edit: 2β/(1 − β) times the largest squared update in place of 2β times the newest | carries: no
    Mutant: a sum at most its larger summand | two equal summands make twice the larger one; with T = 1 the left side is
      β(a₀ + a₁)
    Rests on: FA-SREC.5
    Verdict: None of the three inequalities holds; the middle one fails for any two positive numbers, whose sum exceeds
      the larger. In the first, updates that were large in the past, or a β near 1, make the neglected sum the larger
      part. The third holds only when updates grow, which is not «without loss of generality». What can be said is 2β/(1
      − β) times the largest update so far, but the lines after it need the newest alone.""",
    says=le(ceiling, 2 * beta * (before + newest)),
    world=_NORMS,
    readings={
        "all three: the newest update only": le(ceiling, 2 * beta * newest),
        "the largest update ever, with β/(1 − β)": le(ceiling, 2 * beta * top / (1 - beta)),
    },
    mutants={"a sum at most its larger summand": le(ceiling, beta * top)},
)

CHIW = stated(
    r"""FA-CHIW (step; A.4, bound on T₁ (ST1.3)): Weights against χ², assumed without loss of generality
    Print: \sum_{i=1}^N\frac{\tilde\lambda_i^2}{\lambda_i}\le\chi^2_{\lambda\|\tilde\lambda}=\sum_{i=1}^N\frac{(
      \lambda_i-\tilde\lambda_i)^2}{\lambda_i}
    Plainly: The weighted sum of squared applied weights is at most the χ² divergence, without loss of generality.
    Assumes: λ and λ̃ on the simplex, λᵢ > 0
    Reading: for all weights | «Without loss of generality» taken at its word. | because: false for every pair of
      weights, so nothing is «without loss of generality»
    Reading: with χ² + 1 on the right | One more unit on the right side. | edit: χ² + 1 in place of χ² | carries: no |
      because: with χ² + 1 the β terms of (16) no longer vanish with χ̃
    Mutant: half a unit is not enough | the two sums differ by exactly Σ(2λ̃ᵢ − λᵢ) = 1
    Tight: never: the left side is larger by exactly 1, whatever the weights
    Verdict: Expanding the square gives Σ λ̃ᵢ²/λᵢ = χ² + 2Σλ̃ᵢ − Σλᵢ = χ² + 1 on the simplex. So the assumed relation
      fails for every pair of weights, always by 1; no instance satisfies it, and nothing is without loss of generality.
      Replacing χ² by χ² + 1 in the following lines repairs the step: the β terms of eq. (16) then no longer vanish with
      χ².""",
    says=le(W, chi),
    world=weights_alone(),
    readings={"with χ² + 1 on the right": le(W, chi + 1)},
    mutants={"half a unit is not enough": le(W, chi + sp.Rational(1, 2))},
)

_Q = eta_l**2 * K**2
_FLOOR = 4 * c * eta_l**2 * L**2 * K * sigma2
_T1 = 2 * (2 * L**2 * gamma * D + 2 * c * eta_l**2 * L**2 * K * sigma2) + 4 * chi * M / _Q + 4 / _Q * W * (2 * beta * M)

ST11 = stated(
    r"""FA-ST1.1 (step; Bounding T₁, result, A.4): Bounds inserted into T₁
    Print: T_1\le4L^2\gamma\mathbb E\|G\|^2+4c\eta_l^2L^2K\sigma_l^2+4\frac{\chi^2}{\eta_l^2K^2}\sum_i\lambda_i\|g_i\|^2
      +8\frac\beta{\eta_l^2K^2}\sum_i\frac{\tilde\lambda_i^2}{\lambda_i}\sum_i\lambda_i\mathbb E\|g_i\|^2
    Plainly: (7), (12), (15) and the bound on m − g put into the three errors; D stands for E‖G‖².
    Assumes: positive constants; η̃ = Kη
    Reading: term by term | Both sides as functions of the terms they are built from.
    Mutant: 4β in place of 8β | 4/(η_lK)² times 2β is 8β/(η_lK)²
    Verdict: The coefficients are right, given the bounds inserted; the one on m − g (FA-SREC.6) is refuted, and (12) and
      (15), with χ² and Σλ̃²/λ outside the mean, need weights fixed in advance (FA-S13.2, FA-E15).""",
    says=identity(_T1, 4 * L**2 * gamma * D + _FLOOR + 4 * chi * M / _Q + 8 * beta / _Q * W * M),
    mutants={
        "4β in place of 8β": identity(_T1, 4 * L**2 * gamma * D + _FLOOR + 4 * chi * M / _Q + 4 * beta / _Q * W * M)
    },
)


def exchanged(x: Instance) -> Mapping[str, Any]:
    """Two clients' updates, q = (η_lLK)², γ over the whole simplex: ‖G‖² (`plain`), S = ‖G̃‖², M = Σλ‖g‖²."""
    g, lam, tilde = x["updates"], x["weights"], x["applied"]
    own, cross = squares(g), (g[:, 0] * g[:, 1]).sum(axis=1)
    apart = own.sum(axis=1) - 2 * cross
    b = np.clip((own[:, 1] - cross) / np.where(apart > 0, apart, 1.0), 0.0, 1.0)[:, None]
    lowest, largest = squares(b * g[:, 0] + (1 - b) * g[:, 1]), own.max(axis=1)
    found = {"q": x["first"] ** 2, "beta": x["beta"], "chi": chi_square(tilde, lam), "W": (tilde**2 / lam).sum(axis=1)}
    found |= {"plain": squares(pseudo_gradient(g, lam)), "S": squares(pseudo_gradient(g, tilde))}
    found |= {"M": (lam * own).sum(axis=1), "gamma": largest / np.where(lowest > 0, lowest, 1.0)}
    return {**found, "magnitude": largest, "admissible": lowest > 1e-9 * largest}


def exchanged_exact(x: Mapping[str, Any]) -> Checked:
    """Two clients, any updates, all terms times (eta_l K)^2."""
    g, lam, tilde = x["updates"], x["weights"], x["applied"]
    own, pairs = [dot(v, v) for v in g], list(zip(lam, tilde, strict=True))
    lowest = smallest_square(own[0], dot(g[0], g[1]), own[1])
    G, applied = weighted_sum(lam, g), weighted_sum(tilde, g)
    met = {
        "gamma is finite": lowest > 0,
        "weights on the simplex, lambda positive": sum(lam) == 1 == sum(tilde) and min(lam) > 0 and min(tilde) >= 0,
        "eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
    }
    found = {"q": x["first"] ** 2, "beta": x["beta"], "chi": sum((a - b) ** 2 / a for a, b in pairs)}
    found |= {"W": sum(b * b / a for a, b in pairs), "plain": dot(G, G), "S": dot(applied, applied)}
    return met, {**found, "M": dot(lam, own), "gamma": max(own) / lowest if lowest > 0 else Fraction(0)}


def _exchanged(d: int) -> Case:
    space = Space(
        (
            Signed("updates", 1e-1, 1e1, (2, d)),
            Simplex("weights", 2, interior=True),
            Simplex("applied", 2),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            LogScale("beta", 1e-6, 1.0),
        )
    )
    uses, same = (dot, weighted_sum, smallest_square), (rotated_space(("updates",)),)
    return case(f"two clients, dimension {d}", space, exchanged, exchanged_exact, uses=uses, symmetries=same)


_REST = (4 * chi + 8 * beta * W) * M
_EXCHANGED = 4 * (q + chi + 2 * beta * W) * gamma * S

ST12 = stated(
    r"""FA-ST1.2 (step; Bounding T₁, second line, A.4): E‖G‖² exchanged for E‖G̃‖²
    Print: 4L^2\gamma\mathbb E\|G\|^2+4\frac{\chi^2}{\eta_l^2K^2}\sum_i\lambda_i\|g_i\|^2+8\frac\beta{\eta_l^2K^2}\sum_i
      \frac{\tilde\lambda_i^2}{\lambda_i}\sum_i\lambda_i\mathbb E\|g_i\|^2=4\big(L^2+\frac{\chi^2}{\eta_l^2K^2}+\frac{2
      \beta}{\eta_l^2K^2}\sum_i\frac{\tilde\lambda_i^2}{\lambda_i}\big)\gamma\mathbb E\|\tilde G\|^2
    Plainly: Assumption A.1 turns all terms into the applied pseudo-gradient.
    Assumes: γ of A.1 over the whole simplex | «=» read as «<=»; all terms times (η_lK)², q = (η_lLK)²
    Reading: as printed | γ‖G‖² replaced by γ‖G̃‖² in the first term.
    Reading: from the line before A.1 in (7) | 4L²Σλᵢ‖gᵢ‖² in place of 4L²γ‖G‖². | edit: 4L²Σλᵢ‖gᵢ‖² in place of
      4L²γ‖G‖² in the line before | forced by: A.3 enters (7) in this form, before A.1: (4L² + 2χ²/(η_l²K²))ΣλᵢE‖gᵢ‖² |
      carries: yes
    Mutant: γ dropped in the repaired form | updates of different sizes with the applied weights on the smaller one
    Rests on: FA-ST1.1, FA-AA.1
    Verdict: Assumption A.1 bounds local updates by a pseudo-gradient, not one pseudo-gradient by another: ‖G‖² may
      exceed ‖G̃‖², and where λ̃ gives the shortest point of the hull of these updates it is never less. The other terms
      need not make up for it. If (7) is entered in the line before A.1 is used, with Σλᵢ‖gᵢ‖², the line holds.""",
    says=le(4 * q * gamma * plain + _REST, _EXCHANGED),
    world=World(NOTATION, tuple(_exchanged(d) for d in (1, 2))),
    readings={"from the line before A.1 in (7)": le(4 * q * M + _REST, _EXCHANGED)},
    mutants={"γ dropped in the repaired form": le(4 * q * M + _REST, 4 * (q + chi + 2 * beta * W) * S)},
)

_BEFORE = 4 * (L**2 + chi / _Q + 2 * beta * W / _Q) * gamma * S + _FLOOR


def _absorbed(extra: Any) -> Any:
    return le(_BEFORE, 4 * (L**2 + ((1 + 2 * beta) * chi + extra) / _Q) * gamma * S + _FLOOR)


ST13 = stated(
    r"""FA-ST1.3 (step; Bounding T₁ and T₂, A.4): T₁ with χ² in place of Σλ̃²/λ
    Print: 4\big(L^2+\frac{\chi^2}{\eta_l^2K^2}+\frac{2\beta}{\eta_l^2K^2}\sum_i\frac{\tilde\lambda_i^2}{\lambda_i}\big)
      \gamma\mathbb E\|\tilde G\|^2\le4\big(L^2+\frac{(1+2\beta)\chi^2}{\eta_l^2K^2}\big)\gamma\mathbb E\|\tilde G\|^2
    Plainly: The sum of squared weights is absorbed into χ².
    Assumes: λ and λ̃ on the simplex, λᵢ > 0; 0 <= β <= 1; γ >= 1
    Reading: as printed | For all weights and rates.
    Reading: χ² + 1 in the β term | The identity Σλ̃²/λ = χ² + 1. | edit: χ² + 1 in place of χ² in the β term | carries:
      no
    Mutant: χ² + ½ | the two sums differ by exactly 1
    Rests on: FA-CHIW, FA-ST1.2
    Repeats: FA-CHIW
    Verdict: Σλ̃²/λ = χ² + 1 on the simplex, so the printed line is false for every pair of weights as soon as β > 0.
      With χ² + 1 it is an equality, and the β terms no longer vanish with χ².""",
    says=_absorbed(0),
    world=constants(),
    readings={"χ² + 1 in the β term": _absorbed(2 * beta)},
    mutants={"χ² + ½": _absorbed(beta)},
)

_SIZE = square(_D - _H + _H)

ST21 = stated(
    r"""FA-ST2.1 (step; Bounding T₂, first lines, A.4): Size of the AWARE direction split
    Print: \|\sum_i\tilde\lambda_im_i\pm\sum_i\tilde\lambda_ig_i\|^2\le2\|\sum_i\tilde\lambda_i(m_i-g_i)\|^2+2\|\tilde G
      \|^2
    Plainly: The size of the direction splits into the error of averaging and the applied pseudo-gradient.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | Path by path, in every dimension.
    Mutant: without the factor 2 | d̂ = 2Ḡ gives 4 against 2
    Verdict: ‖a + b‖² <= 2‖a‖² + 2‖b‖².""",
    says=VectorInequality(_SIZE, 2 * square(_D - _H) + 2 * square(_H), _NONE),
    mutants={"without the factor 2": VectorInequality(_SIZE, square(_D - _H) + square(_H), _NONE)},
)

_T2 = 2 / _Q * W * 2 * beta * M + 2 / _Q * S

ST22 = stated(
    r"""FA-ST2.2 (step; Bounding T₁ and T₂, A.4): T₂ without its units
    Print: T_2\le8\beta\sum_i\frac{\tilde\lambda_i^2}{\lambda_i}\cdot\sum_i\lambda_i\mathbb E\|g_i\|^2+2\mathbb E\|
      \tilde G\|^2
    Plainly: The size of the direction is bounded by the errors of averaging and the applied pseudo-gradient.
    Assumes: λ and λ̃ on the simplex, λᵢ > 0; 0 <= β <= 1; γ >= 1
    Reading: as printed | For all weights and rates.
    Reading: with 1/(η_lK)² | The factor that the line before and the line after have. | edit: the factor 1/(η_l²K²)
      before the right side | token | forced by: the line before and the line after both print 2/(η_l²K²) | carries: yes
    Mutant: 3β in place of 8β | 4β is what the line before gives, so less is not enough
    Rests on: FA-ST2.1, FA-E15, FA-SREC.6
    Verdict: A factor is misprinted away: the right side should be multiplied by 1/(η_l²K²), as in the lines before and
      after, and then the bound holds. Without it the line has no consistent units and fails when η_lK is small. The
      next line has the factor back, so nothing rests on the slip. With it, 8β is even twice what is needed.""",
    says=le(_T2, 8 * beta * W * M + 2 * S),
    world=constants(),
    readings={"with 1/(η_lK)²": le(_T2, (8 * beta * W * M + 2 * S) / _Q)},
    mutants={"3β in place of 8β": le(_T2, (3 * beta * W * M + 2 * S) / _Q)},
)


def direction(x: Instance, *, apart: bool = False) -> Mapping[str, Any]:
    """T₂ = ‖Σλ̃ᵢmᵢ‖²/(η_lK)², β the least number with Σλᵢ‖mᵢ − gᵢ‖² <= 2βΣλᵢ‖gᵢ‖², γ the least of A.1 at λ̃.

    `apart`: χ² >= 1.
    """
    g, lam, tilde = x["updates"], x["weights"], x["applied"]
    largest = squares(g).max(axis=1)
    off = x["errors"] * np.abs(g).max(axis=(1, 2))[:, None, None]
    S, chi = squares(pseudo_gradient(g, tilde)), chi_square(tilde, lam)
    beta = (lam * squares(off)).sum(axis=1) / (2 * (lam * squares(g)).sum(axis=1))
    q = (x["eta_l"] * x["local_steps"]) ** 2
    return {
        "T2": squares(pseudo_gradient(g + off, tilde)) / q,
        "K": x["local_steps"],
        "eta_l": x["eta_l"],
        "chi": chi,
        "beta": beta,
        "gamma": largest / np.where(S > 0, S, 1.0),
        "S": S,
        "admissible": (beta <= 1) & (largest * 1e-9 < S) & (chi >= (1 if apart else 0)),
        "magnitude": largest / q,
    }


def direction_exact(x: Mapping[str, Any], *, apart: bool = False) -> Checked:
    """The averages m_i = g_i + off_i, with off in units of the largest entry of g."""
    g, lam, tilde = x["updates"], x["weights"], x["applied"]
    unit = max(abs(y) for v in g for y in v)
    m = [[a + unit * b for a, b in zip(v, e, strict=True)] for v, e in zip(g, x["errors"], strict=True)]
    own = [dot(v, v) for v in g]
    wrong = [sum((a - b) ** 2 for a, b in zip(u, v, strict=True)) for u, v in zip(m, g, strict=True)]
    d, G = weighted_sum(tilde, m), weighted_sum(tilde, g)
    mean, S = dot(lam, own), dot(G, G)
    beta = dot(lam, wrong) / (2 * mean) if mean > 0 else Fraction(2)
    far = sum((a - b) ** 2 / a for a, b in zip(lam, tilde, strict=True))
    met = {
        "weights on the simplex, lambda positive": sum(lam) == 1 == sum(tilde) and min(lam) > 0 and min(tilde) >= 0,
        "0 <= beta <= 1": 0 <= beta <= 1,
        "gamma is finite": S > 0,
        "chi^2 >= 1 where asked": not apart or far >= 1,
    }
    return met, {
        "T2": dot(d, d) / (x["eta_l"] * x["local_steps"]) ** 2,
        "K": x["local_steps"],
        "eta_l": x["eta_l"],
        "chi": far,
        "beta": beta,
        "gamma": max(own) / S if S > 0 else Fraction(0),
        "S": S,
    }


def _directions(*, apart: bool = False) -> World:
    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                Simplex("weights", n, interior=True),
                Simplex("applied", n),
                Signed("updates", 1e-2, 1e2, (n, dim)),
                Signed("errors", 1e-4, 2.0, (n, dim)),
                LogScale("eta_l", 1e-4, 1e2, at=(1.0,)),
                Choice("local_steps", (1.0, 2.0, 5.0, 50.0)),
            )
        )
        same = (permuted_clients(dict.fromkeys(("weights", "applied", "updates", "errors"), 0)),)
        how: dict[str, Any] = {"uses": (dot, weighted_sum), "cost": max(1.0, n / 75), "symmetries": same}
        return case(f"{n} clients, d = {dim}", space, direction, direction_exact, **how, apart=apart)

    # one client has χ² = 0
    sizes = (Size("N", 2 if apart else 1, 300, 3), Size("d", 1, 8, 2))
    return World(NOTATION, (Family("updates and averages" + ", χ² >= 1" * apart, sizes, at),))


_ABOVE = 8 * beta * W * gamma * S / _Q + 2 * S / _Q


def _last(spare: Any) -> Any:
    return 2 * (1 + 4 * beta * (chi + spare) * gamma) / _Q * S


ST23 = stated(
    r"""FA-ST2.3 (step; Bounding T₁ and T₂, A.4): T₂ with χ² in place of Σλ̃²/λ
    Print: T_2\le\frac8{\eta_l^2K^2}\beta\chi^2\gamma\mathbb E\|\tilde G\|^2+\frac2{\eta_l^2K^2}\mathbb E\|\tilde G\|^2
      =2\frac{1+4\beta\chi^2\gamma}{\eta_l^2K^2}\mathbb E\|\tilde G\|^2
    Plainly: The sum of squared weights is absorbed into χ² in the bound on T₂ as well.
    Assumes: λ and λ̃ on the simplex, λᵢ > 0; 0 <= β <= 1; γ >= 1 | of T₂ itself: Σλᵢ‖mᵢ − gᵢ‖² <= 2βΣλᵢ‖gᵢ‖², and
      Assumption A.1
    Reading: T₂ itself | T₂ = ‖Σλ̃ᵢmᵢ‖²/(η_lK)² of any updates and averages, β and γ the least numbers that serve. |
      part: the bound on T₂
    Reading: this line from the one before | 8βΣλ̃²/λ·γE‖G̃‖² + 2E‖G̃‖² on the left, for all weights and rates. | part:
      from the line before
    Reading: T₂ itself, χ² at least 1 | Weights so far apart that Σλ̃²/λ = χ² + 1 <= 2χ²: the 8 has room for the missing
      1. | part: the bound on T₂ | condition: χ² >= 1
    Reading: χ² + 1 in the β term | The identity Σλ̃²/λ = χ² + 1, line against line. | part: from the line before |
      edit: χ² + 1 in place of χ² in the β term | carries: no
    Mutant: χ² + ½ | the two sums differ by exactly 1
    Mutant: χ² at least 1, error of averaging dropped | with m = 2g the direction is 2G̃, and 4 > 2
    Rests on: FA-CHIW, FA-ST2.2
    Repeats: FA-CHIW
    Verdict: It is false near λ̃ = λ, where χ² vanishes and the averages still err: with equal updates g and all m = 2g
      it says 4 <= 2. Σλ̃²/λ = χ² + 1, so the line never follows from the one before when β > 0. Of T₂ itself less is
      needed, since the line before has 8β where 4β does: the bound holds for χ² >= 1, which is no case that the paper
      names. With χ² + 1 in the β term the line is right, but that term no longer vanishes with χ² (FA-CHIW). The last
      equality is right.""",
    says=le(T2, _last(0)),
    world=_directions(),
    readings={
        "this line from the one before": but(le(_ABOVE, _last(0)), world=constants()),
        "T₂ itself, χ² at least 1": _directions(apart=True),
        "χ² + 1 in the β term": but(le(_ABOVE, _last(1)), world=constants()),
    },
    mutants={
        "χ² + ½": but(le(_ABOVE, _last(sp.Rational(1, 2))), world=constants()),
        "χ² at least 1, error of averaging dropped": but(le(T2, 2 / _Q * S), world=_directions(apart=True)),
    },
)

_BOUND_1 = 4 * (L**2 + (1 + 2 * beta) * chi / _Q) * gamma * S
_BOUND_2 = 2 * (1 + 4 * beta * chi * gamma) / _Q * S
_INSERTED = 2 / (K * eta) * (fall + K * eta / 2 * (_BOUND_1 + _FLOOR) + L / 2 * (K * eta) ** 2 * _BOUND_2)

S161 = stated(
    r"""FA-S16.1 (step; Putting together, first line, A.4): T₁ and T₂ inserted into (14)
    Print: \mathbb E\|\nabla f\|^2\le\frac{2(\cdot)}{\eta K}+4c\eta_l^2L^2K\sigma_l^2+4\big(L^2+\frac{(1+2\beta)\chi^2}{
      \eta_l^2K^2}\big)\gamma\mathbb E\|\tilde G\|^2+L\tilde\eta\cdot2\frac{1+4\beta\chi^2\gamma}{\eta_l^2K^2}\mathbb E
      \|\tilde G\|^2
    Plainly: Equation (14) multiplied by 2/η̃, with the bounds on T₁ and T₂.
    Assumes: positive constants; η̃ = Kη
    Reading: term by term | Both sides as functions of the terms they are built from.
    Mutant: T₂ without its factor 2 | T₂ is bounded by twice the fraction
    Verdict: The terms agree, given the printed bounds on T₁ (FA-ST1.3) and T₂ (FA-ST2.3), which are false near λ̃ = λ.""",
    says=identity(_INSERTED, 2 * fall / (eta * K) + _FLOOR + _BOUND_1 + L * K * eta * _BOUND_2),
    mutants={
        "T₂ without its factor 2": identity(
            _INSERTED, 2 * fall / (eta * K) + _FLOOR + _BOUND_1 + L * K * eta * _BOUND_2 / 2
        )
    },
)

_ONE_NOISE = K * eta_l**2 * sigma2

S162 = stated(
    r"""FA-S16.2 (step; Putting together, second line, A.4): Variance of the applied pseudo-gradient
    Print: \mathbb E\|\tilde G^t\|^2\le K\eta_l^2\sigma_l^2+\rho^t(\tilde\lambda)
    Plainly: The second moment of the applied pseudo-gradient is at most one client's noise plus the applied consensus.
    Assumes: A4.3; given xᵗ; convex clients; λ̃ FedAWARE's weights of smallest norm; with α = 1 and everybody present
      they see the round's noise
    Reading: weights of smallest norm, which see the noise | Three clients with K = 1, every outcome. | because: A.4's
      own weights
    Reading: weights fixed in advance | λ̃ does not depend on the round's noise. | condition: weights fixed before the
      round's samples
    Mutant: half of the noise | one client alone has the whole of it
    Tight: all weight on one client
    Rests on: FA-VAR
    Verdict: False for FedAWARE's own weights, which A.4 fixes as those of smallest norm and which see the round.
      Weights computed from the noisy updates can add to the variance: with rare large noise the smallest of three
      updates varies more than any single one. For weights fixed in advance it holds.""",
    says=le(variance, _ONE_NOISE),
    world=seen((3, "smallest"), asked="noise"),
    readings={"weights fixed in advance": seen((1, "fixed"), (2, "fixed"), (4, "fixed"), asked="noise")},
    mutants={
        "half of the noise": but(le(variance, _ONE_NOISE / 2), world=seen((1, "fixed"), (2, "fixed"), asked="noise"))
    },
)

_FACTOR_16 = 4 * (L**2 + (1 + 2 * beta) * chi / _Q) * gamma + 2 * L * K * eta * (1 + 4 * beta * chi * gamma) / _Q


def _collected(first: Any) -> Any:
    noise = 4 * (c + (1 + (1 + 2 * beta) * chi / (eta_l**2 * L**2 * K**2)) * gamma) * eta_l**2 * L**2 * K * sigma2
    bracket = 1 + first * gamma + 2 * (1 + 2 * beta) * chi * gamma / (eta * K * L) + 4 * beta * chi * gamma
    right = noise + 2 * L * (1 + 4 * beta * chi * gamma) * eta * sigma2 + 2 * eta * L * bracket * rho / (eta_l**2 * K)
    return le(_FLOOR + _FACTOR_16 * (K * eta_l**2 * sigma2 + rho), right)


S163 = stated(
    r"""FA-S16.3 (step; before (16), A.4): Coefficients of noise and consensus
    Print: 4\Big(c+\Big(1+\frac{(1+2\beta)\chi^2}{\eta_l^2L^2K^2}\Big)\gamma\Big)\eta_l^2L^2K\sigma_l^2+2L(1+4
      \beta\chi^2\gamma)\eta\sigma_l^2+2\eta L\Big(1+\frac{L\gamma}{8\eta_g}+\frac{2(1+2\beta)\chi^2\gamma}{\eta KL}+4
      \beta\chi^2\gamma\Big)\frac{\rho^t(\tilde\lambda)}{\eta_l^2K}
    Plainly: Under η_l <= 1/(8LK) the collected terms are at most the printed coefficients of σ_l² and of ρ.
    Assumes: η_l <= 1/(8LK), η = η_lη_g, γ >= 1, 0 <= β <= 1 | any λ̃ on the simplex
    Reading: in any units | L may have any size.
    Reading: L at least 2 | Units of the loss chosen so that L >= 2. | condition: L >= 2
    Reading: with the factor of the derivation | 1/(4η_g) in place of L/(8η_g). | edit: 1/(4η_g) in place of L/(8η_g):
      no L, and 4 for 8 | forced by: the line before: 4L²γρ = 2ηL·(2Lη_lKγ/η_g)·ρ/(η_l²K), at most the factor γ/(4η_g)
      by η_l <= 1/(8LK) | wrong form in: FA-E16 | carries: no | because: two tokens, and (16) uses the wrong form
    Mutant: half of the derived factor | at η_l = 1/(8LK), with γ large, χ² = 0 and η_g small, the derived factor is
      attained
    Tight: η_l = 1/(8LK)
    Verdict: It is false in general units: the derivation gives γ/(4η_g) where Lγ/(8η_g) is printed. The L too many
      leaves the line without consistent units, and 1/8 is half of what 4L²γρ with η_l <= 1/(8LK) needs. So it fails for
      small L and holds when units are chosen with L >= 2. With the derived factor it holds in all units, but (16) takes
      the printed one. The coefficients of σ_l² agree exactly.""",
    says=_collected(L / (8 * eta_g)),
    world=constants(),
    readings={
        "L at least 2": but(_collected(L / (8 * eta_g)), world=constants(2.0)),
        "with the factor of the derivation": _collected(1 / (4 * eta_g)),
    },
    mutants={"half of the derived factor": _collected(1 / (8 * eta_g))},
)

S164 = stated(
    r"""FA-S16.4 (step; before (16), A.4): Averaging a product over the rounds
    Print: \frac1T\sum_t\chi^2_{\lambda\|\tilde\lambda^t}\rho^t(\tilde\lambda)\le\tilde\chi\cdot\frac1T\sum_t\rho^t(
      \tilde\lambda),\quad\text{with the factors }2(1+2\beta)\gamma\text{ and }4\beta\gamma
    Plainly: The mean of χ² times ρ over the rounds is replaced by the product of their means.
    Assumes: λ̃ᵗ the weights of smallest norm over the averages; runs of convex clients without noise
    Reading: FedAWARE's own weights | Its runs on the line, everybody present, m⁰ = g⁰, any α; the weights are unique. |
      because: A.4's own weights
    Reading: the same weights in every round | λ̃ constant, hence χ² constant. | condition: the same λ̃ in every round
    Mutant: half of the product | with constant χ² the mean of the product is the product of the means
    Tight: constant weights
    Verdict: False for FedAWARE's own weights, which are those of A.4: the mean of a product is at most the product of
      the means only when χ² and ρ do not rise together. In its runs far out all weight is on the client with the
      weakest pull, nearer on the one whose minimum comes first, and where the former has the smaller share χ² falls
      together with ρ. It is an equality for weights that stay the same; otherwise the mean of χ²ρ, as in Corollary
      4.1's Ψ̃, has to stay.""",
    says=le(chi_rho, chi * rho),
    world=unturned(averaged=True),
    readings={"the same weights in every round": turning(1)},
    mutants={"half of the product": but(le(chi_rho, chi * rho / 2), world=turning(1))},
)

_START = 2 * F / (eta * T * K)
_NOISE = (
    4 * (c + gamma + (1 + 2 * beta) * chi * gamma / (eta_l**2 * L**2 * K**2)) * eta_l**2 * L**2 * K * sigma2
    + 2 * L * (1 + 4 * beta * chi * gamma) * eta * sigma2
)


def _bound(first: Any) -> Any:
    apart = 2 * (1 + 2 * beta) * chi * gamma / (eta * K * L) + 4 * beta * chi * gamma
    return _START + _NOISE + 2 * eta * L * (1 + first + apart) * rho / (eta_l**2 * K)


_PRINTED, _DERIVED = le(mean_square, _bound(L * gamma / (8 * eta_g))), le(mean_square, _bound(gamma / (4 * eta_g)))
_FRESH = _bound(gamma / (4 * eta_g)).subs(beta, 0)
_SOME = attending((1, 1, 5), (2, 1, 3), always=False, own=True)
_SMALL_ALWAYS = attending((1, 1, 4), (2, 2, 12), (3, 1, 6), always=True, small=True)
_SMALL = fedavg(*_SMALL_ALWAYS.cases, *attending((1, 1, 5), (2, 1, 3), always=False, small=True).cases)
_BOTH = fedavg(*attending((1, 1, 4), always=True).cases, *attending((1, 1, 5), always=False, own=True).cases)
_ONE = (one_run(1, 1, 1, 1, rows=1, server=(1e-2, 1.0)), one_run(1, 1, 2, 3, rows=1, server=(1e-2, 1.0)))

E16 = stated(
    r"""FA-E16 (theorem; Eq. (16), A.4): Explicit bound for FedAWARE with partial participation
    Print: \frac1T\sum_t\mathbb E\|\nabla f(x^t)\|^2\le\frac{2(f(x^0)-\mathbb E f(x^T))}{\eta TK}+4\Big(c+\gamma+
      \frac{(1+2\beta)\tilde\chi\gamma}{\eta_l^2L^2K^2}\Big)\eta_l^2L^2K\sigma_l^2+2L(1+4\beta\tilde\chi\gamma)
      \eta\sigma_l^2+2\eta L\Big(1+\frac{L\gamma}{8\eta_g}+\frac{2(1+2\beta)\tilde\chi\gamma}{\eta KL}+4
      \beta\tilde\chi\gamma\Big)\frac1T\sum_t\frac{\rho^t(\tilde\lambda)}{\eta_l^2K}
    Plainly: FedAWARE with moving averages obeys a bound like (13), with further coefficients multiplied by β.
    Assumes: every fᵢ is L-smooth (A4.2); no noise is needed to refute | Assumption A.1 for every λ' in the simplex;
      1/(√c K L) <= η_l <= 1/(8LK) | mᵢ⁰ = gᵢ⁰; client i takes part with probability p; β = (1 − αp)²; 0 < α <= 1 | λ̃
      the weights of smallest norm over all mᵢ
    Reading: as printed, everybody takes part | p = 1; E‖G̃‖² stands for ρ, which can only enlarge the right side. | cut
      participation = everybody, α any
    Reading: as printed, α = 0.5 and p = 0.1 | The experiments' values, β = 0.9025; each client independently. | cut
      participation = α = 0.5, p = 0.1 of Sec. 5 and B.1 | because: A.4 has «β ≪ 1 in practice», and these are its
      practice
    Reading: β at most 1/100, L at least 2 | «β ≪ 1» taken at its word, α and p at least 0.95, in units with L >= 2; no
      noise, up to three clients. | condition: β <= 1/100 | condition: L >= 2 | condition: no noise | because: no
      setting of the paper: its β is 0.83 to 0.98
    Reading: γ/(4η_g) in place of Lγ/(8η_g) | The term that the derivation gives; moving averages and random
      participation as before. | edit: γ/(4η_g) in place of Lγ/(8η_g)
    Reading: γ/(4η_g), no moving average, everybody takes part | α = p = 1, so m = g and β = 0; one λ̃ fixed in advance;
      convex clients, additive noise; ρ given xᵗ. | condition: α = p = 1 | condition: λ̃ fixed in advance | condition:
      convex clients | edit: γ/(4η_g) in place of Lγ/(8η_g)
    Mutant: starting term dropped in the last form | one client far from its optimum, small steps and little noise: the
      remaining terms are of order ηL‖∇f‖²
    Mutant: consensus term dropped in the last form | with ηL > 1, one client and little noise the starting term is 2(1
      − ηL/2)‖∇f‖² < ‖∇f‖²
    Tight: not known to be tight
    Rests on: FA-E14, FA-E15, FA-REC, FA-CHIW, FA-ST1.3, FA-ST2.3, FA-S16.3, FA-S16.4, FA-VAR, FA-AA.1
    Verdict: It is false, also at α = 0.5 and p = 0.1 of the experiments, where β = 0.9025. For a single client χ² = 0
      and γ = 1, so every term with β vanishes, and the bound does not know that the step follows a moving average. It
      keeps pointing where the gradient pointed long ago: the model runs through the optimum, f(x⁰) − f(x^T) returns to
      0 or below, and the rest, about 2ηKL times the left side, is too small. Neither noise nor heterogeneity is needed.
      γ/(4η_g) in place of Lγ/(8η_g) does not help. With β <= 1/100, L >= 2 and no noise it held, but then nearly
      everybody takes part. With α = p = 1, weights fixed in advance and the corrected term it held for convex clients.""",
    says=_PRINTED,
    world=attending((1, 1, 4), (1, 2, 12), always=True),
    readings={
        "as printed, α = 0.5 and p = 0.1": _SOME,
        "β at most 1/100, L at least 2": _SMALL,
        "γ/(4η_g) in place of Lγ/(8η_g)": but(_DERIVED, world=_BOTH),
        "γ/(4η_g), no moving average, everybody takes part": but(
            le(mean_square, _FRESH), world=fedavg(runs("constant weights, noise", rows=1))
        ),
    },
    mutants={
        "starting term dropped in the last form": but(le(mean_square, _FRESH - _START), world=fedavg(*_ONE)),
        "consensus term dropped in the last form": but(
            le(mean_square, (_START + _NOISE).subs(beta, 0)),
            world=fedavg(one_run(1, 1, 1, 1, rows=1, server=(1.0, 1e2))),
        ),
    },
)


def both_bounds(x: Instance) -> Mapping[str, Any]:
    """The right sides of (16) and of (13), term by term."""
    eta, chi, gamma = x["eta_l"] * x["eta_g"], x["chi"], x["gamma"]
    beta = x.get("beta", np.zeros_like(eta))
    Psi = x["rho"] / (x["eta_l"] ** 2 * x["K"])
    first = 2 * x["drop"] / (x["T"] * x["K"] * eta)
    drift = 4 * (x["eta_l"] * x["L"]) ** 2 * x["K"] * x["noise"]
    step, cross = chi * gamma / (x["eta_l"] * x["L"] * x["K"]) ** 2, chi * gamma / (eta * x["K"] * x["L"])
    ratio, noise = x["L"] * gamma / x["eta_g"], eta * x["L"] * x["noise"]
    full = first + noise + drift * (x["c"] + gamma + step / 2) + eta * x["L"] * Psi * (1 + ratio / 2 + 2 * cross)
    inner = 1 + ratio / 8 + 2 * (1 + 2 * beta) * cross + 4 * beta * chi * gamma
    part = first + drift * (x["c"] + gamma + (1 + 2 * beta) * step) + 2 * noise * (1 + 4 * beta * chi * gamma)
    return {"partial": part + 2 * eta * x["L"] * Psi * inner, "full": full}


def both_bounds_exact(x: Mapping[str, Any]) -> Checked:
    """The right sides of (13) and of (16), with beta as given or 0, written out from the print."""
    T, K, eta_l, L, c, gamma, chi = (x[k] for k in ("T", "K", "eta_l", "L", "c", "gamma", "chi"))
    beta = x.get("beta", Fraction(0))
    eta_g, noise, drop, rho = x["eta_g"], x["noise"], x["drop"], x["rho"]
    eta = eta_l * eta_g
    Psi = rho / (eta_l**2 * K)
    full = 2 * drop / (T * K * eta) + eta * L * noise
    full += 4 * (c + gamma + chi * gamma / (2 * (eta_l * L * K) ** 2)) * (eta_l * L) ** 2 * K * noise
    full += eta * L * (1 + L * gamma / (2 * eta_g) + 2 * chi * gamma / (eta * K * L)) * Psi
    part = 2 * drop / (eta * T * K) + 2 * L * (1 + 4 * beta * chi * gamma) * eta * noise
    part += 4 * (c + gamma + (1 + 2 * beta) * chi * gamma / (eta_l * L * K) ** 2) * (eta_l * L) ** 2 * K * noise
    inner = 1 + L * gamma / (8 * eta_g) + 2 * (1 + 2 * beta) * chi * gamma / (eta * K * L) + 4 * beta * chi * gamma
    part += 2 * eta * L * inner * Psi
    return {"all constants positive": min(x.values()) >= 0}, {"partial": part, "full": full}


_CONSTANTS = ("T", "K", "eta_l", "L", "c", "gamma", "chi", "eta_g", "noise", "drop", "rho")


def _bounds(words: str, *factor: Uniform) -> World:
    space = Space((*(LogScale(name, 1e-2, 1e2, at=(1.0,)) for name in _CONSTANTS), *factor))
    return World(NOTATION, (case(f"any constants, {words}", space, both_bounds, both_bounds_exact, cost=2.5),))


_SETTINGS = numbers(NOTATION, "the settings of §5", Choice("alpha", (0.1, 0.3, 0.5, 0.7, 0.9)))

R11 = stated(
    r"""FA-R11 (remark; A.4, after (16)): Partial participation costs only terms in β
    Print: \text{RHS}(16)=\text{RHS}(13)+\beta(\cdots),\quad\beta=(1-\alpha p)^2\ll1\text{ in practice}
    Plainly: Compared with (13), partial participation only adds minor terms multiplied by β, which is small.
    Assumes: the right sides of (13) and (16) as printed, any positive constants
    Open (nowhere) only: «only induces additional minor coefficients multiplied by β»: beyond that equal, or up to a
      constant factor, is not said
    Reading: nothing but β terms | At β = 0 the right side of (16) is no larger than that of (13). | part: «only induces
      additional … coefficients multiplied by β» | option only = else equal
    Reading: nothing but β terms, up to a factor 2 | At β = 0, twice (13). | part: «only induces additional …
      coefficients multiplied by β» | option only = else of the same order
    Reading: β small in practice | β <= 1/2 at α of §5 and 10 of 100 clients. | part: «As β ≪ 1 in practice» | because:
      0.9025 at the paper's own α and p: false by any threshold
    Mutant: a factor 2 for every β | the term 4βχ̃γ multiplies ησ_l² and has no counterpart in (13)
    Tight: the terms in χ̃ and σ_l² for the factor 2
    Rests on: FA-E13, FA-E16
    Verdict: Its second half is false: β is not small in the paper's own practice, 0.95² = 0.9025 with 10 of 100 clients
      a round and α = 0.5. At α = 0.9 it is still 0.83. So the added terms are as large as the others, and the
      robustness argued from β ≪ 1 has no ground in these settings. The first half, on the form, is open: at β = 0 the
      bound (16) does not become (13), as the terms in ησ_l², in Ψ̃ and in χ̃σ_l² are twice as large; up to that factor
      2 it holds, and what «only» allows is not printed.""",
    says=le(partial, full),
    world=_bounds("β = 0"),
    readings={
        "nothing but β terms, up to a factor 2": le(partial, 2 * full),
        "β small in practice": but(le((1 - NOTATION.symbols("alpha") / 10) ** 2, sp.Rational(1, 2)), world=_SETTINGS),
    },
    mutants={
        "a factor 2 for every β": but(
            le(partial, 2 * full), world=_bounds("any β", Uniform("beta", 0.0, 1.0, at=(0.0, 1.0)))
        )
    },
)

CLAIMS: tuple[Claim, ...] = (
    E14,
    S141,
    S142,
    S143,
    E15,
    REC,
    SREC1,
    SREC2,
    SREC3,
    SREC4,
    SREC5,
    SREC6,
    CHIW,
    ST11,
    ST12,
    ST13,
    ST21,
    ST22,
    ST23,
    S161,
    S162,
    S163,
    S164,
    E16,
    R11,
)

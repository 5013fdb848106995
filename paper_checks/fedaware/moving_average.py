"""A.4: how far a client's moving average is from its newest update, printed and step by step."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedaware.notation import NOTATION, Checked
from theory.worlds.hull import squares
from validation import Case, Choice, Claim, Family, Instance, LogScale, Signed, Size, Space, Uniform
from validation.statement.forms.vectors import inner, square
from validation.statement.forms.vectors import vectors as free_vectors
from validation.world import Domain, Parameter, VectorInequality, World, case, identity, le, mutant, reading, step

__all__ = ["CLAIMS"]

beta, lag2, newest, before, ceiling, top = NOTATION.symbols("beta lag2 newest before ceiling top")
alpha, p = sp.symbols("alpha p", positive=True)
_b = sp.symbols("b", positive=True)
_u, _v, _w = free_vectors("u v w")
_SHARE = Domain((Parameter("b", 0, 1),))
_OWN_SHARE = Domain((Parameter("b", Fraction(1, 20), 1),))  # from αp of B.1 on, so that some client takes part


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


def _lagging(T: int, d: int, *, own: bool = False) -> Case:
    mixed, chance = Uniform("alpha", 0.01, 1.0, at=(0.5, 1.0)), Uniform("p", 0.01, 1.0, at=(0.1, 1.0))
    drawn = (Choice("alpha", (0.5,)), Choice("p", (0.1,))) if own else (mixed, chance)
    space = Space((Signed("updates", 1e-2, 1e2, (T + 1, d)), *drawn))
    name = f"{T} rounds, dimension {d}{', α = 0.5, p = 0.1' if own else ''}"
    return case(name, space, lagging, lagging_exact)


def _own_memory(T: int, *, least: float = 0.01) -> Case:
    space = Space((Uniform("alpha", least, 1.0, at=(0.5, 1.0) if least < 0.5 else ()), LogScale("step", 1e-3, 2.0)))
    name = f"one client's own run, {T} rounds{'' if least < 0.5 else f', α >= {least:g}'}"
    return case(name, space, own_memory, own_memory_exact, rounds=T)


_AVERAGES = World(NOTATION, tuple(_lagging(t, d) for t, d in ((1, 1), (2, 2), (5, 2), (8, 1))))

REC = step(
    "FA-REC",
    "after (15), A.4",
    "Error of the moving average",
    printed=r"\mathbb E\|m_i^t-g_i^t\|^2\le2\beta\,\mathbb E\|g_i^t\|^2,\qquad\beta=(1-\alpha p_i)^2",
    plainly="A moving average is within 2β times the newest squared update of that update.",
    assumes=["mᵢ⁰ = gᵢ⁰, participation with probability p in every later round, independent of the updates"],
    says=le(lag2, 2 * beta * newest),
    world=_AVERAGES,
    readings=[
        reading(
            "any updates",
            "Given sequences of updates; expectation over participation.",
            cuts={"updates": "any sequence"},
        ),
        reading(
            "the updates of a real run",
            "One quadratic client, everybody takes part, FedAWARE along its own moving average.",
            world=World(NOTATION, tuple(_own_memory(t) for t in (1, 2, 5, 20))),
            because="false for every β > 0: the newest update may be as small as one likes",
        ),
        reading(
            "any updates, α = 0.5 and p = 0.1",
            "The experiments' values, β = 0.9025; given sequences of updates.",
            world=World(NOTATION, (_lagging(1, 1, own=True), _lagging(2, 2, own=True))),
            cuts={"updates": "any sequence, with α = 0.5 and p = 0.1 of Sec. 5 and B.1"},
            because="A.4 has «β ≪ 1 in practice», and these are its practice",
        ),
        reading(
            "the updates of a real run, β at most 1/100",
            "The same run with α >= 0.9.",
            world=World(NOTATION, tuple(_own_memory(t, least=0.9) for t in (1, 2, 5))),
            cuts={"updates": "of a real run, β <= 1/100"},
            because="«β ≪ 1» taken at its word",
        ),
    ],
    mutants=[
        mutant("β² in place of β", le(lag2, 2 * beta**2 * newest), "with p = 1 and g¹ = −g⁰ the left side is 4β‖g‖²")
    ],
    rests_on=["FA-SREC.1", "FA-SREC.2", "FA-SREC.3", "FA-SREC.4", "FA-SREC.5", "FA-SREC.6"],
    verdict="""Two rounds with full participation refute it: when the update is less than √2 − 1 = 0.41 times the one
        before, or turns round and is less than √2 + 1 = 2.41 times as long, the average remembers more than 2β times
        the newest square allows. A single client that follows its own moving average does that by itself when it comes
        near its optimum. Nothing hangs on the size of β: both sides of the first round have the factor β when p = 1, so
        a β as small as one likes does not help. At α = 0.5, p = 0.1, the paper's setting, β = 0.9025 is not small
        either.""",
)

_CHANCES = (Fraction(1, 10), Fraction(1, 2), Fraction(1, 3), Fraction(9, 10))
_RANDOM, _MEAN = p * (1 - alpha) ** 2 + (1 - p), (1 - alpha * p) ** 2

SREC1 = step(
    "FA-SREC.1",
    "recursion for m − g, first line, A.4",
    "Random participation replaced by its mean",
    printed=r"\mathbb E\|m_i^t-g_i^t\|^2=\mathbb E\|(1-p_i)m_i^{t-1}+p_i((1-\alpha)m_i^{t-1}+\alpha g_i^t)-g_i^t\|^2",
    plainly="""The expected squared error under random participation is the squared error of the mean over
        participation.""",
    assumes=["i takes part with probability pᵢ, independently of the past", "factors of ‖m' − g‖² are compared"],
    says=identity(_RANDOM, _MEAN, sample=_CHANCES),
    readings=[
        reading(
            "participation random, 0 < p < 1",
            "m is m' with chance 1 − p and (1 − α)m' + αg with chance p.",
            because="the section is about partial participation; B.1 has p = 0.1",
        ),
        reading(
            "everybody always takes part",
            "p = 1.",
            identity(_RANDOM.subs(p, 1), _MEAN.subs(p, 1), sample=_CHANCES),
            conditions=["p = 1"],
            because="the paper's full participation goes with α = 1 (Sec. 4.2), where m = g and the line is 0 = 0",
        ),
        reading(
            "with the variance of participation",
            "α²p(1 − p)‖m' − g‖² added on the right.",
            identity(_RANDOM, _MEAN + alpha**2 * p * (1 - p), sample=_CHANCES),
            edits=["α²p(1 − p)‖m' − g‖² added on the right"],
            carries=False,
            because="the factor of the recursion is then no longer (1 − αp)²",
        ),
    ],
    mutants=[
        mutant(
            "variance with p² in place of p(1 − p)",
            identity(_RANDOM, _MEAN + alpha**2 * p**2, sample=_CHANCES),
            "the variance of a Bernoulli variable is p(1 − p)",
        )
    ],
    verdict="""For 0 < p < 1 it is false: the square of a mean is not the mean of the square, and the right side is too
        small by α²p(1 − p)‖m' − g‖². With α one half and p a tenth, as in the experiments, the true factor is
        1 − 1/10 + 1/10 × (1 − 1/2)² = 0.925 against (1 − 1/2 × 1/10)² = 0.9025.
        It is an equality only for full participation (or none), and the section is about partial participation. With
        the missing term added it is an equality too, but the factor of the recursion is then no longer (1 − αp)².""",
)

_FACTOR, _OLD, _CHANGE = (1 - _b) ** 2, square(_u - _w), square(_w - _v)

SREC2 = step(
    "FA-SREC.2",
    "before (15) is used, A.4",
    "The moving average's error rewritten",
    printed=r"(1-p)m'+p((1-\alpha)m'+\alpha g)-g=(1-\alpha p)(m'-g')+(1-\alpha p)(g'-g)",
    plainly="The error is (1 − αp) times the old error plus (1 − αp) times the change of the update; b = αp.",
    assumes=["any vectors; expectations of both sides follow"],
    says=identity(square((1 - _b) * _u + _b * _v - _v), _FACTOR * square((_u - _w) + (_w - _v))),
    readings=[reading("for all vectors", "Path by path, in every dimension.")],
    mutants=[
        mutant(
            "power of 1 − αp lost",
            VectorInequality(
                _FACTOR * square((_u - _w) + (_w - _v)), (1 - _b) ** 3 * square((_u - _w) + (_w - _v)), _SHARE
            ),
            "for 0 < αp < 1 the factor is smaller",
        )
    ],
    verdict="An identity in m' = u, g = v, g' = w.",
)

# What is added on the left under the condition is at least 0 there, so the printed left side is at most the one judged.
_SUM = _FACTOR * square(_u - _v)

SREC3 = step(
    "FA-SREC.3",
    "recursion for m − g, A.4",
    "Error and change separated",
    printed=r"(1-\alpha p_i)^2\|m'-g'+g'-g\|^2\le(1-\alpha p_i)^2\|m'-g'\|^2+(1-\alpha p_i)^2\|g'-g\|^2",
    plainly="The squared sum of the old error and the change is at most the sum of the squares.",
    assumes=["any vectors m', g' of the round before and g of this one; αpᵢ in [0, 1]"],
    says=VectorInequality(_SUM, _FACTOR * (_OLD + _CHANGE), _OWN_SHARE),
    readings=[
        reading("for all vectors", "As printed, for αpᵢ from 1/20, that of B.1, to 1."),
        reading(
            "⟨m' − g', g' − g⟩ <= 0",
            "The update turns towards the average; −2(1 − αp)²⟨m' − g', g' − g⟩ >= 0 is added to the left side.",
            VectorInequality(_SUM - 2 * _FACTOR * inner(_u - _w, _w - _v), _FACTOR * (_OLD + _CHANGE), _SHARE),
            conditions=["⟨m' − g', g' − g⟩ <= 0"],
        ),
        reading(
            "factor 2",
            "With the factors that two summands need.",
            VectorInequality(_SUM, 2 * _FACTOR * (_OLD + _CHANGE), _SHARE),
            edits=["a factor 2 on the right"],
            carries=True,
            because="A.4 has β = (1 − αp)² ≪ 1, and the recursion then contracts where 2β < 1",
        ),
    ],
    mutants=[
        mutant(
            "change dropped",
            VectorInequality(_SUM, _FACTOR * 2 * _OLD, _SHARE),
            "with m' = g' the old error is 0, the new one is not",
        )
    ],
    rests_on=["FA-SREC.2"],
    verdict="""It is false unless ⟨m' − g', g' − g⟩ <= 0, which the paper does not assume: ‖a + b‖² <= ‖a‖² + ‖b‖² needs
        ⟨a, b⟩ <= 0. Here a = m' − g' and b = g' − g point the same way whenever an average lags behind updates that
        keep moving in one direction. With a factor 2 the step holds, and the recursion contracts where 2(1 − αp)² < 1,
        as it does where β = (1 − αp)² is small, which A.4 takes it to be. With α one half and a tenth of the clients, as
        in the experiments, it is 2 × (1 − 1/2 × 1/10)² = 1.805.""",
)

_SQUARES = square(_w) + square(_v)

SREC4 = step(
    "FA-SREC.4",
    "recursion for m − g, A.4",
    "The change bounded by the updates",
    printed=r"(1-\alpha p_i)^2\|g'-g\|^2\le(1-\alpha p_i)^2\|g'\|^2+(1-\alpha p_i)^2\|g\|^2",
    plainly="The squared change of the update is at most the sum of the two squared updates.",
    assumes=["any vectors m', g' of the round before and g of this one; αpᵢ in [0, 1]"],
    says=VectorInequality(_FACTOR * _CHANGE, _FACTOR * _SQUARES, _OWN_SHARE),
    readings=[
        reading("for all vectors", "As printed, for αpᵢ from 1/20, that of B.1, to 1."),
        reading(
            "⟨g', g⟩ >= 0",
            "Consecutive updates do not point apart; 2(1 − αp)²⟨g', g⟩ >= 0 is added to the left side.",
            VectorInequality(_FACTOR * _CHANGE + 2 * _FACTOR * inner(_w, _v), _FACTOR * _SQUARES, _SHARE),
            conditions=["⟨g', g⟩ >= 0"],
        ),
        reading(
            "factor 2",
            "With the factors that two summands need.",
            VectorInequality(_FACTOR * _CHANGE, 2 * _FACTOR * _SQUARES, _SHARE),
            edits=["a factor 2 on the right"],
            carries=True,
            because="""as in the line before (FA-SREC.3): with both factors the recursion is eₜ <= 2β(eₜ₋₁ + 2‖gᵗ⁻¹‖² +
                2‖gᵗ‖²), which unrolls in the same way""",
        ),
    ],
    mutants=[
        mutant(
            "new update dropped",
            VectorInequality(_FACTOR * _CHANGE, 2 * _FACTOR * square(_w), _SHARE),
            "with g' = 0 the change is g itself",
        )
    ],
    rests_on=["FA-SREC.2"],
    verdict="""It is false when the update turns round: g = −g' gives 4‖g‖² against 2‖g‖². It holds when consecutive
        updates do not point apart, ⟨g', g⟩ >= 0, which the paper does not assume. It holds always with a factor 2. With that and the one of FA-SREC.3 the recursion is eₜ <= 2β(eₜ₋₁ + 2‖gᵗ⁻¹‖² +
        2‖gᵗ‖²): it unrolls as printed, with 2β in place of β and twice the squares, and changes constants alone. What
        breaks the bound on m − g is the step after (FA-SREC.6).""",
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


def _barely(T: int) -> Case:
    """A few norms, and β at most 1/100."""
    norms, kept = LogScale("norms", 1e-3, 1e3, (T + 1,), at=(1.0,)), Uniform("kept", 0.0, 1.0, (T,), at=(1.0,))
    space = Space((norms, LogScale("beta", 1e-3, 1e-2, at=(1e-2,)), kept))
    return case(f"T = {T}, β <= 1/100", space, unrolled, unrolled_exact)


_NORMS = World(NOTATION, (Family("norms of updates", (Size("T", 1, 200, 5),), _unrolled),))
_BARELY = World(NOTATION, (_barely(1), _barely(2), _barely(5)))

SREC5 = step(
    "FA-SREC.5",
    "recursion for m − g, unrolled, A.4",
    "The recursion unrolled",
    printed=r"""\mathbb E\|m_i^t-g_i^t\|^2\le\sum_{\tau=0}^{t-1}\beta_i^{t-\tau}(\mathbb E\|g_i^\tau\|^2+
        \mathbb E\|g_i^{\tau+1}\|^2)""",
    plainly="Unrolled from m⁰ = g⁰, the recursion bounds the error by a sum of past squared updates with powers of β.",
    assumes=["the recursion of the line before: eₜ <= β(eₜ₋₁ + ‖gᵗ⁻¹‖² + ‖gᵗ‖²)", "e₀ = 0"],
    says=le(lag2, ceiling),
    world=_NORMS,
    readings=[
        reading(
            "given the recursion",
            "The step from the printed recursion; whether that recursion holds is FA-SREC.1, .3 and .4.",
        )
    ],
    mutants=[
        mutant(
            "last power lost",
            le(lag2, beta * ceiling),
            "with every step at its bound the two sides of the unrolled recursion are equal",
        )
    ],
    tight="every step at its bound",
    rests_on=["FA-SREC.4"],
    verdict="""As algebra the unrolling is right. Its premise is the refuted recursion, and «β ≪ 1» is not what the
        experiments use: α one half and a tenth of the clients give
        β = (1 − 1/2 × 1/10)² = 0.9025, and β + β² + … = 0.9025/(1 − 0.9025) = 9.26.""",
)

SREC6 = step(
    "FA-SREC.6",
    "recursion for m − g, simplified, A.4",
    "The accumulation neglected",
    printed=r"""\mathbb E\|m_i^t-g_i^t\|^2\le2\beta(\mathbb E\|g_i^{t-1}\|^2+\mathbb E\|g_i^t\|^2)\le2\beta\max(\mathbb
        E\|g_i^{t-1}\|^2,\mathbb E\|g_i^t\|^2)\le2\beta\mathbb E\|g_i^t\|^2""",
    plainly="The sum over the past is replaced by twice its last term, then by the larger, then by the newest update.",
    assumes=[
        "the recursion as the line before unrolls it: eₜ <= β(eₜ₋₁ + ‖gᵗ⁻¹‖² + ‖gᵗ‖²), e₀ = 0",
        "0 < β < 1, any squared norms of updates",
    ],
    says=le(lag2, 2 * beta * (before + newest)),
    world=_NORMS,
    readings=[
        reading("first: the last terms only", "The error against 2β(‖gᵗ⁻¹‖² + ‖gᵗ‖²).", part="first inequality"),
        reading(
            "all three: the newest update only",
            "The error against 2β‖gᵗ‖².",
            le(lag2, 2 * beta * newest),
            part="all three",
        ),
        reading(
            "first, β at most 1/100",
            "The same where the neglected powers of β are small.",
            world=_BARELY,
            part="first inequality",
            cuts={"β": "at most 1/100"},
            because="«β ≪ 1» taken at its word",
        ),
        reading(
            "all three, β at most 1/100",
            "The same.",
            le(lag2, 2 * beta * newest),
            world=_BARELY,
            part="all three",
            cuts={"β": "at most 1/100"},
            because="«β ≪ 1» taken at its word",
        ),
        reading(
            "the largest update ever, with β/(1 − β)",
            "2β/(1 − β) times the largest squared norm.",
            le(lag2, 2 * beta * top / (1 - beta)),
            part="all three",
            edits=["2β/(1 − β) times the largest squared update in place of 2β times the newest"],
            carries=False,
        ),
    ],
    mutants=[
        mutant(
            "a sum at most its larger summand",
            le(ceiling, beta * top),
            "two equal summands make twice the larger one; with T = 1 the left side is β(a₀ + a₁)",
        )
    ],
    rests_on=["FA-SREC.5"],
    verdict="""The text calls the step an approximation («This allows us to approximate the sum», «the accumulation can
        be neglected»), prints it with «<=» and goes on with it as a bound. As bounds none of the three holds: the
        recursion before allows the error to be as large as its sum. The middle one fails for any two positive numbers, whose sum
        exceeds the larger. In the first, updates that were large in the past, or a β near 1, make the neglected sum the
        larger part: the squares 2/β, 1 and 1 do it at every β. The third holds only when updates grow, which is not
        «without loss of generality»: for the squares 1 and ½ all three say 3β/2 <= β, at every β. What can be said is
        2β/(1 − β) times the largest update so far, but the lines after it need the newest alone.""",
)

CLAIMS: tuple[Claim, ...] = (REC, SREC1, SREC2, SREC3, SREC4, SREC5, SREC6)

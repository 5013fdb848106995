"""The recursion behind FA-REC that is about scalars: participation averaged (SREC.1), unrolled (SREC.5), cut off (SREC.6)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Size,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]

alpha, p, beta, newest, before, ceiling, top = symbols("alpha p beta newest before ceiling top")


_CHANCES = (Fraction(1, 10), Fraction(1, 2), Fraction(1, 3), Fraction(9, 10))

SREC1 = Claim(
    id="FA-SREC.1",
    kind=Kind.IDENTITY,
    source="recursion for m − g, first line, A.4",
    title="Random participation replaced by its mean",
    statement=(
        r"\mathbb E\|m_i^t-g_i^t\|^2=\mathbb E\|(1-p_i)m_i^{t-1}+p_i((1-\alpha)m_i^{t-1}+\alpha g_i^t)-g_i^t\|^2"
    ),
    says="The expected squared error under random participation is the squared error of the mean over participation.",
    assumes=("i takes part with probability pᵢ, independently of the past", "factors of ‖m' − g‖² are compared"),
    readings=(
        Reading(
            "participation random, 0 < p < 1",
            "m is m' with chance 1 − p and (1 − α)m' + αg with chance p.",
            Identity(p * (1 - alpha) ** 2 + (1 - p), (1 - alpha * p) ** 2, _CHANCES),
        ),
        Reading(
            "everybody always takes part",
            "p = 1.",
            Identity(((1 - alpha) ** 2 * p + (1 - p)).subs(p, 1), ((1 - alpha * p) ** 2).subs(p, 1), _CHANCES),
            repair="condition",
        ),
        Reading(
            "with the variance of participation",
            "α²p(1 − p)‖m' − g‖² added on the right.",
            Identity(p * (1 - alpha) ** 2 + (1 - p), (1 - alpha * p) ** 2 + alpha**2 * p * (1 - p), _CHANCES),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "variance with p² in place of p(1 − p)",
            Identity(p * (1 - alpha) ** 2 + (1 - p), (1 - alpha * p) ** 2 + alpha**2 * p**2, _CHANCES),
            "the variance of a Bernoulli variable is p(1 − p)",
        ),
    ),
    verdict_words=(
        "For 0 < p < 1 it is false: the square of a mean is not the mean of the square, and the right side is too "
        "small by α²p(1 − p)‖m' − g‖². At α = 0.5 and p = 0.1 of the experiments the true factor is 0.925 against "
        "0.9025. It is an equality only for full participation (or none), and the section is about partial "
        "participation. With the missing term added it is an equality too, but the factor of the recursion is then "
        "no longer (1 − αp)²."
    ),
)


def _sequences(x: Instance) -> Mapping[str, Any]:
    """Unrolled recursion of given squared norms a₀ … a_T; `kept` is how much of each step's bound is used."""
    a, b = x["norms"], x["beta"]
    T = a.shape[1] - 1
    error = np.zeros_like(b)
    for t in range(1, T + 1):
        error = x["kept"][:, t - 1] * b * (error + a[:, t - 1] + a[:, t])
    total = sum(b ** (T - k) * (a[:, k] + a[:, k + 1]) for k in range(T))
    return {
        "lhs": error if x["part"][0] == 0 else total,
        "beta": b,
        "newest": a[:, -1],
        "before": a[:, -2],
        "ceiling": total,
        "top": a.max(axis=1),
        "magnitude": a.max(axis=1),
    }


def sequences_exact(x: Mapping[str, Any]) -> Exact:
    """Squared norms of a sequence of updates, and the recursion for the error with each step's bound partly used."""
    a, b, error, T = x["norms"], x["beta"], Fraction(0), len(x["norms"]) - 1
    for t in range(1, T + 1):
        error = x["kept"][t - 1] * b * (error + a[t - 1] + a[t])
    total = sum(b ** (T - k) * (a[k] + a[k + 1]) for k in range(T))
    met = {"0 < beta < 1, steps at most as bounded": 0 < b < 1 and min(x["kept"]) >= 0 and max(x["kept"]) <= 1}
    return met, {
        "lhs": error if x["part"] == 0 else total,
        "beta": b,
        "newest": a[-1],
        "before": a[-2],
        "ceiling": total,
        "top": max(a),
    }


def _sequence_family(part: int) -> Family:
    def at(T: float) -> Case:
        n = int(T)
        coordinates = (
            LogScale("norms", 1e-3, 1e3, (n + 1,), at=(1.0,)),
            Uniform("beta", 0.001, 0.999, at=(0.25, 0.9025, 0.5)),
            Uniform("kept", 0.0, 1.0, (n,), at=(1.0,)),
            Choice("part", (float(part),)),
        )
        return Case(f"T = {n}", Space(coordinates), _sequences, ExactCheck(sequences_exact), cost=max(1.0, n / 50))

    return Family("norms of updates", (Size("T", 1, 200, 5),), at)


SREC5 = Claim(
    id="FA-SREC.5",
    kind=Kind.INEQUALITY,
    source="recursion for m − g, unrolled, A.4",
    title="The recursion unrolled",
    statement=(
        r"\mathbb E\|m_i^t-g_i^t\|^2\le\sum_{\tau=0}^{t-1}\beta_i^{t-\tau}(\mathbb E\|g_i^\tau\|^2+\mathbb E\|g_i^{\tau+1}\|^2)"
    ),
    says="Unrolled from m⁰ = g⁰, the recursion bounds the error by a sum of past squared updates with powers of β.",
    assumes=("the recursion of the line before: eₜ <= β(eₜ₋₁ + ‖gᵗ⁻¹‖² + ‖gᵗ‖²)", "e₀ = 0"),
    readings=(
        Reading(
            "given the recursion",
            "The step from the printed recursion; whether that recursion holds is FA-SREC.1, .3 and .4.",
            Inequality(Bound(ceiling, again=lambda ceiling: ceiling + 0), (_sequence_family(0),)),
        ),
    ),
    canaries=(
        Canary(
            "last power lost",
            Inequality(Bound(beta * ceiling), (_sequence_family(0),)),
            "with every step at its bound the two sides of the unrolled recursion are equal",
        ),
    ),
    tight="every step at its bound",
    depends_on=("FA-SREC.4",),
    verdict_words=(
        "As algebra the unrolling is right. Its premise is the refuted recursion, and «β ≪ 1» is not what the experiments "
        "use: α = 0.5 with 10% participation gives β = 0.9025, and β + β² + … = 9.26."
    ),
)

SREC6 = Claim(
    id="FA-SREC.6",
    kind=Kind.INEQUALITY,
    source="recursion for m − g, simplified, A.4",
    title="The accumulation neglected",
    statement=(
        r"\sum_{\tau=0}^{t-1}\beta^{t-\tau}(\|g^\tau\|^2+\|g^{\tau+1}\|^2)\le2\beta(\|g^{t-1}\|^2+\|g^t\|^2)"
        r"\le2\beta\max(\|g^{t-1}\|^2,\|g^t\|^2)\le2\beta\|g^t\|^2"
    ),
    says="The sum over the past is replaced by twice the last term, then by the larger, then by the newest update.",
    assumes=("0 < β < 1, any squared norms of updates",),
    readings=(
        Reading(
            "first: the last terms only",
            "The sum against 2β(‖gᵗ⁻¹‖² + ‖gᵗ‖²).",
            Inequality(
                Bound(
                    2 * beta * (before + newest),
                    again=lambda beta, before, newest: 2 * beta * before + 2 * newest * beta,
                ),
                (_sequence_family(1),),
            ),
        ),
        Reading(
            "all three: the newest update only",
            "The sum against 2β‖gᵗ‖².",
            Inequality(Bound(2 * beta * newest, again=lambda beta, newest: newest * beta * 2), (_sequence_family(1),)),
        ),
        Reading(
            "the largest update ever, with β/(1 − β)",
            "2β/(1 − β) times the largest squared norm.",
            Inequality(Bound(2 * beta * top / (1 - beta)), (_sequence_family(1),)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "a sum at most its larger summand",
            Inequality(Bound(beta * top), (_sequence_family(1),)),
            "two equal summands make twice the larger one; with T = 1 the left side is β(a₀ + a₁)",
        ),
    ),
    depends_on=("FA-SREC.5",),
    verdict_words=(
        "None of the three inequalities holds; the middle one fails for any two positive numbers, whose sum exceeds "
        "the larger. In the first, updates that were large in the past, or a β near 1, make the neglected sum the "
        "larger part. The third holds only when updates grow, which is not «without loss of generality». What can be "
        "said is 2β/(1 − β) times the largest update so far, but the lines after it need the newest alone."
    ),
)

CLAIMS: tuple[Claim, ...] = (SREC1, SREC5, SREC6)

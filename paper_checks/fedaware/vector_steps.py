"""Steps of A.2 to A.4 between norms and inner products of free vectors: descent, splitting, and the recursion for m − g."""

from __future__ import annotations

from typing import Any

import sympy as sp

from validation import Claim, symbols
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.vectors import inner, square, vectors
from validation.world.front import claim, mutant, reading

__all__ = ["CLAIMS"]

e, L, b = symbols("e L b")
HALF, THIRD = sp.Rational(1, 2), sp.Rational(1, 3)
grad, G, H, D, u, v, w = vectors("grad G H D u v w")
a1, a2, a3, s1, s2, s3 = vectors("a1 a2 a3 s1 s2 s3")
_STEP = Domain((Parameter("e"),))
_STEP_L = Domain((Parameter("e"), Parameter("L")))
_SHARE = Domain((Parameter("b", 0, 1),))
Side = Any


def _step(
    key: str,
    source: str,
    title: str,
    statement: str,
    says: str,
    sides: tuple[Side, Side],
    false: tuple[str, Side, Side, str],
    words: str,
    domain: Domain | None = None,
    depends: tuple[str, ...] = (),
) -> Claim:
    inside = domain or Domain()
    name, left, right, why = false
    return claim(
        key,
        level="step",
        at=source,
        title=title,
        printed=statement,
        plainly=says,
        says=VectorInequality(*sides, inside),
        mutants=(mutant(name, VectorInequality(left, right, inside), why),),
        readings=(reading("for all vectors", "Path by path, in every dimension."),),
        assumes=("any vectors; expectations of both sides follow",),
        rests_on=depends,
        verdict=words,
    )


_DOWN = -e * inner(grad, G)
_HALVES = -e / 2 * square(grad) + e / 2 * square(grad - G)
_ERROR = -e / 2 * square(grad) + e / 2 * square(grad - H) + L / 2 * e**2 * square(H)
_SPLIT = -e / 2 * square(grad) + e * square(grad - G) + e * square(G - H) + L / 2 * e**2 * square(H)

DESCENT = (
    _step(
        "FA-S11.1",
        "Eq. (11), first line, A.3",
        "Descent with the applied pseudo-gradient",
        r"-\tilde\eta\langle\nabla f,\bar G\rangle\le-\frac{\tilde\eta}2\|\nabla f\|^2+\frac{\tilde\eta}2\|\nabla f-\bar G\|^2",
        "The same descent step for the normalised applied pseudo-gradient.",
        (_DOWN, _HALVES),
        (
            "full gradient kept",
            _DOWN,
            -e * square(grad) + e / 2 * square(grad - G),
            "at Ĝ = 0 the right side is −η̃‖∇f‖²/2 < 0",
        ),
        "As in (6). It is about the normalised update x − η̃Ḡ, not the x − η̃G̃ that A.3 prints first.",
        _STEP,
        ("FA-S6.4",),
    ),
    _step(
        "FA-S11.2",
        "Eq. (11), last line, A.3",
        "Splitting off the reweighting",
        r"\|\nabla f-\hat G+\hat G-\bar G\|^2\le2\|\nabla f-\hat G\|^2+2\|\hat G-\bar G\|^2",
        "The error splits into that of FedAvg's own weights and that of reweighting.",
        (square(grad - G + (G - H)), 2 * square(grad - G) + 2 * square(G - H)),
        (
            "without the factor 2",
            square(grad - G + (G - H)),
            square(grad - G) + square(G - H),
            "equal summands give 4 on the left and 2 on the right",
        ),
        "‖a + b‖² <= 2‖a‖² + 2‖b‖².",
    ),
    _step(
        "FA-E11",
        "Eq. (11), A.3",
        "Descent of one round with other weights",
        r"-\frac{\tilde\eta}2\|\nabla f\|^2+\frac{\tilde\eta}2\|\nabla f-\bar G\|^2+\frac L2\tilde\eta^2\|\bar G\|^2\le"
        r"-\frac{\tilde\eta}2\|\nabla f\|^2+\tilde\eta\|\nabla f-\hat G\|^2+\tilde\eta\|\hat G-\bar G\|^2"
        r"+\frac L2\tilde\eta^2\|\bar G\|^2",
        "The descent of one round splits the error into that of FedAvg's weights and that of reweighting.",
        (_ERROR, _SPLIT),
        (
            "reweighting dropped",
            _ERROR,
            -e / 2 * square(grad) + e * square(grad - G) + L / 2 * e**2 * square(H),
            "at Ĝ = ∇f the error of Ḡ is the reweighting alone",
        ),
        "The first line is the descent lemma as in (6), the second the parallelogram bound; both hold.",
        _STEP_L,
        ("FA-S11.1", "FA-S11.2", "FA-S6.1"),
    ),
    _step(
        "FA-E14",
        "Eq. (14), A.4",
        "Descent of one round of FedAWARE",
        r"\mathbb E f(x^{t+1})-f(x^t)\le-\frac{\tilde\eta}2\mathbb E\|\nabla f\|^2+\frac{\tilde\eta}2\mathbb E\|\nabla f"
        r"-\hat d^t\|^2+\frac L2\tilde\eta^2\mathbb E\|\hat d^t\|^2",
        "The descent step along the moving-averaged direction.",
        (
            -e * inner(grad, D) + L / 2 * e**2 * square(D),
            -e / 2 * square(grad) + e / 2 * square(grad - D) + L / 2 * e**2 * square(D),
        ),
        (
            "quadratic term dropped",
            -e * inner(grad, D) + L / 2 * e**2 * square(D),
            -e / 2 * square(grad) + e / 2 * square(grad - D),
            "for a long step the term Lη̃²‖d̂‖²/2 exceeds η̃‖d̂‖²/2",
        ),
        "The left side is the descent lemma's bound on f(xᵗ⁺¹) − f(xᵗ) for smooth f; the rest is (6) with d̂ for Ĝ.",
        _STEP_L,
        ("FA-S6.1", "FA-S6.4"),
    ),
)

_MEAN = THIRD * (s1 + s2 + s3)
_TERMS = (grad - s1) + (grad - s2) + (grad - s3)
_LOCAL = (grad - a1 + a1 - s1) + (grad - a2 + a2 - s2) + (grad - a3 + a3 - s3)
CHAIN = (
    _step(
        "FA-S14.1",
        "Bounding T₁, second line, A.4",
        "Error of the AWARE direction split",
        r"\|\nabla f\pm\hat G-\hat d\|^2\le2\|\nabla f-\hat G\|^2+2\|\hat G-\hat d\|^2",
        "The error of the direction splits into that of FedAvg's and the rest.",
        (square(grad - G + G - D), 2 * square(grad - G) + 2 * square(G - D)),
        (
            "without the factor 2",
            square(grad - G + G - D),
            square(grad - G) + square(G - D),
            "equal summands give 4 on the left and 2 on the right",
        ),
        "‖a + b‖² <= 2‖a‖² + 2‖b‖².",
    ),
    _step(
        "FA-S14.2",
        "Bounding T₁, third and fourth line, A.4",
        "The applied pseudo-gradient added and subtracted",
        r"\|\sum_i\lambda_ig_i-\sum_i\tilde\lambda_im_i\|^2=\|\sum_i\lambda_ig_i\pm\sum_i\tilde\lambda_ig_i-\sum_i\tilde\lambda_im_i\|^2",
        "The applied pseudo-gradient is added and subtracted inside the norm.",
        (square(u - w), square(u - v + v - w)),
        ("added only", square(u - w), square(u + v - w), "with v = w − u the right side is 0"),
        "An identity.",
    ),
    _step(
        "FA-S14.3",
        "Bounding T₁, last line, A.4",
        "Three errors",
        r"T_1\le2\|\nabla f-\hat G\|^2+4\|\hat G-\bar G\|^2+\frac4{\eta_l^2K^2}\|\sum_i\tilde\lambda_ig_i-\sum_i\tilde\lambda_im_i\|^2",
        "The error of the direction is at most twice FedAvg's, four times reweighting and four times averaging.",
        (square(grad - D), 2 * square(grad - G) + 4 * square(G - H) + 4 * square(H - D)),
        (
            "2 in place of 4",
            square(grad - D),
            2 * square(grad - G) + 2 * square(G - H) + 2 * square(H - D),
            "three equal summands give 9 on the left and 6 on the right",
        ),
        "The bound for two summands, used twice.",
        depends=("FA-S14.1", "FA-S14.2"),
    ),
    _step(
        "FA-ST2.1",
        "Bounding T₂, first lines, A.4",
        "Size of the AWARE direction split",
        r"\|\sum_i\tilde\lambda_im_i\pm\sum_i\tilde\lambda_ig_i\|^2\le2\|\sum_i\tilde\lambda_i(m_i-g_i)\|^2+2\|\tilde G\|^2",
        "The size of the direction splits into the error of averaging and the applied pseudo-gradient.",
        (square(D - H + H), 2 * square(D - H) + 2 * square(H)),
        ("without the factor 2", square(D - H + H), square(D - H) + square(H), "d̂ = 2Ḡ gives 4 against 2"),
        "‖a + b‖² <= 2‖a‖² + 2‖b‖².",
    ),
    _step(
        "FA-SREC.2",
        "before (15) is used, A.4",
        "The moving average's error rewritten",
        r"(1-p)m'+p((1-\alpha)m'+\alpha g)-g=(1-\alpha p)(m'-g')+(1-\alpha p)(g'-g)",
        "The error is (1 − αp) times the old error plus (1 − αp) times the change of the update; b = αp.",
        (square((1 - b) * u + b * v - v), (1 - b) ** 2 * square((u - w) + (w - v))),
        (
            "power of 1 − αp lost",
            (1 - b) ** 2 * square((u - w) + (w - v)),
            (1 - b) ** 3 * square((u - w) + (w - v)),
            "for 0 < αp < 1 the factor is smaller",
        ),
        "An identity in m' = u, g = v, g' = w.",
        _SHARE,
    ),
)


def _refuted(
    key: str,
    title: str,
    statement: str,
    says: str,
    sides: tuple[Side, Side],
    condition: tuple[str, str, Side],
    repaired: tuple[str, Side, str],
    false: tuple[str, Side, str],
    words: str,
) -> Claim:
    name, right, why = false
    asked, how, gained = condition
    repair, right_repaired, because = repaired
    return claim(
        key,
        level="step",
        at="recursion for m − g, A.4",
        title=title,
        printed=statement,
        plainly=says,
        says=VectorInequality(*sides, _SHARE),
        readings=(
            reading("for all vectors", "As printed."),
            # gained >= 0 under the condition, so the printed left side is at most the one judged here.
            reading(asked, how, says=VectorInequality(sides[0] + gained, sides[1], _SHARE), conditions=(asked,)),
            reading(
                repair,
                "With the factors that two summands need.",
                says=VectorInequality(sides[0], right_repaired, _SHARE),
                edits=("a factor 2 on the right",),
                carries=False,
                because=because,
            ),
        ),
        mutants=(mutant(name, VectorInequality(sides[0], right, _SHARE), why),),
        assumes=("any vectors; b = αp in [0, 1]",),
        rests_on=("FA-SREC.2",),
        verdict=words,
    )


_OLD, _CHANGE = square(u - w), square(w - v)
_FACTOR = (1 - b) ** 2
RECURSION = (
    _refuted(
        "FA-SREC.3",
        "Error and change separated",
        r"(1-\alpha p_i)^2\|m'-g'+g'-g\|^2\le(1-\alpha p_i)^2\|m'-g'\|^2+(1-\alpha p_i)^2\|g'-g\|^2",
        "The squared sum of the old error and the change is at most the sum of the squares.",
        (_FACTOR * square(u - v), _FACTOR * (_OLD + _CHANGE)),
        (
            "⟨m' − g', g' − g⟩ <= 0",
            "The update turns towards the average; −2(1 − αp)²⟨m' − g', g' − g⟩ >= 0 is added to the left side.",
            -2 * _FACTOR * inner(u - w, w - v),
        ),
        ("factor 2", 2 * _FACTOR * (_OLD + _CHANGE), "the recursion then contracts only if 2(1 − αp)² < 1"),
        ("change dropped", _FACTOR * 2 * _OLD, "with m' = g' the old error is 0, the new one is not"),
        "It is false unless ⟨m' − g', g' − g⟩ <= 0, which the paper does not assume: ‖a + b‖² <= ‖a‖² + ‖b‖² needs "
        "⟨a, b⟩ <= 0. Here a = m' − g' and b = g' − g point the same way whenever an average lags behind updates "
        "that keep moving in one direction. With a factor 2 the step holds, but then the recursion contracts only if "
        "2(1 − αp)² < 1.",
    ),
    _refuted(
        "FA-SREC.4",
        "The change bounded by the updates",
        r"(1-\alpha p_i)^2\|g'-g\|^2\le(1-\alpha p_i)^2\|g'\|^2+(1-\alpha p_i)^2\|g\|^2",
        "The squared change of the update is at most the sum of the two squared updates.",
        (_FACTOR * _CHANGE, _FACTOR * (square(w) + square(v))),
        (
            "⟨g', g⟩ >= 0",
            "Consecutive updates do not point apart; 2(1 − αp)²⟨g', g⟩ >= 0 is added to the left side.",
            2 * _FACTOR * inner(w, v),
        ),
        ("factor 2", 2 * _FACTOR * (square(w) + square(v)), ""),
        ("new update dropped", 2 * _FACTOR * square(w), "with g' = 0 the change is g itself"),
        "It is false when the update turns round: g = −g' gives 4‖g‖² against 2‖g‖². It holds when consecutive "
        "updates do not point apart, ⟨g', g⟩ >= 0, which the paper does not assume. It holds always with a factor 2, "
        "which is then missing in the recursion.",
    ),
)

CLAIMS: tuple[Claim, ...] = (*DESCENT, *CHAIN, *RECURSION)

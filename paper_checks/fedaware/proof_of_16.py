"""A.4: FedAWARE's descent in one round (14), and the errors of its direction up to (15)."""

from __future__ import annotations

import sympy as sp

from paper_checks.fedaware.notation import NOTATION
from paper_checks.fedaware.remembered import second_round
from paper_checks.fedaware.weights import updates_of
from validation import Claim
from validation.statement.forms.vectors import inner, square
from validation.statement.forms.vectors import vectors as free_vectors
from validation.world import Domain, Parameter, VectorInequality, identity, le, mutant, reading, step

__all__ = ["CLAIMS"]

chi, together, S, M, W = NOTATION.symbols("chi together S M W")
_e, _L = sp.symbols("e L", positive=True)
_grad, _G, _H, _D, _u, _v, _w = free_vectors("grad G H D u v w")
_STEP_L, _NONE = Domain((Parameter("e"), Parameter("L"))), Domain()

_DOWN = -_e * inner(_grad, _D) + _L / 2 * _e**2 * square(_D)
_HALVES = -_e / 2 * square(_grad) + _e / 2 * square(_grad - _D)

E14 = step(
    "FA-E14",
    "Eq. (14), A.4",
    "Descent of one round of FedAWARE",
    printed=r"""\mathbb E f(x^{t+1})-f(x^t)\le-\frac{\tilde\eta}2\mathbb E\|\nabla f\|^2+\frac{\tilde\eta}2
        \mathbb E\|\nabla f-\hat d^t\|^2+\frac L2\tilde\eta^2\mathbb E\|\hat d^t\|^2""",
    plainly="The descent step along the moving-averaged direction.",
    assumes=[
        "any vectors; expectations of both sides follow",
        "f(xᵗ⁺¹) − f(xᵗ) at most −η̃⟨∇f, d̂⟩ + Lη̃²‖d̂‖²/2, the descent lemma (FA-S6.1)",
    ],
    says=VectorInequality(_DOWN, _HALVES + _L / 2 * _e**2 * square(_D), _STEP_L),
    readings=[reading("for all vectors", "Path by path, in every dimension.")],
    mutants=[
        mutant(
            "quadratic term dropped",
            VectorInequality(_DOWN, _HALVES, _STEP_L),
            "for a long step the term Lη̃²‖d̂‖²/2 exceeds η̃‖d̂‖²/2",
        )
    ],
    rests_on=["FA-S6.1", "FA-S6.4"],
    verdict="""Proved given the descent lemma (FA-S6.1), whose bound on f(xᵗ⁺¹) − f(xᵗ) for smooth f stands on the left;
        the rest is (6) with d̂ for Ĝ.""",
)

_TWO = square(_grad - _G + _G - _D)

S141 = step(
    "FA-S14.1",
    "Bounding T₁, second line, A.4",
    "Error of the AWARE direction split",
    printed=r"\|\nabla f\pm\hat G-\hat d\|^2\le2\|\nabla f-\hat G\|^2+2\|\hat G-\hat d\|^2",
    plainly="The error of the direction splits into that of FedAvg's and the rest.",
    assumes=["any vectors; expectations of both sides follow"],
    says=VectorInequality(_TWO, 2 * square(_grad - _G) + 2 * square(_G - _D), _NONE),
    readings=[reading("for all vectors", "Path by path, in every dimension.")],
    mutants=[
        mutant(
            "without the factor 2",
            VectorInequality(_TWO, square(_grad - _G) + square(_G - _D), _NONE),
            "equal summands: the square of the sum is twice the sum of the squares",
        )
    ],
    verdict="‖a + b‖² <= 2‖a‖² + 2‖b‖².",
)

S142 = step(
    "FA-S14.2",
    "Bounding T₁, third and fourth line, A.4",
    "The applied pseudo-gradient added and subtracted",
    printed=r"""\|\sum_i\lambda_ig_i-\sum_i\tilde\lambda_im_i\|^2=\|\sum_i\lambda_ig_i\pm\sum_i\tilde\lambda_ig_i-
        \sum_i\tilde\lambda_im_i\|^2""",
    plainly="The applied pseudo-gradient is added and subtracted inside the norm.",
    assumes=["any vectors; expectations of both sides follow"],
    says=identity(square(_u - _w), square(_u - _v + _v - _w)),
    readings=[reading("for all vectors", "Path by path, in every dimension.")],
    mutants=[
        mutant(
            "added only",
            VectorInequality(square(_u - _w), square(_u + _v - _w), _NONE),
            "with v = w − u the right side is 0",
        )
    ],
    verdict="An identity.",
)


def _three(first: int, others: int) -> VectorInequality:
    errors = first * square(_grad - _G) + others * square(_G - _H) + others * square(_H - _D)
    return VectorInequality(square(_grad - _D), errors, _NONE)


S143 = step(
    "FA-S14.3",
    "Bounding T₁, last line, A.4",
    "Three errors",
    printed=r"""T_1\le2\|\nabla f-\hat G\|^2+4\|\hat G-\bar G\|^2+\frac4{\eta_l^2K^2}\|\sum_i\tilde\lambda_ig_i-\sum_i
        \tilde\lambda_im_i\|^2""",
    plainly="The error of the direction is at most twice FedAvg's, four times reweighting and four times averaging.",
    assumes=["any vectors; expectations of both sides follow"],
    says=_three(2, 4),
    readings=[reading("for all vectors", "Path by path, in every dimension.")],
    mutants=[
        mutant(
            "2 in place of 4",
            _three(2, 2),
            """three equal summands: the square of the sum is three times
                                                         the sum of the squares""",
        )
    ],
    rests_on=["FA-S14.1", "FA-S14.2"],
    verdict="The bound for two summands, used twice.",
)

E15 = step(
    "FA-E15",
    "Eq. (15), A.4",
    "Error of the averaged direction",
    printed=r"""\mathbb E\|\sum_i\tilde\lambda_ig_i-\sum_i\tilde\lambda_im_i\|^2\le\sum_i
        \frac{\tilde\lambda_i^2}{\lambda_i}\cdot\sum_i\lambda_i\mathbb E\|g_i-m_i\|^2""",
    plainly="The error of the combined moving averages is at most Σλ̃²/λ times the mean squared error of one.",
    assumes=[
        "λ and λ̃ on the simplex, λᵢ > 0",
        """λ̃ the weights of smallest norm over the averages mᵢ, which have seen the round; of the random Σλ̃²/λ the
            mean is taken, as it stands outside 𝔼‖gᵢ − mᵢ‖²""",
    ],
    says=le(S, W * M),
    world=second_round(2, one_sign=True),
    readings=[
        reading(
            "weights of smallest norm, which see the round",
            """FedAWARE's second round, m⁰ = g⁰, everybody present, one local step; two quadratic clients on the line,
                every outcome of the noise; the averages have one sign, so the weights are unique and no direction
                vanishes.""",
            because="A.4's own weights",
        ),
        reading(
            "weights fixed before the round",
            "Path by path, for any vectors and weights.",
            world=updates_of("apart"),
            conditions=["weights fixed before the round's samples"],
        ),
        reading(
            "Σλ̃²/λ inside the expectation",
            "E[Σλ̃²/λ·Σλᵢ‖gᵢ − mᵢ‖²], two and three clients as in the first reading.",
            le(S, together),
            world=second_round(2, 3),
            edits=["E[Σλ̃²/λ·Σλᵢ‖gᵢ − mᵢ‖²] in place of Σλ̃²/λ·ΣλᵢE‖gᵢ − mᵢ‖²"],
            carries=False,
            because="all later lines have the sum of squared weights, or χ², outside",
        ),
    ],
    mutants=[
        mutant(
            "χ² in place of Σλ̃²/λ",
            le(S, chi * M),
            "for λ̃ = λ χ² is 0, but the error need not be",
            world=updates_of("apart"),
        ),
        mutant(
            "half of Σλ̃²/λ",
            le(S, W * M / 2),
            "Cauchy–Schwarz is attained by gᵢ − mᵢ ∝ λ̃ᵢ/λᵢ",
            world=updates_of("apart"),
        ),
    ],
    tight="gᵢ − mᵢ proportional to λ̃ᵢ/λᵢ",
    verdict="""False for FedAWARE's own weights, which A.4 fixes as those of smallest norm over the averages, and which
        see the round. When a rare sample shortens one client's average, the weights go to that client in the very
        outcome in which its error is large; then E[Σλ̃²/λ·Σλᵢ‖gᵢ − mᵢ‖²] does not split, as with χ² at FA-S13.2. Two
        clients do it in the second round, with everybody present. Path by path the line is the Cauchy–Schwarz
        inequality, so it holds for weights fixed before the round, and is attained; with the sum inside the expectation
        it holds for all.""",
)

CLAIMS: tuple[Claim, ...] = (E14, S141, S142, S143, E15)

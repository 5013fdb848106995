"""A.4: bounds on T₁, the error of FedAWARE's direction, with χ² in place of Σλ̃²/λ."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedaware.notation import NOTATION, ROUNDED_0, Checked
from paper_checks.fedaware.runs import smallest_square
from paper_checks.fedaware.weights import constants, weights_alone
from theory.exact import dot, weighted_sum
from theory.quantities import chi_square, pseudo_gradient
from theory.worlds.hull import squares
from validation import Case, Choice, Claim, Instance, LogScale, Signed, Simplex, Space, rotated_space
from validation.world import Coordinate, World, case, identity, le, mutant, reading, step

__all__ = ["CLAIMS", "FLOOR", "SQUARED"]

K, eta_l, L, c, gamma, sigma2, chi = NOTATION.symbols("K eta_l L c gamma sigma2 chi")
S, M, W, beta, q, plain = NOTATION.symbols("S M W beta q plain")
D = sp.symbols("D", positive=True)

CHIW = step(
    "FA-CHIW",
    "A.4, bound on T₁ (ST1.3)",
    "Weights against χ², assumed without loss of generality",
    printed=r"""\sum_{i=1}^N\frac{\tilde\lambda_i^2}{\lambda_i}\le\chi^2_{\lambda\|\tilde\lambda}=\sum_{i=1}^N
        \frac{(\lambda_i-\tilde\lambda_i)^2}{\lambda_i}""",
    plainly="The weighted sum of squared applied weights is at most the χ² divergence, without loss of generality.",
    assumes=["λ and λ̃ on the simplex, λᵢ > 0"],
    says=le(W, chi),
    world=weights_alone(),
    readings=[
        reading(
            "for all weights",
            "«Without loss of generality» taken at its word.",
            because="false for every pair of weights, so nothing is «without loss of generality»",
        ),
        reading(
            "with χ² + 1 on the right",
            "One more unit on the right side.",
            le(W, chi + 1),
            edits=["χ² + 1 in place of χ²"],
            carries=False,
            because="with χ² + 1 the β terms of (16) no longer vanish with χ̃",
        ),
    ],
    mutants=[
        mutant(
            "half a unit is not enough",
            le(W, chi + sp.Rational(1, 2)),
            "the two sums differ by exactly Σ(2λ̃ᵢ − λᵢ) = 1",
        )
    ],
    tight="never: the left side is larger by exactly 1, whatever the weights",
    verdict="""Expanding the square gives Σ λ̃ᵢ²/λᵢ = χ² + 2Σλ̃ᵢ − Σλᵢ = χ² + 1 on the simplex. So the assumed relation
        fails for every pair of weights, always by 1; no instance satisfies it, and nothing is without loss of
        generality. Replacing χ² by χ² + 1 in the following lines repairs the step: the β terms of eq. (16) then no
        longer vanish with χ².""",
)

SQUARED = eta_l**2 * K**2
FLOOR = 4 * c * eta_l**2 * L**2 * K * sigma2
_T1 = (
    2 * (2 * L**2 * gamma * D + 2 * c * eta_l**2 * L**2 * K * sigma2)
    + 4 * chi * M / SQUARED
    + 4 / SQUARED * W * (2 * beta * M)
)

ST11 = step(
    "FA-ST1.1",
    "Bounding T₁, result, A.4",
    "Bounds inserted into T₁",
    printed=r"""T_1\le4L^2\gamma\mathbb E\|G\|^2+4c\eta_l^2L^2K\sigma_l^2+4\frac{\chi^2}{\eta_l^2K^2}\sum_i
        \lambda_i\|g_i\|^2+8\frac\beta{\eta_l^2K^2}\sum_i\frac{\tilde\lambda_i^2}{\lambda_i}\sum_i\lambda_i
        \mathbb E\|g_i\|^2""",
    plainly="(7), (12), (15) and the bound on m − g put into the three errors.",
    assumes=["positive constants; η̃ = Kη", "Σλᵢ‖gᵢ‖², which the print has without 𝔼 behind χ², in the mean as well"],
    says=identity(_T1, 4 * L**2 * gamma * D + FLOOR + 4 * chi * M / SQUARED + 8 * beta / SQUARED * W * M),
    readings=[reading("term by term", "Both sides as functions of the terms they are built from.")],
    mutants=[
        mutant(
            "4β in place of 8β",
            identity(_T1, 4 * L**2 * gamma * D + FLOOR + 4 * chi * M / SQUARED + 4 * beta / SQUARED * W * M),
            "4/(η_lK)² times 2β is 8β/(η_lK)²",
        )
    ],
    rests_on=["FA-SREC.6", "FA-E15", "FA-S13.2"],
    verdict="""The coefficients are right, given the bounds inserted; the one on m − g (FA-SREC.6) is refuted, and (12)
        and (15), with χ² and Σλ̃²/λ outside the mean, need weights fixed in advance (FA-S13.2, FA-E15).""",
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
    return {
        **found,
        "magnitude": largest,
        "admissible": lowest > ROUNDED_0 * largest,
        "resolved": lowest > 1e-9 * largest,
    }


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


_ANY_BETA = LogScale("beta", 1e-6, 1.0)
_LITTLE = (LogScale("beta", 1e-6, 1e-2, at=(1e-2,)), ", β <= 1/100")
_OWN_BETA = (Choice("beta", (0.9025,)), ", β = 0.9025")


def _exchanged(d: int, beta: Coordinate = _ANY_BETA, told: str = "") -> Case:
    space = Space(
        (
            Signed("updates", 1e-1, 1e1, (2, d)),
            Simplex("weights", 2, interior=True),
            Simplex("applied", 2),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            beta,
        )
    )
    uses, same = (dot, weighted_sum, smallest_square), (rotated_space(("updates",)),)
    return case(f"two clients, dimension {d}{told}", space, exchanged, exchanged_exact, uses=uses, symmetries=same)


_REST = (4 * chi + 8 * beta * W) * M
_EXCHANGED = 4 * (q + chi + 2 * beta * W) * gamma * S

ST12 = step(
    "FA-ST1.2",
    "Bounding T₁, second line, A.4",
    "E‖G‖² exchanged for E‖G̃‖²",
    printed=r"""4L^2\gamma\mathbb E\|G\|^2+4\frac{\chi^2}{\eta_l^2K^2}\sum_i\lambda_i\|g_i\|^2+8
        \frac\beta{\eta_l^2K^2}\sum_i\frac{\tilde\lambda_i^2}{\lambda_i}\sum_i\lambda_i\mathbb E\|g_i\|^2=4\big(L^2+
        \frac{\chi^2}{\eta_l^2K^2}+\frac{2\beta}{\eta_l^2K^2}\sum_i\frac{\tilde\lambda_i^2}{\lambda_i}\big)
        \gamma\mathbb E\|\tilde G\|^2""",
    plainly="Assumption A.1 turns all terms into the applied pseudo-gradient.",
    assumes=[
        "γ of A.1 over the whole simplex",
        "«=» read as «<=»; Σλᵢ‖gᵢ‖² behind χ² in the mean, too; all terms times (η_lK)²",
    ],
    says=le(4 * q * gamma * plain + _REST, _EXCHANGED),
    world=World(NOTATION, tuple(_exchanged(d) for d in (1, 2))),
    readings=[
        reading("as printed", "γ‖G‖² replaced by γ‖G̃‖² in the first term."),
        reading(
            "from the line before A.1 in (7)",
            "4L²Σλᵢ‖gᵢ‖² in place of 4L²γ‖G‖².",
            le(4 * q * M + _REST, _EXCHANGED),
            edits=["4L²Σλᵢ‖gᵢ‖² in place of 4L²γ‖G‖² in the line before"],
            forced_by="A.3 enters (7) in this form, before A.1: (4L² + 2χ²/(η_l²K²))ΣλᵢE‖gᵢ‖²",
            carries=True,
        ),
        reading(
            "β at most 1/100",
            "The same where averaging costs little.",
            world=World(NOTATION, tuple(_exchanged(d, *_LITTLE) for d in (1, 2))),
            cuts={"β": "at most 1/100"},
            because="«β ≪ 1» taken at its word",
        ),
        reading(
            "β = 0.9025, γ at most 16",
            "The same at α = 0.5 and p = 0.1, and at a γ that is no large one.",
            world=World(NOTATION, tuple(_exchanged(d, *_OWN_BETA) for d in (1, 2))).where(le(gamma, 16)),
            cuts={
                "β": "0.9025, that of α = 0.5 and p = 0.1 of Sec. 5 and B.1",
                "γ": "at most 16; A.1 has «a minor constant in practice»",
            },
        ),
    ],
    mutants=[
        mutant(
            "γ dropped in the repaired form",
            le(4 * q * M + _REST, 4 * (q + chi + 2 * beta * W) * S),
            "updates of different sizes with the applied weights on the smaller one",
        )
    ],
    rests_on=["FA-ST1.1", "FA-AA.1"],
    verdict="""Assumption A.1 bounds local updates by a pseudo-gradient, not one pseudo-gradient by another: ‖G‖² may
        exceed ‖G̃‖², and where λ̃ gives the shortest point of the hull of these updates it is never less. The other
        terms need not make up for it, whatever β is: at β = 0.9025 they do not, and at a smaller β they do less. It takes no large γ: where both updates are of one length and λ̃ gives the shortest point, Σλᵢ‖gᵢ‖² is γ‖G̃‖², and any γ > 1 does, unless λ is λ̃. If (7)
        is entered in the line before A.1 is used, with Σλᵢ‖gᵢ‖², the line holds.""",
)

_BEFORE = 4 * (L**2 + chi / SQUARED + 2 * beta * W / SQUARED) * gamma * S + FLOOR


def _absorbed(extra: Any) -> Any:
    return le(_BEFORE, 4 * (L**2 + ((1 + 2 * beta) * chi + extra) / SQUARED) * gamma * S + FLOOR)


ST13 = step(
    "FA-ST1.3",
    "Bounding T₁ and T₂, A.4",
    "T₁ with χ² in place of Σλ̃²/λ",
    printed=r"""4\big(L^2+\frac{\chi^2}{\eta_l^2K^2}+\frac{2\beta}{\eta_l^2K^2}\sum_i
        \frac{\tilde\lambda_i^2}{\lambda_i}\big)\gamma\mathbb E\|\tilde G\|^2\le4\big(L^2+\frac{(1+2\beta)
        \chi^2}{\eta_l^2K^2}\big)\gamma\mathbb E\|\tilde G\|^2""",
    plainly="The sum of squared weights is absorbed into χ².",
    assumes=["λ and λ̃ on the simplex, λᵢ > 0; 0 <= β <= 1; γ >= 1"],
    says=_absorbed(0),
    world=constants(),
    readings=[
        reading("as printed", "For all weights and rates."),
        reading(
            "χ² + 1 in the β term",
            "The identity Σλ̃²/λ = χ² + 1.",
            _absorbed(2 * beta),
            edits=["χ² + 1 in place of χ² in the β term"],
            carries=False,
        ),
    ],
    mutants=[mutant("χ² + ½", _absorbed(beta), "the two sums differ by exactly 1")],
    rests_on=["FA-CHIW", "FA-ST1.2"],
    repeats="FA-CHIW",
    verdict="""Σλ̃²/λ = χ² + 1 on the simplex, so the printed line is false for every pair of weights as soon as β > 0.
        With χ² + 1 it is an equality, and the β terms no longer vanish with χ².""",
)

CLAIMS: tuple[Claim, ...] = (CHIW, ST11, ST12, ST13)

"""FA-S13.2: (7) and (12) put into the descent of other weights, which may depend on the updates they weigh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.one_round import SEEING_USES, seeing, seeing_case, seeing_exact
from paper_checks.fedaware.short_steps import asked
from validation import Bound, Canary, Case, Claim, ExactCheck, Identity, Inequality, Instance, Kind, Reading, symbols

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]

K, eta_l, L, c, sigma2, chi, mean_square, together, M = symbols("K eta_l L c sigma2 chi mean_square together M")

_Q = eta_l**2 * K**2

_FLOOR = 4 * c * eta_l**2 * L**2 * K * sigma2


def _moved(x: Instance) -> Mapping[str, Any]:
    found = seeing(x)
    slopes = x["curvature"] * (x["start"][:, None] - x["optimum"])
    apart, noise = np.abs(slopes[:, 0] - slopes[:, -1]), x["sigma"] * (x["rare"] + 1 / x["rare"])
    unique = (np.minimum(apart, np.abs(apart - noise)) > 1e-6 * (apart + noise)) | ("alone" not in x)
    size = found["magnitude"] * found["eta_l"] ** 2
    return {**found, "lhs": found["moved"], "magnitude": size, "admissible": found["admissible"] & unique}


def moved_exact(x: Mapping[str, Any]) -> Exact:
    """E|G - G~|^2 on the left; of two clients the weights of smallest norm are unique if the updates always differ."""
    met, found = seeing_exact(x)
    slopes = [h * (x["start"] - m) for h, m in zip(x["curvature"], x["optimum"], strict=True)]
    apart, noise = abs(slopes[0] - slopes[-1]), x["sigma"] * (x["rare"] + 1 / x["rare"])
    met = {**met, "the two updates differ in every outcome": "alone" not in x or apart not in (0, noise)}
    return met, {**found, "lhs": found["moved"]}


def _both(x: Instance) -> Mapping[str, Any]:
    """Clients that are all as the first, so that only their noise tells them apart."""
    found = seeing({**x, **{name: x[name][:, :1] + 0 * x[name] for name in ("curvature", "optimum")}})
    return {**found, "lhs": 2 * found["error"] + 2 * found["moved"] / found["eta_l"] ** 2}


def both_exact(x: Mapping[str, Any]) -> Exact:
    """2 E|grad f - G^|^2 + 2 E|G^ - G-|^2 on the left, one local step; all clients are as the first."""
    alike = {name: [x[name][0] for _ in x[name]] for name in ("curvature", "optimum")}
    met, found = seeing_exact({**x, **alike})
    return met, {**found, "lhs": 2 * found["error"] + 2 * found["moved"] / found["eta_l"] ** 2}


def _case(n: int, rule: int, *, whole: bool = False) -> Case:
    measure, exact = (_both, both_exact) if whole else (_moved, moved_exact)
    check = ExactCheck(exact, (*SEEING_USES, seeing_exact))
    return replace(seeing_case(n, rule), measure=measure, exact=check, cost=max(1.0, 2**n / 8))


_ALONE = asked(_case(2, 1), "alone", 1.0)


_APART = Bound(chi * mean_square, again=lambda chi, mean_square: mean_square * chi)
_LINE = Bound(
    (4 * L**2 + 2 * chi / _Q) * mean_square + _FLOOR,
    again=lambda L, chi, eta_l, K, mean_square, c, sigma2: (
        2 * mean_square * (2 * L**2 + chi / (eta_l * K) ** 2) + 4 * c * K * sigma2 * (eta_l * L) ** 2
    ),
)

S132 = Claim(
    id="FA-S13.2",
    kind=Kind.INEQUALITY,
    source="after (12), A.3",
    title="Equations (7) and (12) inserted",
    statement=(
        r"\le\frac{2(\cdot)}{K\eta}+\big(4L^2+\frac{2\chi^2}{\eta_l^2K^2}\big)\sum_i\lambda_i\mathbb E\|g_i\|^2"
        r"+4c\eta_l^2L^2K\sigma_l^2+L\tilde\eta\mathbb E\|\bar G\|^2"
    ),
    says="The two errors are replaced by their bounds, (7) in the form before Assumption A.1.",
    assumes=(
        "(7) in its last line but one, with Σλᵢ‖gᵢ‖², and (12)",
        "λ̃ «possibly adaptive»; of a random λ̃ the mean of χ² is taken, as χ² stands outside E‖gᵢ‖²",
    ),
    readings=(
        Reading(
            "the second error, weights of smallest norm",
            "E‖G − G̃‖² <= E[χ²]·ΣλᵢE‖gᵢ‖², which is what (12) is used for; one local step, two clients, unique weights.",
            Inequality(_APART, (_ALONE,)),
        ),
        Reading(
            "the whole line, weight on the largest update",
            "Both errors against the terms that replace them, five clients that differ in their noise alone, one local step.",
            Inequality(_LINE, (_case(5, 2, whole=True),)),
        ),
        Reading(
            "weights fixed in advance",
            "χ² is a constant: the line is the sum of its two bounds, term by term.",
            Identity(
                2 * (2 * L**2 * M + 2 * c * eta_l**2 * L**2 * K * sigma2) + 2 * chi * M / _Q,
                (4 * L**2 + 2 * chi / _Q) * M + _FLOOR,
            ),
            repair="condition",
        ),
        Reading(
            "χ² inside the expectation",
            "E‖G − G̃‖² <= E[χ²Σλᵢ‖gᵢ‖²], any of the weights above.",
            Inequality(Bound(together), (_case(2, 1), _case(3, 1), _case(3, 2))),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "2L² in place of 4L²",
            Identity(
                2 * (2 * L**2 * M + 2 * c * eta_l**2 * L**2 * K * sigma2) + 2 * chi * M / _Q,
                (2 * L**2 + 2 * chi / _Q) * M + _FLOOR,
            ),
            "the error (7) enters with the factor 2",
        ),
        Canary(
            "half of χ², fixed weights",
            Inequality(Bound(chi * mean_square / 2), (_case(2, 0),)),
            "Cauchy–Schwarz is attained by gᵢ ∝ (λᵢ − λ̃ᵢ)/λᵢ",
        ),
    ),
    tight="not known to be tight",
    depends_on=("FA-E7", "FA-E12"),
    verdict_words=(
        "For weights fixed in advance the terms agree. The corollary allows adaptive ones, and then E[χ²Σλᵢ‖gᵢ‖²] does not "
        "split: when a rare large update draws the weights to itself, or away from itself, χ² and the updates are large together. So "
        "(12) as used fails for FedAWARE's own weights of smallest norm. There the noise term of (7) may still pay; "
        "with weight on the largest of several noisy updates the whole line fails. With χ² inside the expectation it holds."
    ),
)

CLAIMS: tuple[Claim, ...] = (S132,)

"""EA-D7: what Eq. 3 defines."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.exponential import exp_near, exp_weights, slack
from paper_checks.exp_alpha.loss_changes import clients, softmax
from paper_checks.exp_alpha.missed import never_missed
from theory import RoundStats
from theory.rules import ExpAlpha
from validation import Canary, Choice, Claim, Instance, Kind, Reading

__all__ = ["CLAIMS"]


def _defined(z: Instance) -> Mapping[str, Any]:
    """By how much the weights of the rule miss the simplex or the order of the loss changes."""
    sign = -1.0 if "reversed" in z else 1.0
    a = softmax({**z, "change": sign * z["change"]}, z["alpha"])
    order = np.argsort(z["change"], axis=1, kind="stable")
    falls = -np.diff(np.take_along_axis(a, order, axis=1), axis=1).min(axis=1)
    lhs = np.maximum(np.maximum(np.abs(a.sum(axis=1) - 1), -a.min(axis=1)), falls)
    return {"lhs": lhs, "nothing": np.zeros_like(lhs), "magnitude": np.ones_like(lhs) * 1e3}


def defined_exact(z: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much the weights miss sum 1, sign >= 0, or the order of the loss changes."""
    sign = -1 if "reversed" in z else 1
    a = exp_weights([sign * c for c in z["change"]], z["alpha"])
    ranked = [w for _, w in sorted(zip(z["change"], a, strict=True))]
    falls = max(ranked[k] - ranked[k + 1] for k in range(len(ranked) - 1))
    met = {"alpha > 0": z["alpha"] > 0}
    return met, {"lhs": max(abs(sum(a, Fraction(0)) - 1), -min(a), falls) - slack(), "nothing": Fraction(0)}


def _rule(z: Instance) -> Mapping[str, Any]:
    """(rule of `theory` − Eq. 3)², largest client; the formula client by client, the rule at loss_before = `before`."""
    n = z["change"].shape[1]
    scores = z["change"] / z["alpha"][:, None]
    printed = 1 / np.exp(np.clip(scores[:, None, :] - scores[:, :, None], None, 700.0)).sum(axis=2)
    power = -1.0 if "reversed" in z else 1.0
    stats = RoundStats(
        share=z["size"] / z["size"].sum(axis=1, keepdims=True),
        present=np.ones_like(scores, dtype=bool),
        loss_before=np.zeros((len(scores), n)),
        loss_after=power * scores,  # in units of α, so that one rule serves all instances
    )
    lhs = (ExpAlpha(alpha=1.0)(stats) - printed) ** 2
    return {"lhs": lhs.max(axis=1), "nothing": np.zeros(len(lhs)), "magnitude": np.ones(len(lhs)) * 1e-10}


def rule_exact(z: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Softmax of change/alpha against 1/sum_j e^((change_j - change_i)/alpha), client by client, squared."""
    sign = -1 if "reversed" in z else 1
    a = exp_weights([sign * c for c in z["change"]], z["alpha"])
    printed = [
        1 / sum((exp_near(min((c - own) / z["alpha"], Fraction(700))) for c in z["change"]), Fraction(0))
        for own in z["change"]
    ]
    lhs = max((u - v) * (u - v) for u, v in zip(a, printed, strict=True)) - slack()
    return {"alpha > 0": z["alpha"] > 0}, {"lhs": lhs, "nothing": Fraction(0)}


_FLIP = Choice("reversed", (1.0,))

D7 = Claim(
    id="EA-D7",
    kind=Kind.PROPERTY,
    source="(3), Sec. 3.4",
    title="Exp-α's weights",
    statement=(
        r"\rho_i^T\propto\exp\left(\frac{F_i(\mathbf W_i^T)-F_i(\bar{\mathbf W}^{T-E})}\alpha\right),\quad"
        r"T\in\mathcal I_E"
    ),
    says="Eq. 3 defines weights on the simplex for any losses, larger the less a client's loss fell in the round.",
    assumes=("α > 0", "losses of either model finite; loss changes of either sign"),
    readings=(
        Reading(
            "on the simplex, in order",
            "Non-negative, of sum 1, and in the order of the loss changes.",
            never_missed((clients("weights", _defined, defined_exact),)),
        ),
        Reading(
            "the rule of this package",
            "`theory.rules.ExpAlpha` gives, client by client, 1/Σⱼ exp((xⱼ − xᵢ)/α), xᵢ the loss change.",
            never_missed((clients("rule and formula", _rule, rule_exact),)),
        ),
    ),
    canaries=(
        Canary(
            "sign in the exponent reversed",
            never_missed((clients("weights, sign reversed", _defined, defined_exact, _FLIP),)),
            "then the client whose loss fell most has the largest weight",
        ),
        Canary(
            "rule with the sign reversed",
            never_missed((clients("rule, sign reversed", _rule, rule_exact, _FLIP),)),
            "two clients with different loss changes swap their weights",
        ),
    ),
    depends_on=("EA-C1.1", "EA-R5"),
    verdict_words=(
        "The weights exist for all finite losses, lie on the simplex and follow the order of the loss changes: the client "
        "whose loss fell least weighs most, whether because it has little to learn or because it learns slowly (EA-R6). The "
        "definition covers T >= E only, and no steps inside a round; it has no data-size factor, unlike the family of "
        "Corollary 1.1. A common offset of a client's two losses drops out; the unit of the loss does not, so α carries it."
    ),
)

CLAIMS: tuple[Claim, ...] = (D7,)

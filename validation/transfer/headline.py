"""What a study of rules comes to beside a predictor that knows nothing, and without rules that nobody disputes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from validation.transfer.answer import kendall

__all__ = ["UNDISPUTED", "Beside", "headline", "headroom"]

UNDISPUTED = ("fed-better", "fed-soft-better")
"""Rules that favour the clients with the least loss: that they end last on the loss of all is no prediction."""
_TRIVIAL = "chi_square"


@dataclass(frozen=True)
class Beside:
    """One order of the rules and the network's, by mean last loss: τ of all rules, and of those that are disputed.

    `knows_task`: whether the order comes from the task; χ²(p‖a) only says how far weights are from data shares.
    `flipped` of `pairs` of disputed rules are the other way round in the network.
    """

    key: str
    knows_task: bool
    tau: float
    disputed_tau: float
    flipped: int
    pairs: int


def headline(document: Mapping[str, Any]) -> tuple[Beside, ...]:
    """Every predicted order of a study's document, and the trivial one, beside the network."""
    network = {rule: float(mean["value"]) for rule, mean in document["answer"]["last_loss"].items()}
    orders = {key: order["less_is_better"] for key, order in document["prediction"]["orders"].items()}
    solved = document["columns"]["solved"]["rules"]
    far = {row["rule"]: fmean(band[0] for band in row["bands"][_TRIVIAL] if band is not None) for row in solved}
    return tuple(_beside(key, order, network) for key, order in {**orders, _TRIVIAL: far}.items())


def _beside(key: str, order: Mapping[str, float], network: Mapping[str, float]) -> Beside:
    disputed = [rule for rule in order if rule.partition("(")[0] not in UNDISPUTED]
    pairs = [(a, b) for a, b in combinations(disputed, 2) if order[a] != order[b]]
    flipped = sum((order[a] - order[b]) * (network[a] - network[b]) < 0 for a, b in pairs)
    return Beside(
        key, key != _TRIVIAL, _tau(list(order), order, network), _tau(disputed, order, network), flipped, len(pairs)
    )


def _tau(rules: list[str], order: Mapping[str, float], network: Mapping[str, float]) -> float:
    return kendall([order[rule] for rule in rules], [network[rule] for rule in rules])


def headroom(document: Mapping[str, Any]) -> float:
    """What the best weights gain on the reference, as a share of its last loss: above it no rule can be seen to win."""
    gain = -float(document["controls"]["oracle"]["less_reference"]["value"])
    return gain / float(document["answer"]["last_loss"][document["answer"]["against"]]["value"])

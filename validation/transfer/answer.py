"""What a network says of an order of rules: paired differences by Holm, Kendall's τ, and the pairs that flip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from validation.recipe.statistics.intervals import Mean, holm, mean_of, p_value

__all__ = ["Pair", "Tau", "differences", "grouped", "kendall", "pairs_of", "taus"]

Finals = Mapping[str, Sequence[float]]  # rule -> its last value of each seed, less is better


@dataclass(frozen=True)
class Pair:
    """`first` is predicted better than `second`; `difference` = second − first in the network, > 0 where it agrees.

    `p` is Holm's over all pairs; `flips`: the mean difference is < 0; `beyond_chance`: p < 0.05.
    """

    first: str
    second: str
    difference: Mean
    p: float
    flips: bool

    @property
    def beyond_chance(self) -> bool:
        return self.p < 0.05


@dataclass(frozen=True)
class Tau:
    """Kendall's τ-b of the predicted order with the network's means; `each`: its mean over seeds and 95 % interval."""

    of_means: float
    each: Mean


def kendall(first: Sequence[float], second: Sequence[float]) -> float:
    """τ-b of two lists of values, 0 where one of them is constant.

    >>> kendall([1, 2, 3], [10, 30, 20])
    0.3333333333333333
    """
    from scipy.stats import kendalltau

    if len(set(first)) < 2 or len(set(second)) < 2:
        return 0.0
    return round(float(kendalltau(first, second).statistic), 16)


def grouped(values: Sequence[float], groups: Sequence[str]) -> list[float]:
    """The mean of each group's values, groups in the order in which they first come.

    >>> grouped([1, 2, 6], ["a", "b", "b"])
    [1.0, 4.0]
    """
    return [fmean(v for v, of in zip(values, groups, strict=True) if of == group) for group in dict.fromkeys(groups)]


def taus(order: Mapping[str, float], finals: Finals) -> Tau:
    """τ of an order with what the network came to."""
    rules = list(order)
    value = [order[rule] for rule in rules]
    seeds = range(len(finals[rules[0]]))
    each = [kendall(value, [finals[rule][seed] for rule in rules]) for seed in seeds]
    return Tau(kendall(value, [fmean(finals[rule]) for rule in rules]), mean_of(each))


def pairs_of(order: Mapping[str, float], finals: Finals) -> tuple[Pair, ...]:
    """Every pair of rules, the one predicted better first; rules predicted equal are no pair."""
    rules = sorted(order, key=order.__getitem__)
    named = [(a, b) for a, b in combinations(rules, 2) if order[a] < order[b]]
    each = [[y - x for x, y in zip(finals[a], finals[b], strict=True)] for a, b in named]
    tested = holm([_p(values) for values in each])
    return tuple(
        Pair(a, b, mean_of(values), p, fmean(values) < 0) for (a, b), values, p in zip(named, each, tested, strict=True)
    )


def differences(finals: Finals, reference: str) -> dict[str, dict[str, Any]]:
    """Of every rule but `reference`: its last value less that of `reference`, seed by seed, with Holm's p."""
    others = [rule for rule in finals if rule != reference]
    each = [[x - r for x, r in zip(finals[rule], finals[reference], strict=True)] for rule in others]
    tested = holm([_p(values) for values in each])
    return {rule: {**asdict(mean_of(values)), "p": p} for rule, values, p in zip(others, each, tested, strict=True)}


def _p(values: Sequence[float]) -> float:
    p = p_value(values)
    return 1.0 if p is None else p

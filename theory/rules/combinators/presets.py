"""The papers' named rules that are made of others: FedAWARE and its ablations, ×AWARE, and the hybrids."""

from __future__ import annotations

from typing import Literal

from theory.base.checks import check_word
from theory.rules.by_loss.fed_soft_worse import FedSoftBetter, FedSoftWorse
from theory.rules.by_share.proportional import Proportional, Uniform
from theory.rules.by_update.min_norm import MinNorm
from theory.rules.combinators.blend import Anneal
from theory.rules.combinators.everyone import Everyone
from theory.rules.combinators.memory import WithMemory
from theory.rules.combinators.project import Project
from theory.rules.combinators.switch import Switch
from theory.rules.entry import RuleEntry
from theory.rules.protocol import AnyRule

__all__ = [
    "ENTRY",
    "fed_avg_aware",
    "fed_avg_full",
    "fed_avg_soft_better",
    "fed_avg_soft_worse",
    "fed_aware",
    "fed_aware_na",
    "fed_soft_better_avg",
    "fed_soft_better_avg_soft_worse",
    "fed_soft_worse_avg",
]

Init = Literal["full-round", "zeros", "seen"]
_ROUND = 20  # robust_aggregation Figure 1, «strategy change at round 20»
_ANNEALED = ("linear", "cosine", "exponential")


def fed_aware(alpha: float = 0.5, init: Init = "seen") -> WithMemory:
    """FedAWARE: min-norm weights over the moving averages of all remembered clients.

    Source: fedaware, Algorithm 1 (FA-ALG1), α = 0.5 of its experiments. `init` as in `WithMemory`; m⁰ is not given.
    """
    return WithMemory(MinNorm(), alpha, init)


def fed_aware_na(
    alpha: float = 0.5, init: Init = "seen", weights: Literal["uniform", "share"] = "uniform"
) -> WithMemory:
    """FedAWARE-NA: moving averages without adaptive aggregation.

    Source: fedaware, Figure 4. The paper does not say which fixed `weights` remain: "uniform" 1/|seen|, or "share" pₖ.
    """
    check_word("fed_aware_na", "weights", weights, ("uniform", "share"))
    return WithMemory(Uniform() if weights == "uniform" else Proportional(), alpha, init)


def fed_avg_full() -> Everyone:
    """FedAvg-Full: data shares, in rounds with full participation only. Source: fedaware, Figure 4."""
    return Everyone(Proportional())


def fed_avg_aware(
    alpha: float = 0.5,
    init: Init = "seen",
    when_zero: Literal["error", "keep", "zero"] = "error",
    when_negative: Literal["as_printed", "clip"] = "as_printed",
) -> Project:
    """FedAvg×AWARE: the step of FedAvg, projected on FedAWARE's direction. Source: fedaware §3 and Table 2."""
    return Project(Proportional(), fed_aware(alpha, init), when_zero, when_negative)


def fed_soft_better_avg(
    temperature: float = 0.2,
    at_round: int | None = None,
    at_accuracy: float | None = None,
    anneal: str | None = None,
    n_rounds: int = _ROUND,
) -> AnyRule:
    """FedSoftBetterAvg: FedSoftBetter, then FedAvg.

    Source: robust_aggregation §3.2, §4, Table of hybrids (RA-X4); T = 0.2 and round 20 of Figure 1, unless `at_round`
    or `at_accuracy` says otherwise. `anneal` names a schedule of `Anneal` over `n_rounds` rounds instead of a switch;
    the paper names annealing and prints no schedule.
    """
    return _in_turn(FedSoftBetter(temperature), Proportional(), at_round, at_accuracy, anneal, n_rounds)


def fed_soft_worse_avg(
    temperature: float = 0.2,
    at_round: int | None = None,
    at_accuracy: float | None = None,
    anneal: str | None = None,
    n_rounds: int = _ROUND,
) -> AnyRule:
    """FedSoftWorseAvg: FedSoftWorse, then FedAvg. Source and settings as `fed_soft_better_avg`."""
    return _in_turn(FedSoftWorse(temperature), Proportional(), at_round, at_accuracy, anneal, n_rounds)


def fed_avg_soft_worse(
    temperature: float = 0.2,
    at_round: int | None = None,
    at_accuracy: float | None = None,
    anneal: str | None = None,
    n_rounds: int = _ROUND,
) -> AnyRule:
    """FedAvgSoftWorse: FedAvg, then FedSoftWorse. Source and settings as `fed_soft_better_avg`."""
    return _in_turn(Proportional(), FedSoftWorse(temperature), at_round, at_accuracy, anneal, n_rounds)


def fed_avg_soft_better(
    temperature: float = 0.2,
    at_round: int | None = None,
    at_accuracy: float | None = None,
    anneal: str | None = None,
    n_rounds: int = _ROUND,
) -> AnyRule:
    """FedAvgSoftBetter: FedAvg, then FedSoftBetter. Source and settings as `fed_soft_better_avg`."""
    return _in_turn(Proportional(), FedSoftBetter(temperature), at_round, at_accuracy, anneal, n_rounds)


def fed_soft_better_avg_soft_worse(
    temperature: float = 0.2, at_round: int = _ROUND, then_at_round: int = 2 * _ROUND
) -> Switch:
    """FedSoftBetterAvgSoftWorse: FedSoftBetter, FedAvg from `at_round`, FedSoftWorse from `then_at_round` on.

    Source: robust_aggregation §4 (RA-X5). The paper gives neither switch point for the three phases: round 20 is the
    one of its Figure 1, round 40 is ours. Raises `ValueError` unless at_round < then_at_round.
    """
    later = Switch(Proportional(), FedSoftWorse(temperature), at_round=then_at_round)
    rule = Switch(FedSoftBetter(temperature), later, at_round=at_round)
    if not at_round < then_at_round:
        raise ValueError(
            f"fed_soft_better_avg_soft_worse(at_round={at_round}, then_at_round={then_at_round}): the second switch"
            " must come after the first"
        )
    return rule


def _in_turn(
    first: AnyRule,
    then: AnyRule,
    at_round: int | None,
    at_accuracy: float | None,
    anneal: str | None,
    n_rounds: int,
) -> AnyRule:
    if anneal is not None:
        check_word("hybrid", "anneal", anneal, _ANNEALED)
        if at_round is not None or at_accuracy is not None:
            raise ValueError(f"hybrid(anneal={anneal!r}): excludes at_round and at_accuracy; annealing has no switch")
        return Anneal(first, then, n_rounds, anneal)
    if at_round is None and at_accuracy is None:
        at_round = _ROUND
    return Switch(first, then, at_round, at_accuracy)


ENTRY = (
    RuleEntry("fed-aware", fed_aware, "fedaware", "Algorithm 1", "argmin ‖Σ aₖmₖ‖² over all remembered", kind="preset"),
    RuleEntry("fed-aware-na", fed_aware_na, "fedaware", "Figure 4", "1/|seen| (or pₖ) on all mₖ", kind="preset"),
    RuleEntry("fed-avg-full", fed_avg_full, "fedaware", "Figure 4", "pₖ, everybody present", kind="preset"),
    RuleEntry(
        "fed-avg-aware", fed_avg_aware, "fedaware", "§3, Table 2", "FedAvg projected on FedAWARE's d", kind="preset"
    ),
    RuleEntry(
        "fed-soft-better-avg",
        fed_soft_better_avg,
        "robust_aggregation",
        "RA-X4",
        "FedSoftBetter, then FedAvg",
        kind="preset",
    ),
    RuleEntry(
        "fed-soft-worse-avg",
        fed_soft_worse_avg,
        "robust_aggregation",
        "RA-X4",
        "FedSoftWorse, then FedAvg",
        kind="preset",
    ),
    RuleEntry(
        "fed-avg-soft-worse",
        fed_avg_soft_worse,
        "robust_aggregation",
        "RA-X4",
        "FedAvg, then FedSoftWorse",
        kind="preset",
    ),
    RuleEntry(
        "fed-avg-soft-better",
        fed_avg_soft_better,
        "robust_aggregation",
        "RA-X4",
        "FedAvg, then FedSoftBetter",
        kind="preset",
    ),
    RuleEntry(
        "fed-soft-better-avg-soft-worse",
        fed_soft_better_avg_soft_worse,
        "robust_aggregation",
        "RA-X5",
        "FedSoftBetter, FedAvg, FedSoftWorse",
        kind="preset",
    ),
)

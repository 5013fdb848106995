"""Clients whom the rule gives no weight need not train, where it weighs by the losses of the broadcast model alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from deep.config.config import RunConfig
from deep.task.wanted import wanted
from theory.algorithms import Method
from theory.rules import FedBetter, FedWorse
from theory.rules.protocol import Rule, needs_of, remembers
from theory.rules.stats import RoundStats

if TYPE_CHECKING:
    from torch import Tensor

    from deep.task.cohort import Cohort

__all__ = ["check_weighted_first", "only_weighted", "trained_share"]

_KNOWN_BEFORE = {"share", "loss_before", "loss_best"}


def check_weighted_first(config: RunConfig, method: Method) -> None:
    """`ValueError` where `config.trains` is "weighted" and weights hang on more than the broadcast model's losses.

    Then a client that does not train would change what the others come to: a rule that remembers, reads updates, losses
    after training or signals; a client or server that keeps or reads more than the weighted mean; a floor that is the
    best loss seen.
    """
    if config.trains != "weighted":
        return
    rule = method.rule
    needs, said = needs_of(rule), "run(trains='weighted'"
    if remembers(rule) or needs is None or not set(needs) <= _KNOWN_BEFORE or wanted(rule):
        raise ValueError(
            f"{said}, rule={rule!r}): expected a rule without memory that reads the broadcast model's losses alone,"
            " such as fed-worse; others weigh by what training came to"
        )
    if config.client != "sgd" or method.server.needs or config.buffers != "averaged":
        raise ValueError(
            f"{said}, client={config.client!r}, server={config.server!r}, buffers={config.buffers!r}): clients without"
            " weight count there, too; expected 'sgd', a server that reads updates alone, and 'averaged'"
        )
    if config.floor_kind == "best-seen":
        raise ValueError(
            f"{said}, floor='best-seen'): clients that do not train show no loss after training; expected another floor"
        )


def only_weighted(cohort: Cohort, rule: Rule, losses: dict[str, Tensor], round_index: int) -> Cohort:
    """The cohort in which clients of weight 0 do no step; the rule is asked as it will be after training."""
    before, best = losses.get("loss_before"), losses.get("loss_best")
    stats = RoundStats(cohort.share, cohort.present, before, loss_best=best, round=round_index)
    weights = cast("Tensor", rule(stats)).cpu().numpy()
    return replace(cohort, steps=np.where(weights != 0, cohort.steps, 0))


def trained_share(config: RunConfig, rule: object, n_clients: int, n_present: int) -> float:
    """Of the clients present, the share that trains, ties apart: all, but for rules that keep a known number."""
    if config.trains != "weighted" or not isinstance(rule, FedWorse | FedBetter):
        return 1.0
    k = 1.0 if rule.k is None else rule.k
    kept = k * {"count": 1, "all": n_clients, "present": n_present}["count" if rule.k is None else rule.of]
    return min(1.0, max(1, int(kept)) / n_present)

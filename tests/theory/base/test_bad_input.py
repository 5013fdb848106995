"""Bad input stops at the door, with the argument, its value and what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from theory import (
    ExpAlpha,
    FedSoftWorse,
    MinNorm,
    QuadraticFederation,
    RoundStats,
    Scheduled,
    SignNoise,
    UniformWithoutReplacement,
    constant_steps,
    inverse_steps,
    make_rule,
    min_norm_point,
    stream,
)

GOOD: dict[str, Any] = {
    "curvature": np.stack([np.eye(2), 2 * np.eye(2)]),
    "centers": np.zeros((2, 2)),
    "floor": np.zeros(2),
    "share": np.full(2, 0.5),
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"curvature": np.stack([np.eye(2), -np.eye(2)])}, "smallest eigenvalue -1.*positive definite"),
        ({"curvature": np.stack([np.eye(2), np.zeros((2, 2))])}, "smallest eigenvalue 0.*positive definite"),
        ({"curvature": np.asarray([[[1.0, 1.0], [0.0, 1.0]]] * 2)}, "not symmetric"),
        ({"curvature": np.ones((2, 3, 3))}, r"shape \(2, 3, 3\); expected \(2, 2, 2\)"),
        ({"centers": np.full((2, 2), np.nan)}, "centers=.*NaN"),
        ({"share": np.full(3, 1 / 3)}, r"share=.*shape \(3,\); expected \(2,\)"),
        ({"share": np.asarray([0.7, 0.7])}, "share=.*differ from 1 by 0.4"),
        ({"share": np.asarray([1.5, -0.5])}, "share=.*smallest entry is -0.5"),
        ({"floor": np.zeros(5)}, "floor=.*one per client"),
    ],
)
def test_federations(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QuadraticFederation(**{**GOOD, **changes})


STATS: dict[str, Any] = {"share": np.full(2, 0.5), "present": np.ones(2, bool), "loss_before": np.ones(2)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loss_before": np.asarray([1.0, np.nan])}, r"loss_before=.*nan at index \(1,\) in round 0"),
        ({"loss_after": np.asarray([np.inf, 1.0])}, "loss_after=.*inf"),
        ({"loss_best": np.ones(3)}, r"loss_best=.*shape \(3,\); expected \(2,\)"),
        ({"present": np.zeros(2, bool)}, "cohort is empty"),
        ({"present": np.ones(3, bool)}, "present=.*shape"),
        ({"share": np.asarray([0.5, 0.6])}, "share=.*differ from 1 by 0.1"),
        ({"updates": np.ones((3, 4))}, r"updates=.*shape \(3, 4\)"),
    ],
)
def test_round_stats(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RoundStats(**{**STATS, **changes})


def test_an_absent_clients_loss_may_be_anything() -> None:
    stats = RoundStats(**{**STATS, "present": np.asarray([True, False]), "loss_before": np.asarray([1.0, np.nan])})
    assert make_rule("proportional")(stats).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("value", [-1.0, 0.0, float("nan"), float("inf")])
def test_temperatures(value: float) -> None:
    with pytest.raises(ValueError, match=r"FedSoftWorse\(temperature=.*> 0"):
        FedSoftWorse(value)
    with pytest.raises(ValueError, match=r"ExpAlpha\(alpha=.*> 0"):
        ExpAlpha(value)


def test_missing_fields_name_the_rule_and_what_there_is() -> None:
    stats = RoundStats(**STATS)
    with pytest.raises(ValueError, match=r"ExpAlpha needs `loss_after`.*\['loss_before'\]"):
        ExpAlpha(1.0)(stats)
    with pytest.raises(ValueError, match="MinNorm needs `updates`"):
        MinNorm()(stats)


def test_unknown_rules_name_the_nearest() -> None:
    with pytest.raises(ValueError, match="unknown rule 'exp_alpa'; nearest: exp-alpha"):
        make_rule("exp_alpa")
    with pytest.raises(ValueError, match=r"no setting \['beta'\]; its settings are \['alpha', 'data_size'\]"):
        make_rule("exp-alpha", beta=1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Scheduled(np.asarray([[0.5, 0.4]])), "differ from 1 by 0.1"),
        (lambda: SignNoise((-1.0,)), "SignNoise"),
        (lambda: UniformWithoutReplacement(0), "n_sampled=0"),
        (lambda: constant_steps(0.0, 3), "eta=0.0"),
        (lambda: inverse_steps(1.0, -2.0, 3), "gamma=-2.0"),
        (lambda: stream(-1, "noise"), "seed=-1"),
        (lambda: min_norm_point(np.ones((2, 3))), r"shape \(2, 3\)"),
        (lambda: min_norm_point(np.full((2, 2), np.nan)), "NaN"),
        (lambda: min_norm_point(np.asarray([[1.0, 0.5], [0.0, 1.0]])), "not symmetric"),
    ],
)
def test_other_constructors(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_all_zero_shares_in_a_cohort_raise() -> None:
    stats = RoundStats(
        share=np.asarray([1.0, 0.0]), present=np.asarray([False, True]), loss_before=np.ones(2), loss_best=np.zeros(2)
    )
    with pytest.raises(ValueError, match="factors of all clients present are 0"):
        FedSoftWorse(1.0)(stats)

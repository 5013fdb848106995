"""The numbers of the papers' tables, by hand and by their laws."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep.metrics import ClientWeight, Reached, reached, summarise
from tests.deep.metrics_histories import a_record, drawn, evaluated
from theory import update_diversity

fractions = st.floats(0, 1)
curves = st.lists(st.none() | fractions, min_size=1, max_size=25)


def test_best_half_time_and_final_by_hand():
    history = evaluated(
        validation_accuracy=[0.1, 0.5, 0.3, 0.5, 0.2],
        test_accuracy=[0.2, 0.4, 0.9, 0.8, 0.3],
        test_loss=[3.0, 1.0, 2.0, 1.0, 4.0],
    )
    found = summarise(history)
    accuracy = found.validation_accuracy
    assert (accuracy.best, accuracy.best_round) == (0.5, 2)  # the first of equals
    assert (accuracy.half_time, accuracy.half_time_round) == (0.3, 3)  # ⌈5/2⌉
    assert accuracy.final == 0.2
    assert (found.test_loss.best, found.test_loss.best_round) == (1.0, 2)
    assert found.test_accuracy_at_best_validation == 0.4
    assert found.test_accuracy.final == 0.3
    assert found.train_loss.best == 1.5
    assert (found.n_rounds, found.n_played) == (5, 5)


def test_half_time_falls_back_to_the_last_evaluated_round_before_it_and_says_so():
    found = summarise(evaluated(test_accuracy=[0.1, 0.2, None, None, None, 0.9])).test_accuracy
    assert (found.half_time, found.half_time_round) == (0.2, 2)
    none_before = summarise(evaluated(test_accuracy=[None, None, 0.9])).test_accuracy
    assert (none_before.half_time, none_before.half_time_round, none_before.final) == (None, None, 0.9)


def test_a_run_that_ended_early_has_no_final_numbers():
    history = evaluated(test_accuracy=[0.1, 0.2, 0.3], group_accuracy=[{"a": 0.5}] * 3)
    short = summarise(history, n_rounds=6)
    assert short.test_accuracy.half_time == 0.3
    assert short.test_accuracy.final is None
    assert short.test_accuracy.late_mean is None
    assert (short.group_accuracy, short.worst_group, short.mean_group_accuracy) == ({}, None, None)
    assert summarise(history, n_rounds=7).test_accuracy.half_time is None  # ⌈7/2⌉ = 4 was not played
    assert summarise(history).test_accuracy.final == 0.3


def test_late_rounds():
    history = evaluated(test_accuracy=[r / 100 for r in range(30)])
    late = summarise(history).test_accuracy
    assert late.late_mean == pytest.approx(0.28)  # rounds 28, 29 and 30
    assert late.late_variance == pytest.approx(1e-4)  # ((0.01)² + 0 + (0.01)²) / 2
    assert summarise(history, late=1).test_accuracy.late_mean == pytest.approx(0.145)
    hundred = summarise(evaluated(test_accuracy=[r / 100 for r in range(100)]), late=0.07)
    assert hundred.test_accuracy.late_mean == pytest.approx(0.96)  # seven rounds, though 0.07 · 100 > 7 in floats
    one = summarise(history[:9]).test_accuracy
    assert (one.late_mean, one.late_variance) == (0.08, None)
    gaps = summarise(evaluated(test_accuracy=[0.5, None, 0.7, None]), late=0.5).test_accuracy
    assert (gaps.late_mean, gaps.late_variance) == (0.7, None)


def test_rounds_to_a_threshold_by_hand():
    history = evaluated(
        validation_accuracy=[0.2, None, 0.3, None, 0.5, 0.1], bytes_down=[1, 2, 3, 4, 5, 6], bytes_up=[10] * 6
    )
    assert reached(history, "validation_accuracy", 0.4) == Reached(
        "validation_accuracy", 0.4, 5, pytest.approx(4.0), 1 + 2 + 3 + 4 + 5 + 50, 10.0
    )
    assert reached(history, "validation_accuracy", 0.5).interpolated == 5.0
    at_once = reached(history, "validation_accuracy", 0.2)
    assert (at_once.round, at_once.interpolated, at_once.bytes) == (1, 1.0, 11)
    assert reached(history, "validation_accuracy", 0.6) == Reached("validation_accuracy", 0.6, *[None] * 4)
    losses = evaluated(test_loss=[2.0, 1.0, 0.5])
    assert reached(losses, "test_loss", 0.75).interpolated == 2.5
    assert reached([], "test_loss", 0.75).round is None


def test_acc40_and_r60_are_the_thresholds_unless_others_are_given():
    history = evaluated(validation_accuracy=[0.2, 0.4], test_accuracy=[0.7, 0.1])
    acc40, r60 = summarise(history).thresholds
    assert (acc40.measure, acc40.value, acc40.round) == ("validation_accuracy", 0.4, 2)
    assert (r60.measure, r60.value, r60.round) == ("test_accuracy", 0.6, 1)
    (own,) = summarise(history, thresholds=[("test_loss", 1.2)]).thresholds
    assert own.round == 1


@given(curves, fractions)
def test_a_threshold_is_reached_where_the_curve_first_gets_there(curve, value):
    found = reached(evaluated(test_accuracy=curve), "test_accuracy", value)
    there = [r + 1 for r, seen in enumerate(curve) if seen is not None and seen >= value]
    assert found.round == (there[0] if there else None)
    if found.round is not None:
        earlier = [r + 1 for r, seen in enumerate(curve[: found.round - 1]) if seen is not None]
        assert (earlier[-1] if earlier else found.round) <= found.interpolated <= found.round


@given(curves)
def test_the_best_is_in_the_curve_and_nothing_is_better(curve):
    found = summarise(evaluated(test_accuracy=curve, test_loss=curve))
    seen = [value for value in curve if value is not None]
    assert found.test_accuracy.best == max(seen, default=None)
    assert found.test_loss.best == min(seen, default=None)
    if seen:
        assert curve[found.test_accuracy.best_round - 1] == found.test_accuracy.best
    assert found.test_accuracy.final == curve[-1]


def test_client_accuracy_counts_the_clients_present_when_all_of_them_are_known():
    history = [
        a_record(0, client_accuracy=[0.2, 0.9], present=[True, False]),
        a_record(1, client_accuracy=[0.4, 0.8]),
        a_record(2, client_accuracy=[1.0, None]),
    ]
    assert summarise(history).best_client_accuracy == pytest.approx(0.6)
    assert summarise([a_record(client_accuracy=[None, None])]).best_client_accuracy is None


def test_groups_are_those_of_the_final_model():
    history = evaluated(group_accuracy=[{"mnist": 0.9, "usps": 0.1}, {"mnist": 0.5, "usps": 0.7, "svhn": 0.5}])
    found = summarise(history)
    assert found.group_accuracy == {"mnist": 0.5, "usps": 0.7, "svhn": 0.5}
    assert found.mean_group_accuracy == pytest.approx(1.7 / 3)
    assert found.worst_group == "mnist"


def test_mean_weights_of_clients_and_of_kinds():
    history = evaluated(
        weights=[[1.0, 0.0, 0.0], [0.25, 0.75, 0.0]],
        present=[[True, False, False], [True, True, False]],
        clients=[[4, 7, 9]] * 2,
        kinds=[["ratio=1", "ratio=0.1", ""]] * 2,
        client_accuracy=[[0.5] * 3] * 2,
        gram=[np.eye(1).tolist(), np.eye(2).tolist()],
    )
    found = summarise(history)
    assert found.client_weights == (
        ClientWeight(4, 2, 0.625, 0.625),
        ClientWeight(7, 1, 0.75, 0.375),
        ClientWeight(9, 0, None, 0.0),
    )
    assert found.weight_of_kind == {"ratio=0.1": 0.75, "ratio=1": 0.625}
    anew = [history[0], replace(history[1], clients=[10, 11, 12])]
    assert summarise(anew).client_weights == ()
    assert summarise(anew).weight_of_kind == found.weight_of_kind


def test_seconds_and_bytes():
    history = [a_record(0), a_record(1, seconds_of={"training": 1.0, "checkpoint": 0.25})]
    found = summarise(history)
    assert found.seconds == 4.0
    assert found.seconds_of == {"training": 2.0, "losses": 0.5, "checkpoint": 0.25}
    assert found.seconds_share == {"training": 0.5, "losses": 0.125, "checkpoint": 0.0625}
    assert (found.bytes_down, found.bytes_up) == (200, 20)
    assert summarise([a_record(seconds=0.0)]).seconds_share == {}


def test_update_diversity_dynamics_is_the_mean_over_rounds():
    history, _ = drawn(5)
    each = [update_diversity(np.asarray(r.gram), np.ones(len(r.gram), bool)) for r in history]
    assert summarise(history).update_diversity_dynamics == pytest.approx(np.mean(each))
    still = [*history, a_record(5, **{**vars(history[0]), "round": 5, "gram": np.zeros_like(history[0].gram).tolist()})]
    assert summarise(still).update_diversity_dynamics is None
    assert summarise([a_record(0), history[1]]).update_diversity_dynamics is None  # two clients, then five


@pytest.mark.parametrize("losses", ["all", "present", "none"])
@pytest.mark.parametrize("anew", [False, True])
def test_any_summary_is_json(losses, anew):
    found = summarise(drawn(losses=losses, anew=anew)[0])
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert json.loads(text)["test_accuracy"]["final"] == found.test_accuracy.final
    assert (found.best_client_accuracy is None) == (losses == "none")


def test_a_run_without_a_round_says_nothing():
    found = summarise([], n_rounds=3)
    assert found.test_accuracy.best is None
    assert found.update_diversity_dynamics is None
    assert (found.client_weights, found.seconds, found.best_client_accuracy) == ((), 0, None)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: summarise([a_record(1)]), r"summarise\(history=…\): round 1 in place 0"),
        (lambda: summarise([a_record(0), a_record(0)]), "round 0 in place 1; expected rounds 0, 1, 2"),
        (lambda: summarise([a_record(0)], n_rounds=0), r"summarise\(n_rounds=0\): 1 rounds were run"),
        (lambda: summarise([a_record(0)], late=0), r"summarise\(late=0\): must be a fraction"),
        (lambda: summarise([a_record(0)], late=1.5), r"late=1.5"),
        (lambda: summarise([a_record(0)], late=float("nan")), r"late=nan"),
        (lambda: summarise([a_record(0)], thresholds=[("accuracy", 0.4)]), "measure 'accuracy': expected one of train"),
        (lambda: reached([], "test_loss", float("inf")), r"reached\(measure='test_loss', value=inf\)"),
        (lambda: reached([a_record(3)], "test_loss", 1.0), r"reached\(history=…\): round 3 in place 0"),
    ],
)
def test_errors_name_what_was_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()

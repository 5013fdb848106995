"""Clients whom a rule gives no weight by the losses of the broadcast model do not train, and no model changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.task.weighted_first import trained_share
from theory import FedBetter, FedSoftWorse, FedWorse, Proportional
from theory.rules import make_rule

SHORT = RunConfig(n_rounds=4, n_clients=6, n_sampled=4, n_local_steps=3, floor="zero", seed=5)
FIRST = replace(SHORT, trains="weighted")


@pytest.mark.parametrize("rule", [FedWorse(k=1), FedBetter(k=2), FedWorse(k=0.5, of="present", inner="share")])
@pytest.mark.parametrize(
    "more", [{}, {"momentum": 0.9, "l2": 0.1}, {"trainer": "in-turn", "n_local_steps": 0, "n_local_epochs": 2}]
)
def test_the_models_are_those_of_a_run_in_which_everyone_trains(rule, more):
    everyone, first = run(replace(SHORT, **more), rule), run(replace(FIRST, **more), rule)
    assert torch.equal(everyone.model, first.model)
    for one, other in zip(everyone.history, first.history, strict=True):
        assert (one.weights, one.loss_before, one.test_accuracy) == (
            other.weights,
            other.loss_before,
            other.test_accuracy,
        )
        assert one.update_norm == other.update_norm
        weighted = np.array(one.weights) > 0
        assert 0 < weighted.sum() < sum(one.present) == sum(other.present) == 4
        assert np.array_equal(other.local_steps, np.where(weighted, one.local_steps, 0))
        assert other.bytes_up * sum(one.present) == one.bytes_up * weighted.sum()
        assert other.bytes_down == one.bytes_down
        gram = np.array(other.gram)[~weighted[one.present]]
        assert not gram.any()


@pytest.mark.parametrize("rule", [Proportional(), FedSoftWorse(0.2)])
def test_where_all_have_weight_all_train(rule):
    everyone, first = run(SHORT, rule), run(FIRST, rule)
    assert torch.equal(everyone.model, first.model)
    assert [r.local_steps for r in everyone.history] == [r.local_steps for r in first.history]


def test_it_is_resumed_to_the_same_numbers(tmp_path):
    whole = run(FIRST, FedWorse(k=1))

    def stop(record):
        if record.round == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(FIRST, FedWorse(k=1), out=tmp_path, on_round=stop)
    assert torch.equal(run(FIRST, FedWorse(k=1), out=tmp_path).model, whole.model)


@pytest.mark.parametrize(
    ("rule", "more", "said"),
    [
        (make_rule("exp-alpha"), {}, "broadcast model's losses alone"),
        (make_rule("min-norm"), {}, "broadcast model's losses alone"),
        (make_rule("with-memory(rule=fed-worse)"), {}, "broadcast model's losses alone"),
        (lambda stats: stats.share, {}, "broadcast model's losses alone"),
        (FedWorse(k=1), {"client": "scaffold"}, "clients without weight count there"),
        (FedWorse(k=1), {"server": "fed-exp"}, "clients without weight count there"),
        (FedWorse(k=1), {"floor": "best-seen"}, "show no loss after training"),
        (FedWorse(k=1), {"losses": "none"}, "losses='none'"),
    ],
)
def test_what_hangs_on_the_training_of_all_is_refused(rule, more, said):
    config = replace(FIRST, **more)
    with pytest.raises(ValueError, match=said):
        run(config, rule)


@pytest.mark.parametrize(
    ("rule", "share"),
    [
        (FedWorse(), 0.1),
        (FedBetter(k=2), 0.2),
        (FedWorse(k=0.2, of="all"), 1.0),
        (FedWorse(k=0.25, of="present"), 0.2),
        (FedWorse(k=0.01, of="present"), 0.1),
        (FedSoftWorse(0.2), 1.0),
    ],
)
def test_the_share_of_those_present_that_trains(rule, share):
    assert trained_share(FIRST, rule, n_clients=100, n_present=10) == share
    assert trained_share(SHORT, rule, n_clients=100, n_present=10) == 1.0

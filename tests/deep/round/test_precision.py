"""Precision, l2 and seeds of a run: float64 all the way, l2 where the objective is, streams of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.round.play_round import first_state, play_round
from deep.task.evaluation import client_scores, sample_scores
from deep.task.setup import Setup
from deep.task.task import make_task, round_cohort
from theory import Proportional

CPU = torch.device("cpu")
SHORT = RunConfig(n_rounds=3, n_clients=6, n_sampled=4, n_local_steps=3, seed=5)


def test_float64_reaches_every_tensor(tmp_path):
    config = replace(SHORT, dtype="float64", model="mlp(hidden=[8])")
    task = make_task(Setup.of(config), CPU)
    kinds = {t.dtype for t in (task.start, task.buffers, task.pool.inputs, task.test.inputs, task.validation.inputs)}
    assert kinds == {torch.float64}
    seen = []

    class Watching(Proportional):
        needs = ("updates",)

        def __call__(self, stats):
            seen.append(stats.updates.dtype)
            return super().__call__(stats)

    state, _ = play_round(Setup.of(config, Watching()), task, first_state(Setup.of(config), task))
    assert (state.model.dtype, seen) == (torch.float64, [torch.float64])
    done = run(config, Proportional(), out=tmp_path)
    assert done.model.dtype == torch.float64
    again = run(config, Proportional(), out=tmp_path)
    assert torch.equal(done.model, again.model)
    assert again.model.dtype == torch.float64


def test_all_trainers_agree_in_float64():
    models = [
        run(replace(SHORT, dtype="float64", model=model, trainer=trainer, momentum=0.5, l2=0.01), Proportional()).model
        for model in ("mlp(hidden=[8])", "small-cnn")
        for trainer in ("in-turn", "together")
    ]
    for one, other in (models[:2], models[2:]):
        assert float((one - other).abs().max()) < 1e-12


def test_l2_is_in_the_objective_and_not_in_test_losses():
    config = replace(SHORT, l2=0.5, dtype="float64")
    task = make_task(Setup.of(config), CPU)
    state, record = play_round(Setup.of(config, Proportional()), task, first_state(Setup.of(config), task))
    assert task.population is not None
    plain, _ = client_scores(task.model, task.start, task.buffers, task.pool, task.population.clients)
    ridge = 0.25 * float(task.start @ task.start)
    np.testing.assert_allclose(record.loss_before, plain.numpy() + ridge, rtol=1e-14)
    losses, _ = sample_scores(task.model, state.model, task.buffers, task.test.inputs, task.test.targets)
    assert record.test_loss == pytest.approx(float(losses.mean()), rel=1e-14)
    # One full-batch step of every client follows the gradient of what is reported.
    one = replace(config, n_local_steps=1, batch_size=10**6, n_sampled=6, local_lr=1e-4)
    task = make_task(Setup.of(one), CPU)
    state, first = play_round(Setup.of(one, Proportional()), task, first_state(Setup.of(one), task))
    _, second = play_round(Setup.of(one, Proportional()), task, state)
    step = state.model - task.start
    assert (second.train_loss - first.train_loss) * -1e-4 == pytest.approx(float(step @ step), rel=1e-3)


def test_seeds_of_their_own_move_nothing_else():
    base = make_task(Setup.of(SHORT), CPU)
    for name in ("data", "cohort", "training"):
        config = replace(SHORT, **{f"{name}_seed": 77})
        task = make_task(Setup.of(config), CPU)
        assert base.population is not None
        assert task.population is not None
        pairs = zip(base.population.clients, task.population.clients, strict=True)
        assert all(torch.equal(a.index, b.index) for a, b in pairs) == (name != "data")
        slots = [round_cohort(Setup.of(c), t, 1).slots for c, t in ((SHORT, base), (config, task))]
        assert (slots[0] == slots[1]) == (name != "cohort")
        assert torch.equal(base.start, task.start) == (name != "training")
    same = replace(SHORT, data_seed=5, cohort_seed=5, training_seed=5)
    assert torch.equal(run(same, Proportional()).model, run(SHORT, Proportional()).model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"l2": -1.0}, r"RunConfig\(l2=-1.0\): must be a finite number >= 0"),
        ({"momentum": 1.0}, r"RunConfig\(momentum=1.0, nesterov=False\): Momentum\(beta=1.0\)"),
        ({"nesterov": True}, r"RunConfig\(momentum=0.0, nesterov=True\)"),
        ({"nesterov": 1}, r"RunConfig\(nesterov=1\): must be true or false"),
        ({"dtype": "float16"}, r"RunConfig\(dtype='float16'\): must be one of float32, float64"),
        ({"data_seed": -2}, r"RunConfig\(data_seed=-2\): must be an integer >= -1"),
    ],
)
def test_the_door(change, message):
    with pytest.raises(ValueError, match=message):
        replace(SHORT, **change)

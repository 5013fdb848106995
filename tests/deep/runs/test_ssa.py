"""FedSSA on trained models: the last round's models, weights after any algorithm, ensembles, one sample at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.data import views
from deep.runs import ssa
from deep.runs.samplewise import ensemble_accuracy, local_training, sample_wise, samplewise_table
from deep.runs.ssa import accuracy_of, aggregated, known_weights, trained, weights_after
from deep.task import signals
from theory import SSA, SSASGD, ExpAlpha, Proportional, make_rule
from theory.rules import Uniform
from theory.rules.by_output.ssa_loss import loss_ssa

CONFIG = RunConfig(
    model="mlp(hidden=[64])",
    n_clients=5,
    n_sampled=5,
    partition="classes(m=2)",
    target="skew",
    n_rounds=6,
    n_local_steps=20,
    n_target_samples=20,
)


@pytest.fixture(scope="module")
def fedavg() -> ssa.Trained:
    return trained(CONFIG, Proportional())


def test_the_rounds_are_those_of_a_run(fedavg: ssa.Trained) -> None:
    whole = run(CONFIG, Proportional())
    assert torch.equal(fedavg.model, whole.model)
    assert fedavg.models.round == 5
    assert fedavg.models.slots == (0, 1, 2, 3, 4)
    vector, _ = aggregated(fedavg.models, fedavg.models.weights)
    assert float((vector - fedavg.model).abs().max()) < 1e-6  # FedAvg is the mean of these models, in float32
    assert accuracy_of(fedavg.task, fedavg.model, fedavg.buffers) == whole.history[-1].test_accuracy


def test_weights_are_learned_on_outputs_computed_once(fedavg: ssa.Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    plain = signals.client_outputs

    def counted(*arguments: object) -> torch.Tensor:
        calls.append(1)
        return plain(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(signals, "client_outputs", counted)
    found = weights_after(fedavg, SSA(n_steps=50))
    assert len(calls) == 2  # one for each view, however many steps
    task, models = fedavg.task, fedavg.models
    shown = views(task.target_inputs, task.views, 0, 5)
    logits = [torch.stack([task.model.logits(v, x) for v in models.vectors], 1).double().numpy() for x in shown]
    stats = ssa.RoundStats(np.full(5, 0.2), np.ones(5, bool), signals={"view_1": logits[0], "view_2": logits[1]})
    np.testing.assert_allclose(found.numpy(), SSA(n_steps=50)(stats), atol=1e-9)


def test_the_client_whose_data_the_target_has_is_right_there(fedavg: ssa.Trained) -> None:
    """Table 4: client 0's model alone is right on a target of its classes, and p, known here, is all on it."""
    each = [accuracy_of(fedavg.task, *pair) for pair in zip(fedavg.models.vectors, fedavg.models.buffers, strict=True)]
    assert max(each[1:]) < 0.3 < each[0]
    p = known_weights(CONFIG, 5)
    assert p is not None
    assert p.tolist() == [1, 0, 0, 0, 0]
    assert accuracy_of(fedavg.task, *aggregated(fedavg.models, torch.from_numpy(p))) == each[0]
    assert known_weights(replace(CONFIG, target="uniform"), 5) is None


@pytest.mark.parametrize("client", ["sgd", "fed-prox(mu=0.1)", "scaffold", "fed-dyn(alpha=0.1)"])
def test_after_any_algorithm(client: str) -> None:
    """The loss is lower than at equal weights, and the clients' models are those of that algorithm."""
    result = trained(replace(CONFIG, client=client), Proportional())
    before, after = weights_after(result, SSASGD(lr=10.0, epochs=0)), weights_after(result, SSASGD(lr=10.0))
    task, models = result.task, result.models
    shown = views(task.target_inputs, task.views, 0, 5)
    one, two = (torch.stack([task.model.logits(v, x) for v in models.vectors], 1).double() for x in shown)
    assert before.tolist() == [0.2] * 5
    assert float(after.sum()) == pytest.approx(1)
    assert float(loss_ssa(after, one, two)) < float(loss_ssa(before, one, two)) - 1e-4


@pytest.mark.parametrize("client", ["sgd", "scaffold"])
def test_a_switch_in_the_last_round_is_the_same(client: str) -> None:
    config = replace(CONFIG, client=client)
    once = trained(config, Proportional())
    vector, _ = aggregated(once.models, weights_after(once, SSASGD()))
    inside = run(config, make_rule("switch(first=proportional, then=fed-ssa-sgd, at_round=5)"))
    assert float((inside.model - vector).abs().max()) < 1e-6  # float32
    assert float((inside.model - once.model).abs().max()) > 1e-3


def test_absent_clients_have_no_weight_and_no_model() -> None:
    config = replace(CONFIG, n_sampled=3, target="uniform")
    result = trained(config, Proportional())
    assert len(result.models.vectors) == len(result.models.slots) == 3
    weights = weights_after(result, SSA(n_steps=5))
    assert bool(((weights > 0) == result.models.present).all())
    vector, _ = aggregated(result.models, weights)
    by_hand = sum(
        float(weights[slot]) * own.double()
        for slot, own in zip(result.models.slots, result.models.vectors, strict=True)
    )
    assert torch.allclose(vector.double(), by_hand, atol=1e-6)


def test_statistics_of_normalisation_are_averaged_with_the_learned_weights() -> None:
    config = replace(CONFIG, model="resnet-20(norm=running)", n_rounds=1, n_local_steps=1)
    models = trained(config, Proportional()).models
    assert models.buffers.shape[1] > 0
    weights = torch.tensor([0.5, 0.5, 0, 0, 0], dtype=torch.float64)
    _, buffers = aggregated(models, weights)
    assert torch.allclose(buffers, models.buffers[:2].mean(0), atol=1e-6)


def test_each_sample_s_weights_are_those_of_a_batch_of_one(fedavg: ssa.Trained) -> None:
    rule = SSA(n_steps=20)
    weights, accuracy = sample_wise(fedavg, rule)
    task, models = fedavg.task, fedavg.models
    assert weights.shape == (len(task.test), 5)
    shown = views(task.test.inputs, task.views or pytest.fail("no views"), 0, CONFIG.n_rounds)
    pair = [torch.stack([task.model.logits(v, x) for v in models.vectors], 1).double() for x in shown]
    for i in (0, 7, 31):
        alone = {"view_1": pair[0][i : i + 1], "view_2": pair[1][i : i + 1]}
        stats = ssa.RoundStats(
            torch.full((5,), 0.2, dtype=torch.float64), torch.ones(5, dtype=torch.bool), signals=alone
        )
        np.testing.assert_allclose(weights[i].numpy(), rule(stats), atol=1e-6)
    logits = torch.stack([task.model.logits(v, task.test.inputs) for v in models.vectors], 1).double()
    mixed = torch.softmax((weights[..., None] * logits).sum(1), -1)
    assert accuracy == pytest.approx(float(task.test.weight @ (mixed.argmax(1) == task.test.targets).double()))


def test_an_ensemble_of_one_client_is_that_client(fedavg: ssa.Trained) -> None:
    first = torch.tensor([1.0, 0, 0, 0, 0], dtype=torch.float64)
    alone = accuracy_of(fedavg.task, fedavg.models.vectors[0], fedavg.models.buffers[0])
    assert ensemble_accuracy(fedavg, fedavg.models, first) == pytest.approx(alone)


def test_the_table_s_rows_and_local_training() -> None:
    config = replace(CONFIG, target="uniform", n_rounds=4, n_local_steps=20)
    table = samplewise_table(config, SSASGD(lr=10.0))
    assert list(table) == [
        "Local Training",
        "Local Training + Ensemble",
        "FedAvg",
        "FedAvg + Ensemble",
        "Sample-wise FedSSA",
    ]
    assert table["Local Training"] == pytest.approx(0.2, abs=0.02)  # each knows two classes of ten
    assert table["FedAvg"] > table["Local Training"]
    alone = local_training(config)
    once = local_training(replace(config, n_rounds=1))
    assert float((alone.models.vectors - once.models.vectors).norm()) > 0.1  # they went on where they stood


def test_what_cannot_be_done_is_said(fedavg: ssa.Trained) -> None:
    with pytest.raises(ValueError, match="needs `loss_"):
        weights_after(fedavg, ExpAlpha(0.5))
    with pytest.raises(ValueError, match="diverged in round 0"):
        trained(replace(CONFIG, local_lr=1e30), Uniform())
    with pytest.raises(ValueError, match="some test samples are not judged"):
        sample_wise(trained(replace(CONFIG, target_source="separate", n_rounds=1), Uniform()), SSA())
    with pytest.raises(ValueError, match="has no running statistics of its own"):
        local_training(replace(CONFIG, model="resnet-20(norm=running)", n_rounds=1, n_local_steps=1))
    with pytest.raises(ValueError, match="clients are resampled"):
        weights_after(trained(replace(CONFIG, cohort="imbalanced(n_clients=3, size=30)", target=""), Uniform()), SSA())

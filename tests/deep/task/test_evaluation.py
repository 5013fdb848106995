from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import deep.round.normalisation
from deep import RunConfig, run
from deep.base.floor import ZERO
from deep.local import Client, Pool
from deep.models import SoftmaxRegression, make_model, n_parameters
from deep.models.layout import convolves_channels_last
from deep.models.pooled import pooled_first
from deep.task.evaluation import Sampled, client_scores, own_scores, score, scores_of, shared_scores
from deep.task.rule_checks import losses_of, reads_loss_after
from theory.rules import make_rule


def test_the_samples_of_a_group_weigh_one_together_again() -> None:
    """FedBN judges a client on its own group: what the other groups weigh must not lower its loss and accuracy."""
    inputs = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    weight = torch.tensor([0.1, 0.3, 0.4, 0.2], dtype=torch.float64)
    samples = Sampled(inputs, torch.tensor([0, 0, 1, 1]), weight, torch.tensor([0, 0, 1, 1]), ("a", "b"))
    part = samples.only(samples.group == 0)
    assert part.weight is not None
    torch.testing.assert_close(part.weight, torch.tensor([0.25, 0.75], dtype=torch.float64))
    model = SoftmaxRegression(2, 2)
    vector = torch.zeros(n_parameters(model))
    vector[0] = 5.0  # class 0 wherever the first feature is 1, no opinion elsewhere
    found = score(model, vector, torch.zeros(0), part)
    first, second = torch.log1p(torch.exp(torch.tensor([-5.0, 0.0], dtype=torch.float64))).tolist()
    assert found.loss == pytest.approx(0.25 * first + 0.75 * second, rel=1e-6)  # logits are float32
    assert found.accuracy == pytest.approx(1.0)
    plain = Sampled(inputs, torch.tensor([0, 0, 1, 1])).only(torch.tensor([True, False, False, True]))
    assert plain.weight is None
    assert len(plain) == 2


IMAGES = SimpleNamespace(image_shape=(1, 4, 4), n_classes=3)


@pytest.mark.parametrize("name", ["softmax-regression", "mlp(hidden=[5])", "linear-regression"])
def test_own_losses_of_linear_stacks_are_those_client_by_client(name: str) -> None:
    """Clients of 1 to 40 samples, padded in groups: no padding counts, whoever else is there."""
    generator = torch.Generator().manual_seed(0)
    sizes = (3, 40, 1, 17, 18, 2)
    inputs = torch.randn(sum(sizes), 1, 4, 4, generator=generator)
    classes = torch.randint(0, 3, (sum(sizes),), generator=generator)
    parts = torch.arange(sum(sizes)).split(sizes)
    clients = [Client(k, part, classes[part]) for k, part in enumerate(parts)]
    model, start = make_model(name, IMAGES, 0)
    vectors = start + torch.randn(len(sizes), len(start), generator=generator)
    none, pool = torch.zeros(len(sizes), 0), Pool(inputs)
    losses, hits = own_scores(model, vectors, none, pool, clients)
    for place, client in enumerate(clients):
        expected, (hit,) = client_scores(model, vectors[place], none[0], pool, [client])
        assert float(losses[place]) == pytest.approx(float(expected), rel=1e-6)  # logits are float32
        assert hits[place] == hit
        alone, _ = own_scores(model, vectors[place : place + 1], none[:1], pool, [client])
        assert torch.equal(alone, losses[place : place + 1])


@pytest.mark.parametrize("name", ["softmax-regression", "mlp(hidden=[5])"])
def test_several_models_in_one_pass_score_as_each_by_itself(name: str) -> None:
    generator = torch.Generator().manual_seed(1)
    inputs, classes = torch.randn(30, 1, 4, 4, generator=generator), torch.randint(0, 3, (30,), generator=generator)
    model, start = make_model(name, IMAGES, 0)
    vectors = start + torch.randn(3, len(start), generator=generator)
    weight = torch.rand(30, dtype=torch.float64, generator=generator)
    samples = Sampled(inputs, classes, weight / weight.sum(), classes % 2, ("even", "odd"))
    clients = [Client(k, part, classes[part]) for k, part in enumerate(torch.arange(30).split([10, 15, 5]))]
    none, pool = torch.zeros(0), Pool(inputs)
    together = shared_scores(model, vectors, pool, clients)  # type: ignore[arg-type]
    for vector, found, (losses, hits) in zip(vectors, scores_of(model, vectors, samples), together, strict=True):  # type: ignore[arg-type]
        expected = score(model, vector, none, samples)
        assert found.loss == pytest.approx(expected.loss, rel=1e-6)
        assert (found.accuracy, found.group_accuracy) == (expected.accuracy, expected.group_accuracy)
        each, right = client_scores(model, vector, none, pool, clients)
        torch.testing.assert_close(losses, each, rtol=1e-6, atol=0)
        assert hits == right


def test_pooling_before_rectifying_changes_no_bit() -> None:
    module = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(3 * 9, 2))
    faster = pooled_first(module)
    assert [type(part) for part in faster][1:3] == [nn.MaxPool2d, nn.ReLU]
    inputs = torch.randn(5, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    outputs = [found(inputs) for found in (module, faster)]
    assert torch.equal(*outputs)
    slopes = [
        torch.autograd.grad(o.square().sum(), list(m.parameters()))
        for o, m in zip(outputs, (module, faster), strict=True)
    ]
    assert all(torch.equal(a, b) for a, b in zip(*slopes, strict=True))
    kept = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2, return_indices=True))
    assert type(pooled_first(kept)[0]) is nn.ReLU  # type: ignore[index]


def test_group_normalisation_keeps_images_channel_by_channel() -> None:
    shape = SimpleNamespace(image_shape=(3, 8, 8), n_classes=2)
    inputs = torch.zeros(1, 3, 8, 8)
    assert convolves_channels_last(make_model("resnet-20(norm=running)", shape, 0)[0], inputs)
    assert not convolves_channels_last(make_model("resnet-20(norm=group)", shape, 0)[0], inputs)
    assert not convolves_channels_last(make_model("softmax-regression", shape, 0)[0], inputs)


def test_losses_are_measured_where_they_are_few_or_read() -> None:
    auto, many = RunConfig(), 60_000
    read = make_rule("fed-soft-worse(temperature=0.2)"), make_rule("exp-alpha(alpha=0.5)")
    remembered = make_rule("with-memory(rule=exp-alpha)")
    assert [losses_of(auto, rule, many) for rule in (*read, remembered)] == ["present", "present", "all"]
    assert losses_of(auto, read[0], 1000) == losses_of(auto, lambda stats: stats.share, many) == "all"
    assert losses_of(replace(auto, losses="none"), read[0], many) == "none"
    assert [reads_loss_after(auto, rule, many, ZERO) for rule in read] == [False, True]
    assert reads_loss_after(auto, read[0], many, replace(ZERO, losses=None))
    assert reads_loss_after(replace(auto, losses="present"), read[0], many, ZERO)


def test_validation_samples_are_looked_at_once_or_only_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that reads the accuracy takes the one the last evaluation found; with "read" nobody else looks."""
    config = RunConfig(n_clients=4, n_sampled=4, n_rounds=4, n_local_steps=2)
    switch = make_rule("switch(first=fed-worse, then=proportional, at_accuracy=0.3)")
    seen: list[int] = []
    real = deep.round.normalisation.score
    monkeypatch.setattr(deep.round.normalisation, "score", lambda *a: (seen.append(len(a[3])), real(*a))[1])
    often = run(config, switch)
    n_validation = seen[0]
    assert seen.count(n_validation) == 1 + 4  # the initial model, and each new one
    seen.clear()
    seldom = run(replace(config, validation="read"), make_rule("proportional"))
    assert seen.count(n_validation) == 1
    assert [r.validation_accuracy is None for r in seldom.history] == [True, True, True, False]
    assert all(r.test_accuracy is not None for r in seldom.history)
    reading = run(replace(config, validation="read"), switch)
    assert torch.equal(reading.model, often.model)

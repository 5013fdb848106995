"""Signals measured on real models, against brute force and closed forms, and the rules that run on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import deep.task.signals
from deep.data import Scaling, Views, digits, view
from deep.local import Client, Pool
from deep.models import (
    LinearRegression,
    Network,
    SoftmaxRegression,
    initial_buffers,
    initial_vector,
    make_model,
    sample_losses,
)
from deep.models.network import build
from deep.models.norm import BatchNorm
from deep.partition import Exponential
from deep.task.signals import client_outputs, gradient_variance, measure, target_samples
from deep.task.wanted import HANDED, SIGNALS, wanted
from theory.base.streams import stream
from theory.rules import (
    RULES,
    SSA,
    Confidence,
    FedDisco,
    InverseVariance,
    Mix,
    Proportional,
    Similarity,
    Switch,
    Uniform,
    WithMemory,
    example_of,
    make_rule,
)
from theory.rules.protocol import aggregate
from theory.rules.stats import RoundStats

DATA = digits()
ORDER = torch.from_numpy(np.random.default_rng(0).permutation(len(DATA)))
POOL = Pool(DATA.images)
TARGET, TARGET_LABELS = DATA.images[ORDER[600:800]], DATA.labels[ORDER[600:800]]
STRONG = Views(flip=0.0, kernel=0.4)  # 3 × 3 pixels of 8 × 8: strong enough to tell good models from bad ones


@dataclass(frozen=True)
class Spelling:
    """Scores at each of three positions: those of a linear layer on the token there."""

    n_classes: int = 4

    def logits(self, vector, inputs, buffers=None):
        return vector.view(-1, self.n_classes)[inputs]


def normalised_model(running=True):
    """A convolution, its normalisation and a linear layer: 281 parameters and 6 running statistics."""

    def make():
        return nn.Sequential(nn.Conv2d(1, 3, 3), BatchNorm(3, running), nn.ReLU(), nn.Flatten(), nn.Linear(48, 5))

    model = Network("normalised", build(make), (1, 6, 6))
    return model, initial_vector(model, 0)


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape)).to(dtype)


# What a rule reads.


@pytest.mark.parametrize("entry", RULES, ids=lambda entry: entry.name)
def test_every_rule_of_the_registry_gets_the_signals_it_lists(entry):
    assert wanted(make_rule(entry.name)) == set(example_of(entry.name).signals)
    assert set(example_of(entry.name).signals) <= {*SIGNALS, HANDED}


def test_signals_are_wanted_through_combinators():
    assert wanted(WithMemory(Confidence())) == {"logits"}
    both = Switch(Similarity(), Mix(InverseVariance(), Confidence(), 0.5), at_accuracy=0.5)
    assert wanted(both) == set(SIGNALS) - {"label_counts"}
    assert wanted(Mix(FedDisco(), Confidence(), 0.5)) == {"label_counts", "logits"}


def test_a_rule_that_does_not_say_gets_nothing_and_hides_no_other():
    def silent(stats):
        return stats.share

    assert wanted(silent) == frozenset()
    assert wanted(Switch(silent, Similarity(), at_accuracy=0.5)) == {"accuracy", "view_1", "view_2"}
    assert wanted(Switch(WithMemory(silent), WithMemory(Confidence()), at_round=3)) == {"logits"}
    stats = RoundStats(share=torch.tensor([1.0], dtype=torch.float64), present=torch.tensor([True]))
    with pytest.raises(ValueError, match="needs `logits`, which this round does not carry"):
        stats.need("logits", "silent")


def test_a_signal_nobody_measures_is_refused_before_the_first_round():
    with pytest.raises(ValueError, match=r"InverseVariance\(signal='heat'.*no run measures heat; expected some of acc"):
        wanted(Mix(InverseVariance(signal="heat"), Confidence(), 0.5))


# Outputs.


def test_outputs_stand_at_their_clients_slots():
    model = SoftmaxRegression(64, 10)
    vectors = draw(2, 650, dtype=torch.float32)
    found = client_outputs(model, vectors, torch.zeros(2, 0), TARGET[:7], [3, 1], 5)
    assert found.shape == (7, 5, 10)
    assert found.dtype == torch.float64
    assert torch.equal(found[:, 3], model.logits(vectors[0], TARGET[:7]).double())
    assert torch.equal(found[:, 1], model.logits(vectors[1], TARGET[:7]).double())
    assert not found[:, [0, 2, 4]].any()


def test_outputs_use_each_client_s_own_running_statistics_and_come_in_pieces(monkeypatch):
    model, start = normalised_model()
    inputs = draw(5, 1, 6, 6, dtype=torch.float32)
    buffers = initial_buffers(model) + torch.tensor([[0.0], [0.3]])
    found = client_outputs(model, start.expand(2, -1), buffers, inputs, [0, 1], 2)
    assert not torch.allclose(found[:, 0], found[:, 1])
    assert torch.allclose(found[:, 1], model.logits(start, inputs, buffers[1]).double())
    monkeypatch.setattr(deep.task.signals, "AT_ONCE", 2)
    pieces = client_outputs(model, start.expand(2, -1), buffers, inputs, [0, 1], 2)
    assert torch.allclose(pieces, found, rtol=1e-4, atol=1e-5)  # float32, another order of sums


def test_outputs_at_every_position_are_rows_of_their_own():
    tokens = torch.tensor([[0, 1, 2], [2, 2, 0]])
    vectors = draw(1, 12)
    found = client_outputs(Spelling(), vectors, torch.zeros(1, 0), tokens, [0], 1)
    assert torch.equal(found[:, 0], vectors.view(3, 4)[tokens.flatten()])


# Gradient variance.


def brute_force(model, vector, buffers, inputs, targets):
    """Mean squared distance of every sample's gradient to their mean, one autograd call a sample."""
    rows = []
    for x, y in zip(inputs, targets, strict=True):
        at = vector.clone().requires_grad_()
        loss = sample_losses(model.loss, model.logits(at, x[None], buffers), y[None]).sum()
        rows.append(torch.autograd.grad(loss, at)[0].double())
    gradients = torch.stack(rows)
    return (gradients - gradients.mean(0)).square().sum(1).mean()


def variance_of(model, vector, clients, pool, buffers=None, n_gradients=128, seed=0, round_index=0):
    m = len(clients)
    buffers = torch.zeros(0) if buffers is None else buffers
    rows = vector.expand(m, -1), buffers.expand(m, -1)
    return gradient_variance(model, *rows, pool, clients, n_gradients, seed, round_index)


@settings(max_examples=30)
@given(n=st.integers(1, 9), d=st.integers(1, 4), seed=st.integers(0, 999), piece=st.integers(1, 60))
def test_the_variance_of_a_linear_model_is_its_closed_form(n, d, seed, piece):
    """∇ℓ = r·(x, 1), r = ⟨w, x⟩ + b − y, so that σ² = mean r²(‖x‖² + 1) − ‖mean r·(x, 1)‖²."""
    model = LinearRegression(d)
    x, y, vector = draw(n, d, seed=seed), draw(n, seed=seed + 1000), draw(d + 1, seed=seed + 2000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deep.task.signals, "_ENTRIES", piece)
        found = variance_of(model, vector, [Client(0, torch.arange(n), y)], Pool(x))
    gradients = (x @ vector[:d] + vector[d] - y)[:, None] * torch.cat([x, torch.ones(n, 1)], 1)
    exact = gradients.square().sum(1).mean() - gradients.mean(0).square().sum()
    assert found.dtype == torch.float64
    assert float(found[0]) == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["softmax-regression", "mlp", "small-cnn"])
def test_the_variance_agrees_with_one_gradient_at_a_time(name):
    model, vector = make_model(name, DATA, 0)
    clients = [Client(0, ORDER[:20], DATA.labels[ORDER[:20]]), Client(7, ORDER[20:25], torch.arange(5))]
    found = variance_of(model, vector, clients, POOL)
    expected = [brute_force(model, vector, None, POOL.inputs[c.index], c.targets) for c in clients]
    assert found.tolist() == pytest.approx(torch.stack(expected).tolist(), rel=1e-4)  # float32 gradients


def test_the_variance_is_taken_at_what_each_client_was_sent():
    model, start = normalised_model()
    x = draw(6, 1, 6, 6, dtype=torch.float32)
    client = Client(0, torch.arange(6), torch.arange(6) % 5)
    starts = torch.stack([start, 2 * start])
    buffers = initial_buffers(model) + torch.tensor([[0.0], [0.3]])
    found = gradient_variance(model, starts, buffers, Pool(x), [client, client], 8, 0, 0)
    for row in (0, 1):
        exact = brute_force(model, starts[row], buffers[row], x, client.targets)
        assert float(found[row]) == pytest.approx(float(exact), rel=1e-3)  # float32 gradients


def test_the_variance_does_not_depend_on_the_pieces(monkeypatch):
    model, vector = make_model("softmax-regression", DATA, 0)
    client = Client(0, ORDER[:50], DATA.labels[ORDER[:50]])
    whole = variance_of(model, vector, [client], POOL)
    monkeypatch.setattr(deep.task.signals, "_ENTRIES", 7 * 650)
    assert variance_of(model, vector, [client], POOL).tolist() == pytest.approx(whole.tolist(), rel=1e-5)


def test_the_estimate_from_a_few_samples_is_unbiased():
    """The mean over all six pairs of four samples is the variance itself."""
    model, vector = LinearRegression(2), draw(3)
    client = Client(5, torch.arange(4), draw(4, seed=1))
    pool = Pool(draw(4, 2, seed=2))
    exact = float(variance_of(model, vector, [client], pool)[0])
    rounds = [float(variance_of(model, vector, [client], pool, n_gradients=2, round_index=r)[0]) for r in range(60)]
    pairs = {round(value, 9): value for value in rounds}
    assert len(pairs) == 6
    assert sum(pairs.values()) / 6 == pytest.approx(exact, rel=1e-9)


def test_the_samples_follow_seed_round_and_client_number():
    model, vector = make_model("softmax-regression", DATA, 0)
    client = Client(3, ORDER[:100], DATA.labels[ORDER[:100]])

    def found(who=client, **where):
        return variance_of(model, vector, [who], POOL, n_gradients=10, **where).item()

    assert found() == found()
    others = [found(seed=1), found(round_index=1), found(replace(client, number=4))]
    assert len({found(), *others}) == 4


def test_a_client_with_one_sample_has_no_variance():
    model, vector = make_model("softmax-regression", DATA, 0)
    assert variance_of(model, vector, [Client(0, ORDER[:1], DATA.labels[ORDER[:1]])], POOL).tolist() == [0.0]


def test_two_gradients_at_least():
    with pytest.raises(ValueError, match=r"gradient_variance\(n_gradients=1\): must be >= 2"):
        variance_of(SoftmaxRegression(64, 10), torch.zeros(650), [Client(0, ORDER[:3], torch.arange(3))], POOL, None, 1)


def test_models_with_the_statistics_of_the_batch_have_no_gradient_of_one_sample():
    model, vector = normalised_model(running=False)
    client = Client(0, torch.arange(3), torch.arange(3))
    with pytest.raises(
        ValueError, match=r"gradient_variance\(.*statistics of the batch.*norm='running' or norm='group'"
    ):
        variance_of(model, vector, [client], Pool(torch.zeros(3, 1, 6, 6)))


# All of them together.


def trained(model, vector, client, n_steps):
    for step in range(n_steps):
        batch = torch.from_numpy(stream(0, "test", step).choice(len(client), 32, replace=False))
        at = vector.detach().requires_grad_()
        outputs = model.logits(at, POOL.inputs[client.index[batch]])
        loss = sample_losses(model.loss, outputs, client.targets[batch]).mean()
        vector = vector - 0.3 * torch.autograd.grad(loss, at)[0]
    return vector.detach()


GOOD = Client(0, ORDER[:300], DATA.labels[ORDER[:300]])
NONSENSE = Client(1, ORDER[300:600], torch.from_numpy(np.random.default_rng(1).integers(0, 10, 300)))


@cache
def cohort(n_steps):
    """What `measure` takes for a client with true labels in slot 0, one absent, one with random labels in slot 2."""
    model, start = make_model("softmax-regression", DATA, 0)
    vectors = torch.stack([trained(model, start, client, n_steps) for client in (GOOD, NONSENSE)])
    return {
        "model": model,
        "start": vectors[:1].expand(2, -1),
        "start_buffers": torch.zeros(2, 0),
        "vectors": vectors,
        "buffers": torch.zeros(2, 0),
        "slots": [0, 2],
        "n_slots": 3,
        "clients": [GOOD, NONSENSE],
        "pool": POOL,
        "target_inputs": TARGET,
        "views": STRONG,
        "scaling": Scaling(),
        "accuracy": lambda: float((model.logits(vectors[0], TARGET).argmax(1) == TARGET_LABELS).double().mean()),
        "seed": 0,
        "round_index": 4,
    }


def stats_of(signals):
    share = torch.tensor([0.25, 0.5, 0.25], dtype=torch.float64)
    updates = torch.zeros(3, 2)
    return RoundStats(share, torch.tensor([True, False, True]), updates=updates, signals=signals, round=4)


def test_each_signal_is_what_its_function_gives():
    given_cohort = cohort(20)
    found = measure(SIGNALS, **given_cohort)
    model, vectors, empty = given_cohort["model"], given_cohort["vectors"], torch.zeros(2, 0)
    assert set(found) == set(SIGNALS)
    assert all(value.dtype == torch.float64 for value in found.values())
    shown = {"logits": TARGET, "view_1": view(TARGET, STRONG, 0, 4, 1), "view_2": view(TARGET, STRONG, 0, 4, 2)}
    for name, inputs in shown.items():
        assert torch.equal(found[name], client_outputs(model, vectors, empty, inputs, [0, 2], 3))
    variance = gradient_variance(model, given_cohort["start"], empty, POOL, [GOOD, NONSENSE], 128, 0, 4)
    assert found["gradient_variance"].tolist() == [variance[0], 0, variance[1]]
    assert found["accuracy"].shape == ()
    assert float(found["accuracy"]) == given_cohort["accuracy"]()


def test_the_number_of_gradients_is_passed_on():
    few = measure({"gradient_variance"}, **cohort(20), n_gradients=5)["gradient_variance"]
    assert few.tolist() != measure({"gradient_variance"}, **cohort(20))["gradient_variance"].tolist()


def test_label_counts_are_those_of_the_clients_present():
    given = cohort(20)
    found = measure({"label_counts"}, **given)["label_counts"]
    assert found.shape == (given["n_slots"], given["model"].layers[-1].shapes[0][0])
    for slot in range(given["n_slots"]):
        if slot not in given["slots"]:
            assert not found[slot].any()
    for slot, client in zip(given["slots"], given["clients"], strict=True):
        assert found[slot].sum() == len(client)
        for label in range(found.shape[1]):
            assert found[slot, label] == int((client.targets == label).sum())
    real = [replace(client, targets=client.targets.double()) for client in given["clients"]]
    with pytest.raises(ValueError, match="real numbers and no classes"):
        measure({"label_counts"}, **given | {"clients": real})


@pytest.mark.parametrize("name", SIGNALS)
def test_nothing_is_computed_that_was_not_asked_for(name, monkeypatch):
    calls = []
    for function in ("client_outputs", "gradient_variance", "label_counts", "view"):
        original = getattr(deep.task.signals, function)
        monkeypatch.setattr(deep.task.signals, function, lambda *a, f=function, o=original: calls.append(f) or o(*a))
    accuracy = {"accuracy": lambda: calls.append("accuracy") or 0.5}
    assert set(measure([name], **cohort(20) | accuracy)) == {name}
    expected = {
        "logits": ["client_outputs"],
        "view_1": ["view", "client_outputs"],
        "view_2": ["view", "client_outputs"],
    }
    assert calls == expected.get(name, [name])


def test_nothing_asked_for_is_nothing_done():
    assert measure((), **cohort(20) | {"model": None, "target_inputs": None, "accuracy": None}) == {}


@pytest.mark.parametrize(
    ("names", "other", "message"),
    [
        (["logit"], {}, r"measure\(names=\['logit'\]\): unknown; expected some of accuracy, gradient_variance"),
        (["logits"], {"target_inputs": None}, r"measure\('logits'\): the run has no target samples"),
        (["view_2"], {"target_inputs": None}, r"measure\('view_2'\): the run has no target samples"),
        (["view_1"], {"views": None}, r"measure\('view_1'\): the run has no settings of the views"),
        ([], {"slots": [0]}, r"measure\(slots=\[0\]\): for 2 vectors, 2 clients and 3 slots; expected one slot"),
        ([], {"slots": [0, 3]}, r"measure\(slots=\[0, 3\]\): for 2 vectors"),
        ([], {"slots": [1, 1]}, r"measure\(slots=\[1, 1\]\)"),
        ([], {"slots": [-1, 1]}, r"measure\(slots=\[-1, 1\]\)"),
        ([], {"clients": [GOOD]}, "for 2 vectors, 1 clients and 3 slots"),
        ([], {"slots": [], "clients": [], "vectors": torch.zeros(0, 650)}, "for 0 vectors, 0 clients"),
    ],
)
def test_what_does_not_fit_is_named(names, other, message):
    with pytest.raises(ValueError, match=message):
        measure(names, **cohort(20) | other)


def test_text_has_no_views():
    tokens = torch.zeros(4, 3, dtype=torch.int64)
    with pytest.raises(ValueError, match="look like tokens; the paper defines views of images only"):
        measure(["view_1"], **cohort(20) | {"target_inputs": tokens})


# Rules on measured signals.


@pytest.mark.parametrize(
    "rule", [Similarity(), Confidence(), Confidence("softmax"), SSA(), InverseVariance()], ids=repr
)
def test_a_rule_favours_the_client_with_true_labels(rule):
    """Both clients fitted what they have: the one with random labels changes its mind from view to view."""
    signals = measure(wanted(rule), **cohort(400))
    weights = rule(stats_of(signals))
    assert float(weights.sum()) == pytest.approx(1, abs=1e-12)
    assert float(weights.min()) >= 0
    assert float(weights[1]) == 0
    assert float(weights[0]) > 0.51


def test_invariance_alone_may_favour_a_client_that_knows_nothing_and_confidence_mends_it():
    """fedssa, Section 4.2: a model may put out "invariant yet irrelevant predictions"; hence L_var."""
    signals = measure({"view_1", "view_2"}, **cohort(100) | {"views": replace(STRONG, kernel=0.1)})
    stats = stats_of(signals)
    assert float(SSA(lambda_var=0.0)(stats)[2]) > 0.5
    assert float(SSA()(stats)[0]) > 0.9


def test_a_switch_turns_at_the_measured_accuracy():
    rule = Switch(Uniform(), Proportional(), at_accuracy=0.6)
    assert wanted(rule) == {"accuracy"}
    share = torch.tensor([0.2, 0.0, 0.8], dtype=torch.float64)
    state, seen = None, []
    for n_steps in (1, 400):
        stats = replace(stats_of(measure(wanted(rule), **cohort(n_steps))), share=share)
        state, weights, _ = aggregate(rule, state, stats)
        seen.append(weights.tolist())
    assert seen == [[0.5, 0.0, 0.5], [0.2, 0.0, 0.8]]


# The samples the server shows.


def test_target_samples_are_those_of_the_target():
    shares = Exponential(20).shares(np.ones((1, 10)))
    where = target_samples(DATA.labels, shares, 200, seed=3)
    assert bool((where.diff() > 0).all())
    counts = torch.bincount(DATA.labels[where], minlength=10)
    assert float((counts - 200 * torch.from_numpy(shares)).abs().max()) < 1
    assert torch.equal(where, target_samples(DATA.labels, shares, 200, seed=3))
    assert not torch.equal(where, target_samples(DATA.labels, shares, 200, seed=4))


def test_nought_is_as_many_as_the_target_admits():
    assert torch.equal(target_samples(DATA.labels, None, 0, seed=3), torch.arange(len(DATA.labels)))
    shares = Exponential(20).shares(np.ones((1, 10)))
    found = torch.bincount(DATA.labels[target_samples(DATA.labels, shares, 0, seed=3)], minlength=10)
    assert int(found[0]) == int((DATA.labels == 0).sum())  # the largest class decides


@given(n=st.integers(1, 30), seed=st.integers(0, 99))
def test_without_a_target_all_samples_are_alike(n, seed):
    labels = torch.zeros(30, dtype=torch.int64)
    shown = target_samples(labels, None, n, seed)
    assert len(shown) == n
    assert bool((shown.diff() > 0).all())
    assert torch.equal(shown, target_samples(labels, None, n, seed))


def test_every_sample_may_be_shown():
    labels = torch.zeros(6, dtype=torch.int64)
    shown = torch.cat([target_samples(labels, None, 2, seed) for seed in range(40)])
    assert set(shown.tolist()) == set(range(6))


def test_too_few_samples_are_an_error_that_says_how_many_there_are():
    labels = torch.arange(30) % 3
    with pytest.raises(
        ValueError, match=r"target_samples\(n=31\): the validation part has 30 samples; expected 1 to 30, or 0"
    ):
        target_samples(labels, None, 31, 0)
    with pytest.raises(ValueError, match=r"target_samples\(n=-1\): the test part"):
        target_samples(labels, None, -1, 0, "test")
    shares = np.array([0.5, 0.25, 0.25])
    assert len(target_samples(labels, shares, 20, 0)) == 20
    message = (
        r"n=24\): the validation part has too few of some class; about 20 fit .*needs 12 samples of class 0, there"
    )
    with pytest.raises(ValueError, match=message):
        target_samples(labels, shares, 24, 0)


def test_a_class_without_samples_cannot_be_shown():
    with pytest.raises(ValueError, match=r"class 1 has the share 0.5 and no test sample"):
        target_samples(torch.zeros(3, dtype=torch.int64), np.array([0.5, 0.5]), 2, 0)

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from deep.local import Client, LocalBatches, Pool, train_dense, train_in_turn, train_together
from deep.local.products import products
from deep.local.schedule import is_padded, make_schedule
from deep.local.trainers.dense import is_dense
from deep.local.trainers.together import uses_batch_statistics
from deep.models import (
    MLP,
    LinearRegression,
    Network,
    SmallCNN,
    SoftmaxRegression,
    initial_buffers,
    initial_vector,
    make_model,
    sample_losses,
    training_logits,
)
from deep.models.norm import Real
from deep.models.pooled import merged, merges
from theory import Momentum
from theory.base.streams import stream

IMAGES = SimpleNamespace(image_shape=(1, 12, 12), n_classes=4)
COLOURS = SimpleNamespace(image_shape=(3, 8, 8), n_classes=4)
TOKENS = SimpleNamespace(length=5, vocabulary=tuple("abcde"), n_classes=5)
LR = 0.05
DENSE = [
    (SoftmaxRegression(6, 3), "classes"),
    (MLP(6, 3, (5, 4)), "classes"),
    (MLP(6, 3, ()), "classes"),
    (LinearRegression(6, 1), "real"),
    (LinearRegression(6, 1), "flat"),
    (LinearRegression(6, 2), "real"),
    (LinearRegression(6, 3), "classes"),
]


@dataclass(frozen=True)
class Round:
    """Everything a trainer is given."""

    model: object
    start: torch.Tensor
    buffers: torch.Tensor
    pool: Pool
    clients: list[Client]
    batches: list[LocalBatches]

    def train(self, trainer, lr=LR):
        return trainer(self.model, self.start, self.buffers, self.pool, self.clients, self.batches, lr)


def batch_of(rng, n_samples, counts, size):
    """Batches of these counts without repetition, padded with their first position."""
    index = np.zeros((len(counts), size), dtype=np.int64)
    for row, count in zip(index, counts, strict=True):
        row[:count] = rng.permutation(n_samples)[:count]
        row[count:] = row[0]
    return LocalBatches(index, np.array(counts, dtype=np.int64).reshape(-1))


def make_round(model, counts, dtype=torch.float64, kind="classes", seed=0, shape=None):
    """Client k takes batches of counts[k] samples; every client starts elsewhere; samples lie scattered in the pool."""
    rng = stream(seed, "test")
    sizes = [max([3, *own]) + 1 for own in counts]
    n, n_outputs = sum(sizes) + 5, model.layers[-1].shapes[0][0]
    if model.input_dtype is torch.int64:
        inputs = torch.from_numpy(rng.integers(0, n_outputs, (n, *model.input_shape)))
    else:
        inputs = torch.from_numpy(rng.normal(size=(n, *(shape or model.input_shape)))).to(dtype)
    parts = np.split(rng.permutation(n)[: sum(sizes)], np.cumsum(sizes)[:-1])
    targets = {
        "classes": lambda size: torch.from_numpy(rng.integers(0, n_outputs, size)),
        "real": lambda size: torch.from_numpy(rng.normal(size=(size, n_outputs))).to(dtype),
        "flat": lambda size: torch.from_numpy(rng.normal(size=size)).to(dtype),
    }[kind]
    clients = [Client(k, torch.from_numpy(part), targets(len(part))) for k, part in enumerate(parts)]
    batches = [batch_of(rng, len(p), own, max([1, *own])) for p, own in zip(parts, counts, strict=True)]
    vector = initial_vector(model, seed).to(dtype)
    start = vector + 0.1 * torch.from_numpy(rng.normal(size=(len(counts), len(vector)))).to(dtype)
    buffers = initial_buffers(model).to(dtype).expand(len(counts), -1)
    return Round(model, start, buffers, Pool(inputs), clients, batches)


def reference(r, lr=LR):
    """The definition, sample by sample: the mean loss over the real samples, one sample's own gradient at a time."""
    vectors = []
    for w, client, batch in zip(r.start, r.clients, r.batches, strict=True):
        for row, count in zip(batch.index, batch.count, strict=True):
            total = torch.zeros_like(w)
            for position in row[:count]:
                leaf = w.clone().requires_grad_()
                outputs = r.model.logits(leaf, r.pool.inputs[client.index[position]][None])
                (gradient,) = torch.autograd.grad(
                    sample_losses(r.model.loss, outputs, client.targets[position][None]).sum(), leaf
                )
                total += gradient
            w = w - lr * total / int(count)
        vectors.append(w)
    return torch.stack(vectors)


def close(one, other):
    # Sums of at most some hundred terms of size one, in another order.
    torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-10)


RAGGED = [[4, 2], [], [3, 3, 1, 3], [1, 4, 4]]


@pytest.mark.parametrize("trainer", [train_in_turn, train_together, train_dense])
@pytest.mark.parametrize(("model", "kind"), DENSE)
def test_dense_models_take_the_defined_steps(trainer, model, kind):
    r = make_round(model, RAGGED, kind=kind)
    vectors, buffers = r.train(trainer)
    close(vectors, reference(r))
    assert torch.equal(vectors[1], r.start[1])  # a client without steps stays as it is, to the bit
    assert buffers.shape == (4, 0)


@given(
    counts=st.lists(st.lists(st.integers(1, 5), max_size=4), min_size=1, max_size=5).filter(any),
    model=st.sampled_from([model for model, kind in DENSE if kind == "classes"]),
    seed=st.integers(0, 100),
)
@settings(max_examples=40)
def test_ragged_rounds_of_any_shape(counts, model, seed):
    r = make_round(model, counts, seed=seed)
    expected = reference(r)
    for trainer in (train_in_turn, train_together, train_dense):
        close(r.train(trainer)[0], expected)


@pytest.mark.parametrize("trainer", [train_in_turn, train_together])
@pytest.mark.parametrize("name", ["small-cnn", "robust-cnn-flattened"])
@pytest.mark.parametrize("images", [IMAGES, COLOURS], ids=["grey", "colours"])
def test_convolutions_take_the_defined_steps(trainer, name, images):
    if name == "robust-cnn-flattened" and images is COLOURS:
        images = SimpleNamespace(image_shape=(3, 12, 12), n_classes=4)
    r = make_round(make_model(name, images, 0)[0], RAGGED)
    close(r.train(trainer)[0], reference(r))


@pytest.mark.parametrize("trainer", [train_in_turn, train_together])
def test_tokens_take_the_defined_steps(trainer):
    r = make_round(make_model("lstm-characters", TOKENS, 0)[0], [[2, 1], [2]])
    close(r.train(trainer)[0], reference(r))


@pytest.mark.parametrize("trainer", [train_in_turn, train_together])
def test_running_statistics_follow_the_batches(trainer):
    model = make_model("resnet-20", COLOURS, 0)[0]
    r = make_round(model, [[3, 3], [3], []])
    vectors, buffers = r.train(trainer)
    for k, (client, batch) in enumerate(zip(r.clients, r.batches, strict=True)):
        w, running = r.start[k], r.buffers[k]
        for row in batch.index:
            leaf = w.clone().requires_grad_()
            outputs, running = training_logits(model, leaf, r.pool.inputs[client.index[row]], running)
            (gradient,) = torch.autograd.grad(sample_losses(model.loss, outputs, client.targets[row]).mean(), leaf)
            w = w - LR * gradient
        # Normalisation divides by deviations below one: rounding grows on its way through twenty layers.
        torch.testing.assert_close(vectors[k], w, rtol=1e-6, atol=1e-8)
        torch.testing.assert_close(buffers[k], running, rtol=1e-6, atol=1e-8)
    assert torch.equal(buffers[2], r.buffers[2])
    assert not torch.equal(buffers[0], buffers[1])


SAMPLES = SimpleNamespace(**vars(COLOURS), inputs=torch.zeros(1, 3, 8, 8), outputs=torch.zeros(1, dtype=torch.int64))
DIGITS = SimpleNamespace(image_shape=(3, 32, 32), n_classes=4)
NORMALISED = {
    "resnet-20": COLOURS,
    "resnet-20(norm=batch)": COLOURS,
    "resnet-18": COLOURS,
    "tests.deep.local.test_local_trainers:OwnNormalised": SAMPLES,
}


class OwnNormalised(torch.nn.Sequential):
    """torch's own normalisations, with and without scale, a momentum of one's own, on images and on vectors."""

    def __init__(self):
        super().__init__(
            torch.nn.Conv2d(3, 5, 3),
            torch.nn.BatchNorm2d(5, momentum=0.3, affine=False),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
            torch.nn.Linear(180, 6),
            torch.nn.BatchNorm1d(6, eps=1e-3),
            torch.nn.Linear(6, 4),
        )


@pytest.mark.parametrize("name", [name for name in NORMALISED if name != "resnet-18"])
def test_padding_enters_neither_gradients_nor_statistics(name):
    """Clients side by side, padded to the longest batch, become what they become alone, without padding."""
    model = make_model(name, NORMALISED[name], 0)[0]
    r = make_round(model, [[4, 3], [3, 4], [3]])
    assert uses_batch_statistics(r.model)
    assert is_padded(r.batches)
    vectors, buffers = r.train(train_together)
    alone, running = r.train(train_in_turn)
    # Rounding as in the test of running statistics; two steps through up to twenty layers.
    torch.testing.assert_close(vectors, alone, rtol=1e-5, atol=1e-7)
    torch.testing.assert_close(buffers, running, rtol=1e-6, atol=1e-8)
    assert not torch.equal(vectors[0], r.start[0])


@pytest.mark.parametrize("name", [*NORMALISED, "digit-model"])
def test_a_padded_batch_gives_what_the_batch_gives(name):
    """Outputs of its real samples, gradients and running statistics; whatever the padding is."""
    shapes, dtype = NORMALISED.get(name, DIGITS), torch.float64
    model = make_model(name, shapes, 0)[0]
    vector, buffers = initial_vector(model, 0).to(dtype), initial_buffers(model).to(dtype)
    rng = stream(0, "padded")
    images = torch.from_numpy(rng.normal(size=(7, *shapes.image_shape))).to(dtype)
    images[4:] *= 100.0
    targets, weight = torch.tensor([0, 3, 1, 2]), torch.tensor([0.25] * 4 + [0.0] * 3, dtype=dtype)

    def found(n, real):
        leaf = vector.clone().requires_grad_()
        logits, after = training_logits(model, leaf, images[:n], buffers, real)
        (gradient,) = torch.autograd.grad(sample_losses("cross-entropy", logits[:4], targets).mean(), leaf)
        return logits[:4].detach(), gradient, after

    plain = found(4, None)
    for padded, one in zip(found(7, Real(weight, 4)), plain, strict=True):
        torch.testing.assert_close(padded, one, rtol=1e-7, atol=1e-7)
    spoilt = found(7, None)
    assert not torch.allclose(spoilt[0], plain[0])


def test_one_real_value_a_channel_has_no_variance():
    model = make_model("tests.deep.local.test_local_trainers:OwnNormalised", SAMPLES, 0)[0]
    for trainer in (train_together, train_in_turn):
        with pytest.raises(ValueError, match=r"BatchNorm: a batch of shape \(1, 6\) has one value per channel"):
            make_round(model, [[3], [1]]).train(trainer)


def test_statistics_that_padding_would_enter_are_refused(monkeypatch):
    r = make_round(make_model("resnet-20", COLOURS, 0)[0], [[3], [2]])
    monkeypatch.setattr("deep.local.trainers.together.pads", lambda *_: False)
    with pytest.raises(ValueError, match=r"train_together: batches of one step differ in size .* train in turn, or"):
        r.train(train_together)


def test_groups_of_channels_do_not_mind_padding():
    r = make_round(make_model("resnet-20", COLOURS, 0, norm="group")[0], [[3], [2]])
    assert not uses_batch_statistics(r.model)
    # Rounding as in the test of running statistics.
    torch.testing.assert_close(r.train(train_together)[0], r.train(train_in_turn)[0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("trainer", [train_in_turn, train_together, train_dense])
def test_float32_stays_near_float64(trainer):
    model = MLP(6, 3, (5, 4))
    single, double = (make_round(model, RAGGED, dtype) for dtype in (torch.float32, torch.float64))
    vectors, _ = single.train(trainer)
    assert vectors.dtype == torch.float32
    # A few steps of rounding at 6e-8 relative, on numbers below ten.
    torch.testing.assert_close(vectors.double(), double.train(trainer)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("trainer", [train_in_turn, train_together, train_dense])
def test_what_goes_in_is_not_changed(trainer):
    r = make_round(SoftmaxRegression(6, 3), RAGGED)
    tensors = [r.start, r.pool.inputs, *(c.index for c in r.clients), *(c.targets for c in r.clients)]
    before = [t.clone() for t in tensors]
    once, again = r.train(trainer), r.train(trainer)
    assert all(torch.equal(t, b) for t, b in zip(tensors, before, strict=True))
    assert torch.equal(once[0], again[0])
    assert not once[0].requires_grad
    assert once[0].data_ptr() != r.start.data_ptr()


def test_buffers_that_go_in_are_not_changed():
    r = make_round(make_model("resnet-20", COLOURS, 0)[0], [[2], [2]])
    for trainer in (train_in_turn, train_together):
        r.train(trainer)
        assert torch.equal(r.buffers, initial_buffers(r.model).double().expand(2, -1))


@pytest.mark.parametrize("trainer", [train_in_turn, train_together, train_dense])
def test_clients_do_not_see_each_other(trainer):
    r = make_round(MLP(6, 3, (5,)), RAGGED)
    vectors, _ = r.train(trainer)
    turned = [2, 0, 3, 1]
    other = Round(
        r.model,
        r.start[turned],
        r.buffers[turned],
        r.pool,
        [r.clients[k] for k in turned],
        [r.batches[k] for k in turned],
    )
    close(other.train(trainer)[0], vectors[turned])


@pytest.mark.parametrize("trainer", [train_in_turn, train_together, train_dense])
def test_images_are_flattened_and_all_may_be_idle(trainer):
    r = make_round(SoftmaxRegression(6, 3), [[2], [3]], shape=(1, 2, 3))
    close(r.train(trainer)[0], reference(r))
    idle = make_round(SoftmaxRegression(6, 3), [[], []])
    assert torch.equal(idle.train(trainer)[0], idle.start)


@pytest.mark.parametrize("trainer", [train_in_turn, train_together, train_dense])
def test_the_door(trainer):
    r = make_round(SoftmaxRegression(6, 3), [[2], [3]])
    name = trainer.__name__
    go = partial(trainer, r.model)
    cases = [
        ((r.start, r.buffers, r.pool, [], [], LR), rf"{name}\(0 clients, 0 batches\): expected one for each client"),
        ((r.start, r.buffers, r.pool, r.clients, r.batches[:1], LR), rf"{name}\(2 clients, 1 batches\)"),
        ((r.start[:, 1:], r.buffers, r.pool, r.clients, r.batches, LR), r"start \(2, 20\), .* expected \(2, 21\)"),
        ((r.start, r.start, r.pool, r.clients, r.batches, LR), r"buffers \(2, 21\)\): expected .* \(2, 0\)"),
        ((r.start, r.buffers, r.pool, r.clients, r.batches, 0.0), r"local_lr=0.0\): must be a finite number > 0"),
        ((r.start, r.buffers, r.pool, r.clients, r.batches, float("nan")), r"local_lr=nan"),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError, match=message):
            go(*arguments)
    far = LocalBatches(np.array([[4]]), np.array([1]))
    with pytest.raises(ValueError, match=r"batches of client 0 ask for position 4; it has 4 samples"):
        go(r.start, r.buffers, r.pool, r.clients, [far, r.batches[1]], LR)


def test_dense_knows_its_models_by_exact_type():
    class Doubled(SoftmaxRegression):
        def logits(self, vector, inputs, buffers=None):
            return 2 * super().logits(vector, inputs)

    for model in (Doubled(6, 3), SmallCNN((1, 4, 4), 3)):
        assert not is_dense(model)
        with pytest.raises(ValueError, match=r"train_dense\(model=.*expected SoftmaxRegression.*take train_together"):
            make_round(model, [[2]]).train(train_dense)


@pytest.mark.parametrize("trainer", [train_in_turn, train_together, train_dense])
def test_targets_that_do_not_fit(trainer):
    r = make_round(SoftmaxRegression(6, 3), [[2], [3]], kind="real")
    with pytest.raises(ValueError, match=r"sample_losses\('cross-entropy', .* expected torch.int64 targets"):
        r.train(trainer)


def test_a_schedule_puts_the_longest_first_and_weighs_real_samples():
    r = make_round(SoftmaxRegression(6, 3), RAGGED)
    s = make_schedule(r.clients, r.batches, torch.float64)
    assert s.order.tolist() == [2, 3, 0, 1]
    assert s.n_active == (3, 3, 2, 1)
    assert s.width == (4, 4, 4, 3)
    # Thirds and quarters of one, summed.
    assert s.weight.sum(2).tolist() == pytest.approx(np.array([[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]))
    for place, k in enumerate(s.order.tolist()):
        client, batch = r.clients[k], r.batches[k]
        for step, (row, count) in enumerate(zip(batch.index, batch.count, strict=True)):
            assert torch.equal(s.rows[step, place, :count], client.index[row[:count]])
            assert torch.equal(s.targets[s.slots[step, place, :count]], client.targets[row[:count]])
            assert set(s.rows[step, place, count:].tolist()) <= {int(client.index[row[0]])}


@pytest.mark.parametrize(
    ("counts", "padded"),
    [([[4, 2], [4, 2]], False), ([[4, 2], [4], []], False), ([[4, 2], [4, 3]], True), ([[]], False)],
)
def test_padding_is_needed_where_one_step_has_two_sizes(counts, padded):
    assert is_padded(make_round(SoftmaxRegression(6, 3), counts).batches) == padded


@pytest.mark.parametrize("momentum", [Momentum(), Momentum(0.9), Momentum(0.9, nesterov=True)])
@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("trainer", [train_in_turn, train_together, train_dense])
def test_momentum_and_l2_are_those_of_torch(trainer, l2, momentum):
    r = make_round(MLP(6, 3, (5,)), RAGGED)
    vectors, _ = trainer(r.model, r.start, r.buffers, r.pool, r.clients, r.batches, LR, l2, momentum)
    for k, (client, batch) in enumerate(zip(r.clients, r.batches, strict=True)):
        w = r.start[k].clone().requires_grad_()
        optimiser = torch.optim.SGD([w], LR, momentum.beta, weight_decay=l2, nesterov=momentum.nesterov)
        for row, count in zip(batch.index, batch.count, strict=True):
            optimiser.zero_grad()
            outputs = r.model.logits(w, r.pool.inputs[client.index[row[:count]]])
            sample_losses(r.model.loss, outputs, client.targets[row[:count]]).mean().backward()
            optimiser.step()
        # Sums of at most some dozens of terms of size one, in another order.
        torch.testing.assert_close(vectors[k], w.detach(), rtol=1e-12, atol=1e-12)


def test_l2_is_not_negative():
    r = make_round(SoftmaxRegression(6, 3), [[2], [3]])
    with pytest.raises(ValueError, match=r"train_dense\(l2=-1\): must be a finite number >= 0"):
        train_dense(r.model, r.start, r.buffers, r.pool, r.clients, r.batches, LR, -1)


@pytest.mark.parametrize(
    "name",
    ["small-cnn", "robust-cnn-flattened", "resnet-20(norm=group)", "resnet-20", "digit-model", "lstm-characters"],
)
@pytest.mark.parametrize(
    ("l2", "momentum"), [(0.0, Momentum()), (0.3, Momentum()), (0.1, Momentum(0.9))], ids=["plain", "l2", "momentum"]
)
@pytest.mark.parametrize("rounded", ["full", "bf16"])
def test_a_bound_module_takes_the_steps_of_the_function(monkeypatch, name, l2, momentum, rounded):
    """Parameters and statistics that are views of vectors, against the function of the vector: bit for bit, and when
    products are rounded no factor is one of a step before.
    """
    shapes = TOKENS if "lstm" in name else IMAGES if "robust" in name else COLOURS
    model = make_model(name, shapes, 0)[0]
    r = make_round(model, [[3, 2], [2], []], dtype=torch.float32)
    args = r.model, r.start, r.buffers, r.pool, r.clients, r.batches, LR, l2, momentum
    with products(rounded, r.start.device):
        bound, moved = train_in_turn(*args)
        monkeypatch.setattr(Network, "binds", False)
        vectors, statistics = train_in_turn(*args)
        assert torch.equal(vectors, bound)
        assert torch.equal(statistics, moved)
    assert torch.equal(r.buffers, initial_buffers(model).to(r.buffers).expand_as(r.buffers))  # moved in a copy of it
    assert not torch.equal(bound[0], r.start[0])
    assert torch.equal(bound[2], r.start[2])


@pytest.mark.parametrize("kernel", [5, 6])
@pytest.mark.parametrize("padding", [0, 2])
def test_a_pool_within_its_convolution_gives_the_same_pixels_and_gradients(kernel, padding):
    draws = torch.Generator().manual_seed(kernel)
    plain = nn.Sequential(nn.Conv2d(3, 6, kernel, padding=padding), nn.MaxPool2d(2), nn.ReLU())
    assert merges(plain)
    together = merged(deepcopy(plain))
    assert type(together[0]) is not nn.Conv2d
    images = torch.randn(4, 3, 16, 16, generator=draws)
    images[:, :, :9, :9] = 0.5  # all four pixels of a window are equal: the first takes the gradient
    values = torch.randn(plain(images).shape, generator=draws)
    outputs, gradients = [], []
    for module in (plain, together):
        outputs.append(module(images))
        gradients.append(torch.autograd.grad((outputs[-1] * values).sum(), [*module.parameters()]))
    torch.testing.assert_close(outputs[1], outputs[0], rtol=1e-5, atol=1e-6)
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(other, one, rtol=1e-4, atol=1e-4)  # sums of 1,000 terms of size one in another order


def test_many_channels_and_small_kernels_keep_their_pool():
    for conv in (nn.Conv2d(3, 32, 5), nn.Conv2d(3, 6, 3), nn.Conv2d(3, 6, 5, stride=2)):
        assert not merges(nn.Sequential(conv, nn.MaxPool2d(2)))
    assert not merges(nn.Sequential(nn.Conv2d(3, 6, 5), nn.MaxPool2d(3)))


def test_a_merged_pool_takes_the_steps_of_the_function_to_rounding(monkeypatch):
    model = make_model("fedssa-cnn-2", SimpleNamespace(image_shape=(3, 16, 16), n_classes=4), 0)[0]
    r = make_round(model, [[3, 2], [2]], dtype=torch.float32)
    assert model.merges
    args = r.model, r.start, r.buffers, r.pool, r.clients, r.batches, LR
    bound = train_in_turn(*args)[0]
    monkeypatch.setattr(Network, "binds", False)
    torch.testing.assert_close(train_in_turn(*args)[0], bound, rtol=1e-5, atol=1e-6)

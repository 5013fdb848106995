"""The papers' networks: each is the one described, starts by its law, and trains clients in parallel."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from torch import nn
from torch.func import grad, vmap

from deep.models import (
    MODELS,
    Network,
    cost,
    initial_buffers,
    initial_vector,
    make_model,
    sample_losses,
    training_logits,
)
from deep.models.network import build
from tests.deep.models.test_models import CIFAR10, MNIST, Images


@dataclass(frozen=True)
class Tokens:
    """What a model needs to know of a data set of token sequences."""

    length: int
    vocabulary: tuple[str, ...]
    n_classes: int
    name: str = "tokens"


TEXT = Tokens(6, tuple("abcdefgh"), 8)

# Large enough for every network, small enough to run them twice.
RUNS = {
    "softmax-regression": (MNIST, {}),
    "linear-regression": (MNIST, {}),
    "mlp": (MNIST, {}),
    "small-cnn": (Images((1, 8, 8), 10), {}),
    "robust-cnn-flattened": (MNIST, {}),
    "robust-cnn-hidden": (MNIST, {}),
    "fedssa-cnn-2": (CIFAR10, {}),
    "fedssa-cnn-3": (CIFAR10, {}),
    "five-layer-cnn": (CIFAR10, {}),
    "digit-model": (Images((3, 12, 12), 10), {}),
    "resnet-20": (CIFAR10, {}),
    "resnet-18": (Images((3, 8, 8), 10), {}),
    "resnet-18-group": (Images((3, 8, 8), 10), {}),
    "resnet-50": (Images((1, 8, 8), 10), {}),
    "vgg-11-half": (MNIST, {}),
    "vgg-11-sattler": (CIFAR10, {}),
    "lstm-characters": (TEXT, {}),
}


def sample(model, n, seed, n_classes):
    """Inputs and labels of `n` samples."""
    draws = torch.Generator().manual_seed(seed)
    labels = torch.randint(n_classes, (n,), generator=draws)
    if model.input_dtype == torch.int64:
        return torch.randint(8, (n, *model.input_shape), generator=draws), labels
    return torch.rand(n, *model.input_shape, generator=draws), labels


def in_parallel_and_alone(model, start, n_classes, dtype=torch.float64):
    """Gradients and buffers of two clients with different vectors, together and one by one."""
    # In float64 by default, so that another order of sums does not grow through fifty layers of norms.
    buffers, start = initial_buffers(model).to(dtype), start.to(dtype)

    def loss(vector, inputs, labels):
        logits, after = training_logits(model, vector, inputs, buffers)
        return sample_losses(model.loss, logits, labels).mean(), after

    vectors = torch.stack([start, start * 1.02])
    batches = [sample(model, 3, seed, n_classes) for seed in (0, 1)]
    batches = [(x.to(dtype) if x.is_floating_point() else x, y) for x, y in batches]
    inputs, labels = (torch.stack(parts) for parts in zip(*batches, strict=True))
    together = vmap(grad(loss, has_aux=True))(vectors, inputs, labels)
    alone = [grad(loss, has_aux=True)(v, x, y) for v, x, y in zip(vectors, inputs, labels, strict=True)]
    return together, tuple(torch.stack(parts) for parts in zip(*alone, strict=True))


SLOW = {"resnet-18", "resnet-18-group", "resnet-50"}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in RUNS])
def test_clients_in_parallel_get_the_gradients_they_get_alone(name):
    dataset, options = RUNS[name]
    model, start = make_model(name, dataset, 0, **options)
    (gradients, buffers), (gradients_alone, buffers_alone) = in_parallel_and_alone(model, start, dataset.n_classes)
    assert bool(gradients.isfinite().all())
    distance = (gradients - gradients_alone).norm(dim=1) / gradients_alone.norm(dim=1)
    assert bool((gradients_alone.norm(dim=1) > 1e-6).all())
    assert float(distance.max()) < 1e-9  # float64 sums in another order
    torch.testing.assert_close(buffers, buffers_alone)
    assert float((gradients[0] - gradients[1]).norm()) > 0


def test_every_model_is_run_or_has_a_test_of_its_own():
    assert set(RUNS) | {"lstm-words", "pythia"} == set(MODELS)


@pytest.mark.parametrize("name", ["resnet-20", "five-layer-cnn", "lstm-characters"])
def test_a_few_steps_on_one_batch_lower_its_loss(name):
    dataset, options = RUNS[name]
    model, vector = make_model(name, dataset, 0, **options)
    buffers = initial_buffers(model)
    inputs, labels = sample(model, 8, 0, dataset.n_classes)
    losses = []
    for _ in range(8):
        vector = vector.detach().requires_grad_()
        logits, buffers = training_logits(model, vector, inputs, buffers)
        loss = sample_losses(model.loss, logits, labels).mean()
        losses.append(float(loss.detach()))
        vector = vector - 0.1 * torch.autograd.grad(loss, vector)[0]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    "name", ["resnet-20", "resnet-18-group", "vgg-11-sattler", "five-layer-cnn", "lstm-characters"]
)
def test_starts_follow_from_the_seed_and_take_nothing_from_torch_s_generator(name):
    dataset, options = RUNS[name]
    before = torch.get_rng_state()
    first = make_model(name, dataset, 5, **options)[1]
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first, make_model(name, dataset, 5, **options)[1])
    assert not torch.equal(first, make_model(name, dataset, 6, **options)[1])


def drawn(law):
    """Weight and bias of a convolution, a norm, a linear layer and an embedding, drawn by `law`."""
    parts = [nn.Conv2d(8, 32, 3), nn.GroupNorm(2, 32), nn.Linear(400, 50), nn.Embedding(90, 20)]
    model = Network("laws", build(lambda: nn.Sequential(*parts)), (8, 9, 9), law)
    return [
        part.squeeze() for part in initial_vector(model, 0).split([p.numel() for m in parts for p in m.parameters()])
    ]


@pytest.mark.parametrize(
    ("law", "conv", "conv_bias", "linear", "linear_bias", "embedding"),
    [
        ("torch", (1 / 216) ** 0.5, (1 / 216) ** 0.5, (1 / 1200) ** 0.5, (1 / 1200) ** 0.5, 1.0),
        ("he-in", (2 / 72) ** 0.5, (1 / 216) ** 0.5, (2 / 400) ** 0.5, (1 / 1200) ** 0.5, 1.0),
        ("he-out", (2 / 288) ** 0.5, 0.0, (1 / 1200) ** 0.5, (1 / 1200) ** 0.5, 1.0),
        ("he-out-small-linear", (2 / 288) ** 0.5, 0.0, 0.01, 0.0, 1.0),
        ("gpt", 0.02, 0.0, 0.02, 0.0, 0.02),
    ],
)
def test_each_law_has_the_deviations_its_docstring_states(law, conv, conv_bias, linear, linear_bias, embedding):
    found = drawn(law)
    # 1,800 draws and more: the deviation is within a tenth of its law; biases, 32 and 50 draws, within a half.
    for values, expected, slack in [
        (found[0], conv, 0.1),
        (found[1], conv_bias, 0.5),
        (found[4], linear, 0.1),
        (found[5], linear_bias, 0.5),
        (found[6], embedding, 0.1),
    ]:
        assert float(values.std()) == pytest.approx(expected, rel=slack)
        assert abs(float(values.mean())) <= 4 * expected / len(values) ** 0.5
    assert bool((found[2] == 1).all())
    assert bool((found[3] == 0).all())


def module_with(name, dataset, **options):
    """The module of a model on the CPU, with the values of its start, and its model."""
    model, vector = make_model(name, dataset, 0, **options)
    module = model.module.to_empty(device="cpu").eval()
    nn.utils.vector_to_parameters(vector, module.parameters())
    return model, vector, module


def test_resnet20_is_the_network_of_he_et_al_written_out():
    model, vector, module = module_with("resnet-20", CIFAR10, norm="group")
    images, _ = sample(model, 2, 0, 10)
    weights = dict(module.named_parameters())

    def conv_norm(x, conv, norm, stride):
        x = nn.functional.conv2d(x, weights[f"{conv}.weight"], stride=stride, padding=1)
        return nn.functional.group_norm(x, min(32, x.shape[1]), weights[f"{norm}.weight"], weights[f"{norm}.bias"])

    signal = torch.relu(conv_norm(images, "stem.0", "stem.1", 1))
    for block in range(9):
        stride = 2 if block in {3, 6} else 1
        name = f"blocks.{block}.residual"
        inside = torch.relu(conv_norm(signal, f"{name}.0", f"{name}.1", stride))
        inside = conv_norm(inside, f"{name}.3", f"{name}.4", 1)
        if stride == 2:
            zeros = torch.zeros(2, signal.shape[1] // 2, signal.shape[2] // 2, signal.shape[3] // 2)
            signal = torch.cat([zeros, signal[:, :, ::2, ::2], zeros], dim=1)
        signal = torch.relu(signal + inside)
    logits = signal.mean((2, 3)) @ weights["scores.weight"].T + weights["scores.bias"]
    torch.testing.assert_close(model.logits(vector, images), logits.detach(), rtol=1e-4, atol=1e-5)


def test_vgg_pads_small_images_evenly_with_zeros():
    model, vector, module = module_with("vgg-11-half", Images((1, 27, 28), 10))
    images, _ = sample(model, 2, 0, 10)
    padded = torch.zeros(2, 1, 32, 32)
    padded[:, :, 2:29, 2:30] = images
    torch.testing.assert_close(model.logits(vector, images), module[1:](padded).detach())
    assert [layer.shapes[0][0] for layer in model.layers] == [32, 64, 128, 128, 256, 256, 256, 256, 2048, 2048, 10]


def test_readings_differ_where_the_papers_leave_it_open():
    kinds = {name: [layer.shapes[0] for layer in MODELS[name](RUNS[name][0]).layers] for name in RUNS}
    assert kinds["robust-cnn-flattened"][2:] == [(10, 1600)]
    assert kinds["robust-cnn-hidden"][2:] == [(1600, 1600), (10, 1600)]
    assert [len(shape) for shape in kinds["fedssa-cnn-2"]] == [4, 4, 2, 2, 2]
    assert [len(shape) for shape in kinds["fedssa-cnn-3"]] == [4, 4, 4, 2, 2, 2]


@pytest.mark.parametrize("name", ["robust-cnn-hidden", "fedssa-cnn-3", "five-layer-cnn", "digit-model"])
def test_an_image_too_small_is_named(name):
    with pytest.raises(ValueError, match=r"\(image_shape=\(1, 2, 2\)\): too small for its convolutions and pools"):
        MODELS[name](Images((1, 2, 2), 10))


def test_readings_and_stems_that_do_not_exist_are_named():
    from deep.models.networks.convolutional import fedssa_cnn, robust_cnn

    with pytest.raises(ValueError, match="reading='wide': unknown; expected one of flattened, hidden"):
        robust_cnn((1, 28, 28), 10, "wide")
    with pytest.raises(ValueError, match="reading='4': unknown; expected one of 2-convolutions, 3-convolutions"):
        fedssa_cnn((1, 28, 28), 10, "4")
    with pytest.raises(ValueError, match="stem='tiny': unknown; expected one of small, large"):
        make_model("resnet-18", CIFAR10, 0, stem="tiny")
    with pytest.raises(ValueError, match="shortcut='C': unknown; expected one of A, B"):
        make_model("resnet-20", CIFAR10, 0, shortcut="C")


def test_inputs_and_vectors_that_do_not_fit_are_named():
    model, vector = make_model("five-layer-cnn", CIFAR10, 0)
    images, _ = sample(model, 2, 0, 10)
    with pytest.raises(ValueError, match=r"five-layer-cnn: vector of shape \(122569,\); expected \(122570,\)"):
        model.logits(vector[1:], images)
    with pytest.raises(
        ValueError, match=r"inputs are torch.float64 .* expected torch.float32 of shape \(n, 3, 32, 32\)"
    ):
        model.logits(vector, images.double())
    with pytest.raises(ValueError, match=r"shape \(2, 3, 31, 32\)"):
        model.logits(vector, images[:, :, 1:])


def test_a_module_with_parameters_of_an_unknown_kind_is_refused():
    with pytest.raises(TypeError, match=r"no law is known for the parameters of '0', a .*PReLU"):
        Network("odd", build(lambda: nn.Sequential(nn.PReLU())), (3,))


def test_costs_count_statistics_apart():
    found = cost(MODELS["resnet-20"](CIFAR10))
    assert found.n_buffers == 2 * (7 * 16 + 6 * 32 + 6 * 64)
    assert cost(MODELS["resnet-20"](CIFAR10, norm="batch")).n_buffers == 0

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from torch import nn

from deep import MODELS, RunConfig, make_model
from deep.data import digits
from deep.models import (
    MLP,
    LinearRegression,
    Network,
    SmallCNN,
    SoftmaxRegression,
    cost,
    initial_buffers,
    n_parameters,
    training_logits,
)
from deep.models.network import build

DATA = digits()
SMALL = ["softmax-regression", "linear-regression", "mlp", "small-cnn"]


@dataclass(frozen=True)
class Images:
    """What a model needs to know of a data set of images."""

    image_shape: tuple[int, int, int]
    n_classes: int
    name: str = "images"


@dataclass(frozen=True)
class Regression:
    features: torch.Tensor
    targets: torch.Tensor
    name: str = "regression"


MNIST, CIFAR10, CIFAR100 = Images((1, 28, 28), 10), Images((3, 32, 32), 10), Images((3, 32, 32), 100)
DIGITS = Images((3, 28, 28), 10)
IMAGENET = Images((3, 224, 224), 1000)

COUNTS = [
    # Ours, from the shapes in the docstring.
    ("small-cnn", Images((1, 8, 8), 10), {}, 9_930),
    ("small-cnn", CIFAR10, {}, 144 * 3 + 16 + 4_640 + (32 * 16 * 16 + 1) * 10),
    ("robust-cnn-hidden", MNIST, {}, 320 + 18_496 + 1600 * 1601 + 16_010),
    ("fedssa-cnn-2", CIFAR10, {}, 456 + 2_416 + 1601 * 120 + 121 * 84 + 850),
    ("fedssa-cnn-3", CIFAR10, {}, 456 + 2_416 + 12_832 + (32 * 36 + 1) * 120 + 121 * 84 + 850),
    ("five-layer-cnn", CIFAR10, {}, 896 + 18_496 + 36_928 + 1025 * 64 + 650),
    ("digit-model", DIGITS, {}, 4_864 + 102_464 + 204_928 + 512 + 6273 * 2048 + 4_096 + 2049 * 512 + 1_024 + 5_130),
    # Well known: 784 · 10 + 10.
    ("softmax-regression", MNIST, {}, 7_850),
    # McMahan et al. 2017, Section 3, "MNIST 2NN".
    ("mlp", MNIST, {}, 199_210),
    # Keras, "Simple MNIST convnet".
    ("robust-cnn-flattened", MNIST, {}, 34_826),
    # PyTorch's CIFAR-10 tutorial network, which MOON's is.
    ("fedssa-cnn-2", CIFAR10, {"second_pool": True}, 62_006),
    # He et al. 2016, Table 6 prints 0.27M; the last digits from public implementations of options A and B.
    ("resnet-20", CIFAR10, {}, 269_722),
    ("resnet-20", CIFAR10, {"shortcut": "B"}, 272_474),
    # The widespread CIFAR variant (kuangliu/pytorch-cifar).
    ("resnet-18", CIFAR10, {}, 11_173_962),
    ("resnet-18-group", CIFAR10, {}, 11_173_962),
    ("resnet-50", CIFAR10, {}, 23_520_842),
    # torchvision's documentation of its ImageNet models.
    ("resnet-18", IMAGENET, {"stem": "large"}, 11_689_512),
    ("resnet-50", IMAGENET, {"stem": "large"}, 25_557_032),
    # Sattler et al. 2019, Table I, VGG11* on CIFAR-10.
    ("vgg-11-sattler", CIFAR10, {}, 865_482),
]


@pytest.mark.parametrize(("name", "dataset", "options", "expected"), COUNTS)
def test_parameter_counts_are_the_published_ones(name, dataset, options, expected):
    assert cost(MODELS[name](dataset, **options)).n_parameters == expected


def test_vgg11_undivided_is_torchvision_s():
    from deep.models.networks.convolutional import vgg11

    module = build(lambda: vgg11((3, 224, 224), 1000, divide=1))
    assert n_parameters(Network("vgg", module, (3, 224, 224))) == 132_863_336  # torchvision's documentation of vgg11


@pytest.mark.parametrize(
    ("name", "dataset", "options", "multiply_adds"),
    [
        ("resnet-20", CIFAR10, {}, 40.8e6),  # public implementations of He et al. 2016
        ("resnet-18", IMAGENET, {"stem": "large"}, 1.814e9),  # torchvision's documentation
        ("resnet-50", IMAGENET, {"stem": "large"}, 4.089e9),  # torchvision's documentation
        ("resnet-18", CIFAR10, {}, 0.556e9),  # the widespread CIFAR variant
    ],
)
def test_flops_are_twice_the_published_multiply_adds(name, dataset, options, multiply_adds):
    # Published counts may hold norms and activations as well: under a percent.
    assert cost(MODELS[name](dataset, **options)).flops == pytest.approx(2 * multiply_adds, rel=0.01)


def test_costs_of_plain_models_are_their_products():
    found = cost(SoftmaxRegression(64, 10))
    assert (found.n_parameters, found.n_buffers, found.flops) == (650, 0, 2 * 640)


@pytest.mark.parametrize("name", SMALL)
def test_the_start_follows_from_the_seed_and_leaves_torch_s_generator_alone(name):
    before = torch.get_rng_state()
    _, first = make_model(name, DATA, seed=5)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(99)
    _, again = make_model(name, DATA, seed=5)
    _, other = make_model(name, DATA, seed=6)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert first.dtype == torch.float32


def small_cnn_module():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(512, 10),
    )


def test_the_cnn_is_the_network_its_docstring_describes():
    model, vector = make_model("small-cnn", DATA, seed=1)
    network = small_cnn_module()
    nn.utils.vector_to_parameters(vector, network.parameters())
    torch.testing.assert_close(model.logits(vector, DATA.images[:50]), network(DATA.images[:50]))


def test_a_wrapped_module_starts_and_computes_as_the_one_written_out():
    from deep.models import initial_vector

    plain, wrapped = SmallCNN((1, 8, 8), 10), Network("small", build(small_cnn_module), (1, 8, 8))
    vector = initial_vector(plain, 3)
    assert plain.layers == wrapped.layers
    assert torch.equal(vector, initial_vector(wrapped, 3))
    torch.testing.assert_close(plain.logits(vector, DATA.images[:9]), wrapped.logits(vector, DATA.images[:9]))


def test_perceptron_and_linear_regression_are_those_of_torch():
    for model, module in [
        (MLP(64, 3, (7, 5)), nn.Sequential(nn.Linear(64, 7), nn.ReLU(), nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 3))),
        (MLP(64, 3, ()), nn.Sequential(nn.Linear(64, 3))),
        (LinearRegression(64, 2), nn.Sequential(nn.Linear(64, 2))),
    ]:
        vector = nn.utils.parameters_to_vector(module.parameters()).detach()
        assert n_parameters(model) == len(vector)
        torch.testing.assert_close(model.logits(vector, DATA.images[:9]), module(DATA.images[:9].flatten(1)).detach())


@pytest.mark.parametrize("name", SMALL)
def test_the_start_has_the_spread_of_torch_s_own_initialisation(name):
    model, vector = make_model(name, DATA, seed=0)
    position = 0
    for layer in model.layers:
        bound = torch.tensor(layer.shapes[0][1:]).prod().item() ** -0.5
        drawn = vector[position : position + layer.size]
        assert 0.9 * bound < drawn.abs().max() <= bound
        position += layer.size
    assert position == len(vector)


def test_models_without_statistics_have_empty_buffers_and_train_as_they_evaluate():
    model, vector = make_model("mlp", DATA, seed=0, hidden=(5,))
    buffers = initial_buffers(model)
    assert buffers.shape == (0,)
    logits, after = training_logits(model, vector, DATA.images[:4], buffers)
    assert torch.equal(logits, model.logits(vector, DATA.images[:4]))
    assert after is buffers


def test_linear_regression_is_sized_by_images_or_by_targets():
    assert MODELS["linear-regression"](DATA) == LinearRegression(64, 10)
    assert MODELS["linear-regression"](Regression(torch.zeros(5, 7), torch.zeros(5))) == LinearRegression(7, 1)
    assert MODELS["linear-regression"](Regression(torch.zeros(5, 7), torch.zeros(5, 2))) == LinearRegression(7, 2)


def test_an_unknown_model_names_the_nearest():
    with pytest.raises(ValueError, match="unknown model 'softmax-regresion'; nearest: softmax-regression"):
        make_model("softmax-regresion", DATA, seed=0)


def test_an_unknown_option_names_the_known_ones():
    with pytest.raises(ValueError, match=r"make_model\('resnet-20', stem=…\): unknown option; it has norm, shortcut"):
        make_model("resnet-20", CIFAR10, 0, stem="small")
    with pytest.raises(ValueError, match="it has none"):
        make_model("small-cnn", DATA, 0, width=3)


def test_a_data_set_of_another_kind_is_named():
    with pytest.raises(ValueError, match="data set 'regression' has no images"):
        make_model("resnet-20", Regression(torch.zeros(5, 7), torch.zeros(5)), 0)
    with pytest.raises(ValueError, match="data set 'digits' has no token sequences"):
        make_model("lstm-characters", DATA, 0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SoftmaxRegression(0, 10), r"SoftmaxRegression\(n_features=0\): must be >= 1"),
        (lambda: LinearRegression(3, 0), r"LinearRegression\(n_outputs=0\)"),
        (lambda: MLP(3, 2, (4, 0)), r"MLP\(hidden\[1\]=0\)"),
        (lambda: SmallCNN((0, 8, 8), 10), r"SmallCNN\(channels=0\)"),
        (lambda: SmallCNN((1, 1, 8), 10), r"SmallCNN\(image_shape=\(1, 1, 8\)\): height and width must be >= 2"),
    ],
)
def test_sizes_that_make_no_model_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_model_may_be_named_with_its_settings():
    data = digits()
    model, vector = make_model("mlp(hidden=[7])", data, 3)
    other, same = make_model("mlp", data, 3, hidden=(7,))
    assert model == other
    assert torch.equal(vector, same)
    assert len(initial_buffers(make_model("resnet-20(norm=batch)", data, 0)[0])) == 0
    with pytest.raises(ValueError, match=r"\['hidden'\] are set twice, in the text and as arguments"):
        make_model("mlp(hidden=[7])", data, 3, hidden=(7,))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mpl", "unknown model 'mpl'; nearest: mlp"),
        ("mlp(width=3)", r"make_model\('mlp', width=…\): unknown option; it has hidden"),
        ("small-cnn(width=3)", "unknown option; it has none"),
        ("mlp(hidden=[3]", "model 'mlp\\(hidden=\\[3\\]': cannot be read"),
    ],
)
def test_a_model_that_cannot_be_is_refused_with_its_configuration(text, message):
    with pytest.raises(ValueError, match=message):
        RunConfig(model=text)

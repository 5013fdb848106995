from __future__ import annotations

import pytest
import torch
from torch import nn

from deep import MODELS, SmallCNN, SoftmaxRegression, digits, make_model, n_parameters

DATA = digits()


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (SoftmaxRegression(64, 10), 64 * 10 + 10),
        (SmallCNN((1, 8, 8), 10), 9_930),
        (SmallCNN((3, 32, 32), 10), 144 * 3 + 16 + 4_640 + (32 * 16 * 16 + 1) * 10),
    ],
)
def test_parameter_counts_are_the_documented_ones(model, expected):
    assert n_parameters(model) == expected


@pytest.mark.parametrize("name", MODELS)
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


def test_the_cnn_is_the_network_its_docstring_describes():
    model, vector = make_model("small-cnn", DATA, seed=1)
    network = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(512, 10),
    )
    nn.utils.vector_to_parameters(vector, network.parameters())
    torch.testing.assert_close(model.logits(vector, DATA.images[:50]), network(DATA.images[:50]))


@pytest.mark.parametrize("name", MODELS)
def test_the_start_has_the_spread_of_torch_s_own_initialisation(name):
    model, vector = make_model(name, DATA, seed=0)
    position = 0
    for outputs, *inputs in model.weight_shapes:
        bound = torch.tensor(inputs).prod().item() ** -0.5
        size = outputs * (torch.tensor(inputs).prod().item() + 1)
        layer = vector[position : position + size]
        assert 0.9 * bound < layer.abs().max() <= bound
        position += size
    assert position == len(vector)


def test_an_unknown_model_names_the_nearest():
    with pytest.raises(ValueError, match="unknown model 'softmax-regresion'; nearest: softmax-regression"):
        make_model("softmax-regresion", DATA, seed=0)

"""Convolutions as batched products: the gradients of vmap, for every model they say they know."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from deep.local.trainers.convolved import convolved_gradients, convolves
from deep.local.trainers.gradients import gradients_of
from deep.models import make_model, n_parameters
from deep.models.network import Network, build
from tests.benchmarks import on_device

KNOWN = {
    "five-layer-cnn": (3, 22, 25),
    "robust-cnn-flattened": (1, 15, 14),
    "robust-cnn-hidden": (1, 15, 14),
    "fedssa-cnn-2": (3, 20, 18),
    "vgg-11-sattler": (3, 32, 32),
}


def network(*layers: nn.Module, shape: tuple[int, ...] = (2, 9, 8)) -> Network:
    return Network("own", build(lambda: _whole(layers, shape)), shape)


def _whole(layers: tuple[nn.Module, ...], shape: tuple[int, ...]) -> nn.Module:
    features = nn.Sequential(*layers, nn.Flatten()).to("meta")
    n = features(torch.zeros(2, *shape, device="meta")).shape[1]
    return nn.Sequential(*features, nn.Linear(n, 3))


def agree(model: Network, shape: tuple[int, ...], n_classes: int = 3) -> None:
    m, b, rng = 3, 6, torch.Generator().manual_seed(0)
    vectors = 0.2 * torch.randn(m, n_parameters(model), dtype=torch.float64, generator=rng)
    inputs = torch.randn(m, b, *shape, dtype=torch.float64, generator=rng)
    inputs[:, :, :, :5] = -0.4  # an even ground, where the values of a window are equal
    targets = torch.randint(0, n_classes, (m, b), generator=rng)
    weight = torch.rand(m, b, dtype=torch.float64, generator=rng)
    weight[1, 4:] = 0.0  # padding
    none = torch.zeros(m, 0, dtype=torch.float64)
    expected, _ = gradients_of(model)(vectors, none, inputs, targets, weight, None)
    found, after = convolved_gradients(model)(vectors, none, inputs, targets, weight, None)
    assert float((found - expected).abs().max() / expected.abs().max()) < 1e-10
    assert after is none
    assert not found.requires_grad


@pytest.mark.parametrize("name", KNOWN)
def test_gradients_are_those_of_vmap(name: str) -> None:
    model = make_model(name, SimpleNamespace(image_shape=KNOWN[name], n_classes=3), 0)[0]
    assert isinstance(model, Network)
    assert convolves(model)
    agree(model, KNOWN[name])


@pytest.mark.parametrize(
    "layers",
    [
        (nn.Conv2d(2, 3, (3, 2), padding=(1, 0)), nn.MaxPool2d(3, 2, 1), nn.ReLU()),
        (nn.Conv2d(2, 3, 2), nn.ReLU(), nn.MaxPool2d(2, ceil_mode=True), nn.Conv2d(3, 2, 2, padding=1)),
        (nn.Conv2d(2, 4, 1), nn.MaxPool2d((2, 3)), nn.ReLU(), nn.Conv2d(4, 4, 2)),
    ],
)
def test_any_kernel_padding_and_pool(layers: tuple[nn.Module, ...]) -> None:
    model = network(*layers)
    assert convolves(model)
    agree(model, (2, 9, 8))


@pytest.mark.parametrize(
    "layers",
    [
        (nn.Conv2d(2, 3, 3, stride=2),),
        (nn.Conv2d(2, 4, 3, groups=2),),
        (nn.Conv2d(2, 3, 3, bias=False),),
        (nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"),),
        (nn.Conv2d(2, 3, 3, padding="same"),),
        (nn.Conv2d(2, 4, 3), nn.GroupNorm(2, 4)),
        (nn.ReLU(),),
    ],
)
def test_other_layers_are_left_to_vmap(layers: tuple[nn.Module, ...]) -> None:
    assert not convolves(network(*layers))


def test_the_benchmark_on_a_device_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    on_device.main(["--quick", "--device", "cpu", "--json", str(tmp_path / "found.json")])
    rows = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert [row["apart"] < 1e-3 for row in rows if "apart" in row] == [True] * len(on_device.MODELS)
    assert all(row["client_steps_per_s"] > 0 for row in rows if "apart" not in row)
    assert "five-layer-cnn" in capsys.readouterr().out

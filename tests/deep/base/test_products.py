"""Products of local training in bfloat16 or TF32: recorded, near the full ones, refused where they would be nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from deep import RunConfig, run
from deep.config.settings import Layer, read_layer, resolve, to_toml
from deep.local.products import autocasting, products
from deep.runs.fleet import Member, run_fleet
from deep.runs.identity import run_identity
from deep.runs.simulated import simulated
from deep.task.setup import Setup
from theory import Proportional

CPU = torch.device("cpu")
SHORT = RunConfig(n_rounds=2, n_clients=4, n_sampled=3, n_local_steps=3, batch_size=8, seed=5, partition="iid")


@pytest.mark.parametrize(
    "model", ["softmax-regression", "mlp(hidden=[8])", "small-cnn", "tests.deep.base.test_products:Normalised"]
)
@pytest.mark.parametrize("trainer", ["auto", "in-turn", "together"])
def test_factors_in_bfloat16_give_other_numbers_near_the_full_ones(model: str, trainer: str) -> None:
    config = replace(SHORT, model=model, trainer=trainer)
    full = run(config, Proportional())
    rounded = run(replace(config, products="bf16"), Proportional())
    assert rounded.model.dtype == rounded.buffers.dtype == torch.float32
    moved = torch.linalg.vector_norm(full.model - run(replace(config, n_rounds=1), Proportional()).model)
    apart = torch.linalg.vector_norm(rounded.model - full.model)
    assert 0 < apart < 0.3 * moved  # eight bits of a factor, against a round's way
    assert not autocasting(CPU)


class Normalised(torch.nn.Sequential):
    """Running statistics of rounded inputs."""

    def __init__(self) -> None:
        super().__init__(
            torch.nn.Conv2d(1, 4, 3),
            torch.nn.BatchNorm2d(4),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
            torch.nn.Linear(144, 10),
        )


def test_losses_and_evaluation_stay_in_full() -> None:
    """Before any training both runs say the same of the model they begin with."""
    config = replace(SHORT, model="small-cnn", losses="all")
    first = [run(replace(config, products=kind), Proportional()).history[0] for kind in ("full", "bf16")]
    assert first[0].loss_before == first[1].loss_before
    assert first[0].loss_after != first[1].loss_after


def test_it_is_recorded_and_read_back(tmp_path: Path) -> None:
    config = replace(SHORT, products="bf16")
    run(config, Proportional(), out=tmp_path / "run")
    stored = json.loads((tmp_path / "run" / "run.json").read_text())
    assert stored["config"]["products"] == stored["provenance"]["config"]["products"] == "bf16"
    assert resolve(read_layer(tmp_path / "run" / "config.toml")).config == config
    assert resolve(Layer(run={"products": "bf16"}, rule="uniform")).config.products == "bf16"
    assert 'products = "full"' in to_toml(SHORT)
    with pytest.raises(ValueError, match="the folder belongs to another run; products is 'bf16' there and None here"):
        run(SHORT, Proportional(), out=tmp_path / "run")


def test_folders_begun_before_there_was_the_field_go_on() -> None:
    assert "products" not in run_identity(Setup.of(SHORT, Proportional()), CPU)["config"]  # type: ignore[operator]


def test_a_fleet_rounds_as_its_runs_do() -> None:
    config = replace(SHORT, products="bf16")
    fleet = run_fleet([Member(config, Proportional()), Member(replace(config, seed=6), Proportional())])
    assert torch.equal(fleet[0].model, run(config, Proportional()).model)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"products": "half"}, r"RunConfig\(products='half'\): must be one of full, tf32, bf16"),
        (
            {"products": "bf16", "dtype": "float64"},
            r"products='bf16', dtype='float64'\): rounded products of a",
        ),
        ({"products": "tf32", "dtype": "float64"}, r"products='tf32', dtype='float64'\)"),
    ],
)
def test_the_door(changed: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SHORT, **changed)  # type: ignore[arg-type]


def test_tf32_is_refused_where_there_is_none() -> None:
    config = replace(SHORT, products="tf32")
    said = r"run\(products='tf32', device='cpu'\): TF32 is a format of CUDA devices' matrix units"
    with pytest.raises(ValueError, match=said):
        run(config, Proportional())
    with pytest.raises(ValueError, match=said):
        run_fleet([Member(config, Proportional())])
    with pytest.raises(ValueError, match=r"simulate\(products='bf16'\): theory's simulator has no such run"):
        simulated(replace(SHORT, products="bf16"), Proportional())


def test_switches_are_as_they_were_afterwards() -> None:
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    with products("tf32", torch.device("cuda")):
        assert (torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32) == (True, True)
    assert (torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32) == before
    with products("bf16", CPU):
        assert autocasting(CPU)
    assert not autocasting(CPU)

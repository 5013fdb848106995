"""Local steps through torch.compile: the plain ones to rounding, recorded, refused where nothing compiles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.config.settings import Layer, read_layer, resolve, to_toml
from deep.local import Client, LocalBatches, Pool, train_in_turn, train_together, trainer_for
from deep.local.torch_compile import check_compiled
from deep.local.trainers.gradients import compiled_gradient, compiled_gradients, gradient_of
from deep.local.trainers.together import pads
from deep.models import initial_buffers, make_model
from deep.models.protocol import n_parameters
from deep.runs.estimate import estimate
from deep.runs.fleet import Member, run_fleet
from deep.runs.identity import run_identity
from deep.runs.simulated import simulated
from deep.task.setup import Setup
from deep.task.task import make_task
from tests.turns import in_turn, one_run_in
from theory import Proportional

CPU = torch.device("cpu")
SHORT = RunConfig(n_rounds=2, n_clients=4, n_sampled=3, n_local_steps=3, batch_size=8, seed=5, partition="iid")


@cache
def lacking() -> str:
    """Why nothing can be compiled here, "" where it can."""
    try:
        check_compiled(replace(SHORT, compiled=True), CPU)
    except ValueError as error:
        return str(error)
    return ""


@pytest.fixture
def compiler() -> None:
    if lacking():
        pytest.skip(lacking())


class Normalised(torch.nn.Sequential):
    """With running statistics."""

    def __init__(self) -> None:
        super().__init__(
            torch.nn.Flatten(), torch.nn.Linear(64, 6), torch.nn.BatchNorm1d(6), torch.nn.ReLU(), torch.nn.Linear(6, 10)
        )


class Branching(torch.nn.Linear):
    """No one graph: the way depends on values."""

    def __init__(self) -> None:
        super().__init__(64, 10)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Linear, of one sign or the other."""
        flat = super().forward(inputs.flatten(1))
        return flat if flat.sum().item() > 0 else -flat


KINDS: dict[str, dict[str, object]] = {
    "in-turn": {"model": "softmax-regression"},
    "together-ragged": {
        "model": "mlp(hidden=[8])",
        "trainer": "together",
        "n_local_steps": 0,
        "n_local_epochs": 1,
        "momentum": 0.5,
    },
    "statistics": {"model": "tests.deep.local.test_compiled:Normalised", "client": "scaffold", "l2": 0.1},
    "statistics-together": {"model": "tests.deep.local.test_compiled:Normalised", "trainer": "together"},
    "own-step": {"model": "softmax-regression", "client": "p-fed-me", "dtype": "float64"},
    "bf16": {"model": "mlp(hidden=[8])", "products": "bf16"},
}


def compiled_as_plain(kind: str) -> None:
    """Fail where a compiled run leaves the plain one by more than rounding."""
    config = replace(SHORT, **KINDS[kind])  # type: ignore[arg-type]
    plain, compiled = (run(replace(config, compiled=on), Proportional()) for on in (False, True))
    near = {"rtol": 2e-3, "atol": 2e-4} if config.products == "bf16" else {"rtol": 1e-4, "atol": 1e-6}
    torch.testing.assert_close(compiled.model, plain.model, **near)
    torch.testing.assert_close(compiled.buffers, plain.buffers, **near)


@pytest.mark.nightly  # the next test has the same steps, but for the C++ that torch writes of them
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("compiler")
def test_a_compiled_run_is_the_plain_one_to_rounding(kind: str) -> None:
    compiled_as_plain(kind)


@pytest.mark.parametrize("kind", in_turn({kind: kind for kind in KINDS}, of=3))
@pytest.mark.usefixtures("compiler")
def test_steps_captured_as_one_graph_are_the_plain_ones_to_rounding(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever torch then makes of the graph: no code is written in C++, which takes most of the time."""
    graphs = []
    whole = torch.compile

    def captured(function: Callable[..., object], **words: object) -> object:
        made = whole(function, **{**words, "backend": "aot_eager"})  # type: ignore[call-overload]
        graphs.append(made)
        return made

    monkeypatch.setattr("torch.compile", captured)
    # Not remembered: what other tests have compiled of the same model would be taken, and they would take this.
    monkeypatch.setattr("deep.local.trainers.in_turn.compiled_gradient", compiled_gradient.__wrapped__)
    monkeypatch.setattr("deep.local.trainers.together.compiled_gradients", compiled_gradients.__wrapped__)
    compiled_as_plain(kind)
    assert graphs


def test_padding_in_a_batchs_statistics_is_refused_side_by_side_and_taken_in_turn() -> None:
    model = make_model("resnet-20", SimpleNamespace(image_shape=(3, 8, 8), n_classes=4), 0)[0]
    assert pads(model)
    assert not pads(model, compiled=True)
    clients = [Client(k, torch.arange(4), torch.zeros(4, dtype=torch.int64)) for k in range(2)]
    ragged = [LocalBatches(np.zeros((1, n), dtype=np.int64), np.array([n])) for n in (2, 3)]
    for compiled, expected in ((False, train_together), (True, train_in_turn)):
        chosen = trainer_for("auto", model, torch.device("cuda"), clients, ragged, compiled=compiled)
        assert getattr(chosen, "func", chosen) is expected
    start, buffers = torch.zeros(2, n_parameters(model)), initial_buffers(model).repeat(2, 1)
    with pytest.raises(ValueError, match="train in turn, or uncompiled"):
        train_together(model, start, buffers, Pool(torch.zeros(4, 3, 8, 8)), clients, ragged, 0.1, compiled=True)


@pytest.mark.usefixtures("compiler")
def test_steps_go_through_the_compiled_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a fleet, too, whose runs would share one written-out product otherwise."""
    used = []

    def counted(model: object) -> object:
        used.append(model)
        return gradient_of(model)  # type: ignore[arg-type]

    monkeypatch.setattr("deep.local.trainers.in_turn.compiled_gradient", counted)
    config = replace(SHORT, compiled=True)
    alone = run(config, Proportional())
    assert len(used) == 2  # rounds
    fleet = run_fleet([Member(config, Proportional()), Member(replace(config, seed=6), Proportional())])
    assert len(used) == 6
    assert torch.equal(fleet[0].model, alone.model)


@pytest.mark.usefixtures("compiler")
def test_a_model_compiles_once() -> None:
    model, _ = make_model("softmax-regression", SimpleNamespace(image_shape=(1, 8, 8), n_classes=10), 0)
    assert compiled_gradient(model) is compiled_gradient(model)


@pytest.mark.usefixtures("compiler")
def test_no_part_of_a_step_is_left_uncompiled() -> None:
    said = (
        r"run\(compiled=True\): torch.compile does not take the local step of .*Branching as one graph: .*; expected c"
    )
    with pytest.raises(ValueError, match=said):
        run(replace(SHORT, model="tests.deep.local.test_compiled:Branching", compiled=True), Proportional())


@pytest.mark.usefixtures("compiler")
def test_a_models_own_error_is_said_in_its_own_words() -> None:
    config = replace(SHORT, model="tests.deep.local.test_compiled:Normalised", batch_size=1, compiled=True)
    task = make_task(Setup.of(config), CPU)
    with pytest.raises(ValueError, match="has one value per channel, so no variance"):
        compiled_gradient(task.model)(task.start, task.buffers, task.pool.inputs[:1], task.targets[:1])
    with pytest.raises(ValueError, match="expected another batch_size"):
        run(config, Proportional())


@pytest.mark.usefixtures("compiler")
def test_it_is_recorded_and_read_back(tmp_path: Path) -> None:
    config = replace(SHORT, compiled=True)
    run(config, Proportional(), out=tmp_path / "run")
    stored = json.loads((tmp_path / "run" / "run.json").read_text())
    assert stored["config"]["compiled"] is stored["provenance"]["config"]["compiled"] is True
    assert resolve(read_layer(tmp_path / "run" / "config.toml")).config == config
    with pytest.raises(ValueError, match="the folder belongs to another run; compiled is True there and None here"):
        run(SHORT, Proportional(), out=tmp_path / "run")


@pytest.mark.usefixtures("compiler")
def test_a_resumed_run_is_the_whole_one(tmp_path: Path) -> None:
    config = replace(SHORT, compiled=True)
    run(replace(config, n_rounds=1), Proportional(), out=tmp_path / "run")
    assert torch.equal(run(config, Proportional(), out=tmp_path / "run").model, run(config, Proportional()).model)


def test_it_is_never_the_default_and_old_folders_go_on() -> None:
    assert "compiled = false" in to_toml(SHORT)
    assert resolve(Layer(run={"compiled": True}, rule="uniform")).config.compiled
    assert "compiled" not in run_identity(Setup.of(SHORT, Proportional()), CPU)["config"]  # type: ignore[operator]


def test_the_door() -> None:
    with pytest.raises(ValueError, match=r"RunConfig\(compiled=1\): must be true or false"):
        replace(SHORT, compiled=1)  # type: ignore[arg-type]
    own = replace(SHORT, compiled=True, client="fed-ntd")
    for asked in (lambda: run(own, Proportional()), lambda: estimate(own, Proportional())):
        with pytest.raises(ValueError, match=r"run\(compiled=True, client='fed-ntd'\): the model's own loss alone is"):
            asked()
    with pytest.raises(ValueError, match=r"simulate\(compiled=True\): theory's simulator has no such run"):
        simulated(replace(SHORT, compiled=True), Proportional())


@one_run_in(3)
def test_without_a_compiler_it_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", _LACKING],
        capture_output=True,
        text=True,
        env={**os.environ, "CXX": str(tmp_path / "none"), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")},
        check=False,
    )
    assert told.stdout.startswith("run(compiled=True, device='cpu'): torch.compile does not work here: "), told.stderr
    assert "such as g++), or compiled=False" in told.stdout


_LACKING = """
from deep import RunConfig, run
from theory import Proportional
try:
    run(RunConfig(compiled=True), Proportional())
except ValueError as error:
    print(error)
"""

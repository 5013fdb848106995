"""Parts of one's own: any module, data set, rule and client of a user's package, and faults of them in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from deep import RunConfig, run
from deep.config.settings import Layer, resolve, to_toml
from deep.data import Dataset, RegressionDataset, TokenDataset, read_parts
from deep.data.samples import FeatureDataset
from deep.models import initial_buffers, make_model, sample_losses, training_logits
from deep.models.norm import BatchNorm
from deep.runs.identity import run_identity
from deep.task.setup import Setup
from tests.loaded import python
from theory.algorithms import make_client, make_server
from theory.base.parts import origin
from theory.rules import make_rule

SOURCE = '''
from dataclasses import dataclass
import numpy as np
import torch
from torch import nn
from theory.algorithms import Affine, Client, Server

@dataclass(frozen=True)
class Louder:
    """Those who lose more weigh more."""
    power: float = 1.0
    needs = ("share", "loss_before")
    def __call__(self, stats):
        a = stats.present * stats.share * stats.loss_before ** self.power
        return a / a.sum(-1)[..., None]

@dataclass(frozen=True)
class Damped(Client):
    """Half a gradient."""
    pull: float = 0.1
    def steps(self, own, broadcast):
        return Affine(0.5, self.pull)

@dataclass(frozen=True)
class Slow(Server):
    """Half a step."""
    lr: float = 0.5
    def step(self, state, received):
        return state, received.direction

class Net(nn.Module):
    def __init__(self, image_shape, n_classes, momentum=0.3):
        super().__init__()
        self.convolve = nn.Conv2d(image_shape[0], 4, 3)
        self.norm = nn.BatchNorm2d(4, eps=1e-3, momentum=momentum)
        self.scale = nn.Parameter(torch.full((4,), 2.0))
        self.register_buffer("mask", torch.tensor([1.0, 0.0, 1.0, 1.0]))
        self.last = nn.LazyLinear(1) if n_classes == 0 else nn.Linear(4, n_classes)
    def forward(self, x):
        hidden = torch.relu(self.norm(self.convolve(x))).mean((2, 3))
        return self.last(hidden * self.scale * self.mask)

def narrow(n_features, n_classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(n_features, n_classes - 1))

rng = np.random.default_rng(0)
classes = rng.integers(0, 3, 90)
FEATURES = rng.normal(size=(90, 5)), classes
IMAGES = rng.random((90, 1, 6, 6)), classes, rng.random((30, 1, 6, 6)), classes[:30]
TOKENS = rng.integers(0, 7, (90, 4)), classes
REAL = rng.normal(size=(90, 5)), rng.normal(size=90)
WRONG = "text"

class Protocol:
    def __init__(self, n=50):
        self.inputs, self.outputs = torch.randn(n, 3), torch.arange(n) % 2

def broken():
    raise RuntimeError("not\\ntoday")
'''
CONFIG = RunConfig(n_clients=5, n_sampled=3, n_rounds=2, n_local_steps=2, partition="iid", split="official")


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module in the working directory, one that no other test has imported."""
    name = f"mine_{tmp_path.name}".replace("-", "_").replace("[", "_").replace("]", "_")
    (tmp_path / f"{name}.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return name


def test_batch_normalisation_of_ones_own_is_torchs(mine: str) -> None:
    """Outputs, gradients and running statistics of the user's module, which begins at its own values."""
    data = read_parts(f"{mine}:IMAGES").train
    before = torch.random.get_rng_state()
    model, vector = make_model(f"{mine}:Net", data, 7)
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.equal(vector, make_model(f"{mine}:Net", data, 7)[1])
    assert not torch.equal(vector, make_model(f"{mine}:Net", data, 8)[1])
    theirs = sys.modules[mine].Net((1, 6, 6), 3)
    torch.nn.utils.vector_to_parameters(vector, theirs.parameters())
    assert torch.equal(theirs.scale, torch.full((4,), 2.0))
    inputs, targets = data.inputs[:9], data.outputs[:9]
    leaf, buffers = vector.clone().requires_grad_(), initial_buffers(model)
    assert len(buffers) == 8  # the mask is none of them
    outputs, after = training_logits(model, leaf, inputs, buffers)
    expected = theirs.train()(inputs)
    torch.testing.assert_close(outputs, expected)
    torch.testing.assert_close(after, torch.cat([theirs.norm.running_mean, theirs.norm.running_var]))
    slope = torch.autograd.grad(sample_losses("cross-entropy", outputs, targets).mean(), leaf)[0]
    slopes = torch.autograd.grad(nn.functional.cross_entropy(expected, targets), list(theirs.parameters()))
    torch.testing.assert_close(slope, torch.cat([part.flatten() for part in slopes]))
    torch.testing.assert_close(model.logits(vector, inputs, after), theirs.eval()(inputs))
    assert any(isinstance(part, BatchNorm) for part in model.module.modules())  # type: ignore[attr-defined]


def test_a_run_of_ones_own_parts_averages_statistics_and_resumes(mine: str, tmp_path: Path) -> None:
    config = replace(CONFIG, dataset=f"{mine}:IMAGES", model=f"{mine}:Net(momentum=0.5)", client=f"{mine}:Damped")
    config = replace(config, server=f"{mine}:Slow(lr=0.25)")
    rule = make_rule(f"mix(first={mine}:Louder(power=0.5), second=uniform)")
    whole = run(replace(config, n_rounds=3), rule, out=tmp_path / "whole")
    run(config, rule, out=tmp_path / "parts")
    parts = run(replace(config, n_rounds=3), rule, out=tmp_path / "parts")
    assert torch.equal(whole.model, parts.model)
    assert torch.equal(whole.buffers, parts.buffers)
    assert whole.buffers.shape == (8,)
    assert not torch.equal(whole.buffers, torch.tensor([0.0, 1.0]).repeat_interleave(4))
    again = to_toml(config, rule)
    assert f"{mine}:Louder(power=0.5)" in again
    own = run_identity(Setup.of(config, rule), torch.device("cpu"))["own_parts"]
    assert own == {
        kind: origin(getattr(sys.modules[mine], name))
        for kind, name in (("rule", "Louder"), ("client", "Damped"), ("server", "Slow"), ("model", "Net"))
    } | {"dataset": own["dataset"]}  # type: ignore[index]
    assert own["dataset"].startswith(f"{mine}:IMAGES sha256:")  # type: ignore[index]
    assert "own_parts" not in run_identity(Setup.of(CONFIG, make_rule("uniform")), torch.device("cpu"))


@pytest.mark.parametrize(
    ("name", "kind", "shape"),
    [
        ("FEATURES", FeatureDataset, (5,)),
        ("IMAGES", Dataset, (1, 6, 6)),
        ("TOKENS", TokenDataset, (4,)),
        ("REAL", RegressionDataset, (5,)),
        ("Protocol(n=20)", FeatureDataset, (3,)),
    ],
)
def test_arrays_are_data_sets(mine: str, name: str, kind: type, shape: tuple[int, ...]) -> None:
    parts = read_parts(f"{mine}:{name}")
    assert type(parts.train) is kind
    assert tuple(parts.train.inputs.shape[1:]) == shape
    assert len(parts.train) == (20 if name.startswith("Protocol") else 90)
    assert (parts.test is not None) == (name == "IMAGES")
    if kind is FeatureDataset:
        config = replace(CONFIG, dataset=f"{mine}:{name}", split="fractions", n_clients=3)
        assert run(config, make_rule("uniform")).status == "completed"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: make_rule(f"{m}:Nothing"), "rule '{m}:Nothing': its import raised AttributeError: module"),
        (lambda m: make_rule("nowhere_at_all:Rule"), "its import raised ModuleNotFoundError: No module named"),
        (lambda m: make_rule(f"{m}:Louder(force=2)"), "has no setting ['force']; its settings are ['power']"),
        (lambda m: make_rule(f"{m}:np"), "is a module; expected weights of stats"),
        (lambda m: make_client(f"{m}:Louder"), "is a Louder without steps, message, carry, keeps"),
        (lambda m: make_server(f"{m}:Damped"), "is a Damped without step, lr, needs;"),
        (lambda m: RunConfig(model=f"{m}:Net(depth=3)"), "settings ['depth'] unknown, [] missing"),
        (lambda m: RunConfig(model=f"{m}:classes"), "expected a torch.nn.Module, or a class or function"),
        (lambda m: RunConfig(dataset=f"{m}:Nothing"), "dataset '{m}:Nothing': its import raised AttributeError"),
        (lambda m: read_parts(f"{m}:WRONG"), "train is a str; expected (inputs, targets) as arrays"),
        (lambda m: read_parts(f"{m}:broken"), "making it raised RuntimeError: not today"),
        (
            lambda m: run(replace(CONFIG, dataset=f"{m}:IMAGES", model=f"{m}:narrow"), make_rule("uniform")),
            "its outputs for 2 samples have shape (2, 2); expected 3 on the last axis, one for each class",
        ),
    ],
)
def test_a_fault_is_one_line(mine: str, make: object, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        make(mine)  # type: ignore[operator]
    assert message.replace("{m}", mine) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_entry_points_are_listed_and_a_faulty_one_costs_a_line(tmp_path: Path) -> None:
    info = tmp_path / "outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[fedverdict.rules]\nlouder = outside_parts:Louder\nmissing = outside_parts:Nothing\n"
        "[fedverdict.clients]\ndamped = outside_parts:Damped\n"
    )
    (tmp_path / "outside_parts.py").write_text(SOURCE)
    path = os.pathsep.join(filter(None, (str(Path.cwd()), str(tmp_path), os.environ.get("PYTHONPATH"))))

    def fedverdict(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [python(), *arguments]
        environment = {**os.environ, "PYTHONPATH": path}
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)

    listed = fedverdict("-c", _LISTINGS, "rules --json", "rules", "algorithms")
    rows, rules, algorithms, _ = listed.stdout.split("\0")
    (row,) = [row for row in json.loads(rows) if row["name"] == "louder"]
    assert (row["formula"], row["needs"]) == ("Those who lose more weigh more.", ["loss_before"])
    assert listed.stderr.splitlines() == 3 * [
        "fedverdict: rule 'missing': its import raised AttributeError: module 'outside_parts' has"
        " no attribute 'Nothing'"
    ]
    assert rules.count("outside_parts:Louder") == 1
    assert "Half a gradient." in algorithms
    played = fedverdict(
        "-m", "validation.cli", "run", "--rule", "louder(power=2)", "--client", "damped", "--rounds", "1", "--out", "r"
    )
    assert played.returncode == 0, played.stderr
    assert 'name = "outside_parts:Louder"' in (tmp_path / "r" / "config.toml").read_text()


# Several commands in one process, for which torch is loaded once.
_LISTINGS = """
import sys
from contextlib import suppress
from validation.cli import main
for line in sys.argv[1:]:
    with suppress(SystemExit):
        main(line.split())
    print(end="\\0")
"""


def test_a_rule_of_ones_own_goes_to_a_file_and_back(mine: str) -> None:
    rule = make_rule(f"{mine}:Louder(power=0.25)")
    settings = resolve(Layer(rule=f"{mine}:Louder", rule_settings={"power": 0.25}))
    assert settings.rule == rule
    assert "power = 0.25" in to_toml(RunConfig(), rule)
    a = rule(  # type: ignore[operator]
        type(
            "Stats", (), {"present": np.array([True, False]), "share": np.array([0.5, 0.5]), "loss_before": np.ones(2)}
        )
    )
    assert a.tolist() == [1.0, 0.0]

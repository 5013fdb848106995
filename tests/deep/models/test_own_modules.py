"""Modules of one's own: dropout under a seeded generator for each client and round, and modules as they are."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.data import make_split, read_parts
from deep.models import make_model
from deep.partition import divide, make_partition
from theory.base.streams import stream
from theory.participation.batches import step_batches
from theory.rules import make_rule

SOURCE = """
import numpy as np
import torch
from functools import partial
from torch import nn
from torch.nn import functional

rng = np.random.default_rng(0)
y = rng.integers(0, 3, 90)
blobs = rng.normal(size=(90, 5)) + y[:, None], y

def dropping(n_features, n_classes, p=0.5):
    return nn.Sequential(nn.Linear(n_features, 6), nn.Tanh(), nn.Dropout(p), nn.Linear(6, n_classes))

class Plain(nn.Module):
    def __init__(self, n_features, n_classes, certain=True):
        super().__init__()
        self.last, self.certain = nn.Linear(n_features, n_classes), certain
    def forward(self, x):
        return self.last(functional.dropout(x, 0.5, self.training if self.certain else True))

class Modal(nn.Module):
    def __init__(self, n_features, n_classes):
        super().__init__()
        self.last = nn.Linear(n_features, n_classes)
    def forward(self, x):
        return self.last(x) * (0.0 if self.training else 1.0)

torch.manual_seed(4)
net = nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 3))
wide = partial(dropping, p=0.25)
"""
CONFIG = RunConfig(
    n_clients=4, n_sampled=3, n_rounds=3, n_local_steps=2, partition="iid", batch_size=8, checkpoint_every=1
)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module in the working directory, one that no other test has imported."""
    name = f"net_{tmp_path.name}".replace("-", "_").replace("[", "_").replace("]", "_")
    (tmp_path / f"{name}.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return name


@pytest.mark.parametrize("name", ["dropping", "Plain"])
def test_dropout_is_drawn_for_each_client_and_round_and_resumes_bit_for_bit(
    mine: str, name: str, tmp_path: Path
) -> None:
    config = replace(CONFIG, dataset=f"{mine}:blobs", model=f"{mine}:{name}")
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    whole = run(config, make_rule("uniform"), out=tmp_path / "whole")
    assert torch.equal(before, torch.random.get_rng_state())
    run(replace(config, n_rounds=1), make_rule("uniform"), out=tmp_path / "parts")
    torch.manual_seed(2)
    parts = run(config, make_rule("uniform"), out=tmp_path / "parts")
    assert torch.equal(whole.model, parts.model)
    other = run(replace(config, training_seed=5), make_rule("uniform"))
    assert not torch.equal(whole.model, other.model)


def test_a_round_with_dropout_is_that_of_a_plain_torch_loop(mine: str) -> None:
    config = replace(CONFIG, dataset=f"{mine}:blobs", model=f"{mine}:dropping", n_rounds=1, n_sampled=4)
    train = make_split(read_parts(config.dataset), "fractions", 0).train
    start = make_model(config.model, train, 0)[1]
    held = divide(make_partition("iid"), train.outputs.numpy(), 4, 0)
    ends = []
    for client in reversed(range(4)):  # what a client draws does not depend on who trained before it
        net = sys.modules[mine].dropping(5, 3)
        torch.nn.utils.vector_to_parameters(start.clone(), net.parameters())
        optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
        torch.manual_seed(int(stream(0, "layers", 0, client).integers(2**63)))
        batches = step_batches(0, 0, client, n_samples=len(held.parts[client]), batch_size=8, n_steps=2)
        for index in batches.index:
            rows = held.parts[client][index]
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(net.train()(train.inputs[rows]), train.outputs[rows]).backward()
            optimiser.step()
        ends.append(torch.nn.utils.parameters_to_vector(net.parameters()).detach())
    found = run(config, make_rule("uniform")).model
    torch.testing.assert_close(found, torch.stack(ends).mean(0), rtol=1e-5, atol=1e-6)
    without = run(replace(config, model=f"{mine}:dropping(p=0)"), make_rule("uniform")).model
    assert float((found - without).abs().max()) > 1e-3


def test_training_is_in_the_module_s_training_mode(mine: str) -> None:
    config = replace(CONFIG, dataset=f"{mine}:blobs", model=f"{mine}:Modal", n_rounds=1)
    data = read_parts(f"{mine}:blobs").train
    start = make_model(f"{mine}:Modal", data, 0)[1]
    found = run(config, make_rule("uniform"))  # outputs are constant in training, so there is no gradient
    assert torch.equal(found.model, start)
    assert found.history[-1].test_loss != pytest.approx(np.log(3), abs=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "MINE:Plain(certain=false)"}, "draws at random in evaluation, too"),
        ({"model": "MINE:dropping", "trainer": "together"}, "its layers draw at random, for each client by itself"),
        ({"model": "MINE:dropping", "compiled": True}, "its layers draw at random, for each client by itself"),
    ],
)
def test_what_is_not_reproducible_is_refused(mine: str, changes: dict[str, object], message: str) -> None:
    words = {name: value.replace("MINE", mine) if isinstance(value, str) else value for name, value in changes.items()}
    config = replace(CONFIG, dataset=f"{mine}:blobs", **words)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        run(config, make_rule("uniform"))


def test_a_module_keeps_its_values_and_the_folder_knows_them(mine: str, tmp_path: Path) -> None:
    config = replace(CONFIG, dataset=f"{mine}:blobs", model=f"{mine}:net")
    data = read_parts(config.dataset).train
    _, start = make_model(config.model, data, 0)
    net = sys.modules[mine].net
    own = torch.nn.utils.parameters_to_vector(net.parameters()).detach().clone()
    assert torch.equal(start, own)
    first = run(config, make_rule("uniform"), out=tmp_path / "r")
    assert not torch.equal(first.model, own)
    assert torch.equal(torch.nn.utils.parameters_to_vector(net.parameters()), own)  # the user's module is left alone
    with torch.no_grad():
        net[0].bias += 1
    with pytest.raises(ValueError, match=r"belongs to another run; model is .* values sha256:"):
        run(replace(config, n_rounds=4), make_rule("uniform"), out=tmp_path / "r")


def test_a_partial_is_a_factory(mine: str) -> None:
    data = read_parts(f"{mine}:blobs").train
    model, start = make_model(f"{mine}:wide", data, 0)
    assert torch.equal(start, make_model(f"{mine}:dropping", data, 0)[1])
    assert any(getattr(part, "p", None) == 0.25 for part in model.module.modules())  # type: ignore[attr-defined]

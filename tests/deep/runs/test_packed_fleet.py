"""Members of a fleet whose networks train clients together train on one client axis: the numbers of single runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import deep.round.work
from deep import DeepRun, RunConfig, run
from deep.round.work import Packs
from deep.runs import fleet
from deep.runs.fleet import Member, run_fleet
from tests.turns import one_run_in
from theory.rules import make_rule

CONFIG = RunConfig(
    model="small-cnn",
    n_clients=4,
    n_sampled=3,
    n_rounds=2,
    n_local_steps=2,
    batch_size=5,
    dtype="float64",
    trainer="together",
    data_seed=0,  # seeds that cut the data differently have pools of their own
    checkpoint_every=1,
)
AFFINE = (
    "sgd",
    "fed-prox(mu=0.5)",
    "scaffold",
    "fed-dyn(alpha=0.1)",
    "fed-cm(alpha=0.3)",
    "fed-gate",
    "vrl-sgd",
    "fed-dc(alpha=0.1)",
    "elastic(strength=1)",
)
"""Clients whose local step is affine: scale, pull (a number, or a diagonal) and shift, each of another kind."""


def convolutions(n_features: int, n_classes: int) -> nn.Module:
    """A network of one's own, for 8 × 8 images."""
    return nn.Sequential(nn.Conv2d(1, 3, 3), nn.Tanh(), nn.Flatten(), nn.Linear(n_features * 108 // 64, n_classes))


def packs_of(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many clients each call of the trainer is given, as they come."""
    seen: list[int] = []
    train = deep.round.work.train_together
    monkeypatch.setattr(deep.round.work, "train_together", lambda *a: (seen.append(len(a[4])), train(*a))[1])
    return seen


def apart(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max() / other.abs().max())


@one_run_in(2)
@pytest.mark.parametrize("model", ["small-cnn", "tests.deep.runs.test_packed_fleet:convolutions"])
def test_every_affine_client_on_one_axis_is_its_single_run(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To 1e-12 in float64: batched products sum in another order."""
    seen = packs_of(monkeypatch)
    config = replace(CONFIG, model=model)
    rules = ("proportional", "fed-worse", "min-norm")
    members = [
        Member(replace(config, client=client, seed=place % 2), make_rule(rules[place % 3]))
        for place, client in enumerate(AFFINE)
    ]
    found = run_fleet(members)
    assert seen == [3 * len(AFFINE)] * config.n_rounds
    for member, packed in zip(members, found, strict=True):
        alone = run(member.config, member.rule)
        assert apart(packed.model, alone.model) < 1e-12, member.config.client
        assert [r.clients for r in packed.history] == [r.clients for r in alone.history]


@one_run_in(2)
def test_clients_with_batch_normalisation_are_packed_with_their_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = packs_of(monkeypatch)
    config = replace(CONFIG, model="resnet-20(norm=running)", n_rounds=1, n_local_steps=1, batch_size=3)
    members = [Member(replace(config, client=client), make_rule("proportional")) for client in AFFINE[:2]]
    members.append(Member(replace(config, seed=1), make_rule("proportional")))
    for member, packed in zip(members, run_fleet(members), strict=True):
        alone = run(member.config, member.rule)
        assert apart(packed.model, alone.model) < 1e-12
        assert apart(packed.buffers, alone.buffers) < 1e-12
    assert seen == [9]


def test_all_members_hold_the_data_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    begun = fleet.begun
    monkeypatch.setattr(fleet, "begun", lambda *a: (made.append(a[1]), begun(*a))[1])
    clients = ("sgd", "scaffold")
    run_fleet([Member(replace(CONFIG, client=c, n_rounds=1), make_rule("uniform")) for c in clients])
    for part in ("pool", "test", "validation"):
        assert len({getattr(task, part).inputs.data_ptr() for task in made}) == 1


@pytest.mark.parametrize("changed", [{"augment": "crop"}, {"local_lr": 0.02}, {"l2": 0.1}, {"momentum": 0.5}])
def test_what_one_axis_cannot_hold_trains_apart(changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Images that are moved beside images that are not, other rates, penalties and momenta."""
    seen = packs_of(monkeypatch)
    config = replace(CONFIG, n_rounds=1, n_local_steps=1, model="tests.deep.runs.test_packed_fleet:convolutions")
    run_fleet([Member(one, make_rule("uniform")) for one in (config, replace(config, **changed))])
    assert seen == []  # each by itself, by the trainer of a single run


class Small:
    """A device that holds three runs at a time."""

    def __init__(self) -> None:
        self.packs: list[int] = []

    def alone(self) -> int:
        return 1

    def together(self, works: Sequence[Small]) -> list[int]:
        if len(works) > 3:
            raise torch.OutOfMemoryError("out of memory")
        self.packs.append(len(works))
        return [1] * len(works)


def test_a_pack_that_memory_does_not_hold_is_halved_from_then_on() -> None:
    works, packed = [Small()] * 10, Packs()
    assert packed.together(works) == [1] * 10  # type: ignore[arg-type]
    assert packed.most == 3
    assert works[0].packs == [3, 2, 3, 2]
    assert packed.together(works[:2]) == [1, 1]  # type: ignore[arg-type]
    assert packed.most == 3


def test_memory_that_does_not_hold_one_run_is_an_error() -> None:
    class Large(Small):
        def alone(self) -> int:
            raise torch.OutOfMemoryError("out of memory")

        def together(self, works: Sequence[Small]) -> list[int]:
            raise torch.OutOfMemoryError("out of memory")

    with pytest.raises(torch.OutOfMemoryError):
        Packs().together([Large()] * 4)  # type: ignore[list-item]


def test_smaller_packs_are_in_the_provenance(monkeypatch: pytest.MonkeyPatch) -> None:
    train = deep.round.work.train_together

    def small(*a: Any) -> tuple[Tensor, Tensor]:
        if len(a[4]) > 2 * CONFIG.n_sampled:
            raise torch.OutOfMemoryError("out of memory")
        return train(*a)

    monkeypatch.setattr(deep.round.work, "train_together", small)
    config = replace(CONFIG, n_rounds=1)
    members = [Member(config, make_rule(text)) for text in ("proportional", "uniform", "fed-worse")]
    found = run_fleet(members)
    assert [one.provenance["packs_of_at_most"] for one in found] == [2, 2, 2]
    monkeypatch.setattr(deep.round.work, "train_together", train)
    plain = run_fleet(members)
    assert "packs_of_at_most" not in plain[0].provenance
    for one, other in zip(found, plain, strict=True):
        assert apart(one.model, other.model) < 1e-12


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.deep.runs.test_packed_fleet import members
from deep.runs.fleet import run_fleet

def kill(place, record):
    if record.round == 1 and place == 1:
        os.kill(os.getpid(), signal.SIGKILL)

run_fleet(members(Path(sys.argv[1])), on_round=kill)
"""


def members(folder: Path) -> list[Member]:
    """Three clients and seeds, in folders of their own."""
    config = replace(CONFIG, n_rounds=3)
    return [
        Member(replace(config, client=client, seed=place), make_rule("proportional"), folder / str(place))
        for place, client in enumerate(AFFINE[:3])
    ]


@one_run_in(3)
def test_a_pack_that_was_killed_goes_on_to_the_same_numbers(tmp_path: Path) -> None:
    """With SIGKILL in the middle of a round: one member has played it, the others have not."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a")], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr
    resumed = run_fleet(members(tmp_path / "a"))
    undisturbed: list[DeepRun] = run_fleet(members(tmp_path / "b"))
    for one, other in zip(resumed, undisturbed, strict=True):
        assert len(one.history) == 3
        assert apart(one.model, other.model) < 1e-12

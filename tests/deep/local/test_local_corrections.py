"""Corrections of local steps, g ← a·∇ℓ + D·(w − w₀) + c, in every trainer against the step written out."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from deep.local import train_dense, train_in_turn, train_together
from deep.local.choose import trainer_for
from deep.models import MLP, SoftmaxRegression, make_model, sample_losses
from tests.deep.local.test_local_trainers import IMAGES, LR, RAGGED, Round, close, make_round
from theory.algorithms import Affine, Stepwise
from theory.base.momentum import Momentum

L2, BETA = 0.1, 0.6


def correction(r: Round, kind: str) -> Affine:
    """One with every part, of which D is a number or a diagonal."""
    generator = torch.Generator().manual_seed(3)
    m, n = r.start.shape
    shift: Any = torch.randn(m, n, generator=generator, dtype=r.start.dtype)
    diagonal: Any = torch.rand(n, generator=generator, dtype=r.start.dtype)
    return {
        "all": Affine(0.7, 0.4, shift),
        "diagonal": Affine(0.7, diagonal, shift),
        "pull": Affine(pull=0.4),
        "shift": Affine(shift=shift),
        "shared": Affine(shift=shift[:1]),  # one vector for all clients
    }[kind]


def defined(r: Round, affine: Affine, momentum: Momentum) -> torch.Tensor:
    """Step by step, client by client; the correction typed out."""
    shifts = torch.zeros_like(r.start) + (0 if affine.shift is None else affine.shift)  # type: ignore[operator]
    ends = []
    for w0, shift, client, batch in zip(r.start, shifts, r.clients, r.batches, strict=True):
        w, v = w0.clone(), torch.zeros_like(w0)
        for row, count in zip(batch.index, batch.count, strict=True):
            leaf = w.clone().requires_grad_()
            outputs = r.model.logits(leaf, r.pool.inputs[client.index[row[:count]]])
            loss = sample_losses(r.model.loss, outputs, client.targets[row[:count]]).mean()
            (gradient,) = torch.autograd.grad(loss, leaf)
            g = affine.scale * (gradient + L2 * w) + affine.pull * (w - w0) + shift
            v = momentum.beta * v + g
            w = w - LR * (g + momentum.beta * v if momentum.nesterov else v)
        ends.append(w)
    return torch.stack(ends)


def trained(r: Round, trainer: Any, steps: Any, momentum: Momentum) -> torch.Tensor:
    found: torch.Tensor = trainer(r.model, r.start, r.buffers, r.pool, r.clients, r.batches, LR, L2, momentum, steps)[0]
    return found


@pytest.mark.parametrize("kind", ["all", "diagonal", "pull", "shift", "shared"])
@pytest.mark.parametrize("momentum", [Momentum(), Momentum(BETA, nesterov=True)], ids=["plain", "nesterov"])
@pytest.mark.parametrize("trainer", [train_dense, train_in_turn, train_together])
@pytest.mark.parametrize("model", [SoftmaxRegression(6, 3), MLP(6, 3, (5, 4))], ids=["softmax", "mlp"])
def test_every_trainer_takes_the_corrected_step(model: Any, trainer: Any, momentum: Momentum, kind: str) -> None:
    r = make_round(model, RAGGED)
    affine = correction(r, kind)
    close(trained(r, trainer, affine, momentum), defined(r, affine, momentum))


@pytest.mark.parametrize("trainer", [train_in_turn, train_together])
def test_convolutions_are_corrected_alike(trainer: Any) -> None:
    r = make_round(make_model("small-cnn", IMAGES, 0)[0], RAGGED)
    affine = correction(r, "all")
    close(trained(r, trainer, affine, Momentum()), defined(r, affine, Momentum()))


def test_a_local_step_of_its_own_goes_client_by_client() -> None:
    """Heavy ball as a `LocalStep` is momentum; trainers that know affine steps alone refuse it."""
    r = make_round(MLP(6, 3, (5, 4)), RAGGED)

    def heavy(oracle: Any, carried: Any, rate: Any) -> Any:
        velocity = BETA * carried["velocity"] + oracle(carried["model"])
        return {**carried, "velocity": velocity, "model": carried["model"] - rate * velocity}

    velocity: Any = torch.zeros_like(r.start)
    steps = Stepwise(heavy, {"velocity": velocity})
    close(trained(r, train_in_turn, steps, Momentum()), defined(r, Affine(), Momentum(BETA)))
    for trainer in (train_dense, train_together):
        with pytest.raises(ValueError, match="not affine; take train_in_turn"):
            trained(r, trainer, steps, Momentum())
    with pytest.raises(ValueError, match="momentum"):
        trained(r, train_in_turn, steps, Momentum(BETA))
    device = torch.device("cpu")
    assert trainer_for("auto", r.model, device, r.clients, r.batches, affine=False) is train_in_turn
    with pytest.raises(ValueError, match="not affine"):
        trainer_for("together", r.model, device, r.clients, r.batches, affine=False)

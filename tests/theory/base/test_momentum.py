from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from theory import Momentum


@pytest.mark.parametrize("nesterov", [False, True])
def test_steps_are_those_of_torch(nesterov: bool) -> None:
    gradients = torch.from_numpy(np.random.default_rng(0).normal(size=(6, 3)))
    w = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.SGD([w], lr=0.1, momentum=0.8, nesterov=nesterov)
    ours, velocity, momentum = np.zeros(3), None, Momentum(0.8, nesterov)
    for gradient in gradients:
        w.grad = gradient.clone()
        optimiser.step()
        velocity, direction = momentum.along(velocity, gradient.numpy())
        ours = ours - 0.1 * direction
        assert_allclose(ours, w.detach().numpy(), rtol=0, atol=1e-15)  # sums of six terms below one


@pytest.mark.parametrize("momentum", [Momentum(), Momentum(0.9), Momentum(0.9, nesterov=True)])
def test_coefficients_say_how_often_a_gradient_counts(momentum: Momentum) -> None:
    n_steps = 7
    update, velocity = np.zeros(n_steps), None
    for one_hot in np.eye(n_steps):
        velocity, direction = momentum.along(velocity, one_hot)
        update += direction
    assert_allclose(momentum.coefficients(n_steps), update, rtol=1e-14)  # geometric sums of seven terms
    counts = np.array([[0, 1], [n_steps, 3]])
    expected = [[np.sum(momentum.coefficients(n)) for n in row] for row in counts]
    assert_allclose(momentum.effective_steps(counts), expected, rtol=1e-15)
    assert momentum.effective_steps(1) == 1.0 + momentum.beta * momentum.nesterov


def test_what_goes_in_is_not_changed() -> None:
    velocity, gradient = np.ones(2), np.full(2, 3.0)
    Momentum(0.5).along(velocity, gradient)
    assert velocity.tolist() == [1, 1]
    assert gradient.tolist() == [3, 3]


@pytest.mark.parametrize("beta", [1.0, -0.1, float("nan"), True, "0.9"])
def test_the_door(beta: object) -> None:
    with pytest.raises(ValueError, match=r"Momentum\(beta=.*must be a number in \[0, 1\)"):
        Momentum(beta)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs some momentum"):
        Momentum(0.0, nesterov=True)

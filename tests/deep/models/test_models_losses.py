from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy

from deep.models import LinearRegression, sample_losses


def drawn(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_cross_entropy_is_torch_s_for_each_sample_and_averages_over_positions():
    scores, labels = drawn(0, 6, 3), torch.tensor([0, 1, 2, 2, 1, 0])
    losses = sample_losses("cross-entropy", scores, labels)
    assert losses.shape == (6,)
    torch.testing.assert_close(losses.mean(), cross_entropy(scores, labels))
    losses = sample_losses("cross-entropy", scores.view(2, 3, 3), labels.view(2, 3))
    assert losses.shape == (2,)
    torch.testing.assert_close(losses.mean(), cross_entropy(scores, labels))


def test_squared_loss_takes_values_vectors_and_classes():
    outputs = torch.tensor([[1.0], [3.0]])
    assert sample_losses("squared", outputs, torch.tensor([0.0, 1.0])).tolist() == [0.5, 2.0]
    assert sample_losses("squared", outputs, torch.tensor([[0.0], [1.0]])).tolist() == [0.5, 2.0]
    outputs = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    assert sample_losses("squared", outputs, torch.tensor([0, 1])).tolist() == [0.0, 0.5]


@given(st.integers(0, 2**31))
def test_the_squared_loss_of_a_linear_model_is_a_quadratic_with_its_known_gradient(seed):
    model = LinearRegression(4, 2)
    vector = drawn(seed, 10).double().requires_grad_()
    inputs, targets = drawn(seed + 1, 5, 4).double(), drawn(seed + 2, 5, 2).double()
    residual = model.logits(vector, inputs) - targets
    (gradient,) = torch.autograd.grad(sample_losses("squared", residual + targets, targets).mean(), vector)
    expected = torch.cat([(residual.T @ inputs / 5).flatten(), residual.mean(0)])
    torch.testing.assert_close(gradient, expected)


@pytest.mark.parametrize(
    ("loss", "outputs", "targets", "message"),
    [
        ("hinge", torch.zeros(2, 3), torch.zeros(2, 3), "unknown loss; expected 'cross-entropy' or 'squared'"),
        ("cross-entropy", torch.zeros(2, 3), torch.zeros(2), r"expected torch.int64 targets of shape \(2,\)"),
        ("cross-entropy", torch.zeros(2, 3), torch.zeros(3, dtype=torch.int64), r"targets \(3,\)"),
        ("cross-entropy", torch.zeros(2), torch.zeros(2, dtype=torch.int64), r"outputs \(2,\)"),
        ("squared", torch.zeros(2, 3), torch.zeros(2), r"expected float targets of shape \(n, d\), or classes"),
        ("squared", torch.zeros(2, 3), torch.zeros(2, 3, dtype=torch.int64), "torch.int64 targets"),
        ("squared", torch.zeros(2, 3, 4), torch.zeros(2, 3, 4), r"outputs \(2, 3, 4\)"),
    ],
)
def test_targets_that_do_not_fit_are_named(loss, outputs, targets, message):
    with pytest.raises(ValueError, match=message):
        sample_losses(loss, outputs, targets)

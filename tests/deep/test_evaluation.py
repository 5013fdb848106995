from __future__ import annotations

import pytest
import torch

from deep.evaluation import Sampled, score
from deep.models import SoftmaxRegression, n_parameters


def test_the_samples_of_a_group_weigh_one_together_again() -> None:
    """FedBN judges a client on its own group: what the other groups weigh must not lower its loss and accuracy."""
    inputs = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    weight = torch.tensor([0.1, 0.3, 0.4, 0.2], dtype=torch.float64)
    samples = Sampled(inputs, torch.tensor([0, 0, 1, 1]), weight, torch.tensor([0, 0, 1, 1]), ("a", "b"))
    part = samples.only(samples.group == 0)
    assert part.weight is not None
    torch.testing.assert_close(part.weight, torch.tensor([0.25, 0.75], dtype=torch.float64))
    model = SoftmaxRegression(2, 2)
    vector = torch.zeros(n_parameters(model))
    vector[0] = 5.0  # class 0 wherever the first feature is 1, no opinion elsewhere
    found = score(model, vector, torch.zeros(0), part)
    first, second = torch.log1p(torch.exp(torch.tensor([-5.0, 0.0], dtype=torch.float64))).tolist()
    assert found.loss == pytest.approx(0.25 * first + 0.75 * second, rel=1e-6)  # logits are float32
    assert found.accuracy == pytest.approx(1.0)
    plain = Sampled(inputs, torch.tensor([0, 0, 1, 1])).only(torch.tensor([True, False, False, True]))
    assert plain.weight is None
    assert len(plain) == 2

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.func import grad, vmap

from deep.local.trainers.gradients import gradient_of
from deep.models import (
    MODELS,
    Network,
    averaged_buffers,
    initial_buffers,
    initial_vector,
    keep_norms_local,
    make_model,
    n_parameters,
    next_buffers,
    norm,
    norm_mask,
    training_logits,
)
from deep.models.network import build
from deep.models.norm import BatchNorm, make_norm
from tests.deep.models.test_models import CIFAR10


def small(norm):
    """A network with a norm over images and one over features."""
    return build(
        lambda: nn.Sequential(
            nn.Conv2d(2, 4, 3),
            make_norm(norm, 4),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(36, 6),
            make_norm(norm, 6),
            nn.Linear(6, 3),
        )
    )


def torch_small():
    return nn.Sequential(
        nn.Conv2d(2, 4, 3),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(36, 6),
        nn.BatchNorm1d(6),
        nn.Linear(6, 3),
    )


def network(norm="running"):
    model = Network("small", small(norm), (2, 5, 5))
    return model, initial_vector(model, 0)


def images(seed, n=6):
    return torch.randn(n, 2, 5, 5, generator=torch.Generator().manual_seed(seed))


def statistics(module):
    parts = [(m.running_mean, m.running_var) for m in module if isinstance(m, nn.BatchNorm2d | nn.BatchNorm1d)]
    return torch.cat([value for pair in parts for value in pair])


def test_logits_and_running_statistics_are_those_of_torch_s_batch_norm():
    model, vector = network()
    module = torch_small()
    nn.utils.vector_to_parameters(vector, module.parameters())
    buffers = initial_buffers(model)
    torch.testing.assert_close(buffers, statistics(module))
    for step in range(3):
        logits, buffers = training_logits(model, vector, images(step), buffers)
        torch.testing.assert_close(logits, module(images(step)).detach())
        torch.testing.assert_close(buffers, statistics(module))
    torch.testing.assert_close(model.logits(vector, images(9, 1), buffers), module.eval()(images(9, 1)).detach())


def test_a_step_changes_neither_vector_nor_buffers_nor_the_next_call():
    model, vector = network()
    buffers = initial_buffers(model)
    before = vector.clone(), buffers.clone()
    first = training_logits(model, vector, images(1), buffers)
    again = training_logits(model, vector, images(1), buffers)
    assert torch.equal(vector, before[0])
    assert torch.equal(buffers, before[1])
    assert torch.equal(first[0], again[0])
    assert torch.equal(first[1], again[1])
    assert not torch.equal(first[1], buffers)
    assert not first[1].requires_grad


def test_evaluation_answers_each_image_alone_with_running_statistics_but_not_with_batch_ones():
    model, vector = network()
    buffers = training_logits(model, vector, images(1), initial_buffers(model))[1]
    together = model.logits(vector, images(2), buffers)
    torch.testing.assert_close(together[:1], model.logits(vector, images(2)[:1], buffers))
    model, vector = network("batch")
    assert initial_buffers(model).shape == (0,)
    together = model.logits(vector, images(2))
    assert not torch.allclose(together[:2], model.logits(vector, images(2)[:2]))
    torch.testing.assert_close(together, training_logits(model, vector, images(2), torch.zeros(0))[0])


def test_group_norm_is_torch_s_with_at_most_32_groups():
    assert make_norm("group", 48).num_groups == 16
    assert make_norm("group", 16).num_groups == 16
    assert make_norm("group", 64).num_groups == 32
    model, vector = network("group")
    assert initial_buffers(model).shape == (0,)
    torch.testing.assert_close(model.logits(vector, images(2))[:1], model.logits(vector, images(2)[:1]))


def loss(model):
    def value(vector, inputs, buffers):
        logits, after = training_logits(model, vector, inputs, buffers)
        return logits.square().mean(), after

    return value


@pytest.mark.parametrize("shared", [(), (0,), (2,), (0, 2), (1,)], ids=str)
def test_clients_in_parallel_get_what_they_get_alone_whatever_is_shared(shared):
    """`shared`: which of vector, inputs and buffers have no client axis."""
    model, vector = network()
    buffers = initial_buffers(model)
    each = [
        torch.stack([vector, vector * 1.1]),
        torch.stack([images(0), images(1)]),
        torch.stack([buffers, buffers + 1]),
    ]
    arguments = [value[0] if i in shared else value for i, value in enumerate(each)]
    axes = tuple(None if i in shared else 0 for i in range(3))
    gradients, after = vmap(grad(loss(model), has_aux=True), in_dims=axes)(*arguments)
    for client in range(2):
        alone = [value if i in shared else value[client] for i, value in enumerate(arguments)]
        gradient, statistic = grad(loss(model), has_aux=True)(*alone)
        # Another order of float32 sums.
        torch.testing.assert_close(gradients[client], gradient, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(after[client], statistic)


def test_running_statistics_are_asked_for_by_name():
    model, vector = network()
    with pytest.raises(
        ValueError, match=r"small.logits\(buffers=None\): has running statistics; start from initial_buf"
    ):
        model.logits(vector, images(0))
    with pytest.raises(ValueError, match=r"small: buffers of shape \(3,\); expected \(20,\)"):
        training_logits(model, vector, images(0), torch.zeros(3))


def test_one_value_per_channel_has_no_variance():
    model, vector = network()
    with pytest.raises(ValueError, match=r"batch of shape \(1, 6\) has one value per channel.*norm='group'"):
        training_logits(model, vector, images(0, 1), initial_buffers(model))


def test_an_unknown_norm_is_refused():
    with pytest.raises(ValueError, match="norm='layer': unknown; expected one of running, batch, group"):
        make_model("resnet-20", CIFAR10, 0, norm="layer")


def test_the_mask_covers_every_norm_and_nothing_else():
    model, _ = network()
    expected = torch.zeros(n_parameters(model), dtype=torch.bool)
    position = 0
    for part in torch_small():
        size = sum(p.numel() for p in part.parameters())
        expected[position : position + size] = isinstance(part, nn.BatchNorm2d | nn.BatchNorm1d)
        position += size
    assert torch.equal(norm_mask(model), expected)
    # ResNet-20: seven norms of 16 channels, six of 32 and six of 64, scale and shift each.
    assert int(norm_mask(MODELS["resnet-20"](CIFAR10)).sum()) == 2 * (7 * 16 + 6 * 32 + 6 * 64)


def test_fedbn_keeps_the_norms_and_takes_the_rest():
    model, vector = network()
    own = torch.stack([vector + 1, vector + 2])
    mixed = keep_norms_local(model, vector, own)
    mask = norm_mask(model)
    assert torch.equal(mixed[:, mask], own[:, mask])
    assert torch.equal(mixed[:, ~mask], vector[~mask].expand(2, -1))
    with pytest.raises(ValueError, match=f"expected last axis {len(mask)}"):
        keep_norms_local(model, vector[1:], own)


rows = st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3)


@given(
    weights=st.lists(st.integers(0, 8), min_size=4, max_size=4).filter(any),
    buffers=st.lists(rows, min_size=4, max_size=4),
    scale=st.integers(1, 5),
)
def test_averaging_is_a_mean_with_the_weights_whatever_they_sum_to(weights, buffers, scale):
    weights, buffers = torch.tensor(weights, dtype=torch.float64), torch.tensor(buffers)
    mean = averaged_buffers(weights, buffers)
    assert mean.dtype == torch.float32
    # Float64 sums, rounded to float32 once.
    torch.testing.assert_close(mean, averaged_buffers(weights * scale, buffers), rtol=1e-6, atol=1e-5)
    present = buffers[weights > 0]
    assert bool((mean >= present.min(0).values - 1e-4).all())
    assert bool((mean <= present.max(0).values + 1e-4).all())
    torch.testing.assert_close(next_buffers("averaged", weights, buffers), mean.expand(4, -1))
    assert next_buffers("local", weights, buffers) is buffers


def test_an_absent_client_s_statistics_do_not_enter():
    buffers = torch.tensor([[1.0], [torch.nan], [3.0]])
    assert averaged_buffers(torch.tensor([0.5, 0.0, 0.5]), buffers).tolist() == [2.0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.5, -0.5, 1.0], r"weights=\[0.5, -0.5, 1.0\]\): must be >= 0 with a sum > 0"),
        ([0.0, 0.0, 0.0], "sum > 0"),
        ([torch.nan, 0.5, 0.5], "must be >= 0"),
        ([0.5, 0.5], r"weights \(2,\), buffers \(3, 2\)"),
    ],
)
def test_weights_that_make_no_mean_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        averaged_buffers(torch.tensor(weights), torch.ones(3, 2))


def test_an_unknown_policy_is_refused():
    with pytest.raises(ValueError, match=r"policy='global'.*expected 'averaged' or 'local'"):
        next_buffers("global", torch.ones(2), torch.ones(2, 3))


def test_batch_norm_without_running_statistics_has_no_buffers():
    assert not list(BatchNorm(3, running=False).buffers())


def test_without_vmap_and_padding_torchs_own_layer_takes_the_same_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters bit for bit after three steps; running statistics up to rounding, since their sums run otherwise."""
    model, start = make_model("resnet-20", SimpleNamespace(image_shape=(3, 8, 8), n_classes=10, name="x"), 0)
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(16, 3, 8, 8, generator=generator)
    targets = torch.randint(0, 10, (16,), generator=generator)
    gradient, first = gradient_of(model), initial_buffers(model)

    def steps() -> tuple[torch.Tensor, torch.Tensor]:
        vector, running = start.clone(), first
        for _ in range(3):
            slope, running = gradient(vector, running, inputs, targets)
            vector = vector - 0.1 * slope
        return vector, running

    native, calls = steps(), []
    assert torch.equal(first, initial_buffers(model))  # none is changed in place
    monkeypatch.setattr(norm, "_has_client_axis", lambda *tensors: bool(calls.append(tensors) or True))
    with_own_pass = steps()
    assert calls
    assert torch.equal(native[0], with_own_pass[0])
    torch.testing.assert_close(native[1], with_own_pass[1], rtol=0, atol=3e-6)
    assert not torch.equal(native[1], first)


def test_a_client_axis_is_seen_below_a_gradient() -> None:
    seen = []

    def loss(weight: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
        seen.append((norm._has_client_axis(weight * inputs), norm._has_client_axis(torch.ones(3))))
        return (weight * inputs).sum()

    torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(torch.ones(3), torch.ones(2, 3))
    torch.func.grad(loss)(torch.ones(3), torch.ones(3))
    assert seen == [(True, False), (False, False)]

"""FedSSA's loss and gradient: ranges, invariances, finite differences and autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.strategies import decimals, shares
from theory.rules.by_output import ssa_loss

PAIRS: list[tuple[str, Callable[..., Any], Callable[..., Any]]] = [
    ("cos", ssa_loss.loss_cos, ssa_loss.gradient_cos),
    ("var", ssa_loss.loss_var, ssa_loss.gradient_var),
    ("ssa", ssa_loss.loss_ssa, ssa_loss.gradient_ssa),
]
IDS = [name for name, _, _ in PAIRS]


@st.composite
def instances(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights and two views of (n_samples, n_clients, n_classes) logits."""
    n_samples, n_clients, n_classes = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.integers(2, 4))
    size = n_samples * n_clients * n_classes
    views = [np.asarray(draw(st.lists(decimals(-4, 4), min_size=size, max_size=size))) for _ in range(2)]
    one, two = (v.reshape(n_samples, n_clients, n_classes) for v in views)
    return draw(shares(n_clients)), one, two


def batch(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    # Weights well inside the simplex: third differences of w log w grow like 1/w².
    return rng.dirichlet(np.full(3, 5.0), 4), rng.normal(size=(4, 5, 3, 6)), rng.normal(size=(4, 5, 3, 6))


def plain(weights: np.ndarray, one: np.ndarray, two: np.ndarray, divisor: int) -> tuple[float, float]:
    """(mean L_cos, mean L_var) in loops over samples, straight from equations (4) to (6)."""
    cosines, variances = [], []
    for z_1, z_2 in zip(one, two, strict=True):
        y = []
        for z in (z_1, z_2):
            mixed = [sum(w * z[k][c] for k, w in enumerate(weights)) for c in range(z.shape[1])]
            grown = [np.exp(m) for m in mixed]
            y.append([g / sum(grown) for g in grown])
        norms = [sum(v * v for v in x) ** 0.5 for x in y]
        cosines.append(sum(a * b for a, b in zip(*y, strict=True)) / (norms[0] * norms[1]))
        means = [sum(x) / len(x) for x in y]
        spread = [sum((v - m) ** 2 for v in x) / divisor for x, m in zip(y, means, strict=True)]
        variances.append(sum(spread) / 2)
    return -float(np.mean(cosines)), -float(np.mean(variances))


@given(instance=instances())
def test_against_plain_loops(instance: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    n_classes = instance[1].shape[-1]
    for divisor, n in (("classes", n_classes), ("classes-1", n_classes - 1)):
        cosine, variance = plain(*instance, n)
        assert ssa_loss.loss_cos(*instance) == pytest.approx(cosine, rel=1e-12)
        assert ssa_loss.loss_var(*instance, divisor=divisor) == pytest.approx(variance, rel=1e-12, abs=1e-14)
    total = cosine + 0.5 * variance + 2.0 * ssa_loss.loss_we(instance[0])
    found = ssa_loss.loss_ssa(*instance, lambda_var=0.5, lambda_we=2.0, divisor="classes-1")
    assert found == pytest.approx(total, rel=1e-12)


@given(instance=instances())
def test_ranges(instance: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    c, n = instance[1].shape[-1], instance[0].size
    assert -1 - 1e-14 <= ssa_loss.loss_cos(*instance) < 0
    assert -(c - 1) / c**2 - 1e-14 <= ssa_loss.loss_var(*instance) <= 0
    assert -1 / c - 1e-14 <= ssa_loss.loss_var(*instance, divisor="classes-1") <= 0
    assert -np.log(n) - 1e-14 <= ssa_loss.loss_we(instance[0]) <= 0


def test_attained_and_limiting_values() -> None:
    half, zero = np.full(2, 0.5), np.zeros((1, 2, 4))
    assert ssa_loss.loss_cos(half, zero, zero) == pytest.approx(-1.0)
    assert ssa_loss.loss_var(half, zero, zero) == pytest.approx(0.0, abs=1e-16)
    sharp = np.zeros((1, 2, 4))
    sharp[..., 0] = 1e4  # a softmax that is one-hot to the last bit
    assert ssa_loss.loss_var(half, sharp, sharp) == pytest.approx(-3 / 16)
    assert ssa_loss.loss_var(half, sharp, sharp, divisor="classes-1") == pytest.approx(-1 / 4)
    other = np.roll(sharp, 1, axis=-1)
    assert ssa_loss.loss_cos(half, sharp, other) == pytest.approx(0.0, abs=1e-16)
    assert ssa_loss.loss_we(np.asarray([1.0, 0.0])) == 0.0
    assert ssa_loss.loss_we(np.full(8, 1 / 8)) == pytest.approx(-np.log(8))
    assert np.isnan(ssa_loss.loss_we(np.asarray([1.5, -0.5])))


def test_huge_logits_do_not_overflow() -> None:
    weights, one, two = batch()
    for loss in (ssa_loss.loss_ssa, ssa_loss.gradient_ssa):
        assert np.all(np.isfinite(loss(weights, 1e5 * one, 1e5 * two)))


@pytest.mark.parametrize(("name", "loss", "gradient"), PAIRS, ids=IDS)
@given(instance=instances(), data=st.data())
def test_invariances(
    name: str,
    loss: Callable[..., Any],
    gradient: Callable[..., Any],
    instance: tuple[np.ndarray, np.ndarray, np.ndarray],
    data: st.DataObject,
) -> None:
    weights, one, two = instance
    value, slope = loss(*instance), gradient(*instance)
    close: dict[str, float] = {"rtol": 1e-10, "atol": 1e-12}
    shifted = one + data.draw(decimals(-8, 8))
    np.testing.assert_allclose(loss(weights, shifted, two), value, **close)
    np.testing.assert_allclose(gradient(weights, shifted, two), slope, **close)
    np.testing.assert_allclose(loss(weights, two, one), value, **close)
    np.testing.assert_allclose(gradient(weights, two, one), slope, **close)
    clients = list(data.draw(st.permutations(range(weights.size))))
    np.testing.assert_allclose(loss(weights[clients], one[:, clients], two[:, clients]), value, **close)
    np.testing.assert_allclose(gradient(weights[clients], one[:, clients], two[:, clients]), slope[clients], **close)
    classes = list(data.draw(st.permutations(range(one.shape[-1]))))
    np.testing.assert_allclose(loss(weights, one[..., classes], two[..., classes]), value, **close)
    np.testing.assert_allclose(gradient(weights, one[..., classes], two[..., classes]), slope, **close)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("divisor", ["classes", "classes-1"])
@pytest.mark.parametrize(("name", "loss", "gradient"), PAIRS, ids=IDS)
def test_gradients_against_autograd_and_finite_differences(
    name: str, loss: Callable[..., Any], gradient: Callable[..., Any], divisor: str, reduction: str
) -> None:
    options: dict[str, Any] = {"reduction": reduction}
    options |= {} if name == "cos" else {"divisor": divisor}
    options |= {"lambda_var": 0.7, "lambda_we": 0.3} if name == "ssa" else {}
    weights, one, two = batch()
    ours = gradient(weights, one, two, **options)
    moved = torch.from_numpy(weights).requires_grad_()
    loss(moved, torch.from_numpy(one), torch.from_numpy(two), **options).sum().backward()
    assert moved.grad is not None
    np.testing.assert_allclose(ours, moved.grad.numpy(), rtol=1e-10, atol=1e-13)
    step = 1e-6
    for k in range(3):
        shift = step * np.eye(3)[k]
        ahead, behind = (loss(weights + s, one, two, **options) for s in (shift, -shift))
        # central differences: h² of truncation, eps/h of rounding
        np.testing.assert_allclose(ours[:, k], (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-8)


def test_entropy_gradient() -> None:
    weights = np.asarray([0.5, 0.25, 0.25])
    moved = torch.from_numpy(weights).requires_grad_()
    ssa_loss.loss_we(moved).backward()
    assert moved.grad is not None
    np.testing.assert_allclose(ssa_loss.gradient_we(weights), moved.grad.numpy(), rtol=1e-15)
    assert ssa_loss.gradient_we(np.asarray([1.0, 0.0])).tolist() == [1.0, -np.inf]
    assert np.isnan(ssa_loss.gradient_we(np.asarray([-1.0]))).all()


def test_without_entropy_a_weight_of_zero_does_no_harm() -> None:
    _, one, two = batch()
    corner = np.broadcast_to(np.asarray([1.0, 0.0, 0.0]), (4, 3))
    assert np.all(np.isfinite(ssa_loss.gradient_ssa(corner, one, two, lambda_we=0.0)))


@pytest.mark.parametrize(("name", "loss", "gradient"), PAIRS, ids=IDS)
def test_a_batch_is_a_loop_and_torch_agrees(name: str, loss: Callable[..., Any], gradient: Callable[..., Any]) -> None:
    arrays = batch()
    tensors = [torch.from_numpy(x) for x in arrays]
    for function in (loss, gradient):
        whole = function(*arrays)
        np.testing.assert_allclose(function(*tensors).numpy(), whole, rtol=1e-12, atol=1e-14)
        for i in range(4):
            np.testing.assert_allclose(function(*(x[i] for x in arrays)), whole[i], rtol=1e-12, atol=1e-14)
        options = {"lambda_we": 0.0} if name == "ssa" else {}
        summed = function(*arrays, reduction="sum", **options)
        np.testing.assert_allclose(summed, 5 * function(*arrays, **options), rtol=1e-12, atol=1e-14)


@given(instance=instances(), scale=st.sampled_from([0.0, 1e-9]))
def test_weights_near_zero_give_uniform_predictions(
    instance: tuple[np.ndarray, np.ndarray, np.ndarray], scale: float
) -> None:
    """SSA-LP8, s → 0: both views are uniform, L_cos → −1 and L_var → 0."""
    weights, one, two = instance
    assert ssa_loss.loss_cos(scale * weights, one, two) == pytest.approx(-1.0)
    assert ssa_loss.loss_var(scale * weights, one, two) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ssa_loss.loss_cos(*batch(), reduction="max"), "reduction='max'.*'mean' or 'sum'"),
        (lambda: ssa_loss.loss_var(*batch(), divisor="n"), "divisor='n'.*'classes' or 'classes-1'"),
        (
            lambda: ssa_loss.gradient_var(np.ones(1), np.ones((1, 1, 1)), np.ones((1, 1, 1)), divisor="classes-1"),
            r"needs two classes.*\(1, 1, 1\)",
        ),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

"""Learning FedSSA's weights: the loss in one pass, single steps by hand, and the cases where the loss says nothing."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest
import torch

from theory import SSA, SSASGD, RoundStats, aggregate, make_rule
from theory.rules import Confidence, Similarity, SSAWarm
from theory.rules.by_output import ssa_loss
from theory.rules.by_output.ssa_learning import SSALoss

Views = tuple[np.ndarray, np.ndarray]


def drawn(seed: int = 0, batch: tuple[int, ...] = (), n_clients: int = 3, n_samples: int = 6) -> Views:
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(*batch, n_samples, n_clients, 4))
    return base, base + 0.5 * rng.normal(size=base.shape)


def seen(views: Views, present: Any = None, **fields: Any) -> RoundStats:
    n, batch = views[0].shape[-2], views[0].shape[:-3]
    here = np.broadcast_to(np.ones(n, bool) if present is None else np.asarray(present), (*batch, n))
    signals = {"view_1": views[0], "view_2": views[1]}
    return RoundStats(np.full((*batch, n), 1 / n), here, signals=signals, **fields)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("divisor", ["classes", "classes-1"])
@pytest.mark.parametrize("lambdas", [(1.0, 0.7, 0.3), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.5, 0.0, 2.0)])
def test_one_pass_is_the_loss_and_gradient_as_printed_and_autograd_s(
    lambdas: tuple[float, float, float], divisor: Any, reduction: Any
) -> None:
    views = drawn(batch=(4,))
    weights = np.random.default_rng(1).dirichlet(np.full(3, 5.0), 4)
    names = dict(zip(("lambda_cos", "lambda_var", "lambda_we"), lambdas, strict=True))
    settings: dict[str, Any] = {**names, "divisor": divisor, "reduction": reduction}
    value, gradient = SSALoss.on(*views, np.ones((4, 3), bool), **settings)(weights)
    options = {"divisor": divisor, "reduction": reduction}
    parts = ssa_loss.loss_cos(weights, *views, reduction=reduction), ssa_loss.loss_var(weights, *views, **options)
    np.testing.assert_allclose(
        value, lambdas[0] * parts[0] + lambdas[1] * parts[1] + lambdas[2] * ssa_loss.loss_we(weights), rtol=1e-13
    )
    moved = torch.from_numpy(weights).requires_grad_()
    tensors = [torch.from_numpy(view) for view in views]
    SSALoss.on(*tensors, torch.ones(4, 3, dtype=torch.bool), **settings)(moved)[0].sum().backward()
    assert moved.grad is not None
    np.testing.assert_allclose(gradient, moved.grad.numpy(), rtol=1e-10, atol=1e-13)
    if lambdas[0] == 1:
        printed = ssa_loss.gradient_ssa(weights, *views, lambda_var=lambdas[1], lambda_we=lambdas[2], **options)
        np.testing.assert_allclose(gradient, printed, rtol=1e-10, atol=1e-13)


def test_some_samples_are_those_samples() -> None:
    views, weights = drawn(batch=(2,)), np.full((2, 3), 1 / 3)
    some = np.asarray([4, 1])
    found = SSALoss.on(*views, np.ones((2, 3), bool)).of(some)(weights)
    expected = SSALoss.on(*(view[:, some] for view in views), np.ones((2, 3), bool))(weights)
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_absent_clients_have_no_slope() -> None:
    views = drawn()
    _, gradient = SSALoss.on(*views, np.asarray([True, False, True]))(np.asarray([0.5, 0.0, 0.5]))
    assert gradient[1] == 0
    assert np.all(gradient[[0, 2]] != 0)


def test_a_step_of_each_kind_by_hand() -> None:
    views, eta = drawn(), 0.3
    start = np.full(3, 1 / 3)

    def step(constraint: str, lambda_we: float) -> np.ndarray:
        rule = SSASGD(lr=eta, epochs=1, batch_size=0, constraint=constraint, lambda_we=lambda_we)  # type: ignore[arg-type]
        return np.asarray(rule(seen(views)))

    slope = ssa_loss.gradient_ssa(start, *views, lambda_we=0.1)
    inner = start @ slope
    moved = np.log(start) - eta * start * (slope - inner)
    np.testing.assert_allclose(step("softmax", 0.1), np.exp(moved) / np.exp(moved).sum(), rtol=1e-12)
    np.testing.assert_allclose(step("projection", 0.1), start - eta * (slope - slope.mean()), rtol=1e-10)
    clipped = np.maximum(start - eta * slope, 0)
    np.testing.assert_allclose(step("clip", 0.1), clipped / clipped.sum(), rtol=1e-12)
    free = start - eta * ssa_loss.gradient_ssa(start, *views, lambda_we=0.0)
    np.testing.assert_allclose(step("free", 0.0), free, rtol=1e-12)
    rule = SSASGD(lr=eta, epochs=1, batch_size=0, constraint="free", lambda_we=0.0)
    assert rule.total(seen(views)) == pytest.approx(free.sum(), rel=1e-12)
    assert abs(free.sum() - 1) > 1e-3  # nothing holds the sum


def test_an_epoch_meets_every_sample_once_in_an_order_of_its_own() -> None:
    views = drawn(n_samples=7)
    rule = SSASGD(epochs=3, batch_size=3)
    whole = SSALoss.on(*views, np.ones(3, bool))
    inputs = np.broadcast_to(np.arange(7.0)[:, None, None], (7, 3, 4))
    batches = rule._batches(SSALoss.on(inputs, inputs, np.ones(3, bool)), 5)
    met = [np.unique(some.logits).astype(int).tolist() for some in batches]
    assert [len(batch) for batch in met] == [3, 3, 1] * 3
    epochs = [list(chain(*met[3 * e : 3 * e + 3])) for e in range(3)]
    assert all(sorted(epoch) == list(range(7)) for epoch in epochs)
    assert met[:3] != met[3:6] != met[6:]
    assert [b.sizes for b in SSASGD(epochs=2, batch_size=0)._batches(whole, 0)] == [(7, 4)] * 2


@pytest.mark.parametrize(("constraint", "lr", "epochs"), [("softmax", 10.0, 2000), ("projection", 0.3, 400)])
def test_gradient_steps_end_where_the_line_search_does(constraint: Any, lr: float, epochs: int) -> None:
    views = drawn(3, n_samples=40)
    found = SSASGD(lr=lr, epochs=epochs, batch_size=0, constraint=constraint)(seen(views))
    best = ssa_loss.loss_ssa(SSA(n_steps=400)(seen(views)), *views)
    assert ssa_loss.loss_ssa(found, *views) == pytest.approx(float(best), abs=1e-4)


def test_clipping_rests_where_the_slope_is_a_multiple_of_the_weights() -> None:
    views = drawn(3, n_samples=40)
    found = np.asarray(SSASGD(lr=0.3, epochs=4000, batch_size=0, constraint="clip")(seen(views)))
    ratio = ssa_loss.gradient_ssa(found, *views) / found
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)
    assert ssa_loss.loss_ssa(found, *views) > ssa_loss.loss_ssa(SSA(n_steps=400)(seen(views)), *views) + 1e-3


def test_sample_wise_is_a_batch_of_one() -> None:
    """Weights of every sample, learned together along the batch axis and one sample after another."""
    views = drawn(n_samples=5)
    alone: Views = tuple(view[:, None] for view in views)  # type: ignore[assignment]
    for rule in (SSA(n_steps=30), SSASGD(epochs=30, lr=0.5)):
        together = np.asarray(rule(seen(alone)))
        assert together.shape == (5, 3)
        for i in range(5):
            one = np.asarray(rule(seen((views[0][i : i + 1], views[1][i : i + 1]))))
            np.testing.assert_allclose(together[i], one, rtol=1e-10)
        assert np.abs(together - np.asarray(rule(seen(views)))).max() > 0.01  # not what all samples together give


def test_warm_rounds_begin_where_the_last_ended() -> None:
    first, second = drawn(1), drawn(2)
    rule = SSAWarm(SSA(n_steps=3), least=0.0)
    updates = {"updates": np.zeros((3, 2))}
    state, weights, _ = aggregate(rule, None, seen(first, **updates))
    np.testing.assert_array_equal(weights, SSA(n_steps=3)(seen(first)))
    state, weights, _ = aggregate(rule, state, seen(second, [True, False, True], **updates))
    kept = np.where([True, False, True], state["weights"], 0)
    assert weights[1] == 0
    np.testing.assert_array_equal(kept, weights)
    start = np.asarray(SSA(n_steps=3)(seen(first)))
    there = start * [1, 0, 1] / (start[0] + start[2])
    np.testing.assert_allclose(weights, SSA(n_steps=3).learned(seen(second, [True, False, True]), there), rtol=1e-12)
    assert state["weights"][1] == start[1]  # what it had when it was last there


# Cases where the loss says little or the wrong thing; `docs/fedssa.md` tells them.

RULES = (SSA(), SSASGD(lr=0.1), SSASGD(constraint="projection"), SSASGD(constraint="clip"))


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_one_client_gets_everything(rule: Any) -> None:
    np.testing.assert_allclose(rule(seen(drawn(n_clients=1))), [1.0], rtol=1e-12)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_equal_constant_predictors_keep_equal_weights(rule: Any) -> None:
    """Every client puts out the same constant: the loss does not depend on the weights but for their entropy."""
    constant = np.broadcast_to(np.asarray([2.0, 0.0, -1.0]), (6, 4, 3)).copy()
    np.testing.assert_allclose(rule(seen((constant, constant))), 0.25, atol=1e-9)


def test_uniform_predictors_leave_the_weights_to_the_others() -> None:
    """A client whose logits are 0 softens the ensemble; confidence moves its weight to the one that is sure."""
    sure = np.zeros((8, 2, 3))
    sure[np.arange(8), 1, np.arange(8) % 3] = 4.0
    for rule in RULES:
        weights = np.asarray(rule(seen((sure, sure))))
        assert weights[1] > 0.5
    assert np.asarray(SSA()(seen((sure, sure))))[1] > 0.95
    # Without the confidence term nothing moves but the entropy: both views agree whatever the weights.
    np.testing.assert_allclose(SSA(lambda_var=0.0)(seen((sure, sure))), 0.5, atol=1e-9)


def test_constant_predictors_have_no_confidence_to_share() -> None:
    flat = np.ones((4, 2, 3))
    stats = RoundStats(np.full(2, 0.5), np.ones(2, bool), signals={"logits": flat, "view_1": flat, "view_2": flat})
    with pytest.raises(ValueError, match="every output is constant over the classes"):
        Confidence()(stats)
    np.testing.assert_allclose(Similarity()(stats), 0.5)


def irrelevant(strength: float) -> tuple[Views, np.ndarray]:
    """Client 0 is right, with the scatter of views; client 1 says class 0 of everything, equally sure on both."""
    rng = np.random.default_rng(0)
    labels = np.arange(200) % 4
    views = []
    for _ in range(2):
        logits = np.zeros((200, 2, 4))
        logits[np.arange(200), 0, labels] = 4.0
        logits[:, 0] += rng.normal(size=(200, 4))
        logits[:, 1, 0] = strength
        views.append(logits)
    return (views[0], views[1]), labels


def test_an_invariant_confident_irrelevant_client_wins_every_term_but_entropy() -> None:
    """The fear of the paper's Section 4.2: its remedy, confidence, makes it worse where that client is the surest."""
    views, labels = irrelevant(strength=8.0)
    found = {}
    for name, rule in {
        "all": SSA(),
        "var 10": SSA(lambda_var=10.0),
        "cos alone": SSA(lambda_var=0.0),
        "var alone": SSA(lambda_cos=0.0),
        "sgd": SSASGD(lr=0.1, epochs=200),
    }.items():
        weights = np.asarray(rule(seen(views)))
        found[name] = weights[1]
        assert np.mean((weights @ views[0]).argmax(-1) == labels) == 0.25  # the ensemble says class 0 of everything
    assert min(found.values()) > 0.7
    assert found["cos alone"] < min(v for name, v in found.items() if name != "cos alone")


def test_confidence_helps_against_invariance_without_it() -> None:
    views, labels = irrelevant(strength=0.5)
    right, wrong = np.asarray([1.0, 0.0]), np.asarray([0.0, 1.0])
    assert ssa_loss.loss_cos(wrong, *views) < ssa_loss.loss_cos(right, *views)
    assert ssa_loss.loss_ssa(wrong, *views, lambda_we=0.0) > ssa_loss.loss_ssa(right, *views, lambda_we=0.0)
    weights = np.asarray(SSA()(seen(views)))
    assert weights[0] > 0.99
    assert np.mean((weights @ views[0]).argmax(-1) == labels) > 0.95


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SSASGD(lr=0), r"SSASGD\(lr=0\): must be finite and > 0"),
        (lambda: SSASGD(epochs=-1), r"SSASGD\(epochs=-1\): must be an integer >= 0"),
        (lambda: SSASGD(constraint="free"), r"SSASGD\(constraint='free', lambda_we=0.001\).*lambda_we=0"),  # type: ignore[arg-type]
        (lambda: SSASGD(constraint="simplex"), "expected one of 'softmax'"),  # type: ignore[arg-type]
        (lambda: SSA(lambda_cos=-1), r"SSA\(lambda_cos=-1\)"),
        (lambda: SSAWarm(SSASGD(constraint="free", lambda_we=0)), "expected a constraint"),  # type: ignore[arg-type]
        (lambda: make_rule("fed-ssa-warm(rule=proportional)"), "expected fed-ssa or fed-ssa-sgd"),
        (lambda: SSASGD(constraint="clip", lr=1e6, lambda_we=9.0)(seen(drawn(n_clients=2))), "lower lr"),
    ],
)
def test_settings_out_of_range(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

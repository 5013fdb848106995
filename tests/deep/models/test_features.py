"""What needs a network's outputs: local losses and refinement in deep runs, refused by theory."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pytest
import torch

from deep import run
from deep.config.config import RunConfig
from deep.features import client_of, feature_entries, server_of
from deep.local import train_in_turn
from deep.models import MLP, SoftmaxRegression, initial_buffers, make_model, training_features, training_logits
from deep.runs.worlds import both_worlds
from deep.task.setup import Setup
from deep.task.task import make_task
from tests.deep.local.test_local_corrections import L2, LR, RAGGED, trained
from tests.deep.local.test_local_trainers import COLOURS, IMAGES, close, make_round
from tests.deep.resumed import resumed
from tests.theory.algorithms.test_algorithms_loops import clients
from tests.theory.planted import planted
from theory import constant_steps, simulate
from theory.base.momentum import Momentum
from theory.rules import make_rule

SHORT = RunConfig(n_rounds=2, n_local_steps=3, dtype="float64", evaluate_every=5)
BETA, TAU = 0.8, 2.0


def test_entries_are_built_by_name_beside_those_of_theory() -> None:
    found = [(e.kind, e.name) for e in feature_entries()]
    assert found == [("client", "fed-decorr"), ("server", "fed-df"), ("client", "fed-ntd"), ("client", "moon")]
    assert client_of("fed-ntd(beta=0.5)") == client_of("fed-ntd(beta=0.5, tau=1)")
    assert type(client_of("scaffold")).__name__ == "Scaffold"
    assert server_of("rate(lr=0.5)").lr == 0.5
    with pytest.raises(ValueError, match=r"client 'fed-ntd' has no setting \['mu'\]"):
        client_of("fed-ntd(mu=1)")
    with pytest.raises(ValueError, match="unknown server 'fed-ntd'"):
        server_of("fed-ntd")


@pytest.mark.parametrize("momentum", [Momentum(), Momentum(0.5)], ids=["plain", "heavy"])
def test_fed_ntd_takes_the_steps_of_its_loss(momentum: Momentum) -> None:
    r = make_round(MLP(6, 3, (5, 4)), RAGGED)
    steps = client_of(f"fed-ntd(beta={BETA}, tau={TAU})").steps({}, {})
    found = trained(r, train_in_turn, steps, momentum)
    ends = []
    for w0, client, batch in zip(r.start, r.clients, r.batches, strict=True):
        w, v = w0.clone(), torch.zeros_like(w0)
        for row, count in zip(batch.index, batch.count, strict=True):
            leaf, total = w.clone().requires_grad_(), torch.zeros((), dtype=w.dtype)
            for position in row[:count]:
                x, y = r.pool.inputs[client.index[position]][None], int(client.targets[position])
                now, before = r.model.logits(leaf, x)[0], r.model.logits(w0, x)[0]
                others = [c for c in range(3) if c != y]
                q, qg = (torch.softmax(z[others] / TAU, dim=0) for z in (now, before))
                total = total - torch.log_softmax(now, dim=0)[y] + BETA * (qg * (qg.log() - q.log())).sum()
            (gradient,) = torch.autograd.grad(total / int(count), leaf)
            v = momentum.beta * v + gradient + L2 * w
            w = w - LR * v
        ends.append(w)
    close(found, torch.stack(ends))


def test_fed_ntd_asks_the_start_with_the_statistics_that_came_with_it() -> None:
    model = make_task(Setup.of(RunConfig(model="tests.deep.normed:net")), torch.device("cpu")).model
    r = make_round(model, [[4, 3], [2, 4, 3]])
    buffers = r.buffers + torch.linspace(0, 1, r.buffers.numel()).to(r.buffers).view(r.buffers.shape)
    steps = client_of(f"fed-ntd(beta={BETA}, tau={TAU})").steps({}, {})
    found, running = train_in_turn(model, r.start, buffers, r.pool, r.clients, r.batches, LR, L2, steps=steps)
    for k, (w0, client, batch) in enumerate(zip(r.start, r.clients, r.batches, strict=True)):
        w, now = w0.clone(), buffers[k]
        for row, count in zip(batch.index, batch.count, strict=True):
            leaf, x, y = (
                w.clone().requires_grad_(),
                r.pool.inputs[client.index[row[:count]]],
                client.targets[row[:count]],
            )
            (logits, now), before = training_logits(model, leaf, x, now), model.logits(w0, x, buffers[k])
            loss = torch.nn.functional.cross_entropy(logits, y)
            for row_now, row_before, label in zip(logits, before, y.tolist(), strict=True):
                others = [c for c in range(10) if c != label]
                q, qg = (torch.softmax(z[others] / TAU, dim=0) for z in (row_now, row_before))
                loss = loss + BETA * (qg * (qg.log() - q.log())).sum() / int(count)
            w = w - LR * (torch.autograd.grad(loss, leaf)[0] + L2 * w)
        close(found[k], w)
        close(running[k], now)


def features_by_hand(model: Any, vector: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    """What the last layer is given, the models typed out: an MLP of (5, 4), or the small CNN."""
    parts = torch.split(vector, [prod(s) for layer in model.layers for s in layer.shapes])
    shaped = [p.view(s) for p, s in zip(parts, [s for layer in model.layers for s in layer.shapes], strict=True)]
    if isinstance(model, MLP):
        hidden = torch.clamp(inputs.flatten(1) @ shaped[0].T + shaped[1], min=0)
        return torch.clamp(hidden @ shaped[2].T + shaped[3], min=0)
    hidden = torch.relu(torch.nn.functional.conv2d(inputs, shaped[0], shaped[1], padding=1))
    hidden = torch.relu(torch.nn.functional.conv2d(hidden, shaped[2], shaped[3], padding=1))
    return torch.nn.functional.max_pool2d(hidden, 2).flatten(1)


def rounds() -> list[Any]:
    return [
        make_round(MLP(6, 3, (5, 4)), RAGGED),
        make_round(make_model("small-cnn", IMAGES, 0)[0], RAGGED),
    ]


def walked(r: Any, extra: Any, previous: torch.Tensor) -> torch.Tensor:
    """SGD on the cross-entropy and `extra(z, start's features, previous' features)` of a batch, typed out."""
    ends = []
    for k, (w0, client, batch) in enumerate(zip(r.start, r.clients, r.batches, strict=True)):
        w = w0.clone()
        for row, count in zip(batch.index, batch.count, strict=True):
            rows = client.index[row[:count]]
            x, y = r.pool.inputs[rows], client.targets[row[:count]]
            leaf = w.clone().requires_grad_()
            z, z_g, z_p = (features_by_hand(r.model, v, x) for v in (leaf, w0, previous[k]))
            odds = torch.log_softmax(r.model.logits(leaf, x), dim=1)
            loss = -odds[torch.arange(int(count)), y].mean() + extra(z, z_g.detach(), z_p.detach())
            w = w - LR * (torch.autograd.grad(loss, leaf)[0] + L2 * w)
        ends.append(w)
    return torch.stack(ends)


def cosines(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a * b).sum(1) / (a.norm(dim=1) * b.norm(dim=1)).clamp(min=1e-8)


@pytest.mark.parametrize("r", rounds(), ids=["mlp", "cnn"])
def test_moon_takes_the_steps_of_its_loss(r: Any) -> None:
    previous = r.start + 0.3 * torch.randn(r.start.shape, generator=torch.Generator().manual_seed(2)).to(r.start)

    def contrast(z: torch.Tensor, z_g: torch.Tensor, z_p: torch.Tensor) -> torch.Tensor:
        near, far = torch.exp(cosines(z, z_g) / TAU), torch.exp(cosines(z, z_p) / TAU)
        return -3.0 * torch.log(near / (near + far)).mean()

    steps = client_of(f"moon(mu=3, tau={TAU})").steps({"previous": previous}, {})
    close(trained(r, train_in_turn, steps, Momentum()), walked(r, contrast, previous))


@pytest.mark.parametrize("times_batch", [False, True])
def test_fed_decorr_takes_the_steps_of_its_loss(times_batch: bool) -> None:
    r = rounds()[0]

    def correlated(z: torch.Tensor, _: Any, __: Any) -> torch.Tensor:
        n, d = z.shape
        if n < 2:
            return z.sum() * 0
        total = torch.zeros((), dtype=z.dtype)
        unit = [(c - c.mean()) / (((c - c.mean()) ** 2).mean() + 1e-8).sqrt() for c in z.T]
        for i in range(d):
            for j in range(d):
                total = total + (unit[i] @ unit[j] / n) ** 2
        return 2.0 * (n if times_batch else 1) * total / d**2

    steps = client_of(f"fed-decorr(beta=2, times_batch={str(times_batch).lower()})").steps({}, {})
    close(trained(r, train_in_turn, steps, Momentum()), walked(r, correlated, r.start))


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("moon", "(far - near)", "(near - far)"),
        ("moon", "return own + self.mu", "return own - self.mu"),
        ("fed_decorr", "return own + weight", "return own - weight"),
        ("fed_decorr", "features - features.mean", "features + features.mean"),
        ("fed_ntd", "own + self.beta", "own - self.beta"),
        ("fed_df", "vector - self.rate", "vector + self.rate"),
        ("fed_df", "loss = -(teacher", "loss = (teacher"),
    ],
)
def test_a_wrong_sign_in_the_source_is_seen(
    module: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = planted(f"deep.features.{module}", right, wrong).ENTRY.build
    given = {
        "moon": {"mu": 3.0, "tau": TAU},
        "fed_decorr": {"beta": 2.0},
        "fed_ntd": {"beta": BETA, "tau": TAU},
        "fed_df": {"n_steps": 2, "rate": 0.3},
    }[module]
    for name in ("client_of", "server_of"):
        monkeypatch.setitem(globals(), name, lambda _: broken(**given))
    checks: dict[str, Any] = {
        "moon": lambda: test_moon_takes_the_steps_of_its_loss(rounds()[0]),
        "fed_decorr": lambda: test_fed_decorr_takes_the_steps_of_its_loss(times_batch=False),
        "fed_ntd": lambda: test_fed_ntd_takes_the_steps_of_its_loss(Momentum()),
        "fed_df": test_fed_df_distils_what_the_clients_say,
    }
    with pytest.raises(AssertionError):
        checks[module]()


def test_features_are_the_inputs_of_the_last_layer() -> None:
    """By the module of a network, by hand, and of two kinds of model that have none."""
    images = torch.randn(4, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    model, vector = make_model("resnet-20", COLOURS, 0)
    features, logits, _ = training_features(model, vector, images, initial_buffers(model))
    weight, bias = vector[-(64 * 4 + 4) : -4].view(4, 64), vector[-4:]
    torch.testing.assert_close(features @ weight.T + bias, logits)
    torch.testing.assert_close(training_logits(model, vector, images, initial_buffers(model))[0], logits)
    for shallow in (SoftmaxRegression(6, 3), MLP(6, 3, ())):
        with pytest.raises(ValueError, match="no layer before its last one"):
            training_features(shallow, torch.zeros(21), torch.zeros(2, 6), torch.zeros(0))


@pytest.mark.parametrize("client", ["moon(mu=5)", "fed-decorr"])
def test_runs_on_features_resume_and_differ_from_fed_avg(client: str, tmp_path: Any) -> None:
    config = RunConfig(model="mlp(hidden=[8])", n_rounds=4, n_local_steps=3, client=client, checkpoint_every=1)
    rule = make_rule("proportional")
    whole = run(config, rule, out=tmp_path / "whole")
    assert torch.equal(resumed(config, rule, tmp_path / "parts", after=2).model, whole.model)
    assert not torch.equal(run(replace(config, client="sgd"), rule).model, whole.model)
    with pytest.raises(ValueError, match="no layer before its last one"):
        run(replace(config, model="softmax-regression"), rule)


def test_fed_df_distils_what_the_clients_say() -> None:
    model = MLP(6, 3, (5,))
    rng = torch.Generator().manual_seed(0)
    n = sum(layer.size for layer in model.layers)
    models = torch.randn(4, n, generator=rng, dtype=torch.float64)
    shown = torch.randn(20, 6, generator=rng, dtype=torch.float64)
    start, none = models.mean(dim=0), torch.zeros(0, dtype=torch.float64)
    teacher = torch.softmax(sum(model.logits(m, shown) for m in models) / 4, dim=-1)

    def apart(vector: torch.Tensor) -> torch.Tensor:
        return (teacher * (teacher.log() - torch.log_softmax(model.logits(vector, shown), dim=-1))).sum(dim=1).mean()

    server: Any = server_of("fed-df(n_steps=2, rate=0.3)")
    found = server.refine(model, start, none, models, none.expand(4, 0), shown)
    w = start
    for _ in range(2):
        leaf = w.clone().requires_grad_()
        w = w - 0.3 * torch.autograd.grad(apart(leaf), leaf)[0]
    torch.testing.assert_close(found, w, rtol=0, atol=1e-12)
    assert apart(found) < apart(start)


def test_runs_with_and_without_differ_and_nothing_asked_is_fed_avg() -> None:
    rule = make_rule("proportional")
    plain = run(SHORT, rule).model
    for words in ({"client": "fed-ntd"}, {"server": "fed-df(rate=1)"}):
        assert not torch.equal(run(replace(SHORT, **words), rule).model, plain)
    torch.testing.assert_close(run(replace(SHORT, client="fed-ntd(beta=0)"), rule).model, plain, rtol=0, atol=1e-12)
    assert torch.equal(run(replace(SHORT, server="fed-df(n_steps=0)"), rule).model, plain)


def test_theory_refuses_what_it_has_no_form_of() -> None:
    given: dict[str, Any] = {"start": np.ones(3), "step_sizes": constant_steps(0.1, 6), "n_local_steps": 3}
    with pytest.raises(ValueError, match="network's outputs; expected a deep run"):
        simulate(clients(), make_rule("proportional"), client=client_of("fed-ntd"), **given)
    with pytest.raises(ValueError, match=r"both_worlds\(server='fed-df'\)"):
        both_worlds(replace(SHORT, server="fed-df", l2=0.1), make_rule("proportional"))
    with pytest.raises(ValueError, match="no one model to refine"):
        run(replace(SHORT, server="fed-df", buffers="local"), make_rule("proportional"))
    with pytest.raises(ValueError, match="not affine"):
        run(replace(SHORT, client="fed-ntd", trainer="together"), make_rule("proportional"))

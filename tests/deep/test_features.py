"""What needs a network's outputs: local losses and refinement in deep runs, refused by theory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from deep import run
from deep.config import RunConfig
from deep.features import client_of, feature_entries, server_of
from deep.models import MLP
from deep.worlds import both_worlds
from tests.deep.test_local_corrections import L2, LR, RAGGED, trained
from tests.deep.test_local_trainers import close, make_round
from tests.theory.test_algorithms_loops import clients
from theory import constant_steps, simulate
from theory.momentum import Momentum
from theory.rules import make_rule

SHORT = RunConfig(n_rounds=2, n_local_steps=3, dtype="float64", evaluate_every=5)
BETA, TAU = 0.8, 2.0


def test_entries_are_built_by_name_beside_those_of_theory() -> None:
    assert [(e.kind, e.name) for e in feature_entries()] == [("server", "fed-df"), ("client", "fed-ntd")]
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
    from deep.local import train_in_turn

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

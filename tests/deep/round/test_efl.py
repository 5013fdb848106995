"""EFL in deep runs: messages both ways, the elastic term, clients that finish fewer steps; against the convex world."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.local.fisher import fisher_diagonals
from deep.models import norm_mask
from deep.round.play_round import first_state, play_round
from deep.runs.worlds import both_worlds
from deep.storage.checkpoint import ServerState
from deep.task.algorithm import log_of, state_bytes
from deep.task.setup import Setup
from deep.task.task import make_task
from theory import make_rule
from theory.algorithms.fisher import Fisher

CPU = torch.device("cpu")
BOTH_WAYS = "compressed(client={client}, keep_fraction=0.1, down_fraction=0.1, ties=exact{more})"
PRINTED = ", uplink=raw, server_add=delta, base_of_absent=stale"
CONFIG = RunConfig(n_clients=8, n_sampled=3, n_rounds=6, n_local_steps=4, batch_size=16, l2=0.01, local_lr=0.2)


def played(config: RunConfig, rule: str = "efl", rounds: int | None = None) -> tuple[ServerState, list[Any]]:
    task = make_task(Setup.of(config), CPU)
    state, records = first_state(Setup.of(config), task), []
    for _ in range(rounds or config.n_rounds):
        found = play_round(Setup.of(config, make_rule(rule)), task, state)
        assert found is not None
        state, record = found
        records.append(record)
    return state, records


def bases(config: RunConfig, state: ServerState) -> torch.Tensor:
    """Base models of all clients once each heard what waits for it."""
    client = Setup.of(config, make_rule("efl")).method.client
    return client.receive(state.kept, log_of(state), state.model)[1]  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_closing_choice_leaves_no_difference_after_200_rounds(dtype: str) -> None:
    config = replace(CONFIG, dtype=dtype, losses="none", evaluate_every=1000, floor="zero")
    closing = replace(config, client=BOTH_WAYS.format(client="sgd", more=""))
    state, _ = played(closing, rounds=200)
    assert float((bases(closing, state) - state.model).abs().max()) == 0.0
    assert float((state.model - played(config, rounds=1)[0].model).norm()) > 0.1
    printed = replace(config, client=BOTH_WAYS.format(client="sgd", more=PRINTED))
    state, _ = played(printed, rounds=40)
    assert float((bases(printed, state) - state.model).abs().max()) > 1e-3


EFL = "elastic(strength=0.05, labels={labels}, summed={summed}, normalised={normalised})"


@pytest.mark.parametrize("labels", ["sampled", "expected", "data"])
@pytest.mark.parametrize("more", ["", PRINTED], ids=["closing", "printed"])
def test_one_efl_run_is_the_same_in_both_worlds(labels: str, more: str) -> None:
    """Elastic term, stragglers, absent clients and messages both ways, on l2-regularised softmax regression.

    Ties as printed: the server compresses a sum of ternary vectors, in which equal sizes are the rule, and which of
    equal ones "exact" keeps depends on the order in which a world stores them.
    """
    elastic = (
        EFL.format(labels=labels, summed="all" if more else "participants", normalised=bool(more))
        .replace("True", "true")
        .replace("False", "false")
    )
    config = replace(
        CONFIG,
        participation="stragglers(probability=0.5, of=uniform(n_sampled=4))",
        client=BOTH_WAYS.format(client=elastic, more=more).replace("ties=exact", "ties=all"),
        dtype="float64",
    )
    worlds = both_worlds(config, make_rule("efl(over_cohort=scaled)"))
    assert worlds.models_apart.max() <= 1e-6  # and in fact
    assert worlds.models_apart.max() <= 1e-12
    records = worlds.records
    assert any(
        s < p for r in records for s, p, there in zip(r.local_steps, r.planned_steps, r.present, strict=True) if there
    )
    np.testing.assert_array_equal(
        [r.bytes_up - r.bytes_beside_up for r in records], bytes_of(worlds.convex.bits_up, config, 2)
    )
    np.testing.assert_array_equal(
        [r.bytes_down - r.bytes_beside_down for r in records], bytes_of(worlds.convex.bits_down, config, 2)
    )
    assert (worlds.convex.drift.max() > 0) == bool(more)


def bytes_of(bits: Any, config: RunConfig, vectors: int) -> list[int]:
    """What theory counted, without the Fisher sums beside it, each message rounded up to bytes."""
    beside = 64 * 650 * vectors
    return [int((-(-(row[row > 0] - beside) // 8)).sum()) for row in np.asarray(bits)]


def test_weights_of_clients_that_finish_fewer_steps_by_hand() -> None:
    """E·p/s with each client's own E: local epochs plan different numbers of steps."""
    config = replace(
        CONFIG, n_local_steps=0, n_local_epochs=2, participation="stragglers(probability=0.6)", partition="iid"
    )
    config = replace(config, partition="dirichlet(beta=0.3, min_size=8)")
    _, (record,) = played(config, rounds=1)
    planned, finished = record.planned_steps, record.local_steps
    assert len(set(planned)) > 3
    assert sum(s < e for s, e in zip(finished, planned, strict=True)) >= 2
    by_hand = [e * p / s for e, p, s in zip(planned, record.share, finished, strict=True)]
    np.testing.assert_allclose(record.weights, by_hand, rtol=1e-15)


def test_no_compressor_no_strength_everyone_present_is_fed_avg_bit_for_bit() -> None:
    config = replace(CONFIG, n_clients=4, n_sampled=4, partition="iid", floor="zero")
    plain, _ = played(replace(config), "proportional")
    efl, _ = played(replace(config, client="compressed(client=elastic(strength=0), keep_fraction=0)"), "efl")
    assert torch.equal(plain.model, efl.model)


def networks() -> list[str]:
    return ["softmax-regression", "mlp(hidden=[12])", "mlp(hidden=[7, 5])"]


@pytest.mark.parametrize("model", networks())
@pytest.mark.parametrize("labels", ["sampled", "expected", "data"])
def test_products_of_squares_are_squares_of_single_gradients(
    model: str, labels: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(CONFIG, model=model, dtype="float64", floor="zero")
    task = make_task(Setup.of(config), CPU)
    assert task.population is not None
    some = task.population.clients[:3]
    vectors = task.start + 0.3 * torch.randn(3, len(task.start), generator=torch.Generator().manual_seed(0)).double()
    given = (task.model, vectors, task.buffers.expand(3, -1), task.pool, some, Fisher(labels, 20), 0, 4)
    fast = fisher_diagonals(*given)
    monkeypatch.setattr("deep.local.fisher.is_dense", lambda _: False)
    slow = fisher_diagonals(*given)
    torch.testing.assert_close(fast, slow, rtol=1e-10, atol=1e-14)
    assert float(fast.min()) >= 0
    assert float(fast.max()) > 0


def test_a_convolutional_network_takes_the_elastic_term() -> None:
    config = replace(
        CONFIG,
        model="small-cnn",
        n_rounds=2,
        n_local_steps=2,
        floor="zero",
        client=BOTH_WAYS.format(client="elastic(strength=0.01, n_samples=8)", more=""),
    )
    state, records = played(config)
    assert records[1].bytes_beside_up == 3 * 2 * 4 * len(state.model)
    assert records[1].bytes_up - records[1].bytes_beside_up < records[1].bytes_beside_up / 10
    assert float(state.broadcast["sum_fisher"].max()) > 0


@pytest.mark.parametrize("buffers", ["averaged", "local"])
@pytest.mark.parametrize("anchor", ["end", "start"])
def test_the_information_is_that_of_one_model_running_statistics_and_own_layers_included(
    anchor: str, buffers: str
) -> None:
    client = f"elastic(strength=0.01, labels=data, anchor={anchor})"
    config = replace(
        CONFIG, model="tests.deep.normed:net", buffers=buffers, n_local_steps=9, floor="zero", client=client
    )
    task, seen = make_task(Setup.of(config), CPU), []
    before = first_state(Setup.of(config), task)
    found = play_round(Setup.of(config, make_rule("proportional")), task, before, seen.append)
    assert found is not None
    (local,) = seen
    assert task.population is not None
    present = [task.population.clients[slot] for slot in local.slots]
    vectors, running = local.vectors, local.buffers
    if anchor == "start":
        vectors, running = before.model.expand(3, -1), task.buffers.expand(3, -1)
    expected = fisher_diagonals(task.model, vectors, running, task.pool, present, Fisher("data"), 0, 0)
    if buffers == "local":
        expected[:, norm_mask(task.model)] = 0
    # Models are start + update, rounded to float32 once more.
    torch.testing.assert_close(found[0].broadcast["sum_fisher"], expected.sum(0), rtol=1e-3, atol=1e-6)


def test_a_run_with_waiting_messages_is_resumed(tmp_path: Any) -> None:
    config = replace(CONFIG, client=BOTH_WAYS.format(client="elastic(strength=0.05)", more=""), checkpoint_every=1)
    whole = run(config, make_rule("efl"), out=tmp_path / "whole")
    run(replace(config, n_rounds=3), make_rule("efl"), out=tmp_path / "parts")
    parts = run(config, make_rule("efl"), out=tmp_path / "parts")
    assert torch.equal(whole.model, parts.model)
    assert [r.weights for r in whole.history] == [r.weights for r in parts.history]


def test_the_state_of_both_ways_is_counted() -> None:
    """Residual, base and one number a client; the server's residual."""
    method = Setup.of(replace(CONFIG, client=BOTH_WAYS.format(client="sgd", more="")), make_rule("efl")).method
    assert state_bytes(method, 8, 650, 4) == 4 * (8 * (2 * 650 + 1) + 650)


def test_a_schedule_that_starts_anew_is_the_same_in_both_worlds() -> None:
    config = replace(
        CONFIG, n_rounds=5, lr_decay=0.5, lr_restart=3, dtype="float64", participation="arrival(client=1, at_round=3)"
    )
    assert [config.rate(r) for r in range(5)] == [0.2, 0.1, 0.05, 0.2, 0.1]
    worlds = both_worlds(config, make_rule("efl"))
    assert worlds.models_apart.max() <= 1e-12
    moved = np.abs(np.diff(worlds.models, axis=0)).max(axis=1)
    assert moved[3] > 2 * moved[2]

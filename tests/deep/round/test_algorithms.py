"""Client algorithms and servers in deep runs: equal to the convex world and to plain loops, resumed, refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from deep import run
from deep.config.config import RunConfig
from deep.features import client_of
from deep.metrics import summarise
from deep.round.play_round import first_state, play_round
from deep.runs.estimate import estimate
from deep.runs.worlds import simulate_task
from deep.task.algorithm import judged_rows, plain_traffic, state_bytes, traffic_of
from deep.task.convex import to_theory
from deep.task.setup import Setup
from tests.deep.paired import CONFIG, batch_gradient, convex_run, deep_run, full_gradient, world_of
from tests.deep.resumed import resumed
from tests.theory.algorithms.test_algorithms_loops import JUDGED, SERVER_CASES, SETTINGS, by_share
from tests.theory.plain_loops import CLIENTS, SERVERS, Problem, plain_run
from theory.algorithms import client_entries, make_client, make_server, refusal, server_entries
from theory.messages.log import EMPTY_LOG
from theory.rules import example_of, make_rule, rules

# Rules without signals; those with signals agree in the tests of `deep.runs.worlds`.
RULES = [entry.name for entry in rules() if not example_of(entry.name).signals]


def text(name: str, settings: dict[str, Any]) -> str:
    shown = ", ".join(f"{n}={str(v).lower() if isinstance(v, bool) else v}" for n, v in settings.items())
    return f"{name}({shown})" if shown else name


def composes(rule: str, client: str, server: str) -> bool:
    return not refusal(make_rule(rule), make_client(client), make_server(server))


def agree(config: RunConfig, rule: str) -> None:
    made = make_rule(rule)
    models, weights, _ = deep_run(config, made)
    others, other_weights = convex_run(config, made)
    # Sums of some hundred terms of size one in another order; FedAdam's and its like divide by at most τ or √ε = 1e-3,
    # and step at most lr/τ times as far: here 10 times (1 − β₁).
    server = make_server(config.server)
    loose = max(1.0, 0.1 * server.lr / 1e-3) if "ada" in config.server or "ams" in config.server else 1.0
    np.testing.assert_allclose(models, others, rtol=0, atol=1e-12 * max(1.0, loose))
    np.testing.assert_allclose(weights, other_weights, rtol=0, atol=1e-10)
    # The median of messages that hold one number in a hundred is 0.
    if make_client(config.client).exchanges and (config.client, config.server) != ("compressed", "aggregate"):
        assert np.abs(np.diff(models, axis=0)).max(axis=1).min() > 1e-6


PAIRS = [
    (c.name, s.name) for c, s in product(client_entries(), server_entries()) if composes("proportional", c.name, s.name)
]


@pytest.mark.parametrize(("client", "server"), PAIRS)
def test_convex_and_deep_agree_on_every_client_and_server(client: str, server: str) -> None:
    agree(replace(CONFIG, client=client, server=server), "proportional")


@pytest.mark.parametrize("rule", RULES)
def test_convex_and_deep_agree_on_every_rule(rule: str) -> None:
    """Each rule with a stateful client and a stateful server where they compose, else with what does."""
    client, server = "scaffold(variates=uniform)", "fed-avg-m(beta=0.5)"
    if not composes(rule, client, server):
        server = "rate"
    everyone = {"n_sampled": CONFIG.n_clients} if rule == "fed-avg-full" or "everyone" in rule else {}
    agree(replace(CONFIG, client=client, server=server, **everyone), rule)


@pytest.mark.parametrize("client", ["scaffold", "fed-dyn", "fed-dc", "fed-gate(variates=uniform)", "fed-cm"])
@pytest.mark.parametrize(
    "protocol",
    [
        {"momentum": 0.5, "nesterov": True},
        {"participation": "stragglers(probability=0.6)"},
        {"participation": "departure(client=0, at_round=3)"},
    ],
    ids=["nesterov", "stragglers", "departure"],
)
def test_convex_and_deep_agree_under_the_protocol(client: str, protocol: dict[str, Any]) -> None:
    agree(replace(CONFIG, client=client, **protocol), "proportional")


@pytest.mark.exhaustive
def test_convex_and_deep_agree_on_all_composing_triples() -> None:
    triples = [
        (r, c.name, s.name)
        for r, c, s in product(RULES, client_entries(), server_entries())
        if composes(r, c.name, s.name)
    ]
    config = replace(CONFIG, n_rounds=3, n_local_steps=2)
    for rule, client, server in triples:
        everyone = {"n_sampled": CONFIG.n_clients} if rule == "fed-avg-full" or "everyone" in rule else {}
        agree(replace(config, client=client, server=server, **everyone), rule)
    assert len(triples) > 600


@pytest.mark.parametrize("client", JUDGED)
def test_clients_are_judged_by_their_own_models(client: str) -> None:
    """The models are those of the plain loop, in both worlds; accuracies are theirs, on everybody's and own samples."""
    settings = SETTINGS[client]
    config = replace(CONFIG, client=text(client, settings), client_test=0.2, evaluate_every=1)
    rule, (task, _) = make_rule("proportional"), world_of(config)
    state, seen = first_state(Setup.of(config), task), []
    for _ in range(config.n_rounds):
        done = play_round(Setup.of(config, rule), task, state)
        assert done is not None
        state, record = done
        rows = judged_rows(client_of(config.client), state)
        assert rows is not None
        seen.append(to_theory(rows(list(range(config.n_clients))).numpy(), 64, 10))
    simulated = simulate_task(Setup.of(config, rule), *world_of(config))
    np.testing.assert_allclose(np.stack(seen), simulated.judged, rtol=0, atol=1e-12)
    problem, _, _ = problem_of(config, "proportional")
    plain_run(problem, client, "rate", **settings)
    np.testing.assert_allclose(np.stack(seen), np.asarray(problem.judged), rtol=0, atol=1e-12)
    assert task.population is not None
    everyone = rows(list(range(config.n_clients)))

    def hits(vector: torch.Tensor, inputs: torch.Tensor, targets: torch.Tensor) -> float:
        return float((task.model.logits(vector, inputs).argmax(-1) == targets).double().mean())

    own = [hits(row, task.test.inputs, task.test.targets) for row in everyone]
    assert record.test_accuracy == pytest.approx(np.mean(own), abs=1e-12)
    held = [c for c in task.client_test if c is not None]
    assert len(held) == config.n_clients
    for row, part, found in zip(everyone, held, record.client_test_accuracy, strict=True):
        assert found == pytest.approx(hits(row, task.pool.inputs[part.index], part.targets), abs=1e-12)
    assert record.server_test_accuracy == hits(state.model, task.test.inputs, task.test.targets)
    assert record.judged == make_client(config.client).judges


@pytest.mark.parametrize("trainer", ["in-turn", "together"])
@pytest.mark.parametrize("model", ["softmax-regression", "small-cnn"])
def test_the_chain_that_apfl_sends_is_fed_avgs_bit_for_bit(model: str, trainer: str) -> None:
    config = RunConfig(model=model, trainer=trainer, n_rounds=3, n_local_steps=3, client_test=0.2)
    rule = make_rule("proportional")
    plain, mixed = (run(replace(config, client=client), rule) for client in ("sgd", "apfl(alpha=0.7)"))
    assert torch.equal(plain.model, mixed.model)
    assert plain.history[-1].test_accuracy == mixed.history[-1].server_test_accuracy
    assert plain.history[-1].test_loss != mixed.history[-1].test_loss
    assert (plain.history[-1].judged, plain.history[-1].server_test_accuracy) == ("", None)
    found = summarise(mixed.history)
    assert found.judged == "v̄ₖ = αvₖ + (1 − α)w"
    means = [np.mean([a for a in r.client_test_accuracy if a is not None]) for r in mixed.history]
    assert found.best_client_test_accuracy == pytest.approx(max(means))


def problem_of(config: RunConfig, rule: str) -> tuple[Problem, Any, Any]:
    """A deep run as the plain loops take it, its models in theory's layout, and its records."""
    models, _, records = deep_run(config, make_rule(rule))
    _, federation = world_of(config)
    problem = Problem(
        gradient=lambda k, w, r, s: batch_gradient(config, k, w, r, s),
        full_gradient=lambda k, w: full_gradient(config, k, w),
        share=np.asarray(federation.share),
        steps=[list(record.local_steps) for record in records],
        etas=[config.rate(r) for r in range(config.n_rounds)],
        start=models[0],
        weigh=by_share,
    )
    return problem, models, records


def loop_of(config: RunConfig, client: str, server: str, settings: Any, given: Any) -> tuple[Any, Any]:
    """Models of the deep run, and of the plain loop over the same batches, both in theory's layout."""
    config = replace(config, client=text(client, settings), server=text(server, given))
    problem, models, _ = problem_of(config, "proportional")
    return models, np.stack(plain_run(problem, client, server, **settings, **given))


@pytest.mark.parametrize("client", list(CLIENTS))
def test_clients_equal_the_plain_loops(client: str) -> None:
    settings = {**SETTINGS[client], **({"lam": 3.0} if client == "p-fed-me" else {})}
    models, loop = loop_of(CONFIG, client, "rate", settings, {})
    np.testing.assert_allclose(models, loop, rtol=0, atol=1e-12)


def test_a_learned_mixture_judges_by_the_models_of_the_plain_loop() -> None:
    """Each client's own α, carried over rounds in which it is absent."""
    settings = {"alpha": 0.4, "learned": True}
    config = replace(CONFIG, client=text("apfl", settings))
    problem, models, _ = problem_of(config, "proportional")
    loop = plain_run(problem, "apfl", "rate", **settings)
    np.testing.assert_allclose(models, np.stack(loop), rtol=0, atol=1e-12)
    task, state = world_of(config)[0], first_state(Setup.of(config), world_of(config)[0])
    client = Setup.of(config, make_rule("proportional")).client
    for expected in problem.judged:
        played = play_round(Setup.of(config, make_rule("proportional")), task, state)
        assert played is not None
        state, _ = played
        rows = judged_rows(client, state)
        assert rows is not None
        found = to_theory(rows(list(range(config.n_clients))).numpy(), 64, 10)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert len({round(float(moved), 9) for moved in state.kept["moved"]}) == config.n_clients


def test_option_one_of_scaffold_equals_the_plain_loop() -> None:
    models, loop = loop_of(CONFIG, "scaffold", "rate", {"option": "I"}, {})
    np.testing.assert_allclose(models, loop, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("server", "settings"), SERVER_CASES)
def test_servers_equal_the_plain_loops(server: str, settings: Any) -> None:
    assert server in SERVERS
    models, loop = loop_of(CONFIG, "sgd", server, {}, settings)
    np.testing.assert_allclose(models, loop, rtol=0, atol=1e-11)  # steps of 0.05, divided by at least τ = 1e-3


STATEFUL = [e.name for e in client_entries() if make_client(e.name).keeps or make_client(e.name).broadcasts]


@pytest.mark.parametrize("client", [*STATEFUL, "compressed(client=apfl)", "apfl(alpha=0.3, learned=true)"])
def test_a_run_resumed_is_the_run_undisturbed(client: str, tmp_path: Any) -> None:
    config = RunConfig(n_rounds=6, client=client, checkpoint_every=2)
    if client in ("scaffold", "fed-cm"):
        config = replace(config, server="fed-adam(lr=0.01, bias_correction=true)")
    rule = make_rule("proportional")
    whole = run(config, rule, out=tmp_path / "whole")
    parts = resumed(config, rule, tmp_path / "parts", after=3)
    assert torch.equal(whole.model, parts.model)
    assert (tmp_path / "whole" / "metrics.jsonl").read_bytes() == (tmp_path / "parts" / "metrics.jsonl").read_bytes()


@pytest.mark.parametrize("client", [c.name for c in client_entries() if make_client(c.name).keeps])
def test_a_deep_run_drops_the_row_of_a_client_that_left(client: str) -> None:
    """Client 0 leaves at round 2: what it kept is begun anew from then on; what an absent client keeps stays."""
    config = replace(CONFIG, client=client, n_sampled=6, participation="departure(client=0, at_round=2)")
    task, _ = world_of(config)
    state, rule = first_state(Setup.of(config), task), make_rule("proportional")
    begins = make_client(client).begins
    for r in range(4):
        before, played = state.model, play_round(Setup.of(config, rule), task, state)
        assert played is not None
        state, record = played
        assert record.present[0] == (r < 2)
        for name, rows in state.kept.items():
            begun = before if name in begins else torch.zeros_like(before)
            assert bool((rows[0] != begun).any()) == (r < 2)
            assert bool((rows[1:] != 0).any(dim=1).all())
    away = replace(config, participation="given-steps(steps=[[4, 4, 4, 4, 4, 4], [0, 4, 4, 4, 4, 4]])")
    state = first_state(Setup.of(away), task)
    for _ in range(2):
        played = play_round(Setup.of(away, rule), task, state)
        assert played is not None
        state, record = played
    assert record.share[0] > 0
    assert all(bool((rows[0] != 0).any()) for rows in state.kept.values())


@pytest.mark.parametrize(
    ("onto", "last", "remembered"),
    [
        ("fed-aware", 1, 10 * 90 + 100),
        ("with-clusters(rule=min-norm, n_clusters=2)", 0, 2 * 610),
        ("fed-aware", 0, 10 * 610 + 100),
    ],
)
def test_aware_reports_memory_and_angle_and_resumes(onto: str, last: int, remembered: int, tmp_path: Any) -> None:
    """Of an MLP of 64-8-10, whose last layer has 90 of 610 entries; by rows, 100 inner products are kept beside."""
    server = f"aware(server=fed-avg-m, onto={onto}, last_layers={last}, watch=fed-aware)"
    config = RunConfig(
        model="mlp(hidden=[8])", n_rounds=5, n_sampled=10, n_local_steps=2, server=server, checkpoint_every=1
    )
    rule = make_rule("proportional")
    whole = run(config, rule, out=tmp_path / "whole")
    for record in whole.history:
        assert record.reported["aware_memory"] == remembered
        assert record.reported["watched_memory"] == 10 * 610 + (100 if onto == "fed-aware" else 0)
        full = onto == "fed-aware" and last == 0
        assert (record.reported["aware_angle"] < 1e-4) == full
        assert record.reported["aware_angle"] < 90

    class StopError(Exception):
        pass

    def stop(record: Any) -> None:
        if record.round == 2:
            raise StopError

    with pytest.raises(StopError):
        run(config, rule, out=tmp_path / "parts", on_round=stop)
    assert torch.equal(run(config, rule, out=tmp_path / "parts").model, whole.model)


def test_what_a_deep_run_refuses() -> None:
    fresh = replace(CONFIG, cohort="imbalanced(n_clients=5)", client="scaffold", floor="zero")
    with pytest.raises(ValueError, match="Scaffold keeps variate of each client, and clients are resampled"):
        run(fresh, make_rule("proportional"))
    with pytest.raises(ValueError, match="two rates"):
        run(replace(CONFIG, server="fed-adam", server_lr=0.5), make_rule("proportional"))
    with pytest.raises(ValueError, match="own server step"):
        run(replace(CONFIG, server="fed-adam", client="fed-dyn"), make_rule("proportional"))
    with pytest.raises(ValueError, match="unknown client"):
        RunConfig(client="scafold")
    assert Setup.of(replace(CONFIG, server_lr=0.5)).server == make_server("rate", lr=0.5)


def test_fresh_cohorts_take_clients_that_keep_nothing() -> None:
    config = RunConfig(
        cohort="imbalanced(n_clients=5, size=50)", n_rounds=2, client="fed-cm(alpha=0.5)", n_local_steps=2
    )
    assert run(config, make_rule("proportional")).status == "completed"


def test_state_and_traffic_are_counted() -> None:
    config = RunConfig(n_rounds=1, client="scaffold")
    method = Setup.of(config, make_rule("proportional")).method
    n_parameters = 650
    assert state_bytes(method, 10, n_parameters, 4) == 4 * n_parameters * 11
    assert estimate(config, make_rule("proportional")).memory["state"] == 4 * n_parameters * 11
    plain, more = (
        run(replace(config, client=client), make_rule("proportional")).history[0] for client in ("sgd", "scaffold")
    )
    assert (more.bytes_up, more.bytes_down) == (2 * plain.bytes_up, 2 * plain.bytes_down)
    sent = run(replace(config, client="compressed(client=scaffold, keep_fraction=0.02)"), make_rule("proportional"))
    record, n_present = sent.history[0], sum(sent.history[0].present)
    # One float, how many entries, and 13 of 650, each with ten bits of index and a sign: 185 bits; variates stay dense.
    assert record.bytes_up == n_present * (24 + 4 * n_parameters)
    assert record.bytes_beside_up == n_present * 4 * n_parameters
    assert record.bytes_down == more.bytes_down


@pytest.mark.parametrize("name", [entry.name for entry in client_entries()])
def test_messages_that_are_sent_as_they_are_are_counted_without_them(name: str) -> None:
    client, m, dim, n_buffers = make_client(name), 3, 50, 7
    found = plain_traffic(client, m, dim, n_buffers, 4)
    if name in {"byzantine", "compressed"}:
        assert found is None
        return
    rows: Any = torch.ones(m, dim)
    heard, sent = client.heard_bits({}, EMPTY_LOG, rows, 32), client.sent_bits(rows, 32)
    assert found == traffic_of(client, heard, sent, dim, n_buffers, 4)
    assert (found.up > 0) == client.exchanges

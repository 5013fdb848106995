"""Rule × client × server: what composes is one run in theory's simulator and in the deep engine, to rounding.

The usual test plays every client with every other server, and every rule, the three turning past each other.
`pytest -m exhaustive tests/deep/runs/test_composed_worlds.py` plays every triple. Where it is blind: what both worlds
call (rules, corrections, servers, laws of the cohort) is wrong in both alike; that is for the plain loops of
`tests/theory/plain_loops.py` and the formulas of `tests/theory/rules/test_rules_formulas.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from deep.config.config import RunConfig
from deep.features import client_of, server_of
from deep.runs.worlds import federation_of, simulate_task
from deep.task.reference import floor_of, reference_for
from deep.task.setup import Setup
from deep.task.task import Task, make_task
from deep.task.wanted import SIGNALS
from tests.deep.paired import played
from theory.algorithms import client_entries, refusal, server_entries
from theory.federations.empirical import LogisticFederation
from theory.rules import RULES, make_rule

CONFIG = RunConfig(
    n_clients=4, partition="dirichlet(beta=1, min_size=8)", n_rounds=3, n_local_steps=3, batch_size=6, local_lr=0.3,
    lr_decay=0.9, l2=0.05, dtype="float64", floor="solved", evaluate_every=100, n_target_samples=6, losses="all",
    seed=2, participation="stragglers(probability=0.5, of=uniform(n_sampled=3))",
)  # fmt: skip
EVERYONE: dict[str, Any] = {"participation": "", "n_sampled": 4}
WANT_EVERYONE = {"everyone", "fed-avg-full"}
RULE_WORDS = {
    "fed-ssa": "fed-ssa(n_steps=3)",
    "fed-ssa-sgd": "fed-ssa-sgd(epochs=1)",
    "fed-ssa-warm": "fed-ssa-warm(rule=fed-ssa(n_steps=3))",
    "switch": "switch(first=fed-soft-better(temperature=1), then=proportional, at_round=1)",
}
CLIENTS = (
    "sgd", "fed-prox(mu=0.5)", "scaffold(variates=uniform)", "scaffold(option=I)", "fed-dyn(alpha=1)",
    "fed-dc(alpha=0.5, variates=rule)", "fed-gate", "vrl-sgd", "fed-cm(alpha=0.3)", "fed-for(alpha=0.5)",
    "apfl(learned=true)", "p-fed-me(lam=2)", "local-only", "elastic(strength=0.1)",
    "elastic(strength=0.1, labels=data, summed=all, normalised=true)",
    "byzantine(client=scaffold, attack=little-is-enough, count=1)",
    "compressed(client=scaffold(variates=rule), keep_fraction=0.2)",
    "compressed(client=fed-dyn(alpha=1), keep_fraction=0.3, down_fraction=0.3, server_add=delta, base_of_absent=stale)",
    "compressed(client=elastic(strength=0.1, anchor=start), keep_fraction=0.3, down_fraction=0.3, downlink=full)",
)  # fmt: skip
SERVERS = (
    "rate(lr=0.7)", "fed-avg-m(beta=0.6, nesterov=true, lr=0.5)", "fed-avg-m(beta=0.6)", "fed-exp",
    "fed-adam(lr=0.05, bias_correction=true)", "fed-yogi(lr=0.05)", "fed-ams(lr=0.05)", "aware",
    "aware(server=fed-adam(lr=0.05))", "rate", "aggregate(by=trimmed-mean(f=1))",
    "aggregate(by=centred-clipping(radius=0.1))",
)  # fmt: skip
# An adaptive server's first step is ±lr in nearly every entry: which of them are sent would be for rounding to say.
ADAPTIVE = ("fed-adam", "fed-yogi", "fed-ams")


def test_all_are_named() -> None:
    assert {e.name for e in client_entries()} == {text.partition("(")[0] for text in CLIENTS}
    assert {e.name for e in server_entries()} == {text.partition("(")[0] for text in SERVERS}


@cache
def composes(rule: str, client: str, server: str) -> bool:
    if "down_fraction" in client and any(name in server for name in ADAPTIVE):
        return False
    return not refusal(make_rule(rule), client_of(client), server_of(server))


def rules() -> list[str]:
    return [RULE_WORDS.get(entry.name, entry.name) for entry in RULES]


def turning() -> Iterator[tuple[str, str, str]]:
    """Every client with every other server, and every rule: each time the next rule that goes with the two."""
    waiting = rules()
    for i, client in enumerate(CLIENTS):
        fitting = [server for server in SERVERS if any(composes(rule, client, server) for rule in waiting)]
        for server in fitting[i % 2 if len(fitting) > 1 else 0 :: 2]:
            rule = next(rule for rule in waiting if composes(rule, client, server))
            waiting.remove(rule)
            waiting.append(rule)
            yield rule, client, server


@cache
def world(full: bool) -> tuple[Task, LogisticFederation]:
    config = replace(CONFIG, **EVERYONE) if full else CONFIG
    task = make_task(Setup.of(config), torch.device("cpu"), None, frozenset(SIGNALS))
    reference = reference_for(config, task, None)
    return replace(task, floor=floor_of(config, reference)), federation_of(config, task, reference)


def apart(rule: str, client: str, server: str) -> tuple[float, float, float]:
    """How far models and weights are apart at most, and how far a round moved the model at most."""
    config = replace(CONFIG, client=client, server=server, **(EVERYONE if rule in WANT_EVERYONE else {}))
    made = make_rule(rule)
    Setup.of(config, made)
    task, federation = world(rule in WANT_EVERYONE)
    deep, weights, _ = played(config, made, task, 64)
    convex = simulate_task(Setup.of(config, made), task, federation)
    off = np.abs(deep - np.asarray(convex.models)).max() / max(1.0, np.abs(deep).max())
    return (
        float(off),
        float(np.abs(weights - np.asarray(convex.weights)).max()),
        float(np.abs(np.diff(deep, axis=0)).max()),
    )


def check(triple: tuple[str, str, str]) -> None:
    models, weights, moved = apart(*triple)
    # Some hundred float64 operations; weights of softmaxes and of learned rules stretch them.
    assert models < 1e-12, (triple, models)
    assert weights < 1e-11, (triple, weights)
    assert (moved > 1e-4) == (triple[1] != "local-only"), triple


def test_every_client_server_and_rule_is_one_run_in_both_worlds() -> None:
    chosen = list(turning())
    assert {rule for rule, _, _ in chosen} == set(rules())
    assert {client for _, client, _ in chosen} == set(CLIENTS)
    assert {server for _, _, server in chosen} == set(SERVERS)
    for triple in chosen:
        check(triple)


@pytest.mark.parametrize("rule", ["inverse-variance", "similarity", "confidence", "fed-ssa(n_steps=3)"])
@pytest.mark.parametrize("client", [text for text in CLIENTS if "down_fraction" in text])
def test_signals_are_of_the_models_that_clients_came_to_from_bases_of_their_own(rule: str, client: str) -> None:
    check((rule, client, "rate"))


def test_another_method_in_one_world_is_seen() -> None:
    """What the comparison is for: a run of one world with its own words against the other with a changed one."""
    task, federation = world(False)
    config = replace(CONFIG, client="scaffold", server="fed-avg-m(beta=0.6)")
    deep, _, _ = played(config, make_rule("proportional"), task, 64)
    changes: tuple[dict[str, Any], ...] = (
        {"server": "fed-avg-m(beta=0.6, nesterov=true)"},
        {"client": "scaffold(option=I)"},
        {"momentum": 0.1},
    )
    for change in changes:
        convex = simulate_task(Setup.of(replace(config, **change), make_rule("proportional")), task, federation)
        assert np.abs(deep - np.asarray(convex.models)).max() > 1e-3


@pytest.mark.exhaustive
def test_every_triple_is_one_run_in_both_worlds() -> None:
    for triple in product(rules(), CLIENTS, SERVERS):
        if composes(*triple):
            check(triple)

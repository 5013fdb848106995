"""The composition table, client × rule × server × ×AWARE: what composes runs two rounds on digits, all else says why.

In a covering set every two of a client, a rule and a server that compose with something meet once. It runs at night,
and a sixth of it, which the commit chooses, with the usual tests.
`pytest -m exhaustive -s tests/deep/runs/test_composition.py` runs every triple, and prints how many and how long.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from deep.config.config import RunConfig
from deep.features import client_of, feature_entries, server_of
from deep.round.play_round import first_state, play_round
from deep.task.setup import Setup
from deep.task.task import Task, make_task
from deep.task.wanted import SIGNALS
from tests.turns import share
from theory.algorithms import client_entries, refusal, server_entries
from theory.rules import make_rule, rules

# A network small enough for thousands of runs; 100 rounds are planned, so that none of the two is evaluated.
CONFIG = RunConfig(
    model="mlp(hidden=[4])",
    n_clients=4,
    n_sampled=3,
    partition="dirichlet(beta=1, min_size=8)",
    n_rounds=100,
    n_local_steps=1,
    batch_size=4,
    floor="zero",
    evaluate_every=100,
    n_target_samples=4,
)
EVERYONE = {"everyone", "fed-avg-full"}
# Settings under which an example does something within two rounds, or which a tiny run takes a shorter time with.
RULES = {
    "fed-ssa": "fed-ssa(n_steps=3)",
    "fed-ssa-sgd": "fed-ssa-sgd(epochs=1)",
    "fed-ssa-warm": "fed-ssa-warm(rule=fed-ssa(n_steps=3))",
    "switch": "switch(first=fed-soft-better(temperature=1), then=proportional, at_round=1)",
}
CLIENTS = {"compressed": "compressed(client=scaffold, keep_fraction=0.1)"}


def rule_names() -> list[str]:
    return [entry.name for entry in rules()]


def client_names() -> list[str]:
    return [e.name for e in (*client_entries(), *feature_entries()) if e.kind == "client"]


def server_names() -> list[str]:
    """Every server, and ×AWARE over every other one of theory's."""
    alone = [e.name for e in (*server_entries(), *feature_entries()) if e.kind == "server"]
    return [*alone, *(f"aware(server={e.name})" for e in server_entries() if e.name not in {"aware", "rate"})]


@cache
def a_rule(name: str) -> Any:
    return make_rule(RULES.get(name, name))


@cache
def a_client(name: str) -> Any:
    return client_of(CLIENTS.get(name, name))


@cache
def a_server(name: str) -> Any:
    return server_of(name)


@cache
def reason(rule: str, client: str, server: str) -> str:
    return refusal(a_rule(rule), a_client(client), a_server(server))


def triples() -> Iterator[tuple[str, str, str]]:
    """Those that compose."""
    for found in product(rule_names(), client_names(), server_names()):
        if not reason(*found):
            yield found


def covering() -> list[tuple[str, str, str]]:
    """Triples in which every two parts that are in some triple meet, chosen one after the other for what they add."""
    left = {pair for triple in triples() for pair in _pairs(triple)}
    chosen = []
    servers = server_names()
    for i, rule in enumerate(rule_names()):
        for j, client in enumerate(client_names()):
            turned = servers[(i + j) % len(servers) :] + servers[: (i + j) % len(servers)]
            fitting = [(rule, client, server) for server in turned if not reason(rule, client, server)]
            if fitting:
                best = max(fitting, key=lambda triple: len(_pairs(triple) & left))
                if _pairs(best) & left:
                    chosen.append(best)
                    left -= _pairs(best)
    for triple in triples():
        if _pairs(triple) & left:
            chosen.append(triple)
            left -= _pairs(triple)
    return chosen


def _pairs(triple: tuple[str, str, str]) -> set[tuple[str, str, str]]:
    rule, client, server = triple
    return {(rule, client, ""), (rule, "", server), ("", client, server)}


@cache
def the_task(n_sampled: int) -> Task:
    return make_task(Setup.of(replace(CONFIG, n_sampled=n_sampled)), torch.device("cpu"), None, frozenset(SIGNALS))


def play(rule: str, client: str, server: str) -> None:
    """Two rounds, of which every number is finite and every check of the engine is met."""
    config = replace(CONFIG, client=CLIENTS.get(client, client), server=server)
    if rule in EVERYONE:
        config = replace(config, n_sampled=CONFIG.n_clients)
    task, made = the_task(config.n_sampled), a_rule(rule)
    Setup.of(config, made)
    state = first_state(Setup.of(config), task)
    for _ in range(2):
        done = play_round(Setup.of(config, made), task, state)
        assert done is not None, (rule, client, server)
        state, record = done
    assert bool(state.model.isfinite().all())
    assert np.isfinite(record.weights).all()
    assert bool((state.model != task.start).any()) == (client != "local-only")


@pytest.mark.parametrize("of", [pytest.param(6, id="a sixth"), pytest.param(1, id="all", marks=pytest.mark.nightly)])
def test_every_pair_that_composes_runs_two_rounds(of: int) -> None:
    chosen = covering()
    assert {r for r, _, _ in chosen} == set(rule_names())
    assert {c for _, c, _ in chosen} == set(client_names())
    assert {s for _, _, s in chosen} == set(server_names())
    now = share(map(" · ".join, chosen), of)
    for triple in chosen:
        if " · ".join(triple) in now:
            play(*triple)
    assert len(chosen) < 900  # rules times clients, and what that leaves


@pytest.mark.exhaustive
def test_every_triple_that_composes_runs_two_rounds() -> None:
    begun, spent = time.perf_counter(), time.process_time()
    count = 0
    for triple in triples():
        play(*triple)
        count += 1
    print(f"{count} triples, {time.perf_counter() - begun:.0f} s, {time.process_time() - spent:.0f} s of processor")
    assert count > 5000


def test_what_is_refused_says_why_and_what_is_expected() -> None:
    found: dict[str, set[tuple[str, str]]] = {}
    for rule, client, server in product(rule_names(), client_names(), server_names()):
        why = reason(rule, client, server)
        if why:
            found.setdefault(why, set()).add((client, server))
    for why in found:
        assert len(why) > 30
        assert "expected" in why or "fedaware §5" in why or "derived for" in why
    config = replace(CONFIG, client="fed-dyn", server="aware")
    with pytest.raises(ValueError, match="excluding FedDyn, which does not follow the global gradient descent rule"):
        Setup.of(config, a_rule("proportional"))

"""A covering set of rules, clients and servers on Fashion-MNIST with 20 clients: theory's simulator and the deep run.

Every rule of the registry, every pair of client and server that composes, and five protocols. Takes some ten
minutes and the data's files: `FEDVERDICT_DATA=FOLDER pytest -m exhaustive -s tests/deep/runs/test_fashion_triples.py`
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from deep.config.config import RunConfig
from deep.runs.worlds import federation_of, simulate_task
from deep.storage.record import RoundRecord
from deep.task.reference import Reference, floor_of, solved_reference
from deep.task.setup import Setup
from deep.task.task import Task, make_task
from deep.task.wanted import SIGNALS
from tests.deep.paired import played
from theory.algorithms import client_entries, make_client, make_server, refusal, server_entries
from theory.federations.empirical import LogisticFederation
from theory.rules import RULES, make_rule

Floats = NDArray[np.float64]
ROOT = os.environ.get("FEDVERDICT_DATA")
CONFIG = RunConfig(
    dataset="fashion-mnist", split="official", n_clients=20, n_sampled=8, partition="dirichlet(beta=1, min_size=300)",
    n_rounds=3, n_local_steps=5, batch_size=50, local_lr=0.1, lr_decay=0.9, l2=0.01, floor="solved", evaluate_every=100,
    n_target_samples=30, losses="all",
)  # fmt: skip
PROTOCOLS: dict[str, dict[str, Any]] = {
    "partial": {},
    "stragglers": {"participation": "stragglers(probability=0.5, of=uniform(n_sampled=8))"},
    "bernoulli and momentum": {"participation": "bernoulli(probability=0.4)", "momentum": 0.8},
    "epochs and Nesterov": {
        "n_local_steps": 0, "n_local_epochs": 1, "batch_size": 250, "momentum": 0.5, "nesterov": True, "local_lr": 0.02,
    },
    "departure": {"participation": "departure(client=3, at_round=1)"},
}  # fmt: skip
EVERYONE = {"everyone", "fed-avg-full"}
SETTINGS = {"compressed": "compressed(client=scaffold, keep_fraction=0.0001)"}  # one entry: its margin is no accident
OWN_STEP = {"apfl", "fed-for", "local-only", "p-fed-me"}  # local steps that say themselves what their momentum is
RULE_SETTINGS = {"fed-ssa": "fed-ssa(n_steps=20)"}  # a hundred steps of descent stretch a rounding to 2e-6
ALLOWED = {"float64": 1e-12, "float32": 1e-6}
# Of weights. FedMGDA+'s follow updates brought to length one, and those of pFedMe, ηλ(w − θ), are differences of near
# models: in float32 1.6e-6 of their length is rounding (2.8e-8 of the model, of a step of 0.017).
WEIGHTS_TIMES = {("fed-mgda-plus", "float32"): 4.0}

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(
        not ROOT or not (Path(ROOT) / "fashion-mnist").is_dir(), reason="FEDVERDICT_DATA has no fashion-mnist"
    ),
]


def triples() -> Iterator[tuple[str, str, str, str]]:
    """Protocol, rule, client and server: each composing pair of the last two once, rules and protocols in turn."""
    left, laws = [entry.name for entry in RULES], cycle(PROTOCOLS)
    for client, server in product((e.name for e in client_entries()), (e.name for e in server_entries())):
        client = SETTINGS.get(client, client)
        fitting = [rule for rule in left if not refusal(make_rule(rule), make_client(client), make_server(server))]
        if fitting:
            rule = fitting[0]
            left = [name for name in left if name != rule] or [entry.name for entry in RULES]
            law = "everyone" if rule in EVERYONE else next(laws)
            if "momentum" in PROTOCOLS.get(law, {}) and client in OWN_STEP:
                law = "stragglers"
            yield law, rule, client, server


def loosened(server: str) -> float:
    """max(1, (1 − β₁)η_g/τ), what an adaptive server multiplies a difference of updates by."""
    made = make_server(server)
    inner = getattr(made, "server", made)
    if not hasattr(inner, "beta1"):
        return 1.0
    least = getattr(inner, "tau", None) or inner.epsilon**0.5
    return max(1.0, (1 - inner.beta1) * inner.lr / least)


def margin(rule: str, records: list[RoundRecord]) -> float:
    """How far an argmax is from changing, and the weights of an active set from 0; inf for other rules."""
    least = np.inf
    for record in records:
        weights, here = np.asarray(record.weights), np.asarray(record.present)
        excess = np.asarray(record.loss_before) - np.asarray(record.loss_best)
        if rule in {"fed-worse", "fed-better"}:
            taken, score = weights[here] > 0, -excess[here] if rule == "fed-better" else excess[here]
            least = min(least, score[taken].min() - score[~taken].max())
        if "aware" in rule or rule in {"min-norm", "project", "afl"}:
            least = min(least, np.abs(weights[weights != 0]).min())
    return float(least)


@cache
def reference() -> Reference:
    return solved_reference(replace(CONFIG, dtype="float64"), base_task("float64"))


@cache
def base_task(dtype: str) -> Task:
    return make_task(Setup.of(replace(CONFIG, dtype=dtype)), torch.device("cpu"), ROOT, SIGNALS)


@cache
def base_federation() -> LogisticFederation:
    return federation_of(CONFIG, base_task("float64"), reference())


def world_of(config: RunConfig) -> tuple[Task, LogisticFederation]:
    """The task of `config`, which differs from the base in its local steps and its floor alone."""
    task = base_task(config.dtype)
    assert task.population is not None
    sizes = [len(client) for client in task.population.clients]
    b = config.batch_size
    planned = np.array([config.n_local_steps or config.n_local_epochs * -(-n // b) for n in sizes])
    population = replace(task.population, planned=planned)
    return replace(task, population=population, floor=floor_of(config, reference())), base_federation()


def test_convex_is_deep_on_fashion_mnist_for_a_covering_set() -> None:
    covered, worst = list(triples()), {"float64": 0.0, "float32": 0.0}
    assert {rule for _, rule, _, _ in covered} == {entry.name for entry in RULES}
    assert len(covered) >= 40
    failures = []
    for law, name, client, server in covered:
        change = {"n_sampled": 20} if law == "everyone" else PROTOCOLS[law]
        config = replace(CONFIG, client=client, server=server, **change)
        rule = make_rule(RULE_SETTINGS.get(name, name))
        config64 = replace(config, dtype="float64")
        convex = simulate_task(Setup.of(config64, rule), *world_of(config64))
        loose = loosened(server)
        for dtype, allowed in ALLOWED.items():
            typed = replace(config, dtype=dtype)
            models, weights, records = played(typed, rule, world_of(typed)[0], 784)
            off, weights_off = np.abs(models - convex.models).max(), np.abs(weights - convex.weights).max()
            moved, kept = np.abs(np.diff(models, axis=0)).max(axis=1).min(), margin(name, records)
            worst[dtype] = max(worst[dtype], off / loose)
            print(
                f"{dtype} {law}: {name} x {client} x {server}: models {off:.1e}, weights {weights_off:.1e},"
                f" allowed {allowed * loose:.1e}, moved {moved:.1e}, margin {kept:.1e}",
                flush=True,
            )
            near = max(off, weights_off / WEIGHTS_TIMES.get((name, dtype), 1.0)) <= allowed * loose
            if not (near and (moved > 1e-6 or client == "local-only") and kept > 1e-6):
                failures.append((dtype, law, name, client, server, off, weights_off, kept))
    print(f"{len(covered)} triples; largest difference over what is allowed to grow: {worst}")
    assert not failures, failures

"""One softmax regression in both worlds: the rounds of a config in theory's simulator and as a deep run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deep.config.config import RunConfig
from deep.features import Refining
from deep.models import SoftmaxRegression
from deep.round.normalisation import broadcast_accuracy
from deep.round.play_round import first_state, play_round
from deep.round.seen import signals_of
from deep.runs.planned import planned_rates, recorded
from deep.storage.record import RoundRecord
from deep.task.convex import Floats, client_data, to_deep, to_theory
from deep.task.reference import Reference, floor_of, reference_for, solved_reference
from deep.task.setup import Setup
from deep.task.task import DTYPES, Task, make_task
from theory.algorithms import Method
from theory.base.arrays import to_host
from theory.federations.empirical import LogisticFederation
from theory.noise.minibatch import EpochNoise, MinibatchNoise
from theory.participation.sampling import Participation, Plan, RoundContext
from theory.rules.protocol import AnyRule
from theory.simulate import RoundSeen, Trajectory, simulate

__all__ = [
    "Worlds",
    "both_worlds",
    "check_convex",
    "federation_of",
    "simulate_task",
    "unsolved_federation",
]


@dataclass(frozen=True, eq=False)
class Worlds:
    """The same rounds twice: `convex` by theory's simulator, `records` and `models` of the deep run.

    `models`: w at the start of each round and after the last, in theory's layout, (n_rounds + 1, dim).
    `federation`: the task as theory sees it, with the floors and the optimum of the reference.
    """

    federation: LogisticFederation
    convex: Trajectory
    models: Floats
    records: tuple[RoundRecord, ...]

    @property
    def models_apart(self) -> Floats:
        """max |difference| of the two models, (n_rounds + 1,)."""
        return np.asarray(np.abs(self.models - self.convex.models).max(axis=-1))

    @property
    def weights_apart(self) -> Floats:
        """max |difference| of the two weights over clients, (n_rounds,)."""
        weights = np.asarray([record.weights for record in self.records])
        return np.asarray(np.abs(weights - self.convex.weights).max(axis=-1))


def both_worlds(
    config: RunConfig,
    rule: AnyRule,
    *,
    data_root: Path | str | None = None,
    references: Path | str | None = None,
) -> Worlds:
    """`rule` on the task of `config` in theory's simulator, in float64, and as a deep run in the config's precision.

    Data, cohorts, batches, start and floors are the same. Raises `ValueError` for what theory has no form of: another
    model than softmax regression, clients made anew, images that are moved, losses that are not all measured, a floor
    of earlier rounds; and for a deep run that diverges.
    """
    setup = Setup.of(config, rule)
    check_convex("both_worlds", setup)
    task = make_task(setup, torch.device("cpu"), data_root)
    reference = reference_for(replace(config, floor="solved"), task, references)
    assert reference is not None  # a solved floor has one
    task = replace(task, floor=floor_of(config, reference))
    state, records, models = first_state(setup, task), [], [task.start]
    for _ in range(config.n_rounds):
        played = play_round(setup, task, state)
        if played is None:
            raise ValueError(f"both_worlds({rule!r}): the deep run diverged in round {state.round}; lower local_lr")
        state, record = played
        records.append(record)
        models.append(state.model)
    deep = torch.stack(models).double().numpy()
    n_outputs, n_features = task.model.layers[0].shapes[0]
    federation = federation_of(config, task, reference)
    if config.floor_kind == "zero":
        federation = replace(federation, floor=np.zeros(federation.n_clients))
    convex = simulate_task(setup, task, federation)
    return Worlds(federation, convex, to_theory(deep, n_features, n_outputs), tuple(records))


def federation_of(config: RunConfig, task: Task, reference: Reference | None = None) -> LogisticFederation:
    """The clients of a softmax-regression task as theory's federation, its optima those of the reference.

    Without a reference they are solved. Samples stand in each client's own order, padded to the largest client, so that
    positions mean the same in both worlds. Raises `ValueError` for another model, and as `solved_reference`.
    """
    draft = unsolved_federation(config, task)
    known = reference or solved_reference(config, task)
    n_outputs, n_features = task.model.layers[0].shapes[0]
    return replace(
        draft,
        floor=known.client_losses,
        local_optima=to_theory(known.client_models, n_features, n_outputs),
        global_optimum=to_theory(known.model, n_features, n_outputs) if known.model.size else draft.global_optimum,
    )


def unsolved_federation(config: RunConfig, task: Task) -> LogisticFederation:
    """The same before anything is solved: floors and optima are NaN."""
    if not isinstance(task.model, SoftmaxRegression) or task.population is None:
        raise ValueError(f"federation_of(model={config.model!r}): expected softmax-regression and a fixed population")
    n_outputs, n_features = task.model.layers[0].shapes[0]
    clients = task.population.clients
    size = max(map(len, clients))
    features = np.zeros((len(clients), size, n_features + 1))
    targets, mask = np.zeros((len(clients), size, n_outputs)), np.zeros((len(clients), size))
    for k, client in enumerate(clients):
        X, y = client_data(task.pool, client)
        features[k, : len(X)], mask[k, : len(X)] = X, 1.0
        targets[k, np.arange(len(X)), y.astype(np.int64)] = 1.0
    nowhere = np.full((len(clients), (n_features + 1) * n_outputs), np.nan)
    return LogisticFederation(
        features=features,
        targets=targets,
        mask=mask,
        l2=config.l2,
        share=task.population.share.cpu().numpy(),
        floor=nowhere[:, 0],
        local_optima=nowhere,
        global_optimum=nowhere[0],
    )


def simulate_task(
    setup: Setup, task: Task, federation: LogisticFederation, law: Participation | None = None
) -> Trajectory:
    """The rounds of `setup` in theory's simulator, in float64, from the task's start; what rules read is given to
    them.

    Batches, cohorts and steps are those of the deep run: the same functions of the same seeds. `law`: in place of the
    config's law of the cohort under its seed.
    """
    config, method, own = setup.config, setup.method, law or setup.law
    assert isinstance(task.model, SoftmaxRegression)
    assert task.population is not None
    assert own is not None  # where the population is fixed
    n_outputs, n_features = task.model.layers[0].shapes[0]
    planned = tuple(task.population.planned.tolist())
    n_local_steps = max(planned)
    rounds = planned_rates(config, n_local_steps)
    sampling = MinibatchNoise if config.n_local_steps else EpochNoise
    plain = method == Method(setup.rule)

    def signals(seen: RoundSeen) -> Mapping[str, Any]:
        return _signals(setup, task, seen, n_features, n_outputs)

    return simulate(
        federation,
        setup.rule,
        start=to_theory(task.start.double().numpy(), n_features, n_outputs),
        step_sizes=rounds,
        n_local_steps=n_local_steps,
        noise=sampling(federation, config.batch_size),
        participation=law or _Seeded(own, config.seed_of("cohort")),
        seed=config.seed_of("training"),
        momentum=setup.momentum,
        planned_steps=planned,
        signals=signals if setup.signals else None,
        client=None if plain else method.client,
        server=None if plain else method.server,
        record=recorded(method.client),
    )


@dataclass(frozen=True)
class _Seeded:
    """A law of the cohort with a seed of its own."""

    law: Participation
    seed: int

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """The plan under that seed."""
        return self.law.plan(self.seed, round_index, shape, context)


def _signals(
    setup: Setup, task: Task, seen: RoundSeen, n_features: int, n_outputs: int
) -> dict[str, NDArray[np.float64]]:
    """What the deep run measures, at the simulator's models."""
    assert task.population is not None
    config, dtype = setup.config, DTYPES[setup.config.dtype]

    def deep(weights: Floats) -> Tensor:
        return torch.from_numpy(to_deep(weights, n_features, n_outputs)).to(dtype)

    model, slots = to_host(seen.model), np.flatnonzero(to_host(seen.present)).tolist()
    bases = np.broadcast_to(to_host(seen.starts), seen.updates.shape)[slots]
    vectors = deep(bases + seen.updates[slots])
    nothing = vectors.new_zeros(len(slots), 0)
    state = replace(first_state(setup, task), round=seen.round, model=deep(model))
    found = signals_of(
        task,
        setup.signals,
        starts=(deep(bases), nothing),
        ends=(vectors, nothing),
        slots=slots,
        everyone=task.population.clients,
        accuracy=lambda: broadcast_accuracy(config, task, state),
        seed=config.seed_of("training"),
        round_index=seen.round,
        step_size=config.rate(seen.round),
    )
    return {name: value.numpy() for name, value in found.items()}


def check_convex(call: str, setup: Setup) -> None:
    """`ValueError` of `call` for a run that theory's simulator has no form of."""
    config = setup.config
    refused = {
        "cohort": config.cohort if not config.fixed_population else "",
        "local_work": config.local_work,
        "augment": config.augment if config.augment != "none" else "",
        "losses": config.losses if config.losses not in {"auto", "all"} else "",
        "products": config.products if config.products != "full" else "",
        "compiled": config.compiled,
        "optimizer": config.optimizer,
        "floor": config.floor if config.floor_kind not in {"solved", "zero"} else "",
    }
    for name, value in refused.items():
        if value:
            raise ValueError(f"{call}({name}={value!r}): theory's simulator has no such run")
    if config.model.partition("(")[0].strip() != "softmax-regression":
        raise ValueError(f"{call}(model={config.model!r}): expected softmax-regression")
    if isinstance(setup.server, Refining):
        raise ValueError(f"{call}(server={config.server!r}): theory's simulator has no such run")

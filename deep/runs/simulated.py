"""A run of theory's simulator that leaves what a deep run leaves: the same records, tables and folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from deep.base.floor import Floor
from deep.base.lazy import is_installed, torch
from deep.config.config import RunConfig
from deep.config.families import Quadratics, check_family
from deep.runs.identity import run_files, run_identity
from deep.runs.outcome import write_outcome
from deep.runs.planned import planned_rates, recorded
from deep.storage.folder import open_folder
from deep.storage.record import DeepRun, Json, RoundRecord, Status, describe_rule, provenance
from deep.task.algorithm import Traffic, traffic_of
from deep.task.evaluated import Evaluated
from deep.task.setup import Setup
from deep.task.wanted import HANDED
from theory.algorithms import Client
from theory.federations.federation import Federation
from theory.noise.laws import SphereNoise
from theory.participation.sampling import Participation, Plan, RoundContext
from theory.rules.protocol import AnyRule
from theory.simulate import Trajectory, simulate
from theory.simulate.handed import handed

if TYPE_CHECKING:
    from torch import Tensor

    from deep.data import AnyParts
    from deep.storage.checkpoint import ServerState
    from deep.task.task import Task

__all__ = ["Watched", "simulated"]

Floats = NDArray[np.float64]
FAMILY_SIGNALS = frozenset({"gradient_variance", "optimum_gradients"})  # σₖ² and ∇Fₖ(w*), which a family knows
_CPU = "cpu"
_BYTES = 8  # of a float64
_NOTHING = Evaluated(None, None)


@dataclass(frozen=True)
class Watched:
    """A law of the cohort under a seed of its own, which keeps its plans and when they were asked for."""

    law: Participation
    seed: int
    plans: list[Plan] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """The law's plan under the own seed."""
        self.times.append(perf_counter())
        self.plans.append(self.law.plan(self.seed, round_index, shape, context))
        return self.plans[-1]

    def steps(self, planned: Sequence[int]) -> NDArray[np.int64]:
        """Local steps finished, (n_rounds, n_clients), of those `planned`."""
        given = [np.asarray(planned) if plan.steps is None else plan.steps for plan in self.plans]
        return np.asarray([np.where(p.present, steps, 0) for p, steps in zip(self.plans, given, strict=True)])


@dataclass(frozen=True, eq=False)
class _World:
    """What is simulated. `task`: None for a family. `planned`: local steps of each client."""

    federation: Federation
    floor: Floor
    planned: tuple[int, ...]
    task: Task | None
    play: Callable[[Watched], Trajectory]


def simulated(
    config: RunConfig,
    rule: AnyRule,
    *,
    family: Quadratics | None = None,
    out: Path | str | None = None,
    data_root: Path | str | None = None,
    references: Path | str | None = None,
    parts: AnyParts | None = None,
    check_only: bool = False,
) -> DeepRun | None:
    """The rounds of `config` in theory's simulator, in float64; None with `check_only`, which stops before the rounds.

    Without `family`: softmax regression on the data set of the config, with the batches, cohorts, steps and floors that
    `deep.run` has, so that its records are those of that run to rounding. With one, its federation of
    `config.n_clients` clients, of the data seed; it has no test samples, and what needs some is None.
    `parts`: the data set of the config, where it was read before (`read_parts`).
    `out`: the folder, as `deep.run` leaves it but for checkpoints: a simulation called again begins anew, to the same
    numbers. Of what a deep run sends only sizes are counted, in float64.

    Raises `ValueError` for what theory has no form of (`deep.runs.worlds.both_worlds`), what a family does not read, a
    rule that reads signals a family does not know, and a folder that belongs to another run.
    """
    setup = Setup.of(config, rule)
    world = _of_task(setup, data_root, references, parts) if family is None else _of_family(setup, family)
    if check_only:
        return None
    origin = {**provenance(config, _CPU), "world": "theory.simulate", "family": "" if family is None else repr(family)}
    if out is None:
        return _played(setup, world, origin)
    identity = {**run_identity(setup, _CPU), "device": origin["world"], "family": origin["family"]}
    details: Json = (
        {} if world.task is None else {"note": world.task.note, "partition_counts": world.task.partition_counts}
    )
    with open_folder(Path(out), identity, origin, details) as folder:
        result = _played(setup, world, folder.provenance)
        for name, text in run_files(config, rule, world.task).items():
            folder.put(name, text)
        folder = folder.begun_anew()
        for record in result.history:
            folder = folder.append(record)
        folder = folder.written()
        folder.finish(result)
        write_outcome(result, folder.path)
    return result


def _of_task(
    setup: Setup,
    data_root: Path | str | None,
    references: Path | str | None,
    parts: AnyParts | None,
) -> _World:
    from deep.runs.worlds import check_convex, federation_of, simulate_task, unsolved_federation
    from deep.task.reference import floor_of, reference_for
    from deep.task.task import make_task

    check_convex("simulate", setup)
    config, task = setup.config, make_task(setup, torch.device(_CPU), data_root, parts=parts)
    reference = reference_for(config, task, references)
    floor = floor_of(config, reference)
    task = replace(task, floor=floor)
    assert task.population is not None
    federation = unsolved_federation(config, task) if reference is None else federation_of(config, task, reference)
    if config.floor_kind == "zero":
        federation = replace(federation, floor=np.zeros(federation.n_clients))

    def play(law: Watched) -> Trajectory:
        return simulate_task(setup, task, federation, law)

    return _World(federation, floor, tuple(task.population.planned.tolist()), task, play)


def _of_family(setup: Setup, family: Quadratics) -> _World:
    config, rule, method = setup.config, setup.rule, setup.method
    check_family(config)
    unknown = sorted(setup.signals - {HANDED, *FAMILY_SIGNALS})
    if unknown:
        raise ValueError(
            f"simulate(family={family!r}, rule={rule!r}): the rule reads {', '.join(unknown)},"
            " which a family has not; name a data set in place of the family"
        )
    federation = family.drawn(config.n_clients, config.seed_of("data"))
    best = federation.losses(np.broadcast_to(federation.optimum(), federation.centers.shape))
    floor = Floor(
        "solved", "Fₖ* and w* in closed form", tuple(map(float, np.asarray(federation.floor))), tuple(best.tolist())
    )
    n_local, sigma = config.n_local_steps, family.sigma(config.n_clients)
    at_optimum = np.broadcast_to(federation.optimum(), federation.centers.shape)
    rates = planned_rates(config, n_local)
    signals = handed(
        rates,
        n_local,
        gradient_variance=np.square(sigma),
        optimum_gradients=np.asarray(federation.gradients(at_optimum)),
    )

    def play(law: Watched) -> Trajectory:
        return simulate(
            federation,
            rule,
            start=np.full(federation.dim, float(family.start)),
            step_sizes=rates,
            n_local_steps=n_local,
            noise=SphereNoise(sigma) if any(sigma) else None,
            participation=law,
            seed=config.seed_of("training"),
            momentum=setup.momentum,
            client=method.client,
            server=method.server,
            record=recorded(method.client),
            signals=signals if setup.signals else None,
        )

    return _World(federation, floor, (n_local,) * config.n_clients, None, play)


def _played(setup: Setup, world: _World, origin: dict[str, object]) -> DeepRun:
    config, client = setup.config, setup.client
    assert setup.law is not None  # a family's population is fixed, and so is that of a task theory has a form of
    law = Watched(setup.law, config.seed_of("cohort"))
    with np.errstate(over="ignore", invalid="ignore"):  # what diverges is said by the status
        run = world.play(law)
    law.times.append(perf_counter())
    n_played = _sound_rounds(config, run)
    status: Status = "completed" if n_played == config.n_rounds else "diverged"
    steps = law.steps(world.planned)
    history = tuple(_record(setup, world, law, run, r, steps[r].tolist(), client) for r in range(n_played))
    name, settings = describe_rule(setup.rule)
    models = np.asarray(run.models) if world.task is None else _deep(world.task, run.models)
    return DeepRun(
        config=config,
        rule=name,
        rule_settings=settings,
        partition_counts=[] if world.task is None else world.task.partition_counts,
        history=history,
        status=status,
        floor=world.floor,
        model=_as_kept(models[n_played].copy()),
        buffers=_as_kept(np.zeros(0, dtype=np.float32)),
        provenance=origin,
    )


def _as_kept(values: NDArray[Any]) -> Tensor:
    """A tensor, or without torch the array itself."""
    return torch.from_numpy(values) if is_installed() else cast("Tensor", values)


def _sound_rounds(config: RunConfig, run: Trajectory) -> int:
    """Rounds before the first in which something was not finite."""
    with np.errstate(over="ignore"):
        parts = (run.loss_before, run.loss_after, (run.updates**2).sum(axis=-1))
    finite = np.logical_and.reduce([np.isfinite(part).all(axis=-1) for part in parts])
    lost = int(run.diverged) if int(run.diverged) >= 0 else config.n_rounds
    return min(lost, config.n_rounds if finite.all() else int(np.argmin(finite)))


def _record(
    setup: Setup,
    world: _World,
    law: Watched,
    run: Trajectory,
    r: int,
    steps: list[int],
    client: Client,
) -> RoundRecord:
    """Round r of the trajectory as a deep run would have it, from its finished steps and its client algorithm."""
    present, share = np.asarray(run.present[r]), np.asarray(run.share[r])
    before, after = np.asarray(run.loss_before[r]), np.asarray(run.loss_after[r])
    updates = np.asarray(run.updates[r])[present]
    found, accuracy = _judged(setup, world, run, r)
    clients = range(len(share)) if world.task is None else _numbers(world.task)
    traffic = _traffic(client, run, r, present, world.federation.dim)
    seconds = law.times[r + 1] - law.times[r]
    return RoundRecord(
        round=r,
        clients=list(clients),
        kinds=[""] * len(share) if world.task is None else _kinds(world.task),
        share=share.tolist(),
        present=present.tolist(),
        weights=np.asarray(run.weights[r]).tolist(),
        local_steps=steps,
        loss_before=before.tolist(),
        loss_after=np.where(present, after, before).tolist(),
        loss_best=np.asarray(world.federation.floor).tolist(),
        client_accuracy=accuracy,
        gram=(updates @ updates.T).tolist(),
        train_loss=float(share @ before),
        validation_loss=None if found.validation is None else found.validation.loss,
        validation_accuracy=None if found.validation is None else found.validation.accuracy,
        test_loss=None if found.test is None else found.test.loss,
        test_accuracy=None if found.test is None else found.test.accuracy,
        group_accuracy={} if found.test is None else found.test.group_accuracy,
        update_norm=float(np.linalg.norm(run.models[r + 1] - run.models[r])),
        bytes_down=traffic.down,
        bytes_up=traffic.up,
        bytes_beside_down=traffic.beside_down,
        bytes_beside_up=traffic.beside_up,
        seconds=seconds,
        seconds_of={"simulation": seconds},
        planned_steps=list(world.planned),
        effective_steps=setup.momentum.effective_steps(steps).tolist(),
        target_loss={} if found.test is None else found.test.target_loss,
        target_accuracy={} if found.test is None else found.test.target_accuracy,
        client_test_loss=found.client_loss,
        client_test_accuracy=found.client_accuracy,
        judged=found.judged,
        server_test_accuracy=found.server_accuracy,
    )


def _traffic(client: Client, run: Trajectory, r: int, present: NDArray[np.bool_], dim: int) -> Traffic:
    """Bytes of round r; a run of plain SGD, which records none, sends model and update whole."""
    if run.bits_up is None:
        whole = np.full(int(present.sum()), 8 * _BYTES * dim, dtype=np.int64)
        return traffic_of(client, whole, whole, dim, 0, _BYTES)
    beside_down, beside_up = (8 * _BYTES * dim * n for n in client.traffic)
    down, up = np.asarray(run.bits_down[r])[present], np.asarray(run.bits_up[r])[present]
    return traffic_of(client, down - beside_down, up - beside_up, dim, 0, _BYTES)


def _judged(setup: Setup, world: _World, run: Trajectory, r: int) -> tuple[Evaluated, list[float | None]]:
    """What the server's samples say of the model after round r, and accuracies of the clients before it."""
    task = world.task
    if task is None:
        return _NOTHING, [None] * len(world.planned)
    from deep.round.normalisation import evaluate
    from deep.round.play_round import first_state
    from deep.task.evaluation import client_scores

    assert task.population is not None
    dtype = task.start.dtype
    before, after = (torch.from_numpy(row).to(dtype) for row in _deep(task, run.models[r : r + 2]))
    state: ServerState = replace(first_state(setup, task), round=r + 1, model=after)
    _, right = client_scores(task.model, before, state.buffers, task.pool, task.population.clients)
    if run.judged is None:
        return evaluate(setup, task, state), right
    own = torch.from_numpy(_deep(task, run.judged[r])).to(dtype)
    return evaluate(setup, task, state, lambda slots: own[slots]), right


def _deep(task: Task, models: Floats) -> Floats:
    from deep.task.convex import to_deep

    n_outputs, n_features = task.model.layers[0].shapes[0]
    return to_deep(np.asarray(models), n_features, n_outputs)


def _numbers(task: Task) -> list[int]:
    assert task.population is not None
    return [client.number for client in task.population.clients]


def _kinds(task: Task) -> list[str]:
    assert task.population is not None
    return [client.kind for client in task.population.clients]

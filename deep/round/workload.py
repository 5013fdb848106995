"""What a round asks for, counted: steps, samples and bytes; nothing is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass

from torch import Tensor

from deep.aware_memory.rows import BLOCK, ENTRIES, Incremental, reads_rows
from deep.base.memory import check_fits
from deep.config.config import RunConfig
from deep.round.combined import GRAM_COLUMNS
from deep.task.cohort import Cohort
from deep.task.evaluation import Sampled
from deep.task.rule_checks import losses_of, reads_loss_after
from deep.task.setup import Setup
from deep.task.task import DTYPES, Task, round_cohort
from deep.task.weighted_first import trained_share
from theory.algorithms.server import Server
from theory.algorithms.servers.aware import Aware
from theory.rules import WithClusters, WithMemory
from theory.rules.protocol import needs_of, remembers

__all__ = ["Work", "check_memory", "data_bytes", "maps_rows", "number_bytes", "rows_read", "vector_bytes", "work_of"]

_DOUBLE = 8  # bytes; sums are float64
MAPPED_FROM = 1 << 28  # bytes of remembered updates from which they are kept in a file


@dataclass(frozen=True)
class Work:
    """Of one round, expected over cohorts: local `steps`, all clients together, and the samples they have `trained` on.

    `losses`: samples at which losses are measured; `own_losses`: clients whose own model is measured; `evaluated`:
    samples of the server, in a round with an evaluation.
    """

    steps: float
    trained: float
    losses: float
    own_losses: float
    evaluated: int


def work_of(setup: Setup, task: Task, cohort: Cohort) -> Work:
    """Every client of a population is present equally often; clients made anew are those of `cohort`, all present."""
    config, rule = setup.config, setup.rule
    sizes = [len(client) for client in cohort.clients]
    chance = len(cohort.slots) / len(sizes)
    batches = [min(config.batch_size, n) for n in sizes]
    steps: list[int] = cohort.planned.tolist()
    if config.n_local_steps:
        trained = [config.n_local_steps * batch for batch in batches]
    else:
        trained = [config.n_local_epochs * n for n in sizes]
    held, whose = sum(sizes), losses_of(config, rule, len(task.pool))
    after = reads_loss_after(config, rule, len(task.pool), task.floor)
    losses = {"all": held, "present": chance * held, "none": 0.0}[whose] + after * chance * held
    models = 1 if config.buffers == "averaged" else len(sizes)  # with FedBN every client's model is evaluated
    own_losses = after * len(cohort.slots)
    if config.buffers == "local":  # before training, too
        own_losses += {"all": len(sizes), "present": len(cohort.slots), "none": 0}[whose]
    evaluated = models * sum(len(part) for part in (task.validation, task.test) if part is not None)
    some = chance * trained_share(config, rule, len(sizes), len(cohort.slots))
    return Work(some * sum(steps), some * sum(trained), losses, own_losses, evaluated)


def number_bytes(config: RunConfig) -> int:
    """Bytes of one parameter in the run's precision."""
    return DTYPES[config.dtype].itemsize


def data_bytes(task: Task) -> int:
    """All samples with their targets, and who holds which."""
    held = [task.pool.inputs, task.targets, *_tensors(task.validation), *_tensors(task.test)]
    if task.target_inputs is not None:
        held.append(task.target_inputs)
    if task.population is not None:
        held += [tensor for client in task.population.clients for tensor in (client.index, client.targets)]
    return sum(tensor.nbytes for tensor in held)


def check_memory(setup: Setup, task: Task) -> None:
    """`ValueError` where data and vectors of a round take more memory than the device has, whatever else needs some."""
    layers = [layer.size for layer in task.model.layers]
    vectors = vector_bytes(setup, round_cohort(setup, task, 0), len(task.start), task.buffers.numel(), layers)
    what = f"model {setup.config.model!r} of {len(task.start):,} parameters: a round"
    check_fits(what, data_bytes(task) + sum(vectors.values()), task.start.device)


def _tensors(samples: Sampled | None) -> list[Tensor]:
    if samples is None:
        return []
    return [t for t in (samples.inputs, samples.targets, samples.weight, samples.group) if t is not None]


def vector_bytes(
    setup: Setup,
    cohort: Cohort,
    n_parameters: int,
    n_buffers: int,
    layers: Sequence[int] = (),
) -> dict[str, int]:
    """Vectors of a round, by part, in a model with so many parameters a layer; see
    `deep.round.play_round.play_round`.
    """
    n, m = len(cohort.clients), len(cohort.slots)
    config, rule, method = setup.config, setup.rule, setup.rowwise
    size = number_bytes(config)
    needs = needs_of(rule)
    reads = (needs is None or "updates" in needs) and not reads_rows(method.rule)
    server_reads = "updates" in method.server.needs and not reads_rows(method.server)
    seen = min(n, m * config.n_rounds)
    rows = n * n_parameters if reads or server_reads or (remembers(rule) and not reads_rows(method.rule)) else 0
    return {
        "model": 2 * size * (n_parameters + n_buffers),  # the broadcast one and the next
        "updates": size * m * (2 * n_parameters + n_buffers),
        "momentum": size * m * n_parameters * (config.momentum > 0),
        "rule": size * rows + 2 * _DOUBLE * rows * (reads or server_reads),
        "remembered": _remembered(
            method.rule, n, 0 if maps_rows_of(config, method.rule, n, n_parameters) else n_parameters, size, seen
        )
        + _projected(method.server, n, n_parameters, layers, size),
        "minimum norm": _solved(method.rule, seen, n_parameters, size),
        "server": _DOUBLE * (m * min(n_parameters, GRAM_COLUMNS) + 3 * n_parameters),
        "clients": 0 if config.buffers == "averaged" else size * n * (n_parameters + n_buffers),
    }


def _projected(server: Server, n_clients: int, n_parameters: int, layers: Sequence[int], size: int) -> int:
    """Bytes that ×AWARE remembers: what it projects on, of the last layers alone if asked, and what it watches."""
    if not isinstance(server, Aware):
        return 0
    kept = sum(layers[-server.last_layers :]) if server.last_layers else n_parameters
    watched = 0 if server.watch is None else _remembered(server.watch, n_clients, n_parameters, size)
    return _remembered(server.onto, n_clients, kept, size) + watched


def maps_rows(setup: Setup, task: Task) -> bool:
    """Whether what the rule remembers lies in a file of the run's folder (`deep.aware_memory.mapped_file`): where it
    may be much.
    """
    if task.population is None or task.start.device.type != "cpu":
        return False
    return maps_rows_of(setup.config, setup.rowwise.rule, len(task.population.clients), len(task.start))


def maps_rows_of(config: RunConfig, rule: object, n_clients: int, n_parameters: int) -> bool:
    """The same of a rule as `Setup.rowwise` has it."""
    return isinstance(rule, Incremental) and number_bytes(config) * n_clients * n_parameters >= MAPPED_FROM


def _solved(rule: object, seen: int, dim: int, size: int) -> int:
    """Bytes beside what is remembered while weights are found: the solver's copies of the Gram matrix, scaled, factored
    and what is factored, and a block of rows with its part in float64.
    """
    if not isinstance(rule, Incremental):
        return 0
    block = min(BLOCK, seen) * dim
    return 3 * _DOUBLE * seen**2 + size * block + 2 * _DOUBLE * min(ENTRIES, block)


def rows_read(setup: Setup, n_clients: int, n_present: int) -> float:
    """Remembered vectors that all rounds together go through, expected; 0 for a rule that keeps none by rows.

    After t rounds n·(1 − (1 − m/n)ᵗ) clients were seen.
    """
    if not isinstance(setup.rowwise.rule, Incremental):
        return 0.0
    missed = 1 - n_present / n_clients
    return sum(n_clients * (1 - missed**t) for t in range(1, setup.config.n_rounds + 1))


def _remembered(rule: object, n_clients: int, dim: int, size: int, seen: int | None = None) -> int:
    """Bytes of the vectors of `dim` numbers that a rule, or one inside it, keeps once `seen` clients were, or all.

    By rows, the Gram matrix is beside them, in float64; while a round goes, so is the one before.
    """
    if isinstance(rule, Incremental):
        known = n_clients if seen is None else seen
        return size * known * dim + 2 * _DOUBLE * known**2
    own = n_clients if isinstance(rule, WithMemory) else rule.n_clusters if isinstance(rule, WithClusters) else 0
    inside = [getattr(rule, f.name) for f in fields(rule)] if is_dataclass(rule) else []
    return size * own * dim + sum(_remembered(part, n_clients, dim, size) for part in inside if is_dataclass(part))

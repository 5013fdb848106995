"""What a run would take, before it starts: everything checked that a run checks, a step timed, nothing trained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from shutil import copy
from statistics import median
from tempfile import TemporaryDirectory

import torch
from rich.table import Table
from torch import Tensor

from deep.aware_memory.rows import HeldRows, Remembered, inner_products
from deep.base.device import usable_device
from deep.base.memory import resident_bytes
from deep.base.probe import Probe, probe
from deep.config.config import RunConfig
from deep.data.catalogue import AnyParts
from deep.local import LocalBatches, draw_batches, trainer_for
from deep.models import cost
from deep.round.first_steps import check_cohorts, check_first_steps
from deep.round.normalisation import starts
from deep.round.play_round import first_state
from deep.round.workload import check_memory, data_bytes, number_bytes, rows_read, vector_bytes, work_of
from deep.runs.identity import run_identity
from deep.storage.checkpoint import ServerState
from deep.storage.folder import FILES, open_folder
from deep.storage.record import Json, describe_rule
from deep.task.algorithm import state_bytes
from deep.task.cohort import Cohort
from deep.task.evaluation import AT_ONCE, Sampled, own_scores, score
from deep.task.rule_checks import losses_of
from deep.task.setup import Setup, setup_on
from deep.task.task import Task, make_task, round_cohort
from theory.rules.protocol import MemoryRule, Rule

RECORD = 830  # bytes of a slot and round, measured: 185 while rounds are played, the rest while tables are made
_ROWS = 64  # remembered vectors that are timed

__all__ = ["Estimate", "check_folder", "estimate", "estimate_table"]


@dataclass(frozen=True)
class Estimate:
    """What a run would take; counts of work are expected values where clients of several sizes are drawn.

    `samples` by part. `n_clients` slots, `n_present` of them in a round; `client_samples`: "min", "median" and "max".
    Clients made anew every round are those of the first. `local_steps` of a round, all clients together.
    `flops` of a round with an evaluation, by part: two per multiply-add in matrix products and convolutions
    (`deep.models.cost`), a step of training three times a forward pass.
    `memory` in bytes, by part: "data" of all samples; "model" with its statistics; "updates": models of the clients
    present and their differences to the broadcast one; "momentum": their velocities; "rule": rows of all slots that
    rules on updates see, and their float64 copies; "remembered": what a rule and ×AWARE keep of every client from round
    to round (moving averages, clusters, inner products) in memory, "minimum norm": what its solver takes beside;
    "server": float64 sums; "clients": what FedBN keeps and evaluates; "state": what a client algorithm keeps of every
    client and broadcasts;
    "activations": the measured peak of a local step of everyone present, or of an evaluation; "records": of all rounds,
    and the tables made of them at the end; "program": what the process holds before, libraries above all (0 where there
    is no /proc). Their sum is more than is needed at any one time, but counts no signals.
    `seconds` of the whole run by part: the seconds `measured` on this machine times how often they are needed; what no
    round asks for is not measured and counts 0.
    "aggregation" counts FedAWARE's memory by rows; other aggregation, signals, cohorts and files come on top.
    """

    dataset: str
    model: str
    rule: str
    device: str
    note: str
    samples: dict[str, int]
    n_clients: int
    n_present: int
    client_samples: dict[str, float]
    n_parameters: int
    n_buffers: int
    model_bytes: int
    n_rounds: int
    n_evaluations: int
    local_steps: float
    flops: dict[str, int]
    memory: dict[str, int]
    measured: dict[str, float]
    seconds: dict[str, float]

    @property
    def total_memory(self) -> int:
        """Bytes, all parts together."""
        return sum(self.memory.values())

    @property
    def total_seconds(self) -> float:
        """Seconds of the whole run, all parts together."""
        return sum(self.seconds.values())

    def to_dict(self) -> Json:
        """Ready for `json.dumps`, with the totals."""
        return {**asdict(self), "total_memory": self.total_memory, "total_seconds": self.total_seconds}


def estimate(
    config: RunConfig,
    rule: Rule | MemoryRule,
    *,
    out: Path | str | None = None,
    device: str | torch.device = "cpu",
    data_root: Path | str | None = None,
    parts: AnyParts | None = None,
) -> Estimate:
    """What `deep.run` with the same arguments would take; nothing is written, and no step of the run is made.

    `parts`: the data set, where it was read before.

    Raises `ValueError` for all that `deep.run` refuses before its first round, in the same words, and for a cohort of a
    later round that cannot be drawn (`check_cohorts`).
    """
    where, program = usable_device(device), resident_bytes()
    setup = setup_on(config, rule, where, kept=out is not None)
    task = make_task(setup, where, data_root, parts=parts)
    check_memory(setup, task)
    check_first_steps(setup, task)
    check_cohorts(setup, task)
    first = first_state(setup, task)
    if out is not None:
        check_folder(Path(out), setup, first)
    cohort = round_cohort(setup, task, 0)
    work = work_of(setup, task, cohort)
    size = cost(task.model)
    found = _measured(setup, task, cohort, own=work.own_losses > 0)
    per_row = _seconds_of_row(task, len(cohort.slots)) if rows_read(setup, 1, 1) else 0.0
    per_step, per_client = found.step.seconds / len(cohort.slots), found.per_client
    n_evaluations = ceil(config.n_rounds / config.evaluate_every)
    read = losses_of(config, rule, len(task.pool), task.floor, evaluated=False)
    n_measured = n_evaluations if read == "none" else config.n_rounds
    flops = {"training": 3 * work.trained, "losses": work.losses, "evaluation": work.evaluated}
    sizes = [len(client) for client in cohort.clients]
    return Estimate(
        dataset=config.dataset,
        model=config.model,
        rule=describe_rule(rule)[0],
        device=str(where),
        note=task.note,
        samples={
            "training": len(task.pool),
            "validation": 0 if task.validation is None else len(task.validation),
            "test": len(task.test),
        },
        n_clients=len(sizes),
        n_present=len(cohort.slots),
        client_samples={"min": min(sizes), "median": median(sizes), "max": max(sizes)},
        n_parameters=size.n_parameters,
        n_buffers=size.n_buffers,
        model_bytes=number_bytes(config) * (size.n_parameters + size.n_buffers),
        n_rounds=config.n_rounds,
        n_evaluations=n_evaluations,
        local_steps=work.steps,
        flops={name: round(samples * size.flops) for name, samples in flops.items()},
        memory={
            "data": data_bytes(task),
            **vector_bytes(
                setup, cohort, size.n_parameters, size.n_buffers, [layer.size for layer in task.model.layers]
            ),
            "state": state_bytes(setup.method, len(cohort.clients), size.n_parameters, number_bytes(config)),
            "activations": max(found.step.peak_bytes - found.returned_bytes, found.evaluation.peak_bytes),
            "records": RECORD * len(sizes) * config.n_rounds,
            "program": program,
        },
        measured={
            "local step of all present": found.step.seconds,
            "evaluation of a sample": found.per_sample,
            "own losses of a client beyond its samples": per_client,
        },
        seconds={
            "training": config.n_rounds * work.steps * per_step,
            "losses": n_measured * (work.losses * found.per_sample + work.own_losses * per_client),
            "evaluation": n_evaluations * work.evaluated * found.per_sample,
            "aggregation": per_row * rows_read(setup, len(sizes), len(cohort.slots)),
        },
    )


def _seconds_of_row(task: Task, n_present: int) -> float:
    """What a remembered vector takes of a round by rows: its inner products with those present, its part of the sum."""
    values = task.start.new_ones(n_present, len(task.start))
    rows = HeldRows().put(range(_ROWS), task.start.new_ones(_ROWS, len(task.start)))
    weights = torch.full((_ROWS,), 1 / _ROWS, dtype=torch.float64, device=task.start.device)
    held = Remembered(rows, torch.arange(_ROWS, device=weights.device), torch.zeros(0, 0), len(task.start))
    found = probe(lambda: (inner_products(rows, values), held.combined(weights)), task.start.device)
    return found.seconds / _ROWS


@dataclass(frozen=True)
class _Measured:
    """A local step of everyone present (and the bytes of what it returns), and evaluations of one sample and client.

    `per_sample`: seconds of a sample among many; `per_client`: what a client's own losses take beyond its samples.
    """

    step: Probe
    returned_bytes: int
    evaluation: Probe
    per_sample: float
    per_client: float


def _measured(setup: Setup, task: Task, cohort: Cohort, *, own: bool) -> _Measured:
    """By the trainer of the run, from the initial model; what comes out is thrown away. `own`: losses of own models."""
    config, device = setup.config, task.start.device
    clients = [cohort.clients[slot] for slot in cohort.slots]
    at = starts(config, task, first_state(setup, task), cohort.slots)
    plans = [draw_batches(setup, 0, client.number, len(client)) for client in clients]  # one step of each is timed
    trainer = trainer_for(config.trainer, task.model, device, clients, plans, compiled=config.compiled)
    single = [LocalBatches(plan.index[:1], plan.count[:1]) for plan in plans]
    part = max(task.validation or task.test, task.test, key=len)
    part = Sampled(part.inputs[:AT_ONCE], part.targets[:AT_ONCE])

    def step() -> tuple[Tensor, Tensor]:
        found: tuple[Tensor, Tensor] = trainer(
            task.model,
            at.vectors,
            at.buffers,
            task.pool,
            clients,
            single,
            config.local_lr,
            config.l2,
            setup.momentum,
        )
        return found

    returned_bytes = sum(tensor.nbytes for tensor in step())
    evaluation = probe(lambda: score(task.model, task.start, task.buffers, part), device)
    per_sample, per_client = evaluation.seconds / len(part), 0.0
    if own:
        scored = probe(lambda: own_scores(task.model, at.vectors, at.buffers, task.pool, clients), device)
        per_client = max(0.0, (scored.seconds - per_sample * sum(map(len, clients))) / len(clients))
    return _Measured(probe(step, device), returned_bytes, evaluation, per_sample, per_client)


def check_folder(out: Path, setup: Setup, first: ServerState) -> None:
    """`ValueError` where `deep.run` could not begin or go on in the folder `out`; tried on a copy of its files.

    `first`: the state before the first round. Whether another run is in the folder just now is not asked.
    """
    identity = run_identity(setup, first.model.device)
    with TemporaryDirectory() as temporary:
        for file in reversed(("run.json", *FILES)):  # the checkpoint before the lines it counts on
            if (out / file).is_file():
                copy(out / file, temporary)
        try:
            with open_folder(Path(temporary), identity, {}, {}) as folder:
                folder.resume(first)
        except ValueError as error:
            raise ValueError(str(error).replace(temporary, str(out))) from error


def estimate_table(estimated: Estimate) -> Table:
    """The estimate for people to read."""
    e = estimated
    table = Table("", "estimate", "", box=None, pad_edge=False, show_header=False)
    sizes = "{min:,} / {median:,g} / {max:,} samples (min, median, max)".format(**e.client_samples)
    samples = ", ".join(f"{n:,} {part}" for part, n in e.samples.items())
    table.add_row("data", e.dataset, samples)
    if e.note:
        table.add_row("", "", e.note)
    table.add_row("clients", f"{e.n_present} of {e.n_clients} a round", sizes)
    table.add_row("model", e.model, f"{e.n_parameters:,} parameters, {_bytes(e.model_bytes)}")
    table.add_row("rule", e.rule, "")
    table.add_row(
        "local steps", f"{e.local_steps:,.6g} a round", f"{e.n_rounds:,} rounds, {e.n_evaluations:,} evaluated"
    )
    table.add_row("FLOPs", f"≈ {sum(e.flops.values()):.3g} a round", _parts(e.flops, lambda v: f"{v:.3g}"))
    table.add_row("memory", f"≈ {_bytes(e.total_memory)}", _parts(e.memory, _bytes))
    table.add_row("time", f"≈ {_seconds(e.total_seconds)} on {e.device}", _parts(e.seconds, _seconds))
    return table


def _parts(parts: dict[str, int] | dict[str, float], shown: Callable[[float], str]) -> str:
    return ", ".join(f"{name} {shown(value)}" for name, value in parts.items() if value)


def _bytes(value: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:,.1f} GiB"


def _seconds(value: float) -> str:
    if value < 120:
        return f"{value:.2g} s"
    return f"{value / 60:.0f} min" if value < 7200 else f"{value / 3600:.1f} h"

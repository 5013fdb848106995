"""One run of a column: the values of every quantity at the start of each round, and the last model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from deep import DeepRun, RunConfig
from deep.data import AnyParts, read_parts
from deep.metrics import ROUND_QUANTITIES, Quantity, rounds_of
from deep.metrics import round_quantities as measured
from deep.models import sample_losses
from deep.runs.fleet import Member, run_fleet
from deep.runs.simulated import simulated
from deep.runs.worlds import federation_of
from deep.task.convex import to_theory
from deep.task.reference import reference_for
from deep.task.setup import Setup
from deep.task.task import Task, make_task
from theory.federations.empirical import LogisticFederation
from theory.rules.protocol import AnyRule
from validation.transfer.bounds import bound, known
from validation.transfer.controls import Objective, OracleWeights, Permuted
from validation.transfer.setting import Setting

__all__ = ["MEASURED", "Data", "Job", "Played", "apart", "bound_of", "short_steps", "solved", "trained"]

_CPU = torch.device("cpu")
_KEYS = ("gamma_minus_omega", "excess_at_model", "skew_at_model", "chi_square", "update_diversity")
MEASURED: tuple[Quantity, ...] = tuple(q for key in _KEYS for q in ROUND_QUANTITIES if q.key == key)
Values = list[float | None]


@dataclass(frozen=True)
class Job:
    """A run: rule, seed, β, and "permuted" weights of the rule or "oracle" weights in its place."""

    rule: str
    seed: int
    beta: float
    control: str = ""


@dataclass(frozen=True)
class Played:
    """`series[key]` per round, None where unknown; `floor` in words; `run` with weights and model, None if read back.

    Keys: "loss" F(w), "gap" F(w) − F* where F* is solved, "worst" the largest Fₖ(w), "accuracy" on test samples, and
    those of `MEASURED`. A run that diverged has None from there on.
    """

    series: dict[str, Values]
    floor: str
    run: DeepRun | None = None


@dataclass(frozen=True, eq=False)
class Data:
    """The data set of a setting, read once, and where references of tasks are kept."""

    parts: AnyParts
    root: Path | str | None
    references: Path | str | None

    @classmethod
    def of(cls, setting: Setting, root: Path | str | None, references: Path | str | None) -> Data:
        """Read."""
        return cls(read_parts(setting.dataset, root), root, references)

    def task(self, config: RunConfig) -> Task:
        """The task of a run whose rule reads no signals."""
        return make_task(Setup.of(config), _CPU, self.root, parts=self.parts)


def solved(setting: Setting, text: str, seed: int, beta: float, data: Data) -> Played:
    """A rule in theory's simulator."""
    return _simulated(setting.config("solved", seed, beta), setting.rule(text, seed), data)


def _simulated(config: RunConfig, rule: AnyRule, data: Data) -> Played:
    result = simulated(config, rule, data_root=data.root, references=data.references, parts=data.parts)
    assert result is not None  # None is for check_only
    return Played(_series(result, config), result.floor.says, result)


def trained(setting: Setting, column: str, jobs: Sequence[Job], data: Data, every: int = 1) -> list[Played]:
    """Runs of column "engine" or "network", round by round in one process: equal tasks share all but the rule.

    Test samples are evaluated `every` so many rounds, and after the last.
    """
    members = []
    for job in jobs:
        config = replace(setting.config(column, job.seed, job.beta), evaluate_every=every)
        rule: AnyRule = setting.rule(job.rule, job.seed)
        if job.control == "permuted":
            rule = Permuted(setting.rule(job.rule, job.seed), job.seed)
        if job.control == "oracle":
            task = data.task(config)
            rule = OracleWeights(_objective(config, task), task.start.double().numpy())
        members.append(Member(config, rule))
    results = run_fleet(members, data_root=data.root, references=data.references)
    return [Played(_series(r, m.config), r.floor.says, r) for r, m in zip(results, members, strict=True)]


def _series(result: DeepRun, config: RunConfig) -> dict[str, Values]:
    history = result.history
    if not history:
        return {}
    rounds = rounds_of(history, floor=result.floor)
    found: dict[str, Values] = {"loss": [record.train_loss for record in history]}
    if result.floor.at_optimum is not None:
        best = float(np.dot(result.share, result.floor.at_optimum))
        found["gap"] = [None if record.train_loss is None else record.train_loss - best for record in history]
    found["worst"] = [max(v for v in record.loss_before if v is not None) for record in history]
    found["accuracy"] = [record.test_accuracy for record in history]
    found |= measured(rounds, MEASURED)
    missing: Values = [None] * (config.n_rounds - len(history))
    return {key: [*values, *missing] for key, values in found.items()}


def apart(solved: Played, engine: Played) -> dict[str, float]:
    """The largest differences of the two: of weights, of F(w) over the rounds, and of the last models' entries."""
    assert solved.run is not None
    assert engine.run is not None
    one, other = ([np.asarray(r.weights) for r in p.run.history] for p in (solved, engine) if p.run is not None)
    loss = [abs(a - b) for a, b in zip(solved.series["loss"], engine.series["loss"], strict=True) if a and b]
    models = float((solved.run.model.double() - engine.run.model.double()).abs().max())
    weights = max(float(np.abs(a - b).max()) for a, b in zip(one, other, strict=True))
    return {"weights": weights, "loss": max(loss), "models": models}


def bound_of(config: RunConfig, solved: Played, data: Data) -> NDArray[np.float64]:
    """The bound on the gap of a run in theory's simulator at the start of each round; `ValueError` as `bound`."""
    federation, start = _solved_task(config, data)
    optimum = np.asarray(federation.optimum())
    assert solved.run is not None
    return bound(
        known(federation, config.batch_size, start, config.local_lr),
        weights=np.asarray([record.weights for record in solved.run.history], dtype=np.float64),
        at_optimum=np.asarray(federation.losses(np.broadcast_to(optimum, (federation.n_clients, federation.dim)))),
        floor=np.asarray(federation.floor),
        distance2=float(((start - optimum) ** 2).sum()),
        rate=config.local_lr,
        n_local_steps=config.n_local_steps,
    )[:-1]


def short_steps(setting: Setting, text: str, data: Data) -> dict[str, object]:
    """A rule's gap and its bound with the longest step that the bound allows, 1/(4L), of the first seed."""
    config = setting.config("solved", 0, setting.beta)
    federation, _ = _solved_task(config, data)
    config = replace(config, local_lr=float(f"{0.99 / (4 * float(np.asarray(federation.constants().L))):.3g}"))
    played = _simulated(config, setting.rule(text), data)
    return {"rate": config.local_lr, "gap": played.series["gap"], "bound": bound_of(config, played, data).tolist()}


def _solved_task(config: RunConfig, data: Data) -> tuple[LogisticFederation, NDArray[np.float64]]:
    """The task as theory has it, and where runs start."""
    task = data.task(config)
    federation = federation_of(config, task, reference_for(config, task, data.references))
    n_outputs, n_features = task.model.layers[0].shapes[0]
    return federation, to_theory(task.start.double().numpy(), n_features, n_outputs)


def _objective(config: RunConfig, task: Task) -> Objective:
    """F and ∇F over all training samples, each client by its share."""
    assert task.population is not None
    clients, share = task.population.clients, task.population.share.cpu()
    index = torch.cat([client.index for client in clients])
    targets = torch.cat([client.targets for client in clients])
    per = torch.cat([torch.full((len(c.index),), float(p) / len(c.index)) for c, p in zip(clients, share, strict=True)])
    inputs = task.pool.inputs[index]

    def objective(model: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        vector = torch.from_numpy(model).to(task.start.dtype).requires_grad_()
        losses = sample_losses(task.model.loss, task.model.logits(vector, inputs), targets)
        value = (per.to(losses.dtype) * losses).sum() + config.l2 / 2 * vector.square().sum()
        (gradient,) = torch.autograd.grad(value, vector)
        return float(value.detach()), gradient.double().numpy()

    return objective

"""Federated rounds over a real data set with any aggregation rule of `theory`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from torch import Tensor

from deep.client import accuracy, draw_batches, local_sgd, mean_loss
from deep.config import RunConfig
from deep.folder import ServerState, open_folder
from deep.record import DeepRun, RoundRecord, Status, describe_rule, provenance
from deep.task import Task, make_task
from theory.arrays import check_simplex
from theory.participation import UniformWithoutReplacement
from theory.rules.protocol import MemoryRule, Rule, aggregate
from theory.stats import RoundStats

__all__ = ["run"]

_OBSERVED_AT = {
    "loss_after": "own model after local training; the broadcast model for absent clients",
    "loss_best": "lowest loss of the client at any broadcast or own model so far; biased upwards",
}


def run(
    config: RunConfig,
    rule: Rule | MemoryRule,
    *,
    out: Path | str | None = None,
    device: str | torch.device = "cpu",
    data_root: Path | str | None = None,
    on_round: Callable[[RoundRecord], None] | None = None,
) -> DeepRun:
    """w ← w + server_lr · Σ aₖ(wₖ − w), n_rounds times; wₖ is w after local SGD, the weights aₖ come from `rule`.

    Source: exp_alpha, Algorithm 1; robust_aggregation RA-ALG1; with `Proportional` and everyone present, FedAvg.
    The rule sees a validated `RoundStats` of torch tensors: shares, losses and local steps float64, updates float32
    (zero rows for absent clients). Its `loss_best` is the lowest loss of a client at any model seen up to and
    including this round: an estimate of Fₖ*, from above. Σ aₖuₖ is taken in float64, the model is kept in float32.

    With `out`, the folder holds what `deep.folder` lists; calling again with the same config, rule and device resumes
    from its last checkpoint, to the same numbers as an undisturbed run, bit for bit with the same versions and number
    of threads; where these changed, the provenance says so. `on_round` is called after each round, once it is on
    disk. A loss or a model that is not finite ends the run with status "diverged".

    `data_root`: the folder of data files, for data sets that are not bundled; where it lies changes no number.

    Raises `ValueError` for an unknown device, data files that are missing or damaged, a folder that belongs to
    another run, a partition that cannot be made,
    or weights that are not finite; with `out`, also for a rule that is not a dataclass.
    """
    where = _usable(device)
    task = make_task(config, where, data_root)
    name, settings = describe_rule(rule)
    origin = provenance(config, where)
    state = ServerState(0, task.start, None, torch.full_like(task.share, torch.inf))
    history: list[RoundRecord] = []
    folder = None
    if out is not None:
        if not is_dataclass(rule):
            raise ValueError(f"run(rule={name}, out=…): a rule that is to be resumed must be a dataclass")
        identity = {"config": asdict(config), "rule": name, "rule_settings": settings, "device": str(where)}
        details = {"note": task.note, "share": task.share.tolist(), "partition_counts": task.partition_counts}
        folder = open_folder(Path(out), identity, origin, details)
        origin = folder.provenance
        state, history = folder.resume(where) or (state, history)
    status: Status = "completed"
    for _ in range(state.round, config.n_rounds):
        played = _play_round(config, rule, task, state)
        if played is None:
            status = "diverged"
            break
        state, record = played
        history.append(record)
        if folder is not None:
            folder.append(record)
            if state.round % config.checkpoint_every == 0:
                folder.save(state)
        if on_round is not None:
            on_round(record)
    result = DeepRun(
        config=config,
        rule=name,
        rule_settings=settings,
        share=task.share.tolist(),
        partition_counts=task.partition_counts,
        history=tuple(history),
        status=status,
        model=state.model.cpu(),
        provenance=origin,
    )
    if folder is not None:
        folder.save(state)
        folder.finish(result)
    return result


def _play_round(
    config: RunConfig, rule: Rule | MemoryRule, task: Task, state: ServerState
) -> tuple[ServerState, RoundRecord] | None:
    """One round: broadcast, local training, aggregation, evaluation; None when something is no longer finite."""
    began = perf_counter()
    cohort = UniformWithoutReplacement(config.n_sampled).cohort(config.seed, state.round, config.n_clients)
    loss_before, loss_after, updates = _local_training(config, task, state, np.flatnonzero(cohort).tolist())
    if not _finite(loss_before, loss_after, updates):
        return None
    loss_best = torch.minimum(state.loss_best, torch.minimum(loss_before, loss_after))
    present = torch.from_numpy(cohort).to(task.share.device)
    stats = RoundStats(
        share=task.share,
        present=present,
        loss_before=loss_before,
        loss_after=loss_after,
        loss_best=loss_best,
        local_steps=config.n_local_steps * present.double(),
        updates=updates,
        round=state.round,
        observed_at=_OBSERVED_AT,
    )
    rule_state, weights, vectors = aggregate(rule, state.rule_state, stats)
    _check_weights(weights, rule, stats)
    step = config.server_lr * (weights.double() @ vectors.double())
    model = (state.model.double() + step).float()
    test_loss = mean_loss(task.model, model, task.test)
    if not _finite(model, test_loss):
        return None
    record = RoundRecord(
        round=state.round,
        present=present.tolist(),
        weights=weights.tolist(),
        loss_before=loss_before.tolist(),
        loss_after=loss_after.tolist(),
        loss_best=loss_best.tolist(),
        gram=stats.gram().tolist(),
        train_loss=float(task.share @ loss_before),
        test_loss=float(test_loss),
        test_accuracy=accuracy(task.model, model, task.test),
        validation_accuracy=accuracy(task.model, model, task.validation),
        update_norm=float(step.norm()),
        seconds=perf_counter() - began,
    )
    return ServerState(state.round + 1, model, rule_state, loss_best), record


def _local_training(
    config: RunConfig, task: Task, state: ServerState, cohort: list[int]
) -> tuple[Tensor, Tensor, Tensor]:
    """Fₖ(w) of every client, Fₖ(wₖ) and uₖ = wₖ − w of the clients in `cohort`; Fₖ(w) and 0 for the absent ones."""
    loss_before = torch.stack([mean_loss(task.model, state.model, data) for data in task.clients])
    loss_after = loss_before.clone()
    updates = state.model.new_zeros(len(task.clients), len(state.model))
    for client in cohort:
        data = task.clients[client]
        batches = torch.from_numpy(draw_batches(config, state.round, client, len(data))).to(state.model.device)
        local = local_sgd(task.model, state.model, data, batches, config.local_lr)
        loss_after[client] = mean_loss(task.model, local, data)
        updates[client] = local - state.model
    return loss_before, loss_after, updates


def _check_weights(weights: Tensor, rule: Rule | MemoryRule, stats: RoundStats) -> None:
    """A rule enters from outside: its weights are one finite float per client, on the simplex if it promises that."""
    name = f"weights of {rule!r} in round {stats.round}"
    if not isinstance(weights, Tensor) or weights.shape != stats.share.shape:
        got = getattr(weights, "shape", None)
        raise ValueError(f"{name}: {type(weights).__name__} of shape {got}; expected a torch tensor, one per client")
    if not isinstance(rule, MemoryRule) and getattr(rule, "simplex", True):
        check_simplex(weights, name)
    elif not _finite(weights):
        raise ValueError(f"{name}: contain NaN or infinity, though every loss and update is finite")


def _finite(*tensors: Tensor) -> bool:
    return all(bool(tensor.isfinite().all()) for tensor in tensors)


def _usable(device: str | torch.device) -> torch.device:
    """The device as torch knows it; `ValueError` unless it is the CPU or a CUDA device that is there."""
    try:
        found = torch.device(device)
    except RuntimeError as error:
        raise ValueError(f"run(device={device!r}): unknown to torch; expected 'cpu' or 'cuda'") from error
    if found.type not in {"cpu", "cuda"} or (found.type == "cuda" and not torch.cuda.is_available()):
        raise ValueError(f"run(device={str(found)!r}): not available here; expected 'cpu', or 'cuda' with a GPU")
    return found

"""FedSSA on models that are trained already: weights learned once, after any algorithm, and what each model scores.

Source: fedssa, Section 5.2 "Modularity" (Table 3), Section 5.3 (Table 4, whose L1 … L5 are the clients' models).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from deep.config.config import RunConfig
from deep.local.pool import Client
from deep.models import averaged_buffers
from deep.partition import known_mixture, make_target
from deep.partition.sizes import Shares
from deep.round.local_models import LocalModels
from deep.round.play_round import first_state, play_round
from deep.round.seen import signals_of
from deep.task.evaluation import score
from deep.task.reference import floor_of, reference_for
from deep.task.rule_checks import check_weights
from deep.task.setup import Setup
from deep.task.task import Task, make_task
from deep.task.wanted import OUTPUTS, wanted
from theory.rules.protocol import AnyRule, aggregate
from theory.rules.stats import RoundStats

__all__ = ["Trained", "accuracy_of", "aggregated", "known_weights", "trained", "trained_by_round", "weights_after"]


@dataclass(frozen=True, eq=False)
class Trained:
    """A run's last round: the clients' `models`, the global `model` and `buffers` its server made of them.

    `kept`: what the client algorithm keeps of each client, by name.
    """

    config: RunConfig
    task: Task
    models: LocalModels
    model: Tensor
    buffers: Tensor
    kept: Mapping[str, Tensor]


def trained(
    config: RunConfig,
    rule: AnyRule,
    *,
    device: str | torch.device = "cpu",
    data_root: Path | str | None = None,
) -> Trained:
    """The rounds of `config` under `rule`, as `deep.run` plays them, in memory; of the last one everything is kept.

    Target samples are set apart for weights that are learned afterwards, whatever `rule` looks at. Raises `ValueError`
    as `deep.run`, and when the run diverges.
    """
    *_, last = trained_by_round(config, rule, device=device, data_root=data_root)
    return last


def trained_by_round(
    config: RunConfig,
    rule: AnyRule,
    *,
    device: str | torch.device = "cpu",
    data_root: Path | str | None = None,
) -> Iterator[Trained]:
    """`trained` after each round of `config`, the last one last."""
    where = torch.device(device)
    setup = Setup.of(config, rule)
    task = make_task(setup, where, data_root, setup.asked | OUTPUTS)
    task = replace(task, floor=floor_of(config, reference_for(config, task, None)))
    state = first_state(setup, task)
    for _ in range(config.n_rounds):
        kept = list[LocalModels]()
        played = play_round(setup, task, state, kept.append)
        if played is None:
            raise ValueError(f"trained(rule={rule!r}): the run diverged in round {state.round}; lower local_lr")
        state, _ = played
        yield Trained(config, task, kept[0], state.model, state.buffers, state.kept)


def weights_after(run: Trained, rule: AnyRule) -> Tensor:
    """The weights that `rule` gives the last round's models on the target samples, float64 (n_slots,).

    The outputs of all models are computed once and serve every step of the learning. Of signals the rule may read those
    of outputs. Raises `ValueError` for one that reads others.
    """
    asked, task, models = wanted(rule), run.task, run.models
    others = sorted(asked - OUTPUTS)
    if others:
        raise ValueError(f"weights_after({rule!r}): reads {', '.join(others)}; expected a rule that reads outputs")
    found = signals_of(
        task,
        asked,
        starts=(models.vectors, models.buffers),
        ends=(models.vectors, models.buffers),
        slots=models.slots,
        everyone=_population(task),
        accuracy=_never,
        seed=run.config.seed_of("training"),
        round_index=models.round,
        step_size=run.config.rate(models.round),
    )
    stats = RoundStats(models.share, models.present, round=models.round, signals=found)
    _, weights, _ = aggregate(rule, None, stats)
    check_weights(weights, rule, stats)
    answer: Tensor = weights
    return answer


def aggregated(models: LocalModels, weights: Tensor) -> tuple[Tensor, Tensor]:
    """(θ = Σ wₖθₖ, its running statistics), eq. (3): in float64, then in the run's precision.

    `weights` (n_slots,), 0 for absent clients. Statistics of batch normalisation are averaged with the same weights,
    which the paper leaves open (SSA-O9).
    """
    own = weights[list(models.slots)]
    vector = (own.double() @ models.vectors.double()).to(models.vectors.dtype)
    buffers = averaged_buffers(own, models.buffers) if models.buffers.shape[1] else models.buffers[0]
    return vector, buffers


def accuracy_of(task: Task, vector: Tensor, buffers: Tensor) -> float:
    """Accuracy of one model on the target: the test samples, weighted to it. `ValueError` for real-valued targets."""
    found = score(task.model, vector, buffers, task.test).accuracy
    if found is None:
        raise ValueError("accuracy_of(task): targets are real-valued and have no accuracy")
    return found


def known_weights(config: RunConfig, n_clients: int) -> Shares | None:
    """p of the config's first target, (n_clients,), where that is a known mixture of the clients; else None."""
    return known_mixture(make_target(config.targets[0]), n_clients) if config.targets else None


def _population(task: Task) -> Sequence[Client]:
    if task.population is None:
        raise ValueError("weights_after(run): clients are resampled every round; expected a fixed population")
    return task.population.clients


def _never() -> float:
    raise AssertionError("weights_after provides outputs only")

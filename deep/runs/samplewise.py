"""Sample-wise FedSSA and ensembles: when target samples are met after training, one at a time.

Source: fedssa, Section 5.2 "FL for sample-wise prediction" (Table 2).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from torch import Tensor

from deep.config.config import RunConfig
from deep.data import Samples, make_split, make_views, read_parts, views
from deep.round.local_models import LocalModels
from deep.runs.ssa import Trained, accuracy_of, trained
from deep.task.signals import client_outputs
from deep.task.task import DTYPES
from theory.rules.by_output.ssa import SSA
from theory.rules.by_output.ssa_sgd import SSASGD
from theory.rules.by_share.proportional import Proportional
from theory.rules.stats import RoundStats

__all__ = ["ensemble_accuracy", "local_training", "sample_weights", "sample_wise", "samplewise_table"]


def sample_weights(view_1: Tensor, view_2: Tensor, present: Tensor, rule: SSA | SSASGD) -> Tensor:
    """The weights learned for every sample by itself, (n_samples, n_clients): the batch axis holds the samples.

    `view_1`, `view_2`: logits, (n_samples, n_clients, n_classes); `present` bool (n_clients,).
    """
    n = len(view_1)
    here = present.expand(n, -1)
    share = here.double() / here.sum(-1, keepdim=True)
    signals = {"view_1": view_1[:, None], "view_2": view_2[:, None]}
    weights: Tensor = rule(RoundStats(share, here, signals=signals))  # type: ignore[assignment]
    return weights


def ensemble_accuracy(run: Trained, models: LocalModels, weights: Tensor) -> float:
    """Accuracy on the target of softmax(Σ wₖzₖ), eq. (4), on samples as they are.

    `weights`: (n_slots,), or of each test sample, (n_samples, n_slots).
    """
    task = run.task
    logits = client_outputs(
        task.model, models.vectors, models.buffers, task.test.inputs, models.slots, weights.shape[-1]
    )
    mixed = (weights[..., None].double() * logits).sum(-2)
    return task.test.mean((mixed.argmax(-1) == task.test.targets).double())


def sample_wise(run: Trained, rule: SSA | SSASGD, data_root: Path | str | None = None) -> tuple[Tensor, float]:
    """(The weights of each test sample, (n_samples, n_slots), accuracy on the target of the ensembles they make).

    Views are drawn of each test sample, as of target samples; the prediction is made of the sample as it is, which the
    paper leaves open. Raises `ValueError` where some test samples are judged under no rule.
    """
    config, task, models = run.config, run.task, run.models
    raw = _raw_test(config, data_root)
    if len(raw) != len(task.test):
        raise ValueError(
            f"sample_wise(target_source={config.target_source!r}): some test samples are not judged; expected another"
        )
    settings = make_views(config.views, config.dataset)
    pixels = raw.inputs.to(task.test.inputs.device, DTYPES[config.dtype])
    seed, n = config.seed_of("training"), len(models.share)
    pair = views(pixels, settings, seed, config.n_rounds)
    view_1, view_2 = (
        client_outputs(
            task.model,
            models.vectors,
            models.buffers,
            task.scaling(pair[which]),
            models.slots,
            n,
        )
        for which in (0, 1)
    )
    weights = sample_weights(view_1, view_2, models.present, rule)
    return weights, ensemble_accuracy(run, models, weights)


def local_training(config: RunConfig, *, data_root: Path | str | None = None) -> Trained:
    """Every client alone, the client algorithm "local-only": the models are the clients' own, the global one the start.

    Source: fedssa B.2, "Local training". Raises `ValueError` as that does for a model with running
    statistics.
    """
    run = trained(replace(config, client="local-only"), Proportional(), data_root=data_root)
    own = run.kept["personal"]
    everyone = run.models.present | True
    nothing = own.new_zeros(len(own), 0)
    models = replace(run.models, slots=tuple(range(len(own))), present=everyone, vectors=own, buffers=nothing)
    return replace(run, models=models)


def samplewise_table(config: RunConfig, rule: SSA | SSASGD, *, data_root: Path | str | None = None) -> dict[str, float]:
    """Accuracies on the target by the rows of Table 2; the target's samples serve nobody during training."""
    alone, fedavg = local_training(config, data_root=data_root), trained(config, Proportional(), data_root=data_root)
    of_each = [
        accuracy_of(alone.task, vector, buffers)
        for vector, buffers in zip(alone.models.vectors, alone.models.buffers, strict=True)
    ]
    return {
        "Local Training": sum(of_each) / len(of_each),
        "Local Training + Ensemble": ensemble_accuracy(alone, alone.models, _equal(alone.models)),
        "FedAvg": accuracy_of(fedavg.task, fedavg.model, fedavg.buffers),
        "FedAvg + Ensemble": ensemble_accuracy(fedavg, fedavg.models, _equal(fedavg.models)),
        "Sample-wise FedSSA": sample_wise(fedavg, rule, data_root)[1],
    }


def _equal(models: LocalModels) -> Tensor:
    return models.present.double() / models.present.sum()


def _raw_test(config: RunConfig, data_root: Path | str | None) -> Samples:
    return make_split(read_parts(config.dataset, data_root), config.split, config.seed_of("data")).test

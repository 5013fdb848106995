"""References of a task: w*, F*, Fₖ* and Fₖ(w*) with certificates, whatever the rule, client or server of a run.

For softmax and linear regression they are solved on theory's losses. For other models there is only what gradient
descent reached, an upper bound that is called that.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from deep.base.floor import BEST_SEEN, ZERO, Floor
from deep.config.config import RunConfig
from deep.local import LocalBatches, trainer_for
from deep.models import LinearRegression, Model, n_parameters
from deep.storage.record import Json
from deep.task.convex import Floats, client_data, draft_federation, is_convex, to_deep
from deep.task.evaluation import own_scores, penalty
from deep.task.task import Task
from theory.base.files import replace_file
from theory.base.minimise import minimise
from theory.federations.optimum import Optimum, certified_minimum, separation

__all__ = [
    "Reference",
    "floor_of",
    "load_reference",
    "reached_reference",
    "reference_for",
    "solved_reference",
    "task_hash",
]

_NOT_ATTAINED = "infimum not attained: l2 = 0, and some of the samples can be separated; the value is an upper bound"
_NO_CERTIFICATE = "no certificate: l2 = 0, and only strong convexity bounds what a gradient leaves open"


@dataclass(frozen=True, eq=False)
class Reference:
    """What is known of the infima of a task's losses, each with its (l2/2)‖w‖²; clients in the order of the population.

    `task`: the hash it belongs to. `kind`: "solved" or "reached". `client_losses` Fₖ*, or what was reached;
    `client_models` wₖ* in the layout of deep models, (n_clients, dim), NaN where none is attained, (n_clients, 0) where
    not kept; `client_gaps`: certified bounds on Fₖ(wₖ) − inf Fₖ in units of loss, NaN where nothing certifies it;
    `client_gradients` ‖∇Fₖ‖; `client_notes`: what a reader must know, "" for a certified minimum. `loss` F* with `gap`,
    `gradient` and `note`, NaN where not computed; `model` w*, in the layout of deep models, and `at_optimum` Fₖ(w*),
    both empty where no w* is attained. `steps`, `rate`: of gradient descent, for "reached".
    """

    task: str
    kind: str
    client_losses: Floats
    client_models: Floats
    client_gaps: Floats
    client_gradients: Floats
    client_notes: tuple[str, ...]
    loss: float
    gap: float
    gradient: float
    note: str
    model: Floats
    at_optimum: Floats
    steps: int = 0
    rate: float = 0.0

    @property
    def says(self) -> str:
        """What it is, in words."""
        if self.kind == "reached":
            worst = float(np.max(self.client_gradients))
            return (
                f"Fₖ* is the loss reached by {self.steps} steps of gradient descent at rate {self.rate:g}, where ‖∇Fₖ‖"
                f" is up to {worst:.2g}: an upper bound, not solved"
            )
        open_ones = [note for note in {*self.client_notes, self.note} if note]
        worst = float(np.nanmax([*self.client_gaps, self.gap, 0.0]))
        return "; ".join([f"Fₖ* is solved, certified to {worst:.1e} in units of loss", *sorted(open_ones)])

    def to_dict(self) -> Json:
        """Ready for `json.dumps`, without the models; NaN is None."""
        plain = {
            f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name not in {"model", "client_models"}
        }
        return {**plain, "says": self.says}

    def save(self, folder: Path) -> Path:
        """Write it to `folder`, replaced in one step; the path."""
        words = json.dumps({"task": self.task, "kind": self.kind, "note": self.note, "client_notes": self.client_notes})
        buffer = io.BytesIO()
        np.savez(
            buffer,
            words=np.asarray(words),
            client_losses=self.client_losses,
            client_models=self.client_models,
            client_gaps=self.client_gaps,
            client_gradients=self.client_gradients,
            whole=np.array([self.loss, self.gap, self.gradient]),
            model=self.model,
            at_optimum=self.at_optimum,
            descent=np.array([self.steps, self.rate]),
        )
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _name(self.task, self.kind)
        replace_file(path, buffer.getvalue())
        return path


def task_hash(config: RunConfig, task: Task) -> str:
    """What a reference belongs to: model, l2, samples, labels and who holds them; no rule, client or server.

    Raises `ValueError` for clients made anew every round, who have no reference.
    """
    if task.population is None:
        raise ValueError(
            f"reference(cohort={config.cohort!r}): clients are resampled every round; expected a fixed population"
        )
    digest = hashlib.sha256(repr((config.model, task.model.layers, task.model.loss, config.l2, config.dtype)).encode())
    inputs = task.pool.inputs.cpu().contiguous()
    digest.update(repr((tuple(inputs.shape), inputs.dtype)).encode())
    digest.update(inputs.numpy().tobytes())
    for client in task.population.clients:
        digest.update(client.index.cpu().numpy().tobytes())
        digest.update(client.targets.cpu().numpy().tobytes())
    if not is_convex(task.model):  # what gradient descent reaches depends on where it starts
        digest.update(task.start.cpu().numpy().tobytes())
    return digest.hexdigest()[:24]


def load_reference(folder: Path, task: str, kind: str) -> Reference | None:
    """The reference of this task in `folder`, None when there is none; `ValueError` for a file that is not one."""
    path = folder / _name(task, kind)
    if not path.exists():
        return None
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as stored:
            words = json.loads(str(stored["words"]))
            loss, gap, gradient = map(float, stored["whole"])
            steps, rate = map(float, stored["descent"])
            found = Reference(
                task=str(words["task"]),
                kind=str(words["kind"]),
                client_losses=stored["client_losses"].astype(np.float64),
                client_models=stored["client_models"].astype(np.float64),
                client_gaps=stored["client_gaps"].astype(np.float64),
                client_gradients=stored["client_gradients"].astype(np.float64),
                client_notes=tuple(map(str, words["client_notes"])),
                loss=loss,
                gap=gap,
                gradient=gradient,
                note=str(words["note"]),
                model=stored["model"].astype(np.float64),
                at_optimum=stored["at_optimum"].astype(np.float64),
                steps=int(steps),
                rate=rate,
            )
    except (KeyError, TypeError, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: not a reference of this program ({error!r}); delete it") from error
    if found.task != task or found.kind != kind:
        raise ValueError(f"{path}: the {found.kind} reference of another task, {found.task}; delete it")
    return found


def solved_reference(config: RunConfig, task: Task) -> Reference:
    """w*, F*, Fₖ* and Fₖ(w*) of a convex task, certified to 1e-10 in units of loss where l2 > 0.

    Without l2, softmax regression whose samples can be separated has infimum 0, which no model attains: Fₖ* is 0, and
    there is no w*. Linear regression attains its infimum always.
    Raises `ValueError` for another model and for clients made anew every round, `RuntimeError` where a gap stays
    larger.
    """
    name = task_hash(config, task)
    if not is_convex(task.model) or task.population is None:
        raise ValueError(
            f"reference(model={config.model!r}): solved for softmax-regression and linear-regression alone; for others"
            " give steps and a rate, and what gradient descent reaches is kept as that"
        )
    n_outputs, n_features = task.model.layers[0].shapes[0]
    data = [client_data(task.pool, client) for client in task.population.clients]
    dim = n_parameters(task.model)
    share = task.population.share.cpu().numpy()
    solve = _linear if isinstance(task.model, LinearRegression) else _logistic
    each = [solve([part], np.ones(1), n_outputs, config.l2, f"client {k}") for k, part in enumerate(data)]
    whole = solve(data, share, n_outputs, config.l2, "all clients")
    at_optimum, model = np.empty(0), np.empty(0)
    if whole.model is not None:
        at_optimum = np.array([_loss_at(task.model, part, whole.model, n_outputs, config.l2) for part in data])
        model = to_deep(whole.model, n_features, n_outputs)
    return Reference(
        task=name,
        kind="solved",
        client_losses=np.array([o.value for o in each]),
        client_models=to_deep(
            np.stack([np.full(dim, np.nan) if o.model is None else o.model for o in each]), n_features, n_outputs
        ),
        client_gaps=np.array([np.nan if o.gap is None else o.gap for o in each]),
        client_gradients=np.array([o.gradient_norm for o in each]),
        client_notes=tuple(o.note for o in each),
        loss=whole.value,
        gap=np.nan if whole.gap is None else whole.gap,
        gradient=whole.gradient_norm,
        note=whole.note,
        model=model,
        at_optimum=at_optimum,
    )


def reached_reference(config: RunConfig, task: Task, steps: int, rate: float) -> Reference:
    """Where gradient descent from the initial model ends at each client: losses, gradients, and no certificate.

    `steps` >= 1 at `rate` > 0 over all of a client's samples, with the losses and l2 of the run. Running statistics are
    those that training left. Raises `ValueError` for clients made anew every round, for steps or a rate out of range,
    and where a loss is no longer finite.
    """
    name = task_hash(config, task)
    if steps < 1 or not 0 < rate < float("inf"):
        raise ValueError(f"reference(steps={steps}, rate={rate}): expected steps >= 1 and a finite rate > 0")
    assert task.population is not None  # task_hash refuses it
    losses, gradients = [], []
    for client in task.population.clients:
        n = len(client)
        every = LocalBatches(np.tile(np.arange(n), (steps, 1)), np.full(steps, n))
        trainer = trainer_for("in-turn", task.model, task.start.device, [client], [every])
        start, buffers = task.start[None], task.buffers[None]
        vectors, after = trainer(task.model, start, buffers, task.pool, [client], [every], rate, config.l2)
        loss = own_scores(task.model, vectors, after, task.pool, [client])[0] + penalty(config.l2, vectors)
        further, _ = trainer(task.model, vectors, after, task.pool, [client], [every.first(1)], rate, config.l2)
        losses.append(float(loss))
        gradients.append(float(torch.linalg.vector_norm((further - vectors).double()) / rate))
    if not np.all(np.isfinite(losses)):
        raise ValueError(f"reference(steps={steps}, rate={rate}): gradient descent diverged; lower the rate")
    n_clients = len(losses)
    return Reference(
        task=name,
        kind="reached",
        client_losses=np.array(losses),
        client_models=np.empty((n_clients, 0)),
        client_gaps=np.full(n_clients, np.nan),
        client_gradients=np.array(gradients),
        client_notes=(f"reached by {steps} steps at rate {rate:g}: an upper bound",) * n_clients,
        loss=np.nan,
        gap=np.nan,
        gradient=np.nan,
        note="not computed",
        model=np.empty(0),
        at_optimum=np.empty(0),
        steps=steps,
        rate=rate,
    )


def floor_of(config: RunConfig, reference: Reference | None) -> Floor:
    """The floor that `config.floor` names, with the numbers of the reference where it rests on one.

    Raises `ValueError` where it rests on one and none is given, or one of another kind.
    """
    kind = config.floor_kind
    if kind in {"zero", "best-seen"} or (reference is None and config.floor == "auto"):
        return BEST_SEEN if kind == "best-seen" else ZERO
    if reference is None or reference.kind != kind:
        raise ValueError(f"run(floor={config.floor!r}): needs a {kind} reference; make one with `fedverdict reference`")
    at_optimum = tuple(reference.at_optimum.tolist()) or None
    return Floor(kind, reference.says, tuple(reference.client_losses.tolist()), at_optimum)


def reference_for(config: RunConfig, task: Task, folder: Path | str | None) -> Reference | None:
    """The reference that the floor of a run rests on, None where it rests on none.

    A solved one is read from `folder`, or solved and kept there if a folder is given; one that was reached is read.
    Raises `ValueError` where that is not there, and as `solved_reference`.
    """
    kind = config.floor_kind
    if kind not in {"solved", "reached"} or (config.floor == "auto" and config.losses == "none"):
        return None
    stored = None if folder is None else load_reference(Path(folder), task_hash(config, task), kind)
    if stored is not None or kind == "reached":
        return stored
    found = solved_reference(config, task)
    if folder is not None:
        found.save(Path(folder))
    return found


def _logistic(
    parts: Sequence[tuple[Floats, NDArray[np.generic]]], share: Floats, n_classes: int, l2: float, name: str
) -> Optimum:
    """The infimum of Σ shareₖ Fₖ of softmax regression over these clients' samples."""
    features = np.concatenate([X for X, _ in parts])
    labels = np.concatenate([y for _, y in parts]).astype(np.int64)
    weight = np.concatenate([np.full(len(X), p / len(X)) for (X, _), p in zip(parts, share, strict=True)])
    draft = draft_federation(features[None], labels[None], weight[None], np.ones(1), n_classes, l2)
    dim = features.shape[1] * n_classes

    def objective(models: Floats) -> tuple[Floats, Floats]:
        return np.asarray(draft.losses(models)), np.asarray(draft.gradients(models))

    if l2 > 0:
        return certified_minimum(objective, dim, l2=l2, name=f"reference: {name}")
    found = separation(features, labels, n_classes)
    if found == "all":
        return Optimum(None, 0.0, 0.0, 0.0, "infimum 0, not attained: l2 = 0, and the samples can be separated")
    tolerance = 1e-10 if found == "none" else 1e-4
    model = minimise(objective, np.zeros((1, dim)), tolerance=tolerance, name=f"reference: {name}", stop=1e-12)
    value, gradient = objective(model)
    norm = float(np.linalg.norm(gradient))
    if found == "some":
        return Optimum(None, float(value[0]), norm, None, _NOT_ATTAINED)
    return Optimum(model[0], float(value[0]), norm, None, _NO_CERTIFICATE)


def _linear(
    parts: Sequence[tuple[Floats, NDArray[np.generic]]], share: Floats, n_outputs: int, l2: float, _name: str
) -> Optimum:
    """The minimum of Σ shareₖ Fₖ of linear regression over these clients' samples, from its normal equations."""
    d = parts[0][0].shape[1]
    curvature, pull = l2 * np.eye(d), np.zeros((d, n_outputs))
    for (X, y), p in zip(parts, share, strict=True):
        curvature += p * (X.T @ X) / len(X)
        pull += p * (X.T @ _targets(y, n_outputs)) / len(X)
    model = np.asarray(
        np.linalg.solve(curvature, pull) if l2 > 0 else np.linalg.lstsq(curvature, pull)[0], dtype=np.float64
    )
    value = float(sum(p * _linear_loss(part, model, l2) for part, p in zip(parts, share, strict=True)))
    norm = float(np.linalg.norm(curvature @ model - pull))
    if l2 == 0:
        return Optimum(model.ravel(), value, norm, None, _NO_CERTIFICATE)
    return Optimum(model.ravel(), value, norm, norm**2 / (2 * l2))


def _loss_at(
    model: Model, part: tuple[Floats, NDArray[np.generic]], weights: Floats, n_outputs: int, l2: float
) -> float:
    """Fₖ at a vector in theory's layout."""
    X, y = part
    if isinstance(model, LinearRegression):
        return _linear_loss(part, weights.reshape(-1, n_outputs), l2)
    ones = np.ones((1, len(X)))
    draft = draft_federation(X[None], y.astype(np.int64)[None], ones, np.ones(1), n_outputs, l2)
    return float(draft.losses(weights[None])[0])


def _linear_loss(part: tuple[Floats, NDArray[np.generic]], model: Floats, l2: float) -> float:
    X, y = part
    residual = X @ model - _targets(y, model.shape[1])
    return float(0.5 * np.sum(residual**2) / len(X) + 0.5 * l2 * np.sum(model**2))


def _targets(y: NDArray[np.generic], n_outputs: int) -> Floats:
    """Real targets, or one-hot vectors of classes, (n, n_outputs)."""
    if y.dtype.kind == "i":
        return np.asarray(y[:, None] == np.arange(n_outputs), dtype=np.float64)
    return np.asarray(y, dtype=np.float64).reshape(len(y), n_outputs)


def _name(task: str, kind: str) -> str:
    return f"{task}-{kind}.npz"


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    return None if isinstance(value, float) and not np.isfinite(value) else value

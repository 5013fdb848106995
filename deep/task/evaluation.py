"""What models say about samples: losses and accuracy on the server's samples, and at the clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from deep.data import Samples, Scaling
from deep.local.memory import keep_freed_memory
from deep.local.pool import Client, Pool
from deep.local.trainers.dense import DenseModel, dense_outputs, is_dense
from deep.models import Model, sample_losses
from deep.models.layout import as_convolved

__all__ = [
    "AT_ONCE",
    "Sampled",
    "Score",
    "client_scores",
    "in_precision",
    "means_by_client",
    "own_scores",
    "passed_at_once",
    "penalty",
    "pool_scores",
    "sample_scores",
    "score",
    "scored",
    "scores_of",
    "shared_scores",
]

AT_ONCE = 1024  # samples of one forward pass, so that activations fit into memory
_DENSE = 4096  # of several clients through stacks of linear layers
_CONVOLVED = 128  # of images through convolutions on a CPU, whose activations then stay in the heap and the caches


@dataclass(frozen=True, eq=False)
class Sampled:
    """Samples of the server, on one device, and how much each counts.

    `weight`: float64 (n,), sum 1, the class distribution a model is judged on; None: all count alike.
    `others`: such weights by the name of a target, where there are several.
    `group`: int64 (n,) into `group_names`, or None without groups.
    """

    inputs: Tensor
    targets: Tensor
    weight: Tensor | None = None
    group: Tensor | None = None
    group_names: tuple[str, ...] = ()
    others: Mapping[str, Tensor] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        samples: Samples,
        weight: Sequence[float] | None,
        device: torch.device,
        dtype: torch.dtype,
        scaling: Scaling,
        others: Mapping[str, Sequence[float]],
    ) -> Sampled:
        """`samples` on `device`, inputs scaled, real values in `dtype`."""
        groups = samples.groups
        return cls(
            inputs=scaling(samples.inputs, dtype).to(device),
            targets=in_precision(samples.outputs, dtype).to(device),
            weight=None if weight is None else torch.tensor(weight, dtype=torch.float64, device=device),
            group=None if groups is None else groups.index.to(device),
            group_names=() if groups is None else groups.names,
            others={name: torch.tensor(own, dtype=torch.float64, device=device) for name, own in others.items()},
        )

    def __len__(self) -> int:
        return len(self.inputs)

    def mean(self, values: Tensor) -> float:
        """The weighted mean of a value per sample, (n,)."""
        if self.weight is None:
            return float(values.sum(dtype=torch.float64)) / len(self)
        return float(self.weight @ values.double())

    def only(self, mine: Tensor) -> Sampled:
        """The samples at `mine`, bool (n,) with one true that counts, their weights scaled to sum 1 again."""
        weight = None if self.weight is None else self.weight[mine] / self.weight[mine].sum()
        return Sampled(self.inputs[mine], self.targets[mine], weight)


@dataclass(frozen=True)
class Score:
    """`loss` and `accuracy` weighted as the samples are; `group_accuracy` by group name, each sample counting alike.

    `target_loss`, `target_accuracy`: by the name of each of several targets.

    Accuracies are None, and there are no groups, where targets are real-valued.
    """

    loss: float
    accuracy: float | None
    group_accuracy: dict[str, float]
    target_loss: dict[str, float] = field(default_factory=dict)
    target_accuracy: dict[str, float] = field(default_factory=dict)


@torch.no_grad()
def sample_scores(
    model: Model, vector: Tensor, buffers: Tensor, inputs: Tensor, targets: Tensor
) -> tuple[Tensor, Tensor | None]:
    """(Loss of each sample, float64 (n,); whether its largest logit is that of its label, bool (n,)).

    In evaluation mode; outputs in the precision of the model, float64 from there on. The second is None for real-valued
    targets.
    """
    losses, right = [], []
    size = passed_at_once(model, inputs)
    for some, wanted in zip(torch.split(inputs, size), torch.split(targets, size), strict=True):
        logits = model.logits(vector, as_convolved(model, some), buffers if len(buffers) else None)
        losses.append(sample_losses(model.loss, logits.double(), wanted))
        if not wanted.is_floating_point():
            right.append(logits.argmax(-1) == wanted)
    return torch.cat(losses), torch.cat(right) if right else None


def passed_at_once(model: Model, inputs: Tensor) -> int:
    """Samples of one forward pass: measured, a small CNN takes five times as long for 1,024 at once as for 128."""
    if inputs.device.type != "cpu":
        return AT_ONCE
    keep_freed_memory()
    return min(AT_ONCE, _CONVOLVED) if any(layer.kind == "conv" for layer in model.layers) else AT_ONCE


def score(model: Model, vector: Tensor, buffers: Tensor, samples: Sampled) -> Score:
    """Loss and accuracy of a model on the server's samples."""
    return scored(samples, *sample_scores(model, vector, buffers, samples.inputs, samples.targets))


@torch.no_grad()
def scores_of(model: DenseModel, vectors: Tensor, samples: Sampled) -> list[Score]:
    """`score` of several models, rows of `vectors`, of an `is_dense` model, in one pass over the samples."""
    losses, right = _each_loss(model, vectors, samples.inputs.flatten(1), samples.targets)
    return [scored(samples, row, None if right is None else right[place]) for place, row in enumerate(losses)]


def scored(samples: Sampled, losses: Tensor, right: Tensor | None) -> Score:
    """The score that comes of the loss of each sample, and of whether it was right."""
    if right is None:
        return Score(samples.mean(losses), None, {})
    by_group = {}
    if samples.group is not None:
        for number, name in enumerate(samples.group_names):
            mine = samples.group == number
            if bool(mine.any()):
                by_group[name] = int(right[mine].sum()) / int(mine.sum())
    return Score(
        samples.mean(losses),
        samples.mean(right),
        by_group,
        {name: float(weight @ losses) for name, weight in samples.others.items()},
        {name: float(weight @ right.double()) for name, weight in samples.others.items()},
    )


def client_scores(
    model: Model, vector: Tensor, buffers: Tensor, pool: Pool, clients: Sequence[Client]
) -> tuple[Tensor, list[float | None]]:
    """Fₖ(w) of one model at every client, float64 (n_clients,), and its accuracy there (None for real targets).

    All samples go through the model together, so that many small clients cost no more than one large one.
    """
    index = torch.cat([client.index for client in clients])
    targets = torch.cat([client.targets for client in clients])
    return means_by_client(clients, *pool_scores(model, vector, buffers, pool, index, targets))


def pool_scores(
    model: Model, vector: Tensor, buffers: Tensor, pool: Pool, index: Tensor, targets: Tensor
) -> tuple[Tensor, Tensor | None]:
    """`sample_scores` of the samples of the `pool` at `index` (n,), gathered a portion at a time."""
    losses, right = [], []
    size = passed_at_once(model, pool.inputs)
    for some, wanted in zip(torch.split(index, size), torch.split(targets, size), strict=True):
        found, correct = sample_scores(model, vector, buffers, pool.inputs[some], wanted)
        losses.append(found)
        if correct is not None:
            right.append(correct)
    return torch.cat(losses), torch.cat(right) if right else None


def means_by_client(
    clients: Sequence[Client], losses: Tensor, right: Tensor | None
) -> tuple[Tensor, list[float | None]]:
    """(Mean loss of each client, float64 (n_clients,), its accuracy) of all their samples, one client after the other.

    Accuracies are None where `right` is.
    """
    sizes = [len(client) for client in clients]
    means = torch.stack([part.mean() for part in torch.split(losses, sizes)])
    if right is None:
        return means, [None] * len(clients)
    hits = [part.sum() for part in torch.split(right, sizes)]
    return means, [n / size for n, size in zip(torch.stack(hits).tolist(), sizes, strict=True)]


@torch.no_grad()
def shared_scores(
    model: DenseModel, vectors: Tensor, pool: Pool, clients: Sequence[Client]
) -> list[tuple[Tensor, list[float | None]]]:
    """`client_scores` of several models, rows of `vectors`, of an `is_dense` model, on samples gathered once."""
    index = torch.cat([client.index for client in clients])
    targets = torch.cat([client.targets for client in clients])
    losses, right = _each_loss(model, vectors, pool.inputs.flatten(1)[index], targets)
    sizes = [len(client) for client in clients]
    means = torch.stack([part.mean(1) for part in torch.split(losses, sizes, dim=1)], dim=1)
    if right is None:
        return [(row, [None] * len(clients)) for row in means]
    hits = torch.stack([part.sum(1) for part in torch.split(right, sizes, dim=1)], dim=1).tolist()
    return [(row, [n / size for n, size in zip(own, sizes, strict=True)]) for row, own in zip(means, hits, strict=True)]


def _each_loss(model: DenseModel, vectors: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor | None]:
    """`sample_scores` of several models on the same `inputs` (n, n_features): (m, n) each."""
    losses, right = [], []
    for some, wanted in zip(torch.split(inputs, AT_ONCE), torch.split(targets, AT_ONCE), strict=True):
        outputs = dense_outputs(model, vectors, some.expand(len(vectors), *some.shape))
        repeated = wanted.repeat(len(vectors), *(1 for _ in wanted.shape[1:]))
        losses.append(sample_losses(model.loss, outputs.flatten(0, 1).double(), repeated).view(outputs.shape[:2]))
        if not wanted.is_floating_point():
            right.append(outputs.argmax(-1) == wanted)
    return torch.cat(losses, dim=1), torch.cat(right, dim=1) if right else None


def own_scores(
    model: Model, vectors: Tensor, buffers: Tensor, pool: Pool, clients: Sequence[Client]
) -> tuple[Tensor, list[float | None]]:
    """Fₖ(wₖ) of each client's own model, and its accuracy there; `vectors` and `buffers` have a row per client.

    Stacks of linear layers take clients of about one size together, as batched products.
    """
    if is_dense(model):
        return _dense_scores(model, vectors, pool, clients)
    found = [
        client_scores(model, vector, own, pool, [client])
        for vector, own, client in zip(vectors, buffers, clients, strict=True)
    ]
    return torch.cat([loss for loss, _ in found]), [accuracy for _, (accuracy,) in found]


@torch.no_grad()
def _dense_scores(
    model: DenseModel, vectors: Tensor, pool: Pool, clients: Sequence[Client]
) -> tuple[Tensor, list[float | None]]:
    """`own_scores` of `is_dense` models, clients padded to the largest of their group with samples that count 0."""
    losses = vectors.new_zeros(len(clients), dtype=torch.float64)
    hits: list[float | None] = [None] * len(clients)
    samples = pool.inputs.flatten(1)
    for places in _alike([len(client) for client in clients]):
        group = [clients[place] for place in places]
        index = pad_sequence([client.index for client in group], batch_first=True)
        targets = pad_sequence([client.targets for client in group], batch_first=True)
        sizes = torch.tensor([len(client) for client in group], device=index.device)
        real = torch.arange(index.shape[1], device=index.device) < sizes[:, None]
        inputs = samples.index_select(0, index.flatten()).view(*index.shape, -1)
        outputs = dense_outputs(model, vectors[places], inputs)
        each = sample_losses(model.loss, outputs.flatten(0, 1).double(), targets.flatten(0, 1)).view(real.shape)
        # Each client's own samples alone, so that no sum depends on the padding or on who else is there.
        parts = torch.split(each[real], sizes.tolist())
        losses[places] = torch.stack([part.mean() for part in parts])
        if not targets.is_floating_point():
            right = ((outputs.argmax(-1) == targets) & real).sum(1)
            for place, n, size in zip(places, right.tolist(), sizes.tolist(), strict=True):
                hits[place] = n / size
    return losses, hits


def _alike(sizes: Sequence[int]) -> list[list[int]]:
    """Places of clients in groups, the largest first, whose padding takes no more than their samples do."""
    groups: list[list[int]] = []
    for place in sorted(range(len(sizes)), key=lambda k: -sizes[k]):
        widest = sizes[groups[-1][0]] if groups else 0
        if widest > 2 * sizes[place] or not groups or widest * (len(groups[-1]) + 1) > _DENSE:
            groups.append([])
        groups[-1].append(place)
    return groups


def penalty(l2: float, vectors: Tensor) -> Tensor:
    """(l2/2)‖w‖² of each model, float64, (*batch,) of `vectors` (*batch, n_parameters)."""
    if l2 == 0:
        return vectors.new_zeros(vectors.shape[:-1], dtype=torch.float64)
    norms: Tensor = torch.linalg.vector_norm(vectors, dim=-1, dtype=torch.float64)
    return 0.5 * l2 * norms.square()


def in_precision(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Real `values` in `dtype`; classes and tokens as they are."""
    return values.to(dtype) if values.is_floating_point() else values

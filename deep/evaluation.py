"""What models say about samples: losses and accuracy on the server's samples, and at the clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from deep.data import Samples, Scaling
from deep.local.pool import Client, Pool
from deep.models import Model, sample_losses

__all__ = [
    "AT_ONCE",
    "Sampled",
    "Score",
    "client_scores",
    "in_precision",
    "own_scores",
    "penalty",
    "sample_scores",
    "score",
]

AT_ONCE = 1024  # samples of one forward pass, so that activations fit into memory


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
    for some, wanted in zip(torch.split(inputs, AT_ONCE), torch.split(targets, AT_ONCE), strict=True):
        logits = model.logits(vector, some, buffers if len(buffers) else None)
        losses.append(sample_losses(model.loss, logits.double(), wanted))
        if not wanted.is_floating_point():
            right.append(logits.argmax(-1) == wanted)
    return torch.cat(losses), torch.cat(right) if right else None


def score(model: Model, vector: Tensor, buffers: Tensor, samples: Sampled) -> Score:
    """Loss and accuracy of a model on the server's samples."""
    losses, right = sample_scores(model, vector, buffers, samples.inputs, samples.targets)
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
    losses, right = [], []
    for some, wanted in zip(torch.split(index, AT_ONCE), torch.split(targets, AT_ONCE), strict=True):
        found, correct = sample_scores(model, vector, buffers, pool.inputs[some], wanted)
        losses.append(found)
        if correct is not None:
            right.append(correct)
    sizes = [len(client) for client in clients]
    means = torch.stack([part.mean() for part in torch.split(torch.cat(losses), sizes)])
    if not right:
        return means, [None] * len(clients)
    hits = [part.sum() for part in torch.split(torch.cat(right), sizes)]
    return means, [n / size for n, size in zip(torch.stack(hits).tolist(), sizes, strict=True)]


def own_scores(
    model: Model, vectors: Tensor, buffers: Tensor, pool: Pool, clients: Sequence[Client]
) -> tuple[Tensor, list[float | None]]:
    """Fₖ(wₖ) of each client's own model, and its accuracy there; `vectors` and `buffers` have a row per client."""
    found = [
        client_scores(model, vector, own, pool, [client])
        for vector, own, client in zip(vectors, buffers, clients, strict=True)
    ]
    return torch.cat([loss for loss, _ in found]), [accuracy for _, (accuracy,) in found]


def penalty(l2: float, vectors: Tensor) -> Tensor:
    """(l2/2)‖w‖² of each model, float64, (*batch,) of `vectors` (*batch, n_parameters)."""
    if l2 == 0:
        return vectors.new_zeros(vectors.shape[:-1], dtype=torch.float64)
    norms: Tensor = torch.linalg.vector_norm(vectors, dim=-1, dtype=torch.float64)
    return 0.5 * l2 * norms.square()


def in_precision(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Real `values` in `dtype`; classes and tokens as they are."""
    return values.to(dtype) if values.is_floating_point() else values

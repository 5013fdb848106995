"""What rules ask for beyond losses: outputs on the target's samples, gradient variance, accuracy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor
from torch.func import grad, vmap

from deep.data import Scaling, Views, view
from deep.local.pool import Client, Pool
from deep.models import Model, Network, sample_losses
from deep.models.norm import BatchNorm
from deep.partition import target_sample
from deep.partition.sizes import Shares
from deep.task.evaluation import AT_ONCE
from deep.task.wanted import OUTPUTS, SIGNALS
from theory.base.streams import stream

__all__ = [
    "N_GRADIENTS",
    "check_sample_gradients",
    "client_outputs",
    "gradient_variance",
    "label_counts",
    "measure",
    "target_samples",
]

N_GRADIENTS = 128
_ENTRIES = 1 << 22  # of sample gradients held at once, 32 MiB in float64


def measure(
    names: Iterable[str],
    *,
    model: Model,
    start: Tensor,
    start_buffers: Tensor,
    vectors: Tensor,
    buffers: Tensor,
    slots: Sequence[int],
    n_slots: int,
    clients: Sequence[Client],
    pool: Pool,
    target_inputs: Tensor | None,
    views: Views | None,
    scaling: Scaling,
    accuracy: Callable[[], float],
    seed: int,
    round_index: int,
    n_gradients: int = N_GRADIENTS,
) -> dict[str, Tensor]:
    """The signals called `names` of one round, float64 on the model's device; nothing else is computed.

    The m clients present, in one order: `start` (m, n_parameters) and `start_buffers` (m, n_buffers) what each was
    sent, all rows the same unless normalisation is local; `vectors` and `buffers` after local training; `slots`, which
    of the `n_slots` clients of the round they are; `clients` with their samples in `pool`.
    "logits", "view_1", "view_2": `client_outputs` of the trained models on `target_inputs` and on their two `views`,
    drawn anew every round, scaled by `scaling` as models want them. "gradient_variance": see there, (n_slots,), at the
    models sent. "label_counts": (n_slots, n_classes). Absent clients have 0. "accuracy": a scalar, what `accuracy`
    returns: of the broadcast model on the server's validation samples, which is all a server can know (the paper's
    curves, robust_aggregation Figure 1, are of test samples).

    Raises `ValueError` for an unknown name, clients and slots that do not fit, and views or outputs without target
    samples or settings.
    """
    asked = set(names)
    _check(asked, vectors, slots, n_slots, clients)
    found: dict[str, Tensor] = {}
    for name in sorted(asked & OUTPUTS):
        if target_inputs is None or (name != "logits" and views is None):
            lacking = "target samples" if target_inputs is None else "settings of the views"
            raise ValueError(
                f"measure({name!r}): the run has no {lacking}; expected target_inputs, and views for views"
            )
        shown = target_inputs
        if name != "logits" and views is not None:
            shown = view(target_inputs, views, seed, round_index, 1 if name == "view_1" else 2)
        found[name] = client_outputs(model, vectors, buffers, scaling(shown), slots, n_slots)
    if "gradient_variance" in asked:
        own = gradient_variance(model, start, start_buffers, pool, clients, n_gradients, seed, round_index)
        found["gradient_variance"] = own.new_zeros(n_slots).index_copy(0, _places(slots, own), own)
    if "label_counts" in asked:
        counts = label_counts(clients, model.layers[-1].shapes[0][0])
        found["label_counts"] = counts.new_zeros(n_slots, counts.shape[1]).index_copy(0, _places(slots, counts), counts)
    if "accuracy" in asked:
        found["accuracy"] = torch.tensor(accuracy(), dtype=torch.float64, device=vectors.device)
    return found


def label_counts(clients: Sequence[Client], n_classes: int) -> Tensor:
    """How many samples of each class each client has, float64 (m, n_classes); `ValueError` for real-valued targets."""
    if any(client.targets.is_floating_point() for client in clients):
        raise ValueError("label_counts: targets are real numbers and no classes")
    return torch.stack([torch.bincount(c.targets.flatten(), minlength=n_classes).double() for c in clients])


@torch.no_grad()
def client_outputs(
    model: Model, vectors: Tensor, buffers: Tensor, inputs: Tensor, slots: Sequence[int], n_slots: int
) -> Tensor:
    """Outputs before the softmax of m clients' models on the same samples, (n_samples, n_slots, n_classes), float64.

    `vectors` (m, n_parameters), `buffers` (m, n_buffers), `inputs` (n_samples, …). Models run in evaluation mode and in
    float32. Client i stands at `slots[i]`, zeros elsewhere. A model with outputs at each of `length` positions has
    n_samples · length rows.
    """
    pieces = [
        torch.stack([model.logits(v, piece, b).flatten(0, -2) for v, b in zip(vectors, buffers, strict=True)], dim=1)
        for piece in torch.split(inputs, AT_ONCE)
    ]
    own = torch.cat(pieces).double()
    return own.new_zeros(len(own), n_slots, own.shape[2]).index_copy(1, _places(slots, own), own)


def gradient_variance(
    model: Model,
    start: Tensor,
    start_buffers: Tensor,
    pool: Pool,
    clients: Sequence[Client],
    n_gradients: int,
    seed: int,
    round_index: int,
) -> Tensor:
    """σₖ² = E‖∇ℓ(w; ξ) − ∇Fₖ(w)‖² of one sample ξ of client k, estimated, (m,), float64, squared units of gradients.

    Source: exp_alpha, Assumption 3 (ξ "a sampled data point") and the noise term of Theorem 1, at the model w that the
    client was sent: row k of `start` (m, n_parameters) and `start_buffers` (m, n_buffers), in evaluation mode, so that
    a sample's gradient is its own. (A batch of b has σₖ²/b, less where b is no small part of the nₖ samples.)

    With s = min(`n_gradients`, nₖ) samples drawn without replacement from stream (seed, "gradient variance", round,
    client), the estimate is (1 − 1/nₖ)·Σ‖gᵢ − ḡ‖²/(s − 1): unbiased for ξ uniform on the client's samples, exact
    when s = nₖ, and 0 for a client with one sample. Sums are merged piece by piece in float64 (Chan et al. 1983), and
    never more than 4 million entries of gradients are held, or one gradient.

    Raises `ValueError` for `n_gradients` < 2, and for models that normalise with the statistics of the batch, where a
    sample has no gradient of its own.
    """
    if n_gradients < 2:
        raise ValueError(f"gradient_variance(n_gradients={n_gradients}): must be >= 2, or there is no variance")
    check_sample_gradients(model)
    found = []
    for client, vector, buffers in zip(clients, start, start_buffers, strict=True):
        n = len(client)
        drawn = torch.arange(n)
        if n > n_gradients:
            rng = stream(seed, "gradient variance", round_index, client.number)
            drawn = torch.from_numpy(rng.choice(n, n_gradients, replace=False))
        drawn = drawn.to(client.index.device)
        squares = _squares(model, vector, buffers, pool.inputs[client.index[drawn]], client.targets[drawn])
        found.append(squares * ((1 - 1 / n) / max(len(drawn) - 1, 1)))
    return torch.stack(found)


def check_sample_gradients(model: Model) -> None:
    """`ValueError` for a model that normalises with the statistics of the batch."""
    if isinstance(model, Network) and any(isinstance(p, BatchNorm) and not p.running for p in model.module.modules()):
        raise ValueError(
            f"gradient_variance({model.name}): normalises with the statistics of the batch, so a sample has no gradient"
            " of its own; take norm='running' or norm='group'"
        )


def _squares(model: Model, vector: Tensor, buffers: Tensor, inputs: Tensor, targets: Tensor) -> Tensor:
    """Σ‖gᵢ − ḡ‖² of the gradients of all samples, a float64 scalar."""

    def loss(at: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return sample_losses(model.loss, model.logits(at, x[None], buffers), y[None]).sum()

    gradients_of = vmap(grad(loss), in_dims=(None, 0, 0))
    mean = vector.new_zeros(len(vector), dtype=torch.float64)
    total, before = mean.new_zeros(()), 0
    size = max(1, _ENTRIES // len(vector))
    for x, y in zip(torch.split(inputs, size), torch.split(targets, size), strict=True):
        gradients = gradients_of(vector, x, y).double()
        here, count = gradients.mean(0), len(x)
        away = here - mean
        total += (gradients - here).square().sum() + away.square().sum() * (before * count / (before + count))
        mean += away * (count / (before + count))
        before += count
    return total


def target_samples(labels: Tensor, shares: Shares | None, n: int, seed: int, part: str = "validation") -> Tensor:
    """Which `n` samples the server shows unlabelled, drawn without replacement: increasing places, int64 (n,).

    Source: fedssa's U. One draw for the whole run, from the part of the data called `part` (where it is taken from is
    open there, SSA-O6: `RunConfig.target_source`). `labels` (n_samples,) only serve to draw in the proportions `shares`
    (n_classes,) of the target, rounded to whole samples (`deep.partition.target_sample`); without `shares` all samples
    are alike, from stream (seed, "target samples"). `n` = 0: as many as the target admits.
    Raises `ValueError` when there are too few samples, saying how many would do.
    """
    if shares is None:
        if not 0 <= n <= len(labels):
            raise ValueError(
                f"target_samples(n={n}): the {part} part has {len(labels)} samples; expected 1 to {len(labels)}, or 0"
                " for all"
            )
        order = stream(seed, "target samples").permutation(len(labels))
        return torch.from_numpy(order[: n or len(labels)]).sort().values
    known = labels.cpu().numpy()
    try:
        return torch.from_numpy(target_sample(known, shares, seed, n or None))
    except ValueError as error:
        most = len(target_sample(known, shares, seed))
        raise ValueError(
            f"target_samples(n={n}): the {part} part has too few of some class; about {most} fit this target; lower"
            f" n, or keep a larger {part} part ({error})"
        ) from error


def _places(slots: Sequence[int], like: Tensor) -> Tensor:
    return torch.tensor(slots, dtype=torch.int64, device=like.device)


def _check(asked: set[str], vectors: Tensor, slots: Sequence[int], n_slots: int, clients: Sequence[Client]) -> None:
    unknown = sorted(asked - set(SIGNALS))
    if unknown:
        raise ValueError(f"measure(names={unknown}): unknown; expected some of {', '.join(SIGNALS)}")
    m = len(vectors)
    if not m or len(slots) != m or len(clients) != m or sorted(set(slots) & set(range(n_slots))) != sorted(slots):
        raise ValueError(
            f"measure(slots={list(slots)}): for {m} vectors, {len(clients)} clients and {n_slots} slots; expected one"
            " slot of its own for every vector and client, each below n_slots"
        )

"""Minibatch noise over finite data: mean zero, with the exact variance at every model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from theory.arrays import Array, device_of, namespace
from theory.streams import stream

__all__ = ["EpochNoise", "FiniteSum", "MinibatchNoise", "ModelNoise", "epoch_steps"]

Draws = NDArray[np.float64]


@runtime_checkable
class ModelNoise(Protocol):
    """Noise that depends on the model, so that it is drawn step by step: E[nᵢ | wᵢ] = 0, E[‖nᵢ‖² | wᵢ] = `variance`.

    `models` wᵢ: (*batch, n_clients, dim); the noise has that shape, the variance (*batch, n_clients).
    """

    def gradient_noise(self, models: Array, seed: int, round_index: int, step: int) -> Any: ...
    def variance(self, models: Array) -> Any: ...


class FiniteSum(Protocol):
    """Clients whose loss is a mean over samples; `mask` (n_clients, n_max) is 1 where there is one, 0 where padded.

    `sample_gradients` (*batch, n_clients, n_max, dim), up to a part common to all samples of a client.
    """

    @property
    def mask(self) -> Array: ...
    def sample_gradients(self, models: Array) -> Any: ...


@dataclass(frozen=True, eq=False)
class MinibatchNoise:
    """Mean gradient of a random minibatch minus that of all the client's samples, at the model it is asked for.

    `samples`: a `RidgeSamples`, a `LogisticFederation`, or any `FiniteSum`; `batch_size` b >= 1, drawn with or without
    `replacement`, afresh for every step, client and batch element; without, b <= nᵢ for every client, and b = nᵢ has
    no noise. Source: fedaware FA-A4.3, whose variance may depend on x.
    """

    samples: FiniteSum
    batch_size: int
    replacement: bool = False

    def __post_init__(self) -> None:
        xp = namespace(self.samples.mask)
        fewest = int(xp.min(xp.sum(self.samples.mask, axis=-1)))
        if self.batch_size < 1 or (not self.replacement and self.batch_size > fewest):
            raise ValueError(
                f"MinibatchNoise(batch_size={self.batch_size}): must be >= 1, and without replacement <= {fewest}, the"
                " samples of the smallest client"
            )

    def gradient_noise(self, models: Array, seed: int, round_index: int, step: int) -> Any:
        """nᵢ at wᵢ, (*batch, n_clients, dim) as `models`; the draw depends on (seed, round, step, client)."""
        xp = namespace(self.samples.mask, models)
        gradients = self.samples.sample_gradients(models)
        counts = np.stack(
            [
                self._counts(stream(seed, "minibatch", round_index, step, client), tuple(models.shape[:-2]), size)
                for client, size in enumerate(_sizes(self.samples))
            ],
            axis=-2,
        )
        weight = xp.asarray(counts / self.batch_size, dtype=gradients.dtype, device=device_of(gradients))
        mean = self.samples.mask / xp.sum(self.samples.mask, axis=-1, keepdims=True)
        return xp.sum((weight - mean)[..., None] * gradients, axis=-2)

    def variance(self, models: Array) -> Any:
        """E‖nᵢ‖² at wᵢ, (*batch, n_clients): Vᵢ/b, Vᵢ = 1/nᵢ Σₛ‖gₛ − ḡ‖²; without replacement times (nᵢ−b)/(nᵢ−1)."""
        xp = namespace(self.samples.mask, models)
        gradients, mask = self.samples.sample_gradients(models), self.samples.mask
        size = xp.sum(mask, axis=-1)
        mean = xp.sum(mask[..., None] * gradients, axis=-2, keepdims=True) / size[..., None, None]
        spread = xp.sum(mask[..., None] * (gradients - mean) ** 2, axis=(-2, -1)) / size
        if self.replacement:
            return spread / self.batch_size
        # One sample has no spread; its factor 0/0 is read as 0/1.
        return spread / self.batch_size * (size - self.batch_size) / xp.maximum(size - 1, xp.ones_like(size))

    def _counts(self, generator: np.random.Generator, batch: tuple[int, ...], size: int) -> Draws:
        """How often each sample is in the minibatch, (*batch, n_max): multinomial, or 0/1 without replacement."""
        counts = np.zeros((*batch, self.samples.mask.shape[-1]))
        if self.replacement:
            counts[..., :size] = generator.multinomial(self.batch_size, np.full(size, 1 / size), size=batch)
        else:
            order = np.argsort(generator.random((*batch, size)), axis=-1)
            np.put_along_axis(counts, order[..., : self.batch_size], 1.0, axis=-1)
        return counts


def epoch_steps(samples: FiniteSum, batch_size: int, n_epochs: int) -> tuple[int, ...]:
    """Local steps of each client in `n_epochs` passes over its samples, n_epochs·⌈nᵢ/b⌉; one row of `GivenSteps`."""
    if batch_size < 1 or n_epochs < 1:
        raise ValueError(f"epoch_steps(batch_size={batch_size}, n_epochs={n_epochs}): both must be >= 1")
    return tuple(n_epochs * -(-size // batch_size) for size in _sizes(samples))


@dataclass(frozen=True, eq=False)
class EpochNoise:
    """Noise of local epochs: minibatches run through a fresh shuffle of the client's samples, none used twice a pass.

    At step s client i uses batch s mod ⌈nᵢ/b⌉ of pass s div ⌈nᵢ/b⌉; the last batch of a pass may be smaller. The mean
    over a uniformly drawn step is zero where b divides nᵢ; within a pass the batches depend on each other.
    Source: robust_aggregation RA-ALG1 («E local epochs»). With unequal sizes give each client its own number of steps,
    `epoch_steps`, through `GivenSteps`.
    """

    samples: FiniteSum
    batch_size: int

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise ValueError(f"EpochNoise(batch_size={self.batch_size}): must be >= 1")

    def gradient_noise(self, models: Array, seed: int, round_index: int, step: int) -> Any:
        """nᵢ at wᵢ, (*batch, n_clients, dim) as `models`; the shuffle depends on (seed, round, pass, client)."""
        xp = namespace(self.samples.mask, models)
        gradients = self.samples.sample_gradients(models)
        batch = tuple(models.shape[:-2])
        rows = []
        for client, size in enumerate(_sizes(self.samples)):
            a_pass = -(-size // self.batch_size)
            source = stream(seed, "epoch", round_index, step // a_pass, client)
            rank = source.random((*batch, size)).argsort(axis=-1).argsort(axis=-1)
            chosen = rank // self.batch_size == step % a_pass
            row = np.zeros((*batch, self.samples.mask.shape[-1]))
            row[..., :size] = chosen / chosen.sum(axis=-1, keepdims=True)
            rows.append(row)
        weight = xp.asarray(np.stack(rows, axis=-2), dtype=gradients.dtype, device=device_of(gradients))
        mean = self.samples.mask / xp.sum(self.samples.mask, axis=-1, keepdims=True)
        return xp.sum((weight - mean)[..., None] * gradients, axis=-2)

    def variance(self, models: Array) -> Any:
        """E‖nᵢ‖² of the first batch of a pass, (*batch, n_clients): that of b samples without replacement.

        Raises `ValueError` when a client has fewer than b samples; then its pass is one full batch without noise.
        """
        return MinibatchNoise(self.samples, self.batch_size).variance(models)


def _sizes(samples: FiniteSum) -> list[int]:
    return [int(n) for n in namespace(samples.mask).sum(samples.mask, axis=-1)]

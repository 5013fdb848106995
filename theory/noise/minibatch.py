"""Minibatch noise over finite data: mean zero, with the exact variance at every model; deep runs take its batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from theory.base.arrays import Array, device_of, namespace
from theory.base.streams import stream
from theory.participation.batches import LocalBatches, epoch_batches, step_batches

__all__ = ["DrawnGradient", "EpochNoise", "FiniteSum", "MinibatchNoise", "ModelNoise", "epoch_steps"]

Rows = NDArray[np.int64]
Weights = NDArray[np.float64]


@runtime_checkable
class ModelNoise(Protocol):
    """Noise that depends on the model, so that it is drawn step by step: E[nᵢ | wᵢ] = 0, E[‖nᵢ‖² | wᵢ] = `variance`.

    `models` wᵢ: (*batch, n_clients, dim); the noise has that shape, the variance (*batch, n_clients).
    """

    def gradient_noise(self, models: Array, seed: int, round_index: int, step: int) -> Any: ...
    def variance(self, models: Array) -> Any: ...


class FiniteSum(Protocol):
    """Clients whose loss is a mean over samples plus (l2/2)‖w‖²; `mask` (n_clients, n_max) is 1 where there is one.

    `batch_gradients(models, rows, weight)`: Σ weight·∇ℓ over the samples at `rows`, both (*batch, n_clients, b),
    without the l2 term, (*batch, n_clients, dim). `sample_squares`: ‖∇ℓ‖² of every sample, (*batch, n_clients, n_max),
    without forming the gradients, which for images are gigabytes.
    """

    @property
    def mask(self) -> Array: ...
    @property
    def l2(self) -> float: ...
    def batch_gradients(self, models: Array, rows: Rows, weight: Array) -> Any: ...
    def sample_squares(self, models: Array) -> Any: ...


@dataclass(frozen=True, eq=False)
class DrawnGradient:
    """The stochastic gradients of a round, once their batches are drawn: step e and models → ∇ℓ, the l2 term included.

    `rows`, `weight`: (n_steps, *batch, n_clients, b), weight 0 on padding.
    """

    samples: FiniteSum
    rows: Rows
    weight: Weights

    def __call__(self, models: Array, step: int) -> Any:
        """Σ weight·∇ℓ of the step's rows plus l2·wᵢ, (*batch, n_clients, dim) as `models`."""
        return self.data(models, step) + self.samples.l2 * models

    def data(self, models: Array, step: int) -> Any:
        """The same without the l2 term."""
        xp = namespace(self.samples.mask, models)
        weight = xp.asarray(self.weight[step], dtype=models.dtype, device=device_of(models))
        return self.samples.batch_gradients(models, self.rows[step], weight)


@dataclass(frozen=True, eq=False)
class MinibatchNoise:
    """Mean gradient of a random minibatch minus that of all the client's samples, at the model it is asked for.

    `samples`: a `RidgeSamples`, a `LogisticFederation`, or any `FiniteSum`; `batch_size` b >= 1, drawn with or without
    `replacement`, afresh for every step, client and batch element; without, a client with fewer samples takes them all,
    and has no noise. Without replacement and batch axes the batches are those of
    `theory.participation.batches.step_batches`, which deep runs take, too. Source: fedaware FA-A4.3, whose variance may
    depend on x.
    """

    samples: FiniteSum
    batch_size: int
    replacement: bool = False

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise ValueError(f"MinibatchNoise(batch_size={self.batch_size}): must be >= 1")

    def gradient_noise(self, models: Array, seed: int, round_index: int, step: int) -> Any:
        """nᵢ at wᵢ, (*batch, n_clients, dim) as `models`; the draw depends on (seed, round, step, client)."""
        drawn = self._drawn(seed, round_index, tuple(models.shape[:-1]), range(step, step + 1))
        return drawn.data(models, 0) - _data_gradients(self.samples, models)

    def drawn(self, seed: int, round_index: int, shape: tuple[int, ...], n_steps: int) -> DrawnGradient:
        """The gradients of a whole round for models of shape (*batch, n_clients) = `shape` and dim."""
        return self._drawn(seed, round_index, shape, range(n_steps))

    def variance(self, models: Array) -> Any:
        """E‖nᵢ‖² at wᵢ, (*batch, n_clients): Vᵢ/b, Vᵢ = 1/nᵢ Σₛ‖gₛ‖² − ‖ḡ‖²; without replacement times (nᵢ−b)/(nᵢ−1).

        Where samples hardly differ Vᵢ is a difference of near numbers: its error is some eps·‖ḡ‖².
        """
        xp = namespace(self.samples.mask, models)
        squares, mask = self.samples.sample_squares(models), self.samples.mask
        size = xp.sum(mask, axis=-1)
        spread = xp.sum(mask * squares, axis=-1) / size - xp.sum(_data_gradients(self.samples, models) ** 2, axis=-1)
        spread = xp.where(spread > 0, spread, xp.zeros_like(spread))
        if self.replacement:
            return spread / self.batch_size
        taken = xp.minimum(size, xp.full_like(size, self.batch_size))
        # One sample has no spread; its factor 0/0 is read as 0/1.
        return spread / taken * (size - taken) / xp.maximum(size - 1, xp.ones_like(size))

    def _drawn(self, seed: int, round_index: int, shape: tuple[int, ...], steps: range) -> DrawnGradient:
        sizes = _sizes(self.samples)
        if self.replacement or len(shape) > 1:
            draws = [self._replicas(seed, round_index, step, shape, sizes) for step in steps]
            return DrawnGradient(self.samples, *(np.stack(parts) for parts in zip(*draws, strict=True)))
        b = self.batch_size
        batches = [
            step_batches(seed, round_index, client, n_samples=n, batch_size=b, n_steps=steps.stop)
            for client, n in enumerate(sizes)
        ]
        return DrawnGradient(self.samples, *_side_by_side(batches, steps))

    def _replicas(
        self, seed: int, round_index: int, step: int, shape: tuple[int, ...], sizes: Sequence[int]
    ) -> tuple[Rows, Weights]:
        """Rows and weights of one step, (*batch, n_clients, b), all batch elements drawn at once."""
        rows, weight = np.zeros((*shape, self.batch_size), dtype=np.int64), np.zeros((*shape, self.batch_size))
        for client, size in enumerate(sizes):
            rng = stream(seed, "minibatch", round_index, step, client)
            if self.replacement:
                rows[..., client, :] = rng.integers(size, size=(*shape[:-1], self.batch_size))
                weight[..., client, :] = 1 / self.batch_size
            else:
                taken = min(size, self.batch_size)
                rows[..., client, :taken] = np.argsort(rng.random((*shape[:-1], size)), axis=-1)[..., :taken]
                weight[..., client, :taken] = 1 / taken
        return rows, weight


def epoch_steps(samples: FiniteSum, batch_size: int, n_epochs: int) -> tuple[int, ...]:
    """Local steps of each client in `n_epochs` passes over its samples, n_epochs·⌈nᵢ/b⌉; one row of `GivenSteps`."""
    if batch_size < 1 or n_epochs < 1:
        raise ValueError(f"epoch_steps(batch_size={batch_size}, n_epochs={n_epochs}): both must be >= 1")
    return tuple(n_epochs * -(-size // batch_size) for size in _sizes(samples))


@dataclass(frozen=True, eq=False)
class EpochNoise:
    """Noise of local epochs: minibatches run through a fresh shuffle of the client's samples, none used twice a pass.

    At step s client i uses batch s mod ⌈nᵢ/b⌉ of pass s div ⌈nᵢ/b⌉; the last batch of a pass may be smaller. The mean
    over a uniformly drawn step is zero where b divides nᵢ; within a pass the batches depend on each other. Without
    batch axes the batches are those of `theory.participation.batches.epoch_batches`, which deep runs take, too.
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
        drawn = self._drawn(seed, round_index, tuple(models.shape[:-1]), range(step, step + 1))
        return drawn.data(models, 0) - _data_gradients(self.samples, models)

    def drawn(self, seed: int, round_index: int, shape: tuple[int, ...], n_steps: int) -> DrawnGradient:
        """The gradients of a whole round for models of shape (*batch, n_clients) = `shape` and dim."""
        return self._drawn(seed, round_index, shape, range(n_steps))

    def variance(self, models: Array) -> Any:
        """E‖nᵢ‖² of the first batch of a pass, (*batch, n_clients): that of b samples without replacement."""
        return MinibatchNoise(self.samples, self.batch_size).variance(models)

    def _drawn(self, seed: int, round_index: int, shape: tuple[int, ...], steps: range) -> DrawnGradient:
        sizes = _sizes(self.samples)
        if len(shape) > 1:
            draws = [self._replicas(seed, round_index, step, shape, sizes) for step in steps]
            return DrawnGradient(self.samples, *(np.stack(parts) for parts in zip(*draws, strict=True)))
        batches = []
        for client, n in enumerate(sizes):
            n_epochs = -(-steps.stop // -(-n // self.batch_size))
            batches.append(
                epoch_batches(seed, round_index, client, n_samples=n, batch_size=self.batch_size, n_epochs=n_epochs)
            )
        return DrawnGradient(self.samples, *_side_by_side(batches, steps))

    def _replicas(
        self, seed: int, round_index: int, step: int, shape: tuple[int, ...], sizes: Sequence[int]
    ) -> tuple[Rows, Weights]:
        """Rows and weights of one step, (*batch, n_clients, b), all batch elements shuffled at once."""
        width = min(self.batch_size, max(sizes))
        rows, weight = np.zeros((*shape, width), dtype=np.int64), np.zeros((*shape, width))
        for client, size in enumerate(sizes):
            a_pass = -(-size // self.batch_size)
            rng = stream(seed, "epoch", round_index, step // a_pass, client)
            order = rng.random((*shape[:-1], size)).argsort(axis=-1)
            first = self.batch_size * (step % a_pass)
            taken = min(self.batch_size, size - first)
            rows[..., client, :taken] = order[..., first : first + taken]
            weight[..., client, :taken] = 1 / taken
        return rows, weight


def _data_gradients(samples: FiniteSum, models: Array) -> Any:
    """The mean gradient over all of a client's samples, without the l2 term, (*batch, n_clients, dim)."""
    xp = namespace(samples.mask, models)
    n_clients, n_max = samples.mask.shape
    rows = np.tile(np.arange(n_max), (n_clients, 1))
    return samples.batch_gradients(models, rows, samples.mask / xp.sum(samples.mask, axis=-1, keepdims=True))


def _side_by_side(batches: Sequence[LocalBatches], steps: range) -> tuple[Rows, Weights]:
    """Rows and weights of all clients at `steps`, (n_steps, n_clients, b)."""
    width = max(batch.index.shape[1] for batch in batches)
    rows = np.zeros((len(steps), len(batches), width), dtype=np.int64)
    weight = np.zeros(rows.shape)
    for client, batch in enumerate(batches):
        index, count = batch.index[steps.start : steps.stop], batch.count[steps.start : steps.stop]
        rows[:, client, : index.shape[1]] = index
        weight[:, client] = (np.arange(width) < count[:, None]) / count[:, None]
    return rows, weight


def _sizes(samples: FiniteSum) -> list[int]:
    return [int(n) for n in namespace(samples.mask).sum(samples.mask, axis=-1)]

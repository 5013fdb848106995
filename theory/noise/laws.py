"""Gradient noise with mean zero and certified variance: independent, shared, exclusive, tied to the cohort, sampled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from theory.base.streams import stream
from theory.participation.sampling import Plan, RoundContext

__all__ = [
    "ExclusiveNoise",
    "Noise",
    "NoiseParticipation",
    "ParticipationNoise",
    "SharedNoise",
    "SignNoise",
    "SparseNoise",
    "SphereNoise",
    "correlated_participation",
]

Draws = NDArray[np.float64]


class Noise(Protocol):
    """Additive noise that does not look at the model: E nᵢ = 0 and E‖nᵢ‖² = σᵢ² at every step, for every client.

    `draw` gives one round, `shape` = (n_local_steps, *batch, n_clients, dim).
    Source: exp_alpha EA-A3, fedaware FA-A4.3.
    """

    @property
    def sigma(self) -> tuple[float, ...]: ...
    def draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Draws: ...


@dataclass(frozen=True)
class SignNoise:
    """Each coordinate of client i's noise is ±σᵢ/√dim, independent over clients, steps and coordinates.

    ‖nᵢ‖ = σᵢ exactly, so the variance bound σᵢ² of exp_alpha EA-A3 (trace of the covariance) holds with equality.
    `sigma`: one σ >= 0 per client, in units of the gradient; negative or non-finite values raise `ValueError`.
    """

    sigma: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_sigma(self)

    def draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Draws:
        """Noise of one round, `shape` = (n_local_steps, *batch, n_clients, dim); every client has its own stream."""
        n_local_steps, *batch, _, dim = _check_shape(self, shape)
        # Clients first in memory, a replica's steps together: each is written, and later rotated, in one stretch.
        out = np.empty((len(self.sigma), *batch, n_local_steps, dim))
        for client, sigma in enumerate(self.sigma):
            size = sigma / dim**0.5
            source = stream(seed, "noise", round_index, client)
            # One random bit a sign: eight signs a random byte.
            packed = np.frombuffer(source.bytes(-(-out[client].size // 8)), dtype=np.uint8)
            signs = np.unpackbits(packed, count=out[client].size).reshape(out[client].shape)
            np.multiply(signs, 2 * size, out=out[client])
            out[client] -= size
        return np.moveaxis(np.moveaxis(out, 0, -2), -3, 0)


@dataclass(frozen=True)
class SphereNoise:
    """Uniform on the sphere of radius σᵢ: ‖nᵢ‖ = σᵢ to rounding, covariance (σᵢ²/dim)·I; `sigma` as in `SignNoise`."""

    sigma: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_sigma(self)

    def draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Draws:
        """Noise of one round, `shape` = (n_local_steps, *batch, n_clients, dim)."""
        n_local_steps, *batch, _, dim = _check_shape(self, shape)
        out = np.empty(shape)
        for client, sigma in enumerate(self.sigma):
            raw = stream(seed, "noise-sphere", round_index, client).standard_normal((n_local_steps, *batch, dim))
            out[..., client, :] = raw * (sigma / np.linalg.norm(raw, axis=-1, keepdims=True))
        return out


@dataclass(frozen=True)
class SparseNoise:
    """0 with probability 1 − q, else ±σᵢ/√q along one coordinate drawn uniformly: rare and large, variance σᵢ² exactly.

    `rate` q in (0, 1]; the fourth moment σᵢ⁴/q grows without bound as q → 0. `sigma` as in `SignNoise`.
    """

    sigma: tuple[float, ...]
    rate: float = 0.1

    def __post_init__(self) -> None:
        _check_sigma(self)
        if not 0 < self.rate <= 1:
            raise ValueError(f"SparseNoise(rate={self.rate}): must be in (0, 1]")

    def draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Draws:
        """Noise of one round, `shape` = (n_local_steps, *batch, n_clients, dim)."""
        n_local_steps, *batch, _, dim = _check_shape(self, shape)
        size, out = (n_local_steps, *batch), np.zeros(shape)
        for client, sigma in enumerate(self.sigma):
            generator = stream(seed, "noise-sparse", round_index, client)
            hit = generator.random(size) < self.rate
            sign = 2.0 * generator.integers(0, 2, size=size) - 1.0
            axis = generator.integers(0, dim, size=size)
            height = hit * sign * (sigma / self.rate**0.5)
            np.put_along_axis(out[..., client, :], axis[..., None], height[..., None], axis=-1)
        return out


@dataclass(frozen=True)
class SharedNoise:
    """Every client has client 0's noise, scaled to its own σᵢ: the variance of each is kept, their correlation is 1.

    The mean Σpᵢnᵢ then has variance (Σpᵢσᵢ)², not Σpᵢ²σᵢ²: what "independent clients" buys is gone.
    Needs σ₀ > 0. Source: fedssa SSA-A3, "shared across clients".
    """

    noise: Noise

    def __post_init__(self) -> None:
        if not self.noise.sigma[0] > 0:
            raise ValueError(f"SharedNoise(noise with sigma={self.noise.sigma}): client 0 lends its noise, needs σ > 0")

    @property
    def sigma(self) -> tuple[float, ...]:
        """The σᵢ of the wrapped noise."""
        return self.noise.sigma

    def draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Draws:
        """Noise of one round, `shape` = (n_local_steps, *batch, n_clients, dim)."""
        drawn = self.noise.draw(seed, round_index, shape)
        return drawn[..., :1, :] * (np.asarray(self.sigma) / self.sigma[0])[:, None]


@dataclass(frozen=True)
class ExclusiveNoise:
    """At each step only one client has noise, √N times its own: uncorrelated clients that are never noisy together.

    `order` "drawn": the client is uniform over the N, afresh at every step, so E‖nᵢ‖² = σᵢ² at every step.
    "round-robin": client t mod N at step t of the run. *Differs* from the contract of `Noise`: the variance is Nσᵢ² at
    the client's turn and 0 otherwise, σᵢ² only as the mean over N steps; a per-step bound needs √N·σᵢ.
    """

    noise: Noise
    order: Literal["drawn", "round-robin"] = "drawn"

    def __post_init__(self) -> None:
        if self.order not in ("drawn", "round-robin"):
            raise ValueError(f"ExclusiveNoise(order={self.order!r}): expected 'drawn' or 'round-robin'")

    @property
    def sigma(self) -> tuple[float, ...]:
        """The σᵢ of the wrapped noise."""
        return self.noise.sigma

    def draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Draws:
        """Noise of one round, `shape` = (n_local_steps, *batch, n_clients, dim)."""
        drawn = self.noise.draw(seed, round_index, shape)
        n_local_steps, *batch, n_clients, _ = shape
        if self.order == "drawn":
            turn = stream(seed, "noise-exclusive", round_index).integers(0, n_clients, size=(n_local_steps, *batch))
        else:
            step = round_index * n_local_steps + np.arange(n_local_steps)
            turn = np.broadcast_to((step % n_clients).reshape((-1, *(1,) * len(batch))), (n_local_steps, *batch))
        mine = turn[..., None] == np.arange(n_clients)
        return np.asarray(np.where(mine[..., None], drawn * n_clients**0.5, 0.0))


@dataclass(frozen=True)
class ParticipationNoise:
    """The wrapped noise, its first step in each round mirrored so that its sign tells who is present.

    `noise` must be symmetric (nᵢ and −nᵢ alike), as all laws of this module are. Client i's first-step noise nᵢ is
    multiplied by sᵢ·sign(nᵢ[coordinate]), sᵢ = ±1 a fair bit of its own (seed, round, client, batch element): nᵢ keeps
    its law, mean 0 and variance σᵢ², and its `coordinate`, where not 0, has the sign sᵢ. Later steps are as they were,
    so the noise is still unbiased given the past.
    """

    noise: Noise
    coordinate: int = 0

    @property
    def sigma(self) -> tuple[float, ...]:
        """The σᵢ of the wrapped noise."""
        return self.noise.sigma

    def draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Draws:
        """Noise of one round, `shape` = (n_local_steps, *batch, n_clients, dim)."""
        if not 0 <= self.coordinate < shape[-1]:
            raise ValueError(f"ParticipationNoise(coordinate={self.coordinate}): must be in [0, {shape[-1]})")
        drawn = self.noise.draw(seed, round_index, shape).copy()
        mirror = _bits(seed, round_index, shape[1:-1]) * np.where(drawn[0, ..., self.coordinate] < 0, -1.0, 1.0)
        drawn[0] *= mirror[..., None]
        return drawn


@dataclass(frozen=True)
class NoiseParticipation:
    """Client i is present iff its bit sᵢ = +1, the one that `ParticipationNoise` gives its noise of that round.

    A draw with nobody present means everybody is: no client's noise is then one-sided, with probability 2^−N.
    """

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Presence (*batch, n_clients), at least one true per batch element; `context` is not looked at."""
        present = _bits(seed, round_index, shape) > 0
        return Plan(present | ~present.any(axis=-1, keepdims=True))


def correlated_participation(noise: Noise, coordinate: int = 0) -> tuple[ParticipationNoise, NoiseParticipation]:
    """(noise, participation law) for one run with one seed: E nᵢ = 0, yet E[nᵢ | i present] > 0 along `coordinate`.

    Source: efl, prose of §3: the activity may have "any distributions and correlations" (behind EFL-A6).
    """
    return ParticipationNoise(noise, coordinate), NoiseParticipation()


def _bits(seed: int, round_index: int, shape: tuple[int, ...]) -> Draws:
    """sᵢ = ±1, (*batch, n_clients): the one stream behind noise and participation."""
    *batch, n_clients = shape
    bits = [
        stream(seed, "noise-participation", round_index, client).integers(0, 2, size=batch)
        for client in range(n_clients)
    ]
    return np.asarray(2.0 * np.stack(bits, axis=-1) - 1.0)


def _check_sigma(noise: Noise) -> None:
    if not noise.sigma or not all(0 <= s < float("inf") for s in noise.sigma):
        raise ValueError(f"{type(noise).__name__}(sigma={noise.sigma}): expected one finite value >= 0 per client")


def _check_shape(noise: Noise, shape: tuple[int, ...]) -> tuple[int, ...]:
    if shape[-2] != len(noise.sigma):
        raise ValueError(f"{type(noise).__name__}(sigma=…): {len(noise.sigma)} values for {shape[-2]} clients")
    return shape

"""Finished rounds in the clients' eigenbases: with every state kept, or as diagonal factors of the first."""

from __future__ import annotations

from typing import Any, Protocol

from theory.base.arrays import long_layout, namespace
from theory.simulate.local_steps.work import with_rest

__all__ = ["DiagonalRound", "Eigenbases", "FlatEigenbases", "WalkedRound", "along_last", "dot", "turned"]


class Eigenbases(Protocol):
    """The clients' eigenbases, as a round reads them; states z are (*batch, n, d)."""

    def losses_at(self, model: Any) -> Any: ...
    def losses_of(self, z: Any) -> Any: ...
    def squares_of(self, z: Any) -> Any: ...
    def centred(self, model: Any) -> Any: ...
    def combine(self, weights: Any, z: Any) -> Any: ...
    def out(self, z: Any) -> Any: ...


class FlatEigenbases(Eigenbases, Protocol):
    """Those of one federation, whose clients and coordinates are one flat axis of length n·d."""

    n: int
    d: int
    many: bool
    spectrum: Any
    half: Any
    floor: Any
    back: Any
    centers: Any

    def losses_from(self, squares: Any) -> Any: ...
    def within(self, squares: Any, factors: Any) -> Any: ...


class WalkedRound:
    """A round of which the states are kept."""

    def __init__(self, work: Eigenbases, model: Any, states: list[Any]) -> None:
        self.work, self.model, self.states = work, model, states

    def loss_before(self) -> Any:
        return self.work.losses_of(self.states[0])

    def loss_after(self) -> Any:
        return self.work.losses_of(self.states[-1])

    def combine(self, weights: Any) -> Any:
        return self.work.combine(weights, self.states[-1])

    def merge(self, weights: Any) -> Any:
        return with_rest(self.combine(weights), weights, self.model)

    def updates(self) -> Any:
        return self.work.out(self.states[-1]) - self.model[..., None, :]

    def squares(self) -> Any:
        return namespace(self.model).stack([self.work.squares_of(z) for z in self.states[:-1]])

    def steps(self, weights: Any, *, spread: bool) -> tuple[Any, Any, Any]:
        return self._steps([weights] * (len(self.states) - 1), spread=spread)

    def steps_by_step(self, weights: Any) -> tuple[Any, Any, Any]:
        """The same with weights (E, *batch, n) of their own at each step."""
        return self._steps([weights[e] for e in range(len(self.states) - 1)], spread=True)

    def _steps(self, weights: list[Any], *, spread: bool) -> tuple[Any, Any, Any]:
        xp = namespace(weights[0])
        means, losses, spreads = [], [], []
        for a, z in zip(weights, self.states[:-1], strict=True):
            mean = self.work.combine(a, z)
            there = self.work.centred(mean)
            means.append(mean)
            losses.append(self.work.losses_of(there))
            if spread:  # Qₖ is orthogonal, so distances may be taken in the eigenbasis
                spreads.append(along_last(long_layout(a) * along_last((z - there) ** 2)))
        return xp.stack(means), xp.stack(losses), xp.stack(spreads) if spread else None


class DiagonalRound:
    """A noiseless round: state e is factorₑ·z₀, so every step is a matrix product away from z₀ or z₀²."""

    def __init__(self, work: FlatEigenbases, model: Any, start: Any, last: Any, factors: Any | None) -> None:
        self.work, self.model, self.start, self.last, self.factors = work, model, start, last, factors

    def loss_before(self) -> Any:
        return self.work.losses_from(self.start * self.start)

    def loss_after(self) -> Any:
        return self.work.within(self.start * self.start, self.work.half * self.last**2) + self.work.floor

    def combine(self, weights: Any) -> Any:
        xp, work = namespace(weights), self.work
        shape = (*self.start.shape[:-1], work.n, work.d)
        if work.many:
            return work.combine(weights, self.last * xp.reshape(self.start, shape))
        z = weights[..., None] * xp.reshape(self.start, shape)
        back = xp.reshape(self.last, (-1, 1)) * work.back
        return xp.reshape(z, self.start.shape) @ back + weights @ work.centers

    def merge(self, weights: Any) -> Any:
        return with_rest(self.combine(weights), weights, self.model)

    def updates(self) -> Any:
        xp = namespace(self.start)
        shape = (*self.start.shape[:-1], self.work.n, self.work.d)
        return self.work.out(xp.reshape(self.start, shape) * self.last) - self.model[..., None, :]

    def squares(self) -> Any:
        """Σⱼ λ²·factor²·start², (E, *batch, n)."""
        factors = self.work.spectrum**2 * self._factors() ** 2
        return self.work.within(self.start * self.start, factors)

    def steps(self, weights: Any, *, spread: bool) -> tuple[Any, Any, Any]:
        xp = namespace(weights)
        factors = self._factors()
        mean = self._mean(weights, factors)
        losses = self.work.losses_at(mean)
        if not spread:
            return mean, losses, None
        # Σ aₖ‖wₖ − w̄‖² = Σ aₖ‖wₖ − w‖² − ‖w̄ − w‖² about the broadcast model w, where wₖ − w is (factor − 1)z₀.
        away = self.work.within(self.start * self.start, (factors - 1) ** 2)
        moved = xp.sum((mean - self.model) ** 2, axis=-1)
        total = xp.sum(weights, axis=-1)
        around = xp.sum(weights * away, axis=-1) - moved * (2 - total)
        return mean, losses, xp.maximum(around, xp.zeros_like(around))

    def steps_by_step(self, weights: Any) -> tuple[Any, Any, Any]:
        """The same with weights (E, *batch, n) of their own at each step."""
        xp, factors = namespace(weights), self._factors()
        z = xp.reshape(self.start, (*self.start.shape[:-1], self.work.n, self.work.d))
        states = [factors[e] * z for e in range(factors.shape[0])]
        return WalkedRound(self.work, self.model, [*states, self.last * z]).steps_by_step(weights)

    def _factors(self) -> Any:
        if self.factors is None:
            raise ValueError("this round was run without path=True")
        return self.factors

    def _mean(self, weights: Any, factors: Any) -> Any:
        """Σ aₖ(mₖ + Qₖ factorₖ zₖ) for each row of factors, (rows, *batch, d)."""
        xp = namespace(weights)
        work, rows = self.work, factors.shape[0]
        shape = (*self.start.shape[:-1], work.n, work.d)
        if work.many:
            z = xp.reshape(self.start, shape)
            return xp.stack([work.combine(weights, factors[e] * z) for e in range(rows)])
        weighted = xp.reshape(weights[..., None] * xp.reshape(self.start, shape), self.start.shape)
        back = xp.reshape(factors, (rows, work.n * work.d, 1)) * work.back
        wide = xp.reshape(xp.permute_dims(back, (1, 0, 2)), (work.n * work.d, rows * work.d))
        flat = xp.reshape(weighted @ wide, (*self.start.shape[:-1], rows, work.d))
        axes = (flat.ndim - 2, *range(flat.ndim - 2), flat.ndim - 1)
        return xp.permute_dims(flat, axes) + weights @ work.centers


def dot(left: Any, right: Any) -> Any:
    """Σⱼ leftⱼ·rightⱼ over the last axis, without the product in memory."""
    return namespace(left).vecdot(left, right, axis=-1)


def along_last(values: Any) -> Any:
    """Sum over a short last axis, as a few long additions."""
    total = values[..., 0]
    if values.shape[-1] > 8:
        return namespace(values).sum(values, axis=-1)
    for j in range(1, values.shape[-1]):
        total = total + values[..., j]
    return total


def turned(basis: Any, vectors: Any, *, transposed: bool) -> Any:
    """Qₖ vₖ (or Qₖᵀ vₖ) for every client."""
    xp = namespace(basis)
    dim = basis.shape[-1]
    if dim <= 4:
        columns = [basis[..., j, :] if transposed else basis[..., :, j] for j in range(dim)]
        total = columns[0] * vectors[..., 0:1]
        for j in range(1, dim):
            total = total + columns[j] * vectors[..., j : j + 1]
        return total
    if basis.ndim == 3 and vectors.ndim > 2:
        # Clients first, so that each is one product over all replicas and steps.
        axes = (vectors.ndim - 2, *range(vectors.ndim - 2), vectors.ndim - 1)
        moved = xp.permute_dims(vectors, axes)
        flat = xp.reshape(moved, (moved.shape[0], -1, dim))
        found = flat @ (basis if transposed else xp.permute_dims(basis, (0, 2, 1)))
        back = (*range(1, vectors.ndim - 1), 0, vectors.ndim - 1)
        return xp.permute_dims(xp.reshape(found, moved.shape), back)
    matrix = xp.matrix_transpose(basis) if transposed else basis
    return (matrix @ vectors[..., None])[..., 0]

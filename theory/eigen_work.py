"""Local steps of quadratic clients in their eigenbases: zᵢ = Qᵢᵀ(wᵢ − mᵢ), Aᵢ = Qᵢ diag(λᵢ) Qᵢᵀ, z ← (1 − ηλ)z − ηQᵀn.

For one federation and many replicas everything is a few matrix products over all clients at once; without noise the E
steps of a round are diagonal factors, so losses, gradients and drift of every step follow from z² at its start.
"""

from __future__ import annotations

from typing import Any

from theory.algorithms.local_step import Affine, Stepwise
from theory.arrays import long_layout, namespace
from theory.federation import QuadraticFederation
from theory.local_work import LocalRound, StepwiseWork, spread_out, walked

__all__ = ["OwnEigenbases", "SharedEigenbasis"]

_ROWS = 256


class SharedEigenbasis:
    """One federation, any number of replicas; clients and coordinates are one flat axis of length n·d."""

    def __init__(self, federation: QuadraticFederation) -> None:
        xp = namespace(federation.curvature)
        self.federation = federation
        self.spectrum, basis = federation.eigen()
        self.n, self.d = self.spectrum.shape
        self.forward = xp.reshape(xp.permute_dims(basis, (1, 0, 2)), (self.d, self.n * self.d))  # w @ forward = Qᵀw
        self.back = xp.reshape(xp.permute_dims(basis, (0, 2, 1)), (self.n * self.d, self.d))  # z @ back = Σ Qz
        self.turned = xp.reshape(xp.sum(basis * federation.centers[..., :, None], axis=-2), (self.n * self.d,))
        self.basis, self.centers, self.floor = basis, federation.centers, federation.floor
        self.loss_block = self.block(0.5 * self.spectrum)

    def to_eigen(self, model: Any) -> Any:
        """z of a global model for every client, (*batch, n·d)."""
        xp = namespace(model)
        z = xp.reshape(model, (-1, self.d)) @ self.forward
        z -= self.turned
        return xp.reshape(z, (*model.shape[:-1], self.n * self.d))

    def block(self, factors: Any) -> Any:
        """(…, n, d) factors as an (n·d, …·n) matrix that sums within each client: z² @ block = Σ_j factor·z²."""
        xp = namespace(factors)
        eye = xp.eye(self.n, dtype=factors.dtype)
        if factors.ndim == 2:
            return xp.reshape(factors[:, :, None] * eye[:, None, :], (self.n * self.d, self.n))
        wide = factors[..., None] * eye[:, None, :]  # (E, n, d, n)
        return xp.reshape(xp.permute_dims(wide, (1, 2, 0, 3)), (self.n * self.d, -1))

    def losses_at(self, model: Any) -> Any:
        """Fₖ(w) at a global model, (*batch, n); many rows go in blocks that stay in the cache."""
        xp = namespace(model)
        rows = xp.reshape(model, (-1, self.d))
        blocks = []
        for i in range(0, rows.shape[0], _ROWS):
            z = self.to_eigen(rows[i : i + _ROWS])
            z *= z
            blocks.append(z @ self.loss_block)
        return xp.reshape(xp.concat(blocks), (*model.shape[:-1], self.n)) + self.floor

    def run(
        self,
        model: Any,
        etas: Any,
        noise: Any | None,
        active: list[Any] | None,
        *,
        path: bool,
        steps: Affine | Stepwise | None = None,
    ) -> LocalRound:
        """A round: closed form without noise, masks or steps of their own for each replica; else step by step."""
        if steps is not None:
            return _corrected(self, model, etas, noise, active, path, steps)
        xp = namespace(model)
        start = self.to_eigen(model)
        if active is None and etas.ndim == 1 and not path:
            last = shrunk(etas, self.spectrum)
            if noise is None:
                return _DiagonalRound(self, model, start, last, None)
            z = xp.reshape(start, (*model.shape[:-1], self.n, self.d))
            return _WalkedRound(self, model, [z, last * z - self._shaken(noise, etas)])
        if noise is None and active is None and etas.ndim == 1:
            factors = [xp.ones_like(self.spectrum)]
            for e in range(etas.shape[0]):
                factors.append(factors[-1] * (1 - etas[e] * self.spectrum))
            return _DiagonalRound(self, model, start, factors[-1], xp.stack(factors[:-1]))
        shape = (*model.shape[:-1], self.n, self.d)
        z = xp.reshape(start, shape)
        shaken = None if noise is None else self._turn(noise)
        return _WalkedRound(self, model, walk(z, self.spectrum, etas, shaken, active, path=path))

    def combine(self, weights: Any, z: Any) -> Any:
        """Σ aₖ(mₖ + Qₖ zₖ); z is (*batch, n, d)."""
        xp = namespace(z)
        flat = xp.reshape(weights[..., None] * z, (*z.shape[:-2], self.n * self.d))
        return flat @ self.back + weights @ self.centers

    def out(self, z: Any) -> Any:
        """Local models mₖ + Qₖ zₖ, (*batch, n, d)."""
        return _turned(self.basis, z, transposed=False) + self.centers

    def losses_of(self, z: Any) -> Any:
        """Fₖ of local states (*batch, n, d)."""
        xp = namespace(z)
        return xp.reshape(z * z, (*z.shape[:-2], self.n * self.d)) @ self.loss_block + self.floor

    def squares_of(self, z: Any) -> Any:
        """‖∇Fₖ‖² at local states (*batch, n, d)."""
        xp = namespace(z)
        return xp.reshape(z * z, (*z.shape[:-2], self.n * self.d)) @ self.block(self.spectrum**2)

    def centred(self, model: Any) -> Any:
        """z of a global model as (*batch, n, d)."""
        return namespace(model).reshape(self.to_eigen(model), (*model.shape[:-1], self.n, self.d))

    def _turn(self, noise: Any) -> Any:
        return _turned(self.basis, noise, transposed=True)

    def _shaken(self, noise: Any, etas: Any) -> Any:
        """What the noise of E steps adds up to, Σₑ ηₑ Π_{f>e}(1 − η_f λ) Qᵀnₑ, in one product a client."""
        xp = namespace(noise)
        n_steps = etas.shape[0]
        later = [xp.ones_like(self.spectrum)]
        for e in range(n_steps - 1, 0, -1):
            later.append(later[-1] * (1 - etas[e] * self.spectrum))
        rate = etas[:, None, None] * xp.stack(later[::-1])  # (E, n, d)
        kernel = xp.permute_dims(self.basis * rate[..., None, :], (1, 0, 2, 3))  # (n, E, d, d)
        kernel = xp.reshape(kernel, (self.n, n_steps * self.d, self.d))
        axes = (noise.ndim - 2, *range(1, noise.ndim - 2), 0, noise.ndim - 1)
        moved = xp.permute_dims(noise, axes)  # clients first, then the batch, then the steps
        flat = xp.reshape(moved, (self.n, -1, n_steps * self.d)) @ kernel
        shaped = xp.reshape(flat, (*moved.shape[:-2], self.d))
        return xp.permute_dims(shaped, (*range(1, shaped.ndim - 1), 0, shaped.ndim - 1))


class OwnEigenbases:
    """A batch of different federations: sums of long vector products, which beat many tiny matrix products."""

    def __init__(self, federation: QuadraticFederation) -> None:
        xp = namespace(federation.curvature)
        self.federation = federation
        self.spectrum, self.basis = (long_layout(x) for x in federation.eigen())
        self.centers, self.floor = long_layout(federation.centers), long_layout(federation.floor)
        self.turned = xp.sum(self.basis * self.centers[..., :, None], axis=-2)

    def centred(self, model: Any) -> Any:
        """z of a global model for every client, (*batch, n, d)."""
        return _turned(self.basis, long_layout(model)[..., None, :], transposed=True) - self.turned

    def losses_at(self, model: Any) -> Any:
        """Fₖ(w) at a global model, (*batch, n)."""
        return self.losses_of(self.centred(model))

    def losses_of(self, z: Any) -> Any:
        """Fₖ of local states (*batch, n, d)."""
        return 0.5 * _along_last(self.spectrum * z * z) + self.floor

    def squares_of(self, z: Any) -> Any:
        """‖∇Fₖ‖² at local states (*batch, n, d)."""
        return _along_last((self.spectrum * z) ** 2)

    def combine(self, weights: Any, z: Any) -> Any:
        """Σ aₖ(mₖ + Qₖ zₖ), (*batch, d)."""
        out, weights = self.out(z), long_layout(weights)
        total = weights[..., 0, None] * out[..., 0, :]
        for k in range(1, out.shape[-2]):
            total = total + weights[..., k, None] * out[..., k, :]
        return total

    def out(self, z: Any) -> Any:
        """Local models mₖ + Qₖ zₖ, (*batch, n, d)."""
        return _turned(self.basis, z, transposed=False) + self.centers

    def run(
        self,
        model: Any,
        etas: Any,
        noise: Any | None,
        active: list[Any] | None,
        *,
        path: bool,
        steps: Affine | Stepwise | None = None,
    ) -> LocalRound:
        """A round, step by step in the eigenbases, or one product of factors when nobody asks for the steps."""
        if steps is not None:
            return _corrected(self, model, etas, noise, active, path, steps)
        z = self.centred(model)
        shaken = None if noise is None else _turned(self.basis, noise, transposed=True)
        return _WalkedRound(self, model, walk(z, self.spectrum, etas, shaken, active, path=path))


def shrunk(etas: Any, spectrum: Any) -> Any:
    """Π (1 − ηₑ λ) over steps, (*batch, n, d), a block of steps at a time."""
    xp = namespace(spectrum)
    ones = xp.ones_like(spectrum)
    factor = ones
    for start in range(0, etas.shape[0], 4096):
        block = etas[start : start + 4096]
        wide = block[(..., *[None] * spectrum.ndim)] if block.ndim == 1 else block[..., None, None]
        factor = factor * xp.prod(1 - wide * ones * spectrum, axis=0)
    return factor


def walk(z: Any, spectrum: Any, etas: Any, noise: Any | None, active: list[Any] | None, *, path: bool) -> list[Any]:
    """States z before each step and after the last; only first and last unless `path`."""
    xp = namespace(z)
    if noise is None and active is None and not path:
        return [z, shrunk(etas, spectrum) * z]
    states = [z]
    for e in range(etas.shape[0]):
        rate = spread_out(etas[e])
        moved = (1 - rate * spectrum) * z
        if noise is not None:
            moved = moved - rate * noise[e]
        z = moved if active is None else xp.where(active[e][..., None], moved, z)
        states.append(z)
    return states if path else [states[0], z]


def _corrected(
    work: SharedEigenbasis | OwnEigenbases,
    model: Any,
    etas: Any,
    noise: Any | None,
    active: list[Any] | None,
    path: bool,
    steps: Affine | Stepwise,
) -> LocalRound:
    """The steps of a client algorithm in the eigenbases where its correction looks the same there, else as they are."""
    if not isinstance(steps, Affine) or not steps.isotropic:
        return StepwiseWork(work.federation).run(model, etas, noise, active, path=path, steps=steps)
    xp, z = namespace(model), work.centred(model)
    shift = None
    if steps.shift is not None:
        shift = _turned(work.basis, steps.shift + xp.zeros_like(z), transposed=True)
    shaken = None if noise is None else _turned(work.basis, noise, transposed=True)

    def gradient_at(states: Any, e: int) -> Any:
        return work.spectrum * states if shaken is None else work.spectrum * states + shaken[e]

    turned = Affine(steps.scale, steps.pull, shift)
    return _WalkedRound(work, model, walked(turned, gradient_at, z, etas, active, path=path))


class _WalkedRound:
    """A round of which the states are kept."""

    def __init__(self, work: SharedEigenbasis | OwnEigenbases, model: Any, states: list[Any]) -> None:
        self.work, self.model, self.states = work, model, states

    def loss_before(self) -> Any:
        return self.work.losses_of(self.states[0])

    def loss_after(self) -> Any:
        return self.work.losses_of(self.states[-1])

    def combine(self, weights: Any) -> Any:
        return self.work.combine(weights, self.states[-1])

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
                spreads.append(_along_last(long_layout(a) * _along_last((z - there) ** 2)))
        return xp.stack(means), xp.stack(losses), xp.stack(spreads) if spread else None


class _DiagonalRound:
    """A noiseless round: state e is factorₑ·z₀, so every step is a matrix product away from z₀ or z₀²."""

    def __init__(self, work: SharedEigenbasis, model: Any, start: Any, last: Any, factors: Any | None) -> None:
        self.work, self.model, self.start, self.last, self.factors = work, model, start, last, factors

    def loss_before(self) -> Any:
        return (self.start * self.start) @ self.work.loss_block + self.work.floor

    def loss_after(self) -> Any:
        return (self.start * self.start) @ self.work.block(0.5 * self.work.spectrum * self.last**2) + self.work.floor

    def combine(self, weights: Any) -> Any:
        xp, work = namespace(weights), self.work
        shape = (*self.start.shape[:-1], work.n, work.d)
        z = weights[..., None] * xp.reshape(self.start, shape)
        back = xp.reshape(self.last, (-1, 1)) * work.back
        return xp.reshape(z, self.start.shape) @ back + weights @ work.centers

    def updates(self) -> Any:
        xp = namespace(self.start)
        shape = (*self.start.shape[:-1], self.work.n, self.work.d)
        return self.work.out(xp.reshape(self.start, shape) * self.last) - self.model[..., None, :]

    def squares(self) -> Any:
        """(start²) @ blocks of λ²·factor², all steps in one product."""
        factors = self.work.spectrum**2 * self._factors() ** 2
        return self._by_step((self.start * self.start) @ self.work.block(factors))

    def steps(self, weights: Any, *, spread: bool) -> tuple[Any, Any, Any]:
        xp = namespace(weights)
        factors = self._factors()
        mean = self._mean(weights, factors)
        losses = self.work.losses_at(mean)
        if not spread:
            return mean, losses, None
        # Σ aₖ‖wₖ − w̄‖² = Σ aₖ‖wₖ − w‖² − ‖w̄ − w‖² about the broadcast model w, where wₖ − w is (factor − 1)z₀.
        away = self._by_step((self.start * self.start) @ self.work.block((factors - 1) ** 2))
        moved = xp.sum((mean - self.model) ** 2, axis=-1)
        total = xp.sum(weights, axis=-1)
        around = xp.sum(weights * away, axis=-1) - moved * (2 - total)
        return mean, losses, xp.maximum(around, xp.zeros_like(around))

    def steps_by_step(self, weights: Any) -> tuple[Any, Any, Any]:
        """The same with weights (E, *batch, n) of their own at each step."""
        xp, factors = namespace(weights), self._factors()
        z = xp.reshape(self.start, (*self.start.shape[:-1], self.work.n, self.work.d))
        states = [factors[e] * z for e in range(factors.shape[0])]
        return _WalkedRound(self.work, self.model, [*states, self.last * z]).steps_by_step(weights)

    def _factors(self) -> Any:
        if self.factors is None:
            raise ValueError("this round was run without path=True")
        return self.factors

    def _mean(self, weights: Any, factors: Any) -> Any:
        """Σ aₖ(mₖ + Qₖ factorₖ zₖ) for each row of factors, (rows, *batch, d)."""
        xp = namespace(weights)
        work, rows = self.work, factors.shape[0]
        shape = (*self.start.shape[:-1], work.n, work.d)
        weighted = xp.reshape(weights[..., None] * xp.reshape(self.start, shape), self.start.shape)
        back = xp.reshape(factors, (rows, work.n * work.d, 1)) * work.back
        wide = xp.reshape(xp.permute_dims(back, (1, 0, 2)), (work.n * work.d, rows * work.d))
        flat = xp.reshape(weighted @ wide, (*self.start.shape[:-1], rows, work.d))
        axes = (flat.ndim - 2, *range(flat.ndim - 2), flat.ndim - 1)
        return xp.permute_dims(flat, axes) + weights @ work.centers

    def _by_step(self, flat: Any) -> Any:
        """(*batch, E·n) -> (E, *batch, n)."""
        xp = namespace(flat)
        split = xp.reshape(flat, (*flat.shape[:-1], -1, self.work.n))
        axes = (split.ndim - 2, *range(split.ndim - 2), split.ndim - 1)
        return xp.permute_dims(split, axes)


def _along_last(values: Any) -> Any:
    """Sum over a short last axis, as a few long additions."""
    total = values[..., 0]
    if values.shape[-1] > 8:
        return namespace(values).sum(values, axis=-1)
    for j in range(1, values.shape[-1]):
        total = total + values[..., j]
    return total


def _turned(basis: Any, vectors: Any, *, transposed: bool) -> Any:
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
        turned = flat @ (basis if transposed else xp.permute_dims(basis, (0, 2, 1)))
        back = (*range(1, vectors.ndim - 1), 0, vectors.ndim - 1)
        return xp.permute_dims(xp.reshape(turned, moved.shape), back)
    matrix = xp.matrix_transpose(basis) if transposed else basis
    return (matrix @ vectors[..., None])[..., 0]

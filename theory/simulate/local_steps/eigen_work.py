"""Local steps of quadratic clients in their eigenbases: zᵢ = Qᵢᵀ(wᵢ − mᵢ), Aᵢ = Qᵢ diag(λᵢ) Qᵢᵀ, z ← (1 − ηλ)z − ηQᵀn.

For one federation and many replicas everything is a few matrix products over all clients at once; without noise the E
steps of a round are diagonal factors, so losses, gradients and drift of every step follow from z² at its start.
Sums within clients are one product with a block matrix where clients are few, and client by client where they are
many: time and memory are linear in their number.
"""

from __future__ import annotations

from typing import Any

from theory.algorithms.local_step import Affine, Stepwise
from theory.base.arrays import long_layout, namespace
from theory.federations.federation import QuadraticFederation
from theory.simulate.local_steps.eigen_rounds import DiagonalRound, WalkedRound, along_last, dot, turned
from theory.simulate.local_steps.work import LocalRound, StepwiseWork, spread_out, walked

__all__ = ["OwnEigenbases", "SharedEigenbasis"]

_ROWS = 256  # of a few clients: a block of states then stays in the cache
_BLOCK = 24  # clients; from there on a product that is mostly zeros loses to sums within clients


class SharedEigenbasis:
    """One federation, any number of replicas; clients and coordinates are one flat axis of length n·d."""

    def __init__(self, federation: QuadraticFederation) -> None:
        xp = namespace(federation.curvature)
        self.federation = federation
        self.spectrum, basis = federation.eigen()
        self.n, self.d = self.spectrum.shape
        self.forward = xp.reshape(xp.permute_dims(basis, (1, 0, 2)), (self.d, self.n * self.d))  # w @ forward = Qᵀw
        self.back = xp.permute_dims(self.forward, (1, 0))  # z @ back = Σ Qz
        self.turned = xp.reshape(federation.centers[..., None, :] @ basis, (self.n * self.d,))
        self.basis, self.centers, self.floor = basis, federation.centers, federation.floor
        self.many = self.n > _BLOCK
        self.rows = max(1, _ROWS * _BLOCK // self.n) if self.many else _ROWS
        self.half = 0.5 * self.spectrum
        self.loss_block = None if self.many else self.block(self.half)

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

    def within(self, squares: Any, factors: Any) -> Any:
        """Σⱼ factor·z² of each client: (*batch, n·d) and (n, d) to (*batch, n), or (E, n, d) to (E, *batch, n)."""
        xp = namespace(squares)
        if self.many:
            parted = xp.reshape(squares, (*squares.shape[:-1], self.n, self.d))
            if factors.ndim == 2:
                return dot(parted, factors)
            return xp.stack([dot(parted, factors[e]) for e in range(factors.shape[0])])
        flat = squares @ self.block(factors)
        if factors.ndim == 2:
            return flat
        split = xp.reshape(flat, (*flat.shape[:-1], -1, self.n))
        return xp.permute_dims(split, (split.ndim - 2, *range(split.ndim - 2), split.ndim - 1))

    def losses_from(self, squares: Any) -> Any:
        """Fₖ from z², (*batch, n·d) to (*batch, n)."""
        if self.loss_block is None:
            return self.within(squares, self.half) + self.floor
        return squares @ self.loss_block + self.floor

    def losses_at(self, model: Any) -> Any:
        """Fₖ(w) at a global model, (*batch, n); many rows go in blocks that stay in the cache."""
        xp = namespace(model)
        rows = xp.reshape(model, (-1, self.d))
        blocks = []
        for i in range(0, rows.shape[0], self.rows):
            z = self.to_eigen(rows[i : i + self.rows])
            z *= z
            blocks.append(self.losses_from(z))
        return xp.reshape(xp.concat(blocks), (*model.shape[:-1], self.n))

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
                return DiagonalRound(self, model, start, last, None)
            z = xp.reshape(start, (*model.shape[:-1], self.n, self.d))
            return WalkedRound(self, model, [z, last * z - self._shaken(noise, etas)])
        if noise is None and active is None and etas.ndim == 1:
            factors = [xp.ones_like(self.spectrum)]
            for e in range(etas.shape[0]):
                factors.append(factors[-1] * (1 - etas[e] * self.spectrum))
            return DiagonalRound(self, model, start, factors[-1], xp.stack(factors[:-1]))
        shape = (*model.shape[:-1], self.n, self.d)
        z = xp.reshape(start, shape)
        shaken = None if noise is None else self._turn(noise)
        return WalkedRound(self, model, walk(z, self.spectrum, etas, shaken, active, path=path))

    def combine(self, weights: Any, z: Any) -> Any:
        """Σ aₖ(mₖ + Qₖ zₖ); z is (*batch, n, d)."""
        xp = namespace(z)
        flat = xp.reshape(weights[..., None] * z, (*z.shape[:-2], self.n * self.d))
        return flat @ self.back + weights @ self.centers

    def out(self, z: Any) -> Any:
        """Local models mₖ + Qₖ zₖ, (*batch, n, d)."""
        return turned(self.basis, z, transposed=False) + self.centers

    def losses_of(self, z: Any) -> Any:
        """Fₖ of local states (*batch, n, d)."""
        xp = namespace(z)
        return self.losses_from(xp.reshape(z * z, (*z.shape[:-2], self.n * self.d)))

    def squares_of(self, z: Any) -> Any:
        """‖∇Fₖ‖² at local states (*batch, n, d)."""
        xp = namespace(z)
        return self.within(xp.reshape(z * z, (*z.shape[:-2], self.n * self.d)), self.spectrum**2)

    def centred(self, model: Any) -> Any:
        """z of a global model as (*batch, n, d)."""
        return namespace(model).reshape(self.to_eigen(model), (*model.shape[:-1], self.n, self.d))

    def _turn(self, noise: Any) -> Any:
        return turned(self.basis, noise, transposed=True)

    def _shaken(self, noise: Any, etas: Any) -> Any:
        """What the noise of E steps adds up to, Σₑ ηₑ Π_{f>e}(1 − η_f λ) Qᵀnₑ, in one product a client."""
        xp = namespace(noise)
        n_steps = etas.shape[0]
        later = [xp.ones_like(self.spectrum)]
        for e in range(n_steps - 1, 0, -1):
            later.append(later[-1] * (1 - etas[e] * self.spectrum))
        rate = etas[:, None, None] * xp.stack(later[::-1])  # (E, n, d)
        if self.many:  # E matrices for each of many clients would be E times the federation
            total = rate[0] * self._turn(noise[0])
            for e in range(1, n_steps):
                total = total + rate[e] * self._turn(noise[e])
            return total
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
        return turned(self.basis, long_layout(model)[..., None, :], transposed=True) - self.turned

    def losses_at(self, model: Any) -> Any:
        """Fₖ(w) at a global model, (*batch, n)."""
        return self.losses_of(self.centred(model))

    def losses_of(self, z: Any) -> Any:
        """Fₖ of local states (*batch, n, d)."""
        return 0.5 * along_last(self.spectrum * z * z) + self.floor

    def squares_of(self, z: Any) -> Any:
        """‖∇Fₖ‖² at local states (*batch, n, d)."""
        return along_last((self.spectrum * z) ** 2)

    def combine(self, weights: Any, z: Any) -> Any:
        """Σ aₖ(mₖ + Qₖ zₖ), (*batch, d)."""
        out, weights = self.out(z), long_layout(weights)
        total = weights[..., 0, None] * out[..., 0, :]
        for k in range(1, out.shape[-2]):
            total = total + weights[..., k, None] * out[..., k, :]
        return total

    def out(self, z: Any) -> Any:
        """Local models mₖ + Qₖ zₖ, (*batch, n, d)."""
        return turned(self.basis, z, transposed=False) + self.centers

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
        shaken = None if noise is None else turned(self.basis, noise, transposed=True)
        return WalkedRound(self, model, walk(z, self.spectrum, etas, shaken, active, path=path))


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
        shift = turned(work.basis, steps.shift + xp.zeros_like(z), transposed=True)
    shaken = None if noise is None else turned(work.basis, noise, transposed=True)

    def gradient_at(states: Any, e: int) -> Any:
        return work.spectrum * states if shaken is None else work.spectrum * states + shaken[e]

    there = Affine(steps.scale, steps.pull, shift)
    return WalkedRound(work, model, walked(there, gradient_at, z, etas, active, path=path)[0])

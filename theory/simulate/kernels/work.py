"""Rounds of one quadratic federation by compiled kernels, behind the protocol of `theory.simulate.local_steps.work`.

Noiseless rounds with everybody present are affine in the model, w ← Σₖ aₖ(qₖ + Pₖw) with Pₖ = Qₖ diag(fₖ) Qₖᵀ: losses
and weighted means of all replicas need no state of any client. Sign noise adds a sum of columns. All other rounds go to
the NumPy reference.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from theory.algorithms.local_step import Affine, Stepwise
from theory.compiled.library import Float, Library, address
from theory.compiled.packing import Room, lanes_of, tiles, unlaned
from theory.federations.federation import QuadraticFederation
from theory.simulate.kernels.signs import SignBits, shaken
from theory.simulate.local_steps.eigen_work import SharedEigenbasis
from theory.simulate.local_steps.work import LocalRound

__all__ = ["CompiledWork", "fits", "is_plain"]

_ROUNDING = 4 * float(np.finfo(np.float64).eps)  # how far a sum of weights may be from 1, for each of them
_SOON = 1 << 17  # products, some microseconds
_LARGEST = 1 << 22  # numbers in the matrices of a federation; beyond, memory decides and NumPy takes half as much


def fits(federation: QuadraticFederation) -> bool:
    """Whether the kernels take it: one federation of NumPy float64 arrays, not too large."""
    return is_plain(federation) and federation.n_clients * federation.dim**2 <= _LARGEST


def is_plain(federation: QuadraticFederation) -> bool:
    """Whether it is one federation of NumPy float64 arrays."""
    parts = (federation.curvature, federation.centers, federation.floor, federation.share)
    plain = all(type(part) is np.ndarray and part.dtype == np.float64 for part in parts)
    return plain and federation.curvature.ndim == 3


class CompiledWork:
    """One federation, any number of replicas: a `theory.simulate.local_steps.work.LocalWork`."""

    def __init__(self, federation: QuadraticFederation, library: Library) -> None:
        self.federation, self.library, self.room = federation, library, Room()
        self.reference = SharedEigenbasis(federation)
        spectrum, basis = (np.asarray(part) for part in federation.eigen())
        self.n, self.d = spectrum.shape
        self.spectrum = np.ascontiguousarray(spectrum)
        centers = np.asarray(federation.centers)
        self.centers, self.floor = np.ascontiguousarray(centers), np.ascontiguousarray(federation.floor)
        # Aₖ = RᵀR, R the triangle of √λ Qᵀ: unlike Cholesky's factor it is there for every positive spectrum.
        root = np.asarray(np.linalg.qr(np.sqrt(spectrum)[..., None] * basis.swapaxes(-1, -2), mode="r"))
        root = root.swapaxes(-1, -2)
        self.root = tiles(root, library.tile)
        self.offset = np.zeros((self.n, self.root.shape[1] * library.tile))
        self.offset[:, : self.d] = (centers[:, None, :] @ root)[:, 0]
        self.turned = np.ascontiguousarray((centers[:, None, :] @ basis)[:, 0])
        self.forward = tiles(basis, library.tile)
        self.eigenvectors = np.zeros((self.n, self.d, self.d + 3 * library.width))
        self.eigenvectors[:, :, : self.d] = basis.swapaxes(-1, -2)
        self.scratch = (2 * (self.d + library.tile) + self.n) * library.lanes
        # Constant arrays by where they start, asked many times a round; the arrays above keep them alive.
        self.at_losses = (address(self.root), address(self.offset), address(self.floor))
        self.at_affine = (address(self.turned), address(self.centers))
        self.at_vectors, self.at_forward = address(self.eigenvectors), address(self.forward)
        self.at_spectrum = address(self.spectrum)
        self.n_tiles = sum(-(-(self.d - i) // library.tile) for i in range(self.d))

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
        """A round of E steps from the global `model` (*batch, d)."""
        bits = noise if isinstance(noise, SignBits) else None
        quiet = noise is None or (bits is not None and not path)
        plain = steps is None and active is None and quiet and etas.ndim == 1
        if plain and self._takes(model) and self.pays(model):
            return _CompiledRound(self, model, etas, path, bits)
        noise = noise if bits is None else bits.draw()
        return self.reference.run(model, etas, noise, active, path=path, steps=steps)

    def losses_at(self, model: Any) -> Any:
        """Fₖ(w) at a global model, (*batch, n)."""
        if not self._takes(model):
            return self.reference.losses_at(model)
        return unlaned(self.losses(lanes_of(model, self.library.lanes)), model.shape[:-1])

    def losses(self, lanes: Float, out: Float | None = None) -> Float:
        """Fₖ at models (d, replicas): (n, replicas), into `out` where it is given."""
        if out is None:
            out = self.room.padded(self.n, lanes.shape[1], self.library.lanes)
        work = np.empty(self.scratch)
        self.library.kernels["losses"](
            lanes.shape[1], self.n, self.d, *self.at_losses, address(lanes), address(out), address(work)
        )
        return out

    def affine(self, factors: Float) -> tuple[Float, Float]:
        """(P, q) of every client for factors (n, d), as `combine` reads them."""
        tile = self.library.tile
        packed, shift = np.empty(self.n_tiles * self.n * tile), np.empty((self.n, self.d + tile))
        row = np.empty(self.eigenvectors.shape[-1])
        self.library.kernels["pack"](
            self.n, self.d, self.eigenvectors.shape[-1], self.at_vectors, address(factors), *self.at_affine,
            address(packed), address(shift), address(row),
        )  # fmt: skip
        return packed, shift

    def combine(
        self,
        affine: tuple[Float, Float],
        weights: Float,
        lanes: Float,
        out: Float,
        *,
        rest: bool = False,
        shift: Float | None = None,
    ) -> None:
        """Σ aₖ(qₖ + Pₖw) + `shift`, and with `rest` + (1 − Σ aₖ)w, into `out` (d, replicas); weights (n, replicas)."""
        work = np.empty(self.scratch)
        self.library.kernels["combine"](
            lanes.shape[1], self.n, self.d, address(affine[0]), address(affine[1]), address(weights), float(rest),
            address(lanes), None if shift is None else address(shift), address(out), address(work),
        )  # fmt: skip

    def sums(self, one: Float, other: Float, lanes: Float, before: Float | None = None) -> tuple[Float, Float]:
        """Σⱼ factor·z² of each client with z = Qᵀ(w − m), for two sets of factors (E, n, d): twice (E, n, replicas).

        Fₖ(w) goes into `before` (n, replicas) where it is given.
        """
        n_steps, width = len(one), lanes.shape[1]
        wide = [np.zeros((self.n, self.d, n_steps + 4)) for _ in range(2)]
        for given, stored in zip((one, other), wide, strict=True):
            stored[:, :, :n_steps] = given.transpose(1, 2, 0)
        out = [self.room.padded((n_steps, self.n), width, self.library.lanes) for _ in range(2)]
        work = np.empty(self.scratch)
        self.library.kernels["squares"](
            width, self.n, self.d, n_steps, self.at_forward, self.at_affine[0], address(wide[0]), address(wide[1]),
            self.at_spectrum, self.at_losses[2], address(lanes), address(out[0]), address(out[1]),
            None if before is None else address(before), address(work),
        )  # fmt: skip
        return out[0], out[1]

    def walk(
        self,
        factors: Float,
        weights: Float,
        away: Float,
        lanes: Float,
        means: Float,
        losses: Float,
        spread: Float | None,
        *,
        fresh: bool,
    ) -> None:
        """Means, losses and spread before each step of factors (E, n, d), into arrays with the replicas of `lanes`."""
        n_steps, tall, size = len(factors), self.d + self.library.tile, self.n_tiles * self.n * self.library.tile
        packed, wide = np.empty(max(1, n_steps - 1) * (size + self.n * tall)), self.eigenvectors.shape[-1]
        scratch = np.empty((3 * tall + self.n) * self.library.lanes + wide)
        self.library.kernels["walk"](
            lanes.shape[1], self.n, self.d, n_steps, wide, size, *self.at_losses, self.at_vectors, *self.at_affine,
            address(factors), address(weights), address(away), address(lanes), fresh, address(means), address(losses),
            None if spread is None else address(spread), address(packed), address(scratch),
        )  # fmt: skip

    def pays(self, model: Any) -> bool:
        """Whether the n·d³ products that make P are few, or shared by enough replicas."""
        return bool(2 * model.size >= self.d**2 or self.n * self.d**3 <= _SOON)

    def _takes(self, model: Any) -> bool:
        return type(model) is np.ndarray and model.dtype == np.float64 and model.size > 0


class _CompiledRound:
    """A round without noise, or ends of one with sign noise; what its steps need is made when somebody asks for it."""

    def __init__(self, work: CompiledWork, model: Float, etas: Float, path: bool, bits: SignBits | None) -> None:
        self.work, self.model, self.etas, self.path, self.bits = work, model, etas, path, bits
        self.batch = model.shape[:-1]
        self.lanes = lanes_of(model, work.library.lanes)

    @cached_property
    def before(self) -> Float:
        """Fₖ(w), (n, replicas)."""
        return self.parted[2] if self.path else self.work.losses(self.lanes)

    @cached_property
    def last(self) -> Float:
        """Π (1 − ηλ) over all steps, (n, d)."""
        product: Float = np.multiply.reduce(1 - self.etas[:, None, None] * self.work.spectrum, axis=0)
        return product

    @cached_property
    def factors(self) -> Float:
        """The same over the steps before step e, (E, n, d)."""
        if not self.path:
            raise ValueError("this round was run without path=True")
        steps = 1 - self.etas[:-1, None, None] * self.work.spectrum
        return np.concatenate([np.ones((1, self.work.n, self.work.d)), np.cumprod(steps, axis=0)])

    @cached_property
    def parted(self) -> tuple[Float, Float, Float]:
        """‖wₖ − w‖² and ‖∇Fₖ(wₖ)‖² before each step, (E, n, replicas), and Fₖ(w), (n, replicas): one pass makes all."""
        work, far, steep = self.work, (self.factors - 1) ** 2, (self.factors * self.work.spectrum) ** 2
        before = work.room.padded(work.n, self.lanes.shape[1], work.library.lanes)
        return *work.sums(far, steep, self.lanes, before), before

    def loss_before(self) -> Any:
        return unlaned(self.before, self.batch)

    def loss_after(self) -> Any:
        if self.bits is not None:
            return self._reference().loss_after()
        half = 0.5 * self.work.spectrum * self.last**2
        found, _ = self.work.sums(half[None], half[None], self.lanes)
        return unlaned(found[0], self.batch) + self.work.floor

    def combine(self, weights: Any) -> Any:
        return self._ends(weights, rest=False)

    def merge(self, weights: Any) -> Any:
        return self._ends(weights, rest=True)

    def _ends(self, weights: Any, *, rest: bool) -> Any:
        work, out, a, shift = self.work, np.empty_like(self.lanes), self._lanes(weights), None
        if self.bits is not None:
            count = self.model[..., 0].size
            shift = shaken(self.bits, work.library, work.spectrum, work.reference.basis, self.etas, a, count)
        work.combine(work.affine(self.last), a, self.lanes, out, rest=rest, shift=shift)
        return unlaned(out, self.batch)

    def updates(self) -> Any:
        return self._reference().updates()

    def squares(self) -> Any:
        return unlaned(self.parted[1], self.batch)

    def steps(self, weights: Any, *, spread: bool) -> tuple[Any, Any, Any]:
        work, block = self.work, self.work.library.lanes
        a, n_steps, width = self._lanes(weights), len(self.factors), self.lanes.shape[1]
        means, losses = (work.room.padded((n_steps, rows), width, block) for rows in (work.d, work.n))
        fresh = bool(np.abs(a.sum(axis=0) - 1).max() > _ROUNDING * work.n)
        if not fresh:
            losses[0] = self.before
        away, around = (self.parted[0], work.room.padded(n_steps, width, block)) if spread else (a, None)
        work.walk(self.factors, a, away, self.lanes, means, losses, around, fresh=fresh)
        mean, at_mean = unlaned(means, self.batch), unlaned(losses, self.batch)
        if around is None:
            return mean, at_mean, None
        return mean, at_mean, around[:, : self.model[..., 0].size].reshape(n_steps, *self.batch)

    def steps_by_step(self, weights: Any) -> tuple[Any, Any, Any]:
        return self._reference().steps_by_step(weights)

    def _lanes(self, weights: Any) -> Float:
        shape = (*self.batch, self.work.n)
        if weights.shape != shape:
            weights = np.broadcast_to(weights, shape)
        return lanes_of(weights, self.work.library.lanes)

    def _reference(self) -> LocalRound:
        noise = None if self.bits is None else self.bits.draw()
        return self.work.reference.run(self.model, self.etas, noise, None, path=self.path)

"""The local steps of one round for all clients at once: what a worker is, and the one that takes any federation.

A worker knows one federation; `run` gives a finished round that can be asked for losses, the weighted mean of the local
models, updates, and what happened at each step. Nothing is computed that nobody asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from theory.algorithms.local_step import Affine, Carried, Stepwise, Vectors
from theory.base.arrays import namespace
from theory.base.momentum import Momentum
from theory.federations.federation import Federation
from theory.noise.minibatch import DrawnGradient

__all__ = ["LocalRound", "LocalWork", "StepwiseRound", "StepwiseWork", "spread_out", "walked", "with_rest"]


class LocalRound(Protocol):
    """A finished round; shapes as in `theory.Trajectory`, one entry a step first where there are steps.

    `combine` is Σ aₖwₖ; `merge` w + Σ aₖ(wₖ − w), the same where the weights sum to 1.
    """

    def loss_before(self) -> Any: ...
    def loss_after(self) -> Any: ...
    def combine(self, weights: Any) -> Any: ...
    def merge(self, weights: Any) -> Any: ...
    def updates(self) -> Any: ...
    def squares(self) -> Any: ...
    def steps(self, weights: Any, *, spread: bool) -> tuple[Any, Any, Any]: ...
    def steps_by_step(self, weights: Any) -> tuple[Any, Any, Any]: ...


class LocalWork(Protocol):
    """Runs rounds in one federation. `etas`: step sizes, (E,) or (E, *batch); `noise`: (E, *batch, n, dim).

    `active`: for each step the clients that still move, or None; `path`: keep what squares and steps need; `steps`:
    the local step of a client algorithm, None for plain SGD.
    """

    def run(
        self,
        model: Any,
        etas: Any,
        noise: Any | None,
        active: list[Any] | None,
        *,
        path: bool,
        steps: Affine | Stepwise | None = None,
    ) -> LocalRound: ...
    def losses_at(self, model: Any) -> Any: ...


class StepwiseWork:
    """wᵢ ← wᵢ − ηₜ(∇Fᵢ(wᵢ) + nᵢ) through the federation's own gradients, or those of drawn batches, with momentum.

    Source: exp_alpha EA-D4.
    """

    def __init__(self, federation: Federation, momentum: Momentum | None = None) -> None:
        self.federation, self.momentum = federation, momentum or Momentum()

    def run(
        self,
        model: Any,
        etas: Any,
        noise: Any | None,
        active: list[Any] | None,
        *,
        path: bool,
        steps: Affine | Stepwise | None = None,
        starts: Any | None = None,
    ) -> StepwiseRound:
        """E steps from the global `model` (*batch, dim), or from models `starts` of the clients' own."""
        xp = namespace(model)
        local = model[..., None, :] + xp.zeros_like(self.federation.local_optima)
        if starts is not None:
            local = starts + xp.zeros_like(local)
        if isinstance(steps, Stepwise):
            if self.momentum.beta:
                raise ValueError(
                    "a local step that is not affine says itself what its momentum is; expected none beside"
                )

            def gradient_at(models: Any, e: int) -> Any:
                return self._gradients(models, e, noise)

            states, carried = walked(steps, gradient_at, local, etas, active, path=path)
            return StepwiseRound(self.federation, model, states, {name: carried[name] for name in steps.leaves})
        states, velocity = [local], None
        for e in range(etas.shape[0]):
            gradient = self._gradients(local, e, noise)
            if steps is not None:
                gradient = steps.gradient(gradient, local, states[0])
            velocity, direction = self.momentum.along(velocity, gradient)
            moved = local - spread_out(etas[e]) * direction
            local = moved if active is None else xp.where(active[e][..., None], moved, local)
            states.append(local)
        return StepwiseRound(self.federation, model, states, {})

    def losses_at(self, model: Any) -> Any:
        """Fₖ(w) at a global model, (*batch, n_clients)."""
        return self.federation.losses(model[..., None, :])

    def _gradients(self, models: Any, step: int, noise: Any | None) -> Any:
        """∇Fᵢ(wᵢ) + nᵢ; drawn batches have gradients of their own, which spare the pass over all samples."""
        if isinstance(noise, DrawnGradient):
            return noise(models, step)
        gradient = self.federation.gradients(models)
        if noise is None:
            return gradient
        return gradient + (noise(models, step) if callable(noise) else noise[step])


class StepwiseRound:
    """A `LocalRound` that has every client's models; `left`: what its local step says it leaves."""

    def __init__(self, federation: Federation, model: Any, states: list[Any], left: Vectors) -> None:
        self.federation, self.model, self.states, self.left = federation, model, states, left

    def loss_before(self) -> Any:
        return self.federation.losses(self.states[0])

    def loss_after(self) -> Any:
        return self.federation.losses(self.states[-1])

    def combine(self, weights: Any) -> Any:
        return namespace(weights).sum(weights[..., None] * self.states[-1], axis=-2)

    def merge(self, weights: Any) -> Any:
        return with_rest(self.combine(weights), weights, self.model)

    def updates(self) -> Any:
        return self.states[-1] - self.states[0]

    def squares(self) -> Any:
        xp = namespace(self.model)
        return xp.stack([xp.sum(self.federation.gradients(w) ** 2, axis=-1) for w in self.states[:-1]])

    def steps(self, weights: Any, *, spread: bool) -> tuple[Any, Any, Any]:
        return self.steps_by_step(weights)

    def steps_by_step(self, weights: Any) -> tuple[Any, Any, Any]:
        """The same with weights (E, *batch, n) of their own at each step."""
        xp = namespace(weights)
        local = xp.stack(self.states[:-1])
        mean = xp.sum(weights[..., None] * local, axis=-2)
        losses = xp.stack([self.federation.losses(mean[e][..., None, :]) for e in range(mean.shape[0])])
        off = xp.sum((local - mean[..., None, :]) ** 2, axis=-1)
        return mean, losses, xp.sum(weights * off, axis=-1)


def walked(
    steps: Affine | Stepwise,
    gradient_at: Callable[[Any, int], Any],
    start: Any,
    etas: Any,
    active: list[Any] | None,
    *,
    path: bool,
) -> tuple[list[Any], Carried]:
    """(Models before each local step and after the last, only first and last unless `path`; what is carried then).

    `gradient_at(models, e)` is ∇ℓ at step e, noise included.
    """
    xp = namespace(start)
    carried: Carried = {"model": start, "start": start, **steps.carried}
    states = [start]
    for e in range(etas.shape[0]):

        def oracle(models: Any, e: int = e) -> Any:
            return gradient_at(models, e)

        moved = steps.step(oracle, carried, spread_out(etas[e]))
        if active is not None:
            here = active[e][..., None]
            moved = {name: xp.where(here, value, carried[name]) for name, value in moved.items()}
        carried = dict(moved)
        if path or e == etas.shape[0] - 1:
            states.append(carried["model"])
    return states, carried


def with_rest(combined: Any, weights: Any, model: Any) -> Any:
    """Σ aₖwₖ and what the weights leave of the broadcast model, (1 − Σ aₖ)w."""
    return combined + (1 - namespace(weights).sum(weights, axis=-1, keepdims=True)) * model


def spread_out(eta: Any) -> Any:
    """A step size that multiplies (*batch, n_clients, dim): scalars as they are, (*batch,) with two axes behind."""
    return eta if eta.ndim == 0 else eta[..., None, None]

"""A client algorithm whose local steps go along a torch optimiser's direction in place of the gradient's."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from deep.features.optimiser import COUNT, Optimiser
from deep.features.seam import LossStep
from theory.algorithms.client import Client, Played
from theory.algorithms.clients.around import Around
from theory.algorithms.local_step import Affine, Carried, Oracle, Stepwise, Vectors
from theory.base.arrays import Array, namespace

__all__ = ["Optimised", "OptimiserStep", "bare"]

SHIFT = "optimizer shift"


@dataclass(frozen=True, eq=False)
class OptimiserStep:
    """The `step` of a `Stepwise`: w ← w + what `optimiser` makes of g, g that of `inner`, an affine step or a loss."""

    optimiser: Optimiser
    inner: Affine | LossStep

    def __call__(self, oracle: Oracle, carried: Carried, rate: Any) -> Carried:
        """Always a `ValueError`: torch's optimisers need a network's tensors."""
        raise ValueError(f"optimizer {self.optimiser.text!r}: expected a deep run")

    def gradient(self, gradient: Array, carried: Carried) -> Any:
        """What the optimiser is given in place of ∇ℓ, of one client, (1, n_parameters)."""
        if isinstance(self.inner, LossStep):
            return gradient
        return replace(self.inner, shift=carried.get(SHIFT)).gradient(gradient, carried["model"], carried["start"])


@dataclass(frozen=True)
class Optimised(Around):
    """What `client` says, but local steps are those of `optimiser`, given the gradient that `client` corrected.

    The state of the optimiser begins anew in every round, or stays with its client (`Optimiser.keeps`); the server
    never sees it. What control variates read as a mean gradient, −Δₖ/(ητₖ), is then a mean of the optimiser's steps.
    """

    optimiser: Optimiser = field(default_factory=lambda: Optimiser("sgd"))

    @property
    def state(self) -> tuple[str, ...]:
        """Names of what each client keeps of the optimiser."""
        entries = self.optimiser.entries if self.optimiser.keeps else None
        return (COUNT, *(f"optimizer {name}" for name in entries)) if entries is not None else ()

    @property
    def keeps(self) -> tuple[str, ...]:
        """Those of the client inside, and `state`."""
        return (*self.client.keeps, *self.state)

    @property
    def exchanges(self) -> bool:
        """As the client inside."""
        return self.client.exchanges

    def first(self, rows: Array) -> Vectors:
        """What the client inside keeps; the optimiser's state is 0, and not read before a first step."""
        xp, entries = namespace(rows), self.optimiser.entries or {}
        single = {COUNT, *(f"optimizer {name}" for name, one in entries.items() if one)}
        mine = {name: xp.zeros_like(rows[..., :1] if name in single else rows) for name in self.state}
        return {**self.client.first(rows), **mine}

    def steps(self, own: Vectors, broadcast: Vectors) -> Stepwise:
        """The optimiser's, on the gradient of the client inside."""
        inner = self.client.steps(own, broadcast)
        kept = {name: own[name] for name in self.state}
        if isinstance(inner, Affine):
            shift = {} if inner.shift is None else {SHIFT: inner.shift}
            return Stepwise(OptimiserStep(self.optimiser, replace(inner, shift=None)), {**shift, **kept}, self.state)
        if not isinstance(inner.step, LossStep):
            raise ValueError(
                f"optimizer {self.optimiser.text!r}: the local step of {type(self.client).__name__} says itself where"
                " it goes; expected another client, or no optimizer"
            )
        leaves = (*inner.leaves, *self.state)
        return Stepwise(OptimiserStep(self.optimiser, inner.step), {**inner.carried, **kept}, leaves)

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """As the client inside, and the optimiser's state as the round left it."""
        kept, sent = self.client.carry(own, broadcast, played)
        mine = {name: played.left[name][..., : own[name].shape[-1]] for name in self.state}
        return {**own, **kept, **mine}, sent


def bare(client: Client) -> Client:
    """The client algorithm inside an optimiser, or the client itself."""
    return client.client if isinstance(client, Optimised) else client

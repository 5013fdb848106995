"""A local step as an array function: (oracle, carried vectors, η) → carried vectors, and its affine fast case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from theory.base.arrays import Array

__all__ = ["Affine", "Carried", "LocalStep", "Oracle", "Stepwise", "Vectors"]

Vectors: TypeAlias = Mapping[str, Array]
Carried: TypeAlias = Mapping[str, Array]
Oracle: TypeAlias = Callable[[Array], Any]


class LocalStep(Protocol):
    """One local step of all clients at once: (oracle, carried, η) → carried.

    `oracle` gives ∇ℓ, noise or minibatch included, at the clients' models (*batch, n_clients, dim). `carried` holds
    "model" wₖ and "start" w₀, and whatever else the algorithm takes from step to step inside a round, all of that
    shape; a client out of steps keeps them. `rate` η multiplies such an array.
    """

    def __call__(self, oracle: Oracle, carried: Carried, rate: Any) -> Carried: ...


@dataclass(frozen=True, eq=False)
class Affine:
    """g ← a·∇ℓ(w) + D·(w − w₀) + c, and w ← w − η·g: the correction that every trainer and eigenbasis knows.

    `scale` a; `pull` D, a number or a diagonal (dim,); `shift` c, (*batch, n_clients, dim) or broadcastable, None for
    0. a and D are the same for all clients of a round, c is each client's own.
    """

    scale: float = 1.0
    pull: float | Array = 0.0
    shift: Array | None = None

    @property
    def isotropic(self) -> bool:
        """Whether D is a number, so that the correction looks the same in every orthonormal basis."""
        return isinstance(self.pull, int | float)

    @property
    def plain(self) -> bool:
        """Whether g is ∇ℓ itself."""
        return self.scale == 1.0 and self.isotropic and self.pull == 0.0 and self.shift is None

    @property
    def carried(self) -> Carried:
        """Nothing beside model and start."""
        return {}

    def gradient(self, gradient: Any, model: Array, start: Array) -> Any:
        """a·∇ℓ + D·(w − w₀) + c, (*batch, n_clients, dim)."""
        corrected = gradient if self.scale == 1.0 else self.scale * gradient
        if not (self.isotropic and self.pull == 0.0):
            corrected = corrected + self.pull * (model - start)
        return corrected if self.shift is None else corrected + self.shift

    def step(self, oracle: Oracle, carried: Carried, rate: Any) -> Carried:
        """The same as a `LocalStep`."""
        model, start = carried["model"], carried["start"]
        return {**carried, "model": model - rate * self.gradient(oracle(model), model, start)}


@dataclass(frozen=True, eq=False)
class Stepwise:
    """A local step that is not affine: any `LocalStep`, and the vectors it carries at first beside model and start.

    `leaves`: names of carried vectors, "model" among them, that `Client.carry` is shown after the last step.
    """

    step: LocalStep
    carried: Carried = field(default_factory=dict)
    leaves: tuple[str, ...] = ()

"""Convex federations that are drawn, not read: theory's families by name, for simulations without a data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

import numpy as np

from deep.config.config import RunConfig
from deep.partition.text import built
from theory.federations.families import Structure, quadratic_family
from theory.federations.federation import QuadraticFederation

__all__ = ["FAMILIES", "Quadratics", "check_family", "make_family"]

_READ = {
    "n_clients", "n_sampled", "participation", "n_rounds", "n_local_steps", "local_lr", "lr_decay", "lr_restart",
    "momentum", "nesterov", "client", "server", "server_lr", "floor", "seed", "data_seed", "cohort_seed",
    "training_seed",
}  # fmt: skip


@dataclass(frozen=True)
class Quadratics:
    """Fₖ(w) = ½(w−mₖ)ᵀAₖ(w−mₖ) + cₖ in `dim` dimensions; all but the last two as `theory.quadratic_family` has them.

    `noise` σ >= 0: the norm of the noise on every gradient, uniform on the sphere; 0 is full gradients. A list gives
    the norm of each client, begun again where there are more clients. `start`: the coordinate, of all alike, where the
    model begins.
    """

    dim: int = 10
    structure: Structure = "dense"
    condition: float = 10.0
    scale: float = 1.0
    spread: float = 1.0
    floor_scale: float = 0.0
    concentration: float | None = None
    noise: float | tuple[float, ...] = 0.0
    start: float = 1.0

    def __post_init__(self) -> None:
        if not _finite(self.start):
            raise ValueError(f"Quadratics(start={self.start!r}): must be a finite number")
        given = self.noise if isinstance(self.noise, list | tuple) else (self.noise,)
        if not given or not all(map(_finite, given)):
            raise ValueError(f"Quadratics(noise={self.noise!r}): must be a finite number, or a list of them")
        if min(given) < 0:
            raise ValueError(f"Quadratics(noise={self.noise!r}): must be >= 0; 0 is full gradients")
        object.__setattr__(self, "noise", tuple(self.noise) if isinstance(self.noise, list) else self.noise)
        self.drawn(1, 0)

    def sigma(self, n_clients: int) -> tuple[float, ...]:
        """The norm of the noise of each client."""
        given = self.noise if isinstance(self.noise, tuple) else (self.noise,)
        return tuple(float(given[k % len(given)]) for k in range(n_clients))

    def drawn(self, n_clients: int, seed: int) -> QuadraticFederation:
        """The federation of that many clients; the first of them are the same whatever their number."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in {"noise", "start"}}
        return quadratic_family(n_clients=n_clients, seed=seed, **own)


def _finite(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and abs(value) < np.inf


FAMILIES: Mapping[str, type[Quadratics]] = MappingProxyType({"quadratics": Quadratics})


def make_family(text: str) -> Quadratics:
    """The family that `text` describes; `ValueError` as `make_partition`.

    >>> make_family("quadratics(dim=3, spread=0.5)").spread
    0.5
    """
    return built(FAMILIES, "family", text)


def check_family(config: RunConfig) -> None:
    """`ValueError` for what a family knows nothing of: samples, networks, another floor than its own minima."""
    unlike = {f.name: getattr(config, f.name) for f in fields(config) if getattr(config, f.name) != f.default}
    unread = sorted(set(unlike) - _READ)
    if unread:
        name = unread[0]
        raise ValueError(
            f"simulate(family=…, {name}={unlike[name]!r}): a family has no data, and reads none of {', '.join(unread)};"
            " leave it out, or name a data set in place of the family"
        )
    if config.floor not in {"auto", "solved"}:
        raise ValueError(f"simulate(family=…, floor={config.floor!r}): the minima of a family are known; leave it out")

"""A client algorithm around another one, which decides all that it does not decide itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from theory.algorithms.client import Client, Played, Variates
from theory.algorithms.clients.sgd import SGD
from theory.algorithms.fisher import Fisher
from theory.algorithms.local_step import Affine, Stepwise, Vectors
from theory.base.arrays import Array

__all__ = ["Around"]


@dataclass(frozen=True)
class Around(Client):
    """What a client that changes the messages of another has in common: everything here is as `client` says.

    Raises `ValueError` for a `client` that is no client algorithm.
    """

    client: Client = field(default_factory=SGD)

    def __post_init__(self) -> None:
        if isinstance(self.client, type) or not hasattr(self.client, "steps"):
            name = type(self).__name__
            raise ValueError(f"{name}(client={self.client!r}): expected a client algorithm, such as Scaffold()")

    @property
    def begins(self) -> tuple[str, ...]:
        """As the client inside."""
        return self.client.begins

    @property
    def means(self) -> tuple[tuple[str, str], ...]:
        """As the client inside."""
        return self.client.means

    @property
    def totals(self) -> tuple[tuple[str, str], ...]:
        """As the client inside."""
        return self.client.totals

    @property
    def traffic(self) -> tuple[int, int]:
        """As the client inside: vectors beside model and update."""
        return self.client.traffic

    @property
    def variates(self) -> Variates:
        """As the client inside."""
        return self.client.variates

    @property
    def judges(self) -> str:
        """As the client inside."""
        return self.client.judges

    @property
    def start_gradient(self) -> bool:
        """As the client inside."""
        return self.client.start_gradient

    @property
    def fisher(self) -> Fisher | None:
        """As the client inside."""
        return self.client.fisher

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine | Stepwise:
        """As the client inside."""
        return self.client.steps(own, broadcast)

    def beside(self, own: Vectors, broadcast: Vectors) -> Stepwise | None:
        """As the client inside: its own models are not sent."""
        return self.client.beside(own, broadcast)

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """As the client inside."""
        return self.client.carry(own, broadcast, played)

    def direction(self, direction: Array, broadcast: Vectors) -> Any:
        """As the client inside."""
        return self.client.direction(direction, broadcast)

    def judged(self, own: Vectors, broadcast: Vectors) -> Any:
        """As the client inside."""
        return self.client.judged(own, broadcast)

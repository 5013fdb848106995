"""A client algorithm around another one, which decides all that it does not decide itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.algorithms.client import Client, Played, Variates
from theory.algorithms.clients.sgd import SGD
from theory.algorithms.fisher import Fisher
from theory.algorithms.local_step import Affine, Stepwise, Vectors
from theory.algorithms.server import Server
from theory.base.arrays import Array
from theory.messages.log import Log
from theory.rules.protocol import AnyRule

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

    @property
    def broadcasts(self) -> tuple[str, ...]:
        """As the client inside."""
        return self.client.broadcasts

    @property
    def own_starts(self) -> bool:
        """As the client inside."""
        return self.client.own_starts

    def receive(self, own: Vectors, log: Log, model: Array) -> tuple[Vectors, Array]:
        """As the client inside; what is kept beside it stays."""
        heard, starts = self.client.receive(own, log, model)
        return {**own, **heard}, starts

    def message(self, own: Vectors, updates: Array) -> tuple[Vectors, Array]:
        """As the client inside; what is kept beside it stays."""
        after, received = self.client.message(own, updates)
        return {**own, **after}, received

    def send(self, broadcast: Vectors, log: Log, step: Array) -> tuple[Vectors, Log, Array]:
        """As the client inside."""
        return self.client.send(broadcast, log, step)

    def trim(self, log: Log, own: Vectors) -> Log:
        """As the client inside."""
        return self.client.trim(log, own)

    def sent_bits(self, received: Array, number: int) -> NDArray[np.int64]:
        """As the client inside."""
        return self.client.sent_bits(received, number)

    def heard_bits(self, own: Vectors, log: Log, rows: Array, number: int) -> NDArray[np.int64]:
        """As the client inside."""
        return self.client.heard_bits(own, log, rows, number)

    def refuses(self, rule: AnyRule, server: Server) -> str:
        """As the client inside."""
        return self.client.refuses(rule, server)

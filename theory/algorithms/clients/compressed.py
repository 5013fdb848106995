"""The message layer: any client algorithm whose update is sent as a ternary sparse vector, with error feedback."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from theory.algorithms.client import Client, Played, Variates
from theory.algorithms.clients.sgd import SGD
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Stepwise, Vectors
from theory.algorithms.server import Server
from theory.arrays import Array
from theory.compression import TernarySparse, error_feedback, message_bits
from theory.rules.checks import check_word
from theory.rules.protocol import AnyRule

__all__ = ["ENTRY", "Compressed"]


@dataclass(frozen=True)
class Compressed(Client):
    """Rₖ ← (Rₖ + Δₖ) − ST(Rₖ + Δₖ); the server receives ST(Rₖ + Δₖ), `client` decides all else.

    Source: efl eq. (5), Algorithm 1 (EFL-ALG1, step 5), the upload; Rₖ = 0 at first. `keep_fraction` in (0, 1]: the
    share of entries kept. Rules and server see the updates as received; losses are those of the client's own model.
    `coding`: how positions and signs are counted, "index" or "entropy" (`theory.compression.message_bits`).
    """

    client: Client = field(default_factory=SGD)
    keep_fraction: float = 0.01
    coding: Literal["index", "entropy"] = "index"

    def __post_init__(self) -> None:
        if isinstance(self.client, type) or not hasattr(self.client, "steps"):
            raise ValueError(f"Compressed(client={self.client!r}): expected a client algorithm, such as Scaffold()")
        TernarySparse(self.keep_fraction)
        check_word("Compressed", "coding", self.coding, ("index", "entropy"))

    @property
    def keeps(self) -> tuple[str, ...]:
        """Those of the client inside, and the residual."""
        return (*self.client.keeps, "residual")

    @property
    def broadcasts(self) -> tuple[str, ...]:
        """As the client inside."""
        return self.client.broadcasts

    @property
    def begins(self) -> tuple[str, ...]:
        """As the client inside."""
        return self.client.begins

    @property
    def means(self) -> tuple[tuple[str, str], ...]:
        """As the client inside."""
        return self.client.means

    @property
    def traffic(self) -> tuple[int, int]:
        """As the client inside: what goes beside the update is not compressed."""
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

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine | Stepwise:
        """As the client inside."""
        return self.client.steps(own, broadcast)

    def beside(self, own: Vectors, broadcast: Vectors) -> Stepwise | None:
        """As the client inside: its own models are not sent."""
        return self.client.beside(own, broadcast)

    def message(self, own: Vectors, updates: Array) -> tuple[Vectors, Array]:
        """The residual left behind, and what is received."""
        residual, sent = error_feedback(own["residual"], updates, TernarySparse(self.keep_fraction))
        return {**own, "residual": residual}, sent

    def message_bits(self, n_parameters: int, number: int) -> float:
        """Positions and signs of the entries kept, and their one size; fewer than the numbers, if the coding pays."""
        bits = message_bits(n_parameters, self.coding, compressor=TernarySparse(self.keep_fraction))
        return min(bits, n_parameters * number)

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """As the client inside."""
        return self.client.carry(own, broadcast, played)

    def direction(self, direction: Array, broadcast: Vectors) -> Any:
        """As the client inside."""
        return self.client.direction(direction, broadcast)

    def judged(self, own: Vectors, broadcast: Vectors) -> Any:
        """As the client inside."""
        return self.client.judged(own, broadcast)

    def refuses(self, rule: AnyRule, server: Server) -> str:
        """As the client inside; one that sends nothing has nothing to compress."""
        if not self.client.exchanges:
            return f"{type(self.client).__name__} sends nothing; there is nothing to compress"
        return self.client.refuses(rule, server)


ENTRY = AlgorithmEntry(
    "compressed",
    "client",
    Compressed,
    "efl, eq. (5), Algorithm 1",
    "another client; ST(Rₖ + Δₖ) is received, Rₖ keeps the rest",
    parts={"client": "client"},
)

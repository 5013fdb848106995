"""Local training alone: nothing is sent, and every client is judged by its own model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.client import Client, Played
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Carried, Oracle, Stepwise, Vectors
from theory.algorithms.server import Server
from theory.algorithms.servers.rate import Rate
from theory.rules.by_share.proportional import Proportional
from theory.rules.protocol import AnyRule

__all__ = ["ENTRY", "LocalOnly"]


@dataclass(frozen=True)
class LocalOnly(Client):
    """vₖ ← vₖ − η∇ℓ(vₖ), round after round; wₖ = x is not moved, and the client is judged by vₖ.

    Source: fedssa §5.1 and B.2, «local training»: no exchange, each local model evaluated on the target data, the
    average reported. vₖ is the initial model at first. A client trains in the rounds in which it is present.
    """

    keeps = ("personal",)
    begins = ("personal",)
    exchanges = False
    judges = "vₖ, its own"

    def steps(self, own: Vectors, broadcast: Vectors) -> Stepwise:
        """SGD on vₖ."""

        def step(oracle: Oracle, carried: Carried, rate: float) -> Carried:
            return {**carried, "personal": carried["personal"] - rate * oracle(carried["personal"])}

        return Stepwise(step, {"personal": own["personal"]}, ("personal",))

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """vₖ as the round left it."""
        return {**own, "personal": played.left["personal"]}, broadcast

    def judged(self, own: Vectors, broadcast: Vectors) -> Any:
        """vₖ."""
        return own["personal"]

    def refuses(self, rule: AnyRule, server: Server) -> str:
        """Nothing is sent: there is nothing to weigh, and nowhere to go."""
        if rule != Proportional():
            return "with client 'local-only' nothing is sent, so no rule has anything to weigh; expected 'proportional'"
        return "" if server == Rate() else "with client 'local-only' no model moves; expected server 'rate'"


ENTRY = AlgorithmEntry(
    "local-only", "client", LocalOnly, "fedssa B.2, «local training»", "vₖ ← vₖ − η∇ℓ(vₖ); nothing is sent"
)

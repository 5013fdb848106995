"""Byzantine clients: any client algorithm of which some clients send something else than their update."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from theory.algorithms.attack import Attack, Seen, SignFlip, make_attack
from theory.algorithms.client import Played
from theory.algorithms.clients.around import Around
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Vectors
from theory.algorithms.server import Server
from theory.base.arrays import Array, device_of, namespace, to_host
from theory.base.checks import check_whole
from theory.base.streams import stream
from theory.rules.protocol import AnyRule

__all__ = ["ENTRY", "Byzantine", "byzantine_clients"]

_AT_REST = 1e-9  # times the longest update: an absent client's update is rounding around 0 in theory's simulator


def byzantine_clients(seed: int, n_clients: int, count: int) -> NDArray[np.int64]:
    """Which of the clients 0 … n_clients − 1 are Byzantine: `count` by lot, or all, in increasing order."""
    drawn = stream(seed, "byzantine clients").permutation(n_clients)[:count]
    return np.sort(drawn).astype(np.int64)


@dataclass(frozen=True)
class Byzantine(Around):
    """`count` clients send what `attack` makes, the others what `client` says; local training is that of `client`.

    Source: that of the attack, `theory.algorithms.attack`: "sign-flip", "gaussian-noise", "little-is-enough",
    "inner-product". `attack`: one of them, or its text, "sign-flip(scale=5)". Who is Byzantine derives from (`seed`),
    a draw of noise from (`seed`, client, how many messages it has sent); seed −1 is the data seed of a deep run or of
    `fedverdict simulate`, else 0. Attackers know all updates of the round; clients whose update is less than 1e-9 times
    the longest count as absent. Rules and servers see messages as sent, and losses of the model as trained. `count` of
    all clients or more makes all of them Byzantine. Keeps who is Byzantine and what each has sent, (…, 1).
    Raises `ValueError` for a Byzantine or honest client that comes back after it left the objective: nobody knows then
    which it was.
    """

    attack: Attack | str = "sign-flip"
    count: int = 1
    seed: int = -1

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.client, Byzantine):
            raise ValueError(f"Byzantine(client={self.client!r}): two attacks in each other; expected one")
        if isinstance(self.attack, str):
            try:
                object.__setattr__(self, "attack", make_attack(self.attack))
            except ValueError as error:
                raise ValueError(f"byzantine(attack=…): {error}") from None
        if isinstance(self.attack, type) or not hasattr(self.attack, "sent"):
            raise ValueError(f"Byzantine(attack={self.attack!r}): expected an attack, such as {SignFlip()!r}")
        check_whole("Byzantine", "count", self.count, low=1)
        check_whole("Byzantine", "seed", self.seed, low=-1, hint="−1 follows the run's seed")

    @property
    def keeps(self) -> tuple[str, ...]:
        """Those of the client inside; 1 + its number, negative where Byzantine; how many messages it has sent."""
        return (*self.client.keeps, "identity", "messages")

    def first(self, rows: Array) -> Vectors:
        """What the client inside keeps, and who is Byzantine."""
        xp, n = namespace(rows), rows.shape[-2]
        numbers = 1.0 + np.arange(n)
        numbers[byzantine_clients(max(self.seed, 0), n, self.count)] *= -1
        zero = xp.zeros_like(rows[..., :1])
        identity = zero + xp.asarray(numbers[:, None], dtype=rows.dtype, device=device_of(rows))
        return {**self.client.first(rows), "identity": identity, "messages": zero}

    def message(self, own: Vectors, updates: Array) -> tuple[Vectors, Array]:
        """What the client inside leaves; its messages, those of Byzantine clients replaced."""
        after, received = self.client.message(own, updates)
        xp, identity = namespace(received), own["identity"][..., 0]
        length = xp.max(xp.abs(received), axis=-1)
        here = length > _AT_REST * xp.max(length, axis=-1, keepdims=True)
        if bool(xp.any(here & (identity == 0))):
            raise ValueError(
                f"Byzantine(attack={self.attack!r}): a client that left the objective, or came to it later, takes part;"
                " nobody knows whether it is Byzantine; expected a participation without arrivals and departures"
            )
        bad = here & (identity < 0)
        draws = partial(self._draws, identity, own["messages"][..., 0], received)
        sent = self._attack.sent(Seen(received, here & (identity > 0), bad, draws))
        counted = {**own, **after, "messages": own["messages"] + 1}
        return counted, xp.where(bad[..., None], sent, received)

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """As the client inside, and what is kept here."""
        kept, sent = self.client.carry(own, broadcast, played)
        return {**own, **kept}, sent

    def refuses(self, rule: AnyRule, server: Server) -> str:
        """As the client inside; one that sends nothing has no message to replace."""
        if not self.client.exchanges:
            return (
                f"{type(self.client).__name__} sends nothing; there is no message to replace; expected another client"
            )
        return self.client.refuses(rule, server)

    @property
    def _attack(self) -> Attack:
        return cast("Attack", self.attack)

    def _draws(self, identity: Array, messages: Array, like: Array) -> Any:
        """Standard normal numbers, as `like`, from (seed, client, its message, place in the batch); 0 where honest."""
        xp, who, sent = namespace(like), to_host(identity), to_host(messages)
        found = np.zeros(tuple(like.shape))
        for place, one in enumerate(np.ndindex(who.shape[:-1])):
            for row in np.flatnonzero(who[one] < 0):
                axes = int(-who[one][row]) - 1, int(sent[one][row]), place
                found[(*one, row)] = stream(max(self.seed, 0), "byzantine message", *axes).standard_normal(
                    like.shape[-1]
                )
        return xp.asarray(found, dtype=like.dtype, device=device_of(like))


ENTRY = AlgorithmEntry(
    "byzantine",
    "client",
    Byzantine,
    "that of the attack",
    "another client; some send what an attack makes, such as sign-flip or little-is-enough",
    parts={"client": "client"},
)

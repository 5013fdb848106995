"""The message layer: any client algorithm whose messages are ternary sparse vectors, up, down or both ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from theory.algorithms.clients.around import Around
from theory.algorithms.clients.byzantine import Byzantine
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Vectors
from theory.algorithms.server import Server
from theory.base.arrays import Array, namespace
from theory.base.checks import check_number, check_word
from theory.messages.compression import TernarySparse, error_feedback
from theory.messages.log import Log, caught_up, due_bits, posted, sent_down, trimmed
from theory.messages.ternary_code import CODES, Code, coded_bits
from theory.rules.protocol import AnyRule

__all__ = ["ENTRY", "Compressed"]


@dataclass(frozen=True)
class Compressed(Around):
    """Rₖ ← (Rₖ + Δₖ) − ST(Rₖ + Δₖ) upwards, Rᴳ ← (Rᴳ + d) − ST(Rᴳ + d) downwards; `client` decides all else.

    Source: efl eq. (5), Algorithm 1 (EFL-ALG1, steps 3 to 7); all R = 0 at first. Losses are those of the clients' own
    models. `keep_fraction`: the q of the upload, in (0, 1], 0 for none; `down_fraction`: that of the download, 0: the
    model is sent whole. `ties` as in `TernarySparse`; k is ⌊nq⌋, at least 1. A sum of ternary
    vectors, which the server compresses, is full of ties: as printed it then keeps more than k entries.
    Four choices that the print leaves open or prints twice. `uplink`: rules and server see ST(Rₖ + Δₖ), as received
    ("compressed"), or Rₖ + Δₖ, as the server's line prints ("raw"). `downlink`: clients add ST(Δωᴳ), as in the
    algorithm ("compressed"), or Δωᴳ, as in §3.1 ("full"). `server_add`: the server adds what it sent ("compressed"),
    or Δωᴳ, as printed ("delta"). `base_of_absent`: a client that was absent takes in all it missed ("synced"), or
    nothing but the last message ("stale"). The first three as they stand here and "synced" are the choice that
    closes: every base is the server's model, to the last bit. As printed: down_fraction > 0, `server_add` "delta",
    `base_of_absent` "stale", and `uplink` "raw".
    `code`: how messages are written (`theory.messages.ternary_code`); their bits are counted as written.
    """

    keep_fraction: float = 0.01
    down_fraction: float = 0.0
    ties: Literal["all", "exact"] = "all"
    uplink: Literal["compressed", "raw"] = "compressed"
    downlink: Literal["compressed", "full"] = "compressed"
    server_add: Literal["compressed", "delta"] = "compressed"
    base_of_absent: Literal["synced", "stale"] = "synced"
    code: Code = "index"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.client.own_starts:
            raise ValueError(f"Compressed(client={self.client!r}): two sets of base models; expected one inside")
        if isinstance(self.client, Byzantine):
            raise ValueError(
                "Compressed(client=Byzantine(…)): the update is compressed, not the message of the client inside;"
                " expected byzantine(client=compressed(…))"
            )
        for name in ("keep_fraction", "down_fraction"):
            check_number(
                "Compressed", name, getattr(self, name), high=1, closed=True, hint="a fraction in (0, 1], or 0"
            )
        check_word("Compressed", "ties", self.ties, ("all", "exact"))
        check_word("Compressed", "uplink", self.uplink, ("compressed", "raw"))
        check_word("Compressed", "downlink", self.downlink, ("compressed", "full"))
        check_word("Compressed", "server_add", self.server_add, ("compressed", "delta"))
        check_word("Compressed", "base_of_absent", self.base_of_absent, ("synced", "stale"))
        check_word("Compressed", "code", self.code, CODES)

    @property
    def closes(self) -> bool:
        """Whether every client's base is the server's model once it heard all messages."""
        same = self.server_add == ("compressed" if self.downlink == "compressed" else "delta")
        return not self.own_starts or (same and self.base_of_absent == "synced")

    @property
    def own_starts(self) -> bool:
        """Where the server sends steps, clients keep the model that these add up to."""
        return self.down_fraction > 0

    @property
    def keeps(self) -> tuple[str, ...]:
        """Those of the client inside; the residual; the base model, and 1 + the messages heard, (…, 1)."""
        up = ("residual",) if self.keep_fraction else ()
        return (*self.client.keeps, *up, *(("base", "heard") if self.own_starts else ()))

    @property
    def broadcasts(self) -> tuple[str, ...]:
        """Those of the client inside, and the server's residual."""
        return (*self.client.broadcasts, *(("residual_down",) if self.own_starts else ()))

    def first(self, rows: Array) -> Vectors:
        """Every client holds the initial model, and has heard nothing since."""
        xp = namespace(rows)
        mine = {"residual": xp.zeros_like(rows), "base": rows, "heard": xp.ones_like(rows[..., :1])}
        own = {**self.client.first(rows), **mine}
        return {name: own[name] for name in self.keeps}

    def receive(self, own: Vectors, log: Log, model: Array) -> tuple[Vectors, Array]:
        """Base models after what the server sent."""
        if not self.own_starts:
            return self.client.receive(own, log, model)
        missed = self.base_of_absent == "synced"
        base, heard = caught_up(own["base"], own["heard"], log, model, missed=missed)
        return {**own, "base": base, "heard": heard}, base

    def message(self, own: Vectors, updates: Array) -> tuple[Vectors, Array]:
        """The residual left behind, and what is received."""
        if not self.keep_fraction:
            return own, updates
        residual, sent = error_feedback(own["residual"], updates, TernarySparse(self.keep_fraction, ties=self.ties))
        return {**own, "residual": residual}, sent if self.uplink == "compressed" else own["residual"] + updates

    def send(self, broadcast: Vectors, log: Log, step: Array) -> tuple[Vectors, Log, Array]:
        """What the server makes of its step, and the message that clients will hear."""
        if not self.own_starts:
            return broadcast, log, step
        compress = TernarySparse(self.down_fraction, ties=self.ties)
        residual, change, sent = sent_down(broadcast["residual_down"], step, compress)
        number = int(namespace(change).finfo(change.dtype).bits)
        coded = self.downlink == "compressed"
        log = posted(log, sent if coded else change, self.code if coded else None, number)
        added = sent if self.server_add == "compressed" else change
        return {**broadcast, "residual_down": residual}, log, added

    def trim(self, log: Log, own: Vectors) -> Log:
        """Messages heard by all are forgotten."""
        return trimmed(log, own["heard"], missed=self.base_of_absent == "synced") if self.own_starts else log

    def sent_bits(self, received: Array, number: int) -> NDArray[np.int64]:
        """As the code writes them; all numbers where the update is sent raw."""
        if not self.keep_fraction or self.uplink == "raw":
            return self.client.sent_bits(received, number)
        return coded_bits(received, self.code, number)

    def heard_bits(self, own: Vectors, log: Log, rows: Array, number: int) -> NDArray[np.int64]:
        """The messages each has still to hear, as the code writes them."""
        if not self.own_starts:
            return self.client.heard_bits(own, log, rows, number)
        whole = int(rows.shape[-1]) * number
        return due_bits(own["heard"], log, whole, missed=self.base_of_absent == "synced")

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
    "another client; ST(Rₖ + Δₖ) is received, Rₖ keeps the rest; ST(Rᴳ + d) is sent",
    parts={"client": "client"},
)

"""×AWARE: another server's step, projected on the line of FedAWARE's direction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.server import Received, Server
from theory.algorithms.servers.rate import Rate
from theory.arrays import namespace
from theory.projection import aware_projection
from theory.rules.checks import check_rule, check_word
from theory.rules.presets import fed_aware
from theory.rules.protocol import AnyRule, aggregate, on_simplex

__all__ = ["ENTRY", "Aware"]


@dataclass(frozen=True)
class Aware(Server):
    """d̃ ← (⟨d̃, d⟩/⟨d, d⟩)·d, d̃ the step of `server` and d the direction of `onto`, FedAWARE unless said otherwise.

    Source: fedaware §3, «AWARE extension» (FA-PROP3.1), over any method whose step is x + η_g·d̃; η_g is that of
    `server`, after the projection. `when_zero` and `when_negative` as in `theory.projection.aware_projection`.
    State: {"server": …, "onto": …}, the second with a moving average of every client's updates.
    """

    server: Server = field(default_factory=Rate)
    onto: AnyRule = field(default_factory=fed_aware)
    when_zero: Literal["error", "keep", "zero"] = "error"
    when_negative: Literal["as_printed", "clip"] = "as_printed"

    remembers = True

    def __post_init__(self) -> None:
        if isinstance(self.server, type) or not hasattr(self.server, "step") or not hasattr(self.server, "lr"):
            raise ValueError(f"Aware(server={self.server!r}): expected a server, such as Rate()")
        check_rule("Aware", "onto", self.onto)
        check_word("Aware", "when_zero", self.when_zero, ("error", "keep", "zero"))
        check_word("Aware", "when_negative", self.when_negative, ("as_printed", "clip"))
        if not on_simplex(self.onto):
            raise ValueError(f"Aware(onto={self.onto!r}): its weights need not sum to 1, so d would be rescaled")

    @property
    def lr(self) -> float:
        """That of the server inside."""
        return self.server.lr

    @property
    def plain(self) -> bool:
        """As the server inside."""
        return self.server.plain

    @property
    def needs(self) -> tuple[str, ...]:
        """The updates, and what the server inside needs."""
        return tuple(dict.fromkeys((*self.server.needs, "updates", *(getattr(self.onto, "needs", None) or ()))))

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """Both states, and the projected step."""
        held = state or {"server": None, "onto": None}
        inner, proposal = self.server.step(held["server"], received)
        onto, weights, vectors = aggregate(self.onto, held["onto"], received.stats)
        xp = namespace(proposal, weights)
        along = (weights[..., None, :] @ xp.astype(vectors, weights.dtype))[..., 0, :]
        step = aware_projection(proposal, along, when_zero=self.when_zero, when_negative=self.when_negative)
        return {"server": inner, "onto": onto}, step

    def refuses(self, rule: AnyRule) -> str:
        """As the server inside."""
        return self.server.refuses(rule)


ENTRY = AlgorithmEntry(
    "aware",
    "server",
    Aware,
    "fedaware §3, FA-PROP3.1",
    "(⟨d̃, d⟩/⟨d, d⟩)·d, d̃ of another server, d of FedAWARE",
    parts={"server": "server", "onto": "rule"},
)

"""The server that combines updates by medians, distances or clipping, in place of the rule's weighted sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from theory.algorithms.aggregator import Aggregator, Sent
from theory.algorithms.aggregator_registry import make_aggregator
from theory.algorithms.aggregators.ranks import count
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.server import Received, Server
from theory.algorithms.servers.rate import Rate
from theory.base.arrays import namespace
from theory.rules.by_share.proportional import Proportional, Uniform
from theory.rules.protocol import AnyRule, on_simplex, remembers

__all__ = ["ENTRY", "Aggregate"]


@dataclass(frozen=True)
class Aggregate(Server):
    """d ← what the aggregator `by` makes of the updates of the clients present; then the step of `server` with that d.

    Source: that of the aggregator, `theory.algorithms.aggregators`. `by`: an aggregator, or its text, "krum(f=2)";
    `server`: a server optimiser that reads d alone, as momentum or Adam on robust directions; η_g is its own.
    An aggregator that reads no weights counts every client present once, whatever its data share; rules that weigh
    clients in another way are refused there, as are rules that combine other vectors than this round's updates. What
    client algorithms average beside the updates, such as control variates, is not protected.
    Clients whose updates are not finite make the direction NaN, as in a weighted sum: a run that diverges says so.
    State: {"by": …, "server": …}. Raises `ValueError` for too few clients present, and for finite updates whose
    combination is not.
    """

    by: Aggregator | str = "median"
    server: Server = field(default_factory=Rate)

    def __post_init__(self) -> None:
        if isinstance(self.by, str):
            try:
                object.__setattr__(self, "by", make_aggregator(self.by))
            except ValueError as error:
                raise ValueError(f"aggregate(by=…): {error}") from None
        if isinstance(self.by, type) or not hasattr(self.by, "combine"):
            raise ValueError(f"Aggregate(by={self.by!r}): expected an aggregator, such as Median() or 'krum(f=2)'")
        if isinstance(self.server, type) or not hasattr(self.server, "step") or not hasattr(self.server, "lr"):
            raise ValueError(f"Aggregate(server={self.server!r}): expected a server, such as Rate()")
        reads = [name for name in self.server.needs if name in ("updates", "gram")]
        if reads:
            raise ValueError(
                f"Aggregate(server={self.server!r}): it reads the {' and '.join(reads)} themselves, past the"
                " aggregator; expected a server of d alone, such as Rate() or FedAvgM()"
            )

    @property
    def lr(self) -> float:
        """That of the server inside."""
        return self.server.lr

    @property
    def needs(self) -> tuple[str, ...]:
        """The updates, and what the server inside needs."""
        return tuple(dict.fromkeys((*self.server.needs, "updates")))

    @property
    def remembers(self) -> bool:
        """As the server inside."""
        return self.server.remembers

    @property
    def fewest(self) -> int:
        """How many clients have to be present."""
        return self._by.fewest

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """Both states, and the step along what the aggregator made."""
        held = state or {"by": None, "server": None}
        xp = namespace(received.direction)
        sent, sound = _sent(received)
        fewest = int(xp.min(count(sent.present)))
        if fewest < self.fewest:
            raise ValueError(
                f"Aggregate(by={self.by!r}): {fewest} clients are present in round {sent.round}; expected at least"
                f" {self.fewest}; take a smaller f or a larger cohort"
            )
        kept, found = self._by.combine(held["by"], sent)
        if not bool(xp.all(xp.isfinite(found))):
            raise ValueError(
                f"Aggregate(by={self.by!r}): finite updates combine to NaN or infinity in round {sent.round}; expected"
                " updates that are far from the largest number of their precision"
            )
        lost = xp.full_like(found, xp.nan)
        direction = xp.where(sound[..., None], found, lost)
        inner = Received(direction, received.weights, None, received.stats, received.messages, received.layers)
        server, step = self.server.step(held["server"], inner)
        return {"by": kept, "server": server}, step

    def report(self, state: Any) -> Mapping[str, float]:
        """What the server inside has to say."""
        return self.server.report(state["server"])

    def refuses(self, rule: AnyRule) -> str:
        """Rules whose weights or vectors it would ignore, and what the server inside refuses."""
        if remembers(rule):
            return (
                "server 'aggregate' combines this round's updates, and the rule others; expected a rule without memory,"
                " such as 'proportional'"
            )
        if not self._by.weighs and rule not in (Proportional(), Uniform()):
            return (
                f"{type(self.by).__name__} counts every client once and would ignore the rule's weights; expected rule"
                " 'proportional' or 'uniform'"
            )
        if not on_simplex(rule):
            return f"{type(self.by).__name__} takes a weighted mean; expected a rule whose weights sum to 1"
        return self.server.refuses(rule)

    @property
    def _by(self) -> Aggregator:
        return cast("Aggregator", self.by)


def _sent(received: Received) -> tuple[Sent, Any]:
    """(what was sent, in the precision of d and 0 where absent; where all of it is finite, (*batch,)).

    Where the weights are those of the clients present alone, so are the rows.
    """
    stats = received.stats
    rows, present, weights = stats.need("updates", "Aggregate"), stats.present, received.weights
    xp = namespace(received.direction)
    if weights.shape[-1] != present.shape[-1]:
        rows, present = rows[present], present[present]
    rows = xp.astype(rows, received.direction.dtype)
    heard = xp.where(present[..., None], rows, xp.zeros_like(rows))
    sound = xp.all(xp.isfinite(heard), axis=(-1, -2))
    if not bool(xp.all(sound)):
        heard = xp.where(sound[..., None, None], heard, xp.zeros_like(heard))
    weights = xp.where(present, weights, xp.zeros_like(weights))
    return Sent(heard, present, weights, stats.round), sound


ENTRY = AlgorithmEntry(
    "aggregate",
    "server",
    Aggregate,
    "that of the aggregator",
    "d of an aggregator, such as median, krum(f=1) or clipped(radius=1), in place of Σ aₖvₖ",
    parts={"server": "server"},
)

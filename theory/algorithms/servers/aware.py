"""×AWARE: another server's step, projected on the line of FedAWARE's direction, on the last layers alone if asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, pi
from typing import Any, Literal

from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.server import Received, Server
from theory.algorithms.servers.rate import Rate
from theory.base.arrays import namespace
from theory.base.checks import check_rule, check_whole, check_word
from theory.rules.combinators.presets import fed_aware
from theory.rules.projection import aware_projection, known_direction
from theory.rules.protocol import AnyRule, aggregate, on_simplex
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "Aware"]


@dataclass(frozen=True)
class Aware(Server):
    """d̃ ← (⟨d̃, d⟩/⟨d, d⟩)·d, d̃ the step of `server` and d the direction of `onto`, FedAWARE unless said otherwise.

    Source: fedaware §3, «AWARE extension» (FA-PROP3.1), over any method whose step is x + η_g·d̃; η_g is that of
    `server`, after the projection. `when_zero` and `when_negative` as in `aware_projection`; a d that is rounding
    around 0 counts as 0 (both in `theory.rules.projection`).
    Over rule "fed-aware" and server "rate" it changes nothing. fedaware B.1: α = 0.5 in `onto`; grids of the methods
    under it are in their docstrings, *open* whether they were searched anew under ×AWARE. FedDyn is left out, as there
    (§5). Two ways to remember less, fedaware §5, «Limitation and feasible solutions»: `last_layers` ℓ >= 1 takes d, and
    the memory it is made of, on the last ℓ layers of the model alone, normalisations counting as layers, and leaves the
    rest of d̃ as it is (*open* there: what becomes of the rest); 0 is all layers, and theory's models are one layer.
    `onto` "with-clusters(rule=min-norm)" remembers clusters. `watch`: a rule, as "fed-aware", whose full direction is
    kept beside to tell the angle of d to it, on the entries that d has; it costs the memory that is saved.
    State: {"server": …, "onto": …, "watch": …, "angle": …}. Raises `ValueError` for more layers than there are.
    """

    server: Server = field(default_factory=Rate)
    onto: AnyRule = field(default_factory=fed_aware)
    when_zero: Literal["error", "keep", "zero"] = "error"
    when_negative: Literal["as_printed", "clip"] = "as_printed"
    last_layers: int = 0
    watch: AnyRule | None = None

    remembers = True

    def __post_init__(self) -> None:
        if isinstance(self.server, type) or not hasattr(self.server, "step") or not hasattr(self.server, "lr"):
            raise ValueError(f"Aware(server={self.server!r}): expected a server, such as Rate()")
        check_rule("Aware", "onto", self.onto)
        check_word("Aware", "when_zero", self.when_zero, ("error", "keep", "zero"))
        check_word("Aware", "when_negative", self.when_negative, ("as_printed", "clip"))
        check_whole("Aware", "last_layers", self.last_layers, low=0, hint="0 is all")
        if self.watch is not None:
            check_rule("Aware", "watch", self.watch)
        for rule in (self.onto, *([] if self.watch is None else [self.watch])):
            if not on_simplex(rule):
                raise ValueError(f"Aware(onto={rule!r}): its weights need not sum to 1, so d would be rescaled")

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
        read = (*(getattr(self.onto, "needs", None) or ()), *(getattr(self.watch, "needs", None) or ()))
        return tuple(dict.fromkeys((*self.server.needs, "updates", *read)))

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """All states, and the projected step."""
        held = state or {"server": None, "onto": None, "watch": None}
        inner, proposal = self.server.step(held["server"], received)
        xp, dim = namespace(proposal), proposal.shape[-1]
        kept = self._entries(received, dim)
        part, stats = proposal, received.stats
        if kept < dim:
            part, updates = proposal[..., dim - kept :], stats.need("updates", "Aware")
            stats = RoundStats.unchecked(**{**stats.__dict__, "updates": updates[..., dim - kept :]})
        onto, along = _direction(self.onto, held["onto"], stats)
        moved = aware_projection(part, along, when_zero=self.when_zero, when_negative=self.when_negative)
        new = {"server": inner, "onto": onto, "watch": None, "angle": None}
        if self.watch is not None:
            new["watch"], full = _direction(self.watch, held["watch"], received.stats)
            new["angle"] = _angle(along, full[..., dim - kept :])
        return new, moved if kept == dim else xp.concat([proposal[..., : dim - kept], moved], axis=-1)

    def report(self, state: Any) -> Mapping[str, float]:
        """`aware_memory`, `watched_memory`: numbers that are remembered; `aware_angle` in degrees, where watched."""
        found = {"aware_memory": float(_numbers(state["onto"]))}
        if self.watch is not None:
            found |= {"watched_memory": float(_numbers(state["watch"])), "aware_angle": float(state["angle"])}
        return {name: value for name, value in found.items() if isfinite(value)}

    def refuses(self, rule: AnyRule) -> str:
        """As the server inside."""
        return self.server.refuses(rule)

    def _entries(self, received: Received, dim: int) -> int:
        """How many of the last entries of the vector belong to the last layers."""
        layers = received.layers or (dim,)
        if self.last_layers > len(layers):
            raise ValueError(
                f"Aware(last_layers={self.last_layers}): the model has {len(layers)}; expected as many at most"
            )
        return sum(layers[len(layers) - self.last_layers :]) if self.last_layers else dim


def _direction(rule: AnyRule, state: Any, stats: RoundStats) -> tuple[Any, Any]:
    """(the rule's state, Σ aₖvₖ, 0 where it is rounding around 0)."""
    state, weights, vectors = aggregate(rule, state, stats)
    return state, known_direction(weights, vectors)


def _angle(one: Any, other: Any) -> Any:
    """The angle between two vectors in degrees, (*batch,), NaN where one is 0; exact also where it is small."""
    xp = namespace(one, other)
    units = [v / xp.sqrt(xp.sum(v * v, axis=-1, keepdims=True)) for v in (one, other)]
    apart, near = (xp.sqrt(xp.sum((units[0] + s * units[1]) ** 2, axis=-1)) for s in (-1, 1))
    return 2 * xp.atan2(apart, near) * (180 / pi)


def _numbers(state: Any) -> int:
    """Real numbers of a state, to any depth."""
    if isinstance(state, Mapping):
        return sum(_numbers(value) for value in state.values())
    if isinstance(state, tuple | list):
        return sum(_numbers(value) for value in state)
    if not hasattr(state, "dtype") or not namespace(state).isdtype(state.dtype, "real floating"):
        return 0
    size = 1
    for n in state.shape:
        size *= n
    return size


ENTRY = AlgorithmEntry(
    "aware",
    "server",
    Aware,
    "fedaware §3, FA-PROP3.1",
    "(⟨d̃, d⟩/⟨d, d⟩)·d, d̃ of another server, d of FedAWARE",
    parts={"server": "server", "onto": "rule", "watch": "rule"},
)

"""What several runs on one axis would take on a named card, from estimates of single runs: bounds, nothing measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType

from rich.table import Table

from deep.config.config import RunConfig
from deep.runs.estimate import Estimate

__all__ = ["CARDS", "Card", "Pack", "pack_of", "pack_table"]

_ONCE = frozenset({"data", "program"})  # parts of memory that runs of one process share


@dataclass(frozen=True)
class Card:
    """`flops` a second in float32 without tensor cores, and `memory` in bytes, as its maker prints them."""

    flops: float
    memory: float


CARDS = MappingProxyType(
    {
        "t4": Card(8.1e12, 16e9),
        "v100": Card(15.7e12, 32e9),
        "a100": Card(19.5e12, 80e9),
        "h100": Card(67e12, 80e9),
        "h200": Card(67e12, 141e9),
    }
)


@dataclass(frozen=True)
class Pack:
    """`n_runs` on one axis: FLOPs of all rounds, local steps one after the other, bytes, and how many runs one run's
    memory lets a card hold at a time.

    `steps`: rounds times the steps of the client with most samples; what is side by side counts once.
    """

    n_runs: int
    flops: float
    steps: int
    shared: int
    each: float

    @property
    def memory(self) -> float:
        """Bytes of all runs at a time."""
        return self.shared + self.n_runs * self.each

    def at_a_time(self, card: Card) -> int:
        """Runs that the card holds, 0 where not even one."""
        return max(0, min(self.n_runs, int((card.memory - self.shared) // max(self.each, 1.0))))

    def least_minutes(self, card: Card) -> float:
        """At the card's peak rate: no run is faster. Small steps wait for launches, too, which this does not count."""
        return self.flops / card.flops / 60


def pack_of(members: Sequence[tuple[RunConfig, Estimate, int]]) -> Pack:
    """Of configurations with their estimates and numbers of seeds, which all have the same rounds.

    Raises `ValueError` for none.
    """
    if not members:
        raise ValueError("pack_of(0 members): expected at least one")
    n_runs = sum(seeds for _, _, seeds in members)
    flops = sum(seeds * _flops(one) for _, one, seeds in members)
    shared = max(sum(one.memory[part] for part in _ONCE if part in one.memory) for _, one, _ in members)
    own = sum(seeds * sum(v for part, v in one.memory.items() if part not in _ONCE) for _, one, seeds in members)
    return Pack(n_runs, flops, max(_steps(config, one) for config, one, _ in members), shared, own / n_runs)


def _flops(one: Estimate) -> float:
    """Of all rounds; evaluations are those of `n_evaluations`."""
    return one.n_rounds * (one.flops["training"] + one.flops["losses"]) + one.n_evaluations * one.flops["evaluation"]


def _steps(config: RunConfig, one: Estimate) -> int:
    most = config.n_local_steps or config.n_local_epochs * ceil(one.client_samples["max"] / config.batch_size)
    return one.n_rounds * most


def pack_table(pack: Pack, names: Sequence[str]) -> Table:
    """The pack for people to read, on each named card."""
    table = Table("", "", "", box=None, pad_edge=False, show_header=False)
    table.add_row("runs", f"{pack.n_runs}", "on one axis where the network trains together")
    table.add_row("FLOPs", f"≈ {pack.flops:.3g}", "of all runs and rounds")
    table.add_row(
        "local steps", f"{pack.steps:,}", "one after the other, at most; those of all clients and runs count once"
    )
    table.add_row(
        "memory", f"≈ {pack.memory / 1e9:.3g} GB", f"{pack.shared / 1e9:.3g} shared, {pack.each / 1e9:.3g} a run"
    )
    for name in names:
        card = CARDS[name]
        fits = pack.at_a_time(card)
        table.add_row(
            name, f"≥ {pack.least_minutes(card):.3g} min", f"at its peak rate; holds {fits} of {pack.n_runs} runs"
        )
    return table

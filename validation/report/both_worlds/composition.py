"""What composes: every client algorithm with every server, how many rules go with both, and why others are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Cell", "Composition", "Part", "read_composition"]


@dataclass(frozen=True)
class Part:
    """A client, server or rule: its name, what it does, its source."""

    name: str
    formula: str
    source: str


@dataclass(frozen=True)
class Cell:
    """A client with a server: `taken` of all rules compose with them; `reasons` are numbers of the list below.

    `kind`: "all", "some" or "none" of the rules.
    """

    taken: int
    reasons: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class Reason:
    """Why something is refused, and for how many triples of (rule, client, server)."""

    words: str
    rules: str
    triples: int


@dataclass(frozen=True)
class Composition:
    """`cells[client][server]`, in the order of `clients` and `servers`; `n_rules` of them, all counted."""

    clients: tuple[Part, ...]
    servers: tuple[Part, ...]
    rules: tuple[Part, ...]
    cells: tuple[tuple[Cell, ...], ...]
    reasons: tuple[Reason, ...]

    @property
    def n_rules(self) -> int:
        return len(self.rules)

    @property
    def composing(self) -> int:
        """Triples that compose."""
        return sum(cell.taken for row in self.cells for cell in row)

    @property
    def triples(self) -> int:
        """All triples."""
        return self.n_rules * len(self.clients) * len(self.servers)


def read_composition(
    clients: Sequence[Part], servers: Sequence[Part], rules: Sequence[Part], refused: Sequence[Mapping[str, Any]]
) -> Composition:
    """From the parts and the blocks of `validation.commands.lists.algorithms.refusals`, in which "all" is a name of
    all.
    """
    every = tuple(rule.name for rule in rules)
    out: dict[tuple[str, str], set[str]] = {(c.name, s.name): set() for c in clients for s in servers}
    why: dict[tuple[str, str], list[int]] = {pair: [] for pair in out}
    reasons: dict[str, list[Any]] = {}
    for block in refused:
        named = every if block["rules"] == "all" else tuple(block["rules"])
        at = list(reasons).index(block["reason"]) + 1 if block["reason"] in reasons else len(reasons) + 1
        kept = reasons.setdefault(block["reason"], [set(), 0])
        kept[0] |= set(named)
        for client in (c.name for c in clients) if block["clients"] == "all" else block["clients"]:
            for server in (s.name for s in servers) if block["servers"] == "all" else block["servers"]:
                if (client, server) not in out:
                    continue
                out[client, server] |= set(named)
                kept[1] += len(named)
                if at not in why[client, server]:
                    why[client, server].append(at)

    def cell(client: str, server: str) -> Cell:
        taken = len(every) - len(out[client, server])
        kind = "all" if taken == len(every) else "some" if taken else "none"
        return Cell(taken, tuple(sorted(why[client, server])), kind)

    return Composition(
        tuple(clients),
        tuple(servers),
        tuple(rules),
        tuple(tuple(cell(c.name, s.name) for s in servers) for c in clients),
        tuple(Reason(words, _words(named, every), n) for words, (named, n) in reasons.items()),
    )


def _words(named: set[str], every: Sequence[str]) -> str:
    """Rules in a row, "all but …" where that is shorter."""
    others = [rule for rule in every if rule not in named]
    if not others:
        return "all rules"
    shown = [rule for rule in every if rule in named]
    return f"all rules but {', '.join(others)}" if len(others) < len(shown) else ", ".join(shown)

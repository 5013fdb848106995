"""What a server optimiser is: (state, what it received) → (state, d̃); the model then moves by η_g·d̃."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from theory.base.arrays import Array
from theory.base.checks import check_number
from theory.rules.protocol import AnyRule
from theory.rules.stats import RoundStats

__all__ = ["Received", "Server", "check_fraction", "check_rate"]


@dataclass(frozen=True, eq=False)
class Received:
    """What reaches the server's step.

    `direction` d = Σ aₖvₖ (with what a client algorithm adds to it), (*batch, dim). `weights` aₖ and `gram` ⟨vᵢ, vⱼ⟩ of
    the vectors combined, one entry each, (*batch, rows) and (*batch, rows, rows); the Gram matrix only where the server
    names "gram" among its `needs`. `stats`: the round as the rule saw it. `messages`: named vectors sent beside.
    `layers`: how many entries of the vector each layer of the model has, in order; empty where it is one layer.
    """

    direction: Array
    weights: Array
    gram: Array | None
    stats: RoundStats
    messages: Mapping[str, Array] = field(default_factory=dict)
    layers: tuple[int, ...] = ()


class Server(Protocol):
    """w ← w + η_g·d̃ with (state, d̃) = step(state, received); a frozen dataclass of settings.

    `lr` η_g. The state is None before the first round, then numbers and arrays in tuples and dictionaries. `needs`:
    fields of `RoundStats` it reads, and "gram". `remembers`: whether its state holds something of each client.
    """

    @property
    def lr(self) -> float:
        """η_g > 0."""
        ...

    @property
    def needs(self) -> tuple[str, ...]:
        """Fields of `RoundStats` it reads, and "gram"."""
        return ()

    @property
    def plain(self) -> bool:
        """Whether d̃ = d, up to ×AWARE: what algorithms with a server step of their own ask for."""
        return False

    @property
    def remembers(self) -> bool:
        """Whether its state holds something of each client."""
        return False

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """(the next state, d̃ (*batch, dim)); the state is None before the first round."""
        ...

    def report(self, state: Any) -> Mapping[str, float]:
        """What it has to say of its last step, by name, from its state after it."""
        return {}

    def refuses(self, rule: AnyRule) -> str:
        """Why it does not go with this rule, or nothing."""
        return ""


def check_rate(call: str, lr: float) -> None:
    """`ValueError` unless the server's rate is a finite number > 0."""
    check_number(call, "lr", lr)


def check_fraction(call: str, **values: float) -> None:
    """`ValueError` unless each is a number in [0, 1)."""
    for name, value in values.items():
        check_number(call, name, value, closed=True)
        if not value < 1:
            raise ValueError(f"{call}({name}={value!r}): must be < 1")

"""What an attack is: the messages that Byzantine clients send in place of their updates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, Protocol

import numpy as np

from theory.algorithms.part_entry import PartEntry, part_of_text
from theory.base.arrays import Array, device_of, namespace, to_host
from theory.base.checks import check_number, check_word

__all__ = [
    "ATTACKS",
    "Attack",
    "GaussianNoise",
    "InnerProduct",
    "LittleIsEnough",
    "Seen",
    "SignFlip",
    "make_attack",
]


@dataclass(frozen=True, eq=False)
class Seen:
    """What the attackers know of a round: everything.

    `updates` (*batch, rows, dim), as the clients would send them; `honest` and `byzantine`: which rows, (*batch, rows),
    neither for clients that are absent. `draws()`: standard normal numbers, as `updates`, one stream a client.
    """

    updates: Array
    honest: Array
    byzantine: Array
    draws: Callable[[], Array]


class Attack(Protocol):
    """What Byzantine clients send; a frozen dataclass of settings."""

    def sent(self, seen: Seen) -> Any:
        """Messages, broadcastable to (*batch, rows, dim); those of rows that are not Byzantine are not read."""
        ...


@dataclass(frozen=True)
class SignFlip(Attack):
    """−s·Δₖ: each sends its own update turned around. Source: Li et al. 2019 (RSA), «sign-flipping». `scale` s > 0."""

    scale: float = 1.0

    def __post_init__(self) -> None:
        check_number("SignFlip", "scale", self.scale)

    def sent(self, seen: Seen) -> Any:
        """−s·Δₖ."""
        return -self.scale * seen.updates


@dataclass(frozen=True)
class GaussianNoise(Attack):
    """N(0, σ²·I) in place of an update. Source: Blanchard et al. 2017, Section 5. `std` σ > 0 in units of the model."""

    std: float = 200.0

    def __post_init__(self) -> None:
        check_number("GaussianNoise", "std", self.std)

    def sent(self, seen: Seen) -> Any:
        """One draw for each."""
        return self.std * seen.draws()


@dataclass(frozen=True)
class LittleIsEnough(Attack):
    """μ − z·σ in every coordinate, the same from all of them; μ and σ mean and standard deviation of the updates known.

    Source: Baruch et al. 2019, Algorithm 3. With n clients present, m of them Byzantine, s = ⌊n/2 + 1⌋ − m of the
    others have to be outdone: z is the quantile of the normal distribution at (n − m − s)/(n − m), 0 at least. `z` > 0
    is taken in its place. `knows`: μ and σ of the updates of the "honest" clients, or of what the "byzantine" ones
    would have sent, as there, where one alone has no σ.
    """

    z: float = 0.0
    knows: Literal["honest", "byzantine"] = "honest"

    def __post_init__(self) -> None:
        check_number("LittleIsEnough", "z", self.z, closed=True, hint="0 is that of the source")
        check_word("LittleIsEnough", "knows", self.knows, ("honest", "byzantine"))

    def sent(self, seen: Seen) -> Any:
        """μ − z·σ."""
        xp = namespace(seen.updates)
        known = seen.honest if self.knows == "honest" else seen.byzantine
        middle = _mean(seen.updates, known)
        spread = xp.sqrt(_mean((seen.updates - middle) ** 2, known))
        return middle - self._z(seen) * spread

    def _z(self, seen: Seen) -> Any:
        if self.z:
            return self.z
        xp = namespace(seen.updates)
        counts = (to_host(xp.sum(xp.astype(rows, xp.int64), axis=-1)) for rows in (seen.honest, seen.byzantine))
        z = np.vectorize(_quantile, otypes=[np.float64])(*counts)
        return xp.asarray(z, dtype=seen.updates.dtype, device=device_of(seen.updates))[..., None, None]


def _quantile(honest: int, byzantine: int) -> float:
    """z of Baruch et al. 2019, 0 at least, and where nobody is honest or the share is no probability."""
    if honest == 0:
        return 0.0
    share = (honest - ((honest + byzantine) // 2 + 1 - byzantine)) / honest
    return max(NormalDist().inv_cdf(share), 0.0) if 0 < share < 1 else 0.0


@dataclass(frozen=True)
class InnerProduct(Attack):
    """−ε times the mean of the honest updates, from all of them. Source: Xie et al. 2020. `epsilon` ε > 0, *open*."""

    epsilon: float = 1.0

    def __post_init__(self) -> None:
        check_number("InnerProduct", "epsilon", self.epsilon)

    def sent(self, seen: Seen) -> Any:
        """−ε·mean."""
        return -self.epsilon * _mean(seen.updates, seen.honest)


ATTACKS = (
    PartEntry("gaussian-noise", GaussianNoise, "Blanchard et al. 2017, Section 5", "N(0, σ²·I)"),
    PartEntry("inner-product", InnerProduct, "Xie et al. 2020", "−ε times the mean of the honest updates"),
    PartEntry("little-is-enough", LittleIsEnough, "Baruch et al. 2019, Algorithm 3", "μ − z·σ, of the honest updates"),
    PartEntry("sign-flip", SignFlip, "Li et al. 2019", "−s·Δₖ"),
)


def make_attack(text: str, **settings: object) -> Attack:
    """The attack that `text` names, with its settings: ``sign-flip(scale=5)``. `ValueError` for any other text.

    >>> make_attack("sign-flip(scale=5)")
    SignFlip(scale=5)
    """
    made: Attack = part_of_text("attack", text, settings, ATTACKS)
    return made


def _mean(rows: Array, counted: Array) -> Any:
    """The mean of the rows that are counted, (*batch, 1, dim), 0 where none is."""
    xp = namespace(rows)
    n = xp.sum(xp.astype(counted, rows.dtype), axis=-1)[..., None, None]
    total = xp.sum(xp.where(counted[..., None], rows, xp.zeros_like(rows)), axis=-2, keepdims=True)
    return total / xp.where(n > 0, n, xp.ones_like(n))

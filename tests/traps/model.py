"""What a trap is: a false statement drawn from a seed, and what is known of where it fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory import stream
from validation import Bound, Case, Claim, Family, Inequality, Instance, Mutant, Switch
from validation.statement.claim import Kind, Reading

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]


@dataclass(frozen=True)
class Trap:
    """A claim that is false, and the facts its tests confirm.

    `holds_up_to`: no instance of a smaller or equal size violates; `below_volume`: the largest share of random draws
    that may violate; `restored_by`: the names of the switches that restore it, in any order.
    """

    claim: Claim
    holds_up_to: int | None = None
    below_volume: float | None = None
    restored_by: frozenset[str] = frozenset()

    @property
    def test(self) -> Inequality:
        """The statement."""
        found = self.claim.readings[0].test
        assert isinstance(found, Inequality)
        return found


def rng_of(kind: str, seed: int) -> np.random.Generator:
    """The stream a trap's own numbers are drawn from."""
    return stream(seed, f"trap/{kind}")


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """A number log-uniform on [low, high]."""
    return float(low * (high / low) ** rng.random())


def short(value: float) -> Fraction:
    """The number to three significant digits, as a Fraction."""
    return Fraction(f"{value:.2e}")


def trap_claim(
    name: str,
    seed: int,
    says: str,
    bound: Any,
    cases: tuple[Case | Family, ...],
    mutant: tuple[str, Any, str],
    switches: tuple[Switch, ...] = (),
) -> Claim:
    """The claim of a trap: one reading, and one mutant (name, bound, why it is false)."""
    return Claim(
        id=f"TRAP-{name}-{seed}",
        kind=Kind.INEQUALITY,
        at="drawn from a seed",
        title=name,
        printed=r"\text{see } says",
        plainly=says,
        assumes=(),
        readings=(Reading("as stated", says, Inequality(Bound(bound), cases, switches)),),
        mutants=(Mutant(mutant[0], Inequality(Bound(mutant[1]), cases), mutant[2]),),
    )


def power(base: Fraction, n: int) -> Fraction:
    """baseⁿ for 0 <= base <= 1, exact up to n = 8, else within n·2⁻⁴⁹⁹ below it."""
    out = Fraction(1)
    for bit in bin(n)[2:]:
        out = out * out * (base if bit == "1" else 1)
        if n > 8:
            out = Fraction(int(out * 2**500), 2**500)
    return out


def contraction(x: Instance) -> Any:
    """1 − ηhᵢ at step size 1, (n, n_clients)."""
    return 1.0 - x["curvature"]

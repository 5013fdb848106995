"""What a rule of the registry reads and gives: its example, made."""

from __future__ import annotations

from dataclasses import dataclass

from theory.rules.protocol import AnyRule, on_simplex, remembers
from theory.rules.stats import RoundStats
from theory.rules.text import make_rule

__all__ = ["Example", "example_of"]


@dataclass(frozen=True)
class Example:
    """A rule as its entry in the registry gives it, and what that reads and gives."""

    rule: AnyRule

    @property
    def needs(self) -> tuple[str, ...]:
        """Fields and signals of `RoundStats` it reads besides shares and presence."""
        return tuple(name for name in getattr(self.rule, "needs", None) or () if name != "share")

    @property
    def signals(self) -> tuple[str, ...]:
        """Those of `needs` that are signals."""
        return tuple(name for name in self.needs if name not in RoundStats.__dataclass_fields__)

    @property
    def memory(self) -> bool:
        """Whether it carries a state from round to round."""
        return remembers(self.rule)

    @property
    def simplex(self) -> bool:
        """Whether its weights lie on the simplex."""
        return on_simplex(self.rule)


def example_of(name: str) -> Example:
    """The example of the rule called `name`, made.

    >>> example_of("fed-soft-worse").needs
    ('loss_before', 'loss_best')
    """
    return Example(make_rule(name))

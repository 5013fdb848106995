"""What must be exactly zero, or at most zero, as an inequality: a measured amount against a named nothing."""

from __future__ import annotations

from validation import Bound, Case, Family, Inequality, Switch, symbols

__all__ = ["NOTHING", "never_missed"]

NOTHING = "nothing"  # the constant every case measures as 0


def _again(nothing: float) -> float:
    """The right side once more."""
    return 0 + nothing


def never_missed(
    cases: tuple[Case | Family, ...], switches: tuple[Switch, ...] = (), *, degrees: tuple[int, int] = (0, 0)
) -> Inequality:
    """lhs <= 0, where `lhs` is by how much (in units of `degrees`) an instance misses what is claimed."""
    bound = Bound(symbols(NOTHING), again=_again, degrees={NOTHING: degrees})
    return Inequality(bound, cases, switches, degrees)

"""The name of a rule as people read it: its class, and what it was called if that is another name."""

from __future__ import annotations

import re

__all__ = ["rule_shown"]


def rule_shown(kind: str, given: str = "") -> str:
    """The class of a rule, and in brackets the name it was given, or, if none was, its other names.

    >>> rule_shown("Proportional", "fedavg"), rule_shown("ExpAlpha", "exp-alpha(alpha=0.2)"), rule_shown("Proportional")
    ('Proportional (fedavg)', 'ExpAlpha', 'Proportional (fed-avg)')
    """
    from theory.rules import rules

    called = given.partition("(")[0].rpartition(":")[2].strip()
    also = [name for e in rules() if getattr(e.build, "__qualname__", "") == kind for name in e.also]
    others = [name for name in ([called] if called else also) if _plain(name) != _plain(kind)]
    return f"{kind} ({', '.join(others)})" if others else kind


def _plain(name: str) -> str:
    """A name without what its spellings differ in: exp-alpha and ExpAlpha are expalpha."""
    return re.sub(r"[\W_]", "", name).lower()

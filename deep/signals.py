"""What rules ask for beyond losses."""

from __future__ import annotations

from typing import Any

from theory.rules.protocol import needs_of

__all__ = ["measure", "wanted"]

_KNOWN = ("view_1", "view_2", "logits", "gradient_variance", "accuracy")


def wanted(rule: Any) -> frozenset[str]:
    """The signals that the rule says it reads."""
    return frozenset(needs_of(rule) or ()) & frozenset(_KNOWN)


def measure(names: frozenset[str], *facts: Any) -> dict[str, Any]:
    """Not measured yet: the rule's own error says what it lacks."""
    return {}

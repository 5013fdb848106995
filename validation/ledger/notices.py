"""What is said to a person while the rest goes on."""

from __future__ import annotations

__all__ = ["LedgerWarning"]


class LedgerWarning(UserWarning):
    """Lines that cannot be trusted, or a file that is not ours to touch; the rest goes on."""

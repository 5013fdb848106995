"""What a walk writes into its digest; what it wrote of a value is written again, unread, where it meets it again.

Claims hold the same letters, quantities and worlds at hundreds of places. The bytes are those of a walk that reads the
value each time: a passage is kept where nothing in it was met for the first time, and nothing hung on what is around.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

__all__ = ["Passages"]

__judges__ = "no"


class Passages:
    """The bytes of one walk, in order."""

    def __init__(self) -> None:
        self._hash = sha256()
        self._written: list[bytes] = []
        # Values are held beside their bytes, so that no id is used twice.
        self._kept: dict[tuple[int, bool], tuple[Any, bytes]] = {}

    def write(self, data: bytes) -> None:
        """Add bytes to the digest."""
        self._hash.update(data)
        self._written.append(data)

    def hexdigest(self) -> str:
        """SHA-256 of all bytes so far."""
        return self._hash.hexdigest()

    def of(self, item: Any, tested: bool, booked: Callable[[], object], read: Callable[[], None]) -> None:
        """Write what `read` writes of the item, which is read once if that can be known.

        `tested`: whether settings and files count there; `booked()`: how much was met for the first time, or hung on
        what is around it. Where it is the same after reading, another reading would write the same.
        """
        known = self._kept.get((id(item), tested))
        if known is not None:
            self.write(known[1])
            return
        before, start = booked(), len(self._written)
        read()
        if booked() == before:
            self._kept[id(item), tested] = item, b"".join(self._written[start:])

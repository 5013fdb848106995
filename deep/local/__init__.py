"""Local training: whose samples, in which batches, and how the clients of a round are trained."""

from __future__ import annotations

from deep.local.pool import Client, Pool

__all__ = ["Client", "Pool"]

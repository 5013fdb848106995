"""Flower: `RuleStrategy` runs any rule of ours inside a Flower app (extra `flower`)."""

from __future__ import annotations

from deep.flower.strategy import RuleStrategy

__all__ = ["RuleStrategy"]

"""Rules, servers and messages of ours inside a Flower app (extra `flower`); `deep.features` has the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from deep.flower.strategy import RuleStrategy

__all__ = ["RuleStrategy"]

__getattr__ = lazily(__name__, __file__)

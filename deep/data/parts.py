"""A data set as it is published: training part, official test part, official validation part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from deep.data.samples import AnySamples, pooled

__all__ = ["Parts"]


@dataclass(frozen=True, eq=False)
class Parts(Generic[AnySamples]):
    """What a reader returns: `train`, and `test` and `validation` where the authors fixed them."""

    train: AnySamples
    test: AnySamples | None = None
    validation: AnySamples | None = None

    def everything(self) -> AnySamples:
        """Training, validation and test part in one data set, in this order."""
        return pooled([part for part in (self.train, self.validation, self.test) if part is not None])

"""A data set as it is published: training part, official test part, official validation part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from deep.data.samples import Samples_co
from deep.data.selection import pooled

__all__ = ["Parts"]


@dataclass(frozen=True, eq=False)
class Parts(Generic[Samples_co]):
    """What a reader returns: `train`, and `test` and `validation` where the authors fixed them."""

    train: Samples_co
    test: Samples_co | None = None
    validation: Samples_co | None = None

    def everything(self) -> Samples_co:
        """Training, validation and test part in one data set, in this order."""
        return pooled([part for part in (self.train, self.validation, self.test) if part is not None])

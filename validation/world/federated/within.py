"""`Federated` as its users write it: where R is given no run is longer, at corners neither, unless `far` says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from validation.statement.claim import Case, Family
from validation.world.federated import runs

__all__ = ["Federated"]


class _Unsaid(tuple[int, int]):
    """A range that nobody gave."""

    __slots__ = ()


_ROUNDS, _FAR = _Unsaid((1, 60)), 1000  # where nothing is said of rounds


@dataclass(frozen=True)
class Federated(runs.Federated):
    """A description of runs as a world, as `validation.world.federated.Federated` says, but for its lengths.

    `R`: least and largest number of rounds, (1, 60) where it is not given. `far`: how many rounds corners go to; where
    it is not given as many as `R`, and 1000 where that is not given either.
    """

    R: Any = _ROUNDS
    far: Any = None

    def _families(self, names: tuple[str, ...]) -> tuple[Case | Family, ...]:
        far = self.far if self.far is not None else _FAR if isinstance(self.R, _Unsaid) else self.R[1]
        return runs.Federated._families(replace(self, far=far), names)

"""How many different instances a search has tried: a few corners that meet the hypotheses again and again are few."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from validation.search.scores import Draw
from validation.statement.claim import Case
from validation.statement.instances.draw import Choice, Integer

__all__ = ["Distinct", "coincidence"]

__judges__ = "search"

_ENOUGH = 50  # different values of each continuous coordinate: no handful of corners
_LOOKED = 256  # admissible draws of a batch, at most, whose values are told apart


@dataclass
class _Seen:
    """Of one case: the values of each continuous coordinate on admissible draws, and how many of these are random.

    `open`: the coordinates that were not seen with enough values.
    """

    values: dict[str, set[bytes]]
    open: list[str]
    random: int = 0
    admissible: int = 0

    @property
    def few(self) -> int | None:
        """The fewest values of a coordinate, where no random draw was admissible; None where they are enough."""
        fewest = min(map(len, self.values.values()), default=_ENOUGH)
        return fewest if self.admissible and not self.random and fewest < _ENOUGH else None


@dataclass
class Distinct:
    """The different values that continuous coordinates took on admissible draws, by case, up to what is enough."""

    of: dict[str, _Seen] = field(default_factory=dict)

    def add(self, case: Case, cube: NDArray[np.float64], kind: NDArray[np.int8], random: slice) -> None:
        """Note a batch of draws of a case, of these classes; `random`: the rows that are random draws."""
        seen = self.of.get(case.name)
        if seen is None:
            drawn = (c for c in case.space.coordinates if not isinstance(c, Choice | Integer))
            values: dict[str, set[bytes]] = {c.name: set() for c in drawn}
            seen = self.of[case.name] = _Seen(values, list(values))
        met = kind != Draw.OUTSIDE
        seen.random += int(np.count_nonzero(met[random]))
        seen.admissible += int(np.count_nonzero(met))
        if seen.random:
            return
        seen.open = [name for name in seen.open if len(seen.values[name]) < _ENOUGH]
        rows = np.flatnonzero(met) if seen.open else np.empty(0, dtype=np.int64)
        if not rows.size:
            return
        rows = rows[np.linspace(0, rows.size - 1, min(_LOOKED, rows.size)).astype(int)]
        instances = case.space.decode(cube[rows])
        for name in seen.open:
            seen.values[name].update(row.tobytes() for row in instances[name])


def coincidence(distinct: Distinct) -> str | None:
    """Why admissible draws of a search are a few corners, met again and again; None where they are not.

    Cases without continuous coordinates are exempt: few instances may be all.
    """
    spoke = [seen for seen in distinct.of.values() if seen.admissible]
    few = [seen.few for seen in spoke]
    if not spoke or None in few:
        return None
    most = max(n for n in few if n is not None)
    values = "one value" if most == 1 else f"{most} values"
    return (
        f"no random draw meets the hypotheses, and on the others a number took no more than {values}; draw what an"
        " equality leaves free and compute the rest: where=(eq(c, w),) does so where it is linear in a drawn number"
    )

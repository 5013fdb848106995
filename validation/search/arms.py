"""The arms of a search: each case at each of its sizes, with the best points seen of it for every score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from validation.search.pool import joined
from validation.statement.claim import Case, Family, Inequality

__all__ = ["ELITES", "Arm", "arms", "case_at", "concrete", "opened", "sizes_tried"]

__judges__ = "search"

Float = NDArray[np.float64]
_Own = tuple[int, frozenset[tuple[str, float]]]

ELITES = 24


@dataclass(eq=False)
class Arm:
    """One concrete case and what a search knows of it.

    `ladder` groups the cases whose points mean the same; `plain` is the case's name before it was numbered, if it was.
    `position`: of its case or family in the statement; `admissible`: draws of it that met the hypotheses; `sizes`: at
    which the family is, where it is one. `least`: corners and random draws that it gets however dear it is.
    """

    case: Case
    ladder: tuple[int, str] | None = None
    rung: float = 0.0
    plain: str | None = None
    position: int = 0
    admissible: int = 0
    sizes: Mapping[str, float] = field(default_factory=dict)
    least: int = 1
    elites: dict[str, tuple[Float, Float]] = field(default_factory=dict)
    near: dict[str, tuple[Float, Float]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """What points of related searches call it: its place, its name, and the plain one where it was numbered."""
        own = (self.case.place, self.case.name)
        return own if self.plain is None else (*own, self.plain)

    def best(self, score: str) -> float:
        """The highest value of a score seen on this arm; −inf before any."""
        known = self.elites.get(score)
        return float(known[1][0]) if known is not None else -np.inf

    def keep(self, score: str, points: Float, values: Float) -> bool:
        """Keep the best of old and new points for a score; whether its best rose."""
        known = self.elites.get(score)
        if known is None:
            order = np.argsort(-values, kind="stable")[:ELITES]
            self.elites[score] = (points[order], values[order])
            return bool(self.elites[score][1][0] > -np.inf)
        mine, scores = known
        if len(scores) == ELITES:  # only what is better than the last of them has a place
            over = values > scores[-1]
            if not over.any():
                return False
            points, values = points[over], values[over]
        values = np.concatenate([scores, values])
        order = np.argsort(-values, kind="stable")[:ELITES]
        self.elites[score] = (np.concatenate([mine, points])[order], values[order])
        return bool(values[order[0]] > scores[0])

    def pool(self, score: str, points: Float, values: Float) -> None:
        """Let points join those that are nearly active on a score and apart from each other."""
        self.near[score] = joined(self.near.get(score), points, values)

    def batch(self, wanted: int) -> int:
        """How many of `wanted` instances to evaluate at once, so that memory stays bounded."""
        room = min(4096, 2**21 // max(1, self.case.space.n_cube), int(65536 / self.case.cost))
        return max(1, min(wanted, max(8, room)))


def concrete(test: Inequality) -> tuple[Case, ...]:
    """Every case of the statement, families at each of their choices of sizes."""
    return tuple(arm.case for arm in arms(test))


def opened(family: Family, position: int, sizes: dict[str, float]) -> Arm:
    """The arm of a family at given sizes."""
    rung = next((s.name for s in family.sizes if s.ladder), None)
    group = None
    if rung is not None:
        group = (position, ", ".join(f"{k} = {v}" for k, v in sizes.items() if k != rung))
    return Arm(family.at(**sizes), group, sizes[rung] if rung is not None else 0.0)


def sizes_tried(test: Inequality, tried: Sequence[Arm]) -> dict[str, dict[str, tuple[float, ...]]]:
    """By family, of those with an arm whose draws met the hypotheses, the values of every size of such arms."""
    out: dict[str, dict[str, tuple[float, ...]]] = {}
    for position, item in enumerate(test.cases):
        own = [arm.sizes for arm in tried if arm.position == position and arm.admissible]
        if isinstance(item, Family) and own:
            out[item.name] = {size.name: tuple(sorted({sizes[size.name] for sizes in own})) for size in item.sizes}
    return out


def arms(
    test: Inequality,
    mixed: Sequence[dict[str, float]] = (),
    between: Mapping[int, Sequence[dict[str, float]]] | None = None,
) -> list[Arm]:
    """The arms of a statement; `mixed` are further choices of sizes, used by every family that knows their names.

    `between`: further ones by the place of their family.

    What a search keeps and a judge decides goes by the names of cases: where two bear one name, the later is numbered.
    """
    out: list[Arm] = []
    owners: dict[str, _Own] = {}
    for position, item in enumerate(test.cases):
        if isinstance(item, Family):
            names = {s.name for s in item.sizes}
            known = [*item.choices(), *[m for m in mixed if set(m) == names], *(between or {}).get(position, ())]
            new = [(opened(item, position, sizes), sizes) for sizes in known]
        else:
            new = [(Arm(item), {})]
        for arm, sizes in new:
            arm.position, arm.sizes, arm.least = position, sizes, getattr(item, "least", 1)
            arm.case = replace(arm.case, place=_place(position, sizes))
            _name_apart(arm, (position, frozenset(sizes.items())), owners)
            out.append(arm)
    return out


def _place(position: int, sizes: Mapping[str, float]) -> str:
    """«#2», of a family with its sizes «#2 N=7, T=40»."""
    chosen = ", ".join(f"{name}={value if value == math.inf else int(value)}" for name, value in sizes.items())
    return f"#{position + 1} {chosen}".strip()


def case_at(test: Inequality, place: str) -> Case | None:
    """The case at a place of the statement, as `Case.place` says it; None where it has none there."""
    number, _, given = place.partition(" ")
    if not (number[:1] == "#" and number[1:].isdecimal() and 0 < int(number[1:]) <= len(test.cases)):
        return None
    item = test.cases[int(number[1:]) - 1]
    if isinstance(item, Case):
        return item if not given else None
    sizes = dict(part.partition("=")[::2] for part in given.split(", "))
    if set(sizes) != {s.name for s in item.sizes} or not all(v == "inf" or v.isdecimal() for v in sizes.values()):
        return None
    return item.at(**{k: math.inf if v == "inf" else int(v) for k, v in sizes.items()})


def _name_apart(arm: Arm, mine: _Own, owners: dict[str, _Own]) -> None:
    """Number the arm's name where it is another case's; a family met twice at one choice of sizes is one case."""
    plain, name, n = arm.case.name, arm.case.name, 1
    while owners.setdefault(name, mine) != mine:
        n += 1
        name = f"{plain} ({n})"
    if n > 1:
        arm.case, arm.plain = replace(arm.case, name=name), plain

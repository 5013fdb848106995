"""Where in (κ, E, T) a bound is violated, says nothing, or is useful: one small search in every cell of a grid.

A bound says something on an instance when its right side is defined, positive and below the trivial bound of the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from theory.base.streams import stream
from validation.judge.exact.certify import certify
from validation.search.scores import TOLERANCE
from validation.search.search import search
from validation.statement.claim import Case, Inequality
from validation.statement.forms.studies import PhaseMap
from validation.statement.outcome import finite
from validation.statement.verdict import Verdict

__all__ = ["FirstUse", "PhaseCell", "PhaseDiagram", "phase_diagram"]


Float = NDArray[np.float64]


Phase = Literal["violated", "undecided", "vacuous", "useful", "empty"]


_SHARE = 0.4  # of a cell's budget goes to draws that only ask whether the bound says anything


@dataclass(frozen=True)
class PhaseCell:
    """What the search of one cell saw.

    `phase`: "violated" by an exact counterexample; "undecided" when violations were seen in floats that exact
    arithmetic could not settle; "useful" when the bound says something on at least one instance; "vacuous" when on
    none; "empty" when no draw met the hypotheses. `says_something`: the share of drawn admissible instances where it
    does; `reasons`: how many of the others have a right side undefined, not positive, or no better than trivial.
    """

    sizes: Mapping[str, float]
    phase: Phase
    worst_ratio: float | str | None
    says_something: float
    reasons: Mapping[str, int]
    instances: int
    witness: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class FirstUse:
    """The first T at which the bound says something with the other sizes as given; None when it never does.

    `after`: the last grid value before it at which it said nothing, or None. `exact`: T was found by bisection between
    the two, so that at T − 1 no drawn instance was told anything.
    """

    sizes: Mapping[str, float]
    first: float | None
    after: float | None
    exact: bool


@dataclass(frozen=True)
class PhaseDiagram:
    """All cells, the first use along the rounds, and the verdict on the whole grid."""

    axes: Mapping[str, tuple[float, ...]]
    rounds: str
    cells: tuple[PhaseCell, ...]
    first_use: tuple[FirstUse, ...]
    verdict: Verdict
    why: str

    def json(self) -> dict[str, Any]:
        """Plain JSON."""
        axes = {name: list(values) for name, values in self.axes.items()}
        return {**asdict(self), "axes": axes, "verdict": str(self.verdict)}


def phase_diagram(
    phases: PhaseMap, *, budget: int = 400, seed: int = 0, label: str = "statement", refine: bool = False
) -> PhaseDiagram:
    """Search every cell with `budget` evaluations; `refine` bisects the first useful T between grid values.

    Everything random derives from (seed, label, sizes of the cell), so a cell is the same on every grid.
    """

    def cell(sizes: Mapping[str, float]) -> PhaseCell:
        return _cell(phases, sizes, budget, seed, label)

    names = [a.name for a in phases.axes]
    cells = [cell(dict(zip(names, chosen, strict=True))) for chosen in product(*(a.values for a in phases.axes))]
    rest = [a for a in phases.axes if a.name != phases.rounds]
    first = []
    for chosen in product(*(a.values for a in rest)):
        others = dict(zip((a.name for a in rest), chosen, strict=True))
        row = [c for c in cells if all(c.sizes[k] == v for k, v in others.items())]
        first.append(_first_use(row, others, phases.rounds, cell if refine else None))
    verdict, why = _judged(cells, first, phases.rounds)
    axes = {a.name: a.values for a in phases.axes}
    return PhaseDiagram(axes, phases.rounds, tuple(cells), tuple(first), verdict, why)


def _cell(phases: PhaseMap, sizes: Mapping[str, float], budget: int, seed: int, label: str) -> PhaseCell:
    case = phases.at(**sizes)
    place = f"{label}/" + ", ".join(f"{k} = {v:g}" for k, v in sizes.items())
    share, reasons, drawn = _says(phases, case, round(budget * _SHARE), seed, place)
    test = Inequality(phases.bound, (case,))
    found = search(test, budget=max(1, round(budget * (1 - _SHARE))), seed=seed, label=f"phases/{place}")
    instances = found.instances + drawn
    ratio = finite(found.worst_ratio) if found.admissible else None
    certification = certify(phases.bound, found, seed, place) if found.witnesses else None
    if certification is not None and certification.witness is not None:
        shown = {k: _plain(v) for k, v in certification.witness.instance.items()}
        worst = certification.witness
        exactly = float(worst.lhs / worst.rhs) if worst.rhs > 0 else math.inf
        return PhaseCell(sizes, "violated", finite(max(found.worst_ratio, exactly)), share, reasons, instances, shown)
    if certification is not None and certification.undecided:
        return PhaseCell(sizes, "undecided", ratio, share, reasons, instances)
    known = sum(reasons.values()) > 0 or share > 0
    phase: Phase = "useful" if share > 0 else "vacuous" if known else "empty"
    return PhaseCell(sizes, phase, ratio, share, reasons, instances)


def _says(phases: PhaseMap, case: Case, budget: int, seed: int, place: str) -> tuple[float, dict[str, int], int]:
    """(share of admissible draws on which the bound says something, why not on the others, draws)."""
    rng = stream(seed, f"phases/says/{place}")
    n = max(8, round(budget / case.cost / 2))
    cube = np.concatenate([case.space.corners(rng, n), case.space.random(rng, n)])
    with np.errstate(all="ignore"):
        constants = case.measure(case.space.decode(cube))
        rhs = np.broadcast_to(phases.bound(constants)[0], len(cube))
        trivial = np.broadcast_to(np.inf if phases.trivial is None else phases.trivial(constants)[0], len(cube))
    met = np.broadcast_to(np.asarray(constants.get("admissible", True), dtype=bool), len(cube))
    undefined = met & ~np.isfinite(rhs)
    not_positive = met & np.isfinite(rhs) & (rhs <= 0)
    trivially = met & np.isfinite(rhs) & (rhs > 0) & (rhs >= trivial * (1 - TOLERANCE))
    reasons = {"undefined": undefined, "not positive": not_positive, "no better than trivial": trivially}
    useful = met & ~undefined & ~not_positive & ~trivially
    share = float(useful.sum() / met.sum()) if met.any() else 0.0
    return share, {name: int(flag.sum()) for name, flag in reasons.items()}, len(cube)


def _first_use(
    row: list[PhaseCell],
    others: Mapping[str, float],
    rounds: str,
    cell: Callable[[Mapping[str, float]], PhaseCell] | None,
) -> FirstUse:
    useful = [c for c in row if c.says_something > 0]
    if not useful:
        return FirstUse(others, None, max((c.sizes[rounds] for c in row), default=None), False)
    high = useful[0].sizes[rounds]
    low = max((c.sizes[rounds] for c in row if c.sizes[rounds] < high), default=None)
    if cell is None or low is None:
        return FirstUse(others, high, low, False)
    after = low
    while high - low > 1:
        middle = float(round((low + high) / 2))
        if cell({**row[0].sizes, rounds: middle}).says_something > 0:
            high = middle
        else:
            low = middle
    return FirstUse(others, high, after, True)


def _judged(cells: list[PhaseCell], first: list[FirstUse], rounds: str) -> tuple[Verdict, str]:
    """Refuted if any cell is; vacuous if none says anything; else holds, with the first use in words."""
    count = {p: sum(c.phase == p for c in cells) for p in ("violated", "undecided", "vacuous", "useful", "empty")}
    why = ", ".join(f"{n} {p}" for p, n in count.items() if n) + f" of {len(cells)} cells"
    known = [f.first for f in first if f.first is not None]
    why += f"; says something from {rounds} = {min(known):g} on" if known else f"; says nothing at any {rounds}"
    if known and len(known) < len(first):
        why += f" (never for {len(first) - len(known)} of {len(first)} choices of the other sizes)"
    if count["violated"]:
        return Verdict.REFUTED, why
    if count["undecided"] or count["empty"] == len(cells):
        return Verdict.INCONCLUSIVE, why
    return (Verdict.HOLDS if known else Verdict.VACUOUS), why


def _plain(value: Any) -> Any:
    return [_plain(v) for v in value] if isinstance(value, list) else str(value)

"""What one draw is worth: the class it falls into, and the scores a search drives upwards.

Never one score: each finds a failure that the others would miss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from validation.statement.bound import Bound
from validation.statement.claim import Case
from validation.statement.letters import Letter

__all__ = ["TOLERANCE", "Broken", "Draw", "Scores", "breaking", "evaluate", "scored"]

Float = NDArray[np.float64]

TOLERANCE = 1e-9  # relative to Σ|terms|: a run of a few hundred float64 operations stays well inside
_SMALL = 1e-290  # below, float64 loses digits to underflow: differences mean nothing


class Draw(IntEnum):
    """What floating point can say of one draw; every draw is in exactly one class.

    OUTSIDE: a hypothesis fails. DECIDED: both sides are known to more than the tolerance. TIE: the sides differ by no
    more than the tolerance, 0 against 0 included. BEYOND: a side overflows, is NaN or is not `resolved`, so that only
    exact arithmetic can say more; +∞ or NaN where exactly there is no value, such as 0/0, starts here, too.
    """

    OUTSIDE = 0
    DECIDED = 1
    TIE = 2
    BEYOND = 3


_OUTSIDE, _DECIDED, _TIE, _BEYOND = (np.int8(kind) for kind in Draw)


@dataclass(frozen=True)
class Broken:
    """The draw of a batch, by its place, that breaks most what is declared of a letter, and the letter's value there.

    `depth`: its size relative to both sides and what they were computed from; up to the tolerance it may be rounding.
    """

    place: int
    value: float
    depth: float


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of many instances, each array (n,); draws outside the hypotheses or beyond floats score −inf.

    `rising` holds by name what a search may climb:
    - "ratio": lhs/rhs where rhs > 0, ∞ where rhs <= 0 and lhs > rhs;
    - "excess": (lhs − rhs)/(|lhs| + Σ|terms of rhs|), which finds cancellation and sign failures;
    - "sinking": −rhs/Σ|terms|, the whole right side driven to 0 and below;
    - "term i", "denominator i": the same for each term and each denominator of the right side alone;
    - "recursion": (lhs − rhs)/(|lhs − common| + |rhs − common|), what one step adds once the shared part is removed;
    - "past i": (lhs − rhs − tolerance)/|term i| of the terms that the right side adds up: beside equality it says how
      near a violation is to what is left, and where the term vanishes, too, it is no lead;
    - "toward": what the case measures as `_toward`, how near both sides of a strict inequality come, which counts as
      missed or not and so has nothing to climb.

    A left side of +∞ against a finite right one is a candidate: ratio ∞, excess 1; it is not climbed, for its place
    would be taken by what has no value at all, such as 1/0. `kind`: the class of each draw, a
    `Draw`; `admissible`: the hypotheses are met. `idle`: the left side is 0 and the right one positive. `trivial`: the
    right side is no better than the case's trivial bound (False without one). `member`: what the members of an identity
    were on the draws that meet the hypotheses, where the case measures it. `on`: which draws have each mechanism on.
    `broken`: the letters whose declaration a draw within the hypotheses breaks.
    """

    ratio: Float
    excess: Float
    rising: Mapping[str, Float]
    kind: NDArray[np.int8]
    idle: NDArray[np.bool_]
    trivial: NDArray[np.bool_]
    member: Float | None = None
    on: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    broken: Mapping[Letter, Broken] = field(default_factory=dict)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """The draws whose sides floats know, within rounding."""
        return np.equal(self.kind, Draw.DECIDED) | np.equal(self.kind, Draw.TIE)

    @property
    def admissible(self) -> NDArray[np.bool_]:
        """Whether each draw meets the hypotheses."""
        return np.not_equal(self.kind, Draw.OUTSIDE)


def evaluate(bound: Bound, case: Case, cube: Float, trivial: Bound | None = None) -> Scores:
    """The scores of points of the cube, (n, n_cube); `trivial` gives the trivial bound where the measure does not."""
    with np.errstate(all="ignore"):
        instances = case.space.decode(cube)
        constants = case.measure(instances)
        if trivial is not None and "trivial" not in constants:
            constants = {**constants, "trivial": trivial(constants)[0]}
    scores = scored(bound, constants)
    if not case.mechanisms:
        return scores
    shape = scores.ratio.shape
    return replace(scores, on={m.name: np.broadcast_to(m.on(instances), shape) for m in case.mechanisms})


def scored(bound: Bound, constants: Mapping[str, Float]) -> Scores:
    """The scores of measured constants; see `Scores`."""
    with np.errstate(all="ignore"):
        lhs = np.asarray(constants["lhs"], dtype=np.float64)
        rhs, scale = bound(constants)
        if rhs.shape != lhs.shape:
            rhs, scale = np.broadcast_to(rhs, lhs.shape), np.broadcast_to(scale, lhs.shape)
        magnitude = np.asarray(constants.get("magnitude", 0.0), dtype=np.float64)
        met = _flags(constants, "admissible", lhs.shape)
        resolved = _flags(constants, "resolved", lhs.shape)
        left, right = np.abs(lhs), np.abs(rhs)
        larger = np.maximum(left, right)
        whole = larger + scale + magnitude
        ordinary = bool(np.isfinite(whole.sum()))  # no infinity anywhere, and no NaN
        overflow = np.zeros(lhs.shape, dtype=np.bool_)
        known = met & resolved
        if not ordinary:
            overflow = resolved & (lhs == np.inf) & (np.isfinite(rhs) | (rhs == -np.inf))
            overflow |= resolved & np.isfinite(lhs) & (rhs == -np.inf)
            finite = np.isfinite(lhs) & np.isfinite(rhs) & np.isfinite(scale) & np.isfinite(magnitude)
            known = known & (finite | overflow)
        excess, size = _excess(lhs, rhs, scale, magnitude)
        ratio = np.where(rhs > 0, lhs / rhs, np.where(lhs > rhs, np.inf, 0.0))
        # What is smaller than 1e-13 of the quantities it was computed from is rounding, on either side.
        ratio = np.where(larger > 1e-13 * magnitude, ratio, 0.0)
        # Both sides exactly 0 is no lead: it would outrank every true instance of a statement that holds.
        nothing = (left + scale) == 0
        blurred = nothing | (np.abs(excess) <= TOLERANCE) | (larger < _SMALL)
        if not ordinary:
            excess, ratio = np.where(overflow, 1.0, excess), np.where(overflow, np.inf, ratio)
            blurred = blurred & ~overflow
        kind = np.where(known, np.where(blurred, _TIE, _DECIDED), _BEYOND)
        kind = np.where(met, kind, _OUTSIDE)
        excess = np.where(nothing, -1.0, excess)
        rising = {"ratio": ratio, "excess": excess, "sinking": np.where(size > 0, -rhs / size, -np.inf)}
        for name, (value, own) in bound.parts(constants).items():
            rising[name] = np.broadcast_to(np.where(own > 0, -value / own, -np.inf), lhs.shape)
        if "common" in constants:
            common = np.asarray(constants["common"], dtype=np.float64)
            moved = np.abs(lhs - common) + np.abs(rhs - common)
            # Below the rounding of the shared part the difference means nothing.
            rising["recursion"] = np.where(moved > 1e-10 * (size + np.abs(common)), (lhs - rhs) / moved, -1.0)
        for i, term in enumerate(bound.summands(constants)):
            rising[f"past {i + 1}"] = np.where(term != 0, (lhs - rhs - TOLERANCE * size) / np.abs(term), -np.inf)
        if "_toward" in constants:
            rising["toward"] = np.broadcast_to(np.asarray(constants["_toward"], dtype=np.float64), lhs.shape)
        climbed = known & ~overflow
        no_better = np.zeros(lhs.shape, dtype=np.bool_)
        if "trivial" in constants:
            no_better = rhs >= np.asarray(constants["trivial"], dtype=np.float64) * (1 - TOLERANCE)
        idle = known & (left == 0) & (rhs > 0)
        member = None
        if "member" in constants:
            member = np.broadcast_to(np.asarray(constants["member"], dtype=np.float64), lhs.shape)[known]
        broken = breaking(bound, constants, met, whole)
    ratio, excess = _hidden(ratio, known), _hidden(excess, known)
    hidden = {name: _hidden(s, climbed) for name, s in rising.items()}
    return Scores(ratio, excess, hidden, kind, idle, known & no_better, member, broken=broken)


def breaking(
    bound: Bound, constants: Mapping[str, Float], met: NDArray[np.bool_], whole: Float
) -> dict[Letter, Broken]:
    """Of each letter whose declaration is broken where the hypotheses are `met`, the draw that breaks it most.

    `whole`: both sides of each draw and what they were computed from, to which depths are relative.
    """
    if all(_kept(word, [constants[name] for name in names if name in constants]) for word, names in bound.declared):
        return {}
    found = {}
    for letter in bound.letters:
        if letter.name not in constants:
            continue
        values = np.asarray(constants[letter.name])
        flags = met & letter.broken(values)
        if not flags.any():
            continue
        depth = np.where((values == 0) | np.isnan(whole), 0.0, np.abs(values) / whole)
        depth = np.where(flags, depth, -1.0)
        place = int(np.argmax(depth))
        found[letter] = Broken(place, float(np.broadcast_to(values, met.shape)[place]), float(depth[place]))
    return found


def _kept(declared: str, values: list[Float]) -> bool:
    """Whether all values of some letters keep to it, at a glance that takes no longer for many letters."""
    if not values:
        return True
    try:
        least = np.minimum.reduce(np.concatenate(values))
    except ValueError:  # one value for all draws
        return False
    return bool(least > 0 if declared == "positive" else declared == "nonnegative" and least >= 0)


def _hidden(score: Float, known: NDArray[np.bool_]) -> Float:
    """A score, −∞ where it is not known."""
    seen = known & (score == score)  # NaN is no value
    return score if seen.all() else np.where(seen, score, -np.inf)


def _flags(constants: Mapping[str, Float], name: str, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """An optional boolean array of the measure, True where it is not given."""
    if name not in constants:
        return np.ones(shape, dtype=np.bool_)
    flags = np.asarray(constants[name], dtype=np.bool_)
    return flags if flags.shape == shape else np.broadcast_to(flags, shape)


def _excess(lhs: Float, rhs: Float, scale: Float, magnitude: Float) -> tuple[Float, Float]:
    """((lhs − rhs)/size, size) with size = |lhs| + Σ|terms| + 1e-4 magnitude, also where that leaves the floats."""
    size = np.abs(lhs) + scale + 1e-4 * magnitude
    excess = np.where((lhs != 0) | (scale != 0), (lhs - rhs) / size, -1.0)
    extreme = ~np.isfinite(size) | ((size > 0) & (size < _SMALL))
    if not extreme.any():
        return excess, size
    unit = np.maximum(np.maximum(np.abs(lhs), np.abs(rhs)), np.maximum(scale, magnitude))
    left, right = lhs / unit, rhs / unit
    again = (left - right) / (np.abs(left) + scale / unit + 1e-4 * magnitude / unit)
    return np.where(extreme & (unit > 0), again, excess), np.where(np.isfinite(size), size, np.finfo(np.float64).max)

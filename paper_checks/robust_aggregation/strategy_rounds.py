"""One round of every pure strategy on clients whose excess losses are whole multiples of a unit, ties included.

The temperature T is given by `odds` = exp(unit/T), so the soft weights are rational too.
`strategy`: 0 FedAvg, 1 FedWorse, 2 FedBetter, 3 FedSoftWorse, 4 FedSoftBetter, 5 FedWorse(k) and 6 FedBetter(k) with
equal weights on the clients kept, 7 and 8 with weights pᵢ on them; broken ones: 9 equal weights, 10 and 11 FedWorse and
FedBetter by Fᵢ(w) instead of the excess.
`line`: 1 missing from the simplex, 2 how far Σaᵢℓᵢ stays below what `target` names (above it for `lean` −1), 3 unequal
treatment of equal losses, 4 a weight 0, 5 the largest of κᵢ and 1/κᵢ, 6 distance to the hard strategy, 7 change of the weights
when every loss moves by a unit at most, 8 clients in J beyond one.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.clients import among
from theory import FedBetter, FedSoftBetter, FedSoftWorse, FedWorse, Proportional, RoundStats
from validation import Choice, Family, Instance, LogScale, Simplex, Uniform

__all__ = ["rounds_of"]

_RULES: dict[int, Any] = {0: Proportional(), 1: FedWorse(), 2: FedBetter(), 3: FedSoftWorse(1.0), 4: FedSoftBetter(1.0)}
_PLACES: dict[int, Any] = {5: (FedWorse, "uniform"), 6: (FedBetter, "uniform"), 7: (FedWorse, "share")}
_PLACES[8] = (FedBetter, "share")


def _weights(x: Instance, level: Any, kind: int) -> Any:
    share, floor = x["share"], np.round(x["floor"])
    there = np.ones(share.shape, dtype=bool)
    if kind == 9:
        return np.full(share.shape, 1.0 / share.shape[1])
    if kind in (10, 11):
        floor, level, kind = 0 * floor, floor + level, kind - 9
    soft = kind in (3, 4)
    unit = np.log(x["odds"])[:, None] if soft else 2.0 ** np.round(x["unit"])[:, None]
    stats = RoundStats(share=share, present=there, loss_before=unit * (floor + level), loss_best=unit * floor)
    if kind not in _PLACES:
        return _RULES[kind](stats)
    rule, inner = _PLACES[kind]
    found = np.zeros(share.shape)
    for kept in np.unique(x["kept"]):  # a handful of values
        weights = rule(k=min(int(kept), share.shape[1]), inner=inner)(stats)
        found = np.where((x["kept"] == kept)[:, None], weights, found)
    return found


def _one_round(x: Instance) -> Mapping[str, Any]:
    p, level, lean = x["share"], np.round(x["level"]), x["lean"]
    kind, line = int(x["strategy"][0]), int(x["line"][0])
    a = _weights(x, level, kind)
    score = lean[:, None] * level
    best = score.max(axis=1)
    target = np.where(x["target"] > 0, best, (p * score).sum(axis=1))
    top = score == best[:, None]
    per = a if x["per_share"][0] == 0 else a / p
    order = np.argsort(level, axis=1, kind="stable")
    sorted_level, sorted_per = (np.take_along_axis(v, order, axis=1) for v in (level, per))
    apart = np.abs(np.diff(sorted_per, axis=1)) * (np.diff(sorted_level, axis=1) == 0)
    with np.errstate(divide="ignore"):
        spread = np.maximum((a / p).max(axis=1), (p / a).max(axis=1))
    rest = np.where(top, -np.inf, score).max(axis=1)
    share_top = (p * top).sum(axis=1)
    other = _weights(x, level + np.round(x["shift"]), kind) if line == 7 else a
    found = {
        1: np.maximum(np.abs(a.sum(axis=1) - 1), -a.min(axis=1)),
        2: target - (a * score).sum(axis=1),
        3: apart.max(axis=1) if apart.shape[1] else 0 * target,
        4: (a.min(axis=1) <= 0).astype(float),
        5: spread,
        6: np.abs(a - top / top.sum(axis=1, keepdims=True)).sum(axis=1) / 2,
        7: np.abs(a - other).sum(axis=1),
        8: top.sum(axis=1) - 1.0,
    }[line]
    several = level.max(axis=1) > level.min(axis=1)
    one_best = (top.sum(axis=1) == 1) & several
    return {
        "lhs": found,
        "odds": x["odds"],
        "span": x["odds"] ** (level.max(axis=1) - level.min(axis=1)),
        "fall": x["odds"] ** np.where(np.isfinite(rest), best - rest, 0.0),
        "share_top": share_top,
        "magnitude": {2: np.abs(score).max(axis=1), 3: np.abs(per).max(axis=1), 5: spread}.get(
            line, np.ones(len(found))
        ),
        "admissible": one_best | (line != 6) | (x["tied"] > 0) & several,
    }


def strategy_weights(kind: int, p: list[Any], level: list[int], floor: list[int], odds: Any, kept: int) -> list[Any]:
    """The aggregation weights of one round, from the print."""
    n = len(p)
    if kind in (10, 11):
        level, kind = [f + v for f, v in zip(floor, level, strict=True)], kind - 9
    if kind == 0:
        return list(p)
    score = [v if kind in (1, 3, 5, 7) else -v for v in level]
    above = [sum(other > mine for other in score) for mine in score]
    alike = [score.count(mine) for mine in score]
    places = kept if kind > 4 else 1
    part = [max(Fraction(0), min(Fraction(1), Fraction(places - u, e))) for u, e in zip(above, alike, strict=True)]
    raw = {
        9: [Fraction(1)] * n,
        3: [q * odds**s for q, s in zip(p, score, strict=True)],
        7: [q * s for q, s in zip(p, part, strict=True)],
    }
    chosen = raw.get({4: 3, 8: 7}.get(kind, kind), part)
    return [v / sum(chosen) for v in chosen]


def one_round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One line about the weights of one round; losses are F_i* + level_i in units of loss."""
    p, kind, line, odds = x["share"], int(x["strategy"]), int(x["line"]), x["odds"]
    n, kept = len(p), min(int(x["kept"]), len(p))
    level, floor, shift = ([round(v) for v in x[name]] for name in ("level", "floor", "shift"))
    a = strategy_weights(kind, p, level, floor, odds, kept)
    score = [int(x["lean"]) * v for v in level]
    best = max(score)
    top = [i for i in range(n) if score[i] == best]
    lower = [s for s in score if s < best]
    moved = [v + s for v, s in zip(level, shift, strict=True)]
    other = strategy_weights(kind, p, moved, floor, odds, kept) if line == 7 else a
    per = a if x["per_share"] == 0 else [u / q for u, q in zip(a, p, strict=True)]
    target = best if x["target"] > 0 else sum(q * s for q, s in zip(p, score, strict=True))
    zero = Fraction(0)
    if line == 1:
        lhs = max(abs(sum(a) - 1), -min(a))
    elif line == 2:
        lhs = target - sum(u * s for u, s in zip(a, score, strict=True))
    elif line == 3:
        lhs = max([abs(per[i] - per[j]) for i in range(n) for j in range(i) if level[i] == level[j]] + [zero])
    elif line == 4:
        lhs = Fraction(int(min(a) <= 0))
    elif line == 5:
        lhs = max(max(u / q, q / u) for u, q in zip(a, p, strict=True))
    elif line == 6:
        lhs = sum(abs(u - Fraction(int(i in top), len(top))) for i, u in enumerate(a)) / 2
    elif line == 7:
        lhs = sum((abs(u - v) for u, v in zip(a, other, strict=True)), zero)
    else:
        lhs = Fraction(len(top) - 1)
    hypotheses = {
        "shares positive, on the simplex": sum(p) == 1 and min(p) > 0,
        "one client has the extreme loss, where that is asked": line != 6
        or (len(lower) > 0 and (x["tied"] > 0 or len(top) == 1)),
    }
    constants = {"lhs": Fraction(lhs), "odds": odds, "span": odds ** (max(level) - min(level))}
    return hypotheses, constants | {
        "fall": odds ** (best - max(lower, default=best)),
        "share_top": sum(p[i] for i in top),
    }


def rounds_of(
    strategy: int, line: int, *, lean: int = 1, target: str = "average", per_share: bool = False, tied: bool = False
) -> Family:
    """One strategy and one line, for 1 to 300 clients; `target` "best" or "average" (by p)."""
    flags = {"strategy": strategy, "line": line, "lean": lean, "target": target == "best", "per_share": per_share}
    flags["tied"] = tied

    def coordinates(n: int, _dim: int) -> tuple[Any, ...]:
        return (
            Simplex("share", n, interior=True),
            Uniform("level", 0.0, 12.0, (n,), at=(0.0, 1.0, 12.0)),
            Uniform("floor", -50.0, 50.0, (n,), at=(0.0,)),
            Uniform("unit", -20.0, 20.0),
            LogScale("odds", 1.001, 1e3, at=(2.0,)),
            Uniform("shift", -1.4, 1.4, (n,), at=(-1.0, 0.0, 1.0)),
            Choice("kept", (1.0, 2.0, 5.0, 30.0)),
            *(Choice(name, (float(value),)) for name, value in flags.items()),
        )

    name = "one round, losses in whole units"
    by_client = dict.fromkeys(("share", "level", "floor", "shift"), 0)
    low = 2 if line == 6 else 1
    return among(
        name, coordinates, _one_round, one_round_exact, (strategy_weights,), by_client=by_client, clients=(low, 3, 300)
    )

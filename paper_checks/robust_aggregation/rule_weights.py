"""The weights of the strategies at given losses: worlds of one round, of all clients or of a cohort."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import Pair
from paper_checks.robust_aggregation.runs import world
from theory import FedBetter, FedSoftBetter, FedSoftWorse, FedWorse, Proportional, RoundStats
from validation import Case, Family, Instance, Size, World, case, permuted_clients
from validation.statement.instances.draw import Choice, LogScale, Signed, Simplex, Space, Uniform

__all__ = ["cohorts_of", "losses_of"]


_PLAIN: dict[str, Any] = {
    "FedAvg": Proportional(),
    "FedWorse": FedWorse(),
    "FedBetter": FedBetter(),
    "FedSoftWorse": FedSoftWorse(1.0),
    "FedSoftBetter": FedSoftBetter(1.0),
}
_SEVERAL: dict[str, Any] = {"FedWorse(k)": FedWorse, "FedBetter(k)": FedBetter}


def _weights(x: Instance, level: Any, rule: str, by: str) -> Any:
    """Weights of a rule; `by`: of the clients kept by (k) «uniform» or by «share», or judged by the raw «loss»."""
    share, floor = x["share"], np.round(x["floor"])
    if rule == "equal":
        return np.full(share.shape, 1.0 / share.shape[1])
    if by == "loss":
        floor, level = 0 * floor, floor + level
    unit = np.log(x["odds"])[:, None] if "Soft" in rule else 2.0 ** np.round(x["unit"])[:, None]
    there = np.ones(share.shape, dtype=bool)
    stats = RoundStats(share=share, present=there, loss_before=unit * (floor + level), loss_best=unit * floor)
    if rule in _PLAIN:
        return _PLAIN[rule](stats)
    found = np.zeros(share.shape)
    for kept in np.unique(x["kept"]):
        several = _SEVERAL[rule](k=min(int(kept), share.shape[1]), inner=by)(stats)
        found = np.where((x["kept"] == kept)[:, None], several, found)
    return found


def losses(x: Instance, *, rule: str, by: str = "", lean: int = 1, alone: str = "") -> Mapping[str, Any]:
    """One round, excess losses ℓ in whole units; `lean` −1 looks at the smallest. `alone`: the extreme client is, or is not."""
    p, level = x["share"], np.round(x["level"])
    a, shifted = _weights(x, level, rule, by), _weights(x, level + np.round(x["shift"]), rule, by)
    scores, order = lean * level, np.argsort(level, axis=1, kind="stable")
    best, flat = scores.max(axis=1), np.diff(np.take_along_axis(level, order, axis=1), axis=1) == 0
    top = scores == best[:, None]
    rest = np.where(top, -np.inf, scores).max(axis=1)

    def apart(v: Any) -> Any:
        return np.concatenate([0 * v[:, :1], np.abs(np.diff(np.take_along_axis(v, order, axis=1))) * flat], axis=1).max(
            axis=1
        )

    with np.errstate(divide="ignore"):
        spread = np.maximum((a / p).max(axis=1), (p / a).max(axis=1))
    one, high, ranged = np.ones(len(p)), np.abs(scores).max(axis=1), level.max(axis=1) > level.min(axis=1)
    return {
        "total": a.sum(axis=1),
        "lightest": a.min(axis=1),
        "is_zero_weight": (a.min(axis=1) <= 0).astype(float),
        "unequal": apart(a),
        "unequal_per_share": apart(a / p),
        "stretch": spread,
        "from_hard": np.abs(a - top / top.sum(axis=1, keepdims=True)).sum(axis=1) / 2,
        "shaken": np.abs(a - shifted).sum(axis=1),
        "several_best": top.sum(axis=1) - 1.0,
        "score": (a * scores).sum(axis=1),
        "score_shares": (p * scores).sum(axis=1),
        "score_top": best,
        "odds": x["odds"],
        "span": x["odds"] ** (level.max(axis=1) - level.min(axis=1)),
        "fall": x["odds"] ** np.where(np.isfinite(rest), best - rest, 0.0),
        "share_top": (p * top).sum(axis=1),
        "admissible": one > 0 if not alone else ranged & ((top.sum(axis=1) == 1) | (alone == "or not")),
        "magnitude": one,
        "sizes": dict.fromkeys(("score", "score_shares", "score_top"), high)
        | {"unequal": a.max(axis=1), "unequal_per_share": (a / p).max(axis=1)},
    }


def rule_weights(rule: str, by: str, p: Any, level: Any, floor: Any, odds: Any, kept: int) -> list[Any]:
    """The weights of a rule at excess losses `level`."""
    if rule == "FedAvg":
        return list(p)
    if rule == "equal":
        return [Fraction(1, len(p)) for q in p]
    if by == "loss":
        level = [f + v for f, v in zip(floor, level, strict=True)]
    score = [v if "Worse" in rule else -v for v in level]
    raw = [q * odds**s for q, s in zip(p, score, strict=True)]
    if "Soft" not in rule:  # places are shared among equals
        places = kept if "(k)" in rule else 1
        alike = {mine: score.count(mine) for mine in set(score)}
        above = {mine: sum(n for other, n in alike.items() if other > mine) for mine in alike}
        held = {mine: max(Fraction(0), min(Fraction(1), Fraction(places - above[mine], alike[mine]))) for mine in alike}
        raw = [held[mine] for mine in score]
        raw = [q * r for q, r in zip(p, raw, strict=True)] if by == "share" else raw
    whole = sum(raw)
    return [v / whole for v in raw]


def unlike(values: Any, level: Any) -> Any:
    """The largest difference of two values at the same level."""
    held = [[v for v, mine in zip(values, level, strict=True) if mine == one] for one in set(level)]
    return max(max(row) - min(row) for row in held)


def losses_exact(x: Mapping[str, Any], *, rule: str, by: str = "", lean: int = 1, alone: str = "") -> Pair:
    """One round of a rule, losses in whole units."""
    p, odds, n = x["share"], x["odds"], len(x["share"])
    level, floor, shift = ([round(v) for v in x[name]] for name in ("level", "floor", "shift"))
    kept, scores = min(int(x["kept"]), n), [lean * v for v in level]
    a = rule_weights(rule, by, p, level, floor, odds, kept)
    other = rule_weights(rule, by, p, [v + s for v, s in zip(level, shift, strict=True)], floor, odds, kept)
    best = max(scores)
    top, lower = [i for i in range(n) if scores[i] == best], [s for s in scores if s < best]
    ranged = not alone or (len(lower) > 0 and (alone == "or not" or len(top) == 1))
    met = {
        "shares positive, on the simplex": sum(p) == 1 and min(p) > 0,
        "an extreme client, alone if so asked": ranged,
    }
    found = {"total": sum(a), "lightest": min(a), "is_zero_weight": Fraction(int(min(a) <= 0))}
    found["unequal"] = unlike(a, level)
    found["unequal_per_share"] = unlike([u / q for u, q in zip(a, p, strict=True)], level)
    if min(a) > 0:
        found["stretch"] = max(max(u / q, q / u) for u, q in zip(a, p, strict=True))
    found["from_hard"] = sum(abs(u - Fraction(int(i in top), len(top))) for i, u in enumerate(a)) / 2
    found["shaken"] = sum((abs(u - v) for u, v in zip(a, other, strict=True)), Fraction(0))
    found |= {"several_best": Fraction(len(top) - 1), "score": sum(u * s for u, s in zip(a, scores, strict=True))}
    found |= {
        "score_shares": sum(q * s for q, s in zip(p, scores, strict=True)),
        "score_top": Fraction(best),
        "odds": odds,
    }
    found |= {"span": odds ** (max(level) - min(level)), "fall": odds ** (best - max(lower, default=best))}
    return met, {**found, "share_top": sum(p[i] for i in top)}


def losses_of(rule: str, by: str = "", *, lean: int = 1, alone: str = "") -> World:
    """Excess losses of one round in whole units, under a rule."""

    def at(N: float) -> Case:
        n = int(N)
        space = Space(
            (
                Simplex("share", n, interior=True),
                Uniform("level", 0.0, 12.0, (n,), at=(0.0, 1.0, 12.0)),
                Uniform("floor", -50.0, 50.0, (n,), at=(0.0,)),
                Uniform("unit", -20.0, 20.0),
                LogScale("odds", 1.001, 1e3, at=(2.0,)),
                Uniform("shift", -1.4, 1.4, (n,), at=(-1.0, 0.0, 1.0)),
                Choice("kept", (1.0, 2.0, 5.0, 30.0)),
            )
        )
        same = (permuted_clients(dict.fromkeys(("share", "level", "floor", "shift"), 0)),)
        how: dict[str, Any] = {"uses": (rule_weights, unlike), "rule": rule, "by": by, "lean": lean, "alone": alone}
        return case(f"one round, losses in whole units, N = {n}", space, losses, losses_exact, symmetries=same, **how)

    return world(Family("one round, losses in whole units", (Size("N", 2 if alone else 1, 300, 3),), at))


def cohort(x: Instance, *, rule: str, counted: str) -> Mapping[str, Any]:
    """By how much the new model leaves those sent back; weights of the cohort, of all clients, or absent models counted."""
    here = (x["cohort"] > 0.5) | (x["cohort"] == x["cohort"].max(axis=1, keepdims=True))
    loss = np.round(x["level"]) * (np.log(x["odds"])[:, None] if "Soft" in rule else 1.0)
    present = here if counted == "the cohort" else np.ones_like(here)
    a = _PLAIN[rule](RoundStats(share=x["share"], present=present, loss_before=loss, loss_best=0 * loss))
    new = (np.where(here | (counted == "absent models too"), a, 0.0) * x["local"]).sum(axis=1)
    low = np.where(here, x["local"], np.inf).min(axis=1)
    high = np.where(here, x["local"], -np.inf).max(axis=1)
    return {"outside": np.maximum(low - new, new - high), "magnitude": np.abs(x["local"]).max(axis=1)}


def cohort_exact(x: Mapping[str, Any], *, rule: str, counted: str) -> Pair:
    """The new model against the smallest and the largest that were sent back."""
    p, local, drawn = x["share"], x["local"], x["cohort"]
    here = [i for i in range(len(p)) if 2 * drawn[i] > 1 or drawn[i] == max(drawn)]
    who = here if counted == "the cohort" else list(range(len(p)))
    level, whole = [round(x["level"][i]) for i in who], sum(p[i] for i in who)
    a = rule_weights(rule, "", [p[i] / whole for i in who], level, [], x["odds"], 1)
    new = sum(v * local[i] for v, i in zip(a, who, strict=True) if i in here or counted == "absent models too")
    inside = [local[i] for i in here]
    return {"shares positive": min(p) > 0}, {"outside": max(min(inside) - new, new - max(inside))}


def cohorts_of(counted: str, *rules: str) -> World:
    """One round with absent clients, under each rule; `counted`: «the cohort», «everyone», or «absent models too»."""

    def of(rule: str) -> Family:
        def at(N: float) -> Case:
            n = int(N)
            space = Space(
                (
                    Simplex("share", n, interior=True),
                    Uniform("cohort", 0.0, 1.0, (n,), at=(0.0, 1.0)),
                    Uniform("level", 0.0, 8.0, (n,), at=(0.0, 1.0, 8.0)),
                    Signed("local", 1e-3, 1e3, (n,)),
                    LogScale("odds", 1.001, 1e2, at=(2.0,)),
                )
            )
            same = (permuted_clients(dict.fromkeys(("share", "cohort", "level", "local"), 0)),)
            how: dict[str, Any] = {"uses": (rule_weights, unlike), "rule": rule, "counted": counted}
            return case(f"one round with absent clients, N = {n}", space, cohort, cohort_exact, symmetries=same, **how)

        return Family("one round with absent clients", (Size("N", 1, 300, 3),), at)

    return world(*(of(rule) for rule in rules))

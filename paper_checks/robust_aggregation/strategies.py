"""Sec. 3.1 and 3.2: the pure strategies, what is said of them, absent clients, and leaning among similar losses."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import NOTATION
from paper_checks.robust_aggregation.runs import world
from paper_checks.robust_aggregation.skews import among_similar, one_round_of
from theory import FedBetter, FedSoftBetter, FedSoftWorse, FedWorse, Proportional, RoundStats
from validation import Instance
from validation.statement.claim import Claim
from validation.statement.draw import Choice, LogScale, Signed, Simplex, Space, Uniform
from validation.statement.kinds import Case, Family, Size
from validation.statement.says import all_of, le
from validation.statement.symmetry import permuted_clients
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS", "losses_of"]

total, lightest, is_zero_weight, unequal = NOTATION.symbols("total lightest is_zero_weight unequal")
unequal_per_share, stretch, from_hard, shaken = NOTATION.symbols("unequal_per_share stretch from_hard shaken")
several_best, score, score_shares, score_top = NOTATION.symbols("several_best score score_shares score_top")
odds, span, fall, share_top, outside, chance_off = NOTATION.symbols("odds span fall share_top outside chance_off")
end_better, end_average, Gamma, gap = NOTATION.symbols("end_better end_average Gamma gap")
limit_gap, alike = NOTATION.symbols("limit_gap alike")
Pair = tuple[Mapping[str, bool], Mapping[str, Any]]

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


_SIMPLEX = all_of(le(abs(total - 1), 0), le(-lightest, 0))
_BEST, _AVERAGE = le(score_top, score), le(score_shares, score)
_FAIR, _FAIR_PER_SHARE = le(unequal, 0), le(unequal_per_share, 0)
_NONZERO = le(is_zero_weight, 0)
_SPAN = le(stretch, span)
_HARD = le(from_hard, (1 - share_top) / (share_top * fall))
_STABLE = le(shaken, 2 * (odds - 1) / (odds + 1), again=lambda odds: 2 - 4 / (odds + 1))

AVG = stated(
    r"""RA-S-AVG (definition; Sec. 3.1): FedAvg-generalized
    Print: \forall t,\ i\in I:\quad\alpha_t^i=p_i
    Plainly: Every client counts by its share, so the skew ρ(t, w) is 1 at every model.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: neither up nor down | Σαᵢℓᵢ >= Σpᵢℓᵢ. | part: skew at least 1
    Reading: nor down | Σαᵢℓᵢ <= Σpᵢℓᵢ. | part: skew at most 1
    Mutant: every client counts the same | with unequal shares the plain mean of the losses may be the smaller
    Verdict: The weights are the shares, so numerator and denominator of the skew are one sum, at every model and in
      every round.""",
    says=_SIMPLEX,
    world=losses_of("FedAvg"),
    readings={"neither up nor down": _AVERAGE, "nor down": but(_AVERAGE, world=losses_of("FedAvg", lean=-1))},
    mutants={"every client counts the same": but(_AVERAGE, world=losses_of("equal"))},
)

W = stated(
    r"""RA-S-W (definition; Sec. 3.1): FedWorse
    Print: \alpha_t^i=\begin{cases}1/|J_t|&i\in J_t=\arg\max_{i}(F_i(w_t)-F_i^\star)\\0&\text{else}\end{cases}
    Plainly: All weight on the clients with the largest excess loss, which makes the weighted excess as large as any
      weights can.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: no weights give more | Σαᵢℓᵢ = maxᵢ ℓᵢ. | part: no weights give more
    Reading: equal losses, equal treatment | Clients with the same excess have the same aᵢ. | part: equal losses, equal
      treatment
    Mutant: the losses Fᵢ(w) compared instead of the excess | a client with a high floor Fᵢ* may have the largest loss
      and the smallest excess
    Rests on: RA-D10
    Verdict: A weighted mean is at most the largest entry, and the rule attains it; ties share the weight. The rule
      ignores the shares, and it needs Fᵢ*: with the raw losses another client may be chosen.""",
    says=_SIMPLEX,
    world=losses_of("FedWorse"),
    readings={"no weights give more": _BEST, "equal losses, equal treatment": _FAIR},
    mutants={"the losses Fᵢ(w) compared instead of the excess": but(_BEST, world=losses_of("FedWorse", "loss"))},
)

B = stated(
    r"""RA-S-B (definition; Sec. 3.1): FedBetter
    Print: \alpha_t^i=\begin{cases}1/|J_t|&i\in J_t=\arg\min_{i}(F_i(w_t)-F_i^\star)\\0&\text{else}\end{cases}
    Plainly: All weight on the clients with the smallest excess loss: no weights make the weighted excess smaller.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: no weights give less | Σαᵢℓᵢ = minᵢ ℓᵢ. | part: no weights give less
    Reading: equal losses, equal treatment | Clients with the same excess have the same aᵢ. | part: equal losses, equal
      treatment
    Mutant: the losses Fᵢ(w) compared instead of the excess | a client with a low floor Fᵢ* may have the smallest loss
      and the largest excess
    Rests on: RA-D10
    Verdict: The mirror image of FedWorse: the rule attains the smallest weighted excess. In the terms of Corollary 1 it
      therefore gives the smallest ρ(t, wₜ), that is the largest V, at a given model.""",
    says=_SIMPLEX,
    world=losses_of("FedBetter"),
    readings={
        "no weights give less": but(_BEST, world=losses_of("FedBetter", lean=-1)),
        "equal losses, equal treatment": _FAIR,
    },
    mutants={
        "the losses Fᵢ(w) compared instead of the excess": but(_BEST, world=losses_of("FedBetter", "loss", lean=-1))
    },
)

_KEPT = all_of(le(abs(total - 1), 0), le(-lightest, 0), le(score_shares - score, 0))

WK = stated(
    r"""RA-S-WK (definition; Sec. 3.1 and B.2): FedWorse(k)
    Print: \text{sorted by decreasing }F_i(w_t)-F_i^\star,\text{ the first }m\text{ clients count, the others have weight }
      0
    Plainly: FedWorse(k) counts the m clients of largest excess; whether it then weighs the losses more than FedAvg does
      is our test.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Open (nowhere) weights: «we consider the m clients when sorted by decreasing order»: how these m are weighed among
      themselves
    Reading: weights 1/m on the clients kept | Our test: on the simplex or not, is the weighted excess more than with
      pᵢ? Ties at the last place share it. | option weights = 1/m
    Reading: weights in proportion to pᵢ on the clients kept | The same with the shares of those kept, re-normalised. |
      option weights = in proportion to pᵢ
    Mutant: sorted the other way | the clients kept are then those at the other end, and the mean moves the wrong way
    Rests on: RA-D10
    Verdict: How the m clients kept are weighed among themselves is not said, and it matters: in proportion to pᵢ the
      rule never falls behind FedAvg, ρ(t, wₜ) being at least 1 at every model; with 1/m and unequal shares it can. It
      «boils down to» Power-of-Choice, where the m kept count alike: that speaks for 1/m, and nothing else is printed. A
      client that holds nearly all data and is itself the most extreme has more weight in FedAvg than 1/m. When all
      shares are equal the two weightings are one. That the rule leans to the extreme clients is our test to tell them
      apart; the print only defines it. The experiments with a percentage k need one of the two to be named.""",
    says=_KEPT,
    world=losses_of("FedWorse(k)", "uniform"),
    readings={"weights in proportion to pᵢ on the clients kept": losses_of("FedWorse(k)", "share")},
    mutants={"sorted the other way": but(_AVERAGE, world=losses_of("FedWorse(k)", "share", lean=-1))},
)

BK = stated(
    r"""RA-S-BK (definition; Sec. 3.1 and B.2): FedBetter(k)
    Print: \text{sorted by increasing }F_i(w_t)-F_i^\star,\text{ the first }m\text{ clients count, the others have weight }
      0
    Plainly: FedBetter(k) counts the m clients of smallest excess; whether it then weighs the losses less than FedAvg
      does is our test.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Open (nowhere) weights: «we take the m best ones»: how these m are weighed among themselves
    Reading: weights 1/m on the clients kept | Our test: on the simplex or not, is the weighted excess less than with
      pᵢ? Ties at the last place share it. | option weights = 1/m
    Reading: weights in proportion to pᵢ on the clients kept | The same with the shares of those kept, re-normalised. |
      option weights = in proportion to pᵢ
    Mutant: sorted the other way | the clients kept are then those at the other end, and the mean moves the wrong way
    Rests on: RA-D10
    Repeats: RA-S-WK
    Verdict: How the m clients kept are weighed among themselves is not said, and it matters: in proportion to pᵢ the
      rule never falls behind FedAvg, ρ(t, wₜ) being at most 1 at every model; with 1/m and unequal shares it can. It is
      the opposite of FedWorse(k), which «boils down to» Power-of-Choice, where the m kept count alike: that speaks for
      1/m, and nothing else is printed. A client that holds nearly all data and is itself the most extreme has more
      weight in FedAvg than 1/m. When all shares are equal the two weightings are one. That the rule leans to the
      extreme clients is our test to tell them apart; the print only defines it. The experiments with a percentage k
      need one of the two to be named.""",
    says=_KEPT,
    world=losses_of("FedBetter(k)", "uniform", lean=-1),
    readings={"weights in proportion to pᵢ on the clients kept": losses_of("FedBetter(k)", "share", lean=-1)},
    mutants={"sorted the other way": but(_AVERAGE, world=losses_of("FedBetter(k)", "share"))},
)


def _soft(rule: str, lean: int, last: str) -> dict[str, Any]:
    """What both softened rules are said to do, over the worlds of one of them."""
    return {
        "never behind FedAvg": but(_AVERAGE, world=losses_of(rule, lean=lean)),
        "no weight is 0": _NONZERO,
        "equal losses, equal treatment": _FAIR_PER_SHARE,
        "T → ∞ gives FedAvg": _SPAN,
        last: but(_HARD, world=losses_of(rule, lean=lean, alone="alone")),
    }


SW = stated(
    r"""RA-S-SW (definition; Sec. 3.1): FedSoftWorse
    Print: \alpha_t^i\propto p_i\exp(T^{-1}(F_i(w_t)-F_i^\star))\quad\text{re-normalised}
    Plainly: FedSoftWorse tilts the shares upwards in the excess loss, all weights positive, between FedAvg and the hard
      rule.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1 | e^{1/T} is the constant odds, losses
      in whole units
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: never behind FedAvg | Σαᵢℓᵢ moves upwards from Σpᵢℓᵢ. | part: never behind FedAvg
    Reading: no weight is 0 | αᵢ > 0 for every client. | part: no weight is 0
    Reading: equal losses, equal treatment | Clients with the same excess have the same aᵢ/pᵢ. | part: equal losses,
      equal treatment
    Reading: T → ∞ gives FedAvg | κᵢ = αᵢ/pᵢ lies between e^{−R/T} and e^{R/T}, R the range of the losses. | part: T → ∞
      gives FedAvg
    Reading: T → 0 gives the hard rule where one client is extreme | The distance to it is at most (1 − p_J)/p_J ·
      e^{−gap/T}. | part: T → 0 gives the hard rule where one client is extreme
    Mutant: ties admitted in the limit T → 0 | two extreme clients with shares 1/4 and 3/4 keep weights near 1/4 and
      3/4, where the hard rule has 1/2 and 1/2
    Rests on: RA-S-W, RA-S-AVG
    Verdict: The formula does what it is for. Tilting by the excess can only move the weighted excess upwards; every
      weight is positive in exact arithmetic; large T gives FedAvg, and small T the hard rule if one client is extreme
      (with ties the limit keeps the shares, unlike the printed 1/|J|). In double precision weights underflow to 0 once
      the losses differ by more than about 745 T.""",
    says=_SIMPLEX,
    world=losses_of("FedSoftWorse"),
    readings=_soft("FedSoftWorse", 1, "T → 0 gives the hard rule where one client is extreme"),
    mutants={"ties admitted in the limit T → 0": but(_HARD, world=losses_of("FedSoftWorse", alone="or not"))},
)

SB = stated(
    r"""RA-S-SB (definition; Sec. 3.1): FedSoftBetter
    Print: \alpha_t^i\propto p_i\exp(-T^{-1}(F_i(w_t)-F_i^\star))\quad\text{re-normalised}
    Plainly: FedSoftBetter tilts the shares downwards in the excess loss, all weights positive, between FedAvg and the
      hard rule.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1 | e^{1/T} is the constant odds, losses
      in whole units
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: never behind FedAvg | Σαᵢℓᵢ moves downwards from Σpᵢℓᵢ. | part: never behind FedAvg
    Reading: no weight is 0 | αᵢ > 0 for every client. | part: no weight is 0
    Reading: equal losses, equal treatment | Clients with the same excess have the same aᵢ/pᵢ. | part: equal losses,
      equal treatment
    Reading: T → ∞ gives FedAvg | κᵢ = αᵢ/pᵢ lies between e^{−R/T} and e^{R/T}, R the range of the losses. | part: T → ∞
      gives FedAvg
    Reading: T → 0 gives the hard rule where one client is extreme | The distance to it is at most (1 − p_J)/p_J ·
      e^{−gap/T}. | part: T → 0 gives the hard rule where one client is extreme
    Mutant: ties admitted in the limit T → 0 | two extreme clients with shares 1/4 and 3/4 keep weights near 1/4 and
      3/4, where the hard rule has 1/2 and 1/2
    Rests on: RA-S-B, RA-S-AVG
    Verdict: The formula does what it is for. Tilting by the excess can only move the weighted excess downwards; every
      weight is positive in exact arithmetic; large T gives FedAvg, and small T the hard rule if one client is extreme
      (with ties the limit keeps the shares, unlike the printed 1/|J|). In double precision weights underflow to 0 once
      the losses differ by more than about 745 T. The paper says only «an analogous modification»; the sign changed is
      the reading taken.""",
    says=_SIMPLEX,
    world=losses_of("FedSoftBetter"),
    readings=_soft("FedSoftBetter", -1, "T → 0 gives the hard rule where one client is extreme"),
    mutants={"ties admitted in the limit T → 0": but(_HARD, world=losses_of("FedSoftBetter", lean=-1, alone="or not"))},
)

_EXTREME = all_of(le(abs(total - 1), 0), le(-lightest, 0), le(score_top - score, 0))

D10 = stated(
    r"""RA-D10 (definition; Sec. 2.5.1 and 3.1): The set of extreme clients
    Print: J_t=\arg\max_{i\in I}(F_i(w_t)-F_i^\star)\ \text{(FedWorse)},\qquad\arg\min\ \text{(FedBetter)}
    Plainly: J_t is never empty, and only clients with the extreme excess are in it.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Reading: arg max | Weights 1/|J| on J sum to 1 and reach the largest excess. | part: arg max
    Reading: arg min | The same at the other end. | part: arg min
    Mutant: |J_t| = 1 for all losses | two clients with the same data have the same loss at every model
    Verdict: J_t is well defined: a finite set of clients has extreme ones. That it has one element, as Section 3.1
      notes of practice, is not a theorem: equal clients, or a start between two mirrored ones, give ties, which the
      formula 1/|J| handles.""",
    says=_EXTREME,
    world=losses_of("FedWorse"),
    readings={"arg min": losses_of("FedBetter", lean=-1)},
    mutants={"|J_t| = 1 for all losses": le(several_best, 0)},
)

Q14 = stated(
    r"""RA-Q14 (remark; Sec. 3.1): FedSoftWorse is more stable and keeps every weight positive
    Print: \alpha_t^i\propto p_i\exp(T^{-1}\ell_i):\quad\alpha_t^i>0,\qquad\pi=\min_{t,i}\alpha_t^i/p_i>0,\qquad\|\ell-
      \ell'\|_\infty\le\delta\Rightarrow\|\alpha-\alpha'\|_1\le2\tanh(\delta/2T)
    Plainly: The soft rule has no weight 0, hence π > 0 in (17), and its weights move little when the losses move
      little.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1 | e^{1/T} is the constant odds, losses
      in whole units
    Reading: no weight is 0 | αᵢ > 0 for every client. | part: nonzero weights
    Reading: π at least e^{−R/T} | 1/κᵢ <= e^{R/T}, R the range of the losses. | part: (17) applies
    Reading: stable | Losses that move by at most δ move the weights by at most 2 tanh(δ/2T) in ℓ₁. | part: stability
    Mutant: FedWorse in place of FedSoftWorse | near a tie FedWorse moves all its weight to another client, 2 in ℓ₁,
      however small the change of the losses
    Tight: two clients of equal weight between the two losses, one loss moved up and the other down
    Rests on: RA-S-SW, RA-E17
    Verdict: All parts hold. π is at least e^{−R/T}, where R is the largest range of the losses seen, so (17) applies
      with a π that is known in advance only if R is; it falls exponentially in R/T, so for T small against the losses
      (17) says very little, and in double precision the weights are 0 beyond R/T = 745.""",
    says=_NONZERO,
    world=losses_of("FedSoftWorse"),
    readings={"π at least e^{−R/T}": _SPAN, "stable": _STABLE},
    mutants={"FedWorse in place of FedSoftWorse": but(_STABLE, world=losses_of("FedWorse"))},
)


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


def _cohorts(counted: str, *rules: str) -> World:
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


_ALL_RULES = ("FedAvg", "FedWorse", "FedSoftWorse")

ALG2 = stated(
    r"""RA-ALG2 (definition; Algorithm 1, line 8, with the strategies of Sec. 3): Aggregation over the clients that took part
    Print: w_{t+E}=\sum_i\alpha_t^iw_{t+E}^i\ \text{with }\alpha_t\text{ from }\ell_i=F_i(w_t)-F_i^\star;\qquad\min_{i
      \in I_t}w_{t+E}^i\le w_{t+E}\le\max_{i\in I_t}w_{t+E}^i
    Plainly: The new model is an average of the local models of the clients that took part.
    Assumes: any cohort I_t of one client or more | models in one dimension, or one coordinate of them
    Reading: weights of the cohort alone | J_t, m and the normalisation over I_t: FedAvg, FedWorse, FedSoftWorse. |
      because: the only one of the two with Σα = 1, which Sec. 2.1 prints
    Reading: weights of all clients, those absent left out | α over I as in Section 3, Σ over I_t: ours, since these
      weights no longer sum to 1. | ours: Sec. 3 writes α for I under full participation (Sec. 2.1), with Σα = 1;
      weights that no longer sum to 1 are printed nowhere and nobody would defend them
    Mutant: the models of absent clients counted | an absent client may have any model, far outside those of the cohort
    Rests on: RA-ALG1, RA-S-AVG, RA-S-W, RA-S-SW
    Verdict: Formed over the clients that took part, the weights of Section 3 sum to 1, and the new model is an average
      of these clients' models. Section 3 writes α for I, under the full participation of Section 2.1, where there is
      nothing to choose; no check of the theory uses a smaller cohort. How α is formed over I_t is an extension, for the
      implementation to record. Weights formed over I with the absent left out are ours and printed nowhere: they no
      longer sum to 1, FedAvg then shrinks the model towards 0, and FedWorse gives no weight at all when the worst
      client is absent.""",
    says=le(outside, 0),
    world=_cohorts("the cohort", *_ALL_RULES),
    readings={"weights of all clients, those absent left out": _cohorts("everyone", *_ALL_RULES)},
    mutants={"the models of absent clients counted": _cohorts("absent models too", "FedAvg")},
)


def chosen_clients(x: Instance, *, drawn: bool, floors: bool, worse: bool) -> Mapping[str, Any]:
    """FedWorse(k) (or FedBetter(k)) against Power-of-Choice, which ranks by loss; all candidates, or two drawn by share."""
    p, excess, n = x["share"], np.round(x["level"]) + x["untie"], x["share"].shape[1]
    loss, m = excess + (np.round(x["floor"]) if floors else 0.0), np.minimum(x.get("kept", np.ones(len(p))), n)[:, None]

    def top(score: Any) -> Any:
        return (np.argsort(np.argsort(-score, axis=1), axis=1) < m) / m

    chosen = np.zeros_like(p) if drawn else top(loss)
    for i, j in [(i, j) for i in range(n) for j in range(n) if i != j] if drawn else []:
        chance, first = p[:, i] * p[:, j] / (1 - p[:, i]), loss[:, i] > loss[:, j]
        chosen[:, i] += np.where(first, chance, 0.0)
        chosen[:, j] += np.where(first, 0.0, chance)
    return {"chance_off": np.abs(top(excess if worse else -excess) - chosen).max(axis=1), "magnitude": np.ones(len(p))}


def chosen_clients_exact(x: Mapping[str, Any], *, drawn: bool, floors: bool, worse: bool) -> Pair:
    """Weights of the m clients kept against the chances of Power-of-Choice."""
    p, n = x["share"], len(x["share"])
    excess = [round(v) + u for v, u in zip(x["level"], x["untie"], strict=True)]
    loss, m = (
        [e + (round(f) if floors else 0) for e, f in zip(excess, x["floor"], strict=True)],
        min(int(x.get("kept", 1)), n),
    )
    kept = sorted(range(n), key=lambda i: -excess[i] if worse else excess[i])[:m]
    best = sorted(range(n), key=lambda i: -loss[i])[:m]
    chosen = [Fraction(int(i in best and not drawn), m) for i in range(n)]
    for i in range(n) if drawn else []:
        for j in range(n):
            if i != j:
                chosen[i if loss[i] > loss[j] else j] += p[i] * p[j] / (1 - p[i])
    met = {"no ties": len(set(excess)) == n and len(set(loss)) == n, "m = 1 for d = 2": not drawn or m == 1}
    return met, {"chance_off": max(abs(Fraction(int(i in kept), m) - chosen[i]) for i in range(n))}


def _choices(*, drawn: bool = False, floors: bool = False, worse: bool = True) -> World:
    def at(N: float) -> Case:
        n = int(N)
        space = Space(
            (
                Simplex("share", n, interior=True),
                Uniform("level", 0.0, 50.0, (n,)),
                Uniform("untie", 0.0, 0.5, (n,)),
                Uniform("floor", 0.0, 50.0, (n,)),
                *(() if drawn else (Choice("kept", (1.0, 2.0, 5.0)),)),
            )
        )
        same = (permuted_clients(dict.fromkeys(("share", "level", "untie", "floor"), 0)),)
        how: dict[str, Any] = {"drawn": drawn, "floors": floors, "worse": worse}
        return case(
            f"losses of one round, N = {n}", space, chosen_clients, chosen_clients_exact, symmetries=same, **how
        )

    return world(Family("losses of one round", (Size("N", 3, 6, 3) if drawn else Size("N", 2, 300, 3),), at))


Q13 = stated(
    r"""RA-Q13 (remark; Sec. 3.1, FedWorse(k)): FedWorse(k) is Power-of-Choice
    Print: \text{FedWorse}(k)\ \text{«actually boils down to the client selection strategy Power-of-Choice by Cho et al. [
      2020]»}
    Plainly: FedWorse(k) and Power-of-Choice select and weigh the same clients.
    Assumes: weights 1/m on the clients kept | no two clients of one loss or one excess
    Open (nowhere) candidates: the number d of candidates of Power-of-Choice is not said
    Reading: all clients are candidates, d = N | By excess against by loss, any Fᵢ*. | option candidates = d = N
    Reading: d = 2 candidates drawn by share | Fᵢ* equal, m = 1: the weights against the mean of those of
      Power-of-Choice. | option candidates = d < N
    Reading: d = N and all Fᵢ* equal | Then excess and loss rank alike. | option candidates = d = N | condition: all Fᵢ*
      equal | met by: the rules ranked by the loss itself, as Sec. 3.1 words them («the client with the highest loss»)
      and as where no Fᵢ* is known (Sec. 4 names none): all Fᵢ* taken as 0
    Mutant: FedBetter(k) in place of FedWorse(k) | Power-of-Choice keeps the largest losses, FedBetter(k) the smallest
    Rests on: RA-S-WK
    Verdict: Only in a special case. Power-of-Choice ranks a random candidate set, drawn by share, by the loss Fᵢ(w);
      FedWorse(k) ranks all clients by the excess Fᵢ(w) − Fᵢ*, and does not use the shares. With d = N candidates, equal
      Fᵢ* (say all taken as 0) and equal weights the two coincide; with different Fᵢ* they select different clients, and
      with d < N a different law.""",
    says=le(chance_off, 0),
    world=_choices(floors=True),
    readings={"d = 2 candidates drawn by share": _choices(drawn=True), "d = N and all Fᵢ* equal": _choices()},
    mutants={"FedBetter(k) in place of FedWorse(k)": _choices(worse=False)},
)


def steep(x: Instance) -> Mapping[str, Any]:
    """F after one step from (1, y) of the steep client 1, whose loss is the smaller, and of both; curvatures as in the exact."""
    w, h = np.stack([np.ones_like(x["y"]), x["y"]], axis=1), np.array([[1.0, 0.01], [0.01, 0.1]])
    loss, after = 0.5 * (w**2 @ h.T), [w * (1 - x["step"][:, None] * row) for row in (h[0], h.mean(axis=0))]
    ends = [0.5 * v**2 @ h.mean(axis=0) for v in after]
    return {"end_better": ends[0], "end_average": ends[1], "admissible": loss[:, 0] < loss[:, 1]}


def steep_exact(x: Mapping[str, Any]) -> Pair:
    """Curvatures (1, 1/100) and (1/100, 1/10), one minimiser 0, equal shares."""
    h = [[Fraction(1), Fraction(1, 100)], [Fraction(1, 100), Fraction(1, 10)]]
    w, eta = [Fraction(1), x["y"]], x["step"]
    loss = [sum(k * v**2 for k, v in zip(row, w, strict=True)) / 2 for row in h]
    local = [[v - eta * k * v for k, v in zip(row, w, strict=True)] for row in h]
    average = [(u + v) / 2 for u, v in zip(*local, strict=True)]
    after = [sum(k * v**2 for row in h for k, v in zip(row, at, strict=True)) / 4 for at in (local[0], average)]
    met = {"client 1 has the smaller loss": loss[0] < loss[1], "eta <= 1/(4L)": 4 * eta <= 1}
    return met, {"end_better": after[0], "end_average": after[1]}


_STEEP = Space((Uniform("y", 3.4, 6.0), LogScale("step", 1e-3, 0.25)))
_FASTER = le(end_better, end_average)

Q15 = stated(
    r"""RA-Q15 (remark; Sec. 3.1, FedBetter): FedBetter has no theory behind it, and may be faster in an easy task
    Print: \text{FedBetter: }\rho(t,w_t)=\min_i\ell_i/\textstyle\sum_ip_i\ell_i;\qquad\text{«could enhance the convergence speed
      »}
    Plainly: FedBetter has the least skew, so the largest V; yet there are error-free tasks in which it is faster than
      FedAvg.
    Assumes: Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0
    Reading: not justified by theory | No weights have a smaller ρ(t, wₜ). | part: not justified by theory
    Reading: could be faster | An error-free federation, one round, step sizes up to 1/(4L): F is lower. | part: could
      be faster
    Mutant: faster in every error-free federation | in one dimension the client of least loss is the flattest, and its
      steps are the shortest
    Rests on: RA-S-B, RA-C1
    Verdict: Both halves are right. In the paper's bounds FedBetter is the worst choice, as ρ is as small as it can be.
      Still it can be faster: where the client with the smaller loss has the steeper one along the direction in which
      most of F can be gained, a step of it alone brings F down more than the average of both. The intuition is no rule:
      in one dimension with a common minimiser FedBetter is always the slowest.""",
    says=_BEST,
    world=losses_of("FedBetter", lean=-1),
    readings={
        "could be faster": but(
            _FASTER, world=world(case("two clients, the better one steep", _STEEP, steep, steep_exact))
        )
    },
    mutants={"faster in every error-free federation": but(_FASTER, world=one_round_of("FedBetter"))},
)


def near_tie(x: Instance, *, rule: str, R: int, fade: bool) -> Mapping[str, Any]:
    """Two clients (w ∓ 1)²/2 from near the tie, R rounds of one step; losses within 10 % at w* and the end where steps fade."""
    w, share = x["start"], x.get("share", np.full_like(x["start"], 0.5))
    best = 1 - 2 * share
    for t in range(R):
        target = best if rule == "FedAvg" else (1 if rule == "FedBetter" else -1) * np.sign(w)
        w = w + x["step"] / (1 + fade * x["step"] * t) * (target - w)
    similar = ((1 + np.abs(w)) / np.maximum(1 - np.abs(w), 1e-9)) ** 2 <= 1.1
    found = {"Gamma": 2 * share * (1 - share), "gap": (w - best) ** 2 / 2}
    return {**found, "admissible": (x["start"] != 0) & (similar | (not fade))}


def near_tie_exact(x: Mapping[str, Any], *, rule: str, R: int, fade: bool) -> Pair:
    """Two mirrored clients, step by step; weights shared among equal losses."""
    w, centers, share, spread = x["start"], [Fraction(-1), Fraction(1)], x.get("share", Fraction(1, 2)), []
    p = [share, 1 - share]
    for t in range(R + 1):
        loss = [(w - c) ** 2 / 2 for c in centers]
        spread.append(max(loss) <= Fraction(11, 10) * min(loss))
        if t == R:
            break
        picked = [v == (min(loss) if rule == "FedBetter" else max(loss)) for v in loss]
        a, eta = (
            p if rule == "FedAvg" else [Fraction(int(v), sum(picked)) for v in picked],
            x["step"] / (1 + int(fade) * x["step"] * t),
        )
        w = sum(q * (w - eta * (w - c)) for q, c in zip(a, centers, strict=True))
    best = sum(q * c for q, c in zip(p, centers, strict=True))
    Gamma, end = (sum(q * (v - c) ** 2 for q, c in zip(p, centers, strict=True)) / 2 for v in (best, w))
    met = {"losses within 10 % at the start, which is no tie": spread[0] and x["start"] != 0}
    if fade:
        met["losses within 10 % at w* and at the end"] = spread[-1] and best == 0
    return met, {"Gamma": Gamma, "gap": end - Gamma}


def _ties(rule: str, *, unlike: bool = False, fade: bool = False) -> Case:
    share = (LogScale("share", 0.01, 0.1, at=(0.1,)),) if unlike else ()
    space = Space((Signed("start", 1e-6, 0.01), Uniform("step", 0.2, 0.25, at=(0.25,)), *share))
    how: dict[str, Any] = {"rule": rule, "R": 200 if fade else 10, "fade": fade}
    return case(f"two mirrored clients, start near the tie, {rule}", space, near_tie, near_tie_exact, **how)


_BADLY = le(Gamma / 2, gap)

Q16 = stated(
    r"""RA-Q16 (remark; Sec. 3.2): Leaning strategies behave badly among similar losses
    Print: \ell_i\approx\ell_j\ \Rightarrow\ \text{FedWorse, FedBetter and those derived stabilise early at an erroneous value
      }
    Plainly: Where the clients' losses are nearly equal, leaning to one of them ends at a model with an error.
    Assumes: Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0
    Open (nowhere) similar: «clients with similar loss values»: similar where the run starts, or at w* and where it ends
    Reading: similar where the run starts, some federations | Two mirrored clients, a start near the middle: after ten
      rounds F − F* is at least Γ/2, for FedBetter with equal shares and for FedWorse with one share of a tenth at most.
      | option similar = where the run starts
    Reading: similar where the run starts, every federation | The same for FedWorse with equal shares. | ours:
      «intuitively … behave badly» is a tendency; that no federation escapes it is stronger
    Reading: similar at w* and where the run ends | Losses within 10 % of each other there: F − F* is at least Γ/2;
      FedWorse with equal shares and steps that fall to 0, 200 rounds. | option similar = at w* and where the run ends |
      because: false in every federation: there the error is at most Γ(s² − 1), 0.21 Γ for losses within 10 %
    Reading: similar losses bound the error | If the losses differ by a factor s at most, at w* and at the end, then F −
      F* <= Γ(s² − 1). | edit: losses that differ by a factor s at most, at w* and at the end: F − F* <= Γ(s² − 1)
    Mutant: FedAvg in place of FedBetter | FedAvg stays near the middle, which is w*
    Mutant: FedAvg in place of FedWorse | FedAvg leaves the middle for w*, near the client of large share
    Rests on: RA-S-W, RA-S-B, RA-D5
    Verdict: Losses that are similar where a run starts protect from nothing: FedBetter from near a tie runs to the
      optimum of one client and stays, and FedWorse stays near the tie, wherever w* is. Yet it is no rule: where w* is
      at the tie, FedWorse swings around it, and with steps that fall to 0 ends there. And losses that stay similar make
      every weighting harmless: if they differ by a factor s at most at w* and at the end, the error is at most Γ(s² −
      1), since ρ then lies between 1/s and s. In the paper's own terms ρ is near 1 for all weights where the losses are
      nearly equal. The sentence is marked «intuitively», and which of these it means is not said.""",
    says=_BADLY,
    world=world(_ties("FedBetter"), _ties("FedWorse", unlike=True)),
    readings={
        "similar where the run starts, every federation": world(_ties("FedWorse")),
        "similar at w* and where the run ends": world(_ties("FedWorse", fade=True)),
        "similar losses bound the error": but(le(limit_gap, Gamma * (alike**2 - 1)), world=among_similar()),
    },
    mutants={
        "FedAvg in place of FedBetter": world(_ties("FedAvg")),
        "FedAvg in place of FedWorse": world(_ties("FedAvg", unlike=True)),
    },
)

_PURE = (AVG, W, B, WK, BK, SW, SB, D10)
CLAIMS: tuple[Claim, ...] = (*_PURE, ALG2, Q13, Q14, Q15, Q16)

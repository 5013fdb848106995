"""How a searched inequality is judged: candidates certified, what floats cannot tell decided exactly, all kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from validation.cost.limits import rechecking
from validation.judge.exact.agreement import Agreement, agreement, contradiction
from validation.judge.exact.audit import Audit, Group, audited, doubt
from validation.judge.exact.certify import Certification, FirstWitness, Said, UndefinedError, certify, witnessed
from validation.judge.exact.declared import undeclared
from validation.judge.exact.fewer import in_fewer
from validation.judge.exact.outside import LeftOut, left_out
from validation.judge.tried import not_looked_at, sizes_tried
from validation.judge.vacuity import vacuity
from validation.script.script import inequality_script
from validation.search.distinct import coincidence
from validation.search.sample import Counts
from validation.search.search import search
from validation.search.seen import EDGES, Search
from validation.statement.bound import Bound
from validation.statement.claim import Case, Inequality
from validation.statement.instances.draw import take
from validation.statement.outcome import Outcome, Witness, digits, finite, nearest
from validation.statement.verdict import Verdict
from validation.world.mechanisms import exercised

__all__ = ["joined", "judge", "judge_inequality", "unexercised"]

__judges__ = "inequalities"

_LEAST = 100  # evaluations of a round
_ASIDE = 6  # draws of each kind that are looked at exactly where nobody will read a witness


def judge_inequality(
    test: Inequality,
    *,
    claim_id: str,
    name: str,
    budget: int,
    seed: int,
    label: str,
    stop_at_witness: bool,
    statement: str,
    warm: Mapping[str, Any] | None,
    tick: Callable[[int], None] | None,
    shown: bool,
    glance: bool,
    rounds: Sequence[float],
) -> Outcome:
    """An inequality searched and judged; all as in `run_test`, which has the defaults. `label`: what draws hang on."""
    instances = admissible = 0
    with rechecking(UndefinedError, ArithmeticError, ValueError, IndexError, TypeError):
        for place, share in enumerate(rounds):
            stop = FirstWitness(test.bound, seed, label) if stop_at_witness else None
            own = label if place == 0 else f"{label}/round {place + 1}"
            found = search(
                test,
                budget=max(min(budget, _LEAST), round(budget * share)),
                seed=seed,
                label=own,
                warm=warm,
                stop=stop,
                tick=tick,
            )
            instances, admissible = instances + found.instances, admissible + found.admissible
            first = None if stop is None else stop.certification
            if first is not None:
                break
            warm = joined(warm or {}, found.best)
        already = None if shown else first
        outcome = judge(test, found, claim_id, name, statement, seed, label, shown=shown, glance=glance, first=already)
    return replace(outcome, instances=instances, admissible=admissible)


def joined(points: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Points of the cube by case name, those of both; of a case that has another size in `more`, these alone."""
    out = dict(points)
    for name, own in more.items():
        known = out.get(name)
        out[name] = np.concatenate([known, own]) if known is not None and known.shape[1] == own.shape[1] else own
    return out


def judge(
    test: Inequality,
    found: Search,
    claim_id: str,
    name: str,
    statement: str,
    seed: int,
    label: str,
    *,
    shown: bool = True,
    glance: bool = False,
    first: Certification | None = None,
) -> Outcome:
    """The verdict on a searched inequality; `name` and `statement` go into the script of a counterexample.

    `shown` and `glance` as in `run_test`. `first`: the certification that ended the search, where any witness will do.
    """
    counts = found.counts
    kept: dict[str, Any] = {
        "histogram": {"edges": [float(e) for e in EDGES], "counts": [int(c) for c in found.histogram]},
        "growth": _thinned(found.growth),
        "stages": dict(found.stages),
    }
    if found.worst is not None:
        case, cube = found.worst
        kept["worst_instance"] = _drawn(case, take(case.space.decode(cube[None]), 0))
        kept["place"] = case.place
        kept["lead"] = {"case": case.key, "cube": cube.tolist()}
        kept["float_ratio"] = finite(found.worst_ratio)
    outcome = partial(Outcome, instances=found.instances, admissible=found.admissible, best=found.best, detail=kept)
    broken = undeclared(test.bound, found)
    if broken:
        return outcome(Verdict.INCONCLUSIVE, broken)
    certification = first or Certification(None)
    if first is None and found.witnesses:
        certification = certify(test.bound, found, seed, label, shrinking=shown)
    witness, audit, aside = certification.witness, Audit(None, {}), LeftOut()
    if witness is None and found.admissible:
        audit = audited(test.bound, found, _ASIDE if glance else None, seed=seed, label=label)
        if audit.violated is not None:
            case, decision, sampled = audit.violated
            stage = f"exact recheck of {sampled}"
            witness = witnessed(test.bound, case, decision, stage, seed, label, shrinking=shown)
    broken = certification.undeclared or audit.undeclared
    if broken:
        return outcome(Verdict.INCONCLUSIVE, broken)
    if witness is not None and shown:
        witness = in_fewer(test, witness, seed, label)
    if witness is None:
        aside = left_out(test.bound, found.outside, found.instances, _ASIDE if glance else None)
        if aside.violated is not None:
            stage = "exact recheck of draws that the measure leaves out"
            made = witnessed(test.bound, *aside.violated, stage, seed, label, shrinking=shown)
            witness = replace(made, robustness=None)  # of which floats know nothing
        elif found.admissible == 0:
            why = f"none of {found.instances:,} draws met the hypotheses, so nothing was tested"
            return outcome(Verdict.INCONCLUSIVE, f"{why}; {aside.words}" if aside.words else why)
    kept["draws"] = _counted(found, certification, audit, aside)
    if shown:
        both = _both_texts(test, found, certification, witness, audit, seed, label)
        if both.words is not None:
            return outcome(Verdict.INCONCLUSIVE, both.words)
        if witness is None and both.violated is not None:
            witness = witnessed(test.bound, *both.violated, "exact recheck of random draws", seed, label)
        audit = audit if both.lead is None else audit.seen(*both.lead)
    audit = audit if certification.lead is None else audit.seen(*certification.lead)
    kept["exercised"] = [exercised(name, n, audit.on.get(name)) for name, n in found.counts.on.items()]
    ratio = found.worst_ratio if found.worst is not None else None
    if witness is not None:
        kept["worst_instance"] = {"case": witness.case.name, **_plain(witness.instance)}
        kept["place"] = witness.case.place
        if witness.cube is not None:
            kept["lead"] = {"case": witness.case.key, "cube": witness.cube.tolist()}
        if test.choice and shown:
            why = f"the choice {test.choice} does not serve, another may: {_witness_words(witness)}"
            return outcome(Verdict.INCONCLUSIVE, why, max(_own_ratio(witness), found.worst_ratio))
        alone = shown and witness.case.exact is not None and witness.case.exact.standalone
        return outcome(
            Verdict.REFUTED,
            _witness_words(witness),
            max(_own_ratio(witness), found.worst_ratio),
            script=inequality_script(claim_id, name, statement, test.bound, witness) if alone else None,
            stage=witness.stage,
            robustness=witness.robustness,
            witness=witness,
        )
    words = "; ".join(filter(None, (_draw_words(found, certification, audit), aside.words)))
    trouble = doubt(counts, found, certification, audit)
    if trouble is None and counts.trivial and counts.trivial == counts.decided + counts.tie:
        trouble = f"not exercised: the trivial bound is no larger than the right side on all {counts.trivial:,} draws"
        if test.grid is not None and test.known is not None:
            ever = vacuity(test.bound, test.known, test.grid, seed, label)
            if ever.first is None:
                return outcome(Verdict.VACUOUS, f"{ever.words}, and on all {counts.trivial:,} draws; {words}", ratio)
            trouble = f"{trouble}, though {ever.words}"
    trouble = trouble or unexercised(counts, audit, zero=test.bound.expression == 0, from_0=_written_from_0(found))
    trouble = trouble or coincidence(found.distinct) or aside.doubt
    if trouble is not None:
        return outcome(Verdict.INCONCLUSIVE, f"{trouble}; {words}", ratio)
    if audit.lead is not None:
        case, lead = audit.lead
        kept["worst_instance"] = {"case": case.name, **_plain(lead)}
        kept["place"] = case.place
    if audit.met or audit.ratio is not None:
        ratio = None if audit.ratio is None else float(audit.ratio)
    why = f"no violation on {found.admissible:,} admissible instances{_where(found, certification, audit)}; {words}"
    return outcome(Verdict.HOLDS, why, ratio, attained=audit.attained)


def _own_ratio(witness: Witness) -> float:
    return nearest(witness.lhs / witness.rhs) if witness.rhs > 0 else math.inf


def _where(found: Search, certification: Certification, audit: Audit) -> str:
    """Sizes tried, cases that no draw is admitted to, and cases without an exact look, in words; empty without any."""
    sizes, unlooked = sizes_tried(found), not_looked_at(found, certification, audit)
    silent = f", none of them of {', '.join(f'«{name}»' for name in found.silent)}" if found.silent else ""
    return f"{f', {sizes}' if sizes else ''}{silent}{f', without an exact re-check of {unlooked}' if unlooked else ''}"


def _both_texts(
    test: Inequality,
    found: Search,
    certification: Certification,
    witness: Witness | None,
    audit: Audit,
    seed: int,
    label: str,
) -> Agreement:
    """What measure and plain text say of the draws that a verdict stands on, and of fresh ones of the same cases."""
    cases, of_both = _looked_at(found, witness, audit), witness is not None and audit.violated is None
    both = agreement(test.bound, cases, seed, label, signs=test.signs, both_violate=of_both)
    if both.words is not None:
        return both
    looks = [] if audit.violated is None else [audit.violated[:2]]
    if witness is None:
        looks += [*certification.met, *([both.violated] if both.violated is not None else [])]
    given = [(case, decision.instance) for case, decision in looks if decision.instance is not None]
    return replace(both, words=contradiction(test.bound, given, signs=test.signs))


def _looked_at(found: Search, witness: Witness | None, audit: Audit) -> list[Case]:
    """The cases that a verdict stands on: the witness's, else those that exact arithmetic looked at."""
    if witness is not None:
        return [witness.case]
    rows = (*found.leaders, *found.ties, *found.idle, *found.heads)
    seen = {row.case.name: row.case for row in rows if row.case.name in audit.of}
    return list(seen.values())


def _written_from_0(found: Search) -> bool:
    """Whether the statement is 0 <= right side as it is written, of every case that met its hypotheses."""
    lefts = [getattr(head.case.exact and head.case.exact.function, "left", None) for head in found.heads]
    return bool(lefts) and all(isinstance(left, Bound) and left.expression == 0 for left in lefts)


def unexercised(counts: Counts, audit: Audit, *, zero: bool = False, from_0: bool = False) -> str | None:
    """Why the draws do not exercise an inequality at all; None where they do.

    `zero`: its right side is 0, and the left one no more than that wherever it holds with equality; `from_0`: its left
    side is written as 0, so that a right side above 0 is what it says.
    """
    seen = counts.decided + counts.tie
    if counts.tie and not counts.decided and audit.nothing and not zero:
        return f"not exercised: both sides are 0 on all {seen:,} draws"
    if counts.idle and counts.idle == counts.decided and not audit.moved and not from_0:
        both = f", or both are 0 on {counts.tie:,} of them" if counts.tie else ""
        return f"not exercised: the left side is 0 and the right side positive on all {seen:,} draws{both}"
    if counts.member is not None and counts.member[0] == counts.member[1]:
        return f"not exercised: both members of the identity are {counts.member[0]:g} on all {seen:,} draws"
    return None


def _counted(found: Search, certification: Certification, audit: Audit, aside: LeftOut) -> dict[str, Any]:
    """Every draw in one class, and what exact arithmetic said of those it looked at; plain JSON."""
    counts = found.counts
    candidates = {
        "candidates": len(found.witnesses),
        "dismissed": certification.dismissed,
        "outside": certification.outside,
        "undefined": certification.undefined,
        "undecided": certification.undecided,
    }
    return {
        "outside": counts.outside,
        "decided": counts.decided,
        "tie": counts.tie,
        "beyond floats": counts.beyond,
        "exactly": {name: group.json() for name, group in audit.groups.items()}
        | ({"candidates": candidates} if found.witnesses else {})
        | aside.json(),
    }


def _draw_words(found: Search, certification: Certification, audit: Audit) -> str:
    """The counts in words: what was dismissed, what tied, what was beyond floats, and the exact lead."""
    counts, parts = found.counts, []
    equal_to = certification.equal_to or audit.equal_to
    if equal_to is not None:
        parts.append(f"some sides are equal to {equal_to:,} digits, which is no proof that they are equal")
    if certification.dismissed:
        parts.append(f"{certification.dismissed} float candidates were dismissed by exact arithmetic")
    outside = certification.outside + sum(g[Said.OUTSIDE] for g in audit.groups.values())
    if outside:
        parts.append(f"{outside} draws dismissed as a hypothesis fails exactly")
    undefined = certification.undefined + sum(
        g[Said.UNDEFINED] for name, g in audit.groups.items() if name != "beyond floats"
    )
    if undefined:
        parts.append(f"{undefined} draws dismissed as a side has no value, such as one divided by 0")
    if counts.tie:
        ties = audit.groups.get("ties")
        looked = 0 if ties is None else ties[Said.MET]
        parts.append(f"{counts.tie:,} ties within rounding, {looked} of them decided exactly{_still_open(ties)}")
    if counts.beyond:
        beyond = audit.groups.get("beyond floats")
        met, none = (0, 0) if beyond is None else (beyond[Said.MET], beyond[Said.UNDEFINED])
        words = f"{counts.beyond:,} draws beyond floats, {met} of them decided exactly, {none} without a value"
        parts.append(f"{words}{_still_open(beyond)}")
    if counts.trivial:
        parts.append(f"the right side no better than the trivial bound on {counts.trivial:,}")
    if audit.ratio is not None:
        shown = "1, attained" if audit.attained else f"{_below_one(audit.ratio)}"
        parts.append(f"largest exact lhs/rhs {shown}")
    elif found.worst is not None and not audit.met:
        parts.append(f"largest lhs/rhs {found.worst_ratio:.4g}, in floats only")
    return "; ".join(parts) if parts else "no draw has a ratio of both sides"


def _still_open(group: Group | None) -> str:
    """What exact arithmetic was asked and could not say, in words; nothing where it said all."""
    undecided = 0 if group is None else group[Said.UNDECIDED]
    return f", {undecided} undecided ({group.reason})" if group is not None and undecided else ""


def _below_one(ratio: Fraction) -> str:
    """A ratio below 1 in as few digits as still show that it is below 1."""
    for places in (4, 7, 10, 17):
        text = f"{float(ratio):.{places}g}"
        if float(text) < 1:
            return text
    return "below 1 by less than 1e-16"


def _drawn(case: Case, instance: Mapping[str, Any]) -> dict[str, Any]:
    return {"case": case.name, **{k: v.tolist() for k, v in instance.items()}}


def _witness_words(witness: Witness) -> str:
    words = f"exact counterexample ({witness.case.name}): left side {digits(witness.lhs)}"
    words += f", right side {digits(witness.rhs)}"
    if witness.robustness is None:
        return words
    if witness.robustness == 0:
        return words + "; boundary only: no ±10% perturbation of it violates"
    return words + f"; {witness.robustness:.0%} of ±10% perturbations of it violate too"


def _thinned(growth: list[tuple[int, float]]) -> list[list[float | str]]:
    """Only the steps where the worst ratio grew, and the last."""
    out: list[list[float | str]] = []
    for position, (n, ratio) in enumerate(growth):
        if not out or finite(ratio) != out[-1][1] or position == len(growth) - 1:
            out.append([n, finite(ratio)])
    return out


def _plain(instance: Any) -> Any:
    if isinstance(instance, list):
        return [_plain(v) for v in instance]
    if hasattr(instance, "items"):
        return {k: _plain(v) for k, v in instance.items()}
    return str(instance)

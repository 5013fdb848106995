"""From a claim to its verdict: every reading tested, every mutant killed, everything that was seen kept.

A claim falls into work units, one for each reading and each mutant. A unit is a pure function of claim, budget and seed
that returns plain JSON, so units can run anywhere, in any order, and be kept when a check is interrupted.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from theory.base.arrays import one_blas_thread
from validation.cost.allowed import DEFAULT_BUDGET
from validation.judge.repairs.followup import dimensions, repairs, symmetries
from validation.judge.run import Tick, run_test
from validation.judge.words.entry import worded
from validation.statement.claim import (
    Case,
    Claim,
    Family,
    Inequality,
    Property,
    Reading,
    Test,
)
from validation.statement.outcome import Outcome, finite, text
from validation.statement.roles import roles_of
from validation.statement.verdict import Verdict
from validation.study.study import studied
from validation.study.worst_cases import solved
from validation.verdict.mistakes import MistakeError, look_at
from validation.world.mechanisms import active, lacking, names, only, watched

__all__ = ["Unit", "assemble", "check", "run_unit", "unanswered", "units"]


_KEPT = (
    "histogram",
    "growth",
    "worst_instance",
    "place",
    "cells",
    "stages",
    "expectation",
    "certificate",
    "constants",
    "points",
    "slopes",
    "draws",
    "float_ratio",
    "largest_quotient",
    "exercised",
    "lead",
)


_WITH_ON = 0.1  # of a reading's budget: what a mutant may take to be killed with one mechanism on


Part = dict[str, Any]

_IN_STREAMS = {"mutant": "canary"}


@dataclass(frozen=True)
class Unit:
    """The smallest piece of work that is never half done: a reading, a mutant, a worst case over a class, or a study.

    Its `key` is what random numbers hang on, with the claim's id and the stage («reading 2/edit 1»): places, no words,
    so that a word changed moves no stream, and neither does a reading or mutant added at the end.
    """

    kind: str
    index: int

    @property
    def key(self) -> str:
        """A name unique within its claim; streams call a mutant by an older word, as the committed searches did."""
        return f"{_IN_STREAMS.get(self.kind, self.kind)} {self.index + 1}"


def units(claim: Claim) -> tuple[Unit, ...]:
    """The work units of a claim, readings first."""
    kinds = (
        ("reading", claim.readings),
        ("mutant", claim.mutants),
        ("worst case", claim.worst_cases),
        ("study", claim.studies),
    )
    return tuple(Unit(kind, i) for kind, items in kinds for i in range(len(items)))


def run_unit(
    claim: Claim, unit: Unit, *, budget: int, seed: int, tick: Tick = None, lead: Mapping[str, Any] | None = None
) -> Part:
    """Do one unit of work; plain JSON, the same for the same claim, unit, budget, seed and lead except for `seconds`.

    `lead`: the point {"case", "cube"} that led an earlier search of this reading, which this one begins with.
    """
    started = _processor_seconds()
    with one_blas_thread():  # sums of floats depend on how many there are
        if unit.kind == "mutant":
            part = _mutant(claim, unit.index, budget, seed, tick)
        elif unit.kind == "worst case":
            part = solved(claim.worst_cases[unit.index])
        elif unit.kind == "study":
            part = studied(claim.studies[unit.index], budget=budget, seed=seed, label=f"{claim.id}/{unit.key}")
        else:
            part = _reading(claim, unit.index, budget, seed, tick, lead)
    return {**part, "seconds": round(_processor_seconds() - started, 3)}


def _processor_seconds() -> float:
    """Of this process and of those it forked for exact rechecks."""
    return sum(os.times()[:4])


def check(claim: Claim, *, budget: int = DEFAULT_BUDGET, seed: int = 0, tick: Tick = None) -> Part:
    """The ledger entry of a claim: verdict of the print, of each reading, mutants, effort; without provenance.

    `budget`: evaluations for each reading of an inequality; a mutant gets at most as many and stops when killed.
    Raises `ValueError` for a budget below 100 or a negative seed, `MistakeError` as `look_at`.
    """
    if not isinstance(claim, Claim):
        raise MistakeError(f"check({claim!r}): expected a Claim; a statement by itself is for assert_holds")
    look_at(claim)
    if not 100 <= budget < inf:
        raise ValueError(f"check(budget={budget}): expected at least 100 evaluations a reading")
    parts = {unit: run_unit(claim, unit, budget=budget, seed=seed, tick=tick) for unit in units(claim)}
    return assemble(claim, parts, budget=budget, seed=seed)


def assemble(claim: Claim, parts: Mapping[Unit, Part], *, budget: int, seed: int) -> Part:
    """The entry of a claim from all its units' parts."""
    readings = [copy.deepcopy(parts[u]) for u in units(claim) if u.kind == "reading"]
    _say_lacking(claim, readings, [parts[u] for u in units(claim) if u.kind == "mutant"])
    evidence = {
        "id": claim.id,
        "kind": str(claim.kind),
        "at": claim.at,
        "title": claim.title,
        "printed": claim.printed,
        "plainly": claim.plainly,
        "assumes": list(claim.assumes),
        "words": claim.verdict,
        "readings": [{k: v for k, v in r.items() if k != "seconds"} for r in readings],
        "supremum": claim.supremum,
        "instances": sum(r["instances"] for r in readings),
        "evaluations": sum(r["evaluations"] for r in readings),
        "seconds": round(sum(p["seconds"] for p in parts.values()), 3),
        "seed": seed,
        "budget": budget,
        "rests_on": list(claim.rests_on),
        "mutants": [{k: v for k, v in parts[u].items() if k != "seconds"} for u in units(claim) if u.kind == "mutant"],
        "tight": claim.tight,
        "worst_cases": _timeless(parts, claim, "worst case"),
        "studies": _timeless(parts, claim, "study"),
    }
    return worded(evidence, claim, roles_of(claim))


def _say_lacking(claim: Claim, readings: list[Part], mutants: Sequence[Part]) -> None:
    """Word every reading that holds without the mechanisms that it was not attacked with.

    Where a mutant survives, the check of a property cannot be told from one that finds nothing: everywhere, and nothing
    is said of it; in one case of several, and that case is named. Where all do, no check can. Every mutant that
    survives is named.
    """
    killed = frozenset(name for c in mutants for name in c["killed_with"])
    survives = [c["name"] for c in mutants if not c["killed"]]
    for row, reading in zip(readings, claim.readings, strict=True):
        row["lacking"] = []
        if row["verdict"] != Verdict.HOLDS:
            continue
        test = reading.test
        if survives and (isinstance(test, Property) or len(survives) == len(mutants)):
            row["verdict"] = str(Verdict.INCONCLUSIVE)
            row["why"] = f"not exercised: {_named(survives)}; {row['why']}"
            continue
        if survives:
            row["why"] = f"{row['why']}; {_named(survives)}"
        row["lacking"] += lacking(row["exercised"] or (), killed, ratios=isinstance(test, Inequality))
        if isinstance(test, Property):
            there = [i.name for i in test.cases if any(i.name in c["survives_in"] for c in mutants)]
            row["lacking"] += [f"{len(there)} of {len(test.cases)} cases (mutants survive there)"] if there else []
        if row["lacking"]:
            row["why"] = f"{row['why']}; not exercised with {', '.join(row['lacking'])}"


def _named(mutants: Sequence[str]) -> str:
    """The mutants that survive, in words."""
    names = ", ".join(f"«{name}»" for name in mutants)
    return f"the mutant {names} survives" if len(mutants) == 1 else f"the mutants {names} survive"


def _timeless(parts: Mapping[Unit, Part], claim: Claim, kind: str) -> list[Part]:
    """The parts of one kind without their seconds, which alone differ from run to run."""
    return [{k: v for k, v in parts[u].items() if k != "seconds"} for u in units(claim) if u.kind == kind]


def _reading(
    claim: Claim, index: int, budget: int, seed: int, tick: Tick, lead: Mapping[str, Any] | None = None
) -> Part:
    reading = claim.readings[index]
    test = _watched(claim, reading.test)
    key = Unit("reading", index).key
    label = f"{claim.id}/{key}"
    outcome = run_test(
        test,
        claim_id=claim.id,
        name=reading.name,
        key=key,
        budget=budget,
        seed=seed,
        statement=claim.plainly,
        warm=None if lead is None else {lead["case"]: np.array([lead["cube"]])},
        tick=tick,
    )
    after = _nothing_after()
    evaluations = outcome.detail.get("evaluations", outcome.instances)
    if isinstance(test, Inequality):
        after["symmetries"] = symmetries(test, seed=seed, label=label)
        after["dimensions"] = dimensions(test)
        broken = [s for s in after["symmetries"] if not s["holds"]]
        if broken:
            words = ", ".join(f"{s['name']} ({s['case']}) changes a side by {s['change']:.1e}" for s in broken)
            outcome = replace(
                outcome, verdict=Verdict.INCONCLUSIVE, why=f"the check is not sound: {words}", script=None
            )
        elif outcome.verdict is Verdict.REFUTED and reading.repair is None:

            def run(
                test: Inequality, says: str, stage: str, warm: Mapping[str, Any], *rounds: float, shown: bool = True
            ) -> Outcome:
                nonlocal evaluations
                found = run_test(
                    test,
                    claim_id=claim.id,
                    name=f"{reading.name}; {says}",
                    key=f"{key}/{stage}",
                    budget=budget,
                    seed=seed,
                    stop_at_witness=True,
                    statement=claim.plainly,
                    warm=warm,
                    tick=tick,
                    shown=shown,
                    glance=not shown,
                    rounds=rounds,
                )
                evaluations += found.instances
                return found

            after |= repairs(test, run, outcome.best, seed=seed, label=label)
    return {**_reading_part(reading, outcome), **after, "evaluations": evaluations}


def _watched(claim: Claim, test: Test) -> Test:
    """The test as it is searched: a property as an inequality, each case with the mechanisms it can switch on."""
    test = test.inequality if isinstance(test, Property) else test
    return watched(test, claim.mechanisms) if isinstance(test, Inequality) else test


def _nothing_after() -> Part:
    return {"restored_by": [], "mechanisms": [], "edits": [], "symmetries": [], "dimensions": None}


def unanswered(claim: Claim, unit: Unit, why: str) -> Part:
    """The part of a unit of work that gave no answer, with the reason: a reading is `inconclusive`, a mutant lives."""
    if unit.kind == "mutant":
        mutant = claim.mutants[unit.index]
        part: Part = {
            "name": mutant.name,
            "false_since": mutant.false_since,
            "killed": False,
            "killed_with": [],
            "stage": None,
        }
        part |= {"evaluations": 0, "why": why}
    elif unit.kind == "worst case":
        program = claim.worst_cases[unit.index]
        part = {"at": program.at, "bound": program.bound, "value": None, "ratio": None, "status": f"not solved: {why}"}
    elif unit.kind == "study":
        part = {"title": claim.studies[unit.index].title, "kind": "none", "data": None, "why": why}
    else:
        outcome = Outcome(Verdict.INCONCLUSIVE, why)
        part = {**_reading_part(claim.readings[unit.index], outcome), **_nothing_after(), "evaluations": 0}
    return {**part, "seconds": 0.0}


def _reading_part(reading: Reading, outcome: Outcome) -> Part:
    part: Part = {
        "name": reading.name,
        "says": reading.says,
        "verdict": str(outcome.verdict),
        "why": outcome.why,
        "worst_ratio": None if outcome.worst_ratio is None else finite(outcome.worst_ratio),
        "attained": outcome.attained,
        "instances": outcome.instances,
        "admissible": outcome.admissible,
        "stage": outcome.stage,
        "robustness": outcome.robustness,
        "counterexample_source": outcome.script,
        "exact": _exact(outcome),
    }
    for key in _KEPT:
        part[key] = outcome.detail.get(key)
    if part["histogram"] is not None:
        part["histogram"]["edges"] = [finite(e) for e in part["histogram"]["edges"]]
    return part


def _mutant(claim: Claim, index: int, budget: int, seed: int, tick: Tick) -> Part:
    mutant = claim.mutants[index]
    test = _watched(claim, mutant.test)

    def attack(test: Test, stage: str, share: float) -> Outcome:
        return run_test(
            test,
            claim_id=claim.id,
            name=f"mutant: {mutant.name}",
            key=f"{Unit('mutant', index).key}{stage}",
            budget=max(100, round(budget * share)),
            seed=seed,
            stop_at_witness=True,
            tick=tick,
            shown=False,
        )

    outcome = attack(test, "", 1.0)
    # A violation at the stated confidence on fresh streams is enough to catch a planted error, though not to refute.
    on_fresh_streams = outcome.detail.get("expectation", {}).get("violated", False)
    killed = outcome.verdict is Verdict.REFUTED or on_fresh_streams
    evaluations = outcome.detail.get("evaluations", outcome.instances)
    witness, on = outcome.witness, set[str]()
    if killed and witness is not None and isinstance(test, Inequality):
        on |= active(witness.case, witness.instance)
        for place, name in enumerate(names(test)):
            having = only(test, name) if name not in on else None
            if having is not None:
                more = attack(having, f"/with {place + 1}", _WITH_ON)
                evaluations += more.instances
                on |= {name} if more.verdict is Verdict.REFUTED else set()
    survives_in = []
    if killed and isinstance(test, Inequality):
        for place, item in enumerate(_shared_with_properties(claim, test)):
            alone = attack(replace(test, cases=(item,)), f"/in {place + 1}", _WITH_ON)
            evaluations += alone.instances
            survives_in += [item.name] if alone.verdict is not Verdict.REFUTED else []
    return {
        "name": mutant.name,
        "false_since": mutant.false_since,
        "killed": killed,
        "killed_with": sorted(on),
        "survives_in": survives_in,
        "stage": (outcome.stage or "fresh streams") if killed else None,
        "evaluations": evaluations,
    }


def _shared_with_properties(claim: Claim, mutant: Inequality) -> list[Case | Family]:
    """The cases of a mutant, where there are several, that a property of the claim is tested on, too."""
    tested = {item.name for r in claim.readings if isinstance(r.test, Property) for item in r.test.cases}
    return [item for item in mutant.cases if item.name in tested] if len(mutant.cases) > 1 else []


def _exact(outcome: Outcome) -> dict[str, str] | None:
    """Both sides of a counterexample as text: in full where it can be read, else its leading digits."""
    if outcome.witness is None:
        return None
    return {"left": text(outcome.witness.lhs), "right": text(outcome.witness.rhs)}

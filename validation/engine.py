"""From a claim to its verdict: every reading tested, every canary killed, everything that was seen kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from validation.bound import exact_value
from validation.certify import Witness, certify, comparison_script, identity_script, inequality_script
from validation.claim import Canary, Claim, Identity, Inequality, Reading, Relation, Test
from validation.draw import take
from validation.published import decide
from validation.search import EDGES, Search, search
from validation.symbolic import find_point, is_identity
from validation.verdict import Verdict, combine

__all__ = ["DEFAULT_BUDGET", "Outcome", "ReadingResult", "check", "run_test"]

DEFAULT_BUDGET = 40_000
Tick = Callable[[int], None] | None


@dataclass(frozen=True)
class Outcome:
    """What testing one formal statement gave; `script` confirms a refutation, `stage` found it."""

    verdict: Verdict
    why: str
    worst_ratio: float | None = None
    instances: int = 0
    admissible: int = 0
    script: str | None = None
    stage: str | None = None
    robustness: float | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReadingResult:
    """A reading with its outcome."""

    reading: Reading
    outcome: Outcome


def run_test(
    test: Test,
    *,
    claim_id: str,
    name: str,
    budget: int,
    seed: int,
    stop_at_witness: bool = False,
    statement: str = "",
    tick: Tick = None,
) -> Outcome:
    """Test one formal statement. Everything random derives from (seed, claim_id, name)."""
    if isinstance(test, Identity):
        return _identity(test, claim_id, name)
    if isinstance(test, Relation):
        return _relation(test, claim_id, name)
    label = f"{claim_id}/{name}"

    def enough(found: Search) -> bool:
        return certify(test.bound, found, seed, label).witness is not None

    stop = enough if stop_at_witness else None
    found = search(test, budget=budget, seed=seed, label=label, stop=stop, tick=tick)
    return _judge(test, found, claim_id, name, statement, seed, label)


def _judge(test: Inequality, found: Search, claim_id: str, name: str, statement: str, seed: int, label: str) -> Outcome:
    kept: dict[str, Any] = {
        "histogram": {"edges": [float(e) for e in EDGES], "counts": [int(c) for c in found.histogram]},
        "growth": _thinned(found.growth),
        "stages": dict(found.stages),
    }
    if found.worst is not None:
        case, cube = found.worst
        instance = take(case.space.decode(cube[None]), 0)
        kept["worst_instance"] = {"case": case.name, **{k: v.tolist() for k, v in instance.items()}}
    if found.admissible == 0:
        why = f"none of {found.instances:,} draws met the hypotheses, so nothing was tested"
        return Outcome(Verdict.INCONCLUSIVE, why, None, found.instances, 0, detail=kept)
    outcome = partial(
        Outcome, worst_ratio=found.worst_ratio, instances=found.instances, admissible=found.admissible, detail=kept
    )
    if not found.witnesses:
        why = f"no violation on {found.admissible:,} admissible instances; largest lhs/rhs {found.worst_ratio:.4g}"
        return outcome(Verdict.HOLDS, why)
    certification = certify(test.bound, found, seed, label)
    witness = certification.witness
    if witness is None and certification.undecided == 0:
        why = f"no violation on {found.admissible:,} admissible instances; {certification.dismissed} float candidates"
        why += f" were dismissed by exact arithmetic; largest lhs/rhs {found.worst_ratio:.4g}"
        return outcome(Verdict.HOLDS, why)
    if witness is None:
        why = (
            f"{len(found.witnesses)} candidates violate in floats; exact arithmetic dismissed {certification.dismissed}"
        )
        why += f" and could not decide {certification.undecided}"
        return outcome(Verdict.INCONCLUSIVE, why)
    kept["worst_instance"] = {"case": witness.case.name, **_plain(witness.instance)}
    return outcome(
        Verdict.REFUTED,
        _witness_words(witness),
        script=inequality_script(claim_id, name, statement, test.bound, witness),
        stage=witness.stage,
        robustness=witness.robustness,
    )


def _witness_words(witness: Witness) -> str:
    lhs, rhs = float(witness.lhs), float(witness.rhs)
    words = f"exact counterexample ({witness.case.name}): left side {lhs:.6g}, right side {rhs:.6g}"
    if witness.robustness == 0:
        return words + "; boundary only: no ±10% perturbation of it violates"
    return words + f"; {witness.robustness:.0%} of ±10% perturbations of it violate too"


def _identity(test: Identity, claim_id: str, name: str) -> Outcome:
    if is_identity(test):
        return Outcome(Verdict.PROVED, "the difference of the two sides simplifies to 0 symbolically", instances=0)
    point = find_point(test)
    if point is None:
        return Outcome(
            Verdict.INCONCLUSIVE, "sympy neither reduces the difference to 0 nor finds a point where it is not"
        )
    values, left, right = point
    words = ", ".join(f"{k} = {v}" for k, v in values.items())
    return Outcome(
        Verdict.REFUTED,
        f"the sides differ: at {words} the left side is {left}, the right side {right}",
        instances=1,
        admissible=1,
        script=identity_script(claim_id, name, test, values),
        stage="symbolic",
        detail={"worst_instance": {k: str(v) for k, v in values.items()}},
    )


def _relation(test: Relation, claim_id: str, name: str) -> Outcome:
    if test.needs_run is not None:
        return Outcome(Verdict.NEEDS_RUN, test.needs_run)
    comparisons = test.comparisons()
    results = [(c, decide(c)) for c in comparisons]
    cells = {cell.where: cell.value for c in comparisons for cell in c.cells.values()}
    shown = [{"cell": where, "value": value} for where, value in cells.items()]
    failed = [c for c, holds in results if not holds]
    outcome = partial(Outcome, instances=len(results), admissible=len(results))
    detail: dict[str, Any] = {"cells": shown, "stages": {"cells": len(results)}}
    if not failed:
        why = f"all {len(results)} comparisons of printed cells hold, exactly"
        return outcome(Verdict.HOLDS, why, detail=detail)
    first = failed[0]
    values = {n: c.value for n, c in first.cells.items()}
    left, right = (float(exact_value(side, values)) for side in (first.left, first.right))
    why = f"{len(failed)} of {len(results)} comparisons fail; «{first.says}»"
    why += f": {left:.6g} {first.relation} {right:.6g} is false"
    script = comparison_script(claim_id, name, first)
    detail["cells"] = [{"cell": c.where, "value": c.value} for f in failed for c in f.cells.values()] or shown
    return outcome(Verdict.REFUTED, why, script=script, stage="cells", detail=detail)


def check(claim: Claim, *, budget: int = DEFAULT_BUDGET, seed: int = 0, tick: Tick = None) -> dict[str, Any]:
    """The ledger entry of a claim: verdict of the print, of each reading, canaries, effort; without provenance.

    `budget`: evaluations for each reading of an inequality; a canary gets at most as many and stops when killed.
    Raises `ValueError` for a budget below 100 or a negative seed.
    """
    if budget < 100:
        raise ValueError(f"check(budget={budget}): expected at least 100 evaluations a reading")
    started = time.perf_counter()
    results = [
        ReadingResult(
            reading,
            run_test(
                reading.test,
                claim_id=claim.id,
                name=reading.name,
                budget=budget,
                seed=seed,
                statement=claim.says,
                tick=tick,
            ),
        )
        for reading in claim.readings
    ]
    canaries = [_canary(claim, canary, budget, seed, tick) for canary in claim.canaries]
    printed = [r for r in results if r.reading.repair is None]
    conditions = [r.outcome.verdict for r in results if r.reading.repair == "condition"]
    verdict = combine([r.outcome.verdict for r in printed], conditions)
    # Readings run from the most literal to the most charitable; the counterexample shown is to the last one refuted.
    refuted = [r for r in printed if r.outcome.script is not None]
    main = refuted[-1] if refuted else printed[0]
    scripts = {r.reading.name: _script_path(claim.id, i, r is main) for i, r in enumerate(results) if r in refuted}
    ratios = [r.outcome.worst_ratio for r in printed if r.outcome.worst_ratio is not None]
    return {
        "id": claim.id,
        "kind": str(claim.kind),
        "source": claim.source,
        "title": claim.title,
        "statement": claim.statement,
        "says": claim.says,
        "assumes": list(claim.assumes),
        "verdict": str(verdict),
        "why": _why(results),
        "words": claim.verdict_words,
        "readings": [_reading_entry(r, scripts.get(r.reading.name)) for r in results],
        "worst_ratio": _finite(max(ratios)) if ratios else None,
        "instances": sum(r.outcome.instances for r in results),
        "evaluations": sum(r.outcome.instances for r in results),
        "seconds": round(time.perf_counter() - started, 3),
        "seed": seed,
        "budget": budget,
        "depends_on": list(claim.depends_on),
        "counterexample": scripts.get(main.reading.name),
        "counterexample_source": main.outcome.script,
        "robustness": main.outcome.robustness,
        "canaries": canaries,
        "tight": claim.tight,
    }


def _why(results: list[ReadingResult]) -> str:
    printed = [r for r in results if r.reading.repair is None]
    repairs = [r for r in results if r.reading.repair is not None and r.outcome.verdict.true]
    parts = [f"{r.reading.name}: {r.outcome.verdict} ({r.outcome.why})" for r in printed]
    parts += [f"with {r.reading.name}: {r.outcome.verdict}" for r in repairs]
    return "; ".join(parts)


def _canary(claim: Claim, canary: Canary, budget: int, seed: int, tick: Tick) -> dict[str, Any]:
    outcome = run_test(
        canary.test,
        claim_id=claim.id,
        name=f"canary: {canary.name}",
        budget=budget,
        seed=seed,
        stop_at_witness=True,
        tick=tick,
    )
    killed = outcome.verdict is Verdict.REFUTED
    return {
        "name": canary.name,
        "false_since": canary.false_since,
        "killed": killed,
        "stage": outcome.stage if killed else None,
    }


def _script_path(claim_id: str, index: int, main: bool) -> str:
    return f"counterexamples/{claim_id}.py" if main else f"counterexamples/{claim_id}-reading{index + 1}.py"


def _reading_entry(result: ReadingResult, script: str | None) -> dict[str, Any]:
    outcome = result.outcome
    entry: dict[str, Any] = {
        "name": result.reading.name,
        "says": result.reading.says,
        "verdict": str(outcome.verdict),
        "why": outcome.why,
        "as_printed": result.reading.repair is None,
        "repair": result.reading.repair,
        "worst_ratio": None if outcome.worst_ratio is None else _finite(outcome.worst_ratio),
        "instances": outcome.instances,
        "admissible": outcome.admissible,
        "counterexample": script,
        "counterexample_source": outcome.script if script else None,
    }
    for key in ("histogram", "growth", "worst_instance", "cells", "stages"):
        entry[key] = outcome.detail.get(key)
    if entry["histogram"] is not None:
        entry["histogram"]["edges"] = [_finite(e) for e in entry["histogram"]["edges"]]
    return entry


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else "inf"


def _thinned(growth: list[tuple[int, float]]) -> list[list[float | str]]:
    """Only the steps where the worst ratio grew, and the last."""
    out: list[list[float | str]] = []
    for position, (n, ratio) in enumerate(growth):
        if not out or _finite(ratio) != out[-1][1] or position == len(growth) - 1:
            out.append([n, _finite(ratio)])
    return out


def _plain(instance: Any) -> Any:
    if isinstance(instance, list):
        return [_plain(v) for v in instance]
    if hasattr(instance, "items"):
        return {k: _plain(v) for k, v in instance.items()}
    return str(instance)

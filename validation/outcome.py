"""What testing one formal statement gave, and how it is judged: candidates certified, everything seen kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from validation.bound import exact_value
from validation.certify import Witness, certify
from validation.claim import Identity, Inequality, Number, Relation
from validation.draw import take
from validation.published import decide
from validation.scripts import comparison_script, identity_script, inequality_script, number_script
from validation.search import EDGES, Search
from validation.symbolic import find_point, is_identity
from validation.verdict import Verdict

__all__ = ["Outcome", "finite", "judge", "judge_identity", "judge_number", "judge_relation"]


@dataclass(frozen=True)
class Outcome:
    """What testing one formal statement gave; `script` confirms a refutation, `stage` found it.

    `best`: the leading points of the search by case name, for related searches to start from.
    """

    verdict: Verdict
    why: str
    worst_ratio: float | None = None
    instances: int = 0
    admissible: int = 0
    script: str | None = None
    stage: str | None = None
    robustness: float | None = None
    witness: Witness | None = None
    best: Mapping[str, Any] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)


def judge(test: Inequality, found: Search, claim_id: str, name: str, statement: str, seed: int, label: str) -> Outcome:
    """The verdict on a searched inequality; `name` and `statement` go into the script of a counterexample."""
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
        Outcome,
        worst_ratio=found.worst_ratio,
        instances=found.instances,
        admissible=found.admissible,
        best=found.best,
        detail=kept,
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
    alone = witness.case.exact is not None and witness.case.exact.standalone
    return outcome(
        Verdict.REFUTED,
        _witness_words(witness),
        script=inequality_script(claim_id, name, statement, test.bound, witness) if alone else None,
        stage=witness.stage,
        robustness=witness.robustness,
        witness=witness,
    )


def _witness_words(witness: Witness) -> str:
    lhs, rhs = float(witness.lhs), float(witness.rhs)
    words = f"exact counterexample ({witness.case.name}): left side {lhs:.6g}, right side {rhs:.6g}"
    if witness.robustness == 0:
        return words + "; boundary only: no ±10% perturbation of it violates"
    return words + f"; {witness.robustness:.0%} of ±10% perturbations of it violate too"


def judge_identity(test: Identity, claim_id: str, name: str) -> Outcome:
    """The verdict on an identity: proved by sympy, or refuted at a rational point."""
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


def judge_number(test: Number, claim_id: str, name: str) -> Outcome:
    """The verdict on a printed number that can be computed exactly."""
    computed, printed = Fraction(test.computed()), Fraction(test.printed.value)
    apart = abs(computed - printed)
    shown = f"computed {float(computed):.6g}, printed {test.printed.value} ({test.printed.where})"
    outcome = partial(
        Outcome,
        instances=1,
        admissible=1,
        detail={"cells": [{"cell": test.printed.where, "value": test.printed.value}]},
    )
    if apart <= test.tolerance:
        return outcome(Verdict.HOLDS, f"{shown}: within {float(test.tolerance):.3g}, {test.because}")
    why = f"{shown}: {float(apart):.3g} apart, more than {float(test.tolerance):.3g}, {test.because}"
    return outcome(Verdict.REFUTED, why, script=number_script(claim_id, name, test), stage="computed")


def judge_relation(test: Relation, claim_id: str, name: str) -> Outcome:
    """The verdict on a relation between printed cells, decided exactly."""
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


def finite(value: float) -> float | str:
    """The number, or "inf" where JSON has none."""
    return value if math.isfinite(value) else "inf"


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

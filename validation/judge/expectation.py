"""The verdict that replicas and exact means earn for a statement in expectation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.base.streams import stream
from validation.judge.exact.certify import FirstWitness, certify, witnessed
from validation.judge.exact.means import Means, exact_means, looks
from validation.judge.inequalities import judge
from validation.judge.sampling.replicas import CHEAP, Budget, Candidate, Found, Point, decided, searched
from validation.script.script import inequality_script
from validation.search.search import search
from validation.search.seen import Search
from validation.statement.claim import Case, Inequality
from validation.statement.forms.expectation import Expectation
from validation.statement.instances.draw import Instance, take
from validation.statement.outcome import Outcome, Witness
from validation.statement.verdict import Verdict

__all__ = ["judge_expectation"]

__judges__ = "expectations"


Float = NDArray[np.float64]


def judge_expectation(
    test: Expectation,
    *,
    claim_id: str,
    name: str,
    budget: int,
    seed: int,
    statement: str = "",
    stop_at_witness: bool = False,
    tick: Callable[[int], None] | None = None,
    shown: bool = True,
    label: str | None = None,
) -> Outcome:
    """The verdict on a statement in expectation after about `budget` replicas.

    Everything random derives from (seed, label), without one from (seed, claim_id, name); `shown` as in `run_test`.

    Three quarters of the budget go to the search, the rest to its K candidates on fresh streams, each with a confidence
    sequence at level 1 − δ/K, so that all hold together at 1 − δ. `holds`: every interval ends below the bound, or
    exact arithmetic finds no violation there. `refuted`: exact arithmetic confirms one. Else `inconclusive`, with the
    interval; ``detail["expectation"]["violated"]`` tells a violation on fresh streams from an interval that straddles.
    `stop_at_witness`: no more sampling once a candidate with an exact check lies above the bound.
    """
    if budget < 1:
        raise ValueError(f"judge_expectation(budget={budget}): expected at least 1 replica")
    label = label or f"{claim_id}/{name}"
    by_mean = _by_mean(test, claim_id, name, statement, budget, seed, label, tick, stop_at_witness, shown)
    if by_mean is not None and not by_mean.verdict.true and by_mean.admissible:
        return by_mean
    purse = Budget((0.75 if by_mean is None else 0.5) * budget, tick)
    found = searched(test, purse, stream(seed, f"search/{label}"))
    points, looked, admissible = found.candidates, found.looked, found.admissible
    if not points:
        why = f"none of {looked:,} draws met the hypotheses, so nothing was tested"
        return Outcome(Verdict.INCONCLUSIVE, why, None, looked, 0, detail={"stages": purse.stages, "evaluations": 0})
    purse.left = max(purse.left, 0.0) + 0.25 * budget
    candidates = decided(test, points, purse, seed, label, stop_at_witness=stop_at_witness)
    told = _shown(test, candidates)
    lhs, rhs = told.sides(test.random_rhs)
    detail: dict[str, Any] = {
        "stages": purse.stages,
        "evaluations": sum(purse.stages.values()),
        "worst_instance": {"case": told.point.case.name, **{k: v.tolist() for k, v in told.point.instance.items()}},
        "expectation": _summary(test, told, candidates),
    }
    estimate = lhs / rhs if rhs > 0 else float("inf") if lhs > rhs else 0.0
    outcome = partial(
        Outcome,
        worst_ratio=estimate,
        instances=looked,
        admissible=admissible,
        detail=detail,
    )
    witness, cleared, trouble, broken = _certified(test, candidates, seed, label)
    if broken:
        return outcome(Verdict.INCONCLUSIVE, broken)
    means, stage = Means(), "fresh streams"
    if witness is None:
        means = exact_means(test.bound, _to_decide(test, found, looks(budget), stream(seed, f"exact/{label}")))
        if means.violated is not None:
            stage = "exact mean"
            case, decision = means.violated
            witness = witnessed(test.bound, case, decision, stage, seed, label)
    if witness is not None:
        detail["worst_instance"] = {"case": witness.case.name, **_plain(witness.instance)}
        alone = shown and witness.case.exact is not None and witness.case.exact.standalone
        return outcome(
            Verdict.REFUTED,
            f"exact counterexample ({witness.case.name}): left side {float(witness.lhs):.6g}, right side"
            f" {float(witness.rhs):.6g}; {witness.robustness or 0:.0%} of ±10% perturbations of it violate too",
            script=inequality_script(claim_id, name, statement, test.bound, witness) if alone else None,
            stage=stage,
            robustness=witness.robustness,
            witness=witness,
        )
    if means.undeclared:
        return outcome(Verdict.INCONCLUSIVE, means.undeclared)
    words = _words(test, told, len(candidates))
    if trouble:
        return outcome(Verdict.INCONCLUSIVE, f"{trouble}: {words}")
    left = [c for c in candidates if c.status != "below" and c not in cleared]
    if any(c.status == "above" for c in left):
        why = f"violated at confidence {1 - test.miscoverage:g} on fresh streams; Monte Carlo alone refutes nothing"
        return outcome(Verdict.INCONCLUSIVE, f"{why}: {words}")
    if left:
        why = f"{len(left)} of {len(candidates)} intervals still straddle the bound after {detail['evaluations']:,}"
        return outcome(Verdict.INCONCLUSIVE, f"{why} replicas: {words}")
    if means.looked and not means.met and not means.open:
        why = "exact arithmetic finds a hypothesis broken, or a side without a value, on every draw that it re-checked"
        return outcome(Verdict.INCONCLUSIVE, f"{why} ({means.words}): {words}")
    if means.open:
        return outcome(Verdict.INCONCLUSIVE, f"exact arithmetic decides too few means ({means.words}): {words}")
    why = f"no violation on {admissible:,} admissible instances, {detail['evaluations']:,} replicas"
    why += f"; exact arithmetic cleared {len(cleared)} candidates" if cleared else ""
    why += f"; up to {test.margin:g} of the right side" if test.margin and test.random_rhs != "pathwise" else ""
    why += f"; {means.words}" if means.looked else ""
    sampled = [c.name for c in test.cases if c.exact is None]
    if sampled:
        why += f"; {', '.join(sampled)}: bounded over the whole support at the {len(candidates)} candidates alone,"
        why += f" elsewhere by {CHEAP} replicas or more, which miss what happens more rarely"
    # An estimate above 1 whose interval ends below the bound, up to the margin, is no ratio of the two sides.
    ratio = estimate if estimate <= 1 else None
    exactly = [r for r in (means.ratio, None if by_mean is None else by_mean.worst_ratio) if r is not None]
    if exactly and not sampled:
        ratio = float(max(exactly))
    return outcome(Verdict.HOLDS, f"{why}; {words}", worst_ratio=ratio, attained=not sampled and ratio == 1)


def _by_mean(
    test: Expectation,
    claim_id: str,
    name: str,
    statement: str,
    budget: int,
    seed: int,
    label: str,
    tick: Callable[[int], None] | None,
    stop_at_witness: bool,
    shown: bool,
) -> Outcome | None:
    """What a search of the cases that give their mean in floats finds, judged as an inequality; None without such."""
    cases = tuple(Case(c.name, c.space, c.mean, c.exact) for c in test.cases if c.mean is not None)
    if not cases:
        return None
    inequality = Inequality(test.bound, cases)
    stop = FirstWitness(inequality.bound, seed, label) if stop_at_witness else None
    found = search(inequality, budget=max(100, budget // 4), seed=seed, label=f"mean/{label}", stop=stop, tick=tick)
    first = None if stop is None or shown else stop.certification
    return judge(inequality, found, claim_id, name, statement, seed, label, shown=shown, first=first)


def _to_decide(test: Expectation, found: Found, most: int, rng: np.random.Generator) -> list[tuple[Case, Float]]:
    """The draws whose means are decided exactly: candidates, then draws of each case in turn, looked at or fresh."""
    rows: dict[int, list[Point]] = {id(c): [] for c in test.cases if c.exact is not None}
    for point in found.first:
        if id(point.case) in rows:
            rows[id(point.case)].append(point)
    share = max(1, most // max(1, len(rows)))
    for case in test.cases:
        if len(seen := rows.get(id(case), [])) < share and case.exact is not None:
            seen += [Point(case, cube) for cube in case.space.random(rng, share - len(seen))]
    spread_out = [[r[i] for i in np.linspace(0, len(r) - 1, share).astype(int)] for r in rows.values()]
    turns = [row[i] for i in range(share) for row in spread_out]
    chosen = [*(p for p in found.candidates if id(p.case) in rows), *turns]
    cases = {id(p.case): _exact_case(test, p) for p in chosen}
    return [(cases[id(p.case)], p.cube) for p in chosen[:most]]


def _certified(
    test: Expectation, candidates: list[Candidate], seed: int, label: str
) -> tuple[Witness | None, list[Candidate], str, str]:
    """What exact arithmetic says of the candidates not clearly below: a witness, those it cleared, or trouble.

    Last the letter whose declaration one of them breaks, in words.
    """
    suspects = [c for c in candidates if c.status != "below" and c.point.case.exact is not None]
    if not suspects:
        return None, [], "", ""
    cases = {id(c.point.case): _exact_case(test, c.point) for c in suspects}
    found = Search()
    for c in suspects:
        gap = np.subtract(*c.sides(test.random_rhs))
        found.witnesses.append((cases[id(c.point.case)], c.point.cube, float(gap), "fresh streams"))
    certification = certify(test.bound, found, seed, label)
    if certification.undeclared:
        return None, [], "", certification.undeclared
    if certification.witness is not None:
        return certification.witness, [], "", ""
    # Sampled intervals stand against a hypothesis that fails, or a mean without a value: neither is trusted alone.
    unsettled = certification.undecided + certification.outside + certification.undefined
    if unsettled:
        return None, [], f"exact arithmetic could not decide {unsettled} of {len(suspects)} candidates", ""
    above = [c for c in suspects if c.status == "above"]
    if above:
        why = f"exact arithmetic finds no violation where {len(above)} sampled intervals lie above the bound"
        return None, [], why, ""
    return None, suspects, "", ""


def _exact_case(test: Expectation, point: Point) -> Case:
    """The case as exact arithmetic sees it; its `measure`, for the robustness of a witness, is the exact check, too."""
    case = point.case
    exact = case.exact
    if exact is None:
        raise ValueError(f"SampledCase({case.name!r}): no exact check")
    expression = sp.sympify(test.bound.expression)
    random = [s for s in expression.free_symbols if s.name not in case.constants(point.instance)]
    curved = any(sp.diff(expression, a, b) != 0 for a in random for b in random)
    if test.random_rhs == "expectation" and curved:
        raise ValueError(
            f"SampledCase({case.name!r}): the bound is not affine in {', '.join(sorted(s.name for s in random))}, so"
            " its mean is not its value at their means; name the random part as one constant, or leave out `exact`"
        )

    def measure(instances: Instance) -> Mapping[str, Float]:
        n = len(next(iter(instances.values())))
        out = {name: np.full(n, np.nan) for name in ("lhs", *test.bound.names)}
        for i in range(n):
            try:
                hypotheses, constants = exact.function(case.space.rationalise(take(instances, i), 1000))
            except (ArithmeticError, ValueError):
                continue  # undefined there: no violation
            if all(hypotheses.values()):
                for name, column in out.items():
                    column[i] = float(constants[name])
        return out

    return Case(case.name, case.space, measure, exact, cost=case.cost)


def _shown(test: Expectation, candidates: list[Candidate]) -> Candidate:
    """The candidate to report: one above the bound, else one across it, else the nearest to it."""

    def rank(c: Candidate) -> tuple[bool, bool, float]:
        left, right = c.sides(test.random_rhs)
        size = abs(c.lhs) + c.scale
        return c.status == "above", c.status == "open", (left - right) / size if size > 0 else 0.0

    return max((c for c in candidates if c.count), key=rank, default=candidates[0])


def _summary(test: Expectation, shown: Candidate, candidates: list[Candidate]) -> dict[str, Any]:
    left, right = shown.sides(test.random_rhs)
    return {
        "random_rhs": test.random_rhs,
        "confidence": 1 - test.miscoverage,
        "candidates": len(candidates),
        "below": sum(c.status == "below" for c in candidates),
        "violated": any(c.status == "above" for c in candidates),
        "left": left,
        "right": right,
        "interval": [shown.lower, shown.upper] if shown.count else None,
        "replicas": shown.count,
    }


def _words(test: Expectation, shown: Candidate, n_candidates: int) -> str:
    """The estimate of the candidate shown, its interval and what the interval is worth."""
    left, right = shown.sides(test.random_rhs)
    place = f"worst candidate ({shown.point.case.name})"
    level = f"; {n_candidates} intervals together at confidence {1 - test.miscoverage:g}"
    if test.random_rhs == "pathwise":
        chance = f"a path violates with chance in [{shown.lower:.3g}, {shown.upper:.3g}]"
        return f"{place}, worst of {shown.count:,} fresh paths: {left:.6g} against {right:.6g}; {chance}{level}"
    interval = f"left − right in [{shown.lower:.4g}, {shown.upper:.4g}] after {shown.count:,} fresh replicas"
    return f"{place}: left side about {left:.6g}, right side {right:.6g}, {interval}{level}"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else str(value)

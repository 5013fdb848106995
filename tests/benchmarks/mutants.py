"""Mutants under the default budget: how soon each dies, on how many seeds, and whether of the error planted in it.

    python -m tests.benchmarks.mutants exp_alpha --seeds 3 --part 1/3

Of its error: at the witness that refutes the mutant a reading that says something else of the same quantities
holds. Of its world: a reading says just the same, and the mutant draws what that reading does not. Other kinds of
statements than inequalities fall as a whole.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from typing import Any

from validation.cost.allowed import DEFAULT_BUDGET
from validation.job.papers import select
from validation.judge.run import run_test
from validation.statement.claim import Claim, Family, Inequality
from validation.statement.formula_check import FormulaCheck
from validation.statement.verdict import Verdict


def formulas(test: Any) -> list[Any]:
    """Of an inequality over a world, case by case: its left side, and what it observes plainly; nothing of others."""
    cases = test.cases if isinstance(test, Inequality) else ()
    made = [case.at(**case.usual()) if isinstance(case, Family) else case for case in cases]
    return [case.exact.function for case in made if isinstance(case.exact, FormulaCheck)]


def plainly(found: Any) -> Any:
    """The plain function that observes; None where the numbers drawn are the quantities."""
    return None if found.plain is None else getattr(found.plain.function, "func", found.plain.function)


def dies_of(claim: Claim, test: Any, witness: Any) -> str:
    """What a mutant dies of at its witness."""
    mine = getattr(getattr(getattr(witness, "case", None), "exact", None), "function", None)
    if not formulas(test) or mine is None:
        return "as a whole"
    observed = witness.instance if mine.plain is None else mine.plain.function(witness.instance)[1]
    found = set()
    for reading in claim.readings:
        for theirs in formulas(reading.test):
            if plainly(theirs) is not plainly(mine):
                continue
            if (theirs.left, reading.test.bound) == (mine.left, test.bound):  # type: ignore[union-attr]
                return "its world"
            seen = dict(observed)
            for name, formula in theirs.defined:
                if {*formula.names} <= {*seen}:
                    seen[name] = formula.exact(seen)
            if {*theirs.left.names, *reading.test.bound.names} <= {*seen}:  # type: ignore[union-attr]
                left, right = theirs.left.exact(seen), reading.test.bound.exact(seen)  # type: ignore[union-attr]
                found.add("its error" if left <= right else "a statement that falls there, too")
    return min(found, key=["its error", "a statement that falls there, too"].index, default="what no reading observes")


def main() -> None:
    """One line a mutant, and the sums."""
    parser = argparse.ArgumentParser()
    parser.add_argument("papers", nargs="+")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--part", default="1/1", help="k/n: every n-th mutant, from the k-th on")
    parser.add_argument("--budget", type=int, default=DEFAULT_BUDGET)
    options = parser.parse_args()
    k, n = (int(word) for word in options.part.split("/"))
    mutants = [(claim, canary) for _, claim in select(options.papers) for canary in claim.canaries][k - 1 :: n]
    causes, deaths, whole = Counter[str](), Counter[int](), time.process_time()
    for claim, canary in mutants:
        evaluations, why = [], []
        for seed in range(options.seeds):
            name = f"canary: {canary.name}"
            found = run_test(
                canary.test, claim_id=claim.id, name=name, budget=options.budget, seed=seed, stop_at_witness=True
            )
            if found.verdict is Verdict.REFUTED:
                evaluations.append(found.instances)
                why.append(dies_of(claim, canary.test, found.witness))
        deaths[len(evaluations)] += 1
        cause = " / ".join(sorted(set(why)))
        causes[cause] += 1
        after = ", ".join(str(e) for e in evaluations)
        print(f"{claim.id} «{canary.name}»: {len(evaluations)} of {options.seeds}, after {after}; {cause}", flush=True)
    print(f"{len(mutants)} mutants; died on so many seeds: {dict(deaths)}; of: {dict(causes)}")
    print(f"{time.process_time() - whole:.0f} s of processor time")


if __name__ == "__main__":
    main()

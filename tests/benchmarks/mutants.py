"""Mutants under the default budget: how soon each dies, on how many seeds, and whether of the error planted in it.

    python -m tests.benchmarks.mutants exp_alpha --seeds 3 --part 1/3

Of its error: at the witness that refutes the mutant a reading that says something else of the same quantities
holds. Of its world: a reading says just the same, and the mutant draws what that reading does not. The witness of an
identity or of an inequality between vectors is a point of its letters; of a relation it is the comparison that fails,
which no reading makes; of an order the family, of a number the printed cell, which no reading has.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from fractions import Fraction
from typing import Any

import sympy as sp

from validation.cost.allowed import DEFAULT_BUDGET
from validation.judge.run import run_test
from validation.papers.papers import select
from validation.published.tables import decide
from validation.statement.bound import exact_value
from validation.statement.claim import Claim, Family, Identity, Inequality, Number, Relation
from validation.statement.forms.formula_check import FormulaCheck
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.orders import Order
from validation.statement.verdict import Verdict


def formulas(test: Any) -> list[Any]:
    """Of an inequality over a world, case by case: its left side, and what it observes plainly; nothing of others."""
    cases = test.cases if isinstance(test, Inequality) else ()
    made = [case.at(**case.usual()) if isinstance(case, Family) else case for case in cases]
    return [case.exact.function for case in made if isinstance(case.exact, FormulaCheck)]


def plainly(found: Any) -> Any:
    """The plain function that observes; None where the numbers drawn are the quantities."""
    return None if found.plain is None else getattr(found.plain.function, "func", found.plain.function)


def at_a_point(test: Any, point: dict[str, Fraction]) -> bool | None:
    """Whether an identity, or an inequality between vectors on a line, holds there; None of what has other letters."""
    if isinstance(test, Identity):
        sides = [sp.sympify(test.left), sp.sympify(test.right)]
    elif isinstance(test, VectorInequality):
        sides = [sp.sympify(test.lhs), sp.sympify(test.rhs)]
    else:
        return None
    products = {s: s.name[1:-1].split(",") for side in sides for s in side.free_symbols if s.name[0] == "<"}
    products = {s: sp.Symbol(a) * sp.Symbol(b) for s, (a, b) in products.items()}
    sides = [side.subs(products) for side in sides]
    if isinstance(test, VectorInequality):  # weights that the mutant has not are equal ones
        point = {**{p: Fraction(1, len(group)) for group in test.domain.simplices for p in group}, **point}
    if not {s.name for side in sides for s in side.free_symbols} <= {*point}:
        return None
    left, right = (exact_value(side, point) for side in sides)
    return bool(left == right) if isinstance(test, Identity) else bool(left <= right)


def said_otherwise(claim: Claim, test: Any, found: Any) -> str:
    """What a mutant of another kind than an inequality over a world dies of."""
    others = [r.test for r in claim.readings if type(r.test) is type(test)]
    if isinstance(test, Identity | VectorInequality):
        point = {k: Fraction(v) for k, v in found.detail["worst_instance"].items() if k != "case"}
        held = [holds for r in claim.readings if (holds := at_a_point(r.test, point)) is not None]
    elif isinstance(test, Relation):
        made = {(c.left, c.relation, c.right) for other in others for c in other.comparisons()}
        held = [(c.left, c.relation, c.right) not in made for c in test.comparisons() if not decide(c)]
    elif isinstance(test, Order):
        families = {f.at for other in others for f in other.families}
        fallen = found.detail["worst_instance"]["family"]
        held = [f.at not in families for f in test.families if fallen.startswith(f.name)]
    elif isinstance(test, Number):
        held = [other.printed != test.printed for other in others]
    else:
        held = []
    return "its error" if any(held) else "a statement that falls there, too" if held else "what no reading observes"


def dies_of(claim: Claim, test: Any, outcome: Any) -> str:
    """What a mutant dies of at its witness."""
    witness = outcome.witness
    mine = getattr(getattr(getattr(witness, "case", None), "exact", None), "function", None)
    if not formulas(test) or mine is None:
        return said_otherwise(claim, test, outcome)
    observed = witness.instance if mine.plain is None else mine.plain.function(witness.instance)[1]
    found = set()
    for reading in claim.readings:
        for theirs in formulas(reading.test):
            if plainly(theirs) is not plainly(mine):
                continue
            said = (theirs.left.expression, reading.test.bound.expression)  # type: ignore[union-attr]
            if said == (mine.left.expression, test.bound.expression):
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
    mutants = [(claim, mutant) for _, claim in select(options.papers) for mutant in claim.mutants][k - 1 :: n]
    causes, deaths, whole = Counter[str](), Counter[int](), time.process_time()
    for claim, mutant in mutants:
        evaluations, why = [], []
        for seed in range(options.seeds):
            name = f"mutant: {mutant.name}"
            found = run_test(
                mutant.test, claim_id=claim.id, name=name, budget=options.budget, seed=seed, stop_at_witness=True
            )
            if found.verdict is Verdict.REFUTED:
                evaluations.append(found.instances)
                why.append(dies_of(claim, mutant.test, found))
        deaths[len(evaluations)] += 1
        cause = " / ".join(sorted(set(why)))
        causes[cause] += 1
        after = ", ".join(str(e) for e in evaluations)
        print(f"{claim.id} «{mutant.name}»: {len(evaluations)} of {options.seeds}, after {after}; {cause}", flush=True)
    print(f"{len(mutants)} mutants; died on so many seeds: {dict(deaths)}; of: {dict(causes)}")
    print(f"{time.process_time() - whole:.0f} s of processor time")


if __name__ == "__main__":
    main()

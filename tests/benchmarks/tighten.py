"""Smallest constants of known truths, whose answer is known, and of the results of the papers.

    python -m tests.benchmarks.tighten                # known truths: each constant against its printed one
    python -m tests.benchmarks.tighten --papers       # theorems, lemmas, corollaries and propositions that hold
    python -m tests.benchmarks.tighten EA-L3 --budget 20000 --seeds 3
    python -m tests.benchmarks.tighten --papers --spread 5     # the joint sum by each seed alone, from nothing
    python -m tests.benchmarks.tighten --papers --attack 10    # raised constants, fresh seeds, ten times the budget
    python -m tests.benchmarks.tighten --papers --scripts      # each certificate once more, by Python alone
    python -m tests.benchmarks.tighten --beyond                # stored proofs that no constants do, by Python alone
    python -m tests.benchmarks.tighten --planted               # faults planted in known truths, all to be named

One line a constant as it goes. A known truth with a supremum of 1 whose exact lower bound is below 0.9999 of the
printed constant is missed; the exit code is 1 then. So is a joint sum that differs by more than 1 % over seeds, each
with no instance of another, and a constant raised by 0.1 % that a search with fresh seeds finds violated. `--json FILE`
keeps everything with its provenance.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import sympy as sp

from theory.base.files import replace_file
from validation.ledger.provenance import provenance
from validation.papers.beyond import rebuilt, templates
from validation.papers.look_up import look_up
from validation.papers.papers import is_result, load_papers, select
from validation.papers.tightened import FILE
from validation.search.search import search
from validation.statement.bound import Bound
from validation.statement.claim import Claim, Inequality
from validation.study.courses import case_named
from validation.study.tighten import Template, TermFound, Tightened, tighten
from validation.study.tighten.beyond import exact_or_none
from validation.study.tighten.growth import growth, powers
from validation.study.tighten.program import Certificate

TOLERANCE = Fraction(9999, 10_000)
APART, SLACK = 0.01, 1e-3


def held(claim: Claim) -> Iterator[tuple[int, Inequality]]:
    """The readings that are committed as `holds` or `proved` and are inequalities, with their places."""
    try:
        entries = look_up(claim.id).entry.readings
    except ValueError:
        return
    for i, (reading, entry) in enumerate(zip(claim.readings, entries, strict=True)):
        if entry.verdict in {"holds", "proved"} and isinstance(reading.test, Inequality):
            yield i, reading.test


def rows(claim: Claim, place: int, found: Tightened, seconds: float) -> list[dict[str, Any]]:
    """One row a constant, in plain JSON."""
    return [
        {
            "claim": claim.id,
            "reading": place + 1,
            "term": t.name,
            "printed": float(t.printed),
            "alone": t.alone,
            "at_least": None if t.at_least is None else float(t.at_least),
            "jointly": t.jointly,
            "on": t.on,
            "survived": t.survived,
            "certificate": None if t.certificate is None else t.certificate.holds(),
            "kept": list(found.kept),
            "seconds": round(seconds, 2),
        }
        for t in found.terms
    ]


def spread(claim: Claim, place: int, test: Inequality, budget: int, seeds: int) -> dict[str, Any]:
    """The least joint sum that each seed finds by itself, and how far the largest is above the smallest."""
    sums = [
        tighten(test, budget=budget, seeds=(seed,), label=f"{claim.id}/{place}").value for seed in range(1, seeds + 1)
    ]
    known = [v for v in sums if v is not None]
    if not known:
        apart: float | None = 0.0  # no seed finds constants that serve
    else:
        apart = max(known) / min(known) - 1 if len(known) == len(sums) and min(known) > 0 else None
        apart = 0.0 if max(known) == 0 and len(known) == len(sums) else apart
    return {"claim": claim.id, "reading": place + 1, "sums": sums, "apart": apart}


def rechecked(found: Tightened) -> tuple[int, int]:
    """How many certificates of exact lower bounds their scripts confirm, in a Python without anything of ours."""
    proofs = [([t.name], t.certificate) for t in found.terms] + [([t.name for t in found.terms], found.certificate)]
    scripts = [proof.script("a bound", names) for names, proof in proofs if proof is not None]
    told = [subprocess.run([sys.executable, "-I", "-S", "-c", s], capture_output=True, check=False) for s in scripts]
    return sum(one.returncode == 0 for one in told), len(scripts)


def attacked(claim: Claim, place: int, test: Inequality, budget: int, times: int, seeds: int) -> list[dict[str, Any]]:
    """Each constant alone raised by the slack, and all jointly, searched with fresh seeds and more effort."""
    found = tighten(test, budget=budget, seeds=range(seeds), label=f"{claim.id}/{place}")
    template = Template.of(test.bound.expression)
    places = {name: j for j, name in enumerate(template.names)}
    sets = [{t.name: t.alone} for t in found.terms] + [{t.name: t.jointly for t in found.terms}]
    out = []
    for constants in sets:
        if any(c is None for c in constants.values()):
            continue
        raised = {places[n]: Fraction(c * (1 + SLACK) or SLACK) for n, c in constants.items() if c is not None}
        one = replace(test, bound=Bound(template.bound(raised)), switches=(), trivial=None, grid=None)
        fresh = [search(one, budget=times * budget, seed=100 + k, label=f"{claim.id}/attack") for k in range(2)]
        kinds = {"claim": claim.id, "reading": place + 1, "raised": dict(constants)}
        out.append({**kinds, "violated": sum(bool(f.witnesses) for f in fresh), "of": len(fresh)})
    return out


@dataclass(frozen=True)
class Planted:
    """A fault in the bound of a known truth: `change` makes it, and `seen` says whether it is named.

    `along`: the size of which a factor was lost.
    """

    kind: str
    claim: str
    change: Callable[[sp.Expr, Mapping[str, sp.Symbol]], sp.Expr]
    seen: Callable[[Mapping[str, TermFound], Mapping[str, float]], bool]
    along: str = ""


def _near(value: float | None, wanted: float) -> bool:
    return value is not None and abs(value - wanted) <= 2e-3 * max(1.0, abs(wanted))


PLANTED = (
    Planted("inflated", "K1", lambda b, s: 3 * b, lambda t, g: _near(t["L*step2"].alone, 0.5)),
    Planted("inflated", "K9", lambda b, s: 7 * b, lambda t, g: _near(t["A2"].alone, 1)),
    Planted("inflated", "K17", lambda b, s: 5 * b, lambda t, g: _near(t["top/low"].alone, 1)),
    Planted("spare term", "K20", lambda b, s: b + 5 * s["D0"], lambda t, g: _near(t["D0"].alone, 0)),
    Planted("spare term", "K21", lambda b, s: b + 2 * s["D0"], lambda t, g: _near(t["D0"].alone, 0)),
    Planted("spare term", "K23", lambda b, s: b + 3 * s["V"], lambda t, g: _near(t["V"].alone, 0)),
    Planted("lost factor", "K24", lambda b, s: b / s["E"], lambda t, g: _near(g["E*G_max*eta**2"], 1), "E"),
    Planted("lost factor", "K24", lambda b, s: b / s["E"] ** 2, lambda t, g: _near(g["G_max*eta**2"], 2), "E"),
    Planted("lost factor", "K25", lambda b, s: b / s["K"], lambda t, g: _near(g["mean_square/K**2"], 1), "K"),
    Planted(
        "never on",
        "K20",
        lambda b, s: b + 2 * s["D0"] * sp.Max(s["rho"] - 1, 0),
        lambda t, g: [name for name, one in t.items() if one.on == 0] == ["D0*Max(0, rho - 1)"],
    ),
    Planted(
        "never on",
        "K3",
        lambda b, s: b + s["L"] * sp.Max(-s["excess"], 0),
        lambda t, g: any(one.on == 0 and "Max" in name for name, one in t.items()),
    ),
)


def planted(budget: int) -> int:
    """How many planted faults are not named; a line each."""
    missed = 0
    for one in PLANTED:
        (claim,) = (c for _, c in select([one.claim]))
        test = claim.readings[0].test
        assert isinstance(test, Inequality)
        letters = {s.name: s for s in test.bound.expression.free_symbols}
        changed = replace(test, bound=Bound(one.change(test.bound.expression, letters)), switches=(), trivial=None)
        changed = replace(changed, grid=None)
        label = f"{one.claim}/{one.kind}"
        named: dict[str, float] = {}
        terms: dict[str, TermFound] = {}
        if one.along:
            named = powers(growth(changed, one.along, budget=budget, seeds=(0,), cap=1e6, label=label))
        else:
            terms = {t.name: t for t in tighten(changed, budget=budget, seeds=(0,), label=label).terms}
        seen = one.seen(terms, named)
        missed += not seen
        told = named if one.along else {name: t.alone for name, t in terms.items()}
        print(f"{one.kind} in {one.claim}: {told}: {'named' if seen else 'MISSED'}", flush=True)
    print(f"{len(PLANTED) - missed} of {len(PLANTED)} planted faults named")
    return missed


def beyond(names: list[str]) -> int:
    """How many stored proofs that no constants do are not confirmed: their script, and their instances once more."""
    missed, confirmed = 0, 0
    for paper in load_papers():
        if not (paper.folder / FILE).is_file():
            continue
        held = json.loads((paper.folder / FILE).read_text("utf-8"))["claims"]
        for claim in paper.claims:
            for row in held.get(claim.id, {}).get("readings", []) if not names or claim.id in names else []:
                proof = rebuilt(row["beyond"]) if "beyond" in row else None
                if proof is None:
                    continue
                script = proof.script(claim.id, []) if isinstance(proof, Certificate) else proof.script(claim.id)
                told = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, check=False)
                test = claim.readings[row["reading"] - 1].test
                assert isinstance(test, Inequality)
                right = told.returncode == 0 and (not isinstance(proof, Certificate) or same(test, row, proof))
                missed, confirmed = missed + (not right), confirmed + right
                print(f"{claim.id} reading {row['reading']}: {'confirmed' if right else 'MISSED'}", flush=True)
    print(f"{confirmed} confirmed, {missed} missed")
    return missed


def same(test: Inequality, row: Mapping[str, Any], proof: Certificate) -> bool:
    """Whether the exact sides of the instances are those of the proof."""
    whole, free = templates(test, row.get("kept", ()))
    template = whole if len(proof.weights) == len(whole.names) else free
    bounds = tuple(Bound(e) for e in (*template.terms, sp.sympify(template.kept)))
    for one in proof.rows:
        case = case_named(test, one.case)
        again = None if case is None else exact_or_none(bounds, case, one.instance)
        if again is None or (again.lhs, again.terms) != (one.lhs, one.terms):
            return False
    return True


def chosen(names: list[str], papers: bool) -> list[Claim]:
    """The claims of the benchmark."""
    if names:
        return [claim for _, claim in select(names)]
    return [
        c for p, c in select(()) if (p.calibration and not papers) or (papers and not p.calibration and is_result(c))
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="ID")
    parser.add_argument("--papers", action="store_true", help="results of the papers in place of known truths")
    parser.add_argument("--budget", type=int, default=4000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--spread", type=int, metavar="SEEDS", default=0)
    parser.add_argument("--attack", type=int, metavar="TIMES", default=0)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--scripts", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--beyond", action="store_true")
    given = parser.parse_args()
    if given.beyond:
        return 1 if beyond(given.names) else 0
    if given.planted:
        return 1 if planted(given.budget) else 0
    found: list[dict[str, Any]] = []
    missed = []
    for claim in chosen(given.names, given.papers):
        for place, test in held(claim):
            began = time.process_time()
            try:
                if given.spread:
                    told = spread(claim, place, test, given.budget, given.spread)
                    found.append(told)
                    near = told["apart"] is not None and told["apart"] <= APART
                    missed += [] if near else [claim.id]
                    sums = ", ".join("none" if v is None else f"{v:.6g}" for v in told["sums"])
                    apart = "one has none" if told["apart"] is None else f"{told['apart']:.2%} apart"
                    print(f"{claim.id} reading {place + 1}: {sums}; {apart}: {'met' if near else 'MISSED'}", flush=True)
                    continue
                if given.attack:
                    for row in attacked(claim, place, test, given.budget, given.attack, given.seeds):
                        found.append(row)
                        missed += [claim.id] if row["violated"] else []
                        print(
                            f"{claim.id} reading {place + 1}: {row['raised']}: {row['violated']} of {row['of']}",
                            flush=True,
                        )
                    continue
                one = tighten(test, budget=given.budget, seeds=range(given.seeds), label=f"{claim.id}/{place}")
            except ValueError as error:
                print(f"{claim.id} reading {place + 1}: {error}", flush=True)
                continue
            if given.scripts:
                right, all_of = rechecked(one)
                missed += [] if right == all_of else [claim.id]
                print(f"{claim.id} reading {place + 1}: {right} of {all_of} certificates confirmed", flush=True)
                continue
            mine = rows(claim, place, one, time.process_time() - began)
            found += mine
            for row, term in zip(mine, one.terms, strict=True):
                low = "none" if row["at_least"] is None else f"{row['at_least']:.6g}"
                alone = "none" if row["alone"] is None else f"{row['alone']:.6g}"
                where = f"{claim.id} reading {place + 1}  {term.name[:48]}: printed {row['printed']:g}"
                print(f"{where}, alone {alone}, at least {low}, on {term.on:.0%}, {row['seconds']} s", flush=True)
                tight = claim.supremum == 1 and len(one.terms) == 1 and not one.kept
                if tight and (term.at_least is None or term.at_least < TOLERANCE * term.printed):
                    missed.append(claim.id)
    if given.json is not None:
        text = {"budget": given.budget, "seeds": given.seeds, "rows": found, "provenance": provenance()}
        replace_file(given.json, (json.dumps(text, indent=1, ensure_ascii=False) + "\n").encode())
    print(f"{len(found)} rows; missed: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The constants of a paper's results, kept beside it: which readings, what repairs a false bound, what pages show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fedverdict as fv
from tests.turns import one_run_in
from validation.papers import tightened
from validation.papers.look_up import look_up
from validation.papers.papers import load_papers
from validation.papers.tightened import FILE, constants_of, reading_that, wanted
from validation.report.claims.smallest import in_lines, read_smallest, smallest_constants
from validation.statement.claim import Claim, Inequality

q, size = fv.symbols("q n", positive=True)


def of_size(n: float) -> fv.Case:
    space = fv.Space((fv.LogScale("a", 1e-1, 1e1, shape=(int(n),)),))

    def total(x: Mapping[str, Any]) -> dict[str, Any]:
        v = x["a"]
        s = v.sum(axis=-1) if hasattr(v, "sum") else sum(v)
        squares = (v * v).sum(axis=-1) if hasattr(v, "sum") else sum(e * e for e in v)
        return {"lhs": s * s, "q": squares, "n": 0 * s + int(n)}

    return fv.Case(f"{int(n)} numbers", space, total, fv.recomputed(total))


FAMILY = fv.Family("numbers", (fv.Size("n", 1, 64, 4),), of_size)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tightened, "_SEEDS", (0,))


def with_bound(bound: Any, claim: str = "EA-L3") -> Claim:
    held = look_up(claim).claim
    first = replace(held.readings[0], test=Inequality(fv.Bound(bound), (FAMILY,)))
    return replace(held, readings=(first, *held.readings[1:]))


@one_run_in(2)
def test_a_bound_that_lacks_a_size_is_repaired_by_it_and_one_with_too_small_a_constant_by_another() -> None:
    lacking = constants_of(with_bound(q / 2 + size / 10**6), 0, 2000, false=True)  # (Σa)² <= n Σa²
    assert lacking["along"]["n"]["powers"]["q"] == pytest.approx(1, abs=0.05)
    assert lacking["repaired"]["factor"] == "n"
    assert Fraction(lacking["repaired"]["constant"]) == Fraction(3, 2)  # with room above 1
    short = constants_of(with_bound(size * q / 2), 0, 2000, false=True)
    assert short["repaired"]["factor"] == "1"
    assert Fraction(short["repaired"]["constant"]) == Fraction(3, 2)


def test_a_bound_that_no_constant_and_no_size_repairs_has_no_repair() -> None:
    def apart(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": x["a"], "q": x["b"], "n": 0 * x["a"] + 1}

    pair = fv.Space((fv.LogScale("a", 1e-3, 1e6), fv.LogScale("b", 1e-6, 1e3)))
    held = with_bound(q)
    test = Inequality(fv.Bound(q), (fv.Case("two numbers", pair, apart, fv.recomputed(apart)),))
    row = constants_of(replace(held, readings=(replace(held.readings[0], test=test),)), 0, 2000, false=True)
    assert row["terms"][0]["alone"] is None
    assert row["repaired"] is None
    (shown,) = read_smallest({"smallest": [row]}, "here")
    assert next(iter(in_lines(shown))).startswith("q: printed 1, alone none up to the cap, certainly ")


def test_a_short_lower_bound_is_never_above_the_exact_one() -> None:
    for value in (Fraction(10**9 + 1, 3 * 10**8), Fraction(1, 3 * 10**9), Fraction(7, 2), Fraction(10**20 + 1, 10**20)):
        short = Fraction(str(tightened._short(value)))
        assert short <= value
        assert value - short <= value / 10**5


def test_a_dear_claim_gets_a_smaller_budget_and_none_below_the_least() -> None:
    entry = look_up("EA-L3").entry
    budgets = [tightened.budget_of(replace(entry, evaluations=n, seconds=10.0), 3) for n in (10**7, 10**5, 10)]
    assert budgets == [20_000, 18_750, 1_000]  # for the one seed of these tests


def test_results_that_hold_and_bounds_that_fall_are_measured_and_nothing_else() -> None:
    lemma, proved = look_up("EA-L3"), look_up("EA-E21d")
    assert [false for _, false in wanted(lemma.claim, lemma.entry)] == [False, True]
    assert wanted(proved.claim, proved.entry) == ()
    assert reading_that(lemma.claim, lemma.entry, holds=False) == 0


def test_constants_of_a_claim_that_has_changed_are_not_shown(tmp_path: Path) -> None:
    row = {"digest": "3:a", "readings": [{"reading": 1, "name": "as printed", "false": False, "terms": []}]}
    (tmp_path / FILE).write_text(json.dumps({"claims": {"X-1": row}}), encoding="utf-8")
    assert set(smallest_constants(tmp_path, {"X-1": "3:a"})) == {"X-1"}
    assert smallest_constants(tmp_path, {"X-1": "3:b"}) == {}
    (tmp_path / FILE).write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match="expected an object with 'claims'"):
        smallest_constants(tmp_path, {})


def test_what_is_kept_of_the_papers_is_of_todays_claims_and_consistent() -> None:
    for paper in load_papers():
        file = paper.folder / FILE
        if not file.is_file():
            continue
        held, known = json.loads(file.read_text("utf-8"))["claims"], {c.id: c for c in paper.claims}
        assert set(held) <= set(known)
        rows = [r for row in held.values() for r in read_smallest({"smallest": row["readings"]}, paper.key)]
        assert rows
        for claim, row in held.items():
            for one in row["readings"]:
                assert known[claim].readings[one["reading"] - 1].name == one["name"], claim
        for shown in rows:
            for term in shown.terms:
                if term.alone is not None and term.at_least is not None:
                    assert float(term.at_least) <= term.alone * (1 + 1e-9)

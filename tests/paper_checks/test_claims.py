"""Every claim of every paper: mutants die, formulas agree with their second transcription, scripts confirm."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.committed import committed
from tests.turns import in_turn, share
from theory.exact.number import Exact
from theory.exact.quick import as_quick
from validation import Inequality, check
from validation.cost.allowed import DEFAULT_BUDGET
from validation.fingerprint.fingerprints import fingerprint
from validation.job.job import fingerprints_of
from validation.judge.run import run_test
from validation.judge.words.entry import reworded, weighed
from validation.ledger.ledger import scripts_of
from validation.papers.papers import is_result, load_papers, select
from validation.published.tables import load_table
from validation.search.arms import arms
from validation.search.scores import evaluate
from validation.statement.claim import Case, Claim, ExactCheck, Family, Paper, Relation
from validation.statement.forms.formula_check import FormulaCheck
from validation.statement.roles import roles_of
from validation.statement.verdict import Verdict
from validation.verdict.engine import units

EVERYTHING = select(())
PAIRS = [
    (paper, claim)
    for paper, claim in EVERYTHING
    # Relations of printed numbers have their own module of tests.
    if not paper.calibration and not all(isinstance(r.test, Relation) for r in claim.readings)
]
TRUTHS = [claim for paper, claim in EVERYTHING if paper.calibration]
PAPERS = load_papers()
OF_ID = {claim.id: claim for _, claim in EVERYTHING}

# With half of the budget every run attacks the mutants of one claim in twenty, which the commit chooses, and of each
# claim whose committed entry is not of today's code; `make nightly` those of all claims. A third of a sample is checked
# with a fifth of it. `pytest -m exhaustive` does both for every claim with all of it, from three seeds.
SAMPLE = {"EA-E21d", "EA-L2", "EA-L4", "EA-S4", "FA-E12", "FA-CHIW", "EFL-T2b", "SSA-LP2", "RA-L1", "RA-E18"}


CHOSEN = share((claim.id for _, claim in PAIRS), of=20)


def checked(seeds: tuple[int, ...]) -> list[object]:
    """(claim, seed, budget): a sample by turns with a fifth of the budget; every claim and seed with all of it."""
    now = share(SAMPLE, of=3)
    quick = [
        pytest.param(
            *(c, seeds[0], DEFAULT_BUDGET // 5),
            id=f"{c.id}-{seeds[0]}",
            marks=() if c.id in now else pytest.mark.nightly,
        )
        for _, c in PAIRS
        if c.id in SAMPLE
    ]
    whole = [
        pytest.param(c, seed, DEFAULT_BUDGET, id=f"{c.id}-{seed}-whole", marks=pytest.mark.exhaustive)
        for _, c in PAIRS
        for seed in seeds
    ]
    return quick + whole


each_truth = pytest.mark.parametrize("claim", TRUTHS, ids=[c.id for c in TRUTHS])
each_paper = pytest.mark.parametrize("paper", PAPERS, ids=[p.key for p in PAPERS])

# The committed verdicts, made with far more effort than a test has: whoever changes one shows it in the ledger.
COMMITTED = {e.id: e for p in PAPERS for e in committed(p)}
EXPECTED = {name: str(entry.verdict) for name, entry in COMMITTED.items()}


@cache
def fingerprints() -> dict[str, str]:
    """Of all claims; kept between processes as those of a report are, which make them once for all workers."""
    return fingerprints_of(EVERYTHING)


def known_dead(paper: Paper, claim: Claim) -> bool:
    """Whether the committed entry is of today's code and saw each of the claim's mutants die."""
    entry = COMMITTED.get(claim.id)
    known = fingerprints().get(claim.id) if claim is OF_ID.get(claim.id) else fingerprint(paper, claim)
    if entry is None or entry.fingerprint is None or entry.fingerprint != known:
        return False
    return {m.name: m.killed for m in entry.mutants} == dict.fromkeys((c.name for c in claim.mutants), True)


def test_only_an_entry_of_the_same_code_speaks_for_its_mutants() -> None:
    paper, claim = next((p, c) for p, c in PAIRS if len(c.mutants) > 1 and known_dead(p, c))
    assert not known_dead(paper, replace(claim, mutants=claim.mutants[:-1]))
    alive = replace(claim.mutants[0], test=claim.readings[0].test)
    assert not known_dead(paper, replace(claim, mutants=(alive, *claim.mutants[1:])))


def attack(claim: Claim, seed: int, budget: int) -> None:
    """Fail for a mutant of the claim that a check with this seed leaves alive, also with the budget that checks have.

    The draws are those of a check.
    """
    for unit, mutant in zip([u for u in units(claim) if u.kind == "mutant"], claim.mutants, strict=True):
        for evaluations in (budget, max(budget, DEFAULT_BUDGET)):
            outcome = run_test(
                mutant.test,
                claim_id=claim.id,
                name=f"mutant: {mutant.name}",
                key=unit.key,
                budget=evaluations,
                seed=seed,
                stop_at_witness=True,
                shown=False,
            )
            if outcome.verdict is Verdict.REFUTED:
                break
        assert outcome.verdict is Verdict.REFUTED, f"{claim.id}, {mutant.name} survives: {outcome.why}"


def test_every_claim_has_its_turn_and_a_commit_always_chooses_the_same() -> None:
    names = [claim.id for _, claim in PAIRS]
    assert share(names, 10, "a") == share(reversed(names), 10, "a") != share(names, 10, "b")
    assert len(share(names, 10, "a")) == -(-len(names) // 10) > 40
    assert set().union(*(share(names, 10, str(commit)) for commit in range(200))) == set(names)


@pytest.mark.parametrize(
    ("claim", "seed", "budget"),
    [
        pytest.param(c, 1, DEFAULT_BUDGET // 2, id=c.id, marks=() if c.id in CHOSEN else pytest.mark.nightly)
        for _, c in PAIRS
    ]
    + [pytest.param(c, 1, DEFAULT_BUDGET, id=f"{c.id}-whole", marks=pytest.mark.exhaustive) for _, c in PAIRS],
)
def test_every_mutant_is_refuted(claim: Claim, seed: int, budget: int) -> None:
    attack(claim, seed, budget)


def test_mutants_are_known_dead_from_an_entry_of_todays_code_or_refuted_now() -> None:
    for paper, claim in PAIRS:
        if not known_dead(paper, claim):
            attack(claim, seed=1, budget=DEFAULT_BUDGET // 2)


@pytest.mark.parametrize(("claim", "seed", "budget"), checked((0, 1, 2)))
def test_verdicts_do_not_depend_on_the_seed(claim: Claim, seed: int, budget: int) -> None:
    assert check(claim, budget=budget, seed=seed)["verdict"] == EXPECTED[claim.id]


@pytest.mark.parametrize("claim", in_turn({c.id: c for c in TRUTHS}, of=6))
def test_known_truths_are_never_refuted_and_their_mutants_always(claim: Claim) -> None:
    """A smoke of `python -m tests.benchmarks.power`, which does the same with more effort and 20 seeds."""
    entry = check(claim, budget=4000, seed=0)
    assert entry["verdict"] in {"holds", "proved"}, entry["why"]
    assert len(entry["mutants"]) >= 2
    assert [c["name"] for c in entry["mutants"] if not c["killed"]] == []
    if claim.supremum is not None:
        assert 0.5 * claim.supremum < entry["worst_ratio"] <= claim.supremum * (1 + 1e-6)


def bounds_twice() -> list[tuple[str, Inequality]]:
    found = []
    for _, claim in EVERYTHING:
        for reading in claim.readings:
            test = reading.test
            if isinstance(test, Inequality) and test.bound.again is not None:
                found.append((f"{claim.id}/{reading.name}", test))
    return found


def test_right_hand_sides_agree_with_their_second_transcription() -> None:
    pairs = bounds_twice()
    assert len(pairs) > 150
    for name, test in pairs:
        rng = np.random.default_rng(0)
        constants = {n: np.exp(rng.normal(size=100)) for n in test.bound.names}
        value, scale = test.bound(constants)
        again = test.bound.again(**constants)
        assert np.abs(again - value).max() <= 1e-9 * np.abs(scale).max(), name
        np.testing.assert_allclose(again, value, rtol=1e-8, err_msg=name)


# Claims whose printed terms have no unit in common: in Corollary A.8 the step 1/√(τT) lacks a factor 1/L.
WITHOUT_A_UNIT = {"SSA-CA8"}


def test_declared_scaling_degrees_are_consistent() -> None:
    for name, test in bounds_twice():
        if test.bound.degrees is not None:
            assert (len(test.bound.scaling()) == 1) is (name.partition("/")[0] not in WITHOUT_A_UNIT), name


def some_cases(test: Inequality) -> list[Case]:
    """Every case; of a family the smallest and the usual sizes."""
    out: list[Case] = []
    for item in test.cases:
        if isinstance(item, Family):
            out += [item.at(**{s.name: s.low for s in item.sizes}), item.at(**item.usual())]
        else:
            out.append(item)
    return out


@dataclass(frozen=True)
class Said:
    """What is said over a case: the fast and the exact side of one reading."""

    name: str
    case: Case
    test: Inequality


def called(function: Callable[..., Any]) -> tuple[str, ...]:
    """A function and what was chosen for it: the same words are the same computation."""
    if isinstance(function, partial):
        chosen = [f"{name}={value}" for name, value in sorted(function.keywords.items())]
        return (*called(function.func), *map(str, function.args), *chosen)
    if hasattr(function, "__qualname__"):
        return (f"{function.__module__}.{function.__qualname__}", *(str(id(c)) for c in function.__closure__ or ()))
    return (str(id(function)),)


def observed(case: Case) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is observed on a case, fast and plainly, whatever is said over it."""
    formulas = case.exact.function if isinstance(case.exact, FormulaCheck) else None
    plain = case.exact if formulas is None else formulas.plain
    words = ("the numbers drawn",) if plain is None else called(plain.function)
    return called(getattr(case.measure, "observe", case.measure)), words


def worlds() -> dict[str, list[list[Said]]]:
    """By paper and plain function: for every case, drawn once, what all claims say over it."""
    found: dict[str, dict[Any, list[Said]]] = {}
    for paper, claim in EVERYTHING:
        for reading in claim.readings:
            for case in some_cases(reading.test) if isinstance(reading.test, Inequality) else ():
                if case.exact is not None:
                    key = observed(case)
                    said = Said(f"{claim.id}/{reading.name}/{case.name}", case, reading.test)
                    told = found.setdefault(f"{paper.key}-{key[1][0].rpartition('.')[2]}", {})
                    told.setdefault((*key, str(case.space)), []).append(said)
    return {name: list(cases.values()) for name, cases in found.items()}


WORLDS = worlds()


def source(cases: list[list[Said]]) -> Path:
    """The file of what is observed plainly in a world; numbers that are only drawn have none."""
    module = sys.modules.get(observed(cases[0][0].case)[1][0].rpartition(".")[0])
    return Path(getattr(module, "__file__", None) or ".")


def once(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function, which answers the same object only once; what it raised, it raises again."""
    held: dict[int, tuple[Any, Any, Exception | None]] = {}

    def answer(x: Any) -> Any:
        if id(x) not in held:
            try:
                held[id(x)] = x, function(x), None
            except ZeroDivisionError as error:
                held[id(x)] = x, None, error
        _, value, error = held[id(x)]
        if error is not None:
            raise error
        return value

    return answer


def sides(said: list[Said]) -> Iterator[tuple[Said, Any, Any]]:
    """Fast and exact side of all that is said over one case, which is observed once for all of them."""
    first = said[0].case
    if not isinstance(first.exact, FormulaCheck):
        yield from ((s, s.case.measure, s.case.exact.function) for s in said)
        return
    formulas: Any = first.exact.function
    plain = None if formulas.plain is None else ExactCheck(once(formulas.plain.function))
    observe = once(first.measure.observe)  # type: ignore[attr-defined]
    for s in said:
        exact: Any = s.case.exact.function  # type: ignore[union-attr]
        yield s, replace(s.case.measure, observe=observe), replace(exact, plain=plain)  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("name", "most"),
    [
        pytest.param(*p.values[0], id=p.id, marks=p.marks)
        for p in in_turn({f"{n}-3": (n, 3) for n in WORLDS}, of=6, file=lambda case: source(WORLDS[case[0]]))
    ]
    + [pytest.param(name, 6, id=f"{name}-6", marks=pytest.mark.nightly) for name in WORLDS],
)
def test_fast_and_exact_sides_agree(name: str, most: int) -> None:
    """The exact check is the oracle of the fast measure, on random rational instances: every side over every case."""
    for said in WORLDS[name]:
        compared(said, most)


def compared(said: list[Said], wanted: int) -> None:
    """All that is said over one case, fast and exact, on so many admissible draws of 400; at least three are needed.

    The first draw is of small fractions. Where exact sides are long one of these does, or three at night.
    """
    space, draws = said[0].case.space, {}
    cubes = space.random(np.random.default_rng(5), 400)
    most, parts = wanted, 12
    for one, measure, exact in sides(said):
        met = 0
        for place, cube in enumerate(cubes):
            if met >= most:
                break
            if place not in draws:
                instance = {k: v[0] for k, v in space.decode(cube[None]).items()}
                rounded = space.rationalise(instance, parts)
                draws[place] = as_quick(rounded), {k: np.asarray([_floats(v)]) for k, v in rounded.items()}
            bits = agrees(one, measure, exact, *draws[place])
            met += bits > 0
            if bits > 10**4:
                most, parts = (1 if bits > 10**5 or wanted <= 3 else 3), 12
            elif bits > 0 and most == wanted:
                parts = 10**4
        assert met >= min(3, most), f"{one.name}: only {met} of 400 draws were admissible on both sides"


def agrees(said: Said, measure: Any, exact: Any, rounded: Any, floats: Any) -> int:
    """The bits of the longest exact side where an instance is admissible on both sides, which then agree; else 0."""
    try:
        hypotheses, plain = exact(rounded)
    except ZeroDivisionError:  # F without curvature, say: no instance at all
        return 0
    if not all(hypotheses.values()):
        return 0
    with np.errstate(all="ignore"):  # as the search measures: what is undefined is inadmissible
        fast = measure(floats)
    if not np.all(fast.get("admissible", True)):  # left to exact arithmetic: beyond what floats resolve
        return 0
    bits = 1
    for key in (*said.test.bound.names, "lhs"):
        value = float(_near(plain[key]))
        scale = max(1.0, abs(value), float(np.asarray(fast.get("magnitude", 0.0)).max()))
        found = float(np.asarray(fast[key]).reshape(-1)[0])
        assert found == pytest.approx(value, abs=1e-8 * scale), f"{said.name}: {key}"
        bits = max(bits, _bits(plain[key]))
    return bits


def _near(value: Any) -> Any:
    """A fraction itself; of a number with roots, exp or log the middle of an enclosure to 128 bits."""
    return sum(value.enclosure()) / 2 if isinstance(value, Exact) and not value.is_rational else value


def _bits(value: object) -> int:
    """The bits of a fraction's denominator; 1 for what is no fraction."""
    below = getattr(value, "denominator", getattr(value, "q", 1))
    return int(below).bit_length()


def _floats(value: object) -> object:
    return [_floats(v) for v in value] if isinstance(value, list) else float(value)  # type: ignore[arg-type]


@each_paper
def test_committed_ledger_is_complete_and_keeps_the_contract(paper: Paper) -> None:
    entries = committed(paper)
    assert [e.id for e in entries] == [c.id for c in paper.claims]
    for entry in entries:
        assert entry.paper == paper.key
        if paper.calibration:
            assert entry.verdict in {"holds", "proved"}
        assert all(m.killed for m in entry.mutants)
        assert entry.provenance["python"]
        if entry.verdict in {"refuted", "misprint", "unstated-condition"}:
            assert Path(entry.counterexample or "").name in dict(scripts_of([entry]))


@each_paper
def test_committed_words_follow_from_stored_outcomes_and_todays_table(paper: Paper) -> None:
    roles = {c.id: roles_of(c) for c in paper.claims}
    entries = committed(paper)
    again = [reworded(e, c, roles[c.id]) for e, c in zip(entries, paper.claims, strict=True)]
    assert weighed(again, roles) == entries


def test_the_counterexample_that_a_claim_names_is_the_one_it_shows() -> None:
    named = []
    for paper in PAPERS:
        for entry in committed(paper):
            for row in entry.readings:
                if row.terms.shown:
                    named.append(entry.id)
                    assert row.counterexample_source == entry.counterexample_source
                    assert row.counterexample == entry.counterexample
    assert {"EFL-T1", "FA-C4.1"} <= set(named)


@each_paper
def test_every_claim_says_what_its_readings_are(paper: Paper) -> None:
    ids = {c.id for c in paper.claims}
    assert all(c.roles is not None for c in paper.claims)
    for roles in (c.roles for c in paper.claims if c.roles is not None):
        assert {roles.repeats, *(name for r in roles.readings for name in r.wrong_form_in)} - {""} <= ids


SCRIPTS = {p.key: {Path(name).stem: source for name, source in scripts_of(committed(p))} for p in PAPERS}

# Each source alone, in a namespace of its own; one process for all of them, for which Python alone is there.
_EACH = """
import contextlib, io, json, sys
ended = {}
for name, source in json.load(sys.stdin).items():
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(source, name, "exec", dont_inherit=True), {"__name__": "__main__"})
        code = 0
    except SystemExit as end:
        code = end.code
    except Exception as error:
        code = repr(error)
    ended[name] = code, said.getvalue()[-2000:]
json.dump(ended, sys.stdout)
"""


def run_scripts(sources: dict[str, str]) -> dict[str, tuple[Any, str]]:
    """By name (exit code, end of what was printed) of scripts, run one after the other without any package."""
    command = [sys.executable, "-I", "-S", "-c", _EACH]
    done = subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True, check=True)
    return {name: (code, said) for name, (code, said) in json.loads(done.stdout).items()}


@each_paper
def test_every_counterexample_confirms_itself_alone(paper: Paper) -> None:
    sources = SCRIPTS[paper.key]
    ended = run_scripts(sources) if sources else {}
    assert {name: end for name, end in ended.items() if end[0] != 0} == {}
    for name, source in sources.items():
        assert "fedverdict" not in source.replace("fedverdict check", ""), name  # stands on its own
    assert ended.keys() == sources.keys()


def test_a_counterexample_that_is_none_exits_with_1() -> None:
    source = SCRIPTS["fedaware"]["FA-CHIW"]
    changed = source.replace("violated := _held and", "violated := False and").replace(
        "\nviolated = all(", "\nlhs = rhs\nviolated = all("
    )
    assert changed != source
    ended = run_scripts({"changed": changed, "as it is": source, "broken": "1 / 0"})
    assert [ended["changed"][0], ended["as it is"][0]] == [1, 0]
    assert "ZeroDivisionError" in ended["broken"][0]


@pytest.mark.parametrize(
    "paper", [p for p in PAPERS if not p.calibration and p.key != "literature"], ids=lambda p: p.key
)
def test_published_tables_load(paper: Paper) -> None:
    tables = sorted((paper.folder / "published").glob("*.csv"))
    assert tables
    for path in tables:
        with path.open(newline="") as handle:
            assert len(load_table(path).rows) == sum(1 for _ in csv.reader(handle)) - 1


@pytest.mark.parametrize(
    "chosen", [pytest.param(CHOSEN, id="one in twenty"), pytest.param(None, id="all", marks=pytest.mark.nightly)]
)
def test_every_reading_has_instances_and_every_search_some_admissible(chosen: set[str] | None) -> None:
    for claim in (c for _, c in EVERYTHING if chosen is None or c.id in chosen):
        for reading in claim.readings:
            if isinstance(reading.test, Inequality):
                for case in some_cases(reading.test):
                    cube = case.space.random(np.random.default_rng(0), 400)
                    share = evaluate(reading.test.bound, case, cube).admissible.mean()
                    assert share > 0.02, f"{claim.id}, {case.name}: {share:.1%} of random draws are admissible"


HORIZONS = {"T", "time"}
CONVERGENCE = [
    (paper, claim)
    for paper, claim in PAIRS
    if is_result(claim)
    and claim.at.startswith(("Theorem", "Corollary"))
    and any(isinstance(r.test, Inequality) and HORIZONS & set(r.test.bound.names) for r in claim.readings)
]


def test_the_papers_have_convergence_results() -> None:
    assert {"EA-T1", "EA-T2", "EFL-T1", "FA-T4.1", "SSA-TA5", "RA-C1"} <= {claim.id for _, claim in CONVERGENCE}


@pytest.mark.parametrize(("paper", "claim"), CONVERGENCE, ids=[c.id for _, c in CONVERGENCE])
def test_a_convergence_result_says_what_is_known_without_it_or_why_nothing_is(paper: Paper, claim: Claim) -> None:
    for reading in claim.readings:
        if isinstance(reading.test, Inequality):
            assert reading.test.trivial, f"{claim.id}, {reading.name}: declare trivial=Bound(…), or the reason why not"


@pytest.mark.parametrize(("paper", "claim"), CONVERGENCE, ids=[c.id for _, c in CONVERGENCE])
def test_what_is_known_without_a_result_does_bound_the_left_side(paper: Paper, claim: Claim) -> None:
    rng = np.random.default_rng(0)
    for reading in claim.readings:
        if not isinstance(reading.test, Inequality) or reading.test.known is None:
            continue
        for arm in arms(reading.test):
            if arm.case.cost > 20:
                continue
            cube = np.concatenate([arm.case.space.corners(rng, 16), arm.case.space.random(rng, 16)])
            with np.errstate(all="ignore"):
                found = arm.case.measure(arm.case.space.decode(cube))
                most = np.broadcast_to(reading.test.known(found)[0], len(cube))
                rounding = 1e-6 * np.abs(most) + 1e-13 * np.asarray(found.get("magnitude", 0.0))
                above = np.asarray(found.get("admissible", True)) & (found["lhs"] > most + rounding)
            assert not above.any(), f"{claim.id}, {reading.name}, {arm.case.name}"

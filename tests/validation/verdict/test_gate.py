"""A check that loops, raises, exits or fills the memory costs its own verdict; the other claims go on."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

from tests.turns import one_run_in
from theory.exact import OperationsError, at_most_operations, exact
from validation import Bound, Case, Claim, Inequality, LogScale, Mutant, Paper, Space
from validation.cost.child import FORKS
from validation.cost.limits import Limits, NoAnswerError, announce, contained, limited, reason, rechecking, within
from validation.job.job import check_claims
from validation.job.pool import spread
from validation.ledger.ledger import Ledger
from validation.statement.claim import ExactCheck, Kind, Reading
from validation.verdict.gate import attempted, confirmed, fault

SPACE = Space((LogScale("c", 1e-2, 1e2),))
C = sp.Symbol("c", positive=True)
TIGHT = Limits(seconds=6, recheck_seconds=0.4, digits=2_000, memory=200 << 20)


def plain(x: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": x["c"], "c": x["c"]}


def exactly(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    return {}, {"lhs": x["c"], "c": x["c"]}


def claim(
    name: str, measure: Callable[..., Any] = plain, exact: Callable[..., Any] = exactly, factor: Any = 1
) -> Claim:
    def test(times: Any, measure: Callable[..., Any] = measure) -> Inequality:
        return Inequality(Bound(times * C), (Case("one", SPACE, measure, ExactCheck(exact, standalone=False)),))

    also = raises(ValueError("hangs, too")) if measure in (loops, sleeps) else measure  # one wait is enough

    return Claim(
        name,
        Kind.INEQUALITY,
        "",
        name,
        "",
        "",
        (),
        (Reading("as stated", "", test(factor)),),
        (Mutant("half", test(factor * sp.Rational(1, 2), also), "c > c/2"),),
    )


def loops(x: Mapping[str, Any]) -> Any:
    while True:
        pass


def sleeps(x: Mapping[str, Any]) -> Any:
    time.sleep(1000)


def fills_memory(x: Mapping[str, Any]) -> Any:
    held = []
    while True:
        held.append(np.ones(3 * 10**7))  # 240 MB at once, on a busy machine, too


def squares(x: Mapping[str, Any]) -> Any:
    z = x["c"]
    for _ in range(60):
        z = z * z + Fraction(1, 3)  # powers of 3 in the denominator double: no start comes back to itself
    return {}, {"lhs": z, "c": x["c"]}


def adds_for_ever(x: Mapping[str, Any]) -> Any:
    while True:
        x["c"] + 1


def one_huge_step(x: Mapping[str, Any]) -> Any:
    return {}, {"lhs": Fraction(3 ** (10**9)), "c": x["c"]}


def huge_power(x: Mapping[str, Any]) -> Any:
    return {}, {"lhs": (x["c"] + Fraction(1, 3)) ** 10**9, "c": x["c"]}


def raises(error: BaseException) -> Callable[..., Any]:
    def raising(x: Mapping[str, Any]) -> Any:
        raise error

    return raising


def recurses(x: Mapping[str, Any]) -> Any:
    return recurses(x)


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


WAYS: dict[str, tuple[Callable[..., Any], str]] = {
    "ValueError": (raises(ValueError("no\nsuch")), "the check raised ValueError: no such (test_gate.py, line"),
    "SystemExit": (raises(SystemExit(0)), "the check raised SystemExit: 0"),
    "sys.exit": (lambda x: sys.exit("bye"), "the check raised SystemExit: bye"),
    "KeyboardInterrupt": (raises(KeyboardInterrupt()), "the check raised KeyboardInterrupt"),
    "GeneratorExit": (raises(GeneratorExit()), "the check raised GeneratorExit"),
    "MemoryError": (raises(MemoryError()), "the check raised MemoryError"),
    "RecursionError": (recurses, "the check raised RecursionError"),
    "without words": (raises(UnspeakableError()), "the check raised UnspeakableError"),
    "a key too few": (lambda x: {"lhs": x["c"]}, "the bound has c, which the measure"),
    "nothing": (lambda x: None, "the measure returned a NoneType"),
    "input": (lambda x: input(), "the check raised EOFError"),
    "os._exit": (lambda x: os._exit(0), "the check ended its process with exit code 0"),
    "a signal": (lambda x: os.kill(os.getpid(), signal.SIGSEGV), "the check ended its process by SIGSEGV"),
    "loops": (loops, "the check took more than 2 seconds"),
    "sleeps": (sleeps, "the check took more than 2 seconds"),
    "memory": (fills_memory, "the check took more than 0.195 GiB of memory"),
}


# One job ends a child that gives no answer by the code of two; the next tests have each limit on a child of its own.
@one_run_in(2)
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.nightly), 2])
def test_whatever_a_measure_does_the_other_claims_go_on(tmp_path: Path, jobs: int) -> None:
    """Those that never end have less time, so that little is waited for; filling the memory may take a while."""
    endless = {"loops": WAYS["loops"], "sleeps": WAYS["sleeps"]}
    go_on(tmp_path / "endless", jobs, endless, replace(TIGHT, seconds=2))
    go_on(tmp_path / "others", jobs, {name: way for name, way in WAYS.items() if name not in endless}, TIGHT)


def go_on(folder: Path, jobs: int, ways: Mapping[str, tuple[Callable[..., Any], str]], limits: Limits) -> None:
    bad = tuple(claim(name, measure) for name, (measure, _) in ways.items())
    claims = (claim("before"), *bad, claim("after"))
    paper = Paper("ours", "", folder, claims)
    ledger = Ledger(folder / "ledger")
    pairs = [(paper, c) for c in claims]
    found = {e.id: e for e in check_claims(pairs, budget=200, seed=0, jobs=jobs, ledger=ledger, limits=limits)}
    assert {name: found[name].verdict for name in ("before", "after")} == dict.fromkeys(("before", "after"), "holds")
    for name, (_, why) in ways.items():
        assert found[name].verdict == "inconclusive", name
        assert why in found[name].why
        assert not found[name].mutants[0].killed
    assert ledger.entries().keys() == found.keys()
    # What gave no answer is tried again; what did is kept.
    assert {row["name"] for row in ledger.parts().values()} == {"as stated", "half"}
    assert len(ledger.parts()) == 4


@pytest.mark.parametrize(
    ("exact", "why"),
    [
        (squares, "recheck beyond 2,000 digits"),
        (huge_power, "recheck beyond 2,000 digits"),
        (one_huge_step, "recheck beyond 2 seconds by the clock"),
        (adds_for_ever, "recheck beyond 0.4 seconds$"),
        (loops, "recheck beyond 2 seconds by the clock"),
        (sleeps, "recheck beyond 2 seconds by the clock"),
        (fills_memory, "recheck beyond 0.195 GiB of memory"),
        (raises(SystemExit(0)), "the check raised SystemExit: 0"),
        (lambda x: os._exit(3), "the check ended its process with exit code 3"),
        (lambda x: os.abort(), "the check ended its process by SIGABRT"),
    ],
)
def test_an_exact_check_has_a_budget_of_seconds_digits_and_memory(exact: Callable[..., Any], why: str) -> None:
    begun = time.monotonic()
    limits = replace(TIGHT, recheck_seconds=20) if "memory" in why else TIGHT  # so that a busy machine gets that far
    with within(limits), rechecking(KeyError), pytest.raises(NoAnswerError, match=why.replace("(", r"\(")):
        limited(exact, (), {"c": Fraction(7, 3)})
    assert time.monotonic() - begun < 60


def test_a_statement_whose_recheck_is_beyond_the_limits_is_inconclusive_and_says_so(tmp_path: Path) -> None:
    wrong = claim("false in floats", exact=squares, factor=sp.Rational(1, 2))
    with within(TIGHT):
        part, answered = attempted(wrong, units_of(wrong)[0], budget=200, seed=0)
    assert answered
    assert part["verdict"] == "inconclusive"
    assert "recheck beyond 2,000 digits" in part["why"]
    assert part["counterexample_source"] is None


def units_of(one: Claim) -> Any:
    from validation.verdict.engine import units

    return units(one)


def test_a_child_answers_again_after_one_that_was_ended() -> None:
    def check(x: str) -> str:
        return loops({}) if x == "loop" else f"{x}!"

    with within(TIGHT), contained(check) as ask:
        assert ask("a") == "a!"
        with pytest.raises(NoAnswerError, match="beyond 2 seconds by the clock"):
            ask("loop")
        assert ask("b") == "b!"


def test_what_passes_is_raised_as_it_is_and_digits_are_counted_in_the_child_alone() -> None:
    def check(n: int) -> Any:
        if n < 0:
            raise LookupError("negative")
        return Fraction(1, 3) ** n

    with within(TIGHT), contained(check, passes=(LookupError,)) as ask:
        with pytest.raises(LookupError, match="negative"):
            ask(-1)
        assert ask(4_000) == Fraction(1, 3) ** 4_000  # 1,909 digits
        with pytest.raises(NoAnswerError, match="beyond 2,000 digits"):
            ask(4_300)
    assert Fraction(1, 3) ** 4_300 > 0


def test_limits_are_positive_and_a_reason_is_one_short_line() -> None:
    with pytest.raises(ValueError, match=r"Limits\(digits=0\): must be > 0"):
        Limits(digits=0)
    words = reason(ValueError("a\n" * 500 + "\ud800"))
    assert "\n" not in words
    assert len(words) < 300


def test_work_of_several_workers_is_all_done_and_none_outlives_it() -> None:
    tasks = list(range(20))
    assert dict(spread(tasks, lambda n: (n * n, os.getpid()), jobs=3, limits=TIGHT)).keys() == set(tasks)
    pids = set()
    for _, answer in spread(tasks, lambda n: os.getpid(), jobs=3, limits=TIGHT):
        pids.add(answer)
        if len(pids) == 2:
            break
    time.sleep(0.2)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(int(str(pid)), 0)


GOOD = "raise SystemExit(0)\n"


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        (GOOD, None),
        ("raise SystemExit(1)\n", "ends with exit code 1"),
        ("1 +\n", "is no Python: SyntaxError"),
        ("x = 0\x00\n", "is no Python"),
        ("import numpy\n", "ends with exit code 1 (ModuleNotFoundError: No module named 'numpy')"),
        ("undefined_name\n", "ends with exit code 1 (NameError: name 'undefined_name' is not defined)"),
        ("while True: pass\n", "takes more than 2 seconds"),
        ("x = bytearray(10**10)\n", "ends with exit code 1 (MemoryError)"),
    ],
)
def test_a_script_that_does_not_confirm_what_it_says_refutes_nothing(source: str, wrong: str | None) -> None:
    with within(TIGHT):
        said = fault(source)
        part = confirmed({"verdict": "refuted", "why": "seen", "counterexample_source": source})
    assert said is None if wrong is None else said is not None and said.startswith(wrong)
    assert part["verdict"] == ("refuted" if wrong is None else "inconclusive")
    assert part["counterexample_source"] == (source if wrong is None else None)


def test_the_budget_of_a_recheck_is_counted_alike_however_busy_the_machine_is() -> None:
    """As many operations are allowed each time, whatever the clock says."""

    def sums(n: int) -> str:
        total = Fraction(0)
        for _ in range(n):
            total += 1
        return str(total)

    with within(Limits(recheck_seconds=0.04)), contained(sums) as ask:  # 10,000 operations
        for _ in range(3):
            assert ask(10_000) == "10000"
            with pytest.raises(NoAnswerError, match=r"^recheck beyond 0.04 seconds$"):
                ask(10_001)
            time.sleep(0.1)


def test_all_rechecks_of_one_certification_have_a_budget_together() -> None:
    def sums(n: int) -> int:
        return int(sum(Fraction(1) for _ in range(n)))

    with within(Limits(recheck_seconds=0.4)), contained(sums) as ask:
        for _ in range(11):
            assert ask(99_999) == 99_999
        with pytest.raises(NoAnswerError, match=r"^rechecks beyond 4 seconds together$"):
            ask(1)


def test_operations_on_exact_numbers_of_all_kinds_are_counted() -> None:
    with at_most_operations(1000) as count:
        assert exact(2) + 1 == 3
        short = count.done
        assert exact(10**1000) * 3 == 3 * 10**1000
        assert count.done > 10 * short
        assert exact(2).sqrt() < exact(3).sqrt()
        seen = count.done
        with pytest.raises(OperationsError, match="more than 1,000 operations in line"):
            any(exact(2).sqrt().exp() < exact(3) for _ in range(1000))
    assert short < seen < 1000
    with pytest.raises(ValueError, match="must be > 0"), at_most_operations(0):
        pass


def process(name: str, question: int) -> int:
    """The process that answers."""
    return os.getpid()


@pytest.mark.skipif(not FORKS, reason="rechecks run in this process")
def test_checks_that_were_announced_share_one_process() -> None:
    names = ["a", "b", "c"]
    with rechecking():
        each = [limited(process, (name,), 0) for name in names]
    assert len(set(each)) == 3
    with rechecking():
        announce(process, *((name,) for name in names))
        assert len({limited(process, (name,), 0) for name in names}) == 1
    assert limited(process, ("a",), 0) == os.getpid()

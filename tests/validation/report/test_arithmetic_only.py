"""A script from a file is run only where it is arithmetic: a ledger that somebody else wrote starts nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from validation.cli import main
from validation.ledger.ledger import Ledger, load_entries
from validation.papers.papers import select
from validation.report.counterexample.along import along
from validation.report.counterexample.arithmetic_only import NotArithmeticError, execute, value_of
from validation.report.counterexample.instance import run_script
from validation.report.counterexample.written_out import written_out
from validation.report.text.letters import Letters

BEFORE = "from fractions import Fraction\nlhs, rhs = Fraction(2), Fraction(1)\n"
AFTER = "\nraise SystemExit(0 if lhs > rhs else 1)\n"

HOSTILE = {
    "a file": "open({path!r}, 'w')",
    "an import": "import os; os.mkdir({path!r})",
    "an import from": "from pathlib import Path; Path({path!r}).touch()",
    "an import by name": "__import__('os').mkdir({path!r})",
    "an import through what is imported": "from fractions import sys; sys.modules['os'].mkdir({path!r})",
    "code in a string": "exec('import os; os.mkdir(\\'{path}\\')')",
    "a class": "class A:\n    pass",
    "an object's class": "().__class__.__base__.__subclasses__()",
    "a frame": "g = (g.gi_frame for _ in (1,)); list(g)",
    "a pattern": "match print:\n    case object(__self__=found):\n        found.open({path!r}, 'w')",
    "names in a string": "'{{0.__class__}}'.format(1)",
    "builtins": "__builtins__['open']({path!r}, 'w')",
    "builtins replaced": "import math as __builtins__",
    "an import of its own": "def __import__(*given):\n    return None",
    "an attribute by its name": "getattr(1, '__class__')",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_script_that_is_more_than_arithmetic_is_not_run(kind: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    source = BEFORE + HOSTILE[kind].format(path=str(made)) + AFTER
    assert run_script(source) is None
    with pytest.raises(NotArithmeticError):
        execute(source, {"__name__": "__main__"})
    assert not made.exists()


def test_the_same_script_without_it_is_run() -> None:
    found = run_script(BEFORE + AFTER)
    assert found is not None
    assert (found.left, found.right) == (2, 1)


def test_expressions_and_lines_of_a_script_are_held_to_the_same(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with pytest.raises(NotArithmeticError):
        value_of(f"open({str(made)!r}, 'w')", {})
    lines = f"{BEFORE}x = open({str(made)!r}, 'w')\n# What is observed on it.\ny = x\n"
    assert written_out(lines, Letters()).lines == ()
    # Beside the arithmetic of an order a second one in a text, which is found by the words it begins with.
    hidden = f"    *sides, claimed = map(Fraction, f(a=[open({str(made)!r}, 'w')][0]))"
    loop = "for n in map(Fraction, [1, 2]):\n    low = claimed = quotient = form = n\n"
    order = f'"""\n{hidden}\n"""\n{BEFORE}{loop}{AFTER}'
    assert run_script(order) is not None
    assert along(order, Letters()) is None
    assert not made.exists()


def test_all_committed_counterexamples_are_arithmetic() -> None:
    sources = [
        (entry.id, reading.counterexample_source)
        for folder in sorted({paper.folder for paper, _ in select([])})
        for entry in load_entries(folder / "ledger.json")
        for reading in entry.readings
        if reading.counterexample_source
    ]
    assert len(sources) > 400
    assert [name for name, source in sources if run_script(source) is None] == []


@pytest.mark.parametrize("shown", ["--explain", "--json", "--latex"])
def test_a_result_kept_by_somebody_else_runs_no_code(shown: str, tmp_path: Path) -> None:
    """The results of a check that was stopped are resumed from a folder that may be anybody's."""
    ((_, claim),) = select(["EFL-E17"])
    command = ["check", claim.id, "--budget", "400", "--resume", "--ledger", str(tmp_path / "kept")]
    assert CliRunner().invoke(main, command).exit_code == 0
    made = tmp_path / "made"
    hostile = f"import pathlib; pathlib.Path({str(made)!r}).touch()\n"
    theirs = Ledger(tmp_path / "theirs")
    planted = 0
    for line in (tmp_path / "kept" / "ledger.jsonl").read_text().splitlines():
        row: dict[str, Any] = json.loads(line)
        part = row.get("part")
        if part is None:
            continue
        if part.get("counterexample_source"):
            source, first = part["counterexample_source"], "from fractions import Fraction\n"
            part["counterexample_source"] = source.replace(first, first + hostile, 1)
            planted += hostile in part["counterexample_source"]
        theirs.append_part(row["claim"], row["unit"], row["inputs"], part)
    assert planted
    again = CliRunner().invoke(main, [*command[:-1], str(theirs.folder), shown])
    assert again.exit_code == 0, again.output
    assert "import pathlib" in again.output or shown == "--latex"
    assert not made.exists()


def test_what_a_doctest_printed_last_is_a_name_like_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins._", 7, raising=False)
    names: dict[str, object] = {}
    execute("total = sum(1 for _ in range(3))", names)
    assert names["total"] == 3

"""A faulty outside paper is one line and the others go on; every ending has its exit code and no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.loaded import fedverdict
from tests.turns import one_run_in

PAPER = """
from pathlib import Path
from fractions import Fraction
import sympy as sp
from validation import Bound, Mutant, Case, Claim, Inequality, LogScale, Paper, Space
from validation.statement.claim import ExactCheck, Kind, Reading

SPACE = Space((LogScale("c", 1e-2, 1e2),))
C = sp.Symbol("c", positive=True)

def measure(x):
    return {"lhs": x["c"], "c": x["c"]}

def exactly(x):
    return {}, {"lhs": x["c"], "c": x["c"]}

def test(times):
    return Inequality(Bound(times * C), (Case("one", SPACE, measure, ExactCheck(exactly)),))

def claim(name, measure=measure):
    return Claim(name, Kind.INEQUALITY, "", name, "", "", (), (Reading("r", "", test(1)),),
                 (Mutant("half", test(sp.Rational(1, 2)), "c > c/2"),))

PAPER = Paper("KEY", "", Path(__file__).parent, (claim("ID"),))
"""

# The digits double forty times: no multiplication of the last ones ends, and none of them heeds a signal.
LONG = (
    PAPER.replace("KEY", "long")
    .replace("ID", "LONG-1")
    .replace(
        "    return {}, ",
        """    import os
    Path(os.environ["FEDVERDICT_BEGUN"]).touch()
    z = x["c"] + Fraction(1, 3)
    for _ in range(40):
        z = z * (4 - z)
    return {}, """,
    )
)

SLIP = (
    PAPER.replace("KEY", "slip")
    .replace("ID", "SLIP-1")
    .replace('    return {"lhs": x["c"], "c": x["c"]}', '    raise RuntimeError("no such column")', 1)
)

SHOWN = (
    PAPER.replace("KEY", "shown")
    .replace("ID", "SHOWN-1")
    .replace(
        '(claim("SHOWN-1"),))',
        """(replace(claim("SHOWN-1"), readings=(Reading("r", "", test(sp.Rational(1, 4))),), mutants=MUTANTS),),
              notation=NOTATION, drawn={"c": r"\\varsigma"}, sections=sections)""",
    )
    .replace(
        "PAPER = ",
        """from dataclasses import replace
from validation import Notation, Quantity
from validation.statement.section import Section, Table

MUTANTS = (Mutant("eighth", test(sp.Rational(1, 8)), "c > c/8"),)
NOTATION = Notation((Quantity("c", r"\\varsigma", "a number"),))

def sections():
    import os
    if "FEDVERDICT_UNREADABLE" in os.environ:
        raise ValueError("runs.json: no JSON")
    table = Table("Means", ("rule", "mean"), (("A", "0.5"),), 1)
    return (Section("Runs of this paper", "Ten runs.", (), (table,), "x"),)

PAPER = """,
    )
)

FAULTY = {
    "raising": ("raise ImportError('no such table')", "its import raised ImportError: no such table"),
    "missing": (
        "from validation import load_table; from pathlib import Path; load_table(Path('no/such.csv'))",
        "its import raised FileNotFoundError: published table such.csv is missing",
    ),
    "exiting": ("import sys; print('bye'); sys.exit(0)", "its import raised SystemExit: 0"),
    "vanishing": ("import os; os._exit(0)", "its import ended its process with exit code 0"),
    "syntax": ("def", "its import raised SyntaxError"),
    "kind": ("PAPER = 5", "kind:PAPER is a int; expected a Paper"),
    "capitals": (PAPER.replace("KEY", "capitals").replace("ID", "ea-t1"), "paper 'exp_alpha' has 'ea-t1' already"),
    "itself": (
        PAPER.replace("KEY", "itself").replace('(claim("ID"),)', '(claim("X-1"), claim("x-1"))'),
        "it has 'X-1' twice but for capitals",
    ),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed distribution with four outside papers that can be imported and many faulty ones."""
    folder = tmp_path_factory.mktemp("site")
    sources = {name: source for name, (source, _) in FAULTY.items()}
    sources |= {"good": PAPER.replace("KEY", "good").replace("ID", "GOOD-1")}
    sources |= {"long": LONG, "slip": SLIP, "shown": SHOWN}
    info = folder / "outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    points = "".join(f"{name} = outside_{name}:PAPER\n" for name in sources)
    (info / "entry_points.txt").write_text(f"[fedverdict.papers]\n{points}")
    for name, source in sources.items():
        (folder / f"outside_{name}.py").write_text(source)
    return folder


def surroundings(site: Path) -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(Path.cwd()), str(site), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def ended(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [fedverdict(), *arguments],
        env=surroundings(site),
        capture_output=True,
        text=True,
        check=False,
    )


def test_faulty_papers_are_one_line_each_and_the_others_are_checked(site: Path, tmp_path: Path) -> None:
    run = ended(site, "check", "GOOD-1", "EA-E21d", "--json", "--budget", "500", "--ledger", str(tmp_path))
    assert run.returncode == 0, run.stderr
    assert {e["id"]: e["verdict"] for e in json.loads(run.stdout)} == {"GOOD-1": "holds", "EA-E21d": "proved"}
    lines = [line for line in run.stderr.splitlines() if line.startswith("fedverdict: ")]
    assert len(lines) == len(FAULTY)
    for name, (_, why) in FAULTY.items():
        (line,) = [line for line in lines if line.startswith(f"fedverdict: paper {name!r} is left out: ")]
        assert why.replace("kind:", "outside_kind:") in line
    assert "Traceback" not in run.stderr


def test_a_claim_that_stays_undecided_says_why_beside_the_table(site: Path, tmp_path: Path) -> None:
    """Its word alone would not tell a slip in its code from a question that exact arithmetic leaves open."""
    run = ended(site, "check", "SLIP-1", "GOOD-1", "--budget", "200", "--ledger", str(tmp_path))
    assert run.returncode == 1, run.stderr
    lines = [line for line in run.stderr.splitlines() if line.startswith(("SLIP-1: ", "GOOD-1: "))]
    assert len(lines) == 1
    assert "the check raised RuntimeError: no such column (outside_slip.py, line " in lines[0]


def test_naming_a_faulty_paper_says_why_it_is_not_there(site: Path) -> None:
    run = ended(site, "check", "vanishing")
    assert run.returncode == 2
    last = run.stderr.splitlines()[-1]
    assert last.startswith("fedverdict: unknown claim or paper 'vanishing'; nearest: ")
    assert last.endswith("paper 'vanishing' is left out: its import ended its process with exit code 0")


def test_the_report_has_the_letters_and_the_sections_of_an_outside_paper(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("report", str(tmp_path), "--single-file", "shown", "--budget", "200")
    run = ended(site, *words)
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "shown.html").read_text(encoding="utf-8")
    for part in ("Runs of this paper", "Ten runs.", "<td>A</td>", "ς"):
        assert part in page, part
    monkeypatch.setenv("FEDVERDICT_UNREADABLE", "1")
    run = ended(site, *words)
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1] == "fedverdict: sections of paper 'shown': runs.json: no JSON"


@one_run_in(3)
@pytest.mark.slow
def test_ctrl_c_is_heeded_while_a_recheck_multiplies_numbers_without_end(site: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    # Whoever runs the tests may ignore the signal, as a shell does for what it runs in the background.
    heeding = "import signal; signal.signal(2, signal.default_int_handler); from validation.cli import main; main()"
    command = [sys.executable, "-c", heeding, "check", "LONG-1", "--budget", "200", "--ledger", str(tmp_path)]
    with subprocess.Popen(
        [*command, "--recheck-seconds", "1e12", "--seconds", "10000", "--digits", "1000000000", "--memory", "100"],
        env={**surroundings(site), "FEDVERDICT_BEGUN": str(begun), "PYTHONFAULTHANDLER": "1"},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            deadline = time.monotonic() + 120
            while not begun.exists() and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.1)
            assert begun.exists()
            time.sleep(2)  # by then numbers have a million digits
            assert process.poll() is None
            os.killpg(process.pid, signal.SIGINT)
            try:
                _, said = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGABRT)  # it says where it is
                pytest.fail(f"not heeded:\n{process.communicate(timeout=60)[1]}")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130
    last = said.splitlines()[-1]
    assert last.startswith("fedverdict: interrupted; what was finished is kept; to go on: fedverdict check LONG-1 ")
    assert "--resume" not in last  # it does so by itself

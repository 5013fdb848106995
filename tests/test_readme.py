"""The README runs as written: its bound, its rule and its commands; its table of verdicts is the one of the code."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.loaded import fedverdict, python
from tests.pages import blocks, surroundings
from validation.cli import main
from validation.report.verdicts import VERDICTS
from validation.statement.verdict import MEANINGS, Verdict

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BOUND, OWN, RULE = (content for language, content, _ in blocks(README) if language == "python")
LOOK_UP, RUN = (content for language, content, _ in blocks(README) if language == "sh")


def table_of_verdicts(page: str) -> dict[str, str]:
    """The rows «| `word` | meaning |» under the heading «| verdict | meaning |»."""
    table = page.split("| verdict | meaning |\n|---|---|\n")[1].split("\n\n", maxsplit=1)[0]
    return dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", table, flags=re.MULTILINE))


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 130


@pytest.mark.parametrize(
    ("source", "status", "printed"),
    [
        (BOUND, 0, "holds"),
        # Which of the instances without Γ and drift comes first hangs on the last bits of the processor's arithmetic.
        (BOUND.replace("B = noise + 6", "B = 6"), 1, r"left side \d+/\d+ = 0\.\d+, right side 0 = 0"),
        (f"import fedverdict as fv\n{OWN}", 0, "^holds: no violation .*; largest left/right 1, where both are equal"),
        (f"import fedverdict as fv\n{OWN}".replace("Bound(2 * L", "Bound(L"), 1, "is refuted: exact counterexample"),
    ],
    ids=["as written", "without the noise", "a bound of one's own", "without its factor"],
)
def test_the_bounds_hold_and_fail_without_a_term(source: str, status: int, printed: str, tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    command = [python(), "-c", source]
    run = subprocess.run(command, cwd=tmp_path, env=around, capture_output=True, text=True, check=False)
    assert run.returncode == status, run.stderr
    assert re.search(printed, run.stdout + run.stderr)


def test_the_commands_look_up_a_verdict_and_run_the_rule(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(RULE, encoding="utf-8")
    around = surroundings(tmp_path)
    printed = []
    for content in (LOOK_UP, RUN):
        run = subprocess.run(
            ["bash", "-ec", content], cwd=tmp_path, env=around, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        printed.append(run.stdout)
    assert "EA-T1 unstated-condition" in printed[0]
    assert printed[1].count("Loudest: completed after 5 rounds") == 4
    assert "Proportional (fedavg): completed after 5 rounds" in printed[1]
    assert re.search(r"^fedavg − mine +test_accu\S+ +4 +0, 1, 2", printed[1], flags=re.MULTILINE)
    assert "p by Holm" in printed[1]
    assert "excess_loss F(w) − F* = " in printed[1]


def test_a_run_with_other_code_in_the_rule_is_refused(tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    command = [fedverdict(), "run", "--rule", "mine:Loudest", "--out", "runs/mine", "--rounds"]
    for rounds, code, message in ((1, RULE, "after 1 round"), (2, RULE.replace("**self", "*self"), "another run")):
        (tmp_path / "mine.py").write_text(code, encoding="utf-8")
        run = subprocess.run(
            [*command, str(rounds)], cwd=tmp_path, env=around, capture_output=True, text=True, check=False
        )
        assert message in run.stdout + run.stderr, run.stderr
    assert "mine:Loudest sha256:" in run.stderr


def test_readme_docs_and_report_have_the_meanings_of_the_code() -> None:
    meanings = {str(word): meaning for word, meaning in MEANINGS.items()}
    assert set(meanings) == {str(word) for word in Verdict}
    assert {v.word: v.earned_by for v in VERDICTS} == meanings
    assert table_of_verdicts((ROOT / "docs" / "verdict_words.md").read_text(encoding="utf-8")) == meanings
    del meanings["not-checked"]
    assert table_of_verdicts(README) == meanings


def test_every_command_of_the_table_exists_and_none_is_missing() -> None:
    section = README.split("## Commands")[1].split("## ")[0]
    rows = re.findall(r"^\| .* \| (`.*`) \|$", section, flags=re.MULTILINE)
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(rows))) == sorted(main.list_commands(click.Context(main)))
    assert CliRunner().invoke(main, ["--help"]).exit_code == 0


def test_commands_in_the_text_are_known_with_their_options() -> None:
    called = re.findall(r"(?:^|`)fedverdict ([a-z][\w-]+)([^`\n#|]*)", README, flags=re.MULTILINE)
    assert len(called) >= 8
    for name, rest in called:
        command = main.get_command(click.Context(main), name)
        assert command is not None, name
        known = {option for parameter in command.get_params(click.Context(command)) for option in parameter.opts}
        assert set(re.findall(r"--[\w-]+", rest)) <= known, name


def test_links_and_the_picture_exist_and_make_has_its_targets() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 15
    assert [link for link in links if not (ROOT / link).is_file()] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make ([a-z-]+)", README):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target

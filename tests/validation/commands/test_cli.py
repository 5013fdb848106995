"""The command, as a person would type it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.committed import committed
from validation.cli import main
from validation.commands.claims.explain import in_a_paragraph
from validation.commands.claims.report import in_smoke
from validation.papers.papers import select

CONTRACT = {
    "id": str,
    "paper": str,
    "kind": str,
    "printed": str,
    "verdict": str,
    "readings": list,
    "instances": int,
    "seconds": float,
    "seed": int,
    "rests_on": list,
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_list_names_every_claim() -> None:
    result = run("check", "--list", "--json")
    assert result.exit_code == 0
    ids = [row["id"] for row in json.loads(result.stdout)]
    assert {"EA-T1", "RA-L1", "FA-E12", "EFL-T2b", "SSA-TA5"} <= set(ids)
    assert "EA-T1" in run("check", "--list").stdout


def test_a_single_claim_is_looked_up_and_a_search_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("check", "EA-T1", "Exp-α Theorem 2")
    assert done.exit_code == 0, done.output
    one, two = done.stdout.splitlines()
    assert one.startswith("EA-T1 unstated-condition (condition missing)")
    assert two.startswith("EA-T2 ")
    assert done.stderr.startswith("committed; fedverdict check EA-T1 EA-T2 --explain")
    assert [e["id"] for e in json.loads(run("check", "EA-T1", "--json").stdout)] == ["EA-T1"]
    assert not [*tmp_path.iterdir()]  # nothing was searched, nothing is written
    assert run("check", "EA-E21d", "--again").exit_code == 0
    assert (tmp_path / "fedverdict-results" / "ledger.json").is_file()


def test_json_of_one_claim_meets_the_contract(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    result = run("check", "FA-LA2", "--json", "--budget", "1e3", "--ledger", str(folder))
    assert result.exit_code == 0, result.output
    (entry,) = json.loads(result.stdout)
    for key, kind in CONTRACT.items():
        assert isinstance(entry[key], kind), key
    assert isinstance(entry["worst_ratio"], (float, str, type(None)))
    assert {"name", "verdict", "why"} <= set(entry["readings"][0])
    assert entry["verdict"] == "unstated-condition"
    assert (folder / entry["counterexample"]).is_file()
    assert json.loads((folder / "ledger.json").read_text())["entries"][0]["id"] == "FA-LA2"


def test_resume_does_not_check_again(tmp_path: Path) -> None:
    arguments = ("check", "EA-S2", "RA-E18", "--json", "--budget", "1000", "--ledger", str(tmp_path))
    first = json.loads(run(*arguments).stdout)
    second = json.loads(run(*arguments).stdout)
    assert [e["seconds"] for e in first] == [e["seconds"] for e in second]
    parted = len((tmp_path / "ledger.jsonl").read_text().splitlines())
    lines = (tmp_path / "ledger.jsonl").read_text().splitlines()
    parts = [json.loads(line) for line in lines if '"inputs"' in line]
    assert len(parts) == len({p["inputs"] for p in parts}) == sum(len(e["readings"] + e["mutants"]) for e in first)
    run(*arguments, "--no-resume")
    more = (tmp_path / "ledger.jsonl").read_text().splitlines()[parted:]
    assert sum('"inputs"' in line for line in more) == len(parts)


def test_explain_shows_the_committed_verdict_at_once_in_80_columns(tmp_path: Path) -> None:
    text = run("check", "EFL-T2b", "--explain", "--ledger", str(tmp_path / "none")).stdout
    words, _, script = text.partition('"""Counterexample')
    for piece in ("verdict: unstated-condition", "Not as printed: the left side is", "n_a ≤ n", "As printed",
                  "Readings", "planted errors caught: 1 of 1", "again: fedverdict check EFL-T2b --budget"):  # fmt: skip
        assert piece in words
    assert max(len(line) for line in words.splitlines()) <= 80
    assert "the committed verdict, " in script
    assert not (tmp_path / "none").exists()


def test_the_script_of_a_committed_counterexample_is_printed_alone_and_runs() -> None:
    text = run("check", "EFL-T2b", "--explain").stdout
    assert "Counterexample: fedverdict check EFL-T2b --script | python -" in text
    assert "for an erratum: fedverdict check EFL-T2b --latex" in text
    script = run("check", "EFL-T2b", "--script")
    assert script.exit_code == 0
    assert script.stdout.rstrip("\n") in text
    ran = subprocess.run([sys.executable, "-"], input=script.stdout, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, "violated")


def test_the_latex_of_a_counterexample_names_its_setting() -> None:
    text = run("check", "EA-T1", "--latex").stdout
    assert text.startswith(r"\begin{example}[Theorem 1 ")
    assert re.search(r"Setting: \S.*E = \d+, \d+ rounds?\.", text)
    ((paper, _),) = select(("EA-T1",))
    (entry,) = (e for e in committed(paper) if e.id == "EA-T1")
    assert entry.exact is not None
    left, right = text.split("The left side is")[1].split("and the right side is")
    for side, value in ((left, entry.exact.left), (right, entry.exact.right)):
        above, _, below = str(value).partition("/")
        assert (rf"\frac{{{above}}}{{{below}}}" if below else f"={above} ") in side


def test_explain_searches_again_when_asked(tmp_path: Path) -> None:
    text = run("check", "EFL-T2b", "--explain", "--again", "--budget", "2000", "--ledger", str(tmp_path)).stdout
    for piece in ("unstated-condition", "n_a ≤ n", "# The instance", "planted errors caught: 1 of 1"):
        assert piece in text
    assert "the committed verdict" not in text
    assert (tmp_path / "counterexamples" / "EFL-T2b.py").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "EA-T99"), "unknown claim or paper 'EA-T99'; nearest:"),
        (("check", "Theorem 1"), "matches 3 claims: EFL-T1 (Theorem 1 of efl), EA-T1 (Theorem 1 of exp_alpha)"),
        (("check", "lemma 2"), "EA-L2 (Lemma 2 of exp_alpha)"),
        (("check", "EA-D5", "--script"), "EA-D5 is holds: it has no counterexample; see --explain"),
        (("check", "EA-T1", "EA-T2", "--latex"), "--latex: is for one claim, got 2"),
        (("check", "EA-T1", "--json", "--explain"), "give one of them"),
        (("check", "EA-T1", "--budget", "3"), "at least 100"),
        (("check", "EA-T1", "--budget", "many"), "is not a number"),
        (("check", "EA-T1", "--seed", "-1"), "seed"),
        (("check", "EA-T1", "--seconds", "nan"), "nan: expected a finite number > 0"),
        (("check", "EA-T1", "--recheck-seconds", "nan"), "nan: expected a finite number > 0"),
        (("check", "EA-T1", "--memory", "nan"), "nan: expected a finite number > 0"),
        (("check", "EA-T1", "--memory", "inf"), "inf: expected a finite number > 0"),
        (("check", "--list", "--explain"), "--list: lists the claims and stops; expected no --explain"),
    ],
)
def test_bad_input_is_answered_clearly(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_rules_lists_the_registry() -> None:
    text = run("rules").stdout
    for name in ("proportional", "exp-alpha", "fed-soft-worse", "fed-worse", "min-norm"):
        assert name in text


def test_where_no_table_fits_the_rules_are_paragraphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = run("rules").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "fed-nova\n  weights τ_eff·pₖ/τₖ, τ_eff = Σ pₖτₖ\n  needs effective_steps\n" in text
    monkeypatch.setenv("COLUMNS", "200")
    assert "fed-nova  " in run("rules").stdout


def test_a_smoke_report_checks_a_tenth_of_the_claims_of_every_paper_and_of_every_common_kind_anew() -> None:
    pairs = select(())
    tenth = [(paper.key, str(claim.kind)) for paper, claim in pairs if in_smoke(claim.id)]
    assert 0.07 < len(tenth) / len(pairs) < 0.13
    assert {key for key, _ in tenth} == {paper.key for paper, _ in pairs}
    every = Counter(str(claim.kind) for _, claim in pairs)
    assert {kind for _, kind in tenth} >= {kind for kind, n in every.items() if n >= 10}


def test_a_long_vector_of_the_nearest_instance_keeps_its_ends() -> None:
    told = in_a_paragraph({"case": "300 clients", "weights": [f"{i}/7" for i in range(300)], "at": [[1, 2], [3, 4]]})
    assert told.startswith("case = 300 clients; weights = 0/7 1/7 ")
    assert told.endswith(" … 298/7 299/7; at = 1 2 | 3 4")
    assert len(told) < 120


def test_long_fractions_of_the_nearest_instance_are_short_decimals() -> None:
    long = ["8771748653889101/140737488355328", "-6979558534814515/9007199254740992", "1/3", "100"]
    near_one = "4722361760507884705811/4722366482869645213696"
    told = in_a_paragraph({"case": "2 clients", "at": long, "share": near_one, "table": {"a": [long[0]]}})
    assert told == "case = 2 clients; at = ≈62.327 ≈−0.77489 1/3 100; share = ≈1 − 10⁻⁶; table = a: ≈62.327"
    beyond = f"{10**400}/3"
    assert in_a_paragraph({"x": beyond}) == f"x = {beyond}"  # no float is near


def test_explain_says_what_it_rests_on_what_is_assumed_and_what_is_written_by_us() -> None:
    text = " ".join(run("check", "EA-E28", "--explain").stdout.split())
    assert "It uses EA-L5, which is refuted; that error is counted there." in text
    assert "As we write it out 𝔼" in text
    assert "As printed" not in text
    assert "(ours: the whole display; the paper goes" in text
    assert "Under - A5: K independent draws" in text
    assert "As printed 𝔼" in " ".join(run("check", "EA-T1", "--explain").stdout.split())


def test_explain_says_where_the_exact_numbers_of_a_rounded_instance_are() -> None:
    done = run("check", "EFL-C1a", "--explain")
    assert "nearest instance (≈ is rounded here; exact in the ledger)" in " ".join(done.output.split())
    assert not re.search(r"\d{13,}/\d", done.output.partition("Counterexample:")[0])

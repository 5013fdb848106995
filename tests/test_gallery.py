"""The gallery: a short file for every theorem, which runs, shows both sides and says the committed verdict."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

from validation import look_up
from validation.ledger.ledger import load_entries
from validation.papers.index import folder_of, points

FILES = sorted((Path(__file__).parent.parent / "docs" / "gallery").glob("*.py"))
LINES = 45


def shown(file: Path) -> str:
    """The claim that a file looks up."""
    found = re.findall(r'look_up\("([^"]+)"\)', file.read_text("utf-8"))
    assert len(found) == 1, file.name
    return str(found[0])


def test_every_theorem_of_the_papers_has_its_file() -> None:
    folders = [folder for p in points() if p.name != "known_truths" and (folder := folder_of(p)) is not None]
    theorems = {e.id for f in folders for e in load_entries(f / "ledger.json") if e.level == "theorem" and not e.ours}
    assert len(theorems) > 15
    assert sorted(map(shown, FILES)) == sorted(theorems)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_runs_and_ends_with_the_committed_verdict(file: Path) -> None:
    """Both sides are printed, where it falls and where it holds; a theorem that stands only holds."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        runpy.run_path(str(file), run_name="__main__")
    *sides, last = out.getvalue().splitlines()
    known = look_up(shown(file))
    assert last == known.verdict
    assert last.startswith(f"{known.claim.id} {known.entry.verdict}")
    assert len(sides) >= (1 if known.entry.verdict == "holds" else 2)
    text = file.read_text("utf-8")
    assert len(text.splitlines()) <= LINES
    assert "<=" in text or "violates == " in text, "nothing is shown to hold"
    falls = "violates" in text or "growth" in text
    assert falls or known.entry.verdict == "holds", "nothing is shown to fall"


def test_the_sides_at_numbers_of_ones_own_are_those_of_the_ledger() -> None:
    theorem = look_up("EFL-T2b")
    clients = {"spectrum": [[1], [1]], "optimum": [[0], [-1]], "share": [1]}
    found = theorem.at("as printed", "2 quadratic clients in dimension 1", **clients, size_ratio=2)
    exact = theorem.entry.exact
    assert exact is not None
    assert (str(found.left), str(found.right)) == (exact.left, exact.right)
    assert found.violates
    none = theorem.at("n_a <= n", "2 quadratic clients in dimension 1, n_a <= n", **clients, size_ratio=2)
    assert none.unmet
    assert not none.violates, "a hypothesis fails: no violation"


def test_what_is_not_there_is_answered_with_what_there_is() -> None:
    theorem = look_up("EA-T2")
    case = "alone, 2 clients, E = 1, 40 rounds"
    with pytest.raises(ValueError, match=r"no installed paper has a committed verdict"):
        look_up("EA-T9")
    with pytest.raises(ValueError, match=r"expected one of: γ = L/μ as in the theorem; γ of A.9, any weights; "):
        theorem.at("γ of", case)
    with pytest.raises(ValueError, match=r"of a family with its numbers filled in"):
        theorem.at("γ = L/μ", "nobody at all")
    with pytest.raises(ValueError, match=r"missing: bent, beside, curvature, drawn, first; unknown: none"):
        theorem.at("γ of A.9 and", case, second=-1)
    with pytest.raises(ValueError, match=r"0\.5 is a float; expected a whole number"):
        theorem.at("γ of A.9 and", case, curvature=1, bent=1, first=0.5, second=-1, beside=0, drawn=5)


def test_the_index_is_made_of_the_ledgers() -> None:
    made = runpy.run_path(str(FILES[0].parent.parent / "_reference.py"))["gallery"]()
    table = made.partition("<h2")[0]
    for file in FILES:
        entry = look_up(shown(file)).entry
        assert f"[{entry.id}](#" in table
        assert re.search(rf"\| \[{re.escape(entry.id)}\].*`{entry.verdict}`.*`{file.name}` \|", table)
    assert made.count("```python") == len(FILES)

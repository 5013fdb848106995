"""The pages run as written, block after block; their commands and words exist; no rubbish is left in the site."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from math import isclose
from pathlib import Path

import click
import pytest

import fedverdict
from deep.config.settings import run_fields
from tests.benchmarks import byzantine
from tests.loaded import python
from tests.notebooks import FOLDER, printed, read, stored
from tests.pages import DOCS, blocks, surroundings
from validation.cli import main
from validation.judge.words.weight import Weight
from validation.papers.papers import select
from validation.statement.claim import Kind
from validation.statement.roles import Role, roles_of

PAGES = sorted(DOCS.glob("*.md"))
READ = (DOCS / "how_to_read_a_claim.md").read_text(encoding="utf-8")


def lacking(said: str, printed: str) -> list[str]:
    """Lines of a page's output, in their order, that are in no line of what was printed after the one before."""
    rows = iter([" ".join(row.split()) for row in printed.splitlines()])
    return [line for line in said.splitlines() if not any(" ".join(line.split()) in row for row in rows)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run_one_after_the_other(page: Path, tmp_path: Path) -> None:
    """Files are written, commands are run, Python in one process; what the page says is printed is printed.

    Each run has all pages: what they print changes with any other file.
    """
    found = blocks(page.read_text(encoding="utf-8"))
    assert {language for language, *_ in found} <= {"python", "sh", "text", "toml"}, "a block of a kind nobody runs"
    kept = [(file[1], content) for _, content, _ in found if (file := re.match(r"# file: (\S+)\n", content))]
    for name, content in kept:
        (tmp_path / name).write_text(content, encoding="utf-8")
    around = surroundings(tmp_path)
    commands = [(content, said) for language, content, said in found if language == "sh"]
    for content, said in commands:
        run = subprocess.run(
            ["bash", "-ec", content], check=False, capture_output=True, text=True, cwd=tmp_path, env=around
        )
        assert run.returncode == 0, run.stderr
        assert lacking(said, run.stdout) == [], run.stdout
    code = [(c, said) for language, c, said in found if language == "python" and not c.startswith("# file: ")]
    script = tmp_path / "page.py"
    script.write_text("print('\\0')\n".join(content for content, _ in code), encoding="utf-8")
    run = subprocess.run([python(), str(script)], check=False, capture_output=True, text=True, cwd=tmp_path, env=around)
    assert run.returncode == 0, run.stderr
    printed = run.stdout.split("\0\n")
    for (_, said), output in zip(code, printed, strict=code != []):
        assert lacking(said, output) == [], output


@pytest.mark.parametrize("notebook", sorted(FOLDER.glob("*.ipynb")), ids=lambda p: p.stem)
def test_a_notebook_runs_from_its_first_cell_to_its_last(notebook: Path, tmp_path: Path) -> None:
    """As a kernel would run it, in a new folder; the outputs it is kept with are those of today."""
    kept = read(notebook)
    if "SVG" in str(kept["cells"]):
        pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    assert len(stored(kept)) >= 3
    for old, new in zip(stored(kept), printed(kept, tmp_path), strict=True):
        assert same(old, new), f"python -m tests.notebooks stores what is printed now:\n{new}"


def same(old: str, new: str) -> bool:
    """The same words, with numbers that agree to a per cent, which processors do; of drawings as many lines."""
    if old.startswith("<?xml"):
        return new.startswith("<?xml") and old.count("<path") == new.count("<path") > 2
    a, b = old.split(), new.split()
    return len(a) == len(b) and all(x == y or _close(x, y) for x, y in zip(a, b, strict=True))


def _close(one: str, other: str) -> bool:
    try:
        return isclose(float(one.strip("[],()")), float(other.strip("[],()")), rel_tol=0.01)
    except ValueError:
        return False


def test_outputs_of_a_notebook_that_have_changed_are_seen() -> None:
    assert same("loss 0.5001 at 3\n", "loss 0.5002 at 3")
    assert same("[-0.0705, +0.1195]", "[-0.0706, +0.1194]")
    assert not same("loss 0.50", "loss 0.52")
    assert not same("holds", "refuted")
    assert not same("holds", "holds twice")
    drawn = "<?xml <path <path <path"
    assert same(drawn, drawn + " x")
    assert not same(drawn, drawn + " <path")


def test_the_table_of_robust_aggregators_is_that_of_the_cells_kept() -> None:
    kept = json.loads(byzantine.RESULTS.read_text(encoding="utf-8"))
    assert {name: tuple(words) for name, words in kept["methods"].items()} == dict(byzantine.METHODS)
    assert kept["attacks"] == {name: dict(changes) for name, changes in byzantine.ATTACKS.items()}
    shown = byzantine.table(kept["cells"])
    assert shown in (DOCS / "robust_aggregators.md").read_text(encoding="utf-8")
    name, cell = next((n, c) for n, c in kept["cells"].items() if c["status"] == "completed")
    other = {**kept["cells"], name: {**cell, "test_accuracy": cell["test_accuracy"] / 2}}
    assert byzantine.table(other) != shown


def test_a_page_whose_output_has_changed_is_seen() -> None:
    ((language, content, said), _) = blocks("```python\nprint(3)\n```\n\n```text\n4\n```\n")
    assert (language, content, said) == ("python", "print(3)\n", "4\n")
    assert lacking(said, "3\n") == ["4"]
    assert lacking("a\nb", "x a\nb c\n") == []
    assert lacking("b\na", "x a\nb c\n") == ["a"]


def test_the_site_is_built_without_a_warning_and_has_the_reference_in_it(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
    root = DOCS.parent
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    made = subprocess.run(
        command, check=False, cwd=root, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert made.returncode == 0, made.stderr
    pages = {p.name: p.read_text("utf-8") for p in (tmp_path / "site").glob("*.html")}
    assert {f"{p.stem}.html" for p in PAGES} <= set(pages)
    for name, text in pages.items():
        assert not re.search(r"<(?:script|link|img)[^>]+(?:src|href)=\"https?://", text), name
        assert unreadable(text) == [], name
    script = (tmp_path / "site" / "search" / "main.js").read_text("utf-8")
    assert "importScripts" not in script
    assert '"location":"promises.html"' in script
    options = {o for c in main.list_commands(click.Context(main)) for o in options_of(c)}
    assert len(options) > 60
    assert [o for o in sorted(options) if o not in pages["reference_commands.html"]] == []
    assert all(f"<code>{key}</code>" in pages["reference_toml.html"] for key in run_fields())
    assert all(f"<code>{name}</code>" in pages["reference_python.html"] for name in fedverdict.__all__)


class Visible(HTMLParser):
    """The text of a page that a reader sees, code included."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in {"script", "style"}

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in {"script", "style"}

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.text.append(data)


def unreadable(page: str) -> list[str]:
    """What a build leaves where it should have left words: markers, names of private objects, escapes of Markdown."""
    seen = Visible()
    seen.feed(page)
    return re.findall(r"\{\{ .*|.*Sentinel.*|.* at 0x.*|.*\\[_*<>\[\]].*", "".join(seen.text))


@pytest.mark.parametrize("rubbish", ["{{ toml }}", "[default: Sentinel.UNSET]", "<f at 0x7f>", r"at\_round", r"x\<2"])
def test_rubbish_in_a_page_is_seen_and_code_with_a_backslash_is_not(rubbish: str) -> None:
    shown = rubbish.replace("<", "&lt;").replace(">", "&gt;")
    assert unreadable(f"<p>Seeds <code>{shown}</code></p>") != []
    assert unreadable(r"<script>x\_y</script><p>A sentinel, \eta, a_b, 0x10</p>") == []


def options_of(name: str) -> set[str]:
    """The long options of a command."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return {o for p in command.get_params(click.Context(command)) for o in p.opts if o.startswith("--")}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_commands_of_a_page_are_known_with_their_options(page: Path) -> None:
    for name, rest in re.findall(r"(?<!import )fedverdict ([a-z][\w-]+)([^`\n]*)", page.read_text(encoding="utf-8")):
        command = main.get_command(click.Context(main), name)
        assert command is not None, name
        known = {option for parameter in command.get_params(click.Context(command)) for option in parameter.opts}
        assert set(re.findall(r"--[\w-]+", rest)) <= known, name


def test_every_role_and_weight_is_explained() -> None:
    roles = {str(r) for r in Role} - {"beside"}
    assert roles <= set(re.findall(r"^\| ([a-z ]+) \|", READ, flags=re.MULTILINE)), roles
    assert all(f"*{w}*" in READ.replace("\n", " ") for w in Weight)


def test_the_page_of_what_is_included_counts_every_claim() -> None:
    page = (DOCS / "what_is_included.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| `paper_checks/`"))
    everything = select(())
    printed = [c for p, c in everything if not p.calibration and not roles_of(c).ours]
    counted = {
        "statements": sum(c.kind is not Kind.RELATION for c in printed),
        "relations": sum(c.kind is Kind.RELATION for c in printed),
        "questions of our own": sum(not p.calibration and bool(roles_of(c).ours) for p, c in everything),
        "known truths": sum(p.calibration for p, _ in everything),
    }
    names = "|".join(counted)
    assert {name: int(n) for n, name in re.findall(rf"(\d+) ({names})", row)} == counted

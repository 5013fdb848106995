"""The report of the committed ledgers: small pages, every link, the numbers of every script; and in a real browser."""

from __future__ import annotations

import html
import json
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from filelock import FileLock

from tests.turns import in_turn
from tests.validation.report.test_report import Document, broken_links, comparison
from validation.cli import main
from validation.commands.lists.algorithms import composition
from validation.judge.entry import Entry
from validation.ledger.ledger import load_rows
from validation.ledger.provenance import arithmetic
from validation.ledger.repeated import parted, repeated
from validation.papers.index import folder_of, points
from validation.recipe.results.comparison import cell_rows
from validation.recipe.shelf import shelves
from validation.report import Report, render, render_single
from validation.report.both_worlds.transfer import COMMITTED, read_study
from validation.report.claims.claims import Claim
from validation.report.counterexample.instance import exact_text
from validation.report.printed_tables import PrintedTable, read_tables, table_of

SYSTEMS = ("efl", "exp_alpha", "fedaware", "fedssa", "robust_aggregation")
LARGEST = 300_000  # bytes of a page
BROWSER = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)


def committed_report() -> Report:
    """All committed entries, as they stand: whether they are current is tested elsewhere."""
    folders = {p.name: folder for p in points() if (folder := folder_of(p)) is not None}
    entries = [e for folder in folders.values() for e in load_rows(folder / "ledger.json")]
    names = {"papers": {"exp_alpha": "Exp-α: Beyond Proportional Aggregation"}, "calibration": ["known_truths"]}
    sides = comparison(rounds=20)
    return Report(
        entries,
        sides,
        read_study(COMMITTED),
        composition(),
        tables={s.paper: read_tables(s) for s in shelves()},
        meta=names,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> tuple[Report, Path]:
    """The report and its pages; of several workers the first makes both for all, and nobody writes beside them."""
    base = tmp_path_factory.getbasetemp()
    shared = (base if worker_id == "master" else base.parent) / "site"
    kept = shared.with_suffix(".pickle")
    with FileLock(shared.with_suffix(".lock")):
        if kept.exists():
            report: Report = pickle.loads(kept.read_bytes())
        else:
            report = committed_report()
            render(report, shared)
            kept.write_bytes(pickle.dumps(report))
    return report, shared


@pytest.fixture(scope="module")
def report(built: tuple[Report, Path]) -> Report:
    return built[0]


@pytest.fixture(scope="module")
def folder(built: tuple[Report, Path]) -> Path:
    return built[1]


@pytest.fixture(scope="module")
def own(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages once more, for a browser: what it probes is written beside them."""
    return Path(shutil.copytree(folder, tmp_path_factory.mktemp("own") / "site"))


def shown(folder: Path, claim: Claim) -> str:
    return html.unescape((folder / "claims" / f"{claim.anchor}.html").read_text("utf-8"))


def test_every_page_is_small_and_every_link_leads_somewhere(folder: Path) -> None:
    sizes = {str(p.relative_to(folder)): p.stat().st_size for p in folder.rglob("*") if p.is_file()}
    assert {name: n for name, n in sizes.items() if n >= LARGEST} == {}
    assert len(sizes) > 1000
    assert broken_links(folder) == []


def test_no_page_asks_for_anything_elsewhere(folder: Path) -> None:
    for path in [*folder.rglob("*.html"), folder / "assets" / "style.css"]:
        text = path.read_text("utf-8")
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//|@import|url\((?!\"math\.woff2\"\))", text), path.name


def printed_sides(source: str) -> tuple[str, str] | None:
    """The sides that a script prints as fractions, read from its output in a process of its own."""
    made = subprocess.run([sys.executable, "-I", "-c", source], capture_output=True, text=True, check=True).stdout
    for pattern in (
        r"left side  = (-?[\d/]+) .*?right side = (-?[\d/]+) ",
        r"left side (-?[\d/]+), right side (-?[\d/]+)(?:,|$)",
    ):
        if found := re.search(pattern, made, re.DOTALL | re.MULTILINE):
            return found[1], found[2]
    return None


def test_the_numbers_beside_a_claim_that_falls_are_those_of_its_script(report: Report, folder: Path) -> None:
    """For all of them: the sides in the answer and in the bars are what the ledger keeps of that very script."""
    entries: dict[str, dict[str, Any]] = {str(e["id"]): dict(e) for e in report.entries}
    with_numbers = 0
    for page in report.claim_pages:
        if not page.claim.counterexample_source:
            continue
        assert page.found is not None, page.claim.id
        assert page.found.confirmed, page.claim.id
        text = shown(folder, page.claim)
        assert page.found.printed in text, page.claim.id
        if page.found.left is None or page.found.right is None:
            continue
        with_numbers += 1
        for side in (page.found.left, page.found.right):
            assert f'role="cell">{exact_text(side)}<' in text, page.claim.id
        kept = entries[page.claim.id]["exact"]
        if isinstance(kept, dict) and "≈" not in kept["left"] + kept["right"]:
            assert (Fraction(kept["left"]), Fraction(kept["right"])) == (page.found.left, page.found.right)
    assert with_numbers > 240


def test_scripts_say_the_same_in_a_process_of_their_own(report: Report, folder: Path) -> None:
    """Every tenth script, run as a reader would; its printed sides stand on the page."""
    checked = 0
    for page in [p for p in report.claim_pages if p.claim.counterexample_source][::10]:
        sides = printed_sides(page.claim.counterexample_source)
        if sides is not None and page.found is not None and page.found.left is not None:
            checked += 1
            assert (Fraction(sides[0]), Fraction(sides[1])) == (page.found.left, page.found.right), page.claim.id
        path = folder / page.scripts[0].path
        assert path.read_text("utf-8") == page.claim.counterexample_source.rstrip() + "\n"
    assert checked >= 10


def cheapest(report: Report, most: int) -> list[dict[str, Any]]:
    """Entries of searched statements, the quickest of every paper in turn: those that fall, then those that hold."""
    entries: dict[str, dict[str, Any]] = {str(e["id"]): dict(e) for e in report.entries}
    turns: list[tuple[int, int, str]] = []
    for paper in report.judged:
        searched = [c for c in paper.claims if c.kind != "relation" and (c.counterexample_source or c.instances)]
        searched.sort(key=lambda c: float(entries[c.id]["seconds"]))
        for falls in (True, False):
            chosen = [c.id for c in searched if bool(c.counterexample_source) is falls]
            turns += [(turn, 1 - falls, claim_id) for turn, claim_id in enumerate(chosen)]
    return [entries[claim_id] for _, _, claim_id in sorted(turns)[:most]]


def decided(entry: dict[str, Any]) -> dict[str, Any]:
    """What an entry says: words, conditions, edits and planted errors; no counts and no times."""
    readings = [(r["name"], r["verdict"], bool(r["counterexample"])) for r in entry["readings"]]
    killed = [(c["name"], c["killed"]) for c in entry["mutants"]]
    kept = {k: entry[k] for k in ("id", "verdict", "condition", "edit", "budget", "seed", "fingerprint")}
    return {**kept, "readings": readings, "killed": killed}


@pytest.mark.parametrize("most", [3, pytest.param(20, marks=pytest.mark.exhaustive)])
def test_the_command_makes_the_entry_again(report: Report, most: int, tmp_path: Path) -> None:
    """What is shown gives the entry: its words, and all of it where the kept search began from nothing.

    Where floats are rounded as they were for it, that is: elsewhere a search may go on otherwise from a tie.
    """
    shown = {claim.id: claim for claim in report.claims}
    for entry in cheapest(report, most):
        claim = shown[entry["id"]]
        words = [*claim.command.split(), "--json", "--ledger", str(tmp_path / entry["id"])]
        made = CliRunner().invoke(main, words[1:])
        assert made.exit_code == 0, made.output
        (again,) = json.loads(made.stdout)
        for made_of_it in ("shown", "instead", "uncovered", "own_method"):
            again.pop(made_of_it)
        assert decided(again) == decided(entry)
        made_again, kept = Entry.of(again), Entry.of(entry)
        same_search = made_again.search_version == kept.search_version
        if claim.repeatable and same_search and entry["provenance"].get("arithmetic") == arithmetic():
            assert repeated(made_again, kept), parted(made_again, kept)


def test_the_command_names_budget_and_seed_of_every_entry(report: Report) -> None:
    entries = {e["id"]: e for e in report.entries}
    for claim in report.claims:
        entry = entries[claim.id]
        begun = " --as-committed" if entry.get("begun") else ""
        plain = f"fedverdict check {claim.id} --budget {entry['budget']} --seed {entry['seed']}"
        assert claim.command == plain + begun


def test_every_printed_number_stands_in_its_table_and_ours_beside_it(report: Report, folder: Path) -> None:
    for shelf in shelves():
        tables = report.tables[shelf.paper]
        cells = [cell for table in tables for _, row in table.rows for cell in row if cell is not None]
        assert len(cells) == sum(1 for t in tables for _, row in t.rows for c in row if c is not None)
        if not tables:
            continue
        text = (folder / f"tables-{shelf.paper}.html").read_text("utf-8")
        assert text.count('<span class="ours"') == sum(bool(c.ours) for c in cells)
        for table in tables:  # a table whose numbers have a direction marks a winner of every full column
            assert all(cell.value in text for _, row in table.rows for cell in row if cell)
    assert any(table.run for tables in report.tables.values() for table in tables)


def test_a_sentence_and_the_table_it_speaks_of_lead_to_each_other(report: Report, folder: Path) -> None:
    """Every cell of a table that is shown is a link to it, and the table names every claim that rests on it."""
    tied = 0
    for claim in report.claims:
        names = {table.name for table in report.tables.get(claim.paper, ())}
        for name in {table_of(cell) for r in claim.readings for cell, _ in r.cells} & names:
            tied += 1
            place = f"tables-{claim.paper}.html"
            assert f'href="../{place}#table-{claim.paper}-{name}"' in shown(folder, claim), claim.id
            held = (folder / place).read_text("utf-8").partition(f'id="table-{claim.paper}-{name}"')[2]
            assert f'href="claims/{claim.anchor}.html"' in held.partition("</div>")[0], claim.id
    assert tied > 100


@pytest.mark.parametrize("key", in_turn({key: key for key in SYSTEMS}, of=3))
def test_a_paper_with_its_tables_stands_alone_in_one_file(report: Report, key: str, tmp_path: Path) -> None:
    """Every link leads to a place inside it, and its printed tables name the claims that rest on them."""
    file = render_single(report, key, tmp_path / f"{key}.html")
    text = file.read_text("utf-8")
    places = re.findall(r' id="([^"]+)"', text)
    assert len(places) == len(set(places))
    assert all(link.startswith("#") for link in re.findall(r' href="([^"]+)"', text))
    assert {html.unescape(link) for link in re.findall(r' href="#([^"]+)"', text)} <= set(map(html.unescape, places))
    assert text.count('class="judgement"') == sum(map(len, report.sentences(key).values())) > 0
    assert {p.name for p in tmp_path.iterdir()} == {
        file.name,
        ".fedverdict-report.json",
    }  # the list of what was written


@pytest.mark.parametrize(
    ("name", "place", "title"),
    [
        ("prose_splits_cifar10", "prose A.4", "In the text of A.4: splits of CIFAR-10"),
        ("prose_rounds", "", "In the text: rounds"),
        ("table08_alpha_by_local_steps", "Table 8", "Table 8, alpha by local steps"),
        ("table11_iid_cifar", "", "Table 11, IID CIFAR"),
        ("table2", "", "Table 2"),
        ("accuracy_mnist_iid", "sec4.2", "Accuracy MNIST IID"),
    ],
)
def test_a_table_has_a_title_in_words(name: str, place: str, title: str) -> None:
    assert PrintedTable(name, "", (), (), (), place).title == title


def test_a_number_of_ours_says_why_its_word_is_what_it_is(report: Report) -> None:
    told = {
        (shelf.paper, table_of(row.table), f"{row.ours:.2f}", row.why)
        for shelf in shelves()
        for row in cell_rows(shelf)
        if row.ours is not None and row.why
    }
    shown = [
        (shelf.paper, table.name, cell.ours, cell.note)
        for shelf in shelves()
        for table in report.tables[shelf.paper]
        for _, cells in table.rows
        for cell in cells
        if cell is not None and cell.ours
    ]
    assert any("open" in why or "not exercised" in why for *_, why in told)
    for paper, table, ours, why in told:
        said = {note for p, t, number, note in shown if (p, t) == (paper, table) and number.startswith(ours)}
        assert any(note.startswith(why) for note in said), (paper, table, ours, why)


def test_no_title_of_a_printed_table_is_a_file_name(report: Report) -> None:
    titles = {table.title for tables in report.tables.values() for table in tables}
    assert "In the text of A.4: splits of CIFAR-10" in titles
    assert all(title[0].isupper() and "_" not in title and "cifar" not in title for title in titles)


def test_one_paper_as_text_is_that_paper_alone(tmp_path: Path) -> None:
    """The command checks, reads and writes the named paper, and nothing of the others."""
    done = CliRunner().invoke(main, ["report", str(tmp_path), "--single-file", "efl", "--format", "md"])
    assert done.exit_code == 0, done.output
    assert {p.name for p in tmp_path.glob("*.md")} == {"efl.md", "index.md"}
    assert {e["paper"] for e in load_rows(tmp_path / "ledger.json")} == {"efl"}


def test_theorem_1_of_exp_alpha_is_one_click_or_one_search_away(folder: Path) -> None:
    index = Document(folder / "index.html")
    assert "claims/EA-T1.html" in index.all("href")
    assert "The counterexample" in (folder / "claims" / "EA-T1.html").read_text("utf-8")


@pytest.fixture(scope="module")
def browser() -> str:
    if BROWSER is None:
        pytest.skip("no chromium on this machine (apt-get install chromium)")
    return BROWSER


def seen(browser: str, page: Path, script: str = "", beside: str = "") -> dict[str, Any]:
    """What a real browser makes of a page on a telephone: what the probe found."""
    (found,) = seen_together(browser, [(page, 390)], script, beside)
    return found


def seen_together(
    browser: str, pages: Sequence[tuple[Path, int]], script: str, beside: str = ""
) -> list[dict[str, Any]]:
    """Of each page and its width what the probe found, after `script` ran in it; `beside` is loaded first.

    Each stands in a frame of that width, all in one window: a window of Chromium is never narrower than 500 px.
    """
    probe = """<script>
    const errors = [];
    addEventListener("error", (e) => errors.push(String(e.message || e.target.src || e.target.href)), true);
    addEventListener("securitypolicyviolation", (e) => errors.push(e.violatedDirective + " " + e.blockedURI));
    addEventListener("load", async () => {
      SCRIPT
      parent.postMessage(JSON.stringify({
        place: PLACE, errors, wide: document.documentElement.scrollWidth - innerWidth, width: innerWidth,
        title: document.title,
        found: globalThis.found ?? null, sheets: document.styleSheets.length,
        loaded: performance.getEntriesByType("resource").map((r) => r.name),
      }), "*");
    });
    </script>""".replace("SCRIPT", script)
    loaded = f'<script src="{Path(beside).as_uri()}"></script>' if beside else ""
    copies, frames = [], []
    for place, (page, width) in enumerate(pages):
        policy = re.sub(r"script-src [^\"]*", "script-src 'unsafe-inline' 'self' file:", page.read_text("utf-8"))
        head, _, rest = policy.partition("</head>")
        copies.append(page.with_name(f"probe-{place}-{page.name}"))
        copies[-1].write_text(f"{head}{loaded}{probe.replace('PLACE', str(place))}</head>{rest}")
        frames.append(f'<iframe src="{copies[-1].as_uri()}" width="{width}" height="900"></iframe>')
    frame = pages[0][0].with_name("frame.html")
    frame.write_text(f"""<div id="seen"></div>{"".join(frames)}<script>
    addEventListener("message", (e) => {{
      const said = document.createElement("pre");
      said.textContent = e.data;
      document.getElementById("seen").append(said);
    }});
    </script>""")
    window = f"--window-size={max(width for _, width in pages) + 100},1000"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", window,
               "--virtual-time-budget=20000", "--dump-dom", frame.as_uri()]  # fmt: skip
    try:
        dom = subprocess.run(command, capture_output=True, text=True, timeout=400, check=True).stdout
    finally:
        for path in (*copies, frame):
            path.unlink()
    said = [json.loads(html.unescape(text)) for text in re.findall(r"<pre>(.+?)</pre>", dom, re.DOTALL)]
    by_place: dict[int, dict[str, Any]] = {one["place"]: one for one in said}
    silent = [str(page) for place, (page, _) in enumerate(pages) if place not in by_place]
    assert silent == [], dom[-2000:]
    assert [by_place[place]["width"] for place in range(len(pages))] == [width for _, width in pages]
    return [by_place[place] for place in range(len(pages))]


KINDS = [
    "index", "paper-efl", "tables-efl", "engine", "side-by-side", "two-worlds", "composition", "claims/EA-T1",
    "claims/SSA-TA5",
]  # fmt: skip
AXE = find_spec("axe_core_python")
SERIOUS = """
  const judged = await axe.run(document, { resultTypes: ["violations"] });
  globalThis.found = judged.violations
    // What scrolls and cannot be reached by keys is serious for today's axe, moderate for older ones.
    .filter((v) => ["serious", "critical"].includes(v.impact) || v.id === "scrollable-region-focusable")
    .map((v) => v.id + ": " + v.nodes[0].html.slice(0, 200));
"""


def complaints(got: dict[str, Any]) -> list[str]:
    """Of what a browser found on a page, all that should not be."""
    return [
        *got["errors"],
        *(["wider than the window"] if got["wide"] > 0 else []),
        *(["without a style sheet"] if got["sheets"] < 1 else []),
        *(f"from elsewhere: {name}" for name in got["loaded"] if not name.startswith("file:")),
        *(got["found"] or []),
    ]


def test_a_browser_shows_every_kind_of_page_without_a_word_of_complaint(browser: str, own: Path) -> None:
    """No error, nothing from elsewhere, never wider than the window; axe, where installed, finds nothing serious."""
    engine = "" if AXE is None or AXE.origin is None else str(Path(AXE.origin).with_name("axe.min.js"))
    pages = [(own / f"{page}.html", width) for page in KINDS for width in (390, 1600)]
    found = seen_together(browser, pages, SERIOUS if engine else "", engine)
    said = {(page.name, width): complaints(got) for (page, width), got in zip(pages, found, strict=True)}
    assert {page: words for page, words in said.items() if words} == {}


def test_the_engines_tables_fit_a_phone(browser: str, own: Path) -> None:
    """Nothing on the page scrolls sideways, and every number says what it is."""
    script = """
      globalThis.found = [...document.querySelectorAll(".scroll")].map((e) => [e.scrollWidth - e.clientWidth,
        [...e.querySelectorAll("td.number")].map((td) => getComputedStyle(td, "::before").content)]);
    """
    page = own / "engine.html"
    for got, named in zip(seen_together(browser, [(page, 390), (page, 1600)], script), (True, False), strict=True):
        assert len(got["found"]) == 2
        for over, names in got["found"]:
            assert over <= 0
            assert names
            assert all((len(name) > len('"": ')) == named for name in names if name != "none") or not named
            assert ("none" in names) != named


@pytest.mark.skipif(AXE is None, reason="axe-core is in the extra `test`: pip install axe-core-python")
def test_axe_sees_a_planted_fault(browser: str, own: Path, tmp_path: Path) -> None:
    assert AXE is not None
    assert AXE.origin is not None
    engine = str(Path(AXE.origin).with_name("axe.min.js"))
    shutil.copytree(own / "assets", tmp_path / "assets")
    page = tmp_path / "broken.html"
    page.write_text((own / "engine.html").read_text("utf-8").replace("<h1", '<img src="assets/none.png"><h1', 1))
    assert any(found.startswith("image-alt") for found in seen(browser, page, SERIOUS, engine)["found"])


def test_a_search_for_theorem_1_finds_it_first(browser: str, own: Path) -> None:
    script = """
      const box = document.getElementById("find");
      box.value = "Theorem 1 Exp";
      box.dispatchEvent(new Event("input"));
      for (let i = 0; i < 40 && !document.querySelector("#found a"); i++) await new Promise((r) => setTimeout(r, 50));
      globalThis.found = [...document.querySelectorAll("#found a")].map((a) => a.getAttribute("href"));
    """
    got = seen(browser, own / "index.html", script)
    assert got["errors"] == []
    assert got["found"][0] == "claims/EA-T1.html"


def test_the_index_says_in_a_sentence_what_was_found_of_each_paper(folder: Path) -> None:
    text = html.unescape((folder / "index.html").read_text("utf-8"))
    assert "one client drawn once for all rounds takes the model from ω* to an error of 0.23" in text
    assert "(proof by hand: EFL-T1-R)" in text
    assert re.search(r"No violation was found, reading γ = max\{8L/μ, E\} − 1 as in A\.9, with 2 more", text)
    assert "statements of 5 papers on federated aggregation" in text

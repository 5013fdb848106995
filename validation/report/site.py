"""The report as a folder of small pages without a network, or one paper as a single file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from validation.job.together import together
from validation.papers.repaired import OfShown
from validation.report import fields, pages
from validation.report.both_worlds.composition import Composition
from validation.report.both_worlds.over_tasks import read_over_tasks
from validation.report.both_worlds.side_by_side import SideBySide, side_by_side
from validation.report.both_worlds.systems import read_system
from validation.report.both_worlds.transfer import Transfer, read_transfer
from validation.report.claims.calibration import Calibration, draws_of, mutant_score
from validation.report.claims.cite import bibtex, bibtex_of_report, objection, objection_address
from validation.report.claims.claims import Claim, read_claims
from validation.report.claims.matter import WEIGHTS
from validation.report.claims.shown import COPIES
from validation.report.claims.smallest import beyond_words, forbidden_pairs
from validation.report.claims.undecided import undecided
from validation.report.claims.wording import ROLES
from validation.report.comparison import read_comparison
from validation.report.counterexample.instance import exact_text, told_apart
from validation.report.folder import ReportFolder
from validation.report.glosses import Glosses
from validation.report.links import Links
from validation.report.own_method import OwnMethod
from validation.report.pictures.frontier import frontier_panels
from validation.report.printed_tables import PrintedTable, table_of
from validation.report.search_index import search_index
from validation.report.text import readable
from validation.report.text.breaking import formula
from validation.report.text.formula import latex_of
from validation.report.text.letters import Letters, greek, is_letter, named
from validation.report.text.mathml import mathml, prose
from validation.report.verdicts import VERDICTS
from validation.statement.section import Section
from validation.study.courses import Course

__all__ = ["Report", "render", "render_single"]

_TEMPLATES = Path(__file__).with_name("templates")


def _environment() -> Environment:
    # Everything is escaped unless it is Markup: ledgers may come from anybody's plug-in.
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "count": readable.count,
        "apart": lambda found: told_apart(found.left, found.right),
        "exact": exact_text,
        "formula": formula,
        "greek": greek,
        "inline": partial(mathml, block=False),
        "beyond_words": beyond_words,
        "forbidden_pairs": forbidden_pairs,
        "in_letters": lambda text, letters: latex_of(text, letters.of_quantity),
        "is_letter": is_letter,
        "latex_of": latex_of,
        "named": named,
        "num": readable.num,
        "prose": prose,
        "ratio": readable.ratio,
        "seconds": readable.seconds,
        "sentence": readable.sentence,
        "setting": readable.setting,
        "share": readable.share,
    }
    return environment


@dataclass(frozen=True)
class Report:
    """What a report is made of.

    `entries`: ledger entries of all papers, in the order to show; grouped by paper here.
    `comparison`: what `validation.report.both_worlds.compare.compare` returns, or None.
    `transfer`: what `validation.transfer.study` returns, or None.
    `composition`: what composes of clients, rules and servers, as `validation.report.both_worlds.composition` reads it,
    or None.
    `tables`: the printed tables of papers by key, as `validation.report.printed_tables` reads them.
    `courses`: counterexamples over time by the paths of their scripts, as `validation.study.courses` makes them.
    `letters`: LaTeX of the names of papers by key.
    `glosses`: by paper what the numbers of instances are, as `validation.report.glosses` reads them.
    `systems`: what papers' whole systems do in both worlds, by key, as `validation.report.both_worlds.systems` reads
    it.
    `instances`: by claim and mutant where it falls, in words, and where the claim is tight.
    `own_methods`: by claim counterexamples by the papers' own methods.
    `looks`: by claim how the instance shown stands to each repair, as `validation.papers.repaired.of_shown` says.
    `frontiers`: the measured trade-offs of papers by key, as `validation.study.frontiers` makes them.
    `sections`: further parts of papers' pages by key, as their `Paper.sections` makes them.
    `meta`: any of `commit`, `date`, `seed`, `versions` {name: version}, `papers` {key: title}, `names` {key: name},
    `calibration` [keys of papers of known truths], `printed` {key: {authors, year, venue, version}} as texts print
    them, `issues` (the address that takes objections), `commands` [shell line], `provenance` {name: value}, `smoke`
    (true: the index says that budgets were cut); further texts and numbers join the provenance.
    """

    entries: Sequence[Mapping[str, object]]
    comparison: Mapping[str, object] | None = None
    transfer: Mapping[str, object] | None = None
    composition: Composition | None = None
    tables: Mapping[str, Sequence[PrintedTable]] = field(default_factory=dict)
    frontiers: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    sections: Mapping[str, Sequence[Section]] = field(default_factory=dict)
    courses: Mapping[str, Course] = field(default_factory=dict)
    letters: Mapping[str, Letters] = field(default_factory=dict)
    glosses: Mapping[str, Glosses] = field(default_factory=dict)
    systems: Mapping[str, object] = field(default_factory=dict)
    instances: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    own_methods: Mapping[str, OwnMethod] = field(default_factory=dict)
    looks: Mapping[str, Mapping[str, OfShown]] = field(default_factory=dict)
    title: str = "fedverdict"
    meta: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """All claims with their entries."""
        return read_claims(self.entries)

    @cached_property
    def papers(self) -> tuple[pages.Paper, ...]:
        """All papers, those of known truths among them."""
        titles, names = (fields.mapping(self.meta, key, "render(meta=…)") for key in ("papers", "names"))
        return pages.papers(self.claims, titles, names)

    @cached_property
    def judged(self) -> tuple[pages.Paper, ...]:
        """The papers that are judged, not those that calibrate the engine."""
        tuning = set(fields.strings(self.meta, "calibration", "render(meta=…)"))
        return tuple(p for p in self.papers if p.key not in tuning)

    @cached_property
    def claim_pages(self) -> tuple[pages.ClaimPage, ...]:
        """One for each claim."""
        return pages.claim_pages(
            self.papers, self.courses, self.letters, self.glosses, self.instances, self.own_methods, self.looks
        )

    @cached_property
    def compared(self) -> SideBySide | None:
        """Convex and deep runs on one federation, where some are kept."""
        return None if self.comparison is None else side_by_side(read_comparison(self.comparison))

    @cached_property
    def transferred(self) -> Transfer | None:
        """Theory's order of the rules and a network's answer, where a study is kept."""
        return None if self.transfer is None else read_transfer(self.transfer)

    def sentences(self, key: str) -> dict[str, tuple[Claim, ...]]:
        """Of each printed table of a paper the claims that rest on its cells."""
        names = {table.name for table in self.tables.get(key, ())}
        found: dict[str, dict[str, Claim]] = {name: {} for name in names}
        for claim in self.claims:
            for cell, _ in (c for r in claim.readings for c in r.cells if claim.paper == key):
                if (name := table_of(cell)) in names:
                    found[name][claim.id] = claim
        return {name: tuple(held.values()) for name, held in found.items()}

    @cached_property
    def calibration(self) -> Calibration | None:
        """How the engine did on the known truths, where they were judged."""
        known = tuple(c for p in self.papers if p not in self.judged for c in p.claims)
        return Calibration(known) if known else None


class _Site:
    """The templates with what all of them need."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.environment = _environment()
        smoke = bool(fields.flag(report.meta, "smoke", "render(meta=…)"))
        judged = tuple(c for p in report.judged for c in p.claims)
        printed = tuple(c for p in report.judged for c in p.printed)
        called = {k: str(v) for k, v in fields.mapping(report.meta, "names", "render(meta=…)").items() if v}
        tuning = fields.strings(report.meta, "calibration", "render(meta=…)")
        names = {k: v for k, v in called.items() if k not in tuning} | {p.key: p.short for p in report.judged}
        self.environment.filters["cited"] = lambda text: readable.cited(text, names)
        self.shared: dict[str, Any] = {
            "title": report.title,
            "report": report,
            "verdicts": VERDICTS,
            "totals": {v.word: n for v, n in pages.tally(printed)},
            "n_judged": len(printed),
            "n_apart": len(judged) - len(printed),
            "mutants": mutant_score(judged),
            "smoke": smoke,
            "tabled": {key: {table.name for table in held} for key, held in report.tables.items()},
            "table_of": table_of,
            "provenance": pages.provenance(report.meta),
            "printed_by": fields.mapping(report.meta, "printed", "render(meta=…)"),
            "issues": fields.text(report.meta, "issues", "render(meta=…)"),
            "bibtex": bibtex,
            "bibtex_of_report": bibtex_of_report,
            "weights": WEIGHTS,
            "roles": ROLES,
            "copies": COPIES,
            "objection": objection,
            "objection_address": objection_address,
            "commands": pages.commands(report.papers, report.meta),
        }

    def body(self, template: str, links: Links, **what: Any) -> Markup:
        """One page without its frame."""
        made = self.environment.get_template(f"{template}.html.jinja").render(links=links, **self.shared, **what)
        return Markup(made)

    def framed(self, body: Markup, links: Links, name: str, at: str) -> bytes:
        """A whole page; `at`: which entry of the header it belongs to."""
        made = self.environment.get_template("frame.html.jinja")
        return made.render(
            body=body, links=links, name=name, at=at, css=_style(), js=_asset("app.js"),
            script_hash=_hash(_asset("app.js")), **self.shared,
        ).encode()  # fmt: skip

    def paper(self, paper: pages.Paper, links: Links) -> Markup:
        """The page of one paper."""
        system = self.report.systems.get(paper.key)
        return self.body(
            "paper", links, paper=paper,
            page_of={p.claim.id: p for p in self.report.claim_pages if p.claim.paper == paper.key},
            hrefs={c.id: links.claim(c.anchor) for c in paper.claims},
            tables=self.report.tables.get(paper.key, ()),
            frontiers=frontier_panels(self.report.frontiers.get(paper.key, ())),
            sections=self.report.sections.get(paper.key, ()),
            system=None if system is None else read_system(system, f"system of {paper.key}"),
        )  # fmt: skip

    def claim_files(self, page: pages.ClaimPage) -> Iterator[tuple[str, bytes]]:
        """(path, content) of a claim's page and of its scripts."""
        below = Links(up="../")
        name = f"{page.claim.id} · {page.claim.title}"
        yield f"claims/{page.claim.anchor}.html", self.framed(self.body("claim", below, page=page), below, name, "")
        for script in page.scripts:
            if script.path:
                yield _inside(script.path), script.source.encode()

    def files_of_claims(self, jobs: int) -> Iterator[tuple[str, bytes]]:
        """The files of all claims in their order, made by `jobs` forks."""
        made = self.report.claim_pages
        works = {str(k): partial(self._part, made[k::jobs]) for k in range(jobs)}
        parts = list(together(works, jobs).values())
        for k in range(len(made)):
            yield from parts[k % jobs][k // jobs]

    def _part(self, some: Sequence[pages.ClaimPage]) -> list[list[tuple[str, bytes]]]:
        return [list(self.claim_files(page)) for page in some]

    def pages(self, jobs: int = 1) -> Iterator[tuple[str, bytes]]:
        """(path, content) of every file; the index comes last."""
        top, report = Links(), self.report
        yield from self.files_of_claims(jobs)
        for paper in report.papers:
            yield f"paper-{paper.key}.html", self.framed(self.paper(paper, top), top, paper.title, paper.key)
            tables = report.tables.get(paper.key, ())
            if tables:
                body = self.body("tables", top, paper=paper, tables=tables, sentences=report.sentences(paper.key))
                yield f"tables-{paper.key}.html", self.framed(body, top, f"{paper.title}: tables", paper.key)
        if report.compared is not None:
            body = self.body("two_worlds", top, compared=report.compared)
            yield "two-worlds.html", self.framed(body, top, "Convex and deep", "two-worlds")
        if report.transferred is not None:
            anchors, tasks = {c.anchor for c in report.claims}, read_over_tasks()
            body = self.body("side_by_side", top, shown=report.transferred, anchors=anchors, tasks=tasks)
            yield "side-by-side.html", self.framed(body, top, "Side by side", "side-by-side")
        if report.composition is not None:
            body = self.body("composition", top, made=report.composition)
            yield "composition.html", self.framed(body, top, "Combinations", "composition")
        printed = [c for paper in report.judged for c in paper.printed]
        body = self.body("overview", top, open=undecided(printed))
        yield "overview.html", self.framed(body, top, "Theorems and lemmas, and what is open", "overview")
        if any(claim.smallest for claim in report.claims):
            body = self.body("constants", top, letters={p.claim.id: p.letters for p in report.claim_pages})
            yield "constants.html", self.framed(body, top, "How tight are the bounds", "overview")
        draws = draws_of(report.entries)
        yield "engine.html", self.framed(self.body("engine", top, draws=draws), top, "Search quality", "engine")
        yield "assets/style.css", _asset("style.css").encode()
        yield "assets/app.js", _asset("app.js").encode()
        yield "assets/math.woff2", (_TEMPLATES / "math.woff2").read_bytes()
        yield "assets/search.js", search_index(report.claims, {p.key: p.title for p in report.papers}).encode()
        yield "index.html", self.framed(self.body("index", top), top, report.title, "index")


def _inside(path: str) -> str:
    """A script's path within the folder; raises `ValueError` for one that leads out of it."""
    if Path(path).is_absolute() or ".." in Path(path).parts:
        raise ValueError(f"counterexample {path!r}: expected a path within the paper's folder")
    return path


def _asset(name: str) -> Markup:
    return Markup((_TEMPLATES / name).read_text(encoding="utf-8"))


def _style() -> Markup:
    """The style sheet of a single file: the font is in it."""
    font = base64.b64encode((_TEMPLATES / "math.woff2").read_bytes()).decode()
    return Markup(str(_asset("style.css")).replace('url("math.woff2")', f'url("data:font/woff2;base64,{font}")'))


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def render(report: Report, out: Path, jobs: int = 1) -> Path:
    """The pages into `out`: index, one per paper and per claim, tables, engine, side by side; the path of the index.

    Scripts are in `out`/counterexamples, as the claims' pages show them. The same input gives the same bytes. Raises
    `ValueError` naming entry and field on anything malformed, or a file in `out` that is not ours (`ReportFolder`),
    before a file is written. `jobs`: how many forks make the claims' pages.
    """
    ReportFolder(out).write(dict(_Site(report).pages(jobs)))
    return Path(out) / "index.html"


def render_single(report: Report, key: str, file: Path) -> Path:
    """One paper with all its claims in one file, which needs nothing beside it."""
    found = {paper.key: paper for paper in report.papers}
    if key not in found:
        raise ValueError(f"--single-file {key}: expected one of {', '.join(sorted(found))}")
    site, links = _Site(report), Links(single=frozenset(c.anchor for c in found[key].claims))
    parts = [site.paper(found[key], links)]
    if report.tables.get(key):
        held = report.tables[key]
        parts.append(site.body("tables", links, paper=found[key], tables=held, sentences=report.sentences(key)))
    parts += [site.body("claim", links, page=page) for page in report.claim_pages if page.claim.paper == key]
    content = site.framed(Markup("\n").join(parts), links, found[key].title, key)
    ReportFolder(file.parent).write({file.name: content})
    return file

"""`fedverdict report`: verdicts, runs and tables as a folder of pages, one file per paper, or plain text."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from validation.commands.claims.check import checked, selected
from validation.commands.claims.committed import weighed
from validation.commands.claims.search_options import BUDGET, JOBS
from validation.commands.complete import claims
from validation.commands.complete import rules as rule_names
from validation.commands.lists.algorithms import composition
from validation.commands.terminal import INSTALL_DEEP, fail

if TYPE_CHECKING:
    from validation.report import Report
    from validation.statement.claim import Paper
    from validation.statement.section import Section

__all__ = ["in_smoke", "report"]


def in_smoke(claim_id: str) -> bool:
    """Whether `report --smoke` checks a claim again: the same tenth of the claims every time, chosen by id."""
    return int(sha256(claim_id.encode()).hexdigest(), 16) % 10 == 0


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--out",
    default="report",
    type=click.Path(path_type=Path, file_okay=False),
    show_default=True,
    help="Folder for the report, if FOLDER is not given.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["html", "md", "json"]),
    default="html",
    show_default=True,
    help="Pages, Markdown or JSON.",
)
@click.option(
    "--single-file",
    "single",
    multiple=True,
    metavar="PAPER",
    shell_complete=claims,
    help="Only this paper, as one self-contained file; repeatable.",
)
@click.option(
    "--smoke", is_flag=True, help="Quick test: check a tenth of the claims on a small budget, with short runs."
)
@click.option("--full", is_flag=True, help="Check every claim again instead of using current committed verdicts.")
@BUDGET
@click.option("--seed", default=0, type=click.IntRange(min=0), show_default=True, help="Seed of searches and runs.")
@JOBS
@click.option(
    "--rule",
    "rules",
    multiple=True,
    shell_complete=rule_names,
    help="Another rule to compare, such as fed-aware(alpha=0.2) or package.module:name; repeatable.",
)
@click.option(
    "--side-by-side",
    "study",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Results of `fedverdict side-by-side` to show, in place of the bundled study.",
)
def report(
    folder: Path | None,
    out: Path,
    kind: str,
    single: tuple[str, ...],
    smoke: bool,
    full: bool,
    budget: int,
    seed: int,
    jobs: int,
    rules: tuple[str, ...],
    study: Path | None,
) -> None:
    """Write the report: HTML pages that open from disk.

    Committed verdicts that are current are used; other claims are checked first. The rules are run in the convex
    simulator and as a deep run.
    """
    from deep.base.lazy import is_installed
    from validation.job.job import committed, fingerprints_of
    from validation.job.together import together
    from validation.ledger.ledger import Ledger, write_ledger
    from validation.papers.repaired import of_shown
    from validation.papers.witnesses import in_words
    from validation.recipe.shelf import shelves
    from validation.report import Report
    from validation.report.both_worlds.compare import compare
    from validation.report.both_worlds.systems import committed_systems
    from validation.report.both_worlds.transfer import COMMITTED, read_study
    from validation.report.claims.over_classes import over_classes
    from validation.report.claims.smallest import smallest_constants
    from validation.report.folder import FolderError, ReportFolder
    from validation.report.glosses import glosses
    from validation.report.own_method import own_methods
    from validation.report.printed_tables import read_tables
    from validation.report.text.letters import Letters
    from validation.study.courses import courses
    from validation.study.frontiers import frontiers

    started = time.perf_counter()
    out = folder or out
    out.mkdir(parents=True, exist_ok=True)  # a folder that cannot be written is reported before the work, not after
    pairs = selected(())
    papers = {p.key: p for p, _ in pairs}
    for key in single:
        if key not in papers:
            fail(f"--single-file {key}: expected one of {', '.join(sorted(papers))}")
    everything = tuple(papers.values())
    if single:  # nothing else is checked, read or written
        papers = {key: papers[key] for key in dict.fromkeys(single)}
        pairs = [(paper, claim) for paper, claim in pairs if paper.key in papers]
    # What may be refused is checked before the work, not after.
    _check_folder(out, kind, single, papers)
    pages = kind == "html" and not single
    kept = study or (COMMITTED if COMMITTED.is_file() else None)
    try:
        transfer = read_study(kept) if pages and kept is not None else None
        words = glosses({key: paper.folder for key, paper in papers.items()}) if kind == "html" else {}
        own = {claim: one for paper in papers.values() for claim, one in own_methods(paper.folder).items()}
        where = {claim: rows for paper in papers.values() for claim, rows in in_words(paper).items()}
        sections = {key: _sections(paper) for key, paper in papers.items()} if kind == "html" else {}
    except (OSError, ValueError) as error:
        fail(str(error))
    known = {} if full else committed(pairs, fingerprints_of(pairs, jobs))
    if smoke:
        known = {key: entry for key, entry in known.items() if not in_smoke(key)}
    click.echo(f"{len(known)} committed verdicts are current, {len(pairs) - len(known)} claims to check", err=True)
    ledger = Ledger(out)
    entries = weighed(pairs, checked(pairs, 500 if smoke else budget, seed, jobs, ledger, known))
    write_ledger(out, entries)
    ReportFolder(out).adopt("ledger.json")
    works: dict[str, Callable[[], Any]] = {}
    left_out = ""
    if pages and not is_installed():
        left_out = f"the page of the rules in convex and deep runs: there is no PyTorch ({INSTALL_DEEP})"
        click.echo(f"left out: {left_out}", err=True)
    elif pages:
        click.echo("running the rules in the convex simulator and in a deep run …", err=True)
        works["comparison"] = lambda: compare(seed=seed, n_rounds=4 if smoke else 40, rules=rules)
    if kind == "html":
        works["tables"] = lambda: {s.paper: read_tables(s) for s in shelves() if s.paper in papers}
    if kind == "html" and not smoke:
        works["frontiers"] = lambda: frontiers(list(papers.values()))
    made = together(works, jobs)
    decided = {claim: rows for paper in papers.values() for claim, rows in over_classes(paper.folder).items()}
    digests = {entry.id: entry.fingerprint for entry in entries}
    small = {claim: found for p in papers.values() for claim, found in smallest_constants(p.folder, digests).items()}
    beside = {e.id: {"over_classes": decided.get(e.id, []), "smallest": small.get(e.id, [])} for e in entries}
    rows = [{**entry.json(), **beside[entry.id]} for entry in entries]
    chosen = "".join(f" --single-file {key}" for key in papers) if single else ""
    commands = ([] if single else ["make report"]) + [f"fedverdict report{chosen} --full --seed {seed}"]
    shown = Report(
        rows,
        made.get("comparison"),
        transfer=transfer,
        composition=composition() if pages else None,
        tables=made.get("tables", {}),
        frontiers=made.get("frontiers", {}),
        letters={key: Letters.of(paper) for key, paper in papers.items()},
        glosses=words,
        instances=where,
        own_methods=own,
        looks={entry.id: of_shown(entry, claim) for (_, claim), entry in zip(pairs, entries, strict=True)},
        courses=courses([claim for _, claim in pairs], entries) if kind == "html" else {},
        sections=sections,
        systems=committed_systems({key: paper.folder for key, paper in papers.items()}),
        meta={"seed": seed, "smoke": smoke, **_meta(papers, everything), "commands": commands}
        | ({"left out": left_out} if left_out else {}),
    )
    click.echo(f"writing {'pages' if pages else kind} …", err=True)
    try:
        place = _written(shown, kind, tuple(papers) if single else (), out, jobs)
    except FolderError as error:
        fail(str(error))
    click.echo(f"report: {place.resolve()} ({time.perf_counter() - started:.0f} s)")


def _sections(paper: Paper) -> tuple[Section, ...]:
    """Further parts of a paper's page; raises `ValueError` naming the paper where it cannot make them."""
    from validation.statement.section import Section

    try:
        found = paper.sections()
    except (OSError, ValueError) as error:
        raise ValueError(f"sections of paper {paper.key!r}: {error}") from error
    if not isinstance(found, tuple) or not all(isinstance(part, Section) for part in found):
        raise ValueError(f"sections of paper {paper.key!r}: a {type(found).__name__}; expected a tuple of Section")
    return found


def _check_folder(out: Path, kind: str, single: Sequence[str], papers: Mapping[str, Paper]) -> None:
    """End with code 2 where the report would overwrite a person's file or follow a link."""
    from validation.ledger.ledger import load_entries
    from validation.report.folder import FolderError, ReportFolder

    names = ["ledger.jsonl", "ledger.lock", "ledger.json", "counterexamples"]
    if kind == "json":
        names += ["report.json"]
    elif single or kind == "md":
        names += [f"{key}.{kind}" for key in papers] + ([] if single else ["index.md"])
    else:
        names += [f"{name}.html" for name in ("index", "engine", "two-worlds", "side-by-side", "composition")]
        names += [f"{name}-{key}.html" for key in papers for name in ("paper", "tables")]
        names += ["claims", *(f"assets/{name}" for name in ("style.css", "app.js", "math.woff2", "search.js"))]
    own = {"ledger.jsonl", "ledger.lock", *(name for name in ("counterexamples", "claims") if (out / name).is_dir())}
    try:
        if load_entries(out / "ledger.json"):  # of an earlier `fedverdict check` into this folder
            own.add("ledger.json")
    except ValueError:
        pass
    try:
        ReportFolder(out).check(names, own)
    except FolderError as error:
        fail(str(error))


def _meta(papers: Mapping[str, Paper], everything: Sequence[Paper]) -> dict[str, Any]:
    """Where the numbers come from, and how the papers shown, and all that there are, are called."""
    from validation.ledger.provenance import provenance
    from validation.report.claims.cite import issues_address

    made = provenance()
    return {
        "commit": made.pop("commit"),
        "date": made.pop("date"),
        "provenance": made,
        "papers": {key: paper.title for key, paper in papers.items()},
        "names": {paper.key: paper.name for paper in everything},
        "calibration": [paper.key for paper in everything if paper.calibration],
        "printed": {
            key: {"authors": ", ".join(p.authors), "year": p.year, "venue": p.venue, "version": p.version}
            for key, p in papers.items()
            if not p.calibration
        },
        "issues": issues_address(),
    }


def _written(shown: Report, kind: str, single: Sequence[str], out: Path, jobs: int) -> Path:
    """The file to open: of pages their index, of papers by themselves the last."""
    from validation.report import render, render_single
    from validation.report.plain import as_json, as_markdown

    if kind == "json":
        return as_json(shown, out)
    if kind == "md":
        return as_markdown(shown, out)
    if single:
        return [render_single(shown, key, out / f"{key}.html") for key in single][-1]
    return render(shown, out, jobs)

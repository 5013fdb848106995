"""The report: every verdict with its evidence, and the rules convex and deep, in one HTML file that stands alone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from theory.files import replace_file
from validation.report import fields, pages, readable
from validation.report.claims import read_claims
from validation.report.comparison import read_comparison
from validation.report.fedssa import Section
from validation.report.frontier import frontier_panels
from validation.report.mathml import mathml, prose
from validation.report.side_by_side import side_by_side
from validation.report.systems import read_system
from validation.report.verdicts import VERDICTS

__all__ = ["render"]

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
        "mathml": mathml,
        "num": readable.num,
        "prose": prose,
        "ratio": readable.ratio,
        "seconds": readable.seconds,
        "share": readable.share,
    }
    return environment


def render(
    entries: Sequence[Mapping[str, object]],
    comparison: Mapping[str, object] | None,
    out: Path,
    *,
    frontiers: Mapping[str, Sequence[Mapping[str, object]]] | None = None,
    sections: Mapping[str, Sequence[Section]] | None = None,
    systems: Mapping[str, object] | None = None,
    title: str = "fedverdict",
    meta: Mapping[str, object],
) -> Path:
    """`out`/index.html: overview, ledger, one page per claim and, where there is a comparison, the side-by-side page.

    `entries`: ledger entries of all papers, in the order to show; grouped by paper here.
    `comparison`: the content of comparison.json, or None.
    `systems`: what papers' whole systems do in both worlds, by key, as `validation.report.systems` reads it.
    `frontiers`: the measured trade-offs of papers by key, as `validation.study.frontiers` makes them.
    `sections`: further parts of papers' pages by key, such as a system's own runs.
    `meta`: any of `commit`, `date`, `seed`, `versions` {name: version}, `papers` {key: title}, `folders` {key: folder
    that holds the paper's counterexamples/}, `calibration` [keys of papers of known truths], `commands` [shell line],
    `provenance` {name: value}, `smoke` (true: the cover says that budgets were cut); further texts and numbers join
    the provenance.
    The same input gives the same bytes. Raises `ValueError` naming entry and field on anything malformed.
    """
    claims = read_claims(entries)
    compared = None if comparison is None else side_by_side(read_comparison(comparison))
    groups = pages.papers(claims, fields.mapping(meta, "papers", "render(meta=…)"))
    tuning = set(fields.strings(meta, "calibration", "render(meta=…)"))
    of_papers = tuple(g for g in groups if g.key not in tuning)
    known = tuple(c for g in groups if g.key in tuning for c in g.claims)
    judged = tuple(c for g in of_papers for c in g.claims)
    css = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    js = (_TEMPLATES / "app.js").read_text(encoding="utf-8")
    # The page may run this very script and load nothing: a policy the browser itself enforces.
    script_hash = base64.b64encode(hashlib.sha256(js.encode()).digest()).decode()
    html = (
        _environment()
        .get_template("report.html.jinja")
        .render(
            title=title,
            css=Markup(css),
            js=Markup(js),
            script_hash=script_hash,
            claims=claims,
            papers=groups,
            judged=judged,
            of_papers=of_papers,
            calibration=pages.Calibration(known) if known else None,
            totals={v.word: n for v, n in pages.tally(claims)},
            judged_totals={v.word: n for v, n in pages.tally(judged)},
            verdicts=VERDICTS,
            canaries=pages.canary_score(judged),
            claim_pages=pages.claim_pages(groups, fields.mapping(meta, "folders", "render(meta=…)")),
            compared=compared,
            systems={key: read_system(data, f"system of {key}") for key, data in (systems or {}).items()},
            frontiers={key: frontier_panels(rows) for key, rows in (frontiers or {}).items()},
            sections=dict(sections or {}),
            smoke=bool(fields.flag(meta, "smoke", "render(meta=…)")),
            provenance=pages.provenance(meta),
            commands=pages.commands(groups, meta, compared=compared is not None),
        )
    )
    path = Path(out) / "index.html"
    out.mkdir(parents=True, exist_ok=True)
    replace_file(path, html.encode())
    return path

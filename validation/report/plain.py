"""The report as Markdown, a file a paper, and as JSON: the answers, the counterexamples' numbers, the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validation.report.counterexample.instance import told_apart
from validation.report.folder import ReportFolder
from validation.statement.roles import RESULTS

if TYPE_CHECKING:
    from validation.report.pages import ClaimPage, Paper
    from validation.report.site import Report

__all__ = ["as_json", "as_markdown"]


def as_json(report: Report, out: Path) -> Path:
    """`out`/report.json: a list of papers, each with its claims in the order of print."""
    pages = {page.claim.id: page for page in report.claim_pages}
    document = [_paper(paper, pages) for paper in report.judged]
    ReportFolder(out).write({"report.json": (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()})
    return out / "report.json"


def _paper(paper: Paper, pages: dict[str, ClaimPage]) -> dict[str, Any]:
    return {
        "key": paper.key,
        "title": paper.title,
        "stand": paper.standing,
        "of": len(paper.results),
        "weights": dict(paper.weights),
        "groups": [
            {
                "title": group.title,
                "claims": [
                    {**_claim(pages[r.claim.id]), "steps": [_claim(pages[s.id]) for s in r.steps]}
                    for r in group.results
                ],
            }
            for group in paper.groups
        ],
    }


def _claim(page: ClaimPage) -> dict[str, Any]:
    claim, found = page.claim, page.found
    counterexample: dict[str, Any] | None = None
    if found is not None and page.shown is not None:
        texts = told_apart(found.left, found.right)
        both = {"left": texts[0], "right": texts[1]} if found.left is not None else {}
        counterexample = {**both, "script": claim.counterexample, "shown": page.shown.json()}
    return {
        "id": claim.id,
        "at": claim.at,
        "title": claim.title,
        "level": claim.level,
        "ours": claim.ours or None,
        "verdict": claim.verdict.word,
        "weight": claim.weight or None,
        "answer": page.answer,
        "printed": claim.printed,
        "condition": claim.condition or None,
        "edit": claim.edit or None,
        "instead": [{**found.json(), "instance_shown": page.apart.get(found.kind)} for found in claim.mended],
        "uncovered": page.uncovered or None,
        "own_method": None if page.own_method is None else page.own_method.json(claim),
        "rests_on_it": [{"id": r.claim.id, "through": list(r.through)} for r in page.resting],
        "matter": page.matter or None,
        "counterexample": counterexample,
        "command": claim.command,
    }


def as_markdown(report: Report, out: Path) -> Path:
    """`out`/KEY.md for each paper and an index.md that lists them; the path of the index."""
    pages = {page.claim.id: page for page in report.claim_pages}
    lines = ["# Does each statement hold?", ""]
    files = {}
    for paper in report.judged:
        files[f"{paper.key}.md"] = ("\n".join(_text(paper, pages)) + "\n").encode()
        lines.append(f"- [{paper.title}]({paper.key}.md): {paper.headline}")
    ReportFolder(out).write({**files, "index.md": ("\n".join(lines) + "\n").encode()})
    return out / "index.md"


def _text(paper: Paper, pages: dict[str, ClaimPage]) -> list[str]:
    lines = [f"# {paper.title}", "", f"{paper.headline}."]
    for group in paper.groups:
        lines += ["", f"## {group.title}", ""]
        for result in group.results:
            lines += _result(pages[result.claim.id])
            lines += [f"  - {s.id} {s.title}: **{s.verdict.word}**. {pages[s.id].answer}" for s in result.steps]
    return lines


def _result(page: ClaimPage) -> list[str]:
    claim, found = page.claim, page.found
    source = f" ({claim.at})" if claim.at else ""
    lines = [f"- **{claim.id}** {claim.title}{source}: **{claim.verdict.word}**. {page.answer}"]
    if claim.printed and claim.level in RESULTS:
        lines += ["", f"  $${claim.printed}$$", ""]
    if found is not None and found.left is not None and claim.counterexample:
        left, right = told_apart(found.left, found.right)
        lines.append(f"  [{claim.counterexample}]({claim.counterexample}): left {left}, right {right}.")
    return lines

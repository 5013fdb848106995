"""How to cite a verdict, and how to object to it: a BibTeX entry, and a text with the claim, reading and instance."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, metadata
from urllib.parse import urlencode, urlsplit

from validation.report.claims.claims import Claim
from validation.report.claims.shown import AtInstance
from validation.report.text.readable import nearby, value
from validation.report.text.tex import in_tex

__all__ = ["bibtex", "bibtex_of_report", "issues_address", "objection", "objection_address"]

_LONGEST = 1500  # characters of an instance in a text: addresses have a limit
_ISSUES = ("issues", "bug tracker", "tracker", "source", "repository", "homepage")


def bibtex(claim: Claim, title: str, issues: str = "") -> str:
    """A BibTeX entry for the verdict on a claim; `title` of its paper, `issues` the address of the project's issues.

    Commit and version are those by which the verdict was made; what is not known is left out.
    """
    made = dict(claim.provenance)
    version, commit, date = (made.get(key, "") for key in ("fedverdict", "commit", "date"))
    place = f", {claim.at}" if claim.at else ""
    rows = {
        "author": "{The fedverdict developers}",
        "title": f"{{fedverdict: {claim.id}, {in_tex(title)}{in_tex(place)}}}",
        "year": date[:4],
        "version": version,
        "url": issues.removesuffix("/issues"),
        "note": "; ".join(filter(None, [f"verdict: {claim.verdict.word}", f"commit {commit}" if commit else ""])),
    }
    return _entry(re.sub(r"[^A-Za-z0-9-]", "-", claim.id), rows)


def bibtex_of_report(made: Mapping[str, str], n_statements: int, n_papers: int, issues: str = "") -> str:
    """A BibTeX entry for a whole report; `made`: with what; `issues`: the address of the project's issues."""
    papers = f"{n_papers} paper{'s' * (n_papers != 1)}"
    rows = {
        "author": "{The fedverdict developers}",
        "title": f"{{fedverdict: verdicts on {n_statements} statements of {papers} on federated aggregation}}",
        "year": made.get("date", "")[:4],
        "version": made.get("fedverdict", ""),
        "url": issues.removesuffix("/issues"),
        "note": f"commit {made['commit']}" if made.get("commit") else "",
    }
    return _entry("report", rows)


def _entry(key: str, rows: Mapping[str, str]) -> str:
    held = ",\n".join(f"  {name} = {{{text}}}" for name, text in rows.items() if text)
    return f"@software{{fedverdict-{key},\n{held}\n}}"


def objection(claim: Claim, title: str, found: AtInstance | None) -> str:
    """The text of an objection to fill in: claim, reading, instance and line of the paper."""
    made = dict(claim.provenance)
    lines = [
        f"Claim: {claim.id} ({claim.title})",
        f"Paper: {title}",
        *([f"Place: {claim.at}"] if claim.at else []),
        *([f"Printed: {claim.printed}"] if claim.printed else []),
        f"Verdict: {claim.verdict.word}",
        f"Made with: fedverdict {made.get('fedverdict', '?')}, commit {made.get('commit', '?')}",
    ]
    if found is not None:
        lines += [f"Reading: {found.reading}", f"Instance: {found.case}", _numbers(found.numbers)]
    lines += ["", "What I object to, and the line of the paper that says so:", ""]
    return "\n".join(lines)


def _numbers(numbers: Mapping[str, object]) -> str:
    rows = (f"  {name} = {' / '.join(value(nearby(x)).splitlines())}" for name, x in numbers.items())
    return "\n".join(rows)[:_LONGEST]


def issues_address(package: str = "fedverdict") -> str:
    """Where the project takes issues, by the addresses of its package; '' where it names none."""
    try:
        held = metadata(package).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    known = {name.strip().casefold(): address.strip() for name, _, address in (one.partition(",") for one in held)}
    found = next(((name, known[name]) for name in _ISSUES if name in known), None)
    if found is None:
        return ""
    name, address = found
    return address if "issue" in name or "tracker" in name else f"{address.rstrip('/').removesuffix('.git')}/issues"


def objection_address(address: str, claim: Claim, text: str) -> str:
    """The address at which an issue with this text is begun; '' where the project has no address."""
    if urlsplit(address).scheme not in {"http", "https"}:
        return ""
    title = f"{claim.id}: objection"
    host = urlsplit(address).hostname or ""
    fields = {"issue[title]": title, "issue[description]": text} if "gitlab" in host else {"title": title, "body": text}
    return f"{address.rstrip('/')}/new?{urlencode(fields)}"

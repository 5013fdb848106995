"""Committed verdicts in the papers' folders: printed at once, a counterexample alone, written for maintainers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from validation.commands.claims.explain import explain
from validation.commands.output import echo, echo_source
from validation.commands.terminal import fail
from validation.papers.index import is_installed_copy

if TYPE_CHECKING:
    from validation.judge.entry import Entry
    from validation.report.glosses import Glosses
    from validation.statement.claim import Claim, Paper

__all__ = [
    "committed_entries",
    "explain_committed",
    "print_committed",
    "print_counterexample",
    "refuse_installed",
    "shown_json",
    "weighed",
    "write_entries",
]

Pair = tuple["Paper", "Claim"]


def committed_entries(pairs: list[Pair]) -> list[tuple[Paper, Claim, Entry]] | None:
    """The committed entries of the claims, in today's words; None where one is missing or of another shape.

    Ends with code 2 where a paper's ledger is damaged or edited.
    """
    from validation.judge.words.entry import reworded
    from validation.papers.committed import committed_of
    from validation.statement.roles import roles_of

    held: dict[str, Entry] = {}
    for paper in {p.key: p for p, _ in pairs}.values():
        try:
            held |= {e.id: e for e in committed_of(paper)}
        except ValueError as error:
            fail(f"{error}; --again searches without it")
    shown = []
    for paper, claim in pairs:
        entry = held.get(claim.id)
        same = entry is not None and len(entry.readings) == len(claim.readings)
        if entry is None or not same or len(entry.mutants) != len(claim.mutants):
            return None
        shown.append((paper, claim, replace(reworded(entry, claim, roles_of(claim)), weight=entry.weight)))
    return shown


def explain_committed(held: list[tuple[Paper, Claim, Entry]]) -> None:
    """Print committed verdicts; one made before its code changed is marked, with the option that renews it."""
    from validation.job.job import is_current

    for paper, claim, entry in held:
        explain(entry, "", paper.folder, paper)
        state = "current" if is_current(entry, paper, claim) else "made before its code changed"
        echo(f"\n  the committed verdict, {state}; --again searches again")


def print_committed(held: list[tuple[Paper, Claim, Entry]]) -> None:
    """One line for each committed verdict and what restores the statement; and how to read or search more."""
    from validation.job.job import is_current
    from validation.papers.look_up import LookedUp

    for paper, claim, entry in held:
        state = "" if is_current(entry, paper, claim) else "; made before its code changed"
        echo(f"{LookedUp(claim, entry).verdict}{state}")
    names = " ".join(claim.id for _, claim, _ in held)
    echo(f"committed; fedverdict check {names} --explain says why, --again searches again", err=True)


def print_counterexample(entry: Entry, latex: bool, paper: Paper | None = None) -> None:
    """Print the counterexample of an entry and nothing else: its script, or for `latex` an example environment.

    `paper`: in whose letters the example is.
    """
    source = entry.counterexample_source
    if not source:
        of_runs = any("runs" in (reading.stages or {}) for reading in entry.readings)
        why = "it rests on runs, and no script confirms these" if of_runs else "it has no counterexample"
        fail(f"{entry.id} is {entry.verdict}: {why}; see --explain")
    if latex:
        from validation.report.claims.claims import read_claims
        from validation.report.claims.latex import referee
        from validation.report.claims.shown import at_instance
        from validation.report.text.letters import Letters

        (claim,) = read_claims([entry.json()])
        letters, glosses = (None, None) if paper is None else (Letters.of(paper), _glosses(paper))
        echo_source(referee(claim, at_instance(claim, letters, glosses), letters))
    else:
        echo_source(source)


def shown_json(entry: Entry, paper: Paper) -> dict[str, Any]:
    """The entry as JSON, with its counterexample as the page shows it under `shown`, null without one.

    `instead`: what holds in place of the print, each a whole statement, with how the instance shown stands to it;
    `uncovered`: that it does not cover the paper's own method; `own_method`: a counterexample by that one.
    """
    from validation.papers.repaired import of_shown
    from validation.report.claims.apart import apart
    from validation.report.claims.claims import read_claims
    from validation.report.claims.matter import uncovered
    from validation.report.claims.shown import at_instance
    from validation.report.own_method import own_method_of
    from validation.report.text.letters import Letters

    (claim,) = read_claims([entry.json()])
    found = at_instance(claim, Letters.of(paper), _glosses(paper))
    looks = of_shown(entry, next(own for own in paper.claims if own.id == claim.id))
    compared = apart(claim, found, looks)
    instead = [{**mended.json(), "instance_shown": compared.get(mended.kind)} for mended in claim.mended]
    own = own_method_of(paper.folder, claim.id)
    return {
        **entry.json(),
        "instead": instead,
        "uncovered": uncovered(claim) or None,
        "shown": None if found is None else found.json(),
        "own_method": None if own is None else own.json(claim),
    }


def _glosses(paper: Paper) -> Glosses:
    """What the numbers of the paper's instances are; nothing where its file of words is not readable."""
    from validation.report.glosses import Glosses, read_glosses

    try:
        return read_glosses(paper.folder)
    except ValueError:
        return Glosses()


def refuse_installed(papers: Iterable[Paper]) -> None:
    """End with code 2 where a paper's folder is an installed copy, which the next installation replaces."""
    for paper in papers:
        if is_installed_copy(paper.folder):
            fail(
                f"--update-committed: {paper.folder} is an installed copy of {paper.key}, which the next installation"
                " replaces; install its source with pip install --editable FOLDER and check again"
            )


def write_entries(pairs: list[Pair], entries: list[Entry]) -> None:
    """Write entries into the papers' own folders; ends with code 2 where claims of a paper are missing."""
    from validation.ledger.ledger import write_committed

    for paper in {p.key: p for p, _ in pairs}.values():
        mine = [e for e in entries if e.paper == paper.key]
        if len(mine) != len(paper.claims):
            fail(f"--update-committed needs every claim of {paper.key}; name the paper, not single claims")
        write_committed(paper.folder, weighed([(paper, c) for c in paper.claims], mine))


def weighed(pairs: list[Pair], entries: list[Entry]) -> list[Entry]:
    """The entries in their order, with the weights of those papers of which all are there."""
    from validation.judge.words import entry as wording
    from validation.statement.roles import roles_of

    found = {e.id: e for e in entries}
    for paper in {p.key: p for p, _ in pairs}.values():
        if all(c.id in found for c in paper.claims):
            roles = {c.id: roles_of(c) for c in paper.claims}
            found |= {e.id: e for e in wording.weighed([found[c.id] for c in paper.claims], roles)}
    return [found[e.id] for e in entries]

"""The command `fedverdict`: check claims, run rules, compare convex and deep, write the report."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import click
from rich.table import Table

from validation.commands.algorithms import algorithms
from validation.commands.reference import REFERENCE_OPTIONS, reference
from validation.commands.run import RunCommand, run
from validation.commands.simulate import SIMULATE_OPTIONS, simulate
from validation.commands.terminal import Commands, Terminal, fail, progress
from validation.effort import check_thoroughly
from validation.engine import DEFAULT_BUDGET
from validation.job import Entry, Pair, check_claims, committed
from validation.ledger import Ledger, write_ledger
from validation.limits import Limits
from validation.papers import left_out, select

__all__ = ["in_smoke", "main"]

_STYLES = {"proved": "bold green", "holds": "green", "refuted": "bold red", "unstated-condition": "red"}
_UNDECIDED = {"inconclusive", "not-checked"}


def _budget(_context: click.Context, _parameter: click.Parameter, value: str) -> int:
    try:
        number = int(float(value))
    except (ValueError, OverflowError):
        raise click.BadParameter(f"{value!r} is no number; expected evaluations per reading, such as 1e5") from None
    if number < 100:
        raise click.BadParameter(f"{value}: expected at least 100 evaluations per reading")
    return number


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fedverdict")
def main() -> None:
    """Does each statement of a federated-learning paper hold? Verdicts with exact counterexamples."""


_DEFAULTS = Limits()


def _limited(command: Callable[..., None]) -> Callable[..., None]:
    """The options of `Limits`."""
    positive = click.FloatRange(min=0, min_open=True)
    for name, kind, default, words in (
        ("--memory", positive, _DEFAULTS.memory / 2**30, "GiB a unit of work may take before its claim is undecided."),
        ("--digits", click.IntRange(min=1), _DEFAULTS.digits, "Digits that fractions of an exact recheck may have."),
        (
            "--recheck-seconds",
            positive,
            _DEFAULTS.recheck_seconds,
            "Seconds of an exact recheck, in counted operations.",
        ),
        ("--seconds", positive, _DEFAULTS.seconds, "Seconds a unit of work (a reading, a mutant) may take."),
    ):
        command = click.option(name, type=kind, default=default, show_default=True, help=words)(command)
    return command


def _selected(names: tuple[str, ...]) -> list[Pair]:
    """The claims named, after one line for each paper that cannot be used."""
    try:
        for line in left_out():
            click.echo(f"fedverdict: {line}", err=True)
        return select(names)
    except ValueError as error:
        fail(str(error))


@main.command()
@click.argument("names", nargs=-1)
@click.option("--list", "listing", is_flag=True, help="List the claims and stop.")
@click.option("--json", "as_json", is_flag=True, help="Print the entries as a JSON array.")
@click.option("--explain", is_flag=True, help="Print statement, evidence, worst instance and counterexample.")
@click.option(
    "--budget", default=str(DEFAULT_BUDGET), callback=_budget, show_default=True, help="Evaluations a reading."
)
@click.option("--seed", default=0, type=click.IntRange(min=0), show_default=True)
@click.option("--jobs", default=1, type=click.IntRange(min=1), show_default=True, help="Claims checked in parallel.")
@click.option(
    "--ledger",
    "folder",
    default="fedverdict-results",
    type=click.Path(path_type=Path, file_okay=False),
    show_default=True,
    help="Folder that keeps ledger.jsonl, ledger.json and the counterexamples.",
)
@click.option(
    "--resume", is_flag=True, help="Do not repeat units of work the ledger holds for the same code, budget and seed."
)
@click.option(
    "--thorough",
    is_flag=True,
    help="Budgets that grow until a theorem, lemma or corollary took 5 minutes of processor time and a step 5 s.",
)
@_limited
@click.option("--update-committed", is_flag=True, help="Write into the papers' own folders (for maintainers).")
def check(
    names: tuple[str, ...],
    listing: bool,
    as_json: bool,
    explain: bool,
    budget: int,
    seed: int,
    jobs: int,
    folder: Path,
    resume: bool,
    thorough: bool,
    update_committed: bool,
    seconds: float,
    recheck_seconds: float,
    digits: int,
    memory: float,
) -> None:
    """Check claims by id (EA-T1) or paper (exp_alpha); all of them when none is named."""
    pairs = _selected(names)
    if listing:
        _list(pairs, as_json)
        return
    limits = Limits(seconds, recheck_seconds, digits, round(memory * 2**30))
    ledger = Ledger(folder)
    folder.mkdir(parents=True, exist_ok=True)  # a folder that cannot be written is said before the work, not after
    if thorough:
        entries = _thoroughly(pairs, seed, jobs, ledger, limits)
    else:
        entries = _checked(pairs, budget, seed, jobs, ledger, {}, resume, limits)
    ledger.derive([c.id for _, c in select(())])
    if update_committed:
        _update(pairs, entries)
    if as_json:
        click.echo(json.dumps(entries, ensure_ascii=False, indent=1, allow_nan=False))
    elif explain:
        for entry in entries:
            _explain(entry, folder)
    else:
        _table(entries, folder)
    raise SystemExit(1 if any(e["verdict"] in _UNDECIDED for e in entries) else 0)


def _checked(
    pairs: list[Pair],
    budget: int,
    seed: int,
    jobs: int,
    ledger: Ledger | None,
    known: dict[str, Entry],
    resume: bool = False,
    limits: Limits | None = None,
) -> list[Entry]:
    found: dict[str, Entry] = {}
    with progress("checking", len(pairs)) as advance:
        for entry in check_claims(
            pairs, budget=budget, seed=seed, jobs=jobs, ledger=ledger, known=known, resume=resume, limits=limits
        ):
            found[entry["id"]] = entry
            advance(1, f"checked {entry['id']}")
    return [found[c.id] for _, c in pairs]


def _thoroughly(pairs: list[Pair], seed: int, jobs: int, ledger: Ledger, limits: Limits) -> list[Entry]:
    found: dict[str, Entry] = {}
    with progress("checking", len(pairs)) as advance:
        for entry, _made in check_thoroughly(pairs, seed=seed, jobs=jobs, ledger=ledger, limits=limits):
            found[entry["id"]] = entry
            advance(1, f"checked {entry['id']}")
    return [found[c.id] for _, c in pairs]


def _update(pairs: list[Pair], entries: list[Entry]) -> None:
    for paper in {p.key: p for p, _ in pairs}.values():
        mine = [e for e in entries if e["paper"] == paper.key]
        if len(mine) != len(paper.claims):
            fail(f"--update-committed needs every claim of {paper.key}; name the paper, not single claims")
        write_ledger(paper.folder, mine)


def in_smoke(claim_id: str) -> bool:
    """Whether `report --smoke` checks a claim anew: the same tenth of the claims every time, picked by their ids."""
    return int(sha256(claim_id.encode()).hexdigest(), 16) % 10 == 0


def _list(pairs: list[Pair], as_json: bool) -> None:
    if as_json:
        rows = [
            {"id": c.id, "paper": p.key, "kind": str(c.kind), "title": c.title, "source": c.source} for p, c in pairs
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    table = Table("id", "paper", "kind", "source", "what it says", box=None, pad_edge=False)
    for paper, claim in pairs:
        table.add_row(claim.id, paper.key, str(claim.kind), claim.source, claim.title)
    Terminal().print(table)


def _table(entries: list[Entry], folder: Path) -> None:
    table = Table("id", "verdict", "worst lhs/rhs", "instances", "s", box=None, pad_edge=False)
    table.add_column("reproduce with", no_wrap=True)
    for e in entries:
        ratio = e["worst_ratio"]
        shown = "" if ratio is None else ratio if isinstance(ratio, str) else f"{ratio:.4g}"
        style = _STYLES.get(e["verdict"], "yellow")
        command = f"fedverdict check {e['id']} --budget {e['budget']} --seed {e['seed']}"
        table.add_row(
            e["id"], f"[{style}]{e['verdict']}[/]", shown, f"{e['instances']:,}", f"{e['seconds']:.1f}", command
        )
    Terminal(120).print(table)
    click.echo(f"ledger and counterexamples: {folder}", err=True)


def _explain(e: Entry, folder: Path) -> None:
    console = Terminal(highlight=False)
    console.print(f"[bold]{e['id']}[/]  {e['title']}  ({e['paper']}, {e['source']})", soft_wrap=True)
    console.print(f"  {e['says']}\n  {e['statement']}", markup=False, soft_wrap=True)
    console.print(f"  verdict: [{_STYLES.get(e['verdict'], 'yellow')}]{e['verdict']}[/]")
    console.print(f"  {e['words']}", markup=False, soft_wrap=True)
    for r in e["readings"]:
        mark = "" if r["as_printed"] else f" ({r['repair']}, not as printed)"
        console.print(f"  - {r['name']}{mark}: {r['verdict']}\n      {r['why']}", markup=False, soft_wrap=True)
        if r.get("worst_instance"):
            console.print(f"      worst instance: {json.dumps(r['worst_instance'])}", markup=False, soft_wrap=True)
    killed = sum(c["killed"] for c in e["canaries"])
    console.print(f"  canaries killed: {killed} of {len(e['canaries'])}")
    if e["counterexample"]:
        console.print(f"  counterexample: python {folder / e['counterexample']}", markup=False, soft_wrap=True)
        console.print(e["counterexample_source"], markup=False, soft_wrap=True)


@main.command()
@click.option("--out", default="report", type=click.Path(path_type=Path, file_okay=False), show_default=True)
@click.option(
    "--smoke", is_flag=True, help="A tenth of the claims at a small budget and short runs: does everything work?"
)
@click.option("--full", is_flag=True, help="Recompute every verdict instead of trusting current committed ledgers.")
@click.option(
    "--budget", default=str(DEFAULT_BUDGET), callback=_budget, show_default=True, help="Evaluations a reading."
)
@click.option("--seed", default=0, type=click.IntRange(min=0), show_default=True)
@click.option("--jobs", default=1, type=click.IntRange(min=1), show_default=True, help="Claims checked in parallel.")
def report(out: Path, smoke: bool, full: bool, budget: int, seed: int, jobs: int) -> None:
    """Check the claims, run the rules convex and deep, and write one self-contained HTML report."""
    from validation.compare import compare
    from validation.frontiers import frontiers
    from validation.provenance import provenance
    from validation.report import render

    started = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)  # a folder that cannot be written is said before the work, not after
    pairs = _selected(())
    known = {} if full else committed(pairs)
    if smoke:
        known = {key: entry for key, entry in known.items() if not in_smoke(key)}
    click.echo(f"{len(known)} verdicts stand in committed ledgers, {len(pairs) - len(known)} to check", err=True)
    ledger = Ledger(out)
    entries = _checked(pairs, 500 if smoke else budget, seed, jobs, ledger, known)
    write_ledger(out, entries)
    with progress("convex and deep runs", 1) as advance:
        comparison = compare(seed=seed, n_rounds=4 if smoke else 40, tick=advance)
    papers = {p.key: p for p, _ in pairs}
    measured = {} if smoke else frontiers(list(papers.values()))
    made = provenance()
    meta = {
        "seed": seed,
        "smoke": smoke,
        "commit": made.pop("commit"),
        "date": made.pop("date"),
        "provenance": made,
        "papers": {key: paper.title for key, paper in papers.items()},
        "folders": dict.fromkeys(papers, str(out)),
        "calibration": [key for key, paper in papers.items() if paper.calibration],
        "commands": ["make report", f"fedverdict report --full --seed {seed}"],
    }
    page = render(entries, comparison, out, frontiers=measured, meta=meta)
    click.echo(f"report: {page.resolve()} ({time.perf_counter() - started:.0f} s)")


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print the rules as a JSON array, with settings and defaults.")
def rules(as_json: bool) -> None:
    """List the aggregation rules: formula, what each needs, memory, what the weights sum to, source."""
    from theory.rules import rules as entries

    if as_json:
        shown = ("name", "kind", "paper", "source", "formula", "needs", "signals", "memory", "total", "settings")
        rows = [{name: getattr(e, name) for name in shown} for e in entries()]
        click.echo(json.dumps(rows, indent=1, ensure_ascii=False, default=repr))
        return
    table = Table("rule", "weights", "needs", "memory", "total", "source", box=None, pad_edge=False)
    for e in entries():
        needs = ", ".join(f"{name} (signal)" if name in e.signals else name for name in e.needs)
        table.add_row(e.name, e.formula, needs, "yes" if e.memory else "", e.total, f"{e.paper}, {e.source}")
    Terminal(160).print(table)


main.add_command(algorithms)
main.add_command(RunCommand("run", callback=run, help=run.__doc__))
main.add_command(
    RunCommand(
        "simulate",
        callback=simulate,
        help=simulate.__doc__,
        params=list(SIMULATE_OPTIONS),
        shared=("file", "rule", "rule_settings", "out", "data_root", "references", "seeds", "dry_run", "print_config"),
    )
)
main.add_command(
    RunCommand(
        "reference",
        callback=reference,
        help=reference.__doc__,
        params=list(REFERENCE_OPTIONS),
        shared=("file", "data_root", "references"),
    )
)

if __name__ == "__main__":
    sys.exit(main())

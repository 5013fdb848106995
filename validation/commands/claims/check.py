"""`fedverdict check`: verdicts on claims, kept in a ledger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from validation.commands.claims.committed import (
    committed_entries,
    explain_committed,
    print_committed,
    print_counterexample,
    refuse_installed,
    shown_json,
    weighed,
    write_entries,
)
from validation.commands.claims.explain import explain as written
from validation.commands.claims.search_options import JOBS, OR_SECONDS, Seconds, limited
from validation.commands.complete import claims
from validation.commands.grouped import GroupedCommand
from validation.commands.output import echo, echo_json
from validation.commands.scope import confirm_all
from validation.commands.tables import UNDECIDED, print_claims, print_headlines, print_reasons, print_verdicts
from validation.commands.terminal import fail, is_watched, progress
from validation.cost.allowed import Limits
from validation.papers.index import Listed, chosen_of, index_of, is_ours, listed, points

if TYPE_CHECKING:
    from distributed import Client

    from validation.judge.entry import Entry
    from validation.ledger.ledger import Ledger
    from validation.statement.claim import Claim, Paper

__all__ = ["check", "checked", "selected"]

Pair = tuple["Paper", "Claim"]


def selected(names: tuple[str, ...]) -> list[Pair]:
    """The claims named, after one line for each paper that cannot be used; ends with code 2 for an unknown name."""
    from validation.cost.memory import uncollected

    try:
        with uncollected():
            from validation.papers.papers import left_out, select

            for line in left_out(names):
                echo(f"fedverdict: {line}", err=True)
            return select(names)
    except ValueError as error:
        fail(str(error))


def _indexed() -> list[Listed] | None:
    """All claims, from the papers' committed ledgers; None where an installed paper is not ours or has none."""
    rows: list[Listed] = []
    for point in points():
        held = index_of(point) if is_ours(point) else None
        if held is None:
            return None
        rows += held
    return sorted(rows, key=lambda row: row.paper)


def _catalogue(names: tuple[str, ...]) -> list[Listed]:
    """The claims named; papers are imported only where committed ledgers do not do."""
    rows = _indexed()
    if rows is None:
        return listed(selected(names))
    try:
        chosen = chosen_of(list(names), [(row.paper, row.id) for row in rows], rows=lambda: rows)
    except ValueError:  # not committed yet, or there is none of that name
        return listed(selected(names))
    return [row for row in rows if not names or row.id in chosen or row.paper in chosen]


def _every_id() -> list[str]:
    """The ids of all claims of all papers that can be used."""
    rows = _indexed()
    if rows is not None:
        return [row.id for row in rows]
    from validation.papers.papers import select

    return [claim.id for _, claim in select(())]


@click.command(
    cls=GroupedCommand,
    headings={
        "What to check": ("all_claims", "listing"),
        "Output": ("as_json", "explain", "script", "latex"),
        "Search": ("budget", "thorough", "seed", "again", "as_committed"),
        "Limits of one unit of work (a reading or a mutant)": ("seconds", "recheck_seconds", "digits", "memory"),
        "Parallel work": ("jobs", "backend", "scheduler"),
        "Results": ("folder", "resume", "update_committed"),
    },
)
@click.argument("names", nargs=-1, shell_complete=claims)
@click.option("--all", "all_claims", is_flag=True, help="Check every claim of every installed paper.")
@click.option(
    "--list",
    "listing",
    is_flag=True,
    help="List the claims and stop; of papers that come with fedverdict, those with a committed verdict.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the ledger entries as a JSON array, each with its counterexample as the page shows it.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Print the committed verdict with its readings and counterexample.",
)
@click.option("--script", is_flag=True, help="Print only the Python script of the counterexample.")
@click.option("--latex", is_flag=True, help="Print only the counterexample, as a LaTeX example environment.")
@click.option("--again", is_flag=True, help="With --explain, --script or --latex: search again.")
@click.option("--as-committed", is_flag=True, help="Reproduce the committed search: start where it started.")
@OR_SECONDS
@click.option("--seed", default=0, type=click.IntRange(min=0), show_default=True, help="Seed of the search.")
@JOBS
@click.option(
    "--backend",
    type=click.Choice(("local", "dask")),
    default="local",
    show_default=True,
    help="Run on this machine or on a Dask cluster; results are the same.",
)
@click.option("--scheduler", help="Address of a Dask scheduler, such as tcp://host:8786; without it a local cluster.")
@click.option(
    "--ledger",
    "folder",
    default="fedverdict-results",
    type=click.Path(path_type=Path, file_okay=False),
    show_default=True,
    help="Folder for ledger.jsonl, ledger.json and the counterexamples.",
)
@click.option(
    "--resume/--no-resume",
    default=None,
    show_default="--resume, except with --again and --update-committed",
    help="Reuse results of the ledger for the same code, budget and seed.",
)
@click.option("--thorough", is_flag=True, help="Search 5 minutes of processor time for each theorem, 5 s for a step.")
@limited
@click.option(
    "--update-committed", is_flag=True, help="For maintainers: write the results into the papers' own folders."
)
def check(
    names: tuple[str, ...],
    all_claims: bool,
    listing: bool,
    as_json: bool,
    explain: bool,
    script: bool,
    latex: bool,
    again: bool,
    as_committed: bool,
    budget: int | Seconds,
    seed: int,
    jobs: int,
    backend: str,
    scheduler: str | None,
    folder: Path,
    resume: bool | None,
    thorough: bool,
    update_committed: bool,
    seconds: float,
    recheck_seconds: float,
    digits: int,
    memory: float,
) -> None:
    """Check claims, or whole papers, and print a verdict for each.

    NAMES are ids (EA-T1), papers (exp_alpha), or places in the print ("Theorem 4.2", "Exp-α Theorem 1").
    Of single claims the committed verdict is printed at once, unless an option such as --again says to search.
    The same command again resumes where it stopped.
    """
    if all_claims and names:
        fail(f"--all: checks every claim; expected no names with it, or only {' '.join(names)}")
    if listing:
        if explain or script or latex or update_committed:
            fail("--list: lists the claims and stops; expected no --explain, --script, --latex, --update-committed")
        print_claims(_catalogue(names), as_json)
        return
    from validation.ledger.ledger import Ledger

    _check_effort(budget, thorough, as_committed, update_committed, backend, scheduler)
    if as_json + explain + script + latex > 1:
        fail("--json, --explain, --script and --latex: each is an output of its own; give one of them")
    if not names and not all_claims:
        timed = thorough or as_committed
        confirm_all(_catalogue(()), None if timed or isinstance(budget, Seconds) else budget, jobs)
    pairs = selected(names)
    alone = script or latex
    if alone and len(pairs) != 1:
        fail(f"{'--script' if script else '--latex'}: is for one claim, got {len(pairs)}; name one by its id")
    if update_committed:
        refuse_installed({p.key: p for p, _ in pairs}.values())
    if (explain or alone) and not (again or as_committed or thorough or update_committed or _given("budget", "seed")):
        held = committed_entries(pairs)
        if held is not None:
            if alone:
                print_counterexample(held[0][2], latex, held[0][0])
            else:
                explain_committed(held)
            return
    if _looked_up(names, pairs):
        held = committed_entries(pairs)
        if held is not None:
            if as_json:
                echo_json([shown_json(entry, paper) for paper, _, entry in held])
            else:
                print_committed(held)
            raise SystemExit(1 if any(entry.verdict in UNDECIDED for _, _, entry in held) else 0)
    limits = Limits(seconds, recheck_seconds, digits, max(1, round(memory * 2**30)))
    ledger = Ledger(folder)
    folder.mkdir(parents=True, exist_ok=True)  # a folder that cannot be written is reported before the work, not after
    if thorough or isinstance(budget, Seconds):
        entries = _thoroughly(pairs, seed, jobs, ledger, limits, None if thorough else budget, update_committed)
    else:
        with _workers(backend, scheduler, jobs) as workers:
            renew = update_committed
            resume = not (again or renew) if resume is None else resume
            how: dict[str, Any] = {"renew": renew, "as_committed": as_committed, "workers": workers}
            entries = checked(pairs, budget, seed, jobs, ledger, {}, resume, limits, **how)
    ledger.derive(dict.fromkeys((*_every_id(), *(c.id for _, c in pairs))))
    entries = weighed(pairs, entries)
    if as_committed:
        from validation.job.job import committed
        from validation.ledger.repeated import told

        echo("\n".join(told(entries, committed(pairs))), err=True)
    if update_committed:
        write_entries(pairs, entries)
    if as_json:
        echo_json([shown_json(entry, paper) for (paper, _), entry in zip(pairs, entries, strict=True)])
    elif alone:
        print_counterexample(entries[0], latex, pairs[0][0])
    elif explain:
        papers = {paper.key: paper for paper, _ in pairs}
        for entry in entries:
            paper = papers[entry.paper]
            written(entry, str(folder / (entry.counterexample or "")), paper.folder, paper)
    else:
        print_verdicts(entries, folder)
        print_reasons(entries)
        print_headlines(pairs, entries)
    raise SystemExit(1 if any(e.verdict in UNDECIDED for e in entries) else 0)


def _check_effort(
    budget: int | Seconds,
    thorough: bool,
    as_committed: bool,
    update_committed: bool,
    backend: str,
    scheduler: str | None,
) -> None:
    """Ends with code 2 for options that contradict each other on how much to search, or where."""
    if scheduler is not None and backend != "dask":
        fail(f"--scheduler {scheduler}: is for --backend dask")
    timed = thorough or isinstance(budget, Seconds)
    if timed and backend != "local":
        what = "--thorough" if thorough else "--budget in seconds"
        fail(f"{what}: budgets grow with the time each unit took here; expected --backend local")
    if as_committed and (timed or update_committed):
        fail("--as-committed: expected no --thorough, --budget in seconds or --update-committed with it")
    if thorough and isinstance(budget, Seconds):
        fail("--thorough and --budget in seconds: each sets how long to search; give one of them")


def checked(
    pairs: list[Pair],
    budget: int,
    seed: int,
    jobs: int,
    ledger: Ledger | None,
    known: dict[str, Entry],
    resume: bool = False,
    limits: Limits | None = None,
    renew: bool = False,
    as_committed: bool = False,
    workers: Client | None = None,
) -> list[Entry]:
    """The entries of the claims in their order, with a progress bar; the arguments as those of `check_claims`."""
    from validation.job.job import check_claims

    made = check_claims(
        pairs,
        budget=budget,
        seed=seed,
        jobs=jobs,
        ledger=ledger,
        known=known,
        resume=resume,
        limits=limits,
        renew=renew,
        as_committed=as_committed,
        workers=workers,
    )
    return _in_order(pairs, made)


def _in_order(pairs: list[Pair], made: Iterable[Entry]) -> list[Entry]:
    """The entries in the order of their claims; a progress bar moves on as each is made."""
    from validation.verdict.watch import watching

    found: dict[str, Entry] = {}
    with watching(is_watched()) as now, progress("checking", len(pairs), now) as advance:
        for entry in made:
            found[entry.id] = entry
            advance(1, f"checked {entry.id}")
    return [found[c.id] for _, c in pairs]


@contextmanager
def _workers(backend: str, scheduler: str | None, jobs: int) -> Iterator[Client | None]:
    """A client of the cluster, None for local work."""
    if backend == "local":
        yield None
        return
    from validation.job.cluster import cluster

    with ExitStack() as stack:
        try:
            client = stack.enter_context(cluster(scheduler, jobs))
        except ValueError as error:
            fail(str(error))
        yield client


def _thoroughly(
    pairs: list[Pair],
    seed: int,
    jobs: int,
    ledger: Ledger,
    limits: Limits,
    budget: Seconds | int | None,
    renew: bool,
) -> list[Entry]:
    """With budgets that grow: to the seconds given, or for None to minutes a theorem and seconds a step."""
    from validation.job.effort import check_thoroughly, wanted_seconds

    def wanted(claim: Claim) -> float:
        least = wanted_seconds(claim)  # 0 where nothing is searched
        return budget.value if isinstance(budget, Seconds) and least > 0 else least

    made = check_thoroughly(pairs, seed=seed, jobs=jobs, ledger=ledger, wanted=wanted, limits=limits, renew=renew)
    return _in_order(pairs, (entry for entry, _ in made))


def _looked_up(names: tuple[str, ...], pairs: list[Pair]) -> bool:
    """Whether single claims are named and no option says how to search: their committed verdicts are the answer."""
    context = click.get_current_context()
    searching = {str(p.name) for p in context.command.params} - {"names", "as_json", "explain", "script", "latex"}
    return 0 < len(pairs) <= len(names) and not _given(*searching)


def _given(*names: str) -> bool:
    """Whether one of these options was on the command line."""
    context = click.get_current_context()
    return any(context.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in names)

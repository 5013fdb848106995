"""`python -m tests.literature`: every statement at several seeds, and how many words are wrong."""

from __future__ import annotations

import time
import traceback

import click

from tests.literature.statement import Statement, word
from tests.literature.suite import STATEMENTS


def found(statement: Statement, budget: int, seed: int) -> str:
    """The word, or the name of the error that was raised, whose traceback goes to stderr."""
    try:
        return word(statement, budget=budget, seed=seed)
    except Exception as error:  # a row of the table, so that the others still run
        click.echo(traceback.format_exc(), err=True)
        return type(error).__name__


def kind(statement: Statement, got: str) -> str:
    """What is wrong with a word; empty where it is right."""
    if got == statement.expected:
        return ""
    if got in {"holds", "refuted"}:
        return "a true one refuted" if statement.true else "a false one holds"
    return f"a {'true' if statement.true else 'false'} one {got if got == 'inconclusive' else 'raised an error'}"


@click.command()
@click.option("--seeds", default=3, show_default=True, help="How many seeds, from 0.")
@click.option("--budget", default=40_000, show_default=True, help="Evaluations of each search.")
@click.option("--only", default="", help="Only statements whose name contains this.")
def main(seeds: int, budget: int, only: str) -> None:
    """Judge every statement at several seeds; print a row for each, and the number of wrong words."""
    chosen = [s for s in STATEMENTS if only in s.name]
    wrong: dict[str, int] = {}
    for statement in chosen:
        started = time.perf_counter()
        words = [found(statement, budget, seed) for seed in range(seeds)]
        seconds = time.perf_counter() - started
        kinds = [kind(statement, got) for got in words]
        for what in filter(None, kinds):
            wrong[what] = wrong.get(what, 0) + 1
        mark = "WRONG" if any(kinds) else "ok"
        click.echo(f"{mark:5} {statement.expected:8} {', '.join(words):27} {seconds:6.1f} s  {statement.name}")
    true = sum(s.true for s in chosen)
    click.echo(f"{true} true and {len(chosen) - true} false statements, seeds 0 to {seeds - 1}, budget {budget:,}")
    for what, n in sorted(wrong.items()):
        click.echo(f"{what}: {n}")
    click.echo(f"wrong words: {sum(wrong.values())} of {seeds * len(chosen)}")


if __name__ == "__main__":
    main()

"""`fedverdict runs DIR`: the runs below a folder as a table, sorted by any quantity of their summaries."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from validation.commands.output import echo_json
from validation.commands.terminal import Terminal, fail

__all__ = ["runs"]

_SHOWN = ("test_accuracy", "test_loss", "train_loss")
_NOT_FOUND = 10  # names that an error shows


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--sort", "key", default="test_accuracy", show_default=True, help="Quantity to sort by, greatest first.")
@click.option("--ascending", is_flag=True, help="Least first.")
@click.option("--show", multiple=True, metavar="NAME", help="Another quantity or field to show; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="All quantities and fields, as JSON.")
def runs(folder: Path, key: str, ascending: bool, show: tuple[str, ...], as_json: bool) -> None:
    """List the runs below FOLDER that have ended, sorted by a quantity.

    A quantity is a number of summary.json, such as test_accuracy (its last value), test_accuracy.best, seconds or
    coefficient_bound; a field is one of the configuration, such as local_lr.
    """
    rows = list(_rows(folder))
    if not rows:
        fail(f"{folder}: no run that has ended; expected folders with a summary.json")
    names = list(dict.fromkeys((*_SHOWN, *show, key)))
    known = {name for row in rows for name in row}
    for name in names:
        if name not in known and name not in _SHOWN:
            fail(f"no run has {name!r}; there are {', '.join(sorted(known)[:_NOT_FOUND])}, … (all of them: --json)")
    rows = _sorted(rows, key, ascending)
    if as_json:
        echo_json(rows)
        return
    from rich.table import Table

    table = Table("run", "rule", "seed", "rounds", *names, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(_cell(row.get(name)) for name in ("run", "rule", "seed", "n_played", *names)))
    Terminal(120).print(table)


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    """A row of plain values for each run, in order of their folders; linked folders are not followed."""
    for place, below, files in os.walk(folder):
        below.sort()
        if "summary.json" not in files:
            continue
        path = Path(place) / "summary.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            rule = str(found["rule"])
            settings = ", ".join(f"{name}={value}" for name, value in found["rule_settings"].items())
            numbers = {**found["config"], **_flat(found["summary"])}
            numbers |= {one["key"]: one["value"] for one in found["quantities"]}
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise click.ClickException(f"{path}: is no summary of a run: {error!r}") from error
        yield {
            "run": str(Path(place).relative_to(folder)),
            "rule": f"{rule}({settings})" if settings else rule,
            "status": found["status"],
            **numbers,
        }


def _flat(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers and words by name; of a score, its last value by its own name, and the others behind a dot."""
    flat: dict[str, Any] = {}
    for name, value in summary.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}.{part}": one for part, one in value.items() if not isinstance(one, Mapping | list)}
            if "final" in value:
                flat[name] = value["final"]
        elif not isinstance(value, list):
            flat[name] = value
    return flat


def _sorted(rows: Sequence[dict[str, Any]], key: str, ascending: bool) -> list[dict[str, Any]]:
    """Rows that lack the quantity come last; equal ones stay in the order of their folders."""
    there = [row for row in rows if row.get(key) is not None]
    try:
        found = sorted(there, key=lambda row: row[key], reverse=not ascending)
    except TypeError:  # numbers beside words
        found = sorted(there, key=lambda row: str(row[key]), reverse=not ascending)
    return [*found, *(row for row in rows if row.get(key) is None)]


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

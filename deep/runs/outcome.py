"""What an ended run leaves for readers: its numbers in one place, and flat tables."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

from deep.metrics import (
    RUN_QUANTITIES,
    about_run,
    clients_table,
    rounds_of,
    rounds_table,
    run_quantities,
    summarise,
    write_table,
)
from deep.runs.privacy import privacy_of
from deep.storage.record import DeepRun, Json
from theory.base.files import replace_file

__all__ = ["outcome", "write_outcome"]


_AT_HAND = 5_000  # records that are read once and kept while a run is summed up; more are read as often as needed


def outcome(run: DeepRun) -> Json:
    """Everything about `run` in one JSON value: its `Summary`, theory's quantities with why they are estimates, origin.

    "quantities" is empty for a run without rounds; "privacy" is there where `privacy_of` says something.
    """
    found = run_quantities(rounds_of(run.history, floor=run.floor)) if run.history else {}
    quantities = [
        {
            "key": q.key,
            "title": q.title,
            "value": found[q.key],
            "says": q.says,
            "source": q.source,
            "estimate": q.why_estimate("this run", run.floor),
            "floor": q.of_floor(run.floor),
        }
        for q in RUN_QUANTITIES
        if q.key in found
    ]
    summary = summarise(run.history, n_rounds=run.config.n_rounds).to_dict()
    private = privacy_of(run)
    said = {} if private is None else {"privacy": private.to_dict()}
    return {**about_run(run), "summary": summary, "quantities": quantities, **said}


def write_outcome(run: DeepRun, folder: Path) -> None:
    """summary.json, and the tables "rounds" and "clients" as Parquet, or as JSON where pyarrow is not installed."""
    if len(run.history) <= _AT_HAND:
        run = replace(run, history=tuple(run.history))
    text = json.dumps(outcome(run), indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    replace_file(folder / "summary.json", text.encode())
    if run.history:
        ending = "parquet" if importlib.util.find_spec("pyarrow") else "json"
        about = about_run(run)
        write_table(rounds_table(run.history, about=about, floor=run.floor), folder / f"rounds.{ending}")
        write_table(clients_table(run.history, about=about, floor=run.floor), folder / f"clients.{ending}")

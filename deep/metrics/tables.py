"""A history as flat, typed tables: one row a round, or one row a round and client slot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Literal, cast

import numpy as np

from deep.base.floor import BEST_SEEN, Floor
from deep.metrics.quantities import ROUND_QUANTITIES, client_quantities, round_quantities
from deep.metrics.rounds import check_order, rounds_of
from deep.storage.record import DeepRun, Json, RoundRecord

__all__ = ["KINDS", "Kind", "Scalar", "Table", "about_run", "clients_table", "round_columns", "rounds_table"]

Kind = Literal["integer", "number", "flag", "text"]
Scalar = int | float | bool | str | None
KINDS: dict[str, type] = {"integer": int, "number": float, "flag": bool, "text": str}

_ROUND: dict[str, Kind] = {
    "round": "integer",
    "n_present": "integer",
    "train_loss": "number",
    "validation_loss": "number",
    "validation_accuracy": "number",
    "test_loss": "number",
    "test_accuracy": "number",
    "judged": "text",
    "server_test_accuracy": "number",
    "update_norm": "number",
    "bytes_down": "integer",
    "bytes_up": "integer",
    "seconds": "number",
}
_CLIENT: dict[str, Kind] = {
    "round": "integer",
    "slot": "integer",
    "client": "integer",
    "kind": "text",
    "share": "number",
    "present": "flag",
    "weight": "number",
    "local_steps": "integer",
    "planned_steps": "integer",
    "effective_steps": "number",
    "loss_before": "number",
    "loss_after": "number",
    "loss_best": "number",
    "client_accuracy": "number",
    "client_test_loss": "number",
    "client_test_accuracy": "number",
    "update_norm": "number",
}
_OPEN = ("group_accuracy", "target_loss", "target_accuracy", "reported", "seconds_of")
_HELD_OUT = ("client_test_loss", "client_test_accuracy")  # empty in a round without them


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length; any entry may be None.

    `name`: "rounds" or "clients". `kinds`: the type of each column, also of one that holds nothing but None.
    `columns`: by the same names, in the same order. `about`: config, rule and provenance (see `about_run`), or nothing.
    Raises `ValueError` for columns that are not those of `kinds`, differ in length, or hold another type.
    """

    name: str
    kinds: Mapping[str, Kind]
    columns: Mapping[str, Sequence[Scalar]]
    about: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        if list(self.kinds) != list(self.columns):
            raise ValueError(f"Table({self.name!r}): columns {list(self.columns)}; expected {list(self.kinds)}")
        lengths = {name: len(values) for name, values in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"Table({self.name!r}): columns of lengths {lengths}; expected one length")
        for name, kind in self.kinds.items():
            if kind not in KINDS:
                raise ValueError(f"Table({self.name!r}): column {name!r} is of kind {kind!r}; expected {list(KINDS)}")
            if not _are(self.columns[name], kind):
                value = next(v for v in self.columns[name] if v is not None and not _is(v, kind))
                raise ValueError(f"Table({self.name!r}): {value!r} in column {name!r}; expected {kind} or None")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def rows(self) -> Iterator[dict[str, Scalar]]:
        """One dictionary a row."""
        for values in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, values, strict=True))


def _are(values: Sequence[Scalar], kind: Kind) -> bool:
    """Whether all that are not None pass `_is`; a column at a time, as there may be a million of them."""
    if not set(map(type, values)) <= {KINDS[kind], type(None)}:
        return False
    return KINDS[kind] is not float or all(isfinite(value) for value in values if isinstance(value, float))


def _is(value: Scalar, kind: Kind) -> bool:
    """Whether a value is of exactly the type of its kind; numbers are finite."""
    return type(value) is KINDS[kind] and (not isinstance(value, float) or isfinite(value))


def _table(name: str, kinds: Mapping[str, Kind], columns: Mapping[str, Sequence[object]], about: Json | None) -> Table:
    """The table of columns as a record has them, where a number may be a whole one."""
    typed: dict[str, list[Scalar]] = {}
    for key, kind in kinds.items():
        values = cast("Sequence[Scalar]", columns[key])
        whole = kind == "number" and int in set(map(type, values))
        typed[key] = [float(v) if type(v) is int else v for v in values] if whole else list(values)
    return Table(name, kinds, typed, about or {})


def about_run(run: DeepRun) -> Json:
    """What a table should carry of its run: rule and status, and with the provenance config, seed, versions, commit."""
    return {
        "rule": run.rule,
        "rule_settings": run.rule_settings,
        "status": run.status,
        "floor": run.floor.to_dict(),
        "seed": run.config.seed,
        "config": asdict(run.config),
        "provenance": run.provenance,
    }


def rounds_table(history: Sequence[RoundRecord], *, about: Json | None = None, floor: Floor = BEST_SEEN) -> Table:
    """One row a round: the record's scalars, then "group_accuracy.…", "target_loss.…", "target_accuracy.…",
    "reported.…", "seconds_of.…" and "quantity.…" columns.

    All but the last are those that occur in some round, sorted; the quantities are `ROUND_QUANTITIES`, of which those
    that are estimates look at the whole history, and at the run's `floor`. Raises `ValueError` as `rounds_of`, except
    for an empty history.
    """
    check_order(history, "rounds_table")
    columns: dict[str, Sequence[object]] = {"n_present": [sum(record.present) for record in history]}
    columns |= {name: [getattr(record, name) for record in history] for name in _ROUND if name not in columns}
    kinds: dict[str, Kind] = dict(_ROUND)
    for name in _OPEN:
        for key in sorted({key for record in history for key in getattr(record, name)}):
            columns[f"{name}.{key}"] = [getattr(record, name).get(key) for record in history]
            kinds[f"{name}.{key}"] = "number"
    for key, values in (round_quantities(rounds_of(history, floor=floor)) if history else {}).items():
        columns[f"quantity.{key}"] = values
        kinds[f"quantity.{key}"] = "number"
    return _table("rounds", kinds, columns, about)


def round_columns() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns of numbers that every table of rounds has, and how those begin that a run may have, as "reported.…"."""
    own = (name for name, kind in _ROUND.items() if kind in {"integer", "number"} and name != "round")
    return (*own, *(f"quantity.{q.key}" for q in ROUND_QUANTITIES)), _OPEN


def clients_table(history: Sequence[RoundRecord], *, about: Json | None = None, floor: Floor = BEST_SEEN) -> Table:
    """One row a round and client slot: what the record says per client, its ‖uₖ‖, then "quantity.…" columns.

    Of the Gram matrix only the diagonal is here, as `update_norm`; the quantities are `CLIENT_QUANTITIES`.
    Raises `ValueError` as `rounds_table`.
    """
    check_order(history, "clients_table")
    columns: dict[str, Sequence[object]] = {
        "round": [record.round for record in history for _ in record.clients],
        "slot": [slot for record in history for slot in range(len(record.clients))],
    }
    sources = {"client": "clients", "kind": "kinds", "weight": "weights"}
    for name in _CLIENT:
        if name not in columns and name != "update_norm":
            rows = [getattr(record, sources.get(name, name)) for record in history]
            if name in _HELD_OUT:
                rows = [row or [None] * len(record.clients) for row, record in zip(rows, history, strict=True)]
            columns[name] = [value for row in rows for value in row]
    columns["update_norm"] = [norm for record in history for norm in _update_norms(record)]
    kinds: dict[str, Kind] = dict(_CLIENT)
    for key, rows in (client_quantities(rounds_of(history, floor=floor)) if history else {}).items():
        columns[f"quantity.{key}"] = [value for row in rows for value in row]
        kinds[f"quantity.{key}"] = "number"
    return _table("clients", kinds, columns, about)


def _update_norms(record: RoundRecord) -> list[float]:
    """‖uₖ‖ by client slot, 0 of absent clients."""
    own = iter(np.sqrt(np.diagonal(np.asarray(record.gram))).tolist())
    return [next(own) if here else 0.0 for here in record.present]

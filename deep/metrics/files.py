"""Tables as files: Parquet (with the extra `parquet`) or JSON, replaced in one step, read back with their types."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from deep.metrics.tables import Kind, Scalar, Table
from deep.storage.record import Json
from theory.base.files import replace_file

__all__ = ["read_clients", "read_rounds", "read_table", "write_table"]

_FORMATS = (".parquet", ".json")
_KEY = b"fedverdict"
_ARROW: dict[Kind, str] = {"integer": "int64", "number": "float64", "flag": "bool_", "text": "string"}


def write_table(table: Table, path: Path | str) -> Path:
    """Write the table in the format its ending names, ".parquet" or ".json"; returns the path.

    Types, also those of empty columns, and `Table.about` are stored too: in Parquet as the schema and, under the key
    "fedverdict", its metadata. Raises `ValueError` for another ending or a missing pyarrow.
    """
    path = Path(path)
    replace_file(path, _parquet(table) if _ending(path) == ".parquet" else _json(table))
    return path


def read_table(path: Path | str) -> Table:
    """The table that `write_table` stored at `path`.

    Raises `ValueError` for another ending, a missing pyarrow, or a file that holds no such table; `OSError` when it
    cannot be opened.
    """
    path = Path(path)
    read = _of_json
    if _ending(path) == ".parquet":
        _pyarrow()
        read = _of_parquet
    content = path.read_bytes()
    try:
        return read(content)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path}: not a table of this program; {error!r}") from error


def read_rounds(path: Path | str) -> Table:
    """The table of rounds at `path`; raises `ValueError` as `read_table`, and for a table of something else."""
    return _named(read_table(path), "rounds", path)


def read_clients(path: Path | str) -> Table:
    """The table of rounds and clients at `path`; raises as `read_rounds`."""
    return _named(read_table(path), "clients", path)


def _named(table: Table, name: str, path: Path | str) -> Table:
    if table.name != name:
        raise ValueError(f"{path}: a table of {table.name!r}; expected one of {name!r}")
    return table


def _ending(path: Path) -> str:
    if path.suffix not in _FORMATS:
        raise ValueError(f"{path}: ends in {path.suffix!r}; expected {' or '.join(_FORMATS)}")
    return path.suffix


def _json(table: Table) -> bytes:
    content = {
        **_description(table),
        "kinds": dict(table.kinds),
        "columns": {k: list(v) for k, v in table.columns.items()},
    }
    return (json.dumps(content, allow_nan=False, ensure_ascii=False) + "\n").encode()


def _of_json(content: bytes) -> Table:
    found = json.loads(content.decode())
    return Table(found["table"], found["kinds"], found["columns"], found["about"])


def _description(table: Table) -> Json:
    return {"table": table.name, "about": table.about}


def _parquet(table: Table) -> bytes:
    pa = _pyarrow()
    fields = [pa.field(name, getattr(pa, _ARROW[kind])()) for name, kind in table.kinds.items()]
    described = json.dumps(_description(table), allow_nan=False).encode()
    schema = pa.schema(fields, metadata={_KEY: described})
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(pa.table({name: list(v) for name, v in table.columns.items()}, schema=schema), sink)
    return bytes(sink.getvalue())


def _of_parquet(content: bytes) -> Table:
    pa = _pyarrow()
    # Threads that Arrow starts for a read may still be starting when the process ends, which then aborts.
    found = pa.parquet.ParquetFile(pa.BufferReader(content)).read(use_threads=False)
    description = json.loads((found.schema.metadata or {})[_KEY])
    words = {getattr(pa, arrow)(): kind for kind, arrow in _ARROW.items()}
    kinds = {entry.name: words[entry.type] for entry in found.schema}
    columns = cast("Mapping[str, Sequence[Scalar]]", found.to_pydict())
    return Table(description["table"], kinds, columns, description["about"])


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ValueError(
            "Parquet needs pyarrow: pip install 'fedverdict[parquet]'; a path that ends in .json does without"
        ) from error
    return pyarrow

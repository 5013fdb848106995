"""A table as a data set: a CSV or Parquet file with a column of targets and, if need be, one of clients."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep.base.lazy import torch
from deep.data.files import blamed, read_file, unpacked
from deep.data.parts import Parts
from deep.data.samples import FeatureDataset, Groups, RegressionDataset, Samples

__all__ = ["TABLES", "csv_table", "parquet_table"]

_LARGEST = 2**31  # bytes of a file, unpacked
Column = NDArray[Any]


def csv_table(path: str, target: str, client: str = "", regression: bool = False) -> Parts[Samples]:
    """The rows of a CSV file with a header line, as samples; packed or not (.gz, .bz2, .xz).

    `target`: the column to predict, whose different values are the classes in sorted order; with `regression`, numbers.
    `client`: the column that says whose each row is, for `partition = "clients"`; empty for none. All other columns are
    features, and numbers. A relative `path` starts from the working directory.

    Raises `ValueError`, one line, for a file that is missing or no CSV, a column that is not there, and a feature or a
    regression target that is no finite number, with its line.
    """
    return _samples(path, _csv_columns(Path(path)), target, client, regression, first_line=2)


def parquet_table(path: str, target: str, client: str = "", regression: bool = False) -> Parts[Samples]:
    """The same of a Parquet file (extra `parquet`); errors as `csv_table`, rows counted from 1."""
    return _samples(path, _parquet_columns(Path(path)), target, client, regression, first_line=1)


TABLES: Mapping[str, Callable[..., Parts[Samples]]] = MappingProxyType({"csv": csv_table, "parquet": parquet_table})


def _samples(
    path: str, columns: dict[str, Column], target: str, client: str, regression: bool, first_line: int
) -> Parts[Samples]:
    """`first_line`: what the first row is counted as in errors."""
    for name, setting in ((target, "target"), *(((client, "client"),) if client else ())):
        if name not in columns:
            raise ValueError(f"{path}: has no column {setting}={name!r}; its columns are {', '.join(columns)}")
    features = [name for name in columns if name not in (target, client)]
    if not features or client == target:
        raise ValueError(f"{path}: expected a column of features beside target={target!r} and client={client!r}")
    rows = np.stack([_numbers(path, name, columns[name], first_line) for name in features], axis=1)
    inputs = torch.from_numpy(rows.astype(np.float32))
    groups = _groups(columns[client]) if client else None
    called = Path(path).name
    if regression:
        wanted = torch.from_numpy(_numbers(path, target, columns[target], first_line).astype(np.float32))
        return Parts(RegressionDataset(inputs, wanted, called, groups=groups))
    classes, index = np.unique(columns[target], return_inverse=True)
    labels = torch.from_numpy(index.astype(np.int64))
    return Parts(FeatureDataset(inputs, labels, len(classes), called, groups=groups))


def _groups(whose: Column) -> Groups:
    names, index = np.unique(whose.astype(str), return_inverse=True)
    return Groups("client", torch.from_numpy(index.astype(np.int64)), tuple(map(str, names)))


def _numbers(path: str, name: str, column: Column, first_line: int) -> NDArray[np.float64]:
    """The column as float64; `ValueError` naming the first row that holds no finite number."""
    try:
        found: NDArray[np.float64] = column.astype(np.float64)
        wrong = np.flatnonzero(~np.isfinite(found))
    except (TypeError, ValueError):
        wrong = np.flatnonzero([not _is_number(value) for value in column])
    if len(wrong):
        row = int(wrong[0])
        raise ValueError(
            f"{path}, row {row + first_line}: {name} is {str(column[row])[:40]!r}; expected a finite number. Leave the"
            " column out, or turn it into numbers first"
        )
    return found


def _is_number(value: object) -> bool:
    try:
        return bool(np.isfinite(float(value)))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def _csv_columns(path: Path) -> dict[str, Column]:
    with blamed(path):
        content = unpacked(path, read_file(path, _LARGEST), _LARGEST)
        try:
            rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{path}: no CSV in UTF-8: {error}") from error
    rows = [row for row in rows if row]
    if len(rows) < 2:
        raise ValueError(f"{path}: {len(rows)} lines; expected a header and at least one row")
    header = [name.strip() for name in rows[0]]
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"{path}: columns {', '.join(twice)} are there twice; expected different names")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise ValueError(f"{path}, row {number}: {len(row)} values; its header names {len(header)} columns")
    return {name: np.array(values) for name, values in zip(header, _transposed(rows[1:]), strict=True)}


def _transposed(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _parquet_columns(path: Path) -> dict[str, Column]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import read_table
    except ImportError as error:
        raise ValueError(f"{path}: Parquet needs pyarrow: pip install 'fedverdict[parquet]'") from error
    try:
        table = read_table(path, use_threads=False)
    except (OSError, ArrowException) as error:
        raise ValueError(f"{path}: missing, or no Parquet file: {error}") from error
    if not table.num_rows:
        raise ValueError(f"{path}: has no rows")
    return {name: np.array(table.column(name).to_pylist()) for name in table.column_names}

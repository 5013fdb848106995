"""Flat tables of a history, and the files they are stored in."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deep import DeepRun, RunConfig
from deep.base.floor import ZERO
from deep.metrics import (
    Table,
    about_run,
    client_quantities,
    clients_table,
    read_clients,
    read_rounds,
    read_table,
    round_quantities,
    rounds_of,
    rounds_table,
    write_table,
)
from tests.deep.metrics_histories import a_record, drawn, evaluated

ABOUT = {"rule": "Proportional", "seed": 3, "provenance": {"git_commit": None, "torch": "2.13.0"}}


@pytest.fixture(params=["parquet", "json"])
def ending(request):
    if request.param == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow reads and writes Parquet")
    return request.param


def same(one, other):
    return (one.name, dict(one.kinds), one.about, list(one.rows())) == (
        other.name,
        dict(other.kinds),
        other.about,
        list(other.rows()),
    )


def test_one_row_a_round():
    history = evaluated(
        test_accuracy=[0.25, None],
        present=[[True, False], [True, True]],
        seconds_of=[{"training": 1.0}, {"training": 2, "losses": 0.5}],
        group_accuracy=[{}, {"usps": 0.5, "mnist": 0.75}],
    )
    table = rounds_table(history)
    first, second = table.rows()
    assert len(table) == 2
    assert (first["round"], first["n_present"], first["test_accuracy"]) == (0, 1, 0.25)
    assert (second["round"], second["n_present"], second["test_accuracy"]) == (1, 2, None)
    assert (first["seconds_of.losses"], second["seconds_of.losses"], second["seconds_of.training"]) == (None, 0.5, 2.0)
    assert (first["group_accuracy.mnist"], second["group_accuracy.usps"]) == (None, 0.5)
    assert list(first) == list(table.kinds) == list(table.columns)
    assert first["bytes_down"] == 100
    assert {key: table.kinds[key] for key in ("round", "train_loss", "bytes_up", "seconds_of.training")} == {
        "round": "integer",
        "train_loss": "number",
        "bytes_up": "integer",
        "seconds_of.training": "number",
    }
    found = round_quantities(rounds_of(history))
    assert {
        key.removeprefix("quantity."): values for key, values in table.columns.items() if "quantity" in key
    } == found


def test_one_row_a_round_and_client():
    history, updates = drawn(n_rounds=3, losses="present")
    table = clients_table(history)
    rows = list(table.rows())
    assert len(table) == len(rows) == 15
    assert [(row["round"], row["slot"]) for row in rows] == [(r, k) for r in range(3) for k in range(5)]
    for row in rows:
        record = history[row["round"]]
        for column, name in {"client": "clients", "weight": "weights", "loss_after": "loss_after"}.items():
            assert row[column] == getattr(record, name)[row["slot"]]
        assert row["update_norm"] == pytest.approx(np.linalg.norm(updates[row["round"], row["slot"]]))
        assert (row["loss_before"] is None) == (not row["present"])
    found = client_quantities(rounds_of(history))
    assert [row["quantity.client_coherence"] for row in rows] == [v for r in found["client_coherence"] for v in r]


@pytest.mark.parametrize("losses", ["all", "present", "none"])
@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("make", [rounds_table, clients_table])
def test_what_is_written_is_read_back(tmp_path, ending, make, losses, anew):
    table = make(drawn(losses=losses, anew=anew)[0], about=ABOUT)
    path = write_table(table, tmp_path / f"table.{ending}")
    assert same(read_table(path), table)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("make", [rounds_table, clients_table])
def test_an_empty_history_keeps_its_types(tmp_path, ending, make):
    table = make([])
    assert len(table) == 0
    assert same(read_table(write_table(table, str(tmp_path / f"t.{ending}"))), table)


def test_a_column_of_nothing_but_none_has_its_type_in_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow reads and writes Parquet")
    path = write_table(rounds_table([a_record(train_loss=None)], about=ABOUT), tmp_path / "t.parquet")
    schema = parquet.read_schema(path)
    assert [str(schema.field(name).type) for name in ("train_loss", "round")] == ["double", "int64"]
    assert json.loads(schema.metadata[b"fedverdict"]) == {"table": "rounds", "about": ABOUT}


def test_the_same_table_is_the_same_file(tmp_path, ending):
    paths = [write_table(clients_table(drawn()[0]), tmp_path / f"{name}.{ending}") for name in "ab"]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_table_carries_its_run(tmp_path, ending):
    torch = pytest.importorskip("torch")
    run = DeepRun(
        config=RunConfig(seed=5),
        rule="ExpAlpha",
        rule_settings={"alpha": 0.2},
        partition_counts=[[1], [1]],
        history=(a_record(),),
        status="completed",
        floor=ZERO,
        model=torch.zeros(1),
        buffers=torch.zeros(0),
        provenance={"git_commit": "abc", "numpy": "2"},
    )
    path = write_table(rounds_table(run.history, about=about_run(run)), tmp_path / f"t.{ending}")
    about = read_rounds(path).about
    assert (about["rule"], about["rule_settings"], about["seed"], about["status"]) == (
        "ExpAlpha",
        {"alpha": 0.2},
        5,
        "completed",
    )
    assert about["config"]["n_clients"] == 10
    assert about["provenance"] == {"git_commit": "abc", "numpy": "2"}


def test_rounds_and_clients_are_not_taken_for_each_other(tmp_path, ending):
    rounds = write_table(rounds_table([a_record()]), tmp_path / f"rounds.{ending}")
    clients = write_table(clients_table([a_record()]), tmp_path / f"clients.{ending}")
    assert (read_rounds(rounds).name, read_clients(clients).name) == ("rounds", "clients")
    with pytest.raises(ValueError, match=r"a table of 'clients'; expected one of 'rounds'"):
        read_rounds(clients)
    with pytest.raises(ValueError, match=r"a table of 'rounds'; expected one of 'clients'"):
        read_clients(rounds)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.json", b"no json"),
        ("t.json", b"\xff"),
        ("t.json", b"[]"),
        ("t.json", b'{"table": "rounds"}'),
        ("t.json", b'{"table": "rounds", "about": {}, "kinds": [], "columns": 3}'),
        ("t.json", b'{"table": "rounds", "about": {}, "kinds": {"a": "number"}, "columns": {"b": []}}'),
        ("t.parquet", b"no parquet"),
    ],
)
def test_other_files_are_refused(tmp_path, name, content):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="pyarrow reads and writes Parquet")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name}: not a table of this program"):
        read_table(tmp_path / name)


def test_a_parquet_file_of_another_program_is_refused(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow reads and writes Parquet")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"round": [1]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="not a table of this program"):
        read_table(tmp_path / "t.parquet")


def test_reading_parquet_starts_no_thread(tmp_path):
    """One that is still starting when the process ends aborts it."""
    pytest.importorskip("pyarrow.parquet", reason="pyarrow reads and writes Parquet")
    if not Path("/proc/self/task").is_dir():
        pytest.skip("threads are counted where there is /proc")
    path = write_table(rounds_table(drawn()[0]), tmp_path / "t.parquet")
    code = """
import os, sys
import pyarrow.parquet
from deep.metrics import read_table
before = len(os.listdir("/proc/self/task"))
read_table(sys.argv[1])
print(len(os.listdir("/proc/self/task")) - before)
"""
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, "0"), run.stderr


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"t.csv: ends in '.csv'; expected .parquet or .json"):
        write_table(rounds_table([]), tmp_path / "t.csv")
    with pytest.raises(ValueError, match=r"ends in ''"):
        read_table(tmp_path / "t")


def test_without_pyarrow_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "t.parquet").write_bytes(b"")
    for call in (
        lambda: write_table(rounds_table([]), tmp_path / "u.parquet"),
        lambda: read_table(tmp_path / "t.parquet"),
    ):
        with pytest.raises(ValueError, match=r"pip install 'fedverdict\[parquet\]'"):
            call()
    assert same(read_table(write_table(rounds_table([]), tmp_path / "t.json")), rounds_table([]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rounds_table([a_record(1)]), r"rounds_table\(history=…\): round 1 in place 0"),
        (lambda: clients_table([a_record(1)]), r"clients_table\(history=…\): round 1 in place 0"),
        (lambda: Table("t", {"a": "number"}, {"b": []}), r"columns \['b'\]; expected \['a'\]"),
        (lambda: Table("t", {"a": "number", "b": "flag"}, {"a": [], "b": [True]}), "expected one length"),
        (lambda: Table("t", {"a": "float"}, {"a": []}), "column 'a' is of kind 'float'; expected"),
        (lambda: Table("t", {"a": "integer"}, {"a": [True]}), "True in column 'a'; expected integer or None"),
        (lambda: Table("t", {"a": "number"}, {"a": [float("nan")]}), "nan in column 'a'; expected number or None"),
        (lambda: rounds_table([a_record(test_loss=float("inf"))]), "inf in column 'test_loss'"),
        (lambda: clients_table([a_record(0), drawn()[0][1]]), r"\[2, 5\] clients in a round"),
    ],
)
def test_errors_name_what_was_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()

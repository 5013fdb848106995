"""A run's records are read back from its files: the same as kept ones, and not in memory while it goes on."""

from __future__ import annotations

import gc
import json
import pickle
import tracemalloc
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep import RunConfig, run
from deep.base.slots import Slots, of_array, of_some
from deep.storage.history import History
from deep.storage.record import RoundRecord, untimed
from deep.task.rule_checks import losses_of
from theory import FedSoftWorse, Proportional

MANY = RunConfig(n_clients=150, n_sampled=5, n_rounds=7, n_local_steps=1, partition="iid", losses="present")
VALUES = st.sampled_from([0.0, -0.0, 1.0, 0.25, np.nan, np.inf])


def plain(history: History | tuple[RoundRecord, ...]) -> list[dict[str, object]]:
    return [untimed(record.to_dict()) for record in history]


@pytest.mark.parametrize("n_clients", [10, 150])
def test_it_is_the_history_that_a_run_without_a_folder_keeps(n_clients: int, tmp_path: Path) -> None:
    config = replace(MANY, n_clients=n_clients)
    kept, read = run(config, Proportional()), run(config, Proportional(), out=tmp_path / "run")
    assert isinstance(kept.history, tuple)
    assert isinstance(read.history, History)
    assert plain(read.history) == plain(kept.history)
    assert json.dumps(read.to_dict()) == json.dumps(kept.to_dict())
    assert [r.round for r in read.history[2:5]] == [2, 3, 4]
    assert [r.round for r in reversed(read.history)] == list(range(6, -1, -1))
    assert (read.history[0].round, read.history[3].round, read.history[-1].round) == (0, 3, 6)
    assert read.history == read.history[:]
    assert read.history != read.history[:6]
    with pytest.raises(IndexError):
        read.history[7]
    stored = json.loads((tmp_path / "run" / "result.json").read_text())
    assert len(stored["history"]) == 7


def test_records_stay_when_their_files_are_gone(tmp_path: Path) -> None:
    found = run(MANY, Proportional(), out=tmp_path / "run")
    expected = plain(found.history)
    more = run(replace(MANY, n_rounds=9), Proportional(), out=tmp_path / "run")
    rmtree(tmp_path / "run")
    assert plain(found.history) == expected
    assert len(more.history) == 9
    assert plain(pickle.loads(pickle.dumps(found.history))) == expected
    assert list(History(tmp_path / "none", tmp_path / "none", 0)) == []


def test_memory_does_not_grow_with_rounds(tmp_path: Path) -> None:
    """One record of 150 clients is some 10 kB of numbers: 60 rounds kept are seven times what is allowed."""
    sizes: list[int] = []

    def weigh(record: RoundRecord) -> None:
        if record.round in {20, 80}:
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        run(replace(MANY, n_rounds=81, evaluate_every=50), Proportional(), out=tmp_path / "run", on_round=weigh)
        first = sizes[1] - sizes[0]
        sizes.clear()
        run(replace(MANY, n_rounds=81, evaluate_every=50), Proportional(), on_round=weigh)
    finally:
        tracemalloc.stop()
    assert first < 60_000
    assert sizes[1] - sizes[0] > 4 * 60_000  # of a run without a folder, whose records are its result


@given(st.lists(VALUES, min_size=98, max_size=105), VALUES)
def test_thin_lists_are_the_lists_they_stand_for(values: list[float], most: float) -> None:
    mixed = [value if place % 9 == 0 else most for place, value in enumerate(values)]
    for entries in (values, mixed):
        expected = [value if np.isfinite(value) else None for value in entries]
        found = of_array(np.asarray(entries))
        assert repr(found) == repr(expected)
        assert repr(list(found)) == repr(expected)
        assert len(found) == len(expected)
        assert found == expected
    at = list(range(0, len(values), 9))
    spread = np.zeros(len(values))
    spread[at] = np.asarray(values)[at]
    for entries in (spread, np.where(np.arange(len(values)) == 1, most, spread)):  # at `at` alone, and not
        assert repr(of_array(entries, at)) == repr(of_array(entries))
    some = of_some(len(values), most, at, [values[place] for place in at])
    assert repr(some) == repr(mixed)
    assert isinstance(some, Slots) == (len(values) > 100)


@pytest.mark.parametrize("elsewhere", [0.0, -0.0, 0.5, np.nan, np.inf])
@pytest.mark.parametrize("present", [(0.25, 0.75), (0.0, -0.0), (0.25, np.nan), (np.inf, -0.0)])
def test_many_entries_looked_at_where_clients_are_present_are_those_looked_at_everywhere(
    present: tuple[float, float], elsewhere: float
) -> None:
    """1,000 slots of which two are present; what one absent client has is never lost, not even the sign of a 0."""
    values = np.zeros(1000)
    values[[3, 998]], values[500] = present, elsewhere
    expected = [value if np.isfinite(value) else None for value in values.tolist()]
    found = of_array(values, [3, 998])
    assert isinstance(found, Slots)
    assert repr(found.tolist()) == repr(expected)
    assert list(map(repr, found.values)) == [repr(v) for v in expected if repr(v) != "0.0"]
    assert found.other == 0.0
    full = of_array(np.arange(1.0, 1001.0), range(251))  # more present than are worth a thin list
    assert full == np.arange(1.0, 1001.0).tolist()
    whole = of_array(values.astype(np.int64) if np.isfinite(values).all() else np.zeros(1000, dtype=np.int64), [3])
    assert whole.tolist() == [0] * 1000
    assert {type(value) for value in whole.tolist()} == {int}


def test_losses_that_nobody_reads_are_measured_where_the_model_is_evaluated() -> None:
    config = RunConfig(evaluate_every=10)
    many = 100_000
    assert losses_of(config, Proportional(), many, evaluated=True) == "present"
    assert losses_of(config, Proportional(), many, evaluated=False) == "none"
    assert losses_of(config, FedSoftWorse(0.2), many, evaluated=False) == "present"
    assert losses_of(config, Proportional(), 1000, evaluated=False) == "all"
    assert losses_of(replace(config, losses="present"), Proportional(), many, evaluated=False) == "present"


def test_a_run_measures_them_there_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deep.task.rule_checks.FEW_SAMPLES", 100)
    config = replace(MANY, losses="auto", evaluate_every=3)
    known = [[v is not None for v in record.loss_before] for record in run(config, Proportional()).history]
    assert [sum(row) for row in known] == [0, 0, 5, 0, 0, 5, 5]
    read = run(config, FedSoftWorse(0.2)).history
    assert [sum(v is not None for v in record.loss_before) for record in read] == [5] * 7

"""Remembered updates in a file: the numbers of those in memory, whatever ends the run; the minimum norm begun warm."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import deep.aware_memory.rows
import deep.aware_memory.warm_start
import deep.round.workload
from deep import RunConfig, run
from deep.aware_memory.mapped_file import MappedRows, RowFile
from deep.aware_memory.rows import HeldRows, Remembered, inner_products
from deep.aware_memory.warm_start import warm_weights
from deep.runs.estimate import estimate
from theory import make_rule
from theory.minnorm import min_norm_point

CONFIG = RunConfig(n_rounds=9, n_clients=12, n_sampled=4, n_local_steps=2, partition="iid", checkpoint_every=3)
RULE = make_rule("fed-aware")


class Interruption(Exception):  # noqa: N818  (it is no error)
    """Stands for whatever ends a process in the middle of a run."""


@pytest.fixture
def in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep.round.workload, "MAPPED_FROM", 0)


def content(folder: Path) -> dict[str, object]:
    result = json.loads((folder / "result.json").read_text())
    metrics = (folder / "metrics.jsonl").read_bytes()
    return {name: value for name, value in result.items() if name != "provenance"} | {"metrics": metrics}


def stopped(folder: Path, after: int, config: RunConfig = CONFIG) -> None:
    def stop(record):
        if record.round == after:
            raise Interruption

    with pytest.raises(Interruption):
        run(config, RULE, out=folder, on_round=stop)


def test_a_run_with_a_file_has_the_numbers_of_one_in_memory_wherever_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(CONFIG, RULE, out=tmp_path / "memory")
    monkeypatch.setattr(deep.round.workload, "MAPPED_FROM", 0)
    run(CONFIG, RULE, out=tmp_path / "file")
    assert not (tmp_path / "memory" / "rows.bin").exists()
    assert content(tmp_path / "file") == content(tmp_path / "memory")
    for after in range(8):
        folder = tmp_path / str(after)
        stopped(folder, after)
        run(CONFIG, RULE, out=folder)
        assert content(folder) == content(tmp_path / "memory")
        for name in ("rows.bin", "checkpoint.safetensors"):  # and so are the places of the rows
            assert (folder / name).read_bytes() == (tmp_path / "file" / name).read_bytes(), name


def test_the_file_holds_the_clients_seen_and_what_changed_since_the_last_checkpoint(
    in_a_file: None, tmp_path: Path
) -> None:
    run(CONFIG, RULE, out=tmp_path)
    rows = (tmp_path / "rows.bin").stat().st_size / (650 * 4)
    assert rows <= 12 + 3 * 4  # all clients, and three rounds of four


def test_a_row_that_is_not_as_it_was_written_or_a_file_that_is_gone_is_refused_by_name(
    in_a_file: None, tmp_path: Path
) -> None:
    stopped(tmp_path, 7)
    path = tmp_path / "rows.bin"
    whole = path.read_bytes()
    estimate(CONFIG, RULE, out=tmp_path)  # which looks at the folder and leaves the file alone
    assert path.read_bytes() == whole
    damaged = bytearray(whole)
    damaged[::2600] = bytes(byte ^ 1 for byte in whole[::2600])  # the first byte of every row
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match=r"rows\.bin: row \d+ is not as it was written"):
        run(CONFIG, RULE, out=tmp_path)
    path.write_bytes(whole[:100])
    with pytest.raises(ValueError, match=r"rows\.bin: 100 bytes, and the checkpoint counts on"):
        run(CONFIG, RULE, out=tmp_path)
    path.unlink()
    with pytest.raises(ValueError, match=r"rows\.bin: not there"):
        run(CONFIG, RULE, out=tmp_path)


def test_a_value_of_rows_stays_as_it_is_when_rows_are_put(tmp_path: Path) -> None:
    rng = torch.Generator().manual_seed(0)
    first, second = torch.randn(5, 7, generator=rng), torch.randn(3, 7, generator=rng)
    rows = MappedRows(RowFile(tmp_path / "rows.bin", 7, torch.float32)).put(range(5), first)
    later = rows.put([1, 5, 3], second)
    assert torch.equal(torch.stack([row for block in rows.blocks(2) for row in block]), first)
    assert torch.equal(later.take([1, 3, 5, 0]), torch.stack([second[0], second[2], second[1], first[0]]))
    later.file.release(later.at)  # the older value is no longer needed: its two rows are written over first
    assert later.put([0, 2], first[:2]).file.n == later.file.n
    assert torch.equal(later.take([1, 3]), second[[0, 2]])


@pytest.mark.parametrize("kernels", [True, False], ids=["compiled", "numpy"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_inner_products_are_those_of_the_rows_at_once_and_the_same_from_a_file(
    kernels: bool, dtype: torch.dtype, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over several blocks of rows and of columns, and strips of values."""
    monkeypatch.setattr(deep.aware_memory.rows, "ENTRIES", 1 << 20)
    if not kernels:
        monkeypatch.setattr(deep.aware_memory.rows, "products", lambda rows, values: None)
    n, dim = deep.aware_memory.rows.NEAR_ROWS * 2 + 3, 20_011
    rng = torch.Generator().manual_seed(0)
    content = torch.randn(n, dim, generator=rng, dtype=dtype)
    values = torch.randn(5, dim, generator=rng, dtype=dtype)
    held = HeldRows().put(range(n), content)
    mapped = MappedRows(RowFile(tmp_path / "rows.bin", dim, dtype)).put(range(n), content)
    mapped = mapped.put([3, 1], content[[3, 1]])  # which are elsewhere in the file now
    found = inner_products(mapped, values)
    assert torch.equal(found, inner_products(held, values))
    expected = content.double() @ values.double().mT
    assert (found - expected).abs().max() <= 1e-13 * expected.abs().max()
    weights = torch.rand(n, generator=rng, dtype=torch.float64) * (torch.arange(n) % 3 > 0)
    sums = [Remembered(rows, torch.arange(n), torch.zeros(0, 0), dim).combined(weights) for rows in (held, mapped)]
    assert torch.equal(*sums)
    assert (sums[0] - weights @ content.double()).abs().max() < 1e-12


def test_rows_that_are_read_in_place_are_those_of_today_and_need_the_whole_file(tmp_path: Path) -> None:
    file = RowFile(tmp_path / "rows.bin", 3000, torch.float32)
    rows = MappedRows(file).put(range(4), torch.ones(4, 3000))
    assert all(row.sum() == 3000 for row in file.views(rows.at))
    file.let_go(rows.at)
    os.pwrite(file.handle, np.full(3000, 2.0, dtype=np.float32).tobytes(), rows.at[2] * file.width)
    assert [float(row[0]) for row in file.views(rows.at)] == [1.0, 1.0, 2.0, 1.0]
    later = rows.put([4], torch.full((1, 3000), 5.0))
    assert float(file.views([later.at[4]])[0][-1]) == 5.0
    os.truncate(file.path, 3 * file.width)
    file.mapped = None
    with pytest.raises(ValueError, match=r"rows\.bin: shorter than its checkpoint says"):
        file.views(rows.at)


def many(n: int, dim: int, seed: int) -> torch.Tensor:
    """Gram matrix of updates that lean one way and differ in length, so that the short ones make the point."""
    rng = np.random.default_rng(seed)
    updates = (rng.normal(size=(n, dim)) + 0.3) * rng.uniform(0.8, 1.5, size=(n, 1))
    return torch.from_numpy(updates @ updates.T)


def test_a_warm_start_gives_the_point_of_a_cold_one_and_solves_on_few(monkeypatch: pytest.MonkeyPatch) -> None:
    gram = many(300, 60, 0)
    cold = min_norm_point(gram.numpy()).weights
    support = np.flatnonzero(cold)
    assert 20 < len(support) < 150
    sizes: list[int] = []

    def watched(part):
        sizes.append(len(part))
        return min_norm_point(part)

    monkeypatch.setattr(deep.aware_memory.warm_start, "min_norm_point", watched)
    for lost in (0, 1, 10):  # so many of them have to be found
        found = warm_weights(gram, torch.from_numpy(support[lost:]))
        assert found is not None
        assert np.abs(found.numpy() - cold).max() < 1e-11
    assert max(sizes) < 200
    assert warm_weights(gram, torch.arange(300)) is None  # nothing is saved
    assert warm_weights(gram, torch.arange(0)) is None


@pytest.mark.parametrize("mapped", [False, True], ids=["memory", "file"])
def test_warm_runs_are_resumed_to_the_same_numbers(
    mapped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deep.aware_memory.rows.WARM_FROM", 6)
    monkeypatch.setattr(deep.round.workload, "MAPPED_FROM", 0 if mapped else 1 << 60)
    config = replace(CONFIG, n_clients=30, n_rounds=12, dtype="float64")
    run(config, RULE, out=tmp_path / "whole")
    stopped(tmp_path / "stopped", 7, config)
    run(config, RULE, out=tmp_path / "stopped")
    assert content(tmp_path / "stopped") == content(tmp_path / "whole")
    monkeypatch.setattr("deep.aware_memory.rows.WARM_FROM", 1 << 60)
    cold = run(config, RULE)
    warm = json.loads((tmp_path / "whole" / "result.json").read_text())["history"]
    assert cold.history[-1].test_loss == pytest.approx(warm[-1]["test_loss"], rel=1e-9)
    assert "minimum norm" in cold.history[0].seconds_of

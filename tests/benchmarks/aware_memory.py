"""FedAWARE's memory at the server: a round of ten of 10,000 clients once 1,000 were seen, their rows in a file.

    python -m tests.benchmarks.aware_memory [--quick] [--json FILE]

d = 99,385, float32. Inner products of the ten with all rows, ours against blocks of 256 whole rows that are read,
converted and multiplied (what this was before), all rows in float64 at once, and one look at every number of the file.
Then whole steps of the rule: averages, rows written, inner products, minimum norm, the combined vector. Targets: a step
within 0.15 s of processor time on one thread; inner products equal to 1e-12 of the largest.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from deep.aware_memory.mapped_file import MappedRows, RowFile
from deep.aware_memory.rows import CohortRows, HeldRows, Incremental, Rows, inner_products
from tests.benchmarks.clocks import busy, in_turns, limited, ratio
from tests.benchmarks.targets import Table
from theory.rules.combinators.presets import fed_aware
from theory.rules.stats import RoundStats

N_CLIENTS, PRESENT, DIM, WANTED = 10_000, 10, 99_385, 0.15
SEEN = (250, 500, 1000, 2000)


def by_whole_rows(rows: MappedRows, values: torch.Tensor) -> torch.Tensor:
    """Blocks of 256 rows, read, converted and multiplied one after the other; 32 MiB in float64 at once."""
    found = []
    for first in range(0, len(rows), 256):
        block = rows.file.read(rows.at[first : first + 256])
        total = block.new_zeros(len(block), len(values), dtype=torch.float64)
        width = max(1, (1 << 22) // len(block))
        for begin in range(0, values.shape[1], width):
            part = slice(begin, begin + width)
            total += block[:, part].double() @ values[:, part].double().mT
        found.append(total)
    return torch.cat(found)


def all_at_once(rows: MappedRows, values: torch.Tensor) -> torch.Tensor:
    return rows.take(range(len(rows))).double() @ values.double().mT


def one_look(rows: MappedRows) -> float:
    seen = np.memmap(rows.file.path, dtype=np.float32, mode="r", shape=(rows.file.n * rows.file.dim,))
    return float(np.dot(seen, seen))


def filled(folder: Path, n_seen: int, dim: int) -> MappedRows:
    """Rows of different lengths that lean one way, some rewritten elsewhere, as in a run."""
    rng, rows = torch.Generator().manual_seed(0), MappedRows(RowFile(folder / "rows.bin", dim, torch.float32))
    lean = torch.randn(dim, generator=rng)
    for first in range(0, n_seen, 50):
        made = torch.randn(50, dim, generator=rng) + 0.5 * lean
        rows = rows.put(range(first, first + 50), made * (0.5 + torch.rand(50, 1, generator=rng)))
    again = torch.randperm(n_seen, generator=rng)[: n_seen // 10].tolist()
    return rows.put(again, rows.take(again))


def stepping(rows: Rows, n_seen: int, dim: int) -> Callable[[], Any]:
    """A round of the rule and the vector it combines; ten other clients each time."""
    rng, rule = torch.Generator().manual_seed(1), Incremental(fed_aware())
    place = torch.full((N_CLIENTS,), -1, dtype=torch.int64)
    place[:n_seen] = torch.arange(n_seen)
    share = torch.full((N_CLIENTS,), 1 / N_CLIENTS, dtype=torch.float64)
    every = torch.cat([torch.stack([*block]) for block in rows.blocks(50)]).double()
    state: Any = {"place": place, "memory": rows.plain(), "gram": every @ every.mT}
    updates = torch.randn(PRESENT, dim, generator=rng)

    def step() -> None:
        nonlocal state
        slots = sorted(torch.randperm(n_seen, generator=rng)[:PRESENT].tolist())
        present = torch.zeros(N_CLIENTS, dtype=torch.bool)
        present[slots] = True
        cohort: Any = CohortRows(updates, tuple(slots), N_CLIENTS)
        stats = RoundStats.unchecked(share=share, present=present, updates=cohort, round=1)
        state, weights, vectors = rule.step(state, stats)
        vectors.combined(weights)
        if isinstance(vectors.rows, MappedRows):
            vectors.rows.file.release(vectors.rows.at)

    return step


def measured(table: Table, n_seen: int, dim: int, turns: int) -> None:
    values = torch.randn(PRESENT, dim, generator=torch.Generator().manual_seed(2))
    with TemporaryDirectory() as folder, limited(1):
        rows = filled(Path(folder), n_seen, dim)
        calls: dict[str, Callable[[], Any]] = {
            "ours": partial(inner_products, rows, values),
            "before": partial(by_whole_rows, rows, values),
            "at once": partial(all_at_once, rows, values),
            "look": partial(one_look, rows),
        }
        times, now = in_turns(calls, turns), busy()
        exact = all_at_once(rows, values)
        apart = float((inner_products(rows, values) - exact).abs().max() / exact.abs().max())
        slower = {name: ratio(times[name], times["ours"]) for name in ("before", "at once", "look")}
        table.add(
            f"inner products, {n_seen:,} seen, d = {dim:,}, in a file",
            f"{times['ours']}; whole rows × {slower['before']:.2f}, all at once × {slower['at once']:.2f}, one look"
            f" × {slower['look']:.2f}; {apart:.0e} apart",
            "1e-12 apart at most",
            apart <= 1e-12,
            **{key: value for name, own in times.items() for key, value in own.row(name.replace(" ", "_")).items()},
            apart=apart,
            **now,
        )
        held = HeldRows(tuple(row.clone() for block in rows.blocks(50) for row in block))
        steps = {"file": stepping(rows, n_seen, dim), "memory": stepping(held, n_seen, dim)}
        for name, own in in_turns(steps, turns).items():
            cpu = median(own.cpu)
            wanted = name == "file" and n_seen == 1000
            table.add(
                f"a round at the server, {n_seen:,} seen, rows in {name}",
                f"{own}",
                f"{WANTED} s CPU",
                cpu <= WANTED if wanted else None,
                **own.row("step"),
                n_seen=n_seen,
                **busy(),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small, to see that it runs")
    parser.add_argument("--json", help="also write the table there")
    arguments = parser.parse_args()
    table = Table()
    for n_seen in (50,) if arguments.quick else SEEN:
        measured(table, n_seen, 1000 if arguments.quick else DIM, 1 if arguments.quick else 7)
    table.write(arguments.json)


if __name__ == "__main__":
    main()

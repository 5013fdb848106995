"""How the convex simulator grows with clients, dimensions and replicas, beside plain batching in the same process.

    python -m tests.benchmarks.scale [--quick] [--json FILE]

First many clients (d = 20, E = 5, one replica): a round's time, and the memory that the federation, the worker and the
rounds take together. Then a grid of clients, dimensions and replicas: ours must nowhere be slower than one matmul over
clients and replicas a step.
"""

from __future__ import annotations

import argparse
import tracemalloc
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks.simulate import E, federation, matmul_loop
from tests.benchmarks.targets import Table, seconds_of
from theory import FedSoftWorse, QuadraticFederation, inverse_steps, simulate
from theory.base.arrays import one_blas_thread

MANY = ((1_000, None, None), (10_000, 0.060, 0.3), (100_000, 0.6, 2.5))  # clients, seconds a round, GB
SIZES = tuple((n, d, r) for n in (2, 10, 100, 1000) for d in (2, 20, 100) for r in (1, 10, 1000))
LARGEST = 4_000_000  # numbers in the local models of all replicas, and in the matrices of a federation


def ours(fed: QuadraticFederation, start: Any, n_rounds: int) -> Any:
    steps = inverse_steps(2.0, 20.0, n_rounds * E)
    rule = FedSoftWorse(1.0)
    return simulate(fed, rule, start=start, step_sizes=steps, n_local_steps=E, record=("models",))


def many_clients(table: Table, quick: bool) -> None:
    """Time and memory against the number of clients; a round is what more rounds cost beyond the first ones."""
    for n, seconds, memory in MANY[:1] if quick else MANY:
        tracemalloc.start()
        fed = federation(n, 20)
        start = np.ones(20)
        tracemalloc.reset_peak()
        ours(fed, start, 2)
        peak = tracemalloc.get_traced_memory()[1] / 1e9
        tracemalloc.stop()
        repeats = 3
        short, long = (seconds_of(partial(ours, fed, start, rounds), repeats) for rounds in (1, 6))
        a_round = (long - short) / 5
        steps = inverse_steps(2.0, 20.0, 5 * E)
        with one_blas_thread():
            plain = seconds_of(partial(matmul_loop, fed, start, steps, 5), repeats) / 5
        reached = None if seconds is None else a_round <= seconds and peak <= memory
        table.add(
            f"{n:,} clients, d = 20: a round",
            f"{1e3 * a_round:9.2f} ms {peak:7.3f} GB   plain {1e3 * plain:9.2f} ms",
            "" if seconds is None else f"{1e3 * seconds:g} ms and {memory:g} GB",
            reached,
            seconds_a_round=a_round,
            seconds_to_prepare=short - a_round,
            peak_gb=peak,
            plain_seconds_a_round=plain,
        )


def grid(table: Table, quick: bool) -> None:
    """Plain batching's time by ours over the grid, rounds enough for a few milliseconds."""
    for n, d, replicas in SIZES:
        if max(n * d * replicas, n * d * d) > (20_000 if quick else LARGEST):
            continue
        fed = federation(n, d)
        start = np.ones((replicas, d)) * np.linspace(0.5, 1.5, replicas)[:, None]
        n_rounds = 3 if quick else int(np.clip(2e7 // (n * d * d * replicas), 5, 100))
        steps = inverse_steps(2.0, 20.0, n_rounds * E)
        repeats = 1 if quick else 5
        with one_blas_thread():
            plain = seconds_of(partial(matmul_loop, fed, start, steps, n_rounds), repeats)
        mine = seconds_of(partial(ours, fed, start, n_rounds), repeats)
        table.add(
            f"{n} clients, d = {d}, {replicas} replicas, {n_rounds} rounds",
            f"{1e3 * mine:9.2f} ms   plain batching × {plain / mine:.2f}",
            "not slower than plain batching",
            plain >= mine,
            seconds=mine,
            plain_seconds=plain,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--json", help="also write the tables there")
    arguments = parser.parse_args()
    table = Table()
    many_clients(table, arguments.quick)
    grid(table, arguments.quick)
    table.write(arguments.json)


if __name__ == "__main__":
    main()

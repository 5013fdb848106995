"""How the convex simulator grows with clients, dimensions and replicas, beside plain batching in the same process.

    python -m tests.benchmarks.scale [--quick] [--json FILE]

First many clients (d = 20, E = 5, one replica): a round's time, and the memory that the federation, the worker and the
rounds take together. Then a grid of clients, dimensions and replicas: ours must nowhere be slower than one matmul over
clients and replicas a step.
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

import theory.compiled.library
from tests.benchmarks.clocks import Times, busy, in_turns, joined, limited, ratio
from tests.benchmarks.simulate import E, federation, matmul_loop
from tests.benchmarks.targets import Table
from theory import FedSoftWorse, QuadraticFederation, inverse_steps, simulate

MANY = ((1_000, 1.0, 0.1), (10_000, 10.0, 0.3), (100_000, 30.0, 2.5))  # clients, milliseconds a round, GB
SIZES = tuple((n, d, r) for n in (2, 10, 100, 1000) for d in (2, 20, 100) for r in (1, 10, 1000))
LARGEST = 4_000_000  # numbers in the local models of all replicas, and in the matrices of a federation


def ours(fed: QuadraticFederation, start: Any, n_rounds: int) -> Any:
    steps = inverse_steps(2.0, 20.0, n_rounds * E)
    rule = FedSoftWorse(1.0)
    return simulate(fed, rule, start=start, step_sizes=steps, n_local_steps=E, record=("models",))


@contextmanager
def without_kernels() -> Iterator[None]:
    """Within it nothing compiled of ours runs."""
    compiled = theory.compiled.library
    plain = compiled.library
    compiled.library = lambda: None  # type: ignore[assignment]
    try:
        yield
    finally:
        compiled.library = plain


class Clocked:
    """A rule in Python that notes both clocks each time it is asked, which is once a round."""

    def __init__(self, rule: Any) -> None:
        self.rule, self.needs = rule, rule.needs
        self.cpu: list[float] = []
        self.wall: list[float] = []

    def __call__(self, stats: Any) -> Any:
        self.cpu.append(process_time())
        self.wall.append(perf_counter())
        return self.rule(stats)


def rounds(fed: QuadraticFederation, start: Any, n_rounds: int) -> tuple[Times, Any]:
    """What each round of a run after the first takes, and the last model."""
    steps, rule = inverse_steps(2.0, 20.0, (n_rounds + 1) * E), Clocked(FedSoftWorse(1.0))
    ended = simulate(fed, rule, start=start, step_sizes=steps, n_local_steps=E, record=("models",)).final
    return Times(tuple(np.diff(rule.cpu)), tuple(np.diff(rule.wall))), ended


def many_clients(table: Table, quick: bool) -> None:
    """Time and memory against the number of clients, the rule in Python.

    Beside ours on one thread: the same without compiled code, plain batching, and one look at every matrix.
    """
    for n, milliseconds, memory in MANY[:1] if quick else MANY:
        tracemalloc.start()
        fed = federation(n, 20)
        start = np.ones(20)
        tracemalloc.reset_peak()
        ours(fed, start, 2)
        peak = tracemalloc.get_traced_memory()[1] / 1e9
        tracemalloc.stop()
        steps, matrices = inverse_steps(2.0, 20.0, E), np.asarray(fed.curvature).reshape(-1)
        found: dict[str, list[Times]] = {name: [] for name in ("ours", "NumPy", "plain", "read")}
        with limited(1):
            for _ in range(1 if quick else 7):
                mine, here = rounds(fed, start, 10)
                with without_kernels():
                    numpy, there = rounds(fed, start, 10)
                calls = {
                    "plain": partial(matmul_loop, fed, start, steps, 1),
                    "read": partial(np.dot, matrices, matrices),
                }
                for name, times in {"ours": mine, "NumPy": numpy, **in_turns(calls, 3)}.items():
                    found[name].append(times.middle())
            now = busy()
        medians = {name: joined(turns) for name, turns in found.items()}
        apart = float(np.max(np.abs(here - there)))
        a_round = medians.pop("ours")
        slower = {name: ratio(times, a_round) for name, times in medians.items()}
        reached = 1e3 * median(a_round.cpu) <= milliseconds and peak <= memory
        table.add(
            f"{n:,} clients, d = 20: a round",
            f"{a_round}, {peak:.3f} GB; NumPy's rounds × {slower['NumPy']:.1f}, plain batching"
            f" × {slower['plain']:.1f}, one look at the matrices × {slower['read']:.2f}; models {apart:.0e} apart",
            f"{milliseconds:g} ms CPU, {memory:g} GB",
            reached,
            **a_round.row("round"),
            **{key: value for name, times in medians.items() for key, value in times.row(name).items()},
            peak_gb=peak,
            apart=apart,
            **now,
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
        with limited(1):
            calls = {
                "ours": partial(ours, fed, start, n_rounds),
                "plain": partial(matmul_loop, fed, start, steps, n_rounds),
            }
            times, now = in_turns(calls, 1 if quick else 5), busy()
        gain = ratio(times["plain"], times["ours"])
        table.add(
            f"{n} clients, d = {d}, {replicas} replicas, {n_rounds} rounds",
            f"{times['ours']}; plain batching × {gain:.2f}",
            "not slower than plain batching",
            gain >= 1,
            **times["ours"].row("ours"),
            **times["plain"].row("plain"),
            **now,
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

"""How fast the clients of a deep round are trained: every contestant in a process of its own, in alternation.

    python -m tests.benchmarks.deep [--quick] [--repeats N] [--json FILE] [--device cuda]

The task: 100 clients with 600 images of 28 × 28, 10 of them trained for one epoch. A process each, because what one
contestant leaves in the allocator changes the next one's time; repeats alternate, so a busy neighbour hits all. CPU
time tells what is left when it does; on more threads it counts their waiting, so take it on one (OMP_NUM_THREADS=1).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from tests.benchmarks.contestants import Round, names, prepare, skipped
from validation.job.provenance import provenance

MODELS = {"robust-cnn-flattened": "CNN", "mlp": "MLP 784-128-10", "softmax-regression": "softmax regression"}


def tasks(quick: bool, device: str) -> list[Round]:
    """The rounds to train, small ones if `quick`."""
    sizes = (64,) if quick else (64, 10)
    shape = {"n_clients": 4, "n_samples": 150, "n_held": 4} if quick else {}
    return [Round(name, size, device=device, **shape) for name in MODELS for size in sizes]


def serve(name: str, n_threads: int, link: Connection) -> None:
    """A contestant's process: given a round it prepares, given None it runs: (seconds, CPU seconds)."""
    torch.set_num_threads(n_threads)
    run = None
    with suppress(EOFError):
        while True:
            task = link.recv()
            if task is not None:
                run = None  # frees what the last task held
                run = prepare(name, task)
                run()
                link.send((0.0, 0.0))
                continue
            begun, worked = time.perf_counter(), time.process_time()
            assert run is not None
            run()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            link.send((time.perf_counter() - begun, time.process_time() - worked))


def measure(links: dict[str, Connection], task: Round, repeats: int) -> dict[str, list[tuple[float, float]]]:
    """(Seconds, CPU seconds) of each repeat, by contestant."""
    racing = [name for name in links if not skipped(name, task)]
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in racing}
    for name in racing:
        links[name].send(task)
        links[name].recv()
    for turn in range(repeats):
        for name in racing[turn % len(racing) :] + racing[: turn % len(racing)]:
            links[name].send(None)
            seconds[name].append(links[name].recv())
    return seconds


def table_of(task: Round, seconds: dict[str, list[tuple[float, float]]]) -> list[dict[str, Any]]:
    """A row for each contestant; ratios of medians, above 1 where it is faster than the plain loop."""
    medians = {name: [statistics.median(kind) for kind in zip(*found, strict=True)] for name, found in seconds.items()}
    plain, plain_cpu = medians["plain loop"]
    return [
        {
            "model": MODELS[task.model_name],
            "batch_size": task.batch_size,
            "n_clients": task.n_clients,
            "n_samples": task.n_samples,
            "device": task.device,
            "what": name,
            "seconds": medians[name][0],
            "cpu_seconds": medians[name][1],
            "samples_per_s": task.n_clients * task.n_samples / medians[name][0],
            "ratio_to_plain_loop": plain / medians[name][0],
            "cpu_ratio_to_plain_loop": plain_cpu / medians[name][1],
            "all_seconds": found,
        }
        for name, found in seconds.items()
    ]


def race(rounds: Sequence[Round], repeats: int, n_threads: int) -> list[dict[str, Any]]:
    """All contestants on all `rounds`."""
    # Forked before this process has computed anything, so each starts fresh without importing torch anew.
    context = multiprocessing.get_context("fork")
    links, processes = {}, []
    for name in names():
        links[name], theirs = context.Pipe()
        processes.append(context.Process(target=serve, args=(name, n_threads, theirs), daemon=True))
        processes[-1].start()
        theirs.close()
    try:
        return [row for task in rounds for row in table_of(task, measure(links, task, repeats))]
    finally:
        for process in processes:
            process.terminate()
            process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--repeats", type=int, help="of each contestant; 7, or 2 if quick")
    parser.add_argument("--json", help="also write the table there")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    arguments = parser.parse_args()
    n_threads = torch.get_num_threads()
    repeats = arguments.repeats or (2 if arguments.quick else 7)
    rows = race(tasks(arguments.quick, arguments.device), repeats, n_threads)
    print(f"torch {torch.__version__}, {n_threads} threads, {arguments.device}")
    print(f"{'':20} {'batch':>5}  {'':28} {'samples/s':>10} {'× plain loop':>13} {'in CPU time':>12}")
    for row in rows:
        size, rate, ratio = row["batch_size"], row["samples_per_s"], row["ratio_to_plain_loop"]
        cpu = row["cpu_ratio_to_plain_loop"]
        print(f"{row['model']:20} {size:5}  {row['what']:28} {rate:10,.0f} {ratio:13.2f} {cpu:12.2f}")
    if arguments.json:
        made = {"torch": torch.__version__, "n_threads": n_threads, "rows": rows, "provenance": provenance()}
        Path(arguments.json).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

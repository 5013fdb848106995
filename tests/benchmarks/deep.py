"""How fast the clients of a deep round are trained: every contestant in a process of its own, in alternation.

    python -m tests.benchmarks.deep [--quick] [--threads 1 2] [--seconds N] [--json FILE] [--device cuda]

The task: 100 clients with 600 images of 28 × 28, 10 of them (2 for the CNN) trained for one epoch. A process each,
because what one contestant leaves in the allocator changes the next one's time; repeats alternate, so a busy neighbour
hits all. CPU time tells what is left when it does; on more threads it counts their waiting, so one and two threads are
apart, and both times are in every row. Contestants that are not installed are named. Each task is printed when it is
done; its contestants take turns until its share of `--seconds` is used, once at least after a first turn that counts
for nothing. One that cannot be imported, raises or dies is named. On a machine so busy that this takes 1.4 times as
long, no further turn begins, and who had none is named.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from tests.benchmarks.contestants import Round, absent, names, prepare, skipped
from tests.benchmarks.table import as_table
from validation.ledger.provenance import provenance

Heat = tuple[Round, list[dict[str, Any]], dict[str, str]]
LEAST, MOST = 1, 7  # turns of each contestant
STRONGEST = "plain loop, strongest"
OVERTIME = 1.4  # times the seconds asked for, after which no turn begins: five minutes are the most of a default run
MODELS = {"robust-cnn-flattened": "CNN", "mlp": "MLP 784-128-10", "softmax-regression": "softmax regression"}


def tasks(quick: bool, device: str) -> list[Round]:
    """The rounds to train, small ones if `quick`."""
    sizes = (64,) if quick else (64, 10)
    small = {"n_clients": 4, "n_samples": 150, "n_held": 4}
    shapes = {name: small if quick else {"n_clients": 2} if "cnn" in name else {} for name in MODELS}
    return [Round(name, size, device=device, **shapes[name]) for name in MODELS for size in sizes]


def serve(name: str, n_threads: int, link: Connection) -> None:
    """A contestant's process: given a round it prepares, given None it runs; what it raises goes back as a line."""
    torch.set_num_threads(n_threads)
    run = None
    while True:
        try:
            task = link.recv()
        except EOFError:
            return
        try:
            if task is not None:
                run = None  # frees what the last task held
                run = prepare(name, task)
            assert run is not None
            began, worked = time.perf_counter(), time.process_time()
            run()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            link.send((time.perf_counter() - began, time.process_time() - worked))
        except Exception as error:  # whatever a contestant's library raises
            link.send(f"{type(error).__name__}: {' '.join(str(error).split())}")


def asked(link: Connection, task: Round | None) -> tuple[float, float] | str:
    """(Seconds, CPU seconds) of one turn, or why there is none."""
    try:
        link.send(task)
        answer: tuple[float, float] | str = link.recv()
    except (EOFError, OSError):
        return "its process ended"
    return answer


def measure(
    links: dict[str, Connection], task: Round, seconds: float, deadline: float = inf
) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """((Seconds, CPU seconds) of each turn by contestant, why others have none); those that failed are out for good.

    No turn begins after `deadline`, as `time.perf_counter` counts.
    """
    until = time.perf_counter() + seconds
    found: dict[str, list[Any]] = {name: [] for name in links if not skipped(name, task)}
    faults: dict[str, str] = {}

    def turn(name: str, wanted: Round | None) -> None:
        if time.perf_counter() >= deadline:
            return
        answer = asked(links[name], wanted)
        if isinstance(answer, str):
            faults[name] = answer
            del found[name], links[name]
        elif wanted is None:
            found[name].append(answer)

    for name in list(found):
        turn(name, task)
    n_turns = 0
    while (
        found
        and time.perf_counter() < deadline
        and (n_turns < LEAST or (time.perf_counter() < until and n_turns < MOST))
    ):
        order = list(found)
        for name in order[n_turns % len(order) :] + order[: n_turns % len(order)]:
            turn(name, None)
        n_turns += 1
    faults |= {name: "no time was left" for name, turns in found.items() if not turns}
    return {name: turns for name, turns in found.items() if turns}, faults


def table_of(task: Round, seconds: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """A row for each contestant; ratios of medians, above 1 where it is faster than the plain loop, if that ran, and
    than the strongest one.
    """
    medians = {name: [statistics.median(kind) for kind in zip(*found, strict=True)] for name, found in seconds.items()}
    if "plain loop" not in medians:
        return []
    plain, plain_cpu = medians["plain loop"]
    strong = medians.get(STRONGEST)
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
            "ratio_to_strongest": None if strong is None else strong[0] / medians[name][0],
            "cpu_ratio_to_strongest": None if strong is None else strong[1] / medians[name][1],
            "all_seconds": found,
        }
        for name, found in seconds.items()
    ]


def race(rounds: Sequence[Round], seconds: float, n_threads: int, contestants: Sequence[str]) -> Iterator[Heat]:
    """Each round with the rows of its table, and what was wrong with contestants that dropped out in it."""
    # Forked before this process has computed anything, so each starts fresh without importing torch anew.
    context = multiprocessing.get_context("fork")
    links, processes = {}, []
    for name in contestants:
        links[name], theirs = context.Pipe()
        processes.append(context.Process(target=serve, args=(name, n_threads, theirs), daemon=True))
        processes[-1].start()
        theirs.close()
    shares = [4.0 if "cnn" in task.model_name else 1.0 for task in rounds]
    deadline = time.perf_counter() + OVERTIME * seconds if seconds else inf
    try:
        for task, share in zip(rounds, shares, strict=True):
            found, faults = measure(links, task, seconds * share / sum(shares), deadline)
            yield task, table_of(task, found), faults
    finally:
        for process in processes:
            process.terminate()
            process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--seconds", type=float, default=200.0, help="for all tasks together, about")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", help="also write the table there")
    parser.add_argument("--note", default="", help="what a reader must know about the machine, for the file")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    dropped: dict[str, str] = dict.fromkeys(absent(), "is not installed")
    rounds = tasks(arguments.quick, arguments.device)
    seconds = 0.0 if arguments.quick else arguments.seconds / len(arguments.threads)
    for n_threads in arguments.threads:
        print(f"torch {torch.__version__}, {n_threads} threads, {arguments.device}, load {os.getloadavg()[0]:.1f}")
        for name, why in dropped.items():
            print(f"{name}: out, {why}")
        print(
            f"{'':20} {'batch':>5}  {'':28} {'samples/s':>10} {'× plain loop':>13} {'in CPU time':>12}"
            f" {'× strongest':>13} {'in CPU time':>12}",
            flush=True,
        )
        for task, table, faults in race(rounds, seconds, n_threads, names()):
            for row in table:
                row |= {"threads": n_threads, "load": os.getloadavg()[0]}
                shown = f"{row['ratio_to_plain_loop']:13.2f} {row['cpu_ratio_to_plain_loop']:12.2f}"
                if row["ratio_to_strongest"] is not None:
                    shown += f" {row['ratio_to_strongest']:13.2f} {row['cpu_ratio_to_strongest']:12.2f}"
                what = f"{row['model']:20} {row['batch_size']:5}  {row['what']:28} {row['samples_per_s']:10,.0f}"
                print(f"{what} {shown}", flush=True)
            for name, why in faults.items():
                print(f"{'':20} {'':5}  {name}: out, {why}", flush=True)
            rows += table
            where = f"{MODELS[task.model_name]}, batches of {task.batch_size}, {n_threads} threads"
            dropped |= {f"{name}, {where}": why for name, why in faults.items()}
    if arguments.json:
        made = {"torch": torch.__version__, "note": arguments.note, "rows": rows}
        made |= {"dropped": dropped, "provenance": provenance()}
        Path(arguments.json).write_text(as_table(made) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""How work grows: FedAWARE's rounds in clients seen N, parameters d and rounds T, checks in claims and in seeds.

    python -m tests.benchmarks.growth                 # all; fitted exponents, written to tests/benchmarks/results
    python -m tests.benchmarks.growth clients claims  # some
    python -m tests.benchmarks.growth large --data-root DATA   # N = 10,000, d = 99,385: as stated, and as measured,
                                                               # three times, each in a process of its own

Times are processor seconds of one thread, medians of three; an exponent is the slope of a line through logarithms.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import process_time

import click
import numpy as np
import torch

from deep import RunConfig, run
from deep.aware_memory.rows import CohortRows, HeldRows, Incremental
from deep.runs.estimate import estimate
from theory import make_rule
from theory.rules.combinators.presets import fed_aware
from theory.rules.stats import RoundStats

RESULTS = Path(__file__).parent / "results" / "growth.json"
PRESENT = 10


def fitted(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The exponent b of values ≈ a·sizeᵇ."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Median processor time."""
    found = []
    for _ in range(repeats):
        began = process_time()
        work()
        found.append(process_time() - began)
    return median(found)


def server_step(n_seen: int, dim: int) -> Callable[[], object]:
    """A round of FedAWARE at the server once `n_seen` clients were seen, ten of them present."""
    rng = torch.Generator().manual_seed(0)
    rows = torch.randn(n_seen, dim, generator=rng) + 0.1
    wide = rows.double()
    rule = Incremental(fed_aware())
    state = {"place": torch.arange(n_seen), "memory": HeldRows(tuple(rows)).plain(), "gram": wide @ wide.T}
    del wide
    present = torch.zeros(n_seen, dtype=torch.bool)
    present[:PRESENT] = True
    share = torch.full((n_seen,), 1 / n_seen, dtype=torch.float64)
    updates = CohortRows(torch.randn(PRESENT, dim, generator=rng), tuple(range(PRESENT)), n_seen)
    stats = RoundStats.unchecked(share=share, present=present, updates=updates, round=1)
    state, _, _ = rule.step(state, stats)  # the support of the round before is known from here on

    def step() -> None:
        _, weights, vectors = rule.step(state, stats)
        vectors.combined(weights)

    return step


def checked(claims: Sequence[str], seeds: int) -> Callable[[], object]:
    """`fedverdict check` of claims, once for each seed."""
    from validation.papers.papers import select
    from validation.verdict.engine import check

    found = [claim for _, claim in select(list(claims))]
    return lambda: [check(claim, budget=500, seed=seed) for seed in range(seeds) for claim in found]


def rounds_played(n_rounds: int) -> Callable[[], object]:
    """A run of FedAWARE on the digits, a thousand clients of whom ten take part."""
    config = RunConfig(n_clients=1000, n_sampled=PRESENT, partition="iid", n_rounds=n_rounds, n_local_steps=2)
    return lambda: run(config, make_rule("fed-aware"))


AXES: dict[str, tuple[Sequence[int], Callable[[int], Callable[[], object]], str]] = {
    "clients": ((250, 500, 1000, 2000), lambda n: server_step(n, 10_000), "clients seen N, d = 10,000"),
    "parameters": ((2_500, 10_000, 40_000, 160_000), lambda d: server_step(400, d), "parameters d, N = 400"),
    "rounds": ((25, 50, 100, 200), rounds_played, "rounds T, 10 of 1,000 clients, d = 650"),
    "claims": ((1, 2, 4, 8), lambda n: checked(CLAIMS[:n], 1), "claims, budget 500"),
    "seeds": ((1, 2, 4, 8), lambda n: checked(CLAIMS[:1], n), "seeds of one claim, budget 500"),
}
CLAIMS = ("EA-S2", "EA-E21d", "FA-CHIW", "K1", "K2", "K3", "K4", "K5")


def large(n_rounds: int, data_root: Path | None) -> dict[str, object]:
    """N = 10,000 clients, ten a round, d = 99,385: memory and time as stated before, and as they were."""
    data = {"dataset": "fashion-mnist", "split": "official", "model": "mlp(hidden=[125])", "partition": "iid"}
    sparing = {"losses": "none", "validation": "read", "evaluate_every": 50, "checkpoint_every": 50}
    config = RunConfig(
        **data, **sparing, n_clients=10_000, n_sampled=PRESENT, n_rounds=n_rounds, n_local_steps=5, batch_size=6
    )
    rule = make_rule("fed-aware")
    load = os.getloadavg()[0]
    stated = estimate(config, rule, data_root=data_root)
    with tempfile.TemporaryDirectory() as folder:
        shown: list[tuple[float, float]] = []

        def on_round(record: object) -> None:
            shown.append((process_time(), record.seconds))
            if len(shown) % 25 == 0:
                print(len(shown), record.seconds_of, file=sys.stderr, flush=True)

        began = process_time()
        made = run(config, rule, out=folder, data_root=data_root, on_round=on_round)
        file = (Path(folder) / "rows.bin").stat().st_size
    peak = int(next(s for s in Path("/proc/self/status").read_text().splitlines() if s.startswith("VmHWM")).split()[1])
    ends = [began, *(at for at, _ in shown)]
    a_round = [later - earlier for earlier, later in pairwise(ends)]
    tenth = max(1, n_rounds // 10)
    wall = sum(record.seconds for record in made.history)
    return {
        "load of the machine before and after": (load, os.getloadavg()[0]),
        "n_rounds": n_rounds,
        "n_parameters": stated.n_parameters,
        "stated GiB": stated.total_memory / 2**30,
        "peak GiB": peak / 2**20,
        "peak over stated": peak * 1024 / stated.total_memory,
        "stated seconds": stated.total_seconds,
        "seconds by the clock": wall,
        "seconds over stated": wall / stated.total_seconds,
        "processor seconds": ends[-1] - began,
        "processor seconds a round, the last tenth": sum(a_round[-tenth:]) / tenth,
        "of them by the clock for the minimum norm": sum(
            record.seconds_of["minimum norm"] for record in made.history[-tenth:]
        )
        / tenth,
        "file of rows, GB": file / 1e9,
        "clients seen at the end": len(
            {c for r in made.history for c, p in zip(r.clients, r.present, strict=True) if p}
        ),
    }


def repeated(n_rounds: int, data_root: Path | None, runs: int = 3) -> dict[str, object]:
    """`large` in a process of its own each time, for the most memory is that of a process; medians beside them."""
    found = []
    for _ in range(runs):
        code = f"from tests.benchmarks.growth import once; once({n_rounds}, {str(data_root or '')!r})"
        done = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True)
        found.append(json.loads(done.stdout))
        print(json.dumps(found[-1], indent=1), flush=True)
    names = ("peak over stated", "seconds over stated")
    return {**{f"median {name}": median(one[name] for one in found) for name in names}, "runs": found}


def once(n_rounds: int, data_root: str) -> None:
    """`large`, as JSON on stdout."""
    torch.set_num_threads(1)
    print(json.dumps(large(n_rounds, Path(data_root) if data_root else None)))


@click.command()
@click.argument("names", nargs=-1)
@click.option("--rounds", default=150, help="Of the large run.")
@click.option("--data-root", type=click.Path(path_type=Path, exists=True), envvar="FEDVERDICT_DATA")
def main(names: tuple[str, ...], rounds: int, data_root: Path | None) -> None:
    """Measure, print, and keep."""
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in names or AXES:
        if name == "large":
            kept[name] = repeated(rounds, data_root)
        else:
            sizes, of, says = AXES[name]
            taken = [seconds(of(size)) for size in sizes]
            kept[name] = {"says": says, "sizes": list(sizes), "seconds": taken, "exponent": fitted(sizes, taken)}
            print(f"{says}: exponent {kept[name]['exponent']:.2f}; {dict(zip(sizes, taken, strict=True))}", flush=True)
    kept["python"], kept["torch"] = sys.version.split()[0], torch.__version__
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()

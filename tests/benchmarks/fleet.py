"""Where a round's time goes in robust aggregation's published configuration, and a fleet against its runs one by one.

    python -m tests.benchmarks.fleet [--json FILE]

The published configuration is that of the recipe mnist_iid of robust aggregation (100 clients of 60,000 images of
28 × 28, 10 of them a round for two passes in batches of 64, its CNN, evaluation every fifth round), on drawn images:
the share of training in the seconds of its rounds, from the second on, with a rule that reads losses and with FedAvg.
The fleet: 12 rules × 5 seeds on the digits, 100 clients of whom 10 train, 20 rounds; in processor time, a fleet and its
60 runs in turn, the median of `--pairs` ratios (targets: half of a round's time is training, and 1.5).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep import RunConfig, run
from deep.runs.fleet import Member, run_fleet
from theory.rules import make_rule
from validation.ledger.provenance import provenance

RULES = (
    "proportional", "uniform", "exp-alpha(alpha=0.5)", "exp-alpha(alpha=2.0)", "fed-worse", "fed-better",
    "fed-soft-worse(temperature=0.2)", "fed-soft-better(temperature=0.2)", "fed-soft-worse(temperature=1.0)",
    "fed-soft-better(temperature=1.0)", "min-norm", "with-memory(rule=min-norm)",
)  # fmt: skip
SEEDS = 5
DIGITS = RunConfig(n_clients=100, n_sampled=10, partition="iid", n_rounds=20, n_local_steps=0, n_local_epochs=5,
                   batch_size=10, evaluate_every=5)  # fmt: skip
MODELS = {"softmax regression": "softmax-regression", "MLP 64-128-10": "mlp(hidden=[128])"}


def images() -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
    """(training inputs, classes, test inputs, classes), as many as MNIST has."""
    rng = np.random.default_rng(0)
    inputs, classes = rng.random((70_000, 1, 28, 28), dtype=np.float32), rng.integers(0, 10, 70_000)
    return inputs[:60_000], classes[:60_000], inputs[60_000:], classes[60_000:]


PUBLISHED = RunConfig(
    dataset="tests.benchmarks.fleet:images", split="whole", scaling="dataset", model="robust-cnn-flattened",
    n_clients=100, n_sampled=10, partition="stratified", n_rounds=6, n_local_steps=0, n_local_epochs=2, batch_size=64,
    local_lr=0.001, lr_decay=0.99, floor="zero", evaluate_every=5,
)  # fmt: skip


def shares(rule: str, losses: str) -> dict[str, float]:
    """The part of a round's seconds that each kind of work takes, over rounds 2 to 6 (one of them evaluated)."""
    seconds: dict[str, float] = {}
    history = run(replace(PUBLISHED, losses=losses), make_rule(rule)).history[1:]
    for record in history:
        for name, taken in record.seconds_of.items():
            seconds[name] = seconds.get(name, 0.0) + taken
    whole = sum(record.seconds for record in history)
    return {"seconds_a_round": whole / len(history), **{name: taken / whole for name, taken in seconds.items()}}


def ratios(model: str, n_pairs: int) -> Sequence[tuple[float, float]]:
    """(Processor seconds of the runs one by one, of the fleet), pair by pair; a first pair counts for nothing."""
    members = [
        Member(replace(DIGITS, model=model, seed=seed), make_rule(text)) for seed in range(SEEDS) for text in RULES
    ]

    def alone() -> None:
        for member in members:
            run(member.config, member.rule)

    def taken(work: Any) -> float:
        began = process_time()
        work()
        return process_time() - began

    run(members[0].config, members[0].rule)
    run_fleet(members[:2])
    return [(taken(alone), taken(lambda: run_fleet(members))) for _ in range(n_pairs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="also write the figures there")
    parser.add_argument("--note", default="", help="what a reader must know about the machine, for the file")
    parser.add_argument("--pairs", type=int, default=3)
    arguments = parser.parse_args()
    made: dict[str, Any] = {"note": arguments.note, "fleet": [], "published": []}
    for called, model in MODELS.items():
        found = ratios(model, arguments.pairs)
        ratio = median(one / fleet for one, fleet in found)
        made["fleet"].append({"model": called, "runs": len(RULES) * SEEDS, "ratio": ratio, "seconds": found})
        print(f"{called}: fleet of {len(RULES)} × {SEEDS}, {ratio:.2f} × its runs one by one {found}", flush=True)
    for rule, losses in (("fed-soft-worse(temperature=0.2)", "auto"), ("proportional", "none")):
        row = shares(rule, losses)
        made["published"].append({"rule": rule, "losses": losses, **row})
        parts = ", ".join(f"{name} {share:.1%}" for name, share in row.items() if name != "seconds_a_round")
        print(f"{rule}: {row['seconds_a_round']:.2f} s a round; {parts}", flush=True)
    if arguments.json:
        text = json.dumps({**made, "provenance": provenance()}, indent=1)
        Path(arguments.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

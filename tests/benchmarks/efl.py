"""What EFL's parts cost of a round: elastic term and ternary messages against FedAvg, in one process, round by round.

    python -m tests.benchmarks.efl [--data-root DATA] [--rounds 15] [--json FILE]

Processor time of a whole round (training, losses, aggregation, bytes counted) on one thread, the median over rounds,
methods taking turns. Fashion-MNIST needs its files; without `--data-root` digits alone are timed.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import torch

from deep.config.config import RunConfig
from deep.round.play_round import first_state, play_round
from deep.task.setup import Setup
from deep.task.task import make_task
from theory.rules import make_rule
from validation.ledger.provenance import provenance

RESULTS = Path(__file__).parent / "results" / "efl.json"
_QUIET: dict[str, Any] = {"n_rounds": 1000, "evaluate_every": 1000, "losses": "all", "floor": "zero"}
CONFIGS = {
    "softmax regression, digits": RunConfig(**_QUIET, l2=0.01),
    "small CNN, digits": RunConfig(**_QUIET, model="small-cnn"),
    "softmax regression, Fashion-MNIST, 10 of 100": RunConfig(
        **{**_QUIET, "losses": "present"},
        dataset="fashion-mnist",
        split="official",
        partition="classes(m=2)",
        n_clients=100,
        n_sampled=10,
        n_local_steps=20,
    ),
}
_BOTH = "compressed(client={}, keep_fraction=0.1, down_fraction=0.1)"
METHODS = {
    "FedAvg": ("proportional", "sgd"),
    "ternary messages both ways": ("efl", _BOTH.format("sgd")),
    "elastic term, all samples": ("efl", "elastic(strength=0.01)"),
    "elastic term, 32 samples": ("efl", "elastic(strength=0.01, n_samples=32)"),
    "EFL, all samples": ("efl", _BOTH.format("elastic(strength=0.01)")),
    "EFL, 32 samples": ("efl", _BOTH.format("elastic(strength=0.01, n_samples=32)")),
}


def timed(config: RunConfig, data_root: Path | None, rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds of a round of every method, and how many FedAvg rounds that is."""
    configs = {name: replace(config, client=client) for name, (_, client) in METHODS.items()}
    tasks = {name: make_task(Setup.of(own), torch.device("cpu"), data_root) for name, own in configs.items()}
    states = {name: first_state(Setup.of(own), tasks[name]) for name, own in configs.items()}
    spent: dict[str, list[float]] = {name: [] for name in METHODS}
    for _ in range(rounds + 2):
        for name, (rule, _client) in METHODS.items():
            before = time.process_time()
            played = play_round(Setup.of(configs[name], make_rule(rule)), tasks[name], states[name])
            spent[name].append(1000 * (time.process_time() - before))
            assert played is not None
            states[name] = played[0]
    middle = {name: median(values[2:]) for name, values in spent.items()}
    return {name: {"ms": ms, "rounds_of_fed_avg": ms / middle["FedAvg"]} for name, ms in middle.items()}


def main() -> None:
    """Time every configuration whose data is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-root", type=Path, default=None)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, default=RESULTS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    for name, config in CONFIGS.items():
        if config.dataset != "digits" and options.data_root is None:
            print(f"{name}: no --data-root, skipped")
            continue
        found[name] = timed(config, options.data_root, options.rounds)
        print(name)
        for method, row in found[name].items():
            print(f"  {method:28} {row['ms']:8.1f} ms  {row['rounds_of_fed_avg']:5.2f}")
    made = {"provenance": provenance(), "rounds": options.rounds, "configs": found}
    options.json.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""What FedSSA's weight learning costs of a round: Fashion-MNIST as in the paper, processor time on one thread.

    python -m tests.benchmarks.fedssa [--data-root DATA] [--epochs N] [--json FILE]

One round of FedAvg on five clients of NIID-1, batches of 64, the smaller reading of the simple CNN, `--epochs` local
epochs (the paper's 10 by default), then the learning of weights on that round's models: two views of every unlabelled
sample, the outputs of all models on them, and the steps. Unlabelled are the test samples of the target: all 10,000 of
"uniform", about 2,000 of "skew".
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from deep import RunConfig
from deep.round.local_models import LocalModels
from deep.round.play_round import first_state, play_round
from deep.runs.ssa import Trained, weights_after
from deep.task.setup import Setup
from deep.task.task import make_task
from theory import SSA, SSASGD, Proportional

CONFIG = RunConfig(
    dataset="fashion-mnist",
    split="official",
    model="fedssa-cnn-2",
    n_clients=5,
    n_sampled=5,
    partition="classes(m=2)",
    n_rounds=1,
    n_local_steps=0,
    batch_size=64,
    local_lr=0.01,
    losses="none",
    target_source="test",
    n_target_samples=0,
    n_local_epochs=10,
)
RULES = {"fed-ssa-sgd": SSASGD(), "fed-ssa": SSA()}


def measured(target: str, epochs: int, data_root: Path | None) -> list[dict[str, Any]]:
    """A row for each rule: seconds of processor time of the round and of the learning."""
    config = replace(CONFIG, target=target, n_local_epochs=epochs)
    task = make_task(Setup.of(config), torch.device("cpu"), data_root, ("view_1", "view_2"))
    state, kept = first_state(Setup.of(config), task), list[LocalModels]()
    started = time.process_time()
    played = play_round(Setup.of(config, Proportional()), task, state, kept.append)
    spent = time.process_time() - started
    assert played is not None
    run = Trained(config, task, kept[0], played[0].model, played[0].buffers, {})
    assert task.target_inputs is not None
    rows = []
    for name, rule in RULES.items():
        started = time.process_time()
        weights = weights_after(run, rule)
        learning = time.process_time() - started
        rows.append(
            {
                "target": target,
                "rule": name,
                "local_epochs": epochs,
                "unlabelled": len(task.target_inputs),
                "round_seconds": round(spent, 2),
                "learning_seconds": round(learning, 2),
                "share_of_round": round(learning / (spent + learning), 4),
                "weights": [round(w, 4) for w in weights.tolist()],
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-root", type=Path, default=os.environ.get("FEDVERDICT_DATA"))
    parser.add_argument("--epochs", type=int, default=CONFIG.n_local_epochs, help="local epochs")
    parser.add_argument("--targets", nargs="*", default=["skew", "uniform"])
    parser.add_argument("--json", type=Path, help="write the table to this file")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    rows = [row for target in asked.targets for row in measured(target, asked.epochs, asked.data_root)]
    for row in rows:
        print(row)
    if asked.json:
        origin = {"torch": torch.__version__, "machine": platform.machine(), "threads": 1}
        command = f"python -m tests.benchmarks.fedssa --epochs {asked.epochs}"
        table = {"command": command, "provenance": origin, "rows": rows}
        asked.json.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

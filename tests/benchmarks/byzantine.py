"""Robust aggregators without and under each attack on Fashion-MNIST: a table of test accuracies, kept cell by cell.

    python -m tests.benchmarks.byzantine --data-root DATA [--cpu-minutes M] [--json FILE]
    python -m tests.benchmarks.byzantine --table [--json FILE]

20 clients, 4 of them Byzantine and f = 4 throughout, so that Bulyan has n = 20 >= 4f + 3; 30 rounds, three seeds. What
no paper fixes is ours: an MLP of 64 hidden units, five steps of 32 samples a round at rate 0.1, Dirichlet(1) labels. A
cell that is in the file is not run again; none begins after the budget.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from deep import RunConfig
from deep.data import read_parts
from deep.runs.fleet import Member, run_fleet
from deep.storage.record import provenance
from theory.base.files import replace_file
from theory.rules import make_rule

RESULTS = Path(__file__).parent / "results" / "byzantine.json"
F, SEEDS = 4, 3
METHODS: Mapping[str, tuple[str, str]] = {
    "FedAvg": ("proportional", "rate"),
    "FedWorse": (f"fed-worse(k={F})", "rate"),
    "FedBetter": (f"fed-better(k={20 - F})", "rate"),
    "median": ("uniform", "aggregate(by=median)"),
    "trimmed mean": ("uniform", f"aggregate(by=trimmed-mean(f={F}))"),
    "mean around median": ("uniform", f"aggregate(by=mean-around-median(f={F}))"),
    "geometric median": ("uniform", "aggregate(by=geometric-median)"),
    "Krum": ("uniform", f"aggregate(by=krum(f={F}))"),
    "Multi-Krum": ("uniform", f"aggregate(by=multi-krum(f={F}, m={20 - F - 2}))"),
    "Bulyan": ("uniform", f"aggregate(by=bulyan(f={F}))"),
    "clipping": ("uniform", "aggregate(by=clipped(radius=0.5))"),
    "centred clipping": ("uniform", "aggregate(by=centred-clipping(radius=0.5))"),
    "DP-FedAvg": ("uniform", "aggregate(by=dp-fed-avg(clip=0.5, noise=0.02))"),
}
DIVISION = "dirichlet(beta=1, min_size=100)"
ATTACKS: Mapping[str, Mapping[str, str]] = {  # what of the configuration it changes
    "none": {},
    "sign flip ×10": {"client": f"byzantine(attack=sign-flip(scale=10), count={F})"},
    "noise 200": {"client": f"byzantine(attack=gaussian-noise(std=200), count={F})"},
    "little is enough": {"client": f"byzantine(attack=little-is-enough, count={F})"},
    "inner product": {"client": f"byzantine(attack=inner-product(epsilon=10), count={F})"},
    "wrong labels": {"partition": f"flipped(base={DIVISION}, corruption={F / 20}, exact=true)"},
}
CONFIG = RunConfig(
    dataset="fashion-mnist",
    model="mlp(hidden=[64])",
    split="official",
    partition=DIVISION,
    n_clients=20,
    n_sampled=20,
    n_rounds=30,
    n_local_steps=5,
    batch_size=32,
    local_lr=0.1,
    evaluate_every=30,
    validation="read",
)


def cells(attack: str, seed: int, methods: list[str], data_root: Path | None) -> dict[str, Any]:
    """The cells of one attack and seed, by method: status and test accuracy after the last round."""
    members = []
    for name in methods:
        rule, server = METHODS[name]
        losses = "present" if name in ("FedWorse", "FedBetter") else "none"  # whose weights they decide
        fields = {"server": server, "seed": seed, "losses": losses, **ATTACKS[attack]}
        config = RunConfig(**{**vars(CONFIG), **fields})
        members.append(Member(config, make_rule(rule), None))
    runs = run_fleet(members, data_root=data_root)
    return {
        name: {
            "status": run.status,
            "rounds": len(run.history),
            "test_accuracy": run.history[-1].test_accuracy if run.history else None,
        }
        for name, run in zip(methods, runs, strict=True)
    }


def table(found: Mapping[str, Any]) -> str:
    """Mean ± standard deviation over seeds, in per cent, as Markdown; a run that diverged has no accuracy."""
    lines = [f"| | {' | '.join(ATTACKS)} |", f"|---|{'---|' * len(ATTACKS)}"]
    for name in METHODS:
        row = [_cell([found.get(f"{attack} / {name} / {seed}") for seed in range(SEEDS)]) for attack in ATTACKS]
        lines.append(f"| {name} | {' | '.join(row)} |")
    return "\n".join(lines)


def _cell(seeds: list[dict[str, Any] | None]) -> str:
    done = [one for one in seeds if one is not None]
    if not done:
        return "not run"
    fell = sum(one["status"] != "completed" for one in done)
    if fell:
        return f"diverged in {fell} of {len(done)}"
    values = [100 * one["test_accuracy"] for one in done]
    spread = f" ± {stdev(values):.1f}" if len(values) > 1 else ""
    return f"{mean(values):.1f}{spread}" + (f" ({len(values)} of {SEEDS} seeds)" if len(values) < SEEDS else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-root", type=Path, default=os.environ.get("FEDVERDICT_DATA"))
    parser.add_argument("--cpu-minutes", type=float, default=60.0, help="no cell begins after that; 60 by default")
    parser.add_argument("--json", type=Path, default=RESULTS, help="where cells are kept")
    parser.add_argument("--table", action="store_true", help="print the table of what is there, and run nothing")
    asked = parser.parse_args()
    kept = json.loads(asked.json.read_text()) if asked.json.exists() else {"cells": {}, "cpu_seconds": 0.0}
    if not asked.table:
        read_parts(CONFIG.dataset, asked.data_root)  # a missing file is said before anything runs
        for seed in range(SEEDS):
            for attack in ATTACKS:
                missing = [name for name in METHODS if f"{attack} / {name} / {seed}" not in kept["cells"]]
                if not missing or time.process_time() > 60 * asked.cpu_minutes:
                    continue
                began = time.process_time()
                found = cells(attack, seed, missing, asked.data_root)
                kept["cells"] |= {f"{attack} / {name} / {seed}": cell for name, cell in found.items()}
                kept["cpu_seconds"] += time.process_time() - began
                kept["provenance"] = provenance(CONFIG, "cpu")
                kept["methods"], kept["attacks"] = dict(METHODS), dict(ATTACKS)
                replace_file(asked.json, (json.dumps(kept, indent=1, ensure_ascii=False) + "\n").encode())
                print(f"{attack}, seed {seed}: {time.process_time() - began:.0f} s", flush=True)
    print(table(kept["cells"]))


if __name__ == "__main__":
    main()

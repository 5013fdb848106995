"""What moves the weight of a client that has none of the target's classes: weights learned once, on the same models.

The plan is `effects/collapse.toml`, written before its first seed. FedAvg is trained in the setting of Table 1, and
after each of its first rounds every option learns weights on the clients' models of that round, so that options differ
in nothing else. `prefers` tells what the printed loss itself says: L_SSA with all weight on the owner of the target's
classes, with all on the client that it likes best, and with equal weights.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import torch

from deep.config.seeded_rule import rule_of_run
from deep.data import make_views
from deep.runs.ssa import Trained, accuracy_of, aggregated, trained, trained_by_round, weights_after
from paper_checks.fedssa.runs.settings import rounded
from theory import SSA, Proportional
from theory.base.arrays import Array, namespace
from theory.base.files import replace_file
from theory.base.toml import parsed
from theory.rules.by_output.ssa import loss_of
from theory.rules.stats import RoundStats
from validation.recipe.reading import read_recipe
from validation.recipe.statistics.intervals import holm, mean_of, p_value
from validation.recipe.unit import Unit, settings_of

__all__ = ["MEASURES", "PLAN", "Preferred", "effects", "learned", "plan_of", "rows_of"]

PAPER = Path(__file__).resolve().parents[1]
PLAN = PAPER / "effects" / "collapse.toml"
COMMAND = "python -m paper_checks.fedssa.runs.collapse --data-root DATA"
OWNER = 0  # of the target "skew(client=0)"
MEASURES = ("owner", "wrong", "accuracy")
COLLAPSED = 0.05  # half of what guessing has among ten classes
Json = dict[str, Any]


@dataclass(eq=False)
class Preferred:
    """A rule that leaves weights equal and keeps L_SSA at each vertex of the simplex, and at equal weights (last)."""

    needs: ClassVar[tuple[str, ...]] = ("view_1", "view_2")

    losses: list[float] = field(default_factory=list)

    def __call__(self, stats: RoundStats) -> Array:
        """Equal weights, (n_clients,)."""
        xp, n = namespace(stats.share), stats.n_clients
        loss = loss_of(SSA(), stats, "Preferred")
        equal: Array = xp.ones_like(stats.share) / n
        for at in (*xp.eye(n, dtype=equal.dtype), equal):
            self.losses.append(float(loss(at)[0]))
        return equal


def plan_of(path: Path = PLAN) -> Json:
    """The plan as it is written."""
    return parsed(path.read_text(encoding="utf-8"))


def learned(run: Trained, option: Mapping[str, str], seed: int) -> Json:
    """Weights of an option on a round's models: the owner's, the largest of another, and the mixture's accuracy."""
    seen = replace(run, task=replace(run.task, views=make_views(option["views"], run.config.dataset)))
    weights = weights_after(seen, rule_of_run(option["rule"], {}, seed))
    others = [float(w) for k, w in enumerate(weights) if k != OWNER]
    accuracy = accuracy_of(run.task, *aggregated(run.models, weights))
    return {"owner": float(weights[OWNER]), "wrong": max(others), "accuracy": accuracy}


def rows_of(plan: Json, seed: int, data_root: Path | None) -> Iterator[Json]:
    """A row for each round of a seed; clients that are trained otherwise are an option of its first round."""
    recipe = read_recipe(PAPER / "recipes" / f"{plan['recipe']}.toml", "fedssa")
    config = settings_of(Unit(recipe, plan["arm"], seed)).config
    options = {"default": plan["default"]} | {name: plan["default"] | o for name, o in plan["options"].items()}
    began = time.perf_counter()
    rounds = trained_by_round(replace(config, n_rounds=plan["rounds"]), Proportional(), data_root=data_root)
    for after, run in enumerate(rounds, 1):
        preferred = Preferred()
        weights_after(run, preferred)
        *each, equal = preferred.losses
        found = {name: learned(run, option, seed) for name, option in options.items()}
        if after == 1:
            for name, words in plan["trained"].items():
                other = trained(replace(config, n_rounds=1, **words), Proportional(), data_root=data_root)
                found[name] = learned(other, plan["default"], seed)
        yield {
            "seed": seed,
            "round": after,
            "fedavg": accuracy_of(run.task, run.model, run.buffers),
            "own": [accuracy_of(run.task, v, b) for v, b in zip(run.models.vectors, run.models.buffers, strict=True)],
            "loss": {"owner": each[OWNER], "least of another": min(each[:OWNER] + each[OWNER + 1 :]), "equal": equal},
            "options": found,
            "seconds": round(time.perf_counter() - began, 1),
        }
        began = time.perf_counter()


def effects(rows: Sequence[Json]) -> list[Json]:
    """By round and option the mean of each measure, and its paired difference to the default with interval and p.

    p is Holm's over the options of a round and measure. `collapsed`: of how many seeds the mixture is right on less
    than half of what guessing gets; such runs are to be counted, not averaged.
    """
    found: list[Json] = []
    for after in sorted({row["round"] for row in rows}):
        here = [row["options"] for row in rows if row["round"] == after]
        others = [name for name in here[0] if name != "default"]
        table: dict[str, Json] = {name: {"round": after, "option": name} for name in here[0]}
        for name, row in table.items():
            row["collapsed"] = sum(one[name]["accuracy"] < COLLAPSED for one in here)
        for measure in MEASURES:
            apart = {o: [one[o][measure] - one["default"][measure] for one in here] for o in others}
            ps = holm([1.0 if (p := p_value(values)) is None else p for values in apart.values()])
            for name, row in table.items():
                row[measure] = asdict(mean_of([one[name][measure] for one in here]))
            for name, p in zip(others, ps, strict=True):
                table[name][f"{measure}, effect"] = {**asdict(mean_of(apart[name])), "p": p}
        found += table.values()
    return found


def main() -> None:
    """Run the seeds that are not in the result yet, and write it after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-root", type=Path, required=True, help="folder with the files of data sets")
    parser.add_argument("--out", type=Path, default=PAPER / "results" / "collapse.json", help="the result")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    plan = plan_of()
    found: Json = (
        json.loads(asked.out.read_text(encoding="utf-8")) if asked.out.exists() else {"plan": plan, "rows": []}
    )
    if found["plan"] != plan:
        raise SystemExit(f"{asked.out}: rows of another plan; name another file")
    rows = found["rows"]
    for seed in plan["seeds"]:
        if seed not in {row["seed"] for row in rows}:
            rows += rounded(list(rows_of(plan, seed, asked.data_root)))
            table = {"command": COMMAND, "plan": plan, "rows": rows, "effects": rounded(effects(rows))}
            replace_file(asked.out, (json.dumps(table, indent=1, ensure_ascii=False) + "\n").encode())
            print(f"seed {seed}: {sum(row['seconds'] for row in rows):.0f} s so far", flush=True)


if __name__ == "__main__":
    main()

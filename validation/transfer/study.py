"""The whole study: theory's two columns, the prediction written down, then the network, its controls and the answer."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from deep.storage.record import provenance
from theory.base.files import naming, replace_file
from validation.recipe.statistics.intervals import mean_of
from validation.transfer.answer import differences, pairs_of, taus
from validation.transfer.columns import MEASURED, Data, Job, apart, bound_of, short_steps, solved, trained
from validation.transfer.prediction import ORDERS, Order, Series, digest, last, predicted
from validation.transfer.setting import Setting

__all__ = ["PREDICTION", "RESULT", "study"]

PREDICTION, RESULT, _KEPT = "prediction.json", "side_by_side.json", "runs.jsonl"
Json = dict[str, Any]
Tick = Callable[[str], None]
_DIGITS = 5  # of what is kept: a picture shows three


class _Runs:
    """Runs of one folder, each kept as a line when it is done, so that a study called again goes on."""

    def __init__(self, setting: Setting, folder: Path, data_root: Path | str | None, tick: Tick) -> None:
        self.setting, self.data_root, self.tick = setting, data_root, tick
        self.file, self.references = folder / _KEPT, folder / "references"
        self.kept: dict[str, Json] = {}
        mine = digest(setting.to_dict())
        for line in self.file.read_text(encoding="utf-8").splitlines() if self.file.exists() else ():
            row = json.loads(line)
            if row["setting"] != mine:
                raise ValueError(f"{self.file}: runs of another setting; name another folder, or remove it")
            self.kept[row["key"]] = row
        self.mine = mine

    @cached_property
    def data(self) -> Data:
        """The data set, read when the first run needs it."""
        return Data.of(self.setting, self.data_root, self.references)

    def theory(self, beta: float) -> dict[str, list[Series]]:
        """Rule ↦ the series of every seed in the solved task."""
        for rule, seed in self._all():
            key = _key("solved", Job(rule, seed, beta))
            if key not in self.kept:
                self.tick(f"solved: {rule}, β = {beta:g}, seed {seed}")
                self._keep(key, solved(self.setting, rule, seed, beta, self.data).series)
        return self._found("solved", beta)

    def both(self) -> dict[str, list[Json]]:
        """Rule ↦ of every seed: series of the solved task and of the engine, how far apart, and the bound, if any."""
        setting = self.setting
        jobs = [Job(rule, seed, setting.beta) for rule, seed in self._all()]
        missing = [job for job in jobs if _key("both", job) not in self.kept]
        if missing:
            self.tick(f"engine: {len(missing)} runs")
        engine = trained(setting, "engine", missing, self.data) if missing else []
        for job, other in zip(missing, engine, strict=True):
            self.tick(f"solved: {job.rule}, β = {job.beta:g}, seed {job.seed}")
            one = solved(setting, job.rule, job.seed, job.beta, self.data)
            found: Json = {"solved": one.series, "engine": other.series, "apart": apart(one, other)}
            found["floors"] = {"solved": one.floor, "engine": other.floor}
            if not setting.sees_samples(job.rule):
                try:
                    config = setting.config("solved", job.seed, job.beta)
                    found["bound"] = bound_of(config, one, self.data).tolist()
                except ValueError as error:
                    found["why_no_bound"] = str(error)
            self._keep(_key("both", job), found)
        return self._found("both", setting.beta)

    def short(self) -> dict[str, Json]:
        """Rule ↦ its gap and its bound with steps of 1/(4L), for rules that the bound speaks of."""
        found = {}
        for rule in self.setting.rules:
            if self.setting.sees_samples(rule):
                continue
            key = _key("short", Job(rule, 0, self.setting.beta))
            if key not in self.kept:
                self.tick(f"solved, short steps: {rule}")
                self._keep(key, short_steps(self.setting, rule, self.data))
            found[rule] = self.kept[key]["value"]
        return found

    def network(self, beta: float, control: str = "") -> dict[str, list[Series]]:
        """Rule ↦ the series of every seed in the network; of the oracle, for the first rule alone."""
        jobs = [Job(rule, seed, beta, control) for rule, seed in self._all()]
        if control == "oracle":
            jobs = [job for job in jobs if job.rule == self.setting.rules[0]]
        missing = [job for job in jobs if _key("network", job) not in self.kept]
        if missing:
            self.tick(f"network{' ' + control if control else ''}: {len(missing)} runs, β = {beta:g}")
            began = time.process_time()
            done = trained(self.setting, "network", missing, self.data)
            each = (time.process_time() - began) / len(missing)
            for job, played in zip(missing, done, strict=True):
                self._keep(_key("network", job), played.series, each)
        return self._found("network", beta, control)

    def _all(self) -> list[tuple[str, int]]:
        return [(rule, seed) for rule in self.setting.rules for seed in range(self.setting.n_seeds)]

    def _found(self, column: str, beta: float, control: str = "") -> dict[str, list[Any]]:
        rules = self.setting.rules[:1] if control == "oracle" else self.setting.rules
        seeds = range(self.setting.n_seeds)
        return {rule: [self.kept[_key(column, Job(rule, s, beta, control))]["value"] for s in seeds] for rule in rules}

    @property
    def network_seconds(self) -> float:
        """Processor time of all runs of the network, whenever they were played."""
        return sum(float(row["seconds"]) for row in self.kept.values())

    def _keep(self, key: str, value: Any, seconds: float = 0.0) -> None:
        row = {"setting": self.mine, "key": key, "value": value, "seconds": round(seconds, 3)}
        with naming(self.file), self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        self.kept[key] = row


def _key(column: str, job: Job) -> str:
    return json.dumps([column, job.rule, job.seed, str(job.beta), job.control], ensure_ascii=False)


def study(setting: Setting, folder: Path, *, data_root: Path | str | None = None, tick: Tick = lambda _: None) -> Json:
    """Everything, kept in `folder`: prediction.json, written before a network is trained, and side_by_side.json.

    Called again with the same setting it goes on where it stopped; a prediction that stands there is not written anew,
    and `ValueError` is raised where it is not what the solved column says.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runs = _Runs(setting, folder, data_root, tick)
    both = runs.both()
    own = {rule: [found["solved"] for found in both[rule]] for rule in setting.rules}
    theory = {beta: own if beta == setting.beta else runs.theory(beta) for beta in setting.betas}
    short = runs.short()
    prediction = _written(folder / PREDICTION, setting, predicted(own))
    network = {beta: runs.network(beta) for beta in setting.betas}
    permuted = runs.network(setting.beta, "permuted")
    oracle = runs.network(setting.beta, "oracle")[setting.rules[0]]
    document = {
        "setting": setting.to_dict(),
        "quantities": _quantities(),
        "columns": _columns(setting, both, network[setting.beta]),
        "short": short,
        "apart": {
            key: max(f["apart"][key] for rule in both.values() for f in rule) for key in ("weights", "loss", "models")
        },
        "prediction": {**prediction, "digest": digest(prediction)},
        "answer": _answer(
            {name: o["less_is_better"] for name, o in prediction["orders"].items()},
            network[setting.beta],
            setting.rules[0],
        ),
        "controls": _controls(network[setting.beta], permuted, oracle, setting.rules[0]),
        "dose": _dose(setting, theory, network),
        "provenance": {**_origin(setting), "network_seconds": round(runs.network_seconds, 1)},
    }
    kept: Json = _short(document)
    replace_file(folder / RESULT, (json.dumps(kept, ensure_ascii=False, indent=0, allow_nan=False) + "\n").encode())
    return kept


def _written(file: Path, setting: Setting, orders: Mapping[str, Order]) -> Json:
    made: Json = _short(
        {
            "setting": setting.to_dict(),
            "orders": {name: {"says": ORDERS[name][0], "less_is_better": dict(o)} for name, o in orders.items()},
        }
    )
    if not file.exists():
        replace_file(file, (json.dumps(made, ensure_ascii=False, indent=1) + "\n").encode())
    there: Json = json.loads(file.read_text(encoding="utf-8"))
    if there != made:
        raise ValueError(
            f"{file}: differs from what the solved column gives now; a prediction is never changed, remove the folder"
        )
    return there


def _quantities() -> list[Json]:
    own = [
        ("gap", "F(w) − F*", "Gap to the optimum, where F* is solved", True),
        ("loss", "F(w)", "Training loss of all clients, each by its data share", False),
        ("worst", "maxₖ Fₖ(w)", "Loss of the client that is worst off", False),
        ("accuracy", "Test accuracy", "Share of test images the global model gets right", False),
    ]
    rows = [{"key": key, "title": title, "says": says, "log": log, "floored": False} for key, title, says, log in own]
    for q in MEASURED:
        floored = bool(q.estimates)
        rows.append(
            {"key": q.key, "title": q.title, "says": f"{q.says} ({q.source})", "log": False, "floored": floored}
        )
    return rows


def _columns(
    setting: Setting, both: Mapping[str, Sequence[Json]], network: Mapping[str, Sequence[Series]]
) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for column in ("solved", "engine", "network"):
        rows = []
        for rule in setting.rules:
            of = network[rule] if column == "network" else [f[column] for f in both[rule]]
            row: Json = {"rule": rule, "bands": {key: _bands([run[key] for run in of]) for key in of[0]}}
            if column == "solved":
                row |= _bound(setting, rule, both[rule])
            rows.append(row)
        any_rule = both[setting.rules[0]][0]["floors"]
        floor = "Fₖ* is taken as 0, a lower bound; w* and F* of a network are not known"
        found[column] = {"floor": any_rule[column] if column != "network" else floor, "rules": rows}
    return found


def _bound(setting: Setting, rule: str, runs: Sequence[Json]) -> Json:
    """The largest bound over the seeds, round by round, or why there is none."""
    if setting.sees_samples(rule):
        why = "its weights depend on the round's own samples, which the proof excludes (EA-T1)"
        return {"bound": None, "why_no_bound": why}
    lines = [run["bound"] for run in runs if "bound" in run]
    if len(lines) < len(runs):
        return {"bound": None, "why_no_bound": next(run["why_no_bound"] for run in runs if "why_no_bound" in run)}
    return {"bound": [max(column) for column in zip(*lines, strict=True)], "why_no_bound": ""}


def _bands(values: Sequence[Sequence[float | None]]) -> list[list[float | None] | None]:
    """[mean, low, high] of every round over seeds, 95 %; None where no seed has a value."""
    found: list[list[float | None] | None] = []
    for column in zip(*values, strict=True):
        known = [v for v in column if v is not None]
        mean = mean_of(known) if len(known) == len(column) else None
        found.append(None if mean is None else [mean.value, mean.low, mean.high])
    return found


def _finals(runs: Mapping[str, Sequence[Series]], key: str) -> dict[str, list[float]]:
    return {rule: [last(run, key) for run in of] for rule, of in runs.items()}


def _answer(orders: Mapping[str, Order], network: Mapping[str, Sequence[Series]], reference: str) -> Json:
    loss = _finals(network, "loss")
    return {
        "last_loss": {rule: asdict(mean_of(values)) for rule, values in loss.items()},
        "last_accuracy": {rule: asdict(mean_of(v)) for rule, v in _finals(network, "accuracy").items()},
        "against": reference,
        "differences": differences(loss, reference),
        "orders": {
            name: {
                "says": ORDERS[name][0],
                "why": ORDERS[name][1],
                "tau": asdict(taus(order, loss)),
                "pairs": [{**asdict(p), "beyond_chance": p.beyond_chance} for p in pairs_of(order, loss)],
            }
            for name, order in orders.items()
        },
    }


def _controls(
    network: Mapping[str, Sequence[Series]],
    permuted: Mapping[str, Sequence[Series]],
    oracle: Sequence[Series],
    reference: str,
) -> Json:
    """Last losses of the controls, and paired differences: permuted − rule, oracle − reference."""
    loss, blind, best = _finals(network, "loss"), _finals(permuted, "loss"), [last(run, "loss") for run in oracle]
    both = {f"{rule} permuted": values for rule, values in blind.items()}
    return {
        "permuted": {
            rule: {
                "last_loss": asdict(mean_of(blind[rule])),
                "less_own": differences({"own": loss[rule], "blind": blind[rule]}, "own")["blind"],
            }
            for rule in loss
        },
        "oracle": {
            "last_loss": asdict(mean_of(best)),
            "less_reference": differences({reference: loss[reference], "oracle": best}, reference)["oracle"],
        },
        "tau": asdict(
            taus({rule: sum(loss[rule]) for rule in loss}, {rule: both[f"{rule} permuted"] for rule in loss})
        ),
    }


def _dose(
    setting: Setting,
    theory: Mapping[float, Mapping[str, Sequence[Series]]],
    network: Mapping[float, Mapping[str, Sequence[Series]]],
) -> list[Json]:
    """Of every β: what each rule gains on the reference in the solved task and in the network, and τ of the two."""
    rows = []
    for beta in setting.betas:
        gap, loss = _finals(theory[beta], "gap"), _finals(network[beta], "loss")
        rows.append(
            {
                "beta": beta if math.isfinite(beta) else "∞",
                "solved": differences(gap, setting.rules[0]),
                "network": differences(loss, setting.rules[0]),
                "tau": asdict(taus(predicted(theory[beta])["solved"], loss)),
            }
        )
    return rows


def _origin(setting: Setting) -> Json:
    import torch

    made = provenance(setting.config("network", 0, setting.beta), torch.device("cpu"))
    return {key: made[key] for key in ("python", "torch", "numpy", "threads")}


def _short(value: Any) -> Any:
    """The same with numbers of `_DIGITS` significant digits."""
    if isinstance(value, bool) or not isinstance(value, float | Mapping | list | tuple):
        return value
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _short(part) for key, part in value.items()}
    return [_short(part) for part in value]

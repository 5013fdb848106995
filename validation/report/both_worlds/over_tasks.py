"""The study over tasks as the side-by-side page shows it: each predictor's τ, what theory has beyond the best trivial
one, and the same by network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from validation.published.runs import BEYOND_CHANCE
from validation.recipe.statistics.intervals import holm, mean_of
from validation.report.text.readable import num

__all__ = ["OverTasks", "read_over_tasks"]

_FILE = Path(__file__).parents[1] / "results" / "over_tasks.json"
_MEASURES = {"test_loss": "test loss", "worst": "loss of the worst client", "error": "test error"}
_THEORY = {"bound": "the bound's term", "solved": "the last gap of the solved task"}
_BEST = {"chi_square": "χ²(p‖a)", "uneven": "‖a − 1/n‖²", "few_clients": "effective number of clients"}


@dataclass(frozen=True)
class OverTasks:
    """What the page says of `n` tasks, of `pairs` of data set and partition.

    `rows`: measure, order of theory, its mean τ, the best trivial predictor and its τ, the difference; `networks`:
    network, measure, τ of the best trivial predictor, what each order has beyond it. `beats`: orders and measures that
    are above it by Holm over all of them, `loses`: those below it.
    """

    n: int
    pairs: int
    rows: tuple[tuple[str, str, str, str, str], ...]
    networks: tuple[tuple[str, str, str, str, str], ...]
    beats: tuple[str, ...]
    loses: tuple[str, ...]
    labels: str
    blind: str


def read_over_tasks(document: Mapping[str, Any] | None = None) -> OverTasks:
    """Of a document of `validation.transfer.over_tasks`, by default the committed one."""
    found = json.loads(_FILE.read_text(encoding="utf-8")) if document is None else document
    rows, beats, loses = [], list[str](), list[str]()
    asked = [(measure, order) for measure in _MEASURES for order in _THEORY]
    ps = holm([p if (p := found["tau"][m][o]["beyond"]["p"]) is not None else 1.0 for m, o in asked])
    sure = {key for key, p in zip(asked, ps, strict=True) if p < BEYOND_CHANCE}
    for measure, title in _MEASURES.items():
        tau = found["tau"][measure]
        for order, says in _THEORY.items():
            beyond = tau[order]["beyond"]
            best = f"{_BEST[beyond['than']]} {num(tau[beyond['than']]['mean']['value'], 2)}"
            rows.append((title, says, num(tau[order]["mean"]["value"], 2), best, _words(beyond)))
            if (measure, order) in sure:
                (beats if beyond["value"] > 0 else loses).append(f"{says} on {title}")
    labels, blind = found["controls"]["labels"]["test_loss"], found["controls"]["permuted"]["test_loss"]
    return OverTasks(
        n=len(found["tasks"]),
        pairs=int(found["tau"]["error"]["bound"]["mean"]["n"]),
        rows=tuple(rows),
        networks=tuple(_networks(found)),
        beats=tuple(beats),
        loses=tuple(loses),
        labels=f"{_words(labels)} of {num(labels['shares'], 2)}",
        blind="; ".join(f"{says} {num(blind[order]['mean']['value'], 2)}" for order, says in _THEORY.items()),
    )


def _networks(found: Mapping[str, Any]) -> list[tuple[str, str, str, str, str]]:
    """By network and measure, means over its tasks."""
    rows = []
    for model in dict.fromkeys(task["model"] for task in found["tasks"]):
        at = [k for k, task in enumerate(found["tasks"]) if task["model"] == model]
        for measure, title in _MEASURES.items():
            tau = found["tau"][measure]
            best = tau["bound"]["beyond"]["than"]
            each = {name: [tau[name]["each"][k] for k in at] for name in (*_THEORY, best)}
            apart = [_words(_mean([a - b for a, b in zip(each[order], each[best], strict=True)])) for order in _THEORY]
            rows.append((f"{model}, {len(at)} tasks", title, num(fmean(each[best]), 2), *apart))
    return [(a, b, c, d, e) for a, b, c, d, e in rows]


def _mean(values: list[float]) -> Mapping[str, Any]:
    mean = mean_of(values)
    return {"value": mean.value, "low": mean.low, "high": mean.high}


def _words(mean: Mapping[str, Any]) -> str:
    value = num(mean["value"], 2)
    return value if mean["low"] is None else f"{value} [{num(mean['low'], 2)}, {num(mean['high'], 2)}]"

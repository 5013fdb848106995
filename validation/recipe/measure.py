"""Numbers that a table prints of a run: `final(test_accuracy)`, `reached(test_accuracy, 0.6)`, `trend(consensus)`.

`weight('ratio=1')` is the mean weight of a client or kind of client over the rounds it took part in.
`client_test_accuracy` is the mean over clients of the judged model on what each held out.
`final(test_accuracy['uniform'])` is on the test samples as one of a run's several targets weights them; recipes say it
of an arm (`Arm.judged_on`).
A series is a score (`test_accuracy`, `train_loss`, …) or a quantity of theory along the rounds, such as
`update_diversity` (`fedverdict` runs tabulate both). Rounds are counted from 1.
`best` is the highest accuracy or lowest loss; `reached` and `crossed` tell when an accuracy rose to a value or a loss
fell to it. Of every other series greater counts as better.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from math import ceil, isfinite
from operator import gt
from typing import TYPE_CHECKING

import numpy as np

from theory.base.call_text import parse_call_text, real_name

if TYPE_CHECKING:
    from deep.storage.record import DeepRun

__all__ = ["MEASURES", "Curves", "Series", "check_measure", "curves", "measured", "on_target", "read_off"]

Series = Mapping[int, float]
"""A value by round, counted from 1, where there is one."""

_WEIGHT, _OWN = "weight", "client_test_accuracy"
_ON_TARGETS = {"test_accuracy": "target_accuracy", "test_loss": "target_loss"}  # field of a round's record
_MOST_WEIGHTS = 200  # clients; more would fill a file
_EXPECTED = "a measure of a series, such as final(test_accuracy) or reached(test_accuracy, 0.6)"


@dataclass(frozen=True)
class Curves:
    """The series of one run, how many rounds were planned, and mean weights by client or kind where present."""

    series: Mapping[str, Series]
    n_rounds: int
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Curve:
    """A series, how many rounds were planned, and whether a value is better than another one."""

    values: Series
    planned: int
    better: Callable[[float, float], bool] = gt


def _final(c: _Curve) -> float | None:
    return c.values.get(c.planned)


def _at(c: _Curve, round_: float) -> float | None:
    return c.values.get(int(round_))


def _half(c: _Curve) -> float | None:
    before = [t for t in c.values if t <= ceil(c.planned / 2)]
    return c.values[max(before)] if before and max(c.values) >= ceil(c.planned / 2) else None


def _best(c: _Curve) -> float | None:
    found: float | None = None
    for seen in c.values.values():
        found = seen if found is None or c.better(seen, found) else found
    return found


def _late_mean(c: _Curve, share: float = 0.1) -> float | None:
    late = _late(c, share)
    return float(np.mean(late)) if late else None


def _late_variance(c: _Curve, share: float = 0.1) -> float | None:
    late = _late(c, share)
    return float(np.var(late, ddof=1)) if len(late) > 1 else None


def _late(c: _Curve, share: float) -> list[float]:
    start = c.planned - max(1, ceil(share * c.planned - 1e-9))
    return [value for t, value in c.values.items() if t > start] if max(c.values, default=0) == c.planned else []


def _mean(c: _Curve) -> float | None:
    return float(np.mean(list(c.values.values()))) if c.values else None


def _mean_square(c: _Curve) -> float | None:
    return float(np.mean(np.square(list(c.values.values())))) if c.values else None


def _least(c: _Curve) -> float | None:
    return min(c.values.values(), default=None)


def _reached(c: _Curve, value: float) -> float | None:
    return next((float(t) for t, seen in c.values.items() if not c.better(value, seen)), None)


def _crossed(c: _Curve, value: float) -> float | None:
    before: tuple[int, float] | None = None
    for t, seen in c.values.items():
        if not c.better(value, seen):
            if before is None or seen == before[1]:
                return float(t)
            return before[0] + (value - before[1]) / (seen - before[1]) * (t - before[0])
        before = t, seen
    return None


def _early_mean(c: _Curve, share: float = 1.0) -> float | None:
    early = [value for t, value in c.values.items() if t <= share * c.planned]
    return float(np.mean(early)) if early else None


def _trend(c: _Curve) -> float | None:
    """Spearman's rank correlation of round and value; None for fewer than three rounds or a constant series."""
    from scipy.stats import rankdata

    if len(c.values) < 3 or len(set(c.values.values())) == 1:
        return None
    return float(np.corrcoef(rankdata(list(c.values)), rankdata(list(c.values.values())))[0, 1])


def _roughness(c: _Curve, share: float = 0.5) -> float | None:
    """Mean |aₜ − aₜ₋₁| over the last `share` of the rounds: how much a curve jumps from evaluation to evaluation."""
    late = _late(c, share)
    return float(np.mean(np.abs(np.diff(late)))) if len(late) > 1 else None


MEASURES: Mapping[str, Callable[..., float | None]] = {
    "final": _final,
    "at": _at,
    "half": _half,
    "best": _best,
    "late_mean": _late_mean,
    "late_variance": _late_variance,
    "mean": _mean,
    "mean_square": _mean_square,
    "least": _least,
    "reached": _reached,
    "crossed": _crossed,
    "early_mean": _early_mean,
    "trend": _trend,
    "roughness": _roughness,
}
_OF_A_SAMPLE = {"mean", "mean_square", "trend", "at", "final"}  # what evenly spread rounds tell, if they are there
_DIRECTED = {"best", "reached", "crossed"}  # that ask which of two values is the better one
_NUMBERS = {"at": (1, 1), "reached": (1, 1), "crossed": (1, 1)} | dict.fromkeys(
    ("late_mean", "late_variance", "early_mean", "roughness"), (0, 1)
)


@cache
def _parsed(text: str) -> tuple[str, str, tuple[float, ...]]:
    node = parse_call_text(text, "measure", _EXPECTED)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords or not node.args:
        raise ValueError(f"measure {text!r}: expected {_EXPECTED}")
    name, (series, *rest) = node.func.id, node.args
    if name == _WEIGHT:
        if rest or not isinstance(series, ast.Constant) or not isinstance(series.value, str):
            raise ValueError(f"measure {text!r}: expected one client or kind in quotes, such as weight('ratio=1')")
        return name, series.value, ()
    if name not in MEASURES:
        raise ValueError(f"measure {text!r}: unknown function {name!r}; expected one of {', '.join(MEASURES)}")
    numbers = [arg.value for arg in rest if isinstance(arg, ast.Constant) and isinstance(arg.value, int | float)]
    low, high = _NUMBERS.get(name, (0, 0))
    of = _series_of(series)
    if of is None or len(numbers) != len(rest) or not low <= len(numbers) <= high:
        wanted = f"{low}" if low == high else f"{low} or {high}"
        raise ValueError(f"measure {text!r}: expected the name of a series and {wanted} numbers")
    if any(not isfinite(number) for number in numbers):
        raise ValueError(f"measure {text!r}: expected finite numbers")
    return name, of, tuple(numbers)


def _series_of(node: ast.expr) -> str | None:
    """`test_accuracy`, or `test_accuracy['uniform']`, as text; None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return None
    key = node.slice
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return None
    return _keyed(node.value.id, real_name(key.value))


def _keyed(series: str, target: str) -> str:
    return f"{series}[{target!r}]"


def on_target(text: str, target: str) -> str:
    """The measure on one target of a run that is judged on several; itself where its series knows no targets."""
    name, series, numbers = _parsed(text)
    if series not in _ON_TARGETS:
        return text
    return f"{name}({', '.join((_keyed(series, target), *map(repr, numbers)))})"


def check_measure(text: str) -> None:
    """`ValueError` unless `text` is a measure of a series that runs have."""
    name, series, _ = _parsed(text)
    if name == _WEIGHT:
        return
    known = _series_names()
    if series not in known:
        raise ValueError(f"measure {text!r}: unknown series {series!r}; expected one of {', '.join(known)}")


@cache
def _series_names() -> tuple[str, ...]:
    from deep.metrics import ROUND_QUANTITIES
    from deep.metrics.scores import MEASURES as SCORES

    return (*SCORES, "update_norm", _OWN, *(q.key for q in ROUND_QUANTITIES))


def measured(text: str, of: Curves) -> float | None:
    """The value of a measure, None where the run has none: a threshold never reached, a last round never played."""
    name, series, numbers = _parsed(text)
    if name == _WEIGHT:
        mine = [value for kind, value in of.weights.items() if kind == series or kind.startswith(f"{series}=")]
        return float(np.mean(mine)) if mine else None
    better = _direction(series) if name in _DIRECTED else gt
    found = MEASURES[name](_Curve(of.series.get(series, {}), of.n_rounds, better), *numbers)
    return found if found is None or isfinite(found) else None


def _direction(series: str) -> Callable[[float, float], bool]:
    """Whether a value of the series is better than another one: scores know their direction, else greater is."""
    from deep.metrics.scores import MEASURES as SCORES
    from deep.metrics.scores import is_better

    score = series.partition("[")[0]
    return partial(is_better, score) if score in SCORES else gt


def read_off(text: str, series: Mapping[str, Series], n_rounds: int) -> float | None:
    """`measured` of curves that were thinned: means, trends, a round that is kept; None for what they do not tell."""
    name, of, _ = _parsed(text)
    return measured(text, Curves(series, n_rounds)) if name in _OF_A_SAMPLE and of in series else None


def curves(run: DeepRun, names: Sequence[str]) -> Curves:
    """The series of these names (those that measures read, too) along a run.

    Raises `ValueError` for a name that runs do not have.
    """
    from deep.metrics import round_quantities, rounds_of
    from deep.metrics.scores import MEASURES as SCORES
    from deep.metrics.scores import measured as of_score

    parsed = [("", n, ()) if "(" not in n else _parsed(n) for n in names]
    wanted = dict.fromkeys(series for name, series, _ in parsed if name != _WEIGHT)
    found: dict[str, Series] = {}
    theory: Mapping[str, list[float | None]] | None = None
    for name in wanted:
        if (field_name := _ON_TARGETS.get(name.partition("[")[0])) is not None and name.endswith("]"):
            target = ast.literal_eval(name.partition("[")[2].removesuffix("]"))
            by_round = {r.round + 1: getattr(r, field_name) for r in run.history}
            found[name] = {t: values[target] for t, values in by_round.items() if target in values}
            continue
        if name not in _series_names():
            raise ValueError(f"series {name!r}: expected one of {', '.join(_series_names())}")
        if name in SCORES:
            found[name] = of_score(run.history, name)
        elif name == _OWN:
            seen = {r.round + 1: [a for a in r.client_test_accuracy if a is not None] for r in run.history}
            found[name] = {t: float(np.mean(several)) for t, several in seen.items() if several}
        elif name == "update_norm":
            found[name] = {r.round + 1: r.update_norm for r in run.history}
        else:
            if theory is None:
                theory = round_quantities(rounds_of(run.history, floor=run.floor)) if run.history else {}
            pairs = zip(run.history, theory.get(name, []), strict=False)
            found[name] = {r.round + 1: value for r, value in pairs if value is not None}
    return Curves(found, run.config.n_rounds, _weights(run))


def _weights(run: DeepRun) -> dict[str, float]:
    """Mean weight when present, by client, or by kind where clients are made anew; to six digits."""
    from deep.metrics import summarise

    found = summarise(run.history, n_rounds=run.config.n_rounds)
    by_client = {str(w.client): w.when_present for w in found.client_weights if w.when_present is not None}
    chosen = by_client if 0 < len(by_client) <= _MOST_WEIGHTS else found.weight_of_kind
    return {name: float(f"{value:.6g}") for name, value in chosen.items()}

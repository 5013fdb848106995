"""Runs that collapse, seen as soon as they do: nothing is right, a number is none, or one client has all the weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from validation.recipe.result import Result

if TYPE_CHECKING:
    from deep.storage.record import RoundRecord

__all__ = ["Watch", "collapse_of"]

_ALL = 0.99  # of the weight
_ROUNDS = 3  # in a row that one client has it


def collapse_of(result: Result) -> str:
    """Why a finished run says little of its method, with who had the weight; empty where it did not collapse.

    Weights are means over the rounds of a run, so that one client has all of it only if it had so throughout.
    """
    found = []
    if result.status == "diverged":
        found.append(f"diverged in round {result.n_rounds}")
    accuracies = [
        value
        for name, value in result.measures.items()
        if value is not None and name in {"final(test_accuracy)", "late_mean(test_accuracy)"}
    ]
    if accuracies and not any(accuracies):
        found.append("no test sample is right at the end")
    heaviest = max(result.weights, key=lambda name: result.weights[name], default="")
    if heaviest and len(result.weights) > 1 and result.weights[heaviest] > _ALL:
        found.append("one client has all the weight")
    return "; ".join((*found, _weights(result.weights))) if found and result.weights else "; ".join(found)


def _weights(weights: Mapping[str, float]) -> str:
    """The heaviest and the lightest client in words."""
    low, high = (pick(weights, key=lambda name: weights[name]) for pick in (min, max))
    return f"mean weight of client {high} {weights[high]:.2f}, of client {low} {weights[low]:.2f}"


class Watch:
    """Called with every round's record: tells once, at the first round that shows a collapse, what it is."""

    def __init__(self, name: str, tell: Callable[[str], None]) -> None:
        self._name, self._tell = name, tell
        self._told = False
        self._same: tuple[int, int] = (-1, 0)  # who had all the weight, for how many rounds

    def __call__(self, record: RoundRecord) -> None:
        found = "" if self._told else self._seen(record)
        if found:
            self._told = True
            self._tell(f"{self._name}: collapses in round {record.round + 1}: {found}")

    def _seen(self, record: RoundRecord) -> str:
        weights = [w for w, there in zip(record.weights, record.present, strict=True) if there]
        clients = [c for c, there in zip(record.clients, record.present, strict=True) if there]
        heaviest = max(range(len(weights)), key=weights.__getitem__)
        who, share = clients[heaviest], weights[heaviest]
        alone = len(weights) > 1 and share > _ALL
        self._same = (who, self._same[1] + 1 if self._same[0] == who else 1) if alone else (-1, 0)
        told = f"client {who} has {share:.2f} of the weight"
        if any(not isfinite(value) for value in _numbers(record)):
            return f"a number is not finite; {told}"
        if self._same[1] >= _ROUNDS:
            return f"client {who} has had all the weight for {_ROUNDS} rounds"
        return f"no test sample is right; {told}" if record.test_accuracy == 0 else ""


def _numbers(record: RoundRecord) -> Sequence[float]:
    seen = (record.train_loss, record.test_loss, record.update_norm, *record.loss_before)
    return [value for value in seen if value is not None]

"""Runs that collapse, seen as soon as they do: accuracy below chance, a number that is none, all weight on one client.

The cause is told with it: who has the weight, and how much of the classes that the model is judged on it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from validation.recipe.result import Result

if TYPE_CHECKING:
    from deep.storage.record import RoundRecord

__all__ = ["CollapsedError", "Watch", "collapse_of", "weights_in_words"]

_ALL = 0.99  # of the weight
_ROUNDS = 3  # in a row that one client has it, or that accuracy is below chance
_BELOW = 0.5  # of chance: a model that names one class everywhere is right about as often as chance


class CollapsedError(Exception):
    """A run is stopped since it collapses; the text says in which round, and why."""


def collapse_of(result: Result, chance: float = 0.0) -> str:
    """Why a finished run says little of its method, with who had the weight; empty where it did not collapse.

    `chance`: the accuracy of guessing, 0 where nobody knows. Weights are means over the rounds of a run, so that one
    client has all of it only if it had so throughout.
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
    elif accuracies and max(accuracies) < _BELOW * chance:
        found.append(f"accuracy {max(accuracies):.3f} at the end, where guessing has {chance:.3f}")
    heaviest = max(result.weights, key=lambda name: result.weights[name], default="")
    if heaviest and len(result.weights) > 1 and result.weights[heaviest] > _ALL:
        found.append("one client has all the weight")
    return "; ".join((*found, _weights(result.weights))) if found and result.weights else "; ".join(found)


def _weights(weights: Mapping[str, float]) -> str:
    """The heaviest and the lightest client in words."""
    low, high = (pick(weights, key=lambda name: weights[name]) for pick in (min, max))
    return f"mean weight of client {high} {weights[high]:.2f}, of client {low} {weights[low]:.2f}"


def weights_in_words(record: RoundRecord, overlap: Mapping[int, float] | None = None) -> str:
    """Who has the most weight in a round; with `overlap`, by client, also the one that it should be near to.

    `overlap`: which part of the classes that the model is judged on a client's samples have.
    """
    weights = _weights_of(record)
    heaviest = max(weights, key=weights.__getitem__)
    told = f"client {heaviest} has {weights[heaviest]:.2f} of the weight"
    if not overlap:
        return told
    nearest = max(weights, key=lambda client: overlap[client])
    told += f" and {overlap[heaviest]:.2f} of the classes that are judged"
    return (
        told
        if nearest == heaviest
        else f"{told}; client {nearest}, which has {overlap[nearest]:.2f} of them, {weights[nearest]:.2f}"
    )


def _weights_of(record: RoundRecord) -> dict[int, float]:
    """By client present its weight."""
    each = zip(record.clients, record.weights, record.present, strict=True)
    return {client: weight for client, weight, there in each if there}


class Watch:
    """Called with every round's record: tells once, at the first round that shows a collapse, what it is.

    `chance`: the accuracy of guessing, 0 where nobody knows. `stops`: the run is stopped then, by `CollapsedError`.
    """

    def __init__(self, name: str, tell: Callable[[str], None], chance: float = 0.0, *, stops: bool = False) -> None:
        self._name, self._tell, self._chance, self._stops = name, tell, chance, stops
        self._told = False
        self._same: tuple[int, int] = (-1, 0)  # who had all the weight, for how many rounds
        self._below = 0  # evaluations in a row that are below chance

    def __call__(self, record: RoundRecord) -> None:
        found = "" if self._told else self._seen(record)
        if found:
            self._told = True
            told = f"collapses in round {record.round + 1}: {found}"
            if self._stops:
                raise CollapsedError(told)
            self._tell(f"{self._name}: {told}")

    def _seen(self, record: RoundRecord) -> str:
        weights = _weights_of(record)
        who = max(weights, key=weights.__getitem__)
        alone = len(weights) > 1 and weights[who] > _ALL
        self._same = (who, self._same[1] + 1 if self._same[0] == who else 1) if alone else (-1, 0)
        told, accuracy = weights_in_words(record), record.test_accuracy
        if accuracy is not None:
            self._below = self._below + 1 if accuracy < _BELOW * self._chance else 0
        if any(not isfinite(value) for value in _numbers(record)):
            return f"a number is not finite; {told}"
        if self._same[1] >= _ROUNDS:
            return f"client {who} has had all the weight for {_ROUNDS} rounds"
        if self._below >= _ROUNDS:
            return f"accuracy {accuracy:.3f}, where guessing has {self._chance:.3f}; {told}"
        return f"no test sample is right; {told}" if accuracy == 0 else ""


def _numbers(record: RoundRecord) -> Sequence[float]:
    seen = (record.train_loss, record.test_loss, record.update_norm, *record.loss_before)
    return [value for value in seen if value is not None]

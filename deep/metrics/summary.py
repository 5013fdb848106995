"""A run in the numbers of the papers' tables: accuracies, rounds to a threshold, weights, time, bytes.

Rounds are counted from 1 here, as the tables count them: round t is `RoundRecord.round` t − 1, after which t rounds are
played. Validation and test numbers are those of the model after the round, the train loss of the model before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from deep.metrics.reached import Reached, reached
from deep.metrics.rounds import check_order, cohorts, fixed_population
from deep.metrics.scores import MEASURES, Score, last_rounds, score
from deep.storage.record import Json, RoundRecord
from theory.quantities import mean_update_diversity

__all__ = ["ACC40", "R60", "ClientWeight", "Summary", "summarise"]

ACC40 = ("validation_accuracy", 0.4)
R60 = ("test_accuracy", 0.6)


@dataclass(frozen=True)
class ClientWeight:
    """Mean weight of a client over the `n_present` rounds it took part in, None if in none, and over all rounds."""

    client: int
    n_present: int
    when_present: float | None
    over_all: float


@dataclass(frozen=True)
class Summary:
    """What `summarise` found; None, or an empty mapping, where nothing was measured.

    `n_rounds` planned, `n_played` of them played. The five `Score`s: see there.
    `test_accuracy_at_best_validation`: at the first round of the highest validation accuracy; at the last round it is
    `test_accuracy.final`. `thresholds`: see `Reached`.
    `best_client_accuracy`: the greatest over rounds of the mean of `client_accuracy` over the clients present.
    `judged`: the model each client is judged by, in words, "" for the server's; it decides whose validation and test
    numbers these are (see `RoundRecord`). `best_client_test_accuracy`: the greatest over rounds of the mean accuracy of
    the clients on what each held out itself (efl Table 3, «best mean testing accuracy»).
    `group_accuracy`: of the final model by group; `mean_group_accuracy` over the groups, each counted once;
    `worst_group`, the first of equals.
    `client_weights`: of a fixed population, empty when clients are made anew. `weight_of_kind`: mean weight of a
    client present, over clients and rounds, by its kind.
    `seconds`, `seconds_of`: totals; `seconds_share`: the parts as fractions of `seconds`, which need not sum to 1.
    `bytes_down`, `bytes_up`: totals. `update_diversity_dynamics`: e-LUDD of fedaware Table 2, Σ e-LUD / T over the
    rounds played.
    """

    n_rounds: int
    n_played: int
    train_loss: Score
    validation_loss: Score
    validation_accuracy: Score
    test_loss: Score
    test_accuracy: Score
    test_accuracy_at_best_validation: float | None
    thresholds: tuple[Reached, ...]
    best_client_accuracy: float | None
    group_accuracy: dict[str, float]
    mean_group_accuracy: float | None
    worst_group: str | None
    client_weights: tuple[ClientWeight, ...]
    weight_of_kind: dict[str, float]
    seconds: float
    seconds_of: dict[str, float]
    seconds_share: dict[str, float]
    bytes_down: int
    bytes_up: int
    update_diversity_dynamics: float | None
    judged: str = ""
    best_client_test_accuracy: float | None = None

    def to_dict(self) -> Json:
        """Ready for `json.dumps`."""
        return asdict(self)


def summarise(
    history: Sequence[RoundRecord],
    *,
    n_rounds: int | None = None,
    thresholds: Sequence[tuple[str, float]] = (ACC40, R60),
    late: float = 0.1,
) -> Summary:
    """The history of one run in numbers.

    `n_rounds`: rounds planned, those played if not given; a run that ended before has no final numbers, and no
    half-time ones unless it got there. `thresholds`: (measure, value), each with a `Reached`; by default acc40
    (exp_alpha Tables 1 and 2) and R₆₀ (robust_aggregation §4.5). `late`: the fraction of the rounds planned,
    rounded up, over which `Score.late_mean` and `late_variance` are taken (fedaware Table 2: the last 10 %).

    Raises `ValueError` for rounds out of order, `n_rounds` below those played, `late` outside (0, 1], an unknown
    measure or a threshold that is not finite.
    """
    check_order(history, "summarise")
    planned = len(history) if n_rounds is None else n_rounds
    if planned < len(history):
        raise ValueError(f"summarise(n_rounds={n_rounds}): {len(history)} rounds were run; expected as many or more")
    window = last_rounds(planned, late)
    scores = {measure: score(history, measure, planned, window) for measure in MEASURES}
    best = scores["validation_accuracy"].best_round
    groups = history[-1].group_accuracy if history and len(history) == planned else {}
    seconds = sum(record.seconds for record in history)
    parts = _totals(history)
    return Summary(
        n_rounds=planned,
        n_played=len(history),
        **scores,
        test_accuracy_at_best_validation=None if best is None else history[best - 1].test_accuracy,
        thresholds=tuple(reached(history, measure, value) for measure, value in thresholds),
        best_client_accuracy=_best_client_accuracy(history),
        group_accuracy=dict(groups),
        mean_group_accuracy=_mean(list(groups.values())),
        worst_group=min(groups, key=groups.__getitem__, default=None),
        client_weights=_client_weights(history) if fixed_population(history) else (),
        weight_of_kind=_weight_of_kind(history),
        seconds=seconds,
        seconds_of=parts,
        seconds_share={part: spent / seconds for part, spent in parts.items()} if seconds > 0 else {},
        bytes_down=sum(record.bytes_down for record in history),
        bytes_up=sum(record.bytes_up for record in history),
        update_diversity_dynamics=_update_diversity_dynamics(history),
        judged=history[-1].judged if history else "",
        best_client_test_accuracy=_best_client_test_accuracy(history),
    )


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _best_client_accuracy(history: Sequence[RoundRecord]) -> float | None:
    """The greatest mean over the clients present; a round counts when all their accuracies are known."""
    means = []
    for record in history:
        seen = [value for value, here in zip(record.client_accuracy, record.present, strict=True) if here]
        known = [value for value in seen if value is not None]
        if known and len(known) == len(seen):
            means.append(float(np.mean(known)))
    return max(means, default=None)


def _best_client_test_accuracy(history: Sequence[RoundRecord]) -> float | None:
    """The greatest mean over the clients that held something out."""
    held_out = ([value for value in record.client_test_accuracy if value is not None] for record in history)
    return max((float(np.mean(values)) for values in held_out if values), default=None)


def _client_weights(history: Sequence[RoundRecord]) -> tuple[ClientWeight, ...]:
    if not history:
        return ()
    weights = np.asarray([record.weights for record in history])
    present = np.asarray([record.present for record in history])
    return tuple(
        ClientWeight(
            client=client,
            n_present=int(present[:, slot].sum()),
            when_present=_mean(weights[present[:, slot], slot].tolist()),
            over_all=float(weights[:, slot].mean()),
        )
        for slot, client in enumerate(history[0].clients)
    )


def _weight_of_kind(history: Sequence[RoundRecord]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for record in history:
        for kind, weight, here in zip(record.kinds, record.weights, record.present, strict=True):
            if kind and here:
                found.setdefault(kind, []).append(weight)
    return {kind: float(np.mean(found[kind])) for kind in sorted(found)}


def _totals(history: Sequence[RoundRecord]) -> dict[str, float]:
    parts = {part: 0.0 for record in history for part in record.seconds_of}
    for record in history:
        for part, spent in record.seconds_of.items():
            parts[part] += spent
    return parts


def _update_diversity_dynamics(history: Sequence[RoundRecord]) -> float | None:
    """The mean over rounds, None as soon as one round has none: no finite mean update, or no update at all."""
    if not history or len({len(record.clients) for record in history}) > 1:
        return None
    cohort, gram = cohorts(np.asarray([record.present for record in history]), [record.gram for record in history])
    mean = float(mean_update_diversity(gram, cohort >= 0))
    return mean if np.isfinite(mean) else None

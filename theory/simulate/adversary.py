"""Greedy adversaries: the weights, or the cohort, that make the next model as bad as what they may know allows.

A statement that does not say what weights and participation may depend on is attacked at every level: nothing, the
past, and this round's own randomness. Where the adversary is a paper's own rule, looking at the local models, so much
the better. Exact means of noise that was seen are in `theory.noise.seen_noise`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from theory.base.arrays import Array, namespace, to_host
from theory.participation.sampling import RoundContext, StateDependent
from theory.rules.by_loss.places import Places
from theory.rules.stats import RoundStats

__all__ = ["GreedyVertex", "Sees", "WorstLocalModel", "worst_cohort"]

Sees = Literal["nothing", "past", "round"]


@dataclass(frozen=True, eq=False)
class GreedyVertex:
    """All weight on the client whose update takes the model where `score` is largest.

    Source: exp_alpha, Theorem 1 («generic, time-varying aggregation weights»), and every statement as silent as it.
    `start`: the run's start (*batch, dim). `score(models) -> (*batch, n_clients)`: how bad each candidate
    (*batch, n_clients, dim) is, in any units. Vertices suffice wherever the score is convex in the model.
    `sees`: "round" picks by this round's updates, noise included; "past" by last round's updates (the shares in the
    first round); "nothing" is the client of largest share, for ever.
    """

    needs: ClassVar[tuple[str, ...]] = ("updates",)

    start: Array
    score: Callable[[Any], Any]
    sees: Sees = "round"

    def __post_init__(self) -> None:
        if self.sees not in get_args(Sees):
            raise ValueError(f"GreedyVertex(sees={self.sees!r}): expected one of {', '.join(get_args(Sees))}")

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(model, next choice), weights at a vertex, this round's updates; only clients present are chosen."""
        updates = stats.need("updates", "GreedyVertex")
        xp = namespace(updates)
        model, planned = (self.start, None) if state is None else state
        scores = self.score(model[..., None, :] + updates)
        worst = self._vertex(scores, stats)
        if self.sees == "round":
            weights = worst
        elif self.sees == "past" and planned is not None:
            weights = self._vertex(planned, stats)
        else:
            weights = self._vertex(stats.share, stats)
        moved = model + xp.sum(weights[..., None] * updates, axis=-2)
        return (moved, worst), weights, updates

    @staticmethod
    def _vertex(scores: Any, stats: RoundStats) -> Any:
        """One-hot weights of the highest score among the clients present; the first of equals."""
        xp = namespace(scores)
        masked = xp.where(stats.present, scores, xp.full_like(scores, -xp.inf))
        first = xp.argmax(masked, axis=-1)
        places = xp.arange(masked.shape[-1], device=getattr(masked, "device", None))
        return xp.astype(places == first[..., None], stats.share.dtype)


@dataclass(frozen=True)
class WorstLocalModel:
    """aₖ = 1/|J| for k in J = argmax (Fₖ(wₖ) − Fₖ*): FedWorse judged by the local models, the round's noise seen.

    Source: robust_aggregation, Sec. 3.1, «the client's local model with the worst performance»; `FedWorse` judges the
    broadcast model instead. Needs `loss_after` and `loss_best`.
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_after", "loss_best")

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        excess = stats.need("loss_after", "WorstLocalModel") - stats.need("loss_best", "WorstLocalModel")
        return Places("WorstLocalModel", None, "count", "uniform").weights(excess, stats)


def worst_cohort(size: int) -> StateDependent:
    """The `size` clients of the highest loss at the broadcast model take part: participation that sees the past.

    Source: efl, A.2.1 (participation of any kind). Raises `ValueError` for a size below 1.
    """
    if size < 1:
        raise ValueError(f"worst_cohort(size={size}): must be >= 1")

    def choose(_seed: int, _round: int, shape: tuple[int, ...], context: RoundContext) -> NDArray[np.bool_]:
        losses = np.broadcast_to(np.asarray(to_host(context.loss_before)), shape)
        rank = np.argsort(np.argsort(-losses, axis=-1, kind="stable"), axis=-1, kind="stable")
        return np.asarray(rank < size)

    return StateDependent(choose)

"""Two controls of a comparison of rules: weights that know nothing of who they are for, and weights that know all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.base.arrays import namespace
from theory.base.streams import stream
from theory.rules.protocol import Rule, needs_of
from theory.rules.stats import RoundStats

__all__ = ["Objective", "OracleWeights", "Permuted"]

Floats = NDArray[np.float64]
Objective = Callable[[Floats], tuple[float, Floats]]
_SHORTEST = 1e-6  # of a step of log-weights: a shorter one moves no float32 weight


@dataclass(frozen=True)
class Permuted:
    """a_π(k) with a the weights of `rule` and π a permutation of the clients present, drawn anew every round.

    The negative control: as uneven as the rule, and blind to whom it favours. What remains of a rule's advantage is not
    owed to what it reads. Raises `ValueError` for batches of federations.
    """

    rule: Rule
    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...] | None:
        """What the rule reads."""
        return needs_of(self.rule)

    def __call__(self, stats: RoundStats) -> Any:
        """Weights of shape (n_clients,)."""
        if len(stats.share.shape) != 1:
            raise ValueError(f"Permuted: share of shape {tuple(stats.share.shape)}; expected one federation")
        weights = self.rule(stats)
        xp = namespace(weights)
        here = np.flatnonzero(np.asarray(stats.present))
        order = np.arange(stats.n_clients)
        order[here] = here[stream(self.seed, "transfer/permuted", stats.round).permutation(len(here))]
        return xp.take(weights, xp.asarray(order), axis=-1)


@dataclass(frozen=True, eq=False)
class OracleWeights:
    """argmin of F(w + Σ aₖuₖ) over the simplex, by exponentiated gradients from the data shares.

    The positive control: no server knows F, so what it gains is what weights can gain at all, round by round; what they
    gain over a whole run may be more. `objective`: w ↦ (F(w), ∇F(w)), (dim,) in float64; `start`: w before the first
    round; the server must add Σ aₖuₖ as it is. A step that does not lower F is taken back and tried at half its length,
    for at most `n_steps` > 0 evaluations of F in a round; `rate`: by how much the first may move log-weights.
    State: the model.
    """

    objective: Objective
    start: Floats
    n_steps: int = 40
    rate: float = 2.0

    needs = ("updates",)

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(The next model, weights on the simplex of those present, the updates as they are)."""
        updates = stats.need("updates", "OracleWeights")
        xp = namespace(updates)
        u = np.asarray(updates, dtype=np.float64)
        model = self.start if state is None else np.asarray(state, dtype=np.float64)
        here = np.asarray(stats.present)
        a = np.asarray(stats.share, dtype=np.float64) * here
        best = self._lowest(model, u, a / a.sum(), here)
        return model + best @ u, xp.asarray(best, dtype=stats.share.dtype), updates

    def _lowest(self, model: Floats, u: Floats, a: Floats, here: NDArray[np.bool_]) -> Floats:
        """The best weights seen, which is never worse than `a`."""
        value, gradient = self.objective(model + a @ u)
        rate = self.rate
        for _ in range(self.n_steps - 1):
            slope = np.where(here, u @ gradient, 0.0)
            spread = np.ptp(slope[here])
            if not spread > 0 or rate < _SHORTEST:
                break
            tried = a * np.exp(-rate * (slope - slope[here].min()) / spread)
            tried = tried / tried.sum()
            found, steeper = self.objective(model + tried @ u)
            if found < value:
                a, value, gradient, rate = tried, found, steeper, 1.5 * rate
            else:
                rate /= 2
        return a

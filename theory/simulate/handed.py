"""What a simulation knows of every round and hands to rules that read it: step sizes, and what does not change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from theory.base.arrays import Array, namespace
from theory.simulate.job import RoundSeen

__all__ = ["handed"]


def handed(step_sizes: Array, n_local_steps: int, **known: Array) -> Callable[[RoundSeen], Mapping[str, Any]]:
    """`signals` of `simulate` with "step_size", the mean η of each round, (*batch, n_clients), beside what is `known`.

    `step_sizes`, `n_local_steps`: those of `simulate`; `known`: signals that are the same in every round, such as
    gradient_variance=…, (*batch, n_clients).
    """

    def signals(seen: RoundSeen) -> Mapping[str, Any]:
        first = seen.round * n_local_steps
        rates = step_sizes[first : first + n_local_steps]
        xp = namespace(rates, seen.updates)
        here = xp.astype(seen.present, xp.float64)
        return {**known, "step_size": xp.mean(rates, axis=0)[..., None] + 0 * here}

    return signals

"""Sampling by weights with replacement: the server averages K local models drawn from the rule's own weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.base.arrays import Array, device_of, namespace, to_host
from theory.base.checks import check_rule, check_whole
from theory.base.streams import stream
from theory.rules.entry import RuleEntry
from theory.rules.protocol import Rule, needs_of, on_simplex
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "SampledByWeights"]


@dataclass(frozen=True)
class SampledByWeights:
    """aₖ = (how often k was drawn)/K, in K draws with replacement from the weights of another rule.

    Source: exp_alpha EA-A5, EA-ALG4 (eq. 25): all clients train, the active set is drawn from ρ at aggregation.
    `rule`: the weights drawn from, without memory and on the simplex; `n_sampled` K >= 1; `seed`: draws derive from
    (seed, round), one a batch element.
    """

    rule: Rule
    n_sampled: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_rule("SampledByWeights", "rule", self.rule, memoryless=True)
        if not on_simplex(self.rule):
            raise ValueError(
                f"SampledByWeights(rule={self.rule!r}): its weights need not sum to 1, so they are no distribution"
            )
        check_whole("SampledByWeights", "n_sampled", self.n_sampled, low=1)
        check_whole("SampledByWeights", "seed", self.seed, low=0)

    @property
    def needs(self) -> tuple[str, ...] | None:
        """Whatever the inner rule reads."""
        return needs_of(self.rule)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, multiples of 1/K, shape (*batch, n_clients)."""
        weights = self.rule(stats)
        xp = namespace(weights)
        upto = np.cumsum(to_host(xp.astype(weights, xp.float64)), axis=-1)
        points = stream(self.seed, "selection", stats.round).random((*upto.shape[:-1], self.n_sampled))
        # A point below the total lies in the stretch of a client with positive weight, rounding or not.
        chosen = (points[..., None] * upto[..., None, -1:] >= upto[..., None, :]).sum(axis=-1)
        counts = (chosen[..., None] == np.arange(upto.shape[-1])).sum(axis=-2)
        drawn: Array = xp.asarray(counts / self.n_sampled, dtype=weights.dtype, device=device_of(weights))
        return drawn


ENTRY = RuleEntry(
    "sampled-by-weights",
    SampledByWeights,
    "exp_alpha",
    "EA-ALG4",
    "(times k was drawn)/K, K draws from a rule's weights",
    {"rule": "exp-alpha(alpha=0.2)", "n_sampled": 5},
    parts=("rule",),
    kind="combinator",
)

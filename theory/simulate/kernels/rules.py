"""The standard rules by compiled kernels, for cohorts in which everybody is present; any other rule stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.compiled.library import Float, Library, address
from theory.compiled.packing import lanes_of, padded, unlaned
from theory.rules.by_loss.exp_alpha import ExpAlpha
from theory.rules.by_loss.fed_soft_worse import FedSoftBetter, FedSoftWorse
from theory.rules.protocol import AnyRule
from theory.rules.stats import RoundStats

__all__ = ["Softmax", "compiled_rule", "softmax_of"]


@dataclass(frozen=True, eq=False)
class Softmax:
    """aₖ ∝ factorₖ exp(slope·(xₖ − yₖ)), x and y two fields of the round; `best`: Fₖ* where y is that, (n_clients,)."""

    library: Library
    needs: tuple[str, ...]
    factor: Float
    slope: float
    high: str
    low: str
    best: Float | None

    def __call__(self, stats: RoundStats) -> Any:
        """Weights on the simplex, (*batch, n_clients)."""
        high, block = stats.need(self.high, "a compiled rule"), self.library.lanes
        x, y = lanes_of(high, block), self.best
        flat = y is not None
        if y is None:
            y = lanes_of(stats.need(self.low, "a compiled rule"), block)
        out = padded(x.shape[0], x.shape[1], block)
        self.library.kernels["softmax"](
            x.shape[1], x.shape[0], address(self.factor), address(x), address(y), flat, self.slope, address(out)
        )
        return unlaned(out, high.shape[:-1])


def softmax_of(rule: AnyRule, share: Float) -> tuple[Float, float, str, str] | None:
    """(factor, slope, x, y) of a rule that is a softmax of a difference of losses, None for another one."""
    if type(rule) is FedSoftWorse:
        return share, 1 / rule.temperature, "loss_before", "loss_best"
    if type(rule) is FedSoftBetter:
        return share, -1 / rule.temperature, "loss_before", "loss_best"
    if type(rule) is ExpAlpha:
        return share if rule.data_size else np.ones_like(share), 1 / rule.alpha, "loss_after", "loss_before"
    return None


def compiled_rule(rule: AnyRule, library: Library, share: Float, best: Float | None) -> AnyRule:
    """The rule by a kernel where it has one, else the rule itself; `share`, `best` Fₖ* (n_clients,) of a full cohort.

    Without `best`, Fₖ* is what the round says.
    """
    found = softmax_of(rule, np.ascontiguousarray(share))
    if found is None or not np.isfinite(found[1]):
        return rule
    factor, slope, high, low = found
    known = None if best is None or low != "loss_best" else np.ascontiguousarray(best)
    return Softmax(library, rule.needs, factor, slope, high, low, known)  # type: ignore[union-attr]

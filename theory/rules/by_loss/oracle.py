"""The oracle family of Corollary 1.1: lean away from clients far from their own optimum, by any non-decreasing U."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log2
from typing import Any, ClassVar, Literal

from theory.base.arrays import Array, namespace
from theory.base.checks import check_number, check_word
from theory.rules.by_loss.softmax import softmax_over_present
from theory.rules.entry import RuleEntry
from theory.rules.protocol import normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "Oracle"]

_NAMED = ("exp", "constant", "step", "positive-part", "sigmoid")


@dataclass(frozen=True)
class Oracle:
    """aₖ ∝ N·pₖ·U(N·pₖ·(Fₖ* − Fₖ(w))), U >= 0 non-decreasing.

    Source: exp_alpha, Corollary 1.1 (EA-C1.1, EA-ALG2); an oracle, since Fₖ* is the loss of the client's own optimum.
    `U`: a function from arrays to arrays of the same shape, or a name, with `scale` c > 0 in units of loss: "exp"
    e^{x/c} and "sigmoid" 1/(1 + e^{−x/c}), both in log space, "constant" 1, "step" 1 for x >= −c and 0 below,
    "positive-part" max(x, 0). That a function is non-decreasing is the caller's promise.
    `reading` of ∝: "normalised", weights on the simplex; "proof", ρₖ = N·pₖ·Ũₖ with Ũ = U/ΣU as in A.11, whose sum is
    `total` and need not be 1. N counts all clients.
    Needs `loss_before` and `loss_best`. Raises `ValueError` when U is negative, not finite, or 0 for all clients
    present (as "positive-part" is wherever every excess is > 0).
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before", "loss_best")

    U: str | Callable[[Array], Array] = "exp"
    scale: float = 1.0
    reading: Literal["normalised", "proof"] = "normalised"

    def __post_init__(self) -> None:
        if not callable(self.U):
            check_word("Oracle", "U", self.U, _NAMED)
        check_number("Oracle", "scale", self.scale)
        check_word("Oracle", "reading", self.reading, ("normalised", "proof"))

    @property
    def simplex(self) -> bool:
        """Whether the weights sum to 1 by definition."""
        return self.reading == "normalised"

    def __call__(self, stats: RoundStats) -> Array:
        """Weights >= 0 that sum to `total`, shape (*batch, n_clients)."""
        sizes = stats.n_clients * stats.share
        if self.reading == "normalised":
            weights: Array = self._proportional(sizes, stats)
            return weights
        xp = namespace(sizes)
        tilde = self._proportional(xp.ones_like(sizes), stats)
        proof: Array = sizes * tilde
        return proof

    def total(self, stats: RoundStats) -> Any:
        """What the weights sum to, (*batch,): 1, or N·Σ pₖŨₖ in the reading of the proof."""
        xp = namespace(stats.share)
        return xp.sum(self(stats), axis=-1) if self.reading == "proof" else xp.ones_like(stats.share[..., 0])

    def _proportional(self, factor: Any, stats: RoundStats) -> Any:
        """factorₖ·Uₖ, normalised over the clients present."""
        # Losses in parts of a power of two >= 2N: no product with N·pₖ overflows, and no digit of one changes.
        unit = 2.0 ** ceil(log2(2 * stats.n_clients))
        excess = stats.need("loss_before", "Oracle") / unit - stats.need("loss_best", "Oracle") / unit
        xp = namespace(excess)
        x = -stats.n_clients * stats.share * xp.where(stats.present, excess, xp.zeros_like(excess))
        if self.U in ("exp", "sigmoid"):
            scale = self.scale / unit
            score = x if self.U == "exp" else _log_sigmoid(x, scale)
            return softmax_over_present(factor, score, stats, scale=scale, by="Oracle")
        x = x * unit
        value = self.U(x) if callable(self.U) else _named(self.U, x, self.scale)
        if tuple(value.shape) != tuple(x.shape):
            raise ValueError(f"Oracle(U=…): U gave shape {tuple(value.shape)} for shape {tuple(x.shape)}")
        value = xp.where(stats.present, value, xp.zeros_like(value))
        if not bool(xp.all(xp.isfinite(value) & (value >= 0))):
            raise ValueError(
                f"Oracle(U=…): values from {float(xp.min(value)):g} to {float(xp.max(value)):g}; expected finite U >= 0"
            )
        return normalised(factor * value, "Oracle", "U is 0 for all of them: choose another U, or a larger scale")


def _named(name: str, x: Any, scale: float) -> Any:
    """The functions of the catalogue that may be 0 or are constant."""
    xp = namespace(x)
    zero, one = xp.zeros_like(x), xp.ones_like(x)
    if name == "constant":
        return one
    if name == "step":
        return xp.where(x >= -scale, one, zero)
    return xp.where(x > 0, x, zero)


def _log_sigmoid(x: Any, scale: float) -> Any:
    """scale·log(1/(1 + e^{−x/scale})): min(x, 0) less a term that lies in [0, scale·log 2]."""
    xp = namespace(x)
    return xp.where(x < 0, x, xp.zeros_like(x)) - scale * xp.log1p(xp.exp(-xp.abs(x) / scale))


ENTRY = RuleEntry("oracle", Oracle, "exp_alpha", "Cor. 1.1, EA-ALG2", "∝ N·pₖ·U(N·pₖ(Fₖ* − Fₖ(w)))")

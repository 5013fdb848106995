"""Similarity and Confidence: FedSSA's two rules without learning, read off the clients' outputs on target samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from theory.base.arrays import Array, namespace
from theory.base.checks import check_word
from theory.rules.entry import RuleEntry
from theory.rules.protocol import normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "Confidence", "Similarity", "target_outputs"]

Predictions = Literal["given", "softmax"]


@dataclass(frozen=True)
class Similarity:
    """aₖ = sₖ/Σ sᵢ, sₖ the mean over samples of cos(ŷₖ⁽¹⁾, ŷₖ⁽²⁾), ŷ the client's outputs on two views of a sample.

    Source: fedssa, eq. (9) (SSA-E09). Needs the signals `view_1` and `view_2`, (*batch, n_samples, n_clients,
    n_classes). `predictions`, left open (SSA-O7): "given" takes the signals as they are, logits or probabilities;
    "softmax" takes their softmax first. Of logits a cosine may be negative, which the paper does not mention:
    `when_negative`: "error" raises `ValueError` if any client present has sₖ < 0; "clip" counts it as 0; "as_printed"
    keeps it, so that weights may be negative and, though they sum to 1, lie off the simplex.
    Raises `ValueError` when Σ sᵢ <= 0, for an output of norm 0, and for outputs that are not finite.
    """

    needs: ClassVar[tuple[str, ...]] = ("view_1", "view_2")

    predictions: Predictions = "given"
    when_negative: Literal["error", "clip", "as_printed"] = "error"

    def __post_init__(self) -> None:
        check_word("Similarity", "predictions", self.predictions, ("given", "softmax"))
        check_word("Similarity", "when_negative", self.when_negative, ("error", "clip", "as_printed"))

    @property
    def simplex(self) -> bool:
        """Whether the weights are sure to be >= 0."""
        return self.when_negative != "as_printed"

    def total(self, stats: RoundStats) -> Any:
        """What the weights sum to, (*batch,): always 1."""
        xp = namespace(stats.share)
        return xp.ones_like(stats.share[..., 0])

    def __call__(self, stats: RoundStats) -> Array:
        """Weights that sum to 1, shape (*batch, n_clients)."""
        first, second = (_unit(_outputs(stats, f"view_{i}", self.predictions, "Similarity")) for i in (1, 2))
        xp = namespace(first)
        score = xp.mean(xp.sum(first * second, axis=-1), axis=-2)
        score = xp.where(stats.present, score, xp.zeros_like(score))
        if self.when_negative == "error" and bool(xp.any(score < 0)):
            raise ValueError(
                f"Similarity: mean cosines down to {float(xp.min(score)):g}; with predictions='softmax' none is"
                " negative, or choose when_negative='clip' or 'as_printed'"
            )
        if self.when_negative == "clip":
            score = xp.where(score < 0, xp.zeros_like(score), score)
        weights: Array = normalised(score, "Similarity", "the mean cosines sum to 0 or less; try predictions='softmax'")
        return weights


@dataclass(frozen=True)
class Confidence:
    """aₖ = cₖ/Σ cᵢ, cₖ the mean over samples of var(ŷₖ) over the classes, ŷ the client's outputs on target samples.

    Source: fedssa, eq. (10) (SSA-E10). Needs the signal `logits`, (*batch, n_samples, n_clients, n_classes).
    `predictions` as in `Similarity`: of logits, a client that merely scales them up gains weight. `divisor` of var,
    left open (SSA-O3), cancels. Raises `ValueError` when every client present puts out constants, so that all cᵢ are
    0, and for outputs that are not finite.
    """

    needs: ClassVar[tuple[str, ...]] = ("logits",)

    predictions: Predictions = "given"

    def __post_init__(self) -> None:
        check_word("Confidence", "predictions", self.predictions, ("given", "softmax"))

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        outputs = _outputs(stats, "logits", self.predictions, "Confidence")
        xp = namespace(outputs)
        largest = xp.max(xp.abs(outputs), axis=(-3, -2, -1), keepdims=True)
        scaled = outputs / xp.where(largest > 0, largest, xp.ones_like(largest))  # so that no square overflows
        spread = xp.mean((scaled - xp.mean(scaled, axis=-1, keepdims=True)) ** 2, axis=-1)
        score = xp.mean(spread, axis=-2)
        score = xp.where(stats.present, score, xp.zeros_like(score))
        weights: Array = normalised(score, "Confidence", "every output is constant over the classes; try Uniform()")
        return weights


def target_outputs(stats: RoundStats, name: str, by: str) -> Any:
    """The signal `name`, (*batch, n_samples, n_clients, n_classes), checked; outputs of absent clients become 1."""
    outputs = stats.need(name, by)
    batch, n = tuple(stats.share.shape[:-1]), stats.n_clients
    shape = tuple(outputs.shape)
    if len(shape) != len(batch) + 3 or shape[:-3] != batch or shape[-2] != n or 0 in shape:
        expected = ", ".join(map(str, (*batch, "n_samples", n, "n_classes")))
        raise ValueError(f"{by}: signal `{name}` of shape {shape}; expected ({expected})")
    xp = namespace(outputs, stats.present)
    outputs = xp.where(stats.present[..., None, :, None], outputs, xp.ones_like(outputs))
    if not bool(xp.all(xp.isfinite(outputs))):
        raise ValueError(f"{by}: signal `{name}` holds NaN or infinity for a client present in round {stats.round}")
    return outputs


def _outputs(stats: RoundStats, name: str, predictions: Predictions, by: str) -> Any:
    outputs = target_outputs(stats, name, by)
    if predictions == "given":
        return outputs
    xp = namespace(outputs)
    grown = xp.exp(outputs - xp.max(outputs, axis=-1, keepdims=True))
    return grown / xp.sum(grown, axis=-1, keepdims=True)


def _unit(vectors: Any) -> Any:
    """Every row at length 1; a row of zeros has no direction."""
    xp = namespace(vectors)
    largest = xp.max(xp.abs(vectors), axis=-1, keepdims=True)
    if not bool(xp.all(largest > 0)):
        raise ValueError("Similarity: an output is 0 in every class, so its cosine is undefined")
    scaled = vectors / largest
    return scaled / xp.sqrt(xp.sum(scaled**2, axis=-1, keepdims=True))


ENTRY = (
    RuleEntry("similarity", Similarity, "fedssa", "eq. (9)", "∝ mean cos(ŷₖ⁽¹⁾, ŷₖ⁽²⁾)"),
    RuleEntry("confidence", Confidence, "fedssa", "eq. (10)", "∝ mean var(ŷₖ)"),
)

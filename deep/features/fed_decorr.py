"""FedDecorr: clients keep the features of a batch from being correlated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deep.features.seam import Batch, LossStep
from deep.models import Model
from theory.algorithms import AlgorithmEntry, Client, Stepwise
from theory.algorithms.local_step import Vectors
from theory.base.checks import check_number

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ENTRY", "FedDecorr"]

_EPS = 1e-8  # on variances, so that a feature that is the same all over the batch counts 0


@dataclass(frozen=True)
class FedDecorr(Client):
    """ℓ = cross-entropy + (β/d²)‖K‖²_F, K the (d, d) correlations of the features over the batch.

    Source: Shi et al. 2023 (FedDecorr; fedssa dates it 2022), eq. (5), features before the last layer, shifted and
    scaled to mean 0 and variance 1 over the batch; fedssa B.2: «the hyper-parameter used is 0.1», taken to be β.
    *Open*: code that goes around under that name does not divide ẑᵀẑ by the n samples, but its squares, which is about
    n times as much; with `times_batch` so does this (β·n in place of β). Correlations on the diagonal are 1, or 0, and
    pull nowhere. A batch of one sample has none. `beta` β >= 0, 0 is FedAvg.
    """

    beta: float = 0.1
    times_batch: bool = False

    def __post_init__(self) -> None:
        check_number("FedDecorr", "beta", self.beta, closed=True, hint="0 is FedAvg")
        if not isinstance(self.times_batch, bool):
            raise ValueError(f"FedDecorr(times_batch={self.times_batch!r}): must be true or false")

    def steps(self, own: Vectors, broadcast: Vectors) -> Stepwise:
        """SGD on that loss."""
        return Stepwise(LossStep(self.local_loss, features=True))

    def local_loss(self, model: Model, vector: Tensor, batch: Batch, carried: Mapping[str, Tensor]) -> Tensor:
        """The mean over the batch, and the correlations of its features."""
        features = batch.features
        assert features is not None  # the trainer gives what the step asks for
        from deep.models import sample_losses

        own = sample_losses(model.loss, batch.logits, batch.targets).mean()
        n, d = features.shape
        if n == 1:
            return own
        centred = features - features.mean(dim=0)
        scaled = centred / (centred.square().mean(dim=0) + _EPS).sqrt()
        correlations = scaled.T @ scaled / n
        weight = self.beta * n if self.times_batch else self.beta
        return own + weight / d**2 * correlations.square().sum()


ENTRY = AlgorithmEntry(
    "fed-decorr",
    "client",
    FedDecorr,
    "Shi et al. 2023, eq. (5); fedssa B.2",
    "ℓ = cross-entropy + (β/d²)‖correlations of features‖²_F",
)

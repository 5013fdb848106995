"""RunConfig: everything that decides a deep run, except the aggregation rule."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from deep.data import DATASETS, SPLITS
from deep.models import MODELS
from deep.partition import make_partition
from deep.registry import pick

__all__ = ["RunConfig"]

_COUNTS = ("n_clients", "n_sampled", "n_rounds", "n_local_steps", "batch_size", "checkpoint_every")


@dataclass(frozen=True)
class RunConfig:
    """One federated run; two runs that differ in nothing but the rule share partition, cohorts, batches and start.

    `dataset`, `model`: names in `DATASETS` and `MODELS`; `split`: the recipe in `SPLITS` that cuts the data.
    `n_clients` K; `n_sampled` clients take part in a round, uniformly without replacement (all when equal to K).
    `partition`: who holds which samples, in the words of `make_partition`, such as "classes(m=2)".
    `n_local_steps` E steps of SGD per round at rate `local_lr` η, on `batch_size` samples each.
    `server_lr`: the server adds server_lr · Σ aₖ(wₖ − w); 1 is FedAvg.
    `seed` of every stream; `checkpoint_every` counts rounds and changes no number.

    Raises `ValueError` naming the field, its value and the allowed range.
    """

    dataset: str = "digits"
    model: str = "softmax-regression"
    n_clients: int = 10
    n_sampled: int = 5
    partition: str = "dirichlet(beta=0.3, min_size=8)"
    split: str = "fractions"
    n_rounds: int = 30
    n_local_steps: int = 10
    batch_size: int = 32
    local_lr: float = 0.1
    server_lr: float = 1.0
    seed: int = 0
    checkpoint_every: int = 5

    def __post_init__(self) -> None:
        pick(DATASETS, self.dataset, "dataset")
        pick(MODELS, self.model, "model")
        pick(SPLITS, self.split, "split")
        make_partition(self.partition)
        for name in _COUNTS:
            self._check_integer(name, 1)
        self._check_integer("seed", 0)
        if self.n_sampled > self.n_clients:
            raise ValueError(
                f"RunConfig(n_sampled={self.n_sampled}): must be <= n_clients={self.n_clients}; equal means everyone"
            )
        for name in ("local_lr", "server_lr"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not (isfinite(value) and value > 0):
                raise ValueError(f"RunConfig({name}={value!r}): must be a finite number > 0")

    def _check_integer(self, name: str, lowest: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
            raise ValueError(f"RunConfig({name}={value!r}): must be an integer >= {lowest}")

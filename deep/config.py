"""RunConfig: everything that decides a deep run, except the aggregation rule."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log10

from deep.data import DATASETS, SPLITS
from deep.models import check_model
from deep.partition import make_cohort, make_partition, make_target
from deep.registry import pick

__all__ = ["CHOICES", "RunConfig"]

_COUNTS = ("n_clients", "n_sampled", "n_rounds", "batch_size", "evaluate_every", "checkpoint_every", "n_target_samples")
_NATURALS = ("n_local_steps", "n_local_epochs", "seed")
CHOICES = {
    "losses": ("all", "present", "none"),
    "buffers": ("averaged", "local"),
    "trainer": ("auto", "in-turn", "together"),
}


@dataclass(frozen=True)
class RunConfig:
    """One federated run; two runs that differ in nothing but the rule share partition, cohorts, batches and start.

    `dataset`: a name in `DATASETS`; `split`: the recipe in `SPLITS` that cuts it. `model`: a name in `MODELS`, with its
    settings if need be: "mlp(hidden=[128])".
    `n_clients` K; `n_sampled` clients take part in a round, uniformly without replacement (all when equal to K).
    `partition`: who holds which samples, in the words of `make_partition`, such as "classes(m=2)".
    `cohort`: clients made anew every round, in the words of `make_cohort`, such as "imbalanced(n_clients=10)"; it then
    decides in place of `n_clients`, `n_sampled` and `partition`. Empty: the fixed population those three describe.
    Local work at rate η = `local_lr` · `lr_decay`^round on `batch_size` samples a step: `n_local_steps` E steps, each
    on a fresh draw; or `n_local_epochs` passes over the client's shuffled samples, the last batch of a pass smaller.
    One of the two is 0.
    `server_lr`: the server adds server_lr · Σ aₖ(wₖ − w); 1 is FedAvg.
    `target`: the class distribution that validation and test samples are weighted to, in the words of `make_target`,
    such as "exponential(rho=100)"; empty: as they are. `n_target_samples`: unlabelled ones the server shows to rules
    that look at outputs (FedSSA).
    `losses`: whose losses Fₖ(w) and Fₖ(wₖ) are measured, "all", those "present", or "none".
    `buffers`: running statistics, and with "local" all of the normalisation layers (FedBN), are "averaged" or stay.
    `trainer`: the clients of a round are trained "in-turn" or "together"; "auto" takes what was measured to be faster.
    `evaluate_every`: rounds from one evaluation on validation and test samples to the next; the last is always one.
    `seed` of every stream; `checkpoint_every` counts rounds and changes no number.

    Raises `ValueError` naming the field, its value and the allowed range.
    """

    dataset: str = "digits"
    model: str = "softmax-regression"
    n_clients: int = 10
    n_sampled: int = 5
    partition: str = "dirichlet(beta=0.3, min_size=8)"
    cohort: str = ""
    split: str = "fractions"
    n_rounds: int = 30
    n_local_steps: int = 10
    n_local_epochs: int = 0
    batch_size: int = 32
    local_lr: float = 0.1
    lr_decay: float = 1.0
    server_lr: float = 1.0
    target: str = ""
    n_target_samples: int = 256
    losses: str = "all"
    buffers: str = "averaged"
    trainer: str = "auto"
    evaluate_every: int = 1
    seed: int = 0
    checkpoint_every: int = 5

    def __post_init__(self) -> None:
        pick(DATASETS, self.dataset, "dataset")
        check_model(self.model)
        pick(SPLITS, self.split, "split")
        make_partition(self.partition)
        for name in ("cohort", "target"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"RunConfig({name}={getattr(self, name)!r}): must be text, '' for none")
        if self.cohort:
            make_cohort(self.cohort)
        if self.target:
            make_target(self.target)
        for name in _COUNTS:
            self._check_integer(name, 1)
        for name in _NATURALS:
            self._check_integer(name, 0)
        if (self.n_local_steps == 0) == (self.n_local_epochs == 0):
            raise ValueError(
                f"RunConfig(n_local_steps={self.n_local_steps}, n_local_epochs={self.n_local_epochs}): one of them must"
                " be >= 1 and the other 0"
            )
        if self.n_sampled > self.n_clients:
            raise ValueError(
                f"RunConfig(n_sampled={self.n_sampled}): must be <= n_clients={self.n_clients}; equal means everyone"
            )
        for name in ("local_lr", "lr_decay", "server_lr"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not (isfinite(value) and value > 0):
                raise ValueError(f"RunConfig({name}={value!r}): must be a finite number > 0")
        first, last = log10(self.local_lr), log10(self.local_lr) + log10(self.lr_decay) * (self.n_rounds - 1)
        for exponent in (first, last):
            if not -37.9 < exponent < 38.5:  # of the least normal number and the greatest
                raise ValueError(
                    f"RunConfig(local_lr={self.local_lr!r}, lr_decay={self.lr_decay!r}, n_rounds={self.n_rounds}): the"
                    f" rate reaches 1e{exponent:.0f}; expected one that float32 holds"
                )
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"RunConfig({name}={getattr(self, name)!r}): must be one of {', '.join(allowed)}")

    def _check_integer(self, name: str, lowest: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
            raise ValueError(f"RunConfig({name}={value!r}): must be an integer >= {lowest}")

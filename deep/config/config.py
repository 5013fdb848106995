"""RunConfig: everything that decides a deep run, except the aggregation rule."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from sys import float_info

from deep.base.floor import FLOORS
from deep.base.names import pick
from deep.data import AUGMENTATIONS, SCALINGS, SPLITS, check_augmentation, check_dataset, make_views
from deep.features import client_of, server_of, spelled
from deep.models import check_model
from deep.partition import (
    Population,
    make_cohort,
    make_local_work,
    make_participation,
    make_partition,
    make_target,
)
from theory.base.momentum import Momentum

__all__ = ["CHOICES", "SEEDS", "RunConfig"]

_COUNTS = ("n_clients", "n_sampled", "n_rounds", "batch_size", "evaluate_every", "checkpoint_every")
_NATURALS = ("n_local_steps", "n_local_epochs", "seed", "n_target_samples", "lr_restart")
_MOST = 2**128 - 1  # nothing that is counted comes near, and a seed takes no more
_MOST_RATE = float_info.max  # NaN is not below it, and neither are integers that no float holds
CHOICES = {
    "losses": ("auto", "all", "present", "none"),
    "validation": ("evaluated", "read"),
    "trains": ("present", "weighted"),
    "buffers": ("averaged", "local"),
    "trainer": ("auto", "in-turn", "together"),
    "dtype": ("float32", "float64"),
    "products": ("full", "tf32", "bf16"),
    "scaling": SCALINGS,
    "augment": AUGMENTATIONS,
    "floor": FLOORS,
    "target_source": ("validation", "separate", "test"),
}
SEEDS = ("data", "cohort", "training")
_SOLVED = ("softmax-regression", "linear-regression")


@dataclass(frozen=True)
class RunConfig:
    """One federated run; two runs that differ in nothing but the rule share partition, cohorts, batches and start.

    A data set, model, client or server may be somebody else's, "package.module:name" (`theory.base.parts`).
    `dataset`: a name in `DATASETS`; `split`: the recipe in `SPLITS` that cuts it; `scaling`: how inputs are
    scaled (`make_scaling`); `augment`: how training images are moved (`draw_moves`), while losses Fₖ are those of
    images as they are. `client_test`: the fraction of each client's samples, rounded down, that it is judged on and
    never trains on. `model`: a name in `MODELS`, with its
    settings if need be: "mlp(hidden=[128])".
    `n_clients` K; `n_sampled` clients take part in a round, uniformly without replacement (all when equal to K).
    `partition`: who holds which samples, in the words of `make_partition`, such as "classes(m=2)".
    `participation`: who of the fixed population takes part and with how many of its steps, in the words of
    `make_participation`, such as "stragglers(probability=0.5, of=uniform(n_sampled=5))"; it then decides in place of
    `n_sampled`. Empty: those uniform draws, with all steps.
    `cohort`: clients resampled every round, in the words of `make_cohort`, such as "imbalanced(n_clients=10)"; it then
    decides in place of `n_clients`, `n_sampled` and `partition`. Empty: the fixed population those three describe.
    Local work at rate η = `local_lr` · `lr_decay`^round, from round `lr_restart` on counted anew if that is > 0, on
    `batch_size` samples a step: `n_local_steps` E steps, each on a fresh draw; or `n_local_epochs` passes over the
    client's shuffled samples, the last batch of a pass smaller. One of the two is 0. `local_work`: passes and batch
    size of a client drawn anew every round in place of those, in the words of `make_local_work`, "drawn(most=5)";
    `n_local_epochs` and `batch_size` then only say what a round is expected to cost. `momentum` β in [0, 1), Nesterov's
    with `nesterov`; the velocity begins at 0 in every round.
    `optimizer`: one of `torch.optim` for local steps in place of SGD, "adamw(lr=1e-3, weight_decay=0.01)", given the
    gradient that `client` corrected; its state begins anew in every round, or stays with each client ("keeps=true").
    Its `lr` becomes `local_lr`, and an "sgd" with nothing but momentum becomes `momentum`. Empty: SGD.
    `l2` >= 0: every client's loss Fₖ is its mean loss plus (l2/2)‖w‖², in its gradients, in what rules see and in the
    training loss, but not in losses on validation and test samples.
    `dtype`: the precision of models, updates and samples.
    `products`: those of local training, matrices and convolutions alone: "full", in `dtype`; of a float32 run "tf32",
    on CUDA alone, or "bf16", factors rounded to bfloat16 by autocast, where stacks of linear layers train by autograd.
    Losses that are measured, aggregation and evaluation stay in full.
    `compiled`: gradients of local steps, of the model's own loss alone, go through `torch.compile`, those of stacks of
    linear layers, too; the same numbers to rounding.
    `client`, `server`: what clients do beyond plain SGD and what the server does with d = Σ aₖ(wₖ − w), in the words of
    `theory.algorithms` and `deep.features`, such as "scaffold" and "fed-adam(lr=0.01)"; a name as people type it,
    "FedAdam(lr=0.01)", is kept as the registry spells it. `server_lr`: the rate of the
    plain server, which adds server_lr · d; 1 is FedAvg.
    `target`: the class distribution that validation and test samples are weighted to, in the words of `make_target`,
    such as "exponential(rho=100)"; empty: as they are. Several, as in "uniform; skew(client=0)": the first is that, and
    the model is judged on all of them. `n_target_samples`: unlabelled ones the server shows to rules
    that look at outputs (FedSSA), 0 for as many as the target admits; `target_source`: drawn from the "validation"
    part, from "test" samples that are judged on as well (the run's note says so: transductive), or "separate", from
    test samples that are then judged on under no rule and, of several, for no target. `views`: how their two views are
    changed, in the words of `make_views`, such as "views(crop=0.5)".
    `losses`: whose losses Fₖ(w) and Fₖ(wₖ) are measured, "all", those "present", or "none"; "auto" is "all" where they
    are few or a rule reads those of absent clients, else "present", in rounds without evaluation where they are read,
    and Fₖ(wₖ) where it is few or read (`deep.task.rule_checks`).
    `trains`: everyone "present", or those "weighted" alone: where a rule weighs by the losses of the broadcast model,
    clients without weight only say theirs, and do no step (`deep.task.weighted_first`). The server's models are the
    same; steps, updates and traffic of the others are 0.
    `floor`: what stands for Fₖ* (`deep.base.floor`): "solved" and "reached" need a reference and, like "best-seen", a
    fixed population; "auto" is "solved" for softmax and linear regression of a fixed population with l2 > 0, else
    "zero".
    `buffers`: running statistics, and with "local" all of the normalisation layers (FedBN), are "averaged" or stay.
    `trainer`: the clients of a round are trained "in-turn" or "together"; "auto" takes what was measured to be faster.
    `evaluate_every`: rounds from one evaluation on validation and test samples to the next; the last is always one.
    `validation`: validation samples are evaluated in every such round ("evaluated"), or only where they are "read": by
    a rule, and after the last round.
    `seed` of every stream; `data_seed` (who holds what: split, partition, resampled cohorts, target samples),
    `cohort_seed` (who takes part, with how many steps) and `training_seed` (initial model, batches, augmentation) in
    its place where they are not −1. A rule has a seed of its own, which follows `seed` where the rule comes from words
    that name none (`deep.config.seeded_rule`). `checkpoint_every` counts rounds and changes no number.

    Raises `ValueError` naming the field, its value and the allowed range.
    """

    dataset: str = "digits"
    model: str = "softmax-regression"
    n_clients: int = 10
    n_sampled: int = 5
    partition: str = "dirichlet(beta=0.3, min_size=8)"
    participation: str = ""
    cohort: str = ""
    split: str = "fractions"
    scaling: str = "none"
    augment: str = "none"
    client_test: float = 0.0
    n_rounds: int = 30
    n_local_steps: int = 10
    n_local_epochs: int = 0
    batch_size: int = 32
    local_work: str = ""
    local_lr: float = 0.1
    lr_decay: float = 1.0
    lr_restart: int = 0
    momentum: float = 0.0
    nesterov: bool = False
    optimizer: str = ""
    l2: float = 0.0
    client: str = "sgd"
    server: str = "rate"
    server_lr: float = 1.0
    target: str = ""
    n_target_samples: int = 256
    target_source: str = "validation"
    views: str = ""
    losses: str = "auto"
    trains: str = "present"
    floor: str = "auto"
    buffers: str = "averaged"
    trainer: str = "auto"
    dtype: str = "float32"
    products: str = "full"
    compiled: bool = False
    evaluate_every: int = 1
    validation: str = "evaluated"
    seed: int = 0
    data_seed: int = -1
    cohort_seed: int = -1
    training_seed: int = -1
    checkpoint_every: int = 5

    def __post_init__(self) -> None:
        self._check_words()
        self._check_counts()
        self._check_numbers()
        self._check_together()
        self._check_rates()

    def _check_words(self) -> None:
        """Every part that is said in words can be made of them."""
        check_dataset(self.dataset)
        check_model(self.model)
        pick(SPLITS, self.split, "split")
        make_partition(self.partition)
        for name in ("cohort", "target", "participation", "local_work", "client", "server", "views", "optimizer"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"RunConfig({name}={getattr(self, name)!r}): must be text, '' for none")
        if self.cohort:
            make_cohort(self.cohort)
        for target in self.targets:
            make_target(target)
        if self.views:
            make_views(self.views, self.dataset)
        if self.target_source == "separate" and self.n_target_samples == 0:
            raise ValueError(
                "RunConfig(target_source='separate', n_target_samples=0): all of the target's first class would be"
                " shown and none of it judged; expected a number"
            )
        if self.participation:
            make_participation(self.participation)
            if not self.fixed_population:
                raise ValueError(
                    f"RunConfig(participation={self.participation!r}, cohort={self.cohort!r}): clients that are"
                    " resampled every round all take part; expected a fixed population"
                )
        object.__setattr__(self, "client", spelled("client", self.client))
        object.__setattr__(self, "server", spelled("server", self.server))
        if self.optimizer:
            self._spell_optimizer()
        client_of(self.client)
        server_of(self.server)

    def _spell_optimizer(self) -> None:
        """The optimiser's rate is `local_lr`, and plain momentum the `momentum` that both worlds have."""
        from deep.features.optimiser import make_optimiser

        found, put = make_optimiser(self.optimizer), object.__setattr__
        if found.lr is not None:
            if self.local_lr not in (type(self).local_lr, found.lr):
                raise ValueError(
                    f"RunConfig(optimizer={self.optimizer!r}, local_lr={self.local_lr}): two rates; expected one"
                )
            put(self, "local_lr", found.lr)
        put(self, "optimizer", found.text)
        if found.momentum is None:
            return
        if self.momentum and (self.momentum, self.nesterov) != found.momentum:
            raise ValueError(
                f"RunConfig(optimizer={self.optimizer!r}, momentum={self.momentum}): two momenta; expected one"
            )
        put(self, "optimizer", "")
        put(self, "momentum", found.momentum[0])
        put(self, "nesterov", found.momentum[1])

    def _check_counts(self) -> None:
        """Whole numbers are in their range, and say in one way how much a client does."""
        for name in _COUNTS:
            self._check_integer(name, 1)
        for name in _NATURALS:
            self._check_integer(name, 0)
        for name in SEEDS:
            self._check_integer(f"{name}_seed", -1)
        if (self.n_local_steps == 0) == (self.n_local_epochs == 0):
            raise ValueError(
                f"RunConfig(n_local_steps={self.n_local_steps}, n_local_epochs={self.n_local_epochs}): one of them must"
                " be >= 1 and the other 0"
            )
        if self.local_work:
            make_local_work(self.local_work)
            if not self.n_local_epochs:
                raise ValueError(
                    f"RunConfig(local_work={self.local_work!r}, n_local_steps={self.n_local_steps}): it draws passes;"
                    " expected n_local_epochs >= 1 in place of n_local_steps"
                )
        if not self.participation and self.n_sampled > self.n_clients:
            raise ValueError(
                f"RunConfig(n_sampled={self.n_sampled}): must be <= n_clients={self.n_clients}; equal means everyone"
            )

    def _check_numbers(self) -> None:
        """Rates, l2 and momentum are in their range, and every choice is one of those allowed."""
        for name in ("local_lr", "lr_decay", "server_lr"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MOST_RATE:
                raise ValueError(f"RunConfig({name}={value!r}): must be a finite number > 0")
        if not _is_number(self.l2) or not 0 <= self.l2 <= _MOST_RATE:
            raise ValueError(f"RunConfig(l2={self.l2!r}): must be a finite number >= 0")
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"RunConfig({name}={getattr(self, name)!r}): must be one of {', '.join(allowed)}")
        if self.products != "full" and self.dtype != "float32":
            raise ValueError(
                f"RunConfig(products={self.products!r}, dtype={self.dtype!r}): rounded products of a float32"
                " run; expected 'full'"
            )
        for name in ("nesterov", "compiled"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"RunConfig({name}={getattr(self, name)!r}): must be true or false")
        try:
            Momentum(self.momentum, self.nesterov)
        except ValueError as error:
            raise ValueError(f"RunConfig(momentum={self.momentum!r}, nesterov={self.nesterov!r}): {error}") from error

    def _check_together(self) -> None:
        """What each field allows of the others: floor, model, population, augmentation, held-out samples, targets."""
        if self.floor in {"solved", "reached", "best-seen"} and not self.fixed_population:
            raise ValueError(
                f"RunConfig(floor={self.floor!r}, cohort={self.cohort!r}): resampled clients have no past and no"
                " reference; expected a fixed population, or floor='zero'"
            )
        if self.floor == "solved" and not self._convex:
            raise ValueError(
                f"RunConfig(floor='solved', model={self.model!r}): solved for {' and '.join(_SOLVED)} alone; expected"
                " 'zero', 'best-seen' or 'reached'"
            )
        check_augmentation(self.augment, self.dataset)
        if not _is_number(self.client_test) or not 0 <= self.client_test < 1:
            raise ValueError(f"RunConfig(client_test={self.client_test!r}): must be a number in [0, 1)")
        if self.client_test and not self.fixed_population:
            raise ValueError(
                f"RunConfig(client_test={self.client_test}, cohort={self.cohort!r}): clients are resampled every round"
                " and do not return; expected a fixed population"
            )
        if len(self.targets) > 1 and self.buffers == "local":
            raise ValueError(
                f"RunConfig(target={self.target!r}, buffers='local'): clients are judged on their own groups; expected"
                " one target"
            )

    def _check_rates(self) -> None:
        """Numbers of `dtype` hold the rates of all rounds."""
        first, last = log10(self.local_lr), log10(self.local_lr) + log10(self.lr_decay) * (self.n_rounds - 1)
        for exponent in (first, last):
            low, high = (-37.9, 38.5) if self.dtype == "float32" else (-307.6, 308.2)
            if not low < exponent < high:  # of the least normal number and the greatest
                raise ValueError(
                    f"RunConfig(local_lr={self.local_lr!r}, lr_decay={self.lr_decay!r}, n_rounds={self.n_rounds}): the"
                    f" rate reaches 1e{exponent:.0f}; expected one that {self.dtype} holds"
                )

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that `target` names, the first first."""
        return tuple(part.strip() for part in self.target.split(";")) if self.target.strip() else ()

    @property
    def fixed_population(self) -> bool:
        """Whether the same clients stand in the slots of all rounds."""
        return not self.cohort or isinstance(make_cohort(self.cohort), Population)

    @property
    def floor_kind(self) -> str:
        """The floor that "auto" comes to."""
        if self.floor != "auto":
            return self.floor
        return "solved" if self._convex and self.l2 > 0 and self.fixed_population else "zero"

    @property
    def _convex(self) -> bool:
        return self.model.partition("(")[0].strip() in _SOLVED

    @property
    def population_size(self) -> tuple[int, int]:
        """Clients of a fixed population, and those sampled a round where `participation` says nothing else."""
        source = make_cohort(self.cohort) if self.cohort else self
        if not isinstance(source, Population | RunConfig):
            raise ValueError(
                f"RunConfig(cohort={self.cohort!r}): clients are resampled every round; there is no fixed population"
            )
        return source.n_clients, source.n_sampled

    def seed_of(self, what: str) -> int:
        """The seed of "data", "cohort" or "training": its own, or `seed` where that is −1."""
        own: int = getattr(self, f"{what}_seed")
        return self.seed if own == -1 else own

    def rate(self, round_index: int) -> float:
        """η of the local steps of a round."""
        since = self.lr_restart if 0 < self.lr_restart <= round_index else 0
        return self.local_lr * self.lr_decay ** (round_index - since)

    def evaluates(self, n_played: int) -> bool:
        """Whether the model is evaluated when so many rounds are played."""
        return n_played % self.evaluate_every == 0 or n_played == self.n_rounds

    def _check_integer(self, name: str, lowest: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= _MOST:
            raise ValueError(f"RunConfig({name}={value!r}): must be an integer >= {lowest}, of at most 128 bits")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

"""A rule enters from outside: refused at the door where it cannot work, its weights and vectors checked every round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deep.base.floor import ZERO, Floor
from deep.base.lazy import torch
from deep.config.config import RunConfig
from deep.partition import always_everyone
from deep.task.wanted import wanted
from theory import AFL, Everyone, WithMemory
from theory.base.arrays import check_simplex, simplex_tolerance
from theory.participation.sampling import Participation
from theory.rules import WithClusters
from theory.rules.protocol import MemoryRule, Rule, needs_of, remembers
from theory.rules.stats import RoundStats

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "FEW_SAMPLES",
    "LOSSES",
    "check_rule",
    "check_vectors",
    "check_weights",
    "is_finite",
    "losses_of",
    "reads_loss_after",
]

LOSSES = ("loss_before", "loss_after", "loss_best")
FEW_SAMPLES = 4096  # of all clients together: their losses cost next to nothing


def check_rule(config: RunConfig, rule: Rule | MemoryRule, law: Participation | None) -> None:
    """Refuses what could only go wrong later; `law` of the cohort, None for clients made anew every round.

    Raises `ValueError` for what is no rule; when the rule says it reads losses that `config.losses` does not measure;
    when it remembers clients (`WithMemory`, `WithClusters`, `AFL`) who are resampled every round, so that a slot never
    holds the same one twice; when it applies another rule to remembered clients who are absent, and that rule reads
    what is measured of clients present alone; and when it insists on everyone and some are absent.
    """
    if isinstance(rule, type) or not (callable(rule) or hasattr(rule, "step")):
        raise ValueError(f"run(rule={rule!r}): expected a rule, such as Proportional() or make_rule('proportional')")
    fresh = law is None
    if fresh and any(isinstance(part, WithMemory | WithClusters | AFL) for part in _parts(rule)):
        raise ValueError(
            f"run(cohort={config.cohort!r}, rule={rule!r}): the rule remembers clients, and these are resampled every"
            " round; expected a fixed population"
        )
    needs = needs_of(rule) or ()
    missing = [name for name in LOSSES if name in needs]
    if config.losses == "none" and missing:
        raise ValueError(
            f"run(losses='none', rule={rule!r}): the rule reads {', '.join(missing)}; expected losses='present' or"
            " 'all'"
        )
    if law is None:
        return
    n_clients, n_sampled = config.population_size
    if not always_everyone(law, n_clients):
        words = f"participation={config.participation!r}" if config.participation else f"n_sampled={n_sampled}"
        _check_absence(config, rule, f"{words}, n_clients={n_clients}")


def losses_of(config: RunConfig, rule: object, n_samples: int, floor: Floor = ZERO, evaluated: bool = True) -> str:
    """Whose losses are measured, "all", "present" or "none": what `config.losses` says, or what "auto" comes to.

    "auto" is "all" where the clients hold `n_samples` <= 4,096 together, where a rule inside `WithMemory` reads losses,
    which are then those of absent clients, and where a rule does not say what it reads; else "present" (with 100
    clients of whom 10 train for one pass, losses of all take twice the time of training), in a round that is not
    `evaluated` where somebody reads them: the rule, or a `floor` that is the best loss seen.
    """
    if config.losses != "auto":
        return config.losses
    if n_samples <= FEW_SAMPLES or needs_of(rule) is None:  # type: ignore[arg-type]
        return "all"
    if _reads_losses_remembered(rule):
        return "all"
    here = needs_of(rule) or ()  # type: ignore[arg-type]
    return "present" if evaluated or floor.losses is None or set(here) & set(LOSSES) else "none"


def _reads_losses_remembered(rule: object) -> bool:
    """Whether a rule inside `WithMemory` reads losses, or does not say what it reads."""
    inside = [needs_of(memory.rule) for memory in _parts(rule) if isinstance(memory, WithMemory)]
    return any(needs is None or set(needs) & set(LOSSES) for needs in inside)


def reads_loss_after(config: RunConfig, rule: object, n_samples: int, floor: Floor) -> bool:
    """Whether Fₖ(wₖ) is measured: with "auto" where it costs next to nothing, the rule reads it or does not say what it
    reads, or the floor is the best loss seen; else wherever losses are.
    """
    needs = needs_of(rule)  # type: ignore[arg-type]
    read = needs is None or "loss_after" in needs or floor.losses is None
    return config.losses != "none" and (config.losses != "auto" or n_samples <= FEW_SAMPLES or read)


def _check_absence(config: RunConfig, rule: object, sizes: str) -> None:
    """`ValueError` for a rule that cannot do with clients absent."""
    for part in _parts(rule, but=WithMemory):
        if isinstance(part, Everyone):
            raise ValueError(f"run({sizes}, rule={part!r}): the rule wants everyone present; expected equal numbers")
    for memory in (part for part in _parts(rule) if isinstance(part, WithMemory)):
        if memory.init == "full-round":
            raise ValueError(f"run({sizes}, rule={memory!r}): its first round wants everyone; expected init='seen'")
        needs = needs_of(memory.rule) or ()
        lacking = sorted(wanted(memory.rule) - {"accuracy"})
        if config.losses == "present":
            lacking += [name for name in LOSSES if name in needs]
        if lacking:
            raise ValueError(
                f"run({sizes}, losses={config.losses!r}, rule={memory!r}): the rule inside reads {', '.join(lacking)}"
                " of remembered clients, which absent ones do not send; expected everyone present, or, for losses,"
                " losses='all'"
            )


def _parts(rule: object, but: type | None = None) -> Iterator[object]:
    """The rule and the rules it is made of, not those inside a `but`."""
    yield rule
    if is_dataclass(rule) and not (but and isinstance(rule, but)):
        for f in fields(rule):
            yield from _parts(getattr(rule, f.name), but)


def check_weights(weights: Tensor, rule: Rule | MemoryRule, stats: RoundStats) -> None:
    """A rule enters from outside: its weights are one finite float per client, on the simplex if it promises that."""
    if not isinstance(weights, torch.Tensor) or weights.shape != stats.share.shape:
        got = getattr(weights, "shape", None)
        raise ValueError(
            f"{_weights_of(rule, stats)}: {type(weights).__name__} of shape {got}; expected a torch tensor, one per"
            " client"
        )
    host = weights.detach().cpu().numpy()  # small arrays, of which NumPy takes a tenth of the time
    memory = remembers(rule)
    if memory or not getattr(rule, "simplex", True):
        if not np.isfinite(host).all():
            raise ValueError(
                f"{_weights_of(rule, stats)}: contain NaN or infinity, though every loss and update is finite"
            )
        if memory:
            return
    present: NDArray[np.bool_] = stats.present.cpu().numpy()  # type: ignore[attr-defined]
    here = host[present]
    elsewhere = np.count_nonzero(host) != np.count_nonzero(here)  # NaN counts, too
    if getattr(rule, "simplex", True):
        values: list[float] = here.tolist()  # few of many: in Python they take a third of the time of their extremes
        if elsewhere or not (min(values) >= 0 and abs(sum(values) - 1) <= _tolerance(len(host), host.dtype)):
            check_simplex(host, _weights_of(rule, stats))  # says what is wrong
    if elsewhere:
        absent: list[int] = np.flatnonzero((host != 0) & ~present).tolist()
        raise ValueError(
            f"{_weights_of(rule, stats)}: clients {absent} are absent; expected 0 from a rule without memory"
        )


@lru_cache(maxsize=64)
def _tolerance(n: int, dtype: np.dtype[Any]) -> float:
    """`simplex_tolerance` of n weights."""
    return simplex_tolerance(np.empty(n, dtype))


def _weights_of(rule: Rule | MemoryRule, stats: RoundStats) -> str:
    return f"weights of {rule!r} in round {stats.round}"


def check_vectors(vectors: Any, rule: Rule | MemoryRule, stats: RoundStats, n_parameters: int) -> None:
    """What a rule with memory combines must be a row per client."""
    expected = (stats.n_clients, n_parameters)
    if vectors is not None and (not isinstance(vectors, torch.Tensor) or tuple(vectors.shape) != expected):
        raise ValueError(
            f"vectors of {rule!r} in round {stats.round}: {type(vectors).__name__} of shape"
            f" {tuple(getattr(vectors, 'shape', ()))}; expected a torch tensor of shape {expected}"
        )


def is_finite(*tensors: Tensor) -> bool:
    """Whether there is neither NaN nor infinity; the extremes show either, in one pass."""
    return all(isfinite(extreme) for tensor in tensors if tensor.numel() for extreme in map(float, tensor.aminmax()))

"""Who takes part in a round and what they hold: a fixed population, or clients made anew every round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

import numpy as np

from deep.partition.checks import Groups, Index, check_choice, check_count, check_flag, check_labels, check_range
from deep.partition.checks import check_ratios as check_ratio_list
from deep.partition.holdings import Holdings, divide
from deep.partition.kinds.dirichlet import Dirichlet
from deep.partition.kinds.flips import FLIPS, Partition, corrupted_clients, flip
from deep.partition.kinds.imbalance import ORDERS, imbalanced_counts
from deep.partition.registry import PARTITIONS, make_partition
from deep.partition.sizes import members
from deep.partition.text import as_text, built
from theory.base.streams import stream
from theory.participation.sampling import UniformWithoutReplacement

__all__ = [
    "COHORTS",
    "RATIOS",
    "CohortSource",
    "Composition",
    "FlippedCohorts",
    "ImbalancedCohorts",
    "Population",
    "cohort_text",
    "make_cohort",
]

_MOST_CLIENTS = 10**6  # of a round
RATIOS = (1.0, 0.5, 0.1, 0.05, 0.01, 0.005, 0.001)


class CohortSource(Protocol):
    """Who takes part in a round, and what they hold."""

    def cohort(self, round_index: int, seed: int, labels: Index, groups: Groups | None = None) -> Holdings: ...


@dataclass(frozen=True)
class Population:
    """`n_clients` fixed clients of a partition; each round `n_sampled` of them, uniformly without replacement.

    The law is `theory.participation.sampling.UniformWithoutReplacement`, stream (seed, "cohort", round); see exp_alpha
    EA-ALG1.
    """

    partition: Partition = field(default_factory=Dirichlet, metadata={"inner": True})
    n_clients: int = 100
    n_sampled: int = 10

    def __post_init__(self) -> None:
        if not callable(getattr(self.partition, "parts", None)):
            raise ValueError(f"Population(partition={self.partition!r}): must be a partition")
        check_count(self, "n_clients")
        check_count(self, "n_sampled")
        if self.n_sampled > self.n_clients:
            raise ValueError(f"Population(n_sampled={self.n_sampled}): must be <= n_clients={self.n_clients}")

    def everyone(self, seed: int, labels: Index, groups: Groups | None = None) -> Holdings:
        """All clients, the same in every round: make them once where `cohort` would divide the data every round."""
        return divide(self.partition, labels, self.n_clients, seed, groups)

    def present(self, round_index: int, seed: int) -> Index:
        """The increasing numbers of the round's clients, (n_sampled,)."""
        law = UniformWithoutReplacement(self.n_sampled)
        return np.flatnonzero(law.cohort(seed, round_index, self.n_clients))

    def cohort(self, round_index: int, seed: int, labels: Index, groups: Groups | None = None) -> Holdings:
        """`everyone` at `present`; raises `ValueError` as the partition does."""
        return self.everyone(seed, labels, groups).select(self.present(round_index, seed))


@dataclass(frozen=True)
class ImbalancedCohorts:
    """Every round `n_clients` new clients, each with an imbalance ratio drawn uniformly from `ratios`.

    Source: exp_alpha 4.1 («At the beginning of each round, we re-sample the clients and their imbalance ratios»).
    `size` samples each, drawn without replacement from the classes' pools by `imbalanced_counts`; two clients may hold
    the same sample (the paper's clients are many: rounds times ten). The paper says that sizes are equal, neither
    which size nor the order of the classes: here 500 and "given", that of Cao et al., whom it follows.
    """

    n_clients: int = 10
    ratios: tuple[float, ...] = RATIOS
    size: int = 500
    order: str = "given"

    def __post_init__(self) -> None:
        check_count(self, "n_clients", highest=_MOST_CLIENTS)
        check_ratio_list(self, "ratios")
        check_count(self, "size")
        check_choice(self, "order", ORDERS)

    def cohort(self, round_index: int, seed: int, labels: Index, groups: Groups | None = None) -> Holdings:
        """Clients round · n_clients …; `ValueError` when a class has fewer samples than one client needs."""
        drawn = stream(seed, "cohort ratios", round_index).integers(len(self.ratios), size=self.n_clients)
        return _fresh(self, tuple(self.ratios[i] for i in drawn), round_index, seed, labels)


@dataclass(frozen=True)
class Composition:
    """Every round new clients with fixed ratios: `counts[i]` clients of imbalance ratio `ratios[i]`, in this order.

    Source: exp_alpha 4.1, Figure 2a ({1.0 × 4, 0.01 × 3, 0.1 × 3}, the default; its other compositions are in the
    picture alone), A.5 (four balanced, six of ratio 0.001; Tables 8 and 9: 0.1 to 0.5), Table 11 (ten balanced).
    `size` and `order`: as in `ImbalancedCohorts`.
    """

    ratios: tuple[float, ...] = (1.0, 0.01, 0.1)
    counts: tuple[int, ...] = (4, 3, 3)
    size: int = 500
    order: str = "given"

    def __post_init__(self) -> None:
        check_ratio_list(self, "ratios")
        whole = isinstance(self.counts, tuple) and all(type(c) is int and c >= 1 for c in self.counts)
        if not whole or len(self.counts) != len(self.ratios):
            raise ValueError(
                f"Composition(counts={self.counts!r}): must be {len(self.ratios)} integers >= 1, one per ratio"
            )
        if self.n_clients > _MOST_CLIENTS:
            raise ValueError(f"Composition(counts={self.counts!r}): {self.n_clients} clients, over {_MOST_CLIENTS:,}")
        check_count(self, "size")
        check_choice(self, "order", ORDERS)

    @property
    def n_clients(self) -> int:
        """Clients per round."""
        return sum(self.counts)

    def cohort(self, round_index: int, seed: int, labels: Index, groups: Groups | None = None) -> Holdings:
        """Clients round · n_clients …; `ValueError` when a class has fewer samples than one client needs."""
        ratios = tuple(r for r, count in zip(self.ratios, self.counts, strict=True) for _ in range(count))
        return _fresh(self, ratios, round_index, seed, labels)


@dataclass(frozen=True)
class FlippedCohorts:
    """Every round `n_clients` new balanced clients, some of them with wrong labels.

    Source: exp_alpha 4.2 and A.6 («randomly sample data from a training set to create six balanced clients»,
    corrupted with chance 1/3, flip ratio 1); Figure 2b: `exact`, `corruption` 1/3 or 2/3, `flip_ratio` 1 or 0.1.
    `size`: 500, the paper gives none; `exact`: see `corrupted_clients`; `by`: see `flip`.
    """

    n_clients: int = 6
    corruption: float = 1 / 3
    flip_ratio: float = 1.0
    exact: bool = False
    size: int = 500
    by: str = "classes"

    def __post_init__(self) -> None:
        check_count(self, "n_clients", highest=_MOST_CLIENTS)
        check_range(self, "corruption", 0.0, 1.0)
        check_range(self, "flip_ratio", 0.0, 1.0)
        check_flag(self, "exact")
        check_count(self, "size")
        check_choice(self, "by", FLIPS)

    def cohort(self, round_index: int, seed: int, labels: Index, groups: Groups | None = None) -> Holdings:
        """Clients round · n_clients …; `ValueError` for fewer than two classes, or classes with too few samples."""
        clean = _fresh(self, (1.0,) * self.n_clients, round_index, seed, labels)
        classes = np.unique(labels)
        rng = stream(seed, "corrupted clients", round_index)
        bad = corrupted_clients(self.n_clients, self.corruption, self.exact, rng)
        flipped = tuple(
            flip(own, classes, self.flip_ratio, self.by, stream(seed, "flip", client)) if flag else own
            for client, own, flag in zip(clean.clients, clean.labels, bad, strict=True)
        )
        kinds = tuple(f"flipped={self.flip_ratio:g}" if flag else "clean" for flag in bad)
        return Holdings(clean.clients, clean.parts, flipped, kinds)


def _fresh(
    source: ImbalancedCohorts | Composition | FlippedCohorts,
    ratios: tuple[float, ...],
    round_index: int,
    seed: int,
    labels: Index,
) -> Holdings:
    """New clients of the source's size, one for each ratio, numbered on from round to round."""
    call = type(source).__name__
    labels = check_labels(call, labels, 1)
    classes, available = np.unique(labels, return_counts=True)
    pools = members(labels, classes)
    order = "given" if isinstance(source, FlippedCohorts) else source.order
    clients = tuple(round_index * len(ratios) + place for place in range(len(ratios)))
    parts = []
    for client, ratio in zip(clients, ratios, strict=True):
        wanted = imbalanced_counts(ratio, classes.size, source.size, order, client, seed)
        if np.any(wanted > available):
            short = int(np.argmax(wanted > available))
            raise ValueError(
                f"{call}(size={source.size}): a client of ratio {ratio:g} needs {wanted[short]} samples of class"
                f" {classes[short]}, there are {available[short]}; lower the size"
            )
        rng = stream(seed, "cohort samples", client)
        drawn = [rng.choice(pool, n, replace=False) for pool, n in zip(pools, wanted, strict=True)]
        parts.append(np.sort(np.concatenate(drawn)))
    kinds = tuple(f"ratio={ratio:g}" for ratio in ratios)
    return Holdings(clients, tuple(parts), tuple(labels[part] for part in parts), kinds)


COHORTS: Mapping[str, type[CohortSource]] = MappingProxyType(
    {
        "population": Population,
        "imbalanced": ImbalancedCohorts,
        "composition": Composition,
        "flipped": FlippedCohorts,
    }
)


def make_cohort(text: str) -> CohortSource:
    """The cohort source that `text` describes; `ValueError` as `make_partition`.

    >>> make_cohort("population(partition=classes(m=2), n_clients=5, n_sampled=5)").n_clients
    5
    >>> make_cohort("composition(ratios=[1, 0.001], counts=[4, 6])").n_clients
    10
    """
    registry: Mapping[str, Callable[..., CohortSource]] = COHORTS
    return built(registry, "cohort source", text, inner=make_partition)


def cohort_text(source: CohortSource) -> str:
    """The text that `make_cohort` turns back into `source`, every setting named."""
    return as_text({**PARTITIONS, **COHORTS}, source)

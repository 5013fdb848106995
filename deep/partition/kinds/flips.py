"""Label flipping: some clients hold their own data under wrong labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deep.partition.checks import Groups, Index, check_choice, check_flag, check_range
from deep.partition.kinds.even import Iid
from theory.base.streams import stream

__all__ = ["FLIPS", "Flipped", "Partition", "corrupted_clients", "flip", "n_flipped"]

FLIPS = ("classes", "samples")


class Partition(Protocol):
    """Who holds which samples."""

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]: ...


def n_flipped(flip_ratio: float, n_classes: int) -> int:
    """Classes with wrong labels: flip_ratio · C, rounded half up; `ValueError` when a positive ratio flips none."""
    n = int(np.floor(flip_ratio * n_classes + 0.5))
    if flip_ratio > 0 and n == 0:
        raise ValueError(
            f"flip(flip_ratio={flip_ratio}): {n_classes} classes, so it flips none; take 0 or >= {0.5 / n_classes:g}"
        )
    return n


def flip(labels: Index, classes: Index, flip_ratio: float, by: str, rng: np.random.Generator) -> Index:
    """`labels` (m,) with those of `n_flipped` random classes made wrong, (m,); each flipped label changes.

    Source: exp_alpha 4.2 («the number of classes whose labels are flipped is determined by the flip ratio multiplied
    by the number of classes»). Which wrong label is open: `by` = "classes" gives a flipped class one other class,
    uniform among the C − 1; "samples" draws one for each sample. `classes`: all classes of the data, sorted.
    Raises `ValueError` for fewer than two classes, a positive ratio that flips none, or another `by`.
    """
    if by not in FLIPS:
        raise ValueError(f"flip(by={by!r}): must be one of {', '.join(FLIPS)}")
    if classes.size < 2:
        raise ValueError(f"flip: labels of {classes.size} class cannot be wrong; expected at least 2 classes")
    place = np.searchsorted(classes, labels)
    chosen = rng.permutation(classes.size)[: n_flipped(flip_ratio, classes.size)]
    shift = rng.integers(1, classes.size, size=classes.size)[place]
    if by == "samples":
        shift = rng.integers(1, classes.size, size=labels.size)
    return np.asarray(classes[np.where(np.isin(place, chosen), (place + shift) % classes.size, place)])


def corrupted_clients(n_clients: int, corruption: float, exact: bool, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Who is corrupted, booleans (n_clients,): each with probability `corruption`, or `exact`ly that share by lot.

    Source: exp_alpha 4.2: «with 1/3 chance» in Table 2, «deterministic corruption rate» in Figure 2b. `exact` rounds
    corruption · n_clients half up.
    """
    draws = rng.random(n_clients)
    if not exact:
        return draws < corruption
    ranks = draws.argsort(kind="stable").argsort(kind="stable")
    return ranks < int(np.floor(corruption * n_clients + 0.5))


@dataclass(frozen=True)
class Flipped:
    """The parts of `base`, some clients with wrong labels; `relabelled` gives the labels the clients train on.

    Source: exp_alpha 4.2. `corruption`: share or chance of corrupted clients, in [0, 1]; `exact`: see
    `corrupted_clients`; `flip_ratio`: share of wrong classes at a corrupted client; `by`: see `flip`.
    """

    base: Partition = field(default_factory=Iid, metadata={"inner": True})
    corruption: float = 1 / 3
    flip_ratio: float = 1.0
    exact: bool = False
    by: str = "classes"

    def __post_init__(self) -> None:
        if not callable(getattr(self.base, "parts", None)) or isinstance(self.base, Flipped):
            raise ValueError(f"Flipped(base={self.base!r}): must be a partition that flips no labels itself")
        check_range(self, "corruption", 0.0, 1.0)
        check_range(self, "flip_ratio", 0.0, 1.0)
        check_flag(self, "exact")
        check_choice(self, "by", FLIPS)

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """The index arrays of `base`."""
        return self.base.parts(labels, n_clients, seed, groups)

    def corrupted(self, n_clients: int, seed: int) -> NDArray[np.bool_]:
        """Who is corrupted, booleans (n_clients,)."""
        return corrupted_clients(n_clients, self.corruption, self.exact, stream(seed, "corrupted clients"))

    def relabelled(self, labels: Index, parts: Sequence[Index], seed: int) -> tuple[Index, ...]:
        """The labels each client trains on, one array per part; equal to the true ones for clean clients."""
        classes = np.unique(labels)
        return tuple(
            flip(labels[part], classes, self.flip_ratio, self.by, stream(seed, "flip", client)) if bad else labels[part]
            for client, (part, bad) in enumerate(zip(parts, self.corrupted(len(parts), seed), strict=True))
        )

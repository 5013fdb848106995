"""How much a client does in a round where that is drawn anew: its passes, and the size of its batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deep.partition.text import as_text, built
from theory.base.streams import stream

__all__ = ["LOCAL_WORKS", "DrawnWork", "local_work_text", "make_local_work"]

_MOST = 2**31  # more passes or samples than a round draws


@dataclass(frozen=True)
class DrawnWork:
    """Passes uniform in `fewest` … `most`, batches of a size uniform in `smallest` … n − 1, or n where n <= `smallest`.

    Each client of each round by itself: stream(seed, "work", round, client).
    Source: the code published with fedaware, settings.py, `get_heterogeneity` under «agnostic», whose scripts run
    CIFAR-10 with it in part; 2 … 5 passes and sizes from 10 are its numbers. The paper prints 3 passes and 64.
    Raises `ValueError` for settings that are no whole numbers in 1 … 2³¹, or fewest > most.
    """

    fewest: int = 2
    most: int = 5
    smallest: int = 10

    def __post_init__(self) -> None:
        for name in ("fewest", "most", "smallest"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST:
                raise ValueError(f"DrawnWork({name}={value!r}): must be an integer in 1 … {_MOST}")
        if self.fewest > self.most:
            raise ValueError(f"DrawnWork(fewest={self.fewest}, most={self.most}): must be fewest <= most")

    def drawn(self, seed: int, round_index: int, client: int, n_samples: int) -> tuple[int, int]:
        """(passes, samples of a batch) of a client that has `n_samples`."""
        rng = stream(seed, "work", round_index, client)
        passes = int(rng.integers(self.fewest, self.most + 1))
        return passes, int(rng.integers(self.smallest, n_samples)) if n_samples > self.smallest else n_samples


LOCAL_WORKS: Mapping[str, type[DrawnWork]] = MappingProxyType({"drawn": DrawnWork})


def make_local_work(text: str) -> DrawnWork:
    """The law that `text` describes; `ValueError` as `make_partition`.

    >>> make_local_work("drawn(most=3)")
    DrawnWork(fewest=2, most=3, smallest=10)
    """
    registry: Mapping[str, Callable[..., DrawnWork]] = LOCAL_WORKS
    return built(registry, "local_work", text)


def local_work_text(law: DrawnWork) -> str:
    """The text that `make_local_work` turns back into `law`, every setting named."""
    return as_text(LOCAL_WORKS, law)

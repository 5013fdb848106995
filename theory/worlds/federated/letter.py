"""What a letter of a statement about runs is: its LaTeX, its definition and units, and both of its forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from theory.worlds.federated.fast_run import Array, Runs

__all__ = ["Letter"]


@dataclass(frozen=True)
class Letter:
    """One letter: `says` defines it, `units` are its (loss, length) degrees, `source` says where it is defined so.

    `fast` gives it of a batch, (n,), nan where it is undefined; `exact` of one instance, None where it is undefined.
    `exact` is called as the letter with `_of` behind. `sign`: "positive", "nonnegative" or "" for either. `needs`: what
    of a run it is made of, see `options`; `drawn`: coordinates that it needs besides those of a run.
    """

    name: str
    latex: str
    says: str
    units: tuple[int, int]
    fast: Callable[[Runs], Array]
    exact: Callable[[Mapping[str, Any]], Any]
    sign: str = ""
    source: str = ""
    needs: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.exact.__name__ != f"{self.name}_of":
            raise ValueError(f"Letter({self.name!r}): exact={self.exact.__name__}; expected a function {self.name}_of")

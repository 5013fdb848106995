"""A partition of one's own: a class with `parts`, or a function that says who holds which samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import isroutine, signature
from typing import Any

import numpy as np

from deep.base.names import read_call
from deep.partition.checks import Groups, Index
from theory.base.parts import Own, built, own_part
from theory.rules.text import parse_value

__all__ = ["OwnPartition", "own_partition"]

_GIVEN = ("labels", "n_clients", "seed", "groups")


@dataclass(frozen=True, eq=False)
class OwnPartition:
    """What somebody else's `make` says: for each client the indices of its samples, or for each sample its client.

    `make` takes by name what it has a parameter for: `labels` (n,), `n_clients`, `seed`, and `groups` (n,) or None.
    It may give `n_clients` arrays of indices, or one array (n,) of clients 0 … n_clients − 1, −1 for nobody.
    """

    name: str
    make: Callable[..., Any]

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """Sorted index arrays, one for each client; `ValueError`, one line, for anything else."""
        given = {"labels": labels, "n_clients": n_clients, "seed": seed, "groups": groups}
        found = self.make(**{name: given[name] for name in signature(self.make).parameters if name in given})
        called = f"partition {self.name!r}"
        try:
            if isinstance(found, np.ndarray) and found.shape == np.shape(labels) and found.dtype.kind in "iu":
                if found.min() < -1 or found.max() >= n_clients:
                    raise ValueError(f"clients from {found.min()} to {found.max()}; expected -1 to {n_clients - 1}")
                return tuple(np.flatnonzero(found == client) for client in range(n_clients))
            return tuple(np.sort(np.asarray(part)) for part in found)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{called}: gave a {type(found).__name__}: {error}; expected an array of indices for each client, or"
                " one array with the client of each sample"
            ) from error


def own_partition(text: str) -> OwnPartition | None:
    """The partition of somebody else's that `text` names, "package.module:name(setting=value)"; None for one of ours.

    Raises `ValueError`, one line, where it is not there, lacks `parts`, or has not these settings.
    """
    name, said = read_call("partition", text)
    own = own_part("partition", name)
    if own is None:
        return None
    return OwnPartition(name, _function(own, {n: parse_value(value) for n, value in said.items()}))


def _function(own: Own, settings: dict[str, object]) -> Callable[..., Any]:
    called = f"partition {own.name!r}"
    if isroutine(own.value):
        parameters = signature(own.value).parameters
        unknown = sorted(set(settings) - (set(parameters) - set(_GIVEN)))
        if unknown:
            offered = [n for n in parameters if n not in _GIVEN]
            raise ValueError(f"{called} has no setting {unknown}; its settings are {offered or 'none'}")
        return partial(own.value, **settings)
    made = built(own, settings)
    if not callable(getattr(made, "parts", None)):
        raise ValueError(
            f"{called} is a {type(made).__name__}; expected a function of {', '.join(_GIVEN)}, or a class with parts"
        )
    parts: Callable[..., Any] = made.parts
    return parts

"""Special instances of a wider world, placed once for both sides: a few numbers drawn, the others follow from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from validation.statement.instances.draw import Instance

__all__ = ["Placed", "stacked"]


def stacked(instance: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Lists, nested as one exact instance has them, of arrays (n,) or of plain numbers, as arrays (n, …).

    >>> stacked({"weights": [[0, np.asarray([0.5, 1.0])]]}, 2)["weights"].tolist()
    [[[0.0, 0.5]], [[0.0, 1.0]]]
    """

    def whole(value: Any) -> Any:
        if isinstance(value, list):
            return np.stack([whole(v) for v in value], axis=1)
        array = np.asarray(value, dtype=np.float64)
        return array if array.ndim > 1 else np.broadcast_to(array, (n,))  # drawn with an axis of its own, or not

    return {name: whole(value) for name, value in instance.items()}


@dataclass(frozen=True, eq=False)
class Placed:
    """What `observe` gives at the instances that `place` makes of what is drawn.

    `place` is written for one instance of exact numbers, with lists; on arrays (n,) its arithmetic makes a whole batch.
    The plain side calls it, too; what is observed there is written twice, where it stands only once is how it looks.
    """

    place: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    observe: Callable[..., Mapping[str, Any]]

    def __call__(self, x: Instance, **chosen: Any) -> Mapping[str, Any]:
        """As `observe`."""
        return self.observe(stacked(self.place(x), len(next(iter(x.values())))), **chosen)

"""Special instances placed once for both sides."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from validation.world.placed import Placed, stacked


def pair(x: Any) -> Any:
    return {"optimum": [-x["u"], x["u"]], "weights": [[Fraction(1, 2), 1 - x["kept"] / 2]], "start": 0}


def observe(x: Any, *, times: int) -> Any:
    assert {k: v.shape for k, v in x.items()} == {"optimum": (2, 2), "weights": (2, 1, 2), "start": (2,)}
    return {"sum": times * (x["optimum"] * x["weights"][:, 0]).sum(axis=1) + x["start"]}


def test_arrays_are_placed_as_each_exact_instance_is() -> None:
    drawn = {"u": np.array([1.5, 2.0]), "kept": np.array([0.0, 1.0])}
    fast = stacked(pair(drawn), 2)
    for i in range(2):
        exact = pair({k: Fraction(float(v[i])) for k, v in drawn.items()})
        assert fast["optimum"][i].tolist() == [float(v) for v in exact["optimum"]]
        assert fast["weights"][i].tolist() == [[float(v) for v in row] for row in exact["weights"]]
    assert Placed(pair, observe)(drawn, times=3)["sum"].tolist() == [2.25, 0.0]

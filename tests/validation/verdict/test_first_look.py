"""The first look at declared signs: how many draws it takes, and what floats alone may tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from validation import Bound, Case, Space, Uniform, symbols
from validation.verdict.declared import first_broken

BOUND = Bound(symbols("s", positive=True) + 1)


def case(s: Callable[[Any], Any], cost: float = 1.0, **more: Callable[[Any], Any]) -> Case:
    """Without an exact side, so that floats alone tell."""

    def measure(x: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"lhs": 0 * x["v"], "s": s(x["v"]), **{name: value(x["v"]) for name, value in more.items()}}

    return Case("v", Space((Uniform("v", -1.0, 1.0),)), measure, cost=cost)


def test_floats_alone_tell_a_sign_that_is_broken_by_more_than_rounding() -> None:
    assert first_broken(BOUND, case(lambda v: v)).startswith("s is declared positive, but -")
    tiny = case(lambda v: 1e-12 * v, magnitude=lambda v: 1 + 0 * v)
    assert first_broken(BOUND, tiny) == ""


def test_a_draw_that_misses_a_hypothesis_breaks_no_declaration() -> None:
    assert first_broken(BOUND, case(lambda v: v, admissible=lambda v: v > 0)) == ""


@pytest.mark.parametrize(("cost", "drawn"), [(1.0, 48), (6.0, 8), (100.0, 4)])
def test_fewer_draws_of_a_long_run_are_looked_at(cost: float, drawn: int) -> None:
    seen: list[int] = []

    def counted(v: Any) -> Any:
        seen.append(len(v))
        return np.abs(v) + 1

    assert first_broken(BOUND, case(counted, cost)) == ""
    assert seen == [drawn]

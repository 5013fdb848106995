"""Short runs and their skews where a skew has no value: at a start in w*, and with all optima alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paper_checks.robust_aggregation.skews import own_run

SKEWS = ("rho", "rho_best", "rho_hard", "rho_best_hard")


def drawn(model: list[float], optimum: list[list[float]]) -> dict[str, Any]:
    """Two clients on the line over one round of one step, started at each of `model`."""
    n = len(model)
    same = {"share": [0.5, 0.5], "spectrum": [[1.0], [2.0]], "weights": [[0.25, 0.75]], "optimum": optimum}
    x = {name: np.repeat(np.asarray(value)[None], n, axis=0) for name, value in same.items()}
    each = {
        "model": np.asarray(model)[:, None],
        "step": np.full(n, 0.25),
        "fade": np.ones(n),
        "local_steps": np.ones(n),
    }
    return x | each


@pytest.mark.parametrize(("common", "optimum"), [(True, [[0.0], [0.0]]), (False, [[3.0], [3.0]])])
def test_a_skew_without_value_is_a_number_that_does_not_count(common: bool, optimum: list[list[float]]) -> None:
    best = optimum[0][0]
    found = own_run(drawn([best, best + 1], optimum), common=common)
    assert found["admissible"].tolist() == [False, common]
    assert all(np.isfinite(found[name][0]) for name in SKEWS)


def test_where_it_has_a_value_it_is_kept() -> None:
    found = own_run(drawn([2.0], [[0.0], [1.0]]))
    assert found["admissible"].all()
    assert found["rho"][0] == pytest.approx((0.25 * 2 + 0.75 * 1) / (0.5 * 2 + 0.5 * 1))
    assert found["rho_hard"][0] == pytest.approx(2 / 1.5)
    assert found["rho_best"][0] == pytest.approx((0.25 * 2 / 9 + 0.75 * 1 / 9) / (0.5 * 2 / 9 + 0.5 * 1 / 9))

"""Inner products of float32 rows with float64 ones, compiled at every processor level, against exact sums."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest

from tests.theory.simulate.test_compiled import fresh, kernels
from theory.compiled.library import Library
from theory.compiled.products import products

__all__ = ["fresh", "kernels"]  # fixtures


@pytest.mark.parametrize(("n", "m", "dim"), [(1, 1, 1), (2, 5, 7), (5, 3, 16), (3, 12, 1025), (7, 10, 4099)])
def test_products_are_exact_but_for_the_rounding_of_their_sums(
    monkeypatch: pytest.MonkeyPatch, kernels: Library, n: int, m: int, dim: int
) -> None:
    monkeypatch.setattr("theory.compiled.products.library", lambda: kernels)
    rng = np.random.default_rng(dim)
    rows = [rng.normal(size=dim).astype(np.float32) for _ in range(n)]
    values = rng.normal(size=(m, dim))
    found = products(rows, values)
    assert found is not None
    for i, row in enumerate(rows):
        for j, value in enumerate(values):
            terms = (row.astype(np.float64) * value).tolist()
            assert found[i, j] == pytest.approx(fsum(terms), rel=0, abs=1e-15 * fsum(map(abs, terms)))


def test_rows_that_the_kernel_cannot_read_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch, kernels: Library) -> None:
    monkeypatch.setattr("theory.compiled.products.library", lambda: kernels)
    row, values = np.ones(8, dtype=np.float32), np.ones((2, 8))
    assert products([row], values) is not None
    assert products([row, row.astype(np.float64)], values) is None
    assert products([np.ones(16, dtype=np.float32)[::2]], values) is None
    assert products([row], values.astype(np.float32)) is None
    assert (products([row], np.ones((8, 2)).T) == 8.0).all()
    monkeypatch.setattr("theory.compiled.products.library", lambda: None)
    assert products([row], values) is None

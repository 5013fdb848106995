"""The certificate of a minimum-norm point: its formula, its bound, and that it sees wrong answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.minnorm_problems import exact_direction, vectors_of_up_to_six
from theory.minnorm import certificate, certify


def plain_residual(gram: np.ndarray, weights: np.ndarray) -> float:
    """The certificate once more, client by client."""
    size = sum(w * np.sqrt(g) for w, g in zip(weights, gram.diagonal(), strict=True))
    inner = [sum(w * g for w, g in zip(weights, row, strict=True)) for row in gram]
    squared = sum(w * v for w, v in zip(weights, inner, strict=True))
    worst = 0.0
    for i, weight in enumerate(weights):
        short = squared - inner[i]
        worst = max(worst, (abs(short) if weight > 0 else short) / ((np.sqrt(gram[i, i]) + size) * size))
    return worst


@given(rows=vectors_of_up_to_six, data=st.data())
def test_the_certificate_is_its_formula(rows: list[list[float]], data: st.DataObject) -> None:
    vectors = np.asarray(rows)
    raw = np.asarray(data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)).filter(any)))
    weights = raw / raw.sum()
    if weights @ np.linalg.norm(vectors, axis=1) == 0:
        return
    gram = vectors @ vectors.T
    for found in (certify(gram, weights), certify(gram, weights, vectors)):
        assert found.kkt_residual == pytest.approx(plain_residual(gram, weights), abs=1e-14)
        assert found.squared_norm == pytest.approx(((weights @ vectors) ** 2).sum(), rel=1e-12, abs=1e-14)
        assert found.gap <= 4 * found.violation * gram.diagonal().max() * (1 + 1e-12)
        _, squared = exact_direction(vectors)
        assert found.gap >= found.squared_norm - squared - 1e-12 * max(1.0, gram.diagonal().max())


def test_the_certificate_sees_a_wrong_answer() -> None:
    gram = np.diag([1.0, 4.0])
    _, gap, kkt = certificate(gram, np.asarray([0.5, 0.5]))
    assert gap == pytest.approx(2 * (1.25 - 0.5))
    assert kkt == pytest.approx(0.75 / (2.5 * 1.5))


def test_a_tiny_client_counts_as_much_as_a_huge_one() -> None:
    gram = np.diag([1e-24, 4e-24, 1e24])
    best = np.asarray([0.8, 0.2, 0.0])
    assert certificate(gram, best)[2] <= 1e-15
    assert certificate(gram, best[[1, 0, 2]])[2] > 0.1  # where the gap is 1e-48 of the largest squared norm

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.federations.empirical import load_xy, logistic_federation
from theory.federations.optimum import certified_minimum, separation

RNG = np.random.default_rng(0)


def test_a_quadratic_is_minimised_to_its_certificate() -> None:
    curvature, center = np.array([0.1, 3.0, 40.0]), np.array([1.0, -2.0, 0.5])
    found = certified_minimum(
        lambda w: (0.5 * ((w - center) ** 2 * curvature).sum(axis=1) + 7, (w - center) * curvature),
        3,
        l2=0.1,
        name="it",
    )
    assert found.model is not None
    assert found.gap is not None
    assert 0 <= found.value - 7 <= found.gap <= 1e-10
    # ‖w − w*‖² <= 2·gap/μ
    assert float(((found.model - center) ** 2).sum()) <= 2 * found.gap / 0.1 + 1e-20


def test_the_certificate_is_what_strong_convexity_gives_and_no_less() -> None:
    """Along a direction of curvature l2 alone, stopped early: F − F* is ‖∇F‖²/(2·l2) but for the quartic term."""
    tilt = 1e-3
    found = certified_minimum(
        lambda w: (0.05 * w[:, 0] ** 2 + tilt * (w[:, 0] - 1) ** 4 / 4, 0.1 * w + tilt * (w - 1) ** 3),
        1,
        l2=0.1,
        name="it",
        gap=1e-2,
    )
    least = min(0.05 * x**2 + tilt * (x - 1) ** 4 / 4 for x in np.linspace(0, 0.05, 200_001))
    assert found.gap is not None
    assert found.gradient_norm > 0
    assert 0.9 * found.gap <= found.value - least <= found.gap
    assert found.gap == pytest.approx(found.gradient_norm**2 / 0.2)


def test_what_certifies_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"it: l2=0, gap=1e-10; both must be > 0"):
        certified_minimum(lambda w: (w[:, 0], w), 1, l2=0, name="it")
    # The gradient is off by a constant: no point makes it small, and that is said.
    with pytest.raises(RuntimeError, match="it: "):
        certified_minimum(lambda w: ((w**2).sum(axis=1), np.abs(w) + 1), 2, l2=1.0, name="it")


@given(st.integers(0, 200), st.integers(2, 4), st.integers(1, 3))
@settings(max_examples=25)
def test_labels_by_linear_scores_are_separated(seed: int, n_classes: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, d))
    scores = X @ rng.normal(size=(d, n_classes))
    assert separation(X, scores.argmax(axis=1), n_classes) == "all"
    # Every point under every label cannot be.
    every = separation(np.repeat(X, n_classes, axis=0), np.tile(np.arange(n_classes), len(X)), n_classes)
    assert every == "none"


def test_quasi_separation_is_neither() -> None:
    X = np.array([[-1.0], [0.0], [0.0], [1.0]])  # the line through 0 fits all but the two points on it
    assert separation(np.concatenate([X, np.ones_like(X)], axis=1), np.array([0, 0, 1, 1]), 2) == "some"
    with pytest.raises(ValueError, match="more than 5,000,000 entries"):
        separation(np.zeros((6000, 785)), np.zeros(6000, dtype=np.int64), 10)


def test_logistic_regression_without_l2_where_the_optimum_exists() -> None:
    X = RNG.normal(size=(60, 2))
    y = RNG.integers(0, 2, 60)  # labels of no use: nothing separates them
    federation = logistic_federation(X, y, np.arange(60) % 2, l2=0.0)
    gradient = federation.gradients(np.tile(federation.optimum(), (2, 1)))
    assert np.linalg.norm(federation.share @ gradient) < 1e-9
    X, y = load_xy("digits")
    with pytest.raises(ValueError, match=r"l2=0\): all samples of client 0 can be separated"):
        logistic_federation(X[:40], y[:40], np.zeros(40, dtype=int), l2=0.0)

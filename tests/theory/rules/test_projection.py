"""The AWARE projection: what makes it a projection, and its two policies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.strategies import decimals
from theory.rules.projection import aware_projection

THREE = st.lists(decimals(-4, 4), min_size=3, max_size=3)
VECTORS = THREE.map(np.asarray)
LINES = THREE.filter(any).map(np.asarray)


@given(proposal=VECTORS, line=LINES)
def test_parallel_shorter_orthogonal_rest_and_idempotent(proposal: np.ndarray, line: np.ndarray) -> None:
    found = aware_projection(proposal, line)
    assert np.linalg.norm(np.cross(found, line)) <= 1e-13 * np.linalg.norm(found) * np.linalg.norm(line) + 1e-300
    assert np.linalg.norm(found) <= np.linalg.norm(proposal) * (1 + 1e-14)
    assert abs((proposal - found) @ line) <= 1e-13 * np.linalg.norm(proposal) * np.linalg.norm(line)
    np.testing.assert_allclose(aware_projection(found, line), found, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(found, (proposal @ line) / (line @ line) * line, rtol=1e-13, atol=1e-13)


@given(proposal=VECTORS, line=LINES, exponent=st.integers(-900, 900), sign=st.sampled_from([-1.0, 1.0]))
def test_the_length_and_sign_of_the_direction_do_not_matter(
    proposal: np.ndarray, line: np.ndarray, exponent: int, sign: float
) -> None:
    scaled = sign * np.ldexp(line, exponent)  # a power of two is exact, even where the square overflows
    np.testing.assert_array_equal(np.abs(aware_projection(proposal, scaled)), np.abs(aware_projection(proposal, line)))
    np.testing.assert_allclose(aware_projection(proposal, scaled), aware_projection(proposal, line), atol=0)


@given(one=VECTORS, two=VECTORS, line=LINES, factor=decimals(-2, 2))
def test_linear_in_the_proposal(one: np.ndarray, two: np.ndarray, line: np.ndarray, factor: float) -> None:
    together = aware_projection(one + factor * two, line)
    apart = aware_projection(one, line) + factor * aware_projection(two, line)
    np.testing.assert_allclose(together, apart, rtol=1e-13, atol=1e-13)


def test_policies_for_a_zero_direction() -> None:
    proposal, zero = np.asarray([1.0, 2.0]), np.zeros(2)
    with pytest.raises(ValueError, match=r"direction=0.*when_zero='keep'"):
        aware_projection(proposal, zero)
    assert aware_projection(proposal, zero, when_zero="keep").tolist() == [1.0, 2.0]
    assert aware_projection(proposal, zero, when_zero="zero").tolist() == [0.0, 0.0]
    both = np.stack([zero, np.asarray([0.0, 5.0])])
    assert aware_projection(proposal, both, when_zero="keep").tolist() == [[1.0, 2.0], [0.0, 2.0]]
    with pytest.raises(ValueError, match="direction=0"):
        aware_projection(proposal, both)


def test_policies_for_a_negative_product() -> None:
    proposal, line = np.asarray([[-3.0, 1.0], [3.0, 1.0]]), np.asarray([2.0, 0.0])
    assert aware_projection(proposal, line).tolist() == [[-3.0, 0.0], [3.0, 0.0]]
    assert aware_projection(proposal, line, when_negative="clip").tolist() == [[0.0, 0.0], [3.0, 0.0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"when_zero": "skip"}, "when_zero='skip'.*'error', 'keep' or 'zero'"),
        ({"when_negative": "flip"}, "when_negative='flip'"),
        ({"direction": np.ones(3)}, r"shape \(2,\), direction of shape \(3,\)"),
    ],
)
def test_bad_input(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        aware_projection(**{"proposal": np.ones(2), "direction": np.ones(2), **changes})


def test_torch_and_batches() -> None:
    rng = np.random.default_rng(0)
    proposal, line = rng.normal(size=(4, 3, 5)), rng.normal(size=(4, 3, 5))
    whole = aware_projection(proposal, line, when_negative="clip")
    theirs = aware_projection(torch.from_numpy(proposal), torch.from_numpy(line), when_negative="clip")
    np.testing.assert_allclose(theirs.numpy(), whole, rtol=1e-14, atol=1e-14)
    for i in np.ndindex(4, 3):
        one = aware_projection(proposal[i], line[i], when_negative="clip")
        np.testing.assert_allclose(whole[i], one, rtol=1e-14, atol=1e-14)

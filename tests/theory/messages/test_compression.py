"""ST(T), error feedback and bits against plain Python, and what must hold for every setting."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.strategies import decimals
from theory.messages.compression import TernarySparse, error_feedback, message_bits, total_bits

SETTINGS = [
    {"rounding": r, "ties": t, "divisor": d}
    for r, t, d in product(("floor", "round", "ceil", "max1"), ("all", "exact"), ("printed", "kept"))
]
# Few distinct sizes: ties and zeros are the rule here, not the exception.
TENSORS = st.lists(decimals(-0.25, 0.25) | decimals(-4, 4), min_size=1, max_size=12).map(np.asarray)
FRACTIONS = st.sampled_from([0.05, 0.1, 0.29, 0.3, 0.5, 0.7, 1.0])
ANY = st.builds(lambda q, s: TernarySparse(q, **s), FRACTIONS, st.sampled_from(SETTINGS))


def plain(values: list[float], compressor: TernarySparse) -> list[Fraction]:
    """Algorithm 2 line by line in exact arithmetic; q read as the decimal it was written as."""
    exact = [Fraction(v) for v in values]
    target = len(exact) * Fraction(str(compressor.keep_fraction))
    rounded = {
        "floor": Fraction(math.floor(target)),
        "round": Fraction(math.floor(target + Fraction(1, 2))),
        "ceil": Fraction(math.ceil(target)),
        "max1": target,
    }[compressor.rounding]
    k = max(rounded, Fraction(1))
    e = sorted((abs(v) for v in exact), reverse=True)[math.ceil(k) - 1]
    kept = [i for i, v in enumerate(exact) if abs(v) >= e]
    if compressor.ties == "exact":
        kept = sorted(sorted(kept, key=lambda i: -abs(exact[i]))[: math.ceil(k)])
    nonzero = sum(1 for i in kept if exact[i] != 0)
    divisor = k if compressor.divisor == "printed" else Fraction(max(nonzero, 1))
    mu = sum((abs(exact[i]) for i in kept), Fraction(0)) / divisor
    sign = [(v > 0) - (v < 0) for v in exact]
    return [mu * sign[i] if i in kept else Fraction(0) for i in range(len(exact))]


@given(tensor=TENSORS, compressor=ANY)
def test_against_plain_python(tensor: np.ndarray, compressor: TernarySparse) -> None:
    expected = [float(v) for v in plain(tensor.tolist(), compressor)]
    np.testing.assert_allclose(compressor(tensor), expected, rtol=1e-15, atol=0)  # one rounding in the division


@given(tensor=TENSORS, compressor=ANY)
def test_three_values_and_how_many_are_not_zero(tensor: np.ndarray, compressor: TernarySparse) -> None:
    sent = compressor(tensor)
    sizes = set(np.abs(sent[sent != 0]).tolist())
    assert len(sizes) <= 1
    n_kept = math.ceil(compressor.count(tensor.size))
    n_nonzero = int((tensor != 0).sum())
    n_sent = int((sent != 0).sum())
    if compressor.ties == "exact":
        assert n_sent == min(n_kept, n_nonzero)
    else:
        assert n_sent >= min(n_kept, n_nonzero)
    assert np.all(sent * tensor >= 0)
    if compressor.divisor == "kept":
        assert max(sizes, default=0.0) <= np.abs(tensor).max() * (1 + 1e-15)


@given(tensor=TENSORS, compressor=ANY)
def test_with_its_own_divisor_compression_never_lengthens_the_residual(
    tensor: np.ndarray, compressor: TernarySparse
) -> None:
    """On the kept entries μ is their mean size: Σ(|Tᵢ| − μ)² <= Σ Tᵢ²; the rest stays as it is."""
    if compressor.divisor == "kept":
        assert np.linalg.norm(tensor - compressor(tensor)) <= np.linalg.norm(tensor) * (1 + 1e-14)


def test_the_printed_divisor_overshoots_on_ties() -> None:
    equal = np.ones(10)
    assert TernarySparse(0.1)(equal).tolist() == [10.0] * 10
    assert TernarySparse(0.1, divisor="kept")(equal).tolist() == [1.0] * 10
    assert TernarySparse(0.1, ties="exact")(equal).tolist() == [1.0] + [0.0] * 9
    # Too few nonzero entries: k in the divisor shrinks μ instead.
    one_hot = np.asarray([0.0, -3.0, 0.0])
    assert TernarySparse(1.0)(one_hot).tolist() == [0.0, -1.0, 0.0]
    assert TernarySparse(1.0, divisor="kept")(one_hot).tolist() == [0.0, -3.0, 0.0]


def lost(tensor: np.ndarray, compressor: TernarySparse) -> float:
    """‖T − ST(T)‖²/‖T‖²."""
    return float(np.sum((tensor - compressor(tensor)) ** 2) / np.sum(tensor**2))


@given(data=st.data(), q=FRACTIONS)
def test_without_ties_what_is_lost_is_known(data: st.DataObject, q: float) -> None:
    """‖T − ST(T)‖² = ‖T‖² − ‖T_mask‖₁²/k, at most (1 − 1/n)‖T‖²: never zero gain, and hardly any in the worst case."""
    sizes = data.draw(st.lists(decimals(0.01, 4), min_size=1, max_size=12, unique=True))
    signs = data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=len(sizes), max_size=len(sizes)))
    tensor = np.asarray(sizes) * np.asarray(signs)
    compressor = TernarySparse(q)
    k = int(compressor.count(len(tensor)))
    kept = np.sort(np.abs(tensor))[-k:]
    error, square = np.sum((tensor - compressor(tensor)) ** 2), np.sum(tensor**2)
    assert error == pytest.approx(square - kept.sum() ** 2 / k, rel=1e-12, abs=1e-12 * square)
    assert error <= (1 - 1 / len(tensor)) * square * (1 + 1e-12)


def test_what_is_lost_of_peaked_equal_and_gaussian_vectors() -> None:
    peaked = np.r_[1.0, 1e-9 * np.arange(1, 557)]  # no two alike, k = 167
    assert lost(peaked, TernarySparse(0.3)) == pytest.approx(1 - 1 / 167, abs=1e-6)  # 0.994
    # Ties as printed keep every entry, and μ = Σ|T|/k is n/k times too large: the error is longer than the vector.
    ones = np.ones(1000)
    assert int((TernarySparse(0.01)(ones) != 0).sum()) == 1000
    assert lost(ones, TernarySparse(0.01)) == pytest.approx((1000 / 10 - 1) ** 2)
    repaired = TernarySparse(0.01, ties="exact")
    assert int((repaired(ones) != 0).sum()) == 10
    assert lost(ones, repaired) == pytest.approx(1 - 10 / 1000)
    # q = 1 is the sign times the mean size, not the identity: 1 − 2/π = 0.363 of a Gaussian vector's square is lost.
    gaussian = np.random.default_rng(0).normal(size=200_000)
    np.testing.assert_array_equal(np.sign(TernarySparse(1.0)(gaussian)), np.sign(gaussian))
    assert lost(gaussian, TernarySparse(1.0)) == pytest.approx(1 - 2 / math.pi, abs=0.01)


@pytest.mark.parametrize("settings", SETTINGS)
def test_zero_and_single_entries(settings: dict[str, Any]) -> None:
    compressor = TernarySparse(0.3, **settings)
    assert compressor(np.zeros(5)).tolist() == [0.0] * 5
    assert compressor(np.asarray([-2.5])).tolist() == [-2.5]


def test_counts() -> None:
    def counts(q: float, n: int) -> list[float]:
        return [TernarySparse(q, rounding=r).count(n) for r in ("floor", "round", "ceil", "max1")]

    assert counts(0.25, 10) == [2, 3, 3, 2.5]
    assert counts(0.01, 10) == [1, 1, 1, 1]
    assert counts(0.29, 100) == [29] * 4  # 0.29·100 < 29 in floating point
    assert counts(0.07, 100) == [7] * 4  # 0.07·100 > 7 in floating point
    assert counts(1.0, 6) == [6] * 4


@given(tensor=TENSORS, compressor=ANY, data=st.data())
def test_permutations_signs_and_scales_pass_through(
    tensor: np.ndarray, compressor: TernarySparse, data: st.DataObject
) -> None:
    sent = compressor(tensor)
    signs = np.asarray(data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=tensor.size, max_size=tensor.size)))
    np.testing.assert_array_equal(compressor(signs * tensor), signs * sent)
    scale = 2.0 ** data.draw(st.integers(-40, 40))  # exact
    np.testing.assert_array_equal(compressor(scale * tensor), scale * sent)
    order = data.draw(st.permutations(range(tensor.size)))
    if compressor.ties == "all":  # which tied entry stays depends on the order by definition of "exact"
        # the order of a sum changes its rounding
        np.testing.assert_allclose(compressor(tensor[order]), sent[order], rtol=1e-14)


@given(compressor=ANY, data=st.data())
def test_a_batch_is_a_loop_and_torch_agrees(compressor: TernarySparse, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 6))
    batch = np.asarray(data.draw(st.lists(decimals(-0.5, 0.5), min_size=6 * n, max_size=6 * n))).reshape(2, 3, n)
    sent = compressor(batch)
    np.testing.assert_array_equal(sent, [[compressor(row) for row in rows] for rows in batch])
    np.testing.assert_allclose(compressor(torch.from_numpy(batch)).numpy(), sent, rtol=1e-15, atol=0)


@given(tensor=TENSORS, compressor=ANY, data=st.data())
def test_layers_are_compressed_one_by_one(tensor: np.ndarray, compressor: TernarySparse, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, tensor.size))
    parts = tuple(size for size in (cut, tensor.size - cut) if size)
    settings = {k: getattr(compressor, k) for k in ("keep_fraction", "rounding", "ties", "divisor")}
    layered = TernarySparse(**settings, per_layer=parts)
    pieces = np.split(tensor, np.cumsum(parts)[:-1])
    np.testing.assert_array_equal(layered(tensor), np.concatenate([compressor(piece) for piece in pieces]))


@given(compressor=ANY, updates=st.lists(st.lists(decimals(-4, 4), min_size=4, max_size=4), min_size=1, max_size=6))
def test_error_feedback_loses_nothing(compressor: TernarySparse, updates: list[list[float]]) -> None:
    residual, sent_so_far = np.zeros(4), np.zeros(4)
    for update in np.asarray(updates):
        before = residual + update
        residual, sent = error_feedback(residual, update, compressor)
        np.testing.assert_array_equal(sent, compressor(before))
        np.testing.assert_array_equal(residual, before - sent)
        sent_so_far = sent_so_far + sent
    # The sums telescope: what was not sent is in the residual. Each step rounds once or twice.
    scale = 1 + np.abs(updates).sum() + np.abs(sent_so_far).max()
    np.testing.assert_allclose(sent_so_far + residual, np.sum(updates, axis=0), atol=1e-12 * scale)


def test_error_feedback_is_exact_where_arithmetic_is() -> None:
    # Four kept entries of equal layers: μ is a sum of sixteenths over 2, exact in binary.
    compressor = TernarySparse(0.5)
    rng = np.random.default_rng(0)
    updates = rng.permutation(np.arange(1, 81)).reshape(20, 4) / 16
    residual, total = np.zeros(4), np.zeros(4)
    for update in updates[:10]:
        residual, sent = error_feedback(residual, update, compressor)
        total += sent
    np.testing.assert_array_equal(total + residual, updates[:10].sum(axis=0))


def test_resuming_error_feedback_is_bit_identical() -> None:
    updates = np.random.default_rng(1).normal(size=(6, 9))
    compressor = TernarySparse(0.3)

    def run(state: np.ndarray, rows: np.ndarray) -> np.ndarray:
        for row in rows:
            state, _ = error_feedback(state, row, compressor)
        return state

    np.testing.assert_array_equal(run(np.zeros(9), updates), run(run(np.zeros(9), updates[:3]), updates[3:]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"keep_fraction": 0.0}, r"keep_fraction=0.0\).*\(0, 1\]"),
        ({"keep_fraction": float("nan")}, "keep_fraction=nan"),
        ({"keep_fraction": 0.5, "rounding": "up"}, "rounding='up'.*'floor', 'round', 'ceil', 'max1'"),
        ({"keep_fraction": 0.5, "ties": "some"}, "ties='some'"),
        ({"keep_fraction": 0.5, "divisor": "n"}, "divisor='n'"),
        ({"keep_fraction": 0.5, "per_layer": (3, 0)}, r"per_layer=\(3, 0\)"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TernarySparse(**settings)


def test_bad_tensors() -> None:
    with pytest.raises(ValueError, match="NaN or infinity"):
        TernarySparse(0.5)(np.asarray([1.0, np.nan]))
    with pytest.raises(ValueError, match=r"shape \(2, 0\)"):
        TernarySparse(0.5)(np.zeros((2, 0)))
    with pytest.raises(ValueError, match="adds up to 3, not to 4"):
        TernarySparse(0.5, per_layer=(1, 2))(np.zeros(4))


def test_bits_by_hand() -> None:
    half = TernarySparse(0.5)
    assert message_bits(1000, "dense") == 32000
    assert message_bits(1000, "entropy", compressor=half) == pytest.approx(1000 * 1.5 + 32)
    assert message_bits(1000, "index", compressor=TernarySparse(0.01)) == 10 * (10 + 1) + 32
    assert message_bits(1024, "index", compressor=TernarySparse(0.5)) == 512 * 11 + 32
    assert message_bits(1025, "index", compressor=TernarySparse(1 / 1025)) == 1 * 12 + 32
    assert message_bits(7, "entropy", compressor=TernarySparse(1.0)) == 7 + 32
    layered = TernarySparse(0.5, per_layer=(4, 8))
    assert message_bits(12, "index", compressor=layered) == 2 * 3 + 4 * 4 + 2 * 32
    assert total_bits(100, n_rounds=3, n_participants=10) == 3 * 10 * 6400
    ternary = total_bits(1000, n_rounds=2, n_participants=5, uplink="index", compressor=TernarySparse(0.01))
    assert ternary == 10 * (142 + 32000)
    for fisher, extra in (("none", 0), ("up", 6400), ("both", 12800)):
        assert total_bits(100, n_rounds=1, n_participants=1, fisher=fisher) == 6400 + extra


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: message_bits(0, "dense"), "n_params=0"),
        (lambda: message_bits(5, "golomb"), "coding='golomb'"),
        (lambda: message_bits(5, "index"), "needs a TernarySparse"),
        (lambda: message_bits(5, "index", compressor=TernarySparse(0.5, per_layer=(2, 2))), "adds up to 4"),
        (lambda: total_bits(5, n_rounds=-1, n_participants=1), "n_rounds=-1"),
        (lambda: total_bits(5, n_rounds=1, n_participants=1, fisher="down"), "fisher='down'"),
    ],
)
def test_bad_bits(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

"""Ternary messages as bytes: what was written is read again, and its bits are those counted without writing it."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from theory.messages.compression import TernarySparse, message_bits
from theory.messages.ternary_code import CODES, coded_bits, decode, encode, entropy_bits

SIGNS = st.lists(st.sampled_from([-1, 0, 0, 0, 1]), min_size=1, max_size=200)


@given(signs=SIGNS, code=st.sampled_from(CODES), mu=st.sampled_from([0.5, 3.0, 2.0**-20]))
def test_what_is_written_is_read_again_and_counted_to_the_bit(signs: list[int], code: str, mu: float) -> None:
    message = mu * np.array(signs, dtype=np.float64)
    data, used = encode(message, code)  # type: ignore[arg-type]
    assert 8 * len(data) - 8 < used <= 8 * len(data)
    assert used == int(coded_bits(message, code))  # type: ignore[arg-type]
    np.testing.assert_array_equal(decode(data, len(signs), code), message)  # type: ignore[arg-type]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("q", [0.01, 0.1, 0.3, 0.6, 1.0])
def test_messages_of_the_compressor(code: str, q: float) -> None:
    rows = np.random.default_rng(0).normal(size=(3, 4, 1000)).astype(np.float32)
    sent = TernarySparse(q)(rows)
    bits = coded_bits(sent, code)  # type: ignore[arg-type]
    assert bits.shape == (3, 4)
    np.testing.assert_array_equal(bits, coded_bits(torch.from_numpy(sent), code))  # type: ignore[arg-type]
    for row, counted in zip(sent.reshape(-1, 1000), bits.reshape(-1), strict=True):
        data, used = encode(row, code)  # type: ignore[arg-type]
        assert used == counted
        np.testing.assert_array_equal(decode(data, 1000, code), row)  # type: ignore[arg-type]


def test_closed_forms_of_plain_and_index() -> None:
    sent = TernarySparse(0.02)(np.random.default_rng(1).normal(size=650))
    assert int(coded_bits(sent, "plain")) == 32 + 2 * 650
    # 13 of 650 entries, ten bits of index and a sign each, and how many there are in ten bits.
    assert int(coded_bits(sent, "index")) == 32 + 10 + 13 * 11
    index = message_bits(650, "index", compressor=TernarySparse(0.02))
    assert int(coded_bits(sent, "index")) == index + 10  # the count, which the formula takes as known


@pytest.mark.parametrize("q", [0.01, 0.1, 0.3])
def test_the_entropy_code_is_near_the_entropy(q: float) -> None:
    n = 20_000
    sent = TernarySparse(q)(np.random.default_rng(2).normal(size=n))
    least = entropy_bits(n, int((sent != 0).sum()))
    found = int(coded_bits(sent, "entropy"))
    assert least == pytest.approx(message_bits(n, "entropy", compressor=TernarySparse(q)), rel=1e-12)
    # Rice's code of a geometric gap costs up to 4 % of the entropy; the count and chance are a few bits.
    assert 0.98 * least < found < 1.05 * least
    assert found < int(coded_bits(sent, "index"))


def test_what_is_not_ternary_or_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one that 32 bits hold"):
        encode([1.0, 2.0], "plain")
    with pytest.raises(ValueError, match="expected one that 32 bits hold"):
        encode([0.1, 0.0], "plain")
    assert decode(encode([0.1, 0.0], "plain", 64)[0], 2, "plain", 64).tolist() == [0.1, 0.0]
    with pytest.raises(ValueError, match="one of plain, index, entropy"):
        encode([1.0], "zip")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="with n >= 1"):
        encode([], "plain")
    data, _ = encode([0.0] * 90 + [1.0] * 10, "entropy")
    with pytest.raises(ValueError, match="cut short"):
        decode(data[:6], 100, "entropy")
    with pytest.raises(ValueError, match="too few"):
        decode(data[:6], 100, "plain")
    assert math.isclose(entropy_bits(10, 0), 32)

"""Ternary messages as bytes: μ, and where +μ and −μ stand, in fixed width, by index, or entropy-coded by gaps."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.base.arrays import Array, to_host

__all__ = ["CODES", "Code", "coded_bits", "decode", "encode", "entropy_bits"]

Code: TypeAlias = Literal["plain", "index", "entropy"]
CODES: tuple[Code, ...] = get_args(Code)
_Bits = NDArray[np.uint8]
_FLOATS = {16: ">f2", 32: ">f4", 64: ">f8"}
_GOLDEN = math.log((math.sqrt(5) - 1) / 2)


def encode(message: ArrayLike, code: Code, number: int = 32) -> tuple[bytes, int]:
    """(bytes, bits used of them) of a message of values {−μ, 0, μ}, (n,); the last byte is filled up with zeros.

    First μ as an IEEE number of `number` bits, 16, 32 or 64. "plain": two bits an entry. "index": how many are not 0 in
    (n).bit_length() bits, then ⌈log₂ n⌉ bits of place and a sign for each. "entropy": the same count, then the gap to
    the one before in Rice's code and a sign for each, the parameter from count and n as in Sattler et al. 2020 (STC),
    eq. (17); n(H₂(q) + q) bits are the least on average, see `entropy_bits`.
    Raises `ValueError` for a message of more sizes than one, a μ that `number` bits do not hold, or an unknown code.
    """
    values = np.asarray(message, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or code not in CODES or number not in _FLOATS:
        raise ValueError(
            f"encode(message of shape {values.shape}, code={code!r}, number={number!r}): expected (n,) with n >= 1, one"
            f" of {', '.join(CODES)} and one of {', '.join(map(str, _FLOATS))} bits"
        )
    places = np.flatnonzero(values)
    sizes = np.unique(np.abs(values[places]))
    mu = float(sizes[0]) if len(sizes) else 0.0
    with np.errstate(over="ignore"):
        written = np.array([mu]).astype(_FLOATS[number])
    if len(sizes) > 1 or float(written[0]) != mu:
        raise ValueError(f"encode(number={number}): sizes {sizes[:3].tolist()}; expected one that {number} bits hold")
    n, negative = len(values), (values[places] < 0).astype(np.uint8)
    head = np.unpackbits(np.frombuffer(written.tobytes(), dtype=np.uint8))
    if code == "plain":
        body = np.zeros((n, 2), dtype=np.uint8)
        body[places, 1], body[places, 0] = 1, negative
        bits = np.concatenate([head, body.reshape(-1)])
    else:
        count = _fixed(np.array([len(places)]), n.bit_length())
        body = _indexed(places, negative, n) if code == "index" else _gaps(places, negative, n)
        bits = np.concatenate([head, count, body])
    return np.packbits(bits).tobytes(), len(bits)


def decode(data: bytes, n: int, code: Code, number: int = 32) -> NDArray[np.float64]:
    """The message of n entries that `encode` wrote; `ValueError` where `data` is cut short."""
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))
    mu = float(np.frombuffer(data[: number // 8], dtype=_FLOATS[number])[0])
    at, values = number, np.zeros(n)
    if code == "plain":
        body = bits[at : at + 2 * n]
        if len(body) < 2 * n:
            raise ValueError(f"decode(n={n}, code='plain'): {len(data)} bytes are too few")
        return np.asarray(np.where(body[1::2] == 1, np.where(body[::2] == 1, -mu, mu), values))
    m = _number(bits, at, n.bit_length())
    at += n.bit_length()
    width, rice, place = (n - 1).bit_length(), _rice(m, n), -1
    for _ in range(m):
        if code == "index":
            place = _number(bits, at, width)
            at += width
        else:
            run = 0
            while _number(bits, at, 1):
                run, at = run + 1, at + 1
            place += 1 + (run << rice) + _number(bits, at + 1, rice)
            at += 1 + rice
        values[place] = -mu if _number(bits, at, 1) else mu
        at += 1
    return values


def coded_bits(messages: Array, code: Code, number: int = 32) -> NDArray[np.int64]:
    """Bits of what `encode` writes of each message, (*batch,) of `messages` (*batch, n), without writing it."""
    there = np.asarray(to_host(messages)) != 0
    n = there.shape[-1]
    kept = there.sum(axis=-1, dtype=np.int64)
    if code == "plain":
        return np.asarray(np.full(kept.shape, number + 2 * n, dtype=np.int64))
    head = number + n.bit_length()
    if code == "index":
        return np.asarray(head + kept * ((n - 1).bit_length() + 1))
    rows = there.reshape(-1, n)
    found = [head + _gap_lengths(np.flatnonzero(row), n).sum() for row in rows]
    return np.asarray(found, dtype=np.int64).reshape(kept.shape)


def entropy_bits(n: int, kept: int, number: int = 32) -> float:
    """n(H₂(q) + q) + `number` with q = kept/n: what no code of independent entries falls below on average.

    Source: EFL-ALG5, ideal coding of positions, a sign each, and μ.
    """
    q = kept / n
    return n * (sum(-x * math.log2(x) for x in (q, 1 - q) if x > 0) + q) + number


def _rice(m: int, n: int) -> int:
    """Bits of a gap that are written as they are, the rest of it being counted out."""
    if m == 0 or m == n:
        return 0
    return max(0, 1 + math.floor(math.log2(_GOLDEN / math.log1p(-m / n))))


def _gap_lengths(places: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    rice = _rice(len(places), n)
    return np.asarray((np.diff(places, prepend=-1) - 1 >> rice) + 2 + rice)


def _gaps(places: NDArray[np.int64], negative: _Bits, n: int) -> _Bits:
    """(gap >> b) ones, a zero, the last b bits of the gap, the sign; for every entry that is not 0."""
    rice, lengths = _rice(len(places), n), _gap_lengths(places, n)
    gap, ends = np.diff(places, prepend=-1) - 1, np.cumsum(lengths)
    starts, stops = ends - lengths, ends - lengths + (gap >> rice)
    edges = np.zeros(int(lengths.sum()) + 1, dtype=np.int64)
    np.add.at(edges, starts, 1)
    np.add.at(edges, stops, -1)
    bits = np.cumsum(edges[:-1]).astype(np.uint8)
    for j in range(rice):
        bits[stops + 1 + j] = gap >> (rice - 1 - j) & 1
    bits[ends - 1] = negative
    return bits


def _indexed(places: NDArray[np.int64], negative: _Bits, n: int) -> _Bits:
    width = (n - 1).bit_length()
    where = _fixed(places, width).reshape(len(places), width)
    return np.concatenate([where, negative[:, None]], axis=1).reshape(-1)


def _fixed(values: NDArray[np.int64], width: int) -> _Bits:
    """Each value in `width` bits, the highest first."""
    shifts = np.arange(width - 1, -1, -1)
    return np.asarray(values[:, None] >> shifts & 1, dtype=np.uint8).reshape(-1)


def _number(bits: _Bits, at: int, width: int) -> int:
    here: Any = bits[at : at + width]
    if len(here) < width:
        raise ValueError(f"decode: cut short after {len(bits)} bits")
    return int("".join(map(str, here.tolist())) or "0", 2)

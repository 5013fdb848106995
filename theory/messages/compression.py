"""Elastic federated learning's compression: ternary sparse ST(T), error feedback, and what a message costs in bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from theory.base.arrays import Array, namespace

__all__ = ["TernarySparse", "error_feedback", "message_bits", "total_bits"]

Coding = Literal["dense", "entropy", "index"]
Rounding = Literal["floor", "round", "ceil", "max1"]

_FLOAT_BITS = 32


@dataclass(frozen=True)
class TernarySparse:
    """ST(T) = μ·sign(T) on the k largest |Tᵢ|, 0 elsewhere, μ their mean size: values in {−μ, 0, μ}.

    Source: efl, Algorithm 2 (EFL-ALG2); `keep_fraction` is q, in (0, 1], and k = max(nq, 1) for n entries.
    `rounding` of nq, left open: "floor", "round" (halves up), "ceil", or "max1": not rounded, as printed, so that k is
    a real divisor and the threshold e the ⌈k⌉-th largest size. nq within 1e-9 of an integer counts as that integer.
    `ties`: "all", as printed, keeps every |Tᵢ| >= e, more than k of them when sizes tie at e; "exact" keeps the first
    ⌈k⌉ of them in order of index.
    `divisor` of Σ|Tᵢ| over the kept: "printed" is k; "kept" the number of nonzero entries kept. They differ when sizes
    tie at e or fewer than k entries are not 0; as printed, μ can then exceed max |Tᵢ| (all n equal: μ = (n/k)·|T|).
    `per_layer`: lengths of the segments compressed one by one, each with its own k and μ; None for the whole vector.
    Raises `ValueError` for a setting out of range.
    """

    keep_fraction: float
    rounding: Rounding = "floor"
    ties: Literal["all", "exact"] = "all"
    divisor: Literal["printed", "kept"] = "printed"
    per_layer: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if not 0 < self.keep_fraction <= 1:
            raise ValueError(f"TernarySparse(keep_fraction={self.keep_fraction}): expected a fraction in (0, 1]")
        allowed = {"rounding": ("floor", "round", "ceil", "max1"), "ties": ("all", "exact")}
        for name, values in {**allowed, "divisor": ("printed", "kept")}.items():
            if getattr(self, name) not in values:
                raise ValueError(f"TernarySparse({name}={getattr(self, name)!r}): expected one of {values}")
        if self.per_layer is not None and (not self.per_layer or min(self.per_layer) < 1):
            raise ValueError(f"TernarySparse(per_layer={self.per_layer}): expected positive segment lengths, or None")

    def count(self, n: int) -> float:
        """k for n entries; an integer unless `rounding` is "max1"."""
        target = n * self.keep_fraction
        if abs(target - round(target)) <= 1e-9:
            target = round(target)
        whole = {"floor": math.floor(target), "round": math.floor(target + 0.5), "ceil": math.ceil(target)}
        return max(whole.get(self.rounding, target), 1)

    def __call__(self, tensor: Array) -> Any:
        """ST along the last axis; (*batch, n) to (*batch, n).

        Raises `ValueError` on an empty tensor, on NaN or infinity, and when `per_layer` does not add up to n.
        """
        xp = namespace(tensor)
        n = int(tensor.shape[-1]) if tensor.ndim else 0
        if n == 0:
            raise ValueError(f"TernarySparse(tensor): shape {tuple(tensor.shape)}; expected (*batch, n) with n >= 1")
        if not bool(xp.all(xp.isfinite(tensor))):
            raise ValueError("TernarySparse(tensor): contains NaN or infinity; did a client's update diverge?")
        if self.per_layer is None:
            return self._segment(tensor)
        if sum(self.per_layer) != n:
            raise ValueError(f"TernarySparse(per_layer={self.per_layer}): adds up to {sum(self.per_layer)}, not to {n}")
        ends = [sum(self.per_layer[: i + 1]) for i in range(len(self.per_layer))]
        segments = zip(ends, self.per_layer, strict=True)
        return xp.concat([self._segment(tensor[..., end - size : end]) for end, size in segments], axis=-1)

    def _segment(self, tensor: Array) -> Any:
        xp = namespace(tensor)
        count = self.count(int(tensor.shape[-1]))
        n_kept = math.ceil(count)
        size = xp.abs(tensor)
        threshold = _kth_largest(size, n_kept)
        kept = size >= threshold
        if self.ties == "exact":
            # All above the threshold stay; of those at it, the first that still fit.
            at = size == threshold
            room = n_kept - xp.sum(xp.astype(size > threshold, xp.int64), axis=-1, keepdims=True)
            kept = kept & (~at | (xp.cumulative_sum(xp.astype(at, xp.int64), axis=-1) <= room))
        total = xp.sum(xp.where(kept, size, xp.zeros_like(size)), axis=-1, keepdims=True)
        divisor: Any = count
        if self.divisor == "kept":
            nonzero = xp.sum(xp.astype(kept & (size > 0), tensor.dtype), axis=-1, keepdims=True)
            divisor = xp.where(nonzero > 0, nonzero, xp.ones_like(nonzero))
        return xp.where(kept, total / divisor * xp.sign(tensor), xp.zeros_like(tensor))


def _kth_largest(size: Array, k: int) -> Any:
    """The k-th largest along the last axis, (*batch, 1), without sorting all where the namespace can select."""
    xp, n = namespace(size), int(size.shape[-1])
    if isinstance(size, np.ndarray):
        return np.partition(size, n - k, axis=-1)[..., n - k, None]
    if hasattr(xp, "kthvalue"):
        return xp.kthvalue(size, n - k + 1, dim=-1, keepdim=True).values
    return xp.sort(size, axis=-1, descending=True)[..., k - 1 : k]


def error_feedback(residual: Array, update: Array, compress: Callable[[Array], Array]) -> tuple[Any, Any]:
    """R′ = (R + x) − ST(R + x): returns (R′, ST(R + x)), the new residual and what is sent; all (*batch, n).

    Source: efl eq. (5), Algorithm 1 (EFL-ALG1, steps 5 and 6), the same on client and server. Start from R = 0.
    """
    corrected = residual + update
    sent = compress(corrected)
    return corrected - sent, sent


def message_bits(n_params: int, coding: Coding, *, compressor: TernarySparse | None = None) -> float:
    """Bits of one message of n = `n_params` numbers.

    Source: efl prints totals only; the readings are EFL-ALG5's. "dense": 32n. "entropy": n(H₂(q) + q) + 32, H₂ the
    binary entropy: ideal coding of positions, a sign each, and μ. "index": ⌈k⌉(⌈log₂ n⌉ + 1) + 32. The last two take q
    and k from `compressor`; with `per_layer` every segment is a message of its own.
    Raises `ValueError` for n < 1, an unknown coding, or a ternary coding without a compressor.
    """
    if n_params < 1 or coding not in ("dense", "entropy", "index"):
        raise ValueError(
            f"message_bits(n_params={n_params}, coding={coding!r}): expected n_params >= 1 and a coding among"
            " 'dense', 'entropy', 'index'"
        )
    if coding == "dense":
        return _FLOAT_BITS * n_params
    if compressor is None:
        raise ValueError(f"message_bits(coding={coding!r}, compressor=None): ternary coding needs a TernarySparse")
    segments = compressor.per_layer or (n_params,)
    if sum(segments) != n_params:
        raise ValueError(f"message_bits(n_params={n_params}): per_layer adds up to {sum(segments)}")
    if coding == "index":
        # (n − 1).bit_length() is ⌈log₂ n⌉, exactly.
        return sum(math.ceil(compressor.count(n)) * ((n - 1).bit_length() + 1) + _FLOAT_BITS for n in segments)
    q = compressor.keep_fraction
    entropy = sum(-x * math.log2(x) for x in (q, 1 - q) if x > 0)
    return sum(n * (entropy + q) + _FLOAT_BITS for n in segments)


def total_bits(
    n_params: int,
    *,
    n_rounds: int,
    n_participants: int,
    uplink: Coding = "dense",
    downlink: Coding = "dense",
    compressor: TernarySparse | None = None,
    fisher: Literal["none", "up", "both"] = "none",
) -> float:
    """rounds · participants · (up + down), in bits, the downlink counted once per participant.

    Source: EFL-ALG5, a reading of efl's «Total Comm. Bits», which is not defined there. `fisher` counts the two
    full-precision vectors u and v, 64n bits per client: not at all, upwards, or also their sums downwards.
    Raises `ValueError` for negative counts, an unknown `fisher`, and as `message_bits`.
    """
    if n_rounds < 0 or n_participants < 0 or fisher not in ("none", "up", "both"):
        raise ValueError(
            f"total_bits(n_rounds={n_rounds}, n_participants={n_participants}, fisher={fisher!r}): expected counts >= 0"
            " and fisher among 'none', 'up', 'both'"
        )
    vectors = {"none": 0, "up": 1, "both": 2}[fisher] * 2 * _FLOAT_BITS * n_params
    up, down = (message_bits(n_params, coding, compressor=compressor) for coding in (uplink, downlink))
    return n_rounds * n_participants * (up + down + vectors)

"""AWARE as an add-on: another method's step, projected on the line of the minimum-norm direction."""

from __future__ import annotations

from typing import Any, Literal

from theory.base.arrays import Array, namespace

__all__ = ["aware_projection", "known_direction"]


def aware_projection(
    proposal: Array,
    direction: Array,
    *,
    when_zero: Literal["error", "keep", "zero"] = "error",
    when_negative: Literal["as_printed", "clip"] = "as_printed",
) -> Any:
    """d_proj = (⟨d̃, d⟩/⟨d, d⟩)·d with d̃ the `proposal` and d the `direction`, (*batch, dim), units of the model.

    Source: fedaware §3, «AWARE extension» (FA-PROP3.1); the server then steps by x − η_g·d_proj. The paper holds d to
    be never 0 and says nothing of negative products, so both are options:
    `when_zero`, where d = 0: "error" raises `ValueError`, "keep" returns d̃, "zero" stands still.
    `when_negative`, where ⟨d̃, d⟩ < 0: "as_printed" steps along −d, against what all clients agree on; "clip" stands
    still there (the projection on the ray of d; no longer linear in d̃).
    ‖d_proj‖ <= ‖d̃‖, and neither the length of d nor its overflow or underflow when squared matters.
    Raises `ValueError` for an unknown option and for shapes whose last axes differ.
    """
    if when_zero not in ("error", "keep", "zero"):
        raise ValueError(f"aware_projection(when_zero={when_zero!r}): expected 'error', 'keep' or 'zero'")
    if when_negative not in ("as_printed", "clip"):
        raise ValueError(f"aware_projection(when_negative={when_negative!r}): expected 'as_printed' or 'clip'")
    if proposal.shape[-1] != direction.shape[-1]:
        raise ValueError(
            f"aware_projection: proposal of shape {tuple(proposal.shape)}, direction of shape {tuple(direction.shape)};"
            " expected the same last axis"
        )
    xp = namespace(proposal, direction)
    largest = xp.max(xp.abs(direction), axis=-1, keepdims=True)
    vanishes = largest == 0
    if when_zero == "error" and bool(xp.any(vanishes)):
        raise ValueError(
            "aware_projection(direction=0): no line to project on; choose when_zero='keep' (the other method's step)"
            " or 'zero' (stand still at a Pareto stationary model)"
        )
    line = direction / xp.where(vanishes, xp.ones_like(largest), largest)
    square = xp.sum(line**2, axis=-1, keepdims=True)
    along = xp.sum(proposal * line, axis=-1, keepdims=True) / xp.where(vanishes, xp.ones_like(square), square)
    if when_negative == "clip":
        along = xp.where(along < 0, xp.zeros_like(along), along)
    fallback = proposal if when_zero == "keep" else xp.zeros_like(proposal)
    return xp.where(vanishes, fallback, along * line)


def known_direction(weights: Any, vectors: Any) -> Any:
    """d = Σ aₖvₖ, (*batch, dim), in the precision of the weights; exactly 0 where it is rounding around 0.

    That is where ‖d‖ <= 4·n·ε·Σ aₖ‖vₖ‖, n clients and ε of the precision: the direction then hangs on the order in
    which clients are added up.
    """
    xp = namespace(weights, vectors)
    rows = xp.astype(vectors, weights.dtype)
    direction = (weights[..., None, :] @ rows)[..., 0, :]
    largest = xp.max(xp.abs(rows), axis=(-2, -1), keepdims=True)
    largest = xp.where(largest > 0, largest, xp.ones_like(largest))  # so that no square overflows or is lost
    lengths = xp.sqrt(xp.sum((rows / largest) ** 2, axis=-1))
    size = xp.sum(xp.abs(weights) * lengths, axis=-1)
    length = xp.sqrt(xp.sum((direction / largest[..., 0, :]) ** 2, axis=-1))
    known = length > 4 * weights.shape[-1] * float(xp.finfo(weights.dtype).eps) * size
    return xp.where(known[..., None], direction, xp.zeros_like(direction))

"""FedSSA's self-supervised loss of the aggregation weights, on given logits of two views, and its closed-form gradient.

`weights` w are (*batch, n_clients), on the simplex or not; `view_1` and `view_2` are the clients' logits on two
transformations of the same samples, (*batch, n_samples, n_clients, n_classes). Losses are (*batch,), gradients with
respect to the weights (*batch, n_clients); none has a unit. `reduction` over the samples, left open by the paper
(SSA-O4): "mean" or "sum". An unknown one raises `ValueError`.
"""

from __future__ import annotations

from typing import Any, Literal

from theory.base.arrays import Array, namespace
from theory.quantities.weights import weight_entropy

__all__ = [
    "ensemble_probabilities",
    "gradient_cos",
    "gradient_ssa",
    "gradient_var",
    "gradient_we",
    "loss_cos",
    "loss_ssa",
    "loss_var",
    "loss_we",
]

Reduction = Literal["mean", "sum"]
Divisor = Literal["classes", "classes-1"]


def ensemble_probabilities(weights: Array, logits: Array) -> Any:
    """y = softmax(Σ wₖzₖ) for every sample, (*batch, n_samples, n_classes). Source: fedssa eq. (4)."""
    xp = namespace(weights, logits)
    mixed = (weights[..., None, None, :] @ logits)[..., 0, :]
    # Softmax ignores a common shift: taking off the largest logit keeps exp from overflowing.
    grown = xp.exp(mixed - xp.max(mixed, axis=-1, keepdims=True))
    return grown / xp.sum(grown, axis=-1, keepdims=True)


def loss_cos(weights: Array, view_1: Array, view_2: Array, *, reduction: Reduction = "mean") -> Any:
    """L_cos = −cos(y⁽¹⁾, y⁽²⁾), in [−1, 0) per sample; −1 iff y⁽¹⁾ = y⁽²⁾. Source: fedssa eq. (5), SSA-LP1."""
    cosine, _, _ = _cosine(ensemble_probabilities(weights, view_1), ensemble_probabilities(weights, view_2))
    return _reduce(-cosine, reduction, axis=-1)


def loss_var(
    weights: Array,
    view_1: Array,
    view_2: Array,
    *,
    divisor: Divisor = "classes",
    reduction: Reduction = "mean",
) -> Any:
    """L_var = −(var(y⁽¹⁾) + var(y⁽²⁾))/2, var over the c classes; 0 iff both are uniform.

    Source: fedssa eq. (6), SSA-LP2. `divisor` of var, left open (SSA-O3): "classes" for c, then L_var > −(c−1)/c² per
    sample, or "classes-1" for c − 1, then L_var > −1/c; the infimum is a pair of one-hot vectors.
    Raises `ValueError` for an unknown divisor, and for c − 1 with one class.
    """
    n = _divisor(view_1, divisor)
    total = _spread(ensemble_probabilities(weights, view_1)) + _spread(ensemble_probabilities(weights, view_2))
    return _reduce(-total / (2 * n), reduction, axis=-1)


def loss_we(weights: Array) -> Any:
    """L_we = Σ wₖ log wₖ with 0 log 0 = 0, (*batch,); in [−log n_clients, 0] on the simplex, NaN where a weight is < 0.

    Source: fedssa eq. (7), SSA-LP3. Least at equal weights on the simplex; on the positive orthant, at wₖ = 1/e.
    """
    return -weight_entropy(weights)


def loss_ssa(
    weights: Array,
    view_1: Array,
    view_2: Array,
    *,
    lambda_var: float = 1.0,
    lambda_we: float = 1e-3,
    divisor: Divisor = "classes",
    reduction: Reduction = "mean",
) -> Any:
    """L_SSA = L_cos + λ_var·L_var + λ_we·L_we, (*batch,). Source: fedssa eq. (8); default λs of §5.1.

    `reduction` concerns the first two terms; L_we counts once.
    """
    return (
        loss_cos(weights, view_1, view_2, reduction=reduction)
        + lambda_var * loss_var(weights, view_1, view_2, divisor=divisor, reduction=reduction)
        + lambda_we * loss_we(weights)
    )


def gradient_cos(weights: Array, view_1: Array, view_2: Array, *, reduction: Reduction = "mean") -> Any:
    """∂L_cos/∂wₖ = −Σᵢ zₖ⁽ⁱ⁾ᵀ J(yᵢ)(yⱼ/(n₁n₂) − q·yᵢ/nᵢ²), j the other view, nᵢ = ‖yᵢ‖, q = cos(y₁, y₂).

    Source: SSA-LP4, derived from fedssa eqs. (4) and (5); J(y) = diag(y) − yyᵀ.
    """
    y_1, y_2 = ensemble_probabilities(weights, view_1), ensemble_probabilities(weights, view_2)
    cosine, n_1, n_2 = (x[..., None] for x in _cosine(y_1, y_2))
    first = _pull(view_1, y_1, y_2 / (n_1 * n_2) - cosine * y_1 / n_1**2)
    second = _pull(view_2, y_2, y_1 / (n_1 * n_2) - cosine * y_2 / n_2**2)
    return _reduce(-(first + second), reduction, axis=-2)


def gradient_var(
    weights: Array,
    view_1: Array,
    view_2: Array,
    *,
    divisor: Divisor = "classes",
    reduction: Reduction = "mean",
) -> Any:
    """∂L_var/∂wₖ = −(1/c)Σᵢ zₖ⁽ⁱ⁾ᵀ J(yᵢ)yᵢ, with c − 1 for c where `divisor` says so.

    Source: SSA-LP5, derived from fedssa eqs. (4) and (6). Raises as `loss_var`.
    """
    n = _divisor(view_1, divisor)
    y_1, y_2 = ensemble_probabilities(weights, view_1), ensemble_probabilities(weights, view_2)
    return _reduce(-(_pull(view_1, y_1, y_1) + _pull(view_2, y_2, y_2)) / n, reduction, axis=-2)


def gradient_we(weights: Array) -> Any:
    """∂L_we/∂wₖ = log wₖ + 1; −∞ at wₖ = 0, NaN below. Source: SSA-LP6, derived from fedssa eq. (7)."""
    xp = namespace(weights)
    positive = weights > 0
    limit = xp.where(weights < 0, xp.full_like(weights, xp.nan), xp.full_like(weights, -xp.inf))
    return xp.where(positive, xp.log(xp.where(positive, weights, xp.ones_like(weights))) + 1, limit)


def gradient_ssa(
    weights: Array,
    view_1: Array,
    view_2: Array,
    *,
    lambda_var: float = 1.0,
    lambda_we: float = 1e-3,
    divisor: Divisor = "classes",
    reduction: Reduction = "mean",
) -> Any:
    """∂L_SSA/∂w = ∂L_cos/∂w + λ_var·∂L_var/∂w + λ_we·∂L_we/∂w. Source: fedssa eq. (8), SSA-LP4 to SSA-LP6.

    With λ_we = 0 the last term is left out, so that weights of 0 do no harm.
    """
    gradient = gradient_cos(weights, view_1, view_2, reduction=reduction)
    gradient = gradient + lambda_var * gradient_var(weights, view_1, view_2, divisor=divisor, reduction=reduction)
    return gradient if lambda_we == 0 else gradient + lambda_we * gradient_we(weights)


def _cosine(y_1: Array, y_2: Array) -> tuple[Any, Any, Any]:
    """(cos, ‖y₁‖, ‖y₂‖) per sample; the norms are at least 1/√c, so nothing is divided by 0."""
    xp = namespace(y_1, y_2)
    n_1, n_2 = xp.sqrt(xp.sum(y_1**2, axis=-1)), xp.sqrt(xp.sum(y_2**2, axis=-1))
    return xp.sum(y_1 * y_2, axis=-1) / (n_1 * n_2), n_1, n_2


def _spread(y: Array) -> Any:
    """Σ(y − mean y)² over the classes."""
    xp = namespace(y)
    return xp.sum((y - xp.mean(y, axis=-1, keepdims=True)) ** 2, axis=-1)


def _pull(logits: Array, y: Array, direction: Any) -> Any:
    """zₖᵀ J(y) v for every client, (*batch, n_samples, n_clients); J(y)v = y∘(v − ⟨y, v⟩)."""
    xp = namespace(logits, y)
    turned = y * (direction - xp.sum(y * direction, axis=-1, keepdims=True))
    return (logits @ turned[..., None])[..., 0]


def _divisor(logits: Array, divisor: Divisor) -> int:
    if divisor not in ("classes", "classes-1"):
        raise ValueError(f"divisor={divisor!r}: expected 'classes' or 'classes-1'")
    n_classes = int(logits.shape[-1]) - (divisor == "classes-1")
    if n_classes < 1:
        raise ValueError(f"divisor={divisor!r}: needs two classes; the logits have shape {tuple(logits.shape)}")
    return n_classes


def _reduce(values: Array, reduction: Reduction, *, axis: int) -> Any:
    if reduction not in ("mean", "sum"):
        raise ValueError(f"reduction={reduction!r}: expected 'mean' or 'sum'")
    xp = namespace(values)
    return xp.mean(values, axis=axis) if reduction == "mean" else xp.sum(values, axis=axis)

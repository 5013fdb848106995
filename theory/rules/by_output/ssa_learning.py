"""FedSSA's loss on logits that stay as they are while the weights are learned: value and gradient in one pass.

`theory.rules.by_output.ssa_loss` has the loss term by term as printed. Here both views are laid out once, (n_clients,
2·n_samples·n_classes), so that a step of the weights is two products with that matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from theory.base.arrays import Array, namespace
from theory.quantities.weights import weight_entropy
from theory.rules.by_output.ssa_loss import Divisor, Reduction

__all__ = ["SSALoss"]


@dataclass(frozen=True, eq=False)
class SSALoss:
    """λ_cos·L_cos + λ_var·L_var + λ_we·L_we of given weights, and its gradient; no unit.

    Source: fedssa eqs. (4) to (8), SSA-LP4 to SSA-LP6; λ_cos is 1 in print, and 0 leaves L_cos out.
    `logits`: both views, (*batch, n_clients, 2·n_samples·n_classes); `sizes`: (n_samples, n_classes). `present`:
    (*batch, n_clients); the gradient of absent clients is 0. The entropy's slope is 0 where a weight is 0.
    """

    logits: Any
    sizes: tuple[int, int]
    present: Any
    lambda_cos: float = 1.0
    lambda_var: float = 1.0
    lambda_we: float = 1e-3
    divisor: Divisor = "classes"
    reduction: Reduction = "mean"

    @classmethod
    def on(cls, view_1: Array, view_2: Array, present: Array, **settings: Any) -> SSALoss:
        """The loss on two views, (*batch, n_samples, n_clients, n_classes) each; `settings` are the fields after three.

        Raises `ValueError` for the divisor c − 1 with one class.
        """
        xp = namespace(view_1, view_2)
        n_samples, n_clients, n_classes = view_1.shape[-3:]
        if settings.get("divisor") == "classes-1" and n_classes < 2:
            raise ValueError(f"divisor='classes-1': needs two classes; the logits have shape {tuple(view_1.shape)}")
        laid = xp.stack([xp.moveaxis(view, -2, -3) for view in (view_1, view_2)], axis=-3)
        flat = xp.reshape(laid, (*view_1.shape[:-3], n_clients, 2 * n_samples * n_classes))
        return cls(flat, (n_samples, n_classes), present, **settings)

    def of(self, samples: Array) -> SSALoss:
        """The same on the samples at `samples`, integers (n,)."""
        xp = namespace(self.logits)
        (n_samples, n_classes), before = self.sizes, tuple(self.logits.shape[:-1])
        some = xp.take(xp.reshape(self.logits, (*before, 2, n_samples, n_classes)), samples, axis=-2)
        n = int(samples.shape[0])
        return replace(self, logits=xp.reshape(some, (*before, 2 * n * n_classes)), sizes=(n, n_classes))

    def __call__(self, weights: Array) -> tuple[Any, Any]:
        """(loss (*batch,), gradient with respect to the weights (*batch, n_clients)) at `weights`, any numbers."""
        xp = namespace(self.logits, weights)
        n_samples, n_classes = self.sizes
        mixed = (weights[..., None, :] @ self.logits)[..., 0, :]
        mixed = xp.reshape(mixed, (*mixed.shape[:-1], 2, n_samples, n_classes))
        # Softmax ignores a common shift: taking off the largest logit keeps exp from overflowing.
        y = xp.exp(mixed - xp.max(mixed, axis=-1, keepdims=True))
        y = y / xp.sum(y, axis=-1, keepdims=True)
        other = xp.flip(y, axis=-3)
        square = xp.sum(y * y, axis=-1, keepdims=True)
        norms = xp.sqrt(square[..., 0, :, :] * square[..., 1, :, :])[..., None, :, :]
        cosine = xp.sum(y * other, axis=-1, keepdims=True) / norms  # twice, once for each view
        divisor = n_classes - (self.divisor == "classes-1")
        spread = xp.sum((y - 1 / n_classes) ** 2, axis=-1)
        each = -self.lambda_cos * cosine[..., 0] - (self.lambda_var / divisor) * spread
        times = 1 / n_samples if self.reduction == "mean" else 1.0
        value = (times / 2) * xp.sum(each, axis=(-2, -1))
        slope = self.lambda_cos * (cosine / square * y - other / norms) - (self.lambda_var / divisor) * y
        turned = y * (slope - xp.sum(y * slope, axis=-1, keepdims=True))  # J(y)·slope
        turned = xp.reshape(turned, (*turned.shape[:-3], 2 * n_samples * n_classes, 1))
        gradient = times * (self.logits @ turned)[..., 0]
        if self.lambda_we:
            positive = weights > 0
            safe = xp.where(positive, weights, xp.ones_like(weights))
            gradient = gradient + self.lambda_we * xp.where(positive, xp.log(safe) + 1, xp.zeros_like(weights))
            value = value - self.lambda_we * weight_entropy(weights)
        return value, xp.where(self.present, gradient, xp.zeros_like(gradient))

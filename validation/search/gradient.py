"""Gradient ascent on the excess, for cases whose measure is differentiable: many dimensions at once, by autograd.

Loaded only when a case asks for it: checking claims does not otherwise need torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from validation.statement.bound import Bound, left_alone
from validation.statement.claim import Case

__all__ = ["gradient_ascent"]

__judges__ = "search"

Float = NDArray[np.float64]


def gradient_ascent(
    bound: Bound, case: Case, start: Float, *, steps: int, book: Callable[[Float], bool], rate: float = 0.03
) -> int:
    """Adam on every row of `start`, points of the cube, climbing (lhs − rhs)/(|lhs| + |rhs|); returns rows evaluated.

    `case.measure` must use only operations that torch tensors share with arrays (the array API). Every eighth step the
    points are handed to `book`, which evaluates them in NumPy and says whether to stop: what counts is seen there.
    """
    import torch

    rhs = _differentiable(bound)
    u = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([u], lr=rate, maximize=True)
    used = 0
    for step in range(steps):
        optimiser.zero_grad()
        constants: Any = case.measure(case.space.decode(u))  # type: ignore[arg-type]
        lhs, right = constants["lhs"], rhs(constants)
        score = (lhs - right) / (lhs.abs() + right.abs() + 1e-300)
        usable = torch.isfinite(score)
        if not bool(usable.any()):
            break
        (slope,) = torch.autograd.grad(torch.where(usable, score, torch.zeros_like(score)).sum(), u)
        u.grad = torch.nan_to_num(slope, nan=0.0, posinf=0.0, neginf=0.0)
        optimiser.step()
        with torch.no_grad():
            u.clamp_(0.0, 1.0)
        used += len(start)
        if (step % 8 == 7 or step == steps - 1) and book(u.detach().numpy().copy()):
            break
    return used


def _differentiable(bound: Bound) -> Callable[[Any], Any]:
    """The right side as a function of torch tensors."""
    import torch

    def pick(choose: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def fold(*values: Any) -> Any:
            tensors = [torch.as_tensor(v, dtype=torch.float64) for v in values]
            out = tensors[0]
            for t in tensors[1:]:
                out = choose(out, t)
            return out

        return fold

    names = [sp.Symbol(n) for n in bound.names]
    plain = left_alone(bound.expression)  # sympy's own substitution compares all arguments of a maximum
    known = {"Max": pick(torch.maximum), "Min": pick(torch.minimum), "Abs": torch.abs, "sqrt": torch.sqrt}
    function = sp.lambdify(names, plain, modules=[known, {"exp": torch.exp, "log": torch.log}])
    return lambda constants: torch.as_tensor(function(*(constants[n] for n in bound.names)), dtype=torch.float64)

"""SSA-L1 and SSA-S22: squared sums of matrices with conditional mean zero, over whole trees of outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Property,
    Signed,
    Size,
    Space,
    Uniform,
)
from validation.world.stated import stated

__all__ = ["CLAIMS", "square_trees"]


def _tree(x: Instance) -> Mapping[str, Any]:
    """|E‖ΣAₜ‖² − ΣE‖Aₜ‖²|, with `crossed` also less the sum over i ≠ j of E Tr AᵢᵀAⱼᵀ (`right`: AᵢᵀAⱼ).

    At a node of the tree with matrix M the next Aₜ is (1 − q)M with chance q and −qM else; `any`: M itself;
    `first`: A₁ of the path once more, whose mean is 0, but not given A₁.
    """
    values, q = x["matrices"], x["chance"]
    n, _, rows, cols = values.shape
    total, chance = np.zeros((n, 1, rows, cols)), np.ones((n, 1))
    squares, traces, first, start = 0.0, 0.0, None, 0
    for t in range(int(x["length"][0])):
        M, up = values[:, start : start + 2**t], q[:, start : start + 2**t, None, None]
        start += 2**t
        now = np.stack([M, M] if "any" in x else [(1 - up) * M, -up * M], axis=2).reshape(n, -1, rows, cols)
        first = now if first is None else np.repeat(first, 2, axis=1)
        now = first if "first" in x else now
        chance = (chance[:, :, None] * np.stack([up[..., 0, 0], 1 - up[..., 0, 0]], axis=2)).reshape(n, -1)
        total = np.repeat(total, 2, axis=1) + now
        squares = squares + (chance * (now**2).sum(axis=(2, 3))).sum(axis=1)
        traces = traces + (chance * _twice(x, now)).sum(axis=1)
    whole = (chance * (total**2).sum(axis=(2, 3))).sum(axis=1)
    cross = (chance * _twice(x, total)).sum(axis=1) - traces if "crossed" in x else 0.0
    return {"lhs": np.abs(whole - squares - cross), "magnitude": whole + squares}


def _twice(x: Instance, a: Any) -> Any:
    """Tr AᵀAᵀ, or Tr AᵀA with `right`; 0 where neither is asked for."""
    if "crossed" not in x:
        return np.zeros(a.shape[:2])
    return (a**2).sum(axis=(2, 3)) if "right" in x else (a * np.swapaxes(a, 2, 3)).sum(axis=(2, 3))


def tree_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every path of the tree by name: Frobenius norms, and with `crossed` the traces of all pairs, pair by pair."""
    T, zero = int(x["length"]), Fraction(0)
    whole, squares, cross, inside = zero, zero, zero, True
    rows, cols = range(len(x["matrices"][0])), range(len(x["matrices"][0][0]))
    for path in range(2**T):
        parts: list[Any] = []
        node, chance = 0, Fraction(1)
        for t in range(T):
            down = (path >> (T - 1 - t)) & 1
            at = 2**t - 1 + node
            q, M = x["chance"][at], x["matrices"][at]
            factor = 1 if "any" in x else (-q if down else 1 - q)
            now = [[factor * M[i][j] for j in cols] for i in rows]
            parts.append(parts[0] if "first" in x and parts else now)
            chance = chance * ((1 - q) if down else q)
            inside = inside and 0 < q < 1
            node = 2 * node + down
        total = [[sum(A[i][j] for A in parts) for j in cols] for i in rows]
        whole += chance * sum(total[i][j] ** 2 for i in rows for j in cols)
        squares += chance * sum(A[i][j] ** 2 for A in parts for i in rows for j in cols)
        for s in range(T if "crossed" in x else 0):
            for t in range(T):
                if s != t and "right" in x:
                    cross += chance * sum(parts[s][i][j] * parts[t][i][j] for i in rows for j in cols)
                elif s != t:
                    cross += chance * sum(parts[s][i][j] * parts[t][j][i] for i in rows for j in cols)
    square = "right" in x or "crossed" not in x or len(rows) == len(cols)
    met = {"chances in (0, 1)": inside, "square where transposes are multiplied": square}
    return met, {"lhs": abs(whole - squares - cross)}


def _case(T: float, rows: float, cols: float, flags: tuple[str, ...]) -> Case:
    nodes, shape = 2 ** int(T) - 1, (int(rows), int(cols))
    drawn = Space(
        (
            Signed("matrices", 1e-2, 1e2, (nodes, *shape)),
            Uniform("chance", 0.02, 0.98, (nodes,), at=(0.02, 0.5, 0.98)),
            Choice("length", (float(T),)),
            *(Choice(flag, (1.0,)) for flag in flags),
        )
    )
    cost = min(4.0, max(1.0, nodes * shape[0] * shape[1] / 60))
    name = f"{int(T)} matrices of {shape[0]} × {shape[1]}" + "".join(f", {f}" for f in flags)
    return Case(name, drawn, _tree, ExactCheck(tree_exact), cost)


def _any_shape(*flags: str) -> Property:
    sizes = (Size("T", 1, 6, 3), Size("rows", 1, 4, 2), Size("cols", 1, 3, 1))
    return Property((Family("trees", sizes, lambda T, rows, cols: _case(T, rows, cols, flags)),))


def square_trees(*flags: str) -> Property:
    """Square matrices along whole trees; `flags` as in `_tree`."""
    sizes = (Size("T", 2, 5, 3), Size("side", 1, 3, 2))
    return Property((Family("trees, square", sizes, lambda T, side: _case(T, side, side, flags)),))


L1 = stated(
    r"""SSA-L1 (lemma; Lemma 1 (E.1.1), proof E.3; cited from Wang et al. 2021c): Squared sum of martingale differences
    Print: \mathbb E[A_t|A_{t-1},\dots,A_1]=\mathbf0\ \forall t\ \Rightarrow\ \mathbb E\Big[\Big\|\sum_{t=1}^TA_t
      \Big\|_F^2\Big]=\sum_{t=1}^T\mathbb E[\|A_t\|_F^2]
    Plainly: The expected squared norm of a sum of martingale differences is the sum of the expected squared norms.
    Assumes: matrices of any one shape; distributions with finitely many outcomes | conditional means zero, exactly
    Reading: as printed | Whole trees: what comes next may depend on all that came before.
    Mutant: marginal means zero only | Aₜ = A₁ for all t has mean 0, and the sum has T² times the square of A₁, not T
      times
    Tight: always, it is an equality
    Verdict: True, by conditioning each mixed product on the earlier factor; checked over whole trees of outcomes
      whose next matrix depends on the path, of all shapes to 4 × 3 and up to six of them. It needs no separate
      integrability: if the sum is square integrable so is each of its conditional means. Means that are zero only on
      their own are not enough.""",
    _any_shape(),
    mutants={
        "marginal means zero only": _any_shape("first"),
    },
)

S22 = stated(
    r"""SSA-S22 (step; (57)–(59), E.3): The proof of Lemma 1
    Print: \mathbb E\Big\|\sum_tA_t\Big\|_F^2=\sum_t\mathbb E\|A_t\|_F^2+\sum_i\sum_{j\ne i}\mathbb E[Tr\{A_i^\top
      A_j^\top\}]=\sum_t\mathbb E\|A_t\|_F^2
    Plainly: The square of the sum expands into squares and traces of AᵢᵀAⱼᵀ, and these have mean zero.
    Assumes: square matrices, without which AᵢᵀAⱼᵀ does not exist
    Reading: (57) as an expansion | For any random matrices, since the hypothesis is used only in (59). | because:
      (57) expands the square; the hypothesis is first used in (59), as the text below it says
    Reading: (57) under the hypothesis of the lemma | Conditional means zero. | condition: the conditional means used
      already in (57) | condition: square matrices | because: true by accident, and only for square matrices, where
      the lemma is used for gradients
    Reading: AᵢᵀAⱼ in place of AᵢᵀAⱼᵀ | For any random matrices of any shape. | edit: AᵢᵀAⱼ in place of AᵢᵀAⱼᵀ | token
      | forced by: the text below (59) prints E[A_iᵀA_j] = E[A_iᵀE[A_j|A_i, …, A_1]] = 0; for matrices that are not
      square only this product exists | carries: yes
    Mutant: pairs left out | two equal matrices: the square of the sum is 4 times the square, not twice
    Rests on: SSA-L1, SSA-E57, SSA-E58, SSA-E59
    Repeats: SSA-E57
    Verdict: A misprint: one transpose too many; with AᵢᵀAⱼ, as the text below (59) prints it, the proof is right for
      matrices of any shape. With the second factor transposed as printed the product exists only for square matrices,
      so not for the gradients the lemma is applied to, and as an expansion it is wrong: two equal matrices with a
      single entry off the diagonal have 4 on the left and 2 on the right. Under the lemma's hypothesis both kinds of
      traces have mean zero and the line is true by accident. The slip is counted once, at SSA-E57.""",
    square_trees("crossed", "any"),
    readings={
        "(57) under the hypothesis of the lemma": square_trees("crossed"),
        "AᵢᵀAⱼ in place of AᵢᵀAⱼᵀ": _any_shape("crossed", "any", "right"),
    },
    mutants={
        "pairs left out": _any_shape("any"),
    },
)

CLAIMS: tuple[Claim, ...] = (L1, S22)

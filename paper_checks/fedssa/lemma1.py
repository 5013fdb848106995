"""App. E.1.1 and E.3, Lemma 1: sums of martingale differences, over whole trees of outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from validation import (
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Instance,
    Property,
    Signed,
    Size,
    Space,
    Uniform,
    symbols,
)
from validation.statement.says import identity
from validation.world.stated import stated

__all__ = ["CLAIMS"]


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


def _matrix(letter: str, rows: int, columns: int) -> Any:
    return sp.Matrix(rows, columns, lambda i, j: symbols(f"{letter}{i}{j}"))


def _square(matrix: Any) -> Any:
    return sum(entry**2 for entry in matrix)


def _expanded(a: Any, b: Any, product_of: Any) -> tuple[Any, Any]:
    """‖A + B‖² and ‖A‖² + ‖B‖² + the two traces."""
    traces = product_of(a, b).trace() + product_of(b, a).trace()
    return _square(a + b), _square(a) + _square(b) + traces


_A, _B = _matrix("a", 2, 2), _matrix("b", 2, 2)
_TALL, _OTHER = _matrix("a", 3, 2), _matrix("b", 3, 2)
_PRINTED = _expanded(_A, _B, lambda a, b: a.T * b.T)
_MENDED = _expanded(_TALL, _OTHER, lambda a, b: a.T * b)

E57 = stated(
    r"""SSA-E57 (step; Eq. (57), E.3): The square of a sum of matrices
    Print: \mathbb E[\|\sum_tA_t\|_F^2]=\sum_t\mathbb E[\|A_t\|_F^2]+\sum_i\sum_{j\ne i}\mathbb E[Tr\{A_i^\top A_j^
      \top\}]
    Plainly: The expected squared norm of a sum is the sum of the expected squares plus the traces of the mixed
      products.
    Assumes: any matrices of one shape for the expansion; the lemma's conditional means 0 where said
    Reading: as an expansion, both factors transposed | Two square matrices, the only shape for which the product
      exists; T = 2; the hypothesis not used. | because: (57) expands the square; the hypothesis is first used in
      (59), as the text below it says
    Reading: as printed, under the hypothesis of the lemma | Square matrices of conditional mean 0 along whole trees
      of outcomes. | condition: the conditional means used already in (57) | condition: square matrices | because:
      true by accident, and only for square matrices, where the lemma is used for gradients
    Reading: with A_iᵀA_j | As the text below (59) writes it; two 3 × 2 matrices. | edit: A_iᵀA_j in place of A_iᵀA_jᵀ
      | token | forced by: the text below (59) prints E[A_iᵀA_j] = E[A_iᵀE[A_j|A_i, …, A_1]] = 0; for matrices that
      are not square only this product exists | carries: yes
    Mutant: each pair once | ⟨A_i, A_j⟩ and ⟨A_j, A_i⟩ both occur in the square
    Verdict: A misprint: one transpose too many; with A_iᵀA_j, as the text below (59) prints it, the line is an
      identity for any matrices. With two transposes the product exists only for square matrices, not for the
      gradients that the lemma is used for, and its trace is that of A_jA_i, not the inner product: as an expansion,
      which is how it is introduced, the line is false. Under the lemma's hypothesis the traces of either product have
      mean 0, so for square matrices it is true as printed, by accident.""",
    Identity(*_PRINTED),
    readings={
        "as printed, under the hypothesis of the lemma": square_trees("crossed"),
        "with A_iᵀA_j": Identity(*_MENDED),
    },
    mutants={
        "each pair once": identity(_MENDED[0], _square(_TALL) + _square(_OTHER) + (_TALL.T * _OTHER).trace()),
    },
)

q = symbols("q")
_C, _D = _matrix("c", 2, 2), _matrix("d", 2, 2)
E58 = stated(
    r"""SSA-E58 (step; Eq. (58), E.3): Trace and expectation exchanged
    Print: =\sum_t\mathbb E[\|A_t\|_F^2]+\sum_i\sum_{j\ne i}Tr\{\mathbb E[A_i^\top A_j^\top]\}
    Plainly: The expectation of a trace is the trace of the expectation.
    Assumes: two outcomes, 2 × 2 matrices
    Reading: equal to (57), products as printed | Two outcomes, of chance 1/(1 + q) and q/(1 + q).
    Reading: equal to (57), with A_iᵀA_j | The same with one transpose. | edit: A_iᵀA_j in place of A_iᵀA_jᵀ, as in
      (57) | token | forced by: the text below (59) prints E[A_iᵀA_j] | carries: yes
    Mutant: product of the expectations | the expectation of a product is not the product of the expectations
    Rests on: SSA-E57
    Verdict: The trace is linear, so the step from (57) is an identity whichever product is meant. Both lines share
      the misprint A_jᵀ.""",
    identity(
        ((_A.T * _B.T).trace() + q * (_C.T * _D.T).trace()) / (1 + q),
        ((_A.T * _B.T + q * _C.T * _D.T) / (1 + q)).trace(),
    ),
    readings={
        "equal to (57), with A_iᵀA_j": identity(
            ((_A.T * _B).trace() + q * (_C.T * _D).trace()) / (1 + q), ((_A.T * _B + q * _C.T * _D) / (1 + q)).trace()
        ),
    },
    mutants={
        "product of the expectations": identity(
            ((_A.T * _B).trace() + q * (_C.T * _D).trace()) / (1 + q),
            (((_A + q * _C).T / (1 + q)) * ((_B + q * _D) / (1 + q))).trace(),
        ),
    },
)


def _summed_tree(x: Instance) -> Mapping[str, Any]:
    """A_t = c·M_t or −d·M_t, fair in the mean, where M_t and the two lengths depend on what came before."""
    matrices, high, low = x["matrices"], x["high"], x["low"]
    n, nodes, rows, columns = matrices.shape
    T = int(np.log2(nodes + 1))
    left, right = np.zeros(n), np.zeros(n)
    for path in product((0, 1), repeat=T):
        total, own = np.zeros((n, rows, columns)), np.zeros(n)
        chance, node, first = np.ones(n), 0, None
        for bit in path:
            up, down = high[:, node], low[:, node]
            # Up with chance down/(up + down): the conditional mean is 0.
            odds = down / (up + down)
            term = (up if bit else -down)[:, None, None] * matrices[:, node]
            if "frozen" in x and first is not None:
                term, odds = first, np.ones(n)
            first = term if first is None else first
            chance = chance * (odds if bit else 1 - odds)
            total, own = total + term, own + (term**2).sum(axis=(1, 2))
            node = 2 * node + 1 + bit
        left = left + chance * (total**2).sum(axis=(1, 2))
        right = right + chance * own
    return {"lhs": np.abs(left - right), "magnitude": left + right}


def summed_tree_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Both sides of Lemma 1 by a walk through the tree; "frozen": every later term repeats the first."""
    matrices, high, low = x["matrices"], x["high"], x["low"]
    rows, columns = range(len(matrices[0])), range(len(matrices[0][0]))
    nodes = len(matrices)
    centred = True

    def walk(node: int, total: Any, own: Any, first: Any) -> tuple[Any, Any]:
        nonlocal centred
        if node >= nodes:
            return sum(total[i][j] ** 2 for i in rows for j in columns), own
        up, down = high[node], low[node]
        if "frozen" in x and first is not None:
            outcomes = [(Fraction(1), first, 2 * node + 2)]
        else:
            chance = down / (up + down)
            centred = centred and chance * up == (1 - chance) * down
            above = [[up * matrices[node][i][j] for j in columns] for i in rows]
            below = [[-down * matrices[node][i][j] for j in columns] for i in rows]
            outcomes = [(chance, above, 2 * node + 2), (1 - chance, below, 2 * node + 1)]
        left = right = Fraction(0)
        for p, term, after in outcomes:
            grown = [[total[i][j] + term[i][j] for j in columns] for i in rows]
            size = sum(term[i][j] ** 2 for i in rows for j in columns)
            a, b = walk(after, grown, own + size, term if first is None else first)
            left, right = left + p * a, right + p * b
        return left, right

    nothing = [[Fraction(0) for _ in columns] for _ in rows]
    left, right = walk(0, nothing, Fraction(0), None)
    return {"conditional mean 0 at the nodes drawn": centred}, {"lhs": abs(left - right)}


def _summed_case(T: float, rows: float, columns: float, *, frozen: bool = False) -> Case:
    nodes = 2 ** int(T) - 1
    space = Space(
        (
            Signed("matrices", 1e-2, 1e2, (nodes, int(rows), int(columns))),
            Uniform("high", 0.1, 10.0, (nodes,)),
            Uniform("low", 0.1, 10.0, (nodes,)),
            *((Choice("frozen", (1.0,)),) if frozen else ()),
        )
    )
    name = f"{int(rows)} × {int(columns)} matrices, T = {int(T)}"
    return Case(name, space, _summed_tree, ExactCheck(summed_tree_exact), cost=max(1.0, nodes / 8))


_TREES = Family("trees", (Size("T", 1, 5, 3), Size("rows", 1, 4, 2), Size("columns", 1, 4, 1)), _summed_case)

E59 = stated(
    r"""SSA-E59 (step; Eq. (59), E.3): The mixed terms vanish
    Print: =\sum_t\mathbb E[\|A_t\|_F^2]
    Plainly: For matrices of conditional mean 0 given the earlier ones, the mixed terms have expectation 0.
    Assumes: E[A_t given A_{t−1}, …, A_1] = 0
    Reading: martingale differences | Binary trees: each matrix, its two lengths and its odds depend on all that came
      before.
    Mutant: mean 0 only without the past | with A₂ = A₁ of mean 0 the square of the sum is four times that of one
    Rests on: SSA-E58
    Verdict: Holds, through E[A_iᵀA_j] = E[A_iᵀE[A_j | A_{j−1}, …, A_1]] for i < j, and likewise for j < i. The
      printed condition «A_j | A_i, …, A_1» should run to j − 1. The doubled transpose of (57) does not matter here:
      those terms vanish, too.""",
    Property((_TREES,)),
    mutants={
        "mean 0 only without the past": Property(
            (_summed_case(2, 1, 1, frozen=True), _summed_case(2, 2, 1, frozen=True))
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (
    L1,
    S22,
    E57,
    E58,
    E59,
)

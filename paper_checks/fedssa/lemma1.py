"""App. E.1.1 and E.3, Lemma 1: sums of martingale differences, over whole trees of outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import sympy as sp

from validation import Case, Claim, Family, Identity, Instance, Signed, Size, Space, Uniform, symbols
from validation.statement.notation import letters
from validation.world import Coordinate, World, case, eq, identity, lemma, mutant, reading, step

__all__ = ["CLAIMS"]

_LETTERS = letters(r"""
whole | \mathbb E\|\sum_tA_t\|_F^2 | mean square of the sum
squares | \sum_t\mathbb E\|A_t\|_F^2 | sum of the mean squares
crossed | \sum_i\sum_{j\ne i}\mathbb E\,Tr\,A_i^\top A_j^\top | traces as printed
paired | \sum_i\sum_{j\ne i}\mathbb E\,Tr\,A_i^\top A_j | traces with one transpose
""")
whole, squares, crossed, paired = _LETTERS.symbols("whole squares crossed paired")

Next: TypeAlias = Literal["fair", "any", "first"]
"""What comes next at a node of matrix M: (1 − q)M with chance q, else −qM; M itself; or A₁ of the path once more."""


def tree(x: Instance, *, T: int, then: Next, traces: bool) -> Mapping[str, Any]:
    """T matrices along a whole tree; `traces` of all pairs, which those as printed have where they are square.

    Two lengths of a matrix, `high` up and `low` down, are fair in the mean: a matrix of both, its chance by them.
    """
    values, q = x["matrices"], x.get("chance")
    if q is None:
        values, q = values * (x["high"] + x["low"])[:, :, None, None], x["low"] / (x["high"] + x["low"])
    n, _, rows, cols = values.shape
    total, chance = np.zeros((n, 1, rows, cols)), np.ones((n, 1))
    squares, first, start = 0.0, None, 0
    own = {"crossed": 0.0, "paired": 0.0}
    for t in range(T):
        M, up = values[:, start : start + 2**t], q[:, start : start + 2**t, None, None]
        start += 2**t
        now = np.stack([M, M] if then == "any" else [(1 - up) * M, -up * M], axis=2).reshape(n, -1, rows, cols)
        first = now if first is None else np.repeat(first, 2, axis=1)
        now = first if then == "first" else now
        chance = (chance[:, :, None] * np.stack([up[..., 0, 0], 1 - up[..., 0, 0]], axis=2)).reshape(n, -1)
        total = np.repeat(total, 2, axis=1) + now
        squares = squares + (chance * (now**2).sum(axis=(2, 3))).sum(axis=1)
        if traces:
            own = {name: own[name] + (chance * of).sum(axis=1) for name, of in _products(now).items()}
    found = {"whole": (chance * (total**2).sum(axis=(2, 3))).sum(axis=1), "squares": squares}
    if traces:
        found |= {name: (chance * of).sum(axis=1) - own[name] for name, of in _products(total).items()}
    return found


def _products(a: Any) -> dict[str, Any]:
    """Tr AᵀAᵀ, where A is square, and Tr AᵀA."""
    square = {"crossed": (a * np.swapaxes(a, 2, 3)).sum(axis=(2, 3))} if a.shape[2] == a.shape[3] else {}
    return {**square, "paired": (a**2).sum(axis=(2, 3))}


def tree_exact(
    x: Mapping[str, Any], *, T: int, then: str, traces: bool
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Every path of the tree by name: Frobenius norms, and the traces of all pairs where asked for, pair by pair."""
    matrices, chances = x["matrices"], x.get("chance")
    if chances is None:
        both = [(up + down, down / (up + down)) for up, down in zip(x["high"], x["low"], strict=True)]
        matrices = [[[size * v for v in row] for row in M] for (size, _), M in zip(both, matrices, strict=True)]
        chances = [q for _, q in both]
    rows, cols = range(len(matrices[0])), range(len(matrices[0][0]))
    found = dict.fromkeys(("whole", "squares"), Fraction(0))
    found |= dict.fromkeys(
        (("crossed", "paired") if len(rows) == len(cols) else ("paired",)) if traces else (), Fraction(0)
    )
    for path in range(2**T):
        parts: list[Any] = []
        node, chance = 0, Fraction(1)
        for t in range(T):
            down, at = (path >> (T - 1 - t)) & 1, 2**t - 1 + node
            q, M = chances[at], matrices[at]
            factor = 1 if then == "any" else (-q if down else 1 - q)
            parts.append(parts[0] if then == "first" and parts else [[factor * v for v in row] for row in M])
            chance, node = chance * ((1 - q) if down else q), 2 * node + down
        found["whole"] += chance * sum(sum(A[i][j] for A in parts) ** 2 for i in rows for j in cols)
        found["squares"] += chance * sum(A[i][j] ** 2 for A in parts for i in rows for j in cols)
        for s, A in enumerate(parts if traces else []):
            for t, B in enumerate(parts):
                if s != t:
                    found["paired"] += chance * sum(A[i][j] * B[i][j] for i in rows for j in cols)
                if s != t and "crossed" in found:
                    found["crossed"] += chance * sum(A[i][j] * B[j][i] for i in rows for j in cols)
    return {"chances in (0, 1)": all(0 < q < 1 for q in chances)}, found


def _drawn(T: float, shape: tuple[float, float], then: Next, *, traces: bool = False, lengths: bool = False) -> Case:
    """One tree; `lengths`: of each matrix two are drawn, in place of a chance."""
    nodes, (rows, columns) = 2 ** int(T) - 1, map(int, shape)
    of: tuple[Coordinate, ...] = (Uniform("chance", 0.02, 0.98, (nodes,), at=(0.02, 0.5, 0.98)),)
    name = f"{int(T)} matrices of {rows} × {columns}{', crossed' if traces else ''}"
    if lengths:
        of = (Uniform("high", 0.1, 10.0, (nodes,)), Uniform("low", 0.1, 10.0, (nodes,)))
        name = f"{rows} × {columns} matrices, T = {int(T)}"
    cost = max(1.0, nodes / 8) if lengths else min(4.0, max(1.0, nodes * rows * columns / 60))
    told: dict[str, Any] = {"cost": cost, "T": int(T), "then": then, "traces": traces}
    space = Space((Signed("matrices", 1e-2, 1e2, (nodes, rows, columns)), *of))
    return case(name if then == "fair" or lengths else f"{name}, {then}", space, tree, tree_exact, **told)


def any_shape(then: Next = "fair", *, traces: bool = False, lengths: bool = False) -> World:
    """Matrices of any one shape along whole trees, whose next one depends on all that came before."""
    most, widest = (5, 4) if lengths else (6, 3)
    sizes = (Size("T", 1, most, 3), Size("rows", 1, 4, 2), Size("columns", 1, widest, 1))

    def at(T: float, rows: float, columns: float) -> Case:
        return _drawn(T, (rows, columns), then, traces=traces, lengths=lengths)

    return World(_LETTERS, (Family("trees", sizes, at),))


def square_trees(then: Next = "fair") -> World:
    """Square matrices along whole trees, with the traces of all pairs."""
    sizes = (Size("T", 2, 5, 3), Size("side", 1, 3, 2))
    of = Family("trees, square", sizes, lambda T, side: _drawn(T, (side, side), then, traces=True))
    return World(_LETTERS, (of,))


_SUMS, _AS_PRINTED, _ONE_TRANSPOSE = eq(whole, squares), eq(whole, squares + crossed), eq(whole, squares + paired)

L1 = lemma(
    "SSA-L1",
    "Lemma 1 (E.1.1), proof E.3; cited from Wang et al. 2021c",
    "Squared sum of martingale differences",
    printed=r"""\mathbb E[A_t|A_{t-1},\dots,A_1]=\mathbf0\ \forall t\ \Rightarrow\ \mathbb E\Big[\Big\|\sum_{t=1}^TA_t
        \Big\|_F^2\Big]=\sum_{t=1}^T\mathbb E[\|A_t\|_F^2]""",
    plainly="The expected squared norm of a sum of martingale differences is the sum of the expected squared norms.",
    assumes=["matrices of any one shape; distributions with finitely many outcomes", "conditional means zero, exactly"],
    says=_SUMS,
    world=any_shape(),
    readings=[reading("as printed", "Whole trees: what comes next may depend on all that came before.")],
    mutants=[
        mutant(
            "marginal means zero only",
            None,
            "Aₜ = A₁ for all t has mean 0, and the sum has T² times the square of A₁, not T times",
            world=any_shape("first"),
        )
    ],
    tight="always, it is an equality",
    verdict="""True, by conditioning each mixed product on the earlier factor; checked over whole trees of outcomes
        whose next matrix depends on the path, of all shapes to 4 × 3 and up to six of them. It needs no separate
        integrability: if the sum is square integrable so is each of its conditional means. Means that are zero only on
        their own are not enough.""",
)

S22 = step(
    "SSA-S22",
    "(57)–(59), E.3",
    "The proof of Lemma 1",
    printed=r"""\mathbb E\Big\|\sum_tA_t\Big\|_F^2=\sum_t\mathbb E\|A_t\|_F^2+\sum_i\sum_{j\ne i}
        \mathbb E[Tr\{A_i^\top A_j^\top\}]=\sum_t\mathbb E\|A_t\|_F^2""",
    plainly="The square of the sum expands into squares and traces of AᵢᵀAⱼᵀ, and these have mean zero.",
    assumes=[
        "as printed square matrices, without which AᵢᵀAⱼᵀ does not exist; with AᵢᵀAⱼ matrices of any shape",
        "the first equality is tested; the last one is the lemma's hypothesis E[Aₜ | past] = 0, put in",
    ],
    says=_AS_PRINTED,
    world=square_trees("any"),
    readings=[
        reading(
            "(57) as an expansion",
            "For any random matrices, since the hypothesis is used only in (59).",
            because="(57) expands the square; the hypothesis is first used in (59), as the text below it says",
        ),
        reading(
            "(57) under the hypothesis of the lemma",
            "Conditional means zero.",
            world=square_trees(),
            conditions=["the conditional means used already in (57)", "square matrices"],
            because="true by accident, and only for square matrices, where the lemma is used for gradients",
        ),
        reading(
            "AᵢᵀAⱼ in place of AᵢᵀAⱼᵀ",
            """The expansion, for any random matrices of any shape; that the traces have mean zero needs the hypothesis of the
                lemma, E[Aₜ | past] = 0.""",
            _ONE_TRANSPOSE,
            world=any_shape("any", traces=True),
            edits=["AᵢᵀAⱼ in place of AᵢᵀAⱼᵀ"],
            token=True,
            forced_by="""the text below (59) prints E[A_iᵀA_j] = E[A_iᵀE[A_j|A_i, …, A_1]] = 0; for matrices that are
                not square only this product exists""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "pairs left out",
            _SUMS,
            "two equal matrices: the square of the sum has the pairs",
            world=any_shape("any"),
        )
    ],
    rests_on=["SSA-L1", "SSA-E57", "SSA-E58", "SSA-E59"],
    repeats="SSA-E57",
    verdict="""A misprint: one transpose too many; with AᵢᵀAⱼ, as the text below (59) prints it, the proof is right for
        matrices of any shape. With the second factor transposed as printed the product exists only for square matrices,
        so not for the gradients the lemma is applied to, and as an expansion it is wrong, as the instance shows, whose matrices have one entry, off the diagonal. Under the lemma's hypothesis both kinds of
        traces have mean zero and the line is true by accident. The slip is counted once, at SSA-E57.""",
)


def _matrix(letter: str, rows: int, columns: int) -> Any:
    return sp.Matrix(rows, columns, lambda i, j: symbols(f"{letter}{i}{j}", positive=True))


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

E57 = step(
    "SSA-E57",
    "Eq. (57), E.3",
    "The square of a sum of matrices",
    printed=r"""\mathbb E[\|\sum_tA_t\|_F^2]=\sum_t\mathbb E[\|A_t\|_F^2]+\sum_i\sum_{j\ne i}\mathbb E[Tr\{A_i^\top
        A_j^\top\}]""",
    plainly="""The expected squared norm of a sum is the sum of the expected squares plus the traces of the mixed
        products.""",
    assumes=["any matrices of one shape for the expansion; the lemma's conditional means 0 where said"],
    says=Identity(*_PRINTED),
    readings=[
        reading(
            "as an expansion, both factors transposed",
            "Two square matrices, the only shape for which the product exists; T = 2; the hypothesis not used.",
            because="(57) expands the square; the hypothesis is first used in (59), as the text below it says",
        ),
        reading(
            "as printed, under the hypothesis of the lemma",
            "Square matrices of conditional mean 0 along whole trees of outcomes.",
            _AS_PRINTED,
            world=square_trees(),
            conditions=["the conditional means used already in (57)", "square matrices"],
            because="true by accident, and only for square matrices, where the lemma is used for gradients",
        ),
        reading(
            "with A_iᵀA_j",
            "As the text below (59) writes it; two 3 × 2 matrices.",
            Identity(*_MENDED),
            edits=["A_iᵀA_j in place of A_iᵀA_jᵀ"],
            token=True,
            forced_by="""the text below (59) prints E[A_iᵀA_j] = E[A_iᵀE[A_j|A_i, …, A_1]] = 0; for matrices that are
                not square only this product exists""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "each pair once",
            identity(_MENDED[0], _square(_TALL) + _square(_OTHER) + (_TALL.T * _OTHER).trace()),
            "⟨A_i, A_j⟩ and ⟨A_j, A_i⟩ both occur in the square",
        )
    ],
    verdict="""A misprint: one transpose too many; with A_iᵀA_j, as the text below (59) prints it, the line is an
        identity for any matrices. With two transposes the product exists only for square matrices, not for the
        gradients that the lemma is used for, and its trace is that of A_jA_i, not the inner product: as an expansion,
        which is how it is introduced, the line is false. Under the lemma's hypothesis the traces of either product have
        mean 0, so for square matrices it is true as printed, by accident.""",
)

q = symbols("q", positive=True)
_C, _D = _matrix("c", 2, 2), _matrix("d", 2, 2)
E58 = step(
    "SSA-E58",
    "Eq. (58), E.3",
    "Trace and expectation exchanged",
    printed=r"=\sum_t\mathbb E[\|A_t\|_F^2]+\sum_i\sum_{j\ne i}Tr\{\mathbb E[A_i^\top A_j^\top]\}",
    plainly="The expectation of a trace is the trace of the expectation.",
    assumes=["two outcomes, 2 × 2 matrices"],
    says=identity(
        ((_A.T * _B.T).trace() + q * (_C.T * _D.T).trace()) / (1 + q),
        ((_A.T * _B.T + q * _C.T * _D.T) / (1 + q)).trace(),
    ),
    readings=[
        reading("equal to (57), products as printed", "Two outcomes, of chance 1/(1 + q) and q/(1 + q)."),
        reading(
            "equal to (57), with A_iᵀA_j",
            "The same with one transpose.",
            identity(
                ((_A.T * _B).trace() + q * (_C.T * _D).trace()) / (1 + q),
                ((_A.T * _B + q * _C.T * _D) / (1 + q)).trace(),
            ),
            edits=["A_iᵀA_j in place of A_iᵀA_jᵀ, as in (57)"],
            token=True,
            forced_by="the text below (59) prints E[A_iᵀA_j]",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "product of the expectations",
            identity(
                ((_A.T * _B).trace() + q * (_C.T * _D).trace()) / (1 + q),
                (((_A + q * _C).T / (1 + q)) * ((_B + q * _D) / (1 + q))).trace(),
            ),
            "the expectation of a product is not the product of the expectations",
        )
    ],
    rests_on=["SSA-E57"],
    verdict="""The trace is linear, so the step from (57) is an identity whichever product is meant. Both lines share
        the misprint A_jᵀ.""",
)


E59 = step(
    "SSA-E59",
    "Eq. (59), E.3",
    "The mixed terms vanish",
    printed=r"=\sum_t\mathbb E[\|A_t\|_F^2]",
    plainly="For matrices of conditional mean 0 given the earlier ones, the mixed terms have expectation 0.",
    assumes=["E[A_t given A_{t−1}, …, A_1] = 0"],
    says=_SUMS,
    world=any_shape(lengths=True),
    readings=[
        reading(
            "martingale differences",
            "Binary trees: each matrix, its two lengths and its odds depend on all that came before.",
        )
    ],
    mutants=[
        mutant(
            "mean 0 only without the past",
            None,
            "with A₂ = A₁ of mean 0 the square of the sum is four times that of one",
            world=World(_LETTERS, tuple(_drawn(2, (rows, 1), "first", lengths=True) for rows in (1, 2))),
        )
    ],
    rests_on=["SSA-E58"],
    verdict="""Holds, through E[A_iᵀA_j] = E[A_iᵀE[A_j | A_{j−1}, …, A_1]] for i < j, and likewise for j < i. The
        printed condition «A_j | A_i, …, A_1» should run to j − 1. The doubled transpose of (57) does not matter here:
        those terms vanish, too.""",
)

CLAIMS: tuple[Claim, ...] = (
    L1,
    S22,
    E57,
    E58,
    E59,
)

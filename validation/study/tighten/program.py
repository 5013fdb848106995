"""The linear program of smallest constants, and exact lower bounds from rational duals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from validation.study.tighten.rows import ExactRow

__all__ = ["Certificate", "certified", "smallest"]

__judges__ = "no"

Float = NDArray[np.float64]

_DIGITS = 10**15  # denominators of duals


def smallest(lhs: Float, terms: Float, weights: Float, cap: float) -> tuple[Float, Float] | None:
    """(constants, duals): c >= 0 with Σ cⱼ·termsⱼ >= lhs on every row and least Σ wⱼ·cⱼ; None: none up to `cap` do.

    lhs: (n,), terms: (n, m), weights: (m,). Raises `ArithmeticError` when the solver fails otherwise.
    """
    from scipy.optimize import linprog

    if not len(lhs):
        return np.zeros(terms.shape[1]), np.zeros(0)
    size = np.maximum(np.abs(terms).max(axis=1), np.abs(lhs) / cap)
    size[size == 0] = 1.0
    bounds = [(0.0, cap)] * terms.shape[1]
    solved = linprog(weights, A_ub=-terms / size[:, None], b_ub=-lhs / size, bounds=bounds, method="highs")
    if solved.status == 2:
        return None
    if solved.x is None:
        raise ArithmeticError(f"smallest: the linear program ended with {solved.message!r}")
    return np.asarray(solved.x), np.asarray(-solved.ineqlin.marginals / size)


@dataclass(frozen=True)
class Certificate:
    """Rows and duals y >= 0 with Σ y·termsⱼ <= wⱼ: every constants that serve these rows have Σ w·c >= `value`.

    Exact throughout; `value` = Σ y·lhs. With the weights 0 and a value above 0 no constants serve them.
    """

    weights: tuple[Fraction, ...]
    rows: tuple[ExactRow, ...]
    duals: tuple[Fraction, ...]
    value: Fraction

    def holds(self) -> bool:
        """Whether the inequalities above hold, in fractions."""
        pairs = list(zip(self.duals, self.rows, strict=True))
        below = all(sum(y * r.terms[j] for y, r in pairs) <= w for j, w in enumerate(self.weights))
        return below and min(self.duals, default=Fraction(0)) >= 0 and self.value == sum(y * r.lhs for y, r in pairs)

    def script(self, title: str, names: Sequence[str]) -> str:
        """Python alone: checks the duals on the rows, and ends with exit code 0 where they prove the value."""
        none = not any(self.weights)
        words = "no constants c >= 0 serve all rows" if none else "no constants of weighted sum below"
        told = f'"{words}"' if none else f'f"{words} {{VALUE}} = {{float(VALUE):.6g}} will do"'
        lines = [
            f'"""{_plain(title)}',
            "",
            "Each row is an instance that meets every hypothesis: the left side less what is",
            f"kept as printed, and the terms {_plain(', '.join(names))}.",
            "Any constants c >= 0 that serve the rows have",
            'sum(w*c) >= sum(y*c·terms) >= sum(y*lhs). Exits 0 when the rows and duals y prove VALUE."""',
            "",
            "from fractions import Fraction as F",
            "",
            f"WEIGHTS = [{', '.join(map(_fraction, self.weights))}]",
            f"VALUE = {_fraction(self.value)}",
            "ROWS = [  # (left side, terms, y)",
        ]
        for y, row in zip(self.duals, self.rows, strict=True):
            terms = ", ".join(map(_fraction, row.terms))
            lines += [
                f"    # {_plain(row.case)}: {_plain(_words(row))}",
                f"    ({_fraction(row.lhs)}, [{terms}], {_fraction(y)}),",
            ]
        lines += [
            "]",
            "",
            "assert all(y >= 0 for _, _, y in ROWS)",
            "assert all(sum(y * t[j] for _, t, y in ROWS) <= w for j, w in enumerate(WEIGHTS))",
            "assert sum(y * left for left, _, y in ROWS) == VALUE",
            "assert VALUE > 0",
            f"print({told})",
        ]
        return "\n".join(lines) + "\n"


def certified(rows: Sequence[ExactRow], weights: Sequence[Fraction]) -> Certificate | None:
    """The best certificate that floats find on these rows, its duals rounded to fractions; None without one above 0."""
    from scipy.optimize import linprog

    rows = [r for r in rows if r.lhs > 0 and any(r.terms)]
    if not rows:
        return None
    if len(weights) == 1:  # one constant: the row with the largest quotient, exactly
        best = max((r for r in rows if r.terms[0] > 0), key=lambda r: r.lhs / r.terms[0], default=None)
        dual = None if best is None else weights[0] / best.terms[0]
        return None if best is None or dual is None else Certificate(tuple(weights), (best,), (dual,), dual * best.lhs)
    scale = [max(map(abs, r.terms)) for r in rows]
    lhs = np.array([float(r.lhs / s) for r, s in zip(rows, scale, strict=True)])
    terms = np.array([[float(t / s) for t in r.terms] for r, s in zip(rows, scale, strict=True)])
    solved = linprog(
        -lhs, A_ub=terms.T, b_ub=[float(w) for w in weights], bounds=[(0, None)] * len(rows), method="highs"
    )
    if solved.x is None:
        return None
    duals = [
        Fraction(float(y)).limit_denominator(_DIGITS) / s if y > 1e-12 else Fraction(0)
        for y, s in zip(solved.x, scale, strict=True)
    ]
    for j, w in enumerate(weights):  # rounded duals are scaled until they are feasible exactly
        total = sum((y * r.terms[j] for y, r in zip(duals, rows, strict=True)), Fraction(0))
        if total > w:
            duals = [y * w / total for y in duals]
    kept = [(y, r) for y, r in zip(duals, rows, strict=True) if y > 0]
    value = sum((y * r.lhs for y, r in kept), Fraction(0))
    if value <= 0:
        return None
    found = Certificate(tuple(weights), tuple(r for _, r in kept), tuple(y for y, _ in kept), value)
    return found if found.holds() else None


def _fraction(value: Fraction) -> str:
    return f"F({value.numerator}, {value.denominator})" if value.denominator != 1 else f"F({value.numerator})"


def _words(row: ExactRow) -> str:
    text = ", ".join(f"{name} = {_shown(value)}" for name, value in row.instance.items())
    return text if len(text) <= 400 else f"{text[:400]} …"


def _shown(value: object) -> str:
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, list | tuple) else str(value)


def _plain(text: str) -> str:
    """One line that ends no docstring or comment."""
    return " ".join(text.replace("\\", "/").replace('"', "'").split())

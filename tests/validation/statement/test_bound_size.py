"""The scale that cancellation is measured against, where sums stand inside Max, Min and Abs."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from validation.statement.bound import Bound, left_alone, with_maxima

a, b, c = sp.symbols("a b c")
AT = {"a": np.asarray([3.0]), "b": np.asarray([3.0]), "c": np.asarray([6.0])}


@pytest.mark.parametrize(
    ("formula", "value", "size"),
    [
        (a - b, 0, 6),
        (sp.Max(a - b, c - 2 * b), 0, 12),
        (2 * sp.Min(a - b, b - a) + c, 6, 18),
        (sp.Abs(a - b), 0, 6),
        (sp.Max(a, b), 3, 3),  # nothing cancels
        (c / sp.Max(a, b - 2), 2, 2),
    ],
)
def test_what_cancels_inside_counts(formula: object, value: float, size: float) -> None:
    found = Bound(formula)(AT)
    assert [float(side[0]) for side in found] == [value, size]


def test_value_terms_and_denominators_are_those_of_each_formula_alone() -> None:
    x = {name: np.random.default_rng(i).normal(size=5) for i, name in enumerate("abc")}
    formula = (a - b) * c / (a + b) ** 2 + sp.Max(a, b - c) * (b + 1)
    bound = Bound(formula)
    pieces = {
        "term 1": sp.Max(a, b - c) * (b + 1),
        "term 2": (a - b) * c / (a + b) ** 2,
        "denominator 1": a + b,
    }

    def alone(part: object) -> object:
        return sp.lambdify((a, b, c), part, "numpy")(**x)

    value, size = bound(x)
    assert value.tolist() == alone(formula).tolist()  # type: ignore[attr-defined]
    parts = bound.parts(x)
    found = {name: parts[name][0].tolist() for name in parts}
    assert sorted(found.values()) == sorted(alone(part).tolist() for part in pieces.values())  # type: ignore[attr-defined]
    for whole, scale in (*parts.values(), (value, size)):
        assert np.all(np.abs(whole) <= scale * (1 + 1e-12))
    assert parts["denominator 1"][1].tolist() == (np.abs(x["a"]) + np.abs(x["b"])).tolist()


def test_value_and_size_alone_are_those_of_both_together() -> None:
    x = {name: np.random.default_rng(i).normal(size=5) for i, name in enumerate("abc")}
    bound = Bound((a - b) ** 2 / sp.Max(c, a) - b)
    value, size = bound(x)
    assert bound.value(x).tolist() == value.tolist()
    assert bound.scale(x).tolist() == size.tolist()
    assert Bound(sp.Integer(2)).value(x) == 2
    assert Bound(sp.Integer(-2)).scale(x) == 2


def test_maxima_are_left_alone_until_they_are_to_be_evaluated() -> None:
    p, q = sp.symbols("p q", positive=True)
    written = sp.Max(p + q, p, evaluate=False) * sp.Min(q, 2 * q, evaluate=False)
    alone = left_alone(written)
    assert not alone.has(sp.Max, sp.Min)
    assert {s.is_positive for s in alone.free_symbols} == {None}
    plain = {p: sp.Symbol("p"), q: sp.Symbol("q")}
    assert with_maxima(alone).has(sp.Max, sp.Min)
    assert with_maxima(alone.xreplace({v: k for k, v in plain.items()})) == written
    assert with_maxima(written, evaluate=True) == q * (p + q)

"""Inequalities between vectors under hypotheses: right words, exact evidence, mistakes named."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from validation import class_script, decide_vectors
from validation.proof.classes import check, minimiser_along, nearest, violates
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.vectors import inner, square, vectors

a, b, c, x, y = vectors("a b c x y")
G, n = sp.symbols("G n", positive=True)


@pytest.mark.parametrize(
    ("left", "right", "given", "word"),
    [
        (square(a + b), square(a) + square(b), [sp.Eq(inner(a, b), 0)], "proved"),
        (square(a + b), square(a) + square(b), [], "refuted"),
        (square(a + b), sp.Rational(39, 10), [square(a) <= 1, square(b) <= 1], "refuted"),
        (square(a + b), 4, [square(a) <= 1, square(b) <= 1], "proved"),
        (square(a - b), 1, [sp.Ge(inner(a, b), sp.Rational(1, 2)), square(a) <= 1, square(b) <= 1], "proved"),
        (square(x - b), square(a - b), nearest(x, to=a, members=[b]), "proved"),
        (square(x - b), square(a - b) - 2 * square(a - x), nearest(x, to=a, members=[b]), "refuted"),
        (square(x), square(a), minimiser_along(x, to=a, directions=[x]), "proved"),
        (square(a), square(x), minimiser_along(x, to=a, directions=[x]), "refuted"),
    ],
)
def test_the_word_is_right_and_its_evidence_checks(left, right, given, word) -> None:
    decision = decide_vectors(VectorInequality(left, sp.sympify(right)), given=given)
    assert decision.word == word, decision.why
    assert check(decision.proof) if word == "proved" else violates(decision.witness)
    assert class_script(decision)


def test_projections_onto_one_set_are_nonexpansive() -> None:
    given = [*nearest(x, to=a, members=[y]), *nearest(y, to=b, members=[x])]
    test = VectorInequality(square(x - y), square(a - b))
    assert decide_vectors(test, given=given).word == "proved"
    assert decide_vectors(test, given=given[:1]).word == "refuted"


def test_parameters_are_the_numbers_given_and_may_be_roots() -> None:
    test = VectorInequality(square(a + b), n * G**2)
    bounded = [square(v) <= G**2 for v in (a, b)]
    assert decide_vectors(test, {"n": 4, "G": "3/10"}, bounded).word == "proved"
    assert decide_vectors(test, {"n": Fraction(39, 10), "G": "3/10"}, bounded).word == "refuted"
    root = VectorInequality(2 * inner(a, b), sp.sqrt(2) * square(a) + square(b) / sp.sqrt(2))
    assert decide_vectors(root).word == "proved"
    assert decide_vectors(VectorInequality(2 * inner(a, b), sp.sqrt(2) * square(a) + square(b) / 2)).word == "refuted"


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="no number for the parameter n"):
        decide_vectors(VectorInequality(square(a), n * square(a)))
    with pytest.raises(ValueError, match="not linear in the inner products"):
        decide_vectors(VectorInequality(square(a), square(a)), given=[square(a) ** 2 <= 1])
    with pytest.raises(ValueError, match="expected relations"):
        decide_vectors(VectorInequality(square(a), square(a)), given=[square(a) < 1])
    with pytest.raises(ValueError, match="no number with square roots"):
        decide_vectors(VectorInequality(square(a), sp.cbrt(2) * square(a)))

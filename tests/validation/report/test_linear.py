"""LaTeX on one line of a terminal: fractions, indices, accents, and every statement of the papers."""

from __future__ import annotations

import pytest

from validation.papers.papers import select
from validation.report.text.linear import linear


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"\frac{L}{\mu}(\Gamma-\Omega)", "L/μ(Γ − Ω)"),
        (r"\frac{a+b}{2}\le x_i^2", "(a + b)/2 ≤ xᵢ²"),
        (r"\sum_{k=1}^N p_k F_k(w^*)", "∑ₖ₌₁^N pₖFₖ(w*)"),
        (r"\bar B=\max_t\sqrt{x+1}", "B̄ = maxₜ √(x + 1)"),
        (r"\underbrace{a+b}_{\text{small}}", "a + b"),
        (r"-x_{i,j}", "−xᵢ,ⱼ"),
        (r"\nocommand{x}", r"\nocommand{x}"),
    ],
)
def test_formulas_on_a_line(latex: str, line: str) -> None:
    assert linear(latex) == line


def test_every_statement_is_one_line_without_latex() -> None:
    left = []
    for _, claim in select(["exp_alpha", "efl"]):
        text = linear(claim.printed)
        assert "\n" not in text
        left += [claim.id] if "\\" in text else []
    assert len(left) <= 5, left


def test_a_sum_that_begins_and_ends_with_a_bracket_is_bracketed_above_a_line() -> None:
    assert linear(r"\frac{\frac{a+b}{c}+(d+e)}{f}") == "((a + b)/c + (d + e))/f"
    assert linear(r"\frac{(a+b)}{c}") == "(a + b)/c"

"""A displayed formula may break over lines, and only where a reader expects it."""

from __future__ import annotations

import re

import pytest

from validation.papers.papers import load_papers, select
from validation.report.text.breaking import formula, parts_of
from validation.report.text.formula import latex_of


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (r"a\le b", ("a", r"\le b")),
        (r"\left(a+b\right)=c-d", (r"\left(a+b\right)", "=c", "-d")),
        (r"\|a-b\|^2\le|c-d|+e", (r"\|a-b\|^2", r"\le|c-d|", "+e")),
        (r"\langle a-b,c\rangle<\{d=e\}", (r"\langle a-b,c\rangle", r"<\{d=e\}")),
        (r"x_{a+b}=-c+x^-", ("x_{a+b}", "=-c", "+x^-")),
        (r"\underbrace{a+b}_{s},\quad c=1", (r"\underbrace{a+b}_{s},", r"\quad c", "=1")),
        (r"\|a-b", (r"\|a-b",)),  # a bar that is never closed
        (r"a\left]b+c", (r"a\left]b+c",)),
    ],
)
def test_a_line_breaks_at_the_top_level_alone(latex: str, parts: tuple[str, ...]) -> None:
    assert parts_of(latex) == parts


def _text(markup: str) -> str:
    return re.sub(r"<[^>]+>|\s|&emsp;", "", markup)


def test_a_long_formula_is_drawn_in_parts_and_a_short_one_whole() -> None:
    long = r"\mathbb E[F(w_T)]-F^\star\le\frac1{T+\gamma}V+E,\qquad V=\frac{4L(32\tau^2G^2+\sigma^2)}{3\mu^2\rho}"
    drawn = formula(long)
    assert drawn.startswith('<div class="formula"><math displaystyle="true"')
    assert drawn.count("<math") == len(parts_of(long)) == 6
    assert _text(drawn) == "𝔼[F(wT)]−F⋆≤1T+γV+E,V=4L(32τ2G2+σ2)3μ2ρ"
    assert formula(r"a\le b").startswith("<math")
    assert formula(r"a\le b").count("<math") == 1


def test_a_sentence_in_a_print_is_words_that_break() -> None:
    drawn = formula(
        r"\text{Exp-}\alpha\text{ is said to ``always'' converge with fewer rounds than }\rho_i\ \text{does}"
    )
    assert drawn.startswith('<div class="formula words">Exp-<math')
    assert "“always” converge" in drawn
    assert "&lt;" in formula(r"\text{a sentence that somebody wrote with <script> in it}")


@pytest.mark.parametrize("key", [paper.key for paper in load_papers()])
def test_every_print_is_drawn_with_all_of_its_parts(key: str) -> None:
    lost = []
    for _, claim in select([key]):
        drawn = formula(claim.printed or "")
        if "&lt;math" in drawn or ("\\begin" not in claim.printed and '<code class="latex"' in drawn):
            lost.append(claim.id)
    assert lost == []


def test_a_long_sum_in_brackets_at_the_end_of_a_part_breaks_too() -> None:
    terms = [rf"x_{{{k}}}\,y_{{{k}}}" for k in range(12)]
    inner = "+".join(terms)
    parts = parts_of(rf"C=\frac{{a}}{{b}}\left({inner}\right)")
    assert parts[:3] == ("C", r"=\frac{a}{b}(" + terms[0], "+" + terms[1])
    assert parts[-1] == f"+{terms[-1]})"
    two = rf"C=\left({inner}\right)\,\left({inner}\right)"
    assert parts_of(two) == ("C", two[1:])  # the last bracket is not the first one's
    assert formula(rf"C=\frac{{a}}{{b}}\left({inner}\right)").count("<math") == 13


def test_a_fraction_with_a_long_sum_is_written_as_a_factor_before_it() -> None:
    long = " + ".join(f"{name}*theta*(gamma + 1)*mu" for name in "abcde")
    assert latex_of(f"L*({long})/mu**2").startswith(r"\frac{L}{{\mu }^{2}}\left(")
    assert latex_of("L*(a + b)/mu**2").startswith(r"\frac{L\,")

"""Of a notation those letters count in a fingerprint that the claim, or code it reaches, can name; no others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tests.paper_checks.test_claims import EVERYTHING, some_cases
from validation import Claim, Inequality
from validation.fingerprint.fingerprints import _NAMED, letters_left_out
from validation.fingerprint.meaning import Walk
from validation.fingerprint.words import ANY, names_that_match, words_in_code
from validation.statement.notation import Notation, Quantity

PLAIN = Quantity("x", "x", "a number", (0, 1))
POSITIVE = Quantity("x", "x", "a number", (0, 1), positive=True)
LARGER = Quantity("x", "x", "a number", (1, 1))
OTHER = Quantity("d_1", "d_1", "a distance", (0, 2), positive=True)


def literal(n: int) -> dict[str, int]:
    return {"x": n}


def keyword(n: int) -> dict[str, int]:
    return dict(x=n)  # noqa: C408


def numbered(n: int) -> dict[str, int]:
    return {f"d_{k}": n for k in range(n)}


def summed(n: int) -> dict[str, int]:
    return {"d_" + str(k): n for k in range(n)}


def split(n: int) -> dict[str, int]:
    return dict.fromkeys(["a x", "b c"][0].split(), n)


def lowered(n: int) -> dict[str, int]:
    return {"X".lower(): n}


def none(n: int) -> int:
    x = n  # a variable is no key
    return x


def digest(notation: Notation, function: Callable[[int], Any]) -> str:
    return Walk(named=_NAMED).digest((function, notation))


@pytest.mark.parametrize("function", [literal, keyword, split, lowered])
def test_a_letter_that_code_names_counts(function: Callable[[int], Any]) -> None:
    plain, positive, larger = (digest(Notation((q,)), function) for q in (PLAIN, POSITIVE, LARGER))
    assert len({plain, positive, larger}) == 3


@pytest.mark.parametrize("function", [numbered, summed, lowered])
def test_a_letter_whose_name_code_can_make_counts(function: Callable[[int], Any]) -> None:
    assert digest(Notation((PLAIN,)), function) != digest(Notation((PLAIN, OTHER)), function)


@pytest.mark.parametrize("function", [none, numbered, summed])
def test_a_letter_that_nothing_can_name_does_not_count(function: Callable[[int], Any]) -> None:
    assert digest(Notation((PLAIN,)), function) == digest(Notation((POSITIVE,)), function)
    assert digest(Notation((PLAIN,)), function) == digest(Notation(()), function)


def test_a_letter_of_a_formula_counts() -> None:
    found = {Walk(named=_NAMED).digest(PLAIN.symbol + 1, Notation((PLAIN, *more))) for more in ((), (OTHER,))} | {
        Walk(named=_NAMED).digest(PLAIN.symbol + 1, Notation((LARGER,)))
    }
    assert len(found) == 2


def test_latex_and_words_of_a_letter_do_not_count() -> None:
    other = Quantity("x", r"\xi", "something else", (0, 1))
    assert digest(Notation((PLAIN,)), literal) == digest(Notation((other,)), literal)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("'a b'", {"a", "b"}),
        ("f'd_{k}'", {"d_", "d_*"}),
        ("f'{k} steps'", {"steps"}),
        ("f'{a}_{b}'", {"_", "*_*"}),
        ("f'{a}'", {ANY}),
        ("'d' + str(k) + 'e'", {"d", "e", "d*e", "d*"}),
        ("'%s_x' % k", {"s_x", "*"}),
        ("k.upper()", {"upper", ANY}),
        ("g(x=1).y", {"x", "y"}),
    ],
)
def test_words_and_patterns_of_code(code: str, words: set[str]) -> None:
    assert set(words_in_code(list(ast.walk(ast.parse(code))), whole=False)) == words


def test_a_pattern_is_of_whole_names() -> None:
    assert names_that_match(["d_1", "d_", "ad_1", "x"], {"d_*"}) == {"d_1", "d_"}
    assert names_that_match(["d_1", "x"], {ANY}) == {"d_1", "x"}


def observed_and_left_out(claims: Sequence[Claim]) -> list[str]:
    """Letters that the first cases of claims observe, and that their fingerprints leave out."""
    found, n_seen = [], 0
    for claim in claims:
        left_out = letters_left_out(claim)
        tests = [*(reading.test for reading in claim.readings), *(mutant.test for mutant in claim.mutants)]
        sided = [test for test in tests if isinstance(test, Inequality)]
        for case in {id(c): c for test in sided for c in some_cases(test)[:1]}.values():
            with np.errstate(all="ignore"):
                names = set(case.measure(case.space.decode(np.full((2, case.space.n_cube), 0.4))))
            n_seen += 1
            missed = names & left_out
            found += [f"{claim.id}, {case.name}: {', '.join(sorted(missed))}"] if missed else []
    assert n_seen > len(claims) / 4
    return found


def test_every_letter_that_is_observed_counts() -> None:
    assert observed_and_left_out([claim for _, claim in EVERYTHING[::12]]) == []


@pytest.mark.nightly
def test_every_letter_that_any_claim_observes_counts() -> None:
    assert observed_and_left_out([claim for _, claim in EVERYTHING]) == []

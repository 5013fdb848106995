"""What any law, small steps, orders and choices cannot be asked is refused in words; what they reach is as they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import fedverdict as fv

S, N = fv.LogScale("s", 0.1, 10), fv.Signed("n", 0.1, 10)
V = fv.Signed("v", 0.1, 10, (2,))


def square(x: Mapping[str, Any]) -> Any:
    return x["n"] ** 2


def drawn(left: Callable[[Any], Any], *space: Any, bound: Any = 0) -> fv.Inequality:
    def sides(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": left(x)}

    return fv.Inequality(
        fv.Bound(sympy.sympify(bound)), (fv.Case("one", fv.Space(space), sides, fv.recomputed(sides)),)
    )


def eigenvalue(scale: Callable[[Any], Any], *space: Any) -> fv.Inequality:
    """The largest eigenvalue of vvᵀ times a number, against 2|v|²."""
    m = fv.symbols("m")

    def letters(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": 0 * x["v"][:, 0], "m": (x["v"] ** 2).sum(axis=1)}

    def matrix(x: Mapping[str, Any]) -> Any:
        return x["v"][:, :, None] * x["v"][:, None, :] * scale(x)[:, None, None]

    case = fv.Case("one", fv.Space((V, *space)), letters, fv.recomputed(letters))
    return fv.largest_eigenvalue(fv.Bound(2 * m), (case,), matrix)


def word(test: fv.Inequality, budget: int = 300) -> str:
    try:
        return str(fv.assert_holds(test, budget=budget).verdict)
    except AssertionError as error:
        return str(error)


def test_the_mean_of_a_sign_is_no_expectation() -> None:
    test = eigenvalue(lambda x: x["n"], N)
    for door, ask in (
        ("any_law", lambda: fv.any_law(test, "n", lambda x: (0, 1))),
        ("big_o", lambda: fv.big_o(test, lambda n: {"v": [n, 1], "n": 1})),
    ):
        with pytest.raises(ValueError, match=f"{door}: the exact side of this statement is a sign alone"):
            ask()


def test_the_sign_of_an_eigenvalue_is_asked_for_small_steps_and_of_a_choice() -> None:
    eta = fv.LogScale("eta", 1e-3, 10)
    assert word(fv.for_small(eigenvalue(lambda x: 1 + x["eta"], eta), "eta", until=0.1)) == "holds"
    assert "refuted" in word(fv.for_small(eigenvalue(lambda x: 2 + x["eta"], eta), "eta", until=0.1))
    assert fv.some_choice(eigenvalue(lambda x: x["eta"], eta), "eta", "(0, 4]", budget=300).word == "holds"
    assert fv.some_choice(eigenvalue(lambda x: 2 + x["eta"], eta), "eta", "[1, 4]", budget=300).word == "refuted"


@pytest.mark.parametrize(
    ("matrix", "shape"),
    [
        (lambda x: np.eye(2), r"\(2, 2\)"),
        (lambda x: x["v"][:, :, None], r"2, 1\)"),
        (lambda x: x["v"][:, :0, None], "0, 1"),
    ],
    ids=["one matrix", "not square", "empty"],
)
def test_matrices_of_another_shape_are_refused(matrix: Any, shape: str) -> None:
    def letters(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": 0 * x["v"][:, 0]}

    case = fv.Case("one", fv.Space((V,)), letters, fv.recomputed(letters))
    test = fv.largest_eigenvalue(fv.Bound(sympy.Integer(1)), (case,), matrix)
    with pytest.raises(ValueError, match=f"largest_eigenvalue: the matrices of .* have shape .*{shape}"):
        fv.assert_holds(test, budget=300)


@pytest.mark.parametrize("n", [fv.Integer("n", 0, 10), fv.Choice("n", (1.0, 3.0)), fv.Signed("n", 0.1, 10, (1,))])
def test_a_count_a_list_and_a_row_have_no_laws(n: Any) -> None:
    with pytest.raises(ValueError, match=r"any_law\('n'\)"):
        fv.any_law(drawn(square, S, n), "n", lambda x: (Fraction(1, 2),))


@pytest.mark.parametrize(
    ("moments", "said"),
    [
        (lambda x: (0, x["n"] ** 2), "the noise itself; they may read s"),
        (lambda x: 0, "expected a tuple"),
        (lambda x: (2, 3), "is below the squared mean"),
        (lambda x: (1, 1, 1), "the variance is 0"),
        (lambda x: (0, 1, 0, 1), "leaves one law, of two atoms"),
        (lambda x: (0, 1, 0, Fraction(1, 2)), "kurtosis is below"),
    ],
)
def test_moments_of_no_law_or_of_one_alone_are_said(moments: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        fv.any_law(drawn(square, S, N), "n", moments)


def test_a_mean_outside_of_the_range_is_said() -> None:
    with pytest.raises(ValueError, match="a mean of 2 is outside"):
        fv.any_law(drawn(square, S, fv.Uniform("n", 0, 1)), "n", lambda x: (2,))
    with pytest.raises(ValueError, match="outside of the numbers above 0"):
        fv.any_law(drawn(square, S, fv.LogScale("n", 0.1, 1)), "n", lambda x: (0,))


@pytest.mark.parametrize(("bound", "holds"), [(4, True), (Fraction(39, 10), False)])
@pytest.mark.parametrize("moments", [lambda x: (2, 4), lambda x: (2,)], ids=["no variance", "an end of the range"])
def test_where_the_moments_leave_one_law_it_is_found(bound: Any, holds: bool, moments: Any) -> None:
    test = fv.any_law(drawn(square, S, fv.Uniform("n", 0, 2), bound=bound), "n", moments)
    assert (word(test) == "holds") == holds


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_law_at_both_ends_of_a_range_is_among_the_first(seed: int) -> None:
    test = drawn(square, S, fv.Uniform("n", 0, 1), bound=Fraction(49, 100))
    law = fv.any_law(test, "n", lambda x: (Fraction(1, 2),))
    assert fv.find_counterexample(law, budget=100, seed=seed) is not None
    true = drawn(square, S, fv.Uniform("n", 0, 1), bound=Fraction(1, 2))
    assert word(fv.any_law(true, "n", lambda x: (Fraction(1, 2),))) == "holds"


@pytest.mark.parametrize(
    ("sign", "bound", "holds"),
    [
        (1, Fraction(19, 50), True),  # atoms 1/5 and 1, with 5/8 and 3/8
        (1, Fraction(379, 1000), False),
        (-1, Fraction(-8, 25), True),  # atoms 0 and 4/5, with 3/8 and 5/8
        (-1, Fraction(-321, 1000), False),
    ],
)
def test_laws_of_two_moments_reach_both_ends_of_a_range(sign: int, bound: Fraction, holds: bool) -> None:
    test = drawn(lambda x: sign * x["n"] ** 3, S, fv.Uniform("n", 0, 1), bound=bound)
    law = fv.any_law(test, "n", lambda x: (Fraction(1, 2), Fraction(2, 5)))
    assert (fv.find_counterexample(law, budget=500) is None) == holds


def test_rare_atoms_far_away_are_tried() -> None:
    test = fv.any_law(drawn(square, S, fv.LogScale("n", 0.1, 10), bound=100), "n", lambda x: (1,))
    assert fv.find_counterexample(test, budget=1000) is not None


def test_moments_with_roots_are_exact() -> None:
    def mean_of_square(bound: Any) -> fv.Inequality:
        test = drawn(lambda x: square(x) - bound * x["s"], S, N)
        return fv.any_law(test, "n", lambda x: (np.sqrt(x["s"]), 2 * x["s"]))

    assert word(mean_of_square(2)) == "holds"
    assert "refuted" in word(mean_of_square(1))


def test_the_order_of_any_law_and_small_steps() -> None:
    def noisy(x: Mapping[str, Any]) -> Any:
        return (1 - x["eta"] * x["n"]) ** 2 - 1 + x["eta"] * x["s"]

    test = fv.any_law(drawn(noisy, S, N, fv.LogScale("eta", 1e-3, 1)), "n", lambda x: (x["s"], 2 * x["s"] ** 2))
    assert word(fv.for_small(test, "eta", until=1e-2)) == "holds"
    false = fv.any_law(drawn(noisy, S, N, fv.LogScale("eta", 1e-3, 1)), "n", lambda x: (x["s"] / 3, 2 * x["s"] ** 2))
    assert "refuted" in word(fv.for_small(false, "eta", until=1e-2))


@pytest.mark.parametrize(
    "eta",
    [fv.Choice("eta", (1.0, 2.0)), fv.Integer("eta", 1, 5), fv.Uniform("eta", 1, 2), fv.LogScale("eta", 1, 2, (1,))],
)
def test_what_is_never_small_is_refused(eta: Any) -> None:
    with pytest.raises(ValueError, match=r"for_small\('eta'\)"):
        fv.for_small(drawn(lambda x: x["eta"], S, eta, bound=1), "eta")


@pytest.mark.parametrize("until", [float("nan"), 0, -1, float("inf")])
def test_an_until_that_is_no_number_above_0_is_refused(until: float) -> None:
    with pytest.raises(ValueError, match="expected a number above 0"):
        fv.for_small(drawn(lambda x: x["eta"], S, fv.Uniform("eta", 0, 1), bound=1), "eta", until=until)


def test_an_until_that_is_not_small_beside_the_constants_is_said_with_one_that_is() -> None:
    test = drawn(lambda x: x["eta"] - x["s"], fv.LogScale("s", 1e-8, 1e-7), fv.LogScale("eta", 1e-3, 1))
    with pytest.raises(ValueError, match=r"not small beside the constants .* try until=1e-08"):
        fv.for_small(test, "eta")
    assert word(fv.for_small(test, "eta", until=1e-8)) == "holds"


@pytest.mark.parametrize(
    "path",
    [lambda n: {"s": n, "n": Fraction(1, 2)}, lambda n: {"s": n, "n": n / 2}, lambda n: {"s": n, "n": 1 / n}],
    ids=["a half", "n/2", "1/n"],
)
def test_a_count_is_whole_on_a_path(path: Any) -> None:
    test = drawn(lambda x: x["s"] * (x["n"] - x["n"] ** 2), S, fv.Integer("n", 0, 10), bound=1)
    with pytest.raises(ValueError, match="n on the path is no number that Integer"):
        fv.big_o(test, path)
    assert fv.big_o(test, lambda n: {"s": n, "n": n * (n + 1) / 2}).word == "inconclusive"


def test_a_path_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="the path gives None"):
        fv.big_o(drawn(square, S, N, bound=1), lambda n: None)  # type: ignore[arg-type, return-value]


def test_a_choice_is_a_value_that_the_number_may_have() -> None:
    count, few = fv.Integer("n", 0, 10), fv.Choice("n", (1.0, 3.0))
    no_half = drawn(lambda x: x["s"] * abs(2 * x["n"] - 1), S, count)
    assert fv.some_choice(no_half, "n", "(0, 3]", budget=200).word == "refuted"
    two = fv.some_choice(drawn(lambda x: x["s"] * abs(x["n"] - 2), S, count), "n", "(0, 10]", budget=200)
    assert (two.word, two.value) == ("holds", 2)
    assert (
        fv.some_choice(drawn(lambda x: abs(x["n"] - 2) * x["s"], S, few), "n", "[1, 3]", budget=200).word == "refuted"
    )
    three = fv.some_choice(drawn(lambda x: abs(x["n"] - 3) * x["s"], S, few), "n", "[1, 3]", budget=200)
    assert (three.word, three.value) == ("holds", 3)
    with pytest.raises(ValueError, match="expected an interval of values it may have"):
        fv.some_choice(drawn(square, S, fv.Uniform("n", 1, 2)), "n", "(0, 2]")
    with pytest.raises(ValueError, match="has no value there"):
        fv.some_choice(drawn(square, S, few), "n", "(1, 2]")


def test_values_ever_nearer_to_0_end_in_words() -> None:
    def sides(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": x["eta"], "admissible": x["eta"] <= x["s"]}

    case = fv.Case("one", fv.Space((S, fv.LogScale("eta", 1e-3, 10))), sides, fv.recomputed(sides))
    found = fv.some_choice(fv.Inequality(fv.Bound(sympy.Integer(0)), (case,)), "eta", "(0, 1]", budget=200)
    assert found.word == "inconclusive"
    assert "too near an end to be tried" in found.why


def test_there_is_takes_statements() -> None:
    with pytest.raises(TypeError, match=r"there_is\('x'\): a str"):
        fv.there_is("x")  # type: ignore[arg-type]


def test_a_measure_that_changes_what_it_is_given_is_said() -> None:
    def twice(x: Mapping[str, Any]) -> Any:
        y = x["s"]
        y *= 2
        return y

    with pytest.raises(ValueError, match="the measure changes 's', which it is given"):
        fv.assert_holds(drawn(twice, S, bound=30), budget=100)

"""Users' statements recomputed exactly: none true is refuted, none false passes by irrationality, reasons are named."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theory.exact import InexactError
from validation import (
    Bound,
    Case,
    Inequality,
    LogScale,
    Signed,
    Space,
    assert_holds,
    find_counterexample,
    recomputed,
    symbols,
)
from validation.judge.exact.certify import recheck
from validation.script.script import inequality_script
from validation.statement.claim import ExactCheck
from validation.statement.outcome import Witness

a, b, y = symbols("a b y")
SPACE = Space((LogScale("c", 1e-3, 1e3), Signed("w", 1e-3, 1e3)))
WIDE = Space((LogScale("c", 1e4, 1e6), Signed("w", 1e-3, 1e3)))
RATE = 0.1
HALF = 0.5
HUGE = 1e16
Measure = Callable[[Mapping[str, Any]], dict[str, Any]]


def square_of_sum_left(x):
    """(c + w)² − c² − 2cw, which is w²; in floats it cancels for c far above w."""
    return (x["c"] + x["w"]) ** 2 - x["c"] ** 2 - 2 * x["c"] * x["w"]


# Searches whose float candidates are rounding errors: the recheck has to dismiss them, or refuse with line and cure.


def with_a_half(x):
    return {"lhs": 0.5 * square_of_sum_left(x), "a": 0.5 * x["w"] ** 2}


def with_a_root(x):
    return {"lhs": (square_of_sum_left(x) ** 2) ** 0.5, "a": np.abs(x["w"]) ** 2}


def with_a_maximum(x):
    return {"lhs": np.maximum(0, square_of_sum_left(x)) / 2, "a": np.maximum(0, x["w"] ** 2) / 2}


def with_integer_powers(x):
    return {"lhs": square_of_sum_left(x) * (np.arange(1, 6) ** 27)[-1], "a": x["w"] ** 2 * 5**27}


def with_huge_floats(x):
    return {"lhs": square_of_sum_left(x) * (HUGE + 1.0), "a": x["w"] ** 2 * (10**16 + 1)}


def with_a_norm(x):
    rest = np.stack([square_of_sum_left(x), 0 * x["w"]], axis=-1)
    return {"lhs": np.linalg.norm(rest, axis=-1), "a": x["w"] ** 2}


def with_logarithms(x):
    return {"lhs": square_of_sum_left(x) * np.log(x["c"] ** 2), "a": 2 * x["w"] ** 2 * np.log(x["c"])}


def with_imports(x):
    import numpy

    return {"lhs": square_of_sum_left(x) * (1 + numpy.exp(-1000.0)), "a": x["w"] ** 2 * (1 + numpy.exp(-1000.0))}


class Scaled:
    """A measure that is an object."""

    def __call__(self, x):
        return {"lhs": 0.5 * square_of_sum_left(x), "a": self.again(x)}

    def again(self, x):
        return 0.5 * x["w"] ** 2


@pytest.mark.parametrize(
    "measure",
    [
        with_a_half,
        with_a_root,
        with_a_maximum,
        with_integer_powers,
        with_huge_floats,
        with_a_norm,
        with_logarithms,
        with_imports,
        Scaled(),
    ],
)
def test_rounding_errors_of_a_true_identity_are_dismissed(measure: Measure) -> None:
    case = Case("identity", WIDE, measure, recomputed(measure))
    why = assert_holds(Inequality(Bound(1 * a), (case,)), budget=400).why
    assert "dismissed by exact arithmetic" in why
    assert ("which is no proof that they are equal" in why) == (measure is with_logarithms)


def with_a_tenth(x):
    return {"lhs": 0.1 * square_of_sum_left(x), "a": 0.1 * x["w"] ** 2}


def with_a_global_tenth(x):
    return {"lhs": square_of_sum_left(x) * RATE, "a": RATE * x["w"] ** 2}


def with_math(x):
    return {"lhs": square_of_sum_left(x) * math.sqrt(2), "a": math.sqrt(2) * x["w"] ** 2}


def with_float(x):
    return {"lhs": np.asarray([float(v) for v in square_of_sum_left(x)]), "a": x["w"] ** 2}


def with_a_third(x):
    return {"lhs": square_of_sum_left(x) * (1 / 3), "a": x["w"] ** 2 / 3}


def with_a_sine(x):
    return {"lhs": square_of_sum_left(x) * np.sin(x["c"]) ** 2, "a": x["w"] ** 2 * np.sin(x["c"]) ** 2}


@pytest.mark.parametrize(
    ("measure", "cure"),
    [
        (with_a_tenth, r"0\.1 is not exactly that number.*0\.1 \* square_of_sum_left.*write Fraction\(1, 10\)"),
        (with_a_global_tenth, r"square_of_sum_left\(x\) \* RATE.*write Fraction\(1, 10\)"),
        (with_math, r"math\.sqrt rounds.*math\.sqrt\(2\).*use np\.sqrt"),
        (with_float, r"rounded to a float.*float\(v\)"),
        (with_a_third, r"write Fraction\(1, 3\)"),
        (with_a_sine, r"np\.sin has no exact version.*np\.sin"),
    ],
)
def test_a_float_that_slips_in_is_named_with_its_line_and_cure_and_refutes_nothing(measure: Measure, cure: str) -> None:
    case = Case("identity", WIDE, measure, recomputed(measure))
    with pytest.raises(AssertionError, match=rf"inconclusive[\s\S]*{cure}"):
        assert_holds(Inequality(Bound(1 * a), (case,)), budget=400)


# False and true statements side by side, decided at two instances.


@dataclass(frozen=True)
class Statement:
    """`sides` against `bound`; the true twin has the other `bound`."""

    name: str
    sides: Measure
    false: Any
    true: Any
    space: Space = SPACE


def _roots(x):
    return {"lhs": np.sqrt(x["c"]) + np.sqrt(2 * x["c"]), "a": x["c"]}


def _norms(x):
    v = np.stack([x["c"], x["w"]], axis=-1)
    return {"lhs": np.linalg.norm(v, axis=-1), "a": x["c"], "b": np.abs(x["w"])}


def _cubes(x):
    return {"lhs": np.cbrt(x["c"]), "a": x["c"]}


def _powers(x):
    return {"lhs": x["c"] ** 1.5, "a": x["c"]}


def _plain(x):
    return {"lhs": x["c"], "a": x["c"], "b": np.abs(x["w"]) + 1}


def _softmax(x):
    top = np.exp(x["c"] / 1000)
    return {"lhs": top / (top + 1), "a": x["c"] / 1000}


def _entropy(x):
    p = x["c"] / (x["c"] + 1)
    return {"lhs": -p * np.log(p) - (1 - p) * np.log(1 - p), "a": 1 + 0 * p}


def _deviation(x):
    v = np.stack([x["c"], x["w"], x["c"] + x["w"]], axis=-1)
    return {"lhs": np.std(v, axis=-1), "a": np.max(np.abs(v), axis=-1), "b": np.var(v, axis=-1)}


def _masked(x):
    safe = np.where(x["w"] > 0, 1 / x["w"], 0)
    return {"lhs": np.sqrt(np.maximum(0, x["w"])) * safe, "a": safe}


def _golden(x):
    phi = (1 + np.sqrt(5)) / 2
    return {"lhs": phi * phi * x["c"], "a": phi * x["c"] + x["c"]}


def _nested(x):
    return {"lhs": np.sqrt(x["c"] * (5 + 2 * np.sqrt(6))), "a": x["c"]}


def _distance(x):
    return {"lhs": np.hypot(x["c"], x["c"]), "a": x["c"]}


def _log_sum(x):
    return {"lhs": np.logaddexp(x["c"] / 100, x["w"] / 100), "a": np.maximum(x["c"], x["w"]) / 100}


def _solved(x):
    n = len(x["c"])
    matrix = np.broadcast_to(np.asarray([[2, 1], [1, 3]]), (n, 2, 2))
    found = np.linalg.solve(matrix, np.stack([x["c"], x["c"]], axis=-1)[..., None])[..., 0]
    return {"lhs": np.linalg.norm(found, axis=-1), "a": x["c"]}


tiny = sp.Rational(1, 10**30)
R = sp.Rational
STATEMENTS = [
    Statement(
        "√2 against a convergent below",
        _roots,
        (1 + R(470832, 332929) - 1 + 1 - tiny) * sp.sqrt(a),
        (1 + sp.sqrt(2)) * sp.sqrt(a),
    ),
    Statement("‖v‖ <= |c| + |w|, less 10⁻³⁰", _norms, sp.sqrt(a**2 + b**2) * (1 - tiny), sp.sqrt(a**2 + b**2)),
    Statement("c^(1/3)", _cubes, a ** R(1, 3) * (1 - tiny), a ** R(1, 3)),
    Statement("c^(3/2)", _powers, a * sp.sqrt(a) * (1 - tiny), a * sp.sqrt(a)),
    Statement("c <= √c²", _plain, sp.sqrt(a**2 * (1 - tiny)), sp.sqrt(a**2)),
    Statement("c <= √(c + b)², b > 0", _plain, sp.sqrt(a) * sp.sqrt(a) * (1 - tiny), sp.sqrt(a + b) ** 2),
    Statement("AM–GM", _plain, a * (1 - tiny), (a * sp.sqrt(b) + a / sp.sqrt(b)) / 2),
    Statement("logistic", _softmax, (1 - tiny) / (1 + sp.exp(-a)), 1 / (1 + sp.exp(-a)) + tiny),
    Statement("entropy of two", _entropy, sp.log(2) * a * R(1, 2**40), sp.log(2) * a),
    Statement("deviation squared", _deviation, sp.sqrt(b) * (1 - tiny), sp.sqrt(b)),
    Statement("deviation at most the largest", _deviation, sp.sqrt(b) - tiny * a, 2 * a),
    Statement("a masked root of a negative", _masked, sp.sqrt(a) * (1 - tiny), sp.sqrt(a)),
    Statement("φ² = φ + 1", _golden, a * (1 - tiny), a),
    Statement(
        "√(5 + 2√6) = √2 + √3",
        _nested,
        sp.sqrt(a) * (sp.sqrt(2) + sp.sqrt(3) - tiny),
        sp.sqrt(a) * (sp.sqrt(2) + sp.sqrt(3)),
    ),
    Statement(
        "√2 < 1.4142135623730950488016887242097",
        _distance,
        a * R(14142135623730950488016887242096, 10**31),
        a * R(14142135623730950488016887242097, 10**31),
    ),
    Statement("log-sum-exp", _log_sum, a, a + sp.log(2)),
    Statement("a linear system", _solved, a * sp.sqrt(5) / 5 * (1 - tiny), a * sp.sqrt(5) / 5),
    Statement(
        "π",
        _plain,
        a * sp.pi / R(31415926535897932384626433832795029, 10**34),
        a * sp.pi / R(31415926535897932384626433832795028, 10**34),
    ),
    Statement(
        "e from its series",
        _plain,
        a * sp.exp(1) / R(2718281828459045235360287471352663, 10**33),
        a * sp.exp(1) / R(2718281828459045235360287471352662, 10**33),
    ),
    Statement("max of roots", _plain, sp.Max(sp.sqrt(a**2 - tiny * a**2), a / 2), sp.Max(sp.sqrt(a**2), a / 2)),
]
EACH = pytest.mark.parametrize("statement", STATEMENTS, ids=[s.name for s in STATEMENTS])
INSTANCES = ({"c": Fraction(3, 7), "w": Fraction(2, 5)}, {"c": Fraction(2), "w": Fraction(9, 4)})


@EACH
def test_a_statement_false_by_irrationality_is_refuted_and_its_true_twin_is_not(statement: Statement) -> None:
    exact = recomputed(statement.sides)
    false = [recheck(Bound(statement.false), exact, x) for x in INSTANCES]
    true = [recheck(Bound(statement.true), exact, x) for x in INSTANCES]
    assert [violated for violated, _, _ in false] == [True, True]
    assert [violated for violated, _, _ in true] == [False, False]
    for violated, lhs, rhs in (*false, *true):
        assert str(lhs)
        assert (float(lhs) >= float(rhs)) if violated else (float(lhs) <= float(rhs))


def test_a_square_root_in_a_users_bound_from_end_to_end() -> None:
    gap, L = symbols("gap L")

    def gradient(x):
        return {"lhs": x["c"] * np.abs(x["w"]), "L": x["c"], "gap": x["c"] * x["w"] ** 2 / 2}

    case = Case("one client", SPACE, gradient, recomputed(gradient))
    assert_holds(Inequality(Bound(sp.sqrt(2 * L * gap)), (case,)), budget=400)
    found = find_counterexample(Inequality(Bound(sp.sqrt(R(199, 100) * L * gap)), (case,)), budget=400)
    assert found is not None
    assert found.lhs == found.instance["c"] * abs(found.instance["w"])
    assert str(found.rhs).startswith("0.99749686716300015" if found.lhs == 1 else "") or float(found.rhs) < float(
        found.lhs
    )


def test_a_side_that_is_an_array_of_several_numbers_is_refused() -> None:
    exact = recomputed(lambda x: {"lhs": np.stack([x["c"], x["c"]], axis=-1), "a": x["c"]})
    with pytest.raises(ValueError, match=r"'lhs' has shape \(1, 2\) for one instance"):
        recheck(Bound(1 * a), exact, INSTANCES[0])


def test_numbers_without_a_value_count_only_where_they_are_used() -> None:
    x = {"c": Fraction(1), "w": Fraction(0)}
    unused = recomputed(lambda x: {"lhs": x["c"], "a": 2 * x["c"], "b": 1 / x["w"]})
    assert not recheck(Bound(1 * a), unused, x)[0]
    with pytest.raises(
        Exception, match=r"undefined: the right side is no value \(a division by 0 in line \d+ of test_"
    ):
        recheck(Bound(1 * b), unused, x)


def test_hypotheses_are_asked_exactly() -> None:
    def guarded(x):
        return {"lhs": x["c"], "a": x["c"] / 2, "admissible": np.sqrt(x["c"]) ** 2 < x["c"]}

    with pytest.raises(Exception, match="hypotheses not met: admissible"):
        recheck(Bound(1 * a), recomputed(guarded), INSTANCES[0])


@pytest.mark.parametrize(
    ("expression", "constants", "words"),
    [
        (R(1, 10) * a, {"lhs": 0.1, "a": Fraction(1)}, r"'lhs' of the exact side: the float 0\.1"),
        (
            0.1 * a,
            {"lhs": Fraction(1, 10), "a": Fraction(1)},
            r"Bound: the float 0\.1 .*sympy\.Rational\(1, 10\)",
        ),
        (sp.cos(a), {"lhs": Fraction(1), "a": Fraction(1)}, "cos has no exact version"),
    ],
)
def test_floats_in_a_users_exact_check_or_bound_are_refused(expression: Any, constants: Any, words: str) -> None:
    with pytest.raises(InexactError, match=words):
        recheck(Bound(expression), ExactCheck(lambda _: ({}, constants)), {})


def steep_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    """A plain exact side of `steep`."""
    return {"c > 0": x["c"] > 0}, {"lhs": x["c"], "a": x["c"] ** 2, "b": x["w"] ** 2}


def steep(x):
    return {"lhs": x["c"], "a": x["c"] ** 2, "b": x["w"] ** 2}


@pytest.mark.parametrize(
    ("bound", "confirmed"),
    [
        (sp.sqrt(a) * R(9, 10), True),
        (sp.sqrt(a * R(1, 2)) * (1 - 1 / (2 + b) ** 2) * sp.cbrt(2), True),
        (sp.sqrt(a) * (1 - tiny**5), False),  # 400 bits do not show it
        (sp.exp(-1) * sp.sqrt(a), False),
    ],
)
def test_scripts_of_bounds_with_roots_confirm_with_python_alone(bound: Any, confirmed: bool, tmp_path: Path) -> None:
    case = Case("steep", SPACE, steep, ExactCheck(steep_exact))
    instance = {"c": Fraction(2), "w": Fraction(1, 3)}
    violated, lhs, rhs = recheck(Bound(bound), case.exact, instance)
    assert violated
    witness = Witness(case, instance, lhs, rhs, "by hand", 1.0)
    source = inequality_script("MINE", "as stated", "c <= …", Bound(bound), witness)
    assert (source is not None) == confirmed
    if source is not None:
        script = tmp_path / "s.py"
        for text, code in ((source, 0), (source, 1)):
            script.write_text(text.replace('"c": 2', '"c": -2') if code else text)
            done = subprocess.run([sys.executable, "-I", str(script)], check=False, capture_output=True, text=True)
            assert done.returncode == code, done.stderr
            assert "right side at most" in done.stdout
            assert ("NOT violated" in done.stdout) == bool(code)

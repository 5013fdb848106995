"""Scripts on printed numbers: the order that singles out what is compared stands there whole, and is checked."""

from __future__ import annotations

import contextlib
import io
import re
from fractions import Fraction

import pytest

from validation.published.relations import Quantity, below, constant, number, ranked, rival, spread
from validation.published.tables import Printed
from validation.script.printed_relation import comparison_script
from validation.statement.claim import Comparison


def cells(**printed: str) -> list[Quantity]:
    return [number(Printed(text, "table 3", f"Office, {name}, accuracy")) for name, text in printed.items()]


METHODS = cells(FedAvg="9.0", Worse="1.5", Better="3.0", Local="2.0", Soft="2.5")


def output(script: str) -> tuple[int, str]:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), pytest.raises(SystemExit) as end:
        exec(compile(script, "<script>", "exec"), {"__name__": "script"})
    return int(str(end.value.code)), shown.getvalue()


def written(comparison: Comparison) -> str:
    return comparison_script("X-1", "as printed", comparison)


MEDIAN = written(below(ranked(METHODS, 3), constant(2), "more than half are at most 2", strict=False))


def test_all_that_is_put_in_order_stands_there_by_name() -> None:
    code, shown = output(MEDIAN)
    assert code == 0
    assert re.findall(r"^ +\d+\. (\S+)  (\S+)", shown, re.M) == [
        ("1.5", "Worse"),
        ("2", "Local"),
        ("2.5", "Soft"),
        ("3", "Better"),
        ("9", "FedAvg"),
    ]
    assert "  3. 2.5  Soft  <-- is compared" in shown
    assert "number 3 of 5 from below: Soft, 2 are less, 2 more: True" in shown
    assert shown.endswith("claimed: 5/2 <= 2  (2.5, 2)\nviolated\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"2.5"', '"2.0"'),  # what is compared is no more than 2
        ('"2.5"', '"4.0"'),  # what is compared is more, and no longer the third
        ('"1.5"', '"7.0"'),  # another one is the third
        ('"9.0"', '"1.0"'),
        ("right = 2", "right = 3"),
        ("'Soft', 3", "'Soft', 2"),  # another place is claimed
    ],
)
def test_a_changed_number_is_no_violation(old: str, new: str) -> None:
    assert MEDIAN.count(old) == 1
    code, shown = output(MEDIAN.replace(old, new))
    assert code == 1
    assert shown.endswith("NOT violated\n")


def test_of_two_that_are_alike_either_has_the_place() -> None:
    tied = cells(A="1.0", B="2.0", C="2.0", D="3.0")
    for place in (2, 3):
        assert output(written(below(ranked(tied, place), constant(1))))[0] == 0


def test_expressions_are_ranked_in_the_letters_of_the_comparison() -> None:
    ours, *others = METHODS
    least = rival([ours - q for q in others], largest=False)
    script = written(below(least, constant(1)))
    assert "'Worse': FedAvg - Fraction(\"1.5\")" in script
    assert "'Better': -Better + FedAvg" in script
    assert output(script)[0] == 0
    assert output(script.replace('Fraction("1.5")', 'Fraction("8.5")'))[0] == 1


def test_what_is_ordered_twice_stands_there_once() -> None:
    script = written(below(spread(METHODS), constant(1)))
    assert script.count("'Local': ") == 1
    assert script.count("in_place('") == 2
    assert output(script)[0] == 0


def test_orders_of_orders_are_checked_each() -> None:
    first, second = cells(A="1.0", B="2.0"), cells(C="3.0", D="4.0")
    script = written(below(rival([rival(first), rival(second)]), constant(1)))
    assert script.count("in_place('") == 3
    code, shown = output(script)
    assert code == 0
    assert shown.count(": True") == 3
    assert output(script.replace('"1.0"', '"2.5"'))[0] == 1  # A is above B: an inner order is broken


def test_places_that_are_called_alike_are_numbered() -> None:
    twice = [METHODS[0] - METHODS[1], METHODS[0] + METHODS[1]]
    script = written(below(rival(twice), constant(1)))
    assert [name[-3:] for name in re.findall(r"'([^']*)': ", script)] == ["(1)", "(2)"]
    assert output(script)[0] == 0


@pytest.mark.parametrize("name", ["placed", "in_place", "values_1", "left", "holds"])
def test_a_cell_is_not_called_what_the_script_calls_its_own(name: str) -> None:
    both = [number(Printed("1.0", "t", f"x_{name}")), number(Printed("2.0", "t", "x_other"))]
    assert output(written(below(spread(both), constant(Fraction(1, 2)))))[0] == 0

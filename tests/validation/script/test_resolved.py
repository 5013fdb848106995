"""Counterexamples on a page: what is written out, what is left to the plain function, and that a wrong page is none."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation.script import straight_line as pages
from validation.script.emit import Layout, Writer
from validation.script.printed_relation import comparison_script
from validation.script.reroll_loops import rolled
from validation.script.reuse_names import sharing
from validation.script.straight_line import LONGEST, resolved
from validation.script.trace import Number, Record, remembering
from validation.script.trace_names import watching
from validation.statement.bound import Bound
from validation.statement.claim import Cell, Comparison, ExactCheck

F = Fraction
a, b, x = sp.symbols("a b x")


def run(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Steps of gradient descent on h/2·w²; the noise is added at each."""
    w = x["start"]
    for h in x["curvature"]:
        w = w - x["eta"] * h * w + x["noise"]
    met = {
        "mu > 0": min(x["curvature"]) > 0,
        "weights on the simplex": sum(x["share"]) == 1 and all(0 <= p <= 1 for p in x["share"]),
    }
    return met, {"lhs": abs(w), "a": x["start"], "b": max(x["curvature"])}


INSTANCE = {
    "curvature": [F(3), F(1, 2)],
    "share": [F(1, 3), F(2, 3)],
    "start": F(-1),
    "eta": F(1),
    "noise": F(0),
}


def page(bound: Any, exact: Any = run, uses: tuple[Any, ...] = (), **changes: Any) -> str | None:
    check = ExactCheck(exact, uses)
    return resolved("X-1", "as printed", "It comes nearer.", Bound(sp.sympify(bound)), check, {**INSTANCE, **changes})


def output(script: str, folder: Path) -> tuple[int, str]:
    (folder / "x.py").write_text(script, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "x.py"], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_page_stands_alone_and_shows_hypotheses_terms_and_ratio(tmp_path: Path) -> None:
    script = page(b / 4 + a / 2)
    assert script is not None
    assert len(script.splitlines()) <= LONGEST
    code, shown = output(script, tmp_path)
    assert code == 0, shown
    assert "hypothesis mu > 0: 1/2 > 0: True" in shown
    assert "hypothesis weights on the simplex: 1 == 1: True" in shown
    assert "term a/2 = -1/2 = -0.5" in shown
    assert "left side 1, right side 1/4, ratio 4" in shown
    assert "noise" not in script  # it is 0 and changes nothing
    assert "for h in" not in script  # the loop is gone


def as_drawn(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    return {"start < 0": x["start"] < 0}, {"lhs": x["start"] * x["start"], "a": x["start"] + 1, "start": x["eta"] - 2}


def test_a_quantity_that_is_called_as_a_drawn_number_is_another(tmp_path: Path) -> None:
    script = page(a + sp.Symbol("start"), as_drawn)
    assert script is not None
    code, shown = output(script, tmp_path)
    assert code == 0, shown
    assert "hypothesis start < 0: -1 < 0: True" in shown
    assert "start_drawn = Fraction(-1)" in script
    assert "term start = -1 = -1" in shown
    assert "left side 1, right side -1" in shown


def test_the_comparisons_are_those_of_the_hypothesis() -> None:
    script = page(b / 4)
    assert script is not None
    assert 'holds("mu > 0", curvature_2, ">", 0)' in script
    assert 'curvature_2, "<"' not in script  # the least is found by comparing, too
    assert 'holds("weights on the simplex: the others", ' in script  # more than three: in one line


@pytest.mark.parametrize(
    "bound",
    [b, b * 7, sp.sqrt(x) * b],  # holds there, holds there, and no rational right side
)
def test_what_is_not_violated_or_no_arithmetic_has_no_page(bound: Any) -> None:
    assert page(bound) is None


def long(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    total, w = F(0), x["start"]
    for k in range(200):
        w = w * (k + 1) / (k + 2) + (x["start"] if k * k % 7 == 2 else x["eta"] / (k * k + 3)) * w
        total = total + w * w
    return {"any": True}, {"lhs": total, "a": x["start"]}


def rounds(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Steps of size 1/(7 + t) with a mean and a variance."""
    mean, variance = x["start"], F(0)
    for t in range(500):
        eta = x["eta"] / (7 + t)
        mean, variance = mean - eta * mean, (1 - eta) ** 2 * variance + eta**2 * x["noise"]
    return {"noise >= 0": x["noise"] >= 0}, {"lhs": mean**2 + variance, "a": x["start"]}


def through_floats(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    return {}, {"lhs": F(float(x["start"]) + 2), "a": x["start"]}


def power_of_e(x: Fraction) -> Fraction:
    """e^x by its series."""
    term = total = F(1)
    for k in range(1, 60):
        term = term * x / k
        total += term
    return total


def cut(x: Fraction) -> Fraction:
    """x to 40 bits."""
    return Fraction(round(x * 2**40), 2**40)


def softened(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Weights by e^w, cut to 40 bits, round after round."""
    w = x["start"]
    for _ in range(6):
        raw = [power_of_e(-w * h) for h in x["curvature"]]
        w = cut(sum(r * h for r, h in zip(raw, x["curvature"], strict=True)) / sum(raw))
    return {"mu > 0": min(x["curvature"]) > 0}, {"lhs": w, "a": x["start"] - x["start"] + power_of_e(x["noise"])}


def test_functions_of_one_number_stand_as_calls_and_series_as_what_python_has(tmp_path: Path) -> None:
    exact = ExactCheck(softened, (power_of_e, cut))
    script = page(a / 10, exact.function, exact.uses)
    assert script is not None
    assert "def power_of_e(x):  # e^x" in script
    assert ".exp())" in script
    assert "def cut(x): return Fraction(round(x * 2 ** 40), 2 ** 40)" in script
    assert "a = Fraction(1)" in script  # e^0
    code, shown = output(script, tmp_path)
    assert code == 0, shown
    assert f"left side {softened(INSTANCE)[1]['lhs']}" in shown  # to 40 bits, whose series it was does not show
    assert softened.__globals__["cut"] is cut


def test_what_cancels_is_not_written() -> None:
    record = Record(frozenset())
    one, two = remembering(record, "one", F(3, 2)), remembering(record, "two", F(7))
    assert (two + one - two).node is one.node
    assert (one + (two - one)).node is two.node
    assert (one - one).node.parts == ()
    writer = Writer([(two + one + one + one + 2 + 3).node], {}, Layout(20))
    assert writer.text((two + one + one + one + 2 + 3).node) == "two + 3 * one + 5"
    assert Writer([(-one * two).node], {}, Layout(20)).text((-one * two).node) == "-one * two"
    for made in (one * F(1, 2) * two, 1 / two * one, 0 - one, F(1, 2) * (one - two) - (two - one)):
        text = Writer([made.node], {}, Layout(20)).text(made.node)
        assert eval(text, {"Fraction": F, "one": F(3, 2), "two": F(7)}) == made.node.value, text


def test_what_is_longer_than_a_page_has_none() -> None:
    assert page(a / 10**9, long, start=F(1)) is None


def test_rounds_stand_as_a_loop_with_a_table(tmp_path: Path) -> None:
    script = page(a**2 / 10**9, rounds, start=F(1), noise=F(1))
    assert script is not None
    assert len(script.splitlines()) <= LONGEST
    assert "for k in range(49" in script
    code, shown = output(script, tmp_path)
    assert code == 0, shown
    table = [line for line in shown.splitlines() if line.startswith("  ")]
    assert len(table) > 490
    assert table[1].startswith("  2: ")


def programs(rng: np.random.Generator) -> list[tuple[str, str]]:
    """Lines before, blocks that use their own lines, those of the block before and counts, and lines behind."""
    length, blocks, step = int(rng.integers(1, 5)), int(rng.integers(2, 9)), int(rng.integers(-1, 3))
    lines = [("a", "Fraction(2, 3)"), ("b", "Fraction(-1, 5)")]
    before = ["a" if rng.random() < 0.5 else "b" for _ in range(length)]
    kinds = rng.integers(0, 5, size=(length, 2))
    for k in range(blocks):
        names = [f"s{k * length + j}" for j in range(length)]
        for j in range(length):
            choice = [
                names[int(kinds[j, 1]) % j] if j else "a",
                before[int(kinds[j, 1]) % length],
                "b",
                str(20 + step * k),
            ]
            choice.append(before[-1])
            lines.append((names[j], f"{before[j]} / 2 + {choice[int(kinds[j, 0])]} * (a - {before[0]})"))
        before = names
    return [*lines, ("c", f"{before[-1]} + a * {before[0]}"), ("d", f"c * {lines[-1][0]}")]


@pytest.mark.parametrize("seed", range(300))
def test_a_loop_computes_what_its_lines_do(seed: int) -> None:
    lines = programs(np.random.default_rng(seed))
    plain: dict[str, Any] = {"Fraction": F}
    exec("\n".join(f"{name} = {text}" for name, text in lines), plain)
    looped: dict[str, Any] = {"Fraction": F}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("\n".join(rolled(lines, {"d"})), looped)
    assert (looped["c"], looped["d"]) == (plain["c"], plain["d"])


def test_most_blocks_become_loops_and_what_is_used_behind_them_does_not() -> None:
    seeds = [rolled(programs(np.random.default_rng(seed)), {"d"}) for seed in range(300)]
    assert sum(any(line.startswith("for ") for line in lines) for lines in seeds) > 100
    chain = [("s0", "a"), *((f"s{k}", f"s{k - 1} / 2 + a") for k in range(1, 20))]
    assert "for k in range(19):" in rolled(chain, {"s19"})
    assert "for k in range(9):" in rolled(chain, {"s9"})  # the others behind it
    assert len(rolled(chain, {f"s{k}" for k in range(20)})) == 20


@pytest.mark.parametrize("seed", range(200))
def test_lines_under_shared_names_compute_the_same(seed: int) -> None:
    lines = programs(np.random.default_rng(seed))
    plain: dict[str, Any] = {"Fraction": F}
    exec("\n".join(f"{name} = {text}" for name, text in lines), plain)
    base = {name: "wv"[int(name[1:]) % 2] for name, _ in lines if name[0] == "s"}
    shared, names = sharing(rolled(lines, {"d"}), base, {"c", "d"}, {"a", "b", "c", "d", "v"})
    found: dict[str, Any] = {"Fraction": F}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("\n".join(shared), found)
    assert (found["c"], found["d"]) == (plain["c"], plain["d"])
    assert "v" not in names.values()


def test_what_is_needed_later_keeps_its_name_and_the_next_has_another() -> None:
    lines = ["w__0 = x", "w__1 = w__0 / 2", "w__2 = w__1 + w__0", "own_1__3 = w__2", "own_1__4 = own_1__3 + w__2"]
    base = {name: name.partition("__")[0] for name in re.findall(r"\w+__\d", " ".join(lines))}
    shared, names = sharing(lines, base, {"own_1__3", "own_1__4"}, {"x"})
    assert shared == ["w = x", "w_2 = w / 2", "w = w_2 + w", "own_1 = w", "own_1b = own_1 + w"]
    assert names["own_1__4"] == "own_1b"
    assert sharing(
        ["a__0 = x", "for k in range(3):", "    a__1 = a__0", "y = a__1"], {"a__0": "a", "a__1": "a"}, set(), set()
    )[0] == ["a = x", "for k in range(3):", "    a_2 = a", "y = a_2"]  # what a loop speaks of is needed all through it


def halved(values: list[Any]) -> list[Any]:
    total = sum(v * v for v in values)
    return [v / total for v in values]


def outer(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    shares = halved([c + 1 for c in x["curvature"]])
    apart = shares[0] - x["start"]
    gap = halved([apart, apart + 1])[0]
    return {"any": True}, {"lhs": gap, "a": shares[1] * 3}


def test_numbers_are_called_what_the_function_calls_them() -> None:
    record = Record(frozenset())
    before = sys.gettrace()
    with watching(record, (outer, halved)):
        _, seen = outer({name: remembering(record, name, value) for name, value in INSTANCE.items()})
    assert sys.gettrace() is before
    words = {word for _, word in record.words.values()}
    # What a called function names again, as its argument, keeps the name that the outer one gave it.
    assert words == {"values_1", "values_2", "total", "shares_1", "shares_2", "apart", "halved_2", "gap"}
    assert record.words[id(seen["lhs"].node)] == (0, "gap")  # a local name stands before a key of what is returned


def test_a_page_is_written_in_the_names_of_the_function() -> None:
    script = page(a**2 / 10**9, rounds, start=F(1), noise=F(1))
    assert script is not None
    body = script.partition("# What is observed on it.")[2].partition("def holds")[0]
    names = set(re.findall(r"(?:^|; )\s*(\w+) = ", body, re.MULTILINE))
    assert names <= {"eta", "eta_2", "mean", "mean_2", "variance", "variance_2", "a", "lhs"}
    assert "mean = mean - eta_2 * mean" in body


def whole_numbers(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    return {"any": True}, {"lhs": 2 * x["start"], "a": F(1), "b": F(7) + 0 * x["start"]}


def test_whole_numbers_are_divided_exactly(tmp_path: Path) -> None:
    script = page(a * b / 19 + a / b, whole_numbers, start=F(1))
    assert script is not None
    code, shown = output(script, tmp_path)
    assert code == 0, shown
    assert f"right side {F(7, 19) + F(1, 7)}," in shown


def test_a_page_that_leaves_exact_arithmetic_is_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    assert page(b / 4) is not None
    monkeypatch.setattr(pages, "_PAGE", pages._PAGE.replace("\n{right}\n", "\n{right}\nrhs = float(rhs)\n"))
    assert page(b / 4) is None


def test_what_no_page_can_hold_is_not_searched_for_loops() -> None:
    def chain(name: str) -> list[tuple[str, str]]:
        return [(f"{name}{k}", f"{f'{name}{k - 1}' if k else 'x'} / 2 + y") for k in range(20)]

    apart = [(f"a{k}", "x" + " + y" * (k % 7) + f" * {k * k}") for k in range(1200)]
    text = rolled([*chain("b"), *apart, *chain("c")], {"b19", "c19", *(name for name, _ in apart)})
    assert any(line.startswith("for k in range(") for line in text[:5])
    assert text[-1] == "c19 = c18 / 2 + y"
    assert "c10 = c9 / 2 + y" in text


def test_a_number_that_forgets_is_written_as_it_came_out() -> None:
    script = page(a, through_floats)
    assert script is not None
    assert "lhs = Fraction(1)" in script


def test_a_page_that_does_not_confirm_is_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    assert page(b / 4) is not None
    monkeypatch.setattr(pages, "_PAGE", pages._PAGE.replace("lhs > rhs", "lhs < rhs"))
    assert page(b / 4) is None


def test_numbers_remember_and_compute_as_fractions() -> None:
    record = Record(frozenset())
    one, zero = remembering(record, "one", F(3, 2)), remembering(record, "zero", F(0))
    made = (2 * one - one / 3 + zero * one) ** 2
    assert isinstance(made, Number)
    assert made == F(25, 4)
    assert (-one, +one, abs(-one), 1 / one, 1 - one) == (F(-3, 2), F(3, 2), F(3, 2), F(2, 3), F(-1, 2))
    assert max([zero, one]) is one
    assert sum([one, one]) == 3
    assert (zero * one).node.value == 0
    assert {F(3, 2): "x"}[one] == "x"
    with pytest.raises(ZeroDivisionError):
        one / zero


def compared(names: tuple[str, str], folder: Path) -> str:
    cells = {name: Cell(value, f"table 5: {name}") for name, value in zip(names, ("79.79", "37.58"), strict=True)}
    first, second = sp.symbols(" ".join(names))
    script = comparison_script(
        "X-1", "as printed", Comparison("one is no more", first - second, "<=", sp.Integer(1), cells)
    )
    code, shown = output(script, folder)
    assert code == 0, shown
    assert "claimed: 4221/100 <= 1" in shown
    return script


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("table5_CIFAR_skew_FedSSA_rounds_100", "table5_CIFAR_skew_Local_rounds_100"), ("FedSSA", "Local")),
        (("table5_CIFAR_skew_rounds_100_mean", "table6_CIFAR_skew_rounds_100_std"), ("mean", "std")),
        (("table5_CIFAR_skew_rounds_100_mean", "table6_CIFAR_skew_rounds_100_mean"), ("table5_mean", "table6_mean")),
        (("table5_CIFAR_skew_rounds_100_round", "table5_CIFAR_skew_rounds_100_7"), ("cell_1", "cell_2")),
        (("G_", "mu_"), ("G", "mu")),
    ],
)
def test_cells_are_called_by_what_tells_them_apart(
    names: tuple[str, str], told: tuple[str, str], tmp_path: Path
) -> None:
    script = compared(names, tmp_path)
    assert f"left = {told[0]} - {told[1]}" in script
    assert f'{told[0]} = Fraction("79.79")  # table 5: {names[0]}' in script

"""What composes as a page, a counterexample over time, and names of scripts in their papers' letters."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.committed import committed
from theory.algorithms import make_client, make_server, refusal
from theory.rules import make_rule, rules
from validation.commands.lists.algorithms import composition
from validation.judge.entry import Entry
from validation.papers.index import points
from validation.report.both_worlds.composition import Part, read_composition
from validation.report.counterexample.instance import run_script
from validation.report.counterexample.over_time import over_time
from validation.report.counterexample.picture import bars_of, course_of
from validation.report.pictures.bands import Band, dose_plot
from validation.report.text.formula import latex_of, name_latex
from validation.report.text.letters import Letters, greek, named
from validation.report.text.mathml import prose
from validation.report.text.readable import cited
from validation.statement.claim import Claim
from validation.study.courses import course, courses, horizons

SCRIPT = """
from fractions import Fraction
INSTANCE = {
    'case': 'planted',
    'rounds': Fraction(ROUNDS),
    'start': Fraction(1),
}
T = INSTANCE['rounds']
lhs = Fraction(9, 10)
first = INSTANCE['start'] / T
rhs = first + Fraction(1, 2)
print("violated")
raise SystemExit(0 if lhs > rhs else 1)
"""


def test_every_cell_counts_what_the_rules_of_composition_say() -> None:
    made = composition()
    client, server = (
        x.index(next(p for p in x if p.name == n)) for x, n in ((made.clients, "sgd"), (made.servers, "fed-exp"))
    )
    taken = [e.name for e in rules() if not refusal(make_rule(e.name), make_client("sgd"), make_server("fed-exp"))]
    cell = made.cells[client][server]
    assert cell.taken == len(taken)
    assert cell.kind == "some"
    assert all(1 <= n <= len(made.reasons) for row in made.cells for c in row for n in c.reasons)
    assert sum(r.triples for r in made.reasons) == made.triples - made.composing
    small = read_composition(
        [Part("c", "", "")],
        [Part("s", "", "")],
        [Part("r", "", ""), Part("q", "", "")],
        [{"rules": ["q"], "clients": "all", "servers": ["s"], "reason": "no"}],
    )
    assert (small.composing, small.triples, small.cells[0][0].reasons, small.reasons[0].rules) == (1, 2, (1,), "q")


def test_a_script_is_run_again_at_growing_horizons() -> None:
    source = SCRIPT.replace("ROUNDS", "5")
    made = over_time(source)
    assert made is not None
    moments = made.moments
    assert [m.rounds for m in moments] == [1, 2, 3, 4, 5]
    assert [m.right for m in moments] == [1.5, 1.0, pytest.approx(1 / 3 + 0.5), 0.75, 0.7]
    assert moments[2].terms == (pytest.approx(1 / 3), 0.5)
    found = run_script(source)
    assert found is not None
    drawn = course_of(found, source)
    assert drawn is not None
    assert "the left side first exceeds the right one after 3" in drawn.says
    assert str(drawn.svg).count("<path") == 4
    run = over_time(SCRIPT.replace("ROUNDS", "3000"))
    assert run is not None
    long = run.moments
    assert (long[0].rounds, long[-1].rounds, len(long)) == (1, 3000, 9)
    assert over_time(SCRIPT.replace("ROUNDS", "2")) is None
    assert over_time(source.replace("rounds", "walks")) is None


def test_names_of_scripts_are_written_in_the_letters_of_the_paper() -> None:
    letters = Letters(drawn={"share": r"\rho", "weights": r"\rho^t", "applied": r"\alpha_t", "start": "w^0"})
    assert letters.of_drawn("weights_1_2") == r"\rho^t_{1,2}"
    assert letters.of_drawn("start_2") == "w^0_{2}"
    assert letters.of_drawn("applied_1_2") == r"\alpha_{t,1,2}"
    assert "ρ" in named("share", letters)
    assert "<math" not in named("share", Letters())
    assert named("local_steps", letters) == "local steps"
    assert named("curvature_1_1", letters) == "curvature 1, 1"
    assert name_latex("curvature_1_1") == r"\mathrm{curvature}_{1,1}"
    assert latex_of("2*weights_1/L", letters.of_quantity) == r"\frac{2\,\rho^t_{1}}{L}"


def test_rows_of_numbers_are_gathered_where_none_is_missing() -> None:
    first, second = ("; ".join(f"weights_{r}_{k} = Fraction({x})" for k, x in row) for r, row in
                     ((1, ((1, "1"), (2, "0"))), (2, ((1, "1, 2"), (2, "1, 2")))))  # fmt: skip
    lines = f"{first}\n{second}"
    more = "optimum_1_1 = Fraction(3); optimum_1_3 = Fraction(4)"
    ends = "lhs, rhs = Fraction(2), Fraction(1)\nraise SystemExit(0)\n"
    source = f"from fractions import Fraction\n# The instance; …\n{lines}\n{more}\n\n{ends}"
    found = run_script(source)
    assert found is not None
    assert found.values == {"weights": [["1", "0"], ["1/2", "1/2"]], "optimum_1_1": "3", "optimum_1_3": "4"}
    assert bars_of(found)[0].value == "2"


@pytest.fixture(scope="module")
def exp_alpha() -> tuple[dict[str, Claim], dict[str, Entry]]:
    """Claims of Exp-α and their committed entries."""
    paper = next(p.load() for p in points() if p.name == "exp_alpha")
    entries = {e.id: e for e in committed(paper)}
    return {c.id: c for c in paper.claims}, entries


def test_a_theorem_that_falls_is_shown_over_time_where_its_script_counts_nothing(
    exp_alpha: tuple[dict[str, Claim], dict[str, Entry]],
) -> None:
    """Every horizon of EA-T2's case by its exact check; the last is what the script prints."""
    claims, entries = exp_alpha
    found = courses([claims["EA-T2"]], [entries["EA-T2"]])
    source = entries["EA-T2"].counterexample_source
    assert over_time(source) is None
    made, ran = found[entries["EA-T2"].counterexample], run_script(source)
    assert ran is not None
    assert ran.left is not None
    assert ran.right is not None
    assert (made.moments[-1].left, made.moments[-1].right) == (float(ran.left), float(ran.right))
    assert made.unit == "rounds"
    first, *_, last = made.moments
    assert first.rounds < last.rounds
    assert all(m.right == pytest.approx(sum(m.terms)) for m in made.moments)
    drawn = course_of(ran, source, made)
    assert drawn is not None
    assert f"{first.rounds} to {last.rounds} rounds" in drawn.says
    other = replace(made, moments=(*made.moments[:-1], replace(last, left=last.left * 2)))
    assert course_of(ran, source, other) is None, "a course of another instance is drawn"


def test_a_course_needs_a_horizon_and_exact_numbers(
    exp_alpha: tuple[dict[str, Claim], dict[str, Entry]],
) -> None:
    claims, entries = exp_alpha
    row = next(r for r in entries["EA-T2"].readings if r.counterexample == entries["EA-T2"].counterexample)
    assert course(claims["EA-T2"], row) is not None
    unplaced = replace(row, place="")  # whose case its name alone tells
    assert course(claims["EA-T2"], unplaced) is not None
    for worst in ({}, {**(row.worst_instance or {}), "case": "another"}, {**(row.worst_instance or {}), "sigma": 0.5}):
        assert course(claims["EA-T2"], replace(unplaced, worst_instance=worst)) is None
    assert horizons(40)[0] == 1
    assert horizons(40)[-1] == 40
    assert len(horizons(40)) <= 9


def test_a_term_is_shown_by_its_formula_in_the_letters_of_the_paper(
    exp_alpha: tuple[dict[str, Claim], dict[str, Entry]],
) -> None:
    """Also one that is too long for a line of the script, which numbers it there."""
    paper = next(p.load() for p in points() if p.name == "exp_alpha")
    letters = Letters.of(paper)
    latex = letters.quantities
    assert latex["first"] == r"\Delta_0"
    ran = run_script(exp_alpha[1]["EA-T1"].counterexample_source)
    assert ran is not None
    assert ran.terms[1][0].startswith("L*(first*gamma/2")
    names = [str(bar.name) for bar in bars_of(ran, letters)]
    assert "Δ" in names[3]
    assert "first" not in "".join(names)
    assert latex_of("2*noise*mu", lambda n: latex.get(n, n)) == rf"2\,\left({latex['noise']}\right)\,\mu"
    assert latex_of("first**2", lambda n: latex.get(n, n)) == r"{\Delta_0}^{2}"
    assert latex_of("G2*first", lambda n: latex.get(n, n)) == r"G^2\,\Delta_0"


def test_words_are_written_as_people_write_them() -> None:
    assert greek("alternative: gamma: L/mu; cut: weights = see the gamma ray") == (
        "alternative: γ: L/mu; cut: weights = see the gamma ray"
    )
    assert cited("robust_aggregation eqs. 6; not-efl", {"robust_aggregation": "Robust", "efl": "EFL"}) == (
        "Robust eqs. 6; not-efl"
    )
    assert prose("ρ^t is x^2, not a^b, 2^10 or $x^t$").startswith("ρᵗ is x², not a^b, 2^10 or <math")


def test_lines_that_end_at_one_height_are_led_to_their_names() -> None:
    """Six rules that all lose nothing at the last dose: six names apart, and each line goes to its own."""
    ends = [0.0, 0.001, 0.002, -0.001, -0.002, 0.003]
    bands = [Band(f"rule {i}", f"s{i}", ((3.0, 2.0, 4.0), (end, -1.0, 1.0))) for i, end in enumerate(ends)]
    groups = re.findall(r'<g class="series s\d">.*?</g>', str(dose_plot(bands, ["0.1", "∞"], label="doses")), re.DOTALL)
    leaders = [re.search(r'd="M([\d.]+)[ ,]([\d.]+)L([\d.]+)[ ,]([\d.]+)" class="leader"', g) for g in groups]
    names = [re.search(r'<text x="([\d.]+)" y="([\d.]+)"', g) for g in groups]
    heights = []
    for leader, name in zip(leaders, names, strict=True):
        assert leader is not None
        assert name is not None
        assert float(leader[3]) < float(name[1])
        assert float(leader[4]) == pytest.approx(float(name[2]) - 4, abs=0.2)
        heights.append(float(name[2]))
    ordered = sorted(heights)
    assert all(after - before >= 13.9 for before, after in pairwise(ordered))
    assert max(float(leader[2]) for leader in leaders if leader) - min(float(x[2]) for x in leaders if x) < 2

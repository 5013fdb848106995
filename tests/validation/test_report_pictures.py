"""What composes as a page, a counterexample over time, and names of scripts in their papers' letters."""

from __future__ import annotations

import pytest

from theory.algorithms import make_client, make_server, refusal
from theory.rules import rules
from validation.commands.algorithms import composition
from validation.report.composition import Part, read_composition
from validation.report.counterexample_picture import bars_of, course_of
from validation.report.formula import latex_of, name_latex
from validation.report.instance import run_script
from validation.report.letters import letter, named
from validation.report.over_time import over_time

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
    taken = [e.name for e in rules() if not refusal(e.made(), make_client("sgd"), make_server("fed-exp"))]
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
    moments = over_time(source)
    assert [m.rounds for m in moments] == [1, 2, 3, 4, 5]
    assert [m.right for m in moments] == [1.5, 1.0, pytest.approx(1 / 3 + 0.5), 0.75, 0.7]
    assert moments[2].terms == (pytest.approx(1 / 3), 0.5)
    found = run_script(source)
    assert found is not None
    drawn = course_of(found, source)
    assert drawn is not None
    assert "first seen above it after 3" in drawn.says
    assert str(drawn.svg).count("<path") == 4
    long = over_time(SCRIPT.replace("ROUNDS", "3000"))
    assert (long[0].rounds, long[-1].rounds, len(long)) == (1, 3000, 9)
    assert over_time(SCRIPT.replace("ROUNDS", "2")) == ()
    assert over_time(source.replace("rounds", "walks")) == ()


def test_names_of_scripts_are_written_in_the_letters_of_the_paper() -> None:
    assert letter("exp_alpha", "weights_1_2") == r"\rho^t_{1,2}"
    assert letter("fedssa", "weights_2") == "w_{2}"
    assert letter("robust_aggregation", "weights_1_2") == r"\alpha_{t,1,2}"
    assert "ρ" in named("share", "exp_alpha")
    assert named("local_steps", "efl") == "local steps"
    assert named("curvature_1_1", "efl") == "curvature 1, 1"
    assert name_latex("curvature_1_1") == r"\mathrm{curvature}_{1,1}"
    assert latex_of("2*weights_1/L", lambda n: letter("fedssa", n)) == r"\frac{2\,w_{1}}{L}"


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
    assert bars_of(found, "exp_alpha")[0].value == "2"

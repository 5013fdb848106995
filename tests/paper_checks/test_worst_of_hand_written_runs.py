"""The worst instances that were stored of Exp-α's hand-written runs, as described runs: the same sides, exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from validation.papers.look_up import look_up


def on_the_line(curvature: list[Any], optimum: list[Any], start: Any, **rest: Any) -> dict[str, Any]:
    """A run on the line with weights of its own, begun at its start."""
    rows = {"curvature": [[h] for h in curvature], "optimum": [[m] for m in optimum], "start": [start]}
    return {**rows, "mix": 1, "begin": 0, **rest}


ONE = on_the_line([1], [0], -1, share=[1], weights=[[1]], sigma=[1], noisy=0)
AT_REST = on_the_line([1], [0], 0, share=[1], weights=[[1]], sigma=[1], noisy=1)
SEEING = {"curvature": 1, "sigma": 1, "beside": 0, "seen": 1}
SAME = {"curvature": 1, "sigma": 1, "beside": 0, "drawn": 5}
OPPOSED = {"curvature": 1, "bent": 1, "tiny": "1/2", "beside": 0, "first": -1, "second": 1, "begin": 1, "stretch": 2}
SKEWED = on_the_line([1, "1/10"], [0, -1], 0, share=["1/10", "9/10"], weights=[[1, 0]], sigma=[1, 1], noisy=0)
ALL_ON_ONE = {
    "curvature": "2267772110941917/2251799813685248", "bent": 1, "first": "4517121763188135/4503599627370496",
    "second": "-4523949205089057/4503599627370496", "beside": "-9002480684134815/9007199254740992", "drawn": 1000,
}  # fmt: skip
LAST_STEP = on_the_line(
    ["7389525047845435/140737488355328", "5764607523034235/576460752303423488"],
    [-100, "-5031875761459855/288230376151711744"],
    "6908068337664027/1152921504606846976",
    share=["137381879922396521/144115188075855872", "6733308153459351/144115188075855872"],
    weights=[[0, 1]], sigma=[1, 1], noisy=0, stretch=1000, drawn=1000,
)  # fmt: skip
FOUR_STEPS = on_the_line(
    ["7036846333565139/70368744177664", "5769800077218729/576460752303423488"],
    ["2745270160805635/576460752303423488", "1535629475978803/140737488355328"],
    "2281175596263981/140737488355328",
    share=[1, 0], weights=[[0, 1]] * 4, noisy=1,
    sigma=["2896903953674251/288230376151711744", "4953957414164545/562949953421312"],
)  # fmt: skip

# (claim, reading, case, instance, left and right side)
FALSE = (
    ("EA-T1", "γ = max{8L/μ, E} − 1", "alike, 20 clients, E = 1, 4 rounds", SEEING,
     "1649262758029/7421703487488", "2/11"),
    ("EA-T2", "γ = L/μ as in the theorem", "alike, 5 clients, E = 1, 1 round", SAME, "2", "9/5"),
    ("EA-T2", "γ of A.9, any", "alike, 20 clients, E = 1, 40 rounds", {**SEEING, "drawn": 20},
     "953273054364827/1963040572440576", "12518345758672621/211036138666721280"),
    ("EA-E7", "itself, weights that", "alike, 8 clients, E = 1, 5 rounds", {**SEEING, "stretch": 1},
     "5461175/11894784", "30558221/89210880"),
    ("EA-E9", "as printed", "1 client, E = 1, 1 round", ONE, "1/2", "25/98"),
    ("EA-E10", "Γ and Ω over the run", "1 client, E = 1, 1 step", ONE, "7", "3"),
    ("EA-E11b", "as an upper bound", "2 clients, E = 20, 4 steps", SKEWED, "360347/59926", "293117/59926"),
    ("EA-E28", "itself", "drifting, 2 clients, E = 20, 1 round", {**OPPOSED, "drawn": 1}, "940900/2927521", "940/3481"),
)  # fmt: skip

# (claim, reading, case, instance, left side over right side)
NEAREST = (
    ("EA-T2", "γ of A.9 and", "alone, 2 clients, E = 1, 1000 rounds", ALL_ON_ONE, 0.999877237565536),
    ("EA-E7", "itself, weights fixed", "1 client, E = 1, 1 step", {**AT_REST, "stretch": 1}, 1.0),
    ("EA-E9", "t = T, both", "2 clients, E = 1, 4 steps", FOUR_STEPS, 0.9999919761683405),
    ("EA-E10", "Γ and Ω over all", "1 client, E = 1, 1 step", ONE, 1.0),
    ("EA-E10", "max{B, 0}", "1 client, E = 1, 1 step", ONE, 1.0),
    ("EA-E28", "C = 4E²G²/K", "2 clients, E = 1, 1 round", LAST_STEP, 0.9999999997499953),
)


@pytest.mark.parametrize(("claim", "reading", "case", "instance", "left", "right"), FALSE)
def test_what_refuted_has_its_sides(claim: str, reading: str, case: str, instance: Any, left: str, right: str) -> None:
    sides = look_up(claim).at(reading, case, **instance)
    assert not sides.unmet
    assert (sides.left, sides.right) == (Fraction(left), Fraction(right))
    assert sides.violates


@pytest.mark.parametrize(("claim", "reading", "case", "instance", "ratio"), NEAREST)
def test_what_came_nearest_has_its_ratio(claim: str, reading: str, case: str, instance: Any, ratio: float) -> None:
    sides = look_up(claim).at(reading, case, **instance)
    assert not sides.unmet
    assert float(Fraction(sides.left) / Fraction(sides.right)) == pytest.approx(ratio, rel=1e-14)

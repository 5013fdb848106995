"""What a solver's answer is called: optimal, inaccurate, infeasible, unbounded, or a failure that raises."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from theory.worst_case import (
    FunctionPoints,
    Posed,
    Residuals,
    UnsolvedError,
    interpolation_violation,
    judge,
    smooth,
    solve,
    worst_case_fedavg,
)
from theory.worst_case.certificate import dual_bound

pytestmark = pytest.mark.skipif(importlib.util.find_spec("PEPit") is None, reason="needs the extra sdp (PEPit)")

FINE = Residuals(gap=1e-9, smallest_eigenvalue=-1e-9, interpolation=1e-9, constraints=0.0, dual=1e-9, relative=1e-8)
POOR = replace(FINE, gap=0.1, relative=0.1)


@pytest.mark.parametrize("said", ["optimal", "optimal_inaccurate", "user_limit"])
def test_residuals_decide_and_not_the_adjective(said: str) -> None:
    assert judge(said, FINE, 1e-5) == "optimal"
    assert judge(said, POOR, 1e-5) == "inaccurate"
    assert judge(said, POOR, 1e-5, lambda: True) == "unbounded"
    with pytest.raises(UnsolvedError, match=said):
        judge(said, None, 1e-5)


@pytest.mark.parametrize("said", ["unbounded", "unbounded_inaccurate", "infeasible_or_unbounded", "solver_error"])
def test_unbounded_is_earned_by_a_ray(said: str) -> None:
    assert judge(said, None, 1e-5, lambda: True) == "unbounded"
    with pytest.raises(UnsolvedError, match=said):
        judge(said, None, 1e-5)


def test_infeasible_and_unknown() -> None:
    assert judge("infeasible", None, 1e-5) == "infeasible"
    for said in ("infeasible_inaccurate", "never heard of"):
        with pytest.raises(UnsolvedError, match="try solver='SCS'"):
            judge(said, FINE, 1e-5)
    with pytest.raises(UnsolvedError):
        judge("optimal", replace(FINE, relative=math.nan), 1e-5)


def _reach(pep: Any, *constraints: str) -> Posed:
    F, start = smooth(pep, mu=0.1, L=1.0), pep.set_initial_point()
    optimum = F.stationary_point()
    made = {
        "ball": (start - optimum) ** 2 <= 1,
        "outside": (start - optimum) ** 2 >= 4,
        "gap": F(start) - F(optimum) >= 1,
    }
    return Posed([F(start) - F(optimum)], [made[name] for name in constraints])


def test_contradictory_hypotheses() -> None:
    worst = solve(lambda pep: _reach(pep, "ball", "outside"))
    assert (worst.status, worst.value, worst.residuals, worst.functions) == ("infeasible", -math.inf, None, ())
    with pytest.raises(ValueError, match="no instance meets the hypotheses"):
        worst.ratio_to(1.0)


@pytest.mark.parametrize("constraints", [(), ("outside",), ("gap",)])
def test_no_bound_exists(constraints: tuple[str, ...]) -> None:
    worst = solve(lambda pep: _reach(pep, *constraints))
    assert (worst.status, worst.value) == ("unbounded", math.inf)
    assert worst.ratio_to(1e9) == math.inf


def test_free_gradients_at_the_optimum_leave_no_bound() -> None:
    worst = worst_case_fedavg([0.7, 0.3], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=2, n_rounds=1)
    assert worst.status == "unbounded"


def test_a_large_value_is_not_called_unbounded() -> None:
    worst = worst_case_fedavg([1.0], mu=0.1, L=1.0, local_lr=2.5, n_local_steps=1, n_rounds=3, performance="distance")
    assert worst.value == pytest.approx(1.5**6, rel=1e-5)


@pytest.mark.parametrize("damage", ["value", "gram", "multipliers", "half"])
def test_a_broken_solver_is_found_out(damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver says `optimal` each time; its numbers were tampered with."""
    from PEPit.wrappers import CvxpyWrapper

    def primal(self: Any) -> Any:
        scale = {"gram": (1.5, 1.0), "value": (1.0, 1.5), "half": (0.5, 0.5)}.get(damage, (1.0, 1.0))
        return self.optimal_G * scale[0], self.optimal_F * scale[1]

    def duals(self: Any) -> Any:
        values, residual = recover(self)
        return [v * 0.5 if damage == "multipliers" and np.ndim(v) == 0 else v for v in values], residual

    recover = CvxpyWrapper._recover_dual_values
    monkeypatch.setattr(CvxpyWrapper, "get_primal_variables", primal)
    monkeypatch.setattr(CvxpyWrapper, "_recover_dual_values", duals)
    worst = worst_case_fedavg([1.0], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=1, n_rounds=1)
    assert worst.solver_status == "optimal"
    assert worst.status == "inaccurate"
    assert worst.residuals is not None
    assert worst.residuals.relative > 1e-2


def _proof(expression: dict[Any, float], multiplier: float) -> tuple[float, float]:
    """dual_bound of: maximise a leaf, subject to expression <= 0; one point and one value, both of size 1."""
    constraint = SimpleNamespace(
        expression=SimpleNamespace(decomposition_dict=expression),
        equality_or_inequality="inequality",
        eval_dual=lambda: multiplier,
    )
    leaf = next(iter(expression))
    return dual_bound(
        SimpleNamespace(
            G_value=np.ones((1, 1)),
            F_value=np.ones(1),
            objective=SimpleNamespace(decomposition_dict={leaf: 1.0}),
            _list_of_constraints_sent_to_wrapper=[constraint],
        )
    )


def test_a_proof_is_checked_term_by_term() -> None:
    value, pair = _Leaf(), (_Leaf(), _Leaf())
    for leaf in (value, pair):  # leaf <= 1, hence the multiplier 1 proves 1
        assert _proof({leaf: 1.0, 1: -1.0}, 1.0) == (1.0, 0.0)
        assert _proof({leaf: 1.0, 1: -1.0}, 0.5) == (0.5, 0.5)
        assert _proof({leaf: 1.0, 1: -1.0}, -1.0) == (0.0, 1.0)  # counted as 0


@dataclass(frozen=True, eq=False)
class _Leaf:
    """A leaf of PEPit as far as the check reads it."""

    counter: int = 0


def test_interpolation_by_hand() -> None:
    def through(slope: float, height: float, mu: float) -> float:
        x = np.asarray([[0.0], [1.0]])
        return interpolation_violation(
            FunctionPoints(x, np.asarray([[0.0], [slope]]), np.asarray([0.0, height]), mu=mu, L=1.0)
        )[0]

    assert through(1.0, 0.5, 0.1) == pytest.approx(0.0, abs=1e-15)  # ½x²
    assert through(0.1, 0.05, 0.1) == pytest.approx(0.0, abs=1e-15)  # 0.05x²
    assert through(2.0, 1.0, 0.0) == pytest.approx(1.0)  # x² has L = 2: 1 − 2 + 2²/2
    assert through(-1.0, -0.5, -1.0) == pytest.approx(0.0, abs=1e-15)  # −½x² may be, without convexity
    assert through(-1.0, -0.5, 0.0) == pytest.approx(1.0)  # and not with it


def test_a_ray_alone_proves_nothing_where_no_instance_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    import cvxpy
    from PEPit.wrappers import CvxpyWrapper

    calls: list[str] = []
    genuine = CvxpyWrapper.solve

    def stumble_once(self: Any, **options: Any) -> Any:
        calls.append("called")
        if len(calls) == 1:
            raise cvxpy.SolverError("numerical trouble")
        return genuine(self, **options)

    def build(pep: Any) -> Posed:
        contradiction = _reach(pep, "ball", "outside")
        free = pep.set_initial_point()
        return Posed([free**2], contradiction.constraints)

    monkeypatch.setattr(CvxpyWrapper, "solve", stumble_once)
    with pytest.raises(UnsolvedError):
        solve(build)
    assert len(calls) == 4  # the problem, the ray, an admissible instance by one solver and by another


def test_a_ray_is_found_where_a_solver_breaks_down_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import cvxpy
    from PEPit.wrappers import CvxpyWrapper

    genuine = CvxpyWrapper.solve

    def break_down(self: Any, **options: Any) -> Any:
        if options["solver"] == "CLARABEL":
            raise cvxpy.SolverError("numerical trouble")
        return genuine(self, **options)

    monkeypatch.setattr(CvxpyWrapper, "solve", break_down)
    worst = worst_case_fedavg([0.7, 0.3], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=2, n_rounds=1)
    assert (worst.status, worst.value, worst.solver_status) == ("unbounded", math.inf, "solver_error")


def test_a_solver_that_gives_up_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    import cvxpy
    from PEPit.wrappers import CvxpyWrapper

    def give_up(self: Any, **_: Any) -> None:
        raise cvxpy.SolverError("numerical trouble")

    monkeypatch.setattr(CvxpyWrapper, "solve", give_up)
    with pytest.raises(UnsolvedError, match="solver_error"):
        solve(lambda pep: _reach(pep, "ball"))


def test_a_problem_is_apart_from_every_other() -> None:
    expected = solve(lambda pep: _reach(pep, "ball")).value
    found: list[float] = []
    threads = [
        threading.Thread(target=lambda: found.append(solve(lambda pep: _reach(pep, "ball")).value)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3

    def nested(pep: Any) -> Posed:
        solve(lambda other: _reach(other, "ball"))
        return _reach(pep, "ball")

    with pytest.raises(RuntimeError, match="posed another PEPit problem"):
        solve(nested)


def test_nothing_escapes_the_checks() -> None:
    from PEPit.functions import ConvexFunction

    def hidden(pep: Any) -> Posed:
        posed = _reach(pep, "ball")
        pep.add_constraint(posed.constraints[0])
        return Posed(posed.objectives)

    def foreign(pep: Any) -> Posed:
        F = pep.declare_function(ConvexFunction)
        return Posed([F(pep.set_initial_point())])

    for build, message in ((hidden, "return them in Posed"), (foreign, "smooth"), (lambda pep: Posed([]), "at least")):
        with pytest.raises(ValueError, match=message):
            solve(build)


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    worst_case_fedavg([0.7, 0.3], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=2, n_rounds=1)
    assert capsys.readouterr() == ("", "")


def test_importing_theory_imports_no_solver_and_a_missing_one_is_named() -> None:
    script = (
        "import sys\n"
        "import theory, theory.worst_case as w\n"
        "assert not {'PEPit', 'cvxpy', 'torch', 'pandas'} & set(sys.modules)\n"
        "sys.modules['PEPit'] = None\n"
        "try:\n"
        "    w.gradient_over_gap(mu=0.1, L=1.0)\n"
        "except ImportError as error:\n"
        "    assert 'fedverdict[sdp]' in str(error)\n"
        "else:\n"
        "    raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)

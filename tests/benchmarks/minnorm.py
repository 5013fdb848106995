"""How fast the minimum-norm point is found: side by side in one process, medians and ratios.

    python -m tests.benchmarks.minnorm [--quick] [--only PART …] [--json FILE]

Per solve, after the Gram matrix: ours, validation and certificate included, against quadratic programming solvers
(daqp, quadprog, SciPy's non-negative least squares; their constraints are prepared once), cvxpy (the fastest of its
default solver and Clarabel, factor and Gram form, built each time or once with a parameter) and NumPy's Frank–Wolfe run
until its gap is ours, or its cap. Each solves another problem of its kind in each turn: what is begun from the solution
before has nothing of it. Then a whole FedAWARE step at d = 10⁶ against its own Gram matrix. Ratios are of processor
seconds: on a busy machine a long call loses the processor and a short one does not. Targets: within 1.2× of the best
quadratic programming solver for N <= 50, >= 30× faster than cvxpy at N = 100, >= 40× at N = 500 (>= 5× at full
support), KKT residual <= 1e-12, the step within 1.3× of the Gram matrix; 1,000 problems of 10 clients in 10 ms, one of
3,000 clients in 2 s.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import nnls

from tests.benchmarks.clocks import Times, busy, in_turns, limited, ratio, said, total
from tests.benchmarks.simulate import machine_rates
from tests.benchmarks.table import as_table
from theory import MinNorm, RoundStats, min_norm_point, stream
from theory.minnorm import certify, convex, enumerate_faces, frank_wolfe, lockstep
from validation.ledger.provenance import provenance

KINDS = ("random", "heterogeneous", "near stationary", "full support")
EQUAL = ("clones", "clones without drift", "near clones", "near clones without drift", "near clones in pairs")
D, CAP, DRAWS = 1000, 2_000, 4
QUADRATIC = ("daqp", "daqp on u", "quadprog", "quadprog on u", "nnls")  # on λ itself, or on u >= 0 with λ = u/Σu
SMALL = 50  # clients up to which quadratic programming solvers are the strongest others
Solve = Callable[[Any], Any]


def updates_of(kind: str, n: int, draw: int = 0) -> Any:
    """Updates (n, dim): a flat cloud, a common drift at very different lengths, a hull nearly at 0, independent.

    Or equal ones, in groups of four, and nearly equal ones, 1e-6 apart, in groups of four or two.
    """
    rng = stream(draw, f"benchmark {kind}", n)
    if kind == "random":
        return rng.normal(size=(n, max(3, n // 4))) + 0.5
    if kind == "heterogeneous":
        return (rng.normal(size=(n, D)) + rng.normal(size=D)) * np.exp(rng.normal(size=(n, 1)))
    if kind in EQUAL:
        groups = max(1, n // (2 if "pairs" in kind else 4))
        drift = 0.0 if "without" in kind or "pairs" in kind else rng.normal(size=D)
        rows = (rng.normal(size=(groups, D)) + drift)[np.arange(n) % groups]
        return rows + (1e-6 * rng.normal(size=rows.shape) if "near" in kind else 0.0)
    cloud = rng.normal(size=(n, D))
    if kind == "near stationary":
        return cloud - (1 - 1e-4) * (rng.dirichlet(np.ones(n)) @ cloud)
    return rng.normal(size=(n, 10 * D))  # nearly orthogonal: everybody counts


class OnU:
    """min ½uᵀHu − Σu over u >= 0, H = G/g + 1 with g the least squared norm: λ = u/Σu."""

    def __init__(self, n: int) -> None:
        self.ones, self.zeros, self.identity = np.ones(n), np.zeros(n), np.eye(n)
        self.above, self.sense, self.none = np.full(n, 1e30), np.zeros(n, dtype=np.int32), np.zeros((0, n))

    def daqp(self, gram: Any) -> Any:
        solve = import_module("daqp").solve
        form = gram / gram.diagonal().min() + 1.0
        return self.shares(solve(form, -self.ones, self.none, self.above, self.zeros, self.sense)[0])

    def quadprog(self, gram: Any) -> Any:
        solve_qp = import_module("quadprog").solve_qp
        form = gram / gram.diagonal().min() + 1.0
        form.flat[:: len(form) + 1] += 1e-13  # it wants a positive definite one
        return self.shares(np.maximum(solve_qp(form, self.ones, self.identity, self.zeros, 0)[0], 0.0))

    def nnls(self, gram: Any) -> Any:
        """On a pivoted Cholesky factor of H."""
        factor, order, rank, _ = lapack.dpstrf(gram / gram.diagonal().min() + 1.0, tol=-1.0)
        factor = np.triu(factor[:rank])
        right, _ = lapack.dtrtrs(factor[:, :rank], self.ones[:rank], trans=1)
        found = np.empty(len(gram))
        found[order - 1] = nnls(factor, right)[0]
        return self.shares(found)

    def shares(self, u: Any) -> Any:
        return u / u.sum()


class OnWeights:
    """min λᵀGλ over the simplex as it stands."""

    def __init__(self, n: int) -> None:
        self.zeros, self.row, self.sense = np.zeros(n), np.ones((1, n)), np.zeros(n + 1, dtype=np.int32)
        self.sense[n] = 5  # an equality
        self.above, self.below = np.append(np.full(n, 1e30), 1.0), np.append(np.zeros(n), 1.0)
        self.columns, self.first = np.hstack([np.ones((n, 1)), np.eye(n)]), np.append(1.0, np.zeros(n))

    def daqp(self, gram: Any) -> Any:
        solve = import_module("daqp").solve
        return solve(gram / gram.diagonal().min(), self.zeros, self.row, self.above, self.below, self.sense)[0]

    def quadprog(self, gram: Any) -> Any:
        solve_qp = import_module("quadprog").solve_qp
        form = gram / gram.diagonal().min()
        form.flat[:: len(form) + 1] += 1e-13
        return np.maximum(solve_qp(form, self.zeros, self.columns, self.first, 1)[0], 0.0)


class Parametrised:
    """cvxpy's factor form, built once; a new problem is a new value of its parameter."""

    def __init__(self, n: int, backend: str) -> None:
        import cvxpy as cp

        self.weights, self.factor, self.backend = cp.Variable(n, nonneg=True), cp.Parameter((n, n)), backend
        least = cp.Minimize(cp.sum_squares(self.factor @ self.weights))
        self.problem = cp.Problem(least, [cp.sum(self.weights) == 1])

    def __call__(self, gram: Any) -> Any:
        values, vectors = np.linalg.eigh(gram / float(gram.diagonal().max()))
        self.factor.value = np.sqrt(np.clip(values, 0.0, None))[:, None] * vectors.T
        self.problem.solve(solver=self.backend)
        found = np.clip(self.weights.value, 0.0, None)
        return found / found.sum()


def contestants(n: int) -> dict[str, Solve]:
    """Who else solves problems of n clients; those that are not installed are left out."""
    if n <= SMALL:
        u, plain = OnU(n), OnWeights(n)
        calls = (plain.daqp, u.daqp, plain.quadprog, u.quadprog, u.nnls)
        return {name: call for name, call in zip(QUADRATIC, calls, strict=True) if name.split()[0] not in absent()}
    built: dict[str, Solve] = {
        f"cvxpy {form} {backend or 'default'}": partial(_built, form=form, backend=backend)
        for form in ("factor", "gram")
        for backend in (None, "CLARABEL")
    }
    return built | {f"cvxpy once {backend}": Parametrised(n, backend) for backend in ("OSQP", "CLARABEL")}


def _built(gram: Any, form: str, backend: str | None) -> Any:
    return convex(gram, form, backend)[0]


def absent() -> list[str]:
    """Contestants that are not installed."""
    return [name for name in ("daqp", "quadprog") if find_spec(name) is None]


def solves(quick: bool) -> list[dict[str, Any]]:
    print(f"not installed: {', '.join(absent()) or 'nobody'}")
    rows = []
    for n in (3, 10, 20, 50, 100, 500):
        others = contestants(n)
        for kind in KINDS + EQUAL:
            grams = [updates @ updates.T for updates in (updates_of(kind, n, draw) for draw in range(DRAWS))]
            calls = {name: _each(solve, grams) for name, solve in {"ours": _ours, **others}.items()}
            turns = 2 if quick else 3 if n == 500 else 9
            repeats = {name: 20 if n <= SMALL else 3 if name == "ours" else 1 for name in calls}
            times = in_turns(calls, turns, repeats)
            row = _row(n, kind, grams, times, others)
            row |= _frank_wolfe(grams[0], 1 if quick else 3) | busy()
            rows.append(row)
            print(_said(row), flush=True)
    return rows


def _ours(gram: Any) -> Any:
    return min_norm_point(gram).weights


def _each(solve: Solve, grams: list[Any]) -> Callable[[], Any]:
    """The next of the problems each time."""
    turn = cycle(grams)
    return lambda: solve(next(turn))


def _row(
    n: int, kind: str, grams: list[Any], times: Mapping[str, Times], others: Mapping[str, Solve]
) -> dict[str, Any]:
    points = [min_norm_point(gram) for gram in grams]
    row: dict[str, Any] = {"n_clients": n, "kind": kind, "support": int(np.count_nonzero(points[0].weights))}
    row |= {"method": points[0].solver_status, "kkt_residual": max(point.kkt_residual for point in points)}
    for name, own in times.items():
        row |= own.row(name.replace(" ", "_"))
    slower = {name: ratio(times[name], times["ours"]) for name in others}
    best = min(slower, key=lambda name: slower[name])
    row |= {"best": best, "ratio": slower[best]}
    row["violation_of_best"] = max(certify(gram, np.maximum(others[best](gram), 0.0)).violation for gram in grams)
    row["target"] = 1 / 1.2 if n <= SMALL else 30.0 if n < 500 else 5.0 if row["support"] == n else 40.0
    return row


def _said(r: Mapping[str, Any]) -> str:
    times = f"{r['ours_cpu_s'] * 1e3:8.3f} ms CPU {r['ours_wall_s'] * 1e3:8.3f} wall"
    name = r["best"].replace(" ", "_")
    best = (
        f"{r['best']} {r[f'{name}_cpu_s'] * 1e3:8.3f} ms, × {r['ratio']:.3g} (violation {r['violation_of_best']:.0e})"
    )
    capped = " (its cap)" if r["frank_wolfe_capped"] else ""
    return (
        f"{r['n_clients']:4} {r['kind']:26} {r['support']:4} count  {times}  best other {best},"
        f" wanted × {r['target']:.2g}: {verdict(r['ratio'] >= r['target'])};"
        f" KKT {r['kkt_residual']:.0e} {verdict(r['kkt_residual'] <= 1e-12)};"
        f" Frank–Wolfe {r['frank_wolfe_s'] * 1e3:.2f} ms{capped}   ({said(r)})"
    )


def _frank_wolfe(gram: Any, repeats: int) -> dict[str, Any]:
    """Until its gap is ours, though not below 1e-14 of the largest squared norm, or the cap."""
    point = min_norm_point(gram)
    tolerance = max(point.gap / gram.diagonal().max(), 1e-14)
    call = partial(frank_wolfe, gram, tolerance=tolerance, max_iterations=CAP)
    taken = int(call()[1])
    return {"frank_wolfe_s": cpu_median(call, repeats), "frank_wolfe_capped": taken >= CAP}


def steps(quick: bool) -> list[dict[str, Any]]:
    """Gram matrix, solve and combination of N updates of dimension 10⁶, with the Gram matrix alone beside it.

    One thread and two apart; with two the ratio is one of wall times.
    """
    dim = 10**5 if quick else 10**6
    print(f"FedAWARE step, d = {dim:,}: Gram matrix as RoundStats.gram() forms it, solve, combination")
    rows = []
    for n in (10, 50, 100):
        for dtype in ("float32", "float64"):
            rng = stream(0, "benchmark step", n)
            drift = rng.normal(size=dim).astype(dtype)
            updates = rng.normal(size=(n, dim)).astype(dtype) + drift
            share, present = np.full(n, 1 / n), np.ones(n, dtype=bool)
            stats = RoundStats(share=share, present=present, updates=updates)
            gram, doubled, rule = stats.gram(), updates.astype(np.float64), MinNorm()
            weights = min_norm_point(gram).weights.astype(dtype)
            calls: dict[str, Callable[[], Any]] = {
                "gram": stats.gram,
                "product": partial(np.matmul, doubled, doubled.T),
                "solve": partial(min_norm_point, gram),
                "combine": partial(np.matmul, weights, updates),
                "rule": partial(rule, stats),
            }
            for threads in (1, 2):
                with limited(threads):
                    times, now = in_turns(calls, 2 if quick else 5), busy()
                whole = total([times[name] for name in ("gram", "solve", "combine")])
                clock = "cpu" if threads == 1 else "wall"
                row: dict[str, Any] = {"n_clients": n, "dtype": dtype, "dim": dim, "target": 1.3, **now}
                row |= {key: value for name, own in times.items() for key, value in own.row(name).items()}
                row |= whole.row("step") | {"ratio": ratio(whole, times["gram"], clock)}
                rows.append(row)
                print(
                    f"{n:4} {dtype}: Gram {times['gram']} (its product alone {times['product']}), solve"
                    f" {times['solve']}, combination {times['combine']}; step / Gram {row['ratio']:.2f} by {clock},"
                    f" target 1.3 {verdict(row['ratio'] <= 1.3)}   ({said(now)})",
                    flush=True,
                )
            del updates, doubled, stats, calls
    return rows


def cpu_median(call: Callable[[], Any], repeats: int) -> float:
    """Median processor seconds of `repeats` calls after one to warm up."""
    call()
    seconds: list[float] = []
    for _ in range(repeats):
        _timed(seconds, call)
    return float(np.median(seconds))


def _timed(into: list[float], call: Callable[[], Any]) -> Any:
    begun = time.process_time()
    answer = call()
    into.append(time.process_time() - begun)
    return answer


def batches(quick: bool) -> list[dict[str, Any]]:
    """Problems per second of the enumeration of faces, in one call."""
    print("All faces of many small problems in one call")
    count = 10_000 if quick else 100_000
    rows = []
    for n in (2, 3, 4, 5):
        updates = stream(0, "benchmark faces", n).normal(size=(count, n, 8))
        grams = updates @ updates.swapaxes(-1, -2)
        seconds = cpu_median(partial(enumerate_faces, grams), 1 if quick else 3)
        residual = float(enumerate_faces(grams)[1].max())
        rows.append({"n_clients": n, "problems": count, "per_s": count / seconds, "kkt_residual": residual, **busy()})
        shown = f"{count / seconds:10,.0f} problems/s, worst KKT residual {residual:.0e}"
        print(f"{n:4} clients: {shown}   ({said(busy())})", flush=True)
    return rows


def together(quick: bool) -> list[dict[str, Any]]:
    """1,000 problems of 10 clients: in lock step, and one by one, of which a tenth is timed."""
    print("1,000 problems of 10 clients in one call: target 10 ms CPU")
    rows = []
    for kind, dim, drift in (
        ("low dimension", 3, 0.5),
        ("n - 2 dimensions", 8, 0.0),
        ("n + 2 dimensions", 12, 0.0),
        ("drift", 50, 1.0),
        ("independent", D, 0.0),
    ):
        rng = stream(0, f"benchmark together {kind}", 10)
        updates = rng.normal(size=(1000, 10, dim)) + drift * rng.normal(size=(1000, 1, dim))
        grams = updates @ updates.swapaxes(-1, -2)
        lockstep(grams)
        times: dict[str, list[float]] = {"lockstep": [], "tenth": []}
        for turn in range(3 if quick else 15):
            some = grams[turn % 10 :: 10]
            _timed(times["tenth"], partial(_one_by_one, some))
            _timed(times["lockstep"], partial(lockstep, grams))
        seconds, alone = float(np.median(times["lockstep"])), 10 * float(np.median(times["tenth"]))
        row: dict[str, Any] = {"kind": kind, "dim": dim, "problems": 1000, "n_clients": 10}
        row |= {"lockstep_s": seconds, "one_by_one_s": alone, "ratio": alone / seconds, "target_s": 0.010}
        row |= {"kkt_residual": float(lockstep(grams)[1].max()), **busy()}
        rows.append(row)
        print(
            f"     {kind:16} {seconds * 1e3:6.1f} ms CPU {verdict(seconds <= 0.010)} (one by one {alone * 1e3:4.0f} ms,"
            f" × {row['ratio']:.1f}), KKT {row['kkt_residual']:.0e} {verdict(row['kkt_residual'] <= 1e-12)}"
            f"   ({said(busy())})",
            flush=True,
        )
    return rows


def _one_by_one(grams: Any) -> None:
    for gram in grams:
        min_norm_point(gram)


def thousands(quick: bool) -> list[dict[str, Any]]:
    """One problem of thousands of clients, with nothing beside it: cvxpy would take minutes."""
    print("Thousands of clients")
    rows = []
    for n in (1000,) if quick else (1000, 3000):
        for kind in KINDS:
            updates = stream(0, "benchmark thousands", n).normal(size=(n, 4 * n)) if kind == "full support" else None
            updates = updates_of(kind, n) if updates is None else updates
            gram = updates @ updates.T
            del updates
            point = min_norm_point(gram)
            row: dict[str, Any] = {"n_clients": n, "kind": kind, "support": int(np.count_nonzero(point.weights))}
            row |= {"method": point.solver_status, "kkt_residual": point.kkt_residual}
            row["ours_s"] = cpu_median(partial(min_norm_point, gram), 1 if quick else 3)
            rows.append(row | {"target_s": 2.0 if n == 3000 else None, **busy()})
            target = f", target 2 {verdict(row['ours_s'] <= 2.0)}" if n == 3000 else ""
            print(
                f"{n:4} {kind:16} {row['support']:7} {row['ours_s']:6.2f} s CPU{target}; {row['method']}, KKT"
                f" {row['kkt_residual']:.0e} {verdict(row['kkt_residual'] <= 1e-12)}   ({said(busy())})",
                flush=True,
            )
    return rows


def verdict(reached: bool) -> str:
    return "met" if reached else "MISSED"


PARTS: dict[str, Callable[[bool], list[dict[str, Any]]]] = {
    "solves": solves, "steps": steps, "together": together, "thousands": thousands, "batches": batches,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repeats and d = 10⁵, to see that it runs")
    parser.add_argument("--only", choices=list(PARTS), action="append")
    parser.add_argument("--json", help="also write the table there")
    arguments = parser.parse_args()
    rates = machine_rates()
    print(f"dgemm {rates['dgemm_gflops']:.0f} GFLOP/s, copy {rates['copy_gbs']:.0f} GB/s, {os.cpu_count()} cores")
    made: dict[str, Any] = {"machine": rates}
    with limited(1):
        for name in arguments.only or PARTS:
            made[name] = PARTS[name](arguments.quick)
    if arguments.json:
        made["provenance"] = provenance()
        Path(arguments.json).write_text(as_table(made) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

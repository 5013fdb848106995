"""Vector inequalities judged: refuted with vectors on a line, proved with a certificate, or true at every point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.base.streams import stream
from theory.exact import is_positive_semidefinite
from validation.judge.exact.nearer import nearer
from validation.proof.sos import prove_psd
from validation.proof.sturm import decidable, negative_point
from validation.script.script import head, literal
from validation.statement.bound import exact_value, python_source
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.vectors import negative_direction
from validation.statement.instances.domain import Point, domain_points
from validation.statement.outcome import Outcome
from validation.statement.verdict import Verdict

__all__ = ["judge_vectors", "side_on_a_line"]

__judges__ = "vectors"


Float = NDArray[np.float64]


_SUSPECT = 1e-9  # relative to the largest entry: eigenvalues below are decided exactly


@dataclass(frozen=True)
class _Scan:
    """What a search over parameter points saw: a failing point with exact M, or how many held."""

    failing: tuple[Point, list[list[Fraction]]] | None
    tried: int
    defined: int
    ratio: float


def _scan(test: VectorInequality, points: Sequence[Point]) -> _Scan:
    names = list(test.domain.names)
    floats = np.asarray([[float(p[name]) for name in names] for p in points], dtype=np.float64).reshape(len(points), -1)
    left, right = (_entries(test._coefficients(side), names)(floats) for side in (test.lhs, test.rhs))
    gap = right - left
    known = np.all(np.isfinite(gap), axis=(1, 2))
    size = np.maximum(np.abs(np.where(known[:, None, None], gap, 0.0)).max(axis=(1, 2)), 1e-300)
    lowest = np.where(
        known, np.linalg.eigvalsh(np.where(known[:, None, None], gap, 0.0) / size[:, None, None])[:, 0], 1
    )
    # At the edge of the domain 0/0 may look like ∞; a true statement has no such ratio, a false one is found below.
    ratio = max((r for r in _ratios(left[known], right[known]) if math.isfinite(r)), default=0.0)
    for i in np.argsort(lowest, kind="stable"):
        if lowest[i] > _SUSPECT:
            break
        try:
            exact = test.at(points[i])
        except ZeroDivisionError:
            continue
        if not is_positive_semidefinite(exact):
            return _Scan((points[i], exact), len(points), int(known.sum()), ratio)
    return _Scan(None, len(points), int(known.sum()), ratio)


def _lowest(test: VectorInequality) -> Callable[[Float], Float]:
    """Of parameters (n, d): M's smallest eigenvalue that is no zero of its structure, over the size of its terms, (n,).

    The terms do not cancel, so that what falls is their difference. A statement that can be an equality has an
    eigenvalue 0 everywhere; what sinks is the next one. +∞ where M has no value or a condition is not met.
    """
    names, domain = list(test.domain.names), test.domain
    matrix, terms = (_entries(m, names) for m in (test.matrix, test.matrix.applyfunc(_size)))
    conditions = _entries(sp.Matrix([[domain.plain(w) for w in domain.where]]), names)

    def lowest(points: Float) -> Float:
        gap, size = matrix(points), np.abs(terms(points)).max(axis=(1, 2))
        known = np.all(np.isfinite(gap), axis=(1, 2)) & (size > 0) & np.isfinite(size)
        known &= np.all(conditions(points) >= 0, axis=(1, 2))
        scaled = np.where(known[:, None, None], gap, 0.0) / np.where(known, size, 1.0)[:, None, None]
        values = np.linalg.eigvalsh(scaled)
        least = np.where(values > _SUSPECT, values, math.inf).min(axis=1)
        return np.where(known, np.where(values[:, 0] < -_SUSPECT, values[:, 0], least), math.inf)

    return lowest


def _size(entry: Any) -> Any:
    """A rational function with the absolute value of every term of its numerator."""
    above, below = sp.fraction(sp.together(entry))
    return sum((sp.Abs(term) for term in sp.Add.make_args(sp.expand(above))), sp.Integer(0)) / below


def _entries(matrix: Any, names: Sequence[str]) -> Callable[[Float], Float]:
    """Of parameters (n, d) the values of a matrix, (n, rows, columns)."""
    function = sp.lambdify([sp.Symbol(name) for name in names], list(matrix), "numpy")

    def entries(points: Float) -> Float:
        with np.errstate(all="ignore"):
            found = [np.broadcast_to(np.asarray(e, dtype=np.float64), len(points)) for e in function(*points.T)]
        return np.array(found).T.reshape(len(points), *matrix.shape)

    return entries


def _ratios(left: Float, right: Float) -> list[float]:
    """`_ratio` of each of many pairs, (n, m, m); all whose right side is positive for every vector at once."""
    if not left.size:
        return []
    values, basis = np.linalg.eigh(right)
    top = np.maximum(np.abs(values).max(axis=1), 1e-300)
    whole = values[:, 0] > _SUSPECT * top
    scaled = basis[whole] / np.sqrt(values[whole])[:, None, :]
    found = np.linalg.eigvalsh(np.swapaxes(scaled, 1, 2) @ left[whole] @ scaled).reshape(-1, left.shape[1])[:, -1]
    rest = zip(left[~whole], right[~whole], strict=True)
    return [*(max(0.0, float(r)) for r in found), *(_ratio(a, b) for a, b in rest)]


def _ratio(left: Float, right: Float) -> float:
    """The largest lhs/rhs over all vectors where rhs > 0 (a generalised eigenvalue); ∞ where rhs can be <= 0 < lhs."""
    values, basis = np.linalg.eigh(right)
    top = max(float(np.abs(values).max()), 1e-300)
    if values[0] < -_SUSPECT * top:
        return math.inf
    kept = values > _SUSPECT * top
    scaled = basis[:, kept] / np.sqrt(values[kept])
    flat = basis[:, ~kept]
    if flat.size and np.linalg.eigvalsh(flat.T @ left @ flat)[-1] > 1e3 * _SUSPECT * top:
        return math.inf
    return max(0.0, float(np.linalg.eigvalsh(scaled.T @ left @ scaled)[-1])) if kept.any() else 0.0


def judge_vectors(
    test: VectorInequality,
    claim_id: str,
    name: str,
    *,
    budget: int = 4000,
    seed: int = 0,
    method: str = "any",
    label: str | None = None,
) -> Outcome:
    """Refuted with vectors on a line, proved with a verified certificate, else holds at every parameter point tried.

    `budget`: parameter points; `method` as in `prove_psd`, "none" to search only. Everything random derives from
    (seed, label), without one from (seed, claim_id, name).
    """
    if budget < 1:
        raise ValueError(f"judge_vectors(budget={budget}): expected at least 1 parameter point")
    points = domain_points(test.domain, stream(seed, f"gram/{label or f'{claim_id}/{name}'}"), budget)
    scan = _scan(test, points)
    decided = method != "none" and scan.defined > 0 and decidable(test.matrix, test.domain)
    if decided and scan.failing is None:
        point = negative_point(test.matrix, test.domain)
        if point is not None:
            scan = _Scan((point, test.at(point)), scan.tried + 1, scan.defined + 1, scan.ratio)
    detail: dict[str, Any] = {
        "vectors": list(test.names),
        "matrix": [[str(e) for e in r] for r in test.matrix.tolist()],
    }
    outcome = partial(Outcome, instances=scan.tried, admissible=scan.defined, detail=detail)
    if scan.defined == 0:
        return outcome(Verdict.INCONCLUSIVE, f"none of {scan.tried:,} parameter points is in the domain")
    if scan.failing is not None:
        return _refuted(test, scan, detail, claim_id, name)
    # No vectors at these points violate, exactly: a ratio above 1 is the rounding of its eigenvalue.
    worst = min(scan.ratio, 1.0)
    ratio = f"largest lhs/rhs {worst:.6g}"
    if decided:
        detail["certificate"] = says = "no principal minor is negative anywhere on the interval (Sturm sequences)"
        return outcome(Verdict.PROVED, f"{says}; {ratio}", worst)
    if not test.domain.names:
        return outcome(Verdict.PROVED, f"the coefficient matrix is PSD by exact LDLᵀ; {ratio}", worst)
    certificate = prove_psd(test.matrix, test.domain, method=method) if method != "none" else None
    if certificate is not None:
        detail["certificate"] = certificate.says
        return outcome(Verdict.PROVED, f"{certificate.says}; {ratio}", worst)
    near = _scan(test, nearer(test.domain, points, _lowest(test), test.domain.holds_at))
    scan = _Scan(near.failing, scan.tried + near.tried, scan.defined + near.defined, max(scan.ratio, near.ratio))
    if scan.failing is not None:
        return _refuted(test, scan, detail, claim_id, name)
    ratio = f"largest lhs/rhs {min(scan.ratio, 1.0):.6g}"
    why = f"true for all vectors at {scan.defined:,} parameter points, each decided by its eigenvalues; {ratio}"
    return outcome(Verdict.HOLDS, why, min(scan.ratio, 1.0), instances=scan.tried, admissible=scan.defined)


def _refuted(test: VectorInequality, scan: _Scan, detail: dict[str, Any], claim_id: str, name: str) -> Outcome:
    """The counterexample at the point where a scan failed, its vectors on a line."""
    assert scan.failing is not None
    point, exact = scan.failing
    placed = negative_direction(exact)
    if placed is None:
        raise ArithmeticError(f"{claim_id}: {exact} is not PSD, but no direction shows it")
    values = dict(zip(test.names, placed, strict=True))
    left, right = (side_on_a_line(side, point, values) for side in (test.lhs, test.rhs))
    shown = {"case": "vectors on a line", **{k: str(v) for k, v in {**point, **values}.items()}}
    return Outcome(
        Verdict.REFUTED,
        f"exact counterexample on a line: left side {float(left):.6g}, right side {float(right):.6g}",
        float(left / right) if right > 0 else math.inf,
        scan.tried,
        scan.defined,
        script=_script(test, point, values, claim_id, name),
        stage="eigenvalue",
        detail={**detail, "worst_instance": shown},
    )


def side_on_a_line(side: Any, point: Point, values: Point) -> Fraction:
    """A side with the vectors placed on a line."""
    return exact_value(_on_a_line(side), {**point, **values})


def _on_a_line(side: Any) -> Any:
    side = sp.sympify(side)
    found = {s: s.name[1:-1].split(",") for s in side.free_symbols if s.name[0] == "<"}
    return side.subs({s: sp.Symbol(i) * sp.Symbol(j) for s, (i, j) in found.items()})


def _script(test: VectorInequality, point: Point, values: Point, claim_id: str, name: str) -> str:
    words = f"Reading: {name}.\nVectors of one dimension: {', '.join(test.names)}."
    checks = [f"{p.name} >= {python_source(sp.Rational(p.low))}" for p in test.domain.parameters]
    checks += [
        f"{p.name} <= {python_source(sp.Rational(p.high))}" for p in test.domain.parameters if p.high is not None
    ]
    for group in test.domain.simplices:
        checks += [f"{' + '.join(group)} == 1", *(f"{p} >= 0" for p in group)]
    checks += [f"{python_source(w)} >= 0" for w in test.domain.where]
    body = "".join(f"{k} = {literal(v)}\n" for k, v in {**point, **values}.items())
    body += (
        f"hypotheses = [{', '.join(checks)}]\n"
        f"left = {python_source(_on_a_line(test.lhs))}\nright = {python_source(_on_a_line(test.rhs))}\n"
        'print(f"left side  = {left} = {float(left):.6g}")\nprint(f"right side = {right} = {float(right):.6g}")\n'
        "violated = all(hypotheses) and left > right\n"
        'print("violated" if violated else "NOT violated")\nraise SystemExit(0 if violated else 1)\n'
    )
    return head(f"Counterexample to {claim_id}.", words, body) + body

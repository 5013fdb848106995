"""A proof over a class: multipliers w >= 0 with Σw = 1 and λ >= 0 such that, identically in Gram matrix and values,

    τ − Σⱼ wⱼ oⱼ + Σₖ λₖ cₖ = ⟨S, G⟩ + s,    S ⪰ 0, s >= 0,

so that min_j o_j <= τ wherever c_k <= 0 (or = 0, with λ of any sign). Multipliers come from floats, are rounded to
rationals, and meet the equations exactly; `check` believes none of that and computes everything anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from theory.classes import Program, Solution, Statement, assemble
from theory.classes.numbers import Real, Surd, is_zero, scaled, sign, value
from theory.classes.program import Float
from theory.classes.solver import interior_proof, on_face
from theory.exact import UndecidedError
from validation.proof.rounding.faces import Face, faces, vanishing
from validation.proof.rounding.linear import Matrix, Row, is_positive_semidefinite, rounded, solver

__all__ = ["Proof", "check", "checks_in", "prove_homogeneous", "prove_with_room"]

_DIGITS = (4, 7, 10, 13, 16)
_CENTRES = (0.1, 1.0, 10.0)
_NO_ROOM = 1e-9  # a centre whose S is no more definite than this is none
_WORK = 10**7  # operations of the elimination beyond which a face is not tried


@dataclass(frozen=True, eq=False)
class Proof:
    """Exact multipliers of the measures and of the conditions, and the bound they prove."""

    statement: Statement
    bound: Real
    weights: tuple[Real, ...]
    multipliers: tuple[Real, ...]
    kind: str

    @property
    def n_used(self) -> int:
        """How many conditions the proof uses."""
        return sum(1 for x in self.multipliers if isinstance(x, Surd) or x != 0)


def check(proof: Proof) -> bool:
    """Whether the multipliers prove the bound, from the statement's own forms, in exact arithmetic alone."""
    return checks_in(assemble(proof.statement), proof)


def checks_in(program: Program, proof: Proof) -> bool:
    """`check` where the statement's program is at hand, for many proofs of one statement."""
    statement, total = proof.statement, fmpq(0)
    for w in proof.weights:
        if sign(w) < 0:
            return False
        total = total + w
    if not is_zero(total - 1) or len(proof.multipliers) != len(statement.conditions):
        return False
    for x, condition in zip(proof.multipliers, statement.conditions, strict=True):
        if not condition.equality and sign(x) < 0:
            return False
    quad, linear, constant = slack_form(proof)
    if any(not is_zero(a) for a in linear) or sign(constant) < 0:
        return False
    # S·u = 0 for a shift u: S is positive semidefinite if it is without the one vector that u puts at 0.
    if any(not _vanishes(quad, direction) for _, direction in program.shifts):
        return False
    return is_positive_semidefinite(_matrix(quad, program.kept))


def slack_form(proof: Proof) -> tuple[dict[tuple[int, int], Real], list[Real], Real]:
    """(inner products of S, coefficients left on the values, s) of τ − Σ wo + Σ λc."""
    statement = proof.statement
    quad: dict[tuple[int, int], Real] = {}
    linear: list[Real] = [fmpq(0)] * len(statement.values)
    constant = proof.bound
    pairs = [(-w, form) for w, form in zip(proof.weights, statement.measures, strict=True)]
    pairs += [(x, c.form) for x, c in zip(proof.multipliers, statement.conditions, strict=True)]
    for factor, form in pairs:
        if not isinstance(factor, Surd) and factor == 0:
            continue
        for key, a in form.quad.items():
            quad[key] = quad.get(key, fmpq(0)) + factor * a
        for v, a in form.values.items():
            linear[v] = linear[v] + factor * a
        constant = constant + factor * form.constant
    return quad, linear, constant


def _vanishes(quad: Mapping[tuple[int, int], Real], direction: Mapping[int, Real]) -> bool:
    rows: dict[int, Real] = {}
    for (i, j), a in quad.items():
        for p, q in ((i, j), (j, i)):
            if q in direction:
                rows[p] = rows.get(p, fmpq(0)) + a * direction[q]
    return all(is_zero(a) for a in rows.values())


def _matrix(quad: Mapping[tuple[int, int], Real], kept: Sequence[int]) -> Matrix:
    place = {v: i for i, v in enumerate(kept)}
    matrix: Matrix = [[fmpq(0)] * len(kept) for _ in kept]
    for (i, j), a in quad.items():
        if i in place and j in place:
            p, q = place[i], place[j]
            matrix[p][q] = matrix[q][p] = a if p == q else a / 2
    return matrix


def equations(program: Program, bound: Real, active: Sequence[int], slack: bool) -> list[tuple[Row, Real]]:
    """What the multipliers have to meet exactly: values cancel, Σ w = 1, constants add up.

    Unknowns: multiplier i belongs to form active[i] (measures first); with `slack` one more unknown s >= 0 at the end.
    """
    forms, k = program.forms, program.n_measures
    rows: dict[int, dict[int, Real]] = {}
    total: dict[int, Real] = {}
    constants: dict[int, Real] = {}
    for i, form_place in enumerate(active):
        form, factor = forms[form_place], -1 if form_place < k else 1
        for v, a in form.values.items():
            rows.setdefault(v, {})[i] = factor * a
        if form_place < k:
            total[i] = fmpq(1)
        if isinstance(form.constant, Surd) or form.constant != 0:
            constants[i] = factor * form.constant
    if slack:
        constants[len(active)] = fmpq(-1)
    out: list[tuple[Row, Real]] = [(row, fmpq(0)) for row in rows.values()]
    return [*out, (total, fmpq(1)), (constants, -bound)]


def prove_with_room(program: Program, solution: Solution, bound: Real) -> Proof | None:
    """A proof of `bound` where the true worst case is smaller: near-optimal multipliers moved into the interior.

    (1 − θ)·(multipliers of the optimum) + θ·(a centre of a larger bound) keeps S positive definite by about θ, which
    absorbs the rounding; θ is what the room between the worst case and the bound allows.
    """
    target = _rational_below(bound, solution.upper)
    reach = np.maximum(np.diag(solution.gram), 1e-6 * float(np.diag(solution.gram).max(initial=1e-300)))
    for face in faces(program, reach, bound):
        try:
            proof = _prove_on(program, solution, bound, target, reach, face)
        except UndecidedError:
            continue  # this face's numbers do not cancel as written
        if proof is not None:
            return proof
    return None


def _prove_on(
    program: Program, solution: Solution, bound: Real, target: Real, reach: Float, face: Face
) -> Proof | None:
    tau = value(target)
    best = np.concatenate([solution.weights, solution.multipliers])
    best[list(face.closed)] = 0.0
    scale = max(abs(tau), abs(solution.upper), 1e-9)
    there = _floats(program, face)
    for portion in _CENTRES:
        height = max(tau, solution.upper) + portion * scale
        centre = interior_proof(program, height, reach, *there)
        if centre is None or centre[1] <= (_NO_ROOM if face.null else -_NO_ROOM):
            continue
        theta = (tau - solution.upper) / (height - solution.upper)
        for share in (0.9, 0.5):
            mixed = best + share * theta * (centre[0] - best)
            proof = _rounded_proof(program, target, bound, mixed, face)
            if proof is not None:
                return proof
    centre = interior_proof(program, tau, reach, *there)
    return None if centre is None or centre[1] <= -_NO_ROOM else _rounded_proof(program, target, bound, centre[0], face)


def _floats(program: Program, face: Face) -> tuple[Float, Float]:
    """The face's null vectors as floats, shape (rank, n), and what it demands of the multipliers."""
    vectors = [[value(x) for x in vector] for vector in face.null]
    null = np.array(vectors, dtype=np.float64).reshape(len(vectors), len(program.kept))
    return null, on_face(program, null, sorted(face.closed))


def prove_homogeneous(program: Program) -> Proof | None:
    """A proof of min_j o_j <= 0 where no form has a constant: every instance may be scaled, so there is no optimum."""
    reach = np.ones(len(program.kept))
    for face in faces(program, reach, fmpq(0)):
        centre = interior_proof(program, 0.0, reach, *_floats(program, face))
        proof = None if centre is None else _rounded_proof(program, fmpq(0), fmpq(0), centre[0], face)
        if proof is not None:
            return proof
    return None


def _rational_below(bound: Real, worst: float) -> Real:
    """The bound itself where it is rational, else a rational just below it and above the worst case."""
    if not isinstance(bound, Surd):
        return bound
    gap = max(value(bound) - worst, 1e-14 * abs(worst))
    return fmpq(scaled(bound - fmpq(round(gap * 1e-3 * 10**30), 10**30), 128) - 1, 2**128)


def _rounded_proof(program: Program, target: Real, bound: Real, floats: Float, face: Face) -> Proof | None:
    """The floats rounded ever more finely, equations met exactly, until the proof checks."""
    k = program.n_measures
    inequality = np.concatenate([np.ones(k, dtype=bool), ~program.equality])
    top = float(np.abs(floats).max(initial=0.0))
    active = [i for i, x in enumerate(floats) if abs(x) > 1e-13 * top and i not in face.closed]
    if len(face.null) * len(program.kept) * len(active) ** 2 > _WORK:
        return None
    vanish = list(vanishing(program, active, face.null))
    left = value(target) + float(np.concatenate([-floats[:k], floats[k:]]) @ program.constant)
    sizes = [*(abs(float(floats[i])) for i in active), max(left, 0.0)]
    solve = solver([*equations(program, target, active, True), *vanish], sizes)
    for digits in _DIGITS:
        near = [rounded(float(floats[i]), digits) for i in active]
        near = [fmpq(0) if inequality[i] and x < 0 else x for i, x in zip(active, near, strict=True)]
        try:
            solved = solve([*near, rounded(max(left, 0.0), digits)])
        except UndecidedError:
            continue  # in another order of elimination these numbers may cancel as written
        if solved is None or sign(solved[-1]) < 0:
            continue
        proof = proof_of(program, bound, active, solved[:-1], "room")
        if any(sign(x) < 0 for i, x in zip(active, solved, strict=False) if inequality[i]):
            continue
        if checks_in(program, proof):
            return proof
    return None


def proof_of(program: Program, bound: Real, active: Sequence[int], found: Sequence[Real], kind: str) -> Proof:
    """Multipliers of all forms from those of the active ones."""
    every: list[Real] = [fmpq(0)] * len(program.constant)
    for i, x in zip(active, found, strict=True):
        every[i] = x
    k = program.n_measures
    return Proof(program.statement, bound, tuple(every[:k]), tuple(every[k:]), kind)

"""A proof over a class: multipliers w >= 0 with Σw = 1 and λ >= 0 such that, identically in Gram matrix and values,

    τ − Σⱼ wⱼ oⱼ + Σₖ λₖ cₖ = ⟨S, G⟩ + s,    S ⪰ 0, s >= 0,

so that min_j o_j <= τ wherever c_k <= 0 (or = 0, with λ of any sign). However multipliers were found, `check` computes
everything from the statement's own forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq

from theory.classes import Program, Statement, assemble
from theory.classes.numbers import Real, Surd, is_zero, sign
from validation.proof.rounding.linear import Matrix, Row, is_positive_semidefinite

__all__ = ["Proof", "check", "checks_in", "equations", "proof_of"]


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


def proof_of(program: Program, bound: Real, active: Sequence[int], found: Sequence[Real], kind: str) -> Proof:
    """Multipliers of all forms from those of the active ones."""
    every: list[Real] = [fmpq(0)] * len(program.constant)
    for i, x in zip(active, found, strict=True):
        every[i] = x
    k = program.n_measures
    return Proof(program.statement, bound, tuple(every[:k]), tuple(every[k:]), kind)

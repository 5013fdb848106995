"""Is a statement true for every member of its classes? An exact proof, an exact counterexample, or the interval known.

The word says what exact arithmetic shows and nothing else: floats choose what is tried. `inconclusive` comes with the
largest value an exact instance reaches and the smallest bound an exact proof gives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Literal

from flint import fmpq

from theory.classes import Condition, Form, Program, Solution, Statement, assemble, solve
from theory.classes.numbers import Real, sign, value
from theory.classes.symmetry import folded
from theory.exact import UndecidedError
from theory.worst_case.status import UnsolvedError
from validation.proof.classes.certificate import Proof, check
from validation.proof.classes.hypotheses import homogeneous, left_out, with_all, without
from validation.proof.classes.instance import FunctionAt, instance_of, lines_of
from validation.proof.classes.tight import prove_at_rate
from validation.proof.classes.unfold import unfolded_proof, unfolded_witness
from validation.proof.classes.with_room import WithRoom, prove_homogeneous
from validation.proof.classes.witness import Witness, refute, violates
from validation.proof.rounding.linear import rounded

__all__ = ["ClassDecision", "Word", "decide_class", "nearest_to"]

Word = Literal["proved", "refuted", "inconclusive"]

_NEAR = 1e-6  # relative: closer than this to the worst case, a proof at the rate is tried
_CLOSE = 1e-4  # relative: nearer bounds are said to be at the rate
_ROOMS = (1e-6, 1e-4, 1e-3)
_SIZES = (1, 10**3, 10**6)


@dataclass(frozen=True, eq=False)
class ClassDecision:
    """The word, the float worst case that guided it, and the exact evidence: a proof, or a counterexample.

    `interval`: exact bounds on the worst case where neither was found; an end is None where nothing was shown.
    Printed, a refutation shows its instance.
    """

    word: Word
    value: float
    why: str
    proof: Proof | None = None
    witness: Witness | None = None
    interval: tuple[Real | None, Real | None] = (None, None)

    @property
    def instance(self) -> tuple[FunctionAt, ...]:
        """The counterexample's functions by gradients and values at their points; nothing where there is none."""
        return () if self.witness is None else instance_of(self.witness)

    def __str__(self) -> str:
        shown = [] if self.witness is None else lines_of(self.witness)
        return "\n".join([f"{self.word}: {self.why}", *(f"  {line}" for line in shown)])


def decide_class(statement: Statement) -> ClassDecision:
    """`proved` by exact multipliers, `refuted` by exact points (of classes with an interpolation theorem), or neither.

    A proof is for every member of the classes in every dimension, at the statement's own numbers.
    """
    try:
        return _by_symmetry(statement) or _decide(statement)
    except UndecidedError as error:
        return ClassDecision("inconclusive", float("nan"), f"a sign was not decided: {error}")


def _by_symmetry(statement: Statement) -> ClassDecision | None:
    """The decision over exchanged clients, where its evidence is evidence about the statement as written."""
    short = folded(statement)
    if short is None:
        return None
    decision = _decide(short.statement)
    if decision.proof is not None:
        proof = unfolded_proof(short, decision.proof)
        if check(proof):
            return replace(decision, why=_proved(proof), proof=proof)
    if decision.witness is not None:
        witness = unfolded_witness(short, decision.witness)
        if violates(witness):
            return replace(decision, why=_refuted(witness), witness=witness)
    return None


def _decide(statement: Statement) -> ClassDecision:
    found, solution = _as_written(statement)
    if found.word != "inconclusive" or _far_below(statement, solution):
        return found
    for some in left_out(statement, solution):
        proof = _proof_without(statement, some)
        if proof is not None:
            few = f"without {len(some)} hypothes{'is' if len(some) == 1 else 'es'} that it does not need"
            return ClassDecision("proved", found.value, f"{_proved(proof)}, {few}", proof)
    return found


def _far_below(statement: Statement, solution: Solution | None) -> bool:
    """Whether the bound is clearly exceeded with all hypotheses, so that it is without some of them, too."""
    if solution is None or solution.status != "optimal":
        return False
    bound = value(statement.bound)
    return solution.value > bound + _NEAR * max(abs(bound), 1e-3)


def _proof_without(statement: Statement, some: frozenset[int]) -> Proof | None:
    less = without(statement, some)
    try:
        found = _proof_of(less)
    except UndecidedError:
        return None
    proof = found and with_all(found, statement, some)
    return proof if proof is not None and check(proof) else None


def _proof_of(statement: Statement) -> Proof | None:
    """A proof where the solver's answer leaves room for one; nothing is refuted."""
    program = assemble(statement)
    if homogeneous(statement):
        return _unbounded(program, None, "").proof
    try:
        solution = solve(program)
    except UnsolvedError:
        return None
    room = _room(statement, solution)
    return _prove(WithRoom(program, solution), statement.bound, room) if room > -_NEAR else None


def _room(statement: Statement, solution: Solution) -> float:
    """What the bound leaves above the worst case, relative; −∞ where instances grow without end."""
    if solution.status == "infeasible" or not isfinite(solution.upper):
        return -inf
    bound = value(statement.bound)
    return (bound - solution.upper) / max(abs(bound), abs(solution.upper), 1e-9)


def _as_written(statement: Statement) -> tuple[ClassDecision, Solution | None]:
    """The decision with all hypotheses, and what the solver found."""
    program = assemble(statement)
    try:
        solution = solve(program)
    except UnsolvedError as error:
        return _unbounded(program, None, f"the solver gave no answer ({error})"), None
    if solution.status == "infeasible":
        why = "the solver finds no instance that meets every hypothesis: they may contradict each other"
        return ClassDecision("inconclusive", solution.value, why), solution
    if homogeneous(statement):
        why = "no exact multipliers were found, and no exact instance within a ball exceeds the bound"
        return _unbounded(program, solution, why), solution
    if sign(statement.bound) > 0 and homogeneous(statement.with_bound(0)):
        stronger, _ = _as_written(statement.with_bound(0))
        if stronger.proof is not None:
            weaker = replace(stronger.proof, statement=statement, bound=statement.bound)
            return ClassDecision("proved", stronger.value, f"even with bound 0: {stronger.why}", weaker), solution
    return _of_solution(program, solution), solution


def _of_solution(program: Program, solution: Solution) -> ClassDecision:
    statement = program.statement
    bound = value(statement.bound)
    scale = max(abs(bound), abs(solution.upper), 1e-9)
    room = _room(statement, solution)
    prover = WithRoom(program, solution)
    if room > -_NEAR:
        proof = _prove(prover, statement.bound, room)
        if proof is not None:
            return ClassDecision("proved", solution.value, _proved(proof), proof)
    if bound < solution.value + _NEAR * scale:
        witness = refute(program, solution)
        if witness is not None:
            return ClassDecision("refuted", solution.value, _refuted(witness), witness=witness)
        if solution.status != "optimal":
            return _unbounded(program, solution, "the solver's answer is inaccurate, and no exact instance was found")
    nearest, high = nearest_to(prover)
    if nearest is not None:
        own = Witness(statement, nearest.vectors, nearest.values, nearest.least)
        if violates(own):
            return ClassDecision("refuted", solution.value, _refuted(own), witness=own)
    found = (None if nearest is None else nearest.least, high)
    return ClassDecision("inconclusive", solution.value, _open(statement, solution, room, found), interval=found)


def _open(statement: Statement, solution: Solution, room: float, found: tuple[Real | None, Real | None]) -> str:
    """Why neither was found, and what is known exactly."""
    low, high = found
    if not statement.exact and room < 0:
        names = sorted({family.name for _, family, _ in statement.asked if not family.exact})
        first = f"only necessary conditions of {', '.join(names)} are known: points may belong to no member"
    elif abs(room) < _CLOSE:
        first = (
            f"the bound {value(statement.bound):.12g} is within {max(abs(room), 1e-16):.0e} of the worst case, "
            f"about {solution.value:.9g}: there itself no exact multipliers were recognised"
        )
    else:
        first = (
            f"the worst case is about {solution.value:.9g} by floats, but neither exact multipliers of the bound "
            f"{value(statement.bound):.9g} nor an exact instance above it were found"
        )
    known = [f"an exact instance reaches {value(low):.12g}"] if low is not None else []
    known += [f"an exact proof gives {value(high):.12g}"] if high is not None else []
    return f"{first}; {' and '.join(known) or 'nothing is known exactly'}"


def _prove(prover: WithRoom, bound: Real, room: float) -> Proof | None:
    program, solution = prover.program, prover.solution
    if room > _NEAR / 100:
        return prover.prove(bound) or prove_at_rate(program, solution, bound)
    return prove_at_rate(program, solution, bound) or (prover.prove(bound) if room > 1e-12 else None)


def nearest_to(prover: WithRoom) -> tuple[Witness | None, Real | None]:
    """What bounds the worst case exactly: an instance that reaches nearly as much, and the bound that a proof gives."""
    program, solution = prover.program, prover.solution
    scale = max(abs(solution.upper), 1e-9)
    low: Witness | None = None
    high: Real | None = None
    for room in _ROOMS:
        if low is None:
            goal = replace(program, statement=program.statement.with_bound(_decimal(solution.value - room * scale)))
            low = refute(goal, solution)
        if high is None:
            proof = prover.prove(_decimal(solution.upper + room * scale), thorough=room == _ROOMS[-1])
            high = proof.bound if proof else None
    return low, high


def _decimal(x: float) -> Real:
    return rounded(x, 15)


def _unbounded(program: Program, solution: Solution | None, why: str) -> ClassDecision:
    """Statements whose instances may grow: proved by multipliers alone, refuted within a ball of free vectors."""
    statement = program.statement
    found = float("nan") if solution is None else solution.value
    if homogeneous(statement):
        proof = prove_homogeneous(program)
        if proof is not None:
            return ClassDecision("proved", 0.0, _proved(proof), proof)
    free = (*program.kept, *(v for v, _ in program.shifts))  # the ball is not unchanged along a shift
    for size in _SIZES:
        sphere = Form({(i, i): fmpq(1) for i in free}, {}, fmpq(-size))
        inside = replace(statement, conditions=(*statement.conditions, Condition(sphere, label="a ball")))
        try:
            small = assemble(inside)
            at_most = solve(small)
        except UnsolvedError:
            continue
        if at_most.value <= value(statement.bound):
            if homogeneous(statement):
                proof = prove_at_rate(small, at_most, statement.bound)
                if proof is not None and proof.multipliers[-1] == 0:
                    own = Proof(statement, statement.bound, proof.weights, proof.multipliers[:-1], proof.kind)
                    return ClassDecision("proved", 0.0, _proved(own), own)
            continue
        witness = refute(small, at_most)
        if witness is not None:
            own_witness = Witness(statement, witness.vectors, witness.values, witness.least)
            if violates(own_witness):
                return ClassDecision("refuted", float("inf"), _refuted(own_witness), witness=own_witness)
    return ClassDecision("inconclusive", found, why)


def _proved(proof: Proof) -> str:
    return f"{proof.n_used} conditions with exact multipliers leave a positive semidefinite form (exact LDLᵀ)"


def _refuted(witness: Witness) -> str:
    places = sum(len(samples) for _, _, samples in witness.statement.asked)
    what = f"{places} exact points" if places else f"{len(witness.vectors)} exact vectors"
    return (
        f"{what} in dimension {witness.dimension} satisfy every interpolation condition and hypothesis, "
        f"and reach {value(witness.least):.9g} > {value(witness.statement.bound):.9g}"
    )

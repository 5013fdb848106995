"""Proofs of a bound above the worst case: multipliers from floats, rounded, that meet the equations exactly.

S of the best multipliers is singular. Mixed with a centre, multipliers of a larger bound whose S is definite, it is
definite by about the room between the worst case and the bound, which absorbs the rounding. Where instances may grow
without end S has to vanish along their directions: such a face is guessed, and S is definite beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from flint import fmpq

from theory.classes import Program, Solution
from theory.classes.numbers import Real, Surd, scaled, sign, value
from theory.classes.program import Float
from theory.classes.solver import interior_proof, on_face
from theory.exact import UndecidedError
from validation.proof.classes.certificate import Proof, checks_in, equations, proof_of
from validation.proof.rounding.faces import Face, faces, vanishing
from validation.proof.rounding.linear import rounded, solver
from validation.proof.rounding.recognise import field_of

__all__ = ["WithRoom", "prove_homogeneous"]

_DIGITS = (4, 7, 10, 13, 16)
_CENTRES = (0.1, 1.0, 10.0)  # heights of the centres above the worst case, relative
_SHARES = (0.9, 0.5)
_NO_ROOM = 1e-9  # a centre whose S is no more definite than this is none
_CLEARLY = 1e-6  # a face whose S is less definite than minus this has no proof
_WORK = 10**7  # operations of the elimination beyond which a face is not tried

Centre = tuple[Float, float]


class _Beside:
    """One face of a solved program, with the centres found on it so far; they do not depend on the bound to prove."""

    def __init__(self, program: Program, solution: Solution, reach: Float, face: Face) -> None:
        self.program, self.solution, self.reach, self.face = program, solution, reach, face
        self._centres: dict[float, Centre | None] = {}

    @cached_property
    def _there(self) -> tuple[Float, Float]:
        return _floats(self.program, self.face)

    def at(self, height: float) -> Centre | None:
        """Multipliers of a proof of `height`, and how definite S is."""
        if height not in self._centres:
            self._centres[height] = interior_proof(self.program, height, self.reach, *self._there)
        return self._centres[height]

    def heights(self, tau: float) -> list[float]:
        """Those of the centres that lie above `tau`."""
        upper = self.solution.upper
        scale = max(abs(upper), 1e-9)
        return [upper + portion * scale for portion in _CENTRES if upper + portion * scale > tau]

    def has_none(self, tau: float) -> bool:
        """Whether the floats exclude a proof of `tau`: S grows more definite with the height, and is not, above it."""
        heights = self.heights(tau) or [tau]
        found = self.at(heights[0]) or self.at(heights[-1])
        return found is None or found[1] <= (_NO_ROOM if self.face.null else -_CLEARLY)

    def first(self, tau: float) -> Iterator[Float]:
        """The multipliers that most often do."""
        heights = self.heights(tau)
        if heights:
            yield from self._mixed(heights[0], tau, _SHARES[0])
        if self.face.null or not heights:
            yield from self._own(tau)

    def others(self, tau: float) -> Iterator[Float]:
        """The rest, in order."""
        heights = self.heights(tau)
        for height in heights:
            for share in _SHARES:
                if (height, share) != (heights[0], _SHARES[0]):
                    yield from self._mixed(height, tau, share)
        if heights and not self.face.null:
            yield from self._own(tau)

    def _mixed(self, height: float, tau: float, share: float) -> Iterator[Float]:
        """(1 − θ)·(multipliers of the optimum) + θ·(the centre), θ a share of what the room allows."""
        centre = self.at(height)
        if centre is None or centre[1] <= (_NO_ROOM if self.face.null else -_NO_ROOM):
            return
        best = np.concatenate([self.solution.weights, self.solution.multipliers])
        best[list(self.face.closed)] = 0.0
        theta = (tau - self.solution.upper) / (height - self.solution.upper)
        yield best + share * theta * (centre[0] - best)

    def _own(self, tau: float) -> Iterator[Float]:
        centre = self.at(tau)
        if centre is not None and centre[1] > -_NO_ROOM:
            yield centre[0]


class WithRoom:
    """Proofs of bounds above the worst case of one solved program; its faces and centres are found once for all."""

    def __init__(self, program: Program, solution: Solution) -> None:
        self.program, self.solution = program, solution
        diagonal = np.diag(solution.gram)
        self._reach = np.maximum(diagonal, 1e-6 * float(diagonal.max(initial=1e-300)))
        self._found: dict[str, tuple[Iterator[Face], list[_Beside]]] = {}

    def prove(self, bound: Real, *, thorough: bool = True) -> Proof | None:
        """A proof of `bound`, or None. Without `thorough` each face is tried with its most likely multipliers alone."""
        target = _rational_below(bound, self.solution.upper)
        tau = value(target)
        for thoroughly in (False, True)[: 1 + thorough]:
            for place in self._faces(bound):
                if place.has_none(tau):
                    continue
                try:
                    for floats in place.others(tau) if thoroughly else place.first(tau):
                        proof = _rounded_proof(self.program, target, bound, floats, place.face)
                        if proof is not None:
                            return proof
                except UndecidedError:
                    continue  # this face's numbers do not cancel as written
        return None

    def _faces(self, bound: Real) -> Iterator[_Beside]:
        """Guesses of the face, as they are found; their null spaces are recognised in the bound's field."""
        field = str(field_of(self.program, bound))
        if field not in self._found:
            self._found[field] = (faces(self.program, self._reach, bound), [])
        more, known = self._found[field]
        at = 0
        while True:
            if at == len(known):
                face = next(more, None)
                if face is None:
                    return
                known.append(_Beside(self.program, self.solution, self._reach, face))
            yield known[at]
            at += 1


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

"""A statement over a class for all numbers of a range: step sizes, condition numbers, numbers of clients.

Floats and exact decisions at single numbers choose the multipliers, as rational functions of the letter; Sturm's
theorem then checks, over the whole range, that none is negative, that values cancel, and that no pivot of LDLᵀ is
negative. A range that one formula does not cover is halved. A number at which the statement is refuted refutes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_poly

from theory.classes import Program, Statement, assemble
from theory.classes.crowd import CrowdStatement
from theory.classes.letter import Letter
from theory.classes.numbers import Real, Surd, value
from theory.exact.sturm import Range
from validation.proof.classes.certificate import Proof, equations, slack_form
from validation.proof.classes.decide import ClassDecision, Word, decide_class
from validation.proof.classes.hypotheses import with_all, without
from validation.proof.classes.lettered import (
    Stated,
    at_number,
    moved,
    same_at_numbers,
    stated_at,
    whole_numbers,
    with_letter,
)

__all__ = ["RangeDecision", "RangeProof", "check_range", "decide_range"]

_SAMPLES = (6, 10, 16)  # numbers at which exact multipliers are asked before a formula is guessed
_SPARE = 2  # of these, such as a guess has to meet without having been made from them
_DEGREES = (0, 1, 3)  # of multipliers where the bound leaves room
_FEWEST_CLIENTS = 2  # of a crowd
_HALVINGS = 6
_MOST_OPEN = 2  # parts without a proof, beyond which the others are not tried
_DIGITS = 12


@dataclass(frozen=True, eq=False)
class RangeProof:
    """Multipliers for one part of the range: rational functions of the letter, of measures and conditions.

    `beyond`: None, or for a range without end the number c for which the letter is t with x = c + t/(1 − t).
    """

    name: str
    within: Range
    weights: tuple[Real, ...]
    multipliers: tuple[Real, ...]
    beyond: Fraction | None = None


@dataclass(frozen=True, eq=False)
class RangeDecision:
    """`proved` by `proofs`, whose ranges cover the whole; `refuted` at the number `at`, by `decision`; or neither."""

    word: Word
    why: str
    proofs: tuple[RangeProof, ...] = ()
    at: Fraction | None = None
    decision: ClassDecision | None = None

    def __str__(self) -> str:
        return f"{self.word}: {self.why}"


def decide_range(stated: Stated, within: str, *, name: str = "x", whole: bool = False, seed: int = 0) -> RangeDecision:
    """Is a statement over classes true for all numbers of a range? `stated(x)` writes it for one number x.

    `stated` runs with fractions and with a `Letter`: it may do arithmetic with x, and comparisons that come out alike
    in the whole range. `within`: an interval such as "(0, 1/2]" or "[1, oo)"; `name`: of the letter, for people;
    `whole`: it counts something, such as clients, so only whole numbers refute; a proof is for all numbers of the
    range. `seed` moves the numbers at which the statement is decided to find a proof. Raises `ValueError` for a range
    that cannot be read, a count from 1 on for a statement about a `Crowd`, and where the statement does more than
    arithmetic with the letter, has no value at a number of the range, or has other irrational numbers.
    """
    of = Range.read(within)
    search = _Search(stated, name, seed, whole)
    for n in whole_numbers(of) if whole else ():
        statement = stated_at(stated, n, name)
        if n < _FEWEST_CLIENTS and isinstance(statement, CrowdStatement):
            raise ValueError(f"a statement about a Crowd in {within}: expected a range of two clients or more")
        refuted = search.refuted_at(n)
        if refuted is not None:
            return refuted
    same_at_numbers(stated, of, name)
    found = search.on(of)
    if of.high is not None:
        return found if isinstance(found, RangeDecision) else _halved(search, of, of, found)
    if found is not None:
        return found if isinstance(found, RangeDecision) else _proved([found], name, of)
    short = Range(Fraction(0), Fraction(1), of.with_low)
    decision = _halved(_Search(moved(stated, of.low), name, seed, whole), short, of, None)
    proofs = tuple(replace(proof, beyond=of.low) for proof in decision.proofs)
    return replace(decision, proofs=proofs)


def check_range(stated: Stated, proof: RangeProof) -> bool:
    """Whether the multipliers prove the statement for all numbers of their range, by exact arithmetic alone."""
    written = stated if proof.beyond is None else moved(stated, proof.beyond)
    statement = with_letter(written, proof.within, proof.name)
    claimed = replace(proof, weights=_within(proof, proof.weights), multipliers=_within(proof, proof.multipliers))
    return _proves(statement, assemble(at_number(statement, _points(proof.within, 1, 0)[0])), claimed)


def _within(proof: RangeProof, numbers: Sequence[Real]) -> tuple[Real, ...]:
    """The same functions of the letter, each asked on the proof's own range."""
    return tuple(Letter(x.top, x.bottom, proof.name, proof.within) if isinstance(x, Letter) else x for x in numbers)


def _proved(proofs: Sequence[RangeProof], name: str, whole: Range) -> RangeDecision:
    parts = "one formula" if len(proofs) == 1 else f"{len(proofs)} formulas, each for a part,"
    why = f"{parts} of the multipliers for all {name} in {whole}, with signs by Sturm's theorem"
    return RangeDecision("proved", why, tuple(sorted(proofs, key=lambda proof: proof.within.low)))


def _halved(search: _Search, short: Range, whole: Range, found: RangeProof | None) -> RangeDecision:
    """The decision part by part, from the low end on; it gives up where few parts stay open."""
    proofs = [] if found is None else [found]
    open_parts: list[Range] = []
    todo = [] if found is not None else [(short, 0)]
    while todo and len(open_parts) < _MOST_OPEN:
        part, depth = todo.pop()
        one = None if depth == 0 and whole.high is not None else search.on(part)
        if isinstance(one, RangeDecision):
            if whole.high is not None or one.at is None:
                return one
            at = whole.low + one.at / (1 - one.at)
            return replace(one, at=at, why=f"at {search.name} = {at}, {one.decision.why if one.decision else ''}")
        if one is not None:
            proofs.append(one)
        elif depth == _HALVINGS:
            open_parts.append(part)
        else:
            assert part.high is not None
            middle = (part.low + part.high) / 2
            todo += [(part.part(middle, part.high), depth + 1), (part.part(part.low, middle), depth + 1)]
    if not open_parts:
        return _proved(proofs, search.name, whole)
    first = open_parts[0]
    letter = search.name if whole.high is not None else f"t, where {search.name} = {whole.low} + t/(1 − t),"
    why = f"no counterexample at the numbers tried, and no proof for {letter} in {first} and perhaps elsewhere"
    return RangeDecision("inconclusive", why, tuple(sorted(proofs, key=lambda proof: proof.within.low)))


@dataclass(frozen=True)
class _Search:
    """How a proof is looked for on one part of a range."""

    stated: Stated
    name: str
    seed: int
    whole: bool

    def on(self, part: Range) -> RangeProof | RangeDecision | None:
        """A proof for the part, or the refutation at a number of it; None for neither."""
        statement = with_letter(self.stated, part, self.name)
        for x in _ends(part):
            refuted = self.refuted(statement, x)
            if refuted is not None:
                return refuted
        some: frozenset[int] = frozenset()
        for count in _SAMPLES:
            samples: list[tuple[Fraction, Proof]] = []
            for x in _points(part, count, self.seed):
                decision = decide_class(without(at_number(statement, x), some))
                if decision.word == "refuted":
                    return self.refuted(statement, x)
                if decision.proof is None:
                    return None
                if not samples and not some and decision.proof.kind == "tight":
                    some = _not_needed(at_number(statement, x), decision.proof)
                    decision = decide_class(without(at_number(statement, x), some))
                if decision.proof is None or decision.proof.kind != "tight":
                    return self.by_floats(statement, part)
                samples.append((x, with_all(decision.proof, at_number(statement, x), some)))
            found = _by_formulas(statement, part, self.name, samples)
            if found is not None:
                return found
        return self.by_floats(statement, part)

    def refuted(self, statement: Statement, x: Fraction) -> RangeDecision | None:
        """The refutation at one number of the range; of a count, whole numbers were tried before."""
        if self.whole or decide_class(at_number(statement, x)).word != "refuted":
            return None
        return self.refuted_at(x)

    def refuted_at(self, x: Fraction) -> RangeDecision | None:
        """The refutation at one number."""
        decision = decide_class(self.stated(x))
        if decision.word != "refuted":
            return None
        return RangeDecision("refuted", f"at {self.name} = {x}, {decision.why}", at=x, decision=decision)

    def by_floats(self, statement: Statement, part: Range) -> RangeProof | None:
        """A proof where the bound leaves room: polynomials through proofs with room, equations met over the range."""
        if part.high is None:
            return None
        letter = Letter.named(self.name, part)
        for nodes in _node_sets(part):
            try:
                found = [decide_class(at_number(statement, x)).proof for x in nodes]
            except ZeroDivisionError:
                continue  # an end that is not in the range, where the statement has no numbers
            proofs = [proof for proof in found if proof is not None]
            if len(proofs) < len(nodes):
                continue
            rows = np.array([[value(y) for y in (*p.weights, *p.multipliers)] for p in proofs])
            program = assemble(proofs[0].statement)
            near = [_polynomial(letter, nodes, rows[:, i]) for i in range(rows.shape[1])]
            active = [i for i in range(rows.shape[1]) if np.abs(rows[:, i]).max() > 1e-9 * np.abs(rows).max()]
            solved = _corrected(program, statement, near, active, rows[-1])
            proof = None if solved is None else _checked(statement, program, letter, solved)
            if proof is not None:
                return proof
        return None


def _not_needed(statement: Statement, proof: Proof) -> frozenset[int]:
    """Conditions without which the statement is still proved, one after the other: fewer multipliers, less freedom."""
    some = frozenset(i for i, x in enumerate(proof.multipliers) if _zero(x))
    if decide_class(without(statement, some)).proof is None:
        return frozenset()
    for i in range(len(statement.conditions)):
        if i not in some and decide_class(without(statement, some | {i})).proof is not None:
            some |= {i}
    return some


def _points(part: Range, count: int, seed: int) -> list[Fraction]:
    """Numbers inside the range, spread evenly and moved a little by the seed."""
    moved = Fraction(1 + seed % 5, 7)
    if part.high is None:
        return [part.low + (i + moved) / 2 for i in range(count)]
    return [part.low + (part.high - part.low) * (i + moved) / count for i in range(count)]


def _ends(part: Range) -> list[Fraction]:
    ends = [part.low] if part.with_low else []
    return [*ends, part.high] if part.with_high and part.high is not None else ends


def _node_sets(part: Range) -> Iterator[list[Fraction]]:
    """Where multipliers are taken from: inside, and with an end, at which they may have to vanish."""
    assert part.high is not None
    for degree in _DEGREES:
        yield _nodes(part, degree + 1)
    for ends in ([part.low], [part.high], [part.low, part.high]):
        for inner in (1, 2):
            yield [*ends, *_nodes(part, inner)]


def _by_formulas(
    statement: Statement, part: Range, name: str, samples: Sequence[tuple[Fraction, Proof]]
) -> RangeProof | None:
    """The proof whose multipliers are the rational functions through those of exact proofs."""
    letter = Letter.named(name, part)
    places = [fmpq(x.numerator, x.denominator) for x, _ in samples]
    found: list[Real] = []
    for row in zip(*((*proof.weights, *proof.multipliers) for _, proof in samples), strict=True):
        formula = None if any(isinstance(y, Surd) for y in row) else _through(letter, places, row)
        if formula is None:
            return None
        found.append(formula)
    return _checked(statement, assemble(samples[0][1].statement), letter, found)


def _nodes(part: Range, count: int) -> list[Fraction]:
    """Chebyshev's points of the part, as short fractions."""
    assert part.high is not None
    width = part.high - part.low
    places = [(1 - np.cos((2 * i + 1) * np.pi / (2 * count))) / 2 for i in range(count)]
    return [part.low + width * Fraction(round(float(t) * 1000), 1000) for t in places]


def _polynomial(letter: Letter, nodes: Sequence[Fraction], values: Any) -> Real:
    """The polynomial through floats at the nodes, its coefficients rounded."""
    x = np.array([float(node) for node in nodes])
    coefficients = np.polynomial.polynomial.polyfit(x, values, len(nodes) - 1)
    top = fmpq_poly([fmpq(round(float(c) * 10**_DIGITS), 10**_DIGITS) for c in coefficients])
    return letter.of(top, fmpq_poly([1]))


def _corrected(
    program: Program, statement: Statement, near: Sequence[Real], active: Sequence[int], sizes: Any
) -> list[Real] | None:
    """The multipliers moved so that values cancel and constants add up identically; the largest ones move."""
    rows = equations(replace(program, statement=statement), statement.bound, active, True)
    size = [abs(float(sizes[i])) for i in active]
    known = [near[i] for i in active]
    k = program.n_measures
    spare = statement.bound + sum((x * _constant(statement, i, k) for i, x in zip(active, known, strict=True)), fmpq(0))
    solved = _solved(rows, [*known, spare], [*size, max(size) / 2])
    if solved is None:
        return None
    every: list[Real] = [fmpq(0)] * len(near)
    for i, x in zip(active, solved, strict=False):
        every[i] = x
    return every


def _constant(statement: Statement, place: int, k: int) -> Real:
    return -statement.measures[place].constant if place < k else statement.conditions[place - k].form.constant


def _solved(rows: Sequence[tuple[Any, Real]], near: Sequence[Real], size: Sequence[float]) -> list[Real] | None:
    """A solution near a guess, by elimination over rational functions; None where a divisor vanishes in the range."""
    left = [dict(row) for row, _ in rows]
    right = [right - sum((a * near[i] for i, a in row.items()), fmpq(0)) for row, right in rows]
    pivots: dict[int, int] = {}
    for r, row in enumerate(left):
        candidates = [i for i, a in row.items() if not _zero(a) and i not in pivots and _divides(a)]
        if not candidates:
            if any(not _zero(a) for a in row.values()) or not _zero(right[r]):
                return None
            continue
        pivot = max(candidates, key=lambda i: (not isinstance(row[i], Letter), size[i]))
        factor = 1 / row[pivot]
        left[r] = {i: a * factor for i, a in row.items()}
        right[r] = right[r] * factor
        pivots[pivot] = r
        for other in range(len(left)):
            times = left[other].get(pivot, fmpq(0))
            if other != r and not _zero(times):
                for i, a in left[r].items():
                    left[other][i] = left[other].get(i, fmpq(0)) - times * a
                right[other] = right[other] - times * right[r]
    out = list(near)
    for pivot, r in pivots.items():
        out[pivot] = out[pivot] + right[r]
    return out


def _zero(x: Real) -> bool:
    return not isinstance(x, Surd) and x == 0


def _divides(x: Real) -> bool:
    """Whether a number may be a divisor in the whole range."""
    if not isinstance(x, Letter):
        return True
    try:
        return x.sign != 0
    except ValueError:
        return False


def _checked(statement: Statement, program: Program, letter: Letter, found: Sequence[Real]) -> RangeProof | None:
    k = len(statement.measures)
    proof = RangeProof(letter.name, letter.within, tuple(found[:k]), tuple(found[k:]))
    return proof if _proves(statement, program, proof) else None


def _proves(statement: Statement, program: Program, proof: RangeProof) -> bool:
    """τ − Σ w·measure + Σ λ·condition = ⟨S, G⟩ + s with w, λ, s >= 0 and S ⪰ 0 at every number of the range.

    `program`: of the statement at one number; only its vectors put at 0 are taken from it, and checked here.
    """
    if len(proof.multipliers) != len(statement.conditions) or not _equal(sum(proof.weights, fmpq(0)), fmpq(1)):
        return False
    free = [c.equality for c in statement.conditions]
    signed = [*proof.weights, *(x for x, any_sign in zip(proof.multipliers, free, strict=True) if not any_sign)]
    if any(not _nonnegative(x) for x in signed) or any(not _defined(x) for x in (*proof.weights, *proof.multipliers)):
        return False
    quad, linear, constant = slack_form(Proof(statement, statement.bound, proof.weights, proof.multipliers, ""))
    if any(not _zero(a) for a in linear) or not _nonnegative(constant):
        return False
    for _, direction in program.shifts:
        rows: dict[int, Real] = {}
        for (i, j), a in quad.items():
            for p, q in ((i, j), (j, i)):
                if q in direction:
                    rows[p] = rows.get(p, fmpq(0)) + a * direction[q]
        if any(not _zero(a) for a in rows.values()):
            return False
    dropped = {v for v, _ in program.shifts}
    kept = [v for v in range(len(statement.vectors)) if v not in dropped]
    return _semidefinite([[_entry(quad, u, v) for v in kept] for u in kept])


def _entry(quad: Any, u: int, v: int) -> Real:
    a = quad.get((min(u, v), max(u, v)), fmpq(0))
    return a if u == v else a / 2


def _semidefinite(rows: list[list[Real]]) -> bool:
    """Whether the matrix is positive semidefinite at every number of the range, by elimination over rational functions.

    Its pivots are functions without negative values: so it is, but for finitely many numbers at which a pivot vanishes,
    and there by continuity of its entries, which have values in the whole range.
    """
    left = list(range(len(rows)))
    while left:
        pivot = next((i for i in left if not _zero(rows[i][i])), None)
        if pivot is None:
            return all(_zero(rows[i][j]) for i in left for j in left)
        if not _nonnegative(rows[pivot][pivot]):
            return False
        left.remove(pivot)
        for i in left:
            if not _zero(rows[i][pivot]):
                factor = _quotient(rows[i][pivot], rows[pivot][pivot])
                for j in left:
                    rows[i][j] = rows[i][j] - factor * rows[pivot][j]
    return True


def _quotient(top: Real, bottom: Real) -> Real:
    """A quotient of rational functions, which need not have a value where the divisor is 0."""
    if not isinstance(bottom, Letter):
        return top / bottom
    return top * bottom.of(bottom.bottom, bottom.top)


def _nonnegative(x: Real) -> bool:
    return x.never_negative if isinstance(x, Letter) else bool(x >= 0)


def _defined(x: Real) -> bool:
    return x.defined if isinstance(x, Letter) else True


def _equal(a: Real, b: Real) -> bool:
    return _zero(a - b)


def _through(letter: Letter, places: Sequence[Real], values: Sequence[Real]) -> Real | None:
    """The rational function of lowest degree through the points, if it has so few coefficients that some are to spare.

    By Euclid's algorithm on Π(x − xᵢ) and the polynomial through the points (Cauchy's interpolation).
    """
    whole = fmpq_poly([1])
    through = fmpq_poly([0])
    for x, y in zip(places, values, strict=True):
        through += whole * fmpq_poly([(y - through(x)) / whole(x)])
        whole *= fmpq_poly([-x, 1])
    before, now = (whole, fmpq_poly([0])), (through, fmpq_poly([1]))
    best: tuple[int, fmpq_poly, fmpq_poly] | None = None
    while True:
        size = max(now[0].degree(), 0) + now[1].degree()
        if best is None or size < best[0]:
            best = (size, *now)
        if now[0].degree() <= 0:
            break
        quotient = before[0] // now[0]
        before, now = now, (before[0] - quotient * now[0], before[1] - quotient * now[1])
    size, top, bottom = best
    if size + 1 + _SPARE > len(places) or any(bottom(x) == 0 for x in places):
        return None
    return letter.of(top, bottom)

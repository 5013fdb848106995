"""Evidence about exchanged clients as evidence about the statement as written; whoever gets it checks it there."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from theory.classes.numbers import Real, value
from theory.classes.symmetry import Folded
from validation.proof.classes.certificate import Proof
from validation.proof.classes.witness import Place, Witness

__all__ = ["unfolded_proof", "unfolded_witness"]


def unfolded_proof(folded: Folded, proof: Proof) -> Proof:
    """The proof with each multiplier shared equally by the conditions that it stands for."""
    whole = folded.whole
    weights = _shared(proof.weights, folded.measures, len(whole.measures))
    multipliers = _shared(proof.multipliers, folded.conditions, len(whole.conditions))
    return Proof(whole, proof.bound, weights, multipliers, proof.kind)


def unfolded_witness(folded: Folded, witness: Witness) -> Witness:
    """The points of every client: uₖ = ū + d ⊗ (δₖ − 1/N), in (N + 1)-fold dimension where there are deviations."""
    n, dimension = folded.n_clients, witness.dimension
    nothing: tuple[Real, ...] = (fmpq(0),) * dimension
    vectors = []
    for mean, deviation, client in folded.vectors:
        parts = [nothing if mean is None else witness.vectors[mean]]
        for k in range(n):
            factor = fmpq(int(k == client)) - fmpq(1, n)
            parts.append(nothing if deviation is None else tuple(factor * x for x in witness.vectors[deviation]))
        vectors.append(tuple(x for part in parts for x in part))
    used = [i for i in range(dimension * (n + 1)) if any(v[i] != 0 for v in vectors)]
    vectors = [tuple(v[i] for i in used) for v in vectors]
    values = tuple(witness.values[place] for place in folded.values)
    place = Place(vectors, values)
    least = min((place.at(m) for m in folded.whole.measures), key=value)
    return Witness(folded.whole, tuple(vectors), values, least)


def _shared(found: Sequence[Real], stands: Sequence[Sequence[int]], n: int) -> tuple[Real, ...]:
    every: list[Real] = [fmpq(0)] * n
    for x, places in zip(found, stands, strict=True):
        for i in places:
            every[i] = x / len(places)
    return tuple(every)

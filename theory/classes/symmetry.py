"""Clients of one class that may be exchanged: a statement over N of them as one whose size does not grow with N.

Averaged over all permutations, an instance stays one: its forms are linear in Gram matrix and values. So only invariant
instances count, and those are, for client k's vectors uₖⱼ and vectors c that all share,

    uₖⱼ = ūⱼ + dⱼ ⊗ (δₖ − 1/N):   ⟨uₖᵢ, uₗⱼ⟩ = ⟨ūᵢ, ūⱼ⟩ + ⟨dᵢ, dⱼ⟩·([k = l] − 1/N),   ⟨c, uₖⱼ⟩ = ⟨c, ūⱼ⟩,

with any vectors c, ū and d, and ū = 0 where the method says Σₖ uₖ = 0. Source: K. Gatermann, P. Parrilo, Symmetry
groups, semidefinite programs, and sums of squares, 2004. That clients may be exchanged is guessed from what was asked
of them; what follows from the guess is checked on the statement as written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from theory.classes.families import Sample
from theory.classes.numbers import Real
from theory.classes.problem import Statement
from theory.classes.vectors import Condition, Form, Vector

__all__ = ["Folded", "folded"]

_FEWEST = 3  # clients below which nothing is gained


@dataclass(frozen=True, eq=False)
class Folded:
    """`statement` in shared vectors, means and deviations of the `n_clients` exchanged clients of `whole`.

    `vectors[v]`: for free vector v of `whole` its (shared part or mean, None where 0; deviation, None where shared;
    client), as places in `statement`. `values[f]`: place of free value f. `measures` and `conditions`: places in
    `whole` of those that each measure and condition of `statement` stands for.
    """

    whole: Statement
    statement: Statement
    n_clients: int
    vectors: tuple[tuple[int | None, int | None, int], ...]
    values: tuple[int, ...]
    measures: tuple[tuple[int, ...], ...]
    conditions: tuple[tuple[int, ...], ...]


def folded(whole: Statement) -> Folded | None:
    """The statement over exchanged clients, or None where fewer than three functions look alike."""
    clients = _clients(whole)
    if clients is None:
        return None
    private, with_mean = _private(clients)
    if not private:
        return None
    names: list[str] = []
    at: dict[tuple[str, int], int] = {}

    def place(kind: str, index: int, name: str) -> int:
        if (kind, index) not in at:
            at[kind, index] = len(names)
            names.append(name)
        return at[kind, index]

    vectors: list[tuple[int | None, int | None, int]] = []
    for v, name in enumerate(whole.vectors):
        if v not in private:
            vectors.append((place("shared", v, name), None, 0))
            continue
        role, client = private[v]
        mean = place("mean", role, f"mean {role}") if with_mean[role] else None
        vectors.append((mean, place("deviation", role, f"deviation {role}"), client))
    values, value_names = _values(whole, clients)

    def short(form: Form) -> Form:
        return _short(form, vectors, values, len(clients))

    measures, measured = _grouped([(short(m), False) for m in whole.measures])
    conditions, stands = _grouped([(short(c.form), c.equality) for c in whole.conditions])
    statement = Statement(
        tuple(measures),
        whole.bound,
        tuple(
            Condition(form, whole.conditions[group[0]].equality, whole.conditions[group[0]].label)
            for form, group in zip(conditions, stands, strict=True)
        ),
        tuple(names),
        value_names,
        tuple((name, family, ()) for name, family, _ in whole.asked),
    )
    return Folded(whole, statement, len(clients), tuple(vectors), values, measured, stands)


def _clients(whole: Statement) -> list[Sequence[Sample]] | None:
    """The samples of the largest set of functions of one class that were asked at equally many points."""
    alike: dict[tuple[str, int], list[Sequence[Sample]]] = {}
    for _, family, samples in whole.asked:
        alike.setdefault((family.name, len(samples)), []).append(samples)
    largest = max(alike.values(), key=len, default=[])
    return largest if len(largest) >= _FEWEST else None


def _private(clients: Sequence[Sequence[Sample]]) -> tuple[dict[int, tuple[int, int]], list[bool]]:
    """(role, client) of free vectors that are one client's own, and of each role whether its mean may differ from 0."""
    private: dict[int, tuple[int, int]] = {}
    with_mean: list[bool] = []
    for sample in range(len(clients[0])):
        for slot in ("x", "g"):
            found = [getattr(samples[sample], slot) for samples in clients]
            own = {k: v for k, vector in enumerate(found) if (v := _alone(vector)) is not None and v not in private}
            if len(set(own.values())) < len(own):
                continue  # shared by clients
            missing = [k for k in range(len(clients)) if k not in own]
            balanced = len(missing) == 1 and _is_minus_sum(found[missing[0]], list(own.values()))
            if missing and not balanced:
                continue
            private |= {v: (len(with_mean), k) for k, v in own.items()}
            with_mean.append(not missing)
    return private, with_mean


def _alone(vector: Vector) -> int | None:
    """The free vector that this is, if it is one."""
    ((v, a),) = vector.parts.items() if len(vector.parts) == 1 else ((-1, fmpq(0)),)
    return v if a == 1 else None


def _is_minus_sum(vector: Vector, others: Sequence[int]) -> bool:
    return set(vector.parts) == set(others) and all(a == -1 for a in vector.parts.values())


def _values(whole: Statement, clients: Sequence[Sequence[Sample]]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Place of each free value once those of exchanged clients are one, and the names of the places."""
    same: dict[int, int] = {}
    for samples in zip(*clients, strict=True):
        alone = [next(iter(s.f.values), None) if len(s.f.values) == 1 and not s.f.quad else None for s in samples]
        if all(f is not None for f in alone) and len(set(alone)) == len(alone):
            first = alone[0]
            same |= {f: first for f in alone if f is not None and first is not None and f not in same}
    names: list[str] = []
    at: dict[int, int] = {}
    places = []
    for f, name in enumerate(whole.values):
        of = same.get(f, f)
        if of not in at:
            at[of] = len(names)
            names.append(name)
        places.append(at[of])
    return tuple(places), tuple(names)


def _short(
    form: Form, vectors: Sequence[tuple[int | None, int | None, int]], values: Sequence[int], n_clients: int
) -> Form:
    """The form of an invariant instance."""
    quad: dict[tuple[int, int], Real] = {}

    def add(i: int, j: int, a: Real) -> None:
        key = (i, j) if i <= j else (j, i)
        quad[key] = quad.get(key, fmpq(0)) + a

    for (u, v), a in form.quad.items():
        (mean_u, deviation_u, client_u), (mean_v, deviation_v, client_v) = vectors[u], vectors[v]
        if mean_u is not None and mean_v is not None:
            add(mean_u, mean_v, a)
        if deviation_u is not None and deviation_v is not None:
            add(deviation_u, deviation_v, a * (fmpq(int(client_u == client_v)) - fmpq(1, n_clients)))
    linear: dict[int, Real] = {}
    for f, a in form.values.items():
        linear[values[f]] = linear.get(values[f], fmpq(0)) + a
    kept = {pair: a for pair, a in quad.items() if a != 0}
    return Form(kept, {f: a for f, a in linear.items() if a != 0}, form.constant)


def _grouped(forms: Sequence[tuple[Form, bool]]) -> tuple[list[Form], tuple[tuple[int, ...], ...]]:
    """Different forms, and the places at which each stands."""
    found: dict[object, tuple[Form, list[int]]] = {}
    for place, (form, equality) in enumerate(forms):
        key = (frozenset(form.quad.items()), frozenset(form.values.items()), hash(form.constant), equality)
        found.setdefault(key, (form, []))[1].append(place)
    return [form for form, _ in found.values()], tuple(tuple(places) for _, places in found.values())

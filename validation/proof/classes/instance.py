"""A counterexample as people read it: each function by its gradients and values at the points where it is asked."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from theory.classes.numbers import Real, Surd, value
from theory.classes.vectors import Vector
from validation.proof.classes.witness import Place, Witness

__all__ = ["FunctionAt", "PointOf", "instance_of", "lines_of"]

_LONG = 24  # characters beyond which a number is shown as a decimal


@dataclass(frozen=True)
class PointOf:
    """A point, the (sub)gradient or image there, and the value; None of operators, which have none."""

    x: tuple[Real, ...]
    gradient: tuple[Real, ...]
    value: Real | None


@dataclass(frozen=True)
class FunctionAt:
    """A function or operator of a class by what it does at finitely many points."""

    name: str
    family: str
    points: tuple[PointOf, ...]


def instance_of(witness: Witness) -> tuple[FunctionAt, ...]:
    """Every function of the counterexample; a member of each class takes these gradients and values, exactly."""
    place = Place(witness.vectors, witness.values)
    found = []
    for name, family, samples in witness.statement.asked:
        points = (
            PointOf(_at(s.x, witness), _at(s.g, witness), place.at(s.f) if family.has_values else None) for s in samples
        )
        found.append(FunctionAt(name, family.name, tuple(points)))
    return tuple(found)


def lines_of(witness: Witness) -> list[str]:
    """The instance in words, one line a point; the vectors themselves where no function is asked."""
    functions = instance_of(witness)
    if not functions:
        pairs = zip(witness.statement.vectors, witness.vectors, strict=True)
        return [f"{name} = {_vector(v)}" for name, v in pairs]
    lines = []
    for f in functions:
        lines.append(f"{f.name} ({f.family}):")
        for p in f.points:
            known = "image" if p.value is None else "gradient"
            rest = "" if p.value is None else f", value {_text(p.value)}"
            lines.append(f"  at x = {_vector(p.x)}: {known} {_vector(p.gradient)}{rest}")
    return lines


def _at(vector: Vector, witness: Witness) -> tuple[Real, ...]:
    total: list[Real] = [fmpq(0)] * witness.dimension
    for i, a in vector.parts.items():
        total = [t + a * x for t, x in zip(total, witness.vectors[i], strict=True)]
    return tuple(total)


def _vector(coordinates: tuple[Real, ...]) -> str:
    return f"({', '.join(map(_text, coordinates))})"


def _text(x: Real) -> str:
    written = str(x)
    return f"about {value(x):.9g}" if isinstance(x, Surd) or len(written) > _LONG else written

"""FA-PROP3.1: another method's direction projected on FedAWARE's."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, hulls, nearest, never, shortest, squares
from theory.exact import dot, weighted_sum
from theory.projection import aware_projection
from theory.quantities import pseudo_gradient
from validation import Canary, Choice, Claim, Instance, Kind, Reading, Signed, Simplex
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _projected(x: Instance) -> Mapping[str, Any]:
    """What the projection p of d̃ on d misses, d the shortest point of the m and not 0; `part` says of what.

    1 a projection: parallel to d, p no longer than d̃, d̃ − p at a right angle to d, idempotent, blind to the scale of d,
    linear; 2 along +d: −⟨p, d⟩ is at most 0; 3 the same with d̃ = Σμᵢmᵢ; 4 as 1 with a second factor ⟨d, d⟩ left out.
    """
    m, part = x["m"], int(x["part"][0])
    d = nearest(m)[1]
    largest = squares(m).max(axis=1)
    clear = squares(d) > 1e-6 * largest
    safe = np.where(squares(d)[:, None] > 0, d, 1.0)
    other = x["other"]
    size = largest + squares(other)
    if part in (2, 3):
        towards = pseudo_gradient(m, x["mu"]) if part == 3 else other
        p = aware_projection(towards, safe)
        return {"lhs": -(p * safe).sum(axis=-1), "admissible": clear, "magnitude": size}
    p = aware_projection(other, safe)
    if part == 4:
        p = p * squares(safe)[:, None] / largest[:, None]
    missed = np.stack(
        [
            squares(p) * squares(safe) / squares(safe) - (p * safe).sum(axis=-1) ** 2 / squares(safe),
            squares(p) - squares(other),
            np.abs(((other - p) * safe).sum(axis=-1)),
            squares(aware_projection(p, safe) - p),
            squares(aware_projection(other, -3 * safe) - p) if part == 1 else np.zeros(len(m)),
            squares(aware_projection(2 * other + safe, safe) - 2 * p - safe) if part == 1 else np.zeros(len(m)),
        ]
    )
    return {"lhs": missed.max(axis=0), "admissible": clear, "magnitude": 10 * size}


def projected_exact(x: Mapping[str, Any]) -> Checked:
    """The same from p = (<d~, d>/<d, d>) d written out."""
    m, part, other = x["m"], int(x["part"]), x["other"]
    d = shortest(m)[1]

    def onto(v: Any, line: Any) -> Any:
        return [dot(v, line) / dot(line, line) * c for c in line]

    met = {"d is not 0": dot(d, d) > 0, "mu on the simplex": sum(x["mu"]) == 1 and min(x["mu"]) >= 0}
    if part in (2, 3):
        return met, {"lhs": -dot(onto(weighted_sum(x["mu"], m) if part == 3 else other, d), d)}
    p = onto(other, d)
    if part == 4:
        p = [c * dot(d, d) / max(dot(v, v) for v in m) for c in p]
    again = onto(p, d)
    rest = [a - b for a, b in zip(other, p, strict=True)]
    missed = [
        dot(p, p) - dot(p, d) ** 2 / dot(d, d),
        dot(p, p) - dot(other, other),
        abs(dot(rest, d)),
        sum((a - b) ** 2 for a, b in zip(again, p, strict=True)),
    ]
    if part == 1:
        turned = onto(other, [-3 * c for c in d])
        mixed = onto([2 * a + b for a, b in zip(other, d, strict=True)], d)
        missed.append(sum((a - b) ** 2 for a, b in zip(turned, p, strict=True)))
        missed.append(sum((a - 2 * b - c) ** 2 for a, b, c in zip(mixed, p, d, strict=True)))
    return met, {"lhs": Fraction(max(missed))}


def _extension(part: float) -> Any:
    def extra(n: int, d: int) -> tuple[Coordinate, ...]:
        return (Signed("other", 1e-2, 1e2, (d,)), Simplex("mu", n), Choice("part", (part,)))

    return hulls(_projected, projected_exact, extra, clients=("mu",), vectors=("other",))


PROP31 = Claim(
    id="FA-PROP3.1",
    kind=Kind.PROPERTY,
    source="Proposition 3.1, §3",
    title="AWARE extension by projection",
    statement=(
        r"d^t_{proj}=\frac{\langle\tilde d^t,d^t\rangle}{\langle d^t,d^t\rangle}d^t,\qquad x^{t+1}=x^t-\eta_gd^t_{proj};\quad"
        r"\text{``modifies the descent to the direction that enhances generalization''}"
    ),
    says="Another method's direction is projected to that of AWARE, which is said to enhance generalization.",
    assumes=("d̃ any direction of the method", "d the direction of FedAWARE, not 0"),
    readings=(
        Reading(
            "an orthogonal projection",
            "Parallel to d, no longer than d̃, idempotent, linear, blind to the scale of d; the error is at a right angle to d.",
            never(_extension(1.0)),
        ),
        Reading("a step along d", "d_proj is a non-negative multiple of d, for any d̃.", never(_extension(2.0))),
        Reading(
            "a step along d for averages of the remembered updates",
            "d̃ = Σμᵢmᵢ, such as FedAvg's with α = 1 and full participation.",
            never(_extension(3.0)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "not divided by ⟨d, d⟩",
            never(_extension(4.0)),
            "a factor ‖d‖² over the largest ‖mᵢ‖² is left, so that d̃ − d_proj leans on d unless all m are d",
        ),
    ),
    tight="d̃ parallel to d",
    depends_on=("FA-E2", "FA-MN3"),
    verdict_words=(
        "The display is the orthogonal projection on the line of d, as it says; that the step then goes along d, as "
        "the next sentence has it («to the direction that enhances generalization»), needs ⟨d̃, d⟩ >= 0. For any "
        "weighted mean of the remembered updates this product is at least ‖d‖²: that is FedAvg with α = 1 and full "
        "participation, which Sec. 4.2 names. With momentum, adaptive denominators or a proximal term d̃ can lean "
        "the other way. The step then goes along −d, up the hill that all clients agree on. Where d = 0, which Sec. "
        "3 argues away, the display is 0/0."
    ),
)

CLAIMS: tuple[Claim, ...] = (PROP31,)

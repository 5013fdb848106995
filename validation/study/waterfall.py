"""Where a proof loses: the factor each step of lhs = s₀ <= s₁ <= … <= sₖ = rhs gives away, and the first false step.

The chain is read on the worst instance of the final bound and on the other leading ones; every step is also attacked
by a search of its own, since a step may be false where the final bound is far from tight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.judge.exact.certify import certify
from validation.search.scores import TOLERANCE
from validation.search.search import search
from validation.search.seen import Search
from validation.statement.forms.studies import Chain
from validation.statement.instances.draw import take
from validation.statement.outcome import finite

__all__ = ["Drop", "Waterfall", "waterfall"]


Float = NDArray[np.float64]


_DENOMINATORS = 10**6  # of the worst instance when it is read exactly


_OWN = 0.5  # the share of the budget for the steps' own searches


@dataclass(frozen=True)
class Drop:
    """What one step gives away: sᵢ → sᵢ₊₁, numbers as floats or "inf", None where a factor has no meaning.

    `factor` on the worst instance and `mean_factor`, the geometric mean over the leading ones: sᵢ₊₁/sᵢ. `share`: of
    the whole loss, in logarithms. `worst_ratio`: the largest sᵢ/sᵢ₊₁ its own search saw. `false`: "exact" when a
    violation was certified, "float" when only seen, None else; `witness` where.
    """

    before: str
    after: str
    because: str
    left: float | str
    right: float | str
    factor: float | str | None
    mean_factor: float | str | None
    share: float | None
    worst_ratio: float | str
    false: str | None
    witness: Mapping[str, Any] | None


@dataclass(frozen=True)
class Waterfall:
    """The chain on the worst instance of its ends; `first_false` names the first step that does not hold.

    `exactly`: the values on the worst instance were computed in Fractions. `ratio` is s₀/sₖ there.
    """

    name: str
    values: Mapping[str, float | str]
    drops: tuple[Drop, ...]
    first_false: str | None
    ratio: float | str
    exactly: bool
    worst_instance: Mapping[str, Any]
    leading: int
    instances: int

    def json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


def waterfall(chain: Chain, *, budget: int = 8000, seed: int = 0, label: str | None = None) -> Waterfall:
    """Search the worst instance of s₀ <= sₖ with half the budget, attack each step with the rest, read the chain.

    Everything random derives from (seed, label), without one from (seed, chain.name). Raises `ValueError` when no
    instance is admissible.
    """
    label = f"waterfall/{label or chain.name}"
    last = len(chain.steps) - 1
    found = search(chain.between(0, last), budget=round(budget * (1 - _OWN)), seed=seed, label=label)
    if found.worst is None:
        raise ValueError(f"waterfall({chain.name!r}): none of {found.instances} draws is admissible")
    worst = take(chain.space.decode(found.worst[1][None]), 0)
    values, instance, exactly = _read(chain, worst)
    leading = _leading(chain, found)
    own = [_attacked(chain, i, round(budget * _OWN / last), seed, f"{label}/{i}") for i in range(last)]
    whole = _log(values[0], values[-1])
    drops = []
    for i, (ratio, false, witness, _) in enumerate(own):
        here = _log(values[i], values[i + 1])
        if values[i] > values[i + 1] * (1 if exactly else 1 + Fraction(1, 10**9)) and false is None:
            false, witness = ("exact" if exactly else "float"), instance
        drops.append(
            Drop(
                before=chain.steps[i].name,
                after=chain.steps[i + 1].name,
                because=chain.steps[i + 1].because,
                left=finite(float(values[i])),
                right=finite(float(values[i + 1])),
                factor=None if here is None else finite(math.exp(min(here, 700.0))),
                mean_factor=_mean_factor(leading[:, i], leading[:, i + 1]),
                share=here / whole if here is not None and whole else None,
                worst_ratio=finite(ratio),
                false=false,
                witness=witness,
            )
        )
    return Waterfall(
        name=chain.name,
        values={s.name: finite(float(v)) for s, v in zip(chain.steps, values, strict=True)},
        drops=tuple(drops),
        first_false=next((d.after for d in drops if d.false is not None), None),
        ratio=finite(found.worst_ratio),
        exactly=exactly,
        worst_instance=instance,
        leading=len(leading),
        instances=found.instances + sum(n for *_, n in own),
    )


def _read(chain: Chain, worst: Mapping[str, Float]) -> tuple[list[Any], dict[str, Any], bool]:
    """(the chain's values, the instance as shown, whether in Fractions) on one instance."""
    if all(s.exact is not None for s in chain.steps):
        rational = chain.space.rationalise(worst, _DENOMINATORS)
        try:
            exact = [Fraction(s.exact(rational)) for s in chain.steps if s.exact is not None]
        except ZeroDivisionError:
            pass  # undefined at the rounded instance: read in floats
        else:
            return exact, {k: _shown(v) for k, v in rational.items()}, True
    one = {k: v[None] for k, v in worst.items()}
    values = [float(np.asarray(s.value(one)).reshape(-1)[0]) for s in chain.steps]
    return values, {k: v.tolist() for k, v in worst.items()}, False


def _leading(chain: Chain, found: Search) -> Float:
    """The chain's values on the leading instances of the search, those within a factor 2 of the worst, (n, steps)."""
    cube = np.unique(found.best.get(chain.name, np.empty((0, chain.space.n_cube))), axis=0)
    instances = chain.space.decode(cube)
    with np.errstate(all="ignore"):
        columns = [np.asarray(s.value(instances), dtype=np.float64) for s in chain.steps]
        values = np.stack(columns, axis=-1)
        near = values[:, 0] >= 0.5 * found.worst_ratio * values[:, -1]
    return np.asarray(values[near & (values[:, 0] > 0)])


def _attacked(
    chain: Chain, i: int, budget: int, seed: int, label: str
) -> tuple[float, str | None, dict[str, Any] | None, int]:
    """(largest sᵢ/sᵢ₊₁, how it is known to be false, where, instances) of one step's own search."""
    test = chain.between(i, i + 1)
    found = search(test, budget=budget, seed=seed, label=label)
    if not found.witnesses:
        return found.worst_ratio, None, None, found.instances
    certification = certify(test.bound, found, seed, label)
    if certification.witness is not None:
        shown = {k: _shown(v) for k, v in certification.witness.instance.items()}
        return found.worst_ratio, "exact", shown, found.instances
    if certification.undecided == 0:
        return found.worst_ratio, None, None, found.instances
    case, cube, excess, _ = max(found.witnesses, key=lambda w: w[2])
    where = {k: v.tolist() for k, v in take(case.space.decode(cube[None]), 0).items()}
    return found.worst_ratio, "float" if excess > TOLERANCE else None, where, found.instances


def _log(before: Any, after: Any) -> float | None:
    """log(after/before), None where a factor has no meaning, ∞ from 0 to something."""
    if before < 0 or after < 0 or after == before == 0:
        return None
    if before == 0 or after == 0:
        return math.inf if before == 0 else -math.inf
    return math.log(after) - math.log(before)


def _mean_factor(before: Float, after: Float) -> float | str | None:
    logs = [log for a, b in zip(before.tolist(), after.tolist(), strict=True) if (log := _log(a, b)) is not None]
    known: Sequence[float] = [log for log in logs if math.isfinite(log)]
    return finite(math.exp(sum(known) / len(known))) if known else None


def _shown(value: Any) -> Any:
    return [_shown(v) for v in value] if isinstance(value, list) else str(value)

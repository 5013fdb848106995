"""One case of runs at given sizes: coordinates, both sides, mechanisms and symmetries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from theory.worlds.federated.catalogue import within
from theory.worlds.federated.corners import exact_corner, placed
from theory.worlds.federated.exact_run import exact_run
from theory.worlds.federated.fast_run import fast_run
from theory.worlds.federated.letter import Letter
from theory.worlds.federated.options import Options
from validation.statement.claim import Case, ExactCheck, Mechanism
from validation.statement.instances.draw import Choice, Coordinate, Instance, LogScale, Signed, Simplex, Space
from validation.statement.instances.symmetry import Symmetry, permuted_clients, units
from validation.world.federated.coordinates import Counts, Equal, Same
from validation.world.federated.described import Described, cost
from validation.world.federated.letters import RUNS
from validation.world.mechanisms import always, changing, nonzero
from validation.world.placed import stacked
from validation.world.scales import Scaled
from validation.world.world import called_by

__all__ = ["at_a_corner", "drawn", "stopped"]

_ROWS = 4  # different rows of weights in a run of one a round
_STEP_ROWS = 40  # and of one a step
_MOST = 2**22  # numbers of a batch at once
_UNITS: Mapping[str, tuple[int, int]] = {
    "curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1), "first": (0, 1), "second": (0, 1),
    "beside": (0, 1), "extra": (2, -2),
}  # fmt: skip


class Observed(tuple[Callable[..., Any], ...]):
    """Functions of letters, written in scripts by their names."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "[" + ", ".join(f.__name__ for f in self) + "]"


@dataclass(frozen=True, eq=False)
class Observe:
    """The letters of a batch of runs; `corner`: where and how its instances are placed, if they are."""

    options: Options
    letters: tuple[Letter, ...]
    given: tuple[str, ...]
    corner: tuple[str, int, int] | None = None

    def __call__(self, x: Instance) -> Mapping[str, Any]:
        """Every letter, (n,), and where all are defined and the run stays within floats."""
        if self.corner is not None:
            where, N, n_rows = self.corner
            x = stacked(placed(x, where=where, N=N, n_rows=n_rows), len(next(iter(x.values()))))
        n, N, d = x["curvature"].shape
        inside = within(self.letters, self.options)
        size = N * d * self.options.R * (self.options.E if inside else 1)
        most = max(8, _MOST // max(1, size))
        parts = [self._of({k: v[i : i + most] for k, v in x.items()}, inside) for i in range(0, n, most)]
        return parts[0] if len(parts) == 1 else _joined(parts)

    def _of(self, x: Instance, inside: bool) -> dict[str, Any]:
        runs = fast_run(x, self.options, within=inside)
        n = len(x["start"])
        with np.errstate(all="ignore"):
            found = {letter.name: np.broadcast_to(letter.fast(runs), (n,)) for letter in self.letters}
            found |= {name: runs.numbers[name] for name in self.given}
            size = (runs.center[:, -1] ** 2 + runs.full[:, -1]).sum(axis=0)
            good = (size < 1e40) & (runs.H > 0).all(axis=0) & (runs.eta > 0).all(axis=(0, 1))
            good &= np.logical_and.reduce([np.isfinite(value) for value in found.values()])
        if self.options.part in ("uniform", "uniform updates"):
            good &= runs.numbers["K"] <= runs.numbers["N"]
        # Pure numbers such as W_D are no differences of larger ones: a bound may have 1 − W_D in a denominator.
        pure = {letter.name: np.abs(found[letter.name]) for letter in self.letters if letter.units == (0, 0)}
        return {**found, "admissible": good, "sizes": pure}


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The parts of a batch, one behind the other; of values in a mapping each."""
    first = parts[0]
    nested = {k: _joined([part[k] for part in parts]) for k in first if isinstance(first[k], dict)}
    return {k: np.concatenate([part[k] for part in parts]) for k in first if k not in nested} | nested


def _case(
    of: Described, name: str, space: Space, sizes: tuple[int, int, int, int, int], corner: Any, same: Any, on: Any
) -> Case:
    N, d, E, R, short = sizes
    options = of.options_at(E, R, short)
    exact = Observed(letter.exact for letter in of.letters)
    told: dict[str, Any] = {"letters": exact, **options.chosen, **({"given": of.given} if of.given else {})}
    plain: Any = exact_run
    if corner is not None:
        plain, told = exact_corner, {**dict(zip(("where", "N", "n_rows"), corner, strict=True)), **told}
    functions = dict.fromkeys(f for one in (*exact, plain) for f in called_by(one))
    uses = tuple(f for f in (*functions, *exact) if f is not plain)
    observe = Scaled(Observe(options, of.letters, of.given, corner), _UNITS, RUNS)
    check = ExactCheck(partial(plain, **told), uses)
    return Case(name, space, observe, check, cost=cost(N, d, E, R), symmetries=same, mechanisms=on)


def _named(N: int, E: int, R: int, steps: int = 0) -> str:
    length = f"{steps} step{'s' * (steps > 1)}" if steps else f"{R} round{'s' * (R > 1)}"
    return f"{N} client{'s' * (N > 1)}, E = {E}, {length}"


def _rows(of: Described, E: int, R: int) -> int:
    return {"shares": 0, "seen": 0, "a row": 1, "a row a round": min(_ROWS, R), "a row a step": min(_STEP_ROWS, R * E)}[
        of.weights
    ]


def _more(of: Described, N: int, E: int) -> tuple[Coordinate, ...]:
    """The coordinates that corners have, too."""
    found: list[Coordinate] = [*of.draws]
    if of.part in ("by weight", "uniform", "uniform updates"):
        few = sorted({c for c in of.counts if c <= N} | {float(N)})
        found.append(Choice("drawn", tuple(few if of.part != "by weight" else sorted({*of.counts, *few}))))
    if of.part == "bernoulli":
        found.append(LogScale("present", 0.05, 1.0, (N,), at=(0.05, 1.0)))
    if of.weights == "seen":
        found.append(Choice("seen", (1.0,)))
    if of.steps != "alike":
        found.append(Counts("own_steps", E, N))
    if of.loose:
        found.append(LogScale("loose", 1.0, 1e4, at=(1.0, 1e4)))
    if "slack" in of.extra:
        found += [LogScale("slack", 1e-2, 1e2), LogScale("extra", 1e-6, 1.0)]
    return tuple(found)


def _mechanisms(of: Described, E: int) -> tuple[Mechanism, ...]:
    found = [Mechanism("several local steps", (), always)] if E > 1 else []
    return (*found, *([Mechanism("clients drawn", (), always)] if of.part != "all" else []))


def _degrees(of: Described, space: Space) -> dict[str, tuple[int, int]]:
    found = {c.name: _UNITS[c.name] for c in space.coordinates if c.name in _UNITS}
    known = {c.name: RUNS.by_name[c.name].units for c in of.draws if c.name in RUNS.by_name}
    return {**found, **{name: degrees for name, degrees in known.items() if degrees not in (None, (0, 0))}}


def _shape(of: Described, name: str, N: int, d: int) -> tuple[int, ...]:
    return (d,) if name in of.same else (N, d)


def stopped(of: Described, N: int, E: int, T: int) -> Case:
    """Runs of N clients on the line, T steps in rounds of E, of which the last may be cut."""
    return drawn(of, N, E, -(-T // E), 1, T)


def drawn(of: Described, N: int, E: int, R: int, d: int, steps: int = 0) -> Case:
    """Runs of N clients with d axes, R rounds of E local steps, or so many steps in them."""
    low, high = of.kappa**-0.5, of.kappa**0.5
    n_rows = _rows(of, E, R)
    bent, at = _shape(of, "curvature", N, d), _shape(of, "optimum", N, d)
    curved = LogScale("curvature", low, high, bent, at=(low, 1.0, high))
    problem: list[Coordinate] = [curved if of.convex else Signed("curvature", low, high, bent)]
    problem += [Signed("optimum", 1e-3, 1e2, at)]
    where: list[Coordinate] = [Same(c, N) if c.name in of.same else c for c in problem]
    where += [Equal("share", N) if of.equal else Simplex("share", N)]
    where += [Simplex("weights", N, (n_rows,)), LogScale("mix", 1e-3, 1.0, at=(1.0,))] if n_rows else []
    where += [Signed("start", 1e-3, 1e3, (d,)), LogScale("sigma", 1e-2, 1e1, (N,))]
    where += [Choice("noisy", (0.0,) if of.noise == "none" else (0.0, 0.0, 1.0))]
    where += [Choice("begin", (0.0, 0.0, 1.0, 2.0))] if of.begin else []
    space = Space((*where, *_more(of, N, E)))
    axes = dict.fromkeys(("curvature", "optimum", "share", "sigma", "present", "own_steps"), 0)
    axes = {c.name: axes[c.name] for c in space.coordinates if c.name in axes} | ({"weights": 1} if n_rows else {})
    same: tuple[Symmetry, ...] = (units(_degrees(of, space)),)
    if of.weights != "seen":  # there the first of those whose noise is positive has all the weight
        same += (permuted_clients(axes),)
    on = [*_mechanisms(of, E)]
    on += [Mechanism("noise", (), nonzero("sigma", "noisy"))] if of.noise != "none" else []
    on += [Mechanism("changing weights", (), changing("weights"))] if n_rows > 1 else []
    name = _named(N, E, R, steps) + (f", d = {d}" if d > 1 else "")
    short = E * R - steps if steps else 0
    return _case(of, name, space, (N, d, E, R, short), None, same, tuple(on))


def at_a_corner(of: Described, where: str, N: int, E: int, R: int) -> Case:
    """Runs at a named corner."""
    n_rows = min(1, _rows(of, E, R))
    found: list[Coordinate] = [LogScale("curvature", 0.1, 10.0, at=(1.0,))]
    on = [*_mechanisms(of, E)]
    if where == "alike":
        found += [LogScale("sigma", 0.1, 10.0, at=(1.0,)), Signed("beside", 1e-4, 1.0)]
        on.append(Mechanism("noise", (), always))
    else:
        found += [LogScale("bent", 1e-4, 1e4, at=(1.0,)), Signed("first", 0.1, 10.0), Signed("second", 0.1, 10.0)]
        found += [Signed("beside", 1e-3, 1.0 if where == "alone" else 1e2)]
    if where == "hardly counted":
        found += [LogScale("tiny", 1e-8, 0.5, at=(1e-8, 0.1, 0.5)), Choice("tilt", (0.0, 0.01, 0.5, 1.0))]
        found += [Choice("begin", (0.0, 2.0))]
    if where == "drifting":
        found += [] if of.equal else [LogScale("tiny", 1e-3, 0.5, at=(0.5,))]
        found += [Choice("begin", (1.0, 2.0))]
    space = Space((*found, *_more(of, N, E)))
    name = f"{where}, {_named(N, E, R)}"
    return _case(of, name, space, (N, 1, E, R, 0), (where, N, n_rows), (units(_degrees(of, space)),), tuple(on))

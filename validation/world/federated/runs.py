"""`Federated`: a description of runs that is a world. Letters, both sides, corners and sizes follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import sympy as sp

from theory.worlds.federated.catalogue import chosen
from theory.worlds.federated.corners import CORNERS
from theory.worlds.federated.options import Options
from validation.statement.bound import Bound, python_source
from validation.statement.claim import Case, Family, Identity, Inequality, Switch
from validation.statement.instances.draw import Coordinate, Space
from validation.statement.notation import Notation
from validation.statement.says import Eq, Le
from validation.world.federated.described import Described
from validation.world.federated.families import families
from validation.world.federated.letters import OWN, RUNS
from validation.world.federated.refused import check_pairs, not_rational
from validation.world.world import World, check_statement

__all__ = ["Federated"]

Range = tuple[int, int]


@dataclass(frozen=True)
class Federated(World):
    """Runs of R rounds of E local steps of N quadratic clients; observed is what a claim's formulas say.

    `eta`: the step size, a formula of letters and t; `let`: letters that are formulas of others. `weights`: "shares",
    "a row", "a row a round", "a row a step", "seen". `noise`: "independent", "common", "none". `part`: "all", "by
    weight", "uniform", "uniform updates", "bernoulli". `steps`: "alike", "own", "own, normalised". `control`: "", "from
    0", "from the gradients". `server`, `momentum`, `prox`: formulas. `theory.worlds.federated.options` says what each
    is.

    `d`: least and largest number of axes. `convex`: whether every client is, or F alone. `kappa`: range of the
    curvatures. `loose`: L is any number from the largest curvature on. `equal`: equal shares. `same`: what all clients
    have in common, of "curvature" and "optimum". `draws`: coordinates of further letters. `counts`: how many may be
    drawn. `N`, `E`, `R`: least and largest size; `T`: that of the number of steps, in place of R, where runs stop after
    any step. `begin`: runs start at w* and where they settle, too. `corners`: the named ones that are tried besides,
    which go to `far` rounds.

    A step size that is any multiple of 1/L up to 1, under the hypothesis that it is at most 1/(4L):

    >>> from validation.statement.instances.draw import LogScale
    >>> from validation.world.federated.letters import run_letters
    >>> from validation.world import le
    >>> L, eta, length = run_letters("L eta length")
    >>> runs = Federated(length / L, draws=(LogScale("length", 1e-3, 1),)).where(le(eta, 1 / (4 * L)))

    Raises `ValueError` for options that exclude each other, for a formula that is not rational, and for a step size
    whose units are not length²/loss; `TypeError` for a size that is no pair. A letter that is not exact under the
    options raises where it is said.
    """

    eta: Any = None
    let: Mapping[Any, Any] = field(default_factory=dict)
    weights: str = "shares"
    noise: str = "independent"
    part: str = "all"
    steps: str = "alike"
    control: str = ""
    server: Any = None
    momentum: Any = None
    prox: Any = None
    convex: bool = True
    kappa: float = 1e4
    loose: bool = False
    equal: bool = False
    same: tuple[str, ...] = ()
    draws: tuple[Coordinate, ...] = ()
    counts: tuple[float, ...] = (1.0, 2.0, 5.0, 8.0, 20.0, 1000.0)
    N: Range = (1, 300)
    E: Range = (1, 300)
    R: Range = (1, 60)
    T: Range | None = None
    d: Range = (1, 8)
    begin: bool = True
    corners: tuple[str, ...] = CORNERS
    far: int = 1000
    beside: tuple[World, ...] = ()
    # Of every world; those of a description are made when something is said.
    notation: Notation = field(default=RUNS, kw_only=True)
    cases: tuple[Case | Family, ...] = field(default=(), kw_only=True)
    hypotheses: tuple[Le, ...] = field(default=(), kw_only=True)
    free: bool = field(default=False, kw_only=True)
    switches: tuple[Switch, ...] = field(default=(), kw_only=True)
    defined: tuple[tuple[str, Bound], ...] = field(default=(), kw_only=True)
    grid: Space | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        sizes = ("N", "E", "R", "d", *(("T",) if self.T is not None else ()))
        check_pairs({name: getattr(self, name) for name in sizes})
        if self.eta is None:
            raise ValueError("Federated(): expected a step size, such as Federated(1 / (2 * L))")
        if not set(self.same) <= {"curvature", "optimum"}:
            raise ValueError(f"Federated(same={self.same}): expected some of 'curvature' and 'optimum'")
        unknown = [c for c in self.corners if c not in CORNERS]
        if unknown:
            raise ValueError(f"Federated(corners={unknown}): expected some of {', '.join(CORNERS)}")
        for name in sizes:
            low, high = getattr(self, name)
            if not 1 <= low <= high:
                raise ValueError(f"Federated({name}={(low, high)}): expected 1 <= least <= largest")
        for name, formula, units in (
            ("eta", self.eta, (-1, 2)),
            ("server", self.server, (0, 0)),
            ("momentum", self.momentum, (0, 0)),
            ("prox", self.prox, (1, -2)),
            *((f"let {letter}", formula, self._degrees(letter)) for letter, formula in self.let.items()),
        ):
            self._check(name, formula, units)
        self._smallest()

    def _smallest(self) -> Options:
        """The options of the smallest run: one that stops inside a round, where runs may."""
        E = max(self.E[0], min(2, self.E[1]))
        return self.options(E, 1, E - 1 if self.T is not None else 0)

    def _degrees(self, letter: Any) -> tuple[int, int] | None:
        known = self.notation.by_name.get(str(letter))
        if known is None:
            raise ValueError(
                f"Federated(let={{{letter}: …}}): no letter of the notation; take {', '.join(OWN)} of `run_letters`,"
                " or write the formula itself where you use the letter"
            )
        return known.units

    def _check(self, name: str, formula: Any, units: tuple[int, int] | None) -> None:
        if formula is None:
            return
        bound = Bound(sp.sympify(formula), degrees=self.notation.units(sp.sympify(formula)) or None)
        if not bound.is_rational:
            raise ValueError(
                f"Federated({name}={formula}): {not_rational(formula)}; runs are computed in fractions, so a"
                " description takes sums, products, whole powers, Max and Min alone"
            )
        if bound.degrees is not None and units is not None and bound.names:
            found = bound.scaling()
            if found != {units}:
                raise ValueError(f"Federated({name}={formula}): units {sorted(found)}; expected {units} (loss, length)")

    def options(self, E: int, R: int, short: int = 0) -> Options:
        """The options of a run of given sizes, which stops `short` steps before the end of its last round."""

        def source(formula: Any) -> str:
            return "" if formula is None else python_source(sp.sympify(formula))

        let = tuple((str(letter), source(formula)) for letter, formula in self.let.items())
        words = {name: getattr(self, name) for name in ("weights", "noise", "part", "steps", "control")}
        formulas = {name: source(getattr(self, name)) for name in ("server", "momentum", "prox")}
        return Options(E, R, source(self.eta), let, **words, **formulas, short=short)

    def but(self, **other: Any) -> Federated:
        """The same description but for some of its options."""
        return replace(self, **other)

    def also(self, *others: World) -> Federated:
        """These runs and those of other descriptions, and the cases of other worlds, as one world."""
        return replace(self, beside=(*self.beside, *others))

    def test(self, says: Le | Eq) -> Inequality | Identity:
        """The statement over cases that observe the letters of its sides, hypotheses and definitions, and no others.

        Raises `ValueError` for a letter that is neither in the catalogue nor defined or drawn, or not exact, and as
        `World.test`.
        """
        check_statement(says)
        if isinstance(says, Eq) and says.identity:
            return super().test(says)
        names = self._said(says)
        whole = World(
            self.notation, _cases_of(self, names), self.hypotheses, False, self.switches, self.defined, self.grid
        )
        return whole.test(says)

    def _said(self, says: Le | Eq) -> tuple[str, ...]:
        trivial = getattr(says, "trivial", None)
        formulas = [says.left, says.right, *([] if trivial is None or isinstance(trivial, str) else [trivial])]
        formulas += [side for h in self.hypotheses for side in (h.left, h.right)]
        formulas += [formula.expression for _, formula in self.defined]
        defined = {name for name, _ in self.defined}
        return tuple(sorted({s.name for f in formulas for s in sp.sympify(f).free_symbols} - defined))

    def _families(self, names: tuple[str, ...]) -> tuple[Case | Family, ...]:
        given = {str(letter) for letter in self.let} | {c.name for c in self.draws}
        said = tuple(n for n in names if n not in given)
        letters = chosen(said, self._smallest())
        extra = {name for letter in letters for name in letter.drawn}
        description = Described(
            **{f.name: getattr(self, f.name) for f in fields(Described) if hasattr(self, f.name)},
            options_at=self.options,
            letters=letters,
            given=tuple(n for n in names if n in given),
            extra=tuple(sorted(extra)),
            by_step="t" in {s.name for s in sp.sympify(self.eta).free_symbols},
        )
        return families(description)


def _cases_of(world: World, names: tuple[str, ...]) -> tuple[Case | Family, ...]:
    """Of a description and all that is beside it."""
    if not isinstance(world, Federated):
        return world.cases
    return (*world._families(names), *(c for other in world.beside for c in _cases_of(other, names)))

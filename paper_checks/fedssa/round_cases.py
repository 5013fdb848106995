"""The rounds on which the equations of FedSSA's proof are measured: small noisy ones, and families of large ones."""

from __future__ import annotations

from typing import Any, Literal

from paper_checks.fedssa.round_exact import paths_exact
from paper_checks.fedssa.round_paths import DEGREES, NAMES, round_paths
from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    LogScale,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)
from validation.statement.symmetry import Symmetry

__all__ = ["equal", "measured", "round_cases"]

Weights = Literal["simplex", "any", "sum one", "positive"]
_KINDS: dict[Weights, float] = {"simplex": 0.0, "any": 1.0, "sum one": 2.0, "positive": 3.0}
_UNITS = units(
    {
        "curvature": (1, -2),
        "bend": (1, -2),
        "optimum": (0, 1),
        "start": (0, 1),
        "noise": (1, -1),
        "sway": (0, -2),
        "extra": (2, -2),
    }
)
_PERMUTED = permuted_clients(dict.fromkeys(("curvature", "bend", "optimum", "share", "weights", "noise"), 0))
_OF_ALL = {"G", "fall", "N1", "N1h", "N2", "Q", "Dv", "V", "V3", "N3", "M", "R", "N4", "squares_sum"}


def _case(
    n_clients: int,
    d: int,
    tau: int,
    *,
    left: str,
    minus: str,
    noisy: bool,
    weights: Weights,
    sees: bool | int,
    coins: int,
    reach: float,
    settled: bool,
    everywhere: bool,
    small_A: bool,
) -> Case:
    flags = {
        "tau": tau,
        "noisy": noisy,
        "kind": _KINDS[weights],
        "sees": sees,
        "coins": coins,
        "reach": reach,
        "settled": settled,
        "everywhere": everywhere,
        "small_A": small_A,
        "left": NAMES.index(left),
        "minus": NAMES.index(minus),
    }
    drawn: dict[str, Any] = {
        "simplex": Simplex("weights", n_clients),
        "positive": LogScale("weights", 1e-2, 1e1, (n_clients,)),
    }
    curved = LogScale("curvature", 1e-2, 1e1, (n_clients, d), at=(1e-2, 1.0, 1e1))
    space = Space(
        (
            curved if everywhere else Signed("curvature", 1e-2, 1e1, (n_clients, d)),
            Signed("bend", 1e-2, 1e1, (n_clients, d)),
            Signed("optimum", 1e-2, 1e1, (n_clients, d)),
            Signed("start", 1e-2, 1e1, (d,)),
            Simplex("share", n_clients),
            drawn.get(weights, Signed("weights", 1e-2, 1e1, (n_clients,))),
            Simplex("other", n_clients),
            Signed("noise", 1e-2, 1e1, (n_clients, d)),
            Choice("sway", (0.0, 1.0)),
            LogScale("step", 1e-3, reach, at=(1.0, reach) if reach > 1 else (reach,)),
            LogScale("A", 1e-2, 1e2, at=(1.0,)),
            LogScale("extra", 1e-6, 1e0),
            Choice("r", tuple(float(s) for s in range(tau))),
            *(Choice(name, (float(value),)) for name, value in flags.items()),
        )
    )
    work = (64 if noisy and n_clients * tau >= 6 else 2 ** (n_clients * tau * noisy)) * n_clients * tau * d
    name = f"{n_clients} clients, d = {d}, τ = {tau}" + (", noise" if noisy else "")
    same: tuple[Symmetry, ...] = (_UNITS,)
    # Where not every place is noisy, or one client or coin stands out, the clients may not change places.
    alike = {left, minus} <= _OF_ALL and weights != "sum one" and not sees and not coins
    if alike and n_clients * tau <= 6:
        same = (_UNITS, _PERMUTED)
    exact = ExactCheck(paths_exact)
    return Case(name, space, round_paths, exact, cost=max(1.0, work / 2000), symmetries=same)


def round_cases(
    left: str,
    minus: str | None = None,
    *,
    weights: Weights = "simplex",
    sees: bool | int = False,
    coins: int = 0,
    reach: float = 1.0,
    settled: bool = False,
    everywhere: bool = False,
    small_A: bool = False,
    large: bool = True,
) -> tuple[Case | Family, ...]:
    """Small noisy rounds, and families of large ones with little noise or none, that measure `left` as their lhs.

    With `minus` the lhs is the distance of the two. `reach`: ηL up to reach/(2τ); `settled`: C < 1; `everywhere`: A.4
    on all of R, quadratics; `coins` as in `round_paths`; `small_A`: A <= 1;
    `sees`: the weights look at the first noise of the first and the last client, with 2 at the first client's first
    and last.
    """
    given: dict[str, Any] = {
        "left": left,
        "minus": minus or left,
        "weights": weights,
        "sees": sees,
        "coins": coins,
        "reach": reach,
        "settled": settled,
        "everywhere": everywhere,
        "small_A": small_A,
    }
    sizes: tuple[tuple[int, int, int], ...] = ((1, 1, 1), (2, 1, 1), (1, 1, 2), (2, 1, 2), (1, 2, 3), (3, 2, 2))
    if coins == 1:  # with two clients σ²Σw² >= σ²/2 may still cover a noise that all share
        sizes = (*sizes, (3, 1, 1), (6, 1, 1))
    small = tuple(_case(K, d, tau, noisy=True, **given) for K, d, tau in sizes)
    if everywhere:  # noise only adds slack: mostly without it, on two clients
        return tuple(_case(2, 1, tau, noisy=noisy, **given) for tau, noisy in ((1, False), (2, False), (1, True)))
    if not large:
        return small

    def at(noisy: bool) -> Any:
        return lambda K, d, tau: _case(int(K), int(d), int(tau), noisy=noisy, **given)

    wide = Size("d", 1, 8, 1)
    quiet = (Size("K", 1, 300, 2), wide, Size("tau", 1, 300, 3))
    some = (Size("K", 1, 30, 2), wide, Size("tau", 1, 30, 3))
    return (*small, Family("no noise", quiet, at(False)), Family("noise at six places", some, at(True)))


def equal(cases: tuple[Case | Family, ...]) -> Property:
    """What the cases measure, a squared gradient, is 0."""
    return Property(cases, degrees=(2, -2))


def measured(expression: Any, again: Any, cases: tuple[Case | Family, ...], degrees: tuple[int, int]) -> Inequality:
    """lhs of the cases <= the expression in the expectations of a round."""
    used = {str(s): DEGREES[str(s)] for s in expression.free_symbols}
    return Inequality(Bound(expression, again=again, degrees=used), cases, degrees=degrees)

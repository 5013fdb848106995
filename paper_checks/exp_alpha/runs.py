"""The worlds of Theorems 1 and 2: runs of FedAvg on quadratic clients, weights fixed in advance or seeing the samples."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from paper_checks.exp_alpha.notation import NOTATION
from theory.worlds.line_run import Gamma, Rows, line_run, line_run_exact
from theory.worlds.plane_run import PLANE_USES, plane_run, plane_run_exact
from theory.worlds.seen_noise import seen_noise, seen_noise_exact
from validation import (
    Case,
    Choice,
    Family,
    Instance,
    LogScale,
    Mechanism,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    units,
)
from validation.statement.draw import Coordinate
from validation.world.mechanisms import always
from validation.world.world import World, case

__all__ = [
    "alone",
    "changing",
    "clones",
    "in_advance",
    "line_space",
    "of_rounds",
    "on_the_line",
    "run",
    "runs",
    "sampled",
    "seeing",
]

LINE_UNITS = units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)})
CLIENTS = permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "weights": 1, "sigma": 0})
_NOISE_UNITS = units({"curvature": (1, -2), "sigma": (1, -1)})
_SEVERAL = Mechanism("several local steps", (), always)
_ROWS = 4  # different rows of weights in a run, where they need not be one a round


def line_space(n: int, *more: Coordinate, rows: int = 0, kappa: float = 1e4) -> Space:
    """n clients on the line of curvatures within a factor κ; `rows` 0: weighted by their shares."""
    low, high = kappa**-0.5, kappa**0.5
    return Space(
        (
            LogScale("curvature", low, high, (n,), at=(low, 1.0, high)),
            Signed("optimum", 1e-3, 1e2, (n,)),
            Simplex("share", n),
            *((Simplex("weights", n, (rows,)),) if rows else ()),
            Signed("start", 1e-3, 1e3),
            LogScale("sigma", 1e-2, 1e1, (n,)),
            Choice("noisy", (0.0, 0.0, 1.0)),
            *more,
        )
    )


def _several(E: int) -> tuple[Mechanism, ...]:
    return (_SEVERAL,) if E > 1 else ()


def run(N: float, E: float, T: float, *, gamma: Gamma = "A.9", drawn: tuple[float, ...] = ()) -> Case:
    """N clients, rounds of E steps, stopped after T steps; `drawn`: how many clients may be drawn by weight."""
    n, n_steps = int(N), int(T)
    more = (
        *((LogScale("stretch", 1.0, 1e3, at=(1.0,)),) if gamma == "longer" else ()),
        *((Choice("drawn", drawn),) if drawn else ()),
    )
    return case(
        f"{n} clients, E = {int(E)}, {n_steps} steps",
        line_space(n, *more, rows=min(_ROWS, -(-n_steps // int(E)))),
        line_run,
        line_run_exact,
        cost=max(2.0, n_steps * max(1.0, n / 10) / 10),
        symmetries=(LINE_UNITS, CLIENTS),
        mechanisms=_several(int(E)),
        E=int(E),
        T=n_steps,
        gamma=gamma,
    )


def runs(
    name: str = "runs",
    *,
    gamma: Gamma = "A.9",
    drawn: tuple[float, ...] = (),
    most: tuple[int, int, int] = (300, 300, 300),
    usual: tuple[int, int, int] = (2, 3, 5),
) -> World:
    """Runs of any number of clients N, local steps E and steps T, up to `most` of each."""
    sizes = tuple(Size(k, 1, high, mid) for k, high, mid in zip("NET", most, usual, strict=True))
    return World(NOTATION, (Family(name, sizes, partial(run, gamma=gamma, drawn=drawn)),))


def of_rounds(
    N: float,
    E: float,
    rounds: float,
    *,
    gamma: Gamma = "A.9",
    rows: Rows | None = "round",
    drawn: tuple[float, ...] = (),
    kappa: float = 1e4,
    cost: float | None = None,
    observe: Any = line_run,
    plain: Any = line_run_exact,
    uses: tuple[Any, ...] = (),
) -> Case:
    """N clients, whole rounds of E steps; weights one row a round, one a step, or (None) the data shares."""
    n, n_steps = int(N), int(E) * int(rounds)
    n_rows = 0 if rows is None else n_steps if rows == "step" else int(rounds)
    return case(
        f"{n} clients, E = {int(E)}, {int(rounds)} rounds",
        line_space(n, *((Choice("drawn", drawn),) if drawn else ()), rows=n_rows, kappa=kappa),
        observe,
        plain,
        uses=uses,
        cost=max(2.5, n * n_steps / 50) if cost is None else cost,
        symmetries=(LINE_UNITS, CLIENTS),
        mechanisms=_several(int(E)),
        E=int(E),
        T=n_steps,
        gamma=gamma,
        **({"rows": "step"} if rows == "step" else {}),
    )


_SIZES = (
    (1, 1, 1),
    (2, 1, 1),
    (3, 1, 2),
    (3, 1, 3),
    (2, 1, 8),
    (2, 1, 40),
    (2, 2, 2),
    (3, 5, 2),
    (2, 20, 1),
    (2, 10, 6),
)


def on_the_line(*, gamma: Gamma = "A.9", rows: Rows | None = "round", **chosen: Any) -> tuple[Case, ...]:
    """Runs of whole rounds on the line at ten sizes; weights one row a round, or (None) the data shares."""
    cost = 1.0 if rows else 2.5
    return tuple(of_rounds(*size, gamma=gamma, rows=rows, cost=cost, **chosen) for size in _SIZES)


def _plane(n: int, E: int, rounds: int, gamma: Gamma, rows: Rows | None) -> Case:
    every = {"spectrum": 0, "tilt": 0, "optimum": 0, "share": 0, **({"weights": 1} if rows else {})}
    return case(
        f"in the plane, {n} clients, E = {E}, {rounds} rounds, no noise",
        Space(
            (
                LogScale("spectrum", 1e-2, 1e2, (n, 2), at=(1e-2, 1.0, 1e2)),
                Signed("tilt", 1e-2, 1.0, (n,)),
                Signed("optimum", 1e-2, 1e2, (n, 2)),
                Simplex("share", n),
                *((Simplex("weights", n, (rounds,)),) if rows else ()),
                Signed("start", 1e-2, 1e2, (2,)),
            )
        ),
        plane_run,
        plane_run_exact,
        uses=PLANE_USES,
        cost=1.0 if rows else 2.5,
        symmetries=(
            units({"spectrum": (1, -2), "optimum": (0, 1), "start": (0, 1)}),
            permuted_clients(every),
            split_client(every, ("share", "weights") if rows else ("share",)),
        ),
        mechanisms=_several(E),
        E=E,
        T=E * rounds,
        gamma=gamma,
    )


def in_advance(*, gamma: Gamma = "A.9", rows: Rows | None = "round") -> tuple[Case, ...]:
    """Weights fixed in advance: federations of several sizes on the line, noisy, and in the plane."""
    plane = tuple(_plane(*size, gamma, rows) for size in ((2, 1, 3), (3, 2, 2), (2, 4, 3)))
    return (*on_the_line(gamma=gamma, rows=rows), *plane)


def changing(drawn: tuple[float, ...] = (), most: int = 40) -> Family:
    """N clients, rounds of E >= 2 steps, weights free at each of them; `drawn`: how many may be drawn by weight."""
    sizes = (Size("N", 2, most, 2), Size("E", 2, most, 2), Size("rounds", 1, most, 2))
    return Family("weights changing inside a round", sizes, partial(of_rounds, rows="step", drawn=drawn))


def _whole_weight(x: Instance) -> Mapping[str, Any]:
    wide = np.ones((len(x["first"]), 2))
    weights = np.broadcast_to(np.asarray([1.0, 0.0]), (len(wide), 1, 2))
    at = {"optimum": np.stack([x["first"], x["second"]], axis=1), "start": x["first"] + x["beside"]}
    drawn = {"drawn": x["drawn"]} if "drawn" in x else {}
    return {**at, **drawn, "curvature": x["curvature"], "share": wide / 2, "weights": weights, "sigma": wide}


def one_client(x: Instance, *, E: int, T: int) -> Mapping[str, Any]:
    """Two clients of equal shares, all weight on the first, no noise, from a point beside its optimum."""
    return line_run({**_whole_weight(x), "noisy": 0 * x["first"]}, E=E, T=T)


def one_client_exact(x: Mapping[str, Any], *, E: int, T: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients of equal shares, all weight on the first, no noise, from a point beside its optimum."""
    half, zero, one = Fraction(1, 2), Fraction(0), Fraction(1)
    rest = {"share": [half, half], "weights": [[one, zero]], "sigma": [zero, zero], "noisy": zero}
    at = {"optimum": [x["first"], x["second"]], "start": x["first"] + x["beside"], "curvature": x["curvature"]}
    return line_run_exact({**rest, **at, "drawn": x.get("drawn", 0)}, E=E, T=T)


def alone(drawn: tuple[float, ...] = (), most: int = 1000) -> Family:
    """All weight on one client for T steps, from its optimum or beside it: where the bounds are tight as T grows."""

    def at(E: float, rounds: float) -> Case:
        n_steps = int(E) * int(rounds)
        space = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (2,), at=(1.0,)),
                Signed("first", 1e-1, 1e1),
                Signed("second", 1e-1, 1e1),
                Signed("beside", 1e-3, 1e0),
                *((Choice("drawn", drawn),) if drawn else ()),
            )
        )
        return case(
            f"all weight on one client, E = {int(E)}, {n_steps} steps",
            space,
            one_client,
            one_client_exact,
            uses=(line_run_exact,),
            cost=max(2.5, n_steps / 25),
            symmetries=(units({"curvature": (1, -2), "first": (0, 1), "second": (0, 1), "beside": (0, 1)}),),
            mechanisms=_several(int(E)),
            E=int(E),
            T=n_steps,
        )

    sizes = (Size("E", 1, 5, 1), Size("rounds", 1, most, 40, ladder=True))
    return Family("all weight on one client", sizes, at)


_DRAWN = (1.0, 2.0, 5.0, 8.0, 20.0, 1000.0)


def sampled(*, gamma: Gamma = "A.9", pool: bool = False, most: int = 100) -> Family:
    """Runs of a few rounds, weights fixed in advance, K drawn by weight; `pool`: K is at most N, and may be N."""

    def at(N: float, E: float, rounds: float) -> Case:
        drawn = tuple(sorted({k for k in _DRAWN if k <= N} | {float(int(N))})) if pool else _DRAWN
        return of_rounds(N, E, rounds, gamma=gamma, drawn=drawn)

    sizes = (Size("N", 1, most, 2), Size("E", 1, most, 2), Size("rounds", 1, 40, 2))
    return Family("K clients drawn by weight", sizes, at)


def same_clients(x: Instance, *, N: int, T: int) -> Mapping[str, Any]:
    """N identical noisy clients h/2·w² from their optimum, all weight on the first, N of them drawn; γ = L/μ = 1."""
    n = len(x["curvature"])
    wide, none = np.ones((n, N)), np.zeros((n, N))
    weights = np.broadcast_to(np.eye(1, N), (n, 1, N))
    rest = {"optimum": none, "share": wide / N, "weights": weights, "start": none[:, 0], "noisy": wide[:, 0]}
    drawn = {"drawn": np.full(n, float(N)), "curvature": x["curvature"][:, None] * wide}
    return line_run({**rest, **drawn, "sigma": x["sigma"][:, None] * wide}, E=1, T=T, gamma="L/μ")


def same_clients_exact(x: Mapping[str, Any], *, N: int, T: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """N identical noisy clients h/2 w^2 from their optimum, all weight on the first, N of them drawn; gamma = L/mu = 1."""
    one, zero = Fraction(1), Fraction(0)
    weights = [[one] + [zero for _ in range(N - 1)]]
    rest = {"optimum": [zero] * N, "share": [one / N] * N, "weights": weights, "start": zero, "noisy": one}
    alike = {"curvature": [x["curvature"]] * N, "sigma": [x["sigma"]] * N, "drawn": N}
    return line_run_exact({**rest, **alike}, E=1, T=T, gamma="L/μ")


def clones(N: int, T: int) -> Case:
    """N identical noisy clients, one-hot weights fixed in advance, K = N, T rounds of one step with γ = L/μ."""
    drawn = Space((LogScale("curvature", 1e-1, 1e1, at=(1.0,)), LogScale("sigma", 1e-1, 1e1, at=(1.0,))))
    name = f"{N} identical clients, all weight on one, {T} rounds of E = 1"
    uses = (line_run_exact,)
    return case(name, drawn, same_clients, same_clients_exact, uses=uses, symmetries=(_NOISE_UNITS,), N=N, T=T)


def seeing(
    T: int,
    *,
    gamma: int = 7,
    clients: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0),
    more: tuple[Coordinate, ...] = (),
    cost: float = 1.0,
) -> Case:
    """Identical clients whose weights see the samples of the step, T rounds of one step; γ of A.9 is 7."""
    space = Space(
        (
            LogScale("curvature", 1e-1, 1e1, at=(1.0,)),
            LogScale("sigma", 1e-1, 1e1, at=(1.0,)),
            Choice("n_clients", clients),
            *more,
        )
    )
    name = f"identical clients, {T} rounds of E = 1, weights see the samples"
    return case(name, space, seen_noise, seen_noise_exact, cost=cost, symmetries=(_NOISE_UNITS,), T=T, gamma=gamma)

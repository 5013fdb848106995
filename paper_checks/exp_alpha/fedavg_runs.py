"""Runs of FedAvg for Theorems 1 and 2: on the line, weights in advance or seeing samples, clients drawn."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from paper_checks.exp_alpha.drawing import drawn, positive, ranging, several_steps, signed
from paper_checks.exp_alpha.notation import Coordinates, Plain, Seen
from theory.worlds.line_run import Gamma as Offset
from theory.worlds.line_run import Rows, line_run, line_run_exact
from theory.worlds.seen_noise import seen_noise, seen_noise_exact
from validation import Case, Choice, Instance, LogScale, Signed, Simplex
from validation.world import Coordinate, World
from validation.world.placed import Placed, stacked

__all__ = ["alone", "changing", "clones", "line", "of_rounds", "on_the_line", "run", "runs", "sampled", "seeing"]


_ROWS = 4  # different rows of weights in a run, where they need not be one a round


def line(n: int, *more: Coordinate, rows: int = 0, kappa: float = 1e4) -> Coordinates:
    """n clients on the line of curvatures within a factor κ; `rows` 0: weighted by their shares."""
    low, high = kappa**-0.5, kappa**0.5
    return (
        LogScale("curvature", low, high, (n,), at=(low, 1.0, high)),
        Signed("optimum", 1e-3, 1e2, (n,)),
        Simplex("share", n),
        *((Simplex("weights", n, (rows,)),) if rows else ()),
        signed("start", decades=3),
        LogScale("sigma", 1e-2, 1e1, (n,)),
        Choice("noisy", (0.0, 0.0, 1.0)),
        *more,
    )


def run(N: int, E: int, T: int, *, gamma: Offset = "A.9", counts: tuple[float, ...] = ()) -> Case:
    """N clients, rounds of E steps, stopped after T steps; `counts`: how many clients may be drawn by weight."""
    stretch = (LogScale("stretch", 1.0, 1e3, at=(1.0,)),) if gamma == "longer" else ()
    more = (*stretch, *((Choice("drawn", counts),) if counts else ()))
    name, cost = f"{N} clients, E = {E}, {T} steps", max(2.0, T * max(1.0, N / 10) / 10)
    of, on = line(N, *more, rows=min(_ROWS, -(-T // E))), several_steps(E)
    return drawn(name, of, line_run, line_run_exact, cost=cost, mechanisms=on, E=E, T=T, gamma=gamma)


def runs(
    name: str = "runs",
    *,
    gamma: Offset = "A.9",
    counts: tuple[float, ...] = (),
    most: tuple[int, int, int] = (300, 300, 300),
    usual: tuple[int, int, int] = (2, 3, 5),
) -> World:
    """Runs of any number of clients N, local steps E and steps T, up to `most` of each."""
    N, E, T = ((1, high, mid) for high, mid in zip(most, usual, strict=True))
    return ranging(name, partial(run, gamma=gamma, counts=counts), N=N, E=E, T=T)


def of_rounds(
    n: int,
    E: int,
    rounds: int,
    *,
    gamma: Offset = "A.9",
    rows: Rows = "round",
    counts: tuple[float, ...] = (),
    kappa: float = 1e4,
    cost: float | None = None,
    observe: Any = line_run,
    plain: Any = line_run_exact,
) -> Case:
    """n clients, whole rounds of E steps; weights one row a round, or one a step."""
    T = E * rounds
    n_rows = T if rows == "step" else rounds
    of = line(n, *((Choice("drawn", counts),) if counts else ()), rows=n_rows, kappa=kappa)
    cost = max(2.5, n * T / 50) if cost is None else cost
    told: dict[str, Any] = {"E": E, "T": T, "gamma": gamma, **({"rows": "step"} if rows == "step" else {})}
    name = f"{n} clients, E = {E}, {rounds} rounds"
    return drawn(name, of, observe, plain, cost=cost, mechanisms=several_steps(E), **told)


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


def on_the_line(**chosen: Any) -> tuple[Case, ...]:
    """Runs of whole rounds on the line at ten sizes; weights one row a round."""
    return tuple(of_rounds(*size, cost=1.0, **chosen) for size in _SIZES)


def changing(counts: tuple[float, ...] = (), most: int = 40) -> World:
    """N clients, rounds of E >= 2 steps, weights free at each of them; `counts`: how many may be drawn by weight."""

    def at(N: int, E: int, rounds: int) -> Case:
        return of_rounds(N, E, rounds, rows="step", counts=counts)

    return ranging("weights changing inside a round", at, N=(2, most, 2), E=(2, most, 2), rounds=(1, most, 2))


def whole_weight(x: Seen) -> Seen:
    """Two clients of equal shares, all weight on the first, no noise, from a point beside its optimum."""
    half, zero = Fraction(1, 2), Fraction(0)
    rest = {"share": [half, half], "weights": [[2 * half, zero]], "sigma": [zero, zero], "noisy": zero}
    at = {"optimum": [x["first"], x["second"]], "start": x["first"] + x["beside"], "drawn": x.get("drawn", 0)}
    return {**rest, **at, "curvature": x["curvature"]}


def one_client_exact(x: Seen, *, E: int, T: int) -> Plain:
    """A run of two clients, all weight on the first."""
    return line_run_exact(whole_weight(x), E=E, T=T)


def alone(counts: tuple[float, ...] = (), most: int = 1000) -> World:
    """All weight on one client for T steps, from its optimum or beside it: where the bounds are tight as T grows."""
    of: Coordinates = (positive("curvature", 2, decades=1), signed("first", decades=1), signed("second", decades=1))
    of += (Signed("beside", 1e-3, 1e0), *((Choice("drawn", counts),) if counts else ()))

    def at(E: int, rounds: int) -> Case:
        T, on = E * rounds, several_steps(E)
        name, cost = f"all weight on one client, E = {E}, {T} steps", max(2.5, T / 25)
        told: dict[str, Any] = {"cost": cost, "mechanisms": on, "permuted": False}
        return drawn(name, of, Placed(whole_weight, line_run), one_client_exact, **told, E=E, T=T)

    return ranging("all weight on one client", at, E=(1, 5, 1), rounds=(1, most, 40), ladder="rounds")


_DRAWN = (1.0, 2.0, 5.0, 8.0, 20.0, 1000.0)


def sampled(*, gamma: Offset = "A.9", pool: bool = False, most: int = 100) -> World:
    """Runs of a few rounds, weights fixed in advance, K drawn by weight; `pool`: K is at most N, and may be N."""

    def at(N: int, E: int, rounds: int) -> Case:
        counts = tuple(sorted({k for k in _DRAWN if k <= N} | {float(N)})) if pool else _DRAWN
        return of_rounds(N, E, rounds, gamma=gamma, counts=counts)

    return ranging("K clients drawn by weight", at, N=(1, most, 2), E=(1, most, 2), rounds=(1, 40, 2))


def alike(x: Seen, N: int) -> Seen:
    """N identical noisy clients h/2 w^2 from their optimum, all weight on the first, N of them drawn."""
    one, zero = Fraction(1), Fraction(0)
    rest = {"optimum": [zero] * N, "share": [one / N] * N, "weights": [[one] + [zero] * (N - 1)], "start": zero}
    return {**rest, "noisy": one, "curvature": [x["curvature"]] * N, "sigma": [x["sigma"]] * N, "drawn": N}


def same_clients(x: Instance, *, N: int, T: int) -> Seen:
    """A run of identical clients; γ = L/μ = 1."""
    return line_run(stacked(alike(x, N), len(x["sigma"])), E=1, T=T, gamma="L/μ")


def same_clients_exact(x: Seen, *, N: int, T: int) -> Plain:
    """A run of identical clients; gamma = L/mu = 1."""
    return line_run_exact(alike(x, N), E=1, T=T, gamma="L/μ")


def clones(N: int, T: int) -> Case:
    """N identical noisy clients, one-hot weights fixed in advance, K = N, T rounds of one step with γ = L/μ."""
    of = (positive("curvature", decades=1), positive("sigma", decades=1))
    name = f"{N} identical clients, all weight on one, {T} rounds of E = 1"
    return drawn(name, of, same_clients, same_clients_exact, N=N, T=T)


def seeing(
    T: int,
    *,
    gamma: int = 7,
    clients: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0),
    more: Coordinates = (),
    cost: float = 1.0,
) -> Case:
    """Identical clients whose weights see the samples of the step, T rounds of one step; γ of A.9 is 7."""
    of: Coordinates = (positive("curvature", decades=1), positive("sigma", decades=1), Choice("n_clients", clients))
    name = f"identical clients, {T} rounds of E = 1, weights see the samples"
    return drawn(name, (*of, *more), seen_noise, seen_noise_exact, cost=cost, T=T, gamma=gamma)

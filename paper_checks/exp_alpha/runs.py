"""The world of Theorems 1 and 2: runs of FedAvg on noisy quadratic clients on the line, weights fixed in advance."""

from __future__ import annotations

from functools import partial

from paper_checks.exp_alpha.notation import NOTATION
from theory.worlds.line_run import Gamma, line_run, line_run_exact
from validation import Case, Choice, Family, LogScale, Mechanism, Signed, Simplex, Size, Space, permuted_clients, units
from validation.mechanisms import always
from validation.world import World, case

__all__ = ["run", "runs"]

_UNITS = units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)})
_CLIENTS = permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "weights": 1, "sigma": 0})
_ROWS = 4  # different rows of weights in a run


def run(N: float, E: float, T: float, *, gamma: Gamma = "A.9", drawn: tuple[float, ...] = ()) -> Case:
    """N clients, rounds of E steps, stopped after T steps; `drawn`: how many clients may be drawn by weight."""
    n, n_steps = int(N), int(T)
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
            Signed("optimum", 1e-3, 1e2, (n,)),
            Simplex("share", n),
            Simplex("weights", n, (min(_ROWS, -(-n_steps // int(E))),)),
            Signed("start", 1e-3, 1e3),
            LogScale("sigma", 1e-2, 1e1, (n,)),
            Choice("noisy", (0.0, 0.0, 1.0)),
            *((LogScale("stretch", 1.0, 1e3, at=(1.0,)),) if gamma == "longer" else ()),
            *((Choice("drawn", drawn),) if drawn else ()),
        )
    )
    return case(
        f"{n} clients, E = {int(E)}, {n_steps} steps",
        space,
        line_run,
        line_run_exact,
        cost=max(2.0, n_steps * max(1.0, n / 10) / 10),
        symmetries=(_UNITS, _CLIENTS),
        mechanisms=(Mechanism("several local steps", (), always),) if E > 1 else (),
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

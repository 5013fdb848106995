"""What a run refuses at its door, with the argument, the value and what was expected."""

from __future__ import annotations

from theory.algorithms.method import Method
from theory.base.arrays import Array, check_simplex, namespace
from theory.federations.federation import Federation
from theory.simulate.conventions import Conventions
from theory.simulate.trajectory import RECORDS


def _check(federation: Federation, start: Array, step_sizes: Array, n_local_steps: int, record: frozenset[str]) -> int:
    """The number of local steps of the whole run; `ValueError` for shapes, steps and records that do not fit."""
    xp = namespace(step_sizes)
    own = tuple(federation.local_optima.shape[:-2])
    batch = tuple(start.shape[:-1])
    if start.ndim == 0 or start.shape[-1] != federation.dim or (own and batch[len(batch) - len(own) :] != own):
        expected = ("*replicas", *own, federation.dim)
        raise ValueError(f"simulate(start=…): shape {tuple(start.shape)}; expected ({', '.join(map(str, expected))})")
    if n_local_steps < 1 or step_sizes.shape[0] == 0 or step_sizes.shape[0] % n_local_steps:
        raise ValueError(
            f"simulate(n_local_steps={n_local_steps}): must be >= 1 and divide the {step_sizes.shape[0]} step sizes"
        )
    if tuple(step_sizes.shape[1:]) not in {(), batch}:
        raise ValueError(
            f"simulate(step_sizes=…): shape {tuple(step_sizes.shape)}; expected (n_steps,) or (n_steps, *{batch})"
        )
    if not bool(xp.all(xp.isfinite(step_sizes) & (step_sizes > 0))):
        raise ValueError(f"simulate(step_sizes=…): smallest {float(xp.min(step_sizes)):g}; must be finite and > 0")
    unknown = sorted(record - set(RECORDS))
    if unknown:
        raise ValueError(f"simulate(record=…): unknown {unknown}; expected any of {', '.join(RECORDS)}")
    return int(step_sizes.shape[0])


def _check_planned(
    planned: tuple[int, ...] | None, n_clients: int, n_local_steps: int, conventions: Conventions
) -> None:
    """`ValueError` for planned steps that are not one for each client in 1 … E, or where rounds differ in length."""
    if planned is None:
        return
    if len(planned) != n_clients or not all(0 < steps <= n_local_steps for steps in planned):
        raise ValueError(
            f"simulate(planned_steps={planned}): expected {n_clients} whole numbers in 1 … {n_local_steps}, the local"
            " steps of a round"
        )
    if conventions.aggregation != "algorithm":
        raise ValueError("simulate(planned_steps=…): rounds of the equation's reading have one length for all clients")


def _check_virtual(weights: Array, expected: tuple[int, ...]) -> None:
    """`ValueError` for weights of w̄ₜ of another shape than `expected`, or off the simplex."""
    if tuple(weights.shape) != expected:
        raise ValueError(f"simulate(virtual_weights=…): shape {tuple(weights.shape)}; expected {expected}")
    check_simplex(weights, "simulate(virtual_weights=…)")


def _check_method(method: Method, conventions: Conventions, *, fresh: bool) -> None:
    """`ValueError` for a method that remembers clients made anew (`fresh`), or rounds that it does not aggregate."""
    if fresh and method.remembers_clients:
        raise ValueError(
            f"simulate(federation=<made every round>): {method.remembers_clients}, and clients made anew are never the"
            " same; expected one federation"
        )
    if conventions.aggregation != "algorithm":
        raise ValueError(
            f"simulate(conventions=Conventions(aggregation={conventions.aggregation!r})): client and server algorithms"
            " aggregate every round; expected 'algorithm'"
        )

"""Only for many clients, and only for curvatures that do not commute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.traps.model import Checked, Trap, contraction, log_uniform, rng_of, short, trap_claim
from theory.exact import dot, matvec, quadratic_loss, rotated
from theory.federations.families import plane_rotation
from validation import Case, Choice, Family, Instance, LogScale, Signed, Simplex, Size, Space, Switch, symbols
from validation.statement.claim import ExactCheck

squares, before = symbols("squares before")


def _summed(x: Instance) -> Mapping[str, Any]:
    p = x["samples"] / x["samples"].sum(axis=-1, keepdims=True)
    update = (contraction(x) ** x["local_steps"][:, None] - 1) * (x["start"][:, None] - x["optimum"])
    return {"lhs": (p * update).sum(axis=-1) ** 2, "squares": (p**2 * update**2).sum(axis=-1)}


def summed_exact(x: Mapping[str, Any]) -> Checked:
    """The server's step, and each p_i (w_i - w), after E local steps at step size 1 on h_i/2 (w - m_i)^2."""
    total, n_local = sum(x["samples"]), int(x["local_steps"])
    updates = [
        n / total * ((1 - h) ** n_local - 1) * (x["start"] - m)
        for n, h, m in zip(x["samples"], x["curvature"], x["optimum"], strict=True)
    ]
    hypotheses = {
        "sample counts positive": min(x["samples"]) > 0,
        "0 < h_i <= L = 1": min(x["curvature"]) > 0 and max(x["curvature"]) <= 1,
    }
    return hypotheses, {"lhs": sum(updates) ** 2, "squares": sum(u**2 for u in updates)}


def many_clients(seed: int) -> Trap:
    """(Σpᵢuᵢ)² <= N₀ Σpᵢ²uᵢ² for the updates uᵢ of N clients: N₀ between 5 and 200 stands where N should.

    True for N <= N₀ (Cauchy–Schwarz). For N > N₀ it fails when the pᵢuᵢ are nearly equal.
    """
    rng = rng_of("clients", seed)
    threshold, n_local = round(log_uniform(rng, 5, 200)), int(rng.integers(1, 11))

    def at(*, n_clients: float) -> Case:
        n = int(n_clients)
        space = Space(
            (
                LogScale("samples", 1.0, 100.0, (n,)),
                LogScale("curvature", 1e-2, 1.0, (n,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Signed("start", 1e-2, 1e2),
                Choice("local_steps", (float(n_local),)),
            )
        )
        return Case(f"{n} clients, E = {n_local}", space, _summed, ExactCheck(summed_exact))

    cases = (Family("clients", (Size("n_clients", 1, 300, 3),), at),)
    mutant = ("no factor at all", squares, "two equal updates in the same direction already exceed it")
    says = f"The squared server step is at most {threshold} Σpᵢ²uᵢ²."
    return Trap(trap_claim("clients", seed, says, threshold * squares, cases, mutant), holds_up_to=threshold)


def _shared_minimiser(x: Instance) -> Mapping[str, Any]:
    turn = plane_rotation(x["tilt"])
    along = np.einsum("nkji,nj->nki", turn, x["start"])
    moved = (contraction_of(x["spectrum"], x["local_steps"]) * along)[..., None, :] * turn
    model = (x["weights"][..., None] * moved.sum(axis=-1)).sum(axis=1)

    def loss(w: Any) -> Any:
        seen = np.einsum("nji,nj->ni", turn[:, 0], w)
        return 0.5 * (x["spectrum"][:, 0] * seen**2).sum(axis=-1)

    return {"lhs": loss(model), "before": loss(x["start"])}


def contraction_of(spectrum: Any, n_local: Any) -> Any:
    """(1 − s)^E for every eigenvalue."""
    return (1 - spectrum) ** n_local[:, None, None]


def shared_minimiser_exact(x: Mapping[str, Any]) -> Checked:
    """FedAvg, E local steps at step size 1, clients w^T A_i w / 2 in the plane: the loss of client 1."""
    A = [rotated(s, t) for s, t in zip(x["spectrum"], x["tilt"], strict=True)]
    model = [0, 0]
    for p, a in zip(x["weights"], A, strict=True):
        w = x["start"]
        for _ in range(int(x["local_steps"])):
            w = [u - g for u, g in zip(w, matvec(a, w), strict=True)]
        model = [u + p * v for u, v in zip(model, w, strict=True)]
    origin = [0, 0]
    hypotheses = {
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
        "eigenvalues in (0, 1]": min(min(s) for s in x["spectrum"]) > 0 and max(max(s) for s in x["spectrum"]) <= 1,
    }
    constants = {"lhs": quadratic_loss(A[0], origin, 0, model), "before": quadratic_loss(A[0], origin, 0, x["start"])}
    return hypotheses, constants


def one_basis(x: Instance) -> Instance:
    """All clients in the eigenbasis of the first."""
    return {**x, "tilt": np.repeat(x["tilt"][:, :1], x["tilt"].shape[1], axis=1)}


def alike_start(x: Instance) -> Instance:
    """The same start along both axes; it restores nothing."""
    return {**x, "start": np.repeat(x["start"][:, :1], 2, axis=1)}


COMMUTING = Switch("commuting Hessians", "All clients' Hessians share their eigenvectors.", one_basis)


def non_commuting(seed: int) -> Trap:
    """F_1(w after a round) <= C F_1(w), C >= 1, for clients that share their minimiser, at a step of 1/L.

    With commuting Hessians every eigen-component shrinks, so every client's loss falls. Otherwise a client may push the
    model along the direction in which client 1 is steepest, and its loss grows without limit as κ does.
    """
    rng = rng_of("commuting", seed)
    n_clients, n_local = int(rng.integers(2, 5)), int(rng.integers(1, 21))
    room = short(rng.uniform(1.0, 4.0))
    space = Space(
        (
            Simplex("weights", n_clients),
            LogScale("spectrum", 1e-3, 1.0, (n_clients, 2)),
            Signed("tilt", 1e-2, 1.0, (n_clients,)),
            Signed("start", 1e-2, 1e2, (2,)),
            Choice("local_steps", (float(n_local),)),
        )
    )
    uses = (dot, matvec, rotated, quadratic_loss)
    case = Case(
        f"{n_clients} clients, E = {n_local}", space, _shared_minimiser, ExactCheck(shared_minimiser_exact, uses)
    )
    says = f"No round multiplies client 1's loss by more than {float(room):.4g}."
    mutant = ("every round divides the loss by 1000", before / 1000, "a small curvature barely moves the model")
    decoy = Switch("start on the diagonal", "Both coordinates of the start are equal.", alike_start)
    claim = trap_claim("commuting", seed, says, room * before, (case,), mutant, (COMMUTING, decoy))
    return Trap(claim, restored_by=frozenset({COMMUTING.name}))

"""Speed, limit and bits of EFL for each sparsity and each elastic strength on one fixed federation, as plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory import from_spectra, global_loss
from theory.federations.elastic import elastic_gradient, elastic_sums
from theory.messages.compression import TernarySparse, error_feedback, total_bits

__all__ = ["ELASTIC", "KEPT", "tradeoffs"]

Float = NDArray[np.float64]

KEPT = (0.0625, 0.125, 0.25, 0.5, 1.0)
ELASTIC = (0.0, 0.01, 0.1, 1.0, 10.0)
_CLIENTS, _DIM, _LOCAL, _ROUNDS, _LEVEL = 5, 32, 5, 600, 0.1


def _federation() -> Any:
    """Five clients in dimension 32, curvatures from 1/2 to 2, optima spread around 1, equal shares."""
    k, i = np.arange(_CLIENTS)[:, None], np.arange(_DIM)[None, :]
    spectra = 2.0 ** np.sin(1.0 + 2.0 * k + 3.0 * i)
    centers = 1.0 + np.cos(2.0 + 3.0 * k + i)
    return from_spectra(spectra, None, centers, np.zeros(_CLIENTS), np.full(_CLIENTS, 1 / _CLIENTS))


def tradeoffs(n_rounds: int = _ROUNDS) -> list[dict[str, Any]]:
    """One entry for each q of `KEPT` at λ = 0, then for each λ of `ELASTIC` without compression, all from w = 0.

    Noiseless, E = 5, all clients, steps 1/(50(L + λ·max ΣᵢIᵢ)), constant; Algorithm 1 in its consistent
    form: the server adds what it sends, of tied entries the first are kept. Fisher diagonals are the curvatures, anchors the
    clients' last local models, the elastic term the printed sum over clients. Each entry: `name`, `parameter` q or λ;
    `rounds_to_level`, the first round with F − F* at most a tenth of its first value, F the mean risk, None if
    there is none; `limit`, F − F* after the last round; `bits` sent up to that level (else in all rounds), both ways, positions by index, u and v counted
    for λ > 0; `trajectory` F − F*, (n_rounds + 1,). `bound_speed` and `bound_error` are None: no bound covers compression, nor
    an objective whose anchors move.

    >>> sparse, *_, dense = tradeoffs()[: len(KEPT)]
    >>> sparse["rounds_to_level"] >= dense["rounds_to_level"], sparse["bits"] < dense["bits"]
    (True, True)
    """
    settings = [("sparsity", q, q, 0.0) for q in KEPT] + [("elastic", lam, 1.0, lam) for lam in ELASTIC]
    return [_measured(name, parameter, q, lam, n_rounds) for name, parameter, q, lam in settings]


def _measured(name: str, parameter: float, q: float, lam: float, n_rounds: int) -> dict[str, Any]:
    federation = _federation()
    packs = name == "sparsity" and q < 1
    models = _run(federation, TernarySparse(q, ties="exact") if packs else None, lam, n_rounds)
    gaps: Float = np.asarray(global_loss(federation, models) - global_loss(federation, federation.optimum()))
    reached = np.flatnonzero(gaps <= _LEVEL * gaps[0])
    rounds = int(reached[0]) if len(reached) else None
    coding: Any = "index" if packs else "dense"
    bits = total_bits(
        _DIM,
        n_rounds=n_rounds if rounds is None else rounds,
        n_participants=_CLIENTS,
        uplink=coding,
        downlink=coding,
        compressor=TernarySparse(q) if packs else None,
        fisher="both" if lam > 0 else "none",
    )
    return {
        "name": name,
        "parameter": parameter,
        "rounds_to_level": rounds,
        "limit": float(gaps[-1]),
        "bound_speed": None,
        "bound_error": None,
        "bits": float(bits),
        "trajectory": gaps,
    }


def _run(federation: Any, compress: TernarySparse | None, lam: float, n_rounds: int) -> Float:
    """The server's model before each round and after the last, (n_rounds + 1, dim)."""
    fisher: Float = np.asarray(np.diagonal(federation.curvature, axis1=-2, axis2=-1))
    eta = 0.02 / (float(federation.constants().L) + lam * float(fisher.sum(axis=0).max()))
    share = federation.share[:, None]
    server, anchors = np.zeros(_DIM), np.zeros((_CLIENTS, _DIM))
    up, down = np.zeros((_CLIENTS, _DIM)), np.zeros(_DIM)
    models = [server]
    for _r in range(n_rounds):
        local = np.repeat(server[None], _CLIENTS, axis=0)
        sum_u, sum_v = elastic_sums(fisher, anchors)
        for _j in range(_LOCAL):
            local = local - eta * (federation.gradients(local) + elastic_gradient(local, sum_u, sum_v, lam))
        change: Any = local - server
        if compress is not None:
            up, change = error_feedback(up, change, compress)
        move: Any = (share * change).sum(axis=0)
        if compress is not None:
            down, move = error_feedback(down, move, compress)
        server, anchors = server + move, local
        models.append(server)
    return np.asarray(models)

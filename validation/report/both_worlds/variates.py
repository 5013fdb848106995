"""Where methods with control variates go: the weights of their means decide it, not the rule that combines updates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory import QuadraticFederation, constant_steps, make_rule, simulate
from theory.algorithms import VARIATES, make_client

__all__ = ["SAYS", "variate_limits"]

Float = NDArray[np.float64]

SAYS = (
    "SCAFFOLD's c, FedDyn's h and FedDC's means of drift and slope are means over all clients, and the weights ω of"
    " these means (`variates`) decide where the method goes: to Σ ωₖ∇Fₖ = 0, whichever rule weights the updates. With"
    " `share` that is w*, the optimum of Σ pₖFₖ; as most of them print it, `uniform`, it is the optimum of Σ Fₖ/N;"
    " only with `rule` does the rule decide."
)
_CLIENTS = ("scaffold", "fed-dyn(alpha=1)", "fed-dc(alpha=1)")
_RULES = ("proportional", "uniform")


def variate_limits(federation: QuadraticFederation, *, n_rounds: int = 150) -> list[dict[str, Any]]:
    """Distances of the model after `n_rounds` of full gradients, everyone present, to the optima of Σ pₖFₖ and Σ Fₖ/N.

    One row for each client algorithm, weights of its means and rule:
    {"client", "variates", "rule", "to_share", "to_uniform"}, in units of the model.
    """
    n = federation.n_clients
    targets = {
        "to_share": np.asarray(federation.optimum()),
        "to_uniform": np.asarray(_weighted(federation, np.full(n, 1 / n)).optimum()),
    }
    rate = 0.25 / float(np.asarray(federation.constants().L))
    rows = []
    for client in _CLIENTS:
        for variates in VARIATES:
            for rule in _RULES:
                name = client.partition("(")[0]
                settings = {"alpha": 1} if "alpha" in client else {}
                final = simulate(
                    federation,
                    make_rule(rule),
                    start=np.ones(federation.dim),
                    step_sizes=constant_steps(rate, 5 * n_rounds),
                    n_local_steps=5,
                    record=("weights",),
                    client=make_client(name, **settings, variates=variates),
                ).final
                off = {key: float(np.linalg.norm(final - target)) for key, target in targets.items()}
                rows.append({"client": client, "variates": variates, "rule": rule, **off})
    return rows


def _weighted(federation: QuadraticFederation, share: Float) -> QuadraticFederation:
    return QuadraticFederation(federation.curvature, federation.centers, federation.floor, share, federation.spectra)

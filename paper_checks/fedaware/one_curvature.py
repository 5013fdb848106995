"""One round of clients that share a curvature: their gradients differ by the same vector everywhere.

Assumption 4.1 bounds the dissimilarity «for all x»; of clients with one curvature that of the broadcast model is it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paper_checks.fedaware.mechanisms import switched_on
from paper_checks.fedaware.notation import NOTATION, Checked
from paper_checks.fedaware.rounds import round_exact, round_moments
from validation import Case, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.world.world import World, case

__all__ = ["one_curvature"]


def level_round(x: Instance, *, K: int) -> Mapping[str, Any]:
    """`round_moments` of clients with one curvature."""
    return round_moments({**x, "curvature": x["curvature"][:, None] + 0 * x["optimum"]}, K=K)


def level_round_exact(x: Mapping[str, Any], *, K: int) -> Checked:
    """Clients of one curvature h differ by linear terms: grad f_i - grad f does not depend on x."""
    h, lam, m = x["curvature"], x["share"], x["optimum"]
    met, constants = round_exact({**x, "curvature": [h for _ in lam]}, K=K)
    mean = sum(a * y for a, y in zip(lam, m, strict=True))
    everywhere = sum(a * (h * (mean - y)) ** 2 for a, y in zip(lam, m, strict=True))
    return {
        **met,
        "A4.1 at every x, where grad f_i - grad f = h (x* - x_i*)": everywhere <= constants["sg2"],
    }, constants


def _at(N: float, K: float) -> Case:
    n = int(N)
    space = Space(
        (
            Signed("curvature", 1e-3, 1e3),
            Signed("optimum", 1e-3, 1e3, (n,)),
            Simplex("share", n, interior=True),
            Signed("start", 1e-3, 1e3),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e4),
            LogScale("sigma", 1e-3, 1e3, (n,), at=(1.0,)),
            LogScale("window", 1.0, 10.0, at=(1.0,)),
        )
    )
    scaled = {"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}
    return case(
        f"{n} clients of one curvature, K = {int(K)}",
        space,
        level_round,
        level_round_exact,
        cost=max(1.0, min(4.0, n * K / 60)),
        symmetries=(units(scaled), permuted_clients({"optimum": 0, "share": 0, "sigma": 0})),
        mechanisms=switched_on(K),
        K=int(K),
    )


def one_curvature() -> World:
    """1 to 300 such clients, convex or not, with 1 to 300 local steps and the same noise at every step."""
    return World(NOTATION, (Family("clients of one curvature", (Size("N", 1, 300, 2), Size("K", 1, 300, 3)), _at),))

"""EFL-A3 and EFL-A4: bounded variance and bounded second moments of the stochastic gradients, and where they can hold.

Client k has two samples aₖᵢ(w − bₖᵢ)²/2 and draws one a step; a run visits what its drawn batches lead to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from validation import (
    Canary,
    Claim,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Simplex,
    Size,
    Uniform,
    permuted_clients,
    units,
)
from validation.statement.draw import Coordinate
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]


def _coordinates(N: int, E: int) -> Sequence[Coordinate]:
    return (
        LogScale("curvature", 1e-2, 1e2, (N, 2), at=(1.0,)),
        Signed("position", 1e-1, 1e1, (N, 2)),
        Signed("start", 1e-1, 1e1),
        Simplex("coefficient", N, (3,)),
        Uniform("batch", 0.0, 1.0, (3, E, N)),
        Uniform("done", 0.0, 1.0, (3, N)),
        LogScale("length", 1e-2, 1.0, at=(1.0,)),
    )


def _measure(x: Instance) -> Mapping[str, Any]:
    """The largest moment at a model visited, less (aD)², D the width of the start and the samples, a the largest curvature."""
    a, b = x["curvature"], x["position"]
    top = a.max(axis=(1, 2))
    eta = (x["length"] * (4.0 if "long" in x else 1.0) / top)[:, None]
    ends = np.concatenate([b.reshape(len(a), -1), x["start"][:, None]], axis=1)
    cap = (top * (ends.max(axis=1) - ends.min(axis=1))) ** 2
    server, largest = x["start"], np.zeros(len(a))
    n_local = x["batch"].shape[2]
    for r in range(3):
        w = np.repeat(server[:, None], a.shape[1], axis=1)
        for j in range(n_local):
            g = a * (w[..., None] - b)
            moment = ((g[..., 0] - g[..., 1]) / 2) ** 2 if "variance" in x else (g**2).mean(axis=2)
            largest = np.maximum(largest, moment.max(axis=1))
            drawn_ = np.where(x["batch"][:, r, j] < 0.5, g[..., 0], g[..., 1])
            w = w - eta * drawn_ * (x["done"][:, r] * (n_local + 1) >= j + 1)
        server = server + (x["coefficient"][:, r] * (w - server[:, None])).sum(axis=1)
    return {"lhs": largest - cap, "magnitude": cap + largest}


def visited_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Three rounds along the drawn batches; moments of the two-sample gradient at every local model visited."""
    a, b, clients = x["curvature"], x["position"], range(len(x["curvature"]))
    top = max(max(row) for row in a)
    eta = x["length"] * (4 if "long" in x else 1) / top
    ends = [x["start"]] + [v for row in b for v in row]
    cap = (top * (max(ends) - min(ends))) ** 2
    server, largest = x["start"], Fraction(0)
    for batch, done, p in zip(x["batch"], x["done"], x["coefficient"], strict=True):
        after = []
        for k in clients:
            w = server
            for j in range(len(batch)):
                g = [a[k][i] * (w - b[k][i]) for i in range(2)]
                mean = sum(g) / 2
                second = sum(v * v for v in g) / 2
                largest = max(largest, second - mean * mean if "variance" in x else second)
                if done[k] * (len(batch) + 1) >= j + 1:
                    w = w - eta * (g[0] if batch[j][k] < Fraction(1, 2) else g[1])
            after.append(w)
        server = server + sum(p[k] * (after[k] - server) for k in clients)
    met = {
        "0 < eta a <= 1": "long" in x or 0 < x["length"] <= 1,
        "coefficients on the simplex": min(map(min, x["coefficient"])) >= 0,
    }
    return met, {"lhs": largest - cap}


_SAME = (
    units({"curvature": (1, -2), "position": (0, 1), "start": (0, 1)}),
    permuted_clients({"curvature": 0, "position": 0, "coefficient": 1, "batch": 2, "done": 1}),
)


def _test(*flags: str) -> Property:
    return drawn(
        "three rounds of SGD" + "".join(f", {f}" for f in flags),
        _coordinates,
        _measure,
        visited_exact,
        sizes=(Size("N", 1, 50, 2), Size("E", 1, 50, 3)),
        flags=dict.fromkeys(flags, 1.0),
        same=_SAME,
        degrees=(2, -2),
    )


def moment_away(distance: Any, mu: Any) -> tuple[Fraction, Fraction]:
    """(|grad F_k(w)|^2 at w = w_k* + distance for curvature mu, 1)."""
    return Fraction(mu * distance) ** 2, Fraction(1)


def variance_away(distance: Any, mu: Any) -> tuple[Fraction, Fraction]:
    """(variance of the gradient of two samples mu (w - 0)^2/2 and 3 mu (w - 0)^2/2 at w = distance, 1)."""
    one, other = mu * distance, 3 * mu * distance
    return Fraction(one**2 + other**2) / 2 - Fraction(one + other) ** 2 / 4, Fraction(1)


def _everywhere(at: Any) -> Order:
    family = OrderFamily("away from the optimum", at, {"distance": n}, {"mu": (1, 10)}, degree=2)
    return Order("upper", (family,), variable="distance", may_depend_on=("mu",))


_ASSUMES = (
    "clients of two quadratic samples, batches of one, any batches; s of E steps done",
    "0 < ηa <= 1 for every sample; coefficients of a round on the simplex",
)

A3 = Claim(
    id="EFL-A3",
    kind=Kind.PROPERTY,
    source="Assumption 3, Sec. 3.2",
    title="Bounded variance",
    statement=r"\mathbb E_\xi\|g_t^k-\overline g_t^k\|^2\le\sigma_k^2",
    says="At every model a run visits the variance of the stochastic gradient is at most a constant free of the round.",
    assumes=_ASSUMES,
    readings=(
        Reading(
            "at the local models of a run",
            "σₖ² = (aD)², D the width of the start and of the samples' optima, a the largest curvature.",
            _test("variance"),
        ),
    ),
    canaries=(
        Canary(
            "on all of space, samples of different curvature",
            _everywhere(variance_away),
            "the variance is (μ·distance)²",
        ),
        Canary(
            "steps four times as long",
            _test("variance", "long"),
            "with ηa = 4 a client leaves the interval of the samples",
        ),
    ),
    depends_on=("EFL-A1",),
    verdict_words=(
        "The assumption is on the gradients at the iterates, and there it can be met: with ηa <= 1 each batch step moves between "
        "the model and a sample's optimum, so a run whose coefficients sum to 1 never leaves their interval. On all of space "
        "it fails as soon as two samples differ in curvature. With coefficients such as E pᵏ/s, whose sum exceeds 1, the "
        "interval is no longer kept and σₖ depends on the step sizes as well."
    ),
)

A4 = Claim(
    id="EFL-A4",
    kind=Kind.PROPERTY,
    source="Assumption 4, Sec. 3.2",
    title="Bounded gradient",
    statement=r"\mathbb E_\xi\|g_t^k\|^2\le G^2",
    says="The second moments of the stochastic gradients of each client are at most G² at every step t.",
    assumes=_ASSUMES,
    readings=(
        Reading("at the local models of a run", "G² = (aD)², as for the variance.", _test()),
        Reading(
            "at every model",
            "Stronger than the print, as a condition on the objectives beside A2: ‖∇F̃ₖ(w)‖ on all of space.",
            _everywhere(moment_away),
        ),
    ),
    canaries=(
        Canary("steps four times as long", _test("long"), "with ηa = 4 a client leaves the interval of the samples"),
    ),
    tight="one client, start and optimum at the ends of the interval",
    depends_on=("EFL-A1", "EFL-A2"),
    verdict_words=(
        "The assumption can be met where the index t places it, at the local models of a run: for short steps and "
        "coefficients that sum to 1 there is a G that does not depend on the number of rounds. It then depends on the "
        "start. A stronger statement fails: with strong convexity no G bounds the gradients on all of space, so as a "
        "condition on the objectives A4 would contradict A2. That reading is ours; the print has the step t and the "
        "client k. All checks of Theorem 1 here take G² over the models visited."
    ),
)

CLAIMS: tuple[Claim, ...] = (A3, A4)

"""FA-AA.1: no update longer than a constant times the pseudo-gradient."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, flagged, hulls, never, squares
from theory.exact import dot, weighted_sum
from theory.quantities import pseudo_gradient
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Simplex,
    Size,
    Space,
    permuted_clients,
    symbols,
    units,
)
from validation.statement.draw import Coordinate
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]


mean2 = symbols("mean2")


def _agreeing(x: Instance) -> Mapping[str, Any]:
    """κ·maxᵢ‖gᵢ‖² with κ the least inner product over the largest square; `one`: κ = 1; `balanced`: ‖G‖² = 0 only."""
    g, lam = x["m"], x["weights"]
    G, largest = squares(pseudo_gradient(g, lam)), squares(g).max(axis=1)
    if "balanced" in x:
        return {"lhs": np.where(G == 0, largest, 0.0), "magnitude": largest}
    least = np.einsum("nid,njd->nij", g, g).min(axis=(1, 2))
    lhs = largest if "one" in x else least
    return {"lhs": lhs, "mean2": G, "admissible": least > 0, "magnitude": largest}


def agreeing_exact(x: Mapping[str, Any]) -> Checked:
    """One round's updates and any weights; the updates agree if every inner product is positive."""
    g, lam = x["m"], x["weights"]
    G, largest = weighted_sum(lam, g), max(dot(v, v) for v in g)
    met = {"lambda on the simplex": sum(lam) == 1 and min(lam) >= 0}
    if "balanced" in x:
        return met, {"lhs": largest if dot(G, G) == 0 else Fraction(0)}
    least = min(dot(u, v) for u in g for v in g)
    lhs = largest if "one" in x else least
    return {**met, "all inner products positive": least > 0}, {"lhs": lhs, "mean2": dot(G, G)}


def _weights(size: int, _d: int) -> tuple[Coordinate, ...]:
    return (Simplex("weights", size),)


def _positive(*flags: str) -> Family:
    def at(N: float, d: float) -> Case:
        size, dim = int(N), int(d)
        extra = tuple(Choice(flag, (1.0,)) for flag in flags)
        space = Space((LogScale("m", 1e-2, 1e2, (size, dim), at=(1e-2, 1.0)), Simplex("weights", size), *extra))
        check = ExactCheck(agreeing_exact, (dot, weighted_sum))
        same = (units({"m": (0, 1)}), permuted_clients({"m": 0, "weights": 0}))
        return Case(
            f"{size} agreeing updates, d = {dim}", space, _agreeing, check, cost=max(1.0, size / 40), symmetries=same
        )

    return Family("agreeing updates", (Size("N", 1, 100, 3), Size("d", 1, 8, 2)), at)


def opposite(T: Fraction) -> tuple[Fraction, Fraction]:
    """|g_1|^2 and |G|^2 in round T of FedAvg, K = 1, eta = 1/2, on (x - 1)^2/2 and (x + 1)^2/2 from x = 1."""
    x = Fraction(1, 2 ** int(T))
    return ((x - 1) / 2) ** 2, (((x - 1) + (x + 1)) / 4) ** 2


def _order(at: Any, name: str, form: Any, because: str) -> Order:
    grid = tuple(2**k for k in range(2, 9))  # 4ᵗ leaves the floats beyond
    return Order("upper", (OrderFamily(name, at, {"T": n}, form=form, because=because),), grid=grid)


_OPPOSITE = _order(
    opposite, "two clients pulling apart", n, "the quotient is (2^n − 1)², which is at least n for n >= 1"
)

AA1 = Claim(
    id="FA-AA.1",
    kind=Kind.ORDER,
    source="Assumption A.1, Appendix A.2",
    title="Updates bounded by the pseudo-gradient",
    statement=(
        r"\mathbb E\|g_i^t\|^2\le\gamma\,\mathbb E\|G^t\|^2,\qquad\forall t\in[T],\ i\in[N],\ \lambda\in\Delta_N"
    ),
    says=(
        "In every round and for all weights the squared update of each client is at most a constant times the "
        "squared pseudo-gradient; «a mild assumption»."
    ),
    assumes=(
        "γ is a constant: one number for all rounds, clients and weights",
        "«will not exceed a minor constant in practice»",
    ),
    readings=(
        Reading(
            "for all weights",
            "Σλᵢgᵢ = 0 only if all gᵢ = 0, without which no γ exists.",
            never(hulls(_agreeing, agreeing_exact, flagged("balanced", _weights), symmetric=False)),
        ),
        Reading("for the weights of the objective, along a run", "max‖gᵢ‖²/‖G‖² stays bounded as T grows.", _OPPOSITE),
        Reading(
            "updates that agree",
            "⟨gᵢ, gⱼ⟩ >= κ·max‖g‖² for all pairs gives γ = 1/κ, for all weights.",
            Inequality(Bound(mean2, lambda mean2: mean2 * 1.0, {"mean2": (0, 2)}), (_positive(),), degrees=(0, 2)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "γ = 1 for updates that agree",
            Inequality(Bound(mean2, degrees={"mean2": (0, 2)}), (_positive("one"),), degrees=(0, 2)),
            "with all weight on the shorter of two parallel updates the longer one is longer than G",
        ),
    ),
    tight="equal updates: γ = 1",
    depends_on=("FA-E1",),
    verdict_words=(
        "As an assumption it is not false; that it is «mild», with γ «a minor constant in practice», is true only "
        "while the updates agree: ⟨gᵢ, gⱼ⟩ >= κ·max‖g‖² for all pairs gives γ = 1/κ. Clients of one law, as in the "
        "IID settings of B.2, meet this. For heterogeneous clients no constant serves. For all weights, as the "
        "display has it, the shortest point of the hull of the updates is no shorter than 1/√γ of the longest "
        "update. For the applied weights alone γ grows without bound along every noiseless run to a point where the "
        "updates balance without vanishing, at two pulling clients like 4ᵗ. With one common minimum, early in a run "
        "or under enough noise a moderate γ serves. Theorem 4.2, Corollary 4.1 and (16) rest on one γ for all T."
    ),
)

CLAIMS: tuple[Claim, ...] = (AA1,)

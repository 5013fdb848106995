"""EA-L5: the variance that sampling K clients adds at a synchronisation."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.local_round import DEGREES, sampling_family
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Space,
    Switch,
    permuted_clients,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

eta, E, G2, K = symbols("eta E G2 K")


def sampled_again(eta: Any, E: Any, G2: Any, K: Any) -> Any:
    """(4/K)ηₜ²EG², once more."""
    return (2 * eta) ** 2 * (E * G2) / K


def squared_again(eta: Any, E: Any, G2: Any, K: Any) -> Any:
    """(4/K)ηₜ²E²G², once more."""
    return G2 * (2 * eta * E) ** 2 / K


PRINTED = Bound(4 / K * eta**2 * E * G2, again=sampled_again, degrees=DEGREES)
SQUARED = Bound(4 / K * eta**2 * E**2 * G2, again=squared_again, degrees=DEGREES)


def _given(x: Instance) -> Mapping[str, Any]:
    """One local step, given the samples: nᵢ is drawn with chance q, as is −nᵢ with the same; 0 otherwise, 2q <= 1."""
    a, h = x["weights"], x["curvature"]
    gradient = h * (x["start"][:, None] - x["optimum"])
    moved = x["step"][:, None] * (gradient + x["noise"])
    apart = moved - (a * moved).sum(axis=1, keepdims=True)
    return {
        "lhs": (a * apart**2).sum(axis=1) / x["drawn"],
        "eta": x["step"],
        "E": np.ones_like(x["step"]),
        "G2": (gradient**2 + 2 * x["chance"][:, None] * x["noise"] ** 2).max(axis=1),
        "K": x["drawn"],
        "magnitude": (moved**2).max(axis=1),
    }


def given_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E_s |W_tilde - W_bar|^2 after one local step for samples of positive chance; noise +-n_i with chance q each."""
    a, K, q = x["weights"], int(x["drawn"]), x["chance"]
    clients = range(len(a))
    g = [x["curvature"][i] * (x["start"] - x["optimum"][i]) for i in clients]
    V = [x["start"] - x["step"] * (g[i] + x["noise"][i]) for i in clients]
    center = sum(a[i] * V[i] for i in clients)
    constants = {
        "lhs": sum(a[i] * (V[i] - center) ** 2 for i in clients) / K,
        "eta": x["step"],
        "E": Fraction(1),
        "G2": max(g[i] ** 2 + 2 * q * x["noise"][i] ** 2 for i in clients),
        "K": Fraction(K),
    }
    hypotheses = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "noise n_i and -n_i with chance q each, else 0: mean 0": 0 < 2 * q <= 1,
        "constant positive steps": x["step"] > 0,
    }
    return hypotheses, constants


def _given_case(n_clients: int) -> Case:
    drawn = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n_clients,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n_clients,)),
            Signed("start", 1e-2, 1e2),
            Signed("noise", 1e-2, 1e2, (n_clients,)),
            LogScale("chance", 1e-3, 0.5, at=(1e-3, 0.125, 0.5)),
            Simplex("weights", n_clients),
            LogScale("step", 1e-4, 1.0, at=(1.0,)),
            Choice("drawn", (1.0, 2.0, 10.0)),
        )
    )
    same = (
        units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "noise": (1, -1), "step": (-1, 2)}),
        permuted_clients({"curvature": 0, "optimum": 0, "noise": 0, "weights": 0}),
    )
    name = f"{n_clients} clients, one local step, given the samples"
    return Case(name, drawn, _given, ExactCheck(given_exact), symmetries=same)


def _opposed(x: Instance) -> Mapping[str, Any]:
    """Two clients h/2·(w ∓ u)² from 0 with equal weights, E noiseless steps of size `length`/h."""
    h, u, E = x["curvature"], x["point"], x["local_steps"]
    gone = u * (1 - (1 - x["length"]) ** E)
    constants = {"eta": x["length"] / h, "E": E, "G2": (h * u) ** 2, "K": x["drawn"]}
    return {"lhs": gone**2 / x["drawn"], **constants, "magnitude": u**2}


def opposed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients h/2 (w -+ u)^2 from 0 with equal weights, E noiseless steps of one size; K of them drawn."""
    h, E, K, eta = x["curvature"], int(x["local_steps"]), int(x["drawn"]), x["length"] / x["curvature"]
    optima, models, G2 = [x["point"], -x["point"]], [Fraction(0), Fraction(0)], Fraction(0)
    for _ in range(E):
        gradients = [h * (w - m) for w, m in zip(models, optima, strict=True)]
        G2 = max(G2, *(g * g for g in gradients))
        models = [w - eta * g for w, g in zip(models, gradients, strict=True)]
    center = sum(models) / 2
    hypotheses = {"constant positive steps": eta > 0, "gradients without noise": h > 0}
    lhs = sum((w - center) ** 2 for w in models) / 2 / K
    return hypotheses, {"lhs": lhs, "eta": eta, "E": Fraction(E), "G2": G2, "K": Fraction(K)}


_OPPOSED = Case(
    "two opposed clients, no noise",
    Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            LogScale("point", 1e-2, 1e2, at=(1.0,)),
            LogScale("length", 1e-4, 0.1, at=(1e-3,)),
            Choice("local_steps", (1.0, 2.0, 5.0, 10.0, 40.0)),
            Choice("drawn", (1.0, 2.0, 10.0)),
        )
    ),
    _opposed,
    ExactCheck(opposed_exact),
    symmetries=(units({"curvature": (1, -2), "point": (0, 1)}),),
)

_MILD = Switch(
    "bounded gradients on every path",
    "no sample is larger than the root of its mean square: noise of one size",
    lambda x: {**x, "chance": np.full_like(x["chance"], 0.5)} if "chance" in x else x,
)
_ROUNDS = sampling_family()

L5 = Claim(
    id="EA-L5",
    kind=Kind.INEQUALITY,
    source="Lemma 5 (A.12)",
    title="Variance of sampling K clients",
    statement=(
        r"t+1\in\mathcal I_E,\ \eta_t\le2\eta_{t+E}:\qquad"
        r"\mathbb E_s[\|\tilde{\mathbf W}^{t+1}-\bar{\mathbf W}^{t+1}\|^2]\le\frac4K\eta_t^2EG^2"
    ),
    says="Drawing K clients instead of averaging all moves the aggregate by at most 4η²EG²/K in the mean square.",
    assumes=(
        "A4: second moments of the stochastic gradients at most G² at every point visited",
        "A5: K independent draws by weight, plain mean",
        "ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t",
    ),
    readings=(
        Reading(
            "over the draw alone",
            "As printed, for samples of positive chance; E = 1, and noiseless rounds of two opposed clients.",
            Inequality(PRINTED, (*(_given_case(n) for n in (2, 3, 10)), _OPPOSED), switches=(_MILD,), degrees=(0, 2)),
        ),
        Reading(
            "over the draw and the samples",
            "As the proof's last display; weights fixed in advance.",
            Inequality(PRINTED, (_ROUNDS,), degrees=(0, 2)),
        ),
        Reading(
            "E² in place of E",
            "Over the draw and the samples, weights fixed in advance.",
            Inequality(SQUARED, (_ROUNDS,), degrees=(0, 2)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "factor 4 of the squared form dropped",
            Inequality(Bound(eta**2 * E**2 * G2 / K), (_ROUNDS,)),
            "ηₜ may be half of the earlier steps: opposed clients then give nearly 4ηₜ²E²G²/K for large E",
        ),
        Canary(
            "1/K² in place of 1/K",
            Inequality(Bound(4 * eta**2 * E**2 * G2 / K**2), (_ROUNDS,)),
            "the mean of K independent draws has 1/K of the variance of one; K = 100 and two opposed clients suffice",
        ),
        Canary(
            "E − 1 in place of E",
            Inequality(Bound(4 / K * eta**2 * (E - 1) ** 2 * G2), (_ROUNDS,)),
            "for E = 1 the right side is 0 and one step already separates the clients",
        ),
    ),
    tight="with E², as E grows: opposed gradients constant over the round, the last step half of the others",
    depends_on=("EA-L4", "EA-S2"),
    verdict_words=(
        "For one draw the left side is the spread of the local models under the weights. Two clients with opposed, nearly "
        "constant gradients drift ηG a step each, so over the draw and the samples it is η²E²G²/K: above the printed bound "
        "for E >= 5 with constant steps and earlier with falling ones. The proof bounds the squared norm of a sum of E "
        "gradients by the sum of E squared norms. Without the outer expectation, which the statement does not print and the "
        "last line of its proof has, it fails even for E = 1, since A4 bounds gradients only on average. With E², over "
        "draw and samples, no violation was found."
    ),
)

CLAIMS: tuple[Claim, ...] = (L5,)

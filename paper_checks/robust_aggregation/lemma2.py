"""RA-L2, the mean squared distance of the local models from the virtual one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.rounds import watched
from paper_checks.robust_aggregation.rounds_cases import BY_P, EQ1, ROUND, Convention, noisy_runs, plain_runs
from paper_checks.robust_aggregation.rounds_exact import RUN, between, expected, run
from theory.exact import dot
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
    Instant,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS", "DEGREES", "DRIFT", "apart", "drift_runs"]

eta, E, G2, smaller, right = symbols("eta E G2 smaller right")
a1, a2, a3 = symbols("a1 a2 a3")
DEGREES = {"eta": (-1, 2), "E": (0, 0), "G2": (2, -2), "smaller": (0, 2), "right": (0, 2)}
DRIFT = Bound(16 * eta**2 * E**2 * G2, again=lambda eta, E, G2: (4 * eta * E) * (eta * E * 4) * G2, degrees=DEGREES)


def apart(x: Instance) -> tuple[Any, Any]:
    """(view, Σαᵢ‖wₜ − wₜⁱ‖² on every path (n, K))."""
    view = watched(x)
    return view, view.averaged(((view.local - view.w[:, :, None]) ** 2).sum(axis=-1))


def _drift(x: Instance) -> Mapping[str, Any]:
    view, found = apart(x)
    return {
        **view.constants,
        "lhs": view.mean(found),
        "magnitude": 1e-6 * view.constants["reach"],
        "admissible": _any(x),
        "resolved": _any(x),
    }


def _any(x: Instance) -> Any:
    """The weighting skew does not occur in Lemma 2: Γ = 0 is admissible, however Γ is rounded."""
    return np.ones(len(x["t"]), dtype=bool)


def drift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E sum alpha_i |w_t - w_t^i|^2 over all paths; the weighting skew does not occur."""
    hypotheses, c, paths = run(x)
    hypotheses = {name: met for name, met in hypotheses.items() if "skew" not in name}
    return hypotheses, {
        **c,
        "lhs": expected(paths, lambda q: dot(q["weights"], [between(v, q["w"]) for v in q["local"]])),
    }


def drift_runs(of: Convention, least: float = 2.0) -> tuple[Case | Family, ...]:
    """Runs that measure E Σαᵢ‖wₜ − wₜⁱ‖², without noise and with."""
    noisy = noisy_runs(_drift, drift_exact, of, (0.0, 1.0), ((2, 2, 1),))
    return (plain_runs(_drift, drift_exact, of, least=least), *noisy)


def _every(**changes: Any) -> tuple[Case | Family, ...]:
    return tuple(item for of in (EQ1, BY_P, ROUND) for item in drift_runs(replace(of, **changes)))


def _seeing(x: Instance) -> Mapping[str, Any]:
    n_clients, r2 = int(x["n_clients"][0]), x["rare"] ** 2
    q = 1 / (1 + r2)
    chance, lhs = (1 - q) ** n_clients, np.zeros_like(q)
    for k in range(n_clients + 1):
        mean = (k * x["rare"] - (n_clients - k) / x["rare"]) / n_clients
        chosen = x["rare"] if k > 0 else -1 / x["rare"]
        lhs = lhs + chance * (chosen - mean) ** 2
        chance = chance * (n_clients - k) / (k + 1) * q / (1 - q)
    two = np.full_like(q, 2.0)
    return {
        "lhs": x["step"] ** 2 * lhs,
        "eta": x["step"],
        "E": two,
        "G2": 1 + (x["step"] * np.maximum(x["rare"], 1 / x["rare"])) ** 2,
    }


def seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Identical clients w^2/2 started at 0, E = 2, one noisy local step; weights by (1) at the aggregation t = 2.

    Each client's noise is r with chance 1/(1 + r^2), else -1/r; all weight on a client whose noise is r, if any.
    """
    n_clients, r, eta = int(x["n_clients"]), x["rare"], x["step"]
    q, lhs, total, row = 1 / (1 + r * r), Fraction(0), Fraction(0), 1
    for k in range(n_clients + 1):
        chance = row * q**k * (1 - q) ** (n_clients - k)
        mean = (k * r - (n_clients - k) / r) / n_clients
        lhs = lhs + chance * ((r if k else -1 / r) - mean) ** 2
        total, row = total + chance, row * (n_clients - k) // (k + 1)
    largest = max(r, 1 / r)
    met = {"probabilities sum to 1": total == 1, "eta <= 1/(4L), L = mu = 1": 0 < 4 * eta <= 1}
    return met, {"lhs": eta**2 * lhs, "eta": eta, "E": Fraction(2), "G2": 1 + (eta * largest) ** 2}


_SEEING = Case(
    "identical clients, weights known " + Instant.BEFORE_STEP.words,
    Space(
        (Choice("n_clients", (100.0, 300.0)), LogScale("rare", 1.0, 100.0, at=(17.0,)), LogScale("step", 1e-4, 0.25))
    ),
    _seeing,
    ExactCheck(seeing_exact),
    cost=8.0,
)


def _opposite(x: Instance) -> Mapping[str, Any]:
    """Two clients that pull in opposite directions from the start 0, looked at just before the second aggregation."""
    return _drift({**x, "optimum": (x["pull"] * np.array([1.0, -1.0]))[..., None]})


def opposite_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients with optima at pull_1 and -pull_2, started at 0."""
    return drift_exact({**x, "optimum": [[x["pull"][0]], [-x["pull"][1]]]})


def _opposite_clients(*, harmonic: bool) -> Family:
    """Aggregation as in (1): p and α may lie on different clients, which makes the drift four times as large."""

    def at(E: float) -> Case:
        flags = {
            "eq1": 1.0,
            "by_p": 1.0,
            "over_all": 0.0,
            "ball": 0.0,
            "rule": 0.0,
            "late": 1.0,
            "local_steps": E,
            "t": E,
        }
        fixed = flags | ({"harmonic": 1.0} if harmonic else {})
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e2, (2, 1), at=(1.0,)),
                LogScale("pull", 1e-2, 1e2, (2,), at=(1.0,)),
                Simplex("share", 2),
                Simplex("weights", 2, (3,)),
                Signed("start", 1e-3, 1e1, (1,)),
                LogScale("first", 1e-7, 0.25, at=(1e-7, 1e-4, 0.25)),
                Uniform("drop", 0.5, 1.0, (2,)),
                *(Choice(name, (float(value),)) for name, value in fixed.items()),
            )
        )
        check = ExactCheck(opposite_exact, (*RUN, drift_exact))
        return Case(f"two opposite clients, E = {int(E)}", space, _opposite, check, cost=max(1.0, E / 10))

    return Family("two opposite clients", (Size("E", 2, 300, 5),), at)


def _crossed(x: Instance) -> dict[str, Any]:
    """The run of `crossed_exact`."""
    rest, one = x["rest"], np.ones_like(x["rest"])
    p = np.stack([rest, 1 - rest], axis=1)
    flags = dict.fromkeys(("over_all", "ball", "rule"), 0 * one) | dict.fromkeys(("eq1", "by_p", "late"), one)
    return {
        **flags,
        "spectrum": np.ones((len(rest), 2, 1)),
        "pull": x["pull"][:, None] * np.ones(2),
        "share": p,
        "weights": np.repeat(p[:, None, ::-1], 3, axis=1),
        "start": 0 * one[:, None],
        "first": x["first"],
        "drop": x["drop"][:, None] * np.ones(2),
        "local_steps": x["E"],
        "t": x["E"],
    }


def crossed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two opposite clients started at 0, p nearly all on one, alpha on the other; the step size falls in the last step."""
    rest, zero, one = x["rest"], Fraction(0), Fraction(1)
    given = {"spectrum": [[one], [one]], "share": [rest, 1 - rest], "weights": [[1 - rest, rest]] * 3, "start": [zero]}
    given |= {"pull": [x["pull"], x["pull"]], "first": x["first"], "drop": [x["drop"]] * 2, "t": x["E"]}
    flags = dict.fromkeys(("over_all", "ball", "rule"), zero) | dict.fromkeys(("eq1", "by_p", "late"), one)
    return opposite_exact({**given, **flags, "local_steps": x["E"]})


def _crossed_weights() -> Family:
    """The worst that is known: for small steps that halve at the end the sides are in the ratio ((2E − 3)/(2E))²."""

    def at(E: float) -> Case:
        space = Space(
            (
                LogScale("rest", 1e-9, 0.5, at=(1e-9, 1e-6)),
                LogScale("pull", 1e-2, 1e2, at=(1.0,)),
                LogScale("first", 1e-7, 0.25, at=(1e-7, 1e-4, 0.25)),
                Uniform("drop", 0.5, 1.0, at=(0.5,)),
                Choice("E", (E,)),
            )
        )
        check = ExactCheck(crossed_exact, (*RUN, drift_exact, opposite_exact))
        name = f"p on one client, α on the opposite one, E = {int(E)}"
        return Case(name, space, lambda x: _opposite(_crossed(x)), check, cost=max(1.0, E / 100))

    return Family("p on one client, α on the opposite one", (Size("E", 2, 300, 5),), at)


RA_L2 = Claim(
    id="RA-L2",
    kind=Kind.INEQUALITY,
    source="Lemma 2, eq. (5), Sec. 2.3; proof A.1",
    title="Local models stay near the virtual one",
    statement=r"\mathbb E\Big[\sum_{i\in I}\alpha_t^i\|w_t-w_t^i\|^2\Big]\le16\eta_t^2E^2G^2",
    says="On average the local models are within 4ηₜEG of the virtual model, in mean square.",
    assumes=(
        "E‖gᵢ‖² <= G² given the past",
        "decaying step sizes, ηₜ <= 1/(4L)",
        "full participation, weights on the simplex; what they may have seen is not said",
    ),
    readings=(
        Reading(
            "any decaying step sizes",
            "The lemma has no condition on ηₜ; aggregation as in (1) and as in Algorithm 1, virtual models averaged with p and "
            "with the round's weights; G on a ball around w* that holds all models and optima.",
            Inequality(
                DRIFT,
                (
                    *drift_runs(replace(EQ1, slow=False, ball=True), 4.0),
                    *drift_runs(replace(ROUND, slow=False, ball=True), 4.0),
                ),
                degrees=(0, 2),
            ),
        ),
        Reading(
            "equal step sizes, weights that have seen the round's earlier samples",
            "Aggregation as in (1), E = 2, the step before the aggregation noisy; the weights are chosen once its samples are seen. 100 clients, as in Sec. 4.4, or 300.",
            Inequality(DRIFT, (_SEEING,), degrees=(0, 2)),
        ),
        Reading(
            "weights known before the round, step sizes that at most halve within it",
            "ηₜ >= ηₜ₀/2 with t₀ the first step of the round; all conventions; G only at the points visited.",
            Inequality(DRIFT, (_crossed_weights(), _opposite_clients(harmonic=False), *_every()), degrees=(0, 2)),
            repair="condition",
        ),
        Reading(
            "weights known before the round, step sizes of Corollary 1",
            "ηₜ = 1/(μ(t + γ)), γ = 4L/μ; all conventions; G only at the points visited.",
            Inequality(DRIFT, (_opposite_clients(harmonic=True), *_every(harmonic=True)), degrees=(0, 2)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "E² lowered to 1",
            Inequality(Bound(16 * eta**2 * G2, degrees=DEGREES), drift_runs(EQ1), degrees=(0, 2)),
            "E − 1 small steps with nearly constant gradients ±g take two clients 2(E − 1)ηg apart",
        ),
        Canary(
            "the weights see the noise",
            Inequality(DRIFT, (_SEEING,)),
            "of N clients with a rare large noise the one that has it gets all the weight: in the mean N(ησ)² as the noise gets rarer, against 64(ησ)²",
        ),
        Canary(
            "16 lowered to 4",
            Inequality(
                Bound(4 * eta**2 * E**2 * G2, degrees=DEGREES), (_opposite_clients(harmonic=False),), degrees=(0, 2)
            ),
            "p on one client and α on the other, of gradients ±g, and a step size that halves at the end: (2E − 3)²η₀²g²",
        ),
    ),
    tight=(
        "aggregation as in (1), p on one client, α on another of opposite gradient, small steps, the step size halved just "
        "before the aggregation: the sides are in the ratio ((2E − 3)/(2E))², so no factor below 16 holds for all E"
    ),
    depends_on=("RA-P-L2.9",),
    verdict_words=(
        "As printed it fails: nothing keeps ηₜ from being much smaller than the steps that drove the local models apart, so the right "
        "side can be as small as one likes. The proof replaces ηₜ₀ by 2ηₜ without saying that this needs ηₜ₀ <= 2ηₜ. And it takes αₜ out of the expectation, "
        "which needs weights known before the round, while by (1) and (2) those of FedWorse are computed from a wₜ, or from local models, that contain the round's earlier samples: with a hundred clients the one "
        "that noise drove farthest away can be chosen, and 16E² = 64 is not enough. Under both conditions no violation was found, for every way to read aggregation and virtual model, and 16 is about what "
        "the worst of them needs, as E grows; nor with the step sizes of Corollary 1, even where they more than halve in a round."
    ),
)

CLAIMS: tuple[Claim, ...] = (RA_L2,)

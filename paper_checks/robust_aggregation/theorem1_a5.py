"""The bound on A₅ in the proof of Theorem 1: Lemma 2 and the weighting skew put in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from paper_checks.robust_aggregation.rounds import excess, watched
from paper_checks.robust_aggregation.rounds_cases import BY_P, EQ1, ROUND, Convention, noisy_runs, plain_runs
from paper_checks.robust_aggregation.rounds_exact import between, expected, losses, run
from paper_checks.robust_aggregation.theorem1 import BOUND
from theory.exact import dot
from validation import Bound, Canary, Case, Claim, Family, Identity, Inequality, Instance, Kind, Reading, symbols

__all__ = ["CLAIMS"]

eta, mu, L, E, G2, rho, rho_best, Gamma, D = symbols("eta mu L E G2 rho rho_best Gamma D")
weighted, weighted_best, above, S, at_p = symbols("weighted weighted_best above S at_p")
_WHERE = "Proof of Theorem 1 (A.2), bound for A₅"


def _terms(x: Instance) -> tuple[Any, Mapping[str, Any]]:
    """(view, sums of the lines on A_5 in expectation)."""
    view = watched(x)
    p, best = x["share"][:, None], view.best[:, None]
    at_w, at_best = excess(x, view.w), excess(x, best)
    down = (p * at_w).sum(axis=-1)
    S = view.averaged(((view.local - view.w[:, :, None]) ** 2).sum(axis=-1))
    return view, {
        "above": view.mean((view.weights * at_w).sum(axis=-1)),
        "above_best": view.mean((view.weights * at_best).sum(axis=-1)),
        "S": view.mean(S),
        "weighted": view.mean(view.skew * down),
        "weighted_best": view.mean(view.skew_best) * view.constants["Gamma"],
        "at_p": view.mean(down),
    }


def _drift(x: Instance) -> Mapping[str, Any]:
    view, s = _terms(x)
    return {
        **view.constants,
        **s,
        "lhs": s["S"] + 2 * view.constants["eta"] * s["above_best"],
        "magnitude": view.constants["reach"],
    }


def _skew(x: Instance) -> Mapping[str, Any]:
    view, s = _terms(x)
    c = view.constants
    factor = 2 * c["eta"] * (1 - 2 * c["L"] * c["eta"]) * (1 - c["eta"] * c["L"])
    lhs = factor * c["rho"] * s["at_p"] + 2 * c["eta"] * s["weighted_best"]
    return {**c, **s, "lhs": lhs, "magnitude": c["reach"]}


def drift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The line before Lemma 2 without its negative sum, which both lines share."""
    hypotheses, c, paths = run(x)
    at_best = losses(c["A"], x["optimum"], [c["best"] for _ in x["share"]])
    S = expected(paths, lambda q: dot(q["weights"], [between(v, q["w"]) for v in q["local"]]))
    top = expected(paths, lambda q: dot(q["weights"], at_best))
    skew = expected(paths, lambda q: dot(q["weights"], at_best) / dot(x["share"], at_best))
    return hypotheses, {**c, "lhs": S + 2 * c["eta"] * top, "weighted_best": skew * c["Gamma"]}


def skew_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The two lines on the skew, the negative term of each moved to the other side."""
    hypotheses, c, paths = run(x)
    p, m, eta, L = x["share"], x["optimum"], c["eta"], c["L"]
    at_best = losses(c["A"], m, [c["best"] for _ in p])

    def at_w(q: Mapping[str, Any]) -> list[Any]:
        return losses(c["A"], m, [q["w"] for _ in p])

    at_p = expected(paths, lambda q: dot(p, at_w(q)))
    weighted = expected(paths, lambda q: dot(q["weights"], at_w(q)) / dot(p, at_w(q)) * dot(p, at_w(q)))
    best = expected(paths, lambda q: dot(q["weights"], at_best) / dot(p, at_best)) * c["Gamma"]
    lhs = 2 * eta * (1 - 2 * L * eta) * (1 - eta * L) * c["rho"] * at_p + 2 * eta * best
    return hypotheses, {**c, "lhs": lhs, "weighted": weighted}


_DEGREES = {**dict(BOUND.degrees or {}), "weighted": (1, 0), "weighted_best": (1, 0)}
_LEMMA2 = Bound(
    16 * eta**2 * E**2 * G2 + 2 * eta * weighted_best,
    again=lambda eta, E, G2, weighted_best: G2 * (4 * E * eta) ** 2 + weighted_best * eta * 2,
    degrees=_DEGREES,
)
_SKEWED = Bound(
    2 * eta * (1 - 2 * L * eta) * (1 - eta * L) * weighted + 2 * eta * rho_best * Gamma,
    again=lambda eta, L, weighted, rho_best, Gamma: (
        2 * eta * (weighted - 3 * L * eta * weighted + 2 * (L * eta) ** 2 * weighted + rho_best * Gamma)
    ),
    degrees=_DEGREES,
)


def _runs(measure: Any, exact: Any, of: Convention, low_E: int = 1) -> tuple[Case | Family, ...]:
    noisy = noisy_runs(measure, exact, of, sizes=((2, 2, 1),) if low_E > 1 else ((2, 1, 1), (2, 2, 1)))
    return (plain_runs(measure, exact, of, low_E), *noisy)


_A5B = Claim(
    id="RA-P-T1.A5b",
    kind=Kind.INEQUALITY,
    source=_WHERE + ", «with Lemma 2 giving»",
    title="Lemma 2 and the weighting skew put in",
    statement=(
        r"\mathbb E\Big[\sum_i\alpha_t^i\|w_t^i-w_t\|^2\Big]+2\eta_t\mathbb E\Big[\sum_i\alpha_t^i(F_i(w^\star)-F_i^\star)\Big]"
        r"\le16\eta_t^2E^2G^2+2\eta_t\mathbb E\Big[\rho(t,w^\star)\Big(F^\star-\sum_ip_iF_i^\star\Big)\Big]\quad"
        r"(\text{and }\rho(t,w_t)\text{ likewise})"
    ),
    says="Lemma 2 bounds the drift, and weighted excesses are written with the skew ρ.",
    assumes=(
        "the assumptions of Theorem 1; weights known before the round, as Lemma 2 needs",
        "step sizes that at most halve within a round, as Lemma 2 needs",
        "ρ(t, ·) defined (Remark 2)",
    ),
    readings=(
        Reading(
            "as printed",
            "Virtual models averaged as in (2) and with the round's weights; the negative sum, which both lines share, "
            "is left out.",
            Inequality(
                _LEMMA2,
                tuple(item for of in (EQ1, BY_P, ROUND) for item in _runs(_drift, drift_exact, of)),
                degrees=(0, 2),
            ),
        ),
        Reading(
            "the skew's definition",
            "Σα(Fᵢ(w) − Fᵢ*) = ρ·(F(w) − ΣpFᵢ*), as a·f for the one and p·f for the other sum.",
            Identity(above, above / at_p * at_p),
        ),
    ),
    canaries=(
        Canary(
            "the skew's term dropped",
            Inequality(
                Bound(16 * eta**2 * E**2 * G2, degrees=_DEGREES), _runs(_drift, drift_exact, ROUND), degrees=(0, 2)
            ),
            "for small η the drift term is of order η², and Σα(Fᵢ(w*) − Fᵢ*) > 0 enters with 2η",
        ),
    ),
    depends_on=("RA-P-T1.A6e", "RA-L2", "RA-D5"),
    verdict_words=(
        "No violation was found. The first part is Lemma 2 with its own hypotheses, the second the definition of ρ, "
        "which is exact wherever ρ is defined."
    ),
)

_A5C = Claim(
    id="RA-P-T1.A5c",
    kind=Kind.INEQUALITY,
    source=_WHERE + ", last inequality",
    title="ρ̄ and ρ̃ in place of ρ at the step",
    statement=(
        r"2\eta_t(2L\eta_t-1)(1-\eta_tL)\mathbb E\Big[\rho(t,w_t)\Big(F(w_t)-\sum_ip_iF_i^\star\Big)\Big]+2\eta_t\mathbb E[\rho"
        r"(t,w^\star)\Gamma]\le2\eta_t(2L\eta_t-1)(1-\eta_tL)\overline\rho\Big(\mathbb E[F(w_t)]-\sum_ip_iF_i^\star\Big)"
        r"+2\eta_t\tilde\rho\Gamma"
    ),
    says="ρ at step t is replaced by its minimum ρ̄ at wₜ and its maximum ρ̃ at w*.",
    assumes=(
        "ηₜ <= 1/(4L)",
        "ρ̄ and ρ̃ over t = 0 mod E (7), the end of the run included; lowest and highest over all paths",
        "checked with each line's negative term moved to the other side",
    ),
    readings=(
        Reading(
            "every t, virtual model as in (2)",
            "Between aggregations the weights are p and ρ = 1.",
            Inequality(
                _SKEWED, (*_runs(_skew, skew_exact, EQ1, 2), *_runs(_skew, skew_exact, BY_P, 2)), degrees=(0, 2)
            ),
        ),
        Reading(
            "every t, virtual model averaged with the round's weights",
            "Between aggregations the weights are those of the round.",
            Inequality(_SKEWED, _runs(_skew, skew_exact, ROUND, 2), degrees=(0, 2)),
        ),
        Reading(
            "ρ̄ and ρ̃ over every t",
            "The minimum and the maximum over all steps of the run, for each way to average the virtual model.",
            Inequality(
                _SKEWED,
                tuple(
                    item for of in (EQ1, BY_P, ROUND) for item in _runs(_skew, skew_exact, replace(of, over_all=True))
                ),
                degrees=(0, 2),
            ),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "ρ̃ and ρ̄ exchanged at w*",
            Inequality(
                Bound(_SKEWED.expression - 2 * eta * (rho_best - rho) * Gamma, degrees=_DEGREES),
                _runs(_skew, skew_exact, replace(ROUND, over_all=True)),
                degrees=(0, 2),
            ),
            "started far from w* with all weight on a client whose optimum is near, ρ̄ < ρ(t, w*)",
        ),
    ),
    tight="ρ the same at every step, as for FedAvg",
    depends_on=("RA-D6", "RA-P-T1.A5b"),
    verdict_words=(
        "The step needs ρ(t, wₜ) >= ρ̄ and ρ(t, w*) <= ρ̃ at the very t it is taken at. Definition (7) takes the minimum and "
        "the maximum over t = 0 mod E only. Between aggregations ρ is 1 if the weights are p, while ρ̄ > 1 is what "
        "FedWorse aims at; with the round's weights ρ(t, wₜ) changes as the model moves. With ρ̄ and ρ̃ over every t, or for "
        "E = 1, the step is right."
    ),
)

CLAIMS: tuple[Claim, ...] = (_A5B, _A5C)

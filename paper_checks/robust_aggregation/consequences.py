"""Sec. 2.5: V and E as speed and error, the strategies that are best for one of them, what Remarks 5, 7, 8 and 9 say, and (18)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.closed_runs import ALIKE
from paper_checks.robust_aggregation.corollary1 import BEFORE, LATE
from paper_checks.robust_aggregation.general_bounds import FIFTEEN, KNOWN, SEEN, SPEED
from paper_checks.robust_aggregation.long_runs import long_runs
from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.rule_weights import losses_of
from paper_checks.robust_aggregation.runs import world
from paper_checks.robust_aggregation.skews import OF_EQUAL_SHARES, ends_at, federations, one_round_of, own_runs, windows
from validation import Claim, Instance, LogScale, Space, Uniform, symbols
from validation.world import World, at, case, identity, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

L, mu, Gamma, rho, rho_best, rho_limit = NOTATION.symbols("L mu Gamma rho rho_best rho_limit")
rho_hard, rho_best_hard, rho_best_other, rho_limit_other = NOTATION.symbols(
    "rho_hard rho_best_hard rho_best_other rho_limit_other"
)
limit_gap, limit_gap_other, score, score_shares, score_top = NOTATION.symbols(
    "limit_gap limit_gap_other score score_shares score_top"
)
end, end_worse, end_average, N, pi, least = NOTATION.symbols("end end_worse end_average N pi least")
wanted, reached, rho_largest, tied, gap, conflict = NOTATION.symbols("wanted reached rho_largest tied gap conflict")

_LIMIT = ends_at(apart="limit")
_BOUND = Gamma * (rho_best / rho_limit - 1)

_ENDS = [
    "Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0",
    "weights fixed over the rounds, step sizes that fall to 0, so that every run ends at the minimiser of ΣαᵢFᵢ",
]

Q1 = remark(
    "RA-Q1",
    "Sec. 2.5",
    "V and E as speed and error",
    printed=r"""\lim_{T\to\infty}\mathbb E[F(w_T)]-F^\star\le E(\overline\rho,\tilde\rho)=\frac{8L\Gamma}{3\mu}
        \left(\frac{\tilde\rho}{\overline\rho}-1\right);\qquad V,\ E\text{ only suggest the global trend}""",
    plainly="E estimates the error that remains at the end of a run, from above.",
    assumes=_ENDS,
    says=le(limit_gap, 8 * L * Gamma / (3 * mu) * (rho_best / rho_limit - 1)),
    world=_LIMIT,
    readings=[
        reading("E bounds the limit error", "ρ̄ at the limit, the largest value it can have in a run without end."),
        reading(
            "so does E without its factor 8L/(3μ)",
            "The limit error is at most Γ(ρ̃/ρ̄ − 1).",
            le(limit_gap, _BOUND, again=lambda Gamma, rho_best, rho_limit: Gamma * rho_best / rho_limit - Gamma),
            edits=["factor 8L/(3μ) dropped"],
        ),
    ],
    mutants=[
        mutant(
            "half of Γ(ρ̃/ρ̄ − 1)",
            le(limit_gap, _BOUND / 2),
            """if one curvature is tiny, only its client has a loss at w*, only the other at the limit, and the bound is
                nearly met""",
        ),
        mutant(
            "the smaller E has the smaller limit error",
            le((rho_best_other / rho_limit_other - rho_best / rho_limit) * (limit_gap - limit_gap_other), 0),
            "of two weightings, one towards each of two unlike clients, E may rank them otherwise than their limits",
            world=federations(2, ((2, 2, 20), (1, 1, 4)), interior=True, differ=True),
        ),
    ],
    rests_on=["RA-C1", "RA-D6"],
    written="the limit, for «error estimation»",
    verdict="""As an estimate from above E is right for fixed weights, and generous: the factor 8L/(3μ) is not needed.
        As a ranking it is not: of two weightings of one federation the one with the smaller E may end farther from F*
        (a mutant finds pairs). The same goes for V: a larger ρ̄ does not mean fewer rounds (RA-Q3, mutant). Both agree
        with the paper's own caution that the bounds only suggest a trend and prove no strategy optimal.""",
)

_BEST, _WORSE = le(score_top, score), losses_of("FedWorse")
_OWN = le(rho, rho_hard)


def _own(**how: Any) -> World:
    return own_runs(2, ((2, 2, 5), (1, 2, 3)), **how)


_FOR_GIVEN_MODELS = reading(
    "for given models",
    """At every model FedWorse has the largest ρ(t, wₜ) of all weights, hence the largest minimum over given w₀,
            w_E, ….""",
    options={"models": "given"},
)
_MODELS_MEANT = [
    _FOR_GIVEN_MODELS,
    reading(
        "every strategy on the run that it makes itself",
        "ρ̄ of FedWorse over its own two rounds is at least ρ̄ of any other weights over theirs.",
        _OWN,
        world=_own(),
        options={"models": "of the strategy's own run"},
    ),
]

Q3 = remark(
    "RA-Q3",
    "Sec. 2.5.1",
    "Optimal strategy of the error-free case",
    printed=r"""\Gamma=0:\quad\max_\alpha\overline\rho\ \text{is achieved by }\alpha_t^i=1/|J_t|\text{ on }J_t=
        \arg\max_i(F_i(w_t)-F_i^\star)""",
    plainly="For Γ = 0 FedWorse has the largest ρ̄, hence the smallest bound.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=_BEST,
    world=_WORSE,
    open={
        "models": nowhere("""«the maximization of ρ̄» names no variable: the weights at given wₜ (Jₜ is written with a
            given wₜ), or the whole strategy, whose wₜ in (7) are those of its own run""")
    },
    readings=[
        _FOR_GIVEN_MODELS,
        reading(
            "every strategy on the run that it makes itself",
            "ρ̄ of FedWorse over its own two rounds is at least ρ̄ of any other weights over theirs.",
            _OWN,
            world=_own(common=True),
            options={"models": "of the strategy's own run"},
        ),
        reading(
            "every strategy on its own run, one dimension",
            "The same with models in one dimension.",
            _OWN,
            world=own_runs(2, ((2, 2, 20), (1, 1, 1)), common=True),
            options={"models": "of the strategy's own run"},
            conditions=["models in one dimension"],
        ),
    ],
    mutants=[
        mutant(
            "FedWorse has the smallest F(w_T)",
            le(end_worse, end),
            """one step from (1, 1) with mirrored curvatures: F after it is convex in the weight of client 1 and least
                at equal weights""",
            world=_own(common=True),
        )
    ],
    rests_on=["RA-S-W", "RA-D6", "RA-E12"],
    written="the maximum over α, for a sentence of Sec. 2.5.1",
    verdict="""It depends on what is held fixed. Along given models FedWorse maximises every ρ(t, wₜ) and so their
        minimum. But the weights decide where the models go, and ρ̄ is the minimum over the run that they make. Then the
        greedy choice is not optimal: all weight on the worst client brings its loss down to the others', where ρ = 1;
        weights that hold back a little keep it the worst for longer. For quadratic losses in one dimension with a
        common minimiser ρ does not depend on the model, and FedWorse is best in both senses. FedWorse need not be the
        fastest in F either (one step from (1, 1) of two clients of mirrored curvatures lowers F most with equal
        weights), which the paper does not claim: V and E «only suggest the global trend».""",
)

Q5 = remark(
    "RA-Q5",
    "Sec. 2.5.2, Convergence speed maximization",
    "The fastest strategy in the general case",
    printed=r"""\min_\alpha V(\overline\rho,\tilde\rho)\iff\max_\alpha\overline\rho,
        \qquad\text{achieved by the same strategy as for }\Gamma=0""",
    plainly="""The speed is best for the largest ρ̄, which the strategy of the error-free case, FedWorse, attains for
        any Γ.""",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=_BEST,
    world=_WORSE,
    open={
        "models": nowhere("""«to maximize ρ̄, exactly as done in the Error-free case» names no variable: the weights at
            given wₜ, or the whole strategy, whose wₜ in (7) are those of its own run""")
    },
    readings=_MODELS_MEANT,
    mutants=[
        mutant(
            "FedBetter has the largest ρ(t, wₜ)",
            _BEST,
            "its weighted excess is the least of all",
            world=losses_of("FedBetter"),
        )
    ],
    rests_on=["RA-Q3", "RA-C1"],
    repeats="RA-Q3",
    written="the two extremes over α, for a sentence of Sec. 2.5.2",
    verdict="""For given models FedWorse has the largest ρ̄; over the run that each strategy makes itself it need not,
        and which of the two is meant is not said. V depends on the strategy through 1/ρ̄ only, with G given, so that to
        optimise the speed is to maximise ρ̄. But the print names no variable: the weights at given wₜ, or the whole
        strategy, whose wₜ in (7) are those of its own run. In the second sense the greedy choice fails: all weight on
        the worst client brings its loss down to the others', where ρ = 1; weights that hold back a little keep it the
        worst for longer. For quadratic losses in one dimension with a common minimiser ρ does not depend on the model,
        and FedWorse is best in both senses.""",
)

Q12 = remark(
    "RA-Q12",
    "Sec. 3.1, FedWorse",
    "FedWorse has the optimal speed bound",
    printed=r"\text{FedWorse}\in\arg\min_\alpha V(\overline\rho,\tilde\rho)",
    plainly="No strategy has a smaller V than FedWorse.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=_BEST,
    world=_WORSE,
    open={
        "models": nowhere("""«as observed above this strategy gives an optimal bound» (Sec. 2.5): against other weights
            at given wₜ, or against other strategies, whose wₜ in (7) are those of their own runs""")
    },
    readings=_MODELS_MEANT,
    mutants=[
        mutant(
            "FedAvg has the optimal speed bound",
            _BEST,
            "with p in place of the worst client the weighted excess is smaller unless all losses are equal",
            world=losses_of("FedAvg"),
        )
    ],
    rests_on=["RA-Q5", "RA-S-W"],
    repeats="RA-Q3",
    written="the formula, for «an optimal bound on the convergence speed»",
    verdict="""V depends on the strategy through 1/ρ̄ only, with G given, so no smaller V means no larger ρ̄, and the
        two sides shown are these ρ̄: the first of other weights, with one row for each round, the second of FedWorse on
        its own run. As in RA-Q5 it is true along given models, false when every strategy is judged on the run that it
        makes. Section 2.5 limits what is claimed, V and E «only suggest the global trend and do not allow to state a
        proof of universal optimality for the strategies»; the interpretation in Section 3.1 speaks of «an optimal bound
        on the convergence speed» all the same. On own runs all weight on the worst client brings its loss down to the
        others', where ρ = 1; weights that hold back a little keep it the worst for longer. For quadratic losses in one
        dimension with a common minimiser ρ does not depend on the model, and FedWorse is best in both senses.""",
)


def conflicting(x: Instance) -> Mapping[str, Any]:
    """Two clients of curvatures 1 and q², equal shares: the skew at the limit of weights 1 : θ (`rho`), `conflict` its margin."""
    q, tilt = x["root"], x["tilt"]
    theta = 1 - tilt + tilt / q
    a = np.stack([1 / (1 + theta), theta / (1 + theta)])
    loss = np.stack([(theta * q**2) ** 2, q**2 * np.ones_like(theta)]) / (1 + theta * q**2) ** 2
    return {"rho": (a * loss).sum(axis=0) / loss.mean(axis=0), "conflict": tilt * (1 - tilt) * (1 - 1 / q) ** 2}


def conflicting_exact(x: Mapping[str, Any]) -> Pair:
    """Curvatures 1 and q^2, optima 0 and 1, equal shares, weights 1 : 1 - tilt + tilt/q."""
    q, tilt = x["root"], x["tilt"]
    theta = 1 - tilt + tilt / q
    a, h = [1 / (1 + theta), theta / (1 + theta)], [Fraction(1), q**2]
    w, best = a[1] * h[1] / (a[0] * h[0] + a[1] * h[1]), h[1] / (h[0] + h[1])
    loss = [h[0] * w**2 / 2, h[1] * (w - 1) ** 2 / 2]
    rho = (a[0] * loss[0] + a[1] * loss[1]) / ((loss[0] + loss[1]) / 2)
    met = {"two curvatures": q > 1, "weights between": 0 < tilt < 1, "it does not end at w*": w != best}
    return met, {"rho": rho, "conflict": tilt * (1 - tilt) * (1 - 1 / q) ** 2}


def tied_start(x: Instance) -> Mapping[str, Any]:
    """Two mirrored clients: whether no weights have a skew above 1 at the start, their losses being equal."""
    known = np.abs(2 * x["share"] - 1) > 1e-6
    return {"tied": np.where(x["start"] == 0, 1.0, 0.0), "admissible": x["share"] != 0.5, "resolved": known}


def tied_start_exact(x: Mapping[str, Any]) -> Pair:
    """Curvature as drawn, optima -1 and 1."""
    p, centers = [x["share"], 1 - x["share"]], [Fraction(-1), Fraction(1)]
    best = sum(q * c for q, c in zip(p, centers, strict=True))
    first, at_best = ([x["curvature"] * (v - c) ** 2 / 2 for c in centers] for v in (x["start"], best))
    largest = max(first) / sum(q * u for q, u in zip(p, first, strict=True))
    Gamma = sum(q * u for q, u in zip(p, at_best, strict=True))
    met = {
        "0 < p_1 < 1": 0 < x["share"] < 1,
        "Gamma > 0": Gamma > 0,
        "the losses at w* differ": at_best[0] != at_best[1],
    }
    return met, {"tied": Fraction(int(largest <= 1))}


_UNLIKE = case(
    "two clients of unlike curvature",
    Space((Uniform("root", 1.001, 1000.0, at=(2.0,)), Uniform("tilt", 1e-3, 1 - 1e-3, at=(0.5,)))),
    conflicting,
    conflicting_exact,
)
_TIES = case(
    "two clients of one curvature, equal losses at the start",
    Space(
        (
            Uniform("share", 0.01, 0.99, at=(0.25,)),
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            Uniform("start", -1.0, 1.0, at=(0.0,)),
        )
    ),
    tied_start,
    tied_start_exact,
)
_NO_LESS = le(1, rho_best / rho_limit)

Q4 = remark(
    "RA-Q4",
    "Sec. 2.5.2",
    "Speed and error cannot be minimised together",
    printed=r"""\text{«in the general case … we can't minimize }V\text{ and }E
        \text{ simultaneously, as evidenced by the extreme strategies presented below»}""",
    plainly="In general V and E cannot be minimised simultaneously.",
    assumes=[
        "Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0",
        "weights fixed over the rounds, step sizes that fall to 0, so that every run ends at the minimiser of ΣαᵢFᵢ",
        "run without end for E",
    ],
    says=le(1 - rho + conflict / 2, 0),
    world=world(_UNLIKE),
    readings=[
        reading(
            "some federations",
            """Two clients of unlike curvature: fixed weights with ρ(t, wₜ) > 1 in every round, by a margin, that end
                away from w*.""",
            part="faster than FedAvg",
            because="""«in the general case we can't» denies a strategy that does both whatever the federation: one
                federation in which none does settles it""",
        ),
        reading(
            "some federations, the error",
            """E >= 0 for all weights, and of two clients' only those of FedAvg end at w*: elsewhere ΣαᵢFᵢ is smaller
                and F larger, so E > 0.""",
            _NO_LESS,
            world=ends_at(),
            part="a larger error",
        ),
        reading(
            "every federation with Γ > 0",
            """Stronger than the print: wherever the losses at w* differ, some weights have ρ(0, w₀) > 1, as a ρ̄ above
                that of FedAvg needs.""",
            le(tied, 0),
            world=world(_TIES),
            ours="""stronger: that the two conflict in every federation with Γ > 0, also from a start at which all
                losses are equal, is not printed""",
        ),
    ],
    mutants=[
        mutant(
            "a margin twice as large",
            le(1 - rho + conflict, 0),
            "for curvatures nearly alike ρ − 1 is tilt(1 − tilt)(1 − 1/q)²/2 to leading order",
            at(root=2, tilt="1/2"),
        )
    ],
    rests_on=["RA-C1", "RA-Q6"],
    verdict="""In general they conflict: there are federations in which no weights minimise both. For two clients of
        unlike curvature FedAvg's weights alone have E = 0, the least over a run without end, with ρ̄ = 1, and other
        fixed weights have ρ̄ > 1 for ever. It is not a law, and not printed as one: from a start at which all losses
        are equal, ρ(0, w₀) = 1 for all weights, so none has ρ̄ > 1, and FedAvg minimises both, however much the losses
        differ at w*. With more clients FedAvg need not be alone with E = 0. Over a finite number of rounds the two need
        not conflict, since E may be negative for weights with a large ρ̄ (RA-Q6).""",
)

_ZERO = le(score_shares, score)
_NEITHER = world(*losses_of("FedAvg").cases, *losses_of("FedAvg", lean=-1).cases)

Q6 = remark(
    "RA-Q6",
    "Sec. 2.5.2, Error minimization",
    "FedAvg minimises the error term",
    printed=r"""\min_\alpha E(\overline\rho,\tilde\rho)=\min_\alpha\tfrac{8L\Gamma}{3\mu}
        \left(\tfrac{\tilde\rho}{\overline\rho}-1\right)=0,\quad\text{achieved when }\alpha_t^i=p_i""",
    plainly="No weights have a smaller error term than those of FedAvg, for which it is 0.",
    assumes=[
        "Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0",
        "weights known before the round, which the print does not ask for",
        "step sizes of Corollary 1 where the weights are not fixed",
    ],
    says=_ZERO,
    world=_NEITHER,
    open={
        "window": nowhere("""(7) takes minimum and maximum over «t = 0 mod E» and names no last t: the rounds {0, E, …,
            (T − 1)E} of Algorithm 1, or all t""")
    },
    readings=[
        reading(
            "E = 0 for αᵢ = pᵢ",
            "Weights equal to the shares have ρ = 1 at every model, so ρ̃/ρ̄ = 1.",
            part="E = 0 for αᵢ = pᵢ",
        ),
        reading(
            "runs without end, fixed weights",
            """ρ̄ over all t, so at most ρ at the limit: ρ̃ >= ρ̄. Fixed weights are known before the round, which the
                print does not ask for.""",
            _NO_LESS,
            world=ends_at(),
            part="no weights have less",
            options={"window": "every t of a run without end"},
            conditions=["weights fixed over the rounds"],
            because="within the next reading, any weights",
        ),
        reading(
            "runs without end, any weights",
            """Weights known before the round, a hypothesis that the print lacks: ρ̄ − ρ̃ over the first T rounds is at
                most (‖w₀ − w*‖² + G²Σηₜ²)/(2ΓΣηₜ), which tends to 0 (RA-D7).""",
            LATE,
            world=BEFORE,
            part="no weights have less",
            options={"window": "every t of a run without end"},
            because="it says by how much, more than the print; that the bound tends to 0 is what the print needs",
        ),
        reading(
            "the rounds of a finite run",
            "ρ̄ and ρ̃ over t = 0, E, …, (T − 1)E with T = 1 to 3: ρ̃ >= ρ̄.",
            le(1, rho_best / rho),
            world=windows(),
            part="no weights have less",
            options={"window": "the rounds of the run"},
        ),
    ],
    mutants=[
        mutant(
            "sign of E changed",
            le(limit_gap, Gamma * (1 - rho_best / rho_limit)),
            "as a bound on the error it would be negative for all weights that end away from w*",
            world=_LIMIT,
        )
    ],
    rests_on=["RA-C1", "RA-D6", "RA-D7"],
    written="the minima over α, for two sentences of Sec. 2.5.2",
    verdict="""For αᵢ = pᵢ E is 0, always; whether other weights can have less depends on the rounds over which (7)
        takes its extremes, which are not named. Over all t of a run without end none have less, if weights are known
        before the round, a hypothesis that the print lacks: were ρ̃ < ρ̄, every step would bring the model nearer to w*
        by a first-order amount, without end. For fixed weights one sees it at their limit. Over the rounds of a finite
        run, {0, E, …, (T − 1)E} in Algorithm 1, some have less: far from the minimisers, weight on the client of
        largest curvature makes ρ(t, wₜ) > 1 while this client has a small loss at w*, so ρ̃ < ρ̄ and E < 0.""",
)

Q11 = remark(
    "RA-Q11",
    "Sec. 3.1, FedAvg-generalized",
    "FedAvg is optimal in accuracy",
    printed=r"""\alpha_t^i=p_i:\quad E=0,\qquad\lim_{T\to\infty}F(w_T)
        \le\lim_{T\to\infty}F(w_T^\alpha)\ \text{for all fixed }\alpha""",
    plainly="FedAvg has E = 0 and ends at the least loss.",
    assumes=_ENDS,
    says=_ZERO,
    world=_NEITHER,
    readings=[
        reading(
            "E = 0 for αᵢ = pᵢ", "Weights equal to the shares have ρ = 1 at every model, so ρ̃/ρ̄ = 1.", part="E = 0"
        ),
        reading(
            "measured at the end",
            "No fixed weights end at a smaller F.",
            le(-limit_gap, 0),
            world=federations(1, ((1, 2, 100), (1, 1, 8))),
            part="optimal accuracy",
        ),
    ],
    mutants=[
        mutant(
            "after any number of rounds",
            le(end_average, end_worse),
            "in the first rounds weight on the steepest client brings F down faster",
            world=one_round_of("FedAvg"),
        )
    ],
    rests_on=["RA-S-AVG", "RA-Q6"],
    written="the limits, and weights that stay fixed, for «optimal in terms of accuracy»",
    verdict="""E = 0, and with step sizes that fall to 0 FedAvg ends at w*, where F is least, whatever the number of
        local steps; other fixed weights end at the minimiser of another function. After finitely many rounds other
        weights may be ahead, and with constant step sizes and E > 1 FedAvg itself stays off w*. That E = 0 is also the
        least error term is RA-Q6: over the rounds of a finite run it is not.""",
)


def built(x: Instance, *, half: bool) -> Mapping[str, Any]:
    """Two clients of one minimiser built for the skew named, or of equal shares and the second one flat."""
    small, one = 1 / (4 * x["wanted"]), np.ones_like(x["wanted"])
    p, h = (one / 2, 0 * one) if half else (small, small)
    return {"wanted": x["wanted"], "reached": 1 / (p + (1 - p) * h)}


def built_exact(x: Mapping[str, Any], *, half: bool) -> Pair:
    """All weight on client 1, of curvature 1; the other one of curvature h; one minimiser."""
    small, start = 1 / (4 * x["wanted"]), Fraction(7)
    p, h = (Fraction(1, 2), Fraction(0)) if half else (small, small)
    losses = [start**2 / 2, h * start**2 / 2]
    skew = losses[0] / (p * losses[0] + (1 - p) * losses[1])
    return {"0 < p_1 < 1": 0 < p < 1}, {"wanted": x["wanted"], "reached": skew}


def _built(*, half: bool = False) -> World:
    space = Space((LogScale("wanted", 1.0, 1e9, at=(1.0,)),))
    return world(case("two clients built for the wanted skew", space, built, built_exact, half=half))


_EXISTS = le(wanted, reached)

R5 = remark(
    "RA-R5",
    "Remark 5, Sec. 2.5",
    "A limit speed V_min",
    printed=r"""\overline\rho\ \text{can be arbitrary big, so there exists a limit convergence speed}\ V_{\min}:=
        \frac{8L^2\Gamma}{\mu^2}+\frac{L\gamma\|w^0-w^\star\|^2}2""",
    plainly="The skew can be made as large as one likes, so V comes as near to V_min as one likes.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=le(wanted, rho_largest),
    world=federations(1, ((2, 2, 300), (1, 1, 8)), above=True, wanted=True),
    open={
        "varies": nowhere("""«ρ̄ can be arbitrary big»: by the choice of weights, with the data set and first guess
            given (V_min is «a constant depending only on» them), or over data sets, too""")
    },
    readings=[
        reading(
            "for a given data set and first guess",
            "Whatever skew is wanted, weights exist that reach it at the first model (ρ̄ is at most that).",
            options={"varies": "the weights alone"},
        ),
        reading(
            "over all data sets",
            "Whatever skew is wanted, some federation and weights have it in every round.",
            _EXISTS,
            world=_built(),
            options={"varies": "weights and data set"},
        ),
    ],
    mutants=[
        mutant(
            "over all data sets with p₁ = 1/2",
            _EXISTS,
            "ρ is at most α₁/p₁, which is bounded there",
            at(wanted=10),
            world=_built(half=True),
        )
    ],
    rests_on=["RA-D5", "RA-D8", "RA-C1"],
    verdict="""V_min is a lower limit of V over all federations: with a client of tiny share and a rival of tiny
        curvature ρ̄ has no bound. But the remark speaks of a constant «depending only on the data set and the first
        guess», and for these given ρ̄ is bounded: it is at most ρ(0, w₀) <= maxᵢ ℓᵢ(w₀)/Σpᵢℓᵢ(w₀) <= 1/min pᵢ. So for a
        given data set V stays above V_min by at least min pᵢ · 4L(32τ²G² + σ²)/(3μ²), and V_min is not a limit that any
        strategy approaches.""",
)


def mirrored(x: Instance, *, half: bool) -> Mapping[str, Any]:
    """FedWorse from near the tie of two mirrored clients: ρ(t, w*)/ρ(t, w₀) of its first round (`reached`)."""
    p = 0 * x["wanted"] + 0.5 if half else 1 / (1 + 4 * x["wanted"])
    w, best = -x["side"], 2 * p - 1
    first, there = ((v - 1) ** 2 / (p * (v - 1) ** 2 + (1 - p) * (v + 1) ** 2) for v in (w, best))
    return {"wanted": x["wanted"], "reached": there / first}


def mirrored_exact(x: Mapping[str, Any], *, half: bool) -> Pair:
    """Optima 1 and -1, curvature 1, shares p and 1 - p, start on the far side of client 1."""
    p, w = Fraction(1, 2) if half else 1 / (1 + 4 * x["wanted"]), -x["side"]
    shares, centers = [p, 1 - p], [Fraction(1), Fraction(-1)]
    best = sum(q * c for q, c in zip(shares, centers, strict=True))
    here, there = ([(v - c) ** 2 / 2 for c in centers] for v in (w, best))
    skew, skew_best = (v[0] / sum(q * u for q, u in zip(shares, v, strict=True)) for v in (here, there))
    met = {"client 1 alone is worst": here[0] > here[1], "0 < p < 1": 0 < p < 1}
    if half:
        met["the number named is 1/min p or more"] = x["wanted"] * min(shares) >= 1
    return met, {"wanted": x["wanted"], "reached": skew_best / skew}


def _mirrored(*, half: bool = False) -> World:
    lowest = 2.0 if half else 1.0
    space = Space((LogScale("wanted", lowest, 1e6, at=(lowest,)), LogScale("side", 1e-6, 0.1)))
    return world(case("two mirrored clients, start near the tie", space, mirrored, mirrored_exact, half=half))


_RATIO, _SIX_ROUNDS = rho_best_hard / rho_hard, own_runs(6, ((2, 2, 20), (1, 1, 4)))

R7 = remark(
    "RA-R7",
    "Remark 7, Sec. 2.5.2",
    "The fastest strategy is unreliable",
    printed=r"""\text{«this strategy is unreliable: in fact mathematical analysis cannot guarantee a precise bound over the error term»},
        \quad E(\overline\rho,\tilde\rho)=\tfrac{8L\Gamma}{3\mu}\left(\tfrac{\tilde\rho}{\overline\rho}-1\right)""",
    plainly="For FedWorse the ratio ρ̃/ρ̄ may be as large as one likes.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=_EXISTS,
    world=_mirrored(half=True),
    open={
        "bound": nowhere("""«cannot guarantee a precise bound over the error term»: a bound for the given federation,
            or one for all federations""")
    },
    readings=[
        reading(
            "for a given federation",
            """Whatever ratio is named, FedWorse has a larger one: two clients, p = 1/2, ratios of 2 = 1/min pᵢ and
                more.""",
            options={"bound": "for the given federation"},
        ),
        reading(
            "over all federations",
            "Whatever ratio is named, FedWorse has a larger one somewhere.",
            world=_mirrored(),
            options={"bound": "for all federations"},
        ),
        reading(
            "for given shares there is a bound",
            "ρ̃/ρ̄ <= 1/min pᵢ, hence E <= (8LΓ/3μ)(1/min pᵢ − 1), for FedWorse on its own run.",
            le(_RATIO, 1 / least),
            world=_SIX_ROUNDS,
            options={"bound": "for the given federation"},
            edits=["a bound there is: E <= (8LΓ/3μ)(1/min pᵢ − 1)"],
        ),
    ],
    mutants=[
        mutant(
            "half of 1/min pᵢ",
            le(_RATIO, 1 / (2 * least)),
            "two mirrored clients, the start near the tie: ρ̃/ρ̄ comes near (1 − p)/p, more than 1/(2p) for p < 1/2",
            world=_SIX_ROUNDS,
        )
    ],
    rests_on=["RA-S-W", "RA-D6", "RA-C1"],
    verdict="""No bound holds for all federations: with a client of tiny share FedWorse starts at ρ near 1 and gives
        this client, which is far off at w*, all the weight. For a given federation, however, analysis does guarantee
        one: ρ̃ <= 1/min pᵢ always, and ρ̄ >= 1 because FedWorse's weighted excess is at least the average, so E <=
        (8LΓ/3μ)(1/min pᵢ − 1). (17) with π = 0 cannot see it.""",
)


def speed(x: Instance, *, over: tuple[int, int] = (1, 1)) -> Mapping[str, Any]:
    """V over L‖w₀ − w*‖²/2 of FedAvg on one noisy client; σ² as drawn, or a multiple of the number named."""
    noise = x.get("noise", x["wanted"] * over[0] / over[1])
    return {"wanted": x["wanted"], "reached": 2 * (4 * (32 * (noise + 1) + noise) / 3 + 2)}


def speed_exact(x: Mapping[str, Any], *, over: tuple[int, int] = (1, 1)) -> Pair:
    """L = mu = tau = |w_0 - w*| = 1, G^2 = sigma^2 + 1, Gamma = 0, rho = 1."""
    sigma2 = x.get("noise", x["wanted"] * Fraction(over[0], over[1]))
    L = mu = tau = start = Fraction(1)
    V = 4 * L * (32 * tau**2 * (sigma2 + start**2) + sigma2) / (3 * mu**2) + L * (4 * L / mu) * start**2 / 2
    return {"sigma^2 >= 0": sigma2 >= 0}, {"wanted": x["wanted"], "reached": V / (L * start**2 / 2)}


def _speeds(*noise: LogScale, over: tuple[int, int] = (1, 1)) -> World:
    space = Space((LogScale("wanted", 1.0, 1e9), *noise))
    return world(case("FedAvg on one client, noisy", space, speed, speed_exact, over=over))


def curved(x: Instance) -> Mapping[str, Any]:
    """V over L‖w₀ − w*‖²/2 of FedAvg on one client without noise, L/μ a quarter of the number named and 1."""
    L = 1 + x["wanted"] / 4
    return {"wanted": x["wanted"], "reached": 2 * (4 * 32 / 3 + 2 * L)}


def curved_exact(x: Mapping[str, Any]) -> Pair:
    """mu = tau = |w_0 - w*| = 1, the start on the axis of curvature mu: G = mu |w_0 - w*|; sigma = Gamma = 0, rho = 1."""
    mu = tau = start = Fraction(1)
    L, G2 = mu + mu * x["wanted"] / 4, (mu * start) ** 2
    V = 4 * L * 32 * tau**2 * G2 / (3 * mu**2) + L * (4 * L / mu) * start**2 / 2
    return {"L >= mu": mu <= L}, {"wanted": x["wanted"], "reached": V / (L * start**2 / 2)}


_CURVED = case(
    "FedAvg on one client of two curvatures, no noise",
    Space((LogScale("wanted", 1.0, 1e9, at=(1.0, 1e9)),)),
    curved,
    curved_exact,
)

R8 = remark(
    "RA-R8",
    "Remark 8, Sec. 2.5.2",
    "No bound on the speed of the error-minimising strategy",
    printed=r"""\alpha_t^i=
        p_i:\ \text{«there is no mathematical way to assess a bound on the convergence speed, which could be arbitrarily low»}""",
    plainly="For αᵢ = pᵢ no bound on the convergence speed can be assessed: V could be arbitrarily large.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=_EXISTS,
    world=_speeds(LogScale("noise", 1e-3, 1e3)),
    open={
        "bound": nowhere("""«no mathematical way to assess a bound on the convergence speed, which could be arbitrarily
            low»: for the given federation, where Sec. 3.1 prints one, (18), or for all federations""")
    },
    readings=[
        reading(
            "for a given federation",
            """V at ρ̄ = 1 is above every number named, constants given; false of the federation shown, whose V is the second
                number.""",
            options={"bound": "for the given federation"},
        ),
        reading(
            "over all federations",
            "Whatever number is named, V is larger for some federation.",
            world=world(*_speeds(over=(1, 88)).cases, _CURVED),
            options={"bound": "for all federations"},
        ),
    ],
    mutants=[
        mutant(
            "σ² a hundredth of the number named",
            None,
            "V is then less than the number once that is large",
            at(wanted=1000),
            world=_speeds(over=(1, 100)),
        )
    ],
    rests_on=["RA-S-AVG", "RA-C1", "RA-E18"],
    verdict="""V, in units of L‖w₀ − w*‖²/2, is the bound on the gap times T + γ, and is compared with a number named
        beforehand: for the one noisy client of the instance V is 90.21, so it is not above 100.
        For a given federation there is a bound, and Section 3.1 prints it, (18); over all federations there is
        none, and the remark does not say which it means. The paper thus prints both: «no mathematical way to assess a
        bound» here, and of the same strategy «its convergence speed can be bounded as below» there. With αᵢ = pᵢ one
        has ρ̄ = 1, so V is 4L(32τ²G² + σ²)/(3μ²) + V_min, a number for every federation ((18) has a slip: RA-E18). Over
        all federations, with L/μ or the noise growing, V has no bound, but then it has none for any strategy. That is
        shown by federations and not by search: for the number x, in units of L‖w₀ − w*‖²/2, one client of noise σ² =
        x/88 has V = x + 268/3, and one without noise of L/μ = 1 + x/4 has x + 268/3, too, at μ = τ = ‖w₀ − w*‖ = 1.""",
)

_PRINTED = Gamma * 8 * L / (3 * mu) * (N / pi - N)

R9 = remark(
    "RA-R9",
    "Remark 9, Sec. 2.5.2",
    "The terms of (15) are not tight",
    printed=r"C+\frac{\lambda_1}{\pi}\text{ and }\lambda_2\left(\frac N\pi-N\right)\text{ are not tight}",
    plainly="For π < 1 neither the error term of (15) nor its right side as a whole is close to what it bounds.",
    assumes=[
        "Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0",
        "pᵢ = 1/N",
        "αᵢ fixed and step sizes that fall to 0, where runs go to their end",
    ],
    says=le(limit_gap, 3 * mu / (8 * L) * _PRINTED, again=lambda Gamma, N, pi: Gamma * N * (1 - pi) / pi),
    world=OF_EQUAL_SHARES,
    readings=[
        reading(
            "fixed weights, every run to its end",
            "F at the limit, minus F*, is at most 3μ/(8L) of the printed term.",
            part="λ₂(N/π − N)",
        ),
        reading(
            "both terms, after T steps",
            """The gap is at most half of the whole right side of (15), on the runs with weights known before the round
                that (15) is searched on.""",
            le(gap, FIFTEEN / 2),
            world=KNOWN,
            part="C + λ₁/π",
        ),
        reading(
            "quadratic clients, fixed weights, a quarter of that",
            "By how much the term is loose for quadratic clients; for others it is not true.",
            le(limit_gap, 3 * mu / (32 * L) * _PRINTED),
            part="λ₂(N/π − N)",
            ours="the remark says «not tight», and no figure",
        ),
        reading(
            "both terms, after T steps, 3/32 in place of half",
            "How far the whole right side is from being attained, on the same runs.",
            le(32 * gap, 3 * FIFTEEN),
            world=KNOWN,
            part="C + λ₁/π",
            ours="the remark says «not tight», and no figure",
        ),
    ],
    mutants=[
        mutant(
            "half of the first term alone",
            le(gap, SPEED / 2),
            "with more weight on one of two clients the gap does not vanish as T grows, and the first term does",
            world=world(ALIKE, long_runs("before", equal=True)),
        ),
        mutant(
            "another factor μ/L",
            le(limit_gap, mu / L * Gamma * (N / pi - N)),
            """with curvatures 1 and κ and weights near (1, 1/κ) the error is of order κΓ, and so is the printed term
                without the factor""",
        ),
        mutant(
            "the weights have seen the earlier samples of the round",
            le(gap, FIFTEEN / 2),
            """they give the noise of a hundred clients a mean, and the gap stays, while for optima that nearly agree
                the right side falls as 1/T""",
            world=world(*SEEN[2:3]),
        ),
    ],
    rests_on=["RA-E15", "RA-D9"],
    verdict="""The remark is right, and can be made exact for fixed weights, whose limit is known in closed form: the
        error is at most Γ(ρ̃/ρ̄ − 1) without the factor 8L/(3μ), because at the minimiser of ΣαᵢFᵢ the weighted excess
        is at most its value at w*. So the error term of (15) is loose by 8L/(3μ) for any losses; for
        quadratic clients, where by Cauchy and Schwarz the error is less than a quarter of Γ(Π/π − 1), by more than
        32L/(3μ). Only for π = 1 it equals the error, both being 0. There C + λ₁/π is what is loose. After T steps the
        gap is less than 3/32 of the whole right side for quadratic clients on the line, one step a round and weights
        fixed in advance, and comes as near to that as one likes: one client against very many, π = 1/2, T large; runs
        of several steps a round came no nearer. This also says where to tighten them.""",
)

L_, m, tau, G2, sigma2, heterogeneity, gamma, delta0 = symbols("L mu tau G2 sigma2 Gamma gamma delta0", positive=True)
more, apart, away = symbols("more apart away", positive=True)
_FLOOR = 8 * L_**2 * heterogeneity / m**2 + L_ * gamma * delta0 / 2
_AT_ONE = _FLOOR + 4 * L_ * (32 * tau**2 * G2 + sigma2) / (3 * m**2)
# Constants of a run that exists: two equal shares of curvature μ with minimisers ±apart, started `away` from w* = 0, and
# a second coordinate of curvature L = μ + more that nothing moves.
_OF_A_RUN = {gamma: 4 * (m + more) / m, L_: m + more, heterogeneity: m * apart**2 / 2, delta0: away**2}
_OF_A_RUN |= {G2: m**2 * (apart + away) ** 2 + sigma2}


def _printed(numerator: Any) -> Any:
    return identity(_AT_ONE.subs(_OF_A_RUN), (_FLOOR + numerator / (3 * m**2)).subs(_OF_A_RUN))


E18 = remark(
    "RA-E18",
    "Eq. (18), Sec. 3.1",
    "Speed term of FedAvg-generalized",
    printed=r"V=V_{\min}+\frac{4L-32\tau^2G^2+\sigma^2}{3\mu^2}\qquad\text{for }\overline\rho=1",
    plainly="For FedAvg-generalized the speed term of Corollary 1 is V_min plus the printed fraction.",
    assumes=[
        "V and V_min as in Corollary 1 and Remark 5",
        "αᵢ = pᵢ, hence ρ̄ = ρ̃ = 1",
        """as printed, the letters are those of a run that exists: two equal shares with minimisers ±apart, started away
            from w* = 0; L = μ + more, Γ = μ·apart²/2, ‖w⁰ − w*‖² = away², G² = μ²(apart + away)² + σ²""",
    ],
    says=_printed(4 * L_ - 32 * tau**2 * G2 + sigma2),
    readings=[
        reading("minus sign as printed", "The numerator is 4L − 32τ²G² + σ²."),
        reading(
            "minus read as a multiplication sign",
            "An edit, for a damaged «·»: the numerator is 4L·32τ²G² + σ².",
            _printed(4 * L_ * 32 * tau**2 * G2 + sigma2),
            edits=["· in place of −"],
        ),
        reading(
            "minus read as an opening parenthesis",
            """An edit, for a damaged «(» whose partner is lost with it: the numerator is 4L(32τ²G² + σ²), as in
                Corollary 1. For all values of the constants.""",
            identity(_AT_ONE, _FLOOR + 4 * L_ * (32 * tau**2 * G2 + sigma2) / (3 * m**2)),
            edits=["4L(32τ²G² + σ²) in place of 4L − 32τ²G² + σ²"],
            token=True,
            forced_by="""Corollary 1 prints 4L(32τ²G² + σ²)/(3μ²ρ̄), Remark 5 the rest of V as V_min, and ρ̄ = 1 for αᵢ
                = pᵢ""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "constant 32 halved, with the parentheses",
            identity(_AT_ONE, _FLOOR + 4 * L_ * (16 * tau**2 * G2 + sigma2) / (3 * m**2)),
            "the two sides then differ by a positive multiple of Lτ²G²/μ²",
        )
    ],
    rests_on=["RA-C1"],
    verdict="""The minus sign has to be an opening parenthesis, 4L(32τ²G² + σ²), whose partner is lost with it, and (18)
        is then Corollary 1 at ρ̄ = 1. Corollary 1 prints just this numerator, Remark 5 the rest of V as V_min, and αᵢ =
        pᵢ gives ρ̄ = 1. With the minus sign (18) adds quantities of different units, a curvature and a squared
        gradient, and can make the speed term smaller than V_min. Read as a multiplication sign it is wrong, too. The
        parentheses may have been lost in the copy used here; a typeset copy would tell. Nothing else in the paper uses
        the printed form.""",
)

CLAIMS: tuple[Claim, ...] = (Q1, Q3, Q4, Q5, Q6, Q11, Q12, R5, R7, R8, R9, E18)

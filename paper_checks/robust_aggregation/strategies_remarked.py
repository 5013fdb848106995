"""Sec. 3.1 and 3.2: what is said of the strategies, from stability and speed to leaning among similar losses."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.rule_weights import losses_of
from paper_checks.robust_aggregation.runs import world
from paper_checks.robust_aggregation.skews import among_similar, one_round_of
from paper_checks.robust_aggregation.strategies import BEST, NONZERO, SOFT_ASSUMED, SPAN
from validation import Case, Claim, Family, Instance, Size, permuted_clients
from validation.statement.instances.draw import Choice, LogScale, Signed, Simplex, Space, Uniform
from validation.world import World, case, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

shaken, odds, chance_off = NOTATION.symbols("shaken odds chance_off")
end_better, end_average, Gamma, gap = NOTATION.symbols("end_better end_average Gamma gap")
limit_gap, alike = NOTATION.symbols("limit_gap alike")

_STABLE = le(shaken, 2 * (odds - 1) / (odds + 1), again=lambda odds: 2 - 4 / (odds + 1))

Q14 = remark(
    "RA-Q14",
    "Sec. 3.1",
    "FedSoftWorse is more stable and keeps every weight positive",
    printed=r"""\alpha_t^i\propto p_i\exp(T^{-1}\ell_i):\quad\alpha_t^i>0,\qquad\pi=\min_{t,i}\alpha_t^i/p_i>0,
        \qquad\|\ell-\ell'\|_\infty\le\delta\Rightarrow\|\alpha-\alpha'\|_1\le2\tanh(\delta/2T)""",
    plainly="""The soft rule has no weight 0, hence π > 0 in (17), and its weights move little when the losses move
        little.""",
    assumes=SOFT_ASSUMED,
    says=NONZERO,
    world=losses_of("FedSoftWorse"),
    readings=[
        reading("no weight is 0", "αᵢ > 0 for every client.", part="nonzero weights"),
        reading("π at least e^{−R/T}", "1/κᵢ <= e^{R/T}, R the range of the losses.", SPAN, part="(17) applies"),
        reading(
            "stable",
            "Losses that move by at most δ move the weights by at most 2 tanh(δ/2T) in ℓ₁.",
            _STABLE,
            part="stability",
        ),
    ],
    mutants=[
        mutant(
            "FedWorse in place of FedSoftWorse",
            _STABLE,
            "near a tie FedWorse moves all its weight to another client, however small the change of the losses",
            world=losses_of("FedWorse"),
        )
    ],
    tight="two clients of equal weight between the two losses, one loss moved up and the other down",
    rests_on=["RA-S-SW", "RA-E17"],
    written="π and the bound 2 tanh, for «more stable»",
    verdict="""All parts hold. π is at least e^{−R/T}, where R is the largest range of the losses seen, so (17) applies
        with a π that is known in advance only if R is; it falls exponentially in R/T, so for T small against the losses
        (17) says very little, and in double precision the weights are 0 beyond an R/T of several hundred.""",
)


def chosen_clients(x: Instance, *, drawn: bool, floors: bool, worse: bool) -> Mapping[str, Any]:
    """FedWorse(k) (or FedBetter(k)) against Power-of-Choice, which ranks by loss; all candidates, or two drawn by share."""
    p, excess, n = x["share"], np.round(x["level"]) + x["untie"], x["share"].shape[1]
    loss, m = excess + (np.round(x["floor"]) if floors else 0.0), np.minimum(x.get("kept", np.ones(len(p))), n)[:, None]

    def top(score: Any) -> Any:
        return (np.argsort(np.argsort(-score, axis=1), axis=1) < m) / m

    chosen = np.zeros_like(p) if drawn else top(loss)
    for i, j in [(i, j) for i in range(n) for j in range(n) if i != j] if drawn else []:
        chance, first = p[:, i] * p[:, j] / (1 - p[:, i]), loss[:, i] > loss[:, j]
        chosen[:, i] += np.where(first, chance, 0.0)
        chosen[:, j] += np.where(first, 0.0, chance)
    return {"chance_off": np.abs(top(excess if worse else -excess) - chosen).max(axis=1), "magnitude": np.ones(len(p))}


def chosen_clients_exact(x: Mapping[str, Any], *, drawn: bool, floors: bool, worse: bool) -> Pair:
    """Weights of the m clients kept against the chances of Power-of-Choice."""
    p, n = x["share"], len(x["share"])
    excess = [round(v) + u for v, u in zip(x["level"], x["untie"], strict=True)]
    loss, m = (
        [e + (round(f) if floors else 0) for e, f in zip(excess, x["floor"], strict=True)],
        min(int(x.get("kept", 1)), n),
    )
    kept = sorted(range(n), key=lambda i: -excess[i] if worse else excess[i])[:m]
    best = sorted(range(n), key=lambda i: -loss[i])[:m]
    chosen = [Fraction(int(i in best and not drawn), m) for i in range(n)]
    for i in range(n) if drawn else []:
        for j in range(n):
            if i != j:
                chosen[i if loss[i] > loss[j] else j] += p[i] * p[j] / (1 - p[i])
    met = {"no ties": len(set(excess)) == n and len(set(loss)) == n, "m = 1 for d = 2": not drawn or m == 1}
    return met, {"chance_off": max(abs(Fraction(int(i in kept), m) - chosen[i]) for i in range(n))}


def _choices(*, drawn: bool = False, floors: bool = False, worse: bool = True) -> World:
    def at(N: float) -> Case:
        n = int(N)
        space = Space(
            (
                Simplex("share", n, interior=True),
                Uniform("level", 0.0, 50.0, (n,)),
                Uniform("untie", 0.0, 0.5, (n,)),
                Uniform("floor", 0.0, 50.0, (n,)),
                *(() if drawn else (Choice("kept", (1.0, 2.0, 5.0)),)),
            )
        )
        same = (permuted_clients(dict.fromkeys(("share", "level", "untie", "floor"), 0)),)
        how: dict[str, Any] = {"drawn": drawn, "floors": floors, "worse": worse}
        return case(
            f"losses of one round, N = {n}", space, chosen_clients, chosen_clients_exact, symmetries=same, **how
        )

    return world(Family("losses of one round", (Size("N", 3, 6, 3) if drawn else Size("N", 2, 300, 3),), at))


Q13 = remark(
    "RA-Q13",
    "Sec. 3.1, FedWorse(k)",
    "FedWorse(k) is Power-of-Choice",
    printed=r"""\text{FedWorse}(k)\ \text{«actually boils down to the client selection strategy Power-of
        -Choice by Cho et al. [2020]»}""",
    plainly="FedWorse(k) and Power-of-Choice select and weigh the same clients.",
    assumes=["weights 1/m on the clients kept", "no two clients of one loss or one excess"],
    says=le(chance_off, 0),
    world=_choices(floors=True),
    open={"candidates": nowhere("the number d of candidates of Power-of-Choice is not said")},
    readings=[
        reading(
            "all clients are candidates, d = N", "By excess against by loss, any Fᵢ*.", options={"candidates": "d = N"}
        ),
        reading(
            "d = 2 candidates drawn by share",
            "Fᵢ* equal, m = 1: the weights against the mean of those of Power-of-Choice.",
            world=_choices(drawn=True),
            options={"candidates": "d < N"},
        ),
        reading(
            "d = N and all Fᵢ* equal",
            "Then excess and loss rank alike.",
            world=_choices(),
            options={"candidates": "d = N"},
            conditions=["all Fᵢ* equal"],
        ),
    ],
    mutants=[
        mutant(
            "FedBetter(k) in place of FedWorse(k)",
            None,
            "Power-of-Choice keeps the largest losses, FedBetter(k) the smallest",
            world=_choices(worse=False),
        )
    ],
    rests_on=["RA-S-WK"],
    verdict="""Only in a special case. Power-of-Choice ranks a random candidate set, drawn by share, by the loss Fᵢ(w);
        FedWorse(k) ranks all clients by the excess Fᵢ(w) − Fᵢ*, and does not use the shares. With d = N candidates,
        equal Fᵢ* and equal weights the two coincide, but no setting of the paper has equal Fᵢ*; with different Fᵢ* they select different
        clients, and with d < N a different law.""",
)


def steep(x: Instance) -> Mapping[str, Any]:
    """F after one step from (1, y) of the steep client 1, whose loss is the smaller, and of both; curvatures as in the exact."""
    w, h = np.stack([np.ones_like(x["y"]), x["y"]], axis=1), np.array([[1.0, 0.01], [0.01, 0.1]])
    loss, after = 0.5 * (w**2 @ h.T), [w * (1 - x["step"][:, None] * row) for row in (h[0], h.mean(axis=0))]
    ends = [0.5 * v**2 @ h.mean(axis=0) for v in after]
    return {"end_better": ends[0], "end_average": ends[1], "admissible": loss[:, 0] < loss[:, 1]}


def steep_exact(x: Mapping[str, Any]) -> Pair:
    """Curvatures (1, 1/100) and (1/100, 1/10), one minimiser 0, equal shares."""
    h = [[Fraction(1), Fraction(1, 100)], [Fraction(1, 100), Fraction(1, 10)]]
    w, eta = [Fraction(1), x["y"]], x["step"]
    loss = [sum(k * v**2 for k, v in zip(row, w, strict=True)) / 2 for row in h]
    local = [[v - eta * k * v for k, v in zip(row, w, strict=True)] for row in h]
    average = [(u + v) / 2 for u, v in zip(*local, strict=True)]
    after = [sum(k * v**2 for row in h for k, v in zip(row, at, strict=True)) / 4 for at in (local[0], average)]
    met = {"client 1 has the smaller loss": loss[0] < loss[1], "eta <= 1/(4L)": 4 * eta <= 1}
    return met, {"end_better": after[0], "end_average": after[1]}


_STEEP = Space((Uniform("y", 3.4, 6.0), LogScale("step", 1e-3, 0.25)))
_FASTER = le(end_better, end_average)

Q15 = remark(
    "RA-Q15",
    "Sec. 3.1, FedBetter",
    "FedBetter has no theory behind it, and may be faster in an easy task",
    printed=r"""\text{FedBetter: }\rho(t,w_t)=\min_i\ell_i/\textstyle\sum_ip_i\ell_i;
        \qquad\text{«could enhance the convergence speed»}""",
    plainly="""FedBetter has the least skew, so the largest V; yet there are error-free tasks in which it is faster than
        FedAvg.""",
    assumes=["Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"],
    says=BEST,
    world=losses_of("FedBetter", lean=-1),
    readings=[
        reading("not justified by theory", "No weights have a smaller ρ(t, wₜ).", part="not justified by theory"),
        reading(
            "could be faster",
            "An error-free federation, one round, step sizes up to 1/(4L): F is lower.",
            _FASTER,
            world=world(case("two clients, the better one steep", _STEEP, steep, steep_exact)),
            part="could be faster",
        ),
    ],
    mutants=[
        mutant(
            "faster in every error-free federation",
            _FASTER,
            "of quadratic clients on a line that of least loss is the flattest, and its steps are the shortest",
            world=one_round_of("FedBetter"),
        )
    ],
    rests_on=["RA-S-B", "RA-C1"],
    written="the formula for ρ(t, wₜ), for «not justified by theory»",
    verdict="""Both halves are right. In the paper's bounds FedBetter is the worst choice, as ρ is as small as it can
        be. Still it can be faster: where the client with the smaller loss has the steeper one along the direction in
        which most of F can be gained, a step of it alone brings F down more than the average of both. The intuition is no rule: among quadratic clients on a line with a common minimiser FedBetter is the slowest at steps up to 1/L, as the client of least loss is the flattest.""",
)


def near_tie(x: Instance, *, rule: str, R: int, fade: bool) -> Mapping[str, Any]:
    """Two clients (w ∓ 1)²/2 from near the tie, R rounds of one step; losses within 10 % at w* and the end where steps fade."""
    w, share = x["start"], x.get("share", np.full_like(x["start"], 0.5))
    best = 1 - 2 * share
    for t in range(R):
        target = best if rule == "FedAvg" else (1 if rule == "FedBetter" else -1) * np.sign(w)
        w = w + x["step"] / (1 + fade * x["step"] * t) * (target - w)
    similar = ((1 + np.abs(w)) / np.maximum(1 - np.abs(w), 1e-9)) ** 2 <= 1.1
    found = {"Gamma": 2 * share * (1 - share), "gap": (w - best) ** 2 / 2}
    return {**found, "admissible": (x["start"] != 0) & (similar | (not fade))}


def near_tie_exact(x: Mapping[str, Any], *, rule: str, R: int, fade: bool) -> Pair:
    """Two mirrored clients, step by step; weights shared among equal losses."""
    w, centers, share, spread = x["start"], [Fraction(-1), Fraction(1)], x.get("share", Fraction(1, 2)), []
    p = [share, 1 - share]
    for t in range(R + 1):
        loss = [(w - c) ** 2 / 2 for c in centers]
        spread.append(max(loss) <= Fraction(11, 10) * min(loss))
        if t == R:
            break
        picked = [v == (min(loss) if rule == "FedBetter" else max(loss)) for v in loss]
        a, eta = (
            p if rule == "FedAvg" else [Fraction(int(v), sum(picked)) for v in picked],
            x["step"] / (1 + int(fade) * x["step"] * t),
        )
        w = sum(q * (w - eta * (w - c)) for q, c in zip(a, centers, strict=True))
    best = sum(q * c for q, c in zip(p, centers, strict=True))
    Gamma, end = (sum(q * (v - c) ** 2 for q, c in zip(p, centers, strict=True)) / 2 for v in (best, w))
    met = {"losses within 10 % at the start, which is no tie": spread[0] and x["start"] != 0}
    if fade:
        met["losses within 10 % at w* and at the end"] = spread[-1] and best == 0
    return met, {"Gamma": Gamma, "gap": end - Gamma}


def _ties(rule: str, *, unlike: bool = False, fade: bool = False) -> Case:
    share = (LogScale("share", 0.01, 0.1, at=(0.1,)),) if unlike else ()
    space = Space((Signed("start", 1e-6, 0.01), Uniform("step", 0.2, 0.25, at=(0.25,)), *share))
    how: dict[str, Any] = {"rule": rule, "R": 200 if fade else 10, "fade": fade}
    return case(f"two mirrored clients, start near the tie, {rule}", space, near_tie, near_tie_exact, **how)


_BADLY = le(Gamma / 2, gap)

Q16 = remark(
    "RA-Q16",
    "Sec. 3.2",
    "Leaning strategies behave badly among similar losses",
    printed=r"""\text{«FedWorse, FedBetter and the strategies derived from them, when applied to clients with similar loss values, behave badly leading to an early stabilization to an erroneous value»}""",
    plainly="Where the clients' losses are nearly equal, leaning to one of them ends at a model with an error.",
    assumes=[
        "Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0",
        """what is meant by early and erroneous is ours: after ten rounds, or 200 where steps fall to 0, F − F* is at
            least Γ/2; step sizes with ηL from 1/5 to 1/4""",
    ],
    says=_BADLY,
    world=world(_ties("FedBetter"), _ties("FedWorse", unlike=True)),
    open={
        "similar": nowhere("""«clients with similar loss values»: similar where the run starts, or at w* and where it
            ends""")
    },
    readings=[
        reading(
            "similar where the run starts, some federations",
            """Two mirrored clients, a start near the middle: after ten rounds F − F* is at least Γ/2, for FedBetter
                with equal shares and for FedWorse with one share of a tenth at most.""",
            options={"similar": "where the run starts"},
        ),
        reading(
            "similar where the run starts, every federation",
            "The same for FedWorse with equal shares.",
            world=world(_ties("FedWorse")),
            ours="«intuitively … behave badly» is a tendency; that no federation escapes it is stronger",
        ),
        reading(
            "similar at w* and where the run ends",
            """Losses within 10 % of each other there: F − F* is at least Γ/2; FedWorse with equal shares and steps that
                fall to 0, 200 rounds.""",
            world=world(_ties("FedWorse", fade=True)),
            options={"similar": "at w* and where the run ends"},
            because="false in every federation: there the error is at most Γ(s² − 1), 0.21 Γ for losses within 10 %",
        ),
        reading(
            "similar losses bound the error",
            """Weights that stay fixed: if the excess losses Fᵢ − Fᵢ* differ by a factor s at most, at w* and at the
                minimiser of ΣαᵢFᵢ, where runs with steps that fall to 0 end, then F − F* <= Γ(s² − 1) there.""",
            le(limit_gap, Gamma * (alike**2 - 1)),
            world=among_similar(),
            edits=[
                """excess losses Fᵢ − Fᵢ* that differ by a factor s at most, at w* and at the minimiser of ΣαᵢFᵢ for
                fixed weights: F − F* <= Γ(s² − 1) there"""
            ],
        ),
    ],
    mutants=[
        mutant(
            "FedAvg in place of FedBetter",
            None,
            "FedAvg stays near the middle, which is w*",
            world=world(_ties("FedAvg")),
        ),
        mutant(
            "FedAvg in place of FedWorse",
            None,
            "FedAvg leaves the middle for w*, near the client of large share",
            world=world(_ties("FedAvg", unlike=True)),
        ),
    ],
    rests_on=["RA-S-W", "RA-S-B", "RA-D5"],
    verdict="""Losses that are similar where a run starts protect from nothing: FedBetter from near a tie runs to the
        optimum of one client and stays, and FedWorse stays near the tie, wherever w* is. Yet it is no rule: where w* is
        at the tie, FedWorse swings around it, and with steps that fall to 0 ends there. And losses that stay similar make every fixed weighting harmless: if the excesses Fᵢ − Fᵢ* differ by a factor s at most at w* and at the minimiser of ΣαᵢFᵢ, the error there is at most Γ(s² − 1), since ρ then lies between 1/s and s. In the paper's own terms ρ is near 1 for all weights where the
        losses are nearly equal. The sentence is marked «intuitively», and which of these it means is not said.""",
)

CLAIMS: tuple[Claim, ...] = (Q13, Q14, Q15, Q16)

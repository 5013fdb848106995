"""App. A, first paragraphs: objectives and targets."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.settings import SKEW
from paper_checks.fedssa.settling import fedavg, settling
from validation import Case, Choice, Claim, Instance, Integer, LogScale, Simplex, Size, Space
from validation.world import World, at, case, eq, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

settled2, width, tau, eta, L = NOTATION.symbols("settled2 width tau eta L")
own_alone, own_best, own_weights, off_mixture2 = NOTATION.symbols("own_alone own_best own_weights off_mixture2")


def _skew(noise: LogScale | None = None, most: int = 300) -> World:
    """Client 1 is the target, its optimum apart from all others."""
    steps = Integer("tau", 1, 20, at=(2, 5)), LogScale("length", 1e-2, 1.0, at=(1.0,))
    sizes, some = (Size("K", 2, most, min(most, 3)),), noise or Choice("noise", (0.0,))
    return settling(lambda n: (Simplex("weights", n),), sizes, *steps, some, apart=True)


D7 = remark(
    "SSA-D7",
    "Appendix A, before Assumption A.1",
    "A target that is one client's distribution",
    printed=r"""\text{target}=\mathcal D_1:\quad F(\theta)=p_1F_1(\theta),\ p_1=1,\ p_k=0\ (k\ne1);
        \quad\text{optimal }w_k\text{ aligned with }p_k""",
    plainly="""If the target is client 1's distribution, F = F₁ is the objective, and the weights are to be aligned with
        it.""",
    assumes=["1-D convex quadratic clients, client 1's optimum apart from all others", "ηL <= 1/(2τ); w fixed"],
    says=le(-own_best, 0),
    world=_skew(),
    readings=[
        reading(
            "the objective",
            "The minimiser of F₁ has no more target loss than that of any other Σ pₖFₖ.",
            part="the objective",
        ),
        reading(
            "the weights, without gradient noise",
            "Where training settles, w₁ = 1 has no more target loss than any other weights.",
            le(own_alone - own_weights, 0),
            part="the weights",
        ),
        reading(
            "the weights, with gradient noise",
            """Ours: w₁ = 1 exactly best in expectation, too, with any noise as A.3 allows and the others as near as one
                likes.""",
            le(own_alone - own_weights, 0),
            world=_skew(LogScale("noise", 1e-4, 1e6)),
            part="the weights",
            ours="""w_1 = 1 exactly best for the expected target loss, however strong the noise and however near the
                others; the print says «align», of an objective, before any assumption on noise, and «distinct from
                others»""",
        ),
    ],
    mutants=[
        mutant(
            "any weights as good as w₁ = 1, without noise",
            le(own_weights - own_alone, 0),
            "other clients pull the model away from the optimum of client 1",
            world=_skew(most=2),
        )
    ],
    rests_on=["SSA-A4", "SSA-D8"],
    verdict="""It holds: F₁ is the objective, and without gradient noise weights aligned with it, w₁ = 1, are best, as
        training on client 1 alone settles at its optimum. That w₁ = 1 is exactly best however strong the noise and
        however near the other clients is stronger than the print, which says «align» and «distinct from others». It
        fails: a client whose optimum is close halves the variance of the average at little cost in bias. With few
        samples the same holds of estimation error, and the paper's own L_we and «multi-client collaboration» speak for
        it. That noise moves the minimiser of the bound away from p is counted at SSA-RA6.""",
)

_NEAR = sp.Rational(27, 200)

D8 = remark(
    "SSA-D8",
    "Appendix A, first paragraph",
    "What FedAvg optimises",
    printed=r"w_k:=n_k,\ \text{«which optimizes the global objective function where }p_k:=n_k\text{»}",
    plainly="FedAvg with weights nₖ optimises Σ nₖFₖ.",
    assumes=["1-D convex quadratic clients, no noise, everyone takes part", "ηL <= 1/(2τ)"],
    says=eq(settled2, 0),
    world=fedavg(),
    open={
        "optimizes": nowhere("""«which optimizes the global objective function where p_k := n_k»: whether the model
            settles at the minimiser at a constant step, or comes to it as the step goes to 0 (η = 1/√(τT) of Corollary
            A.8), is not said""")
    },
    readings=[
        reading(
            "settles there at a constant step",
            "The fixed point of the round is the minimiser, for any number of local steps.",
            options={"optimizes": "settles there at a constant step"},
        ),
        reading(
            "comes to it as η goes to 0",
            "The fixed point is within 27/200·(τ − 1)ηL times the range of the optima.",
            le(settled2, (_NEAR * (tau - 1) * eta * L * width) ** 2),
            options={"optimizes": "comes to it as the step goes to 0"},
        ),
        reading(
            "one local step",
            "At a constant step, τ = 1.",
            world=fedavg(high=1),
            options={"optimizes": "settles there at a constant step"},
            conditions=["τ = 1"],
        ),
        reading(
            "equal curvatures",
            "All clients have one curvature.",
            world=fedavg(equal=True),
            options={"optimizes": "settles there at a constant step"},
            conditions=["all clients have one curvature"],
        ),
    ],
    mutants=[
        mutant(
            "two local steps suffice",
            None,
            "a client's pull is 1 − (1 − ηh)², not proportional to h",
            at(curvature=[1, 2], optimum=[0, -1], share=["1/2", "1/2"], length=1),
            world=fedavg(low=2, high=2, most=2),
        ),
        mutant(
            "within (τ − 1)ηL/8 of the range",
            le(settled2, ((tau - 1) * eta * L * width / 8) ** 2),
            "one client of curvature L and a flat one are pulled apart by more than that",
            world=fedavg(low=2, high=2, most=2),
        ),
    ],
    rests_on=["SSA-E03", "SSA-E13"],
    verdict="""As the step goes to 0, as Corollary A.8's η = 1/√(τT) does with T, the model comes to the minimiser, for
        any τ. A client's pull is between ρ and 1 times its share in the gradient, ρ = (1 − (1 − ηL)^τ)/(τηL), which
        moves a weighted mean by at most (1 − √ρ)/(1 + √ρ) of the range: at most 0.1335·(τ − 1)ηL (at τ = 2 and 4ηL = 1, which the runs come near to), and (τ − 1)ηL/8 as η goes to 0. At a constant step it settles there with one
        local step, or one curvature for all clients; with more local steps and unequal curvatures it settles elsewhere:
        each client pulls by 1 − (1 − ηh)^τ instead of in proportion to h (the well-known objective inconsistency of
        local SGD; Wang et al. 2021c, whom the paper cites, show it for unequal numbers of steps). Theorem A.5 allows
        for this: its T₅ does not vanish with T at a constant step. Which of the two «optimizes» means the paragraph
        does not say.""",
)


def mixtures(x: Instance, *, classes: int, block: int, target: str) -> Mapping[str, Any]:
    """Squared distance of the target's class shares to the mixtures of the clients'; client k holds `block` classes."""
    place = np.arange(classes)
    raw = {"Imb": x["ratio"][:, None] ** place, "Uniform": np.ones(classes), "Skew": place < block}[target]
    q = np.broadcast_to(raw / raw.sum(axis=-1, keepdims=True), (len(x["ratio"]), classes))
    grouped = q.reshape(len(q), -1, block)
    lhs = ((grouped - grouped.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(1, 2))
    return {"off_mixture2": lhs, "magnitude": np.full(len(lhs), 1e-3)}


def mixtures_exact(
    x: Mapping[str, Any], *, classes: int, block: int, target: str
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Squared distance of the target to the mixtures of uniform distributions on blocks of classes."""
    raw: list[Any] = [Fraction(target == "Uniform" or j < block) for j in range(classes)]
    raw = [x["ratio"] ** j for j in range(classes)] if target == "Imb" else raw
    whole, total = sum(raw), Fraction(0)
    for start in range(0, classes, block):
        part = [v / whole for v in raw[start : start + block]]
        total += sum((v - sum(part) / block) ** 2 for v in part)
    least, most = (59, 65) if classes == 10 else (95, 97)
    within = least <= 100 * x["ratio"] <= most
    return {"ratio of neighbouring classes about that of Imb-A or Imb-B, in hundredths": within}, {
        "off_mixture2": total
    }


def _niid1(target: str, *among: int, block: int = 0) -> World:
    """Five clients, or as many as blocks of classes there are."""

    def one(classes: int) -> Case:
        size = block or classes // 5
        name, space = f"{classes} classes, {classes // size} clients of {size} classes", Space((_RATIOS[classes],))
        how: dict[str, Any] = {"classes": classes, "block": size, "target": target}
        return case(name, space, mixtures, mixtures_exact, cost=max(1.0, classes / 10), **how)

    return World(NOTATION, tuple(one(classes) for classes in among or (10, 100)))


# Imb-A, 100^(−1/9) = 0.5995 and 100^(−1/99) = 0.9546, and Imb-B, 50^(−1/9) = 0.6475 and 50^(−1/99) = 0.9613, in plain numbers.
_RATIOS = {10: Choice("ratio", (0.6, 0.65)), 100: Choice("ratio", (0.955, 0.96))}
D9 = remark(
    "SSA-D9",
    "Appendix A, second paragraph; Sec. 5.1",
    "A target distribution as coefficients",
    printed=r"\text{target distribution}\ \mathcal D_T\ \longleftrightarrow\ F=\sum_kp_kF_k,\ p\ \text{on the simplex}",
    plainly="An arbitrary target distribution has coefficients pₖ with which Σ pₖFₖ is its expected loss.",
    assumes=[
        "distributions differ in their class shares only",
        "that p_k exists is tested: Appendix A goes on for a given F («suppose p_k is given») and says of no target which p_k it has, Client 1's apart",
        "NIID-1: each of five clients holds C/5 classes in equal parts, C = 10 or 100",
        """Imb: n_c in geometric proportion, the ratio of neighbouring classes ρ^(−1/(C − 1)), for ten classes 3/5 and
            13/20, for a hundred 191/200 and 24/25, which is ρ = 100 and ρ = 50 to within 1/300""",
    ],
    says=le(off_mixture2, 0),
    world=_niid1("Imb"),
    readings=[
        reading(
            "any target, Imb-A and Imb-B among them",
            "Class shares in geometric proportion, as Imb-A and Imb-B.",
            because="""Appendix A speaks of «an arbitrary target distribution» with coefficients p_k that are only «not
                known in advance»""",
        ),
        reading(
            "Uniform",
            "A target of all classes in equal parts, the mean of the clients' distributions.",
            world=_niid1("Uniform"),
            conditions=["the target is a mixture of the clients' distributions"],
            met_by=SKEW,
        ),
        reading(
            "Skew",
            "The target is client 1's distribution.",
            world=_niid1("Skew"),
            conditions=["the target is a mixture of the clients' distributions"],
            met_by=SKEW,
            because="the paper's own example: p_1 = 1.0 and p_k = 0.0 (Appendix A)",
        ),
        reading(
            "Imb, a client for every class",
            "As many clients as classes, one each, with which every target is a mixture.",
            world=_niid1("Imb", block=1),
            conditions=["the target is a mixture of the clients' distributions"],
        ),
    ],
    mutants=[
        mutant(
            "Imb with two classes a client",
            None,
            "the two classes of a client have different shares in the target and equal ones at the client",
            at(ratio="3/5"),
            world=_niid1("Imb", 10, block=2),
        )
    ],
    rests_on=["SSA-D7"],
    written="""the arrow: that every target has such coefficients; Appendix A speaks of the p_k of «an arbitrary target
        distribution» without saying that they exist""",
    verdict="""It needs a condition that is not printed: the target is a mixture of the clients' distributions; Skew and
        Uniform meet it, Imb-A and Imb-B of NIID-1 do not. For Skew p = (1, 0, …), the paper's own example, for Uniform
        p = n. Appendix A speaks of «an arbitrary target distribution» whose pₖ are only «not known in advance»; its
        analysis then takes a given F («suppose p_k is given»), so nothing in it fails, but it then speaks of such targets
        only. In NIID-1 a client holds C/5 classes in equal parts, an imbalanced target gives each of them another share, and no
        weights on clients can change proportions inside a client. The target loss is then no Σ pₖFₖ, and Theorem A.5
        speaks of a stand-in: the nearest mixture has the right total on each client's classes. With one class a client
        every target is a mixture.""",
)

CLAIMS: tuple[Claim, ...] = (D7, D8, D9)

"""Sec. 2.3 and 2.5.1: the clients' optimal values, and Γ of IID data."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.framework import clients_on_a_line
from paper_checks.robust_aggregation.notation import NOTATION, Pair
from validation import Claim, Instance
from validation.statement.instances.draw import Coordinate, LogScale, Signed, Simplex, Uniform
from validation.world import at, definition, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

excess_printed, excess_at_best, excess_own = NOTATION.symbols("excess_printed excess_at_best excess_own")
Gamma, Gamma_same, Gamma_coins, losses_apart = NOTATION.symbols("Gamma Gamma_same Gamma_coins losses_apart")


def floors(x: Instance) -> Mapping[str, Any]:
    """Least excess loss over the clients, Fᵢ* = F(wᵢ*) as printed, Fᵢ(w*) or Fᵢ(wᵢ*)."""
    p, h, m, w = x["share"], x["curvature"], x["optimum"], x["model"]
    best, loss = ((p * h * m).sum(axis=1) / (p * h).sum(axis=1))[:, None], 0.5 * h * (w[:, None] - m) ** 2
    total = (p[:, None] * 0.5 * h[:, None] * (m[..., None] - m[:, None]) ** 2).sum(axis=-1)
    each = {"excess_printed": loss - total, "excess_at_best": loss - 0.5 * h * (best - m) ** 2, "excess_own": loss}
    found = {name: v.min(axis=1) for name, v in each.items()}
    return {**found, "sizes": {name: np.abs(v).max(axis=1) for name, v in each.items()}}


def floors_exact(x: Mapping[str, Any]) -> Pair:
    """min_i (F_i(w) - F_i*), F_i* = F(w_i*), F_i(w*) or F_i(w_i*) = 0."""
    p, w, terms = x["share"], x["model"], list(zip(x["share"], x["curvature"], x["optimum"], strict=True))
    best = sum(q * k * c for q, k, c in terms) / sum(q * k for q, k, _ in terms)
    printed = [sum(q * k * (at - c) ** 2 / 2 for q, k, c in terms) for at in x["optimum"]]
    loss, at_best = [k * (w - c) ** 2 / 2 for _, k, c in terms], [k * (best - c) ** 2 / 2 for _, k, c in terms]
    found = {"excess_printed": min(u - f for u, f in zip(loss, printed, strict=True)), "excess_own": min(loss)}
    found["excess_at_best"] = min(u - f for u, f in zip(loss, at_best, strict=True))
    return {"shares on the simplex": sum(p) == 1}, found


def _on_a_line(n: int) -> tuple[Coordinate, ...]:
    curved = LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,))
    return (Simplex("share", n, interior=True), curved, Signed("optimum", 1e-2, 1e2, (n,)), Signed("model", 1e-2, 1e2))


D3 = definition(
    "RA-D3",
    "Sec. 2.3, before (3)",
    "Optimal values of the clients",
    printed=r"""F^\star:=F(w^\star),\qquad\text{«}F_i^\star\text{ as }F(w_i^\star)\text{»};
        \qquad\text{used in A.2: }F_i(w)-F_i^\star\ge0""",
    plainly="Fᵢ* is the value at the optimum of client i, below which its loss does not fall.",
    assumes=["Fᵢ μ-strongly convex and L-smooth, wᵢ* its minimiser"],
    says=le(-excess_printed, 0),
    world=clients_on_a_line("clients on a line", _on_a_line, floors, floors_exact, 100),
    readings=[
        reading("as printed, Fᵢ* = F(wᵢ*)", "The average loss at the client's own minimiser."),
        reading(
            "Fᵢ* = Fᵢ(wᵢ*)",
            "An index lost in print or in transcription.",
            le(-excess_own, 0),
            edits=["Fᵢ(wᵢ*) in place of F(wᵢ*)"],
            token=True,
            forced_by="""the same sentence, «wᵢ* the global optimum of Fᵢ»; and A.2, bounds for A₁ and A₃, which apply
                Lemma 1 to Fᵢ: ‖∇Fᵢ(wₜⁱ)‖² <= 2L(Fᵢ(wₜⁱ) − Fᵢ*), «from the fact that ∇Fᵢ(wᵢ*) = 0»""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "Fᵢ* = Fᵢ(w*), the client's loss at the global optimum",
            le(-excess_at_best, 0),
            "at w = wᵢ* the excess of client i is then Fᵢ(wᵢ*) − Fᵢ(w*) < 0 for unlike clients",
            at(share=["1/2", "1/2"], curvature=[1, 1], optimum=[0, -1], model=0),
        )
    ],
    verdict="""An index is missing: F(wᵢ*) has to be Fᵢ(wᵢ*), and then no client has a negative excess. The same
        sentence forces it, «wᵢ* the global optimum of Fᵢ», and so does A.2, which applies Lemma 1 to Fᵢ «from the fact
        that ∇Fᵢ(wᵢ*) = 0». With F(wᵢ*) the excess of a client can be negative at its own minimiser, as in the
        instance shown: F₁ = w²/2, F₂ = (w + 1)²/2 and equal shares have F(w₁*) = 1/4, while F₁(w₁*) = 0. Γ = F* − ΣpᵢF(wᵢ*) is then never positive. The index may
        have been lost in the copy used here; a typeset copy would tell. All other checks take Fᵢ(wᵢ*).""",
)


def data(x: Instance) -> Mapping[str, Any]:
    """Γ of equal clients, of clients with four flips of one fair coin, of any samples; the range of losses where Γ = 0."""
    p, h, w, coins = x["share"], x["curvature"], x["model"], np.where(x["sample"] >= 0, 1.0, -1.0)

    def gamma(m: Any, h: Any) -> Any:
        best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
        return (p * 0.5 * h * (best[:, None] - m) ** 2).sum(axis=1)

    found = {
        "Gamma_same": gamma(0 * p + w[:, None], h[:, :1] + 0 * p),
        "Gamma_coins": gamma(coins.mean(axis=2), 0 * p + 1),
    }
    found |= {
        "Gamma": gamma(x["sample"].mean(axis=2), 0 * p + 1),
        "losses_apart": np.ptp(0.5 * h * w[:, None] ** 2, axis=1),
    }
    return {**found, "sizes": {"Gamma_same": h[:, 0] * w**2, "Gamma_coins": np.ones(len(p)), "Gamma": np.ones(len(p))}}


def data_exact(x: Mapping[str, Any]) -> Pair:
    """Gamma from the losses of the samples; w^2 h_i/2 have one minimiser, so Gamma = 0 there."""
    p, w, h, one = x["share"], x["model"], x["curvature"], Fraction(1)
    coins = [[Fraction(1 if v >= 0 else -1) for v in row] for row in x["sample"]]

    def gamma(samples: Any, k: Any) -> Any:
        best = sum(q * sum(row) / len(row) for q, row in zip(p, samples, strict=True))
        means = [(q, row, sum(row) / len(row)) for q, row in zip(p, samples, strict=True)]
        return sum(q * k * sum((best - v) ** 2 - (at - v) ** 2 for v in row) / (2 * len(row)) for q, row, at in means)

    losses = [k * w**2 / 2 for k in h]
    found = {
        "Gamma_same": gamma([[w] for q in p], h[0]),
        "Gamma_coins": gamma(coins, one),
        "Gamma": gamma(x["sample"], one),
    }
    return {"shares on the simplex": sum(p) == 1}, {**found, "losses_apart": max(losses) - min(losses)}


def _samples_of(n: int) -> tuple[Coordinate, ...]:
    curved = LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,))
    sample = Uniform("sample", -1.0, 1.0, (n, 4), at=(-1.0, 1.0))
    return (Simplex("share", n, interior=True), curved, Signed("model", 1e-2, 1e2), sample)


Q2 = remark(
    "RA-Q2",
    "Sec. 2.5.1",
    "Γ = 0 and IID data",
    printed=r"\Gamma=0\quad\text{«corresponds to an IID-dataset»}",
    plainly="IID data make Γ zero.",
    assumes=["Γ as in (3) with Fᵢ* = Fᵢ(wᵢ*)"],
    says=le(Gamma_same, 0),
    world=clients_on_a_line("clients on a line", _samples_of, data, data_exact, 50),
    open={
        "loss": nowhere("""«the loss function of the i-th client»: of the law of its data or of its finite data set;
            «IID-dataset» is only in Sec. 4.1 «an identical label distribution over the clients»""")
    },
    readings=[
        reading("equal losses give Γ = 0", "The infinite-sample sense of IID.", options={"loss": "of the law"}),
        reading(
            "finite samples of one law give Γ = 0",
            "Four samples a client of a fair ±1 coin, squared loss.",
            le(Gamma_coins, 0),
            options={"loss": "of the finite data set"},
        ),
        reading(
            "Γ = 0 gives equal losses",
            "Clients with one minimiser: the converse, which is ours.",
            le(losses_apart, 0),
            ours="makes an equivalence of «corresponds to»; the paper uses only that IID data have Γ = 0",
        ),
    ],
    mutants=[mutant("any clients of one curvature have Γ = 0", le(Gamma, 0), "unlike means give Γ > 0")],
    rests_on=["RA-D4"],
    verdict="""It holds if Fᵢ is the loss over the law of the client's data, and fails if it is the loss over its finite
        data set; which of the two is not said. Section 2.1 has «the loss function of the i-th client», which fits both,
        and what IID means stands in Section 4.1 only, «an identical label distribution over the clients». One law gives
        equal loss functions and Γ = 0; finite data sets drawn from it have different minimisers and Γ > 0, of the order
        of the variance over the number of samples. The converse is ours, not the paper's, and false: Γ = 0 holds
        whenever the clients share a minimiser, as in over-parametrised training, however different their losses are
        otherwise.""",
)

CLAIMS: tuple[Claim, ...] = (D3, Q2)

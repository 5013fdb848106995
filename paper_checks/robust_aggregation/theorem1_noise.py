"""The bounds on A₂ and A₄ in the proof of Theorem 1: what the noise of the stochastic gradients does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.rounds import watched
from paper_checks.robust_aggregation.rounds_cases import ROUND, noisy_runs, plain_runs
from paper_checks.robust_aggregation.rounds_exact import expected, run
from theory.exact import dot, weighted_sum
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
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    rotated_space,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

zero, right, eta, sigma2 = symbols("zero right eta sigma2")
_NOTHING = Bound(zero, degrees={"zero": (0, 2)})


def _second(x: Instance, *, whole: bool) -> Mapping[str, Any]:
    view = watched(x)
    eta = view.constants["eta"][:, None, None]
    slope, drawn = view.averaged(view.slope), view.averaged(view.drawn)
    ahead = view.w - view.best[:, None] - eta * slope
    a2 = 2 * eta[..., 0] * (ahead * (slope - drawn if whole else slope)).sum(axis=-1)
    size = view.constants["reach"] * (1 + view.constants["eta"] * view.constants["L"])
    return {**view.constants, "lhs": np.abs(view.mean(a2)), "zero": 0 * size, "magnitude": size}


def _whole(x: Instance) -> Mapping[str, Any]:
    return _second(x, whole=True)


def _short(x: Instance) -> Mapping[str, Any]:
    return _second(x, whole=False)


def second_term(q: Mapping[str, Any], c: Mapping[str, Any], whole: bool) -> Any:
    """A_2 on one path, with or without the stochastic gradients in its second factor."""
    slope, drawn = weighted_sum(q["weights"], q["slope"]), weighted_sum(q["weights"], q["drawn"])
    ahead = [a - b - c["eta"] * s for a, b, s in zip(q["w"], c["best"], slope, strict=True)]
    return 2 * c["eta"] * dot(ahead, [s - (g if whole else 0) for s, g in zip(slope, drawn, strict=True)])


def whole_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|E A_2| with A_2 as in the expansion, over all paths."""
    hypotheses, c, paths = run(x)
    return hypotheses, {"lhs": abs(expected(paths, lambda q: second_term(q, c, True))), "zero": Fraction(0)}


def short_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|E A_2| with A_2 as its own paragraph prints it, over all paths."""
    hypotheses, c, paths = run(x)
    return hypotheses, {"lhs": abs(expected(paths, lambda q: second_term(q, c, False))), "zero": Fraction(0)}


_SEEING = noisy_runs(_whole, whole_exact, ROUND, (3.0,), ((2, 1, 1), (3, 1, 1)), uses=(second_term,))
_SEEN_EARLIER = noisy_runs(_whole, whole_exact, ROUND, (3.0,), ((2, 2, 1),), uses=(second_term,))

_A2 = Claim(
    id="RA-P-T1.A2",
    kind=Kind.INEQUALITY,
    source="Proof of Theorem 1 (A.2), bound for A₂",
    title="A₂ has expectation zero",
    statement=(
        r"A_2=2\eta_t\Big\langle w_t-w^\star-\eta_t\sum_i\alpha_t^i\nabla F_i(w_t^i),\ \sum_i\alpha_t^i\nabla F_i(w_t^i)"
        r"\Big\rangle,\qquad\mathbb E(A_2)=0"
    ),
    says="The term A₂ vanishes in expectation, since the stochastic gradients are unbiased.",
    assumes=("gᵢ unbiased given the past", "checked as |E(A₂)| <= 0"),
    readings=(
        Reading(
            "A₂ as its own paragraph prints it",
            "The second factor is Σα∇F alone; nothing in it is random beyond the past.",
            Inequality(_NOTHING, (plain_runs(_short, short_exact, ROUND, uses=(second_term,)),), degrees=(0, 2)),
        ),
        Reading(
            "A₂ as in the expansion, weights that have seen the round's earlier samples",
            "The second factor is Σα∇F − Σαg with the round's weights at every t; rounds of two noisy steps, the weights chosen between them.",
            Inequality(_NOTHING, _SEEN_EARLIER, degrees=(0, 2)),
        ),
        Reading(
            "A₂ as in the expansion, weights known before the round",
            "Weights fixed in advance, FedWorse and FedBetter by the losses of the model sent out.",
            Inequality(
                _NOTHING,
                noisy_runs(_whole, whole_exact, replace(ROUND, slow=False), uses=(second_term,)),
                degrees=(0, 2),
            ),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "the weights see the step's own samples",
            Inequality(_NOTHING, _SEEING[:1], degrees=(0, 2)),
            "the client is chosen by its noise, so the weighted noise has a mean of one sign",
        ),
    ),
    depends_on=("RA-A0", "RA-P-T1.1"),
    verdict_words=(
        "The paper prints A₂ twice. In the expansion its second factor is Σα∇F − Σαg, which has mean zero given the past "
        "as long as the weights are known before these samples. In its own "
        "paragraph the «− Σαg» is missing, and that A₂ is not zero even without noise. The proof uses the expansion at every t with the round's weights. If these have seen the "
        "round's earlier samples, as they have where FedWorse takes its losses at a wₜ that contains them or at the local models, the mean at the earlier steps is not zero either; "
        "with weights known before the round it is. Weights that see even the samples of the step that ends the round, which no strategy of the paper computes, are a canary."
    ),
)


def _fourth(x: Instance) -> Mapping[str, Any]:
    q, raw, slope = x["chance"], x["noise"], x["slope"]
    noise = raw - np.einsum("nj,njid->nid", q, raw)[:, None]
    a = np.where((x["sees"] > 0)[:, None, None], x["late_weights"], x["weights"][:, None, :])
    eta, link = x["eta"], int(x["link"][0])
    sizes = (noise**2).sum(axis=-1)
    mean = (np.einsum("nji,njid->njd", a, noise) ** 2).sum(axis=-1)
    everyone = (slope[:, None] + noise).sum(axis=2)
    from_sum = ((slope[:, None] - everyone[:, :, None]) ** 2).sum(axis=-1)
    lines = [mean, (a * from_sum).sum(axis=2), (a * sizes).sum(axis=2)]
    ended, summed, own = (eta**2 * (q * v).sum(axis=1) for v in lines)
    sigma2 = (q[..., None] * sizes).sum(axis=1).max(axis=1)
    top = eta**2 * sigma2
    lhs, bound = {1: (ended, summed), 2: (summed, top), 3: (ended, own), 4: (own, top), 5: (ended, top)}[link]
    size = eta**2 * ((slope**2).sum(axis=-1).max(axis=1) + (raw**2).sum(axis=-1).max(axis=(1, 2)))
    return {"lhs": lhs, "right": bound, "magnitude": size}


def fourth_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One inequality of the line on A_4; joint noise of all clients with finitely many outcomes."""
    q, slope, dim = x["chance"], x["slope"], range(len(x["slope"][0]))
    clients, outcomes = range(len(slope)), range(len(q))
    mean = [[sum(q[j] * x["noise"][j][i][k] for j in outcomes) for k in dim] for i in clients]
    noise = [[[x["noise"][j][i][k] - mean[i][k] for k in dim] for i in clients] for j in outcomes]
    a = x["late_weights"] if x["sees"] > 0 else [x["weights"] for _ in outcomes]
    drawn = [[[slope[i][k] + noise[j][i][k] for k in dim] for i in clients] for j in outcomes]
    ended = summed = own = Fraction(0)
    for j in outcomes:
        moved = [sum(a[j][i] * (slope[i][k] - drawn[j][i][k]) for i in clients) for k in dim]
        ended = ended + q[j] * dot(moved, moved)
        total = [sum(drawn[j][i][k] for i in clients) for k in dim]
        for i in clients:
            summed = summed + q[j] * a[j][i] * sum((slope[i][k] - total[k]) ** 2 for k in dim)
            own = own + q[j] * a[j][i] * dot(noise[j][i], noise[j][i])
    sigma2 = max(sum(q[j] * dot(noise[j][i], noise[j][i]) for j in outcomes) for i in clients)
    square = x["eta"] ** 2
    links = {1: (ended, summed), 2: (summed, sigma2), 3: (ended, own), 4: (own, sigma2), 5: (ended, sigma2)}
    lhs, bound = links[int(x["link"])]
    weights = [x["weights"], *x["late_weights"]]
    hypotheses = {
        "probabilities": sum(q) == 1 and min(q) >= 0,
        "unbiased: the noise has mean 0": all(
            sum(q[j] * noise[j][i][k] for j in outcomes) == 0 for i in clients for k in dim
        ),
        "weights on the simplex": all(sum(w) == 1 and min(w) >= 0 for w in weights),
    }
    return hypotheses, {"lhs": square * lhs, "right": square * bound}


def _noises(link: int, *, sees: bool = False) -> Family:
    """Any gradients, noise of three joint outcomes; `sees`: weights that depend on the outcome."""

    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                Signed("slope", 1e-3, 1e2, (n, dim)),
                Simplex("chance", 3),
                Signed("noise", 1e-3, 1e2, (3, n, dim)),
                Simplex("weights", n),
                Simplex("late_weights", n, (3,)),
                LogScale("eta", 1e-3, 1e1, at=(1.0,)),
                Choice("link", (float(link),)),
                Choice("sees", (float(sees),)),
            )
        )
        every = {"slope": 0, "noise": 1, "weights": 0, "late_weights": 1}
        return Case(
            f"any gradients, noise of three outcomes, N = {n}, d = {dim}",
            space,
            _fourth,
            ExactCheck(fourth_exact, (dot,)),
            cost=max(1.0, n * dim / 20),
            symmetries=(
                permuted_clients(every),
                rotated_space(("slope", "noise")),
                units({"slope": (1, -1), "noise": (1, -1), "eta": (-1, 2)}),
            ),
        )

    return Family("any gradients", (Size("N", 1, 300, 2), Size("d", 1, 8, 1)), at)


def _links(*links: int, sees: bool = False) -> Inequality:
    bound = Bound(right, degrees={"right": (0, 2)})
    return Inequality(bound, tuple(_noises(k, sees=sees) for k in links), degrees=(0, 2))


_A4 = Claim(
    id="RA-P-T1.A4",
    kind=Kind.INEQUALITY,
    source="Proof of Theorem 1 (A.2), bound for A₄",
    title="The variance of the mean gradient",
    statement=(
        r"A_4=\mathbb E\Big[\eta_t^2\Big\|\sum_i\alpha_t^i\nabla F_i(w_t^i)-\sum_i\alpha_t^ig_i(w_t^i)\Big\|^2\Big]\le\eta_t^2"
        r"\sum_i\alpha_t^i\mathbb E\Big[\Big\|\nabla F_i(w_t^i)-\sum_{i\in I}g_i(w_t^i)\Big\|^2\Big]\le\eta_t^2\sum_i"
        r"\alpha_t^i\sigma^2\le\eta_t^2\sigma^2"
    ),
    says="The expected squared error of the mean gradient is at most the mean of the clients' variances.",
    assumes=("E‖gᵢ − ∇Fᵢ‖² <= σ², gᵢ unbiased", "weights on the simplex, known before the round, as for A₂"),
    readings=(
        Reading(
            "as printed",
            "Every inequality of the line, with the sum over all clients inside the norm.",
            _links(1, 2),
        ),
        Reading(
            "without the inner sum",
            "‖∇Fᵢ(wₜⁱ) − gᵢ(wₜⁱ)‖² in the middle: every inequality of the line, and its two ends.",
            _links(3, 4, 5),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "without the inner sum, but weights that see the noise",
            _links(5, sees=True),
            "choosing whichever client has the larger noise gives the mean of a maximum, more than each one's variance",
        ),
        Canary(
            "with the inner sum, the second inequality alone",
            _links(2),
            "another client's gradient may be as large as it likes, and σ² may be 0",
        ),
    ),
    tight="one client",
    depends_on=("RA-A3",),
    verdict_words=(
        "The sum over i ∈ I inside the second norm is a slip; without it every inequality of the line "
        "holds. The expressions on both sides force it: Jensen's inequality gives ‖∇Fᵢ − gᵢ‖² from the "
        "first, and Assumption 3, which gives the σ² that follows, bounds just that. As printed, the "
        "middle compares ∇Fᵢ with the sum of all clients' stochastic gradients, which is not bounded by "
        "σ²: for two clients without noise, σ² = 0, it is the other client's squared gradient. The two "
        "ends, all that is used later, hold for weights known before the round, as the line, with the "
        "weights outside the expectation, takes them."
    ),
)

CLAIMS: tuple[Claim, ...] = (_A2, _A4)

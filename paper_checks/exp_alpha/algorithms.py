"""A.2 and Algorithms 1 to 4: Exp-α's pseudocode against Eq. 3, FedAvg whole and sampled, and what Exp-α costs (EA-R8)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from sympy import Rational

from paper_checks.exp_alpha.corollary import chosen_u, fast_u
from paper_checks.exp_alpha.drawing import drawn, over, positive, quadratics, ranging, signed
from paper_checks.exp_alpha.drawn_clients import biased_exact
from paper_checks.exp_alpha.exponential import exp_near, exp_weights, slack
from paper_checks.exp_alpha.notation import NOTATION, Coordinates, Plain, Seen
from paper_checks.exp_alpha.relations_tables import printed, table
from paper_checks.exp_alpha.settings import EXPONENTIAL
from theory import RoundStats, Scheduled, from_spectra, simulate
from theory.participation.finite_laws import multinomial_law, subsets_law
from theory.rules import ExpAlpha
from validation import Case, Cell, Choice, Comparison, Instance, Integer, LogScale, Number, Relation, Simplex
from validation.published.relations import below
from validation.world import World, at, definition, le, mutant, reading, remark, twice

__all__ = ["CLAIMS"]

apart2, missed, middle, closed_form, off = NOTATION.symbols("apart2 missed middle closed_form off")
epochs, share_of_training = NOTATION.symbols("epochs share_of_training")


def server(x: Instance, *, K: int) -> Seen:
    """(W − ∇F(W) − ΣρᵢWᵢ)²: the pseudo-gradient of Algorithm 1 against Eq. 3's weights over the clients selected.

    `cut`, where there is one, the upper limit of the normaliser, else K. Clients beyond the first K are not selected.
    """
    h, m, w, local = x["curvature"], x["optimum"], x["start"], x["local"]
    scores = (0.5 * h * (local - m) ** 2 - 0.5 * h * (w[:, None] - m) ** 2) / x["alpha"][:, None]
    raw = np.exp(np.maximum(scores[:, :K] - scores[:, :K].max(axis=1, keepdims=True), -700.0))
    counted = np.arange(K) < x.get("cut", np.full(len(h), float(K)))[:, None]
    whole = (raw * counted).sum(axis=1)
    total = np.maximum(whole, 1e-100)
    pseudo = (raw * (w[:, None] - local[:, :K])).sum(axis=1) / total
    present = np.broadcast_to(np.arange(h.shape[1]) < K, scores.shape)
    share = np.full_like(scores, 1 / h.shape[1])
    stats = RoundStats(share=share, present=present, loss_before=np.zeros_like(scores), loss_after=scores)
    target = (np.asarray(ExpAlpha(alpha=1.0)(stats)) * local).sum(axis=1)
    defined = whole > 1e-100  # the float twin of a positive exponential
    return {"apart2": np.where(defined, (w - pseudo - target) ** 2, 0.0), "admissible": defined}


def server_exact(x: Seen, *, K: int) -> Plain:
    """W - (pseudo-gradient of Algorithm 1) less the mean of the local models by Eq. 3, squared; server rate 1."""
    h, m, w, local = x["curvature"], x["optimum"], x["start"], x["local"]
    change = [h[i] * ((local[i] - m[i]) ** 2 - (w - m[i]) ** 2) / 2 for i in range(K)]
    raw = [exp_near((c - max(change)) / x["alpha"]) for c in change]
    last = min(int(x["cut"]), K) if "cut" in x else K
    pseudo = sum(raw[i] * (w - local[i]) for i in range(K)) / sum(raw[:last])
    gap = w - pseudo - sum(a * v for a, v in zip(exp_weights(change, x["alpha"]), local[:K], strict=True))
    size = max(abs(v) for v in [w, *local])
    met = {"A1, A2": min(h) > 0, "alpha > 0": x["alpha"] > 0, "1 <= K <= N": 1 <= K <= len(h)}
    return met, {"apart2": gap * gap - slack() * size * size}


def server_step(N: int, K: int, *, cut: tuple[float, ...] = ()) -> Case:
    """K of N clients selected, or of K where that is more."""
    n = max(N, K)
    of: Coordinates = (*quadratics(n, decades=1), signed("local", n, decades=1), signed("start", decades=1))
    of += (LogScale("alpha", 1e-1, 1e3, at=(0.2, 1.0)), *((Choice("cut", cut),) if cut else ()))
    told: dict[str, Any] = {"cost": max(1.0, n / 30), "permuted": False, "K": K}
    return drawn(f"{K} of {n} clients", of, server, server_exact, **told)


def server_round(*, low: int = 1, cut: tuple[float, ...] = ()) -> World:
    """Up to 60 clients, up to 30 of them selected; `cut`: upper limits of the normaliser."""
    return ranging("one round", partial(server_step, cut=cut), N=(low, 60, 4), K=(low, 30, 3))


def corollary(x: Instance, *, positive: bool) -> Seen:
    """1 where the weights of Corollary 1.1 are 0/0, else |Σρ − 1|; 𝒰 a step function, `positive` everywhere or not."""
    factor = x["size"] * x["size"].shape[1] / x["size"].sum(axis=1, keepdims=True)
    raw = factor * fast_u(x, factor * x["excess"])[0]
    total = raw.sum(axis=1)
    sums = (raw / np.where(total > 0, total, 1.0)[:, None]).sum(axis=1)
    missed = np.where(total > 0, np.abs(sums - 1), 1.0)
    met = (x["height"][:, 0] > 0) | (not positive)
    return {"missed": missed, "admissible": met}


def corollary_exact(x: Seen, *, positive: bool) -> Plain:
    """1 where every weight is 0, else |sum of the weights - 1|."""
    mean = sum(x["size"]) / len(x["size"])
    raw = [s / mean * chosen_u(x, s / mean * excess) for s, excess in zip(x["size"], x["excess"], strict=True)]
    met = {
        "sizes positive, excess losses >= 0": min(x["size"]) > 0 and min(x["excess"]) >= 0,
        "U non-negative": min(x["height"]) >= 0,
        "U positive everywhere, where asked": not positive or x["height"][0] > 0,
    }
    total = sum(raw)
    return met, {"missed": abs(sum(r / total for r in raw) - 1) if total > 0 else Fraction(1)}


def written_weights(*, positive_u: bool) -> World:
    """Up to 300 clients of any sizes and excess losses, 𝒰 a step function."""

    def at(N: int) -> Case:
        of = (positive("size", N), positive("excess", N), positive("drop", 2, at=()), Simplex("height", 3))
        cost = max(1.0, N / 40)
        return drawn(f"{N} clients", of, corollary, corollary_exact, cost=cost, positive=positive_u)

    return ranging("weights of the family", at, N=(1, 300, 3))


def run(x: Instance, *, E: int, R: int, as_one: bool) -> Seen:
    """The model of the array simulator after R rounds and in closed form, or (`as_one`) as one SGD run on ΣρᵢFᵢ."""
    h, m = x["curvature"], x["optimum"]
    mu, L = h.min(axis=1), h.max(axis=1)
    steps = 2 / (mu * (np.maximum(8 * L / mu, E) - 1 + np.arange(R * E)[:, None]))
    share = np.full_like(h, 1 / h.shape[1])
    federation = from_spectra(h[:, :, None], None, m[:, :, None], np.zeros_like(h), share)
    rule, start = Scheduled(x["weights"].swapaxes(0, 1)), x["start"][:, None]
    done = simulate(federation, rule, start=start, step_sizes=steps, n_local_steps=E, record=())
    w = x["start"]
    for r in range(R):
        a, etas = x["weights"][:, r], steps[r * E : (r + 1) * E]
        for eta in etas if as_one else ():
            w = w - eta * (a * h * (w[:, None] - m)).sum(axis=1)
        w = w if as_one else (a * (m + np.prod(1 - etas[:, :, None] * h, axis=0) * (w[:, None] - m))).sum(axis=1)
    return {"middle": done.final[:, 0], "closed_form": w}


def run_exact(x: Seen, *, E: int, R: int, as_one: bool) -> Plain:
    """D3 and D4 step by step, and the closed form of a round, or SGD steps on sum rho_i F_i; A.9's steps."""
    h, m, n = x["curvature"], x["optimum"], range(len(x["optimum"]))
    gamma, t = max(8 * max(h) / min(h), Fraction(E)) - 1, 0
    by_step = closed = x["start"]
    for a in x["weights"][:R]:
        local, keep = [by_step for _ in n], [Fraction(1) for _ in n]
        for _ in range(E):
            eta = 2 / (min(h) * (gamma + t))
            local = [local[i] - eta * h[i] * (local[i] - m[i]) for i in n]
            keep = [keep[i] * (1 - eta * h[i]) for i in n]
            if as_one:
                closed = closed - eta * sum(a[i] * h[i] * (closed - m[i]) for i in n)
            t = t + 1
        by_step = sum(a[i] * local[i] for i in n)
        if not as_one:
            closed = sum(a[i] * (m[i] + keep[i] * (closed - m[i])) for i in n)
    met = {"A1, A2": min(h) > 0, "weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"])}
    return met, {"middle": by_step, "closed_form": closed}


def whole_runs(*, as_one: bool = False, most: int = 20) -> World:
    """Up to 30 clients, ten rounds of up to `most` local steps."""

    def at(N: int, E: int, R: int) -> Case:
        of = (*quadratics(N, decades=1), Simplex("weights", N, (R,)), signed("start", decades=1))
        name, cost = f"{N} clients, {R} rounds of {E} steps", min(4.0, max(1.0, N * E * R / 50))
        return drawn(name, of, run, run_exact, cost=cost, E=E, R=R, as_one=as_one)

    return ranging("runs", at, N=(1, 30, 3), E=(1, most, 1 if most == 1 else 3), R=(1, 10, 2))


def lawful(x: Instance, *, K: int, law: str) -> Seen:
    """‖E W̃ − ΣρᵢVᵢ‖² over the sampling laws of `theory.participation.finite_laws`, or of the first K clients."""
    a, v = x["weights"], x["local"]
    if law == "the first":
        mean = v[:, :K].mean(axis=1)
    else:
        drawn = multinomial_law(a, K) if law == "by weight" else subsets_law(a, K, renormalise=True)
        mean = (drawn.probability * (drawn.weights * v[:, None]).sum(axis=2)).sum(axis=1)
    return {"off": (mean - (a * v).sum(axis=1)) ** 2}


def sampled_round(law: str) -> World:
    """A few clients on the line, drawn by a law of `theory.participation.finite_laws`."""
    told: dict[str, Any] = {"cost": 2.0, "permuted": False, "law": law}

    def at(n: int, K: int) -> Case:
        of = (Simplex("weights", n, interior=True), signed("local", n, decades=1))
        return drawn(f"{K} of {n} clients, {law}", of, lawful, biased_exact, **told, K=K)

    return over(*(at(n, K) for n, K in ((2, 1), (3, 2), (4, 3), (5, 2))))


_SAME_STEP, _DEFINED, _UNBIASED = le(apart2, 0), le(missed, 0), le(off, 0)
_SAME_RUN = le((middle - closed_form) ** 2, 0)

ALG1 = definition(
    "EA-ALG1",
    "Algorithm 1, A.2",
    "Exp-α's pseudocode and Eq. 3",
    printed=r"""\nabla F(\mathbf W^T)=\frac1{\sum_j\rho_j^{T+E}}\sum_{i=1}^K\rho_i^{T+E}(\mathbf W^T-\mathbf W_i^{T+
        E}),\quad\rho_i^{T+E}=\exp\Big(\tfrac{F_i(\mathbf W_i^{T+E})-F_i(\mathbf W^T)}\alpha\Big)""",
    plainly="A server step of rate 1 by Algorithm 1 gives the mean of the local models by Eq. 3's weights.",
    assumes=["ServerUpdate(W, ∇F) = W − ∇F", "K selected clients; weights and normaliser run over these", "α > 0"],
    says=_SAME_STEP,
    world=server_round(),
    readings=[
        reading(
            "normaliser over j = 1 … K",
            """As the display stands a second time; compared with the rule of `theory.rules`, clients not selected
                absent.""",
            because="printed so in the display's other occurrences; K clients are selected",
        ),
        reading(
            "normaliser over j = 1 … T",
            "As the display stands first in the text we have: T is a step, here any from 1 on.",
            world=server_round(low=2, cut=(1.0, 2.0, 3.0)),
            ours="""damage of the text we have: it gives Algorithm 1's one display three times over, once with T for K
                beside a sum over i = 1 … K""",
        ),
    ],
    mutants=[
        mutant(
            "last client left out of the normaliser",
            None,
            "the weights then sum to more than 1",
            world=over(server_step(3, 3), *(server_step(k + 1, k, cut=(float(k - 1),)) for k in (2, 3, 5))),
        )
    ],
    rests_on=["EA-D7"],
    verdict="""With the normaliser over the K selected clients the pseudocode is Eq. 3, T + E in place of T, and equals
        the rule of this package. The first print of the display sums to T, which counts steps: at T = 0, the first
        round, the sum is empty, and for 0 < T < K the weights sum to more than 1. It is plainly a slip for K, or damage
        of the text we have. The weights it calls ρ are unnormalised, unlike ρ elsewhere (EA-R7).""",
)

ALG2 = definition(
    "EA-ALG2",
    "Corollary 1.1 (Sec. 3.3)",
    "The weight family of Corollary 1.1",
    printed=r"""\rho_i^{t+1}\propto\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}\,\mathcal U
        \Big(\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}(F_i(\mathbf W_i^*)-F_i(\bar{\mathbf W}^t))\Big),\quad\mathcal U\ge0
        \text{ non-decreasing}""",
    plainly="Every non-negative, non-decreasing 𝒰 gives weights on the simplex.",
    assumes=["positive data sizes", "step functions stand for all 𝒰: only finitely many arguments occur"],
    says=_DEFINED,
    world=written_weights(positive_u=False),
    readings=[
        reading(
            "any 𝒰 >= 0",
            "The weights exist and sum to 1.",
            because="""«𝒰(*) ≥ 0 is a non-decreasing function» is all that is printed; its arguments are never positive,
                so a step at 0 gives 0/0""",
        ),
        reading(
            "𝒰 > 0",
            "A 𝒰 that is positive everywhere, as exponentials are.",
            world=written_weights(positive_u=True),
            conditions=["𝒰 > 0"],
            met_by=EXPONENTIAL,
        ),
    ],
    mutants=[mutant("𝒰 > 0 removed", _DEFINED, "a step at 0: 𝒰 is 0 at every client with W̄ᵗ ≠ Wᵢ*")],
    rests_on=["EA-D5"],
    verdict="""All arguments Fᵢ* − Fᵢ(W̄ᵗ) are at most 0, so a 𝒰 such as max(x, 0) or a step at 0 is 0 at every client
        and the weights are 0/0, though 𝒰 is admissible as printed. With 𝒰 positive, as the exponentials used later are,
        the weights lie on the simplex. The rule needs Wᵢ* and the model of the last step, so it is an oracle.""",
)

ALG3 = definition(
    "EA-ALG3",
    "Theorem 1 (Sec. 3.2); (2), (4)–(6)",
    "FedAvg with time-varying weights",
    printed=r"""\mathbf W^{T+E}=\sum_i\rho_i^{T+E}\mathbf W_i^{T+E},\quad\mathbf W_i^{t+1}=\mathbf W_i^t-\eta_t\nabla
        f_i(\mathbf W_i^t;\xi_i^t),\quad\mathbf W_i^T=\mathbf W^T""",
    plainly="Theorem 1's algorithm is E local steps of every client and one weighted mean, as simulated here.",
    assumes=["full participation, A.9's steps, no noise", "weights of each synchronisation on the simplex"],
    says=_SAME_RUN,
    world=whole_runs(),
    readings=[
        reading(
            "simulator and closed form",
            "Array simulator against the closed form of a round of quadratic clients; exactly, step by step.",
            part="a round is E local steps and one weighted mean",
        ),
        reading(
            "E = 1",
            "Then it is gradient descent on Σρᵢᵗ⁺¹Fᵢ with this step's weights.",
            world=whole_runs(as_one=True, most=1),
            part="one local step",
        ),
    ],
    mutants=[
        mutant(
            "E > 1 as descent on the weighted objective",
            None,
            "clients of different curvatures drift apart in a round",
            world=whole_runs(as_one=True),
        )
    ],
    rests_on=["EA-D3", "EA-D4"],
    verdict="""Pseudocode, equations and the simulator of this package agree on every run tried. For E = 1 the algorithm
        is gradient descent on an objective that changes with the weights; for E > 1 it is not.""",
)

ALG4 = definition(
    "EA-ALG4",
    "Assumption 5 and (25), A.12",
    "FedAvg with sampled clients",
    printed=r"""\tilde{\mathbf W}^{t+1}=\sum_i\rho_i^{t+1}\mathbf W_i^{t+1},\quad\mathbf W_i^{t+1}=\tfrac1K\sum_{i=1}^K
        \mathbf V_i^{t+1}\ \text{ at }t+1\in\mathcal I_E,\ K\text{ clients drawn by }\rho^{t+1}""",
    plainly="""At a synchronisation every client becomes the plain mean of K draws, which on average is the weighted
        mean.""",
    assumes=["K draws with replacement, by probabilities ρᵗ⁺¹ that do not see the draw", "models on the line"],
    says=_UNBIASED,
    world=sampled_round("by weight"),
    readings=[
        reading(
            "i runs over the draws",
            "Mean over a law of `theory.participation.finite_laws` against ΣρᵢVᵢ; all tuples exactly.",
        ),
        reading(
            "i runs over clients 1 … K",
            "(25) as indexed: the sum takes the first K clients, whoever was drawn.",
            world=sampled_round("the first"),
            ours="""nobody would defend it: the sum's i is bound, the sentence before (25) draws K clients «repeatedly
                for K times with replacement», and the proof of Lemma 4 prints E_s[V_i^{t+1}] = Σρ_i^{t+1}V_i^{t+1} (as
                in EA-A5)""",
        ),
    ],
    mutants=[
        mutant(
            "Algorithm 1's selection",
            None,
            "uniform subsets, weights normalised: for K = 1 the mean is the plain one",
            at("1 of 2 clients, subsets", weights=["2/3", "1/3"], local=[0, -1]),
            world=sampled_round("subsets"),
        )
    ],
    rests_on=["EA-A5", "EA-D3"],
    verdict="""Read with i over the K draws, as the words of Assumption 5 say, the scheme is well defined and right on
        average. Read as indexed, (25) takes clients 1 to K and the sampling plays no part. Algorithm 1 does neither: it
        selects K clients uniformly and weights them afterwards, so Theorem 2 is not about Exp-α as run.""",
)


def passes() -> Fraction:
    """Calls of CalculateRisk by one client in one round of Algorithm 1, beside E local steps."""
    calls = {"forward over all local data": 0, "local steps": 0}

    def risk() -> None:
        calls["forward over all local data"] += 1

    risk()  # F_i(W^T), of the broadcast model
    for _ in range(20):
        calls["local steps"] += 1  # ClientUpdate: a forward and a backward pass over one batch each
    risk()  # F_i(W_i^(T+E)), of the local model
    return Fraction(calls["forward over all local data"])


def cost(x: Instance) -> Seen:
    """Two forward passes over the data as a share of training for `epochs`, a backward pass costing `backward`."""
    return {"share_of_training": 2.0 / (x["epochs"] * (1.0 + x["backward"])), "epochs": x["epochs"]}


def cost_exact(x: Seen) -> Plain:
    """Cost of two forward passes over the local data over that of the training passes, in forward passes."""
    training = sum((1 + x["backward"] for _ in range(int(x["epochs"]))), Fraction(0))
    met = {"several epochs": x["epochs"] >= 2, "a backward pass costs at least a forward pass": x["backward"] >= 1}
    return met, {"share_of_training": 2 / training, "epochs": x["epochs"]}


_OF = (Integer("epochs", 2, 100, at=(2, 4, 16)), LogScale("backward", 1.0, 4.0, at=(1.0, 2.0)))
_COST = over(drawn("2 to 100 epochs", _OF, cost, cost_exact))
_TWO = Cell("2", "A.2: «two additional inference passes on the local data»")

_DEAREST = 4  # forward passes that a backward pass costs at most, here as in _COST


def below_training(dataset: str, splits: str, steps: str) -> tuple[Comparison, ...]:
    """Two forward passes over each training set of a table against `steps` local steps over one batch each."""
    batch = printed("table04_implementation", "batch_size", dataset=dataset)
    seen = int(steps) * (1 + _DEAREST) * batch
    return tuple(
        below(
            (2 * printed(splits, domain=domain, split="train")).named(f"{dataset}, {domain}: two passes"),
            seen.named(f"{steps} steps with backward passes of {_DEAREST} forward passes"),
        )
        for domain in table(splits).values("domain")
    )


def domain_shift() -> tuple[Comparison, ...]:
    """The same on the domain-shift benchmarks, at the E that Table 3 prints for them."""
    splits = {"OfficeCaltech10": "table05_splits_office", "DomainNet": "table06_splits_domainnet"}
    splits |= {"Digits": "table07_splits_digits"}
    out: list[Comparison] = []
    for name, rows in splits.items():
        for steps in table("table03_domain_shift").values("E", dataset=name):
            out += below_training(name, rows, steps)
    return tuple(out)


R8 = remark(
    "EA-R8",
    "A.2",
    "Cost of Exp-α",
    printed=r"""\text{two additional inference passes over the local data per round, a small fraction of the cost of training}""",
    plainly="""Per round and client Exp-α costs two forward passes over the local data, a small fraction of the
        training.""",
    assumes=["a backward pass costs at least a forward pass", "several local epochs a round, as A.2 says"],
    says=Number(_TWO, passes, Fraction(0), "a count is exact"),
    open={
        "epoch": twice("""A.2 compares with epochs over the local data; A.3 and Table 4 print 4 batches of 64 an epoch
            on the domain-shift sets""")
    },
    readings=[
        reading("two passes", "Calls of CalculateRisk in a round of Algorithm 1.", part="two passes"),
        reading(
            "an epoch is a pass over the local data",
            "Then the two passes cost at most one part of the training in as many as there are local epochs.",
            le(share_of_training, 1 / epochs),
            world=_COST,
            part="a small fraction",
            options={"epoch": "a pass over the local data"},
        ),
        reading(
            "an epoch is 4 batches of 64, as in A.3",
            """Tables 3 to 7, charitably: on every domain the two passes cost less than all local steps of a round, each
                backward pass at four forward passes.""",
            Relation(domain_shift),
            part="a small fraction",
            options={"epoch": "4 batches of 64"},
        ),
    ],
    mutants=[
        mutant(
            "one pass", Number(Cell("1", "one pass"), passes, Fraction(0), "a count is exact"), "risk before and after"
        ),
        mutant(
            "at most a tenth of training",
            le(share_of_training, Rational(1, 10)),
            "two epochs with a backward pass of two forward passes: a third",
            at(epochs=2, backward=1),
            world=_COST,
        ),
        mutant(
            "DomainNet with a single local step",
            Relation(lambda: below_training("DomainNet", "table06_splits_domainnet", "1")),
            "one batch of 64 at five forward passes against twice 1472 samples or more",
        ),
    ],
    tight="a backward pass that costs as much as a forward pass",
    rests_on=["EA-ALG1"],
    verdict="""Two calls of CalculateRisk a round, one at each end of the local training, each over all local data.
        Against e epochs that are passes over that data, with backward passes of b forward passes, this is 2/(e(1 + b))
        of the training: with b = 2 a third for two epochs, a sixth for four. But A.3 keeps the steps per epoch
        constant: on the domain-shift sets an epoch is 4 batches of 64, so E = 16 trains on 16 × 64 = 1024 samples, whatever a
        client has. With b = 2 the two passes then cost from 2 × 87/(3 × 1024) = 6% to 2 × 628/(3 × 1024) = 41% of the
        training on Office-Caltech10, 2 × 892/(3 × 1024) = 58% on Digits, and on DomainNet from
        2 × 1472/(3 × 1024) = 96% (Clipart) to 2 × 2800/(3 × 1024) = 1.8 times (Quickdraw) and 2 × 3404/(3 × 1024) = 2.2
        times (Real) as much as the training; even with b = 4 more than all of it on Quickdraw and Real. For CIFAR-10 the paper does not print how much data a client
        has.""",
)

CLAIMS = (ALG1, ALG2, ALG3, ALG4, R8)

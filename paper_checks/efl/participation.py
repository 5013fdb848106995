"""Who takes part: inactive and incomplete clients, their coefficients, unbiased rounds and updates, the learning rate.

Sec. 3.1, 3.2, 4.1, 4.2 and A.2.1 before (61); full gradients, quadratic clients on the line, λ = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from paper_checks.efl.compression import UNTIED
from paper_checks.efl.notation import NOTATION
from paper_checks.efl.settings import AT_RANDOM
from validation import Case, Claim, Family, Instance, Size, permuted_clients, units
from validation.statement.instances.draw import Integer, LogScale, Signed, Simplex, Space, Uniform
from validation.world import World, case, definition, eq, le, mutant, nowhere, reading, remark, step

__all__ = ["CLAIMS"]

kinds, bias, pull_mean, pull_most, move_scaled, move_fast = NOTATION.symbols(
    "kinds bias pull_mean pull_most move_scaled move_fast"
)
update, growth, over_cap, sent_off = NOTATION.symbols("update growth over_cap sent_off")
Pair: TypeAlias = tuple[Mapping[str, bool], Mapping[str, Any]]
Coefficient: TypeAlias = Literal["E/s", "1", "unbiased"]


def one_client(x: Instance, *, E: int, loose: bool) -> Mapping[str, Any]:
    """How many of s = 0 (inactive), 0 < s < E (incomplete) and s = E (complete) apply; `loose`: 0 <= s < E incomplete."""
    s = x["done"]
    low = -1 if loose else 0
    return {"kinds": (s == 0) + ((low < s) & (s < E)) + (s == E) + 0.0}


def one_client_exact(x: Mapping[str, Any], *, E: int, loose: bool) -> Pair:
    """How many of s = 0, 0 < s < E, s = E apply."""
    s = x["done"]
    low = -1 if loose else 0
    return {"0 <= s <= E, E >= 1": 0 <= s <= E and E >= 1}, {"kinds": Fraction((s == 0) + (low < s < E) + (s == E))}


def _one_client(*, loose: bool = False) -> World:
    def at(E: float) -> Case:
        space, name = Space((Integer("done", 0, int(E)),)), f"steps done, E = {int(E)}"
        return case(name, space, one_client, one_client_exact, E=int(E), loose=loose)

    return World(NOTATION, (Family("steps done", (Size("E", 1, 300, 5),), at),))


DEF2 = definition(
    "EFL-DEF2",
    "Sec. 3.1",
    "Inactive and incomplete clients",
    printed=r"s_\tau^k=0:\ \text{inactive},\qquad0<s_\tau^k<E:\ \text{incomplete}",
    plainly="In each round a client is exactly one of inactive, incomplete and complete.",
    assumes=["0 <= s <= E, E >= 1"],
    says=eq(kinds, 1),
    world=_one_client(),
    readings=[reading("as printed", "s = 0, 0 < s < E, or s = E.")],
    mutants=[mutant("0 <= s < E", None, "s = 0 is then both", world=_one_client(loose=True))],
    verdict="A partition. For E = 1 no client is ever incomplete.",
)


def _patterns(x: Instance, coefficient: Coefficient, started: bool, equally: bool) -> tuple[Any, Any]:
    """Coefficients over shares and finished steps of three patterns."""
    E = x["steps"][:, None, None]
    s = np.clip(np.floor(x["done"] * (E + 1) + 1e-9), 1.0 if started else 0.0, E)
    if equally:  # every client active in the patterns in which client 0 is
        s = np.where(s[:, :, :1] > 0, np.maximum(s, 1), 0.0)
    if coefficient == "unbiased":
        mean = (x["chance"][..., None] * x["free"] * s).sum(axis=1, keepdims=True)
        return x["c"][:, None, None] * x["free"] / mean, s
    return np.ones_like(s) if coefficient == "1" else np.where(s > 0, E / np.maximum(s, 1), 0.0), s


def patterns_exact(x: Mapping[str, Any], coefficient: str, started: bool, equally: bool) -> tuple[Any, Any]:
    """Coefficients over shares (E/s, 0 for s = 0; 1; or any with E[p s] = c p^k) and finished steps of three patterns."""
    E, clients = int(x["steps"]), range(len(x["share"]))
    s = [[max(min(int(u * (E + 1)), E), 1 if started else 0) for u in row] for row in x["done"]]
    if equally:
        s = [[max(v, 1) if row[0] > 0 else 0 for v in row] for row in s]
    if coefficient == "unbiased":
        mean = [sum(q * f[k] * t[k] for q, f, t in zip(x["chance"], x["free"], s, strict=True)) for k in clients]
        return [[x["c"] * f / m for f, m in zip(row, mean, strict=True)] for row in x["free"]], s
    if coefficient == "1":
        return [[Fraction(1) for _ in row] for row in s], s
    return [[Fraction(E) / t if t else Fraction(0) for t in row] for row in s], s


def shares_of_work(x: Instance, *, coefficient: Coefficient, started: bool, equally: bool) -> Mapping[str, Any]:
    """(max − min over clients of E[p s]/pᵏ)/E: 0 exactly when r = 0."""
    p, s = _patterns(x, coefficient, started, equally)
    ratio = (x["chance"][..., None] * p * s).sum(axis=1)
    off, one = (ratio.max(axis=1) - ratio.min(axis=1)) / x["steps"], np.ones_like(x["steps"])
    return {"bias": off, "sizes": {"bias": one}}


def shares_of_work_exact(x: Mapping[str, Any], *, coefficient: str, started: bool, equally: bool) -> Pair:
    """Largest less smallest E[p_tau^k s_tau^k]/p^k over the clients, over E."""
    p, s = patterns_exact(x, coefficient, started, equally)
    law, share = list(zip(x["chance"], p, s, strict=True)), x["share"]
    ratio = [sum(q * a[k] * t[k] for q, a, t in law) for k in range(len(share))]
    met = {"p^k and chances on the simplex": sum(share) == 1 and min(share) > 0 and sum(x["chance"]) == 1}
    return met, {"bias": (max(ratio) - min(ratio)) / x["steps"]}


def pulls(x: Instance, *, coefficient: Coefficient, started: bool, equally: bool) -> Mapping[str, Any]:
    """Σps(F̃ₖ(ω*) − F̃ₖ(ω)) at any ω, in expectation and at its largest over the patterns."""
    p, s = _patterns(x, coefficient, started, equally)
    h, m, share = x["curvature"], x["optimum"], x["share"]
    work = share[:, None] * p * s
    best = (share * h * m).sum(axis=1) / (share * h).sum(axis=1)
    change = 0.5 * h * ((best[:, None] - m) ** 2 - (x["point"][:, None] - m) ** 2)
    each = (work * change[:, None]).sum(axis=2)
    size = h.max(axis=1) * (np.abs(m).max(axis=1) + np.abs(x["point"])) ** 2 * work.sum(axis=2).max(axis=1)
    found = {"pull_mean": (x["chance"] * each).sum(axis=1), "pull_most": each.max(axis=1)}
    return {**found, "sizes": dict.fromkeys(found, size)}


def pulls_exact(x: Mapping[str, Any], *, coefficient: str, started: bool, equally: bool) -> Pair:
    """sum_k p s (F~_k(w*) - F~_k(w)) over the law of (p, s), and its largest value over the patterns."""
    p, s = patterns_exact(x, coefficient, started, equally)
    h, m, share, w = x["curvature"], x["optimum"], x["share"], x["point"]
    clients = range(len(share))
    best = sum(share[k] * h[k] * m[k] for k in clients) / sum(share[k] * h[k] for k in clients)
    change = [share[k] * h[k] * ((best - m[k]) ** 2 - (w - m[k]) ** 2) / 2 for k in clients]
    each = [sum(a[k] * t[k] * change[k] for k in clients) for a, t in zip(p, s, strict=True)]
    ratio = [sum(q * a[k] * t[k] for q, a, t in zip(x["chance"], p, s, strict=True)) for k in clients]
    met = {
        "p^k and chances on the simplex": sum(share) == 1 and min(share) > 0 and sum(x["chance"]) == 1,
        "r = 0: E[p s] = c p^k, where asked": coefficient != "unbiased" or len(set(ratio)) == 1,
    }
    return met, {"pull_mean": sum(q * e for q, e in zip(x["chance"], each, strict=True)), "pull_most": max(each)}


def _three(coefficient: Coefficient, *, lossy: bool = False, started: bool = False, equally: bool = False) -> World:
    """Three patterns of finished steps with their chances; `lossy`: with the clients' losses at any model."""

    def at(N: float) -> Case:
        n, free = int(N), coefficient == "unbiased"
        losses = (
            LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
            Signed("optimum", 1e-1, 1e1, (n,)),
            Signed("point", 1e-1, 1e1),
        )
        space = Space(
            (
                Simplex("share", n, interior=True),
                Simplex("chance", 3, interior=True),
                Uniform("done", 0.0, 1.0, (3, n), at=(0.0, 1.0)),
                Integer("steps", 1, 50),
                *(losses if lossy else ()),
                *((LogScale("free", 1e-1, 1e1, (3, n)), LogScale("c", 1e-1, 1e1)) if free else ()),
            )
        )
        every = {
            "share": 0,
            "done": 1,
            **({"curvature": 0, "optimum": 0} if lossy else {}),
            **({"free": 1} if free else {}),
        }
        same: tuple[Any, ...] = () if equally else (permuted_clients(every),)
        if lossy:
            same = (*same, units({"curvature": (1, -2), "optimum": (0, 1), "point": (0, 1)}))
        how: Any = {"coefficient": coefficient, "started": started, "equally": equally}
        observe, exact = (pulls, pulls_exact) if lossy else (shares_of_work, shares_of_work_exact)
        name, cost = f"three patterns, N = {n}", min(4.0, max(1.0, n / 40))
        return case(name, space, observe, exact, uses=(patterns_exact,), cost=cost, symmetries=same, **how)

    return World(NOTATION, (Family("three patterns", (Size("N", 1, 100, 3),), at),))


DEF3 = step(
    "EFL-DEF3",
    "A.2.1, before (61)",
    "Unbiased rounds",
    printed=r"""r_\tau=0\iff\exists c_\tau\,\forall k:\ \mathbb E[p_\tau^ks_\tau^k]=c_\tau p^k;\quad
        r_\tau=0\Rightarrow\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega))=
        c_\tau(\dots)\le0""",
    plainly="""In a round with r = 0 the work done, weighted by client, does not pull away from ω*: the printed sum is
        c(F(ω*) − F(ω̄)) <= 0.""",
    assumes=[
        "three patterns of finished steps and coefficients, fixed before the round",
        "quadratic clients, any point ω̄",
    ],
    says=le(pull_most, 0),
    world=_three("unbiased", lossy=True, started=True),
    readings=[
        reading(
            "on average over participation",
            "EΣps(F̃ₖ(ω*) − F̃ₖ(ω̄)) = c(F(ω*) − F(ω̄)) <= 0.",
            le(pull_mean, 0),
            conditions=["ω̄ fixed before the round, not ω̄ after j of its steps"],
            edits=["an expectation over p and s before the sum"],
            carries=False,
            because="the sum is printed without an expectation, and (62) uses it so",
        ),
        reading("for each outcome, as printed", "The sum stands without an expectation."),
    ],
    mutants=[
        mutant(
            "any E[p s]",
            le(pull_mean, 0),
            "a client that is mostly inactive hardly counts, and the others' optimum is nearer to ω̄",
            world=_three("1", lossy=True),
        )
    ],
    rests_on=["EFL-DEF1", "EFL-E1"],
    verdict="""The definition of r is sound, but the note after it is false as printed: it holds for the mean over p and
        s, not for every outcome of them. r = 0 is a condition on 𝔼[p s], and the displayed sum has no expectation. In a
        round in which one client does most of the work the sum is positive near that client's optimum. (62) and (63)
        use it outcome by outcome; only (64) averages over p and s. With the expectation before the sum, at a point ω̄
        fixed before the round, it is c(F(ω*) − F(ω̄)) <= 0. The display also has F̃ₖ with a free k on its right side,
        where F must stand; that is a slip.""",
)


def scaled(x: Instance, *, s: int) -> Mapping[str, Any]:
    """The move of s steps with the coefficient c times as large, and with the step size c times as large."""
    u, c = x["start"] - x["optimum"], x["factor"]
    found = {"move_scaled": c * ((1 - x["length"]) ** s - 1) * u, "move_fast": ((1 - c * x["length"]) ** s - 1) * u}
    return {**found, "sizes": dict.fromkeys(found, np.abs(x["start"]) + np.abs(x["optimum"]))}


def scaled_exact(x: Mapping[str, Any], *, s: int) -> Pair:
    """The move of s steps with the coefficient c times as large, against s steps with the step size c times as large."""
    h, m, ends = x["curvature"], x["optimum"], []
    for eta in (x["length"] / h, x["factor"] * x["length"] / h):
        w = x["start"]
        for _ in range(s):
            w = w - eta * h * (w - m)
        ends.append(w - x["start"])
    met = {"c >= 1, c eta h <= 1": x["factor"] >= 1 and x["factor"] * x["length"] <= 1}
    return met, {"move_scaled": x["factor"] * ends[0], "move_fast": ends[1]}


def _learning(most: int) -> World:
    def at(s: float) -> Case:
        space = Space(
            (
                LogScale("curvature", 1e-1, 1e1),
                Signed("optimum", 1e-1, 1e1),
                Signed("start", 1e-1, 1e1),
                LogScale("length", 1e-2, 0.5, at=(0.5,)),
                LogScale("factor", 1.0, 2.0, at=(2.0,)),
            )
        )
        same = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),)
        return case(f"one client, s = {int(s)}", space, scaled, scaled_exact, symmetries=same, s=int(s))

    return World(NOTATION, (Family("one client", (Size("s", 1, most, min(2, most)),), at),))


ALG3 = remark(
    "EFL-ALG3",
    "Sec. 4.1, 4.2; Theorem 1",
    "Aggregation coefficients of irregular clients",
    printed=r"p_\tau^k=\frac{Ep^k}{s_\tau^k}\ \Rightarrow\ \mathbb E[p_\tau^ks_\tau^k]=c_\tau p^k,\ r_\tau=0",
    plainly="""The coefficient E pᵏ/s of incomplete clients gives r = 0; in (6) increasing p «is equivalent to
        increasing the learning rate».""",
    assumes=[
        "three patterns of finished steps, E up to 50",
        "coefficient 0 for s = 0, where E pᵏ/s is not defined",
        "r = 0: E[p s] = c·pᵏ for all k with one c, as A.2.1 defines it",
    ],
    says=le(bias, 0),
    world=_three("E/s", started=True),
    readings=[
        reading(
            "all clients finish a step",
            "r = 0 for every law with s >= 1.",
            part="r = 0",
            because="Sec. 4.2 is on incomplete clients, 0 < s < E; for s = 0 the rule has no value",
        ),
        reading(
            "with inactive clients",
            "Stronger than the print: r = 0 for every law with 0 <= s <= E.",
            world=_three("E/s"),
            part="r = 0",
            ours="E pᵏ/s is not defined for s = 0, and Sec. 4.2 does not speak of s = 0; the coefficient 0 is ours",
        ),
        reading(
            "all equally often inactive",
            "Every client is inactive with the same probability, here in the same rounds.",
            world=_three("E/s", equally=True),
            part="r = 0",
            conditions=["every client is inactive with the same probability"],
            ours="with the coefficient 0 for s = 0, which is ours",
        ),
        reading(
            "«equivalent to increasing the learning rate», one step",
            "s = 1: c times the coefficient is c times the step.",
            eq(move_scaled, move_fast),
            world=_learning(1),
            part="«equivalent to increasing the learning rate»",
        ),
        reading(
            "«equivalent to increasing the learning rate», any s",
            "Stronger than the print: the whole local run with the larger rate, up to 30 steps, cηh <= 1.",
            eq(move_scaled, move_fast),
            world=_learning(30),
            part="«equivalent to increasing the learning rate»",
            cuts={"steps": "several local steps"},
            ours="""the sentence is about (6), where p and η are factors of the same given gradients; that a run with
                the larger rate ends where the larger coefficient does is more than it says""",
        ),
    ],
    mutants=[
        mutant(
            "coefficient pᵏ whatever s",
            None,
            "E[s] then differs from client to client",
            world=_three("1", started=True),
        )
    ],
    rests_on=["EFL-DEF2"],
    written="what follows «⇒»",
    verdict="""For incomplete clients, 0 < s < E, of which Sec. 4.2 speaks, the rule does what it is for: p s = E pᵏ
        whatever the law of s, so r = 0; and in (6), with the gradients given, a factor on p is the same as a factor on
        η. Two stronger statements fail. With inactive clients E pᵏ/s has no value; with the coefficient 0 for s = 0,
        which is ours, E[p s] = E pᵏ P(s > 0), and rounds are unbiased only if all clients are equally often inactive.
        And a run with the larger rate does not end where the larger coefficient does, except for s = 1: in later steps
        the client with the larger rate stands elsewhere, and for quadratics the coefficient moves it farther. r = 0
        concerns step counts alone; s steps times E/s are not E steps.""",
)


def rates(x: Instance, *, free: bool, same: bool, large: bool) -> Mapping[str, Any]:
    """Largest ητ₊₁/ητ, and largest η over the smaller of 1/(2(1+θ)L) and 4/(μEθ)."""
    E, theta, kappa = x["steps"][:, None], x["theta"][:, None], x["condition"][:, None]
    m = x["work"] * theta * E
    m = m[:, :1] + 0 * m if same else m
    if free:
        gamma = x["gamma"]
    else:
        need = np.maximum(32 * E * (1 + theta) * kappa / m, 4 * E**2 * theta / m).max(axis=1)
        gamma = (1 + x["later"]) * np.maximum(need, x["steps"])
    tau, mu = np.arange(m.shape[1]), x["mu"][:, None]
    eta = (64 if large else 16) * E / (mu * ((tau + 1) * E + gamma[:, None]) * m)
    caps = np.minimum(1 / (2 * (1 + theta) * mu * kappa), 4 / (mu * E * theta))
    return {"growth": (eta[:, 1:] / eta[:, :-1]).max(axis=1), "over_cap": (eta / caps).max(axis=1)}


def rates_exact(x: Mapping[str, Any], *, free: bool, same: bool, large: bool) -> Pair:
    """eta_tau = 16 E/(mu ((tau + 1) E + gamma) m_tau): its growth from round to round, and against the caps of the proof."""
    E, theta, mu, L = int(x["steps"]), x["theta"], x["mu"], x["mu"] * x["condition"]
    m = [v * theta * E for v in x["work"]]
    m = [m[0] for _ in m] if same else m
    if free:
        gamma = x["gamma"]
    else:
        gamma = (1 + x["later"]) * max(max(32 * E * (1 + theta) * L / (mu * v), 4 * E**2 * theta / v, E) for v in m)
    eta = [(64 if large else 16) * E / (mu * ((tau + 1) * E + gamma) * v) for tau, v in enumerate(m)]
    met = {"0 < E sum p s < theta E": min(m) > 0 and max(m) < theta * E, "0 < mu <= L": 0 < mu <= L}
    cap = min(1 / (2 * (1 + theta) * L), 4 / (mu * E * theta))
    return met, {"growth": max(eta[i + 1] / eta[i] for i in range(len(eta) - 1)), "over_cap": max(eta) / cap}


def _rates(*, free: bool = False, same: bool = False, large: bool = False) -> World:
    """Rounds of participation m = EΣps in (0, θE); `free`: any γ; `same`: m the same in each; `large`: 64E in place of 16E."""

    def at(T: float) -> Case:
        space = Space(
            (
                LogScale("mu", 1e-2, 1e2, at=(1.0,)),
                LogScale("condition", 1.0, 1e3, at=(1.0,)),
                LogScale("theta", 1e-2, 1e2, at=(1.0,)),
                Uniform("work", 1e-3, 0.999, (int(T),), at=(0.5,)),
                LogScale("gamma", 1e-2, 1e3) if free else LogScale("later", 1e-6, 1e1, at=(1e-6,)),
                Integer("steps", 1, 300),
            )
        )
        how: Any = {"free": free, "same": same, "large": large}
        name, cost = f"rounds, T = {int(T)}", min(4.0, max(1.0, T / 40))
        return case(name, space, rates, rates_exact, cost=cost, symmetries=(units({"mu": (1, -2)}),), **how)

    return World(NOTATION, (Family("rounds", (Size("T", 2, 300, 3),), at),))


ALG4 = remark(
    "EFL-ALG4",
    "Theorem 1, Sec. 3.2; (42), (63), A.2.1",
    "The learning rate",
    printed=r"\eta_\tau=\frac{16E}{\mu((\tau+1)E+\gamma)\,\mathbb E[\sum_kp_\tau^ks_\tau^k]}",
    plainly="""«a learning rate that decays with τ» (Sec. 3.1); the proof assumes that it is below 1/(2(1+θ)L) and
        4/(μEθ).""",
    assumes=["0 < EΣps < θE in each round, as A5 with its «<» has it; it may change from round to round", "μ <= L"],
    says=le(growth, 1),
    world=_rates(),
    readings=[
        reading(
            "γ any positive number",
            "Stronger than the print, which says nothing of γ.",
            le(over_cap, 1),
            world=_rates(free=True),
            part="below the caps that the proof assumes",
            ours="γ is defined nowhere; that any positive γ will do is said nowhere either",
        ),
        reading(
            "γ as the proof needs it",
            "γ >= max{32E(1+θ)L/(μm), 4E²θ/m, E} over all rounds (EFL-T1-R): below both caps.",
            le(over_cap, 1),
            part="below the caps that the proof assumes",
        ),
        reading(
            "decays, participation may change",
            "ητ₊₁ <= ητ for any EΣps; s «may follow different distributions at different time steps».",
            part="decays with τ",
            because="Sec. 3.1: s «may follow different distributions at different time steps»",
        ),
        reading(
            "decays, EΣps the same in each round",
            "ητ₊₁ <= ητ.",
            world=_rates(same=True),
            part="decays with τ",
            conditions=["EΣps the same in each round"],
            met_by=AT_RANDOM,
        ),
    ],
    mutants=[
        mutant(
            "64E in place of 16E",
            le(over_cap, 1),
            "with γ at its least value η₀ is then nearly four times the smaller cap",
            world=_rates(large=True),
        )
    ],
    tight="γ large against E",
    rests_on=["EFL-A5", "EFL-A6", "EFL-T1-R"],
    verdict="""η decays with τ if EΣps is the same in every round, a condition that is not said; sampling 10
        participants at random in each round, as in A.4, meets it. Sec. 3.1 lets s follow «different distributions at
        different time steps»; if EΣps is smaller in a later round, η may rise. The caps that the proof assumes hold in
        all rounds with γ >= max{32E(1+θ)L/(μm), 4E²θ/m, E}, m the least EΣps of all rounds. The statement does not
        define γ; that any positive γ would do is ours, and false. η also needs μ, L, θ and the law of participation in
        advance.""",
)

Law: TypeAlias = Literal[
    "all clients", "K of N uniformly", "K draws by share", "the K worst off", "K of N renormalised"
]


def mean_update(x: Instance, *, law: Law, K: int, E: int, averaged: bool) -> Mapping[str, Any]:
    """Mean update at ω* of a round of E steps; `averaged`: coefficients 1/K in place of pᵏ."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    n, best = h.shape[1], (x["share"] * h * m).sum(axis=1) / (x["share"] * h).sum(axis=1)
    moved = (1 - (1 - (x["length"] / h.max(axis=1))[:, None] * h) ** E) * (m - best[:, None])
    if law == "K of N renormalised":
        weight, subsets = np.zeros_like(p), list(combinations(range(n), K))
        for s in subsets:
            weight[:, s] += p[:, s] / p[:, s].sum(axis=1, keepdims=True) / len(subsets)
    elif law == "the K worst off":
        weight = p * (np.argsort(np.argsort(-h * (best[:, None] - m) ** 2, axis=1), axis=1) < K)
    else:
        weight = {"all clients": p, "K of N uniformly": p * K / n, "K draws by share": p if averaged else p * p * K}[
            law
        ]
    return {"update": (weight * moved).sum(axis=1), "sizes": {"update": 10 * np.abs(m).max(axis=1)}}


def mean_update_exact(x: Mapping[str, Any], *, law: str, K: int, E: int, averaged: bool) -> Pair:
    """The mean over all outcomes of a round's update at w* = argmin sum p_k h_k (w - m_k)^2/2, E local steps, no noise."""
    h, m, p, n = x["curvature"], x["optimum"], x["share"], len(x["share"])
    best = sum(p[k] * h[k] * m[k] for k in range(n)) / sum(p[k] * h[k] for k in range(n))
    eta, moved = x["length"] / max(h), []
    for k in range(n):
        w = best
        for _ in range(E):
            w = w - eta * h[k] * (w - m[k])
        moved.append(w - best)
    outcomes: list[tuple[Any, list[int]]] = [(Fraction(1), list(range(n)))]
    if law in ("K of N uniformly", "K of N renormalised"):
        chosen = [[k for k in range(n) if mask >> k & 1] for mask in range(2**n)]
        chosen = [s for s in chosen if len(s) == K]
        outcomes = [(Fraction(1, len(chosen)), s) for s in chosen]
    if law == "K draws by share":
        outcomes = []
        for code in range(n**K):
            s = [code // n**i % n for i in range(K)]
            chance = Fraction(1)
            for k in s:
                chance = chance * p[k]
            outcomes.append((chance, s))
    if law == "the K worst off":
        worst = sorted(range(n), key=lambda k: (-h[k] * (best - m[k]) ** 2, k))
        outcomes = [(Fraction(1), worst[:K])]
    mean = Fraction(0)
    for chance, s in outcomes:
        total = sum(p[k] for k in s)
        for k in s:
            weight = p[k] / total if law == "K of N renormalised" else Fraction(1, K) if averaged else p[k]
            mean = mean + chance * weight * moved[k]
    met = {"p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0, "0 < eta L <= 1": 0 < x["length"] <= 1}
    return met, {"update": mean}


def _updates(law: Law, *, one: bool = False, averaged: bool = False) -> World:
    """`one`: a single local step, else up to 30."""

    def at(N: float, K: float, E: float) -> Case:
        n, taking = max(int(N), int(K)), int(K)
        space = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n,)),
                Simplex("share", n, interior=True),
                LogScale("length", 1e-2, 1.0, at=(1.0,)),
            )
        )
        every = dict.fromkeys(("curvature", "optimum", "share"), 0)
        same: tuple[Any, ...] = (units({"curvature": (1, -2), "optimum": (0, 1)}),)
        same = same if law == "the K worst off" else (*same, permuted_clients(every))
        how: Any = {"law": law, "K": taking, "E": 1 if one else int(E), "averaged": averaged}
        name, cost = f"{law}, N = {int(N)}, K = {taking}, E = {int(E)}", min(4.0, max(1.0, N * K * E / 40))
        return case(name, space, mean_update, mean_update_exact, cost=cost, symmetries=same, **how)

    whole = law == "all clients"
    sizes = (Size("N", 2, 100 if whole else 5, 3), Size("K", 1, 1 if whole else 3, 1), Size("E", 1, 30, 3))
    return World(NOTATION, (Family(law, sizes, at),))


S6 = remark(
    "EFL-S6",
    "Abstract; Sec. 1, 3 and 6",
    "EFL as an unbiased method",
    printed=r"""\text{«an unbiased algorithm»: }\mathbb E\Big[\sum_kp_\tau^k\sum_{j<s}\eta g_{\tau E+j}^k\Big]=0\ \text{at }
        \omega^*""",
    written="«unbiased» as a formula: a mean update that vanishes at the minimiser",
    plainly="At the minimiser of Σpᵏfₖ the mean update of a round is 0, whoever takes part.",
    assumes=[
        "quadratic clients on the line, full gradients, ηL <= 1",
        "λ = 0: the elastic term vanishes where all anchors agree",
        """that «the low participation rate will not impact the convergence» (Sec. 1) is read off the bound (7), and
            judged at EFL-T1 and EFL-S1""",
    ],
    says=eq(update, 0),
    world=_updates("K of N uniformly", one=True),
    open={
        "unbiased": nowhere("""«unbiased» (abstract, Sec. 1, 3, 6) is nowhere defined: of who takes part (drawn by pᵏ,
            Algorithm 1; at random, A.4), of the local steps, or of ST""")
    },
    readings=[
        reading(
            "K of N uniformly, one step",
            "Coefficients pᵏ for those present, E = 1.",
            options={"unbiased": "participation at random (A.4) moves nothing at ω*"},
        ),
        reading(
            "all clients, several steps",
            "E up to 30, full participation.",
            world=_updates("all clients"),
            options={"unbiased": "a round of several local steps moves nothing at ω*"},
            shown=True,
        ),
        reading(
            "selected by pᵏ, coefficients pᵏ",
            """Algorithm 1 calls pᵏ the probability of selection, and the coefficient p_τᵏ = Epᵏ/s_τᵏ of Sec. 4.2 is pᵏ
                as well where all E steps are done; E = 1.""",
            world=_updates("K draws by share", one=True),
            options={"unbiased": "participation by pᵏ (Algorithm 1) moves nothing at ω*"},
        ),
        reading(
            "state-dependent: the K worst-off clients",
            "Those of largest loss at the model; E = 1.",
            world=_updates("the K worst off", one=True),
            options={"unbiased": "participation at random (A.4) moves nothing at ω*"},
            cuts={"participation": "the K clients of largest loss"},
            sees="before the round",
            because="no algorithm of the paper selects by loss: reported beside",
        ),
        reading(
            "K of N uniformly, coefficients made to sum to 1",
            "pᵏ over the sum of those present; E = 1.",
            world=_updates("K of N renormalised", one=True),
            options={"unbiased": "participation at random (A.4) moves nothing at ω*"},
            ours="the paper nowhere divides the coefficients by the sum of those present",
        ),
        reading(
            "what ST sends",
            "ST(T) = T, no two entries tied.",
            le(sent_off, 0),
            world=UNTIED,
            options={"unbiased": "what ST sends is on average what it is given"},
        ),
        reading(
            "selected by pᵏ, plain mean of the K",
            "Coefficients 1/K, E = 1: E[p s] = pᵏ.",
            world=_updates("K draws by share", one=True, averaged=True),
            options={"unbiased": "participation by pᵏ (Algorithm 1) moves nothing at ω*"},
            conditions=["coefficients 1/K"],
        ),
        reading(
            "all clients, one step",
            "E = 1.",
            world=_updates("all clients", one=True),
            options={"unbiased": "a round of several local steps moves nothing at ω*"},
            conditions=["E = 1"],
        ),
    ],
    mutants=[
        mutant(
            "unbiased with several steps under partial participation",
            None,
            "a client of larger curvature moves less than E times its first step",
            world=_updates("K of N uniformly"),
        )
    ],
    tight="equal clients: all laws agree",
    rests_on=["EFL-DEF3", "EFL-ALG2", "EFL-ALG3", "EFL-T1"],
    verdict="""«Unbiased» is nowhere defined. As a vanishing mean update at the minimiser it is true for participation
        drawn without regard to client or state, one local step and no compression. It is false for several local steps,
        by the well-known client drift, even with all clients; for clients both selected with probability pᵏ (Algorithm 1) and
        weighted by p_τᵏ = Epᵏ/s_τᵏ (Sec. 4.2), which is pᵏ for s = E; for participation that depends on the state; for coefficients renormalised
        over those present; and ST, being deterministic, is biased as well, which error feedback makes up for only over
        time. With decaying steps the drift fades; the other biases do not.""",
)

CLAIMS: tuple[Claim, ...] = (DEF2, DEF3, ALG3, ALG4, S6)

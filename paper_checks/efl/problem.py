"""Sec. 3.1, (1) to (5): the elastic objective, heterogeneity, local steps and residuals.

Quadratic clients on the line, F̃ₖ(w) = hₖ(w − mₖ)²/2 + (λ/2)Σᵢ Iᵢ(w − aᵢ)², I the Fisher diagonals, a the anchors of a round,
`later` those of another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from paper_checks.efl.compression import sparse_exact
from paper_checks.efl.notation import NOTATION
from paper_checks.efl.settings import NO_ELASTIC_TERM
from theory.federations.elastic import elastic
from theory.federations.families import from_spectra
from theory.messages.compression import TernarySparse, error_feedback
from validation import Case, Claim, Family, Instance, Size, permuted_clients, symbols, units
from validation.statement.forms.quotients import n
from validation.statement.instances.draw import LogScale, Signed, Simplex, Space, Uniform
from validation.world import Order, OrderFamily, World, case, definition, eq, le, mutant, reading, step, twice

__all__ = ["CLAIMS"]

best, best_later, pull_best, hold_best = NOTATION.symbols("best_model best_later pull_best hold_best")
gradient_off, curvature_off, end_mean, end_flow, lost = NOTATION.symbols(
    "gradient_off curvature_off end_mean end_flow lost"
)
D_least, D_most, D_apart, D_wrong = NOTATION.symbols("D_least D_most D_apart D_wrong")
Pair = tuple[Mapping[str, bool], Mapping[str, Any]]


def _lam(x: Instance) -> Any:
    return x.get("elastic", 0 * x["point"])


def _risks(x: Instance) -> Any:
    return from_spectra(
        x["curvature"][..., None], None, x["optimum"][..., None], np.zeros_like(x["curvature"]), x["share"]
    )


def _elastic(x: Instance, risks: Any, anchor: str = "anchor") -> Any:
    """From `theory.elastic` at λ = 1 and I scaled by λ."""
    return elastic(risks, (_lam(x)[:, None] * x["fisher"])[..., None], x[anchor][..., None], 1.0)


def _reach(x: Instance) -> Any:
    return sum(np.abs(x[k]).reshape(len(x["point"]), -1).max(axis=1) for k in ("optimum", "anchor", "later", "point"))


def minimisers(x: Instance) -> Mapping[str, Any]:
    """ω* at both rounds' anchors, and at it the two parts of F′, over the largest curvature."""
    risks, h, lam, reach = _risks(x), x["curvature"], _lam(x), _reach(x)
    w = _elastic(x, risks).optimum()[:, 0]
    stiff = h.max(axis=1) + lam * x["fisher"].sum(axis=1)
    return {
        "best_model": w,
        "best_later": _elastic(x, risks, "later").optimum()[:, 0],
        "pull_best": (x["share"] * h * (w[:, None] - x["optimum"])).sum(axis=1) / stiff,
        "hold_best": lam * (x["fisher"] * (w[:, None] - x["anchor"])).sum(axis=1) / stiff,
        "sizes": dict.fromkeys(("best_model", "best_later", "pull_best", "hold_best"), reach),
    }


def optimum_exact(h: Any, m: Any, p: Any, pull: Any, anchor: Any) -> Any:
    """Minimiser of sum p_k h_k (w - m_k)^2/2 + sum pull_i (w - a_i)^2/2."""
    top = sum(q * c * v for q, c, v in zip(p, h, m, strict=True))
    top = top + sum(u * a for u, a in zip(pull, anchor, strict=True))
    return top / (sum(q * c for q, c in zip(p, h, strict=True)) + sum(pull))


def minimisers_exact(x: Mapping[str, Any]) -> Pair:
    """The minimisers of F at both rounds' anchors, and F' in its two parts."""
    h, m, p, lam = x["curvature"], x["optimum"], x["share"], x.get("elastic", Fraction(0))
    pull = [lam * i for i in x["fisher"]]
    w, stiff = optimum_exact(h, m, p, pull, x["anchor"]), max(h) + sum(pull)
    met = {"shares on the simplex": sum(p) == 1, "lambda and Fisher diagonals >= 0": lam >= 0 and min(pull) >= 0}
    return met, {
        "best_model": w,
        "best_later": optimum_exact(h, m, p, pull, x["later"]),
        "pull_best": sum(q * c * (w - v) for q, c, v in zip(p, h, m, strict=True)) / stiff,
        "hold_best": sum(u * (w - a) for u, a in zip(pull, x["anchor"], strict=True)) / stiff,
    }


def gradients(x: Instance, *, box: bool) -> Mapping[str, Any]:
    """∇fₖ + λ(Σuω − Σv) against a central difference of (2), and hₖ + λΣIᵢ against its curvature, over the curvature.

    `box`: v = diag(I), as the box prints it.
    """
    h, lam, w = x["curvature"], x["elastic"], x["point"]
    total, step = lam * x["fisher"].sum(axis=1), 1.0 + np.abs(w)

    def value(z: Any) -> Any:
        hold = (x["fisher"] * (z[:, None] - x["anchor"]) ** 2).sum(axis=1)
        return 0.5 * h * (z[:, None] - x["optimum"]) ** 2 + 0.5 * (lam * hold)[:, None]

    slope = (value(w + step) - value(w - step)) / (2 * step)[:, None]
    v = lam * (x["fisher"] * (1.0 if box else x["anchor"])).sum(axis=1)
    given = h * (w[:, None] - x["optimum"]) + (total * w - v)[:, None]
    bend, stiff = _elastic(x, _risks(x)).curvature[..., 0, 0], h.max(axis=1) + total
    return {
        "gradient_off": np.abs(slope - given).max(axis=1) / stiff,
        "curvature_off": np.abs(bend - h - total[:, None]).max(axis=1) / stiff,
        "sizes": {"gradient_off": 10 * (_reach(x) + 1) ** 2, "curvature_off": np.ones_like(w)},
    }


def gradients_exact(x: Mapping[str, Any], *, box: bool) -> Pair:
    """grad f_k + lambda (sum u w - sum v) against a central difference of (2), which is exact on quadratics."""
    h, m, lam, w = x["curvature"], x["optimum"], x["elastic"], x["point"]
    step, total, gaps, bends = 1 + abs(w), lam * sum(x["fisher"]), [], []
    v = lam * sum(i if box else i * a for i, a in zip(x["fisher"], x["anchor"], strict=True))
    for k in range(len(h)):
        values = []
        for z in (w + step, w - step, w + 1, w - 1, w):
            hold = sum(i * (z - a) ** 2 for i, a in zip(x["fisher"], x["anchor"], strict=True))
            values.append(h[k] * (z - m[k]) ** 2 / 2 + lam * hold / 2)
        gaps.append(abs((values[0] - values[1]) / (2 * step) - h[k] * (w - m[k]) - total * w + v))
        bends.append(abs(values[2] + values[3] - 2 * values[4] - h[k] - total))
    met = {"lambda and Fisher diagonals >= 0": lam >= 0 and min(x["fisher"]) >= 0}
    return met, {"gradient_off": max(gaps) / (max(h) + total), "curvature_off": max(bends) / (max(h) + total)}


def heterogeneity(x: Instance, *, alike: bool) -> Mapping[str, Any]:
    """Dₖ = F̃ₖ(ω*) − F̃ₖ*: least and most, apart from the same of the risks, and with the risk's minimum; `alike`: one risk."""
    if alike:
        x = {**x, **{k: np.repeat(x[k][:, :1], x[k].shape[1], axis=1) for k in ("curvature", "optimum")}}
    risks = _risks(x)
    here = _elastic(x, risks)
    losses = here.losses(here.optimum()[:, None, :])
    own = losses - here.floor
    plain = risks.losses(risks.optimum()[:, None, :])
    size = 10 * (x["curvature"].max(axis=1) + x["elastic"] * x["fisher"].sum(axis=1)) * _reach(x) ** 2
    return {
        "D_least": own.min(axis=1),
        "D_most": own.max(axis=1),
        "D_apart": np.abs(own - plain).max(axis=1),
        "D_wrong": (losses - here.losses(risks.centers)).min(axis=1),
        "sizes": dict.fromkeys(("D_least", "D_most", "D_apart", "D_wrong"), size),
    }


def heterogeneity_exact(x: Mapping[str, Any], *, alike: bool) -> Pair:
    """D_k = F~_k(w*) - min F~_k at the minimiser w* of F, and the same without elastic term."""
    h, m, p, lam = x["curvature"], x["optimum"], x["share"], x["elastic"]
    if alike:
        h, m = [h[0] for _ in h], [m[0] for _ in m]
    pull, anchor, clients = [lam * i for i in x["fisher"]], x["anchor"], range(len(h))

    def value(k: int, z: Any) -> Any:
        return h[k] * (z - m[k]) ** 2 / 2 + sum(u * (z - a) ** 2 for u, a in zip(pull, anchor, strict=True)) / 2

    best = optimum_exact(h, m, p, pull, anchor)
    plain = optimum_exact(h, m, p, [Fraction(0) for _ in pull], anchor)
    at_best = [value(k, best) for k in clients]
    own = [at_best[k] - value(k, optimum_exact([h[k]], [m[k]], [1], pull, anchor)) for k in clients]
    met = {"shares on the simplex": sum(p) == 1, "lambda and Fisher diagonals >= 0": lam >= 0 and min(pull) >= 0}
    return met, {
        "D_least": min(own),
        "D_most": max(own),
        "D_apart": max(abs(own[k] - h[k] * (plain - m[k]) ** 2 / 2) for k in clients),
        "D_wrong": min(at_best[k] - value(k, m[k]) for k in clients),
    }


def _clients(
    observe: Callable[..., Any],
    exact: Callable[..., Pair],
    *,
    free: bool = False,
    alike: bool = False,
    scaled: bool = True,
) -> World:
    """Up to 100 elastic clients; `free`: λ = 0; `scaled`: False where what is observed follows no change of units."""

    def at(N: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n,)),
                Simplex("share", n, interior=True),
                Uniform("fisher", 0.0, 1.0, (n,), at=(0.0, 1.0)),
                Signed("anchor", 1e-1, 1e1, (n,)),
                Signed("later", 1e-1, 1e1, (n,)),
                *(() if free else (LogScale("elastic", 1e-2, 1e2, at=(1.0,)),)),
                Signed("point", 1e-1, 1e1),
            )
        )
        lengths = dict.fromkeys(("optimum", "anchor", "later", "point"), (0, 1))
        every = dict.fromkeys(("curvature", "optimum", "share", "fisher", "anchor", "later"), 0)
        stiff = {"curvature": (1, -2), **({} if free else {"elastic": (1, -2)})}
        same = (*(() if alike else (permuted_clients(every),)), *((units({**stiff, **lengths}),) if scaled else ()))
        cost, uses = min(4.0, max(1.0, n / 40)), (optimum_exact,)
        return case(f"elastic clients, N = {n}", space, observe, exact, uses=uses, cost=cost, symmetries=same)

    return World(NOTATION, (Family("elastic clients", (Size("N", 1, 100, 3),), at),))


_MINIMISERS = _clients(minimisers, minimisers_exact)
E1 = definition(
    "EFL-E1",
    "Eq. (1), Sec. 3.1",
    "The global objective",
    printed=r"\min_\omega F(\omega)=\sum_{k=1}^Np^k\widetilde F_k(\omega)",
    plainly="F has one minimiser ω*, the one that every round of the analysis refers to.",
    assumes=["A2", "λ >= 0; quadratic clients on the line, the elastic term of (2)"],
    says=eq(best, best_later),
    world=_MINIMISERS,
    open={
        "round": twice("""(1) has F̃ₖ without a round, as has Theorem 1 with its one ω*; (2) defines F̃_{τ,k} with
            anchors of the last round""")
    },
    readings=[
        reading(
            "F of one round",
            "ω* = (Σpᵏhₖmₖ + λΣv)/(Σpᵏhₖ + λΣu) makes F′ vanish.",
            eq(pull_best + hold_best, 0),
            options={"round": "F of the round, as (2)"},
        ),
        reading(
            "one F for all rounds",
            "F̃ₖ is printed without a round in (1) and with one in (2): ω* is the same at other anchors.",
            options={"round": "one F, as (1)"},
        ),
        reading(
            "λ = 0",
            "No elastic term: F does not depend on the round.",
            world=_clients(minimisers, minimisers_exact, free=True),
            options={"round": "one F, as (1)"},
            conditions=["λ = 0"],
            met_by=NO_ELASTIC_TERM,
        ),
    ],
    mutants=[
        mutant(
            "elastic term counted twice",
            eq(pull_best + 2 * hold_best, 0),
            "it enters F once, since the shares sum to 1",
        )
    ],
    rests_on=["EFL-E2"],
    verdict="""In a given round F is well defined and has a closed-form minimiser. But (2) moves the anchors in every
        round, and with λ > 0 the objective and ω* move with them, whereas Theorem 1 has one F, one ω* and constants D
        and J taken at it. Should all anchors come to rest at one point, that point minimises Σpᵏfₖ if it minimises F,
        so the fixed points agree.""",
)


def curvature_printed(N: Any, strength: Any, fisher: Any) -> tuple[Fraction, Fraction]:
    """(lambda sum_i I_i over N clients with Fisher diagonal `fisher`, 1)."""
    return sum((Fraction(strength * fisher) for _ in range(int(N))), Fraction(0)), Fraction(1)


def curvature_mean(N: Any, strength: Any, fisher: Any) -> tuple[Fraction, Fraction]:
    """(the same divided by N, 1)."""
    return sum((Fraction(strength * fisher) / N for _ in range(int(N))), Fraction(0)), Fraction(1)


def _in_clients(at: Any) -> Order:
    family = OrderFamily("more clients", at, {"N": n}, {"strength": (1,), "fisher": (1, Fraction(1, 10))}, degree=1)
    return Order("upper", (family,), variable="N", may_depend_on=("strength", "fisher"))


def _gradients(box: bool) -> World:
    return _clients(partial(gradients, box=box), partial(gradients_exact, box=box), scaled=False)


E2 = definition(
    "EFL-E2",
    "Eq. (2), Sec. 3.1; Algorithm 1",
    "Local objective with elastic term",
    printed=r"""\widetilde F_{\tau,k}(\omega)=f_k(\omega)+\frac\lambda2\sum_{i=1}^N(\omega-\omega_{\tau-1}^i)^T
        \operatorname{diag}(I_{\tau-1,i})(\omega-\omega_{\tau-1}^i)""",
    plainly="""Its gradient is ∇f + λ(Σu⊙ω − Σv), which the sums the server sends suffice for, and its curvature is
        larger by λΣIᵢ.""",
    assumes=["λ >= 0, Fisher diagonals >= 0", "quadratic risks on the line; the diagonal couples no coordinates"],
    says=le(gradient_off, 0),
    world=_gradients(False),
    readings=[
        reading(
            "gradient from the two sums",
            "Against a central difference of (2), v = diag(I)ω as in the text.",
            part="gradient",
        ),
        reading("curvature", "hₖ + λΣᵢIᵢ, the sum over all N clients.", le(curvature_off, 0), part="curvature"),
        reading(
            "divided by N, as a mean over the clients",
            "Then the added curvature stays bounded as N grows.",
            _in_clients(curvature_mean),
            part="curvature",
            edits=["the sum over the clients divided by N"],
        ),
    ],
    mutants=[
        mutant("v = diag(I)", None, "the anchors are then lost", world=_gradients(True)),
        mutant(
            "added curvature bounded in N", _in_clients(curvature_printed), "λΣᵢIᵢ = λNI for clients of one diagonal"
        ),
    ],
    rests_on=["EFL-E3"],
    verdict="""Well defined, and the sums of u and v are all a client needs. As printed the term is a sum over all N
        clients, not a mean: its curvature grows in proportion to N, so steps that are stable for few clients are not
        for many, L and the theorem's γ grow with N, and for large N the minimiser of every F̃ₖ tends to the
        Fisher-weighted mean of the anchors, whatever the client's own data. Divided by N it does none of this.""",
)

w, I_1, I_2, w_1, w_2, lam, f = symbols("w I_1 I_2 w_1 w_2 lam f", positive=True)
_PRINTED = f + lam / 2 * (I_1 * (w - w_1) ** 2 + I_2 * (w - w_2) ** 2)
_LINEAR, _Z = lam * w * (I_1 * w_1 + I_2 * w_2), lam / 2 * (I_1 * w_1**2 + I_2 * w_2**2)
_SQUARE = f + lam / 2 * w**2 * (I_1 + I_2)

E3 = step(
    "EFL-E3",
    "Eq. (3), Sec. 3.1",
    "Expanded elastic term",
    printed=r"""\widetilde F_{\tau,k}(\omega)=f_k(\omega)+\frac\lambda2\omega^T\sum_i\operatorname{diag}(I_{\tau-1,i})
        \omega-\lambda\omega^T\sum_i\operatorname{diag}(I_{\tau-1,i})\omega_{\tau-1}^i+Z""",
    plainly="Expanding the square gives (3) with Z = (λ/2)ΣIᵢ(ωⁱ)², free of ω.",
    assumes=["one coordinate, two clients; diagonal matrices act coordinate by coordinate"],
    says=eq(_PRINTED, _SQUARE - _LINEAR + _Z),
    readings=[reading("as printed", "Both sides multiplied out.")],
    mutants=[
        mutant(
            "λ/2 before the linear term",
            eq(_PRINTED, _SQUARE - _LINEAR / 2 + _Z),
            "the linear part of a square is doubled",
        )
    ],
    rests_on=["EFL-E2"],
    verdict="An identity, client by client, so two stand for any number; Z = (λ/2)Σᵢ Iᵢ(ωⁱ)² does not depend on ω.",
)


def _gaps(*, alike: bool = False) -> World:
    return _clients(partial(heterogeneity, alike=alike), partial(heterogeneity_exact, alike=alike), alike=alike)


_GAPS = _gaps()
DEF1 = definition(
    "EFL-DEF1",
    "Sec. 3.1",
    "Heterogeneity of a client",
    printed=r"D_k=\widetilde F_k(\omega^*)-\widetilde F_k^*,\qquad D=\sum_kp^kD_k",
    plainly="Dₖ is never negative, and 0 for every client when all clients have the same risk.",
    assumes=["F̃ of one round, ω* its minimiser; quadratic clients on the line, any anchors"],
    says=le(0, D_least),
    world=_GAPS,
    readings=[
        reading("never negative", "So neither is D.", part="never negative"),
        reading(
            "0 for equal risks",
            "IID data in the limit: the elastic term is common to all clients.",
            le(D_most, 0),
            world=_gaps(alike=True),
            part="0 for equal risks",
        ),
    ],
    mutants=[
        mutant("minimum of fₖ in place of that of F̃ₖ", le(0, D_wrong), "F̃ₖ is lower at its own minimiser"),
        mutant("F̃ and f give one D", le(D_apart, 0), "the elastic term pulls all minimisers together"),
    ],
    tight="clients that share their minimiser",
    rests_on=["EFL-E1", "EFL-E2"],
    verdict="""A sensible measure in every round. With λ > 0 it is none of the data alone: anchors and Fisher diagonals
        enter, it changes from round to round, and it differs from the same quantity for the risks, while the bound
        takes D to be a constant.""",
)

DEF4 = definition(
    "EFL-DEF4",
    "Theorem 2, Sec. 4.4",
    "Heterogeneity at the shifted optimum",
    printed=r"\hat D_k=F_k(\hat\omega^*)-F_k^*",
    plainly="D̂ₖ stands for the «degree of non-IID data for the new objective»: it is never negative.",
    assumes=["Fₖ is defined nowhere; read as F̃ₖ, or as the risk fₖ", "ω̂* minimises the respective new objective"],
    says=le(0, D_least),
    world=_GAPS,
    readings=[
        reading("never negative", "F̃ₖ at ω̂*, the clients being those of the new objective."),
        reading(
            "Fₖ read as fₖ or as F̃ₖ: one value",
            "Stronger than the print: the two values agree.",
            le(D_apart, 0),
            ours="the paper nowhere says that the two values agree",
        ),
    ],
    mutants=[mutant("minimum of fₖ in place of that of F̃ₖ", le(0, D_wrong), "F̃ₖ is lower at its own minimiser")],
    rests_on=["EFL-DEF1"],
    verdict="""D̂ₖ is never negative, with the elastic objective F̃ₖ as well as with the risk fₖ. Fₖ is printed without
        the tilde here, so it may be either, and for λ > 0 the two values differ; that they agree is nowhere said, and
        asking for it is stronger than the print. The proof of Theorem 2 uses only convexity and smoothness, which both
        have.""",
)


def local_steps(x: Instance, *, s: int, bare: bool) -> Mapping[str, Any]:
    """s steps of (4) of client 0, averaged over noise ±n, and the closed form; `bare`: the elastic gradient left out."""
    pull, h = x["elastic"] * x["fisher"].sum(axis=1), x["curvature"][:, 0]
    stiff = h + pull
    aim = (h * x["optimum"][:, 0] + x["elastic"] * (x["fisher"] * x["anchor"]).sum(axis=1)) / stiff
    mean = 0 * h
    for sign in (1.0, -1.0):
        w = x["start"]
        for j in range(s):
            hold = x["elastic"] * (x["fisher"] * (w[:, None] - x["anchor"])).sum(axis=1)
            g = h * (w - x["optimum"][:, 0]) + (0.0 if bare else hold)
            w = w - x["length"] / stiff * (g + sign * stiff * x["noise"][:, j])
        mean = mean + w / 2
    size = np.abs(x["optimum"]).max(axis=1) + np.abs(x["anchor"]).max(axis=1) + np.abs(x["start"])
    size = 10 * (size + np.abs(x["noise"]).max(axis=1))
    end = aim + (1 - x["length"]) ** s * (x["start"] - aim)
    return {"end_mean": mean, "end_flow": end, "sizes": {"end_mean": size, "end_flow": size}}


def local_steps_exact(x: Mapping[str, Any], *, s: int, bare: bool) -> Pair:
    """s steps of (4) on the elastic objective, with noise n_j and with -n_j, against the gradient flow of its quadratic."""
    h, m, lam = x["curvature"][0], x["optimum"][0], x["elastic"]
    stiff = h + lam * sum(x["fisher"])
    aim = (h * m + lam * sum(i * a for i, a in zip(x["fisher"], x["anchor"], strict=True))) / stiff
    eta, ends = x["length"] / stiff, []
    for sign in (1, -1):
        w = x["start"]
        for j in range(s):
            hold = lam * sum(i * (w - a) for i, a in zip(x["fisher"], x["anchor"], strict=True))
            w = w - eta * (h * (w - m) + (0 if bare else hold) + sign * stiff * x["noise"][j])
        ends.append(w)
    end = aim + (1 - x["length"]) ** s * (x["start"] - aim)
    return {"0 < eta (h + lambda sum I) <= 1": 0 < x["length"] <= 1}, {"end_mean": sum(ends) / 2, "end_flow": end}


def _local(*, bare: bool = False) -> World:
    def at(s: float) -> Case:
        space = Space(
            (
                LogScale("curvature", 1e-2, 1.0, (3,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (3,)),
                Uniform("fisher", 0.0, 1.0, (3,)),
                Signed("anchor", 1e-1, 1e1, (3,)),
                LogScale("elastic", 1e-2, 1e1, at=(1.0,)),
                Signed("start", 1e-1, 1e1),
                Signed("noise", 1e-1, 1e1, (int(s),)),
                LogScale("length", 1e-2, 1.0, at=(1.0,)),
            )
        )
        lengths = dict.fromkeys(("optimum", "anchor", "start", "noise"), (0, 1))
        same, cost = (units({**lengths, "curvature": (1, -2), "elastic": (1, -2)}),), max(1.0, s / 40)
        name = f"local steps, s = {int(s)}"
        return case(name, space, local_steps, local_steps_exact, cost=cost, symmetries=same, s=int(s), bare=bare)

    return World(NOTATION, (Family("local steps", (Size("s", 1, 60, 3),), at),))


E4 = definition(
    "EFL-E4",
    "Eq. (4), Sec. 3.1",
    "Local SGD step",
    printed=r"""\omega_{\tau E+j+1}^k=\omega_{\tau E+j}^k-\eta_\tau g_{\tau E+j}^k,\qquad\mathbb E_\xi g=
        \nabla\widetilde F_k""",
    plainly="On average s steps follow full gradients of the elastic objective.",
    assumes=["quadratic risk, so that noise of mean 0 averages out; here ±n at each step", "0 < η(h + λΣI) <= 1"],
    says=eq(end_mean, end_flow),
    world=_local(),
    readings=[reading("s steps", "Mean end point against the closed form of gradient descent on F̃ₖ.")],
    mutants=[
        mutant(
            "elastic gradient left out",
            None,
            "the steps then tend to the client's own optimum",
            world=_local(bare=True),
        )
    ],
    rests_on=["EFL-E2"],
    verdict="""The usual step, with the gradient of the elastic objective; to be stable it needs η below 2/(h + λΣIᵢ),
        which shrinks as clients are added (EFL-E2).""",
)


def feedback(x: Instance, *, fresh: bool) -> Mapping[str, Any]:
    """max |Σ sent + R_T − Σ updates of the rounds taken part in|, ST with k = max(⌊dq⌋, 1); `fresh`: R not carried over."""
    update, (n, n_rounds, d) = x["update"], x["update"].shape
    residual, sent, done = np.zeros((n, d)), np.zeros((n, d)), np.zeros((n, d))
    counts = np.maximum(np.floor(d * x["keep"] + 1e-9), 1).astype(int)
    size = np.abs(update).sum(axis=(1, 2))
    for r in range(n_rounds):
        on = (x["present"][:, r] >= 0.5)[:, None]
        after, told = np.zeros((n, d)), np.zeros((n, d))
        for k in np.unique(counts):
            at = counts == k
            after[at], told[at] = error_feedback(residual[at], update[at, r], TernarySparse(k / d, rounding="round"))
        after = after - residual if fresh else after
        residual, sent, done = np.where(on, after, residual), sent + on * told, done + on * update[:, r]
        size = size + np.abs(told).max(axis=1) + np.abs(residual).max(axis=1)
    return {"lost": np.abs(sent + residual - done).max(axis=1), "sizes": {"lost": 10 * size}}


def feedback_exact(x: Mapping[str, Any], *, fresh: bool) -> Pair:
    """sum of ST(R + x) plus the last R against the sum of x over the rounds taken part in; R unchanged otherwise."""
    d = len(x["update"][0])
    k = max(int(d * x["keep"]), 1)
    residual, sent, done = [Fraction(0)] * d, [Fraction(0)] * d, [Fraction(0)] * d
    for update, present in zip(x["update"], x["present"], strict=True):
        if present < Fraction(1, 2):
            continue
        whole = [r + u for r, u in zip(residual, update, strict=True)]
        told = sparse_exact(whole, k)
        start = residual if fresh else [Fraction(0)] * d
        residual = [w - t - s for w, t, s in zip(whole, told, start, strict=True)]
        sent = [s + t for s, t in zip(sent, told, strict=True)]
        done = [s + u for s, u in zip(done, update, strict=True)]
    lost = max(abs(s + r - u) for s, r, u in zip(sent, residual, done, strict=True))
    return {"0 < q <= 1": 0 < x["keep"] <= 1}, {"lost": lost}


def _feedback(*, fresh: bool = False) -> World:
    def at(T: float, d: float) -> Case:
        rounds, dim = int(T), int(d)
        space = Space(
            (
                Signed("update", 1e-1, 1e1, (rounds, dim)),
                Uniform("present", 0.0, 1.0, (rounds,)),
                LogScale("keep", 1e-2, 1.0, at=(0.3, 1.0)),
            )
        )
        name, cost = f"error feedback, T = {rounds}, d = {dim}", min(4.0, max(1.0, rounds * dim / 40))
        same, uses = (units({"update": (0, 1)}),), (sparse_exact,)
        return case(name, space, feedback, feedback_exact, uses=uses, cost=cost, symmetries=same, fresh=fresh)

    return World(NOTATION, (Family("error feedback", (Size("T", 1, 30, 4), Size("d", 1, 20, 4)), at),))


E5 = definition(
    "EFL-E5",
    "Eq. (5), Sec. 3.1; Algorithm 1",
    "Client residual",
    printed=r"""R_{\tau E}^k=\Delta\omega_{\tau E}^k-ST(\Delta\omega_{\tau E}^k),\qquad\Delta\omega_{\tau E}^k=
        R_{(\tau-1)E}^k+\omega_{\tau E+s}^k-\omega_{\tau E}^k""",
    plainly="""Over any number of rounds what was sent plus the last residual is all that was computed: nothing is lost
        or counted twice.""",
    assumes=["ST with k = max(⌊nq⌋, 1) on vectors of up to 20 entries", "an absent client keeps its residual"],
    says=le(lost, 0),
    world=_feedback(),
    readings=[reading("rounds present and absent", "Σ ST(Δω) + R_T = Σ (ω_s − ω).")],
    mutants=[
        mutant(
            "previous residual not carried over",
            None,
            "what the last round cut off is then lost",
            world=_feedback(fresh=True),
        )
    ],
    verdict="""The recursion telescopes for any compressor: no part of an update is lost, it is only sent later. This
        bounds nothing; whether R stays bounded depends on ST (EFL-ALG2).""",
)

CLAIMS: tuple[Claim, ...] = (E1, E2, E3, DEF1, DEF4, E4, E5)

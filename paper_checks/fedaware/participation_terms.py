"""FA-R11 and FA-R12: what A.4 reads off its bound with partial participation, as algebra."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.fedaware.hulls import Checked
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]


def both_exact(x: Mapping[str, Any]) -> Checked:
    """The right sides of (13) and of (16), with beta as given, written out from the print."""
    T, K, eta_l, L, c, gamma, chi, beta = (x[k] for k in ("T", "K", "eta_l", "L", "c", "gamma", "chi", "beta"))
    eta_g, noise, drop, rho = x["eta_g"], x["noise"], x["drop"], x["rho"]
    eta = eta_l * eta_g
    Psi = rho / (eta_l**2 * K)
    full = 2 * drop / (T * K * eta) + eta * L * noise
    full += 4 * (c + gamma + chi * gamma / (2 * (eta_l * L * K) ** 2)) * (eta_l * L) ** 2 * K * noise
    full += eta * L * (1 + L * gamma / (2 * eta_g) + 2 * chi * gamma / (eta * K * L)) * Psi
    part = 2 * drop / (eta * T * K) + 2 * L * (1 + 4 * beta * chi * gamma) * eta * noise
    part += 4 * (c + gamma + (1 + 2 * beta) * chi * gamma / (eta_l * L * K) ** 2) * (eta_l * L) ** 2 * K * noise
    inner = 1 + L * gamma / (8 * eta_g) + 2 * (1 + 2 * beta) * chi * gamma / (eta * K * L) + 4 * beta * chi * gamma
    part += 2 * eta * L * inner * Psi
    return {"all constants positive": min(x.values()) >= 0}, {"lhs": part, "full": full}


def _both(x: Instance) -> Mapping[str, Any]:
    """The right sides of (16) and (13) in units that keep them apart term by term."""
    eta = x["eta_l"] * x["eta_g"]
    chi, gamma, beta = x["chi"], x["gamma"], x["beta"]
    Psi = x["rho"] / (x["eta_l"] ** 2 * x["K"])
    first = 2 * x["drop"] / (x["T"] * x["K"] * eta)
    drift = 4 * (x["eta_l"] * x["L"]) ** 2 * x["K"] * x["noise"]
    step = chi * gamma / (x["eta_l"] * x["L"] * x["K"]) ** 2
    cross = chi * gamma / (eta * x["K"] * x["L"])
    ratio = x["L"] * gamma / x["eta_g"]
    noise = eta * x["L"] * x["noise"]
    full = first + noise + drift * (x["c"] + gamma + step / 2) + eta * x["L"] * Psi * (1 + ratio / 2 + 2 * cross)
    inner = 1 + ratio / 8 + 2 * (1 + 2 * beta) * cross + 4 * beta * chi * gamma
    part = first + drift * (x["c"] + gamma + (1 + 2 * beta) * step) + 2 * noise * (1 + 4 * beta * chi * gamma)
    return {"lhs": part + 2 * eta * x["L"] * Psi * inner, "full": full}


def _constants(low: float, high: float) -> Case:
    names = ("T", "K", "eta_l", "L", "c", "gamma", "chi", "eta_g", "noise", "drop", "rho")
    numbers = tuple(LogScale(name, 1e-2, 1e2, at=(1.0,)) for name in names)
    factor = Uniform("beta", low, high, at=(low, high)) if high > low else Choice("beta", (low,))
    return Case(
        f"any constants, β = {low:g} to {high:g}", Space((*numbers, factor)), _both, ExactCheck(both_exact), cost=2.5
    )


full = symbols("full")
_SAME, _TWICE = Bound(full, lambda full: 1 * full), Bound(2 * full, lambda full: full + full)


def _forgetting(x: Instance) -> Mapping[str, Any]:
    """β = (1 − αp)² less the printed claim's bound."""
    return {"lhs": (1 - x["alpha"] * x["share"]) ** 2 - 0.5}


def forgetting_exact(x: Mapping[str, Any]) -> Checked:
    """beta = (1 - alpha p)^2 against 1/2, the most generous reading of beta << 1."""
    met = {"p = 1/10, alpha from the paper's grid": x["share"] == Fraction(1, 10) and 0 < x["alpha"] < 1}
    return met, {"lhs": (1 - x["alpha"] * x["share"]) ** 2 - Fraction(1, 2)}


_SETTINGS = Case(
    "the settings of §5",
    Space((Choice("alpha", (0.1, 0.3, 0.5, 0.7, 0.9)), Choice("share", (0.1,)))),
    _forgetting,
    ExactCheck(forgetting_exact),
)

R11 = Claim(
    id="FA-R11",
    kind=Kind.INEQUALITY,
    source="A.4, after (16)",
    title="Partial participation costs only terms in β",
    statement=(r"\text{RHS}(16)=\text{RHS}(13)+\beta(\cdots),\quad\beta=(1-\alpha p)^2\ll1\text{ in practice}"),
    says="Compared with (13), partial participation only adds minor terms multiplied by β, which is small.",
    assumes=("the right sides of (13) and (16) as printed, any positive constants",),
    readings=(
        Reading(
            "nothing but β terms",
            "At β = 0 the right side of (16) is no larger than that of (13).",
            Inequality(_SAME, (_constants(0.0, 0.0),)),
        ),
        Reading(
            "nothing but β terms, up to a factor 2",
            "At β = 0, twice (13).",
            Inequality(_TWICE, (_constants(0.0, 0.0),)),
        ),
        Reading(
            "β small in practice", "β <= 1/2 at α of §5 and 10 of 100 clients.", Property((_SETTINGS,), degrees=(0, 0))
        ),
    ),
    canaries=(
        Canary(
            "a factor 2 for every β",
            Inequality(_TWICE, (_constants(0.0, 1.0),)),
            "the term 4βχ̃γ multiplies ησ_l² and has no counterpart in (13)",
        ),
    ),
    tight="the terms in χ̃ and σ_l² for the factor 2",
    depends_on=("FA-E13", "FA-E16"),
    verdict_words=(
        "Its second half is false: β is not small in the paper's own practice, 0.95² = 0.9025 with 10 of 100 clients "
        "a round and α = 0.5. At α = 0.9 it is still 0.83. So the added terms are as large as the others, and the "
        "robustness argued from β ≪ 1 has no ground in these settings. The first half, on the form, is open: at β = "
        "0 the bound (16) does not become (13), as the terms in ησ_l², in Ψ̃ and in χ̃σ_l² are twice as large; up to "
        "that factor 2 it holds, and what «only» allows is not printed."
    ),
)


def _averaged(x: Instance) -> Mapping[str, Any]:
    """Σwⱼ² of the weights α(1 − α)ʲ of a long moving average, less that at α = 1; `double`: twice of it."""
    a = x["alpha"]
    return {"lhs": (2 * a if "double" in x else a) / (2 - a) - 1}


def averaged_exact(x: Mapping[str, Any]) -> Checked:
    """Variance of the stationary moving average at a frozen model, in units of an update's: a^2/(1 - (1 - a)^2)."""
    a, p = x["alpha"], x["share"]
    variance = a * a / (1 - (1 - a) ** 2)
    met = {"0 < alpha < 1, 0 < p <= 1": 0 < a < 1 and 0 < p <= 1}
    return met, {"lhs": variance * (2 if "double" in x else 1) - 1}


def _alphas(*flags: str, gain: bool = False, less: bool = False) -> Property:
    space = Space(
        (
            Uniform("alpha", 1e-3, 0.999, at=(0.1, 0.5, 0.9)),
            Uniform("share", 1e-3, 1.0, at=(0.1, 1.0)),
            LogScale("chi", 1e-2, 1e2),
            *((Uniform("less", 1e-3, 0.999, at=(0.5,)),) if less else ()),
            *(Choice(flag, (1.0,)) for flag in flags),
        )
    )
    measure, exact = (_gained, gained_exact) if gain else (_averaged, averaged_exact)
    return Property((Case("any α and p", space, measure, ExactCheck(exact)),), degrees=(0, 0))


def _gained(x: Instance) -> Mapping[str, Any]:
    """The σ_l² terms of (16) that move with α, less their value at α = 1; `less`: less their value at a smaller α."""
    other = x["alpha"] * x["less"] if "less" in x else 1.0
    return {"lhs": 16 * x["chi"] * ((1 - x["alpha"] * x["share"]) ** 2 - (1 - other * x["share"]) ** 2)}


def gained_exact(x: Mapping[str, Any]) -> Checked:
    """16 chi gamma (beta(alpha) - beta(1)), in units of the rest; or beta at a smaller alpha for beta(1)."""
    a, p = x["alpha"], x["share"]
    other = a * x["less"] if "less" in x else Fraction(1)
    met = {"0 < alpha < 1, 0 < p <= 1": 0 < a < 1 and 0 < p <= 1, "the other alpha in (0, 1]": 0 < other <= 1}
    return met, {"lhs": 16 * x["chi"] * ((1 - a * p) ** 2 - (1 - other * p) ** 2)}


R12 = Claim(
    id="FA-R12",
    kind=Kind.PROPERTY,
    source="§4.2, «Convergence of FedAWARE»",
    title="α against gradient noise",
    statement=r"\text{``a proper selection of }\alpha\text{ can further mitigate the impacts of local gradient variances''}",
    says="A suitable α lowers the influence of the gradient noise.",
    assumes=("0 < α < 1 against α = 1 or a smaller α, participation p in (0, 1]",),
    readings=(
        Reading(
            "in the bound (16), some averaging against none",
            "The σ_l² terms, which depend on α through β = (1 − αp)², are lower at α than at 1.",
            _alphas(gain=True),
        ),
        Reading(
            "in the bound (16), a larger α against a smaller one",
            "The same terms at α are no higher than at any smaller α; «proper» is then as large as possible.",
            _alphas(gain=True, less=True),
        ),
        Reading(
            "in the memory itself",
            "At a frozen model the variance α/(2 − α) of the moving average is lower than that of one update.",
            _alphas(),
        ),
    ),
    canaries=(Canary("twice the variance", _alphas("double"), "2α/(2 − α) exceeds 1 for α > 2/3"),),
    tight="α → 1",
    depends_on=("FA-E16", "FA-REC"),
    verdict_words=(
        "The moving average does average noise: at a frozen model its variance is α/(2 − α) of an update's. The bound does "
        "not show it. In (16) α occurs only in β = (1 − αp)², which multiplies positive terms and falls as α grows. So the "
        "proper α of the bound is 1, with no averaging at all; that averaging helps is true of the algorithm and does not "
        "follow from the bound."
    ),
)

CLAIMS: tuple[Claim, ...] = (R11, R12)

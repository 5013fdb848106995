"""The induction of EFL's Theorem 1, line by line: (65)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Identity,
    Inequality,
    Instance,
    Integer,
    Kind,
    LogScale,
    Reading,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

x_now, last, E, C, added, J, H, r = symbols("x_now last E C added J H r")
tau, gamma, mu, m, b, S = symbols("tau gamma mu m b S")
_DEGREES = {
    **dict.fromkeys(("x_now", "last", "E", "H", "r"), (0, 0)),
    **dict.fromkeys(("C", "added", "J"), (0, 2)),
}
_FROM, _ONE, _TWO = range(3)  # the right side of (64), the first and the second line of (65)


def _measure(x: Instance) -> Mapping[str, Any]:
    n, at = x["E"], x["E"] * x["position"]
    end = at + n * x["more"]
    c, later = x["C"] * x["sign"], at + n
    over = end if x["deadline"][0] > 0 else at
    bound = c / at**2 + x["H"] * x["J"] / over
    tail = x["added"] / later**2 + x["r"] * x["J"] / later
    lhs = [
        (at - n) / later * x["part"] * bound + x["added"] / later**2 + x["r"] * x["share"] * x["J"] / later,
        (at - n) / later * bound + tail,
        (at - n) / (at**2 - n**2) * (c / later + x["H"] * x["J"]) + tail,
    ][int(x["look"][0])]
    known = {"x_now": at, "last": end, "E": n, "C": c, "added": x["added"], "J": x["J"], "H": x["H"], "r": x["r"]}
    return {**known, "lhs": lhs, "magnitude": abs(bound) + tail}


def line_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """x_now = tau E + gamma, last = T E + gamma; Delta is `part` of its bound, J_tau is `share` of J."""
    E, at = x["E"], x["E"] * x["position"]
    C, J, end = x["C"] * x["sign"], x["J"], at + x["E"] * x["more"]
    hypothesis = C / at / at + x["H"] * J / (end if x["deadline"] > 0 else at)
    shrink = 1 - 2 * E / (at + E)
    tail = (x["added"] / (at + E) + x["r"] * J) / (at + E)
    if x["look"] == 0:
        lhs = shrink * x["part"] * hypothesis + (x["added"] / (at + E) + x["r"] * x["share"] * J) / (at + E)
    elif x["look"] == 1:
        lhs = shrink * hypothesis + tail
    else:
        lhs = (at - E) / ((at - E) * (at + E)) * (C / (at + E) + x["H"] * J) + tail
    met = {
        "E >= 1, gamma > 0": E >= 1 and at > 0,
        "tau < T": x["more"] >= 1,
        "0 <= Delta <= its bound, 0 <= J_tau <= J": 0 <= x["part"] <= 1 and 0 <= x["share"] <= 1,
    }
    known = {"x_now": at, "last": end, "E": E, "C": C, "added": x["added"], "J": J, "H": x["H"], "r": x["r"]}
    return met, {**known, "lhs": lhs}


def _line(
    look: int, expression: Any, again: Any = None, *, sign: float = 1.0, deadline: bool = False, early: bool = False
) -> Inequality:
    space = Space(
        (
            Integer("E", 1, 300),
            LogScale("position", 0.01, 0.99) if early else LogScale("position", 1.001, 1e6, at=(1.001, 2.0)),
            Integer("more", 1, 10_000),
            LogScale("C", 1e-3, 1e6, at=(1.0,)),
            LogScale("added", 1e-3, 1e6, at=(1.0,)),
            LogScale("J", 1e-3, 1e3, at=(1.0,)),
            Integer("H", 0, 10_000),
            Choice("r", (0.0, 1.0)),
            Uniform("part", 0.0, 1.0),
            Uniform("share", 0.0, 1.0),
            Choice("sign", (sign,)),
            Choice("deadline", (float(deadline),)),
            Choice("look", (float(look),)),
        )
    )
    case = Case("one step of the induction", space, _measure, ExactCheck(line_exact))
    return Inequality(Bound(expression, again=again, degrees=_DEGREES), (case,), degrees=(0, 2))


_NEXT = x_now + E
_TAIL = added / _NEXT**2 + r * J / _NEXT
_LINE_1 = (x_now - E) / _NEXT * (C / x_now**2 + H * J / x_now) + _TAIL
_LINE_2 = (x_now - E) / (x_now**2 - E**2) * (C / _NEXT + H * J) + _TAIL
_LINE_4 = (C + added) / _NEXT**2 + (H + r) * J / _NEXT
_CLOSED = (C + added) / _NEXT**2 + (H + r) * J / last


def one_again(**k: Any) -> Any:
    """The first line of (65)."""
    later = k["x_now"] + k["E"]
    old = (k["C"] / k["x_now"] + k["H"] * k["J"]) / k["x_now"]
    return old - 2 * k["E"] * old / later + (k["added"] / later + k["r"] * k["J"]) / later


def two_again(**k: Any) -> Any:
    """The second line of (65), the common factor cancelled."""
    later = k["x_now"] + k["E"]
    return (k["C"] / later + k["H"] * k["J"] + k["added"] / later + k["r"] * k["J"]) / later


def closed_again(**k: Any) -> Any:
    """The last line with TE + γ below HJ."""
    later = k["x_now"] + k["E"]
    return (k["added"] + k["C"]) / later**2 + k["J"] * (k["r"] + k["H"]) / k["last"]


_x = tau * E + gamma
_eta = 16 * E / (mu * (_x + E) * m)
E65 = Claim(
    id="EFL-E65",
    kind=Kind.INEQUALITY,
    source="Eq. (65), A.2.1, with the sentence before it",
    title="Induction step of Theorem 1",
    statement=(
        r"\mathbb E[\overline\Delta_{(\tau+1)E}]\le\frac{\tau E+\gamma-E}{(\tau+1)E+\gamma}\Big(\frac{C_\tau}{(\tau E+\gamma)^2}+"
        r"\frac{H_\tau J}{\tau E+\gamma}\Big)+\dots\le\frac{\tau E+\gamma-E}{(\tau E+\gamma)^2-E^2}\frac{C_\tau}{(\tau+1)E+\gamma}+\dots"
        r"\le\frac{C_{\tau+1}}{((\tau+1)E+\gamma)^2}+\frac{H_{\tau+1}J}{(\tau+1)E+\gamma}"
    ),
    says="If the bound holds after τ rounds it holds after τ + 1.",
    assumes=(
        "(64) with the step sizes of the theorem",
        "Cτ₊₁ = Cτ + (16E)²E[B̄ + 2H̄]/(μm)², Hτ₊₁ = Hτ + r, J the largest Jτ, as the last line asks; none is defined in the paper",
        "C, H >= 0; x = τE + γ > E, which is needed for the factor to be positive and follows from η₀ <= 4/(μEθ)",
    ),
    readings=(
        Reading(
            "factor of the first line",
            "1 − μηm/8 = (τE + γ − E)/((τ+1)E + γ).",
            Identity(1 - mu * _eta * m / 8, (_x - E) / ((tau + 1) * E + gamma)),
        ),
        Reading(
            "third term of the first line",
            "η²b with b = E[B̄ + 2H̄].",
            Identity(_eta**2 * b, (16 * E) ** 2 * b / ((mu * m) ** 2 * ((tau + 1) * E + gamma) ** 2)),
        ),
        Reading(
            "from (64) to the first line, hypothesis with τE + γ",
            "Any Δ below its bound, any Jτ <= J.",
            _line(_FROM, _LINE_1, one_again),
        ),
        Reading("first to second line", "x² − E² <= x².", _line(_ONE, _LINE_2, two_again)),
        Reading("second to last line", "The factor x − E cancels.", _line(_TWO, _LINE_4, two_again)),
        Reading(
            "hypothesis with TE + γ, as printed",
            "HτJ/(TE + γ) in the hypothesis, and so after τ + 1 rounds.",
            _line(_FROM, _CLOSED, closed_again, deadline=True),
        ),
    ),
    canaries=(
        Canary(
            "Cτ negative",
            _line(_ONE, _LINE_2, sign=-1.0),
            "x² − E² < x² turns its inequality round when it multiplies a negative number",
        ),
        Canary(
            "γ < E in the first round",
            _line(_FROM, _LINE_1, early=True),
            "the factor (x − E)/(x + E) is negative then, and Δ may be below its bound",
        ),
    ),
    depends_on=("EFL-E64",),
    verdict_words=(
        "With τE + γ in the hypothesis, which is what (65) inserts and concludes, every line is right for C, H >= 0 and γ > E. The "
        "hypothesis is printed with TE + γ below HτJ; so it is stronger than what is proved for the next round, since r J/((τ+1)E + γ) "
        "is larger than r J/(TE + γ), and the induction does not close. A slip of the pen, T for τ. C can be negative "
        "only with the bracket of (59) as printed; then the second line fails."
    ),
)

CLAIMS: tuple[Claim, ...] = (E65,)

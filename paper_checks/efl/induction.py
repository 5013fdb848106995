"""The induction of Theorem 1, line by line: (65)."""

from __future__ import annotations

from typing import Any

from paper_checks.efl.notation import NOTATION
from validation import Choice, Claim, Integer, LogScale, Uniform, symbols
from validation.world import World, identity, le, lt, mutant, numbers, reading, step

__all__ = ["CLAIMS"]

now, E, C, added, J, H, r = NOTATION.symbols("now E C added J H r")
position, more, part, part_of_j, last_now = NOTATION.symbols("position more part part_J last_now")
tau, gamma, mu, m, b = symbols("tau gamma mu m b", positive=True)


def _step(*, early: bool = False) -> World:
    """x = τE + γ > E, TE + γ, Δ a `part` of its bound and Jτ of J; `early`: x < E."""
    return numbers(
        NOTATION,
        "one step of the induction",
        Integer("E", 1, 300),
        LogScale("position", 0.01, 0.99) if early else LogScale("position", 1.001, 1e6, at=(1.001, 2.0)),
        Integer("more", 1, 10_000),
        LogScale("C", 1e-3, 1e6, at=(1.0,)),
        LogScale("added", 1e-3, 1e6, at=(1.0,)),
        LogScale("J", 1e-3, 1e3, at=(1.0,)),
        Integer("H", 0, 10_000),
        Choice("r", (0.0, 1.0)),
        Uniform("part", 0.0, 1.0),
        Uniform("part_J", 0.0, 1.0),
        where=(
            le(1, E),
            *((le(0, position), lt(position, 1)) if early else (lt(1, position),)),
            le(1, more),
            le(0, part),
            le(part, 1),
            le(0, part_of_j),
            le(part_of_j, 1),
        ),
    ).defining({now: E * position, last_now: E * position + E * more})


_NEXT = now + E
_TAIL = added / _NEXT**2 + r * J / _NEXT
_BOUND, _DUE = C / now**2 + H * J / now, C / now**2 + H * J / last_now


def _from(bound: Any) -> Any:
    """The right side of (64) at Δ and Jτ as large as they may be."""
    return (now - E) / _NEXT * part * bound + added / _NEXT**2 + r * part_of_j * J / _NEXT


_LINE_1 = (now - E) / _NEXT * _BOUND + _TAIL
_LINE_2 = (now - E) / (now**2 - E**2) * (C / _NEXT + H * J) + _TAIL
_LINE_4 = (C + added) / _NEXT**2 + (H + r) * J / _NEXT
_SECOND = le(_LINE_1, _LINE_2)
_FIRST = le(_from(_BOUND), _LINE_1)
_x = tau * E + gamma
_eta = 16 * E / (mu * (_x + E) * m)

E65 = step(
    "EFL-E65",
    "Eq. (65), A.2.1, with the sentence before it",
    "Induction step of Theorem 1",
    printed=r"""\text{«The Theorem is proved by induction»: }\mathbb E[\overline\Delta_{\tau E}]\le\frac{C_\tau}{(\tau E+\gamma)^2}+\frac{H_\tau J}{TE+\gamma}\Rightarrow
        \mathbb E[\overline\Delta_{(\tau+1)E}]\le\frac{\tau E+\gamma-E}{(\tau+1)E+\gamma}
        \Big(\frac{C_\tau}{(\tau E+\gamma)^2}+\frac{H_\tau J}{\tau E+\gamma}\Big)+\dots\le\frac{\tau E+\gamma-E}{(\tau
        E+\gamma)^2-E^2}\frac{C_\tau}{(\tau+1)E+\gamma}+\dots\le\frac{C_{\tau+1}}{((\tau+1)E+\gamma)^2}+
        \frac{H_{\tau+1}J}{(\tau+1)E+\gamma}""",
    plainly="If the bound of the hypothesis holds after τ rounds, it holds after τ + 1.",
    assumes=[
        "(64) with the step sizes of the theorem",
        """Cτ₊₁ = Cτ + (16E)²E[B̄ + 2H̄]/(μm)², Hτ₊₁ = Hτ + r, J the largest Jτ, as the last line asks; none is defined
            in the paper""",
        "C, H >= 0; x = τE + γ > E, which is needed for the factor to be positive and follows from η₀ <= 4/(μEθ)",
    ],
    says=le(_from(_DUE), (C + added) / _NEXT**2 + (H + r) * J / last_now),
    world=_step(),
    readings=[
        reading(
            "factor of the first line",
            "1 − μηm/8 = (τE + γ − E)/((τ+1)E + γ).",
            identity(1 - mu * _eta * m / 8, (_x - E) / ((tau + 1) * E + gamma)),
            part="factor of the first line",
        ),
        reading(
            "third term of the first line",
            "η²b with b = E[B̄ + 2H̄].",
            identity(_eta**2 * b, (16 * E) ** 2 * b / ((mu * m) ** 2 * ((tau + 1) * E + gamma) ** 2)),
            part="third term of the first line",
        ),
        reading(
            "from (64) to the first line, hypothesis with τE + γ",
            "Any Δ below its bound, any Jτ <= J.",
            _FIRST,
            part="the hypothesis, from τ to τ + 1",
            edits=["τE + γ in place of TE + γ in the hypothesis"],
            token=True,
            forced_by="""the first line of (65) inserts it with τE + γ; (7) and the conclusion after (65) have τE + γ
                and (τ+1)E + γ""",
            carries=True,
        ),
        reading("first to second line", "x² − E² <= x².", _SECOND, part="first to second line"),
        reading("second to last line", "The factor x − E cancels.", le(_LINE_2, _LINE_4), part="second to last line"),
        reading(
            "hypothesis with TE + γ, needed again after τ + 1 rounds",
            "HτJ/(TE + γ) in the hypothesis, as printed, and Hτ₊₁J/(TE + γ) after τ + 1 rounds.",
            part="the hypothesis, from τ to τ + 1",
            because="""an induction needs its hypothesis again after τ + 1 rounds; (65) itself ends with Hτ₊₁J/((τ+1)E + γ),
                which is true and weaker""",
        ),
    ],
    mutants=[
        mutant(
            "Cτ negative",
            le(_SECOND.left.subs(C, -C), _SECOND.right.subs(C, -C)),
            "x² − E² < x² turns its inequality round when it multiplies a negative number",
        ),
        mutant(
            "γ < E in the first round",
            _FIRST,
            "the factor (x − E)/(x + E) is negative then, and Δ may be below its bound",
            world=_step(early=True),
        ),
    ],
    rests_on=["EFL-E64"],
    verdict="""With τE + γ in the hypothesis, which is what (65) inserts and concludes, every line is right for C, H >=
        0 and γ > E. The hypothesis is printed with TE + γ below HτJ. It is the stronger one, so that the printed lines
        of (65) are true with it; but they end with Hτ₊₁J/((τ+1)E + γ), which does not give the hypothesis again after
        the next round, and the induction does not close: this is what the instance shown is to. A slip of the pen, T
        for τ. C can be negative only with the bracket of (59) as printed; then the second line fails.""",
)

CLAIMS: tuple[Claim, ...] = (E65,)

"""The one-step inequality summed over a round in EFL's proof: (50), (51), (56) and (60)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paper_checks.efl.round_worlds import LAST, SCALED, SUM, rounds
from validation import Canary, Claim, Kind, Reading, symbols

__all__ = ["CLAIMS"]

eta, mu, steps, start, kept, weighted, B, pulled = symbols("eta mu steps start kept weighted B pulled")
picked, argmin, best, free = symbols("picked argmin best free")

_CHOICES = {
    "picked": (
        picked,
        "every step j of the round",
        "The index j of the last term, which no sum binds, is any of the round.",
    ),
    "argmin": (
        argmin,
        "j minimises Σpα F̃ₖ(ω̄) over the round",
        "The text's argmin, taken over the iterates of the round, each with its own step's activity.",
    ),
    "best": (best, "the most favourable j", "The step of the round with the largest last term."),
    "free": (free, "ω̄ the minimiser of Σps F̃ₖ over all models", "The argmin taken over all models, not only iterates."),
}


def sum_again(gain: str) -> Callable[..., Any]:
    """The right side of (50)."""
    return lambda **k: k["kept"] + k["eta"] * (k["eta"] * k["B"] + 2 * k[gain])


def last_again(gain: str) -> Callable[..., Any]:
    """The right side of (51)."""
    return lambda **k: k["start"] + k["eta"] * (k["eta"] * k["B"] + 2 * k[gain] - k["mu"] * k["weighted"] / 2)


def scaled_again(gain: str) -> Callable[..., Any]:
    """The right side of (56) and (60)."""
    return lambda **k: (
        k["start"] + k["eta"] * (k["eta"] * (k["B"] + k["mu"] * k["eta"] * k["pulled"] / 2) + 2 * k[gain])
    )


_SIDES = {
    SUM: (kept + eta**2 * B, sum_again),
    LAST: (start - mu * eta * weighted / 2 + eta**2 * B, last_again),
    SCALED: (start + mu * eta**3 * pulled / 2 + eta**2 * B, scaled_again),
}
_SHORT = "η <= 1/(2(1+θ)²L)"


def _claim(
    number: int, look: int, title: str, statement: str, says: str, needs: tuple[str, ...], words: str, noisy: bool
) -> Claim:
    base, again = _SIDES[look]

    def reading(gain: str, how: str = "", repair: Any = None, **kwargs: Any) -> Reading:
        symbol, name, meaning = _CHOICES[gain]
        test = rounds(look, base + 2 * eta * symbol, again(gain), noisy=noisy, **kwargs)
        return Reading(name + how, meaning, test, repair=repair)

    return Claim(
        id=f"EFL-E{number}",
        kind=Kind.INEQUALITY,
        source=f"Eq. ({number}), A.2.1",
        title=title,
        statement=statement,
        says=says,
        assumes=(
            "A1, A2, A5",
            "η <= 1/(2(1+θ)L)",
            "B with 1/η² before its drift (EFL-E47)",
            "all clients start the round at ω̄; activity fixed before the batches",
            "both sides averaged over the batches, which may be noisy at one step"
            if noisy
            else "full gradients, g = ḡ",
        ),
        readings=(
            reading("picked"),
            reading("argmin"),
            reading("best"),
            reading("free"),
            reading("argmin", ", all steps or none, shorter steps", "condition", short=True, whole=True),
        ),
        canaries=(
            Canary(
                "B dropped, noisy batches, shorter steps",
                rounds(look, base + 2 * eta * best - eta**2 * B, noisy=True, short=True, longest=2),
                "one client at ω*: the noise moves the model away, and without B the right side has at most μηΣps/2 of that",
            ),
        ),
        depends_on=needs,
        verdict_words=words,
    )


_SUMMED = (
    "For a single local step this is (48), so the flaw of (48) is here too: with p far above pᵏ and the longest allowed step it is "
    "false, whatever step of the round the unbound index j means. "
)
_CHOSEN = (
    "Only if the text's argmin is taken over all models, so that the last term is the largest it can be, no violation was found; "
    "but that term is then never negative, and (62) cannot drop it for r = 0. With iterates of the round, clients that do all "
    "steps or none and steps shorter by 1 + θ it also held."
)
_GAIN = r"\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E+j}))"

E50 = _claim(
    50,
    SUM,
    "Sum over a round",
    r"\sum_{j=1}^E\Delta_{\tau E+j}\le\sum_{j=0}^{E-1}\Big(1-\frac12\mu\eta_\tau\sum_kp_\tau^k\alpha_{\tau E+j}^k\Big)\Delta_{\tau E+j}"
    r"+\eta_\tau^2B_\tau+2\eta_\tau" + _GAIN,
    "The one-step inequality summed over the round, with one iterate standing for all in the last term.",
    ("EFL-E48",),
    _SUMMED + _CHOSEN,
    False,
)
E51 = _claim(
    51,
    LAST,
    "Reorganised sum",
    r"\Delta_{(\tau+1)E}\le\Delta_{\tau E}-\frac12\mu\eta_\tau\sum_{j=0}^{E-1}\sum_kp_\tau^k\alpha_{\tau E+j}^k\Delta_{\tau E+j}"
    r"+\eta_\tau^2B_\tau+2\eta_\tau" + _GAIN,
    "The distance after a round, with the sum telescoped.",
    ("EFL-E50",),
    "The same inequality as (50), telescoped, so with the same verdict. " + _SUMMED + _CHOSEN,
    False,
)
E56 = _claim(
    56,
    SCALED,
    "Round inequality before expectation",
    r"\Big(1+\frac14\mu\eta_\tau\sum_kp_\tau^ks_\tau^k\Big)\Delta_{(\tau+1)E}\le\Delta_{\tau E}+\frac12\mu\eta_\tau^3\sum_kp_\tau^k"
    r"s_\tau^k\Big(\sum_{j=0}^{E-1}h_{\tau E+j}\Big)^2+\eta_\tau^2B_\tau+2\eta_\tau" + _GAIN,
    "The distance after a round contracts, up to moves, errors and the objective gap.",
    ("EFL-E51", "EFL-E55"),
    "Inserting the outer members of (55) into (51) is correct algebra. The result inherits (51): the added term "
    "μη³Σps(Σh)²/2 is too small to help when μ is far below L. " + _CHOSEN,
    False,
)
E60 = _claim(
    60,
    SCALED,
    "Round inequality in expectation over the batches",
    r"\Big(1+\frac14\mu\eta_\tau\sum_kp_\tau^ks_\tau^k\Big)\overline\Delta_{(\tau+1)E}\le\overline\Delta_{\tau E}+\frac12\mu\eta_\tau^3"
    r"\sum_kp_\tau^ks_\tau^k\overline H_\tau+\eta_\tau^2\overline B_\tau+2\eta_\tau\mathbb E_\xi" + _GAIN,
    "The same, averaged over the batches.",
    ("EFL-E56",),
    "The average of (56), with its flaw: full gradients are a special case. " + _CHOSEN,
    True,
)

CLAIMS: tuple[Claim, ...] = (E50, E51, E56, E60)

"""A.9: the step sizes, in units of 1/μ, and what is asked of them."""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.open_points import FIRST_STEP, GAMMA
from paper_checks.exp_alpha.settings import THREE_STEPS
from validation import Integer, LogScale
from validation.world import Le, World, all_of, at, definition, exists, largest, le, lt, mutant, numbers, reading, step

__all__ = ["CLAIMS"]

kappa, E, t, gamma, beta = NOTATION.symbols("kappa E t gamma beta")

_WHERE = (le(1, kappa), le(1, E), le(0, t))
_SHORT = (le(E, 8 * kappa - 1),)
_OFFSET = largest(8 * kappa, E)  # A.9's γ and one


def _steps(*marked: int) -> World:
    """All κ >= 1, E >= 1 and t >= 0; steps that are corners beside the ends."""
    return numbers(
        NOTATION,
        "κ, E and t",
        LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4)),
        Integer("E", 1, 300, at=(7, 8, 9)),
        Integer("t", 0, 10_000, at=marked),
        where=_WHERE,
    )


_STEPS = _steps(1, 2)


def _eta(step: Any, offset: Any) -> Any:
    """ηₜ in units of 1/μ."""
    return 2 / (offset + step)


def _halved(offset: Any) -> Le:
    return le(_eta(t, offset), 2 * _eta(t + E, offset))


def _asked(offset: Any, first: int) -> Le:
    """η at the first step that counts is at most 1/(4L), and ηₜ <= 2ηₜ₊ₑ."""
    return all_of(le(_eta(first, offset), 1 / (4 * kappa)), _halved(offset))


_BETAS = numbers(NOTATION, "β from 1/μ", LogScale("beta", 1.0, 100.0, at=(1.0, 2.0)), where=(le(1, beta),))

EA_S1 = step(
    "EA-S1",
    "A.9, after (7)",
    "Step sizes with the wanted properties exist",
    printed=r"""\exists\,\beta\ge\tfrac1\mu,\ \gamma>0:\quad\eta_t=\tfrac\beta{t+\gamma},\ \eta_1
        \le\tfrac1{4L},\ \eta_t\le2\eta_{t+E};\qquad v=\max\Big\{\tfrac{\beta^2B}{\beta\mu-1},\gamma\Delta_0\Big\}""",
    plainly="There are step sizes β/(t + γ) that start small enough and halve at most once a round.",
    assumes=["L >= μ > 0, E >= 1"],
    says=exists({gamma: _OFFSET}, _asked(gamma, 1)),
    world=_STEPS,
    readings=[
        reading("such a choice exists", "β = 2/μ and γ = max{8L/μ, E}, for every κ, E and t."),
        reading(
            "every admitted β leaves v defined",
            "The induction is made for any β >= 1/μ.",
            lt(0, beta - 1),
            world=_BETAS,
            ours="the print says that such a β exists; β = 1/μ, where v has no value, need not be taken",
        ),
    ],
    mutants=[
        mutant(
            "γ = 8L/μ alone",
            _asked(8 * kappa, 1),
            "at t = 0 and E > 8κ the step falls by more than a half",
            at(kappa=1, E=15, t=0),
        ),
        mutant(
            "β > 0 in place of β >= 1/μ",
            lt(0, beta - 1),
            "at β = 1/(2μ) the denominator βμ − 1 is −1/2",
            at(beta="1/2"),
            world=numbers(NOTATION, "β from 0.5/μ", LogScale("beta", 0.5, 100.0, at=(0.5, 2.0))),
        ),
    ],
    tight=["γ = max{8L/μ, E} has ηₜ = 2ηₜ₊ₑ at t = 0 for E >= 8κ", at(kappa=1, E=8, t=0)],
    verdict="""Such step sizes exist: β = 2/μ with γ = max{8L/μ, E} meets both conditions for every κ, E and t. The
        range printed for β is a touch too large for v: at β = 1/μ its denominator βμ − 1 is zero, so the induction
        needs β > 1/μ. Nothing turns on it: that some β serves is what is said, and the choice made later, β = 2/μ,
        does.""",
)

EA_S2 = step(
    "EA-S2",
    "A.9",
    "Step sizes halve at most once a round",
    printed=r"\beta=\tfrac2\mu,\ \gamma=\max\{8\tfrac L\mu,E\}-1:\qquad\eta_t\le2\eta_{t+E}\quad\forall t\ge0",
    plainly="With γ = max{8L/μ, E} − 1 the step size never falls by more than a half within E steps.",
    assumes=["ηₜ = (2/μ)/(γ + t)", "γ = max{8L/μ, E} − 1", "L >= μ > 0, E >= 1, t >= 0"],
    says=_halved(_OFFSET - 1),
    world=_steps(1),
    readings=[
        reading("as printed", "All κ = L/μ >= 1, all E >= 1, all t >= 0."),
        reading("E <= 8L/μ − 1", "So that γ >= E.", where=_SHORT, met_by=THREE_STEPS),
    ],
    mutants=[
        mutant(
            "factor 2 dropped",
            le(_eta(t, _OFFSET - 1), _eta(t + E, _OFFSET - 1)),
            "the step size strictly decreases, so it is never at most a later one",
            at(kappa=1, E=1, t=0),
            where=_SHORT,
        )
    ],
    tight=["t = 0 and E = 8L/μ − 1, where both sides are equal", at(kappa=1, E=7, t=0)],
    verdict="""At t = 0 the condition reads γ >= E. The offset is max{8L/μ, E} − 1, and the −1 takes it below E as soon
        as E > 8L/μ − 1: for κ = 1 and E = 8 the step size falls by more than a half within the first round. Rounds with E
        <= 8L/μ − 1 satisfy it, with equality at the end of that range. Lemma 3 uses the condition.""",
)

EA_S3 = step(
    "EA-S3",
    "Lemma 1 (A.8) as used in A.9",
    "Steps short enough for Lemma 1",
    printed=r"\eta_t\le\frac1{4L}\quad\text{for every }t\text{ at which Lemma 1 is used}",
    plainly="Every step of the run is at most 1/(4L), as Lemma 1 needs.",
    assumes=["ηₜ = 2/(μ(γ + t))", "γ = L/μ (Theorems 1 and 2) or max{8L/μ, E} − 1 (A.9)", "L >= μ > 0, E >= 1"],
    says=le(_eta(t, _OFFSET - 1), 1 / (4 * kappa)),
    world=_STEPS,
    open={"gamma": GAMMA, "first_step": FIRST_STEP},
    readings=[
        reading(
            "γ = L/μ, steps from t = 0",
            "The steps of the theorems.",
            le(_eta(t, kappa), 1 / (4 * kappa)),
            options={"gamma": "L/μ", "first_step": "t = 0"},
        ),
        reading(
            "γ of A.9, steps from t = 0", "The steps of the proof.", options={"gamma": "A.9", "first_step": "t = 0"}
        ),
        reading(
            "γ of A.9, steps from t = 1",
            "The steps of the proof, the first of them η₁.",
            le(_eta(t + 1, _OFFSET - 1), 1 / (4 * kappa)),
            options={"gamma": "A.9", "first_step": "t = 1"},
        ),
        reading(
            "γ = L/μ, steps from t = 1",
            "The steps of the theorems, the first of them η₁.",
            le(_eta(t + 1, kappa), 1 / (4 * kappa)),
            options={"gamma": "L/μ", "first_step": "t = 1"},
        ),
    ],
    mutants=[
        mutant(
            "1/(8L) in place of 1/(4L)",
            le(_eta(t + 1, _OFFSET - 1), 1 / (8 * kappa)),
            "for E <= 8κ the step at t = 1 is exactly 1/(4L)",
            at(kappa=1, E=1, t=0),
        ),
        mutant(
            "γ smaller by another 1",
            le(_eta(t + 1, _OFFSET - 2), 1 / (4 * kappa)),
            "at t = 1 the step is then 2/(8L − μ), longer than 1/(4L), whenever E <= 8κ",
            at(kappa=1, E=1, t=0),
        ),
    ],
    tight=["t = 1 and E <= 8L/μ with γ of A.9, where both sides are equal", at(kappa=1, E=8, t=1)],
    written="the display; Lemma 1 says «if η_t ≤ 1/(4L)», and A.9 asks for «η_1 ≤ 1/(4L)»",
    verdict="""With γ = L/μ, as the theorems print, it fails wherever the count starts: the first step is 2/L or 2/(L +
        μ), and Lemma 1 applies only from t >= 7L/μ on. With γ = max{8L/μ, E} − 1 it hangs on where the steps are
        counted from: from 1, as A.9's own «η₁ ≤ 1/(4L)» has it, every step is short enough; from 0, where the run and
        (7) start, the first is 2/(8L − μ), still a little longer than 1/(4L) unless E >= 8L/μ + 1. The miss at t = 0 is
        harmless: the proof of Lemma 1 needs ηL <= 1/2 only, and 2L/(8L − μ) <= 2/7; γ = max{8L/μ, E} has none.""",
)

EA_D8 = definition(
    "EA-D8",
    "Theorems 1 and 2, A.9",
    "The step sizes",
    printed=r"""\eta_t=\frac2{\mu(\gamma+t)},\quad\gamma=\max\tfrac L\mu\ \text{(theorems)}\ \text{or}\ \gamma=\max\{8
        \tfrac L\mu,E\}-1\ \text{(A.9)}:\qquad\eta_1\le\frac1{4L},\ \eta_t\le2\eta_{t+E}\ \forall t\ge0""",
    plainly="The step sizes chosen are those that the proof asks for.",
    assumes=["β = 2/μ; L >= μ > 0, E >= 1", "«max L/μ» of the theorems, whose second entry is missing, read as L/μ"],
    says=_asked(_OFFSET - 1, 1),
    world=_STEPS,
    open={"gamma": GAMMA, "first_step": FIRST_STEP},
    readings=[
        reading(
            "γ = L/μ", "The steps of the theorems.", _asked(kappa, 1), options={"gamma": "L/μ", "first_step": "t = 1"}
        ),
        reading(
            "γ of A.9, the condition at t = 1",
            "«η₁ <= 1/(4L)».",
            options={"gamma": "A.9", "first_step": "t = 1"},
            shown=True,
        ),
        reading(
            "γ of A.9, the condition from t = 0",
            "Lemma 1 is used at every t >= 0, steps counted from 0.",
            _asked(_OFFSET - 1, 0),
            options={"gamma": "A.9", "first_step": "t = 0"},
        ),
        reading(
            "γ = L/μ, the condition from t = 0",
            "The steps of the theorems, from the first one on.",
            _asked(kappa, 0),
            options={"gamma": "L/μ", "first_step": "t = 0"},
        ),
        reading(
            "γ of A.9, the condition at t = 1, and E <= 8L/μ − 1",
            "Rounds short enough that γ >= E.",
            where=_SHORT,
            options={"gamma": "A.9", "first_step": "t = 1"},
            met_by=THREE_STEPS,
        ),
        reading(
            "γ = max{8L/μ, E}",
            "Without the − 1; the condition from t = 0.",
            _asked(_OFFSET, 0),
            options={"gamma": "A.9", "first_step": "t = 0"},
            edits=["max{8L/μ, E} without the − 1"],
            because="printed nowhere; shows that only the − 1 is at fault",
        ),
    ],
    mutants=[
        mutant(
            "E <= 8L/μ − 1 with the theorems' γ",
            _asked(kappa, 1),
            "η₁ = 2/(L + μ) is at least 1/L",
            at(kappa=1, E=1, t=0),
            where=_SHORT,
        ),
        mutant(
            "E <= 8L/μ − 1 with the condition from t = 0",
            _asked(_OFFSET - 1, 0),
            "η₀ = 2/(8L − μ) > 1/(4L)",
            at(kappa=1, E=1, t=0),
            where=_SHORT,
        ),
    ],
    tight=["γ = max{8L/μ, E}: η₀ = 1/(4L) for E <= 8L/μ", at(kappa=1, E=8, t=0)],
    rests_on=["EA-S1", "EA-S2", "EA-S3"],
    repeats="EA-S2",
    verdict="""Both printed choices are positive and fall with t, but neither is what the proof asks for. With the
        theorems' γ = L/μ the step at t = 1 is at least 1/L, at least four times too long, for every L and μ; the
        condition on E that is named mends the γ of A.9 alone. That γ misses
        η₀ <= 1/(4L) by a little and, for E > 8L/μ − 1, ηₜ <= 2ηₜ₊ₑ at t = 0. If the first condition is asked at t = 1,
        as A.9 prints it, and rounds are not longer than 8L/μ − 1, the γ of A.9 meets both; γ = max{8L/μ, E} meets them
        for every t >= 0. The theorems print «max L/μ», a maximum of one thing: presumably A.9's formula, cut.""",
)

CLAIMS = (EA_S1, EA_S2, EA_S3, EA_D8)

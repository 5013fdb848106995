"""Participation enters EFL's proof: the objective gap with r (62), the contraction (63) and its mean (64)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.efl.round_worlds import GAIN_FIXED, GAIN_MOVED, LAST, rounds
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
    Reading,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

eta, mu, steps, start, B, H, r, skew, x_now = symbols("eta mu steps start B H r skew x_now")
_FAIR: Any = {"patterns": 2, "fair": (0.0, 1.0)}
_LAW = "two patterns of participation, each with its own steps and coefficients; r = 0 iff E[p s] = c pᵏ for all k"


def gap_again(r: Any, skew: Any) -> Any:
    """The right side of (62)."""
    return skew * r


E62 = Claim(
    id="EFL-E62",
    kind=Kind.INEQUALITY,
    source="Eq. (62), A.2.1, with the sentence before (61)",
    title="Objective gap with r",
    statement=(
        r"\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E+j}))\le r_\tau\sum_kp_\tau^ks_\tau^kD_k"
    ),
    says="When participation is unbiased the objective gap term is not positive.",
    assumes=(_LAW, "full gradients"),
    readings=(
        Reading(
            "for each realised participation",
            "As printed, without an expectation over p and s; ω̄ at the start of the round.",
            rounds(GAIN_FIXED, r * skew, gap_again, realised=True, **_FAIR),
        ),
        Reading(
            "averaged over participation, ω̄ at step j",
            "The iterate that (50) selects, which the round's participation has already moved.",
            rounds(GAIN_MOVED, r * skew, gap_again, **_FAIR),
        ),
        Reading(
            "averaged over participation, ω̄ at the start of the round",
            "j = 0, so that ω̄ is the same for all patterns.",
            rounds(GAIN_FIXED, r * skew, gap_again, **_FAIR),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "r taken to be 0 for any law",
            rounds(GAIN_FIXED, (r - 1) * skew, patterns=2),
            "a client drawn more often than its share gains at a model nearer to its own optimum",
        ),
    ),
    depends_on=("EFL-E61", "EFL-DEF3"),
    verdict_words=(
        "r = 0 is a statement about E[p s]; it says nothing about a realised round, in which one client may be alone and ω̄ may suit "
        "it better than ω*. Averaged over participation the sum is c(F(ω*) − F(ω̄)) <= 0 if ω̄ does not depend on the round's "
        "participation, as at its start, j = 0. The iterate that (50) selects does: after a step of the realised clients ω̄ has moved "
        "towards them, and the average can be positive."
    ),
)


def first_again(**k: Any) -> Any:
    """The first right side of (63)."""
    quarter = k["mu"] * k["eta"] * k["steps"] / 4
    return k["start"] / (1 + quarter) + k["eta"] * (k["eta"] * (2 * k["H"] + k["B"]) + 2 * k["r"] * k["skew"])


def second_again(**k: Any) -> Any:
    """The second right side of (63), and that of (64)."""
    kept = k["start"] - k["mu"] * k["eta"] * k["steps"] * k["start"] / 8
    return kept + k["eta"] ** 2 * (k["B"] + 2 * k["H"]) + 2 * k["eta"] * k["r"] * k["skew"]


def biased_again(**k: Any) -> Any:
    """The second right side of (63) with r = 1."""
    return second_again(**k, r=1)


_QUARTER = mu * eta * steps / 4
_ERRORS = eta**2 * (B + 2 * H)
_PULL = 2 * eta * r * skew
_FIRST = (1 - _QUARTER / (1 + _QUARTER)) * start + _ERRORS + _PULL
_SECOND = (1 - mu * eta * steps / 8) * start + _ERRORS + _PULL


def _granted(x: Instance) -> Mapping[str, Any]:
    """Δ̄ after the round as large as (60) with (62) allows, x = μηΣps/4."""
    part = x["x_now"]
    most = x["start"] + 2 * x["eta"] ** 2 * part * x["H"] + x["eta"] ** 2 * x["B"] + 2 * x["eta"] * x["r"] * x["skew"]
    return {**x, "lhs": most / (1 + part), "magnitude": most}


def granted_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(start + 2 x eta^2 H + eta^2 B + 2 eta r S)/(1 + x): mu eta^3 steps H/2 = 2 x eta^2 H with x = mu eta steps/4."""
    part, eta = x["x_now"], x["eta"]
    after = x["start"] / (1 + part) + eta * (2 * part * eta * x["H"] + eta * x["B"] + 2 * x["r"] * x["skew"]) / (
        1 + part
    )
    return {"eta <= 4/(mu sum p s), so x <= 1": part <= x["most"], "all terms >= 0": x["start"] >= 0}, {
        **x,
        "lhs": after,
    }


def line_again(**k: Any) -> Any:
    """The second right side of (63) in x."""
    return k["start"] * (1 - k["x_now"] / 2) + k["eta"] ** 2 * (k["B"] + 2 * k["H"]) + 2 * k["eta"] * k["r"] * k["skew"]


def line_one_again(**k: Any) -> Any:
    """The first right side of (63) in x."""
    return k["start"] / (1 + k["x_now"]) + k["eta"] ** 2 * (k["B"] + 2 * k["H"]) + 2 * k["eta"] * k["r"] * k["skew"]


def _algebra(expression: Any, again: Any = None, most: float = 1.0) -> Inequality:
    space = Space(
        (
            LogScale("start", 1e-3, 1e3),
            LogScale("x_now", 1e-4, most, at=(most,)),
            LogScale("eta", 1e-3, 1e1),
            LogScale("H", 1e-3, 1e3),
            LogScale("B", 1e-3, 1e3),
            LogScale("skew", 1e-3, 1e3),
            Choice("r", (0.0, 1.0)),
            Choice("most", (most,)),
        )
    )
    degrees = {
        "start": (0, 2),
        "x_now": (0, 0),
        "eta": (-1, 2),
        "H": (2, -2),
        "B": (2, -2),
        "skew": (1, 0),
        "r": (0, 0),
    }
    bound = Bound(expression, again=again, degrees=degrees)
    return Inequality(bound, (Case("numbers", space, _granted, ExactCheck(granted_exact)),), degrees=(0, 2))


_ONE = (1 - x_now / (1 + x_now)) * start + _ERRORS + _PULL
_TWO = (1 - x_now / 2) * start + _ERRORS + _PULL

E63 = Claim(
    id="EFL-E63",
    kind=Kind.INEQUALITY,
    source="Eq. (63), A.2.1",
    title="Contraction of a round",
    statement=(
        r"\overline\Delta_{(\tau+1)E}\le\Big(1-\frac{\frac14\mu\eta_\tau\Sigma ps}{1+\frac14\mu\eta_\tau\Sigma ps}\Big)"
        r"\overline\Delta_{\tau E}+2\eta_\tau^2\overline H_\tau+\eta_\tau^2\overline B_\tau+2\eta_\tau r_\tau\Sigma psD\le\Big(1-"
        r"\frac18\mu\eta_\tau\Sigma ps\Big)\overline\Delta_{\tau E}+\eta_\tau^2(\overline B_\tau+2\overline H_\tau)+2\eta_\tau r_\tau"
        r"\Sigma psD"
    ),
    says="A round contracts the squared distance by 1 − μηΣps/8, up to errors and bias.",
    assumes=("A1, A2, A5", "η <= 4/(μEθ), η <= 1/(2(1+θ)L)", _LAW, "B with 1/η² before its drift"),
    readings=(
        Reading(
            "from (60) and (62), first line",
            "The algebra: (60) with its last term replaced by (62), divided by 1 + x, x = μηΣps/4.",
            _algebra(_ONE, line_one_again),
        ),
        Reading("from (60) and (62), second line", "The same, x <= 1.", _algebra(_TWO, line_again)),
        Reading(
            "first line, for each realised participation",
            "As printed, before the expectation over p and s.",
            rounds(LAST, _FIRST, first_again, noisy=True, realised=True, capped=True, **_FAIR),
        ),
        Reading(
            "second line, for each realised participation",
            "As printed, before the expectation over p and s.",
            rounds(LAST, _SECOND, second_again, noisy=True, realised=True, capped=True, **_FAIR),
        ),
        Reading(
            "second line, with the term of r for every law",
            "r = 1 also where participation is unbiased.",
            rounds(LAST, _SECOND.subs(r, 1), biased_again, noisy=True, realised=True, capped=True, **_FAIR),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "x up to 10 in the second line",
            _algebra(_TWO, most=10.0),
            "1/(1 + x) <= 1 − x/2 needs x <= 1, and here x may be 10",
        ),
    ),
    depends_on=("EFL-E60", "EFL-E62"),
    verdict_words=(
        "Given (60) and (62), from which it is drawn, the line is right: η <= 4/(μEθ) makes x <= 1, since Σps <= "
        "θE. Taken alone it inherits the fault of (62), which is about averages over participation while (63) is "
        "printed before that average is taken: for a realised round with a single client, far from a law's mean, "
        "and r = 0, the model moves away from ω* by more than the right side. With the bias term kept whatever r "
        "is, no violation was found for realised rounds."
    ),
)

_MEAN: Any = {"noisy": True, "capped": True, **_FAIR}
E64 = Claim(
    id="EFL-E64",
    kind=Kind.INEQUALITY,
    source="Eq. (64), A.2.1",
    title="Contraction in expectation",
    statement=(
        r"\mathbb E[\overline\Delta_{(\tau+1)E}]\le\Big(1-\frac18\mu\eta_\tau\mathbb E\Big[\sum_kp_\tau^ks_\tau^k\Big]\Big)"
        r"\overline\Delta_{\tau E}+\eta_\tau^2\mathbb E[\overline B_\tau+2\overline H_\tau]+2\eta_\tau r_\tau\sum_k\mathbb E[p_\tau^k"
        r"s_\tau^k]D_k"
    ),
    says="Averaged over participation, a round contracts the squared distance up to errors and bias.",
    assumes=("A1, A2, A5", "η <= 4/(μEθ), η <= 1/(2(1+θ)L)", _LAW, "B with 1/η² before its drift"),
    readings=(
        Reading(
            "participation independent of the past",
            "(p, s) drawn afresh in the round, independent of ω̄ at its start and of the batches.",
            rounds(LAST, _SECOND, second_again, **_MEAN),
        ),
        Reading(
            "participation depends on the past",
            "Two pasts, each with its own ω̄ and its own pattern; E over both, r from E[p s] as defined.",
            rounds(LAST, _SECOND, second_again, dependent=True, **_MEAN),
        ),
    ),
    canaries=(
        Canary(
            "B and H dropped",
            rounds(LAST, _SECOND - _ERRORS, longest=2, **_MEAN),
            "one client at ω* with noise moves away, and no other term of the right side is positive",
        ),
    ),
    depends_on=("EFL-E63", "EFL-E62"),
    verdict_words=(
        "For participation drawn independently of the past no violation was found in a round: what (62) lacks for a realised round "
        "averages out, and 2H̄ pays for what (48) lacks. With B̄ and H̄ at their bounds (58) and (59), the bracket with a positive "
        "part, it can be proved for all clients (EFL-T1-R). If the pattern depends on where ω̄ stands, as «any distributions and "
        "correlations» allows, E[p s] = c pᵏ gives r = 0 while each past pulls towards its own clients, and the bound fails."
    ),
)

CLAIMS: tuple[Claim, ...] = (E62, E63, E64)

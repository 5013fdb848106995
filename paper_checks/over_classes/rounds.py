"""Lines inside a round of two clients, and one-step results, over whole classes: no noise, fixed weights."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from paper_checks.over_classes.instances import MU, ONE, STEP, THETA, L, OverClass, Round, of_round
from theory.classes import Condition, Form, Real, number

__all__ = ["ROUNDS"]


def _squared_direction(r: Round, factor: Real = ONE) -> tuple[Form, Form]:
    return STEP**2 * r.direction() ** 2, factor * 2 * L * STEP**2 * r.weighted(lambda k: r.gap(k, r.local[k]))


def _strong(r: Round, *, own_floor: bool) -> tuple[Form, Form]:
    """⟨w* − w₁, ∇F₁(w₁)⟩ <= F₁(w*) − F₁(w₁) − μ/2‖w* − w₁‖², with F₁* for F₁(w*) as EFL prints it."""
    F, x = r.clients[0], r.local[0]
    floor = F(r.own[0]) if own_floor else F(r.optimum)
    return (r.optimum - x) * F.gradient(x), floor - F(x) - MU / 2 * (r.optimum - x) ** 2


def _tangent(r: Round) -> tuple[Form, Form]:
    F, x = r.clients[0], r.local[0]
    return (x - r.mean) * F.gradient(r.mean), F(x) - F(r.mean)


def _young_printed(r: Round) -> tuple[Form, Form]:
    lower = r.weighted(lambda k: STEP * r.clients[k].gradient(r.mean) ** 2 + r.apart(k) / STEP) / 2
    return lower, r.weighted(lambda k: (r.local[k] - r.mean) * r.clients[k].gradient(r.mean))


def _smooth_printed(r: Round) -> tuple[Form, Form]:
    return r.weighted(lambda k: 2 * L * STEP * r.excess(k, r.mean)), r.weighted(
        lambda k: STEP * r.clients[k].gradient(r.mean) ** 2
    )


def _drop_to_mean(r: Round) -> tuple[Form, Form]:
    """γΣρ(Fₖ(w) − Fₖ(wₖ)) <= γΣρ[ηL(Fₖ(w) − Fₖ*) + ‖wₖ − w‖²/(2η)]."""
    left = r.weighted(lambda k: r.clients[k](r.mean) - r.clients[k](r.local[k]))
    return left, r.weighted(lambda k: STEP * L * r.gap(k, r.mean) + r.apart(k) / (2 * STEP))


def _one_step(r: Round) -> tuple[Form, Form]:
    left = (r.mean - STEP * r.direction() - r.optimum) ** 2
    omega = r.weighted(lambda k: r.gap(k, r.mean))
    gamma = r.weighted(lambda k: r.gap(k, r.optimum))
    right = (1 - STEP * MU) * (r.mean - r.optimum) ** 2 + 2 * r.weighted(r.apart)
    return left, right + 6 * L * STEP**2 * omega + 2 * STEP * (gamma - omega)


def _inner_product(r: Round) -> tuple[Form, Form]:
    left = -2 * STEP * ((r.mean - r.optimum) * r.direction())
    right = r.weighted(r.apart) - STEP * MU * r.weighted(lambda k: (r.local[k] - r.optimum) ** 2)
    right = right + 2 * L * STEP**2 * r.weighted(lambda k: r.gap(k, r.local[k]))
    return left, right - 2 * STEP * r.weighted(lambda k: r.excess(k, r.local[k]))


def _convexity_printed(r: Round, sign: int) -> tuple[Form, Form]:
    """−Σα(Fₖ(wₖ) − Fₖ(w)) <= Σα[±⟨∇Fₖ(w), wₖ − w⟩ ± μ/2‖wₖ − w‖²]; the print has +."""
    left = r.weighted(lambda k: r.clients[k](r.mean) - r.clients[k](r.local[k]))
    slope = r.weighted(lambda k: r.clients[k].gradient(r.mean) * (r.local[k] - r.mean))
    return left, sign * (slope + MU / 2 * r.weighted(r.apart))


def _smoothness_printed(r: Round) -> tuple[Form, Form]:
    left = r.weighted(lambda k: r.clients[k].gradient(r.mean) * (r.local[k] - r.mean) + MU / 2 * r.apart(k))
    return left, r.weighted(lambda k: STEP * L * r.gap(k, r.mean) + (1 / (2 * STEP) - MU / 2) * r.apart(k))


def _lower_bound(r: Round) -> tuple[Form, Form]:
    left = r.weighted(lambda k: r.excess(k, r.mean) - STEP * L * r.gap(k, r.mean) - r.apart(k) / (2 * STEP))
    return left, r.weighted(lambda k: r.excess(k, r.local[k]))


def _efl_c1(r: Round) -> tuple[Form, Form]:
    step = 1 / (2 * (1 + THETA) * L)
    gamma = 2 * step * (1 - (1 + THETA) * L * step)
    depart = r.weighted(lambda k: r.gap(k, r.optimum))
    left = 2 * step * depart - gamma * r.weighted(lambda k: r.gap(k, r.local[k]))
    right = gamma * (step * L - 1) * r.weighted(lambda k: r.excess(k, r.mean)) + r.weighted(r.apart)
    return left, right + 2 * (2 + THETA) * L * step**2 * depart


def _efl_step(r: Round) -> tuple[Form, Form]:
    step = 1 / (2 * (1 + THETA) * L)
    gamma = 2 * step * (1 - (1 + THETA) * L * step)
    left = (r.mean - step * r.direction() - r.optimum) ** 2
    right = (1 - MU * step / 2) * (r.mean - r.optimum) ** 2 + (2 + MU * step) * r.weighted(r.apart)
    right = right + 2 * (2 + THETA) * L * step**2 * r.weighted(lambda k: r.gap(k, r.optimum))
    return left, right - gamma * (1 - step * L) * r.weighted(lambda k: r.excess(k, r.mean))


def _gradients(r: Round) -> tuple[Form, Form]:
    left = STEP**2 * r.weighted(lambda k: r.clients[k].gradient(r.local[k]) ** 2)
    return left, 2 * L * STEP**2 * r.weighted(lambda k: r.gap(k, r.local[k]))


def _strong_at_local(r: Round) -> tuple[Form, Form]:
    left = -2 * STEP * r.weighted(lambda k: (r.local[k] - r.optimum) * r.clients[k].gradient(r.local[k]))
    right = r.weighted(lambda k: r.excess(k, r.local[k]) + MU / 2 * (r.local[k] - r.optimum) ** 2)
    return left, -2 * STEP * right


def _a1_bound(r: Round) -> tuple[Form, Form]:
    left = (r.mean - STEP * r.direction() - r.optimum) ** 2
    c = 4 * L * STEP**2 * r.weighted(lambda k: r.gap(k, r.local[k]))
    c = c - 2 * STEP * r.weighted(lambda k: r.excess(k, r.local[k]))
    return left, (1 - STEP * MU) * (r.mean - r.optimum) ** 2 + r.weighted(r.apart) + c


def _efl_a1(r: Round, *, last: bool) -> tuple[Form, Form]:
    """EFL's second form of A₁ with C₁ as it stands, or with `last` its third, C₁ bounded."""
    step = 1 / (2 * (1 + THETA) * L)
    gamma = 2 * step * (1 - (1 + THETA) * L * step)
    left = (r.mean - step * r.direction() - r.optimum) ** 2
    depart = r.weighted(lambda k: r.gap(k, r.optimum))
    if not last:
        c1 = 2 * step * depart - gamma * r.weighted(lambda k: r.gap(k, r.local[k]))
        near = (1 - MU * step / 2) * (r.mean - r.optimum) ** 2 + (1 + MU * step) * r.weighted(r.apart)
        return left, near + c1
    right = (r.mean - r.optimum) ** 2 - MU * step * r.weighted(lambda k: (r.local[k] - r.optimum) ** 2)
    right = right + 2 * r.weighted(r.apart) + 2 * (2 + THETA) * L * step**2 * depart
    return left, right + gamma * (step * L - 1) * r.weighted(lambda k: r.excess(k, r.mean))


def _theorem_of_skew(r: Round) -> tuple[Form, Form, Sequence[Condition]]:
    """Theorem 1 of robust aggregation at a round's first step, without noise and so without G² and σ²."""
    low, high = number("5/6"), number("7/6")
    gamma = r.shared(lambda k: r.gap(k, r.optimum))
    skewed = [
        low * r.shared(lambda k: r.gap(k, r.mean)) <= r.weighted(lambda k: r.gap(k, r.mean)),
        r.weighted(lambda k: r.gap(k, r.optimum)) <= high * gamma,
    ]
    left = (r.mean - STEP * r.direction() - r.optimum) ** 2
    right = (1 - STEP * MU * (1 + number("3/8") * low)) * (r.mean - r.optimum) ** 2
    return left, right + 6 * low * L * STEP**2 * gamma + 2 * STEP * (high - low) * gamma, skewed


def _theorem_without_heterogeneity(r: Round) -> tuple[Form, Form, Sequence[Condition]]:
    low = number("5/6")
    skewed = [low * r.shared(lambda k: r.gap(k, r.mean)) <= r.weighted(lambda k: r.gap(k, r.mean))]
    left = (r.mean - STEP * r.direction() - r.optimum) ** 2
    return left, (1 - STEP * MU * (1 + number("3/8") * low)) * (r.mean - r.optimum) ** 2, skewed


def _error_bound(r: Round, *, after: bool) -> tuple[Form, Form]:
    """Theorem 1 of Exp-α at T = E = 1 without noise; Ω is the summand before the step or, with `after`, after it."""
    gamma = 8 * L / MU - 1
    step = 2 / (MU * gamma)
    end = r.mean - step * r.direction()
    omega = r.weighted(lambda k: r.gap(k, end if after else r.mean))
    left = r.shared(lambda k: r.excess(k, end))
    right = L / (gamma + 1) * (12 * L / MU**2 * omega + gamma / 2 * (r.mean - r.optimum) ** 2)
    return left, right + L / MU * (r.weighted(lambda k: r.gap(k, r.optimum)) - omega)


_FIRST = "N = 2, weights 1/3 and 2/3, shares 1/2, L = 1, μ = 1/10, η = 1/4, first step of a round, no noise"
_ONE_ROUND = "N = 2, E = 1, T = 1, weights 1/3 and 2/3, shares 1/2, L = 1, μ = 1/10, β = 2/μ, γ = 79, no noise"
_SMALL = "N = 2, weights 1/3 and 2/3, shares 1/2, L = 1, μ = 1/10, θ = 4/3, η = 3/14"


ROUNDS: Sequence[OverClass] = (
    of_round("EA-E15", "B₂ <= 2Lη²Σρ(Fₖ(wₖ) − Fₖ*)", _squared_direction, "proved"),
    of_round("EFL-E34", "B₂ <= 2Lθη²Σp_τ(Fₖ(wₖ) − Fₖ*)", partial(_squared_direction, factor=THETA), "proved"),
    of_round("EA-E18", "B₁₂ <= F₁(w*) − F₁(w₁) − μ/2‖w* − w₁‖²", partial(_strong, own_floor=False), "proved"),
    of_round("EFL-E37", "the same with F₁* for F₁(w*), as printed", partial(_strong, own_floor=True), "refuted"),
    of_round("EA-E20a", "F₁(w₁) − F₁(w) >= ⟨w₁ − w, ∇F₁(w)⟩", _tangent, "proved"),
    of_round("EA-E20b", "Σρ⟨wₖ − w, ∇Fₖ(w)⟩ >= ½Σρ[η‖∇Fₖ(w)‖² + ‖wₖ − w‖²/η]", _young_printed, "refuted"),
    of_round("EA-E20c", "Σρη‖∇Fₖ(w)‖² >= Σρ2Lη(Fₖ(w) − Fₖ(w*))", _smooth_printed, "refuted"),
    of_round(
        "EA-E21a", "C <= γΣρ[Lη(Fₖ(w) − Fₖ*) + ‖wₖ − w‖²/(2η)] − γΣρ(Fₖ(w) − Fₖ(w*)) + …", _drop_to_mean, "proved"
    ),
    of_round(
        "EA-L1", "one step without noise, weights fixed, Ω and Γ at the step itself", _one_step, "proved", "corrected"
    ),
    of_round("RA-P-T1.A1e", "A₁ before Lemma 2 is applied", _inner_product, "proved", "corrected"),
    of_round("RA-P-T1.A6b", "strong convexity as printed, with +", partial(_convexity_printed, sign=1), "refuted"),
    of_round("RA-P-T1.A6b", "the same with −, as meant", partial(_convexity_printed, sign=-1), "proved", "corrected"),
    of_round("RA-P-T1.A6c", "smoothness as printed", _smoothness_printed, "refuted"),
    of_round("EFL-E43", "the last line of the lower bound of C₂", _lower_bound, "proved"),
    of_round("EFL-E44", "the last line of the bound of C₁", _efl_c1, "proved", at=_SMALL),
    of_round("EFL-E46", "one step without noise", _efl_step, "proved", "corrected", at=_SMALL),
    of_round("EFL-E41", "A₁ with C₁ as it stands", partial(_efl_a1, last=False), "proved", at=_SMALL),
    of_round("EFL-E45", "A₁ with C₁ bounded", partial(_efl_a1, last=True), "proved", at=_SMALL),
    of_round("EA-E18b", "the bound on A₁, weights fixed", _a1_bound, "proved", "corrected"),
    of_round("RA-P-T1.A1c", "η²Σα‖∇Fₖ(wₖ)‖² <= 2Lη²Σα(Fₖ(wₖ) − Fₖ*)", _gradients, "proved"),
    of_round("RA-P-T1.A1d", "strong convexity at the local models", _strong_at_local, "proved"),
    of_round("RA-P-T1.A3", "‖ηΣα∇Fₖ(wₖ)‖² <= 2Lη²Σα(Fₖ(wₖ) − Fₖ*)", _squared_direction, "proved"),
    of_round("RA-T1", "one step, ρ̄ = 5/6 and ρ̃ = 7/6", _theorem_of_skew, "proved", "corrected", at=_FIRST, start=True),
    of_round(
        "RA-E11",
        "one step with a common minimiser, ρ̄ = 5/6",
        _theorem_without_heterogeneity,
        "proved",
        "corrected",
        at=_FIRST,
        start=True,
        common=True,
    ),
    of_round(
        "EA-T1",
        "the error bound after one step, Ω of the step",
        partial(_error_bound, after=False),
        "proved",
        "corrected",
        at=_ONE_ROUND,
        start=True,
    ),
    of_round(
        "EA-T1",
        "the same, Ω of the model after it",
        partial(_error_bound, after=True),
        "proved",
        "corrected",
        at=_ONE_ROUND,
        start=True,
    ),
)

"""Where runs settle and what moves them away from w*: local steps, proximal terms, unequal steps, biased selection.

Source: Pathak and Wainwright 2020; Khaled, Mishchenko and Richtárik 2020 and Koloskova et al. 2020 (ζ at the optimum);
Li et al. 2020b (FedProx); Wang et al. 2020 (FedNova); Cho, Wang and Joshi 2020 (biased selection); Karimireddy et al.
2020 (SCAFFOLD).
"""

from __future__ import annotations

from paper_checks.literature.stated import stated
from validation import LogScale
from validation.world import le, mutant
from validation.world.federated import Federated, run_letters

__all__ = ["CLAIMS"]

mu, L, E, T, eta, length, prox = run_letters("mu L E T eta length prox")
zeta2, first, after, settled, chi2, W_D, N = run_letters("zeta2 first after settled chi2 W_D N")

SHORT = (LogScale("length", 1e-3, 1.0, at=(1.0,)),)
QUIET = Federated(length / L, noise="none", draws=SHORT, R=(1, 20), N=(1, 100), E=(1, 100), far=20)
AWAY = (eta * L * (E - 1)) ** 2 * zeta2 / mu**2

ZETA = stated(
    "LIT-5",
    "Local steps with ζ² at the optimum alone",
    r"\|w_R-w^*\|^2\le\frac{\|w_0-w^*\|^2}{1+\eta\mu T}+\frac{(\eta L(E-1))^2\zeta_*^2}{\mu^2}",
    "Without noise and with ηL <= 1 the run comes as near to w* as its heterogeneity at w* allows; no G² is needed.",
    le(after, first / (1 + eta * mu * T) + AWAY),
    QUIET,
    mutant(
        "no heterogeneity", le(after, first / (1 + eta * mu * T)), "from w* the first round of unlike clients leaves it"
    ),
    mutant("half the distance", le(after, first / (2 + 2 * eta * mu * T) + AWAY), "one short step hardly moves"),
    because="on every axis the model is a mean of w_0 and of where it settles, with weights ρ and 1 − ρ, ρ <= 1/(1 + ημT)",
)
PROXIMAL = Federated(
    length / (L + prox), noise="none", prox=prox, R=(1, 4), N=(1, 100), E=(1, 100), far=4,
    draws=(*SHORT, LogScale("prox", 1e-3, 1e3, at=(1.0,))),
)  # fmt: skip
PROX = stated(
    "LIT-6",
    "Where FedProx settles",
    r"\|w_\infty-w^*\|^2\le\frac{L^2}{\lambda^2}\frac{\zeta_*^2}{\mu^2}",
    "With any number of local steps of at most 1/(L + λ), FedProx settles within Lζ/(λμ) of w*.",
    le(settled, (L / prox) ** 2 * zeta2 / mu**2),
    PROXIMAL,
    mutant("no proximal term", None, "then λ may be as large as one likes", world=PROXIMAL.but(prox=None)),
    because="a client weights w − m_i by h_iψ_i, ψ_i within a factor 1 + L/λ of each other whatever E",
)
UNEQUAL = QUIET.but(steps="own, normalised", R=(1, 4), far=4)
NOVA = stated(
    "LIT-7",
    "Where FedNova settles",
    r"\|w_\infty-w^*\|^2\le\frac{(\eta L(E-1))^2\zeta_*^2}{\mu^2}",
    "When clients do different numbers of steps, at most E, and divide updates by them, the run settles near w* for small η.",
    le(settled, AWAY),
    UNEQUAL,
    mutant(
        "updates not divided", None, "however small η, clients of more steps count more", world=UNEQUAL.but(steps="own")
    ),
    because="a client weights w − m_i by h_iψ_i with ψ_i the mean of (1 − ηh_i)^e over its steps, at most 1",
)
BIASED = QUIET.but(weights="a row", E=(1, 1), R=(1, 4), far=4)
SELECTED = stated(
    "LIT-8",
    "What biased selection costs",
    r"\|w_\infty-w^*\|^2\le\chi^2_{a\|p}\,\frac{\zeta_*^2}{\mu^2}",
    "Selecting clients with fixed weights a in place of the shares p moves where the run settles by at most χζ/μ.",
    le(settled, chi2 * zeta2 / mu**2),
    BIASED,
    mutant(
        "Σ(a − p)² for χ²", le(settled, W_D / (2 * N) * zeta2 / mu**2), "a client of hardly any share gets all weight"
    ),
    because="Σa_ih_i(w_∞ − w*) = −Σ(a_i − p_i)∇F_i(w*), and Cauchy–Schwarz",
)
CONTROLLED = QUIET.but(eta=length / (10 * L * E), control="from the gradients", R=(1, 100), far=100)
SCAFFOLD = stated(
    "LIT-9",
    "SCAFFOLD forgets heterogeneity",
    r"\|w_R-w^*\|^2\le\frac{\|w_0-w^*\|^2}{1+\eta\mu T}",
    "Without noise, with control variates that begin at the gradients and ηLE <= 1/10, the run tends to w* itself.",
    le(after, first / (1 + eta * mu * T)),
    CONTROLLED,
    mutant(
        "without control variates", None, "unlike clients leave w* in the first round", world=CONTROLLED.but(control="")
    ),
    mutant("controls from 0", None, "the first round is that of FedAvg", world=CONTROLLED.but(control="from 0")),
    because="as far as was searched; for clients of one curvature a round is (1 − ηh)^E on every axis, whatever their optima",
)

CLAIMS = (ZETA, PROX, NOVA, SELECTED, SCAFFOLD)

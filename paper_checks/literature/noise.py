"""What averages noise: local steps of like clients, momentum of the server, clients present by chance.

Source: Woodworth et al. 2020 (local against minibatch SGD); Reddi et al. 2021 (server momentum); Bernoulli participation
as in Chen, Horváth and Richtárik 2022.
"""

from __future__ import annotations

from paper_checks.literature.stated import stated
from validation import LogScale, Uniform
from validation.world import le, mutant
from validation.world.federated import Federated, run_letters

__all__ = ["CLAIMS"]

mu, L, E, T, R, N, eta, length, beta, q = run_letters("mu L E T R N eta length beta q")
sigma2, noise_p, zeta2_max, p2, first, after, round_before, variance = run_letters(
    "sigma2 noise_p zeta2_max p2 first after round_before variance"
)
SHORT = (LogScale("length", 1e-3, 1.0, at=(1.0,)),)

LIKE = Federated(length / L, draws=SHORT, equal=True, same=("curvature", "optimum"), N=(1, 100), E=(1, 100), far=100)
FLOOR = eta * sigma2 / (N * mu)
LOCAL = stated(
    "LIT-10",
    "Local steps are as good as steps of large batches, for like clients",
    r"\mathbb E\|w_R-w^*\|^2\le\frac{\|w_0-w^*\|^2}{(1+\eta\mu T)^2}+\frac{\eta\sigma^2}{N\mu}",
    "On one quadratic, R rounds of E local steps of N clients with ηL <= 1 do what T = RE steps of N-fold batches do.",
    le(after, first / (1 + eta * mu * T) ** 2 + FLOOR),
    LIKE,
    mutant(
        "noise over NE",
        le(after, first / (1 + eta * mu * T) ** 2 + FLOOR / E),
        "the floor does not fall with longer rounds",
    ),
    mutant("common noise", None, "then nothing is averaged", world=LIKE.but(noise="common", E=(1, 10))),
    because="averaging commutes with affine steps, and Σ(1 − ηh)^{2s} <= 1/(ηh(2 − ηh))",
)
HEAVY = Federated(
    length / L, E=(1, 1), N=(1, 100), R=(1, 300), far=300, momentum=beta, server=1 - beta,
    draws=(*SHORT, Uniform("beta", 0.0, 0.99)),
)  # fmt: skip
MOMENTUM = stated(
    "LIT-11",
    "Server momentum adds no noise at rate 1 − β",
    r"\mathrm{Var}\,w_R\le\frac{\eta\sum p_k^2\sigma_k^2}{\mu(2-\eta L)}",
    "With ηL <= 1, one local step and momentum β at rate 1 − β the variance stays below the floor of the run without it.",
    le(variance, eta * noise_p / (mu * (2 - eta * L))),
    HEAVY,
    mutant("rate 1", None, "the step is then 1/(1 − β) times as long", world=HEAVY.but(server=None)),
    because="its stationary variance over that of β = 0 is (1 + β)(2 − y)/((1 + β)(2 − y) + 2βy) <= 1, y = ηh",
)
PRESENT = Federated(length / L, part="bernoulli", draws=SHORT, E=(1, 1), N=(1, 100), R=(1, 40), far=100)
OFF = (1 / q - 1) * eta**2 * p2
BERNOULLI = stated(
    "LIT-12",
    "Clients present by chance",
    r"\mathbb E\|w_{R}-w^*\|^2\le\left((1-\eta\mu)^2+2\eta^2L^2\pi\right)\Delta_{R-1}+2\eta^2\pi\max_k\|\nabla F_k(w^*)\|^2+\tfrac{\eta^2}q\sum p_k^2\sigma_k^2",
    "With one local step, clients present with chance q or more and updates over their chance: π = (1/q − 1)Σp_k².",
    le(after, ((1 - eta * mu) ** 2 + 2 * OFF * L**2) * round_before + 2 * OFF * zeta2_max + eta**2 * noise_p / q),
    PRESENT,
    mutant(
        "noise not over q",
        le(after, ((1 - eta * mu) ** 2 + 2 * OFF * L**2) * round_before + 2 * OFF * zeta2_max + eta**2 * noise_p),
        "identical clients from w*: the noise of those present counts 1/q times",
    ),
    because="updates over chances are unbiased with variance (1/q_k − 1)p_k²‖η∇F_k‖², ‖∇F_k‖² <= 2L²Δ + 2‖∇F_k(w*)‖²",
)

CLAIMS = (LOCAL, MOMENTUM, BERNOULLI)

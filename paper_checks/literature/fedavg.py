"""FedAvg with decaying steps, everybody or some clients present, as we state it.

Source: Li, Huang, Yang, Wang and Zhang 2020, Theorems 1 to 3; the last one is folklore of stochastic approximation.
"""

from __future__ import annotations

from typing import Any

from paper_checks.literature.stated import stated
from validation.world import largest, le, mutant
from validation.world.federated import Federated, run_letters

__all__ = ["CLAIMS"]

mu, L, kappa, E, T, K, N, t, gamma, eta = run_letters("mu L kappa E T K N t gamma eta")
noise_p, Gamma_p, G2, first, after, excess = run_letters("noise_p Gamma_p G2 first after excess")

DECAYING, OFFSET = 2 / (mu * (gamma + t)), {gamma: largest(8 * L / mu, E)}
RUN = Federated(DECAYING, OFFSET, N=(1, 100), E=(1, 100), far=200)


def rate(constant: Any) -> Any:
    """κ/(γ + T)·(2·constant/μ + μγ/2·‖w_0 − w*‖²)."""
    return L / mu / (gamma + T) * (2 * constant / mu + mu * gamma / 2 * first)


B, KNOWN = noise_p + 6 * L * Gamma_p + 8 * (E - 1) ** 2 * G2, 2 * L * G2 / mu**2
DRAWN = 4 / K * E**2 * G2

LI1 = stated(
    "LIT-1",
    "FedAvg, everybody present",
    r"\mathbb EF(w_T)-F^*\le\frac{\kappa}{\gamma+T}\left(\frac{2B}\mu+\frac{\mu\gamma}2\|w_0-w^*\|^2\right)",
    """With steps 2/(μ(γ + t)), γ = max{8κ, E}, the excess loss falls like 1/T, with a constant of noise, heterogeneity Γ
        and local steps.""",
    le(excess, rate(B), trivial=KNOWN),
    RUN,
    mutant(
        "noise over N", le(excess, rate(B - noise_p + noise_p / N)), "shares need not be equal: one client may have all"
    ),
    mutant("half the distance", le(excess, rate(B) - rate(0) / 2), "identical clients without noise, one short step"),
)
SOME = RUN.but(part="by weight")
LI2 = stated(
    "LIT-2",
    "FedAvg, K clients drawn by their shares",
    r"\mathbb EF(w_T)-F^*\le\frac{\kappa}{\gamma+T}\left(\frac{2(B+C)}\mu+\frac{\mu\gamma}2\|w_0-w^*\|^2\right),\quad C=\frac4KE^2G^2",
    "Drawing K clients by their shares, with replacement, and taking their plain mean adds 4E²G²/K to the constant.",
    le(excess, rate(B + DRAWN), trivial=KNOWN),
    SOME,
    mutant(
        "everything over K", le(excess, rate(B + DRAWN) / K), "K = 1000 identical clients without noise are one client"
    ),
    mutant(
        "noise dropped", le(excess, rate(B + DRAWN - noise_p)), "G² multiplies nothing that is as large: E = 1, K large"
    ),
)
FEW = RUN.but(part="uniform", equal=True, N=(2, 100))
LI3 = stated(
    "LIT-3",
    "FedAvg, K of N clients drawn uniformly, equal shares",
    r"\mathbb EF(w_T)-F^*\le\frac{\kappa}{\gamma+T}\left(\frac{2(B+C)}\mu+\frac{\mu\gamma}2\|w_0-w^*\|^2\right),\quad C=\frac{N-K}{N-1}\frac4KE^2G^2",
    "Drawing K of N clients of equal shares without replacement adds that much less, and nothing for K = N.",
    le(excess, rate(B + (N - K) / (N - 1) * DRAWN), trivial=KNOWN),
    FEW,
    mutant(
        "any shares",
        None,
        "N/K·Σp_kw_k of those drawn is then no mean: the model itself is noisy",
        world=FEW.but(equal=False),
    ),
)
QUICK = Federated(DECAYING, {gamma: 2 * L / mu}, E=(1, 1), N=(1, 100), R=(1, 300), far=300)
DECAY = stated(
    "LIT-4",
    "Decaying steps against constant ones",
    r"\mathbb E\|w_T-w^*\|^2\le\frac{\max\{4\sum p_k^2\sigma_k^2/\mu^2,\ \gamma\|w_0-w^*\|^2\}}{\gamma+T}",
    "With one local step and steps 2/(μ(γ + t)), γ = 2κ, the squared distance falls like 1/T; constant steps leave a floor.",
    le(after, largest(4 * noise_p / mu**2, gamma * first) / (gamma + T)),
    QUICK,
    mutant(
        "constant steps",
        None,
        "they leave a variance of at least η²Σp²σ² for ever",
        world=QUICK.but(eta=2 / (mu * gamma)),
    ),
    because="it is the recursion Δ ← (1 − η_tμ)Δ + η_t²Σp²σ², whose induction begins at γ‖w_0 − w*‖²",
)

CLAIMS = (LI1, LI2, LI3, DECAY)

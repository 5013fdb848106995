"""The settings of the paper that its claims name: FedAvg-generalized, step sizes, the error-free case."""

from __future__ import annotations

from validation.statement.setting import each, same_as, setting

__all__ = ["COROLLARY_STEPS", "ERROR_FREE", "GENERALIZED", "ROUND_STEPS"]

GENERALIZED = setting(
    "FedAvg-generalized (Sec. 3.1), αᵢ = pᵢ",
    quote="FedAvg-generalized For any t and $i \\in I$, we take $\\alpha_t^i = p_i$.",
    fixes={
        "weights": same_as("share", needed=True),
        "times": each(1),
        "rho": each(1),
        "sign": each(0),
    },
)
ROUND_STEPS = setting(
    "FedAvg-generalized (Sec. 3.1), αᵢ = pᵢ, with one step size for each round (Sec. 4.4)",
    quote="The decreasing learning rate is set to $10^{-3} \\cdot 0.99^r$ for each communication round",
    fixes={"drop": each(1), "weights": same_as("share")},
)
COROLLARY_STEPS = setting(
    "FedAvg-generalized (Sec. 3.1), αᵢ = pᵢ, with Corollary 1's step sizes",
    quote="From Theorem 1 by assuming $\\eta_t = \\frac{1}{\\mu(t+\\gamma)}$ and $\\gamma = \\frac{4L}{\\mu}$",
    fixes={"weights": same_as("share", needed=True)},
)
ERROR_FREE = setting(
    "the error-free case (Sec. 2.5.1), losses taken at the model sent out", quote="2.5.1 Error-free case"
)

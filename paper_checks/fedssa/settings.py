"""The settings of the paper that its claims name: FedAvg's weights, targets, step sizes, each with its line."""

from __future__ import annotations

from validation.statement.setting import each, equal, same_as, setting

__all__ = ["COROLLARY", "FEDAVG", "OBJECTIVE", "SKEW", "TUNED", "UNIFORM"]

FEDAVG = setting(
    "FedAvg, w_k := n_k = N_k/ΣN_i (Appendix A)",
    quote="FedAvg applies dataset-size-based aggregation where $w_k := n_k$",
    fixes={"weights": same_as("share")},
)
OBJECTIVE = setting(
    "FedAvg's objective p_k := n_k (Appendix A)",
    quote="the relative dataset size is denoted by $n_k = \\frac{N_k}{\\sum_i N_i}$",
)
COROLLARY = setting(
    "Corollary A.8, W_D = 0 and η = 1/√(τT), once T > 2(τ − 1)L²(1 + 2A)",
    quote="Given $W_D = 0$, by setting $\\eta = \\frac{1}{\\sqrt{\\tau T}}$",
    fixes={"other": same_as("share"), "W_D": each(0)},
)
SKEW = setting(
    "the targets Skew and Uniform",
    quote="with different target distributions: Skew, Imb-100 ( $\\rho = 100$ ), Imb-50, Imb-10, and Uniform (Uni.)",
)
TUNED = setting(
    "λ_var = 1 and λ_we = 1e − 3 (Sec. 5.1)",
    quote="In FedSSA, we set $\\lambda_{var} = 1$ and $\\lambda_{we} = 1e - 3$",
)
UNIFORM = setting(
    "FedAvg on the Uniform target of NIID-1, p_k = n_k = 1/K",
    quote="with different target distributions: Skew, Imb-100 ( $\\rho = 100$ ), Imb-50, Imb-10, and Uniform (Uni.)",
    fixes={"share": equal},
)

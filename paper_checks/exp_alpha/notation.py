"""The letters of Exp-α."""

from __future__ import annotations

from validation.notation import Notation, Quantity

__all__ = ["NOTATION"]

NOTATION = Notation(
    (
        Quantity("L", "L", "smoothness of every client", (1, -2), positive=True),
        Quantity("mu", r"\mu", "strong convexity of every client", (1, -2), positive=True),
        Quantity("kappa", r"\kappa", "L/μ", (0, 0), positive=True),
        Quantity("E", "E", "local steps a round", (0, 0), positive=True),
        Quantity("K", "K", "clients drawn at a synchronisation", (0, 0), positive=True),
        Quantity("t", "t", "steps done, over all rounds", (0, 0)),
        Quantity("T", "T", "steps of the whole run", (0, 0), positive=True),
        Quantity("tau", r"t+\gamma", "t + γ", (0, 0), positive=True),
        Quantity("eta", r"\eta_t", "step size at step t", (-1, 2), positive=True),
        Quantity("beta", r"\beta", "numerator of the step size β/(t + γ)", (-1, 2), positive=True),
        Quantity("gamma", r"\gamma", "offset of the step size β/(t + γ)", (0, 0), positive=True),
        Quantity("noise", r"\max_t\sum_i(\rho_i^{t+1})^2\sigma_i^2", "variance of the averaged noise", (2, -2)),
        Quantity("G2", "G^2", "largest second moment of a stochastic gradient visited", (2, -2)),
        Quantity("Omega", r"\Omega", "smallest weighted excess of the clients over the run", (1, 0)),
        Quantity("Omega_all", r"\Omega", "at most the same over all t >= 0, the last weights kept for ever", (1, 0)),
        Quantity("Gamma", r"\Gamma", "largest weighted excess of the clients at W*", (1, 0)),
        Quantity("excess", r"\mathbb E[F(\mathbf W^T)]-F(\mathbf W^*)", "excess loss at the end", (1, 0)),
        Quantity("excess_first", r"\mathbb E[F(\bar{\mathbf W}^t)]-F(\mathbf W^*)", "excess loss at t = 0", (1, 0)),
        Quantity("first", r"\Delta_0", "squared distance to W* at the start", (0, 2)),
        Quantity("before", r"\Delta_t", "mean squared distance to W* one step before the end", (0, 2)),
        Quantity("after", r"\Delta_{t+1}", "mean squared distance to W* at the end", (0, 2)),
        Quantity("Delta", r"\Delta_t", "mean squared distance to W* at step t", (0, 2)),
        Quantity("apart", r"\mathbb E\|\tilde{\mathbf W}-\bar{\mathbf W}\|^2", "what drawing K clients adds", (0, 2)),
        Quantity("center", r"\|\bar{\mathbf W}-\mathbf W^*\|^2", "squared distance of the weighted mean", (0, 2)),
        Quantity("delta0", r"\Delta_0", "squared distance to W* at the start", (0, 2), positive=True),
        Quantity("B", "B", "constant of the recursion (7)", (2, -2)),
        Quantity("B_all", "B", "B with Ω over all t >= 0", (2, -2)),
        Quantity("B_first", "B", "B with the step size of t = 0", (2, -2)),
        Quantity("B_last", "B", "B with the step size of t = T", (2, -2)),
        Quantity("B_most", "B", "the largest B of the run", (2, -2)),
        Quantity("B_bar", r"\bar B", "constant of the bound: B without its last term", (2, -2), positive=True),
        Quantity("difference", r"\Gamma-\Omega", "Γ − Ω, of either sign", (1, 0)),
        Quantity("surplus", r"\beta\mu-1", "by how much βμ exceeds 1", (0, 0), positive=True),
        Quantity("length", r"\eta L", "a step in units of 1/L", (0, 0), positive=True),
        Quantity("portion", r"\Delta_t(\gamma+t)/v", "how far the induction hypothesis is used up", (0, 0)),
        Quantity("v", "v", "constant of the induction (8)", (0, 2)),
        Quantity("jump", r"\max\{\mathcal U(-a_i)-\mathcal U(-a_j):a_i\ge a_j\}", "by how much the order is missed"),
        Quantity("tilted_mean", r"\sum_i\tilde\rho_ia_i", "mean of aᵢ under ρ̃", (1, 0)),
        Quantity("plain_mean", r"\frac1N\sum_ia_i", "plain mean of aᵢ", (1, 0)),
        Quantity("total", r"\sum_i\rho_i^{t+1}", "sum of the weights of A.11", (0, 0)),
        Quantity("rewritten", r"\sum_i\rho_i^{t+1}\Omega_i^t", "weighted excess under the weights of A.11", (1, 0)),
        Quantity("normalised", r"\sum_i\rho_i^{t+1}\Omega_i^t", "the same, weights divided by their sum", (1, 0)),
        Quantity("proportional", r"\sum_i\rho_i\Omega_i^t", "weighted excess under the data shares", (1, 0)),
        Quantity("now", r"\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i^*)", "weighted excess at one model", (1, 0)),
        Quantity("last", r"\sum_i\rho_i^{T}\Omega_i^{T-1}", "weighted excess at the last step", (1, 0)),
        Quantity("Omega_A11", r"\Omega", "Ω with the weights of A.11, whatever their sum", (1, 0)),
        Quantity("N", "N", "clients", (0, 0), positive=True),
        Quantity("size", r"|\Xi_i|", "samples of a client", (0, 0), positive=True),
        Quantity("Omega_pr", r"\Omega_{pr}", "smallest weighted excess with proportional weights", (1, 0)),
    )
)

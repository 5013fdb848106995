"""The letters of Exp-α."""

from __future__ import annotations

from validation.statement.notation import Notation, Quantity

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
        Quantity("best_value", r"F(\mathbf W^*)", "value of F at its optimum", (1, 0)),
        Quantity("together", r"\sum_i\rho_iF_i-\sum_i\rho_iF_i^*", "the constant taken out of the sum", (1, 0)),
        Quantity("each", r"\sum_i\rho_i(F_i-F_i^*)", "the constant inside the sum", (1, 0)),
        Quantity("Omega_less", r"\Omega", "Ω without the last round", (1, 0)),
        Quantity("Gamma_less", r"\Gamma", "Γ without the last round", (1, 0)),
        Quantity("limit", r"\lim_T\mathbb E[F(\mathbf W^T)]-F(\mathbf W^*)", "excess loss after convergence", (1, 0)),
        Quantity(
            "drift", r"\mathbb E\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2", "drift of a round", (0, 2)
        ),
        Quantity("moved2", r"\mathbb E\|\sum_j\eta_jg_j\|^2", "mean square of a round's update", (0, 2)),
        Quantity("scaled2", r"\sum_j\mathbb E\|\eta_jg_j\|^2", "sum of the steps' mean squares", (0, 2)),
        Quantity("summed2", r"\mathbb E\|\sum_jg_j\|^2", "mean square of the sum of gradients", (2, -2)),
        Quantity("seconds", r"\sum_j\mathbb E\|g_j\|^2", "sum of the gradients' mean squares", (2, -2)),
        Quantity("eta_first", r"\eta_{t_0}", "first step size of a round", (-1, 2), positive=True),
        Quantity("eta_top", r"\max_j\eta_j", "largest step size of a sum", (-1, 2), positive=True),
        Quantity("terms", r"t-t_0", "gradients of a sum", (0, 0)),
        Quantity("left_over", r"\max_i\|\mathbf W_i-\bar{\mathbf W}^{t_0}+\sum_j\eta_jg_j\|^2", "what is left", (0, 2)),
        Quantity("off", r"\|\mathbb E_s\tilde{\mathbf W}-\bar{\mathbf W}\|^2", "by how much a draw is biased", (0, 2)),
        Quantity("sum_square", r"\mathbb E_s\|\sum(\mathbf V-\bar{\mathbf W})\|^2", "square of a sum of draws", (0, 2)),
        Quantity("squares", r"\mathbb E_s\sum\|\mathbf V-\bar{\mathbf W}\|^2", "sum of the squares of draws", (0, 2)),
        Quantity("one_draw", r"\sum_i\rho_i\|\mathbf V_i-\bar{\mathbf W}\|^2", "square of one draw", (0, 2)),
        Quantity("raw_draw", r"\sum_i\rho_i\|\mathbf V_i\|^2", "the same about the round's start", (0, 2)),
        Quantity("bend", r"\gamma_t", "2η(1 − 2Lη)", (-1, 2)),
        Quantity(
            "lin",
            r"\sum_i\rho_i\langle\mathbf W_i-\bar{\mathbf W},\nabla F_i(\bar{\mathbf W})\rangle",
            "tangent",
            (1, 0),
        ),
        Quantity("grad2", r"\sum_i\rho_i\|\nabla F_i(\bar{\mathbf W})\|^2", "squared gradients at the mean", (2, -2)),
        Quantity("local", r"\sum_i\rho_i(F_i(\mathbf W_i)-F_i^*)", "weighted excess at the local models", (1, 0)),
        Quantity("about", r"\Gamma_t", "weighted excess of the clients at W*, at one step", (1, 0)),
        Quantity("slopes2", r"\sum_i\rho_i\|\nabla F_i(\mathbf W_i)\|^2", "squared gradients", (2, -2)),
        Quantity("slope2", r"\|\sum_i\rho_i\nabla F_i(\mathbf W_i)\|^2", "square of the mean gradient", (2, -2)),
        Quantity("towards", r"B_{1,2}", "inner product of W* − Wᵢ and the gradient, weighted", (1, 0)),
        Quantity(
            "away", r"\sum_i\rho_i\|\mathbf W^*-\mathbf W_i\|^2", "squared distances of the clients to W*", (0, 2)
        ),
        Quantity(
            "virtual", r"\|\bar{\mathbf W}^t-\eta_tg_t-\mathbf W^*\|^2", "distance after the step of the proof", (0, 2)
        ),
        Quantity(
            "residual", r"\|\bar{\mathbf W}^{t+1}-\bar{\mathbf W}^t+\eta_tg_t\|^2", "by how much it is no step", (0, 2)
        ),
        Quantity(
            "residual_past",
            r"\|\bar{\mathbf W}^{t+1}-\bar{\mathbf W}^t+\eta_tg_t\|^2",
            "g under the old weights",
            (0, 2),
        ),
        Quantity(
            "deviation", r"\|\bar{\mathbf g}_t-\mathbf g_t\|^2", "squared noise of the averaged gradient", (2, -2)
        ),
        Quantity("A2", r"\mathbb E[A_2]", "mean of the cross term", (0, 2)),
        Quantity("off_mean2", r"\|\mathbb E\mathbf V_i-(\mathbf W_i-\eta\nabla F_i)\|^2", "a step's bias", (0, 2)),
        Quantity("bias2", r"|\mathbb E[g_t]-\mathbb E[\bar g_t]|^2", "square of the mean noise", (2, -2)),
        Quantity(
            "cubes", r"\max_t\sum_i(\rho_i^{t+1})^3\sigma_i^2", "cubes of the weights in place of squares", (2, -2)
        ),
        Quantity("weighed", r"\mathbb E\sum_i(\rho_i^{t+1})^2\|\nabla f_i-\nabla F_i\|^2", "weights inside E", (2, -2)),
        Quantity("here", r"\sum_i\rho_i(F_i(\mathbf V)-F_i^*)", "weighted excess at V", (1, 0)),
        Quantity("there", r"\sum_i\rho_i(F_i(\mathbf W)-F_i^*)", "weighted excess at W", (1, 0)),
        Quantity("along", r"(\mathbf W-\mathbf V)^T\nabla F(\mathbf V)", "slope at V along the way to W", (1, 0)),
        Quantity("distance2", r"\|\mathbf W-\mathbf V\|^2", "squared distance of two points", (0, 2)),
        Quantity("turn", r"\|\nabla F(\mathbf W)-\nabla F(\mathbf V)\|^2", "squared change of the gradient", (2, -2)),
        Quantity("most_there", r"\max_i(F_i(\mathbf W^*)-F_i^*)", "largest summand of Γ", (1, 0)),
        Quantity("most_now", r"\min_t\max_i(F_i(\bar{\mathbf W}^t)-F_i^*)", "largest summand of Ω", (1, 0)),
        Quantity("least_of_means", r"\min_t\mathbb E[\Omega_t]", "Ω in expectation", (1, 0)),
        Quantity("mean_of_least", r"\mathbb E[\min_t\Omega_t]", "Ω path by path", (1, 0)),
        Quantity(
            "beyond_sync", r"\max_i(\sigma_i^2(\mathbf W_i^t)-\sigma_i^2(\mathbf W^t))", "variance missed", (2, -2)
        ),
        Quantity("beyond_cap", r"\max_i(\sigma_i^2(\mathbf W_i^t)-\bar\sigma_i^2)", "variance beyond its cap", (2, -2)),
        Quantity(
            "beyond_start", r"\max_i(\sigma_i^2(\mathbf W_i^t)-\sigma_i^2(\mathbf W^0))", "beyond the start's", (2, -2)
        ),
        Quantity("G2_sync", r"G^2", "largest second moment at the aggregated models", (2, -2)),
        Quantity("grad_beyond_cap", r"\max_i(G_i^2-\bar G_i^2)", "second moment beyond its cap", (2, -2)),
        Quantity("grad_beyond_plain", r"\max_i(G_i^2-h_i^2D^2)", "beyond that of full gradients", (2, -2)),
        Quantity(
            "rise", r"F(\mathbf V)-F(\mathbf W)-(\mathbf V-\mathbf W)^T\nabla F(\mathbf W)", "above the tangent", (1, 0)
        ),
        Quantity("middle", r"\bar{\mathbf W}^{t+1}", "the virtual model on the line", (0, 1)),
        Quantity(
            "weighed_models", r"\sum_i\rho_i^{t+1}\mathbf V_i^{t+1}", "weighted mean of the local results", (0, 1)
        ),
        Quantity("downhill", r"\max_i(F_i(\mathbf V_i)-F_i(\mathbf W_i))", "rise of a noiseless step", (1, 0)),
        Quantity("by_shift", r"\text{order of }|m_i|\text{ and }\Omega_i", "by how much the order is missed", (1, 0)),
        Quantity("by_change", r"\text{order of }\Omega_i\text{ and the exponents}", "by how much it is missed", (1, 0)),
        Quantity(
            "by_late", r"\text{order of }\Omega_i^{T-1}\text{ and the exponents}", "by how much it is missed", (1, 0)
        ),
        Quantity("by_weight", r"\text{order of }\Omega_i\text{ and the weights}", "by how much it is missed", (1, 0)),
        Quantity("left", r"\max_i(F_i(\mathbf W_i^T)-F_i^*)", "what a round leaves of the excess losses", (1, 0)),
        Quantity("slowest", r"(1-\eta\mu)^{2E}", "what a round leaves of the flattest", (0, 0)),
        Quantity("Omega_most", r"\max_i\Omega_i", "largest excess loss of a client", (1, 0)),
        Quantity("missed", r"\text{missed}", "by how much simplex, order or formula is missed", (0, 0)),
        Quantity("alpha", r"\alpha", "temperature of the weights", (1, 0), positive=True),
        Quantity("gap", r"\max_ix_i-\min_ix_i", "range of the loss changes", (1, 0), positive=True),
        Quantity("from_one", r"\max_i|\rho_i-1|", "distance of the weights from 1", (0, 0)),
        Quantity("from_even", r"\max_i|\rho_i-\frac1N|", "distance of the weights from 1/N", (0, 0)),
        Quantity("from_shares", r"\max_i|\rho_i-p_i|", "distance of the weights from the data shares", (0, 0)),
        Quantity("rounding", r"10^{-30}", "what rounding of exponentials may add up to", (0, 0)),
        Quantity("squares_now", r"\sum_i\rho_i^2(\alpha)", "sum of squared weights", (0, 0)),
        Quantity("squares_later", r"\sum_i\rho_i^2(\alpha')", "the same at a larger α", (0, 0)),
        Quantity("largest_now", r"\max_i\rho_i(\alpha)", "largest weight", (0, 0)),
        Quantity("largest_later", r"\max_i\rho_i(\alpha')", "the same at a larger α", (0, 0)),
        Quantity("apart2", r"\|\mathbf W-\nabla F-\sum_i\rho_i\mathbf W_i\|^2", "server step against Eq. 3", (0, 2)),
        Quantity("closed_form", r"\mathbf W^T", "the model in closed form, on the line", (0, 1)),
        Quantity("missed_loss", r"\text{missed}", "by how much an order of losses is missed", (1, 0)),
        Quantity("epochs", r"e", "local epochs of a round", (0, 0), positive=True),
        Quantity("share_of_training", r"\text{cost}", "two forward passes as a share of the training", (0, 0)),
        Quantity("rounds_ours", r"R_\alpha", "rounds of Exp-α to the level, ties by a hair given to it", (0, 0)),
        Quantity("rounds_exactly", r"R_\alpha", "rounds of Exp-α to the level", (0, 0)),
        Quantity("rounds_theirs", r"R_{pr}", "rounds of equal shares to the level", (0, 0)),
        Quantity("end_ours", r"F(\mathbf W^T_\alpha)-F(\mathbf W^*)", "last gap of Exp-α", (1, 0)),
        Quantity("end_theirs", r"F(\mathbf W^T_{pr})-F(\mathbf W^*)", "last gap of equal shares", (1, 0)),
        Quantity("first_gap", r"F(\mathbf W^0)-F(\mathbf W^*)", "first gap", (1, 0), positive=True),
        Quantity("rounding_loss", r"10^{-30}F", "what rounding of exponentials may add to a gap", (1, 0)),
        Quantity("Omega_pr", r"\Omega_{pr}", "smallest weighted excess with proportional weights", (1, 0)),
    )
)

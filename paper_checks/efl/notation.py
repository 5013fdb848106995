"""The letters of EFL."""

from __future__ import annotations

from validation.statement.notation import Notation, Quantity

__all__ = ["DRAWN", "NOTATION"]

_BRACKETS = {
    "printed_59": "(59) as printed",
    "printed_49": "(49) as printed",
    "product_59": "(59) as a product",
    "plus_59": "(59) with a positive part",
    "plus_49": "(49) with a positive part",
}

DRAWN = {"share": "p", "weights": r"p_\tau", "optimum": r"\omega^*", "start": r"\omega_0"}
"""LaTeX of the numbers that worlds draw, by name."""

NOTATION = Notation(
    (
        Quantity(
            "Delta", r"\mathbb E\|\omega_{\tau E}^G-\omega^*\|^2", "mean squared distance to ω* at the end", (0, 2)
        ),
        Quantity("Delta0", r"\Delta_0", "squared distance to ω* at the start", (0, 2)),
        Quantity("gamma", r"\gamma", "offset of the step size", (0, 0)),
        Quantity("time", r"\tau E", "steps planned until the end", (0, 0)),
        Quantity("E", "E", "local steps planned a round", (0, 0)),
        Quantity("mu", r"\mu", "strong convexity of every client", (1, -2)),
        Quantity("L", "L", "smoothness of every client", (1, -2)),
        Quantity("theta", r"\theta", "the bound of A5: p_τᵏ < θpᵏ", (0, 0)),
        Quantity("G2", "G^2", "bound of a stochastic gradient's second moment", (2, -2)),
        Quantity("noise", r"\sum_\tau\mathbb E\sum_kp^2s\sigma^2/m_\tau^2", "noise, over the rounds", (2, -2)),
        Quantity("skew", r"\sum_\tau\mathbb E\sum_kpsD_k/m_\tau^2", "dissimilarity, over the rounds", (1, 0)),
        Quantity("pull", r"\sum_\tau\mathbb E\sum_kp^2s/(p^km_\tau^2)", "weights, over the rounds", (0, 0)),
        Quantity("J", "J", "largest constant of an uneven round", (0, 2)),
        *(
            Quantity(name, r"\sum_\tau[\dots]/m_\tau^2", f"the bracket, {words}", (0, 0))
            for name, words in _BRACKETS.items()
        ),
        Quantity("position", r"\tau+\gamma/E", "(τE + γ)/E", (0, 0)),
        Quantity("now", r"\tau E+\gamma", "place of a round in the schedule", (0, 0)),
        Quantity("H_now", r"H_\tau", "uneven rounds so far", (0, 0)),
        Quantity("J_all", "J", "constant of an uneven round in the induction", (0, 2)),
        Quantity("r", r"r_\tau", "1 in an uneven round", (0, 0)),
        Quantity("part", r"J_\tau/J", "share of J that a round takes", (0, 0)),
        Quantity("C", r"C_\tau", "constant of the induction", (0, 2)),
        Quantity("added", r"C_{\tau+1}-C_\tau", "what a round adds to the constant of the induction", (0, 2)),
        Quantity("T", "T", "rounds of the run", (0, 0)),
        Quantity("tau_0", r"\tau_0", "rounds before a client leaves", (0, 0)),
        Quantity("H", "H_T", "rounds in which E[p s]/pᵏ is not the same for all clients", (0, 0)),
        Quantity("moved", r"\|\lim_T\omega_{TE}^G-\omega^*\|", "how far from ω* the model tends", (0, 1)),
        Quantity("other", r"\|\omega_a^*-\hat\omega^*\|", "from the leaving client's optimum to the others'", (0, 1)),
        Quantity("end", r"\|\omega_{TE}^G-\omega^*\|", "distance to ω* at the end", (0, 1)),
        Quantity(
            "end_later",
            r"\|\omega_{TE}^G-\omega^*\|",
            "distance to ω* at the end, the client gone one round later",
            (0, 1),
        ),
        Quantity(
            "held", r"\max_{\tau,k}\|\omega_{\tau E}^k-\omega_{\tau E}^G\|_\infty", "bases off the server", (0, 1)
        ),
        Quantity("twice", r"\|\omega^G-\omega^0-\text{work}+\text{residuals}\|_\infty", "what counts twice", (0, 1)),
        Quantity(
            "twice_all", r"\|\omega^G-\omega^0-\text{work}\|_\infty", "what counts twice, residuals left out", (0, 1)
        ),
        Quantity("line2", r"\|\Delta\omega^G-R^G-\sum_kp^k\Delta\omega^k\|_\infty", "second line of (6)", (0, 1)),
        Quantity("line3", r"\|\Delta\omega^G-R^G+\sum_kp^k\sum_{j<s}\eta g_j\|_\infty", "third line of (6)", (0, 1)),
        Quantity("line3_late", r"\|\Delta\omega^G-R^G+\sum_kp^k\sum_{j\le s}\eta g_j\|_\infty", "as printed", (0, 1)),
        Quantity("eta", r"\eta_\tau", "step size of a round", (-1, 2), positive=True),
        Quantity("steps", r"\sum_kp_\tau^ks_\tau^k", "steps done in a round, weighted", (0, 0)),
        Quantity("own_steps", r"s_\tau^k", "steps done by one client", (0, 0)),
        Quantity("total", r"\sum_kp_\tau^k", "sum of the coefficients", (0, 0)),
        Quantity("squares", r"\sum_k(p_\tau^k)^2s_\tau^k/p^k", "steps with squared coefficients", (0, 0)),
        Quantity("drift", r"\sum_kp_\tau^k\|\overline\omega-\omega^k\|^2", "drift of the local models", (0, 2)),
        Quantity("travel", r"\|\overline\omega_{\tau E+j}-\overline\omega_{\tau E}\|^2", "move of ω̄", (0, 2)),
        Quantity(
            "local", r"\sum_kp_\tau^k\|\omega_{\tau E+j}^k-\overline\omega_{\tau E}\|^2", "moves of the clients", (0, 2)
        ),
        Quantity("own", r"\|\eta_\tau\sum_{i<j}g^k\alpha^k\|^2", "move of one client", (0, 2)),
        Quantity("jensen", r"\eta_\tau^2\sum_k\frac{(p_\tau^k)^2}{p^k}\|\sum_{i<j}g^k\alpha^k\|^2", "moves", (0, 2)),
        Quantity("sums", r"j\sum_{i<j}\|g^k\alpha^k\|^2", "squared gradients of one client", (2, -2)),
        Quantity(
            "before", r"\|\overline\omega_{\tau E+j}-\omega^*\|^2", "squared distance to ω* before a step", (0, 2)
        ),
        Quantity(
            "after", r"\|\overline\omega_{\tau E+j+1}-\omega^*\|^2", "squared distance to ω* after a step", (0, 2)
        ),
        Quantity("A1", "A_1", "squared distance to ω* after a step along the full gradients", (0, 2)),
        Quantity("A2", r"\mathbb E_\xi[A_2]", "mean of the cross term", (0, 2)),
        Quantity("B1", "B_1", "inner product of the split of A₁", (0, 2)),
        Quantity("taken", r"\sum_kp_\tau^k\alpha^k", "coefficients of those who do the step", (0, 0)),
        Quantity(
            "far", r"\sum_kp_\tau^k\alpha\|\omega^k-\omega^*\|^2", "squared distances of the local models to ω*", (0, 2)
        ),
        Quantity(
            "apart",
            r"\sum_kp_\tau^k\alpha\|\overline\omega-\omega^k\|^2",
            "squared distances of the local models to ω̄",
            (0, 2),
        ),
        Quantity("slopes", r"\sum_kp_\tau^k\alpha\|\overline g^k\|^2", "squared gradients", (2, -2)),
        Quantity(
            "steep",
            r"\sum_kp_\tau^k\alpha\|\nabla\widetilde F_k(\overline\omega)\|^2",
            "squared gradients at ω̄",
            (2, -2),
        ),
        Quantity("push2", r"\|\sum_kp_\tau^k\alpha\overline g^k\|^2", "square of the summed gradients", (2, -2)),
        Quantity(
            "push2_jensen",
            r"\sum_k\frac{(p_\tau^k)^2}{p^k}\|\alpha\overline g^k\|^2",
            "bound of the squared sum by Jensen",
            (2, -2),
        ),
        Quantity("noise2", r"\|\sum_kp_\tau^k\alpha(\overline g^k-g^k)\|^2", "squared noise of a step", (2, -2)),
        Quantity("above", r"\sum_kp_\tau^k\alpha(\widetilde F_k(\omega^k)-\widetilde F_k^*)", "excess losses", (1, 0)),
        Quantity(
            "over",
            r"\sum_kp_\tau^k\alpha(\widetilde F_k(\overline\omega)-\widetilde F_k^*)",
            "excess losses at ω̄",
            (1, 0),
        ),
        Quantity("gap", r"\sum_kp_\tau^k\alpha D_k", "excess losses at ω*", (1, 0)),
        Quantity(
            "ahead",
            r"\sum_kp_\tau^k\alpha(\widetilde F_k(\overline\omega)-\widetilde F_k(\omega^*))",
            "losses at ω̄ less those at ω*",
            (1, 0),
        ),
        Quantity("own_slope", r"\|\alpha\overline g^k\|^2", "squared gradient of one client", (2, -2)),
        Quantity("own_far", r"\alpha\|\omega^k-\omega^*\|^2", "squared distance of one client to ω*", (0, 2)),
        Quantity(
            "own_above", r"\alpha(\widetilde F_k(\omega^k)-\widetilde F_k^*)", "excess loss of one client", (1, 0)
        ),
        Quantity("own_gap", r"\alpha D_k", "excess loss of one client at ω*", (1, 0)),
        Quantity(
            "own_inner", r"\langle\omega^k-\omega^*,\alpha\overline g^k\rangle", "inner product of one client", (1, 0)
        ),
        Quantity(
            "variance", r"\mathbb E_\xi\|\sum_kp_\tau^k(g_t^k-\overline g_t^k)\|^2", "variance of the sum", (2, -2)
        ),
        Quantity(
            "each",
            r"\sum_k\mathbb E_\xi\|p_\tau^k(g_t^k-\overline g_t^k)\|^2",
            "variances of the terms of the sum",
            (2, -2),
        ),
        Quantity("variances", r"\sum_k(p_\tau^k)^2\sigma_k^2", "bound of the variances by A3", (2, -2)),
        Quantity(
            "covariance",
            r"\mathbb E\langle g^1-\overline g^1,g^2-\overline g^2\rangle",
            "covariance of two clients",
            (2, -2),
        ),
        Quantity("quartic", r"\mathbb E\|(g^1-\overline g^1)(g^2-\overline g^2)\|^2", "mean squared product", (4, -4)),
        Quantity("path2", r"\mathbb E_\xi[(\sum_jh_{\tau E+j})^2]", "squared length of the path of ω̄", (2, -2)),
        Quantity("each2", r"\mathbb E_\xi[\sum_jh_{\tau E+j}^2]", "squared lengths of the steps of ω̄", (2, -2)),
        Quantity(
            "jensen2",
            r"\sum_k\frac{(p_\tau^k)^2}{p^k}\mathbb E_\xi\sum_j\|\alpha g^k\|^2",
            "bound of the squared lengths by Jensen",
            (2, -2),
        ),
        Quantity("linear", r"\sum_kp_\tau^ks_\tau^k", "mean of the steps done, weighted", (0, 0)),
        Quantity("B", r"\overline B_\tau", "error term of a step or a round", (2, -2)),
        Quantity("H_round", r"\overline H_\tau", "squared path of a round", (2, -2)),
        Quantity("round_noise", r"\sum_k(p_\tau^k)^2s_\tau^k\sigma_k^2", "noise of a step or a round", (2, -2)),
        Quantity("round_skew", r"\sum_kp_\tau^ks_\tau^kD_k", "dissimilarity of a step or a round", (1, 0)),
        Quantity("start", r"\Delta_{\tau E}", "squared distance to ω* at the start of a round", (0, 2)),
        Quantity("last", r"\Delta_{(\tau+1)E}", "squared distance to ω* at the end of a round", (0, 2)),
        Quantity(
            "scaled",
            r"(1+\frac14\mu\eta_\tau\Sigma ps)\Delta_{(\tau+1)E}",
            "squared distance to ω* at the end of a round, scaled",
            (0, 2),
        ),
        Quantity("summed", r"\sum_{j=1}^E\Delta_{\tau E+j}", "squared distances to ω*, summed over the round", (0, 2)),
        Quantity(
            "kept",
            r"\sum_j(1-\frac12\mu\eta_\tau\Sigma p\alpha)\Delta_{\tau E+j}",
            "squared distances to ω*, contracted and summed",
            (0, 2),
        ),
        Quantity(
            "weighted",
            r"\sum_j\Sigma p\alpha\Delta_{\tau E+j}",
            "squared distances to ω*, weighted with the activity",
            (0, 2),
        ),
        Quantity("pulled", r"\Sigma ps\overline H_\tau", "squared path times the steps", (2, -2)),
        Quantity(
            "gain_first", r"\Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E}))", "gap", (1, 0)
        ),
        Quantity(
            "gain_moved",
            r"\Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E+j}))",
            "gap",
            (1, 0),
        ),
        Quantity(
            "picked",
            r"\Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E+j}))",
            "at any j",
            (1, 0),
        ),
        Quantity(
            "argmin", r"\Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega))", "at the argmin", (1, 0)
        ),
        Quantity(
            "best", r"\Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega))", "at the best j", (1, 0)
        ),
        Quantity("free", r"\Sigma ps\widetilde F_k(\omega^*)-\min\Sigma ps\widetilde F_k", "over all models", (1, 0)),
        Quantity("x_now", r"\frac14\mu\eta_\tau\Sigma ps", "contraction of a round", (0, 0)),
        Quantity("distance", r"\|\overline\omega_{\tau E+j}-\omega^*\|", "distance to ω* at step j", (0, 1)),
        Quantity("end2", r"\Delta_{(\tau+1)E}", "squared distance to ω* at the end of the round", (0, 2)),
        Quantity("path", r"\sum_{i=j}^{E-1}\eta_\tau h_{\tau E+i}", "length of the moves from step j on", (0, 1)),
        Quantity(
            "path_first", r"(E-j)\eta_\tau h_{\tau E+j}", "length of the moves, each as long as the first", (0, 1)
        ),
        Quantity("path_all", r"\sum_{j=0}^{E-1}\eta_\tau h_{\tau E+j}", "length of all moves of the round", (0, 1)),
        Quantity("L_risks", "L", "largest curvature of the risks alone", (1, -2)),
        Quantity(
            "bend_most",
            r"\max_k\widetilde F_k(v)-\widetilde F_k(w)-\langle\nabla\widetilde F_k(w),v-w\rangle",
            "bend",
            (1, 0),
        ),
        Quantity(
            "bend_least",
            r"\min_k\widetilde F_k(v)-\widetilde F_k(w)-\langle\nabla\widetilde F_k(w),v-w\rangle",
            "bend",
            (1, 0),
        ),
        Quantity("half2", r"\frac12\|v-w\|^2", "half the squared distance of two models", (0, 2)),
        Quantity("variance_most", r"\max\mathbb E_\xi\|g_t^k-\overline g_t^k\|^2", "largest variance visited", (2, -2)),
        Quantity("second_most", r"\max\mathbb E_\xi\|g_t^k\|^2", "largest second moment visited", (2, -2)),
        Quantity("reach2", "(aD)^2", "largest curvature times the width of start and samples, squared", (2, -2)),
        Quantity("ratio_most", r"\max_kp_\tau^k/p^k", "largest coefficient over its share", (0, 0)),
        Quantity("work_most", r"\max\Sigma ps", "most steps done in a round, weighted", (0, 0)),
        Quantity("work_mean", r"\mathbb E\Sigma ps", "mean of the steps done in a round, weighted", (0, 0)),
        Quantity("some", r"\max p_\tau^ks_\tau^k", "most work of one client in a round, weighted", (0, 0)),
        Quantity("over_p", r"\max_k\mathbb E[p_\tau^k]-\theta p^k", "a moment above its bound", (0, 0)),
        Quantity("over_ps", r"\max_k\mathbb E[p_\tau^ks_\tau^k]-\theta p^kE", "a moment above its bound", (0, 0)),
        Quantity(
            "over_p2s", r"\max_k\mathbb E[(p_\tau^k)^2s_\tau^k]-(\theta p^k)^2E", "a moment above its bound", (0, 0)
        ),
        Quantity("fourth", r"\mathbb E[\Sigma p-2+\Sigma ps]", "the fourth moment as printed", (0, 0)),
        Quantity("factor", r"\mathbb E[(\Sigma p-2)_+\Sigma ps]", "the fourth moment with a product", (0, 0)),
        Quantity("local_off", r"\omega_{\tau E+s}^k", "gap of the local models between (12) and Algorithm 1", (0, 1)),
        Quantity("server_off", r"\omega_{(\tau+1)E}^G", "gap of the server's step between (13) and it", (0, 1)),
        Quantity("virtual_off", r"\|\overline\omega_{\tau E}-\omega_{\tau E}^G\|_\infty", "gap of Lemma 1", (0, 1)),
        Quantity("inside_off", r"\overline\omega_{\tau E+j}", "gap of (14) inside a round", (0, 1)),
        Quantity("left_over", r"\|R^G+\sum_kp_\tau^kR^k\|_\infty", "what the gradients would have to absorb", (0, 1)),
        Quantity("best_model", r"\omega^*", "minimiser of F", (0, 1)),
        Quantity("best_later", r"\omega^*", "minimiser of F at another round's anchors", (0, 1)),
        Quantity("pull_best", r"\sum_kp^kh_k(\omega^*-m_k)/L", "slope of the risks at the minimiser", (0, 1)),
        Quantity(
            "hold_best", r"\lambda\sum_iI_i(\omega^*-a_i)/L", "slope of the elastic term at the minimiser", (0, 1)
        ),
        Quantity("gradient_off", r"\nabla\widetilde F_k", "error of the gradient from the two sums"),
        Quantity("curvature_off", r"\nabla^2\widetilde F_k", "error of the curvature, relative", (0, 0)),
        Quantity("D_least", r"\min_kD_k", "least heterogeneity", (1, 0)),
        Quantity("D_most", r"\max_kD_k", "largest heterogeneity", (1, 0)),
        Quantity("D_apart", r"\max_k|D_k-D_k'|", "difference to the heterogeneity of the risks", (1, 0)),
        Quantity("D_wrong", r"\min_kD_k", "least heterogeneity with the risk's minimum", (1, 0)),
        Quantity("end_mean", r"\mathbb E\omega_{\tau E+s}^k", "mean model after s steps", (0, 1)),
        Quantity("end_flow", r"\omega_{\tau E+s}^k", "model after s steps of full gradients", (0, 1)),
        Quantity("lost", r"\|\sum ST(\Delta\omega)+R-\sum(\omega_s-\omega)\|_\infty", "what is lost", (0, 1)),
        Quantity("off_ternary", r"\max_i\min\{|ST_i|,||ST_i|-\mu|\}", "off the three values", (0, 1)),
        Quantity("n_kept", r"\|ST(T)\|_0", "nonzero entries sent", (0, 0)),
        Quantity("k_kept", "k", "entries to keep", (0, 0)),
        Quantity("mu_sent", r"\mu", "size of what is sent", (0, 1)),
        Quantity("mean_kept", r"\frac1{|mask|}\sum_i|T_i^{mask}|", "mean size of what is kept", (0, 1)),
        Quantity("sent_off", r"\|ST(T)-T\|_\infty", "largest error of an entry", (0, 1)),
        Quantity("error2", r"\|T-ST(T)\|^2", "squared error", (0, 2)),
        Quantity("norm2", r"\|T\|^2", "squared length", (0, 2)),
        Quantity("top2", r"\frac1k(\sum_{i\le k}|T|_{(i)})^2", "what the k largest take off it", (0, 2)),
        Quantity("residual", r"\|R\|/\max\|x\|", "residual over the largest update", (0, 0)),
        Quantity("residual_cap", r"\rho/(1-\rho)", "bound of the residual over the largest update", (0, 0)),
        Quantity("entries", "n", "entries of an update", (0, 0)),
        Quantity("kinds", r"[s=0]+[0<s<E]+[s=E]", "kinds that apply", (0, 0)),
        Quantity("bias", r"\max_{k,l}(\mathbb E[p^ks^k]/p^k-\mathbb E[p^ls^l]/p^l)/E", "0 when r = 0", (0, 0)),
        Quantity(
            "pull_mean", r"\mathbb E\Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega))", "gap", (1, 0)
        ),
        Quantity(
            "pull_most", r"\max\Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega))", "gap", (1, 0)
        ),
        Quantity("move_scaled", r"c(\omega_s-\omega_0)", "move with c times the coefficient", (0, 1)),
        Quantity("move_fast", r"\omega_s-\omega_0", "move with c times the step", (0, 1)),
        Quantity("update", r"\mathbb E\sum_kp_\tau^k\sum_j\eta g^k", "mean update at ω*", (0, 1)),
        Quantity("growth", r"\max_\tau\eta_{\tau+1}/\eta_\tau", "growth of the learning rate", (0, 0)),
        Quantity(
            "over_cap", r"\max_\tau\eta_\tau/\min\{\frac1{2(1+\theta)L},\frac4{\mu E\theta}\}", "over caps", (0, 0)
        ),
        Quantity("more", r"T-\tau", "rounds to come", (0, 0)),
        Quantity("part_J", r"J_\tau/J", "share of J that a round takes", (0, 0)),
        Quantity("last_now", r"TE+\gamma", "place of the last round in the schedule", (0, 0)),
        Quantity("loss_all", r"\Sigma p^kF_k", "excess loss of all, client a gone", (1, 0)),
        Quantity("loss_all_kept", r"\Sigma p^kF_k", "excess loss of all, client a kept", (1, 0)),
        Quantity("loss_rest", r"\sum_{k\ne a}p^kF_k", "excess loss of the others, client a gone", (1, 0)),
        Quantity("loss_rest_kept", r"\sum_{k\ne a}p^kF_k", "excess loss of the others, client a kept", (1, 0)),
        Quantity("kappa", r"L/\mu", "condition number", (0, 0)),
        Quantity("sigma2", r"\sigma^2", "variance of a gradient", (2, -2)),
        Quantity("skew_mean", "D", "mean dissimilarity", (1, 0)),
        *(
            Quantity(f"{bound}_{client}", rf"({number})\mu^2/(8L)", f"bound ({number}), {words}", (1, 0))
            for bound, number in (("leaves", "10"), ("arrives", "11"))
            for client, words in (("big", "many samples"), ("small", "fewer"), ("near", "more IID"))
        ),
        Quantity("fixed_big", r"(n_a/(n+n_a))^2\hat D_a", "many samples, D̂_a held", (1, 0)),
        Quantity("fixed_small", r"(n_a/(n+n_a))^2\hat D_a", "fewer samples, D̂_a held", (1, 0)),
        Quantity("restarted", r"\mathbb E\|\omega-\hat\omega^*\|^2", "after 20 rounds, restarted", (0, 2)),
        Quantity("going_on", r"\mathbb E\|\omega-\hat\omega^*\|^2", "after 20 rounds, not restarted", (0, 2)),
        Quantity("n", "n", "samples before the shift, of client a and the others", (0, 0)),
        Quantity("n_a", "n_a", "samples of client a", (0, 0)),
        Quantity("slope", r"\|\nabla F(\hat\omega^*)\|^2", "of all, at the others' optimum", (2, -2)),
        Quantity("slope_own", r"\|\nabla F(\omega^*)\|^2", "of the others, at their optimum", (2, -2)),
        Quantity("slope_a", r"\|\nabla F_a\|^2", "of client a, at the others' optimum", (2, -2)),
        Quantity("D_without", r"\hat D_a", "gap of client a at the others' optimum", (1, 0)),
        Quantity("D_with", r"\hat D_a", "gap of client a at the optimum of all", (1, 0)),
        Quantity("G", "G", "bound of a stochastic gradient"),
        Quantity("over_scaffold", "R", "EFL's rounds of Table 1 over SCAFFOLD's"),
        Quantity("over_mime", "R", "EFL's rounds of Table 1 over MIME's"),
        Quantity("slow2", r"\|\omega_T-\omega^*\|^2", "end of the run that is said to be slower", (0, 2)),
        Quantity("fast2", r"\|\omega_T-\omega^*\|^2", "end of the run that it is compared with", (0, 2)),
        Quantity("fall", r"\max_r\|\nabla f_0(w_{r-1})-g\|-\|\nabla f_0(w_r)-g\|", "fall of what is stale", (1, -1)),
        Quantity("off_path", r"\max_r\|\nabla f_0(w_r)-g\|-L\cdot\text{path}", "over L times the path", (1, -1)),
        Quantity("off_step", r"\max_r\|\nabla f_0(w_r)-g\|-L\cdot\text{step}", "over L times the last step", (1, -1)),
        Quantity("shift2", r"\|\omega^*-\hat\omega^*\|^2", "squared shift of the optimum", (0, 2)),
    )
)

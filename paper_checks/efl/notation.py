"""The letters of EFL."""

from __future__ import annotations

from validation.statement.notation import Notation, Quantity

__all__ = ["NOTATION"]

_BRACKETS = {
    "printed_59": "(59) as printed",
    "printed_49": "(49) as printed",
    "product_59": "(59) as a product",
    "plus_59": "(59) with a positive part",
    "plus_49": "(49) with a positive part",
}

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
        Quantity("theta", r"\theta", "largest Σp of a round, less one", (0, 0)),
        Quantity("G2", "G^2", "bound of a stochastic gradient's second moment", (2, -2)),
        Quantity("noise", r"\sum_\tau\mathbb E\sum_kp^2s\sigma^2/m_\tau^2", "noise, over the rounds", (2, -2)),
        Quantity("skew", r"\sum_\tau\mathbb E\sum_kpsD_k/m_\tau^2", "dissimilarity, over the rounds", (1, 0)),
        Quantity("pull", r"\sum_\tau\mathbb E\sum_kp^2s/(p^km_\tau^2)", "weights, over the rounds", (0, 0)),
        Quantity("J", "J", "largest constant of an uneven round", (0, 2)),
        *(
            Quantity(name, r"\sum_\tau[\dots]/m_\tau^2", f"the bracket, {words}", (0, 0))
            for name, words in _BRACKETS.items()
        ),
        *(
            Quantity(f"C_{name}", r"C_\tau", f"C with the bracket, {words}", (0, 2))
            for name, words in _BRACKETS.items()
        ),
        Quantity("position", r"\tau+\gamma/E", "(τE + γ)/E", (0, 0)),
        Quantity("now", r"\tau E+\gamma", "place of a round in the schedule", (0, 0)),
        Quantity("H_now", r"H_\tau", "uneven rounds so far", (0, 0)),
        Quantity("J_all", "J", "constant of an uneven round in the induction", (0, 2)),
        Quantity("r", r"r_\tau", "1 in an uneven round", (0, 0)),
        Quantity("part", r"J_\tau/J", "share of J that a round takes", (0, 0)),
        Quantity("C", r"C_\tau", "constant of the induction", (0, 2)),
        Quantity("added", r"C_{\tau+1}-C_\tau", "what a round adds to it", (0, 2)),
        Quantity("T", "T", "rounds of the run", (0, 0)),
        Quantity("tau_0", r"\tau_0", "rounds before a client leaves", (0, 0)),
        Quantity("H", "H_T", "rounds in which E[p s]/pᵏ is not the same for all clients", (0, 0)),
        Quantity("moved", r"\|\lim_T\omega_{TE}^G-\omega^*\|", "how far from ω* the model tends", (0, 1)),
        Quantity("other", r"\|\omega_a^*-\hat\omega^*\|", "from the leaving client's optimum to the others'", (0, 1)),
        Quantity("end", r"\|\omega_{TE}^G-\omega^*\|", "distance to ω* at the end", (0, 1)),
        Quantity("end_later", r"\|\omega_{TE}^G-\omega^*\|", "the same, the client gone one round later", (0, 1)),
        Quantity(
            "held", r"\max_{\tau,k}\|\omega_{\tau E}^k-\omega_{\tau E}^G\|_\infty", "bases off the server", (0, 1)
        ),
        Quantity("twice", r"\|\omega^G-\omega^0-\text{work}+\text{residuals}\|_\infty", "what counts twice", (0, 1)),
        Quantity("twice_all", r"\|\omega^G-\omega^0-\text{work}\|_\infty", "the same without the residuals", (0, 1)),
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
            "local", r"\sum_kp_\tau^k\|\omega_{\tau E+j}^k-\overline\omega_{\tau E}\|^2", "of the clients", (0, 2)
        ),
        Quantity("own", r"\|\eta_\tau\sum_{i<j}g^k\alpha^k\|^2", "move of one client", (0, 2)),
        Quantity("jensen", r"\eta_\tau^2\sum_k\frac{(p_\tau^k)^2}{p^k}\|\sum_{i<j}g^k\alpha^k\|^2", "moves", (0, 2)),
        Quantity("sums", r"j\sum_{i<j}\|g^k\alpha^k\|^2", "squared gradients of one client", (2, -2)),
        Quantity(
            "before", r"\|\overline\omega_{\tau E+j}-\omega^*\|^2", "squared distance to ω* before a step", (0, 2)
        ),
        Quantity("after", r"\|\overline\omega_{\tau E+j+1}-\omega^*\|^2", "squared distance to ω* after it", (0, 2)),
        Quantity("A1", "A_1", "the same after a step along the full gradients", (0, 2)),
        Quantity("A2", r"\mathbb E_\xi[A_2]", "mean of the cross term", (0, 2)),
        Quantity("B1", "B_1", "inner product of the split of A₁", (0, 2)),
        Quantity("taken", r"\sum_kp_\tau^k\alpha^k", "coefficients of those who do the step", (0, 0)),
        Quantity("far", r"\sum_kp_\tau^k\alpha\|\omega^k-\omega^*\|^2", "of the local models to ω*", (0, 2)),
        Quantity("apart", r"\sum_kp_\tau^k\alpha\|\overline\omega-\omega^k\|^2", "of the local models to ω̄", (0, 2)),
        Quantity("slopes", r"\sum_kp_\tau^k\alpha\|\overline g^k\|^2", "squared gradients", (2, -2)),
        Quantity("steep", r"\sum_kp_\tau^k\alpha\|\nabla\widetilde F_k(\overline\omega)\|^2", "the same at ω̄", (2, -2)),
        Quantity("push2", r"\|\sum_kp_\tau^k\alpha\overline g^k\|^2", "square of their sum", (2, -2)),
        Quantity(
            "push2_jensen", r"\sum_k\frac{(p_\tau^k)^2}{p^k}\|\alpha\overline g^k\|^2", "its bound by Jensen", (2, -2)
        ),
        Quantity("noise2", r"\|\sum_kp_\tau^k\alpha(\overline g^k-g^k)\|^2", "squared noise of a step", (2, -2)),
        Quantity("above", r"\sum_kp_\tau^k\alpha(\widetilde F_k(\omega^k)-\widetilde F_k^*)", "excess losses", (1, 0)),
        Quantity(
            "over", r"\sum_kp_\tau^k\alpha(\widetilde F_k(\overline\omega)-\widetilde F_k^*)", "the same at ω̄", (1, 0)
        ),
        Quantity("gap", r"\sum_kp_\tau^k\alpha D_k", "the same at ω*", (1, 0)),
        Quantity(
            "ahead",
            r"\sum_kp_\tau^k\alpha(\widetilde F_k(\overline\omega)-\widetilde F_k(\omega^*))",
            "their gap",
            (1, 0),
        ),
        Quantity("own_slope", r"\|\alpha\overline g^k\|^2", "squared gradient of one client", (2, -2)),
        Quantity("own_far", r"\alpha\|\omega^k-\omega^*\|^2", "its squared distance to ω*", (0, 2)),
        Quantity("own_above", r"\alpha(\widetilde F_k(\omega^k)-\widetilde F_k^*)", "its excess loss", (1, 0)),
        Quantity("own_gap", r"\alpha D_k", "the same at ω*", (1, 0)),
        Quantity("own_inner", r"\langle\omega^k-\omega^*,\alpha\overline g^k\rangle", "its inner product", (1, 0)),
    )
)

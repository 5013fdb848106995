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
    )
)

"""The letters of FedAWARE."""

from __future__ import annotations

from validation.statement.notation import Notation, Quantity

__all__ = ["NOTATION"]

NOTATION = Notation(
    (
        Quantity("F_star", "F^*", "f(x⁰) less the least value of f", (1, 0), positive=True),
        Quantity("F", r"f(\mathbf x^0)-\mathbb Ef(\mathbf x^T)", "what the run gains", (1, 0)),
        Quantity("T", "T", "rounds of the run", (0, 0), positive=True),
        Quantity("K", "K", "local steps of a round", (0, 0), positive=True),
        Quantity("eta", r"\eta", "η_l η_g", (-1, 2), positive=True),
        Quantity("eta_l", r"\eta_l", "local step size", (-1, 2), positive=True),
        Quantity("eta_g", r"\eta_g", "server step size", (0, 0), positive=True),
        Quantity("L", "L", "smoothness of every client", (1, -2), positive=True),
        Quantity("c", "c", "width of the proof's window of local steps", (0, 0), positive=True),
        Quantity("gamma", r"\gamma", "constant of Assumption A.1", (0, 0), positive=True),
        Quantity("sigma2", r"\sigma_l^2", "largest variance of a client's gradient", (2, -2)),
        Quantity("sg2", r"\sigma_g^2", "largest mean dissimilarity of a round", (2, -2)),
        Quantity("rho", r"\frac1T\sum_t\rho^t(\lambda)", "mean client consensus, given each model", (0, 2)),
        Quantity("low", r"\min_t\mathbb E\|\nabla f(\mathbf x^t)\|^2", "best squared gradient", (2, -2)),
        Quantity("mean_square", r"\frac1T\sum_t\mathbb E\|\nabla f(\mathbf x^t)\|^2", "mean squared gradient", (2, -2)),
        Quantity("chi", r"\frac1T\sum_t\chi^2_{\lambda\|\tilde\lambda}", "mean distance of the weights", (0, 0)),
        Quantity("chi_rho", r"\frac1T\sum_t\chi^2\rho^t(\tilde\lambda)", "the same times the consensus", (0, 2)),
        Quantity("short", r"\eta KLT", "length of the whole run in units of 1/L", (0, 0), positive=True),
        Quantity("apart2", r"\|v-d\|^2", "from d to the vector from the model to the hull's point", (0, 2)),
    )
)

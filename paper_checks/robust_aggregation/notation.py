"""The letters of the paper on FedWorse and FedBetter."""

from __future__ import annotations

from validation.statement.notation import Notation, Quantity

__all__ = ["NOTATION"]

NOTATION = Notation(
    (
        Quantity("L", "L", "smoothness of every client", (1, -2), positive=True),
        Quantity("mu", r"\mu", "strong convexity of every client", (1, -2), positive=True),
        Quantity("tau", r"\tau", "local steps a round", (0, 0), positive=True),
        Quantity("T", "T", "steps of the run", (0, 0), positive=True),
        Quantity("G2", "G^2", "largest second moment of a stochastic gradient", (2, -2)),
        Quantity("sigma2", r"\sigma^2", "largest variance of a stochastic gradient", (2, -2)),
        Quantity("Gamma", r"\Gamma", "F* less the weighted mean of the clients' least values", (1, 0)),
        Quantity("D0", r"\|w^0-w^\star\|^2", "squared distance to w* at the start", (0, 2)),
        Quantity("rho", r"\overline\rho", "smallest selection skew of the run", (0, 0)),
        Quantity("rho_best", r"\tilde\rho", "largest selection skew at w*", (0, 0)),
        Quantity("pi", r"\pi", "smallest ratio of a weight to the data share", (0, 0)),
        Quantity("Pi", r"\Pi", "largest ratio of a weight to the data share", (0, 0)),
        Quantity("gap", r"\mathbb E[F(w_T)]-F^\star", "mean excess loss at the end", (1, 0)),
    )
)

"""The letters of FedSSA: its losses, the expectations of one round, the constants of Theorem A.5."""

from __future__ import annotations

from validation.statement.notation import Notation, Quantity

__all__ = ["NOTATION"]

_SQUARE = (2, -2)
NOTATION = Notation(
    (
        Quantity("fall", r"\mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})", "change of F over a round", (1, 0)),
        Quantity("eta", r"\eta", "local step size", (-1, 2), positive=True),
        Quantity("L", "L", "smoothness of every client", (1, -2), positive=True),
        Quantity("tau", r"\tau", "local steps a round", (0, 0), positive=True),
        Quantity("r", "r", "local steps done", (0, 0)),
        Quantity("K", "K", "clients", (0, 0), positive=True),
        Quantity("C", "C", "2τ(τ − 1)η²L²", (0, 0)),
        Quantity("A", "A", "factor of A.4", (0, 0), positive=True),
        Quantity("B", "B", "constant of A.4", _SQUARE, positive=True),
        Quantity("B_mean", "B", "constant of A.4 with the mean of the clients' squares", _SQUARE, positive=True),
        Quantity("W_D", "W_D", "2KΣ(p_k − w_k)²", (0, 0)),
        Quantity("W1", r"\sum_kw_k", "sum of the weights", (0, 0)),
        Quantity("S", r"\sum_kw_k^2", "sum of the squared weights, at its largest", (0, 0)),
        Quantity("gap2", r"\sum_k(p_k-w_k)^2", "squared distance of p and w", (0, 0)),
        Quantity("sigma2", r"\sigma^2", "largest variance of a mini-batch gradient", _SQUARE),
        Quantity("G", r"\|\nabla F\|^2", "squared gradient at the start of the round", _SQUARE),
        Quantity("G0", r"\|\nabla F_k(\theta^{(t,0)})\|^2", "squared gradient of client k there", _SQUARE),
        Quantity("NG", r"\sum_kw_k\|\nabla F_k\|^2", "weighted squared gradients there", _SQUARE),
        Quantity("squares_sum", r"\sum_k\|\nabla F_k\|^2", "squared gradients there", _SQUARE),
        Quantity("N1", r"\mathbb E\langle\nabla F,\sum_kw_k\mathbf d_k\rangle", "inner product N₁", _SQUARE),
        Quantity("N1h", r"\mathbb E\langle\nabla F,\sum_kw_k\mathbf h_k\rangle", "N₁ with full gradients", _SQUARE),
        Quantity("N2", r"\mathbb E\|\sum_kw_k\mathbf d_k\|^2", "second moment N₂ of the update", _SQUARE),
        Quantity("Q", r"\mathbb E\|\sum_kw_k\mathbf h_k\|^2", "the same of full gradients", _SQUARE),
        Quantity("Dv", r"\mathbb E\|\sum_kw_k(\mathbf d_k-\mathbf h_k)\|^2", "weighted noise", _SQUARE),
        Quantity(
            "V", r"\sum_kw_k^2\mathbb E\|\mathbf d_k-\mathbf h_k\|^2", "weighted noise, client by client", _SQUARE
        ),
        Quantity("V3", r"\frac1{\tau^2}\sum_kw_k^2\sum_r\mathbb E\|g_k-\nabla F_k\|^2", "step by step", _SQUARE),
        Quantity("N3", r"\mathbb E\|\nabla F-\sum_kw_k\mathbf h_k\|^2", "error N₃ of the direction", _SQUARE),
        Quantity("M", r"\|\sum_k(p_k-w_k)\nabla F_k\|^2", "mismatch of p and w", _SQUARE),
        Quantity("R", r"\mathbb E\|\sum_kw_k(\nabla F_k-\mathbf h_k)\|^2", "weighted drift", _SQUARE),
        Quantity(
            "Rmin", r"\|\sum_kw_k(\nabla F_k-\mathbf h_k)\|^2", "the same, at its smallest over the noise", _SQUARE
        ),
        Quantity("N4", r"\sum_kw_k\mathbb E\|\nabla F_k-\mathbf h_k\|^2", "drift N₄ of the clients, weighted", _SQUARE),
        Quantity("D0", r"\mathbb E\|\nabla F_k-\mathbf h_k\|^2", "drift of client k", _SQUARE),
        Quantity("D1", r"\frac1\tau\sum_r\mathbb E\|\nabla F_k^0-\nabla F_k^r\|^2", "the same, step by step", _SQUARE),
        Quantity("X", r"\frac1\tau\sum_r\mathbb E\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2", "mean squared move", (0, 2)),
        Quantity("LX", r"L^2X", "L² times the mean squared move", _SQUARE),
        Quantity("Xbar", r"\frac1\tau\sum_s\mathbb E\|\theta^{(t,0)}-\theta^{(t,s)}\|^2", "of the mean model", (0, 2)),
        Quantity("N5", r"\mathbb E\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2", "squared move N₅ after r steps", (0, 2)),
        Quantity(
            "N6", r"\sum_s\mathbb E\|\nabla F_k(\theta_k^{(t,s)})\|^2", "squared gradients N₆ of a round", _SQUARE
        ),
        Quantity("Gr", r"\mathbb E\|\nabla F_k(\theta_k^{(t,r)})\|^2", "squared gradient after r steps", _SQUARE),
        Quantity("Sn", r"\mathbb E\|\sum_{s<r}(g_k-\nabla F_k)\|^2", "of their noises", _SQUARE),
        Quantity("Snn", r"\sum_{s<r}\mathbb E\|g_k-\nabla F_k\|^2", "sum of the squared noises", _SQUARE),
        Quantity("mixed2", r"\|\sum_kw_kx_k\|^2", "square of a weighted sum of vectors", _SQUARE),
        Quantity("total2", r"\|\sum_kx_k\|^2", "square of their sum", _SQUARE),
        Quantity("apart2", r"\|\sum_k(p_k-w_k)x_k\|^2", "square of the sum weighted by the gaps", _SQUARE),
        Quantity("gaps2", r"\sum_k(p_k-w_k)^2", "sum of the squared gaps", (0, 0)),
        Quantity("all2", r"\sum_k\|x_k\|^2", "sum of the squared vectors", _SQUARE),
        Quantity("mean2", r"\sum_kw_k\|x_k\|^2", "weighted mean of the squares", _SQUARE),
        Quantity("grad2", r"\|\sum_kp_kx_k\|^2", "square of the sum weighted by p", _SQUARE),
        Quantity("cos", r"\mathcal L_{cos}", "cosine loss", (0, 0)),
        Quantity("cos_same", r"\mathcal L_{cos}", "the same where both views are one", (0, 0)),
        Quantity("cos_logits", r"-\cos(z^{(1)},z^{(2)})", "the same of the mixed logits themselves", (0, 0)),
        Quantity("cos_written", r"\cos(\hat{\mathbf y}^{(1)},\hat{\mathbf y}^{(2)})", "cosine of the outputs", (0, 0)),
        Quantity("gap", r"1+\mathcal L_{cos}", "cosine loss above its least value", (0, 0)),
        Quantity("outputs_apart", r"\|\hat{\mathbf y}^{(1)}-\hat{\mathbf y}^{(2)}\|^2", "of the outputs", (0, 0)),
        Quantity("var", r"\mathcal L_{var}", "variance loss, divisor c", (0, 0)),
        Quantity("var_doubled", r"\mathcal L_{var}", "the same at doubled logits", (0, 0)),
        Quantity("var_flat", r"\mathcal L_{var}", "the same at equal logits of all classes", (0, 0)),
        Quantity("var_sample", r"\mathcal L_{var}", "the same with divisor c − 1", (0, 0)),
        Quantity(
            "var_written", r"\frac12(var(\hat{\mathbf y}^{(1)})+var(\hat{\mathbf y}^{(2)}))", "of outputs", (0, 0)
        ),
        Quantity("we", r"\mathcal L_{we}", "weight-entropy loss", (0, 0)),
        Quantity("we_even", r"\mathcal L_{we}", "the same at equal weights of the same sum", (0, 0)),
        Quantity("we_inverse", r"\mathcal L_{we}", "the same at weights 1/K", (0, 0)),
        Quantity("lambda_var", r"\lambda_{var}", "weight of the variance loss", (0, 0), positive=True),
        Quantity("lambda_we", r"\lambda_{we}", "weight of the entropy loss", (0, 0), positive=True),
        Quantity("c", "c", "classes", (0, 0), positive=True),
        Quantity("log_clients", r"\log K", "logarithm of the number of clients", (0, 0)),
        Quantity("rounding", r"10^{-40}", "more than what rounding of exponentials adds up to", (0, 0), positive=True),
        Quantity("settled2", r"(\theta^\infty-\theta^*)^2", "distance of fixed point and minimiser", (0, 2)),
        Quantity("width", r"\max_km_k-\min_km_k", "range of the clients' optima", (0, 1)),
        Quantity("bias", r"\|\mathbb E[\mathbf d_k-\mathbf h_k]\|^2", "bias of d_k", _SQUARE),
        Quantity("wander", r"\max\|\mathbf h_k-\mathbf h_k'\|^2", "how far h_k varies over the noise", _SQUARE),
    )
)

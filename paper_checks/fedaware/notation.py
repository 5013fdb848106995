"""The letters of FedAWARE, and what its exact functions give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from validation.statement.notation import Notation, Quantity

__all__ = ["DRAWN", "NOTATION", "ROUNDED_0", "Checked"]

Checked: TypeAlias = tuple[Mapping[str, bool], Mapping[str, Any]]
"""What an exact function gives of an instance: which conditions are met, and its quantities."""

ROUNDED_0 = 1e-24
"""Of the square of a vector, beside that of the longest it is made of: no more than rounding leaves of 0."""


def _all(units: tuple[int, int], *rows: tuple[str, str, str]) -> tuple[Quantity, ...]:
    """Quantities of one unit: symbol, LaTeX, meaning."""
    return tuple(Quantity(name, latex, meaning, units) for name, latex, meaning in rows)


DRAWN = {
    **dict.fromkeys(("share", "weights"), r"\lambda"),
    "applied": r"\tilde\lambda",
    "optimum": "x^*",
    "start": "x^0",
}
"""LaTeX of the numbers that worlds draw, by name."""

NOTATION = Notation(
    (
        Quantity("F_star", "F^*", "f(x⁰) less the least value of f", (1, 0), signed=True),
        Quantity("F", r"f(\mathbf x^0)-\mathbb Ef(\mathbf x^T)", "what the run gains", (1, 0)),
        Quantity("T", "T", "rounds of the run", (0, 0), positive=True),
        Quantity("K", "K", "local steps of a round", (0, 0), positive=True),
        Quantity("eta", r"\eta", "η_l η_g", (-1, 2), positive=True),
        Quantity("eta_l", r"\eta_l", "local step size", (-1, 2), positive=True),
        Quantity("eta_g", r"\eta_g", "server step size", (0, 0), positive=True),
        Quantity("L", "L", "smoothness of every client", (1, -2), nonnegative=True),
        Quantity("c", "c", "width of the proof's window of local steps", (0, 0), positive=True),
        Quantity("gamma", r"\gamma", "constant of Assumption A.1", (0, 0), nonnegative=True),
        Quantity("sigma2", r"\sigma_l^2", "largest variance of a client's gradient", (2, -2)),
        Quantity("sg2", r"\sigma_g^2", "largest mean dissimilarity of a round", (2, -2)),
        Quantity("rho", r"\frac1T\sum_t\rho^t(\lambda)", "mean client consensus, given each model", (0, 2)),
        Quantity("low", r"\min_t\mathbb E\|\nabla f(\mathbf x^t)\|^2", "best squared gradient", (2, -2)),
        Quantity("mean_square", r"\frac1T\sum_t\mathbb E\|\nabla f(\mathbf x^t)\|^2", "mean squared gradient", (2, -2)),
        Quantity("chi", r"\frac1T\sum_t\chi^2_{\lambda\|\tilde\lambda}", "mean distance of the weights", (0, 0)),
        Quantity(
            "chi_rho",
            r"\frac1T\sum_t\chi^2\rho^t(\tilde\lambda)",
            "mean over the rounds of χ² times the applied consensus",
            (0, 2),
        ),
        Quantity("short", r"\eta KLT", "length of the whole run in units of 1/L", (0, 0), positive=True),
        Quantity("apart2", r"\|v-d\|^2", "from d to the vector from the model to the hull's point", (0, 2)),
        Quantity("N", "N", "clients", (0, 0), positive=True),
        Quantity("k", "k", "steps of Frank–Wolfe", (0, 0)),
        Quantity("inverse2", r"\sum_i\|m_i\|^{-2}", "sum of the inverse squared lengths", (0, -2)),
        Quantity("order2", r"\|\lambda-\lambda'\|^2", "between two optimal weights", (0, 0)),
        Quantity("rise", r"\max_{i,t}f_i(x^{t+1})-f_i(x^t)", "largest rise of a client's loss in a round", (1, 0)),
        *_all(
            (0, 2),
            ("d2", r"\|d\|^2", "square of the shortest point of the hull"),
            ("lean", r"\min_i\langle m_i,d\rangle", "how the updates lean on it, at least"),
            ("most_lean", r"\max_i\langle m_i,d\rangle", "at most"),
            ("tied", r"\max_i\lambda_i(\langle m_i,d\rangle-\|d\|^2)", "by how much one with weight leans too far"),
            ("mean2", r"\|\frac1N\sum_im_i\|^2", "square of the plain mean"),
            ("lean_mean", r"\min_i\langle m_i,\bar m\rangle", "how the updates lean on the mean, at least"),
            ("v2", r"\|\sum_i\mu_im_i\|^2", "square of another point v of the hull"),
            ("lean_v", r"\min_i\langle m_i,v\rangle", "how the updates lean on it, at least"),
            ("v_apart2", r"\|v-d\|^2", "between it and the shortest point"),
            ("Gamma", r"\Gamma", "Frank–Wolfe gap of v"),
            ("least2", r"\min_i\|m_i\|^2", "square of the shortest update"),
            ("largest2", r"\max_i\|m_i\|^2", "square of the longest update"),
            ("u2", r"\|u\|^2", "square of a direction"),
            ("margin", r"(\min_i\langle u,m_i\rangle)_+", "by how much all updates lean on it"),
            ("most_margin", r"(\max_i\langle u,m_i\rangle)_+", "by how much one does"),
            ("after2", r"\|d'\|^2", "square of the shortest point after a change"),
            ("moved2", r"\|d'-Td\|^2", "between it and the image of d"),
            ("half2", r"\|d-\frac12(d'+\bar m)\|^2", "between d and half the way to the mean"),
            ("kept2", r"\|\sum_i\lambda_iTm_i\|^2", "square of the old weights' point"),
            ("claimed2", r"\|\sum_i\hat\lambda_im_i\|^2", "square of the point of the printed weights"),
            ("rooted2", r"\|\sum_i\hat\lambda_im_i\|^2", "the same of weights ∝ 1/‖mᵢ‖"),
            ("free2", r"\|\sum_i\hat\lambda_im_i\|^2", "the same without the clip"),
            ("swapped2", r"\|\sum_i\hat\lambda_im_i\|^2", "the same with m₁ for m₂ in the product"),
            ("shaken2", r"\max_i\|m_i-m_i'\|^2", "largest change of an update"),
            ("D2", "D^2", "largest squared distance of two updates"),
            ("second", r"\mathbb E\|G^t\|^2", "second moment of the pseudo-gradient"),
            ("above", r"\sum_i\lambda_i\mathbb E\|g_i^t\|^2", "weighted squares of the updates"),
            ("above_own", r"\sum_i\tilde\lambda_i\|g_i\|^2", "squares of the updates, weighted by the applied weights"),
            ("variance", r"\mathbb V[G^t]", "variance of the pseudo-gradient"),
            ("pair_lean", r"\min_{ij}\langle g_i,g_j\rangle", "least inner product of two updates"),
            ("cohort_square", r"\frac1{|S|}\sum\|g_i\|^2", "mean square of vectors"),
            ("cohort_mean2", r"\|\frac1{|S|}\sum g_i\|^2", "square of the cohort's mean"),
            ("far2", r"\|x-y\|^2", "squared distance of two points"),
            ("printed2", r"\|x^K-x^0-\eta_l\sum_k\nabla F\|^2", "how far the two sides of eq. (1) are apart"),
            ("uploaded2", r"\|x^0-x^K-\eta_l\sum_k\nabla F\|^2", "the same with the sign of line 8"),
            ("late2", r"\|x^0-x^K-\eta_l\sum_k\nabla F\|^2", "the same with gradients at k = 1, …, K"),
            ("unrolled2", r"\|m^t-\sum_s\alpha(1-\alpha)^{n_s}g^s\|^2", "between a memory and its closed form"),
            ("memory2", r"\|m^t\|^2", "square of a memory"),
            ("formula2", r"\|\sum_iw_im_i\|^2", "square of the point of the weights Q⁻¹1/(1ᵀQ⁻¹1)"),
            ("faces2", r"\min_S\|\sum_{i\in S}w_im_i\|^2", "least square of such points, each of a set S of clients"),
            ("negative", r"\sum_i(w_i)_-", "negative part of the weights Q⁻¹1/(1ᵀQ⁻¹1), times the largest square"),
            ("p2", r"\|d_{proj}\|^2", "square of the projection of another direction on d"),
            ("line2", r"\langle d_{proj},d\rangle^2/\|d\|^2", "square of its part along d"),
            ("pd", r"\langle d_{proj},d\rangle", "how it leans on d"),
            ("toward", r"\langle d_{proj},d\rangle", "the same for a mean of the updates"),
            ("other2", r"\|\tilde d\|^2", "square of the direction projected"),
            ("off", r"|\langle\tilde d-d_{proj},d\rangle|", "how the rest leans on d"),
            ("again2", r"\|(d_{proj})_{proj}-d_{proj}\|^2", "change when projected again"),
            ("turned2", r"\|d_{proj}'-d_{proj}\|^2", "change when projected on −3d"),
            ("mixed2", r"\|(2\tilde d+d)_{proj}-2d_{proj}-d\|^2", "how far from linear it is"),
        ),
        *_all(
            (0, 0),
            ("chi_other", r"\chi^2", "distance of a second pair of weights"),
            ("chi_middle", r"\chi^2", "distance of the means of both"),
            ("apart_lam2", r"\|\lambda-\tilde\lambda\|^2", "squared distance of the weights"),
            ("infinite", r"[\chi^2=\infty]", "1 where χ² has no finite value"),
            ("alpha", r"\alpha", "coefficient of the moving average"),
            ("share", "p", "chance to take part"),
            ("less", r"\alpha'/\alpha", "a smaller coefficient, in units of α"),
            ("q", r"(\eta_lLK)^2", "square of the local way"),
            ("W", r"\sum_i\tilde\lambda_i^2/\lambda_i", "weighted squares of the applied weights"),
            ("beta", r"\beta", "(1 − αp)²"),
            ("vanishing", "[G=0]", "1 where the pseudo-gradient vanishes"),
            ("count", "|S|", "clients of a cohort"),
            ("agree", r"[\sum_{i\ne j}\langle g_i,g_j\rangle\ge0]", "1 where the updates do not conflict"),
            ("still", "[d=0]", "1 where the direction is 0"),
            ("regular", r"[\det Q\ne0]", "1 where the updates are linearly independent"),
            ("affine", r"[\det(Q+1)\ne0]", "1 where they are affinely independent"),
        ),
        Quantity("step", r"\tilde\eta", "Kη_lη_g", (-1, 2), positive=True),
        Quantity("fall", r"f(x^t)-\mathbb E[f(x^{t+1})]", "fall of f in a round", (1, 0)),
        Quantity(
            "rise2", r"f(x-\tilde\eta v)-f(x)+\tilde\eta\langle\nabla f(x),v\rangle", "f above its tangent", (1, 0)
        ),
        Quantity("rate", "1-q^2", "slowest contraction of a round", (0, 0)),
        *_all(
            (0, 2),
            ("rho_full", r"\frac1T\sum_t\|\mathbb EG^t\|^2", "mean consensus, over the whole run"),
            ("rho0", r"\rho^0", "consensus of the first round"),
            ("first", r"\|\mathbb EG^0\|^2", "the same over the whole run"),
            ("size", r"\|v\|^2", "square of a direction"),
            ("drift", r"\sum_i\lambda_i\sum_k\mathbb E\|x^t-x_i^{t,k}\|^2", "moves of the local models, k < K"),
            (
                "early",
                r"\sum_i\lambda_i\sum_k\mathbb E\|x^t-x_i^{t,k-1}\|^2",
                "moves of the local models at k − 1, k < K: without the last",
            ),
            ("own", r"\sum_i\lambda_i\mathbb E\|g_i^t\|^2", "weighted squares of the updates"),
            ("square", r"\mathbb E\|G^t\|^2", "second moment of the pseudo-gradient"),
            ("mean_variance", r"\sum_i\lambda_i\mathbb E\|g_i-\mathbb Eg_i\|^2", "mean variance of the updates"),
            ("farthest", r"\max\mathbb E\|x_i^{t,k}-x^t\|^2", "largest move of a local model"),
            ("mean_farthest", r"\max_k\sum_i\lambda_i\mathbb E\|x_i^{t,k}-x^t\|^2", "largest mean move"),
            ("M", r"\sum_i\lambda_i\mathbb E\|g_i\|^2", "weighted squares of the updates"),
            ("together", r"\mathbb E[\chi^2\sum_i\lambda_i\|g_i\|^2]", "mean of the product with χ²"),
            ("lag2", r"\mathbb E\|m_i^t-g_i^t\|^2", "between a memory and the newest update"),
            ("newest", r"\|g^t\|^2", "square of the newest update"),
            ("before", r"\|g^{t-1}\|^2", "square of the one before"),
            ("ceiling", r"\sum_\tau\beta^{t-\tau}(\|g^\tau\|^2+\|g^{\tau+1}\|^2)", "the recursion unrolled"),
            ("top", r"\max_\tau\|g^\tau\|^2", "square of the longest update so far"),
            ("plain", r"\mathbb E\|G\|^2", "second moment with the objective's weights"),
            ("sum_rho", r"\sum_{t<T}\rho^t", "sum of the consensus"),
            ("own2", r"\rho^0(\lambda)", "consensus of the first round with equal shares"),
            ("applied2", r"\rho^0(\tilde\lambda)", "consensus of the first round at the weights of smallest norm"),
            (
                "outside2",
                r"\operatorname{dist}(x^*,\operatorname{conv}\{x_i^*\})^2",
                "from the limit to the hull of minima",
            ),
            ("S", r"\mathbb E\|\tilde G\|^2", "second moment of the applied pseudo-gradient"),
            ("reweighted", r"\mathbb E\|G-\tilde G\|^2", "what reweighting moves"),
        ),
        *_all(
            (2, -2),
            ("rest", r"\text{RHS}-\eta\Psi", "the other terms of Theorem 4.2"),
            ("rho_best", r"\rho(x^*)/\eta_l^2", "consensus at the minimum of f"),
            ("slope2", r"\|\nabla f(x^t)\|^2", "squared gradient of identical clients"),
            ("sigma_l2", r"\sigma_l^2", "variance of the clients' gradients"),
            ("sigma_g2", r"\sigma_g^2", "dissimilarity of the clients"),
            ("grad0", r"\mathbb E\|\nabla f(x^0)\|^2", "squared gradient of the first round"),
            ("grad", r"\|\nabla f(x^t)\|^2", "squared gradient at the broadcast model"),
            ("gap", r"\mathbb E\|\nabla f(x^t)-\hat G^t\|^2", "error of the normalised pseudo-gradient"),
            ("error", r"\mathbb E\|\nabla f(x^t)-\hat G^t\|^2", "the same under two-valued noise"),
            (
                "mean_gap",
                r"\sum_i\lambda_i\mathbb E\|\nabla f_i(x^t)-\tfrac1{\eta_lK}g_i\|^2",
                "the same of the clients",
            ),
            (
                "curved",
                r"\sum_i\lambda_i\mathbb E\|\sum_k(\nabla f_i(x^t)-\nabla f_i(x_i^{t,k}))\|^2",
                "change of slopes",
            ),
            ("noise", r"\sum_i\lambda_i\mathbb E\|\sum_k(\nabla f_i-\nabla F_i)(x_i^{t,k})\|^2", "noise of a round"),
            ("widest", r"\max_i\|\nabla f_i-\nabla f\|^2", "largest dissimilarity of a client"),
        ),
        *(
            Quantity(name, latex, meaning)
            for name, latex, meaning in (
                ("T2", "T_2", "square of the direction, over (η_lK)²"),
                ("partial", r"\text{RHS}(16)", "right side of (16)"),
                ("full", r"\text{RHS}(13)", "right side of (13)"),
                ("tuned", r"\Psi_T", "what is tuned, at the step of the proof"),
                ("root_b", r"(br_0/T)^{1/2}", "its term in b"),
                ("root_e", r"e^{1/3}(r_0/T)^{2/3}", "its term in e"),
                ("linear", r"dr_0/T", "its term in d"),
            )
        ),
        Quantity("Psi", r"\Psi", "consensus dynamics", (3, -4)),
        Quantity("L_least", r"\min_iL_i", "least smoothness of a client", (1, -2)),
        *_all(
            (2, -2),
            ("spread", r"\sum_i\lambda_i\|\nabla f_i(x)-\nabla f(x)\|^2", "dissimilarity"),
            ("spread0", r"\sum_i\lambda_i\|\nabla f_i(y)-\nabla f(y)\|^2", "the same at another point"),
            ("change2", r"\|\nabla f(x)-\nabla f(y)\|^2", "squared change of the gradient"),
            ("least_avg", r"\min_t\|\nabla f(x^t)\|^2", "least squared gradient of FedAvg's run"),
            ("least_fast", r"\min_t\|\nabla f(x^t)\|^2", "the same with server steps twice as long"),
            ("least_aware", r"\min_t\|\nabla f(x^t)\|^2", "the same of FedAWARE"),
            ("least_w", r"\min_t\|\nabla f(x^t)\|^2", "least squared gradient of the run with fixed other weights"),
            ("end_avg", "f(x^T)-f^*", "gap of FedAvg at the end, times twice the curvature"),
            ("end_aware", "f(x^T)-f^*", "the same of FedAWARE"),
            ("above_first", r"\sum_i\lambda_i\|g_i\|^2", "numerator of LUD², in units of η_l²"),
            ("below_first", r"\|G\|^2", "its denominator"),
            ("above_last", r"\sum_i\lambda_i\|g_i\|^2", "the numerator in the last round"),
            ("below_last", r"\|G\|^2", "its denominator"),
            ("sum_same", r"\sum_{t<T}\rho^t", "sum of the consensus of identical clients, in units of η_l²"),
            ("sum_rho2", r"\sum_{t<T}\rho^t", "the same of the clients"),
        ),
        # Row 3 of Table 1 adds a square to a norm: these have no units.
        *(
            Quantity(name, latex, meaning)
            for name, latex, meaning in (
                ("slopes", r"\mathbb E\|\nabla f_i(x)\|", "mean norm of the local gradients"),
                ("slopes2", r"\mathbb E\|\nabla f_i(x)\|^2", "mean square of the local gradients"),
                ("slope", r"\|\nabla f(x)\|", "norm of the gradient of f"),
                ("mean_slope2", r"\|\nabla f(x)\|^2", "its square"),
                ("sigma", r"\sigma_g", "at least the root of the dissimilarity"),
                ("kappa", r"L/\mu", "condition number"),
                ("norm0", r"\mathbb E\|\nabla f_i(x_0)\|", "mean norm of the local gradients elsewhere"),
                ("reach", r"L\|x-x_0\|", "L times the distance from there"),
            )
        ),
        *_all(
            (0, 4),
            ("grown", r"\|d\|-\|d'\|", "t|t| with t = ‖d‖² − ‖d'‖² − δ²"),
            ("room", r"\max_i\|m_i-m_i'\|", "4‖d'‖²δ², δ the largest change of an update"),
            ("grown_least", r"\|d\|-\|d'\|", "the same with the least change"),
            ("room_least", r"\min_i\|m_i-m_i'\|", "the same with the least change"),
        ),
    )
)

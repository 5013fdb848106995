"""The letters of FedAWARE."""

from __future__ import annotations

from validation.statement.notation import Notation, Quantity

__all__ = ["NOTATION"]


def _all(units: tuple[int, int], *rows: tuple[str, str, str]) -> tuple[Quantity, ...]:
    """Quantities of one unit: symbol, LaTeX, meaning."""
    return tuple(Quantity(name, latex, meaning, units) for name, latex, meaning in rows)


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
            ("printed2", r"\|x^K-x^0-\eta_l\sum_k\nabla F\|^2", "how far the two sides of eq. (1) are apart"),
            ("uploaded2", r"\|x^0-x^K-\eta_l\sum_k\nabla F\|^2", "the same with the sign of line 8"),
            ("late2", r"\|x^0-x^K-\eta_l\sum_k\nabla F\|^2", "the same with gradients at k = 1, …, K"),
            ("unrolled2", r"\|m^t-\sum_s\alpha(1-\alpha)^{n_s}g^s\|^2", "between a memory and its closed form"),
            ("memory2", r"\|m^t\|^2", "square of a memory"),
            ("formula2", r"\|\sum_iw_im_i\|^2", "square of the point of the weights Q⁻¹1/(1ᵀQ⁻¹1)"),
            ("negative", r"\sum_i(w_i)_-", "their negative part, in units of the largest square"),
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
            ("still", "[d=0]", "1 where the direction is 0"),
            ("regular", r"[\det Q\ne0]", "1 where the updates are linearly independent"),
            ("affine", r"[\det(Q+1)\ne0]", "1 where they are affinely independent"),
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

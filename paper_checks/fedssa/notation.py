"""The letters of FedSSA: its losses, the expectations of one round, the constants of Theorem A.5."""

from __future__ import annotations

from validation.statement.notation import Notation, Quantity, letters

__all__ = ["DRAWN", "NOTATION"]

_PLACES = (
    ("", "", ""),
    ("_same", r"(w;x^{(1)},x^{(1)})", ", both views one"),
    ("_flat", r"(w;0)", " at equal logits of all classes"),
    ("_doubled", r"(2w)", " at twice the weights"),
    ("_doubled_same", r"(2w;x^{(1)},x^{(1)})", " at twice the weights, both views one"),
    ("_scaled", r"(sw)", " at scaled weights"),
    ("_other", r"(w')", " at other weights"),
    ("_other_same", r"(w';x^{(1)},x^{(1)})", " at other weights, both views one"),
    ("_middle", r"(\tfrac{w+w'}2)", " in the middle of two weights"),
    ("_early", r"(w;\mathcal U_1)", " on the first half of the samples"),
    ("_late", r"(w;\mathcal U_2)", " on the second half of the samples"),
    ("_other_early", r"(w';\mathcal U_1)", " at other weights, first half"),
    ("_other_late", r"(w';\mathcal U_2)", " at other weights, second half"),
    ("_level", r"(\bar w)", " at equal weights of the same sum"),
    ("_equal", r"(\tfrac1K)", " at weights 1/K"),
    ("_first", r"(e_1)", ", all weight on client 1"),
    ("_rival", r"(e_2)", ", all weight on client 2"),
    ("_twins", r"(w;z_2=z_1)", ", clients 1 and 2 alike"),
    ("_even_twins", r"(w_1=w_2;z_2=z_1)", ", clients 1 and 2 alike and of equal weight"),
    ("_heavy", r"(w)", ", a weight above 1000"),
    ("_heavier", r"(2w)", ", a weight above 1000, doubled"),
    ("_light", r"(w)", ", a weight of at most 1"),
    ("_lighter", r"(2w)", ", a weight of at most 1, doubled"),
    ("_shifted", r"(z^{(1)}+b)", ", one view's logits shifted"),
    ("_raised", r"(z^{(1)}_1+b)", ", one class raised in one view"),
    ("_swapped", r"(x^{(2)},x^{(1)})", ", views swapped"),
    ("_classes", r"(z_{\pi})", ", classes renumbered"),
    ("_clients", r"(w;z_\pi)", ", clients renumbered, weights not"),
    ("_renumbered_clients", r"(w_\pi;z_\pi)", ", clients renumbered"),
)
_SETTLED = (
    ("best", r"\theta^*_p", "at the minimiser of the objective"),
    ("alone", r"\theta^\infty_{e_1}", "where w = (1, 0, …) settles"),
    ("shares", r"\theta^\infty_p", "where w = p settles"),
    ("weights", r"\theta^\infty_w", "where the weights settle"),
)
DRAWN = {"share": "p", "weights": "w", "optimum": r"\theta^*", "start": r"\theta^0"}
"""LaTeX of the numbers that worlds draw, by name."""

_ROUND = letters(r"""
fall | \mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)}) | change of F over a round | 1 0
eta | \eta | local step size | -1 2 positive
L | L | smoothness of every client | 1 -2 positive
tau | \tau | local steps a round | 0 0 positive
r | r | local steps done | 0 0
K | K | clients | 0 0 positive
C | C | 2τ(τ − 1)η²L² | 0 0
A | A | factor of A.4 | 0 0 positive
B | B | constant of A.4 | 2 -2 nonnegative
B_mean | B | constant of A.4 with the mean of the clients' squares | 2 -2 nonnegative
W_D | W_D | 2KΣ(p_k − w_k)² | 0 0
W1 | \sum_kw_k | sum of the weights | 0 0
S | \sum_kw_k^2 | sum of the squared weights, at its largest | 0 0
gap2 | \sum_k(p_k-w_k)^2 | squared distance of p and w | 0 0
sigma2 | \sigma^2 | largest variance of a mini-batch gradient | 2 -2
G | \|\nabla F\|^2 | squared gradient at the start of the round | 2 -2
G0 | \|\nabla F_k(\theta^{(t,0)})\|^2 | squared gradient of client k there | 2 -2
NG | \sum_kw_k\|\nabla F_k\|^2 | weighted squared gradients there | 2 -2
squares_sum | \sum_k\|\nabla F_k\|^2 | squared gradients there | 2 -2
N1 | \mathbb E\langle\nabla F,\sum_kw_k\mathbf d_k\rangle | inner product N₁ | 2 -2
N1h | \mathbb E\langle\nabla F,\sum_kw_k\mathbf h_k\rangle | N₁ with full gradients | 2 -2
N2 | \mathbb E\|\sum_kw_k\mathbf d_k\|^2 | second moment N₂ of the update | 2 -2
Q | \mathbb E\|\sum_kw_k\mathbf h_k\|^2 | the same of full gradients | 2 -2
Dv | \mathbb E\|\sum_kw_k(\mathbf d_k-\mathbf h_k)\|^2 | weighted noise | 2 -2
V | \sum_kw_k^2\mathbb E\|\mathbf d_k-\mathbf h_k\|^2 | weighted noise, client by client | 2 -2
V3 | \frac1{\tau^2}\sum_kw_k^2\sum_r\mathbb E\|g_k-\nabla F_k\|^2 | step by step | 2 -2
N3 | \mathbb E\|\nabla F-\sum_kw_k\mathbf h_k\|^2 | error N₃ of the direction | 2 -2
M | \|\sum_k(p_k-w_k)\nabla F_k\|^2 | mismatch of p and w | 2 -2
R | \mathbb E\|\sum_kw_k(\nabla F_k-\mathbf h_k)\|^2 | weighted drift | 2 -2
Rmin | \|\sum_kw_k(\nabla F_k-\mathbf h_k)\|^2 | squared mean drift, at its smallest over the noise | 2 -2
N4 | \sum_kw_k\mathbb E\|\nabla F_k-\mathbf h_k\|^2 | drift N₄ of the clients, weighted | 2 -2
D0 | \mathbb E\|\nabla F_k-\mathbf h_k\|^2 | drift of client k | 2 -2
D1 | \frac1\tau\sum_r\mathbb E\|\nabla F_k^0-\nabla F_k^r\|^2 | the same, step by step | 2 -2
X | \frac1\tau\sum_r\mathbb E\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2 | mean squared move | 0 2
LX | L^2X | L² times the mean squared move | 2 -2
Xbar | \frac1\tau\sum_s\mathbb E\|\theta^{(t,0)}-\theta^{(t,s)}\|^2 | of the mean model | 0 2
N5 | \mathbb E\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2 | squared move N₅ after r steps | 0 2
N6 | \sum_s\mathbb E\|\nabla F_k(\theta_k^{(t,s)})\|^2 | squared gradients N₆ of a round | 2 -2
Gr | \mathbb E\|\nabla F_k(\theta_k^{(t,r)})\|^2 | squared gradient after r steps | 2 -2
Sn | \mathbb E\|\sum_{s<r}(g_k-\nabla F_k)\|^2 | of their noises | 2 -2
Snn | \sum_{s<r}\mathbb E\|g_k-\nabla F_k\|^2 | sum of the squared noises | 2 -2
mixed2 | \|\sum_kw_kx_k\|^2 | square of a weighted sum of vectors | 2 -2
total2 | \|\sum_kx_k\|^2 | square of their sum | 2 -2
apart2 | \|\sum_k(p_k-w_k)x_k\|^2 | square of the sum weighted by the gaps | 2 -2
gaps2 | \sum_k(p_k-w_k)^2 | sum of the squared gaps | 0 0
all2 | \sum_k\|x_k\|^2 | sum of the squared vectors | 2 -2
mean2 | \sum_kw_k\|x_k\|^2 | weighted mean of the squares | 2 -2
""")
_LOSSES = letters(r"""
cos_logits | -\cos(z^{(1)},z^{(2)}) | cosine loss of the mixed logits themselves | 0 0
cos_written | \cos(\hat{\mathbf y}^{(1)},\hat{\mathbf y}^{(2)}) | cosine of the outputs | 0 0
gap | 1+\mathcal L_{cos} | cosine loss above its least value | 0 0
gap_scaled | 1+\mathcal L_{cos}(sw) | the same at scaled weights | 0 0
outputs_apart | \|\hat{\mathbf y}^{(1)}-\hat{\mathbf y}^{(2)}\|^2 | of two outputs | 0 0
var_written | \frac12(var(\hat{\mathbf y}^{(1)})+var(\hat{\mathbf y}^{(2)})) | of outputs | 0 0
difference | R | range of the difference of the views' mixed logits | 0 0
s | s | factor of the weights | 0 0
widest | \max R_i | larger range of a view's mixed logits | 0 0
both | R_1^2+R_2^2 | squared ranges of the views' mixed logits | 0 0
margin | g | smaller margin of a view's largest mixed logit | 0 0
tail | e^{-sg} | decay with the margin | 0 0
one_top | [j_1=j_2] | 1 where both views have one top class | 0 0
spread | R | largest range of one client's logits | 0 0
surest | \min y_{right} | least output of client 1 for the right class | 0 0
samples | S | samples | 0 0
off_simplex | |\sum w-1| | how far from the simplex | 0 0
top_moved | y'_{max}-y'_j | what the former top class lacks at twice the weights | 0 0
sharpened | \|y'-y\|_\infty | change of the output at twice the weights | 0 0
rise | \Delta\mathcal L_{SSA} | change of the loss | 0 0
ends_apart | \|w-w'_\pi\|_\infty | difference of weights learned under two orders | 0 0
slope_apart | |\nabla\mathcal L-\partial\mathcal L| | formula against derivative | 0 0
a | w_k | weight of a client | 0 0
gained | \Delta\mathcal L_{we} | change of the entropy loss | 0 0
logs | a\epsilon\log\epsilon | weight moved times the logarithm of the part | 0 0
least | \min_kw_k | smallest weight | 0 0
total | \sum_kw_k | sum of the weights | 0 0
twins_apart | |w_1-w_2| | weights of two copies | 0 0
divisors_apart | |w_k-w_k'| | weights under both divisors | 0 0
inv_e | 1/e | inverse of Euler's number | 0 0
accuracy | P(\mathcal D_T,\theta) | accuracy of the aggregated model | 0 0
best | \max_\theta P | accuracy of the best model | 0 0
another | P(\mathcal D_T,\theta') | accuracy of another model | 0 0
outside | \theta-[\min\theta_k,\max\theta_k] | how far outside the local models | 0 0
lambda_var | \lambda_{var} | weight of the variance loss | 0 0 positive
lambda_we | \lambda_{we} | weight of the entropy loss | 0 0 positive
c | c | classes | 0 0 positive
log_clients | \log K | logarithm of the number of clients | 0 0
unfinished2 | (\theta_k-\arg\min)^2 | of a local model | 0 2
rounding | 10^{-40} | more than what rounding of exponentials adds up to | 0 0 positive
settled2 | (\theta^\infty-\theta^*)^2 | distance of fixed point and minimiser | 0 2
width | \max_km_k-\min_km_k | range of the clients' optima | 0 1
""")
_RUN = letters(r"""
off_mixture2 | \|q-\sum_kp_kq_k\|^2 | distance of the target to the mixtures | 0 0
low | \min_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2 | least squared gradient of a run | 2 -2
average | \frac1T\sum_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2 | mean of them | 2 -2
T | T | rounds | 0 0 positive
drop | F(\theta^{(0,0)})-F_{inf} | first gap | 1 0
noise | \sigma^2 | variance of a mini-batch gradient | 2 -2
swept | \sum_kw_k^2\mathbb E\|\sum_r(g_k-\nabla F_k)\|^2 | summed noise, weighted | 2 -2
square_weights | \sum_kw_k^2 | sum of the squared weights | 0 0
D | D | denominator of Theorem A.5, W_D or A·W_D in it | 0 0
length | 2\tau\eta L | length of a step | 0 0 positive
local_steps | \tau | local steps a round | 0 0 positive
reach | \tau\eta L | length of a round | 0 0 positive
own2 | \mathbb E\|\nabla F_k\|^2 | squared gradient of client k | 2 -2 positive
part | x | part of what is allowed, or moved | 0 0 positive
grad2 | \|\nabla F\|^2 | squared gradient of F | 2 -2
weighted_drift | \tau\eta\sum_kw_kN_k | weighted drifts of a round | 1 0
last | \|\nabla F(\theta^{(T-1,0)})\|^2 | last squared gradient | 2 -2
W_split | W_D' | W_D with client 1 split in two | 0 0
gap2_largest | \max_k(p_k-w_k)^2 | largest squared gap | 0 0
W_near | W_D' | W_D of the weights compared with | 0 0
square_near | \sum_kw_k'^2 | sum of squares of the weights compared with | 0 0
bias | \|\mathbb E[\mathbf d_k-\mathbf h_k]\|^2 | bias of d_k | 2 -2
wander | \max\|\mathbf h_k-\mathbf h_k'\|^2 | how far h_k varies over the noise | 2 -2
""")
NOTATION = Notation(
    (
        *_ROUND.quantities,
        *(
            Quantity(f"{loss}{name}", rf"\mathcal L_{{{loss}}}{latex}", f"{words} loss{where}", (0, 0))
            for loss, words in (
                ("cos", "cosine"),
                ("var", "variance"),
                ("sample", "sample variance"),
                ("we", "entropy"),
            )
            for name, latex, where in _PLACES
        ),
        *_LOSSES.quantities,
        *(Quantity(f"own_{at}", f"F_1({latex})", f"target loss {where}", (1, 0)) for at, latex, where in _SETTLED),
        *(Quantity(f"slope2_{at}", rf"\|\nabla F({latex})\|^2", where, (2, -2)) for at, latex, where in _SETTLED),
        *_RUN.quantities,
    )
)

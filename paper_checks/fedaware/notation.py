"""The letters of FedAWARE: name, LaTeX, meaning, units as degrees in loss and length; what exact functions give.

Row 3 of Table 1 adds a square to a norm: its letters have no units.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from validation.statement.notation import letters

__all__ = ["DRAWN", "NOTATION", "ROUNDED_0", "Checked"]

Checked: TypeAlias = tuple[Mapping[str, bool], Mapping[str, Any]]
"""What an exact function gives of an instance: which conditions are met, and its quantities."""

ROUNDED_0 = 1e-24
"""Of the square of a vector, beside that of the longest it is made of: no more than rounding leaves of 0."""

DRAWN = {
    **dict.fromkeys(("share", "weights"), r"\lambda"),
    "applied": r"\tilde\lambda",
    "optimum": "x^*",
    "start": "x^0",
}
"""LaTeX of the numbers that worlds draw, by name."""

NOTATION = letters(r"""
F_star | F^* | f(x⁰) less the least value of f | 1 0 signed
F | f(\mathbf x^0)-\mathbb Ef(\mathbf x^T) | what the run gains | 1 0
T | T | rounds of the run | 0 0 positive
K | K | local steps of a round | 0 0 positive
eta | \eta | η_l η_g | -1 2 positive
eta_l | \eta_l | local step size | -1 2 positive
eta_g | \eta_g | server step size | 0 0 positive
L | L | smoothness of every client | 1 -2 nonnegative
c | c | width of the proof's window of local steps | 0 0 positive
gamma | \gamma | constant of Assumption A.1 | 0 0 nonnegative
sigma2 | \sigma_l^2 | largest variance of a client's gradient | 2 -2
sg2 | \sigma_g^2 | largest mean dissimilarity of a round | 2 -2
rho | \frac1T\sum_t\rho^t(\lambda) | mean client consensus, given each model | 0 2
low | \min_t\mathbb E\|\nabla f(\mathbf x^t)\|^2 | best squared gradient | 2 -2
mean_square | \frac1T\sum_t\mathbb E\|\nabla f(\mathbf x^t)\|^2 | mean squared gradient | 2 -2
chi | \frac1T\sum_t\chi^2_{\lambda\|\tilde\lambda} | mean distance of the weights | 0 0
chi_rho | \frac1T\sum_t\chi^2\rho^t(\tilde\lambda) | mean over the rounds of χ² times the applied consensus | 0 2
short | \eta KLT | length of the whole run in units of 1/L | 0 0 positive
apart2 | \|v-d\|^2 | from d to the vector from the model to the hull's point | 0 2
N | N | clients | 0 0 positive
k | k | steps of Frank–Wolfe | 0 0
inverse2 | \sum_i\|m_i\|^{-2} | sum of the inverse squared lengths | 0 -2
order2 | \|\lambda-\lambda'\|^2 | between two optimal weights | 0 0
rise | \max_{i,t}f_i(x^{t+1})-f_i(x^t) | largest rise of a client's loss in a round | 1 0
d2 | \|d\|^2 | square of the shortest point of the hull | 0 2
lean | \min_i\langle m_i,d\rangle | how the updates lean on it, at least | 0 2
most_lean | \max_i\langle m_i,d\rangle | at most | 0 2
tied | \max_i\lambda_i(\langle m_i,d\rangle-\|d\|^2) | by how much one with weight leans too far | 0 2
mean2 | \|\frac1N\sum_im_i\|^2 | square of the plain mean | 0 2
lean_mean | \min_i\langle m_i,\bar m\rangle | how the updates lean on the mean, at least | 0 2
v2 | \|\sum_i\mu_im_i\|^2 | square of another point v of the hull | 0 2
lean_v | \min_i\langle m_i,v\rangle | how the updates lean on it, at least | 0 2
v_apart2 | \|v-d\|^2 | between it and the shortest point | 0 2
Gamma | \Gamma | Frank–Wolfe gap of v | 0 2
least2 | \min_i\|m_i\|^2 | square of the shortest update | 0 2
largest2 | \max_i\|m_i\|^2 | square of the longest update | 0 2
u2 | \|u\|^2 | square of a direction | 0 2
margin | (\min_i\langle u,m_i\rangle)_+ | by how much all updates lean on it | 0 2
most_margin | (\max_i\langle u,m_i\rangle)_+ | by how much one does | 0 2
after2 | \|d'\|^2 | square of the shortest point after a change | 0 2
moved2 | \|d'-Td\|^2 | between it and the image of d | 0 2
half2 | \|d-\frac12(d'+\bar m)\|^2 | between d and half the way to the mean | 0 2
kept2 | \|\sum_i\lambda_iTm_i\|^2 | square of the old weights' point | 0 2
claimed2 | \|\sum_i\hat\lambda_im_i\|^2 | square of the point of the printed weights | 0 2
rooted2 | \|\sum_i\hat\lambda_im_i\|^2 | the same of weights ∝ 1/‖mᵢ‖ | 0 2
free2 | \|\sum_i\hat\lambda_im_i\|^2 | the same without the clip | 0 2
swapped2 | \|\sum_i\hat\lambda_im_i\|^2 | the same with m₁ for m₂ in the product | 0 2
shaken2 | \max_i\|m_i-m_i'\|^2 | largest change of an update | 0 2
D2 | D^2 | largest squared distance of two updates | 0 2
second | \mathbb E\|G^t\|^2 | second moment of the pseudo-gradient | 0 2
above | \sum_i\lambda_i\mathbb E\|g_i^t\|^2 | weighted squares of the updates | 0 2
above_own | \sum_i\tilde\lambda_i\|g_i\|^2 | squares of the updates, weighted by the applied weights | 0 2
variance | \mathbb V[G^t] | variance of the pseudo-gradient | 0 2
pair_lean | \min_{ij}\langle g_i,g_j\rangle | least inner product of two updates | 0 2
cohort_square | \frac1{|S|}\sum\|g_i\|^2 | mean square of vectors | 0 2
cohort_mean2 | \|\frac1{|S|}\sum g_i\|^2 | square of the cohort's mean | 0 2
far2 | \|x-y\|^2 | squared distance of two points | 0 2
printed2 | \|x^K-x^0-\eta_l\sum_k\nabla F\|^2 | how far the two sides of eq. (1) are apart | 0 2
uploaded2 | \|x^0-x^K-\eta_l\sum_k\nabla F\|^2 | the same with the sign of line 8 | 0 2
late2 | \|x^0-x^K-\eta_l\sum_k\nabla F\|^2 | the same with gradients at k = 1, …, K | 0 2
unrolled2 | \|m^t-\sum_s\alpha(1-\alpha)^{n_s}g^s\|^2 | between a memory and its closed form | 0 2
memory2 | \|m^t\|^2 | square of a memory | 0 2
formula2 | \|\sum_iw_im_i\|^2 | square of the point of the weights Q⁻¹1/(1ᵀQ⁻¹1) | 0 2
faces2 | \min_S\|\sum_{i\in S}w_im_i\|^2 | least square of such points, each of a set S of clients | 0 2
negative | \sum_i(w_i)_- | negative part of the weights Q⁻¹1/(1ᵀQ⁻¹1), times the largest square | 0 2
p2 | \|d_{proj}\|^2 | square of the projection of another direction on d | 0 2
line2 | \langle d_{proj},d\rangle^2/\|d\|^2 | square of its part along d | 0 2
pd | \langle d_{proj},d\rangle | how it leans on d | 0 2
toward | \langle d_{proj},d\rangle | the same for a mean of the updates | 0 2
other2 | \|\tilde d\|^2 | square of the direction projected | 0 2
off | |\langle\tilde d-d_{proj},d\rangle| | how the rest leans on d | 0 2
again2 | \|(d_{proj})_{proj}-d_{proj}\|^2 | change when projected again | 0 2
turned2 | \|d_{proj}'-d_{proj}\|^2 | change when projected on −3d | 0 2
mixed2 | \|(2\tilde d+d)_{proj}-2d_{proj}-d\|^2 | how far from linear it is | 0 2
chi_other | \chi^2 | distance of a second pair of weights | 0 0
chi_middle | \chi^2 | distance of the means of both | 0 0
apart_lam2 | \|\lambda-\tilde\lambda\|^2 | squared distance of the weights | 0 0
infinite | [\chi^2=\infty] | 1 where χ² has no finite value | 0 0
alpha | \alpha | coefficient of the moving average | 0 0
share | p | chance to take part | 0 0
less | \alpha'/\alpha | a smaller coefficient, in units of α | 0 0
q | (\eta_lLK)^2 | square of the local way | 0 0
W | \sum_i\tilde\lambda_i^2/\lambda_i | weighted squares of the applied weights | 0 0
beta | \beta | (1 − αp)² | 0 0
vanishing | [G=0] | 1 where the pseudo-gradient vanishes | 0 0
count | |S| | clients of a cohort | 0 0
agree | [\sum_{i\ne j}\langle g_i,g_j\rangle\ge0] | 1 where the updates do not conflict | 0 0
still | [d=0] | 1 where the direction is 0 | 0 0
regular | [\det Q\ne0] | 1 where the updates are linearly independent | 0 0
affine | [\det(Q+1)\ne0] | 1 where they are affinely independent | 0 0
step | \tilde\eta | Kη_lη_g | -1 2 positive
fall | f(x^t)-\mathbb E[f(x^{t+1})] | fall of f in a round | 1 0
rise2 | f(x-\tilde\eta v)-f(x)+\tilde\eta\langle\nabla f(x),v\rangle | f above its tangent | 1 0
rate | 1-q^2 | slowest contraction of a round | 0 0
rho_full | \frac1T\sum_t\|\mathbb EG^t\|^2 | mean consensus, over the whole run | 0 2
rho0 | \rho^0 | consensus of the first round | 0 2
first | \|\mathbb EG^0\|^2 | the same over the whole run | 0 2
size | \|v\|^2 | square of a direction | 0 2
drift | \sum_i\lambda_i\sum_k\mathbb E\|x^t-x_i^{t,k}\|^2 | moves of the local models, k < K | 0 2
early | \sum_i\lambda_i\sum_k\mathbb E\|x^t-x_i^{t,k-1}\|^2 | moves of the local models at k − 1, k < K: without the last | 0 2
own | \sum_i\lambda_i\mathbb E\|g_i^t\|^2 | weighted squares of the updates | 0 2
square | \mathbb E\|G^t\|^2 | second moment of the pseudo-gradient | 0 2
mean_variance | \sum_i\lambda_i\mathbb E\|g_i-\mathbb Eg_i\|^2 | mean variance of the updates | 0 2
farthest | \max\mathbb E\|x_i^{t,k}-x^t\|^2 | largest move of a local model | 0 2
mean_farthest | \max_k\sum_i\lambda_i\mathbb E\|x_i^{t,k}-x^t\|^2 | largest mean move | 0 2
M | \sum_i\lambda_i\mathbb E\|g_i\|^2 | weighted squares of the updates | 0 2
together | \mathbb E[\chi^2\sum_i\lambda_i\|g_i\|^2] | mean of the product with χ² | 0 2
lag2 | \mathbb E\|m_i^t-g_i^t\|^2 | between a memory and the newest update | 0 2
newest | \|g^t\|^2 | square of the newest update | 0 2
before | \|g^{t-1}\|^2 | square of the one before | 0 2
ceiling | \sum_\tau\beta^{t-\tau}(\|g^\tau\|^2+\|g^{\tau+1}\|^2) | the recursion unrolled | 0 2
top | \max_\tau\|g^\tau\|^2 | square of the longest update so far | 0 2
plain | \mathbb E\|G\|^2 | second moment with the objective's weights | 0 2
sum_rho | \sum_{t<T}\rho^t | sum of the consensus | 0 2
own2 | \rho^0(\lambda) | consensus of the first round with equal shares | 0 2
applied2 | \rho^0(\tilde\lambda) | consensus of the first round at the weights of smallest norm | 0 2
outside2 | \operatorname{dist}(x^*,\operatorname{conv}\{x_i^*\})^2 | from the limit to the hull of minima | 0 2
S | \mathbb E\|\tilde G\|^2 | second moment of the applied pseudo-gradient | 0 2
reweighted | \mathbb E\|G-\tilde G\|^2 | what reweighting moves | 0 2
rest | \text{RHS}-\eta\Psi | the other terms of Theorem 4.2 | 2 -2
rho_best | \rho(x^*)/\eta_l^2 | consensus at the minimum of f | 2 -2
slope2 | \|\nabla f(x^t)\|^2 | squared gradient of identical clients | 2 -2
sigma_l2 | \sigma_l^2 | variance of the clients' gradients | 2 -2
sigma_g2 | \sigma_g^2 | dissimilarity of the clients | 2 -2
grad0 | \mathbb E\|\nabla f(x^0)\|^2 | squared gradient of the first round | 2 -2
grad | \|\nabla f(x^t)\|^2 | squared gradient at the broadcast model | 2 -2
gap | \mathbb E\|\nabla f(x^t)-\hat G^t\|^2 | error of the normalised pseudo-gradient | 2 -2
error | \mathbb E\|\nabla f(x^t)-\hat G^t\|^2 | the same under two-valued noise | 2 -2
mean_gap | \sum_i\lambda_i\mathbb E\|\nabla f_i(x^t)-\tfrac1{\eta_lK}g_i\|^2 | the same of the clients | 2 -2
curved | \sum_i\lambda_i\mathbb E\|\sum_k(\nabla f_i(x^t)-\nabla f_i(x_i^{t,k}))\|^2 | change of slopes | 2 -2
noise | \sum_i\lambda_i\mathbb E\|\sum_k(\nabla f_i-\nabla F_i)(x_i^{t,k})\|^2 | noise of a round | 2 -2
widest | \max_i\|\nabla f_i-\nabla f\|^2 | largest dissimilarity of a client | 2 -2
T2 | T_2 | square of the direction, over (η_lK)²
partial | \text{RHS}(16) | right side of (16)
full | \text{RHS}(13) | right side of (13)
tuned | \Psi_T | what is tuned, at the step of the proof
root_b | (br_0/T)^{1/2} | its term in b
root_e | e^{1/3}(r_0/T)^{2/3} | its term in e
linear | dr_0/T | its term in d
Psi | \Psi | consensus dynamics | 3 -4
L_least | \min_iL_i | least smoothness of a client | 1 -2
spread | \sum_i\lambda_i\|\nabla f_i(x)-\nabla f(x)\|^2 | dissimilarity | 2 -2
spread0 | \sum_i\lambda_i\|\nabla f_i(y)-\nabla f(y)\|^2 | the same at another point | 2 -2
change2 | \|\nabla f(x)-\nabla f(y)\|^2 | squared change of the gradient | 2 -2
least_avg | \min_t\|\nabla f(x^t)\|^2 | least squared gradient of FedAvg's run | 2 -2
least_fast | \min_t\|\nabla f(x^t)\|^2 | the same with server steps twice as long | 2 -2
least_aware | \min_t\|\nabla f(x^t)\|^2 | the same of FedAWARE | 2 -2
least_w | \min_t\|\nabla f(x^t)\|^2 | least squared gradient of the run with fixed other weights | 2 -2
end_avg | f(x^T)-f^* | gap of FedAvg at the end, times twice the curvature | 2 -2
end_aware | f(x^T)-f^* | the same of FedAWARE | 2 -2
above_first | \sum_i\lambda_i\|g_i\|^2 | numerator of LUD², in units of η_l² | 2 -2
below_first | \|G\|^2 | its denominator | 2 -2
above_last | \sum_i\lambda_i\|g_i\|^2 | the numerator in the last round | 2 -2
below_last | \|G\|^2 | its denominator | 2 -2
sum_same | \sum_{t<T}\rho^t | sum of the consensus of identical clients, in units of η_l² | 2 -2
sum_rho2 | \sum_{t<T}\rho^t | the same of the clients | 2 -2
slopes | \mathbb E\|\nabla f_i(x)\| | mean norm of the local gradients
slopes2 | \mathbb E\|\nabla f_i(x)\|^2 | mean square of the local gradients
slope | \|\nabla f(x)\| | norm of the gradient of f
mean_slope2 | \|\nabla f(x)\|^2 | its square
sigma | \sigma_g | at least the root of the dissimilarity
kappa | L/\mu | condition number
norm0 | \mathbb E\|\nabla f_i(x_0)\| | mean norm of the local gradients elsewhere
reach | L\|x-x_0\| | L times the distance from there
grown | \|d\|-\|d'\| | t|t| with t = ‖d‖² − ‖d'‖² − δ² | 0 4
room | \max_i\|m_i-m_i'\| | 4‖d'‖²δ², δ the largest change of an update | 0 4
grown_least | \|d\|-\|d'\| | the same with the least change | 0 4
room_least | \min_i\|m_i-m_i'\| | the same with the least change | 0 4
""")

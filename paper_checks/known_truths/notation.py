"""The letters of the known truths: name, LaTeX, meaning, units as degrees in loss and length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from validation.statement.instances.draw import Coordinate
from validation.statement.notation import letters

__all__ = ["NOTATION", "Coordinates", "Plain", "Seen"]

Coordinates: TypeAlias = tuple[Coordinate, ...]
Seen: TypeAlias = Mapping[str, Any]
Plain: TypeAlias = tuple[Mapping[str, bool], Mapping[str, Any]]
"""What a world observes of a batch; the hypotheses met by one instance of exact numbers, and what is observed of it."""

NOTATION = letters(r"""
L | L | largest curvature | 1 -2 positive
mu | \mu | smallest curvature | 1 -2
F_x | F(x) | loss at x | 1 0
F_y | F(y) | loss at y | 1 0
linear | \langle\nabla F(x),y-x\rangle | rise of the tangent | 1 0
step2 | \|y-x\|^2 | squared distance of y from x | 0 2
change2 | \|\nabla F(x)-\nabla F(y)\|^2 | squared change of the gradient | 2 -2
inner | \langle\nabla F(x)-\nabla F(y),x-y\rangle | change of the gradient along the step | 1 0
excess | F(w)-F^\star | excess loss | 1 0
grad2 | \|\nabla F(w)\|^2 | squared gradient | 2 -2
top2 | \|\nabla F(w)\|_\infty^2 | its largest squared entry | 2 -2
dist2 | \|w-w^\star\|^2 | squared distance to the minimiser | 0 2
joined2 | \|\sum_ia_ig_i\|^2 | square of the weighted sum | 0 2
mean2 | \sum_ia_i\|g_i\|^2 | weighted mean of the squares | 0 2
squares | \sum_ia_i^2\|g_i\|^2 | the same with squared weights | 0 2
plain | \frac1N\sum_i\|g_i\|^2 | plain mean of the squares | 0 2
but_last | \sum_{i<N}a_i\|g_i\|^2 | weighted mean without the last client | 0 2
moved2 | \|\sum_i(\lambda_i-\tilde\lambda_i)g_i\|^2 | square of what other weights change | 0 2
chi2 | \sum_i(\lambda_i-\tilde\lambda_i)^2/\lambda_i | χ² of the weights | 0 0
swapped | \sum_i(\lambda_i-\tilde\lambda_i)^2/\tilde\lambda_i | χ² with the other denominator | 0 0
applied2 | \sum_i\tilde\lambda_i\|g_i\|^2 | mean of the squares under λ̃ | 0 2
around_mean | \sum_ia_i\|w_i-\bar w\|^2 | spread about the mean | 0 2
around_v | \sum_ia_i\|w_i-v\|^2 | spread about v | 0 2
shift2 | \|\bar w-v\|^2 | squared distance of v from the mean | 0 2
d2 | \|d\|^2 | square of the shortest point | 0 2
lean | \min_i\langle m_i,d\rangle | least inner product with it | 0 2
pairs | \min_{ij}\langle m_i,m_j\rangle | least inner product of two vectors | 0 2
least2 | \min_i\|m_i\|^2 | least square of a vector | 0 2
weighed | \sum_ir_ix_i | weighted sum of x | 1 0
total | \sum_ix_i | sum of x | 1 0
smallest | \min_ix_i | smallest x | 1 0
but_largest | \sum_{i<N}x_i | sum without the largest x | 1 0
Gamma | \Gamma | F* less the mean of the clients' minima | 1 0
far2 | \sum_ip_i\|w^\star-w_i^\star\|^2 | mean squared distance of the clients' minimisers | 0 2
L_mean | \sum_ip_iL_i | mean of the clients' largest curvatures | 1 -2
mean_off2 | \|w^\star-\sum_ip_iw_i^\star\|^2 | squared distance of their mean | 0 2
reweighed | \sum_i\alpha_i(F_i(w)-F_i^\star) | mean excess under α | 1 0
mean_excess | \sum_ip_i(F_i(w)-F_i^\star) | mean excess under p | 1 0
tilt | \max_i\alpha_i/p_i | largest quotient of the weights | 0 0
least | \min_i\alpha_i/p_i | smallest quotient | 0 0
chi | \sum_i\alpha_i^2/p_i | mean quotient under α | 0 0
apart | \max_i\alpha_i/\max_ip_i | quotient of the maxima | 0 0
lost2 | \|x-\mathrm{top}_k(x)\|^2 | square of the entries left out | 0 2
norm2 | \|x\|^2 | square of all entries | 0 2
largest2 | \|x\|_\infty^2 | largest squared entry | 0 2
n | n | entries, or clients | 0 0 positive
k | k | entries kept | 0 0 positive
quotient | \frac{a_i/p_i}{a_j/p_j} | tilt of two clients against each other | 0 0
top | \max_ke^{s_k/T} | exponential of the largest score | 0 0
low | \min_ke^{s_k/T} | exponential of the smallest score | 0 0 positive
half | e^{(\max s-\min s)/(2T)} | exponential of half the range | 0 0
p_i | p_i | share of the first client | 0 0 positive
p_j | p_j | share of the second client | 0 0
N | N | clients | 0 0 positive
K | K | clients drawn | 0 0 positive
deviation | \mathbb E\|\cdot\|^2 | mean square of an average about its mean | 2 -2
A2 | \sum_ia_i^2\sigma_i^2 | averaged noise | 2 -2
A4 | \sum_ia_i^4\sigma_i^2 | the same with fourth powers | 2 -2
U2 | \frac1{N^2}\sum_i\sigma_i^2 | noise of the plain mean | 2 -2
mean_square | \sum_ip_i\|g_i\|^2 | mean square of the clients' vectors | 2 -2
weights_square | \sum_ia_i^2 | sum of the squared weights | 0 0
square_mean | \|\sum_ip_ig_i\|^2 | square of their mean | 2 -2
flat | \sum_ip_i^2\|g_i\|^2 | mean square with squared shares | 2 -2
side | \pm1 | which half of an identity | 0 0
missed | \mathbb E\|\bar x_S-\bar x\|^2 | mean squared error of the drawn mean | 0 2
V | V | variance of the points, or before a round | 0 2
V0 | \frac1N\sum_i\|x_i\|^2 | mean square about 0 | 0 2
after | \mathbb E\,w_{t+1}^2 | second moment after a round | 0 2
w2 | w^2 | square before it | 0 2
c | c | curvature of all clients | 1 -2 positive
q | q | chance to be present | 0 0
P2 | \sum_ip_i^2 | sum of the squared shares | 0 0
rho | \rho | largest factor of a step | 0 0
contraction | \rho^T | largest factor of the run | 0 0
flattest | |1-\eta\mu|^T | factor of the flattest direction | 0 0
steepest | |1-\eta L|^T | factor of the steepest direction | 0 0
one_round | \rho^E | factor of one round more | 0 0
one_step_each | \rho^T | factor of one local step more | 0 0
D0 | \Delta_0 | squared distance to w* at the start | 0 2
Delta | \Delta_T | mean squared distance to w* at the end | 0 2
gap | F(w_0)-F^* | excess loss at the start | 1 0
gap_end | F(w_T)-F^* | excess loss at the end | 1 0
eta | \eta | step size | -1 2 positive
sigma_sq | \sigma^2 | second moment of the noise | 2 -2
variance | \mathrm{Var}\,w^+ | variance after a round | 0 2
geometric | \sum_{e<E}(1-\eta c)^{2e} | noise kept over the local steps | 0 0
gone2 | \|w_i^{(E)}-w\|^2 | squared length of a client's way | 0 2
E | E | local steps | 0 0 positive
G_max | \max_e\|g_{i,e}\|^2 | largest squared gradient | 2 -2
G_last | \|g_{i,E-1}\|^2 | last squared gradient | 2 -2
G_first | \|g_{i,0}\|^2 | first squared gradient | 2 -2
G_sum | \sum_e\|g_{i,e}\|^2 | sum of the squared gradients | 2 -2
gamma | \gamma | offset of the step sizes | 0 0 positive
T | T | rounds | 0 0 positive
value | v_T | worst excess over the class, in units of LR² | 0 0
later | v_{T+1} | the same one round later | 0 0
R | R | largest distance of the start | 0 1 positive
""")

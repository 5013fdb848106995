"""The letters of Exp-α: name, LaTeX, meaning, units as degrees in loss and length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from validation.statement.instances.draw import Coordinate
from validation.statement.notation import letters

__all__ = ["DRAWN", "NOTATION", "Coordinates", "Plain", "Seen"]

Coordinates: TypeAlias = tuple[Coordinate, ...]
Seen: TypeAlias = Mapping[str, Any]
Plain: TypeAlias = tuple[Mapping[str, bool], Mapping[str, Any]]
"""What a world observes of a batch; the hypotheses met by one instance of exact numbers, and what is observed of it."""

DRAWN = {"share": r"\rho", "weights": r"\rho^t", "optimum": r"\mathbf W^*", "start": r"\mathbf W^0"}
"""LaTeX of the numbers that worlds draw, by name."""

NOTATION = letters(r"""
L | L | smoothness of every client | 1 -2 positive
mu | \mu | strong convexity of every client | 1 -2 positive
kappa | \kappa | L/μ | 0 0 positive
E | E | local steps a round | 0 0 positive
K | K | clients drawn at a synchronisation | 0 0 nonnegative
t | t | steps done, over all rounds | 0 0
T | T | steps of the whole run | 0 0 nonnegative
tau | t+\gamma | t + γ | 0 0 positive
eta | \eta_t | step size at step t | -1 2 positive
beta | \beta | numerator of the step size β/(t + γ) | -1 2 positive
gamma | \gamma | offset of the step size β/(t + γ) | 0 0 positive
noise | \max_t\sum_i(\rho_i^{t+1})^2\sigma_i^2 | variance of the averaged noise | 2 -2
G2 | G^2 | largest second moment of a stochastic gradient visited | 2 -2
Omega | \Omega | smallest weighted excess of the clients over the run | 1 0
Omega_all | \Omega | at most the same over all t >= 0, the last weights kept for ever | 1 0
Gamma | \Gamma | largest weighted excess of the clients at W* | 1 0
excess | \mathbb E[F(\mathbf W^T)]-F(\mathbf W^*) | excess loss at the end | 1 0
excess_first | \mathbb E[F(\bar{\mathbf W}^t)]-F(\mathbf W^*) | excess loss at t = 0 | 1 0
first | \Delta_0 | squared distance to W* at the start | 0 2
before | \Delta_t | mean squared distance to W* one step before the end | 0 2
after | \Delta_{t+1} | mean squared distance to W* at the end | 0 2
Delta | \Delta_t | mean squared distance to W* at step t | 0 2
apart | \mathbb E\|\tilde{\mathbf W}-\bar{\mathbf W}\|^2 | what drawing K clients adds | 0 2
center | \|\bar{\mathbf W}-\mathbf W^*\|^2 | squared distance of the weighted mean | 0 2
delta0 | \Delta_0 | squared distance to W* at the start | 0 2 positive
B | B | constant of the recursion (7) | 2 -2
B_all | B | B with Ω over all t >= 0 | 2 -2
B_first | B | B with the step size of t = 0 | 2 -2
B_last | B | B with the step size of t = T | 2 -2
B_most | B | the largest B of the run | 2 -2
B_bar | \bar B | constant of the bound: B without its last term | 2 -2 positive
difference | \Gamma-\Omega | Γ − Ω, of either sign | 1 0
surplus | \beta\mu-1 | by how much βμ exceeds 1 | 0 0 positive
length | \eta L | a step in units of 1/L | 0 0 positive
portion | \Delta_t(\gamma+t)/v | how far the induction hypothesis is used up | 0 0
v | v | constant of the induction (8) | 0 2
jump | \max\{\mathcal U(-a_i)-\mathcal U(-a_j):a_i\ge a_j\} | by how much the order is missed
tilted_mean | \sum_i\tilde\rho_ia_i | mean of aᵢ under ρ̃ | 1 0
plain_mean | \frac1N\sum_ia_i | plain mean of aᵢ | 1 0
total | \sum_i\rho_i^{t+1} | sum of the weights of A.11 | 0 0
rewritten | \sum_i\rho_i^{t+1}\Omega_i^t | weighted excess under the weights of A.11 | 1 0
normalised | \sum_i\rho_i^{t+1}\Omega_i^t | the same, weights divided by their sum | 1 0
proportional | \sum_i\rho_i\Omega_i^t | weighted excess under the data shares | 1 0
now | \sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i^*) | weighted excess at one model | 1 0
last | \sum_i\rho_i^{T}\Omega_i^{T-1} | weighted excess at the last step | 1 0
Omega_A11 | \Omega | Ω with the weights of A.11, whatever their sum | 1 0
N | N | clients | 0 0 positive
size | |\Xi_i| | samples of a client | 0 0 positive
best_value | F(\mathbf W^*) | value of F at its optimum | 1 0
together | \sum_i\rho_iF_i-\sum_i\rho_iF_i^* | the constant taken out of the sum | 1 0
each | \sum_i\rho_i(F_i-F_i^*) | the constant inside the sum | 1 0
Omega_less | \Omega | Ω without the last round | 1 0
Gamma_less | \Gamma | Γ without the last round | 1 0
limit | \lim_T\mathbb E[F(\mathbf W^T)]-F(\mathbf W^*) | excess loss after convergence | 1 0
drift | \mathbb E\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2 | drift of a round | 0 2
moved2 | \mathbb E\|\sum_j\eta_jg_j\|^2 | mean square of a round's update | 0 2
scaled2 | \sum_j\mathbb E\|\eta_jg_j\|^2 | sum of the steps' mean squares | 0 2
summed2 | \mathbb E\|\sum_jg_j\|^2 | mean square of the sum of gradients | 2 -2
seconds | \sum_j\mathbb E\|g_j\|^2 | sum of the gradients' mean squares | 2 -2
eta_first | \eta_{t_0} | first step size of a round | -1 2 positive
eta_top | \max_j\eta_j | largest step size of a sum | -1 2 positive
terms | t-t_0 | gradients of a sum | 0 0
left_over | \max_i\|\mathbf W_i-\bar{\mathbf W}^{t_0}+\sum_j\eta_jg_j\|^2 | what is left | 0 2
off | \|\mathbb E_s\tilde{\mathbf W}-\bar{\mathbf W}\|^2 | by how much a draw is biased | 0 2
sum_square | \mathbb E_s\|\sum(\mathbf V-\bar{\mathbf W})\|^2 | square of a sum of draws | 0 2
squares | \mathbb E_s\sum\|\mathbf V-\bar{\mathbf W}\|^2 | sum of the squares of draws | 0 2
one_draw | \sum_i\rho_i\|\mathbf V_i-\bar{\mathbf W}\|^2 | square of one draw | 0 2
raw_draw | \sum_i\rho_i\|\mathbf V_i\|^2 | the same about the round's start | 0 2
bend | \gamma_t | 2η(1 − 2Lη) | -1 2
lin | \sum_i\rho_i\langle\mathbf W_i-\bar{\mathbf W},\nabla F_i(\bar{\mathbf W})\rangle | tangent | 1 0
grad2 | \sum_i\rho_i\|\nabla F_i(\bar{\mathbf W})\|^2 | squared gradients at the mean | 2 -2
local | \sum_i\rho_i(F_i(\mathbf W_i)-F_i^*) | weighted excess at the local models | 1 0
about | \Gamma_t | weighted excess of the clients at W*, at one step | 1 0
slopes2 | \sum_i\rho_i\|\nabla F_i(\mathbf W_i)\|^2 | squared gradients | 2 -2
slope2 | \|\sum_i\rho_i\nabla F_i(\mathbf W_i)\|^2 | square of the mean gradient | 2 -2
towards | B_{1,2} | inner product of W* − Wᵢ and the gradient, weighted | 1 0
away | \sum_i\rho_i\|\mathbf W^*-\mathbf W_i\|^2 | squared distances of the clients to W* | 0 2
virtual | \|\bar{\mathbf W}^t-\eta_tg_t-\mathbf W^*\|^2 | distance after the step of the proof | 0 2
residual | \|\bar{\mathbf W}^{t+1}-\bar{\mathbf W}^t+\eta_tg_t\|^2 | by how much it is no step | 0 2
residual_past | \|\bar{\mathbf W}^{t+1}-\bar{\mathbf W}^t+\eta_tg_t\|^2 | g under the old weights | 0 2
deviation | \|\bar{\mathbf g}_t-\mathbf g_t\|^2 | squared noise of the averaged gradient | 2 -2
A2 | \mathbb E[A_2] | mean of the cross term | 0 2
off_mean2 | \|\mathbb E\mathbf V_i-(\mathbf W_i-\eta\nabla F_i)\|^2 | a step's bias | 0 2
bias2 | |\mathbb E[g_t]-\mathbb E[\bar g_t]|^2 | square of the mean noise | 2 -2
cubes | \max_t\sum_i(\rho_i^{t+1})^3\sigma_i^2 | cubes of the weights in place of squares | 2 -2
weighed | \mathbb E\sum_i(\rho_i^{t+1})^2\|\nabla f_i-\nabla F_i\|^2 | weights inside E | 2 -2
here | \sum_i\rho_i(F_i(\mathbf V)-F_i^*) | weighted excess at V | 1 0
there | \sum_i\rho_i(F_i(\mathbf W)-F_i^*) | weighted excess at W | 1 0
along | (\mathbf W-\mathbf V)^T\nabla F(\mathbf V) | slope at V along the way to W | 1 0
distance2 | \|\mathbf W-\mathbf V\|^2 | squared distance of two points | 0 2
turn | \|\nabla F(\mathbf W)-\nabla F(\mathbf V)\|^2 | squared change of the gradient | 2 -2
most_there | \max_i(F_i(\mathbf W^*)-F_i^*) | largest summand of Γ | 1 0
most_now | \min_t\max_i(F_i(\bar{\mathbf W}^t)-F_i^*) | largest summand of Ω | 1 0
least_of_means | \min_t\mathbb E[\Omega_t] | Ω in expectation | 1 0
mean_of_least | \mathbb E[\min_t\Omega_t] | Ω path by path | 1 0
beyond_sync | \max_i(\sigma_i^2(\mathbf W_i^t)-\sigma_i^2(\mathbf W^t)) | variance missed | 2 -2
beyond_cap | \max_i(\sigma_i^2(\mathbf W_i^t)-\bar\sigma_i^2) | variance beyond its cap | 2 -2
beyond_start | \max_i(\sigma_i^2(\mathbf W_i^t)-\sigma_i^2(\mathbf W^0)) | beyond the start's | 2 -2
G2_sync | G^2 | largest second moment at the aggregated models | 2 -2
grad_beyond_cap | \max_i(G_i^2-\bar G_i^2) | second moment beyond its cap | 2 -2
grad_beyond_plain | \max_i(G_i^2-h_i^2D^2) | beyond that of full gradients | 2 -2
rise | F(\mathbf V)-F(\mathbf W)-(\mathbf V-\mathbf W)^T\nabla F(\mathbf W) | above the tangent | 1 0
middle | \bar{\mathbf W}^{t+1} | the virtual model on the line | 0 1
weighed_models | \sum_i\rho_i^{t+1}\mathbf V_i^{t+1} | weighted mean of the local results | 0 1
downhill | \max_i(F_i(\mathbf V_i)-F_i(\mathbf W_i)) | rise of a noiseless step | 1 0
by_shift | \text{order of }|m_i|\text{ and }\Omega_i | by how much the order is missed | 1 0
by_change | \text{order of }\Omega_i\text{ and the exponents} | by how much it is missed | 1 0
by_late | \text{order of }\Omega_i^{T-1}\text{ and the exponents} | by how much it is missed | 1 0
by_weight | \text{order of }\Omega_i\text{ and the weights} | by how much it is missed | 1 0
left | \max_i(F_i(\mathbf W_i^T)-F_i^*) | what a round leaves of the excess losses | 1 0
slowest | (1-\eta\mu)^{2E} | what a round leaves of the flattest | 0 0
Omega_most | \max_i\Omega_i | largest excess loss of a client | 1 0
missed | \text{missed} | by how much simplex, order or formula is missed | 0 0
alpha | \alpha | temperature of the weights | 1 0 positive
gap | \max_ix_i-\min_ix_i | range of the loss changes | 1 0 positive
from_one | \max_i|\rho_i-1| | distance of the weights from 1 | 0 0
from_even | \max_i|\rho_i-\frac1N| | distance of the weights from 1/N | 0 0
from_shares | \max_i|\rho_i-p_i| | distance of the weights from the data shares | 0 0
rounding | 10^{-30} | what rounding of exponentials may add up to | 0 0
squares_now | \sum_i\rho_i^2(\alpha) | sum of squared weights | 0 0
squares_later | \sum_i\rho_i^2(\alpha') | the same at a larger α | 0 0
largest_now | \max_i\rho_i(\alpha) | largest weight | 0 0
largest_later | \max_i\rho_i(\alpha') | the same at a larger α | 0 0
apart2 | \|\mathbf W-\nabla F-\sum_i\rho_i\mathbf W_i\|^2 | server step against Eq. 3 | 0 2
closed_form | \mathbf W^T | the model in closed form, on the line | 0 1
missed_loss | \text{missed} | by how much an order of losses is missed | 1 0
epochs | e | local epochs of a round | 0 0 positive
share_of_training | \text{cost} | two forward passes as a share of the training | 0 0
rounds_ours | R_\alpha | rounds of Exp-α to the level, ties by a hair given to it | 0 0
rounds_exactly | R_\alpha | rounds of Exp-α to the level | 0 0
rounds_theirs | R_{pr} | rounds of equal shares to the level | 0 0
end_ours | F(\mathbf W^T_\alpha)-F(\mathbf W^*) | last gap of Exp-α | 1 0
end_theirs | F(\mathbf W^T_{pr})-F(\mathbf W^*) | last gap of equal shares | 1 0
first_gap | F(\mathbf W^0)-F(\mathbf W^*) | first gap | 1 0 positive
rounding_loss | 10^{-30}F | what rounding of exponentials may add to a gap | 1 0
Omega_pr | \Omega_{pr} | smallest weighted excess with proportional weights | 1 0
""")

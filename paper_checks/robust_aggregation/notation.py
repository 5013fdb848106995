"""The letters of the paper on FedWorse and FedBetter: name, LaTeX, meaning, units as degrees in loss and length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from validation.statement.notation import letters

__all__ = ["DRAWN", "NOTATION", "Pair"]

Pair: TypeAlias = tuple[Mapping[str, bool], Mapping[str, Any]]
"""What an exact function gives of an instance: which conditions are met, and its quantities."""

DRAWN = {"share": "p", "weights": r"\alpha_t", "optimum": "w^*", "start": "w^0"}
"""LaTeX of the numbers that worlds draw, by name."""

NOTATION = letters(r"""
L | L | smoothness of every client | 1 -2 positive
mu | \mu | strong convexity of every client | 1 -2 positive
tau | \tau | local steps a round | 0 0 positive
T | T | steps of the run | 0 0 nonnegative
E | E | local steps a round | 0 0 positive
N | N | clients | 0 0 positive
eta | \eta_t | step size at step t | -1 2 positive
eta0 | \eta_{t_0} | step size at the first step of the round | -1 2 positive
beta | \beta | numerator of the step size β/(t + γ) | -1 2 positive
gamma | \gamma | offset of the step size β/(t + γ) | 0 0 positive
rho | \overline\rho | ρ̄, the smallest weighting skew of the run | 0 0
rho_best | \tilde\rho | ρ̃, the largest weighting skew at w* | 0 0
rho_limit | \overline\rho | skew at the limit of fixed weights | 0 0
rho_limit_other | \overline\rho | skew at the limit of other fixed weights | 0 0
rho_best_other | \tilde\rho | largest skew at w* of other weights | 0 0
rho_hard | \overline\rho | smallest skew of FedWorse on its own run | 0 0
rho_best_hard | \tilde\rho | largest skew of FedWorse at w* | 0 0
conflict | \theta(1-\theta)(1-1/q)^2 | margin of two unlike clients | 0 0
rho_at | \rho(t,w_t) | skew at one model | 0 0
rho_largest | \max_\alpha\rho(t,w_t) | largest skew of any weights at one model | 0 0
pi | \pi | smallest ratio of a weight to the data share | 0 0
Pi | \Pi | largest ratio of a weight to the data share | 0 0
least | \min p_i | smallest data share | 0 0
largest | \max p_i | largest data share | 0 0
smallest | \min\alpha_t^i | smallest weight of all rounds | 0 0
peak | \max\alpha_t^i | largest weight of all rounds | 0 0
lowest_peak | \min_t\max_i\alpha_t^i | smallest of the rounds' largest weights | 0 0
at_a_round | \max_t(\Pi_t/N+(N-1)\pi_t/N) | largest and N − 1 smallest ratios of a round | 0 0
raised_least | \min\alpha' | smallest weight after zeros are raised | 0 0
raised_total | \sum\alpha' | their sum | 0 0
raised_by | \max|\alpha'-\alpha| | by how much a weight has changed | 0 0
lost_total | \sum\max(\alpha,\varepsilon) | sum when nothing is taken off | 0 0
eps | \varepsilon | the infinitesimal value | 0 0
alike | \max_i(F_i-F_i^\star)/\min_i(F_i-F_i^\star) | how unlike excess losses at w* and the limit are | 0 0
undefined | F(w_t)=\sum p_iF_i^\star | 1 where the denominator of ρ(t, wₜ) is 0 | 0 0
undefined_best | \Gamma=0 | 1 where the denominator of ρ(t, w*) is 0 | 0 0
is_zero | \overline\rho=0 | 1 where ρ̄ is 0 | 0 0
wanted | x | a number named beforehand | 0 0
reached | y | what the federation shown reaches | 0 0
least_reached | x | the skew when FedWorse ties at a start | 0 0
tied | 1 | 1 where no weights have a skew above 1 at the start | 0 0
m | m | clients of a round | 0 0
m_off | |m-[m]| | 1 where m is no whole number | 0 0
total | \sum\alpha_i | sum of the weights | 0 0
lightest | \min\alpha_i | smallest weight | 0 0
is_zero_weight | [\min\alpha_i=0] | 1 where a client has no weight | 0 0
unequal | \max|\alpha_i-\alpha_j| | largest difference of weights of equal losses | 0 0
unequal_per_share | \max|\alpha_i/p_i-\alpha_j/p_j| | largest difference of weights by share of equal losses | 0 0
stretch | \max(\alpha_i/p_i,p_i/\alpha_i) | how far the weights are from the shares | 0 0
from_hard | \frac12\sum|\alpha_i-\alpha_i^0| | distance to the hard rule | 0 0
shaken | \sum|\alpha_i-\alpha_i'| | change of the weights when losses change | 0 0
several_best | |J_t|-1 | how many more than one are extreme | 0 0
score | \sum\alpha_i\ell_i | weighted loss | 0 0
score_shares | \sum p_i\ell_i | loss weighted by the shares | 0 0
score_top | \max_i\ell_i | largest loss | 0 0
score_low | \min_i\ell_i | smallest loss | 0 0
odds | e^{1/T} | odds of one unit of loss | 0 0
span | e^{R/T} | odds of the range of the losses | 0 0
fall | e^{d/T} | odds of the extreme loss over the next | 0 0
share_top | \sum_{J}p_i | share of the extreme clients | 0 0
outside | \text{outside} | by how much the model leaves those of the cohort | 0 0
chance_off | \max|\alpha_i-\alpha_i'| | largest difference of two ways to choose | 0 0
k | t-t_0 | gradients of a sum | 0 0
B | B | 1 + 3ρ̄/8 | 0 0
share_sum | \sum\alpha | sum of weights | 0 0
alpha | \alpha_t^i | a weight | 0 0
factor | c | a constant | 0 0
steps | \sum\eta_t | sum of the step sizes of a run | -1 2
steps2 | \sum\eta_t^2 | sum of their squares | -2 4
bias_fresh | |\mathbb E g_i-\nabla F_i| | bias of batches drawn afresh | 1 -1
bias_epoch | |\mathbb E g_i-\nabla F_i| | bias of the second batch of an epoch | 1 -1
bias_sum | |\mathbb E bg_i-\nabla F_i| | bias without the factor 1/b | 1 -1
Gamma | \Gamma | F* less the weighted mean of the clients' least values | 1 0
swapped_bound | (17) | the bound with the weights exchanged | 1 0
other_bound | (17) | the bound with the weights given | 1 0
gap | \mathbb E[F(w_T)]-F^\star | mean excess loss at the end | 1 0
limit_gap | F(w_\infty)-F^\star | excess loss at the limit of fixed weights | 1 0
limit_gap_other | F(w_\infty)-F^\star | gap at the end for other fixed weights | 1 0
end | F(w_T)-\sum p_iF_i^\star | loss at the end, with the weights given | 1 0
end_worse | F(w_T)-\sum p_iF_i^\star | loss at the end of FedWorse | 1 0
end_better | F(w_T)-\sum p_iF_i^\star | loss at the end of FedBetter | 1 0
end_average | F(w_T)-\sum p_iF_i^\star | loss at the end of FedAvg | 1 0
below | F(w)-\sum p_iF_i^\star | denominator of the skew | 1 0
lambda2 | \lambda_2 | 8LΓ/(3μ) | 1 0
excess | f(w)-f(w^\star) | excess loss of a function | 1 0
tangent_gap | f(w)-f(w^\star)-\langle\nabla f(w^\star),w-w^\star\rangle | above the tangent | 1 0
change_part | \frac1{2L}\|\nabla f(w)-\nabla f(w^\star)\|^2 | change of the gradient | 1 0
slope_part | \frac1{2L}\|\nabla f(w)\|^2 | the gradient | 1 0
X | \sum\alpha(F_i(w_t^i)-F_i^\star) | weighted excess at the local models | 1 0
Y | \sum\alpha(F_i(w_t^i)-F_i(w^\star)) | weighted excess over F_i(w*) | 1 0
Delta | \sum\alpha(F_i(w_t)-F_i^\star) | weighted excess at the virtual model | 1 0
moves | \sum\alpha\langle w_t^i-w_t,\nabla F_i(w_t^i)\rangle | drift along the slopes | 1 0
cross | \sum\alpha\langle\nabla F_i(w_t),w_t^i-w_t\rangle | tangents at the virtual model | 1 0
towards | \sum\alpha\langle w_t^i-w^\star,\nabla F_i(w_t^i)\rangle | slopes towards w* | 1 0
at_other | \sum\alpha(F_i(w^\star)-F_i^\star) | weighted excess at w* | 1 0
weighted | \mathbb E[\rho(t,w_t)(F(w_t)-\sum p_iF_i^\star)] | skew times its denominator at w_t | 1 0
weighted_best | \mathbb E[\rho(t,w^\star)\Gamma] | skew at w* times Γ | 1 0
at_p | \mathbb E[F(w_t)]-\sum p_iF_i^\star | loss at w_t above the least values | 1 0
X_at | X | X on the worst path | 1 0
Y_at | Y | Y on the worst path | 1 0
excess_least | \min_i(F_i(w)-F_i^\star) | smallest excess loss | 1 0
Gamma_same | \Gamma | Γ of equal clients | 1 0
Gamma_coins | \Gamma | Γ of clients with four flips of one fair coin | 1 0
excess_printed | \min_i(F_i(w)-F(w_i^\star)) | least excess loss, as printed | 1 0
excess_at_best | \min_i(F_i(w)-F_i(w^\star)) | least excess of a client over F_i(w*) | 1 0
excess_own | \min_i(F_i(w)-F_i(w_i^\star)) | least excess of a client over F_i(w_i*) | 1 0
losses_apart | \max_iF_i-\min_iF_i | range of the losses | 1 0
D_ | D | 2Γ(ρ̃ − ρ̄) | 1 0
D0 | \|w^0-w^\star\|^2 | squared distance to w* at the start | 0 2
D | \mathbb E\|w_t-w^\star\|^2 | mean squared distance to w* at step t | 0 2
after | \mathbb E\|w_{t+1}-w^\star\|^2 | mean squared distance to w* one step later | 0 2
after_worst | \max\|w_{t+1}-w^\star\|^2 | the largest of any path | 0 2
S | \sum\alpha\|w_t^i-w_t\|^2 | drift of the local models | 0 2
S_worst | \max\sum\alpha\|w_t^i-w_t\|^2 | the largest of any path | 0 2
S_more | \mathbb E\max | larger of the drifts about wₜ and about Σαwₜⁱ | 0 2
S_less | \mathbb E\min | smaller of the two | 0 2
pairs_local | \sum\alpha^i\alpha^j\|w_t^j-w_t^i\|^2 | drift in pairs | 0 2
pairs_moved | \sum\alpha^i\alpha^j\|\sum\eta(g_j-g_i)\|^2 | sums of steps in pairs | 0 2
next_more | \mathbb E\max | larger of ‖w_{t+1} − w*‖² and of the step by Σαg | 0 2
next_less | \mathbb E\min | smaller of the two | 0 2
far | \sum\alpha\|w_t^i-w^\star\|^2 | squared distances of the local models to w* | 0 2
far_at | \sum\alpha\|w_t^i-w^\star\|^2 | squared distances to w* on the worst path | 0 2
A1 | A_1 | first term of the expansion | 0 2
A1_at | A_1 | first term of the expansion on the worst path | 0 2
A2 | A_2 | second term of the expansion | 0 2
A2_short | A_2 | second term as its own paragraph prints it | 0 2
pairs | \sum\alpha^i\alpha^j\|\sum\eta(g_j-g_i)\|^2 | sums of steps in pairs | 0 2
spread | \sum\alpha\|\sum\eta(g_i-\bar g)\|^2 | sums of steps about their mean | 0 2
ended | \eta^2\mathbb E\|\sum\alpha(\nabla F_i-g_i)\|^2 | noise of the averaged step | 0 2
summed | \eta^2\mathbb E\sum\alpha\|\nabla F_i-\sum g_i\|^2 | as printed, the inner sum over clients | 0 2
own_noise | \eta^2\mathbb E\sum\alpha\|\nabla F_i-g_i\|^2 | weighted noise of the clients | 0 2
apart_box | (w_{TE}-w_{TE}')^2 | recursion against Algorithm 1 | 0 2
apart_p | \max_t(w_t-\sum p_iw_t^i)^2 | virtual model against the average by p | 0 2
apart_a | \max_t(w_t-\sum\alpha_t^iw_t^i)^2 | distance to the mean by the round's weights | 0 2
between2 | \|v-w\|^2 | squared distance of two points | 0 2
gap2 | \|w-w^\star\|^2 | squared distance to the optimum | 0 2
psi | \psi | the constant of the induction at t | 0 2
psi_first | \psi | ψ at t = 0 | 0 2
psi_second | \frac1{\beta\mu B-1}(\beta^2C+D\beta(t+\gamma)) | its second number | 0 2
G2 | G^2 | largest second moment of a stochastic gradient | 2 -2
sigma2 | \sigma^2 | largest variance of a stochastic gradient | 2 -2
slope_change2 | \|\nabla F(v)-\nabla F(w)\|^2 | squared change of the gradient | 2 -2
variance | \mathbb E\|g_i-\nabla F_i\|^2 | variance of an estimator | 2 -2
second | \mathbb E\|g_i\|^2 | second moment of an estimator | 2 -2
bound2 | \sigma^2 | a bound named first | 2 -2
in_ball | \sigma^2 | the bound of a ball | 2 -2
centred | \sigma^2 | spread without the samples' offsets | 2 -2
room | A^2-\|\nabla F_i\|^2 | by how much A² is larger | 2 -2
slope_squared | \|\nabla f(w)\|^2 | squared gradient of a function | 2 -2
slopes2 | \sum\alpha\|\nabla F_i\|^2 | weighted squared gradients | 2 -2
slope2 | \|\sum\alpha\nabla F_i\|^2 | square of the mean gradient | 2 -2
apart2 | \sum\alpha^i\alpha^j\|g_j-g_i\|^2 | gradients in pairs, over steps | 2 -2
now2 | \sum\alpha\|g_i\|^2 | squared gradients at the last step | 2 -2
mean2 | \sum_t\sum\alpha\|g_i\|^2 | weighted squared gradients over steps | 2 -2
all2 | \sum_t\sum\|g_i\|^2 | squared gradients of all clients over steps | 2 -2
C | C | 32E²G² + 6ρ̄LΓ + σ² | 2 -2
""")

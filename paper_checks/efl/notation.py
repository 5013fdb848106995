"""The letters of EFL: name, LaTeX, meaning, units as degrees in loss and length."""

from __future__ import annotations

from validation.statement.notation import letters

__all__ = ["DRAWN", "NOTATION"]

DRAWN = {"share": "p", "weights": r"p_\tau", "optimum": r"\omega^*", "start": r"\omega_0"}
"""LaTeX of the numbers that worlds draw, by name."""

NOTATION = letters(r"""
Delta | \mathbb E\|\omega_{\tau E}^G-\omega^*\|^2 | mean squared distance to ω* at the end | 0 2
Delta0 | \Delta_0 | squared distance to ω* at the start | 0 2
gamma | \gamma | offset of the step size | 0 0
time | \tau E | steps planned until the end | 0 0
E | E | local steps planned a round | 0 0
mu | \mu | strong convexity of every client | 1 -2
L | L | smoothness of every client | 1 -2
theta | \theta | the bound of A5: p_τᵏ < θpᵏ | 0 0
G2 | G^2 | bound of a stochastic gradient's second moment | 2 -2
noise | \sum_\tau\mathbb E\sum_kp^2s\sigma^2/m_\tau^2 | noise, over the rounds | 2 -2
skew | \sum_\tau\mathbb E\sum_kpsD_k/m_\tau^2 | dissimilarity, over the rounds | 1 0
pull | \sum_\tau\mathbb E\sum_kp^2s/(p^km_\tau^2) | weights, over the rounds | 0 0
J | J | largest constant of an uneven round | 0 2
printed_59 | \sum_\tau[\dots]/m_\tau^2 | the bracket, (59) as printed | 0 0
printed_49 | \sum_\tau[\dots]/m_\tau^2 | the bracket, (49) as printed | 0 0
product_59 | \sum_\tau[\dots]/m_\tau^2 | the bracket, (59) as a product | 0 0
plus_59 | \sum_\tau[\dots]/m_\tau^2 | the bracket, (59) with a positive part | 0 0
plus_49 | \sum_\tau[\dots]/m_\tau^2 | the bracket, (49) with a positive part | 0 0
position | \tau+\gamma/E | (τE + γ)/E | 0 0
now | \tau E+\gamma | place of a round in the schedule | 0 0
H_now | H_\tau | uneven rounds so far | 0 0
J_all | J | constant of an uneven round in the induction | 0 2
r | r_\tau | 1 in an uneven round | 0 0
part | J_\tau/J | share of J that a round takes | 0 0
C | C_\tau | constant of the induction | 0 2
added | C_{\tau+1}-C_\tau | what a round adds to the constant of the induction | 0 2
T | T | rounds of the run | 0 0
tau_0 | \tau_0 | rounds before a client leaves | 0 0
H | H_T | rounds in which E[p s]/pᵏ is not the same for all clients | 0 0
moved | \|\lim_T\omega_{TE}^G-\omega^*\| | how far from ω* the model tends | 0 1
other | \|\omega_a^*-\hat\omega^*\| | from the leaving client's optimum to the others' | 0 1
end | \|\omega_{TE}^G-\omega^*\| | distance to ω* at the end | 0 1
end_later | \|\omega_{TE}^G-\omega^*\| | distance to ω* at the end, the client gone one round later | 0 1
held | \max_{\tau,k}\|\omega_{\tau E}^k-\omega_{\tau E}^G\|_\infty | bases off the server | 0 1
twice | \|\omega^G-\omega^0-\text{work}+\text{residuals}\|_\infty | what counts twice | 0 1
twice_all | \|\omega^G-\omega^0-\text{work}\|_\infty | what counts twice, residuals left out | 0 1
line2 | \|\Delta\omega^G-R^G-\sum_kp^k\Delta\omega^k\|_\infty | second line of (6) | 0 1
line3 | \|\Delta\omega^G-R^G+\sum_kp^k\sum_{j<s}\eta g_j\|_\infty | third line of (6) | 0 1
line3_late | \|\Delta\omega^G-R^G+\sum_kp^k\sum_{j\le s}\eta g_j\|_\infty | as printed | 0 1
eta | \eta_\tau | step size of a round | -1 2 positive
steps | \sum_kp_\tau^ks_\tau^k | steps done in a round, weighted | 0 0
own_steps | s_\tau^k | steps done by one client | 0 0
total | \sum_kp_\tau^k | sum of the coefficients | 0 0
squares | \sum_k(p_\tau^k)^2s_\tau^k/p^k | steps with squared coefficients | 0 0
drift | \sum_kp_\tau^k\|\overline\omega-\omega^k\|^2 | drift of the local models | 0 2
travel | \|\overline\omega_{\tau E+j}-\overline\omega_{\tau E}\|^2 | move of ω̄ | 0 2
local | \sum_kp_\tau^k\|\omega_{\tau E+j}^k-\overline\omega_{\tau E}\|^2 | moves of the clients | 0 2
own | \|\eta_\tau\sum_{i<j}g^k\alpha^k\|^2 | move of one client | 0 2
jensen | \eta_\tau^2\sum_k\frac{(p_\tau^k)^2}{p^k}\|\sum_{i<j}g^k\alpha^k\|^2 | moves | 0 2
sums | j\sum_{i<j}\|g^k\alpha^k\|^2 | squared gradients of one client | 2 -2
before | \|\overline\omega_{\tau E+j}-\omega^*\|^2 | squared distance to ω* before a step | 0 2
after | \|\overline\omega_{\tau E+j+1}-\omega^*\|^2 | squared distance to ω* after a step | 0 2
A1 | A_1 | squared distance to ω* after a step along the full gradients | 0 2
A2 | \mathbb E_\xi[A_2] | mean of the cross term | 0 2
B1 | B_1 | inner product of the split of A₁ | 0 2
taken | \sum_kp_\tau^k\alpha^k | coefficients of those who do the step | 0 0
far | \sum_kp_\tau^k\alpha\|\omega^k-\omega^*\|^2 | squared distances of the local models to ω* | 0 2
apart | \sum_kp_\tau^k\alpha\|\overline\omega-\omega^k\|^2 | squared distances of the local models to ω̄ | 0 2
slopes | \sum_kp_\tau^k\alpha\|\overline g^k\|^2 | squared gradients | 2 -2
steep | \sum_kp_\tau^k\alpha\|\nabla\widetilde F_k(\overline\omega)\|^2 | squared gradients at ω̄ | 2 -2
push2 | \|\sum_kp_\tau^k\alpha\overline g^k\|^2 | square of the summed gradients | 2 -2
push2_jensen | \sum_k\frac{(p_\tau^k)^2}{p^k}\|\alpha\overline g^k\|^2 | bound of the squared sum by Jensen | 2 -2
noise2 | \|\sum_kp_\tau^k\alpha(\overline g^k-g^k)\|^2 | squared noise of a step | 2 -2
above | \sum_kp_\tau^k\alpha(\widetilde F_k(\omega^k)-\widetilde F_k^*) | excess losses | 1 0
over | \sum_kp_\tau^k\alpha(\widetilde F_k(\overline\omega)-\widetilde F_k^*) | excess losses at ω̄ | 1 0
gap | \sum_kp_\tau^k\alpha D_k | excess losses at ω* | 1 0
ahead | \sum_kp_\tau^k\alpha(\widetilde F_k(\overline\omega)-\widetilde F_k(\omega^*)) | losses at ω̄ less those at ω* | 1 0
own_slope | \|\alpha\overline g^k\|^2 | squared gradient of one client | 2 -2
own_far | \alpha\|\omega^k-\omega^*\|^2 | squared distance of one client to ω* | 0 2
own_above | \alpha(\widetilde F_k(\omega^k)-\widetilde F_k^*) | excess loss of one client | 1 0
own_gap | \alpha D_k | excess loss of one client at ω* | 1 0
own_inner | \langle\omega^k-\omega^*,\alpha\overline g^k\rangle | inner product of one client | 1 0
variance | \mathbb E_\xi\|\sum_kp_\tau^k(g_t^k-\overline g_t^k)\|^2 | variance of the sum | 2 -2
each | \sum_k\mathbb E_\xi\|p_\tau^k(g_t^k-\overline g_t^k)\|^2 | variances of the terms of the sum | 2 -2
variances | \sum_k(p_\tau^k)^2\sigma_k^2 | bound of the variances by A3 | 2 -2
covariance | \mathbb E\langle g^1-\overline g^1,g^2-\overline g^2\rangle | covariance of two clients | 2 -2
quartic | \mathbb E\|(g^1-\overline g^1)(g^2-\overline g^2)\|^2 | mean squared product | 4 -4
path2 | \mathbb E_\xi[(\sum_jh_{\tau E+j})^2] | squared length of the path of ω̄ | 2 -2
each2 | \mathbb E_\xi[\sum_jh_{\tau E+j}^2] | squared lengths of the steps of ω̄ | 2 -2
jensen2 | \sum_k\frac{(p_\tau^k)^2}{p^k}\mathbb E_\xi\sum_j\|\alpha g^k\|^2 | bound of the squared lengths by Jensen | 2 -2
linear | \sum_kp_\tau^ks_\tau^k | mean of the steps done, weighted | 0 0
B | \overline B_\tau | error term of a step or a round | 2 -2
H_round | \overline H_\tau | squared path of a round | 2 -2
round_noise | \sum_k(p_\tau^k)^2s_\tau^k\sigma_k^2 | noise of a step or a round | 2 -2
round_skew | \sum_kp_\tau^ks_\tau^kD_k | dissimilarity of a step or a round | 1 0
start | \Delta_{\tau E} | squared distance to ω* at the start of a round | 0 2
last | \Delta_{(\tau+1)E} | squared distance to ω* at the end of a round | 0 2
scaled | (1+\frac14\mu\eta_\tau\Sigma ps)\Delta_{(\tau+1)E} | squared distance to ω* at the end of a round, scaled | 0 2
summed | \sum_{j=1}^E\Delta_{\tau E+j} | squared distances to ω*, summed over the round | 0 2
kept | \sum_j(1-\frac12\mu\eta_\tau\Sigma p\alpha)\Delta_{\tau E+j} | squared distances to ω*, contracted and summed | 0 2
weighted | \sum_j\Sigma p\alpha\Delta_{\tau E+j} | squared distances to ω*, weighted with the activity | 0 2
pulled | \Sigma ps\overline H_\tau | squared path times the steps | 2 -2
gain_first | \Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E})) | gap | 1 0
gain_moved | \Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E+j})) | gap | 1 0
picked | \Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E+j})) | at any j | 1 0
argmin | \Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega)) | at the argmin | 1 0
best | \Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega)) | at the best j | 1 0
free | \Sigma ps\widetilde F_k(\omega^*)-\min\Sigma ps\widetilde F_k | over all models | 1 0
x_now | \frac14\mu\eta_\tau\Sigma ps | contraction of a round | 0 0
distance | \|\overline\omega_{\tau E+j}-\omega^*\| | distance to ω* at step j | 0 1
end2 | \Delta_{(\tau+1)E} | squared distance to ω* at the end of the round | 0 2
path | \sum_{i=j}^{E-1}\eta_\tau h_{\tau E+i} | length of the moves from step j on | 0 1
path_first | (E-j)\eta_\tau h_{\tau E+j} | length of the moves, each as long as the first | 0 1
path_all | \sum_{j=0}^{E-1}\eta_\tau h_{\tau E+j} | length of all moves of the round | 0 1
L_risks | L | largest curvature of the risks alone | 1 -2
bend_most | \max_k\widetilde F_k(v)-\widetilde F_k(w)-\langle\nabla\widetilde F_k(w),v-w\rangle | bend | 1 0
bend_least | \min_k\widetilde F_k(v)-\widetilde F_k(w)-\langle\nabla\widetilde F_k(w),v-w\rangle | bend | 1 0
half2 | \frac12\|v-w\|^2 | half the squared distance of two models | 0 2
variance_most | \max\mathbb E_\xi\|g_t^k-\overline g_t^k\|^2 | largest variance visited | 2 -2
second_most | \max\mathbb E_\xi\|g_t^k\|^2 | largest second moment visited | 2 -2
reach2 | (aD)^2 | largest curvature times the width of start and samples, squared | 2 -2
ratio_most | \max_kp_\tau^k/p^k | largest coefficient over its share | 0 0
work_most | \max\Sigma ps | most steps done in a round, weighted | 0 0
work_mean | \mathbb E\Sigma ps | mean of the steps done in a round, weighted | 0 0
some | \max p_\tau^ks_\tau^k | most work of one client in a round, weighted | 0 0
over_p | \max_k\mathbb E[p_\tau^k]-\theta p^k | a moment above its bound | 0 0
over_ps | \max_k\mathbb E[p_\tau^ks_\tau^k]-\theta p^kE | a moment above its bound | 0 0
over_p2s | \max_k\mathbb E[(p_\tau^k)^2s_\tau^k]-(\theta p^k)^2E | a moment above its bound | 0 0
fourth | \mathbb E[\Sigma p-2+\Sigma ps] | the fourth moment as printed | 0 0
factor | \mathbb E[(\Sigma p-2)_+\Sigma ps] | the fourth moment with a product | 0 0
local_off | \omega_{\tau E+s}^k | gap of the local models between (12) and Algorithm 1 | 0 1
server_off | \omega_{(\tau+1)E}^G | gap of the server's step between (13) and it | 0 1
virtual_off | \|\overline\omega_{\tau E}-\omega_{\tau E}^G\|_\infty | gap of Lemma 1 | 0 1
inside_off | \overline\omega_{\tau E+j} | gap of (14) inside a round | 0 1
left_over | \|R^G+\sum_kp_\tau^kR^k\|_\infty | what the gradients would have to absorb | 0 1
best_model | \omega^* | minimiser of F | 0 1
best_later | \omega^* | minimiser of F at another round's anchors | 0 1
pull_best | \sum_kp^kh_k(\omega^*-m_k)/L | slope of the risks at the minimiser | 0 1
hold_best | \lambda\sum_iI_i(\omega^*-a_i)/L | slope of the elastic term at the minimiser | 0 1
gradient_off | \nabla\widetilde F_k | error of the gradient from the two sums
curvature_off | \nabla^2\widetilde F_k | error of the curvature, relative | 0 0
D_least | \min_kD_k | least heterogeneity | 1 0
D_most | \max_kD_k | largest heterogeneity | 1 0
D_apart | \max_k|D_k-D_k'| | difference to the heterogeneity of the risks | 1 0
D_wrong | \min_kD_k | least heterogeneity with the risk's minimum | 1 0
end_mean | \mathbb E\omega_{\tau E+s}^k | mean model after s steps | 0 1
end_flow | \omega_{\tau E+s}^k | model after s steps of full gradients | 0 1
lost | \|\sum ST(\Delta\omega)+R-\sum(\omega_s-\omega)\|_\infty | what is lost | 0 1
off_ternary | \max_i\min\{|ST_i|,||ST_i|-\mu|\} | off the three values | 0 1
n_kept | \|ST(T)\|_0 | nonzero entries sent | 0 0
k_kept | k | entries to keep | 0 0
mu_sent | \mu | size of what is sent | 0 1
mean_kept | \frac1{|mask|}\sum_i|T_i^{mask}| | mean size of what is kept | 0 1
sent_off | \|ST(T)-T\|_\infty | largest error of an entry | 0 1
error2 | \|T-ST(T)\|^2 | squared error | 0 2
norm2 | \|T\|^2 | squared length | 0 2
top2 | \frac1k(\sum_{i\le k}|T|_{(i)})^2 | what the k largest take off it | 0 2
residual | \|R\|/\max\|x\| | residual over the largest update | 0 0
residual_cap | \rho/(1-\rho) | bound of the residual over the largest update | 0 0
entries | n | entries of an update | 0 0
kinds | [s=0]+[0<s<E]+[s=E] | kinds that apply | 0 0
bias | \max_{k,l}(\mathbb E[p^ks^k]/p^k-\mathbb E[p^ls^l]/p^l)/E | 0 when r = 0 | 0 0
pull_mean | \mathbb E\Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega)) | gap | 1 0
pull_most | \max\Sigma ps(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega)) | gap | 1 0
move_scaled | c(\omega_s-\omega_0) | move with c times the coefficient | 0 1
move_fast | \omega_s-\omega_0 | move with c times the step | 0 1
update | \mathbb E\sum_kp_\tau^k\sum_j\eta g^k | mean update at ω* | 0 1
growth | \max_\tau\eta_{\tau+1}/\eta_\tau | growth of the learning rate | 0 0
over_cap | \max_\tau\eta_\tau/\min\{\frac1{2(1+\theta)L},\frac4{\mu E\theta}\} | over caps | 0 0
more | T-\tau | rounds to come | 0 0
part_J | J_\tau/J | share of J that a round takes | 0 0
last_now | TE+\gamma | place of the last round in the schedule | 0 0
loss_all | \Sigma p^kF_k | excess loss of all, client a gone | 1 0
loss_all_kept | \Sigma p^kF_k | excess loss of all, client a kept | 1 0
loss_rest | \sum_{k\ne a}p^kF_k | excess loss of the others, client a gone | 1 0
loss_rest_kept | \sum_{k\ne a}p^kF_k | excess loss of the others, client a kept | 1 0
kappa | L/\mu | condition number | 0 0
sigma2 | \sigma^2 | variance of a gradient | 2 -2
skew_mean | D | mean dissimilarity | 1 0
leaves_big | (10)\mu^2/(8L) | bound (10), many samples | 1 0
leaves_small | (10)\mu^2/(8L) | bound (10), fewer | 1 0
leaves_near | (10)\mu^2/(8L) | bound (10), more IID | 1 0
arrives_big | (11)\mu^2/(8L) | bound (11), many samples | 1 0
arrives_small | (11)\mu^2/(8L) | bound (11), fewer | 1 0
arrives_near | (11)\mu^2/(8L) | bound (11), more IID | 1 0
fixed_big | (n_a/(n+n_a))^2\hat D_a | many samples, D̂_a held | 1 0
fixed_small | (n_a/(n+n_a))^2\hat D_a | fewer samples, D̂_a held | 1 0
restarted | \mathbb E\|\omega-\hat\omega^*\|^2 | after 20 rounds, restarted | 0 2
going_on | \mathbb E\|\omega-\hat\omega^*\|^2 | after 20 rounds, not restarted | 0 2
n | n | samples before the shift, of client a and the others | 0 0
n_a | n_a | samples of client a | 0 0
slope | \|\nabla F(\hat\omega^*)\|^2 | of all, at the others' optimum | 2 -2
slope_own | \|\nabla F(\omega^*)\|^2 | of the others, at their optimum | 2 -2
slope_a | \|\nabla F_a\|^2 | of client a, at the others' optimum | 2 -2
D_without | \hat D_a | gap of client a at the others' optimum | 1 0
D_with | \hat D_a | gap of client a at the optimum of all | 1 0
G | G | bound of a stochastic gradient
over_scaffold | R | EFL's rounds of Table 1 over SCAFFOLD's
over_mime | R | EFL's rounds of Table 1 over MIME's
slow2 | \|\omega_T-\omega^*\|^2 | end of the run that is said to be slower | 0 2
fast2 | \|\omega_T-\omega^*\|^2 | end of the run that it is compared with | 0 2
fall | \max_r\|\nabla f_0(w_{r-1})-g\|-\|\nabla f_0(w_r)-g\| | fall of what is stale | 1 -1
off_path | \max_r\|\nabla f_0(w_r)-g\|-L\cdot\text{path} | over L times the path | 1 -1
off_step | \max_r\|\nabla f_0(w_r)-g\|-L\cdot\text{step} | over L times the last step | 1 -1
shift2 | \|\omega^*-\hat\omega^*\|^2 | squared shift of the optimum | 0 2
""")

"""Letters of statements of the literature: of the catalogue of runs, of values, weights and vectors, and of methods."""

from __future__ import annotations

from validation.statement.notation import Notation, letters
from validation.world.federated import RUNS

__all__ = ["METHODS", "NOTATION", "OWN"]

OWN = letters(r"""
f | f | outliers | 0 0 positive
med_off2 | (\mathrm{med}-\bar x)^2 | squared error of the median | 0 2
trim_off2 | (\mathrm{trim}-\bar x)^2 | squared error of the trimmed mean | 0 2
mean_off2 | (\mathrm{mean}-\bar x)^2 | squared error of the plain mean of all values | 0 2
twice_med | |2\,\mathrm{med}-l-h| | twice the distance of the median from the middle of the honest range | 0 1
twice_mean | |2\,\mathrm{mean}-l-h| | twice the distance of the plain mean from that middle | 0 1
honest_range | h-l | range of the honest values | 0 1
V | V | variance of the honest values, or of all, about their mean | 0 2
far2 | (\bar z-\bar x)^2 | squared distance of the outliers' mean from the honest one | 0 2
krum_off2 | \|\mathrm{krum}-\bar x\|^2 | squared error of the update that Krum selects | 0 2
alpha | \alpha | weight of the outliers | 0 0 nonnegative
x | x | value of a client | 0 1
y | y | value of another client | 0 1
z | z | value of an outlier | 0 1
w | w | value of the model, or of an aggregate | 0 1
r | r | largest distance of an honest value from the truth | 0 1 positive
tau | \tau | clipping norm | 0 1 positive
x_norm | \|x\| | norm of an update | 0 1 nonnegative
y_norm | \|y\| | norm of another update | 0 1 nonnegative
tv | \tfrac12\sum_i|a_i-p_i| | total variation of the weights | 0 0
moved | |\sum_i(a_i-p_i)F_i| | change of the mean loss | 1 0
moved2 | (\sum_i(a_i-p_i)F_i)^2 | its square | 2 0
spread | \mathrm{Var}_pF | variance of the losses under the shares | 2 0
spread_a | \mathrm{Var}_aF | variance of the losses under the weights | 2 0
span | \max F-\min F | range of the losses | 1 0
W1 | W_1 | Wasserstein distance of the losses under both weights | 1 0
top_off2 | (\max F-\sum_ip_iF_i)^2 | squared distance of the largest loss from the mean one | 2 0
p_top | p_k | share of the client of the largest loss | 0 0
a2 | \sum_ia_i^2 | sum of the squared weights | 0 0
a_top | \max_ia_i | largest weight | 0 0
off_equal2 | \sum_i(a_i-\tfrac1N)^2 | squared distance from equal weights | 0 0
tilted | \frac{\sum_ip_iF_i^{q+1}}{\sum_ip_iF_i^q} | loss under weights with the power q of the loss | 1 0
tilted_on | \frac{\sum_ip_iF_i^{q+2}}{\sum_ip_iF_i^{q+1}} | the same with the power q + 1 | 1 0
a_1 | a_1 | weight of the first of two clients | positive
p_1 | p_1 | share of the first client | positive
p_2 | p_2 | share of the second client | positive
g_1 | g_1 | gradient of the first client, one entry | 1 -1
g_2 | g_2 | gradient of the second client | 1 -1
g_3 | g_3 | gradient of the third client | 1 -1
gg | \|g\|^2 | squared gradient of one client | 2 -2 positive
hh | \|h\|^2 | squared gradient of another client | 2 -2 positive
gh | \langle g,h\rangle | inner product of both | 2 -2
D | \|w-w^*\|^2 | squared distance of the model from w* | 0 2 nonnegative
S | \sum_ip_i\|\Delta_i\|^2 | mean squared length of the updates | 0 2 positive
S_bar | \|\bar\Delta\|^2 | squared length of the mean update | 0 2 positive
lean | \langle\bar\Delta,w-w^*\rangle | how far the mean update points to w* | 0 2
step | \eta h | step size times curvature | 0 0 nonnegative
d | d | entries of the vector | 0 0 positive
k | k | entries kept | 0 0 positive
norm2 | \|x\|^2 | squared norm | 0 2
lost2 | \|x-\mathrm{top}_k(x)\|^2 | square of the entries left out | 0 2
random_lost2 | \mathbb E\|x-\mathrm{rand}_k(x)\|^2 | the same for k entries drawn uniformly | 0 2
random_off2 | \mathbb E\|\tfrac dk\mathrm{rand}_k(x)-x\|^2 | variance of those over their chance | 0 2
sign_lost2 | \|x-\tfrac1d\|x\|_1\mathrm{sign}\,x\|^2 | square of what a scaled sign loses | 0 2
ternary_off2 | \mathbb E\|Q(x)-x\|^2 | variance of the ternary quantiser | 0 2
omega | \omega | relative variance of a quantiser | 0 0 nonnegative
omega_2 | \omega_2 | relative variance of a second quantiser | 0 0 nonnegative
second2 | \mathbb E\|Q(x)\|^2 | second moment of the quantised vector | 0 2 nonnegative
delta | \delta | contraction of a compressor | 0 0 positive
e | e | memory of what was left out | 0 1
G | G | largest norm of an update | 0 1 positive
u | u | entry between two levels, in units of their distance | 0 0 nonnegative
missed | \mathbb E(\bar x_S-\bar x)^2 | mean squared error of the mean of those drawn | 0 2
off2 | \mathbb E(\cdot-\sum_ip_ix_i)^2 | mean squared error of the aggregate | 0 2
bernoulli | \sum_ip_i^2(\tfrac1{q_i}-1)x_i^2 | variance of independent presence | 0 2
bernoulli_q | \sum_ip_i^2\tfrac1{q_i}x_i^2 | the same without the −1 | 0 2
weighed2 | (\sum_ip_i|x_i|)^2 | square of the mean size | 0 2
second_q | \sum_ip_i^2x_i^2/q_i | second moment of one client drawn by q | 0 2
second_u | N\sum_ip_i^2x_i^2 | the same drawn uniformly | 0 2
m | m | clients | positive
p | p | chance, or share | 0 0 nonnegative
A_sum | A | sum of the other clients' weighted updates | 0 1
W | W | sum of the other clients' weights | 0 0 nonnegative
W_0 | W_0 | least weight that is divided by | 0 0 positive
cosine | c | cosine between two updates | 0 0
epsilon | \varepsilon | privacy loss | nonnegative
""")

METHODS = letters(r"""
h | h | curvature of a client along an axis | 1 -2
h_1 | h_1 | curvature of the first client | 1 -2 positive
h_2 | h_2 | curvature of the second client | 1 -2 positive
g | g | gradient, one entry | 1 -1
gap2 | \|\nabla F(w)\|^2 | squared gradient at the model | 2 -2 positive
along | \langle\nabla F(w),w-w^*\rangle | how far the gradient points away from w* | 1 0
excess_w | F(w)-F^* | excess loss of the model | 1 0 nonnegative
short | F^*-\ell | what a lower bound ℓ of the least loss misses | 1 0 nonnegative
off | e | distance of the mean model from w*, one entry | 0 1
c_own | c_k | control variate of a client | 1 -1
c_all | c | control variate of the server | 1 -1
rest | \theta | share of the gradient that is left after local work, with its sign | 0 0
inexact | \gamma | inexactness of local work | 0 0 nonnegative
rho_own | \rho | momentum of local steps | 0 0 nonnegative
tau_1 | \tau_1 | local steps of the first client | 0 0 positive
tau_2 | \tau_2 | local steps of the second client | 0 0 positive
v | v | running mean, or sum, of squared gradients | 2 -2 positive
mom | m | running mean of gradients | 1 -1
beta_2 | \beta_2 | weight of the old squares in their running mean | 0 0 positive
adapt | \tau | what is added to the root of v | 1 -1 positive
xi | \xi | size of the noise that turns the sign | 1 -1 positive
V_own | V | variance of a client's own model | 0 2 positive
bias2 | b^2 | squared distance of the global model from the client's optimum | 0 2 positive
mix | \alpha | weight of the client's own model | 0 0 nonnegative
global2 | \|w-w'\|^2 | squared distance of two global models | 0 2 nonnegative
own2 | \|v-v'\|^2 | squared distance of the personal models to them | 0 2 nonnegative
both | \langle w-w',v-v'\rangle | inner product of both differences | 0 2
g_steep | g_1 | gradient before local work, along the axis of the largest curvature | 1 -1
g_flat | g_2 | gradient before local work, along that of the least | 1 -1
left_steep | g_1' | gradient after local work, along the axis of the largest curvature | 1 -1
grown | \tfrac{g^2}v | square of the newest gradient over the sum of those before | nonnegative
n_steps | n | number of steps | positive
left_flat | g_2' | gradient after local work, along that of the least | 1 -1
""")

NOTATION = Notation((*RUNS.quantities, *OWN.quantities, *METHODS.quantities))

"""Letters of the statements on aggregation: some of the literature's own, and those that only these statements have."""

from __future__ import annotations

from paper_checks.literature.notation import NOTATION
from validation.statement.notation import Notation, letters

__all__ = ["LETTERS", "NEW"]

_SHARED = """
N K L a_1 p_1 g_1 g_2 g_3 gg hh gh x y z w e p q m V f u alpha tau delta omega epsilon G cosine step x_norm y_norm
"""
NEW = letters(r"""
gap | t(F_1-F_2) | tilt times the difference of two losses | 0 0
power | q | power of the loss in the weights | 0 0 nonnegative
F_1 | F_1 | loss of the first client | 1 0
F_2 | F_2 | loss of the second client | 1 0
least_1 | F_1^* | least loss of the first client | 1 0
least_2 | F_2^* | least loss of the second client | 1 0
theta | \theta | share that is counted, or that is mixed in | 0 0 positive
radius | c | largest distance from the mean gradient, in units of its length | 0 0 nonnegative
ahead | \xi | how much longer than the mean gradient, along it | 0 0
across | \upsilon | part orthogonal to the mean gradient | 0 0
score_1 | u_1 | score of the first client, that of the third being 0
score_2 | u_2 | score of the second client
other_1 | v_1 | another score of the first client
other_2 | v_2 | another score of the second client
mean2 | \bar x^2 | square of the mean of all clients' values | 0 2 nonnegative
noise_1 | \sigma_1 | deviation of the first client's update | 0 1 positive
noise_2 | \sigma_2 | deviation of the second client's update | 0 1 positive
mixed2 | \frac1{N-f}\sum_i(y_i-\bar x)^2 | mean squared error of the honest values after mixing | 0 2
second | B | second moment of the honest updates about the model | 0 2 positive
sent | o | what outliers send | 0 1
level | \ell | whole levels below an entry | 0 0 nonnegative
rate | \alpha | rate at which a shift follows | 0 0 nonnegative
zcdp | \rho | concentrated privacy loss, of all rounds | 0 0 positive
above | \lambda-1 | order of the divergence above 1 | 0 0 positive
log_delta | \log\tfrac1\delta | logarithm of one over the chance of a failure | 0 0 positive
signal | s | squared ratio of what one client changes to the noise | positive
clip_1 | \tau_1 | clipping norm of the first layer | 0 1 positive
clip_2 | \tau_2 | clipping norm of the second layer | 0 1 positive
r_1 | r_1 | mask of the first and the second client | 0 1
r_2 | r_2 | mask of the first and the third client | 0 1
r_3 | r_3 | mask of the second and the third client | 0 1
c_1 | c_1 | coefficient of a random polynomial | 0 1
c_2 | c_2 | coefficient of its square | 0 1
""")
LETTERS = Notation((*(NOTATION.by_name[name] for name in _SHARED.split()), *NEW.quantities))

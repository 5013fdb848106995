"""Methods on quadratic clients: heterogeneity at w*, where runs settle, server rates, cohorts, extrapolation, momentum.

Source: Koloskova et al. 2020 and Karimireddy et al. 2020 (dissimilarity, SCAFFOLD, cohorts); Li et al. 2020 (Γ, drift,
draws by shares); Li et al. 2020b (FedProx); Wang et al. 2020 (own numbers of steps); Reddi et al. 2021 (server rate and
momentum); Jhunjhunwala, Wang and Joshi 2023 (FedExP); Polyak 1964 (heavy ball).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.heterogeneity import PROXIMAL, QUIET, SHORT
from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import LogScale, Uniform
from validation.world import at, le, mutant
from validation.world.federated import Federated

__all__ = ["CLAIMS"]

mu, L, E, T, K, N, eta, length, prox, server, beta = NOTATION.symbols("mu L E T K N eta length prox server beta")
zeta2, zeta2_max, Gamma_p, sg2, drop = NOTATION.symbols("zeta2 zeta2_max Gamma_p sg2 drop")
first, after, settled, round_before = NOTATION.symbols("first after settled round_before")
drift, G2, noise_p, sigma2 = NOTATION.symbols("drift G2 noise_p sigma2")
D, S, S_bar, lean, step = NOTATION.symbols("D S S_bar lean step")

SMALL = QUIET.but(N=(1, 20), E=(1, 20), d=(1, 4))
AT_ONCE = SMALL.but(E=(1, 1), R=(1, 1), far=1)
GAMMA = stated(
    "LIT-57",
    "Both measures of heterogeneity at w*, from above",
    r"\zeta_*^2\le2L\Gamma",
    "The mean squared gradient of the clients at w* is at most 2L times their mean excess loss there.",
    le(zeta2, 2 * L * Gamma_p),
    AT_ONCE,
    mutant("without the 2", le(zeta2, L * Gamma_p), "clients of one curvature"),
    mutant("μ for L", le(zeta2, 2 * mu * Gamma_p), "clients of unlike curvatures"),
    because="‖∇F_k‖² <= 2L(F_k − F_k*) for every client",
    tight="clients of one curvature",
)
GAMMA_BELOW = stated(
    "LIT-58",
    "Both measures of heterogeneity at w*, from below",
    r"2\mu\Gamma\le\zeta_*^2",
    "The mean squared gradient of the clients at w* is at least 2μ times their mean excess loss there.",
    le(2 * mu * Gamma_p, zeta2),
    AT_ONCE,
    mutant("L for μ", le(2 * L * Gamma_p, zeta2), "clients of unlike curvatures"),
    because="2μ(F_k − F_k*) <= ‖∇F_k‖² for every client",
    tight="clients of one curvature",
)
EVERYWHERE = stated(
    "LIT-59",
    "Dissimilarity away from w*",
    r"\sum_kp_k\|\nabla F_k(w)-\nabla F(w)\|^2\le4L(F(w)-F^*)+2\zeta_*^2",
    "Bounded dissimilarity everywhere follows from ζ at w* alone, with a term of the excess loss.",
    le(sg2, 4 * L * drop + 2 * zeta2),
    AT_ONCE,
    mutant("no excess loss", le(sg2, 2 * zeta2), "clients of one optimum and unlike curvatures"),
    mutant("no ζ", le(sg2, 4 * L * drop), "at w*"),
    because="gradients change by Σp_k‖∇F_k(w) − ∇F_k(w*)‖² <= 2L(F(w) − F*), and (a + b)² <= 2a² + 2b²",
)
ALIKE = SMALL.but(same=("curvature",), R=(1, 10), far=10)
NO_DRIFT = stated(
    "LIT-60",
    "Clients of one curvature do not drift",
    r"\|w_R-w^*\|^2\le\frac{\|w_0-w^*\|^2}{(1+\eta\mu T)^2}",
    "With one curvature, however unlike their optima, E local steps of all clients do what E steps on F do.",
    le(after, first / (1 + eta * mu * T) ** 2),
    ALIKE,
    mutant("unlike curvatures", None, "the run then settles elsewhere", world=ALIKE.but(same=())),
    because="a round maps w − w* to (1 − ηh)^E of it on every axis, and (1 − y)^T(1 + yT) <= 1",
)
CORRECTED = ALIKE.but(control="from the gradients")
CONTROLLED = stated(
    "LIT-61",
    "SCAFFOLD with one curvature may take steps up to 1/L",
    r"\|w_R-w^*\|^2\le\frac{\|w_0-w^*\|^2}{(1+\eta\mu T)^2}",
    "With one curvature and control variates that begin at the gradients, a run is gradient descent on F for any E.",
    le(after, first / (1 + eta * mu * T) ** 2),
    CORRECTED,
    mutant("controls from 0", None, "unlike curvatures, from w*", world=ALIKE.but(same=(), control="from 0")),
    because="a corrected client steps along h(w_i − w*), whichever its optimum, and its control variate keeps to that",
)
OWN = SMALL.but(steps="own", R=(1, 1), far=1, d=(1, 1))
AMONG = stated(
    "LIT-62",
    "A run settles among the clients' optima",
    r"|w_\infty-w^*|^2\le\frac{\max_k|F_k'(w^*)|^2}{\mu^2}",
    "On a line, with any numbers of local steps, FedAvg settles within max ‖∇F_k(w*)‖/μ of w*.",
    le(settled, zeta2_max / mu**2),
    OWN,
    mutant("their mean", le(settled, zeta2 / mu**2), "a client of hardly any share takes nearly all steps"),
    because="it rests at a weighted mean of the optima, and client k's is |F_k'(w*)|/h_k from w*",
)
SAME = PROXIMAL.but(same=("optimum",), N=(1, 20), E=(1, 20), R=(1, 1), d=(1, 4), far=1)
SLOW = stated(
    "LIT-63",
    "A proximal term holds clients back",
    r"\left(\frac\lambda{\lambda+L}\right)^2\|w_0-w^*\|^2\le\|w_1-w^*\|^2",
    "With any number of local steps a round of FedProx goes at most the share L/(λ + L) of the way.",
    le((prox / (prox + L)) ** 2 * first, after),
    SAME,
    mutant("no proximal term", None, "then λ may be as large as one likes", world=SAME.but(prox=None)),
    mutant("half the way", le(first / 4, after), "a small λ"),
    because="client k goes the share h_k/(h_k + λ) of the way to m_k or less",
    tight="steps of length 1/(L + λ), of one client",
)
FORWARD = stated(
    "LIT-64",
    "A round of FedProx contracts as one step does",
    r"\|w_1-w^*\|^2\le(1-\eta\mu)^2\|w_0-w^*\|^2",
    "With a common optimum and steps up to 1/(L + λ) a round of FedProx comes at least as near as one step of length η.",
    le(after, (1 - eta * mu) ** 2 * first),
    SAME,
    mutant(
        "as T steps do", le(after, first / (1 + eta * mu * T) ** 2), "a large λ holds clients at the model sent out"
    ),
    because="the first local step does not feel the proximal term, and later ones lead nearer",
    tight="one local step of clients of one curvature",
)
NOISY = Federated(length / L, draws=SHORT, N=(1, 20), E=(1, 20), R=(1, 3), d=(1, 4), far=3)
DRIFT = stated(
    "LIT-65",
    "Drift of local steps",
    r"\mathbb E\sum_kp_k\|w_k-\bar w\|^2\le\eta^2E^2G^2",
    "Within a round clients are apart by at most the step size times the local steps times their largest gradient.",
    le(drift, eta**2 * E**2 * G2),
    NOISY,
    mutant("E for E²", le(drift, eta**2 * E * G2), "clients of far optima walk in one direction each"),
    because="the variance over clients is at most Σp‖w_k − w‖², and ‖Σ of E gradients‖² <= E²G² in the mean",
)
RATED = NOISY.but(
    server=server, E=(1, 1), R=(1, 1), far=1, draws=(*SHORT, LogScale("server", 1e-2, 1.0, at=(1.0,)))
)  # fmt: skip
RATE = stated(
    "LIT-66",
    "A server rate is a step size",
    r"\mathbb E\|w_1-w^*\|^2\le(1-\eta_g\eta\mu)^2\|w_0-w^*\|^2+\eta_g^2\eta^2\sum_kp_k^2\sigma_k^2",
    "With one local step a server rate up to 1 shortens the step, and the noise with it.",
    le(after, (1 - server * eta * mu) ** 2 * first + server**2 * eta**2 * noise_p),
    RATED,
    mutant(
        "the local contraction", le(after, (1 - eta * mu) ** 2 * first + server**2 * eta**2 * noise_p), "a small rate"
    ),
    mutant(
        "half the noise", le(after, (1 - server * eta * mu) ** 2 * first + server**2 * eta**2 * noise_p / 2), "from w*"
    ),
    because="the model moves by the rate times the mean update",
    tight="one curvature",
)
SPREAD = eta**2 * (2 * L**2 * round_before + 2 * zeta2) / K
BEFORE = (1 - eta * mu) ** 2 * round_before
UNIFORM = NOISY.but(part="uniform updates", equal=True, N=(2, 20), E=(1, 1))
COHORT = stated(
    "LIT-67",
    "One step of a uniform cohort",
    r"\Delta_R\le(1-\eta\mu)^2\Delta_{R-1}+\frac{N-K}{N-1}\frac{\eta^2}K\left(2L^2\Delta_{R-1}+2\zeta_*^2\right)+\frac{\eta^2\sigma^2}K",
    "K of N clients drawn without replacement add (N − K)/(N − 1) of their dissimilarity over K, and noise over K.",
    le(after, BEFORE + (N - K) / (N - 1) * SPREAD + eta**2 * sigma2 / K),
    UNIFORM,
    mutant("no dissimilarity", le(after, BEFORE + eta**2 * sigma2 / K), "from w*, with clients of unlike optima"),
    mutant(
        "noise over N",
        le(after, BEFORE + (N - K) / (N - 1) * SPREAD + eta**2 * sigma2 / N),
        "identical clients from w*",
    ),
    because="the cohort's mean gradient is unbiased, its variance (N − K)/(K(N − 1)) of the clients', of which "
    "Σp‖∇F_k‖² <= 2L²Δ + 2ζ²",
)
DRAWN = NOISY.but(part="by weight", E=(1, 1))
BY_SHARES = stated(
    "LIT-68",
    "One step of clients drawn by their shares",
    r"\Delta_R\le(1-\eta\mu)^2\Delta_{R-1}+\frac{\eta^2}K\left(2L^2\Delta_{R-1}+2\zeta_*^2+\sigma^2\right)+\eta^2\sum_kp_k^2\sigma_k^2",
    "K clients drawn with replacement by their shares add dissimilarity and noise over K to what everybody's step has.",
    le(after, BEFORE + SPREAD + eta**2 * (sigma2 / K + noise_p)),
    DRAWN,
    mutant("noise over K alone", le(after, BEFORE + SPREAD + eta**2 * sigma2 / K), "one client that is drawn twice"),
    mutant(
        "no dissimilarity",
        le(after, BEFORE + eta**2 * (sigma2 / K + noise_p)),
        "from w*, with clients of unlike optima",
    ),
    because="draws are independent and unbiased, and a client drawn c times has weight c/K: Σσ²E(c/K)² <= σ²/K + Σp²σ²",
)
LONG = D - 2 * S / S_bar * lean + S**2 / S_bar
CLOSER = free(
    "updates that point to w*",
    *(
        LogScale("D", 1e-1, 1e5, at=(1.0,)),
        LogScale("S", 1e-2, 1e1, at=(1.0,)),
        LogScale("S_bar", 1e-2, 1e1, at=(1.0,)),
    ),
    LogScale("lean", 1e-2, 1e2, at=(1.0,)),
    where=(le(S_bar, S), le(S, lean), le(lean**2, D * S_bar)),
)
EXTRAPOLATED = stated(
    "LIT-69",
    "FedExP's long step comes nearer",
    r"\left\|w-\frac S{\|\bar\Delta\|^2}\bar\Delta-w^*\right\|^2\le\|w-w^*\|^2-\frac{S^2}{\|\bar\Delta\|^2}",
    "Where updates project onto sets that hold w*, the step S/‖Δ̄‖², which is 1 or more, comes nearer by that much.",
    le(LONG, D - S**2 / S_bar),
    CLOSER,
    mutant(
        "twice as long",
        le(D - 4 * S / S_bar * lean + 4 * S**2 / S_bar, D - S**2 / S_bar),
        "a step of twice the length leads nowhere",
    ),
    because="⟨Δ̄, w − w*⟩ >= S, as for projections, and the square adds S²/‖Δ̄‖² once",
    tight=at(D=1, S=1, S_bar=1, lean=1),
)
WITH_MOMENTUM = (Uniform("beta", 0.0, 1.0, at=(0.5,)), Uniform("step", 0.0, 4.0, at=(1.0, 2.0, 3.0)))
SUM = 1 + beta - step
APART = sp.sqrt(sp.Max(SUM**2 - 4 * beta, 0))
HEAVY = stated(
    "LIT-70",
    "How long steps with server momentum may be",
    r"|s|+\sqrt{\max\{s^2-4\beta,0\}}\le2,\quad s=1+\beta-\eta h",
    "With momentum β and rate 1 no real factor of a round exceeds 1 while ηh <= 2(1 + β); a pair that is not real has √β.",
    le(sp.Abs(SUM), 2 - APART),
    free("momentum and step", *WITH_MOMENTUM, where=(le(step, 2 * (1 + beta)),)),
    mutant(
        "any step up to 4", None, "without momentum a step beyond 2 diverges", world=free("any step", *WITH_MOMENTUM)
    ),
    because="both roots of ρ² − sρ + β are at most 1 in size: it is ηh at 1 and 2(1 + β) − ηh at −1, not negative, and the "
    "product of the roots is β <= 1",
    tight=at(beta="1/2", step=0),
)

CLAIMS = (
    *(GAMMA, GAMMA_BELOW, EVERYWHERE, NO_DRIFT, CONTROLLED, AMONG, SLOW, FORWARD),
    *(DRIFT, RATE, COHORT, BY_SHARES, EXTRAPOLATED, HEAVY),
)

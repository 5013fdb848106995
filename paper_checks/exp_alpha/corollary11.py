"""EA-C1.1, EA-C1.1b: weights that lean away from large excess losses, and whether Ω then falls below Ω_pr."""

from __future__ import annotations

from paper_checks.exp_alpha.corollary11_worlds import RESTING, common_sequence, own_runs
from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim
from validation.statement.says import identity, le
from validation.world.stated import but, stated

__all__ = ["CLAIMS"]

Omega, Omega_A11, Omega_pr, N, size = NOTATION.symbols("Omega Omega_A11 Omega_pr N size")
_BELOW = le(Omega, Omega_pr)
_ANY, _EQUAL = common_sequence(), common_sequence(equal=True)

C11 = stated(
    r"""EA-C1.1 (theorem; Corollary 1.1 (Sec. 3.3), proof A.11): Down-weighting large excess losses lowers Ω
    Print: \rho_i^{t+1}\propto\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}\,\mathcal U\Big(\tfrac{N|\Xi_i|}{
        \sum_j|\Xi_j|}(F_i(\mathbf W_i^*)-F_i(\bar{\mathbf W}^t))\Big)\ \forall t,\quad\mathcal U
        \ge0\text{ non-decreasing}\ \Rightarrow\ \Omega\le\Omega_{pr}
    Plainly: Weights that do not grow with a client's excess loss give an Ω no larger than that of proportional
        weights.
    Assumes: 𝒰 >= 0 non-decreasing, not 0 at every client | clients numbered by decreasing N|Ξᵢ|/Σ|Ξⱼ| · (Fᵢ(W̄ᵗ) −
        Fᵢ*), anew at each t | W̄ᵗ: one sequence for both minima, or each strategy's own, as the reading says
    Open (twice) normalised: Corollary 1.1 prints ρ_i^{t+1} ∝ …, a weight of Sec. 3.1 («ρ_i^{t+1} ≥ 0 and Σρ_i^{t+1}
        = 1»); its proof (A.11) ends with «where ρ_i^{t+1} = (N|Ξ_i|/Σ|Ξ_j|)·ρ̃_i^{t+1}», which sums to 1 only by
        accident
    Open (nowhere) minima: whose W̄^t stands in Ω and in Ω_pr, «the quantity Ω defined by proportional aggregation»:
        A.11 compares both sums at one W̄^t, but W̄^t is the virtual model of Eq. 2, which the weights make
    Reading: one sequence, «∝» normalised | Both minima over the same models W̄ᵗ, one or many; weights sum to 1;
        data sizes are any. | option normalised = to sum 1, Sec. 3.1 | option minima = over one sequence
    Reading: one sequence, weights of A.11 | ρᵢ = N|Ξᵢ|/Σ|Ξⱼ| · ρ̃ᵢ with ρ̃ on the simplex, as the proof writes;
        they need not sum to 1. | option normalised = the weights of A.11 | option minima = over one sequence
    Reading: own runs, 0 <= t < T | Each strategy's minimum over its own run from one start, A.9's steps, no noise;
        weights sum to 1. | option normalised = to sum 1, Sec. 3.1 | option minima = each over its own run, t < T
    Reading: own runs, all t >= 0 | The infimum over an endless run: one that rests against the limit of
        proportional weights. | option normalised = to sum 1, Sec. 3.1 | option minima = each over its own run, all
        t >= 0
    Reading: one sequence, equal sizes | |Ξᵢ| = |Ξⱼ|, as in the experiments. | option normalised = to sum 1, Sec.
        3.1 | option minima = over one sequence | condition: |Ξ_i| = |Ξ_j| | met by: Digits: 892 training samples on
        every client (Table 6)
    Mutant: 𝒰 non-increasing | the weights then favour the largest excess: with all weight on it the left side is
        the largest, not the mean
    Mutant: equal sizes removed from the repaired reading | one client with few samples and a large excess has the
        smaller argument in size, so a step 𝒰 gives it all weight: its excess against a mean that hardly counts it
    Tight: 𝒰 constant, where both sides are equal
    Rests on: EA-D5, EA-ALG2, EA-E25a, EA-E25b, EA-E25c, EA-E25d
    Verdict: The proof is Chebyshev's sum inequality for products N|Ξᵢ|Ωᵢ/Σ|Ξⱼ| at one model. It is right for the
        weights the proof writes, ρᵢ = (N|Ξᵢ|/Σ|Ξⱼ|)ρ̃ᵢ, but these sum to 1 only by accident; once normalised, as a
        weighting has to be, the inequality fails for unequal sizes: a small client with a large excess can have the
        smallest product and win all the weight. With equal sizes the two coincide and it holds, at each model and
        for minima over one sequence. It also says nothing of two different runs: each strategy's minimum over its
        own run can come out the other way, with equal sizes too, even over all t, since a step 𝒰 may rest at a
        point that proportional weights leave for a lower one. Which sequence and which normalisation is meant the
        paper does not say.""",
    says=_BELOW,
    world=_ANY,
    readings={
        "one sequence, weights of A.11": le(Omega_A11, Omega_pr),
        "own runs, 0 <= t < T": own_runs(equal=False),
        "own runs, all t >= 0": RESTING,
        "one sequence, equal sizes": _EQUAL,
    },
    mutants={
        "𝒰 non-increasing": common_sequence(equal=True, falling=True),
        "equal sizes removed from the repaired reading": _BELOW,
    },
)

_FACTOR = N * size / (N * size)

C11B = stated(
    r"""EA-C1.1b (remark; Sec. 3.3, after Corollary 1.1): Equal data sizes
    Print: |\Xi_i|=|\Xi_j|\ \Rightarrow\ \tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}=1
    Plainly: With equal data sizes the size factor is 1.
    Assumes: all clients hold equally many samples | 𝒰 >= 0 non-decreasing, not 0 at every client
    Reading: the factor | N|Ξ|/(N|Ξ|) is 1.
    Reading: Corollary 1.1, one sequence | Both minima over the same models. | ours: Sec. 3.3 prints «|Ξ_i| = |Ξ_j|.
        Therefore N|Ξ_i|/Σ|Ξ_j| = 1» and no more; Corollary 1.1 is judged at EA-C1.1, whose special case this is
    Reading: Corollary 1.1, own runs, 0 <= t < T | Each strategy over its own run from one start. | ours: Sec. 3.3
        prints «|Ξ_i| = |Ξ_j|. Therefore N|Ξ_i|/Σ|Ξ_j| = 1» and no more; whose W̄^t is meant is judged at EA-C1.1
    Reading: Corollary 1.1, own runs, all t >= 0 | A run that rests against the limit of the other. | ours: Sec. 3.3
        prints «|Ξ_i| = |Ξ_j|. Therefore N|Ξ_i|/Σ|Ξ_j| = 1» and no more; whose W̄^t is meant is judged at EA-C1.1
    Mutant: 𝒰 non-increasing | the weights then favour the largest excess: with all weight on it the left side is
        the largest, not the mean
    Mutant: the factor without N | that is a client's share, 1/N, which is 1 for one client only
    Tight: 𝒰 constant
    Rests on: EA-C1.1, EA-P25
    Verdict: With equal sizes the factor N|Ξᵢ|/Σ|Ξⱼ| is 1, which is all that the sentence prints. The corollary then
        holds at every model and for minima over one sequence of models, by Chebyshev's sum inequality. If Ω and
        Ω_pr are taken along each strategy's own run, which is stronger than the sentence, it does not: leaning
        towards clients with little excess can leave the run where the mean excess, and what it weighs, is larger
        than what proportional weights reach (EA-C1.1). That sizes were equal in the experiments is EA-P25.""",
    says=identity(_FACTOR, N / N),
    world=_EQUAL,
    readings={
        "Corollary 1.1, one sequence": _BELOW,
        "Corollary 1.1, own runs, 0 <= t < T": but(_BELOW, world=own_runs(equal=True)),
        "Corollary 1.1, own runs, all t >= 0": but(_BELOW, world=RESTING),
    },
    mutants={
        "𝒰 non-increasing": but(_BELOW, world=common_sequence(equal=True, falling=True)),
        "the factor without N": identity(size / (N * size), N / N, sample=(2, 3)),
    },
)

CLAIMS: tuple[Claim, ...] = (C11, C11B)

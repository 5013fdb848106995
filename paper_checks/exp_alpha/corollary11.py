"""EA-C1.1, EA-C1.1b: weights that lean away from large excess losses, and whether Ω then falls below Ω_pr."""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.corollary11_cases import common_sequence, own_runs, resting_run
from validation import Bound, Canary, Case, Claim, Family, Identity, Inequality, Kind, Reading, symbols

__all__ = ["CLAIMS"]

Omega_pr, N, size = symbols("Omega_pr N size")


def ceiling_again(Omega_pr: Any) -> Any:
    """The right side once more."""
    return Omega_pr + 0


_CEILING = Bound(Omega_pr, again=ceiling_again, degrees={"Omega_pr": (1, 0)})


def _below(*cases: Case | Family) -> Inequality:
    return Inequality(_CEILING, cases, degrees=(1, 0))


_EQUAL = _below(common_sequence("equal"))
_OWN_EQUAL = _below(own_runs(equal=True))
_REST = _below(resting_run())
_STATEMENT = (
    r"\rho_i^{t+1}\propto\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}\,\mathcal U\Big(\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}"
    r"(F_i(\mathbf W_i^*)-F_i(\bar{\mathbf W}^t))\Big)\ \forall t,\quad\mathcal U\ge0\text{ non-decreasing}"
    r"\ \Rightarrow\ \Omega\le\Omega_{pr}"
)
_DECREASING = Canary(
    "𝒰 non-increasing",
    _below(common_sequence("equal", "reversed")),
    "the weights then favour the largest excess: with all weight on it the left side is the largest, not the mean",
)

C11 = Claim(
    id="EA-C1.1",
    kind=Kind.INEQUALITY,
    source="Corollary 1.1 (Sec. 3.3), proof A.11",
    title="Down-weighting large excess losses lowers Ω",
    statement=_STATEMENT,
    says="Weights that do not grow with a client's excess loss give an Ω no larger than that of proportional weights.",
    assumes=(
        "𝒰 >= 0 non-decreasing, not 0 at every client",
        "clients numbered by decreasing N|Ξᵢ|/Σ|Ξⱼ| · (Fᵢ(W̄ᵗ) − Fᵢ*), anew at each t",
        "W̄ᵗ: one sequence for both minima, or each strategy's own, as the reading says",
    ),
    readings=(
        Reading(
            "one sequence, «∝» normalised",
            "Both minima over the same models W̄ᵗ, one or many; weights sum to 1; data sizes are any.",
            _below(common_sequence()),
        ),
        Reading(
            "one sequence, weights of A.11",
            "ρᵢ = N|Ξᵢ|/Σ|Ξⱼ| · ρ̃ᵢ with ρ̃ on the simplex, as the proof writes; they need not sum to 1.",
            _below(common_sequence("summed")),
        ),
        Reading(
            "own runs, 0 <= t < T",
            "Each strategy's minimum over its own run from one start, A.9's steps, no noise; weights sum to 1.",
            _below(own_runs(equal=False)),
        ),
        Reading(
            "own runs, all t >= 0",
            "The infimum over an endless run: one that rests against the limit of proportional weights.",
            _REST,
        ),
        Reading("one sequence, equal sizes", "|Ξᵢ| = |Ξⱼ|, as in the experiments.", _EQUAL, repair="condition"),
    ),
    canaries=(
        _DECREASING,
        Canary(
            "equal sizes removed from the repaired reading",
            _below(common_sequence()),
            "one client with few samples and a large excess has the smaller argument in size, so a step 𝒰 gives it all "
            "weight: its excess against a mean that hardly counts it",
        ),
    ),
    tight="𝒰 constant, where both sides are equal",
    depends_on=("EA-D5", "EA-ALG2", "EA-E25a", "EA-E25b", "EA-E25c", "EA-E25d"),
    verdict_words=(
        "The proof is Chebyshev's sum inequality for products N|Ξᵢ|Ωᵢ/Σ|Ξⱼ| at one model. It is right for the weights "
        "the proof writes, ρᵢ = (N|Ξᵢ|/Σ|Ξⱼ|)ρ̃ᵢ, but these sum to 1 only by accident; once normalised, as a weighting has to be, "
        "the inequality fails for unequal sizes: a small client with a large excess can have the smallest product and win all "
        "the weight. With equal sizes the two coincide and it holds, at each model and for minima over one sequence. It also "
        "says nothing of two different runs: each strategy's minimum over its own run can come out the other way, with equal "
        "sizes too, even over all t, since a step 𝒰 may rest at a point that proportional weights leave for a lower one. Which "
        "sequence and which normalisation is meant the paper does not say."
    ),
)

C11B = Claim(
    id="EA-C1.1b",
    kind=Kind.INEQUALITY,
    source="Sec. 3.3, after Corollary 1.1",
    title="Equal data sizes",
    statement=r"|\Xi_i|=|\Xi_j|\ \Rightarrow\ \tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}=1\quad\text{and then }\Omega\le\Omega_{pr}",
    says="With equal data sizes the size factor is 1, and Corollary 1.1 reads: weights 𝒰(Fᵢ* − Fᵢ(W̄ᵗ)) give Ω <= Ω_pr.",
    assumes=("all clients hold equally many samples", "𝒰 >= 0 non-decreasing, not 0 at every client"),
    readings=(
        Reading("the factor", "N|Ξ|/(N|Ξ|) is 1.", Identity(N * size / (N * size), N / N)),
        Reading("Corollary 1.1, one sequence", "Both minima over the same models.", _EQUAL),
        Reading("Corollary 1.1, own runs, 0 <= t < T", "Each strategy over its own run from one start.", _OWN_EQUAL),
        Reading("Corollary 1.1, own runs, all t >= 0", "A run that rests against the limit of the other.", _REST),
    ),
    canaries=(
        _DECREASING,
        Canary(
            "the factor without N",
            Identity(size / (N * size), N / N),
            "that is a client's share, 1/N, which is 1 for one client only",
        ),
    ),
    tight="𝒰 constant",
    depends_on=("EA-C1.1", "EA-P25"),
    verdict_words=(
        "With equal sizes the factor N|Ξᵢ|/Σ|Ξⱼ| is 1, which is all that the sentence prints. The corollary then "
        "holds at every model and for minima over one sequence of models, by Chebyshev's sum inequality. If Ω and "
        "Ω_pr are taken along each strategy's own run, which is stronger than the sentence, it does not: leaning "
        "towards clients with little excess can leave the run where the mean excess, and what it weighs, is "
        "larger than what proportional weights reach (EA-C1.1). That sizes were equal in the experiments is "
        "EA-P25."
    ),
)

CLAIMS: tuple[Claim, ...] = (C11, C11B)

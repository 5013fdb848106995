"""EA-ALG1 to EA-ALG4: Exp-α's pseudocode against Eq. 3, the weights of Corollary 1.1, FedAvg whole and sampled."""

from __future__ import annotations

from paper_checks.exp_alpha.algorithm_worlds import (
    sampled_round,
    server_round,
    server_step,
    whole_runs,
    written_weights,
)
from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim
from validation.statement.says import le
from validation.world.stated import stated
from validation.world.world import World

__all__ = ["CLAIMS"]

apart2, missed, middle, closed_form, off = NOTATION.symbols("apart2 missed middle closed_form off")
_SAME_STEP, _DEFINED, _SAME_RUN, _UNBIASED = (
    le(apart2, 0),
    le(missed, 0),
    le((middle - closed_form) ** 2, 0),
    le(off, 0),
)

ALG1 = stated(
    r"""EA-ALG1 (definition; Algorithm 1, A.2): Exp-α's pseudocode and Eq. 3
    Print: \nabla F(\mathbf W^T)=\frac1{\sum_j\rho_j^{T+E}}\sum_{i=1}^K\rho_i^{T+E}(\mathbf W^T-\mathbf W_i^{T+E}),
        \quad\rho_i^{T+E}=\exp\Big(\tfrac{F_i(\mathbf W_i^{T+E})-F_i(\mathbf W^T)}\alpha\Big)
    Plainly: A server step of rate 1 with Algorithm 1's pseudo-gradient gives the mean of the local models by Eq.
        3's weights.
    Assumes: ServerUpdate(W, ∇F) = W − ∇F | K selected clients; weights and normaliser run over these | α > 0
    Reading: normaliser over j = 1 … K | As the display stands a second time; compared with the rule of
        `theory.rules`, clients not selected absent. | because: printed so in the display's other occurrences; K
        clients are selected
    Reading: normaliser over j = 1 … T | As the display stands first in the text we have: T is a step, here any from
        1 on. | ours: damage of the text we have: it gives Algorithm 1's one display three times over, once with T
        for K beside a sum over i = 1 … K
    Mutant: last client left out of the normaliser | the weights then sum to more than 1
    Rests on: EA-D7
    Verdict: With the normaliser over the K selected clients the pseudocode is Eq. 3, T + E in place of T, under
        partial participation too, and equals the rule of this package. The first print of the display sums to T,
        which counts steps: at T = 0, the first round, the sum is empty, and for 0 < T < K the weights sum to more
        than 1. It is plainly a slip for K, or damage of the text we have. The weights it calls ρ are unnormalised,
        unlike ρ elsewhere (EA-R7).""",
    says=_SAME_STEP,
    world=server_round(),
    readings={"normaliser over j = 1 … T": server_round(low=2, cut=(1.0, 2.0, 3.0))},
    mutants={
        "last client left out of the normaliser": World(
            NOTATION, (server_step(3, 3), *(server_step(k + 1, k, cut=(float(k - 1),)) for k in (2, 3, 5)))
        )
    },
)

ALG2 = stated(
    r"""EA-ALG2 (definition; Corollary 1.1 (Sec. 3.3)): The weight family of Corollary 1.1
    Print: \rho_i^{t+1}\propto\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}\,\mathcal U\Big(\tfrac{N|\Xi_i|}{
        \sum_j|\Xi_j|}(F_i(\mathbf W_i^*)-F_i(\bar{\mathbf W}^t))\Big),\quad\mathcal U\ge0\text{ non-decreasing}
    Plainly: Every non-negative, non-decreasing 𝒰 gives weights on the simplex.
    Assumes: positive data sizes | step functions stand for all 𝒰: only finitely many arguments occur
    Reading: any 𝒰 >= 0 | The weights exist and sum to 1. | because: «𝒰(*) ≥ 0 is a non-decreasing function» is all
        that is printed; its arguments are never positive, so a step at 0 gives 0/0
    Reading: 𝒰 > 0 | A 𝒰 that is positive everywhere, as exponentials are. | condition: 𝒰 > 0 | met by: the
        exponential functions of Sec. 3.4, Exp-α's (Eq. 3)
    Mutant: 𝒰 > 0 removed | a step at 0: 𝒰 is 0 at every client with W̄ᵗ ≠ Wᵢ*
    Rests on: EA-D5
    Verdict: All arguments Fᵢ* − Fᵢ(W̄ᵗ) are at most 0, so a 𝒰 such as max(x, 0) or a step at 0 is 0 at every client
        and the weights are 0/0, though 𝒰 is admissible as printed. With 𝒰 positive, as the exponentials used later
        are, the weights lie on the simplex. The rule needs Wᵢ* and the model of the last step, so it is an oracle.""",
    says=_DEFINED,
    world=written_weights(positive=False),
    readings={"𝒰 > 0": written_weights(positive=True)},
    mutants={"𝒰 > 0 removed": _DEFINED},
)

ALG3 = stated(
    r"""EA-ALG3 (definition; Theorem 1 (Sec. 3.2); (2), (4)–(6)): FedAvg with time-varying weights
    Print: \mathbf W^{T+E}=\sum_i\rho_i^{T+E}\mathbf W_i^{T+E},\quad\mathbf W_i^{t+1}
        =\mathbf W_i^t-\eta_t\nabla f_i(\mathbf W_i^t;\xi_i^t),\quad\mathbf W_i^T=\mathbf W^T
    Plainly: The algorithm of Theorem 1 is E local steps of every client and one weighted mean, as the simulator
        here runs it.
    Assumes: full participation, A.9's steps, no noise | weights of each synchronisation on the simplex
    Reading: simulator and closed form | Array simulator against the closed form of a round of quadratic clients;
        exactly, step by step. | part: a round is E local steps and one weighted mean
    Reading: E = 1 | Then it is gradient descent on Σρᵢᵗ⁺¹Fᵢ with this step's weights. | part: one local step
    Mutant: E > 1 as descent on the weighted objective | local models of different curvatures drift apart inside a
        round
    Rests on: EA-D3, EA-D4
    Verdict: Pseudocode, equations and the simulator of this package agree on every run tried. For E = 1 the
        algorithm is gradient descent on an objective that changes with the weights; for E > 1 it is not.""",
    says=_SAME_RUN,
    world=whole_runs(),
    readings={"E = 1": whole_runs(as_one=True, most=1)},
    mutants={"E > 1 as descent on the weighted objective": whole_runs(as_one=True)},
)

ALG4 = stated(
    r"""EA-ALG4 (definition; Assumption 5 and (25), A.12): FedAvg with sampled clients
    Print: \tilde{\mathbf W}^{t+1}=\sum_i\rho_i^{t+1}\mathbf W_i^{t+1},\quad\mathbf W_i^{t+1}=\tfrac1K\sum_{i
        =1}^K\mathbf V_i^{t+1}\ \text{ at }t+1\in\mathcal I_E,\ K\text{ clients drawn by }\rho^{t+1}
    Plainly: At a synchronisation every client becomes the plain mean of K draws, which on average is the weighted
        mean.
    Assumes: K draws with replacement, by probabilities ρᵗ⁺¹ that do not see the draw | models on the line
    Reading: i runs over the draws | Mean over the sampling law of `theory.laws` against Σρᵢ Vᵢ; all index tuples in
        exact numbers.
    Reading: i runs over clients 1 … K | (25) as indexed: the sum takes the first K clients, whoever was drawn. |
        ours: nobody would defend it: the sum's i is bound, the sentence before (25) draws K clients «repeatedly for
        K times with replacement», and the proof of Lemma 4 prints E_s[V_i^{t+1}] = Σρ_i^{t+1}V_i^{t+1} (as in
        EA-A5)
    Mutant: Algorithm 1's selection | uniform subsets with weights normalised inside: for K = 1 the mean is the
        plain one, whatever ρ
    Rests on: EA-A5, EA-D3
    Verdict: Read with i over the K draws, as the words of Assumption 5 say, the scheme is well defined and right on
        average. Read as indexed, (25) takes clients 1 to K and the sampling plays no part. Neither is what
        Algorithm 1 does, which selects K clients uniformly and weights them afterwards: its mean is another one, so
        Theorem 2 is not about Exp-α as run.""",
    says=_UNBIASED,
    world=sampled_round("by weight"),
    readings={"i runs over clients 1 … K": sampled_round("the first")},
    mutants={"Algorithm 1's selection": sampled_round("subsets")},
)

CLAIMS: tuple[Claim, ...] = (ALG1, ALG2, ALG3, ALG4)

"""EA-A5: whether the sampling it describes, the formula it prints and Algorithm 1 give the same aggregate on average."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from paper_checks.exp_alpha.draws import on_an_axis
from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, Switch
from validation.statement.says import le
from validation.world.stated import stated

__all__ = ["CLAIMS"]

_UNBIASED = le(NOTATION.symbols("off"), 0)
_EQUAL = Switch(
    "equal weights", "ρᵢ = 1/N", lambda x: {**x, "weights": np.full_like(x["weights"], 1 / x["weights"].shape[1])}
)

A5 = stated(
    r"""EA-A5 (definition; Assumption 5 (A.12), eq. (25); Algorithm 1 (A.2)): Sampling K clients by their weights
    Print: \mathcal S^{t+1}\text{: }K\text{ draws from }\{\rho_i^{t+1}\}\text{ with replacement},
        \quad\mathbf W_i^{t+1}=\frac1K\sum_{i=1}^K\mathbf V_i^{t+1}\ (t+1\in\mathcal I_E),
        \qquad\mathbb E_s[\tilde{\mathbf W}^{t+1}]=\sum_{i=1}^N\rho_i^{t+1}\mathbf V_i^{t+1}
    Plainly: The sampled aggregate is on average the weighted mean of all clients, which is what the assumption is
        for.
    Assumes: probabilities ρᵢᵗ⁺¹ on the simplex | 1 <= K
    Reading: i in (25) a client, from 1 to K | To the letter: V_i is client i's model everywhere else in the paper.
        | ours: nobody would defend it: the sum's i is bound, the sentence before it draws K clients «repeatedly for
        K times with replacement», and the proof of Lemma 4 prints E_s[V_i^{t+1}] = Σρ_i^{t+1}V_i^{t+1}; with the
        first K clients nothing would be drawn
    Reading: i in (25) the number of a draw | As the sentence before it describes.
    Reading: the clients that Algorithm 1 selects | K different clients chosen uniformly, their weights divided by
        their sum. | ours: another scheme: Assumption 5 prints its own sampling, and the paper nowhere says that it
        is Algorithm 1's
    Mutant: 1/K dropped | the sum of K draws has K times the mean of one
    Rests on: EA-D3, EA-ALG1
    Verdict: With i the number of a draw, as the sentence before it says, the aggregate is unbiased, for whatever
        weights; the formula reuses the letter that numbers clients. Another matter is that Algorithm 1, which the
        experiments run, selects K different clients, weighs them by Exp-α and divides by the sum of the chosen
        weights; with uniform selection that is another aggregate on average, unless the weights are equal or K = N.
        So Theorem 2 is about another sampling than the one run. With ρᵢ as probabilities the weights enter once,
        through the draw; drawn clients are then averaged plainly.""",
    says=_UNBIASED,
    world=on_an_axis("by weight"),
    readings={
        "i in (25) a client, from 1 to K": on_an_axis("the first"),
        "the clients that Algorithm 1 selects": replace(on_an_axis("subsets", most=12), switches=(_EQUAL,)),
    },
    mutants={"1/K dropped": on_an_axis("by weight, not divided")},
)

CLAIMS: tuple[Claim, ...] = (A5,)

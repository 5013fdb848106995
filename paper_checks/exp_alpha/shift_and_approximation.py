"""EA-R4, EA-R6: what Ωᵢ and Exp-α's exponents say about a client's shift, on one-dimensional quadratic clients."""

from __future__ import annotations

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.one_round import one_round
from validation import Claim
from validation.statement.says import le
from validation.world.stated import but, stated

__all__ = ["CLAIMS"]

by_shift, by_change, by_late, by_weight = NOTATION.symbols("by_shift by_change by_late by_weight")
left, slowest, Omega_most, now, plain_mean = NOTATION.symbols("left slowest Omega_most now plain_mean")
_ANY, _ALIKE = one_round(), one_round(alike=True)
_SHIFT, _CHANGE, _WEIGHT = le(by_shift, 0), le(by_change, 0), le(by_weight, 0)

R4 = stated(
    r"""EA-R4 (remark; Sec. 3.3, after Corollary 1.1): More shifted clients have larger Ωᵢ and less weight
    Print: \text{more severe shift}\ \Rightarrow\ \Omega_i^t
        =F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*)\text{ larger}\ \Rightarrow\ \rho_i^{t+1}\text{ smaller}
    Plainly: A more severely shifted client has a larger excess loss at the virtual model, and so gets less weight.
    Assumes: shift of a client: the distance of its minimiser from the common one, 0 | quadratic clients on the
        line, equal data sizes
    Open (nowhere) shift: «more severe distribution shift» of a client is not defined: how far its optimum lies, or
        its excess loss Ω_i itself
    Reading: any model, any curvatures | Of two clients the one shifted further has the larger Ωᵢ at W̄ᵗ, wherever
        the run is. | option shift = distance of its optimum
    Reading: any model, one curvature | The same when clients differ in their minimisers only. | option shift =
        distance of its optimum | condition: one curvature
    Reading: larger Ωᵢ at W^{T−E}, smaller weight (3) | Exp-α's exponents in the opposite order of the excess
        losses, any curvatures. | ours: the sentence is about the weights of Corollary 1.1; those of (3) are judged
        at EA-R6
    Reading: larger Ωᵢ, smaller weight of Corollary 1.1 | The shift measured by Ωᵢ itself; equal data sizes, 𝒰(y) =
        α/(α − y). | option shift = Ω_i itself
    Reading: one shifted client, run from the others' minimiser | Equal curvatures, proportional weights, W̄ᵗ on the
        way from the common minimiser to W*. | option shift = distance of its optimum | condition: one shifted
        client | condition: one curvature | condition: a run from the others' minimiser
    Mutant: one shifted client, other curvatures | a flat shifted client loses less at W̄ᵗ than a steep one at
        distance W̄ᵗ from 0
    Mutant: one shifted client, any start | a run that starts at the shifted client's minimiser begins with its
        excess loss 0
    Mutant: weights of Corollary 1.1, unequal sizes | a large client has a large weight at any moderate excess loss
    Tight: two clients, one shifted, at W*: equal excess losses
    Rests on: EA-C1.1, EA-D7
    Verdict: Ωᵢ measures how far the current model is from what the client wants, not how far the client is from the
        others. If one client alone is moved, all curvatures agree, and the run comes from the others' minimiser, it
        does have the largest Ωᵢ throughout. But near its own minimiser, after rounds that favoured it, or with
        several shifted clients, a far client may have the smaller Ωᵢ; and a flat one has a small Ωᵢ at any
        distance. The second half is true by construction for the weights of Corollary 1.1 with equal sizes, if
        «shifted» means a large Ωᵢ. For Exp-α itself it needs equal curvatures: a slowly learning client loses
        little in a round however large its Ωᵢ. How shift is to be measured, and at which model, the paper leaves to
        intuition.""",
    says=_SHIFT,
    world=_ANY,
    readings={
        "any model, one curvature": _ALIKE,
        "larger Ωᵢ at W^{T−E}, smaller weight (3)": _CHANGE,
        "larger Ωᵢ, smaller weight of Corollary 1.1": _WEIGHT,
        "one shifted client, run from the others' minimiser": one_round(alike=True, one_moved=True, met=True),
    },
    mutants={
        "one shifted client, other curvatures": one_round(one_moved=True, met=True),
        "one shifted client, any start": one_round(alike=True, one_moved=True),
        "weights of Corollary 1.1, unequal sizes": but(_WEIGHT, world=one_round(sized=True)),
    },
)

_MEAN, _SHRUNK = le(now, plain_mean), le(left, slowest * Omega_most)
_WEIGHED, _WEIGHED_ALIKE = one_round(exp_weights=True), one_round(exp_weights=True, alike=True)

R6 = stated(
    r"""EA-R6 (remark; Sec. 3.4, (3)): Loss change of a round in place of −Ωᵢ
    Print: F_i(\mathbf W_i^T)-F_i(\bar{\mathbf W}^{T-E})\ \approx\ F_i(\mathbf W_i^*)-F_i(\bar{\mathbf W}^{T-1})
        =-\Omega_i^{T-1}
    Plainly: The loss change of a round can stand for −Ωᵢ: it orders the clients alike and makes Exp-α lower ΣρᵢΩᵢ.
    Assumes: quadratic clients on the line, no noise, equal data sizes | a round of E steps with ηL <= 1
    Open (nowhere) stands_for: «≈» in Sec. 3.4: alike in order, alike in what the weights achieve, or up to what
        many local steps leave
    Reading: same order as −Ωᵢ at W^{T−E} | Of two clients the one with the larger Ωᵢ at the broadcast model has the
        smaller exponent. | option stands_for = same order at W^{T−E}
    Reading: same order as −Ωᵢ at W̄^{T−1}, one curvature | The model that Corollary 1.1 asks for, one step before
        the synchronisation, any weights inside the round. | option stands_for = same order at W̄^{T−1}
    Reading: ΣρᵢΩᵢ at most the mean | Exp-α's weights in place of Corollary 1.1's, at the broadcast model. | option
        stands_for = lowers ΣρᵢΩᵢ as Corollary 1.1 does
    Reading: many local steps | The loss change is −Ωᵢ at the broadcast model up to (1 − ημ)^{2E} of the largest Ωᵢ.
        | option stands_for = up to what many local steps leave
    Reading: same order at W^{T−E}, one curvature | Clients that differ in their minimisers only. | option
        stands_for = same order at W^{T−E} | condition: one curvature
    Reading: ΣρᵢΩᵢ at most the mean, one curvature | Clients that differ in their minimisers only. | option
        stands_for = lowers ΣρᵢΩᵢ as Corollary 1.1 does | condition: one curvature
    Mutant: exponent reversed | weights that grow with Ωᵢ give more than the mean
    Mutant: (1 − ημ)^{4E} | a client of curvature μ keeps exactly (1 − ημ)^{2E} of its excess loss
    Tight: (1 − ημ)^{2E} is attained by a client of curvature μ
    Rests on: EA-C1.1, EA-D7
    Verdict: The loss change of a round is (1 − (1 − ηhᵢ)^{2E})Ωᵢ downwards: it mixes Ωᵢ with how fast the client
        learns. For equal curvatures it orders clients exactly as Ωᵢ at the broadcast model does, and Exp-α then
        gives ΣρᵢΩᵢ no larger than the mean; with many local steps it tends to −Ωᵢ itself. For other curvatures
        neither is so: a flat client with a large Ωᵢ hardly moves and gets the largest weight, so that ΣρᵢΩᵢ can
        exceed the mean. And the order at W̄^{T−1}, which the corollary uses, may differ from that at W^{T−E} even
        for equal curvatures. The paper calls it an approximation and does not say which of this it needs.""",
    says=_CHANGE,
    world=_ANY,
    readings={
        "same order as −Ωᵢ at W̄^{T−1}, one curvature": but(le(by_late, 0), world=_ALIKE),
        "ΣρᵢΩᵢ at most the mean": but(_MEAN, world=_WEIGHED),
        "many local steps": _SHRUNK,
        "same order at W^{T−E}, one curvature": _ALIKE,
        "ΣρᵢΩᵢ at most the mean, one curvature": but(_MEAN, world=_WEIGHED_ALIKE),
    },
    mutants={
        "exponent reversed": but(_MEAN, world=one_round(exp_weights=True, alike=True, reverse=True)),
        "(1 − ημ)^{4E}": le(left, slowest**2 * Omega_most),
    },
)

CLAIMS: tuple[Claim, ...] = (R4, R6)

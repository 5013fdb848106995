"""EA-R4, EA-R6: what Ωᵢ and Exp-α's exponents say about a client's shift, on one-dimensional quadratic clients."""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.missed import never_missed
from paper_checks.exp_alpha.shift_cases import one_round
from validation import Bound, Canary, Claim, Inequality, Kind, Reading, symbols

__all__ = ["CLAIMS"]

Omega, shrink, average = symbols("Omega shrink average")

R4 = Claim(
    id="EA-R4",
    kind=Kind.PROPERTY,
    source="Sec. 3.3, after Corollary 1.1",
    title="More shifted clients have larger Ωᵢ and less weight",
    statement=(
        r"\text{more severe shift}\ \Rightarrow\ \Omega_i^t=F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*)\text{ larger}"
        r"\ \Rightarrow\ \rho_i^{t+1}\text{ smaller}"
    ),
    says="A more severely shifted client has a larger excess loss at the virtual model, and so gets less weight.",
    assumes=(
        "shift of a client: the distance of its minimiser from the common one, 0",
        "quadratic clients on the line, equal data sizes",
    ),
    readings=(
        Reading(
            "any model, any curvatures",
            "Of two clients the one shifted further has the larger Ωᵢ at W̄ᵗ, wherever the run is.",
            never_missed((one_round("shift"),), degrees=(1, 0)),
        ),
        Reading(
            "any model, one curvature",
            "The same when clients differ in their minimisers only.",
            never_missed((one_round("shift", "alike"),), degrees=(1, 0)),
        ),
        Reading(
            "larger Ωᵢ at W^{T−E}, smaller weight (3)",
            "Exp-α's exponents in the opposite order of the excess losses, any curvatures.",
            never_missed((one_round("change"),), degrees=(1, 0)),
        ),
        Reading(
            "larger Ωᵢ, smaller weight of Corollary 1.1",
            "The shift measured by Ωᵢ itself; equal data sizes, 𝒰(y) = α/(α − y).",
            never_missed((one_round("corollary"),), degrees=(1, 0)),
        ),
        Reading(
            "one shifted client, run from the others' minimiser",
            "Equal curvatures, proportional weights, W̄ᵗ on the way from the common minimiser to W*.",
            never_missed((one_round("shift", "alike", "one_moved", "met"),), degrees=(1, 0)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "one shifted client, other curvatures",
            never_missed((one_round("shift", "one_moved", "met"),), degrees=(1, 0)),
            "a flat shifted client loses less at W̄ᵗ than a steep one at distance W̄ᵗ from 0",
        ),
        Canary(
            "one shifted client, any start",
            never_missed((one_round("shift", "alike", "one_moved"),), degrees=(1, 0)),
            "a run that starts at the shifted client's minimiser begins with its excess loss 0",
        ),
        Canary(
            "weights of Corollary 1.1, unequal sizes",
            never_missed((one_round("corollary", "sized"),), degrees=(1, 0)),
            "a large client has a large weight at any moderate excess loss",
        ),
    ),
    tight="two clients, one shifted, at W*: equal excess losses",
    depends_on=("EA-C1.1", "EA-D7"),
    verdict_words=(
        "Ωᵢ measures how far the current model is from what the client wants, not how far the client is from the others. If "
        "one client alone is moved, all curvatures agree, and the run comes from the others' minimiser, it does have the "
        "largest Ωᵢ throughout. But near its own minimiser, after rounds that favoured it, or with several shifted clients, "
        "a far client may have the smaller Ωᵢ; and a flat one has a small Ωᵢ at any distance. The second half is true by "
        "construction for the weights of Corollary 1.1 with equal sizes, if «shifted» means a large Ωᵢ. For Exp-α itself it "
        "needs equal curvatures: a slowly learning client loses little in a round however large its Ωᵢ. How shift is to be "
        "measured, and at which model, the paper leaves to intuition."
    ),
)


def shrunk_again(shrink: Any, Omega: Any) -> Any:
    """The right side once more."""
    return Omega * shrink


def average_again(average: Any) -> Any:
    """The right side once more."""
    return average + 0


_DEGREES = {"shrink": (0, 0), "Omega": (1, 0), "average": (1, 0)}
_SHRUNK = Bound(shrink * Omega, again=shrunk_again, degrees=_DEGREES)
_AVERAGE = Bound(average, again=average_again, degrees=_DEGREES)

R6 = Claim(
    id="EA-R6",
    kind=Kind.PROPERTY,
    source="Sec. 3.4, (3)",
    title="Loss change of a round in place of −Ωᵢ",
    statement=(
        r"F_i(\mathbf W_i^T)-F_i(\bar{\mathbf W}^{T-E})\ \approx\ F_i(\mathbf W_i^*)-F_i(\bar{\mathbf W}^{T-1})"
        r"=-\Omega_i^{T-1}"
    ),
    says="The loss change of a round can stand for −Ωᵢ: it orders the clients alike and makes Exp-α lower ΣρᵢΩᵢ.",
    assumes=("quadratic clients on the line, no noise, equal data sizes", "a round of E steps with ηL <= 1"),
    readings=(
        Reading(
            "same order as −Ωᵢ at W^{T−E}",
            "Of two clients the one with the larger Ωᵢ at the broadcast model has the smaller exponent.",
            never_missed((one_round("change"),), degrees=(1, 0)),
        ),
        Reading(
            "same order as −Ωᵢ at W̄^{T−1}, one curvature",
            "The model that Corollary 1.1 asks for, one step before the synchronisation, any weights inside the round.",
            never_missed((one_round("late", "alike"),), degrees=(1, 0)),
        ),
        Reading(
            "ΣρᵢΩᵢ at most the mean",
            "Exp-α's weights in place of Corollary 1.1's, at the broadcast model.",
            Inequality(_AVERAGE, (one_round("weighed"),), degrees=(1, 0)),
        ),
        Reading(
            "many local steps",
            "The loss change is −Ωᵢ at the broadcast model up to (1 − ημ)^{2E} of the largest Ωᵢ.",
            Inequality(_SHRUNK, (one_round("approximated"),), degrees=(1, 0)),
        ),
        Reading(
            "same order at W^{T−E}, one curvature",
            "Clients that differ in their minimisers only.",
            never_missed((one_round("change", "alike"),), degrees=(1, 0)),
            repair="condition",
        ),
        Reading(
            "ΣρᵢΩᵢ at most the mean, one curvature",
            "Clients that differ in their minimisers only.",
            Inequality(_AVERAGE, (one_round("weighed", "alike"),), degrees=(1, 0)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "exponent reversed",
            Inequality(_AVERAGE, (one_round("weighed", "alike", "reversed"),), degrees=(1, 0)),
            "weights that grow with Ωᵢ give more than the mean",
        ),
        Canary(
            "(1 − ημ)^{4E}",
            Inequality(_SHRUNK, (one_round("approximated", "twice"),), degrees=(1, 0)),
            "a client of curvature μ keeps exactly (1 − ημ)^{2E} of its excess loss",
        ),
    ),
    tight="(1 − ημ)^{2E} is attained by a client of curvature μ",
    depends_on=("EA-C1.1", "EA-D7"),
    verdict_words=(
        "The loss change of a round is (1 − (1 − ηhᵢ)^{2E})Ωᵢ downwards: it mixes Ωᵢ with how fast the client learns. For "
        "equal curvatures it orders clients exactly as Ωᵢ at the broadcast model does, and Exp-α then gives ΣρᵢΩᵢ no larger "
        "than the mean; with many local steps it tends to −Ωᵢ itself. For other curvatures neither is so: a flat client with "
        "a large Ωᵢ hardly moves and gets the largest weight, so that ΣρᵢΩᵢ can exceed the mean. And the order at W̄^{T−1}, "
        "which the corollary uses, may differ from that at W^{T−E} even for equal curvatures. The paper calls it an "
        "approximation and does not say which of this it needs."
    ),
)

CLAIMS: tuple[Claim, ...] = (R4, R6)

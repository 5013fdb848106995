"""EA-R2: whether Exp-α buys speed with error, on convex federations where both can be computed."""

from __future__ import annotations

from sympy import Max

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.tradeoff_runs import federations, outlier
from validation import Claim
from validation.statement.says import le
from validation.world.stated import but, stated

__all__ = ["CLAIMS"]

rounds_ours, rounds_exactly, rounds_theirs = NOTATION.symbols("rounds_ours rounds_exactly rounds_theirs")
end_ours, end_theirs, first_gap = NOTATION.symbols("end_ours end_theirs first_gap")
rounding, rounding_loss = NOTATION.symbols("rounding rounding_loss")
_NO_LATER = le(rounds_ours, rounds_theirs)
# Earlier at a level by a round, and farther in the end: neither is missed.
_BOTH = le(Max(rounds_exactly - rounds_theirs + 1, (end_theirs - end_ours) / first_gap) - rounding, 0)

R2 = stated(
    r"""EA-R2 (remark; Abstract, Sec. 1, 3.2, 3.3 and 5): Exp-α trades error for speed
    Print: \text{under convexity: Exp-}\alpha\text{ converges faster than proportional aggregation, at the cost o
        f a }\text{non-vanishing error}
    Plainly: On convex federations Exp-α reaches a level sooner than proportional weights, and ends farther from the
        optimum.
    Assumes: quadratic clients on the line, equal data sizes, full participation, no noise | constant steps with ηL
        <= 1, as in the paper's runs; α in units of the mean excess loss at the start
    Reading: any federation: no later | Exp-α needs no more rounds to a level of F − F* than proportional weights,
        where these reach it. | part: faster | because: «under convexity assumptions» names no further restriction
    Reading: one optimum for all: no farther | Clients that share their optimum, so that there is no error to pay
        with: after every number of rounds. | part: faster | cut clients = one optimum for all
    Reading: any federation, settled: proportional is nearer | Proportional weights «favour convergence error»: once
        settled they are no farther from F*; several local steps. | part: at the cost of an error
    Reading: an outlier against the majority | Charitable, the picture behind Sec. 3.3: four clients against one far
        on the other side, curvature 1, E = 1, from any start; Exp-α is earlier at a level, and ends farther. |
        part: faster | condition: one outlier against a majority | because: the picture behind Sec. 3.3, from any
        start
    Reading: an outlier against the majority, from between them | Optima 1 (four) and −2 to −3 (one), start −2/5 to
        1/10, steps of 5 to 10% of 1/L, α 1 to 2% of the mean excess loss; level 20 to 30%, 40 rounds. | part:
        faster | condition: one outlier against a majority | condition: a start between their optima | condition:
        short steps and a small α | because: no setting of the paper is convex; Sec. 3.3 names no start
    Mutant: an outlier: nearer in the end | Exp-α all but leaves the outlier out, so it ends near 1, not at W* < 2/5
    Mutant: one optimum for all: no later | with curvatures 1 and 1/10 the flat client's loss falls least, so it
        gets more weight and the run slows down
    Tight: equal clients: both strategies are one
    Rests on: EA-T1, EA-C1.1, EA-R6, EA-D7
    Verdict: As a general statement under convexity this is false both ways, and with one outlier against a majority
        it hangs on the start. From between their optima Exp-α leaves the outlier out: on its way to the majority's
        optimum it passes W*, so it reaches 20 to 30% of the first gap earlier, and it ends farther from F*. From
        the majority's optimum it stays there and never reaches that level, from beyond it the run is later, and
        from the outlier's side it settles at the outlier. When all clients share one optimum, so that nothing is
        paid, Exp-α is on the line never ahead and usually behind: it favours clients whose loss falls least, which
        are those that learn slowly; in the plane it can be ahead, too (`flat_direction`). On 20,000 drawn
        federations each of 2, 5 and 10 clients (`standings`) it was earlier at a tenth of the first gap in 0, 2 and
        4%, later in 41, 61 and 68%. And with constant steps and several local steps proportional weights have an
        error of their own: Exp-α was nearer to F* in the end in 33, 24 and 19%. With the decreasing steps of the
        theorems Exp-α's error fades, since the loss changes of a round do and with them the differences of its
        weights. The bound's two terms do not carry this: they bound, and a smaller bound is no faster run (EA-R1,
        EA-R3).""",
    says=_NO_LATER,
    world=federations(reaching=True),
    readings={
        "one optimum for all: no farther": but(
            le(end_ours - rounding_loss, end_theirs), world=federations(together=True)
        ),
        "any federation, settled: proportional is nearer": but(
            le(end_theirs - rounding_loss, end_ours), world=federations(settled=True)
        ),
        "an outlier against the majority": but(_BOTH, world=outlier()),
        "an outlier against the majority, from between them": but(_BOTH, world=outlier(between=True)),
    },
    mutants={
        "an outlier: nearer in the end": but(
            le(Max(-1, (end_ours - end_theirs) / first_gap) - rounding, 0), world=outlier(between=True)
        ),
        "one optimum for all: no later": federations(reaching=True, together=True),
    },
)

CLAIMS: tuple[Claim, ...] = (R2,)

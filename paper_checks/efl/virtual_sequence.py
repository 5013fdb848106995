"""The indicator form of EFL's rounds (12)-(14) and Lemma 1: does the virtual sequence meet the server's model?"""

from __future__ import annotations

from paper_checks.efl.compressed_rounds import BIAS, INSIDE, LOCAL, SERVER, VIRTUAL, equal
from validation import Canary, Claim, Kind, Reading

__all__ = ["CLAIMS"]

E12 = Claim(
    id="EFL-E12",
    kind=Kind.IDENTITY,
    source="Eq. (12), A.2.1",
    title="Local step with an activity indicator",
    statement=(
        r"\omega_{\tau E+j+1}^k=\omega_{\tau E+j}^k-\eta_\tau g_{\tau E+j}^k\alpha_{\tau E+j}^k,"
        r"\qquad\sum_{j=0}^{E}\alpha_{\tau E+j}^k=s_\tau^k"
    ),
    says="With indicators that sum to s, E indicator steps end where s steps of Algorithm 1 end.",
    assumes=("full gradients of quadratic clients", "any pattern of activity within the round"),
    readings=(
        Reading(
            "sum up to index E, as printed", "α of step (τ+1)E counts towards s of round τ.", equal(LOCAL, late=True)
        ),
        Reading("sum up to index E − 1", "The E variables that the text introduces for the round.", equal(LOCAL)),
    ),
    canaries=(
        Canary(
            "α of the next round's first step counted",
            equal(LOCAL, late=True),
            "a client idle in the round and active in that step has s = 1 and no step done",
        ),
    ),
    depends_on=("EFL-E4",),
    verdict_words=(
        "A misprint of one index: the sum of the indicators runs to E − 1, not to E. The text introduces exactly the "
        "E variables of the steps τE to (τ+1)E − 1, its example Bin(E, p) has E of them, and (15) sums to E − 1. "
        "Index E is the first step of the next round; with it s differs from the number of steps done. With the sum "
        "up to E − 1 the indicator form ends exactly where Algorithm 1 ends, whatever steps of the round are the "
        "active ones."
    ),
)

E13 = Claim(
    id="EFL-E13",
    kind=Kind.IDENTITY,
    source="Eq. (13), A.2.1",
    title="Server step with activity indicators",
    statement=(
        r"\omega_{(\tau+1)E}^{G}=\omega_{\tau E}^{G}+R_{(\tau-1)E}^{G}"
        r"-\sum_{k=1}^{N}p_{\tau}^{k}\sum_{j=0}^{E}\eta_{\tau}g_{\tau E+j}^{k}\alpha_{\tau E+j}^{k}"
    ),
    says="The server's step of Algorithm 1 in terms of the active gradients.",
    assumes=("Algorithm 1 with clients starting at the server's model", "ST keeps the larger of two coordinates"),
    readings=(
        Reading(
            "upper index E, as printed", "With compression and residuals.", equal(SERVER, compressed=True, late=True)
        ),
        Reading("upper index E − 1", "With compression and residuals.", equal(SERVER, compressed=True)),
        Reading(
            "upper index E − 1, clients' updates not compressed",
            "All Rᵏ are 0; the server's updates are compressed, and Rᴳ is not 0.",
            equal(SERVER, compressed=True, uplink=False),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "upper index E without compression",
            equal(SERVER, late=True),
            "the gradient of the next round's first step is taken off as well",
        ),
    ),
    depends_on=("EFL-E6", "EFL-E12", "EFL-E5"),
    verdict_words=(
        "False once the clients' updates are compressed: (13) keeps the server's residual and drops the clients' "
        "residuals ΣpRᵏ. Algorithm 1 sends Δωᵏ with the client's residual of the round before in it, so the two sides "
        "differ from the second round on. The loss comes from the last line of (6) (EFL-E6). The upper index E, "
        "carried over from (12), adds a gradient of the next round; that is a slip, and correcting it to E − 1, as "
        "(15) has it, does not help alone. With E − 1 and clients that send their updates as they are, whatever the "
        "server compresses, (13) is an identity."
    ),
)

E14 = Claim(
    id="EFL-E14",
    kind=Kind.IDENTITY,
    source="Eq. (14), A.2.1",
    title="Virtual sequence, residual absorbed into the gradient",
    statement=(
        r"\overline{\omega}_{\tau E+j+1}=\overline{\omega}_{\tau E+j}"
        r"-\eta_{\tau}\sum_{k=1}^{N}p_{\tau}^{k}g_{\tau E+j}^{k}\alpha_{\tau E+j}^{k}"
    ),
    says=(
        "Inside a round the virtual model moves by the weighted gradients of the active steps, the residual «absorbed "
        "into gradient itself»."
    ),
    assumes=("ω̄₀ = ω₀ᴳ", "E_ξ g = ḡ, used from (31) on"),
    readings=(
        Reading(
            "stochastic gradients of the batches",
            "ω̄ moves by Σp(ωᵏ − ωᴳ) at every step of a round, with compression or without; g is the batch gradient.",
            equal(INSIDE, compressed=True),
        ),
        Reading(
            "residual absorbed, E_ξ g = ḡ kept",
            "The gradients of a round have to make up for the residuals that (6) adds: then their mean, given the past, is off "
            "by exactly those residuals, which would have to be 0.",
            equal(BIAS, compressed=True),
        ),
    ),
    canaries=(
        Canary(
            "residuals of compressed rounds taken to be 0",
            equal(BIAS, compressed=True),
            "ST keeps one coordinate of two, so the other is left in the residual of the first round",
        ),
    ),
    depends_on=("EFL-E12", "EFL-E13", "EFL-E5"),
    verdict_words=(
        "True with the batch gradient g of Sec. 3.1; not with the absorbed one, if E_ξ g = ḡ is to stay: the paper "
        "prints both, and no one g serves (14), Lemma 1 and (31). With g = ∇F̃ₖ(ω, ξ), as in Sec. 3.1, the virtual "
        "model moves inside a round exactly as the weighted local models, with compression or without; but then Lemma "
        "1 fails (EFL-L1). With «the residual R can be absorbed into gradient itself», as the text before (14) says, "
        "Lemma 1 is true, but the gradients of a round are off by the residuals of the round before. Their mean is "
        "then no longer ḡ, which (31) and Lemma 2 need."
    ),
)

L1 = Claim(
    id="EFL-L1",
    kind=Kind.IDENTITY,
    source="Lemma 1 with (15), A.2.1",
    title="The virtual sequence meets the server's model",
    statement=r"\overline\omega_{\tau E}=\omega^G_{\tau E}\quad\text{for any }\tau",
    says="At the end of every round the virtual average equals the server's model.",
    assumes=("(12), (13), (14)", "server and clients as in Algorithm 1, clients starting at the server's model"),
    readings=(
        Reading(
            "with residuals, batch gradients",
            "ωᴳ as Algorithm 1 computes it, with ST and both residuals; ω̄ by (14) with the same batch gradients.",
            equal(VIRTUAL, compressed=True),
        ),
        Reading(
            "residuals absorbed into the gradients",
            "(14) with gradients that are defined to contain the residuals; true by that definition (see EFL-E14 for its price).",
            equal(VIRTUAL, compressed=True, absorbed=True),
        ),
        Reading("no compression", "All residuals are 0.", equal(VIRTUAL), repair="condition"),
    ),
    canaries=(
        Canary(
            "residuals left out although updates are compressed",
            equal(VIRTUAL, compressed=True),
            "the last equality of (15) drops R of (13), which is not 0 after the first round",
        ),
    ),
    depends_on=("EFL-E12", "EFL-E13", "EFL-E14"),
    verdict_words=(
        "With the batch gradients of Sec. 3.1 the lemma is false under compression; with the absorbed gradients of "
        "the text before (14) it is true by their definition: the paper prints both, and no one g serves Lemma 1, "
        "(31) and Lemma 2. With batch gradients the chain (15) drops the residual that (13) carries, and the two "
        "models differ from the second round on. With residuals absorbed the lemma says nothing more than that "
        "definition, and the gradients are no longer unbiased (EFL-E14). Without compression all residuals are 0 and "
        "the lemma is an identity, whatever the activity and the batches."
    ),
)

CLAIMS: tuple[Claim, ...] = (E12, E13, E14, L1)

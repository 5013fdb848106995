"""EFL-ALG1 and E6: Algorithm 1's models and residuals, kept as the print says, and the server's three lines."""

from __future__ import annotations

from paper_checks.efl.notation import NOTATION
from paper_checks.efl.plane_rounds import rounds
from validation import Claim
from validation.statement.says import le
from validation.world.front import claim, mutant, reading

__all__ = ["CLAIMS"]

held, twice, twice_all, line2, line3, line3_late = NOTATION.symbols("held twice twice_all line2 line3 line3_late")
_HELD, _ONCE, _LINE2, _LINE3 = le(held, 0), le(twice, 0), le(line2, 0), le(line3, 0)

_ASSUMES = (
    "quadratic clients in the plane, full gradients, s of E steps done",
    "ST keeps the larger of two coordinates, of equal ones the first; fixed pᵏ as coefficients, 0 for absent clients",
)
_STARTS, _COUNTS = "participants start from the server's model", "each update counts once"
_BOX = {"client": "the box: ST(Δωᴳ)", "absent": "every client hears every round"}
_SEC31 = {**_BOX, "client": "Sec. 3.1: Δωᴳ"}
_NOT_SAID = "the paper does not say how often an update enters the server's model"

ALG1 = claim(
    "EFL-ALG1",
    level="remark",
    at="Algorithm 1; Sec. 3.1",
    title="Models and residuals of Algorithm 1",
    printed=(
        r"\omega_{\tau E}^k=\omega_{(\tau-1)E}^k+ST(\Delta\omega_{(\tau-1)E}^G)\ \text{(box)},\ "
        r"\omega_{\tau E}^k=\omega_{(\tau-1)E}^k+\Delta\omega_{(\tau-1)E}^G\ \text{(3.1)};\quad"
        r"\omega^G_{(\tau+1)E}=\omega^G_{\tau E}+\Delta\omega^G_{\tau E},\ R^G_{\tau E}=\Delta\omega^G_{\tau E}-ST(\Delta\omega^G_{\tau E})"
    ),
    plainly=(
        "«Model weights are aggregated and synchronized when t is a multiple of E»: each participant starts from the "
        "server's model."
    ),
    assumes=_ASSUMES,
    undecided={
        "client": ("twice", "Algorithm 1: ωᵏ + ST(Δωᴳ); Sec. 3.1: ωᵏ + Δωᴳ"),
        "absent": (
            "nowhere",
            "«the server broadcasts … to participants. Each client then updates its local weight»: what a client does that "
            "missed a round is not said",
        ),
    },
    says=_HELD,
    world=rounds(everyone=True),
    readings=(
        reading(
            "the box, all clients take part",
            "Clients add ST(Δωᴳ), the server adds Δωᴳ.",
            part=_STARTS,
            options=_BOX,
        ),
        reading(
            "Sec. 3.1, all clients take part",
            "Clients add Δωᴳ itself, which is not what they are sent.",
            world=rounds(everyone=True, told=False),
            part=_STARTS,
            options=_SEC31,
        ),
        reading(
            "Sec. 3.1, some clients absent",
            "What a client does that missed a round is not said; here it hears nothing, and its next base starts "
            "from its last one.",
            world=rounds(told=False),
            part=_STARTS,
            options={**_SEC31, "absent": "hears nothing, goes on from its last model"},
        ),
        reading(
            "the box, each update counts once",
            "Stronger than the print: server's moves = clients' work − what the residuals hold; the server "
            "averages the ST(Δωᵏ) that it receives.",
            says=_ONCE,
            world=rounds(),
            part=_COUNTS,
            ours=_NOT_SAID,
        ),
        reading(
            "the box, each update counts once, the server averages Δωᵏ",
            "Stronger than the print; as the server's line prints it, and the clients keep Rᵏ all the same.",
            says=_ONCE,
            world=rounds(sends=False),
            part=_COUNTS,
            ours=_NOT_SAID,
        ),
        reading(
            "server adds ST(Δωᴳ), absent clients are sent what they missed",
            "Then all start from the server's model.",
            world=rounds(adds=True, synced=True),
            part=_STARTS,
            edits=("the server adds ST(Δωᴳ)", "absent clients are sent what they missed"),
        ),
        reading(
            "server adds ST(Δωᴳ): each update counts once",
            "With compression both ways, present or absent, synchronised or not.",
            says=_ONCE,
            world=rounds(adds=True),
            part=_COUNTS,
            edits=("the server adds ST(Δωᴳ)",),
        ),
        reading(
            "no compression, all take part",
            "ST is the identity.",
            world=rounds(everyone=True, packs=False),
            part=_STARTS,
            options=_BOX,
            conditions=("ST the identity", "all clients take part"),
        ),
    ),
    mutants=(
        mutant(
            "residuals left out of the ledger",
            le(twice_all, 0),
            "what ST cut off has been computed and not been added",
            world=rounds(adds=True),
        ),
        mutant(
            "absent clients keep a stale model",
            _HELD,
            "a client absent in one round misses that round's move",
            world=rounds(packs=False),
        ),
    ),
    rests_on=("EFL-ALG2", "EFL-E5", "EFL-E6"),
    verdict="""
        Participants start from the server's model if clients add Δωᴳ, as Sec. 3.1 prints, and all take part; if
        they add ST(Δωᴳ), as Algorithm 1 prints, they do not. In the box the server adds Δωᴳ and the clients
        ST(Δωᴳ), so they part in the first round in which ST cuts anything off. In Sec. 3.1 they keep up, but
        ST(Δωᴳ) is what they are sent. What a client does that missed a round is not said; if it is told nothing, it
        starts from an old model. Stronger than the print, but what residuals are for: each update counts once. In
        the box Rᴳ is added again to the next Δωᴳ, so what was cut off enters the server's model twice. If the
        server adds ST(Δωᴳ) and absent clients are sent what they missed, everything fits.""",
)

_PLAIN, _PACKED, _RECEIVED = (
    rounds(told=False, sends=sends, synced=True, packs=packs)
    for packs, sends in ((False, False), (True, False), (True, True))
)
_UP_TO_LAST = ("upper index s − 1 in place of s",)

E6 = claim(
    "EFL-E6",
    level="step",
    at="Eq. (6), Sec. 3.1",
    title="Server aggregation",
    printed=(
        r"\omega_{(\tau+1)E}^G=\omega_{\tau E}^G+\Delta\omega_{\tau E}^G"
        r"=\omega_{\tau E}^G+R_{(\tau-1)E}^G+\sum_kp_\tau^k\Delta\omega_{\tau E}^k"
        r"=\omega_{\tau E}^G+R_{(\tau-1)E}^G-\sum_kp_\tau^k\sum_{j=0}^{s_\tau^k}\eta_\tau g_{\tau E+j}^k"
    ),
    plainly="The server's move, the residual plus the weighted client changes, and the residual minus the weighted gradients agree.",
    assumes=(*_ASSUMES, "clients start from the server's model"),
    undecided={
        "server": (
            "twice",
            "Sec. 3.1 and (6) average Δωᵏ; Algorithm 1 returns ST(Δωᵏ), and the server's line averages what was returned",
        )
    },
    says=_LINE3,
    world=_PLAIN,
    readings=(
        reading(
            "third line, sum to s as printed",
            "Algorithm 1 does the steps j = 0 … s − 1; no compression.",
            says=le(line3_late, 0),
            part="third line",
        ),
        reading(
            "third line, sum to s − 1, with compression",
            "Residuals Rᵏ of the clients are part of Δωᵏ.",
            world=_PACKED,
            part="third line",
            edits=_UP_TO_LAST,
            token=True,
            forced_by="the steps are done for j = 0, …, s − 1 (Sec. 3.1 before (4), Algorithm 1)",
            carries=False,
        ),
        reading(
            "second line, server averages what it receives",
            "ST(Δωᵏ) in place of Δωᵏ, as Algorithm 1 returns it.",
            says=_LINE2,
            world=_RECEIVED,
            part="second line",
            options={"server": "averages ST(Δωᵏ)"},
        ),
        reading(
            "no compression, sum to s − 1",
            "All residuals are 0.",
            part="third line",
            edits=_UP_TO_LAST,
            conditions=("no compression, all residuals 0",),
            because="no setting of the paper runs EFL without compression",
        ),
        reading(
            "second line, server averages Δωᵏ",
            "As printed, with residuals; not what it receives.",
            says=_LINE2,
            world=_PACKED,
            part="second line",
            options={"server": "averages Δωᵏ"},
        ),
    ),
    mutants=(
        mutant(
            "third line with one gradient more, without compression",
            le(line3_late, 0),
            "a client with s = 0 would add a gradient it never took",
        ),
    ),
    rests_on=("EFL-E4", "EFL-E5"),
    verdict="""
        The third line is false when updates are compressed: it leaves out the clients' residuals ΣpRᵏ, which Sec.
        3.1 makes a part of Δωᵏ. The loss remains after the slip of the index beside it is corrected: the sum runs
        to s, which is s + 1 gradients, where (4) has s steps and so s − 1. The second line is the definition of Δωᴳ
        and holds with Δωᵏ as printed; if the server averages ST(Δωᵏ), as Algorithm 1 returns it, that line fails
        too. Without compression and with s − 1 all lines agree. (13) carries both faults on (EFL-E13), and (15)
        drops the residuals (EFL-L1).""",
)

CLAIMS: tuple[Claim, ...] = (ALG1, E6)

"""EFL-ALG1 and E6: Algorithm 1's models and residuals, kept as the print says, and the server's three lines."""

from __future__ import annotations

from paper_checks.efl.plane_rounds import HELD, LEDGER, LINE2, LINE3, rounds
from validation import Canary, Claim, Kind, Property, Reading

__all__ = ["CLAIMS"]

_ASSUMES = (
    "quadratic clients in the plane, full gradients, s of E steps done",
    "ST keeps the larger of two coordinates, of equal ones the first; fixed pᵏ as coefficients, 0 for absent clients",
)

ALG1 = Claim(
    id="EFL-ALG1",
    kind=Kind.PROPERTY,
    source="Algorithm 1; Sec. 3.1",
    title="Models and residuals of Algorithm 1",
    statement=(
        r"\omega_{\tau E}^k=\omega_{(\tau-1)E}^k+ST(\Delta\omega_{(\tau-1)E}^G)\ \text{(box)},\ "
        r"\omega_{\tau E}^k=\omega_{(\tau-1)E}^k+\Delta\omega_{(\tau-1)E}^G\ \text{(3.1)};\quad"
        r"\omega^G_{(\tau+1)E}=\omega^G_{\tau E}+\Delta\omega^G_{\tau E},\ R^G_{\tau E}=\Delta\omega^G_{\tau E}-ST(\Delta\omega^G_{\tau E})"
    ),
    says=(
        "«Model weights are aggregated and synchronized when t is a multiple of E»: each participant starts from the "
        "server's model."
    ),
    assumes=_ASSUMES,
    readings=(
        Reading(
            "the box, all clients take part",
            "Clients add ST(Δωᴳ), the server adds Δωᴳ.",
            rounds(HELD, "everyone"),
        ),
        Reading(
            "Sec. 3.1, all clients take part",
            "Clients add Δωᴳ itself, which is not what they are sent.",
            rounds(HELD, "everyone", told=False),
        ),
        Reading(
            "Sec. 3.1, some clients absent",
            "What a client does that missed a round is not said; here it hears nothing, and its next base starts "
            "from its last one.",
            rounds(HELD, told=False),
        ),
        Reading(
            "the box, each update counts once",
            "Stronger than the print: server's moves = clients' work − what the residuals hold; the server "
            "averages the ST(Δωᵏ) that it receives.",
            rounds(LEDGER),
        ),
        Reading(
            "the box, each update counts once, the server averages Δωᵏ",
            "Stronger than the print; as the server's line prints it, and the clients keep Rᵏ all the same.",
            rounds(LEDGER, sends=False),
        ),
        Reading(
            "server adds ST(Δωᴳ), absent clients are sent what they missed",
            "Then all start from the server's model.",
            rounds(HELD, adds=True, synced=True),
            repair="edit",
        ),
        Reading(
            "server adds ST(Δωᴳ): each update counts once",
            "With compression both ways, present or absent, synchronised or not.",
            rounds(LEDGER, adds=True),
            repair="edit",
        ),
        Reading(
            "no compression, all take part",
            "ST is the identity.",
            rounds(HELD, "everyone", packs=False),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "residuals left out of the ledger",
            rounds(LEDGER, "forget", adds=True),
            "what ST cut off has been computed and not been added",
        ),
        Canary(
            "absent clients keep a stale model",
            rounds(HELD, packs=False),
            "a client absent in one round misses that round's move",
        ),
    ),
    depends_on=("EFL-ALG2", "EFL-E5", "EFL-E6"),
    verdict_words=(
        "Participants start from the server's model if clients add Δωᴳ, as Sec. 3.1 prints, and all take part; if "
        "they add ST(Δωᴳ), as Algorithm 1 prints, they do not. In the box the server adds Δωᴳ and the clients "
        "ST(Δωᴳ), so they part in the first round in which ST cuts anything off. In Sec. 3.1 they keep up, but "
        "ST(Δωᴳ) is what they are sent. What a client does that missed a round is not said; if it is told nothing, it "
        "starts from an old model. Stronger than the print, but what residuals are for: each update counts once. In "
        "the box Rᴳ is added again to the next Δωᴳ, so what was cut off enters the server's model twice. If the "
        "server adds ST(Δωᴳ) and absent clients are sent what they missed, everything fits."
    ),
)


def _line(look: int, *flags: str, packs: bool, sends: bool = False) -> Property:
    return rounds(look, *flags, packs=packs, told=False, sends=sends, synced=True)


E6 = Claim(
    id="EFL-E6",
    kind=Kind.IDENTITY,
    source="Eq. (6), Sec. 3.1",
    title="Server aggregation",
    statement=(
        r"\omega_{(\tau+1)E}^G=\omega_{\tau E}^G+\Delta\omega_{\tau E}^G"
        r"=\omega_{\tau E}^G+R_{(\tau-1)E}^G+\sum_kp_\tau^k\Delta\omega_{\tau E}^k"
        r"=\omega_{\tau E}^G+R_{(\tau-1)E}^G-\sum_kp_\tau^k\sum_{j=0}^{s_\tau^k}\eta_\tau g_{\tau E+j}^k"
    ),
    says="The server's move, the residual plus the weighted client changes, and the residual minus the weighted gradients agree.",
    assumes=(*_ASSUMES, "clients start from the server's model"),
    readings=(
        Reading(
            "third line, sum to s as printed",
            "Algorithm 1 does the steps j = 0 … s − 1; no compression.",
            _line(LINE3, "late", packs=False),
        ),
        Reading(
            "third line, sum to s − 1, with compression",
            "Residuals Rᵏ of the clients are part of Δωᵏ.",
            _line(LINE3, packs=True),
        ),
        Reading(
            "second line, server averages what it receives",
            "ST(Δωᵏ) in place of Δωᵏ, as Algorithm 1 returns it.",
            _line(LINE2, packs=True, sends=True),
        ),
        Reading(
            "no compression, sum to s − 1",
            "All residuals are 0.",
            _line(LINE3, packs=False),
            repair="condition",
        ),
        Reading(
            "second line, server averages Δωᵏ",
            "As printed, with residuals; not what it receives.",
            _line(LINE2, packs=True),
        ),
    ),
    canaries=(
        Canary(
            "third line with one gradient more, without compression",
            _line(LINE3, "late", packs=False),
            "a client with s = 0 would add a gradient it never took",
        ),
    ),
    depends_on=("EFL-E4", "EFL-E5"),
    verdict_words=(
        "The third line is false when updates are compressed: it leaves out the clients' residuals ΣpRᵏ, which Sec. "
        "3.1 makes a part of Δωᵏ. The loss remains after the slip of the index beside it is corrected: the sum runs "
        "to s, which is s + 1 gradients, where (4) has s steps and so s − 1. The second line is the definition of Δωᴳ "
        "and holds with Δωᵏ as printed; if the server averages ST(Δωᵏ), as Algorithm 1 returns it, that line fails "
        "too. Without compression and with s − 1 all lines agree. (13) carries both faults on (EFL-E13), and (15) "
        "drops the residuals (EFL-L1)."
    ),
)


CLAIMS: tuple[Claim, ...] = (ALG1, E6)

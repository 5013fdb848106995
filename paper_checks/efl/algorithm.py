"""EFL-ALG1 and E6: Algorithm 1's models and residuals, kept as the print says, and the server's three lines.

Quadratic clients in the plane, with every choice the print leaves open as an argument. ST keeps the larger of two
coordinates (n = 2, nq <= 1), of equal ones the first: the ties of EFL-ALG2 play no part. `told`: clients add ST(Δωᴳ), as in
the box, else Δωᴳ, as in Sec. 3.1; `adds`: the server adds ST(Δωᴳ), else Δωᴳ; `sends`: it averages ST(Δωᵏ), else Δωᵏ;
`synced`: clients that were absent get what they missed; `packs`: ST, else the identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.notation import NOTATION
from paper_checks.efl.open_points import SERVER
from validation import Case, Claim, Family, Instance, Size, permuted_clients, units
from validation.statement.instances.draw import LogScale, Signed, Simplex, Space, Uniform
from validation.world import World, case, le, mutant, nowhere, reading, remark, step, twice

__all__ = ["CLAIMS"]

held, counted_twice, twice_all, line2, line3, line3_late = NOTATION.symbols(
    "held twice twice_all line2 line3 line3_late"
)


def _ternary(t: Any) -> Any:
    return np.where(np.arange(2) == np.argmax(np.abs(t), axis=-1)[..., None], t, 0.0)


def algorithm(
    x: Instance, *, E: int, everyone: bool, packs: bool, told: bool, adds: bool, sends: bool, synced: bool
) -> Mapping[str, Any]:
    """Largest distances over the rounds: bases off the server's model, what counts twice, lines two and three of (6)."""
    h, m, p = x["curvature"], x["optimum"], x["share"][..., None]
    eta, n_rounds = x["step"][:, None, None], x["present"].shape[1]
    st = _ternary if packs else (lambda t: t)
    server, base = x["start"], np.repeat(x["start"][:, None], h.shape[1], axis=1)
    up, down, work = np.zeros_like(h), np.zeros_like(server), np.zeros_like(server)
    size = np.abs(x["start"]).max(axis=1)
    seen = {name: np.zeros(len(h)) for name in ("held", "line2", "line3", "line3_late")}

    def see(name: str, off: Any) -> None:
        seen[name] = np.maximum(seen[name], np.abs(off).reshape(len(h), -1).max(axis=1))

    for r in range(n_rounds):
        on = (x["present"][:, r] >= 0.5) | everyone
        s = np.where(on, np.minimum(np.floor(x["done"][:, r] * (E + 1) + 1e-9), E), 0.0)
        see("held", np.where(on[..., None], base - server[:, None], 0.0))
        w, paid, late = base, np.zeros_like(h), np.zeros_like(h)
        for j in range(int(s.max()) + 1):
            g = eta * h * (w - m)
            late = late + g * ((j <= s) & on)[..., None]
            w, paid = w - g * (j < s)[..., None], paid + g * (j < s)[..., None]
        change = np.where(on[..., None], up + w - base, 0.0)
        total = down + (p * (st(change) if sends else change)).sum(axis=1)
        see("line2", total - down - (p * change).sum(axis=1))
        see("line3", total - down + (p * paid).sum(axis=1))
        see("line3_late", total - down + (p * late).sum(axis=1))
        work = work + (p * (w - base)).sum(axis=1)
        up, down = np.where(on[..., None], change - st(change), up), total - st(total)
        server = server + (st(total) if adds else total)
        heard = st(total) if told else total
        base = np.where((on | synced)[..., None], base + heard[:, None], base)
        size = size + np.abs(total).max(axis=1) + np.abs(w).max(axis=(1, 2)) + np.abs(change).max(axis=(1, 2))
    twice = server - x["start"] - work
    seen |= {"twice": np.abs(twice + down + (p * up).sum(axis=1)).max(axis=1), "twice_all": np.abs(twice).max(axis=1)}
    return {**seen, "sizes": dict.fromkeys(seen, 10 * size)}


def ternary_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 on two entries, k = 1: the larger one, of equal ones the first."""
    return [t[0], Fraction(0)] if abs(t[0]) >= abs(t[1]) else [Fraction(0), t[1]]


def algorithm_exact(
    x: Mapping[str, Any], *, E: int, everyone: bool, packs: bool, told: bool, adds: bool, sends: bool, synced: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Algorithm 1 in Fractions: bases off the server, what counts twice, lines 2 and 3 of (6), each over all rounds.

    `told`: clients add ST of the server's change; `adds`: so does the server; `sends`: it averages ST of the clients' changes.
    """
    h, m, p, eta, pair, zero = x["curvature"], x["optimum"], x["share"], x["step"], range(2), Fraction(0)
    clients = range(len(h))

    def st(t: list[Any]) -> list[Any]:
        return ternary_exact(t) if packs else list(t)

    server, base = list(x["start"]), [list(x["start"]) for _ in clients]
    up, down, work = [[zero, zero] for _ in clients], [zero, zero], [zero, zero]
    held, line2, line3, line3_late = [zero], [zero], [zero], [zero]
    for present, done in zip(x["present"], x["done"], strict=True):
        total, paid, late, heard, new_up = list(down), [zero, zero], [zero, zero], [zero, zero], []
        for k in clients:
            if present[k] < Fraction(1, 2) and not everyone:
                new_up.append(up[k])
                continue
            held += [abs(base[k][i] - server[i]) for i in pair]
            s, w = min(int(done[k] * (E + 1)), E), list(base[k])
            for j in range(s + 1):
                g = [eta * h[k][i] * (w[i] - m[k][i]) for i in pair]
                late = [late[i] + p[k] * g[i] for i in pair]
                if j < s:
                    paid = [paid[i] + p[k] * g[i] for i in pair]
                    w = [w[i] - g[i] for i in pair]
            change = [up[k][i] + w[i] - base[k][i] for i in pair]
            work = [work[i] + p[k] * (w[i] - base[k][i]) for i in pair]
            got = st(change) if sends else change
            total = [total[i] + p[k] * got[i] for i in pair]
            heard = [heard[i] + p[k] * change[i] for i in pair]
            new_up.append([a - b for a, b in zip(change, st(change), strict=True)])
        line2 += [abs(total[i] - down[i] - heard[i]) for i in pair]
        line3 += [abs(total[i] - down[i] + paid[i]) for i in pair]
        line3_late += [abs(total[i] - down[i] + late[i]) for i in pair]
        packed = st(total)
        up, down = new_up, [a - b for a, b in zip(total, packed, strict=True)]
        server = [server[i] + (packed[i] if adds else total[i]) for i in pair]
        for k in clients:
            if present[k] >= Fraction(1, 2) or everyone or synced:
                base[k] = [base[k][i] + (packed[i] if told else total[i]) for i in pair]
    twice = [server[i] - x["start"][i] - work[i] for i in pair]
    kept = [down[i] + sum(p[k] * up[k][i] for k in clients) for i in pair]
    met = {"shares on the simplex": sum(p) == 1 and min(p) >= 0, "step > 0": eta > 0}
    seen = {"held": max(held), "line2": max(line2), "line3": max(line3), "line3_late": max(line3_late)}
    seen["twice"] = max(abs(a + b) for a, b in zip(twice, kept, strict=True))
    return met, {**seen, "twice_all": max(abs(a) for a in twice)}


def _rounds(
    *,
    everyone: bool = False,
    packs: bool = True,
    told: bool = True,
    adds: bool = False,
    sends: bool = True,
    synced: bool = False,
) -> World:
    """Up to 50 clients, 30 local steps and 8 rounds; `everyone` takes part in each."""
    chosen: dict[str, Any] = {"everyone": everyone, "packs": packs, "told": told, "adds": adds}
    chosen |= {"sends": sends, "synced": synced}
    each = {"curvature": 0, "optimum": 0, "share": 0, "present": 1, "done": 1}
    same = (units({"optimum": (0, 1), "start": (0, 1)}), permuted_clients(each))

    def at(N: float, E: float, T: float) -> Case:
        n, local, n_rounds = int(N), int(E), int(T)
        space = Space(
            (
                LogScale("curvature", 1e-1, 1.0, (n, 2), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n, 2)),
                Signed("start", 1e-1, 1e1, (2,)),
                Simplex("share", n),
                Uniform("present", 0.0, 1.0, (n_rounds, n)),
                Uniform("done", 0.0, 1.0, (n_rounds, n), at=(0.0, 1.0)),
                LogScale("step", 1e-2, 1.0, at=(1.0,)),
            )
        )
        name, cost = f"{n} clients, E = {local}, {n_rounds} rounds", min(4.0, max(1.0, n * local * n_rounds / 40))
        uses = (ternary_exact,)
        return case(name, space, algorithm, algorithm_exact, uses=uses, cost=cost, symmetries=same, E=local, **chosen)

    sizes = (Size("N", 1, 50, 2), Size("E", 1, 30, 2), Size("T", 1, 8, 3))
    return World(NOTATION, (Family("Algorithm 1", sizes, at),))


_ONCE, _LINE2, _LATE = le(counted_twice, 0), le(line2, 0), le(line3_late, 0)

ALG1 = remark(
    "EFL-ALG1",
    "Algorithm 1; Sec. 3.1",
    "Models and residuals of Algorithm 1",
    printed=r"""\omega_{\tau E}^k=\omega_{(\tau-1)E}^k+ST(\Delta\omega_{(\tau-1)E}^G)\ \text{(box)},\ \omega_{\tau E}^k
        =\omega_{(\tau-1)E}^k+\Delta\omega_{(\tau-1)E}^G\ \text{(3.1)};\quad\omega^G_{(\tau+1)E}=\omega^G_{\tau E}+
        \Delta\omega^G_{\tau E},\ R^G_{\tau E}=\Delta\omega^G_{\tau E}-ST(\Delta\omega^G_{\tau E})""",
    plainly="""«Model weights are aggregated and synchronized when t is a multiple of E»: each participant starts from
        the server's model.""",
    assumes=[
        "quadratic clients in the plane, full gradients, s of E steps done",
        """ST keeps the larger of two coordinates, of equal ones the first; fixed pᵏ as coefficients, 0 for absent
            clients""",
    ],
    says=le(held, 0),
    world=_rounds(everyone=True),
    open={
        "client": twice("Algorithm 1: ωᵏ + ST(Δωᴳ); Sec. 3.1: ωᵏ + Δωᴳ"),
        "absent": nowhere("""«the server broadcasts … to participants. Each client then updates its local weight»: what
            a client does that missed a round is not said"""),
    },
    readings=[
        reading(
            "the box, all clients take part",
            "Clients add ST(Δωᴳ), the server adds Δωᴳ.",
            part="participants start from the server's model",
            options={"client": "the box: ST(Δωᴳ)", "absent": "every client hears every round"},
        ),
        reading(
            "Sec. 3.1, all clients take part",
            "Clients add Δωᴳ itself, which is not what they are sent.",
            world=_rounds(everyone=True, told=False),
            part="participants start from the server's model",
            options={"client": "Sec. 3.1: Δωᴳ", "absent": "every client hears every round"},
        ),
        reading(
            "Sec. 3.1, some clients absent",
            """What a client does that missed a round is not said; here it hears nothing, and its next base starts from
                its last one.""",
            world=_rounds(told=False),
            part="participants start from the server's model",
            options={"client": "Sec. 3.1: Δωᴳ", "absent": "hears nothing, goes on from its last model"},
        ),
        reading(
            "the box, each update counts once",
            """Stronger than the print: server's moves = clients' work − what the residuals hold; the server averages
                the ST(Δωᵏ) that it receives.""",
            _ONCE,
            world=_rounds(),
            part="each update counts once",
            ours="the paper does not say how often an update enters the server's model",
        ),
        reading(
            "the box, each update counts once, the server averages Δωᵏ",
            "Stronger than the print; as the server's line prints it, and the clients keep Rᵏ all the same.",
            _ONCE,
            world=_rounds(sends=False),
            part="each update counts once",
            ours="the paper does not say how often an update enters the server's model",
        ),
        reading(
            "server adds ST(Δωᴳ), absent clients are sent what they missed",
            "Then all start from the server's model.",
            world=_rounds(adds=True, synced=True),
            part="participants start from the server's model",
            edits=["the server adds ST(Δωᴳ)", "absent clients are sent what they missed"],
        ),
        reading(
            "server adds ST(Δωᴳ): each update counts once",
            "With compression both ways, present or absent, synchronised or not.",
            _ONCE,
            world=_rounds(adds=True),
            part="each update counts once",
            edits=["the server adds ST(Δωᴳ)"],
        ),
        reading(
            "no compression, all take part",
            "ST is the identity.",
            world=_rounds(everyone=True, packs=False),
            part="participants start from the server's model",
            options={"client": "the box: ST(Δωᴳ)", "absent": "every client hears every round"},
            conditions=["ST the identity", "all clients take part"],
        ),
    ],
    mutants=[
        mutant(
            "residuals left out of the ledger",
            le(twice_all, 0),
            "what ST cut off has been computed and not been added",
            world=_rounds(adds=True),
        ),
        mutant(
            "absent clients keep a stale model",
            None,
            "a client absent in one round misses that round's move",
            world=_rounds(packs=False),
        ),
    ],
    rests_on=["EFL-ALG2", "EFL-E5", "EFL-E6"],
    verdict="""Participants start from the server's model if clients add Δωᴳ, as Sec. 3.1 prints, and all take part; if
        they add ST(Δωᴳ), as Algorithm 1 prints, they do not. In the box the server adds Δωᴳ and the clients ST(Δωᴳ), so
        they part in the first round in which ST cuts anything off. In Sec. 3.1 they keep up, but ST(Δωᴳ) is what they
        are sent. What a client does that missed a round is not said; if it is told nothing, it starts from an old
        model. Stronger than the print, but what residuals are for: each update counts once. In the box Rᴳ is added
        again to the next Δωᴳ, so what was cut off enters the server's model twice. If the server adds ST(Δωᴳ) and
        absent clients are sent what they missed, everything fits.""",
)

_PLAIN, _PACKED, _RECEIVED = (
    _rounds(told=False, sends=sends, synced=True, packs=packs)
    for packs, sends in ((False, False), (True, False), (True, True))
)

E6 = step(
    "EFL-E6",
    "Eq. (6), Sec. 3.1",
    "Server aggregation",
    printed=r"""\omega_{(\tau+1)E}^G=\omega_{\tau E}^G+\Delta\omega_{\tau E}^G=\omega_{\tau E}^G+R_{(\tau-1)E}^G+
        \sum_kp_\tau^k\Delta\omega_{\tau E}^k=\omega_{\tau E}^G+R_{(\tau-1)E}^G-\sum_kp_\tau^k\sum_{j=0}^{s_\tau^k}
        \eta_\tau g_{\tau E+j}^k""",
    plainly="""The server's move, the residual plus the weighted client changes, and the residual minus the weighted
        gradients agree.""",
    assumes=[
        "quadratic clients in the plane, full gradients, s of E steps done",
        """ST keeps the larger of two coordinates, of equal ones the first; fixed pᵏ as coefficients, 0 for absent
            clients""",
        "clients start from the server's model",
    ],
    says=le(line3, 0),
    world=_PLAIN,
    open={"server": SERVER},
    readings=[
        reading(
            "third line, sum to s as printed",
            "Algorithm 1 does the steps j = 0 … s − 1; no compression.",
            _LATE,
            part="third line",
        ),
        reading(
            "third line, sum to s − 1, with compression",
            "Residuals Rᵏ of the clients are part of Δωᵏ.",
            world=_PACKED,
            part="third line",
            edits=["upper index s − 1 in place of s"],
            token=True,
            forced_by="the steps are done for j = 0, …, s − 1 (Sec. 3.1 before (4), Algorithm 1)",
            carries=False,
        ),
        reading(
            "second line, server averages what it receives",
            "ST(Δωᵏ) in place of Δωᵏ, as Algorithm 1 returns it.",
            _LINE2,
            world=_RECEIVED,
            part="second line",
            options={"server": "averages ST(Δωᵏ)"},
        ),
        reading(
            "no compression, sum to s − 1",
            "All residuals are 0.",
            part="third line",
            conditions=["no compression, all residuals 0"],
            edits=["upper index s − 1 in place of s"],
            because="no setting of the paper runs EFL without compression",
        ),
        reading(
            "second line, server averages Δωᵏ",
            "As printed, with residuals; not what it receives.",
            _LINE2,
            world=_PACKED,
            part="second line",
            options={"server": "averages Δωᵏ"},
        ),
    ],
    mutants=[
        mutant(
            "third line with one gradient more, without compression",
            _LATE,
            "a client with s = 0 would add a gradient it never took",
        )
    ],
    rests_on=["EFL-E4", "EFL-E5"],
    verdict="""The third line is false when updates are compressed: it leaves out the clients' residuals ΣpRᵏ, which
        Sec. 3.1 makes a part of Δωᵏ. The loss remains after the slip of the index beside it is corrected: the sum runs
        to s, which is s + 1 gradients, where (4) has s steps and so s − 1. The second line is the definition of Δωᴳ and
        holds with Δωᵏ as printed; if the server averages ST(Δωᵏ), as Algorithm 1 returns it, that line fails too.
        Without compression and with s − 1 all lines agree. (13) carries both faults on (EFL-E13), and (15) drops the
        residuals (EFL-L1).""",
)

CLAIMS: tuple[Claim, ...] = (ALG1, E6)

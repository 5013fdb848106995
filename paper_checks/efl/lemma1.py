"""A.2.1, (12) to (14) and Lemma 1: does the virtual sequence meet the server's model?

Rounds of Algorithm 1, compressed or not, beside the indicator forms: quadratic clients in the plane, any batches, any activity;
the compressor keeps the larger coordinate (n = 2, nq <= 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.notation import NOTATION
from paper_checks.efl.open_points import G
from validation import Case, Claim, Family, Instance, LogScale, Signed, Size, Space, Uniform, permuted_clients, units
from validation.world import World, case, le, lemma, mutant, reading, step

__all__ = ["CLAIMS"]

local_off, server_off, virtual_off, inside_off, left_over = NOTATION.symbols(
    "local_off server_off virtual_off inside_off left_over"
)


def _ternary(t: Any) -> Any:
    """ST of Algorithm 2 on vectors of two entries, one kept; equal entries are both kept."""
    size = np.abs(t)
    kept = np.where(size >= size.max(axis=-1, keepdims=True), size, 0.0)
    return kept.sum(axis=-1, keepdims=True) * np.sign(t) * (kept > 0)


def runs(x: Instance, *, compressed: bool, uplink: bool, absorbed: bool, late: bool) -> Mapping[str, Any]:
    """The largest gap, over a run, of (12), of (13), of Lemma 1 and of (14) inside a round, and what (14) would have to absorb.

    `compressed`: the server's and, with `uplink`, the clients' updates; `late`: α of step (τ+1)E counts; `absorbed`: ω̄ takes
    the residuals.
    """
    h, m, start = x["curvature"], x["optimum"], x["start"]
    eta = x["step"][:, None, None]
    n, n_rounds, steps, n_clients = x["active"].shape
    active = (x["active"] >= 0.5).astype(float)
    up, down = np.zeros((n, n_clients, 2)), np.zeros((n, 2))
    server = virtual = start
    size = np.abs(start).max(axis=1)
    off = {name: np.zeros(n) for name in ("local_off", "server_off", "virtual_off", "inside_off", "left_over")}

    def missed(name: str, gap: Any) -> None:
        off[name] = np.maximum(off[name], np.abs(gap).reshape(n, -1).max(axis=1))

    for r in range(n_rounds):
        p = x["coefficient"][:, r, :, None]
        local = np.repeat(server[:, None], n_clients, axis=1)
        quiet = np.array(local)
        moved, begun = np.zeros((n, 2)), virtual
        for j in range(steps):
            on = active[:, r, j, :, None]
            push = eta * (h * (local - m) + x["noise"][:, r, j]) * on
            if j == steps - 1:  # the index E of (12) and (13), the first step of the next round
                moved = moved + (p * push).sum(axis=1) if late else moved
                break
            local, moved = local - push, moved + (p * push).sum(axis=1)
            quiet = quiet - eta * h * (quiet - m) * on
            virtual = virtual - (p * push).sum(axis=1)
            missed("inside_off", (virtual - begun) - (p * (local - server[:, None])).sum(axis=1))
            size = np.maximum(size, np.abs(local).max(axis=(1, 2)) + np.abs(virtual).max(axis=1))
        done = active[:, r, : None if late else -1].sum(axis=1)
        ends = m + (1 - eta * h) ** done[..., None] * (server[:, None] - m)
        carried, sent = (p * up).sum(axis=1), up + local - server[:, None]
        change = down + (p * sent).sum(axis=1)
        missed("local_off", ends - quiet)
        missed("server_off", change - (down - moved))
        missed("left_over", down + carried)
        virtual = virtual + (down + carried) if absorbed else virtual
        server = server + change
        missed("virtual_off", server - virtual)
        if compressed:
            up, down = (sent - _ternary(sent) if uplink else up), change - _ternary(change)
        reach = np.abs(server).max(axis=1) + np.abs(sent).max(axis=(1, 2)) + np.abs(ends).max(axis=(1, 2))
        size = np.maximum(size, reach)
    return {**off, "sizes": dict.fromkeys(off, 10 * size)}


def ternary_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 on two entries, k = 1: the mean magnitude of what is kept, with its signs."""
    largest = max(abs(v) for v in t)
    kept = [abs(v) if abs(v) >= largest else Fraction(0) for v in t]
    return [sum(kept) * ((v > 0) - (v < 0)) if keep else Fraction(0) for v, keep in zip(t, kept, strict=True)]


def runs_exact(
    x: Mapping[str, Any], *, compressed: bool, uplink: bool, absorbed: bool, late: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Rounds of Algorithm 1 with full downlink, the indicator forms (12)-(14), and by how much they differ.

    Not `uplink`: the clients' updates are sent as they are, so R^k = 0, and only the server's are compressed.
    """
    h, m, eta, pair = x["curvature"], x["optimum"], x["step"], range(2)
    clients, n_local, zero = range(len(h)), len(x["active"][0]) - 1, Fraction(0)
    up, down = [[zero, zero] for _ in clients], [zero, zero]
    server, virtual = list(x["start"]), list(x["start"])
    off = dict.fromkeys(("local_off", "server_off", "virtual_off", "inside_off", "left_over"), zero)
    for active, noise, p in zip(x["active"], x["noise"], x["coefficient"], strict=True):
        local, quiet = [list(server) for _ in clients], [list(server) for _ in clients]
        moved, begun = [zero, zero], list(virtual)
        for j in range(n_local + 1):
            for k in clients:
                if active[j][k] < Fraction(1, 2):
                    continue
                push = [eta * (h[k][i] * (local[k][i] - m[k][i]) + noise[j][k][i]) for i in pair]
                if j == n_local:
                    moved = [moved[i] + (p[k] * push[i] if late else 0) for i in pair]
                    continue
                local[k] = [local[k][i] - push[i] for i in pair]
                quiet[k] = [quiet[k][i] - eta * h[k][i] * (quiet[k][i] - m[k][i]) for i in pair]
                moved = [moved[i] + p[k] * push[i] for i in pair]
                virtual = [virtual[i] - p[k] * push[i] for i in pair]
            for i in pair:
                apart = virtual[i] - begun[i] - sum(p[k] * (local[k][i] - server[i]) for k in clients)
                off["inside_off"] = max(off["inside_off"], abs(apart))
        sent = [[up[k][i] + local[k][i] - server[i] for i in pair] for k in clients]
        change = [down[i] + sum(p[k] * sent[k][i] for k in clients) for i in pair]
        left = [down[i] + sum(p[k] * up[k][i] for k in clients) for i in pair]
        for k in clients:
            done = sum(row[k] >= Fraction(1, 2) for row in (active if late else active[:n_local]))
            for i in pair:
                end = m[k][i] + (1 - eta * h[k][i]) ** done * (server[i] - m[k][i])
                off["local_off"] = max(off["local_off"], abs(end - quiet[k][i]))
        off["server_off"] = max([off["server_off"]] + [abs(change[i] - down[i] + moved[i]) for i in pair])
        off["left_over"] = max([off["left_over"]] + [abs(v) for v in left])
        virtual = [virtual[i] + (left[i] if absorbed else 0) for i in pair]
        server = [server[i] + change[i] for i in pair]
        off["virtual_off"] = max([off["virtual_off"]] + [abs(server[i] - virtual[i]) for i in pair])
        if compressed:
            if uplink:
                up = [[a - b for a, b in zip(s, ternary_exact(s), strict=True)] for s in sent]
            down = [a - b for a, b in zip(change, ternary_exact(change), strict=True)]
    met = {"step size positive": eta > 0, "no coefficient negative": min(map(min, x["coefficient"])) >= 0}
    return met, off


def _runs(*, compressed: bool = False, uplink: bool = True, absorbed: bool = False, late: bool = False) -> World:
    def at(N: float, E: float, T: float) -> Case:
        n, n_local, n_rounds = int(N), int(E), int(T)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1.0, (n, 2), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n, 2)),
                Signed("start", 1e-1, 1e1, (2,)),
                LogScale("coefficient", 1e-2, 1.0, (n_rounds, n), at=(1.0,)),
                Uniform("active", 0.0, 1.0, (n_rounds, n_local + 1, n)),
                Signed("noise", 1e-2, 1e1, (n_rounds, n_local + 1, n, 2)),
                LogScale("step", 1e-2, 1.0, at=(1.0,)),
            )
        )
        every = {"curvature": 0, "optimum": 0, "coefficient": 1, "active": 2, "noise": 2}
        same = (units(dict.fromkeys(("optimum", "start", "noise"), (0, 1))), permuted_clients(every))
        name = f"{n} clients, E = {n_local}, {n_rounds} rounds" + (", compressed" if compressed else "")
        cost, uses = max(1.0, n * n_local * n_rounds / 30), (ternary_exact,)
        how: Any = {"compressed": compressed, "uplink": uplink, "absorbed": absorbed, "late": late}
        return case(name, space, runs, runs_exact, uses=uses, cost=cost, symmetries=same, **how)

    return World(NOTATION, (Family("runs", (Size("N", 1, 100, 2), Size("E", 1, 60, 2), Size("T", 1, 5, 2)), at),))


_PLAIN, _LATE, _PACKED = _runs(), _runs(late=True), _runs(compressed=True)

E12 = step(
    "EFL-E12",
    "Eq. (12), A.2.1",
    "Local step with an activity indicator",
    printed=r"""\omega_{\tau E+j+1}^k=\omega_{\tau E+j}^k-\eta_\tau g_{\tau E+j}^k\alpha_{\tau E+j}^k,
        \qquad\sum_{j=0}^{E}\alpha_{\tau E+j}^k=s_\tau^k""",
    plainly="With indicators that sum to s, E indicator steps end where s steps of Algorithm 1 end.",
    assumes=["full gradients of quadratic clients", "any pattern of activity within the round"],
    says=le(local_off, 0),
    world=_LATE,
    readings=[
        reading("sum up to index E, as printed", "α of step (τ+1)E counts towards s of round τ."),
        reading(
            "sum up to index E − 1",
            "The E variables that the text introduces for the round.",
            world=_PLAIN,
            edits=["upper index E − 1 in place of E"],
            token=True,
            forced_by="""the sentence itself introduces α for the steps τE, …, (τ+1)E − 1 of the round; (15) sums to E −
                1""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "α of the next round's first step counted",
            None,
            "a client idle in the round and active in that step has s = 1 and no step done",
            world=_LATE,
        )
    ],
    rests_on=["EFL-E4"],
    verdict="""A misprint of one index: the sum of the indicators runs to E − 1, not to E. The text introduces exactly
        the E variables of the steps τE to (τ+1)E − 1, its example Bin(E, p) has E of them, and (15) sums to E − 1.
        Index E is the first step of the next round; with it s differs from the number of steps done. With the sum up to
        E − 1 the indicator form ends exactly where Algorithm 1 ends, whatever steps of the round are the active
        ones.""",
)

E13 = step(
    "EFL-E13",
    "Eq. (13), A.2.1",
    "Server step with activity indicators",
    printed=r"""\omega_{(\tau+1)E}^{G}=\omega_{\tau E}^{G}+R_{(\tau-1)E}^{G}-\sum_{k=1}^{N}p_{\tau}^{k}\sum_{j=0}^{E}
        \eta_{\tau}g_{\tau E+j}^{k}\alpha_{\tau E+j}^{k}""",
    plainly="The server's step of Algorithm 1 in terms of the active gradients.",
    assumes=["Algorithm 1 with clients starting at the server's model", "ST keeps the larger of two coordinates"],
    says=le(server_off, 0),
    world=_PACKED,
    readings=[
        reading(
            "upper index E, as printed", "With compression and residuals.", world=_runs(compressed=True, late=True)
        ),
        reading(
            "upper index E − 1",
            "With compression and residuals.",
            edits=["upper index E − 1 in place of E"],
            token=True,
            forced_by="α is introduced for the steps τE, …, (τ+1)E − 1; (15) sums to E − 1",
            carries=False,
            shown=True,
        ),
        reading(
            "upper index E − 1, clients' updates not compressed",
            "All Rᵏ are 0; the server's updates are compressed, and Rᴳ is not 0.",
            world=_runs(compressed=True, uplink=False),
            conditions=["clients send their updates uncompressed, all Rᵏ = 0"],
            edits=["upper index E − 1 in place of E"],
            because="no setting of the paper compresses the server's updates alone",
        ),
    ],
    mutants=[
        mutant(
            "upper index E without compression",
            None,
            "the gradient of the next round's first step is taken off as well",
            world=_LATE,
        )
    ],
    rests_on=["EFL-E6", "EFL-E12", "EFL-E5"],
    repeats="EFL-E6",
    verdict="""False once the clients' updates are compressed: (13) keeps the server's residual and drops the clients'
        residuals ΣpRᵏ. Algorithm 1 sends Δωᵏ with the client's residual of the round before in it, so the two sides
        differ from the second round on. The loss comes from the last line of (6) (EFL-E6). The upper index E, carried
        over from (12), adds a gradient of the next round; that is a slip, and correcting it to E − 1, as (15) has it,
        does not help alone. With E − 1 and clients that send their updates as they are, whatever the server compresses,
        (13) is an identity.""",
)

E14 = step(
    "EFL-E14",
    "Eq. (14), A.2.1",
    "Virtual sequence, residual absorbed into the gradient",
    printed=r"""\overline{\omega}_{\tau E+j+1}=\overline{\omega}_{\tau E+j}-\eta_{\tau}\sum_{k=
        1}^{N}p_{\tau}^{k}g_{\tau E+j}^{k}\alpha_{\tau E+j}^{k}""",
    plainly="""Inside a round the virtual model moves by the weighted gradients of the active steps, the residual
        «absorbed into gradient itself».""",
    assumes=["ω̄₀ = ω₀ᴳ", "E_ξ g = ḡ, used from (31) on"],
    says=le(inside_off, 0),
    world=_PACKED,
    open={"g": G},
    readings=[
        reading(
            "stochastic gradients of the batches",
            "ω̄ moves by Σp(ωᵏ − ωᴳ) at every step of a round, with compression or without; g is the batch gradient.",
            options={"g": "the batch gradient"},
        ),
        reading(
            "residual absorbed, E_ξ g = ḡ kept",
            """The gradients of a round have to make up for the residuals that (6) adds: then their mean, given the
                past, is off by exactly those residuals, which would have to be 0.""",
            le(left_over, 0),
            options={"g": "with the residual absorbed"},
        ),
    ],
    mutants=[
        mutant(
            "residuals of compressed rounds taken to be 0",
            le(left_over, 0),
            "ST keeps one coordinate of two, so the other is left in the residual of the first round",
        )
    ],
    rests_on=["EFL-E12", "EFL-E13", "EFL-E5"],
    verdict="""True with the batch gradient g of Sec. 3.1; not with the absorbed one, if E_ξ g = ḡ is to stay: the paper
        prints both, and no one g serves (14), Lemma 1 and (31). With g = ∇F̃ₖ(ω, ξ), as in Sec. 3.1, the virtual model
        moves inside a round exactly as the weighted local models, with compression or without; but then Lemma 1 fails
        (EFL-L1). With «the residual R can be absorbed into gradient itself», as the text before (14) says, Lemma 1 is
        true, but the gradients of a round are off by the residuals of the round before. Their mean is then no longer ḡ,
        which (31) and Lemma 2 need.""",
)

L1 = lemma(
    "EFL-L1",
    "Lemma 1 with (15), A.2.1",
    "The virtual sequence meets the server's model",
    printed=r"\overline\omega_{\tau E}=\omega^G_{\tau E}\quad\text{for any }\tau",
    plainly="At the end of every round the virtual average equals the server's model.",
    assumes=["(12), (13), (14)", "server and clients as in Algorithm 1, clients starting at the server's model"],
    says=le(virtual_off, 0),
    world=_PACKED,
    open={"g": G},
    readings=[
        reading(
            "with residuals, batch gradients",
            "ωᴳ as Algorithm 1 computes it, with ST and both residuals; ω̄ by (14) with the same batch gradients.",
            options={"g": "the batch gradient"},
        ),
        reading(
            "residuals absorbed into the gradients",
            """(14) with gradients that are defined to contain the residuals; true by that definition (see EFL-E14 for
                its price).""",
            world=_runs(compressed=True, absorbed=True),
            options={"g": "with the residual absorbed"},
        ),
        reading(
            "no compression",
            "All residuals are 0.",
            world=_PLAIN,
            options={"g": "the batch gradient"},
            conditions=["no compression, all residuals 0"],
            because="no setting of the paper runs EFL without compression (Table 4: q = .1, .3, .6)",
        ),
    ],
    mutants=[
        mutant(
            "residuals left out although updates are compressed",
            None,
            "the last equality of (15) drops R of (13), which is not 0 after the first round",
            world=_PACKED,
        )
    ],
    rests_on=["EFL-E12", "EFL-E13", "EFL-E14"],
    verdict="""With the batch gradients of Sec. 3.1 the lemma is false under compression; with the absorbed gradients of
        the text before (14) it is true by their definition: the paper prints both, and no one g serves Lemma 1, (31)
        and Lemma 2. With batch gradients the chain (15) drops the residual that (13) carries, and the two models differ
        from the second round on. With residuals absorbed the lemma says nothing more than that definition, and the
        gradients are no longer unbiased (EFL-E14). Without compression all residuals are 0 and the lemma is an
        identity, whatever the activity and the batches.""",
)

CLAIMS: tuple[Claim, ...] = (E12, E13, E14, L1)

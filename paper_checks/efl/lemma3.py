"""Lemma 3 of A.2.1, (20) to (30): how far the local models drift from the virtual one within a round.

Gradients are arbitrary vectors, random through two scenarios (batches of the whole round); all clients start alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.efl.notation import NOTATION
from validation import Case, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, Uniform, symbols
from validation.statement.instances.symmetry import permuted_clients, rotated_space, split_client, units
from validation.world import VectorInequality, World, case, eq, le, lemma, mutant, reading, square, step, vectors

__all__ = ["CLAIMS"]

E, G2, eta, steps, own_steps, total, squares = NOTATION.symbols("E G2 eta steps own_steps total squares")
drift, travel, local, own, jensen, sums = NOTATION.symbols("drift travel local own jensen sums")


def a_round(x: Instance) -> Mapping[str, Any]:
    """A round up to step j <= E − 1: moves of all clients, of the first one, and of ω̄; s counts the whole round."""
    g, p, share, step = x["gradient"], x["coefficient"], x["share"], x["step"]
    n_local = g.shape[2]
    q = np.stack([x["chance"], 1 - x["chance"]], axis=1)
    active = (x["active"] >= 0.5).astype(float) + np.zeros((1, 2, 1, 1))
    counted = (np.arange(n_local) < np.floor(x.get("part", 0 * step) * n_local + 1e-9)[:, None]).astype(float)
    moved = step[:, None, None, None] * np.einsum("nkeci,nkec,ne->nkci", g, active, counted)
    virtual = (p[:, None, :, None] * moved).sum(axis=2)
    done, own = active.sum(axis=2), (moved**2).sum(axis=3)
    means = np.einsum("nk,nkec->nec", q, (g**2).sum(axis=4))
    taken = np.einsum("nk,nke,ne->n", q, active[..., 0] * (g[..., 0, :] ** 2).sum(axis=3), counted)
    scaled = (p**2 / share)[:, None]

    def average(values: Any) -> Any:
        return (q * values).sum(axis=1)

    drift = average((p[:, None] * ((virtual[:, :, None] - moved) ** 2).sum(axis=3)).sum(axis=2))
    local = average((p[:, None] * own).sum(axis=2))
    return {
        "drift": drift,
        "travel": average((virtual**2).sum(axis=2)),
        "local": local,
        "own": average(own[:, :, 0]),
        "E": np.full(len(p), float(n_local)),
        "G2": means.max(axis=(1, 2)),
        "eta": step,
        "steps": average((p[:, None] * done).sum(axis=2)),
        "own_steps": average(done[:, :, 0]),
        "total": p.sum(axis=1),
        "squares": average((scaled * done).sum(axis=2)),
        "jensen": average((scaled * own).sum(axis=2)),
        "sums": counted.sum(axis=1) * taken,
        "sizes": dict.fromkeys(("drift", "travel", "local", "own"), drift + local),
    }


def a_round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A round of E steps up to step j <= E - 1, in two scenarios; s counts all steps of the round."""
    g, p, share, eta = x["gradient"], x["coefficient"], x["share"], x["step"]
    clients, n_local, dims = range(len(p)), len(g[0]), range(len(g[0][0][0]))
    j = int(x.get("part", 0) * n_local)
    names = ("drift", "travel", "local", "own", "steps", "own_steps", "squares", "jensen", "sums")
    mean = {name: Fraction(0) for name in names}
    seconds = [[Fraction(0) for _ in clients] for _ in range(n_local)]
    for number, chance in enumerate([x["chance"], 1 - x["chance"]]):
        active = x["active"][number if len(x["active"]) > 1 else 0]
        on = [[row[k] >= Fraction(1, 2) for k in clients] for row in active]
        moved = [[eta * sum(g[number][i][k][d] for i in range(j) if on[i][k]) for d in dims] for k in clients]
        virtual = [sum(p[k] * moved[k][d] for k in clients) for d in dims]
        done = [sum(row[k] for row in on) for k in clients]
        moves = [sum(v * v for v in moved[k]) for k in clients]
        lengths = [[sum(v * v for v in g[number][i][k]) for k in clients] for i in range(n_local)]
        here = {
            "drift": sum(p[k] * (virtual[d] - moved[k][d]) ** 2 for k in clients for d in dims),
            "travel": sum(v * v for v in virtual),
            "local": sum(p[k] * moves[k] for k in clients),
            "own": moves[0],
            "steps": sum(p[k] * done[k] for k in clients),
            "own_steps": done[0],
            "squares": sum(p[k] ** 2 / share[k] * done[k] for k in clients),
            "jensen": sum(p[k] ** 2 / share[k] * moves[k] for k in clients),
            "sums": j * sum(lengths[i][0] for i in range(j) if on[i][0]),
        }
        mean = {name: mean[name] + chance * here[name] for name in names}
        seconds = [[seconds[i][k] + chance * lengths[i][k] for k in clients] for i in range(n_local)]
    met = {
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "probabilities": 0 <= x["chance"] <= 1,
        "0 <= j <= E - 1": 0 <= j <= n_local - 1,
    }
    return met, {**mean, "E": Fraction(n_local), "G2": max(max(row) for row in seconds), "eta": eta, "total": sum(p)}


def _rounds(*, sees: bool = False, least: int = 1, first: bool = False) -> World:
    """Rounds of all sizes; `sees`: activity may depend on the batches; `first`: the first client alone is looked at."""

    def at(N: float, E: float, d: float) -> Case:
        n, n_local, dim = int(N), int(E), int(d)
        last = (n_local - 1) / n_local
        space = Space(
            (
                Signed("gradient", 1e-2, 1e2, (2, n_local, n, dim)),
                Uniform("active", 0.0, 1.0, (2 if sees else 1, n_local, n)),
                LogScale("coefficient", 1e-3, 1e1, (n,), at=(0.1, 1.0)),
                Simplex("share", n, interior=True),
                Uniform("chance", 0.0, 1.0, at=(0.0, 0.5, 0.01)),
                *((Uniform("part", 0.0, last, at=(last,)),) if n_local > 1 else ()),
                LogScale("step", 1e-2, 1.0, at=(1.0,)),
            )
        )
        every = {"gradient": 2, "active": 2, "coefficient": 0, "share": 0}
        same: tuple[Any, ...] = (units({"gradient": (1, -1), "step": (-1, 2)}), rotated_space(("gradient",)))
        if not first:
            same = (*same, permuted_clients(every), split_client(every, ("coefficient", "share")))
        name = f"{n} clients, E = {n_local}, d = {dim}" + (", activity sees the batches" if sees else "")
        cost = max(1.0, n * n_local * dim / 40)
        return case(name, space, a_round, a_round_exact, cost=cost, symmetries=same)

    sizes = (Size("N", 1, 100, 2), Size("E", least, 100, max(2, least)), Size("d", 1, 8, 1))
    return World(NOTATION, (Family("a round", sizes, at),))


_ROUNDS, _SEEING, _LONG = _rounds(), _rounds(sees=True), _rounds(least=3)
_OWN, _OWN_SEEING = _rounds(first=True), _rounds(first=True, sees=True)

now, start, own_model, w1, w2, x, y, z = symbols("now start own w1 w2 x y z", positive=True)
p1, p2, p3, a, b, c, d, e, f = symbols("p1 p2 p3 a b c d e f", positive=True)
_FIRST, _SECOND = -eta * (a + b), -eta * (c + d)  # ωᵏ − ω̄ at the start, both clients starting at ω̄
_MOVE = p1 * _FIRST + p2 * _SECOND  # ω̄ after two steps, from (14)
_V: Any = vectors("g0 g1 g2")

E21 = step(
    "EFL-E21",
    "Eq. (21), proof of Lemma 3",
    "Split at the start of the round",
    printed=r"""\|\overline{\omega}_{\tau E+j}-\omega_{\tau E+j}^{k}\|^{2}=\|\overline{\omega}_{\tau E+j}-
        \overline{\omega}_{\tau E}\|^{2}-2\langle\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E},\omega_{\tau E
        +j}^{k}-\overline{\omega}_{\tau E}\rangle+\|\omega_{\tau E+j}^{k}-\overline{\omega}_{\tau E}\|^{2}""",
    plainly="The distance of a local model from the virtual one splits at the start of the round.",
    assumes=["one coordinate; both sides are sums over coordinates"],
    says=eq(
        (now - own_model) ** 2, (now - start) ** 2 - 2 * (now - start) * (own_model - start) + (own_model - start) ** 2
    ),
    readings=[reading("as printed", "The square of a difference of differences.")],
    mutants=[
        mutant(
            "cross term once",
            eq(
                (now - own_model) ** 2,
                (now - start) ** 2 - (now - start) * (own_model - start) + (own_model - start) ** 2,
            ),
            "the square of a difference has the cross term twice",
        )
    ],
    verdict="The square of a difference, expanded.",
)

E22 = step(
    "EFL-E22",
    "Eq. (22), proof of Lemma 3",
    "Weighted sum of local models",
    printed=r"""\sum_{k}p_{\tau}^{k}\omega_{\tau E+j}^{k}=\sum_kp_\tau^k\omega_{\tau E+j-1}^k-
        \eta_\tau\sum_kp_\tau^kg_{\tau E+j-1}^k\alpha_{\tau E+j-1}^k=\dots=\sum_kp_\tau^k\omega_{\tau E}^k+
        \overline\omega_{\tau E+j}-\overline\omega_{\tau E}""",
    plainly="The weighted sum of the local models moves exactly as the virtual model.",
    assumes=[
        "one coordinate; both sides are sums over coordinates",
        "two clients; a, b the active gradients of the first, c, d those of the second, 0 where inactive",
        "two steps; local models may start apart",
    ],
    says=eq(p1 * (w1 - eta * a - eta * b) + p2 * (w2 - eta * c - eta * d), p1 * w1 + p2 * w2 + _MOVE),
    readings=[reading("as printed", "Σpω after two steps of (12) against its start plus the move (14) of ω̄.")],
    mutants=[
        mutant(
            "ω̄ moved by the unweighted gradients",
            eq(p1 * (w1 - eta * a) + p2 * (w2 - eta * c), p1 * w1 + p2 * w2 - eta * (a + c)),
            "the sides differ by η((1 − p₁)a + (1 − p₂)c)",
        )
    ],
    rests_on=["EFL-E12", "EFL-E14"],
    verdict="""True step by step, for any coefficients, whatever their sum. Each term belongs to one client and one
        step, so two of each stand for any number.""",
)

E23 = step(
    "EFL-E23",
    "Eq. (23), proof of Lemma 3",
    "Cross term",
    printed=r"""-2\sum_{k}p_{\tau}^{k}\langle\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E},\omega_{\tau E+
        j}^{k}-\overline{\omega}_{\tau E}\rangle=-2\|\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E}\|^{2}""",
    plainly="The weighted cross terms add up to minus twice the squared move of the virtual model.",
    assumes=[
        "one coordinate; both sides are sums over coordinates",
        "two clients; a, b the active gradients of the first, c, d those of the second, 0 where inactive",
        "ωᵏ = ω̄ at the start of the round",
    ],
    says=eq(-2 * (p1 * _MOVE * _FIRST + p2 * _MOVE * _SECOND), -2 * _MOVE**2),
    readings=[reading("as printed", "Any coefficients.")],
    mutants=[
        mutant(
            "local models that start apart",
            eq(-2 * (p1 * _MOVE * (w1 + _FIRST) + p2 * _MOVE * (w2 + _SECOND)), -2 * _MOVE**2),
            "the sides differ by −2(p₁w₁ + p₂w₂) times the move, w the offsets at the start",
        )
    ],
    rests_on=["EFL-E22"],
    verdict="""True for any coefficients, because all clients start the round at the same model. No term has the letters
        of more than two clients, so two stand for any number.""",
)

_THREE = ((p1, _FIRST), (p2, _SECOND), (p3, -eta * (e + f)))
_WHOLE: Any = sum(p * gone for p, gone in _THREE)  # the move of ω̄ with three clients
_DRIFT: Any = sum(p * (_WHOLE - gone) ** 2 for p, gone in _THREE)
_LOCAL: Any = sum(p * gone**2 for p, gone in _THREE)
E24 = step(
    "EFL-E24",
    "Eq. (24), proof of Lemma 3",
    "Identity for the drift",
    printed=r"""\sum_kp_\tau^k\|\overline{\omega}_{\tau E+j}-\omega_{\tau E+j}^{k}\|^{2}=\Big(\sum_kp_\tau^k-2
        \Big)\|\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E}\|^{2}+\sum_kp_\tau^k\|\omega_{\tau E+j}^{k}-
        \overline{\omega}_{\tau E}\|^{2}""",
    plainly="The weighted drift is (Σp − 2) times the virtual move squared plus the weighted local moves squared.",
    assumes=[
        "one coordinate; both sides are sums over coordinates",
        "three clients; a, b the active gradients of the first, c, d and e, f those of the others, 0 where inactive",
        "ωᵏ = ω̄ at the start of the round",
    ],
    says=eq(_DRIFT, (p1 + p2 + p3 - 2) * _WHOLE**2 + _LOCAL),
    readings=[reading("as printed", "Any coefficients; the factor Σp − 2 multiplies the squared move.")],
    mutants=[
        mutant(
            "Σp − 1 in place of Σp − 2",
            eq(_DRIFT, (p1 + p2 + p3 - 1) * _WHOLE**2 + _LOCAL),
            "(23) takes off the squared move twice, (21) adds it Σp times",
        )
    ],
    rests_on=["EFL-E21", "EFL-E23"],
    verdict="""True for any coefficients and any number of clients: no term has the letters of more than three clients,
        so three stand for all. The factor Σp − 2 is negative when few clients take part, which matters in (30).""",
)

E25 = step(
    "EFL-E25",
    "Eq. (25), proof of Lemma 3",
    "Move of the virtual model",
    printed=r"""\|\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E}\|^{2}=\eta_\tau^2\Big\|\sum_kp^k
        \Big(\frac{p_\tau^k}{p^k}\sum_{i<j}g_{\tau E+i}^k\alpha_{\tau E+i}^k\Big)\Big\|^2\leq\eta_{\tau}^{2}\sum_{k}
        \frac{(p_{\tau}^{k})^{2}}{p^{k}}\Big\|\sum_{i=0}^{j-1}g_{\tau E+i}^{k}\alpha_{\tau E+i}^{k}\Big\|^{2}""",
    plainly="By Jensen the squared move of ω̄ is at most the weighted squared moves of the clients.",
    assumes=["pᵏ > 0 and Σpᵏ = 1", "any coefficients", "searched with two outcomes of a round's batches"],
    says=le(travel, jensen),
    world=_SEEING,
    readings=[reading("as printed", "Averaged over two scenarios, in each of which it holds.")],
    mutants=[
        mutant(
            "pᵏ in place of p²/pᵏ: Σp‖·‖²",
            le(travel, eta**2 * G2 * (E - 1) ** 2 * steps / E),
            "one client with a large p: ω̄ moves p times as far, squared p², the right side only p",
            world=_ROUNDS,
        )
    ],
    tight="p/pᵏ times the move equal for all clients",
    verdict="Jensen's inequality for the weights pᵏ; attained when all p/pᵏ-scaled moves agree.",
)

_NORMS = sum(square(v) for v in _V)
_PAIRS = x**2 + y**2 + z**2 + (x**2 + y**2) + (x**2 + z**2) + (y**2 + z**2)
E26 = step(
    "EFL-E26",
    "Eq. (26), proof of Lemma 3",
    "Square of a sum of gradients",
    printed=r"""\Big\|\sum_{i=0}^{j-1}g_{\tau E+i}^{k}\alpha_{\tau E+i}^{k}\Big\|^{2}\le\sum_{i}\|g_{\tau E+i}^k
        \alpha_{\tau E+i}^k\|^2+\sum_{p<q}(\|g_{\tau E+p}^k\alpha_{\tau E+p}^k\|^2+\|g_{\tau E+q}^k\alpha_{\tau E+
        q}^k\|^2)=j\sum_{i=0}^{j-1}\|g_{\tau E+i}^{k}\alpha_{\tau E+i}^{k}\|^{2}""",
    plainly="The square of a sum of j vectors is at most j times the sum of their squares.",
    assumes=["j = 3 for the formal check; EFL-E27 uses it for every j"],
    says=VectorInequality(square(sum(_V)), 3 * _NORMS),
    readings=[
        reading("first to last member", "Three vectors of any dimension.", part="the inequality"),
        reading(
            "the pairs counted",
            "Σx² + Σ over pairs (x² + y²) = jΣx² for j = 3.",
            eq(_PAIRS, 3 * (x**2 + y**2 + z**2)),
            part="the last equality",
        ),
    ],
    mutants=[
        mutant("factor j − 1", VectorInequality(square(sum(_V)), 2 * _NORMS), "equal vectors attain the factor j")
    ],
    tight="equal vectors",
    verdict="""Cauchy–Schwarz and counting pairs; attained by equal vectors. The formal check is for j = 3; for any j
        the last member less the first is the sum of ‖x − y‖² over all pairs, which is not negative. Inactive steps are
        zero vectors and count in j.""",
)

_C = (E - 1) * G2 * eta**2
E27 = step(
    "EFL-E27",
    "Eq. (27), proof of Lemma 3",
    "Mean square of a client's move",
    printed=r"""\mathbb{E}_{\xi}\Big\|\sum_{i=0}^{j-1}g_{\tau E+i}^k\alpha_{\tau E+i}^k\Big\|^2
        \le jG^2\sum_{i=0}^{j-1}\alpha_{\tau E+i}^k\le(E-1)G^2s_{\tau}^k""",
    plainly="The mean square of a client's move is at most (E − 1)G² times its steps.",
    assumes=["A4", "j <= E − 1", "both sides times η²", "searched with two outcomes of a round's batches"],
    says=le(own, _C * own_steps, again=lambda E, G2, eta, own_steps: (E * G2 - G2) * own_steps * eta**2),
    world=_OWN,
    readings=[
        reading("activity fixed before the batches", "s is a given number."),
        reading(
            "activity depends on the batches",
            "A step done when its gradient is large; s averaged on the right, which is stronger than the print.",
            world=_OWN_SEEING,
            cuts={"activity": "sees the batches"},
            sees="after the step",
            ours="""(27) leaves α and s outside E_ξ on its right sides, so E_ξ takes them as given; A.2.1 speaks of «any
                distributions» and not of batches; averaging the right side is ours""",
        ),
        reading(
            "ΣE‖gα‖² in place of G²Σα",
            "E‖Σgα‖² <= jΣE‖gα‖², whatever the activity depends on.",
            le(own, eta**2 * sums),
            world=_OWN_SEEING,
            edits=["ΣE‖gα‖² in place of G²Σα"],
            because="this is (26), averaged; it has another right side",
        ),
    ],
    mutants=[
        mutant(
            "factor E − 1 dropped",
            le(own, G2 * eta**2 * own_steps),
            "two equal gradients: the square of their sum is twice the sum of their squares",
            world=_rounds(first=True, least=3),
        )
    ],
    tight="equal gradients at all of the first E − 1 steps, the last one idle",
    rests_on=["EFL-E26", "EFL-A4"],
    verdict="""Holds for activity of any law that does not depend on the batches, as E_ξ takes α and s on the printed
        right sides. A.2.1 goes further in words: «we do not assume any distributions and correlations», «the result is
        valid for any distributions». If activity may see the batches, that is too much: where a step is done just when
        its gradient is large, G² bounds the mean over all steps but not over those done, and with the right side
        averaged, as it then has to be, the line fails. The print neither names such activity nor excludes it, and no
        algorithm of the paper has it, so this does not decide here. ΣE‖gα‖² in place of G²Σα holds whatever the
        activity depends on.""",
)

E28 = step(
    "EFL-E28",
    "Eq. (28), proof of Lemma 3",
    "Mean square of the virtual move",
    printed=r"""\mathbb{E}_{\xi}\|\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E}\|^2\le(E-1)G^2\eta_{\tau}^2
        \sum_{k}\frac{(p_{\tau}^k)^2}{p^k}s_{\tau}^k""",
    plainly="The mean squared move of ω̄ is at most (E − 1)G²η² Σp²s/pᵏ.",
    assumes=["A4", "j <= E − 1", "searched with two outcomes of a round's batches"],
    says=le(travel, _C * squares),
    world=_ROUNDS,
    readings=[
        reading("activity fixed before the batches", "(27) inserted into (25); s is a given number."),
        reading(
            "activity depends on the batches",
            "A step done when its gradient is large; s averaged on the right, which is stronger than the print.",
            world=_SEEING,
            cuts={"activity": "sees the batches"},
            sees="after the step",
            ours="""(28) leaves p and s outside E_ξ on its right side, so E_ξ takes them as given; averaging the right
                side is ours""",
        ),
    ],
    mutants=[
        mutant(
            "factor E − 1 dropped",
            le(travel, G2 * eta**2 * squares),
            "one client, two equal gradients: the square of their sum is twice the sum of their squares",
            world=_LONG,
        )
    ],
    tight="one client, equal gradients at all of the first E − 1 steps, the last one idle",
    rests_on=["EFL-E25", "EFL-E27"],
    verdict="""Holds for activity and coefficients that are fixed before the batches, as E_ξ takes them on the printed
        right side: (27) goes into (25). A stronger statement fails with (27): if a step is done just when its gradient
        is large and the right side is averaged too, which is ours, G² bounds the mean over all steps but not over those
        done.""",
)

E29 = step(
    "EFL-E29",
    "Eq. (29), proof of Lemma 3",
    "Mean square of the local moves",
    printed=r"""\mathbb{E}_{\xi}\sum_kp_{\tau}^{k}\|\omega_{\tau E+j}^{k}-\overline{\omega}_{\tau E+j}\|^{2}=
        \mathbb{E}_{\xi}\sum_kp_{\tau}^{k}\Big\|\eta_{\tau}\sum_{i<j}g_{\tau E+i}^{k}\alpha_{\tau E+i}^{k}\Big\|^{2}
        \le(E-1)G^{2}\eta_{\tau}^{2}\sum_kp_{\tau}^{k}s_{\tau}^{k}""",
    plainly="The weighted squared moves of the local models are at most (E − 1)G²η² Σps.",
    assumes=[
        "A4",
        "activity and coefficients fixed before the batches",
        "searched with two outcomes of a round's batches",
    ],
    says=le(local, _C * steps),
    world=_ROUNDS,
    readings=[
        reading(
            "the equality as printed",
            "Distance from ω̄ at step j equal to the move since the start of the round.",
            eq(drift, local),
        ),
        reading(
            "outer members as printed",
            "Distance from ω̄ at step j, first member against the last.",
            le(drift, _C * steps),
            cuts={"coefficients": "Σp > 2"},
            because="with the printed index the outer inequality alone fails only for Σp > 2, by (24)",
        ),
        reading(
            "ω̄ at the start of the round",
            """Index τE in place of τE + j on ω̄, as (24), into which the line is inserted, has it; then the equality is
                (12).""",
            edits=["index τE in place of τE + j on ω̄"],
            token=True,
            forced_by="""(24), into which the line is put, prints the same sum with ω̄ at τE, and the middle member is
                the move since τE""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "factor E − 1 dropped",
            le(local, G2 * eta**2 * steps),
            "one client, two equal gradients: the square of their sum is twice the sum of their squares",
            world=_LONG,
        )
    ],
    tight="equal gradients at all of the first E − 1 steps, the last one idle",
    rests_on=["EFL-E27"],
    verdict="""A misprint of one index: ω̄ of the left member belongs to the start of the round, τE in place of τE + j.
        (24), into which the line is put, has the same sum with index τE, and (12) gives the equality with it. As
        printed the left member has ω̄ at step j and the middle one the move since the start of the round; they differ
        as soon as ω̄ moves, and the outer inequality fails as well when Σp > 2. With the index τE all is true, and the
        argument goes on from the right line.""",
)

_SUM, _PRODUCT = steps + (total - 2) + squares, steps + (total - 2) * squares
_PLUS = le(drift, _C * (steps + sp.Max(total - 2, 0) * squares))
_AS_PRODUCT = le(drift, _C * _PRODUCT)
_NO_STEPS, _NO_SQUARES = le(drift, _C * (sp.Max(total - 2, 0) * squares)), le(drift, _C * steps)

_DROPPED = [
    mutant("Σps dropped", _NO_STEPS, "two clients pulled apart drift although Σp = 1 < 2"),
    mutant(
        "(Σp − 2)₊Σp²s/pᵏ dropped",
        _NO_SQUARES,
        "one client with a large p moves ω̄ further than itself, and its drift counts that",
    ),
]

_WITHOUT_PLUS = reading(
    "bracket read as a product",
    "Σps + (Σp − 2)Σp²s/pᵏ, the printed «+» dropped.",
    _AS_PRODUCT,
    edits=["the printed «+» before the last sum dropped"],
)

_BATCHES = [
    "A4 at every client and step of the round: E‖g‖² <= G²",
    "all clients start the round at ω̄",
    "0 <= j <= E − 1; any non-negative coefficients",
    "searched with two outcomes of a round's batches",
]

E30 = step(
    "EFL-E30",
    "Eq. (30), proof of Lemma 3",
    "Conclusion of Lemma 3",
    printed=r"""\mathbb{E}_{\xi}\Big[\sum_{k}p_{\tau}^{k}\|\overline{\omega}_{\tau E+j}-\omega_{\tau E+j}^{k}\|^{2}
        \Big]\leq(E-1)G^{2}\eta_{\tau}^{2}\Big(\sum_{k}p_{\tau}^{k}s_{\tau}^{k}+\Big(\sum_{k}p_{\tau}^{k}-2
        \Big)+\sum_{k}\frac{(p_{\tau}^{k})^{2}s_{\tau}^{k}}{p^{k}}\Big)""",
    plainly="Inserting (28) and (29) into (24) gives the bound of Lemma 3.",
    assumes=_BATCHES,
    says=le(drift, _C * _SUM),
    world=_ROUNDS,
    readings=[
        reading("bracket as printed", "Σps + (Σp − 2) + Σp²s/pᵏ; activity fixed before the batches."),
        _WITHOUT_PLUS,
        reading(
            "bracket with a positive part",
            "Σps + (Σp − 2)₊Σp²s/pᵏ, the printed «+» read as a subscript; activity fixed before the batches.",
            _PLUS,
            edits=["(Σp − 2)₊Σp²s/pᵏ in place of (Σp − 2) + Σp²s/pᵏ"],
            token=True,
            forced_by="""(24), (28) and (29), from which it is put together: Σp − 2 is a factor of the squared move in
                (24), and the upper bound (28) can go in only where it is not negative""",
            carries=True,
        ),
    ],
    mutants=_DROPPED,
    tight="as Lemma 3",
    rests_on=["EFL-E24", "EFL-E28", "EFL-E29"],
    repeats="EFL-L3",
    verdict="""The misprint of Lemma 3: (Σp − 2)₊Σp²s/pᵏ must stand in place of (Σp − 2) + Σp²s/pᵏ. (24), into which
        (28) and (29) are put, forces it: Σp − 2 is a factor there, so where it is positive it multiplies Σp²s/pᵏ and is
        not added to it, and where it is negative the upper bound (28) cannot be put in, which also rules out the plain
        product. With (Σp − 2)₊ as a factor (30) follows.""",
)

L3 = lemma(
    "EFL-L3",
    "Lemma 3, eq. (20), A.2.1",
    "Drift of the local models",
    printed=r"""\mathbb{E}_{\xi}\Big[\sum_{k}p_{\tau}^{k}\|\overline{\omega}_{\tau E+j}-\omega_{\tau E+j}^{k}\|^{2}
        \Big]\leq(E-1)G^{2}\eta_{\tau}^{2}\Big(\sum_{k}p_{\tau}^{k}s_{\tau}^{k}+\Big(\sum_{k}p_{\tau}^{k}-2
        \Big)+\sum_{k}\frac{(p_{\tau}^{k})^{2}s_{\tau}^{k}}{p^{k}}\Big)""",
    plainly="""The weighted squared distance of local models from the virtual one is bounded by the steps done in the
        round.""",
    assumes=_BATCHES,
    says=le(drift, _C * _SUM),
    world=_ROUNDS,
    readings=[
        reading("bracket as printed", "Σps + (Σp − 2) + Σp²s/pᵏ; activity fixed before the batches."),
        _WITHOUT_PLUS,
        reading(
            "bracket with a positive part",
            "Σps + (Σp − 2)₊Σp²s/pᵏ, the printed «+» read as a subscript; activity fixed before the batches.",
            _PLUS,
            edits=["(Σp − 2)₊Σp²s/pᵏ in place of (Σp − 2) + Σp²s/pᵏ"],
            token=True,
            forced_by="""(24), (28) and (29), from which (30) is put together: Σp − 2 is a factor of the squared move in
                (24), and the upper bound (28) can go in only where it is not negative""",
            carries=True,
        ),
        reading(
            "positive part, activity depends on the batches",
            """A step done when its gradient is large; both sides averaged over the batches, which is stronger than the
                print.""",
            _PLUS,
            world=_SEEING,
            cuts={"activity": "sees the batches"},
            sees="after the step",
            edits=["(Σp − 2)₊Σp²s/pᵏ in place of (Σp − 2) + Σp²s/pᵏ"],
            ours="""(20) leaves p and s outside E_ξ on its right side, so E_ξ takes them as given; averaging the right
                side is ours""",
        ),
    ],
    mutants=_DROPPED,
    tight="with the positive part: one client of small p, equal gradients, the last step idle",
    rests_on=["EFL-A4", "EFL-E24", "EFL-E28", "EFL-E29", "EFL-E30"],
    verdict="""The lemma holds with the bracket (Σp − 2)₊Σp²s/pᵏ in place of the printed (Σp − 2) + Σp²s/pᵏ: the «+» is
        most likely a subscript that came loose, in print or in the transcription. (24) multiplies the squared move of
        ω̄ by Σp − 2, and (28) bounds that move from above by Σp²s/pᵏ, so only a product with the positive part follows;
        then (24), (28), (29) prove it. The E⁵ of Sec. 4.2 also comes from a product and not from a sum. As printed the
        right side is negative when few clients take part with small coefficients, and too small for large ones; the
        product without «₊» fails as well. Activity is fixed before the batches, as E_ξ takes it; for activity that
        depends on them, averaged on both sides (ours), G² does not bound the gradients of the steps done.""",
)

CLAIMS: tuple[Claim, ...] = (L3, E21, E22, E23, E24, E25, E26, E27, E28, E29, E30)

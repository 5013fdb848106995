"""Lemma 2 of A.2.1, (16) to (19), and the second moments of a step and of a round's path, (57) and (58).

Noise is a vector times a two-point variable of mean 0 and variance 1, every outcome listed; gradients of (57) and (58) are
arbitrary vectors, random through two scenarios, of several steps in one coordinate, where lengths are rational.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from paper_checks.efl.notation import NOTATION
from validation import Case, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, Uniform, symbols
from validation.statement.instances.symmetry import permuted_clients, rotated_space, split_client, units
from validation.world import World, at, case, eq, le, lemma, mutant, reading, step

__all__ = ["CLAIMS"]

variance, variances, each, covariance, quartic = NOTATION.symbols("variance variances each covariance quartic")
E, G2, path2, each2, jensen2, squares, linear = NOTATION.symbols("E G2 path2 each2 jensen2 squares linear")


def batches(x: Instance, *, shared: bool) -> Mapping[str, Any]:
    """All outcomes of the clients' batches; `shared`: one batch for all. Covariances are of the first two clients."""
    v, p = x["noise"], x["coefficient"]
    n_clients = v.shape[1]
    ups = np.array(
        [[False] * n_clients, [True] * n_clients] if shared else list(product((False, True), repeat=n_clients))
    )
    rare = x["rare"][:, None]
    q = 1 / (1 + rare**2)
    chance = (
        np.concatenate([1 - q, q], axis=1) if shared else np.where(ups, q[..., None], 1 - q[..., None]).prod(axis=2)
    )
    z = np.where(ups, rare[..., None], -1 / rare[..., None])
    weight = p[:, None] * np.where(ups, 1 + x.get("boost", 0 * x["rare"])[:, None, None], 1.0)
    weighted = weight * z
    norms, inner = (v**2).sum(axis=2), np.einsum("nkd,nld->nkl", v, v)
    apart = (chance[..., None] * weighted**2 * norms[:, None]).sum(axis=(1, 2))
    together = np.einsum("no,nok,nol,nkl->n", chance, weighted, weighted, inner, optimize=True)
    squares = (chance[..., None] * weight**2).sum(axis=1)
    size = apart + norms.max(axis=1) + together
    found = {
        "variance": together,
        "each": apart,
        "variances": (squares * norms * (1 + x["slack"][:, None])).sum(axis=1),
    }
    if n_clients > 1:
        pair = z[:, :, 0] * z[:, :, 1]
        found["covariance"] = (chance * pair).sum(axis=1) * inner[:, 0, 1]
        found["quartic"] = (chance * pair**2).sum(axis=1) * norms[:, 0] * norms[:, 1]
    return {**found, "sizes": {"variance": size, "each": size, "covariance": size}}


def batches_exact(x: Mapping[str, Any], *, shared: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """All outcomes of the clients' batches: the variance, what (19) makes of it, and (18) both ways."""
    v, p, rare = x["noise"], x["coefficient"], x["rare"]
    clients, q, boost = range(len(p)), 1 / (1 + rare**2), x.get("boost", 0)
    total, each, mean, squares = Fraction(0), Fraction(0), Fraction(0), [Fraction(0) for _ in clients]
    inner = [sum(a * b for a, b in zip(v[0], u, strict=True)) for u in v]
    crossed, printed = Fraction(0), Fraction(0)
    norms = [sum(a * a for a in u) for u in v]
    for number in range(2 if shared else 2 ** len(p)):
        ups = [number == 1 if shared else bool(number >> k & 1) for k in clients]
        chance = Fraction(1)
        for k in clients:
            if k == 0 or not shared:
                chance = chance * (q if ups[k] else 1 - q)
        z = [rare if up else -1 / rare for up in ups]
        w = [p[k] * (1 + boost) if ups[k] else p[k] for k in clients]
        vector = [sum(w[k] * z[k] * v[k][i] for k in clients) for i in range(len(v[0]))]
        total = total + chance * sum(c * c for c in vector)
        each = each + chance * sum((w[k] * z[k]) ** 2 * norms[k] for k in clients)
        squares = [squares[k] + chance * w[k] ** 2 for k in clients]
        mean = mean + chance * z[0]
        if len(p) > 1:
            crossed = crossed + chance * z[0] * z[1] * inner[1]
            printed = printed + chance * (z[0] * z[1]) ** 2 * norms[0] * norms[1]
    met = {"every gradient is unbiased": mean == 0, "A3: E|g - g_bar|^2 <= sigma_k^2": x["slack"] >= 0}
    bound = sum(squares[k] * norms[k] * (1 + x["slack"]) for k in clients)
    return met, {"variance": total, "each": each, "variances": bound, "covariance": crossed, "quartic": printed}


def _batches(*, shared: bool = False, boost: bool = False, least: int = 1, pair: bool = False) -> World:
    """`shared`: one batch for all; `boost`: p is larger where the batch is the rare one; `pair`: the first two are looked at."""

    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                Signed("noise", 1e-2, 1e2, (n, dim)),
                LogScale("coefficient", 1e-3, 1e2, (n,), at=(1.0,)),
                LogScale("rare", 1.0, 30.0, at=(1.0,)),
                LogScale("slack", 1e-6, 1e1, at=(1e-6,)),
                *((LogScale("boost", 1e-2, 1e2, at=(1.0,)),) if boost else ()),
            )
        )
        same: tuple[Any, ...] = (units({"noise": (1, -1)}), rotated_space(("noise",)))
        if not pair:
            same = (*same, permuted_clients({"noise": 0, "coefficient": 0}))
        name = f"{n} clients, d = {dim}" + (", one batch for all" * shared) + (", p sees the batch" * boost)
        cost = max(1.0, 2**n * n * dim / 200)
        return case(name, space, batches, batches_exact, cost=cost, symmetries=same, shared=shared)

    sizes = (Size("N", least, 8, max(2, least)), Size("d", 1, 8, 2))
    return World(NOTATION, (Family("two-point noise", sizes, at),))


p1, p2, p3, a, b, c = symbols("p1 p2 p3 a b c", positive=True)
_SUM, _SQUARES = p1 * a + p2 * b + p3 * c, (p1 * a) ** 2 + (p2 * b) ** 2 + (p3 * c) ** 2
_PRODUCTS = p1 * p2 * a * b, p1 * p3 * a * c, p2 * p3 * b * c

E17 = step(
    "EFL-E17",
    "Eq. (17), proof of Lemma 2",
    "Expansion of the squared sum",
    printed=r"""\Big\|\sum_kp_\tau^k(g_t^k-\overline g_t^k)\Big\|^2=\sum_k\|p_\tau^k(g_t^k-\overline g_t^k)\|^2+\sum_{i
        \ne k}\|p_\tau^kp_\tau^i(g_t^k-\overline g_t^k)(g_t^i-\overline g_t^i)\|^2""",
    plainly="The square of the sum is the sum of the squares plus the cross terms.",
    assumes=["one coordinate, three clients; a, b, c their deviations g − ḡ"],
    says=eq(_SUM**2, _SQUARES + 2 * sum(v**2 for v in _PRODUCTS)),
    readings=[
        reading("cross terms squared, as printed", "Every ordered pair contributes the square of the product."),
        reading(
            "cross terms as inner products",
            "‖xy‖² read as ⟨x, y⟩, since the text calls its mean in (18) a covariance.",
            eq(_SUM**2, _SQUARES + 2 * sum(_PRODUCTS)),
            edits=["⟨x, y⟩ in place of ‖xy‖² in the cross terms"],
            token=True,
            forced_by="""the sentence after it calls the mean of the cross term «the covariance» and sets it to 0; (19)
                drops it""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "every pair counted once",
            eq((p1 * a + p2 * b) ** 2, (p1 * a) ** 2 + (p2 * b) ** 2 + p1 * p2 * a * b),
            "the square of a sum has the cross term twice",
        )
    ],
    verdict="""A misprint in the cross terms: the inner product ⟨x, y⟩ stands as ‖xy‖². With inner products the
        expansion is an identity, for any number of clients: no term has the letters of more than two. The left side is
        the square of a sum, of second order in the deviations; the printed cross terms are squares of products, of
        fourth order. The next display calls their mean a covariance, and (19) needs it to be one.""",
)

_PAIR = _batches(least=2, pair=True)
E18 = step(
    "EFL-E18",
    "Eq. (18), proof of Lemma 2",
    "Cross terms vanish on average",
    printed=r"\mathbb{E}_{\varepsilon}\|(g_t^k-\overline{g}_t^k)(g_t^i-\overline{g}_t^i)\|^2=0",
    plainly="For independent clients the covariance of their gradient errors is 0.",
    assumes=[
        "independent clients",
        "E_ξ g = ḡ",
        "the index ε of the transcription read as ξ",
        "searched with two outcomes of each client's batch",
    ],
    says=le(quartic, 0),
    world=_PAIR,
    readings=[
        reading("mean of the squared product", "E‖nₖ‖²‖nᵢ‖² (of scalars (nₖnᵢ)²) is 0."),
        reading(
            "covariance",
            "E⟨nₖ, nᵢ⟩ = 0, as the text calls it.",
            eq(covariance, 0),
            edits=["⟨x, y⟩ in place of ‖xy‖²"],
            token=True,
            forced_by="the sentence that the display ends calls it «the covariance»",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "one batch shared by all clients",
            eq(covariance, 0),
            "the covariance of two equal clients is then their variance",
            at(noise=[[0, -1], [0, -1]], coefficient=[1, 1], rare=1, slack=1),
            world=_batches(shared=True, least=2, pair=True),
        )
    ],
    repeats="EFL-E17",
    verdict="""A misprint, the one of (17): ‖xy‖² stands where the inner product ⟨x, y⟩ belongs. The sentence before
        calls the quantity a covariance, and the covariance is 0 for independent clients with unbiased gradients, which
        is what (19) uses. As printed, the mean of the squared product is the product of the two variances, which is not
        0.""",
)

_FIXED, _SHARED = _batches(), _batches(shared=True, least=2)
E19 = step(
    "EFL-E19",
    "Eq. (19), proof of Lemma 2",
    "Conclusion of Lemma 2",
    printed=r"""\mathbb{E}_{\xi}\Big\|\sum_kp_{\tau}^{k}(g_{t}^{k}-\overline{g}_{t}^{k})\Big\|^{2}=\sum_k
        \mathbb{E}_{\xi}\|p_{\tau}^{k}(g_{t}^{k}-\overline{g}_{t}^{k})\|^{2}\le\sum_k(p_{\tau}^{k})^{2}
        \sigma_{k}^{2}""",
    plainly="The mean square of the sum is the sum of the mean squares, which A3 bounds.",
    assumes=["A3", "independent clients", "searched with two outcomes of each client's batch"],
    says=le(variance, variances),
    world=_FIXED,
    readings=[
        reading(
            "the inequality, coefficients fixed before the batches",
            "From the left member to the right one.",
            part="the inequality",
        ),
        reading(
            "the equality, coefficients fixed before the batches",
            "Left and middle member differ by 0.",
            eq(variance, each),
            part="the equality",
        ),
        reading(
            "the equality, coefficients that depend on the batches",
            """p of a client larger when its own batch is the rare one; p² inside the mean of the middle member, which
                is stronger than the print.""",
            eq(variance, each),
            world=_batches(boost=True, least=2),
            part="the equality",
            cuts={"coefficients": "see the batches of the step"},
            sees="after the step",
            ours="(19) ends with p outside E_ξ, so E_ξ takes p as given, and only (64) averages over p and s",
        ),
    ],
    mutants=[
        mutant(
            "equality with one batch for all",
            eq(variance, each),
            "the cross terms then add up",
            at(noise=[[0, -1], [0, -1]], coefficient=[1, 1], rare=1, slack=1),
            world=_SHARED,
        )
    ],
    tight="σₖ² the variance itself",
    rests_on=["EFL-E17", "EFL-E18", "EFL-A3"],
    verdict="""Both the equality and the inequality hold for independent clients and coefficients given before the
        batches, as E_ξ takes them in the last member; the equality needs (18) as a covariance. A stronger statement
        fails: with coefficients that depend on the batches and an average over p as well, p(g − ḡ) no longer has mean
        0, the cross terms stay, and the inequality breaks too (EFL-L2). That average is ours; the print takes it only
        in (64).""",
)

L2 = lemma(
    "EFL-L2",
    "Lemma 2, eq. (16), A.2.1",
    "Variance of the averaged stochastic gradient",
    printed=r"""\mathbb E_\xi\Big\|\sum_{k=1}^Np_\tau^k(g_t^k-\overline g_t^k)\Big\|^2\le\sum_{k=1}^N(p_\tau^k)^2
        \sigma_k^2""",
    plainly="""With independent clients the variance of the weighted gradient is at most the sum of the variances, each
        weighted with p².""",
    assumes=[
        "A3",
        "E_ξ g = ḡ",
        "«each client runs independently»",
        "any non-negative coefficients, not only the simplex",
        "searched with two outcomes of each client's batch",
    ],
    says=le(variance, variances),
    world=_FIXED,
    readings=[
        reading("coefficients fixed before the batches", "p given, batches of different clients independent."),
        reading(
            "coefficients that depend on the batches",
            """p of a client larger when its own batch is the rare one; both sides averaged over p too, which is
                stronger than the print.""",
            world=_batches(boost=True),
            cuts={"coefficients": "see the batches of the step"},
            sees="after the step",
            ours="""(16) leaves p outside E_ξ on its right side, so E_ξ takes p as given, and only (64) averages over p
                and s; averaging the right side is ours""",
        ),
    ],
    mutants=[
        mutant(
            "one batch shared by all clients",
            None,
            "with two equal clients the variance of the sum is four times that of one, the right side twice",
            at(noise=[[0, -1], [0, -1]], coefficient=[1, 1], rare=1, slack="1/2"),
            world=_SHARED,
        )
    ],
    tight="σₖ² the variance itself",
    rests_on=["EFL-A3", "EFL-E17", "EFL-E18", "EFL-E19"],
    verdict="""The lemma holds for independent clients and coefficients given before the batches, as E_ξ takes them on
        the printed right side; it is an equality when σₖ² is the variance itself. A stronger statement fails: if the
        coefficient of a client is larger when its batch errs more, and both sides are averaged over p as well, the
        inequality breaks already for one client. That average is ours; the print leaves p outside E_ξ and averages over
        p and s only in (64). It matters there, since the paper assumes no distribution and no correlation of the
        activity, and p = E pᵏ/s follows s.""",
)


def lengths(x: Instance) -> Mapping[str, Any]:
    """Two scenarios of a round: (Σh)², Σh² and the weighted squares of the active gradients."""
    g, share = x["gradient"], x["share"]
    p = share * x["coefficient"]
    q = np.stack([x["chance"], 1 - x["chance"]], axis=1)
    on = (x["active"] >= 0.5).astype(float) + np.zeros((1, 2, 1, 1))
    h2 = (np.einsum("nk,nrek,nrekd->nred", p, on, g) ** 2).sum(axis=3)
    norms, weight = (g**2).sum(axis=4), (p**2 / share)[:, None, None]

    def mean(values: Any) -> Any:
        return (q * values).sum(axis=1)

    return {
        "path2": mean(np.sqrt(h2).sum(axis=2) ** 2),
        "E": np.full(len(p), float(g.shape[2])),
        "G2": np.einsum("nr,nrek->nek", q, norms).max(axis=(1, 2)),
        "each2": mean(h2.sum(axis=2)),
        "jensen2": mean((weight * on * norms).sum(axis=(2, 3))),
        "linear": mean((p[:, None, None] * on).sum(axis=(2, 3))),
        "squares": mean((weight * on).sum(axis=(2, 3))),
    }


def lengths_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two scenarios of a round; (sum of h)^2, sum of h^2 and the weighted squares of the active gradients."""
    g, share = x["gradient"], x["share"]
    clients, steps, dims = range(len(share)), range(len(g[0])), range(len(g[0][0][0]))
    p = [share[k] * x["coefficient"][k] for k in clients]
    found = {name: Fraction(0) for name in ("path2", "each2", "jensen2", "squares", "linear")}
    seconds = [[Fraction(0) for _ in clients] for _ in steps]
    for number, chance in enumerate((x["chance"], 1 - x["chance"])):
        active = x["active"][number if len(x["active"]) > 1 else 0]
        path = Fraction(0)
        for i in steps:
            on = [active[i][k] >= Fraction(1, 2) for k in clients]
            push = [sum((p[k] * g[number][i][k][d] for k in clients if on[k]), Fraction(0)) for d in dims]
            square = sum(v * v for v in push)
            path = path + abs(push[0])
            found["each2"] = found["each2"] + chance * square
            for k in clients:
                size = sum(v * v for v in g[number][i][k])
                seconds[i][k] = seconds[i][k] + chance * size
                if on[k]:
                    found["jensen2"] = found["jensen2"] + chance * p[k] ** 2 / share[k] * size
                    found["linear"] = found["linear"] + chance * p[k]
                    found["squares"] = found["squares"] + chance * p[k] ** 2 / share[k]
        found["path2"] = found["path2"] + chance * (path**2 if len(steps) > 1 else square)
    met = {
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "probabilities": 0 <= x["chance"] <= 1,
        "one coordinate, or a single step": len(steps) == 1 or len(dims) == 1,
    }
    return met, {**found, "E": Fraction(len(steps)), "G2": max(max(row) for row in seconds)}


def _lengths(*, single: bool = False, sees: bool = False) -> World:
    """One step in any dimension, and rounds in one coordinate unless `single`; `sees`: activity may depend on the batches."""

    def at(N: float, E: float = 1, d: float = 1) -> Case:
        n, n_local, dim = int(N), int(E), int(d)
        space = Space(
            (
                Signed("gradient", 1e-2, 1e2, (2, n_local, n, dim)),
                Uniform("active", 0.0, 1.0, (2 if sees else 1, n_local, n)),
                LogScale("coefficient", 1e-2, 1e2, (n,), at=(1.0,)),
                Simplex("share", n, interior=True),
                Uniform("chance", 0.0, 1.0, at=(0.0, 0.5, 0.01)),
            )
        )
        every = {"gradient": 2, "active": 2, "coefficient": 0, "share": 0}
        same = (units({"gradient": (1, -1)}), permuted_clients(every), split_client(every, ("share",)))
        name = f"{n} clients, {n_local} steps, d = {dim}" + (", activity sees the batches" * sees)
        return case(name, space, lengths, lengths_exact, cost=max(1.0, n * n_local * dim / 15), symmetries=same)

    one = Family("one step", (Size("N", 1, 300, 2), Size("d", 1, 8, 1)), at)
    more = Family("a round", (Size("N", 1, 100, 2), Size("E", 2, 100, 2)), at)
    return World(NOTATION, (one,) if single else (one, more))


_STEP, _STEP_SEEING, _PATH, _PATH_SEEING = (_lengths(single=n, sees=s) for n in (True, False) for s in (False, True))

E57 = step(
    "EFL-E57",
    "Eq. (57), A.2.1",
    "Second moment of a step",
    printed=r"""\mathbb E_\xi[h_{\tau E+j}^2]=\mathbb E_\xi\Big\|\sum_kp_\tau^k\alpha g^k\Big\|^2\le\sum_k
        \frac{(p_\tau^k)^2}{p^k}\mathbb E_\xi\|\alpha g^k\|^2\le\sum_k\frac{(p_\tau^k)^2}{p^k}G^2\alpha_{\tau E+j}^k""",
    plainly="The mean squared step of ω̄ is at most G² times the weighted number of active clients.",
    assumes=[
        "A4",
        "pᵏ > 0, Σpᵏ = 1",
        "any coefficients, clients not independent",
        "searched with two outcomes of a round's batches",
    ],
    says=le(path2, G2 * squares),
    world=_STEP,
    readings=[
        reading(
            "first to middle member", "Jensen.", le(path2, jensen2), world=_STEP_SEEING, part="first to middle member"
        ),
        reading("first to last member, activity fixed", "α given.", part="first to last member"),
        reading(
            "first to last member, activity depends on the batches",
            """No correlation of the activity is excluded; α and s averaged on the right, which the print for every
                outcome implies.""",
            world=_STEP_SEEING,
            part="first to last member",
            cuts={"activity": "sees the batches"},
            sees="after the step",
            ours="""(57) leaves α outside E_ξ in its last member, so E_ξ takes it as given; averaging the right side is
                ours""",
        ),
    ],
    mutants=[
        mutant(
            "p_τᵏ in place of (p_τᵏ)²/pᵏ",
            le(path2, G2 * linear),
            "one client with p_τᵏ above its share: the left side has its square",
        )
    ],
    tight="(p_τᵏ/pᵏ)g the same for all clients, of mean square G²",
    rests_on=["EFL-A4"],
    verdict="""Jensen's inequality for the shares pᵏ, then A4. The line takes the activity as given, since α stands
        outside the expectation over the batches; so it is true. Were the activity to depend on the batches, a step done
        just when its gradient is large would have a larger mean square than G² times the chance of being done.""",
)

E58 = step(
    "EFL-E58",
    "Eq. (58), A.2.1",
    "Second moment of the path of a round",
    printed=r"""\mathbb E_\xi\Big[\Big(\sum_{j=0}^{E-1}h_{\tau E+j}\Big)^2\Big]\le\mathbb E_\xi\Big[E\sum_{j=0}^{E
        -1}h_{\tau E+j}^2\Big]\le EG^2\sum_k\frac{(p_\tau^k)^2}{p^k}s_\tau^k""",
    plainly="The mean squared path of ω̄ in a round is at most EG² times the weighted number of steps.",
    assumes=[
        "A4",
        "pᵏ > 0, Σpᵏ = 1",
        "any coefficients",
        "searched with two outcomes of a round's batches, and with several steps on a line only",
    ],
    says=le(path2, E * G2 * squares),
    world=_PATH,
    readings=[
        reading(
            "first to middle member",
            "Cauchy–Schwarz.",
            le(path2, E * each2),
            world=_PATH_SEEING,
            part="first to middle member",
        ),
        reading("first to last member, activity fixed", "s given.", part="first to last member"),
        reading(
            "first to last member, activity depends on the batches",
            """No correlation of the activity is excluded; α and s averaged on the right, which the print for every
                outcome implies.""",
            world=_PATH_SEEING,
            part="first to last member",
            cuts={"activity": "sees the batches"},
            sees="after the step",
            ours="""(58) leaves s outside E_ξ in its last member, so E_ξ takes it as given; averaging the right side is
                ours""",
        ),
    ],
    mutants=[
        mutant(
            "factor E dropped",
            le(path2, each2),
            """two equal steps: the square of their sum is twice the sum of
                                                      their squares""",
        )
    ],
    tight="equal steps of one client, all of mean square G²",
    rests_on=["EFL-E57"],
    verdict="""Cauchy–Schwarz and (57), attained by equal steps. As in (57) the line takes the activity as given, with s
        outside the expectation; if it depended on the batches, the last member could be too small.""",
)

CLAIMS: tuple[Claim, ...] = (L2, E17, E18, E19, E57, E58)

"""Lemma 2 of EFL: the variance of the averaged stochastic gradient, with the three displays of its proof.

Every client's gradient noise is a vector times a two-point variable of mean 0 and variance 1, and every outcome is listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Size,
    Space,
    permuted_clients,
    rotated_space,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

_VARIANCE, _EQUAL, _COVARIANCE, _PRODUCT = range(4)  # what is looked at


def _measure(x: Instance) -> Mapping[str, Any]:
    v, p, look = x["noise"], x["coefficient"], int(x["look"][0])
    n, n_clients, _ = v.shape
    up = np.array(list(product((False, True), repeat=n_clients)))
    rare = x["rare"][:, None]
    q = 1 / (1 + rare**2)
    chance = np.where(up[None], q[..., None], 1 - q[..., None]).prod(axis=2)
    z = np.where(up[None], rare[..., None], -1 / rare[..., None])
    if x["shared"][0] > 0:
        up = np.array([[False] * n_clients, [True] * n_clients])
        chance, z = np.concatenate([1 - q, q], axis=1), np.where(up[None], rare[..., None], -1 / rare[..., None])
    weight = p[:, None] * np.where(up[None], 1 + x["boost"][:, None, None], 1.0)
    moved = (weight * z)[..., None] * v[:, None]
    norms = (v**2).sum(axis=2)
    apart = (chance[..., None] * (moved**2).sum(axis=3)).sum(axis=(1, 2))
    together = (chance * (moved.sum(axis=2) ** 2).sum(axis=2)).sum(axis=1)
    squares = (chance[..., None] * weight**2).sum(axis=1)
    sigma2 = norms * (1 + x["slack"][:, None])
    lhs = together
    if look == _EQUAL:
        lhs = np.abs(together - apart)
    if look == _COVARIANCE:
        pair = (chance * z[:, :, 0] * z[:, :, 1]).sum(axis=1)
        lhs = np.abs(pair * (v[:, 0] * v[:, 1]).sum(axis=1))
    if look == _PRODUCT:
        lhs = (chance * (z[:, :, 0] * z[:, :, 1]) ** 2).sum(axis=1) * norms[:, 0] * norms[:, 1]
    return {
        "lhs": lhs,
        "total": (squares * sigma2).sum(axis=1),
        "each": apart,
        "nothing": np.zeros(n),
        "magnitude": apart + norms.max(axis=1) + together,
    }


def noise_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """All outcomes of the clients' batches; `look`: 0 the variance, 1 (19)'s equality, 2 the covariance, 3 (18) as printed."""
    v, p, rare, look = x["noise"], x["coefficient"], x["rare"], int(x["look"])
    clients, q = range(len(p)), 1 / (1 + x["rare"] ** 2)
    total, each, mean, squares = Fraction(0), Fraction(0), Fraction(0), [Fraction(0) for _ in clients]
    inner = [sum(a * b for a, b in zip(v[0], u, strict=True)) for u in v]
    crossed, printed = Fraction(0), Fraction(0)
    norms = [sum(a * a for a in u) for u in v]
    for number in range(2 if x["shared"] > 0 else 2 ** len(p)):
        ups = [number == 1 if x["shared"] > 0 else bool(number >> k & 1) for k in clients]
        chance = Fraction(1)
        for k in clients:
            if k == 0 or x["shared"] == 0:
                chance = chance * (q if ups[k] else 1 - q)
        z = [rare if up else -1 / rare for up in ups]
        w = [p[k] * (1 + x["boost"]) if ups[k] else p[k] for k in clients]
        vector = [sum(w[k] * z[k] * v[k][i] for k in clients) for i in range(len(v[0]))]
        total = total + chance * sum(c * c for c in vector)
        each = each + chance * sum((w[k] * z[k]) ** 2 * norms[k] for k in clients)
        squares = [squares[k] + chance * w[k] ** 2 for k in clients]
        mean = mean + chance * z[0]
        if len(p) > 1:
            crossed = crossed + chance * z[0] * z[1] * inner[1]
            printed = printed + chance * (z[0] * z[1]) ** 2 * norms[0] * norms[1]
    lhs = [total, abs(total - each), abs(crossed), printed][look]
    hypotheses = {
        "every gradient is unbiased": mean == 0,
        "A3: E|g - g_bar|^2 <= sigma_k^2": x["slack"] >= 0,
    }
    bound = sum(squares[k] * norms[k] * (1 + x["slack"]) for k in clients)
    return hypotheses, {"lhs": lhs, "total": bound, "each": each, "nothing": Fraction(0)}


def _case(look: int, *, shared: bool = False, boost: bool = False, least: int = 1) -> Family:
    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                Signed("noise", 1e-2, 1e2, (n, dim)),
                LogScale("coefficient", 1e-3, 1e2, (n,), at=(1.0,)),
                LogScale("rare", 1.0, 30.0, at=(1.0,)),
                LogScale("slack", 1e-6, 1e1, at=(1e-6,)),
                LogScale("boost", 1e-2, 1e2, at=(1.0,)) if boost else Choice("boost", (0.0,)),
                Choice("shared", (float(shared),)),
                Choice("look", (float(look),)),
            )
        )
        same: tuple[Any, ...] = (units({"noise": (1, -1)}), rotated_space(("noise",)))
        if look in (_VARIANCE, _EQUAL):
            same = (*same, permuted_clients({"noise": 0, "coefficient": 0}))
        name = (
            f"{n} clients, d = {dim}"
            + (", one batch for all" if shared else "")
            + (", p sees the batch" if boost else "")
        )
        return Case(
            name, space, _measure, ExactCheck(noise_exact), cost=max(1.0, 2**n * n * dim / 200), symmetries=same
        )

    return Family("two-point noise", (Size("N", least, 8, max(2, least)), Size("d", 1, 8, 2)), at)


def _same(nothing: Any) -> Any:
    return 0 + nothing


def _total(total: Any) -> Any:
    return total + 0


total, nothing, p1, p2, p3, a, b, c = symbols("total nothing p1 p2 p3 a b c")
_BOUND = Bound(total, again=_total, degrees={"total": (2, -2)})
_ZERO = Bound(nothing, again=_same, degrees={"nothing": (2, -2)})
_QUARTIC = Bound(nothing, again=_same, degrees={"nothing": (4, -4)})


def _variance(**how: Any) -> Inequality:
    return Inequality(_BOUND, (_case(_VARIANCE, **how),), degrees=(2, -2))


L2 = Claim(
    id="EFL-L2",
    kind=Kind.INEQUALITY,
    source="Lemma 2, eq. (16), A.2.1",
    title="Variance of the averaged stochastic gradient",
    statement=r"\mathbb E_\xi\Big\|\sum_{k=1}^Np_\tau^k(g_t^k-\overline g_t^k)\Big\|^2\le\sum_{k=1}^N(p_\tau^k)^2\sigma_k^2",
    says=(
        "With independent clients the variance of the weighted gradient is at most the sum of the variances, each "
        "weighted with p²."
    ),
    assumes=(
        "A3",
        "E_ξ g = ḡ",
        "«each client runs independently»",
        "any non-negative coefficients, not only the simplex",
    ),
    readings=(
        Reading(
            "coefficients fixed before the batches", "p given, batches of different clients independent.", _variance()
        ),
        Reading(
            "coefficients that depend on the batches",
            "p of a client larger when its own batch is the rare one; both sides averaged over p too, which is "
            "stronger than the print.",
            _variance(boost=True),
        ),
    ),
    canaries=(
        Canary(
            "one batch shared by all clients",
            _variance(shared=True, least=2),
            "with two equal clients the variance of the sum is four times that of one, the right side twice",
        ),
    ),
    tight="σₖ² the variance itself",
    depends_on=("EFL-A3", "EFL-E17", "EFL-E18", "EFL-E19"),
    verdict_words=(
        "The lemma holds for independent clients and coefficients given before the batches, as E_ξ takes them on the "
        "printed right side; it is an equality when σₖ² is the variance itself. A stronger statement fails: if the "
        "coefficient of a client is larger when its batch errs more, and both sides are averaged over p as well, the "
        "inequality breaks already for one client. That average is ours; the print leaves p outside E_ξ and averages "
        "over p and s only in (64). It matters there, since the paper assumes no distribution and no correlation of "
        "the activity, and p = E pᵏ/s follows s."
    ),
)

E17 = Claim(
    id="EFL-E17",
    kind=Kind.IDENTITY,
    source="Eq. (17), proof of Lemma 2",
    title="Expansion of the squared sum",
    statement=(
        r"\Big\|\sum_kp_\tau^k(g_t^k-\overline g_t^k)\Big\|^2=\sum_k\|p_\tau^k(g_t^k-\overline g_t^k)\|^2"
        r"+\sum_{i\ne k}\|p_\tau^kp_\tau^i(g_t^k-\overline g_t^k)(g_t^i-\overline g_t^i)\|^2"
    ),
    says="The square of the sum is the sum of the squares plus the cross terms.",
    assumes=("one coordinate, three clients; a, b, c their deviations g − ḡ",),
    readings=(
        Reading(
            "cross terms squared, as printed",
            "Every ordered pair contributes the square of the product.",
            Identity(
                (p1 * a + p2 * b + p3 * c) ** 2,
                (p1 * a) ** 2
                + (p2 * b) ** 2
                + (p3 * c) ** 2
                + 2 * ((p1 * p2 * a * b) ** 2 + (p1 * p3 * a * c) ** 2 + (p2 * p3 * b * c) ** 2),
            ),
        ),
        Reading(
            "cross terms as inner products",
            "‖xy‖² read as ⟨x, y⟩, since the text calls its mean in (18) a covariance.",
            Identity(
                (p1 * a + p2 * b + p3 * c) ** 2,
                (p1 * a) ** 2
                + (p2 * b) ** 2
                + (p3 * c) ** 2
                + 2 * (p1 * p2 * a * b + p1 * p3 * a * c + p2 * p3 * b * c),
            ),
        ),
    ),
    canaries=(
        Canary(
            "every pair counted once",
            Identity((p1 * a + p2 * b) ** 2, (p1 * a) ** 2 + (p2 * b) ** 2 + p1 * p2 * a * b),
            "the square of a sum has the cross term twice",
        ),
    ),
    verdict_words=(
        "A misprint in the cross terms: the inner product ⟨x, y⟩ stands as ‖xy‖². With inner products the expansion "
        "is an identity. The left side is the square of a sum, of second order in the deviations; the printed cross "
        "terms are squares of products, of fourth order. The next display calls their mean a covariance, and (19) "
        "needs it to be one."
    ),
)

E18 = Claim(
    id="EFL-E18",
    kind=Kind.IDENTITY,
    source="Eq. (18), proof of Lemma 2",
    title="Cross terms vanish on average",
    statement=r"\mathbb{E}_{\varepsilon}\|(g_t^k-\overline{g}_t^k)(g_t^i-\overline{g}_t^i)\|^2=0",
    says="For independent clients the covariance of their gradient errors is 0.",
    assumes=("independent clients", "E_ξ g = ḡ", "the index ε of the transcription read as ξ"),
    readings=(
        Reading(
            "mean of the squared product",
            "E‖nₖ‖²‖nᵢ‖² (of scalars (nₖnᵢ)²) is 0.",
            Inequality(_QUARTIC, (_case(_PRODUCT, least=2),), degrees=(4, -4)),
        ),
        Reading(
            "covariance",
            "E⟨nₖ, nᵢ⟩ = 0, as the text calls it.",
            Inequality(_ZERO, (_case(_COVARIANCE, least=2),), degrees=(2, -2)),
        ),
    ),
    canaries=(
        Canary(
            "one batch shared by all clients",
            Inequality(_ZERO, (_case(_COVARIANCE, shared=True, least=2),)),
            "the covariance of two equal clients is then their variance",
        ),
    ),
    verdict_words=(
        "A misprint, the one of (17): ‖xy‖² stands where the inner product ⟨x, y⟩ belongs. The sentence before calls "
        "the quantity a covariance, and the covariance is 0 for independent clients with unbiased gradients, which is "
        "what (19) uses. As printed, the mean of the squared product is the product of the two variances, which is "
        "not 0."
    ),
)

E19 = Claim(
    id="EFL-E19",
    kind=Kind.INEQUALITY,
    source="Eq. (19), proof of Lemma 2",
    title="Conclusion of Lemma 2",
    statement=(
        r"\mathbb{E}_{\xi}\Big\|\sum_kp_{\tau}^{k}(g_{t}^{k}-\overline{g}_{t}^{k})\Big\|^{2}"
        r"=\sum_k\mathbb{E}_{\xi}\|p_{\tau}^{k}(g_{t}^{k}-\overline{g}_{t}^{k})\|^{2}\le\sum_k(p_{\tau}^{k})^{2}\sigma_{k}^{2}"
    ),
    says="The mean square of the sum is the sum of the mean squares, which A3 bounds.",
    assumes=("A3", "independent clients"),
    readings=(
        Reading(
            "the inequality, coefficients fixed before the batches",
            "From the left member to the right one.",
            _variance(),
        ),
        Reading(
            "the equality, coefficients fixed before the batches",
            "Left and middle member differ by 0.",
            Inequality(_ZERO, (_case(_EQUAL),), degrees=(2, -2)),
        ),
        Reading(
            "the equality, coefficients that depend on the batches",
            "p of a client larger when its own batch is the rare one; p² inside the mean of the middle member, "
            "which is stronger than the print.",
            Inequality(_ZERO, (_case(_EQUAL, boost=True, least=2),), degrees=(2, -2)),
        ),
    ),
    canaries=(
        Canary(
            "equality with one batch for all",
            Inequality(_ZERO, (_case(_EQUAL, shared=True, least=2),)),
            "the cross terms then add up",
        ),
    ),
    tight="σₖ² the variance itself",
    depends_on=("EFL-E17", "EFL-E18", "EFL-A3"),
    verdict_words=(
        "Both the equality and the inequality hold for independent clients and coefficients given before the batches, "
        "as E_ξ takes them in the last member; the equality needs (18) as a covariance. A stronger statement fails: "
        "with coefficients that depend on the batches and an average over p as well, p(g − ḡ) no longer has mean 0, "
        "the cross terms stay, and the inequality breaks too (EFL-L2). That average is ours; the print takes it only "
        "in (64)."
    ),
)

CLAIMS: tuple[Claim, ...] = (L2, E17, E18, E19)

"""EFL-E1 to E3, DEF1 and DEF4: the elastic objective, its expansion and curvature, and the heterogeneity D."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from paper_checks.efl.elastic_line import gap, gradient, minimiser
from validation import Canary, Claim, Identity, Kind, Reading, symbols
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]


E1 = Claim(
    id="EFL-E1",
    kind=Kind.PROPERTY,
    source="Eq. (1), Sec. 3.1",
    title="The global objective",
    statement=r"\min_\omega F(\omega)=\sum_{k=1}^Np^k\widetilde F_k(\omega)",
    says="F has one minimiser ω*, the one that every round of the analysis refers to.",
    assumes=("A2", "λ > 0; quadratic clients on the line, the elastic term of (2)"),
    readings=(
        Reading("F of one round", "ω* = (Σpᵏhₖmₖ + λΣv)/(Σpᵏhₖ + λΣu) makes F′ vanish.", minimiser()),
        Reading(
            "one F for all rounds",
            "F̃ₖ is printed without a round in (1) and with one in (2): ω* is the same at other anchors.",
            minimiser("rounds"),
        ),
        Reading(
            "λ = 0", "No elastic term: F does not depend on the round.", minimiser("rounds", "free"), repair="condition"
        ),
    ),
    canaries=(
        Canary("elastic term counted twice", minimiser("per client"), "it enters F once, since the shares sum to 1"),
    ),
    depends_on=("EFL-E2",),
    verdict_words=(
        "In a given round F is well defined and has a closed-form minimiser. But (2) moves the anchors in every round, and with "
        "λ > 0 the objective and ω* move with them, whereas Theorem 1 has one F, one ω* and constants D and J taken at it. Should "
        "all anchors come to rest at one point, that point minimises Σpᵏfₖ if it minimises F, so the fixed points agree."
    ),
)


def curvature_printed(N: Any, strength: Any, fisher: Any) -> tuple[Fraction, Fraction]:
    """(lambda sum_i I_i over N clients with Fisher diagonal `fisher`, 1)."""
    return sum((Fraction(strength * fisher) for _ in range(int(N))), Fraction(0)), Fraction(1)


def curvature_mean(N: Any, strength: Any, fisher: Any) -> tuple[Fraction, Fraction]:
    """(the same divided by N, 1)."""
    return sum((Fraction(strength * fisher) / N for _ in range(int(N))), Fraction(0)), Fraction(1)


def _in_clients(at: Any) -> Order:
    family = OrderFamily("more clients", at, {"N": n}, {"strength": (1,), "fisher": (1, Fraction(1, 10))}, degree=1)
    return Order("upper", (family,), variable="N", may_depend_on=("strength", "fisher"))


E2 = Claim(
    id="EFL-E2",
    kind=Kind.PROPERTY,
    source="Eq. (2), Sec. 3.1; Algorithm 1",
    title="Local objective with elastic term",
    statement=(
        r"\widetilde F_{\tau,k}(\omega)=f_k(\omega)+\frac\lambda2\sum_{i=1}^N(\omega-\omega_{\tau-1}^i)^T"
        r"\operatorname{diag}(I_{\tau-1,i})(\omega-\omega_{\tau-1}^i)"
    ),
    says="Its gradient is ∇f + λ(Σu⊙ω − Σv), which the sums the server sends suffice for, and its curvature is larger by λΣIᵢ.",
    assumes=("λ >= 0, Fisher diagonals >= 0", "quadratic risks on the line; the diagonal couples no coordinates"),
    readings=(
        Reading(
            "gradient from the two sums",
            "Against a central difference of (2), v = diag(I)ω as in the text.",
            gradient(),
        ),
        Reading(
            "curvature",
            "hₖ + λΣᵢIᵢ, the sum over all N clients.",
            gradient("bend"),
        ),
        Reading(
            "divided by N, as a mean over the clients",
            "Then the added curvature stays bounded as N grows.",
            _in_clients(curvature_mean),
            repair="edit",
        ),
    ),
    canaries=(
        Canary("v = diag(I)", gradient("box"), "the anchors are then lost"),
        Canary(
            "added curvature bounded in N", _in_clients(curvature_printed), "λΣᵢIᵢ = λNI for clients of one diagonal"
        ),
    ),
    depends_on=("EFL-E3",),
    verdict_words=(
        "Well defined, and the sums of u and v are all a client needs. As printed the term is a sum over all N clients, not a "
        "mean: its curvature grows in proportion to N, so steps that are stable for few clients are not for many, L and the "
        "theorem's γ grow with N, and for large N the minimiser of every F̃ₖ tends to the Fisher-weighted mean of the anchors, "
        "whatever the client's own data. Divided by N it does none of this."
    ),
)

w, I_1, I_2, w_1, w_2, lam, f = symbols("w I_1 I_2 w_1 w_2 lam f")
_PRINTED = f + lam / 2 * (I_1 * (w - w_1) ** 2 + I_2 * (w - w_2) ** 2)
_EXPANDED = f + lam / 2 * w**2 * (I_1 + I_2) - lam * w * (I_1 * w_1 + I_2 * w_2)

E3 = Claim(
    id="EFL-E3",
    kind=Kind.IDENTITY,
    source="Eq. (3), Sec. 3.1",
    title="Expanded elastic term",
    statement=(
        r"\widetilde F_{\tau,k}(\omega)=f_k(\omega)+\frac\lambda2\omega^T\sum_i\operatorname{diag}(I_{\tau-1,i})\omega"
        r"-\lambda\omega^T\sum_i\operatorname{diag}(I_{\tau-1,i})\omega_{\tau-1}^i+Z"
    ),
    says="Expanding the square gives (3) with Z = (λ/2)ΣIᵢ(ωⁱ)², free of ω.",
    assumes=("one coordinate, two clients; diagonal matrices act coordinate by coordinate",),
    readings=(
        Reading(
            "as printed",
            "Both sides multiplied out.",
            Identity(_PRINTED, _EXPANDED + lam / 2 * (I_1 * w_1**2 + I_2 * w_2**2)),
        ),
    ),
    canaries=(
        Canary(
            "λ/2 before the linear term",
            Identity(
                _PRINTED, _EXPANDED + lam * w * (I_1 * w_1 + I_2 * w_2) / 2 + lam / 2 * (I_1 * w_1**2 + I_2 * w_2**2)
            ),
            "the linear part of a square is doubled",
        ),
    ),
    depends_on=("EFL-E2",),
    verdict_words="An identity; Z = (λ/2)Σᵢ Iᵢ(ωⁱ)² does not depend on ω.",
)


DEF1 = Claim(
    id="EFL-DEF1",
    kind=Kind.PROPERTY,
    source="Sec. 3.1",
    title="Heterogeneity of a client",
    statement=r"D_k=\widetilde F_k(\omega^*)-\widetilde F_k^*,\qquad D=\sum_kp^kD_k",
    says="Dₖ is never negative, and 0 for every client when all clients have the same risk.",
    assumes=("F̃ of one round, ω* its minimiser; quadratic clients on the line, any anchors",),
    readings=(
        Reading("never negative", "So neither is D.", gap()),
        Reading("0 for equal risks", "IID data in the limit: the elastic term is common to all clients.", gap("alike")),
    ),
    canaries=(
        Canary("minimum of fₖ in place of that of F̃ₖ", gap("wrong"), "F̃ₖ is lower at its own minimiser"),
        Canary("F̃ and f give one D", gap("both"), "the elastic term pulls all minimisers together"),
    ),
    tight="clients that share their minimiser",
    depends_on=("EFL-E1", "EFL-E2"),
    verdict_words=(
        "A sensible measure in every round. With λ > 0 it is none of the data alone: anchors and Fisher diagonals enter, it changes "
        "from round to round, and it differs from the same quantity for the risks, while the bound takes D to be a constant."
    ),
)

DEF4 = Claim(
    id="EFL-DEF4",
    kind=Kind.PROPERTY,
    source="Theorem 2, Sec. 4.4",
    title="Heterogeneity at the shifted optimum",
    statement=r"\hat D_k=F_k(\hat\omega^*)-F_k^*",
    says="D̂ₖ stands for the «degree of non-IID data for the new objective»: it is never negative.",
    assumes=("Fₖ is defined nowhere; read as F̃ₖ, or as the risk fₖ", "ω̂* minimises the respective new objective"),
    readings=(
        Reading("never negative", "F̃ₖ at ω̂*, the clients being those of the new objective.", gap()),
        Reading("Fₖ read as fₖ or as F̃ₖ: one value", "Stronger than the print: the two values agree.", gap("both")),
    ),
    canaries=(Canary("minimum of fₖ in place of that of F̃ₖ", gap("wrong"), "F̃ₖ is lower at its own minimiser"),),
    depends_on=("EFL-DEF1",),
    verdict_words=(
        "D̂ₖ is never negative, with the elastic objective F̃ₖ as well as with the risk fₖ. Fₖ is printed without the "
        "tilde here, so it may be either, and for λ > 0 the two values differ; that they agree is nowhere said, and "
        "asking for it is stronger than the print. The proof of Theorem 2 uses only convexity and smoothness, which "
        "both have."
    ),
)

CLAIMS: tuple[Claim, ...] = (E1, E2, E3, DEF1, DEF4)

"""The algebra in the proof of Lemma 3 of EFL, (21)-(24) and (26): identities in one coordinate and sums of vectors."""

from __future__ import annotations

from typing import Any

from validation import Canary, Claim, Identity, Kind, Reading, symbols
from validation.statement.gram import VectorInequality
from validation.statement.vectors import square, vectors

__all__ = ["CLAIMS"]

now, start, own = symbols("now start own")
p1, p2, eta, w1, w2, a, b, c, d = symbols("p1 p2 eta w1 w2 a b c d")
x, y, z = symbols("x y z")

_COORDINATE = "one coordinate; both sides are sums over coordinates"
_TWO = "two clients; a, b the active gradients of the first, c, d those of the second, 0 where inactive"
_MOVE = -eta * (p1 * (a + b) + p2 * (c + d))  # ω̄ after two steps, from (14)


def _step(
    number: int,
    title: str,
    statement: str,
    says: str,
    assumes: tuple[str, ...],
    reading: Reading,
    canary: Canary,
    words: str,
    *needs: str,
) -> Claim:
    return Claim(
        id=f"EFL-E{number}",
        kind=Kind.IDENTITY,
        source=f"Eq. ({number}), proof of Lemma 3",
        title=title,
        statement=statement,
        says=says,
        assumes=assumes,
        readings=(reading,),
        canaries=(canary,),
        depends_on=needs,
        verdict_words=words,
    )


E21 = _step(
    21,
    "Split at the start of the round",
    r"\|\overline{\omega}_{\tau E+j}-\omega_{\tau E+j}^{k}\|^{2}=\|\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E}\|^{2}"
    r"-2\langle\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E},\omega_{\tau E+j}^{k}-\overline{\omega}_{\tau E}\rangle"
    r"+\|\omega_{\tau E+j}^{k}-\overline{\omega}_{\tau E}\|^{2}",
    "The distance of a local model from the virtual one splits at the start of the round.",
    (_COORDINATE,),
    Reading(
        "as printed",
        "The square of a difference of differences.",
        Identity((now - own) ** 2, (now - start) ** 2 - 2 * (now - start) * (own - start) + (own - start) ** 2),
    ),
    Canary(
        "cross term once",
        Identity((now - own) ** 2, (now - start) ** 2 - (now - start) * (own - start) + (own - start) ** 2),
        "the square of a difference has the cross term twice",
    ),
    "The square of a difference, expanded.",
)

E22 = _step(
    22,
    "Weighted sum of local models",
    r"\sum_{k}p_{\tau}^{k}\omega_{\tau E+j}^{k}=\sum_kp_\tau^k\omega_{\tau E+j-1}^k-\eta_\tau\sum_kp_\tau^kg_{\tau E+j-1}^k"
    r"\alpha_{\tau E+j-1}^k=\dots=\sum_kp_\tau^k\omega_{\tau E}^k+\overline\omega_{\tau E+j}-\overline\omega_{\tau E}",
    "The weighted sum of the local models moves exactly as the virtual model.",
    (_COORDINATE, _TWO, "two steps; local models may start apart"),
    Reading(
        "as printed",
        "Σpω after two steps of (12) against its start plus the move (14) of ω̄.",
        Identity(p1 * (w1 - eta * a - eta * b) + p2 * (w2 - eta * c - eta * d), p1 * w1 + p2 * w2 + _MOVE),
    ),
    Canary(
        "ω̄ moved by the unweighted gradients",
        Identity(p1 * (w1 - eta * a) + p2 * (w2 - eta * c), p1 * w1 + p2 * w2 - eta * (a + c)),
        "the sides differ by η((1 − p₁)a + (1 − p₂)c)",
    ),
    "True step by step, for any coefficients, whatever their sum.",
    "EFL-E12",
    "EFL-E14",
)

_FIRST, _SECOND = -eta * (a + b), -eta * (c + d)  # ωᵏ − ω̄ at the start, both clients starting at ω̄
E23 = _step(
    23,
    "Cross term",
    r"-2\sum_{k}p_{\tau}^{k}\langle\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E},\omega_{\tau E+j}^{k}"
    r"-\overline{\omega}_{\tau E}\rangle=-2\|\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E}\|^{2}",
    "The weighted cross terms add up to minus twice the squared move of the virtual model.",
    (_COORDINATE, _TWO, "ωᵏ = ω̄ at the start of the round"),
    Reading(
        "as printed", "Any coefficients.", Identity(-2 * (p1 * _MOVE * _FIRST + p2 * _MOVE * _SECOND), -2 * _MOVE**2)
    ),
    Canary(
        "local models that start apart",
        Identity(-2 * (p1 * _MOVE * (w1 + _FIRST) + p2 * _MOVE * (w2 + _SECOND)), -2 * _MOVE**2),
        "the sides differ by −2(p₁w₁ + p₂w₂) times the move, w the offsets at the start",
    ),
    "True for any coefficients, because all clients start the round at the same model.",
    "EFL-E22",
)

E24 = _step(
    24,
    "Identity for the drift",
    r"\sum_kp_\tau^k\|\overline{\omega}_{\tau E+j}-\omega_{\tau E+j}^{k}\|^{2}=\Big(\sum_kp_\tau^k-2\Big)"
    r"\|\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E}\|^{2}+\sum_kp_\tau^k\|\omega_{\tau E+j}^{k}-\overline{\omega}_{\tau E}\|^{2}",
    "The weighted drift is (Σp − 2) times the virtual move squared plus the weighted local moves squared.",
    (_COORDINATE, _TWO, "ωᵏ = ω̄ at the start of the round"),
    Reading(
        "as printed",
        "Any coefficients; the factor Σp − 2 multiplies the squared move.",
        Identity(
            p1 * (_MOVE - _FIRST) ** 2 + p2 * (_MOVE - _SECOND) ** 2,
            (p1 + p2 - 2) * _MOVE**2 + p1 * _FIRST**2 + p2 * _SECOND**2,
        ),
    ),
    Canary(
        "Σp − 1 in place of Σp − 2",
        Identity(
            p1 * (_MOVE - _FIRST) ** 2 + p2 * (_MOVE - _SECOND) ** 2,
            (p1 + p2 - 1) * _MOVE**2 + p1 * _FIRST**2 + p2 * _SECOND**2,
        ),
        "(23) takes off the squared move twice, (21) adds it Σp times",
    ),
    "True for any coefficients. The factor Σp − 2 is negative when few clients take part, which matters in (30).",
    "EFL-E21",
    "EFL-E23",
)

_V: Any = vectors("g0 g1 g2")
_SUM = sum(_V)
_NORMS = sum(square(v) for v in _V)

E26 = Claim(
    id="EFL-E26",
    kind=Kind.INEQUALITY,
    source="Eq. (26), proof of Lemma 3",
    title="Square of a sum of gradients",
    statement=(
        r"\Big\|\sum_{i=0}^{j-1}g_{\tau E+i}^{k}\alpha_{\tau E+i}^{k}\Big\|^{2}\le\sum_{i}\|g_{\tau E+i}^k\alpha_{\tau E+i}^k\|^2"
        r"+\sum_{p<q}(\|g_{\tau E+p}^k\alpha_{\tau E+p}^k\|^2+\|g_{\tau E+q}^k\alpha_{\tau E+q}^k\|^2)"
        r"=j\sum_{i=0}^{j-1}\|g_{\tau E+i}^{k}\alpha_{\tau E+i}^{k}\|^{2}"
    ),
    says="The square of a sum of j vectors is at most j times the sum of their squares.",
    assumes=("j = 3 for the formal check; EFL-E27 uses it for every j",),
    readings=(
        Reading("first to last member", "Three vectors of any dimension.", VectorInequality(square(_SUM), 3 * _NORMS)),
        Reading(
            "the pairs counted",
            "Σx² + Σ over pairs (x² + y²) = jΣx² for j = 3.",
            Identity(x**2 + y**2 + z**2 + (x**2 + y**2) + (x**2 + z**2) + (y**2 + z**2), 3 * (x**2 + y**2 + z**2)),
        ),
    ),
    canaries=(
        Canary("factor j − 1", VectorInequality(square(_SUM), 2 * _NORMS), "three equal vectors give 9 against 6"),
    ),
    tight="equal vectors",
    verdict_words="Cauchy–Schwarz and counting pairs; attained by equal vectors. Inactive steps are zero vectors and count in j.",
)

CLAIMS: tuple[Claim, ...] = (E21, E22, E23, E24, E26)

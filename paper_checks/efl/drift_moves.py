"""The inequalities in the proof of Lemma 3 of EFL: moves of the virtual and of the local models, (25) and (27)-(29)."""

from __future__ import annotations

from typing import Any

from paper_checks.efl.drift_rounds import DEGREES, DRIFT, GAP, LOCAL, ONE, VIRTUAL, stated
from validation import Bound, Canary, Claim, Kind, Reading, symbols

__all__ = ["CLAIMS"]

E, G2, eta, steps, squares, jensen, sums, nothing = symbols("E G2 eta steps squares jensen sums nothing")
_C = (E - 1) * G2 * eta**2


def jensen_again(jensen: Any) -> Any:
    """The last member of (25) once more."""
    return 1 * jensen


E25 = Claim(
    id="EFL-E25",
    kind=Kind.INEQUALITY,
    source="Eq. (25), proof of Lemma 3",
    title="Move of the virtual model",
    statement=(
        r"\|\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E}\|^{2}=\eta_\tau^2\Big\|\sum_kp^k\Big(\frac{p_\tau^k}{p^k}"
        r"\sum_{i<j}g_{\tau E+i}^k\alpha_{\tau E+i}^k\Big)\Big\|^2\leq\eta_{\tau}^{2}\sum_{k}\frac{(p_{\tau}^{k})^{2}}{p^{k}}"
        r"\Big\|\sum_{i=0}^{j-1}g_{\tau E+i}^{k}\alpha_{\tau E+i}^{k}\Big\|^{2}"
    ),
    says="By Jensen the squared move of ω̄ is at most the weighted squared moves of the clients.",
    assumes=("pᵏ > 0 and Σpᵏ = 1", "any coefficients"),
    readings=(
        Reading(
            "as printed",
            "Averaged over two scenarios, in each of which it holds.",
            stated(Bound(jensen, again=jensen_again, degrees=DEGREES), VIRTUAL, sees=True),
        ),
    ),
    canaries=(
        Canary(
            "pᵏ in place of p²/pᵏ: Σp‖·‖²",
            stated(Bound(eta**2 * G2 * (E - 1) ** 2 * steps / E), VIRTUAL),
            "one client with a large p: ω̄ moves p times as far, squared p², the right side only p",
        ),
    ),
    tight="p/pᵏ times the move equal for all clients",
    verdict_words="Jensen's inequality for the weights pᵏ; attained when all p/pᵏ-scaled moves agree.",
)


def one_again(sums: Any, eta: Any) -> Any:
    """j Σ E‖gα‖² of one client, times η²."""
    return eta * sums * eta


def last_again(E: Any, G2: Any, eta: Any, steps: Any) -> Any:
    """(E − 1)G²s, times η²."""
    return (E * G2 - G2) * steps * eta**2


_LAST = Bound(_C * steps, again=last_again, degrees=DEGREES)
E27 = Claim(
    id="EFL-E27",
    kind=Kind.INEQUALITY,
    source="Eq. (27), proof of Lemma 3",
    title="Mean square of a client's move",
    statement=(
        r"\mathbb{E}_{\xi}\Big\|\sum_{i=0}^{j-1}g_{\tau E+i}^k\alpha_{\tau E+i}^k\Big\|^2\le jG^2\sum_{i=0}^{j-1}\alpha_{\tau E+i}^k"
        r"\le(E-1)G^2s_{\tau}^k"
    ),
    says="The mean square of a client's move is at most (E − 1)G² times its steps.",
    assumes=("A4", "j <= E − 1", "both sides times η²"),
    readings=(
        Reading("activity fixed before the batches", "s is a given number.", stated(_LAST, ONE)),
        Reading(
            "activity depends on the batches",
            "A step done when its gradient is large; s averaged on the right, which is stronger than the print.",
            stated(_LAST, ONE, sees=True),
        ),
        Reading(
            "its first step only, (26) averaged",
            "E‖Σgα‖² <= jΣE‖gα‖², whatever the activity depends on.",
            stated(Bound(eta**2 * sums, again=one_again, degrees=DEGREES), ONE, sees=True),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "factor E − 1 dropped",
            stated(Bound(G2 * eta**2 * steps), ONE, least=3),
            "two equal gradients: the square of their sum is 4G², s = 2",
        ),
    ),
    tight="equal gradients at all of the first E − 1 steps, the last one idle",
    depends_on=("EFL-E26", "EFL-A4"),
    verdict_words=(
        "Holds for activity that is fixed before the batches, as E_ξ takes α and s on the printed right sides. A "
        "stronger statement fails: if a step is done just when its gradient is large and the right side is averaged "
        "too, G² bounds the mean over all steps but not over those done. That average is ours, though the paper "
        "assumes no correlations of the activity. ΣE‖gα‖² in place of G²Σα holds whatever the activity depends on: "
        "that is (26) averaged."
    ),
)


def virtual_again(E: Any, G2: Any, eta: Any, squares: Any) -> Any:
    """The right side of (28) once more."""
    return squares * (E - 1) * (eta**2 * G2)


E28 = Claim(
    id="EFL-E28",
    kind=Kind.INEQUALITY,
    source="Eq. (28), proof of Lemma 3",
    title="Mean square of the virtual move",
    statement=(
        r"\mathbb{E}_{\xi}\|\overline{\omega}_{\tau E+j}-\overline{\omega}_{\tau E}\|^2\le(E-1)G^2\eta_{\tau}^2"
        r"\sum_{k}\frac{(p_{\tau}^k)^2}{p^k}s_{\tau}^k"
    ),
    says="The mean squared move of ω̄ is at most (E − 1)G²η² Σp²s/pᵏ.",
    assumes=("A4", "j <= E − 1"),
    readings=(
        Reading(
            "activity fixed before the batches",
            "(27) inserted into (25); s is a given number.",
            stated(Bound(_C * squares, again=virtual_again, degrees=DEGREES), VIRTUAL),
        ),
        Reading(
            "activity depends on the batches",
            "A step done when its gradient is large; s averaged on the right, which is stronger than the print.",
            stated(Bound(_C * squares, again=virtual_again, degrees=DEGREES), VIRTUAL, sees=True),
        ),
    ),
    canaries=(
        Canary(
            "factor E − 1 dropped",
            stated(Bound(G2 * eta**2 * squares), VIRTUAL, least=3),
            "one client, two equal gradients: the square of their sum is 4G², s = 2",
        ),
    ),
    tight="one client, equal gradients at all of the first E − 1 steps, the last one idle",
    depends_on=("EFL-E25", "EFL-E27"),
    verdict_words=(
        "Holds for activity and coefficients that are fixed before the batches, as E_ξ takes them on the printed "
        "right side: (27) goes into (25). A stronger statement fails with (27): if a step is done just when its "
        "gradient is large and the right side is averaged too, which is ours, G² bounds the mean over all steps but "
        "not over those done."
    ),
)


def zero_again(nothing: Any) -> Any:
    """0."""
    return nothing * 1


E29 = Claim(
    id="EFL-E29",
    kind=Kind.INEQUALITY,
    source="Eq. (29), proof of Lemma 3",
    title="Mean square of the local moves",
    statement=(
        r"\mathbb{E}_{\xi}\sum_kp_{\tau}^{k}\|\omega_{\tau E+j}^{k}-\overline{\omega}_{\tau E+j}\|^{2}=\mathbb{E}_{\xi}\sum_k"
        r"p_{\tau}^{k}\Big\|\eta_{\tau}\sum_{i<j}g_{\tau E+i}^{k}\alpha_{\tau E+i}^{k}\Big\|^{2}\le(E-1)G^{2}\eta_{\tau}^{2}"
        r"\sum_kp_{\tau}^{k}s_{\tau}^{k}"
    ),
    says="The weighted squared moves of the local models are at most (E − 1)G²η² Σps.",
    assumes=("A4", "activity and coefficients fixed before the batches"),
    readings=(
        Reading(
            "the equality as printed",
            "Distance from ω̄ at step j equal to the move since the start of the round.",
            stated(Bound(nothing, again=zero_again, degrees=DEGREES), GAP),
        ),
        Reading(
            "outer members as printed",
            "Distance from ω̄ at step j, first member against the last.",
            stated(_LAST, DRIFT),
        ),
        Reading(
            "ω̄ at the start of the round",
            "Index τE in place of τE + j on ω̄, as (24), into which the line is inserted, has it; then the equality is (12).",
            stated(_LAST, LOCAL),
        ),
    ),
    canaries=(
        Canary(
            "factor E − 1 dropped",
            stated(Bound(G2 * eta**2 * steps), LOCAL, least=3),
            "one client, two equal gradients: the square of their sum is 4G², s = 2",
        ),
    ),
    tight="equal gradients at all of the first E − 1 steps, the last one idle",
    depends_on=("EFL-E27",),
    verdict_words=(
        "A misprint of one index: ω̄ of the left member belongs to the start of the round, τE in place of τE + j. "
        "(24), into which the line is put, has the same sum with index τE, and (12) gives the equality with it. As "
        "printed the left member has ω̄ at step j and the middle one the move since the start of the round; they "
        "differ as soon as ω̄ moves, and the outer inequality fails as well when Σp > 2. With the index τE all is "
        "true, and the argument goes on from the right line."
    ),
)

CLAIMS: tuple[Claim, ...] = (E25, E27, E28, E29)
